"""The log of a play as one viewer may read it: lines of pieces, which pages render as HTML and the API as text."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ...core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ...core.english import signed
from .score_sheets import Sheet

TEXT, REF, PLAYER, POINTS, RULE = "text", "ref", "who", "points", "rule"  # kinds of pieces


class Piece(NamedTuple):
    kind: str
    words: str
    target: str = ""  # the element that a reference names, the seat of a name, or the address of a rule


Line = tuple[Piece, ...]


@dataclass(frozen=True, eq=False, slots=True)
class LogEntry:
    """An entry of the log: an action or another event, with its lines."""

    action_count: int  # of the play until then
    seat: int  # that acted, or that the entry is about
    lines: tuple[Line, ...]
    survives_undo: bool = False  # whether an undo keeps the entry
    turn: int = NONE  # number of finished turns, if it is about an action
    gain: int = 0  # points of the action for its seat
    scoring: Sheet | None = None  # the points of all seats, if the action caused a scoring
    created_at: float = 0.0  # when it happened, which every reader of the entry could notice
    seconds: float = 0.0  # of an action: since the one before in this log

    def line_about(self, seat: int) -> Line:
        """Return the first line that begins with a seat's name, or else the first line."""
        return next((line for line in self.lines if subject_of(line) == seat), self.lines[0])


def subject_of(line: Line) -> int:
    """Return the seat whose name begins a line, or NONE."""
    return int(line[0].target) if line and line[0].kind == PLAYER else NONE


cached_entry = lru_cache(64)(LogEntry)  # of an action: all viewers with the same knowledge share one object


def pieces_of(line: RichLine, names: tuple[str, ...], rules: str = "") -> Line:
    """Return the pieces of a log line, with these names; `rules` is the address of the game's rules."""
    return tuple(_piece_of(part, names, rules) for part in line)


def plain_text(line: Line) -> str:
    """Return a line as text, without its references to rules."""
    return " ".join("".join(piece.words for piece in line if piece.kind != RULE).split())


def changed_elements(lines: Iterable[RichLine]) -> dict[str, int]:
    """Return the ids of the elements that lines name, in order, each with the first points that follow it, or 0."""
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
            return Piece(PLAYER, names[seat], str(seat))
        case Points(value):
            return Piece(POINTS, signed(value))
        case RuleRef(mark):
            return Piece(RULE, mark, f"{rules}#{mark}")
    return Piece(TEXT, part)
