"""Explanations of illegal choices in Caylus.

A place is the id of a part of the picture, such as `space-7` or `castle`.
"""

from collections.abc import Mapping

from ....core.contract import NONE, RichLine, SeatName
from ....core.english import NUMBERS, join_words, pluralize
from ....core.optional import Explanation
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CLASSES, TILE_IDS, Class, Line as FavourLine, Special
from ..rules.building import cost, in_supply, site
from ..rules.castle import building_site
from ..rules.phases import is_legal
from ..rules.placing import is_free, price
from ..rules.state import ANSWERS, CASTLE, EMPTY, LEFT, ActionKind, Phase, find, tile_in_use
from .questions import rule_of_question
from .words import (
    FEW,
    LINE_IDS,
    LINE_NAMES,
    PLACE_IDS,
    SECTIONS,
    SPECIAL_NAMES,
    TILES,
    building_rule,
    cost_words,
    heap_words,
    money_words,
    some,
    the_place,
)

NOW = {  # the decision that the question needs first
    Phase.PLACE: "place a worker, or pass",
    Phase.GATE: "choose where the worker from the Gate goes",
    Phase.GUILD: "choose how far the provost moves",
    Phase.JOUST: "choose whether to pay for a favour",
    Phase.INN: "choose whether your worker stays at the Inn",
    Phase.PROVOST: "choose how far the provost moves",
    Phase.PRODUCE: "choose what the building produces",
    Phase.BONUS: "choose the cube that you take as the owner",
    Phase.TRADE: "choose whether to trade",
    Phase.BUILD: "choose what to build, or build nothing",
    Phase.CONVERT: "choose what becomes a residence, or nothing",
    Phase.GIVE: "choose the cube that you give",
    Phase.TAKE: "choose the cube that you take",
    Phase.BATCH: "choose what you give to the castle",
    Phase.FAVOUR: "choose a line for your favour",
    Phase.RESOURCE: "choose what your favour gives you",
    Phase.BUILDING: "choose what to build with your favour",
}
STABLES = box.ROAD + Special.STABLES
BUILDERS = {Class.WOOD: "at a Carpenter", Class.STONE: "at the Mason", Class.PRESTIGE: "at an Architect"}


def explain_illegal(s: State, place: str, chosen: Mapping[str, str]) -> Explanation | None:
    """Return why the seat to move cannot choose a place.

    Return None if the seat can choose the place, or if the play is over.
    """
    if s.over:
        return None
    if place in PLACE_IDS:
        return refuse_place(s, PLACE_IDS.index(place))
    if place in LINE_IDS:
        return refuse_line(s, LINE_IDS.index(place))
    what, _, rest = place.partition("-")
    match what:
        case "section":
            return refuse_section(s, int(rest))
        case "tile":
            return refuse_tile(s, TILE_IDS.index(rest))
        case "bridge":
            more = " Choose Pass to come here." if s.phase == Phase.PLACE else ""
            return Explanation([f"The bridge shows who has passed and what a worker costs.{more}"], "2.3")
        case "order" if s.seats < box.STABLES_FROM:
            return Explanation(["Two players swap their places in the turn order every turn."], "5.1")
        case "order":
            return Explanation(["Only workers in the Stables change the turn order."], "2.12", PLACE_IDS[STABLES])
    return None


def can(s: State, kind: ActionKind, arg: int) -> bool:
    """Return whether this action is legal now."""
    return bool(ANSWERS[s.phase, kind] and is_legal(s, kind, arg))


def later(s: State, reason: str) -> Explanation:
    """Return an explanation: the given reason, then the decision that the current question asks for."""
    return Explanation([f"{reason} Now {NOW[Phase(s.phase)]}."], rule_of_question(s))


# --- places on the board -------------------------------------------------------------------------------------


def refuse_place(s: State, place: int) -> Explanation | None:
    """Return why a place of the board cannot be chosen, or None if it can."""
    match s.phase:
        case Phase.PLACE | Phase.GATE:
            return None if can(s, ActionKind.PLACE, place) else refuse_worker(s, place)
        case Phase.GUILD | Phase.PROVOST:
            return refuse_provost(s, place)
        case Phase.CONVERT:
            return refuse_residence(s, place)
        case Phase.BUILDING if s.seat[s.turn].favour[FavourLine.BUILDINGS] >= box.CONVERTS_FROM:
            return refuse_residence(s, place)
        case Phase.BUILD | Phase.BUILDING:
            return later(s, "A new building goes to its space automatically.")
    return later(s, "You place workers at the start of a turn.")


