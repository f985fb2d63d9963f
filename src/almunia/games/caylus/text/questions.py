"""The questions of Caylus, and the rules behind them."""

from ....core.contract import NONE
from ....core.english import NUMBERS, pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CLASSES, Line as FavourLine
from ..rules.castle import building_site
from ..rules.placing import price
from ..rules.state import CASTLE, Phase, Stage, find, points_of, tile_in_use
from .words import SECTIONS, TILES, batches, either, is_for_a_cube, money_words, rule_of, the_place

# The heading of a favour's question, by stage.
PLACES = {Stage.SPECIAL: "Joust Field", Stage.ROAD: "Road", Stage.CASTLE: "Castle", Stage.END: "Scoring"}
MARKS = {
    Phase.PLACE: "2.2",
    Phase.GATE: "2.8",
    Phase.GUILD: "2.10",
    Phase.JOUST: "2.11",
    Phase.INN: "2.13",
    Phase.PROVOST: "2.15",
    Phase.BONUS: "2.18",
    Phase.BATCH: "2.24",
    Phase.FAVOUR: "4.2",
    Phase.RESOURCE: "4.4",
    Phase.BUILDING: "4.4",
}


def question(s: State) -> str:
    """Return the question to the seat to move."""
    match s.phase:
        case Phase.PLACE:
            return f"Place a worker for {prices(s)}, or pass."
        case Phase.GATE:
            return "Gate: where does your worker move, for free?"
        case Phase.GUILD:
            return "Merchants' Guild: how far does the provost move?"
        case Phase.JOUST:
            return f"Joust Field: pay {money_words(box.JOUST_MONEY)} and {box.JOUST_CLOTH} cloth for a favour?"
        case Phase.INN:
            return "Inn: does your worker stay, or does it go home?"
        case Phase.PROVOST:
            return f"Provost: how far do you move him, for {money_words(box.STEP_PRICE)} a space?"
        case Phase.BATCH:
            return ask_batch(s)
        case Phase.GIVE | Phase.TAKE:
            return ask_cube(s)
        case Phase.FAVOUR | Phase.RESOURCE | Phase.BUILDING:
            return ask_favoured(s)
    return f"Road: {ask_on_road(s)}"


def prices(s: State) -> str:
    """Return the price of a worker, such as `2 deniers (own buildings: 1)`."""
    usual = price(s, s.turn, CASTLE)
    own = any(s.owner[space] == s.turn and s.worker[space] == NONE for space in range(box.ROAD))
    return f"{money_words(usual)}{f' (own buildings: {box.OWN_PRICE})' if own and usual > box.OWN_PRICE else ''}"


def ask_on_road(s: State) -> str:
    match s.phase:
        case Phase.PRODUCE:
            return f"what does {the_place(s, s.cursor)} produce for you?"
        case Phase.BONUS:
            return f"which cube do you take as the owner of the {TILES[tile_in_use(s)]}?"
        case Phase.TRADE:
            return ask_trade(s)
        case Phase.BUILD:
            kind = box.BUILDS[tile_in_use(s)]
            where = "in place of a residence" if kind == box.Class.PRESTIGE else f"on space {find(s.road, NONE) + 1}"
            return f"build a {CLASSES[kind]} building {where}?"
    return f"make a residence for {money_words(box.CONVERT_MONEY)} and {box.CONVERT_CLOTH} cloth?"


def ask_trade(s: State) -> str:
    tile = tile_in_use(s)
    if is_for_a_cube(tile):
        money = money_words(int(box.PAY_MONEY[tile, 0] + box.GAIN_MONEY[tile, 0]))
        deal = f"{'sell' if box.GAIN_MONEY[tile, 0] else 'buy'} a cube for {money}"
        return f"{deal} at {the_place(s, s.cursor)}?"
    return f"use {the_place(s, s.cursor)}?"


def ask_cube(s: State) -> str:
    trading = is_trading(s)
    if s.phase == Phase.TAKE:
        count, what = s.take, f"from the {TILES[tile_in_use(s)]}" if trading else "in exchange"
        return f"Take {pluralize(count, 'cube')} {what}. Which {'one' if count == 1 else 'first'}?"
    count = s.give_any + s.give_common
    if trading:
        what = f"to the {TILES[tile_in_use(s)]}"
    else:
        what = f"for {NUMBERS[s.take]} others" if s.take else "of any kind for your new building"
    return f"Give {pluralize(count, 'cube')} {what}. Which {'one' if count == 1 else 'first'}?"


def is_trading(s: State) -> bool:
    """Return whether the cubes owed belong to a trade at a building of the road."""
    return bool(s.stage == Stage.ROAD and box.EFFECT[tile_in_use(s)] == box.Effect.TRADE)


def ask_batch(s: State) -> str:
    me, section = s.seat[s.turn], SECTIONS[building_site(s)]
    if me.batches:
        return f"Castle: you gave {batches(me.batches)}. Give another for the {section}?"
    loss = pluralize(min(box.NO_BATCH, points_of(me)), "point")
    return f"Castle: give a batch for the {section}{f', or lose {loss}' if points_of(me) else ''}?"


def ask_favoured(s: State) -> str:
    match s.phase:
        case Phase.FAVOUR:
            many = "a royal favour" if s.granted == 1 else f"{s.granted} royal favours"
            return f"{PLACES[Stage(s.stage)]}: you get {many}. Choose a line."
        case Phase.RESOURCE:
            return "Favour: what do you take?"
    level = s.seat[s.turn].favour[FavourLine.BUILDINGS]
    kinds = [CLASSES[kind] for kind in box.Class if level >= box.BUILDS_FROM[kind]]
    residence = ", or a residence" if level >= box.CONVERTS_FROM else ""
    return f"Favour: build a {either(kinds)} building{residence}?"


# --- the rule behind the question ----------------------------------------------------------------------------


def rule_of_question(s: State) -> str:
    """Return the mark of the rule behind the question."""
    if s.phase in (Phase.GIVE, Phase.TAKE):
        return "2.22" if is_trading(s) else "4.4" if s.take else "2.19"
    return MARKS.get(Phase(s.phase)) or rule_of(tile_in_use(s))
