"""The state of a table at one version: its play, replayed from the events, and the history of each viewer.

The next event makes a new state, so a page that is being rendered stays consistent.
"""

import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf
from threading import Lock
from typing import NamedTuple, Self

from ...core.contract import SPECTATOR
from ...core.loaded import LoadedGame
from ...errors import AlmuniaError, RecordError
from ...library import Game
from ...play.play import Play
from ...play.record import Record
from ..errors import Forbidden
from . import lessons, model
from .clocks import BOT_ON_TIMEOUT, CLAIM, Clocks, PlayingHours, TimeControl
from .model import Table, TableEvent
from .moves import effective_moves, undo_count
from .proposals import Proposal, current_proposal
from .viewer_history import NAMING_EVENTS, Step, ViewerHistory

log = logging.getLogger(__name__)
UNREADABLE_MESSAGE = (
    "This table cannot be continued, because its moves cannot be replayed. Please tell the site's administrator."
)
CHECKPOINT_INTERVAL = 24  # events
MAX_CHECKPOINTS = 2  # the latest: most viewers replay only the latest steps
MAX_CACHED_HISTORIES = 4  # of a state, the latest requests: each takes up to 16 KB
MOVE_COUNT_CHANGES = {model.MOVE: 1, model.UNDO: -1}  # of the number of effective moves, by kind of event
STARTING_EVENTS = {model.PLAYER_JOINED, model.BOT_JOINED, model.DEALT}  # the last one before the first move
# The kind of a seat before an event
SEAT_KIND_BEFORE = {
    model.PLAYER_JOINED: model.OPEN,
    model.BOT_JOINED: model.OPEN,
    model.RESIGN: model.PERSON,
    model.PLAYER_LEFT: model.PERSON,
    model.PLAYER_REMOVED: model.PERSON,
    model.BOT_FAILED: model.BOT,
}


class Checkpoint(NamedTuple):
    event_count: int
    play: Play


