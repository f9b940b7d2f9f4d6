"""Why this action and not the next best, in words: the facts of `explain_data`, sentence by sentence.

The sentences of a language stand in its table (`words_en`, `words_zh`); which of them are used is decided here, for
all languages.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .facts import FEW, LINE_SHOWN, ActionFacts, ChoiceFacts, ForestFacts, explain_data
from .language import Language, language_of
from .words import clean, duration, number, percent

if TYPE_CHECKING:
    from playout.search.result import Result

EXACT = {
    "win": "exactly_win",
    "loss": "exactly_loss",
    "draw": "exactly_draw",
    "best possible": "exactly_best",
    "worst possible": "exactly_worst",
}
# The names of one and of several, by `proven_word`; any other is a value.
KINDS = {
    "win": ("kind_win", "kind_wins"),
    "loss": ("kind_loss", "kind_losses"),
    "draw": ("kind_draw", "kind_draws"),
    "best possible": ("kind_best", "kind_best"),
    "worst possible": ("kind_worst", "kind_worst"),
}
LATE = 0.8  # a choice that stands since a later share of the simulations may well change again


def explain(result: "Result", language: str = "en") -> str:
    """Why this action and not the next best, in words."""
    return render(explain_data(result), language)


def render(data: ChoiceFacts, language: str = "en", names: Sequence[str] = ()) -> str:
    """The facts of `explain_data` in words: short paragraphs, the decision first. `language` is "en" or "zh"; `names`
    are those of the players."""
    say, best = language_of(language).naming(names), data["best"]
    if data["situation"] == "over":
        return say.text([[say("over")]])
    if data["situation"] == "chance":
        return say.text([[say("chance_next"), say("play_outcome")]])
    if best is None:
        legal = say.count(data["legal"], "legal_action")
        return say.text([[say("not_searched", legal=legal), say("run_first")]])
    if data["situation"] == "one action":
        only = say("only_action", action=clean(best["action"]))
        said = [only, _worth(say, data, best), _results(say, best), _line(say, best)]
        return say.text([said, _found(say, data, best), _effort(say, data, best)])
    return say.text(
        [
            _chosen(say, data, best),
            _next(say, data, best),
            _proofs(say, data),
            _rule(say, data, best),
            _stood(say, data, best) if data["trees"] is None else _trees(say, data["trees"], best),
            _found(say, data, best),
            _effort(say, data, best),
        ]
    )


def _chosen(say: Language, data: ChoiceFacts, best: ActionFacts) -> list[str]:
    legal = say.count(data["legal"], "legal_action")
    worth = [_worth(say, data, best), _results(say, best)]
    return [say("chosen", legal=legal, **_visits(say, best)), *worth, _line(say, best)]


def _next(say: Language, data: ChoiceFacts, best: ActionFacts) -> list[str]:
    """The next best action, and how the two compare."""
    other = data["next"]
    if other is None:
        return [say("others_not_tried" if data["proven"] is None else "others_not_needed")]
    worth = [_worth(say, data, other, first=False), _results(say, other)]
    said = [say("next", **_visits(say, other)), *worth, _line(say, other)]
    if data["comparison"] is not None:
        texts = {"best": clean(best["action"]), "other": clean(other["action"])}
        said.append(say(f"compared_{data['comparison']}", **texts))
    return said


def _visits(say: Language, facts: ActionFacts) -> dict[str, str]:
    return {
        "action": clean(facts["action"]),
        "visits": say.count(facts["visits"], "visit"),
        "share": percent(facts["share"]),
    }


def _worth(say: Language, data: ChoiceFacts, facts: ActionFacts, first: bool = True) -> str:
    """An action's value: exact, or the mean with how sure it is. Whose value and the scale are given the first time."""
    whose = say("for_who_moves", who=say.who(data["player"])) if first and data["players"] > 1 else ""
    if facts["proven"] is not None:
        return say("worth_proven", whose=whose, exactly=_exactly(say, facts))
    scale = ""
    if first and data["range"] is not None:
        scale = say("scale", low=number(data["range"][0]), high=number(data["range"][1]))
    if facts["interval"] is not None:
        low, high = facts["interval"]
        sure = say("sure_interval", confidence=f"{100 * data['confidence']:g}", low=number(low), high=number(high))
    else:
        sure = say("sure_few" if facts["visits"] < FEW else "sure_same")
    return say("worth", value=number(facts["value"]), whose=whose, scale=scale, sure=sure)


def _exactly(say: Language, facts: ActionFacts | ChoiceFacts) -> str:
    return say(EXACT.get(facts["proven_word"] or "", "exactly_value"), value=number(facts["proven"]))


def _results(say: Language, facts: ActionFacts) -> str:
    """The games that an action won, drew and lost, where they are counted."""
    if facts["wdl"] is None:
        return ""
    wins, draws, losses = (f"{n:,}" for n in facts["wdl"])
    return say("results", wins=wins, draws=draws, losses=losses)


def _line(say: Language, facts: ActionFacts) -> str:
    """The play that is expected after an action."""
    if facts["line_length"] < 2:
        return say("ends_game") if facts["line_ends_game"] else ""
    name = "line_ends_game" if facts["line_ends_game"] else "line"
    if facts["line_length"] > LINE_SHOWN:
        name = "line_goes_on"
    chance = say("line_chance") if facts["line_through_chance"] else ""
    return say(name, chance=chance, line=" ".join(clean(text) for text in facts["line"]))


