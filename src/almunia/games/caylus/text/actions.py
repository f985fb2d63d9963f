"""The actions and questions of Caylus in words."""

from ....core.contract import NONE, Line, Points, Who
from ....core.plain import CheckedRecord as State
from ....core.words import NUMBERS, capital, count_of
from .. import components as box
from ..components import CLASSES, CUBES, Line as FavourLine
from ..rules.castle import building_site
from ..rules.phases import do
from ..rules.placing import price
from ..rules.road import trade_row
from ..rules.state import CASTLE, FIRST, KIND, Deed, Phase, Stage, find, points_of
from .words import (
    FEW,
    LINE_NAMES,
    SECTIONS,
    SPECIAL_WORDS,
    TILES,
    batch_words,
    bonus_words,
    buildings_up_to,
    cube_words,
    effect_words,
    either,
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
            said, offered = LEAVING.get(Phase(s.phase), ("decline", "Leave it"))
            return said, "Give none" if s.phase == Phase.BATCH and not s.seat[s.turn].batches else offered
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
        case Deed.PASS if s.phase == Phase.INN:
            return f"{count_of(box.WORKERS, 'worker')} next turn, at the usual price: the privilege ends"
        case Deed.STAY:
            return f"{count_of(box.WORKERS - 1, 'worker')} next turn, each for {money_words(box.INN_PRICE)}"
        case Deed.MOVE:
            return cut_off(s, s.provost + which - box.STEPS)
        case Deed.BUILD:
            return built_purpose(box.FIRST_BUILT + which)
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
    """What the building does, what its owner takes, and whether the provost would have to come further."""
    if place == CASTLE:
        return castle_purpose(s)
    if place >= box.ROAD:
        return SPECIAL_WORDS[place - box.ROAD]
    tile = s.road[place]
    beyond = f"{count_of(place + 1 - s.provost, 'space')} beyond the provost" if place >= s.provost else ""
    return joined(effect_words(tile), bonus_words(tile) if s.owner[place] != s.turn else "", beyond)


def castle_purpose(s: State) -> str:
    """How many batches the seat to move has cubes for, and what it loses without one [2.24, 2.25]."""
    held = batches_held(list(s.seat[s.turn].cubes))
    if building_site(s) == NONE:
        return "the castle is full"
    if held:
        return f"you hold {held} {'batch' if held == 1 else 'batches'} now"
    return f"you hold no batch yet, and giving none costs {count_of(box.NO_BATCH, 'point')}"


def batches_held(cubes: list[int]) -> int:
    """For how many batches these cubes are enough: food, and two other kinds each time [2.24]."""
    food, *others = cubes
    return max(many for many in range(food + 1) if sum(min(many, count) for count in others) >= 2 * many)


def built_purpose(tile: int) -> str:
    """What else a building costs and brings, and what it does from now on."""
    owed = f"then give {some(int(box.COST_ANY[tile]), FEW[0])}" if box.COST_ANY[tile] else ""
    favours = count_of(int(box.FAVOURS[tile]), "favour") if box.FAVOURS[tile] else ""
    return joined(owed, favours, effect_words(tile), bonus_words(tile))


def cut_off(s: State, provost: int) -> str:
    """How many workers stand beyond a space, and how many of them are one's own."""
    beyond = [s.worker[space] for space in range(provost, box.ROAD) if s.worker[space] != NONE]
    own = beyond.count(s.turn)
    if len(beyond) == 1:
        return f"1 worker beyond, {'yours' if own else 'not yours'}"
    return f"{count_of(len(beyond), 'worker')} beyond, {own or 'none'} of them yours" if beyond else "no worker beyond"


def favour_purpose(s: State, line: int) -> str:
    """The column that the marker comes to, and what one may choose from up to it."""
    after = s.copy()
    do(after, int(FIRST[Deed.FAVOUR]) + line)
    column = after.seat[s.turn].favour[line]
    stays = "" if column > s.seat[s.turn].favour[line] else ", where the marker is"
    brings = {FavourLine.RESOURCES: resources_up_to, FavourLine.BUILDINGS: buildings_up_to}.get(FavourLine(line))
    return f"column {column}{stays}{f': {brings(column)}' if brings else ''}"


# --- questions -----------------------------------------------------------------------------------------------

PLACES = {Stage.SPECIAL: "Joust Field", Stage.ROAD: "Road", Stage.CASTLE: "Castle", Stage.END: "Scoring"}  # of favours


def ask(s: State) -> str:
    """The question put to the seat to move, and the place or stage of the turn that it belongs to."""
    match s.phase:
        case Phase.PLACE:
            return f"Place a worker for {prices(s)}, or pass (2.2)."
        case Phase.GATE:
            return "Gate: where does your worker move, free of charge (2.8)?"
        case Phase.GUILD:
            return "Merchants' Guild: how far does the provost move (2.10)?"
        case Phase.JOUST:
            return f"Joust Field: pay {money_words(box.JOUST_MONEY)} and {box.JOUST_CLOTH} cloth for a favour (2.11)?"
        case Phase.INN:
            return "Inn: does your worker stay, or does it go home (2.13)?"
        case Phase.PROVOST:
            return f"Provost: how far, for {money_words(box.STEP_PRICE)} a space (2.15)?"
        case Phase.BATCH:
            return ask_batch(s)
        case Phase.GIVE | Phase.TAKE:
            return ask_cube(s)
        case Phase.FAVOUR | Phase.RESOURCE | Phase.BUILDING:
            return ask_favoured(s)
    return f"Road: {ask_on_road(s)}"


def prices(s: State) -> str:
    """`2 deniers`, or `2 deniers (own buildings: 1)`."""
    usual = price(s, s.turn, CASTLE)
    own = any(s.owner[space] == s.turn and s.worker[space] == NONE for space in range(box.ROAD))
    return f"{money_words(usual)}{f' (own buildings: {box.OWN_PRICE})' if own and usual > box.OWN_PRICE else ''}"


def ask_on_road(s: State) -> str:
    """What is asked while buildings are used."""
    match s.phase:
        case Phase.PRODUCE:
            return f"what does {the_place(s, s.place)} produce for you (2.17)?"
        case Phase.BONUS:
            return f"which cube do you take as owner of the {TILES[s.road[s.place]]} (2.18)?"
        case Phase.TRADE:
            return f"use {the_place(s, s.place)} (2.22)?"
        case Phase.BUILD:
            kind = box.BUILDS[s.road[s.place]]
            where = "in place of a residence" if kind == box.Class.PRESTIGE else f"on space {find(s.road, NONE) + 1}"
            return f"build a {CLASSES[kind]} building {where} ({'2.20' if kind == box.Class.PRESTIGE else '2.19'})?"
    return f"make a residence for {money_words(box.CONVERT_MONEY)} and {box.CONVERT_CLOTH} cloth (2.21)?"


def ask_cube(s: State) -> str:
    """Which cube is given or taken next, and what for."""
    trading = s.stage == Stage.ROAD and box.EFFECT[s.road[s.place]] == box.Effect.TRADE
    if s.phase == Phase.TAKE:
        count, what = s.take, f"from the {TILES[s.road[s.place]]} (2.22)" if trading else "in exchange (4.4)"
        return f"Take {count_of(count, 'cube')} {what}: which{' first' if count > 1 else ''}?"
    count = s.give_any + s.give_common
    if trading:
        what = f"to the {TILES[s.road[s.place]]} (2.22)"
    else:
        what = f"for {NUMBERS[s.take]} others (4.4)" if s.take else "of any kind for your new building (2.19)"
    return f"Give {count_of(count, 'cube')} {what}: which{' first' if count > 1 else ''}?"


def ask_batch(s: State) -> str:
    """What is asked in the castle: there is something to lose for those alone who have points."""
    me, section = s.seat[s.turn], SECTIONS[building_site(s)]
    if me.batches:
        given = "1 batch" if me.batches == 1 else f"{me.batches} batches"
        return f"Castle: after {given}, another for the {section} (2.24)?"
    loss = count_of(min(box.NO_BATCH, points_of(me)), "point")
    return f"Castle: give a batch for the {section}{f', or lose {loss}' if points_of(me) else ''} (2.24)?"


def ask_favoured(s: State) -> str:
    """What is asked by favours."""
    match s.phase:
        case Phase.FAVOUR:
            many = "a royal favour is" if s.granted == 1 else f"{s.granted} royal favours are"
            return f"{PLACES[Stage(s.stage)]}: {many} yours. Choose a line (4.2)."
        case Phase.RESOURCE:
            return "Favour: what do you take (4.4)?"
    level = s.seat[s.turn].favour[FavourLine.BUILDINGS]
    kinds = [CLASSES[kind] for kind in box.Class if level >= box.BUILDS_FROM[kind]]
    residence = ", or a residence" if level >= box.CONVERTS_FROM else ""
    return f"Favour: a {either(kinds)} building{residence} (4.4)?"
