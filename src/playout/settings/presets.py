# ruff: noqa: RUF001  # Chinese punctuation
"""The presets: named sets of settings, each a published recipe or what a game is best searched with.

Installed packages add theirs by entry points of the group `playout.presets`: `Settings`, or a function that makes them.
"""

import dataclasses
import inspect
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from playout.backups import Best
from playout.common import plugins, sources
from playout.common.arguments import did_you_mean
from playout.common.declare import Text
from playout.common.raised import described
from playout.errors import GameError, SettingsError
from playout.game import Game
from playout.policies import PUCT, UCT, Improved, Parent

from .kinds import SHIPPED, Falling, Gumbel, Mixed, Network, Noise, OneAtATime, Rollouts, Static, Widening
from .settings import Settings


class Preset(NamedTuple):
    """A preset: what it does, and its settings."""

    meaning: Text
    settings: Settings


BUILT_IN: dict[str, Preset] = {
    "default": Preset(
        Text(
            "UCT with proofs: all children, random playouts, the most visited action",
            "带证明的 UCT：全部子节点，随机模拟对局，取访问最多的行动",
        ),
        Settings(),
    ),
    "textbook": Preset(
        Text(
            "UCT as in textbooks: all children, random playouts, no proofs, the action of highest mean",
            "教科书式 UCT：全部子节点，随机模拟对局，无证明，取均值最高的行动",
        ),
        Settings(policy=UCT(math.sqrt(2)), answer="value", solver=False),
    ),
    "minimal": Preset(
        Text(
            "the well-known dictionary implementation: exploration weight 1, the root played out first, highest mean",
            "广为流传的字典实现：探索权重 1，先对根做模拟对局，取均值最高",
        ),
        Settings(policy=UCT(1.0), answer="value", solver=False, evaluate_root=True),
    ),
    "guided": Preset(
        Text(
            "what the game itself knows: PUCT with its priors, playouts by its own policy, proofs",
            "利用游戏自身的知识：带先验的 PUCT，按自身策略模拟对局，有证明",
        ),
        Settings(policy=PUCT(1.5), evaluator=Rollouts(guided=True)),
    ),
    "optimise": Preset(
        Text(
            "one player without chance: the highest return instead of the mean, values normalised, little exploration, "
            "transpositions, nothing searched twice; take best_found",
            "单人且无随机：以最高回报代替均值，价值归一化，少探索，置换，已穷尽的不再搜索；取 best_found",
        ),
        Settings(policy=UCT(0.3), backup=Best(), normalise=True, transpositions=True),
    ),
    "continuous": Preset(
        Text(
            "actions that are drawn: UCT with double progressive widening, values normalised, the most visited action",
            "行动由抽样得到：UCT 与双重渐进展宽，价值归一化，取访问最多的行动",
        ),
        Settings(policy=UCT(1.0), expansion=Widening(k=2.0), outcomes=Widening(), normalise=True, solver=False),
    ),
    "stepwise": Preset(
        Text(
            "one child at a time, c = 1.414, random playouts, the most visited action",
            "每次一个子节点，c = 1.414，随机模拟对局，取访问最多的行动",
        ),
        Settings(policy=UCT(1.414), expansion=OneAtATime(), solver=False),
    ),
    "uct-chess": Preset(
        Text(
            "the textbook recipe for chess: UCT, unvisited moves first and at random, playouts to the end, no proofs",
            "国际象棋的教科书配方：UCT，先随机走未访问的着法，走到终局，无证明",
        ),
        Settings(policy=UCT(math.sqrt(2)), unvisited="infinity", solver=False),
    ),
    "chess": Preset(
        Text(
            "strong chess: PUCT, a small network inside the search that corrects hand-made values and priors, proofs",
            "强国际象棋：PUCT，搜索内的小型网络修正人工的估值与先验，有证明",
        ),
        Settings(policy=PUCT(1.6), evaluator=Network(f"{SHIPPED}chess.fast"), unvisited=Parent()),
    ),
    "chess-classic": Preset(
        Text(
            "strong chess without a network: PUCT, priors from move features, static values settled by captures, "
            "proofs",
            "不用神经网络的强国际象棋：PUCT，着法特征先验，吃子后静态估值，有证明",
        ),
        Settings(policy=PUCT(2.5), evaluator=Static(), unvisited=Parent()),
    ),
    "connect4": Preset(
        Text(
            "connect four: PUCT with the game's priors, a playout by its own policy and its static value in equal "
            "parts, proofs",
            "四子棋：带先验的 PUCT，按自身策略的模拟对局与静态估值各半，有证明",
        ),
        Settings(policy=PUCT(1.5), evaluator=Mixed(0.5, Rollouts(guided=True))),
    ),
    "othello": Preset(
        Text(
            "othello: UCT that explores half as much, playouts that learn (NST), proofs, the most visited action",
            "黑白棋：探索减半的 UCT，会学习的模拟对局（NST），有证明，取访问最多的行动",
        ),
        Settings(policy=UCT(0.7), evaluator=Rollouts(nst=True)),
    ),
    "flat": Preset(
        Text(
            "flat Monte Carlo: every action as often as the others, random playouts, the action of highest mean",
            "平坦蒙特卡洛：每个行动同样多次，随机模拟对局，取均值最高的行动",
        ),
        Settings(policy=UCT(1e9), answer="value", solver=False),
    ),
    # Chance's draws count as actions, too: 100 of them are 50 drops.
    "suika": Preset(
        Text(
            "Suika: PUCT, priors, widening by priors, playouts of 50 drops by the heuristic, transpositions, "
            "most visited",
            "合成西瓜：PUCT，先验，按先验加宽，按启发式模拟 50 次落果，置换，取访问最多",
        ),
        Settings(
            policy=PUCT(0.2),
            evaluator=Rollouts(depth=100, guided=True),
            expansion=Widening(initial=2.0, k=1.0, alpha=0.5, cap=10.0),
            transpositions=True,
            solver=False,
        ),
    ),
    "environment": Preset(
        Text(
            "environments whose positions come back: PUCT with priors from the adapter's table, values scaled by what "
            "was seen, equal positions merged",
            "局面会重复出现的环境：PUCT，先验取自适配器的表，按所见范围缩放价值，合并相同局面",
        ),
        Settings(policy=PUCT(1.0), normalise=True, transpositions=True),
    ),
    "control": Preset(
        Text(
            "environments whose positions never come back: UCT that explores much, values scaled by what was seen, "
            "random playouts",
            "局面不会重复出现的环境：多探索的 UCT，按所见范围缩放价值，随机模拟对局",
        ),
        Settings(policy=UCT(2.0), normalise=True),
    ),
    "network": Preset(
        Text(
            "a policy and value network at its best: PUCT whose c grows with the visits, unvisited moves like their "
            "parent, proofs, the most visited move",
            "发挥策略价值网络的全力：PUCT 的 c 随访问增长，未访问的着法取父节点价值，有证明，取访问最多的着法",
        ),
        Settings(policy=PUCT(1.25, growth=1.0), evaluator=Network(), unvisited=Parent()),
    ),
    "alphazero": Preset(
        Text(
            "AlphaZero as it plays itself: the same without proofs, with noise on the root's priors and moves drawn by "
            "visits for 30 moves",
            "AlphaZero 自我对弈时的设置：同上但无证明，根节点先验加噪声，前 30 步按访问次数抽取着法",
        ),
        Settings(
            policy=PUCT(1.25, growth=1.0),
            evaluator=Network(),
            unvisited=Parent(),
            noise=Noise(),
            temperature=Falling(),
            solver=False,
        ),
    ),
    # Without the Gumbel noise, as the paper evaluates: self-play draws it (`training/selfplay.py`).
    "gumbel": Preset(
        Text(
            "Gumbel AlphaZero as it plays for strength: sequential halving between the root's actions of highest "
            "prior, below it visits in the proportions of the improved policy, proofs; for variety, gumbel_noise=1",
            "Gumbel AlphaZero 求胜时的设置：在根节点先验最高的行动间逐次减半，其下按改进策略的比例访问，有证明；"
            "求变化时用 gumbel_noise=1",
        ),
        Settings(policy=Improved(), evaluator=Network(), root=Gumbel(noise=0.0), unvisited=Parent()),
    ),
    # lc0 0.31 as it comes, one leaf at a time; its values of these settings are its own options of like names. Its c
    # grows with ln((N + 38739) / 38739), without our 1: the same as a base of one less, and what that adds off c.
    "lc0": Preset(
        Text(
            "a network as lc0 searches by default: c grows with the visits, unvisited moves lose by what was seen",
            "按 lc0 默认方式使用网络：c 随访问增长，未访问的着法按已见先验占比减值",
        ),
        Settings(
            policy=PUCT(1.745 - 3.894 * math.log(38739 / 38738), growth=3.894, base=38738.0),
            evaluator=Network(temperature=1.359, virtual_loss=0.0),
            unvisited=Parent(0.33, by_seen=True),
            ties="first",
        ),
    ),
    "game2048": Preset(
        Text(
            "2048: UCT that explores little, random playouts to the end, the most visited action",
            "2048：少探索的 UCT，随机模拟对局到底，取访问最多的行动",
        ),
        Settings(policy=UCT(0.3), solver=False),
    ),
}


