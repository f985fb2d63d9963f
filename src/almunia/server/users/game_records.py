"""Records of a guest's games: importing one as a finished table, and the archive of all."""

from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ...errors import AlmuniaError, RecordError
from ...library import replay
from ...play.record import Record, line_of_action
from ..clock import DAY
from ..daily.service import DailyDealService
from ..errors import UNPROCESSABLE, BadRequest, Conflict, RequestError
from ..tables.model import PERSON, Seat, Table
from ..tables.service import TableService
from ..tables.state import record_of
from .visitors import validate_label

YEAR = 365 * DAY
MAX_SECONDS = 10 * YEAR  # that the moves of an imported game take; dates must stay valid


def import_record(tables: TableService, text: str, guest: str, network: str) -> Table:
    """Create a finished table from the text of a record, with the guest in every seat, and return the table.

    Raises:
        BadRequest: the record is invalid, or cannot be replayed. The message has the line, if a line is wrong.
        TooManyRequests: this network has imported too many records.
    """
    try:
        record = Record.read(text)
        tables.table_limits.check_import(network)  # before the replay
        if sum(record.seconds) > MAX_SECONDS:
            raise RecordError(f"The times of its moves add up to more than {MAX_SECONDS // YEAR} years.")
        play = replay(record, build=tables.builds.get(record.game).build)
        seats = [Seat(PERSON, guest, name) for name in player_names(record)]
        return tables.create(
            record.game,
            seats,
            guest,
            record.options,
            record.seed,
            first=play.actions,
            imported=True,
            seconds=record.seconds,
            rated=False,
            is_limited=False,
        )
    except RequestError:
        raise
    except AlmuniaError as error:
        number = error.action if isinstance(error, RecordError) else None
        line = line_of_action(text, number) if number else None
        raise BadRequest(f"Line {line}: {error}" if line else str(error), UNPROCESSABLE) from None


def player_names(record: Record) -> list[str]:
    """Return a name for each seat of a record; BadRequest, with status 422, if the record has an invalid name."""
    names = [f"Player {seat + 1}" for seat in range(record.seats)]
    if len(record.players) > len(names):
        raise RecordError(f"The record names {len(record.players)} players, but it has only {len(names)} seats.")
    for seat, name in enumerate(record.players):
        try:
            names[seat] = validate_label(name)
        except BadRequest as error:
            raise BadRequest(f"Player {seat + 1} is named {name[:40]!r}. {error}", error.status) from None
    return names


def write_archive(tables: TableService, daily_deals: DailyDealService, guest: str) -> bytes:
    """Return a zip file with the records of a guest's finished games, the oldest first.

    The same games give the same bytes. Games at running daily deals are left out, because their seed is secret.
    """
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as written:
        for table in reversed(tables.store.for_guest(guest)):
            if not table.finished:
                continue
            try:
                daily_deals.check_record(table)
            except Conflict:
                continue
            finished_at = datetime.fromtimestamp(table.changed_at, UTC)
            name = f"{finished_at:%Y-%m-%d}-{table.game}-{table.id}.txt"
            entry = ZipInfo(name, finished_at.timetuple()[:6])
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            written.writestr(entry, str(record_of(table, tables.store.events(table))))
    return archive.getvalue()
