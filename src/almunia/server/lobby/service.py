"""Tables that are open to others: offered or listed in the lobby.

The lobby shows what everybody may know: who sits, what is missing, how fast it is played. Nothing here goes by what
has been done in a game, nor by when.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Engine

from ...core.options import read_options
from ...library import Game
from ..chat.service import kept_apart
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
from .listings import Listed, Listing, Listings, in_turn
from .new_table import FRIEND, ME, at_random, seats_of

LOBBY = "lobby"  # as a topic, and as a place where people are
MEETING = "play somebody"  # what one process does at a time
LISTING = "listing "  # before a table, the topic of changes to its listing
FETCHED = "fetched "  # a table whose host has just fetched its page: said to other processes
FRESH = 1.0  # seconds for which the mark of the lobby holds
TRUSTED = 10.0  # seconds for which what was read of listed tables holds, unless a change is known
PAGE = 100  # tables that are read together
JUST_HERE = 60.0  # seconds after a host has fetched the page of a table: browsers without scripts keep no stream
NEVER = 0.0, ""  # a mark that was worked out long ago
WISE = 60.0  # seconds for which somebody's experience holds
PAIR = 2


class LobbySeat(NamedTuple):
    """Who sits at a table in the lobby."""

    name: str
    kind: str
    level: PlayerStats | None  # of a person who shows it
    free: bool  # is it nobody yet, and may anybody sit here?


class LobbyEntry(NamedTuple):
    """A table as the lobby shows it."""

    table: Table
    listing: Listing
    sitters: tuple[LobbySeat, ...]
    free: int  # seats that anybody may take

    @property
    def control(self) -> TimeControl:
        """How fast it is played."""
        return TimeControl.parse(self.table.time_control)

    @property
    def face(self) -> str:
        """What of it is seen, as one word."""
        return f"{self.listing} {self.sitters} {self.free}"


class Loaded(NamedTuple):
    """A listed table that was read."""

    table: Table
    free: list[int]  # seats that anybody may take
    experienced: frozenset[str]  # its people who show their experience


class Lobby(NamedTuple):
    """What the lobby shows."""

    offered: tuple[LobbyEntry, ...]
    watched: tuple[LobbyEntry, ...]
    people: int  # who are there

    @property
    def mark(self) -> str:
        """All of that as one word."""
        return short_hash("\0".join([*(one.face for one in (*self.offered, *self.watched)), str(self.people)]).encode())


class LobbyService:
    """All tables that are open to others."""

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
        self._engine, self._tables, self._seating, self._presence = engine, tables, seating, presence
        self._profiles, self._clock = profiles, clock
        self.listings = Listings(engine, tokens=tokens)
        self._reading, self._meeting = Lock(), Lock()
        self._listed: list[Listed] = []
        self._ids: frozenset[str] = frozenset()
        self._loaded: dict[str, Loaded] = {}  # of listed tables, those that were shown since they were read
        self._seats: dict[str, tuple[str, ...]] = {}  # who sits at listed tables that were shown or have changed
        self._read, self._known, self._marked = 0.0, -1, NEVER
        self._levels: dict[tuple[str, str], tuple[float, PlayerStats]] = {}  # by guest and game
        self._fetched: dict[str, float] = {}  # when hosts fetched the pages of tables that they offer

    # --- what is listed -------------------------------------------------------------------

    def put(self, table_id: str, guest: str, *, offered: bool, watched: bool, open_chat: bool) -> Listing:
        """List a table for this and that, or for nothing any more; only its host may."""
        table = self._tables.get(table_id).table
        if table.host != guest:
            raise Forbidden("Only the host can say who may see and join this game.")
        if table.finished:
            raise Conflict("This game is over, so nobody can join it any more.")
        if offered or watched:
            self.check_room(guest, table.network, table_id)
        listing = self.listings.put(Listing(table_id, "", offered, watched, open_chat))
        self.note_fetched(table_id)
        for topic in (LISTING, FETCHED):
            self._tables.broker.publish_remote(f"{topic}{table_id}")
        self._tell()
        return listing

    def check_room(self, guest: str, network: str, but: str = "") -> None:
        """Conflict if the lobby takes no more games, `but` for this one: of a host, from a network, or at all."""
        listed, most = self.listings.counts(guest, network, but), self._max_listed_games
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

    def changed(self, table: Table) -> None:
        """Let the lobby know if others sit at a listed table now, or its game is over."""
        if table.id not in self._ids:
            return
        before, self._seats[table.id] = self._seats.get(table.id), seated(table)
        if before is None:
            self._read = 0.0  # no page shows it: it is read anew when somebody asks for one
        elif before != self._seats[table.id]:
            self._tell()

    def fetched(self, table: Table, guest: str) -> None:
        """Remember that somebody has just fetched the page of a table, if that is its host and the lobby has it."""
        if table.host == guest and table.id in self._ids:
            self.note_fetched(table.id)
            self._tables.broker.publish_remote(f"{FETCHED}{table.id}")

    def note_fetched(self, table: str) -> None:
        """Know that the host of a table has just fetched its page, in this process or another one."""
        self._fetched[table] = self._clock.now()

    def is_listed(self, table: str) -> bool:
        """Does the lobby list a table, as it was read last?"""
        return table in self._ids

    def chosen(self) -> None:
        """Let the lobby know that somebody has chosen what others see."""
        self._tell()

    def look_again(self) -> None:
        """Read anew which tables the lobby shows: one of them, or who sits there, has changed."""
        self._read, self._marked = 0.0, NEVER

    def now(self) -> Lobby:
        """What the lobby shows now: of many games, one of each network in turn."""
        listed, present = self._all(), self._presence.watched_tables
        offered = [one for one in listed if self._is_offered(one)]
        watched = [one for one in listed if one.listing.watched and one.listing.table in present]
        watched = [one for one in watched if not self._is_offered(one)]
        shown = islice(self._with_tables(offered), self._max_lobby_games)
        played = (pair for pair in self._with_tables(watched) if self._is_played(pair[1].table))
        return Lobby(
            tuple(self._shown(*pair) for pair in shown),
            tuple(self._shown(*pair) for pair in islice(played, self._max_lobby_games)),
            self._presence.count(LOBBY),
        )

    def _is_offered(self, one: Listed) -> bool:
        return one.listing.offered and one.free and self._is_hosted(one)

    def _is_played(self, table: Table) -> bool:
        """Is anybody who plays at a table there?"""
        return any(self._presence.is_here(table.id, table.seats[p].player) for p in table.human_seats)

    def mark(self) -> str:
        """What the lobby showed a moment ago, as one word: worked out once for all who look at it."""
        then, known = self._marked
        if not 0 <= self._clock.now() - then < FRESH:
            known = self.now().mark
            self._marked = self._clock.now(), known
        return known

    def _all(self) -> list[Listed]:
        """All listed tables whose games go on, one of each network in turn, as they were read since the last change."""
        with self._reading:
            changes, now = self.listings.changes, self._clock.now()
            if changes != self._known or not 0 <= now - self._read < TRUSTED:
                listed = in_turn(self.listings.running(self._max_all))
                self._listed, self._ids = listed, frozenset(one.listing.table for one in listed)
                self._read, self._known, self._loaded = now, changes, {}
                self._seats = {table: seats for table, seats in self._seats.copy().items() if table in self._ids}
                self._fetched = {table: time for table, time in self._fetched.copy().items() if table in self._ids}
            return self._listed

    def _distrust(self) -> None:
        """Read listings anew for whoever wants to sit down, where other processes write them: a notice may be late."""
        if self._tables.store.is_shared:
            self._read = 0.0

    def _with_tables(self, listed: list[Listed]) -> Iterator[tuple[Listing, Loaded]]:
        """Some listings with their tables, which are read a page at a time as far as somebody asks."""
        for start in range(0, len(listed), PAGE):
            part = [one.listing for one in listed[start : start + PAGE]]
            loaded = self._load([one.table for one in part])
            yield from ((one, loaded[one.table]) for one in part if one.table in loaded)

    def _load(self, ids: list[str]) -> dict[str, Loaded]:
        """Tables that are listed, with what the lobby shows of them; those that are known are not read again."""
        loaded = self._loaded  # of this reading, whoever reads anew meanwhile
        unknown = [table for table in ids if table not in loaded]
        if unknown:
            tables = self._tables.store.get_many(unknown)
            kept = self.listings.kept_at(unknown)
            experienced = self._profiles.experienced({player for table in tables for player in people_of(table)})
            for table in tables:
                self._seats[table.id] = seated(table)
                levels = frozenset(people_of(table) & experienced)
                loaded[table.id] = Loaded(table, free_seats(table, kept.get(table.id, set())), levels)
        return loaded

    def _tell(self) -> None:
        self.look_again()
        self._tables.broker.publish(LOBBY)

    def _is_hosted(self, one: Listed) -> bool:
        """Is the host of a table there, or in the lobby?"""
        table = one.listing.table
        here = any(self._presence.is_here(place, one.owner) for place in (table, LOBBY))
        return here or self._clock.now() - self._fetched.get(table, 0.0) < JUST_HERE

    def _shown(self, listing: Listing, loaded: Loaded) -> LobbyEntry:
        table, free, experienced = loaded
        levels = self.levels(experienced, table.game)
        sitters = tuple(
            LobbySeat(seat.name, seat.kind, levels.get(seat.player) if seat.kind == PERSON else None, number in free)
            for number, seat in enumerate(table.seats)
        )
        return LobbyEntry(table, listing, sitters, len(free))

    def levels(self, guests: Iterable[str], game: str) -> dict[str, PlayerStats]:
        """What the site knows of guests who play a game."""
        now, found, unknown = self._clock.now(), {}, []
        for guest in guests:
            since, level = self._levels.get((guest, game), (-WISE, PlayerStats()))
            if 0 <= now - since < WISE:
                found[guest] = level
            else:
                unknown.append(guest)
        if unknown:
            fresh = player_stats(self._engine, unknown, game)
            kept = {key: one for key, one in self._levels.items() if 0 <= now - one[0] < WISE}
            self._levels = kept | {(guest, game): (now, level) for guest, level in fresh.items()}
            found |= fresh
        return found

    # --- sitting down ---------------------------------------------------------------------

    def sit(self, handle: str, guest: str, name: str, hours: str = "") -> Table:
        """Sit down at a table that the lobby calls so; Conflict if it is not offered any more.

        Asked twice, for an answer may be lost, it is done once.
        """
        self._distrust()
        listing = self.listings.called(handle)
        offered = any(one.listing.handle == handle and self._is_offered(one) for one in self._all())
        if listing and (offered or self._tables.get(listing.table).table.seats_of(guest)):
            return self._sit(listing.table, guest, name, hours)
        raise Conflict("This game isn't open any more. Choose another one, or open one yourself.")

    def _sit(self, table_id: str, guest: str, name: str, hours: str) -> Table:
        table = self._tables.get(table_id).table
        if table.seats_of(guest):
            return table
        for seat in free_seats(table, self.listings.kept_at([table_id]).get(table_id, set())):
            try:
                return self._seating.join(table_id, seat, guest, name, hours, once=True).table
            except Conflict:
                continue  # somebody was quicker
        raise Conflict("Somebody else has just taken the last seat. Choose another game, or open one yourself.")

    def play_somebody(self, game: Game, control: TimeControl, guest: Visitor, network: str = "") -> Table:
        """Sit down at the first open table of a game and a pace, or open one that waits for somebody.

        Whoever has muted somebody is not brought together with them so, at whoever's table that would be.
        """
        # Of several who ask at the same moment one is first, and the next one meets it.
        with self._meeting, self._tables.store.exclusive(MEETING):
            return self._met(game, control, guest, network)

    def _met(self, game: Game, control: TimeControl, guest: Visitor, network: str) -> Table:
        self._distrust()
        apart = kept_apart(self._engine, guest.id)
        # Also those for which the lobby has no room: nobody keeps others apart. Who has waited longest comes first.
        alike = [one for one in self._alike(game, control) if self._is_offered(one)]
        for listing, (table, _, _) in self._with_tables(sorted(alike, key=lambda one: one.opened)):
            if is_usual(table, game, control) and not (table.seats_of(guest.id) or people_of(table) & apart):
                try:
                    return self._sit(listing.table, guest.id, guest.name, guest.hours)
                except Conflict:
                    continue
        waiting = self._waiting(game, control, guest)
        return waiting or self._open(game, control, guest, network)

    def _alike(self, game: Game, control: TimeControl) -> list[Listed]:
        """The listed tables of a game and a pace."""
        wanted = game.name, control
        return [one for one in self._all() if (one.game, TimeControl.parse(one.time_control)) == wanted]

    def _waiting(self, game: Game, control: TimeControl, guest: Visitor) -> Table | None:
        """The table at which a guest waits for somebody to play this with already."""
        own = [one for one in self._alike(game, control) if one.listing.offered and one.free and one.owner == guest.id]
        for _, (table, _, _) in self._with_tables(own):
            if is_usual(table, game, control):
                self._fetched[table.id] = self._clock.now()
                return table
        return None

    def _open(self, game: Game, control: TimeControl, guest: Visitor, network: str) -> Table:
        fewest = max(PAIR, game.meta.seats[0])
        if fewest > game.meta.seats[1]:
            raise NotFound(f"{game.meta.title} is a game for one player.")
        self.check_room(guest.id, network)
        seats = at_random(seats_of([ME] + [FRIEND] * (fewest - 1), guest))
        table = self._tables.create(game.name, seats, guest.id, time_control=control, network=network)
        self.put(table.id, guest.id, offered=True, watched=False, open_chat=False)
        return table


def is_usual(table: Table, game: Game, control: TimeControl) -> bool:
    """Whether strangers who want to play a game at a pace find what they expect at a table.

    They expect the usual options, a deal that no player may know, and what usually follows when time is up.
    """
    theirs = TimeControl.parse(table.time_control)
    alike = (table.game, theirs) == (game.name, control) and are_default_terms(theirs, table.absence_timeout)
    return alike and table.options == read_options(game.meta.options, {}) and not table.is_deal_public


def free_seats(table: Table, kept: Collection[int]) -> list[int]:
    """The seats that anybody may take: open ones that are meant for nobody, and not `kept` for somebody."""
    return [
        number
        for number, seat in enumerate(table.seats)
        if seat.kind == OPEN and seat.name == OPEN_SEAT_NAME and number not in kept
    ]


def people_of(table: Table) -> set[str]:
    """The people who sit at a table."""
    return {table.seats[seat].player for seat in table.human_seats}


def seated(table: Table) -> tuple[str, ...]:
    """Who sits at a table, and whether its game goes on, as far as the lobby shows it."""
    return (table.status, *(f"{seat.kind} {seat.name}" for seat in table.seats))
