"""The reasons in Alpujarras why a place of a picture cannot be chosen.

A place is an id of `view.hit_test`, such as `place-17` or `land-red`. The rules decide whether a place can be chosen.
"""

from collections.abc import Callable, Mapping

from ....core.contract import NONE, RichLine, SeatName
from ....core.english import NUMBERS, capitalize, join_words, pluralize
from ....core.optional import Explanation
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CHANNEL_IDS, COLOURS, FRUITS
from ..rules.farming import becomes_move, may_pick
from ..rules.goals import can_complete, goal_count
from ..rules.phases import legal
from ..rules.state import (
    ACTIONS,
    COVERED,
    FREE,
    KIND_OF_CODE,
    KIND_OFFSETS,
    MULES,
    SPACE,
    ZARA,
    ActionKind,
    Phase,
    layer,
)
from ..rules.track import is_free
from .words import GOAL_IDS, GOALS, SKIPS, a_fruit, channel_name, fruits, land_name, place_id, plural, space_name

FRUIT_KINDS = (ActionKind.PICK, ActionKind.FRUIT, ActionKind.CROP, ActionKind.GIVE, ActionKind.TAKE)
# The actions of the buttons, by item.
DIRECT = {
    box.NORIAS: ActionKind.NORIAS,
    box.HARVEST: ActionKind.HARVEST,
    box.GOAL: ActionKind.GOAL_TOKEN,
}
FIRST_OF_ALL = {  # by phase: the kinds of places that answer the question, the action that comes first, and the mark
    Phase.GO: (("place", "norias"), "move your mule", "3.3"),
    Phase.PICK: (("fruit",), "take a fruit from the farmland where your farmer is now", "3.8"),
    Phase.TO: (("land",), "choose where your farmer goes", "3.8"),
    Phase.CALL: (("land",), "choose the farmer that goes to the goal card", "7.5"),
    Phase.BUY: (("land",), "choose a farmland for what you have bought", "3.8"),
    Phase.GIVE: (("fruit",), "choose the fruit that you return", "3.8"),
    Phase.TAKE: (("fruit",), "choose the fruit that you take instead", "3.8"),
    Phase.CROP: (("fruit",), "choose the crop for the new field", "3.8"),
    Phase.OVERFLOW: (("norias",), "take your new norias, or spend some", "6.3"),
    Phase.AWARD: (("land", "channel", "fruit", "todo"), "use the award, or skip it", "8.9"),
    Phase.MARKET: (("token", "card", "todo"), "finish the market action", "8.2"),
    Phase.ZARA_ROLL: ((), "let Zara's mule move", "11.3"),
    Phase.ZARA_MARKET: ((), "let Zara take a delivery token away", "11.7"),
    Phase.ZARA_HARVEST: ((), "let Zara harvest", "11.8"),
}
TO_DO = (  # by item: the actions for it, the advice, the reason if none is possible, and the mark
    ((ActionKind.ADD, ActionKind.FROM), "Choose a farmland on the board.", "None of your farmers can go there.", "4.1"),
    ((ActionKind.FROM,), "Choose the farmland that your farmer leaves.", "You have no farmer that can move.", "4.6"),
    ((ActionKind.DIG,), "Choose a channel space on the board.", "Every channel space is watered.", "5.1"),
    ((ActionKind.NORIAS,), "Take the norias.", "There are no norias left.", "6.1"),
    ((ActionKind.FRUIT,), "Choose one of the five fruits below.", "There is no fruit that you have room for.", "4.8"),
    (
        (ActionKind.GOAL,),
        "You can complete a goal. Choose one of its free spaces.",
        "You can't complete a goal, and there is no goal token to take.",
        "7.6",
    ),
    (
        (ActionKind.DELIVER, ActionKind.CARD),
        "Choose a token in a village, or a delivery card.",
        "You can't pay for any token or card.",
        "8.1",
    ),
    ((ActionKind.HARVEST,), "Harvest.", "There is no farmland where you have the most farmers.", "9.1"),
)
SO_FAR = {  # by the pieces that a goal counts: words before the place, for the place, and after it
    box.IN_HAND: ("", "kind", " of fruit"),
    box.IN_FARMLANDS: ("farmers in ", "farmland", ""),
    box.IN_VILLAGES: ("farmers in ", "village", ""),
    box.OF_TOKENS: ("tokens of ", "kind", " of fruit"),
}
Why = tuple[RichLine, str, str]  # the sentence, the mark, and the place behind the reason


