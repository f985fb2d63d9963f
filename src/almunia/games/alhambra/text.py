"""Alhambra in words: actions, questions, the position as text."""

from ...core.contract import Line, Points
from ...core.plain import CheckedRecord as State
from . import components as box
from .building import fitting
from .components import Kind
from .log import tell
from .money import holding
from .rules import apply
from .state import (
    BUILD,
    BUY,
    EMPTY,
    END_TURN,
    ENOUGH,
    FETCH,
    GIVE,
    NOWHERE,
    PASS,
    PAY,
    PICK,
    REMOVE,
    RESERVE,
    SCORE,
    TURN_LIMIT,
    Over,
    Phase,
    bit,
    offset,
)
from .words import (
    LETTERS,
    PLURALS,
    ROUNDS,
    after_paying,
    amount,
    card_name,
    cards_of,
    cheapest,
    exactly,
    is_held,
    is_known,
    listed,
    lying,
    members,
    next_round,
    on_display,
    plural,
    rivalry,
    spot,
    tile_name,
    tiles_waiting,
    worth_now,
)

__all__ = ["ask", "board", "effect", "ending", "facts", "offer", "parts", "say", "tell", "verdict"]


# --- actions -----------------------------------------------------------------------------------


def say(s: State, action: int) -> str:
    """`take florin 5`, `buy garden 8 NE`, `pay denar 5`, `build garden 8 NE at 1N 2E`, and so on."""
    kind, thing = taken_apart(s, action)
    match kind:
        case "take" | "pay":
            return f"{kind} {card_name(thing)}"
        case "buy":
            return f"buy {tile_name(thing)}"
        case "fetch":
            return f"use {tile_name(thing)}"
        case "remove":
            return f"remove {tile_name(thing)}"
        case "pick":
            return f"position {tile_name(thing)}"
        case "build":
            other = s.seat[s.turn].grid[thing]
            instead = f" for {tile_name(other)}" if other != EMPTY else ""
            return f"build {tile_name(s.tile)} at {spot(thing)}{instead}"
    return {"enough": "take no more", "reserve": "reserve it", "give": "give it to Dirk", "end": "end the turn"}.get(
        kind, kind
    )


def taken_apart(s: State, action: int) -> tuple[str, int]:
    """What kind of action it is, and the card, tile or cell that it names."""
    if action < ENOUGH:
        return "take", action
    if BUY <= action < PAY:
        return "buy", s.market[action - BUY]
    if PAY <= action < FETCH:
        return "pay", s.square * box.VALUES + action - PAY
    if FETCH <= action < REMOVE:
        return "fetch", action - FETCH
    if REMOVE <= action < PASS:
        return "remove", action - REMOVE
    if PICK <= action < BUILD:
        return "pick", action - PICK
    if BUILD <= action < RESERVE:
        return "build", action - BUILD
    plain = {ENOUGH: "enough", PASS: "pass", RESERVE: "reserve", GIVE: "give", END_TURN: "end", SCORE: "score"}
    return plain[action], NOWHERE


def offer(s: State, action: int) -> Line:
    """The same in a player's words."""
    kind, thing = taken_apart(s, action)
    match kind:
        case "buy":
            square = action - BUY
            return [f"Buy {tile_name(thing)} for {amount(box.PRICE[thing], square)}"]
        case "fetch":
            return [f"Bring {tile_name(thing)} in from the reserve"]
        case "remove":
            return [f"Move {tile_name(thing)} to the reserve"]
        case "build":
            other = s.seat[s.turn].grid[thing]
            return [f"Exchange {tile_name(other)} at {spot(thing)}" if other != EMPTY else f"Build at {spot(thing)}"]
        case "enough":
            return ["Take no more"]
        case "reserve":
            return ["Put it on the reserve board"]
        case "score":
            return ["Count the points"]
    words = say(s, action)
    return [words[0].upper() + words[1:]]


def parts(s: State, action: int) -> dict[str, str]:
    """Each action is a single thing to click on."""
    kind, thing = taken_apart(s, action)
    match kind:
        case "take":
            return {"take": card_name(thing)}
        case "pay":
            return {"pay": card_name(thing)}
        case "build":
            return {"build": spot(thing)}
        case "buy" | "fetch" | "remove" | "pick":
            return {kind: tile_name(thing)}
        case "reserve" | "give":
            return {kind: tile_name(s.tile)}
    return {"on": kind}


# --- what an action would do -------------------------------------------------------------------------


def effect(s: State, action: int) -> Line:
    """What an action would do, in a few words."""
    kind, thing = taken_apart(s, action)
    me = s.seat[s.turn]
    match kind:
        case "take":
            return [taking(s, me, thing)]
        case "buy":
            return [paying(me, action - BUY, box.PRICE[thing], box.VALUES)]
        case "pay":
            return [paid(s, thing)]
        case "build" | "remove":
            return rebuilding(s, action)
        case "fetch" | "pick":
            return [] if fitting(s, me, bit(thing)) else ["fits on no empty cell now"]
        case "give":
            kind_of = box.KIND[s.tile]
            return [f"Dirk has {PLURALS[kind_of]}: {rivalry(s)[kind_of][s.seats][0] + 1} then"]
    return []


