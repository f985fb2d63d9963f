"""Tests of the pictures of Alhambra. Docstrings cite RULES.md."""

import itertools
import re
from xml.etree import ElementTree as ET

import pytest

from almunia.games.alhambra import components as box
from almunia.games.alhambra.tests import naive
from almunia.games.alhambra.tests.positions import PLAIN, chronicle, done, position
from almunia.games.alhambra.tests.scenes import TILE
from almunia.games.alhambra.text.words import tile_in_words, tile_name
from almunia.games.alhambra.view import drawing, hand, majorities, market
from almunia.play.panels import panels, preview

U, CARD = drawing.U, drawing.CARD
CELLS = {"number", "total"}
IN_SHORT = {tile_in_words(tile): tile_name(tile) for tile in range(box.FOUNTAIN)}
MOVED = re.compile(r"transform:translate\((.*?)px,(.*?)px\)(?: scale\((.*)\))?")

SHOPPING = (
    "s.turn: 0",
    "hand/0: florin 9, florin 5, florin 3, florin 2, florin 1, dirham 9",
    "hand/1: dirham 8, dirham 1",
    "hand/2: ducat 2",
    "open: florin 2, denar 1, denar 2, ducat 6",
    "market: garden 8 NE, tower 8 NES, tower 12 open, tower 11 open",
    "built/0: tower 13 E at 1E, tower 11 N at 1N",
    "built/1: garden 8 NW at 1W",
    "reserve/0: pavilion 2 NEW, chambers 9 W",
    "reserve/1: tower 10 W",
)


def pictures(play, reader, legal=()):
    """Return the panels that a reader gets, as element trees by name."""
    return {panel.name: ET.fromstring(panel.svg) for panel in panels(play.observe(reader), legal)}


def find_all(tree, *classes):
    return [element for element in tree.iter() if {*classes} <= {*element.get("class", "").split()}]


def title(piece):
    found = next(element.text for element in piece if element.tag.endswith("title"))
    return IN_SHORT.get(found, found)


def corner(piece):
    x, y, scale = MOVED.fullmatch(piece.get("style")).groups()
    return float(x), float(y), float(scale or 1)


def pieces(tree, kind, width, height):
    """Yield the name and the left, top, right and bottom edge of each tile or card in a picture."""
    for piece in find_all(tree, kind):
        x, y, scale = corner(piece)
        yield title(piece), x, y, x + width * scale, y + height * scale


def offered(tree):
    """Return the middle of each place to click, by action."""
    return {
        int(spot.get("data-action")): (
            float(spot.get("x")) + float(spot.get("width")) / 2,
            float(spot.get("y")) + float(spot.get("height")) / 2,
        )
        for spot in tree.iter()
        if spot.get("data-action")
    }


def lying_at(tree, place, kind="tile", width=U, height=U):
    x, y = place
    return [n for n, left, top, right, low in pieces(tree, kind, width, height) if left < x < right and top < y < low]


def cell_of(spot):
    row = column = 0
    for word in spot.split():
        step = naive.STEP[word[-1]]
        row, column = row + step[0] * int(word[:-1]), column + step[1] * int(word[:-1])
    return row, column


def names_by_action(play, kind):
    """Return the text of the part `kind`, by action, of the legal actions that have such a part."""
    found = {action: PLAIN.text.parts(play.state, action) for action in play.legal_actions}
    return {action: part[kind] for action, part in found.items() if kind in part}


# --- what can be clicked -------------------------------------------------------------------------


