"""Tests of the text of Caylus: labels, effects, questions and the log. Docstrings cite RULES.md."""

import pytest

from almunia.bots import make
from almunia.core.rich_text import plain_text
from almunia.games.caylus import components as box
from almunia.games.caylus.components import CLASSES, DATA, Class, Effect
from almunia.games.caylus.tests.test_caylus import PLAIN, TILES_IN_ORDER, prepared, told
from almunia.games.caylus.text.prospects import batches_held
from almunia.games.caylus.text.words import (
    TILES,
    bonus_words,
    cost_words,
    effect_words,
    holdings_words,
    joined,
    money_words,
    tile_words,
)
from almunia.games.caylus.view.road import trigger_words

ORDER = ("order 0 1 2",)
PLACING = (TILES_IN_ORDER, *ORDER, "stage placing")
PASSED = (TILES_IN_ORDER, *ORDER, "passed 0 1 2")
MINUS = "\N{MINUS SIGN}"


def seen(play):
    return play.observe(play.turn).state


def asked(play):
    return f"{PLAIN.text.question(seen(play))} [{PLAIN.text.rule_of_question(seen(play))}]"


def offered(play, words):
    action = play.string_to_action(words)
    return plain_text(PLAIN.text.button_label(seen(play), action)), plain_text(
        PLAIN.text.effect_text(seen(play), action)
    )


def effect(play, words):
    return offered(play, words)[1]


# --- offers and effects -----------------------------------------------------------------------------------------------


def test_favours_describe_each_column_up_to_the_marker():
    """[4.2, 4.4]"""
    cubes = "a food, a wood, a stone, a cloth, two cubes other than gold for a cube of any kind, or a gold"
    houses = "a wood building for 1 wood less, a stone building for 1 stone less"
    all_four = f"{houses}, a residence for 1 cloth, or a prestige building"
    for column, resources, buildings in (
        (0, "column 1: a food", "column 1: nothing yet"),
        (1, "column 2: a food, a wood or a stone", "column 2: a wood building for 1 wood less"),
        (4, f"column 5: {cubes}", f"column 5: {all_four}"),
        (5, f"column 5, your marker stays: {cubes}", f"column 5, your marker stays: {all_four}"),
    ):
        markers = (f"favour 0 resources {column}", f"favour 0 buildings {column}", "cubes 0: 1 cloth")
        play = prepared(3, *PASSED, "s.section: 2", *markers, "worker joust_field of 0", "stage special")
        play.apply(play.string_to_action("joust"))
        assert effect(play, "favour resources") == resources
        assert effect(play, "favour buildings") == buildings
        assert effect(play, "favour prestige") == "+1; column 1"


def test_effects_of_special_buildings_are_described():
    """[2.8-2.13]"""
    play = prepared(3, *PLACING)
    assert effect(play, "place at Trading Post") == f"{MINUS}1 denier; gives 3 deniers"
    assert effect(play, "place at Joust Field") == f"{MINUS}1 denier; sells a favour for 1 denier and 1 cloth"
    assert effect(play, "place at Inn") == (
        f"{MINUS}1 denier; its worker moves to the right circle; from next turn, your other workers cost 1 denier each"
    )


def test_the_castle_counts_the_batches_of_the_player():
    """[2.24, 2.25, D30]"""
    for cubes, section, words in (
        ("2 food 1 wood", 0, "you have no batch yet, and without one you lose 2 points"),
        ("2 food 2 wood", 0, "you have no batch yet, and without one you lose 2 points"),
        ("2 food 2 wood 1 gold", 0, "you have 1 batch now, for 5 points"),
        ("4 food 3 wood 2 stone 1 gold", 0, "you have 3 batches now, for 15 points"),
        ("2 food 2 wood 1 gold", 3, "the castle is full"),
    ):
        play = prepared(3, f"cubes 0: {cubes}", f"s.section: {section}", *PLACING)
        assert effect(play, "place at castle") == f"{MINUS}1 denier; {words}"


