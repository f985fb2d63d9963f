"""Tests of Oregon. Docstrings cite RULES.md."""

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.stats import chisquare, hypergeom

import almunia
from almunia.core.english import signed
from almunia.core.rich_text import own_points, plain_text
from almunia.games.oregon import components as box
from almunia.games.oregon.components import Deck, Sort, Terrain
from almunia.games.oregon.rules import phases as rules
from almunia.games.oregon.tests import scenes
from almunia.games.oregon.text import position, words
from almunia.scenario import put

PLAIN = almunia.game("oregon", "plain")
FAST = almunia.game("oregon")
READER = PLAIN.checked(scenes)


def begun(*changes, seats=2, seed=1, game=PLAIN, **things):
    """Return a play after the first round, with changes such as `hand_0="wagon church ..."` in the words of scenes."""
    play = game.new(seats, seed)
    for change in ("turn 0", *changes):
        put(play.state, READER, change)
    for what, said in things.items():
        name, _, seat = what.partition("_")
        change = f"{name} {seat}: {said}" if name == "hand" else f"{name} {seat} {said}".replace("  ", " ")
        put(play.state, READER, change)
    play.refresh()
    return play


def do(play, *words):
    for said in words:
        play.apply(play.string_to_action(said))


# --- the data [1] ----------------------------------------------------------------------------------


def test_the_counts_are_those_of_the_sheet():
    """[1.1-1.6]"""
    assert (box.COLUMNS, box.ROWS, len(box.TOP) * len(box.LEFT)) == (15, 10, 25)
    assert sorted(box.TOP) == sorted(box.LEFT) == list(range(5))
    assert box.CARDS.tolist() == [10] * 5 + [3] * 7
    assert box.IN_DECK.tolist() == [50, 21]
    assert box.STOCK.tolist() == [4] * 7
    assert box.START_TILES.tolist() == [1] * 7
    assert box.WORTH.tolist() == [[1, 2, 3], [3, 4, 5]]
    assert box.TILES.tolist() == [21, 21]
    assert (box.FARMERS, box.HAND, box.DEALT.tolist()) == (14, 4, [3, 1])
    assert box.EXHAUSTED.tolist()[2:] == [2, 3, 4]


def test_the_map_keeps_to_what_is_documented():
    """[1.2, D25]"""
    assert np.bincount(box.TERRAIN).tolist() == [90, 27, 22, 11]
    pairs = {(a, b): box.LENGTH[box.ROW[a, b]] for a, b in combinations_with_replacement(range(5), 2)}
    names = {tuple(sorted((box.SYMBOLS[a], box.SYMBOLS[b]))) for (a, b), count in pairs.items() if count == 11}
    assert names == {("settler", "wagon"), ("bison", "eagle")}
    assert all(count == 6 if a == b else count in (12, 11, 10, 9) for (a, b), count in pairs.items())
    assert (box.LENGTH[box.PLACED != box.FARMER] > 0).all()


