"""Toy games are not on the site, and a game without pictures is shown there as text."""

import re

import pytest

import almunia
from almunia import catalog
from almunia.server.web.templating import cover_address, game_style, read_game_file


def test_a_toy_game_is_on_no_page(visitor):
    assert "kuhn" in {meta.name for meta in almunia.all_games(toys=True)}
    for page in ("/", "/lobby", "/daily", "/mine"):
        assert "Kuhn" not in visitor.get(page).text
    for page in ("", "/rules", "/summary", "/view.css", "/picture.svg", "/leaderboard"):
        assert visitor.get(f"/games/kuhn{page}").status_code == 404
    assert visitor.post("/games/kuhn/tables", data={"quick": 1}).status_code == 404
    assert visitor.get("/api/v1/games/kuhn").status_code == 404
    assert "kuhn" not in visitor.get("/api/v1/games").text
    assert visitor.post("/api/v1/tables", json={"game": "kuhn", "seats": ["me", "bot"]}).status_code != 201


@pytest.fixture
def listed(monkeypatch):
    """Kuhn poker as an installed game."""
    monkeypatch.setitem(catalog.game_packages(), "kuhn", catalog.package_of("kuhn"))
    yield
    for cached in (read_game_file, cover_address, game_style):
        cached.cache_clear()


@pytest.mark.usefixtures("listed")
def test_a_game_without_pictures_is_played_as_text(visitor):
    assert "Kuhn Poker" in visitor.get("/").text
    assert 'id="4.2"' in visitor.get("/games/kuhn/rules").text
    assert "Seat 1: " in visitor.get("/games/kuhn/picture.svg").text
    table = visitor.open("kuhn", **{"seat-0": "me", "seat-1": "bot-easy"})
    page = visitor.get(table).text
    assert "1 chip in the pot." in page
    assert 'data-of-choice="bet">Bet' in page
    visitor.finish(table)
    page = visitor.get(table).text
    assert re.search(r"\d chips? (won|lost)\.", page)
    assert visitor.get(f"{table}/replay").status_code == 200
