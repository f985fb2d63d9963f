"""Opening a table: who is to sit where, and with which options, as a form says it."""

import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from ... import bots
from ...core.contract import Meta
from ...core.loaded import LoadedGame
from ...core.optional import Challenge
from ...errors import SetupError
from ...library import game
from ..clock import DAY
from ..errors import UNPROCESSABLE, BadRequest, NotFound
from ..tables.clocks import CLAIM, TIME_CONTROLS, TIMEOUT_POLICIES, TimeControl
from ..tables.model import BOT, OPEN, OPEN_SEAT_NAME, PERSON, Seat, Table
from ..tables.seats import bot_seat, distinct_name
from ..users.visitors import Visitor, checked_name

log = logging.getLogger(__name__)
PATIENCE = {  # seconds for which others wait for somebody who is away, in words
    300: "others wait 5 minutes",
    3600: "others wait an hour",
    DAY: "others wait a day",
    3 * DAY: "others wait three days",
    0: "others wait for ever",
}
ME, HERE, FRIEND, NOBODY = "me", "here", "friend", "nobody"
BOT_PREFIX = "bot-"
CHOSEN, RANDOM = "chosen", "random"  # how it is settled who sits where


def sitters() -> dict[str, str]:
    """Who may be put into a seat, with what a form calls them."""
    people = {ME: "You", HERE: "Another player here", FRIEND: "A friend, by link"}
    machines = {BOT_PREFIX + spec: f"Bot: {spec}, {about}" for spec, about in bots.LEVELS.items()}
    return {**people, **machines}


def quick_seats(meta: Meta, guest: Visitor) -> list[Seat]:
    """As few as the game takes: the guest, and bots."""
    return seats_of([ME] + [BOT_PREFIX + bots.DEFAULT_LEVEL] * (meta.seats[0] - 1), guest)


def seat_among_bots(count: int, seat: int, spec: str, guest: Visitor) -> list[Seat]:
    """The guest in one of so many seats, and bots in all others."""
    return seats_of([ME if p == seat else BOT_PREFIX + spec for p in range(count)], guest)


def asked_seats(meta: Meta, fields: Mapping[str, str], guest: Visitor) -> list[Seat]:
    """Return the seats that the fields of a form ask for; SetupError if they name an unknown occupant."""
    asked = [fields.get(f"seat-{i}", NOBODY) for i in range(meta.seats[1])]
    if not any(who in (ME, HERE) for who in asked):
        raise SetupError("Nobody on this device would be playing. Take a seat yourself, and leave the others to bots.")
    names = [fields.get(f"name-{i}", "").strip() for i, who in enumerate(asked) if who != NOBODY]
    seats, order = seats_of([who for who in asked if who != NOBODY], guest, names), fields.get("order", CHOSEN)
    if order not in (CHOSEN, RANDOM):
        raise SetupError(f"Seats cannot be given {order[:40]!r}; choose one of: {CHOSEN}, {RANDOM}.")
    return at_random(seats) if order == RANDOM else seats


def at_random(seats: Sequence[Seat]) -> list[Seat]:
    """The same people, each in any of the seats."""
    return secrets.SystemRandom().sample(seats, len(seats))


def seats_of(chosen: Sequence[str], guest: Visitor, names: Sequence[str] = ()) -> list[Seat]:
    """Seats for these sitters, with the names of other people at this screen."""
    known = sitters()
    seats: list[Seat] = []
    for i, who in enumerate(chosen):
        if who not in known:
            raise SetupError(f"{who[:40]!r} cannot take a seat; choose one of: {', '.join(known)}.")
        spec = who.removeprefix(BOT_PREFIX)
        given = names[i] if i < len(names) else ""
        if who == FRIEND:
            seats.append(Seat(OPEN, "", distinct_name(checked_name(given), seats) if given else OPEN_SEAT_NAME))
        elif who in (ME, HERE):
            name = guest.name if who == ME else checked_name(given) if given else f"Player {i + 1}"
            seats.append(Seat(PERSON, guest.id, distinct_name(name, seats), hours=guest.hours))
        else:
            seats.append(bot_seat(spec, seats))
    return seats


def same_seats(table: Table, guest: Visitor) -> list[Seat]:
    """The seats of a table for the next one: whoever played elsewhere is invited anew, unless they are gone."""
    return [
        Seat(OPEN, "", OPEN_SEAT_NAME if seat.is_deleted else seat.name)
        if seat.kind != BOT and seat.player != guest.id
        else seat
        for seat in table.seats
    ]


def checked_level(spec: str, others: Sequence[str] = ()) -> str:
    """The level of a bot; BadRequest if no bot has that name, and nor has any of the `others` who may sit there."""
    if spec not in bots.LEVELS:
        raise BadRequest(
            f"There is no bot {spec[:40]!r}; choose one of: {', '.join((*others, *bots.LEVELS))}.", UNPROCESSABLE
        )
    return spec


def checked_patience(seconds: int) -> int:
    """For how long others wait for somebody who is away; BadRequest if it cannot be so."""
    if seconds not in PATIENCE:
        known = ", ".join(map(str, PATIENCE))
        raise BadRequest(f"Others cannot wait for {seconds} seconds; choose one of: {known}.", UNPROCESSABLE)
    return seconds


def checked_time_control(name: str, zero: str = CLAIM) -> TimeControl:
    """How fast a table is played, and what happens when time is up; BadRequest if it cannot be so."""
    if name not in TIME_CONTROLS:
        known = ", ".join(filter(None, TIME_CONTROLS))
        raise BadRequest(f"There is no clock {name[:40]!r}; choose one of: {known}, or none.", UNPROCESSABLE)
    if zero not in TIMEOUT_POLICIES:
        known = ", ".join(TIMEOUT_POLICIES)
        raise BadRequest(
            f"{zero[:40]!r} is nothing that happens when time is up; choose one of: {known}.", UNPROCESSABLE
        )
    control = TIME_CONTROLS[name][1]
    return control._replace(on_timeout=zero) if control else control


def asked_listing(fields: Mapping[str, str]) -> dict[str, bool]:
    """Return what a table is to be listed for, as the fields of a form say it."""
    return {name: fields.get(name) == "1" for name in ("offered", "watched", "open_chat")}


def challenges_of(name: str) -> Any:
    """What has a game's fixed deals, or None."""
    text = game(name).text
    return text if text.CHALLENGES else None


def challenge_list(name: str) -> Sequence[Challenge]:
    """The fixed deals of a game; none, and a warning in the log, if the game cannot be used."""
    try:
        known = challenges_of(name)
    except Exception as error:  # noqa: BLE001 - a game of somebody's own, or its data, may fail in any way
        log.warning("The challenges of %s cannot be loaded: %s", name, error)
        return ()
    return known.CHALLENGES if known else ()


def challenge_of(game: LoadedGame, name: str) -> Challenge:
    """A fixed deal by name; NotFound if the game has none of that name."""
    for challenge in challenge_list(game.name):
        if challenge.name == name:
            return challenge
    raise NotFound(f"{game.meta.title} has no challenge called {name[:40]!r}.")


def attempts(tables: Sequence[Table]) -> list[tuple[str, int]]:
    """What came of challenges that are over, oldest first."""
    done = [t for t in tables if not t.end_reason and t.result]
    return [(t.challenge, t.result[0]) for t in sorted(done, key=lambda t: t.changed_at) if t.result]
