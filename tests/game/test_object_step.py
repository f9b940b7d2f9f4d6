"""A step on Python objects shows what really happened: the objects themselves keep a record to compare with."""

import json
import random
from typing import Any

import pytest

import playout as po

from .objects import LINES, Board, NamedStones, Roulette, Stones

CALLS: list[tuple[Any, Any, Any]] = []  # object, action, next object


class RecordingStones(NamedStones):
    def play(self, action: Any) -> "RecordingStones":
        after = RecordingStones(self.stones - 1 - self.WORDS.index(action), 1 - self.turn)
        CALLS.append((self, action, after))
        return after


class RecordingRoulette(Roulette):
    def play(self, action: Any) -> "RecordingRoulette":
        after = RecordingRoulette(*vars(super().play(action)).values())
        CALLS.append((self, action, after))
        return after


class RecordingBoard(Board):
    def find_random_child(self) -> "RecordingBoard":
        child = random.choice(list(self.find_children()))
        CALLS.append((self, child, child))
        return child

    def find_children(self) -> Any:
        return [] if self.is_terminal() else [self.after(i) for i in range(9) if not self.cells[i]]

    def after(self, i: int) -> "RecordingBoard":
        return RecordingBoard(*super().after(i))


def word(action: Any) -> str:
    return f"take {action}"


def crosses(board: Board) -> str:
    return "".join(".XO"[cell] for cell in board.cells)


@pytest.mark.parametrize(
    ("obj", "describe"),
    [
        (RecordingStones(12), None),
        (RecordingStones(12), word),
        (RecordingRoulette(), None),
        (RecordingBoard(), None),
        (RecordingBoard(), crosses),
    ],
    ids=["play kind", "play kind described", "chance", "Node kind", "Node kind described"],
)
@pytest.mark.parametrize("playouts", [1, 3])
def test_the_playouts_of_a_step_are_those_that_were_played(obj: Any, describe: Any, playouts: int) -> None:
    game = po.wrap(obj, describe=describe)
    settings = po.Settings(evaluator=po.Rollouts(playouts), solver=False)
    stepped, ran = (po.Search(game, settings, seed=4) for _ in range(2))
    seen = 0
    for _ in range(40):
        CALLS.clear()
        step = stepped.step()
        shown = [
            (text, p) for playout in step.playouts for text, p in zip(playout.actions, playout.positions, strict=True)
        ]
        calls = CALLS[len(CALLS) - len(shown) :]  # before them, what was played in the tree
        assert len(CALLS) - len(shown) <= 1 if not isinstance(obj, Board) else len(CALLS) == len(shown)
        for (text, position), (_, action, after) in zip(shown, calls, strict=True):
            assert game.object_at(position) is after
            whole = (describe or str)(action)
            assert text == (whole if len(whole) <= 60 else whole[:59] + "…")
        for playout in step.playouts:
            assert playout.positions[-1].is_terminal
            last = game.object_at(playout.positions[-1])
            assert playout.final_position == playout.positions[-1].text
            if isinstance(obj, Board):
                won = any(last.cells[a] == last.cells[b] == last.cells[c] != 0 for a, b, c in LINES)
                crosses_get = (1.0 if last.turn == -1 else 0.0) if won else 0.5
                assert playout.returns == (crosses_get, 1.0 - crosses_get)
            else:
                assert playout.returns == tuple(last.returns())
        if step.playouts:
            seen += 1
            means = tuple(sum(values) / playouts for values in zip(*(p.returns for p in step.playouts), strict=True))
            assert step.returns == pytest.approx(means)
            assert step.positions[-1].text == step.leaf
        assert json.loads(json.dumps(step.to_dict()))["leaf"] == step.leaf
    assert seen
    ran.run(40)
    assert [(s.action, s.visits, s.value) for s in stepped.result().actions] == [
        (s.action, s.visits, s.value) for s in ran.result().actions
    ]


def test_positions_of_a_step_outlive_the_search() -> None:
    search = po.Search(po.wrap(Stones(12)), po.Settings(solver=False), seed=1)
    steps = [search.step() for _ in range(5)]
    texts = [[p.text for p in (*s.positions, *s.playouts[0].positions)] for s in steps]
    for _ in range(3):
        search.play(search.result().best_action)
        search.run(50)
    assert texts == [[p.text for p in (*s.positions, *s.playouts[0].positions)] for s in steps]


@pytest.mark.compiled_only
def test_stepping_on_and_on_keeps_no_playouts_that_nobody_has() -> None:
    game = po.wrap(Stones(20))
    search = po.Search(game, po.Settings(solver=False), seed=1)
    most = 0
    for _ in range(1200):
        search.step()
        most = max(most, sum(obj is not None for obj in game.objects))
    assert most < 10_000  # and not 1,200 playouts of a dozen positions
