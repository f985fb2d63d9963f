"""The phases of a turn of Oregon: legal actions and their effects."""

from ....core.contract import NONE
from .. import components as box
from ..components import BUILT, EMPTY, NOWHERE, Deck
from .decks import deck_of, draw_card, in_deck, may_be_in_deck
from .scoring import makes_group, reward
from .state import ACTIONS, CARD, DRAW, END, EXTRA, SPACE, SWAP, EndReason, Phase


def legal(s, out):
    """Write the legal actions into `out` in ascending order, and return their number."""
    if s.over:
        return 0
    match s.phase:
        case Phase.START:
            return legal_start(s, out)
        case Phase.FIRST:
            return legal_first(s, out)
        case Phase.SECOND:
            return legal_second(s, out)
        case Phase.SPACE:
            return legal_space(s, out)
        case Phase.EXTRA:
            return legal_extra(s, out)
        case Phase.DRAW:
            return legal_draw(s, out)
    return 0


def apply(s, action):
    """Apply an action that the caller has checked to be legal."""
    match s.phase:
        case Phase.START:
            apply_start(s, action - SPACE)
        case Phase.FIRST:
            apply_first(s, action - CARD)
        case Phase.SECOND:
            apply_second(s, action - CARD)
        case Phase.SPACE:
            apply_space(s, action - SPACE)
        case Phase.EXTRA:
            apply_extra(s, action)
        case Phase.DRAW:
            apply_draw(s, action)


def action_key(s, action):
    """Return the action's key. A card discarded because it cannot be played has another key [D7]."""
    if s.phase == Phase.FIRST and not playable(s, action - CARD):
        return ACTIONS + action
    if s.phase == Phase.SECOND and not opens(s, s.chosen[0], action - CARD):
        return ACTIONS + action
    return action


# --- The first round [3] -------------------------------------------------------------------


def legal_start(s, out):
    """Write the empty spaces for the start tile, and return their number [3.1, D1]."""
    return list_spaces(s, start_row(s), out)


def start_row(s):
    """Return the row of box.OPENED with all spaces for the start tile."""
    return box.ROW[box.LANDS + s.seat[s.turn].start, box.JOKER]


def list_spaces(s, row, out):
    """Write the empty spaces of a row of box.OPENED into `out`, and return their number [5.3, 6.3]."""
    n = 0
    for i in range(box.LENGTH[row]):
        cell = box.OPENED[row, i]
        if s.space[cell] == EMPTY:
            out[n] = SPACE + cell
            n += 1
    return n


def apply_start(s, cell):
    """Place the start tile, which belongs to no stack. After one round of start tiles, turns begin [3.1, 3.2, D2]."""
    stand(s, BUILT + s.seat[s.turn].start, cell)
    pass_on(s)
    s.phase = Phase.FIRST if s.turn == s.first else Phase.START


def stand(s, piece, cell):
    s.space[cell] = piece
    s.last = cell


def pass_on(s):
    """Pass the turn to the next seat on the left [12.5]."""
    s.turns += 1
    s.turn = (s.turn + 1) % s.seats


# --- Playing two cards [4, 5, 6, 7] ----------------------------------------------------------


def legal_first(s, out):
    """Write the cards that can be played, or all cards in hand if none can, and return their number [4.2, D6, D7]."""
    n = 0
    for kind in range(box.KINDS + 1):
        if playable(s, kind):
            out[n] = CARD + kind
            n += 1
    return n if n > 0 else list_discards(s, NONE, out)


def apply_first(s, kind):
    """Choose the first card [D5]."""
    s.chosen[0] = kind
    s.phase = Phase.SECOND


def legal_second(s, out):
    """Write the second cards that can be played or, if there are none, discarded, and return their number [4.2, D7]."""
    n = 0
    one = s.chosen[0]
    for kind in range(box.KINDS + 1):
        if holds(s, s.turn, kind, one) and opens(s, one, kind):
            out[n] = CARD + kind
            n += 1
    return n if n > 0 else list_discards(s, one, out)


