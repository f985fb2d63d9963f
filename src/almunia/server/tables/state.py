"""A table's play, rebuilt from its entries, with the log as each reader may read it.

A snapshot is never changed: the next entry makes another one, so a page that is being drawn from it
stays in one piece.
"""

import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from math import inf
from threading import Lock
from typing import NamedTuple, Self

from ...core.contract import SPECTATOR
from ...errors import AlmuniaError, RecordError
from ...library import Game
from ...play.play import Play
from ...play.record import Record
from ..errors import Forbidden
from . import lessons
from .clocks import BOT as BOT_AT_ZERO, CLAIM, Clocks, PlayingHours, TimeControl
from .model import (
    ACT,
    BOT,
    FAIL,
    HINT,
    JOIN,
    LEAVE,
    OPEN,
    PERSON,
    RELIEVE,
    REMOVE,
    RESIGN,
    REWIND,
    UNDO,
    Table,
    TableEvent,
)
from .moves import standing_acts, undo_count
from .proposals import Proposal, proposed
from .viewer_history import NAMING, Step, ViewerHistory

log = logging.getLogger(__name__)
UNREADABLE = (
    "This table cannot be continued, for its record does not replay. Whoever runs the site finds why in the log."
)
MARK_SPACING = 24  # entries between two plays that are kept for moments; each moment is replayed from one of them
MAX_MARKS = 2  # of them, the latest: moments that somebody follows lie at most so far back
MAX_MOMENTS = 4  # of a snapshot that are kept, the latest that were asked for: each takes up to 16 KB
STEPS = {ACT: 1, UNDO: -1}  # how many acts more stand after an entry
# Who sat there until such an entry:
BEFORE = {JOIN: OPEN, RELIEVE: OPEN, RESIGN: PERSON, LEAVE: PERSON, REMOVE: PERSON, FAIL: BOT}


class Mark(NamedTuple):
    """The play after so many entries of a table, which nobody changes."""

    entries: int
    play: Play