def test_targets_are_at_the_place_of_their_piece():
    """[4.1, 5.1, 7.1, 7.2]"""
    play = position(*SHOPPING)
    seen = pictures(play, 0, play.legal_actions)
    spots = offered(seen["market"])
    squares = {e.get("id"): float(e.get("transform")[10:].split()[0]) for e in find_all(seen["market"], "square")}
    for action, name in names_by_action(play, "buy").items():
        square = {"garden 8 NE": "square-0", "tower 8 NES": "square-1"}[name]
        assert 0 < spots[action][0] - squares[square] < market.WIDE
    for action, name in names_by_action(play, "take").items():
        assert lying_at(seen["market"], spots[action], "money", *CARD) == [name]
    for kind, panel in (("fetch", "hand"), ("remove", "alhambra")):
        for action, name in names_by_action(play, kind).items():
            assert lying_at(seen[panel], offered(seen[panel])[action]) == [name]
    assert not any(map(offered, pictures(play, 1).values()))
    paying = done(play, "buy garden 8 NE")
    seen = pictures(paying, 0, paying.legal_actions)
    assert [square.get("id") for square in find_all(seen["market"], "paying")] == ["square-0"]
    spots = offered(seen["hand"])
    for action, name in names_by_action(paying, "pay").items():
        assert name in lying_at(seen["hand"], spots[action], "money", *CARD)


def test_targets_of_cells_match_their_names():
    """[7.1, 7.3, 8.1, D16]"""
    play = done(position(*SHOPPING), "use chambers 9 W")
    spots = offered(pictures(play, 0, play.legal_actions)["alhambra"])
    cells = names_by_action(play, "build")
    assert set(spots) == set(cells)
    for action, spot in cells.items():
        row, column = cell_of(spot)
        assert spots[action] == ((column + 0.5) * U, (row + 0.5) * U)
    swaps = done(position(*SHOPPING, "reserve/0: garden 9 E"), "use garden 9 E")
    seen = pictures(swaps, 0, swaps.legal_actions)["alhambra"]
    taken = {int(spot.get("data-action")) for spot in find_all(seen, "target", "swap")}
    free = {int(spot.get("data-action")) for spot in find_all(seen, "target", "spot")}
    assert {swaps.action_to_string(action).count(" for ") for action in taken} == {1}
    assert {swaps.action_to_string(action).count(" for ") for action in free} == {0}


def test_a_tile_being_positioned_is_marked():
    """[8.2]"""
    play = position(*SHOPPING)
    two = "buy garden 8 NE", "pay florin 5", "pay florin 3", "buy tower 8 NES", "pay dirham 9"
    picking = done(play, *two)
    seen = pictures(picking, 0, picking.legal_actions)["hand"]
    for action, name in names_by_action(picking, "pick").items():
        assert lying_at(seen, offered(seen)[action]) == [name]
    assert len(find_all(seen, "waiting")) == 2
    done(picking, "position tower 8 NES")
    (meant,) = find_all(pictures(picking, 0, picking.legal_actions)["hand"], "meant")
    seen = pictures(picking, 0, picking.legal_actions)["hand"]
    assert lying_at(seen, (float(meant.get("x")) + 20, float(meant.get("y")) + 20)) == ["tower 8 NES"]
    for reader in (1, 2):  # the others see both next to the Alhambra
        assert len(find_all(pictures(picking, reader)["alhambra-0"], "waiting")) == 2


def test_tiles_that_can_be_paid_exactly_are_marked():
    """[5.3]"""
    play = position(*SHOPPING)
    for reader, marked in ((0, ["garden 8 NE"]), (1, ["tower 8 NES"]), (2, [])):
        assert exact(pictures(play, reader)["market"]) == marked
    # 5 + 3 is exact. A 5 may not follow a 3, and three times 3 is too much.
    for threes in (1, 3):
        hand = ", ".join(["florin 5", *["florin 3"] * threes])
        paying = done(position(*SHOPPING, f"hand/0: {hand}"), "buy garden 8 NE")
        assert len(paying.legal_actions) == (1 if threes == 1 else 2)
        seen = pictures(paying, 0, paying.legal_actions)["hand"]
        (x, _), *others = (mark_at(mark) for mark in find_all(seen, "exact"))
        assert not others
        assert [n for n, _, _, right, _ in pieces(seen, "money", *CARD) if abs(right - x) < 10] == ["florin 5"]


