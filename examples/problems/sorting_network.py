"""The shortest sorting network: 9 comparators for five inputs, 12 for six (Knuth, TAOCP 3, section 5.3.4).

playout analyze examples/problems/sorting_network.py:SortingNetwork --set inputs=4 --option transpositions=on
"""

import numpy as np

import playout as po

MOST = 6  # inputs: a bit for each of the 2^6 inputs of zeros and ones


class SortingNetwork(po.Game):
    """An action is a comparator between two wires, written `1:3`; each costs 1.

    A network sorts everything if it sorts all inputs of zeros and ones. The state is the set of vectors that are left
    on the wires: sorted, there are inputs + 1 of them. After `limit` comparators each further vector costs 1 more.
    """

    name = "sorting_network"
    players = 1
    max_actions = MOST * (MOST - 1) // 2
    action_codes = MOST * MOST
    unkeyed = ("made",)
    settings = {"inputs": 5, "limit": 16}  # noqa: RUF012
    state = np.dtype(
        [
            ("vectors", np.uint64),  # bit v: vector v can occur; wire i is its bit i
            ("count", np.int32),
            ("made", np.int32, (64,)),  # the comparators so far
            ("inputs", np.int32),
            ("limit", np.int32),
        ]
    )

    def check_settings(self):
        if not 2 <= self.values["inputs"] <= MOST or not 1 <= self.values["limit"] <= 64:
            raise po.SettingsError(f"{self.title}: expected inputs from 2 to {MOST} and a limit from 1 to 64")

    @staticmethod
    def initial_state(state):
        for vector in range(1 << state.inputs):
            state.vectors |= np.uint64(1) << np.uint64(vector)

    @staticmethod
    def current_player(state):
        left = 0
        for vector in range(64):
            left += np.int64((state.vectors >> np.uint64(vector)) & np.uint64(1))
        return po.TERMINAL if left == state.inputs + 1 or state.count == state.limit else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for low in range(state.inputs):
            for high in range(low + 1, state.inputs):
                for vector in range(1 << state.inputs):  # only comparators that change something
                    there = (state.vectors >> np.uint64(vector)) & np.uint64(1)
                    if there != np.uint64(0) and (vector >> low) & 1 > (vector >> high) & 1:
                        actions[count] = low * MOST + high
                        count += 1
                        break
        return count

    @staticmethod
    def apply(state, action, rewards):
        low, high = action // MOST, action % MOST
        after = np.uint64(0)
        left = 0
        for vector in range(1 << state.inputs):
            if (state.vectors >> np.uint64(vector)) & np.uint64(1) != np.uint64(0):
                to = vector
                if (vector >> low) & 1 > (vector >> high) & 1:
                    to = vector ^ (1 << low) ^ (1 << high)
                after |= np.uint64(1) << np.uint64(to)
        for vector in range(64):
            left += np.int64((after >> np.uint64(vector)) & np.uint64(1))
        state.vectors = after
        state.made[state.count] = action
        state.count += 1
        rewards[0] = -1.0
        if state.count == state.limit:
            rewards[0] -= left - (state.inputs + 1)

    def action_to_text(self, state, action):
        return f"{action // MOST + 1}:{action % MOST + 1}"

    def state_to_text(self, state):
        return " ".join(self.action_to_text(state, int(a)) for a in state.made[: state.count]) or "empty"

    def state_from_text(self, state, text):
        for word in text.split() if text != "empty" else ():
            self.rules.functions["apply"](state, self.action_from_text(state, word), np.zeros(1))
