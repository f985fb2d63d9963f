"""The page on the command line, from the command itself."""

import argparse

from almunia.cli import all_commands, build_parser

HEAD = """\
# The command line

This page is made from the command itself by `make reference`; a test checks that it is up to date.
Every command says the same with `--help`.

The exit code is 0 if all went well, 1 if what was asked for ran and the answer is no (a game failed
its check, say), 2 if it could not be done as it was asked, 3 if a database did not answer, and 130
after an interruption. What went wrong is said in a sentence on the error stream.
"""


def page() -> str:
    """The whole page."""
    parser = build_parser()
    sections = [HEAD, "## almunia\n", f"{parser.description}\n", table(parser)]
    for name, command in all_commands().items():
        (actions,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
        examples = "\n".join(command.EXAMPLES)
        words = (command.__doc__ or "").strip()
        sections += [f"## almunia {name}\n", f"{words}\n", f"```sh\n{examples}\n```\n", table(actions.choices[name])]
    return "\n".join(section for section in sections if section)


def table(parser: argparse.ArgumentParser) -> str:
    """The arguments of one parser as a table."""
    rows = [row(action) for action in parser._actions if action.help and not is_common(action)]  # noqa: SLF001
    return "\n".join(["| argument | what it does |", "| --- | --- |", *rows]) + "\n" if rows else ""


def is_common(action: argparse.Action) -> bool:
    """Is it an argument that every command has, or the list of commands?"""
    return isinstance(action, argparse._HelpAction | argparse._SubParsersAction)  # noqa: SLF001


def row(action: argparse.Action) -> str:
    """One argument."""
    value = ""
    if action.nargs != 0:
        value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else str(action.metavar or action.dest)
        value = value if action.metavar or action.choices or not action.option_strings else value.upper()
    names = ", ".join(action.option_strings)
    words = " ".join(part for part in (names, value) if part).replace("|", "\\|")
    return f"| `{words}` | {(action.help or '').replace('|', chr(92) + '|')} |"