def refuse_worker(s: State, place: int) -> Explanation:
    """Return why a worker cannot be placed here [2.3-2.7, 5.1]."""
    if is_free(s, s.turn, place):
        needed, money = price(s, s.turn, place), s.seat[s.turn].money
        words = f"A worker costs {money_words(needed)} here, and you have {money or 'none'}."
        return Explanation([f"{words} You need {needed - money} more."], "2.4", "bridge")
    if place < box.ROAD:
        return refuse_space(s, place)
    if place == CASTLE:
        return Explanation(["You already have a worker in the castle, and you may have only one."], "2.7", "castle")
    return refuse_special(s, Special(place - box.ROAD))


def refuse_space(s: State, space: int) -> Explanation:
    """Return why a space takes no worker [2.5]."""
    tile, name = s.road[space], PLACE_IDS[space]
    if tile == EMPTY:
        return Explanation([f"Space {space + 1} is empty, and a worker needs a building."], "2.5", name)
    if s.worker[space] == NONE:
        words = "Residences take no workers." if tile == box.RESIDENCE else "Prestige buildings take no workers."
        return Explanation([words], "2.5", name)
    return Explanation([*worker_of(s, s.worker[space]), f" is already at {the_place(s, space)}."], "2.5", name)


def refuse_special(s: State, special: Special) -> Explanation:
    """Return why a special building has no free circle for this player [2.7, 5.1, D3]."""
    name, target = SPECIAL_NAMES[special], PLACE_IDS[box.ROAD + special]
    match special:
        case Special.STABLES if s.seats < box.STABLES_FROM:
            return Explanation(
                ["Two players don't use the Stables because they swap places every turn."], "5.1", target
            )
        case Special.STABLES if find(s.stables, s.turn) != NONE:
            return Explanation(["You already have a worker in the Stables, and you may have only one."], "2.7", target)
        case Special.STABLES:
            return Explanation([f"All {NUMBERS[box.CIRCLES]} circles of the Stables are taken."], "2.7", target)
        case Special.INN:
            return Explanation(
                [*worker_of(s, s.inn[LEFT]), " is already on the left circle of the Inn."], "2.7", target
            )
        case Special.GATE if s.phase == Phase.GATE:
            return Explanation(
                ["This worker must leave the Gate. It moves to another place or goes home."], "D3", target
            )
    return Explanation([*worker_of(s, s.special[special]), f" is already at the {name}."], "2.5", target)


def worker_of(s: State, seat: int) -> RichLine:
    """Return a line with `Your worker`, or with words for another player's worker."""
    return ["Your worker"] if seat == s.turn else [SeatName(seat), "'s worker"]


def refuse_provost(s: State, place: int) -> Explanation | None:
    """Return why the provost cannot move to a place, or None if he can [2.10, 2.15, D1]."""
    if place >= box.ROAD:
        return Explanation(["The provost stays on the road. Choose one of its spaces."], "D1")
    steps = place + 1 - s.provost
    if abs(steps) > box.STEPS:
        words = f"The provost moves by up to {NUMBERS[box.STEPS]} spaces, and space {place + 1} is {abs(steps)} away."
        return Explanation([words], rule_of_question(s), PLACE_IDS[s.provost - 1])
    if can(s, ActionKind.MOVE, steps + box.STEPS):
        return None
    money = s.seat[s.turn].money
    far, needed = pluralize(abs(steps), "space"), money_words(box.STEP_PRICE * abs(steps))
    return Explanation(
        [f"Moving him {far} costs {needed}, and you have {money or 'none'}."], "2.15", PLACE_IDS[s.provost - 1]
    )


def refuse_residence(s: State, place: int) -> Explanation | None:
    """Return why a building cannot become a residence, or None if it can [2.21, 4.4, D7]."""
    if place >= box.ROAD or s.road[place] == EMPTY:
        return Explanation(["Only a building on the road can become a residence."], "2.21")
    if can(s, ActionKind.CONVERT, place):
        return None
    tile, target = s.road[place], PLACE_IDS[place]
    if not box.CONVERTS[tile]:
        return refuse_class(tile, target)
    if s.pending[place] != NONE:
        return Explanation(["It is about to become a residence of ", SeatName(s.pending[place]), "."], "D7", target)
    if box.CLASS[tile] != Class.NEUTRAL and s.owner[place] != s.turn:
        words = f" owns the {TILES[tile]}. Only a neutral building or your own can become a residence."
        return Explanation([SeatName(s.owner[place]), words], "2.21", target)
    return Explanation([f"A residence costs {box.CONVERT_CLOTH} cloth, and you have none."], rule_of_question(s))


