"""The doctor for policies and backups: calls their functions on nodes and edges and checks what they do."""

import contextlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from playout import games
from playout.backups import Backup
from playout.core.jit import COMPILED
from playout.core.watchdog import NeverReturnedError, Watchdog
from playout.errors import PlayoutError, SettingsError
from playout.game import Game
from playout.parts.part import Part
from playout.policies import PUCT, UCT, Policy
from playout.search import Search
from playout.settings import Settings

from .compare import same
from .findings import Finding, numbers, plural
from .notes import BrokenOffError, Notes
from .outside import random_source
from .part_ask import Given, PartAnswer, PartAsker
from .part_cases import Case, Edge, at_random, from_tree
from .part_mistakes import PART_MISTAKES

GAMES = ("tictactoe", "target_sum", "connect4")
SIMULATIONS = 150
HISTORIES, LENGTH = 30, 12  # sequences of returns that a backup is given, and their length
CLOSE = 1e-6
Shared = float | bytes  # what the edges of a node share: a number, or the bytes of a record


@dataclass(frozen=True)
class PartReport:
    """What `check_part` found; `ok` if there are no errors."""

    part: str
    findings: tuple[Finding, ...]
    asked: int  # calls of its functions
    games: tuple[str, ...]  # whose trees it was tried on

    @property
    def ok(self) -> bool:
        """Whether there are no errors; warnings may remain."""
        return not any(finding.level == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "part": self.part,
            "ok": self.ok,
            "asked": self.asked,
            "games": list(self.games),
            "findings": [dict(vars(finding)) for finding in self.findings],
        }

    def __str__(self) -> str:
        found = plural(len(self.findings), "mistake") if self.findings else "no mistakes found"
        lines = [f"{self.part}: {found} in {plural(self.asked, 'call')}; {self._where()}"]
        lines += [f"  {line}" for finding in self.findings for line in str(finding).splitlines()]
        return "\n".join(lines)

    def _where(self) -> str:
        return f"trees of {', '.join(self.games)}" if self.games else "random numbers only, as no game fits it"


def examine(part: Part, game: Game | None, seed: int, seconds: float) -> PartReport:
    """Check a part in one game, or in the built-in games that it can be used in."""
    doctor = PolicyDoctor if isinstance(part, Policy) else BackupDoctor
    chosen = [game] if game is not None else [games.load(name) for name in GAMES]
    fitting = [each for each in chosen if _fits(part, each)]
    with Watchdog(seconds) as watchdog, np.errstate(all="ignore"):  # as compiled
        notes = Notes(chosen[0], watchdog, PART_MISTAKES)
        asker = PartAsker(part, chosen[0], notes)
        with contextlib.suppress(BrokenOffError):
            doctor(asker, notes, np.random.default_rng(seed)).look(fitting)
    found = tuple(sorted(notes.findings.values(), key=lambda finding: finding.level))
    return PartReport(type(part).__name__, found, asker.asked, tuple(each.title for each in fitting))


def _fits(part: Part, game: Game) -> bool:
    """Whether a game has returns that a backup takes, and static values if it looks below."""
    if not isinstance(part, Backup):
        return True
    if part.below:
        with contextlib.suppress(SettingsError):
            Settings(backup=part).params(game)
            return True
        return False
    return part.least is None or game.range is None or game.range[0] >= part.least


