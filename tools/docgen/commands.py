"""The page on the command line, generated from the parser."""

import argparse

from almunia.cli import all_commands, build_parser

HEAD = """\
# The command line

`make reference` generates this page from the command itself; a test checks that it is up to date.
`--help` prints the same text for each command.

The exit code is 0 for success, 1 if the command ran and the answer is no (for example, a game failed its check),
2 for wrong arguments or input, 3 if a database or a site did not answer, and 130 after Ctrl-C. Errors are printed as
one sentence on standard error.
"""


def render_page() -> str:
    """Return the page."""
    parser = build_parser()
    sections = [HEAD, "## almunia\n", f"{parser.description}\n", arguments_table(parser)]
    for name, command in all_commands().items():
        (actions,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
        examples = "\n".join(command.EXAMPLES)
        words = (command.__doc__ or "").strip()
        sections += [
            f"## almunia {name}\n",
            f"{words}\n",
            f"```sh\n{examples}\n```\n",
            arguments_table(actions.choices[name]),
        ]
    return "\n".join(section for section in sections if section)


def arguments_table(parser: argparse.ArgumentParser) -> str:
    """Return the arguments of a parser as a table."""
    rows = [argument_row(action) for action in parser._actions if action.help and not is_common(action)]  # noqa: SLF001
    return "\n".join(["| argument | what it does |", "| --- | --- |", *rows]) + "\n" if rows else ""


def is_common(action: argparse.Action) -> bool:
    """Return whether every command has this argument, or it is the list of commands."""
    return isinstance(action, argparse._HelpAction | argparse._SubParsersAction)  # noqa: SLF001


def argument_row(action: argparse.Action) -> str:
    """Return an argument as a row."""
    value = ""
    if action.nargs != 0:
        value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else str(action.metavar or action.dest)
        value = value if action.metavar or action.choices or not action.option_strings else value.upper()
    names = ", ".join(action.option_strings)
    cell = " ".join(part for part in (names, value) if part).replace("|", "\\|")
    return f"| `{cell}` | {(action.help or '').replace('|', chr(92) + '|')} |"
