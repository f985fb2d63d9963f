"""Tests of the evaluation of Oregon. Docstrings cite RULES.md."""

import numpy as np
import pytest

import almunia
from almunia.conformance import rules
from almunia.core.weights import complete_weights, weights_array
from almunia.core.workspaces import wrap_all
from almunia.games.oregon import bots, components as box
from almunia.games.oregon.components import Building
from almunia.games.oregon.rules import Phase
from almunia.games.oregon.tests import scenes
from almunia.scenario import put

PLAIN = almunia.game("oregon", "plain")
READER = PLAIN.checked(scenes)
BOTS = PLAIN.backend.specialize(bots)
GIVEN = {  # so that these tests do not depend on the game's own numbers
    "tile": 100,
    "joker": 200,
    "extra": 400,
    "landscape": 100,
    "building": 100,
    "useless": -200,
    "near": (0, 0, 0, 0),
    "joker_hope": 260,
    "extra_hope": 340,
    "farmer_soon": 66,
    "farmer_later": 2,
    "unplaced": 35,
    "promise": (7, 7, 5, 0),
    "group_hope": 110,
}
WEIGHTS = wrap_all(PLAIN, weights_array(PLAIN, complete_weights(PLAIN, GIVEN)))[0][0]
FAR = -bots.FAR / 100
COAL, GOLD, JOKER, EXTRA = 2, 4, 2, 4  # values in points: average tiles, active tokens
EXAMPLE = ("building gold-mine at k3", "building post-office at j2", "building church at i4", "farmer 1 at h4")


def at(*changes, seats=3):
    """Return a play at the start of seat 0's turn, with an empty board and empty hands apart from these changes."""
    play = PLAIN.new(seats, 1)
    for words in ("turn 0", *(f"hand {p}: " for p in range(seats)), *changes):
        put(play.state, READER, words)
    play.refresh()
    return play


def evaluate(play, evaluator="evaluate", **weights):
    return rules.evaluate(play, evaluator, GIVEN | weights)


def points(gain, s, *arguments):
    """Return a gain by GIVEN, in points."""
    return gain(s, WEIGHTS, *arguments) / 100


def cell(place):
    return scenes.cell_of(place)


# --- gains from a farmer or a building -----------------------------------------------------------------


def test_a_farmer_earns_from_all_buildings_around():
    """[8.2-8.5]"""
    s = at(*EXAMPLE, "farmer 1 at i5").state
    assert points(BOTS.farmer_gain, s, 0, cell("j3")) == GOLD + 3 + 3
    assert points(BOTS.farmer_gain, s, 2, cell("h5")) == 3
    assert points(BOTS.farmer_gain, s, 0, cell("a1")) == 0


def test_a_farmer_earns_five_for_a_new_group():
    """[9.1, 9.2]"""
    s = at("farmer 0 at a1", "farmer 0 at a3", "farmer 1 at c1", "building church at b3").state
    assert points(BOTS.farmer_gain, s, 0, cell("a2")) == 5 + 2
    assert points(BOTS.farmer_gain, s, 1, cell("a2")) == 2
    assert points(BOTS.farmer_gain, s, 0, cell("b1")) == 0


def test_the_value_of_a_building_is_the_gain_of_one_farmer():
    """[8.3-8.7]"""
    s = at("s.seat[1].joker: 0", "s.seat[1].extra: 0", "farmer 1 at a1").state
    worth = {
        Building.POST_OFFICE: (3, 3),
        Building.HARBOR: (4, 4),
        Building.CHURCH: (6, 6),
        Building.COAL_MINE: (COAL, COAL),
        Building.GOLD_MINE: (GOLD, GOLD),
        Building.WAREHOUSE: (1, 1 + JOKER),
        Building.TRAIN_STATION: (1, 1 + EXTRA),
    }
    assert set(worth) == set(Building)
    for building, values in worth.items():
        assert tuple(points(BOTS.value_of, s, p, building, cell("b2"), 5) for p in (0, 1)) == values


def test_a_building_earns_for_every_farmer_around():
    """[8.4, 10.1]"""
    s = at("farmer 0 at a1", "farmer 1 at b1", "farmer 1 at c1").state
    assert [points(BOTS.building_gain, s, p, Building.CHURCH, cell("b2")) for p in range(3)] == [3, 6, 0]
    assert [points(BOTS.building_gain, s, p, Building.HARBOR, cell("b2")) for p in range(3)] == [4, 8, 0]


