"""Alhambra against a naive oracle, written from the sheet alone, without the code of the rules."""

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.games.alhambra import components as box, rules
from almunia.games.alhambra.rules import building, scoring, state
from almunia.games.alhambra.tests import naive
from almunia.games.alhambra.text.words import cards_of, members, spot
from almunia.games.alhambra.view import drawing

PLAIN = almunia.game("alhambra", "plain")
FAST = almunia.game("alhambra")
BUILDING = PLAIN.backend.specialize(building)
SCORING = PLAIN.backend.specialize(scoring)
DRAWING = PLAIN.checked(drawing)


def place(cell):
    """Return a cell as the oracle names it."""
    row, column = divmod(int(cell), box.SIDE)
    return state.offset(row), state.offset(column)


def oracle_of(s, seat):
    """Return an Alhambra as the oracle keeps it."""
    return {(0, 0): naive.FOUNTAIN} | {place(s.cell[tile]): tile for tile in members(s.seat[seat].built)}


# --- building: Alhambras made by Hypothesis -----------------------------------------------------------


rng = st.lists(st.floats(0, 1, exclude_max=True), min_size=45, max_size=45)
BUILT = given(st.randoms(use_true_random=False), rng, st.sampled_from(["any", "close", "long"]))


@settings(max_examples=8, deadline=None)
@BUILT
def test_placements_removals_exchanges_and_walls_agree(random, rng, taste):
    """[6.1-6.5, 7.2-7.5, 10.6, 10.7, D6, D7]"""
    compare_building(random, rng, taste)


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@BUILT
def test_many_placements_removals_exchanges_and_walls_agree(random, rng, taste):
    compare_building(random, rng, taste)


def compare_building(random, rng, taste):
    """Build an Alhambra tile by tile, and compare it on the way."""
    s = PLAIN.new(seats=3, seed=1).state
    me = s.seat[0]
    tiles = list(range(box.TILES))
    random.shuffle(tiles)
    for number, chance in enumerate(rng):
        if number % 3 == 0:
            compare_alhambra(s, me, tiles[:3])
        act(s, me, tiles, chance, taste)


