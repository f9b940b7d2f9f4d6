"""Graph search against tree search on connect four: nodes, speed, and moves that keep the exact result."""

from __future__ import annotations

import csv

from .measure import Check, Contender, Options, Row, interleave, rate
from .strength import DATA, keeps

SIMULATIONS = 100_000
FEWER_NODES, SLOWER = 0.8, 1.25  # of the tree's nodes at most; times as long a simulation at most
STARTS = ("", "444", "4455")


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    return [*cost(options), *accuracy(options)]


def cost(options: Options) -> list[Row]:
    """The same simulations from a few openings: positions in memory, and simulations a second."""
    import playout as po

    game, simulations = po.games.load("connect4"), options.pick(SIMULATIONS, 5_000)
    kinds = {"tree": po.Settings(), "graph": po.Settings(transpositions=True)}

    def run(settings: po.Settings) -> float:
        searches = [po.Search(game, settings, position=start, seed=1) for start in STARTS]
        return rate(simulations * len(STARTS), lambda: [search.run(simulations) for search in searches])

    nodes = {
        name: sum(po.Search(game, s, position=start, seed=1).run(simulations).nodes for start in STARTS)
        for name, s in kinds.items()
    }
    found = interleave([Contender(name, lambda s=s: run(s)) for name, s in kinds.items()], options.pick(9, 2))
    share, slower = nodes["graph"] / nodes["tree"], found["tree"] / found["graph"]
    memory = Row(f"connect4, graph search, nodes of {simulations:,} simulations", "of the tree's", ours=share)
    memory.checks.append(Check("of the tree's", share, FEWER_NODES, at_most=True))
    speed = Row(f"connect4, graph search, {simulations:,} simulations", "simulations/s", ours=found["graph"])
    speed.peers["playout's tree"] = found["tree"]
    speed.checks.append(Check("times as long a simulation", slower, SLOWER, at_most=True))
    return [memory, speed]


def accuracy(options: Options) -> list[Row]:
    """In how many of 100 positions the move keeps the exact result: the graph's no fewer than the tree's."""
    import playout as po

    row = Row(f"connect4, graph search, moves that keep the exact result, {SIMULATIONS:,} simulations", "of 100")
    if not DATA.is_file():
        row.notes.append(f"no exact positions at ../shared/data/connect4/{DATA.name}: not measured")
        return [row]
    with DATA.open(encoding="ascii") as file:
        positions = list(csv.DictReader(file))[:: options.pick(1, 30)]
    game, share, nodes = po.games.load("connect4"), {}, {}
    for on in (False, True):
        settings, kept, held = po.Settings(transpositions=on), 0, 0
        for position in positions:
            search = po.Search(game, settings, position=position["moves_1based"], seed=1)
            result = search.run(SIMULATIONS)
            kept += keeps(position, int(result.best_text or 0))
            held += result.nodes
        share[on], nodes[on] = 100.0 * kept / len(positions), held / len(positions)
    row.ours, row.peers["playout's tree"] = share[True], share[False]
    row.notes.append(f"{nodes[True]:,.0f} nodes on average, the tree {nodes[False]:,.0f}")
    row.checks.append(Check("of 100", share[True], share[False]))
    return [row]
