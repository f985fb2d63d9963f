"""Tests of the observation tensor of Oregon. Docstrings cite RULES.md."""

import numpy as np
import pytest

import almunia
from almunia.games.oregon import components as box
from almunia.games.oregon.components import Building
from almunia.games.oregon.rules import Phase
from almunia.games.oregon.tests import scenes
from almunia.scenario import put

PLAIN = almunia.game("oregon", "plain")
READER = PLAIN.checked(scenes)
SEATS = 4
HANDS = (
    "wagon wagon bison church",
    "eagle bison campfire gold-mine",
    "settler settler church harbor",
    "bison eagle eagle eagle",
)
STARTS = ("church", "harbor", "warehouse", "post-office")
FARMERS = (["a1"], ["c10", "d10"], ["e1", "e2", "e3"], ["o1", "o2", "o4", "o5"])  # by seat
MOVER, FIRST = 1, 3
CHANGES = (
    *(f"hand {p}: {hand}" for p, hand in enumerate(HANDS)),
    *(f"start {p} {name}" for p, name in enumerate(STARTS)),
    *(f"farmer {p} at {place}" for p, places in enumerate(FARMERS) for place in places),
    *(f"s.seat[{p}].score: {10 * p + 3}" for p in range(SEATS)),
    *("s.seat[1].joker: 0", "s.seat[2].joker: 0", "s.seat[2].extra: 0", "s.seat[3].extra: 0"),
    *("tile 0 coal 3", "tile 1 gold 5", "tile 1 gold 5", "tile 1 coal 1", "tile 3 gold 3", "tile 3 coal 2"),
    *("building gold-mine at e4", "building church at a3", "building church at k2"),
    *("discards landscape: wagon settler settler", "discards building: harbor", f"s.first: {FIRST}"),
)


def kind(name):
    return scenes.NAMES[name]


@pytest.fixture
def play():
    """Return a play of four seats with different possessions, in which the seat to move is not the starting player."""
    play = PLAIN.new(SEATS, 1)
    for words in (f"turn {MOVER}", *CHANGES):
        put(play.state, READER, words)
    play.refresh()
    return play


def seen_by(play, reader):
    return play.observe(reader).parts(), [(reader + i) % SEATS for i in range(SEATS)]


@pytest.mark.parametrize("reader", range(SEATS))
def test_seats_are_counted_from_the_reader_on(play, reader):
    """[2.5, 3.1, 12.5]"""
    parts, order = seen_by(play, reader)
    assert [parts["start"][i].argmax() for i in range(SEATS)] == [Building[name_of(STARTS[p])] for p in order]
    assert parts["starting"].tolist() == [p == FIRST for p in order]
    assert parts["turn"].tolist() == [p == MOVER for p in order]
    for i, p in enumerate(order):
        counted = [sum(kind(name) in cards for name in HANDS[p].split()) for cards in (range(5), range(5, 12))]
        tiles = [[1, 0], [1, 2], [0, 0], [1, 1]][p]
        active = [int(p in (0, 3)), int(p in (0, 1))]
        wanted = [(10 * p + 3) / 100, (14 - len(FARMERS[p])) / 14, *active, counted[0] / 4, counted[1] / 4]
        assert parts["players"][i] == pytest.approx([*wanted, tiles[0] / 7, tiles[1] / 7])


def name_of(words):
    return words.upper().replace("-", "_")


@pytest.mark.parametrize("reader", range(SEATS))
def test_farmers_on_the_board_are_counted_from_the_reader_on(play, reader):
    """[5.1, 6.1]"""
    parts, order = seen_by(play, reader)
    planes = parts["spaces"].reshape(-1, box.CELLS)
    for i, p in enumerate(order):
        assert np.flatnonzero(planes[i]).tolist() == sorted(map(scenes.cell_of, FARMERS[p]))
    standing = {Building.GOLD_MINE: ["e4"], Building.CHURCH: ["k2", "a3"]}
    for building in Building:
        places = map(scenes.cell_of, standing.get(building, []))
        assert np.flatnonzero(planes[SEATS + building]).tolist() == sorted(places)
        assert parts["stock"][building] == pytest.approx((4 - len(standing.get(building, []))) / 4)


@pytest.mark.parametrize("reader", range(SEATS))
def test_hand_and_tiles_are_the_reader_s_own(play, reader):
    """[D20]"""
    parts, _ = seen_by(play, reader)
    own = np.bincount([kind(name) for name in HANDS[reader].split()], minlength=box.KINDS)
    gone = np.bincount([kind(name) for name in ("wagon", "settler", "settler", "harbor")], minlength=box.KINDS)
    assert parts["hand"] == pytest.approx(own / 4)
    assert parts["unseen"] == pytest.approx((box.CARDS - gone - own) / 10)
    faces = {0: [[0, 0, 1], [0, 0, 0]], 1: [[1, 0, 0], [0, 0, 2]], 3: [[0, 1, 0], [1, 0, 0]]}
    assert parts["faces"] == pytest.approx(np.array(faces.get(reader, np.zeros((2, 3)))) / 7)
    assert parts["decks"] == pytest.approx([(50 - 12 - 3) / 50, (21 - 4 - 1) / 50])


@pytest.mark.parametrize("reader", range(SEATS))
def test_cards_drawn_since_the_shuffle_are_not_in_the_deck(play, reader):
    """[12.4, D21]"""
    play.state.shuffled[kind("church")] = 1
    parts, _ = seen_by(play, reader)
    assert parts["in_deck"][kind("church")] == pytest.approx(0 if reader in (0, 2) else 0.1)
    assert parts["in_deck"][kind("wagon")] == pytest.approx([0.7, 0.9, 0.9, 0.9][reader])


@pytest.mark.parametrize("reader", range(SEATS))
def test_the_question_and_the_cards_chosen_are_the_mover_s_own(play, reader):
    """[D5]"""
    chosen = []
    for phase, spoken in ((Phase.FIRST, "play eagle"), (Phase.SECOND, "play bison"), (Phase.SPACE, "place at j7")):
        parts, own = play.observe(reader).parts(), reader == MOVER
        assert parts["question"].argmax() == (phase if own else Phase.FIRST)
        assert parts["question"].sum() == 1
        assert np.flatnonzero(parts["chosen"]).tolist() == (sorted(chosen) if own else [])
        legal = {action.removeprefix("place at ") for action in map(play.action_to_string, play.legal_actions)}
        opened = {scenes.spot(cell) for cell in np.flatnonzero(parts["open"])}
        assert opened == (legal if own and phase == Phase.SPACE else set())
        play.apply(play.string_to_action(spoken))
        chosen.append(kind(spoken.removeprefix("play ")) if phase < Phase.SPACE else 0)
    assert play.observe(reader).parts()["question"].argmax() == Phase.EXTRA


@pytest.mark.parametrize(("again", "final"), [(0, 0), (1, 0), (0, 1), (0, 2), (1, 2)])
def test_the_extra_turn_and_the_last_round(play, again, final):
    """[11.3, 13.3]"""
    play.state.again, play.state.final = again, final
    for reader in range(SEATS):
        assert play.observe(reader).parts()["ending"].tolist() == [again, min(final, 1)]


def test_a_spectator_sits_at_seat_0_without_its_secrets(play):
    """[D20]"""
    watched, own = play.observe().parts(), play.observe(0).parts()
    for name in ("spaces", "start", "players", "starting", "turn", "stock", "decks", "question", "ending"):
        assert (watched[name] == own[name]).all()
    assert not any(watched[name].any() for name in ("hand", "chosen", "faces", "open"))
