"""Explanations of illegal choices in Alhambra.

A place is a word and a number: `cell-0` of the reader's Alhambra, `card-12` and `tile-7` of the hand, `square-2` and
`money-12` of the market, or `rival-1`, the Alhambra of another player.
"""

from collections.abc import Iterator, Mapping

from ....core.contract import SeatName
from ....core.english import capitalize
from ....core.optional import Explanation
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.building import surroundings
from ..rules.money import holding, value_of
from ..rules.nearby import CORNERS_FROM
from ..rules.phases import legal
from ..rules.state import ACTIONS, BUILD, BUY, EMPTY, FETCH, PAY, PICK, REMOVE, TAKE, Phase, bit
from .words import amount, card_name, knows_hand, spot, tile_name, tiles_waiting

SIDE_NAMES = ("north", "east", "south", "west")


def explain_illegal(s: State, place: str, chosen: Mapping[str, str]) -> Explanation | None:
    """Return why the seat to move cannot choose a place.

    The result is None if the seat can choose the place or the place has no number. After the end, and if the state
    lacks the seat's money, the result is None, too.
    """
    what, _, number = place.partition("-")
    if s.over or not knows_hand(s, s.turn) or not number:
        return None
    which, may = int(number), offered(s)
    if may & set(actions_at(s, what, which)):
        return None
    match what:
        case "cell":
            return refuse_cell(s, which)
        case "tile":
            return refuse_tile(s, which)
        case "card":
            return refuse_card(s, which)
        case "square":
            return refuse_square(s, which)
        case "money":
            return refuse_money(s, which)
    return Explanation(["This is the Alhambra of ", SeatName(which), ". You build your own."], "3.2")


def offered(s: State) -> set[int]:
    out = [0] * ACTIONS
    return set(out[: legal(s, out)])


def actions_at(s: State, what: str, which: int) -> Iterator[int]:
    """Yield the actions that a click on a place can mean, legal or not."""
    match what:
        case "cell":
            yield BUILD + which
            here = s.seat[s.turn].grid[which]
            if here not in (EMPTY, box.FOUNTAIN):
                yield REMOVE + here
        case "tile":
            yield from (FETCH + which, PICK + which)
        case "card" if s.phase == Phase.PAY and which // box.VALUES == s.square:
            yield PAY + which % box.VALUES
        case "square":
            yield BUY + which
        case "money":
            yield TAKE + which


def because(sentence: str, rule: str, target: str = "") -> Explanation:
    return Explanation([capitalize(sentence)], rule, target)


# --- the pending decision --------------------------------------------------------------------------


def first(s: State) -> Explanation:
    match s.phase:
        case Phase.TAKE:
            return because(
                "You are taking money. Take another card, or stop. You can't do anything else in this turn.",
                "4.3",
            )
        case Phase.PAY:
            tile = s.market[s.square]
            return because(f"First pay for {tile_name(tile)}, or undo the purchase.", "5.1", f"square-{s.square}")
        case Phase.REBUILD:
            return because(f"First choose where {tile_name(s.tile)} goes, or undo.", "7.1", f"tile-{s.tile}")
        case Phase.PICK:
            return because("First choose which of your new buildings you place next.", "8.2")
        case Phase.POSITION:
            rule = "11.4" if s.final else "8.1"
            return because(f"First choose where {tile_name(s.tile)} goes.", rule, f"tile-{s.tile}")
        case Phase.END:
            return because("You can't do anything more in this turn. End it, or undo.", "D15")
        case Phase.SCORE:
            return because("The points are counted first.", "9.3")
    return because("First choose an action: take money, buy a building, or redesign.", "3.2")


# --- the Alhambra ----------------------------------------------------------------------------------


def refuse_cell(s: State, cell: int) -> Explanation:
    here = s.seat[s.turn].grid[cell]
    if s.phase in (Phase.ACT, Phase.REBUILD, Phase.POSITION) and here == box.FOUNTAIN:
        return because("You can't move or exchange the fountain.", "7.5")
    match s.phase:
        case Phase.ACT if here != EMPTY:
            return stays(s, here)
        case Phase.ACT:
            return because(
                "First choose a tile for this place. Buy a building, or bring one in from your reserve.", "3.2"
            )
        case Phase.REBUILD if here != EMPTY:
            return clash(s, cell) or first(s)
        case Phase.POSITION if here != EMPTY:
            words = f"{tile_name(here)} is at {spot(cell)}. Only a tile from the reserve can replace it."
            return because(words, "7.3", f"tile-{here}")
        case Phase.REBUILD | Phase.POSITION:
            return unfit(s, cell)
    return first(s)


def unfit(s: State, cell: int) -> Explanation:
    """Return why the tile does not fit on an empty cell [6]."""
    around = surroundings(s.seat[s.turn], cell)
    if not around & (bit(box.SIDES) - 1):
        corner = around >> CORNERS_FROM
        touching = "only touches your Alhambra at a corner" if corner else "doesn't touch your Alhambra"
        return because(f"{spot(cell)} {touching}. A new tile must touch another at a side.", "6.4")
    return clash(s, cell) or barred(s, cell) or hole(s, cell)


