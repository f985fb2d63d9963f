"""The history of a play as one viewer has seen it: the view, the log, the steps, and the clocks.

A history is immutable: the next visible change makes a new one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import NamedTuple

from ...core.contract import NONE, SeatName
from ...play import panels as picture
from ...play.play import Observation, Play
from . import log
from .clocks import Clocks, PlayingHours
from .log import Line, LogEntry
from .model import (
    ABANDON_WARNING,
    ACCEPTED,
    BOT_FAILED,
    BOT_JOINED,
    DEALT,
    DECLINED,
    ENDED,
    FLAGGED,
    HINT,
    HOST_CHANGED,
    LESSON_LEFT,
    MOVE,
    OUTAGE,
    PLAYER_JOINED,
    PLAYER_LEFT,
    PLAYER_REMOVED,
    PROPOSED,
    REDACTED,
    RESERVATION_DECLINED,
    RESIGN,
    RETURNED,
    SEAT_RESERVED,
    SUBSTITUTED,
    TAKEBACK,
    UNDO,
    VACATION_ENDED,
    VACATION_STARTED,
    TableEvent,
)
from .rendering import ActionLabel, MacroLabel, RenderedView
from .score_sheets import Sheet, score_sheet

MAX_STEPS = 48  # of a history
MAX_CACHED_VIEWS = 256
SEAT_EVENT_TEXTS = {  # of all events but joining; {} is the text of the event
    PLAYER_LEFT: " leaves the seat.",
    PLAYER_REMOVED: " is removed from the seat by the host.",
    BOT_FAILED: " cannot go on and leaves the seat.",
    LESSON_LEFT: " leaves the lesson and plays on.",
    SUBSTITUTED: " is replaced by {} until they are back.",
    RETURNED: " is back.",
    RESIGN: " resigns.",
    HOST_CHANGED: " is the host now.",
    PROPOSED: " asks {}.",
    ACCEPTED: " agrees.",
    DECLINED: " declines.",
    ENDED: "The game ends {}.",
    FLAGGED: " has run out of time.",
    VACATION_STARTED: " is on vacation.",
    VACATION_ENDED: " is back from vacation.",
    SEAT_RESERVED: " is expected.",
    DEALT: " is the last to arrive: the game is dealt.",
    RESERVATION_DECLINED: " does not want to play.",
    ABANDON_WARNING: "No player has moved for a long time. The game ends in {} unless a player moves.",
    OUTAGE: "The site could not be reached for {}: no clock ran meanwhile.",
    TAKEBACK: "All agree to go back {}.",
}
NAMING_EVENTS = {
    PLAYER_LEFT,
    PLAYER_REMOVED,
    BOT_FAILED,
    LESSON_LEFT,
    RESIGN,
    PLAYER_JOINED,
    BOT_JOINED,
    SEAT_RESERVED,
    RESERVATION_DECLINED,
}  # the text of these events is a player's name
TABLE_EVENTS = {ENDED, ABANDON_WARNING, OUTAGE}  # about the table, not a seat
PRESENCE_EVENTS = {MOVE, UNDO, PLAYER_JOINED, RETURNED}  # of a player who is present


class Hint(NamedTuple):
    """The expert's choice, and the reason."""

    action: int
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """A change of a play that a viewer could see."""

    version: int
    seat: int  # that caused it
    event_count: int  # until then
    action_count: int  # until then, without undone ones
    log_length: int  # number of log entries until then
    lines: tuple[Line, ...]  # of the log
    changed_elements: Mapping[str, int]  # points by id
    scoring: Sheet | None = None  # if the step was a scoring


