"""Why this action and not the next best: first the facts, then the same facts in plain words.

`explain_data` gathers, `render` writes; a page or a language model may take the facts and write for itself. What is
estimated is never told as if it were known: only what the solver proved is called proven.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

from playout.game import CHANCE
from playout.settings import ANSWERS, Network, Outside, uses_priors

from .words import clean, count, duration, number, percent, proven_word, who

if TYPE_CHECKING:
    from playout.search.result import ActionStats, Result

LINE_SHOWN = 8  # actions of an expected line
FEW = 30  # below so many visits an interval from the normal distribution is not to be trusted


def explain(result: "Result") -> str:
    """Why this action and not the next best, in plain words."""
    return render(explain_data(result))


# The facts.


def explain_data(result: "Result") -> dict[str, Any]:
    """The facts that `explain` is written from, as one JSON object. Values are for the player who moves at the root.

    `situation`: "choice", "one action", "not searched", "chance", "over". `comparison` of the best with the next:
    "proven" (nothing can be better), "equal" (both proven, alike), "clear" (its interval lies above the other's),
    "lead" (ahead, but the intervals overlap), "toss-up" (each value lies within the other's interval), "behind" (its
    value is the lower one), "unknown" (too few visits to say), or None where there is nothing to compare. `refuted`
    is an action that was visited more than the best, until it was proven lost.
    """
    game, position = result.position.game, result.position
    best = result.stats(result.best) if result.best is not None else None
    other = result.next_best
    rules = {rule: found.text for rule in ANSWERS if (found := result.answer(rule)) is not None}
    if best is not None:
        rules[result.settings.answer] = best.text
    kind = (game.players, game.range)
    refuted = next((s for s in result.actions if best and s.visits > best.visits and _is_lost(result, s)), None)
    higher = None
    if best is not None and best.value is not None:
        means = [s for s in result.actions if s.value is not None and s.value > best.value]
        higher = max(means, key=lambda s: s.value or 0.0, default=None)
    return {
        "game": game.title,
        "position": position.text,
        "player": position.player,
        "players": game.players,
        "range": list(game.range) if game.range else None,
        "situation": _situation(result),
        "confidence": result.settings.confidence,
        "value": result.value if result.visits else None,
        "proven": result.proven,
        "proven_word": proven_word(result.proven, *kind),
        "legal": len(result.actions),
        "visited": sum(s.visits > 0 for s in result.actions),
        "best": _facts(result, best) if best else None,
        "next": _facts(result, other) if other else None,
        "proven_actions": dict(Counter(w for s in result.actions if (w := proven_word(s.proven, *kind)))),
        "refuted": _facts(result, refuted) if refuted else None,
        "comparison": _comparison(result, best, other),
        "higher_value": _facts(result, higher) if higher else None,
        "rule": result.settings.answer,
        "by_rule": rules,
        "solver": result.settings.solver and not result.settings.open_loop,  # an open loop has no proofs
        "priors_from": _priors_from(result),
        "temperature": result.temperature,
        "leader_since": result.leader_since,
        "simulations_here": _total(result),
        "search": {
            "simulations": result.simulations,
            "seconds": result.seconds,
            "simulations_per_second": result.simulations_per_second,
            "visits": result.visits,
            "positions": result.nodes,
            "mean_depth": result.mean_depth,
            "max_depth": result.max_depth,
            "playout_length": result.playout_length,
            "stopped_by": result.stopped_by,
        },
    }


def _situation(result: "Result") -> str:
    if result.position.is_terminal:
        return "over"
    if result.position.player == CHANCE:
        return "chance"
    if result.best is None:
        return "not searched"
    return "one action" if len(result.actions) == 1 else "choice"


def _priors_from(result: "Result") -> str | None:
    """Who says how much attention an action deserves before any search; None where the policy does not ask."""
    settings = result.settings
    if not settings.policy.by_prior or not uses_priors(settings):
        return None
    if isinstance(settings.evaluator, Network | Outside):
        return "network" if isinstance(settings.evaluator, Network) else "evaluator"
    return "game" if result.position.game.has("priors") else None


def _is_lost(result: "Result", stats: "ActionStats") -> bool:
    limits = result.position.game.range
    return stats.proven is not None and limits is not None and stats.proven <= limits[0]


def _facts(result: "Result", stats: "ActionStats") -> dict[str, Any]:
    """One action; `interval` only where it means something."""
    game, total = result.position.game, sum(s.visits for s in result.actions)
    interval = _interval(result, stats)
    end, through_chance = result.position, False
    for action in stats.line:
        through_chance = through_chance or end.player == CHANCE
        end = end.play(action)
    return {
        "action": stats.text,
        "number": stats.action,
        "visits": stats.visits,
        "share": stats.visits / total if total else 0.0,
        "value": stats.value,
        "interval": list(interval) if interval else None,
        "prior": stats.prior,
        "proven": stats.proven,
        "proven_word": proven_word(stats.proven, game.players, game.range),
        "line": result.line_text(stats.line[:LINE_SHOWN]),
        "line_length": len(stats.line),
        "line_ends_game": end.is_terminal,
        "line_through_chance": through_chance,
    }


def _interval(result: "Result", stats: "ActionStats") -> tuple[float, float] | None:
    """The interval, unless visits are few, or all brought the same: a spread not seen may be there all the same."""
    if stats.proven is None and (stats.visits < FEW or not stats.error):
        return None
    return stats.interval(result.z, result.position.game.range)


def _comparison(result: "Result", best: "ActionStats | None", other: "ActionStats | None") -> str | None:
    if best is None or other is None or best.value is None or other.value is None:
        return None
    limits = result.position.game.range
    if best.proven is not None:
        if other.proven is not None and best.proven == other.proven:
            return "equal"
        if limits is not None and best.proven >= limits[1]:
            return "proven"
        if all(s.proven is not None and s.proven <= best.proven for s in result.actions):
            return "proven"
    if best.value < other.value:
        return "behind"
    mine, theirs = _interval(result, best), _interval(result, other)
    if mine is None or theirs is None:
        return "unknown"
    if mine[0] > theirs[1]:
        return "clear"
    return "toss-up" if theirs[0] <= best.value <= theirs[1] and mine[0] <= other.value <= mine[1] else "lead"


def _total(result: "Result") -> int | None:
    """Simulations since the position was set, which `leader_since` counts in; None where the result can't tell."""
    if result.total is not None:
        return result.total
    return result.simulations if result.simulations == result.visits else None


# The words.


def render(data: dict[str, Any]) -> str:
    """The facts of `explain_data` in plain words: short paragraphs, the decision first."""
    writers = {"over": _over, "chance": _chance, "not searched": _not_searched, "one action": _one, "choice": _choice}
    paragraphs = writers[data["situation"]](data)
    written = (" ".join(sentence for sentence in sentences if sentence) for sentences in paragraphs)
    return "\n\n".join(paragraph for paragraph in written if paragraph)


def _over(data: dict[str, Any]) -> list[list[str]]:
    return [["The game is over here: there is nothing to choose."]]


def _chance(data: dict[str, Any]) -> list[list[str]]:
    return [["Chance moves next here: nobody chooses. Play an outcome, then search on."]]


def _not_searched(data: dict[str, Any]) -> list[list[str]]:
    actions = count(data["legal"], "legal action")
    return [
        [f"Nothing has been searched here yet ({actions}), so there is no answer to explain. Run the search first."]
    ]


def _one(data: dict[str, Any]) -> list[list[str]]:
    best = data["best"]
    return [
        [f"{clean(best['action'])} is the only legal action.", *_worth(data, best, "It"), _line(best)],
        _effort(data),
    ]


def _choice(data: dict[str, Any]) -> list[list[str]]:
    best, other = data["best"], data["next"]
    first = [
        f"Of {data['legal']:,} legal actions the search chooses {clean(best['action'])}: it got {_visits(best)}.",
        *_worth(data, best, "It"),
        _line(best),
    ]
    second = []
    if other is not None:
        second = [
            f"Next best is {clean(other['action'])}, with {_visits(other)}.",
            *_worth(data, other, "It", scale=False),
            _line(other),
            _compared(data),
        ]
    elif data["proven"] is not None:
        second = ["No other action had to be tried."]
    else:
        second = ["No other action has been tried yet, so nothing can be said about them."]
    return [first, second, _proofs(data), _rule(data), _stood(data), _effort(data)]


def _visits(facts: dict[str, Any]) -> str:
    return f"{count(facts['visits'], 'visit')}, {percent(facts['share'])} of all"


def _worth(data: dict[str, Any], facts: dict[str, Any], subject: str, scale: bool = True) -> list[str]:
    """What an action is worth: exactly, or on average with how sure that is."""
    whose = f" for {who(data['player'])}, who moves" if data["players"] > 1 else ""
    if facts["proven"] is not None:
        return [f"{subject} is proven to be {_exactly(data, facts)}{whose if scale else ''}."]
    said = f"{subject} is worth {number(facts['value'])} on average{whose if scale else ''}"
    if scale:
        said += _scale(data)
    if facts["interval"] is None:
        few = facts["visits"] < FEW
        why = (
            "with so few visits that is a rough guess" if few else "every visit brought the same, but that is no proof"
        )
        return [f"{said}; {why}."]
    low, high = facts["interval"]
    sure = f"the {100 * data['confidence']:g}% interval is {number(low)} to {number(high)}"
    return [f"{said}; {sure}."]


def _exactly(data: dict[str, Any], facts: dict[str, Any]) -> str:
    word = facts["proven_word"]
    if word in ("win", "loss", "draw"):
        return f"a {word}"
    value = number(facts["proven"])
    if word in ("best possible", "worst possible"):
        return f"worth {value}, the {word.split()[0]} that this game allows"
    return f"worth exactly {value}"


def _scale(data: dict[str, Any]) -> str:
    if data["range"] is None:
        return ""
    low, high = data["range"]
    return f", on a scale from {number(low)} (the worst) to {number(high)} (the best)"


def _line(facts: dict[str, Any]) -> str:
    if facts["line_length"] < 2:
        return "It ends the game." if facts["line_ends_game"] else ""
    line = " ".join(clean(text) for text in facts["line"])
    chance = " (with the outcomes seen most where chance moves)" if facts["line_through_chance"] else ""
    if facts["line_length"] > LINE_SHOWN:
        return f"The play that the search expects{chance}: {line} …"
    return (
        f"The play that the search expects{chance}: {line}{', which ends the game' if facts['line_ends_game'] else ''}."
    )


def _compared(data: dict[str, Any]) -> str:
    best, other = clean(data["best"]["action"]), clean(data["next"]["action"])
    return {
        "proven": f"Nothing can be better than {best}: that is proven, not estimated.",
        "equal": f"Both are proven and worth the same: {other} would do just as well.",
        "clear": f"This is a clear lead: the intervals of {best} and {other} do not overlap.",
        "lead": f"{best} is ahead, but the intervals overlap: more simulations could still turn it round.",
        "toss-up": "On these numbers it is a toss-up: each value lies within the other's interval.",
        "behind": f"The value of {best} is the lower of the two; what decided is told below.",
        "unknown": "How sure the difference is can't be told from these visits.",
        None: "",
    }[data["comparison"]]


def _proofs(data: dict[str, Any]) -> list[str]:
    """What is proven: of the whole position, of the actions, and what a proof has put aside."""
    said = []
    if data["proven"] is not None:
        whose = f" for {who(data['player'])}" if data["players"] > 1 else ""
        said.append(
            f"The position itself is solved: with best play it is {_exactly(data, data)}{whose}, and more simulations "
            f"can't change that."
        )
    if data["proven_actions"]:
        names = {"win": "wins", "loss": "losses", "draw": "draws"}
        kinds = (
            count(n, word, names[word]) if word in names else f"{n:,} worth {word}"
            for word, n in data["proven_actions"].items()
        )
        said.append(f"Proven so far among the {data['legal']:,} actions: {', '.join(kinds)}.")
    refuted = data["refuted"]
    if refuted is not None:
        said.append(
            f"{clean(refuted['action'])} was visited more often ({count(refuted['visits'], 'visit')}), but is proven "
            f"to be {_exactly(data, refuted)}."
        )
    return said


RULES = {
    "visits": "the most visited action, since the search comes back most often to what keeps doing well",
    "value": "the action of highest average value, however often it was tried",
    "bound": "the action whose value is highest even at the lower end of its interval, which distrusts few visits",
    "proof": "an exact value before an estimate that is no higher, and the most visited action among estimates",
}


def rule_meant(data: dict[str, Any]) -> str:
    """The rule that describes how the answer was chosen. With one player, what is proven gets no more visits: by
    'visits' it is compared as by 'proof'."""
    alone = data["players"] == 1 and data["solver"] and data["rule"] == "visits"
    return "proof" if alone else str(data["rule"])


def _rule(data: dict[str, Any]) -> list[str]:
    """By which rule the answer was chosen, and which other rule would have chosen otherwise."""
    best, rule = data["best"], data["rule"]
    if data["proven"] is not None or data["comparison"] == "proven":
        return []
    said = [f"The rule for the answer is '{rule}': {RULES[rule_meant(data)]}."]
    if data["solver"]:
        said.append("A proven win is always taken, a proven loss avoided.")
    higher = data["higher_value"]
    if higher is not None and rule != "value":
        why = {
            "visits": "the search has not come back to it as often, so its average may owe more to luck",
            "bound": "the lower end of its interval is lower",
            "proof": "it was visited less, or is not proven",
        }[rule]
        if higher["visits"] >= best["visits"]:
            why = "the rule weighs other things first"
        said.append(
            f"By average value alone it would be {clean(higher['action'])} ({number(higher['value'])} after "
            f"{count(higher['visits'], 'visit')}); {why}."
        )
    elif rule != "visits" and data["by_rule"].get("visits") not in (None, best["action"]):
        said.append(f"By visits it would be {clean(data['by_rule']['visits'])}: here the rules disagree.")
    if data["priors_from"] is not None and data["next"] is not None:
        other = data["next"]
        said.append(
            f"Before any search the {data['priors_from']} gave {clean(best['action'])} {percent(best['prior'])} of the "
            f"attention and {clean(other['action'])} {percent(other['prior'])}; visits follow that until values speak."
        )
    if data["temperature"] > 0:
        said.append(
            f"This is the answer without chance; at temperature {data['temperature']:g}, choose() draws among the "
            f"actions by their visits."
        )
    return said


def _stood(data: dict[str, Any]) -> list[str]:
    """Since which simulation the choice has stood."""
    best, since, total = clean(data["best"]["action"]), data["leader_since"], data["simulations_here"]
    if since <= 0:
        return [f"{best} has been the choice from the beginning, with what the tree held already."]
    of = f" of {total:,}" if total is not None else ""
    said = [f"{best} has been the choice since simulation {since:,}{of}."]
    if total is not None and data["proven"] is None and data["comparison"] != "proven" and since > 0.8 * total:
        said.append("That is late: with more simulations the choice may well change again.")
    return said


STOPS = {
    "seconds": "It stopped when the time was up.",
    "nodes": "It stopped at its limit of positions.",
    "bytes": "It stopped at its limit of memory.",
    "stop": "It was stopped by hand.",
    "proven": "It stopped because nothing was left to find out.",
    "decided": "It stopped early, since nothing could have overtaken the choice in the simulations that were left.",
}


def _effort(data: dict[str, Any]) -> list[str]:
    """How much the search looked at."""
    search = data["search"]
    if not search["simulations"]:
        return [
            f"No simulations were run for this answer; it comes from {count(search['visits'], 'visit')} made before."
        ]
    speed = f" in {duration(search['seconds'])}" if search["seconds"] > 0 else ""
    said = [
        f"The search ran {count(search['simulations'], 'simulation')}{speed}, going {search['mean_depth']:.1f} actions "
        f"deep into the tree on average and {search['max_depth']} at most.",
        f"The tree holds {count(search['positions'], 'position')}.",
    ]
    if search["visits"] > search["simulations"]:
        said.append(f"Together with earlier work the position has {count(search['visits'], 'visit')}.")
    if search["stopped_by"] in STOPS:
        said.append(STOPS[search["stopped_by"]])
    if data["best"]["interval"] is not None and data["best"]["proven"] is None:
        said.append("Intervals count each visit as an independent try, so they are a guide and no guarantee.")
    return said
