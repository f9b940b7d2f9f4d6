"""`playout arena`: matches between players, and the statistics of their results."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from playout.arena import Match, MatchResult, Tally, make_match
from playout.common.interrupt import INTERRUPTED
from playout.errors import SettingsError
from playout.play.players import PATIENCE
from playout.play.referee import MARGIN, MAX_MOVES

from .options import GameName, Json, Openings, Plies, RayAddress, Set, number, on_cluster, pairs, whole
from .output import check_can_write, console, print_json, progress

NO_FILE = "none"
FORFEITS_SHOWN = 5


def arena(
    game: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER PLAYER [PLAYER…]",
            help="A preset (if left out, the game's own) and settings with a limit (n= simulations or t= seconds a "
            "move), as in textbook,n=1000 or policy=puct,c=2,t=0.5; random; for chess, an engine: "
            "uci:stockfish?UCI_Elo=1500,t=0.1. Before it, if wanted, a name: mine=default,n=500.",
        ),
    ],
    games: Annotated[int, typer.Option("--games", metavar="N", parser=whole, help="Games for each two players.")] = 100,
    simulations: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--simulations",
            metavar="N",
            parser=whole,
            help="A move, for players that have no limit of their own.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "-t", "--seconds", metavar="S", parser=number, help="A move, likewise; 1 when there is no limit at all."
        ),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option("--clock", metavar="S+S", help="Seconds for a whole game and for each move, as in 1+0.05."),
    ] = None,
    openings: Openings = None,
    plies: Plies = None,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="ELO0,ELO1", help="Stop as soon as a test at 5% decides between the two."),
    ] = None,
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Every player against every other, for more than two players.")
    ] = False,
    max_moves: Annotated[
        int,
        typer.Option(
            "--max-moves", metavar="N", parser=whole, help="Moves of all players after which a game is a draw."
        ),
    ] = MAX_MOVES,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            metavar="N",
            parser=whole,
            help="Games at once.",
            show_default="as many as cores; with --ray, as the cluster has CPUs",
        ),
    ] = None,
    ray: RayAddress = None,
    db: Annotated[
        str,
        typer.Option(
            "--db",
            metavar="FILE",
            help="The results file, from which the same match is resumed. none: keep no results.",
        ),
    ] = "arena.sqlite",
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the games: PGN for chess, JSON lines for other games."),
    ] = None,
    margin: Annotated[
        float,
        typer.Option(
            "--margin", metavar="S", parser=number, help="Seconds by which a move may be late.", show_default="0.2"
        ),
    ] = MARGIN,
    patience: Annotated[
        float,
        typer.Option(
            "--patience",
            metavar="S",
            parser=number,
            help="Seconds after which an engine that does not answer is killed.",
            show_default="10",
        ),
    ] = PATIENCE,
    set: Set = None,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", parser=whole, help="Of openings, chance and players.", show_default="0"),
    ] = 0,
    json: Json = False,
) -> int:
    """Play matches between players, each opening from both sides, and report the difference in strength.

    A player that crashes, hangs, exceeds its time or plays an illegal move loses the game. Ctrl-C stops the match, with
    exit code 130; the same command resumes it.
    """
    check_can_write(record, "--record")
    on_cluster(ray)
    match = make_match(
        game,
        players,
        games=games,
        settings=pairs(set, "--set", "target=21"),
        openings=openings,
        plies=plies,
        seed=seed,
        simulations=simulations,
        seconds=seconds,
        clock=clock,
        max_moves=max_moves,
        concurrency=concurrency,
        sprt=read_sprt(sprt),
        round_robin=round_robin,
        db=None if db == NO_FILE else db,
        margin=margin,
        patience=patience,
        ray=ray,
    )
    code = 0
    try:
        with progress(match.game.title, not json) as show:
            try:
                match.run(None if show is None else lambda m: show(_live(m), len(m.done) / len(m.jobs)))
            except KeyboardInterrupt:
                code = INTERRUPTED
        result = match.result()
        if record is not None:
            result.write(record)
    finally:
        match.close()
    if json:
        print_json(result.to_dict())
    else:
        _print(result, None if db == NO_FILE else db)
    return code


def read_sprt(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"--sprt is '{text}', expected two Elo differences, as in 0,10") from None
    return low, high


def _live(match: Match) -> str:
    done = f"{len(match.done)} of {len(match.jobs)} games"
    if len(match.setup.players) > 2:
        return done
    result = match.result()
    tally = result.tally()
    ratio = f" · LLR {result.sprt.ratio(tally.pairs):.2f}" if result.sprt else ""
    return f"{done} · {_counts(tally)} · Elo {_elo(tally)}{ratio}"


def _counts(tally: Tally) -> str:
    return f"+{tally.wins} ={tally.draws} -{tally.losses}"


def _elo(tally: Tally) -> str:
    low, high = tally.elo_interval
    return f"{tally.elo:+.1f} (95%: {low:+.1f} to {high:+.1f})" if tally.games else "unknown"


def _print(result: MatchResult, db: str | None) -> None:
    out = console()
    resumed = f", {result.resumed} of them from earlier runs" if result.resumed else ""
    out.print(f"{result.game}: {len(result.records)} of {result.wanted} games{resumed}", markup=False)
    if len(result.players) == 2:
        print_two(result, out)
    else:
        _print_table(result, out)
    for game in result.forfeits[:FORFEITS_SHOWN]:
        out.print(f"game {game.number + 1}: {game.termination}: {game.reason}", markup=False)
    if (more := len(result.forfeits) - FORFEITS_SHOWN) > 0:
        out.print(f"… and {more} more forfeits")
    if db is not None:
        out.print(f"results in {db}", markup=False)


def print_two(result: MatchResult, out: Console) -> None:
    """Print the figures of a match of two players."""
    tally = result.tally()
    first, second = result.players
    out.print(f"{first} against {second}: {_counts(tally)}, score {tally.score:.1%}", markup=False)
    out.print(f"Elo {_elo(tally)} · likelihood of superiority {tally.los:.1%}", markup=False)
    if sum(tally.pairs):
        kinds = ", ".join(f"{n} of {p}" for n, p in zip(tally.pairs, ("0", "½", "1", "1½", "2"), strict=True))
        out.print(f"pairs by points: {kinds}", markup=False)
    if result.sprt is not None:
        low, high = result.sprt.bounds
        word = {"H1": f"Elo {result.sprt.elo1:g} is accepted", "H0": f"Elo {result.sprt.elo0:g} is accepted"}
        ratio = result.sprt.ratio(tally.pairs)
        verdict = word[result.decision] if result.decision else "not decided yet"
        out.print(f"SPRT: {verdict}; log-likelihood ratio {ratio:.2f}, bounds {low:.2f} and {high:.2f}")


def _print_table(result: MatchResult, out: Console) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    everybody = range(len(result.players))
    order = sorted(everybody, key=lambda i: -result.ratings[i].elo)
    for title in ("", "player", "Elo", "±95%", "points", "games", *(str(rank + 1) for rank in everybody)):
        table.add_column(title, justify="left" if title == "player" else "right")
    for rank, i in enumerate(order):
        tallies = {j: result.tally(i, j) for j in everybody if j != i}
        cells = ["·" if j == i else f"{tallies[j].points:g}/{tallies[j].games}" for j in order]
        rating, games = result.ratings[i], sum(t.games for t in tallies.values())
        points = f"{sum(t.points for t in tallies.values()):g}"
        error = f"{rating.error:.0f}"
        table.add_row(str(rank + 1), escape(result.players[i]), f"{rating.elo:+.0f}", error, points, str(games), *cells)
    out.print(table)