def test_the_gain_of_a_building_subtracts_the_best_gain_of_others():
    """[10.1]"""
    s = at("farmer 0 at a1", "farmer 1 at b1", "farmer 1 at c1").state
    church = [points(BOTS.net_gain, s, p, Building.CHURCH, cell("b2")) for p in range(3)]
    assert church == [3 - 6, 6 - 3, -6]
    assert points(BOTS.net_gain, s, 1, Building.HARBOR, cell("e2")) == 0
    assert points(BOTS.net_gain, s, 0, box.FARMER, cell("b2")) == 0


# --- gains from cards ------------------------------------------------------------------------------------


def row_of(one, other):
    return int(box.ROW[scenes.NAMES[one], scenes.NAMES[other]])


def test_the_best_space_is_the_one_that_earns_most():
    """[5.2]"""
    s = at(*EXAMPLE, "farmer 1 at i5").state
    earned = {place: points(BOTS.farmer_gain, s, 0, cell(place)) for place in ("j3", "k4", "l4", "j4")}
    assert earned == {"j3": GOLD + 3 + 3, "k4": GOLD, "l4": GOLD, "j4": GOLD + 3}
    assert points(BOTS.best_space, s, 0, row_of("eagle", "eagle")) == 10
    full = at("full eagle eagle 1").state
    assert points(BOTS.best_space, full, 0, row_of("eagle", "eagle")) == FAR


def test_a_space_may_cost_more_than_it_earns():
    """[10.1]"""
    s = at(*(f"farmer 1 at {place}" for place in ("e1", "f1", "f2", "i8", "j8"))).state
    row = row_of("bison", "gold-mine")
    assert [points(BOTS.best_space, s, p, row) for p in range(3)] == [-2 * GOLD, 2 * GOLD, -2 * GOLD]


def test_the_best_farmer_is_that_of_two_landscape_cards_in_hand():
    """[4.2]"""
    assert points(BOTS.best_farmer, at(*EXAMPLE, "hand 0: eagle eagle church").state, 0) == GOLD + 3 + 2
    assert points(BOTS.best_farmer, at(*EXAMPLE, "hand 0: eagle church").state, 0) == 0
    assert points(BOTS.best_farmer, at(*EXAMPLE, "hand 0: eagle eagle church", "s.seat[0].farmers: 0").state, 0) == 0
    assert points(BOTS.best_farmer, at(*EXAMPLE, "hand 2: eagle eagle").state, 2) == GOLD + 3 + 2


def test_the_cost_of_a_joker_is_its_value():
    """[7.2]"""
    symbols, joker = range(box.LANDS), box.JOKER
    assert {BOTS.cost(WEIGHTS, one, other) for one in symbols for other in symbols} == {0}
    assert (
        {BOTS.cost(WEIGHTS, one, joker) for one in symbols}
        == {BOTS.cost(WEIGHTS, joker, one) for one in symbols}
        == {100 * JOKER}
    )
    play = at(*EXAMPLE, "hand 0: eagle church", "stock church 0")
    best = GOLD + 3 + 2 - JOKER
    assert points(BOTS.best_partner, play.state, scenes.NAMES["eagle"]) == best
    assert points(BOTS.best_pair, play.state) == best


def test_a_pair_is_never_worse_than_a_joker_or_none():
    gifts = ("full campfire eagle 1", "s.seat[0].joker: 0")
    assert points(BOTS.best_pair, at("hand 0: wagon church", "s.seat[0].joker: 0", "stock church 0").state) == 0
    assert points(BOTS.best_partner, at("hand 0: wagon church", *gifts).state, scenes.NAMES["church"]) >= -JOKER
    nothing = at("hand 0: wagon church", "stock church 0", "s.seat[0].joker: 0").state
    assert points(BOTS.best_partner, nothing, scenes.NAMES["wagon"]) == -JOKER


def test_the_best_pair_is_the_best_of_all():
    """[4.2]"""
    play = at(*EXAMPLE, "hand 0: eagle eagle bison church", "s.seat[0].joker: 0")
    assert points(BOTS.best_pair, play.state) == GOLD + 3 + 2
    assert points(BOTS.best_partner, play.state, scenes.NAMES["eagle"]) == GOLD + 3 + 2
    assert points(BOTS.best_partner, play.state, scenes.NAMES["church"]) == 0


