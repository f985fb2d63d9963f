"""Numba dispatchers with two libraries for each function: an entry point for Python, and bitcode for other functions.

By default, Numba makes machine code of every function, and optimizes the function again in each direct or indirect
caller. The repeated optimization took two thirds of the compile time. Here a function that other functions call is
lowered once and cached as LLVM bitcode. Only entry points are optimized, with the bitcode of all functions that they
reach, and become machine code.
"""

from types import FunctionType
from typing import Any, Self

from llvmlite.binding import parse_bitcode
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, compile_result
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher

from .specialize import rebind

# "no_cfunc_wrapper": C does not call these functions.
OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class EntryPointLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """The code of a function with all that it calls, which becomes machine code."""

    def _finalize_specific(self) -> None:
        """Load the code, and set the environments of all linked functions. Numba sets only that of the entry point."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if environment := lookup_environment(variable.name):
                self._codegen.set_env(variable.name, environment)


class BitcodeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function with all that it calls, to be linked into an entry point."""

    @classmethod
    def loaded(cls, codegen: Any, name: str, bitcode: bytes) -> Self:
        library = cls(codegen, name)
        library._final_module = library._shared_module = parse_bitcode(bitcode)
        library._finalize_final_module()
        return library

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """Return the name and the bitcode, which the cache stores in place of machine code."""
        return self.name, self._get_module_for_linking().as_bitcode()

    def _optimize_final_module(self) -> None:
        """Do nothing: the entry point is optimized as a whole."""

    def _finalize_final_module(self) -> None:
        """Finish without making machine code."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return 0 instead of an address, because Python does not call the function."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Self:
        """The object on which Numba sets a function's environment."""
        return self

    def set_env(self, _name: str, _environment: Any) -> None:
        """Do nothing: the entry point sets environments."""


class EntryPointCompiler(Compiler):  # type: ignore[misc]
    library = EntryPointLibrary

    def define_pipelines(self) -> Any:
        """Return Numba's own passes, which write into a library of this compiler's class."""
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class BitcodeCompiler(EntryPointCompiler):
    library = BitcodeLibrary


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Dispatcher of an entry point; compiled functions call its `part`, the dispatcher of the bitcode."""

    def __init__(self, plain: FunctionType, *_: Any) -> None:
        super().__init__(plain, targetoptions=OPTIONS, pipeline_class=EntryPointCompiler)
        # A copy, since Numba registers a function once, and a recursive entry point contains its own bitcode.
        inner = rebind(plain, plain.__globals__, plain.__closure__ or ())
        inner.__dict__.update(plain.__dict__)
        options = OPTIONS | {"no_cpython_wrapper": True}
        self.part = CPUDispatcher(inner, targetoptions=options, pipeline_class=BitcodeCompiler)

    @property
    def _numba_type_(self) -> Any:
        """The Numba type of this function in compiled callers."""
        return types.Dispatcher(self.part)

    def enable_caching(self) -> None:
        self._cache = EntryPointCache(self.py_func)
        self.part._cache = BitcodeCache(self.part.py_func)  # noqa: SLF001 - as Numba's own method does


class EntryPointCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """File format of entry points."""

    def rebuild(self, target: Any, kept: Any) -> Any:
        """Return a cached entry point without its LLVM code, since nothing links it.

        The LLVM code of all games takes 80 MB.
        """
        result = super().rebuild(target, kept)
        result.library._shared_module = None  # noqa: SLF001 - Numba keeps it
        return result


class EntryPointCache(FunctionCache):  # type: ignore[misc]
    _impl_class = EntryPointCacheImpl


class BitcodeCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """File format of bitcode."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Return a file name that differs from the entry point's by `-part`."""
        return str(super().get_filename_base(f"{fullname}-part", abiflags))

    def reduce(self, result: Any) -> Any:
        """Return Numba's own record without the types of all variables, which take long to write as text."""
        return super().reduce(result._replace(type_annotation=None))

    def rebuild(self, target: Any, kept: tuple[Any, ...]) -> Any:
        """Return the compile result for a cached record, with the bitcode in a `BitcodeLibrary`."""
        (name, bitcode), fndesc, environment, signature, _, lifted, _, reload_init, environments = kept
        for reload in reload_init:
            reload()
        library = BitcodeLibrary.loaded(target.codegen(), name, bitcode)
        return compile_result(
            target_context=target,
            typing_context=target.typing_context,
            library=library,
            environment=environment,
            entry_point=target.get_executable(library, fndesc, environment),
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            lifted=lifted,
            reload_init=reload_init,
            referenced_envs=environments,
        )


class BitcodeCache(FunctionCache):  # type: ignore[misc]
    _impl_class = BitcodeCacheImpl


def codegen_functions() -> list[FunctionType]:
    """Return the methods of this module that make machine code. A change of these methods outdates cached code."""
    kinds = EntryPointLibrary, BitcodeLibrary, EntryPointCompiler, BitcodeCompiler, KernelDispatcher, BitcodeCacheImpl
    return [thing for kind in kinds for thing in vars(kind).values() if isinstance(thing, FunctionType)]
