# ruff: noqa: RUF001  # Chinese punctuation
"""How to search, as one frozen dataclass that can be written as JSON and read back (`to_dict`, `from_dict`).

Each field is declared once, see `playout.common.declare`; the checks here are those between fields.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from playout import backups, policies
from playout.backups import Backup, Mean
from playout.common.arguments import did_you_mean
from playout.common.declare import (
    ON_OFF,
    THREADS,
    Declaration,
    Text,
    check_fields,
    choice,
    declarations,
    flag,
    number,
    setting,
    whole,
    word,
)
from playout.core.columns import WDL
from playout.core.params import Params
from playout.errors import SettingsError
from playout.game import Game
from playout.parts.part import Part, from_saved, is_own, kind_of
from playout.policies import UCT, Parent, Policy

from .kinds import (
    ANSWERS,
    All,
    Falling,
    Forced,
    Gumbel,
    Halving,
    Mixed,
    Network,
    Noise,
    OneAtATime,
    Outside,
    Rollouts,
    Static,
    Widening,
    check_fast,
    is_fast,
)
from .params import kernel_params

MOST_ROOTS = 256


MOST_THREADS = 256


@setting
class Settings:
    """How to search. What is None follows from the policy or the game."""

    policy: Policy = choice(
        default=UCT(),
        words=policies.BUILT_IN,
        own=Policy,
        meaning=Text("how a child is selected", "如何选择子节点"),
    )
    backup: Backup = choice(
        default=Mean(),
        words=backups.BUILT_IN,
        own=Backup,
        meaning=Text(
            "what an edge makes of the returns it gets: their mean, the greatest, something between, or the mean "
            "beside the minimax of static values",
            "一条边如何汇总所得回报：平均值、最大值、介于两者之间，或平均值与静态估值的极小化极大值",
        ),
    )
    evaluator: Rollouts | Static | Mixed | Network | Outside = choice(
        default=Rollouts(),
        words={"rollouts": Rollouts, "static": Static, "mixed": Mixed, "network": Network},
        others=(Outside,),
        besides="a function",
        meaning=Text(
            "what a new position is worth: playouts, the game's static value, both, or a network's answer",
            "新局面的价值：模拟对局、游戏的静态估值、两者，或神经网络的回答",
        ),
    )
    expansion: All | OneAtATime | Widening = choice(
        default=All(),
        words={"all": All, "one": OneAtATime, "widening": Widening},
        meaning=Text(
            "which children a node has: all at once, one more each visit, or min(cap, initial + k N^alpha)",
            "节点有哪些子节点：一次全部、每次访问多一个，或 min(cap, initial + k N^alpha)",
        ),
    )
    unvisited: float | str | Parent | None = choice(
        default=None,
        words={"auto": None, "infinity": "infinity", "parent": Parent},
        number=True,
        meaning=Text(
            "score of a child never visited; auto: infinity for UCT, parent for PUCT",
            "从未访问的子节点的得分；auto：UCT 为无穷大，PUCT 为父节点价值",
        ),
    )
    answer: str = word(
        default="visits",
        words=tuple(ANSWERS),
        meaning=Text(
            "what makes an action the best: visits, value, lower confidence bound, or proof",
            "何为最佳行动：访问、价值、置信下界或证明",
        ),
    )
    solver: bool = flag(
        default=True,
        meaning=Text("prove positions exactly where finished games allow it", "在终局允许时精确证明局面"),
    )
    discount: float = number(
        default=1.0, above=0.0, most=1.0, meaning=Text("what a reward one step later is worth", "晚一步的奖励折算多少")
    )
    normalise: bool | None = flag(
        default=None,
        none="auto",
        meaning=Text(
            "scale values by the range seen; auto: when the game's is unknown",
            "按所见范围缩放价值；auto：游戏范围未知时",
        ),
    )
    root: Gumbel | Halving | Forced | None = choice(
        default=None,
        words={"plain": None, "gumbel": Gumbel, "halving": Halving, "forced": Forced},
        meaning=Text(
            "who chooses at the root: plain: the policy, as elsewhere; gumbel, halving: a plan that drops the worse "
            "half of the actions again and again, whatever expansion lets in elsewhere; forced: the policy, with a "
            "least number of visits",
            "根节点由谁选择：plain：与别处一样由策略；gumbel、halving：按计划逐轮淘汰较差的一半行动，"
            "不受 expansion 限制；forced：策略，但保证最少访问次数",
        ),
    )
    noise: Noise | None = choice(
        default=None,
        words={"off": None, "on": Noise},
        prefix="noise_",
        meaning=Text("Dirichlet noise on the root's priors", "根节点先验上的狄利克雷噪声"),
    )
    root_temperature: float = number(
        default=1.0,
        above=0.0,
        meaning=Text(
            "above 1, the root's priors are flatter: prior^(1 / temperature), before any noise",
            "大于 1 时根节点先验更平坦：先验^(1 / 温度)，先于噪声",
        ),
    )
    temperature: float | Falling = choice(
        default=0.0,
        words={"falling": Falling},
        number=True,
        least=0.0,
        prefix="temperature_",
        meaning=Text(
            "variety of the action that is played; 0: always the best; falling: for the first moves of a game",
            "所走行动的多样性；0：总是最佳；falling：只在开局几步",
        ),
    )
    confidence: float = number(
        default=0.95,
        above=0.0,
        most=0.999999,
        meaning=Text("of the intervals and of the lower confidence bound", "区间与置信下界的置信度"),
    )
    ties: str = word(
        default="random",
        words=("random", "first"),
        meaning=Text("how ties between equal scores are broken", "得分相同时如何区分"),
    )
    evaluate_root: bool = flag(
        default=False,
        meaning=Text("the first simulation evaluates the root itself", "第一次模拟评估根节点本身"),
    )
    early_stop: bool = flag(
        default=False,
        meaning=Text("stop when the best action can no longer be overtaken", "当最佳行动不可能再被超过时停止"),
    )
    outcomes: Widening | None = choice(
        default=None,
        words={"all": None, "widening": Widening},
        prefix="outcomes_",
        meaning=Text(
            "which outcomes of chance a node lets in: all, or min(cap, initial + k N^alpha) different ones",
            "节点允许哪些随机结果：全部，或 min(cap, initial + k N^alpha) 种",
        ),
    )
    open_loop: bool = flag(
        default=False,
        meaning=Text(
            "nodes stand for the actions played; chance is drawn again in each simulation",
            "节点代表所走的行动；每次下行重新抽取随机结果",
        ),
    )
    transpositions: bool | str = choice(
        default=False,
        words={**ON_OFF, "check": "check"},
        meaning=Text(
            "one node for each position, however it is reached; check: compare the positions of equal keys",
            "无论如何到达，每个局面一个节点；check：核对键相同的局面",
        ),
    )
    priors: bool | None = flag(
        default=None,
        none="auto",
        meaning=Text(
            "take and weigh actions by the priors of the game or the network; off: all the same; auto: on for puct, "
            "widening and gumbel",
            "按游戏或网络的先验选取并加权行动；off：一律相同；auto：puct、widening 与 gumbel 时启用",
        ),
    )

    wdl: bool = flag(
        default=False,
        meaning=Text(
            "count the games that each action won, drew and lost, by playouts to the end; won: all others got less",
            "统计每个行动的胜、和、负局数，模拟对局须走到终局；胜：其他玩家所得都更少",
        ),
    )
    roots: int = whole(
        default=1,
        least=1,
        most=MOST_ROOTS,
        unit=Text("trees", "棵树"),
        meaning=Text(
            "independent trees, searched on all cores and added up at the root; the same result on any number of cores",
            "独立的树，用所有核心搜索，并在根节点合并；不论多少核心，结果相同",
        ),
    )

    threads: int = whole(
        default=1,
        least=1,
        most=MOST_THREADS,
        unit=THREADS,
        meaning=Text(
            "threads that search one tree together; with more than one, the same seed does not give the same tree",
            "共同搜索一棵树的线程数；多于一个时，相同种子不会得到相同的树",
        ),
    )
    thread_loss: float = number(
        default=0.0,
        least=0.0,
        most=1.0,
        meaning=Text(
            "0: what another thread is simulating counts as a visit worth as much as those before; 1: as a loss",
            "0：其他线程正在模拟的访问按已有价值计；1：按输计",
        ),
    )

    def __post_init__(self) -> None:
        if callable(self.evaluator) and not dataclasses.is_dataclass(self.evaluator):
            object.__setattr__(self, "evaluator", Outside(self.evaluator))
        if self.unvisited == math.inf:
            object.__setattr__(self, "unvisited", "infinity")
        check_fields("", self)
        _check_together(self)

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON has them: each part with its kind and its fields."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], stand_in: bool = False) -> "Settings":
        """What `to_dict` gave. With `stand_in`, a user's part that was not defined here is replaced by a stand-in: such
        a search can be looked at, but not continued."""
        if not isinstance(data, Mapping):
            raise SettingsError(f"settings: from_dict got {data!r}, expected a dictionary as to_dict gives it")
        return cls(**{key: from_plain(cls, key, value, stand_in) for key, value in data.items()})

    @classmethod
    def from_saved(cls, data: Mapping[str, Any]) -> "Settings":
        """Settings as a file has them. In files older than `priors`, one child at a time was always taken by prior."""
        expansion = data.get("expansion")
        if "priors" not in data and isinstance(expansion, Mapping) and expansion.get("kind") == "OneAtATime":
            data = {**data, "priors": True}
        return cls.from_dict(data, stand_in=True)

    @property
    def rollouts(self) -> Rollouts | None:
        """The playouts, alone or inside of `Mixed`; None where there are none."""
        inner = self.evaluator.rollouts if isinstance(self.evaluator, Mixed) else self.evaluator
        return inner if isinstance(inner, Rollouts) else None

    def temperature_at(self, moves: int) -> float:
        """The temperature after `moves` moves of the game."""
        falling = self.temperature
        if isinstance(falling, Falling):
            return falling.first if moves < falling.moves else falling.then
        return falling

    def replace(self, **changes: Any) -> "Settings":
        """The same settings with some of them changed, by the names of the fields."""
        return dataclasses.replace(self, **changes)

    def params(self, game: Game) -> Params:
        """The numbers that the kernels see, for one game."""
        return kernel_params(self, game)


# As JSON.


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        kind = kind_of(type(value)) if isinstance(value, Part) else type(value).__name__
        return {"kind": kind, **fields}
    return named(value) if callable(value) else value


def named(function: Any) -> str:
    """A function by its name, for files and messages."""
    name = getattr(function, "__qualname__", None) or getattr(function, "name", None) or type(function).__name__
    return f"{getattr(function, '__module__', None) or '?'}:{name}"


def from_plain(cls: type[Any], key: str, value: Any, stand_in: bool = False) -> Any:
    """A field of a class of settings from its JSON form."""
    declared = dict(declarations(cls)).get(key, Declaration())
    if not isinstance(value, Mapping) or not declared.classes:
        return value
    name, fields = str(value.get("kind")), {k: v for k, v in value.items() if k != "kind"}
    if declared.own is not None and ":" in name:
        return from_saved(declared.own, name, fields, stand_in)
    kinds = {kind.__name__: kind for kind in declared.classes}
    if name not in kinds:
        hint = did_you_mean(name, kinds) if "kind" in value else ""
        raise SettingsError(f"settings: '{key}' is {value!r}, expected a 'kind' out of {', '.join(kinds)}{hint}")
    return kinds[name](**{k: from_plain(kinds[name], k, v) for k, v in fields.items()})


# Checks between fields.


def _check_together(s: Settings) -> None:
    if shared := set(s.policy.columns.names or ()) & set(s.backup.columns.names or ()):
        raise SettingsError(
            f"settings: {type(s.policy).__name__} and {type(s.backup).__name__} both have a column "
            f"'{min(shared)}'; give it another name in one of them"
        )
    if s.transpositions and not s.backup.graph:
        own = ", or set graph = True in the class if its values don't mind" if is_own(kind_of(type(s.backup))) else ""
        raise SettingsError(
            f"settings: {type(s.backup).__name__} can't be used with transpositions, where several edges lead to one "
            f"node; leave one of them off{own}"
        )
    if s.wdl:
        _check_wdl(s)
    if s.backup.below and s.open_loop:
        raise SettingsError(
            f"settings: {type(s.backup).__name__} compares the children of a position, and the nodes of an open loop "
            f"are not positions; leave one of them off"
        )
    if s.policy.amaf:
        _check_amaf(s)
    if s.threads > 1:
        _check_threads(s)
    if is_fast(s.evaluator):
        check_fast(s.evaluator)
    elif isinstance(s.evaluator, Network | Outside):
        _check_outside(s, s.evaluator)
    if s.rollouts is not None:
        chosen = [name for name in ("guided", "mast", "nst") if getattr(s.rollouts, name)]
        if len(chosen) > 1:
            raise SettingsError(
                f"settings: {' and '.join(chosen)} are on, but each says how playouts choose their actions (nst does "
                f"what mast does, and more); leave all but one off"
            )
    for name, widening in (("expansion", s.expansion), ("outcomes", s.outcomes)):
        if isinstance(widening, Widening) and widening.initial == 0 and widening.k == 0:
            raise SettingsError(f"settings: {name} has initial 0 and k 0, which lets nothing in; expected one above 0")
    if isinstance(s.root, Gumbel | Halving) and s.noise is not None:
        own = "Gumbel has noise of its own" if isinstance(s.root, Gumbel) else "Halving visits all actions alike"
        raise SettingsError(f"settings: noise is on, but {own}; leave noise off, or take root=None")
    if isinstance(s.root, Gumbel):
        fewest, considered = s.root.simulations, s.root.considered
        if fewest is not None and considered is not None and fewest < considered:
            raise SettingsError(
                f"settings: root is a plan of {fewest} simulations that compares {considered} actions; expected at "
                f"least one for each: raise simulations, or lower considered"
            )
    if s.roots > 1:
        _check_roots(s)
    if s.outcomes is not None and s.open_loop:
        raise SettingsError(
            "settings: outcomes limits the children of chance nodes, and an open loop has none; leave one out"
        )
    if s.open_loop and s.transpositions:
        raise SettingsError(
            "settings: open_loop and transpositions are both on, but the nodes of an open loop are not positions; "
            "leave one of them off"
        )


def _check_threads(s: Settings) -> None:
    """Refuse threads where simulations depend on each other in a way that threads can't share."""
    why = ""
    if s.roots > 1:
        why = f"roots is {s.roots}, whose trees already use all cores"
    elif s.open_loop:
        why = "in an open loop, a node's actions change with every simulation"
    elif s.transpositions and isinstance(s.expansion, All) and s.expansion.first_visit:
        why = "in a graph, a node that was made at its first visit (first_visit) can't be taken back if that fails"
    elif isinstance(s.evaluator, Outside):
        why = "your own code gives the values, and may not be safe in several threads"
    elif s.root is not None:
        why = f"{type(s.root).__name__} plans the simulations at the root one after the other"
    elif s.policy.amaf:
        why = f"{type(s.policy).__name__} keeps tables of actions that every simulation writes to"
    else:
        part = next((p for p in (s.policy, s.backup) if not p.threads), None)
        if part is not None:
            why = f"{type(part).__name__} says that it can't (threads = False)"
    if why:
        raise SettingsError(f"settings: threads is {s.threads}, but {why}; take threads=1, or change that setting")


