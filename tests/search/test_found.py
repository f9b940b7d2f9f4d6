"""The best complete line: no playout sees a better one, and it can be played again."""

import dataclasses
import json
import random

import numpy as np
import pytest

import playout as po
from playout.cli import main
from playout.core.callback import call_back, make_callback
from playout.core.jit import COMPILED
from playout.errors import FileError
from playout.report.explain import explain

MANY = 3000 if COMPILED else 150
UNIT = 2**24  # returns are multiples of 1 / UNIT, so that a recorder can be told of them in whole numbers
GAINS = np.array([[3, 9, 1], [7, 2, 8], [1, 5, 4], [6, 6, 2], [9, 3, 7], [2, 8, 5], [4, 1, 9], [5, 7, 3]], np.float64)


class Slots(po.Game):
    """Eight choices of three; the same one twice in a row costs 5, and two equal ones with one between end it early.

    It tells `on_end`, the address of a callback, of the return of each game that comes to its end.
    """

    players = 1
    max_actions = 3
    state = np.dtype(
        [
            *((name, np.int64) for name in ("on_end", "at", "last", "before", "over")),
            *((name, np.float64) for name in ("discount", "scale", "total")),
        ]
    )
    settings = {"on_end": 0, "discount": 1.0}  # noqa: RUF012
    unkeyed = ("scale", "total")

    @staticmethod
    def initial_state(state):
        state.last, state.before, state.scale = -1, -1, 1.0

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.over else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(3):
            actions[i] = 2 - i
        return 3

    @staticmethod
    def apply(state, action, rewards):
        gain = GAINS[state.at, action] - (5.0 if action == state.last else 0.0)
        rewards[0] = gain
        state.total += state.scale * gain
        state.scale *= state.discount
        state.over = action == state.before or state.at == 7
        state.before, state.last = state.last, action
        state.at += 1
        if state.over and state.on_end != 0:
            call_back(state.on_end, np.int64(state.total * UNIT), 0)

    @staticmethod
    def evaluate(state, values):
        values[0] = 1000.0 - state.at  # better than any return: an estimate must never be taken for one

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0 + actions[i]


class Recorder:
    """Keeps the highest return that games were told to have ended with."""

    def __init__(self):
        self.most = -np.inf
        self.kept, self.address = make_callback(self.note)

    def note(self, total, _):
        self.most = max(self.most, total / UNIT)
        return 0


def replayed(game, actions, discount=1.0):
    """The return and the end of a line, by the rules alone."""
    position, total, scale = game.position(), 0.0, 1.0
    for action in actions:
        assert action in position.actions()
        position = position.play(action)
        total += scale * position.rewards[0]
        scale *= discount
    return total, position


def all_returns(discount=1.0):
    """The return of every line of `Slots`, by going through all of them."""
    found = []

    def go_on(at, last, before, total, scale):
        for action in range(3):
            gain = GAINS[at, action] - (5.0 if action == last else 0.0)
            if action == before or at == 7:
                found.append(total + scale * gain)
            else:
                go_on(at + 1, action, last, total + scale * gain, scale * discount)

    go_on(0, -1, -1, 0.0, 1.0)
    return found


