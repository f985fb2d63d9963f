"""Tests of the numbers in an observation of Alpujarras. Docstrings cite RULES.md."""

import numpy as np
import pytest

import almunia
from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.components import CARD_IDS, CHANNEL_IDS, COLOURS, FRUITS
from almunia.games.alpujarras.rules import state as numbers
from almunia.games.alpujarras.rules.state import Phase
from almunia.games.alpujarras.tests import scenes
from almunia.games.alpujarras.text.words import GOAL_IDS
from almunia.scenario import put

PLAIN = almunia.game("alpujarras", "plain")
READER = PLAIN.checked(scenes)
SEATS = 4
ITEMS = ("add", "move", "irrigate", "norias", "fruit", "goal", "market", "harvest")  # in the order of `box.ITEM_NAMES`
FRUIT = ([2, 0, 0, 0, 1], [0, 3, 0, 0, 0], [0, 0, 5, 0, 0], [1, 1, 0, 4, 0])
FARMLANDS = ([1, 0, 0, 0, 0], [0, 2, 0, 1, 0], [0, 0, 3, 0, 0], [0, 0, 0, 0, 4])
VILLAGES = ([0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 2, 0], [1, 0, 0, 0, 0])
NORIAS, GOAL_TOKENS = (5, 0, 3, 1), (0, 2, 1, 3)
TAKEN = ((), (("apple", 2), ("apple", 4)), (("grape", 3),), (("cherry", 5),))
MULES = (20, 17, 25, 22)  # seat 1 is furthest back


def by_name(names, counts):
    return [(name, count) for name, count in zip(names, counts, strict=True) if count]


def changes():
    yield from ("segments in order", "goals fruit3 farmers2x2 tokens3 villages2x2", "open d05 d12 d13")
    for p in range(SEATS):
        yield from (f"fruit {n} {fruit} for seat {p}" for fruit, n in by_name(FRUITS, FRUIT[p]))
        yield from (f"farmers {n} in {colour} for seat {p}" for colour, n in by_name(COLOURS, FARMLANDS[p]))
        yield from (f"villagers {n} in {colour} for seat {p}" for colour, n in by_name(COLOURS, VILLAGES[p]))
        yield from (f"s.seat[{p}].norias: {NORIAS[p]}", f"goal tokens {GOAL_TOKENS[p]} for seat {p}")
        yield from (f"token {n} {fruit} taken for seat {p}" for fruit, n in TAKEN[p])
    yield from ("claimed fruit3 1 2", "claimed fruit3 2 0", "claimed tokens3 3 3", "claimed villages2x2 4 1")
    yield from ("channel c1o grape", "award a3 red in yellow", "mules " + " ".join(map(str, MULES)))


@pytest.fixture
def play():
    play = PLAIN.new(SEATS, 1)
    for words in changes():
        put(play.state, READER, words)
    for p in range(SEATS):
        play.state.seat[p].earned[numbers.BONUS] = 10 * p + 4
    play.refresh()
    assert play.turn == 1
    return play


def seen_by(play, reader):
    return play.observe(reader).parts(), [(reader + i) % SEATS for i in range(SEATS)]


@pytest.mark.parametrize("reader", range(SEATS))
def test_players_are_counted_from_the_reader_on(play, reader):
    """[1.6, 2.4, 3.1, D51]"""
    parts, order = seen_by(play, reader)
    for i, p in enumerate(order):
        row = parts["players"][i]
        assert row[:5] == pytest.approx(np.array(FRUIT[p]) / 5)
        assert row[5:10] == pytest.approx(np.array(FARMLANDS[p]) / 5)
        assert row[10:15] == pytest.approx(np.array(VILLAGES[p]) / 5)
        taken = [sum(fruit == name for fruit, _ in TAKEN[p]) / 2 for name in FRUITS]
        assert row[15:20] == pytest.approx(taken)
        farmers = 15 - sum(FARMLANDS[p]) - sum(VILLAGES[p])
        wanted = [farmers / 15, NORIAS[p] / 5, GOAL_TOKENS[p] / 4, 1 / 4, (10 * p + 4) / 50, int(p == 1)]
        assert row[20:] == pytest.approx(wanted)


@pytest.mark.parametrize("reader", range(SEATS))
def test_mules_are_counted_from_the_reader_on(play, reader):
    """[3.1, 3.4]"""
    parts, order = seen_by(play, reader)
    assert np.argwhere(parts["mules"]).tolist() == [[i, MULES[p] - 1] for i, p in enumerate(order)]


