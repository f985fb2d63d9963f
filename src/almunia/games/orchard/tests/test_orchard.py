"""Tests of Orchard. Docstrings cite RULES.md."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import almunia
from almunia.conformance import rules as checks
from almunia.core.kernels.scoring import rank
from almunia.core.rich_text import own_points, plain_text
from almunia.games.orchard import components as box, rules
from almunia.games.orchard.tests import scenes
from almunia.games.orchard.text import challenges, words
from almunia.scenario import put

PLAIN = almunia.game("orchard", "plain")
FAST = almunia.game("orchard")
SHEET = box.DATA["solo_challenge_s4"]["game"]


def text_of(number: int, quarter: int, row: int, column: int) -> str:
    return f"place {number} at {row},{column}" + (f" turned {90 * quarter}" if quarter else "")


# --- the cards [1.1] -----------------------------------------------------------------------------


def test_every_card_has_two_trees_of_each_fruit():
    for number in range(1, box.CARDS + 1):
        assert sorted(box.FRUIT[number, 0]) == [0, 0, 1, 1, 2, 2]


def test_orientations_are_as_many_as_the_data_say():
    facts = box.DATA["deck_properties"]
    turned = {(q % 2, tuple(box.FRUIT[n, q])) for n in range(1, 19) for q in range(4)}
    assert len({tuple(box.FRUIT[n, 0]) for n in range(1, 19)}) == facts["distinct_faces"]
    assert len(turned) == facts["distinct_orientations"]
    symmetric = [card["number"] for card in box.DATA["card"] if card["sym180"]]
    assert symmetric == [n for n in range(1, 19) if (box.FRUIT[n, 0] == box.FRUIT[n, 2]).all()]


def test_the_deck_is_closed_under_the_cycle_of_fruits():
    for number, image in enumerate(box.DATA["deck_properties"]["fruit_cycle_A_P_L"], 1):
        cycled = (box.FRUIT[number, 0] + 1) % 3
        assert any((cycled == box.FRUIT[image, quarter]).all() for quarter in (0, 2))


# --- placements [3.1, 5.1] -------------------------------------------------------------------------


@pytest.mark.parametrize("counts", box.DATA["first_move_counts"]["rows"], ids=lambda c: f"{c['start']}-{c['card']}")
def test_first_placements_equal_independent_counts(counts):
    others = [n for n in range(1, 19) if n not in (counts["start"], counts["card"])]
    play = PLAIN.new(seed=1, deal=[counts["start"], counts["card"], *others[:7]])
    words = [play.action_to_string(action) for action in play.legal_actions]
    ours = [i for i, said in enumerate(words) if said.startswith(f"place {counts['card']} ")]
    clean = [i for i in ours if "rot" not in plain_text(PLAIN.text.effect_text(play.state, play.legal_actions[i]))]
    assert (len(ours), len(clean)) == (counts["all"], counts["clean"])
    for chosen, key in ((ours, "all_distinct"), (clean, "clean_distinct")):
        assert len({result(play, play.legal_actions[i]) for i in chosen}) == counts[key]


def result(play: almunia.Play, action: int) -> tuple[bytes, bytes]:
    after = play.copy()
    after.apply(action)
    return after.array["seat"]["trees"][0, 0].tobytes(), np.sort(after.array["seat"]["die_cell"][0, 0]).tobytes()


# --- fixed lines [D11, D12] ------------------------------------------------------------------------


@pytest.mark.parametrize("game", [game for game in SHEET if "moves" in game], ids=lambda g: g["game"])
def test_lines_of_the_solo_challenge(game):
    play = PLAIN.new(seed=1, deal=game["deal"])
    for number, quarter, row, column, score in game["moves"]:
        play.apply(play.string_to_action(text_of(number, quarter, row, column)))
        assert play.score_table()[0, 0] == score
    assert play.over
    assert score == game["best_found"]


def test_the_challenge_has_ten_deals_with_target_and_best():
    assert [c.target for c in challenges.CHALLENGES] == [36, 34, 40, 44, 34, 41, 41, 35, 35, 45]
    assert [c.best for c in challenges.CHALLENGES] == [45, 46, 47, 52, 43, 50, 52, 50, 41, 55]
    for challenge in challenges.CHALLENGES:
        play = PLAIN.new(seed=1, **challenge.options)
        assert " ".join(map(str, play.state.deck)).startswith(challenge.options["deal"])


def test_a_campaign_gains_and_loses_barrows():
    first, second = challenges.CHALLENGES[:2]
    assert challenges.campaign([]).next == first.name
    lost = [(first.name, first.target - 1)]
    assert "4 barrows" in challenges.campaign(lost).words
    assert challenges.campaign(lost * 6) == challenges.campaign(lost * 7)
    assert challenges.campaign(lost * 6).next == ""
    won = [(first.name, first.target)]
    assert challenges.campaign(won).next == second.name
    assert "5 barrows" in challenges.campaign(won).words
    assert "6 barrows" in challenges.campaign([(first.name, first.best + 1)]).words
    assert "5 barrows" in challenges.campaign([(second.name, 99)]).words
    assert "mastered" in challenges.campaign([(c.name, c.target) for c in challenges.CHALLENGES]).words


def test_barrows_are_counted_to_the_last():
    """[D12]"""
    first, second = challenges.CHALLENGES[:2]
    assert "5 barrows" in challenges.campaign([(first.name, first.best)]).words
    lost = [(first.name, first.target - 1)]
    assert challenges.campaign(lost * 4).words.endswith("You have 1 barrow.")
    assert challenges.campaign(lost * 5).words.endswith("You have 0 barrows.")
    assert challenges.campaign(lost * 5).next == first.name
    assert challenges.campaign([*lost * 5, (first.name, first.target)]).next == second.name
    assert challenges.campaign([*lost * 5, (first.name, first.best + 1)]).words.endswith("You have 1 barrow.")
    missed = f"The campaign ended at S4, deal 1, with {first.target - 1} of {first.target} points."
    assert challenges.campaign(lost * 6).words == missed
    out_of_turn = [(second.name, second.target - 1), (first.name, first.target), (first.name, 0)]
    assert challenges.campaign(out_of_turn) == challenges.campaign([(first.name, first.target)])


# --- decks and options [2.1, D9, D10] ----------------------------------------------------------------


def test_the_second_half_deals_the_other_nine():
    first, second = (PLAIN.new(seed=11, half=half).state for half in ("first", "second"))
    assert list(first.deck) == list(second.deck)
    assert sorted(first.deck) == list(range(1, 19))
    assert list(second.seat[0].hand) == list(second.deck)[10:12]
    assert second.seat[0].card[0] == second.deck[9]


@pytest.mark.parametrize("half", ["first", "second"])
def test_a_reduced_game_is_played_with_the_first_four_cards(half):
    """[D15]"""
    reduced, published = (PLAIN.new(3, 11, half=half, reduced=value) for value in ("yes", "no"))
    rng = np.random.default_rng(1)
    while reduced.state.drawn < 9 * (half == "second") + 4:
        assert reduced.legal_actions == published.legal_actions
        action = int(rng.choice(reduced.legal_actions))
        for play in (reduced, published):
            play.apply(action)
    assert list(reduced.state.seat[0].hand) == list(published.state.seat[0].hand)
    assert (reduced.observe(0).parts()["to_place"], published.observe(0).parts()["to_place"]) == (2 / 8, 7 / 8)
    assert (rules.cards_left(reduced.state), rules.cards_left(published.state)) == (0, 5)
    while not reduced.over:
        reduced.apply(reduced.legal_actions[0])
    assert [(me.laid, me.stuck) for me in list(reduced.state.seat)[:3]] == [(4, 0)] * 3
    assert reduced.state.over == rules.EndReason.LAST_CARD


def test_the_sequel_is_played_with_the_other_nine():
    """[2.1, D10]"""
    (sequel,), orders = PLAIN.meta.sequels, set()
    for edition in ("2019", "2018"):
        first = PLAIN.new(seed=11, edition=edition).state
        told = {**sequel.options, sequel.dealt: PLAIN.text.dealt(first)}
        for seed in range(20):
            other = PLAIN.new(seed=seed, edition=edition, **told)
            assert list(other.state.deck)[:9] == list(first.deck)[:9]
            assert sorted(list(other.state.deck)[9:]) == sorted(list(first.deck)[9:])
            assert other.state.seat[0].card[0] == other.state.deck[9]
            orders.add(tuple(other.state.deck)[9:])
            deck = other.observe(0).determinize(5).state.deck
            assert sorted(deck) == list(range(1, 19))
            assert list(deck)[:12] == list(other.state.deck)[:12]
    assert len(orders) == 40


def test_the_faces_of_a_card_of_2018_differ_by_two_neighbouring_trees():
    """[D9]"""
    for one, other in box.SIDES.tolist():
        assert (one % 2, other) == (1, one + 1)
        turned = [np.flatnonzero(box.FRUIT[one, 0] != box.FRUIT[other, quarter]) for quarter in (0, 2)]
        (first, second) = min(turned, key=len)
        assert second - first in (1, 2)


@pytest.mark.parametrize("deals", [540, pytest.param(900, marks=pytest.mark.exhaustive)])
def test_both_faces_of_every_card_of_2018_come_up(deals):
    """[D9]"""
    decks = np.array([PLAIN.new(seed=seed, edition="2018").array["deck"][0] for seed in range(deals)])
    for place in (0, 8):
        assert chisquare(np.bincount(decks[:, place], minlength=19)[1:]).pvalue > 1e-4


@pytest.mark.parametrize("half", ["first", "second"])
def test_the_edition_of_2018_uses_one_side_of_each_card(half):
    for seed in range(20):
        deck = list(PLAIN.new(seed=seed, edition="2018", half=half).state.deck)
        assert sorted(deck) == list(range(1, 19))
        assert all(len(set(deck[:9]) & set(pair)) == 1 for pair in box.SIDES.tolist())


def test_titles_follow_the_score():
    title = PLAIN.checked(words).title
    s = PLAIN.new(seed=1).state
    tiers = [(-6, "Pal-tree"), (24, "Pal-tree"), (25, "Forget-apple"), (29, "Forget-apple"), (30, "Satisfac-tree")]
    tiers += [(34, "Satisfac-tree"), (35, "Remark-apple"), (39, "Remark-apple"), (40, "Tree-mendous")]
    tiers += [(44, "Tree-mendous"), (45, "Plum-believable"), (49, "Plum-believable"), (50, "Close to Pear-fect")]
    tiers += [(54, "Close to Pear-fect"), (55, "Almost imposs-apple! (take a bough)")]
    assert [title(s, score) for score, _ in tiers] == [name for _, name in tiers]  # [6.5, D13]
    s = PLAIN.new(seed=1, edition="2018").state  # [D9]
    assert [title(s, score) for score, _ in tiers[:-3]] == [name for _, name in tiers[:-3]]
    assert {title(s, score) for score in (50, 54, 55)} == {"Pretty Pear-fect (take a bough)"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"deal": "1 2 3"}, "9 different numbers"),
        ({"deal": "1 2 3 4 5 6 7 8 19"}, "from 1 to 18"),
        ({"deal": "1 2 3 4 5 6 7 8 x"}, "9 different numbers"),
        ({"edition": "2020"}, "2019, 2018"),
        ({"colour": "red"}, "no option 'colour'"),
        ({"deal": 3.5}, "9 different numbers"),
        ({"deal": "9" * 5000}, "9 different numbers"),
        ({"deal": ["\N{SUPERSCRIPT TWO}", *range(1, 9)]}, "9 different numbers"),
    ],
)
def test_invalid_options_are_refused(options, reason):
    with pytest.raises(almunia.SetupError, match=reason):
        PLAIN.new(seed=1, **options)


# --- several players [7] -----------------------------------------------------------------------------


def test_all_seats_get_the_same_cards_and_hide_their_choice():
    """[7.1, 7.2, D8]"""
    play = PLAIN.new(seats=3, seed=5)
    assert len({tuple(seat.hand) for seat in list(play.state.seat)[:3]}) == 1
    play.apply(play.legal_actions[0])
    assert play.observe(0).state.seat[0].choice == play.actions[0]
    assert play.observe(1).state.seat[0].choice == rules.NONE
    assert play.observe(-1).state.seat[0].choice == rules.NONE
    assert play.state.seat[0].laid == 1
    play.apply(play.legal_actions[1])
    play.apply(play.legal_actions[2])
    assert [play.state.seat[p].laid for p in range(3)] == [2, 2, 2]


def test_a_solo_player_can_undo_placements_until_a_card_is_drawn():
    """[D14]"""
    alone, two = PLAIN.new(seed=3), PLAIN.new(seats=2, seed=3)
    while alone.state.drawn < box.DEALT:
        alone.apply(alone.legal_actions[0])
        assert not alone.can_undo
    alone.apply(alone.legal_actions[0])
    assert alone.can_undo
    while not two.over:
        two.apply(two.legal_actions[0])
        assert not two.can_undo
    assert (alone.turns, two.turns) == (0, 8)
    assert (alone.reveals, two.reveals) == (6, 8 + 6)  # cards drawn, and with several the choices of each round


def test_only_its_seat_sees_a_choice_in_progress():
    """[D8]"""
    alone, two = PLAIN.new(seed=3), PLAIN.new(seats=2, seed=3)
    assert [PLAIN.may_see(alone.state, reader) for reader in (0, -1)] == [True, True]
    assert [PLAIN.may_see(two.state, reader) for reader in (0, 1, -1)] == [True, False, False]
    two.apply(two.legal_actions[0])
    assert [PLAIN.may_see(two.state, reader) for reader in (0, 1, -1)] == [False, True, False]


def last_pear_die(seats, game=PLAIN):
    """Return a play in which seat 0 has one pear die left, and card 4 at 1,0 would cover two pears with pears."""
    play = game.new(seats=seats, seed=1, deal="2 4 1 3 5 6 7 8 9")
    reader = PLAIN.checked(scenes)
    for placed in ("card 17 at 10,10", "card 18 at 10,14"):
        put(play.state, reader, placed)
    for cell in ("11,10", "12,11", "11,14", "12,14"):
        put(play.state, reader, f"die pear 1 at {cell}")
    play.refresh()
    return play


def test_a_contested_last_die_does_not_give_the_choice_away():
    play = last_pear_die(2)
    before = play.observe(1).to_state()
    play.apply(play.string_to_action("place 4 at 1,0"))
    assert play.phase == rules.Phase.DIE
    assert play.turn == 0
    assert play.observe(1).to_state() == before
    play.apply(play.string_to_action("last pear die at 2,1"))
    assert play.turn == 1
    assert list(play.observe(0).state.seat[0].last_die) == [rules.NONE, 1, rules.NONE]
    for reader in (1, -1):
        assert list(play.observe(reader).state.seat[0].last_die) == [rules.NONE] * 3  # [D8]


@pytest.mark.compiled
def test_a_redeal_gives_a_last_die_to_either_tree():
    """[D2, D8]"""
    play = last_pear_die(2, FAST)
    choice = play.string_to_action("place 4 at 1,0")
    for action in (choice, rules.LAST_DIE):
        play.apply(action)
    seen = play.observe(1)
    guesses = (seen.determinize(seed).state.seat[0] for seed in range(6000))
    given = Counter(me.last_die[1] for me in guesses if me.choice == choice)
    assert set(given) == {0, 1}
    assert chisquare(list(given.values())).pvalue > 1e-4


def test_ranking_goes_by_points_then_tokens_then_dice():
    """[7.4, D6]"""
    table = np.array([[30, 2, 9], [30, 1, 15], [30, 2, 10], [31, 0, 1], [30, 2, 10]])
    ranks = [0] * 5
    rank(table, 5, ranks)
    assert ranks == [4, 5, 2, 1, 2]
    assert rules.SCORES == ("points", "rotten fruit spared", "dice")


def test_a_stuck_player_is_finished_and_others_continue():
    """[6.1, 7.3, D5]"""
    play = PLAIN.new(seats=2, seed=1, deal="2 3 4 1 5 6 7 8 9")
    stick(play.state, 0)
    twin = PLAIN.backend.specialize(rules)
    twin.see_who_can_place(play.state)
    assert (play.state.seat[0].stuck, play.state.seat[1].stuck) == (1, 0)
    assert (play.turn, play.over) == (1, False)
    stick(play.state, 1)
    twin.see_who_can_place(play.state)
    assert play.state.over == rules.EndReason.STUCK
    assert PLAIN.text.end_reason(play.state) == "No card fits any more."
    play.refresh()
    assert play.legal_actions == ()


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_others_play_on_to_their_ninth_card(seat):
    """[6.2, 7.3, D5]"""
    play = PLAIN.new(seats=3, seed=1, deal="2 3 4 1 5 6 7 8 9")
    stick(play.state, seat)
    PLAIN.backend.specialize(rules).see_who_can_place(play.state)
    play.refresh()
    others = [p for p in range(3) if p != seat]
    me, before = play.state.seat[seat], play.array["seat"][0, seat].tobytes()
    for laid in range(1, box.DEALT):
        for p in others:
            assert play.turn == p
            assert [play.state.seat[other].laid for other in others] == [laid, laid]
            assert play.observe(p).determinize(laid).state.seat[seat].choice == rules.NONE
            play.apply(play.legal_actions[0])
        assert play.array["seat"][0, seat].tobytes() == before
    assert [play.state.seat[p].stuck for p in others] == [0, 0]
    assert (me.stuck, play.state.over) == (1, rules.EndReason.LAST_CARD)
    assert PLAIN.text.end_reason(play.state) == "Every card is placed."


def stick(s, seat):
    """Spoil the two upper rows of a start card, and use up the seat's tokens."""
    reader = PLAIN.checked(scenes)
    for cell in ("0,0", "0,1", "1,0", "1,1"):
        put(s, reader, f"rotten at {cell} for seat {seat}")
    s.seat[seat].rotten = box.TOKENS