def test_batches_are_counted_as_they_can_be_given():
    """[2.24]"""

    def most(cubes):
        pairs = [(a, b) for a in range(1, 5) for b in range(1, a) if cubes[0] and cubes[a] and cubes[b]]
        return max((1 + most([n - (kind in (0, *pair)) for kind, n in enumerate(cubes)]) for pair in pairs), default=0)

    for code in range(4 * 3**4):
        cubes = [code // 81, *(code // 3**kind % 3 for kind in range(4))]
        assert batches_held(cubes) == most(cubes)


def test_places_name_bonuses_of_owners_and_the_distance_of_the_provost():
    """[2.6, 2.16, 2.18]"""
    play = prepared(3, "tile 9 park of 1", *PLACING)
    produces = f"{MINUS}1 denier; produces 1 food and 2 wood"
    bonus = "its owner gets 1 food or 1 wood when another player uses it"
    assert effect(play, "place at 9 park") == f"{produces}; {bonus}; 3 spaces beyond the provost; seat 2 gets +1"
    own = prepared(3, "tile 9 park of 0", "s.provost: 9", *PLACING)
    assert effect(own, "place at 9 park") == produces


def test_the_inn_describes_staying_and_leaving():
    """[2.13]"""
    play = prepared(3, *PASSED, "worker inn_right of 0", "stage special")
    assert effect(play, "go home") == "6 workers next turn, at the usual price, because the privilege ends"
    assert effect(play, "stay") == "5 workers next turn, each for 1 denier"


def test_the_choice_to_give_nothing_has_its_own_name():
    """[2.25]"""
    play = prepared(3, *PASSED, "castle 0", "cubes 0: 3 food 3 wood 3 stone", "points 0: 5", "stage castle")
    assert offered(play, "stop") == ("Give none", f"{MINUS}2")
    play.apply(play.string_to_action("batch food, wood and stone"))
    assert offered(play, "stop") == ("Give no more", "")


def test_effects_of_building_name_gains_and_abilities():
    """[2.19, 4.5, D4]"""
    play = prepared(3, *PASSED, "worker 6 of 0", "cubes 0: 2 food 2 wood", "stage road")
    assert effect(play, "build mason") == f"+4, {MINUS}1 food, {MINUS}1 wood; builds a stone building"
    market = f"+4, {MINUS}1 wood; then give a cube of any kind; trades a cube of any kind for 6 deniers"
    assert effect(play, "build marketplace") == market
    play = prepared(
        3, *PASSED, "tile 9 mason of 0", "worker 9 of 0", "s.provost: 9", "cubes 0: 1 stone 1 cloth", "stage road"
    )
    church = "1 favour; trades 2 deniers for 3 points, or 4 deniers for 5 points"
    assert effect(play, "build church") == f"+3, {MINUS}1 stone, {MINUS}1 cloth; {church}"


def test_effects_of_moving_the_provost_count_workers_beyond():
    """[2.15, 2.16]"""
    play = prepared(3, *PASSED, "worker 5 of 0", "worker 7 of 1", "worker 8 of 1", "stage provost")
    assert effect(play, "provost stays") == "2 workers are beyond the provost, none of them yours"
    assert effect(play, "provost 1 forward") == f"{MINUS}1 denier; another player's worker is beyond the provost"
    assert effect(play, "provost 2 back") == f"{MINUS}2 deniers; 3 workers are beyond the provost, 1 of them yours"
    assert effect(play, "provost 2 forward") == f"{MINUS}2 deniers; no worker is beyond the provost"
    alone = prepared(3, *PASSED, "worker 7 of 0", "stage provost")
    assert effect(alone, "provost stays") == "your worker is beyond the provost"


# --- tiles and holdings -----------------------------------------------------------------------------------------------


def test_descriptions_of_tiles_have_their_points():
    """[2.18-2.20]"""
    for tile, words in (
        ("cathedral", "prestige building, 25 points"),
        ("monument", "prestige building, 14 points and 2 favours"),
        ("library", "prestige building, 10 points: income 1"),
        (
            "church",
            "stone building, 3 points and 1 favour: trades 2 deniers for 3 points, or 4 deniers for 5 points",
        ),
        ("residence", "residence, 2 points: income 1"),
        ("gold_mine", "printed building: produces 1 gold"),
    ):
        assert tile_words(box.TILE_IDS.index(tile)) == words
    for tile in range(box.TILES):
        assert (f", {box.POINTS[tile]} points" in tile_words(tile)) == bool(box.POINTS[tile])


def test_the_board_lists_costs_and_points_of_buildings():
    """[1.4, 2.18-2.20, D13, D35]"""
    play = prepared(3, TILES_IN_ORDER, "tile 9 park of 1", "tile 10 library of 0", "worker 9 of 2")
    lines = PLAIN.text.board(play.state, 0).splitlines()
    owner = "its owner gets 1 food or 1 wood when another player uses it"
    assert f"9 park: produces 1 food and 2 wood; {owner}, owner seat 2, worker of seat 3" in lines
    assert "10 library: income 1, owner seat 1" in lines
    stone = next(line for line in lines if line.startswith("Stone: "))
    assert "church, 3 points and 1 favour for 1 stone and 1 cloth; " in stone
    assert stone.endswith("architect (2 left), 6 points for 1 food and 1 stone")
    assert "park" not in stone
    assert "jeweller" in PLAIN.text.board(prepared(3, jeweller="yes").state, 0)


def test_spaces_that_trigger_a_scoring_name_it():
    """[2.28]"""
    words = [f"When the bailiff comes here, the {name} scored" for name in ("Dungeon is", "Walls are", "Towers are")]
    assert [trigger_words(section) for section in range(box.SECTIONS)] == words


def test_holdings_are_one_list_without_zeros():
    """[3.1]"""
    assert holdings_words([1, 0, 9, 0, 5], 8) == "1 food, 9 stone, 5 gold and 8 deniers"
    assert holdings_words([14, 0, 0, 0, 0], 0) == "14 food"
    assert holdings_words([0] * 5, 0) == "nothing"
    assert cost_words([1, 2, 0, 0, 0], 1) == "1 food, 2 wood and a cube of any kind"
    assert PLAIN.text.board(prepared(3, "cubes 1: ", "s.seat[1].money: 0").state, 0).count("points; nothing; ") == 1


# --- questions --------------------------------------------------------------------------------------------------------


def test_questions_begin_with_the_place_or_stage():
    """[2.8-2.25]"""
    castle = ("castle 0 1", "cubes 0: 3 food 3 wood 3 stone")
    joust = ("worker joust_field of 0", "cubes 0: 1 cloth")
    road = (*PASSED, "s.provost: 20")
    for changes, before, question in (
        (
            (*PASSED, "worker gate of 0", "stage special"),
            (),
            "Gate: where does your worker move, for free? [2.8]",
        ),
        (
            (*PASSED, "worker merchants_guild of 0", "stage special"),
            (),
            "Merchants' Guild: how far does the provost move? [2.10]",
        ),
        ((*PASSED, *joust, "stage special"), (), "Joust Field: pay 1 denier and 1 cloth for a favour? [2.11]"),
        ((*PASSED, *joust, "stage special"), ("joust",), "Joust Field: you get a royal favour. Choose a line. [4.2]"),
        (
            (*PASSED, "worker inn_right of 0", "stage special"),
            (),
            "Inn: does your worker stay, or does it go home? [2.13]",
        ),
        ((*PASSED, "stage provost"), (), "Provost: how far do you move him, for 1 denier a space? [2.15]"),
        ((*road, "worker 1 of 0", "stage road"), (), "Road: what does the farm on space 1 produce for you? [2.17]"),
        (
            (*road, "tile 9 park of 1", "worker 9 of 0", "stage road"),
            (),
            "Road: which cube do you take as the owner of the park? [2.18]",
        ),
        ((*road, "worker 6 of 0", "stage road"), (), "Road: build a wood building on space 9? [2.19]"),
        ((*PASSED, *castle, "stage castle"), (), "Castle: give a batch for the Dungeon? [2.24]"),
        (
            (*PASSED, *castle, "points 0: 1", "stage castle"),
            (),
            "Castle: give a batch for the Dungeon, or lose 1 point? [2.24]",
        ),
        (
            (*PASSED, *castle, "s.section: 1", "stage castle"),
            ("batch food, wood and stone",),
            "Castle: you gave 1 batch. Give another for the Walls? [2.24]",
        ),
        (
            (*PASSED, "s.bailiff: 17", "s.provost: 17", "s.section: 1", "s.seat[0].houses[1]: 3", "stage end"),
            (),
            "Scoring: you get 2 royal favours. Choose a line. [4.2]",
        ),
    ):
        play = prepared(3, *changes)
        for words in before:
            play.apply(play.string_to_action(words))
        assert asked(play) == question


@pytest.mark.parametrize(
    ("changes", "question"),
    [
        (("worker 5 of 0",), "Road: sell a cube for 4 deniers at the marketplace on space 5?"),
        (("worker 7 of 0", "s.provost: 7"), "Road: buy a cube for 2 deniers at the peddler on space 7?"),
        (("tile 9 peddler_wood of 1", "worker 9 of 0", "s.provost: 9"), "Road: use the peddler on space 9?"),
    ],
)
def test_a_building_with_one_deal_asks_for_that_deal(changes, question):
    """[2.22]"""
    play = prepared(3, *PASSED, "cubes 0: 2 wood 1 cloth", *changes, "stage road")
    assert asked(play) == f"{question} [2.22]"


def test_questions_for_cubes_name_their_purpose():
    """[2.19, 2.22, 4.4, D24]"""
    cubes = "cubes 0: 3 food 3 wood 1 cloth"
    road = (*PASSED, cubes, "tile 9 alchemist of 1", "s.provost: 9")
    favour = (*PASSED, cubes, "s.section: 2", "favour 0 resources 4", "favour 0 buildings 1", "worker joust_field of 0")
    for changes, before, question in (
        (
            (*road, "worker 5 of 0", "stage road"),
            "trade a cube of any kind for 4 deniers",
            "Give 1 cube to the marketplace. Which one? [2.22]",
        ),
        (
            (*road, "worker 9 of 0", "stage road"),
            "trade four cubes other than gold for 2 gold",
            "Give 4 cubes to the alchemist. Which first? [2.22]",
        ),
        (
            (*road, "worker 7 of 0", "stage road"),
            "trade 2 deniers for a cube other than gold",
            "Take 1 cube from the peddler. Which one? [2.22]",
        ),
        (
            (*road, "worker 6 of 0", "stage road"),
            "build peddler",
            "Give 1 cube of any kind for your new building. Which one? [2.19]",
        ),
        (
            (*favour, "stage special"),
            "joust, favour buildings, build marketplace",
            "Give 1 cube of any kind for your new building. Which one? [2.19]",
        ),
        (
            (*favour, "stage special"),
            "joust, favour resources, trade a cube of any kind for two cubes other than gold",
            "Give 1 cube for two others. Which one? [4.4]",
        ),
        (
            (*favour, "stage special"),
            "joust, favour resources, trade a cube of any kind for two cubes other than gold, give food",
            "Take 2 cubes in exchange. Which first? [4.4]",
        ),
    ):
        play = prepared(3, *changes)
        for words in before.split(", "):
            play.apply(play.string_to_action(words))
        assert asked(play) == question


def test_questions_of_favours_name_what_may_be_built():
    """[4.4]"""
    cubes = "cubes 0: 9 food 9 wood 9 stone 9 cloth 9 gold"
    for column, question in (
        (1, "Favour: build a wood building? [4.4]"),
        (2, "Favour: build a wood or stone building? [4.4]"),
        (3, "Favour: build a wood or stone building, or a residence? [4.4]"),
        (4, "Favour: build a wood, stone or prestige building, or a residence? [4.4]"),
    ):
        marker = f"favour 0 buildings {column}"
        play = prepared(3, *PASSED, cubes, marker, "s.section: 2", "worker joust_field of 0", "stage special")
        for words in ("joust", "favour buildings"):
            play.apply(play.string_to_action(words))
        assert asked(play) == question


def test_prices_name_those_of_own_buildings():
    """[2.4]"""
    play = prepared(3, "tile 9 park of 0", TILES_IN_ORDER, *ORDER, "passed 1", "stage placing")
    assert asked(play) == "Place a worker for 2 deniers (own buildings: 1), or pass. [2.2]"


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {"favours": "points"}),
        pytest.param(3, {}, marks=pytest.mark.slow),
        *(pytest.param(seats, {}, marks=pytest.mark.exhaustive) for seats in (2, 5)),
        *(pytest.param(seats, {"favours": "points"}, marks=pytest.mark.exhaustive) for seats in (3, 5)),
    ],
)
def test_questions_are_short(seats, options):
    """A question with its mark has fewer than 72 characters."""
    play = PLAIN.new(seats, 3, **options)
    bot = make("greedy", PLAIN, seed=1)
    while not play.over:
        assert len(asked(play)) < 72
        play.apply(bot.choose(play.observe(play.turn)))


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_begins_with_the_first_turn():
    """[2.1]"""
    play = prepared(3, *ORDER)
    first = "Turn 1. Income: seat 1 +2, seat 2 +2 and seat 3 +2 deniers."
    assert told(play, "place at castle") == [first, "seat 1 places a worker at the castle for 1 denier."]
    assert told(play, "place at castle") == ["seat 2 places a worker at the castle for 1 denier."]
    play = prepared(3, *ORDER)
    assert told(play, "pass") == [first, "seat 1 passes and takes number 1 on the bridge: +1 denier."]
    assert told(play, "pass") == ["seat 2 passes and takes number 2 on the bridge."]


