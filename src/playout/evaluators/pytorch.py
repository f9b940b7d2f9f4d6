"""PyTorch modules as networks, and their export to ONNX files."""

import contextlib
import os
import warnings
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.disk import write_whole
from playout.common.raised import described
from playout.errors import EvaluatorError, PlayoutError, SettingsError
from playout.game import Game

from .answers import split, values, weights
from .network import BaseNetwork, checked_kinds, checked_threads
from .onnx import OnnxNetwork


class TorchNetwork(BaseNetwork):
    """A PyTorch module from planes, float32[B, *planes], to a pair (policy, value).

    `policy` and `value` are the kinds of the outputs, as in `BaseNetwork`. During a call the module is in evaluation
    mode, and PyTorch uses `threads` threads; both are set back after it. PyTorch has one number of threads for the
    whole process, so it also limits what other threads do with PyTorch meanwhile.
    """

    def __init__(
        self, module: Any, game: Game | None = None, policy: str = "logits", value: str = "scalar", threads: int = 1
    ) -> None:
        super().__init__()
        load_torch()
        self.name = type(module).__name__
        checked_kinds(policy, value, self.name, SettingsError)
        self.module, self.threads = module, checked_threads(threads)
        self.policy_kind, self.value_kind = policy, value
        self.planes, self.policy_size, self.players = (), 0, 0
        self.metadata = {"playout.policy": policy, "playout.value": value}
        if game is not None:
            self.check(game)
            self.metadata["playout.game"] = game.title

    def _look(self, planes: tuple[int, ...]) -> None:
        if self.planes:
            return
        policy, value = self._outputs(np.zeros((1, *planes), np.float32))
        weighed, judged = weights(policy, self.policy_kind), values(value, self.value_kind, self.name)
        self.planes, self.policy_size = planes, weighed.shape[1]
        self.players = judged.shape[1] if self.value_kind == "players" else 0

    def _outputs(self, observations: Any) -> tuple[Any, Any]:
        torch = load_torch()
        if not observations.flags.writeable:  # PyTorch needs a writeable array
            observations = observations.copy()
        try:
            with torch.inference_mode(), using_threads(torch, self.threads), _evaluating(self.module):
                policy, value = split(self.module(torch.from_numpy(observations).to(_device(self.module))), self.name)
            rows = len(observations)
            return _array(torch, policy, rows, self.name), _array(torch, value, rows, self.name)
        except PlayoutError:
            raise
        except Exception as error:
            raise EvaluatorError(f"{self.name} raised {described(error)}") from error


def export(
    module: Any,
    game: Game,
    path: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
    policy: str = "logits",
    value: str = "scalar",
) -> None:
    """Write a module as an ONNX file with metadata; the old file stays until the new one is complete.

    `metadata` is added to that of `BaseNetwork`. A module that does not fit the game is refused.
    """
    torch = load_torch()
    try:
        import onnx  # noqa: PLC0415  # heavy, and optional
    except ImportError:
        raise SettingsError("exporting networks needs the package onnx; pip install 'playout[nets]'") from None
    name = type(module).__name__
    TorchNetwork(module, game, policy, value)
    buffer = BytesIO()
    example = torch.zeros((2, *game.planes), device=_device(module))
    try:
        with _evaluating(module), warnings.catch_warnings():
            # The newer exporter needs one more package, onnxscript; the older one warns that it is old.
            warnings.filterwarnings("ignore", "You are using the legacy TorchScript", DeprecationWarning)
            warnings.filterwarnings("ignore", "The feature will be removed", DeprecationWarning)
            torch.onnx.export(
                module,
                (example,),
                buffer,
                input_names=["planes"],
                output_names=["policy", "value"],
                dynamic_axes={name: {0: "batch"} for name in ("planes", "policy", "value")},
                dynamo=False,
            )
    except Exception as error:
        raise EvaluatorError(f"{name} can't be exported to ONNX: {described(error)}") from error
    model = onnx.load_model_from_string(buffer.getvalue())
    said = {
        **{str(key): str(text) for key, text in (metadata or {}).items()},
        "playout.game": game.title,
        "playout.form": "",
        "playout.policy": policy,
        "playout.value": value,
    }
    onnx.helper.set_model_props(model, said)
    data = model.SerializeToString()
    OnnxNetwork(data).check(game)
    write_whole(Path(path), data)


def load_torch() -> Any:
    try:
        import torch  # noqa: PLC0415  # heavy, and optional
    except ImportError:
        raise SettingsError("PyTorch is not installed; pip install 'playout[train]'") from None
    return torch


@contextlib.contextmanager
def using_threads(torch: Any, wanted: int) -> Iterator[None]:
    before = torch.get_num_threads()
    if before == wanted:
        yield
        return
    torch.set_num_threads(wanted)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Evaluation mode for each submodule that is in training mode, and back."""
    training = [part for part in module.modules() if part.training]
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _device(module: Any) -> Any:
    """The device of the module's parameters; the CPU if it has none."""
    first = next(module.parameters(), None)
    return "cpu" if first is None else first.device


def _array(torch: Any, output: Any, batch: int, name: str) -> Any:
    if not isinstance(output, torch.Tensor) or output.ndim == 0 or len(output) != batch:
        what = list(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
        raise EvaluatorError(f"{name} returned {what} for {batch} observations, expected tensors with a row for each")
    return output.float().cpu().numpy()