def act(s, me, tiles, chance, taste):
    """Build, exchange or remove, so that all shapes occur."""
    removable = [tile for tile in members(me.built) if BUILDING.may_remove(s, me, tile)]
    spots = cells_for(s, me, tiles[0]) if tiles else []
    if chance < 0.12 and removable:
        tile = removable[int(chance / 0.12 * len(removable))]
        BUILDING.unbuild(s, me, tile)
        tiles.append(tile)
    elif chance < 0.2 and tiles and (swaps := exchanges_for(s, me, tiles[0])):
        cell = swaps[int((chance - 0.12) / 0.08 * len(swaps))]
        old = me.grid[cell]
        BUILDING.unbuild(s, me, old)
        BUILDING.build(s, me, tiles.pop(0), cell)
        tiles.append(old)
    elif spots:
        if taste != "any":
            spots.sort(key=lambda cell: filled_around(me, cell), reverse=taste == "close")
            spots = spots[: 1 + len(spots) // 3]
        BUILDING.build(s, me, tiles.pop(0), spots[int(chance * len(spots))])
    elif tiles:
        tiles.append(tiles.pop(0))
    me.reserve = 0


def filled_around(me, cell):
    """Return the number of tiles on the eight cells around a cell."""
    return sum(me.grid[other] >= 0 for other in box.RING[cell].tolist())


def cells_for(s, me, tile):
    """Return the empty cells where the rules let a tile fit."""
    out = [0] * box.CELLS
    return out[: BUILDING.spots(s, me, tile, 0, out)]


def exchanges_for(s, me, tile):
    """Return the cells whose tile the rules let this one replace."""
    out = [0] * box.CELLS
    return out[: BUILDING.exchanges(s, me, tile, 0, 0, out)]


def compare_alhambra(s, me, tiles):
    """Check that the rules and the oracle agree about an Alhambra."""
    theirs = oracle_of(s, 0)
    assert naive.is_legal(theirs)
    for tile in tiles:
        assert sorted(map(place, cells_for(s, me, tile))) == naive.placements(theirs, tile)
        assert bool(BUILDING.fitting(s, me, 1 << tile)) == bool(naive.placements(theirs, tile))
        swaps = sorted(cell for cell in theirs if naive.may_exchange(theirs, cell, tile))
        assert sorted(map(place, exchanges_for(s, me, tile))) == swaps
        assert bool(BUILDING.replacing(s, me, 1 << tile)) == bool(swaps)
    ours = {place(s.cell[tile]) for tile in members(me.built) if BUILDING.may_remove(s, me, tile)}
    assert ours == {cell for cell in theirs if naive.may_remove(theirs, cell)}
    assert SCORING.longest_wall(me) == naive.longest_wall(theirs)
    assert len(DRAWING.longest_run(me)) == naive.longest_wall(theirs)


def test_a_grid_of_joined_edges_agrees_where_it_wraps():
    """[D16]: a long row of tiles comes near the edge where rows and columns are joined."""
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        s = PLAIN.new(seats=3, seed=1).state
        me = s.seat[0]
        across = [1, 3] if down else [0, 2]  # sides that may have a wall
        through = [t for t in range(box.TILES) if not any(box.WALL[t, side] for side in range(4) if side not in across)]
        row, column = 0, 0
        for tile in through:
            row, column = row + down, column + right
            cell = row % box.SIDE * box.SIDE + column % box.SIDE
            if BUILDING.fits(me, tile, cell):
                BUILDING.build(s, me, tile, cell)
            else:
                row, column = row - down, column - right
        assert len(list(members(me.built))) > 10
        compare_alhambra(s, me, [tile for tile in range(box.TILES) if not me.built & (1 << tile)][:5])


# --- money, majorities and the end: whole random plays --------------------------------------------------


def test_money_taken_and_paid_agrees():
    """[4.1, 4.2, 5.1-5.3, D3]"""
    for seed in range(5):
        compare_money(PLAIN, seed)


@pytest.mark.exhaustive
def test_money_taken_and_paid_agrees_in_many_plays():
    """This runs the compiled build."""
    for seed in range(20):
        compare_money(FAST, seed)


def compare_money(game, seed):
    """Compare takings and payments along the first actions of a random play."""
    play, rng = game.new(seats=2 + seed % 5, seed=seed), Random(seed)
    for _ in range(150):
        if play.over:
            break
        if play.phase == state.Phase.ACT:
            compare_takings(play)
            compare_payments(play)
        play.apply(rng.choice(play.legal_actions))


def sums_reached(play, first, phase):
    """Return every row of cards that actions can take or pay, from these first actions on."""
    found, waiting = set(), []
    for action in first:
        after = play.copy()
        after.apply(action)
        waiting.append((after, (action,)))
    while waiting:
        now, row = waiting.pop()
        going_on = now.phase == phase
        if not going_on or state.ENOUGH in now.legal_actions:
            found.add(row)
        for action in now.legal_actions if going_on else ():
            if action != state.ENOUGH:
                after = now.copy()
                after.apply(action)
                waiting.append((after, (*row, action)))
    return found


def compare_takings(play):
    """Check that each set of open cards that the sheet allows can be taken, in one way only."""
    shown = sorted(card for card in play.state.display if card >= 0)
    wanted = set()
    for mask in range(1 << len(shown)):
        row = tuple(card for i, card in enumerate(shown) if mask >> i & 1)
        if naive.may_take([card % box.VALUES + 1 for card in row]):
            wanted.add(row)
    first = [action for action in play.legal_actions if action < state.ENOUGH]
    assert sums_reached(play, first, state.Phase.TAKE) == wanted


def compare_payments(play):
    """Check that exactly the payments without a superfluous card can be made, exact ones included."""
    s = play.state
    me = s.seat[play.turn]
    for square, tile in enumerate(s.market):
        hand = [v for v in range(1, box.VALUES + 1) for _ in range(me.hand[square * box.VALUES + v - 1])]
        action = state.BUY + square
        if tile < 0 or action not in play.legal_actions:
            assert tile < 0 or not naive.payments(hand, box.PRICE[tile])
            continue
        after = play.copy()
        after.apply(action)
        rows = sums_reached(after, after.legal_actions, state.Phase.PAY)
        paid = [tuple(sorted(code - state.PAY + 1 for code in row)) for row in rows]
        assert len(set(paid)) == len(paid)
        assert set(paid) == naive.minimal(hand, box.PRICE[tile])
        assert naive.exact(hand, box.PRICE[tile]) <= set(paid)


def test_scoring_and_left_overs_agree():
    """[10.1-10.8, 11.1-11.6, 12.3, D9, D13]"""
    for seed in range(5):
        compare_scoring(PLAIN, seed)


@pytest.mark.exhaustive
def test_scoring_and_left_overs_agree_in_many_plays():
    """This runs the compiled build."""
    for seed in range(60):
        compare_scoring(FAST, seed)


def compare_scoring(game, seed):
    """Compare scoring rounds and left-over tiles along a random play."""
    play, rng, held = game.new(seats=2 + seed % 5, seed=seed), Random(seed), 0
    while not play.over:
        before = play.copy()
        play.apply(rng.choice(play.legal_actions))
        if before.phase == state.Phase.SCORE:
            held += 1
            compare_round(held, before.state, play.state)
        if play.state.final and any(market_given(before, play)):
            compare_left_overs(before, play)
    assert held == len(naive.PRIZES)


def compare_round(held, s, after):
    """Compare the points of the first, second or third round."""
    built = [s.seat[p].built for p in range(s.seats)] + ([s.dirk] if s.seats == 2 else [])
    points = naive.majorities([counted(members(tiles)) for tiles in built], held)
    for p in range(s.seats):
        assert list(after.seat[p].earned[held - 1]) == [points[p], naive.longest_wall(oracle_of(s, p))]
    if s.seats == 2:
        assert after.dirk_earned[held - 1] == points[2]


def counted(tiles):
    """Return the number of tiles of each kind."""
    kinds = [naive.TILES[tile]["kind"] for tile in tiles]
    return [kinds.count(kind) for kind in naive.KINDS]


def market_given(before, play):
    """Return, by seat, the left-over tiles it has just got."""
    return [play.state.seat[p].leftover & ~before.state.seat[p].leftover for p in range(play.seats)]


def compare_left_overs(before, play):
    """Compare the owners of the tiles left in the market."""
    s = play.state
    holdings = [
        [
            [v for v in range(1, box.VALUES + 1) for _ in range(s.seat[p].hand[square * box.VALUES + v - 1])]
            for square in range(box.MARKET)
        ]
        for p in range(play.seats)
    ]
    given = {tile: p for p in range(play.seats) for tile in members(s.seat[p].leftover)}
    for square, tile in enumerate(before.state.market):
        if tile >= 0 and s.market[square] != tile:
            owners = naive.leftovers(holdings, [tile if i == square else None for i in range(box.MARKET)])
            assert given[tile] == owners[square]
    assert naive.leftovers(holdings, [t if t >= 0 else None for t in s.market]) == [None] * box.MARKET


@pytest.mark.parametrize("deals", [120, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_the_starting_player_agrees(deals):
    """[2.4, D1]"""
    chosen = set()
    for seed in range(deals):
        s = PLAIN.new(seats=2 + seed % 5, seed=seed).state
        hands = [[card % box.VALUES + 1 for card in cards_of(s.seat[p])] for p in range(s.seats)]
        could = naive.start_player(hands)
        assert s.turn in could
        if len(could) > 1:
            chosen.add(could.index(s.turn))
    assert chosen >= {0, 1}


def test_cells_are_named_by_their_distance():
    assert spot(box.SIDE - 1) == "1W"
    assert spot(box.SIDE * (box.SIDE - 2) + 3) == "2N 3E"
    assert rules.ACTIONS == state.SCORE + 1
