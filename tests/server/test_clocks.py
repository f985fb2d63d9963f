"""Clocks: the time that they count, and what happens when they expire. The tests set the site's time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from itertools import count
from math import inf
from threading import Event
from unittest.mock import Mock
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update

from almunia.server.errors import BadRequest, Conflict, TooManyRequests
from almunia.server.storage import schema
from almunia.server.tables.clocks import (
    ALL_HOURS,
    BOT_ON_TIMEOUT as A_BOT,
    CLAIM,
    CORRESPONDENCE,
    DAY,
    HOUR,
    NOTHING,
    REALTIME,
    UNTIMED,
    Clocks,
    PlayingHours,
    TimeControl,
    counted_seconds,
    deadline,
    format_clock,
)
from almunia.server.tables.log import plain_text
from almunia.server.tables.model import BOT, MOVE, OPEN, OUTAGE, Seat, StaleError, TableEvent
from almunia.server.tables.vacation import Vacation

from ..clock import NEVER_AWAY
from ..tiers import rest
from ..waiting import TIMEOUT, CountingLock, wait_until
from .seated import ANA, BEA, move, opened
from .test_lobby import FRIENDS
from .test_seats import invitation

WORK = PlayingHours("Europe/Berlin", 8, 18, weekends=False)


def berlin(*when):
    return datetime(*when, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()


# --- playing hours --------------------------------------------------------------------------------


def test_all_hours_count_by_default():
    assert counted_seconds(100.0, 5100.0, ALL_HOURS) == 5000
    assert deadline(100.0, 5000.0, ALL_HOURS) == 5100


def test_only_playing_hours_count():
    friday, monday = berlin(2026, 11, 20, 17), berlin(2026, 11, 23, 9)
    assert counted_seconds(friday, monday, WORK) == 2 * HOUR
    assert deadline(friday, 2 * HOUR, WORK) == monday
    assert deadline(berlin(2026, 11, 21, 12), 1, WORK) == berlin(2026, 11, 23, 8) + 1
    assert counted_seconds(berlin(2026, 11, 21, 0), berlin(2026, 11, 22, 24 - 1), WORK) == 0


def test_playing_hours_may_cross_midnight():
    night = PlayingHours.parse("Europe/Berlin 22 2 0")
    saturday = berlin(2026, 11, 21, 1)  # the night that began on Friday
    assert counted_seconds(berlin(2026, 11, 20, 21), berlin(2026, 11, 21, 12), night) == 4 * HOUR
    assert deadline(saturday, HOUR, night) == saturday + HOUR
    assert deadline(saturday, 2 * HOUR, night) == berlin(2026, 11, 23, 23)
    assert counted_seconds(berlin(2026, 11, 22, 0), berlin(2026, 11, 23, 3), night) == 0


def test_playing_hours_are_right_on_the_day_of_a_clock_change():
    """In Berlin the clocks go back in the night before Sunday, 25 October 2026."""
    night = PlayingHours("Europe/Berlin", 0, 24, weekends=False)
    every = PlayingHours("Europe/Berlin", 1, 5)
    assert counted_seconds(berlin(2026, 10, 23, 0), berlin(2026, 10, 27, 0), night) == 48 * HOUR
    assert (
        counted_seconds(berlin(2026, 10, 25, 0), berlin(2026, 10, 26, 0), every) == 5 * HOUR
    )  # two o'clock comes twice on this day


@pytest.mark.parametrize(
    "hours", [WORK, ALL_HOURS, PlayingHours("America/New_York", 20, 24), PlayingHours("Asia/Tokyo", 23, 3, False)]
)
def test_the_deadline_is_when_the_seconds_have_been_counted(hours):
    start = datetime(2026, 3, 27, 15, 20, tzinfo=UTC).timestamp()
    for seconds in (1, 3599, 7 * HOUR, 40 * HOUR, 300 * HOUR):
        assert counted_seconds(start, deadline(start, seconds, hours), hours) == pytest.approx(seconds)


@pytest.mark.parametrize(("first", "last", "many"), [(0, 24, 24), (8, 18, 10), (22, 4, 6), (23, 24, 1), (23, 1, 2)])
def test_hours_per_day_are_counted(first, last, many):
    assert PlayingHours("UTC", first, last).hours_per_day == many


def test_playing_hours_are_parsed_from_their_text():
    assert PlayingHours.parse(str(WORK)) == WORK
    assert PlayingHours.parse("") == ALL_HOURS
    assert str(PlayingHours("Europe/Berlin", 0, 24)) == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("Europe/Berlin 24 8 1", "not hours of a day"),
        ("Europe/Berlin 8 0 1", "not hours of a day"),
        ("Europe/Berlin 8 08 1", "hours can't both be 8"),
        ("Europe/Berlin 8 25 1", "not hours of a day"),
        ("Europe/Berlin x 8 1", "not hours of a day"),
        ("Middle/Earth 8 18 1", "no time zone 'Middle/Earth'"),
        ("../etc/passwd 8 18 1", "no time zone"),
        ("UTC \N{SUPERSCRIPT TWO} 18 1", "not hours of a day"),
        (f"UTC {'9' * 5000} 18 1", "not hours of a day"),
    ],
)
def test_invalid_playing_hours_are_refused(words, sentence):
    with pytest.raises(BadRequest, match=sentence):
        PlayingHours.parse(words)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "0:00"),
        (59.9, "0:59"),
        (729, "12:09"),
        (HOUR, "1:00 h"),
        (3 * HOUR + 300, "3:05 h"),
        (DAY + HOUR, "1 d 1 h"),
    ],
)
def test_remaining_time_is_formatted_like_a_clock(seconds, words):
    assert format_clock(seconds) == words


# --- running clocks ---------------------------------------------------------------------------------


def live(**more):
    return Clocks(TimeControl(REALTIME, 300, 10), (ALL_HOURS,) * 2, (300.0, 300.0), 0, 1000.0, **more)


def test_a_live_clock_runs_down_and_gains_with_each_turn():
    first = live()
    assert (first.seconds_left(0, 1100), first.seconds_left(1, 1100), first.flag_at) == (200, 300, 1300)
    second = first.after_move(1100, 1, ended=True)
    assert (second.seconds_left(0, 1150), second.seconds_left(1, 1150), second.flag_at) == (210, 250, 1400)
    same = first.after_move(1040, 0, ended=False)
    assert same.seconds_left(0, 1040) == 260
    assert first.after_move(1100, 0, ended=True).remaining == (210, 300)  # the same seat moves again
    assert first.after_move(1100, 1, ended=False).remaining == (200, 300)  # another seat answers during the turn


@pytest.mark.parametrize("game", rest(["orchard", "caylus", "oregon"], "oregon"))
def test_every_seat_gains_by_its_turns(site, clock, game):
    """Some of these games count a turn only when all seats have chosen."""
    table = timed(site, CLAIM, game=game)
    passed = [0, 0]
    while min(passed) < 3:
        seat = site.tables.get(table).play.turn
        now = move(site, table)
        passed[seat] += now.play.turn != seat
    left = now.history(0).clocks.remaining
    assert all(time >= 300 + 10 * turns for time, turns in zip(left, passed, strict=True))


def test_a_correspondence_clock_is_reset_at_each_turn():
    clocks = Clocks(TimeControl(CORRESPONDENCE, DAY), (ALL_HOURS,) * 2, (float(DAY),) * 2, 0, 0.0)
    moved = clocks.after_move(DAY - 5, 1, ended=True)
    assert (moved.remaining, moved.flag_at) == ((5.0, float(DAY)), DAY - 5 + DAY)
    assert moved.after_move(DAY, 0, ended=True).remaining[0] == DAY
    assert clocks.after_move(DAY - 5, 0, ended=True).remaining == (DAY, DAY)  # the same seat moves again
    assert clocks.after_move(DAY - 5, 0, ended=False).remaining == (5, DAY)


def test_clocks_stop_for_bots_open_seats_and_vacations():
    assert live(open_seats=frozenset({1})).flag_at == inf
    assert live(bot_seats=frozenset({0})).seconds_left(0, 5000) == 300
    over = live().after_move(1100, -1, ended=True)
    assert (over.advanced_to(5000).remaining, over.flag_at) == ((210, 300), inf)
    for stopped, again in (
        (live().after_substitution(1100, 0), lambda clocks: clocks.after_return(5000, 0)),
        (
            live().after_vacation_change(1100, 0, begins=True),
            lambda clocks: clocks.after_vacation_change(5000, 0, begins=False),
        ),
    ):
        assert (stopped.seconds_left(0, 9000), stopped.flag_at) == (200, inf)
        assert again(stopped).flag_at == 5200


def test_a_vacation_does_not_pass_to_the_next_player_of_a_seat():
    slow = Clocks(
        TimeControl(CORRESPONDENCE, DAY), (ALL_HOURS,) * 2, (float(DAY),) * 2, 0, 1000.0, vacation_seats=frozenset({0})
    )
    assert slow.after_leave(1000, 0).after_join(1000, 0, by_bot=False).seconds_left(0, 1400) == DAY - 400


def test_a_returning_player_has_time_after_a_turn_of_the_substitute_bot():
    away = live().after_substitution(1400, 0)
    assert away.after_return(2000, 0).seconds_left(0, 2000) == -100
    assert away.after_move(1401, 0, ended=False).after_return(2000, 0).seconds_left(0, 2000) == -100
    assert away.after_move(1401, 1, ended=True).after_return(2000, 0).seconds_left(0, 2000) == 30
    slow = Clocks(TimeControl(CORRESPONDENCE, DAY), (ALL_HOURS,) * 2, (5.0, float(DAY)), 0, 1000.0).after_substitution(
        1400, 0
    )
    assert slow.after_move(1401, 1, ended=True).after_return(2000, 0).remaining[0] == DAY


@NEVER_AWAY
def test_leaving_and_returning_gains_no_time(site, clock):
    """A return before the substitute bot has moved leaves the deadline unchanged."""
    for kind in (REALTIME, CORRESPONDENCE):
        table = timed(site, A_BOT, kind=kind)
        due = site.tables.get(table).table.flag_at
        clock.advance(290)
        for _ in range(3):
            site.seats.step_away(table, 0, "ana", "easy")
            back = site.seats.return_to_seat(table, 0, "ana")
        assert back.table.flag_at == due


@pytest.mark.parametrize("first", ["vacation", "bot"])
def test_a_bot_has_no_clock_though_a_vacation_ends_nor_has_a_vacation_though_a_bot_goes(site, clock, first):
    table = timed(site, A_BOT, kind=CORRESPONDENCE)
    begin = [lambda: site.vacations.begin("ana"), lambda: site.seats.step_away(table, 0, "ana", "easy")]
    end = [lambda: site.vacations.end("ana"), lambda: site.seats.return_to_seat(table, 0, "ana")]
    for do in (*begin, *(end if first == "vacation" else end[::-1])):
        assert site.tables.get(table).table.flag_at is None or do is begin[0]
        do()
    assert site.tables.get(table).table.flag_at == clock.now() + DAY


def test_going_back_by_consent_starts_no_clock_of_a_bot(site, clock):
    table = timed(site, A_BOT)
    move(site, table, 2)
    site.seats.propose_takeback(table, 0, "ana")
    site.seats.step_away(table, 0, "ana", "easy")
    now = site.seats.answer_proposal(table, 1, "bea", agree=True)
    assert now.play.turn == 0
    assert now.table.flag_at is None


def test_playing_hours_of_a_joining_player_apply_at_once(site, clock, start):
    """The same clocks follow from the events after a restart."""
    clock.set(berlin(2026, 3, 7, 12))  # a Saturday
    table = timed(site, A_BOT, replace(ANA, hours=str(WORK)), Seat(OPEN, "", "A friend"), kind=CORRESPONDENCE)
    site.seats.join(table, 1, "bea", "Bea", str(WORK))
    now = move(site, table)
    assert now.table.flag_at == berlin(2026, 3, 11, 12)  # ten hours on Monday, ten on Tuesday, and four on Wednesday
    again = start().app.state.site.tables.get(table)
    assert [again.history(p).clocks for p in (0, 1, -1)] == [now.history(p).clocks for p in (0, 1, -1)]


def test_time_before_all_seats_are_taken_does_not_count():
    taken = live(open_seats=frozenset({1})).after_join(4000, 1, by_bot=False)
    assert (taken.remaining, taken.flag_at) == ((300.0, 300.0), 4300)
    assert live(open_seats=frozenset({0})).after_join(4000, 0, by_bot=True).flag_at == inf


# --- tables --------------------------------------------------------------------------------------------


def timed(site, zero, *seats, kind=REALTIME, game="orchard"):
    bank = 300 if kind == REALTIME else DAY
    return opened(
        site,
        *(seats or (ANA, BEA)),
        game=game,
        time_control=TimeControl(kind, bank, 10 if kind == REALTIME else 0, zero),
    )


def test_clocks_are_the_same_after_a_restart(site, clock, start):
    table = timed(site, CLAIM, game="oregon")
    for seconds in (10, 35, 7, 60):
        clock.advance(seconds)
        move(site, table)
    known = [site.tables.get(table).history(reader).clocks for reader in (0, 1, -1)]
    again = start().app.state.site.tables.get(table)
    assert [again.history(reader).clocks for reader in (0, 1, -1)] == known
    assert sum(known[0].remaining) < 600


def test_clocks_stop_while_the_site_is_down(clock, site, start):
    """The log of each table with a running clock reports the outage."""
    live, bots = timed(site, CLAIM), timed(site, A_BOT)
    slow = timed(site, CLAIM, replace(ANA, hours=str(WORK)), BEA, kind=CORRESPONDENCE)
    waiting = timed(site, CLAIM, ANA, replace(BEA, kind=OPEN))
    alone, plain = timed(site, CLAIM, ANA, Seat(BOT, "easy", "Easy bot")), opened(site, ANA, BEA)
    resting = timed(site, CLAIM, kind=CORRESPONDENCE)
    site.seats.pause_clock(resting, 0, "ana", begins=True)
    move(site, alone)
    for _ in range(2):
        clock.advance(50)
        site.maintenance.run_once()
    tables = (live, bots, slow, waiting, alone, plain, resting)
    known = {table: site.tables.get(table) for table in tables}
    left = {
        table: now.history(0).clocks and now.history(0).clocks.seconds_left(0, clock.now())
        for table, now in known.items()
    }
    clock.advance(3 * HOUR)
    again = start().app.state.site
    again.maintenance.run_once()
    for table in tables:
        now = again.tables.get(table)
        told = [entry for entry in now.events if entry.kind == OUTAGE]
        assert [(entry.action, entry.text) for entry in told] == (
            [(3 * HOUR, "3 hours")] if table in (live, bots, slow) else []
        )
        for reader in (0, 1, -1):
            clocks = now.history(reader).clocks
            assert left[table] == (clocks and clocks.seconds_left(0, clock.now()))
    lines = [plain_text(line) for one in again.tables.get(live).history(1).log_entries for line in one.lines]
    assert lines == ["The site was down for 3 hours. All clocks were paused."]
    with pytest.raises(Conflict):
        again.seats.claim_seat(live, 0, "bea", "easy")
    asked = known[live]
    assert again.tables.get(live).history(0).is_current(asked.history(0).version), "the question is the same"
    assert not again.tables.get(bots).table.seats[0].substitute_bot
    for _ in range(4):
        clock.advance(51)
        again.maintenance.run_once()
    assert again.tables.get(bots).table.seats[0].substitute_bot


def outages_at(site, table):
    return [entry.action for entry in site.tables.get(table).events if entry.kind == OUTAGE]


def test_an_outage_is_compensated_once_per_table_even_if_interrupted(clock, site, start, monkeypatch):
    """Each table gets one event for the outage, even if a process is killed while it writes these events."""
    tables = [timed(site, CLAIM) for _ in range(4)]
    clock.advance(500)
    write, left = type(site.tables.store).append, [2]

    def killed(*given: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise KeyError
        return write(*given)

    monkeypatch.setattr(type(site.tables.store), "append", killed)
    first = start().app.state.site
    assert [outages_at(first, table) for table in tables] == [[]] * 4, "it is not waited for"
    with pytest.raises(KeyError):
        first.maintenance.run_once()
    left[0] = 9
    assert sum(len(outages_at(first, table)) for table in tables) == 2
    others = [start().app.state.site for _ in range(2)]
    clock.advance(30)  # the time until a table is updated does not count as an outage
    for one in (*others, first, *others):
        one.maintenance.run_once()
    for one in (*others, first):
        assert [outages_at(one, table) for table in tables] == [[500]] * 4
        assert {one.tables.get(table).history(0).clocks.seconds_left(0, clock.now()) for table in tables} == {270}
        assert one.tables.store.outages() == []


def test_a_failed_compensation_of_an_outage_is_retried(clock, site, monkeypatch):
    tables = [timed(site, CLAIM) for _ in range(2)]
    clock.advance(500)
    with monkeypatch.context() as away:
        away.setattr(site.tables.store, "append", Mock(side_effect=OSError("gone")))
        with pytest.raises(OSError, match="gone"):
            site.maintenance.run_once()
    site.maintenance.run_once()
    assert [outages_at(site, table) for table in tables] == [[500]] * 2
    assert site.tables.store.outages() == []


def test_an_outage_is_compensated_after_write_conflicts(clock, site, monkeypatch):
    tables, write, conflicts = [timed(site, CLAIM) for _ in range(3)], site.tables.store.append, [StaleError] * 2

    def append(*given):
        if conflicts:
            raise conflicts.pop()
        return write(*given)

    monkeypatch.setattr(site.tables.store, "append", append)
    clock.advance(500)
    with pytest.raises(Conflict):
        site.tables.compensate_outage(tables[0])
    site.maintenance.run_once()
    assert not conflicts
    assert [outages_at(site, table) for table in tables] == [[500]] * 3


def test_clocks_stop_while_a_running_process_has_no_database(clock, site):
    """The outage is written to a table before the next change there."""
    table, other = timed(site, CLAIM), timed(site, A_BOT)
    clock.advance(500)
    with pytest.raises(Conflict, match="still has time left"):
        site.seats.claim_win_on_time(table, 0, "bea")
    move(site, table)
    for _ in range(2):
        site.maintenance.run_once()
    for one in (table, other):
        assert outages_at(site, one) == [500]
    assert site.tables.get(table).history(0).clocks.remaining[0] == 310
    assert not site.tables.get(other).table.seats[0].substitute_bot


def test_a_bot_worker_does_not_record_that_the_site_is_up(clock, site):
    table = timed(site, CLAIM)
    site.tables.serves_site = False
    for _ in range(10):
        clock.advance(50)
        move(site, table)
    site.maintenance.record_start()
    assert site.tables.store.outages() == [(1_000_000.0, 1_000_500.0)]


def test_a_short_outage_is_not_compensated(site, clock, start):
    table = timed(site, CLAIM)
    for _ in range(2):
        clock.advance(50)
        site.maintenance.run_once()
    clock.advance(50)
    again = start().app.state.site.tables.get(table)
    assert again.events == ()
    assert again.history(0).clocks.seconds_left(0, clock.now()) == 150


def test_only_the_time_that_a_clock_ran_in_an_outage_is_compensated():
    then = Clocks(TimeControl(CORRESPONDENCE, DAY), (WORK, ALL_HOURS), (3600.0 * 5, DAY), 0, berlin(2026, 11, 20, 16))
    assert then.after_outage(berlin(2026, 11, 23, 9), 3 * 24 * HOUR).remaining[0] == 5 * HOUR
    assert then.after_outage(berlin(2026, 11, 23, 9), 30 * 60).remaining[0] == 5 * HOUR - 2.5 * HOUR
    resting = replace(then, vacation_seats=frozenset({0}))
    assert resting.after_outage(berlin(2026, 11, 23, 9), DAY).remaining[0] == 5 * HOUR


def test_a_seat_shows_that_its_player_is_on_vacation(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "clock": "slow-24"})
    assert ">vacation<" not in visitor.get(table).text
    site = visitor.app.state.site
    guest = site.tables.get(table.rsplit("/", 1)[1]).table.host
    site.seats.pause_clock(table.rsplit("/", 1)[1], 0, guest, begins=True)
    assert ">vacation<" in visitor.get(table).text
    site.seats.pause_clock(table.rsplit("/", 1)[1], 0, guest, begins=False)
    assert ">vacation<" not in visitor.get(table).text


@NEVER_AWAY
def test_others_may_claim_when_time_is_up(site, clock):
    table = timed(site, CLAIM)
    clock.advance(299)
    with pytest.raises(Conflict, match="still has time left"):
        site.seats.claim_win_on_time(table, 0, "bea")
    with pytest.raises(Conflict, match="'s turn, or they"):
        site.seats.claim_seat(table, 0, "bea", "easy")
    clock.advance(1)
    lost = site.seats.claim_win_on_time(table, 0, "bea")
    assert (lost.table.end_reason, lost.table.resigned_seat) == ("timed_out", 0)
    other = timed(site, CLAIM)
    clock.advance(301)
    assert site.seats.claim_seat(other, 0, "bea", "easy").table.seats[0].bot == "easy"


def flag_fell(visitor, stranger, clock, **fields):
    """Return the path of a game in which the time of the host is up."""
    table = visitor.open(**{**FRIENDS, "clock": "live-5", **fields})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    assert "Your time is up" not in visitor.get(table).text
    assert "data-until=" in visitor.get(table).text
    clock.advance(301)
    return table


@NEVER_AWAY
def test_both_players_read_that_the_win_can_be_claimed(visitor, stranger, site, clock):
    table = flag_fell(visitor, stranger, clock)
    mine, other = visitor.get(table).text, stranger.get(table).text
    flagged = "Your time is up. Until you move, Bea can claim the win or let a bot play for you."
    assert f"{flagged} If a bot moves for you, you come last, because this game is rated." in mine
    assert "back. If a bot moves for you, you come last" in mine, "the same is said to whoever leaves"
    assert "If a bot moves for them, they come last." in other
    assert "data-until=" not in mine, "the page asks once more when the flag falls, and not again and again"
    assert ">Claim the win</button>" in other
    assert "Claim the win over Guest, who has run out of time" in other
    assert "End the game" not in other
    assert "Your time is up" not in other
    visitor.act(table)
    assert "Your time is up" not in visitor.get(table).text


@NEVER_AWAY
@pytest.mark.parametrize(
    ("zero", "words"), [("bot", "In a moment a bot takes over"), ("nothing", "You can keep playing in this game")]
)
def test_a_player_whose_time_is_up_reads_what_follows(visitor, stranger, site, clock, zero, words):
    table = flag_fell(visitor, stranger, clock, zero=zero)
    assert words in unescape(visitor.get(table).text)
    assert words not in unescape(stranger.get(table).text)


@NEVER_AWAY
def test_a_bot_can_be_claimed_at_a_table_of_three_when_time_is_up(visitor, stranger, site, clock):
    table = flag_fell(visitor, stranger, clock, **{"seat-2": "bot-easy"})
    assert "Until you move, the other players can let a bot play for you." in visitor.get(table).text
    assert "Claim the win" not in stranger.get(table).text
    assert "Let a bot play" in stranger.get(table).text


@NEVER_AWAY
def test_against_bots_a_rated_game_is_lost_when_time_is_up(visitor, site, clock):
    fields = {"seat-0": "me", "seat-1": "bot-easy", "clock": "live-5"}
    rated, other = visitor.open(**fields), visitor.open(**fields, unrated=1)
    clock.advance(301)
    assert "Your time is up. You have lost" in visitor.get(rated).text
    assert "Your time is up. You can keep playing in this game" in visitor.get(other).text


@NEVER_AWAY
@pytest.mark.parametrize(("passed", "wait"), [(0, 3000), (290, 1000), (301, 0)])
def test_a_final_move_waits_for_a_tenth_of_the_time_that_is_left(visitor, clock, passed, wait):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "clock": "live-5", "unrated": "1"})
    seat, seen, (action, *_) = visitor.seen(table)
    clock.advance(passed)
    fields = {"action": action, "seat": seat, "seen": seen}
    held = visitor.post(f"{table}/move", data=fields, headers={"HX-Request": "true"})
    assert f'data-wait="{wait}"' in held.text


@NEVER_AWAY
def test_a_bot_takes_over_when_time_is_up_if_the_table_says_so(site, clock):
    table, patient = timed(site, A_BOT), timed(site, NOTHING)
    clock.advance(299)
    site.maintenance.run_once()
    assert not site.tables.get(table).table.seats[0].bot
    clock.advance(2)
    site.maintenance.run_once()
    now = site.tables.get(table)
    assert now.table.seats[0].bot == "medium"
    assert now.table.flag_at is None
    late = site.seats.return_to_seat(table, 0, "ana")
    clock.advance(1)
    assert late.table.flag_at <= clock.now()  # the bot has not moved yet
    site.maintenance.run_once()
    move(site, table)
    back = site.seats.return_to_seat(table, 0, "ana")
    assert back.history(0).clocks.seconds_left(0, clock.now()) == pytest.approx(30)
    assert site.tables.get(patient).table.version == 0


def test_time_of_bots_does_not_count(site, clock):
    table = timed(site, A_BOT, Seat(BOT, "easy", "Easy bot"), ANA)
    clock.advance(9000)
    assert site.tables.get(table).table.flag_at is None
    move(site, table)
    assert site.tables.get(table).table.flag_at == clock.now() + 300


def test_clocks_start_when_all_seats_are_taken(site, clock):
    table = timed(site, A_BOT, ANA, Seat(OPEN, "", "A friend"))
    clock.advance(9000)
    site.maintenance.run_once()
    joined = site.seats.join(table, 1, "bea", "Bea")
    assert joined.table.flag_at == clock.now() + 300


def test_clocks_do_not_reveal_secret_moves(site, clock):
    """A secret choice neither stops nor starts a clock on the pages of other seats."""
    state = site.tables.get(timed(site, CLAIM))
    hidden = state.play.copy()
    hidden.array["seat"]["choice"][0][0] = action = hidden.legal_actions[0]  # chosen, but not yet revealed
    entry = TableEvent(0, MOVE, action, created_at=clock.now() + 50)
    for reader, told in ((0, True), (1, False), (-1, False)):
        history = state.history(reader)
        assert (history.with_event(entry, hidden, 1).clocks != history.clocks) == told


@NEVER_AWAY
@pytest.mark.slow
@pytest.mark.parametrize("game", ["orchard", "oregon"])
def test_a_slow_game_over_weeks(site, clock, game):
    """Clocks stop at night, at weekends and on vacation. A bot plays for a seat whose time is up."""
    seats = [replace(seat, hours=str(WORK)) for seat in (ANA, BEA)]
    table = timed(site, A_BOT, *seats, kind=CORRESPONDENCE, game=game)
    late = []
    for number in count():
        now = site.tables.get(table)
        if now.table.finished:
            break
        seat = now.play.turn
        clock.advance(9 * DAY if number == 5 else 3 * HOUR)  # the player forgets the game once
        if number == 10:
            site.vacations.begin(now.table.seats[seat].player)
            clock.advance(2.9 * DAY)
            site.vacations.end(now.table.seats[seat].player)
        site.maintenance.run_once()
        if site.tables.get(table).table.seats[seat].bot:
            late.append(number)
            while site.tables.get(table).play.turn == seat:
                move(site, table)  # the bot plays
            site.seats.return_to_seat(table, seat, now.table.seats[seat].player)
        move(site, table)
    assert late == [5]
    assert clock.now() - now.table.created_at > 13 * DAY


@pytest.mark.parametrize(
    ("vacation", "days", "left"),
    [
        (Vacation(), 1000, 3),  # not used yet
        (Vacation(DAY, 1.0), 10, 2),
        (Vacation(DAY, 1.0), 1000, 30),
        (Vacation(2 * DAY, 1.0, started_at=1.0), 1.5, 0.5),
        (Vacation(2 * DAY, 1.0, started_at=1.0), 3, 0),
    ],
)
def test_vacation_accrues_and_runs_out(vacation, days, left):
    assert vacation.seconds_left(1 + days * DAY) == pytest.approx(left * DAY)


def test_a_vacation_stops_slow_clocks_and_is_used_up(site, clock):
    table, quick = timed(site, A_BOT, kind=CORRESPONDENCE), timed(site, A_BOT)
    site.vacations.begin("ana")
    assert site.tables.get(table).table.flag_at is None
    assert site.tables.get(quick).table.flag_at is not None
    with pytest.raises(Conflict, match="already"):
        site.vacations.begin("ana")
    clock.advance(2 * DAY)
    site.maintenance.run_once()
    assert not site.tables.get(table).table.seats[0].bot
    site.vacations.end("ana")
    assert site.tables.get(table).table.flag_at == clock.now() + DAY
    assert site.vacations.get("ana").seconds_left(clock.now()) == DAY
    with pytest.raises(TooManyRequests, match="next one in 60 minutes"):
        site.vacations.begin("ana")
    clock.advance(HOUR)
    site.vacations.begin("ana")
    clock.advance(DAY + HOUR)
    site.maintenance.run_once()
    assert site.vacations.get("ana").started_at is None
    with pytest.raises(Conflict, match="no vacation left"):
        site.vacations.begin("ana")
    clock.advance(10 * DAY)
    assert site.vacations.get("ana").seconds_left(clock.now()) == pytest.approx(DAY, rel=1e-3)
    with pytest.raises(Conflict, match="not on vacation"):
        site.vacations.end("ana")


@NEVER_AWAY
@pytest.mark.parametrize("zero", [CLAIM, A_BOT])
def test_a_vacation_does_not_stop_an_expired_clock(site, clock, zero):
    table = timed(site, zero, kind=CORRESPONDENCE)
    clock.advance(DAY)
    site.vacations.begin("ana")
    clock.advance(DAY)
    if zero == CLAIM:
        assert site.seats.claim_seat(table, 0, "bea", "easy").table.seats[0].substitute_bot
    else:
        assert site.tables.store.with_expired_clock(clock.now(), 9) == [table]


@NEVER_AWAY
def test_a_vacation_begun_after_expiry_applies_from_the_next_turn(site, clock):
    table = timed(site, CLAIM, kind=CORRESPONDENCE)
    clock.advance(DAY)
    site.vacations.begin("ana")
    while site.tables.get(table).play.turn == 0:
        move(site, table)
    while (now := site.tables.get(table)).play.turn == 1:
        move(site, table)
    clock.advance(DAY)
    assert now.history(0).clocks.seconds_left(0, clock.now()) == DAY


@NEVER_AWAY
@pytest.mark.parametrize("both", [False, True])
def test_a_vacation_ends_when_it_is_handed_over_with_the_seats(site, clock, both):
    """Otherwise the clocks of the moved seats would never run again."""
    if both:
        site.vacations.begin("anna")
        clock.advance(4000)
        site.vacations.end("anna")
    rated, casual = (
        opened(site, ANA, BEA, time_control=TimeControl(CORRESPONDENCE, DAY), rated=one) for one in (True, False)
    )
    site.vacations.begin("ana")
    site.personal_data.merge("ana", "anna")
    clock.advance(DAY)
    for table, player in ((rated, "ana"), (casual, "anna")):
        now = site.tables.get(table)
        assert now.table.seats[0].player == player
        assert now.history(1).clocks.seconds_left(0, clock.now()) == 0
    assert site.vacations.get("anna").started_at is None


def test_a_vacation_ended_while_it_begins_stops_no_clock(site, clock, monkeypatch):
    table = timed(site, CLAIM, ANA, BEA, kind=CORRESPONDENCE)
    rest, telling, changing = site.seats.pause_clock, Event(), CountingLock()

    def slowly(*given, begins):
        if begins:
            telling.set()
            wait_until(lambda: changing.asked == 2, "the vacation is to end")
        return rest(*given, begins=begins)

    monkeypatch.setattr(site.seats, "pause_clock", slowly)
    monkeypatch.setattr(site.vacations, "_changing", changing)
    with ThreadPoolExecutor(1) as thread:
        begun = thread.submit(site.vacations.begin, "ana")
        assert telling.wait(TIMEOUT)
        site.vacations.end("ana")
        begun.result()
    assert site.vacations.get("ana").started_at is None
    assert not site.tables.get(table).history(0).clocks.vacation_seats


def test_a_vacation_applies_to_all_tables_even_if_one_cannot_be_loaded(site, clock):
    tables = [timed(site, A_BOT, kind=CORRESPONDENCE) for _ in range(3)]
    gone = (
        update(schema.game_table)
        .where(schema.game_table.c.id == tables[1])
        .values(components="gone", options={"x": "1"})
    )
    with site.tables.store._engine.begin() as db:
        db.execute(gone)
    site.tables._cache.clear()
    site.vacations.begin("ana")
    assert [site.tables.get(tables[n]).table.flag_at for n in (0, 2)] == [None, None]
    clock.advance(4 * DAY)
    site.maintenance.run_once()
    assert all(site.tables.get(tables[n]).table.flag_at > clock.now() for n in (0, 2))


def test_a_vacation_is_retried_after_write_conflicts(site, clock, monkeypatch):
    table, rest, tries = timed(site, A_BOT, kind=CORRESPONDENCE), site.seats.pause_clock, count(1)

    def refused_twice(*given, begins):
        if next(tries) < 3:
            raise Conflict("Another process has just written here.")
        return rest(*given, begins=begins)

    monkeypatch.setattr(site.seats, "pause_clock", refused_twice)
    site.vacations.begin("ana")
    assert site.tables.get(table).table.flag_at is None


@NEVER_AWAY
def test_a_vacation_does_not_affect_tables_opened_during_it(site, clock):
    site.vacations.begin("ana")
    table = timed(site, A_BOT, kind=CORRESPONDENCE)
    clock.advance(HOUR)
    site.vacations.end("ana")
    now = site.tables.get(table)
    assert (now.table.version, now.table.flag_at) == (0, clock.now() + DAY - HOUR)


def test_a_time_control_is_parsed_from_its_text():
    for control in (UNTIMED, TimeControl(REALTIME, 300, 10, NOTHING), TimeControl(CORRESPONDENCE, DAY)):
        assert TimeControl.parse(str(control)) == control


def test_pages_show_clocks_and_forms_refuse_others(visitor, site, clock):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "clock": "live-5"})
    page = visitor.get(table).text
    assert f'data-due="{clock.now() + 300}"' in page
    assert page.count('role="timer"') == 2  # on the card, and on a phone's chip
    for fields in ({"clock": "fast"}, {"clock": "live-5", "zero": "cry"}):
        refused = visitor.post("/games/orchard/tables", data={"seat-0": "me", "seat-1": "friend", **fields})
        assert refused.status_code == 422
        assert "choose one of" in refused.text


def test_playing_hours_are_a_preference(visitor, stranger):
    sent = {"hours-first": "8", "hours-last": "22", "hours-zone": "Europe/Berlin"}
    visitor.post("/preferences", data={**sent, "back": "/preferences"})
    assert 'value="Europe/Berlin"' in visitor.get("/preferences").text
    assert visitor.post("/preferences", data={**sent, "hours-zone": "Nowhere"}).status_code == 400
    for first, last in ((8, 11), (22, 1), (23, 24)):
        few = visitor.post("/preferences", data={**sent, "hours-first": first, "hours-last": last})
        assert (few.status_code, "at least 4 hours" in few.text) == (400, True), "others would wait for months"
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "clock": "slow-24"})
    seat = visitor.app.state.site.tables.get(table.rpartition("/")[2]).table.seats[0]
    assert PlayingHours.parse(seat.hours) == PlayingHours("Europe/Berlin", 8, 22, weekends=False)
    assert "Vacation" in visitor.get("/my/games").text
    assert visitor.post("/vacation", data={"begin": "1"}).status_code == 200
    assert "I'm back" in visitor.get("/my/games").text
    assert stranger.post("/vacation", data={"begin": "0"}).status_code == 409


def test_events_store_their_time(site, clock):
    table = opened(site, ANA, BEA)
    clock.advance(5)
    move(site, table)
    (entry,) = site.tables.store.events(site.tables.store.find(table))
    assert isinstance(entry, TableEvent)
    assert entry.created_at == clock.now()


@NEVER_AWAY
def test_clocks_replace_the_absence_timeout(site, clock):
    table = opened(site, ANA, BEA, absence_timeout=3600, time_control=TimeControl(CORRESPONDENCE, DAY, 0, CLAIM))
    clock.advance(DAY - 1)  # absent all the time
    assert not site.seats.presence_summary(site.tables.get(table).table).replaceable
    with pytest.raises(Conflict, match="not been away for long enough"):
        site.seats.claim_seat(table, 0, "bea", "easy")
    clock.advance(1)
    assert site.seats.claim_seat(table, 0, "bea", "easy").table.seats[0].bot == "easy"
