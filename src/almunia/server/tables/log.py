"""The log of a play as one reader may know it: lines of pieces, which pages turn into HTML and the API into text."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ...core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ...core.english import signed
from .score_sheets import Sheet

TEXT, REF, WHO, POINTS, RULE = "text", "ref", "who", "points", "rule"  # kinds of pieces


class Piece(NamedTuple):
    """A part of a log line."""

    kind: str
    words: str
    target: str = ""  # the element that a reference names, the seat of a name, or the address of a rule


Line = tuple[Piece, ...]


@dataclass(frozen=True, eq=False, slots=True)
class LogEntry:
    """What an action brought about, or that a player sat down or left."""

    number: int  # of the action, or of the last one before
    seat: int  # that chose it, or that it is about
    lines: tuple[Line, ...]
    stays: bool = False  # does it outlast an undo?
    turn: int = NONE  # how many turns had been finished, if it is about an action
    gain: int = 0  # points that the action brought to its seat
    scoring: Sheet | None = None  # the points of all seats, if the action brought a scoring about

    def line_about(self, seat: int) -> Line:
        """Return the first line that begins with the name of a seat; the first of all if none does."""
        return next((line for line in self.lines if subject_of(line) == seat), self.lines[0])


def subject_of(line: Line) -> int:
    """Return the seat with whose name a line begins; NONE if it begins with another word."""
    return int(line[0].target) if line and line[0].kind == WHO else NONE


@lru_cache(64)
def shared_entry(
    number: int, seat: int, lines: tuple[Line, ...], turn: int, gain: int, scoring: Sheet | None = None
) -> LogEntry:
    """Return the entry about an action: the same object for all readers who may know the same of it."""
    return LogEntry(number, seat, lines, False, turn, gain, scoring)


def pieces_of(line: RichLine, names: tuple[str, ...], rules: str = "") -> Line:
    """Return the pieces of a log line, with the players of that time; `rules` is the address of the game's rules."""
    return tuple(_piece_of(part, names, rules) for part in line)


def plain_text(line: Line) -> str:
    """Return a line as text, without the addresses of rules."""
    return " ".join("".join(piece.words for piece in line if piece.kind != RULE).split())


def touched(lines: Iterable[RichLine]) -> dict[str, int]:
    """Return the ids of the elements that lines name, in their order, each with the points that it earned."""
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


def _piece_of(part: str | ElementRef | SeatName | Points | RuleRef, names: tuple[str, ...], rules: str) -> Piece:
    match part:
        case ElementRef(words, target):
            return Piece(REF, words, target)
        case SeatName(seat):
            return Piece(WHO, names[seat], str(seat))
        case Points(value):
            return Piece(POINTS, signed(value))
        case RuleRef(mark):
            return Piece(RULE, mark, f"{rules}#{mark}")
    return Piece(TEXT, part)
