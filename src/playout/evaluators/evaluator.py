"""Where values come from when not from the kernel: a network's file, a function, a coroutine; found and called here."""

import inspect
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.errors import EvaluatorError, FileError, PlayoutError, SettingsError
from playout.game import Game
from playout.game.faults import ROUNDING, wrong_sum
from playout.settings import Network, Outside, named

from .answers import checked, limits_text, split, value_limits
from .pytorch import TorchNetwork

BATCH = 16  # for a function that does not say what it likes best
SHIPPED = Path(__file__).parent / "files"


class Evaluator:
    """What a search asks about a batch of positions, and how the game looks to it."""

    def __init__(self, setting: Network | Outside, game: Game) -> None:
        self.setting, self.timeout = setting, getattr(setting, "timeout", None)
        self.function: Callable[..., Any] | None = None
        self.is_network = False  # its values only come close to what a game's add up to
        if isinstance(setting, Network):
            _check_can_be_seen(game, "a network")
            network = opened(setting.file or str(shipped(game)), setting.threads)
            game = game.in_form(network.metadata.get("playout.form", ""))
            network.check(game)
            self.function, self.name, self.is_network = network, network.name, True
        elif callable(setting.function):
            self.function, self.name = setting.function, named(setting.function)
            if is_module(setting.function):
                self.function = TorchNetwork(setting.function)
            self.is_network = hasattr(self.function, "metadata")
            if self.is_network:
                game = game.in_form(self.function.metadata.get("playout.form", ""))  # type: ignore[union-attr]
            if hasattr(self.function, "check"):
                self.function.check(game)
        else:
            self.name = setting.function or ""
        self.game = game
        self.is_coroutine = inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(
            getattr(self.function, "__call__", None)  # noqa: B004  an object whose call is a coroutine
        )
        if self.function is not None and not self.is_coroutine and not game.has("observe"):
            _check_can_be_seen(game, self.name)
            raise SettingsError(
                f"{game.title} has nothing that {self.name} could see: define `observe(state, player, planes)`, "
                f"`planes` and `policy_size`; or use `ask` and `tell`, which hand over positions"
            )

    @property
    def observes(self) -> bool:
        return self.function is not None and not self.is_coroutine

    def batch_size(self) -> int:
        """The number of leaves to evaluate at once: as set, or as measured."""
        if self.setting.batch is not None:
            return self.setting.batch
        measured = getattr(self.function, "best_batch", None)
        return int(measured()) if measured is not None else BATCH

    def __call__(self, observations: Any) -> tuple[Any, Any]:
        """Policies and values of a batch, checked. Whatever goes wrong is an `EvaluatorError` in one line."""
        policy, value = split(self._within_time(observations), self.name)
        policy, value = checked(policy, value, len(observations), self.game, self.name)
        if not self.is_network:
            check_sums(value, self.game, self.name)
        return policy, value

    def _within_time(self, observations: Any) -> Any:
        if self.timeout is None:
            return self._call(observations)
        found: list[Any] = []

        def work() -> None:
            try:
                found.append((True, self._call(observations)))
            except BaseException as error:  # noqa: BLE001  handed over to the thread that waits
                found.append((False, error))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(self.timeout)
        if not found:
            raise EvaluatorError(f"{self.name} gave no answer within {self.timeout:g} s")
        good, answer = found[0]
        if not good:
            raise answer
        return answer

    def _call(self, observations: Any) -> Any:
        assert self.function is not None
        try:
            return self.function(observations)
        except PlayoutError:
            raise
        except (Exception, SystemExit) as error:
            raise EvaluatorError(f"{self.name} raised {described(error)} for {len(observations)} positions") from error


def _check_can_be_seen(game: Game, by: str) -> None:
    """Refuse a game that can't have an `observe`."""
    if game.keeps_objects:
        raise SettingsError(
            f"{game.title} is made of Python objects, which {by} can't see; use `ask` and `tell` or a coroutine, which "
            f"get positions, or write it as a po.Game with `observe`"
        )