class PartDoctor:
    """What the doctors for policies and backups share."""

    def __init__(self, asker: PartAsker, notes: Notes, random: np.random.Generator) -> None:
        self.asker, self.notes, self.random, self.part = asker, notes, random, asker.part
        self.settings_bytes = 8 * len(self.part.__dataclass_fields__)

    def look(self, fitting: list[Game]) -> None:
        """Check the functions one by one, then in searches of these games."""
        for name in self.asker.names:
            if source := random_source(getattr(self.asker.cls, name)):
                self.notes.note("hidden-randomness", name, how=f"uses {source}")
        self.look_at_numbers(fitting)
        if not self.notes.findings:
            for game in fitting:
                self._search(game, solver=True)

    def look_at_numbers(self, fitting: list[Game]) -> None:
        """Check the functions one by one."""
        raise NotImplementedError

    def _search(self, game: Game, solver: bool) -> Search | None:
        """A search with the part; one that fails is a finding."""
        role: dict[str, Any] = {self.part._role: self.part}
        try:
            search = Search(game, Settings(**role, solver=solver), seed=1)
            if COMPILED:
                search.run(SIMULATIONS, seconds=self.notes.watchdog.seconds)
            else:
                self.notes.watchdog.call(search.run, SIMULATIONS)
        except NeverReturnedError:
            return None
        except PlayoutError as error:
            if not self.notes.findings and solver:
                self.notes.note("search-fails", self.part._needed, game=game.title, message=str(error))
            return None
        return search

    def asked(self, name: str, given: Given, told: str) -> PartAnswer:
        """Call a function twice, and compiled; different answers are a finding."""
        answer = self.asker.ask(name, given, told)
        again = self.asker.ask(name, given, told)
        if difference := _difference(answer, again, "first", "then"):
            how = f"gives another answer the second time ({difference}), called with {told}"
            if not self.notes.has("hidden-randomness", name):
                self.notes.note("hidden-randomness", name, how=how)
            raise BrokenOffError
        compiled = self.asker.ask_compiled(name, given)
        if compiled and (difference := _difference(answer, compiled, "uncompiled", "compiled")):
            self.notes.note("compiled-differs", name, contrast=difference, asked=told)
        return answer

    def number(self, name: str, value: Any, told: str) -> float:
        """The number that a function returned; anything else is a finding and ends this case."""
        if isinstance(value, bool | int | float | np.number | np.bool_) and not math.isnan(value):
            return float(value)
        self.notes.fail("not-a-number", name, how=f"returned {_written(value)}", asked=told)
        return math.nan

    def look_for_writes(self, name: str, given: Given, answer: PartAnswer, told: str) -> None:
        """Check what `update` writes: only columns and tables, and a backup the value."""
        edge, columns = given.edge, self.asker.code.columns.names or ()
        if edge is None:
            return
        before = self.asker.fields(name, given)
        for field, value in answer.edge.items():
            if field not in before and field not in columns:
                self.notes.fail("unknown-field", name, name=field)
            is_value = field == "value" and self.part._role == "backup"
            if field in before and not is_value and not same(before[field], value):
                if field == "value":
                    self.notes.fail("sets-value", name, asked=told)
                self.notes.fail("writes", name, what=f"edge.{field}", asked=told)
            if not isinstance(value, bool | int | float | np.number | np.bool_) or math.isnan(value):
                self.notes.fail("not-a-number", name, how=f"set edge.{field} to {_written(value)}", asked=told)
        if answer.record[: self.settings_bytes] != given.record[: self.settings_bytes]:
            self.notes.fail("writes", name, what=f"a setting of `{self.part._role}`", asked=told)

    def columns_of(self, answer: PartAnswer) -> tuple[Any, ...]:
        """The columns after a call."""
        return tuple(answer.edge[name] for name in self.asker.code.columns.names or ())


