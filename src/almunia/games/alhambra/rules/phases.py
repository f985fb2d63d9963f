"""The phases of a turn of Alhambra: legal actions, their effects, and the end."""

from ....core.contract import NONE
from ....engine.kernels.rng import shuffle
from .. import components as box
from .building import build, exchanges, fitting, may_remove, replacing, spots, unbuild
from .money import holding, open_cards, receive, value_of
from .scoring import longest_wall, points_for_buildings
from .setting_up import draw_card, draw_tile, give_dirk
from .state import (
    BUILD,
    BUY,
    EMPTY,
    END,
    ENOUGH,
    FETCH,
    GIVE,
    PASS,
    PAY,
    PICK,
    REMOVE,
    RESERVE,
    SCORE,
    SCORING,
    TAKE,
    TURN_LIMIT,
    EndReason,
    Phase,
    bit,
    lowest,
)


def legal(s, out):
    """Write the legal actions into `out` in ascending order, and return their number."""
    if s.over:
        return 0
    match s.phase:
        case Phase.ACT:
            return legal_act(s, out)
        case Phase.TAKE:
            return legal_take(s, out)
        case Phase.PAY:
            return legal_pay(s, out)
        case Phase.REBUILD:
            return legal_rebuild(s, out)
        case Phase.PICK:
            return legal_pick(s, out)
        case Phase.POSITION:
            return legal_position(s, out)
        case Phase.END:
            return legal_end(s, out)
        case Phase.SCORE:
            return legal_score(s, out)
    return 0


def apply(s, action):
    """Apply an action that the caller has checked to be legal."""
    match s.phase:
        case Phase.ACT:
            apply_act(s, action)
        case Phase.TAKE:
            apply_take(s, action)
        case Phase.PAY:
            apply_pay(s, action - PAY + 1)
        case Phase.REBUILD:
            apply_rebuild(s, action - BUILD)
        case Phase.PICK:
            apply_pick(s, action - PICK)
        case Phase.POSITION:
            apply_position(s, action)
        case Phase.END:
            apply_end(s)
        case Phase.SCORE:
            apply_score(s)


# --- A turn: what to do [3] ----------------------------------------------------------------------


def legal_act(s, out):
    """Write the actions of ACT, and return their number [3.2, D4].

    A player may pass if there is no money to take and no tile to buy.
    """
    me = s.seat[s.turn]
    n = first_cards(s, 0, out)
    n = purchases(s, me, n, out)
    passing = n == 0
    n = fetches(s, me, n, out)
    n = removals(s, me, n, out)
    if passing:
        out[n] = PASS
        n += 1
    return n


def apply_act(s, action):
    if action < ENOUGH:
        take(s, action - TAKE)
    elif action < PAY:
        begin_buying(s, action - BUY)
    elif action < REMOVE:
        s.tile = action - FETCH
        s.phase = Phase.REBUILD
    elif action < PASS:
        unbuild(s, s.seat[s.turn], action - REMOVE)
        end_actions(s)
    else:
        end_actions(s)


# --- Taking money [4] ------------------------------------------------------------------------------


def first_cards(s, n, out):
    """Add an action for each kind of card in the display, and return the new number of actions [4.1]."""
    cards = open_cards(s)
    while cards:
        out[n] = TAKE + lowest(cards)
        n += 1
        cards &= cards - 1
    return n


def legal_take(s, out):
    """Write the cards that may be taken next, and the action to take no more, and return their number [4.2, D3]."""
    n = 0
    cards = open_cards(s)
    while cards:
        if may_follow(s, lowest(cards)):
            out[n] = TAKE + lowest(cards)
            n += 1
        cards &= cards - 1
    out[n] = ENOUGH
    return n + 1


def may_follow(s, card):
    """Return whether this card may be taken next [4.2, D3]."""
    return card >= s.least and s.taken + value_of(card) <= box.SEVERAL


def apply_take(s, action):
    if action == ENOUGH:
        end_actions(s)
    else:
        take(s, action - TAKE)


def take(s, card):
    """Move a card from the display to the hand. If no card may follow, end the actions [4.1-4.3]."""
    for place in range(box.DISPLAY):
        if s.display[place] == card:
            s.display[place] = EMPTY
            break
    receive(s.seat[s.turn], card)
    s.taken += value_of(card)
    s.least = card
    s.phase = Phase.TAKE
    if not can_take_more(s):
        end_actions(s)


def can_take_more(s):
    for place in range(box.DISPLAY):
        if s.display[place] != EMPTY and may_follow(s, s.display[place]):
            return True
    return False


# --- Buying [5] --------------------------------------------------------------------------------------


def purchases(s, me, n, out):
    """Add each market square whose tile the player can pay for, and return the new number of actions [5.1]."""
    for square in range(box.MARKET):
        if s.market[square] != EMPTY and holding(me, square, box.VALUES) >= box.PRICE[s.market[square]]:
            out[n] = BUY + square
            n += 1
    return n


