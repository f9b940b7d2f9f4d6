"""Copying arrays without allocation.

Kernels are compiled without reference counting, where `a[:] = b` can't be compiled. A small file on its own, because
all other kernels use it and it depends on none of them.
"""

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
def any_of(numbers, count):
    """Whether any of the first `count` is not zero. Without a branch, so that LLVM makes it a vector loop."""
    found = False
    for i in range(count):
        found |= numbers[i] != 0.0
    return found


@inlined
def load_row(target, table, row):
    for i in range(target.shape[0]):
        target[i] = table[row, i]


@inlined
def store_row(table, row, source):
    for i in range(source.shape[0]):
        table[row, i] = source[i]


@inlined
def swap_words(rows, a, b):
    """Swap two rows."""
    for i in range(rows.shape[1]):
        rows[a, i], rows[b, i] = rows[b, i], rows[a, i]


@inlined
def zero_row(rows, at):
    for i in range(rows.shape[1]):
        rows[at, i] = 0