class PolicyDoctor(PartDoctor):
    """Checks a policy."""

    def look_at_numbers(self, fitting: list[Game]) -> None:
        """Try random numbers first: a policy that fails there is not used in a search, which might never end."""
        record = self.part.kept(self.notes.game).record.tobytes()
        self._look_at_all(at_random(self.random, [record], [()], -1.0, 1.0))
        if self.notes.findings:
            return
        cases = [case for game in fitting for case in self._cases_of(game)]
        self._look_at_all(cases)
        kept = [edge.columns for case in cases for edge in case.visited]
        if kept and not self.notes.findings:
            self._look_at_all(at_random(self.random, [case.record for case in cases], kept, -1.0, 1.0))

    def _cases_of(self, game: Game) -> list[Case]:
        search = self._search(game, solver=False)
        if search is not None:
            return list(from_tree(search, "policy"))
        other = PUCT() if self.part.scores_unvisited else UCT()
        search = Search(game, Settings(policy=other), seed=1)
        search.run(SIMULATIONS)
        record = self.part.kept(game).record.tobytes()
        return [replace(case, record=record) for case in from_tree(search, "policy")]

    def _look_at_all(self, cases: Iterable[Case]) -> None:
        for case in cases:
            if len(case.record) != self.asker.code.record.itemsize:
                continue  # another game's tables
            with contextlib.suppress(BrokenOffError):
                self._look_at(case)
                self._look_at_update(case)
            if any(code == "never-returns" for code, *_ in self.notes.findings):
                return

    def _look_at(self, case: Case) -> None:
        asked = self.asker.names
        shared: Shared = 0.0
        if "prepare" in asked:
            told = f"node visits {case.node.visits}, value {case.node.value:.4g}, count {case.node.count}"
            given = Given(case.record, node=case.node)
            answer = self.asked("prepare", given, told)
            self._look_for_changes("prepare", given, answer, told)
            shared = self.number("prepare", answer.value, told)
        if "look" in asked:
            shared = self._look_by_policy(case)
        infinite: list[tuple[float, Edge]] = []
        for edge in case.visited:
            score = self._score(case, edge, shared)
            infinite += [(score, edge)] if math.isinf(score) else []
        if len({score for score, _ in infinite}) < len(infinite):
            score, edge = infinite[0]
            self.notes.note("infinite-score", "score", value=score, count=len(infinite), asked=case.told(edge))
        if self.part.scores_unvisited:
            self._look_at_unvisited(case, shared)

    def _look_by_policy(self, case: Case) -> bytes:
        """What the policy's `look` makes of a node's edges."""
        shared = bytes(self.asker.shared.itemsize)
        for turn in range(self.part.looks):
            for edge in (*case.visited, *case.unvisited):
                told = f"{case.told(edge)}, turn {turn}"
                given = Given(case.record, edge, case.node, shared, turn=turn)
                answer = self.asked("look", given, told)
                self._look_for_changes("look", given, answer, told)
                for name, value in answer.shared.items():
                    if math.isnan(value):
                        self.notes.fail("not-a-number", "look", how=f"set shared.{name} to nan", asked=told)
                shared = answer.shared_bytes
        return shared

    def _score(self, case: Case, edge: Edge, shared: Shared) -> float:
        told = case.told(edge)
        given = Given(case.record, edge, case.node, shared)
        answer = self.asked("score", given, told)
        self._look_for_changes("score", given, answer, told)
        score = self.number("score", answer.value, told)
        if "terms" in self.asker.names and not answer.drew and math.isfinite(score):
            self._look_at_terms(given, score, told)
        return score

    def _look_at_terms(self, given: Given, score: float, told: str) -> None:
        answer, names = self.asked("terms", given, told), self.part.term_names
        self._look_for_changes("terms", given, answer, told)
        terms = answer.value if isinstance(answer.value, tuple) else (answer.value,)
        if len(terms) != len(names):
            self.notes.fail("terms-count", "terms", count=len(terms), names=len(names))
        total = sum(self.number("terms", term, told) for term in terms)  # nan for opposite infinities
        if not abs(total - score) <= CLOSE * max(1.0, abs(score)):
            listed = numbers([float(term) for term in terms])
            self.notes.note("terms-differ", "terms", terms=listed, total=total, score=score, asked=told)

    def _look_at_unvisited(self, case: Case, shared: Shared) -> None:
        """Check the scores of unvisited edges, also with other priors."""
        for edge in case.unvisited[:2]:
            ladder = [replace(edge, prior=prior) for prior in (0.0, edge.prior / 2, edge.prior, 1.0)]
            ladder.sort(key=lambda each: each.prior)
            scores = [self._score(case, each, shared) for each in ladder]
            for (low, score), (high, more) in zip(
                zip(ladder, scores, strict=True), list(zip(ladder, scores, strict=True))[1:], strict=False
            ):
                if self.part.by_prior and more < score and not same(more, score):
                    priors = {"low_prior": low.prior, "high_prior": high.prior}
                    facts = {"low": more, "high": score, "asked": case.told(edge)}
                    self.notes.fail("by-prior-broken", "score", **priors, **facts)

    def _look_for_changes(self, name: str, given: Given, answer: PartAnswer, told: str) -> None:
        """Check that a function wrote nothing."""
        if answer.record != given.record:
            at = next(i for i, (a, b) in enumerate(zip(answer.record, given.record, strict=True)) if a != b)
            what = "a setting" if at < self.settings_bytes else "a table"
            self.notes.fail("writes", name, what=f"{what} of `policy`", asked=told)
        if name != "look" and answer.shared_bytes != (given.shared if isinstance(given.shared, bytes) else b""):
            self.notes.fail("writes", name, what="a field of `shared`", asked=told)
        if given.edge is None or not answer.edge:
            return
        before = {**self.asker.fields(name, given), **self.asker.columns(given.edge)}
        for field, value in answer.edge.items():
            if field not in before or not same(before[field], value):
                self.notes.fail("writes", name, what=f"edge.{field}", asked=told)

    def _look_at_update(self, case: Case) -> None:
        if "update" not in self.asker.names:
            return
        for edge in case.visited:
            given = Given(case.record, edge, got=float(self.random.uniform(-1.0, 1.0)))
            told = f"{edge}, got {given.got:.4g}"
            self.look_for_writes("update", given, self.asked("update", given, told), told)


