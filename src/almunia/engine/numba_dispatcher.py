"""Functions as Numba takes them: as a whole where Python calls them, and as a part where other functions do.

As it comes, Numba makes machine code of every function, and optimises it again inside each function that calls it, and
inside those that call that. Two thirds of the time went there. A part is lowered once and kept as LLVM's code; only
a whole is optimised, with all its parts inside it, and becomes machine code.
"""

from types import FunctionType
from typing import Any, Self

from llvmlite.binding import parse_bitcode
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher

from .specialize import copied

# Nobody calls our functions from C.
OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class EntryPointLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """The code of a function with all its parts, which becomes machine code."""

    def _finalize_specific(self) -> None:
        """Load it, and set what Numba sets only for functions that were loaded by themselves."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if environment := lookup_environment(variable.name):
                self._codegen.set_env(variable.name, environment)


class BitcodeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function with all its parts, to be put into a whole."""

    @classmethod
    def loaded(cls, codegen: Any, name: str, bitcode: bytes) -> Self:
        """A part as it was kept on the disk."""
        part = cls(codegen, name)
        part._final_module = part._shared_module = parse_bitcode(bitcode)
        part._finalize_final_module()
        return part

    def bitcode(self) -> bytes:
        """What is kept on the disk."""
        return bytes(self._get_module_for_linking().as_bitcode())

    def _optimize_final_module(self) -> None:
        """That is done in the whole."""

    def _finalize_final_module(self) -> None:
        """No machine code is made of it."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Nowhere, for Python does not call it."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Self:
        """Where Numba sets the environment of a function."""
        return self

    def set_env(self, _name: str, _environment: Any) -> None:
        """The whole does that."""


class WholeCompiler(Compiler):  # type: ignore[misc]
    """Compiles a whole."""

    library = EntryPointLibrary

    def define_pipelines(self) -> Any:
        """Numba's own passes, writing into a library of this kind."""
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class PartCompiler(WholeCompiler):
    """Compiles a part."""

    library = BitcodeLibrary


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function that Python calls; other functions call its part."""

    def __init__(self, plain: FunctionType, *_: Any) -> None:
        super().__init__(plain, targetoptions=OPTIONS, pipeline_class=WholeCompiler)
        # A copy, since Numba does not enter a function twice, and one that calls itself has its part inside its whole.
        inner = copied(plain, plain.__globals__, plain.__closure__ or ())
        inner.__dict__.update(plain.__dict__)
        options = OPTIONS | {"no_cpython_wrapper": True}
        self.part = CPUDispatcher(inner, targetoptions=options, pipeline_class=PartCompiler)

    @property
    def _numba_type_(self) -> Any:
        """What other functions find under its name."""
        return types.Dispatcher(self.part)

    def enable_caching(self) -> None:
        """Keep what is compiled on the disk."""
        self._cache = WholeCache(self.py_func)
        self.part._cache = PartCache(self.part.py_func)  # noqa: SLF001 - as its own way does


class EntryPointCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """Wholes as they stand in files."""

    def rebuild(self, target: Any, kept: Any) -> Any:
        """A whole as it was, without the code of LLVM that comes with it: nothing is put together with a whole.

        For all games that would be 80 MB.
        """
        result = super().rebuild(target, kept)
        result.library._shared_module = None  # noqa: SLF001 - Numba keeps it
        return result


class WholeCache(FunctionCache):  # type: ignore[misc]
    """Keeps wholes."""

    _impl_class = EntryPointCacheImpl


class BitcodeCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """Parts as they stand in files, which have a name of their own."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """The part of a function stands beside its whole."""
        return str(super().get_filename_base(f"{fullname}-part", abiflags))

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """What is kept of a part: Numba's own record, with LLVM's code for the machine's."""
        environments = tuple(result._find_referenced_environments())  # noqa: SLF001 - as Numba's own record does
        fndesc = result.fndesc
        fndesc.typemap = fndesc.calltypes = None  # large, and needed no more
        code = result.library.name, result.library.bitcode()
        return code, (fndesc, result.environment, result.signature, result.reload_init, environments)

    def rebuild(self, target: Any, kept: tuple[Any, ...]) -> Any:
        """A part as it was when it had been compiled."""
        (name, bitcode), (fndesc, environment, signature, reload_init, environments) = kept
        for reload in reload_init:
            reload()
        library = BitcodeLibrary.loaded(target.codegen(), name, bitcode)
        return CompileResult(
            target_context=target,
            typing_context=target.typing_context,
            library=library,
            environment=environment,
            entry_point=target.get_executable(library, fndesc, environment),
            fndesc=fndesc,
            type_annotation=None,
            signature=signature,
            objectmode=False,
            lifted=(),
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=environments,
        )


class PartCache(FunctionCache):  # type: ignore[misc]
    """Keeps parts."""

    _impl_class = BitcodeCacheImpl


def ways() -> list[FunctionType]:
    """The functions by which machine code is made here: another way to make it needs a folder of its own."""
    kinds = EntryPointLibrary, BitcodeLibrary, WholeCompiler, PartCompiler, KernelDispatcher, BitcodeCacheImpl
    return [thing for kind in kinds for thing in vars(kind).values() if isinstance(thing, FunctionType)]
