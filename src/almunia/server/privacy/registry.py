"""The registry of personal data. It lists every database table that names guests."""

from typing import Any

from ..storage.database import truncate_wal
from .account import ACCOUNT, RESERVATIONS, TOKENS, VACATION
from .chat import CHAT, MUTES, REPORTS
from .games import ACTIVITY, CHANNELS, DAILY, MODERATED, NOTES, PROFILE, RESULTS, SILENCE
from .personal_data import PersonalData, Sources
from .tables import GAMES

# Merges and erasures run in this order: vacations end before seats are left. The account is last, so that a player can
# repeat an erasure that was interrupted.
PLAYER_PARTS = (RESULTS, PROFILE, DAILY, NOTES, CHANNELS)
CHAT_PARTS = (CHAT, MUTES, REPORTS, SILENCE, MODERATED)
ALL_PARTS: tuple[PersonalData, ...] = (
    VACATION,
    GAMES,
    *PLAYER_PARTS,
    *CHAT_PARTS,
    TOKENS,
    RESERVATIONS,
    ACTIVITY,
    ACCOUNT,
)
IMPERSONAL_TABLES = {
    "listing",
    "rating_order",
    "daily_bot",
    "kept_word",
    "hits",
    "outage",
}  # database tables without guests


class PersonalDataRegistry:
    """Exports, merges and erases all personal data."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def export(self, guest: str) -> dict[str, Any]:
        """Return everything about a guest that the guest may know, by the name of the part."""
        return {one.name: one.export(self._sources, guest) for one in ALL_PARTS}

    def merge(self, old: str, new: str) -> None:
        """Move everything of a guest to another guest, who is the same person."""
        for one in ALL_PARTS:
            one.merge(self._sources, old, new)

    def erase(self, guest: str) -> None:
        """Erase everything that identifies a guest."""
        for one in ALL_PARTS:
            one.erase(self._sources, guest)
        truncate_wal(self._sources.tables.store.engine)