@dataclass(frozen=True, eq=False)
class ViewerHistory:
    """The history of a play as one viewer has seen it, and the cached values that follow from it.

    `version` counts the changes that the viewer could notice, and is the only version that the viewer is given: the
    number of all events would reveal how many questions others have answered in secret.
    """

    viewer: int
    view: Observation
    names: tuple[str, ...]
    version: int = 0
    question_version: int = 0  # of the last change of the play or the viewer's own seat, not of other seats
    log_entries: tuple[LogEntry, ...] = ()
    steps: tuple[Step, ...] = ()  # the latest
    is_historic: bool = False  # whether it is a former step
    forced_action: int = NONE  # the only action that a lesson allows; NONE outside
    hint: Hint | None = None  # for the current question
    clocks: Clocks | None = None  # at the last change that the viewer could notice
    move_log_count_at_proposal: int = 0
    is_dealt: bool = True  # False while the view is of a deal that will be replaced
    turn_started_at: float = 0.0  # of the seat to move, or its last own event

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """The actions that the viewer may choose now."""
        if self.is_historic or not self.is_dealt:
            return ()
        return self.view.legal_actions if self.forced_action == NONE else (self.forced_action,)

    @property
    def turn(self) -> int:
        """The seat to move, as far as the viewer can know; NONE before the deal."""
        return self.view.turn if self.is_dealt else NONE

    def is_current(self, version: int) -> bool:
        """Return whether the question at a version is still the current one."""
        return self.question_version <= version <= self.version

    @property
    def move_log_count(self) -> int:
        """The number of log entries about moves."""
        return sum(not one.survives_undo for one in self.log_entries)

    @property
    def has_begun(self) -> bool:
        """Whether the log has an entry about a move that has not been undone."""
        return any(one.turn != NONE for one in self.log_entries)

    @property
    def steps_since_own_move(self) -> tuple[Step, ...]:
        """The steps of others since the viewer's own last move, as far as they are kept."""
        since = next((i for i, step in enumerate(reversed(self.steps)) if step.seat == self.viewer), len(self.steps))
        return self.steps[len(self.steps) - since :] if self.viewer >= 0 else ()

    @property
    def recent_steps(self) -> tuple[Step, ...]:
        """The last steps of others, and the viewer's own steps since then, as far as they are kept."""
        if self.steps_since_own_move or self.viewer < 0:
            return self.steps_since_own_move
        runs = [tuple(run) for _, run in groupby(self.steps, lambda step: step.seat == self.viewer)]
        return tuple(chain(*runs[-2:])) if len(runs) > 1 else ()

    def at_step(self, step: Step, view: Observation) -> "ViewerHistory":
        """Return the history as it was at a step, with the view of that moment."""
        log_entries = self.log_entries[: step.log_length]
        return replace(self, view=view, version=step.version, log_entries=log_entries, is_historic=True, hint=None)

    def score_sheet(self, version: int) -> Sheet | None:
        """Return the score sheet of a version, or None."""
        return next((sheet for sheet in self.score_sheets if sheet.version == version), None)

    @property
    def score_sheets(self) -> list[Sheet]:
        """All score sheets so far."""
        return [one.scoring for one in self.log_entries if one.scoring]

    @property
    def panels(self) -> list[picture.RenderedPanel]:
        """The pictures, the main one first."""
        return rendered_view_of(self).panels

    @property
    def action_labels(self) -> list[ActionLabel]:
        """The legal actions in words and in parts."""
        return rendered_view_of(self).action_labels

    @property
    def macro_labels(self) -> list[MacroLabel]:
        """The macro moves: several legal actions as one choice. Empty in a lesson, which goes step by step."""
        return rendered_view_of(self).macro_labels

    def with_event(self, entry: TableEvent, play: Play, number: int) -> "ViewerHistory":
        """Return the history after an event, by its number, which led to the position of `play`."""
        then = self._with_event(entry, play, number)
        if then.version == self.version:
            return then
        passed = then.view.turn != self.view.turn or entry.kind == DEALT
        if passed or (entry.kind in PRESENCE_EVENTS and entry.seat == then.view.turn):
            then = replace(then, turn_started_at=entry.time)
        if self.clocks is None:
            return then
        return replace(then, clocks=clocks_after(self.clocks, entry, self.view, then.view))

    def with_hours(self, hours: tuple[PlayingHours, ...]) -> "ViewerHistory":
        """Return the history with the players' playing hours."""
        if self.clocks is None or self.clocks.hours == hours:
            return self
        return replace(self, clocks=replace(self.clocks, hours=hours))

    def _with_event(self, entry: TableEvent, play: Play, number: int) -> "ViewerHistory":
        if entry.kind == HINT:
            return self.with_hint(entry)
        if entry.kind == REDACTED:
            return self
        if entry.kind == UNDO and entry.same_choice:
            return self  # part of a takeback, which is in the log already
        if entry.kind not in (MOVE, UNDO, TAKEBACK):
            return self.with_seat_event(entry, len(play.actions))
        view = play.observe(self.viewer)
        if entry.kind == TAKEBACK:
            return replace(self, view=view, hint=None).with_rewind(entry, len(play.actions))
        if entry.seat != self.viewer and view.to_state() == self.view.to_state():
            return self
        then = replace(self, view=view, version=self.version + 1, question_version=self.version + 1, hint=None)
        if entry.kind == UNDO:
            return then.with_undo(entry.seat, number, len(play.actions))
        return then.with_move(self.view, entry, number, len(play.actions))

    def with_move(self, before: Observation, entry: TableEvent, number: int, actions: int) -> "ViewerHistory":
        """Return the history with the log lines of the move that led here, if it has any."""
        action = NONE if entry.action is None else entry.action
        lines = before.log_lines(action, self.view)
        if not lines:
            return self
        scoring = before.scoring(action, self.view)
        sheet = score_sheet(self.version, scoring, before, self.view) if scoring else None
        gain = score_of(self.view, entry.seat) - score_of(before, entry.seat)
        rules = f"/games/{before.game.meta.name}/rules"
        words = tuple(log.pieces_of(line, self.names, rules) for line in lines)
        told = log.cached_entry(actions, entry.seat, words, before.turns, gain, sheet)
        log_entries = (*self.log_entries, told)
        step = Step(
            self.version, entry.seat, number, actions, len(log_entries), words, log.changed_elements(lines), sheet
        )
        return replace(self, log_entries=log_entries, steps=(*self.steps[1 - MAX_STEPS :], step))

    def with_undo(self, seat: int, number: int, actions: int) -> "ViewerHistory":
        """Return the history after a seat has undone the moves after the first `actions`.

        Repeated undos add one log line, and only if an undone move was in the log.
        """
        lines = (log.pieces_of([SeatName(seat), " takes a move back."], self.names),)
        log_entries = without_moves_after(self.log_entries, actions)
        steps = [step for step in self.steps if step.action_count <= actions]
        if len(steps) == len(self.steps) and len(log_entries) == len(self.log_entries):
            return self
        if steps and steps[-1].lines == lines:
            steps.pop()
        steps.append(Step(self.version, seat, number, actions, len(log_entries), lines, {}))
        return replace(self, log_entries=log_entries, steps=tuple(steps))

    def with_rewind(self, entry: TableEvent, actions: int) -> "ViewerHistory":
        """Return the history after a takeback to the position after some actions."""
        line = log.pieces_of([SEAT_EVENT_TEXTS[TAKEBACK].format(entry.text)], self.names)
        steps = tuple(step for step in self.steps if step.action_count <= actions)
        log_entries = (
            *without_moves_after(self.log_entries, actions),
            LogEntry(actions, entry.seat, (line,), survives_undo=True),
        )
        return replace(
            self, version=self.version + 1, question_version=self.version + 1, steps=steps, log_entries=log_entries
        )

    def with_hint(self, entry: TableEvent) -> "ViewerHistory":
        """Return the history after a hint for a seat, which is visible to this seat alone and no change of the play."""
        if entry.seat != self.viewer or entry.action is None:
            return self
        return replace(self, hint=Hint(entry.action, entry.text))

    def with_seat_event(self, entry: TableEvent, number: int) -> "ViewerHistory":
        """Return the history after an event about a seat or the table."""
        names = self.names
        if entry.kind in NAMING_EVENTS:
            names = (*names[: entry.seat], entry.text, *names[entry.seat + 1 :])
        deed = SEAT_EVENT_TEXTS.get(entry.kind, " sits down.").format(entry.text)
        line = log.pieces_of([deed] if entry.kind in TABLE_EVENTS else [SeatName(entry.seat), deed], names)
        log_entries = (*self.log_entries, LogEntry(number, entry.seat, (line,), survives_undo=True))
        own = entry.seat == self.viewer and entry.kind not in TABLE_EVENTS
        moved = self.version + 1 if own or entry.kind == DEALT else self.question_version
        asked = self.move_log_count if entry.kind == PROPOSED else self.move_log_count_at_proposal
        return replace(
            self,
            names=names,
            version=self.version + 1,
            question_version=moved,
            log_entries=log_entries,
            move_log_count_at_proposal=asked,
        )


