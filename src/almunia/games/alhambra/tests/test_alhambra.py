"""Tests of Alhambra. Docstrings cite RULES.md."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare

import almunia
from almunia.core.rich_text import own_points, plain_text
from almunia.games.alhambra import components as box, observe, rules
from almunia.games.alhambra.components import schema
from almunia.games.alhambra.rules import scoring, setting_up, state
from almunia.games.alhambra.tests import scenes
from almunia.games.alhambra.tests.positions import steps
from almunia.games.alhambra.text import words
from almunia.scenario import put

PLAIN = almunia.game("alhambra", "plain")
FAST = almunia.game("alhambra")


# --- the box [1] -----------------------------------------------------------------------------------


def test_no_alhambra_is_too_long_for_the_grid():
    """[D16]"""
    tiles = box.DATA["tile"]
    assert schema.longest_reach(tiles, "NS") == schema.longest_reach(tiles, "EW") == box.SIDE - 2


def test_numbers_of_tiles_and_cards_are_right():
    """[1.1, 1.2, 10.2, 10.3]"""
    assert [int((kind == box.KIND).sum()) for kind in box.Kind] == [7, 7, 9, 9, 11, 11]
    assert box.PRICE.sum() == 421
    assert box.WALL.sum(axis=0).tolist() == [20, 20, 20, 20]
    assert box.WALL.sum(axis=1).max() == 3
    assert (box.WALL[: box.TILES].sum(axis=1) == 0).sum() == 10
    assert not box.WALL[box.FOUNTAIN].any()
    assert (box.MONEY, box.CARDS * box.COPIES_FOR_TWO) == (108, 72)
    assert box.POINTS[:, :, 0].tolist() == [[1, 2, 3, 4, 5, 6], [8, 9, 10, 11, 12, 13], [16, 17, 18, 19, 20, 21]]
    assert box.POINTS[2, 5].tolist() == [21, 13, 6]


def test_names_of_tiles_are_different():
    assert len({words.tile_name(tile) for tile in range(box.TILES)}) == box.TILES
    assert all(words.cell_at(words.spot(cell)) == cell for cell in range(1, box.CELLS))


def test_sets_of_tiles_are_read_bit_by_bit():
    assert [state.lowest(state.bit(tile)) for tile in range(box.TILES + 1)] == list(range(box.TILES + 1))
    assert state.size(state.bit(box.TILES) - 1) == box.TILES


# --- setting up [2, 12.1, 12.2] -----------------------------------------------------------------------


@pytest.mark.parametrize("seats", range(2, 7))
def test_everything_is_laid_out(seats):
    """[2.1-2.6, 12.1, 12.2]"""
    sums = set()
    for seed in range(20):
        play = PLAIN.new(seats=seats, seed=seed)
        s = play.state
        assert not scenes.broken(s)
        assert s.bag_size == box.TILES - box.MARKET - (6 if seats == 2 else 0)
        assert len(list(words.members(s.dirk))) == (6 if seats == 2 else 0)
        for p in range(seats):
            values = [card % box.VALUES + 1 for card in words.cards_of(s.seat[p])]
            assert 20 <= sum(values) <= 28
            assert sum(values) - max(values) < 20
            sums.add(sum(values))
        assert len(words.on_display(s)) == box.DISPLAY
        assert (s.turn, play.turns, play.reveals) == (s.first, 0, 0)
    assert 20 in sums


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 3])
def test_every_tile_and_card_comes_to_every_place(seats):
    """[2.2, 2.3, 12.1]"""
    starts = [FAST.new(seats=seats, seed=seed) for seed in range(1500)]
    market = np.array([play.array["market"][0] for play in starts])
    for square in range(box.MARKET):
        assert chisquare(np.bincount(market[:, square], minlength=box.TILES)).pvalue > 1e-5
    deck = np.array([play.array["deck"][0, 0] for play in starts])
    assert chisquare(np.bincount(deck, minlength=box.CARDS)).pvalue > 1e-5
    dealt = (np.array([play.array["seat"]["hand"][0, 0] for play in starts]) > 0).mean(axis=0)
    assert ((dealt > 0.05) & (dealt < 0.4)).all()


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("deals", [120, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_scoring_cards_lie_in_the_second_and_the_fourth_pile(seats, deals):
    """[2.6, D2]"""
    places = {0: [], 1: []}
    for seed in range(deals):
        s = PLAIN.new(seats=seats, seed=seed).state
        deck = [s.deck[i] for i in range(s.deck_size)][::-1]
        for card in (0, 1):
            at = deck.index(state.SCORING + card)
            start, stop = setting_up.pile_span(s, card)
            assert start <= at < stop
            places[card].append((at - start) / (stop - 1 - start))
            money = len(deck) - 2
            piles = [money // 5 + (number < money % 5) for number in range(5)]
            above = sum(piles[: 2 * card + 1])
            assert (start, stop) == (above + card, above + card + piles[2 * card + 1] + 1)
    for found in places.values():
        assert abs(np.mean(found) - 0.5) < 0.12
        assert (min(found), max(found)) == (0, 1)


def test_the_new_deck_is_shuffled():
    """[9.2, D12]"""
    reader = PLAIN.checked(scenes)
    drawn = Counter()
    for seed in range(40):
        play = PLAIN.new(seats=3, seed=seed)
        for change in ("open: florin 9", "deck:", "discard: " + ", ".join(f"denar {value}" for value in range(1, 10))):
            put(play.state, reader, change)
        play.refresh()
        for said in ("take florin 9", "end the turn"):
            play.apply(play.string_to_action(said))
        assert play.state.deck_size == 5
        drawn.update(words.on_display(play.state))
    assert len(drawn) == 9
    assert 5 <= min(drawn.values()) <= max(drawn.values()) <= 30  # four of nine are drawn each time


@pytest.mark.parametrize(("seats", "equal"), [(3, {1, 2}), (3, {0, 1, 2}), (6, {0, 2, 3, 5})])
def test_ties_for_the_start_player_are_random(seats, equal):
    """[2.4, D1]"""
    s = PLAIN.new(seats=seats, seed=1).state
    for p in range(seats):
        scenes.put(s, f"hand/{p}: " + ("florin 9, florin 9, florin 2" if p in equal else "denar 9, denar 9, denar 3"))
    opener = PLAIN.backend.specialize(setting_up)
    chosen = Counter(opener.starting_player(s) for _ in range(600))
    assert set(chosen) == equal
    assert chisquare(list(chosen.values())).pvalue > 1e-4


# --- what is hidden [2.3, D8] ---------------------------------------------------------------------------


def positions(play, count, seed=1):
    """Yield the play after every `count` random actions, and at its end."""
    rng = Random(seed)
    while not play.over:
        for _ in range(count):
            if not play.over:
                play.apply(rng.choice(play.legal_actions))
        yield play


@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_observations_show_hands_as_the_memory_option_allows(memory):
    """[D8]"""
    for play in positions(PLAIN.new(seats=3, seed=2, memory=memory), 60):
        for reader in (-1, 0, 1):
            seen = play.observe(reader).state
            for p in range(3):
                known = p == reader or memory == "perfect"
                hand = words.cards_of(play.state.seat[p])
                assert words.cards_of(seen.seat[p]) == (hand if known else [])
                assert seen.seat[p].cards == len(hand)


@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_tensors_equal_the_observed_state(memory):
    """[D8]"""
    for play in positions(PLAIN.new(seats=4, seed=6, memory=memory), 25):
        s = play.state
        for reader in range(4):
            parts = play.observe(reader).parts()
            order = [(reader + i) % 4 for i in range(4)]
            for i, p in enumerate(order):
                known = p == reader or memory == "perfect"
                held = np.array([s.seat[p].hand[card] if known else 0 for card in range(box.CARDS)])
                assert parts["money"][i] == pytest.approx(held / 3)
                worth = held @ (np.arange(box.CARDS) % box.VALUES + 1)
                assert parts["hands"][i] == pytest.approx([s.seat[p].cards / 10, worth / 100])
                assert parts["counts"][i] == pytest.approx([scoring.count(s, p, kind) / 11 for kind in box.Kind])
                assert parts["walls"][i] == pytest.approx(scoring.longest_wall(s.seat[p]) / 20)
                for place, tiles in ((observe.BUILT, s.seat[p].built), (observe.RESERVED, s.seat[p].reserve)):
                    assert np.flatnonzero(parts["tiles"][:, place + i]).tolist() == [*words.members(tiles)]
            assert parts["points"] == pytest.approx([play.score_table()[p, 0] / 100 for p in order] + [0, 0])
            assert parts["turn"].argmax() == order.index(play.turn)
            assert parts["question"].argmax() == play.phase
            assert parts["tiles"].sum() == box.TILES - (s.cell._array >= 0).sum() + (parts["cells"] != 0).any(1).sum()
            assert parts["alhambra"][0].sum() == 1 + len([*words.members(s.seat[reader].built)])
            assert parts["alhambra"][0, observe.MIDDLE, observe.MIDDLE] == 1
            for tile in words.members(s.seat[reader].built):
                row, column = (observe.MIDDLE + state.offset(line) for line in divmod(s.cell[tile], box.SIDE))
                assert parts["alhambra"][:, row, column].tolist() == [1, *box.WALL[tile].tolist()]
            stock = [s.deck_size / 110, s.deck_at_first / 110, s.bag_size / 54, s.scoring_cards / 2]
            assert parts["stock"] == pytest.approx([*stock, play.turns / 400, s.final])


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_determinizations_keep_known_information(memory, seats):
    """[12.1, D2, D8]"""
    for play in positions(PLAIN.new(seats=seats, seed=4, memory=memory), 40):
        for reader in (-1, play.turn, (play.turn + 1) % seats):
            s = play.observe(reader).determinize(7).state
            assert not scenes.broken(s)
            assert {*words.members(observe.tiles_in_bag(s))} == {s.bag[i] for i in range(s.bag_size)}
            drawn = s.deck_at_first - s.deck_size
            for card in range(s.scoring_cards, state.SCORING_CARDS):
                at = [s.deck[i] for i in range(s.deck_size)][::-1].index(state.SCORING + card) + drawn
                start, stop = setting_up.pile_span(s, card)
                assert max(start, drawn) <= at < stop


def test_placed_tiles_are_never_determinized_into_the_bag():
    """[8.1, 11.2, D8]"""
    for name in ("exact_payments", "short_bag", "dirk"):
        for _, play in steps(name):
            s = play.state
            seats = [list(s.seat)[p] for p in range(play.seats)]
            placed = [s.bought, s.dirk, *(sum((me.built, me.reserve, me.leftover)) for me in seats)]
            placed += [state.bit(tile) for tile in s.market if tile != state.EMPTY]
            assert not observe.tiles_in_bag(s) & sum(placed)


@pytest.mark.compiled
def test_determinizations_deal_unseen_cards_evenly_to_hands():
    """[D8]"""
    play = FAST.new(seats=3, seed=5)
    seen = play.observe(0)
    other = play.state.seat[1].cards
    dealt = np.sum([seen.determinize(seed).array["seat"]["hand"][0, 1] for seed in range(2000)], axis=0)
    left = box.COPIES - play.array["seat"]["hand"][0, 0].astype(int)
    for card in words.on_display(play.state):
        left[card] -= 1
    expected = 2000 * other * left / left.sum()
    assert dealt.sum() == 2000 * other
    assert chisquare(dealt[left > 0], expected[left > 0]).pvalue > 1e-4


@pytest.mark.compiled
def test_a_redeal_shuffles_bag_and_deck_evenly():
    play = FAST.new(seats=2, seed=5)
    redealt = [play.observe(0).determinize(seed) for seed in range(1500)]
    size = play.state.bag_size
    bags, left = np.array([other.array["bag"][0, :size] for other in redealt]), play.array["bag"][0, :size]
    for place in (0, size // 2, size - 1):
        assert chisquare(np.bincount(bags[:, place], minlength=box.TILES)[left]).pvalue > 1e-5
    decks = np.array([other.array["deck"][0, : play.state.deck_size][::-1] for other in redealt])
    for pile in range(2):
        found = (decks == state.SCORING + pile)[:, slice(*setting_up.pile_span(play.state, pile))].sum(axis=0)
        assert found.sum() == len(decks)
        assert chisquare(found).pvalue > 1e-5


@pytest.mark.compiled
def test_determinized_scoring_cards_are_anywhere_in_the_rest_of_their_pile():
    """[2.6, D2, D8]"""
    play, rng = FAST.new(seats=3, seed=3), Random(3)
    start, stop = setting_up.pile_span(play.state, 0)
    while play.state.deck_at_first - play.state.deck_size < start + 5:
        play.apply(rng.choice(play.legal_actions))
    assert play.state.scoring_cards == 0
    seen, drawn = play.observe(0), play.state.deck_at_first - play.state.deck_size
    found = Counter()
    for seed in range(1500):
        s = seen.determinize(seed).state
        found[[s.deck[i] for i in range(s.deck_size)][::-1].index(state.SCORING)] += 1
    assert set(found) == set(range(stop - drawn))
    assert chisquare(list(found.values())).pvalue > 1e-4


def test_determinizations_keep_the_paying_seat_able_to_pay():
    """[D8]"""
    play = PLAIN.new(seats=3, seed=3)
    reader = PLAIN.checked(scenes)
    for change in ("s.turn: 0", "hand/0: florin 1, florin 1, florin 1, florin 3, florin 4"):
        put(play.state, reader, change)
    for change in ("hand/1: denar 1", "hand/2: denar 2", "open: ducat 1, ducat 2, ducat 3, ducat 4"):
        put(play.state, reader, change)
    put(play.state, reader, "market: garden 10 N, tower 13 E, tower 12 open, tower 11 open")
    play.refresh()
    for said in ("buy garden 10 N", "pay florin 4", "pay florin 3", "pay florin 1", "pay florin 1"):
        play.apply(play.string_to_action(said))
        for seed in range(40):
            other = play.observe(1).determinize(seed)
            assert other.legal_actions


@pytest.mark.compiled
def test_a_redeal_for_the_seat_that_is_paying_is_even():
    """[D8]"""
    play = FAST.new(seats=3, seed=3)
    reader = PLAIN.checked(scenes)
    paid = [name for name in scenes.CARD if not name.startswith("scoring") for _ in range(box.COPIES)]
    for name in ("florin 2", "florin 3", "florin 4", "denar 1", "denar 5", "ducat 9"):
        paid.remove(name)
    for change in ("s.turn: 0", "hand/0: florin 2, florin 3", "hand/1: ducat 9", "hand/2: denar 5", "open:"):
        put(play.state, reader, change)
    for change in ("deck: florin 4, denar 1", f"discard: {', '.join(paid)}", "market: pavilion 5 NW"):
        put(play.state, reader, change)
    play.array["scoring_cards"] = state.SCORING_CARDS
    play.refresh()
    play.apply(play.string_to_action("buy pavilion 5 NW"))
    seen = play.observe(1)
    dealt = Counter(hidden_cards(seen.determinize(seed)) for seed in range(3600))
    assert len(dealt) == 3 * 3 * 2
    assert chisquare(list(dealt.values())).pvalue > 1e-4
    play.apply(play.string_to_action("pay florin 3"))
    # A 4 must be paid before the 3.
    seen = play.observe(1)
    assert {hidden_cards(seen.determinize(seed))[0] for seed in range(50)} == {(scenes.CARD["florin 2"],)}


def paying(spoken, unseen, *changes):
    """Return what seat 1 of 3 observes while seat 0 pays. All money but the cards in `unseen` has been paid."""
    play = FAST.new(seats=3, seed=3)
    reader = PLAIN.checked(scenes)
    paid = [name for name in scenes.CARD if not name.startswith("scoring") for _ in range(box.COPIES)]
    for name in unseen:
        paid.remove(name)
    for change in ("s.turn: 0", "hand/1:", "open:", f"discard: {', '.join(paid)}", *changes):
        put(play.state, reader, change)
    play.array["scoring_cards"] = state.SCORING_CARDS
    play.refresh()
    for words_of in spoken:
        play.apply(play.string_to_action(words_of))
    return play.observe(1)


@pytest.mark.compiled
def test_determinizations_for_a_paying_seat_include_equal_cards():
    """[D3, D8]"""
    unseen = ("florin 2", "florin 1", "denar 1", "denar 5", "ducat 9")
    hands = "hand/0: florin 2, florin 2, denar 5", "hand/2: denar 1", "deck: florin 1, ducat 9"
    spoken = "buy pavilion 4 ES", "pay florin 2"
    seen = paying(spoken, ("florin 2", *unseen), *hands, "market: pavilion 4 ES")
    dealt = Counter(hidden_cards(seen.determinize(seed))[0] for seed in range(1200))
    assert set(dealt) == {tuple(sorted((scenes.CARD["florin 2"], scenes.CARD[name]))) for name in unseen[1:]}
    assert chisquare(list(dealt.values())).pvalue > 1e-4


@pytest.mark.compiled
def test_determinized_hands_of_a_paying_seat_are_drawn_evenly():
    """[D8]"""
    unseen = ("florin 2", "florin 3", "denar 1", "denar 5")
    hands = "hand/0: florin 2, denar 1", "hand/2:", "deck: florin 3, denar 5"
    seen = paying(("buy pavilion 2 NEW",), unseen, *hands, "market: pavilion 2 NEW")
    dealt = Counter(hidden_cards(seen.determinize(seed))[0] for seed in range(12_000))
    assert len(dealt) == 5
    assert chisquare(list(dealt.values())).pvalue > 1e-4


def hidden_cards(play):
    s = play.state
    hands = (tuple(words.cards_of(s.seat[p])) for p in (0, 2))
    return (*hands, *(s.deck[i] for i in range(s.deck_size)))


@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_all_viewers_may_see_actions(memory):
    """[D8]"""
    play = PLAIN.new(seats=3, seed=2, memory=memory)
    for reader in (-1, 0, 1, 2):
        assert PLAIN.may_see(play.state, reader)
        assert PLAIN.may_see(play.observe(reader).state, reader)


# --- a turn can be undone [D15] --------------------------------------------------------------------------


def test_a_turn_can_be_undone_until_it_ends():
    """[D15, 3.1, 9.1]"""
    for seed in range(6):
        play = PLAIN.new(seats=2 + seed % 5, seed=seed)
        start, done = play.to_state(), 0
        for _ in range(200):
            if play.over:
                break
            phase, seat, reveals = play.phase, play.turn, play.reveals
            play.apply(play.legal_actions[(7 * done + seed) % len(play.legal_actions)])
            done += 1
            if phase in (state.Phase.END, state.Phase.SCORE):
                assert phase == state.Phase.SCORE or not play.can_undo
                start, done = play.to_state(), 0
            else:
                assert (play.turn, play.reveals) == (seat, reveals)
                twin = play.copy()
                for _ in range(done):
                    twin.undo()
                assert twin.to_state() == start


def test_phases_with_one_action_are_separate_steps():
    """[D15]"""
    play = PLAIN.new(seats=3, seed=1)
    for now in positions(play, 1):
        if now.phase in (state.Phase.END, state.Phase.SCORE) and not now.over:
            assert len(now.legal_actions) == 1


def test_every_reveal_is_counted():
    """[9.1, 9.3, 11.2, 12.4, 12.5]"""
    counted = {"filling_up": [3], "first_scoring": [2, 0], "the_end": [1, 0, 0], "dirk": [3, 6, 2, 2]}
    for name, wanted in counted.items():
        assert list(reveals_in(name)) == wanted


def reveals_in(name):
    """Yield the reveals of each action that ends a turn or scores. Check that other actions have none."""
    before = 0
    for said, play in steps(name):
        new, before = play.reveals - before, play.reveals
        if said in ("end the turn", "score"):
            yield new
        else:
            assert new == 0


# --- ends ----------------------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("seats", range(2, 7))
def test_random_plays_end(seats):
    """[11.1, D5]"""
    result = almunia.simulate(FAST, 300, seats=seats, bots=["random"] * seats, seed=3)
    endings = Counter(result["ending"].tolist())
    assert sum(endings.values()) == 300
    assert set(endings) <= {int(over) for over in state.EndReason}
    assert endings[state.EndReason.MARKET_SHORT] > 150


@pytest.mark.compiled
def test_the_greedy_bot_beats_the_random_one():
    result = almunia.simulate(FAST, 100, seats=2, bots=["greedy", "random"], seed=1)
    assert (result["ranks"][:, 0] == 1).mean() >= 0.99


def test_dirk_never_ranks():
    """[12.3, D14]"""
    play = PLAIN.new(seats=2, seed=1)
    for now in positions(play, 50):
        assert len(now.ranks()) == 2
    assert sum(play.state.dirk_earned) > 0
    assert "Dirk has" in PLAIN.text.result_lines(play.state, 0)[-1]


def test_effect_texts_are_true():
    """[10.6, 5.3]"""
    text = PLAIN.text
    checked = Counter()
    for play in positions(PLAIN.new(seats=3, seed=4), 9):
        for action in play.legal_actions[::3]:
            effect = text.effect_text(play.state, action)
            said, after = plain_text(effect), play.copy()
            after.apply(action)
            if "if scored now: wall" in said:
                worth = [sum(words.worth_now(position.state, play.turn)) for position in (play, after)]
                assert worth[1] - worth[0] == own_points(effect)
                checked["wall"] += 1
            if said.startswith("exact,"):
                assert after.phase == state.Phase.ACT
                checked["exact"] += 1
            if "and you get no other action" in said:
                assert after.phase != state.Phase.ACT
                checked["end"] += 1
    assert min(checked[said] for said in ("wall", "exact", "end")) > 0


def test_a_card_that_excludes_others_names_them():
    """[D3]"""
    play = PLAIN.new(seats=2, seed=7)
    said = {
        play.action_to_string(action): plain_text(PLAIN.text.effect_text(play.state, action))
        for action in play.legal_actions
    }
    assert said["take ducat 2"].endswith("if you also want dirham 2 and denar 1, take them first")
    assert "before" not in said["take dirham 2"]
    play.apply(play.string_to_action("take denar 1"))
    assert "take dirham 2" not in map(play.action_to_string, play.legal_actions)


def test_scores_are_the_points_of_all_rounds():
    """[11.6]"""
    assert rules.SCORES == ("points",)
    play = PLAIN.new(seats=5, seed=8)
    for now in positions(play, 100):
        earned = now.array["seat"]["earned"][0, :5].reshape(5, -1).sum(axis=1)
        assert (now.score_table()[:, 0] == earned).all()
