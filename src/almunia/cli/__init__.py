"""The command `almunia`. Each module in `commands` is one command.

The docstring of a command module is its help. `EXAMPLES` has command lines, `add_arguments(parser)` adds the command's
arguments, and `run(args)` returns its exit code, a member of `Exit`.
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
from .interruptions import EXIT_CODE, MESSAGE, exit_now, handle_interrupts


class Exit(IntEnum):
    OK = 0
    FAILED = 1  # the command ran, but its result is negative, such as a failed check
    BAD_INPUT = 2  # the arguments or the input cannot be used
    UNREACHABLE = 3  # a database or a site does not answer; retrying may help
    INTERRUPTED = EXIT_CODE


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        sentence = message.removeprefix("argument ")
        end = "" if sentence[-1] in ".?" else "."
        self.exit(Exit.BAD_INPUT, f"{self.prog}: {sentence[0].upper()}{sentence[1:]}{end} See {self.prog} --help.\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = f"{action.option_strings[0]}: there is no" if action.option_strings else "there is no command"
            raise argparse.ArgumentError(None, f"{what} {value!r}; there are {one_of(action.choices, value)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Print expected errors on stderr, without a traceback."""
    try:
        with handle_interrupts():
            return _run(argv)
    except AlmuniaError as error:
        return _print_error(str(error), Exit.UNREACHABLE if isinstance(error, Unreachable) else Exit.BAD_INPUT)
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except OSError as error:
        return _print_error(f"{error.filename or 'Input or output'}: {error.strerror or error}.")
    except MemoryError:
        return _print_error("There is not enough memory for this; ask for less at a time.")
    except KeyboardInterrupt:
        from ..engine.pool import has_running_workers

        if has_running_workers():  # waiting for them could take long
            exit_now()
        print(MESSAGE, file=sys.stderr)
        return Exit.INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has printed the help or the error
        return int(stop.code or 0)
    if not hasattr(args, "run"):
        parser.print_help()
        return Exit.OK
    _set_components(args.components)
    code = int(args.run(args))
    sys.stdout.flush()
    return code


def _print_error(sentence: str, code: Exit = Exit.BAD_INPUT) -> int:
    print(f"almunia: {sentence}", file=sys.stderr)
    return code


def _set_components(folder: Path | None) -> None:
    """Make games read component tables from a folder, if one is given. Raise SetupError if the folder has none."""
    if folder is not None:
        from ..catalog import game_packages
        from ..core.component_data import ENV_VAR

        if not any((folder / f"{name}.toml").is_file() for name in game_packages()):
            names = ", ".join(sorted(file.name for file in folder.iterdir())[:5]) or "nothing"
            raise SetupError(f"{folder} has no component table, such as {min(game_packages())}.toml: there is {names}.")
        os.environ[ENV_VAR] = str(folder)


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="almunia",
        description="Modern board games to play and to study.",
        epilog="'almunia COMMAND --help' explains a command and its arguments.",
    )
    parser.add_argument(
        "--version", action="version", version=f"almunia {__version__}", help="show the version and exit"
    )
    parser.add_argument(
        "--components",
        type=_folder_arg,
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
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def all_commands() -> dict[str, ModuleType]:
    package = import_module(".commands", __name__)
    names = [module.name for module in iter_modules(package.__path__)]
    return {name.replace("_", "-"): import_module(f".commands.{name}", __name__) for name in names}


def _folder_arg(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return path.resolve()
