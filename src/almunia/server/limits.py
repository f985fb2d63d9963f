"""Intervals and limits of a site that no setting changes; tests shorten or lift them for a site of their own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How long and how many. Each is handed to the service that keeps to it."""

    ping_seconds: float = 15.0  # between two signs of life in a stream of events
    lookout_seconds: float = 5.0  # between two looks at whether a notification was lost
    grace_seconds: float = 20.0  # without a stream, until a player counts as away: pages are reloaded, lines break
    outage_seconds: float = 60.0  # without a sign of the site, after which clocks get back what they have lost
    alert_seconds: float = 10.0  # between two looks at which turns are to be told
    max_streams: int = 20  # of one guest at a time
    max_listed_games: int = 10  # running games of one host that the lobby lists
    max_lobby_games: int = 100  # of each kind that the lobby shows, those that were opened first
    bot_tick_seconds: float = 1.0  # between two looks at which tables are due
    bot_sweep_seconds: float = 30.0  # between two looks at all running tables
    bot_retry_seconds: tuple[float, ...] = (
        1.0,
        2.0,
        5.0,
        15.0,
        60.0,
        300.0,
    )  # after the first failure, the second, ...


USUAL_LIMITS = Limits()
