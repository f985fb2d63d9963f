"""The state of a table at one version: its play, replayed from the events, and the history of each viewer.

A state is immutable: the next event makes a new one, so a page that is being rendered stays consistent.
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
from .clocks import BOT_ON_TIMEOUT, CLAIM, Clocks, PlayingHours, TimeControl
from .model import (
    BOT,
    BOT_FAILED,
    BOT_JOINED,
    HINT,
    MOVE,
    OPEN,
    PERSON,
    PLAYER_JOINED,
    PLAYER_LEFT,
    PLAYER_REMOVED,
    RESIGN,
    TAKEBACK,
    UNDO,
    Table,
    TableEvent,
)
from .moves import effective_moves, undo_count
from .proposals import Proposal, current_proposal
from .viewer_history import NAMING_EVENTS, Step, ViewerHistory

log = logging.getLogger(__name__)
UNREADABLE_MESSAGE = "This table cannot be continued, because its record does not replay. The site's log says why."
CHECKPOINT_INTERVAL = 24  # events
MAX_CHECKPOINTS = 2  # the latest: replays that viewers follow start at most so far back
MAX_CACHED_HISTORIES = 4  # of a state, the latest requests: each takes up to 16 KB
MOVE_COUNT_CHANGES = {MOVE: 1, UNDO: -1}  # of the number of effective moves, by kind of event
# The kind of the seat before the first of these events
SEAT_KIND_BEFORE = {
    PLAYER_JOINED: OPEN,
    BOT_JOINED: OPEN,
    RESIGN: PERSON,
    PLAYER_LEFT: PERSON,
    PLAYER_REMOVED: PERSON,
    BOT_FAILED: BOT,
}


class Checkpoint(NamedTuple):
    """The play after some events of a table, which is never changed."""

    event_count: int
    play: Play


class TableState:
    """The state of a table at one version."""

    def __init__(
        self,
        table: Table,
        play: Play,
        entries: tuple[TableEvent, ...],
        diaries: dict[int, ViewerHistory],
        marks: tuple[Checkpoint, ...] = (),
    ) -> None:
        self.table, self.play = table, play
        self._events, self._histories = entries, diaries
        self._history_lock = Lock()  # several threads may request the same history
        self._histories_before_deal: dict[int, ViewerHistory] = {}  # by viewer
        self._checkpoints = marks  # passed on to the next state
        self._last_checkpoint: Checkpoint | None = None  # of the last `history_at`: the next one usually comes after it
        # By viewer and version. Replaced as a whole, because several threads read it.
        self._cached_histories: tuple[tuple[tuple[int, int], ViewerHistory], ...] = ()

    @classmethod
    def from_events(cls, table: Table, entries: Iterable[TableEvent], game: Game) -> Self:
        """Return the state after these events; raise RecordError if they do not replay under the installed rules.

        A table that began under other rules goes on if all its moves are still possible and have the same names.
        """
        kept, changed = tuple(entries), describe_rules_change(table, game)
        try:
            play = game.start(len(table.seats), table.seed, table.options)
            for entry in kept:
                if changed and entry.kind == MOVE:
                    check_same_action(play, entry)
                apply_event(play, entry)
        except AlmuniaError as error:  # its message names a seat's choices, so only the log has it
            log.warning("Table %s does not replay: %s", table.id, error)
            raise RecordError(changed or UNREADABLE_MESSAGE) from None
        return cls(table, play, kept, {})

    def with_events(self, entries: tuple[TableEvent, ...], play: Play) -> "TableState":
        """Return the state after more events, which led to `play`; its table is unchanged."""
        diaries, reached = dict(self._histories), self.play.copy()
        for number, entry in enumerate(entries, len(self._events) + 1):
            apply_event(reached, entry)
            diaries = {reader: diary.with_event(entry, reached, number) for reader, diary in diaries.items()}
        return TableState(self.table, play, self._events + entries, diaries, self._with_checkpoint())

    def _with_checkpoint(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints of the next state: this state becomes one if the last one is old enough."""
        here, last = len(self._events), self._checkpoints[-1].event_count if self._checkpoints else 0
        if here - last < CHECKPOINT_INTERVAL:
            return self._checkpoints
        return (*self._checkpoints, Checkpoint(here, self.play))[-MAX_CHECKPOINTS:]

    def fast_forward(self, table: Table, entries: Iterable[TableEvent]) -> "TableState":
        """Return the state of a table as read, after the events that another process has written."""
        more, play = tuple(entries), self.play.copy()
        for entry in more:
            apply_event(play, entry)
        return self.with_events(more, play).with_table(table)

    def with_table(self, table: Table) -> "TableState":
        """Return the state with the stored values of its table."""
        diaries = self._histories
        if table.time_control:
            hours = playing_hours_of(table)
            diaries = {reader: diary.with_hours(hours) for reader, diary in diaries.items()}
        return TableState(table, self.play, self._events, diaries, self._checkpoints)

    def redealt(self, seed: int) -> "TableState":
        """Return the state of a table before its first move, with the deal of another seed."""
        play = Play.start(self.play.game, len(self.table.seats), seed, self.table.options)
        return TableState(replace(self.table, seed=seed, turn=play.turn), play, self._events, {})

    @property
    def events(self) -> tuple[TableEvent, ...]:
        """All events of the table's log."""
        return self._events

    @cached_property
    def lesson_progress(self) -> lessons.LessonProgress | None:
        """The position in the lesson; None outside of lessons."""
        return lessons.lesson_progress(self.table, self.play.actions, self._events)

    @cached_property
    def learner_history(self) -> ViewerHistory:
        """The learner's history, with the action that the lesson requires."""
        if not self.lesson_progress:
            raise LookupError("This table is in no lesson.")
        return replace(self.history(self.lesson_progress.learner), forced_action=self.lesson_progress.required_action)

    def for_viewer(self, reader: int) -> ViewerHistory:
        """Return the history that a viewer is shown: in a lesson with its action, before the deal without a hand."""
        if self.table.awaits_deal:
            return self._before_deal(reader)
        return (
            self.learner_history
            if self.lesson_progress and self.lesson_progress.learner == reader
            else self.history(reader)
        )

    def _before_deal(self, reader: int) -> ViewerHistory:
        """Return a viewer's history before the deal, without the hand, which will be dealt again."""
        if reader not in self._histories_before_deal:
            self._histories_before_deal[reader] = replace(self.history(reader), view=self.history(SPECTATOR).view)
        return self._histories_before_deal[reader]

    def undo_count(self, whole_turn: bool = False) -> int:
        """Return the number of actions that an undo takes back now; 0 if nothing can be undone."""
        return undo_count(self._events, self.play.undo_depth, whole_turn)

    @property
    def flag_at(self) -> float | None:
        """When the clock of the seat to move expires, if the table acts on that; None if not."""
        zero = TimeControl.parse(self.table.time_control).on_timeout
        if self.play.over or not (zero == BOT_ON_TIMEOUT or (zero == CLAIM and self.table.is_against_bots)):
            return None
        clocks = self.history(self.play.turn).clocks
        return clocks.flag_at if clocks and clocks.flag_at < inf else None

    @cached_property
    def proposal(self) -> Proposal | None:
        """The open proposal.

        None if a bot has the seat of a player who has given up a rated game.
        """
        return current_proposal(self._events) if self.table.allows_proposals else None

    @cached_property
    def effective_moves(self) -> list[TableEvent]:
        """The moves that have not been undone."""
        return effective_moves(self._events)

    @cached_property
    def max_move_count(self) -> int:
        """The largest number of effective moves that there ever was."""
        return max(accumulate(MOVE_COUNT_CHANGES.get(entry.kind, 0) for entry in self._events), default=0)

    def event_times(self, kind: str, seat: int | None = None) -> list[float]:
        """Return the times of all events of a kind, in any seat or in one."""
        return [entry.time for entry in self._events if entry.kind == kind and seat in (None, entry.seat)]

    @property
    def hint_positions(self) -> tuple[int, ...]:
        """The numbers, from 1, of the actions before which a hint was given."""
        return hint_positions(self._events)

    @property
    def record(self) -> Record:
        """The record; raises Forbidden until the game is over, because the seed reveals all secrets."""
        if not self.table.finished:
            raise Forbidden("The record is available when the game is over, since it reveals everything hidden.")
        names = [seat.name for seat in self.table.seats]
        return replace(self.play.record(names, seed_known=self.table.seed_is_public), hints=self.hint_positions)

    def history(self, reader: int) -> ViewerHistory:
        """Return the history of a seat, or of spectators."""
        if reader not in self._histories:
            with self._history_lock:
                if reader not in self._histories:
                    self._histories[reader] = self._build_history(reader)
        return self._histories[reader]

    def has_history(self, reader: int) -> bool:
        """Return whether a viewer's history is in memory; else `history` replays all events."""
        return reader in self._histories

    def _build_history(self, reader: int) -> ViewerHistory:
        play = Play.start(self.play.game, len(self.table.seats), self.table.seed, self.table.options)
        view = play.observe(reader)
        clocks = initial_clocks(self.table, self._events, view.turn)
        names, dealt = initial_names(self.table, self._events), not self.table.awaits_deal
        diary = ViewerHistory(reader, view, names, clocks=clocks, turn_started_at=self.table.created_at, is_dealt=dealt)
        for number, entry in enumerate(self._events, 1):
            apply_event(play, entry)
            diary = diary.with_event(entry, play, number)
        return diary

    def history_at(self, reader: int, step: Step) -> ViewerHistory:
        """Return a viewer's history at one of its steps, from a cache of the latest requests."""
        key = reader, step.version
        if moment := dict(self._cached_histories).get(key):
            return moment
        now, view = self.history(reader), self._play_at_event(step.event_count).observe(reader)
        if view.to_state() == now.view.to_state():
            view = now.view  # so that it is rendered once
        moment = now.at_step(step, view)
        self._cached_histories = (*self._cached_histories, (key, moment))[-MAX_CACHED_HISTORIES:]
        return moment

    def _play_at_event(self, entries: int) -> Play:
        """Return the play after some events, replayed from the nearest checkpoint before."""
        known = [
            mark
            for mark in (*self._checkpoints, self._last_checkpoint, Checkpoint(len(self._events), self.play))
            if mark
        ]
        before = [mark for mark in known if mark.event_count <= entries]
        nearest = max(before, key=lambda mark: mark.event_count, default=None)
        if nearest is None:
            done, play = 0, Play.start(self.play.game, len(self.table.seats), self.table.seed, self.table.options)
        else:
            done, play = nearest.event_count, nearest.play.copy()
        for entry in self._events[done:entries]:
            apply_event(play, entry)
        self._last_checkpoint = Checkpoint(entries, play)
        return play

    def play_at(self, number: int) -> Play:
        """Return the play after its first actions."""
        play = Play.start(self.play.game, len(self.table.seats), self.table.seed, self.table.options)
        for action in self.play.actions[:number]:
            play.apply(action)
        return play


