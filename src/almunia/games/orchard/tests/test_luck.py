"""Statistical tests of the random outcomes in Orchard. Docstrings cite RULES.md."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import almunia
from almunia.games.orchard import components as box

PLAIN = almunia.game("orchard", "plain")
NUMBERS = range(1, box.CARDS + 1)


@pytest.mark.parametrize("half", ["first", "second"])
@pytest.mark.parametrize("deals", [600, pytest.param(1800, marks=pytest.mark.exhaustive)])
def test_every_card_is_equally_likely_at_every_place(half, deals):
    """[2.1, D10]"""
    decks = np.array([PLAIN.new(seed=seed, half=half).array["deck"][0] for seed in range(deals)])
    for place in range(box.CARDS):
        found = Counter(decks[:, place].tolist())
        assert chisquare([found[number] for number in NUMBERS]).pvalue > 1e-6


@pytest.mark.parametrize("edition", ["2019", "2018"])
@pytest.mark.parametrize("guesses", [600, pytest.param(1800, marks=pytest.mark.exhaustive)])
def test_determinizations_deal_unseen_cards_evenly(edition, guesses):
    """[D9, D11]"""
    play = PLAIN.new(seed=2, edition=edition)
    play.apply(play.legal_actions[0])
    drawn, seen = play.state.drawn, play.observe(0)
    known = set(play.array["deck"][0, :drawn].tolist())
    if edition == "2018":
        known = {number for pair in box.SIDES.tolist() if known & set(pair) for number in pair}
    decks = np.array([seen.determinize(seed).array["deck"][0] for seed in range(guesses)])
    last = box.CARDS if edition == "2019" else box.DEALT
    for place in range(drawn, last):
        found = Counter(decks[:, place].tolist())
        assert chisquare([found[number] for number in NUMBERS if number not in known]).pvalue > 1e-6
        assert not known & set(found)
