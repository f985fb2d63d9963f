"""Tests of the observation tensor of Orchard. Docstrings cite RULES.md."""

from itertools import chain
from random import Random

import numpy as np
import pytest

import almunia
from almunia.core.rich_text import plain_text
from almunia.games.orchard import components as box, rules
from almunia.games.orchard.components import Fruit
from almunia.games.orchard.tests import naive, scenes
from almunia.scenario import put

PLAIN = almunia.game("orchard", "plain")
READER = PLAIN.checked(scenes)
SEATS = 6


@pytest.fixture(scope="module")
def play():
    """Return a play of six different orchards during a round, in which the last seat is stuck."""
    play, rng = PLAIN.new(seats=SEATS, seed=6), Random(6)
    while play.state.drawn < 7 or play.turn < 3:
        sound = [
            action
            for action in play.legal_actions
            if "rot" not in plain_text(PLAIN.text.effect_text(play.state, action))
        ]
        play.apply(rng.choice(sound if sound and play.turn % 2 else play.legal_actions))
    play.state.seat[SEATS - 1].stuck = 1
    assert len(set(play.score_table()[:, 0].tolist())) == SEATS
    assert {me.rotten for me in play.state.seat} == {0, 1, 2}
    assert len({tuple(me.hand) for me in play.state.seat}) > 1
    return play


def by_cell(parts, row, column):
    return [*parts["trees"][:, row, column], parts["dice"][row, column]]


@pytest.mark.parametrize("reader", range(SEATS))
def test_orchard_and_dice_are_the_reader_s_own(play, reader):
    """[1.2, 4.1, 5.3]"""
    me, parts = play.state.seat[reader], play.observe(reader).parts()
    wanted = {}
    for number, turned, cell in zip(me.card, me.turned, me.cell, strict=True):
        if number:
            wanted |= naive.spread(number, turned, *divmod(cell, box.SIDE))
    for row in range(box.SIDE):
        for column in range(box.SIDE):
            shown = by_cell(parts, row, column)
            there = wanted.get((row, column))
            die = [i for i in range(box.DICE) if me.die_cell[i] == row * box.SIDE + column]
            assert shown[-1] == pytest.approx(box.LADDER[0][me.die_step[die[0]]] / 10 if die else 0)
            if not shown[rules.ROTTEN]:
                assert shown[: box.FRUITS] == [there == letter for letter in box.LETTERS]
            else:
                assert (there is not None, shown[: box.FRUITS]) == (True, [0, 0, 0])
    assert parts["trees"][rules.ROTTEN].sum() == me.rotten
    left = [sum(me.die_cell[i] < 0 for i in range(5 * fruit, 5 * fruit + 5)) for fruit in Fruit]
    assert parts["supply"] == pytest.approx([count / 5 for count in left])


@pytest.mark.parametrize("reader", range(SEATS))
def test_hand_and_unseen_cards_are_encoded(play, reader):
    """[2.3, 3.4]"""
    s, parts = play.state, play.observe(reader).parts()
    held = [(slot, number - 1) for slot, number in enumerate(s.seat[reader].hand) if number]
    assert list(zip(*np.nonzero(parts["hand"]), strict=True)) == held
    seen = {number - 1 for number in list(s.deck)[: s.drawn]}
    assert set(np.flatnonzero(parts["unseen"])) == set(range(box.CARDS)) - seen
    assert parts["to_place"] == pytest.approx([(9 - s.seat[reader].laid) / 8])


@pytest.mark.parametrize("reader", range(SEATS))
def test_players_begin_with_the_reader(play, reader):
    """[1.3, 6.1]"""
    order = [(reader + i) % SEATS for i in range(SEATS)]
    points, facts = play.score_table()[:, 0], play.observe(reader).parts()["players"]
    assert facts[:, 0] == pytest.approx([points[p] / 50 for p in order])
    assert facts[:, 1] == pytest.approx([play.state.seat[p].rotten / 2 for p in order])
    assert facts[:, 2].tolist() == [p != SEATS - 1 for p in order]


@pytest.mark.parametrize("reader", range(SEATS))
def test_the_choice_of_this_round_is_the_reader_s_own(play, reader):
    """[7.2, D8]"""
    parts, choice = play.observe(reader).parts(), play.state.seat[reader].choice
    assert (choice != rules.NONE) == (reader < 3)
    slot, turned, row, column = np.unravel_index(max(choice, 0), (box.HAND, box.QUARTERS, box.SIDE, box.SIDE))
    made = reader < 3
    assert np.argwhere(parts["choice"]).tolist() == [[slot, turned]] * made
    assert np.argwhere(parts["choice_at"]).tolist() == [[0, row], [1, column]] * made


def contested():
    """Return a play of three seats in which seat 1 has one apple die and one pear die left."""
    play = PLAIN.new(seats=3, seed=1, deal="2 4 1 3 6 7 8 9 10")
    dice = {"apple": ("10,10", "12,13", "14,10", "14,11"), "pear": ("11,10", "10,13", "15,10", "16,11")}
    laid = ("card 14 at 10,10", "card 5 at 10,12", "card 17 at 14,10")
    rolled = (f"die {fruit} 1 at {cell}" for fruit, cells in dice.items() for cell in cells)
    for words in chain(laid, rolled):
        put(play.state, READER, f"{words} for seat 1")
    play.refresh()
    return play


def asked(play, reader):
    parts = play.observe(reader).parts()
    return parts["question"].tolist(), {fruit: parts["last_die"][fruit].tolist() for fruit in Fruit}


def test_questions_about_last_dice_are_encoded_for_their_seat_only():
    """[D2, D3, D8]"""
    play, silent = contested(), {fruit: [0, 0, 0] for fruit in Fruit}
    place = [1, 0]
    play.apply(play.string_to_action("place 4 at 2,1 turned 90"))
    before = [play.observe(reader).tensor() for reader in range(3)]
    play.apply(play.string_to_action("place 1 at 10,11"))
    assert (play.turn, PLAIN.text.question(play.state)[:13]) == (1, "One apple die")
    assert asked(play, 1) == ([0, 1], silent | {Fruit.APPLE: [1, 0, 0]})
    own = play.observe(1).parts()
    assert np.argwhere(own["choice"]).tolist() == [[1, 0]]
    assert np.argwhere(own["choice_at"]).tolist() == [[0, box.CENTRE + 10], [1, box.CENTRE + 11]]
    for reader in (0, 2):
        assert (play.observe(reader).tensor() == before[reader]).all()
    play.apply(play.string_to_action("last apple die at 11,11"))
    assert asked(play, 1) == ([0, 1], silent | {Fruit.APPLE: [0, 0, 1], Fruit.PEAR: [1, 0, 0]})
    play.apply(play.string_to_action("last pear die at 12,11"))
    assert play.turn == 2
    assert asked(play, 1) == (place, silent | {Fruit.APPLE: [0, 0, 1], Fruit.PEAR: [0, 1, 0]})
    assert asked(play, 0) == asked(play, 2) == (place, silent)


def test_spectators_see_no_choice():
    """[D8]"""
    play = contested()
    play.apply(play.legal_actions[0])
    play.apply(play.string_to_action("place 1 at 10,11"))
    parts = play.observe().parts()
    assert parts["question"].tolist() == [1, 0]
    assert not parts["choice"].any()
    assert not parts["choice_at"].any()
    assert not parts["last_die"].any()
