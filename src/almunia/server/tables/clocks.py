"""Clocks: how much time a seat has left.

That follows from the table's time control and from when things happened alone, so it is the same after a restart and
in every time zone. What a reader sees of it follows from what that reader could notice.

A live clock has a bank that runs down and gains some time with every finished turn. A slow one gives each turn the same
time, of which only the hours count in which its player wants to play, and no vacation. Time of bots does not count, nor
any before all seats are taken.
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

LIVE, SLOW = "live", "slow"
CLAIM, BOT, NOTHING = "claim", "bot", "nothing"  # what happens at zero: others may claim, a bot plays on, nothing
AGAIN = 30.0  # seconds at least for whoever comes back to a live clock
SATURDAY = 5
FARTHEST = 2 * 366  # days that are looked ahead
FEWEST = 4  # hours of a day in which somebody plays slow games: with fewer, others would wait for months
WHOLE = re.compile(r"[0-9]{1,2}")


class TimeControl(NamedTuple):
    """How fast a table is played."""

    kind: str = ""  # LIVE, SLOW, or empty without clocks
    bank: int = 0  # seconds: of a live clock at the beginning, of a slow one for each turn
    gain: int = 0  # seconds that a finished turn brings on a live clock
    zero: str = CLAIM  # what happens when time is up

    def __bool__(self) -> bool:
        """Are there clocks?"""
        return self.kind != ""

    def __str__(self) -> str:
        """As the database keeps it."""
        return f"{self.kind} {self.bank} {self.gain} {self.zero}" if self else ""

    @classmethod
    def read(cls, text: str) -> "TimeControl":
        """A time control as the database keeps it."""
        if not text:
            return UNTIMED
        kind, bank, gain, zero = text.split()
        return cls(kind, int(bank), int(gain), zero)


UNTIMED = TimeControl()
TIME_CONTROLS = {  # by the name in a form, with what it is called
    "": ("No clock", UNTIMED),
    "live-5": ("Live: 5 minutes, and 10 seconds for each turn", TimeControl(LIVE, 5 * MINUTE, 10)),
    "live-15": ("Live: 15 minutes, and 20 seconds for each turn", TimeControl(LIVE, 15 * MINUTE, 20)),
    "live-40": ("Live: 40 minutes, and 30 seconds for each turn", TimeControl(LIVE, 40 * MINUTE, 30)),
    "slow-8": ("Slow: 8 hours for each turn", TimeControl(SLOW, 8 * HOUR)),
    "slow-24": ("Slow: a day for each turn", TimeControl(SLOW, DAY)),
    "slow-72": ("Slow: 3 days for each turn", TimeControl(SLOW, 3 * DAY)),
}
USUAL = "live-15"  # where strangers meet
ZEROS = {
    CLAIM: "others may claim the seat, or the game",
    BOT: "a bot plays on until they are back",
    NOTHING: "nothing: the clock only tells",
}

AT_ZERO = {CLAIM: "", BOT: "a bot plays on when time is up", NOTHING: "nothing follows when time is up"}


class PlayingHours(NamedTuple):
    """When somebody wants to play slow games: from one full hour to another, in a time zone.

    If the second is the earlier one, it is that of the next day, and what counts is the day on which one begins.
    """

    zone: str = "UTC"
    first: int = 0
    last: int = 24
    weekends: bool = True

    @property
    def always(self) -> bool:
        """Do all hours count?"""
        return (self.first, self.last, self.weekends) == (0, 24, True)

    @property
    def many(self) -> int:
        """How many hours of a day count."""
        return (self.last - self.first - 1) % HOURS + 1

    def __str__(self) -> str:
        """As the database and cookies keep it; empty if all hours count."""
        return "" if self.always else f"{self.zone} {self.first} {self.last} {int(self.weekends)}"

    @classmethod
    def read(cls, text: str) -> "PlayingHours":
        """Hours as they are kept; BadRequest if they cannot be so."""
        if not text:
            return ALWAYS
        zone, first, last, weekends = (*text.split(), "", "", "", "")[:4]
        numbers = (first, last, weekends)
        if not all(map(WHOLE.fullmatch, numbers)) or not (int(first) < HOURS and 1 <= int(last) <= HOURS):
            raise BadRequest(f"These are no hours of a day: from {first[:9]!r} to {last[:9]!r}.")
        if int(first) == int(last):
            raise BadRequest(f"From {first} to {last} there is no time to play. Choose two different hours.")
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise BadRequest(f"There is no time zone {zone[:40]!r}; write one like Europe/Berlin.") from None
        return cls(zone, int(first), int(last), weekends == "1")

    def windows(self, start: float) -> Iterator[tuple[float, float]]:
        """The times that count from a moment on, each from its beginning to its end, in their order."""
        if self.always:
            yield start, inf
            return
        zone, length = ZoneInfo(self.zone), self.last if self.last > self.first else self.last + HOURS
        day = datetime.fromtimestamp(start, zone).date() - timedelta(days=1)  # what began then may still go on
        for _ in range(FARTHEST):
            if self.weekends or day.weekday() < SATURDAY:
                opens = datetime.combine(day, time(self.first), zone).timestamp()
                end = (datetime.combine(day, time(), zone) + timedelta(hours=length)).timestamp()
                if end > start:
                    yield max(opens, start), end
            day += timedelta(days=1)


HOURS = 24
ALWAYS = PlayingHours()


def check_playing(hours: PlayingHours) -> None:
    """BadRequest if these are too few hours to play slow games in."""
    if hours.many < FEWEST:
        raise BadRequest(f"Others would wait too long for you. Choose at least {FEWEST} hours of a day.")


@lru_cache(4096)
def counted(start: float, end: float, hours: PlayingHours) -> float:
    """How many seconds between two moments count."""
    total = 0.0
    for opens, closes in hours.windows(start):
        if opens >= end:
            break
        total += min(closes, end) - opens
    return total


@lru_cache(4096)
def due(start: float, seconds: float, hours: PlayingHours) -> float:
    """When so many seconds that count will have passed since a moment."""
    left = max(0.0, seconds)
    for opens, closes in hours.windows(start):
        if left <= closes - opens:
            return opens + left
        left -= closes - opens
    return inf


@dataclass(frozen=True)
class Clocks:
    """The clocks of a table, as they stood when something happened last."""

    control: TimeControl
    hours: tuple[PlayingHours, ...]  # of each seat
    left: tuple[float, ...]  # seconds of each seat
    running: int  # the seat whose time passes
    since: float  # when it was settled last
    stopped: frozenset[int] = frozenset()  # seats whose time does not pass, for bots play there
    untaken: frozenset[int] = frozenset()  # seats that are open: as long as there are some, no time passes
    resting: frozenset[int] = frozenset()  # seats whose people are on vacation, so that their time does not pass
    helped: frozenset[int] = frozenset()  # seats for which a bot has finished a turn since their people went away

    def left_of(self, seat: int, now: float) -> float:
        """The seconds that a seat has left; fewer than 0 once its time is up."""
        passing = seat == self.running and not self.still
        return self.left[seat] - (counted(self.since, now, self._hours(seat)) if passing else 0.0)

    @property
    def still(self) -> bool:
        """Does no time pass?"""
        return self.running < 0 or self.running in self.stopped or self.rests(self.running) or bool(self.untaken)

    def rests(self, seat: int) -> bool:
        """Whether a seat's time does not pass for its player is on vacation, which began before that time was up.

        Else a vacation would take back what others may do about it by now.
        """
        return seat in self.resting and self.left[seat] > 0

    @property
    def due(self) -> float:
        """When the time of the seat to move is up, if nothing happens before."""
        return inf if self.still else due(self.since, self.left[self.running], self._hours(self.running))

    def _hours(self, seat: int) -> PlayingHours:
        return self.hours[seat] if self.control.kind == SLOW else ALWAYS

    def settled(self, now: float) -> "Clocks":
        """The same clocks, with the time that has passed until now."""
        if self.running < 0:
            return replace(self, since=now)
        return self.with_left(self.running, self.left_of(self.running, now), since=now)

    def with_left(self, seat: int, seconds: float, since: float | None = None) -> "Clocks":
        """The same clocks, with other time for a seat."""
        left = (*self.left[:seat], seconds, *self.left[seat + 1 :])
        return replace(self, left=left, since=self.since if since is None else since)

    def moved(self, now: float, turn: int, *, ended: bool) -> "Clocks":
        """After something was done, which may have `ended` a turn: now this seat is to move, or nobody any more."""
        then = self.settled(now)
        if ended and self.control.kind == LIVE and not self.still:
            then = then.with_left(self.running, then.left[self.running] + self.control.gain)
        if (ended or turn != self.running) and self.control.kind == SLOW and turn >= 0:
            then = then.with_left(turn, float(self.control.bank))
        helped = self.helped | ({self.running} & self.stopped if ended else frozenset())
        return replace(then, running=turn, helped=helped)

    def taken(self, now: float, seat: int, *, by_bot: bool) -> "Clocks":
        """After somebody has sat down in a seat."""
        stopped = self.stopped | {seat} if by_bot else self.stopped - {seat}
        return replace(self.settled(now), stopped=stopped, untaken=self.untaken - {seat})

    def freed(self, now: float, seat: int) -> "Clocks":
        """After somebody has left a seat: nothing of what held for their clock holds for the next one."""
        then = self.settled(now)
        stopped, resting, helped = (kept - {seat} for kept in (self.stopped, self.resting, self.helped))
        return replace(then, stopped=stopped, resting=resting, helped=helped, untaken=self.untaken | {seat})

    def stopping(self, now: float, seat: int) -> "Clocks":
        """From now on a bot plays in a seat."""
        return replace(self.settled(now), stopped=self.stopped | {seat}, helped=self.helped - {seat})

    def going_on(self, now: float, seat: int) -> "Clocks":
        """From now on somebody plays again who was away, and has some time if a bot has finished a turn meanwhile.

        If it has not, there is what was left: else nobody could be made to move who goes away and comes back at once.
        """
        then = self.settled(now)
        then = then.anew(seat) if seat in self.helped else then
        return replace(then, stopped=self.stopped - {seat}, helped=self.helped - {seat})

    def anew(self, seat: int) -> "Clocks":
        """The same clocks, with the time of a turn at least for a seat."""
        least = float(self.control.bank) if self.control.kind == SLOW else AGAIN
        return self.with_left(seat, max(self.left[seat], least))

    def after_outage(self, now: float, seconds: float) -> "Clocks":
        """The same clocks, but for the time in which nobody could reach the site, which has been so until now."""
        lost = 0.0 if self.still else counted(max(self.since, now - seconds), now, self._hours(self.running))
        then = self.settled(now)
        return then.with_left(then.running, then.left[then.running] + lost) if lost else then

    def on_vacation(self, now: float, seat: int, *, begins: bool) -> "Clocks":
        """From now on the time of a seat stands still, for its player is on vacation, or passes again."""
        resting = self.resting | {seat} if begins else self.resting - {seat}
        return replace(self.settled(now), resting=resting)


def shown(seconds: float) -> str:
    """Time that is left, as a clock shows it: 2 d 4 h, 3:05 h, 12:09."""
    whole = int(max(0.0, seconds))
    if whole >= DAY:
        return f"{whole // DAY} d {whole % DAY // HOUR} h"
    if whole >= HOUR:
        return f"{whole // HOUR}:{whole % HOUR // MINUTE:02} h"
    return f"{whole // MINUTE}:{whole % MINUTE:02}"


def in_short(control: TimeControl | str) -> str:
    """How fast a table is played, in a few words: 15 min + 20 s, 1 day a turn."""
    control = TimeControl.read(control) if isinstance(control, str) else control
    if control.kind == LIVE:
        return f"{control.bank // MINUTE} min + {control.gain} s"
    return f"{format_duration(control.bank)} a turn" if control else "No clock"


def terms(control: TimeControl | str, patience: int) -> str:
    """What follows once time is up, or once somebody is away, at a table where others wait for so many seconds.

    Empty where time is up and others may claim, as usual. Where there are clocks they alone say how long others wait.
    """
    control = TimeControl.read(control) if isinstance(control, str) else control
    if control:
        return AT_ZERO[control.zero]
    return f"others wait {format_duration(patience) or 'for ever'} for whoever is away"


def are_usual(control: TimeControl, patience: int) -> bool:
    """Whether that is what strangers expect."""
    return control.zero == CLAIM and (bool(control) or patience == DAY)


def utc(moment: float) -> str:
    """A moment as machines read it."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
