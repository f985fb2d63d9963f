"""The view of a table: all that a viewer may know and do there, for pages and for the API."""

from dataclasses import dataclass
from functools import cached_property

from ..tables.builds import FALLBACK_BOT, is_playable
from ..tables.clocks import BOT_ON_TIMEOUT as BOT_AT_ZERO, CLAIM, NOTHING, Clocks
from ..tables.lessons import LessonProgress
from ..tables.log import Line, subject_of
from ..tables.model import OPEN, OPEN_SEAT_NAME, Table
from ..tables.proposals import Proposal
from ..tables.seats import TWO_SEATS, PresenceSummary, has_waited_long_enough
from ..tables.state import TableState
from ..tables.viewer import Viewer
from ..tables.viewer_history import Hint, Step, ViewerHistory

LAST_PLACE_WARNING = " Once it has moved, you are last: this game is rated."  # for a player whose bot plays
FLAG_MESSAGES = {  # to a player whose time is up, by what the time control says of that
    CLAIM: "Until you move, the others may let a bot play for you.",
    BOT_AT_ZERO: "In a moment a bot plays for you, until you take your seat back.",
    NOTHING: "Here nothing follows from that: play on.",
}
MAY_WIN_MESSAGE = "Until you move, {} may claim the win, or let a bot play for you."
LOST_ON_TIME_MESSAGE = "The game is lost, and ends in a moment."
UNREADY_LABELS = {
    True: "waits",
    False: f"plays as {FALLBACK_BOT}",
}  # a searching bot, at a rated table and at others
LISTED_SEAT_NAME = "Another player"  # the name of an open seat that the lobby lists


