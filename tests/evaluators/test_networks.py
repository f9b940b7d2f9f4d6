"""Networks from ONNX files and PyTorch modules, their export, and the checks of what evaluators answer."""

import contextlib
import errno
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import playout as po
from playout import games
from playout.errors import EvaluatorError, FileError, SettingsError
from playout.evaluators import SHIPPED
from playout.evaluators import network as base
from playout.evaluators.answers import checked, split
from playout.evaluators.network import smallest_good
from playout.evaluators.onnx import OnnxNetwork
from playout.evaluators.pytorch import TorchNetwork, export

PLANES, MOVES = (2, 3, 3), 9
RANDOM = np.random.default_rng(5)
POLICY_WEIGHTS = RANDOM.normal(size=(18, MOVES)).astype(np.float32)
TICTACTOE = games.load("tictactoe")
BATCH = RANDOM.random((5, *PLANES)).astype(np.float32)


def refusal(error, function, *arguments, **named) -> str:
    """The message of the error that a call raises, on one line."""
    with pytest.raises(error) as caught:
        function(*arguments, **named)
    message = str(caught.value)
    assert "\n" not in message
    return message


def value_weights(columns: int) -> np.ndarray:
    return np.random.default_rng(columns).normal(size=(18, columns)).astype(np.float32)