def apply_second(s, kind):
    """Choose the second card, or discard both cards if they cannot be played together [D5, D7]."""
    if opens(s, s.chosen[0], kind):
        s.chosen[1] = kind
        s.phase = Phase.SPACE
    else:
        spend(s, s.chosen[0])
        spend(s, kind)
        end_half(s)


def holds(s, p, kind, aside):
    """Return whether `p` holds this kind of card, or an active joker, apart from one card of kind `aside`."""
    me = s.seat[p]
    held = me.joker if kind == box.JOKER else me.hand[kind]
    return held > (1 if kind == aside else 0)


def playable(s, kind):
    """Return whether the seat to move holds this kind of card and another card to play with it."""
    p = s.turn
    if not holds(s, p, kind, NONE):
        return False
    for other in range(box.KINDS + 1):
        if holds(s, p, other, kind) and opens(s, kind, other):
            return True
    return False


def can_play(s):
    for kind in range(box.KINDS + 1):
        if playable(s, kind):
            return True
    return False


def opens(s, one, other):
    """Return whether two cards place a piece that is in stock and has an empty space [4.2, 5.1, 6.1, 7.1, D4]."""
    row = box.ROW[one, other]
    if row == NONE or not in_stock(s, box.PLACED[row]):
        return False
    for i in range(box.LENGTH[row]):
        if s.space[box.OPENED[row, i]] == EMPTY:
            return True
    return False


def in_stock(s, what):
    """Return whether the seat to move has a farmer left, or the stack of this building has a tile left [6.4, D19]."""
    return s.seat[s.turn].farmers > 0 if what == box.FARMER else s.stock[what] > 0


def list_discards(s, aside, out):
    """Write every kind of card in hand, apart from one card of kind `aside`, and return their number [D7]."""
    n = 0
    for kind in range(box.KINDS):
        if holds(s, s.turn, kind, aside):
            out[n] = CARD + kind
            n += 1
    return n


def legal_space(s, out):
    """Write the empty spaces that the two chosen cards open, and return their number [5.2, 5.3, 6.2, 6.3, 6.5]."""
    return list_spaces(s, chosen_row(s), out)


def chosen_row(s):
    """Return the row of box.OPENED for the two chosen cards."""
    return box.ROW[s.chosen[0], s.chosen[1]]


def apply_space(s, cell):
    """Discard the two chosen cards, place the farmer or the building, and score it [4.1, 5.1, 6.1, D8]."""
    what = box.PLACED[chosen_row(s)]
    spend(s, s.chosen[0])
    spend(s, s.chosen[1])
    if what == box.FARMER:
        place_farmer(s, cell)
    else:
        place_building(s, what, cell)
    end_half(s)


def spend(s, kind):
    """Move a card of the seat to move to the discards, or make its joker inactive [5.4, 7.2]."""
    me = s.seat[s.turn]
    if kind == box.JOKER:
        me.joker = 0
    else:
        me.hand[kind] -= 1
        me.cards[deck_of(kind)] -= 1
        s.discard[kind] += 1


# --- Scoring [8, 9, 10] ----------------------------------------------------------------------


def place_farmer(s, cell):
    """Place a farmer, and score adjacent buildings and a new group [8.1, 8.2, 9.1, D9].

    After the last farmer of a seat, this is the last round [13.1].
    """
    p = s.turn
    me = s.seat[p]
    me.farmers -= 1
    stand(s, p, cell)
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        if spot != NOWHERE and s.space[spot] >= BUILT:
            reward(s, p, s.space[spot] - BUILT, spot)
    if makes_group(s, p, cell):
        me.score += box.GROUP_POINTS
    if me.farmers == 0:
        call_end(s, EndReason.FARMERS)


def place_building(s, building, cell):
    """Place a building, and score it for every adjacent farmer [10.1, D11].

    If enough stacks are empty, this is the last round [13.2].
    """
    s.stock[building] -= 1
    stand(s, BUILT + building, cell)
    for i in range(s.seats):
        p = (s.turn + i) % s.seats
        for k in range(box.TOUCHES):
            spot = box.TOUCHING[cell, k]
            if spot != NOWHERE and s.space[spot] == p:
                reward(s, p, building, cell)
    gone = 0
    for kind in range(box.BUILDINGS):
        gone += s.stock[kind] == 0
    if gone >= box.EXHAUSTED[s.seats]:
        call_end(s, EndReason.BUILDINGS)