@dataclass(frozen=True)
class ReplayStep:
    """One step of a replay of what others did, on the way to the present."""

    steps: tuple[Step, ...]  # all steps of the replay
    number: int  # of this step, from 1
    first: int  # the version at which the replay begins, as `ViewerHistory.seen` counts

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.steps[self.number - 1]

    @property
    def count(self) -> int:
        """The number of steps in the replay."""
        return len(self.steps)

    def other_lines(self, reader: int) -> list[Line]:
        """Return the lines of the step but the first; lines about the viewer, who knows them, come last."""
        return sorted(self.step.lines[1:], key=lambda line: reader >= 0 and subject_of(line) == reader)

    @property
    def previous(self) -> int | None:
        """The version of the step before; None at the first."""
        return self.steps[self.number - 2].version if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The version of the step after; None at the last."""
        return self.steps[self.number].version if self.number < self.count else None


def replay_step_at(diary: ViewerHistory, here: int, first: int) -> ReplayStep | None:
    """Return the step at version `here` of a replay from `first`, or the next stored one; None if there is none."""
    shown = tuple(step for step in diary.steps if step.version >= first)
    at = next((number for number, step in enumerate(shown) if step.version >= here), None)
    if at is None or not 0 <= first <= here:
        return None
    return ReplayStep(shown, at + 1, first)


class TableView:
    """A table as one viewer sees it, now or at a step of a replay: what the API and pages share."""

    def __init__(
        self,
        snapshot: TableState,
        reader: Viewer,
        at: tuple[int, int] | None = None,
        attendance: PresenceSummary | None = None,
        *,
        now: float,
        offered: bool = False,
    ) -> None:
        self._now = now  # the time of the view
        self._offered = offered  # whether the lobby lists the open seats
        self._snapshot, self.reader, self.attendance = snapshot, reader, attendance or PresenceSummary()
        self.table: Table = snapshot.table
        self.play = snapshot.play
        self.game = snapshot.play.game
        self.diary: ViewerHistory = snapshot.for_viewer(reader.seat)
        self.is_asked_now = self._is_asked(self.diary)  # now, even during a replay
        self.sheets = self.diary.score_sheets
        self.replay_step = replay_step_at(self.diary, *at) if at and not reader.is_hidden else None
        if self.replay_step:
            self.diary = snapshot.history_at(reader.seat, self.replay_step.step)
        self.observation = self.diary.view

    @property
    def version(self) -> str:
        """A string that changes whenever the viewer's page must be rendered again."""
        cover = f"cover{self.table.turn}" if self.reader.is_hidden else ""
        moment = f"at{self.replay_step.first}.{self.replay_step.count}" if self.replay_step else ""
        hint, late = "hint" if self.hint else "", "late" if self.opponent_flagged else ""
        overdue, unready = "overdue" if self.opponent_absent else "", "unready" if self.unready_bots else ""
        flagged = "flagged" if self.flag_message else ""
        people = f"{overdue}{self.attendance.fingerprint}{late}{flagged}{unready}"
        return f"{self.reader.seat}.{self.diary.version}{cover}{moment}{people}{hint}"

    def _is_asked(self, diary: ViewerHistory) -> bool:
        """Return whether it is the viewer's turn, and no bot plays for the viewer."""
        if self.table.finished or self.table.awaits_deal or self.reader.seat != diary.turn:
            return False
        return not self.table.seats[self.reader.seat].substitute_bot

    @property
    def my_turn(self) -> bool:
        """Whether it is the viewer's turn, and the page shows the present."""
        return not self.replay_step and self._is_asked(self.diary)

    @property
    def can_undo(self) -> bool:
        """Whether the viewer can undo the last choice."""
        return self.my_turn and self._snapshot.undo_count() > 0 and not self.lesson

    @property
    def lesson(self) -> LessonProgress | None:
        """The progress of a lesson; None unless its learner views it and has something to read now."""
        found = self._snapshot.lesson_progress
        return found if found and self.my_turn and self.reader.seat == found.learner else None

    def name(self, seat: int) -> str:
        """Return the name of a seat's player, as this viewer reads it."""
        sitter = self.table.seats[seat]
        if self._offered and sitter.kind == OPEN and sitter.name == OPEN_SEAT_NAME:
            return LISTED_SEAT_NAME
        return name_for(self.table, self.reader, seat)

    @property
    def proposal(self) -> Proposal | None:
        """The proposal that some players have still to answer; None without one."""
        return None if self.table.finished or self.replay_step else self._snapshot.proposal

    @property
    def hint(self) -> Hint | None:
        """The hint that the viewer got for this question; None without one."""
        return self.diary.hint if self.my_turn else None

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The codes of the viewer's legal actions."""
        return self.diary.legal

    @cached_property
    def unready_bots(self) -> dict[int, str]:
        """The states of bots that wait until the game is compiled, by seat."""
        if self.table.finished:
            return {}
        words = UNREADY_LABELS[self.table.rated]
        bots = ((seat, sitter.bot) for seat, sitter in enumerate(self.table.seats) if sitter.bot)
        return {seat: words for seat, bot in bots if not is_playable(bot, self.game)}

    @cached_property
    def clocks(self) -> Clocks | None:
        """The clocks, as far as the viewer could notice; None without clocks, or when the game is over."""
        return None if self.table.finished else self.diary.clocks

    @property
    def opponent_flagged(self) -> bool:
        """Whether the time of another seat is up, and the viewer may act on it."""
        clocks = self.clocks
        if (
            clocks is None
            or clocks.control.on_timeout != CLAIM
            or clocks.is_paused
            or clocks.running in self.reader.seats
        ):
            return False
        return clocks.seconds_left(clocks.running, self._now) <= 0

    @property
    def flag_message(self) -> str:
        """A sentence on what may follow when the viewer's own time is up; empty while there is time."""
        clocks = self.clocks
        if clocks is None or clocks.is_paused or clocks.running not in self.reader.seats:
            return ""
        if clocks.seconds_left(clocks.running, self._now) > 0:
            return ""
        zero = clocks.control.on_timeout
        if zero == CLAIM and self.table.is_against_bots:
            return LOST_ON_TIME_MESSAGE
        if zero == NOTHING or (zero == CLAIM and not self.attendance.is_shared):
            return FLAG_MESSAGES[NOTHING]  # bots and players on the same device claim nothing
        if zero == CLAIM and len(self.table.seats) == TWO_SEATS:
            return MAY_WIN_MESSAGE.format(self.name(1 - clocks.running)) + self.last
        return FLAG_MESSAGES[zero] + self.last

    @property
    def last(self) -> str:
        """A sentence on what a substitute bot means for the viewer's rating; empty in unrated games."""
        return LAST_PLACE_WARNING if self.table.rated else ""

    @property
    def opponent_absent(self) -> bool:
        """Whether the player to move has been away for so long that the viewer may let a bot play."""
        return self.diary.turn in self.attendance.replaceable and has_waited_long_enough(
            self.table, self.diary, self._now
        )


def name_for(table: Table, reader: Viewer, seat: int) -> str:
    """Return the name of a seat's player for a viewer."""
    return "You" if reader.seats == (seat,) else table.seats[seat].name
