"""The viewer of a table."""

from dataclasses import dataclass

from ...core.contract import SPECTATOR
from ..errors import Forbidden, NotFound
from .state import TableState


@dataclass(frozen=True)
class Viewer:
    seat: int
    seats: tuple[int, ...]
    is_hidden: bool = False  # whether people share the screen, and the next one has not come yet


def viewer_of(state: TableState, guest: str, looking: int | None) -> Viewer:
    """Return a guest's seats, and the seat from which the guest views the table.

    A guest with several seats in a running game gets the seat to move. With hidden information this must be `looking`,
    the seat revealed on a shared screen. SPECTATOR sees no seat's secrets.
    """
    table = state.table
    held = table.seats_of(guest) if guest else ()
    if len(held) < 2 or table.finished:
        return Viewer(held[0] if held else SPECTATOR, held)
    hides = state.play.game.meta.has_hidden_information
    if table.turn not in held:
        return Viewer(SPECTATOR if hides else held[0], held)
    if hides and looking != table.turn:
        return Viewer(SPECTATOR, held, is_hidden=True)
    return Viewer(table.turn, held)


def viewed_seat(state: TableState, asked: int | None, guest: str) -> int:
    """Return the requested seat, by default the guest's first seat or seat 0; NotFound if it does not exist."""
    if asked is None:
        return next(iter(state.table.seats_of(guest)), 0)
    if not SPECTATOR <= asked < len(state.table.seats):
        raise NotFound(f"This game has no seat {asked + 1}; it has {len(state.table.seats)}.")
    return asked


def replayed_seat(state: TableState, asked: int | None, guest: str, looking: int | None) -> int:
    """Return the seat from which a guest steps through the positions of a table.

    After the game it is any seat, as in `viewed_seat`. During the game it is the seat from which the guest views the
    table, as in `viewer_of`. Raise Forbidden if the guest asks for another seat.
    """
    if state.table.finished:
        return viewed_seat(state, asked, guest)
    own = viewer_of(state, guest, looking).seat
    if asked not in (None, own):
        raise Forbidden("While the game is going on, you can only look back at what you have seen yourself.")
    return own
