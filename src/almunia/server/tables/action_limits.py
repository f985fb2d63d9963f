"""Hourly limits on actions other than moves, such as leaving a seat.

Without limits a player could fill a table's log by leaving and returning.
"""

from collections.abc import Sequence
from math import ceil

from ...core.english import pluralize
from ..errors import TooManyRequests
from .model import HOST_CHANGED, PLAYER_LEFT, PLAYER_REMOVED, PROPOSED, SEAT_RESERVED, SUBSTITUTED

WINDOW_SECONDS = 3600
MAX_ACTIONS = 10  # in a window
LIMIT_MESSAGES = {
    SUBSTITUTED: "You have left your seat to a bot {} within an hour. You can leave this game again in {}.",
    PLAYER_LEFT: "This seat has been left {} within an hour. You can leave it in {}, and the host can free it at once.",
    PLAYER_REMOVED: "You have freed seats {} within an hour. You can free another one in {}, or close this game.",
    PROPOSED: "You have asked the other players {} within an hour. You can ask again in {}.",
    SEAT_RESERVED: "You have changed who this seat is reserved for {} within an hour. You can change it again in {}.",
    HOST_CHANGED: "The host of this game has changed {} within an hour. You can make another player the host in {}.",
}


def check_action_limit(kind: str, moments: Sequence[float], now: float) -> None:
    """Raise TooManyRequests if the hour before `now` has at least MAX_ACTIONS of these moments, which are in order.

    `kind` selects the message.
    """
    recent = [moment for moment in moments if now - WINDOW_SECONDS < moment <= now]
    if len(recent) >= MAX_ACTIONS:
        wait = ceil(recent[-MAX_ACTIONS] + WINDOW_SECONDS - now)
        raise TooManyRequests(LIMIT_MESSAGES[kind].format(f"{MAX_ACTIONS} times", in_minutes(wait)), wait)


def check_vacation_cooldown(since: float, now: float) -> None:
    """Raise TooManyRequests for an hour after `since`, when the last vacation ended."""
    wait = ceil(since + WINDOW_SECONDS - now)
    if 0 <= now - since < WINDOW_SECONDS:
        message = f"You have just come back from vacation. You can go on the next one in {in_minutes(wait)}."
        raise TooManyRequests(message, wait)


def in_minutes(seconds: int) -> str:
    return pluralize(ceil(seconds / 60), "minute")
