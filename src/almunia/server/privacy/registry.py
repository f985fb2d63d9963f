"""All that the site keeps of people. A new table of the database that knows guests is listed here."""

from typing import Any

from ..storage.database import truncate_wal
from .account import ACCOUNT, KEPT_SEATS, PROGRAMS, VACATION
from .chat import CHAT, MUTED, REPORTS
from .games import ALERTS, DAILY, MODERATED, MOMENT, NOTES, PROFILE, RESULTS, SILENCE
from .personal_data import PersonalData, Sources
from .tables import GAMES

# In this order they are moved and forgotten: vacations end before seats go. The account is the last, so that what was
# interrupted can be done again.
PLAYED = (RESULTS, PROFILE, DAILY, NOTES, ALERTS)
TALKED = (CHAT, MUTED, REPORTS, SILENCE, MODERATED)
ALL: tuple[PersonalData, ...] = (VACATION, GAMES, *PLAYED, *TALKED, PROGRAMS, KEPT_SEATS, MOMENT, ACCOUNT)
NOBODYS = {"listing", "rating_order", "daily_bot", "kept_word", "hits", "outage"}  # tables that know no guest


class PersonalDataRegistry:
    """Everything that the site keeps of guests."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def export(self, guest: str) -> dict[str, Any]:
        """Return everything about a guest that the guest may know, by the names of its parts."""
        return {one.name: one.export(self._sources, guest) for one in ALL}

    def merge(self, old: str, new: str) -> None:
        """Give everything of a guest to another one, who is the same person."""
        for one in ALL:
            one.move(self._sources, old, new)

    def erase(self, guest: str) -> None:
        """Erase everything that identifies a guest."""
        for one in ALL:
            one.forget(self._sources, guest)
        truncate_wal(self._sources.tables.store.engine)
