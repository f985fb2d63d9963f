"""The view of a table: all that a viewer may know and do there, for pages and for the API."""

from dataclasses import dataclass
from functools import cached_property

from .builds import FALLBACK_BOT, is_playable
from .clocks import BOT_ON_TIMEOUT, CLAIM, NOTHING, Clocks
from .lessons import LessonProgress
from .log import Line, subject_of
from .model import OPEN, OPEN_SEAT_NAME, Table
from .proposals import Proposal
from .seats import TWO_SEATS, PresenceSummary, has_waited_long_enough
from .state import TableState
from .viewer import Viewer
from .viewer_history import Hint, Step, ViewerHistory

FLAG_MESSAGES = {  # to a player whose time is up, by the timeout policy
    CLAIM: "Until you move, the other players can let a bot play for you.",
    BOT_ON_TIMEOUT: "In a moment a bot takes over, until you take your seat back.",
    NOTHING: "You can keep playing in this game.",
}
UNREADY_LABELS = {True: "waits", False: f"plays as {FALLBACK_BOT}"}  # of a searching bot, by whether the table is rated


@dataclass(frozen=True)
class ReplayStep:
    """One step of a replay of a viewer's history."""

    steps: tuple[Step, ...]  # all steps of the replay
    number: int  # of this step, from 1
    first: int  # the version at which the replay begins, as `ViewerHistory.version` counts

    @property
    def step(self) -> Step:
        return self.steps[self.number - 1]

    @property
    def count(self) -> int:
        return len(self.steps)

    def other_lines(self, viewer: int) -> list[Line]:
        """Return the lines of the step but the first; lines about the viewer, who knows them, come last."""
        return sorted(self.step.lines[1:], key=lambda line: viewer >= 0 and subject_of(line) == viewer)

    @property
    def previous(self) -> int | None:
        return self.steps[self.number - 2].version if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.steps[self.number].version if self.number < self.count else None


def replay_step_at(history: ViewerHistory, version: int, first: int) -> ReplayStep | None:
    """Return the replay step at `version`, or the next step after it; None before `first` or after the last step."""
    steps = tuple(step for step in history.steps if step.version >= first)
    number = next((number for number, step in enumerate(steps, 1) if step.version >= version), None)
    return None if number is None or not 0 <= first <= version else ReplayStep(steps, number, first)


