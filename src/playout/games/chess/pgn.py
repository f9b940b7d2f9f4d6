"""Games as PGN: written with the seven standard headers; comments, variations and annotations are skipped."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from playout.errors import ActionError, PositionError
from playout.game import Position

from .board import CHECKMATE, GOES_ON
from .ends import find_end
from .fen import START_FEN, write_fen
from .game import Chess
from .san import from_text, to_san

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
WIDTH = 79
UNCLAIMED = -1  # games may go on after a draw that neither side claimed
TOKEN = re.compile(
    r"""(?P<header>\[\s*(?P<name>\w+)\s*"(?P<value>(?:\\.|[^"\\])*)"\s*\])
    | (?P<skip>\{[^}]*\} | ;[^\n]* | \$\d+ | [!?]+ | \d+\s*\.+ | \.+ | e\.p\.)
    | (?P<result>1-0 | 0-1 | 1/2-1/2 | \*)(?![\w-])
    | (?P<open>\() | (?P<close>\))
    | (?P<move>[^\s(){}\[\];$.!?*]+[!?]*)
    | (?P<wrong>\S)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class PgnGame:
    """A game: its moves as actions, from `start` (a FEN; empty: the initial position), with its headers and result."""

    moves: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)  # without Result, FEN and SetUp
    start: str = ""
    result: str = "*"


def write_pgn(game: PgnGame) -> str:
    """The text of one game. A result of `*` is replaced where the last position ends the game."""
    if game.result not in RESULTS:
        raise PositionError(f"chess: result '{game.result}', expected one of {', '.join(RESULTS)}")
    position = Chess(claims=UNCLAIMED).position(game.start)
    first, tokens = position, list[str]()
    for i, action in enumerate(game.moves):
        state = position.state
        if state.turn == 0 or i == 0:
            tokens.append(f"{state.fullmove}{'.' if state.turn == 0 else '...'}")
        if action not in position.actions():
            raise PositionError(
                f"chess: {_number(position)} of the game: action {action} is not legal in {position.text}"
            )
        tokens.append(to_san(position, action))
        position = position.play(action)
    result = _result(position) if game.result == "*" else game.result
    headers = {**ROSTER, **game.headers, "Result": result}
    order = [*ROSTER, "Result", *(name for name in headers if name not in ROSTER and name != "Result")]
    if write_fen(first.state) != START_FEN:
        headers |= {"SetUp": "1", "FEN": write_fen(first.state)}
        order += [name for name in ("SetUp", "FEN") if name not in order]
    lines = [f'[{name} "{_escape(headers[name])}"]' for name in order]
    return "\n".join([*lines, "", *_wrap([*tokens, result]), ""])


def read_pgn(text: str) -> list[PgnGame]:
    """All games of a text. An error names an illegal move by its number and that of its game."""
    games: list[PgnGame] = []
    replay = Chess(claims=UNCLAIMED)
    headers, moves, position, depth = dict[str, str](), list[int](), None, 0

    def close(result: str) -> None:
        nonlocal headers, moves, position
        start = headers.pop("FEN", "")
        headers.pop("SetUp", None)
        headers.pop("Result", None)
        games.append(PgnGame(tuple(moves), headers, start, result))
        headers, moves, position = {}, [], None

    text = re.sub(r"^%.*$", "", text.lstrip("\ufeff"), flags=re.MULTILINE)
    for token in TOKEN.finditer(text):
        where = f"chess: PGN game {len(games) + 1}"
        if token["skip"]:
            continue
        if token["open"] or token["close"]:
            depth += 1 if token["open"] else -1
            if depth < 0:
                raise PositionError(f"{where}: ')' without '(' in line {_line(text, token)}")
        elif token["header"] and depth == 0:
            if position is not None:  # the previous game had no result
                close(headers.get("Result", "*") if headers.get("Result") in RESULTS else "*")
            headers[token["name"]] = re.sub(r"\\(.)", r"\1", token["value"])
        elif token["wrong"]:
            raise PositionError(
                f"{where}: can't read '{token['wrong']}' in line {_line(text, token)}, expected headers as in "
                f'[White "name"], moves, comments in braces, and a result'
            )
        elif depth > 0:
            continue
        elif token["result"]:
            close(token["result"])
        else:
            position = position or _start(replay, headers.get("FEN", ""), where)
            try:
                action = from_text(position, token["move"])
            except ActionError as error:
                reason = str(error).removeprefix("chess: ")
                raise PositionError(f"{where}, {_number(position)}, line {_line(text, token)}: {reason}") from None
            moves.append(action)
            position = position.play(action)
    if depth > 0:
        raise PositionError(f"chess: PGN game {len(games) + 1}: a variation is not closed, expected ')' before the end")
    if headers or position is not None:
        close(headers.get("Result", "*") if headers.get("Result") in RESULTS else "*")
    return games


def _start(game: Chess, fen: str, where: str) -> Position:
    try:
        return game.position(fen)
    except PositionError as error:
        raise PositionError(f"{where}: {str(error).removeprefix('chess: ')}") from None


def _result(position: Position) -> str:
    state = position.state.copy()
    state.claims = 1
    with np.errstate(over="ignore"):
        end = find_end(state)
    if end == CHECKMATE:
        return "0-1" if state.turn == 0 else "1-0"
    return "*" if end == GOES_ON else "1/2-1/2"


def _number(position: Position) -> str:
    return f"move {position.state.fullmove}{'.' if position.state.turn == 0 else '...'}"


def _line(text: str, token: re.Match[str]) -> int:
    return text.count("\n", 0, token.start()) + 1


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _wrap(tokens: Iterable[str]) -> list[str]:
    lines = [""]
    for token in tokens:
        if lines[-1] and len(lines[-1]) + 1 + len(token) > WIDTH:
            lines.append(token)
        else:
            lines[-1] = f"{lines[-1]} {token}".lstrip()
    return lines
