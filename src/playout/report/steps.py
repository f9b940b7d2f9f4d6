"""One simulation in words: its four phases, line by line."""

import math
from typing import TYPE_CHECKING

from playout.game import CHANCE

from .language import Language, language_of

if TYPE_CHECKING:
    from playout.search.step import Change, Choice, EdgeScore, Step

CLOSE = 1e-9  # by which fraction the terms of a score may miss it, since sums are rounded


def step_text(step: "Step", language: str = "en") -> str:
    """A step as `str(step)` shows it, in one of the languages."""
    say = language_of(language)
    lines = [say("step", n=step.simulation), say("step_selection")]
    for choice in step.selection:
        lines += _choice(say, choice)
    lines.append(say("step_expansion", added=_added(say, step)))
    for playout in step.playouts:
        actions = " ".join(playout.actions) or say("none")
        lines.append(say("step_playout", actions=actions, returns=_numbers(playout.returns)))
    if not step.playouts:
        lines.append(say("step_evaluation", ending=say(f"ending_{step.ending}")))
    lines += ["   " + say("step_returns", returns=_numbers(step.returns)), say("step_backup")]
    lines += ["   " + _change(say, change) for change in step.backup]
    return "\n".join(lines)


def _choice(say: Language, choice: "Choice") -> list[str]:
    """Who chose what at a node, and the scores that were compared."""
    position = choice.position or say("start")
    lines = ["   " + say("step_choice", who=say.who(choice.player), position=position, action=choice.text)]
    for edge in choice.edges:
        terms = _probability(say, edge) if choice.player == CHANCE else _sum(say, edge)
        mark, action, visits = "*" if edge.chosen else " ", f"{edge.text:<8}", f"{edge.visits:<6}"
        lines.append("     " + say("step_edge", mark=mark, action=action, visits=visits, terms=terms))
    return lines


def _probability(say: Language, edge: "EdgeScore") -> str:
    return f"{say('step_probability')} {edge.score:.4g}"


def _sum(say: Language, edge: "EdgeScore") -> str:
    """The terms of a score by name, and their sum."""
    # A term of the user's own keeps its name.
    terms = [(say(f"term_{n}") if f"term_{n}" in say else n, number) for n, number in edge.terms.items()]
    rest = edge.score - sum(edge.terms.values())
    if math.isfinite(rest) and abs(rest) > CLOSE * max(1.0, abs(edge.score)):  # not scored by the policy
        terms.append((say("step_rest"), rest))
    return f"{' + '.join(f'{name} {number:.4g}' for name, number in terms)} = {edge.score:.4g}"


def _added(say: Language, step: "Step") -> str:
    """What the tree gained."""
    grown, added = step.expansion, []
    if grown is not None:
        edges = say.count(len(grown.actions), "edge")
        added.append(say("step_edges", edges=edges, position=grown.position or say("start")))
    if step.leaf_added:
        added.append(say("step_leaf", position=step.leaf or say("start")))
    return say("and").join(added) or say("none")


def _change(say: Language, change: "Change") -> str:
    field = f"field_{change.field}"
    return say(
        "step_change",
        what=say(f"what_{change.what}"),
        where=" ".join(change.path) or say("root"),
        field=say(field) if field in say else change.field,  # a column of the user's own keeps its name
        before=_number(change.before),
        after=_number(change.after),
    )


def _number(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _numbers(values: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{v:g}" for v in values) + ")"
