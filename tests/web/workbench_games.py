"""Games for the tests of the workbench: one whose texts attack the page, one with 200 moves, one whose rule fails, one
whose rule hangs.
"""

import numpy as np

import playout as po
from tests.games.toy_games import Nim

ATTACK = "<img src=x onerror=\"document.title='taken'\"><b>bold</b>"


class Hostile(Nim):
    """Nim, but everything it says is HTML. <script>document.title = 'taken'</script>"""

    settings = {"stones": 9}  # noqa: RUF012

    def action_to_text(self, state, action):
        return f"{action}{ATTACK}"

    def action_from_text(self, state, text):
        return int(text[0])

    def state_to_text(self, state):
        return f"{state.stones},{state.turn},{ATTACK}"

    def state_from_text(self, state, text):
        state.stones, state.turn = (int(part) for part in text.split(",")[:2])

    def show(self, state):
        return f"{state.stones} stones {ATTACK}"

    def draw(self, state):
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60" width="60" height="60" '
            "onload=\"document.title='taken'\"><script>parent.document.title = document.title = 'taken'</script>"
            '<rect width="60" height="60" fill="#2e7d4f"/>'
            '<image href="http://example.com/spy.png" width="9" height="9"/>'
            f'<text x="30" y="36">{state.stones}</text></svg>'
        )


class Failing(Nim):
    """Nim whose `apply` raises when 13 stones would be left."""

    settings = {"stones": 14}  # noqa: RUF012

    @staticmethod
    def apply(state, action, rewards):
        if state.stones - action == 13:
            raise ValueError("13 stones bring bad luck")
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


class Hanging(Nim):
    """Nim whose `apply` never returns when 13 stones would be left; its other loops are long, and end."""

    settings = {"stones": 14}  # noqa: RUF012

    @staticmethod
    def legal_actions(state, actions):
        count, rounds = min(3, state.stones), 0
        while rounds < 200_000:
            rounds += 1
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        while state.stones == 13:
            rewards[0] += 1.0
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


class Wide(po.Game):
    """One of 200 numbers is chosen, twice; the higher sum is better. One player."""

    players = 1
    max_actions = 200
    state = np.dtype([("total", np.int32), ("made", np.int32)])
    value_range = (0.0, 1.0)

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.made == 2 else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(200):
            actions[i] = i
        return 200

    @staticmethod
    def apply(state, action, rewards):
        state.total += action
        state.made += 1
        if state.made == 2:
            rewards[0] = state.total / 400.0