# --- randomness [2.1], redeals ----------------------------------------------------------------------------


@pytest.mark.parametrize("placed", [0, 3, 5])
@pytest.mark.parametrize("guesses", [500, pytest.param(1500, marks=pytest.mark.exhaustive)])
def test_a_redeal_shuffles_all_places_of_the_deck_evenly(placed, guesses):
    play = PLAIN.new(seed=2)
    for _ in range(placed):
        play.apply(play.legal_actions[0])
    drawn, seen = play.state.drawn, play.observe(0)
    decks = np.array([seen.determinize(seed).array["deck"][0, drawn:] for seed in range(guesses)])
    hidden = play.array["deck"][0, drawn:]
    for place in range(len(hidden)):
        assert chisquare(np.bincount(decks[:, place], minlength=19)[hidden]).pvalue > 1e-5
    rising = (np.diff(decks, axis=1) > 0).sum(axis=0)
    assert (abs(rising - guesses / 2) < 5 * np.sqrt(guesses) / 2).all()


def test_a_redeal_of_2018_never_deals_the_other_side_of_a_card_seen():
    play = PLAIN.new(seed=2, edition="2018")
    for seed in range(50):
        deck = list(play.observe(0).determinize(seed).state.deck)
        assert all(len(set(deck[:9]) & set(pair)) == 1 for pair in box.SIDES.tolist())


