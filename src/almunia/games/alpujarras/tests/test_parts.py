"""Tests of parts of Alpujarras' rules against the naive implementation, and of its pictures."""

import html
import re
from itertools import pairwise
from math import hypot
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.components import CHANNEL_IDS, COLOURS
from almunia.games.alpujarras.rules import state as numbers
from almunia.games.alpujarras.rules.state import Phase
from almunia.games.alpujarras.tests import naive
from almunia.games.alpujarras.tests.naming import ADJACENT, STARTS, by_land, heap, taken_by, track_of
from almunia.games.alpujarras.text.effects import PASSED, moves_again
from almunia.games.alpujarras.text.words import GOAL_IDS, channel_name, land_name, space_name
from almunia.games.alpujarras.view import landscape, plan
from almunia.play.panels import panels

ICON = 12  # half of an icon
MAX_BYTES = 60_000  # of a board with choices
NUMBER_X, NUMBER_Y = 24, 17  # the right and the bottom edge of a number
PLAIN = almunia.game("alpujarras", "plain")


@pytest.fixture(scope="module")
def rules():
    from almunia.games.alpujarras.rules import farming, goals, irrigation, norias, zara

    return {
        module.__name__.rpartition(".")[2]: PLAIN.checked(module)
        for module in (farming, goals, irrigation, norias, zara)
    }


small = st.lists(st.integers(0, 4), min_size=5, max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.lists(small, min_size=4, max_size=4), st.sampled_from([2, 3, 4]))
def test_majorities_agree(rules, farmers, seats):
    s = PLAIN.new(seats=seats, seed=1).state
    for p in range(seats):
        for land in range(box.LANDS):
            s.seat[p].farmland[land] = farmers[p][land]
    there = {p: by_land(farmers[p]) for p in range(seats)}
    for p in range(seats):
        s.turn = p
        for land, colour in enumerate(COLOURS):
            assert rules["farming"].leads(s, land) == naive.most_farmers(p, colour, there)


@settings(max_examples=150, deadline=None)
@given(st.sets(st.integers(0, box.CHANNELS - 1)))
def test_channels_agree(rules, dug):
    s = PLAIN.new(seats=2, seed=1).state
    for space in dug:
        s.channel[space] = numbers.DUG
    wanted = naive.open_channel_spaces(STARTS, ADJACENT, {CHANNEL_IDS[space] for space in dug})
    assert {CHANNEL_IDS[i] for i in range(box.CHANNELS) if rules["irrigation"].can_be_dug(s, i)} == wanted


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 50), st.lists(st.integers(0, 60), min_size=3, max_size=3, unique=True), st.integers(1, 6))
def test_zara_walks_agree(rules, seed, mules, die):
    s = PLAIN.new(seats=2, seed=seed).state
    for mule, position in enumerate(sorted(mules, reverse=True)):
        s.mule[mule] = position
    here = s.mule[numbers.ZARA]
    if box.PLACE_KIND[s.track[here]] != box.END_SPOT:
        wanted = naive.zara_walk(here, die, set(mules), track_of(s))
        assert rules["zara"].walk(s, here, die) == wanted


@settings(max_examples=150, deadline=None)
@given(small, small, small, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=8))
def test_goals_agree(rules, fruit, farmers, villagers, tokens):
    me = PLAIN.new(seats=2, seed=1).state.seat[0]
    for land in range(box.LANDS):
        me.fruit[land], me.farmland[land], me.village[land] = fruit[land], farmers[land], villagers[land]
    for kind, size in tokens:
        me.token[kind, size] += 1
    wanted = naive.goals_met(heap(fruit), by_land(farmers), by_land(villagers), taken_by(me))
    assert {name for i, name in enumerate(GOAL_IDS) if rules["goals"].meets(me, i)} == wanted


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 5), st.integers(1, 5), st.lists(st.integers(1, 4), max_size=3))
def test_the_noria_window_agrees(had, gained, prices):
    """Compare norias after purchases in the window. If the purchases are impossible, make none."""
    play = PLAIN.new(seats=4, seed=3)
    s = play.state
    s.seat[s.turn].norias = had
    s.seat[s.turn].farmland[0] = 3
    s.moved = 1
    s.owed[numbers.SPACE].todo[box.NORIAS] = gained
    s.phase = Phase.ACT
    seat = s.turn
    play.refresh()
    play.apply(numbers.NORIAS)
    wanted = naive.norias_after_gain(had, gained, prices)
    if wanted is None:
        wanted = naive.norias_after_gain(had, gained)
        prices = []
    for price in prices:
        s.seat[seat].fruit[1] = max(s.seat[seat].fruit[1], 1)
        play.refresh()
        play.apply(numbers.BUY + price - 1)
        while play.phase not in (Phase.OVERFLOW, Phase.ACT):
            play.apply(play.legal_actions[0])
    if play.phase == Phase.OVERFLOW:
        play.apply(numbers.KEEP)
    assert play.state.seat[seat].norias == wanted