def taking(s: State, me: State, card: int) -> str:
    """What is in hand then, and which cards that fit with this one have to be taken before it [D3]."""
    currency, value = card // box.VALUES, card % box.VALUES + 1
    then = f"{amount(holding(me, currency, box.VALUES) + value, currency)} in hand then"
    room = box.SEVERAL - s.taken - value
    passed = sorted({other for other in on_display(s) if s.least <= other < card and other % box.VALUES < room})
    if not passed:
        return then
    return f"{then}; {listed([card_name(other) for other in passed])} can only be taken before it"


def paying(me: State, square: int, price: int, most: int) -> str:
    """How a price can be paid: exactly if possible, else with as little lost as can be."""
    exact = exactly(me, square, most, price)
    if exact:
        return f"exactly with {' + '.join(map(str, exact))}: another action follows"
    return f"at least {cheapest(me, square, price) - price} lost, for no change is given"


def paid(s: State, card: int) -> str:
    """What paying a card leads to."""
    me, rest = after_paying(s, card)
    if rest == 0:
        return "exact: another action follows"
    if rest < 0:
        return f"{-rest} lost, and your actions end"
    exact = exactly(me, s.square, card % box.VALUES + 1, rest)
    if exact:
        return f"then exactly with {' + '.join(map(str, exact))}"
    return f"{rest} still to pay, and not exactly"


def rebuilding(s: State, action: int) -> Line:
    """What becomes of wall and points if the next scoring round were held now."""
    trial = s.copy()
    before = worth_now(s, s.turn)
    apply(trial, action)
    after = worth_now(trial, s.turn)
    gain = sum(after) - sum(before)
    wall = f"wall {before[1]} becomes {after[1]}" if before[1] != after[1] else f"wall stays {after[1]}"
    return [f"{wall}, ", Points(gain), " if scored now"]


# --- questions ---------------------------------------------------------------------------------------


def ask(s: State) -> str:
    """The question put to the seat to move."""
    match s.phase:
        case Phase.ACT:
            return ask_act(s)
        case Phase.TAKE:
            return f"You have taken {s.taken}. Take more, up to {box.SEVERAL} in all and from left to right?"
        case Phase.PAY:
            tile = s.market[s.square]
            return f"Pay {amount(s.owing, s.square)}{' more' * (s.owing < box.PRICE[tile])} for {tile_name(tile)}."
        case Phase.REBUILD:
            return f"Where do you put {tile_name(s.tile)}? On a built tile it takes that tile's place."
        case Phase.PICK:
            return "Which building do you position next?"
        case Phase.POSITION:
            return f"Where do you put {tile_name(s.tile)}?"
        case Phase.END:
            return "Is your turn over? Until you end it, all of it can be taken back."
    return f"The {ROUNDS[s.due - 1]} scoring round is held."


def ask_act(s: State) -> str:
    """What may be done in a turn, or once more after an exact payment."""
    display, me = on_display(s), s.seat[s.turn]
    can_buy = any(
        tile != EMPTY and holding(me, square, box.VALUES) >= box.PRICE[tile] for square, tile in enumerate(s.market)
    )
    if not display and not can_buy:
        return "There is no money to take, and nothing you can buy: redesign your Alhambra, or pass."
    if s.bought:
        return "You paid exactly, so you have another action: take money, buy, or redesign."
    return "Take money, buy a building, or redesign your Alhambra."


# --- the position ------------------------------------------------------------------------------------


def board(s: State, seat: int) -> str:
    """Market, money, every Alhambra as a grid, the reader's own first, and who has most of what."""
    order = [seat, *(p for p in range(s.seats) if p != seat)] if seat >= 0 else range(s.seats)
    rooms = [alhambra(s, p, seat) for p in order]
    return "\n\n".join([market(s), *rooms, *dirk(s), majorities(s)])


def market(s: State) -> str:
    """The four squares, the open money, and what is left."""
    lines = ["Market"]
    for square, tile in enumerate(s.market):
        lines.append(f"  {box.CURRENCY_NAMES[square]}: {tile_name(tile) if tile != EMPTY else 'empty'}")
    money = ", ".join(map(card_name, on_display(s))) or "none"
    left = f"{plural(s.deck_size, 'card')} in the deck, {plural(sum(s.discard), 'card')} discarded"
    return "\n".join([*lines, f"Open money: {money}", f"Left: {left}, {plural(s.bag_size, 'tile')} in the bag"])


def alhambra(s: State, seat: int, reader: int) -> str:
    """One player's Alhambra, reserve and money."""
    me = s.seat[seat]
    money = ", ".join(map(card_name, cards_of(me))) if is_known(s, seat, reader) else ""
    buildings, wall = worth_now(s, seat)
    more = "" if s.over else f", {buildings + wall} more if scored now"
    lines = [
        f"Alhambra {seat + 1}: {plural(points(s, seat), 'point')}{more}",
        *grid(s, me),
        f"Longest wall: {wall}",
        f"Reserve: {', '.join(map(tile_name, members(me.reserve))) or 'none'}",
        f"Money: {plural(me.cards, 'card')}{': ' + money if money else ''}",
    ]
    waiting = tiles_waiting(s, seat)
    return "\n".join([*lines, *([f"To position: {', '.join(map(tile_name, waiting))}"] if waiting else [])])


