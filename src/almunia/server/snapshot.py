"""A table's play, rebuilt from its entries, with the log as each reader may read it.

A snapshot is never changed: the next entry makes another one, so a page that is being drawn from it
stays in one piece.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self

from markupsafe import Markup

from ..core import picture
from ..core.contract import NONE, Who
from ..core.game import Game
from ..core.lines import gain_of, spoken
from ..core.play import Observation, Play
from ..errors import AlmuniaError, RecordError
from . import gamelog, lessons
from .acting import undo_count
from .gamelog import Chapter, LogEntry
from .scorings import Sheet, sheet_of
from .store import ACT, FAIL, HINT, LEAVE, PLAY_ON, UNDO, Entry, Table

APART = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"  # as the element bdi does it in what is marked up
STEPS = 48  # moments that a diary keeps, for whoever wants to see what others did
LOOKED_AT = 256  # diaries of which pictures and words are kept
DEEDS = {  # all others sit down
    LEAVE: " leaves the seat.",
    FAIL: " cannot go on and leaves the seat.",
    PLAY_ON: " leaves the lesson and plays on.",
}


class Offer(NamedTuple):
    """A legal action in the words of a page."""

    action: int
    words: str
    effect: str
    gain: int  # points that it brings at once
    parts: tuple[tuple[str, str], ...]


class CourseOffer(NamedTuple):
    """Actions that are offered as one choice, in the words of a page."""

    actions: tuple[int, ...]
    words: str
    effect: str
    gain: int  # points that they bring at once

    @property
    def code(self) -> str:
        """The actions as a form sends them."""
        return ",".join(map(str, self.actions))


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
    lines: tuple[Markup, ...]  # what was told of it
    touched: Mapping[str, int]  # ids of what it was about, each with the points that it earned
    scoring: Sheet | None = None  # what everybody got, if it was a scoring


@dataclass(frozen=True, eq=False)
class Diary:
    """What one reader has seen of a play, and what follows from it, which is worked out once for all who see the same.

    `seen` counts what the reader could notice. It is the version that this reader is given: the
    count of all entries would tell how many questions others have answered in secret.
    """

    reader: int
    view: Observation
    names: tuple[str, ...]
    seen: int = 0
    log_entries: tuple[LogEntry, ...] = ()
    steps: tuple[Step, ...] = ()  # the last ones
    past: bool = False  # is this a moment that is over?
    only: int = NONE  # the one action that a lesson allows, if it allows one only
    hint: Hint | None = None  # that the reader was given on the question

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """What the reader may choose now."""
        if self.past:
            return ()
        return self.view.legal if self.only == NONE else (self.only,)

    @property
    def missed(self) -> tuple[Step, ...]:
        """What others did since the reader's own last act, as far as it is kept."""
        since = next((i for i, step in enumerate(reversed(self.steps)) if step.seat == self.reader), len(self.steps))
        return self.steps[len(self.steps) - since :] if self.reader >= 0 else ()

    def as_seen(self, step: Step, view: Observation) -> "Diary":
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
    def panels(self) -> list[picture.Drawn]:
        """The pictures, the main one first; those of a moment that is over are not kept, for nobody asks again."""
        return picture.panels(self.view) if self.past else panels_of(self)

    @property
    def offers(self) -> list[Offer]:
        """The legal actions in words and in parts."""
        return offers_of(self)

    @property
    def courses(self) -> list[CourseOffer]:
        """Several legal actions in a row that are offered as one choice; none in a lesson, which goes step by step."""
        return courses_of(self) if self.legal and self.only == NONE else []

    @property
    def log(self) -> list[Chapter]:
        """The log as the table's page shows it."""
        return gamelog.chapters(self.log_entries, self.reader)

    def after(self, entry: Entry, play: Play, number: int) -> "Diary":
        """The diary once an entry, the one of this number, has led to the position of `play`."""
        if entry.kind == HINT:
            return self.with_hint(entry)
        if entry.kind not in (ACT, UNDO):
            return self.with_sitter(entry, len(play.actions))
        view = play.observe(self.reader)
        if entry.seat != self.reader and view.to_state() == self.view.to_state():
            return self
        then = replace(self, view=view, seen=self.seen + 1, hint=None)
        if entry.kind == UNDO:
            return then.with_undo(entry.seat, number, len(play.actions))
        return then.with_act(self.view, entry, number, len(play.actions))

    def with_act(self, before: Observation, entry: Entry, number: int, actions: int) -> "Diary":
        """The diary with what is told of the act that led here, if anything is."""
        action = NONE if entry.action is None else entry.action
        lines = before.tell(action, self.view)
        if not lines:
            return self
        scoring = before.scoring(action, self.view)
        sheet = sheet_of(self.seen, scoring, before, self.view) if scoring else None
        gain = points_of(self.view, entry.seat) - points_of(before, entry.seat)
        rules = f"/games/{before.game.meta.name}/rules"
        words = tuple(gamelog.in_words(line, self.names, rules) for line in lines)
        told = gamelog.told(actions, entry.seat, words, before.turns, gain, sheet)
        log_entries = (*self.log_entries, told)
        step = Step(self.seen, entry.seat, number, actions, len(log_entries), words, gamelog.touched(lines), sheet)
        return replace(self, log_entries=log_entries, steps=(*self.steps[1 - STEPS :], step))

    def with_undo(self, seat: int, number: int, actions: int) -> "Diary":
        """The diary once a seat has undone what came after so many actions.

        That is told once, however often it did, and only if anything had been told of what is undone.
        """
        lines = (gamelog.in_words([Who(seat), " takes a move back."], self.names),)
        log_entries = undone(self.log_entries, actions)
        steps = [step for step in self.steps if step.actions <= actions]
        if len(steps) == len(self.steps) and len(log_entries) == len(self.log_entries):
            return self
        if steps and steps[-1].lines == lines:
            steps.pop()
        steps.append(Step(self.seen, seat, number, actions, len(log_entries), lines, {}))
        return replace(self, log_entries=log_entries, steps=tuple(steps))

    def with_hint(self, entry: Entry) -> "Diary":
        """The diary once a seat was given a hint, of which no other learns, and which is nothing that was seen."""
        if entry.seat != self.reader or entry.action is None:
            return self
        return replace(self, hint=Hint(entry.action, entry.words))

    def with_sitter(self, entry: Entry, number: int) -> "Diary":
        """The diary once somebody has sat down or left."""
        names = (*self.names[: entry.seat], entry.words, *self.names[entry.seat + 1 :])
        deed = DEEDS.get(entry.kind, " sits down.")
        line = gamelog.in_words([Who(entry.seat), deed], names)
        log_entries = (*self.log_entries, LogEntry(number, entry.seat, (line,), stays=True))
        return replace(self, names=names, seen=self.seen + 1, log_entries=log_entries)