def test_the_log_reports_who_goes_home_from_the_inn():
    """[2.13, D2]"""
    for right, words in (
        ((), "."),
        (("worker inn_right of 1",), "; seat 2's worker goes home."),
        (("worker inn_right of 0",), "; the worker that was there goes home."),
    ):
        play = prepared(3, *PASSED, "worker inn of 0", *right, "worker merchants_guild of 2", "stage special")
        assert told(play, "provost stays")[1] == f"seat 1's worker moves to the right circle of the Inn{words}"


def test_the_log_reports_that_the_provost_stays():
    """[2.10, 2.15]"""
    play = prepared(3, *PASSED, "worker merchants_guild of 2", "s.seat[1].money: 0", "stage special")
    assert told(play, "provost stays") == ["seat 3 leaves the provost on space 6."]
    assert told(play, "provost stays") == [
        "seat 1 leaves the provost on space 6.",
        "seat 2 can't pay for a move and leaves the provost on space 6.",
    ]


def test_a_forced_payment_is_one_line():
    """[2.22, D24, D34]"""
    changes = (*PASSED, "tile 9 alchemist of 1", "worker 9 of 0", "s.provost: 9", "stage road")
    play = prepared(3, "cubes 0: 4 wood", *changes)
    lines = told(play, "trade four cubes other than gold for 2 gold")
    assert lines[:2] == ["seat 1 uses the alchemist on space 9: +2 gold.", "seat 1 gives 4 wood."]
    play = prepared(3, "cubes 0: 4 wood 1 food", *changes)
    play.apply(play.string_to_action("trade four cubes other than gold for 2 gold"))
    assert told(play, "give wood") == ["seat 1 gives 1 wood."]
    assert told(play, "give food")[0] == "seat 1 gives 1 food and 2 wood."


