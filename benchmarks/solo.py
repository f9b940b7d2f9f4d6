"""One player and chance: guided simulations of Suika, random playouts of 2048."""

from __future__ import annotations

from . import limit
from .measure import C_LIMIT, Check, Contender, Options, Row, interleave, rate

ROUNDS = 8
SIMULATIONS_PER_SECOND = 100_000.0
MOVE, MOVE_MILLISECONDS = 2_000, 25.0
LARGE, LARGE_MEGABYTES = 100_000, 100.0
PLAYOUTS, PLAYOUTS_PER_SECOND = 50_000, 150_000.0
AT_ONCE = 100  # playouts from one leaf, so that the tree does not count
MIDDLE = "....6...../...53754../...769a75./...831858./.48362973./.726a5a86./689a184976 4,1 3584"  # after 700 drops


def measure(options: Options) -> list[Row]:
    return [*(suika(options) if not options.peers_only else []), game2048(options)]


def suika(options: Options) -> list[Row]:
    """The preset, which plays 50 drops by its heuristic in each simulation, from the start and in the middle."""
    import playout as po

    game, rounds = po.games.load("suika"), options.pick(ROUNDS, 2)
    po.Search(game, "suika", seed=1).run(100)

    def one(position: str | None, simulations: int) -> float:
        search = po.Search(game, "suika", position=position, seed=1)
        return rate(simulations, lambda: search.run(simulations))

    simulations = options.pick(50_000, 5_000)
    places = {"from the start": None, "in the middle of a game": MIDDLE}
    found = interleave([Contender(name, lambda p=place: one(p, simulations)) for name, place in places.items()], rounds)
    rows = []
    for name, speed in found.items():
        row = Row(f"Suika, preset, {simulations:,} simulations {name}", "simulations/s", ours=speed)
        row.checks.append(Check("simulations/s", speed, SIMULATIONS_PER_SECOND))
        rows.append(row)
    moves = Row(f"Suika, {MOVE:,} simulations", "ms")
    moves.ours = min(1000.0 * MOVE / one(MIDDLE, MOVE) for _ in range(2 * rounds))
    moves.checks.append(Check("ms", moves.ours, MOVE_MILLISECONDS, at_most=True))
    many = options.pick(LARGE, 10_000)
    large = Row(f"memory, Suika, {many:,} simulations", "MB")
    large.ours = po.Search(game, "suika", seed=1).run(many).bytes / 1e6
    large.checks.append(Check("MB", large.ours, LARGE_MEGABYTES, at_most=True))
    return [*rows, moves, large]


def game2048(options: Options) -> Row:
    playouts = options.pick(PLAYOUTS, 5_000)
    row = Row(f"2048, {playouts:,} random playouts", "playouts/s")
    contenders = []
    if reason := limit.missing():
        row.notes.append(reason)
    else:
        limit.program("game2048")
        contenders.append(Contender(C_LIMIT, lambda: limit.playouts("game2048", playouts)))
    if not options.peers_only:
        import playout as po

        settings = po.Settings(evaluator=po.Rollouts(n=AT_ONCE), solver=False)
        game = po.games.load("game2048")
        po.Search(game, settings, seed=1).run(2)

        def ours() -> float:
            search = po.Search(game, settings, seed=1)
            return rate(playouts, lambda: search.run(playouts // AT_ONCE))

        contenders.append(Contender("playout", ours))
    row.peers = interleave(contenders, options.pick(ROUNDS, 2))
    row.ours = row.peers.pop("playout", None)
    if row.ours is not None:
        row.checks.append(Check("playouts/s", row.ours, PLAYOUTS_PER_SECOND))
        if C_LIMIT in row.peers:
            row.notes.append(f"{row.ours / row.peers[C_LIMIT]:.2f} of the C limit")
    return row
