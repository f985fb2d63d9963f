"""Intervals and limits without a setting."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Intervals, time limits and maximum counts."""

    ping_seconds: float = 15.0  # between two keep-alive events of a stream
    missed_change_seconds: float = 5.0  # between two polls for lost notifications
    grace_seconds: float = 20.0  # without a stream, until a player counts as away; covers reloads and lost connections
    outage_seconds: float = 60.0  # without a heartbeat of the site, after which clocks get the lost time back
    maintenance_seconds: float = 5.0  # between two checks for expired clocks and abandoned games
    notification_seconds: float = 10.0  # between two checks for turns to notify
    max_streams: int = 20  # of one guest at a time
    max_listed_games: int = 10  # running games of one host that the lobby lists
    max_listed_games_per_network: int = 30  # unless it is this machine
    max_all_listed_games: int = 2_000  # that the lobby lists
    played_on_tables: str = "60/hour"  # opened from one address by playing on from a position
    imported_tables: str = "60/hour"  # opened from one address from records
    max_lobby_games: int = 100  # that the lobby shows of each kind: one of each network in turn, the latest first
    bot_tick_seconds: float = 1.0  # between two checks for tables that are due
    bot_sweep_seconds: float = 30.0  # between two scans of all running tables
    # before a retry, after a bot's first failure in a row, the second, and so on
    bot_retry_seconds: tuple[float, ...] = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0)
    max_cached_entries: int = 100_000  # events of tables in memory, 1 KB each with the viewers' histories: 100 MB
    request_threads: int = 4  # that answer requests; more would mostly wait for the GIL
    request_threads_per_network: int = 2  # at a time, so that slow requests of one network do not take all
    background_threads: int = 2  # for mail, notifications, exports and daily deals, which wait or compute for long
    max_streams_per_network: int = 200  # unless it is this machine, where a proxy may run
    max_anonymous_streams_per_network: int = 40  # of visitors without a cookie, who are counted by network alone
    max_connections_per_network: int = 200  # unless it is a proxy's or this machine
    max_pipelined_requests: int = 16  # on one connection, sent before earlier answers
    head_timeout_seconds: float = 15.0  # for a request's head, since the connection or the head began
    form_timeout_seconds: float = 20.0  # for the body of a request
    write_timeout_seconds: float = 60.0  # for which a client may not read its answer
    keep_alive_seconds: float = 5.0  # for which an idle connection stays open
    proxy_keep_alive_seconds: float = 75.0  # for which an idle connection of a proxy stays open
    linger_seconds: float = 2.0  # for the client of a refused connection to read why
    drain_seconds: float = 1.5  # for proxies to notice that a process is about to end


DEFAULT_LIMITS = Limits()