def apply_event(play: Play, entry: TableEvent) -> None:
    """Apply an event to a play. Events about seats alone change nothing."""
    if entry.kind == MOVE and entry.action is not None:
        play.apply(entry.action)
    elif entry.kind == TAKEBACK and entry.action is not None:
        play.rewind(entry.action)
    elif entry.kind == UNDO and not entry.same_choice:
        play.undo()


def hint_positions(entries: Iterable[TableEvent]) -> tuple[int, ...]:
    """Return the numbers, from 1, of the actions before which a hint was given."""
    count, found = 0, set()
    for entry in entries:
        count += MOVE_COUNT_CHANGES.get(entry.kind, 0)
        if entry.kind == HINT:
            found.add(count + 1)
    return tuple(sorted(found))


def record_of(table: Table, entries: Iterable[TableEvent]) -> Record:
    """Return the record of a finished table from the names of its actions, without a replay.

    It equals the record of the table's state. It names the version of the rules, which may have changed since.
    """
    kept = tuple(entries)
    return Record(
        game=table.game,
        rules=table.rules,
        components=table.components,
        seats=len(table.seats),
        seed=table.seed,
        options={name: value for name, value in table.options.items() if value},
        actions=tuple((act.seat, act.text) for act in effective_moves(kept)),
        players=tuple(" ".join(seat.name.split()) for seat in table.seats),
        result=() if table.end_reason else table.result or (),
        seed_known=table.seed_is_public,
        hints=hint_positions(kept),
    )