# --- pictures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_places_are_upright_and_around_the_path(seats):
    spots = plan.spots(PLAIN.new(seats=seats, seed=1).state)
    inner, outer = plan.DEPTH, plan.SIDE - plan.DEPTH
    for spot in spots:
        right, bottom = spot.x + spot.width, spot.y + spot.height
        assert 0 <= spot.x < right <= plan.SIDE
        assert 0 <= spot.y < bottom <= plan.SIDE
        assert right <= inner or spot.x >= outer or bottom <= inner or spot.y >= outer
    for i, one in enumerate(spots):
        for other in spots[:i]:
            assert (
                one.x + one.width <= other.x
                or other.x + other.width <= one.x
                or one.y + one.height <= other.y
                or other.y + other.height <= one.y
            )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_number_has_its_corner_for_itself(seats):
    play = PLAIN.new(seats=seats, seed=1)
    for spot in plan.spots(play.state):
        for count in (1, 2):
            points = landscape.icon_places(spot, count)
            icon = ICON * (landscape.HALF_ICON if spot.is_shared else 1)
            assert len(points) == count
            for x, y in points:
                assert x + icon <= spot.width + 1
                assert y + icon <= spot.height + 1
                assert y - icon >= NUMBER_Y or x - icon >= NUMBER_X
            for (x, y), (right, below) in pairwise(points):
                assert max(right - x, below - y) >= 2 * icon


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 30), st.lists(st.integers(0, 75), min_size=3, max_size=4, unique=True))
def test_mules_stand_on_the_path_and_apart(seed, positions):
    spots = plan.spots(PLAIN.new(seats=4, seed=seed).state)
    stands = sorted(plan.standing([spots[position] for position in positions]))
    assert all(other - one > plan.MULE_WIDTH - 1 for one, other in pairwise(stands))
    inner, outer = plan.MIDDLE - plan.PATH, plan.MIDDLE + plan.PATH
    for x, y in map(plan.on_path, stands):
        assert inner <= min(x, y) <= max(x, y) <= outer
        assert {x, y} & {inner, outer}
    (alone,) = plan.standing([spots[positions[0]]])
    assert alone == plan.along_path(spots[positions[0]])


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 30), st.lists(st.integers(0, 75), min_size=4, max_size=5, unique=True))
def test_a_ghost_covers_no_mule_and_is_near_its_place(seed, positions):
    spots = plan.spots(PLAIN.new(seats=4, seed=seed).state)
    goal = plan.along_path(spots[positions[0]])
    taken = plan.standing([spots[position] for position in positions[1:]])
    stand = plan.free_stand(goal, taken)
    assert all(abs(stand - other) > plan.MULE_WIDTH - 1 for other in taken)
    assert abs(stand - goal) <= len(taken) * plan.MULE_WIDTH
    assert plan.free_stand(goal, []) == goal


def test_a_road_follows_the_path_around_corners():
    spots = plan.spots(PLAIN.new(seats=4, seed=1).state)
    first, last = spots[0], next(spot for spot in spots if spot.side == 2)
    points = re.findall(r"[\d.]+ [\d.]+", plan.road(first, last))
    near, far = f"{plan.MIDDLE - plan.PATH:g}", f"{plan.MIDDLE + plan.PATH:g}"
    assert points[1:3] == [f"{far} {near}", f"{far} {far}"]
    assert len(points) == 4