class Presets(Mapping[str, Preset]):
    """The built-in presets and those of installed packages, which are imported when all names are asked for, or one
    that is not built in. `broken` says in one line what is wrong with those that can't be used."""

    @cached_property
    def _others(self) -> dict[str, Preset | str]:
        return {name: _of_a_package(name) for name in plugins.others(plugins.PRESETS, (*BUILT_IN, BEST))}

    @property
    def broken(self) -> dict[str, str]:
        return {name: found for name, found in self._others.items() if isinstance(found, str)}

    def __getitem__(self, name: str) -> Preset:
        found = BUILT_IN.get(name) or self._others[name]
        if isinstance(found, str):
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter((*BUILT_IN, *(name for name, found in self._others.items() if isinstance(found, Preset))))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _of_a_package(name: str) -> Preset | str:
    """A preset of an installed package, or in one line what is wrong with it."""
    package = plugins.packages_of(plugins.PRESETS, name)
    try:
        spec = plugins.spec_of(plugins.PRESETS, name, SettingsError)
        place, _, wanted = spec.rpartition(":")
        found = getattr(sources.load(place, wanted, spec, SettingsError)[0], wanted, None)
        settings = found() if inspect.isroutine(found) else found
    except SettingsError as error:
        return f"preset '{name}' of {package} can't be used: {error}"
    except Exception as error:  # noqa: BLE001  # code of another package
        return f"preset '{name}' of {package} can't be used: {spec} raised {described(error)}"
    if not isinstance(settings, Settings):
        return f"preset '{name}' of {package} can't be used: {spec} gives {settings!r:.80}, expected Settings"
    about = (inspect.getdoc(found) or "").partition("\n")[0] if inspect.isroutine(found) else ""
    return Preset(Text(about or f"of the package {package}"), settings)