# --- The extra turn [11] -----------------------------------------------------------------------


def end_half(s):
    """Start Phase.EXTRA if the extra turn token is active outside an extra turn, else Phase.DRAW [4.1, 11.1, 11.3]."""
    s.chosen[0] = s.chosen[1] = NONE
    s.phase = Phase.EXTRA if s.seat[s.turn].extra and not s.again else Phase.DRAW


def legal_extra(s, out):
    """Write the extra turn, if two cards can be played, and the draw actions, and return their number [11.1, D12]."""
    n = 0
    if can_play(s):
        out[0] = EXTRA
        n = 1
    return list_draws(s, out, n)


def apply_extra(s, action):
    """Use the extra turn token to play two more cards, or decline it by a draw action [11.2, D12]."""
    if action == EXTRA:
        s.seat[s.turn].extra = 0
        s.again = 1
        s.phase = Phase.FIRST
    else:
        s.phase = Phase.DRAW
        apply_draw(s, action)


# --- Drawing cards [12] --------------------------------------------------------------------------


def legal_draw(s, out):
    """Write the draw actions, and return their number [12.1, D14, D22]."""
    return list_draws(s, out, 0)


def list_draws(s, out, n):
    """Write the draw actions into `out` from index `n` on, and return the number of all actions [12.1-12.3, D18].

    Draw actions are the decks to draw from, the exchanges, and with a full hand the end of the turn. In the last round,
    the only draw action is the end of the turn.
    """
    me = s.seat[s.turn]
    missing = box.HAND - me.cards[Deck.LANDSCAPE] - me.cards[Deck.BUILDING]
    if s.final == 0:
        for deck in range(box.DECKS):
            if missing > (0 if me.cards[1 - deck] > 0 else 1):
                out[n] = DRAW + deck
                n += 1
        if another_may_help(s):
            for building in range(box.BUILDINGS):
                if me.hand[box.LANDS + building] > 0 and s.stock[building] == 0:
                    out[n] = SWAP + building
                    n += 1
    if missing == 0 or s.final != 0:
        out[n] = END
        n += 1
    return n


def another_may_help(s):
    """Return whether a useful building card can be drawn, as far as the seat to move knows [12.3, D16, D21]."""
    empty = in_deck(s, Deck.BUILDING) == 0
    for building in range(box.BUILDINGS):
        kind = box.LANDS + building
        if s.stock[building] > 0:
            if s.discard[kind] > 0 or (not empty and may_be_in_deck(s, s.turn, kind) > 0):
                return True
    return False


def apply_draw(s, action):
    """Draw a card, exchange a card, or end the turn [D14, D15, D22]."""
    if action == END:
        end_turn(s)
        return
    deck = Deck.BUILDING
    if action < SWAP:
        deck = action - DRAW
    else:
        spend(s, box.LANDS + action - SWAP)
    draw_card(s, s.turn, deck)
    s.reveals += 1


# --- The end [13] --------------------------------------------------------------------------------


def call_end(s, reason):
    """Record the reason why this is the last round, unless a reason has been recorded [13.1, 13.2]."""
    if s.final == 0:
        s.final = reason


def end_turn(s):
    """Pass the turn to the left, and end the play after the last round [12.5, 13.3]."""
    s.again = 0
    s.phase = Phase.FIRST
    pass_on(s)
    if s.final != 0 and s.turn == s.first:
        add_tiles(s)
        s.over = s.final


def add_tiles(s):
    """Add the values of the coal and gold tiles to the scores [13.4]."""
    for p in range(s.seats):
        me = s.seat[p]
        for sort in range(box.SORTS):
            for face in range(box.FACES):
                me.score += box.WORTH[sort, face] * me.faces[sort, face]


def scores(s, out):
    """Write each seat's points and its farmers on the board [13.4, 13.5, D23]."""
    for p in range(s.seats):
        out[p, 0] = s.seat[p].score
        out[p, 1] = box.FARMERS - s.seat[p].farmers
