"""The actions and questions of Caylus in words."""

from ....core.contract import NONE, Line, Points, Who
from ....core.plain import CheckedRecord as State
from ....core.words import capital, count_of, listed
from .. import components as box
from ..components import CLASSES, CUBES, Line as FavourLine
from ..rules.castle import building_site
from ..rules.phases import do
from ..rules.placing import price
from ..rules.road import trade_row
from ..rules.state import CASTLE, FIRST, KIND, Deed, Phase, find
from .words import (
    LINE_NAMES,
    SECTIONS,
    SPECIAL_WORDS,
    TILES,
    batch_words,
    cube_words,
    effect_words,
    gains,
    money_words,
    place_name,
    points_gained,
    the_place,
    trade_words,
)

# What leaving it is called, in records and on a page.
LEAVING = {
    Phase.PLACE: ("pass", "Pass"),
    Phase.GATE: ("go home", "Take the worker home"),
    Phase.INN: ("go home", "Take the worker home"),
    Phase.BATCH: ("stop", "Give no more"),
    Phase.RESOURCE: ("decline", "Take nothing"),
    Phase.BUILDING: ("decline", "Build nothing"),
}


def taken_apart(action: int) -> tuple[int, int]:
    """The kind of an action, and which of them it is."""
    kind = int(KIND[action])
    return kind, action - int(FIRST[kind])


def say(s: State, action: int) -> str:
    """`place at 7 peddler`, `pass`, `provost 2 forward`, `build mason`, `batch food, wood and stone`."""
    return words_for(s, *taken_apart(action))[0]


def offer(s: State, action: int) -> Line:
    """`Space 7, peddler`, `Pass`, `Provost 2 spaces forward`, `Mason`, `Food, wood and stone`."""
    return [words_for(s, *taken_apart(action))[1]]


def words_for(s: State, kind: int, which: int) -> tuple[str, str]:
    """An action as records have it, and as a page offers it."""
    match kind:
        case Deed.PLACE:
            name = place_name(s, which)
            number, _, tile = name.partition(" ")
            return f"place at {name}", f"Space {number}, {tile}" if which < box.ROAD else capital(name)
        case Deed.PASS:
            return LEAVING.get(Phase(s.phase), ("decline", "Leave it"))
        case Deed.MOVE:
            return move_words(which - box.STEPS)
        case Deed.TAKE:
            return f"take {CUBES[which]}", f"Take {taken_words(s, which)}"
        case Deed.GIVE:
            return f"give {CUBES[which]}", f"Give {CUBES[which]}"
        case Deed.TRADE:
            paid, gained = trade_words(trade_row(s, s.phase), which)
            return f"trade {paid} for {gained}", f"Pay {paid} for {gained}"
        case Deed.BUILD:
            name = TILES[box.FIRST_BUILT + which]
            return f"build {name}", capital(name)
        case Deed.CONVERT:
            return f"convert {place_name(s, which)}", f"A residence from {the_place(s, which)}"
        case Deed.BATCH:
            return f"batch {batch_words(which)}", capital(batch_words(which))
        case Deed.FAVOUR:
            return f"favour {LINE_NAMES[which]}", f"Line of {LINE_NAMES[which]}"
        case Deed.JOUST:
            return "joust", "Pay for a favour"
    return "stay", "Leave the worker there"


def move_words(steps: int) -> tuple[str, str]:
    """How far the provost moves."""
    if steps == 0:
        return "provost stays", "The provost stays"
    way = "forward" if steps > 0 else "back"
    return f"provost {abs(steps)} {way}", f"Provost {count_of(abs(steps), 'space')} {way}"


def taken_words(s: State, kind: int) -> str:
    """What comes with a kind that is chosen."""
    if s.phase == Phase.PRODUCE:
        return cube_words([int(count) for count in box.YIELD[s.road[s.place], kind]])
    return CUBES[kind]


def parts(s: State, action: int) -> dict[str, str]:
    """Every action is one answer: its kind, and which of them."""
    kind, which = taken_apart(action)
    return {Deed(kind).name.lower(): str(which)}


# --- what it would do ----------------------------------------------------------------------------------------


def effect(s: State, action: int) -> Line:
    """What an action brings at once, what it is for, and what others gain by it."""
    kind, which = taken_apart(action)
    after = s.copy()
    do(after, action)
    line: list[str | Points | Who] = [*gains(s, after, s.turn)]
    purpose = purpose_of(s, kind, which)
    if purpose:
        line.append(f"{'; ' if line else ''}{purpose}")
    for p in range(s.seats):
        if p != s.turn and points_gained(s, after, p):
            line += ["; ", Who(p), " gets ", Points(points_gained(s, after, p))]
    return line


def purpose_of(s: State, kind: int, which: int) -> str:
    """What an action is good for, where what it brings at once does not say that."""
    match kind:
        case Deed.PLACE:
            return place_purpose(s, which)
        case Deed.PASS if s.phase == Phase.PLACE:
            return f"number {find(s.passed, NONE) + 1} of the bridge"
        case Deed.MOVE:
            return cut_off(s, s.provost + which - box.STEPS)
        case Deed.BUILD:
            favours = int(box.FAVOURS[box.FIRST_BUILT + which])
            return count_of(favours, "favour") if favours else ""
        case Deed.CONVERT if s.worker[which] != NONE:
            return "when its worker has gone home"
        case Deed.BATCH:
            return f"a house in the {SECTIONS[building_site(s)]}"
        case Deed.FAVOUR:
            return favour_purpose(s, which)
        case Deed.JOUST:
            return "a favour"
    return ""


