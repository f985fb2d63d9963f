"""Tests of the numbers in an observation of Caylus, for every seat. Docstrings cite RULES.md."""

import numpy as np
import pytest

import almunia
from almunia.games.caylus import components as box
from almunia.games.caylus.rules.state import Phase, Stage
from almunia.games.caylus.tests import scenes
from almunia.scenario import put

PLAIN = almunia.game("caylus", "plain")
READER = PLAIN.checked(scenes)
SEATS = 4
CUBES = ("2 food", "1 wood 3 gold", "4 cloth", "1 stone")
FAVOURS = (("prestige", 1), ("deniers", 2), ("resources", 3), ("buildings", 4))
OWNERS, WORKERS, PENDING = range(3)
CHANGES = (
    *(f"cubes {p}: {words}" for p, words in enumerate(CUBES)),
    *(f"favour {p} {line} {column}" for p, (line, column) in enumerate(FAVOURS)),
    *(f"s.seat[{p}].money: {3 * p + 1}" for p in range(SEATS)),
    *(f"points {p}: {10 * p + 4}" for p in range(SEATS)),
    *(f"s.seat[{p}].houses[{section}]: {p}" for p, section in enumerate((0, 0, 1, 2))),
    *("tile 9 bank of 0", "tile 10 park of 3", "worker 10 of 1", "s.pending[9]: 3", "worker 16 of 2"),
    *("worker gate of 2", "worker joust_field of 3", "stables 1 0", "worker inn_right of 3", "castle 2 1"),
    *("order 2 0 3 1", "passed 3 1", "s.bailiff: 8", "s.provost: 11", "s.section: 1", "stage placing"),
)


@pytest.fixture
def play():
    play = PLAIN.new(SEATS, 1, jeweller="yes")
    for words in CHANGES:
        put(play.state, READER, words)
    play.refresh()
    assert play.turn == 2
    return play


def seen_by(play, reader):
    return play.observe(reader).parts(), [(p - reader) % SEATS for p in range(SEATS)]


@pytest.mark.parametrize("reader", range(SEATS))
def test_players_are_counted_from_the_reader_on(play, reader):
    """[1.6, 1.7]"""
    parts, place = seen_by(play, reader)
    home = (5, 3, 3, 4)
    for p in range(SEATS):
        row = parts["players"][place[p]]
        assert row[:4] == pytest.approx([(3 * p + 1) / 10, (10 * p + 4) / 50, home[p] / 6, 0])
        assert row[4:9] == pytest.approx(np.array(list(play.state.seat[p].cubes)) / 5)
        line = ("prestige", "deniers", "resources", "buildings").index(FAVOURS[p][0])
        assert np.flatnonzero(row[9:13]).tolist() == [line]
        assert row[9 + line] == pytest.approx(FAVOURS[p][1] / box.COLUMNS)
        assert row[17:20] == pytest.approx(np.array(list(play.state.seat[p].houses)) / 14)
    assert parts["turn"].argmax() == place[2]
    assert [row.argmax() for row in parts["order"][:SEATS]] == [place[p] for p in (2, 0, 3, 1)]


@pytest.mark.parametrize("reader", range(SEATS))
def test_the_road_is_counted_from_the_reader_on(play, reader):
    """[2.5, 2.21, 2.27]"""
    parts, place = seen_by(play, reader)
    assert parts["tiles"][8].argmax() == box.TILE_IDS.index("bank")
    assert not parts["tiles"][10].any()
    road = parts["road"]
    assert [tuple(found) for found in np.argwhere(road[OWNERS])] == [(8, place[0]), (9, place[3])]
    assert [tuple(found) for found in np.argwhere(road[WORKERS])] == [(9, place[1]), (15, place[2])]
    assert [tuple(found) for found in np.argwhere(road[PENDING])] == [(9, place[3])]
    assert parts["walkers"].argmax(axis=1).tolist() == [7, 10]
    assert parts["section"].tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("reader", range(SEATS))
def test_circles_are_counted_from_the_reader_on(play, reader):
    """[2.3, 2.7]"""
    parts, place = seen_by(play, reader)
    wanted = [(0, 2), (3, 3), (4, 1), (5, 0), (8, 3), (9, 2), (10, 1), (14, 3), (15, 1)]
    assert [tuple(found) for found in np.argwhere(parts["circles"])] == [(row, place[p]) for row, p in wanted]


def test_question_and_debts_are_encoded(play):
    """[2.2, 4.2, D24]"""
    parts = play.observe(0).parts()
    assert parts["question"].argmax() == Phase.PLACE
    assert parts["stage"].argmax() == Stage.PLACING
    assert not parts["at"].any() | parts["using"].any()
    play = PLAIN.new(2, 1)
    for words in ("passed 0 1", "tile 9 alchemist of 0", "worker 9 of 0", "s.provost: 9", "cubes 0: 3 food 3 wood"):
        put(play.state, READER, words)
    put(play.state, READER, "stage road")
    play.refresh()
    play.apply(play.string_to_action("trade four cubes other than gold for 2 gold"))
    parts = play.observe(1).parts()
    assert parts["question"].argmax() == Phase.GIVE
    assert parts["at"].argmax() == 8
    assert np.flatnonzero(parts["using"]).tolist() == [box.TILE_IDS.index("alchemist")]
    assert parts["owed"].tolist() == [0, 0, 1, 0, 0.5]


def test_a_spectator_sits_at_seat_0(play):
    """[1.7]"""
    watched, own = play.observe().parts(), play.observe(0).parts()
    assert all((watched[name] == own[name]).all() for name in own)
