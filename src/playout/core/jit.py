"""Decorators for kernels, `njit` and `inlined` (`called` is in `core/pack.py`); how games and parts are compiled.

The flags for the core's code and its disk cache are set here and nowhere else.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

import numba
from numba.core import codegen, config, ir, typed_passes, types, untyped_passes
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.registry import CPUDispatcher
from numba.np import arrayobj

from .cache import DiskCache, hash_text
from .guard import compiler_with, guarded

F = TypeVar("F", bound=Callable[..., Any])
COMPILED = not config.DISABLE_JIT
OPTIONS = {"nogil": True, "error_model": "numpy"}  # never `fastmath`: scores may be infinite


def njit(function: F) -> F:
    """Compile a function of the core that Python calls; its machine code is cached on disk."""
    return _kernel(function, forceinline=False, for_python=True)


def inlined(function: F) -> F:
    """Compile a function of the core into its callers.

    A call passes each array of the tree as seven words, about two hundred in all. That takes 40 ns, ten times as long
    as the function itself.
    """
    return _kernel(function, forceinline=True)


def apart(function: F) -> F:
    """Compile a function of the core together with its callers, but not into them; see `called` in `core/pack.py`."""
    return _kernel(function, forceinline=False, for_python=False)


def _kernel(function: F, forceinline: bool, for_python: bool = False) -> F:
    if not COMPILED:
        return function
    # Without reference counting (`_nrt`), which doubles the time of a simulation; kernels allocate nothing.
    if not for_python:
        no_wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _InlinedCompiler}
        dispatcher = numba.njit(_nrt=False, forceinline=forceinline, **no_wrappers, **OPTIONS)(function)
        dispatcher.__class__ = _Inlined
        return dispatcher  # type: ignore[no-any-return]
    dispatcher = numba.njit(_nrt=False, pipeline_class=_KernelCompiler, **OPTIONS)(function)
    dispatcher._cache = DiskCache(f"{function.__module__}.{function.__qualname__}", hash_text(function.__qualname__))
    return dispatcher  # type: ignore[no-any-return]


class _Inlined(CPUDispatcher):  # type: ignore[misc]  # Numba is untyped
    """A function that is compiled into its callers. When Python calls it, it is compiled on its own as well."""

    @cached_property
    def on_its_own(self) -> Any:
        return _kernel(self.py_func, forceinline=False, for_python=True)

    def __call__(self, *arguments: Any) -> Any:
        return self.on_its_own(*arguments)


def compile_function(function: Callable[..., Any], signature: Any, name: str, key: str, guard: bool) -> Any:
    """Compile one function of a game for one signature, cached on disk under `key`; returns the dispatcher."""
    function = _renamed(function, key)
    dispatcher = guarded(function, **OPTIONS) if guard else numba.njit(**OPTIONS)(function)
    return _compiled(dispatcher, signature, name, key)


def compile_part(function: Callable[..., Any], signature: Any, name: str, key: str) -> Any:
    """Compile the kernel made around a part's functions: like other kernels, without reference counting."""
    dispatcher = numba.njit(_nrt=False, pipeline_class=_KernelCompiler, **OPTIONS)(_renamed(function, key))
    return _compiled(dispatcher, signature, name, key)


def _compiled(dispatcher: Any, signature: Any, name: str, key: str) -> Any:
    dispatcher._cache = DiskCache(name, key)
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


def _renamed(function: Callable[..., Any], key: str) -> Callable[..., Any]:
    """A copy of a function under a unique name.

    Numba distinguishes functions of the same name by a counter that starts again in each process. Two functions
    compiled in different processes may get the same number; once both are loaded, a call of one would run the other.
    """
    twin = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__, twin.__module__, twin.__dict__ = (
        function.__kwdefaults__,
        function.__module__,
        function.__dict__,
    )
    twin.__qualname__ = f"{function.__qualname__}_{key[:16]}"
    return twin


def address(dispatcher: Any) -> int:
    """The native address of the one compiled version; valid while the dispatcher is alive."""
    result = next(iter(dispatcher.overloads.values()))
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


class _InlinedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba is untyped
    """The code of a function that is only compiled into its callers, which then optimise it."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True  # no machine code is made


@contextmanager
def _plain_indices() -> Iterator[None]:
    """Index arrays as C does: kernels never count from the end, and Numba would test each index for that."""
    numbas_own = arrayobj.fix_integer_index
    arrayobj.fix_integer_index = lambda context, builder, kind, index, size: context.cast(
        builder, index, kind, types.intp
    )
    try:
        yield
    finally:
        arrayobj.fix_integer_index = numbas_own


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(typed_passes.NativeLowering):  # type: ignore[misc]  # Numba is untyped
    """Lower a function that Python calls, or that is called by address."""

    _name = "playout_kernel_lowering"

    def run_pass(self, state: Any) -> Any:
        with _plain_indices():
            return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _InlinedLowering(typed_passes.NativeLowering):  # type: ignore[misc]  # Numba is untyped
    """Lower a function without making machine code."""

    _name = "playout_inlined_lowering"

    def run_pass(self, state: Any) -> Any:
        state.library = _InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags = state.flags.copy()
        state.flags.no_compile = True
        with _plain_indices():
            done = super().run_pass(state)
        lowered = state["cr"]
        key: Any = {}.popitem  # a distinct C function without arguments: Python never calls this one
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class _FoldConstants(AnalysisPass):  # type: ignore[misc]  # Numba is untyped
    """Make literal arguments constants inside the callee, so that the branches they rule out are not even typed."""

    _name = "playout_fold_constants"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        changed = False
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if isinstance(value, ir.Arg) and isinstance(state.args[value.index], types.Literal):
                    constant = ir.Const(state.args[value.index].literal_value, statement.loc)
                    definitions = state.func_ir._definitions[statement.target.name]
                    definitions[definitions.index(value)] = constant
                    statement.value, changed = constant, True
        return changed


_KernelCompiler = compiler_with(_KernelLowering)
_InlinedCompiler = compiler_with(_InlinedLowering, before={untyped_passes.DeadBranchPrune: _FoldConstants})