# What takes memory is kept for those diaries alone that are asked most.


@lru_cache(LOOKED_AT)
def panels_of(diary: Diary) -> list[picture.Drawn]:
    """The pictures of what a diary's reader sees."""
    return picture.panels(diary.view, diary.legal)


@lru_cache(LOOKED_AT)
def offers_of(diary: Diary) -> list[Offer]:
    """What its reader may choose, in words and in parts."""
    return [offer_of(diary, action) for action in diary.legal]


@lru_cache(LOOKED_AT)
def courses_of(diary: Diary) -> list[CourseOffer]:
    """What its reader may choose in one go, in words; nothing where the game proposes none."""
    text: Any = diary.view.game.text
    if not hasattr(text, "courses"):
        return []
    found, names = text.courses(diary.view.state), apart(diary.names)
    return [
        CourseOffer(one.actions, spoken(one.offer, names), spoken(one.effect, names), gain_of(one.effect))
        for one in found
    ]


def offer_of(diary: Diary, action: int) -> Offer:
    """An action with the players' names in its words."""
    text, s = diary.view.game.text, diary.view.state
    names = apart(diary.names)
    words, effect = text.offer(s, action), text.effect(s, action)
    parts = tuple(text.parts(s, action).items())
    return Offer(action, spoken(words, names), spoken(effect, names), gain_of(effect), parts)


def apart(names: Iterable[str]) -> list[str]:
    """Names, each kept apart from the direction of the words around it."""
    return [APART.format(name) for name in names]