def place_purpose(s: State, place: int) -> str:
    """What the building does, and whether the provost would have to come further."""
    if place == CASTLE:
        return "give batches"
    if place >= box.ROAD:
        return SPECIAL_WORDS[place - box.ROAD]
    beyond = f", {count_of(place + 1 - s.provost, 'space')} beyond the provost" if place >= s.provost else ""
    return f"{effect_words(s.road[place])}{beyond}"


def cut_off(s: State, provost: int) -> str:
    """How many workers stand beyond a space, and how many of them are one's own."""
    beyond = [s.worker[space] for space in range(provost, box.ROAD) if s.worker[space] != NONE]
    own = beyond.count(s.turn)
    return f"{count_of(len(beyond), 'worker')} beyond, {own} of them yours" if beyond else "no worker beyond"


def favour_purpose(s: State, line: int) -> str:
    """The column that the marker comes to."""
    after = s.copy()
    do(after, int(FIRST[Deed.FAVOUR]) + line)
    column = after.seat[s.turn].favour[line]
    what = f"up to column {column}" if line in (FavourLine.RESOURCES, FavourLine.BUILDINGS) else f"column {column}"
    return what if column > s.seat[s.turn].favour[line] else f"{what}, where the marker is"


# --- questions -----------------------------------------------------------------------------------------------


def ask(s: State) -> str:
    """The question put to the seat to move."""
    match s.phase:
        case Phase.PLACE:
            return f"Place a worker for {prices(s)}, or pass (2.2)."
        case Phase.GATE:
            return "Your worker at the Gate may move to any free place (2.8). Where does it go?"
        case Phase.GUILD:
            return "Move the provost, free of charge (2.10): how far?"
        case Phase.JOUST:
            return f"Pay {money_words(box.JOUST_MONEY)} and {box.JOUST_CLOTH} cloth for a favour (2.11)?"
        case Phase.INN:
            return "Does your worker stay at the Inn, or does it go home (2.13)?"
        case Phase.PROVOST:
            return f"Move the provost for {money_words(box.STEP_PRICE)} a space (2.15): how far?"
    return ask_on_road(s)


def prices(s: State) -> str:
    """`2 deniers`, or `2 deniers (1 on your own buildings)`."""
    usual = price(s, s.turn, CASTLE)
    own = any(s.owner[space] == s.turn and s.worker[space] == NONE for space in range(box.ROAD))
    return f"{money_words(usual)}{f' ({box.OWN_PRICE} on your own buildings)' if own and usual > box.OWN_PRICE else ''}"


def ask_on_road(s: State) -> str:
    """What is asked while buildings are used."""
    match s.phase:
        case Phase.PRODUCE:
            return f"What does {the_place(s, s.place)} produce for you (2.17)?"
        case Phase.BONUS:
            return f"As owner of {the_place(s, s.place)} you take a cube (2.18): which?"
        case Phase.TRADE:
            return f"Use {the_place(s, s.place)} (2.22)?"
        case Phase.BUILD:
            kind = box.BUILDS[s.road[s.place]]
            where = "in place of a residence" if kind == box.Class.PRESTIGE else f"on space {first_empty(s)}"
            return f"Build a {CLASSES[kind]} building {where} ({'2.20' if kind == box.Class.PRESTIGE else '2.19'})?"
        case Phase.CONVERT:
            return f"Make a residence for {money_words(box.CONVERT_MONEY)} and {box.CONVERT_CLOTH} cloth (2.21)?"
        case Phase.GIVE:
            return ask_cube("Give", s.give_any + s.give_common, "" if s.give_any else " other than gold")
        case Phase.TAKE:
            return ask_cube("Take", s.take, " other than gold")
    return ask_favoured(s)


def ask_cube(verb: str, count: int, kinds: str) -> str:
    """Which cube is given or taken next."""
    return f"{verb} {count_of(count, 'cube')}{kinds} (D24): which{' first' if count > 1 else ''}?"


def first_empty(s: State) -> int:
    """The number of the first empty space."""
    return find(s.road, NONE) + 1


def ask_favoured(s: State) -> str:
    """What is asked in the castle, and by favours."""
    match s.phase:
        case Phase.BATCH:
            given = s.seat[s.turn].batches
            more = f"You have given {given}. Another batch" if given else "Give a batch"
            loss = "" if given else f" Giving none costs {box.NO_BATCH} points (2.25)."
            return f"{more} for the {SECTIONS[building_site(s)]} (2.24)?{loss}"
        case Phase.FAVOUR:
            many = f" ({s.granted} to use)" if s.granted > 1 else ""
            return f"The king grants you a favour{many}: choose a line (4.2)."
        case Phase.RESOURCE:
            return "What do you take by your favour (4.4)?"
    ways = listed(building_ways(s)).replace(" and ", " or ")
    return f"By your favour you may {ways} (4.4)."


def building_ways(s: State) -> list[str]:
    """What the marker on the line of buildings allows."""
    level = s.seat[s.turn].favour[FavourLine.BUILDINGS]
    found = []
    for kind in (box.Class.WOOD, box.Class.STONE, box.Class.PRESTIGE):
        if level >= box.BUILDS_FROM[kind]:
            cheaper = cube_words([int(count) for count in box.DISCOUNT[kind]])
            found.append(f"build a {CLASSES[kind]} building{f' for {cheaper} less' if cheaper else ''}")
    return [*found, "make a residence"] if level >= box.CONVERTS_FROM else found
