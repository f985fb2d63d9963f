"""List the games."""

import argparse
from dataclasses import asdict

from ...catalog import all_games
from ...core.contract import Meta
from .. import Exit
from ..arguments import add_json, print_result

EXAMPLES = ("almunia list", "almunia list --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    games = all_games()
    print_result(args, [asdict(meta) for meta in games], ["\n\n".join(map(format_game, games))])
    return Exit.OK


def format_game(meta: Meta) -> str:
    low, high = meta.seats
    seats = f"{low} to {high} seats" if high > low else f"{low} seats" if low > 1 else "1 seat"
    lines = [
        f"{meta.name}: {meta.title}, by {' and '.join(meta.designers)} ({meta.year}); {seats}; {meta.stage}",
        f"  {meta.about}",
    ]
    if meta.data:
        lines.append(f"  Data: {meta.data}")
    for option in meta.options:
        lines.append(f"  --option {option.name}={option.default or '...'}: {option.help or option.label}")
    return "\n".join(lines)