def beside(s: State, cell: int) -> Iterator[tuple[int, int]]:
    """Yield each side of a cell that has a neighbouring tile, and that tile."""
    for side in range(box.SIDES):
        there = s.seat[s.turn].grid[box.NEXT[cell, side]]
        if there != EMPTY:
            yield side, there


def clash(s: State, cell: int) -> Explanation | None:
    """Return an explanation if a wall would meet an open side of another tile, or None [6.2]."""
    for side, there in beside(s, cell):
        mine, theirs = box.WALL[s.tile, side], box.WALL[there, side ^ 2]
        if mine != theirs:
            edge, other = ("The wall", "the open side") if mine else ("The open side", "the wall")
            sentence = f"{edge} on its {SIDE_NAMES[side]} side would meet {other} of {called(there)}."
            return because(sentence, "6.2", "" if there == box.FOUNTAIN else f"tile-{there}")
    return None


def barred(s: State, cell: int) -> Explanation | None:
    """Return an explanation if every side that touches a tile has a wall, else None [6.3]."""
    if all(box.WALL[s.tile, side] for side, _ in beside(s, cell)):
        return because(
            f"You can't walk to {spot(cell)} because walls would be on all sides that touch your tiles.", "6.3"
        )
    return None


def hole(s: State, cell: int) -> Explanation:
    """Return the explanation of a cell where a tile would enclose an empty place [6.5]."""
    return because(f"A tile at {spot(cell)} would enclose an empty place.", "6.5")


def called(tile: int) -> str:
    return "the fountain" if tile == box.FOUNTAIN else f"the {tile_name(tile)}"


def stays(s: State, tile: int) -> Explanation:
    """Return why a tile cannot be moved to the reserve [7.2, D6]."""
    sides = [there for _, there in beside(s, s.cell[tile])]
    if len(sides) == box.SIDES:
        return because(
            f"Without {tile_name(tile)} there would be a hole because all four of its sides touch tiles.", "D6"
        )
    return because(f"Without {tile_name(tile)} you couldn't walk from the fountain to every tile.", "6.3")


# --- tiles next to it ------------------------------------------------------------------------------


def refuse_tile(s: State, tile: int) -> Explanation:
    here = f"tile-{tile}"
    if tile == s.tile:
        return because(
            f"{tile_name(tile)} is chosen. Choose where it goes.", "8.1" if tile_waits(s, tile) else "7.1", here
        )
    if s.phase == Phase.ACT and tile_waits(s, tile):
        words = f"You place {tile_name(tile)} after everything else in your turn."
        return because(words, "8.1", here)
    if s.phase == Phase.ACT:
        words = f"{tile_name(tile)} fits on no empty place, and it can't replace any tile."
        return because(words, "7.4", here)
    if s.phase == Phase.PICK:
        words = f"{tile_name(tile)} is on the reserve board. Bringing it in is a separate action."
        return because(words, "7.1", here)
    return first(s)


def tile_waits(s: State, tile: int) -> bool:
    return tile in tiles_waiting(s, s.turn)


# --- money and market ------------------------------------------------------------------------------


def refuse_card(s: State, card: int) -> Explanation:
    currency, value = divmod(card, box.VALUES)
    if s.phase == Phase.ACT:
        return because("You spend money on buildings. First choose one in the market.", "5.1")
    if s.phase != Phase.PAY:
        return first(s)
    if currency != s.square:
        tile, wanted = tile_name(s.market[s.square]), box.CURRENCY_NAMES[s.square]
        other = box.CURRENCY_NAMES[currency]
        return because(f"You pay for {tile} in {wanted}s, and this card is in {other}s.", "5.1", f"square-{s.square}")
    if value + 1 > s.least:
        return because(f"You pay the highest cards first, so you can't pay a {value + 1} after a {s.least}.", "D3")
    rest = holding(s.seat[s.turn], currency, value + 1)
    words = f"You pay the highest cards first. From {value + 1} down you only have {rest}, and you must pay {s.owing}."
    return because(words, "D3")


def refuse_square(s: State, square: int) -> Explanation:
    tile, here = s.market[square], f"square-{square}"
    if s.phase == Phase.PAY and square == s.square:
        return because(f"You are paying for {tile_name(tile)}. Choose cards from your hand.", "5.1", here)
    if s.phase == Phase.TAKE:
        return because("You have taken money, so you can't buy anything in this turn.", "4.3", here)
    if s.phase != Phase.ACT:
        return first(s)
    if tile == EMPTY:
        return because("This square stays empty until your turn is over.", "5.5", here)
    money, price = holding(s.seat[s.turn], square, box.VALUES), int(box.PRICE[tile])
    missing = amount(price - money, square)
    return because(
        f"{tile_name(tile)} costs {amount(price, square)}, and you have {money}. You need {missing} more.", "5.1", here
    )


def refuse_money(s: State, card: int) -> Explanation:
    if s.phase != Phase.TAKE:
        return first(s)
    if s.taken + value_of(card) > box.SEVERAL:
        words = f"Several cards can be worth at most {box.SEVERAL} together."
        return because(f"{words} With {card_name(card)} they would be worth {s.taken + value_of(card)}.", "4.2")
    return because(
        f"You take money from left to right, so you can't take {card_name(card)} after {card_name(s.least)}.", "D3"
    )