def test_the_log_distinguishes_unusable_and_declined_buildings():
    """[2.17, 2.22, 4.4, D16, D34]"""
    road = (*PASSED, "worker 1 of 1", "s.provost: 9", "cubes 0: ", "cubes 2: 1 wood 1 food", "s.seat[0].money: 0")
    play = prepared(3, *road, "worker 6 of 0", "worker 8 of 2", "stage road")
    assert told(play, "take food")[1:] == ["seat 1 can't use the carpenter on space 6."]
    assert told(play, "decline")[0] == "seat 3 doesn't use the carpenter on space 8."
    special = (*PASSED, "worker merchants_guild of 1", "worker joust_field of 0", "cubes 0: ", "stage special")
    assert told(prepared(3, *special), "provost stays")[1] == "seat 1 can't pay for a favour."


def test_the_log_reports_useless_favours_in_one_line():
    """[4.4, D34]"""
    joust = (*PASSED, "cubes 0: 1 cloth", "worker joust_field of 0")
    play = prepared(3, *joust, "stage special")
    play.apply(play.string_to_action("joust"))
    assert told(play, "favour buildings") == [
        "seat 1 uses a favour on the buildings line, column 1, which gives nothing yet."
    ]
    play = prepared(3, *joust, "favour 0 buildings 1", "stage special")
    play.apply(play.string_to_action("joust"))
    assert told(play, "favour buildings") == [
        "seat 1 uses a favour on the buildings line, column 2.",
        "seat 1 can't use any effect of the favour.",
    ]
    play = prepared(3, *joust, "stage special")
    play.apply(play.string_to_action("joust"))
    play.apply(play.string_to_action("favour resources"))
    assert told(play, "decline") == ["seat 1 doesn't use the effect of the favour."]