class TableState:
    """A table at one version."""

    def __init__(
        self,
        table: Table,
        play: Play,
        entries: tuple[TableEvent, ...],
        diaries: dict[int, ViewerHistory],
        marks: tuple[Mark, ...] = (),
    ) -> None:
        self.table, self.play = table, play
        self._entries, self._diaries = entries, diaries
        self._writing = Lock()  # many may ask for the same diary at once
        self._awaited: dict[int, ViewerHistory] = {}  # what readers are shown before the deal
        self._marks = marks  # handed on from snapshot to snapshot
        self._looked: Mark | None = None  # where a moment was asked for last: the next one is asked for after it
        # By reader and what that one had seen; many may follow. Replaced as a whole, for several threads ask.
        self._moments: tuple[tuple[tuple[int, int], ViewerHistory], ...] = ()

    @classmethod
    def rebuild(cls, table: Table, entries: Iterable[TableEvent], game: Game) -> Self:
        """The snapshot that these entries lead to; RecordError if under the rules of today they lead nowhere.

        A table that was begun under other rules goes on if all its moves are possible still, and called as they were.
        """
        kept, changed = tuple(entries), changed_since(table, game)
        try:
            play = game.start(len(table.seats), table.seed, table.options)
            for entry in kept:
                if changed and entry.kind == ACT:
                    check_same(play, entry)
                follow(play, entry)
        except AlmuniaError as error:  # which names what a seat may choose: that is for the log alone
            log.warning("Table %s does not replay: %s", table.id, error)
            raise RecordError(changed or UNREADABLE) from None
        return cls(table, play, kept, {})

    def after(self, entries: tuple[TableEvent, ...], play: Play) -> "TableState":
        """The snapshot after more entries, which led to `play`; what is kept of its table is as it was."""
        diaries, reached = dict(self._diaries), self.play.copy()
        for number, entry in enumerate(entries, len(self._entries) + 1):
            follow(reached, entry)
            diaries = {reader: diary.after(entry, reached, number) for reader, diary in diaries.items()}
        return TableState(self.table, play, self._entries + entries, diaries, self._with_mark())

    def _with_mark(self) -> tuple[Mark, ...]:
        """The marks for the next snapshot: this one becomes one if the last one is long ago."""
        here, last = len(self._entries), self._marks[-1].entries if self._marks else 0
        if here - last < MARK_SPACING:
            return self._marks
        return (*self._marks, Mark(here, self.play))[-MAX_MARKS:]

    def caught_up(self, table: Table, entries: Iterable[TableEvent]) -> "TableState":
        """The snapshot of a table as it was read, after the entries that another process has written."""
        more, play = tuple(entries), self.play.copy()
        for entry in more:
            follow(play, entry)
        return self.after(more, play).with_table(table)

    def with_table(self, table: Table) -> "TableState":
        """The same with what is now kept of its table."""
        diaries = self._diaries
        if table.time_control:
            hours = hours_at(table)
            diaries = {reader: diary.with_hours(hours) for reader, diary in diaries.items()}
        return TableState(table, self.play, self._entries, diaries, self._marks)

    def dealt(self, seed: int) -> "TableState":
        """The snapshot of a table at which nobody has moved yet, with the deal of another seed."""
        play = Play.start(self.play.game, len(self.table.seats), seed, self.table.options)
        return TableState(replace(self.table, seed=seed, turn=play.turn), play, self._entries, {})

    @property
    def entries(self) -> tuple[TableEvent, ...]:
        """All that has been written in the table's book."""
        return self._entries

    @cached_property
    def standing(self) -> lessons.LessonProgress | None:
        """Where the table stands in its lesson, if it is in one."""
        return lessons.standing(self.table, self.play.actions, self._entries)

    @cached_property
    def taught(self) -> ViewerHistory:
        """The diary of whoever learns, with what the lesson allows now."""
        if not self.standing:
            raise LookupError("This table is in no lesson.")
        return replace(self.diary(self.standing.learner), only=self.standing.only)

    def shown(self, reader: int) -> ViewerHistory:
        """What a reader is shown now: the diary, in a lesson what it allows, before the deal what spectators see."""
        if self.table.undealt:
            return self._waiting(reader)
        return self.taught if self.standing and self.standing.learner == reader else self.diary(reader)

    def _waiting(self, reader: int) -> ViewerHistory:
        """The diary of a reader before the deal, without the hand: another one will be dealt."""
        if reader not in self._awaited:
            self._awaited[reader] = replace(self.diary(reader), view=self.diary(SPECTATOR).view)
        return self._awaited[reader]

    def undo_count(self, whole_turn: bool = False) -> int:
        """How many actions an undo takes back now; 0 if nothing can be undone."""
        return undo_count(self._entries, self.play.undo_depth, whole_turn)

    @property
    def due(self) -> float | None:
        """When the time of the seat to move is up, where something is to be done then; None if that is never."""
        zero = TimeControl.read(self.table.time_control).zero
        if self.play.over or not (zero == BOT_AT_ZERO or (zero == CLAIM and self.table.is_among_bots)):
            return None
        clocks = self.diary(self.play.turn).clocks
        return clocks.due if clocks and clocks.due < inf else None

    @cached_property
    def proposal(self) -> Proposal | None:
        """What somebody has asked the others for, and has not been answered by all.

        None once a bot has the seat of somebody who has given up a rated game.
        """
        return proposed(self._entries) if self.table.takes_consent else None

    @cached_property
    def standing_acts(self) -> list[TableEvent]:
        """The acts that were not undone."""
        return standing_acts(self._entries)

    @cached_property
    def farthest(self) -> int:
        """How many acts there ever were that were not undone."""
        return max(accumulate(STEPS.get(entry.kind, 0) for entry in self._entries), default=0)

    def moments(self, kind: str, seat: int | None = None) -> list[float]:
        """When what is of a kind was written, in any seat or in one."""
        return [entry.time for entry in self._entries if entry.kind == kind and seat in (None, entry.seat)]

    @property
    def hinted(self) -> tuple[int, ...]:
        """The numbers, from 1, of the actions before which a hint was given."""
        return hinted(self._entries)

    @property
    def record(self) -> Record:
        """The record; Forbidden until the game is over, for it holds the seed, and with it every secret."""
        if not self.table.finished:
            raise Forbidden("The record is available when the game is over, since it reveals everything hidden.")
        names = [seat.name for seat in self.table.seats]
        return replace(self.play.record(names, seed_known=self.table.seed_known), hints=self.hinted)

    def diary(self, reader: int) -> ViewerHistory:
        """The diary of a seat, or of a spectator."""
        if reader not in self._diaries:
            with self._writing:
                if reader not in self._diaries:
                    self._diaries[reader] = self._written(reader)
        return self._diaries[reader]

    def has_diary(self, reader: int) -> bool:
        """Whether the diary of a seat, or of a spectator, is in memory; else all entries are replayed for it."""
        return reader in self._diaries

    def _written(self, reader: int) -> ViewerHistory:
        play = Play.start(self.play.game, len(self.table.seats), self.table.seed, self.table.options)
        view = play.observe(reader)
        clocks = first_clocks(self.table, self._entries, view.turn)
        names, dealt = first_names(self.table, self._entries), not self.table.undealt
        diary = ViewerHistory(reader, view, names, clocks=clocks, turned=self.table.opened, dealt=dealt)
        for number, entry in enumerate(self._entries, 1):
            follow(play, entry)
            diary = diary.after(entry, play, number)
        return diary

    def moment(self, reader: int, step: Step) -> ViewerHistory:
        """The diary of a reader as it was at one of its steps; the same one for all who ask soon after each other."""
        key = reader, step.seen
        if moment := dict(self._moments).get(key):
            return moment
        now, view = self.diary(reader), self._at(step.entries).observe(reader)
        if view.to_state() == now.view.to_state():
            view = now.view  # so that it is drawn once
        moment = now.as_seen(step, view)
        self._moments = (*self._moments, (key, moment))[-MAX_MOMENTS:]
        return moment

    def _at(self, entries: int) -> Play:
        """The play after so many entries, replayed from the nearest one before that is kept."""
        known = [mark for mark in (*self._marks, self._looked, Mark(len(self._entries), self.play)) if mark]
        before = [mark for mark in known if mark.entries <= entries]
        nearest = max(before, key=lambda mark: mark.entries, default=None)
        if nearest is None:
            done, play = 0, Play.start(self.play.game, len(self.table.seats), self.table.seed, self.table.options)
        else:
            done, play = nearest.entries, nearest.play.copy()
        for entry in self._entries[done:entries]:
            follow(play, entry)
        self._looked = Mark(entries, play)
        return play

    def reached(self, number: int) -> Play:
        """The play after its first actions."""
        play = Play.start(self.play.game, len(self.table.seats), self.table.seed, self.table.options)
        for action in self.play.actions[:number]:
            play.apply(action)
        return play


