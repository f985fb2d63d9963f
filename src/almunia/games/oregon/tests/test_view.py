"""Tests of the picture of the board of Oregon: the land, pieces, and what may be chosen."""

import re
from collections import Counter
from itertools import product
from random import Random
from xml.etree import ElementTree as ET

import pytest

import almunia
from almunia.games.oregon import components as box
from almunia.games.oregon.components import BUILT, EMPTY, Building, Terrain
from almunia.games.oregon.rules.state import SPACE, Phase
from almunia.games.oregon.view import land
from almunia.play.panels import panels, preview

PLAIN = almunia.game("oregon", "plain")
SVG = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 60_000  # of a full board with choices
LOOPS = re.compile(r"M[^Z]*Z")


def area(line):
    """Return the area inside a closed line of `land.outlines`, in spaces; negative around a hole."""
    corners = [(row, column) for (row, column), _ in line]
    following = [*corners[1:], corners[0]]
    return sum(r * d - c * s for (r, c), (s, d) in zip(following, corners, strict=True)) / 2


@pytest.mark.parametrize("seed", range(20))
def test_outlines_enclose_exactly_their_spaces(seed):
    rng = Random(seed)
    spaces = {place for place in product(range(-1, 11), range(-1, 16)) if rng.random() < rng.choice((0.2, 0.5, 0.8))}
    lines = land.outlines(spaces)
    assert sum(map(area, lines)) == len(spaces)
    sides = [side for line in lines for side in line]
    assert len(sides) == len({*sides}) == sum(land.moved(p, step) not in spaces for p in spaces for step in land.STEPS)
    for line in lines:
        for (place, step), (following, _) in zip(line, [*line[1:], line[0]], strict=True):
            assert land.moved(place, step) == following


def test_spaces_that_touch_at_a_corner_have_separate_lines():
    assert len(land.outlines({(0, 0), (1, 1)})) == 2
    assert len(land.outlines({(0, 0), (0, 1), (1, 1)})) == 1
    ring = {(r, c) for r in range(3) for c in range(3)} - {(1, 1)}
    assert sorted(map(area, land.outlines(ring))) == [-1, 9]


def test_a_contour_is_moved_inwards_and_has_round_corners():
    x, y, right, bottom = land.LEFT + 2, land.TOP + 2, land.LEFT + 42, land.TOP + 42
    corners = {f"Q{x} {y}", f"Q{right} {y}", f"Q{right} {bottom}", f"Q{x} {bottom}"}
    drawn = land.contour({(0, 0)}, 2, 5)
    assert {*re.findall(r"Q[\d.]+ [\d.]+", drawn)} == corners
    assert f"M{x} {y + 5}Q{x} {y} {x + 5} {y}L{right - 5} {y}" in drawn
    assert len(LOOPS.findall(land.contour({(0, 0), (5, 5)}, 2, 5))) == 2


def test_terrain_is_drawn_beyond_the_edges_of_the_board():
    for kind in Terrain:
        inside = land.spaces_of(kind)
        assert {row * box.COLUMNS + column for row, column in inside} == {*(kind == box.TERRAIN).nonzero()[0]}
        assert inside < land.joined(kind) or all(
            0 < row < box.ROWS - 1 and 0 < column < box.COLUMNS - 1 for row, column in inside
        )
    assert {(-1, 12), (0, 12)} < land.joined(Terrain.RAIL)
    everything = set().union(*map(land.joined, Terrain))
    assert everything == {*product(range(-1, box.ROWS + 1), range(-1, box.COLUMNS + 1))}


def ends(path):
    """Return the ends of the pieces of a path, as pairs of points."""
    found = re.findall(r"M([\d.]+ [\d.]+)(?:L|A[\d.]+ [\d.]+ 0 0 [01] )([\d.]+ [\d.]+)", path)
    return [tuple(tuple(map(float, point.split())) for point in pair) for pair in found]


def test_the_railway_is_one_line_that_leaves_the_board_at_its_edges():
    places = sorted(land.spaces_of(Terrain.RAIL))
    joints = Counter()
    for place in places:
        x, y = land.centre(place)
        for ways in land.ways_through(place):
            middle, rails = land.pieces_of_line(x, y, ways)
            assert len(ends(rails)) == 2 * len(ends(middle)) == 2
            for point in ends(middle)[0]:
                assert sorted((abs(point[0] - x), abs(point[1] - y))) == [0, land.U / 2]
                joints[point] += 1
            for rail in ends(rails):
                for point, on in zip(rail, ends(middle)[0], strict=True):
                    assert abs(point[0] - on[0]) + abs(point[1] - on[1]) == land.GAUGE
    alone = {point for point, count in joints.items() if count == 1}
    assert all(x in (land.LEFT, land.RIGHT) or y in (land.TOP, land.BOTTOM) for x, y in alone)
    assert len(alone) == sum(len(land.ways_through(place)) == 1 and is_at_end(place) for place in places)


