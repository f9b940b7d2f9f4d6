"""The arrays of a nested search: what a run of NRPA knows (`core/nrpa.py`), and what both methods share."""

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined

MOST_FACTOR, LEAST_FACTOR = 1e100, 1e-100  # the policy stays finite, whatever is repeated

# Counters of a run.
PLAYOUTS, ENTRIES, EPOCH, RESTARTS, BEST_AT, BEST_LENGTH = range(6)
COUNTERS = 6


class NestOptions(NamedTuple):
    """The settings of a nested search, and what the game says about its returns."""

    levels: int
    iterations: int  # of a level
    playouts: int  # at level 1, for each adaptation
    alpha: float  # the step of an adaptation
    repetitions: int  # of its best line after which a level ends; 0: any number
    has_priors: int
    max_actions: int
    least_return: float
    most_return: float
    target: float  # a return that ends the run


class Nest(NamedTuple):
    """A run of NRPA. Slots are rows of the flat arrays: `steps` or `entries` long, levels + 1 of them."""

    root: Any  # uint8 [bytes of a state]
    rng: Any  # uint64 [1]
    counters: Any  # int64 [COUNTERS]
    done: Any  # int64 [levels + 1]: iterations of the level under way
    repeats: Any  # int64 [levels + 1]: how often they found the best line again
    marks: Any  # int64 [levels + 1]: where the journal of the level begins
    epochs: Any  # int64 [levels + 1]: a number that no other time of this or another level has
    slots: Any  # int64 [levels + 1]: where the best line of the level is; 0: the last playout
    values: Any  # float64 [slots]: the return of the line
    lengths: Any  # int64 [slots]: its actions
    taken: Any  # int32 [slots * steps], as are `ends` and `chosen`; see `core/policy_playout.py`
    ends: Any
    chosen: Any
    codes: Any  # int32 [slots * entries]
    biases: Any  # float64 [slots * entries]; without priors, of length 1
    best: Any  # int32 [steps]: the best line of all
    best_value: Any  # float64 [1]
    factors: Any  # float64 [codes]: the policy
    changed: Any  # int64 [codes]: the epoch in which the journal last noted the factor
    deltas: Any  # float64 [codes]: scratch, zeroed
    touched: Any  # int32 [entries]: scratch
    noted: Any  # the journal: int32 [any], whose factor
    before: Any  # float64 [any]: the factor before
    epoch_before: Any  # int64 [any]: and `changed` before


class NestWork(NamedTuple):
    """Scratch of a run."""

    state: Any  # uint8 [bytes of a state]
    actions: Any  # int32 [room]
    weights: Any  # float64 [room]
    rewards: Any  # float64 [1], zeroed
    returns: Any  # float64 [1]
    reached: Any  # int32 [1]: actions of the playout under way


def new_nest(root: Any, seed: int, levels: int, codes: int, has_priors: bool, steps: int, entries: int) -> Nest:
    """A run that has not begun, with room for lines of `steps` actions and `entries` legal actions."""
    slots = levels + 1

    def ints(length: int, kind: Any = np.int64) -> Any:
        return np.zeros(length, kind)

    nest = Nest(
        root=root.copy(),
        rng=np.array([seed], np.uint64),
        counters=ints(COUNTERS),
        done=ints(slots),
        repeats=ints(slots),
        marks=ints(slots),
        epochs=np.arange(slots, dtype=np.int64),
        slots=np.arange(slots, dtype=np.int64),
        values=np.full(slots, -np.inf),
        lengths=ints(slots),
        taken=ints(slots * steps, np.int32),
        ends=ints(slots * steps, np.int32),
        chosen=ints(slots * steps, np.int32),
        codes=ints(slots * entries, np.int32),
        biases=np.zeros(slots * entries if has_priors else 1),
        best=ints(steps, np.int32),
        best_value=np.full(1, -np.inf),
        factors=np.ones(codes),
        changed=ints(codes),
        deltas=np.zeros(codes),
        touched=ints(entries, np.int32),
        noted=ints(2 * entries, np.int32),
        before=np.zeros(2 * entries),
        epoch_before=ints(2 * entries),
    )
    nest.counters[EPOCH] = levels
    return nest


def enlarged(nest: Nest, for_journal: bool) -> Nest:
    """The same run with twice the room for the journal, or for lines and the entries of a playout."""
    if for_journal:
        return nest._replace(**{name: grown(getattr(nest, name)) for name in ("noted", "before", "epoch_before")})
    changes, slots = dict[str, Any](), len(nest.slots)
    for name in ("taken", "ends", "chosen", "codes", "biases"):
        rows = getattr(nest, name)
        if len(rows) >= slots:
            changes[name] = grown(rows.reshape(slots, -1)).ravel()
    return nest._replace(best=grown(nest.best), touched=grown(nest.touched), **changes)


def grown(rows: Any) -> Any:
    """The same rows, each followed by as many zeros.

    >>> grown(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2, 0, 0], [3, 4, 0, 0]]
    """
    return np.concatenate([rows, np.zeros_like(rows)], axis=-1)


@inlined
def is_possible(options, value):
    """Whether a return is finite and within the game's range."""
    return value >= options.least_return and value <= options.most_return
