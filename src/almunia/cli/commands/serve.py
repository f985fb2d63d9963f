"""Serve the site on this machine."""

import argparse
from pathlib import Path

from .. import Exit
from ..arguments import number_arg

EXAMPLES = (
    "almunia serve",
    "almunia serve --port 8080 --data tables --no-browser",
    "almunia serve --database postgresql://almunia@db.example.org/almunia --bots worker --no-browser",
)
MAX_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: this machine only)")
    port_arg = number_arg(int, lambda port: 0 <= port <= MAX_PORT, f"a port from 0 to {MAX_PORT}")
    parser.add_argument("--port", type=port_arg, default=8000, help="port to listen at (default: 8000)")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="the site's folder (default: ALMUNIA_DATA, or a folder of this user)",
    )
    parser.add_argument(
        "--database",
        default="",
        metavar="ADDRESS",
        help="another database, such as postgresql://name@host/almunia (default: ALMUNIA_DATABASE, or SQLite)",
    )
    parser.add_argument(
        "--bots",
        choices=("here", "worker"),
        default="",
        help="where bots run: in this process, or in those of `almunia bot-worker` (default: ALMUNIA_BOTS, or here)",
    )
    parser.add_argument("--invite-only", action="store_true", help="admit only people with an account or an invitation")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run(args: argparse.Namespace) -> int:
    from ...server import run as serve

    serve(
        host=args.host,
        port=args.port,
        data=args.data,
        open_browser=not args.no_browser,
        invite_only=args.invite_only,
        database=args.database,
        bots=args.bots,
    )
    return Exit.OK
