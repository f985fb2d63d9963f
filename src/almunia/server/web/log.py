"""The log of a play on pages: chapters of lines, in which a repeated line stands once with its count."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from markupsafe import Markup

from ..hashes import short_hash
from ..tables.clocks import format_clock, format_utc
from ..tables.log import Line, LogEntry, subject_of
from ..tables.score_sheets import Sheet
from .templating import log_line

SCORING_LABEL = "Score details"
CHAPTER_SIZE = 10  # entries in a chapter
MAX_CACHED_CHAPTERS = 1024


class Group(NamedTuple):
    """Log entries that say the same, in a row."""

    number: int  # of the last entry
    lines: tuple[Line, ...]
    repeats: int
    scoring: Sheet | None = None
    created_at: float = 0.0  # of the last entry
    seconds: float = 0.0  # of all entries together

    @property
    def time(self) -> str:
        """When the last entry was written, and how long its player took; empty if it is not known."""
        if not self.created_at:
            return ""
        took = f", took {format_clock(self.seconds)}" if self.seconds >= 1 else ""
        return f"{format_utc(self.created_at)[:16].replace('T', ' ')} UTC{took}"

    def opening(self, css: str = "") -> Markup:
        """Return the start tag of the list item, with the time as its title."""
        css, title = (f' {name}="{value}"' if value else "" for name, value in (("class", css), ("title", self.time)))
        return Markup(f"<li{css}{title}>")  # noqa: S704 - a class of ours, and a time

    @property
    def repetition(self) -> Markup:
        """The number of repetitions as HTML; empty for a single entry."""
        if self.repeats == 1:
            return Markup()
        return Markup(' <b class="times">\N{MULTIPLICATION SIGN}{}</b>').format(self.repeats)

    def lines_about(self, seat: int) -> Iterator[Markup]:
        """Yield the lines that begin with the name of a seat, without it."""
        for line in self.lines:
            if subject_of(line) == seat:
                said = log_line(line[1:]).strip(": \n").rstrip(".")
                yield Markup(said) + self.repetition  # noqa: S704 - the template has escaped it

    @property
    def text(self) -> Markup:
        """The lines as paragraphs, the last with the number of repetitions if the entry was repeated."""
        *first, last = (f"<p>{log_line(line)}" for line in self.lines)
        return Markup("</p>".join([*first, f"{last}{self.repetition}", ""]))  # noqa: S704 - as above

    @property
    def item(self) -> str:
        """The content of a list item with its end tag, and with a link to its score sheet if there is one."""
        if self.scoring is None:
            return f"{self.text}</li>"
        return f'{self.text}<a class="button scored" href="?scoring={self.scoring.version}">{SCORING_LABEL}</a></li>'


class Chapter(NamedTuple):
    """A range of a log, as the items of a list."""

    name: str
    items: Markup
    hash: str  # a short hash of the items

    def as_list(self, shown: str | None) -> str:
        """Return the chapter as a list; the list is empty if a browser shows the chapter with the hash `shown`."""
        attributes = f'id="{self.name}" data-fragment="{self.name}" data-hash="{self.hash}"'
        return f"<ol {attributes} data-kept></ol>" if shown == self.hash else f"<ol {attributes}>{self.items}</ol>"


def chapters(entries: tuple[LogEntry, ...], viewer: int) -> list[Chapter]:
    """Return a log in chapters; entries after the last one with the viewer's seat are new.

    A browser that has the first chapters is not sent them again, so repetitions are counted within a chapter.
    """
    known, size = len(entries) - unread_count(entries, viewer), CHAPTER_SIZE
    found = []
    for number, start in enumerate(range(0, len(entries), size)):
        part = entries[start : start + size]
        old = min(max(0, known - start), size)  # constant once the whole chapter is old
        found.append(Chapter(f"log-{number}", *render_items(part, old)))
    return found


@lru_cache(MAX_CACHED_CHAPTERS)
def render_items(entries: tuple[LogEntry, ...], known: int) -> tuple[Markup, str]:
    """Return the items of a chapter, of which the first `known` entries are not new, and their hash, cached."""
    items = [f"{group.opening()}{group.item}" for group in groups(entries[:known])]
    text = "".join([*items, *(f"{group.opening('new')}{group.item}" for group in groups(entries[known:]))])
    return Markup(text), short_hash(text.encode())  # noqa: S704 - as above


def unread_count(entries: tuple[LogEntry, ...], viewer: int) -> int:
    """Return the number of entries after the viewer's last entry, or of all without one; 0 for a spectator."""
    if viewer < 0:
        return 0
    return next((i for i, one in enumerate(reversed(entries)) if one.seat == viewer), len(entries))


def groups(entries: tuple[LogEntry, ...]) -> Iterator[Group]:
    """Yield the entries, with equal entries in a row as one group."""
    for (lines, scoring), same in groupby(entries, attrgetter("lines", "scoring")):
        found = list(same)
        last, seconds = found[-1], sum(one.seconds for one in found)
        yield Group(last.action_count, lines, len(found), scoring, last.created_at, seconds)
