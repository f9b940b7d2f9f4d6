# ruff: noqa: RUF001  # Chinese punctuation
"""The classes that settings are made of, beside policies and backups: evaluators, expansions, the root, temperature."""

import os
from collections.abc import Callable
from typing import Any, TypeGuard

from playout.common.declare import (
    ACTIONS,
    MOVES,
    PLAYOUTS,
    POSITIONS,
    SECONDS,
    SIMULATIONS,
    THREADS,
    VISITS,
    Text,
    choice,
    declarations,
    flag,
    number,
    setting,
    text,
    whole,
)
from playout.core import params as core
from playout.errors import SettingsError

ANSWERS = {"visits": core.BY_VISITS, "value": core.BY_VALUE, "bound": core.BY_BOUND, "proof": core.BY_PROOF}

MOST_ACTIONS = 1_000_000  # of a playout or a game
MOST_BATCH = 4096
MOST_SIMULATIONS = 1 << 30
MOST_CACHE = 1 << 24
CACHE = 1 << 16
MOST_NETWORK_THREADS = 64
FAST = ".fast"
SHIPPED = "shipped:"  # before the name of a network that comes with the package, whatever is in the folder
WAITING = ("batch", "virtual_loss", "cache", "threads")  # fields of `Network` that say how a search waits for it


@setting
class All:
    """All children of a node can be visited from the start. A position becomes a node at its second visit; with
    `first_visit` at its first, and the simulation goes on to one of its children."""

    first_visit: bool = flag(
        default=False,
        meaning=Text(
            "a position becomes a node at its first visit; off: at its second",
            "局面在第一次访问时成为节点；off：第二次访问时",
        ),
    )


@setting
class OneAtATime:
    """Each visit to a node adds one child, in random order (by prior with `priors`), until all are there."""


@setting
class Widening:
    """min(cap, initial + k N^alpha) children of a node visited N times, in order of prior."""

    initial: float = number(
        default=1.0,
        least=0.0,
        meaning=Text("children (or outcomes of chance) at first", "起初的子节点（或随机结果）数"),
    )
    k: float = number(default=1.0, least=0.0, meaning=Text("the factor of N^alpha", "N^alpha 的系数"))
    alpha: float = number(default=0.5, least=0.0, most=1.0, meaning=Text("the power of the visits", "访问次数的幂"))
    cap: float | None = number(
        default=None,
        least=1.0,
        none="none",
        meaning=Text("children (or outcomes of chance) at most", "子节点（或随机结果）数上限"),
    )


@setting
class Rollouts:
    """`n` games from the leaf to the end, or for `depth` actions: at random, guided by the game's own policy, or led by
    what was learned from earlier simulations (`mast`, `nst`)."""

    n: int = whole(
        default=1,
        least=1,
        most=MOST_ACTIONS,
        unit=PLAYOUTS,
        name="rollouts",
        meaning=Text("playouts from each new position", "每个新局面的模拟对局数"),
    )
    depth: int | None = whole(
        default=None,
        least=1,
        most=MOST_ACTIONS,
        unit=ACTIONS,
        none="none",
        meaning=Text("actions after which a playout is cut off", "多少步后截断模拟对局"),
    )
    guided: bool = flag(
        default=False,
        meaning=Text("playouts by the game's own policy or priors", "按游戏自身的策略或先验进行模拟对局"),
    )
    mast: bool = flag(
        default=False,
        meaning=Text(
            "playouts prefer actions that did well in earlier simulations, wherever they were played (MAST)",
            "模拟对局偏好在以往模拟中结果好的行动，不论在何处走过（MAST）",
        ),
    )
    nst: bool = flag(
        default=False,
        meaning=Text(
            "as mast, and also by the action before: which actions did well in answer to which (NST)",
            "同 mast，并考虑前一步行动：哪些应着结果好（NST）",
        ),
    )
    led: int | None = whole(
        default=10,
        least=0,
        most=MOST_ACTIONS,
        unit=ACTIONS,
        none="all",
        meaning=Text(
            "actions at the start of a playout that mast or nst chooses; the others are drawn at random",
            "模拟对局开头多少步由 mast 或 nst 选取；其余随机抽取",
        ),
    )
    epsilon: float = number(
        default=0.1,
        least=0.0,
        most=1.0,
        name="playout_epsilon",
        meaning=Text(
            "how often an action of mast or nst is drawn at random instead", "mast 或 nst 的步改为随机抽取的频率"
        ),
    )
    decay: float = number(
        default=0.5,
        least=0.0,
        most=1.0,
        name="playout_decay",
        meaning=Text(
            "how much of what mast or nst has learned is kept when an action is played",
            "走一步之后，mast 或 nst 所学保留多少",
        ),
    )

    @property
    def learns(self) -> int:
        """What they learn, as the kernels call it."""
        return core.NST if self.nst else core.MAST if self.mast else core.RANDOM


