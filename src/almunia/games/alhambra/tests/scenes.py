"""The scenario commands of Alhambra: changes of a position, questions, and invariants."""

from typing import Any

import numpy as np

from ....core.contract import NONE
from .. import components as box
from ..rules.building import build
from ..rules.scoring import count, longest_wall, points_for_kind
from ..rules.state import EMPTY, NOWHERE, SCORING, SCORING_CARDS, Phase, bit
from ..text.words import card_name, cards_of, cell_at, members, on_display, spot, tile_name

TILE = {tile_name(tile): tile for tile in range(box.TILES)}
CARD = {card_name(card): card for card in range(box.CARDS)} | {"scoring 1": SCORING, "scoring 2": SCORING + 1}


def put(s: Any, words: str) -> None:
    """Change a position by a command, such as `hand/0: florin 5, denar 2` or `built/0: tower 12 open at 1N`.

    A number after `/` is a seat. The last tile of `bag` and the last card of `deck` are drawn next.
    """
    place, _, listed = words.partition(":")
    verb, _, number = place.partition("/")
    things = [thing.strip() for thing in listed.split(",") if thing.strip()]
    match verb:
        case "hand":
            put_hand(s.seat[int(number)], [CARD[thing] for thing in things])
        case "open":
            put_row(s.display, [CARD[thing] for thing in things])
        case "deck":
            put_row(s.deck, [CARD[thing] for thing in things])
            s.deck_size = len(things)
        case "discard":
            for card in range(box.CARDS):
                s.discard[card] = things.count(card_name(card))
        case _:
            put_tiles(s, verb, int(number or 0), things)


def put_hand(me: Any, cards: list[int]) -> None:
    for card in range(box.CARDS):
        me.hand[card] = cards.count(card)
    me.cards = len(cards)


def put_row(row: Any, things: list[int]) -> None:
    for place in range(len(row)):
        row[place] = things[place] if place < len(things) else EMPTY


def put_tiles(s: Any, verb: str, seat: int, things: list[str]) -> None:
    """Move tiles to the place that `verb` and `seat` name. Raise ValueError for an unknown place."""
    names = [thing.partition(" at ")[0] for thing in things]
    tiles = [EMPTY if name == "none" else TILE[name] for name in names]
    for tile in tiles:
        if tile != EMPTY:
            lift(s, tile)
    match verb:
        case "market":
            put_row(s.market, tiles)
        case "bag":
            put_row(s.bag, tiles)
            s.bag_size = len(tiles)
        case "dirk":
            s.dirk = sum(bit(tile) for tile in tiles)
        case "reserve":
            s.seat[seat].reserve = sum(bit(tile) for tile in tiles)
        case "built":
            for tile, thing in zip(tiles, things, strict=True):
                build(s, s.seat[seat], tile, cell_at(thing.partition(" at ")[2]))
        case _:
            raise ValueError(f"{verb!r} is nothing that can be put.")


def lift(s: Any, tile: int) -> None:
    for square in range(box.MARKET):
        if s.market[square] == tile:
            s.market[square] = EMPTY
    inside = [s.bag[i] for i in range(s.bag_size) if s.bag[i] != tile]
    put_row(s.bag, inside)
    s.bag_size = len(inside)
    s.dirk &= ~bit(tile)
    for me in s.seat:
        me.reserve &= ~bit(tile)
        if me.built & bit(tile):
            me.built ^= bit(tile)
            me.grid[s.cell[tile]] = EMPTY
    s.cell[tile] = NOWHERE


