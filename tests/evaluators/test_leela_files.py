"""Leela's files: small networks written by hand, against what they must answer and against every damage."""

import contextlib
import gzip

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playout.core.jit import COMPILED
from playout.errors import FileError, PlayoutError
from playout.evaluators import leela, leela_model

from .test_leela import GAME, KIWIPETE, answers, session
from .tiny_leela import Tiny, part

# Small networks, computed by hand

KINDS = {
    "squeeze-excitation": {},
    "no squeeze-excitation": {"squeeze": False},
    "fully connected policy": {"convolutional": False},
    "scalar value": {"wdl": False},
    "no blocks": {"blocks": 0},
    "no scales": {"scales": False},
    "no format": {"convolutional": False, "wdl": False, "squeeze": False, "no format": True},
    "old structure": {"convolutional": False, "wdl": False, "format 3": 2, "format 4": 0, "format 5": 0},
}


@pytest.mark.parametrize("kind", KINDS)
def test_small_networks_of_each_kind_answer_as_computed_by_hand(kind, tmp_path):
    tiny = Tiny(**KINDS[kind])
    model = leela_model.to_onnx(leela.read(tiny.save(tmp_path)))
    onnx.checker.check_model(model, full_check=True)
    planes = np.stack([GAME.position(text).observe() for text in ("startpos", KIWIPETE, "startpos moves e2e4")])
    policy, value = answers(model.SerializeToString(), planes)
    assert policy.shape == (3, 1858)
    assert value.shape == (3, 3 if tiny.wdl else 1)
    expected_policy, expected_value = tiny.answers(planes)
    assert np.abs(policy - expected_policy).max() < 1e-4
    assert np.abs(value - expected_value).max() < 1e-5
    facts = {pair.key: pair.value for pair in model.metadata_props}
    assert (facts["playout.game"], facts["playout.form"], facts["playout.policy"]) == ("chess", "leela", "logits")
    assert facts["playout.value"] == ("wdl" if tiny.wdl else "scalar")
    assert len(facts["playout.source"]) == 64


# Damaged files

WRONG = {
    "wrong magic number": ({"magic": 0x1C1}, "magic number 0x1c1, expected 0x1c0"),
    "other encoding": ({"encoding": 2}, "encoding of weights 2 is not supported, expected 1 (LINEAR16)"),
    "canonical planes": ({"format 1": 3}, "input format 3 (canonical)"),
    "attention body": ({"format 3": 6}, "network structure 6 (attention body)"),
    "unknown structure": ({"format 3": 99}, "network structure 99 is not"),
    "attention policy": ({"format 4": 3}, "policy format 3 (attention)"),
    "unknown value": ({"format 5": 7}, "value format 7 is not"),
    "mish": ({"activation": 1}, "activation 1 (mish)"),
    "format is a text": ({"format 1": b"one"}, "is a text, expected a number"),
    "encoders": ({"more_weights": part(27, b"")}, "a network with attention"),
    "an ONNX model": ({"more": part(11, b"")}, "holds an ONNX model"),
    "no weights": ({"no weights": True}, "has no weights"),
    "short tensor": ({"shape of input.w": (3, 112, 3, 2)}, "the input's weights are 2016 numbers, expected 3024"),
    "odd bytes": ({"more of input.w": b"x"}, "6049 bytes, expected two for each number"),
    "NaN": ({"range of input.w": (float("nan"), 1.0)}, "expected finite numbers"),
    "infinity": ({"range of value.w1": (0.0, float("inf"))}, "the value's first layer's weights lie between"),
    "too large": ({"range of input.g": (3e38, 3e38), "range of input.v": (0.0, 0.0)}, "become infinite"),
    "negative variance": ({"range of 1b.v": (-2.0, -1.0)}, "block 2's second convolution has a variance of -"),
    "missing variances": ({"shape of 0a.v": (0,)}, "block 1's first convolution's variances are 0 numbers, expected 3"),
    "73 policy planes": (
        {"shape of policy.w": (73, 3, 3, 3), "shape of policy.b": (73,)},
        "the policy has 73 filters, expected 80",
    ),
    "no policy": ({"shape of policy1.m": (0,)}, "the policy's first convolution has 0 filters"),
    "one value of three": (
        {"shape of value.w2": (1, 5)},
        "the value's last layer's weights are 5 numbers, expected 15",
    ),
    "squeeze-excitation": ({"shape of 0w2": (3, 2)}, "second layer's weights are 6 numbers, expected 12 (6 x 2)"),
}


def refusal(path):
    with pytest.raises(FileError) as error:
        leela.read(path)
    text = str(error.value)
    assert str(path) in text
    assert "\n" not in text
    return text


@pytest.mark.parametrize("what", WRONG)
def test_networks_with_something_wrong_are_refused(what, tmp_path):
    wrong, reason = WRONG[what]
    assert reason in refusal(Tiny(**wrong).save(tmp_path))


