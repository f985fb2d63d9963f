"""Tests of suggested payments and batches, and of scorings as tables. Docstrings cite RULES.md."""

import pytest

from almunia.core.rich_text import own_points, plain_text
from almunia.games.caylus.rules.state import points_of
from almunia.games.caylus.tests.test_caylus import PLAIN, TILES_IN_ORDER, prepared
from almunia.games.caylus.tests.test_guidance import MARKS, course

ROAD = (TILES_IN_ORDER, "order 0 1 2", "passed 0 1 2")


def proposed(play):
    found = {}
    for one in PLAIN.text.suggestions(play.observe(play.turn).state):
        trial, said = play.copy(), []
        for action in one.actions:
            said.append(trial.action_to_string(action))
            assert trial.turn == play.turn
            trial.apply(action)
        found[plain_text(one.offer)] = (", ".join(said), plain_text(one.effect))
    return found


# --- suggestions ------------------------------------------------------------------------------------------------------


def test_a_marketplace_suggests_selling_the_least_needed_cubes():
    """[2.22, D24]"""
    play = prepared(
        3, *ROAD, "worker 5 of 0", "cubes 0: 1 food 3 wood 1 cloth 1 gold", "s.seat[0].money: 1", "stage road"
    )
    assert list(proposed(play).items()) == [
        (
            "1 wood",
            (
                "trade a cube of any kind for 4 deniers, give wood",
                "you'll have 1 food, 2 wood, 1 cloth, 1 gold and 5 deniers",
            ),
        ),
        (
            "1 cloth",
            (
                "trade a cube of any kind for 4 deniers, give cloth",
                "you'll have 1 food, 3 wood, 1 gold and 5 deniers",
            ),
        ),
        (
            "1 food",
            (
                "trade a cube of any kind for 4 deniers, give food",
                "you'll have 3 wood, 1 cloth, 1 gold and 5 deniers",
            ),
        ),
        (
            "1 gold",
            (
                "trade a cube of any kind for 4 deniers, give gold",
                "you'll have 1 food, 3 wood, 1 cloth and 5 deniers",
            ),
        ),
    ]


def test_payments_of_several_cubes_are_one_choice():
    """[2.22]"""
    alchemist = ("tile 9 alchemist of 1", "worker 9 of 0", "s.provost: 9")
    play = prepared(3, *ROAD, *alchemist, "cubes 0: 3 food 4 wood 1 stone", "stage road")
    offers = list(proposed(play))
    assert len(offers) == 4
    assert offers[0] == "1 food and 3 wood for 2 gold"
    assert "2 wood for 1 gold" in offers
    play.apply(play.string_to_action("trade four cubes other than gold for 2 gold"))
    assert next(iter(proposed(play))) == "Give 1 food and 3 wood"
    alone = prepared(3, *ROAD, *alchemist, "cubes 0: 4 wood", "stage road")
    assert not proposed(alone)


def test_a_building_is_paid_for_with_the_cube_of_choice():
    """[2.19, D4]"""
    play = prepared(3, *ROAD, "worker 6 of 0", "cubes 0: 3 wood 1 cloth", "stage road")
    found = proposed(play)
    assert found["Marketplace for 2 wood"] == (
        "build marketplace, give wood",
        "+4; trades a cube of any kind for 6 deniers; you'll have 1 wood, 1 cloth and 7 deniers",
    )
    assert set(found) == {
        *("Marketplace for 2 wood", "Marketplace for 1 wood and 1 cloth"),
        *("Peddler for 2 wood", "Peddler for 1 wood and 1 cloth"),
    }


def test_suggested_purchases_complete_a_batch():
    """[2.22, 2.24]"""
    play = prepared(3, *ROAD, "worker 7 of 0", "s.provost: 7", "cubes 0: 1 food 1 wood", "stage road")
    offers = list(proposed(play))
    assert len(offers) == 4
    assert offers[0] == "1 stone"
    assert offers[1] == "1 cloth"


def test_batches_are_one_choice():
    """[2.24, 2.26]"""
    changes = (*ROAD, "castle 0 1", "stage castle")
    play = prepared(3, "cubes 0: 3 food 2 wood 2 stone 1 cloth 1 gold", *changes)
    three, two, one = proposed(play).items()
    assert [three[0], two[0], one[0]] == ["3 batches", "2 batches", "1 batch"]
    given = "food, wood and stone; food, wood and stone; food, cloth and gold"
    assert three[1][1] == f"+15; {given}; you'll have 7 deniers"
    assert "; then no more; you'll have 1 food, 1 stone, 1 gold and 7 deniers" in two[1][1]
    assert two[1][0].endswith(", stop")
    assert one[1][1].startswith("+5; ")
    assert not proposed(prepared(3, "cubes 0: 1 food 1 wood 1 cloth", *changes))
    full = prepared(3, "cubes 0: 3 food 3 wood 3 stone", "s.section: 2", "s.seat[1].houses[2]: 13", *changes)
    assert not proposed(full)


