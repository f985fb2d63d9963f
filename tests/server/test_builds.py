"""Tables before and after their game is compiled: which build and which bot play."""

import gc
from types import SimpleNamespace

import pytest

from almunia import bots, catalog
from almunia.engine.checked import CheckedArray
from almunia.errors import SetupError
from almunia.library import Game
from almunia.server.errors import Conflict
from almunia.server.tables.builds import GameBuilds, effective_bot, is_playable
from almunia.server.tables.model import BOT, BOT_FAILED, OPEN, PERSON, Seat

from ..waiting import wait_until

EXPERT, EASY, ME = Seat(BOT, "expert", "Expert bot"), Seat(BOT, "easy", "Easy bot"), Seat(PERSON, "me", "Ana")
AWAITED = "until the site has prepared this game"


class Passing(Game):
    """A plain build that pretends to be the compiled one, so that tests need no compiler."""

    def wrap(self, array):
        return CheckedArray(array)


@pytest.fixture
def compiled() -> Game:
    """Return a game that pretends to be the compiled build of Orchard."""
    this = Passing("orchard", "plain")
    assert this.backend
    this.build = "compiled"
    return this


@pytest.fixture
def site(visitor):
    return visitor.app.state.site


@pytest.fixture
def made(site) -> list[tuple[str, str]]:
    """Return the list of the bots that were made, as spec and build. Each bot plays at random."""
    found = []

    def make(spec, game, *_):
        found.append((spec, game.build))
        return SimpleNamespace(spec=spec, choose=bots.make("random", game, 1).choose)

    site.bot_runner.make = make
    return found


def opened(site, *seats, **more):
    return site.tables.create("orchard", seats, "me", **more).id


def moves(site, table):
    return len(site.tables.get(table).play.actions)


def my_move(site, table):
    """Wait until it is the person's turn, and play the first legal action."""
    wait_until(lambda: not site.tables.get(table).table.is_bot_to_move, "the bot has moved")
    now = site.tables.get(table)
    site.tables.move(table, now.play.turn, now.play.legal_actions[0], now.history(now.play.turn).version)


def test_searching_bots_are_replaced_by_greedy_in_the_plain_build(compiled):
    plain = Game("orchard", "plain")
    assert [effective_bot(spec, plain) for spec in ("easy", "expert", "search:9", "greedy")] == [
        *("easy", "greedy", "greedy", "greedy")
    ]
    assert is_playable("expert", compiled)


def test_open_tables_switch_to_the_compiled_build(site, made, compiled):
    site.builds.set_awaited(["orchard"])
    table = opened(site, ME, EXPERT, EASY, rated=False)
    for _ in range(2):
        my_move(site, table)
    wait_until(lambda: not site.tables.get(table).table.is_bot_to_move, "the bots have moved")
    assert {*made} == {("greedy", "plain"), ("easy", "plain")}
    before = site.tables.get(table)
    site.builds.switch_to(compiled)
    assert site.tables.get_if_cached(table) is None, "what was kept belongs to the other build"
    after = site.tables.get(table)
    assert after.play.game is compiled
    assert after.play.to_state() == before.play.to_state()
    made.clear()
    my_move(site, table)
    wait_until(lambda: not site.tables.get(table).table.is_bot_to_move, "the bots have moved")
    assert {*made} == {("expert", "compiled"), ("easy", "compiled")}


def test_a_table_cached_late_switches_to_the_compiled_build(site, compiled):
    table = opened(site, ME, Seat(PERSON, "bea", "Bea"))
    old = site.tables.get(table)
    site.builds.switch_to(compiled)
    my_move(site, table)
    site.tables._cache_state(old, 0)  # a thread that read the table earlier caches it late
    my_move(site, table)
    now = site.tables.get(table)
    assert (now.play.game, len(now.play.actions)) == (compiled, 2)


