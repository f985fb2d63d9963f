"""Lines with names, points and references (`contract.RichLine`), as plain text."""

from collections.abc import Sequence

from .contract import ElementRef, Points, RichLine, RuleRef, SeatName
from .english import signed


def plain_text(line: RichLine, names: Sequence[str] = ()) -> str:
    """Return a line as plain text, with the players' names, or `seat 1` without names."""

    def plain(part: str | ElementRef | SeatName | Points | RuleRef) -> str:
        match part:
            case SeatName(seat):
                return names[seat] if names else f"seat {seat + 1}"
            case ElementRef(words, _):
                return words
            case Points(value):
                return signed(value)
        return "" if isinstance(part, RuleRef) else part

    return "".join(map(plain, line))


def own_points(line: RichLine) -> int:
    """Return the first points in the effect of an action; 0 if there are none, or if a seat's name precedes them."""
    for part in line:
        match part:
            case SeatName():
                return 0
            case Points(value):
                return value
    return 0
