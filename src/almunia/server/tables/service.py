"""Creating and reading tables, moves, undo and hints. Each commit is one transaction."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate
from threading import Lock
from typing import Any

from sqlalchemy import Connection

from ...core.contract import NONE
from ...core.options import check_published
from ...errors import AlmuniaError, UndoRefused
from ...play.play import Play
from ...validation import check_seed, random_seed
from ..broker import Broker
from ..clock import DAY, Clock, format_duration
from ..errors import Conflict, Forbidden, NotFound
from ..limits import DEFAULT_LIMITS
from ..ratings.game_results import may_be_rated
from ..ratings.repository import result_writer
from ..tokens import new_table_id
from . import model
from .builds import GameBuilds
from .clocks import UNTIMED, TimeControl
from .model import Seat, StaleError, Table, TableEvent
from .moves import DEFAULT_OPTIONS, MoveOptions, apply_actions, replay_actions
from .plans import PlanRepository, carry_out, drop_ended, write
from .repository import TableRepository
from .state import TableState
from .table_limits import TableLimits
from .viewer_history import Hint, ViewerHistory

log = logging.getLogger(__name__)
BASE_CACHE_WEIGHT = 20  # events, of a table without any
LOCK_COUNT = 64
INVALIDATION_BUCKETS = 1024  # counters, each for the tables with the same hash


class TableService:
    """All tables of the site. The events are the truth; states are cached up to a limit."""

    def __init__(
        self,
        store: TableRepository,
        builds: GameBuilds,
        broker: Broker,
        clock: Clock,
        openings: TableLimits,
        *,
        seeds: Callable[[], int] = random_seed,
        tokens: Callable[[], str] = new_table_id,
        max_cached_entries: int = DEFAULT_LIMITS.max_cached_entries,
    ) -> None:
        self.store, self.builds, self.broker = store, builds, broker
        self.plans = PlanRepository(store.engine)
        self._clock = clock
        self.table_limits = openings
        self.seeds = seeds  # returns the seed of a new table, unless a player has chosen one
        self._tokens, self._max_cached_events = tokens, max_cached_entries  # `tokens` returns ids
        self._cache: dict[str, TableState] = {}  # in order of use
        self._cached_counts: dict[str, int] = {}  # the invalidation count of each when it was read
        self._invalidation_counts = [0] * INVALIDATION_BUCKETS
        self._cache_weight = 0  # in events
        self._cache_lock = Lock()
        self._locks = [Lock() for _ in range(LOCK_COUNT)]
        builds.subscribe(self.publish_new_build)
        self.serves_site = False  # whether this process serves the site: then its writes are heartbeats
        self.on_change: tuple[Callable[[Table], object], ...] = ()  # called with each changed table

    # --- opening and reading ------------------------------------------------------------

    def create(
        self,
        name: str,
        seats: Sequence[Seat],
        owner: str,
        options: dict[str, Any] | None = None,
        seed: int | None = None,
        challenge: str = "",
        lesson: bool = False,
        first: Sequence[int] = (),
        played_on: bool = False,
        imported: bool = False,
        seconds: Sequence[float] = (),
        rated: bool = True,
        ready_check: bool = False,
        daily: str = "",
        joining: Callable[..., object] | None = None,
        hints: bool = False,
        absence_timeout: int = DAY,
        time_control: TimeControl = UNTIMED,
        network: str = "",
        is_limited: bool = True,
    ) -> Table:
        """Create a table. The limits on new tables apply if `is_limited`.

        A given `seed` is public, except for `daily` deals. The `first` actions are applied at once; `played_on` says
        that they come from another game. An `imported` table is finished, whether its play is over or not. `seconds`
        are the thinking times of the `first` actions, if known. A `rated` table that does not fulfil the conditions is
        unrated. A rated table with open seats is dealt when the last open seat is taken. With `ready_check`, a table
        with open seats is dealt when all people are ready. `joining`, called with the connection and `table`, writes in
        the same transaction.

        Raises:
            SetupError: the game does not accept these seats, options or this seed.
            RequestError: the table is not allowed, for example because the owner has too many.
        """
        game, now, is_seed_public = self.builds.get(name), self._clock.now(), seed is not None and not daily
        seed = self.seeds() if seed is None else check_seed(seed)
        check_published(game.meta.options, options or {})
        play = game.start(len(seats), seed, options or {})
        events = replay_actions(play, first)
        if seconds:
            times = zip(events, accumulate(seconds), strict=True)
            events = tuple(replace(event, created_at=now + passed) for event, passed in times)
        events = with_timestamps(events, now)
        table = Table(
            id=self._tokens(),
            game=name,
            rules=game.meta.rules_version,
            components=game.components_hash,
            options=play.options,
            seed=seed,
            seed_is_public=is_seed_public,
            seats=tuple(replace(seat, visible_turn=play.observe(p).turn) for p, seat in enumerate(seats)),
            host=owner,
            turn=play.turn,
            status=model.FINISHED if imported else model.RUNNING,
            end_reason=model.UNFINISHED if imported and not play.over else "",
            result=play.points if imported else None,
            challenge=challenge,
            lesson=lesson,
            imported=imported,
            forked_at=len(first) if played_on else None,
            ready_check=ready_check and any(seat.kind == model.OPEN for seat in seats),
            daily=daily,
            hints=hints,
            absence_timeout=absence_timeout,
            time_control=str(time_control),
            network=network,
            created_at=now,
        )
        if is_limited:
            self.table_limits.check_new_table(table, game)
        playable = all(self.builds.can_play(seat.bot, name) for seat in seats if seat.bot)
        table = replace(table, rated=rated and not daily and playable and may_be_rated(table))
        if table.open_seats and (table.rated or table.ready_check):
            table = replace(table, turn=NONE, seats=tuple(replace(seat, visible_turn=NONE) for seat in table.seats))
        state, count = TableState(table, play, events, {}), self._invalidation_count(table.id)
        table = replace(table, flag_at=state.flag_at, expires_at=state.expires_at)
        table = self.store.create(table, events, partial(joining, table=table) if joining else None)
        self._cache_state(state.with_table(table), count)
        self._publish_waiting("", table.awaited_guest)
        self._notify_listeners(table)
        return table

    def get(self, table_id: str) -> TableState:
        """Return the current state of a table; raise AlmuniaError if there is no such table, or it does not replay."""
        count = self._invalidation_count(table_id)
        with self._cache_lock:
            state = self._touch_cached(table_id)
        if state is None or state.table.version != self.store.version(table_id):
            state = self._load(table_id, state)
        self._cache_state(state, count)
        return state

    def get_cached(self, table_id: str) -> TableState:
        """Return the state of a table, from memory if it is cached and the database is not shared; raise as `get` does.

        `almunia moderate` may have written as well, so the state may be outdated for a moment.
        """
        return (None if self.store.is_shared else self.get_if_cached(table_id)) or self.get(table_id)

    def get_if_cached(self, table_id: str) -> TableState | None:
        """Return the state of a table in memory; None if it is not cached or must be read again."""
        with self._cache_lock:
            state = self._touch_cached(table_id)
            return state if state and self._cached_counts[table_id] == self._invalidation_count(table_id) else None

    def may_be_seated(self, table_id: str, guest: str) -> bool:
        """Return whether a guest sits at a table; True if the cache has no current state of the table."""
        state = self.get_if_cached(table_id)
        return state is None or any(seat.player == guest for seat in state.table.seats)

    def invalidate(self, table_id: str) -> None:
        with self._cache_lock:
            self._invalidation_counts[hash(table_id) % INVALIDATION_BUCKETS] += 1

    def invalidate_all(self) -> None:
        with self._cache_lock:
            self._invalidation_counts = [count + 1 for count in self._invalidation_counts]

    def _invalidation_count(self, table_id: str) -> int:
        return self._invalidation_counts[hash(table_id) % INVALIDATION_BUCKETS]

    def _load(self, table_id: str, cached: TableState | None) -> TableState:
        table = self.store.find(table_id)
        if table is None:
            raise NotFound(
                "There is no game at this address. It may have been mistyped, or cut off when it was copied."
            )
        if cached and cached.table.version <= table.version and is_same_deal(cached.table, table):
            try:
                events = self.store.events(table, cached.table.version)
                if not any(event.kind == model.REDACTED for event in events):  # else names in its log may have changed
                    return cached.fast_forward(table, events)
            except AlmuniaError:
                log.warning("Table %s is replayed from its beginning.", table_id)
        return TableState.from_events(table, self.store.events(table), self.builds.get(table.game))

    def _cache_state(self, state: TableState, count: int) -> None:
        table = state.table
        with self._cache_lock:
            cached = self._cache.get(table.id)
            if cached and cached.table.version > table.version:
                return  # another thread has written meanwhile
            self._drop_cached(table.id)
            self._cache[table.id], self._cached_counts[table.id] = state, count
            self._cache_weight += BASE_CACHE_WEIGHT + table.version
            while self._cache_weight > self._max_cached_events and len(self._cache) > 1:
                self._drop_cached(next(iter(self._cache)))

    def _touch_cached(self, table_id: str) -> TableState | None:
        """Return the cached state of a table, and mark it as recently used; None if it must be read again."""
        state = self._cache.get(table_id)
        if state is None or state.play.game is not self.builds.get(state.table.game):
            self._drop_cached(table_id)
            return None
        self._cache[table_id] = self._cache.pop(table_id)
        return state

    def publish_new_build(self, game: str) -> None:
        """Wake the viewers of a game's cached tables, because its build may have changed."""
        with self._cache_lock:
            tables = [table_id for table_id, state in self._cache.items() if state.table.game == game]
        for table_id in tables:
            self.broker.publish_local(table_id)

    def evict(self, table_id: str) -> None:
        self._forget(table_id)
        self.broker.publish(table_id)

    def remove(self, table_id: str, removing: Callable[[], None]) -> None:
        """Call `removing` under the table's lock, and drop the cached state. Viewers are not notified."""
        with self.lock(table_id):
            removing()
            self._forget(table_id)

    def _forget(self, table_id: str) -> None:
        self.invalidate(table_id)
        with self._cache_lock:
            self._drop_cached(table_id)

    def _drop_cached(self, table_id: str) -> None:
        self._cached_counts.pop(table_id, None)
        if state := self._cache.pop(table_id, None):
            self._cache_weight -= BASE_CACHE_WEIGHT + state.table.version

    # --- playing ------------------------------------------------------------------------

    def move(
        self,
        table_id: str,
        seat: int,
        action: int,
        version: int,
        then: Sequence[int] = (),
        options: MoveOptions = DEFAULT_OPTIONS,
        *,
        guest: str | None = None,
    ) -> TableState:
        """Play an action for a seat at a version, and the actions `then` with it, all or none.

        Several actions must be a macro move that the game offers. `guest` is the player, None for a bot. Raises
        RequestError if the move is refused, and ConfirmationRequired if the player must confirm it.
        """
        with self.lock(table_id):
            state = self._require_turn(table_id, seat, version, guest)
            check_macro_offered((action, *then), state.for_viewer(seat))
            lesson = state.lesson_progress
            play = state.play.copy()
            if lesson is None or lesson.required_action == NONE:
                return self.commit(state, apply_actions(play, (action, *then), options), play)
            lesson.check(action)
            events = *apply_actions(play, (action,), DEFAULT_OPTIONS), *replay_actions(play, lesson.followup_actions)
            return self.commit(state, events, play)

    def undo(
        self, table_id: str, seat: int, version: int, whole_turn: bool = False, *, guest: str | None = None
    ) -> TableState:
        """Undo a seat's last choice, or with `whole_turn` all last choices that can be undone.

        Raises RequestError if the undo is refused.
        """
        with self.lock(table_id):
            state = self._require_turn(table_id, seat, version, guest)
            if state.lesson_progress:
                raise Conflict("A lesson has fixed steps, so you can't undo a move.")
            play = state.play.copy()
            count = state.undo_count(whole_turn)
            try:
                for _ in range(max(1, count)):
                    play.undo()
            except UndoRefused as refusal:
                raise Conflict(str(refusal)) from None
            if not count:
                raise Conflict("You can't undo your last move, because part of it is final.")
            return self.commit(state, (TableEvent(seat, model.UNDO),) * count, play)

    def _require_turn(self, table_id: str, seat: int, version: int, guest: str | None) -> TableState:
        """Return the state of a table; raise RequestError unless this seat is to move at this version.

        A guest must also have the seat, and play in it. For a bot, `guest` is None.
        """
        state = self.get_cached(table_id)
        if guest is not None:
            own_seats(state.table, guest, seat)
        if state.table.finished:
            raise Conflict("This game is over, so no more moves are possible.")
        check_seat(state.table, seat)
        if guest is not None and state.table.seats[seat].substitute_bot:
            raise Conflict("A bot is playing for you. Take your seat back, then choose a move.")
        check_dealt(state.table)
        check_version(state, seat, version)
        if state.play.turn != seat:
            name = state.table.seats[state.play.turn].name
            raise Forbidden(f"It is {name}'s turn, not yours. Your move was not played.")
        return state

    def get_for_hint(self, table_id: str, seat: int, version: int, *, guest: str | None = None) -> TableState:
        """Return the state of a table for a hint; raise RequestError if the seat may not ask for a hint."""
        return self._require_hintable(table_id, seat, version, guest)

    def record_hint(
        self, table_id: str, seat: int, version: int, hint: Hint, *, guest: str | None = None
    ) -> TableState:
        """Record a hint for a seat's question, unless it has one already."""
        with self.lock(table_id):
            state = self._require_hintable(table_id, seat, version, guest)
            if state.history(seat).hint:
                return state
            return self.commit(state, (TableEvent(seat, model.HINT, hint.action, hint.text),))

    def _require_hintable(self, table_id: str, seat: int, version: int, guest: str | None) -> TableState:
        state = self._require_turn(table_id, seat, version, guest)
        if not state.table.hints:
            raise Forbidden("This game is played without hints.")
        if state.lesson_progress:
            raise Conflict("The lesson tells you what to do. You can ask for hints when it is over.")
        return state

    def leave_lesson(self, table_id: str, seat: int, version: int, *, guest: str | None = None) -> TableState:
        """Leave the lesson and play on; raise RequestError if that is refused."""
        with self.lock(table_id):
            state = self._require_turn(table_id, seat, version, guest)
            if not state.lesson_progress:
                raise Conflict("The lesson is over, so there is nothing to leave.")
            return self.commit(state, (TableEvent(seat, model.LESSON_LEFT, text=state.table.seats[seat].name),))

    # --- writing ------------------------------------------------------------------------

    def commit(
        self,
        state: TableState,
        events: tuple[TableEvent, ...],
        play: Play | None = None,
        /,
        *,
        also: Callable[[Connection], object] | None = None,
        **changes: Any,
    ) -> TableState:
        """Write events and other `changes` of a table, whose lock the caller holds.

        The events lead to `play`, or do not change the play if `play` is None. `also` writes in the same transaction,
        given its connection.

        Deals if a table that awaits its deal is complete now, with a new seed unless the deal is public. So earlier
        viewers know nothing of the deal. Then plays the answers that seats have planned for these events, in the same
        transaction, so that each is played once. Raises Conflict if the table has changed since the state was read.
        """
        before = state.table
        if before.awaits_deal and replace(before, **changes).may_be_dealt:
            seed = before.seed if before.is_deal_public else self.seeds()
            state, events = state.redealt(seed), (*events, TableEvent(events[-1].seat, model.DEALT))
            play = None  # the new deal's
        play, plans = play or state.play, self.plans.of_table(before.id)
        answers, plans_left = carry_out(state.play, events, play, plans, before.seats)
        events = (*events, *answers)
        outcome = play.outcome
        if outcome:
            changes |= {"status": model.FINISHED, "result": outcome.scores}
        changed = replace(state.table, turn=NONE if state.table.awaits_deal else play.turn, **changes)
        people, seats = changed.human_seats, list(changed.seats)
        versions = {p: state.history(p).version for p in people}
        events, count = with_timestamps(events, self._clock.now()), self._invalidation_count(state.table.id)
        after = state.with_events(events, play).with_table(changed)
        for p in people:
            seats[p] = replace(seats[p], visible_turn=after.history(p).turn)
        advances = len(play.actions) > state.max_move_count or before.awaits_deal != changed.awaits_deal
        table = replace(
            changed,
            seats=tuple(seats),
            flag_at=None if changed.finished else after.flag_at,
            expires_at=None if changed.finished else after.expires_at,
            advanced_at=events[-1].created_at if advances else before.advanced_at,
        )
        try:
            noticing = [p for p in people if after.history(p).version != versions[p]]
            results = result_writer(before, table, after.events, outcome.ranks if outcome else None)
            end_plans = partial(drop_ended, before=before, after=table)
            write_plans = partial(write, table=table.id, plans=plans_left, before=plans)
            writes = [one for one in (also, write_plans, end_plans, results) if one]
            table = self.store.append(before, table, events, noticing, writes)
        except StaleError:
            with self._cache_lock:
                self._drop_cached(table.id)
            raise Conflict("Another player moved first. Nothing was changed. This is the current position.") from None
        after = after.with_table(table)
        self._cache_state(after, count)
        self.broker.publish(table.id)
        self._publish_waiting(before.awaited_guest, table.awaited_guest)
        self._notify_listeners(table)
        return after

    def _publish_waiting(self, before: str, after: str) -> None:
        """Tell two guests that a table has begun or ceased to wait for them, unless they are the same guest."""
        for guest in {before, after} - {""} if before != after else ():
            self.broker.publish(waiting_topic(guest))

    def _notify_listeners(self, table: Table) -> None:
        for listener in self.on_change:
            listener(table)

    @contextmanager
    def lock(self, table_id: str) -> Iterator[None]:
        """Lock a table against other threads and serving processes, and compensate outages first.

        Without a lock, secret moves of others could make a seat's move fail.
        """
        with self._locks[hash(table_id) % LOCK_COUNT], self.store.lock(table_id) as may_owe_time:
            if may_owe_time:
                self._commit_outages(table_id)
            yield

    def compensate_outage(self, table_id: str) -> None:
        """Give the running clock of a table the time of recorded outages, unless that was done before.

        Raises Conflict if another process has just written to the table.
        """
        with self.lock(table_id):
            pass  # entering the lock compensates

    def _commit_outages(self, table_id: str) -> None:
        if self.serves_site:
            self.store.record_heartbeat(self._clock.now())
        for since, until in self.store.outages():
            try:
                state = self.get(table_id)
            except AlmuniaError:  # the caller meets the same error
                return
            clocks = None if state.table.finished else state.history(state.play.turn).clocks
            if clocks and not clocks.is_paused and clocks.since < until:
                lost = round(until - since)
                self.commit(state, (TableEvent(0, model.OUTAGE, lost, format_duration(lost), created_at=until),))


