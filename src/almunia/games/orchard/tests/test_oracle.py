"""Orchard against a naive second opinion, written from the sheet by somebody who had not read the rules."""

from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.orchard import components as box, rules
from almunia.games.orchard.tests import naive
from almunia.games.orchard.text import words

PLAIN = almunia.game("orchard", "plain")
WORDS = PLAIN.plain_twin(words)
FAST = almunia.game("orchard")


def taken_apart(play, action):
    """An action as the oracle names it: card, quarter turns, row and column from the start card."""
    number, turned, cell = WORDS.taken_apart(play.state, action)
    row, column = divmod(cell, box.SIDE)
    return number, turned, row - box.CENTRE, column - box.CENTRE


def trees_of(play):
    """The visible trees of our state, as the oracle keeps them."""
    seen = {}
    for cell, kind in WORDS.trees_of(play.state.seat[0]).items():
        seen[cell // box.SIDE - box.CENTRE, cell % box.SIDE - box.CENTRE] = kind
    return seen


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**63 - 1), st.lists(st.floats(0, 1, exclude_max=True), min_size=40, max_size=40), st.booleans())
def test_random_plays_agree_in_placements_dice_and_scores(seed, rng, old):
    play = FAST.new(seed=seed, edition="2018" if old else "2019")
    oracle = naive.Orchard(play.state.seat[0].card[0], ladder=(1, 3, 6) if old else (1, 3, 6, 10))
    picks = iter(rng)
    while not play.over:
        compare_legal(play, oracle)
        number, turned, row, column = taken_apart(play, choice := play.legal[int(next(picks) * len(play.legal))])
        contested = oracle.contested(number, turned, row, column)
        play.apply(choice)
        answers = {}
        for fruit in contested:
            assert play.phase == rules.Phase.DIE
            answers[fruit] = int(next(picks) * 2)
            play.apply(rules.LAST_DIE + answers[fruit])
        assert play.over or play.phase == rules.Phase.PLACE
        oracle.place(number, turned, row, column, answers)
        compare_orchards(play, oracle)


def compare_legal(play, oracle):
    """Our legal actions are the oracle's placements of both cards."""
    ours = sorted(taken_apart(play, action) for action in play.legal)
    hand = [number for number in play.state.seat[0].hand if number]
    assert ours == sorted((number, *place) for number in hand for place in oracle.placements(number))


def compare_orchards(play, oracle):
    """Trees, dice, tokens, supply and score are the same."""
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


def test_a_scarce_supply_agrees_too():
    """Positions that crowd all dice together, so that last dice are contested, freed and missing."""
    seen_contests = 0
    for seed in range(200):
        play = FAST.new(seed=seed)
        oracle = naive.Orchard(play.state.seat[0].card[0])
        while not play.over:
            action = max(play.legal, key=lambda a, s=seed: dice_placed(play, a, s))
            number, turned, row, column = taken_apart(play, action)
            contested = oracle.contested(number, turned, row, column)
            seen_contests += len(contested)
            play.apply(action)
            answers = {fruit: (seed + i) % 2 for i, fruit in enumerate(contested)}
            for answer in answers.values():
                play.apply(rules.LAST_DIE + answer)
            oracle.place(number, turned, row, column, answers)
            compare_orchards(play, oracle)
    assert seen_contests > 20


def dice_placed(play, action, salt):
    """How many dice lie after an action, with a little variety; a contested last die comes first."""
    after = play.copy()
    after.apply(action)
    if after.phase == rules.Phase.DIE:
        return box.DICE + 1, 0
    return after.score_table()[0, 2], (action * 2654435761 + salt) % 97
