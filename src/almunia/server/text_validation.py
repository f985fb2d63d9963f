"""Validation of names and messages, which are texts of one line."""

from collections.abc import Callable
from itertools import chain, groupby
from unicodedata import category, normalize

from .errors import UNPROCESSABLE, BadRequest

BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0 "  # letters without ink
JOINERS = "\u200c\u200d"
SELECTORS = chain([0x34F, 0x17B4, 0x17B5], range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
INVISIBLE_LETTERS = dict.fromkeys(
    chain(map(ord, BLANK_LETTERS.strip() + JOINERS), SELECTORS)
)  # invisible among letters
CONFUSABLE_LETTERS = str.maketrans(  # letters of other scripts, and digits, to the letters they look like
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423"
    "\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0445\u0443\u04bb\u0501\u04cf"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd"
    "I1|0",
    "ABESlJKMHOPCTXYaesijopcxyhdlABEZHlKMNOPTYXovlllO",
)
MAX_STACKED_MARKS = 6  # on one letter; more would cover other lines


def validate_line(words: str, kind: str, longest: int, empty: str, is_shown: Callable[[str], bool]) -> str:
    """Return a text with single blanks; raise BadRequest with status 422 if the text is invalid.

    Args:
        words: the text.
        kind: the noun for the text in messages, such as "name".
        longest: the maximum number of characters.
        empty: the message for an empty text.
        is_shown: returns whether a text can be displayed.
    """
    words = " ".join(words.split())
    if not words.strip(BLANK_LETTERS):
        raise BadRequest(empty, UNPROCESSABLE)
    if len(words) > longest:
        raise BadRequest(
            f"A {kind} can have at most {longest} characters, and this one has {len(words)}.", UNPROCESSABLE
        )
    if not is_shown(words):
        sentence = f"This {kind} contains a character that cannot be displayed. Use letters and punctuation."
        raise BadRequest(sentence, UNPROCESSABLE)
    if max_stacked_marks(words) > MAX_STACKED_MARKS:
        raise BadRequest(
            f"This {kind} has more than {MAX_STACKED_MARKS} accents on one letter. Please use fewer.", UNPROCESSABLE
        )
    return words


def max_stacked_marks(words: str) -> int:
    """Return the largest number of combining marks on one letter."""
    marks = (category(letter) in ("Mn", "Me") for letter in words if letter not in JOINERS)
    return max((len([*run]) for is_mark, run in groupby(marks) if is_mark), default=0)


def confusable_skeleton(words: str) -> str:
    """Return a form of a text (in Unicode, its skeleton) that is the same for many texts that look alike."""
    return normalize("NFKC", words.translate(INVISIBLE_LETTERS)).translate(CONFUSABLE_LETTERS)
