"""`Evaluator`: finds and calls what gives leaves their values from outside: a network, a function, a coroutine."""

import inspect
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from playout.common.raised import described
from playout.common.sources import here
from playout.errors import EvaluatorError, FileError, PlayoutError, SettingsError
from playout.game import Game
from playout.settings import Network, Outside, named

from .answers import LeafAnswers, answers_to_batch
from .network import BaseNetwork
from .onnx import OnnxNetwork
from .pytorch import TorchNetwork

BATCH = 16  # for a function without a `best_batch`
SHIPPED = Path(__file__).parent / "files"


class Evaluator:
    """What evaluates batches of positions for a search. `game` is the game in the form that it sees."""

    def __init__(self, setting: Network | Outside, game: Game) -> None:
        self.setting, self.timeout = setting, getattr(setting, "timeout", None)
        self.function: Callable[..., Any] | None = None
        self.is_network = False  # its values for both players add up only roughly
        if isinstance(setting, Network):
            _check_can_be_seen(game, "a network")
            network = opened(here(setting.file) or str(shipped(game)), setting.threads)
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
        """Whether it can be called with observations, here and now."""
        return self.function is not None and not self.is_coroutine

    def batch_size(self, handed_over: bool = False) -> int:
        """The number of leaves to evaluate at once: from the settings, or measured.

        A batch that is `handed_over` to another thread costs the search twice as much beside the evaluation.
        """
        if self.setting.batch is not None:
            return self.setting.batch
        measured = getattr(self.function, "best_batch", None)
        return int(measured()) * (1 + handed_over) if measured is not None else BATCH

    def __call__(self, observations: Any) -> LeafAnswers:
        """The checked answers to a batch of observations. Any failure is an `EvaluatorError` in one line."""
        answer = self._within_time(observations)
        return answers_to_batch(answer, len(observations), self.game, self.name, exact_sums=not self.is_network)

    def _within_time(self, observations: Any) -> Any:
        if self.timeout is None:
            return self._call(observations)
        found: list[Any] = []

        def work() -> None:
            try:
                found.append((True, self._call(observations)))
            except BaseException as error:  # noqa: BLE001  raised again in the thread that waits
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
    """Refuse a game of Python objects, which can't have an `observe`."""
    if game.keeps_objects:
        raise SettingsError(
            f"{game.title} is made of Python objects, which {by} can't see; use `ask` and `tell` or a coroutine, which "
            f"get positions, or write it as a po.Game with `observe`"
        )


def is_module(function: Any) -> bool:
    """Whether it is a PyTorch module; answered without importing PyTorch."""
    return any((k.__module__, k.__name__) == ("torch.nn.modules.module", "Module") for k in type(function).__mro__)


def shipped(game: Game) -> Path:
    """The file of the network that comes with a game."""
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


def opened(file: str, threads: int) -> BaseNetwork:
    """The network in a file, opened once for all searches that use it."""
    path = Path(file).expanduser()
    try:
        stamp = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a character that file names can't have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"{file!r}: the network can't be read: {reason}") from None
    return _opened(path.resolve(), threads, (stamp.st_mtime_ns, stamp.st_size))


@lru_cache(maxsize=8)
def _opened(path: Path, threads: int, stamp: tuple[int, int]) -> BaseNetwork:
    if path.name.endswith((".pb.gz", ".pb")):
        from .leela_model import converted  # heavy, and optional: chess and onnx  # noqa: PLC0415

        network = OnnxNetwork(converted(path), threads=threads)
        network.name = path.name
        return network
    return OnnxNetwork(path, threads=threads)
