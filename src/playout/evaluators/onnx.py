"""Networks from files, run by ONNX Runtime."""

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import EvaluatorError, FileError, SettingsError

from .network import BaseNetwork, checked_kinds, checked_threads

MOST_INPUTS = 1 << 22  # numbers of one observation: more means a damaged file, and would take all the memory


class OnnxNetwork(BaseNetwork):
    """An ONNX file, or its bytes, with one input of planes and two outputs, `policy` and `value`.

    `metadata` comes from the file, see `BaseNetwork`. Without any, the policy is logits, and the value a scalar or,
    with three columns, win, draw and loss.
    """

    def __init__(self, source: str | os.PathLike[str] | bytes, threads: int = 1) -> None:
        super().__init__()
        self.path = None if isinstance(source, bytes) else Path(source).absolute()
        self.threads = checked_threads(threads)
        self.name = self.path.name if self.path else "network"
        self._data = source if isinstance(source, bytes) else None
        self._open()

    def _open(self) -> None:
        self._session = _session(self.path, self._data, self.threads, self.name)
        meta = self._session.get_modelmeta()
        self.metadata = {str(key): str(value) for key, value in meta.custom_metadata_map.items()}
        self._input = self._input_name()
        self._ask_once()

    def _input_name(self) -> str:
        """The name of the one input; `planes` is its shape without the batch."""
        inputs = self._session.get_inputs()
        outputs = [output.name for output in self._session.get_outputs()]
        if len(inputs) != 1 or not {"policy", "value"} <= set(outputs):
            raise FileError(
                f"{self._place}: has the inputs {_listed(i.name for i in inputs)} and the outputs {_listed(outputs)}, "
                f"expected one input and the outputs policy and value"
            )
        if inputs[0].type != "tensor(float)":
            raise FileError(f"{self._place}: its input is a {inputs[0].type}, expected tensor(float)")
        batch, *planes = inputs[0].shape or [None]
        if isinstance(batch, int) or not planes or not all(isinstance(n, int) and n > 0 for n in planes):
            raise FileError(
                f"{self._place}: its input has the shape {_listed(map(str, inputs[0].shape))}, "
                f"expected a free first dimension, for the batch, and fixed ones for the planes"
            )
        if math.prod(planes) > MOST_INPUTS:
            raise FileError(
                f"{self._place}: sees {math.prod(planes):,} numbers of a position, expected at most {MOST_INPUTS:,}"
            )
        self.planes = tuple(planes)
        return str(inputs[0].name)

    def _look(self, planes: tuple[int, ...]) -> None:
        pass  # known from the file

    def _ask_once(self) -> None:
        """Find out the outputs by running once; what a file declares about them may be wrong."""
        try:
            policy, value = self._outputs(np.zeros((1, *self.planes), np.float32))
        except EvaluatorError as error:
            raise FileError(f"{self._place}: can't be run: {str(error).removeprefix(f'{self.name}: ')}") from None
        if not all(array.dtype.kind == "f" and array.ndim and len(array) == 1 for array in (policy, value)):
            raise FileError(
                f"{self._place}: answers one observation with {policy.dtype}{list(policy.shape)} and "
                f"{value.dtype}{list(value.shape)}, expected floats, one row each"
            )
        self.policy_size = policy.size
        self.policy_kind = self.metadata.get("playout.policy", "logits")
        self.value_kind = self.metadata.get("playout.value", "wdl" if value.size == 3 else "scalar")
        checked_kinds(self.policy_kind, self.value_kind, self._place, FileError)
        self.players = value.size if self.value_kind == "players" else 0
        if (self.value_kind == "scalar" and value.size != 1) or (self.value_kind == "wdl" and value.size != 3):
            raise FileError(f"{self._place}: its value is called '{self.value_kind}', but has {value.size} columns")
        if self.value_kind == "wdl" and not (value.min() >= 0 and abs(value.sum() - 1) < 0.01):
            raise FileError(
                f"{self._place}: its win, draw and loss are {', '.join(f'{v:.3g}' for v in value.ravel())}, expected "
                f"probabilities; put the softmax into the network"
            )

    @property
    def _place(self) -> str:
        return str(self.path) if self.path else self.name

    def _outputs(self, observations: Any) -> tuple[Any, Any]:
        try:
            policy, value = self._session.run(["policy", "value"], {self._input: observations})
        except Exception as error:  # ONNX Runtime's are direct children of Exception
            raise EvaluatorError(f"{self.name}: ONNX Runtime failed: {_reason(error)}") from error
        return policy, value

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which opens the file again."""
        return {"path": self.path, "data": self._data, "threads": self.threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        source = state["data"] if state["path"] is None else state["path"]
        self.__init__(source, state["threads"])  # type: ignore[misc]  # nothing else is kept


def _session(path: Path | None, data: bytes | None, threads: int, name: str) -> Any:
    try:
        import onnxruntime  # noqa: PLC0415  # heavy, and optional
    except ImportError:
        raise SettingsError(f"{name}: networks need ONNX Runtime; pip install 'playout[nets]'") from None
    if path is not None:
        _check_readable(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the search needs the cores
    options.log_severity_level = 4  # errors are reported once, by us
    try:
        return onnxruntime.InferenceSession(
            data if path is None else str(path),
            options,
            providers=["CPUExecutionProvider"],
            enable_fallback=False,  # it would try the same again, and print that
        )
    except Exception as error:  # as above
        raise FileError(f"{path or name}: is not a network that ONNX Runtime can run: {_reason(error)}") from error


def _check_readable(path: Path) -> None:
    """Refuse a file that can't be read, in fewer words than ONNX Runtime."""
    try:
        if not path.exists():
            raise FileError(f"{path}: no such file")
        if not path.is_file():
            raise FileError(f"{path}: is not a regular file, expected a network")
        with path.open("rb") as file:
            if not file.read(1):
                raise FileError(f"{path}: is empty, expected a network")
    except OSError as error:
        raise FileError(f"{path}: can't be read ({error.strerror or error})") from None


def _reason(error: Exception) -> str:
    """ONNX Runtime's message, on one line and without its codes."""
    text = " ".join(re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", str(error)).split())
    return f"{text[:240]}{'…' if len(text) > 240 else ''}" or type(error).__name__


def _listed(names: Any) -> str:
    return ", ".join(names) or "(none)"