def explain_illegal(s: State, place: str, chosen: Mapping[str, str]) -> Explanation | None:
    """Return why a place cannot be chosen, or None if it can or the play is over."""
    kind, *names = place.split("-")
    if s.over or any(action in choices(s) for action in meant(kind, names)):
        return None
    return Explanation(*(first_of_all(s, place) or REASONS[kind](s, *names)))


def choices(s: State) -> list[int]:
    found = [NONE] * ACTIONS
    return found[: legal(s, found)]


def meant(what: str, names: list[str]) -> list[int]:
    """Return the actions that a place stands for, legal or not. The list may be empty."""
    match what, names:
        case "place", [number]:
            return [code_of(ActionKind.GO, int(number) - 1)]
        case "land", [colour]:
            return [code_of(kind, COLOURS.index(colour)) for kind in (ActionKind.ADD, ActionKind.FROM, ActionKind.TO)]
        case "channel", [name]:
            return [code_of(ActionKind.DIG, CHANNEL_IDS.index(name))]
        case "token", [colour, kept, number]:
            return [code_of(ActionKind.DELIVER, token_code(colour, kept, number))]
        case "card", [number]:
            return [code_of(ActionKind.CARD, int(number))]
        case "goal", [name, number]:
            return [code_of(ActionKind.GOAL, GOAL_IDS.index(name) // 2 * box.GOAL_SPACES + int(number) - 1)]
        case "fruit", [name]:
            return [code_of(kind, FRUITS.index(name)) for kind in FRUIT_KINDS]
        case "norias", [price]:
            return [code_of(ActionKind.BUY, int(price) - 1)]
        case "todo", [word] if SKIPS.index(word) in DIRECT:
            return [code_of(DIRECT[SKIPS.index(word)], 0)]
    return []


def code_of(kind: ActionKind, arg: int) -> int:
    return int(KIND_OFFSETS[kind]) + arg


def token_code(colour: str, kept: str, number: str) -> int:
    """Return the argument of DELIVER for a token in a village."""
    size = [str(n) for n in box.NUMBERS].index(number)
    return (COLOURS.index(colour) * box.LANDS + FRUITS.index(kept)) * box.SIZES + size


def first_of_all(s: State, place: str) -> Why | None:
    """Return the reason that another action comes first, or None if the place has its own reason [3.8]."""
    kind, _, name = place.partition("-")
    answers, words, mark = FIRST_OF_ALL.get(Phase(s.phase), ((kind,), "", ""))
    if kind in (*answers, "village", "award", "stall", "deck") and place_fits(s, kind, name):
        return None
    return [f"First {words}."], mark, f"mule-{s.turn}" if s.phase == Phase.GO else ""


def place_fits(s: State, kind: str, name: str) -> bool:
    """Return False in the phase MARKET for items other than the market, else True."""
    return s.phase != Phase.MARKET or kind != "todo" or SKIPS.index(name) == box.MARKET


def nothing_left(s: State, verb: str, *items: int) -> Why:
    """Return the reason that the space or the award does not offer an action, or no longer offers it."""
    if s.phase == Phase.AWARD:
        return [f"The award doesn't let you {verb}."], "8.9", ""
    position = s.mule[s.turn]
    name, place = capitalize(space_name(s, position)), place_id(position)
    if any(box.PLACE_OWES[s.track[position], item] for item in items):
        return [f"{name} lets you {verb}, but you have already done or skipped that."], "3.6", place
    return [f"{name} doesn't let you {verb}."], "3.6", place


# --- the track ------------------------------------------------------------------------------------------


def why_place(s: State, number: str) -> Why:
    """Return why the mule cannot go to a place [3.3-3.5]."""
    position, here, own = int(number) - 1, s.mule[s.turn], f"mule-{s.turn}"
    if s.moved:
        return ["Your mule has moved in this turn. Do what its space offers, or end the turn."], "3.3", own
    if position <= here:
        where = "is here" if position == here else "has passed this space"
        return [f"Your mule {where}, and it must move forward by at least one place."], "D3", own
    if not is_free(s, position):
        there = next(mule for mule in range(MULES) if s.mule[mule] == position)
        who: RichLine = ["Zara"] if there == ZARA and box.WITH_ZARA[s.seats] else [SeatName(there)]
        return [*who, " has a mule here, and a space or spot holds only one mule."], "3.4", f"mule-{there}"
    return ["A mule never goes from one spot to another spot of the same space."], "3.5", own


# --- farmlands, channels and fruit ------------------------------------------------------------------------


def why_land(s: State, colour: str) -> Why:
    """Return why a farmland cannot be chosen [4.3-4.6, 7.5, D9]."""
    land, me, owed = COLOURS.index(colour), s.seat[s.turn], s.owed[layer(s)]
    if s.phase == Phase.TO:
        return why_not_there(s, land)
    if not s.calling_farmer and not owed.todo[box.ADD] and not owed.todo[box.MOVE]:
        return nothing_left(s, "add or move a farmer", box.ADD, box.MOVE)
    if owed.todo[box.ADD] and me.farmers > 0 and not s.calling_farmer:
        return misfit(owed, land)
    if me.farmland[land] == 0:
        lead = "Your supply is empty, and you" if becomes_move(me, owed) or s.calling_farmer else "You"
        mark = "7.5" if s.calling_farmer else "4.3" if becomes_move(me, owed) else "4.6"
        return [f"{lead} have no farmer in the {land_name(land)}."], mark, f"land-{colour}"
    return [f"The farmer must go to the {land_name(owed.shield)}, and this one is already there."], "D9", ""


def why_not_there(s: State, land: int) -> Why:
    """Return why the moving farmer cannot enter the farmland [4.6]."""
    if land == s.moving_from:
        return [f"Your farmer comes from the {land_name(land)} and must go to another farmland."], "4.6", ""
    return misfit(s.owed[layer(s)], land)


def misfit(owed: State, land: int) -> Why:
    """Return why the shield or the first of two farmers forbids a farmland [4.4, 4.5]."""
    if owed.used == land:
        return (
            ["The two farmers must go to different farmlands, and one is already here."],
            "4.4",
            f"land-{COLOURS[land]}",
        )
    wanted = owed.shield
    return [f"The shield shows the {land_name(wanted)}, so the farmer must go there."], "4.5", f"land-{COLOURS[wanted]}"


def why_channel(s: State, name: str) -> Why:
    """Return why a channel space cannot be watered [5.1]."""
    space = CHANNEL_IDS.index(name)
    if s.channel[space] != NONE:
        return [f"There is already a channel token on {channel_name(space)}."], "5.1", f"channel-{name}"
    if not s.owed[layer(s)].todo[box.DIG]:
        return nothing_left(s, "irrigate", box.DIG)
    beside = [other for other in range(box.CHANNELS) if box.ADJACENT[space, other]]
    names = join_words(channel_name(other) for other in beside)
    verb = "is" if len(beside) == 1 else "are"
    sentence = f"You can't water {channel_name(space)} yet because {names} beside it {verb} dry."
    return [sentence], "5.1", f"channel-{CHANNEL_IDS[beside[0]]}"


def why_fruit(s: State, name: str) -> Why:
    """Return why a fruit cannot be taken, planted or returned [1.4, 4.2, 4.8, 5.3, 6.6]."""
    fruit, me = FRUITS.index(name), s.seat[s.turn]
    full = me.fruit[fruit] == box.MOST_FRUIT
    match s.phase:
        case Phase.CROP:
            return [f"Both crop tokens of {plural(fruit)} are already on the board."], "5.3", ""
        case Phase.GIVE:
            return why_not_given(s, fruit)
        case Phase.TAKE if fruit == s.given:
            return [f"You return {a_fruit(fruit)}, so you must take another kind of fruit."], "6.6", ""
        case Phase.PICK if not may_pick(s, me, s.joined_land, fruit) and not full:
            where = land_name(s.joined_land)
            return [f"No {plural(fruit)} grow in the {where}."], "4.2", f"land-{COLOURS[s.joined_land]}"
        case Phase.ACT | Phase.AWARD if not s.owed[layer(s)].todo[box.FRUIT]:
            return nothing_left(s, "take fruit from the supply", box.FRUIT)
    if full:
        return [f"You have {fruits(fruit, me.fruit[fruit])}, and you can't have more than five of a fruit."], "1.4", ""
    return [f"The supply has no {plural(fruit)}."], "4.8", ""


def why_not_given(s: State, fruit: int) -> Why:
    """Return why a fruit cannot be returned [6.6]."""
    if s.seat[s.turn].fruit[fruit] == 0:
        return [f"You have no {plural(fruit)} to return."], "6.6", ""
    return ["The supply has no other fruit that you have room for."], "6.6", ""


def why_norias(s: State, price: str) -> Why:
    """Return why a purchase is impossible [6.5, 6.6]."""
    paid, me = int(price), s.seat[s.turn]
    if me.norias < paid:
        costs = f"This costs {pluralize(paid, 'noria')}, and you have {me.norias}"
        return [f"{costs}. You need {paid - me.norias} more."], "6.5", ""
    if box.BUYS[paid] == box.SWAP:
        return ["You have no fruit to exchange."], "6.6", ""
    return ["You have no farmer in a farmland that can move."], "6.5", ""


# --- deliveries --------------------------------------------------------------------------------------------


def why_token(s: State, colour: str, name: str, number: str) -> Why:
    """Return why a delivery token cannot be earned [8.1, 8.3, 8.4]."""
    land, fruit, wanted = COLOURS.index(colour), FRUITS.index(name), int(number)
    me = s.seat[s.turn]
    if s.token_taken:
        return ["At a market you can earn only one delivery token, and you have done that."], "8.1", ""
    if not s.owed[SPACE].todo[box.MARKET]:
        return nothing_left(s, "deliver", box.MARKET)
    lacks = [] if me.farmland[land] else [f"you have no farmer in the {land_name(land)}"]
    there = int(me.fruit[fruit])
    if there < wanted:
        lacks.append(f"you need {wanted - there} more {FRUITS[fruit] if there == wanted - 1 else plural(fruit)}")
    target = f"village-{colour}" if me.farmland[land] else f"land-{colour}"
    return [f"{capitalize(', and '.join(lacks))}."], "8.4" if me.farmland[land] else "8.3", target


def why_card(s: State, number: str) -> Why:
    """Return why a delivery card cannot be earned [8.1, 8.7]."""
    card, me = int(number), s.seat[s.turn]
    if s.card_taken:
        return ["At a market you can earn only one delivery card, and you have done that."], "8.1", ""
    if not s.owed[SPACE].todo[box.MARKET]:
        return nothing_left(s, "deliver", box.MARKET)
    lacks = [a_fruit(fruit) for fruit in range(box.LANDS) if me.fruit[fruit] < box.ASKS[card, fruit]]
    return [f"You still need {join_words(lacks)}."], "8.7", f"card-{card}"


def why_village(s: State, colour: str) -> Why:
    """Return why a village itself cannot be chosen [8.3, D25]."""
    if any(s.token[COLOURS.index(colour), fruit, size] for fruit in range(box.LANDS) for size in range(box.SIZES)):
        return ["To deliver here, choose one of the village's tokens."], "8.3", ""
    return [f"The {colour} village has no delivery tokens left."], "D25", ""


def why_award(s: State, colour: str) -> Why:
    """Return why an award cannot be chosen [8.8]."""
    return ["Make the next delivery to this village, and you earn this award."], "8.8", ""


def why_stall(s: State, name: str) -> Why:
    """Return why a place of the market card cannot be chosen [8.6]."""
    return (
        [f"This is the bonus for delivering {plural(FRUITS.index(name))} to a village. You can't take it."],
        "8.6",
        "",
    )


def why_deck(s: State) -> Why:
    """Return why the deck cannot be chosen [8.7]."""
    return ["You can only earn the delivery cards that are face up."], "8.7", ""


# --- goals, and the list of actions owed ------------------------------------------------------------------------


def why_goal(s: State, name: str, number: str = "") -> Why:
    """Return why a goal, or one of its spaces, cannot be chosen [7.1-7.3, 7.7, 11.2]."""
    goal = GOAL_IDS.index(name)
    card, target = goal // 2, f"goal-{name}"
    owner = s.claimed[card, int(number) - 1] if number else FREE
    if owner == COVERED:
        return ["With two players this space stays covered."], "11.2", target
    if s.turn in list(s.claimed[card]):
        return [f'You have completed "{GOALS[goal]}" already.'], "7.2", target
    if owner != FREE:
        return [SeatName(owner), " has a farmer on this space. Choose a free one."], "7.3", target
    if not can_complete(s, card):
        return unmet(s, goal)
    if s.extra_goals_allowed and not s.owed[SPACE].todo[box.GOAL]:
        return ["You need a goal token for another goal, and you have none."], "7.7", target
    if s.owed[SPACE].todo[box.GOAL]:
        return ["You meet this goal. Choose one of its free spaces."], "7.3", target
    return nothing_left(s, "complete a goal", box.GOAL)


def unmet(s: State, goal: int) -> Why:
    """Return why a goal cannot be completed: its spaces are taken, or its demand is not met [7.3, 7.8-7.11]."""
    where, each, places = int(box.GOAL_WHERE[goal]), int(box.GOAL_EACH[goal]), int(box.GOAL_PLACES[goal])
    target = f"goal-{GOAL_IDS[goal]}"
    have = sum(goal_count(s.seat[s.turn], where, land) >= each for land in range(box.LANDS))
    if have >= places:
        return [f'All spaces of "{GOALS[goal]}" are taken.'], "7.3", target
    what, place, more = SO_FAR[where]
    found = f"{NUMBERS[have]} {place}{'' if have == 1 else 's'}{more}"
    if each > 1:
        found = f"{NUMBERS[each]} {what or 'of '}{found}"
    else:
        found = what + found
    return [f'You don\'t meet "{GOALS[goal]}" yet. You have {found}.'], f"7.{8 + goal // 2}", target


def why_to_do(s: State, word: str) -> Why:
    """Return advice on an item owed, or the reason that its action is impossible."""
    item = SKIPS.index(word)
    kinds, here, nowhere, mark = TO_DO[item]
    if any(KIND_OF_CODE[action] in kinds for action in choices(s)):
        return [here], mark, ""
    return [f"{nowhere} You can only skip this."], mark, ""


REASONS: dict[str, Callable[..., Why]] = {
    "place": why_place,
    "land": why_land,
    "channel": why_channel,
    "fruit": why_fruit,
    "norias": why_norias,
    "token": why_token,
    "card": why_card,
    "village": why_village,
    "award": why_award,
    "stall": why_stall,
    "deck": why_deck,
    "goal": why_goal,
    "todo": why_to_do,
}
