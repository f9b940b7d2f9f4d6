"""Copies of users' functions in which the compiled helpers are replaced by copies as well.

A small file on its own, because guarding and the messages about wrong rules both make such copies.
"""

import contextlib
from collections.abc import Callable
from types import CellType, FunctionType, ModuleType
from typing import Any

from .references import helper_of, is_users_own, names_in


class Copies:
    """Copies of functions, each made once; `finish` turns a copy into what is wanted, such as a guarded dispatcher.

    In the copies, compiled helpers of the user's own are replaced by copies as well.
    """

    def __init__(self, finish: Callable[[FunctionType], Any]) -> None:
        self.finish = finish
        self.made: dict[int, Any] = {}
        self.modules: dict[int, ModuleType] = {}

    def of(self, function: Any) -> Any:
        function = getattr(function, "py_func", function)
        if id(function) not in self.made:
            scope = dict(function.__globals__)
            cells = tuple(copy_cell(cell) for cell in function.__closure__ or ())
            defaults = function.__defaults__ and tuple(self.replaced(value) for value in function.__defaults__)
            copied = FunctionType(function.__code__, scope, function.__name__, defaults, cells)
            copied.__qualname__, copied.__module__ = function.__qualname__, function.__module__
            self.made[id(function)] = self.finish(copied)  # before its helpers, which may refer back to it
            for name in names_in(function.__code__):
                if name in scope:
                    scope[name] = self.replaced(scope[name])
            for cell in cells:
                with contextlib.suppress(ValueError):  # a cell that is still empty
                    cell.cell_contents = self.replaced(cell.cell_contents)
        return self.made[id(function)]

    def replaced(self, value: Any) -> Any:
        """A value that a function refers to, as the copy of that function should see it."""
        if isinstance(value, ModuleType):
            return self.module(value) if is_users_own(value) else value
        if type(value) is tuple and any(map(helper_of, value)):
            return tuple(self.replaced(item) for item in value)
        inner = None if hasattr(value, "is_guarded") else helper_of(value)
        return value if inner is None else self.of(inner)

    def module(self, module: ModuleType) -> ModuleType:
        """A copy of a user's module, with copies of its compiled functions."""
        if id(module) not in self.modules:
            self.modules[id(module)] = copied = ModuleType(module.__name__)
            for name, value in vars(module).items():
                setattr(copied, name, self.replaced(value))
        return self.modules[id(module)]


def copy_cell(cell: CellType) -> CellType:
    """Another cell of a closure with the same contents."""
    try:
        return CellType(cell.cell_contents)
    except ValueError:  # still empty
        return CellType()
