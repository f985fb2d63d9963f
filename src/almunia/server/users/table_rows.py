"""Rows of tables in the lists of a guest, for pages and for the API."""

from typing import Any

from ... import catalog
from ...core.contract import NONE, Meta
from ...core.english import position_name
from ..clock import format_ago
from ..lobby import new_table
from ..tables.model import OPEN, OPEN_SEAT_NAME, Seat, Table


def table_row(table: Table, guest: str, moves: int, now: float) -> dict[str, Any]:
    """Return the row of a table in a guest's list, with the time of the last change that the guest could notice."""
    held = table.seats_of(guest)
    seat = max((table.seats[p] for p in held), key=lambda seat: seat.last_visible_change)
    meta = catalog.try_meta(table.game)
    return {
        "table": table,
        "title": meta.title if meta else table.game,
        "mine": not table.finished and table.turn in held and not table.seats[table.turn].substitute_bot,
        "stand_in": any(table.seats[p].substitute_bot for p in held),
        "others": [seat.name for i, seat in enumerate(table.seats) if i not in held],
        "company": [occupant_name(seat) for i, seat in enumerate(table.seats) if i not in held],
        "held": held,
        "special": describe_setup(table, meta),
        "moves": moves,
        "asked": "" if seat.visible_turn == NONE else table.seats[seat.visible_turn].name,
        "noticed": seat.last_visible_change,
        "changed": format_ago(now - seat.last_visible_change),
    }


def occupant_name(seat: Seat) -> str:
    """Return the name in a seat as lists show it; "an open seat" if it is not meant for a named player."""
    return "an open seat" if (seat.kind, seat.name) == (OPEN, OPEN_SEAT_NAME) else seat.name


def describe_setup(table: Table, meta: Meta | None) -> str:
    """Return words for the special setup of a table; empty for a standard setup or an unknown game."""
    if meta is None:
        return ""
    if table.lesson:
        return "Lesson"
    if table.daily:
        return "Daily deal"
    if table.challenge:
        facts = [c.title for c in new_table.list_challenges(table.game) if c.name == table.challenge]
    else:
        chosen = [o for o in meta.options if table.options.get(o.name, o.default) != o.default]
        facts = [f"{o.label}: {table.options[o.name]}" for o in chosen]
    if table.imported:
        return ", ".join(["From a game file", *facts])
    if table.forked_at is not None:
        return ", ".join(["Continued from " + position_name(table.forked_at), *facts])
    return ", ".join(facts + ["chosen seed" if facts else "Chosen seed"] * table.seed_is_public)