@pytest.mark.parametrize("reader", [0, 1])
def test_zara_s_mule_is_always_the_third(reader):
    """[11.1]"""
    play = PLAIN.new(2, 1)
    put(play.state, READER, "mules 5 8 12")
    own, other = (4, 7) if reader == 0 else (7, 4)
    assert np.argwhere(play.observe(reader).parts()["mules"]).tolist() == [[0, own], [1, other], [2, 11]]
    assert not play.observe(reader).parts()["players"][2:].any()


@pytest.mark.parametrize("reader", range(SEATS))
def test_goal_spaces_are_the_reader_s_own_or_another_s(play, reader):
    """[7.2, 7.3]"""
    goals = play.observe(reader).parts()["goals"]
    assert goals[:, :2].argmax(axis=1).tolist() == [GOAL_IDS.index(name) % 2 for name in shown(play)]
    owners = {(0, 0): 2, (0, 1): 0, (2, 2): 3, (3, 3): 1}
    for card in range(box.GOAL_CARDS):
        for space, row in enumerate(goals[card, 2:].reshape(box.GOAL_SPACES, 3).tolist()):
            owner = owners.get((card, space))
            assert row == [int(owner == reader), int(owner not in (None, reader)), 0]


def shown(play):
    return [GOAL_IDS[goal] for goal in play.state.goal]


def test_covered_goal_spaces_have_no_owner():
    """[11.2, D22]"""
    play = PLAIN.new(2, 1)
    for reader in (0, 1):
        spaces = play.observe(reader).parts()["goals"][:, 2:].reshape(box.GOAL_CARDS, box.GOAL_SPACES, 3)
        odd = [[dirhems % 2 for dirhems in box.GOAL_DIRHEMS[goal]] for goal in play.state.goal]
        assert spaces[:, :, 2].tolist() == odd
        assert not spaces[:, :, :2].any()


@pytest.mark.parametrize("reader", range(SEATS))
def test_open_information_is_equal_for_all_viewers(play, reader):
    """[2.2, 2.5, 2.8, 2.9, 5.3, D38]"""
    parts, s = play.observe(reader).parts(), play.state
    assert parts["growing"] * 4 == pytest.approx(np.array([list(row) for row in s.growing]))
    assert parts["supply"] * 10 == pytest.approx(np.array(list(s.supply)))
    assert parts["market"].argmax(axis=1).tolist() == list(s.market)
    assert (parts["tokens"] == play.array["token"][0]).all()
    grape = FRUITS.index("grape")
    assert np.argwhere(parts["channels"]).tolist() == [[CHANNEL_IDS.index("c1o"), grape]]
    assert parts["awards"].sum() == 5
    yellow = COLOURS.index("yellow")
    assert parts["awards"][yellow].argmax() == 2 * scenes.AWARD_IDS.index("a3") + 1
    open_cards = {CARD_IDS.index(name) for name in ("d05", "d12", "d13")}
    assert set(np.flatnonzero(parts["cards"][:, 0])) == open_cards
    assert parts["deck"] == pytest.approx([1, 0])


@pytest.mark.parametrize("reader", range(SEATS))
def test_the_track_encodes_the_offers_of_each_place(play, reader):
    """[3.6, 4.5]"""
    track = play.observe(reader).parts()["track"]
    offers = {19: {"add": 0.5}, 32: {"norias": 1, "market": 0.5}, 39: {"goal": 0.5, "harvest": 0.5}, 2: {}}
    for space, wanted in offers.items():
        assert track[space - 1][: box.ITEMS] == pytest.approx([wanted.get(item, 0) for item in ITEMS])
    assert track[19 - 1][box.ITEMS] == pytest.approx(1 / 4)
    assert np.flatnonzero(track[19 - 1][box.ITEMS + 1 : box.ITEMS + 6]).tolist() == [COLOURS.index("orange")]
    kinds = track[:, box.ITEMS + 6 :].argmax(axis=1)
    assert [kinds[space - 1] for space in (1, 5, 13, 21, 77)] == [0, 1, 2, 3, 4]


# --- actions owed and begun ------------------------------------------------------------------------------


def asked(play):
    parts = play.observe(play.turn).parts()
    marks = [COLOURS[row.argmax()] if row.any() else "" for row in parts["begun"][:4]]
    owed = [{ITEMS[i]: round(2 * n) for i, n in enumerate(row) if n} for row in parts["owed"]]
    return Phase(parts["question"].argmax()), owed, marks


def prepared(*words):
    play = PLAIN.new(SEATS, 1)
    for change in ("segments in order", *words):
        put(play.state, READER, change)
    play.refresh()
    return play