def _check_wdl(s: Settings) -> None:
    """Refuse to count wins, draws and losses where a simulation does not end with one of them."""
    rollouts, why = s.evaluator, ""
    if not isinstance(rollouts, Rollouts):
        why = f"{type(rollouts).__name__} values positions without playing them to the end"
    elif rollouts.depth is not None:
        why = f"playouts are cut off after {rollouts.depth} actions"
    elif rollouts.n > 1:
        why = f"a simulation is the mean of {rollouts.n} rollouts"
    elif s.discount != 1.0:
        why = f"with discount {s.discount:g} late rewards count less than in the game"
    elif s.transpositions:
        why = "with transpositions, simulations end at known positions"
    if why:
        raise SettingsError(f"settings: wdl counts games that playouts end, one a simulation, and {why}; change one")
    names = (s.policy.columns.names or ()) + (s.backup.columns.names or ())
    if shared := set(names) & set(WDL):
        raise SettingsError(
            f"settings: wdl counts in a column '{min(shared)}', and so is a column of the policy or backup called; "
            f"give that another name"
        )


def _check_roots(s: Settings) -> None:
    """Refuse several trees where what is asked for belongs to one."""
    why = ""
    if isinstance(s.root, Gumbel | Halving):
        why = f"root={type(s.root).__name__}() plans the simulations of one tree, and its plans can't be added up"
    elif isinstance(s.evaluator, Outside) and s.evaluator.function is None:
        why = "ask and tell give out the leaves of one tree"
    if why:
        raise SettingsError(f"settings: roots is {s.roots}, but {why}; take roots=1, or change the other")


