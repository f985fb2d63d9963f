"""Lines, in which names and points stand apart from the words around them, as plain text."""

from collections.abc import Sequence

from .contract import ElementRef, Points, RichLine, RuleRef, SeatName
from .english import signed


def spoken(line: RichLine, names: Sequence[str] = ()) -> str:
    """A line as plain text, with the players' names in it, or without names as `seat 1`."""
    return "".join(_spoken_part(part, names) for part in line)


def _spoken_part(part: str | ElementRef | SeatName | Points | RuleRef, names: Sequence[str]) -> str:
    match part:
        case SeatName(seat):
            return names[seat] if names else f"seat {seat + 1}"
        case ElementRef(words, _):
            return words
        case Points(value):
            return signed(value)
        case RuleRef():
            return ""
    return part


def gain_of(line: RichLine) -> int:
    """The points that an effect promises to whoever chooses it: the first it names, if no other seat comes before."""
    for part in line:
        match part:
            case SeatName():
                return 0
            case Points(value):
                return value
    return 0