def test_a_rated_game_with_a_searching_bot_waits_for_the_compiled_build(site, made, compiled):
    site.builds.set_awaited(["orchard"])
    rated, other = opened(site, EXPERT, ME), opened(site, EXPERT, ME, rated=False)
    assert site.tables.get(rated).table.rated
    my_move(site, other)
    wait_until(lambda: not site.bot_runner.queue_depth, "every bot has been called")
    assert moves(site, rated) == 0
    assert {*made} == {("greedy", "plain")}
    made.clear()
    site.builds.switch_to(compiled)
    my_move(site, rated)
    assert ("expert", "compiled") in made
    assert site.tables.get(rated).table.seats[0].player == "expert"


def test_pages_show_the_effective_bot_until_the_game_is_compiled(visitor, site, compiled):
    site.bot_runner.pause()
    site.builds.set_awaited(["orchard"])
    rated, other = (visitor.open(**{"seat-0": "bot-expert", "seat-1": "me", **more}) for more in ({}, {"unrated": 1}))
    easy = visitor.open(**{"seat-0": "bot-easy", "seat-1": "me"})
    marks = [page.text.partition('data-mark="')[2].partition('"')[0] for page in map(visitor.get, (rated, other))]
    assert f"is waiting {AWAITED}" in visitor.get(rated).text
    assert ">waits</span>" in visitor.get(rated).text
    assert f"plays as greedy {AWAITED}" in visitor.get(other).text
    assert ">plays as greedy</span>" in visitor.get(other).text
    assert AWAITED not in visitor.get(easy).text.lower()
    site.builds.switch_to(compiled)
    for table, mark in zip((rated, other), marks, strict=True):
        page = visitor.get(table).text
        assert AWAITED not in page.lower()
        assert "is thinking." in page
        assert f'data-mark="{mark}"' not in page, "or an open page would not be drawn again"


def test_open_pages_are_notified_when_a_game_is_compiled(site, compiled, monkeypatch):
    told = []
    monkeypatch.setattr(site.broker, "publish_local", told.append)
    table = opened(site, ME, EXPERT, rated=False)
    site.tables.create("alpujarras", (ME, EASY), "me")
    told.clear()
    site.builds.switch_to(compiled)
    assert told == [table]


def test_games_with_searching_bots_are_unrated_without_compilation(site, made):
    assert not site.tables.get(opened(site, ME, EXPERT)).table.rated
    assert site.tables.get(opened(site, ME, EASY)).table.rated
    rated, unrated = (opened(site, ME, Seat(OPEN, "", "A friend"), rated=rated) for rated in (True, False))
    with pytest.raises(Conflict, match="Expert bot cannot play a rated game here"):
        site.seats.add_bot(rated, 1, "me", "expert")
    assert site.seats.add_bot(unrated, 1, "me", "expert").table.seats[1].bot == "expert"
    three = opened(site, ME, Seat(PERSON, "bea", "Bea"), EASY)
    given_up = site.seats.resign(three, 0, "me", "expert")
    assert given_up.table.seats[0].bot == "greedy", "else it would fail, and the game move no rating"


def test_a_waiting_game_continues_unrated_if_compilation_fails(site, made, monkeypatch):
    site.builds.set_awaited(["orchard"])
    table = opened(site, EXPERT, ME)
    wait_until(lambda: not site.bot_runner.queue_depth, "the bot has been called")
    assert moves(site, table) == 0

    def failing(_):
        raise SetupError("no")

    monkeypatch.setattr(site.builds._compiler, "ensure_compiled", failing)
    with pytest.raises(SetupError):
        site.builds._compile("orchard", print)
    wait_until(lambda: moves(site, table), "a bot has moved")
    now = site.tables.get(table)
    assert now.table.seats[0].player == "greedy"
    assert BOT_FAILED in {entry.kind for entry in now.events}, "so it moves no rating"


def test_loaded_code_is_exempt_from_garbage_collection(monkeypatch):
    monkeypatch.setattr(catalog, "game_packages", dict)
    gc.unfreeze()
    GameBuilds().compile_in_background(id)
    wait_until(gc.get_freeze_count, "the loaded objects are frozen")
    gc.unfreeze()
