"""How often a seat may do what every log of its table tells: a few times an hour.

Moves are as many as the game has. But somebody could go away and come back, or ask and take it back, all day long, and
nobody else could read the log any more. What counts is what stands there, so it holds after a restart too.
"""

from collections.abc import Sequence
from math import ceil

from ...core.english import pluralize
from ..errors import TooManyRequests
from .model import ASK, EXPECT, HOST, LEAVE, REMOVE, STAND_IN

SPAN = 3600  # seconds
MOST = 10  # times in that span
DEEDS = {
    STAND_IN: "A bot has taken over from you {} here within an hour. You can leave this game again in {}.",
    LEAVE: "This seat has been left {} within an hour. You can leave it in {}, and the host can free it at once.",
    REMOVE: "You have freed seats {} here within an hour. You can free another one in {}, or close this game.",
    ASK: "You have asked the others {} here within an hour. You can ask again in {}.",
    EXPECT: "This seat has been meant for somebody else {} within an hour. You can change it again in {}.",
    HOST: "This game has had another host {} within an hour. You can make somebody else the host in {}.",
}


def check_calm(kind: str, moments: Sequence[float], now: float) -> None:
    """TooManyRequests if something of a kind that was done at these moments may not be done once more now."""
    recent = [moment for moment in moments if now - SPAN < moment <= now]
    if len(recent) >= MOST:
        wait = ceil(recent[-MOST] + SPAN - now)
        raise TooManyRequests(DEEDS[kind].format(f"{MOST} times", pluralize(-(-wait // 60), "minute")), wait)


def check_cool(since: float, now: float) -> None:
    """TooManyRequests if somebody who came back from a vacation at a moment may not begin the next one now."""
    wait = ceil(since + SPAN - now)
    if 0 <= now - since < SPAN:
        minutes = pluralize(-(-wait // 60), "minute")
        raise TooManyRequests(f"You have just come back from vacation. You can go on the next one in {minutes}.", wait)
