"""Texts as they were before mail programs, forums, wikis and editors changed them."""

import re
from html import unescape
from unicodedata import normalize

UNSEEN = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"  # invisible characters
OPENING = re.compile(  # marks of quotations and of preformatted text
    rf"^(?:[\s>|{UNSEEN}]|&(?:gt|nbsp|#160);|(?:`{{3,}}|~{{3,}})(?:\w+$)?"
    r"|\[/?[a-z]\w*(?:=[^\]]*)?\]|</?[a-z][^>]*>|\{\w+(?::\w+)?\}|\{{3}|\}{3}$)+",
    re.IGNORECASE,
)
CLOSING = re.compile(r"(?:\[/\w+\]|</\w+>|\{\w+\}|```|~~~)$")
SIGNATURE = "--"  # mails have a blank after it, which is lost in quotations
FOLDED = re.compile(f"[{UNSEEN}]")
TYPED = str.maketrans(  # typographic characters to those of a keyboard
    dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u00b4`"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"')
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
)


def unquoted_lines(text: str) -> list[str]:
    """Return the lines of a text without marks of quotation, code fences, signature and outer blanks.

    Lines with nothing else become empty, so that line numbers stay the same.
    """
    lines = [OPENING.sub("", line).strip() for line in text.splitlines()]
    if SIGNATURE in lines:
        lines = lines[: lines.index(SIGNATURE)]
    last = max((number for number, line in enumerate(lines) if line), default=0)
    while lines and (cut := CLOSING.sub("", lines[last]).rstrip()) != lines[last]:
        lines[last] = cut
    return lines


def as_typed(words: str) -> str:
    """Return words with the quotes, hyphens and blanks of a keyboard, and without invisible characters."""
    if words.isascii() and "&" not in words and "`" not in words:
        return words
    typed = FOLDED.sub("", unescape(words)).translate(TYPED)
    return normalize("NFKC", typed)
