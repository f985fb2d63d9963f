"""Tests of the observation tensor of Alhambra. Docstrings cite RULES.md."""

import numpy as np
import pytest

import almunia
from almunia.games.alhambra import components as box, observe
from almunia.games.alhambra.rules.state import Phase
from almunia.games.alhambra.tests import scenes
from almunia.scenario import put

PLAIN = almunia.game("alhambra", "plain")
READER = PLAIN.checked(scenes)
SEATS = 3
HANDS = ("florin 8, florin 1, florin 2", "denar 2, ducat 9", "dirham 3")
BUILT = (  # each tile's cell by name, and its row and column from the fountain
    {"tower 11 open": ("1N", -1, 0), "garden 10 open": ("2N", -2, 0)},
    {"garden 11 open": ("1S", 1, 0)},
    {"tower 12 open": ("1W", 0, -1)},
)
RESERVED = ("tower 13 E", "garden 12 S", "garden 8 NE")
MARKET = ("chambers 9 S", "none", "tower 9 ES", "arcades 6 SW")
FIRST, SECOND = "pavilion 8 open", "pavilion 7 E"  # two tiles to be positioned


@pytest.fixture
def play():
    """Return a play of three seats with different possessions, in which seat 1 is to move."""
    play = PLAIN.new(SEATS, 1)
    for p in range(SEATS):
        put(play.state, READER, f"hand/{p}: {HANDS[p]}")
        put(play.state, READER, f"built/{p}: " + ", ".join(f"{name} at {at}" for name, (at, *_) in BUILT[p].items()))
        put(play.state, READER, f"reserve/{p}: {RESERVED[p]}")
        play.state.seat[p].earned[0, 0] = 10 * p + 3
    for words in (f"market: {', '.join(MARKET)}", "open: denar 1, denar 1, ducat 4", "s.turn: 1", "discard: florin 5"):
        put(play.state, READER, words)
    play.refresh()
    return play


def tile(name):
    return scenes.TILE[name]


def seen_by(play, reader):
    return play.observe(reader).parts(), [(reader + i) % SEATS for i in range(SEATS)]


def there(parts, place):
    return set(np.flatnonzero(parts["tiles"][:, place]))


@pytest.mark.parametrize("reader", range(SEATS))
def test_tiles_are_encoded_by_place_with_seats_counted_from_the_viewer(play, reader):
    """[1.1, 7.2, 9.1]"""
    parts, order = seen_by(play, reader)
    for i, p in enumerate(order):
        assert there(parts, observe.BUILT + i) == set(map(tile, BUILT[p]))
        assert there(parts, observe.RESERVED + i) == {tile(RESERVED[p])}
    for square, name in enumerate(MARKET):
        assert there(parts, observe.IN_MARKET + square) == ({tile(name)} if name != "none" else set())
    known = {name for built in BUILT for name in built} | {*RESERVED, *MARKET} - {"none"}
    assert there(parts, observe.HIDDEN) == set(range(box.TILES)) - set(map(tile, known))
    cells = {tile(name): at[1:] for built in BUILT for name, at in built.items()}
    assert parts["cells"] * 20 == pytest.approx(np.array([cells.get(number, (0, 0)) for number in range(box.TILES)]))


@pytest.mark.parametrize("reader", range(SEATS))
def test_the_planes_are_the_reader_s_own_alhambra(play, reader):
    """[6.1]"""
    planes, middle = seen_by(play, reader)[0]["alhambra"], observe.MIDDLE
    wanted = [[middle, middle], *([middle + row, middle + column] for _, row, column in BUILT[reader].values())]
    assert np.argwhere(planes[0]).tolist() == sorted(wanted)
    assert not planes[1:].any()
    put(play.state, READER, f"built/{reader}: chambers 7 NE at 1E")
    walls = play.observe(reader).parts()["alhambra"][1:, middle, middle + 1]
    assert walls.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("reader", range(SEATS))
def test_money_and_points_are_counted_from_the_reader_on(play, reader):
    """[1.2, 2.3, 10.1, D8]"""
    parts, order = seen_by(play, reader)
    for i, p in enumerate(order):
        held = [scenes.CARD[name] for name in HANDS[p].split(", ")] if p == reader else []
        assert parts["money"][i] == pytest.approx(np.bincount(held, minlength=box.CARDS) / 3)
        worth = {0: 11, 1: 11, 2: 3}[p] if p == reader else 0
        assert parts["hands"][i] == pytest.approx([[3, 2, 1][p] / 10, worth / 100])
        assert parts["points"][i] == pytest.approx((10 * p + 3) / 100)
        kinds = [sum(name.startswith(kind) for name in BUILT[p]) / 11 for kind in box.KIND_NAMES]
        assert parts["counts"][i] == pytest.approx(kinds)
    assert parts["turn"].tolist() == [int(p == 1) for p in order] + [0] * (6 - SEATS)
    lying = np.zeros((2, box.CARDS))
    lying[0, scenes.CARD["denar 1"]], lying[0, scenes.CARD["ducat 4"]] = 2 / 2, 1 / 2
    lying[1, scenes.CARD["florin 5"]] = 1 / 3
    assert parts["open_money"] == pytest.approx(lying)


