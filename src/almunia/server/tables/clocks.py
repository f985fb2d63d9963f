"""Clocks: the time that each seat has left.

Clocks follow from the time control, the players' hours and the events of the log, so they survive a restart.

A real-time clock has an initial time, and gains an increment after a turn. A correspondence clock gives each turn the
same time, which runs only in the player's playing hours. Clocks do not run for bots, nor while a seat is open.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from math import inf
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..clock import DAY, HOUR, MINUTE, format_duration
from ..errors import BadRequest

REALTIME, CORRESPONDENCE = "live", "slow"
CLAIM, BOT_ON_TIMEOUT, NOTHING = "claim", "bot", "nothing"  # when time is up
MIN_SECONDS_ON_RETURN = 30.0  # on a real-time clock
SATURDAY = 5
MAX_DAYS_AHEAD = 2 * 366  # for which `windows` looks for playing hours
MIN_HOURS_PER_DAY = 4  # of playing hours: with fewer, opponents would wait for months
ONE_OR_TWO_DIGITS = re.compile(r"[0-9]{1,2}")


class TimeControl(NamedTuple):
    kind: str = ""  # REALTIME, CORRESPONDENCE, or empty without clocks
    initial: int = 0  # seconds: at the start in real time, for each turn in correspondence
    increment: int = 0  # seconds for each finished turn, in real time
    on_timeout: str = CLAIM  # what happens when time is up

    def __bool__(self) -> bool:
        return self.kind != ""

    def __str__(self) -> str:
        return f"{self.kind} {self.initial} {self.increment} {self.on_timeout}" if self else ""

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        if not text:
            return UNTIMED
        kind, initial, increment, on_timeout = text.split()
        return cls(kind, int(initial), int(increment), on_timeout)


UNTIMED = TimeControl()
TIME_CONTROLS = {  # by the value of a form field, with labels
    "": ("No clock: take your time", UNTIMED),
    "live-5": ("Fast: 5 minutes, and 10 seconds for each turn", TimeControl(REALTIME, 5 * MINUTE, 10)),
    "live-15": ("Live: 15 minutes, and 20 seconds for each turn", TimeControl(REALTIME, 15 * MINUTE, 20)),
    "live-40": ("Long: 40 minutes, and 30 seconds for each turn", TimeControl(REALTIME, 40 * MINUTE, 30)),
    "slow-8": ("Same day: 8 hours for each turn", TimeControl(CORRESPONDENCE, 8 * HOUR)),
    "slow-24": ("Next day: a day for each turn", TimeControl(CORRESPONDENCE, DAY)),
    "slow-72": ("Slow: 3 days for each turn", TimeControl(CORRESPONDENCE, 3 * DAY)),
}
DEFAULT_TIME_CONTROL = "live-15"  # of games with strangers
TIMEOUT_POLICIES = {
    CLAIM: "others can let a bot play, or claim the win",
    BOT_ON_TIMEOUT: "a bot plays until they come back",
    NOTHING: "nothing happens",
}
TIMEOUT_TERMS = {
    CLAIM: "",
    BOT_ON_TIMEOUT: "a bot plays for players who run out of time",
    NOTHING: "nothing happens when time is up",
}
HOURS_PER_DAY = 24


class PlayingHours(NamedTuple):
    """The hours of a day in which a player wants to play correspondence games.

    If `last` is before `first`, `last` belongs to the next day. Without `weekends`, periods that begin on a Saturday or
    Sunday do not count.
    """

    zone: str = "UTC"
    first: int = 0
    last: int = 24
    weekends: bool = True

    @property
    def is_always(self) -> bool:
        return (self.first, self.last, self.weekends) == (0, 24, True)

    @property
    def hours_per_day(self) -> int:
        return (self.last - self.first - 1) % HOURS_PER_DAY + 1

    def __str__(self) -> str:
        """Return the text that `parse` reads; empty if all hours count."""
        return "" if self.is_always else f"{self.zone} {self.first} {self.last} {int(self.weekends)}"

    @classmethod
    def parse(cls, text: str) -> "PlayingHours":
        """Return the hours of a stored text; raise BadRequest if it is invalid."""
        if not text:
            return ALL_HOURS
        zone, first, last, weekends = (*text.split(), "", "", "", "")[:4]
        are_numbers = all(map(ONE_OR_TWO_DIGITS.fullmatch, (first, last, weekends)))
        if not (are_numbers and int(first) < HOURS_PER_DAY and 1 <= int(last) <= HOURS_PER_DAY):
            raise BadRequest(f"These are not hours of a day: from {first[:9]!r} to {last[:9]!r}.")
        if int(first) == int(last):
            raise BadRequest(f"The hours can't both be {first}. Choose two different hours.")
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise BadRequest(f"There is no time zone {zone[:40]!r}; write one like Europe/Berlin.") from None
        return cls(zone, int(first), int(last), weekends == "1")

    def windows(self, start: float) -> Iterator[tuple[float, float]]:
        """Yield start and end of each period of playing hours from `start` on, in order.

        If all hours count, the only period ends at `inf`. If not, the search stops after MAX_DAYS_AHEAD days.
        """
        if self.is_always:
            yield start, inf
            return
        zone, length = ZoneInfo(self.zone), self.last if self.last > self.first else self.last + HOURS_PER_DAY
        day = datetime.fromtimestamp(start, zone).date() - timedelta(days=1)  # its period may not be over
        for _ in range(MAX_DAYS_AHEAD):
            if self.weekends or day.weekday() < SATURDAY:
                opens = datetime.combine(day, time(self.first), zone).timestamp()
                end = (datetime.combine(day, time(), zone) + timedelta(hours=length)).timestamp()
                if end > start:
                    yield max(opens, start), end
            day += timedelta(days=1)


ALL_HOURS = PlayingHours()


def check_playing_hours(hours: PlayingHours) -> None:
    if hours.hours_per_day < MIN_HOURS_PER_DAY:
        raise BadRequest(
            f"The other players would wait too long for you. Choose at least {MIN_HOURS_PER_DAY} hours a day."
        )


@lru_cache(4096)
def counted_seconds(start: float, end: float, hours: PlayingHours) -> float:
    """Return the seconds of playing hours between `start` and `end`."""
    total = 0.0
    for opens, closes in hours.windows(start):
        if opens >= end:
            break
        total += min(closes, end) - opens
    return total


@lru_cache(4096)
def deadline(start: float, seconds: float, hours: PlayingHours) -> float:
    """Return when `seconds` of playing hours have passed since `start`; `inf` if `hours.windows` ends before."""
    left = max(0.0, seconds)
    for opens, closes in hours.windows(start):
        if left <= closes - opens:
            return opens + left
        left -= closes - opens
    return inf


@dataclass(frozen=True)
class Clocks:
    """The clocks of a table at the moment `since`."""

    control: TimeControl
    hours: tuple[PlayingHours, ...]  # of each seat
    remaining: tuple[float, ...]  # seconds of each seat
    running: int  # the seat to move
    since: float  # the moment for which `remaining` holds
    bot_seats: frozenset[int] = frozenset()  # whose clocks do not run
    open_seats: frozenset[int] = frozenset()  # while there are any, no clock runs
    awaits_ready: bool = False  # whether the deal waits for a ready check; until then, no clock runs
    vacation_seats: frozenset[int] = frozenset()  # of players on vacation
    substituted_seats: frozenset[int] = frozenset()  # for which a bot has finished a turn since their player left

    def seconds_left(self, seat: int, now: float) -> float:
        """Return the seconds that a seat has left; negative after its time is up."""
        if seat != self.running or self.is_paused:
            return self.remaining[seat]
        return self.remaining[seat] - counted_seconds(self.since, now, self._hours(seat))

    @property
    def is_paused(self) -> bool:
        if self.running < 0 or self.running in self.bot_seats or self.open_seats or self.awaits_ready:
            return True
        return self.is_on_vacation(self.running)

    def is_on_vacation(self, seat: int) -> bool:
        """Return whether a vacation pauses a seat's clock.

        A vacation that began after the time was up pauses no clock: else it would revoke the claims of other players.
        """
        return seat in self.vacation_seats and self.remaining[seat] > 0

    @property
    def flag_at(self) -> float:
        """The moment at which the running clock expires, or `inf`."""
        return inf if self.is_paused else deadline(self.since, self.remaining[self.running], self._hours(self.running))

    def _hours(self, seat: int) -> PlayingHours:
        return self.hours[seat] if self.control.kind == CORRESPONDENCE else ALL_HOURS

    def advanced_to(self, now: float) -> "Clocks":
        if self.running < 0:
            return replace(self, since=now)
        return self.with_left(self.running, self.seconds_left(self.running, now), since=now)

    def with_left(self, seat: int, seconds: float, since: float | None = None) -> "Clocks":
        left = (*self.remaining[:seat], seconds, *self.remaining[seat + 1 :])
        return replace(self, remaining=left, since=self.since if since is None else since)

    def after_move(self, now: float, turn: int, *, ended: bool) -> "Clocks":
        """Return the clocks after a move, which may have `ended` a turn; `turn` is the seat to move, or NONE."""
        then = self.advanced_to(now)
        if ended and self.control.kind == REALTIME and not self.is_paused:
            then = then.with_left(self.running, then.remaining[self.running] + self.control.increment)
        if (ended or turn != self.running) and self.control.kind == CORRESPONDENCE and turn >= 0:
            then = then.with_left(turn, float(self.control.initial))
        if ended:
            then = replace(then, substituted_seats=self.substituted_seats | ({self.running} & self.bot_seats))
        return replace(then, running=turn)

    def after_join(self, now: float, seat: int, *, by_bot: bool) -> "Clocks":
        bots = self.bot_seats | {seat} if by_bot else self.bot_seats - {seat}
        return replace(self.advanced_to(now), bot_seats=bots, open_seats=self.open_seats - {seat})

    def after_deal(self, now: float) -> "Clocks":
        return replace(self.advanced_to(now), awaits_ready=False)

    def after_leave(self, now: float, seat: int) -> "Clocks":
        return replace(
            self.advanced_to(now),
            bot_seats=self.bot_seats - {seat},
            vacation_seats=self.vacation_seats - {seat},
            substituted_seats=self.substituted_seats - {seat},
            open_seats=self.open_seats | {seat},
        )

    def after_substitution(self, now: float, seat: int) -> "Clocks":
        return replace(
            self.advanced_to(now), bot_seats=self.bot_seats | {seat}, substituted_seats=self.substituted_seats - {seat}
        )

    def after_return(self, now: float, seat: int) -> "Clocks":
        """Return the clocks after a player's return.

        The seat's clock is refilled only if a bot has finished a turn meanwhile. Without this condition, a player could
        avoid every deadline by leaving and returning.
        """
        then = self.advanced_to(now)
        then = then.refilled(seat) if seat in self.substituted_seats else then
        return replace(then, bot_seats=self.bot_seats - {seat}, substituted_seats=self.substituted_seats - {seat})

    def refilled(self, seat: int) -> "Clocks":
        """Return the clocks with a minimum of time for a seat: a correspondence turn, or MIN_SECONDS_ON_RETURN."""
        least = float(self.control.initial) if self.control.kind == CORRESPONDENCE else MIN_SECONDS_ON_RETURN
        return self.with_left(seat, max(self.remaining[seat], least))

    def after_outage(self, now: float, seconds: float) -> "Clocks":
        """Return the clocks at the end of an outage; a running clock gets the lost seconds back."""
        then = self.advanced_to(now)
        if self.is_paused:
            return then
        lost = counted_seconds(max(self.since, now - seconds), now, self._hours(self.running))
        return then.with_left(then.running, then.remaining[then.running] + lost)

    def after_vacation_change(self, now: float, seat: int, *, begins: bool) -> "Clocks":
        seats = self.vacation_seats | {seat} if begins else self.vacation_seats - {seat}
        return replace(self.advanced_to(now), vacation_seats=seats)


def format_clock(seconds: float) -> str:
    """Return the time left as a clock shows it, such as `2 d 4 h`, `3:05 h` or `12:09`."""
    whole = int(max(0.0, seconds))
    if whole >= DAY:
        return f"{whole // DAY} d {whole % DAY // HOUR} h"
    if whole >= HOUR:
        return f"{whole // HOUR}:{whole % HOUR // MINUTE:02} h"
    return f"{whole // MINUTE}:{whole % MINUTE:02}"


def describe(control: TimeControl | str) -> str:
    control = TimeControl.parse(str(control))
    if control.kind == REALTIME:
        return f"{control.initial // MINUTE} min + {control.increment} s"
    return f"{format_duration(control.initial)} a turn" if control else "No clock"


def describe_timeout(control: TimeControl | str, absence_timeout: int) -> str:
    """Return in words what happens on a timeout, or without clocks after an absence.

    The text is empty for clocks with the policy CLAIM.
    """
    control = TimeControl.parse(str(control))
    if control:
        return TIMEOUT_TERMS[control.on_timeout]
    return f"others wait {format_duration(absence_timeout) or 'forever'} for absent players"


def are_default_terms(control: TimeControl, absence_timeout: int) -> bool:
    return control.on_timeout == CLAIM and (bool(control) or absence_timeout == DAY)


def format_utc(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
