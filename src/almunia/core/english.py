"""Numbers and lists as English writes them."""

from collections.abc import Iterable

MINUS = "\N{MINUS SIGN}"
ENDINGS = {1: "st", 2: "nd", 3: "rd"}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(value: int) -> str:
    """Return a number as text, with a typographic minus sign."""
    return str(value).replace("-", MINUS)


def signed(value: int) -> str:
    """Return a gain or loss with its sign: `+4`, with a typographic minus sign."""
    return f"{value:+d}".replace("-", MINUS)


def ordinal(place: int) -> str:
    """Return `1st`, `2nd`, `3rd` or `4th` for a rank among the players of a game."""
    return f"{place}{ENDINGS.get(place, 'th')}"


def pluralize(count: int, noun: str) -> str:
    """Return a number with a noun: `1 point`, `2 points`. The plural must end in -s."""
    return f"{number(count)} {noun}{'' if abs(count) == 1 else 's'}"


def position_name(number: int) -> str:
    """Return `move 3` for the position after the third move, and `the start` for 0."""
    return f"move {number}" if number else "the start"


def join_words(things: Iterable[str], conjunction: str = "and") -> str:
    """Return things as a list in words: `one`, `one and two`, `one, two and three`. Without things, return ""."""
    *first, last = [*things] or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def capitalize(words: str) -> str:
    """Return the words with a capital first letter; the other letters do not change."""
    return words[:1].upper() + words[1:]