@pytest.mark.parametrize("half", ["first", "second"])
def test_a_redeal_of_a_fixed_deal_of_2018_may_deal_every_card(half):
    """[D9, D10, D11]"""
    play = PLAIN.new(seed=2, edition="2018", half=half, deal="1 2 3 4 5 6 7 8 9")
    drawn, seen = play.state.drawn, play.observe(0)
    assert drawn == (3 if half == "first" else 12)
    decks = [list(seen.determinize(seed).state.deck) for seed in range(150)]
    assert all(deck[:drawn] == list(play.state.deck)[:drawn] for deck in decks)
    assert all(sorted(deck) == list(range(1, 19)) for deck in decks)
    assert {deck[drawn] for deck in decks} == {*list(play.state.deck)[drawn:]}


def test_a_redeal_of_the_other_sides_of_2018_knows_the_first_nine():
    """[D10]"""
    play = PLAIN.new(seed=2, edition="2018", half="second")
    seen = play.observe(0)
    for seed in range(20):
        deck = list(seen.determinize(seed).state.deck)
        assert deck[:12] == list(play.state.deck)[:12]
        assert sorted(deck) == list(range(1, 19))


@pytest.mark.compiled
def test_a_redeal_lets_others_choose_evenly_among_their_placements():
    play = FAST.new(seed=2, seats=2)
    play.apply(play.legal_actions[0])
    legal = play.legal_actions
    chosen = Counter(play.observe(1).determinize(seed).state.seat[0].choice for seed in range(40 * len(legal)))
    assert set(chosen) == set(legal)
    assert chisquare([chosen[action] for action in legal]).pvalue > 1e-4


