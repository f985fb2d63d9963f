"""Tournaments: entering, starting, and playing one round after the other.

A round is stored before its tables are opened, and each table is stored with its game in one transaction. So after a
restart, `advance` opens the tables that are missing, and none twice. The rounds of an arena do not wait for each other:
one begins when players are free.

If the clock of a player runs out, a bot plays on for them. A player whose seat a bot holds at the end has missed the
game. A player who misses two games in a row is out of the later rounds.
"""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, partial

from sqlalchemy import Connection

from ...bots.levels import DEFAULT_LEVEL
from ...core.contract import Meta
from ...core.loaded import LoadedGame
from ...errors import AlmuniaError
from ...validation import random_seed
from ..background import PeriodicTask
from ..clock import MINUTE, Clock
from ..errors import UNPROCESSABLE, BadRequest, Conflict, Forbidden
from ..friends.repository import FriendRepository
from ..limits import DEFAULT_LIMITS
from ..rate_limits import RateLimit
from ..storage.locks import AdvisoryLocks
from ..storage.rate_limits import RateLimiter
from ..tables.clocks import BOT_ON_TIMEOUT, REALTIME, TimeControl
from ..tables.model import BOT, PERSON, Seat, Table
from ..tables.seats import SeatService, bot_name, distinct_name
from ..tables.service import TableService
from ..tokens import new_table_id
from ..users.visitors import Visitor, validate_label
from .repository import (
    CANCELLED,
    FINISHED,
    OPEN,
    RUNNING,
    Entrant,
    Tournament,
    TournamentRepository,
    add_entrant,
    remove_entrant,
    set_facts,
    set_withdrawn,
)
from .stages import ARENA, GROUPS, ROUND_ROBIN, SWISS, Plan, Stage, pair_stage, stages_of
from .standings import Game, SeatScore, bye_score, game_scores

log = logging.getLogger(__name__)
KINDS = {
    SWISS: "Swiss: players with equal points meet",
    ROUND_ROBIN: "Round-robin: everyone meets everyone",
    GROUPS: "Groups and final: the best of each group meet again",
    ARENA: "Arena: as many games as you like in a fixed time",
}
BOTS = {"": "no bots", "easy": "easy bots", "medium": "medium bots"}  # that fill free places; quick ones only
MIN_SEATS, MAX_PLACES, MAX_ROUNDS = 2, 64, 15
MAX_HOSTED = 3  # unfinished tournaments of a guest
MAX_LISTED = 50
MIN_GROUPS, MAX_GROUPS, MAX_FINALISTS = 2, 8, 4  # finalists of each group
MIN_MINUTES, MAX_MINUTES = 10, 180  # of an arena
ARENA_ROUND_SECONDS = 20  # between two rounds of an arena, in which players who come free meet
MAX_MISSED = 2  # games in a row
CREATE_RATE = "20/day"  # forms, also those that are refused
TOO_MANY = "You have opened many tournaments today. Please try again tomorrow."


@dataclass(frozen=True)
class TournamentState:
    """A tournament with all that its page shows."""

    tournament: Tournament
    entrants: list[Entrant]
    games: list[Game]

    @cached_property
    def stages(self) -> list[Stage]:
        """The stages that have begun or may begin now; before the start, one without rounds."""
        one, count = self.tournament, len(self.entrants)
        if one.status in (OPEN, CANCELLED):
            return [Stage("", tuple(range(count)), range(0))]
        withdrawn = {entrant.number for entrant in self.entrants if entrant.has_withdrawn}
        return stages_of(one.plan, one.seed, count, self.games, one.round, withdrawn)

    @property
    def free_entrants(self) -> list[Entrant]:
        """The entrants who have not withdrawn, and have no unfinished game."""
        busy = {player for game in self.games if not game.scores for player in game.players}
        return [one for one in self.entrants if not one.has_withdrawn and one.number not in busy]

    def entrant_of(self, guest: str) -> Entrant | None:
        return next((one for one in self.entrants if guest and one.guest == guest), None)