def mark_at(mark):
    return tuple(map(float, mark.get("transform")[10:-1].split()))


def exact(tree):
    squares = [mark_at(square)[0] for square in find_all(tree, "square")]
    marked = {square_of(squares, mark_at(mark)[0]) for mark in find_all(tree, "exact")}
    return [name for name, x, *_ in pieces(tree, "tile", U, U) if square_of(squares, x) in marked]


def square_of(squares, x):
    return max(left for left in squares if left <= x)


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_every_seat_is_shown_with_its_own_things(memory):
    """[2.3, 8.3, D8]"""
    play = position(*SHOPPING, memory=memory)
    hands = (
        ["florin 9", "florin 5", "florin 3", "florin 2", "florin 1", "dirham 9"],
        ["dirham 8", "dirham 1"],
        ["ducat 2"],
    )
    built = {"tower 13 E", "tower 11 N"}, {"garden 8 NW"}, set()
    reserves = {"pavilion 2 NEW", "chambers 9 W"}, {"tower 10 W"}, set()
    for reader in (-1, 0, 1, 2):
        seen = pictures(play, reader)
        own = max(reader, 0)
        for p in range(3):
            tree = seen["alhambra" if p == own else f"alhambra-{p}"]
            tiles = {name: corner(piece) for piece in find_all(tree, "tile") for name in [title(piece)]}
            beside = set() if p == own else reserves[p]
            assert set(tiles) == built[p] | beside | {"fountain"}
            assert {name for name, (_, _, scale) in tiles.items() if scale != 1} == beside
        assert {title(piece) for piece in find_all(seen["hand"], "tile")} == reserves[own]
        known = memory == "perfect" or reader >= 0
        assert [name for name, *_ in pieces(seen["hand"], "money", *CARD)] == (hands[own] if known else [])
        assert ("hands" in seen) == (memory == "perfect")
        if "hands" in seen:
            assert [name for name, *_ in pieces(seen["hands"], "money", *CARD)] == [
                name for hand in hands for name in hand
            ]


def test_the_label_of_the_hand_names_its_cards():
    play = position("hand/0: florin 9, dirham 1", "reserve/0: garden 8 NE")
    told = [pictures(play, reader)["hand"].get("aria-label") for reader in (0, 1, -1)]
    assert told[0] == "Hand and reserve; money: florin 9 and dirham 1; in reserve: garden 8 NE"
    assert "florin 9 and" not in told[1]
    assert told[2] == "Hand and reserve; in reserve: garden 8 NE"
    paid = done(position(*SHOPPING), "buy garden 8 NE", "pay florin 5", "pay florin 3")
    assert "; to place: garden 8 NE" in pictures(paid, 0)["hand"].get("aria-label")


@pytest.mark.parametrize("cards", [0, 1, 8, 12, 13, 30])
@pytest.mark.parametrize("tiles", [0, 1, 3, 9, 20])
def test_hands_of_any_size_fit_into_the_picture_without_overlaps(cards, tiles):
    """[8.3]"""
    places = hand.laid_out(cards, tiles)
    assert (len(places.cards), len(places.tiles)) == (cards, tiles)
    width, height = CARD
    for x, y in places.cards:
        assert 0 <= x <= hand.WIDTH - width
        assert 0 <= y <= places.height - height
    for (x, y), (right, low) in itertools.pairwise(places.cards):
        assert right - x >= hand.LEAST_STEP or low > y + height
    for x, y in places.tiles:
        assert max((right + width for right, _ in places.cards), default=-1) < x <= hand.WIDTH - hand.TALL
        assert 0 <= y <= places.height - hand.TALL
    assert len({*places.tiles}) == tiles