# --- figures of other simulators --------------------------------------------------------------------------


@pytest.mark.parametrize(("bot", "mean", "within"), [("random", 5.1, 0.1), ("greedy", 39.6, 0.2)])
@pytest.mark.compiled
def test_baselines_of_simple_players(bot, mean, within):
    result = almunia.simulate(FAST, 20_000, bots=[bot], seed=0, threads=2)
    assert result["scores"].mean() == pytest.approx(mean, abs=within)
    assert (result["ending"] == rules.EndReason.LAST_CARD).all()
    assert (result["decisions"] >= box.DEALT - 1).all()


def test_effect_texts_are_true():
    play = PLAIN.new(seed=4)
    while not play.over:
        for action in play.legal_actions[::9]:
            before, after = play.score_table()[0, 0], play.copy()
            promised = own_points(PLAIN.text.effect_text(play.state, action))
            after.apply(action)
            if after.phase == rules.Phase.PLACE:
                assert after.score_table()[0, 0] - before == promised
        play.apply(play.legal_actions[len(play.legal_actions) // 2])


# --- the bots' evaluation ------------------------------------------------------------------------------------


SCARCE = ("card 17 at 10,10", "card 4 at 11,10", "card 16 at 10,16", "die apple 6 at 11,10")
FEW_APPLES = (*SCARCE, *(f"die apple 1 at {cell}" for cell in ("0,0", "1,0", "11,16", "11,17")))
HIGH = (*SCARCE[:3], "die apple 3 at 0,0", "die apple 10 at 1,0", "die plum 6 at 0,1", "die pear 10 at 2,0")
HIGH_OF_2018 = (*SCARCE[:3], "die apple 3 at 0,0", "die apple 6 at 1,0", "die plum 6 at 0,1", "die pear 1 at 2,0")


@pytest.mark.parametrize(
    ("edition", "changes"),
    [("2019", FEW_APPLES), ("2019", FEW_APPLES[:-1]), ("2019", HIGH), ("2018", HIGH_OF_2018)],
    ids=["freed", "two left", "high dice", "high dice of 2018"],
)
def test_evaluations_of_bots_are_right_if_dice_are_scarce_or_high(edition, changes):
    """[4.1-4.4, 5.2, 6.4, D2, D3, D9]"""
    play = PLAIN.new(seed=1, edition=edition, deal="2 18 1 3 5 6 7 8 9")
    reader = PLAIN.checked(scenes)
    for change in changes:
        put(play.state, reader, change)
    play.refresh()
    before, some = play.score_table()[0, 0], [play.string_to_action("place 18 at 10,10"), *play.legal_actions[::7]]
    for action, foreseen in zip(some, checks.action_values(play, some), strict=True):
        promised = own_points(PLAIN.text.effect_text(play.state, action))
        after = play.copy()
        after.apply(action)
        while after.phase == rules.Phase.DIE:
            after.apply(after.legal_actions[0])
        assert (promised, foreseen) == (after.score_table()[0, 0] - before, after.score_table()[0, 0])
