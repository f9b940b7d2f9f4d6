# ruff: noqa: RUF001  # Chinese punctuation
"""The built-in explanations in Chinese: of a choice, sentence by sentence as in `report.explain`, and of a step."""

from typing import Any

from playout.game import CHANCE, TERMINAL
from playout.report.explain import FEW, LINE_SHOWN, rule_meant
from playout.report.words import clean, duration, number, percent
from playout.search.step import Step


def explained(data: dict[str, Any]) -> str:
    """The facts of `explain_data` in words."""
    writers = {"over": _over, "chance": _chance, "not searched": _not_searched, "one action": _one, "choice": _choice}
    paragraphs = ("".join(sentences) for sentences in writers[data["situation"]](data))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def who(player: int) -> str:
    return "无人" if player == TERMINAL else "随机" if player == CHANCE else f"玩家 {player + 1} "


def _over(data: dict[str, Any]) -> list[list[str]]:
    return [["对局在此结束，没有可选的行动。"]]


def _chance(data: dict[str, Any]) -> list[list[str]]:
    return [["接下来是随机事件，没有人选择。先走一个随机结果，再继续搜索。"]]


def _not_searched(data: dict[str, Any]) -> list[list[str]]:
    return [[f"此处尚未搜索（{data['legal']:,} 个合法行动），没有可解释的选择。请先运行搜索。"]]


def _one(data: dict[str, Any]) -> list[list[str]]:
    best = data["best"]
    return [[f"{clean(best['action'])} 是唯一的合法行动。", _worth(data, best), _line(best)], _effort(data)]


def _choice(data: dict[str, Any]) -> list[list[str]]:
    best, other = data["best"], data["next"]
    first = [
        f"在 {data['legal']:,} 个合法行动中，搜索选择 {clean(best['action'])}：{_visits(best)}。",
        _worth(data, best),
        _line(best),
    ]
    if other is not None:
        second = [
            f"其次是 {clean(other['action'])}：{_visits(other)}。",
            _worth(data, other, first=False),
            _line(other),
            _compared(data),
        ]
    elif data["proven"] is not None:
        second = ["其他行动不必再试。"]
    else:
        second = ["其他行动尚未试过，无法评价。"]
    return [first, second, _proofs(data), _rule(data), _stood(data), _effort(data)]


def _visits(facts: dict[str, Any]) -> str:
    return f"访问 {facts['visits']:,} 次，占 {percent(facts['share'])}"


def _worth(data: dict[str, Any], facts: dict[str, Any], first: bool = True) -> str:
    """What an action is worth; the first time it says for whom and on which scale."""
    whose = f"对轮到行动的{who(data['player'])}而言，" if first and data["players"] > 1 else ""
    if facts["proven"] is not None:
        return f"{whose}已证明它{_exactly(data, facts)}。"
    said = f"{whose}它的平均价值为 {number(facts['value'])}"
    if first and data["range"] is not None:
        said += f"（最差 {number(data['range'][0])}，最好 {number(data['range'][1])}）"
    if facts["interval"] is None:
        few = facts["visits"] < FEW
        return said + ("；访问太少，只是粗略估计。" if few else "；每次访问结果都相同，但这不是证明。")
    low, high = facts["interval"]
    return f"{said}；{100 * data['confidence']:g}% 区间为 {number(low)} 至 {number(high)}。"


def _exactly(data: dict[str, Any], facts: dict[str, Any]) -> str:
    words = {"win": "必胜", "loss": "必败", "draw": "是和局"}
    value, word = number(facts["proven"]), facts["proven_word"]
    if word in ("best possible", "worst possible"):
        return f"价值为 {value}，是本游戏可能的{'最好' if word.startswith('best') else '最差'}结果"
    return words.get(word, f"价值恰为 {value}")


