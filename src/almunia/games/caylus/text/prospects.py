"""The points that a worker may score later in the turn, with the player's current holdings."""

import numpy as np

from ....core.contract import NONE
from ....core.english import pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Effect
from ..rules.building import can_pay, may_build, may_convert
from ..rules.castle import building_site, houses_in
from ..rules.placing import price
from ..rules.road import may_trade
from ..rules.state import CASTLE, Phase, Stage, points_of, tile_in_use

PHASES = {Effect.TRADE: Phase.TRADE, Effect.BUILD: Phase.BUILD, Effect.CONVERT: Phase.CONVERT}
DEAREST = sorted(range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT), key=lambda tile: -int(box.POINTS[tile]))
PAYS = np.any(box.GAIN_POINTS > 0, axis=1)  # by tile: whether a trade gains points


def later_points(s: State, place: int) -> int:
    """Return the points that a worker on a place would bring with the current holdings, negative for a loss."""
    if place == CASTLE:
        return castle_points(s)
    return road_points(s, place) if place < box.ROAD and is_for_points(s.road[place]) else 0


def is_for_points(tile: int) -> bool:
    """Return whether the building builds, makes residences, or trades for points."""
    return bool(box.EFFECT[tile] in (Effect.BUILD, Effect.CONVERT) or PAYS[tile])


def castle_points(s: State) -> int:
    """Return the points for the batches that the player holds, or the loss for giving none [2.24, 2.25]."""
    left = batches_held(list(s.seat[s.turn].cubes))
    if not left and building_site(s) != NONE:
        return -min(box.NO_BATCH, points_of(s.seat[s.turn]))
    points = 0
    for section in range(s.section, box.SECTIONS):
        given = min(left, int(box.SPACES[section]) - houses_in(s, section))
        points += given * int(box.BATCH_POINTS[section])
        left -= given
    return points


def batches_held(cubes: list[int]) -> int:
    """Return the number of batches that these cubes make, each of food and two other kinds [2.24]."""
    food, *others = cubes
    return max(many for many in range(food + 1) if sum(min(many, count) for count in others) >= 2 * many)


def road_points(s: State, space: int) -> int:
    """Return the most points that a worker could score at a building, with the money left after paying [2.19-2.22]."""
    tile, at_work = s.road[space], s.copy()
    if s.phase == Phase.PLACE:
        at_work.seat[s.turn].money -= price(s, s.turn, space)
    at_work.stage, at_work.cursor, at_work.phase = Stage.ROAD, space, PHASES[Effect(box.EFFECT[tile])]
    match box.EFFECT[tile]:
        case Effect.BUILD:
            return next((int(box.POINTS[new]) for new in DEAREST if is_affordable(at_work, new)), 0)
        case Effect.TRADE:
            options = (option for option in range(box.TRADES[tile]) if may_trade(at_work, option))
            return max((int(box.GAIN_POINTS[tile, option]) for option in options), default=0)
    sites = (other for other in range(box.ROAD) if other != space and may_convert(at_work, other))
    return int(box.POINTS[box.RESIDENCE]) if next(sites, None) is not None else 0


def is_affordable(s: State, tile: int) -> bool:
    """Return whether the building in use can build the tile, and the player can pay."""
    return box.CLASS[tile] == box.BUILDS[tile_in_use(s)] and can_pay(s, Phase.BUILD, tile) and may_build(s, tile)


def later_words(s: State, place: int) -> str:
    """Return words on the points that a worker could score on a space. Empty for a building that scores none."""
    if not is_for_points(s.road[place]):
        return ""
    points = later_points(s, place)
    return f"up to {pluralize(points, 'point')} with what you have" if points else "you can't pay for it yet"