# --- randomness [2] --------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [560, pytest.param(1400, marks=pytest.mark.exhaustive)])
def test_start_tiles_are_drawn_evenly(deals):
    """[1.4, 2.5]"""
    states = [PLAIN.new(4, seed).array[0] for seed in range(deals)]
    tiles = [tuple(state["seat"]["start"].tolist()) for state in states]
    assert all(len(set(four)) == 4 for four in tiles)
    for seat in range(4):
        drawn = Counter(four[seat] for four in tiles)
        assert chisquare([drawn[building] for building in range(box.BUILDINGS)]).pvalue > 1e-4


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("deals", [300, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_every_seat_begins_as_often(seats, deals):
    """[3.1, D3]"""
    begun = Counter(PLAIN.new(seats, seed).turn for seed in range(deals))
    assert chisquare([begun[seat] for seat in range(seats)]).pvalue > 1e-4


@pytest.mark.parametrize("deals", [400, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_the_first_hands_are_drawn_evenly(deals):
    """[2.2]"""
    hands = sum(PLAIN.new(4, seed).array["seat"]["hand"][0].astype(int) for seed in range(deals))
    assert (hands[:, :5].sum(axis=1) == 3 * deals).all()
    assert chisquare(hands[:, :5].sum(axis=0)).pvalue > 1e-4
    assert chisquare(hands[:, 5:].sum(axis=0)).pvalue > 1e-4


@pytest.mark.parametrize(("mine", "sort", "values"), [("gold", Sort.GOLD, (3, 4, 5)), ("coal", Sort.COAL, (1, 2, 3))])
@pytest.mark.parametrize("deals", [300, pytest.param(900, marks=pytest.mark.exhaustive)])
def test_tiles_are_drawn_evenly(mine, sort, values, deals):
    """[1.5, 2.3, 8.5]"""
    drawn = Counter()
    for seed in range(deals):
        play = begun(seed=seed, hand_0="eagle eagle bison church", building=f"{mine}-mine at k3")
        do(play, "play eagle", "play eagle", "place at j3")
        drawn[tuple(words.values(play.state, 0, sort))] += 1
    assert chisquare([drawn[value,] for value in values]).pvalue > 1e-4
    assert sum(drawn[value,] for value in values) == deals


# --- hidden information, and determinizations [D20, D21] -----------------------------------------------


def test_hands_and_tiles_are_hidden_until_the_end():
    """[8.5, 13.4, D20]"""
    play = begun(tile_0="gold 5", hand_0="eagle eagle bison church")
    for reader in (1, -1):
        seen = play.observe(reader).state
        assert sum(seen.seat[0].hand) == sum(seen.seat[0].drawn) == 0
        assert list(seen.seat[0].cards) == [3, 1]
        assert [list(row) for row in seen.seat[0].faces] == [[0, 0, 0]] * 2
        assert list(seen.seat[0].tiles) == [0, 1]
    own = play.observe(0).state
    assert position.hand_of(own, 0) == ["bison", "eagle", "eagle", "church"]
    assert words.values(own, 0, Sort.GOLD) == [5]
    assert play.score_table()[0, 0] == 0  # [D23]


@pytest.mark.parametrize("guesses", [1000, pytest.param(3000, marks=pytest.mark.exhaustive)])
def test_a_redeal_deals_hands_evenly(guesses):
    play = begun(hand_0="wagon wagon bison church", hand_1="eagle eagle bison church")
    seen = play.observe(0)
    wagons = Counter(int(seen.determinize(seed).state.seat[1].hand[1]) for seed in range(guesses))
    chances = hypergeom(47, 8, 3).pmf(range(4)) * guesses
    assert chisquare([wagons[i] for i in range(3)] + [wagons[3]], chances).pvalue > 1e-4


@pytest.mark.parametrize("guesses", [760, pytest.param(1900, marks=pytest.mark.exhaustive)])
def test_a_redeal_deals_tiles_evenly(guesses):
    play = begun(tile_1="gold 5")
    put(play.state, READER, "tile 0 gold 3")
    put(play.state, READER, "tile 0 gold 3")
    seen = play.observe(0)
    drawn = Counter(words.values(seen.determinize(seed).state, 1, Sort.GOLD)[0] for seed in range(guesses))
    assert chisquare([drawn[3], drawn[4], drawn[5]], np.array([5, 7, 7]) / 19 * guesses).pvalue > 1e-4


def test_determinized_tiles_do_not_exceed_the_supply():
    play = begun(seats=3)
    put(play.state, READER, "tile 0 gold 3")
    for seat, value, times in ((1, 3, 6), (1, 4, 5), (2, 4, 2), (2, 5, 7)):
        for _ in range(times):
            put(play.state, READER, f"tile {seat} gold {value}")
    held = Counter()
    for seed in range(200):
        guess = play.observe(0).determinize(seed).state
        assert not READER.broken_tiles(guess)
        gold = [words.values(guess, p, Sort.GOLD) for p in range(3)]
        assert [len(values) for values in gold] == [1, 11, 9]
        assert Counter(gold[1] + gold[2]) == {3: 6, 4: 7, 5: 7}
        held += Counter(gold[1])
    assert chisquare([held[3], held[4], held[5]], [200 * 11 * n / 20 for n in (6, 7, 7)]).pvalue > 1e-4


@pytest.mark.compiled
def test_two_determinized_tiles_are_drawn_without_replacement():
    play = begun(game=FAST)
    for value in (3, 5):
        put(play.state, READER, f"tile 1 gold {value}")
    seen = play.observe(0)
    pairs = Counter(tuple(words.values(seen.determinize(seed).state, 1, Sort.GOLD)) for seed in range(8400))
    chances = [8400 * (21 if one == two else 49) / 210 for one, two in combinations_with_replacement((3, 4, 5), 2)]
    found = [pairs[pair] for pair in combinations_with_replacement((3, 4, 5), 2)]
    assert chisquare(found, chances).pvalue > 1e-4


def test_discarded_cards_are_in_no_determinized_hand():
    play = begun(hand_0="wagon bison bison church", hand_1="eagle eagle settler church")
    put(play.state, READER, "discards landscape: " + "wagon " * 9)
    play.refresh()
    for reader, wagons in ((0, 0), (1, 1)):
        seen = play.observe(reader)
        guesses = [seen.determinize(seed).state for seed in range(60)]
        assert not any(READER.broken(guess) for guess in guesses)
        held = {int(guess.seat[1 - reader].hand[scenes.NAMES["wagon"]]) for guess in guesses}
        assert held == set(range(wagons + 1))


GONE = "post-office post-office post-office harbor harbor harbor coal-mine coal-mine coal-mine gold-mine gold-mine"
GONE += " warehouse warehouse warehouse train-station train-station train-station gold-mine"


def after_a_reshuffle():
    """Return a play after a shuffle of building discards without a church, with two churches in the hand of seat 1."""
    play = begun("s.seat[0].extra: 0", hand_1="wagon settler church church", hand_0="eagle settler eagle church")
    put(play.state, READER, f"discards building: {GONE}")
    play.refresh()
    do(play, "play settler", "play eagle", "place at k5", "draw a building card")
    return play


def test_cards_kept_in_hands_are_not_in_a_reshuffled_deck():
    """[12.4, D17, D21]"""
    play = after_a_reshuffle()
    assert play.state.seat[1].hand[scenes.NAMES["church"]] == 2
    for reader in (0, 1):
        seen = play.observe(reader)
        for seed in range(40):
            guess = seen.determinize(seed).state
            assert in_decks(guess)[scenes.NAMES["church"]] == 0
            assert not READER.broken(guess)
    assert {in_other_hand(play.observe(0).determinize(seed).state) for seed in range(20)} == {2}
    watched = Counter(in_other_hand(play.observe().determinize(seed).state) for seed in range(200))
    assert set(watched) == {1, 2}  # a spectator knows of three churches in four places


def test_cards_drawn_since_the_shuffle_are_not_in_the_deck():
    """[D21]"""
    play = begun(hand_0="wagon bison eagle church", hand_1="eagle settler church church")
    church = scenes.NAMES["church"]
    play.state.shuffled[church] = 1
    play.state.seat[1].drawn[church] = 0
    play.refresh()
    assert not READER.broken(play.state)
    assert {in_other_hand(play.observe(0).determinize(seed).state) for seed in range(40)} == {2}
    assert {in_other_hand(play.observe().determinize(seed).state) for seed in range(80)} == {1, 2}


def in_other_hand(s):
    return int(s.seat[1].hand[scenes.NAMES["church"]])


def in_decks(s):
    held = [sum(s.seat[p].hand[kind] for p in range(s.seats)) for kind in range(box.KINDS)]
    return [int(box.CARDS[kind]) - s.discard[kind] - held[kind] for kind in range(box.KINDS)]


def test_own_cards_are_remembered_after_they_are_played():
    """[D21]"""
    play = begun(hand_0="wagon wagon eagle church")
    do(play, "play wagon", "play wagon", "place at a10", "draw a landscape card")
    drawn = play.state.seat[0].drawn
    assert drawn[scenes.NAMES["wagon"]] >= 2
    assert sum(drawn[kind] for kind in words.kinds_of(Deck.LANDSCAPE)) == 4


@pytest.mark.compiled
def test_determinized_hands_are_right_on_average():
    true, guessed = np.zeros(box.KINDS), np.zeros(box.KINDS)
    for seed in range(400):
        play = FAST.new(3, seed)
        rng = np.random.default_rng(seed)
        for _ in range(90):
            play.apply(int(rng.choice(play.legal_actions)))
        reader = seed % 3
        seen = play.observe(reader)
        true += 4 * held_by_others(play, reader)
        for number in range(4):
            guessed += held_by_others(seen.determinize(4 * seed + number), reader)
    assert (abs(true - guessed) < 5 * np.sqrt(4 * true)).all()


def held_by_others(play, reader):
    hands = play.array["seat"]["hand"][0].astype(int)
    return hands.sum(axis=0) - hands[reader]


# --- decisions ---------------------------------------------------------------------------------------


def test_repeated_exchanges_end():
    """[12.3, D15, D16]"""
    longest = 0
    for seed in range(60):
        play = begun("s.seat[0].extra: 0", seed=seed, hand_1="wagon gold-mine gold-mine gold-mine")
        for name in ("post-office", "harbor", "church", "coal-mine", "warehouse", "train-station"):
            put(play.state, READER, f"stock {name} 0")
        put(play.state, READER, "hand 0: eagle settler eagle church")
        play.refresh()
        do(play, "play settler", "play eagle", "place at k5")
        count = 0
        while swaps := [action for action in play.legal_actions if rules.SWAP <= action < rules.END]:
            play.apply(swaps[0])
            count += 1
        assert count >= 1
        longest = max(longest, count)
    assert longest <= 21


def test_a_turn_can_be_undone_until_a_reveal():
    """[D22]"""
    play = begun(hand_0="eagle eagle bison church", building="gold-mine at k3")
    before = play.to_state()
    do(play, "play church", "play bison", "place at h7", "use the extra turn", "play eagle", "play eagle")
    for _ in range(6):
        play.undo()
    assert play.to_state() == before
    do(play, "play church", "play bison", "place at h7", "use the extra turn", "play eagle", "play eagle")
    do(play, "place at j3")
    assert not play.can_undo
    do(play, "draw a landscape card")
    assert not play.can_undo


def test_a_full_hand_still_ends_its_turn_by_a_decision():
    """[12.5, D22]"""
    play = begun("s.seat[0].extra: 0", hand_0="eagle eagle bison church")
    do(play, "play eagle", "play eagle", "place at j3", "draw a landscape card", "draw a landscape card")
    assert [play.action_to_string(action) for action in play.legal_actions] == ["end the turn"]
    do(play, "end the turn")
    assert (play.turn, play.turns) == (1, 1)


def test_played_cards_are_revealed_at_the_placement():
    """[D5]"""
    play = begun(hand_0="eagle eagle bison church")
    before = play.observe(1).to_state()
    for said in ("play eagle", "play bison"):
        assert not PLAIN.may_see(play.state, 1)
        do(play, said)
        assert play.observe(1).to_state() == before
    assert not PLAIN.may_see(play.state, 1)
    old = play.observe(1)
    do(play, "place at j7")
    told = text_of(PLAIN.text.log_lines(old.state, -1, play.observe(1).state))
    assert told == ["<0> places a farmer at j7 with the bison and the eagle."]
    assert PLAIN.may_see(play.state, 1)  # the choice between extra turn and decks is public


def test_only_cards_and_spaces_are_chosen_in_secret():
    """[3.1, 11.1, 12.1, D5, D20]"""
    seen = Counter()
    for seed in range(3):
        play, rng = PLAIN.new(2, seed), np.random.default_rng(seed)
        while not play.over:
            phase, reader = rules.Phase(play.phase), 1 - play.turn
            hidden = phase in (rules.Phase.FIRST, rules.Phase.SECOND, rules.Phase.SPACE)
            assert [PLAIN.may_see(play.state, seat) for seat in (play.turn, reader, -1)] == [
                True,
                not hidden,
                not hidden,
            ]
            seen[phase] += 1
            play.apply(int(rng.choice(play.legal_actions)))
    assert set(seen) == set(rules.Phase)


def test_the_log_reports_the_deck_of_drawn_cards():
    """[12.1, D14, D20]"""
    play = begun("s.seat[0].extra: 0", hand_0="eagle eagle bison church")
    do(play, "play eagle", "play eagle", "place at j3")
    assert play.phase == rules.Phase.DRAW
    action, old = play.string_to_action("draw a building card"), [play.observe(reader) for reader in (1, -1)]
    play.apply(action)
    for seen in old:
        assert text_of(seen.log_lines(action, play.observe(seen.seat))) == ["<0> draws a building card."]


def test_the_log_shows_values_to_their_owner():
    """[8.5, D14, D20]"""
    play = begun(
        "s.seat[0].extra: 0", "s.seat[0].joker: 0", hand_0="eagle eagle bison church", building="gold-mine at k3"
    )
    do(play, "play eagle", "play eagle")
    seen = [play.observe(reader).state.copy() for reader in (0, 1)]
    do(play, "place at j3")
    own, other = (text_of(PLAIN.text.log_lines(seen[p], -1, play.observe(p).state)) for p in (0, 1))
    assert other == ["<0> places a farmer at j3 with two eagle cards: a gold tile."]
    assert own[0].startswith("<0> places a farmer at j3 with two eagle cards: a gold tile (worth ")
    seen = [play.observe(reader).state.copy() for reader in (0, 1)]
    action = play.string_to_action("draw a building card")
    play.apply(action)
    own, other = (text_of(PLAIN.text.log_lines(seen[p], action, play.observe(p).state)) for p in (0, 1))
    assert other == ["<0> draws a building card."]
    assert own[0].startswith("<0> draws a building card: ")


def test_the_log_names_an_exchanged_card_to_its_owner_only():
    """[12.3, D15, D20]"""
    play = begun("s.seat[0].extra: 0", hand_0="wagon settler eagle church")
    put(play.state, READER, "stock church 0")
    do(play, "play settler", "play wagon", "place at g10")
    seen = [play.observe(reader).state.copy() for reader in (0, 1)]
    assert PLAIN.text.question(seen[0]).endswith(", or exchange a useless one. You can't undo this.")
    assert "exchange" not in PLAIN.text.question(seen[1])
    action = play.string_to_action("exchange church")
    play.apply(action)
    own, other = (text_of(PLAIN.text.log_lines(seen[p], action, play.observe(p).state)) for p in (0, 1))
    drawn = position.hand_of(play.state, 0)[-1]
    assert own == [f"<0> exchanges a church card for a {drawn} card."]
    assert other == ["<0> exchanges a church card."]


def test_the_question_and_log_report_unplayable_cards():
    """[D7]"""
    play = begun("s.seat[0].joker: 0", hand_0="wagon church church harbor")
    for name in ("church", "harbor"):
        put(play.state, READER, f"stock {name} 0")
    play.refresh()
    old = play.observe(1).state.copy()
    assert PLAIN.text.question(play.state).startswith("You can't play any two of your cards")
    assert PLAIN.text.question(old) == "Play two cards. Choose the first one."
    do(play, "discard harbor", "discard wagon")
    told = text_of(PLAIN.text.log_lines(old, -1, play.observe(1).state))
    assert told == ["<0> can't play any two cards and discards wagon and harbor."]


def text_of(lines):
    return [plain_text(line, ("<0>", "<1>", "<2>", "<3>")) for line in lines]


def test_effect_texts_are_true():
    play = PLAIN.new(3, seed=4)
    rng = np.random.default_rng(4)
    while not play.over:
        if play.phase == rules.Phase.SPACE:
            for action in play.legal_actions[::6]:
                after, effect = play.copy(), PLAIN.text.effect_text(play.state, action)
                after.apply(action)
                points = after.score_table()[play.turn, 0] - play.score_table()[play.turn, 0]
                assert own_points(effect) == points
                assert plain_text(effect).startswith(
                    signed(points) if points else ("nothing yet", "a ", "1", "2", "the ")
                )
        play.apply(int(rng.choice(play.legal_actions)))


def test_questions_match_the_legal_actions():
    play = begun(hand_0="eagle eagle bison church")
    assert PLAIN.text.question(play.state) == "Play two cards. Choose the first one."
    do(play, "play eagle")
    assert PLAIN.text.question(play.state) == "Choose the card to play with the eagle."
    do(play, "play bison")
    assert PLAIN.text.question(play.state) == "Place a farmer. Choose a space."
    do(play, "place at j7")
    assert PLAIN.text.question(play.state) == "Use your extra turn, or draw 2 cards. From which deck first?"
    assert PLAIN.text.question(play.observe(1).state) == "Draw 2 cards. From which deck first?"
    do(play, "use the extra turn")
    for action in ("play eagle", "play church"):
        do(play, action)
    play.apply(play.legal_actions[0])
    assert PLAIN.text.question(play.state) == "Draw 4 cards. From which deck first? You can't undo this."


def test_terrains_have_different_names():
    """[1.2]"""
    assert {Terrain(ground).name for ground in box.TERRAIN} == {"PLAIN", "MOUNTAIN", "RAIL", "WATER"}
    assert len(set(words.GROUNDS)) == 4


# --- bots and whole plays ------------------------------------------------------------------------------


@pytest.mark.compiled
def test_greedy_beats_random():
    result = almunia.simulate(FAST, 400, seats=2, bots=["greedy", "random"], seed=3)
    assert (result["ranks"][:, 0] == 1).mean() >= 0.99


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_plays_end(seats):
    """[13.1-13.3]"""
    result = almunia.simulate(FAST, 2000, seats=seats, bots=["random"] * seats, seed=0)
    assert set(result["ending"].tolist()) == {int(rules.EndReason.BUILDINGS)}
    play = FAST.new(seats, 5)
    rng = np.random.default_rng(5)
    while not play.over:
        play.apply(int(rng.choice(play.legal_actions)))
    assert play.turns % seats == 0
    assert play.turn == play.state.first