def _line(facts: dict[str, Any]) -> str:
    ends = facts["line_ends_game"]
    if facts["line_length"] < 2:
        return "它结束对局。" if ends else ""
    line = " ".join(clean(text) for text in facts["line"])
    chance = "（随机处取见得最多的结果）" if facts["line_through_chance"] else ""
    if facts["line_length"] > LINE_SHOWN:
        return f"搜索预期的着法{chance}：{line} 等。"
    return f"搜索预期的着法{chance}：{line}{'，对局随之结束' if ends else ''}。"


def _compared(data: dict[str, Any]) -> str:
    best, other = clean(data["best"]["action"]), clean(data["next"]["action"])
    return {
        "proven": f"没有比 {best} 更好的：这是证明，不是估计。",
        "equal": f"两者都已证明且价值相同：{other} 也一样好。",
        "clear": f"领先是明确的：{best} 与 {other} 的区间不重叠。",
        "lead": f"{best} 领先，但区间重叠：更多模拟仍可能改变结果。",
        "toss-up": "从这些数字看难分高下：各自的价值都落在对方的区间内。",
        "behind": f"{best} 的价值是两者中较低的；决定因素见下文。",
        "unknown": "从这些访问还无法判断差别有多可靠。",
        None: "",
    }[data["comparison"]]


def _proofs(data: dict[str, Any]) -> list[str]:
    said = []
    if data["proven"] is not None:
        whose = f"对{who(data['player'])}" if data["players"] > 1 else ""
        said.append(f"该局面已解出：最佳应对下{whose}{_exactly(data, data)}，更多模拟也不会改变。")
    if data["proven_actions"]:
        names = {"win": "胜", "loss": "败", "draw": "和", "best possible": "最好结果", "worst possible": "最差结果"}
        kinds = "，".join(f"{n:,} 个{names.get(word, f'价值 {word}')}" for word, n in data["proven_actions"].items())
        said.append(f"{data['legal']:,} 个行动中已证明：{kinds}。")
    refuted = data["refuted"]
    if refuted is not None:
        said.append(
            f"{clean(refuted['action'])} 访问更多（{refuted['visits']:,} 次），但已证明{_exactly(data, refuted)}。"
        )
    return said


RULES = {
    "visits": "取访问最多的行动，因为搜索最常回到一直表现好的行动",
    "value": "取平均价值最高的行动，不论试过多少次",
    "bound": "取区间下端价值最高的行动，不轻信访问少的行动",
    "proof": "精确价值先于不更高的估计，估计之中取访问最多的行动",
}


def _rule(data: dict[str, Any]) -> list[str]:
    best, rule = data["best"], data["rule"]
    if data["proven"] is not None or data["comparison"] == "proven":
        return []
    said = [f"选择规则是“{rule}”：{RULES[rule_meant(data)]}。"]
    if data["solver"]:
        said.append("已证明的胜着必取，已证明的败着必避。")
    higher = data["higher_value"]
    if higher is not None and rule != "value":
        why = {
            "visits": "但搜索没有那么常回到它，其均值可能更多出于运气",
            "bound": "但其区间下端更低",
            "proof": "但它访问较少，或未经证明",
        }[rule]
        if higher["visits"] >= best["visits"]:
            why = "但规则先看别的"
        said.append(
            f"若只看平均价值会选 {clean(higher['action'])}（{higher['visits']:,} 次访问后为 "
            f"{number(higher['value'])}），{why}。"
        )
    elif rule != "visits" and data["by_rule"].get("visits") not in (None, best["action"]):
        said.append(f"若看访问次数会选 {clean(data['by_rule']['visits'])}：此处各规则不一致。")
    if data["priors_from"] is not None and data["next"] is not None:
        other, source = data["next"], {"network": "神经网络", "evaluator": "评估函数", "game": "游戏"}
        said.append(
            f"搜索之前，{source[data['priors_from']]}给 {clean(best['action'])} {percent(best['prior'])} 的关注，给 "
            f"{clean(other['action'])} {percent(other['prior'])}；在价值说话之前，访问随之分配。"
        )
    if data["temperature"] > 0:
        said.append(f"这是不带随机的选择；温度为 {data['temperature']:g} 时，choose() 按访问次数在行动中抽取。")
    return said


