"""Linear maps can predict the points so far and the legal actions from an observation.

The floors hold for each game as it is. They would not if a part were missing, or counted seats from the first one
instead of the reader's own.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import almunia
from almunia.catalog import game_packages
from tools import linear_probe
from tools.builtin_games import builtin_games

pytestmark = pytest.mark.exhaustive
POINTS = 0.99  # of the variance of points that is explained at least
PLAYS, EACH = 120, 40


class Floor(NamedTuple):
    """What a game's observations are held to."""

    seats: int  # that play
    area: float  # under the ROC curve, on average over codes, at least
    points: str  # the part with the points
    legal: tuple[str, ...]  # parts without which it is not reached


FLOORS = {
    "alhambra": Floor(3, 0.9, "points", ("money", "open_money", "tiles")),
    "alpujarras": Floor(3, 0.95, "players", ("mules", "track")),
    "caylus": Floor(4, 0.91, "players", ("road", "circles")),
    "orchard": Floor(3, 0.88, "players", ("trees", "hand")),
    "oregon": Floor(3, 0.95, "players", ("hand", "open")),
}


@cache
def sampled(name: str) -> linear_probe.Sample:
    return linear_probe.draw_sample(almunia.game(name), FLOORS[name].seats, PLAYS, EACH)


def changed(name: str, parts: tuple[str, ...], change: Callable[[np.ndarray], None]) -> linear_probe.Sample:
    """A game's sample with something done to these parts of its observations."""
    found = sampled(name)
    observations = found.observations.copy()
    for part in parts:
        change(observations.view(almunia.game(name).tensor_dtype)[part])
    return replace(found, observations=observations)


def blank(part):
    part[:] = 0


def test_every_game_has_floors():
    assert set(FLOORS) == {meta.name for meta in builtin_games()} <= set(game_packages())


@pytest.mark.parametrize("name", FLOORS)
def test_linear_probes_predict_points(name):
    floor, found = FLOORS[name], sampled(name)

    def counted_from_the_first(part):
        by_seat = part[:, 0].reshape(len(part), almunia.game(name).meta.seats[1], -1)  # a view
        for row, mover in zip(by_seat, found.movers.tolist(), strict=True):
            row[: floor.seats] = np.roll(row[: floor.seats], mover, axis=0)

    assert min(linear_probe.explained_variance(*found.split())) > POINTS
    for wrong in (blank, counted_from_the_first):
        assert min(linear_probe.explained_variance(*changed(name, (floor.points,), wrong).split())) < POINTS


@pytest.mark.parametrize("name", FLOORS)
def test_linear_probes_predict_legal_actions(name):
    floor = FLOORS[name]
    assert linear_probe.legality(*sampled(name).split()).auc > floor.area
    assert linear_probe.legality(*changed(name, floor.legal, blank).split()).auc < floor.area