class TableView:
    """A table as one viewer sees it, now or at a step of a replay. Shared by pages and the API."""

    def __init__(
        self,
        state: TableState,
        viewer: Viewer,
        at: tuple[int, int] | None = None,
        attendance: PresenceSummary | None = None,
        *,
        now: float,
        offered: bool = False,
    ) -> None:
        self._now, self._offered = now, offered  # the time of the view; whether the lobby lists the open seats
        self._state, self.viewer, self.attendance = state, viewer, attendance or PresenceSummary()
        self.table, self.play, self.game = state.table, state.play, state.play.game
        self.history: ViewerHistory = state.for_viewer(viewer.seat)
        self.is_asked_now = self._is_asked(self.history)  # now, even during a replay
        self.sheets = self.history.score_sheets
        self.replay_step = replay_step_at(self.history, *at) if at and not viewer.is_hidden else None
        if self.replay_step:
            self.history = state.history_at(viewer.seat, self.replay_step.step)
        self.observation = self.history.view

    @cached_property
    def version(self) -> str:
        """The version of the viewer's page. A page with another version is rendered again."""
        cover = f"cover{self.table.turn}" if self.viewer.is_hidden else ""
        replay = f"at{self.replay_step.first}.{self.replay_step.count}" if self.replay_step else ""
        flags = {
            "overdue": self.opponent_absent,
            "late": self.opponent_flagged,
            "flagged": self.flag_message,
            "unready": self.unready_bots,
            "hint": self.hint,
        }
        raised = "".join(name for name, is_raised in flags.items() if is_raised)
        return f"{self.viewer.seat}.{self.history.version}{cover}{replay}{raised}{self.attendance.fingerprint}"

    def _is_asked(self, history: ViewerHistory) -> bool:
        if self.table.finished or self.table.awaits_deal or self.viewer.seat != history.turn:
            return False
        return not self.table.seats[self.viewer.seat].substitute_bot

    @cached_property
    def my_turn(self) -> bool:
        """Whether this page asks the viewer for a move."""
        return not self.replay_step and self._is_asked(self.history)

    @property
    def can_undo(self) -> bool:
        return self.my_turn and self._state.undo_count() > 0 and not self.lesson

    @property
    def lesson(self) -> LessonProgress | None:
        """The progress of the lesson, if the viewer is its learner and is asked for a move; else None."""
        progress = self._state.lesson_progress
        return progress if progress and self.my_turn and self.viewer.seat == progress.learner else None

    def name(self, seat: int) -> str:
        if self._offered and (self.table.seats[seat].kind, self.table.seats[seat].name) == (OPEN, OPEN_SEAT_NAME):
            return "Another player"
        return name_for(self.table, self.viewer, seat)

    @property
    def proposal(self) -> Proposal | None:
        """The open proposal; None if there is none, in a replay, or when the game is over."""
        return None if self.table.finished or self.replay_step else self._state.proposal

    @property
    def hint(self) -> Hint | None:
        return self.history.hint if self.my_turn else None

    @property
    def move_times(self) -> tuple[tuple[int, float], ...]:
        """The seat and the thinking time of each move, in seconds; empty while the game runs."""
        return self._state.move_times

    @property
    def legal_actions(self) -> tuple[int, ...]:
        return self.history.legal

    @cached_property
    def unready_bots(self) -> dict[int, str]:
        """The labels of bots for which this build is too slow, by seat; empty when the game is over."""
        if self.table.finished:
            return {}
        bots = {p: seat.bot for p, seat in enumerate(self.table.seats) if seat.bot}
        return {p: UNREADY_LABELS[self.table.rated] for p, bot in bots.items() if not is_playable(bot, self.game)}

    @cached_property
    def clocks(self) -> Clocks | None:
        """The clocks after the last event that the viewer could notice; None if the game is untimed or over."""
        return None if self.table.finished else self.history.clocks

    def _expired_clocks(self, *, own: bool) -> Clocks | None:
        """Return the clocks if the running one has expired, and is the viewer's if and only if `own`; else None."""
        clocks = self.clocks
        if clocks is None or clocks.is_paused or (clocks.running in self.viewer.seats) != own:
            return None
        return clocks if clocks.seconds_left(clocks.running, self._now) <= 0 else None

    @property
    def opponent_flagged(self) -> bool:
        """Whether the time of another seat is up, and the time control allows a claim."""
        clocks = self._expired_clocks(own=False)
        return clocks is not None and clocks.control.on_timeout == CLAIM

    @property
    def flag_message(self) -> str:
        """The consequences of the viewer's expired clock, in words; empty if it has not expired."""
        clocks = self._expired_clocks(own=True)
        if clocks is None:
            return ""
        policy = clocks.control.on_timeout
        if policy == CLAIM and self.table.is_against_bots:
            return "You have lost, and the game ends in a moment."
        if policy == NOTHING or (policy == CLAIM and not self.attendance.is_shared):
            return FLAG_MESSAGES[NOTHING]  # bots and players on the same device claim nothing
        if policy == CLAIM and len(self.table.seats) == TWO_SEATS:
            name = self.name(1 - clocks.running)
            return f"Until you move, {name} can claim the win or let a bot play for you." + self.rating_warning
        return FLAG_MESSAGES[policy] + self.rating_warning

    @property
    def rating_warning(self) -> str:
        """The consequence of a substitute bot for the viewer's rating, in words; empty in unrated games."""
        return " If a bot moves for you, you come last, because this game is rated." if self.table.rated else ""

    @property
    def opponent_absent(self) -> bool:
        """Whether the player to move has been away for so long that others may let a bot play."""
        may_be_replaced = self.history.turn in self.attendance.replaceable
        return may_be_replaced and has_waited_long_enough(self.table, self.history, self._now)


def name_for(table: Table, viewer: Viewer, seat: int) -> str:
    return "You" if viewer.seats == (seat,) else table.seats[seat].name