def test_the_final_scoring_of_a_seat_without_resources_is_zero():
    """[3.1]"""
    play = prepared(
        3,
        *("order 0 1 2", "s.section: 2", "s.bailiff: 23", "s.provost: 23", "s.seat[0].houses[2]: 2"),
        *("cubes 1: ", "cubes 2: 1 food 9 stone 5 gold", "s.seat[1].money: 0", "s.seat[2].money: 8", "stage end"),
    )
    lines = told(play, "favour prestige")
    assert "seat 2 has nothing left: 0." in lines
    assert "seat 3 has 1 food, 9 stone, 5 gold and 8 deniers left: +20." in lines


# --- the table of buildings in RULES.md -------------------------------------------------------------------------------


def building_row(tile):
    """Return a building's row of the table in RULES.md."""
    row, does = DATA["building"][tile], box.EFFECT[tile] != Effect.IDLE
    cost = cost_words(box.COST[tile].tolist(), int(box.COST_ANY[tile])) if box.CLASS[tile] >= Class.WOOD else ""
    if box.CLASS[tile] == Class.RESIDENTIAL:
        cost = f"{money_words(box.CONVERT_MONEY)} and {box.CONVERT_CLOTH} cloth"
    many = " (option)" if box.OPTIONAL[tile] else " (two)" if box.COUNT[tile] == 2 else ""
    words = joined(effect_words(tile), bonus_words(tile)) if does else ""  # the table has a column for income
    numbers = [str(number or "") for number in (box.POINTS[tile], box.INCOME[tile], box.FAVOURS[tile])]
    cells = [row["name"] + many, CLASSES[box.CLASS[tile]], cost, numbers[0], words, *numbers[1:]]
    return f"| {' | '.join(cells)} |"


def test_the_table_of_buildings_in_the_rules_is_right():
    """[1.2, 1.4, 2.1, 2.17-2.22]"""
    wanted = [building_row(tile) for tile in range(box.TILES)]
    rows = [line for line in PLAIN.file("RULES.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    assert rows[0] == "| Building | Class | Cost | Points | What it does | Income | Favours |"
    assert rows[2:] == wanted
    assert len(wanted) == len(TILES)