class TableState:
    def __init__(
        self,
        table: Table,
        play: Play,
        events: tuple[TableEvent, ...],
        histories: dict[int, ViewerHistory],
        checkpoints: tuple[Checkpoint, ...] = (),
    ) -> None:
        self.table, self.play, self.events = table, play, events
        self._histories, self._checkpoints = histories, checkpoints
        self._history_lock = Lock()  # several threads may request the same history
        self._last_checkpoint: Checkpoint | None = None  # of the last `history_at`; the next step usually comes later
        # By viewer and version. Replaced as a whole, because several threads read it.
        self._cached_histories: tuple[tuple[tuple[int, int], ViewerHistory], ...] = ()

    @classmethod
    def from_events(cls, table: Table, events: Iterable[TableEvent], game: Game) -> Self:
        """Return the state after these events; raise RecordError if they do not replay under the installed rules.

        A table that began under other rules goes on if all its moves are still possible and have the same names.
        """
        events, changed = tuple(events), describe_rules_change(table, game)
        try:
            play = game.start(len(table.seats), table.seed, table.options)
            for event in events:
                if changed and event.kind == model.MOVE:
                    check_same_action(play, event)
                apply_event(play, event)
        except AlmuniaError as error:  # its message names a seat's choices, so only the log has it
            log.warning("Table %s does not replay: %s", table.id, error)
            raise RecordError(changed or UNREADABLE_MESSAGE) from None
        return cls(table, play, events, {})

    def with_events(self, events: tuple[TableEvent, ...], play: Play | None = None) -> "TableState":
        """Return the state after more events; the table stays the same.

        The events lead to `play`, or do not change the play if `play` is None.
        """
        play = play or self.play
        histories = self._histories.copy()  # readers of this state may add histories meanwhile
        count = len(self.events) + len(events)
        reached = self.play.copy() if len(events) > 1 else play
        for number, event in enumerate(events, len(self.events) + 1):
            if number < count:
                apply_event(reached, event)
            else:
                reached = play  # the last event leads there
            histories = {viewer: history.with_event(event, reached, number) for viewer, history in histories.items()}
        return TableState(self.table, play, self.events + events, histories, self._next_checkpoints())

    def _next_checkpoints(self) -> tuple[Checkpoint, ...]:
        count, last = len(self.events), self._checkpoints[-1].event_count if self._checkpoints else 0
        if count - last < CHECKPOINT_INTERVAL:
            return self._checkpoints
        return (*self._checkpoints, Checkpoint(count, self.play))[-MAX_CHECKPOINTS:]

    def fast_forward(self, table: Table, events: Iterable[TableEvent]) -> "TableState":
        """Return the state after more events from the database, with the table as read there."""
        events, play = tuple(events), self.play.copy()
        for event in events:
            apply_event(play, event)
        return self.with_events(events, play).with_table(table)

    def with_table(self, table: Table) -> "TableState":
        """Return the state with another version of its table, and with the playing hours of its seats."""
        histories = self._histories.copy()
        if table.time_control:
            hours = playing_hours_of(table)
            histories = {viewer: history.with_hours(hours) for viewer, history in histories.items()}
        return TableState(table, self.play, self.events, histories, self._checkpoints)

    def redealt(self, seed: int) -> "TableState":
        """Return the state with the deal of another seed, before the first move."""
        table = replace(self.table, seed=seed)
        play = start_play(table, self.play.game)
        return TableState(replace(table, turn=play.turn), play, self.events, {})

    @cached_property
    def lesson_progress(self) -> lessons.LessonProgress | None:
        """The position in the lesson, or None."""
        return lessons.lesson_progress(self.table, self.play.actions, self.events)

    @cached_property
    def learner_history(self) -> ViewerHistory:
        assert self.lesson_progress
        return replace(self.history(self.lesson_progress.learner), forced_action=self.lesson_progress.required_action)

    def for_viewer(self, viewer: int) -> ViewerHistory:
        """Return the history to show to a viewer.

        Before the deal, the history has the spectators' view. The history of a lesson's learner forces the required
        action.
        """
        if self.table.awaits_deal:
            return replace(self.history(viewer), view=self.history(SPECTATOR).view)
        is_learner = self.lesson_progress and self.lesson_progress.learner == viewer
        return self.learner_history if is_learner else self.history(viewer)

    def undo_count(self, whole_turn: bool = False) -> int:
        return undo_count(self.effective_moves, self.play.undo_depth, whole_turn)

    @property
    def flag_at(self) -> float | None:
        """The moment at which the table acts on the expired clock of the seat to move; None without such a moment."""
        policy = TimeControl.parse(self.table.time_control).on_timeout
        acts = policy == BOT_ON_TIMEOUT or (policy == CLAIM and self.table.is_against_bots)
        return self.expires_at if acts else None

    @property
    def expires_at(self) -> float | None:
        """The moment at which the clock of the seat to move expires; None if it does not run."""
        clocks = None if self.play.over else self.history(self.play.turn).clocks
        return clocks.flag_at if clocks and clocks.flag_at < inf else None

    @cached_property
    def proposal(self) -> Proposal | None:
        """The open proposal; None if there is none, or the table allows no proposals."""
        return current_proposal(self.events) if self.table.allows_proposals else None

    @cached_property
    def effective_moves(self) -> list[TableEvent]:
        return effective_moves(self.events)

    @cached_property
    def max_move_count(self) -> int:
        """The largest number of effective moves that the play has ever had."""
        return max(accumulate(MOVE_COUNT_CHANGES.get(event.kind, 0) for event in self.events), default=0)

    def event_times(self, kind: str, seat: int | None = None) -> list[float]:
        return [event.created_at for event in self.events if event.kind == kind and seat in (None, event.seat)]

    @property
    def record(self) -> Record:
        """The record of the play; raises Forbidden until the game is over, because the seed reveals all secrets."""
        if not self.table.finished:
            raise Forbidden("The game file reveals all hidden information. You can download it when the game is over.")
        record = self.play.record([seat.name for seat in self.table.seats], seed_known=self.table.seed_is_public)
        return replace(record, hints=hint_positions(self.events), seconds=move_seconds(self.table, self.events))

    @cached_property
    def move_times(self) -> tuple[tuple[int, float], ...]:
        """The seat and the thinking time of each effective move; empty if unknown, and while the game runs.

        Until then, the times of moves that a viewer could not notice are secret.
        """
        if not self.table.finished:
            return ()
        seconds = move_seconds(self.table, self.events)
        timed = zip(self.effective_moves, seconds, strict=True) if seconds else ()
        return tuple((move.seat, time) for move, time in timed)

    def history(self, viewer: int) -> ViewerHistory:
        if viewer not in self._histories:
            with self._history_lock:
                if viewer not in self._histories:
                    self._histories[viewer] = self._build_history(viewer)
        return self._histories[viewer]

    def is_view_ready(self, viewer: int) -> bool:
        """Return whether `for_viewer` needs no replay."""
        needed = {viewer, SPECTATOR} if self.table.awaits_deal else {viewer}
        return all(one in self._histories for one in needed)

    def _build_history(self, viewer: int) -> ViewerHistory:
        play = start_play(self.table, self.play.game)
        view = play.observe(viewer)
        clocks = initial_clocks(self.table, self.events, view.turn)
        names, is_dealt = initial_names(self.table, self.events), not self.table.awaits_deal
        history = ViewerHistory(
            viewer, view, names, clocks=clocks, turn_started_at=self.table.created_at, is_dealt=is_dealt
        )
        for number, event in enumerate(self.events, 1):
            apply_event(play, event)
            history = history.with_event(event, play, number)
        return history

    def history_at(self, viewer: int, step: Step) -> ViewerHistory:
        """Return a viewer's history at one of its steps, and cache it."""
        key = viewer, step.version
        if history := dict(self._cached_histories).get(key):
            return history
        now = self.history(viewer)
        view = now.view
        if step.event_count < len(self.events):
            earlier = self._play_at_event(step.event_count).observe(viewer)
            view = view if view.to_state() == earlier.to_state() else earlier  # the same is rendered once
        history = now.at_step(step, view)
        self._cached_histories = (*self._cached_histories, (key, history))[-MAX_CACHED_HISTORIES:]
        return history

    def _play_at_event(self, count: int) -> Play:
        """Return the play after the first `count` events. Callers must not change the play."""
        all_checkpoints = *self._checkpoints, self._last_checkpoint, Checkpoint(len(self.events), self.play)
        earlier = [one for one in all_checkpoints if one and one.event_count <= count]
        if earlier:
            done, play = max(earlier, key=lambda checkpoint: checkpoint.event_count)
            play = play.copy()
        else:
            done, play = 0, start_play(self.table, self.play.game)
        for event in self.events[done:count]:
            apply_event(play, event)
        self._last_checkpoint = Checkpoint(count, play)
        return play

    def play_at(self, number: int) -> Play:
        play = start_play(self.table, self.play.game)
        for action in self.play.actions[:number]:
            play.apply(action)
        return play


