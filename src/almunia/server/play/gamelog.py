"""The log of a play as pages show it: lines by action, each written once."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from markupsafe import Markup

from ...core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ...core.english import signed
from ..templating import MARKS, environment, mark_of
from .scorings import Sheet

NAME = re.compile(r'<span class="who"><span class="mark seat-(\d)".*?</bdi></span>')  # as a line begins with it
SCORED = "Table of this scoring"
CHAPTER = 40  # entries in a chapter
WHOLE = 512  # chapters that are kept, of those to which nothing is added any more
WRITTEN = 2048  # lines that are kept


@dataclass(frozen=True, eq=False, slots=True)
class LogEntry:
    """What an action brought about, or that somebody sat down or left, in the words of a page."""

    number: int  # of the action, or of the last one before
    seat: int  # that chose it, or that it is about
    lines: tuple[Markup, ...]
    stays: bool = False  # does it outlast an undo?
    turn: int = NONE  # how many turns had been finished, if it is about an action
    gain: int = 0  # points that the action brought to its seat
    scoring: Sheet | None = None  # what everybody got, if the action brought a scoring about

    def line_about(self, seat: int) -> Markup:
        """The first line that begins with the name of a seat; the first of all if none does."""
        return next((line for line in self.lines if subject_of(line) == seat % len(MARKS)), self.lines[0])


def subject_of(line: Markup) -> int:
    """The seat, by its mark, with whose name a line begins; NONE if it begins with another word."""
    name = NAME.match(line)
    return int(name[1]) if name else NONE


@lru_cache(64)
def told(
    number: int, seat: int, lines: tuple[Markup, ...], turn: int, gain: int, scoring: Sheet | None = None
) -> LogEntry:
    """What an action brought about; one for all readers who are told the same."""
    return LogEntry(number, seat, lines, False, turn, gain, scoring)


class Group(NamedTuple):
    """What one action brought about, or several that did the same."""

    number: int  # of the last of them
    lines: tuple[Markup, ...]
    times: int
    scoring: Sheet | None = None

    @property
    def counted(self) -> Markup:
        """How often all was told, if more than once."""
        return (
            Markup(' <b class="times">\N{MULTIPLICATION SIGN}{}</b>').format(self.times) if self.times > 1 else Markup()
        )

    def said_of(self, seat: int) -> Iterator[Markup]:
        """The lines that begin with the name of a seat, without it."""
        for line in self.lines:
            if subject_of(line) == seat % len(MARKS):
                said = NAME.sub("", line, count=1).strip(": \n").rstrip(".")
                yield Markup(said) + self.counted  # noqa: S704 - marked up already

    @property
    def text(self) -> Markup:
        """The lines as paragraphs; the last says how often all were told."""
        *first, last = (f"<p>{line}" for line in self.lines)
        return Markup("</p>".join([*first, f"{last}{self.counted}", ""]))  # noqa: S704 - the lines are marked up already

    @property
    def item(self) -> str:
        """What stands in the list, with a link to the table of a scoring."""
        link = f'<a class="button scored" href="?scoring={self.scoring.seen}">{SCORED}</a>' if self.scoring else ""
        return f"{self.text}{link}</li>"


class Chapter(NamedTuple):
    """A stretch of a log, as the items of a list."""

    name: str
    items: Markup
    mark: str  # a short hash of the items


def chapters(entries: tuple[LogEntry, ...], reader: int) -> list[Chapter]:
    """A log in chapters; what came after the reader's last action is new.

    A page that has the first ones is not sent them again. What is told again and again is counted within its chapter.
    """
    known = len(entries) - unread(entries, reader)
    found = []
    for number, start in enumerate(range(0, len(entries), CHAPTER)):
        part = entries[start : start + CHAPTER]
        old = min(max(0, known - start), CHAPTER)  # the same for good once all of it is
        found.append(Chapter(f"log-{number}", *(whole if len(part) == CHAPTER else listed)(part, old)))
    return found


@lru_cache(WHOLE)
def whole(entries: tuple[LogEntry, ...], known: int) -> tuple[Markup, str]:
    """The items of a chapter to which nothing is added any more."""
    return listed(entries, known)


def listed(entries: tuple[LogEntry, ...], known: int) -> tuple[Markup, str]:
    """The items of a chapter, of which the first `known` entries are not new, and their hash."""
    items = [f"<li>{group.item}" for group in groups(entries[:known])]
    text = "".join([*items, *(f'<li class="new">{group.item}' for group in groups(entries[known:]))])
    return Markup(text), mark_of(text.encode())  # noqa: S704 - as above


def unread(entries: tuple[LogEntry, ...], reader: int) -> int:
    """How many entries follow the reader's own last one; 0 for a spectator."""
    if reader < 0:
        return 0
    return next((i for i, one in enumerate(reversed(entries)) if one.seat == reader), len(entries))


def groups(entries: tuple[LogEntry, ...]) -> Iterator[Group]:
    """What is told; the same again and again is told once, with its count."""
    for (lines, scoring), same in groupby(entries, attrgetter("lines", "scoring")):
        numbers = [one.number for one in same]
        yield Group(numbers[-1], lines, len(numbers), scoring)


def in_words(line: RichLine, names: tuple[str, ...], rules: str = "") -> Markup:
    """A log line in the words of a page, with those who sat there then; `rules` is the address of the game's rules."""
    return written(tuple(piece_of(part, names, rules) for part in line))


@lru_cache(WRITTEN)
def written(pieces: tuple["Piece", ...]) -> Markup:
    """A log line as a page has it; every one is written once."""
    module: Any = environment().get_template("_macros.html").module
    return Markup(module.log_line(pieces))  # noqa: S704 - the template has escaped it


def touched(lines: Iterable[RichLine]) -> dict[str, int]:
    """The ids of what lines name in the picture, in their order, each with the points that it earned as far as told."""
    earned: dict[str, int] = {}
    for line in lines:
        latest = ""
        for part in line:
            match part:
                case ElementRef(_, target):
                    latest = target
                    earned.setdefault(target, 0)
                case Points(value) if latest:
                    earned[latest] = earned[latest] or value
    return earned


class Piece(NamedTuple):
    """A part of a log line as the template wants it."""

    kind: str
    words: str
    target: str = ""


def piece_of(part: str | ElementRef | SeatName | Points | RuleRef, names: tuple[str, ...], rules: str) -> Piece:
    """A part of a log line, in words."""
    match part:
        case ElementRef(words, target):
            return Piece("ref", words, target)
        case SeatName(seat):
            return Piece("who", names[seat], str(seat))
        case Points(value):
            return Piece("points", signed(value))
        case RuleRef(mark):
            return Piece("rule", mark, f"{rules}#{mark}")
    return Piece("text", part)
