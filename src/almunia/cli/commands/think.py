"""Let bots think for a site whose pages other processes serve.

Any number of these may run, on any machine that reaches the site's database in PostgreSQL.
"""

import argparse

from .. import Exit

EXAMPLES = ("almunia think --database postgresql://almunia@db.example.org/almunia --threads 8",)
MOST = 64  # threads


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which site, and how many threads."""
    parser.add_argument(
        "--database", default="", metavar="ADDRESS", help="the site's database (default: the one in ALMUNIA_DATABASE)"
    )
    parser.add_argument(
        "--threads", type=_threads, default=2, metavar="N", help="how many bots think at the same time (default: 2)"
    )


def run(args: argparse.Namespace) -> int:
    """Think until interrupted, or told to end."""
    from ...server import think

    think(args.database, args.threads)
    return Exit.OK


def _threads(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads from 1 to {MOST}")
    return int(text)