def waiting_topic(guest: str) -> str:
    return f"waiting {guest}"


def is_same_deal(before: Table, after: Table) -> bool:
    """Whether a table has the same deal at two versions, and was dealt at both or at none."""
    return (before.seed, before.awaits_deal) == (after.seed, after.awaits_deal)


def check_seat(table: Table, seat: int) -> None:
    """Raise NotFound if a table has no such seat."""
    if not 0 <= seat < len(table.seats):
        raise NotFound(f"This game has no seat {seat + 1}; it has {len(table.seats)}.")


def require_finished(state: TableState) -> TableState:
    """Return a finished table; Forbidden while its game goes on."""
    if not state.table.finished:
        raise Forbidden("The game is still going on. You can do this when it is over.")
    return state


def check_position(last: int, at: int) -> None:
    """Raise NotFound if a game with positions 0 to `last` has no position `at`."""
    if not 0 <= at <= last:
        raise NotFound(f"This game has positions 0 to {last}, so there is no position {at}.")


def own_seats(table: Table, guest: str, seat: int | None = None) -> tuple[int, ...]:
    """Return the seats of a guest; raise Forbidden if the guest has no seat, or not this `seat`."""
    held = table.seats_of(guest)
    if not held:
        raise Forbidden("You are watching this game, not playing. Nothing was changed.")
    if seat is not None and seat not in held:
        raise Forbidden("This is not your seat, so nothing was changed.")
    return held


def check_dealt(table: Table) -> None:
    """Raise Forbidden before the deal of a table."""
    if table.awaits_deal:
        raise Forbidden(
            "The game hasn't started, because a seat is still open. "
            "Send the link to the open seat, or let a bot take it."
            if table.open_seats
            else "The game hasn't started, because a player isn't ready yet."
        )


def with_timestamps(events: tuple[TableEvent, ...], now: float) -> tuple[TableEvent, ...]:
    return tuple(replace(event, created_at=event.created_at or now) for event in events)


def check_macro_offered(actions: tuple[int, ...], history: ViewerHistory) -> None:
    """Raise Forbidden if these are several actions that the game does not offer as a macro move.

    With other actions a player could probe secrets: a refused move would reveal them without being played.
    """
    if len(actions) > 1 and actions not in [macro.actions for macro in history.macro_labels]:
        raise Forbidden("You can't play these moves together here. Choose one of the moves shown.", status=422)


def check_version(state: TableState, seat: int, version: int) -> None:
    """Raise Conflict if the question at a version is no longer the seat's current question."""
    if not state.history(seat).is_current(version):
        raise Conflict("The game has moved on since you looked. Nothing was changed. This is the current position.")
