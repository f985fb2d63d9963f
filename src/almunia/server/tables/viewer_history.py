"""What one reader has seen of a play: the view, the log, the moments at which something happened, and the clocks.

A diary is never changed: what the reader sees next makes another one.
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
    ACT,
    AGREE,
    ASK,
    BACK,
    DEAL,
    DECLINE,
    END,
    EXPECT,
    FAIL,
    HINT,
    HOST,
    JOIN,
    LEAVE,
    LOSE,
    NOTICE,
    OUTAGE,
    PERSONAL,
    PLAY_ON,
    REFUSE,
    RELIEVE,
    REMOVE,
    RESIGN,
    RETURN,
    REWIND,
    STAND_IN,
    UNDO,
    VACATION,
    TableEvent,
)
from .rendering import ActionLabel, MacroLabel, RenderedView
from .score_sheets import Sheet, sheet_of

STEPS = 48  # moments that a diary keeps, for whoever wants to see what others did
LOOKED_AT = 256  # views of which pictures and words are kept
DEEDS = {  # all others sit down; what stands in brackets are the words of the entry
    LEAVE: " leaves the seat.",
    REMOVE: " is removed from the seat by the host.",
    FAIL: " cannot go on and leaves the seat.",
    PLAY_ON: " leaves the lesson and plays on.",
    STAND_IN: " is replaced by {} until they are back.",
    BACK: " is back.",
    RESIGN: " resigns.",
    HOST: " is the host now.",
    ASK: " asks {}.",
    AGREE: " agrees.",
    DECLINE: " declines.",
    END: "The game ends {}.",
    LOSE: " has run out of time.",
    VACATION: " is on vacation.",
    RETURN: " is back from vacation.",
    EXPECT: " is expected.",
    DEAL: " is the last to arrive: the game is dealt.",
    REFUSE: " does not want to play.",
    NOTICE: "Nobody has moved for a long time. The game ends in {} unless somebody does.",
    OUTAGE: "The site could not be reached for {}: no clock ran meanwhile.",
    REWIND: "All agree to go back {}.",
}
NAMING = {
    LEAVE,
    REMOVE,
    FAIL,
    PLAY_ON,
    RESIGN,
    JOIN,
    RELIEVE,
    EXPECT,
    REFUSE,
}  # of these the words are the name of whoever sits or sat there
SEATLESS = {END, NOTICE, OUTAGE}  # these concern a table, and no seat of it
ACTIVE = {ACT, UNDO, JOIN, BACK}  # what somebody does who is there


class Hint(NamedTuple):
    """What the expert would do, and why."""

    action: int
    words: str


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """A moment of a play at which a reader saw something new."""

    seen: int
    seat: int  # whose act led to it
    entries: int  # of the table until then
    actions: int  # of the play until then, without those that were undone
    told: int  # log entries until then
    lines: tuple[Line, ...]  # what was told of it
    touched: Mapping[str, int]  # ids of what it was about, each with the points that it earned
    scoring: Sheet | None = None  # what everybody got, if it was a scoring


@dataclass(frozen=True, eq=False)
class ViewerHistory:
    """What one reader has seen of a play, and what follows from it, which is worked out once for all who see the same.

    `seen` counts what the reader could notice. It is the version that this reader is given: the
    count of all entries would tell how many questions others have answered in secret.
    """

    reader: int
    view: Observation
    names: tuple[str, ...]
    seen: int = 0
    moved: int = 0  # `seen` when the play or the reader's own seat changed last: what came after is about others' seats
    log_entries: tuple[LogEntry, ...] = ()
    steps: tuple[Step, ...] = ()  # the last ones
    past: bool = False  # is this a moment that is over?
    only: int = NONE  # the one action that a lesson allows, if it allows one only
    hint: Hint | None = None  # that the reader was given on the question
    clocks: Clocks | None = None  # as they stood when the reader noticed something last
    asked: int = 0  # how many log entries of acts there were when somebody asked the others for something last
    dealt: bool = True  # if not, the view is of a deal that will be put aside, and nobody can move
    turned: float = 0.0  # when the turn came to the seat to move, or that seat did something last

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """What the reader may choose now."""
        if self.past or not self.dealt:
            return ()
        return self.view.legal_actions if self.only == NONE else (self.only,)

    @property
    def turn(self) -> int:
        """The seat to move, as far as the reader can know; NONE before the deal."""
        return self.view.turn if self.dealt else NONE

    def is_current(self, seen: int) -> bool:
        """Does the question stand that was asked when the reader had seen so much?"""
        return self.moved <= seen <= self.seen

    @property
    def told(self) -> int:
        """How many log entries tell of acts."""
        return sum(not one.stays for one in self.log_entries)

    @property
    def begun(self) -> bool:
        """Has the reader been told of any act that stands?"""
        return any(one.turn != NONE for one in self.log_entries)

    @property
    def missed(self) -> tuple[Step, ...]:
        """What others did since the reader's own last act, as far as it is kept."""
        since = next((i for i, step in enumerate(reversed(self.steps)) if step.seat == self.reader), len(self.steps))
        return self.steps[len(self.steps) - since :] if self.reader >= 0 else ()

    @property
    def recent(self) -> tuple[Step, ...]:
        """What others did last, and what the reader has done since then, as far as it is kept."""
        if self.missed or self.reader < 0:
            return self.missed
        runs = [tuple(run) for _, run in groupby(self.steps, lambda step: step.seat == self.reader)]
        return tuple(chain(*runs[-2:])) if len(runs) > 1 else ()

    def as_seen(self, step: Step, view: Observation) -> "ViewerHistory":
        """The diary as it was at that moment, when the reader saw this."""
        log_entries = self.log_entries[: step.told]
        return replace(self, view=view, seen=step.seen, log_entries=log_entries, past=True, hint=None)

    def sheet(self, seen: int) -> Sheet | None:
        """The scoring of that moment, if there was one."""
        return next((sheet for sheet in self.sheets if sheet.seen == seen), None)

    @property
    def sheets(self) -> list[Sheet]:
        """All scorings so far."""
        return [one.scoring for one in self.log_entries if one.scoring]

    @property
    def panels(self) -> list[picture.RenderedPanel]:
        """The pictures, the main one first."""
        return depiction_of(self).panels

    @property
    def offers(self) -> list[ActionLabel]:
        """The legal actions in words and in parts."""
        return depiction_of(self).offers

    @property
    def courses(self) -> list[MacroLabel]:
        """Several legal actions in a row that are offered as one choice; none in a lesson, which goes step by step."""
        return depiction_of(self).courses

    def after(self, entry: TableEvent, play: Play, number: int) -> "ViewerHistory":
        """The diary once an entry, the one of this number, has led to the position of `play`."""
        then = self._after(entry, play, number)
        if then.seen == self.seen:
            return then
        passed = then.view.turn != self.view.turn or entry.kind == DEAL
        if passed or (entry.kind in ACTIVE and entry.seat == then.view.turn):
            then = replace(then, turned=entry.time)
        if self.clocks is None:
            return then
        return replace(then, clocks=clocks_after(self.clocks, entry, self.view, then.view))

    def with_hours(self, hours: tuple[PlayingHours, ...]) -> "ViewerHistory":
        """The diary at a table whose players want to play at these hours."""
        if self.clocks is None or self.clocks.hours == hours:
            return self
        return replace(self, clocks=replace(self.clocks, hours=hours))

    def _after(self, entry: TableEvent, play: Play, number: int) -> "ViewerHistory":
        if entry.kind == HINT:
            return self.with_hint(entry)
        if entry.kind == PERSONAL:
            return self
        if entry.kind == UNDO and entry.follows:
            return self  # part of going back, which has been told
        if entry.kind not in (ACT, UNDO, REWIND):
            return self.with_sitter(entry, len(play.actions))
        view = play.observe(self.reader)
        if entry.kind == REWIND:
            return replace(self, view=view, hint=None).with_rewind(entry, len(play.actions))
        if entry.seat != self.reader and view.to_state() == self.view.to_state():
            return self
        then = replace(self, view=view, seen=self.seen + 1, moved=self.seen + 1, hint=None)
        if entry.kind == UNDO:
            return then.with_undo(entry.seat, number, len(play.actions))
        return then.with_act(self.view, entry, number, len(play.actions))

    def with_act(self, before: Observation, entry: TableEvent, number: int, actions: int) -> "ViewerHistory":
        """The diary with what is told of the act that led here, if anything is."""
        action = NONE if entry.action is None else entry.action
        lines = before.log_lines(action, self.view)
        if not lines:
            return self
        scoring = before.scoring(action, self.view)
        sheet = sheet_of(self.seen, scoring, before, self.view) if scoring else None
        gain = points_of(self.view, entry.seat) - points_of(before, entry.seat)
        rules = f"/games/{before.game.meta.name}/rules"
        words = tuple(log.pieces_of(line, self.names, rules) for line in lines)
        told = log.shared_entry(actions, entry.seat, words, before.turns, gain, sheet)
        log_entries = (*self.log_entries, told)
        step = Step(self.seen, entry.seat, number, actions, len(log_entries), words, log.touched(lines), sheet)
        return replace(self, log_entries=log_entries, steps=(*self.steps[1 - STEPS :], step))

    def with_undo(self, seat: int, number: int, actions: int) -> "ViewerHistory":
        """The diary once a seat has undone what came after so many actions.

        That is told once, however often it did, and only if anything had been told of what is undone.
        """
        lines = (log.pieces_of([SeatName(seat), " takes a move back."], self.names),)
        log_entries = undone(self.log_entries, actions)
        steps = [step for step in self.steps if step.actions <= actions]
        if len(steps) == len(self.steps) and len(log_entries) == len(self.log_entries):
            return self
        if steps and steps[-1].lines == lines:
            steps.pop()
        steps.append(Step(self.seen, seat, number, actions, len(log_entries), lines, {}))
        return replace(self, log_entries=log_entries, steps=tuple(steps))

    def with_rewind(self, entry: TableEvent, actions: int) -> "ViewerHistory":
        """The diary once all have agreed to go back to the position after so many actions."""
        line = log.pieces_of([DEEDS[REWIND].format(entry.words)], self.names)
        steps = tuple(step for step in self.steps if step.actions <= actions)
        log_entries = (*undone(self.log_entries, actions), LogEntry(actions, entry.seat, (line,), stays=True))
        return replace(self, seen=self.seen + 1, moved=self.seen + 1, steps=steps, log_entries=log_entries)

    def with_hint(self, entry: TableEvent) -> "ViewerHistory":
        """The diary once a seat was given a hint, of which no other learns, and which is nothing that was seen."""
        if entry.seat != self.reader or entry.action is None:
            return self
        return replace(self, hint=Hint(entry.action, entry.words))

    def with_sitter(self, entry: TableEvent, number: int) -> "ViewerHistory":
        """The diary once somebody has sat down or left, or something was said or done about a seat."""
        names = self.names
        if entry.kind in NAMING:
            names = (*names[: entry.seat], entry.words, *names[entry.seat + 1 :])
        deed = DEEDS.get(entry.kind, " sits down.").format(entry.words)
        line = log.pieces_of([deed] if entry.kind in SEATLESS else [SeatName(entry.seat), deed], names)
        log_entries = (*self.log_entries, LogEntry(number, entry.seat, (line,), stays=True))
        own = entry.seat == self.reader and entry.kind not in SEATLESS
        moved = self.seen + 1 if own or entry.kind == DEAL else self.moved
        asked = self.told if entry.kind == ASK else self.asked
        return replace(self, names=names, seen=self.seen + 1, moved=moved, log_entries=log_entries, asked=asked)


