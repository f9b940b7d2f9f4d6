"""Files of networks that run inside the search: the round trip, the bytes, and every way in which one can be wrong."""

import hashlib
import json
import struct

import numpy as np
import pytest

import playout as po
from playout import games
from playout.errors import FileError, GameError, SettingsError
from playout.evaluators import SHIPPED
from playout.evaluators.fast import ARRAYS, FastNetwork, empty_network, fast_for, load_fast, save_fast
from playout.settings import is_fast
from tests.game.objects import Board
from tests.games.toy_games import Nim, NimOfThree

from .sparse import SETTINGS, SparseNim, random_network, saved
from .test_networks import refusal

CONNECT4 = games.load("connect4")


def sealed(data: bytes) -> bytes:
    return data + hashlib.sha256(data).digest()


def with_header(data: bytes, **changes) -> bytes:
    """The same file with another header, whole."""
    length = struct.unpack_from("<I", data, 12)[0]
    header = json.loads(data[16 : 16 + length])
    for key, value in changes.items():
        header.pop(key)
        if value is not None:
            header[key] = value
    return with_text(data, json.dumps(header).encode())


def with_text(data: bytes, text: bytes) -> bytes:
    length = struct.unpack_from("<I", data, 12)[0]
    return sealed(data[:12] + struct.pack("<I", len(text)) + text + data[16 + length : -32])


def test_what_is_written_comes_back(tmp_path):
    network = random_network(CONNECT4, 24, "scalar", "clipped", about="by hand, für Tests")
    save_fast(tmp_path / "net.fast", network)
    found = load_fast(tmp_path / "net.fast")
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(network, name))
    assert (found.game, found.game_version, found.activation, found.value_kind) == ("connect4", 1, "clipped", "scalar")
    assert (found.value_range, found.about, found.name) == ((-1.0, 1.0), "by hand, für Tests", "net.fast")


def test_the_bytes_of_a_file(tmp_path):
    network = empty_network("Tiny", features=1, hidden=8, moves=1)
    network.inputs[0, 0], network.policy_bias[0] = 1.0, -2.0
    save_fast(tmp_path / "tiny.fast", network)
    data = (tmp_path / "tiny.fast").read_bytes()
    header = (
        b'{"game": "Tiny", "game_version": 1, "features": 1, "hidden": 8, "activation": "squared", "value": "scalar", '
        b'"value_range": [-1.0, 1.0], "moves": 1, "about": ""}'
    )
    weights = bytes.fromhex("0000803f") + bytes(4 * 32) + bytes.fromhex("000000c0")  # 8 + 8 + 8 + 1 + 8 + 1 numbers
    assert data == sealed(b"PLAYFAST" + struct.pack("<II", 1, len(header)) + header + weights)


def test_what_a_network_builds_on_comes_back(tmp_path):
    file = saved(tmp_path, random_network(CONNECT4, base_value=0.75, base_policy=1.5))
    found = load_fast(file)
    assert (found.base_value, found.base_policy) == (0.75, 1.5)
    assert (tmp_path / "net.fast").read_bytes()[8] == 2  # readers of version 1 would leave it out, and must refuse it
    network = random_network(CONNECT4, base_value=0.75)
    network.base_value = float("nan")
    assert "base_value is nan, expected a weight up to 1000" in refusal(FileError, save_fast, file, network)


def test_an_old_file_stays_when_the_new_one_is_refused(tmp_path):
    file = saved(tmp_path, random_network(CONNECT4))
    before = (tmp_path / "net.fast").read_bytes()
    network = random_network(CONNECT4, seed=1)
    network.value[0, 3] = np.nan
    assert "value has a weight of nan" in refusal(FileError, save_fast, file, network)
    assert (tmp_path / "net.fast").read_bytes() == before
    assert "can't be written" in refusal(FileError, save_fast, tmp_path / "none" / "x.fast", random_network(CONNECT4))