def model(
    columns: int = 1,
    softmax: bool = False,
    flat: bool = False,
    names: tuple[str, str] = ("policy", "value"),
    shape: tuple[object, ...] = ("batch", *PLANES),
    kind: int = TensorProto.FLOAT,
    column: int = 0,
    weights: np.ndarray = POLICY_WEIGHTS,
    **said: str,
) -> bytes:
    """A network of one layer for planes of 2 x 3 x 3, with metadata `playout.<key>`.

    A `column` other than 0 makes it read what is not there.
    """
    nodes = [
        helper.make_node("Cast", ["planes"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["flat"], axis=1),
        helper.make_node("MatMul", ["flat", "p"], [names[0]]),
        helper.make_node("MatMul", ["flat", "v"], ["judged"]),
        helper.make_node("Gather", ["judged", "columns"], ["raw"], axis=1),
    ]
    if softmax:
        nodes.append(helper.make_node("Softmax", ["raw"], [names[1]], axis=1))
    elif flat:
        nodes.append(helper.make_node("ReduceSum", ["raw", "axes"], [names[1]], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", ["raw"], [names[1]]))
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("planes", kind, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names],
        [
            numpy_helper.from_array(weights, "p"),
            numpy_helper.from_array(value_weights(columns), "v"),
            numpy_helper.from_array(np.array([1]), "axes"),
            numpy_helper.from_array(np.arange(columns) + column, "columns"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(made, {f"playout.{key}": text for key, text in said.items()})
    return made.SerializeToString()


def softmax(rows: np.ndarray) -> np.ndarray:
    powers = np.exp(rows.astype(np.float64) - rows.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


LOGITS = BATCH.reshape(5, 18) @ POLICY_WEIGHTS


# ONNX: what it answers


def test_a_file_that_says_nothing_has_logits_and_a_scalar():
    network = OnnxNetwork(model())
    policy, value = network(BATCH)
    assert (policy.dtype, value.dtype) == (np.float32, np.float32)
    np.testing.assert_allclose(policy, softmax(LOGITS), rtol=1e-4)
    np.testing.assert_allclose(value, (BATCH.reshape(5, 18) @ value_weights(1))[:, 0], rtol=1e-4, atol=1e-5)
    assert (network.planes, network.policy_size, network.metadata, network.players) == (PLANES, MOVES, {}, 0)
    network.check(TICTACTOE)


def test_three_columns_are_win_draw_and_loss():
    wdl = softmax(BATCH.reshape(5, 18) @ value_weights(3))
    for said in ({}, {"value": "wdl"}):
        _, value = OnnxNetwork(model(3, softmax=True, **said))(BATCH)
        np.testing.assert_allclose(value, wdl[:, 0] - wdl[:, 2], rtol=1e-4, atol=1e-5)


def test_a_value_without_columns():
    _, value = OnnxNetwork(model(flat=True, value="scalar"))(BATCH)
    np.testing.assert_allclose(value, (BATCH.reshape(5, 18) @ value_weights(1))[:, 0], rtol=1e-4, atol=1e-5)


def test_values_for_each_player_stay_as_they_are():
    network = OnnxNetwork(model(2, value="players"))
    _, value = network(BATCH)
    np.testing.assert_allclose(value, BATCH.reshape(5, 18) @ value_weights(2), rtol=1e-4, atol=1e-5)
    assert network.players == 2


def test_probabilities_stay_as_they_are():
    policy, _ = OnnxNetwork(model(policy="probabilities"))(BATCH)
    np.testing.assert_allclose(policy, LOGITS, rtol=1e-4, atol=1e-5)


def test_large_logits_do_not_overflow():
    policy, _ = OnnxNetwork(model(weights=POLICY_WEIGHTS * 10_000))(BATCH)
    assert np.isfinite(policy).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    assert (policy.argmax(axis=1) == LOGITS.argmax(axis=1)).all()


def test_each_row_is_answered_alone_and_none_too():
    network = OnnxNetwork(model())
    policy, value = network(BATCH)
    for row in range(5):
        alone = network(BATCH[row : row + 1])
        np.testing.assert_allclose(alone[0][0], policy[row], rtol=1e-5)
        np.testing.assert_allclose(alone[1][0], value[row], rtol=1e-4, atol=1e-6)
    policy, value = network(BATCH[:0])
    assert (policy.shape, value.shape) == ((0, MOVES), (0,))


def test_observations_in_another_order_of_memory_or_type():
    network = OnnxNetwork(model())
    for given in (np.asfortranarray(BATCH), BATCH.astype(np.float64), BATCH.tolist()):
        np.testing.assert_allclose(network(given)[0], network(BATCH)[0], rtol=1e-5)


def test_metadata_name_and_repr(tmp_path):
    path = tmp_path / "small.onnx"
    path.write_bytes(model(game="tictactoe", note="trained by hand"))
    network = OnnxNetwork(path)
    assert network.metadata == {"playout.game": "tictactoe", "playout.note": "trained by hand"}
    assert (network.name, repr(network)) == ("small.onnx", "<OnnxNetwork small.onnx for tictactoe>")
    assert repr(OnnxNetwork(model())) == "<OnnxNetwork network>"


def test_a_network_in_another_process_opens_its_file_anew(tmp_path, monkeypatch):
    (tmp_path / "small.onnx").write_bytes(model(game="tictactoe"))
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(OnnxNetwork("small.onnx", threads=2))
    assert len(data) < 1000
    monkeypatch.chdir("/")
    again = pickle.loads(data)
    assert (again.threads, again.metadata) == (2, {"playout.game": "tictactoe"})
    np.testing.assert_allclose(again(BATCH)[0], softmax(LOGITS), rtol=1e-4)
    (tmp_path / "small.onnx").unlink()
    assert "no such file" in refusal(FileError, pickle.loads, data)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(OnnxNetwork(model())))(BATCH)[0], softmax(LOGITS), rtol=1e-4)


# ONNX: what is refused


def test_files_that_are_no_networks(tmp_path):
    whole = model()
    for name, content in {"empty": b"", "text": b"no network", "cut": whole[: len(whole) // 2]}.items():
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(content)
        assert refusal(FileError, OnnxNetwork, path).startswith(f"{path}: is ")
    refusal(FileError, OnnxNetwork, b"")
    assert "not a network that ONNX Runtime can run" in refusal(FileError, OnnxNetwork, whole[:100])
    missing = tmp_path / "missing.onnx"
    assert refusal(FileError, OnnxNetwork, str(missing)) == f"{missing}: no such file"
    assert refusal(FileError, OnnxNetwork, tmp_path).endswith("not a regular file, expected a network")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (model(names=("policy", "wdl")), "outputs policy, wdl, expected one input and the outputs policy and value"),
        (model(shape=(1, *PLANES)), "shape 1, 2, 3, 3, expected a free first dimension"),
        (model(shape=("batch", "planes", 3, 3)), "shape batch, planes, 3, 3, expected a free first dimension"),
        (model(kind=TensorProto.DOUBLE), "its input is a tensor(double), expected tensor(float)"),
        (model(shape=("batch", 3, 3, 3)), "not a network that ONNX Runtime can run: "),
        (model(column=99), "can't be run: ONNX Runtime failed: "),
        (model(policy="odds"), "its policy is called 'odds', expected logits or probabilities"),
        (model(value="elo"), "its value is called 'elo', expected scalar or wdl or players"),
        (model(2), "its value is called 'scalar', but has 2 columns"),
        (model(2, value="wdl"), "its value is called 'wdl', but has 2 columns"),
        (model(3), "win, draw and loss are 0, 0, 0, expected probabilities"),
    ],
    ids=[
        "outputs",
        "fixed-batch",
        "free-planes",
        "double",
        "layers",
        "fails",
        "policy",
        "value",
        "scalar-2",
        "wdl-2",
        "no-softmax",
    ],
)
def test_networks_of_another_make(made, message):
    assert message in refusal(FileError, OnnxNetwork, made)


def test_a_small_file_that_wants_to_see_very_much():
    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["planes"], [name], axes=[2, 3], keepdims=0) for name in ("policy", "value")],
        "network",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ("batch", 1, 1_000_000, 100_000))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("policy", "value")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
    assert "sees 100,000,000,000 numbers of a position, expected at most" in refusal(FileError, OnnxNetwork, made)


def test_damaged_files_are_refused_without_a_word_to_standard_output(capfd):
    good, random = (SHIPPED / "connect4.onnx").read_bytes(), np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(good)
        for at in random.integers(2000, size=3):
            damaged[at] ^= 1 << int(random.integers(8))
        with contextlib.suppress(FileError):
            OnnxNetwork(bytes(damaged))
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_that_can_not_be(threads):
    assert "threads is" in refusal(SettingsError, OnnxNetwork, model(), threads)
    assert "threads is" in refusal(SettingsError, TorchNetwork, Small(), threads=threads)


def test_observations_of_the_wrong_shape():
    network = OnnxNetwork(model())
    message = refusal(EvaluatorError, network, np.zeros((4, 2, 6, 7)))
    assert message == "network: observations of shape (4, 2, 6, 7), expected (B, 2, 3, 3) with B of them"
    refusal(EvaluatorError, network, BATCH[0])
    refusal(EvaluatorError, network, 1.0)
    assert "can't read the observations" in refusal(EvaluatorError, network, [["x"]])
    assert "can't read the observations" in refusal(EvaluatorError, network, [[1], [1, 2]])


def test_names_of_files(tmp_path):
    assert po.Network(Path("some") / "net.onnx").file == "some/net.onnx"
    for name in (tmp_path / "none.onnx", "c4\0.onnx"):
        settings = po.preset("network", evaluator=po.Network(name))
        assert "the network can't be read" in refusal(FileError, po.Search, TICTACTOE, settings)
    message = refusal(SettingsError, po.Search, games.load("suika"), "network")
    assert "it has nothing that one could see: define `observe" in message
    assert "train one: playout train chess" in refusal(SettingsError, po.Search, games.load("chess"), "network")


@pytest.mark.parametrize(
    ("made", "game", "message"),
    [
        (model(game="othello"), "tictactoe", "a network for othello, not for tictactoe"),
        (model(), "connect4", "sees planes of 2 x 3 x 3, but connect4 has 2 x 6 x 7"),
        (model(weights=POLICY_WEIGHTS[:, :7]), "tictactoe", "has a policy of 7 moves, but tictactoe has 9"),
        (model(4, value="players"), "tictactoe", "has values for 4 players, but tictactoe has 2"),
        (model(form="katago"), "tictactoe", "a network of the unknown form 'katago', expected 'leela' or none"),
        (model(form="leela"), "chess", "Leela's are those of playout.games.chess.leela.LeelaChess"),
        (model(), "target_sum", "target_sum has nothing that a network could see"),
    ],
    ids=["game", "planes", "policy", "players", "form", "leela", "blind"],
)
def test_networks_for_other_games(made, game, message):
    assert message in refusal(SettingsError, OnnxNetwork(made).check, games.load(game))


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "pip install 'playout[nets]'" in refusal(SettingsError, OnnxNetwork, model())
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "pip install 'playout[nets]'" in refusal(SettingsError, export, Small(), TICTACTOE, "x.onnx")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "pip install 'playout[train]'" in refusal(SettingsError, TorchNetwork, Small())


def test_importing_loads_no_library():
    code = (
        "import sys, playout, playout.evaluators.onnx, playout.evaluators.pytorch, playout.evaluators.answers;"
        "print([n for n in ('torch', 'onnx', 'onnxruntime') if n in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


# Batches


def test_the_smallest_batch_that_is_fast_enough():
    assert smallest_good(lambda size: 0.0001 * size, 256) == 1  # nothing is gained
    assert smallest_good(lambda size: 0.001, 256) == 256  # all at once
    assert smallest_good(lambda size: 0.001, 100) == 64
    assert smallest_good(lambda size: 0.0001 * max(size, 16), 256) == 16
    assert smallest_good(lambda size: 0.0001 * max(size, 16) * (1.08 if size == 16 else 1), 256) == 16


def test_batches_that_take_too_long_are_not_tried():
    tried = []

    def seconds(size: int) -> float:
        tried.append(size)
        return 0.1 * size

    assert smallest_good(seconds, 256) == 1
    assert tried == [1, 2, 4]


def test_a_busy_moment_does_not_speak_against_a_size():
    busy = iter([False, True, True, *[False] * 6])
    assert smallest_good(lambda size: 0.001 * (5 if next(busy) else 1), 4) == 4


def test_best_batch_is_measured_once(monkeypatch):
    monkeypatch.setattr(base, "MEASURED", 0.0)
    network, sizes = OnnxNetwork(model()), []
    outputs = network._outputs

    def counted(observations):
        sizes.append(len(observations))
        return outputs(observations)

    monkeypatch.setattr(network, "_outputs", counted)
    found = network.best_batch(limit=4)
    assert sizes == 3 * [1, 1, 1, 2, 2, 2, 4, 4, 4]  # in each round, once to warm up and twice by the clock
    assert found in (1, 2, 4)
    assert network.best_batch(limit=4) == found
    assert len(sizes) == 27
    for limit in (0, 2.0, True):
        assert "the largest batch is" in refusal(SettingsError, network.best_batch, limit)


# PyTorch


class Small(torch.nn.Module):
    """Convolution, normalisation and dropout, so that training and evaluation differ."""

    def __init__(self, game=TICTACTOE, columns: int = 1, policy: int = 0) -> None:
        super().__init__()
        self.columns = columns
        planes, rows, files = game.planes
        self.body = torch.nn.Sequential(
            torch.nn.Conv2d(planes, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Dropout()
        )
        self.policy = torch.nn.Linear(4 * rows * files, policy or game.policy_size)
        self.value = torch.nn.Linear(4 * rows * files, columns)

    def forward(self, planes):
        seen = self.body(planes).flatten(1)
        value = self.value(seen)
        return self.policy(seen), torch.softmax(value, 1) if self.columns == 3 else torch.tanh(value)


def seeded(*arguments, **named) -> Small:
    torch.manual_seed(3)
    return Small(*arguments, **named)


def observations(game, count: int = 6) -> np.ndarray:
    position, found = game.position(), []
    for _ in range(count):
        found.append(position.observe())
        position = position.play(position.actions()[-1])
    return np.array(found)


def test_a_module_answers_as_in_evaluation_mode_and_keeps_its_own():
    module = seeded()
    module.train()
    module.body[3].eval()  # one part frozen by its owner
    network = TorchNetwork(module, TICTACTOE)
    policy, value = network(BATCH)
    assert [part.training for part in module.body] == [True, True, True, False]
    module.eval()
    with torch.no_grad():
        logits, scalar = module(torch.from_numpy(BATCH))
    np.testing.assert_allclose(policy, softmax(logits.numpy()), rtol=1e-5)
    np.testing.assert_allclose(value, scalar.numpy()[:, 0], rtol=1e-5)
    assert int(module.body[1].num_batches_tracked) == 0
    assert (network.planes, network.policy_size, network.metadata["playout.game"]) == (PLANES, MOVES, "tictactoe")


def test_a_module_can_be_the_evaluator_of_the_settings():
    settings = po.Settings(policy=po.PUCT(1.25), evaluator=seeded(), ties="first")
    wrapped = settings.replace(evaluator=po.TorchNetwork(seeded(), TICTACTOE))
    found = [po.Search(TICTACTOE, s).run(60) for s in (settings, wrapped)]
    assert [a.visits for a in found[0].actions] == [a.visits for a in found[1].actions]
    assert len({a.prior for a in found[0].actions}) == 9
    with pytest.raises(EvaluatorError, match=r"Small: its value has the shape \(1, 3\)"):
        po.Search(TICTACTOE, settings.replace(evaluator=seeded(columns=3)))


def test_read_only_observations():
    locked = BATCH.copy()
    locked.flags.writeable = False
    network = TorchNetwork(seeded(), TICTACTOE)
    np.testing.assert_array_equal(network(locked)[0], network(BATCH)[0])


def test_win_draw_and_loss_of_a_module():
    module = seeded(columns=3).eval()
    _, value = TorchNetwork(module, TICTACTOE, value="wdl")(BATCH)
    with torch.no_grad():
        wdl = module(torch.from_numpy(BATCH))[1].numpy()
    np.testing.assert_allclose(value, wdl[:, 0] - wdl[:, 2], rtol=1e-4, atol=1e-6)


class Nosy(Small):
    """Says how many threads there are while it is asked, and then fails if it should."""

    threads = 0
    fails = False

    def forward(self, planes):
        self.threads = torch.get_num_threads()
        if self.fails:
            raise RuntimeError("no more\nmemory")
        return super().forward(planes)


def test_threads_are_set_for_a_call_only():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        module = Nosy()
        network = TorchNetwork(module, TICTACTOE, threads=1)
        assert (module.threads, torch.get_num_threads()) == (1, 2)
        module.fails = True
        assert refusal(EvaluatorError, network, BATCH) == "Nosy raised RuntimeError: no more memory"
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


class Odd(torch.nn.Module):
    """Answers whatever it was given."""

    def __init__(self, answer) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, planes):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "Odd returned None, expected a pair (policy, value)"),
        (torch.zeros(1, 9), "Odd returned Tensor, expected a pair"),
        ((1, 2, 3), "Odd returned tuple of length 3, expected a pair"),
        ((torch.zeros(1, 9), 0.5), "Odd returned float for 1 observations, expected tensors with a row for each"),
        ((torch.zeros(2, 9), torch.zeros(1)), "Odd returned [2, 9] for 1 observations"),
        ((torch.zeros(()), torch.zeros(1)), "Odd returned [] for 1 observations"),
        ((torch.zeros(1, 9), torch.zeros(1, 2)), "its value has the shape (1, 2), expected [B] or [B, 1] for 'scalar'"),
    ],
    ids=["none", "tensor", "three", "float", "rows", "no-rows", "columns"],
)
def test_modules_that_answer_something_else(answer, message):
    assert message in refusal(EvaluatorError, TorchNetwork, Odd(answer), TICTACTOE)


