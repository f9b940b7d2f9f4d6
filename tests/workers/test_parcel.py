"""Users' files on their way to another machine."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from playout.errors import FileError, SettingsError
from playout.workers.parcel import Parcel, hash_of, parcel_of

pytestmark = pytest.mark.compiled_only


class Defined:
    """Something of a user's."""


def test_a_file_that_arrives_changed_is_refused(tmp_path: Path) -> None:
    network = tmp_path / "some.onnx"
    network.write_bytes(b"weights")
    parcel = parcel_of(str(network))
    assert [file.digest for file in parcel.files if file.names[0] == str(network)] == [hash_of(b"weights")]
    changed = Parcel(tuple(replace(file, data=file.data + b"!") for file in parcel.files))
    with pytest.raises(FileError, match="arrived with another hash than it was sent with"):
        changed.open()


def test_what_the_script_itself_defines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Defined, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Defined", Defined, raising=False)
    with pytest.raises(SettingsError, match="put it into a file of its own"):
        parcel_of(Defined)
