"""The analysis board: moves are tried on a copy of what its reader saw, and nothing is stored."""

import re
from dataclasses import replace
from html import unescape

import pytest

import almunia
from almunia.server.tables.analysis_board import board_play, guesses_cards
from almunia.server.tables.clocks import CORRESPONDENCE, REALTIME, UNTIMED, TimeControl
from almunia.server.tables.model import FINISHED, PERSON, Seat
from almunia.server.tables.state import TableState
from almunia.server.tables.timeline import timeline_of
from almunia.server.web.analysis_board import MAX_GUESS, MAX_TRIED

from .test_moves import HTMX
from .test_secrets import twin_seeds
from .test_timeline import table_of

LIVE, SLOW = TimeControl(REALTIME, 300, 10), TimeControl(CORRESPONDENCE, 86400)
ACTION = re.compile(r'name="action" value="(\d+)"')


def begun(name, seed):
    """Return the state of a table of two at the deal."""
    game = almunia.game(name, "plain")
    play = game.new(seats=2, seed=seed)
    return TableState(table_of(game, play), play, (), {})


def guessed(state, seat, guess):
    """Return the first position of a board at the deal, as bytes."""
    return board_play(state, timeline_of(state, seat), 0, seat, guess).to_state()


def test_a_guess_depends_on_the_own_view_and_its_number_alone():
    one, other = (begun("orchard", seed) for seed in twin_seeds())
    boards = [guessed(one, 0, guess) for guess in range(4)]
    assert boards == [guessed(other, 0, guess) for guess in range(4)]
    assert len(set(boards)) == 4
    assert not {one.play.to_state(), other.play.to_state()} & set(boards)


def test_after_the_game_nothing_is_guessed():
    state = begun("orchard", 5)
    over = TableState(replace(state.table, status=FINISHED), state.play, (), {})
    assert guessed(over, 0, 3) == state.play.to_state()
    assert guessed(state, 0, 3) != state.play.to_state()


@pytest.mark.parametrize("name", ["oregon", "caylus"])
def test_only_hidden_cards_count_as_guessed(name):
    view = begun(name, 5).play.observe(0)
    play = view.determinize(3)
    assert guesses_cards(view, play) == guesses_cards(play.observe(0), play) == (name == "oregon")


def test_moves_are_tried_in_all_seats_and_taken_back(visitor):
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "friend", "seed": 5})
    tables = visitor.app.state.site.tables
    before = tables.store.all()
    address, seats = f"{table}/try/0/0/start", set()
    for _ in range(6):
        page = visitor.get(address).text
        seats.add(int(re.search(r'data-seat="(\d+)"', page)[1]))
        answer = visitor.post(f"{address}/move", data={"action": ACTION.search(page)[1]}, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        assert f'href="{address}" data-key="u"' in visitor.get(answer.headers["location"]).text
        address = answer.headers["location"]
    assert seats == {0, 1}
    assert "Hidden cards are guessed" in page
    assert f'href="{table}/try/0/1/start">Guess again' in visitor.get(address).text
    action = ACTION.search(visitor.get(address).text)[1]
    part = visitor.post(f"{address}/move", data={"action": action}, headers=HTMX)
    assert part.headers["HX-Push-Url"] == f"{address},{action}"
    assert part.text.lstrip().startswith("<main")
    assert tables.store.all() == before


def test_previews_of_another_position_at_the_same_address_are_not_reused(visitor):
    """Browsers keep previews by the mark of their page. After a takeback, an address shows another position."""
    tables = [visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": seed}) for seed in (5, 6)]
    pages = [visitor.get(f"{table}/try/0/0/start").text for table in tables]
    assert len({re.search(r'data-mark="([^"]+)"', page)[1] for page in pages}) == 2


def test_what_is_not_possible_is_refused(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": 5})
    first = ACTION.search(visitor.get(f"{table}/try/0/0/start").text)[1]
    for path, status in (
        ("9/0/start", 404),
        (f"0/{MAX_GUESS + 1}/start", 404),
        ("0/-1/start", 404),
        ("0/0/else", 404),
        ("0/0/99999", 422),
        (f"0/0/{','.join(['1'] * (MAX_TRIED + 1))}", 404),
        ("0/0/start?scoring=7", 404),
    ):
        assert visitor.get(f"{table}/try/{path}").status_code == status, path
    for fields in ({"action": 99999}, {"course": f"{first},99999"}):
        assert visitor.post(f"{table}/try/0/0/start/move", data=fields).status_code == 422


@pytest.mark.parametrize(
    ("rated", "control", "allowed"),
    [(True, LIVE, False), (True, SLOW, True), (True, UNTIMED, True), (False, LIVE, True)],
)
def test_no_moves_are_tried_in_rated_games_with_a_live_clock(visitor, stranger, rated, control, allowed):
    tables = visitor.app.state.site.tables
    seats = Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea")
    table = f"/table/{tables.create('orchard', seats, 'ana', rated=rated, time_control=control).id}"
    answer = visitor.get(f"{table}/try/0/0/start")
    assert answer.status_code == (200 if allowed else 403)
    assert ("rated game with a live clock" in unescape(answer.text)) != allowed
    assert ("/try/0/0/start" in visitor.get(f"{table}/replay").text) == allowed