def depiction_of(diary: ViewerHistory) -> RenderedView:
    """The pictures and words of a diary.

    How a table stands and its last moment look the same to all who cannot choose: that is drawn once.
    """
    return depicted(diary.view, diary.legal, diary.names, diary.only == NONE)


@lru_cache(LOOKED_AT)
def depicted(view: Observation, legal: tuple[int, ...], names: tuple[str, ...], in_one_go: bool) -> RenderedView:
    """The pictures and words of a view; they take memory, so they are kept for those alone that are asked most."""
    return RenderedView(view, legal, names, in_one_go=in_one_go)


def points_of(view: Observation, seat: int) -> int:
    """The points of a seat so far."""
    return int(view.score_table()[seat, 0])


def undone(log_entries: Iterable[LogEntry], number: int) -> tuple[LogEntry, ...]:
    """What is left of the log when only so many actions are."""
    left = (one for one in log_entries if one.number <= number or one.stays)
    return tuple(one if one.number <= number else replace(one, number=number) for one in left)


def clocks_after(clocks: Clocks, entry: TableEvent, before: Observation, after: Observation) -> Clocks:
    """The clocks once a reader has noticed an entry that led from one view to another."""
    now, seat = entry.time, entry.seat
    match entry.kind:
        case kind if kind in (ACT, UNDO):
            turn = NONE if after.over else after.turn
            passed = (after.turns, after.turn) != (before.turns, before.turn)  # not all games count each choice
            return clocks.moved(now, turn, ended=kind == ACT and passed)
        case kind if kind == REWIND:
            return clocks.moved(now, after.turn, ended=False).anew(after.turn)
        case kind if kind in (JOIN, RELIEVE):
            return clocks.taken(now, seat, by_bot=kind == RELIEVE)
        case kind if kind in (LEAVE, REMOVE):
            return clocks.freed(now, seat)
        case kind if kind in (VACATION, RETURN):
            return clocks.on_vacation(now, seat, begins=kind == VACATION)
        case kind if kind == OUTAGE and entry.action is not None:
            return clocks.after_outage(now, entry.action)
        case kind if kind == STAND_IN:
            return clocks.stopping(now, seat)
        case kind if kind == BACK:
            return clocks.going_on(now, seat)
    return clocks
