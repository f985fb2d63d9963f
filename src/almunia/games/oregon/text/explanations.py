"""Explanations of illegal choices in Oregon.

A place is the id of a picture's element: a space, a card of the hand, a token or a deck.
"""

from collections.abc import Mapping

from ....core.contract import NONE, SeatName
from ....core.optional import Explanation
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import BUILT, EMPTY, JOKER, LANDS, Building, Terrain
from ..rules.phases import can_play, chosen_row, in_stock, legal
from ..rules.state import ACTIONS, CARD, DRAW, EXTRA, SPACE, SWAP, Phase
from .actions import stuck
from .words import BUILDINGS, CARDS, DECKS, TERRAINS, ground_of, held, knows_hand, spot

DRAWING = (Phase.EXTRA, Phase.DRAW)


def explain_illegal(s: State, place: str, chosen: Mapping[str, str]) -> Explanation | None:
    """Return why the seat to move cannot choose a place.

    The result is None if the seat can choose the place or the place is unknown. After the end, and if the state lacks
    the seat's hand, the result is None, too.
    """
    what, _, which = place.partition("-")
    if s.over or not knows_hand(s, s.turn):
        return None
    offered = [0] * ACTIONS
    may = offered[: legal(s, offered)]
    match what:
        case "space":
            return None if SPACE + int(which) in may else refuse_space(s, int(which))
        case "hand":
            kind, picked = held(s, s.turn)[int(which)]
            wanted = SWAP + kind - LANDS if s.phase in DRAWING and kind >= LANDS else CARD + kind
            return None if wanted in may and not picked else refuse_card(s, kind, place, picked=picked)
        case "token":
            action = (CARD + JOKER, EXTRA)[int(which)]
            return None if action in may else (refuse_joker, refuse_extra)[int(which)](s)
        case "deck":
            return None if DRAW + DECKS.index(which) in may else refuse_deck(s, DECKS.index(which))
    return None


def because(sentence: str, rule: str, target: str = "") -> Explanation:
    return Explanation([sentence], rule, target)


# --- spaces -----------------------------------------------------------------------------------------------


def refuse_space(s: State, cell: int) -> Explanation:
    match s.phase:
        case Phase.START:
            return taken(s, cell, "3.1") or wrong_site(s.seat[s.turn].start, cell, "3.1", "D1")
        case Phase.SPACE if box.PLACED[chosen_row(s)] == box.FARMER:
            return taken(s, cell, "5.3") or wrong_for_farmer(s, cell)
        case Phase.SPACE:
            building = Building(box.PLACED[chosen_row(s)])
            return taken(s, cell, "6.3") or wrong_line(s, cell) or wrong_site(building, cell, "6.3", "6.5")
        case Phase.FIRST | Phase.SECOND if stuck(s):
            return because("You can't play any two of your cards, so you place nothing. Discard two.", "D7")
        case Phase.FIRST:
            return because("First choose two cards. They decide where you can place something.", "4.2")
        case Phase.SECOND:
            return because(f"First choose the card to play with the {CARDS[s.chosen[0]]}.", "4.2")
    return nothing_more(s)


def taken(s: State, cell: int, rule: str) -> Explanation | None:
    piece, where = s.space[cell], f"space-{cell}"
    if piece == EMPTY:
        return None
    if piece >= BUILT:
        return because(f"A {BUILDINGS[piece - BUILT]} is already on {spot(cell)}.", rule, where)
    if piece == s.turn:
        return because(f"Your own farmer is already on {spot(cell)}.", rule, where)
    return Explanation([f"Space {spot(cell)} already holds ", SeatName(piece), "'s farmer."], rule, where)


def wrong_for_farmer(s: State, cell: int) -> Explanation:
    if box.TERRAIN[cell] == Terrain.WATER:
        return because(f"You can't place a farmer on water, and {spot(cell)} is water.", "5.3", f"space-{cell}")
    one, other = sorted(s.chosen)
    if other == JOKER:
        return elsewhere(f"Your {CARDS[one]} opens its own row and column", cell, "7.1")
    if one == other:
        return elsewhere(f"Two {CARDS[one]} cards open the area where their row and column cross", cell, "5.2")
    return elsewhere(f"Your {CARDS[one]} and {CARDS[other]} open the areas where they cross", cell, "5.2")


def wrong_line(s: State, cell: int) -> Explanation | None:
    land, building = sorted(s.chosen, key=lambda kind: LANDS <= kind < JOKER)
    if any(box.suits(land, symbol) for symbol in symbols(cell)):
        return None
    return elsewhere(f"The {CARDS[building]} goes in the row or the column of the {CARDS[land]}", cell, "6.2")


def elsewhere(where: str, cell: int, rule: str) -> Explanation:
    row, column = (box.SYMBOLS[symbol] for symbol in symbols(cell))
    both = f"row and the column of the {row}" if row == column else f"row of the {row} and the column of the {column}"
    sentence = f"{where}. Space {spot(cell)} is in the {both}."
    return because(sentence, rule, f"space-{cell}")


