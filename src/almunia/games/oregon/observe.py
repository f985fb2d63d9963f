"""Observations of Oregon."""

from ...core.contract import NONE
from ...engine.kernels.rng import clear_rng, randbelow, reseed_rng, shuffle
from . import components as box
from .components import BUILT, EMPTY, Deck
from .rules.decks import in_deck, may_be_in_deck, unseen
from .rules.phases import chosen_row
from .rules.scoring import face_of, tiles_left
from .rules.state import Phase

KINDS_OF_PIECE = box.SEATS + box.BUILDINGS
FACTS = 8  # number of columns of "players"
PHASES = len(Phase.__members__)

# The parts of an observation, with their shapes. Seats are counted from the reader's own seat.
TENSOR_SHAPES = {
    "spaces": (KINDS_OF_PIECE, box.ROWS, box.COLUMNS),  # 0 to 3 farmers by seat, 4 to 10 buildings by kind
    "open": (box.ROWS, box.COLUMNS),  # empty spaces that the chosen cards open
    "hand": (box.KINDS,),  # own cards / 4, by kind: 0 to 4 the symbols, 5 to 11 the buildings
    "chosen": (box.KINDS + 1,),  # own cards chosen to be played, by kind; the joker token is last
    "unseen": (box.KINDS,),  # cards in the decks and other hands / 10, by kind
    "in_deck": (box.KINDS,),  # the most of these cards that can be in the deck / 10
    "decks": (box.DECKS,),  # cards left in each deck / 50
    "stock": (box.BUILDINGS,),  # building tiles left / 4, by kind
    "faces": (box.SORTS, box.FACES),  # own tiles by value / 7: coal of 1, 2 and 3 points, gold of 3, 4 and 5
    "start": (box.SEATS, box.BUILDINGS),  # the building of each seat's start tile, one-hot
    # 0 points on the track / 100 (coal and gold are added at the end), 1 unplaced farmers / 14, 2 whether the joker
    # is active, 3 whether the extra turn is active, 4 and 5 cards in hand of each deck / 4, 6 and 7 coal and gold
    # tiles / 7
    "players": (box.SEATS, FACTS),
    "starting": (box.SEATS,),  # the starting player, one-hot
    "question": (PHASES,),  # the phase, one-hot
    "turn": (box.SEATS,),  # the seat to move, one-hot
    "ending": (2,),  # whether this is an extra turn; whether this is the last round
}

# The visibility of the state's fields; the fields of a seat follow a dot. Partly: only the seat to move sees its chosen
# cards, and whether it has chosen any; all players see the values of tiles at the end.
VISIBILITY = {
    "nobody": "rng",
    "owner": "seat.hand seat.drawn",
    "partly": "phase chosen seat.faces",
    "everybody": (
        "seats turn over turns reveals first again final space last stock discard shuffled seat.score seat.farmers "
        "seat.joker seat.extra seat.start seat.cards seat.tiles"
    ),
}


def mask(s, seat):
    """Hide everything that `seat` may not know [D5, D20, D21]."""
    clear_rng(s.rng)
    for p in range(s.seats):
        if p != seat:
            me = s.seat[p]
            for kind in range(box.KINDS):
                me.hand[kind] = 0
                me.drawn[kind] = 0
            if not s.over:
                for sort in range(box.SORTS):
                    for face in range(box.FACES):
                        me.faces[sort, face] = 0
    if s.turn != seat:
        s.chosen[0] = s.chosen[1] = NONE
        if s.phase == Phase.SECOND or s.phase == Phase.SPACE:
            s.phase = Phase.FIRST


def determinize(s, seat, rng, out):
    """Deal the unseen cards and tiles at random, in accordance with what `seat` knows [D21].

    `out` is scratch space for cards.
    """
    reseed_rng(s.rng, rng)
    for deck in range(box.DECKS):
        deal_cards(s, seat, deck, rng, out)
    if not s.over:
        for sort in range(box.SORTS):
            deal_tiles(s, seat, sort, rng)


def deal_cards(s, seat, deck, rng, out):
    """Choose the deck's cards among those that can be in the deck, and deal the rest to the other hands [D21]."""
    left = in_deck(s, deck)
    n = 0
    for kind in range(box.BEGIN[deck], box.BEGIN[deck + 1]):
        for _ in range(may_be_in_deck(s, seat, kind)):
            out[n] = kind
            n += 1
    shuffle(rng, out, 0, n)
    for kind in range(box.BEGIN[deck], box.BEGIN[deck + 1]):
        for _ in range(unseen(s, seat, kind) - may_be_in_deck(s, seat, kind)):
            out[n] = kind
            n += 1
    shuffle(rng, out, left, n)
    for p in range(s.seats):
        if p != seat:
            for _ in range(s.seat[p].cards[deck]):
                s.seat[p].hand[out[left]] += 1
                left += 1
    remember(s, seat, deck)