def start_play(table: Table, game: LoadedGame) -> Play:
    return Play.start(game, len(table.seats), table.seed, table.options)


def apply_event(play: Play, event: TableEvent) -> None:
    """Apply an event to a play. Only moves, undos and takebacks change the play."""
    if event.kind == model.MOVE and event.action is not None:
        play.apply(event.action)
    elif event.kind == model.TAKEBACK and event.action is not None:
        play.rewind(event.action)
    elif event.kind == model.UNDO and not event.same_choice:
        play.undo()


def hint_positions(events: Iterable[TableEvent]) -> tuple[int, ...]:
    """Return the numbers, from 1, of the actions before which a hint was given."""
    count, positions = 0, set()
    for event in events:
        count += MOVE_COUNT_CHANGES.get(event.kind, 0)
        if event.kind == model.HINT:
            positions.add(count + 1)
    return tuple(sorted(positions))


def move_seconds(table: Table, events: Iterable[TableEvent]) -> tuple[float, ...]:
    """Return the thinking time of each effective move, to 0.1 s: since the effective move before it.

    The first move counts from the moment at which the table was complete. Outages do not count. Empty for an imported
    table without times.
    """
    start, lost, moves = table.created_at, 0.0, list[float]()  # the time of each move, without outages
    for event in events:
        if event.kind == model.OUTAGE:
            lost += event.action or 0
        elif event.kind == model.MOVE:
            moves.append(event.created_at - lost)
        elif event.kind == model.UNDO:
            moves.pop()
        elif event.kind in STARTING_EVENTS and not moves:
            start = event.created_at - lost
    tenths = [round(10 * (moment - start)) for moment in moves]
    found = tuple(max(0, after - before) / 10 for before, after in pairwise([0, *tenths]))
    return () if table.imported and not any(found) else found


