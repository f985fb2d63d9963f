"""The finished public games of a site, without names, as a file for research."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Engine, select

from ...errors import MissingExtra, SetupError
from ...files import atomic_write
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import BOT, FINISHED, Table
from ..tables.repository import TableRepository
from ..tables.state import record_of

# Columns of the file, with their types in Parquet
COLUMNS = {
    "game": "string",
    "seats": "int8",
    "day": "date32",
    "rated": "bool",
    "time_control": "string",
    "end_reason": "string",
    "players": "list<string>",
    "points": "list<int32>",
    "ranks": "list<int8>",
    "moves": "int32",
    "record": "string",
}
PERSON_LABEL = "person"  # in the column `players`
BATCH_SIZE = 500  # games that are read and written together

T, L, R = schema.game_table.c, schema.listing.c, schema.result.c


class Writer(Protocol):
    def __call__(self, rows: list[dict[str, Any]]) -> object: ...


def export_games(engine: Engine, path: Path) -> int:
    """Write the finished public games to a file, the oldest first, and return their number.

    A game is public if its table was listed in the lobby, for players or for spectators. Games of daily deals and
    games without a move are left out. The suffix of `path` sets the format: .parquet or .jsonl.

    Raises:
        SetupError: an unknown suffix, or a path that cannot be written.
        MissingExtra: Parquet without pyarrow.
    """
    if path.suffix not in WRITERS:
        raise SetupError(f"{path.name!r} should end in one of: {', '.join(WRITERS)}.")
    tables, count = public_tables(engine), 0
    with atomic_write(path) as draft, WRITERS[path.suffix](draft) as write:
        for start in range(0, len(tables), BATCH_SIZE):
            rows = list(rows_of(engine, tables[start : start + BATCH_SIZE]))
            write(rows)
            count += len(rows)
    return count


def public_tables(engine: Engine) -> list[str]:
    """Return the ids of the finished public tables, in the order of their ends."""
    joined = schema.game_table.join(schema.listing, L.table == T.id)
    ours = T.status == FINISHED, T.daily == "", L.offered | L.watched
    with read_connection(engine) as db:
        return list(db.execute(select(T.id).select_from(joined).where(*ours).order_by(T.changed_at, T.id)).scalars())


def rows_of(engine: Engine, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each table that has a move, in the order of `ids`."""
    store = TableRepository(engine)
    tables = {table.id: table for table in store.get_many(ids)}
    ranks: dict[str, dict[int, int]] = {}
    with read_connection(engine) as db:
        for table, seat, rank in db.execute(select(R.table, R.seat, R.rank).where(R.table.in_(ids))):
            ranks.setdefault(table, {})[seat] = rank
    for one in ids:
        if one in tables and (row := row_of(store, tables[one], ranks.get(one, {}))):
            yield row


def row_of(store: TableRepository, table: Table, ranks: dict[int, int]) -> dict[str, Any] | None:
    """Return the row of a table; None if it has no move."""
    record = replace(record_of(table, store.events(table)), players=())
    if not record.actions:
        return None
    return {
        "game": table.game,
        "seats": len(table.seats),
        "day": datetime.fromtimestamp(table.created_at, UTC).date(),
        "rated": table.rated,
        "time_control": table.time_control,
        "end_reason": table.end_reason,
        "players": [seat.player if seat.kind == BOT else PERSON_LABEL for seat in table.seats],
        "points": list(table.result or ()),
        "ranks": [ranks.get(seat) for seat in range(len(table.seats))],
        "moves": len(record.actions),
        "record": record.to_json(),
    }


# --- forms --------------------------------------------------------------------------------------------------


@contextmanager
def parquet_writer(path: Path) -> Iterator[Writer]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.named("Parquet needs", "pyarrow", "arena") from None
    types = {name: getattr(pa, name) for name in ("string", "int8", "int32", "date32")} | {"bool": pa.bool_}

    def type_of(name: str) -> Any:
        inner = name.removeprefix("list<").removesuffix(">")
        return types[name]() if name in types else pa.list_(types[inner]())

    shape = pa.schema([(name, type_of(kind)) for name, kind in COLUMNS.items()])
    with parquet.ParquetWriter(path, shape) as writer:
        yield lambda rows: writer.write_table(pa.Table.from_pylist(rows, shape))


@contextmanager
def json_writer(path: Path) -> Iterator[Writer]:
    with path.open("w", encoding="utf-8") as file:
        yield lambda rows: file.writelines(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


WRITERS = {".parquet": parquet_writer, ".jsonl": json_writer}
