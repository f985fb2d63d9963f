"""Guests: people known by a signed cookie alone. They have a name, preferences, and their tables."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, normalize

from starlette.requests import HTTPConnection, Request

from ...bots.levels import LEVELS
from ..errors import BadRequest
from ..tables.clocks import PlayingHours
from ..text_validation import confusable_skeleton, validate_line
from ..tokens import new_guest_id

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
LINK, DIGITS = "://", "0123456789"
WORD = re.compile(r"[^\W_]+")
SHOWN_KEPT = 20  # tables for which the cookie remembers who looks at the screen


class Visitor(NamedTuple):
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


def guest_of(connection: HTTPConnection) -> Visitor:
    """The guest who sent a request. Of preferences those count that can still be chosen: cookies outlive versions."""
    session = connection.session
    kept = {name: value for name, values in PREFERENCES.items() if (value := session.get(name)) in values}
    chosen = {**USUAL, **kept, "hours": known_hours(session.get("hours", ""))}
    name = session.get("name", NAMELESS)
    return Visitor(session.get("guest", ""), NAMELESS if is_reserved(name) else name, **chosen)


def known_hours(kept: str) -> str:
    """Hours as a cookie has them; all of the day if they cannot be understood any more."""
    try:
        return str(PlayingHours.parse(kept))
    except BadRequest:
        return ""


def welcome(request: Request) -> Visitor:
    """The guest who sent a request, who from now on is remembered."""
    if "guest" not in request.session:
        request.session["guest"] = new_guest_id()
    return guest_of(request)


def checked_label(name: str) -> str:
    """Return a label without needless blanks; BadRequest, with status 422, if it cannot be one."""
    empty = "A name needs at least one letter. Please enter your name."
    return validate_line(name, "name", LONGEST_NAME, empty, lambda name: JOINER.sub("", name).isprintable())


def checked_name(name: str) -> str:
    """The name of a person, without needless blanks; BadRequest, with status 422, if it cannot be one.

    Others read it in mails and at tables, so it is neither a link nor that of a bot or of whoever runs the site.
    """
    name = checked_label(name)
    if normalize("NFKC", JOINER.sub("", name)).casefold() == READER:
        raise BadRequest("The site uses “You” for the reader. Please choose another name.", 422)
    if LINK in normalize("NFKC", name):
        raise BadRequest(f"A name is no address of the web, so it cannot contain “{LINK}”. Please choose another.", 422)
    if is_reserved(name):
        raise BadRequest(f"“{name}” could be taken for a bot or for the site itself. Please choose another name.", 422)
    return name


@lru_cache(1024)
def is_reserved(name: str) -> bool:
    """Could somebody of this name be taken for a bot, for the site, or for whoever runs it?"""
    words = [folded(word) for found in WORD.findall(strip_marks(name)) if (word := found.rstrip(DIGITS))]
    return "".join(words) in BOTS | TITLES or (bool(words) and all(word in TITLES for word in words))


def strip_marks(name: str) -> str:
    """A name without accents, in the plain form of its letters."""
    return "".join(letter for letter in normalize("NFKD", name) if not combining(letter))


def folded(word: str) -> str:
    """A word in one spelling for all that look alike: `ADM1N` and `admin`."""
    return confusable_skeleton(word).casefold().replace("l", "i")


BOTS = frozenset(folded(f"{level}bot") for level in LEVELS)
TITLES = frozenset(map(folded, ("almunia", "admin", "administrator", "moderator", "support", "system")))


def rename(request: Request, name: str) -> None:
    """Call a guest by another name; BadRequest if it is none."""
    request.session["name"] = checked_name(name)


def checked_preferences(chosen: Mapping[str, str]) -> dict[str, str]:
    """Preferences as they are kept; BadRequest if one of them cannot be so."""
    for name, value in chosen.items():
        if value not in PREFERENCES[name]:
            raise BadRequest(f"There is no {name} {value[:40]!r}; choose one of: {', '.join(PREFERENCES[name])}.")
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
