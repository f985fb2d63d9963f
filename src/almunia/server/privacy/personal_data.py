"""A part of the personal data of guests, with its export, merge and erasure."""

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

ANONYMIZED_NAME = "Somebody"  # replaces the name of an erased guest


@dataclass(frozen=True)
class Sources:
    """The services that store personal data."""

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
