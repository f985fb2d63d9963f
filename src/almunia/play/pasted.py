"""Undoes what mail programs, forums, wikis and editors do to a text on its way."""

import re
from html import unescape
from unicodedata import normalize

UNSEEN = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"  # nothing is drawn
OPENING = re.compile(  # marks of quotations, and marks that keep a text as it is
    rf"^(?:[\s>|{UNSEEN}]|&(?:gt|nbsp|#160);|(?:`{{3,}}|~{{3,}})(?:\w+$)?"
    r"|\[/?[a-z]\w*(?:=[^\]]*)?\]|</?[a-z][^>]*>|\{\w+(?::\w+)?\}|\{{3}|\}{3}$)+",
    re.IGNORECASE,
)
CLOSING = re.compile(r"(?:\[/\w+\]|</\w+>|\{\w+\}|```|~~~)$")
SIGNATURE = "--"  # with a blank behind it in mails, of which little is left when they are quoted
FOLDED = re.compile(f"[{UNSEEN}]")
TYPED = str.maketrans(  # what keyboards have, for what word processors make of it
    dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u00b4`"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"')
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
)


def unwrapped(text: str) -> list[str]:
    """Return the lines of a text without marks of quotation, code fences, signature and outer blanks.

    Lines that hold nothing else are blank, so that the numbers of the others stay.
    """
    lines = [OPENING.sub("", line).strip() for line in text.splitlines()]
    if SIGNATURE in lines:
        lines = lines[: lines.index(SIGNATURE)]
    last = max((number for number, line in enumerate(lines) if line), default=0)
    while lines and (cut := CLOSING.sub("", lines[last]).rstrip()) != lines[last]:
        lines[last] = cut
    return lines


def folded(words: str) -> str:
    """Return words with the quotes, hyphens and blanks of a keyboard, and without characters that show nothing."""
    if words.isascii() and "&" not in words and "`" not in words:
        return words
    typed = FOLDED.sub("", unescape(words)).translate(TYPED)
    return normalize("NFKC", typed)
