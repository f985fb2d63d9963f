"""The command `almunia`. Each module in `verbs` is one verb, found by looking.

A verb module has a docstring (its help), `EXAMPLES` (a tuple of command lines), `arguments(parser)`
and `run(args) -> int`. The exit codes are those of `Exit`.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from .. import __version__
from ..errors import AlmuniaError
from .interruptions import CODE, WORDS, heeded, hit_the_compiler, leave


class Exit(IntEnum):
    """What the command returns to the shell."""

    OK = 0
    FAILED = 1  # what was asked for ran, and the answer is no
    BAD_INPUT = 2  # what was asked for cannot be done as it was asked
    INTERRUPTED = CODE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code. Errors become a sentence on stderr."""
    try:
        args = build_parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said all there is to say
        return int(stop.code or 0)
    try:
        with heeded():
            _set_components(args.components)
            code = int(args.run(args))
            sys.stdout.flush()
    except AlmuniaError as error:
        return _complain(str(error))
    except BrokenPipeError:  # whoever read our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except OSError as error:
        return _complain(f"{error.filename or 'Input or output'}: {error.strerror or error}.")
    except MemoryError:
        return _complain("This takes more memory than there is; ask for less at a time.")
    except KeyboardInterrupt as interruption:
        return _interrupted(interruption)
    return code


def _interrupted(interruption: KeyboardInterrupt) -> int:
    """Say so; and wait neither for threads that are still inside machine code nor for what LLVM has half done."""
    from ..core.threads import left_over

    if left_over() or hit_the_compiler(interruption):
        leave()
    print(WORDS, file=sys.stderr)
    return Exit.INTERRUPTED


def _complain(sentence: str) -> int:
    print(f"almunia: {sentence}", file=sys.stderr)
    return Exit.BAD_INPUT


def _set_components(folder: Path | None) -> None:
    """Take component tables from this folder; they are read when a game is first used."""
    if folder is not None:
        from ..core.component_data import FOLDER

        os.environ[FOLDER] = str(folder)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="almunia",
        description="Modern board games to play and to study.",
        epilog="Say 'almunia VERB --help' for what a verb takes.",
    )
    parser.add_argument(
        "--version", action="version", version=f"almunia {__version__}", help="show the version and leave"
    )
    parser.add_argument(
        "--components",
        type=_folder,
        metavar="FOLDER",
        help="take component tables from FOLDER, where it has a file GAME.toml",
    )
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for name, verb in all_verbs().items():
        text = verb.__doc__ or ""
        subparser = subparsers.add_parser(
            name,
            help=text.partition("\n")[0].rstrip("."),
            description=text,
            epilog="examples:\n" + "\n".join(f"  {example}" for example in verb.EXAMPLES),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        verb.arguments(subparser)
        subparser.set_defaults(run=verb.run)
    return parser


def all_verbs() -> dict[str, ModuleType]:
    """Every verb by its name."""
    package = import_module(".verbs", __name__)
    return {module.name: import_module(f".verbs.{module.name}", __name__) for module in iter_modules(package.__path__)}


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return path.resolve()
