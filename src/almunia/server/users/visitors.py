"""Visitors and guests. A signed cookie holds a guest's id, name and preferences."""

import re
from collections.abc import Mapping
from functools import lru_cache
from string import digits
from typing import NamedTuple
from unicodedata import combining, normalize

from starlette.requests import HTTPConnection, Request

from ...bots.levels import LEVELS
from ..errors import BadRequest
from ..tables.clocks import PlayingHours
from ..tables.moves import CONFIRM_POLICIES, WAIT
from ..text_validation import confusable_skeleton, validate_line
from ..tokens import new_guest_id

COOKIE_NAME = "almunia"
COOKIE_SECONDS = 10 * 365 * 24 * 3600
THEMES = ("auto", "light", "dark")
PACES = {"off": 0, "fast": 250, "normal": 600, "slow": 1200, "step": -1}  # milliseconds for which a page shows a move
MAX_NAME_LENGTH = 30
NEXT_ORDERS = ("longest", "latest", "clock")  # orders of waiting games
DEFAULT_NAME = "Guest"  # of visitors who have not chosen one
READER_NAME = "you"  # by which pages address their reader, in lower case
JOINER_PATTERN = re.compile(r"(?<=[^\s\u200c\u200d])[\u200c\u200d](?=[^\s\u200c\u200d])")  # as in Persian words
WORD_PATTERN = re.compile(r"[^\W_]+")
MAX_SHARED_SCREENS = 20  # tables in the cookie


class Visitor(NamedTuple):
    """The sender of a request. The id is empty before the first action."""

    id: str
    name: str
    theme: str
    pace: str  # of PACES, for moves of opponents
    confirm: str  # which moves need confirmation
    forced: str  # "skip" or "ask" for choices with a single legal action
    sound: str  # "off", or the sound of the guest's turn
    hints: str  # "on" or "off": whether pages offer hints at tables that allow them
    colours: str  # the palette
    motion: str  # "auto" for the system's setting, or "less"
    size: str  # of boards
    next: str  # of NEXT_ORDERS
    hours: str = ""  # of slow games, as `PlayingHours` reads them; empty for all hours


# Values by name. The first value is the default, unless DEFAULT_PREFERENCES has another.
PREFERENCES: dict[str, tuple[str, ...]] = {
    "theme": THEMES,
    "pace": tuple(PACES),
    "confirm": CONFIRM_POLICIES,  # which moves need confirmation
    "forced": ("skip", "ask"),
    "sound": ("off", "bell", "wood"),
    "hints": ("on", "off"),
    "colours": ("usual", "deuteranopia", "tritanopia", "contrast"),
    "motion": ("auto", "less"),
    "size": ("usual", "large"),
    "next": NEXT_ORDERS,
}
DEFAULT_PREFERENCES = {name: values[0] for name, values in PREFERENCES.items()} | {"pace": "normal", "confirm": WAIT}


def current_visitor(connection: HTTPConnection) -> Visitor:
    """Return the sender of a request, with defaults for a missing or reserved name and for invalid preferences."""
    session = connection.session
    kept = {name: value for name, values in PREFERENCES.items() if (value := session.get(name)) in values}
    chosen = {**DEFAULT_PREFERENCES, **kept, "hours": parse_hours(session.get("hours", ""))}
    name = session.get("name", DEFAULT_NAME)
    return Visitor(session.get("guest", ""), DEFAULT_NAME if is_reserved(name) else name, **chosen)


def parse_hours(kept: str) -> str:
    """Return the hours in a cookie; if the text is invalid, return the empty text, which means all hours."""
    try:
        return str(PlayingHours.parse(kept))
    except BadRequest:
        return ""


def ensure_visitor(request: Request) -> Visitor:
    """Return the sender of a request, with a new guest id if there is none."""
    if "guest" not in request.session:
        request.session["guest"] = new_guest_id()
    return current_visitor(request)


def validate_label(name: str) -> str:
    """Return a label without superfluous blanks; BadRequest, with status 422, if it is invalid."""
    empty = "A name needs at least one letter. Please enter your name."
    return validate_line(name, "name", MAX_NAME_LENGTH, empty, lambda name: JOINER_PATTERN.sub("", name).isprintable())


def validate_name(name: str) -> str:
    """Return the name of a person without superfluous blanks; BadRequest, with status 422, if it is invalid.

    Others read the name in emails and at tables. So names that look like a link, `you`, a bot or the site are invalid.
    """
    name = validate_label(name)
    if normalize("NFKC", JOINER_PATTERN.sub("", name)).casefold() == READER_NAME:
        raise BadRequest("The site uses “You” for the reader. Please choose another name.", 422)
    if "://" in normalize("NFKC", name):
        raise BadRequest("A name can't be a web address, so it can't contain “://”. Please choose another name.", 422)
    if is_reserved(name):
        raise BadRequest(
            f"“{name}” could be mistaken for a bot or for the site itself. Please choose another name.", 422
        )
    return name


@lru_cache(1024)
def is_reserved(name: str) -> bool:
    """Whether a name looks like that of a bot, of the site, or of its administrator."""
    unaccented = "".join(letter for letter in normalize("NFKD", name) if not combining(letter))
    words = [fold(word) for found in WORD_PATTERN.findall(unaccented) if (word := found.rstrip(digits))]
    return "".join(words) in BOT_NAMES | RESERVED_WORDS or (bool(words) and RESERVED_WORDS.issuperset(words))


def fold(word: str) -> str:
    """Return the common form of words that look alike: `ADM1N` and `admin`."""
    return confusable_skeleton(word).casefold().replace("l", "i")


BOT_NAMES = frozenset(fold(f"{level}bot") for level in LEVELS)
RESERVED_WORDS = frozenset(map(fold, ("almunia", "admin", "administrator", "moderator", "support", "system")))


def rename(request: Request, name: str) -> None:
    """Set the name of a guest; BadRequest if it is invalid."""
    request.session["name"] = validate_name(name)


def validate_preferences(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return valid preferences; BadRequest if a value is unknown."""
    for name, value in chosen.items():
        if value not in PREFERENCES[name]:
            raise BadRequest(f"There is no {name} {value[:40]!r}; choose one of: {', '.join(PREFERENCES[name])}.")
    return dict(chosen)


def shared_screen_seat(connection: HTTPConnection, table: str) -> int | None:
    """Return the seat for which a shared screen was last revealed, or None."""
    seat = connection.session.get("shared_screen_seats", {}).get(table)
    return seat if isinstance(seat, int) else None


def reveal_screen(request: Request, table: str, seat: int) -> None:
    shown = {key: value for key, value in request.session.get("shared_screen_seats", {}).items() if key != table}
    kept = dict(list(shown.items())[-MAX_SHARED_SCREENS + 1 :])
    request.session["shared_screen_seats"] = {**kept, table: seat}
