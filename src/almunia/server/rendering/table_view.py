"""What a viewer may know of a table and do there, for pages and for the API."""

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
    False: f"plays as {GREEDY}",
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
        return self.steps[self.number - 2].seen if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The version of the step after; None at the last."""
        return self.steps[self.number].seen if self.number < self.count else None


def replay_step_at(diary: ViewerHistory, here: int, first: int) -> ReplayStep | None:
    """Return the step at version `here` of a replay from `first`, or the next stored one; None if there is none."""
    shown = tuple(step for step in diary.steps if step.seen >= first)
    at = next((number for number, step in enumerate(shown) if step.seen >= here), None)
    if at is None or not 0 <= first <= here:
        return None
    return ReplayStep(shown, at + 1, first)


class TableView:
    """A table as one viewer sees it, now or at a step of a replay."""

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
        self.diary: ViewerHistory = snapshot.shown(reader.seat)
        self.is_asked_now = self._is_asked(self.diary)  # now, even during a replay
        self.sheets = self.diary.sheets
        self.replay_step = replay_step_at(self.diary, *at) if at and not reader.covered else None
        if self.replay_step:
            self.diary = snapshot.moment(reader.seat, self.replay_step.step)
        self.observation: Observation = self.diary.view

    @property
    def version(self) -> str:
        """A string that changes whenever the viewer's page must be rendered again."""
        cover = f"cover{self.table.turn}" if self.reader.covered else ""
        moment = f"at{self.replay_step.first}.{self.replay_step.count}" if self.replay_step else ""
        hint, late = "hint" if self.hint else "", "late" if self.opponent_flagged else ""
        overdue, unready = "overdue" if self.opponent_absent else "", "unready" if self.unready_bots else ""
        flagged = "flagged" if self.flag_message else ""
        people = f"{overdue}{self.attendance.mark}{late}{flagged}{unready}"
        return f"{self.reader.seat}.{self.diary.seen}{cover}{moment}{people}{hint}"

    @property
    def marked_steps(self) -> tuple[Step, ...]:
        """The steps whose places are highlighted: those replayed so far, or those that the viewer has missed."""
        return self.replay_step.steps[: self.replay_step.number] if self.replay_step else self.missed

    @property
    def missed(self) -> tuple[Step, ...]:
        """The steps of others since the viewer's own last action."""
        return self.diary.missed

    @property
    def own_act(self) -> Step | None:
        """The viewer's own last step, if nothing has happened since."""
        steps = self.diary.steps
        return steps[-1] if steps and steps[-1].seat == self.reader.seat and not self.replay_step else None

    @property
    def recent(self) -> tuple[Step, ...]:
        """The last steps of others and the viewer's steps since; the viewer can replay them at any time."""
        return self.diary.recent

    def _is_asked(self, diary: ViewerHistory) -> bool:
        """Return whether it is the viewer's turn, and no bot plays for the viewer."""
        if self.table.finished or self.table.undealt or self.reader.seat != diary.turn:
            return False
        return not self.table.seats[self.reader.seat].stand_in

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
        found = self._snapshot.standing
        return found if found and self.my_turn and self.reader.seat == found.learner else None

    @property
    def can_restart(self) -> bool:
        """Whether the viewer can undo more than the last choice."""
        return self.can_undo and self._snapshot.undo_count(whole_turn=True) > self._snapshot.undo_count()

    def name(self, seat: int) -> str:
        """Return the name of a seat's player, as this viewer reads it."""
        sitter = self.table.seats[seat]
        if self._offered and sitter.kind == OPEN and sitter.name == ANYBODY:
            return LISTED_SEAT_NAME
        return name_for(self.table, self.reader, seat)

    # --- seats and people ----------------------------------------------------------------

    def seat_actions(self, seat: int) -> set[str]:
        """Return the names of the actions that the viewer may take about a seat."""
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
        """The last event about a seat or a proposal; None without one."""
        return next((one for one in reversed(self.diary.log_entries) if one.stays), None)

    @property
    def proposal(self) -> Proposal | None:
        """The proposal that some players have still to answer; None without one."""
        return None if self.table.finished or self.replay_step else self._snapshot.proposal

    @property
    def moves_since_proposal(self) -> int:
        """The number of visible moves since a proposal to go back, which would be taken back too."""
        going_back = self.proposal is not None and self.proposal.back_to is not None
        return max(0, self.diary.told - self.diary.asked) if going_back else 0

    @property
    def awaited_seats(self) -> list[int]:
        """The seats whose players have still to answer the proposal."""
        if not self.proposal:
            return []
        players = {self.table.seats[p].player for p in self.proposal.agreed}
        return [p for p in self.table.people if self.table.seats[p].player not in players]

    @property
    def answering_seat(self) -> int | None:
        """The viewer's seat that has still to answer the proposal; None if there is none."""
        return next((p for p in self.awaited_seats if p in self.reader.held), None)

    @property
    def end_sentence(self) -> str:
        """A sentence on how the game ended early; empty if it did not."""
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
        """The seat that wins a game of two because the other player gave up; None if a bot has moved for it."""
        if self.table.gave_up is None or len(self.table.seats) > PAIR:
            return None
        other = 1 - self.table.gave_up
        return None if other in helped(self._snapshot.entries) else other

    def ends_by_resigning(self, seat: int) -> bool:
        """Return whether the game is over once a seat resigns."""
        return ends_by_resigning(self.table, seat)

    # --- the question --------------------------------------------------------------------

    @property
    def question(self) -> str:
        """The question to the seat to move."""
        return self.game.text.question(self.observation.state)

    @property
    def cite(self) -> str:
        """The mark of the rule behind the question; empty if the game names none."""
        return self.game.text.rule_of_question(self.observation.state)

    @property
    def hint(self) -> Hint | None:
        """The hint that the viewer got for this question; None without one."""
        return self.diary.hint if self.my_turn else None

    @property
    def may_ask_hint(self) -> bool:
        """Whether the viewer may ask for hints at this question, or has got one."""
        return self.table.hints and self.my_turn and not self._snapshot.standing

    @property
    def explains_illegal(self) -> bool:
        """Whether the game explains why an action is illegal."""
        return not is_default(self.game.text.explain_illegal)

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The codes of the viewer's legal actions."""
        return self.diary.legal

    @property
    def choices(self) -> list[ActionLabel]:
        """The legal actions with their labels."""
        return self.diary.offers

    # --- what is to be seen --------------------------------------------------------------

    @property
    def shows_own_view(self) -> bool:
        """Whether the page shows the viewer's own view, of the present or of a step."""
        return not (self.reader.covered or self._ended_early)

    @property
    def _ended_early(self) -> bool:
        """Whether the game is over, though its play is not."""
        return self.table.finished and bool(self.diary.legal)

    @cached_property
    def unready_bots(self) -> dict[int, str]:
        """What bots do, by seat, that wait until the game is compiled."""
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
    def last_visible_change(self) -> float:
        """The time of the last change that the viewer could notice; 0 for a spectator."""
        return max((self.table.seats[seat].noticed for seat in self.reader.held), default=0.0)

    @property
    def opponent_flagged(self) -> bool:
        """Whether the time of another seat is up, and the viewer may act on it."""
        clocks = self.clocks
        if clocks is None or clocks.control.zero != CLAIM or clocks.still or clocks.running in self.reader.held:
            return False
        return clocks.left_of(clocks.running, self._now) <= 0

    @property
    def flag_message(self) -> str:
        """A sentence on what may follow when the viewer's own time is up; empty while there is time."""
        clocks = self.clocks
        if clocks is None or clocks.still or clocks.running not in self.reader.held:
            return ""
        if clocks.left_of(clocks.running, self._now) > 0:
            return ""
        zero = clocks.control.zero
        if zero == CLAIM and self.table.is_among_bots:
            return LOST_ON_TIME_MESSAGE
        if zero == NOTHING or (zero == CLAIM and not self.attendance.shared):
            return FLAG_MESSAGES[NOTHING]  # bots and players on the same device claim nothing
        if zero == CLAIM and len(self.table.seats) == PAIR:
            return MAY_WIN_MESSAGE.format(self.name(1 - clocks.running)) + self.last
        return FLAG_MESSAGES[zero] + self.last

    @property
    def last(self) -> str:
        """A sentence on what a substitute bot means for the viewer's rating; empty in unrated games."""
        return LAST_PLACE_WARNING if self.table.rated else ""

    @property
    def is_substituted(self) -> bool:
        """Whether a bot plays for the viewer."""
        return self.reader.seat >= 0 and self.table.seats[self.reader.seat].stand_in != ""

    @property
    def terms(self) -> str:
        """A sentence on what follows when time is up or a player is away; empty if nothing does."""
        others = sum(seat.kind != BOT for seat in self.table.seats) > 1
        found = terms(self.table.time_control, self.table.patience) if others and not self.table.finished else ""
        return f"{found[0].upper()}{found[1:]}." if found else ""

    @property
    def has_usual_terms(self) -> bool:
        """Whether these terms are the ones that strangers expect."""
        return are_usual(TimeControl.read(self.table.time_control), self.table.patience)

    @property
    def opponent_absent(self) -> bool:
        """Whether the player to move has been away for so long that the viewer may let a bot play."""
        return self.diary.turn in self.attendance.missed and has_waited(self.table, self.diary, self._now)

    @property
    def next_change_at(self) -> float | None:
        """The time at which the viewer may do more, though nothing has happened; None if that is never."""
        moments = [] if self.attendance.until is None else [self.attendance.until]
        if self.diary.turn in self.attendance.missed and not self.opponent_absent:
            moments.append(self.diary.turned + self.table.patience)
        if self.clocks and self._now < self.clocks.due < inf:
            moments.append(self.clocks.due)
        return min(moments, default=None)

    @property
    def sources(self) -> list[Source]:
        """The points of all seats by source, as far as the game says so."""
        return score_sources(self.observation)

    @property
    def result_lines(self) -> list[str]:
        """Sentences on the result, to the viewer, or to a winner if the viewer watches or shares the screen."""
        return self.game.text.result_lines(self.observation.state, self.summary_seat)

    @cached_property
    def summary_seat(self) -> int:
        """The seat whose result the summary describes."""
        return self.reader.held[0] if len(self.reader.held) == 1 else self.observation.ranks().index(1)


def name_for(table: Table, reader: Viewer, seat: int) -> str:
    """Return the name of a seat's player for a viewer."""
    return "You" if reader.held == (seat,) else table.seats[seat].name


def score_sources(view: Observation) -> list[Source]:
    """Return the points of all seats by source; empty if there is only one source."""
    return view.game.text.score_breakdown(view.state)
