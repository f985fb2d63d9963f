"""The style of bots: they use every strong source of points, and hoard nothing."""

import pytest

import almunia
from tools.styles import mean_style

# Bounds of means for each seat, of twenty plays of three greedy bots.
BOUNDS = {
    "alhambra": {
        "Third scoring: buildings, points": (40, 90),
        "Third scoring: wall, points": (8, 20),
        "Cards": (0, 15),
    },
    "alpujarras": {"Delivery tokens, points": (8, 20), "Delivery cards, points": (6, 18), "Goals, points": (3, 9)},
    "caylus": {"Buildings, points": (12, 35), "Batches, points": (20, 45), "Gold": (0, 4)},
    "oregon": {"Post offices, points": (5, 16), "Harbors, points": (8, 20), "Churches and groups, points": (14, 32)},
    "orchard": {"Apple dice, points": (11, 19), "Rotten fruit, points": (-7, -2)},
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", BOUNDS)
def test_greedy_plays_the_whole_game(name):
    found = mean_style(almunia.game(name), 3, "greedy", plays=20)
    assert {label: found[label] for label, (low, high) in BOUNDS[name].items() if not low <= found[label] <= high} == {}
