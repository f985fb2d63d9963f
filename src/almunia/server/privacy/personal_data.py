"""One part of what the site keeps of a guest, and how it is exported, merged and erased."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..auth.api_tokens import ApiTokens
from ..auth.services import Accounts
from ..clock import Clock
from ..daily.service import DailyDealService
from ..notifications.channels import ChannelRepository
from ..tables.event_subscribers import EventSubscribers
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.vacation import VacationService

SOMEBODY = "Somebody"  # the name of guests whose data were erased


@dataclass(frozen=True)
class Sources:
    """The services that keep something of guests."""

    tables: TableService
    seating: SeatService
    vacations: VacationService
    dailies: DailyDealService
    accounts: Accounts
    ways: ChannelRepository
    tokens: ApiTokens
    followers: EventSubscribers
    clock: Clock


class PersonalData(NamedTuple):
    """A part of what the site keeps of a guest."""

    name: str  # in an export
    tables: tuple[str, ...]  # of the database, for which it answers
    export: Callable[[Sources, str], Any]  # all of it that the guest may know, as JSON
    move: Callable[[Sources, str, str], None]  # from a guest to another one, who is the same person
    forget: Callable[[Sources, str], None]  # erases everything that identifies the guest
