"""All that the site keeps of people. Whoever adds a table that knows guests says here what becomes of it."""

from typing import TYPE_CHECKING, Any

from ..storage.database import empty_log
from .belonging import Belonging
from .games import GAMES
from .played import ALERTS, DAILY, MODERATED, MOMENT, NOTES, PROFILE, RESULTS, SILENCE
from .rest import ACCOUNT, KEPT_SEATS, PROGRAMS, VACATION
from .words import CHAT, MUTED, REPORTS

if TYPE_CHECKING:
    from ..context import Site

# In this order they are moved and forgotten: vacations end before seats go. The account is the last, so that what was
# interrupted can be done again.
PLAYED = (RESULTS, PROFILE, DAILY, NOTES, ALERTS)
TALKED = (CHAT, MUTED, REPORTS, SILENCE, MODERATED)
ALL: tuple[Belonging, ...] = (VACATION, GAMES, *PLAYED, *TALKED, PROGRAMS, KEPT_SEATS, MOMENT, ACCOUNT)
NOBODYS = {"listing", "rating_order", "daily_bot", "kept_word", "hits", "outage"}  # tables that know no guest


def export(site: "Site", guest: str) -> dict[str, Any]:
    """Everything about a guest that the guest may know, by what it is."""
    return {one.name: one.export(site, guest) for one in ALL}


def move(site: "Site", old: str, new: str) -> None:
    """Let everything of a guest belong to another one, who is the same person."""
    for one in ALL:
        one.move(site, old, new)


def forget(site: "Site", guest: str) -> None:
    """Forget everything about a guest."""
    for one in ALL:
        one.forget(site, guest)
    empty_log(site.engine)
