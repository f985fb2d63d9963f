"""What a reader may know of a table, and do there: for pages and for the API."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

from ...core.optional import Source, is_default
from ...play.play import Observation
from ..ratings.game_results import helped
from ..tables.builds import GREEDY, is_playable
from ..tables.clocks import BOT as BOT_AT_ZERO, CLAIM, NOTHING, Clocks, TimeControl, are_usual, terms
from ..tables.lessons import LessonProgress
from ..tables.log import Line, LogEntry, subject_of
from ..tables.model import AGREED, ANYBODY, BOT, CLOSED, OPEN, PERSON, RESIGNED, TIMED_OUT, Table
from ..tables.proposals import Proposal, before_last_choice
from ..tables.rendering import ActionLabel
from ..tables.seats import PAIR, PresenceSummary, ends_by_resigning, has_begun, has_waited
from ..tables.state import TableState
from ..tables.viewer import Viewer
from ..tables.viewer_history import Hint, Step, ViewerHistory

LAST_PLACE_WARNING = " Once it has moved, you are last: this game is rated."  # for whoever a bot plays
FLAG_MESSAGES = {  # what follows from it that somebody's time is up, for that one
    CLAIM: "Until you move, the others may let a bot play for you.",
    BOT_AT_ZERO: "In a moment a bot plays for you, until you take your seat back.",
    NOTHING: "Here nothing follows from that: play on.",
}
MAY_WIN_MESSAGE = "Until you move, {} may claim the win, or let a bot play for you."
LOST_ON_TIME_MESSAGE = "The game is lost, and ends in a moment."
UNREADY_LABELS = {
    True: "waits",
    False: f"plays as {GREEDY}",
}  # a bot that looks ahead, at a rated table and at any other
LISTED_SEAT_NAME = "Another player"  # what an open seat is called that anybody in the lobby may take


@dataclass(frozen=True)
class ReplayStep:
    """A moment of what others did, on the way to how the table stands now."""

    steps: tuple[Step, ...]  # the moments that are shown
    number: int  # of this one among them, from 1
    first: int  # where they begin, counted as `ViewerHistory.seen` does

    @property
    def step(self) -> Step:
        """The moment itself."""
        return self.steps[self.number - 1]

    @property
    def count(self) -> int:
        """How many moments are shown."""
        return len(self.steps)

    def other_lines(self, reader: int) -> list[Line]:
        """The other lines of the moment; the reader's own, which they know, come last."""
        return sorted(self.step.lines[1:], key=lambda line: reader >= 0 and subject_of(line) == reader)

    @property
    def previous(self) -> int | None:
        """The one before it, if there is one."""
        return self.steps[self.number - 2].seen if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The one after it, if there is one."""
        return self.steps[self.number].seen if self.number < self.count else None


def replay_step_at(diary: ViewerHistory, here: int, first: int) -> ReplayStep | None:
    """The moment at which a reader stands who follows, or the next one that is kept; None if there is none."""
    shown = tuple(step for step in diary.steps if step.seen >= first)
    at = next((number for number, step in enumerate(shown) if step.seen >= here), None)
    if at is None or not 0 <= first <= here:
        return None
    return ReplayStep(shown, at + 1, first)


class TableView:
    """A table as one reader sees it, now or at a moment that the reader has missed."""

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
        self._now = now  # the time at which it is shown
        self._offered = offered  # may anybody in the lobby take the free seats?
        self._snapshot, self.reader, self.attendance = snapshot, reader, attendance or PresenceSummary()
        self.table: Table = snapshot.table
        self.play = snapshot.play
        self.game = snapshot.play.game
        self.diary: ViewerHistory = snapshot.shown(reader.seat)
        self.is_asked_now = self._is_asked(self.diary)  # now, whatever is shown
        self.sheets = self.diary.sheets
        self.replay_step = replay_step_at(self.diary, *at) if at and not reader.covered else None
        if self.replay_step:
            self.diary = snapshot.moment(reader.seat, self.replay_step.step)
        self.observation: Observation = self.diary.view

    @property
    def version(self) -> str:
        """What the reader has seen, as one word; it changes when a page must be drawn again."""
        cover = f"cover{self.table.turn}" if self.reader.covered else ""
        moment = f"at{self.replay_step.first}.{self.replay_step.count}" if self.replay_step else ""
        hint, late = "hint" if self.hint else "", "late" if self.opponent_flagged else ""
        overdue, unready = "overdue" if self.opponent_absent else "", "unready" if self.unready_bots else ""
        flagged = "flagged" if self.flag_message else ""
        people = f"{overdue}{self.attendance.mark}{late}{flagged}{unready}"
        return f"{self.reader.seat}.{self.diary.seen}{cover}{moment}{people}{hint}"

    @property
    def marked_steps(self) -> tuple[Step, ...]:
        """The moments whose places stay marked: those followed so far, or those that the reader has missed."""
        return self.replay_step.steps[: self.replay_step.number] if self.replay_step else self.missed

    @property
    def missed(self) -> tuple[Step, ...]:
        """What others did since the reader's own last act."""
        return self.diary.missed

    @property
    def own_act(self) -> Step | None:
        """What the reader did last, if nothing has happened since."""
        steps = self.diary.steps
        return steps[-1] if steps and steps[-1].seat == self.reader.seat and not self.replay_step else None

    @property
    def recent(self) -> tuple[Step, ...]:
        """What others did last, and the reader since then: it can be seen again at any time."""
        return self.diary.recent

    def _is_asked(self, diary: ViewerHistory) -> bool:
        """Is the reader asked, and no bot in the reader's place?"""
        if self.table.finished or self.table.undealt or self.reader.seat != diary.turn:
            return False
        return not self.table.seats[self.reader.seat].stand_in

    @property
    def my_turn(self) -> bool:
        """Is the reader being asked?"""
        return not self.replay_step and self._is_asked(self.diary)

    @property
    def can_undo(self) -> bool:
        """Can the reader undo the last choice?"""
        return self.my_turn and self._snapshot.undo_count() > 0 and not self.lesson

    @property
    def lesson(self) -> LessonProgress | None:
        """Where whoever learns stands in the lesson, if there is something to be told now."""
        found = self._snapshot.standing
        return found if found and self.my_turn and self.reader.seat == found.learner else None

    @property
    def can_restart(self) -> bool:
        """Can the reader undo more than the last choice?"""
        return self.can_undo and self._snapshot.undo_count(whole_turn=True) > self._snapshot.undo_count()

    def name(self, seat: int) -> str:
        """What a seat's player is called here."""
        sitter = self.table.seats[seat]
        if self._offered and sitter.kind == OPEN and sitter.name == ANYBODY:
            return LISTED_SEAT_NAME
        return name_for(self.table, self.reader, seat)

    # --- seats and people ----------------------------------------------------------------

    def seat_actions(self, seat: int) -> set[str]:
        """What the reader may do about a seat."""
        table, sitter, held = self.table, self.table.seats[seat], self.reader.held
        if table.finished or self.replay_step or not held:
            return set()
        hosting = table.owner == table.seats[held[0]].player
        theirs = seat == self.diary.turn and seat not in held
        asks = self.attendance.shared and table.takes_consent and not (self.proposal or self._snapshot.standing)
        own, waiting = seat in held and len(table.seats) > 1, bool(table.open_seats)
        possible = {
            "fill": sitter.kind == OPEN,
            "expect": sitter.kind == OPEN,
            "claim": theirs and (self.opponent_flagged or self.opponent_absent),
            "win": theirs and self.opponent_flagged and len(table.seats) == PAIR and not table.seats[held[0]].stand_in,
            "back": own and sitter.stand_in != "",
            "leave": own and not waiting and sitter.stand_in == "",
            "give": own and waiting and (len(table.people) > 1 or not hosting),
            "free": hosting and waiting and sitter.kind == PERSON and seat not in held,
            "ask": own and asks,
            "rewind": own and asks and before_last_choice(self._snapshot.standing_acts, seat) is not None,
            "host": hosting and sitter.kind == PERSON and seat not in held,
            "listing": hosting and own and seat == held[0],
            "close": hosting and own and not has_begun(self._snapshot, held),
            "resign": own and not waiting,
        }
        return {name for name, can in possible.items() if can}

    @property
    def last_seat_event(self) -> LogEntry | None:
        """What somebody last did about a seat, or asked or answered; None if nobody has."""
        return next((one for one in reversed(self.diary.log_entries) if one.stays), None)

    @property
    def proposal(self) -> Proposal | None:
        """What somebody has asked the others, and was not answered by all."""
        return None if self.table.finished or self.replay_step else self._snapshot.proposal

    @property
    def moves_since_proposal(self) -> int:
        """How many moves would be taken back too that the reader was told of since somebody asked to go back."""
        going_back = self.proposal is not None and self.proposal.back_to is not None
        return max(0, self.diary.told - self.diary.asked) if going_back else 0

    @property
    def awaited_seats(self) -> list[int]:
        """The seats whose answer is still awaited."""
        if not self.proposal:
            return []
        players = {self.table.seats[p].player for p in self.proposal.agreed}
        return [p for p in self.table.people if self.table.seats[p].player not in players]

    @property
    def answering_seat(self) -> int | None:
        """The seat in which the reader has still to answer, if there is one."""
        return next((p for p in self.awaited_seats if p in self.reader.held), None)

    @property
    def end_sentence(self) -> str:
        """How the game ended before its play was over, as a sentence; empty if it did not."""
        seat = self.table.gave_up
        who = "" if seat is None else self.name(seat)
        sentences = {
            RESIGNED: f"{who} resigned.",
            TIMED_OUT: f"{who} ran out of time.",
            AGREED: "All agreed to end this game.",
            CLOSED: "This game was closed.",
        }
        return sentences.get(self.table.ended, "")

    @property
    def winner(self) -> int | None:
        """The seat that wins a game of two because the other one gave up; none if a bot has moved for it."""
        if self.table.gave_up is None or len(self.table.seats) > PAIR:
            return None
        other = 1 - self.table.gave_up
        return None if other in helped(self._snapshot.entries) else other

    def ends_by_resigning(self, seat: int) -> bool:
        """Whether the game is over once a seat resigns."""
        return ends_by_resigning(self.table, seat)

    # --- the question --------------------------------------------------------------------

    @property
    def question(self) -> str:
        """What the seat to move is being asked."""
        return self.game.text.question(self.observation.state)

    @property
    def cite(self) -> str:
        """The mark of the paragraph behind the question; empty where the game names none."""
        return self.game.text.rule_of_question(self.observation.state)

    @property
    def hint(self) -> Hint | None:
        """The hint that the reader was given on this question, if there is one."""
        return self.diary.hint if self.my_turn else None

    @property
    def may_ask_hint(self) -> bool:
        """May the reader ask for a hint on a question, or has it been given?"""
        return self.table.hints and self.my_turn and not self._snapshot.standing

    @property
    def explains_illegal(self) -> bool:
        """Does the game say why something cannot be chosen?"""
        return not is_default(self.game.text.explain_illegal)

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """What the reader may choose."""
        return self.diary.legal

    @property
    def choices(self) -> list[ActionLabel]:
        """The legal actions, each in words and in parts."""
        return self.diary.offers

    # --- what is to be seen --------------------------------------------------------------

    @property
    def shows_own_view(self) -> bool:
        """Whether the page shows the reader's own view, now or at a moment that is over."""
        return not (self.reader.covered or self._ended_early)

    @property
    def _ended_early(self) -> bool:
        """Is the game over, though its play is not?"""
        return self.table.finished and bool(self.diary.legal)

    @cached_property
    def unready_bots(self) -> dict[int, str]:
        """Return by seat what bots that need the compiled build do until the game is compiled."""
        if self.table.finished:
            return {}
        words = UNREADY_LABELS[self.table.rated]
        bots = ((seat, sitter.bot) for seat, sitter in enumerate(self.table.seats) if sitter.bot)
        return {seat: words for seat, bot in bots if not is_playable(bot, self.game)}

    @cached_property
    def clocks(self) -> Clocks | None:
        """The clocks, as far as the reader could notice; None without any, or when the game is over."""
        return None if self.table.finished else self.diary.clocks

    @property
    def last_visible_change(self) -> float:
        """When something last changed for the reader; 0 for a spectator."""
        return max((self.table.seats[seat].noticed for seat in self.reader.held), default=0.0)

    @property
    def opponent_flagged(self) -> bool:
        """Is the time up of the seat that the reader waits for, so that something can be done about it?"""
        clocks = self.clocks
        if clocks is None or clocks.control.zero != CLAIM or clocks.still or clocks.running in self.reader.held:
            return False
        return clocks.left_of(clocks.running, self._now) <= 0

    @property
    def flag_message(self) -> str:
        """Return what may follow once the reader's own time is up, as a sentence; empty as long as it is not."""
        clocks = self.clocks
        if clocks is None or clocks.still or clocks.running not in self.reader.held:
            return ""
        if clocks.left_of(clocks.running, self._now) > 0:
            return ""
        zero = clocks.control.zero
        if zero == CLAIM and self.table.is_among_bots:
            return LOST_ON_TIME_MESSAGE
        if zero == NOTHING or (zero == CLAIM and not self.attendance.shared):
            return FLAG_MESSAGES[NOTHING]  # bots and whoever plays on the same device claim nothing
        if zero == CLAIM and len(self.table.seats) == PAIR:
            return MAY_WIN_MESSAGE.format(self.name(1 - clocks.running)) + self.last
        return FLAG_MESSAGES[zero] + self.last

    @property
    def last(self) -> str:
        """Return what it means for ratings that a bot plays for the reader, as a sentence; empty if nothing."""
        return LAST_PLACE_WARNING if self.table.rated else ""

    @property
    def is_substituted(self) -> bool:
        """Whether a bot plays for the reader."""
        return self.reader.seat >= 0 and self.table.seats[self.reader.seat].stand_in != ""

    @property
    def terms(self) -> str:
        """Return what follows here once time is up or a player is away, as a sentence; empty as usual."""
        others = sum(seat.kind != BOT for seat in self.table.seats) > 1
        found = terms(self.table.time_control, self.table.patience) if others and not self.table.finished else ""
        return f"{found[0].upper()}{found[1:]}." if found else ""

    @property
    def has_usual_terms(self) -> bool:
        """Whether strangers would expect that."""
        return are_usual(TimeControl.read(self.table.time_control), self.table.patience)

    @property
    def opponent_absent(self) -> bool:
        """Is somebody missed for whose move the reader has waited long enough?"""
        return self.diary.turn in self.attendance.missed and has_waited(self.table, self.diary, self._now)

    @property
    def next_change_at(self) -> float | None:
        """When the reader may do more than now, though nothing has happened; None if that is never."""
        moments = [] if self.attendance.until is None else [self.attendance.until]
        if self.diary.turn in self.attendance.missed and not self.opponent_absent:
            moments.append(self.diary.turned + self.table.patience)
        if self.clocks and self._now < self.clocks.due < inf:
            moments.append(self.clocks.due)
        return min(moments, default=None)

    @property
    def sources(self) -> list[Source]:
        """Where everybody's points come from, as far as the game says so."""
        return score_sources(self.observation)

    @property
    def result_lines(self) -> list[str]:
        """How the result came about, for the reader, or for a winner if the reader watches or shares the screen."""
        return self.game.text.result_lines(self.observation.state, self.summary_seat)

    @cached_property
    def summary_seat(self) -> int:
        """The seat of which the end tells."""
        return self.reader.held[0] if len(self.reader.held) == 1 else self.observation.ranks().index(1)


def name_for(table: Table, reader: Viewer, seat: int) -> str:
    """What a seat's player is called for a reader."""
    return "You" if reader.held == (seat,) else table.seats[seat].name


def score_sources(view: Observation) -> list[Source]:
    """Where everybody's points come from; nothing where there is but one source."""
    return view.game.text.score_breakdown(view.state)
