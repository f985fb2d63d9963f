"""The log lines of a Caylus play.

Many steps follow an action automatically. The log repeats each step to find its lines.
"""

from collections.abc import Iterator

from ....core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ....core.english import pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CUBES, Line as FavourLine, Special
from ..rules.phases import apply_one, only_legal
from ..rules.placing import at_home
from ..rules.stages import step
from ..rules.state import LEFT, RIGHT, USED, ActionKind, Phase, Stage, find, tile_in_use
from .actions import decode
from .position import end_reason, income
from .words import (
    LINE_NAMES,
    PLACE_IDS,
    SECTIONS,
    SPECIAL_NAMES,
    TILES,
    batch_words,
    building_rule,
    cube_words,
    gains,
    holdings_words,
    money_words,
    place_ref,
    points_gained,
    rule_of,
    sentence,
    the_place,
)

FIRST_USE = min(*box.BUILDS_FROM, box.CONVERTS_FROM)  # the first column of the line of buildings with an effect


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action and all steps after it.

    If no player has acted before, the first line is on the income.
    """
    lines = [told_income(before)] if is_start(before) else []
    for was, code, now in steps(before, action):
        lines += told_step(was, now) if code == NONE else told_action(was, code, now)
    return lines


def steps(before: State, action: int) -> Iterator[tuple[State, int, State]]:
    """Yield the steps of an action and of all forced actions after it.

    A step is the position before, the action or NONE, and the position after. The next iteration changes the position
    after, so copy that position to keep it.
    """
    now = before.copy()
    while action != NONE:
        was = now.copy()
        carry_out(now, action)
        yield was, action, now
        while now.phase == Phase.NOTHING and not now.over:
            was = now.copy()
            step(now)
            yield was, NONE, now
        action = only_legal(now)


def is_start(s: State) -> bool:
    """Return whether no player has acted yet."""
    first = s.turns == 0 and s.stage == Stage.PLACING and s.passed[0] == NONE
    return first and all(at_home(s, p) == box.WORKERS for p in range(s.seats))


def carry_out(now: State, action: int) -> None:
    """Apply an action, and after GIVE also the forced payments of cubes, which share the log line."""
    apply_one(now, action)
    while decode(action)[0] == ActionKind.GIVE and now.give_any + now.give_common > 0:
        step(now)
        action = only_legal(now)
        if action == NONE:
            return
        apply_one(now, action)


# --- actions ------------------------------------------------------------------------------------------------


def told_action(was: State, action: int, now: State) -> list[RichLine]:
    """Return the log lines of an action."""
    kind, arg = decode(action)
    p = was.turn
    if kind == ActionKind.PASS:
        return told_leaving(was, action, now)
    if kind == ActionKind.PLACE:
        return [told_placing(was, arg, now)]
    if kind == ActionKind.MOVE and now.provost == was.provost:
        verb = "leaves" if only_legal(was) == NONE else "can't pay for a move and leaves"
        return [
            [
                SeatName(p),
                f" {verb} the provost on ",
                ElementRef(f"space {now.provost}", PLACE_IDS[now.provost - 1]),
                ".",
            ]
        ]
    if kind == ActionKind.GIVE:
        given = [was.seat[p].cubes[cube] - now.seat[p].cubes[cube] for cube in range(box.KINDS_OF_CUBE)]
        return [[SeatName(p), f" gives {cube_words(given)}."]]
    if was.phase == Phase.TAKE:
        return [[SeatName(p), f" takes 1 {CUBES[arg]}."]]
    return [
        sentence(
            [SeatName(p), " ", *action_words(was, kind, arg, now)], gains(was, now, p), *action_rules(was, kind, arg)
        )
    ]


def action_rules(was: State, kind: int, arg: int) -> tuple[str, ...]:
    """Return the marks that the log cites for an action."""
    match kind:
        case ActionKind.TAKE if was.phase == Phase.BONUS:
            return ("2.18",)
        case ActionKind.BUILD:
            return (building_rule(int(box.CLASS[box.FIRST_BUILT + arg])),)
        case ActionKind.CONVERT:
            return ("D5" if was.worker[arg] != NONE else "2.21",)
        case ActionKind.BATCH:
            return ("2.24",)
        case ActionKind.FAVOUR:
            return ("4.2",)
    return ()


def action_words(was: State, kind: int, arg: int, now: State) -> list[str | ElementRef]:
    """Return words for the seat's action, without its gains."""
    match kind:
        case ActionKind.MOVE:
            return ["moves the provost to ", ElementRef(f"space {now.provost}", PLACE_IDS[now.provost - 1])]
        case ActionKind.JOUST:
            return ["pays for a favour at the Joust Field"]
        case ActionKind.STAY:
            return ["leaves a worker at the ", ElementRef("Inn", "inn")]
        case ActionKind.TAKE if was.phase == Phase.BONUS:
            return ["takes a cube as the owner of ", place_ref(was, was.cursor)]
        case ActionKind.TAKE if was.phase == Phase.PRODUCE:
            return ["uses ", place_ref(was, was.cursor)]
        case ActionKind.TAKE:
            return ["takes a cube with the favour"]
        case ActionKind.TRADE:
            return (
                ["uses the favour to exchange cubes"]
                if was.phase == Phase.RESOURCE
                else ["uses ", place_ref(was, was.cursor)]
            )
        case ActionKind.BUILD:
            return built_words(was, box.FIRST_BUILT + arg, now)
        case ActionKind.CONVERT:
            later = ", once its worker has gone home" if now.pending[arg] != NONE else ""
            return ["turns ", place_ref(was, arg), " into a residence", later]
        case ActionKind.BATCH:
            return [f"gives {batch_words(arg)} for a house in the ", ElementRef(*section_built(was, now))]
    column = now.seat[was.turn].favour[arg]
    nothing = ", which gives nothing yet" if now.phase == Phase.BUILDING and column < FIRST_USE else ""
    return [f"uses a favour on the {LINE_NAMES[arg]} line, column {column}{nothing}"]


