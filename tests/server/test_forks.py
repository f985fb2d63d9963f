"""Continuing from a position of a finished game: who may, the new table, and its effect on ratings."""

import pytest

from almunia.play.record import Record
from almunia.server.limits import Limits
from almunia.server.ratings.repository import player_stats
from almunia.server.tables.model import BOT, PERSON

from .test_lessons import begin
from .test_table_limits import HERE, THERE, come

AT = 3  # a position in the middle of Orchard's games


@pytest.fixture
def over(visitor):
    """Return the path of a finished game of a guest and a bot."""
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "option-edition": "2018", "hints": "1"})
    visitor.finish(table)
    return table


def state_of(visitor, table):
    return visitor.app.state.site.tables.get(table.rpartition("/")[2])


def asked(visitor, table, **fields):
    """Send the form that continues from a position, and return the response."""
    form = {"at": AT, "seat": 1, "spec": "medium", **fields}
    return visitor.post(f"{table}/fork", data=form, follow_redirects=False)


def played_on(visitor, table, **fields):
    """Continue from a position, and return the path of the new table."""
    answer = asked(visitor, table, **fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_a_fork_starts_at_the_position_of_the_old_table(visitor, over):
    old, new = state_of(visitor, over), state_of(visitor, played_on(visitor, over))
    assert new.play_at(AT).to_state() == old.play_at(AT).to_state()
    assert (new.table.options, new.table.hints, new.table.seed) == (old.table.options, True, old.table.seed)
    assert (new.table.forked_at, new.table.seed_is_public) == (AT, True)
    assert (new.table.seats[0].kind, new.table.seats[0].player) == (BOT, "medium")
    assert new.table.seats[1].kind == PERSON
    assert old.table == state_of(visitor, over).table


@pytest.mark.parametrize("limits", [Limits(played_on_tables="2/hour")], ids=[""])
def test_forks_per_network_are_limited(visitor, over):
    """Guests are free to create, and each such table costs a replay of the game."""
    tables = visitor.app.state.site.tables.store
    crowd = [come(visitor, HERE) for _ in range(3)]
    assert [asked(guest, over).status_code for guest in crowd] == [303, 303, 429]
    before = len(tables.all())
    refused = asked(crowd[0], over)
    assert "2 games were continued from a position in your network recently, which is the limit." in refused.text
    assert int(refused.headers["Retry-After"]) > 3500
    assert len(tables.all()) == before
    assert asked(come(visitor, THERE), over).status_code == 303
    assert [asked(visitor, over).status_code for _ in range(3)] == [303] * 3, "this machine is no address"


def test_a_fork_is_labelled_and_counts_for_no_statistics(visitor, over):
    site = visitor.app.state.site
    guest = state_of(visitor, over).table.host
    before = player_stats(site.tables.store._engine, [guest], "orchard")
    table = played_on(visitor, over, seat=0)
    assert "Continued from move 3" in visitor.get(table).text
    assert "<small>Continued from move 3, Edition: 2018</small>" in visitor.get("/my/games").text
    visitor.finish(table)
    assert "Continued from move 3" in visitor.get(f"{table}/replay").text
    assert Record.parse(visitor.get(f"{table}/record").text).seed_known
    assert before[guest].games == 1
    assert player_stats(site.tables.store._engine, [guest], "orchard") == before


def test_a_fork_survives_a_restart(visitor, start, over):
    table = played_on(visitor, over)
    again = start()
    again.cookies = visitor.cookies
    assert state_of(again, table).table.forked_at == AT
    assert "Continued from move 3" in again.get("/my/games").text


def test_only_finished_games_are_forked_before_their_last_position(visitor, stranger, over):
    running = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    tables = len(visitor.app.state.site.tables.store.all())
    assert asked(visitor, running, at=0).status_code == 403
    last = len(state_of(visitor, over).play.actions)
    beyond = asked(visitor, over, at=last)
    assert beyond.status_code == 409
    assert "Choose an earlier position" in beyond.text
    for wrong, status in (({"at": last + 1}, 404), ({"seat": 2}, 404), ({"spec": "genius"}, 422), ({"at": ""}, 400)):
        assert asked(visitor, over, **wrong).status_code == status
    assert len(visitor.app.state.site.tables.store.all()) == tables
    assert state_of(visitor, played_on(stranger, over)).table.host != state_of(visitor, over).table.host


def test_the_replay_offers_a_fork_before_the_last_position(visitor, over):
    page = visitor.get(f"{over}/replay?at=3&seat=1").text
    assert f'action="{over}/fork"' in page
    assert '<input type="hidden" name="at" value="3">' in page
    assert '<option value="0" selected>' in page
    last = len(state_of(visitor, over).play.actions)
    assert "/fork" not in visitor.get(f"{over}/replay?at={last}").text


def test_a_fork_of_a_challenge_or_lesson_is_an_ordinary_game(visitor):
    tried = visitor.open(challenge="s4-2")
    visitor.finish(tried)
    options = state_of(visitor, tried).table.options
    table = state_of(visitor, played_on(visitor, tried, at=0, seat=0, spec="")).table
    assert (table.challenge, table.options, table.forked_at) == ("", options, 0)
    assert "Continued from the start" in visitor.get("/my/games").text
    taught = begin(visitor, "orchard")
    visitor.finish(taught)
    assert not state_of(visitor, played_on(visitor, taught, at=1, seat=0)).table.lesson