def rendered_view_of(diary: ViewerHistory) -> RenderedView:
    """Return the rendered view of a history.

    All viewers who cannot choose share the view of the current position, so it is rendered once.
    """
    return cached_rendered_view(diary.view, diary.legal, diary.names, diary.forced_action == NONE)


@lru_cache(MAX_CACHED_VIEWS)
def cached_rendered_view(
    view: Observation, legal: tuple[int, ...], names: tuple[str, ...], in_one_go: bool
) -> RenderedView:
    """Return the rendered view of these arguments; the cache keeps only the latest, because they take memory."""
    return RenderedView(view, legal, names, in_one_go=in_one_go)


def score_of(view: Observation, seat: int) -> int:
    """Return the points of a seat so far."""
    return int(view.score_table()[seat, 0])


def without_moves_after(log_entries: Iterable[LogEntry], number: int) -> tuple[LogEntry, ...]:
    """Return the log without entries about moves after the first `number` actions."""
    left = (one for one in log_entries if one.action_count <= number or one.survives_undo)
    return tuple(one if one.action_count <= number else replace(one, action_count=number) for one in left)


def clocks_after(clocks: Clocks, entry: TableEvent, before: Observation, after: Observation) -> Clocks:
    """Return the clocks after a viewer has noticed an event that led from one view to another."""
    now, seat = entry.time, entry.seat
    match entry.kind:
        case kind if kind in (MOVE, UNDO):
            turn = NONE if after.over else after.turn
            passed = (after.turns, after.turn) != (before.turns, before.turn)  # not every game counts each choice
            return clocks.after_move(now, turn, ended=kind == MOVE and passed)
        case kind if kind == TAKEBACK:
            return clocks.after_move(now, after.turn, ended=False).refilled(after.turn)
        case kind if kind in (PLAYER_JOINED, BOT_JOINED):
            return clocks.after_join(now, seat, by_bot=kind == BOT_JOINED)
        case kind if kind in (PLAYER_LEFT, PLAYER_REMOVED):
            return clocks.after_leave(now, seat)
        case kind if kind in (VACATION_STARTED, VACATION_ENDED):
            return clocks.after_vacation_change(now, seat, begins=kind == VACATION_STARTED)
        case kind if kind == OUTAGE and entry.action is not None:
            return clocks.after_outage(now, entry.action)
        case kind if kind == SUBSTITUTED:
            return clocks.after_substitution(now, seat)
        case kind if kind == RETURNED:
            return clocks.after_return(now, seat)
    return clocks
