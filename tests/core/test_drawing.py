"""Cached drawings, cached results about positions, and tables in lists."""

from random import Random
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import svg

import almunia
from almunia.core.memoize import MAX_ANSWERS, memoize
from almunia.core.svg import (
    CachedSvg,
    are_many,
    cached_drawing,
    canvas,
    clickable,
    group_at,
    label,
    rect,
    shape,
    translate_style,
    use,
    veil,
)
from almunia.core.text_view import TextView, draw_text
from almunia.engine.checked import CheckedArray, ConstantTable, checked_table
from almunia.games.alhambra.text import words
from almunia.games.alhambra.view import drawing
from almunia.games.orchard.text import actions

PLAIN = almunia.game("orchard", "plain")


def test_a_piece_is_drawn_once_for_the_same_arguments():
    drawn = []

    @cached_drawing
    def piece(x: float, words: str = "") -> list[svg.Element]:
        drawn.append((x, words))
        return [svg.Text(x=x, text=words), svg.Circle(r=x)]

    assert str(piece(1, "a")) == '<text x="1">a</text><circle r="1"/>'
    assert piece(1, "a") is piece(1, "a")
    assert str(piece(1)) != str(piece(2)) != str(piece(2, words="a"))
    assert drawn == [(1, "a"), (1, ""), (2, ""), (2, "a")]
    assert str(piece(1.0)) == '<text x="1.0"/><circle r="1.0"/>'  # not as whoever came first wrote it


def test_a_cached_drawing_is_an_element():
    group = svg.G(id="all", elements=[svg.Circle(r=1), CachedSvg(svg.Circle(r=2)), CachedSvg([])])
    assert str(group) == '<g id="all"><circle r="1"/><circle r="2"/></g>'


def test_cached_drawings_are_limited():
    drawn = []

    @cached_drawing
    def piece(x: int) -> svg.Element:
        drawn.append(x)
        return svg.Circle(r=x)

    for x in (*range(MAX_ANSWERS + 1), MAX_ANSWERS, 0):
        assert str(piece(x)) == f'<circle r="{x}"/>'
    assert drawn == [*range(MAX_ANSWERS + 1), 0]  # the first one was dropped meanwhile


def test_results_are_memoized_by_position():
    asked = []

    @memoize(lambda s, more=0: (s.to_bytes(), more))
    def drawn_so_far(s, more=0):
        asked.append(more)
        return s.drawn + more

    play = PLAIN.new(seats=1, seed=1)
    before = drawn_so_far(play.state)
    assert drawn_so_far(play.state) == before
    assert drawn_so_far(play.state, 10) == before + 10
    assert drawn_so_far(play.copy().state, more=10) == before + 10
    play.apply(play.legal_actions[0])
    assert drawn_so_far(play.state) == before + 1
    assert asked == [0, 10, 0]


def test_none_is_memoized():
    asked = []

    @memoize(lambda x: x)
    def answer(x):
        asked.append(x)

    assert answer(1) is answer(1) is None
    assert asked == [1]


def findings(game, play):
    """Return the memoized functions of the games, each with arguments from a position."""
    seats, kinds = [play.state.seat[p] for p in range(len(play.ranks()))], range(6)
    match game.name:
        case "alhambra":
            read, drawn = game.checked(words), game.checked(drawing)
            states = [play.observe(seat).state for seat in range(len(seats))]
            return [
                (read.rivalry, [(s,) for s in states]),
                (read.majority, [(s, kind) for s in states for kind in kinds]),
                (read.wall, [(me,) for me in seats]),
                (drawn.longest_run, [(me,) for me in seats]),
            ]
        case "orchard":
            return [(game.checked(actions).noted, [(me,) for me in seats])]


