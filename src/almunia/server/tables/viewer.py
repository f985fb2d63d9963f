"""Who looks at a table."""

from dataclasses import dataclass

from ...core.contract import SPECTATOR
from .state import TableState


@dataclass(frozen=True)
class Viewer:
    """Who looks at a table: the seat whose view is shown, and the seats this guest holds."""

    seat: int
    held: tuple[int, ...]
    covered: bool = False  # several people share the screen, and the next one has not come yet


def reader_of(snapshot: TableState, guest: str, looking: int | None) -> Viewer:
    """Whose view a guest gets; where people share a screen, the view of whoever is to move."""
    table = snapshot.table
    held = table.held_by(guest) if guest else ()
    if len(held) < 2 or table.finished:
        return Viewer(held[0] if held else SPECTATOR, held)
    hides = snapshot.play.game.meta.has_hidden_information
    if table.turn not in held:
        return Viewer(SPECTATOR if hides else held[0], held)
    if hides and looking != table.turn:
        return Viewer(SPECTATOR, held, covered=True)
    return Viewer(table.turn, held)
