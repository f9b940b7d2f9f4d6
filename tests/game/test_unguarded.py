"""Ways round the guard: helpers compiled otherwise, arrays without index checks, loops in helpers of helpers."""

import time

import numba
import numpy as np
import pytest
from numba.experimental import jitclass
from numba.extending import intrinsic, overload, register_jitable
from numpy.lib.stride_tricks import as_strided

import playout as po
from tests.games.toy_games import Nim

pytestmark = pytest.mark.compiled_only
FAR = 1_000_000


@numba.guvectorize(["void(int32[:], int32[:])"], "(n)->(n)")
def by_guvectorize(x, out):
    for i in range(1000):
        out[i] = 5


@numba.vectorize(["int64(int64)"])
def by_vectorize(x):
    while x > 0:
        x |= 1
    return x


@numba.cfunc("int64(int64)")
def by_cfunc(x):
    while x > 0:
        x |= 1
    return x


@numba.stencil
def by_stencil(a):
    return a[0] + a[1]


@register_jitable
def by_register_jitable(actions):
    for i in range(FAR):
        actions[i] = 1
    return 1


def by_overload(x):
    return x


@overload(by_overload)
def implementation(x):
    return lambda x: x


@intrinsic
def by_intrinsic(typing, x):
    return x(x), lambda context, builder, signature, values: values[0]


@jitclass([("x", numba.int64)])
class ByJitclass:
    def __init__(self, x):
        self.x = x


@numba.njit
def poke(actions, helper=by_vectorize):
    return helper(actions[0])


def nim(rule):
    """Nim with another `legal_actions`."""
    return type("Other", (Nim,), {"legal_actions": staticmethod(rule)})()


def message(game, **settings):
    with pytest.raises(po.GameError) as caught:
        po.Search(game, po.Settings(**settings), seed=1).run(300)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def guvectorized(state, actions):
    by_guvectorize(actions, actions)
    return 1


def vectorized(state, actions):
    actions[0] = by_vectorize(1)
    return 1


def called_back(state, actions):
    actions[0] = by_cfunc(1)
    return 1


def stencilled(state, actions):
    actions[:] = by_stencil(actions)
    return 1


def overloaded(state, actions):
    actions[0] = by_overload(1)
    return 1


def jitable(state, actions):
    return by_register_jitable(actions)


def intrinsically(state, actions):
    actions[0] = by_intrinsic(1)
    return 1


def with_class(state, actions):
    actions[0] = ByJitclass(1).x
    return 1


def by_default(state, actions):
    actions[0] = poke(actions)
    return 1


def closed_over(helper):
    def rule(state, actions):
        actions[0] = helper(1)
        return 1

    return rule


@pytest.mark.parametrize(
    ("rule", "helper", "how"),
    [
        (guvectorized, "by_guvectorize", "@numba.guvectorize"),
        (vectorized, "by_vectorize", "@numba.vectorize"),
        (called_back, "by_cfunc", "@numba.cfunc"),
        (stencilled, "helper", "@numba.stencil"),
        (overloaded, "by_overload", "@overload"),
        (intrinsically, "by_intrinsic", "@intrinsic"),
        (with_class, "ByJitclass", "@jitclass"),
        (by_default, "by_vectorize", "@numba.vectorize"),
        (closed_over(by_vectorize), "by_vectorize", "@numba.vectorize"),
    ],
)
def test_a_helper_that_is_not_compiled_by_njit_is_refused(rule, helper, how):
    text = message(nim(rule))
    assert "Other.legal_actions can't be compiled, at " in text
    assert "test_unguarded.py:" in text
    assert f"{helper}` is compiled by {how}, and" in text.replace("a helper`", "helper`")
    assert "@numba.njit" in text


def test_a_helper_with_register_jitable_is_guarded():
    text = message(nim(jitable))
    assert f"Other.legal_actions wrote actions[{FAR - 1}], {FAR} entries in all" in text


def strided(state, actions):
    wide = as_strided(actions, (FAR,), (4,))
    for i in range(FAR):
        wide[i] = 1
    return 1


def strided_by_name(state, actions):
    library = np.lib
    wide = library.stride_tricks.as_strided(actions, (FAR,), (4,))
    for i in range(FAR):
        wide[i] = 1
    return 1


def from_address(state, actions):
    wide = numba.carray(actions.ctypes, (FAR,), np.int32)
    for i in range(FAR):
        wide[i] = 1
    return 1


def from_address_by_columns(state, actions):
    wide = numba.farray(actions.ctypes, (FAR,), np.int32)
    for i in range(FAR):
        wide[i] = 1
    return 1


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (strided, "as_strided"),
        (strided_by_name, "as_strided"),
        (from_address, "carray"),
        (from_address_by_columns, "farray"),
    ],
)
def test_arrays_without_index_checks_are_refused(rule, name):
    text = message(nim(rule))
    assert "Other.legal_actions can't be compiled, at " in text
    assert f"`{name}` can't be checked for indices past the end; index the array itself" in text


@numba.njit
def innermost(x):
    for _ in range(4096):
        x = (x * 6364136223846793005 + 1442695040888963407) ^ (x >> 3)
    return x


@numba.njit
def middle(x):
    for _ in range(4096):
        x = innermost(x)
    return x


@numba.njit
def outer(x):
    for _ in range(4096):
        x = middle(x)
    return x


def through_helpers(state, actions):
    actions[0] = 1
    if state.stones > 12:
        return 1
    actions[0] = 1 + (outer(state.stones) & 1)
    return 1


@numba.njit
def few(x, rounds):
    for _ in range(rounds):
        x = (x * 6364136223846793005 + 1442695040888963407) ^ (x >> 3)
    return x


@numba.njit
def few_of_few(x, rounds):
    for _ in range(rounds):
        x = few(x, rounds)
    return x


@numba.njit
def few_of_few_of_few(x, rounds):
    for _ in range(rounds):
        x = few_of_few(x, rounds)
    return x


def through_short_calls(state, actions):
    actions[0] = 1
    if state.stones > 12:
        return 1
    actions[0] = 1 + (few_of_few_of_few(state.stones, 4096 + state.turn) & 1)
    return 1


def through_numpy(state, actions):
    actions[0] = 1
    if state.stones > 12:
        return 1
    numbers = np.arange(3_000_000)
    total = 0
    for _ in range(4000):
        total += np.sort(numbers[::-1])[0]
    actions[0] = 1 + (total & 1)
    return 1


def through_slices(state, actions):
    actions[0] = 1
    if state.stones > 12:
        return 1
    numbers = np.zeros(3_000_000)
    for i in range(4000):
        numbers[:] = i
        numbers += i
        numbers.sort()
    actions[0] = 1 + (np.int64(numbers[0]) & 1)
    return 1


@pytest.mark.parametrize("rule", [through_helpers, through_short_calls, through_numpy, through_slices])
def test_long_work_in_short_loops_ends_with_the_time(rule):
    game = nim(rule)
    game.rules_table()
    began = time.monotonic()
    with pytest.raises(po.GameError, match=r"was still running .*the time of the search was up"):
        po.Search(game, seed=1).run(seconds=0.2)
    assert time.monotonic() - began < 30
