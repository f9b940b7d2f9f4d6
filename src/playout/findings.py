"""What the doctor can find: every mistake with its likely cause and fix, one finding, and the report."""

from dataclasses import dataclass
from typing import Any

# Every mistake: what happened, the likely cause, and the fix.
MISTAKES = {
    "not-compiled": (
        "can't be compiled, at {place}: {reason}",
        "rules may use what Numba compiles: numbers, arrays, loops, the fields of `state`",
        "write that line with those; a helper that a rule calls wants @numba.njit",
    ),
    "raises": (
        "raised {error}, at {place}",
        "a case that was not thought of",
        "mend that line; NUMBA_DISABLE_JIT=1 lets a debugger stop there",
    ),
    "action-refused": (
        "raised {error}, at {place}",
        "legal_actions lists an action that apply does not accept",
        "list only what can be played, or let apply play it",
    ),
    "nothing-happens": (
        "changes nothing",
        "apply refuses the action quietly, or forgets to change whose turn it is",
        "list in legal_actions only what apply plays, and let apply change the state",
    ),
    "no-such-player": (
        "returned {value!r}, expected 0 to {last}, po.CHANCE or po.TERMINAL",
        "players are counted from 0; or a way through the function has no `return`",
        "return the number of the player who moves, below `players`",
    ),
    "no-chance-outcomes": (
        "returned po.CHANCE, and the class has no chance_outcomes",
        "-1 stands for chance, so a turn of -1 does too",
        "define `@staticmethod def chance_outcomes(state, actions, probabilities)`, or return the player who moves",
    ),
    "bad-count": (
        "returned {value!r}, expected how many actions it listed",
        "the count is not a whole number; or a way through the function has no `return`",
        "count what is written to `actions` and return that",
    ),
    "no-actions": (
        "lists no action, though current_player does not say that the game is over",
        "an end of the game that current_player does not see, or a player who has to pass",
        "let current_player return po.TERMINAL there, or list an action that passes",
    ),
    "too-many-actions": (
        "lists {value} actions, more than max_actions = {most}",
        "max_actions is too small, or the same action is listed again and again",
        "set max_actions in the class to the most there can be",
    ),
    "action-too-large": (
        "lists action {value}, and actions are 32-bit whole numbers",
        "several things packed into one number",
        "number the actions from 0 on, and keep what they mean in the state or in a table",
    ),
    "action-twice": (
        "lists an action more than once: {values}",
        "two ways to the same action, each of them counted",
        "list each action once; for outcomes, add up their probabilities",
    ),
    "not-written": (
        "leaves a place of `{name}` unwritten",
        "the count is larger than what was written, and the buffer holds what was there before",
        "write `{name}[i]` for every i below the count",
    ),
    "end-goes-on": (
        "says that the game is over, but legal_actions lists an action that leads on to {value!r}",
        "the end is seen in one position and forgotten in the next",
        "list no actions at the end, or keep in the state that it is over",
    ),
    "never-ends": (
        "did not return po.TERMINAL within {most:,} actions",
        "the rules never end the game, or only by luck",
        "end it in current_player, by a counter in the state if need be; what may go on for ever can still be searched "
        "with Rollouts(depth=200)",
    ),
    "changes-state": (
        "changes the state ({contrast})",
        "it works on `state` itself, which only apply and initial_state may",
        "work on local variables, or undo every change before returning",
    ),
    "hidden-randomness": (
        "{how}",
        "randomness or memory outside of the state",
        "let current_player return po.CHANCE and list the outcomes in chance_outcomes (in playout_action: draw with "
        "po.random_below(rng, n)), so that a seed reproduces everything",
    ),
    "compiled-differs": (
        "does not do the same compiled and uncompiled ({contrast})",
        "compiled, whole numbers have 64 bits and wrap; uncompiled, a field such as np.int8 keeps its size and a "
        "Python number has no end",
        "write np.int64(state.field) before reckoning with a small field, np.uint64(…) for constants of bit masks",
    ),
    "bad-probability": (
        "gives outcome {value} the probability {weight:g}",
        "a difference below zero, or 0 / 0",
        "fill `probabilities` with numbers from 0 to 1",
    ),
    "chance-sum": (
        "gives probabilities that sum to {total:.6g}, expected 1: {values}",
        "an outcome is missing or counted twice, or weights were given where probabilities are expected",
        "divide each by their sum, or list the missing outcome",
    ),
    "bad-reward": (
        "gives the rewards {values}",
        "0 / 0, or an infinity that stands for a win",
        "give finite rewards, 1 and -1 for instance",
    ),
    "returns-sum": (
        "gives from here on {values}, together {total:.6g}, expected {expected:.6g}",
        "a player's reward was forgotten or given twice",
        "give every player their reward; if it is meant so, set `returns_sum = {instead}` in the class",
    ),
    "value-range": (
        "gives from here on {values}, outside of value_range = ({least:g}, {most:g})",
        "rewards of another size than announced (-1 to 1 unless the class says otherwise)",
        "set `value_range = (least, most)` in the class, None where it is not known, or scale the rewards",
    ),
    "no-rewards": (
        "gave no reward in any of {value} games",
        "rewards are kept somewhere else than in `rewards`, or are too rare for random play",
        "write rewards[player] = … in apply, at the step that earns it",
    ),
    "bad-priors": (
        "gives {value:g} to {whom}",
        "scores were given where weights are expected, or 0 / 0",
        "fill `out` with numbers of at least 0, one of them above 0",
    ),
    "bad-value": (
        "gives the value {value:g}, expected {least:g} to {most:g}",
        "the scale differs from that of the rewards, or 0 / 0",
        "bring it to the range of the rewards, with tanh(score / scale) for instance, or set value_range",
    ),
    "bad-playout-action": (
        "returned {value!r}, which is not among the actions {values}",
        "an index was returned instead of the action",
        "return one of `actions[:count]`",
    ),
    "bad-chance-action": (
        "returned {value!r}, which is not among the outcomes {values}",
        "an index was returned instead of the outcome, or the two rules disagree about what can happen",
        "return one of the outcomes that chance_outcomes lists, with the same probabilities",
    ),
    "bad-observation": (
        "fills in {value:g}, expected finite numbers",
        "a division by zero, or a field that was never set",
        "write numbers of the size of one; what is left out is 0",
    ),
    "bad-index": (
        "returned {value!r}, expected 0 to policy_size - 1 = {last}",
        "policy_size is too small, or action_index is missing where actions are not 0, 1, 2, …",
        "raise policy_size, or define action_index(state, action)",
    ),
    "index-twice": (
        "returned {value}, which it also returned for {other}",
        "two actions share a place of the policy, so that a network can't tell them apart",
        "give each legal action an index of its own",
    ),
    "bad-hash": (
        "returned {value!r}, expected a whole number",
        "a division, or a way through the function without `return`",
        "return a np.uint64",
    ),
    "hash-collides": (
        "gives the same number as in '{other}', where another player or other actions are to move",
        "a field is left out of the hash",
        "hash every field that matters to the game, or leave `hash` away",
    ),
    "not-a-text": (
        "returned {value!r}, expected a text",
        "a number, or a way through the function without `return`",
        "return a str",
    ),
    "action-text": (
        "{how}, the text that action_to_text writes for action {value}",
        "the two don't belong together",
        "let action_from_text read what action_to_text writes",
    ),
    "action-text-twice": (
        "writes '{text}' for action {other} and for action {value}",
        "a part of the action is left out of its text",
        "give each legal action a text of its own",
    ),
    "state-text": (
        "{how}, the text that state_to_text writes",
        "a field is missing from the text, or is not set again",
        "write every field that matters into the text, and set every field from it",
    ),
    "bad-drawing": (
        "returned {how}",
        "a tag is not closed, or a text has < or & in it",
        "close each tag, and put texts through html.escape",
    ),
}