def record_of(table: Table, events: Iterable[TableEvent]) -> Record:
    """Return the record of a finished table from the names of its actions, without a replay."""
    events = tuple(events)
    return Record(
        game=table.game,
        rules=table.rules,
        components=table.components,
        seats=len(table.seats),
        seed=table.seed,
        options={name: value for name, value in table.options.items() if value},
        actions=tuple((move.seat, move.text) for move in effective_moves(events)),
        players=tuple(" ".join(seat.name.split()) for seat in table.seats),
        result=() if table.end_reason else table.result or (),
        seed_known=table.seed_is_public,
        hints=hint_positions(events),
        seconds=move_seconds(table, events),
    )


def initial_clocks(table: Table, events: Iterable[TableEvent], turn: int) -> Clocks | None:
    """Return the clocks of a table at its creation; None without a time control."""
    if not table.time_control:
        return None
    kinds = {number: seat.kind for number, seat in enumerate(table.seats)}
    for event in reversed([event for event in events if event.kind in SEAT_KIND_BEFORE]):
        kinds[event.seat] = SEAT_KIND_BEFORE[event.kind]
    control, hours = TimeControl.parse(table.time_control), playing_hours_of(table)
    bots, untaken = (frozenset(p for p, kind in kinds.items() if kind == one) for one in (model.BOT, model.OPEN))
    full = (float(control.initial),) * len(hours)
    return Clocks(control, hours, full, turn, table.created_at, bots, untaken, awaits_ready=table.ready_check)


def playing_hours_of(table: Table) -> tuple[PlayingHours, ...]:
    return tuple(PlayingHours.parse(seat.hours) for seat in table.seats)


def initial_names(table: Table, events: Iterable[TableEvent]) -> tuple[str, ...]:
    """Return the names with which a history begins: the first in the events of each seat, or the present name."""
    names = {number: seat.name for number, seat in enumerate(table.seats)}
    changed: set[int] = set()
    for event in events:
        if event.kind in NAMING_EVENTS and event.seat not in changed:
            changed.add(event.seat)
            names[event.seat] = event.text
    return tuple(names.values())


def describe_rules_change(table: Table, game: Game) -> str:
    """Return a sentence if a table was begun with other rules or components than the game's; else an empty string."""
    if (table.rules, table.components) == (game.meta.rules_version, game.components_hash):
        return ""
    return (
        f"This game was started with version {table.rules} of the rules and components {table.components}; this "
        f"site now has version {game.meta.rules_version} and {game.components_hash}, under which its moves cannot be "
        "replayed. So it cannot be continued here."
    )


def check_same_action(play: Play, event: TableEvent) -> None:
    """Raise RecordError unless a move belongs to the seat to move and its action still has the same name."""
    name = play.action_to_string(event.action) if event.action in play.legal_actions else ""
    if (play.turn, name) != (event.seat, event.text):
        raise RecordError(f"{event.text!r} of seat {event.seat + 1} is another action now, or none.")