def initial_clocks(table: Table, entries: Iterable[TableEvent], turn: int) -> Clocks | None:
    """Return the clocks of a table at its creation, with the seat to move; None without a time control."""
    if not table.time_control:
        return None
    kinds = {number: seat.kind for number, seat in enumerate(table.seats)}
    for entry in reversed([entry for entry in entries if entry.kind in SEAT_KIND_BEFORE]):
        kinds[entry.seat] = SEAT_KIND_BEFORE[entry.kind]
    control, hours = TimeControl.parse(table.time_control), playing_hours_of(table)
    bots, untaken = (frozenset(p for p, kind in kinds.items() if kind == one) for one in (BOT, OPEN))
    return Clocks(control, hours, (float(control.initial),) * len(hours), turn, table.created_at, bots, untaken)


def playing_hours_of(table: Table) -> tuple[PlayingHours, ...]:
    """Return the playing hours of each seat."""
    return tuple(PlayingHours.parse(seat.hours) for seat in table.seats)


def initial_names(table: Table, entries: Iterable[TableEvent]) -> tuple[str, ...]:
    """Return the players' names at the table's creation: the first player who leaves a seat had it then."""
    names = {number: seat.name for number, seat in enumerate(table.seats)}
    changed: set[int] = set()
    for entry in entries:
        if entry.kind in NAMING_EVENTS and entry.seat not in changed:
            changed.add(entry.seat)
            names[entry.seat] = entry.text
    return tuple(names.values())


def describe_rules_change(table: Table, game: Game) -> str:
    """Return a sentence if a table was begun with other rules or components than the game's; else an empty text."""
    if (table.rules, table.components) == (game.meta.rules_version, game.components_hash):
        return ""
    return (
        f"This table was begun with version {table.rules} of the rules and components {table.components}; this "
        f"site now has version {game.meta.rules_version} and {game.components_hash}, under which its moves cannot be "
        "replayed. So it cannot be continued here."
    )


def check_same_action(play: Play, entry: TableEvent) -> None:
    """Raise RecordError unless a move belongs to the seat to move and its action still has the same name."""
    if entry.action not in play.legal_actions or (play.turn, play.action_to_string(entry.action)) != (
        entry.seat,
        entry.text,
    ):
        raise RecordError(f"{entry.text!r} of seat {entry.seat + 1} is another action now, or none.")
