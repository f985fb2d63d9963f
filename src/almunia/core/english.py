"""Numbers and lists as English writes them."""

from collections.abc import Iterable

MINUS = "\N{MINUS SIGN}"
ENDINGS = {1: "st", 2: "nd", 3: "rd"}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(value: int) -> str:
    """A number with a minus sign as printers set it."""
    return str(value).replace("-", MINUS)


def signed(value: int) -> str:
    """What is won or lost: `+4`, with a minus sign as printers set it."""
    return f"{value:+d}".replace("-", MINUS)


def ordinal(place: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, for places among the players of a game."""
    return f"{place}{ENDINGS.get(place, 'th')}"


def count_of(count: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number(count)} {noun}{'' if abs(count) == 1 else 's'}"


def position_name(number: int) -> str:
    """`move 3`, for the position after it; `the start`."""
    return f"move {number}" if number else "the start"


def listed(things: Iterable[str]) -> str:
    """`one`, `one and two`, `one, two and three`."""
    *first, last = [*things] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def capital(words: str) -> str:
    """With a capital in front; the rest stays as it is."""
    return words[:1].upper() + words[1:]
