"""Setup, and drawing tiles and cards [2, 12.1, 12.2]."""

from ....core.contract import NONE
from ....engine.kernels.rng import randbelow, seed_rng, shuffle
from .. import components as box
from .money import hand_sum, receive, value_of
from .state import DECK, EMPTY, NOWHERE, SCORING, SCORING_CARDS, bit


def setup(s, seats, seed):
    """Set up the play for the first turn [2.1-2.6]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    s.tile = s.square = NONE
    for p in range(seats):
        clear(s.seat[p])
    fill_bag(s)
    for square in range(box.MARKET):
        s.market[square] = draw_tile(s)
    if seats == 2:
        give_dirk(s, box.DIRK_AT_FIRST)
    stack_money(s)
    for p in range(seats):
        deal_starting_money(s, s.seat[p])
    s.turn = s.first = starting_player(s)
    for place in range(box.DISPLAY):
        s.display[place] = draw_card(s)
    hide_scoring_cards(s)


def clear(me):
    """Empty a seat's grid, and place the fountain [2.1]."""
    for cell in range(box.CELLS):
        me.grid[cell] = EMPTY
    me.grid[box.HOME] = box.FOUNTAIN


def fill_bag(s):
    """Put all building tiles into the bag in random order [2.2]."""
    for tile in range(box.TILES):
        s.bag[tile] = tile
        s.cell[tile] = NOWHERE
    s.bag_size = box.TILES
    shuffle(s.rng, s.bag, 0, box.TILES)


def stack_money(s):
    """Shuffle three copies of each money card into the deck, or two copies with two players [2.3, 12.1]."""
    copies = box.COPIES_FOR_TWO if s.seats == 2 else box.COPIES
    s.deck_size = box.CARDS * copies
    for place in range(DECK):
        s.deck[place] = place // copies if place < s.deck_size else EMPTY
    shuffle(s.rng, s.deck, 0, s.deck_size)


def deal_starting_money(s, me):
    """Deal cards to a hand until they are worth at least START_MONEY [2.3]."""
    total = 0
    while total < box.START_MONEY:
        card = draw_card(s)
        receive(me, card)
        total += value_of(card)


def starting_player(s):
    """Return the seat with the fewest cards, then the least money, chosen at random among ties [2.4, D1]."""
    best = chosen = equals = 0
    for p in range(s.seats):
        holding_now = 1000 * s.seat[p].cards + hand_sum(s.seat[p])
        if equals == 0 or holding_now < best:
            best, chosen, equals = holding_now, p, 1
        elif holding_now == best:
            equals += 1
            if randbelow(s.rng, equals) == 0:
                chosen = p
    return chosen


def hide_scoring_cards(s):
    """Insert each scoring card at a random place of its pile [2.6, D2]."""
    s.deck_at_first = s.deck_size + SCORING_CARDS
    for card in range(SCORING_CARDS - 1, -1, -1):  # the lower pile first, so that the places above it stay correct
        start, stop = pile_span(s, card)
        insert(s, SCORING + card, start + randbelow(s.rng, stop - start) - card)


def pile_span(s, card):
    """Return a scoring card's first possible place, and the last + 1, from the top of the initial deck [2.6, D2]."""
    money = s.deck_at_first - SCORING_CARDS
    pile = box.SCORING_PILES[card]
    start = pile * (money // box.PILES) + min(pile, money % box.PILES)
    length = money // box.PILES + (pile < money % box.PILES)
    return start + card, start + card + length + 1


def insert(s, card, above):
    """Put a card into the deck, with `above` cards on top of it."""
    index = s.deck_size - above
    for i in range(s.deck_size, index, -1):
        s.deck[i] = s.deck[i - 1]
    s.deck[index] = card
    s.deck_size += 1


# --- Drawing ---------------------------------------------------------------------------------------


def draw_tile(s):
    s.bag_size -= 1
    tile = int(s.bag[s.bag_size])
    s.bag[s.bag_size] = EMPTY
    return tile


def draw_card(s):
    s.deck_size -= 1
    card = int(s.deck[s.deck_size])
    s.deck[s.deck_size] = EMPTY
    return card


def give_dirk(s, tiles):
    """Give Dirk up to `tiles` tiles from the bag, and return the number given [12.2, 12.4, D14]."""
    given = min(tiles, s.bag_size)
    for _ in range(given):
        s.dirk |= bit(draw_tile(s))
    return given