def look(s: Any, question: str) -> str:
    """Return the answer to a query, such as `hand/0`, `count/0 tower` or `majority/0 tower 2`.

    In `count` and `majority`, Dirk has the number after the last seat. Raise ValueError for an unknown query.
    """
    verb, _, rest = question.partition("/")
    seat, *more = rest.split() or ["0"]
    p = int(seat)
    me = s.seat[min(p, s.seats - 1)]
    match verb:
        case "hand":
            return names([card_name(card) for card in cards_of(me)])
        case "open":
            return names([card_name(card) for card in on_display(s)])
        case "discard":
            return names([card_name(card) for card in range(box.CARDS) for _ in range(s.discard[card])])
        case "market":
            return names([tile_name(tile) if tile != EMPTY else "none" for tile in s.market])
        case "reserve" | "built" | "waiting" | "dirk":
            sets = {"reserve": me.reserve, "built": me.built, "waiting": s.bought | me.leftover, "dirk": s.dirk}
            return names(
                [
                    tile_name(tile) + (f" at {spot(s.cell[tile])}" if verb == "built" else "")
                    for tile in members(sets[verb])
                ]
            )
        case "wall":
            return str(longest_wall(me))
        case "count":
            return str(count(s, p, box.KIND_NAMES.index(more[0])))
        case "majority":
            return str(points_for_kind(s, p, box.KIND_NAMES.index(more[0]), int(more[1])))
        case "earned":
            return " ".join(str(me.earned[int(more[0]) - 1, i]) for i in range(2))
        case "dirk earned":
            return " ".join(str(points) for points in s.dirk_earned)
    raise ValueError(f"{question!r} cannot be looked at.")


def names(found: list[str]) -> str:
    return ", ".join(found) or "none"


# --- invariants --------------------------------------------------------------------------------------


def broken(s: Any) -> str:
    """Return a sentence on the first broken invariant, or an empty string."""
    grids = filter(None, map(broken_grid, [s] * s.seats, range(s.seats)))
    return broken_tiles(s) or broken_money(s) or broken_question(s) or next(grids, "")


def broken_question(s: Any) -> str:
    taking, paying = s.phase == Phase.TAKE, s.phase == Phase.PAY
    if (s.taken > 0) != taking or (s.owing > 0) != paying or ((s.least > 0) and not (taking or paying)):
        return f"in phase {s.phase} {s.taken} is taken, {s.owing} is owed, and the bound is {s.least}"
    if (s.square != NONE) != paying or (s.tile != NONE) != (s.phase in (Phase.REBUILD, Phase.POSITION)):
        return f"in phase {s.phase} the tile is {s.tile} and the square {s.square}"
    waiting = s.bought | s.seat[s.turn].leftover
    if waiting and s.phase in (Phase.END, Phase.SCORE):
        return f"the turn ends, and {[tile_name(tile) for tile in members(waiting)]} are not positioned"
    return "" if (s.due > 0) == (s.phase == Phase.SCORE) or s.over else f"round {s.due} is due in phase {s.phase}"


def broken_tiles(s: Any) -> str:
    found = [tile for tile in s.market if tile != EMPTY] + [s.bag[i] for i in range(s.bag_size)]
    sets = [s.dirk, s.bought, *(part for p in range(s.seats) for part in sets_of(s.seat[p]))]
    found += [tile for tiles in sets for tile in members(tiles)]
    if sorted(found) != list(range(box.TILES)):
        return f"the tiles are {sorted(found)}"
    return "" if s.dirk == 0 or s.seats == 2 else "Dirk has tiles, but takes no part"


def sets_of(me: Any) -> list[int]:
    return [me.built, me.reserve, me.leftover]


def broken_money(s: Any) -> str:
    found = [card for card in s.display if card != EMPTY] + [s.deck[i] for i in range(s.deck_size)]
    found += [card for card in range(box.CARDS) for _ in range(s.discard[card])]
    for p in range(s.seats):
        found += cards_of(s.seat[p])
        if len(cards_of(s.seat[p])) != s.seat[p].cards:
            return f"seat {p} has {len(cards_of(s.seat[p]))} cards and counts {s.seat[p].cards}"
    copies = box.COPIES_FOR_TWO if s.seats == 2 else box.COPIES
    wanted = [card for card in range(box.CARDS) for _ in range(copies)]
    wanted += [SCORING + i for i in range(s.scoring_cards, SCORING_CARDS)]
    return "" if sorted(found) == wanted else f"the cards are {sorted(found)}"


def broken_grid(s: Any, p: int) -> str:
    me = s.seat[p]
    lying = {int(cell): me.grid[int(cell)] for cell in np.flatnonzero(me.grid._array != EMPTY)}
    wanted = {s.cell[tile]: tile for tile in members(me.built)} | {box.HOME: box.FOUNTAIN}
    return "" if lying == wanted else f"Alhambra {p} has {lying}, but {wanted} are built"
