"""The one decorator for compiled code, and the disk cache behind it.

Numba's own cache does not notice an edit in another file and keeps no closure over compiled functions, so the cache is
kept here: kernels in a folder named after a hash of the package's sources, a game's functions under a fingerprint of
their bytecode and of everything they refer to. `PLAYOUT_CACHE_DIR` moves the folder.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba.core import caching, codegen, config, ir, typed_passes, types, untyped_passes
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.registry import CPUDispatcher

from .guard import PACKAGE, compiler_with, file_of, guarded, is_followed, names_in

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT
OPTIONS = {"nogil": True, "error_model": "numpy"}  # never `fastmath`: scores may be infinite
KEEP_SECONDS = 30 * 24 * 3600  # a folder of another version that nobody used for so long is removed


@cache
def cache_folder() -> Path:
    """The folder for this version of the sources, of Numba and of Python; made when something is first saved."""
    digest = hashlib.sha256()
    for path in sorted((PACKAGE / "core").glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    for fact in (numba.__version__, llvmlite.__version__, np.__version__, sys.version, str(config.BOUNDSCHECK)):
        digest.update(fact.encode())
    return base_folder() / digest.hexdigest()[:20]


def base_folder() -> Path:
    if given := os.environ.get("PLAYOUT_CACHE_DIR"):
        return Path(given)
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "playout"


def _make_folder(folder: Path) -> None:
    """Make the cache folder, and remove those of versions long gone."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if other.is_dir() and time.time() - other.stat().st_mtime > KEEP_SECONDS:
                shutil.rmtree(other)


class _Impl(caching.CompileResultCacheImpl):  # type: ignore[misc]  # Numba is untyped
    """What Numba asks of a cache, less its search for a folder beside the source file."""

    def __init__(self) -> None:
        pass


class _Cache(caching.Cache):  # type: ignore[misc]  # Numba is untyped
    """Numba's function cache with our folder and our key. A disk that can't be written only costs the next start."""

    def __init__(self, name: str, key: str) -> None:
        self._name, self._key = name, key
        self._impl = _Impl()
        self._cache_path = str(cache_folder())
        self._cache_file = caching.IndexDataCacheFile(
            cache_path=self._cache_path, filename_base=f"{name}-{key[:16]}", source_stamp=key
        )
        self.enable()

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (sig, codegen.magic_tuple(), self._key)

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._enabled and self._impl.check_cachable(data):
            _make_folder(cache_folder())
            self._cache_file.save(self._index_key(sig, data.codegen), self._impl.reduce(data))

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        # A cache is a convenience: a full disk or a damaged entry means compiling again, never a failure.
        with contextlib.suppress(OSError, EOFError, ValueError, KeyError, AttributeError, ImportError):
            yield


