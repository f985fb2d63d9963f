"""What people type on one line: a name, or a message."""

from collections.abc import Callable

from .errors import UNFIT, Malformed

BLANK = "\u115f\u1160\u2800\u3164\uffa0 "  # letters that show nothing


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
    return words
