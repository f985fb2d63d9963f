"""Write a backup of a site into one file, whether the site runs or not."""

import argparse
from pathlib import Path

from ...errors import needs_extra
from .. import Exit

EXAMPLES = (
    "almunia backup monday.zip --data tables",
    "almunia backup monday.zip --database postgresql://almunia@db.example.org/almunia",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup to write; the file must not exist yet")
    add_site(parser)


def add_site(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="FOLDER", help="the site's folder (default: as for serve)")
    parser.add_argument(
        "--database", default="", metavar="ADDRESS", help="the site's database, if it is not the one in the folder"
    )


def run(args: argparse.Namespace) -> int:
    with needs_extra("Backups need", "web"):
        from ...server.admin.backups import back_up
        from ...server.settings import Settings
    settings = Settings.from_environment(args.data, args.database)
    back_up(settings, args.file)
    print(
        f"{settings.display_database} is backed up in {args.file}. Keep the file secret: "
        "it holds the key that signs sessions."
    )
    return Exit.OK
