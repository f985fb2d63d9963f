"""Tests of parts of Alpujarras' rules against the naive implementation, and of its pictures."""

import html
import re

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.components import CHANNEL_IDS, COLOURS
from almunia.games.alpujarras.rules import state as numbers
from almunia.games.alpujarras.rules.state import Phase
from almunia.games.alpujarras.tests import naive
from almunia.games.alpujarras.tests.naming import ADJACENT, STARTS, by_land, heap, taken_by, track_of
from almunia.games.alpujarras.text.words import GOAL_IDS, channel_name, land_name, space_name
from almunia.games.alpujarras.view import landscape, plan
from almunia.play.panels import panels

REACH = 11.7  # radius of a mule, with its lines
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
def test_a_mule_stands_within_its_place(seats):
    for spot in plan.spots(PLAIN.new(seats=seats, seed=1).state):
        x, y = landscape.free_corner(spot)
        assert abs(x) + REACH <= spot.width / 2
        assert abs(y) + REACH <= spot.depth / 2


def test_fruit_and_bargains_have_names():
    drawn = {panel.name: panel.svg for panel in panels(PLAIN.new(seats=4, seed=1).observe(0))}["turn"]
    names = re.findall(r"<title>(.*?)</title>", drawn)
    assert names[0] == "Supply: 11 oranges"
    assert names[5:] == [
        "1 noria: exchange a fruit",
        "2 norias: move a farmer",
        "3 norias: add a farmer",
        "4 norias: add a farmer, 1 dirhem",
        "5 norias: add a farmer, 3 dirhems",
    ]


def test_mules_and_farmers_are_heard_with_where_they_are():
    play = PLAIN.new(seats=2, seed=1)
    play.state.seat[1].farmland[0], play.state.seat[0].village[2] = 3, 1
    play.state.channel[0] = numbers.DUG
    drawn = {panel.name: panel.svg for panel in panels(play.observe(0))}["board"]
    names = [html.unescape(name) for name in re.findall(r"<title>(.*?)</title>", drawn)]
    assert f"3 farmers of player 2 in the {land_name(0)}" in names
    assert f"1 farmer of player 1 in the {COLOURS[2]} village" in names
    assert f"The mule of player 1: {space_name(play.state, play.state.mule[0])}" in names
    assert f"{channel_name(0).capitalize()}, dug" in names
