"""The lobby: tables that other visitors may join or watch.

The lobby shows only public facts: players, open seats and clocks. Nothing here depends on moves or their times.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Engine

from ...core.options import read_options
from ...library import Game
from ..chat.service import muted_pairs
from ..clock import Clock
from ..errors import Conflict, Forbidden, NotFound
from ..hashes import short_hash
from ..limits import DEFAULT_LIMITS
from ..ratings.player_stats import PlayerStats, player_stats
from ..tables.clocks import TimeControl, are_default_terms
from ..tables.model import OPEN, OPEN_SEAT_NAME, PERSON, Table
from ..tables.presence import Presence
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tokens import new_table_id
from ..users.profiles import Profiles
from ..users.visitors import Visitor
from .listings import Listed, Listing, Listings, interleave_networks
from .new_table import FRIEND, ME, make_seats, shuffle_seats

LOBBY_TOPIC = "lobby"  # also the key of its visitors in `Presence`
MATCH_LOCK = "play somebody"  # name of an advisory lock: one process at a time finds an opponent
LISTING_TOPIC = "listing "  # prefix of the topic of changes to a table's listing
HOST_SEEN_TOPIC = "fetched "  # prefix of the topic of a table whose host has just fetched its page
VERSION_SECONDS = 1.0  # for which the version of the lobby is cached
CACHE_SECONDS = 10.0  # of listed tables, unless a change is published
BATCH_TABLES = 100  # in one query
HOST_SEEN_SECONDS = 60.0  # for which a page view counts as presence: browsers without scripts have no stream
NO_VERSION = 0.0, ""  # time and version
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

    @property
    def time_control(self) -> TimeControl:
        """The time control of the table."""
        return TimeControl.parse(self.table.time_control)

    @property
    def fingerprint(self) -> str:
        """The content of the entry as text, for the version of the lobby."""
        return f"{self.listing} {self.seats} {self.free_seats}"


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
        """The version of the lobby, which changes with its content."""
        return short_hash(
            "\0".join([*(one.fingerprint for one in (*self.joinable, *self.spectatable)), str(self.visitors)]).encode()
        )


class LobbyService:
    """Lists tables, reads the lobby, and matches players."""

    def __init__(
        self,
        engine: Engine,
        tables: TableService,
        seating: SeatService,
        presence: Presence,
        profiles: Profiles,
        clock: Clock,
        *,
        max_listed_games: int = DEFAULT_LIMITS.max_listed_games,
        max_listed_games_per_network: int = DEFAULT_LIMITS.max_listed_games_per_network,
        max_all_listed_games: int = DEFAULT_LIMITS.max_all_listed_games,
        max_lobby_games: int = DEFAULT_LIMITS.max_lobby_games,
        tokens: Callable[[], str] = new_table_id,
    ) -> None:
        self._max_listed_games, self._max_lobby_games = max_listed_games, max_lobby_games
        self._max_per_network, self._max_all = max_listed_games_per_network, max_all_listed_games
        self._engine, self._tables, self._seat_service, self._presence = engine, tables, seating, presence
        self._profiles, self._clock = profiles, clock
        self.listings = Listings(engine, tokens=tokens)
        self._read_lock, self._match_lock = Lock(), Lock()
        self._listed: list[Listed] = []
        self._ids: frozenset[str] = frozenset()
        self._loaded: dict[str, Loaded] = {}  # listed tables that were shown since the last read
        self._seats: dict[str, tuple[str, ...]] = {}  # occupancy of listed tables that were shown or have changed
        self._read_at, self._read_changes, self._version = 0.0, -1, NO_VERSION
        self._stats: dict[tuple[str, str], tuple[float, PlayerStats]] = {}  # by guest and game
        self._host_seen: dict[str, float] = {}  # time of the last page view of a table's host

    # --- listings -------------------------------------------------------------------------

    def list_table(self, table_id: str, guest: str, *, offered: bool, watched: bool, open_chat: bool) -> Listing:
        """Set what a table is listed for; Forbidden if the guest is not its host."""
        table = self._tables.get(table_id).table
        if table.host != guest:
            raise Forbidden("Only the host can say who may see and join this game.")
        if table.finished:
            raise Conflict("This game is over, so it can't be joined any more.")
        if offered or watched:
            self.check_capacity(guest, table.network, table_id)
        listing = self.listings.save(Listing(table_id, "", offered, watched, open_chat))
        self.record_host(table_id)
        for topic in (LISTING_TOPIC, HOST_SEEN_TOPIC):
            self._tables.broker.publish_remote(f"{topic}{table_id}")
        self._publish()
        return listing

    def check_capacity(self, guest: str, network: str, but: str = "") -> None:
        """Raise Conflict if the lobby is full for a host, for a network, or for all. The table `but` does not count."""
        listed, most = self.listings.count_listed(guest, network, but), self._max_listed_games
        if listed.host >= most:
            raise Conflict(f"The lobby lists {most} games of yours, and takes no more. Play or close one of them.")
        if network and listed.network >= self._max_per_network:
            raise Conflict(
                f"The lobby lists {self._max_per_network} games from your network, and takes no more. Close one of "
                "them, or open yours without listing it, and send its link."
            )
        if listed.all >= self._max_all:
            raise Conflict(
                f"The lobby is full: it lists {listed.all} games. Open yours without listing it, and send its link, or "
                "try again later."
            )

    def on_table_change(self, table: Table) -> None:
        """Publish a change of the lobby if the seats or the status of a listed table have changed."""
        if table.id not in self._ids:
            return
        before, self._seats[table.id] = self._seats.get(table.id), occupancy_key(table)
        if before is None:
            self._read_at = 0.0  # no page shows it, so the next request reads the listings again
        elif before != self._seats[table.id]:
            self._publish()

    def record_visit(self, table: Table, guest: str) -> None:
        """Record a page view of a listed table by its host, and publish it."""
        if table.host == guest and table.id in self._ids:
            self.record_host(table.id)
            self._tables.broker.publish_remote(f"{HOST_SEEN_TOPIC}{table.id}")

    def record_host(self, table: str) -> None:
        """Record that the host of a table has just fetched its page, in any process."""
        self._host_seen[table] = self._clock.now()

    def is_listed(self, table: str) -> bool:
        """Whether the lobby listed a table at the last read."""
        return table in self._ids

    def on_profile_change(self) -> None:
        """Publish that a player has changed the visibility of a profile."""
        self._publish()

    def invalidate(self) -> None:
        """Drop the cached listings and the version: a listed table has changed."""
        self._read_at, self._version = 0.0, NO_VERSION

    def current(self) -> Lobby:
        """Return the content of the lobby. Networks take turns in the list."""
        listed, present = self._all_listed(), self._presence.watched_tables
        offered = [one for one in listed if self._is_offered(one)]
        watched = [one for one in listed if one.listing.watched and one.listing.table in present]
        watched = [one for one in watched if not self._is_offered(one)]
        shown = islice(self._with_tables(offered), self._max_lobby_games)
        played = (pair for pair in self._with_tables(watched) if self._is_played(pair[1].table))
        return Lobby(
            tuple(self._entry(*pair) for pair in shown),
            tuple(self._entry(*pair) for pair in islice(played, self._max_lobby_games)),
            self._presence.count(LOBBY_TOPIC),
        )

    def _is_offered(self, one: Listed) -> bool:
        return one.listing.offered and one.free and self._is_hosted(one)

    def _is_played(self, table: Table) -> bool:
        """Whether a player of a table is present."""
        return any(self._presence.is_here(table.id, table.seats[p].player) for p in table.human_seats)

    def version(self) -> str:
        """Return the version of the lobby, computed once a second for all streams."""
        then, known = self._version
        if not 0 <= self._clock.now() - then < VERSION_SECONDS:
            known = self.current().version
            self._version = self._clock.now(), known
        return known

    def _all_listed(self) -> list[Listed]:
        """Return all listed tables with running games, cached until a change. Networks take turns."""
        with self._read_lock:
            changes, now = self.listings.change_count, self._clock.now()
            if changes != self._read_changes or not 0 <= now - self._read_at < CACHE_SECONDS:
                listed = interleave_networks(self.listings.running_games(self._max_all))
                self._listed, self._ids = listed, frozenset(one.listing.table for one in listed)
                self._read_at, self._read_changes, self._loaded = now, changes, {}
                self._seats = {table: seats for table, seats in self._seats.copy().items() if table in self._ids}
                self._host_seen = {table: time for table, time in self._host_seen.copy().items() if table in self._ids}
            return self._listed

    def _invalidate_if_shared(self) -> None:
        """Read the listings again before a visitor joins, if other processes write them: a notification may be late."""
        if self._tables.store.is_shared:
            self._read_at = 0.0

    def _with_tables(self, listed: list[Listed]) -> Iterator[tuple[Listing, Loaded]]:
        """Yield listings with their tables, which are read in batches on demand."""
        for start in range(0, len(listed), BATCH_TABLES):
            part = [one.listing for one in listed[start : start + BATCH_TABLES]]
            loaded = self._load([one.table for one in part])
            yield from ((one, loaded[one.table]) for one in part if one.table in loaded)

    def _load(self, ids: list[str]) -> dict[str, Loaded]:
        """Return listed tables with what the lobby shows of them, from the cache if they were loaded before."""
        loaded = self._loaded  # of this read, also if another thread reads again meanwhile
        unknown = [table for table in ids if table not in loaded]
        if unknown:
            tables = self._tables.store.get_many(unknown)
            kept = self.listings.reserved_seats(unknown)
            experienced = self._profiles.with_visible_stats({player for table in tables for player in people_of(table)})
            for table in tables:
                self._seats[table.id] = occupancy_key(table)
                levels = frozenset(people_of(table) & experienced)
                loaded[table.id] = Loaded(table, free_seats(table, kept.get(table.id, set())), levels)
        return loaded

    def _publish(self) -> None:
        self.invalidate()
        self._tables.broker.publish(LOBBY_TOPIC)

    def _is_hosted(self, one: Listed) -> bool:
        """Whether the host of a table is at the table or in the lobby."""
        table = one.listing.table
        here = any(self._presence.is_here(place, one.owner) for place in (table, LOBBY_TOPIC))
        return here or self._clock.now() - self._host_seen.get(table, 0.0) < HOST_SEEN_SECONDS

    def _entry(self, listing: Listing, loaded: Loaded) -> LobbyEntry:
        table, free, experienced = loaded
        levels = self.player_stats(experienced, table.game)
        sitters = tuple(
            LobbySeat(seat.name, seat.kind, levels.get(seat.player) if seat.kind == PERSON else None, number in free)
            for number, seat in enumerate(table.seats)
        )
        return LobbyEntry(table, listing, sitters, len(free))

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
            fresh = player_stats(self._engine, unknown, game)
            kept = {key: one for key, one in self._stats.items() if 0 <= now - one[0] < STATS_SECONDS}
            self._stats = kept | {(guest, game): (now, level) for guest, level in fresh.items()}
            found |= fresh
        return found

    # --- joining --------------------------------------------------------------------------

    def join(self, handle: str, guest: str, name: str, hours: str = "") -> Table:
        """Join the table with a handle; Conflict if it is not open any more.

        A second request changes nothing, because the response to the first one may be lost.
        """
        self._invalidate_if_shared()
        listing = self.listings.find_by_handle(handle)
        offered = any(one.listing.handle == handle and self._is_offered(one) for one in self._all_listed())
        if listing and (offered or self._tables.get(listing.table).table.seats_of(guest)):
            return self._join(listing.table, guest, name, hours)
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
        """Join the first open table of a game with a time control, or open one that waits for an opponent.

        Players who have muted each other are not matched.
        """
        # One of several players at the same time opens a table, and the next one joins it.
        with self._match_lock, self._tables.store.exclusive(MATCH_LOCK):
            return self._match(game, control, guest, network)

    def _match(self, game: Game, control: TimeControl, guest: Visitor, network: str) -> Table:
        self._invalidate_if_shared()
        apart = muted_pairs(self._engine, guest.id)
        # Includes tables that do not fit into the lobby's page. The table that has waited longest comes first.
        alike = [one for one in self._listed_like(game, control) if self._is_offered(one)]
        for listing, (table, _, _) in self._with_tables(sorted(alike, key=lambda one: one.opened)):
            if is_standard(table, game, control) and not (table.seats_of(guest.id) or people_of(table) & apart):
                try:
                    return self._join(listing.table, guest.id, guest.name, guest.hours)
                except Conflict:
                    continue
        waiting = self._find_own(game, control, guest)
        return waiting or self._create(game, control, guest, network)

    def _listed_like(self, game: Game, control: TimeControl) -> list[Listed]:
        """Return the listed tables of a game with a time control."""
        wanted = game.name, control
        return [one for one in self._all_listed() if (one.game, TimeControl.parse(one.time_control)) == wanted]

    def _find_own(self, game: Game, control: TimeControl, guest: Visitor) -> Table | None:
        """Return the guest's own table that already waits for an opponent in this game, or None."""
        own = [
            one
            for one in self._listed_like(game, control)
            if one.listing.offered and one.free and one.owner == guest.id
        ]
        for _, (table, _, _) in self._with_tables(own):
            if is_standard(table, game, control):
                self._host_seen[table.id] = self._clock.now()
                return table
        return None

    def _create(self, game: Game, control: TimeControl, guest: Visitor, network: str) -> Table:
        fewest = max(MIN_PLAYERS, game.meta.seats[0])
        if fewest > game.meta.seats[1]:
            raise NotFound(f"{game.meta.title} is a game for one player.")
        self.check_capacity(guest.id, network)
        seats = shuffle_seats(make_seats([ME] + [FRIEND] * (fewest - 1), guest))
        table = self._tables.create(game.name, seats, guest.id, time_control=control, network=network)
        self.list_table(table.id, guest.id, offered=True, watched=False, open_chat=False)
        return table


def is_standard(table: Table, game: Game, control: TimeControl) -> bool:
    """Whether a table has the standard setup that players expect from a quick match.

    That is the default options, a deal that no player knows, and the default timeout policy.
    """
    theirs = TimeControl.parse(table.time_control)
    alike = (table.game, theirs) == (game.name, control) and are_default_terms(theirs, table.absence_timeout)
    return alike and table.options == read_options(game.meta.options, {}) and not table.is_deal_public


def free_seats(table: Table, kept: Collection[int]) -> list[int]:
    """Return the seats that any visitor may take: open ones without a name, except the reserved ones in `kept`."""
    return [
        number
        for number, seat in enumerate(table.seats)
        if seat.kind == OPEN and seat.name == OPEN_SEAT_NAME and number not in kept
    ]


def people_of(table: Table) -> set[str]:
    """Return the ids of the people at a table."""
    return {table.seats[seat].player for seat in table.human_seats}


def occupancy_key(table: Table) -> tuple[str, ...]:
    """Return the seats and the status of a table as the lobby shows them, to detect changes."""
    return (table.status, *(f"{seat.kind} {seat.name}" for seat in table.seats))
