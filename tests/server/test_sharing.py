"""Test what is shared of a game: the line with its result, the card, and the preview of links."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from almunia.core.contract import SPECTATOR
from almunia.server.web.sharing import draw_card, view_of_all

from .seated import ANA, BEA, opened
from .test_records import opened as imported, random_record

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def record():
    return random_record()


def test_a_finished_game_is_shared_with_its_result(visitor, stranger, record):
    table = imported(visitor, str(record))
    ann, bot = record.result
    assert ann < bot, "the winner comes first, whatever the seat"
    line = f"Orchard: Easy bot ({bot}), Ann ({ann})"
    for page, url, card in (
        (table, f"http://testserver{table}", f"{table}/card.svg"),
        (f"{table}/replay?at=3", f"http://testserver{table}/replay?at=3", f"{table}/card.svg?at=3"),
    ):
        found = stranger.get(page).text
        assert f'<meta property="og:description" content="{line}">' in found
        assert f'<meta property="og:image" content="http://testserver{card}">' in found
        assert f'readonly value="{url}"' in found
        assert f'readonly value="{line}"' in found
    end, third = (stranger.get(f"{table}/card.svg{asked}") for asked in ("", "?at=3"))
    assert ['font-weight="700">' + name in end.text for name in ("Easy bot", "Ann")] == [True, False]
    moment = f">Move 3 of {len(record.actions)}</text>"
    assert moment in third.text
    assert moment not in end.text
    again = stranger.get(f"{table}/card.svg", headers={"If-None-Match": end.headers["ETag"]})
    assert again.status_code == 304
    assert stranger.get(f"{table}/card.svg?at=999").status_code == 404


def test_a_running_game_shows_what_spectators_see(site, visitor):
    table = opened(site, ANA, BEA, game="oregon")
    address = f"/table/{table}"
    assert visitor.get(f"{address}/card.svg?at=0").status_code == 403
    page = visitor.get(address).text
    assert '<meta property="og:description" content="Oregon: Ana, Bea">' in page
    assert "share-link" not in page
    state = site.tables.get(table)
    view = view_of_all(state, None)
    assert view.seat == SPECTATOR
    assert draw_card(state, view, None, "light") == visitor.get(f"{address}/card.svg").text


def test_a_position_is_shared_as_a_spectator_sees_it(visitor, record):
    table = imported(visitor, str(record))
    state = visitor.app.state.site.tables.get(table.removeprefix("/table/"))
    view = view_of_all(state, 3)
    assert (view.seat, view.to_state()) == (SPECTATOR, state.play_at(3).observe(SPECTATOR).to_state())


def test_puzzles_have_a_preview(visitor):
    page = visitor.get("/puzzles/orchard-1").text
    assert '<meta property="og:title" content="Puzzle 1: Orchard">' in page
    assert "og:image" not in page


def test_names_on_cards_are_escaped_and_cut(site):
    long, odd = "W" * 30, "<b>&"
    table = opened(site, replace(ANA, name=odd), replace(BEA, name=long))
    state = site.tables.get(table)
    card = ET.fromstring(draw_card(state, view_of_all(state, None), None, "dark"))
    texts = [one.text for one in card.iterfind(f"{SVG}g/{SVG}text")]
    assert texts[:4] == ["Orchard", odd, None, f"{'W' * 18}…"]
    assert card.find(f"{SVG}title").text == f"Orchard: {odd}, {long}"
