"""The lobby: tables that other visitors may join or watch.

Neither the content nor the order of the lobby depends on the moves in running games.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from threading import Lock
from typing import NamedTuple

from ...core.options import read_options
from ...library import Game
from ..chat.service import muted_pairs
from ..clock import Clock
from ..errors import Conflict, Forbidden, NotFound
from ..friends.repository import FriendRepository
from ..hashes import short_hash
from ..limits import Limits
from ..ratings.repository import PlayerStats, player_stats
from ..tables.clocks import TimeControl, are_default_terms
from ..tables.model import OPEN, OPEN_SEAT_NAME, PERSON, Table
from ..tables.presence import Presence
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..users.profiles import Profiles
from ..users.visitors import Visitor
from .new_table import FRIEND, ME, make_seats, shuffle_seats
from .repository import ListedTable, Listing, LobbyRepository

LOBBY_TOPIC = "lobby"  # also the key of its visitors in `Presence`
MATCH_LOCK = "play somebody"  # name of an advisory lock: one process at a time finds an opponent
LISTING_TOPIC = "listing "  # prefix of the topic of changes to a table's listing
HOST_SEEN_TOPIC = "fetched "  # prefix of the topic of a table whose host has just fetched its page
VERSION_SECONDS = 1.0  # for which the version of the lobby is cached
CACHE_SECONDS = 10.0  # of listed tables, unless a change is published
BATCH_TABLES = 100  # in one query
HOST_SEEN_SECONDS = 60.0  # for which a page view counts as presence: browsers without scripts have no stream
STATS_SECONDS = 60.0  # for which the statistics of a player are cached
MIN_PLAYERS = 2


class LobbySeat(NamedTuple):
    """A seat of a table in the lobby."""

    name: str
    kind: str
    stats: PlayerStats | None  # of a person who shows them
    is_free: bool  # whether any visitor may take it


class LobbyEntry(NamedTuple):
    """A table as the lobby shows it."""

    table: Table
    listing: Listing
    seats: tuple[LobbySeat, ...]
    free_seats: int  # number of seats that any visitor may take
    viewers: int = 0  # number of visitors who watch a game of others

    @property
    def time_control(self) -> TimeControl:
        return TimeControl.parse(self.table.time_control)


class Loaded(NamedTuple):
    """A listed table from the database."""

    table: Table
    free_seats: list[int]  # that any visitor may take
    experienced: frozenset[str]  # players who show their statistics


class Lobby(NamedTuple):
    """The content of the lobby."""

    joinable: tuple[LobbyEntry, ...]
    spectatable: tuple[LobbyEntry, ...]
    visitors: int  # number of visitors in the lobby

    @property
    def version(self) -> str:
        """A hash of the lobby's games with their seats and viewers, and of the number of visitors."""
        parts = [
            [(one.listing.handle, one.seats, one.viewers) for one in part] for part in (self.joinable, self.spectatable)
        ]
        return short_hash(repr((parts, self.visitors)).encode())


class LobbyVersions(NamedTuple):
    """Cached versions of the lobby."""

    read_at: float
    people: frozenset[str]  # guests in tables that the lobby shows or has just loaded
    by_left_out: dict[frozenset[str], str]  # by the `people` whom blocks leave out