@setting
class Static:
    """The game's own `evaluate`."""


@setting
class Mixed:
    """`weight` times a rollout plus the rest times the static value."""

    weight: float = number(
        default=0.5,
        least=0.0,
        most=1.0,
        meaning=Text("the playouts' share of a mixed value", "混合价值中模拟对局的比重"),
    )
    rollouts: Rollouts = choice(default=Rollouts(), others=(Rollouts,))


@setting
class Network:
    """A policy and value network from a file: ONNX, Leela's format (.pb.gz), or one that runs inside the search
    (.fast), which needs neither batches nor threads of its own."""

    file: str = text(
        default="",
        name="network",
        meaning=Text(
            "a network's file (.onnx, Leela's .pb.gz, or .fast); empty: the one that comes with the game",
            "神经网络文件（.onnx、Leela 的 .pb.gz 或 .fast）；留空：游戏自带",
        ),
    )
    batch: int | None = whole(
        default=None,
        least=1,
        most=MOST_BATCH,
        unit=POSITIONS,
        none="auto",
        meaning=Text(
            "positions evaluated at once; auto: as many as are fastest",
            "一次评估的局面数；auto：实测决定",
        ),
    )
    virtual_loss: float = number(
        default=1.0,
        least=0.0,
        most=1.0,
        meaning=Text(
            "1: a position under evaluation counts as lost, 0: as worth what it was",
            "1：评估中的局面按输计，0：按原有价值计",
        ),
    )
    temperature: float = number(
        default=1.0,
        above=0.0,
        name="policy_temperature",
        meaning=Text("above 1, the network's policy is flatter", "大于 1 时网络的策略更平坦"),
    )
    cache: int = whole(
        default=CACHE,
        least=0,
        most=MOST_CACHE,
        unit=POSITIONS,
        meaning=Text("positions whose answers are remembered", "记住回答的局面数"),
    )
    threads: int = whole(
        default=1,
        least=1,
        most=MOST_NETWORK_THREADS,
        unit=THREADS,
        name="network_threads",
        meaning=Text("threads of the network", "神经网络的线程数"),
    )

    def __post_init__(self) -> None:
        if isinstance(self.file, os.PathLike):
            object.__setattr__(self, "file", os.fspath(self.file))

    @property
    def is_fast(self) -> bool:
        """Whether the network runs inside the search, as its file's name says."""
        return isinstance(self.file, str) and self.file.lower().endswith(FAST)


@setting
class Outside:
    """Values from outside the search: from a function of a batch of observations, from a coroutine, or by `ask` and
    `tell`. A function as the evaluator of `Settings` is made one of these. Fields are as those of `Network`; an answer
    is waited for `timeout` seconds."""

    function: Callable[..., Any] | str | None = None  # a text: its name, where the function itself is not at hand
    batch: int | None = whole(default=None, least=1, most=MOST_BATCH, unit=POSITIONS, none="auto")
    virtual_loss: float = number(default=1.0, least=0.0, most=1.0)
    temperature: float = number(default=1.0, above=0.0)
    cache: int = whole(default=CACHE, least=0, most=MOST_CACHE, unit=POSITIONS)
    timeout: float | None = number(default=None, above=0.0, unit=SECONDS, none="none")


def is_outside(evaluator: Any) -> TypeGuard[Network | Outside]:
    """Whether values come from outside the compiled loop."""
    return isinstance(evaluator, Outside) or (isinstance(evaluator, Network) and not evaluator.is_fast)


def is_fast(evaluator: Any) -> TypeGuard[Network]:
    """Whether values and priors come from a network inside the compiled loop."""
    return isinstance(evaluator, Network) and evaluator.is_fast


