"""The rules of the knapsack problem: take or leave each item, within the capacity."""

import numpy as np

from playout.game import TERMINAL, Game
from playout.games._shared import helper

# Capacity 10; items by value for their weight:
#
#   number   value   weight
#      2       9       3     take: 9, room 7
#      1      12       6     leave
#      3       8       8     does not fit: left without asking
#      4       3       4     take: 12, room 3       the best is 2 and 1: 21

MOST_ITEMS = 64
LEAVE, TAKE = 0, 1
ONE = np.uint64(1)


@helper
def whole_room(state):
    """The capacity, with a little more, so that weights such as 0.1 and 0.2 fill one of 0.3."""
    return state.capacity * (1.0 + 1e-12)


@helper
def pass_over(state):
    """Go on to the next item that fits."""
    while state.at < state.items and state.loads[state.at] > state.room:
        state.at += 1


class KnapsackRules(Game):
    """An action is 1, take the item, or 0, leave it."""

    players = 1
    max_actions = 2
    action_codes = 2 * MOST_ITEMS
    unkeyed = ("taken", "total")
    settings = {"items": 20, "seed": 1, "values": (0.0,), "weights": (0.0,), "capacity": 0.0}  # noqa: RUF012
    state = np.dtype(
        [
            ("at", np.int64),  # the item in question: a place in the order
            ("room", np.float64),
            ("taken", np.uint64),  # for people: a bit for each place in the order
            ("total", np.float64),
        ]
    )
    constants = np.dtype(
        [
            ("items", np.int64),
            ("seed", np.int64),
            ("capacity", np.float64),
            ("values", np.float64, (MOST_ITEMS,)),  # by the items' own numbers
            ("weights", np.float64, (MOST_ITEMS,)),
            ("order", np.int64, (MOST_ITEMS,)),  # by place: the item's number, the best value for its weight first
            ("gains", np.float64, (MOST_ITEMS,)),  # by place: values,
            ("loads", np.float64, (MOST_ITEMS,)),  # and weights
        ]
    )

    @staticmethod
    def initial_state(state):
        state.room = whole_room(state)
        pass_over(state)

    @staticmethod
    def current_player(state):
        return TERMINAL if state.at >= state.items else 0

    @staticmethod
    def legal_actions(state, actions):
        if state.at >= state.items:
            return 0
        actions[0], actions[1] = TAKE, LEAVE
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if action == TAKE:
            rewards[0] = state.gains[state.at]
            state.room -= state.loads[state.at]
            state.total += state.gains[state.at]
            state.taken |= ONE << np.uint64(state.at)
        state.at += 1
        pass_over(state)

    @staticmethod
    def action_code(state, action):
        """The item, and whether it is taken."""
        return 2 * state.at + action

    @staticmethod
    def priors(state, actions, count, out):
        """Items come in the order of their value for their weight, so that taking one is usually right."""
        for i in range(count):
            out[i] = 0.8 if actions[i] == TAKE else 0.2