def is_module(function: Any) -> bool:
    """Whether it is a PyTorch module; nobody needs to have PyTorch for the answer."""
    return any((k.__module__, k.__name__) == ("torch.nn.modules.module", "Module") for k in type(function).__mro__)


def shipped(game: Game) -> Path:
    """The network that comes with a game."""
    path = SHIPPED / f"{game.title}.onnx"
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in SHIPPED.glob("*.onnx"))) if SHIPPED.is_dir() else ""
        others = f"no network comes with {game.title} (there are some for {there or 'no game'}); "
        if not game.has("observe"):
            raise SettingsError(
                f"{others}and it has nothing that one could see: define `observe(state, player, planes)`, `planes` and "
                f"`policy_size`"
            )
        raise SettingsError(
            f"{others}give one, as in Network('file.onnx') or --network file.onnx, or train one: "
            f"playout train {game.title}"
        )
    return path


def opened(file: str, threads: int) -> Any:
    """A network's file, opened once for all searches that use it."""
    path = Path(file).expanduser()
    try:
        stamp = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a character that no file's name can have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"{file!r}: the network can't be read: {reason}") from None
    return _opened(path.resolve(), threads, (stamp.st_mtime_ns, stamp.st_size))


@lru_cache(maxsize=8)
def _opened(path: Path, threads: int, stamp: tuple[int, int]) -> Any:
    from .onnx import OnnxNetwork

    if path.name.endswith((".pb.gz", ".pb")):
        from .leela_model import converted

        network = OnnxNetwork(converted(path), threads=threads)
        network.name = path.name
        return network
    return OnnxNetwork(path, threads=threads)


def aligned(policy: Any, actions: tuple[int, ...], name: str) -> Any:
    """What somebody says of a leaf's actions, as weights in their order: None, a mapping, or a sequence."""
    if policy is None:
        return np.ones((1, len(actions)), np.float32)
    if isinstance(policy, dict):
        unknown = [a for a in policy if a not in actions]
        if unknown:
            raise EvaluatorError(f"{name}: the policy names action {unknown[0]!r}, expected some of {list(actions)}")
        policy = [policy.get(a, 0.0) for a in actions]
    try:
        weights = np.asarray(policy, np.float32)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(f"{name}: the policy is {policy!r}, expected numbers ({error})") from None
    if weights.shape != (len(actions),) or not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise EvaluatorError(
            f"{name}: the policy is {_short(policy)}, expected {len(actions)} finite numbers of at least 0, one for "
            f"each action of the leaf in their order, or a mapping from actions"
        )
    return weights.reshape(1, -1)


def valued(value: Any, game: Game, name: str) -> Any:
    """A leaf's value, as [1, 1] for the player who moves or [1, players]."""
    try:
        values = np.asarray(value, np.float64).reshape(1, -1)
    except (TypeError, ValueError):
        values = np.zeros((1, 0))
    one = game.one_value_tells_all
    low, high = value_limits(game)
    if values.shape[1] not in ((1, game.players) if one else (game.players,)) or not np.all(
        (values >= low) & (values <= high)
    ):
        expected = "one number for the player who moves, or " if one else ""
        raise EvaluatorError(
            f"{name}: the value is {_short(value)}, expected {expected}one for each of {game.players}, "
            f"{limits_text(game)}"
        )
    check_sums(values, game, name)
    return values


def check_sums(values: Any, game: Game, name: str) -> None:
    """Refuse values of both players that don't add up to what the game's returns add up to."""
    if game.players != 2 or values.ndim != 2 or values.shape[1] != 2 or game.sums_to is None:
        return
    for row in values[np.abs(values.sum(axis=1) - game.sums_to) > ROUNDING]:
        if message := wrong_sum(game, row.tolist()):
            raise EvaluatorError(f"{name}: the values are {', '.join(f'{v:g}' for v in row)}, which {message}")


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:79] + "…"