def _check_amaf(s: Settings) -> None:
    """Refuse a policy that counts actions by ancestors where none are played, or where nodes are not positions."""
    name, wanted = type(s.policy).__name__, getattr(s.policy, s.policy.amaf)
    if wanted < 0:
        raise SettingsError(f"settings: {name}.{s.policy.amaf} is {wanted}, expected visits, 0 or more")
    if s.rollouts is None:
        raise SettingsError(
            f"settings: {name} counts the actions of playouts, and values come from {type(s.evaluator).__name__}, "
            f"which plays none; take Rollouts() or Mixed(), or another policy"
        )
    if s.open_loop:
        raise SettingsError(
            f"settings: {name} shows an action what it did below an ancestor, and in an open loop each simulation may "
            f"have other positions there; leave open_loop off, or take another policy"
        )


def _check_outside(s: Settings, evaluator: Network | Outside) -> None:
    function = evaluator.function if isinstance(evaluator, Outside) else None
    if function is not None and not isinstance(function, str) and not callable(function):
        raise SettingsError(f"settings: evaluator.function is {function!r}, expected a function")
    for name in ("transpositions", "open_loop"):
        if getattr(s, name):
            raise SettingsError(
                f"settings: {name} is on, and values come from {type(evaluator).__name__}: the two don't work together "
                f"yet; leave {name} off (equal positions are evaluated only once, through the cache)"
            )
