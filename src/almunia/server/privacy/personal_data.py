"""Parts of the personal data of guests, and functions that export, merge and erase rows of database tables."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, exists, select, update

from ..auth.api_tokens import ApiTokens
from ..auth.services import Accounts
from ..clock import Clock
from ..daily.service import DailyDealService
from ..notifications.channels import ChannelRepository
from ..storage.database import read_connection
from ..tables.event_subscribers import EventSubscribers
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.vacation import VacationService

Export = Callable[[Connection, str], Any]
Merge = Callable[[Connection, str, str], None]
Erase = Callable[[Connection, str], None]


@dataclass(frozen=True)
class Sources:
    """The services that store personal data."""

    engine: Engine
    tables: TableService
    seats: SeatService
    vacations: VacationService
    daily_deals: DailyDealService
    accounts: Accounts
    channels: ChannelRepository
    tokens: ApiTokens
    event_subscribers: EventSubscribers
    clock: Clock


class PersonalData(NamedTuple):
    """A part of the personal data of guests."""

    name: str  # in exports
    tables: tuple[str, ...]  # names of the database tables that it covers
    export: Callable[[Sources, str], Any]  # returns the data that the guest may know, as JSON
    merge: Callable[[Sources, str, str], None]  # moves the data to another guest, who is the same person
    erase: Callable[[Sources, str], None]  # erases everything that identifies the guest


def stored(
    name: str,
    *guests: Any,
    shown: tuple[str, ...] = (),
    export: Export | None = None,
    merge: Merge | None = None,
    erase: Erase | None = None,
) -> PersonalData:
    """Return the part in the database tables whose columns `guests` name guests.

    By default, the part exports the columns `shown` of the first table, merges by `move_rows`, and erases by
    `delete_rows`.
    """
    read = export or rows_of(guests[0], *shown)
    move, remove = merge or move_rows(*guests), erase or delete_rows(*guests)

    def run_export(sources: Sources, guest: str) -> Any:
        with read_connection(sources.engine) as db:
            return read(db, guest)

    def run_merge(sources: Sources, old: str, new: str) -> None:
        with sources.engine.begin() as db:
            move(db, old, new)

    def run_erase(sources: Sources, guest: str) -> None:
        with sources.engine.begin() as db:
            remove(db, guest)

    tables = tuple(dict.fromkeys(column.table.name for column in guests))
    return PersonalData(name, tables, run_export, run_merge, run_erase)


def rows_of(guest: Any, *names: str) -> Export:
    """Return a function that exports the columns `names` of a guest's rows; by default all but the guest column."""
    table = guest.table
    shown = [table.c[name] for name in names] or [column for column in table.c if column is not guest]
    order = [*([table.c.created_at] if "created_at" in table.c else []), *table.primary_key]

    def export(db: Connection, value: str) -> list[dict[str, Any]]:
        return [dict(row) for row in db.execute(select(*shown).where(guest == value).order_by(*order)).mappings()]

    return export


def grouped(**exports: Export) -> Export:
    """Return a function that exports several lists, by name."""
    return lambda db, guest: {name: export(db, guest) for name, export in exports.items()}


def move_rows(*guests: Any) -> Merge:
    """Return a function that moves the rows whose columns `guests` name a guest to another guest.

    It deletes rows whose key the other guest has already.
    """

    def move(db: Connection, old: str, new: str) -> None:
        for guest in guests:
            theirs = guest.table.alias().c
            same_key = [theirs[one.key] == one for one in guest.table.primary_key if one is not guest]
            db.execute(delete(guest.table).where(guest == old, exists().where(theirs[guest.key] == new, *same_key)))
            db.execute(update(guest.table).where(guest == old).values({guest: new}))

    return move


def delete_rows(*guests: Any) -> Callable[..., None]:
    """Return a function that deletes the rows of a guest, to erase or to merge the guest."""

    def remove(db: Connection, value: str, _new: str = "") -> None:
        for guest in guests:
            db.execute(delete(guest.table).where(guest == value))

    return remove
