"""Tournaments: entering, starting, and playing one round after the other.

A round is stored before its tables are opened, and each table is stored with its game in one transaction. So after a
restart, `advance` opens the tables that are missing, and none twice.

If the clock of a player runs out, a bot plays on for them. A player whose seat a bot holds at the end has missed the
game. A player who misses two games in a row is out of the later rounds.
"""

import logging
from dataclasses import dataclass, replace
from functools import partial

from ...bots.levels import DEFAULT_LEVEL
from ...core.loaded import LoadedGame
from ...errors import AlmuniaError
from ...validation import random_seed
from ..background import PeriodicTask
from ..errors import UNPROCESSABLE, BadRequest, Conflict, Forbidden
from ..friends.repository import FriendRepository
from ..limits import DEFAULT_LIMITS
from ..rate_limits import RateLimit
from ..storage.locks import AdvisoryLocks
from ..storage.rate_limits import RateLimiter
from ..tables.clocks import BOT_ON_TIMEOUT, TimeControl
from ..tables.model import BOT, PERSON, Seat, Table
from ..tables.seats import SeatService, bot_name, distinct_name
from ..tables.service import TableService
from ..tokens import new_table_id
from ..users.visitors import Visitor, validate_label
from .pairing import History, Pairing, pair_round_robin, pair_swiss, round_robin_rounds
from .repository import (
    CANCELLED,
    FINISHED,
    OPEN,
    ROUND_ROBIN,
    RUNNING,
    SWISS,
    Entrant,
    Tournament,
    TournamentRepository,
    add_entrant,
    remove_entrant,
    set_facts,
    withdraw,
)
from .standings import Game, SeatScore, Standing, bye_score, game_scores, standings

log = logging.getLogger(__name__)
KINDS = {SWISS: "Swiss: players with equal points meet", ROUND_ROBIN: "Round-robin: everyone meets everyone"}
BOTS = {"": "no bots", "easy": "easy bots", "medium": "medium bots"}  # that fill free places; quick ones only
MIN_SEATS, MAX_PLACES, MAX_ROUNDS = 2, 64, 15
MAX_HOSTED = 3  # unfinished tournaments of a guest
MAX_LISTED = 50
MAX_MISSED = 2  # games in a row
CREATE_RATE = "20/day"  # forms, also those that are refused
TOO_MANY = "You have opened many tournaments today. Please try again tomorrow."


@dataclass(frozen=True)
class TournamentState:
    """A tournament with all that its page shows."""

    tournament: Tournament
    entrants: list[Entrant]
    games: list[Game]

    @property
    def standings(self) -> list[Standing]:
        return standings([one.number for one in self.entrants], self.games)

    def entrant_of(self, guest: str) -> Entrant | None:
        return next((one for one in self.entrants if guest and one.guest == guest), None)