WHOLE = Tiny().data
FILES = {
    "empty": (b"", "not a gzip file (it begins with nothing)"),
    "a text": (b"hello", "not a gzip file (it begins with 68 65)"),
    "not packed": (WHOLE, "not a gzip file"),
    "cut off": (gzip.compress(WHOLE)[:-20], "cut off after"),
    "only a header": (gzip.compress(WHOLE)[:5], "cut off after 5 bytes"),
    "a wrong checksum": (gzip.compress(WHOLE)[:-8] + bytes(8), "gzip data is damaged"),
    "damaged in the middle": (
        gzip.compress(WHOLE)[:2000] + bytes(50) + gzip.compress(WHOLE)[2050:],
        "gzip data is damaged",
    ),
    "bytes behind it": (gzip.compress(WHOLE) + b"more", "4 bytes follow"),
    "nothing inside": (gzip.compress(b""), "magic number 0x0"),
    "weights as text": (gzip.compress(b"2\n0.1 0.2 0.3\n"), "expected"),
    "message cut off": (gzip.compress(WHOLE[:-10]), "ends in the middle of a value"),
    "a group": (gzip.compress(WHOLE + b"\x0b"), "unknown kind 3"),
    "a number without end": (gzip.compress(WHOLE + b"\x08" + b"\xff" * 20), "a number that does not end"),
    "a number for a message": (gzip.compress(WHOLE + part(10, 5)), "field 10 of the network is a number"),
    "a length past the end": (gzip.compress(WHOLE + b"\x12\xff\xff\xff\xff\x0f"), "ends in the middle of a value"),
}


@pytest.mark.parametrize("what", FILES)
def test_damaged_files_are_refused(what, tmp_path):
    data, reason = FILES[what]
    path = tmp_path / "damaged.pb.gz"
    path.write_bytes(data)
    assert reason in refusal(path)


def test_files_that_are_not_there_or_too_large_are_refused(tmp_path, monkeypatch):
    assert "No such file" in refusal(tmp_path / "none.pb.gz")
    assert "can't be read" in refusal(tmp_path)
    path = tmp_path / "bomb.pb.gz"
    path.write_bytes(gzip.compress(bytes(100_000)))
    monkeypatch.setattr(leela, "MOST_BYTES", 50_000)
    assert "unpacks to more than" in refusal(path)
    monkeypatch.setattr(leela, "MOST_BYTES", 50)
    assert "is larger than" in refusal(path)


@settings(max_examples=200 if COMPILED else 40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=8), st.integers(0, 40))
def test_any_change_is_read_or_refused(changes, cut):
    data = bytearray(WHOLE[: len(WHOLE) - cut])
    for at, byte in changes:
        data[min(at % 400 if at % 2 else at, len(data) - 1)] = byte  # half of them near the head
    with contextlib.suppress(PlayoutError):
        leela._parsed("a file", gzip.compress(bytes(data), 1))


# The cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(leela_model, "base_folder", lambda: folder)
    return folder


def test_a_network_is_converted_once(folder, tmp_path, monkeypatch):
    path = Tiny().save(tmp_path)
    first = leela_model.converted(path)
    assert first.parent == folder / "networks"
    assert first.name.endswith(f"-{leela_model.CONVERTER}.onnx")
    assert len(first.name.split("-")[0]) == 64
    monkeypatch.setattr(leela_model, "to_onnx", lambda network: pytest.fail("converted again"))
    assert leela_model.converted(str(path)) == first
    assert [file.name for file in first.parent.iterdir()] == [first.name]
    onnx.checker.check_model(str(first), full_check=True)
    facts = session(first).get_modelmeta().custom_metadata_map
    assert first.name.startswith(facts["playout.source"])


@pytest.mark.parametrize("damage", ["cut", "changed", "emptied"])
def test_a_damaged_model_is_made_again(folder, tmp_path, damage):
    path = Tiny().save(tmp_path)
    model = leela_model.converted(path)
    whole = model.read_bytes()
    model.write_bytes({"cut": whole[:-1], "changed": whole[:500] + b"!" + whole[501:], "emptied": b""}[damage])
    assert leela_model.converted(path) == model
    assert model.read_bytes() == whole


def test_another_version_of_the_converter_makes_its_own_model(folder, tmp_path, monkeypatch):
    path = Tiny().save(tmp_path)
    first = leela_model.converted(path)
    monkeypatch.setattr(leela_model, "CONVERTER", leela_model.CONVERTER + 1)
    assert leela_model.converted(path) != first


def test_without_a_folder_to_write_to_the_model_lies_in_a_temporary_one(folder, tmp_path):
    folder.write_text("a file, where a folder should be")
    path = Tiny().save(tmp_path)
    model = leela_model.converted(path)
    assert folder not in model.parents
    assert session(model).get_modelmeta().custom_metadata_map["playout.form"] == "leela"
    assert leela_model.converted(path) == model


def test_without_any_place_to_write_to_the_reason_is_told(folder, tmp_path, monkeypatch):
    path = Tiny().save(tmp_path)
    folder.write_text("a file, where a folder should be")
    monkeypatch.setattr(leela_model, "_temporary_folder", lambda: folder / "none")
    with pytest.raises(FileError, match="PLAYOUT_CACHE_DIR"):
        leela_model.converted(path)


def test_a_damaged_network_leaves_nothing_behind(folder, tmp_path):
    path = tmp_path / "bad.pb.gz"
    path.write_bytes(b"bad")
    with pytest.raises(FileError, match=r"bad\.pb\.gz"):
        leela_model.converted(path)
    assert not folder.exists()
