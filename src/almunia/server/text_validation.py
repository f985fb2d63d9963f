"""What people type on one line: a name, or a message."""

from collections.abc import Callable
from itertools import chain, groupby
from unicodedata import category, normalize

from .errors import UNPROCESSABLE, BadRequest

BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0 "  # letters that show nothing
JOINERS = "\u200c\u200d"
SELECTORS = chain([0x34F, 0x17B4, 0x17B5], range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
INVISIBLE_LETTERS = dict.fromkeys(
    chain(map(ord, BLANK_LETTERS.strip() + JOINERS), SELECTORS)
)  # they show nothing beside letters
CONFUSABLE_LETTERS = str.maketrans(  # letters of other scripts, and digits, that are drawn as these
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423"
    "\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0445\u0443\u04bb\u0501\u04cf"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd"
    "I1|0",
    "ABESlJKMHOPCTXYaesijopcxyhdlABEZHlKMNOPTYXovlllO",
)
MAX_STACKED_MARKS = 6  # marks above or below one letter; more would cover what others have written


def validate_line(words: str, kind: str, longest: int, empty: str, is_shown: Callable[[str], bool]) -> str:
    """Words without needless blanks; BadRequest, with status 422 and the sentence `empty` if that is what they are."""
    words = " ".join(words.split())
    if not words.strip(BLANK_LETTERS):
        raise BadRequest(empty, UNPROCESSABLE)
    if len(words) > longest:
        raise BadRequest(
            f"A {kind} may have at most {longest} characters, and this one has {len(words)}.", UNPROCESSABLE
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
    """How many marks stand above or below the same letter, at most."""
    marks = (category(letter) in ("Mn", "Me") for letter in words if letter not in JOINERS)
    return max((len([*run]) for is_mark, run in groupby(marks) if is_mark), default=0)


def confusable_skeleton(words: str) -> str:
    """What words look like: the same for all that people could take for each other."""
    return normalize("NFKC", words.translate(INVISIBLE_LETTERS)).translate(CONFUSABLE_LETTERS)
