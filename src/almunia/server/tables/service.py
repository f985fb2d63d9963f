"""Tables: opened, played at, and left. Every change is one transaction, and is checked before it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, Protocol

from sqlalchemy import Connection

from ...core.contract import NONE
from ...errors import AlmuniaError, UndoRefused
from ...play.play import Play
from ...validation import check_seed, random_seed
from ..broker import Broker
from ..clock import DAY, Clock, format_duration
from ..errors import Conflict, Forbidden, NotFound
from ..limits import DEFAULT_LIMITS
from ..ratings import game_results
from ..tokens import new_table_id
from .builds import GameBuilds
from .clocks import UNTIMED, TimeControl
from .model import DEAL, FINISHED, HINT, OUTAGE, PERSON, PERSONAL, PLAY_ON, UNDO, Seat, StaleError, Table, TableEvent
from .moves import PLAIN, MoveOptions, carry_out, repeated
from .repository import TableRepository
from .state import TableState
from .table_limits import TableLimits
from .viewer_history import Hint, ViewerHistory

log = logging.getLogger(__name__)
OPENING = 20  # entries that a table weighs before there is any
LOCKS = 64
TOLD = 1024  # places where it is counted how often other processes have written to some tables


class Joining(Protocol):
    """What is written together with a new table."""

    def __call__(self, db: Connection, *, table: Table) -> object: ...


class TableService:
    """All tables of the site. The entries are the truth; snapshots are kept as long as there is room."""

    def __init__(
        self,
        store: TableRepository,
        builds: GameBuilds,
        notifier: Broker,
        clock: Clock,
        openings: TableLimits,
        *,
        seeds: Callable[[], int] = random_seed,
        tokens: Callable[[], str] = new_table_id,
        max_cached_entries: int = DEFAULT_LIMITS.max_cached_entries,
    ) -> None:
        self.store, self.builds, self.notifier = store, builds, notifier
        self._clock = clock
        self.openings = openings
        self.seeds = seeds  # of new tables, unless their players have chosen one
        self._tokens, self._max_cached_entries = tokens, max_cached_entries  # ids of new tables; how much is kept
        self._kept: dict[str, TableState] = {}  # those that were looked at last, last
        self._known: dict[str, int] = {}  # for each of them, how much had been told when it was read
        self._told = [0] * TOLD
        self._weight = 0  # of what is kept
        self._keeping = Lock()
        self._locks = [Lock() for _ in range(LOCKS)]
        builds.listen(self.rebuilt)
        self.serves = False  # does this process serve the site? Then that it acts tells that the site is there
        self.listeners: tuple[Callable[[Table], object], ...] = ()  # who wants to know of tables that have changed

    # --- opening and reading ------------------------------------------------------------

    def open(
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
        rated: bool = True,
        daily: str = "",
        joining: Joining | None = None,
        hints: bool = False,
        patience: int = DAY,
        time_control: TimeControl = UNTIMED,
        network: str = "",
    ) -> Table:
        """Open a table; SetupError if the game does not take these seats, options or this seed.

        RequestError if the owner, or the `network` from which it is opened, has too many.

        A seed that is given is known to somebody, and the table says so, unless it is that of a `daily` deal. The
        `first` actions are done already: those of a lesson, or of the game that is `played_on`. Where it is to be
        `rated`, that holds if such a table can be, and all its bots can play; with open seats it is dealt when the
        last one is taken. What `joining` writes belongs to the same transaction.
        """
        game, seed_known = self.builds.of(name), seed is not None and not daily
        seed = self.seeds() if seed is None else check_seed(seed)
        play = game.start(len(seats), seed, options or {})
        now = self._clock.now()
        entries = stamped(repeated(play, first), now)
        table = Table(
            id=self._tokens(),
            game=name,
            rules=game.meta.rules_version,
            components=game.components_hash,
            options=play.options,
            seed=seed,
            seed_known=seed_known,
            seats=tuple(replace(seat, asked=play.observe(p).turn) for p, seat in enumerate(seats)),
            owner=owner,
            turn=play.turn,
            challenge=challenge,
            lesson=lesson,
            played_on=len(first) if played_on else None,
            daily=daily,
            hints=hints,
            patience=patience,
            time_control=str(time_control),
            network=network,
            opened=now,
        )
        self.openings.check(table, game)
        playable = all(self.builds.can_play(seat.bot, name) for seat in seats if seat.bot)
        table = replace(table, rated=rated and not daily and playable and game_results.may_be_rated(table))
        if table.rated and table.open_seats:
            table = replace(table, turn=NONE, seats=tuple(replace(seat, asked=NONE) for seat in table.seats))
        begun = TableState(table, play, entries, {})
        table, told = replace(table, due=begun.due), self._told_of(table.id)
        table = self.store.open(table, entries, partial(joining, table=table) if joining else None)
        self._keep(begun.with_table(table), told)
        self._tell(table)
        return table

    def snapshot(self, table_id: str) -> TableState:
        """The table as it stands now; NotFound if there is none with this id."""
        told = self._told_of(table_id)
        with self._keeping:
            kept = self._looked_at(table_id)
        if kept is None or kept.table.version != self.store.version(table_id):
            kept = self._rebuilt(table_id, kept)
        self._keep(kept, told)
        return kept

    def current(self, table_id: str) -> TableState:
        """The table as it stands now; NotFound if there is none with this id.

        A database of one process is not asked: nobody else writes to it but `almunia moderate`, of which this process
        learns a little later. So this is for those who are told of it then, or refused when they write.
        """
        return (None if self.store.shared else self.latest(table_id)) or self.snapshot(table_id)

    def latest(self, table_id: str) -> TableState | None:
        """The table as this process has seen it last, if it is in memory and no other has told of anything since."""
        with self._keeping:
            kept = self._looked_at(table_id)
            return kept if kept and self._known[table_id] == self._told_of(table_id) else None

    def may_play(self, table_id: str, guest: str) -> bool:
        """Whether a guest sits at a table, as far as this process has it in memory."""
        kept = self.latest(table_id)
        return kept is None or any(seat.player == guest for seat in kept.table.seats)

    def overtaken(self, table_id: str) -> None:
        """Know that somebody has written to a table beside its play: what is being read of it now may be old."""
        self._told[hash(table_id) % TOLD] += 1

    def all_overtaken(self) -> None:
        """Know that other processes may have written to any table."""
        self._told = [told + 1 for told in self._told]

    def _told_of(self, table_id: str) -> int:
        return self._told[hash(table_id) % TOLD]

    def _rebuilt(self, table_id: str, kept: TableState | None) -> TableState:
        table = self.store.find(table_id)
        if table is None:
            raise NotFound(
                "There is no game at this address. It may have been mistyped, or cut off when it was copied."
            )
        if kept and kept.table.version <= table.version and kept.table.seed == table.seed:
            try:
                more = self.store.entries(table, kept.table.version)
                if not any(entry.kind == PERSONAL for entry in more):  # else names in its log may be others
                    return kept.caught_up(table, more)
            except AlmuniaError:
                log.warning("Table %s is read anew from its beginning.", table_id)
        return TableState.rebuild(table, self.store.entries(table), self.builds.of(table.game))

    def _keep(self, snapshot: TableState, told: int) -> None:
        """Keep what was read or written after so much had been told of its table."""
        with self._keeping:
            known = self._kept.get(snapshot.table.id)
            if known and known.table.version > snapshot.table.version:
                return  # somebody has acted while this one was being rebuilt
            if known is snapshot:
                self._known[snapshot.table.id] = told
                return
            self._forget(snapshot.table.id)
            self._kept[snapshot.table.id], self._known[snapshot.table.id] = snapshot, told
            self._weight += OPENING + snapshot.table.version
            while self._weight > self._max_cached_entries and len(self._kept) > 1:
                self._forget(next(iter(self._kept)))

    def _looked_at(self, table_id: str) -> TableState | None:
        """Return what is kept of a table, which is given up later than what nobody looks at.

        None if another build of its game is in use by now: the table is read anew, and goes on in that one.
        """
        kept = self._kept.get(table_id)
        if kept is None or kept.play.game is not self.builds.of(kept.table.game):
            self._forget(table_id)
            return None
        self._kept[table_id] = self._kept.pop(table_id)
        return kept

    def rebuilt(self, game: str) -> None:
        """Wake the pages of a game's tables, which another build plays from now on."""
        with self._keeping:
            tables = [table_id for table_id, kept in self._kept.items() if kept.table.game == game]
        for table_id in tables:
            self.notifier.wake(table_id)

    def drop(self, table_id: str) -> None:
        """Look a table up again, of which something was written beside its play, and tell whoever watches it."""
        self.overtaken(table_id)
        with self._keeping:
            self._forget(table_id)
        self.notifier.notify(table_id)

    def remove(self, table_id: str, removing: Callable[[], None]) -> None:
        """Remove a table under its lock; nobody is told, for nobody else knows it."""
        with self.lock(table_id):
            removing()
            self.overtaken(table_id)
            with self._keeping:
                self._forget(table_id)

    def _forget(self, table_id: str) -> None:
        old = self._kept.pop(table_id, None)
        self._known.pop(table_id, None)
        if old:
            self._weight -= OPENING + old.table.version

    # --- playing ------------------------------------------------------------------------

    def act(
        self,
        table_id: str,
        seat: int,
        action: int,
        seen: int,
        then: Sequence[int] = (),
        manner: MoveOptions = PLAIN,
    ) -> TableState:
        """Choose an action for a seat, which has `seen` so much of the play, and with it others that come `then`.

        All is done or nothing, and the game must propose it in one go. ConfirmationRequired if the player must confirm.
        """
        with self.lock(table_id):
            now = self._ready(table_id, seat, seen)
            check_together((action, *then), now.shown(seat))
            lesson = now.standing
            play = now.play.copy()
            if not (lesson and lesson.asks):
                return self.write(now, carry_out(play, (action, *then), manner), play)
            lesson.check(action)
            entries = *carry_out(play, (action,), PLAIN), *repeated(play, lesson.next)
            return self.write(now, entries, play)

    def undo(self, table_id: str, seat: int, seen: int, whole_turn: bool = False) -> TableState:
        """Undo the seat's last choice with all that followed on it, or all choices of its turn that can be undone."""
        with self.lock(table_id):
            now = self._ready(table_id, seat, seen)
            if now.standing:
                raise Conflict("A lesson goes on step by step, so nothing is undone in it.")
            play = now.play.copy()
            count = now.undo_count(whole_turn)
            try:
                for _ in range(max(1, count)):
                    play.undo()
            except UndoRefused as refusal:
                raise Conflict(str(refusal)) from None
            if not count:
                raise Conflict("Something that cannot be undone was done together with the last choice, so it stays.")
            return self.write(now, (TableEvent(seat, UNDO),) * count, play)

    def _ready(self, table_id: str, seat: int, seen: int) -> TableState:
        """The table, if this seat is to move and has seen how it stands."""
        now = self.current(table_id)
        if now.table.finished:
            raise Conflict("This game is over, so no more moves are possible.")
        check_seat(now.table, seat)
        check_dealt(now.table)
        check_seen(now, seat, seen)
        if now.play.turn != seat:
            name = now.table.seats[now.play.turn].name
            raise Forbidden(f"It is {name}'s turn, not yours. Your move was not played.")
        return now

    def asked(self, table_id: str, seat: int, seen: int) -> TableState:
        """The table at which a seat asks for a hint, if it may and has seen how it stands."""
        with self.lock(table_id):
            return self._hintable(table_id, seat, seen)

    def hint(self, table_id: str, seat: int, seen: int, hint: Hint) -> TableState:
        """Give a seat a hint on its question, of which no other learns before the end."""
        with self.lock(table_id):
            now = self._hintable(table_id, seat, seen)
            if now.diary(seat).hint:
                return now
            return self.write(now, (TableEvent(seat, HINT, hint.action, hint.words),), now.play)

    def _hintable(self, table_id: str, seat: int, seen: int) -> TableState:
        now = self._ready(table_id, seat, seen)
        if not now.table.hints:
            raise Forbidden("This game is played without hints.")
        if now.standing:
            raise Conflict("The lesson says what to do. Hints are there when it is over.")
        return now

    def leave_lesson(self, table_id: str, seat: int, seen: int) -> TableState:
        """Play on without what is left of the lesson."""
        with self.lock(table_id):
            now = self._ready(table_id, seat, seen)
            if not now.standing:
                raise Conflict("The lesson is over, so there is nothing to leave.")
            return self.write(now, (TableEvent(seat, PLAY_ON, words=now.table.seats[seat].name),), now.play)

    # --- writing ------------------------------------------------------------------------

    def write(self, now: TableState, entries: tuple[TableEvent, ...], play: Play, **changes: Any) -> TableState:
        """Write what was done under the table's lock, with what `changes` of the table beside its play.

        If the last open seat of a rated table is taken by that, it is dealt now: whoever has seen the table before
        knows nothing of the deal. Conflict if another process has written since.
        """
        before = now.table
        if before.undealt and not replace(before, **changes).open_seats:
            now, entries = now.dealt(self.seeds()), (*entries, TableEvent(entries[-1].seat, DEAL))
            play = now.play
        outcome = play.outcome
        if outcome:
            changes |= {"status": FINISHED, "result": outcome.scores}
        changed = replace(now.table, turn=NONE if now.table.undealt else play.turn, **changes)
        sitters = list(changed.seats)
        people = [p for p, seat in enumerate(sitters) if seat.kind == PERSON]
        seen = {p: now.diary(p).seen for p in people}
        entries, told = stamped(entries, self._clock.now()), self._told_of(now.table.id)
        after = now.after(entries, play).with_table(changed)
        for p in people:
            sitters[p] = replace(sitters[p], asked=after.diary(p).turn)
        advances = len(play.actions) > now.farthest or before.undealt != changed.undealt
        table = replace(
            changed,
            seats=tuple(sitters),
            due=None if changed.finished else after.due,
            advanced=entries[-1].time if advances else before.advanced,
        )
        try:
            noticing = [p for p in people if after.diary(p).seen != seen[p]]
            also = game_results.left_by(before, table, after.entries, outcome.ranks if outcome else None)
            table = self.store.append(before, table, entries, noticing, also)
        except StaleError:
            with self._keeping:
                self._forget(table.id)
            raise Conflict("Somebody else moved first. Nothing was changed; this is the current position.") from None
        after = after.with_table(table)
        self._keep(after, told)
        self.notifier.notify(table.id)
        self._tell(table)
        return after

    def _tell(self, table: Table) -> None:
        for tell in self.listeners:
            tell(table)

    @contextmanager
    def lock(self, table_id: str) -> Iterator[None]:
        """The lock of a table, under which it is read and written, whichever process does so.

        Else what another one writes, which a seat may not notice, could make the acts of that seat fail.
        """
        with self._locks[hash(table_id) % LOCKS], self.store.locked(table_id) as was_away:
            if was_away:
                self._make_up(table_id)
            yield

    def make_up(self, table_id: str) -> None:
        """Give back the time for which nobody could reach the site, if a clock ran then and that was not done yet."""
        with self.lock(table_id):
            pass  # whatever is done under it comes after that

    def _make_up(self, table_id: str) -> None:
        """Before anything else is written at a table, tell it of outages.

        The entry has the time at which the outage ended, and settles the clocks: so it is written once.
        """
        if self.serves:
            self.store.note_alive(self._clock.now())
        with suppress(AlmuniaError):  # whoever wants to do something there will be told
            for since, until in self.store.outages():
                now = self.snapshot(table_id)
                clocks = None if now.table.finished else now.diary(now.play.turn).clocks
                if clocks and not clocks.still and clocks.since < until:
                    lost = round(until - since)
                    self.write(now, (TableEvent(0, OUTAGE, lost, format_duration(lost), time=until),), now.play)


