"""Limits on log entries: an action that every viewer sees is possible a few times an hour."""

from dataclasses import replace

import pytest

from almunia.server.errors import Conflict, TooManyRequests
from almunia.server.tables.action_limits import MAX_ACTIONS, WINDOW_SECONDS
from almunia.server.tables.clocks import CLAIM, CORRESPONDENCE, DAY, NOTHING, TimeControl
from almunia.server.tables.model import OPEN, Seat

from ..clock import NEVER_AWAY
from .seated import ANA, BEA, CEM, opened

FRIEND = Seat(OPEN, "", "A friend")
OFTEN = 240  # times within a minute, as fast as the site answers a guest


def leaves(site, table, _number):
    site.seats.step_away(table, 0, "ana", "easy")
    site.seats.return_to_seat(table, 0, "ana")


def gives_back(site, table, _number):
    site.seats.step_away(table, 1, "bea", "easy")
    site.seats.join(table, 1, "bea", "Bea")


def resigns(site, table, _number):
    site.seats.resign(table, 1, "bea", "easy")
    site.seats.join(table, 1, "bea", "Bea")


def frees(site, table, _number):
    site.seats.remove_player(table, 1, "ana")
    site.seats.join(table, 1, "bea", "Bea")


def asks(site, table, _number):
    site.seats.propose_end(table, 0, "ana")
    site.seats.answer_proposal(table, 1, "bea", agree=False)


def takes_back(site, table, _number):
    site.seats.propose_end(table, 0, "ana")
    site.seats.answer_proposal(table, 0, "ana", agree=False)


def names(site, table, number):
    site.seats.reserve_for(table, 2, "ana", f"Friend {number}")


def hands_on(site, table, _number):
    site.seats.transfer_host(table, 1, "ana")
    site.seats.transfer_host(table, 0, "bea")


@pytest.mark.parametrize("deed", [leaves, gives_back, resigns, frees, asks, takes_back, names, hands_on])
def test_actions_that_write_to_the_log_are_limited(site, clock, deed):
    table = opened(site, ANA, BEA, CEM if deed is leaves else FRIEND)
    refused = []
    for number in range(OFTEN):
        clock.advance(60 / OFTEN)
        try:
            deed(site, table, number)
        except (TooManyRequests, Conflict) as error:
            refused.append(error)
    assert site.tables.get(table).table.version <= 2 * MAX_ACTIONS
    assert {type(error) for error in refused} == {TooManyRequests}
    assert f"{MAX_ACTIONS} times" in str(refused[0])
    assert "in 60 minutes" in str(refused[0])
    clock.advance(refused[-1].wait)
    deed(site, table, OFTEN)


def test_actions_are_counted_for_each_seat_and_after_a_restart(site, clock, start):
    table = opened(site, ANA, BEA, CEM)
    for number in range(MAX_ACTIONS):
        leaves(site, table, number)
    site.seats.step_away(table, 1, "bea", "easy")
    again = start().app.state.site
    with pytest.raises(TooManyRequests, match="can leave this game again in 60 minutes"):
        again.seats.step_away(table, 0, "ana", "easy")


@pytest.mark.parametrize("on_timeout", [CLAIM, NOTHING])
def test_personal_data_can_be_erased_after_many_leaves(site, on_timeout):
    table = opened(site, ANA, BEA, FRIEND, time_control=TimeControl(CORRESPONDENCE, DAY, 0, on_timeout))
    for number in range(MAX_ACTIONS):
        gives_back(site, table, number)
    site.personal_data.erase("bea")
    assert site.tables.get(table).table.seats[1].kind == OPEN


def test_an_absent_player_can_return_at_any_time(site, clock):
    table = opened(site, ANA, BEA)
    for number in range(MAX_ACTIONS - 1):
        leaves(site, table, number)
    site.seats.step_away(table, 0, "ana", "easy")
    assert not site.seats.return_to_seat(table, 0, "ana").table.seats[0].substitute_bot


@NEVER_AWAY
def test_vacations_are_limited(site, clock):
    table = opened(site, ANA, replace(BEA), time_control=TimeControl(CORRESPONDENCE, DAY))
    for _ in range(OFTEN):
        clock.advance(60 / OFTEN)
        for step in (site.vacations.begin, site.vacations.end):
            try:
                step("ana")
            except (TooManyRequests, Conflict):
                continue
    assert site.tables.get(table).table.version == 2
    clock.advance(WINDOW_SECONDS)
    site.vacations.begin("ana")
    assert site.tables.get(table).table.version == 3


def test_the_page_of_a_refused_action_says_when_to_retry(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "here"})
    answers = []
    for _ in range(MAX_ACTIONS + 1):
        answers.append(visitor.post(f"{table}/leave", data={"seat": 0, "spec": "easy"}, follow_redirects=False))
        visitor.post(f"{table}/return", data={"seat": 0})
    assert [answer.status_code for answer in answers] == [303] * MAX_ACTIONS + [429]
    assert "You can leave this game again in 60 minutes." in answers[-1].text
    assert f'href="{table}">Back to the game</a>' in answers[-1].text
    assert 3500 < int(answers[-1].headers["retry-after"]) <= 3601
