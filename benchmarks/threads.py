"""Threads on one tree or graph: how much faster than one thread, and `python -m benchmarks.threads`: do counts hold?

The long run grows trees of up to ten million simulations with 2, 4 and 8 threads, more than this machine has cores, so
that threads are interrupted anywhere. After each it checks that every node's visits are its edges' and its own, that
every node hangs on one edge, that the root's mean is that of its edges, and that no lock is left; in graphs, that every
edge is in the list of its node, every node in the table, and no simulation in flight; and that a hundred thousand
proofs of tic-tac-toe are true.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from . import networks
from .measure import Check, Contender, Options, Row, interleave, rate

if TYPE_CHECKING:
    import playout as po

CORES = 2
NETWORK_SHARE = 0.85  # of the bare network's evaluations a second, on as many cores
# A row each: the game, its settings as Python, simulations, and how much faster two threads are to be.
SPEEDS = {
    "connect4, UCT": ("connect4", "po.Settings(solver=False)", 2_000_000, 1.7),
    "connect4, UCT with proofs": ("connect4", "po.Settings()", 1_000_000, None),
    "connect4, a policy with a column": ("connect4", "po.Settings(policy=Counted(), solver=False)", 1_000_000, 1.6),
    "othello, UCT": ("othello", "po.Settings(solver=False)", 200_000, 1.85),
    "chess, uct-chess": ("chess", "po.preset('uct-chess')", 60_000, 1.85),
    "chess, chess-classic": ("chess", "po.preset('chess-classic')", 500_000, 1.85),
    "game2048, game2048": ("game2048", "po.preset('game2048')", 100_000, None),
    "connect4, UCT in a graph": ("connect4", "po.Settings(solver=False, transpositions=True)", 500_000, 1.5),
    "othello, UCT in a graph": ("othello", "po.Settings(solver=False, transpositions=True)", 100_000, 1.5),
    "chess, chess-classic in a graph": ("chess", "po.preset('chess-classic', transpositions=True)", 200_000, 1.5),
}
TREES = (("connect4", 10_000_000), ("tictactoe", 1_000_000), ("othello", 500_000), ("chess", 300_000))
GRAPHS = (("connect4", 1_000_000), ("tictactoe", 200_000), ("othello", 100_000), ("chess", 100_000))
THREADS = (2, 4, 8)
PROVEN, PROOFS = "tictactoe", 100_000  # the game whose proofs are checked, and how many at least


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    rows = [*(faster(options, name) for name in SPEEDS), crowded(options)]
    with contextlib.suppress(ImportError):
        import onnxruntime  # noqa: F401

        rows.append(networks.connect4(options, CORES, NETWORK_SHARE))
    return rows


def _settings(text: str, threads: int) -> po.Settings:
    import playout as po

    class Counted(po.UCT):
        """UCT that counts in a column how often an edge was backed up."""

        columns = np.dtype([("updates", np.int64)])

        @staticmethod
        def update(policy: Any, edge: Any, value: Any) -> None:
            edge.updates += 1

    settings: po.Settings = eval(text, {"po": po, "Counted": Counted})
    return settings.replace(threads=threads)


def _rate(name: str, simulations: int, threads: int) -> float:
    import playout as po

    game, settings = SPEEDS[name][:2]
    search = po.Search(po.games.load(game), _settings(settings, threads), seed=1)
    while search.position.player == po.CHANCE:
        search.play(search.position.outcomes()[0][0])
    search.run(200)  # compiles
    return rate(simulations, lambda: search.run(simulations))


def faster(options: Options, name: str) -> Row:
    """Two threads against one, the same simulations."""
    simulations, target = options.pick(SPEEDS[name][2], 20_000), SPEEDS[name][3]
    row = Row(f"{name}, {simulations:,} simulations, {CORES} threads", "simulations/s")
    sides = [Contender(str(n), lambda n=n: _rate(name, simulations, n)) for n in (1, CORES)]
    best = interleave(sides, options.pick(10, 1))
    row.ours, row.peers["one thread"] = best[str(CORES)], best["1"]
    gain = best[str(CORES)] / best["1"]
    if target is None:
        row.notes.append(f"{gain:.2f} times one thread")
    else:
        row.checks.append(Check("x one thread", gain, target))
    return row


def crowded(options: Options) -> Row:
    """Eight threads on two cores against two."""
    name, simulations = "connect4, UCT", options.pick(2_000_000, 20_000)
    row = Row(f"{name}, {simulations:,} simulations, 8 threads on {CORES} cores", "simulations/s")
    sides = [Contender(str(n), lambda n=n: _rate(name, simulations, n)) for n in (CORES, 8)]
    best = interleave(sides, options.pick(10, 1))
    row.ours, row.peers[f"{CORES} threads"] = best["8"], best[str(CORES)]
    row.checks.append(Check(f"x {CORES} threads", best["8"] / best[str(CORES)], 1.0))
    return row


# The long run.


def wrong_counts(search: po.Search) -> dict[str, int]:
    """How often each invariant is broken; empty if all hold."""
    from playout.core import tree as core

    tree = search.tree
    nodes, edges = tree.nodes[: tree.counters[core.NODES]], tree.edges[: tree.counters[core.EDGES]]
    made = np.append(True, nodes["count"][core.ROOT + 1 :] > 0)  # threads leave gaps
    inner = nodes[core.ROOT :][made]
    first, count = inner["first_edge"].astype(np.int64), inner["count"].astype(np.int64)
    visits = np.concatenate([[0], np.cumsum(edges["visits"], dtype=np.int64)])
    visited = np.concatenate([[0], np.cumsum(edges["visits"] > 0)])
    opened = np.where(inner["player"] >= 0, inner["opened"], visited[first + count] - visited[first])
    below = np.abs(edges["child"])
    children = below[below > core.END]
    proven, open_ = edges["child"] < 0, (edges["child"] > core.END)
    root = inner[0]
    block = edges[root["first_edge"] : root["first_edge"] + root["count"]]
    mean = float((block["visits"] * block["value"]).sum()) / max(1, int(block["visits"].sum()))
    found = {
        "nodes whose visits are not their edges' and their own": visits[first + count] - visits[first] + inner["own"]
        != inner["visits"],
        "edges whose visits are not their node's": edges["visits"][open_] != nodes["visits"][below[open_]],
        "proven edges with fewer visits than their node": edges["visits"][proven] < nodes["visits"][below[proven]],
        "nodes on two edges": np.diff(np.sort(children)) == 0,
        "nodes on no edge": np.ones(abs(len(inner) - 1 - len(np.unique(children))), bool),
        "locks left": inner["parents"] != 0,
        "edges opened but not visited, or visited and not opened": visited[first + count] - visited[first] != opened,
        "visited edges behind their node's open ones": (visited[first + opened] - visited[first] != opened)
        & (inner["player"] >= 0),
        "wrong means at the root": np.array([search.settings.solver is False and abs(mean - root["value"]) > 1e-9]),
        "simulations not counted": np.array([search.simulations != root["visits"]]),
    }
    return {what: int(np.count_nonzero(wrong)) for what, wrong in found.items() if np.any(wrong)}


def wrong_links(search: po.Search) -> dict[str, int]:
    """Like `wrong_counts`, for a graph."""
    from playout.core import tree as core

    tree, (number, count) = search.tree, (int(search.tree.counters[i]) for i in (core.NODES, core.EDGES))
    nodes, edges = tree.nodes[core.ROOT : number], tree.edges[:count]
    first, size = nodes["first_edge"].astype(np.int64), nodes["count"].astype(np.int64)
    visits = np.concatenate([[0], np.cumsum(edges["visits"], dtype=np.int64)])
    visited = np.concatenate([[0], np.cumsum(edges["visits"] > 0)])
    below = np.abs(edges["child"])
    into = np.bincount(below[below > core.END], minlength=number)[core.ROOT :]
    entries = (tree.table[tree.table != 0] & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
    seen, listed = -1 - entries[entries < 0], np.zeros(number, np.int64)
    at = np.arange(core.ROOT, number)
    heads = tree.node_links["first_in"][core.ROOT : number].astype(np.int64)
    strays = 0
    while len(at):  # all lists at once, one edge further each time
        at, heads = at[heads >= 0], heads[heads >= 0]
        listed[at] += 1
        strays += np.count_nonzero(below[heads] != at)
        heads = tree.edge_links["next_in"][heads].astype(np.int64)
    joined = edges["child"] > core.END
    found = {
        "nodes whose visits are not their edges' and their own": visits[first + size] - visits[first] + nodes["own"]
        != nodes["visits"],
        "edges opened but not visited, or visited and not opened": (
            visited[first + nodes["opened"]] - visited[first] != nodes["opened"]
        )
        & (nodes["player"] >= 0),
        "visited edges behind their node's open ones": (visited[first + size] - visited[first] != nodes["opened"])
        & (nodes["player"] >= 0),
        "nodes whose list is not all edges that lead there": listed[core.ROOT :] != into,
        "edges in the list of another node": np.ones(strays, bool),
        "nodes that no edge leads to": into[1:] == 0,
        "nodes that are not in the table once": np.sort(entries[entries > 0]) != np.arange(core.ROOT, number)
        if np.count_nonzero(entries > 0) == number - core.ROOT
        else np.ones(1, bool),
        "positions without a node whose edge has one, or that are there twice": np.append(
            below[seen] != core.NO_NODE, len(np.unique(seen)) != len(seen)
        ),
        "edges to a proven node that are not proven": tree.nodes["proof"][below[joined]] > core.NO_PROOF,
        "simulations not counted": np.array([search.simulations != nodes[0]["visits"]]),
        "simulations in flight": search.runner.crew.pending != 0,
    }
    return {what: int(np.count_nonzero(wrong)) for what, wrong in found.items() if np.any(wrong)}


def false_proofs(search: po.Search) -> tuple[int, int]:
    """Of a game small enough to solve: (proofs, those that are false)."""
    from playout.core import tree as core

    known: dict[str, float] = {}

    def exact(position: Any) -> float:
        text = position.text
        if text not in known:
            values = [] if position.is_terminal else [exact(position.play(a)) for a in position.actions()]
            best = (max if position.player == 0 else min)(values) if values else float(position.rewards[0])
            known[text] = best
        return known[text]

    tree, proofs, false = search.tree, 0, 0
    stack, came = [(core.ROOT, search.position)], {core.ROOT}
    while stack:
        number, position = stack.pop()
        node = tree.nodes[number]
        if node["proof"] > core.NO_PROOF:
            proofs += 1
            false += tree.proofs[node["proof"], 0] != exact(position)
        for edge in tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]:
            child = abs(int(edge["child"]))
            if child > core.END and child not in came:
                came.add(child)
                stack.append((child, position.play(int(edge["action"]))))
    return proofs, false


class LongRun:
    """Trees grown by threads, one after the other, and what was found wrong with them."""

    def __init__(self) -> None:
        self.began, self.simulations, self.broken, self.proofs, self.false = time.perf_counter(), 0, 0, 0, 0

    def grow(self, game: str, simulations: int, threads: int, solver: bool, graph: bool, seed: int) -> None:
        """Grow a tree or a graph and check it."""
        import playout as po

        settings = po.Settings(threads=threads, solver=solver, transpositions=graph)
        search = po.Search(po.games.load(game), settings, seed=seed)
        done = search.run(simulations).simulations
        wrong = (wrong_links if graph else wrong_counts)(search)
        self.simulations, self.broken = self.simulations + done, self.broken + len(wrong)
        if game == PROVEN and solver:
            proofs, false = false_proofs(search)
            self.proofs, self.false = self.proofs + proofs, self.false + false
        seconds, proving = time.perf_counter() - self.began, "on" if solver else "off"
        print(
            f"{seconds:6.0f} s  {game}{' in a graph' if graph else ''}, {threads} threads, solver {proving}: "
            f"{done:,} simulations, {wrong or 'all counts hold'}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=__doc__)
    parser.add_argument("--simulations", type=int, default=100_000_000, help="in all")
    wanted, run = parser.parse_args().simulations, LongRun()
    enough = min(PROOFS, wanted // 1000)
    for seed in itertools.count():
        kinds = [(*each, True) for each in GRAPHS] + [(*each, False) for each in TREES]
        for (game, size, graph), threads, solver in itertools.product(kinds, THREADS, (False, True)):
            if run.simulations < wanted:
                run.grow(game, min(size, wanted - run.simulations), threads, solver, graph, seed)
            elif game == PROVEN and solver and run.proofs < enough:
                run.grow(game, size, threads, solver, graph, seed)
        if run.simulations >= wanted and run.proofs >= enough:
            break
    print(f"{run.simulations:,} simulations, {run.broken} invariants broken, {run.proofs:,} proofs, {run.false} false")
    raise SystemExit(int(run.broken > 0 or run.false > 0))


if __name__ == "__main__":
    main()