def built_words(was: State, tile: int, now: State) -> list[str | ElementRef]:
    space = next(space for space in range(box.ROAD) if now.road[space] != was.road[space])
    return ["builds ", ElementRef(f"the {TILES[tile]} on space {space + 1}", PLACE_IDS[space])]


def section_built(was: State, now: State) -> tuple[str, str]:
    """Return the name and the id of the section with the new house."""
    houses = zip(was.seat[was.turn].houses, now.seat[was.turn].houses, strict=True)
    section = next(section for section, (before, after) in enumerate(houses) if after > before)
    return SECTIONS[section], f"section-{section}"


def told_placing(was: State, place: int, now: State) -> RichLine:
    p = was.turn
    paid = was.seat[p].money - now.seat[p].money
    verb = " moves a worker from the Gate to " if was.phase == Phase.GATE else " places a worker at "
    line: list[str | ElementRef | SeatName | Points] = [SeatName(p), verb, place_ref(was, place)]
    line += [f" for {money_words(paid)}"] if paid else []
    for owner in range(was.seats):
        if points := points_gained(was, now, owner):
            return [*line, "; ", SeatName(owner), " gets ", Points(points), ".", RuleRef("2.6")]
    return [*line, "."]


def told_leaving(was: State, action: int, now: State) -> list[RichLine]:
    """Return the log lines of a PASS, if it has any."""
    p, can = was.turn, only_legal(was) != action
    match was.phase:
        case Phase.PLACE:
            return [told_passing(was, now)]
        case Phase.GATE | Phase.INN:
            return [[SeatName(p), f" takes the worker home from the {'Gate' if was.phase == Phase.GATE else 'Inn'}."]]
        case Phase.BATCH:
            return (
                [] if was.seat[p].batches else [sentence([SeatName(p), " gives no batch"], gains(was, now, p), "2.25")]
            )
        case Phase.TRADE | Phase.BUILD | Phase.CONVERT:
            rules = () if can else (rule_of(tile_in_use(was)),)
            return [
                sentence(
                    [SeatName(p), " doesn't use " if can else " can't use ", place_ref(was, was.cursor)], [], *rules
                )
            ]
        case Phase.JOUST:
            return [
                [SeatName(p), " doesn't pay for a favour."]
                if can
                else [SeatName(p), " can't pay for a favour.", RuleRef("2.11")]
            ]
        case Phase.BUILDING if was.seat[p].favour[FavourLine.BUILDINGS] < FIRST_USE:
            return []
    return [[SeatName(p), " doesn't use the effect of the favour." if can else " can't use any effect of the favour."]]


def told_passing(was: State, now: State) -> RichLine:
    number = find(was.passed, NONE)
    seat = now.passed[number]
    first = ["2.3"] if number == 0 else []
    return sentence(
        [SeatName(seat), f" passes and takes number {number + 1} on the bridge"], gains(was, now, seat), *first
    )


# --- steps without an action ---------------------------------------------------------------------------------