def follow(play: Play, entry: TableEvent) -> None:
    """Do what an entry says. Entries that only concern the seats change nothing in a play."""
    if entry.kind == ACT and entry.action is not None:
        play.apply(entry.action)
    elif entry.kind == REWIND and entry.action is not None:
        play.rewind(entry.action)
    elif entry.kind == UNDO and not entry.follows:
        play.undo()


def hinted(entries: Iterable[TableEvent]) -> tuple[int, ...]:
    """The numbers, from 1, of the actions before which a hint was given."""
    count, found = 0, set()
    for entry in entries:
        count += STEPS.get(entry.kind, 0)
        if entry.kind == HINT:
            found.add(count + 1)
    return tuple(sorted(found))


def record_of(table: Table, entries: Iterable[TableEvent]) -> Record:
    """Return the record of a finished table, of which nothing is replayed: its entries have the words of the actions.

    It is that of its snapshot. Rules may have changed since: it says which ones it was played by.
    """
    kept = tuple(entries)
    return Record(
        game=table.game,
        rules=table.rules,
        components=table.components,
        seats=len(table.seats),
        seed=table.seed,
        options={name: value for name, value in table.options.items() if value},
        actions=tuple((act.seat, act.words) for act in standing_acts(kept)),
        players=tuple(" ".join(seat.name.split()) for seat in table.seats),
        result=() if table.ended else table.result or (),
        seed_known=table.seed_known,
        hints=hinted(kept),
    )


def first_clocks(table: Table, entries: Iterable[TableEvent], turn: int) -> Clocks | None:
    """The clocks of a table when it was opened, at which a seat is to move; None where it has none."""
    if not table.time_control:
        return None
    kinds = {number: seat.kind for number, seat in enumerate(table.seats)}
    for entry in reversed([entry for entry in entries if entry.kind in BEFORE]):
        kinds[entry.seat] = BEFORE[entry.kind]
    control, hours = TimeControl.read(table.time_control), hours_at(table)
    bots, untaken = (frozenset(p for p, kind in kinds.items() if kind == one) for one in (BOT, OPEN))
    return Clocks(control, hours, (float(control.bank),) * len(hours), turn, table.opened, bots, untaken)


def hours_at(table: Table) -> tuple[PlayingHours, ...]:
    """When those who sit at a table want to play, by seat."""
    return tuple(PlayingHours.read(seat.hours) for seat in table.seats)


def first_names(table: Table, entries: Iterable[TableEvent]) -> tuple[str, ...]:
    """What the sitters were called when the table was opened: whoever leaves first in a seat sat there then."""
    names = {number: seat.name for number, seat in enumerate(table.seats)}
    changed: set[int] = set()
    for entry in entries:
        if entry.kind in NAMING and entry.seat not in changed:
            changed.add(entry.seat)
            names[entry.seat] = entry.words
    return tuple(names.values())


def changed_since(table: Table, game: Game) -> str:
    """That a table was begun with other rules or components than these, as a sentence; empty if it was not."""
    if (table.rules, table.components) == (game.meta.rules_version, game.components_hash):
        return ""
    return (
        f"This table was begun with version {table.rules} of the rules and components {table.components}; this "
        f"site now has version {game.meta.rules_version} and {game.components_hash}, under which its moves cannot be "
        "replayed. So it cannot be continued here."
    )


def check_same(play: Play, entry: TableEvent) -> None:
    """RecordError unless an act is that of the seat to move, and called now what it was called when it was done."""
    if entry.action not in play.legal_actions or (play.turn, play.action_to_string(entry.action)) != (
        entry.seat,
        entry.words,
    ):
        raise RecordError(f"{entry.words!r} of seat {entry.seat + 1} is another action now, or none.")
