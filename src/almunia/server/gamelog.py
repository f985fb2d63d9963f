"""The log of a play as pages show it: lines by action, each written once."""

from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from ..core.contract import SPECTATOR, Line, Points, Ref, Who
from .pages import environment, signed


class Told(NamedTuple):
    """A log line in the words of a page, with the number of the action it tells of and the seat that chose it."""

    number: int
    seat: int
    words: Markup
    stays: bool = False  # does it outlast an undo?


class Group(NamedTuple):
    """The lines of one action, or of several that tell the same."""

    number: int
    new: bool  # has the reader not acted since?
    lines: list[Markup]
    times: int = 1

    @property
    def text(self) -> Markup:
        """The lines as paragraphs, with how often they were told."""
        *first, last = (f"<p>{line}" for line in self.lines)
        if self.times > 1:
            last += f' <b class="times">\N{MULTIPLICATION SIGN}{self.times}</b>'
        return Markup("</p>".join([*first, last, ""]))  # noqa: S704 - the lines are marked up already


def listed(told: tuple[Told, ...], reader: int) -> Markup:
    """The log as the items of a list; what came after the reader's last action is new."""
    opening = ("<li>", '<li class="new">')
    items = (f"{opening[group.new]}{group.text}</li>" for group in groups(told, reader))
    return Markup("".join(items))  # noqa: S704 - as above


def groups(told: tuple[Told, ...], reader: int) -> list[Group]:
    """Log lines by action; the same line again and again is one, with its count."""
    last_own = max((line.number for line in told if line.seat == reader), default=0)
    several = any(line.seat != reader for line in told)
    found: list[Group] = []
    for number, lines in groupby(told, lambda line: line.number):
        new = several and number > last_own and reader != SPECTATOR
        shown, times = [line.words for line in lines], 1
        if found and (found[-1].lines, found[-1].new) == (shown, new):
            times += found.pop().times
        found.append(Group(number, new, shown, times))
    return found


def in_words(line: Line, names: tuple[str, ...]) -> Markup:
    """A log line in the words of a page, with those who sat there then."""
    return written(tuple(line), names)


@lru_cache(8192)
def written(line: tuple[str | Ref | Who | Points, ...], names: tuple[str, ...]) -> Markup:
    """The same; every line once."""
    module: Any = environment().get_template("_macros.html").module
    return Markup(module.log_line([piece_of(part, names) for part in line]))  # noqa: S704 - the template has escaped it


def piece_of(part: str | Ref | Who | Points, names: tuple[str, ...]) -> dict[str, str]:
    """A part of a log line as the template wants it."""
    match part:
        case Ref(words, target):
            return {"kind": "ref", "words": words, "target": target}
        case Who(seat):
            return {"kind": "who", "words": names[seat], "target": str(seat)}
        case Points(value):
            return {"kind": "points", "words": ("+" if value >= 0 else "") + signed(value), "target": ""}
    return {"kind": "text", "words": part, "target": ""}