def test_modules_for_other_games():
    assert "has a policy of 7 moves" in refusal(SettingsError, TorchNetwork, seeded(policy=7), TICTACTOE)
    assert "Small raised RuntimeError" in refusal(EvaluatorError, TorchNetwork, seeded(), games.load("othello"))
    connect4 = games.load("connect4")
    message = refusal(SettingsError, TorchNetwork(seeded(), TICTACTOE).check, connect4)
    assert message == "Small: a network for tictactoe, not for connect4"
    network = TorchNetwork(seeded())
    network.check(TICTACTOE)
    assert refusal(SettingsError, network.check, connect4).endswith("2 x 3 x 3, but connect4 has 2 x 6 x 7")
    assert "its policy is called 'x'" in refusal(SettingsError, TorchNetwork, seeded(), policy="x")


def test_a_module_without_a_game_learns_its_shape_by_check():
    network = TorchNetwork(seeded())
    assert "call `check(game)` first" in refusal(SettingsError, network.best_batch)
    network.check(TICTACTOE)
    assert (network.planes, network.policy_size) == (PLANES, MOVES)
    assert network(BATCH)[0].shape == (5, MOVES)


# Export


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "chess"])
@pytest.mark.parametrize(("value", "columns"), [("scalar", 1), ("wdl", 3)])
def test_an_exported_module_gives_the_same_answers(tmp_path, name, value, columns):
    game = games.load(name)
    module, path = seeded(game, columns), tmp_path / "network.onnx"
    module.train()
    export(module, game, path, {"playout.note": "first", "mine": "1"}, value=value)
    assert module.training
    network = OnnxNetwork(path)
    network.check(game)
    assert network.metadata == {
        "playout.game": name,
        "playout.form": "",
        "playout.policy": "logits",
        "playout.value": value,
        "playout.note": "first",
        "mine": "1",
    }
    seen = observations(game)
    for ours, theirs in zip(network(seen), TorchNetwork(module, game, value=value)(seen), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    onnx.checker.check_model(str(path))
    assert os.listdir(tmp_path) == ["network.onnx"]


def test_an_export_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "network.onnx"
    path.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    message = refusal(FileError, export, seeded(), TICTACTOE, path)
    assert message == f"{path}: can't be written (No space left on device)"
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["network.onnx"]


def test_places_that_can_not_be_written(tmp_path):
    assert "not a regular file" in refusal(FileError, export, seeded(), TICTACTOE, tmp_path)
    assert "can't be written" in refusal(FileError, export, seeded(), TICTACTOE, tmp_path / "no" / "x.onnx")


def test_modules_that_do_not_fit_are_not_written(tmp_path):
    path = tmp_path / "network.onnx"
    refusal(SettingsError, export, seeded(policy=7), TICTACTOE, path)
    refusal(EvaluatorError, export, seeded(columns=3), TICTACTOE, path)
    message = refusal(EvaluatorError, export, Inexportable(), TICTACTOE, path)
    assert message.startswith("Inexportable can't be exported to ONNX: ")
    assert not path.exists()


class Inexportable(Small):
    def forward(self, planes):
        policy, value = super().forward(planes)
        return torch.special.bessel_j0(policy), value


# What any evaluator answers

GOOD_POLICY, GOOD_VALUE = np.full((3, MOVES), 0.25, np.float32), np.zeros(3)


def test_good_answers_pass_without_a_copy():
    policy, value = checked(GOOD_POLICY, GOOD_VALUE, 3, TICTACTOE, "f")
    assert policy is GOOD_POLICY
    assert value is GOOD_VALUE


@pytest.mark.parametrize(
    "policy",
    [
        GOOD_POLICY.tolist(),
        GOOD_POLICY.astype(np.float64),
        np.asfortranarray(GOOD_POLICY),
        torch.from_numpy(GOOD_POLICY),
        np.ones((3, MOVES), int),
        np.ones((3, MOVES), bool),
        np.zeros((3, MOVES)),
    ],
    ids=["list", "float64", "fortran", "torch", "int", "bool", "zeros"],
)
def test_all_kinds_of_numbers_become_floats(policy):
    found, value = checked(policy, [0, 1, -1], 3, TICTACTOE, "f")
    np.testing.assert_array_equal(found, np.asarray(policy))
    assert (found.dtype, found.flags.c_contiguous) == (np.float32, True)
    assert (value.dtype, value.tolist()) == (np.float64, [0, 1, -1])


def test_no_policy_means_the_same_for_all():
    policy, _ = checked(None, GOOD_VALUE, 3, TICTACTOE, "f")
    assert policy.shape == (3, MOVES)
    assert len(np.unique(policy)) == 1
    assert policy[0, 0] > 0


def test_shapes_of_values():
    assert checked(None, np.ones((3, 1)), 3, TICTACTOE, "f")[1].shape == (3,)
    assert checked(None, np.ones((3, 2)), 3, TICTACTOE, "f")[1].shape == (3, 2)
    assert checked(None, np.ones((1, 2)), 1, TICTACTOE, "f")[1].shape == (1, 2)
    assert checked(np.zeros((0, MOVES)), np.zeros(0), 0, TICTACTOE, "f")[1].shape == (0,)


def with_wrong(array: np.ndarray, at: tuple[int, ...], number: float) -> np.ndarray:
    found = array.astype(np.float64)
    found[at] = number
    return found


@pytest.mark.parametrize(
    ("policy", "value", "message"),
    [
        ("abc", GOOD_VALUE, "f returned str of length 3 as policy, expected an array of numbers"),
        (GOOD_POLICY, None, "f returned None as value, expected an array of numbers"),
        (GOOD_POLICY, {1: 2}, "f returned dict of length 1 as value, expected an array of numbers"),
        ([[1], [1, 2], [3]], GOOD_VALUE, "f returned a policy that can't be read (list: "),
        (torch.ones(3, 9, requires_grad=True), GOOD_VALUE, "f returned a policy that can't be read (Tensor: "),
        (GOOD_POLICY * 1j, GOOD_VALUE, "f returned an array of complex64 of shape (3, 9) as policy"),
        (GOOD_POLICY[:2], GOOD_VALUE, "f returned a policy of shape (2, 9) for 3 observations, expected (3, 9)"),
        (GOOD_POLICY[:, :7], GOOD_VALUE, "f returned a policy of shape (3, 7) for 3 observations, expected (3, 9)"),
        (GOOD_POLICY.ravel(), GOOD_VALUE, "f returned a policy of shape (27,) for 3 observations, expected (3, 9)"),
        (0.5, GOOD_VALUE, "f returned a policy of shape () for 3 observations, expected (3, 9)"),
        (GOOD_POLICY, GOOD_VALUE[:2], "f returned a value of shape (2,) for 3 observations, expected (3,) for"),
        (GOOD_POLICY, 0.0, "f returned a value of shape () for 3 observations, expected (3,) for the player who moves"),
        (GOOD_POLICY, np.zeros((3, 3)), "or (3, 2) for each player"),
        (GOOD_POLICY, np.zeros((2, 3)), "f returned a value of shape (2, 3)"),
        (
            with_wrong(GOOD_POLICY, (1, 4), np.nan),
            GOOD_VALUE,
            "f returned a policy with nan at row 1, column 4, expected",
        ),
        (
            with_wrong(GOOD_POLICY, (2, 0), np.inf),
            GOOD_VALUE,
            "f returned a policy with inf at row 2, column 0, expected",
        ),
        (with_wrong(GOOD_POLICY, (0, 8), -0.1), GOOD_VALUE, "a policy with -0.1 at row 0, column 8, expected weights"),
        (with_wrong(GOOD_POLICY, (0, 8), 1e300), GOOD_VALUE, "a policy with inf at row 0, column 8, expected weights"),
        (
            -GOOD_POLICY,
            GOOD_VALUE,
            "a policy with -0.25 at row 0, column 0 and 26 more such, expected weights from 0 up",
        ),
        (
            GOOD_POLICY,
            with_wrong(GOOD_VALUE, (1,), np.nan),
            "f returned a value with nan at row 1, expected finite numbers",
        ),
        (GOOD_POLICY, with_wrong(np.zeros((3, 2)), (1, 1), -np.inf), "a value with -inf at row 1, column 1, expected"),
    ],
    ids=[str(number) for number in range(21)],
)
def test_bad_answers_are_refused(policy, value, message):
    found = refusal(EvaluatorError, checked, policy, value, 3, TICTACTOE, "f")
    assert message in found
    assert found.startswith("f returned ")


def test_one_observation_is_written_so():
    message = refusal(EvaluatorError, checked, GOOD_POLICY, GOOD_VALUE, 1, TICTACTOE, "f")
    assert "for one observation, expected (1, 9)" in message


def test_an_answer_is_a_pair():
    assert split((1, 2), "f") == (1, 2)
    assert split([1, 2], "f") == (1, 2)
    for answer in (None, 1, (1,), (1, 2, 3), "ab", np.zeros((2, 9))):
        assert "expected a pair (policy, value)" in refusal(EvaluatorError, split, answer, "f")


def test_evaluator_errors_are_playout_errors():
    assert issubclass(EvaluatorError, po.PlayoutError)
