"""Tables with players in their seats, created without pages."""

from almunia.server.site import Site
from almunia.server.tables.model import PERSON, Seat
from almunia.server.tables.state import TableState

ANA, BEA, CEM = (Seat(PERSON, name.lower(), name) for name in ("Ana", "Bea", "Cem"))


def opened(site: Site, *seats: Seat, game: str = "orchard", **more: object) -> str:
    """Open a table for these seats, with the first player as host, and return its id."""
    return site.tables.create(game, seats, seats[0].player, **more).id


def move(site: Site, table: str, count: int = 1) -> TableState:
    """Apply the first legal action of the player to move, `count` times, and return the table afterwards."""
    for _ in range(count):
        now = site.tables.get(table)
        seat = now.play.turn
        now = site.tables.move(table, seat, now.play.legal_actions[0], now.history(seat).version)
    return now