def journeys():
    """Yield random plays whenever a mule is to move. Mules go a few places at a time."""
    for seats in (2, 4):
        play, rng = PLAIN.new(seats=seats, seed=seats), Random(seats)
        while not play.over:
            if play.phase == Phase.GO:
                yield play
            play.apply(rng.choice(play.legal_actions[:8]))


def goals_of(play):
    """Return the positions to which the mule may go."""
    positions = range(len(plan.spots(play.state)))
    return [position for position in positions if numbers.GO + position in play.legal_actions]


def test_a_journey_names_the_spaces_that_it_passes():
    """[3.1, 3.2]"""
    left_stops = 0
    for play in journeys():
        s = play.observe(play.turn).state
        goals, spots = goals_of(play), plan.spots(s)
        found = landscape.journey_of(s, goals)
        assert found.here == spots[s.mule[s.turn]]
        again = [goal for goal in goals if moves_again(s, goal)]
        assert found.again == (spots[max(again)] if again else found.here)
        kinds = [box.PLACE_KIND[s.track[stop]] for stop in landscape.stops_ahead(s)]
        assert [name for name, _ in found.tolls] == [PASSED[kind] for kind in kinds]
        stands = [*map(plan.on_path, plan.standing([spots[m] for m in s.mule if m != numbers.NOWHERE]))]
        signs = [at for _, at in found.tolls]
        for i, (x, y) in enumerate(signs):
            assert all(hypot(x - a, y - b) >= landscape.TOLL_X for a, b in [*stands, *signs[:i]])
        left_stops += box.PLACE_KIND[s.track[s.mule[s.turn]]] in PASSED
    assert left_stops > 5


def test_spaces_behind_the_mules_are_veiled_if_many_targets_are_open():
    seen = set()
    for play in journeys():
        spots, goals = plan.spots(play.state), goals_of(play)
        drawn = next(panel.svg for panel in panels(play.observe(play.turn), play.legal_actions))
        is_veiled = len(goals) > len(spots) / 3
        assert drawn.count('class="veil"') == is_veiled
        places = re.findall(r'<g id="place-(\d+)"[^>]*class="[^"]*\btarget\b[^>]*data-action="(\d+)"', drawn)
        assert places == [(str(goal + 1), str(numbers.GO + goal)) for goal in goals]
        assert len(drawn) <= MAX_BYTES
        assert drawn.index('class="journey"') < drawn.index('id="place-1"') < drawn.index('id="mule-0"')
        if is_veiled:
            (veil,) = re.findall(r'class="veil"><path d="([^"]*)"', drawn)
            mules = [m for m in play.state.mule if m != numbers.NOWHERE]
            assert veil.count("M") == len(spots) - len(goals) - len(mules)
            assert drawn.index('id="place-2"') < drawn.index('class="veil"') < drawn.index('id="mule-0"')
        seen.add(is_veiled)
    assert seen == {True, False}


def test_fruit_and_bargains_have_names():
    drawn = {panel.name: panel.svg for panel in panels(PLAIN.new(seats=4, seed=1).observe(0))}["turn"]
    names = re.findall(r"<title>(.*?)</title>", drawn)
    assert names[1] == "Supply: 11 oranges"
    assert names[6:] == [
        "1 noria: exchange a fruit",
        "2 norias: move a farmer",
        "3 norias: add a farmer",
        "4 norias: add a farmer, 1 dirhem",
        "5 norias: add a farmer, 3 dirhems",
    ]


def test_titles_of_mules_and_farmers_name_their_places():
    play = PLAIN.new(seats=2, seed=1)
    play.state.seat[1].farmland[0], play.state.seat[0].village[2] = 3, 1
    play.state.channel[0] = numbers.DUG
    drawn = {panel.name: panel.svg for panel in panels(play.observe(0))}["board"]
    names = [html.unescape(name) for name in re.findall(r"<title>(.*?)</title>", drawn)]
    assert f"3 farmers of player 2 in the {land_name(0)}" in names
    assert f"1 farmer of player 1 in the {COLOURS[2]} village" in names
    assert f"The mule of player 1: {space_name(play.state, play.state.mule[0])}" in names
    assert f"{channel_name(0).capitalize()}, dug" in names