def begin_buying(s, square):
    """Choose the tile to buy, and ask for the first card [5.1, D3]."""
    s.square = square
    s.owing = box.PRICE[s.market[square]]
    s.least = box.VALUES
    s.phase = Phase.PAY


def legal_pay(s, out):
    """Write the cards that may be paid next, and return their number [5.2, D3].

    Cards are paid from the highest down, and a payment has no superfluous card. So a card may be paid if the seat's
    cards of at most this value cover the money owed.
    """
    me = s.seat[s.turn]
    n = money = 0
    for value in range(1, s.least + 1):
        cards = me.hand[s.square * box.VALUES + value - 1]
        money += value * cards
        if cards and money >= s.owing:
            out[n] = PAY + value - 1
            n += 1
    return n


def apply_pay(s, value):
    """Discard a card as payment. No change is given [5.2-5.5].

    An exact payment gives the player another action, and a higher payment ends the actions.
    """
    me, card = s.seat[s.turn], s.square * box.VALUES + value - 1
    me.hand[card] -= 1
    me.cards -= 1
    s.discard[card] += 1
    s.least = value
    s.owing -= value
    if s.owing > 0:
        return
    exact = s.owing == 0
    s.bought |= bit(s.market[s.square])
    s.market[s.square] = EMPTY
    s.square = NONE
    s.least = s.owing = 0
    if exact:
        s.phase = Phase.ACT
    else:
        end_actions(s)


# --- Redesigning [7] -----------------------------------------------------------------------------------


def fetches(s, me, n, out):
    """Add the fetches of reserve tiles that have a place, and return the new number of actions [7.1, 7.3, 8.3]."""
    tiles = fitting(s, me, me.reserve)
    tiles |= replacing(s, me, me.reserve ^ tiles)
    while tiles:
        out[n] = FETCH + lowest(tiles)
        n += 1
        tiles &= tiles - 1
    return n


def removals(s, me, n, out):
    """Add the built tiles that may be moved to the reserve, and return the new number of actions [7.2, 7.5]."""
    tiles = me.built
    while tiles:
        tile = lowest(tiles)
        if may_remove(s, me, tile):
            out[n] = REMOVE + tile
            n += 1
        tiles &= tiles - 1
    return n


def legal_rebuild(s, out):
    """Write the cells where the tile fits or may replace another tile, and return their number [7.1, 7.3]."""
    me = s.seat[s.turn]
    n = spots(s, me, s.tile, BUILD, out)
    return exchanges(s, me, s.tile, BUILD, n, out)


def apply_rebuild(s, cell):
    """Move the reserve tile to the cell, a tile there to the reserve, and end the actions [7.1, 7.3, 7.6]."""
    me = s.seat[s.turn]
    if me.grid[cell] != EMPTY:
        unbuild(s, me, me.grid[cell])
    me.reserve ^= bit(s.tile)
    build(s, me, s.tile, cell)
    s.tile = NONE
    end_actions(s)


# --- Positioning bought tiles [8] ------------------------------------------------------------------------


def end_actions(s):
    """End the actions of the turn, and begin to position the tiles bought in the turn [8.1]."""
    s.least = s.taken = 0
    ask_for_tile(s)


def ask_for_tile(s):
    """Ask for the next tile to position, or if no tile is left for the end of the turn [8.2, D15].

    If only one tile is left, ask for its place at once.
    """
    tiles = to_position(s)
    s.tile = NONE
    if tiles == 0:
        s.phase = Phase.END
    elif tiles & (tiles - 1):
        s.phase = Phase.PICK
    else:
        apply_pick(s, lowest(tiles))


def to_position(s):
    """Return the set of tiles that the seat to move still has to position."""
    return s.seat[s.turn].leftover if s.final else s.bought


def legal_pick(s, out):
    """Write an action for each tile to position, and return their number [8.2]."""
    n = 0
    tiles = to_position(s)
    while tiles:
        out[n] = PICK + lowest(tiles)
        n += 1
        tiles &= tiles - 1
    return n


def apply_pick(s, tile):
    s.tile = tile
    s.phase = Phase.POSITION


def legal_position(s, out):
    """Write the places for the tile, and return their number [8.1, 8.3, 12.6, D14].

    With two players, Dirk is a place for every tile but left-over tiles.
    """
    n = spots(s, s.seat[s.turn], s.tile, BUILD, out)
    out[n] = RESERVE
    n += 1
    if s.seats == 2 and not s.final:
        out[n] = GIVE
        n += 1
    return n


def apply_position(s, action):
    """Put the tile in the chosen place, and ask for the next tile or the end of the turn [8.1]."""
    me, tile = s.seat[s.turn], s.tile
    if s.final:
        me.leftover ^= bit(tile)
    else:
        s.bought ^= bit(tile)
    if action == RESERVE:
        me.reserve |= bit(tile)
    elif action == GIVE:
        s.dirk |= bit(tile)
    else:
        build(s, me, tile, action - BUILD)
    ask_for_tile(s)