class BackupDoctor(PartDoctor):
    """Checks a backup."""

    def look_at_numbers(self, fitting: list[Game]) -> None:
        """Give it sequences of returns."""
        record = self.part.kept(fitting[0] if fitting else games.load(GAMES[0])).record.tobytes()
        for returns in self._histories():
            with contextlib.suppress(BrokenOffError):
                self._tell(record, returns)

    def _histories(self) -> Iterator[list[float]]:
        """Sequences of returns: any values, few values, all the same."""
        low = max(-1.0, self.part.least if self.part.least is not None else -1.0)
        for i in range(HISTORIES):
            drawn = self.random.uniform(low, 1.0, LENGTH)
            if i % 3 == 1:
                drawn = self.random.choice([low, 0.0, 1.0], LENGTH)
            elif i % 3 == 2:
                drawn = np.full(LENGTH, drawn[0])
            yield [float(got) for got in drawn]

    def _tell(self, record: bytes, returns: list[float]) -> None:
        edge, seen, values = Edge(0, 0.0, 0.0, 0.5, 1), list[float](), set[float]()
        looks_below = self.asker.code.looks_below
        edge = replace(edge, columns=tuple(kind.type(0) for kind in self._kinds()))
        for got in returns:
            edge = replace(edge, visits=edge.visits + 1)
            below = float(self.random.choice(returns)) if looks_below else 0.0
            given = Given(record, edge, got=got, below=below)
            told = f"visits {edge.visits}, value {edge.value:.4g}, got {got:.4g}"
            told += f", below {below:.4g}" if looks_below else ""
            answer = self.asked("update", given, told)
            self.look_for_writes("update", given, answer, told)
            value = float(answer.edge["value"])
            seen += [got, below] if looks_below else [got]
            values.add(value)
            if values != {0.0}:
                self._look_at_value(value, seen, told)
            record = answer.record
            edge = replace(edge, value=value, columns=self.columns_of(answer))
        if values == {0.0} and any(returns):
            self.notes.fail("value-not-set", "update", visits=len(returns))

    def _look_at_value(self, value: float, seen: list[float], told: str) -> None:
        slack = CLOSE * max(1.0, *map(abs, seen))
        if not min(seen) - slack <= value <= max(seen) + slack:
            facts = {"value": value, "least": min(seen), "greatest": max(seen), "visits": len(seen), "asked": told}
            self.notes.fail("leaves-range", "update", **facts)
        mean = math.fsum(seen) / len(seen)
        if self.part.plain_mean and abs(value - mean) > slack:
            self.notes.fail("not-the-mean", "update", value=value, mean=mean)

    def _kinds(self) -> list[Any]:
        columns = self.asker.code.columns
        return [columns[name] for name in columns.names or ()]


def _difference(one: PartAnswer, two: PartAnswer, first: str, second: str) -> str:
    """The first difference between two answers, with both values; empty if they are the same."""
    a, b = (answer.value if isinstance(answer.value, tuple) else (answer.value,) for answer in (one, two))
    if len(a) != len(b) or not all(_equal(x, y) for x, y in zip(a, b, strict=True)):
        return f"{first} {numbers(a)}, {second} {numbers(b)}"
    for owner in ("edge", "shared"):
        before, after = getattr(one, owner), getattr(two, owner)
        for field in before.keys() & after.keys():
            if not _equal(before[field], after[field]):
                return f"{owner}.{field}: {first} {before[field]:.6g}, {second} {after[field]:.6g}"
    return ""


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value!r:.40}"


def _equal(a: Any, b: Any) -> bool:
    """Like `same`, but an integer may equal a float."""
    kinds = (bool, int, float, np.number, np.bool_)
    return same(float(a), float(b)) if isinstance(a, kinds) and isinstance(b, kinds) else a is b or a == b


def part_from(given: Any) -> Part:
    """The part that a caller gave, or one with the default settings of a class."""
    if isinstance(given, type) and issubclass(given, Part) and given not in (Part, Policy, Backup):
        given = given()
    if isinstance(given, Part):
        return given
    raise SettingsError(f"check_part got {given!r:.80}, expected a po.Policy or a po.Backup, or the class of one")
