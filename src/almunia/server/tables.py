"""Tables: opened, played at, and left. Every change is one transaction, and is checked before it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, count
from threading import Lock
from typing import Any

from ..core.arguments import checked_seed, fresh_seed
from ..core.lesson import Lesson
from ..core.play import Play
from ..errors import UndoRefused
from . import lessons, store
from .acting import PLAIN, Manner, carry_out
from .builds import Builds
from .errors import Conflict, Forbidden, Missing
from .notifier import Notifier
from .secret import table_token
from .snapshot import Diary, Hint, Snapshot
from .store import (
    BOT,
    FAIL,
    FINISHED,
    HINT,
    JOIN,
    LEAVE,
    OPEN,
    PERSON,
    PLAY_ON,
    RELIEVE,
    UNDO,
    Entry,
    Seat,
    StaleError,
    Store,
    Table,
)

KEPT = 50_000  # entries in memory, about 1 KB each with what their readers have seen
OPENING = 20  # entries that a table weighs before there is any
LOCKS = 64


class Tables:
    """All tables of the site. The entries are the truth; snapshots are kept as long as there is room."""

    def __init__(self, store: Store, builds: Builds, notifier: Notifier) -> None:
        self.store, self.builds, self.notifier = store, builds, notifier
        self._kept: dict[str, Snapshot] = {}  # those that were written to last, last
        self._weight = 0  # of what is kept
        self._keeping = Lock()
        self._locks = [Lock() for _ in range(LOCKS)]
        self.on_change: Callable[[Table], object] = id  # until somebody wants to know

    # --- opening and reading ------------------------------------------------------------

    def open(
        self,
        name: str,
        seats: Sequence[Seat],
        owner: str,
        options: dict[str, Any] | None = None,
        seed: int | None = None,
        challenge: str = "",
        lesson: Lesson | None = None,
        hints: bool = False,
    ) -> Table:
        """Open a table; SetupError if the game does not take these seats, options or this seed.

        A seed that is given is known to somebody, and the table says so. A lesson has done its first actions already.
        """
        game, seed_known = self.builds.of(name), seed is not None
        seed = fresh_seed() if seed is None else checked_seed(seed)
        play = game.start(len(seats), seed, options or {})
        entries = lessons.done(play, lesson.first) if lesson else ()
        table = Table(
            id=table_token(),
            game=name,
            rules=game.meta.rules_version,
            components=game.components,
            options=play.options,
            seed=seed,
            seed_known=seed_known,
            seats=tuple(replace(seat, asked=play.observe(p).turn) for p, seat in enumerate(seats)),
            owner=owner,
            turn=play.turn,
            challenge=challenge,
            lesson=lesson is not None,
            hints=hints,
        )
        table = self.store.open(table, entries)
        self._keep(Snapshot(table, play, entries, {}))
        self.on_change(table)
        return table

    def snapshot(self, table_id: str) -> Snapshot:
        """The table as it stands now; Missing if there is none with this id."""
        kept = self.latest(table_id)
        if kept is None or kept.table.version != self.store.version(table_id):
            kept = self._rebuilt(table_id)
            self._keep(kept)
        return kept

    def latest(self, table_id: str) -> Snapshot | None:
        """The table as this process has seen it last, if it is in memory; another process may know more."""
        with self._keeping:
            return self._kept.get(table_id)

    def _rebuilt(self, table_id: str) -> Snapshot:
        table = self.store.find(table_id)
        if table is None:
            raise Missing("There is no game at this address. It may have been mistyped, or cut off when it was copied.")
        return Snapshot.rebuild(table, self.store.entries(table), self.builds.of(table.game))

    def _keep(self, snapshot: Snapshot) -> None:
        with self._keeping:
            known = self._kept.get(snapshot.table.id)
            if known and known.table.version > snapshot.table.version:
                return  # somebody has acted while this one was being rebuilt
            self._forget(snapshot.table.id)
            self._kept[snapshot.table.id] = snapshot
            self._weight += OPENING + snapshot.table.version
            while self._weight > KEPT and len(self._kept) > 1:
                self._forget(next(iter(self._kept)))

    def _forget(self, table_id: str) -> None:
        old = self._kept.pop(table_id, None)
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
        manner: Manner = PLAIN,
    ) -> Snapshot:
        """Choose an action for a seat, which has `seen` so much of the play, and with it others that come `then`.

        All is done or nothing, and the game must propose it in one go. Unsure if it is to be confirmed first.
        """
        with self._lock(table_id):
            now = self._ready(table_id, seat, seen)
            check_together((action, *then), now.shown(seat))
            lesson = now.standing
            play = now.play.copy()
            if not lesson:
                return self._write(now, carry_out(play, (action, *then), manner), play)
            lesson.check(action)
            entries = *carry_out(play, (action,), PLAIN), *lessons.done(play, lesson.next)
            return self._write(now, entries, play)

    def undo(self, table_id: str, seat: int, seen: int, whole_turn: bool = False) -> Snapshot:
        """Undo the seat's last choice with all that followed on it, or all choices of its turn that can be undone."""
        with self._lock(table_id):
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
            return self._write(now, (Entry(seat, UNDO),) * count, play)

    def _ready(self, table_id: str, seat: int, seen: int) -> Snapshot:
        """The table, if this seat is to move and has seen how it stands."""
        now = self.latest(table_id) or self.snapshot(table_id)  # whoever writes is told if another process has written
        if now.table.finished:
            raise Conflict("This game is over, so no more moves are possible.")
        self._check_seat(now.table, seat)
        check_seen(now, seat, seen)
        if now.play.turn != seat:
            name = now.table.seats[now.play.turn].name
            raise Forbidden(f"It is {name}'s turn, not yours. Your move was not played.")
        return now

    def asked(self, table_id: str, seat: int, seen: int) -> Snapshot:
        """The table at which a seat asks for a hint, if it may and has seen how it stands."""
        with self._lock(table_id):
            return self._hintable(table_id, seat, seen)

    def hint(self, table_id: str, seat: int, seen: int, hint: Hint) -> Snapshot:
        """Give a seat a hint on its question, of which no other learns before the end."""
        with self._lock(table_id):
            now = self._hintable(table_id, seat, seen)
            if now.diary(seat).hint:
                return now
            return self._write(now, (Entry(seat, HINT, hint.action, hint.words),), now.play)

    def _hintable(self, table_id: str, seat: int, seen: int) -> Snapshot:
        now = self._ready(table_id, seat, seen)
        if not now.table.hints:
            raise Forbidden("This game is played without hints.")
        if now.standing:
            raise Conflict("The lesson says what to do. Hints are there when it is over.")
        return now

    def leave_lesson(self, table_id: str, seat: int, seen: int) -> Snapshot:
        """Play on without what is left of the lesson."""
        with self._lock(table_id):
            now = self._ready(table_id, seat, seen)
            if not now.standing:
                raise Conflict("The lesson is over, so there is nothing to leave.")
            return self._write(now, (Entry(seat, PLAY_ON, words=now.table.seats[seat].name),), now.play)

    # --- sitting down and leaving ---------------------------------------------------------

    def join(self, table_id: str, seat: int, guest: str, name: str) -> Snapshot:
        """Sit down in an open seat."""
        with self._lock(table_id):
            now = self.snapshot(table_id)
            self._check_seat(now.table, seat)
            if now.table.seats[seat].kind != OPEN:
                raise Conflict("This seat is already taken. Ask for another invitation.")
            others = (other for number, other in enumerate(now.table.seats) if number != seat)
            return self._seat(now, seat, Seat(PERSON, guest, distinct_name(name, others)), JOIN)

    def relieve(self, table_id: str, seat: int, guest: str, spec: str) -> Snapshot:
        """Let a bot play on in an open seat or in one's own."""
        with self._lock(table_id):
            now = self.snapshot(table_id)
            self._check_seat(now.table, seat)
            held = now.table.held_by(guest)
            if not held or (now.table.seats[seat].kind != OPEN and seat not in held):
                raise Forbidden("Only a player of this game can let a bot take an open seat or their own.")
            if now.table.finished:
                raise Conflict("This game is over, so no bot is needed.")
            return self._seat(now, seat, bot_seat(spec, now.table.seats), RELIEVE)

    def substitute(self, table_id: str, seat: int, spec: str) -> Snapshot:
        """Let another bot play on for one that cannot."""
        with self._lock(table_id):
            now = self.snapshot(table_id)
            return self._seat(now, seat, bot_seat(spec, now.table.seats), RELIEVE, FAIL)

    def _check_seat(self, table: Table, seat: int) -> None:
        if not 0 <= seat < len(table.seats):
            raise Missing(f"This game has no seat {seat + 1}; it has {len(table.seats)}.")

    def _seat(self, now: Snapshot, number: int, seat: Seat, kind: str, leaving: str = LEAVE) -> Snapshot:
        before = now.table.seats[number]
        seats = (*now.table.seats[:number], seat, *now.table.seats[number + 1 :])
        entries = [Entry(number, leaving, words=before.name)] if before.kind != OPEN else []
        entries.append(Entry(number, kind, words=seat.name))
        return self._write(now, tuple(entries), now.play, seats)

    # --- writing ------------------------------------------------------------------------

    def _write(
        self, now: Snapshot, entries: tuple[Entry, ...], play: Play, seats: tuple[Seat, ...] | None = None
    ) -> Snapshot:
        outcome, sitters = play.outcome, list(seats or now.table.seats)
        people = [p for p, seat in enumerate(sitters) if seat.kind == PERSON]
        seen = {p: now.diary(p).seen for p in people}
        after = now.after(entries, play)
        for p in people:
            sitters[p] = replace(sitters[p], asked=after.diary(p).view.turn)
        table = replace(
            now.table,
            turn=play.turn,
            seats=tuple(sitters),
            status=FINISHED if outcome else store.RUNNING,
            result=outcome.scores if outcome else None,
        )
        try:
            noticing = [p for p in people if after.diary(p).seen != seen[p]]
            table = self.store.append(now.table, table, entries, noticing)
        except StaleError:
            with self._keeping:
                self._forget(table.id)
            raise Conflict("Somebody else moved first. Nothing was changed; this is the current position.") from None
        after = after.with_table(table)
        self._keep(after)
        self.notifier.notify(table.id)
        self.on_change(table)
        return after

    def _lock(self, table_id: str) -> Lock:
        return self._locks[hash(table_id) % LOCKS]


def bot_seat(spec: str, others: Sequence[Seat]) -> Seat:
    """A seat for a bot, under a name that none of the others has."""
    return Seat(BOT, spec, distinct_name(f"{spec.capitalize()} bot", others))


def distinct_name(name: str, others: Iterable[Seat]) -> str:
    """A name, with a number behind it if one of the other seats has the same."""
    taken = {seat.name for seat in others}
    numbered = (f"{name} {number}" for number in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)


def check_together(actions: tuple[int, ...], diary: Diary) -> None:
    """Forbidden if these are several actions, and the game does not propose them in one go.

    Of what may be done its proposals know no more than the seat does. With others, what comes to light by one action
    could decide whether the next is refused, and all of it with that: a way to look.
    """
    if len(actions) > 1 and actions not in [course.actions for course in diary.courses]:
        raise Forbidden("These actions are not offered in one go here. Choose one of the moves shown.", status=422)


def check_seen(snapshot: Snapshot, seat: int, seen: int) -> None:
    """Conflict if a seat's page was drawn before this, or after an act whose answer was lost."""
    if snapshot.diary(seat).seen != seen:
        raise Conflict(
            "The game has moved on since this page was loaded. Nothing was changed; this is the current position."
        )
