"""Correspondence games over weeks: nights, weekends, vacations, time zones and summer time.

Each deadline is also computed in a second way: step by step, with the calendar of the player to move.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import inf
from random import Random
from zoneinfo import ZoneInfo

import pytest

from almunia.server.errors import Conflict
from almunia.server.limits import Limits
from almunia.server.tables.clocks import (
    BOT_ON_TIMEOUT as A_BOT,
    CLAIM,
    CORRESPONDENCE,
    DAY,
    HOUR,
    NOTHING,
    PlayingHours,
    TimeControl,
)

from ..clock import BY_HAND
from .seated import ANA, BEA, CEM, move, opened

pytestmark = pytest.mark.slow
OFFICE = PlayingHours("Europe/Berlin", 8, 18, weekends=False)  # ten hours a day, and none at weekends
EVENINGS = PlayingHours("America/New_York", 20, 4)  # eight hours across midnight, seven when the clocks change
NIGHTS = PlayingHours("Australia/Sydney", 23, 5)  # in the southern hemisphere summer ends when it begins elsewhere
BANK = DAY
STEP = 900  # seconds; the hours begin and end at multiples
FIRST = datetime(2026, 3, 6, 12, tzinfo=UTC).timestamp()  # a Friday: New York changes its clocks two days later,
LAST = datetime(2026, 4, 6, 12, tzinfo=UTC).timestamp()  # Berlin on the 29th of March, and Sydney on the 5th of April


def wants_to_play(moment: float, hours: PlayingHours) -> bool:
    """Whether a moment counts, by the local time and the calendar of a place."""
    there = datetime.fromtimestamp(moment, ZoneInfo(hours.zone))
    begun = there.date() - timedelta(days=1) if hours.last < hours.first and there.hour < hours.last else there.date()
    inside = hours.first <= there.hour < hours.last
    if hours.last < hours.first:
        inside = there.hour >= hours.first or there.hour < hours.last
    return inside and (hours.weekends or begun.weekday() < 5)


def up_at(start: float, seconds: float, hours: PlayingHours) -> float:
    """Return the time at which the given number of counted seconds has passed, step by step."""
    moment = start
    while seconds > 0:
        until = moment - moment % STEP + STEP
        if wants_to_play(moment, hours):
            if seconds <= until - moment:
                return moment + seconds
            seconds -= until - moment
        moment = until
    return moment


class Weeks:
    """A correspondence game of three players in different places, at a site that is restarted sometimes."""

    def __init__(self, start, monkeypatch, clock, zero: str, game: str) -> None:
        self._start, self._patch, self.clock, self.rng = start, monkeypatch, clock, Random(5)
        clock.set(FIRST)
        self.restarted = 0
        self.site = self._begun()
        people = zip((ANA, BEA, CEM), (OFFICE, EVENINGS, NIGHTS), strict=True)
        seats = [replace(seat, hours=str(hours)) for seat, hours in people]
        self.table = opened(self.site, *seats, game=game, time_control=TimeControl(CORRESPONDENCE, BANK, 0, zero))

    def _begun(self):
        site = self._start().app.state.site
        self._patch.setattr(site.bot_runner, "enqueue", lambda *_: None)
        return site

    @property
    def now(self):
        """The state of the table."""
        return self.site.tables.get(self.table)

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.now.play.turn)

    @property
    def guest(self) -> str:
        """The guest in the seat to move."""
        return str(self.now.table.seats[self.seat].player)

    @property
    def hours(self) -> PlayingHours:
        """The playing hours of the seat to move."""
        return PlayingHours.parse(self.now.table.seats[self.seat].hours)

    def restart(self) -> None:
        """Restart the site, and check that no clock has changed."""
        before = [self.now.history(reader).clocks for reader in (0, 1, 2, -1)]
        self.site, self.restarted = self._begun(), self.restarted + 1
        assert [self.now.history(reader).clocks for reader in (0, 1, 2, -1)] == before

    def turns(self) -> Iterator[int]:
        """Yield the number of each turn until the game is over, after checking the deadline of the turn."""
        number = 0
        while not self.now.table.finished:
            due = self.now.history(self.seat).clocks.flag_at
            assert due == pytest.approx(up_at(self.clock.now(), BANK, self.hours), abs=1e-3)
            yield number
            self.finish_turn()
            number += 1
            if number % 7 == 0:
                self.restart()

    def finish_turn(self) -> None:
        """Move until another seat is to move, or the game is over."""
        seat = self.seat
        while not self.now.table.finished and self.seat == seat:
            move(self.site, self.table)

    def think(self, least: float, most: float) -> None:
        """Let a random time pass, then run the maintenance."""
        self.clock.advance(self.rng.uniform(least, most))
        self.site.maintenance.run_once()


@pytest.fixture
def limits():
    """Return limits with which the site never counts as down."""
    return Limits(outage_seconds=inf, maintenance_seconds=BY_HAND)


@pytest.fixture
def weeks(start, monkeypatch, clock):
    """Return a function that begins a game."""
    return lambda zero, game: Weeks(start, monkeypatch, clock, zero, game)


def test_a_bot_takes_over_when_time_is_up(weeks):
    play = weeks(A_BOT, "oregon")
    late, rested = 0, 0
    for number in play.turns():
        due = play.now.table.flag_at
        if number % 9 == 4:  # the player forgets the game
            play.clock.set(due - 1)
            play.site.maintenance.run_once()
            assert not play.now.table.seats[play.seat].bot, "one second is left"
            play.clock.set(due + 1)
            play.site.maintenance.run_once()
            assert play.now.table.seats[play.seat].bot
            assert play.now.table.flag_at is None
            seat, guest, late = play.seat, play.guest, late + 1
            play.finish_turn()  # the bot plays
            if play.now.table.finished:
                break
            play.clock.advance(HOUR)
            play.site.seats.return_to_seat(play.table, seat, guest)
        elif number in (11, 12):  # some of the players go on vacation
            play.site.vacations.begin(play.guest)
            left = play.now.history(play.seat).clocks.seconds_left(play.seat, play.clock.now())
            assert play.now.table.flag_at is None
            play.restart()
            play.clock.advance(2.5 * DAY)
            play.site.maintenance.run_once()
            play.site.vacations.end(play.guest)
            assert play.now.history(play.seat).clocks.seconds_left(play.seat, play.clock.now()) == pytest.approx(left)
            assert play.now.table.flag_at == pytest.approx(up_at(play.clock.now(), left, play.hours), abs=1e-3)
            rested += 1
        play.think(2 * HOUR, 10 * HOUR)
        assert not play.now.table.seats[play.seat].bot, "so short a time is never all of it"
    assert late >= 2
    assert rested == 2
    assert play.restarted >= 2
    assert play.clock.now() > LAST, "all three places have changed their clocks meanwhile"


@pytest.mark.exhaustive
def test_opponents_can_claim_a_seat_when_time_is_up(weeks):
    play = weeks(CLAIM, "orchard")
    claimed = 0
    for number in play.turns():
        if number % 8 == 3:
            seat, guest, other = play.seat, play.guest, play.now.table.seats[1 - min(play.seat, 1)].player
            due = play.now.history(seat).clocks.flag_at
            play.clock.set(due - 1)
            with pytest.raises(Conflict):
                play.site.seats.claim_seat(play.table, seat, other, "easy")
            play.clock.set(due + 1)
            play.site.maintenance.run_once()
            assert not play.now.table.seats[seat].bot, "nobody has claimed it yet"
            play.restart()
            play.site.seats.claim_seat(play.table, seat, other, "easy")
            play.finish_turn()
            claimed += 1
            if play.now.table.finished:
                break
            play.site.seats.return_to_seat(play.table, seat, guest)
        play.think(2 * HOUR, 20 * HOUR)
    assert play.now.table.finished
    assert claimed >= 2


@pytest.mark.exhaustive
def test_an_expired_clock_without_consequences_changes_nothing(weeks):
    play = weeks(NOTHING, "orchard")
    for number in play.turns():
        if number % 8 == 3:
            due = play.now.history(play.seat).clocks.flag_at
            play.clock.set(due + 5 * DAY)
            play.site.maintenance.run_once()
            for seat in {0, 1, 2} - {play.seat}:
                with pytest.raises(Conflict):
                    play.site.seats.claim_seat(play.table, play.seat, play.now.table.seats[seat].player, "easy")
            assert not play.now.table.seats[play.seat].bot
            assert play.now.history(play.seat).clocks.seconds_left(play.seat, play.clock.now()) < 0
        play.think(2 * HOUR, 20 * HOUR)
    assert play.now.table.finished
    assert play.now.history(0).clocks.flag_at == inf or play.now.table.flag_at is None