def check_seat(table: Table, seat: int) -> None:
    """NotFound if a table has no such seat."""
    if not 0 <= seat < len(table.seats):
        raise NotFound(f"This game has no seat {seat + 1}; it has {len(table.seats)}.")


def check_dealt(table: Table) -> None:
    """Forbidden before the deal of a table."""
    if table.undealt:
        raise Forbidden(
            "Nobody can move yet: the game is dealt when everybody is here. "
            "Send the link to the open seat, or let a bot take it."
        )


def stamped(entries: tuple[TableEvent, ...], now: float) -> tuple[TableEvent, ...]:
    """Entries with the time at which they are written, unless they have one."""
    return tuple(replace(entry, time=entry.time or now) for entry in entries)


def check_together(actions: tuple[int, ...], diary: ViewerHistory) -> None:
    """Forbidden if these are several actions, and the game does not propose them in one go.

    Of what may be done its proposals know no more than the seat does. With others, what comes to light by one action
    could decide whether the next is refused, and all of it with that: a way to look.
    """
    if len(actions) > 1 and actions not in [course.actions for course in diary.courses]:
        raise Forbidden("These actions are not offered in one go here. Choose one of the moves shown.", status=422)


def check_seen(snapshot: TableState, seat: int, seen: int) -> None:
    """Conflict if the play has gone on since a seat's page was drawn, or by an act whose answer was lost."""
    if not snapshot.diary(seat).is_current(seen):
        raise Conflict("The game has moved on since you looked. Nothing was changed; this is the current position.")
