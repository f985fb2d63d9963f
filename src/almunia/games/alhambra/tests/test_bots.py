"""Tests of the evaluation of Alhambra, in hundredths of a point. Docstrings cite RULES.md."""

from almunia.conformance import rules as checks
from almunia.games.alhambra.tests.positions import done, position

GIVEN = {  # so that these tests do not depend on the game's own numbers
    "next_round": 85,
    "later": 55,
    "built": 120,
    "reserved": 40,
    "money": 45,
    "money_at_end": 45,
    "spare": 12,
    "buys": 0,
    "exact": 0,
    "action": 260,
    "door": 45,
}
BARE = 4 * 45  # the four doors of a fountain
NO_MONEY = ("s.turn: 1", "hand/0:", "hand/1:", "hand/2:")
GARDEN = 85 * 5 + 55 * 12 + 55 * 20  # points for the most gardens: in the next round and in both later rounds
TOWER = 85 * 6 + 55 * 13 + 55 * 21
TILE = 120


def values(play, **weights):
    """Return the values by these weights and GIVEN. Require them from both evaluations, each with its own weights."""
    numbers = (GIVEN | weights).items()
    deep = checks.evaluate(play, weights={name: (number, 9999) for name, number in numbers}).tolist()
    assert checks.evaluate(play, "evaluate_leaf", {name: (9999, number) for name, number in numbers}).tolist() == deep
    return deep


def test_money_counts_by_currency_and_less_beyond_thirteen():
    assert values(position(*NO_MONEY)) == [BARE, BARE, BARE]
    money = "hand/0: florin 9, florin 9", "hand/2: florin 3, denar 9"
    assert values(position(*NO_MONEY, *money)) == [BARE + 45 * 13 + 12 * 5, BARE, BARE + 45 * 3 + 45 * 9]


def test_buildings_count_by_round_with_wall_doors_and_reserve():
    """[10.2, 10.3, 10.5, 10.8]"""
    play = position(*NO_MONEY, "built/0: tower 13 E at 1E", "reserve/2: tower 10 W")
    wall = 85 + 55 + 55
    assert values(play) == [BARE + TILE + TOWER + wall, BARE, BARE + 40]
    # All sides of the tile but the side at the fountain have a wall, so the tile has no door.
    play = position(*NO_MONEY, "built/2: pavilion 2 NEW at 1N")
    assert values(play) == [BARE, BARE, 3 * 45 + TILE + 85 * 1 + 55 * 8 + 55 * 16 + 3 * wall]


def test_a_round_that_is_due_is_the_next_one():
    """[9.3, 10.1]"""
    changes = "open: ducat 9, dirham 1, dirham 2, dirham 3", "deck: denar 1, denar 2, scoring 1"
    play = position(*NO_MONEY, *changes, "built/0: garden 8 NE at 1E")
    done(play, "take ducat 9", "end the turn")
    wall = 85 + 55 + 55
    assert values(play) == [BARE + TILE + GARDEN + 2 * wall, BARE + 45 * 9, BARE]
    done(play, "score")
    later = 85 * (12 + 2) + 55 * (20 + 2)
    assert values(play) == [100 * 7 + BARE + TILE + later, BARE + 45 * 9, BARE]


def test_an_exact_payment_is_worth_another_action_and_too_much_is_lost():
    """[5.2, 5.3]"""
    market = "market: garden 8 NE, tower 12 open, tower 11 open, seraglio 9 open"
    play = done(position(*NO_MONEY, market, "hand/1: florin 8, denar 2"), "buy garden 8 NE")
    exact = BARE + TILE + GARDEN + 45 * 2 + 260
    assert values(play) == [BARE, exact, BARE]
    done(play, "pay florin 8")
    assert values(play) == [BARE, exact, BARE]
    play = done(position(*NO_MONEY, market, "hand/1: florin 9, florin 2"), "buy garden 8 NE")
    lost = BARE + TILE + GARDEN + 45 * 2
    assert values(play) == [BARE, lost, BARE]
    done(play, "pay florin 9")
    assert values(play) == [BARE, lost, BARE]


def test_left_over_tiles_that_fit_count_as_built():
    """[11.2, 11.4]"""
    hands = "hand/0: dirham 7, denar 2", "hand/1: florin 9, denar 2", "hand/2: dirham 1, dirham 5"
    play = position("s.turn: 1", *hands, "market: garden 8 NE, tower 13 E, tower 11 open, garden 12 S", "bag:")
    done(play, "buy garden 8 NE", "pay florin 9", "reserve it", "end the turn")
    assert values(play) == [BARE + TILE + TOWER + 45 * (7 + 2), BARE + 40 + 45 * 2, BARE + 45 * 6]


def test_money_changes_its_value_as_the_bag_empties():
    """[11.1]"""
    money = {"money": 54, "money_at_end": 0}
    play = position(*NO_MONEY, "hand/0: florin 2")
    assert values(play, **money)[0] == BARE + 2 * play.state.bag_size
    assert values(position(*NO_MONEY, "hand/0: florin 2", "bag:"), **money)[0] == BARE
    assert values(position(*NO_MONEY, "hand/0: florin 2", "bag:"), money=0, money_at_end=9)[0] == BARE + 2 * 9


def test_tiles_that_a_seat_can_pay_for_have_value():
    """[5.2, 5.3]"""
    market = "market: garden 8 NE, tower 12 open, tower 11 open, seraglio 9 open"
    play = position(*NO_MONEY, market, "hand/0: florin 3, florin 5, dirham 9, dirham 4, denar 9")
    assert values(play, buys=1000)[0] - values(play)[0] == 2 * 1000
    assert values(play, exact=1000)[0] - values(play)[0] == 1000
    assert (
        values(position(*NO_MONEY, "market: none, none, none, none", "hand/0: florin 9"), buys=1000)[0] == BARE + 9 * 45
    )