@pytest.mark.parametrize("reader", range(SEATS))
def test_longest_walls_are_counted_from_the_reader_on(play, reader):
    """[10.6]"""
    put(play.state, READER, "built/2: chambers 7 NE at 1E")
    put(play.state, READER, "built/0: tower 13 E at 1E")
    parts, order = seen_by(play, reader)
    assert parts["walls"][:SEATS] == pytest.approx([[1, 0, 2][p] / 20 for p in order])


@pytest.mark.parametrize("reader", [0, 1])
def test_dirk_comes_after_the_last_seat(reader):
    """[12.2, 12.3]"""
    play = PLAIN.new(2, 1)
    put(play.state, READER, "dirk: tower 13 E, tower 12 open, garden 12 S")
    parts = play.observe(reader).parts()
    assert there(parts, observe.WITH_DIRK) == set(map(tile, ("tower 13 E", "tower 12 open", "garden 12 S")))
    assert parts["counts"][6] == pytest.approx([0, 0, 0, 0, 1 / 11, 2 / 11])
    assert not parts["counts"][:6].any()


@pytest.mark.parametrize("reader", range(SEATS))
def test_question_and_debts_are_encoded(play, reader):
    """[4.2, 5.2, 8.1]"""
    put(play.state, READER, "hand/1: florin 8, florin 3, florin 1")
    put(play.state, READER, "open: denar 1, denar 2, ducat 1, dirham 1")
    play.refresh()

    def asked():
        parts = play.observe(reader).parts()
        choice = [int(number) for number in np.flatnonzero(parts["choice"])]
        return Phase(parts["question"].argmax()), choice, parts["owing"].tolist()

    assert asked() == (Phase.ACT, [], [0, 0, 0])
    play.apply(play.string_to_action("take denar 1"))
    bound = scenes.CARD["denar 1"] / 36
    assert asked() == (Phase.TAKE, [], pytest.approx([0, 1 / 5, bound]))
    play.undo()
    play.apply(play.string_to_action("buy chambers 9 S"))
    assert asked() == (Phase.PAY, [box.TILES], pytest.approx([9 / 13, 0, 9 / 36]))
    play.apply(play.string_to_action("pay florin 8"))
    assert asked() == (Phase.PAY, [box.TILES], pytest.approx([1 / 13, 0, 8 / 36]))
    play.apply(play.string_to_action("pay florin 3"))
    assert asked() == (Phase.POSITION, [tile("chambers 9 S")], [0, 0, 0])
    assert there(play.observe(reader).parts(), observe.TO_POSITION) == {tile("chambers 9 S")}


# --- left-over tiles, and rounds that are due ------------------------------------------------------------


def give(play, seat, *names):
    for name in names:
        READER.lift(play.state, tile(name))
        play.state.seat[seat].leftover |= 1 << tile(name)


@pytest.mark.parametrize("reader", range(SEATS))
def test_left_over_tiles_have_owners_counted_from_the_reader_on(play, reader):
    """[11.2, 11.4]"""
    give(play, 0, FIRST)
    give(play, 2, SECOND)
    play.state.final = 1
    parts, order = seen_by(play, reader)
    assert there(parts, observe.TO_POSITION) == {tile(FIRST), tile(SECOND)}
    owned = [set(np.flatnonzero(row)) for row in parts["left_over"]]
    assert owned == [{0: {tile(FIRST)}, 2: {tile(SECOND)}}.get(p, set()) for p in order] + [set()] * (6 - SEATS)


def test_tensors_distinguish_the_owner_of_left_over_tiles(play):
    """[8.2, 11.4]"""
    third, found = "pavilion 6 N", []
    for own, other in ((SECOND, third), (third, SECOND)):
        now = play.copy()
        give(now, 0, FIRST, own)
        give(now, 2, other)
        now.state.final, now.state.turn, now.state.phase = 1, 0, Phase.PICK
        now.refresh()
        found.append((now.legal_actions, now.observe(0).tensor().tobytes()))
    assert found[0][0] != found[1][0]
    assert found[0][1] != found[1][1]


def test_tensors_distinguish_the_round_that_is_due(play):
    """[9.3, 11.5, D10]"""
    s, seen = play.state, {}
    for due in range(box.ROUNDS + 1):
        s.due, s.phase = due, Phase.SCORE if due else Phase.ACT
        parts = [play.observe(reader).parts()["due"].tolist() for reader in range(SEATS)]
        assert parts == [[int(due == i + 1) for i in range(box.ROUNDS)]] * SEATS
        seen[play.observe(1).tensor().tobytes()] = due
    assert len(seen) == box.ROUNDS + 1
