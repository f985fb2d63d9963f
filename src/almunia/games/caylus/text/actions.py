"""The actions of Caylus in words, and their effects."""

from ....core.contract import NONE, Points, RichLine, SeatName
from ....core.english import capitalize, pluralize
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CUBES, Line as FavourLine
from ..rules.castle import building_site
from ..rules.phases import apply_one
from ..rules.road import trade_row
from ..rules.state import CASTLE, KIND_OF_CODE, KIND_OFFSETS, ActionKind, Phase, find, tile_in_use
from .prospects import batches_held, castle_points, later_words
from .words import (
    FEW,
    LINE_NAMES,
    SECTIONS,
    SPECIAL_WORDS,
    TILES,
    batch_words,
    batches,
    bonus_words,
    buildings_up_to,
    cube_words,
    effect_words,
    gains,
    joined,
    money_words,
    place_name,
    points_gained,
    resources_up_to,
    some,
    the_place,
    trade_words,
)

# The words for PASS by phase, in records and on a page.
LEAVING = {
    Phase.PLACE: ("pass", "Pass"),
    Phase.GATE: ("go home", "Take the worker home"),
    Phase.INN: ("go home", "Go home"),
    Phase.BATCH: ("stop", "Give no more"),
    Phase.RESOURCE: ("decline", "Take nothing"),
    Phase.BUILDING: ("decline", "Build nothing"),
}


def decode(action: int) -> tuple[int, int]:
    """Return the kind of an action, and its argument."""
    kind = int(KIND_OF_CODE[action])
    return kind, action - int(KIND_OFFSETS[kind])


def action_to_string(s: State, action: int) -> str:
    """Return an action as text for records, such as `place at 7 peddler`."""
    return words_for(s, *decode(action))[0]


@memoize(lambda s, action: (s.to_bytes(), action))  # pictures and buttons show it
def button_label(s: State, action: int) -> RichLine:
    """Return the label of an action on a page, such as `Space 7, peddler`."""
    return [words_for(s, *decode(action))[1]]


def words_for(s: State, kind: int, arg: int) -> tuple[str, str]:
    """Return the text of an action in a record, and its label on a page."""
    match kind:
        case ActionKind.PLACE:
            name = place_name(s, arg)
            number, _, tile = name.partition(" ")
            return f"place at {name}", f"Space {number}, {tile}" if arg < box.ROAD else capitalize(name)
        case ActionKind.PASS:
            said, offered = LEAVING.get(Phase(s.phase), ("decline", "Leave it"))
            return said, "Give none" if s.phase == Phase.BATCH and not s.seat[s.turn].batches else offered
        case ActionKind.MOVE:
            return move_words(arg - box.STEPS)
        case ActionKind.TAKE:
            return f"take {CUBES[arg]}", f"Take {taken_words(s, arg)}"
        case ActionKind.GIVE:
            return f"give {CUBES[arg]}", f"Give {CUBES[arg]}"
        case ActionKind.TRADE:
            paid, gained = trade_words(trade_row(s, s.phase), arg)
            return f"trade {paid} for {gained}", f"Pay {paid} for {gained}"
        case ActionKind.BUILD:
            name = TILES[box.FIRST_BUILT + arg]
            return f"build {name}", capitalize(name)
        case ActionKind.CONVERT:
            return f"convert {place_name(s, arg)}", f"Turn {the_place(s, arg)} into a residence"
        case ActionKind.BATCH:
            return f"batch {batch_words(arg)}", capitalize(batch_words(arg))
        case ActionKind.FAVOUR:
            return f"favour {LINE_NAMES[arg]}", f"{capitalize(LINE_NAMES[arg])} line"
        case ActionKind.JOUST:
            return "joust", "Pay for a favour"
    return "stay", "Stay"


def move_words(steps: int) -> tuple[str, str]:
    if steps == 0:
        return "provost stays", "The provost stays"
    way = "forward" if steps > 0 else "back"
    return f"provost {abs(steps)} {way}", f"Provost {pluralize(abs(steps), 'space')} {way}"


def taken_words(s: State, kind: int) -> str:
    if s.phase == Phase.PRODUCE:
        return cube_words([int(count) for count in box.YIELD[tile_in_use(s), kind]])
    return CUBES[kind]


def parts(s: State, action: int) -> dict[str, str]:
    """Return a dict of one item: the name of the action's kind, in lower case, and its argument as a string."""
    kind, arg = decode(action)
    return {ActionKind(kind).name.lower(): str(arg)}


# --- effects -------------------------------------------------------------------------------------------------