def test_an_empty_reserve_is_shown_if_it_fits():
    """[2.1]"""
    assert len(find_all(pictures(position("reserve/0:"), 0)["hand"], "vacant")) == 1
    assert not find_all(pictures(position(*SHOPPING), 0)["hand"], "vacant")
    assert hand.laid_out(12, 0).vacant is None


def test_the_market_shows_the_next_scoring():
    """[2.6, 9.3, 11.1, D2]"""
    for seed in range(5):
        play = PLAIN.new(seats=3, seed=seed)
        said = market.next_scoring(play.observe(0).state)
        money = play.state.deck_at_first - 2
        piles = [money // 5 + (pile < money % 5) for pile in range(5)]
        assert said == ("1st scoring", f"in ≤ {piles[0] + piles[1] + 1} cards")
    state = play.state
    state.scoring_cards, state.due = 1, 1
    assert market.next_scoring(state) == ("1st scoring", "now")
    state.due = 0
    state.deck_size -= 40
    assert market.next_scoring(state) == ("2nd scoring", f"in ≤ {sum(piles[:4]) + 2 - 40} cards")
    state.scoring_cards = 2
    assert market.next_scoring(state) == ("3rd scoring", "at the end")


def test_hand_and_market_are_not_shown_after_the_end():
    """[11.5]"""
    play, _ = chronicle("the_end")
    assert play.over
    assert [*pictures(play, 0)] == ["alhambra", "majorities", "alhambra-1", "alhambra-2", "points"]


def test_free_places_beside_buildings_are_in_the_picture():
    """[6.4]"""
    play = done(position(*SHOPPING), "buy garden 8 NE", "pay florin 9")
    drawn = {panel.name: panel for panel in panels(play.observe(0), play.legal_actions)}
    (left, top, width, height) = map(float, ET.fromstring(drawn["alhambra"].svg).get("viewBox").split())
    assert (left, top, width, height) == (-100, -200, 400, 400)
    for x, y in offered(ET.fromstring(drawn["alhambra"].svg)).values():
        assert left + U / 2 <= x <= left + width - U / 2
        assert top + U / 2 <= y <= top + height - U / 2
    assert drawn["alhambra-1"].size < drawn["alhambra"].size


def test_prices_are_shown_on_tiles_outside_of_alhambras():
    """[5.1]"""
    seen = pictures(position(*SHOPPING), 0)
    assert {name for name, tree in seen.items() if find_all(tree, "price")} == {"hand", "market"}
    assert [e.text for e in find_all(seen["market"], "price")] == ["8", "8", "12", "11"]


@pytest.mark.parametrize("tile", range(box.TILES))
def test_paths_lead_out_of_open_sides_and_walls_stand_at_the_others(tile):
    """[1.1]"""
    piece = ET.fromstring(str(PLAIN.checked(drawing).tile(tile)).replace("<g ", '<g xmlns="x" ', 1))
    middles = {"N": "M50 0V", "E": "M100 50H", "S": "M50 100V", "W": "M0 50H"}
    bands = {"N": "M0 0H100V11", "E": "M89 0H100", "S": "M0 89H100", "W": "M0 0H11V100"}
    for picture, starts, wanted in (("way", middles, False), ("wall", bands, True)):
        drawn = "".join(path.get("d") for path in find_all(piece, picture))
        assert {s for s in "NESW" if starts[s] in drawn} == {
            s for s in "NESW" if (s in naive.TILES[tile]["walls"]) == wanted
        }


def test_names_of_tiles_describe_their_walls():
    assert {tile_in_words(TILE[name]) for name in ("pavilion 2 NEW", "garden 8 NE", "tower 13 E", "tower 12 open")} == {
        "pavilion 2, walls north, east and west",
        "garden 8, walls north and east",
        "tower 13, wall east",
        "tower 12, no walls",
    }


def test_the_majorities_count_buildings_and_points_of_all_seats():
    """[10.2, 10.3, 12.3]"""
    play, _ = chronicle("dirk")
    seen = pictures(play, 0)["majorities"]
    tops = [float(e.get("y")) for e in find_all(seen, "stripe")]
    cells = [(float(e.get("y")), e.text) for e in seen.iter() if {*e.get("class", "").split()} & CELLS]
    assert [[words for y, words in cells if top < y < top + majorities.ROW] for top in tops] == [
        ["0", "0", "0", "0", "0", "1", "1", "+14"],
        ["0", "0", "0", "0", "0", "0", "0", "+0"],
        ["0", "2", "3", "3", "2", "2", "+95"],
    ]
    assert [e.text for e in find_all(seen, "gain")] == ["+13", "+17", "+18", "+19", "+20", "+21"]
    assert len(find_all(seen, "most")) == 6  # Dirk has most of five kinds, and the reader has the longest wall
    titles = {panel.name: panel.title for panel in panels(play.observe(0))}
    assert titles["majorities"] == "Who leads (third scoring)"
    assert titles["dirk"] == "Dirk: 57 points, can't win"
    said = seen.get("aria-label")
    assert said.startswith(
        "Who leads for the third scoring. Pavilions: no player. Seraglios: Dirk with 2 for 17 points. "
    )
    assert said.endswith("Longest wall: you with 1. Points in all: you with 14.")
    assert len(find_all(pictures(play, 0)["dirk"], "tile")) == 12
    prizes = [e.text for e in find_all(pictures(position(seats=2), 0)["majorities"], "prize")]
    assert prizes[:6] == ["1", "2", "3", "4", "5", "6"]


# --- what an action would change -----------------------------------------------------------------


def test_a_ghost_shows_the_wall_and_the_gain_as_they_would_be():
    """[10.6]"""
    play = done(position(*SHOPPING), "buy garden 8 NE", "pay florin 9")
    drawn = ET.fromstring(preview(play.observe(0), play.string_to_action("build garden 8 NE at 1N 1E")))
    (wall,) = find_all(drawn, "longest")
    assert title(wall) == "Longest wall: 4"
    assert "".join(find_all(drawn, "sum")[0].itertext()) == "+5"  # three sides, and a half of 5 for the gardens
    ((name, x, y, *_),) = pieces(drawn, "tile", U, U)
    assert (name, x, y) == ("garden 8 NE", 100, -100)
    lost = position("s.turn: 0", "built/0: garden 8 NE at 1E")
    offered = panels(lost.observe(0), lost.legal_actions)[0].svg
    assert "quiet" in offered
    assert "promise" not in offered, "the price is shown with the ghost"
    drawn = ET.fromstring(preview(lost.observe(0), lost.string_to_action("remove garden 8 NE")))
    assert "".join(find_all(drawn, "sum")[0].itertext()) == "\N{MINUS SIGN}7"
    assert title(find_all(drawn, "longest")[0]) == "Longest wall: 0"
    assert [(float(e.get("x")), float(e.get("y"))) for e in find_all(drawn, "edge")] == [(102, 2)]


def test_a_ghost_marks_the_legal_places_of_a_tile():
    """[7.1, 7.3, 8.1, D6]"""
    play = position(*SHOPPING, "reserve/0: garden 9 E", "hand/0: florin 9")
    for spoken, place in (("buy garden 8 NE", None), ("use garden 9 E", "garden 9 E")):
        drawn = ET.fromstring(preview(play.observe(0), play.string_to_action(spoken)))
        could = {((float(e.get("x")) - 8) / U, (float(e.get("y")) - 8) / U) for e in find_all(drawn, "could")}
        name = place or "garden 8 NE"
        alhambra = {(0, 0): naive.FOUNTAIN, (0, 1): TILE["tower 13 E"], (-1, 0): TILE["tower 11 N"]}
        cells = {*naive.placements(alhambra, TILE[name])}
        cells |= {cell for cell in alhambra if place and naive.may_exchange(alhambra, cell, TILE[name])}
        assert could == {(column, row) for row, column in cells}