def topic_of(tournament_id: str) -> str:
    """Return the topic of a tournament's changes."""
    return f"tournament {tournament_id}"


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
        clock: Clock,
        interval_seconds: float = DEFAULT_LIMITS.maintenance_seconds,
    ) -> None:
        self.store, self._tables, self._seating, self._contacts = store, tables, seating, contacts
        self._clock = clock
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
        plan: Plan,
        *,
        control: TimeControl,
        bot: str,
        is_public: bool,
    ) -> Tournament:
        """Create a tournament; BadRequest if a setting is invalid, Conflict above the limit of a host."""
        name = validate_label(name)
        check_plan(plan, game.meta)
        check_choice(bot, BOTS, "bot for a tournament")
        if not control:
            raise BadRequest("A tournament needs a clock, so that it ends. Choose a pace.", UNPROCESSABLE)
        if plan.kind == ARENA and control.kind != REALTIME:
            raise BadRequest("An arena lasts minutes, so it needs a live clock. Choose another pace.", UNPROCESSABLE)
        if self.store.count_unfinished(host.id) >= MAX_HOSTED:
            raise Conflict(f"You run {MAX_HOSTED} tournaments, which is the limit. Wait until one of them is over.")
        tournament = Tournament(
            id=new_table_id(),
            name=name,
            game=game.name,
            time_control=str(control._replace(on_timeout=BOT_ON_TIMEOUT)),
            bot=bot,
            is_public=is_public,
            host=host.id,
            seed=random_seed(),
            **plan._asdict(),
        )
        self.store.create(tournament)
        return tournament

    def enter(self, tournament_id: str, guest: str, name: str, hours: str = "") -> None:
        """Enter a guest; with the last place, the tournament starts. A second request changes nothing.

        Players may enter an arena while it runs, and come back to it.
        """
        with self.store.change(tournament_id) as (db, tournament, entrants):
            is_running_arena = tournament.status == RUNNING and self._is_arena_open(tournament)
            own = next((one for one in entrants if one.guest == guest), None)
            if own:
                if own.has_withdrawn and is_running_arena:
                    set_withdrawn(db, tournament_id, own.number, withdrawn=False)
            elif tournament.status != OPEN and not is_running_arena:
                raise Conflict("You can't enter this tournament any more.")
            elif is_full(tournament, entrants):
                raise Conflict("All places of this tournament are taken.")
            else:
                add_entrant(db, tournament_id, Entrant(len(entrants), guest, free_name(name, entrants), hours=hours))
                if tournament.status == OPEN and len(entrants) + 1 == tournament.places:
                    self._set_running(db, tournament, len(entrants) + 1)
        self._notify(tournament_id)

    def leave(self, tournament_id: str, guest: str) -> None:
        """Take back an entry, or withdraw from the later rounds of a running tournament."""
        with self.store.change(tournament_id) as (db, tournament, entrants):
            own = next((one for one in entrants if one.guest == guest), None)
            if own is None:
                raise Conflict("You aren't in this tournament.")
            if tournament.status == OPEN:
                remove_entrant(db, tournament_id, own.number, entrants[-1].number)
            else:
                set_withdrawn(db, tournament_id, own.number, withdrawn=True)
        self._notify(tournament_id)

    def start(self, tournament_id: str, guest: str) -> None:
        """Start a tournament on behalf of its host, with bots in the free places if it has bots."""
        with self.store.change(tournament_id) as (db, tournament, entrants):
            self._check_open(tournament, guest)
            for number in range(len(entrants), tournament.places if tournament.bot else 0):
                bot = Entrant(number, "", free_name(bot_name(tournament.bot), entrants), tournament.bot)
                add_entrant(db, tournament_id, bot)
                entrants.append(bot)
            if shortage := tournament.plan.describe_shortage(len(entrants)):
                raise Conflict(shortage)
            self._set_running(db, tournament, len(entrants))
        self._notify(tournament_id)

    def cancel(self, tournament_id: str, guest: str) -> None:
        with self.store.change(tournament_id) as (db, tournament, _):
            self._check_open(tournament, guest)
            set_facts(db, tournament_id, status=CANCELLED)
        self._notify(tournament_id)

    def _set_running(self, db: Connection, tournament: Tournament, entrants: int) -> None:
        ends = self._clock.now() + MINUTE * tournament.minutes
        rounds = tournament.plan.count_rounds(entrants)
        set_facts(db, tournament.id, status=RUNNING, rounds=rounds, ends_at=ends if tournament.minutes else 0.0)

    def _is_arena_open(self, tournament: Tournament) -> bool:
        """Whether more games of an arena may begin."""
        return tournament.kind == ARENA and self._clock.now() < tournament.ends_at

    def _notify(self, tournament_id: str) -> None:
        """Wake the streams of a tournament's page, and continue the tournaments."""
        self._tables.broker.publish(topic_of(tournament_id))
        self.task.trigger()

    def _check_open(self, tournament: Tournament, guest: str) -> None:
        if tournament.host != guest or not guest:
            raise Forbidden("Only the host can start or cancel this tournament.")
        if tournament.status != OPEN:
            raise Conflict("This tournament has already started, or was cancelled.")

    # --- its course -----------------------------------------------------------------------

    def advance(self) -> None:
        """Open tables, record results and begin rounds of all running tournaments; one process does it for all."""
        with self._locks.try_lock("tournaments") as mine:
            for tournament in self.store.running() if mine else ():
                before = self.get(tournament.id)
                try:
                    self._advance(before)
                except AlmuniaError as error:  # a player has just moved, or the game is not installed
                    log.info("Tournament %s is left as it is: %s", tournament.id, error)
                if self.get(tournament.id) != before:
                    self._tables.broker.publish(topic_of(tournament.id))

    def _advance(self, state: TournamentState) -> None:
        for game in state.games:
            if not game.scores:
                self._play(state, game)
        state = self.get(state.tournament.id)
        if state.tournament.kind == ARENA:
            self._continue_arena(state)
        elif all(game.scores for game in state.games):
            self._begin_round(state, state.free_entrants)

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
            self._record(state, game._replace(scores=self._scores(state, game, table)))

    def _record(self, state: TournamentState, game: Game) -> None:
        """Record a finished game, and withdraw the players who have now missed MAX_MISSED games in a row."""
        games = [game if one[:2] == game[:2] else one for one in state.games]
        absent = [number for number in game.players if has_missed(state.entrants[number], games)]
        self.store.record(state.tournament.id, game, absent)

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

    def _begin_round(self, state: TournamentState, players: list[Entrant]) -> None:
        """Begin the next round with these players, or end the tournament if it is over."""
        tournament, number = state.tournament, state.tournament.round + 1
        stages = [stage for stage in state.stages if number in stage.rounds]
        if not stages or len(players) < tournament.seats:
            self.store.set_status(tournament.id, FINISHED)
            return
        apart, bye = self._apart(players), (bye_score(tournament.seats),)
        games: list[Game] = []
        for stage in stages:
            own = [one.number for one in players if one.number in stage.players]
            if len(own) < tournament.seats:
                continue
            pairing = pair_stage(stage, tournament.plan, state.games, own, apart, number, tournament.seed)
            games += [Game(number, len(games) + at, table) for at, table in enumerate(pairing.tables, 1)]
            games += [Game(number, len(games) + at, (one,), "", bye) for at, one in enumerate(pairing.byes, 1)]
        self.store.begin_round(tournament, number, games)
        for game in games:
            if not game.scores:
                self._open_table(state, game)

    def _continue_arena(self, state: TournamentState) -> None:
        """Begin a round of an arena if players are free, or end it after its last game."""
        tournament, free, now = state.tournament, state.free_entrants, self._clock.now()
        is_playing = any(not game.scores for game in state.games)
        people, bots = [one for one in free if one.guest], [one for one in free if one.bot]
        missing = -len(people) % tournament.seats
        bots = bots[:missing] if len(bots) >= missing else []  # only as many as fill a table
        if not self._is_arena_open(tournament):
            if not is_playing:
                self.store.set_status(tournament.id, FINISHED)
        elif len(people) + len(bots) >= tournament.seats:
            is_early = tournament.round and now < tournament.began_at + ARENA_ROUND_SECONDS
            if not is_early and not (is_playing and have_just_met(people, state.games)):
                self._begin_round(state, people + bots)

    def _apart(self, players: list[Entrant]) -> frozenset[frozenset[int]]:
        """Return the pairs of players whom a block keeps apart."""
        people = {one.guest: one.number for one in players if one.guest}
        return frozenset(
            frozenset((own, people[other]))
            for guest, own in people.items()
            for other in self._contacts.blocked_pairs(guest) & people.keys()
        )