def told_step(was: State, now: State) -> Iterator[RichLine]:
    """Yield the log lines of a step without an action."""
    if was.granted and not now.granted and now.phase == Phase.NOTHING:
        yield [SeatName(was.turn), " has no line left for a favour.", RuleRef("4.3")]
        return
    match was.stage:
        case Stage.INCOME:
            yield told_income(now)
        case Stage.PLACING:
            if list(now.passed) != list(was.passed):
                yield told_passing(was, now)
        case Stage.SPECIAL:
            yield from told_special(was, now)
        case Stage.ROAD:
            yield from told_road(was, now)
        case Stage.CASTLE if now.granted > was.granted or any(points_gained(was, now, p) for p in range(now.seats)):
            yield sentence(
                [SeatName(now.turn), " gave the most batches and gets a favour"], gains(was, now, now.turn), "2.26"
            )
        case Stage.END:
            yield from told_end(was, now)


def told_income(now: State) -> RichLine:
    line: list[str | SeatName] = [f"Turn {now.turns + 1}. Income: "]
    for place in range(now.seats):
        seat = now.order[place]
        comma = " and " if place == now.seats - 1 else ", " if place else ""
        line += [comma, SeatName(seat), f" +{income(now, seat)}"]
    return [*line, " deniers.", RuleRef("2.1")]


def told_special(was: State, now: State) -> Iterator[RichLine]:
    if was.cursor == Special.TRADING_POST and comes_to_use(was, now):
        seat = was.special[Special.TRADING_POST]
        yield sentence(
            [SeatName(seat), " uses the ", ElementRef("Trading Post", "trading_post")], gains(was, now, seat)
        )
    if was.cursor == Special.STABLES and list(was.stables) != list(now.stables):
        line: list[str | SeatName | ElementRef] = [
            "The turn order after the ",
            ElementRef(SPECIAL_NAMES[Special.STABLES], "stables"),
            " is ",
        ]
        for place in range(now.seats):
            line += [", " if place else "", SeatName(now.order[place])]
        yield [*line, ".", RuleRef("2.12")]
    if was.cursor == Special.INN and was.inn[LEFT] != NONE:
        yield [
            SeatName(now.inn[RIGHT]),
            "'s worker moves to the right circle of the ",
            ElementRef("Inn", "inn"),
            *told_home(was),
            RuleRef("2.13"),
        ]


def comes_to_use(was: State, now: State) -> bool:
    """Return whether the worker at the cursor uses its building in this step."""
    return bool(was.progress != USED and now.progress == USED)


def told_home(was: State) -> RichLine:
    """Return the end of the Inn's line, with the worker that goes home from the right circle, if any."""
    if was.inn[RIGHT] == NONE:
        return ["."]
    if was.inn[RIGHT] == was.inn[LEFT]:
        return ["; the worker that was there goes home."]
    return ["; ", SeatName(was.inn[RIGHT]), "'s worker goes home."]


def told_road(was: State, now: State) -> Iterator[RichLine]:
    space = was.cursor
    if space >= box.ROAD:
        return
    seat = was.worker[space]
    if comes_to_use(was, now) and (gained := gains(was, now, seat)):
        yield sentence([SeatName(seat), " uses ", place_ref(was, space)], gained)
    if seat != NONE and now.worker[space] == NONE and space >= now.provost:
        yield [
            SeatName(seat),
            "'s worker at ",
            place_ref(was, space),
            " is beyond the provost and goes home.",
            RuleRef("2.16"),
        ]
    if was.pending[space] != NONE and now.pending[space] == NONE:
        yield [
            f"{the_place(was, space).capitalize()} is now a ",
            ElementRef("residence", PLACE_IDS[space]),
            " of ",
            SeatName(now.owner[space]),
            ".",
            RuleRef("D5"),
        ]


def told_end(was: State, now: State) -> Iterator[RichLine]:
    if now.over:
        for p in range(now.seats):
            yield told_last_points(was, now, p)
        yield [end_reason(now), RuleRef("2.28")]
    elif now.bailiff != was.bailiff:
        yield [
            "The bailiff moves to ",
            ElementRef(f"space {now.bailiff}", PLACE_IDS[now.bailiff - 1]),
            ", and the provost follows him.",
            RuleRef("2.27"),
        ]
    elif now.cursor > was.cursor:
        seat, houses = now.turn, now.seat[now.turn].houses[was.section]
        favours = [pluralize(now.granted, "favour")] if now.granted else []
        name = ElementRef(SECTIONS[was.section], f"section-{was.section}")
        brought = [*gains(was, now, seat), *favours]
        none = [] if brought else [" and gets nothing" if houses else " and no points to lose"]
        yield sentence(
            [SeatName(seat), f" has {pluralize(houses, 'house') if houses else 'no house'} in the ", name, *none],
            brought,
            "2.29",
        )


def told_last_points(was: State, now: State, p: int) -> RichLine:
    me = was.seat[p]
    points = points_gained(was, now, p)
    left = holdings_words(list(me.cubes), me.money)
    return sentence([SeatName(p), f" has {left} left"], [Points(points) if points else "0"], "3.1")