class TournamentService:
    """All tournaments of the site."""

    def __init__(
        self,
        store: TournamentRepository,
        tables: TableService,
        seating: SeatService,
        contacts: FriendRepository,
        locks: AdvisoryLocks,
        limiter: RateLimiter,
        interval_seconds: float = DEFAULT_LIMITS.maintenance_seconds,
    ) -> None:
        self.store, self._tables, self._seating, self._contacts = store, tables, seating, contacts
        self._locks, self.create_limit = locks, RateLimit(CREATE_RATE, TOO_MANY, "tournaments", limiter)
        self.task = PeriodicTask(self.advance, interval_seconds, "The tournaments cannot be continued")

    def on_table_change(self, table: Table) -> None:
        """Continue the tournaments when a table without a host, as theirs are, is finished."""
        if table.finished and not table.host:
            self.task.trigger()

    # --- reading --------------------------------------------------------------------------

    def listed(self, guest: str) -> list[Tournament]:
        return self.store.listed(guest, MAX_LISTED)

    def get(self, tournament_id: str) -> TournamentState:
        """Return a tournament; NotFound if there is none with this id."""
        found = self.store.get(tournament_id)
        return TournamentState(found, self.store.entrants(tournament_id), self.store.games(tournament_id))

    # --- before the start -----------------------------------------------------------------

    def create(
        self,
        host: Visitor,
        name: str,
        game: LoadedGame,
        *,
        kind: str,
        seats: int,
        places: int,
        rounds: int,
        control: TimeControl,
        bot: str,
        is_public: bool,
    ) -> Tournament:
        """Create a tournament; BadRequest if a setting is invalid, Conflict above the limit of a host.

        `rounds` does not matter for a round-robin, whose rounds follow from its entrants.
        """
        name = validate_label(name)
        fewest, most = max(MIN_SEATS, game.meta.seats[0]), game.meta.seats[1]
        for value, known, what in ((kind, KINDS, "kind of tournament"), (bot, BOTS, "bot for a tournament")):
            if value not in known:
                choices = ", ".join(filter(None, known))
                raise BadRequest(f"{value[:40]!r} is no {what}; choose one of: {choices}.", UNPROCESSABLE)
        for count, least, limit, what in (
            (seats, fewest, most, f"players at a table of {game.meta.title}"),
            (places, seats, MAX_PLACES, "places"),
            (rounds, 1, MAX_ROUNDS, "rounds"),
        ):
            if not least <= count <= limit:
                raise BadRequest(f"There can be {least} to {limit} {what}, not {count}.", UNPROCESSABLE)
        if kind == ROUND_ROBIN and round_robin_rounds(places, seats) > MAX_ROUNDS:
            raise BadRequest(
                f"A round-robin of {places} players would take {round_robin_rounds(places, seats)} rounds, and "
                f"{MAX_ROUNDS} is the limit. Choose fewer places, or a Swiss tournament.",
                UNPROCESSABLE,
            )
        if not control:
            raise BadRequest("A tournament needs a clock, so that it ends. Choose a pace.", UNPROCESSABLE)
        if self.store.count_unfinished(host.id) >= MAX_HOSTED:
            raise Conflict(f"You run {MAX_HOSTED} tournaments, which is the limit. Wait until one of them is over.")
        clock, seed = str(control._replace(on_timeout=BOT_ON_TIMEOUT)), random_seed()
        settings = (name, game.name, kind, seats, places, rounds, clock, bot, is_public, host.id, seed)
        tournament = Tournament(new_table_id(), *settings)
        self.store.create(tournament)
        return tournament

    def enter(self, tournament_id: str, guest: str, name: str, hours: str = "") -> None:
        """Enter a guest; with the last place, the tournament starts. A second request changes nothing."""
        with self.store.change(tournament_id) as (db, tournament, entrants):
            if any(one.guest == guest for one in entrants):
                return
            if tournament.status != OPEN:
                raise Conflict("This tournament has begun, so it has no free places.")
            entrant = Entrant(len(entrants), guest, free_name(name, entrants), hours=hours)
            add_entrant(db, tournament_id, entrant)
            if len(entrants) + 1 == tournament.places:
                rounds = rounds_of(tournament, len(entrants) + 1)
                set_facts(db, tournament_id, status=RUNNING, rounds=rounds)
        self.task.trigger()

    def leave(self, tournament_id: str, guest: str) -> None:
        """Take back an entry, or withdraw from the later rounds of a running tournament."""
        with self.store.change(tournament_id) as (db, tournament, entrants):
            own = next((one for one in entrants if one.guest == guest), None)
            if own is None:
                raise Conflict("You don't play in this tournament.")
            if tournament.status == OPEN:
                remove_entrant(db, tournament_id, own.number, entrants[-1].number)
            else:
                withdraw(db, tournament_id, own.number)

    def start(self, tournament_id: str, guest: str) -> None:
        """Start a tournament on behalf of its host, with bots in the free places if it has bots."""
        with self.store.change(tournament_id) as (db, tournament, entrants):
            self._check_open(tournament, guest)
            for number in range(len(entrants), tournament.places if tournament.bot else 0):
                bot = Entrant(number, "", free_name(bot_name(tournament.bot), entrants), tournament.bot)
                add_entrant(db, tournament_id, bot)
                entrants.append(bot)
            if len(entrants) < tournament.seats:
                raise Conflict(f"A table has {tournament.seats} players, but only {len(entrants)} have entered.")
            set_facts(db, tournament_id, status=RUNNING, rounds=rounds_of(tournament, len(entrants)))
        self.task.trigger()

    def cancel(self, tournament_id: str, guest: str) -> None:
        with self.store.change(tournament_id) as (db, tournament, _):
            self._check_open(tournament, guest)
            set_facts(db, tournament_id, status=CANCELLED)

    def _check_open(self, tournament: Tournament, guest: str) -> None:
        if tournament.host != guest or not guest:
            raise Forbidden("Only the host can start or cancel this tournament.")
        if tournament.status != OPEN:
            raise Conflict("This tournament has begun already, or is cancelled.")

    # --- its course -----------------------------------------------------------------------

    def advance(self) -> None:
        """Open tables, record results and begin rounds of all running tournaments; one process does it for all."""
        with self._locks.try_lock("tournaments") as mine:
            for tournament in self.store.running() if mine else ():
                try:
                    self._advance(self.get(tournament.id))
                except AlmuniaError as error:  # a player has just moved, or the game is not installed
                    log.info("Tournament %s is left as it is: %s", tournament.id, error)

    def _advance(self, state: TournamentState) -> None:
        for game in state.games:
            if not game.scores:
                self._play(state, game)
        state = self.get(state.tournament.id)
        if all(game.scores for game in state.games):
            self._begin_round(state)

    def _play(self, state: TournamentState, game: Game) -> None:
        """Open the table of a game, or record its result if it is finished."""
        if not game.table:
            self._open_table(state, game)
            return
        table = self._tables.store.find(game.table)
        if table is not None and table.is_left_to_bots and not table.finished:
            for seat in table.human_seats:
                self._seating.leave_permanently(table.id, seat, table.seats[seat].player, DEFAULT_LEVEL)
            table = self._tables.store.find(game.table)
        if table is None or table.finished:
            self.store.record(state.tournament.id, game, self._scores(state, game, table))

    def _open_table(self, state: TournamentState, game: Game) -> None:
        tournament = state.tournament
        seats: list[Seat] = []
        for one in (state.entrants[number] for number in game.players):
            kind, player = (PERSON, one.guest) if one.guest else (BOT, one.bot or DEFAULT_LEVEL)
            seats.append(Seat(kind, player, distinct_name(one.name, seats), hours=one.hours))
        self._tables.create(
            tournament.game,
            seats,
            "",
            time_control=TimeControl.parse(tournament.time_control),
            joining=partial(self.store.set_table, tournament.id, game),
            is_limited=False,
        )

    def _scores(self, state: TournamentState, game: Game, table: Table | None) -> tuple[SeatScore, ...]:
        """Return the scores of a finished table; if it was deleted, all players share the first place."""
        results = self.store.results(game.table)
        facts = [results.get(seat, (None, None)) for seat in range(len(game.players))]
        missed = [
            table is not None and table.seats[seat].bot != "" and not state.entrants[number].bot
            for seat, number in enumerate(game.players)
        ]
        return game_scores([rank for rank, _ in facts], [points for _, points in facts], missed)

    def _begin_round(self, state: TournamentState) -> None:
        tournament = state.tournament
        active = []
        for one in state.entrants:
            if not one.has_withdrawn and has_missed(one, state.games):
                self.store.withdraw(tournament.id, one.number)
            elif not one.has_withdrawn:
                active.append(one)
        if tournament.round == tournament.rounds or len(active) < tournament.seats:
            self.store.set_status(tournament.id, FINISHED)
            return
        number = tournament.round + 1
        pairing = self._pair(state, active, number)
        games = [Game(number, at, players) for at, players in enumerate(pairing.tables, 1)]
        bye = (bye_score(tournament.seats),)
        games += [Game(number, len(games) + at, (player,), "", bye) for at, player in enumerate(pairing.byes, 1)]
        self.store.begin_round(tournament, games)
        state = TournamentState(replace(tournament, round=number), state.entrants, games)
        for game in games:
            if not game.scores:
                self._open_table(state, game)

    def _pair(self, state: TournamentState, active: list[Entrant], number: int) -> Pairing:
        tournament, points = state.tournament, {one.player: one.points for one in state.standings}
        people = {one.guest: one.number for one in active if one.guest}
        apart = frozenset(
            frozenset((own, people[other]))
            for guest, own in people.items()
            for other in self._contacts.blocked_pairs(guest) & people.keys()
        )
        history = History(
            {one.number: points[one.number] for one in active},
            [game.players for game in state.games if not game.is_bye],
            [game.players[0] for game in state.games if game.is_bye],
            apart,
        )
        seed = f"{tournament.seed} {number}"
        if tournament.kind == SWISS:
            return pair_swiss(history, tournament.seats, seed)
        return pair_round_robin(history, tournament.seats, seed, len(state.entrants), number)


def has_missed(entrant: Entrant, games: list[Game]) -> bool:
    """Whether a person has missed their last games, MAX_MISSED of them."""
    scores = [
        game.scores[game.players.index(entrant.number)]
        for game in games
        if entrant.number in game.players and not game.is_bye
    ]
    return not entrant.bot and len(scores) >= MAX_MISSED and all(one.is_missed for one in scores[-MAX_MISSED:])


def free_name(name: str, entrants: list[Entrant]) -> str:
    return distinct_name(name, [Seat(PERSON, "", one.name) for one in entrants])


def rounds_of(tournament: Tournament, entrants: int) -> int:
    """Return the number of rounds for the entrants of a tournament."""
    if tournament.kind == ROUND_ROBIN:
        return round_robin_rounds(entrants, tournament.seats)
    return tournament.rounds
