"""Statistical tests of random outcomes in Alhambra. Docstrings cite RULES.md."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import almunia
from almunia.games.alhambra import components as box
from almunia.games.alhambra.rules import setting_up, state

PLAIN = almunia.game("alhambra", "plain")
FAST = almunia.game("alhambra")


def bag_of(play):
    return play.array["bag"][0, : play.state.bag_size].tolist()


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("deals", [150, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_every_seat_begins_at_times(seats, deals):
    """[2.4, D1]"""
    begun = Counter(PLAIN.new(seats=seats, seed=seed).turn for seed in range(deals))
    assert set(begun) == set(range(seats))
    assert min(begun.values()) > deals / seats / 2


@pytest.mark.compiled
def test_every_tile_comes_to_dirk_and_to_the_bottom_of_the_bag():
    """[2.2, 12.2]"""
    plays = [FAST.new(seats=2, seed=seed) for seed in range(1500)]
    dirk = Counter(tile for play in plays for tile in range(box.TILES) if int(play.array["dirk"][0]) >> tile & 1)
    assert sum(dirk.values()) == 6 * len(plays)
    assert min(dirk[tile] for tile in range(box.TILES)) > 100
    last = Counter(bag_of(play)[0] for play in plays)
    assert chisquare([last[tile] for tile in range(box.TILES)]).pvalue > 1e-5


@pytest.mark.compiled
def test_every_money_card_is_laid_open_as_often():
    """[1.2, 2.5]"""
    shown = Counter()
    for seed in range(900):
        shown.update(FAST.new(seats=4, seed=seed).array["display"][0].tolist())
    assert chisquare([shown[card] for card in range(box.CARDS)]).pvalue > 1e-5


@pytest.mark.compiled
def test_a_redeal_brings_every_tile_of_the_bag_to_every_place():
    play = FAST.new(seats=2, seed=5)
    inside, seen = bag_of(play), play.observe(0)
    bags = np.array([bag_of(seen.determinize(seed)) for seed in range(1500)])
    for place in (0, 1, len(inside) // 2, len(inside) - 1):
        found = Counter(bags[:, place].tolist())
        assert chisquare([found[tile] for tile in inside]).pvalue > 1e-6
        assert set(found) <= set(inside)


@pytest.mark.compiled
@pytest.mark.parametrize("card", range(state.SCORING_CARDS))
def test_a_redeal_brings_a_scoring_card_to_every_place_of_its_pile(card):
    """[2.6, D2]"""
    play = FAST.new(seats=2, seed=5)
    start, stop = setting_up.pile_span(play.state, card)
    seen, found = play.observe(0), Counter()
    for seed in range(1500):
        s = seen.determinize(seed).state
        found[[s.deck[i] for i in range(s.deck_size)][::-1].index(state.SCORING + card)] += 1
    assert chisquare([found[place] for place in range(start, stop)]).pvalue > 1e-5
