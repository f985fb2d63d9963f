"""The log of an Alpujarras play."""

from ....core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ....core.english import join_words, pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import AWARDED, NOWHERE, ZARA, ActionKind, Phase, score
from ..rules.zara import top_card_back
from .actions import decode, delivery
from .words import (
    ARROWS,
    GOAL_IDS,
    GOALS,
    SKIPPED,
    a_fruit,
    card_fruit,
    channel_name,
    farmers_id,
    fruits,
    land_name,
    offers,
    place_id,
    plural,
)

WHY = {  # the paragraph behind a gain or a loss
    ActionKind.CROP: "5.4",
    ActionKind.GOAL: "7.4",
    ActionKind.GOAL_TOKEN: "7.6",
    ActionKind.DELIVER: "8.5",
    ActionKind.CARD: "8.7",
    ActionKind.HARVEST: "9.1",
    ActionKind.KEEP: "6.3",
    ActionKind.ZARA_ROLL: "11.4",
    ActionKind.ZARA_MARKET: "11.7",
    ActionKind.ZARA_HARVEST: "11.8",
}
WITHIN = ("", "", ", a market", ", a harvest", " in the end space")  # by kind of place
WITH_OBJECT = (ActionKind.NORIAS, ActionKind.HARVEST)  # a colon would part the verb from what is taken


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action, with those on a new delivery card and the end of the play."""
    kind, arg = decode(action)
    lines = [*action_lines(before, kind, arg, after)]
    if after.left < before.left:
        card = next(card for card in after.open if card not in list(before.open))
        lines.append(["The next delivery card asks for ", ElementRef(card_fruit(card), f"card-{card}"), "."])
    if after.over:
        lines.append(["All players' mules are in the end space.", RuleRef("10.1")])
    return lines


def action_lines(before: State, kind: int, arg: int, after: State) -> list[RichLine]:
    match kind:
        case ActionKind.ZARA_ROLL | ActionKind.ZARA_MARKET | ActionKind.ZARA_HARVEST:
            return [[*zara_line(before, kind, after), *why(kind)]]
        case ActionKind.FROM if not before.calling_farmer:
            return []
        case ActionKind.CLOSE | ActionKind.GIVE:
            return []
        case ActionKind.NORIAS if after.phase == Phase.OVERFLOW:
            return []
        case ActionKind.END:
            if not at_home(before):
                return []
            sold = gained(before, after)
            sale = [" sells what is left: ", Points(sold), "."] if sold else [" has too little left to sell."]
            return [[SeatName(before.turn), *sale, RuleRef("10.4")]]
    told: list[str | ElementRef] = action_words(before, kind, arg)
    brought = join_words(changes(before, kind, after))
    points = gained(before, after)
    line: list[str | ElementRef | SeatName | Points] = [SeatName(before.turn), " ", *told]
    if points:
        line += [": ", Points(points)]
    if brought:
        line.append(f"{', ' if points else ' ' if kind in WITH_OBJECT else ': '}{brought}")
    return [[*line, ".", *why(kind)]]


def why(kind: int) -> list[RuleRef]:
    """Return a list with a reference to the paragraph behind an action, or an empty list if `WHY` lacks the action."""
    return [RuleRef(WHY[ActionKind(kind)])] if kind in WHY else []


def at_home(s: State) -> bool:
    return bool(box.PLACE_KIND[s.track[s.mule[s.turn]]] == box.END_SPOT)


def gained(before: State, after: State) -> int:
    """Return the dirhems that the acting seat has earned."""
    return score(after.seat[before.turn]) - score(before.seat[before.turn])


def action_words(before: State, kind: int, arg: int) -> list[str | ElementRef]:
    """Return the words for the seat's action, without its gains."""
    match kind:
        case ActionKind.GO:
            what = join_words(offers(before.track[arg]))
            name = f"space {arg + 1}"
            return [
                "goes to ",
                ElementRef(name, place_id(arg)),
                WITHIN[box.PLACE_KIND[before.track[arg]]],
                f" ({what})" if what else "",
            ]
        case ActionKind.ADD:
            return ["adds ", farmer_ref(before, arg), " to the ", land_ref(arg)]
        case ActionKind.FROM:
            return ["calls a farmer from the ", land_ref(arg)]
        case ActionKind.TO:
            moved = farmer_ref(before, arg)
            return ["moves ", moved, f" from the {COLOURS[before.moving_from]} to the ", land_ref(arg)]
        case ActionKind.PICK:
            return [f"picks {a_fruit(arg)} in the ", land_ref(before.joined_land)]
        case ActionKind.DIG:
            return ["waters ", ElementRef(channel_name(arg), f"channel-{CHANNEL_IDS[arg]}")]
        case ActionKind.CROP:
            return [
                f"plants {plural(arg)} at ",
                ElementRef(channel_name(before.watered_space), channel_id(before.watered_space)),
            ]
        case ActionKind.GOAL:
            goal = before.goal[arg // box.GOAL_SPACES]
            return ["completes ", ElementRef(f'"{GOALS[goal]}"', f"goal-{GOAL_IDS[goal]}")]
        case ActionKind.DELIVER:
            village, fruit, number = delivery(arg)
            return [
                f"delivers {fruits(fruit, number)} to the ",
                ElementRef(f"{COLOURS[village]} village", f"village-{COLOURS[village]}"),
            ]
        case ActionKind.CARD:
            return [f"delivers {card_fruit(arg)} for a card"]
    return [plain_words(before, kind, arg)]


def plain_words(before: State, kind: int, arg: int) -> str:
    """Return the words for an action that refers to no part of the picture."""
    match kind:
        case ActionKind.SKIP:
            return f"skips {SKIPPED[arg]}"
        case ActionKind.BUY:
            return f"spends {pluralize(arg + 1, 'noria')}"
        case ActionKind.TAKE:
            return f"exchanges {a_fruit(before.given)} for {a_fruit(arg)}"
        case ActionKind.HARVEST:
            return "harvests"
        case ActionKind.GOAL_TOKEN:
            return "takes a goal token"
        case ActionKind.FRUIT:
            return f"takes {a_fruit(arg)} from the supply"
        case ActionKind.KEEP:
            return kept_words(before)
    return "takes"


def kept_words(before: State) -> str:
    """Return the words for taking norias beyond five, such as `takes 1 noria and loses 2 norias`."""
    kept = min(box.MOST_NORIAS - before.seat[before.turn].norias, before.noria_overflow)
    numbers = {"takes": kept, "loses": before.noria_overflow - kept}
    return join_words(f"{verb} {pluralize(count, 'noria')}" for verb, count in numbers.items() if count)


def changes(before: State, kind: int, after: State) -> list[str]:
    """Return the fruit, norias, award dirhems and goal token that an action has brought or cost, in words.

    What `action_words` names is left out.
    """
    was, now = before.seat[before.turn], after.seat[before.turn]
    found = []
    if kind not in (ActionKind.TAKE, ActionKind.PICK, ActionKind.FRUIT):
        for fruit in range(box.LANDS):
            if now.fruit[fruit] > was.fruit[fruit]:
                found.append(fruits(fruit, now.fruit[fruit] - was.fruit[fruit]))
    came = now.norias - was.norias
    if came > 0 and kind != ActionKind.KEEP:
        found.append(pluralize(came, "noria"))
    if kind == ActionKind.GOAL and after.calling_farmer == 0 and now.goal_tokens < was.goal_tokens:
        found.append("with a goal token")
    if kind == ActionKind.DELIVER and now.earned[AWARDED] > was.earned[AWARDED]:
        found.append(f"including {now.earned[AWARDED] - was.earned[AWARDED]} from the award")
    return found


def land_ref(land: int) -> ElementRef:
    return ElementRef(land_name(land), f"land-{COLOURS[land]}")


def farmer_ref(before: State, land: int) -> ElementRef:
    return ElementRef("a farmer", farmers_id(land, before.turn))


def channel_id(space: int) -> str:
    return f"channel-{CHANNEL_IDS[space]}"


# --- Zara --------------------------------------------------------------------------------------------


def zara_line(before: State, kind: int, after: State) -> RichLine:
    """Return the line on Zara's step [11.4-11.9]."""
    if kind == ActionKind.ZARA_ROLL:
        place = after.mule[ZARA]
        name = ElementRef(f"space {place + 1}", place_id(place))
        return [f"Zara rolls {after.die} and goes to ", name, WITHIN[box.PLACE_KIND[after.track[place]]], "."]
    if kind == ActionKind.ZARA_MARKET:
        return token_line(before, after)
    card, land = after.deck[0], top_card_back(after) // 2
    gone = [fruit for fruit in range(box.LANDS) if after.growing[land, fruit] < before.growing[land, fruit]]
    what = join_words(a_fruit(fruit) for fruit in gone) or "nothing"
    verb = "leave" if len(gone) > 1 else "leaves"
    return [f"Zara flips the card of {card_fruit(card)}: {what} {verb} the ", land_ref(land), "."]


def token_line(before: State, after: State) -> RichLine:
    """Return the line on the token that Zara removed, or on why she removed none [11.7, D33]."""
    back = top_card_back(before)
    fruit = back // 2 if back != NONE else NOWHERE
    for village in range(box.LANDS):
        for size in range(box.SIZES):
            if fruit != NOWHERE and after.token[village, fruit, size] < before.token[village, fruit, size]:
                seen = f"{a_fruit(fruit)} and an arrow pointing {ARROWS[back % 2]}"
                token = f"the token for {fruits(fruit, box.NUMBERS[size])}"
                place = ElementRef(f"{COLOURS[village]} village", f"village-{COLOURS[village]}")
                return [f"Zara sees {seen}: {token} leaves the ", place, "."]
    kept = f"no {FRUITS[fruit]} token is left" if fruit != NOWHERE else "the deck is empty"
    return [f"Zara takes no token away because {kept}."]
