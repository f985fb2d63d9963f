"""The script that measures the table page counts what there is to see and to press."""

import pytest

from tools.table_player import Player

pytestmark = pytest.mark.browser


@pytest.fixture
def sit(browser, address):
    """Lets somebody sit down who counts what it takes."""
    players = []

    def sitting(game, seats, width=1280, height=800, **preferences):
        player = Player(browser, address, width, height, **{"pace": "off", **preferences})
        players.append(player)
        player.sit_down(game, seats)
        return player

    yield sitting
    for player in players:
        player.context.close()


def test_several_turns_in_a_row_are_several(sit):
    """In Alpujarras whoever is furthest behind moves again and again."""
    player = sit("orchard", 2, confirm="never")
    while player.decide():
        pass
    assert player.turns() == player.decisions - 1  # the last one has found the end


@pytest.mark.parametrize("game", ["alhambra", "oregon"])
def test_points_that_a_picture_draws_over_a_target_are_seen(sit, game):
    """They are no part of the target itself."""
    player, found = sit(game, 2), []
    for _ in range(4):
        found.append(player.ask("state"))
        player.decide()
    assert any(state["earning"] for state in found)
    assert all(state["told"] == state["earning"] for state in found)
    player.page.evaluate("document.querySelectorAll('.promise').forEach((one) => one.remove())")
    state = player.ask("state")
    assert state["told"] < state["earning"] or not state["earning"]


def test_letters_are_as_large_as_style_sheets_make_them(sit):
    """The dice on rivals' cards in Orchard are drawn larger than those of the board."""
    looks = sit("orchard", 6).ask("looks")
    assert looks["small"] == 0


def test_what_a_finger_cannot_press_is_no_target(sit):
    player = sit("orchard", 2, 360, 740)
    assert player.ask("state")["least"] >= 44
