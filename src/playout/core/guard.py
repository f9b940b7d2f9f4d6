"""Guarded compilation: users' rules check their indices, and their loops can be interrupted.

A rule that writes past the end of an array would corrupt the process, and one that never returns could not be stopped.
So users' rules, and the helper functions they call, are compiled with index checks, and their loops count their rounds
and ask `core/watch.py` from time to time whether to go on. Playout's own games are tested with index checks and
compiled without them.
"""

import contextlib
import ctypes
from collections.abc import Callable
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import analysis, callconv, cgutils, compiler, lowering, typed_passes, typing
from numba.core import ir as numba_ir
from numba.core.compiler_machinery import register_pass
from numba.core.errors import ConstantInferenceError

from .copies import Copies
from .refusals import refuse_recursion, refuse_unchecked
from .watch import POLL_EVERY, RuleInterrupted, callback

SYMBOL = "playout_poll"
WORD = ir.IntType(64)
FEW_ROUNDS = 1 << 12  # a loop with no more than this, with inner loops and what it calls, is not counted
UNKNOWN_ROUNDS = 1 << 6  # of a function that is chosen when the rule runs
ARRAY_WIDE = ("call", "arrayexpr", "binop", "inplace_binop", "unary")  # what may handle whole arrays

SUMS, LINE, STACK_BITS = "playout_rounds", 8, 20  # a sum in each cache line; the stacks of threads are far apart
SHARED_POLL_EVERY = 1 << 20  # rounds and elements, a power of two
shared = (ctypes.c_int64 * (16 * LINE))()

llvm.add_symbol(SUMS, ctypes.addressof(shared))
llvm.add_symbol(SYMBOL, ctypes.cast(callback, ctypes.c_void_p).value or 0)


