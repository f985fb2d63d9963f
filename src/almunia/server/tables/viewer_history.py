"""The history of a play as one viewer has seen it: the view, the log, the steps, and the clocks.

A history is immutable: the next change makes a new one.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import NamedTuple

from ...core.contract import NONE, RichLine, SeatName
from ...core.memoize import memoize
from ...play import panels as picture
from ...play.play import Observation, Play
from . import log, model
from .clocks import Clocks, PlayingHours
from .log import Line, LogEntry
from .model import TableEvent
from .rendering import ActionLabel, MacroLabel, RenderedView
from .score_sheets import Sheet, score_sheet

MAX_STEPS = 48  # of a history
MAX_CACHED_VIEWS = 256
MAX_CACHED_MOVES = 64  # the viewers of a table get the log lines of a move one after the other
SEAT_EVENT_TEXTS = {  # by the kind of an event about a seat or the table, except joining; {} is the event's text
    model.PLAYER_LEFT: " leaves the seat.",
    model.PLAYER_REMOVED: " was removed by the host.",
    model.BOT_FAILED: " has stopped working and leaves the seat.",
    model.LESSON_LEFT: " leaves the lesson and keeps playing.",
    model.SUBSTITUTED: " is replaced by {} until they come back.",
    model.RETURNED: " is back.",
    model.RESIGN: " resigns.",
    model.ABORTED: " aborts the game before every player has moved.",
    model.READY: " is ready.",
    model.UNREADY: " has left, and is no longer ready.",
    model.HOST_CHANGED: " is now the host.",
    model.PROPOSED: " asks {}.",
    model.ACCEPTED: " agrees.",
    model.DECLINED: " declines.",
    model.ENDED: "The game ends {}.",
    model.FLAGGED: " has run out of time.",
    model.VACATION_STARTED: " is on vacation.",
    model.VACATION_ENDED: " is back from vacation.",
    model.SEAT_RESERVED: " can take this seat.",
    model.DEALT: "Everyone is here. The game starts.",
    model.RESERVATION_DECLINED: " declines the invitation.",
    model.ABANDON_WARNING: "No player has moved for a long time. The game ends in {} unless a player moves.",
    model.OUTAGE: "The site was down for {}. All clocks were paused.",
    model.TAKEBACK: "All players agree to take the game back {}.",
}
NAMING_EVENTS = {
    model.PLAYER_LEFT,
    model.PLAYER_REMOVED,
    model.BOT_FAILED,
    model.LESSON_LEFT,
    model.RESIGN,
    model.ABORTED,
    model.PLAYER_JOINED,
    model.BOT_JOINED,
    model.SEAT_RESERVED,
    model.RESERVATION_DECLINED,
}  # the text of these events is a player's name
TABLE_EVENTS = {model.DEALT, model.ENDED, model.ABANDON_WARNING, model.OUTAGE}  # about the table, not a seat
PRESENCE_EVENTS = {model.MOVE, model.UNDO, model.PLAYER_JOINED, model.RETURNED}  # of a player who is present


class Hint(NamedTuple):
    action: int
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    version: int
    seat: int  # that caused it
    event_count: int  # until then
    action_count: int  # until then, without undone actions
    log_length: int  # number of log entries until then
    lines: tuple[Line, ...]  # of the log
    changed_elements: Mapping[str, int]  # points by id
    scoring: Sheet | None = None  # if the step was a scoring


@dataclass(frozen=True, eq=False)
class ViewerHistory:
    """The history of a play as one viewer has seen it.

    `version` counts the changes that the viewer could notice, except hints. The viewer is given no other version: the
    number of all events would reveal how many questions others have answered in secret.
    """

    viewer: int
    view: Observation
    names: tuple[str, ...]
    version: int = 0
    question_version: int = 0  # of the last change of the play or the viewer's own seat, not of other seats
    log_entries: tuple[LogEntry, ...] = ()
    steps: tuple[Step, ...] = ()  # the latest
    is_historic: bool = False  # whether this is the history at a former step
    forced_action: int = NONE  # the action that a lesson requires, or NONE
    hint: Hint | None = None  # for the current question
    clocks: Clocks | None = None  # at the last change that the viewer could notice
    move_log_count_at_proposal: int = 0
    is_dealt: bool = True  # False while the view is of a deal that will be replaced
    turn_started_at: float = 0.0  # when the turn began, or the seat to move last showed that its player is present

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """The actions that the viewer may choose now."""
        if self.is_historic or not self.is_dealt:
            return ()
        return self.view.legal_actions if self.forced_action == NONE else (self.forced_action,)

    @property
    def turn(self) -> int:
        """The seat to move in the viewer's view; NONE before the deal."""
        return self.view.turn if self.is_dealt else NONE

    def is_current(self, version: int) -> bool:
        """Return whether the question at a version is still the current one."""
        return self.question_version <= version <= self.version

    @property
    def move_log_count(self) -> int:
        return sum(not one.survives_undo for one in self.log_entries)

    @property
    def last_move_at(self) -> float:
        """When the last move of the log was made; when the turn began if there is none."""
        moves = (one.created_at for one in reversed(self.log_entries) if not one.survives_undo)
        return next(moves, self.turn_started_at)

    @cached_property
    def steps_since_own_move(self) -> tuple[Step, ...]:
        """The kept steps of others since the viewer's last own step; empty for spectators."""
        since = next((i for i, step in enumerate(reversed(self.steps)) if step.seat == self.viewer), len(self.steps))
        return self.steps[len(self.steps) - since :] if self.viewer >= 0 else ()

    @cached_property
    def recent_steps(self) -> tuple[Step, ...]:
        """The last kept steps of others, and the viewer's own steps after them; empty for spectators."""
        if self.steps_since_own_move or self.viewer < 0:
            return self.steps_since_own_move
        runs = [tuple(run) for _, run in groupby(self.steps, lambda step: step.seat == self.viewer)]
        return tuple(chain(*runs[-2:])) if len(runs) > 1 else ()

    def at_step(self, step: Step, view: Observation) -> "ViewerHistory":
        """Return the history at a step, with the view, version and log of that moment."""
        log_entries = self.log_entries[: step.log_length]
        return replace(self, view=view, version=step.version, log_entries=log_entries, is_historic=True, hint=None)

    def score_sheet(self, version: int) -> Sheet | None:
        return next((sheet for sheet in self.score_sheets if sheet.version == version), None)

    @property
    def score_sheets(self) -> list[Sheet]:
        return [one.scoring for one in self.log_entries if one.scoring]

    @property
    def rendered(self) -> RenderedView:
        """The rendered view, from a cache for all viewers."""
        return cached_rendered_view(self.view, self.legal, self.names, self.forced_action == NONE)

    @property
    def panels(self) -> list[picture.RenderedPanel]:
        return self.rendered.panels

    @property
    def action_labels(self) -> list[ActionLabel]:
        return self.rendered.action_labels

    @property
    def macro_labels(self) -> list[MacroLabel]:
        """The macro moves in words, each several actions as one choice."""
        return self.rendered.macro_labels

    def with_event(self, event: TableEvent, play: Play, number: int) -> "ViewerHistory":
        """Return the history after the event with this number, which led to the position of `play`."""
        then = self._with_event(event, play, number)
        if then.version == self.version:
            return then
        passed = then.view.turn != self.view.turn or event.kind == model.DEALT
        if passed or (event.kind in PRESENCE_EVENTS and event.seat == then.view.turn):
            then = replace(then, turn_started_at=event.created_at)
        if self.clocks is None:
            return then
        return replace(then, clocks=clocks_after(self.clocks, event, self.view, then.view))

    def with_hours(self, hours: tuple[PlayingHours, ...]) -> "ViewerHistory":
        if self.clocks is None or self.clocks.hours == hours:
            return self
        return replace(self, clocks=replace(self.clocks, hours=hours))

    def _with_event(self, event: TableEvent, play: Play, number: int) -> "ViewerHistory":
        if event.kind == model.HINT and event.seat == self.viewer and event.action is not None:
            return replace(self, hint=Hint(event.action, event.text))  # visible to this seat alone
        if event.kind in (model.HINT, model.REDACTED):
            return self
        if event.kind == model.UNDO and event.same_choice:
            return self  # part of a takeback, which is in the log already
        if event.kind not in (model.MOVE, model.UNDO, model.TAKEBACK):
            return self._with_seat_event(event, len(play.actions))
        view = play.observe(self.viewer)
        is_takeback = event.kind == model.TAKEBACK
        if not is_takeback and event.seat != self.viewer and view.to_state() == self.view.to_state():
            return self
        then = replace(self, view=view, version=self.version + 1, question_version=self.version + 1, hint=None)
        if is_takeback:
            return then.with_takeback(event, len(play.actions))
        if event.kind == model.UNDO:
            return then.with_undo(event.seat, number, len(play.actions))
        return then.with_move(self.view, event, number, len(play.actions))

    def with_move(self, before: Observation, event: TableEvent, number: int, actions: int) -> "ViewerHistory":
        action = NONE if event.action is None else event.action
        rich_lines = log_lines(before, action, self.view)
        if not rich_lines:
            return self
        scoring = before.scoring(action, self.view)
        sheet = score_sheet(self.version, scoring, before, self.view) if scoring else None
        gain = int(self.view.score_table()[event.seat, 0]) - int(before.score_table()[event.seat, 0])
        rules = f"/games/{before.game.meta.name}/rules"
        lines = tuple(log.pieces_of(line, self.names, rules) for line in rich_lines)
        moment = event.created_at
        seconds = moment - self.last_move_at
        log_entry = log.cached_entry(actions, event.seat, lines, False, before.turns, gain, sheet, moment, seconds)
        step = Step(
            self.version,
            event.seat,
            number,
            actions,
            len(self.log_entries) + 1,
            lines,
            log.changed_elements(rich_lines),
            sheet,
        )
        return replace(self, log_entries=(*self.log_entries, log_entry), steps=(*self.steps[1 - MAX_STEPS :], step))

    def with_undo(self, seat: int, number: int, actions: int) -> "ViewerHistory":
        """Cut the log and steps to the first `actions`, add a step for the undo, and return the history.

        The view and version must be those after the undo already. Repeated undos of a seat make one step. Undos of
        moves without a step or log entry make no step.
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

    def with_takeback(self, event: TableEvent, actions: int) -> "ViewerHistory":
        line = log.pieces_of([SEAT_EVENT_TEXTS[model.TAKEBACK].format(event.text)], self.names)
        log_entry = LogEntry(actions, event.seat, (line,), survives_undo=True, created_at=event.created_at)
        steps = tuple(step for step in self.steps if step.action_count <= actions)
        return replace(self, steps=steps, log_entries=(*without_moves_after(self.log_entries, actions), log_entry))

    def _with_seat_event(self, event: TableEvent, actions: int) -> "ViewerHistory":
        names = self.names
        if event.kind in NAMING_EVENTS:
            names = (*names[: event.seat], event.text, *names[event.seat + 1 :])
        text = SEAT_EVENT_TEXTS.get(event.kind, " sits down.").format(event.text)
        is_about_table = event.kind in TABLE_EVENTS
        line = log.pieces_of([text] if is_about_table else [SeatName(event.seat), text], names)
        log_entry = LogEntry(actions, event.seat, (line,), survives_undo=True, created_at=event.created_at)
        then = replace(self, names=names, version=self.version + 1, log_entries=(*self.log_entries, log_entry))
        if event.kind == model.PROPOSED:
            then = replace(then, move_log_count_at_proposal=self.move_log_count)
        if event.kind == model.DEALT or (event.seat == self.viewer and not is_about_table):
            then = replace(then, question_version=then.version)
        return then


def log_lines_key(before: Observation, action: int, after: Observation) -> Hashable:
    sees_action = before.game.may_see(before.state, before.seat)
    return before.game, before.to_state(), action if sees_action else NONE, after.to_state()


@memoize(log_lines_key, MAX_CACHED_MOVES)
def log_lines(before: Observation, action: int, after: Observation) -> list[RichLine]:
    """Return the log lines of an action for a viewer, cached for all viewers who see the same."""
    return before.log_lines(action, after)


cached_rendered_view = lru_cache(MAX_CACHED_VIEWS)(RenderedView)  # limited, because rendered views take memory


def without_moves_after(log_entries: Iterable[LogEntry], number: int) -> tuple[LogEntry, ...]:
    """Return the log without entries about moves after the first `number` actions."""
    left = (one for one in log_entries if one.action_count <= number or one.survives_undo)
    return tuple(one if one.action_count <= number else replace(one, action_count=number) for one in left)


def clocks_after(clocks: Clocks, event: TableEvent, before: Observation, after: Observation) -> Clocks:
    """Return the clocks after a viewer has noticed an event that led from one view to another."""
    now, seat = event.created_at, event.seat
    match event.kind:
        case model.MOVE | model.UNDO:
            turn = NONE if after.over else after.turn
            passed = (after.turns, after.turn) != (before.turns, before.turn)  # not every game counts each choice
            return clocks.after_move(now, turn, ended=event.kind == model.MOVE and passed)
        case model.TAKEBACK:
            return clocks.after_move(now, after.turn, ended=False).refilled(after.turn)
        case model.PLAYER_JOINED | model.BOT_JOINED:
            return clocks.after_join(now, seat, by_bot=event.kind == model.BOT_JOINED)
        case model.PLAYER_LEFT | model.PLAYER_REMOVED:
            return clocks.after_leave(now, seat)
        case model.DEALT:
            return clocks.after_deal(now)
        case model.VACATION_STARTED | model.VACATION_ENDED:
            return clocks.after_vacation_change(now, seat, begins=event.kind == model.VACATION_STARTED)
        case model.OUTAGE:
            return clocks.after_outage(now, event.action or 0)
        case model.SUBSTITUTED:
            return clocks.after_substitution(now, seat)
        case model.RETURNED:
            return clocks.after_return(now, seat)
    return clocks
