"""The result of a match: tallies, ratings, JSON, and the games as PGN or JSON lines."""

import json
import os
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from playout.errors import FileError
from playout.games.chess import Chess, PgnGame, write_pgn
from playout.play.record import Record
from playout.play.tally import Tally, finite

from .statistics import Rating, Sprt, bradley_terry

CHESS_RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


@dataclass
class MatchResult:
    """The result of a match so far. Tallies and Elo are for the first player against the second."""

    game: str
    settings: dict[str, Any]
    players: list[str]
    records: list[Record]  # in the order of the schedule
    wanted: int  # games in all
    sprt: Sprt | None = None
    decision: str | None = None  # "H1" or "H0" once the test has ended
    resumed: int = 0  # games from earlier runs
    seats: int = 2

    def tally(self, player: int = 0, other: int = 1) -> Tally:
        """The results of one player against another."""
        scores, groups = list[float](), dict[int, list[float]]()
        for record in self.records:
            if player in record.players and other in record.players:
                score = record.score(record.players.index(player), record.players.index(other))
                scores.append(score)
                groups.setdefault(record.opening, []).append(score)
        pairs = [(g[0], g[1]) for g in groups.values() if len(g) == 2] if self.seats == 2 else []
        return Tally.of(scores, pairs)

    @cached_property
    def ratings(self) -> list[Rating]:
        """The ratings of all players, in their order, relative to the mean."""
        tallies = {pair: self.tally(*pair) for pair in combinations(range(len(self.players)), 2)}
        return bradley_terry(len(self.players), {pair: (t.points, t.games) for pair, t in tallies.items()})

    @property
    def forfeits(self) -> list[Record]:
        """The games that a player lost by rule."""
        return [r for r in self.records if r.termination not in ("normal", "adjudication")]

    def to_dict(self) -> dict[str, Any]:
        """The result as one JSON object; infinite numbers become null."""
        found: dict[str, Any] = {
            "game": self.game,
            "settings": self.settings,
            "players": self.players,
            "games": len(self.records),
            "wanted": self.wanted,
            "resumed": self.resumed,
        }
        if len(self.players) == 2:
            found |= self.tally().to_dict()
            if self.sprt is not None:
                found["sprt"] = {
                    "elo0": self.sprt.elo0,
                    "elo1": self.sprt.elo1,
                    "bounds": list(self.sprt.bounds),
                    "ratio": self.sprt.ratio(self.tally().pairs),
                    "decision": self.decision,
                }
        else:
            found["ratings"] = [
                {"player": name, "elo": finite(r.elo), "error": finite(r.error)}
                for name, r in zip(self.players, self.ratings, strict=True)
            ]
            found["table"] = [
                {"player": self.players[i], "other": self.players[j], **self.tally(i, j).to_dict()}
                for i, j in combinations(range(len(self.players)), 2)
            ]
        ends: dict[str, int] = {}
        for record in self.records:
            ends[record.termination] = ends.get(record.termination, 0) + 1
        found["terminations"] = ends
        found["forfeits"] = [{"number": r.number, "reason": r.reason} for r in self.forfeits]
        return found

    def record_dict(self, record: Record) -> dict[str, Any]:
        """A game as one JSON object."""
        return {
            "game": self.game,
            "settings": self.settings,
            "number": record.number,
            "players": [self.players[i] for i in record.players],
            "position": record.start,
            "moves": list(record.moves),
            "opening_moves": record.opening_moves,
            "returns": list(record.returns),
            "termination": record.termination,
            "reason": record.reason,
            "seconds": record.seconds,
            "ended": record.ended,
        }

    def write(self, path: str | Path) -> None:
        """Write all games to a file: PGN for chess, one JSON object a line for other games."""
        if self.game == "chess":
            text = "\n".join(self.pgn(record) for record in self.records)
        else:
            text = "".join(json.dumps(self.record_dict(record)) + "\n" for record in self.records)
        place = Path(os.path.realpath(path))  # the target of a link
        try:
            if place.exists() and not place.is_file():  # a pipe or a device can't be replaced
                place.write_text(text, encoding="utf-8")
                return
            # Write to a file beside it first: an old file stays whole if this fails.
            beside = place.with_name(f".{place.name}.{os.getpid()}")
            try:
                beside.write_text(text, encoding="utf-8")
                beside.replace(place)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            raise FileError(
                f"record {path}: can't write there: {error.strerror}; all games are in the results file"
            ) from None

    def pgn(self, record: Record) -> str:
        """A game of chess as PGN."""
        position = Chess(claims=-1).position(record.start)
        moves = []
        for text in record.moves:
            moves.append(position.action(text))
            position = position.play(moves[-1])
        headers = {
            "Event": " - ".join(self.players),
            "Site": "playout arena",
            "Date": record.ended[:10].replace("-", "."),
            "Round": str(record.number + 1),
            "White": self.players[record.players[0]],
            "Black": self.players[record.players[1]],
            "Termination": record.termination,
        }
        if record.reason:
            headers["Reason"] = record.reason
        return write_pgn(PgnGame(tuple(moves), headers, record.start, CHESS_RESULTS[record.score(0, 1)]))
