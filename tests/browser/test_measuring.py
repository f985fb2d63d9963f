"""The script that measures the table page counts its elements and the presses of players."""

from itertools import groupby
from random import Random

import pytest

import almunia
from tools.page_player import Player, turns_of

MOST_ACTS = 5000  # actions in a game of two
MOST_DECISIONS = 100  # of one seat in a whole game

SHOW_ONLY = """what => document.querySelectorAll("#table svg text").forEach((one) => {
    one.style.visibility = one.matches(what) ? "" : "hidden";
})"""


@pytest.fixture
def sit(browser, address):
    """Yield a function that lets a counting player sit down at a new table."""
    players = []

    def sitting(game, seats, width=1280, height=800, **preferences):
        player = Player(browser, address, width, height, **{"pace": "off", **preferences})
        players.append(player)
        player.sit_down(game, seats)
        return player

    yield sitting
    for player in players:
        player.context.close()


@pytest.mark.browser
@pytest.mark.exhaustive
def test_a_whole_play_is_counted(sit):
    player = sit("orchard", 2)
    assert any(not player.decide() for _ in range(MOST_DECISIONS)), "the play does not end"
    assert player.turns() == player.decisions
    assert player.presses <= 3 * player.decisions  # each card is rotated, placed and confirmed


def whole_play(game):
    """Return a random play of two, from the start to the end."""
    play, rng = almunia.game(game, "plain").new(2, seed=1), Random(1)
    for _ in range(MOST_ACTS):
        if play.over:
            return play
        play.apply(rng.choice(play.legal_actions))
    return pytest.fail(f"a play of {game} goes on after {MOST_ACTS} acts")


def test_several_turns_in_a_row_are_several():
    """In Alpujarras the player furthest behind can move several times in a row."""
    record = whole_play("alpujarras").record()
    mine = [seat == 0 for seat, _ in groupby(seat for seat, _ in record.actions)]
    turns = sum(seat == 0 and words.startswith("go to") for seat, words in record.actions)
    assert turns_of(record) == turns > sum(mine)


@pytest.mark.slow
def test_alternating_actions_of_a_round_count_as_several_turns():
    """A turn of Caylus is a round in which the players place one worker at a time."""
    play = whole_play("caylus")
    record = play.record()
    mine = [seat == 0 for seat, _ in groupby(seat for seat, _ in record.actions)]
    assert play.turns < turns_of(record) <= sum(mine) + play.turns


@pytest.mark.browser
@pytest.mark.exhaustive
@pytest.mark.parametrize("game", ["alhambra", "oregon"])
def test_points_drawn_over_a_target_are_counted(sit, game):
    """The points are not part of the target itself."""
    player = sit(game, 2)
    for _ in range(MOST_DECISIONS):
        if (state := player.ask("state"))["earning"]:
            break
        assert player.decide(), "nothing has earned points"
    for shown, told in ((".promise text", state["earning"]), ("nothing", 0)):
        player.page.evaluate(SHOW_ONLY, shown)
        assert player.ask("state")["told"] == told


@pytest.mark.browser
@pytest.mark.exhaustive
def test_letters_are_as_large_as_style_sheets_make_them(sit):
    """In Orchard the dice on the cards of opponents are drawn larger than those on the board."""
    looks = sit("orchard", 6).ask("looks")
    assert looks["small"] == 0


@pytest.mark.browser
@pytest.mark.exhaustive
def test_targets_are_large_enough_for_a_finger(sit):
    player = sit("orchard", 2, 360, 740)
    assert player.ask("state")["least"] >= 44