def symbols(cell: int) -> tuple[int, int]:
    row, column = divmod(cell, box.COLUMNS)
    return box.LEFT[row // box.AREA_HEIGHT], box.TOP[column // box.AREA_WIDTH]


def wrong_site(building: int, cell: int, terrain_rule: str, water_rule: str) -> Explanation:
    ground, wanted = Terrain(box.TERRAIN[cell]), ground_of(building)
    if ground != wanted:
        sentence = f"A {BUILDINGS[building]} goes on {TERRAINS[wanted]}, and {spot(cell)} is {TERRAINS[ground]}."
        return because(sentence, terrain_rule, f"space-{cell}")
    return because(
        f"A {BUILDINGS[building]} needs water beside it, and {spot(cell)} has none.", water_rule, f"space-{cell}"
    )


# --- cards ------------------------------------------------------------------------------------------------


def refuse_card(s: State, kind: int, place: str, *, picked: bool) -> Explanation:
    match s.phase:
        case Phase.START:
            return start_first()
        case Phase.FIRST:
            return no_partner(s, kind)
        case Phase.SECOND if picked:
            return because(f"Your {CARDS[kind]} is already chosen. Choose a card to go with it, or undo.", "D5", place)
        case Phase.SECOND:
            return no_pair(s, kind)
        case Phase.SPACE:
            return because("You have chosen your two cards. Choose a space, or undo.", "D5")
    return nothing_more(s) if kind < LANDS or (s.phase == Phase.EXTRA and can_play(s)) else no_exchange(s, kind)


def no_partner(s: State, kind: int) -> Explanation:
    if LANDS <= kind < JOKER and not in_stock(s, kind - LANDS):
        return none_left(kind - LANDS)
    return because(f"You have no card that you can play with the {CARDS[kind]}.", "4.2")


def no_pair(s: State, kind: int) -> Explanation:
    one = s.chosen[0]
    row = box.ROW[one, kind]
    if row == NONE:
        return because("You can't play two building cards together. One card must be a landscape.", "D4")
    what = box.PLACED[row]
    if not in_stock(s, what):
        return because("You have no farmer left to place.", "D19") if what == box.FARMER else none_left(what)
    rule = "5.3" if what == box.FARMER else "6.3"
    piece = "a farmer" if what == box.FARMER else f"a {BUILDINGS[what]}"
    return because(f"The {CARDS[one]} and the {CARDS[kind]} open no empty space for {piece}.", rule)


def none_left(building: int) -> Explanation:
    return because(f"The stack of the {BUILDINGS[building]} is empty.", "6.4")


def no_exchange(s: State, kind: int) -> Explanation:
    if s.stock[kind - LANDS]:
        name = CARDS[kind]
        return because(f"You can only exchange a card if its stack is empty, and there are still {name} tiles.", "12.3")
    if s.final:
        return last_turn()
    return because("As far as you know, there is no useful building card left to draw.", "D16")


# --- tokens and decks -------------------------------------------------------------------------------------


def refuse_joker(s: State) -> Explanation:
    if s.phase == Phase.START:
        return start_first()
    if JOKER in s.chosen:
        return because("The joker is already chosen.", "D5", "token-0")
    if not s.seat[s.turn].joker:
        return because("You have used your joker. A warehouse makes it ready again.", "7.2", "token-0")
    match s.phase:
        case Phase.FIRST | Phase.SECOND if stuck(s):
            return because("You can't play any two cards, not even with the joker. Discard two cards.", "D7")
        case Phase.FIRST:
            return no_partner(s, JOKER)
        case Phase.SECOND:
            return no_pair(s, JOKER)
        case Phase.SPACE:
            return because("You have chosen your two cards. Choose a space, or undo.", "D5")
    return nothing_more(s)


def refuse_extra(s: State) -> Explanation:
    if s.phase == Phase.START:
        return start_first()
    if s.again:
        return because("You can use only one extra turn in a turn.", "11.3", "token-1")
    if not s.seat[s.turn].extra:
        return because("You have used your extra turn. A train station makes it ready again.", "8.7", "token-1")
    match s.phase:
        case Phase.EXTRA:
            return because("You can't play the cards that you have left.", "D12")
        case Phase.DRAW:
            return because(
                "You have started to draw, so you can't use the extra turn now. The token stays ready.", "D12"
            )
    return because("You can use the extra turn after you have played two cards and scored.", "11.1")


def refuse_deck(s: State, deck: int) -> Explanation:
    if s.phase == Phase.START:
        return start_first()
    if s.phase not in DRAWING:
        return because("You draw cards at the end of your turn. First choose two cards from your hand.", "12.1")
    if s.final:
        return last_turn()
    if sum(s.seat[s.turn].cards) == box.HAND:
        return because(f"Your hand is full. You have {box.HAND} cards.", "12.1")
    return because(f"Your last card must be a {DECKS[1 - deck]} card because a hand needs one from each deck.", "12.2")


# --- not at this moment -----------------------------------------------------------------------------------


def start_first() -> Explanation:
    return because("First place your start tile.", "3.1")


def last_turn() -> Explanation:
    return because("This was your last turn, so you draw no cards.", "D18")


def nothing_more(s: State) -> Explanation:
    if s.phase == Phase.EXTRA and can_play(s):
        return because("First choose the extra turn. Then you can play two more cards.", "11.1", "token-1")
    full = sum(s.seat[s.turn].cards) == box.HAND
    then = "End it" if s.final or full else "Draw cards"
    return because(f"You can't play any more cards in this turn. {then}.", "4.1")