def refuse_class(tile: int, target: str) -> Explanation:
    """Return why this tile never becomes a residence [2.21, D7]."""
    match box.CLASS[tile]:
        case Class.RESIDENTIAL:
            return Explanation(["This is already a residence."], "2.21", target)
        case Class.FIXED:
            return Explanation(
                [f"The {TILES[tile]} is printed on the road and can't become a residence."], "2.21", target
            )
        case Class.PRESTIGE:
            return Explanation(["Prestige buildings can't become residences."], "2.21", target)
    return Explanation([f"The {TILES[tile]} can't become a residence."], "D7", target)


# --- tiles that can be built ---------------------------------------------------------------------------------


def refuse_tile(s: State, tile: int) -> Explanation | None:
    """Return why a tile cannot be built, or None if it can [1.4, 2.19, 2.20, 4.4]."""
    kind = Class(box.CLASS[tile])
    rule = building_rule(kind)
    if s.phase not in (Phase.BUILD, Phase.BUILDING):
        when = f"A worker {BUILDERS[kind]} builds {CLASSES[kind]} buildings when the road is used."
        return Explanation([when], rule)
    if can(s, ActionKind.BUILD, tile - box.FIRST_BUILT):
        return None
    if s.phase == Phase.BUILDING and s.seat[s.turn].favour[FavourLine.BUILDINGS] < box.BUILDS_FROM[kind]:
        column = box.BUILDS_FROM[kind]
        words = f"A {CLASSES[kind]} building needs column {column} of this line, and your marker isn't there yet."
        return Explanation([words], "4.4", LINE_IDS[FavourLine.BUILDINGS])
    if s.phase == Phase.BUILD and box.BUILDS[tile_in_use(s)] != kind:
        builds = CLASSES[box.BUILDS[tile_in_use(s)]]
        words = f"The {TILES[tile_in_use(s)]} builds {builds} buildings, and this is a {CLASSES[kind]} building."
        return Explanation([words], rule, PLACE_IDS[s.cursor])
    if not in_supply(s, tile):
        return Explanation([f"The {TILES[tile]} isn't among the buildings that are left."], "1.4")
    if site(s, s.turn, kind) == NONE:
        residence = "It replaces one of your residences, and you have none."
        return Explanation([residence if kind == Class.PRESTIGE else "The road has no empty space left."], rule)
    return Explanation([*missing_words(s, tile)], rule)


def missing_words(s: State, tile: int) -> RichLine:
    """Return a sentence on the price of a tile and the cubes that the seat to move lacks, as a line."""
    prices = [int(cost(s.phase, tile, kind)) for kind in range(box.KINDS_OF_CUBE)]
    rest = [s.seat[s.turn].cubes[kind] - price_of for kind, price_of in enumerate(prices)]
    lacking = heap_words([max(-more, 0) for more in rest])
    if sum(more for more in rest if more > 0) < box.COST_ANY[tile]:
        lacking.append(some(int(box.COST_ANY[tile]), FEW[0]))
    price_words = cost_words(prices, int(box.COST_ANY[tile]))
    return [f"The {TILES[tile]} costs {price_words}. You still need {join_words(lacking)}."]


# --- castle and favours --------------------------------------------------------------------------------------


def refuse_section(s: State, section: int) -> Explanation:
    """Return why a section of the castle cannot be chosen [2.23, 2.24, 2.30]."""
    name, target = SECTIONS[section], f"section-{section}"
    plural = name.endswith("s")
    if section < s.section:
        return Explanation(
            [f"The {name} {'have' if plural else 'has'} been scored, so you can't build houses here any more."],
            "2.30",
            target,
        )
    if s.phase != Phase.BATCH:
        return Explanation(
            ["Your worker in the castle can build houses after the road has been used."], "2.24", "castle"
        )
    now = building_site(s)
    if section != now:
        words = f"The next house goes to the {SECTIONS[now]}, the first section with room."
        return Explanation([words], "2.24", f"section-{now}")
    return Explanation(["The next house goes here. Choose the three cubes that you give."], "2.24", target)


def refuse_line(s: State, line: int) -> Explanation | None:
    """Return why a line of favours cannot be chosen, or None if it can [4.2, 4.3]."""
    if s.phase != Phase.FAVOUR:
        return later(s, "You choose a line when you get a favour.")
    if can(s, ActionKind.FAVOUR, line):
        return None
    words = f"You have already used the {LINE_NAMES[line]} line. Favours of one stage go to different lines."
    return Explanation([words], "4.3", LINE_IDS[line])
