"""Open the site on this machine."""

import argparse
from pathlib import Path

from .. import Exit

EXAMPLES = (
    "almunia serve",
    "almunia serve --port 8080 --data tables --no-browser",
    "almunia serve --database postgresql://almunia@db.example.org/almunia --think elsewhere --no-browser",
)
HIGHEST_PORT = 65535


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen, and where the tables are kept."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: this machine alone)")
    parser.add_argument("--port", type=_port, default=8000, help="port to listen at (default: 8000)")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="where tables are kept (default: the folder in ALMUNIA_DATA, or one of this user if that is not set)",
    )
    parser.add_argument(
        "--database",
        default="",
        metavar="ADDRESS",
        help="another database, such as postgresql://name@host/almunia (default: ALMUNIA_DATABASE, or SQLite)",
    )
    parser.add_argument(
        "--think",
        choices=("here", "elsewhere"),
        default="",
        help="where bots think: in this process, or in those of `almunia think` (default: ALMUNIA_THINK, or here)",
    )
    parser.add_argument("--invite-only", action="store_true", help="let in only those with an account or an invitation")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from ...server import run as serve

    serve(
        host=args.host,
        port=args.port,
        data=args.data,
        open_browser=not args.no_browser,
        invite_only=args.invite_only,
        database=args.database,
        think=args.think,
    )
    return Exit.OK


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {HIGHEST_PORT}")
    return int(text)