SETTINGS = {
    "default": po.Settings(),
    "no solver": po.Settings(solver=False),
    "several playouts": po.Settings(evaluator=po.Rollouts(n=3)),
    "cut off": po.Settings(evaluator=po.Rollouts(depth=3)),
    "cut off at the end": po.Settings(evaluator=po.Rollouts(depth=7)),
    "guided": po.Settings(policy=po.PUCT(2.0), evaluator=po.Rollouts(guided=True)),
    "mixed": po.Settings(evaluator=po.Mixed(0.5)),
    "static": po.Settings(evaluator=po.Static()),
    "learning": po.Settings(evaluator=po.Rollouts(mast=True)),
    "graph": po.Settings(transpositions=True),
    "graph without solver": po.Settings(transpositions=True, solver=False),
    "open loop": po.Settings(open_loop=True),
    "best": po.Settings(backup=po.Best()),
    "optimise": po.preset("optimise"),
    "root first": po.Settings(evaluate_root=True),
    "one at a time": po.Settings(expansion=po.OneAtATime()),
    "gumbel": po.Settings(policy=po.PUCT(2.0), root=po.Gumbel(considered=2)),
    "discount": po.Settings(discount=0.5),
    "discount in a graph": po.Settings(discount=0.5, transpositions=True),
    "discount in an open loop": po.Settings(discount=0.5, open_loop=True, evaluator=po.Rollouts(n=2)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_no_playout_saw_a_better_line_and_it_can_be_played_again(name):
    settings = SETTINGS[name]
    for simulations in (1, 7, 40, MANY):
        recorder = Recorder()
        game = Slots(on_end=recorder.address, discount=settings.discount)
        found = po.Search(game, settings, seed=simulations).run(simulations).best_found
        if recorder.most == -np.inf:
            assert found is None
            continue
        assert found.value >= recorder.most
        if not settings.transpositions:  # there, a proven end may follow another beginning
            assert found.value == recorder.most
        value, end = replayed(game, found.actions, settings.discount)
        assert value == found.value
        assert end.is_terminal
        assert (end.text, end.state["at"]) == (found.position.text, len(found.actions))
        assert [int(text) for text in found.line] == list(found.actions)
        assert found.simulation is None or 1 <= found.simulation <= simulations


@pytest.mark.slow
@pytest.mark.parametrize("transpositions", [False, True])
def test_an_exhausted_search_has_found_the_optimum(transpositions):
    best = max(all_returns())
    result = po.Search(Slots(), po.Settings(transpositions=transpositions)).run(20_000)
    assert (result.proven, result.best_found.value) == (best, best)


def test_values_from_outside_count_only_where_the_game_ends():
    recorder = Recorder()
    game = Slots(on_end=recorder.address)
    search = po.Search(game, po.Settings(policy=po.PUCT(1.5), evaluator=po.Outside(), solver=False), seed=3)
    while leaves := search.ask(4):  # until every position has its value
        for leaf in leaves:
            search.tell(leaf, [500.0])
    found = search.result().best_found
    assert found.value == recorder.most
    assert replayed(game, found.actions)[0] == found.value


def test_steps_and_runs_in_pieces_find_the_same_line():
    whole = po.Search(Slots(), seed=5).run(60).best_found
    pieces, steps = po.Search(Slots(), seed=5), po.Search(Slots(), seed=5)
    for count in (1, 2, 30, 27):
        pieces.run(count)
    taken = [steps.step() for _ in range(60)]
    noted = [change.after for step in taken for change in step.backup if change.field == "best_found"]
    for other in (pieces.result().best_found, steps.result().best_found):
        assert dataclasses.replace(other, position=whole.position) == whole
    assert noted == sorted(set(noted))
    assert noted[-1] == whole.value
    last = [step.simulation for step in taken if any(change.field == "best_found" for change in step.backup)][-1]
    assert steps.result().best_found.simulation == last


def test_going_back_forgets_what_was_found_later():
    search = po.Search(Slots(), seed=5)
    early = search.run(3).best_found
    search.run(MANY)
    search.rewind(3)
    assert search.result().best_found.actions == early.actions


@pytest.mark.parametrize("discount", [1.0, 0.5])
def test_playing_the_line_keeps_the_rest_of_it(discount):
    search = po.Search(Slots(), po.Settings(discount=discount), seed=5)
    whole = search.run(30).best_found
    rest = list(whole.actions)
    while len(rest) > 1:
        position = search.play(rest.pop(0))
        found = search.result().best_found
        assert found.actions == tuple(rest)
        assert found.position.text == whole.position.text
        assert found.simulation is None
        total = 0.0
        for reward in reversed([p.rewards[0] for p in follow(position, rest)]):
            total = reward + discount * total
        assert found.value == total
    search.play(rest[0])
    assert search.result().best_found is None


def follow(position, actions):
    positions = []
    for action in actions:
        position = position.play(action)
        positions.append(position)
    return positions


def test_another_move_drops_the_line_and_later_simulations_find_one():
    search = po.Search(Slots(), seed=5)
    whole = search.run(30).best_found
    search.play((whole.actions[0] + 1) % 3)
    assert search.result().best_found is None
    recorder = Recorder()
    search = po.Search(Slots(on_end=recorder.address), seed=5)
    search.run(30)
    search.play((whole.actions[0] + 1) % 3)
    recorder.most = -np.inf
    before = float(search.position.state["total"])
    found = search.run(30).best_found
    assert found.value == recorder.most - before


def test_it_is_saved_and_resumed(tmp_path):
    search = po.Search(Slots(), seed=5)
    found = search.run(40).best_found
    search.save(tmp_path / "a.playout")
    again = po.Search.load(tmp_path / "a.playout", game=Slots())
    assert again.result().best_found.to_dict() == found.to_dict()
    assert again.run(60).best_found.to_dict() == search.run(60).best_found.to_dict()


def test_a_file_whose_line_is_not_one_is_refused(tmp_path):
    search = po.Search(Slots(), seed=5)
    search.run(40)
    search.runner.tree.line[0] = 77
    search.save(tmp_path / "a.playout")
    with pytest.raises(FileError, match="the best line that it tells of can't be played"):
        po.Search.load(tmp_path / "a.playout", game=Slots())


def test_two_players_and_chance_have_none():
    assert po.Search("tictactoe").run(50).best_found is None
    assert po.Search("game2048", position=None).result().best_found is None


# Python objects.


@dataclasses.dataclass(frozen=True)
class Steps:
    """`Slots` as an object, whose returns count the gains."""

    taken: tuple = ()
    ends: object = dataclasses.field(default=None, compare=False)

    def current_player(self):
        return None if len(self.taken) == 8 else 0

    def legal_actions(self):
        return ["left", "middle", "right"]

    def play(self, action):
        after = Steps((*self.taken, self.legal_actions().index(action)), self.ends)
        if self.ends is not None and len(after.taken) == 8:
            self.ends.append(after.returns()[0])
        return after

    def returns(self):
        return [sum(float(GAINS[at, action]) for at, action in enumerate(self.taken))]


@dataclasses.dataclass(frozen=True)
class Branch:
    """The same as nodes with children."""

    taken: tuple = ()
    ends: object = dataclasses.field(default=None, compare=False)

    def is_terminal(self):
        return len(self.taken) == 8

    def find_children(self):
        return [Branch((*self.taken, i), self.ends) for i in range(3)]

    def find_random_child(self):
        return random.choice(self.find_children())

    def reward(self):
        value = sum(float(GAINS[at, action]) for at, action in enumerate(self.taken))
        if self.ends is not None:
            self.ends.append(value)
        return value


class Rewarded(Steps):
    """The same with a reward for each step."""

    def play(self, action):
        after = Rewarded((*self.taken, self.legal_actions().index(action)), self.ends)
        if self.ends is not None and len(after.taken) == 8:
            self.ends.append(after.returns()[0])
        return after

    def rewards(self):
        return [float(GAINS[len(self.taken) - 1, self.taken[-1]])]


@pytest.mark.parametrize("kind", [Steps, Branch, Rewarded])
@pytest.mark.parametrize("settings", [po.Settings(), po.Settings(solver=False, evaluator=po.Rollouts(n=2))])
def test_python_objects_of_one_player(kind, settings):
    ends = []
    wrapped = po.wrap(kind(ends=ends), players=1)
    found = po.Search(wrapped, settings, seed=2).run(200).best_found
    assert found.value == max(ends)
    last = wrapped.object_at(found.position)
    assert sum(float(GAINS[at, action]) for at, action in enumerate(last.taken)) == found.value
    assert len(found.line) == 8
    assert replayed(wrapped, found.actions)[0] == found.value


def test_a_cut_off_playout_of_an_object_is_no_line():
    class Cut(Rewarded):
        def play(self, action):
            return Cut((*self.taken, self.legal_actions().index(action)))

    search = po.Search(po.wrap(Cut(), players=1), po.Settings(evaluator=po.Rollouts(depth=4)))
    assert search.run(3).best_found is None


def test_an_object_that_draws_by_itself_has_no_line_to_play_again():
    class Hidden(Steps):
        def play(self, action):
            return Hidden((*self.taken, random.randrange(3)))

    search = po.Search(po.wrap(Hidden(), players=1), seed=1)
    found = search.run(50).best_found
    if found is not None:  # a line in the tree, whose positions are kept
        assert found.position.is_terminal


# Where it is shown.


def shown(capsys, *arguments):
    assert main(["analyze", "target_sum", "-n", "60", "--option", "solver=off", *arguments]) == 0
    return capsys.readouterr().out


def test_the_command_line_shows_it(capsys):
    told = json.loads(shown(capsys, "--json"))["best_found"]
    found = po.Search("target_sum", po.Settings(solver=False)).run(60).best_found
    assert told == {"value": found.value, "line": list(found.line), "position": found.position.text}
    text = shown(capsys, "--explain")
    assert f"best found {found.value:+.3f} by simulation {found.simulation}: {' '.join(found.line)}" in text
    assert "The best complete line that any simulation has seen returns" in text
    assert "best_found" not in json.loads(shown_of_two(capsys))


def shown_of_two(capsys):
    assert main(["analyze", "tictactoe", "-n", "60", "--json"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("language", "words"), [("en", "The best complete line"), ("zh", "最佳完整着法序列")])
def test_explanations_name_it_in_both_languages(language, words):
    result = po.Search(Slots(), seed=5).run(30)
    text = explain(result, language)
    assert words in text
    assert " ".join(result.best_found.line) in text
