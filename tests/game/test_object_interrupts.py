"""Ctrl-C, stop and time limits where a method of an object does not return; threads that share an object."""

import copy
import os
import signal
import threading
import time
from typing import Any

import pytest

import playout as po
from tests.processes import hearing_ctrl_c

from .objects import Stones

HANGS = {"method": "", "entered": threading.Event(), "stones": 4}


class Hanging(Stones):
    """Some method, where few stones are left, never returns once `HANGS` names it."""

    def current_player(self) -> int | None:
        self.hang("current_player")
        return super().current_player()

    def legal_actions(self) -> list[int]:
        self.hang("legal_actions")
        return super().legal_actions()

    def play(self, action: int) -> "Stones":
        self.hang("play")
        return super().play(action)

    def returns(self) -> list[float]:
        self.hang("returns")
        return super().returns()

    def hang(self, method: str) -> None:
        if HANGS["method"] == method and self.stones <= HANGS["stones"]:
            HANGS["entered"].set()
            while HANGS["method"]:
                time.sleep(0.001)


@pytest.fixture(params=["current_player", "legal_actions", "play", "returns"])
def hanging(request: pytest.FixtureRequest) -> Any:
    """A search whose object has begun to hang in one of its methods as soon as it runs."""
    search = po.Search(po.wrap(Hanging(12), players=2), po.Settings(solver=False), seed=1)
    search.run(20)
    HANGS["method"] = request.param
    HANGS["entered"].clear()
    yield request.param, search
    HANGS["method"] = ""


def usable(search: po.Search, done: int) -> bool:
    """Whether the search goes on as if nothing had been."""
    HANGS["method"] = ""
    search.run(30)
    return search.simulations == done + 30 and search.root.visits == done + 30


def test_one_ctrl_c_ends_a_method_that_does_not_return(hanging: tuple[str, po.Search]) -> None:
    method, search = hanging

    def press() -> None:
        HANGS["entered"].wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    with hearing_ctrl_c(), pytest.raises(KeyboardInterrupt, match=rf"Hanging\.{method}\(\) was running at \d stones"):
        search.run(100_000)
    assert usable(search, search.simulations)


def test_a_method_that_does_not_return_is_interrupted_by_name(hanging: tuple[str, po.Search]) -> None:
    method, search = hanging
    thread, found = threading.get_ident(), list[bool]()

    def interrupt() -> None:
        HANGS["entered"].wait()
        found.append(search.game.interrupt(thread, "the test wants it"))

    timer = threading.Timer(0.0, interrupt)
    timer.start()
    with pytest.raises(
        po.GameError, match=f"Hanging.{method}.* was still running at .* stones, player .* wants it"
    ) as caught:
        search.run(100_000)
    timer.join()
    assert found == [True]
    assert "\n" not in str(caught.value)
    assert usable(search, search.simulations)


@pytest.mark.parametrize("end", ["seconds", "stop"])
def test_a_method_that_does_not_return_ends_with_the_run(hanging: tuple[str, po.Search], end: str) -> None:
    method, search = hanging

    def stop() -> None:
        HANGS["entered"].wait()
        search.stop()

    if end == "stop":
        threading.Thread(target=stop, daemon=True).start()
    with pytest.raises(po.GameError, match=f"Hanging.{method}.* was still running at .* stones, player"):
        search.run(seconds=0.2 if end == "seconds" else 3600)
    assert usable(search, search.simulations)


def test_methods_that_take_long_and_return_are_not_interrupted() -> None:
    class Slow(Stones):
        def legal_actions(self) -> list[int]:
            time.sleep(0.05)
            return super().legal_actions()

    search = po.Search(po.wrap(Slow(60)), po.Settings(solver=False), seed=1)
    result = search.run(seconds=0.1)  # one simulation of 20 moves or more takes a second, and no method does
    assert (result.stopped_by, result.simulations) == ("seconds", 1)


def test_nothing_is_interrupted_where_no_method_runs() -> None:
    search = po.Search(po.wrap(Stones(12)), seed=1)
    assert search.game.interrupt(threading.get_ident(), "the test wants it") is False
    assert search.run(50).simulations == 50
    assert po.games.load("tictactoe").interrupt(threading.get_ident(), "the test wants it") is False


def test_interrupting_again_and_again_never_breaks_the_tree() -> None:
    """Whatever moment it comes at: the run ends with our line, or goes on, and every simulation counts once."""

    class Yielding(Stones):
        def play(self, action: int) -> "Stones":
            time.sleep(0)  # another thread may go on here
            return super().play(action)

    search = po.Search(po.wrap(Yielding(12)), po.Settings(solver=False), seed=1)
    thread, over = threading.get_ident(), threading.Event()

    def shoot() -> None:
        while not over.is_set():
            search.game.interrupt(thread, "the test wants it")
            time.sleep(0.0005)

    shooter = threading.Thread(target=shoot)
    shooter.start()
    interrupted = 0
    try:
        while interrupted < 20:
            try:
                search.run(200)
            except po.GameError as error:
                interrupted += "wants it" in str(error)
    finally:
        over.set()
        shooter.join()
    assert search.root.visits == search.simulations == sum(node.visits for node in search.root.children)


def test_positions_can_be_asked_and_played_while_a_search_of_them_runs() -> None:
    game = po.wrap(Stones(30))
    search = po.Search(game, po.Settings(solver=False), seed=1)
    twin = po.Search(po.wrap(Stones(30)), po.Settings(solver=False), seed=1)
    errors: list[BaseException] = []
    over = threading.Event()

    def look() -> None:
        try:
            while not over.is_set():
                position = game.position()
                while not position.is_terminal:
                    assert position.actions() == [1, 2, 3][: game.object_at(position).stones]
                    position = position.play(position.actions()[-1])
                assert position.rewards.tolist() in ([1.0, -1.0], [-1.0, 1.0])
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    for _ in range(3):
        search.run(500)
        search.play(1)
    over.set()
    for looker in lookers:
        looker.join()
    for _ in range(3):
        twin.run(500)
        twin.play(1)
    assert not errors
    assert [(s.action, s.visits, s.value) for s in search.result().actions] == [
        (s.action, s.visits, s.value) for s in twin.result().actions
    ]


def test_a_copy_of_a_search_keeps_its_objects_when_the_other_moves_on() -> None:
    search = po.Search(po.wrap(Stones(15)), po.Settings(solver=False), seed=1)
    search.run(300)
    twin = copy.copy(search)
    texts = {node.position.text for node in twin.root.children}
    for _ in range(3):
        search.play(1)
        search.run(300)
    assert {node.position.text for node in twin.root.children} == texts
    assert twin.run(50).simulations == 50