def is_full(tournament: Tournament, entrants: list[Entrant]) -> bool:
    """Whether people have all places. A bot keeps no person out of a running arena."""
    return sum(not one.bot for one in entrants) >= tournament.places


def have_just_met(people: list[Entrant], games: list[Game]) -> bool:
    """Whether these people have played their last game together, and so had better wait for others."""
    last = {player: game for game in games for player in game.players}
    return len(people) > 1 and len({last.get(one.number, one) for one in people}) == 1


def has_missed(entrant: Entrant, games: list[Game]) -> bool:
    """Whether a person has missed their last games, MAX_MISSED of them."""
    scores = [
        game.scores[game.players.index(entrant.number)]
        for game in games
        if entrant.number in game.players and game.scores and not game.is_bye
    ]
    return not entrant.bot and len(scores) >= MAX_MISSED and all(one.is_missed for one in scores[-MAX_MISSED:])


def free_name(name: str, entrants: list[Entrant]) -> str:
    return distinct_name(name, [Seat(PERSON, "", one.name) for one in entrants])


# --- checks of settings ----------------------------------------------------------------------------


def check_choice(value: str, known: Collection[str], what: str) -> None:
    if value not in known:
        choices = ", ".join(filter(None, known))
        raise BadRequest(f"{value[:40]!r} is not a {what}; choose one of: {choices}.", UNPROCESSABLE)


