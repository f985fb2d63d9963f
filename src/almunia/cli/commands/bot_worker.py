"""Run bots for a site whose pages other processes serve.

You can run any number of bot workers, on any machine that reaches the site's PostgreSQL database.
"""

import argparse

from .. import Exit
from ..arguments import number_arg

EXAMPLES = ("almunia bot-worker --database postgresql://almunia@db.example.org/almunia --threads 8",)
MAX_THREADS = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database", default="", metavar="ADDRESS", help="the site's database (default: the one in ALMUNIA_DATABASE)"
    )
    parser.add_argument(
        "--threads",
        type=number_arg(int, lambda count: 1 <= count <= MAX_THREADS, f"a number of threads from 1 to {MAX_THREADS}"),
        default=2,
        metavar="N",
        help="number of bots that think at the same time (default: 2)",
    )


def run(args: argparse.Namespace) -> int:
    from ...server import run_bot_worker

    run_bot_worker(args.database, args.threads)
    return Exit.OK
