"""Guests: people known by a signed cookie alone. They have a name, preferences, and their tables."""

import re
from collections.abc import Mapping
from typing import NamedTuple
from unicodedata import normalize

from starlette.requests import HTTPConnection, Request

from ..errors import Malformed
from ..play.clocks import Hours
from ..secret import guest_token
from ..typed import checked_line

COOKIE = "almunia"
TEN_YEARS = 10 * 365 * 24 * 3600
THEMES = ("auto", "light", "dark")
PACES = {"off": 0, "fast": 250, "normal": 600, "slow": 1200, "step": -1}  # milliseconds that a move of others is shown
CONFIRMS = ("never", "final", "always")  # when a move is to be confirmed: `final` ones cannot be undone
LONGEST_NAME = 30
NEXT_ORDERS = ("longest", "latest", "clock")  # in which games come that wait for somebody
NAMELESS = "Guest"  # what somebody is called who has not said how
READER = "you"  # what pages call whoever reads them, in small letters
JOINER = re.compile(r"(?<=[^\s\u200c\u200d])[\u200c\u200d](?=[^\s\u200c\u200d])")  # as in Persian words
SHOWN_KEPT = 20  # tables for which the cookie remembers who looks at the screen


class Guest(NamedTuple):
    """Whoever sends a request. The id is empty for somebody who has not done anything yet."""

    id: str
    name: str
    theme: str
    pace: str  # at which others' moves are shown, of PACES
    confirm: str  # of CONFIRMS
    forced: str  # what becomes of a question with a single answer: "skip" or "ask"
    sound: str  # "off", or what is heard when it is the guest's turn
    hints: str  # "on" or "off": is help offered where a table allows it?
    colours: str  # the palette
    motion: str  # "auto" as the system is set, or "less"
    size: str  # of boards
    next: str  # of NEXT_ORDERS
    hours: str = ""  # when slow games are to be played, as `clocks.Hours` reads it; empty at any time


# What may be chosen, by name; the first of each is the usual one, but for those of USUAL.
PREFERENCES: dict[str, tuple[str, ...]] = {
    "theme": THEMES,
    "pace": tuple(PACES),
    "confirm": CONFIRMS,
    "forced": ("skip", "ask"),
    "sound": ("off", "bell", "wood"),
    "hints": ("on", "off"),
    "colours": ("usual", "deuteranopia", "tritanopia", "contrast"),
    "motion": ("auto", "less"),
    "size": ("usual", "large"),
    "next": NEXT_ORDERS,
}
USUAL = {name: values[0] for name, values in PREFERENCES.items()} | {"pace": "normal", "confirm": "final"}


def guest_of(connection: HTTPConnection) -> Guest:
    """The guest who sent a request. Of preferences those count that can still be chosen: cookies outlive versions."""
    session = connection.session
    kept = {name: value for name, values in PREFERENCES.items() if (value := session.get(name)) in values}
    chosen = {**USUAL, **kept, "hours": known_hours(session.get("hours", ""))}
    return Guest(session.get("guest", ""), session.get("name", NAMELESS), **chosen)


def known_hours(kept: str) -> str:
    """Hours as a cookie has them; all of the day if they cannot be understood any more."""
    try:
        return str(Hours.read(kept))
    except Malformed:
        return ""


def welcome(request: Request) -> Guest:
    """The guest who sent a request, who from now on is remembered."""
    if "guest" not in request.session:
        request.session["guest"] = guest_token()
    return guest_of(request)


def checked_name(name: str) -> str:
    """A name without needless blanks; Malformed, with status 422, if it cannot be one."""
    empty = "A name needs at least one letter. Please enter your name."
    name = checked_line(name, "name", LONGEST_NAME, empty, lambda name: JOINER.sub("", name).isprintable())
    if normalize("NFKC", JOINER.sub("", name)).casefold() == READER:
        raise Malformed("The site uses “You” for the reader. Please choose another name.", 422)
    return name


def rename(request: Request, name: str) -> None:
    """Call a guest by another name; Malformed if it is none."""
    request.session["name"] = checked_name(name)


def checked_preferences(chosen: Mapping[str, str]) -> dict[str, str]:
    """Preferences as they are kept; Malformed if one of them cannot be so."""
    for name, value in chosen.items():
        if value not in PREFERENCES[name]:
            raise Malformed(f"There is no {name} {value[:40]!r}; choose one of: {', '.join(PREFERENCES[name])}.")
    return dict(chosen)


def looking(connection: HTTPConnection, table: str) -> int | None:
    """The seat for which the screen was last uncovered, where several people share it."""
    seat = connection.session.get("looking", {}).get(table)
    return seat if isinstance(seat, int) else None


def look(request: Request, table: str, seat: int) -> None:
    """Uncover the screen for a seat."""
    shown = {key: value for key, value in request.session.get("looking", {}).items() if key != table}
    kept = dict(list(shown.items())[-SHOWN_KEPT + 1 :])
    request.session["looking"] = {**kept, table: seat}