def test_debts_and_begun_actions_are_encoded():
    """[3.8, 4.2, 4.4, 4.5]"""
    play = prepared("mules 4 20 21 22", "farmers 1 in yellow", "s.seat[0].norias: 3")
    assert asked(play) == (Phase.GO, [{}, {}, {}], [""] * 4)
    play.apply(play.string_to_action("go to 8"))
    assert asked(play) == (Phase.ACT, [{"add": 2}, {}, {}], [""] * 4)
    play.apply(play.string_to_action("add to red"))
    assert asked(play) == (Phase.PICK, [{"add": 1}, {}, {}], ["red", "", "red", ""])
    play.apply(play.string_to_action("pick cherry"))
    play.apply(play.string_to_action("spend 2"))
    assert asked(play) == (Phase.BUY, [{"add": 1}, {}, {"move": 1}], ["", "", "red", ""])
    play.apply(play.string_to_action("from yellow"))
    assert asked(play) == (Phase.TO, [{"add": 1}, {}, {"move": 1}], ["", "yellow", "red", ""])
    play = prepared("mules 18 20 21 22")
    play.apply(play.string_to_action("go to 19"))
    assert asked(play) == (Phase.ACT, [{"add": 1}, {}, {}], ["", "", "", "orange"])


def test_the_place_of_a_farmer_is_cleared_after_the_last_one():
    """[4.4, 8.9, D6]"""
    award = next(name for i, name in enumerate(scenes.AWARD_IDS) if box.AWARD_OWES[2 * i, box.ADD])
    start = ("mules 12 46 47 48", "fruit 3 cherry", "farmers 2 in red", "token 2 cherry in red", "open d05 d12 d13")
    play = prepared(*start, f"award {award} green in red")
    for words in ("go to 16", "deliver 2 cherry to red", "add to yellow"):
        play.apply(play.string_to_action(words))
    while play.phase in (Phase.PICK, Phase.MARKET):
        play.apply(play.legal_actions[-1])
    play.apply(play.string_to_action("skip move"))
    assert asked(play)[2] == [""] * 4
    play.apply(play.string_to_action("end turn"))
    put(play.state, READER, "mules 30 46 47 48")
    play.refresh()
    play.apply(play.string_to_action("go to 36"))
    play.apply(play.string_to_action("skip farmer"))
    assert asked(play) == (Phase.ACT, [{"add": 1}, {}, {}], [""] * 4)
    assert {f"add to {colour}" for colour in COLOURS} <= set(map(play.action_to_string, play.legal_actions))


def test_an_exchange_and_the_signs_of_a_stop():
    """[6.3, 6.6, 7.7, 8.1]"""
    play = prepared("mules 12 20 21 22", "s.seat[0].norias: 1", "fruit 1 apple")

    def signs():
        return play.observe(0).parts()["begun"][5].tolist()

    assert signs() == [0, 0, 0, 0, 0]
    play.apply(play.string_to_action("spend 1"))
    play.apply(play.string_to_action("return apple"))
    given = play.observe(0).parts()
    assert Phase(given["question"].argmax()) == Phase.TAKE
    assert np.flatnonzero(given["begun"][4]).tolist() == [FRUITS.index("apple")]
    play.apply(play.string_to_action("receive cherry"))
    play.apply(play.string_to_action("go to 16"))
    assert signs() == [0, 0, 0, 0, 1]
    s = play.state
    for name, wanted in (
        ("noria_overflow", [0.4, 0, 0, 0, 1]),
        ("token_taken", [0, 1, 0, 0, 1]),
        ("card_taken", [0, 0, 1, 0, 1]),
    ):
        setattr(s, name, 2 if name == "noria_overflow" else 1)
        assert signs() == pytest.approx(wanted)
        setattr(s, name, 0)
    s.extra_goals_allowed = 1
    assert signs() == [0, 0, 0, 1, 1]


def test_known_cards_of_the_deck_are_encoded():
    """[2.7, 11.8, D38, D49]"""
    play = PLAIN.new(2, 1)
    for words in ("segments in order", "mules 20 21 16", "deck d05 d06"):
        put(play.state, READER, words)
    play.refresh()
    for reader in (-1, 0, 1):
        parts = play.observe(reader).parts()
        assert parts["back"].argmax() == box.BACK[CARD_IDS.index("d05")]
        assert not parts["cards"][:, 1:].any()
    play.apply(play.string_to_action("roll Zara's die"))
    play.apply(play.string_to_action("Zara's harvest"))
    for reader in (-1, 0, 1):
        parts = play.observe(reader).parts()
        assert parts["back"].argmax() == box.BACK[CARD_IDS.index("d06")]
        assert np.argwhere(parts["cards"][:, 1:]).tolist() == [[CARD_IDS.index("d05"), 1]]
        assert parts["deck"] == pytest.approx([1, 1 / 17])
    play.state.taken[CARD_IDS.index("d05")] = 1
    assert play.observe(0).parts()["cards"][CARD_IDS.index("d05"), 1] == 1
