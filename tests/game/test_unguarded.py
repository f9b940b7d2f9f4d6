"""Ways round the guard: helpers compiled otherwise, arrays without index checks, loops in helpers of helpers."""

import numba
import numpy as np
import pytest
from numba.experimental import jitclass
from numba.extending import intrinsic, register_jitable
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
        (jitable, "by_register_jitable", "@overload or @register_jitable"),
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
