"""Plan a week: which task on which day, so that deadlines are met and no day is too full.

playout analyze examples/problems/week.py:Week -n 100000
playout analyze examples/problems/week.py:Week --set 'tasks=report 5 3 8; gym 2 5 3; tax 4 5 6'
"""

import numpy as np

import playout as po

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
MOST = 40
TASKS = """report 5 3 8; slides 3 4 6; review 2 2 4; gym 2 5 3; tax 4 5 6; call 1 1 3; code 6 5 9; tests 4 5 6;
mail 1 1 2; read 3 5 2; plan 2 1 5; demo 4 5 7"""


class Week(po.Game):
    """Tasks one after the other: an action is a day, or `skip`. A task brings its value if it is done by its deadline.

    Setting `tasks`: name, hours, last day (1 to 5), value; then the next task. `hours` is the length of a working day:
    a task must fit into it. `focus` is taken off for every task of a day beyond the third.
    """

    name = "week"
    players = 1
    max_actions = len(DAYS) + 1
    action_codes = MOST * (len(DAYS) + 1)
    unkeyed = ("chosen",)
    settings = {"tasks": TASKS, "hours": 8, "focus": 1.0}  # noqa: RUF012
    files = {"file": "tasks"}  # noqa: RUF012
    state = np.dtype(
        [
            ("at", np.int32),
            ("free", np.int32, (len(DAYS),)),
            ("held", np.int32, (len(DAYS),)),
            ("chosen", np.int8, (MOST,)),
        ]
    )
    constants = np.dtype(
        [
            ("count", np.int64),
            ("hours", np.int64),
            ("focus", np.float64),
            ("needs", np.int64, (MOST,)),
            ("last", np.int64, (MOST,)),
            ("worth", np.float64, (MOST,)),
        ]
    )

    def check_settings(self):
        found = self.listed()
        if not 1 <= len(found) <= MOST:
            raise po.SettingsError(f"{self.title}: setting 'tasks' has {len(found)} tasks, expected 1 to {MOST}")

    def listed(self):
        """The tasks as (name, hours, last day, value)."""
        found = []
        for row in self.values["tasks"].replace("\n", " ").split(";"):
            words = row.split()
            try:
                name, hours, last, worth = words
                found.append((name, int(hours), int(last), float(worth)))
            except ValueError:
                raise po.SettingsError(
                    f"{self.title}: task '{row.strip()}' in setting 'tasks', expected name, hours, last day and value, "
                    f"as in report 5 3 8"
                ) from None
            if not (1 <= found[-1][1] <= 24 and 1 <= found[-1][2] <= len(DAYS) and 0 <= found[-1][3] < 1e9):
                raise po.SettingsError(
                    f"{self.title}: task '{row.strip()}' in setting 'tasks', expected 1 to 24 hours, a last day from 1 "
                    f"to {len(DAYS)}, and a value of 0 or more"
                )
        return found

    def fill_constants(self, constants):
        found = self.listed()
        constants.count = len(found)
        for i, (_, hours, last, worth) in enumerate(found):
            constants.needs[i], constants.last[i], constants.worth[i] = hours, last, worth

    @staticmethod
    def initial_state(state):
        for day in range(len(DAYS)):
            state.free[day] = state.hours

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.at == state.count else 0

    @staticmethod
    def legal_actions(state, actions):
        if state.at == state.count:
            return 0
        count = 1
        actions[0] = len(DAYS)  # skip
        for day in range(state.last[state.at]):
            if state.free[day] >= state.needs[state.at]:
                actions[count] = day
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        if action < len(DAYS):
            rewards[0] = state.worth[state.at]
            if state.held[action] >= 3:
                rewards[0] -= state.focus
            state.free[action] -= state.needs[state.at]
            state.held[action] += 1
        state.chosen[state.at] = action
        state.at += 1

    @staticmethod
    def action_code(state, action):
        return state.at * (len(DAYS) + 1) + action

    def action_to_text(self, state, action):
        return f"{self.listed()[state.at][0]}:{(*DAYS, 'skip')[action]}"

    def state_to_text(self, state):
        names = [task[0] for task in self.listed()]
        return " ".join(f"{names[i]}:{(*DAYS, 'skip')[state.chosen[i]]}" for i in range(state.at)) or "empty"

    def state_from_text(self, state, text):
        for word in text.split() if text != "empty" else ():
            self.rules.functions["apply"](state, self.action_from_text(state, word), np.zeros(1))
