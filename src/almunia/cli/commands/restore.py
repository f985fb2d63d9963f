"""Put a backup in place of a site that isn't running. With SQLite, what was there is moved aside, not deleted."""

import argparse
from pathlib import Path

from ...errors import MissingExtra, SetupError
from .. import Exit
from .backup import add_site

EXAMPLES = ("almunia restore monday.zip --data tables",)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which backup, and which site."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup, as `almunia backup` has written it")
    parser.add_argument("--yes", action="store_true", help="replace what a database in PostgreSQL has now")
    add_site(parser)


def run(args: argparse.Namespace) -> int:
    """Put it there."""
    try:
        from ...server.operations.backups import restore
        from ...server.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Backups need", error.name, "web") from None
    settings = Settings.from_environment(args.data, args.database)
    if settings.is_shared and not args.yes:
        raise SetupError(f"This replaces all that {settings.place} has now. If you want that, say so with --yes.")
    moved = restore(settings, args.file)
    print(f"{settings.place} is as it was when {args.file} was made.")
    for path in moved:
        print(f"What was there before is in {path}.")
    return Exit.OK