def remember(s, seat, deck):
    """Record the cards in the other hands as drawn from the deck, as far as the deck's contents allow [D21]."""
    for kind in range(box.BEGIN[deck], box.BEGIN[deck + 1]):
        still = box.CARDS[kind] - s.discard[kind]
        for p in range(s.seats):
            still -= s.seat[p].hand[kind]
        for p in range(s.seats):
            if p != seat:
                s.seat[p].drawn[kind] = min(s.seat[p].hand[kind], s.shuffled[kind] - still)


def deal_tiles(s, seat, sort, rng):
    """Deal the other seats random tiles of a sort, as many as each seat has [D20]."""
    left = tiles_left(s, sort)
    for p in range(s.seats):
        if p != seat:
            left += s.seat[p].tiles[sort]
    for p in range(s.seats):
        if p != seat:
            for _ in range(s.seat[p].tiles[sort]):
                s.seat[p].faces[sort, face_of(s, sort, randbelow(rng, left))] += 1
                left -= 1


# --- the observation as numbers ---------------------------------------------------------------


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES for `seat`. A spectator (-1) gets the view of seat 0, without secrets."""
    own = max(seat, 0)
    write_board(s, own, out)
    write_cards(s, seat, out)
    for building in range(box.BUILDINGS):
        out.stock[building] = s.stock[building] / box.STOCK[building]
    for i in range(s.seats):
        write_player(s, (own + i) % s.seats, i, out)
    out.starting[(s.first - own) % s.seats] = 1
    out.question[s.phase] = 1
    out.turn[(s.turn - own) % s.seats] = 1
    out.ending[0] = s.again
    out.ending[1] = s.final != 0


def write_board(s, own, out):
    for cell in range(box.CELLS):
        piece, line, column = s.space[cell], cell // box.COLUMNS, cell % box.COLUMNS
        if piece >= BUILT:
            out.spaces[box.SEATS + piece - BUILT, line, column] = 1
        elif piece != EMPTY:
            out.spaces[(piece - own) % s.seats, line, column] = 1
    if s.phase == Phase.SPACE:
        row = chosen_row(s)
        for i in range(box.LENGTH[row]):
            cell = box.OPENED[row, i]
            out.open[cell // box.COLUMNS, cell % box.COLUMNS] = s.space[cell] == EMPTY


def write_cards(s, seat, out):
    for kind in range(box.KINDS):
        out.unseen[kind] = unseen(s, seat, kind) / box.CARDS[0]
        out.in_deck[kind] = may_be_in_deck(s, seat, kind) / box.CARDS[0]
    for deck in range(box.DECKS):
        out.decks[deck] = in_deck(s, deck) / box.IN_DECK[0]
    for i in range(2):
        if s.chosen[i] != NONE:
            out.chosen[s.chosen[i]] += 1
    if seat == NONE:
        return
    for kind in range(box.KINDS):
        out.hand[kind] = s.seat[seat].hand[kind] / box.HAND
    for sort in range(box.SORTS):
        for face in range(box.FACES):
            out.faces[sort, face] = s.seat[seat].faces[sort, face] / box.COUNT[sort, face]


def write_player(s, p, i, out):
    me = s.seat[p]
    out.start[i, me.start] = 1
    out.players[i, 0] = me.score / 100
    out.players[i, 1] = me.farmers / box.FARMERS
    out.players[i, 2] = me.joker
    out.players[i, 3] = me.extra
    for deck in range(box.DECKS):
        out.players[i, 4 + deck] = me.cards[deck] / box.HAND
    for sort in range(box.SORTS):
        out.players[i, 6 + sort] = me.tiles[sort] / box.COUNT[sort, 0]


def legal_is_public(s):
    """Return whether all players know the legal actions [3.1, 12.1].

    Cards are chosen in secret [D5], and whether a useless card can be exchanged is secret [12.3]. In the last round the
    answer is False, so that a placement can be undone before the turn ends [D22].
    """
    if s.phase == Phase.START:
        return True
    return s.phase == Phase.DRAW and s.final == 0 and not may_hold_useless(s)


def may_hold_useless(s):
    """Return whether all players must assume that the seat to move may hold a useless building card [12.3, D20]."""
    if s.seat[s.turn].cards[Deck.BUILDING] == 0:
        return False
    for building in range(box.BUILDINGS):
        kind = box.LANDS + building
        if s.stock[building] == 0 and s.discard[kind] < box.CARDS[kind]:
            return True
    return False


def may_see(s, seat):
    """Return whether `seat` may see an action: other seats do not see cards played or the space for them [D5]."""
    return s.turn == seat or s.phase in (Phase.START, Phase.EXTRA, Phase.DRAW)