class _GuardedLower(lowering.Lower):  # type: ignore[misc]  # Numba is untyped
    """Numba's lowering, with index checks that know their line and loops that poll.

    Loops count their rounds, except those that visibly do little. A loop over a range or an array counts all its rounds
    when it begins, unless they are many; the compiler moves that test out of the loop. A round counts as many as are
    made in it without being counted, in small loops and in the functions called. What a call counted too little for a
    poll of its own is added to a sum for all calls of a thread, and so are the elements that NumPy's functions handle.
    """

    def lower_function_body(self) -> Any:
        self._weights: dict[int, int] = {}  # by header block of a counted loop: what a round counts
        self._counted: dict[int, int] = {}  # the same by iterator
        self._rounds = None
        self._are_many: dict[int, Any] = {}  # by iterator: the variable that says whether its rounds are many
        uncounted = self._weigh_loops()
        self._left_over = uncounted if uncounted > FEW_ROUNDS else 0
        function = self.func_ir.func_id.func
        function.rounds = max(getattr(function, "rounds", 1), 1 if self._left_over else uncounted)
        return super().lower_function_body()

    def _weigh_loops(self) -> int:
        """Decide which loops are counted, the inner ones first; returns the rounds of a call that are not."""
        rounds = {label: self._rounds_of_calls(block) for label, block in self.blocks.items()}
        loops = analysis.compute_cfg_from_blocks(self.blocks).loops().values()
        for loop in sorted(loops, key=lambda loop: len(loop.body)):
            header, written = self.blocks[loop.header], self._rounds_as_written(loop)
            weight = min(1 + sum(rounds[label] for label in loop.body), POLL_EVERY)
            rounds |= dict.fromkeys(loop.body, 0)
            if written is not None and written * weight <= FEW_ROUNDS:
                rounds[loop.header] = written * weight
            else:
                self._weights[id(header)] = self._counted[id(self._iterator_of(header))] = weight
        return sum(rounds.values())

    def _rounds_of_calls(self, block: Any) -> int:
        """The rounds that the functions called in a block make without counting them."""
        rounds = 0
        for call in block.find_exprs(op="call"):
            kind = self.typeof(call.func.name)
            if isinstance(kind, types.Dispatcher):
                rounds += getattr(kind.dispatcher.py_func, "rounds", 1)
            elif isinstance(kind, types.FunctionType):  # one of several functions
                rounds += UNKNOWN_ROUNDS
        return rounds

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
        value = super().lower_expr(resty, expr)
        if expr.op in ARRAY_WIDE:
            arrays = [(resty, value)] if isinstance(resty, types.Array) else []
            for name in self._arrays_given(expr) if expr.op == "call" else ():
                arrays.append((self.typeof(name), self.loadvar(name)))
            for kind, array in arrays:
                self._share(self.context.make_array(kind)(self.context, self.builder, array).nitems)
        return value

    def _arrays_given(self, call: Any) -> list[str]:
        """The names of the arrays that a function of NumPy or Numba is given, or whose method it is."""
        kind = self.typeof(call.func.name)
        given = [variable for variable in call.args if isinstance(variable, numba_ir.Var)]
        if isinstance(kind, types.BoundFunction):
            with contextlib.suppress(KeyError, AttributeError):
                given.append(self.func_ir.get_definition(call.func).value)
        elif not isinstance(kind, types.Function) or kind.typing_key is len:
            return []
        return [variable.name for variable in given if isinstance(self.typeof(variable.name), types.Array)]

    def lower_inst(self, inst: Any) -> None:
        if isinstance(inst, numba_ir.Return) and not self.generator_info:
            if self._rounds is not None:
                self._share(self.builder.load(self._rounds))
            if self._left_over:
                self._share(WORD(self._left_over))
        super().lower_inst(inst)
        if isinstance(inst, numba_ir.SetItem | numba_ir.StaticSetItem):
            kind = self.typeof(inst.target.name)
            index = self.fndesc.calltypes[inst].args[1]
            if isinstance(kind, types.Array) and not isinstance(index, types.Integer):
                array = self.context.make_array(kind)(self.context, self.builder, self.loadvar(inst.target.name))
                if not (isinstance(index, types.BaseTuple) and all(isinstance(i, types.Integer) for i in index.types)):
                    self._share(array.nitems)

    def lower_block(self, block: Any) -> None:
        if id(block) in self._weights:
            self.loc = block.loc
            are_many, weight = self._are_many.get(id(self._iterator_of(block))), WORD(self._weights[id(block)])
            if are_many is None:
                self._count(weight)
            else:
                with cgutils.if_unlikely(self.builder, self.builder.load(are_many)):
                    self._count(weight)
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
        weight = self._counted[id(expr)]
        are_many = builder.icmp_unsigned(">=", rounds, WORD(POLL_EVERY // weight))
        self._are_many[id(expr)] = kept = cgutils.alloca_once(builder, are_many.type)
        builder.store(are_many, kept)
        self._count(builder.select(are_many, WORD(0), builder.mul(rounds, WORD(weight))))

    def _count(self, more: Any) -> None:
        if self._rounds is None:
            self._rounds = cgutils.alloca_once(self.builder, WORD)
        self._add(self._rounds, more, POLL_EVERY, told=True)

    def _share(self, more: Any) -> None:
        """Add to the sum for all calls of this thread. Threads are told apart by their stacks, mostly."""
        builder = self.builder
        sums = builder.module.globals.get(SUMS)
        if sums is None:
            sums = ir.GlobalVariable(builder.module, ir.ArrayType(WORD, len(shared)), SUMS)
        here = builder.ptrtoint(cgutils.alloca_once(builder, WORD), WORD)
        slot = builder.and_(builder.lshr(here, WORD(STACK_BITS)), WORD(len(shared) // LINE - 1))
        at = builder.gep(sums, [WORD(0), builder.mul(slot, WORD(LINE))])
        self._add(at, more, SHARED_POLL_EVERY, told=False)

    def _add(self, sum: Any, more: Any, every: int, told: bool) -> None:
        """Add to a sum and poll when it passes a multiple of `every`; where `told`, with the sum as the rounds."""
        builder = self.builder
        before = builder.load(sum)
        after = builder.add(before, more)
        builder.store(after, sum)
        due = builder.icmp_unsigned(">=", builder.xor(before, after), WORD(every))
        with cgutils.if_unlikely(builder, due):
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(WORD, [WORD]), SYMBOL)
            stop = builder.icmp_unsigned("!=", builder.call(function, [after if told else WORD(0)]), WORD(0))
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