def check_plan(plan: Plan, meta: Meta) -> None:
    """Raise BadRequest if a tournament of a game cannot have this form."""
    check_choice(plan.kind, KINDS, "kind of tournament")
    counts = [
        (plan.seats, max(MIN_SEATS, meta.seats[0]), meta.seats[1], f"players at a table of {meta.title}"),
        (plan.places, plan.seats, MAX_PLACES, "places"),
    ]
    if plan.kind == SWISS:
        counts.append((plan.rounds, 1, MAX_ROUNDS, "rounds"))
    if plan.kind == ARENA:
        counts.append((plan.minutes, MIN_MINUTES, MAX_MINUTES, "minutes"))
    if plan.kind == GROUPS:
        counts.append((plan.groups, MIN_GROUPS, MAX_GROUPS, "groups"))
        counts.append((plan.finalists, 1, MAX_FINALISTS, "players of each group in the final"))
    for count, least, most, what in counts:
        if not least <= count <= most:
            raise BadRequest(f"There can be {least} to {most} {what}, not {count}.", UNPROCESSABLE)
    if shortage := plan.describe_shortage(plan.places):
        raise BadRequest(shortage, UNPROCESSABLE)
    if plan.kind == GROUPS and plan.groups * plan.finalists < plan.seats:
        raise BadRequest(
            f"The final would have {plan.groups * plan.finalists} players, but a table has {plan.seats}. "
            "Let more players of each group into the final.",
            UNPROCESSABLE,
        )
    if (rounds := plan.count_rounds(plan.places)) > MAX_ROUNDS:
        what = "Groups and a final" if plan.kind == GROUPS else "A round-robin"
        raise BadRequest(
            f"{what} of {plan.places} players would take {rounds} rounds, and {MAX_ROUNDS} is the limit. "
            "Choose fewer places, or a Swiss tournament.",
            UNPROCESSABLE,
        )
