"""The rules of job shop scheduling: operations one by one, each as early as the job and its machine are free."""

import math

import numpy as np

from playout.game import TERMINAL, Game
from playout.games._shared import helper

# Two jobs, two machines; job 1: A for 3, B for 2; job 2: B for 4, A for 1. After 1-2:
#
#   A  111                 next: job 1 on B from 4 to 6, or job 2 on A from 4 to 5
#   B  2222                the first possible end is 5, on A, which job 1 does not need: only job 2 is offered

MOST_JOBS, MOST_MACHINES = 30, 20
MOST_STEPS = MOST_JOBS * MOST_MACHINES
STEEPNESS = 4.0  # of the priors


@helper
def next_step(state, job):
    """The next operation of a job, as an index into `durations` and `places`."""
    return job * state.machines + np.int64(state.done[job])


@helper
def start_of(state, job):
    """When the next operation of a job can start."""
    return max(state.job_free[job], state.machine_free[state.places[next_step(state, job)]])


class JobShopRules(Game):
    """An action is a job, counted from 0."""

    players = 1
    max_actions = MOST_JOBS
    action_codes = MOST_STEPS * MOST_JOBS
    unkeyed = ("order",)
    settings = {"jobs": 6, "machines": 6, "seed": 1, "instance": ""}  # noqa: RUF012
    files = {"file": "instance"}  # noqa: RUF012
    state = np.dtype(
        [
            ("job_free", np.int32, (MOST_JOBS,)),  # when the job's last operation so far ends
            ("machine_free", np.int32, (MOST_MACHINES,)),
            ("machine_done", np.uint8, (MOST_MACHINES,)),  # operations of the machine
            ("done", np.uint8, (MOST_JOBS,)),  # operations of the job
            ("count", np.int32),  # operations of all jobs
            ("makespan", np.int32),
            ("order", np.uint8, (MOST_STEPS,)),  # for people: the jobs as they were chosen
        ]
    )
    constants = np.dtype(
        [
            ("jobs", np.int64),
            ("machines", np.int64),
            ("seed", np.int64),
            ("durations", np.int32, (MOST_STEPS,)),  # job * machines + operation
            ("places", np.uint8, (MOST_STEPS,)),  # the machine of the operation
            (
                "rest",
                np.float64,
                (MOST_STEPS,),
            ),  # the job's work from there on, as a share of the longest job's
        ]
    )

    @staticmethod
    def initial_state(state):
        pass  # everything is free at time 0

    @staticmethod
    def current_player(state):
        return TERMINAL if state.count == state.jobs * state.machines else 0

    @staticmethod
    def legal_actions(state, actions):
        soonest, machine = np.int64(2**31), 0
        for job in range(state.jobs):
            if state.done[job] < state.machines:
                end = np.int64(start_of(state, job)) + state.durations[next_step(state, job)]
                if end < soonest:
                    soonest, machine = end, np.int64(state.places[next_step(state, job)])
        count = 0
        for job in range(state.jobs):
            if (
                state.done[job] < state.machines
                and state.places[next_step(state, job)] == machine
                and (start_of(state, job) < soonest or state.durations[next_step(state, job)] == 0)
            ):
                actions[count] = job
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        step = next_step(state, action)
        end = start_of(state, action) + state.durations[step]
        state.job_free[action] = end
        state.machine_free[state.places[step]] = end
        state.machine_done[state.places[step]] += 1
        state.done[action] += 1
        state.order[state.count] = action
        state.count += 1
        if end > state.makespan:
            rewards[0] = np.float64(state.makespan) - end
            state.makespan = end

    @staticmethod
    def action_code(state, action):
        """The operation, and how many others its machine has done before: its place in the order of the machine."""
        step = next_step(state, action)
        return step * MOST_JOBS + np.int64(state.machine_done[state.places[step]])

    @staticmethod
    def priors(state, actions, count, out):
        """The job with the most work left first."""
        total = 0.0
        for i in range(count):
            out[i] = math.exp(STEEPNESS * state.rest[next_step(state, np.int64(actions[i]))])
            total += out[i]
        for i in range(count):
            out[i] /= total