class LobbyService:
    """Lists tables, reads the lobby, and matches players."""

    def __init__(
        self,
        listings: LobbyRepository,
        tables: TableService,
        seating: SeatService,
        presence: Presence,
        profiles: Profiles,
        contacts: FriendRepository,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self.listings, self._tables, self._seat_service, self._presence = listings, tables, seating, presence
        self._profiles, self._contacts, self._clock, self._limits = profiles, contacts, clock, limits
        self._read_lock, self._match_lock = Lock(), Lock()
        self._listed: list[ListedTable] = []
        self._ids: frozenset[str] = frozenset()
        self._loaded: dict[str, Loaded] = {}  # listed tables that were shown since the last read
        self._seats: dict[str, tuple[str, ...]] = {}  # occupancy of listed tables that were shown or have changed
        self._read_at, self._read_changes = 0.0, -1
        self._versions: LobbyVersions | None = None
        self._stats: dict[tuple[str, str], tuple[float, PlayerStats]] = {}  # by guest and game
        self._host_seen: dict[str, float] = {}  # time of the last page view of a table's host

    # --- listings -------------------------------------------------------------------------

    def list_table(self, table_id: str, guest: str, *, offered: bool, watched: bool, open_chat: bool) -> Listing:
        """Set the listing of a table, and publish it.

        Raises:
            NotFound: there is no such table.
            Forbidden: the guest is not the host.
            Conflict: the game is over, or the lobby is full.
        """
        table = self._tables.get(table_id).table
        if table.host != guest:
            raise Forbidden("Only the host can choose who sees and joins this game.")
        if table.finished:
            raise Conflict("This game is over, so it can't be joined any more.")
        if offered or watched:
            self.check_capacity(guest, table.network, table_id)
        listing = self.listings.save(Listing(table_id, "", offered, watched, open_chat))
        self.record_host(table_id)
        for topic in (LISTING_TOPIC, HOST_SEEN_TOPIC):
            self._tables.broker.publish_remote(f"{topic}{table_id}")
        self.publish()
        return listing

    def check_capacity(self, guest: str, network: str, but: str = "") -> None:
        """Raise Conflict if the lobby is full for a host, for a network, or for all. The table `but` does not count."""
        total, of_host, of_network = self.listings.count_listed(guest, network, but)
        most = self._limits.max_listed_games
        if of_host >= most:
            raise Conflict(f"The lobby lists {most} of your games, which is the limit. Play or close one of them.")
        most = self._limits.max_listed_games_per_network
        if network and of_network >= most:
            raise Conflict(
                f"The lobby lists {most} games from your network, which is the limit. Close one of them, or open yours "
                "without listing it, and send its link."
            )
        if total >= self._limits.max_all_listed_games:
            raise Conflict(
                f"The lobby is full, with {total} games. Open yours without listing it, and send its link, or "
                "try again later."
            )

    def on_table_change(self, table: Table) -> None:
        """Publish a change of the lobby if the seats or the status of a table that the lobby shows have changed."""
        if table.id not in self._ids:
            return
        before, self._seats[table.id] = self._seats.get(table.id), occupancy_key(table)
        if before is None:
            self._read_at = 0.0  # no page shows it, so the next request reads the listings again
        elif before != self._seats[table.id]:
            self.publish()

    def record_visit(self, table: Table, guest: str) -> None:
        """Record a page view of a listed table, and publish the view, if the guest is the host."""
        if table.host == guest and table.id in self._ids:
            self.record_host(table.id)
            self._tables.broker.publish_remote(f"{HOST_SEEN_TOPIC}{table.id}")

    def record_host(self, table: str) -> None:
        self._host_seen[table] = self._clock.now()

    def is_listed(self, table: str) -> bool:
        return table in self._ids

    def invalidate(self) -> None:
        """Drop the cached listings and the version: a listed table has changed."""
        self._read_at, self._versions = 0.0, None

    def publish(self) -> None:
        """Drop the cached listings, and publish a change of the lobby."""
        self.invalidate()
        self._tables.broker.publish(LOBBY_TOPIC)

    def current(self, guest: str = "") -> Lobby:
        """Return the content of the lobby for a guest, without players whom a block keeps apart from the guest.

        Networks take turns in the list.
        """
        return self._read(self.apart_from(guest))

    def apart_from(self, guest: str) -> set[str]:
        """Return the guests whom a block keeps apart from a guest."""
        return self._contacts.blocked_pairs(guest)

    def _read(self, apart: Collection[str]) -> Lobby:
        listed, present = self._all_listed(), self._presence.watched_tables
        offered = [one for one in listed if self._is_offered(one)]
        watched = [one for one in listed if one.watched and one.table in present and not self._is_offered(one)]
        shown = islice(self._with_tables(offered, apart), self._limits.max_lobby_games)
        played = (pair for pair in self._with_tables(watched, apart) if self._is_played(pair[1].table))
        spectatable = list(islice(played, self._limits.max_lobby_games))
        viewers = self._presence.viewers([loaded.table for _, loaded in spectatable])
        return Lobby(
            tuple(self._entry(*pair) for pair in shown),
            tuple(self._entry(*pair)._replace(viewers=viewers[pair[1].table.id]) for pair in spectatable),
            self._presence.count(LOBBY_TOPIC),
        )

    def _is_offered(self, one: ListedTable) -> bool:
        if not (one.offered and one.has_free_seat):
            return False
        here = any(self._presence.is_here(place, one.host) for place in (one.table, LOBBY_TOPIC))
        return here or self._clock.now() - self._host_seen.get(one.table, 0.0) < HOST_SEEN_SECONDS

    def _is_played(self, table: Table) -> bool:
        return any(self._presence.is_here(table.id, table.seats[p].player) for p in table.human_seats)

    def version(self, apart: Collection[str] = ()) -> str:
        """Return the version of the lobby without players `apart`, cached for a second.

        Guests with the same lobby share a version: only people of tables in the whole lobby count.
        """
        cached = self._versions
        if cached is None or not 0 <= self._clock.now() - cached.read_at < VERSION_SECONDS:
            version = self._read(()).version
            people = frozenset(person for one in self._loaded.copy().values() for person in people_of(one.table))
            self._versions = cached = LobbyVersions(self._clock.now(), people, {frozenset(): version})
        left_out = cached.people.intersection(apart)
        if left_out not in cached.by_left_out:
            cached.by_left_out[left_out] = self._read(left_out).version
        return cached.by_left_out[left_out]

    def _all_listed(self) -> list[ListedTable]:
        """Return the listed tables with running games, cached for ten seconds at most."""
        with self._read_lock:
            changes, now = self.listings.change_count, self._clock.now()
            if changes != self._read_changes or not 0 <= now - self._read_at < CACHE_SECONDS:
                listed = self.listings.running_games(self._limits.max_all_listed_games)
                self._listed, self._ids = listed, frozenset(one.table for one in listed)
                self._read_at, self._read_changes, self._loaded = now, changes, {}
                self._seats = {table: seats for table, seats in self._seats.copy().items() if table in self._ids}
                self._host_seen = {table: time for table, time in self._host_seen.copy().items() if table in self._ids}
            return self._listed

    def _invalidate_if_shared(self) -> None:
        """Drop the cached listings if other processes may write listings: a notification may be late."""
        if self._tables.store.is_shared:
            self._read_at = 0.0

    def _with_tables(self, listed: list[ListedTable], apart: Collection[str] = ()) -> Iterator[tuple[Listing, Loaded]]:
        """Yield listings with their tables, which are read in batches on demand; leave out tables of people `apart`."""
        for start in range(0, len(listed), BATCH_TABLES):
            part = listed[start : start + BATCH_TABLES]
            loaded = self._load([one.table for one in part])
            found = ((one, loaded[one.table]) for one in part if one.table in loaded)
            yield from (pair for pair in found if people_of(pair[1].table).isdisjoint(apart))

    def _load(self, ids: list[str]) -> dict[str, Loaded]:
        loaded = self._loaded  # of this read, also if another thread reads again meanwhile
        unknown = [table for table in ids if table not in loaded]
        if unknown:
            tables = self._tables.store.get_many(unknown)
            reserved = self.listings.reserved_seats(unknown)
            experienced = self._profiles.with_visible_stats({player for table in tables for player in people_of(table)})
            for table in tables:
                self._seats[table.id] = occupancy_key(table)
                levels = frozenset(people_of(table) & experienced)
                loaded[table.id] = Loaded(table, free_seats(table, reserved.get(table.id, set())), levels)
        return loaded

    def _entry(self, listing: Listing, loaded: Loaded) -> LobbyEntry:
        table, free, experienced = loaded
        levels = self.player_stats(experienced, table.game)
        seats = tuple(
            LobbySeat(seat.name, seat.kind, levels.get(seat.player) if seat.kind == PERSON else None, number in free)
            for number, seat in enumerate(table.seats)
        )
        return LobbyEntry(table, listing, seats, len(free))

    def player_stats(self, guests: Iterable[str], game: str) -> dict[str, PlayerStats]:
        """Return the statistics of guests in a game, cached for a minute."""
        now, found, unknown = self._clock.now(), {}, []
        for guest in guests:
            since, level = self._stats.get((guest, game), (-STATS_SECONDS, PlayerStats()))
            if 0 <= now - since < STATS_SECONDS:
                found[guest] = level
            else:
                unknown.append(guest)
        if unknown:
            fresh = player_stats(self._tables.store.engine, unknown, game)
            recent = {key: one for key, one in self._stats.items() if 0 <= now - one[0] < STATS_SECONDS}
            self._stats = recent | {(guest, game): (now, level) for guest, level in fresh.items()}
            found |= fresh
        return found

    # --- joining --------------------------------------------------------------------------

    def join(self, handle: str, guest: str, name: str, hours: str = "") -> Table:
        """Join the table with a handle; Conflict if it is not open any more, or a block keeps the guest apart.

        A second request changes nothing, because the response to the first request may be lost.
        """
        self._invalidate_if_shared()
        listing = self.listings.find_by_handle(handle)
        offered = any(one.handle == handle and self._is_offered(one) for one in self._all_listed())
        table = self._tables.get(listing.table).table if listing else None
        if table and (table.seats_of(guest) or (offered and self._contacts.may_meet(table, guest))):
            return self._join(table.id, guest, name, hours)
        raise Conflict("This game isn't open any more. Choose another one, or open one yourself.")

    def _join(self, table_id: str, guest: str, name: str, hours: str) -> Table:
        table = self._tables.get(table_id).table
        if table.seats_of(guest):
            return table
        for seat in free_seats(table, self.listings.reserved_seats([table_id]).get(table_id, set())):
            try:
                return self._seat_service.join(table_id, seat, guest, name, hours, once=True).table
            except Conflict:
                continue  # another visitor was faster
        raise Conflict("Another player has just taken the last seat. Choose another game, or open one yourself.")

    def quick_match(self, game: Game, control: TimeControl, guest: Visitor, network: str = "") -> Table:
        """Join the open table that has waited longest, else return the guest's own waiting table, else open one.

        Only standard tables of the game with this time control match. A table does not match if the guest or one of its
        players has muted the other.

        Raises:
            NotFound: the game is for one player.
            Conflict: the lobby is full, or the guest has too many running games.
        """
        # One of several players at the same time opens a table, and the next one joins it.
        with self._match_lock, self._tables.store.exclusive(MATCH_LOCK):
            return self._match(game, control, guest, network)

    def _match(self, game: Game, control: TimeControl, guest: Visitor, network: str) -> Table:
        self._invalidate_if_shared()
        apart = muted_pairs(self._tables.store.engine, guest.id)
        # Includes tables that do not fit into the lobby's page. The table that has waited longest comes first.
        wanted = game.name, control
        like = [one for one in self._all_listed() if (one.game, TimeControl.parse(one.time_control)) == wanted]
        offered = sorted((one for one in like if self._is_offered(one)), key=lambda one: one.created_at)
        for listing, (table, _, _) in self._with_tables(offered, apart):
            if is_standard(table, game) and not table.seats_of(guest.id):
                try:
                    return self._join(listing.table, guest.id, guest.name, guest.hours)
                except Conflict:
                    continue
        own = [one for one in like if one.offered and one.has_free_seat and one.host == guest.id]
        for _, (table, _, _) in self._with_tables(own):
            if is_standard(table, game):  # this table waits for an opponent already
                self.record_host(table.id)
                return table
        return self._create(game, control, guest, network)

    def _create(self, game: Game, control: TimeControl, guest: Visitor, network: str) -> Table:
        fewest = max(MIN_PLAYERS, game.meta.seats[0])
        if fewest > game.meta.seats[1]:
            raise NotFound(f"{game.meta.title} is a game for one player.")
        self.check_capacity(guest.id, network)
        seats = shuffle_seats(make_seats([ME] + [FRIEND] * (fewest - 1), guest))
        table = self._tables.create(game.name, seats, guest.id, time_control=control, network=network)
        self.list_table(table.id, guest.id, offered=True, watched=False, open_chat=False)
        return table


def is_standard(table: Table, game: Game) -> bool:
    """Whether a table has the default options and terms for timeouts, and a deal that no player may know."""
    terms = are_default_terms(TimeControl.parse(table.time_control), table.absence_timeout)
    return terms and table.options == read_options(game.meta.options, {}) and not table.is_deal_public


def free_seats(table: Table, reserved: Collection[int]) -> list[int]:
    """Return the open seats that any visitor may take: meant for no named player, and not in `reserved`."""
    return [
        number
        for number, seat in enumerate(table.seats)
        if seat.kind == OPEN and seat.name == OPEN_SEAT_NAME and number not in reserved
    ]


def people_of(table: Table) -> set[str]:
    return {table.seats[seat].player for seat in table.human_seats}


def occupancy_key(table: Table) -> tuple[str, ...]:
    """Return the seats and the status of a table as the lobby shows them, to detect changes."""
    return (table.status, *(f"{seat.kind} {seat.name}" for seat in table.seats))