BEST = "best"  # stands for the preset that the game at hand names
WITH_NETWORK = "network"  # the preset where a network's file is given and no preset
PRESETS = Presets()


def preset_settings(name: str) -> Settings:
    """The settings of a preset; `SettingsError` where there is none of that name."""
    if name == BEST:
        raise SettingsError("preset 'best' is the one that a game names for itself, as in po.Search(game, 'best')")
    if not isinstance(name, str) or name not in PRESETS:
        if name in PRESETS.broken:
            raise SettingsError(PRESETS.broken[name])
        hint = did_you_mean(name, (*PRESETS, BEST)) if isinstance(name, str) else ""
        raise SettingsError(f"no preset {name!r} (there are: {', '.join(PRESETS)}){hint}")
    return PRESETS[name].settings


def default_for(game: Game) -> str:
    """The name of the preset for a game that names none."""
    return "continuous" if game.draws else "default"


def preset_for(game: Game, name: str | None = None) -> str:
    """The name of the preset to search a game with: the one given, or the game's own for None and "best"."""
    if name not in (None, BEST):
        return name
    own, where = game.preset or default_for(game), f"{game.title}.preset is {game.preset!r}"
    if not isinstance(own, str) or own not in PRESETS:
        hint = did_you_mean(own, PRESETS) if isinstance(own, str) else ""
        raise GameError(f"{where}, expected the name of a preset (there are: {', '.join(PRESETS)}){hint}")
    try:
        PRESETS[own].settings.params(game)
    except SettingsError as error:
        raise GameError(f"{where}, and that can't be: {error}") from None
    return own


def settings_from(given: Any, caller: str, game: Game) -> Settings:
    """The settings that a caller got for a game: themselves, a preset's name, or None for the default."""
    if given is None:
        return PRESETS[default_for(game)].settings
    if isinstance(given, Settings):
        return given
    if isinstance(given, str):
        return preset_settings(preset_for(game, given))
    hint = ""
    if isinstance(given, Mapping):
        hint = "; Settings.from_dict reads a dictionary"
    elif given is Settings:
        hint = "; write Settings()"
    elif dataclasses.is_dataclass(given):
        fields: Any = dataclasses.fields(Settings)
        part = next((f.name for f in fields if isinstance(given, f.type)), None)
        hint = f"; write Settings({part}={given!r})" if part else ""
    raise SettingsError(f"{caller} got settings {given!r:.80}, expected Settings or a preset's name{hint}")