@pytest.mark.parametrize(
    ("seats", "seed"),
    [(3, 3), (5, 1), pytest.param(2, 2, marks=pytest.mark.slow), pytest.param(4, 4, marks=pytest.mark.exhaustive)],
)
def test_courses_are_legal_and_score_the_promised_points(seats, seed):
    """Suggestions are few, different and legal, and score the points that they show."""
    play = PLAIN.new(seats, seed)
    for s, action, _ in course(seats, seed):
        found = PLAIN.text.suggestions(s)
        assert len(found) <= 4
        assert len({plain_text(one.offer) for one in found}) == len(found)
        for one in found:
            trial, before = play.copy(), points_of(s.seat[s.turn])
            assert len(one.actions) > 1
            for part in one.actions[:-1]:
                trial.apply(part)
                assert trial.turn == s.turn
            assert one.actions[-1] in trial.legal_actions
            last = own_points(PLAIN.text.effect_text(trial.state, one.actions[-1]))
            assert own_points(one.effect) == points_of(trial.state.seat[s.turn]) + last - before
        play.apply(action)


# --- scorings ---------------------------------------------------------------------------------------------------------


def scored(play, words):
    before, action = play.observe(0).state.copy(), play.string_to_action(words)
    play.apply(action)
    return PLAIN.text.scoring(before, action, play.observe(0).state)


DUNGEON = (*ROAD, "s.bailiff: 11", "s.provost: 11", "points 1: 9", "points 2: 1")


def test_the_scoring_of_a_section_lists_houses_of_all_seats():
    """[2.28, 2.29]"""
    play = prepared(3, *DUNGEON, "s.seat[0].houses[0]: 1", "stage provost")
    assert [scored(play, "provost stays") for _ in range(2)] == [None, None]
    found = scored(play, "provost stays")
    assert (found.title, found.rule) == ("Scoring of the Dungeon", "2.29")
    (dungeon,) = found.columns
    assert dungeon.name == "Dungeon"
    assert dungeon.points == (0, -2, -1)
    assert dungeon.notes == ("1 house", "no house", "no house")
    play = prepared(3, *DUNGEON[:-1], "points 2: 0", "s.seat[0].houses[0]: 1", "stage provost")
    for _ in range(2):
        scored(play, "provost stays")
    assert scored(play, "provost stays").columns[0].notes == ("1 house", "no house", "no house, no points to lose")
    assert dungeon.targets == ("section-0",)
    play = prepared(3, *DUNGEON, "s.seat[0].houses[0]: 2", "stage provost")
    for _ in range(2):
        scored(play, "provost stays")
    (dungeon,) = scored(play, "provost stays").columns
    assert dungeon.points == (0, 0, 0)
    assert dungeon.notes == ("2 houses, 1 favour", "no house, loses 2 points", "no house, loses 2 points")
    assert scored(play, "favour prestige") is None


def test_the_final_scoring_lists_remaining_resources():
    """[3.1]"""
    left = ("cubes 0: 1 gold", "cubes 1: 3 food", "cubes 2: ", "s.seat[0].money: 0", "s.seat[1].money: 0")
    towers = ("s.section: 2", "s.bailiff: 23", "s.provost: 23", "points 1: 9", "points 2: 1", "s.seat[2].money: 8")
    play = prepared(3, *ROAD, *towers, *left, "s.seat[0].houses[2]: 2", "stage end")
    found = scored(play, "favour prestige")
    assert (found.title, found.rule) == ("The end of the game", "3.1")
    assert [(column.name, column.points) for column in found.columns] == [
        ("Towers", (0, -4, -1)),
        ("Gold", (3, 0, 0)),
        ("Other cubes", (0, 1, 0)),
        ("Deniers", (0, 0, 2)),
        ("Favours", (1, 0, 0)),
    ]
    assert found.columns[2].notes == ("0 cubes", "3 cubes", "0 cubes")


@pytest.mark.parametrize(
    ("seats", "seed"),
    [
        (2, 1),
        (4, 3),
        pytest.param(3, 2, marks=pytest.mark.exhaustive),
        pytest.param(5, 2, marks=pytest.mark.exhaustive),
    ],
)
def test_scorings_add_up_and_come_once(seats, seed):
    """[2.28, 2.29, 3.1]"""
    titles = []
    for before, action, after in course(seats, seed):
        found = PLAIN.text.scoring(before, action, after)
        if found:
            titles.append(found.title)
            assert found.rule in MARKS
            for p in range(seats):
                total = sum(column.points[p] for column in found.columns)
                assert total == points_of(after.seat[p]) - points_of(before.seat[p])
    assert [sum(name in title for title in titles) for name in ("Dungeon", "Walls", "Towers", "end of")] == [1] * 4