def check_fast(network: Any) -> None:
    """Refuse what says how a search waits for its network, where it never does."""
    usual = Network()
    for name, declared in declarations(network):
        given, expected = getattr(network, name), getattr(usual, name)
        if name in WAITING and given != expected:
            flat, word = declared.name or name, "auto" if expected is None else f"{expected:g}"
            raise SettingsError(
                f"settings: {flat} is {given}, but '{network.file}' runs inside the search, which never waits for it; "
                f"leave {flat} at {word} (more cores: threads)"
            )


@setting
class Falling:
    """Temperature by move number: `first` for the first `moves` moves of the game, `then` after them."""

    first: float = number(default=1.0, least=0.0, meaning=Text("the temperature of the first moves", "前几步的温度"))
    moves: int = whole(
        default=30,
        least=0,
        most=MOST_ACTIONS,
        unit=MOVES,
        meaning=Text("how many moves count as the first", "前几步是多少步"),
    )
    then: float = number(default=0.0, least=0.0, meaning=Text("the temperature after them", "之后的温度"))


@setting
class Noise:
    """Dirichlet noise on the priors of the root: (1 - fraction) prior + fraction Dirichlet(alpha).

    With `shaped`, half of the alphas' sum is spread evenly, the other half by how far ln(min(prior, 0.01)) is above the
    mean of all."""

    fraction: float = number(default=0.25, least=0.0, most=1.0, meaning=Text("the noise's share", "噪声的比重"))
    alpha: float = number(default=0.3, above=0.0, meaning=Text("how even the noise is", "噪声的均匀程度"))
    shaped: bool = flag(
        default=False,
        meaning=Text(
            "half of alpha goes to actions whose prior stands out, as in KataGo; off: the same for all",
            "alpha 的一半给先验突出的行动（如 KataGo）；off：一律相同",
        ),
    )


def _plan() -> Any:
    return whole(
        default=None,
        least=1,
        most=MOST_SIMULATIONS,
        unit=SIMULATIONS,
        none="auto",
        name="plan",
        meaning=Text(
            "of a plan by steps or within a time limit, where the run does not say how many there will be; auto: eight "
            "for each action compared",
            "单步或限时运行（未给出模拟次数）时一个计划的模拟次数；auto：每个被比较的行动八次",
        ),
    )


@setting
class Halving:
    """Sequential halving: the root's actions get equally many simulations, then the better half of them, and so on. The
    answer is the best of the last two. A plan is made for the simulations of a run. All of the root's actions take
    part: `Widening` and `OneAtATime` count below the root only."""

    simulations: int | None = _plan()


@setting
class Gumbel:
    """Sequential halving between the `considered` actions of highest noise + logit + sigma(value), with
    sigma(q) = (visit_offset + most visits) value_scale q and q from 0 to 1 (Danihelka and others, ICLR 2022)."""

    considered: int | None = whole(
        default=None,
        least=1,
        most=65535,
        unit=ACTIONS,
        none="auto",
        meaning=Text(
            "actions that are compared, at most; auto: 16, or all where the game has fewer",
            "最多比较多少个行动；auto：16，行动更少时为全部",
        ),
    )
    noise: float = number(
        default=1.0,
        least=0.0,
        name="gumbel_noise",
        meaning=Text(
            "the scale of the Gumbel noise; 0: none, as for play without variety",
            "Gumbel 噪声的幅度；0：无，用于不求变化的对局",
        ),
    )
    visit_offset: float = number(
        default=50.0,
        least=0.0,
        unit=VISITS,
        meaning=Text("what is added to the most visits in sigma", "sigma 中加到最大访问次数上的量"),
    )
    value_scale: float = number(
        default=1.0, above=0.0, meaning=Text("how much values count against logits", "价值相对于 logit 的权重")
    )
    rescale: bool = flag(
        default=False,
        meaning=Text(
            "scale the root's values to 0 to 1 by the least and the greatest of them",
            "按根节点各行动价值的最小与最大值缩放到 0 至 1",
        ),
    )
    simulations: int | None = _plan()


@setting
class Forced:
    """Forced playouts: of N visits, every action of the root that has one gets at least sqrt(k prior N) (KataGo)."""

    k: float = number(
        default=2.0,
        above=0.0,
        name="forced_k",
        meaning=Text(
            "of N visits, an action gets at least sqrt(k prior N)", "N 次访问中，每个行动至少得 sqrt(k 先验 N) 次"
        ),
    )
