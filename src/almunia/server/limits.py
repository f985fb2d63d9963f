"""Intervals and limits of a site that no setting changes; tests shorten or lift them for a site of their own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Intervals, time limits and maximum counts. Each service gets its own as arguments."""

    ping_seconds: float = 15.0  # between two signs of life in a stream of events
    missed_change_seconds: float = 5.0  # between two looks at whether a notification was lost
    grace_seconds: float = 20.0  # without a stream, until a player counts as away: pages are reloaded, lines break
    outage_seconds: float = 60.0  # without a sign of the site, after which clocks get back what they have lost
    maintenance_seconds: float = 5.0  # between two looks at clocks that have run out and games that are forsaken
    notification_seconds: float = 10.0  # between two looks at which turns are to be told
    max_streams: int = 20  # of one guest at a time
    max_listed_games: int = 10  # running games of one host that the lobby lists
    max_listed_games_per_network: int = 30  # unless it is this machine
    max_all_listed_games: int = 2_000  # that the lobby lists
    played_on_tables: str = "60/hour"  # that may be opened from one address by playing on from a position
    max_lobby_games: int = 100  # of each kind that the lobby shows: one of each network in turn, the latest first
    bot_tick_seconds: float = 1.0  # between two looks at which tables are due
    bot_sweep_seconds: float = 30.0  # between two looks at all running tables
    # After the first failure of a bot in a row, the second, ...
    bot_retry_seconds: tuple[float, ...] = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0)
    max_cached_entries: int = 100_000  # of tables in memory, 1 KB each with what their readers have seen: 100 MB
    request_threads: int = 8  # that answer requests: of 40 more would wait for the interpreter than work
    request_threads_per_network: int = 4  # at a time: nobody's slow requests take all of them
    max_streams_per_network: int = 200  # unless it is this machine, where a proxy may stand
    max_anonymous_streams_per_network: int = 40  # of visitors without a cookie, whom nothing else tells apart
    max_connections_per_network: int = 200  # unless it is a proxy's, or this machine, where one may stand
    max_pipelined_requests: int = 16  # that one connection may send ahead of their answers
    head_timeout_seconds: float = 15.0  # for a request's head, from the connection's or its own beginning
    form_timeout_seconds: float = 20.0  # in which the body of a request must come
    write_timeout_seconds: float = 60.0  # for which a client that gets an answer may stop taking it
    keep_alive_seconds: float = 5.0  # for which a connection stays open without a request
    proxy_keep_alive_seconds: float = 75.0  # for which one of a proxy does
    linger_seconds: float = 2.0  # in which the client of a refused connection may read why
    drain_seconds: float = 1.5  # in which proxies notice that a process is about to end


DEFAULT_LIMITS = Limits()
