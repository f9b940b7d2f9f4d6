"""Guarded compilation: users' rules check their indices, and their loops can be interrupted.

A rule that writes past the end of an array would corrupt the process, and one that never returns could not be stopped.
So users' rules, and the helper functions they call, are compiled with index checks, and their loops count their rounds
and ask `core/watch.py` from time to time whether to go on. Playout's own games are tested with index checks and
compiled without them.
"""

import contextlib
import ctypes
import math
from collections.abc import Callable
from types import CellType, FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import analysis, callconv, cgutils, compiler, lowering, typed_passes, typing
from numba.core import ir as numba_ir
from numba.core.compiler_machinery import register_pass
from numba.core.errors import ConstantInferenceError

from .references import is_users_own, names_in
from .refusals import refuse_recursion, refuse_unchecked
from .watch import POLL_EVERY, RuleInterrupted, callback

SYMBOL = "playout_poll"
WORD = ir.IntType(64)
FEW_ROUNDS = 1 << 12  # a loop with no more than this, inner loops included, is not counted

llvm.add_symbol(SYMBOL, ctypes.cast(callback, ctypes.c_void_p).value or 0)


class _GuardedLower(lowering.Lower):  # type: ignore[misc]  # Numba is untyped
    """Numba's lowering, with index checks that know their line and loops that poll.

    Loops count their rounds, except those that visibly make few. A loop over a range or an array counts all its rounds
    when it begins, unless they are many; the compiler moves that test out of the loop.
    """

    def lower_function_body(self) -> Any:
        loops = list(analysis.compute_cfg_from_blocks(self.blocks).loops().values())
        written = {loop.header: self._rounds_as_written(loop) for loop in loops}
        self._headers, self._counted = set(), set()
        for loop in loops:
            around = [written[other.header] or 1 for other in loops if loop.header in other.body]
            if written[loop.header] is None or math.prod(around) > FEW_ROUNDS:
                self._headers.add(id(self.blocks[loop.header]))
                self._counted.add(id(self._iterator_of(self.blocks[loop.header])))
        self._rounds = None
        self._are_many: dict[int, Any] = {}  # by iterator: the variable that says whether its rounds are many
        return super().lower_function_body()

    def lower(self) -> None:
        """Check indices with one comparison instead of Numba's two, and give every exception the user's line."""
        convention = callconv.CPUCallConv
        numbas = cgutils.do_boundscheck, convention.return_user_exc
        cgutils.do_boundscheck, convention.return_user_exc = self._check_index, self._raising(convention)
        try:
            super().lower()
        finally:
            cgutils.do_boundscheck, convention.return_user_exc = numbas

    def _raising(self, convention: Any) -> Callable[..., None]:
        numbas = convention.return_user_exc

        def return_user_exc(
            call_conv: Any, builder: Any, exc: Any, exc_args: Any = None, loc: Any = None, func_name: Any = None
        ) -> None:
            name = func_name or self.func_ir.func_id.func_name
            numbas(call_conv, builder, exc, exc_args, self.loc if loc is None else loc, name)

        return return_user_exc

    def _check_index(self, context: Any, builder: Any, index: Any, length: Any, axis: Any = None) -> None:
        outside = builder.icmp_unsigned(">=", index, length)  # unsigned, a negative index is huge
        with cgutils.if_unlikely(builder, outside):
            context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if id(expr) in self._counted and isinstance(self.typeof(expr.value.name), types.RangeType | types.Array):
            self._count_in_advance(expr)
        return super().lower_expr(resty, expr)

    def lower_block(self, block: Any) -> None:
        if id(block) in self._headers:
            self.loc = block.loc
            are_many = self._are_many.get(id(self._iterator_of(block)))
            if are_many is None:
                self._count(WORD(1))
            else:
                with cgutils.if_unlikely(self.builder, self.builder.load(are_many)):
                    self._count(WORD(1))
        super().lower_block(block)

    def _iterator_of(self, header: Any) -> Any:
        """The `getiter` that a loop iterates over; None if that is unknown or the loop is a `while`."""
        for step in header.find_insts(numba_ir.Assign):
            if isinstance(step.value, numba_ir.Expr) and step.value.op == "iternext":
                with contextlib.suppress(KeyError):
                    return self.func_ir.get_definition(step.value.value)
        return None

    def _rounds_as_written(self, loop: Any) -> int | None:
        """The number of rounds of a loop over a tuple or over a range of constants; None for any other loop."""
        iterator = self._iterator_of(self.blocks[loop.header])
        if iterator is None:
            return None
        kind = self.typeof(iterator.value.name)
        if isinstance(kind, types.BaseTuple):
            return len(kind)
        if not isinstance(kind, types.RangeType):
            return None
        with contextlib.suppress(
            KeyError, ConstantInferenceError, AttributeError, TypeError, ValueError, OverflowError
        ):
            call = self.func_ir.get_definition(iterator.value)
            return len(range(*(self.func_ir.infer_constant(bound) for bound in call.args)))
        return None

    def _count_in_advance(self, expr: Any) -> None:
        builder, kind = self.builder, self.typeof(expr.value.name)
        length = self.context.get_function(len, typing.signature(types.intp, kind))
        rounds = length(builder, (self.loadvar(expr.value.name),))
        if rounds.type.width < WORD.width:  # a range of int32 has an int32 length
            rounds = builder.zext(rounds, WORD)
        are_many = builder.icmp_unsigned(">=", rounds, WORD(POLL_EVERY))
        self._are_many[id(expr)] = kept = cgutils.alloca_once(builder, are_many.type)
        builder.store(are_many, kept)
        self._count(builder.select(are_many, WORD(0), rounds))

    def _count(self, more: Any) -> None:
        builder = self.builder
        if self._rounds is None:
            self._rounds = cgutils.alloca_once(builder, WORD)
        before = builder.load(self._rounds)
        rounds = builder.add(before, more)
        builder.store(rounds, self._rounds)
        due = builder.icmp_unsigned(">=", builder.xor(before, rounds), WORD(POLL_EVERY))
        with cgutils.if_unlikely(builder, due):
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(WORD, [WORD]), SYMBOL)
            stop = builder.icmp_unsigned("!=", builder.call(function, [rounds]), WORD(0))
            with cgutils.if_unlikely(builder, stop):
                self.context.call_conv.return_user_exc(builder, RuleInterrupted, ())


