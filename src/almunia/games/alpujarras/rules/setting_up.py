"""Setup of an Alpujarras play [2, 11.1, 11.2]."""

from ....core.contract import NONE
from ....engine.kernels.rng import randbelow, seed_rng, shuffle
from .. import components as box
from .phases import next_turn
from .state import CARDS_IN_DECK, COVERED, FREE, LAYERS, MULES, NOWHERE
from .track import is_free


def setup(s, seats, seed):
    """Set up a play, and begin its first turn [2.1-2.10, D39]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    s.joined_land = s.moving_from = s.given = s.watered_space = NONE
    for owing in range(LAYERS):
        s.owed[owing].shield = s.owed[owing].used = NONE
    for p in range(seats):
        s.seat[p].farmers = box.FARMERS
    for space in range(box.CHANNELS):
        s.channel[space] = NONE
    lay_track(s)
    deal_tokens(s)
    place_mules(s)
    stock_fields(s)
    lay_goals(s)
    deal_cards(s)
    for place in range(box.LANDS):
        s.market[place] = s.award[place] = place
    shuffle(s.rng, s.market, 0, box.LANDS)
    shuffle(s.rng, s.award, 0, box.LANDS)
    next_turn(s)


def lay_track(s):
    """Lay the segments in the order of their kinds, and those of a kind in random order [2.1, D1]."""
    side = box.SIDE[s.seats]
    for position in range(box.POSITIONS):
        s.track[position] = NOWHERE
    end = 0
    for kind in box.ORDER:
        segment = randbelow(s.rng, box.SEGMENTS)
        while box.SEGMENT_KIND[segment] != kind or lies(s, box.FIRST_PLACE[side, segment]):
            segment = randbelow(s.rng, box.SEGMENTS)
        for place in range(box.LENGTH[side, segment]):
            s.track[end] = box.FIRST_PLACE[side, segment] + place
            end += 1


def lies(s, place):
    """Return whether this place is on the track already."""
    for position in range(box.POSITIONS):
        if s.track[position] == place:
            return True
    return False


def deal_tokens(s):
    """Deal the delivery tokens at random, all again until each village has enough kinds of fruit [2.2, 2.3, D36]."""
    deal_once(s)
    while not enough_kinds(s):
        deal_once(s)


def deal_once(s):
    """Take all tokens back, and deal each village its number of tokens at random [2.2]."""
    for village in range(box.LANDS):
        for fruit in range(box.LANDS):
            for size in range(box.SIZES):
                s.token[village, fruit, size] = 0
    left = box.TOKENS - box.LANDS * box.A_TWO_LESS[s.seats]
    for village in range(box.LANDS):
        for _ in range(box.TOKENS_PER_VILLAGE[s.seats]):
            put_token(s, village, randbelow(s.rng, left))
            left -= 1


def put_token(s, village, number):
    """Put the undealt token at index `number`, in order of fruit and size, into a village."""
    for fruit in range(box.LANDS):
        for size in range(box.SIZES):
            number -= undealt(s, fruit, size)
            if number < 0:
                s.token[village, fruit, size] += 1
                return


def undealt(s, fruit, size):
    """Return the number of tokens of a fruit and size that are in play and in no village yet [2.2]."""
    count = box.TOKENS_EACH[size] - (box.A_TWO_LESS[s.seats] if size == box.TWO else 0)
    for village in range(box.LANDS):
        count -= s.token[village, fruit, size]
    return count


def enough_kinds(s):
    """Return whether every village has tokens of enough kinds of fruit [2.3]."""
    for village in range(box.LANDS):
        kinds = 0
        for fruit in range(box.LANDS):
            there = 0
            for size in range(box.SIZES):
                there += s.token[village, fruit, size]
            kinds += there > 0
        if kinds < box.LEAST_KINDS:
            return False
    return True


def place_mules(s):
    """Place the mules in play on random start spots [2.4, 11.1]."""
    spots = 0
    while box.PLACE_KIND[s.track[spots]] == box.START:
        spots += 1
    for mule in range(MULES):
        s.mule[mule] = NOWHERE
    for mule in range(s.seats + box.WITH_ZARA[s.seats]):
        position = randbelow(s.rng, spots)
        while not is_free(s, position):
            position = randbelow(s.rng, spots)
        s.mule[mule] = position


def stock_fields(s):
    """Put fruit on every printed field, and all other fruit but one of each kind in the supply [1.3, 2.5, 2.8, D37]."""
    for fruit in range(box.LANDS):
        s.supply[fruit] = box.FRUIT_EACH - 1
        for land in range(box.LANDS):
            s.growing[land, fruit] = box.FIELDS[land, fruit] * box.FRUIT_PER_FIELD[s.seats]
            s.supply[fruit] -= s.growing[land, fruit]


def lay_goals(s):
    """Put out the goal tokens and a random side of each goal card [2.6, 11.2, D20, D22].

    With two players, cover the spaces with an odd number of dirhems.
    """
    s.goal_tokens = box.GOAL_TOKENS
    for card in range(box.GOAL_CARDS):
        s.goal[card] = 2 * card + randbelow(s.rng, 2)
        for space in range(box.GOAL_SPACES):
            odd = box.GOAL_DIRHEMS[s.goal[card], space] % 2 == 1
            s.claimed[card, space] = COVERED if odd and box.ODD_COVERED[s.seats] else FREE


def deal_cards(s):
    """Shuffle the delivery cards and turn up three [2.7]."""
    for card in range(box.CARDS):
        s.taken[card] = card
    shuffle(s.rng, s.taken, 0, box.CARDS)
    for place in range(CARDS_IN_DECK):
        s.deck[place] = s.taken[place]
    for place in range(box.FACES_UP):
        s.open[place] = s.taken[CARDS_IN_DECK + place]
    for card in range(box.CARDS):
        s.taken[card] = NONE
    s.left = CARDS_IN_DECK
