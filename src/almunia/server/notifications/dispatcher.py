"""The dispatcher of notifications: finds turns that players have not seen, and announces them."""

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial

from itsdangerous import BadSignature, URLSafeSerializer

from ... import catalog
from ..background import PeriodicTask
from ..clock import Clock
from ..tables.model import OPEN, Table
from ..tables.presence import Presence, visible_tab_topic
from ..tables.repository import TableRepository
from .channels import Channel, ChannelRepository, PendingTurn
from .deliveries import Deliveries
from .messages import TurnNotification
from .transports import ChannelExpiredError, DeliveryError, Transports

log = logging.getLogger(__name__)
PRUNE_SECONDS = 24 * 3600.0
MAX_TURNS_PER_RUN = 200


class NotificationDispatcher:
    """Announces turns: a periodic task finds them, and threads of the executor wait for other servers."""

    def __init__(
        self,
        channels: ChannelRepository,
        transports: Transports,
        store: TableRepository,
        presence: Presence,
        key: str,
        address: str,
        clock: Clock,
        executor: Executor,
        interval_seconds: float,
        may_meet: Callable[[Table, str], bool],
    ) -> None:
        self._channels, self._transports, self._tables, self._presence = channels, transports, store, presence
        self._may_meet = may_meet
        self._address, self._clock, self._signer = address, clock, URLSafeSerializer(key, salt="alerts")
        self._deliveries, self._pruned = Deliveries(executor), 0.0
        self.task = PeriodicTask(self.run_once, interval_seconds, "The turns to announce cannot be read")

    def close(self) -> None:
        self._deliveries.close()

    def run_once(self) -> list[Future[None]]:
        """Announce the turns that are due, and return the futures of the deliveries.

        Does not wait for the deliveries: slow servers would delay the next run for all guests.
        """
        now = self._clock.now()
        if now >= self._pruned + PRUNE_SECONDS:
            self._pruned = now
            self._channels.prune(now)
        return [
            self._deliveries.add(channel.id, channel.guest, partial(self._notify, channel, turns))
            for channel, turns in self._channels.pending_turns(now, MAX_TURNS_PER_RUN, self._deliveries.channels)
        ]

    def _notify(self, channel: Channel, waiting: list[PendingTurn]) -> None:
        """Announce turns that still wait. If the player has the table open, record the turn without a message."""
        taken = [turn for turn in waiting if self._channels.claim(channel, turn)]
        unseen = [turn for turn in taken if not self._presence.is_here(visible_tab_topic(turn.table), channel.guest)]
        if not unseen:
            return
        try:
            tables = {one.id: one for one in self._tables.get_many([turn.table for turn in unseen])}
            due = [turn for turn in unseen if turn.table in tables and self._is_due(turn, tables[turn.table], channel)]
            turns = [self._describe(tables[turn.table], channel, turn) for turn in due]
            if not turns:
                return  # it is no longer the player's turn, or the seat is taken
            self._transports.send(channel, turns, self.stop_link(channel))
        except ChannelExpiredError:
            self._channels.remove(channel.id)
        except DeliveryError:
            self._channels.record_failure(channel)
            self._channels.release(channel, unseen)
        except Exception:
            log.exception("An alert could not be written.")
            self._channels.record_failure(channel)
        else:
            self._channels.record_success(channel)

    def _is_due(self, turn: PendingTurn, table: Table, channel: Channel) -> bool:
        """Whether it is still the player's turn, or the player is still invited to an open seat."""
        if table.finished or turn.expires_at not in (None, table.expires_at):
            return False
        if turn.is_invitation:
            return table.seats[turn.seat].kind == OPEN and self._may_meet(table, channel.guest)
        return table.turn in table.seats_of(channel.guest)

    def _describe(self, table: Table, channel: Channel, turn: PendingTurn) -> TurnNotification:
        meta = catalog.try_meta(table.game)
        held = table.seats_of(channel.guest)
        seats = [seat for i, seat in enumerate(table.seats) if i not in held]
        others = tuple(seat.name for seat in seats if not (turn.is_invitation and seat.kind == OPEN))
        title, link = meta.title if meta else table.game, f"{self._address}/table/{table.id}"
        left = 0.0 if turn.expires_at is None else turn.expires_at - self._clock.now()
        return TurnNotification(table.id, title, others, link, is_invitation=turn.is_invitation, seconds_left=left)

    # --- links in emails --------------------------------------------------------------------

    def stop_link(self, channel: Channel) -> str:
        """Return the link to the page that removes a channel."""
        return f"{self._address}/notifications/stop/{self._signer.dumps(channel.id)}"

    def confirmation_link(self, channel: Channel) -> str:
        """Return the link by which the owner of a mailbox agrees."""
        return f"{self._address}/notifications/confirm/{self._signer.dumps([channel.id, channel.target])}"

    def read_stop_link(self, signed: str) -> str | None:
        """Return the channel id in a stop link; None if the link is invalid. The channel need not exist."""
        content = self._read(signed)
        return content if isinstance(content, str) else None

    def read_confirmation_link(self, signed: str) -> Channel | None:
        """Return the channel of a confirmation link; None if the link is invalid or the channel is gone."""
        content = self._read(signed)
        channel = self._channels.find(content[0]) if isinstance(content, list) else None
        return channel if channel is not None and content == [channel.id, channel.target] else None

    def _read(self, signed: str) -> object:
        try:
            return self._signer.loads(signed)
        except (BadSignature, ValueError):
            return None