def test_the_best_pair_may_be_a_building_and_the_joker():
    """[7.1, 8.7]"""
    play = at("farmer 0 at h8", "s.seat[0].extra: 0", "hand 0: train-station")
    assert points(BOTS.best_pair, play.state) == 1 + EXTRA - JOKER


# --- the evaluation, in hundredths -------------------------------------------------------------------------


def valued(*changes, evaluator="evaluate"):
    """Return the change of each seat's value by these changes to a position with inactive tokens."""
    used = tuple(f"s.seat[{p}].{token}: 0" for token in ("joker", "extra") for p in range(3))
    return (evaluate(at(*used, *changes), evaluator) - evaluate(at(*used), evaluator)).tolist()


@pytest.mark.parametrize(
    ("change", "worth"),
    [
        ("s.seat[1].score: 7", 7),
        ("tile 1 coal 3", COAL),
        ("tile 1 gold 3", GOLD),
        ("s.seat[1].joker: 1", JOKER),
        ("s.seat[1].extra: 1", EXTRA),
        ("hand 1: wagon eagle", 2),
        ("hand 1: church", 1),
        ("hand 1: wagon church harbor", 2),
    ],
)
def test_points_tiles_tokens_and_cards_count_for_their_seat(change, worth):
    assert valued(change) == [0, 100 * worth, 0]


def test_useless_building_cards_are_a_burden():
    """[12.3]"""
    assert valued("stock church 0", "hand 1: church church") == [0, -400, 0]
    assert valued("stock church 0", "hand 1: church harbor wagon") == [0, 100 * (-2 + 1 + 1), 0]


def test_only_points_count_at_the_end():
    """[13.4]"""
    play = at("s.seat[0].score: 9", "s.seat[1].score: 12", "hand 1: wagon eagle church", "tile 2 gold 3")
    play.state.over = 1
    assert evaluate(play).tolist() == evaluate(play, "evaluate_leaf").tolist() == [900, 1200, 0]


def test_begun_actions_count_for_the_seat_to_move():
    """[4.1, 11.2]"""
    play = at(*EXAMPLE, "hand 0: eagle eagle bison church", "s.seat[0].joker: 0")
    alone = evaluate(play)
    for spoken, phase, earned in (("play eagle", Phase.SECOND, 9), ("play eagle", Phase.SPACE, 9)):
        play.apply(play.string_to_action(spoken))
        assert play.phase == phase
        assert (evaluate(play) - alone).tolist() == [100 * earned, 0, 0]
    extra = at(*EXAMPLE, "hand 0: eagle eagle bison church", "s.seat[0].joker: 0")
    extra.state.again = 1
    assert (evaluate(extra) - alone).tolist() == [900, 0, 0]


def test_a_joker_that_has_been_begun_with_is_given_up():
    """[7.2]"""
    play = at(*EXAMPLE, "hand 0: eagle church", "stock church 0")
    alone = evaluate(play)
    play.apply(play.string_to_action("play joker"))
    assert (evaluate(play) - alone).tolist() == [100 * (GOLD + 3 + 2 - JOKER), 0, 0]
    play.apply(play.string_to_action("play eagle"))
    assert (evaluate(play) - alone).tolist() == [100 * (GOLD + 3 + 2 - JOKER), 0, 0]


def test_empty_spaces_next_to_a_farmer_have_value_in_every_remaining_round():
    """[8.1, 13.1]"""
    near = {"near": (1, 10, 100, 1000)}  # by terrain; around i7 are 4, 3, 1 and 0 empty spaces
    before, after = at("s.seat[1].farmers: 13"), at("farmer 1 at i7")
    assert (evaluate(after, **near) - evaluate(before, **near)).tolist() == [0, 134 * 13, 0]
    filled = at("farmer 1 at i7", "building church at i8")
    assert (evaluate(after, **near) - evaluate(filled, **near))[1] in (13, 130, 1300)
    array = wrap_all(PLAIN, weights_array(PLAIN, complete_weights(PLAIN, GIVEN | near)))[0][0]
    assert BOTS.farmer_gain(before.state, array, 1, cell("i7")) == 134 * 12


