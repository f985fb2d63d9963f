"""Tests of Orchard against a naive implementation of its rules. Docstrings cite RULES.md."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.orchard import components as box, rules
from almunia.games.orchard.tests import naive
from almunia.games.orchard.text import words

PLAIN = almunia.game("orchard", "plain")
WORDS = PLAIN.checked(words)
FAST = almunia.game("orchard")


def decode(play, action):
    """Return a placement as the oracle names it: card, quarter turns, row and column from the start card."""
    number, turned, cell = WORDS.decode(play.state, action)
    row, column = divmod(cell, box.SIDE)
    return number, turned, row - box.CENTRE, column - box.CENTRE


def trees_of(play):
    seen = {}
    for cell, kind in WORDS.trees_of(play.state.seat[0]).items():
        seen[cell // box.SIDE - box.CENTRE, cell % box.SIDE - box.CENTRE] = kind
    return seen


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**63 - 1), st.randoms(use_true_random=False), st.booleans())
def test_random_plays_agree_in_placements_dice_and_scores(seed, rng, old):
    compare_play(PLAIN, seed, rng, old)


@pytest.mark.exhaustive
@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**63 - 1), st.randoms(use_true_random=False), st.booleans())
def test_many_random_plays_agree_in_placements_dice_and_scores(seed, rng, old):
    compare_play(FAST, seed, rng, old)


def compare_play(game, seed, rng, old):
    play = game.new(seed=seed, edition="2018" if old else "2019")
    oracle = naive.Orchard(play.state.seat[0].card[0], ladder=(1, 3, 6) if old else (1, 3, 6, 10))
    while not play.over:
        compare_legal(play, oracle)
        number, turned, row, column = decode(play, choice := rng.choice(play.legal_actions))
        contested = oracle.contested(number, turned, row, column)
        play.apply(choice)
        answers = {}
        for fruit in contested:
            assert play.phase == rules.Phase.DIE
            answers[fruit] = rng.randrange(2)
            play.apply(rules.LAST_DIE + answers[fruit])
        assert play.over or play.phase == rules.Phase.PLACE
        oracle.place(number, turned, row, column, answers)
        compare_orchards(play, oracle)


def compare_legal(play, oracle):
    ours = sorted(decode(play, action) for action in play.legal_actions)
    hand = [number for number in play.state.seat[0].hand if number]
    assert ours == sorted((number, *place) for number in hand for place in oracle.placements(number))


def compare_orchards(play, oracle):
    me = play.state.seat[0]
    ours = trees_of(play)
    assert {cell for cell, kind in ours.items() if kind == rules.ROTTEN} == set(oracle.rotten)
    assert all(box.LETTERS[kind] == oracle.trees[cell] for cell, kind in ours.items() if kind != rules.ROTTEN)
    assert set(ours) == set(oracle.trees)
    dice = {}
    for die in range(box.DICE):
        if me.die_step[die]:
            row, column = divmod(me.die_cell[die], box.SIDE)
            dice[row - box.CENTRE, column - box.CENTRE] = box.LADDER[play.state.edition, me.die_step[die]]
    assert dice == oracle.dice
    assert tuple(play.score_table()[0].tolist()) == (oracle.score(), 2 - len(oracle.rotten), len(oracle.dice))


CONTESTED = (1, 24)  # seeds of short plays in which a last die is contested


def test_a_scarce_supply_agrees_too():
    assert all(compare_crowding(PLAIN, seed) for seed in CONTESTED)


@pytest.mark.exhaustive
def test_many_scarce_supplies_agree_too():
    assert sum(compare_crowding(FAST, seed) for seed in range(200)) > 20


def compare_crowding(game, seed):
    """Play so that dice become scarce, compare with the oracle, and return the number of contested last dice."""
    play, seen_contests = game.new(seed=seed), 0
    oracle = naive.Orchard(play.state.seat[0].card[0])
    while not play.over:
        action = max(play.legal_actions, key=lambda action: dice_placed(play, action, seed))
        number, turned, row, column = decode(play, action)
        contested = oracle.contested(number, turned, row, column)
        seen_contests += len(contested)
        play.apply(action)
        answers = {fruit: (seed + i) % 2 for i, fruit in enumerate(contested)}
        for answer in answers.values():
            play.apply(rules.LAST_DIE + answer)
        oracle.place(number, turned, row, column, answers)
        compare_orchards(play, oracle)
    return seen_contests


def dice_placed(play, action, salt):
    """Return a sort key: the number of dice after an action, and a pseudo-random number.

    An action with a contested last die has the greatest key.
    """
    after = play.copy()
    after.apply(action)
    if after.phase == rules.Phase.DIE:
        return box.DICE + 1, 0
    return after.score_table()[0, 2], (action * 2654435761 + salt) % 97


def test_stuck_seats_agree(monkeypatch):
    """[3.1, 3.2, 5.5, 6.1]"""
    stuck = Counter()
    for seed in range(60):
        rng = Random(seed)
        play = PLAIN.new(seed=seed)
        for _ in range(seed % 4):
            play.apply(rng.choice(play.legal_actions))
            while play.phase == rules.Phase.DIE:
                play.apply(rng.choice(play.legal_actions))
        me = play.state.seat[0]
        me.hand[rng.randrange(box.HAND)] = rules.NO_CARD
        oracle = spoil_most(play, rng)
        me.rotten = rng.randint(0, box.TOKENS)
        monkeypatch.setattr(naive, "TOKENS", len(oracle.rotten) + box.TOKENS - me.rotten)
        play.refresh()
        compare_legal(play, oracle)
        assert PLAIN.backend.specialize(rules).can_place(me) == bool(play.legal_actions)
        stuck[not play.legal_actions] += 1
    assert min(stuck[True], stuck[False]) > 10


def spoil_most(play, rng):
    """Spoil all trees except at most three, and return the oracle of this orchard."""
    me = play.state.seat[0]
    oracle = naive.Orchard(me.card[0])
    trees = trees_of(play)
    sound = rng.sample(sorted(trees), rng.randint(1, 3))
    for (row, column), kind in trees.items():
        oracle.trees[row, column] = box.LETTERS[kind] if kind != rules.ROTTEN else ""
        if kind != rules.ROTTEN and (row, column) not in sound:
            me.trees[kind, row + box.CENTRE] ^= 1 << (column + box.CENTRE)
            me.trees[rules.ROTTEN, row + box.CENTRE] |= 1 << (column + box.CENTRE)
    oracle.rotten = {cell for cell, kind in trees_of(play).items() if kind == rules.ROTTEN}
    return oracle