@register_pass(mutates_CFG=True, analysis_only=False)
class _GuardedLowering(typed_passes.NativeLowering):  # type: ignore[misc]  # Numba is untyped
    _name = "playout_guarded_lowering"

    @property
    def lowering_class(self) -> Any:
        return _GuardedLower


def compiler_with(lowering: type[Any], before: dict[type[Any], type[Any]] | None = None) -> type[Any]:
    """Numba's own pipeline with its lowering replaced, and with passes of ours inserted before some of its own."""

    class Compiler(compiler.CompilerBase):  # type: ignore[misc]  # Numba is untyped
        def define_pipelines(self) -> list[Any]:
            manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.passes = [
                (lowering, text) if step is typed_passes.NativeLowering else (step, text)
                for step, text in manager.passes
            ]
            for step, ours in (before or {}).items():
                at = next(i for i, (each, _) in enumerate(manager.passes) if each is step)
                manager.passes.insert(at, (ours, ours._name))
            manager.finalize()
            return [manager]

    return Compiler


_GuardedCompiler = compiler_with(_GuardedLowering)


def guarded(function: Callable[..., Any], **options: Any) -> Any:
    """A guarded dispatcher for `function`; the user's own functions that it calls are guarded as well."""
    refuse_recursion(function)

    def finish(copied: FunctionType) -> Any:
        refuse_unchecked(copied)
        made = numba.njit(boundscheck=True, pipeline_class=_GuardedCompiler, **options)(copied)
        made.is_guarded = True
        return made

    return Copies(finish).of(function)


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
        if type(value) is tuple and any(hasattr(item, "py_func") for item in value):
            return tuple(self.replaced(item) for item in value)
        inner = getattr(value, "py_func", None)
        is_helper = isinstance(inner, FunctionType) and is_users_own(inner) and not hasattr(value, "is_guarded")
        return self.of(inner) if is_helper else value

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
