"""Seats, clocks, listings and challenges of a new table: made, or parsed from forms."""

import logging
import secrets
from collections.abc import Mapping, Sequence

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
from ..users.visitors import Visitor, validate_name

log = logging.getLogger(__name__)
ABSENCE_TIMEOUTS = {  # seconds until a bot may replace an absent player, in words
    300: "others wait 5 minutes",
    3600: "others wait an hour",
    DAY: "others wait a day",
    3 * DAY: "others wait three days",
    0: "others wait forever",
}
ME, HERE, FRIEND, NOBODY = "me", "here", "friend", "nobody"
BOT_PREFIX = "bot-"
CHOSEN_ORDER, RANDOM_ORDER = "chosen", "random"  # of the seats


def seat_choices() -> dict[str, str]:
    """Return the occupants that a form offers for a seat, with their labels."""
    people = {ME: "You", HERE: "Another player on this device", FRIEND: "A friend, by link"}
    machines = {BOT_PREFIX + spec: f"Bot: {spec}, {about}" for spec, about in bots.LEVELS.items()}
    return {**people, **machines}


def seats_among_bots(count: int, seat: int, spec: str, guest: Visitor) -> list[Seat]:
    """Return seats with the guest in one of them, and bots in all others."""
    return make_seats([ME if p == seat else BOT_PREFIX + spec for p in range(count)], guest)


def parse_seats(meta: Meta, fields: Mapping[str, str], guest: Visitor) -> list[Seat]:
    """Return the seats that the fields of a form ask for; SetupError or BadRequest if they are invalid."""
    asked = [fields.get(f"seat-{i}", NOBODY) for i in range(meta.seats[1])]
    if not any(who in (ME, HERE) for who in asked):
        raise SetupError("No player on this device has a seat. Take a seat yourself, and leave the others to bots.")
    names = [fields.get(f"name-{i}", "").strip() for i, who in enumerate(asked) if who != NOBODY]
    seats, order = make_seats([who for who in asked if who != NOBODY], guest, names), fields.get("order", CHOSEN_ORDER)
    if order not in (CHOSEN_ORDER, RANDOM_ORDER):
        raise SetupError(f"The order of seats cannot be {order[:40]!r}; choose one of: {CHOSEN_ORDER}, {RANDOM_ORDER}.")
    return shuffle_seats(seats) if order == RANDOM_ORDER else seats


def shuffle_seats(seats: Sequence[Seat]) -> list[Seat]:
    return secrets.SystemRandom().sample(seats, len(seats))


def make_seats(chosen: Sequence[str], guest: Visitor, names: Sequence[str] = ()) -> list[Seat]:
    """Return seats for occupants; SetupError if one is unknown, BadRequest if a name is invalid."""
    known = seat_choices()
    seats: list[Seat] = []
    for i, who in enumerate(chosen):
        if who not in known:
            raise SetupError(f"{who[:40]!r} cannot take a seat; choose one of: {', '.join(known)}.")
        spec = who.removeprefix(BOT_PREFIX)
        given = names[i] if i < len(names) else ""
        if who == FRIEND:
            seats.append(Seat(OPEN, "", distinct_name(validate_name(given), seats) if given else OPEN_SEAT_NAME))
        elif who in (ME, HERE):
            name = guest.name if who == ME else validate_name(given) if given else f"Player {i + 1}"
            seats.append(Seat(PERSON, guest.id, distinct_name(name, seats), hours=guest.hours))
        else:
            seats.append(bot_seat(spec, seats))
    return seats


def rematch_seats(table: Table, guest: Visitor) -> list[Seat]:
    """Return the seats for a rematch: bots and the guest keep their seats, and all other seats are open."""
    return [
        Seat(OPEN, "", OPEN_SEAT_NAME if seat.is_deleted else seat.name)
        if seat.kind != BOT and seat.player != guest.id
        else seat
        for seat in table.seats
    ]


def validate_level(spec: str, others: Sequence[str] = ()) -> str:
    """Return the level of a bot; BadRequest if it is unknown. The message lists `others` as further choices."""
    if spec not in bots.LEVELS:
        raise BadRequest(
            f"There is no bot {spec[:40]!r}; choose one of: {', '.join((*others, *bots.LEVELS))}.", UNPROCESSABLE
        )
    return spec


def validate_absence_timeout(seconds: int) -> int:
    """Return a valid absence timeout; BadRequest if it is unknown."""
    if seconds not in ABSENCE_TIMEOUTS:
        known = ", ".join(map(str, ABSENCE_TIMEOUTS))
        raise BadRequest(f"The waiting time cannot be {seconds} seconds; choose one of: {known}.", UNPROCESSABLE)
    return seconds


def parse_time_control(name: str, zero: str = CLAIM) -> TimeControl:
    """Return the time control with a name and a timeout policy; BadRequest if one of them is unknown."""
    if name not in TIME_CONTROLS:
        known = ", ".join(filter(None, TIME_CONTROLS))
        raise BadRequest(f"There is no clock {name[:40]!r}; choose one of: {known}, or none.", UNPROCESSABLE)
    if zero not in TIMEOUT_POLICIES:
        known = ", ".join(TIMEOUT_POLICIES)
        raise BadRequest(
            f"{zero[:40]!r} is not a rule for players who run out of time; choose one of: {known}.", UNPROCESSABLE
        )
    control = TIME_CONTROLS[name][1]
    return control._replace(on_timeout=zero) if control else control


def parse_listing(fields: Mapping[str, str]) -> dict[str, bool]:
    """Return whether a form has checked `offered`, `watched` and `open_chat`, by name."""
    return {name: fields.get(name) == "1" for name in ("offered", "watched", "open_chat")}


def list_challenges(name: str) -> Sequence[Challenge]:
    """Return the challenges of a game; if they cannot be loaded, log a warning, and return an empty sequence."""
    try:
        return game(name).text.CHALLENGES
    except Exception as error:  # noqa: BLE001 - a game of another author, or its data, may fail in any way
        log.warning("The challenges of %s cannot be loaded: %s", name, error)
        return ()


def find_challenge(game: LoadedGame, name: str) -> Challenge:
    """Return the challenge with a name; NotFound if the game has no such challenge."""
    for challenge in list_challenges(game.name):
        if challenge.name == name:
            return challenge
    raise NotFound(f"{game.meta.title} has no challenge called {name[:40]!r}.")