def grid(s: State, me: State) -> list[str]:
    """The tiles of an Alhambra as letters and prices, with their walls; the fountain is FF."""
    cells = {(offset(cell // box.SIDE), offset(cell % box.SIDE)): tile for cell, tile in lying(s, me)}
    rows = range(min(row for row, _ in cells), max(row for row, _ in cells) + 1)
    columns = range(min(column for _, column in cells), max(column for _, column in cells) + 1)
    heads = "".join(f"{spot(column % box.SIDE) if column else '0':^6}" for column in columns)
    lines = ["     " + heads.rstrip()]
    for row in rows:
        lines.append("     " + "".join(line_across(cells, row, column) for column in columns).rstrip())
        name = spot(row % box.SIDE * box.SIDE) if row else "0"
        lines.append(f"{name:>4} " + "".join(line_within(cells, row, column) for column in columns).rstrip())
    last = rows[-1]
    return [*lines, "     " + "".join(line_across(cells, last + 1, column) for column in columns).rstrip()]


def line_across(cells: dict[tuple[int, int], int], row: int, column: int) -> str:
    """The edge between a cell and the one north of it."""
    above, below = cells.get((row - 1, column)), cells.get((row, column))
    walled = (above is not None and box.WALL[above, 2]) or (below is not None and box.WALL[below, 0])
    return "+----+" if walled else "+    +" if above is not None or below is not None else "      "


def line_within(cells: dict[tuple[int, int], int], row: int, column: int) -> str:
    """A tile between its west and east walls."""
    tile = cells.get((row, column))
    if tile is None:
        return "      "
    name = "FF" if tile == box.FOUNTAIN else f"{LETTERS[box.KIND[tile]]}{box.PRICE[tile]}"
    west, east = ("|" if box.WALL[tile, side] else " " for side in (3, 1))
    return f"{west}{name:^4}{east}"


def dirk(s: State) -> list[str]:
    """Dirk's tiles, in a game for two."""
    if s.seats != 2:
        return []
    return [
        f"Dirk: {plural(sum(s.dirk_earned), 'point')}\n  {', '.join(map(tile_name, members(s.dirk))) or 'no tiles'}"
    ]


def majorities(s: State) -> str:
    """Who has how many of each kind, and what that is worth in the next scoring round."""
    held = next_round(s)
    columns = [f"{p + 1}" for p in range(s.seats)] + ["Dirk"] * (s.seats == 2)
    lines = [f"Buildings, with points {'in' if s.over else 'as in'} the {ROUNDS[held - 1]} round"]
    lines.append(f"{'':10}" + "".join(f"{name:>8}" for name in columns))
    for kind in Kind:
        cells = [f"{number}{f' +{gain}' if gain else ''}" for number, gain in rivalry(s)[kind]]
        lines.append(f"{PLURALS[kind]:10}" + "".join(f"{cell:>8}" for cell in cells))
    return "\n".join(lines)


def points(s: State, seat: int) -> int:
    """The score so far."""
    return sum(s.seat[seat].earned[held, i] for held in range(box.ROUNDS) for i in range(2))


def facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Buildings by kind, wall, what both would earn now, money and reserve."""
    me = s.seat[seat]
    buildings, wall = worth_now(s, seat)
    counts = " ".join(f"{letter}{line[seat][0]}" for letter, line in zip(LETTERS, rivalry(s), strict=True))
    found = [("Buildings", counts), ("Wall", str(wall)), ("Scored now", f"+{buildings + wall}")]
    if s.over:
        found.pop()
    found.append(("Money", plural(me.cards, "card")))
    if me.reserve:
        found.append(("Reserve", plural(len(list(members(me.reserve))), "tile")))
    return found


# --- the end -------------------------------------------------------------------------------------------


def ending(s: State) -> str:
    """Why the play is over."""
    if s.over == Over.TURN_LIMIT:
        return f"The turn limit of {TURN_LIMIT} turns each was reached."
    return "The market could not be filled any more."


def verdict(s: State, seat: int) -> list[str]:
    """What each scoring round brought, what the money and the reserve were left at, and where Dirk stands."""
    me = s.seat[seat]
    rounds = []
    for held in range(1, box.ROUNDS + 1):
        if is_held(s, held):
            buildings, wall = me.earned[held - 1, 0], me.earned[held - 1, 1]
            rounds.append(f"{ROUNDS[held - 1]} round {buildings + wall} (buildings {buildings}, wall {wall})")
    found = [f"{plural(points(s, seat), 'point')}: {listed(rounds)}."]
    skipped = [ROUNDS[held - 1] for held in range(1, box.ROUNDS) if not is_held(s, held)]
    if skipped:
        found.append(f"The {listed(skipped)} scoring round never came.")
    if s.seats == 2:
        found.append(f"Dirk has {plural(sum(s.dirk_earned), 'point')}, and cannot win.")
    return found