# --- The end of a turn [9] -----------------------------------------------------------------------------------


def legal_end(s, out):
    """Write the only action, which ends the turn, and return 1 [D15]."""
    out[0] = END
    return 1


def apply_end(s):
    """Refill the display and the market, and go on [9.1, 9.3, 11.4, D9, D11].

    After the market could not be filled, continue with `ask_owner` instead.
    """
    s.turns += 1
    if s.final:
        ask_owner(s, s.turn + 1)
        return
    refill_display(s)
    refill_market(s)
    go_on(s)


def refill_display(s):
    """Refill the display, as long as there are cards [9.1, 9.3].

    A scoring card makes a round due, and the next card takes its place.
    """
    for place in range(box.DISPLAY):
        while s.display[place] == EMPTY and reshuffled(s):
            card = draw_card(s)
            s.reveals += 1
            if card < SCORING:
                s.display[place] = card
            else:
                s.scoring_cards += 1
                s.due = s.scoring_cards


def reshuffled(s):
    """Return whether a card can be drawn. Shuffle the discards into a new deck if the deck is empty [9.2, D12]."""
    if s.deck_size == 0:
        for card in range(box.CARDS):
            while s.discard[card]:
                s.discard[card] -= 1
                s.deck[s.deck_size] = card
                s.deck_size += 1
        shuffle(s.rng, s.deck, 0, s.deck_size)
    return s.deck_size > 0


def refill_market(s):
    """Fill the empty squares in order, and begin the end if the bag has too few tiles [9.1, 11.1]."""
    for square in range(box.MARKET):
        if s.market[square] == EMPTY:
            if s.bag_size == 0:
                s.final = 1
                return
            s.market[square] = draw_tile(s)
            s.reveals += 1


def go_on(s):
    """Continue with a due scoring round, the end, or the next turn [3.1, 9.3, 9.4, D5, D10]."""
    if s.due:
        s.phase = Phase.SCORE
    elif s.final:
        give_leftovers(s)
    elif s.turns >= TURN_LIMIT * s.seats:
        owe_last_scoring(s)
    else:
        s.turn = s.turn + 1 if s.turn + 1 < s.seats else 0
        s.phase = Phase.ACT


# --- Scoring rounds [10] --------------------------------------------------------------------------------------


def legal_score(s, out):
    """Write the only action, which holds the scoring round, and return 1 [9.3, D15]."""
    out[0] = SCORE
    return 1


def apply_score(s):
    """Hold the scoring round that is due, then go on or end the play [10.1, 10.8, 12.4, 12.5].

    With two players, Dirk gets tiles after the first and the second round.
    """
    held = s.due
    s.due = 0
    for p in range(s.seats):
        s.seat[p].earned[held - 1, 0] = points_for_buildings(s, p, held)
        s.seat[p].earned[held - 1, 1] = longest_wall(s.seat[p])
    if s.seats == 2:
        s.dirk_earned[held - 1] = points_for_buildings(s, s.seats, held)
    if held == box.ROUNDS:
        s.over = EndReason.MARKET_SHORT if s.final else EndReason.TURN_LIMIT
        return
    if s.seats == 2:
        s.reveals += give_dirk(s, box.DIRK_AFTER_FIRST if held == 1 else s.bag_size // box.DIRK_SHARE)
    go_on(s)


# --- The end [11] --------------------------------------------------------------------------------------------


def give_leftovers(s):
    """Give each tile left in the market to the player who alone has most money of its currency [11.2, 11.3, D9].

    Then ask the first owner, if any.
    """
    s.reveals += 1
    for square in range(box.MARKET):
        if s.market[square] != EMPTY:
            p = richest(s, square)
            if p != NONE:
                s.seat[p].leftover |= bit(s.market[square])
                s.market[square] = EMPTY
    ask_owner(s, 0)


def richest(s, currency):
    """Return the seat that alone has the most money of a currency, or NONE [11.2, 11.3]."""
    best, chosen = 0, NONE
    for p in range(s.seats):
        money = holding(s.seat[p], currency, box.VALUES)
        if money > best:
            best, chosen = money, p
        elif money == best:
            chosen = NONE
    return chosen


def ask_owner(s, first):
    """Ask the next owner, from seat `first` on, to position tiles, or make the last round due [11.4, D9]."""
    for p in range(first, s.seats):
        if s.seat[p].leftover:
            s.turn = p
            ask_for_tile(s)
            return
    owe_last_scoring(s)


def owe_last_scoring(s):
    """Make the last scoring round due [11.5, D5, D10]."""
    s.due = box.ROUNDS
    s.phase = Phase.SCORE


def scores(s, out):
    """Write each seat's total points [1.3, 11.6]."""
    for p in range(s.seats):
        total = 0
        for held in range(box.ROUNDS):
            total += s.seat[p].earned[held, 0] + s.seat[p].earned[held, 1]
        out[p, 0] = total
