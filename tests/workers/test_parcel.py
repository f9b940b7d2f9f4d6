"""Users' files on their way to another machine."""

import os
import pickle
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from playout.common import sources
from playout.errors import FileError, SettingsError
from playout.play.source import GameSource
from playout.workers.parcel import KEEP_FILES, KEEP_SECONDS, Parcel, hash_of, parcel_of, received_file, received_folder

pytestmark = pytest.mark.compiled_only


NIM = """
from playout.games.tictactoe import TicTacToe

class Mine(TicTacToe):
    pass
"""
TSP = "NAME: t\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nEOF\n"


@pytest.fixture(autouse=True)
def nothing_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the files that other tests have loaded, and with a folder of its own for what arrives."""
    monkeypatch.setattr(sources, "_moved", {})
    monkeypatch.setattr(sources, "_loaded", {})
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


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


def test_a_game_of_a_relative_path_is_found_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one whose settings name a file, which is gone there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "relative_nim.py").write_text(NIM, encoding="utf-8")
    (tmp_path / "three.tsp").write_text(TSP, encoding="utf-8")
    nim = pickle.dumps(GameSource.of("relative_nim.py:Mine", None, "the test"))
    tour = GameSource.of("tsp", {"file": "three.tsp"}, "the test")
    before = tour.load().values
    (tmp_path / "three.tsp").unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert type(pickle.loads(nim).load()).__name__ == "Mine"
    assert pickle.loads(pickle.dumps(tour)).load().values == before


def test_a_relative_name_of_a_network_is_found_where_the_file_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.onnx").write_bytes(b"weights")
    parcel = parcel_of("mine.onnx", str(tmp_path / "mine.onnx"))
    monkeypatch.chdir(Path(__file__).parent)
    assert sources.here("mine.onnx") == "mine.onnx"
    parcel.open()
    assert sources.here("mine.onnx") == str(tmp_path / "mine.onnx")


def test_what_cannot_be_pickled_is_refused() -> None:
    with pytest.raises(SettingsError, match="what is to be sent to other machines can't be pickled"):
        parcel_of(lambda: None)


def test_a_folder_that_others_may_have_made_is_refused(tmp_path: Path) -> None:
    folder = received_folder()
    folder.chmod(0o755)
    with pytest.raises(FileError, match="can be read or written by other users"):
        received_folder()
    folder.rmdir()
    (tmp_path / "precious").mkdir(mode=0o700)
    os.utime(tmp_path / "precious", (0, 0))
    folder.symlink_to(tmp_path)
    with pytest.raises(FileError, match="is not a folder"):
        received_folder()
    assert (tmp_path / "precious").is_dir()


def test_only_what_was_not_used_for_a_day_is_removed(tmp_path: Path) -> None:
    network = tmp_path / "some.onnx"
    network.write_bytes(b"weights")
    parcel = parcel_of(str(network))
    network.unlink()
    used = received_folder() / parcel.digest
    unused = received_folder() / "unused"
    for folder in (used, unused):
        (folder / "below").mkdir(parents=True)
        old = folder.stat().st_mtime - KEEP_SECONDS / 2
        os.utime(folder, (old, old))
    parcel.open()
    for folder in (used, unused):
        old = folder.stat().st_mtime - KEEP_SECONDS * 3 / 4
        os.utime(folder, (old, old))
    assert [path.name for path in received_folder().iterdir()] == [parcel.digest]
    assert Path(sources.here(str(network))).read_bytes() == b"weights"


def test_the_newest_networks_are_kept() -> None:
    for number in range(KEEP_FILES):
        path = received_file(b"old", f"{number}.fast")
        when = path.stat().st_mtime - 1000 + number
        os.utime(path, (when, when))
    assert received_file(b"new", "new.fast").read_bytes() == b"new"
    found = {path.name for path in received_folder().iterdir()}
    assert len(found) == KEEP_FILES
    assert "0.fast" not in found


def test_a_file_that_fails_on_the_way_is_told_and_not_fatal(tmp_path: Path) -> None:
    """It may be one of those that nothing on the other machine needs."""
    (tmp_path / "unneeded_file.py").write_text("import sys\nsys.exit('no such package')\n", encoding="utf-8")
    path = str(tmp_path / "unneeded_file.py")
    assert sources.load_moved({}, [], [("unneeded_file", path)]) == ["unneeded_file.py: SystemExit: no such package"]
