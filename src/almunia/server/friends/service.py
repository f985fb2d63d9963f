"""Which friends are here and what they play; challenges, and invitations of friends to open seats."""

from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

from starlette.requests import Request

from ...library import Game
from ..errors import UNPROCESSABLE, BadRequest, Conflict
from ..lobby.new_table import FRIEND, ME, make_seats, shuffle_seats
from ..lobby.rematches import invitations_topic, is_open
from ..lobby.service import MIN_PLAYERS, LobbyService
from ..rate_limits import RateLimit
from ..storage.rate_limits import RateLimiter
from ..tables.clocks import TimeControl
from ..tables.model import Table
from ..tables.presence import Presence
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tokens import TOKEN_PATTERN
from ..users.visitors import Visitor
from .repository import Contact, FriendRepository

CONTACT_RATE, CHALLENGE_RATE = "60/hour", "30/hour"
TOO_MANY_CONTACTS = "You have changed your friends or blocks too often. Wait a while, then try again."
TOO_MANY_CHALLENGES = "You have challenged or invited friends too often. Wait a while, then try again."


class Friend(NamedTuple):
    """A friend, with what a guest may know of the friend."""

    contact: Contact
    is_here: bool  # whether a page of the site is open
    tables: tuple[Table, ...]  # running games that the guest may watch or plays in


class FriendService:
    """Reads friends, challenges them, and blocks players."""

    def __init__(
        self,
        contacts: FriendRepository,
        tables: TableService,
        seating: SeatService,
        lobby: LobbyService,
        presence: Presence,
        limiter: RateLimiter,
    ) -> None:
        self.contacts, self._tables, self._seating = contacts, tables, seating
        self._lobby, self._listings, self._presence = lobby, lobby.listings, presence
        self._lock = Lock()
        self._contact_limit = RateLimit(CONTACT_RATE, TOO_MANY_CONTACTS, "friends", limiter)
        self._challenge_limit = RateLimit(CHALLENGE_RATE, TOO_MANY_CHALLENGES, "challenges", limiter)

    # --- friends --------------------------------------------------------------------------

    def friends(self, guest: str) -> list[Friend]:
        """Return the friends of a guest: those who are here first, each group by name.

        A game is shown only if the lobby lists it for spectators, or the guest plays in it.
        """
        known = [one for one in self.contacts.following(guest) if one.is_friend]
        places = self._presence.places_of({one.guest for one in known})
        shown = self._shown_tables({place for found in places.values() for place in found}, guest)
        found = [
            Friend(
                one,
                bool(places[one.guest]),
                tuple(shown[p] for p in sorted(places[one.guest]) if p in shown and shown[p].seats_of(one.guest)),
            )
            for one in known
        ]
        return sorted(found, key=lambda friend: not friend.is_here)

    def _shown_tables(self, places: Iterable[str], guest: str) -> dict[str, Table]:
        tables = self._tables.store.get_many([place for place in places if TOKEN_PATTERN.fullmatch(place)])
        return {
            one.id: one
            for one in tables
            if not one.finished and (one.seats_of(guest) or self._listings.get(one.id).watched)
        }

    def follow(self, request: Request, guest: Visitor, other: str, name: str) -> None:
        """Follow a player; raise as `FriendRepository.follow`, and TooManyRequests above the limit."""
        self._contact_limit.consume(request)
        self.contacts.follow(guest.id, guest.name, other, name)
        self._publish(guest.id, other)

    def block(self, request: Request, guest: str, other: str, name: str) -> None:
        """Block a player; raise as `FriendRepository.block`, and TooManyRequests above the limit."""
        self._contact_limit.consume(request)
        self.contacts.block(guest, other, name)
        self._publish(guest, other)

    def unblock(self, guest: str, handle: str) -> None:
        """End a mute or a block by its handle, if it exists."""
        other = self.contacts.unblock(guest, handle)
        if other:
            self._publish(guest, other)

    def _publish(self, *guests: str) -> None:
        """Wake the pages of guests whose lobby or invitations a block changes. All lobbies wake, so that none tells."""
        self._lobby.publish()
        for guest in guests:
            self._tables.broker.publish(invitations_topic(guest))

    # --- challenges -----------------------------------------------------------------------

    def challenge(
        self,
        request: Request,
        guest: Visitor,
        handle: str,
        game: Game,
        count: int,
        control: TimeControl,
        network: str,
        *,
        rated: bool,
    ) -> Table:
        """Open a table of `count` seats with one reserved for a friend; all other seats are open.

        The seats are shuffled. Raises Conflict if the guest has no friend with this handle, BadRequest if the game is
        not for `count` players, and TooManyRequests above the limit.
        """
        friend = self.contacts.find_friend(guest.id, handle)
        fewest, most = max(MIN_PLAYERS, game.meta.seats[0]), game.meta.seats[1]
        if not fewest <= count <= most:
            raise BadRequest(f"{game.meta.title} is for {fewest} to {most} players, not {count}.", UNPROCESSABLE)
        self._challenge_limit.consume(request)
        made = make_seats([ME] + [FRIEND] * (count - 1), guest, ["", friend.name])
        seats = shuffle_seats(made)
        seat = seats.index(made[1])
        table = self._tables.create(game.name, seats, guest.id, rated=rated, time_control=control, network=network)
        self._reserve(table, seat, friend)
        return table

    def invite(self, request: Request, guest: str, table_id: str, seat: int, handle: str) -> None:
        """Reserve an open seat for a friend, on behalf of a player of the table.

        Raises as `SeatService.reserve_for`, and TooManyRequests above the limit. Raises Conflict if the guest has no
        friend with this handle, or the friend has a seat or an open invitation already.
        """
        friend = self.contacts.find_friend(guest, handle)
        # Of two invitations at the same time, the second one sees the first.
        with self._lock, self._tables.store.exclusive(f"invitations {table_id}"):
            self._invite(request, guest, table_id, seat, friend)

    def _invite(self, request: Request, guest: str, table_id: str, seat: int, friend: Contact) -> None:
        old = self._tables.get(table_id).table
        if old.seats_of(friend.guest):
            raise Conflict(f"{friend.name} is already in this game.")
        reservations = self._listings.reservations_at(table_id)
        if any(one.guest == friend.guest and is_open(old, one) for one in reservations):
            raise Conflict(f"{friend.name} is already invited to this game.")
        self._challenge_limit.consume(request)
        table = self._seating.reserve_for(table_id, seat, guest, friend.name).table
        for one in reservations:
            if one.seat == seat:
                self._listings.release(table_id, one.guest, seat)
                self._tables.broker.publish(invitations_topic(one.guest))
        self._reserve(table, seat, friend)

    def _reserve(self, table: Table, seat: int, friend: Contact) -> None:
        self._listings.reserve(table.id, {seat: friend.guest}, "")
        self._tables.broker.publish(invitations_topic(friend.guest))
