"""Restoring of texts that mail programs, forums, wikis or editors have changed."""

import re
from html import unescape
from unicodedata import normalize

UNSEEN = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"  # invisible characters
OPENING = re.compile(  # markup of quotations and of preformatted text
    rf"^(?:[\s>|{UNSEEN}]|&(?:gt|nbsp|#160);|(?:`{{3,}}|~{{3,}})(?:\w+$)?"
    r"|\[/?[a-z]\w*(?:=[^\]]*)?\]|</?[a-z][^>]*>|\{\w+(?::\w+)?\}|\{{3}|\}{3}$)+",
    re.IGNORECASE,
)
CLOSING = re.compile(r"(?:\[/\w+\]|</\w+>|\{\w+\}|```|~~~)$")
SIGNATURE = "--"  # in mails a space follows, which is lost in quotations
FOLDED = re.compile(f"[{UNSEEN}]")
TYPED = str.maketrans(  # typographic characters to those of a keyboard
    dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u00b4`"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"')
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
)


def unquoted_lines(text: str) -> list[str]:
    """Return the lines of a text without quotation marks, code fences, signature and outer spaces.

    Lines with no other content become empty, so that line numbers do not change.
    """
    lines = [OPENING.sub("", line).strip() for line in text.splitlines()]
    if SIGNATURE in lines:
        lines = lines[: lines.index(SIGNATURE)]
    last = max((number for number, line in enumerate(lines) if line), default=0)
    while lines and (cut := CLOSING.sub("", lines[last]).rstrip()) != lines[last]:
        lines[last] = cut
    return lines


def as_typed(words: str) -> str:
    """Return a text with ASCII quotes, hyphens and spaces. Decode HTML entities and remove invisible characters."""
    if words.isascii() and "&" not in words and "`" not in words:
        return words
    typed = FOLDED.sub("", unescape(words)).translate(TYPED)
    return normalize("NFKC", typed)
