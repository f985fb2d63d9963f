"""Restore a backup of a site that isn't running. With SQLite, the old files are moved aside, not deleted."""

import argparse
from pathlib import Path

from ...errors import SetupError, needs_extra
from .. import Exit
from .backup import add_site

EXAMPLES = ("almunia restore monday.zip --data tables",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a backup written by `almunia backup`")
    parser.add_argument("--yes", action="store_true", help="overwrite the tables of a PostgreSQL database")
    add_site(parser)


def run(args: argparse.Namespace) -> int:
    with needs_extra("Backups need", "web"):
        from ...server.admin.backups import restore
        from ...server.settings import Settings
    settings = Settings.from_environment(args.data, args.database)
    if settings.is_shared and not args.yes:
        raise SetupError(f"This overwrites everything in {settings.display_database}. Add --yes to confirm.")
    old_files = restore(settings, args.file)
    print(f"{settings.display_database} is restored from {args.file}.")
    for path in old_files:
        print(f"The old data is in {path}.")
    return Exit.OK
