"""What people type on one line: a name, or a message."""

from collections.abc import Callable
from itertools import groupby
from unicodedata import category

from .errors import UNFIT, Malformed

BLANK = "\u115f\u1160\u2800\u3164\uffa0 "  # letters that show nothing
JOINERS = "\u200c\u200d"
STACKED = 6  # marks above or below one letter; more would cover what others have written


def checked_line(words: str, kind: str, longest: int, empty: str, is_shown: Callable[[str], bool]) -> str:
    """Words without needless blanks; Malformed, with status 422 and the sentence `empty` if that is what they are."""
    words = " ".join(words.split())
    if not words.strip(BLANK):
        raise Malformed(empty, UNFIT)
    if len(words) > longest:
        raise Malformed(f"A {kind} may have at most {longest} characters, and this one has {len(words)}.", UNFIT)
    if not is_shown(words):
        sentence = f"This {kind} contains a character that cannot be displayed. Use letters and punctuation."
        raise Malformed(sentence, UNFIT)
    if highest_stack(words) > STACKED:
        raise Malformed(f"This {kind} has more than {STACKED} accents on one letter. Please use fewer.", UNFIT)
    return words


def highest_stack(words: str) -> int:
    """How many marks stand above or below the same letter, at most."""
    marks = (category(letter) in ("Mn", "Me") for letter in words if letter not in JOINERS)
    return max((len([*run]) for is_mark, run in groupby(marks) if is_mark), default=0)
