"""Write the finished public games of a site into a file for research, without names.

A game is public if its table was listed in the lobby, for players or for spectators. Each row is a game: its players as
`person` or the spec of a bot, points, ranks, and the record, with the thinking time of each move. docs/export.md
describes the columns. The suffix of the file sets the format: .jsonl, or .parquet, which needs the extra `arena`. The
site may run meanwhile.
"""

import argparse
from pathlib import Path

from ...core.english import pluralize
from ...errors import needs_extra
from ...files import check_folder
from .. import Exit
from .backup import add_site

EXAMPLES = (
    "almunia export games.parquet --data tables",
    "almunia export games.jsonl --database postgresql://almunia@db.example.org/almunia",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to write: .parquet or .jsonl")
    add_site(parser)


def run(args: argparse.Namespace) -> int:
    with needs_extra("Exports of a site need", "web"):
        from ...server.admin.public_games import export_games
        from ...server.settings import Settings
        from ...server.storage.database import open_existing
    check_folder(args.file)
    engine = open_existing(Settings.from_environment(args.data, args.database).url)
    try:
        count = export_games(engine, args.file)
    finally:
        engine.dispose()
    print(f"{pluralize(count, 'game')} of {args.file} can be published.")
    return Exit.OK
