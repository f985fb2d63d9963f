"""The actions and questions of Alhambra in words."""

from ....core.contract import NONE, Points, RichLine
from ....core.english import capitalize, join_words
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.money import holding
from ..rules.state import BUY, CODES, EMPTY, Phase
from .prospects import hoped_for, rebuilding
from .words import (
    ROUNDS,
    after_paying,
    amount,
    card_name,
    cheapest,
    exactly,
    of_kind,
    on_display,
    rivalry,
    spot,
    tile_name,
    worth_now,
)


def action_to_string(s: State, action: int) -> str:
    """Return an action as text, such as `take florin 5` or `build garden 8 NE at 1N 2E`."""
    kind, thing = decode(s, action)
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


def decode(s: State, action: int) -> tuple[str, int]:
    """Return an action's kind in lower case, and the card, tile or cell that the action names, or 0.

    Raise ValueError for a payment outside a purchase.
    """
    kind, thing = CODES.split(action)
    if kind == "BUY":
        thing = s.market[thing]
    elif kind == "PAY":
        if s.square == NONE:
            raise ValueError("Nothing is being paid for, so no card has these words.")
        thing += s.square * box.VALUES
    return kind.lower(), thing


def button_label(s: State, action: int) -> RichLine:
    """Return the label of an action, such as `Buy garden 8 NE for 8 florins`."""
    kind, thing = decode(s, action)
    match kind:
        case "buy":
            square = action - BUY
            return [f"Buy {tile_name(thing)} for {amount(box.PRICE[thing], square)}"]
        case "fetch":
            return [f"Bring {tile_name(thing)} in from the reserve"]
        case "remove":
            return [f"Move {tile_name(thing)} to the reserve"]
        case "pick":
            return [f"Place {tile_name(thing)}"]
        case "build":
            other = s.seat[s.turn].grid[thing]
            return [f"Exchange {tile_name(other)} at {spot(thing)}" if other != EMPTY else f"Build at {spot(thing)}"]
        case "enough":
            return ["Take no more"]
        case "reserve":
            return ["Put it on the reserve board"]
        case "score":
            return ["Count the points"]
    return [capitalize(action_to_string(s, action))]


def parts(s: State, action: int) -> dict[str, str]:
    """Return the only part of an action, by its name."""
    kind, thing = decode(s, action)
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


def effect_text(s: State, action: int) -> RichLine:
    """Return a line on the effect of an action, or an empty line if the label says enough."""
    kind, thing = decode(s, action)
    me = s.seat[s.turn]
    match kind:
        case "take":
            return [taking(s, me, thing)]
        case "buy":
            return [*hoped_for(s, thing), "; ", paying(me, action - BUY, box.PRICE[thing], box.VALUES)]
        case "pay":
            return [paid(s, thing)]
        case "build":
            return rebuilding(s, s.tile, thing)
        case "remove":
            return rebuilding(s, thing, s.cell[thing])
        case "fetch" | "pick":
            return hoped_for(s, thing)
        case "give":
            kind_of = box.KIND[s.tile]
            return [f"Dirk will have {of_kind(kind_of, rivalry(s)[kind_of][s.seats][0] + 1)}"]
        case "score":
            return [Points(sum(worth_now(s, s.turn)))]
    return []


def taking(s: State, me: State, card: int) -> str:
    """Return a phrase on the effects of taking a card [D3]."""
    currency, value = card // box.VALUES, card % box.VALUES + 1
    then = f"you'll have {amount(holding(me, currency, box.VALUES) + value, currency)}{newly_paid(s, me, card)}"
    room = box.SEVERAL - s.taken - value
    passed = sorted({other for other in on_display(s) if s.least <= other < card and other % box.VALUES < room})
    if not passed:
        return then
    others = join_words([card_name(other) for other in passed])
    return f"{then}; if you also want {others}, take {'it' if len(passed) == 1 else 'them'} first"


def newly_paid(s: State, me: State, card: int) -> str:
    """Return a phrase with the market tile that this card makes exactly payable, or an empty string."""
    square, value = card // box.VALUES, card % box.VALUES + 1
    tile = s.market[square]
    if tile == EMPTY or exactly(me, square, box.VALUES, box.PRICE[tile]):
        return ""
    rest = box.PRICE[tile] - value
    pays = rest == 0 or (rest > 0 and exactly(me, square, box.VALUES, rest))
    return f" and can pay exactly for {tile_name(tile)}" if pays else ""


def paying(me: State, square: int, price: int, most: int) -> str:
    exact = exactly(me, square, most, price)
    if exact:
        return f"you can pay exactly with {' + '.join(map(str, exact))} and get another action"
    return f"you waste at least {cheapest(me, square, price) - price} because you get no change"


def paid(s: State, card: int) -> str:
    me, rest = after_paying(s, card)
    if rest == 0:
        return "exact, so you get another action"
    if rest < 0:
        return f"{-rest} wasted, and you get no other action"
    exact = exactly(me, s.square, card % box.VALUES + 1, rest)
    if exact:
        return f"then pay exactly with {' + '.join(map(str, exact))}"
    return f"{rest} still to pay, and you can't pay that exactly"


def question(s: State) -> str:
    match s.phase:
        case Phase.ACT:
            return ask_act(s)
        case Phase.TAKE:
            return f"You have taken {s.taken}. Take more, up to {box.SEVERAL} in all, from left to right?"
        case Phase.PAY:
            tile = s.market[s.square]
            return f"Pay {amount(s.owing, s.square)}{' more' * (s.owing < box.PRICE[tile])} for {tile_name(tile)}."
        case Phase.REBUILD:
            return f"Where do you put {tile_name(s.tile)}? It can also replace a tile in your Alhambra."
        case Phase.PICK:
            return "Which building do you place next?"
        case Phase.POSITION:
            return f"Where do you put {tile_name(s.tile)}?"
        case Phase.END:
            return "End your turn? Until you do, you can undo all of it."
    return f"The {ROUNDS[s.due - 1]} scoring round takes place."


CITED = {
    Phase.ACT: "3.2",
    Phase.TAKE: "4.2",
    Phase.PAY: "5.1",
    Phase.REBUILD: "7.3",
    Phase.PICK: "8.2",
    Phase.POSITION: "8.1",
    Phase.END: "D15",
    Phase.SCORE: "10.1",
}


def rule_of_question(s: State) -> str:
    if s.phase == Phase.ACT and s.bought:
        return "5.3"
    if s.final and s.phase in (Phase.PICK, Phase.POSITION):
        return "11.4"
    return CITED[Phase(s.phase)]


def ask_act(s: State) -> str:
    display, me = on_display(s), s.seat[s.turn]
    can_buy = any(
        tile != EMPTY and holding(me, square, box.VALUES) >= box.PRICE[tile] for square, tile in enumerate(s.market)
    )
    if not display and not can_buy:
        return "There is no money to take, and you can't buy anything. Redesign your Alhambra, or pass."
    if s.bought:
        return "You paid exactly, so you have another action. Take money, buy, or redesign."
    return "Take money, buy a building, or redesign your Alhambra."
