"""Looks for turns that nobody has seen, and has those told who want to be."""

import logging
from concurrent.futures import Future
from functools import partial

from itsdangerous import BadSignature, URLSafeSerializer

from ... import catalog
from ..clock import Clock
from ..limits import DEFAULT_LIMITS
from ..periodic import PeriodicTask
from ..tables.model import Table
from ..tables.presence import Presence, visible_tab_topic
from ..tables.repository import TableRepository
from .channels import Channel, ChannelRepository, PendingTurn
from .deliveries import Deliveries
from .messages import TurnNotification
from .transports import DeliveryError, Transports

log = logging.getLogger(__name__)
DAY = 24 * 3600.0
MOST = 200  # turns in a look


class NotificationDispatcher:
    """One thread from the start of the site to its end, and some more that wait for the servers of others."""

    def __init__(
        self,
        ways: ChannelRepository,
        senders: Transports,
        store: TableRepository,
        presence: Presence,
        key: str,
        address: str,
        clock: Clock,
        *,
        interval_seconds: float = DEFAULT_LIMITS.notification_seconds,
    ) -> None:
        self._ways, self._senders, self._store, self._presence = ways, senders, store, presence
        self._address, self._clock = address, clock
        self._interval_seconds = interval_seconds  # between two looks
        self._signer = URLSafeSerializer(key, salt="alerts")
        self._deliveries = Deliveries()
        self._pruned = 0.0
        self._rounds = PeriodicTask("herald", self.look, interval_seconds, "Alerts cannot be looked for")

    def start(self) -> None:
        """Begin."""
        self._rounds.start()

    def close(self) -> None:
        """Send nothing more."""
        self._rounds.close(self._interval_seconds)
        self._deliveries.close()

    def look(self) -> list[Future[None]]:
        """Have told what is to be told now, and return the deliveries that were begun.

        Does not wait for them: slow servers would hold up the next look, and with it everybody else.
        """
        now = self._clock.now()
        if now >= self._pruned + DAY:
            self._pruned = now
            self._ways.prune(now)
        found = self._ways.waiting(now, MOST, self._deliveries.ways)
        return [self._deliveries.add(way.id, way.guest, partial(self._tell, way, turns)) for way, turns in found]

    def _tell(self, way: Channel, waiting: list[PendingTurn]) -> None:
        """Tell what still waits, but for tables that are being looked at: that is written down as told."""
        taken = [turn for turn in waiting if self._ways.take(way, turn)]
        unseen = [turn for turn in taken if not self._presence.is_here(visible_tab_topic(turn.table), way.guest)]
        if not unseen:
            return
        try:
            known = self._store.get_many([turn.table for turn in unseen])
            tables = [one for one in known if not one.finished and one.turn in one.seats_of(way.guest)]
            if not tables:
                return  # it's no longer their turn
            self._senders.send(way, [self._turn(table, way) for table in tables], self.stop(way))
        except DeliveryError as unsent:
            if unsent.gone:
                self._ways.remove(way.id)
                return
            self._ways.failed(way)
            self._ways.give_back(way, unseen)
        except Exception:
            log.exception("An alert could not be written.")
            self._ways.failed(way)
        else:
            self._ways.worked(way)

    def _turn(self, table: Table, way: Channel) -> TurnNotification:
        meta = catalog.try_meta(table.game)
        held = table.seats_of(way.guest)
        others = tuple(seat.name for i, seat in enumerate(table.seats) if i not in held)
        return TurnNotification(
            table.id, meta.title if meta else table.game, others, f"{self._address}/table/{table.id}"
        )

    # --- links in mails ---------------------------------------------------------------------

    def stop(self, way: Channel) -> str:
        """Where a way is stopped, by whoever has the link."""
        return f"{self._address}/alerts/stop/{self._signer.dumps(way.id)}"

    def confirmation(self, way: Channel) -> str:
        """Where the owner of a mailbox says that alerts are wanted."""
        return f"{self._address}/alerts/confirm/{self._signer.dumps([way.id, way.target])}"

    def stopped(self, signed: str) -> str | None:
        """The id of the way that such a link stops, be there one or not; None if it is no such link."""
        said = self._read(signed)
        return said if isinstance(said, str) else None

    def confirmed(self, signed: str) -> Channel | None:
        """The way that such a link confirms, if there still is one."""
        said = self._read(signed)
        way = self._ways.find(said[0]) if isinstance(said, list) else None
        return way if way is not None and said == [way.id, way.target] else None

    def _read(self, signed: str) -> object:
        try:
            return self._signer.loads(signed)
        except (BadSignature, ValueError):
            return None