def test_the_railway_curves_around_a_corner_of_its_space():
    curves = 0
    for place in land.spaces_of(Terrain.RAIL):
        x, y = land.centre(place)
        for ways in land.ways_through(place):
            for path in land.pieces_of_line(x, y, ways):
                for (x1, y1), (x2, y2), clockwise in arcs(path):
                    turn = 1 if clockwise else -1
                    middle = (x1 + x2 - turn * (y2 - y1)) / 2, (y1 + y2 + turn * (x2 - x1)) / 2
                    assert (abs(middle[0] - x), abs(middle[1] - y)) == (land.U / 2, land.U / 2)
                    curves += 1
    assert curves > 10


def arcs(path):
    """Return the quarter circles of a path: both ends, and whether they turn clockwise."""
    found = re.findall(r"M([\d.]+) ([\d.]+)A[\d.]+ [\d.]+ 0 0 ([01]) ([\d.]+) ([\d.]+)", path)
    return [((float(a), float(b)), (float(c), float(d)), turn == "1") for a, b, turn, c, d in found]


def is_at_end(place):
    return sum(land.moved(place, step) in land.spaces_of(Terrain.RAIL) for step in land.STEPS) == 1


# --- pieces and choices ----------------------------------------------------------------------------


def board_of(play, legal=None):
    return panels(play.observe(play.turn), play.legal_actions if legal is None else legal)[0].svg


def questions(phase, seeds=4):
    """Yield random plays in a phase. Jokers are chosen often, because they open most spaces."""
    for seed in range(seeds):
        play, rng = PLAIN.new(seats=2 + seed % 3, seed=seed), Random(seed)
        while not play.over:
            if play.phase == phase:
                yield play
            joker = [action for action in play.legal_actions if "joker" in play.action_to_string(action)]
            play.apply(rng.choice(joker if joker and rng.random() < 0.6 else play.legal_actions))


def classes(element):
    return {*element.get("class", "").split()}


def test_every_piece_is_a_symbol_of_the_board():
    spaces = tuple(range(EMPTY, BUILT + len(Building))) + (EMPTY,) * (box.CELLS - BUILT - len(Building) - 1)
    tree = ET.fromstring(str(PLAIN.view.board.board(spaces, 3)))
    ids = {element.get("id") for element in tree.iter()}
    shown = [element.get("href") for element in tree.iter(f"{SVG}use")]
    assert {link.removeprefix("#") for link in shown} <= ids
    standing = [link for link in shown if "piece" in link]
    assert len(standing) == len({*standing}) == BUILT + len(Building)
    assert [len(LOOPS.findall(element.get("d"))) for element in tree.iter() if classes(element) == {"water"}] == [2]


@pytest.mark.parametrize("phase", [Phase.START, Phase.SPACE])
def test_the_board_is_veiled_if_more_than_a_third_is_open(phase):
    veiled = 0
    for play in questions(phase):
        drawn, count = board_of(play), sum(action >= SPACE for action in play.legal_actions)
        frames = [element for element in ET.fromstring(drawn).iter() if "possible" in classes(element)]
        assert len(frames) == count
        is_veiled = count > box.CELLS / 3
        assert ('class="veil"' in drawn) == is_veiled
        assert {"open" in classes(frame) for frame in frames} == {is_veiled}
        if is_veiled:
            assert drawn.index('class="veil"') < drawn.index('id="space-0"'), "pieces lie on the veil"
            assert ">0<" not in drawn
            veiled += 1
        assert len(drawn) <= MAX_BYTES
    assert veiled or phase == Phase.START


def test_the_best_spaces_are_filled():
    seen = set()
    for play in questions(Phase.SPACE):
        gained = {}
        for action in play.legal_actions:
            trial = play.copy()
            trial.apply(action)
            gained[action] = trial.state.seat[play.turn].score - play.state.seat[play.turn].score
        most = max(gained.values())
        good = {action for action, points in gained.items() if points == most > 0}
        targets = [element for element in ET.fromstring(board_of(play)).iter() if "target" in classes(element)]
        assert {int(e.get("data-action")) for e in targets if "good" in classes(e)} == good
        shown = [element for element in ET.fromstring(board_of(play)).iter() if "promise" in classes(element)]
        assert sum(points > 0 for points in gained.values()) <= len(shown) <= len(gained)
        if len(gained) <= box.CELLS / 3:
            assert len(shown) == len(gained)
        seen.add(len(good) > 0)
    assert seen == {True, False}


def test_a_board_without_choices_marks_none():
    play = next(questions(Phase.SPACE))
    drawn = board_of(play, [])
    assert not any(name in drawn for name in ("possible", "veil", "target"))


def test_a_preview_shows_a_piece_of_the_board_in_a_filled_frame():
    play = next(questions(Phase.SPACE))
    ghost = ET.fromstring(preview(play.observe(play.turn), play.legal_actions[-1]))
    assert [classes(element) for element in ghost.iter("rect")][:1] == [{"possible", "good"}]
    (piece,) = ghost.iter("use")
    assert f'id="{piece.get("href").removeprefix("#")}"' in board_of(play)