class _InlinedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba is untyped
    """The code of a function that is only ever compiled into others: they optimise it, once."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True  # nothing is handed to the machine


@register_pass(mutates_CFG=True, analysis_only=False)
class _InlinedLowering(typed_passes.NativeLowering):  # type: ignore[misc]  # Numba is untyped
    """Without machine code at the end."""

    _name = "playout_inlined_lowering"

    def run_pass(self, state: Any) -> Any:
        state.library = _InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags = state.flags.copy()
        state.flags.no_compile = True  # no machine code
        done = super().run_pass(state)
        lowered = state["cr"]
        key: Any = {}.popitem  # a C function of its own that takes no arguments: there is nothing for Python to call
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class _FoldConstants(AnalysisPass):  # type: ignore[misc]  # Numba is untyped
    """Numbers that a caller writes out are constants inside: branches that they rule out are not even typed."""

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


_InlinedCompiler = compiler_with(_InlinedLowering, before={untyped_passes.DeadBranchPrune: _FoldConstants})


def njit(function: F) -> F:
    """Compile a function of the core that Python calls; its machine code is kept on disk for every later process."""
    return _kernel(function, forceinline=False, for_python=True)


def inlined(function: F) -> F:
    """Compile a function of the core into its callers.

    A call hands over each array of the tree as seven words, some two hundred in all: 40 ns, ten times what it does.
    """
    return _kernel(function, forceinline=True)


def called(function: F) -> F:
    """Compile a function of the core with its callers, as one that they call: what is rarely run, or is run from many
    places, would make each of them larger and slower to compile."""
    return _kernel(function, forceinline=False, for_python=False)


def _kernel(function: F, forceinline: bool, for_python: bool = False) -> F:
    if not COMPILED:
        return function
    # Without reference counting (`_nrt`): it doubles the time of a simulation, and kernels allocate nothing.
    if not for_python:
        no_wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _InlinedCompiler}
        dispatcher = numba.njit(_nrt=False, forceinline=forceinline, **no_wrappers, **OPTIONS)(function)
        dispatcher.__class__ = _Inlined
        return dispatcher  # type: ignore[no-any-return]
    dispatcher = numba.njit(_nrt=False, **OPTIONS)(function)
    dispatcher._cache = _Cache(f"{function.__module__}.{function.__qualname__}", hash_text(function.__qualname__))
    return dispatcher  # type: ignore[no-any-return]


class _Inlined(CPUDispatcher):  # type: ignore[misc]  # Numba is untyped
    """A function that is compiled into its callers; for Python to call, it is compiled on its own as well."""

    @cached_property
    def on_its_own(self) -> Any:
        return _kernel(self.py_func, forceinline=False, for_python=True)

    def __call__(self, *arguments: Any) -> Any:
        return self.on_its_own(*arguments)


def compile_function(function: Callable[..., Any], signature: Any, name: str, key: str, guard: bool) -> Any:
    """Compile one function of a game for one signature, kept on disk under `key`; returns the dispatcher."""
    function = _by_name(function, key)
    dispatcher = guarded(function, **OPTIONS) if guard else numba.njit(**OPTIONS)(function)
    dispatcher._cache = _Cache(name, key)
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


def compile_part(function: Callable[..., Any], signature: Any, name: str, key: str) -> Any:
    """Compile what was made around a part's functions, as a kernel is: without reference counting."""
    dispatcher = numba.njit(_nrt=False, **OPTIONS)(_by_name(function, key))
    dispatcher._cache = _Cache(name, key)
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


def _by_name(function: Callable[..., Any], key: str) -> Callable[..., Any]:
    """A function under a name of its own.

    Numba tells functions of the same name apart by a counter that starts again in each process. Two functions compiled
    in different processes may get the same number; once both are loaded, calls of one would run the other.
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
    """The native address of the one compiled version; valid as long as the dispatcher lives."""
    result = next(iter(dispatcher.overloads.values()))
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def fingerprint(*parts: object) -> str:
    """A hash of functions together with all that they refer to: helpers, constants, arrays, in whatever file."""
    digest = hashlib.sha256()
    _feed(digest, parts, set())
    return digest.hexdigest()


def _feed_module(digest: Any, module: ModuleType, names: list[str], seen: set[int]) -> None:
    """What a function may reach as `module.name`, or as `package.module.name`."""
    here = hash((id(module), *names))  # another function may use other names of it
    if here in seen or not is_followed(file_of(module)):
        return
    seen.add(here)
    for name in names:
        if name in vars(module):
            found = vars(module)[name]
            _feed(digest, found, seen)
            if isinstance(found, ModuleType):
                _feed_module(digest, found, names, seen)


def _feed(digest: Any, value: object, seen: set[int]) -> None:
    if isinstance(value, staticmethod):
        value = value.__func__
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        _feed(digest, value.__code__, seen)
        names = names_in(value.__code__)
        for name in names:
            if name in value.__globals__:
                found = value.__globals__[name]
                digest.update(name.encode())
                _feed(digest, found, seen)
                if isinstance(found, ModuleType):
                    _feed_module(digest, found, names, seen)
        for cell in value.__closure__ or ():
            _feed(digest, cell.cell_contents, seen)
        _feed(digest, value.__defaults__, seen)
    elif isinstance(value, CodeType):
        # File and lines too: an error that compiled code raises names the place it was compiled from. A notebook's cell
        # is no file, and has another name each time.
        if Path(value.co_filename).is_file():
            digest.update(value.co_filename.encode())
        digest.update(value.co_code + repr((value.co_names, value.co_varnames, value.co_firstlineno)).encode())
        digest.update(value.co_linetable)
        for constant in value.co_consts:
            _feed(digest, constant, seen)
    elif isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif isinstance(value, tuple | list):
        digest.update(str(len(value)).encode())
        for item in value:
            _feed(digest, item, seen)
    elif isinstance(value, ModuleType):
        digest.update(value.__name__.encode())
    elif isinstance(value, int | float | complex | str | bytes | bool | np.generic | np.dtype | type(None)):
        digest.update(repr(value).encode())
    else:
        digest.update(f"{type(value).__module__}.{type(value).__qualname__}".encode())