# --- the outlook, in hundredths ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "worth"),
    [
        ("s.seat[1].score: 7", 700),
        ("tile 1 coal 3", 200),
        ("tile 1 gold 3", 400),
        ("s.seat[1].joker: 1", 260),
        ("s.seat[1].extra: 1", 340),
    ],
)
def test_points_tiles_and_tokens_count_in_the_leaf_evaluation(change, worth):
    assert valued(change, evaluator="evaluate_leaf") == [0, worth, 0]


def test_unplaced_farmers_count_while_rounds_are_left():
    """[13.1]"""
    assert valued("s.seat[1].farmers: 12", "s.seat[2].farmers: 10", evaluator="evaluate_leaf") == [
        35 * 10 * 4,
        35 * 10 * 2,
        0,
    ]


def test_a_farmer_in_hand_is_good_and_better_early():
    """[5.1]"""
    board = ("building gold-mine at k3", "building post-office at j2", "building church at i4", "hand 1: eagle eagle")
    best = GOLD + 3 + 1
    assert valued(*board, evaluator="evaluate_leaf") == [0, (66 + 2 * 14) * best, 0]
    few = [f"s.seat[{p}].farmers: 3" for p in range(3)]
    assert valued(*board, *few, evaluator="evaluate_leaf") == [0, (66 + 2 * 3) * best, 0]


@pytest.mark.parametrize(
    ("place", "grounds", "worth"),
    [("c3", [4, 2, 0, 2], 4 * 7 + 2 * 7), ("i7", [4, 3, 1, 0], 4 * 7 + 3 * 7 + 5)],
)
def test_empty_spaces_beside_farmers_have_value(place, grounds, worth):
    """[8.1, 10.1]"""
    around = [spot for spot in box.TOUCHING[cell(place)] if spot >= 0]
    assert np.bincount(box.TERRAIN[around], minlength=4).tolist() == grounds
    before = evaluate(at("s.seat[1].farmers: 13"), "evaluate_leaf")
    assert (evaluate(at(f"farmer 1 at {place}"), "evaluate_leaf") - before).tolist() == [0, worth * 13, 0]


def test_filled_spaces_have_no_value():
    """[6.3]"""
    board = ("farmer 1 at c3", "building church at d3", "building church at d4", "building gold-mine at b3")
    promise = 7 * (4 + 2 - 3) * 13
    assert (
        evaluate(at(*board), "evaluate_leaf") - evaluate(at("s.seat[1].farmers: 13"), "evaluate_leaf")
    ).tolist() == [0, promise, 0]


def test_a_group_that_could_be_completed_is_good():
    """[9.1]"""
    promise = (7 + 0 + 7 + 7) + (7 + 7 + 5 + 5)
    two = ("farmer 1 at a5", "farmer 1 at a6")
    assert (evaluate(at(*two), "evaluate_leaf") - evaluate(at("s.seat[1].farmers: 12"), "evaluate_leaf")).tolist() == [
        0,
        promise * 12 + 110,
        0,
    ]
    alone = (7 + 0 + 7 + 7 + 7) * 13
    assert (
        evaluate(at("farmer 1 at a5"), "evaluate_leaf") - evaluate(at("s.seat[1].farmers: 13"), "evaluate_leaf")
    ).tolist() == [0, alone, 0]
    last = ("s.seat[1].farmers: 2", *two, "s.seat[0].farmers: 0", "s.seat[1].farmers: 0", "s.seat[2].farmers: 0")
    nobody = [f"s.seat[{p}].farmers: 0" for p in range(3)]
    assert (evaluate(at(*last), "evaluate_leaf") - evaluate(at(*nobody), "evaluate_leaf")).tolist() == [0, 0, 0]
    full = ("building harbor at a7", "building church at b5", "building church at b6", "building church at b7")
    closed = ("building gold-mine at a4", *full)
    assert (
        evaluate(at(*two, *closed), "evaluate_leaf") - evaluate(at("s.seat[1].farmers: 12"), "evaluate_leaf")
    ).tolist() == [0, 0, 0]


def test_begun_actions_count_in_the_leaf_evaluation():
    play = at(*EXAMPLE, "hand 0: eagle eagle bison church", "s.seat[0].joker: 0")
    alone = evaluate(play, "evaluate_leaf")
    play.apply(play.string_to_action("play eagle"))
    assert (evaluate(play, "evaluate_leaf") - alone).tolist() == [900, 0, 0]