DAMAGES = {
    "empty": (lambda data: b"", "is not a fast network (it does not begin with PLAYFAST)"),
    "another format": (lambda data: b"\x08\x08" + data, "is not a fast network"),
    "only its beginning": (lambda data: data[:20], "is damaged (it ends after 20 bytes)"),
    "cut off": (lambda data: data[:-100], "is damaged (its checksum is wrong)"),
    "longer": (lambda data: data + b"\0", "is damaged (its checksum is wrong)"),
    "a bit": (lambda data: data[:999] + bytes([data[999] ^ 4]) + data[1000:], "is damaged (its checksum is wrong)"),
    "version": (
        lambda data: data[:8] + b"\7" + data[9:],
        "has version 7 of the format, this Playout reads versions up to 2",
    ),
    "no JSON": (lambda data: sealed(data[:16] + b"[" + data[17:-32]), "its header can't be used (JSONDecodeError"),
    "a long header": (
        lambda data: sealed(data[:12] + b"\xff\xff\xff\xff" + data[16:-32]),
        "its header can't be used (ValueError: a header of 4294967295 bytes)",
    ),
    "a list": (lambda data: sealed(data[:12] + struct.pack("<I", 2) + b"[]" + data[16:-32]), "its header can't be"),
    "no game": (lambda data: with_header(data, game=None), "its header can't be used (KeyError: 'game')"),
    "kind of value": (lambda data: with_header(data, value="mean"), "its header can't be used (KeyError: 'mean')"),
    "activation": (lambda data: with_header(data, activation="tanh"), "its activation is 'tanh', expected clipped or"),
    "hidden": (lambda data: with_header(data, hidden=12), "has 12 hidden units, expected a multiple of 8 up to 1024"),
    "hidden below": (lambda data: with_header(data, hidden=-8), "has -8 hidden units"),
    "more features": (lambda data: with_header(data, features=86), "bytes of weights for 86 x 40 x 7"),
    "far too many": (lambda data: with_header(data, moves=10**30), "bytes of weights for 85 x 40 x 1000000000000"),
    "range": (lambda data: with_header(data, value_range=[1, -1]), "its values go from 1 to -1, expected a finite"),
    "half a range": (lambda data: with_header(data, value_range=[1]), "its header can't be used (ValueError"),
    "three ends": (lambda data: with_header(data, value_range=[-1, 0, 1]), "its header can't be used (ValueError"),
    "deep": (lambda data: with_text(data, b"[" * 100_000), "its header can't be used (RecursionError"),
    "infinite": (
        lambda data: sealed(data[:-36] + struct.pack("<f", np.inf)),
        "policy_bias has a weight of inf, expected finite numbers up to 1e+30",
    ),
    "nan": (lambda data: sealed(data[:-36] + struct.pack("<f", np.nan)), "policy_bias has a weight of nan"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(damage, tmp_path):
    file = tmp_path / "net.fast"
    save_fast(file, random_network(CONNECT4))
    change, expected = DAMAGES[damage]
    file.write_bytes(change(file.read_bytes()))
    message = refusal(FileError, po.Search, "connect4", SETTINGS.replace(evaluator=po.Network(str(file))))
    assert expected in message
    assert str(file) in message


def test_files_that_are_not_there(tmp_path):
    for file, reason in (
        (tmp_path / "none.fast", "No such file"),
        (tmp_path, "Is a directory"),
        ("a\0b.fast", "null byte"),
    ):
        assert reason in refusal(FileError, load_fast, file)
    settings = SETTINGS.replace(evaluator=po.Network(str(tmp_path / "none.fast")))
    assert "can't be read: No such file" in refusal(FileError, po.Search, "connect4", settings)


def test_a_preset_takes_the_network_of_the_package_whatever_the_folder_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chess.fast").write_bytes(b"")
    chess = games.load("chess")
    preset = po.preset("chess").evaluator.file
    assert fast_for(preset, chess).inputs.shape == load_fast(SHIPPED / "chess.fast").inputs.shape
    assert "is not a fast network" in refusal(FileError, fast_for, "chess.fast", chess)  # the user's own comes first
    assert "can't be read" in refusal(FileError, fast_for, "shipped:none.fast", chess)
    assert is_fast(po.preset("chess").evaluator)


def test_a_file_that_changed_is_read_again(tmp_path):
    found = []
    for seed in range(2):
        evaluator = po.Network(saved(tmp_path, random_network(CONNECT4, 8 + 8 * seed, seed=seed)))
        found.append(po.Search("connect4", SETTINGS.replace(evaluator=evaluator)).tree.edges[:7].tolist())
    assert found[0] != found[1]


def test_networks_for_something_else_are_refused(tmp_path):
    file = saved(tmp_path, random_network(CONNECT4))
    settings = SETTINGS.replace(evaluator=po.Network(file))
    assert refusal(SettingsError, po.Search, "othello", settings) == "net.fast: a network for connect4, not for othello"

    def refused(game, **changes):
        network = random_network(SparseNim(), value="scalar")
        network.game = game.title
        for name, value in changes.items():
            setattr(network, name, value)
        evaluator = po.Network(saved(tmp_path, network, f"{game.title}.fast"))
        return refusal(SettingsError, po.Search, game, SETTINGS.replace(evaluator=evaluator))

    class Newer(SparseNim):
        version = 2

    class Wider(SparseNim):
        feature_count = 25

    class Longer(SparseNim):
        policy_size = 5

    class Varied(SparseNim):
        returns_sum = None

    assert refused(Newer()) == ("Newer.fast: was made for version 1 of Newer, which has version 2 now; train it again")
    assert refused(Wider()) == "Wider.fast: has 24 features, but Wider has 25"
    assert refused(Longer()) == "Longer.fast: has 4 moves in its policy, but Longer has 5"
    assert "one player, or two whose returns sum to a constant" in refused(Varied())
    assert "has values from -1 to 2, but those of SparseNim go from -1 to 1" in refused(
        SparseNim(), value_range=(-1.0, 2.0)
    )
    assert refused(SparseNim(), base_policy=1.0) == ("SparseNim.fast: builds on `priors` of SparseNim, which has none")
    assert "define `features(state, player, out)`, `feature_count`" in refused(Nim())
    assert "define `features" in refused(NimOfThree())
    board = po.wrap(Board())
    assert "is made of Python objects" in refusal(SettingsError, po.Search, board, settings)


def test_weights_that_do_not_fit_together_are_refused():
    good = random_network(CONNECT4)
    arrays = {name: getattr(good, name) for name in ARRAYS}
    for changes, expected in (
        ({"input_bias": np.zeros(48)}, "its layers don't fit together: inputs [85, 40], input_bias [48]"),
        ({"value": np.zeros((2, 40)), "value_bias": np.zeros(2)}, "has a value of 2 outputs, expected 1, or 3"),
        ({"policy_bias": np.zeros(8)}, "policy_bias has the shape [8], expected [7]"),
        ({"inputs": np.full((85, 40), 1e35)}, "inputs has a weight of 1e+35, expected finite numbers up to 1e+30"),
    ):
        assert expected in refusal(FileError, lambda c=changes: FastNetwork(**(arrays | c), game="connect4"))


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (
            {"batch": 8},
            "batch is 8, but 'x.fast' runs inside the search, which never waits for it; leave batch at auto",
        ),
        ({"virtual_loss": 0.5}, "settings: virtual_loss is 0.5, but"),
        ({"cache": 0}, "leave cache at 65536"),
        ({"threads": 2}, "settings: network_threads is 2, but"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_settings_that_would_do_nothing_are_refused(option, expected):
    assert expected in refusal(SettingsError, lambda: SETTINGS.replace(evaluator=po.Network("x.fast", **option)))


def test_asking_a_network_inside_the_search_is_refused(tmp_path):
    search = po.Search(CONNECT4, SETTINGS.replace(evaluator=po.Network(saved(tmp_path, random_network(CONNECT4)))))
    assert "this search evaluates by itself" in refusal(SettingsError, search.ask)


# Features of users' games


class TooLarge(SparseNim):
    feature_count = 12

    @staticmethod
    def features(state, player, out):
        out[0] = state.stones
        return 1


class Negative(SparseNim):
    @staticmethod
    def features(state, player, out):
        out[0], out[1] = 3, 15 - state.stones
        return 2


class TooMany(SparseNim):
    @staticmethod
    def features(state, player, out):
        out[0] = 0
        return 25 if state.stones < 18 else 1


class PastTheEnd(SparseNim):
    @staticmethod
    def features(state, player, out):
        for i in range(30 if state.stones < 18 else 2):
            out[i] = 1
        return 2


class Raising(SparseNim):
    @staticmethod
    def features(state, player, out):
        if state.stones < 18:
            raise ValueError("too few")
        return 0


class NoSuchPlayer(SparseNim):
    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else 2 if state.stones < 18 else state.turn


class WrongIndex(SparseNim):
    @staticmethod
    def action_index(state, action):
        return action if state.stones > 18 else state.stones


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            TooLarge,
            "TooLarge.features gave feature 21 in stones=21 turn=0, expected 0 to feature_count - 1 = 11; raise",
        ),
        (Negative, "Negative.features gave feature -6 in stones=21 turn=0, expected 0 to feature_count - 1 = 23"),
        (TooMany, "TooMany.features returned 25 features in stones=17 turn="),
        (
            PastTheEnd,
            "PastTheEnd.features wrote out[29], 30 entries in all, and the limit is the room for features, 24",
        ),
        (Raising, "Raising.features raised ValueError"),
        (NoSuchPlayer, "NoSuchPlayer.current_player returned 2 in stones=17 turn="),
        (WrongIndex, "has index 18, expected 0 to policy_size - 1 = 3; define `action_index(state, action)`"),
    ],
    ids=lambda given: given.__name__ if isinstance(given, type) else "",
)
def test_wrong_features_are_refused(kind, expected, tmp_path):
    game = kind()
    evaluator = po.Network(saved(tmp_path, random_network(game)))
    message = refusal(GameError, lambda: po.Search(game, SETTINGS.replace(evaluator=evaluator), seed=1).run(400))
    assert expected in message


def test_classes_with_features_need_their_number():
    class Uncounted(Nim):
        policy_size = 4

        @staticmethod
        def features(state, player, out):
            return 0

    class NoPolicy(Uncounted):
        feature_count, policy_size = 3, 0

    assert "Uncounted.feature_count is 0, expected how many features there are" in refusal(GameError, Uncounted)
    assert "NoPolicy.policy_size is 0" in refusal(GameError, NoPolicy)
    assert "has no features for a network inside the search" in refusal(GameError, Nim().position().features)