@dataclass(frozen=True)
class Finding:
    """One mistake: what happened and where, the likely cause, and what to do. `count` says how often it was seen."""

    code: str
    rule: str
    what: str
    cause: str
    fix: str
    position: str = ""
    action: str = ""
    level: str = "error"  # or "warning": suspicious, though it may be meant
    count: int = 1

    def __str__(self) -> str:
        where = f"; in '{self.position}'" if self.position else ""
        where += f", action {self.action}" if self.action else ""
        often = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.level} {self.code}: {self.rule} {self.what}{where}{often}\n    {self.cause}. Fix: {self.fix}"


@dataclass(frozen=True)
class Report:
    """What `check_game` found, and figures of the games it played; `ok` when there is no error."""

    game: str
    findings: tuple[Finding, ...]
    games: int  # played to an end, or to where a rule failed
    positions: int
    positions_uncompiled: int  # those looked at uncompiled too
    length: tuple[int, float, int]  # least, mean, most actions of a finished game
    branching: tuple[int, float, int]  # the same of the legal actions where a player moves
    max_actions: int
    players: int
    results: tuple[tuple[tuple[float, ...], int], ...]  # returns, one a player, and how often; most frequent first
    playouts_per_second: float | None  # compiled; None where that was not measured

    @property
    def ok(self) -> bool:
        return not any(finding.level == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        figures = {key: value for key, value in vars(self).items() if key not in ("findings", "results")}
        for key in ("length", "branching"):
            figures[key] = dict(zip(("least", "mean", "most"), figures[key], strict=True))
        return {
            **figures,
            "ok": self.ok,
            "findings": [dict(vars(finding)) for finding in self.findings],
            "results": [{"returns": list(returns), "count": count} for returns, count in self.results],
        }

    def __str__(self) -> str:
        errors = sum(finding.level == "error" for finding in self.findings)
        counts = [plural(n, s) for n, s in ((errors, "error"), (len(self.findings) - errors, "warning")) if n]
        lines = [f"{self.game}: {' and '.join(counts) or 'nothing wrong found'} in {plural(self.games, 'game')}"]
        lines += [f"  {line}" for finding in self.findings for line in str(finding).splitlines()]
        low, mean, high = self.length
        few, usual, many = self.branching
        lines.append(
            f"  {plural(self.players, 'player')}; {self.positions:,} positions, {self.positions_uncompiled:,} of them "
            f"uncompiled too; {mean:.1f} actions a game ({low} to {high}); {usual:.1f} to choose from "
            f"({few} to {many}; max_actions = {self.max_actions})"
        )
        shown = [f"({numbers(returns)}) {plural(count, 'time')}" for returns, count in self.results[:6]]
        more = f", {len(self.results) - 6} others" if len(self.results) > 6 else ""
        speed = "" if self.playouts_per_second is None else f"; {self.playouts_per_second:,.0f} playouts a second"
        lines.append(f"  results: {', '.join(shown) or 'none'}{more}{speed}")
        return "\n".join(lines)


def numbers(values: Any, most: int = 8) -> str:
    shown = ", ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values[:most])
    return shown + (", …" if len(values) > most else "")


def plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