@memoize(lambda s, action: (s.to_bytes(), action))  # pictures and buttons show it
def effect_text(s: State, action: int) -> RichLine:
    """Return a line on an action's gains, its purpose, and the points of other players. The line may be empty."""
    kind, arg = decode(action)
    after = s.copy()
    apply_one(after, action)
    line: list[str | Points | SeatName] = [*gains(s, after, s.turn)]
    purpose = purpose_of(s, kind, arg)
    if purpose:
        line.append(f"{'; ' if line else ''}{purpose}")
    for p in range(s.seats):
        if p != s.turn and points_gained(s, after, p):
            line += ["; ", SeatName(p), " gets ", Points(points_gained(s, after, p))]
    return line


def purpose_of(s: State, kind: int, arg: int) -> str:
    """Return words on the purpose of an action, or an empty string."""
    match kind:
        case ActionKind.PLACE:
            return place_purpose(s, arg)
        case ActionKind.PASS if s.phase == Phase.PLACE:
            return f"you take number {find(s.passed, NONE) + 1} on the bridge"
        case ActionKind.PASS if s.phase == Phase.INN:
            return f"{pluralize(box.WORKERS, 'worker')} next turn, at the usual price, because the privilege ends"
        case ActionKind.STAY:
            return f"{pluralize(box.WORKERS - 1, 'worker')} next turn, each for {money_words(box.INN_PRICE)}"
        case ActionKind.MOVE:
            return cut_off(s, s.provost + arg - box.STEPS)
        case ActionKind.BUILD:
            return built_purpose(box.FIRST_BUILT + arg)
        case ActionKind.CONVERT if s.worker[arg] != NONE:
            return "after its worker has gone home"
        case ActionKind.BATCH:
            return f"a house in the {SECTIONS[building_site(s)]}"
        case ActionKind.FAVOUR:
            return favour_purpose(s, arg)
        case ActionKind.JOUST:
            return "a favour"
    return ""


def place_purpose(s: State, place: int) -> str:
    if place == CASTLE:
        return castle_purpose(s)
    if place >= box.ROAD:
        return SPECIAL_WORDS[place - box.ROAD]
    tile = s.road[place]
    beyond = f"{pluralize(place + 1 - s.provost, 'space')} beyond the provost" if place >= s.provost else ""
    guests = bonus_words(tile) if s.owner[place] != s.turn else ""
    return joined(effect_words(tile), later_words(s, place), guests, beyond)


def castle_purpose(s: State) -> str:
    """Return words on the batches that the seat to move holds for the castle, or that it is full [2.24, 2.25]."""
    held = batches_held(list(s.seat[s.turn].cubes))
    if building_site(s) == NONE:
        return "the castle is full"
    if held:
        return f"you have {batches(held)} now, for {pluralize(castle_points(s), 'point')}"
    return f"you have no batch yet, and without one you lose {pluralize(box.NO_BATCH, 'point')}"


def built_purpose(tile: int, *, paid: bool = False) -> str:
    """Return words on a new building. Unless `paid`, name the cubes of any kind to give."""
    owed = f"then give {some(int(box.COST_ANY[tile]), FEW[0])}" if box.COST_ANY[tile] and not paid else ""
    favours = pluralize(int(box.FAVOURS[tile]), "favour") if box.FAVOURS[tile] else ""
    return joined(owed, favours, effect_words(tile), bonus_words(tile))


def cut_off(s: State, provost: int) -> str:
    """Return words on the workers beyond a space of the provost, and the player's own among them."""
    beyond = [s.worker[space] for space in range(provost, box.ROAD) if s.worker[space] != NONE]
    own = beyond.count(s.turn)
    if len(beyond) == 1:
        return "your worker is beyond the provost" if own else "another player's worker is beyond the provost"
    if not beyond:
        return "no worker is beyond the provost"
    return f"{len(beyond)} workers are beyond the provost, {own or 'none'} of them yours"


def column_after(s: State, line: int) -> int:
    """Return the column of a line's marker after a favour [4.2]."""
    after = s.copy()
    apply_one(after, int(KIND_OFFSETS[ActionKind.FAVOUR]) + line)
    return int(after.seat[s.turn].favour[line])


def favour_purpose(s: State, line: int) -> str:
    column = column_after(s, line)
    stays = "" if column > s.seat[s.turn].favour[line] else ", your marker stays"
    offers = {FavourLine.RESOURCES: resources_up_to, FavourLine.BUILDINGS: buildings_up_to}.get(FavourLine(line))
    return f"column {column}{stays}{f': {offers(column)}' if offers else ''}"
