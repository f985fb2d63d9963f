"""The command `almunia`. Each module in `commands` is one command, found by looking.

A command module has a docstring (its help), `EXAMPLES` (a tuple of command lines), `arguments(parser)`
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
from typing import Any, NoReturn

from .. import __version__
from ..errors import AlmuniaError, SetupError, Unreachable, one_of
from .interruptions import CODE, WORDS, heeded, hit_the_compiler, leave


class Exit(IntEnum):
    """What the command returns to the shell."""

    OK = 0
    FAILED = 1  # what was asked for ran, and the answer is no
    BAD_INPUT = 2  # what was asked for cannot be done as it was asked
    UNREACHABLE = 3  # what it needs does not answer; it may later
    INTERRUPTED = CODE


class Parser(argparse.ArgumentParser):
    """Complains in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to read more, and leave."""
        words = message.removeprefix("argument ")
        end = "" if words[-1] in ".?" else "."
        self.exit(Exit.BAD_INPUT, f"{self.prog}: {words[0].upper()}{words[1:]}{end} See {self.prog} --help.\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = f"{action.option_strings[0]}: there is no" if action.option_strings else "there is no command"
            raise argparse.ArgumentError(None, f"{what} {value!r}; there are {one_of(action.choices, value)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code. Errors become a sentence on stderr."""
    parser = build_parser()
    try:
        args = parser.parse_args(argv)
        if not hasattr(args, "run"):
            parser.print_help()
            return Exit.OK
    except SystemExit as stop:  # argparse has said all there is to say
        return int(stop.code or 0)
    try:
        with heeded():
            _set_components(args.components)
            code = int(args.run(args))
            sys.stdout.flush()
    except AlmuniaError as error:
        return _complain(str(error), Exit.UNREACHABLE if isinstance(error, Unreachable) else Exit.BAD_INPUT)
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


def _complain(sentence: str, code: Exit = Exit.BAD_INPUT) -> int:
    print(f"almunia: {sentence}", file=sys.stderr)
    return code


def _set_components(folder: Path | None) -> None:
    """Take component tables from this folder; they are read when a game is first used."""
    if folder is not None:
        from ..core.component_data import FOLDER
        from ..core.registry import packages

        if not any((folder / f"{name}.toml").is_file() for name in packages()):
            there = ", ".join(sorted(file.name for file in folder.iterdir())[:5]) or "nothing"
            raise SetupError(f"{folder} has no component table, such as {min(packages())}.toml: there is {there}.")
        os.environ[FOLDER] = str(folder)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = Parser(
        prog="almunia",
        description="Modern board games to play and to study.",
        epilog="Say 'almunia COMMAND --help' for what a command takes.",
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
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in all_commands().items():
        text = command.__doc__ or ""
        subparser = subparsers.add_parser(
            name,
            help=text.partition("\n")[0].rstrip("."),
            description=text,
            epilog="examples:\n" + "\n".join(f"  {example}" for example in command.EXAMPLES),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def all_commands() -> dict[str, ModuleType]:
    """Every command by its name."""
    package = import_module(".commands", __name__)
    names = [module.name for module in iter_modules(package.__path__)]
    return {name: import_module(f".commands.{name}", __name__) for name in names}


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return path.resolve()
