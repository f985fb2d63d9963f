"""Oregon against a naive second opinion, written from the sheet by somebody who had not read the rules."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.core.checked import reading
from almunia.games.oregon import components as box, rules, text
from almunia.games.oregon.tests import naive

PLAIN = almunia.game("oregon", "plain")
FAST = almunia.game("oregon")
BOARD = naive.board_of(box.DATA)
KINDS = [building["id"] for building in box.DATA["building"]]
WATER = [cell for cell in range(box.CELLS) if box.TERRAIN[cell] == box.Terrain.WATER]
SITES = {kind: naive.start_sites(BOARD, {}, {}, kind) for kind in KINDS}


# --- our state as the oracle sees it ---------------------------------------------------------------


def place(cell):
    """A space of ours as the oracle names it."""
    return divmod(int(cell), box.COLUMNS)


def standing(s):
    """The buildings and the farmers on the board."""
    buildings, farmers = {}, {}
    for cell in range(box.CELLS):
        piece = s.space[cell]
        if piece >= rules.BUILT:
            buildings[place(cell)] = KINDS[piece - rules.BUILT]
        elif piece != rules.EMPTY:
            farmers[place(cell)] = int(piece)
    return buildings, farmers


def cards(s, seat):
    """The landscape cards and the building cards of a hand."""
    hand = [kind for kind in range(box.KINDS) for _ in range(s.seat[seat].hand[kind])]
    return [box.SYMBOLS[k] for k in hand if k < box.LANDS], [KINDS[k - box.LANDS] for k in hand if k >= box.LANDS]


def stocks(s):
    """The stacks by kind."""
    return {kind: int(s.stock[number]) for number, kind in enumerate(KINDS)}


def theirs(s):
    """Every play the oracle allows."""
    me = s.seat[s.turn]
    lands, buildings = cards(s, s.turn)
    return naive.legal_plays(BOARD, *standing(s), lands, buildings, bool(me.joker), stocks(s), int(me.farmers))


def named(s, cell):
    """The two cards chosen and a space, as the oracle's play."""
    chosen = [int(kind) for kind in s.chosen]
    lands = sorted(box.SYMBOLS[kind] for kind in chosen if kind < box.LANDS)
    buildings = [KINDS[kind - box.LANDS] for kind in chosen if box.LANDS <= kind < box.JOKER]
    return naive.Play(tuple(lands), buildings[0] if buildings else None, box.JOKER in chosen, place(cell))


def ours(play):
    """Every play our rules allow, by all ways to choose two cards; or how many discards there are instead."""
    found = set()
    for first in play.legal:
        one = play.copy()
        one.apply(first)
        for second in one.legal:
            two = one.copy()
            two.apply(second)
            if two.phase == rules.Phase.SPACE:
                found |= {named(two.state, action - rules.SPACE) for action in two.legal}
    return found


# --- whole plays -----------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**40), st.booleans())
def test_plays_agree_step_by_step(seats, seed, keen):
    """Legal plays, earnings, tokens, draws, exchanges and the end."""
    play, luck = FAST.new(seats, seed), Random(seed)
    triggered = False
    while not play.over:
        s = play.state
        check = {
            rules.Phase.START: check_start,
            rules.Phase.FIRST: check_plays,
            rules.Phase.EXTRA: check_draws,
            rules.Phase.DRAW: check_draws,
        }.get(rules.Phase(play.phase))
        if check:
            check(play)
        action = chosen_by(play, luck, keen)
        before = play.copy()
        play.apply(action)
        if before.phase == rules.Phase.SPACE:
            check_earnings(before, action - rules.SPACE, play)
        s = play.state
        triggered = triggered or naive.end_triggered(seats, stocks(s), [s.seat[p].farmers for p in range(seats)])
        assert bool(s.final) == triggered
        if action == rules.END:
            assert play.over == naive.game_over(triggered, seats, s.first, before.turn)
    check_end(play)


def chosen_by(play, luck, keen):
    """Any action, or the one that earns most at once."""
    if keen and play.phase == rules.Phase.SPACE:
        return max(play.legal, key=lambda action: (gained(play, action), luck.random()))
    return luck.choice(play.legal)


def gained(play, action):
    """The points of the seat to move after an action."""
    after = play.copy()
    after.apply(action)
    return after.standing()[play.turn, 0]


def check_start(play):
    """Where the start tile may go."""
    s = play.state
    kind = KINDS[s.seat[play.turn].start]
    assert {place(action - rules.SPACE) for action in play.legal} == naive.start_sites(BOARD, *standing(s), kind)


def check_plays(play):
    """The same plays; where there are none, the hand may be discarded."""
    wanted = theirs(play.state)
    assert ours(play) == wanted
    if not wanted:
        assert len(play.legal) == len(set().union(*map(set, cards(play.state, play.turn))))


def check_draws(play):
    """The extra turn, the decks, the exchanges and the end of the turn."""
    s = play.state
    me, (lands, buildings) = s.seat[play.turn], cards(s, play.turn)
    through = bool(s.again) or play.phase == rules.Phase.DRAW  # taken, declined, or there was no token [D12]
    extra = naive.may_take_extra_turn(bool(me.extra), through, theirs(s))
    assert (rules.EXTRA in play.legal) == extra
    decks = naive.decks_to_draw_from(len(lands), len(buildings)) if not s.final else set()
    assert {text.DECKS[a - rules.DRAW] for a in play.legal if rules.DRAW <= a < rules.SWAP} == decks
    assert (rules.END in play.legal) == (not decks)
    if not s.final:
        swaps = {KINDS[a - rules.SWAP] for a in play.legal if rules.SWAP <= a < rules.END}
        check_swaps(play, s, buildings, swaps)
    else:
        assert rules.END in play.legal