def _proofs(say: Language, data: ChoiceFacts) -> list[str]:
    """What is proven: the position, actions, and the action that a proof has ruled out."""
    said, refuted = [], data["refuted"]
    if data["proven"] is not None:
        whose = say("for_player", who=say.who(data["player"])) if data["players"] > 1 else ""
        said.append(say("solved", exactly=_exactly(say, data), whose=whose))
    if data["proven_actions"]:
        kinds = say("comma").join(_kind(say, word, n) for word, n in data["proven_actions"].items())
        said.append(say("proven_actions", legal=say.count(data["legal"], "legal_action"), kinds=kinds))
    if refuted is not None:
        visits = say.count(refuted["visits"], "visit")
        said.append(say("refuted", action=clean(refuted["action"]), visits=visits, exactly=_exactly(say, refuted)))
    return said


def _kind(say: Language, word: str, n: int) -> str:
    return say.count(n, *KINDS[word]) if word in KINDS else say("kind_value", n=f"{n:,}", value=word)


def _rule(say: Language, data: ChoiceFacts, best: ActionFacts) -> list[str]:
    """The rule by which the answer was chosen, and what other rules would have chosen."""
    rule, higher, other = data["rule"], data["higher_value"], data["next"]
    if data["proven"] is not None or data["comparison"] == "proven":
        return []
    said = [say("rule", rule=rule, meaning=say(f"rule_{_rule_meant(data)}"))]
    if data["solver"]:
        said.append(say("solver"))
    if higher is not None and rule != "value":
        why = say("why_other" if higher["visits"] >= best["visits"] else f"why_{rule}")
        facts = {"value": number(higher["value"]), "visits": say.count(higher["visits"], "visit")}
        said.append(say("higher_value", action=clean(higher["action"]), why=why, **facts))
    elif rule != "visits" and data["by_rule"].get("visits") not in (None, best["action"]):
        said.append(say("rules_disagree", action=clean(data["by_rule"]["visits"])))
    if data["priors_from"] is not None and other is not None:
        texts = {"best": clean(best["action"]), "other": clean(other["action"])}
        priors = {"best_prior": percent(best["prior"]), "other_prior": percent(other["prior"])}
        said.append(say("priors", source=say(f"source_{data['priors_from']}"), **texts, **priors))
    if data["temperature"] > 0:
        weights = say("weights_improved" if rule == "gumbel" else "weights_visits")
        said.append(say("temperature", temperature=f"{data['temperature']:g}", weights=weights))
    return said


def _rule_meant(data: ChoiceFacts) -> str:
    """The rule that describes how the answer was chosen. With one player, what is proven gets no more visits: by
    'visits' it is compared as by 'proof'."""
    alone = data["players"] == 1 and data["solver"] and data["rule"] == "visits"
    return "proof" if alone else data["rule"]


def _stood(say: Language, data: ChoiceFacts, best: ActionFacts) -> list[str]:
    """Since which simulation the choice has stood."""
    text, since, total = clean(best["action"]), data["leader_since"], data["simulations_here"]
    if since <= 0:
        return [say("since_beginning", best=text)]
    if total is None:
        return [say("since", best=text, since=f"{since:,}")]
    said = [say("since_of", best=text, since=f"{since:,}", total=f"{total:,}")]
    if data["proven"] is None and data["comparison"] != "proven" and since > LATE * total:
        said.append(say("late"))
    return said


def _trees(say: Language, trees: ForestFacts, best: ActionFacts) -> list[str]:
    """What each of several trees would choose by itself, and how far apart their values are."""
    text, preferred, roots = clean(best["action"]), trees["preferred"], say.count(trees["roots"], "grown_tree")
    if len(preferred) == 1 and preferred[0]["number"] == best["number"]:
        said = [say("trees_agree", roots=roots, best=text)]
    else:
        names = [(clean(one["action"]), one["roots"]) for one in preferred]
        each = [say("tree_prefers" if n == 1 else "trees_prefer", n=f"{n:,}", action=name) for name, n in names]
        said = [say("trees_disagree", roots=roots, each=say("comma").join(each))]
        if preferred[0]["number"] != best["number"]:
            said.append(say("trees_outvoted", best=text))
    if trees["values"] is not None:
        low, high = trees["values"]
        said.append(say("trees_values", best=text, low=number(low), high=number(high)))
    return said


def _found(say: Language, data: ChoiceFacts, best: ActionFacts) -> list[str]:
    """The best complete line seen anywhere, and how it differs from the choice."""
    found = data["best_found"]
    if found is None:
        return []
    line = " ".join(clean(text) for text in found["line"]) + (" …" if found["line_length"] > LINE_SHOWN else "")
    said = [say("found", value=number(found["value"]), line=line)]
    if found["simulation"] is not None:
        said.append(say("found_by", simulation=f"{found['simulation']:,}"))
    if found["number"] != best["number"]:
        said.append(say("found_other", best=clean(best["action"]), action=clean(found["line"][0])))
    return said


def _effort(say: Language, data: ChoiceFacts, best: ActionFacts) -> list[str]:
    """How much the search looked at, and why it stopped."""
    search = data["search"]
    visits = say.count(search["visits"], "visit")
    if not search["simulations"]:
        return [say("no_simulations", visits=visits)]
    simulations = say.count(search["simulations"], "simulation")
    depths = {"mean": f"{search['mean_depth']:.1f}", "most": search["max_depth"]}
    time = duration(search["seconds"])
    said = [say("ran_in" if search["seconds"] > 0 else "ran", simulations=simulations, time=time, **depths)]
    said.append(say("tree" if data["trees"] is None else "trees", positions=say.count(search["nodes"], "position")))
    if search["visits"] > search["simulations"]:
        said.append(say("earlier", visits=visits))
    if (stop := f"stop_{search['stopped_by']}") in say:
        said.append(say(stop))
    if best["interval"] is not None and best["proven"] is None:
        said.append(say("intervals"))
    return said