def _stood(data: dict[str, Any]) -> list[str]:
    best, since, total = clean(data["best"]["action"]), data["leader_since"], data["simulations_here"]
    if since <= 0:
        return [f"凭树中已有的内容，{best} 从一开始就是首选。"]
    of = f"（共 {total:,} 次）" if total is not None else ""
    said = [f"自第 {since:,} 次模拟起，{best} 一直是首选{of}。"]
    if total is not None and data["proven"] is None and data["comparison"] != "proven" and since > 0.8 * total:
        said.append("这已是后期：更多模拟很可能再次改变选择。")
    return said


STOPS = {
    "seconds": "时间到了，搜索停止。",
    "nodes": "达到局面数上限，搜索停止。",
    "bytes": "达到内存上限，搜索停止。",
    "stop": "搜索被手动停止。",
    "proven": "已无可探查之处，搜索停止。",
    "decided": "余下的模拟已无法改变选择，搜索提前停止。",
}


def _effort(data: dict[str, Any]) -> list[str]:
    search = data["search"]
    if not search["simulations"]:
        return [f"没有为此回答运行模拟；它来自此前的 {search['visits']:,} 次访问。"]
    speed = f"，用时 {duration(search['seconds'])}" if search["seconds"] > 0 else ""
    said = [
        f"搜索进行了 {search['simulations']:,} 次模拟{speed}，在树中平均深入 {search['mean_depth']:.1f} 步，最深 "
        f"{search['max_depth']} 步。",
        f"树中共有 {search['positions']:,} 个局面。",
    ]
    if search["visits"] > search["simulations"]:
        said.append(f"连同此前的工作，该局面共有 {search['visits']:,} 次访问。")
    said.append(STOPS.get(search["stopped_by"], ""))
    if data["best"]["interval"] is not None and data["best"]["proven"] is None:
        said.append("区间把每次访问当作独立的尝试，仅供参考，并非保证。")
    return said


ENDINGS = {
    "new": "新局面",
    "finished": "对局已结束",
    "proven": "精确价值已知",
    "root": "根节点本身",
    "met": "该局面已有节点",
    "known": "该局面见过，再评估一次",
    "cycle": "回到路径上的局面",
}
WHAT = {"node": "节点", "edge": "边", "tree": "整棵树"}
FIELDS = {
    "visits": "访问",
    "value": "价值",
    "spread": "离差",
    "proven": "已证明",
    "own": "自身价值",
    "opened": "已展开子节点",
    "least": "所见最小",
    "greatest": "所见最大",
}


def stepped(step: Step) -> str:
    """One simulation in its four phases, as `str(step)` tells it."""
    lines = [f"第 {step.simulation} 次模拟", "1. 选择"]
    for choice in step.selection:
        lines.append(f"   {who(choice.player)}在 {choice.position or '起始局面'} 取 {choice.text}")
        for edge in choice.edges:
            terms = f"{edge.value_term:.4g} + {edge.exploration_term:.4g} = {edge.score:.4g}"
            lines.append(f"     {'*' if edge.chosen else ' '} {edge.text:<8} 访问 {edge.visits:<6} {terms}")
    grown = step.expansion
    lines.append("2. 扩展：" + (f"{grown.position} 有 {len(grown.actions)} 条边" if grown else "无"))
    for playout in step.playouts:
        lines.append(f"3. 模拟对局：{' '.join(playout.actions) or '无'} -> {_numbers(playout.returns)}")
    if not step.playouts:
        lines.append(f"3. 评估：{ENDINGS.get(step.ending, step.ending)}")
    lines += [f"   回报 {_numbers(step.returns)}", "4. 回传"]
    for change in step.backup:
        where = " ".join(change.path) or "根"
        numbers = f"{_number(change.before)} -> {_number(change.after)}"
        lines.append(f"   {WHAT[change.what]} {where}：{FIELDS.get(change.field, change.field)} {numbers}")
    return "\n".join(lines)


def _number(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _numbers(values: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{v:g}" for v in values) + ")"