class Snapshot:
    """A table at one version."""

    def __init__(self, table: Table, play: Play, entries: tuple[Entry, ...], diaries: dict[int, Diary]) -> None:
        self.table, self.play = table, play
        self._entries, self._diaries = entries, diaries

    @classmethod
    def rebuild(cls, table: Table, entries: Iterable[Entry], game: Game) -> Self:
        """The snapshot that these entries lead to; RecordError if the rules have changed since."""
        check_version(table, game)
        play = game.start(len(table.seats), table.seed, table.options)
        kept = tuple(entries)
        for entry in kept:
            try:
                follow(play, entry)
            except AlmuniaError as error:
                raise RecordError(f"This table cannot be continued, for its record does not replay: {error}") from None
        return cls(table, play, kept, {})

    def after(self, entries: tuple[Entry, ...], play: Play) -> "Snapshot":
        """The snapshot after more entries, which led to `play`; what is kept of its table is as it was."""
        diaries, reached = dict(self._diaries), self.play.copy()
        for number, entry in enumerate(entries, len(self._entries) + 1):
            follow(reached, entry)
            diaries = {reader: diary.after(entry, reached, number) for reader, diary in diaries.items()}
        return Snapshot(self.table, play, self._entries + entries, diaries)

    def with_table(self, table: Table) -> "Snapshot":
        """The same with what is now kept of its table."""
        return Snapshot(table, self.play, self._entries, self._diaries)

    @cached_property
    def standing(self) -> lessons.Standing | None:
        """Where the table stands in its lesson, if it is in one."""
        return lessons.standing(self.table, self.play.actions, self._entries)

    @cached_property
    def taught(self) -> Diary:
        """The diary of whoever learns, with what the lesson allows now."""
        if not self.standing:
            raise LookupError("This table is in no lesson.")
        return replace(self.diary(self.standing.learner), only=self.standing.only)

    def shown(self, reader: int) -> Diary:
        """What a reader is shown now: the diary, and in a lesson what it allows."""
        return self.taught if self.standing and self.standing.learner == reader else self.diary(reader)

    def undo_count(self, whole_turn: bool = False) -> int:
        """How many actions an undo takes back now; 0 if nothing can be undone."""
        return undo_count(self._entries, self.play.undoable, whole_turn)

    @property
    def hinted(self) -> tuple[int, ...]:
        """The numbers, from 1, of the actions before which a hint was given."""
        count, found = 0, set()
        for entry in self._entries:
            count += {ACT: 1, UNDO: -1}.get(entry.kind, 0)
            if entry.kind == HINT:
                found.add(count + 1)
        return tuple(sorted(found))

    def diary(self, reader: int) -> Diary:
        """The diary of a seat, or of a spectator."""
        if reader not in self._diaries:
            self._diaries[reader] = self._written(reader)
        return self._diaries[reader]

    def _written(self, reader: int) -> Diary:
        play = self.play.game.start(len(self.table.seats), self.table.seed, self.table.options)
        diary = Diary(reader, play.observe(reader), first_names(self.table, self._entries))
        for number, entry in enumerate(self._entries, 1):
            follow(play, entry)
            diary = diary.after(entry, play, number)
        return diary

    def moment(self, reader: int, step: Step) -> Diary:
        """The diary of a reader as it was at one of its steps."""
        play = self.play.game.start(len(self.table.seats), self.table.seed, self.table.options)
        for entry in self._entries[: step.entries]:
            follow(play, entry)
        return self.diary(reader).as_seen(step, play.observe(reader))

    def reached(self, number: int) -> Play:
        """The play after its first actions."""
        play = self.play.game.start(len(self.table.seats), self.table.seed, self.table.options)
        for action in self.play.actions[:number]:
            play.apply(action)
        return play


def follow(play: Play, entry: Entry) -> None:
    """Do what an entry says. Entries that only concern the seats change nothing in a play."""
    if entry.kind == ACT and entry.action is not None:
        play.apply(entry.action)
    elif entry.kind == UNDO:
        play.undo()


def points_of(view: Observation, seat: int) -> int:
    """The points of a seat so far."""
    return int(view.score_table()[seat, 0])


def undone(log_entries: Iterable[LogEntry], number: int) -> tuple[LogEntry, ...]:
    """What is left of the log when only so many actions are."""
    left = (one for one in log_entries if one.number <= number or one.stays)
    return tuple(one if one.number <= number else replace(one, number=number) for one in left)


def first_names(table: Table, entries: Iterable[Entry]) -> tuple[str, ...]:
    """What the sitters were called when the table was opened: whoever leaves first in a seat sat there then."""
    names = {number: seat.name for number, seat in enumerate(table.seats)}
    changed: set[int] = set()
    for entry in entries:
        if entry.kind not in (ACT, UNDO, HINT) and entry.seat not in changed:
            changed.add(entry.seat)
            names[entry.seat] = entry.words
    return tuple(names.values())


def check_version(table: Table, game: Game) -> None:
    """RecordError if a table was begun with other rules or components than these."""
    if (table.rules, table.components) != (game.meta.rules_version, game.components):
        raise RecordError(
            f"This table was begun with version {table.rules} of the rules and components {table.components}; this "
            f"site now has version {game.meta.rules_version} and {game.components}, so it cannot be continued here."
        )