def check_swaps(play, s, buildings, swaps):
    """Useless cards may be exchanged where the truth allows it, and where the player cannot know better [D16]."""
    if swaps != true_swaps(s, buildings):
        assert not true_swaps(s, buildings)
        assert swaps == naive.useless_building_cards(buildings, stocks(s))
        seen = play.observe(play.turn)
        assert any(true_swaps(seen.redeal(number).state, buildings) for number in range(500))


def true_swaps(s, buildings):
    """The exchanges that make sense to somebody who knows all hands."""
    outside = Counter({kind: int(box.CARDS[box.LANDS + number]) for number, kind in enumerate(KINDS)})
    outside -= Counter(kind for p in range(s.seats) for kind in cards(s, p)[1])
    return naive.building_cards_to_swap(buildings, stocks(s), outside.elements())


def check_earnings(before, cell, after):
    """Points, tiles and tokens of every seat."""
    was, now = before.state, after.state
    p, spot = before.turn, place(cell)
    buildings, farmers = standing(now)
    used = box.JOKER in list(was.chosen)
    if spot in farmers:
        earned = {q: naive.Earnings() for q in range(before.seats)}
        bonus = naive.group_points(spot, p, standing(was)[1])
        earned[p] = naive.farmer_earnings(spot, buildings, farmers) + naive.Earnings(bonus)
    else:
        earned = naive.building_earnings(spot, buildings[spot], farmers, range(before.seats))
    for q, earning in earned.items():
        old, new = was.seat[q], now.seat[q]
        assert new.score - old.score == earning.points
        assert bool(new.joker) == naive.token_after(bool(old.joker), used and q == p, earning.joker)
        assert bool(new.extra) == naive.token_after(bool(old.extra), used=False, earned=earning.extra_turn)
    for sort, key in enumerate(("coal_tiles", "gold_tiles")):
        left = int(box.TILES[sort]) - sum(int(was.seat[q].tiles[sort]) for q in earned)
        taken = naive.tiles_taken({q: getattr(earned[q], key) for q in earned}, left, p)
        assert all(now.seat[q].tiles[sort] - was.seat[q].tiles[sort] == taken[q] for q in earned)


def check_end(play):
    """Final points and ranks."""
    s = play.state
    farmers = standing(s)[1]
    on_board = {p: list(farmers.values()).count(p) for p in range(play.seats)}
    points = {p: int(play.standing()[p, 0]) for p in range(play.seats)}
    assert dict(enumerate(play.ranks())) == naive.final_ranks(points, on_board)
    hidden = {p: [text.values(s, p, sort) for sort in (0, 1)] for p in range(play.seats)}
    on_track = {p: points[p] - sum(map(sum, hidden[p])) for p in points}
    assert all(points[p] == naive.final_points(on_track[p], *hidden[p]) for p in points)
    assert min(on_track.values()) >= 0


# --- positions made by hand --------------------------------------------------------------------------

PIECES = st.lists(
    st.tuples(st.integers(0, box.CELLS - 1), st.integers(0, box.SEATS + box.BUILDINGS - 1)), min_size=30, max_size=140
)


def crowded(pieces, seed):
    """A position in a four-seat play with these pieces, those that may not stand there left out."""
    play = FAST.new(4, seed)
    s = play.state
    s.phase, s.turn = rules.Phase.FIRST, s.first
    for cell, piece in pieces:
        free = s.space[cell] == rules.EMPTY and cell not in WATER
        if free and (piece < rules.BUILT or place(cell) in SITES[KINDS[piece - rules.BUILT]]):
            s.space[cell] = piece
    play.refresh()
    return play


@settings(max_examples=60, deadline=None)
@given(PIECES, st.integers(0, 1000), st.lists(st.integers(0, 4), min_size=7, max_size=7), st.integers(0, 1))
def test_crowded_positions_agree(pieces, seed, left, joker):
    """The plays of a hand on a crowded board, with stacks and tokens as they come, and what one of them earns."""
    play = crowded(pieces, seed)
    s = play.state
    for building, count in enumerate(left):
        s.stock[building] = count
    s.seat[play.turn].joker = joker
    play.refresh()
    check_plays(play)
    while play.phase != rules.Phase.SPACE and play.phase in (rules.Phase.FIRST, rules.Phase.SECOND):
        play.apply(play.legal[seed % len(play.legal)])
    if play.phase == rules.Phase.SPACE:
        for action in play.legal[:: max(1, len(play.legal) // 5)]:
            after = play.copy()
            after.apply(action)
            check_earnings(play, action - rules.SPACE, after)


@settings(max_examples=150, deadline=None)
@given(st.sets(st.integers(0, 34), max_size=20), st.integers(0, 34))
def test_groups_agree(near, spot):
    """Groups in a corner of the board without water, seven columns by five rows, from all shapes that come."""
    array = FAST.new(2, 1).array
    s = reading(array)
    cells = {spot % 7 + 8 + (spot // 7) * box.COLUMNS for spot in near - {spot}}
    for cell in cells:
        s.space[cell] = 1
    cell = spot % 7 + 8 + (spot // 7) * box.COLUMNS
    found = PLAIN.twins.of(rules).makes_group(s, 1, cell)
    wanted = naive.group_points(place(cell), 1, {place(other): 1 for other in cells})
    assert found == (wanted == box.GROUP_POINTS)


@pytest.mark.parametrize("symbol", box.SYMBOLS)
def test_a_joker_opens_what_all_cards_together_open(symbol):
    """[7.1]"""
    card = box.SYMBOLS.index(symbol)
    row = box.ROW[card, box.JOKER]
    spaces = {place(box.OPENED[row, i]) for i in range(box.LENGTH[row])}
    assert spaces == naive.farmer_spaces_with_joker(BOARD, {}, {}, symbol)
