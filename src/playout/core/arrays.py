"""Copying without allocation: kernels run with Numba's reference counting off, where `a[:] = b` can't be compiled."""

from .jit import inlined


@inlined
def copy(target, source):
    for i in range(source.shape[0]):
        target[i] = source[i]


@inlined
def zero(target):
    for i in range(target.shape[0]):
        target[i] = 0.0


@inlined
def load_row(target, table, row):
    for i in range(target.shape[0]):
        target[i] = table[row, i]


@inlined
def store_row(table, row, source):
    for i in range(source.shape[0]):
        table[row, i] = source[i]
