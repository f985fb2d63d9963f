"""Tests of Oregon against an independent implementation. Docstrings cite RULES.md."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import almunia
from almunia.engine.checked import checked_record
from almunia.games.oregon import components as box
from almunia.games.oregon.rules import phases as rules
from almunia.games.oregon.tests import naive
from almunia.games.oregon.text import words

PLAIN = almunia.game("oregon", "plain")
FAST = almunia.game("oregon")
BOARD = naive.board_of(box.DATA)
KINDS = [building["id"] for building in box.DATA["building"]]
STACK, FARMERS = 4, 14  # number of tiles of a building, and of farmers of a seat
WATER = [cell for cell in range(box.CELLS) if box.TERRAIN[cell] == box.Terrain.WATER]
SITES = {kind: naive.start_sites(BOARD, {}, {}, kind) for kind in KINDS}


# --- the state as the oracle sees it ---------------------------------------------------------------


def place(cell):
    return divmod(int(cell), box.COLUMNS)


def standing(s):
    buildings, farmers = {}, {}
    for cell, piece in enumerate(s.space._array.tolist()):
        if piece >= rules.BUILT:
            buildings[place(cell)] = KINDS[piece - rules.BUILT]
        elif piece != rules.EMPTY:
            farmers[place(cell)] = piece
    return buildings, farmers


def cards(s, seat):
    hand = [kind for kind in range(box.KINDS) for _ in range(s.seat[seat].hand[kind])]
    return [box.SYMBOLS[k] for k in hand if k < box.LANDS], [KINDS[k - box.LANDS] for k in hand if k >= box.LANDS]


def hands(s):
    return [Counter(dict(enumerate(s.seat[p].hand._array.tolist()))) for p in range(s.seats)]


@dataclass
class Book:
    """The oracle's record of a play, made without the state's counters `stock`, `farmers`, `again` and `final`."""

    starter: int
    starts: list[str] = field(default_factory=list)  # kinds of the start tiles placed
    chosen: list[int] = field(default_factory=list)  # kinds of card chosen for the next placement
    settled: bool = False  # whether the extra turn has been taken or declined
    triggered: bool = False

    def stocks(self, s):
        built = Counter(standing(s)[0].values()) - Counter(self.starts)
        return {kind: STACK - built[kind] for kind in KINDS}

    def note(self, before, action, after):
        match rules.Phase(before.phase):
            case rules.Phase.START:
                self.starts.append(KINDS[before.state.seat[before.turn].start])
            case rules.Phase.FIRST | rules.Phase.SECOND:
                self.chosen.append(action - rules.CARD)
            case rules.Phase.SPACE:
                on_board = list(standing(after.state)[1].values())
                left = [FARMERS - on_board.count(p) for p in range(after.seats)]
                self.triggered |= naive.end_triggered(after.seats, self.stocks(after.state), left)
            case rules.Phase.EXTRA | rules.Phase.DRAW:
                self.settled = action != rules.END


def theirs(s, stocks):
    me = s.seat[s.turn]
    lands, buildings = cards(s, s.turn)
    left = FARMERS - list(standing(s)[1].values()).count(s.turn)
    return naive.legal_plays(BOARD, *standing(s), lands, buildings, bool(me.joker), stocks, left)


def oracle_play(chosen, cell):
    lands = sorted(box.SYMBOLS[kind] for kind in chosen if kind < box.LANDS)
    buildings = [KINDS[kind - box.LANDS] for kind in chosen if box.LANDS <= kind < box.JOKER]
    return naive.Play(tuple(lands), buildings[0] if buildings else None, box.JOKER in chosen, place(cell))


def ours(play):
    found = set()
    for first in play.legal_actions:
        one = play.copy()
        one.apply(first)
        for second in one.legal_actions:
            two, chosen = one.copy(), [first - rules.CARD, second - rules.CARD]
            two.apply(second)
            if two.phase == rules.Phase.SPACE:
                found |= {oracle_play(chosen, action - rules.SPACE) for action in two.legal_actions}
    return found


# --- whole plays -----------------------------------------------------------------------------------


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**40), st.sampled_from(["any", "points", "farmers"]))
def test_plays_agree_step_by_step(seats, seed, taste):
    compare_play(FAST, seats, seed, taste)


def compare_play(game, seats, seed, taste):
    """Compare a whole play with the oracle, and return the number of each event."""
    play, rng, seen = game.new(seats, seed), Random(seed), Counter()
    book = Book(play.turn)
    while not play.over:
        phase = rules.Phase(play.phase)
        compare_choices(play, phase, book)
        before, action = play.copy(), chosen_by(play, rng, taste)
        play.apply(action)
        book.note(before, action, play)
        seen.update(compare_outcome(before, phase, action, play, book))
        assert bool(play.state.final) == book.triggered
        assert dict(zip(KINDS, play.state.stock, strict=True)) == book.stocks(play.state)
    check_end(before, play)
    seen[rules.EndReason(play.state.over).name] += 1
    return seen


def test_the_compared_plays_reach_every_event():
    seen = Counter()
    for seats, seed, taste in SHOWING_ALL:
        seen += compare_play(PLAIN, seats, seed, taste)
    assert set(seen) == EVENTS


EVENTS = {"joker used", "joker won", "extra turn used", "extra turn won", "coal", "gold", "group", "others earn"}
EVENTS |= {"discards", "exchange", "reshuffle", "END"}
EVENTS |= {each.name for kinds in (rules.Phase, rules.EndReason, rules.Deck) for each in kinds}
SHOWING_ALL = ((2, 3, "any"), (3, 3, "points"), (4, 1, "farmers"))  # seats, seeds and tastes


def compare_choices(play, phase, book):
    match phase:
        case rules.Phase.START:
            check_start(play)
        case rules.Phase.FIRST:
            check_plays(play, book.stocks(play.state))
        case rules.Phase.EXTRA | rules.Phase.DRAW:
            check_draws(play, book)


def compare_outcome(before, phase, action, play, book):
    """Compare the outcome of an action with the oracle, and yield the events."""
    yield phase.name
    was, now = before.state, play.state
    match phase:
        case rules.Phase.START:
            spot = place(action - rules.SPACE)
            assert standing(now)[0] == standing(was)[0] | {spot: book.starts[-1]}
        case rules.Phase.SPACE:
            yield from check_earnings(before, book.chosen, action - rules.SPACE, play)
            check_spent(before, book.chosen, play)
            book.chosen.clear()
        case rules.Phase.SECOND if play.phase != rules.Phase.SPACE:
            check_spent(before, book.chosen, play)
            book.chosen.clear()
            yield "discards"
        case rules.Phase.EXTRA | rules.Phase.DRAW:
            yield from check_drawn(before, action, play)
    if action == rules.END:
        assert play.over == naive.game_over(book.triggered, play.seats, book.starter, before.turn)
        assert play.turn == (before.turn + 1) % play.seats
        yield "END"


def check_spent(before, chosen, after):
    was, now = before.state, after.state
    spent = Counter(kind for kind in chosen if kind != box.JOKER)
    held = hands(was)
    held[before.turn].subtract(spent)
    assert hands(now) == held
    thrown = Counter(dict(enumerate(map(int, was.discard))))
    assert Counter(dict(enumerate(map(int, now.discard)))) == thrown + spent


def check_drawn(before, action, after):
    """Check the outcome of a draw action, and yield the events."""
    p, was, now = before.turn, before.state, after.state
    if action == rules.EXTRA:
        assert (was.seat[p].extra, now.seat[p].extra, hands(now)) == (1, 0, hands(was))
        yield "extra turn used"
    if action in (rules.EXTRA, rules.END):
        return
    held, deck = hands(was), action - rules.DRAW
    if action >= rules.SWAP:
        deck = rules.Deck.BUILDING
        held[p][box.LANDS + action - rules.SWAP] -= 1
        yield "exchange"
    fresh = hands(now)[p]
    fresh.subtract(held[p])
    (drawn,) = fresh.elements()
    assert rules.deck_of(drawn) == deck
    assert all(hands(now)[q] == held[q] for q in range(after.seats) if q != p)
    kinds = words.kinds_of(deck)
    thrown = [sum(int(s.discard[kind]) for kind in kinds) for s in (was, now)]
    inside = int(box.IN_DECK[deck]) - thrown[0] - sum(hand[kind] for hand in hands(was) for kind in kinds)
    assert thrown[1] == (thrown[0] + (action >= rules.SWAP) if inside else 0)
    yield from ["reshuffle"] * (inside == 0)
    yield rules.Deck(deck).name


def chosen_by(play, rng, taste):
    legal = play.legal_actions
    if taste == "points" and play.phase == rules.Phase.SPACE:
        return max(legal, key=lambda action: (gained(play, action), rng.random()))
    if taste == "farmers":
        cards = [action for action in legal if action < box.LANDS or action in (box.JOKER, rules.DRAW, rules.EXTRA)]
        legal = cards or legal
    return rng.choice(legal)


def gained(play, action):
    after = play.copy()
    after.apply(action)
    return after.score_table()[play.turn, 0]


def check_start(play):
    s = play.state
    kind = KINDS[s.seat[play.turn].start]
    assert {place(action - rules.SPACE) for action in play.legal_actions} == naive.start_sites(
        BOARD, *standing(s), kind
    )


def check_plays(play, stocks):
    wanted = theirs(play.state, stocks)
    assert ours(play) == wanted
    if not wanted:
        assert len(play.legal_actions) == len(set().union(*map(set, cards(play.state, play.turn))))


def check_draws(play, book):
    s, stocks = play.state, book.stocks(play.state)
    lands, buildings = cards(s, play.turn)
    extra = naive.may_take_extra_turn(bool(s.seat[play.turn].extra), book.settled, theirs(s, stocks))
    assert (rules.EXTRA in play.legal_actions) == extra
    decks = naive.decks_to_draw_from(len(lands), len(buildings)) if not book.triggered else set()
    assert {words.DECKS[a - rules.DRAW] for a in play.legal_actions if rules.DRAW <= a < rules.SWAP} == decks
    assert (rules.END in play.legal_actions) == (not decks)
    swaps = {KINDS[a - rules.SWAP] for a in play.legal_actions if rules.SWAP <= a < rules.END}
    if book.triggered:
        assert not swaps
    else:
        check_swaps(play, s, stocks, buildings, swaps)


def check_swaps(play, s, stocks, buildings, swaps):
    """Check that useless cards may be exchanged if an exchange can help, as far as the player knows [D16]."""
    if swaps != true_swaps(s, stocks, buildings):
        assert not true_swaps(s, stocks, buildings)
        assert swaps == naive.useless_building_cards(buildings, stocks)
        seen = play.observe(play.turn)
        assert any(true_swaps(seen.determinize(number).state, stocks, buildings) for number in range(500))


def true_swaps(s, stocks, buildings):
    """Return the building cards whose exchange can help, determined from all hands."""
    outside = Counter({kind: int(box.CARDS[box.LANDS + number]) for number, kind in enumerate(KINDS)})
    outside -= Counter(kind for p in range(s.seats) for kind in cards(s, p)[1])
    return naive.building_cards_to_swap(buildings, stocks, outside.elements())


def check_earnings(before, chosen, cell, after):
    """Check the earnings of every seat, and yield the events."""
    was, now = before.state, after.state
    p, spot, used = before.turn, place(cell), box.JOKER in chosen
    buildings, farmers = standing(now)
    if spot in farmers:
        earned = {q: naive.Earnings() for q in range(before.seats)}
        bonus = naive.group_points(spot, p, standing(was)[1])
        earned[p] = naive.farmer_earnings(spot, buildings, farmers) + naive.Earnings(bonus)
        assert farmers == standing(was)[1] | {spot: p}
        yield from ["group"] * (bonus > 0)
    else:
        kind = next(KINDS[number - box.LANDS] for number in chosen if box.LANDS <= number < box.JOKER)
        earned = naive.building_earnings(spot, kind, farmers, range(before.seats))
        assert buildings == standing(was)[0] | {spot: kind}
        yield from ["others earn"] * any(earned[q] != naive.Earnings() for q in earned if q != p)
    for q, earning in earned.items():
        old, new = was.seat[q], now.seat[q]
        assert new.score - old.score == earning.points
        assert bool(new.joker) == naive.token_after(bool(old.joker), used and q == p, earning.joker)
        assert bool(new.extra) == naive.token_after(bool(old.extra), used=False, earned=earning.extra_turn)
        yield from ["joker won"] * (new.joker > old.joker) + ["extra turn won"] * (new.extra > old.extra)
    for sort, key in enumerate(("coal_tiles", "gold_tiles")):
        left = int(box.TILES[sort]) - sum(int(was.seat[q].tiles[sort]) for q in earned)
        taken = naive.tiles_taken({q: getattr(earned[q], key) for q in earned}, left, p)
        assert all(now.seat[q].tiles[sort] - was.seat[q].tiles[sort] == taken[q] for q in earned)
        yield from [words.SORTS[sort]] * any(taken.values())
    yield from ["joker used"] * used


def check_end(before, play):
    s = play.state
    farmers = standing(s)[1]
    on_board = {p: list(farmers.values()).count(p) for p in range(play.seats)}
    points = {p: int(play.score_table()[p, 0]) for p in range(play.seats)}
    assert dict(enumerate(play.ranks())) == naive.final_ranks(points, on_board)
    hidden = {p: [words.values(s, p, sort) for sort in (0, 1)] for p in range(play.seats)}
    assert all(points[p] == naive.final_points(before.score_table()[p, 0], *hidden[p]) for p in points)


# --- random positions --------------------------------------------------------------------------------

PIECES = st.lists(
    st.tuples(st.integers(0, box.CELLS - 1), st.integers(0, box.SEATS + box.BUILDINGS - 1)), min_size=30, max_size=140
)


def crowded(game, pieces, seed):
    play = game.new(4, seed)
    s = play.state
    s.phase, s.turn = rules.Phase.FIRST, s.first
    for cell, piece in pieces:
        if s.space[cell] != rules.EMPTY or cell in WATER:
            continue
        if piece < rules.BUILT and s.seat[piece].farmers > 1:  # the last farmer of a seat would end the play
            s.seat[piece].farmers -= 1
            s.space[cell] = piece
        elif piece >= rules.BUILT and place(cell) in SITES[KINDS[piece - rules.BUILT]]:
            s.space[cell] = piece
    play.refresh()
    return play


CROWDED = given(PIECES, st.integers(0, 1000), st.lists(st.integers(0, 4), min_size=7, max_size=7), st.integers(0, 1))


@settings(max_examples=8, deadline=None)
@CROWDED
def test_crowded_positions_agree(pieces, seed, left, joker):
    compare_crowded(PLAIN, pieces, seed, left, joker)


@pytest.mark.exhaustive
@settings(max_examples=100, deadline=None)
@CROWDED
def test_many_crowded_positions_agree(pieces, seed, left, joker):
    compare_crowded(FAST, pieces, seed, left, joker)


def compare_crowded(game, pieces, seed, left, joker):
    play = crowded(game, pieces, seed)
    s = play.state
    for building, count in enumerate(left):
        s.stock[building] = count
    s.seat[play.turn].joker = joker
    play.refresh()
    check_plays(play, {kind: left[building] for building, kind in enumerate(KINDS)})
    chosen = []
    while play.phase in (rules.Phase.FIRST, rules.Phase.SECOND):
        chosen.append(play.legal_actions[seed % len(play.legal_actions)] - rules.CARD)
        play.apply(chosen[-1] + rules.CARD)
    if play.phase == rules.Phase.SPACE:
        for action in play.legal_actions[:: max(1, len(play.legal_actions) // 5)]:
            after = play.copy()
            after.apply(action)
            list(check_earnings(play, chosen, action - rules.SPACE, after))


@settings(max_examples=150, deadline=None)
@given(st.sets(st.integers(0, 34), max_size=20), st.integers(0, 34))
def test_groups_agree(near, spot):
    array = PLAIN.new(2, 1).array
    s = checked_record(array)
    cells = {spot % 7 + 8 + (spot // 7) * box.COLUMNS for spot in near - {spot}}
    for cell in cells:
        s.space[cell] = 1
    cell = spot % 7 + 8 + (spot // 7) * box.COLUMNS
    found = PLAIN.backend.specialize(rules).makes_group(s, 1, cell)
    wanted = naive.group_points(place(cell), 1, {place(other): 1 for other in cells})
    assert found == (wanted == box.GROUP_POINTS)


@pytest.mark.parametrize("symbol", box.SYMBOLS)
def test_a_joker_opens_the_spaces_of_all_cards(symbol):
    """[7.1]"""
    card = box.SYMBOLS.index(symbol)
    row = box.ROW[card, box.JOKER]
    spaces = {place(box.OPENED[row, i]) for i in range(box.LENGTH[row])}
    assert spaces == naive.farmer_spaces_with_joker(BOARD, {}, {}, symbol)
