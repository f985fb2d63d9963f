"""Guests: people known by a signed cookie alone. They have a name, a look they like, and their tables."""

from typing import NamedTuple

from starlette.requests import HTTPConnection, Request

from .secret import guest_token
from .troubles import Malformed

COOKIE = "almunia"
TEN_YEARS = 10 * 365 * 24 * 3600
THEMES = ("auto", "light", "dark")
LONGEST_NAME = 30
SHOWN_KEPT = 20  # tables for which the cookie remembers who looks at the screen


class Guest(NamedTuple):
    """Whoever sends a request. The id is empty for somebody who has not done anything yet."""

    id: str
    name: str
    theme: str


def guest_of(connection: HTTPConnection) -> Guest:
    """The guest who sent a request."""
    session = connection.session
    return Guest(session.get("guest", ""), session.get("name", "Guest"), session.get("theme", "auto"))


def welcome(request: Request) -> Guest:
    """The guest who sent a request, who from now on is remembered."""
    if "guest" not in request.session:
        request.session["guest"] = guest_token()
    return guest_of(request)


def rename(request: Request, name: str) -> None:
    """Call a guest by another name; Malformed if it is none."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise Malformed(f"A name has 1 to {LONGEST_NAME} characters; {name[:40]!r} cannot be used.")
    request.session["name"] = name


def choose_theme(request: Request, theme: str) -> None:
    """Show pages light, dark, or as the system likes it; Malformed for anything else."""
    if theme not in THEMES:
        raise Malformed(f"The look cannot be {theme[:40]!r}; choose one of: {', '.join(THEMES)}.")
    request.session["theme"] = theme


def looking(connection: HTTPConnection, table: str) -> int | None:
    """The seat for which the screen was last uncovered, where several people share it."""
    seat = connection.session.get("looking", {}).get(table)
    return seat if isinstance(seat, int) else None


def look(request: Request, table: str, seat: int) -> None:
    """Uncover the screen for a seat."""
    shown = {key: value for key, value in request.session.get("looking", {}).items() if key != table}
    kept = dict(list(shown.items())[-SHOWN_KEPT + 1 :])
    request.session["looking"] = {**kept, table: seat}