@pytest.mark.parametrize(("name", "seats"), [("alhambra", 2), ("alhambra", 3), ("orchard", 2)])
def test_memoized_results_equal_computed_ones(name, seats):
    """The keys contain everything that a result depends on."""
    game, rng, compared = almunia.game(name, "plain"), Random(seats), 0
    for seed in range(5):
        play = game.new(seats=seats, seed=seed)
        while not play.over and len(play.actions) < 150:
            for function, questions in findings(game, play):
                find = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))[
                    "compute"
                ].cell_contents
                for given in questions:
                    assert function(*given) == find(*given)
                    compared += 1
            play.apply(rng.choice(play.legal_actions))
    assert compared > 100


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 4), (2, 1, 3, 2)])
def test_a_table_in_lists_reads_as_the_checked_array_does(shape):
    array = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    table, slow = checked_table(array), CheckedArray(array)
    assert isinstance(table, ConstantTable)
    assert (table.shape, len(table)) == (slow.shape, len(slow))
    for place in np.ndindex(*shape):
        assert table[place] == slow[place] == array[place]
        assert type(table[place]) is int
        step = table
        for i in place:
            step = step[i]
        assert step == array[place]
    for axis, length in enumerate(shape):
        for wrong in (-1, length):
            place = tuple(wrong if i == axis else 0 for i in range(len(shape)))
            with pytest.raises(IndexError, match=f"Index {wrong} is outside 0 .. {length - 1}"):
                table[place]
            with pytest.raises(IndexError):
                slow[place]


def test_drawing_helpers_write_svg():
    whole = canvas("The board", svg.ViewBoxSpec(0, 0, 8, 4), [shape("M0 0H1", "wall", "new")], "toy")
    assert str(whole) == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4" class="toy" role="img" aria-label="The board">'
        '<path class="wall new" d="M0 0H1"/></svg>'
    )
    assert translate_style(1.5, -2) == "transform:translate(1.5px,-2px)"
    assert translate_style(0, 3, 0.5) == "transform:translate(0px,3px) scale(0.5)"
    assert str(group_at(1, 2, svg.Circle(r=1))) == '<g transform="translate(1 2)"><circle r="1"/></g>'
    assert 'transform="translate(1 2) scale(3)"' in str(group_at(1, 2, scale=3))
    assert str(group_at(1, 2, name="roof", classes=["red"])) == '<g id="roof" transform="translate(1 2)" class="red"/>'
    assert str(label(7, 1, 2, "count")) == '<text class="count" x="1" y="2">7</text>'
    assert str(rect(0, 0, 4, 2, rx=1)) == '<rect x="0" y="0" width="4" height="2" rx="1"/>'
    assert str(use("tree", 1, 2)) == '<use href="#tree" x="1" y="2"/>'
    assert 'transform="translate(1 2) scale(3)"' in str(use("tree", 1, 2, 3))


def test_clickable_shapes_have_an_action_and_a_title():
    area = str(clickable(rect(0, 0, 4, 2, "frame"), 7, "Buy it"))
    assert 'class="target frame"' in area
    assert 'data-action="7"' in area
    assert "<title>Buy it</title>" in area
    assert "<title>" not in str(clickable(svg.Circle(r=1), 7))
    assert 'class="target"' in str(clickable(svg.Circle(r=1), 7))
    assert 'class="target good possible"' in str(clickable(rect(0, 0, 4, 2, "possible"), 7, is_good=True))


def test_a_veil_covers_the_rest_of_a_board_that_is_mostly_open():
    assert [are_many(count, 150) for count in (0, 50, 51, 150)] == [False, False, True, True]
    assert str(veil("M0 0H1", "M2 2H3")) == '<g class="veil"><path d="M0 0H1"/><path class="edge" d="M2 2H3"/></g>'


# --- the view of games without pictures ---------------------------------------------------------------


@pytest.mark.parametrize("text", ["a  b <i> & c\n\n  d", "one line", ""])
def test_a_text_is_drawn_line_by_line_as_it_is(text):
    drawn = ET.fromstring(str(draw_text(text)))
    lines = drawn.findall("{*}text")
    assert "\n".join(line.text or "" for line in lines) == text
    assert {line.get("style") for line in lines} == {"white-space: pre"}
    heights = [float(line.get("y")) for line in lines]
    assert heights == sorted({*heights})
    assert float(drawn.get("viewBox").split()[3]) > heights[-1]


def test_a_game_without_pictures_is_drawn_as_each_seat_reads_it():
    view = TextView(SimpleNamespace(board=lambda state, seat: f"{state}, seen by {seat}"))
    (panel,) = view.panels("position", 1)
    assert (panel.draw, panel.key) == (draw_text, ("position, seen by 1",))
