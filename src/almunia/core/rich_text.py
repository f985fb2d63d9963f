"""Lines, in which names and points stand apart from the words around them, as plain text."""

from collections.abc import Sequence

from .contract import Cite, Line, Points, Ref, Who
from .english import signed


def spoken(line: Line, names: Sequence[str] = ()) -> str:
    """A line as plain text, with the players' names in it, or without names as `seat 1`."""
    return "".join(_spoken_part(part, names) for part in line)


def _spoken_part(part: str | Ref | Who | Points | Cite, names: Sequence[str]) -> str:
    match part:
        case Who(seat):
            return names[seat] if names else f"seat {seat + 1}"
        case Ref(words, _):
            return words
        case Points(value):
            return signed(value)
        case Cite():
            return ""
    return part


def gain_of(line: Line) -> int:
    """The points that an effect promises to whoever chooses it: the first it names, if no other seat comes before."""
    for part in line:
        match part:
            case Who():
                return 0
            case Points(value):
                return value
    return 0
