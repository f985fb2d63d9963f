"""The effects of Alpujarras' actions in words."""

from collections.abc import Iterator

from ....core.contract import NONE, Points, RichLine
from ....core.english import join_words, pluralize
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import AWARD_SIDES
from ..rules.farming import leads, may_pick
from ..rules.goals import can_complete
from ..rules.market import can_pay, place_on_market
from ..rules.state import MULES, NOWHERE, SPACE, ActionKind, may_take
from ..rules.track import at_end
from .actions import decode, delivery
from .words import GOALS, a_fruit, award_words, card_fruit, fruits, land_name, owed_words, plural

PASSED = {box.MARKET_SPOT: "market", box.HARVEST_SPOT: "harvest"}
AGAIN = "then you move again"


@memoize(lambda s, action: (s.to_bytes(), action))  # pictures and buttons show it
def effect_text(s: State, action: int) -> RichLine:
    """Return the effect of an action as a line. The line may be empty."""
    kind, arg = decode(action)
    match kind:
        case ActionKind.GO:
            return in_a_line(int(box.PLACE_PAYS[s.track[arg]]), place_effects(s, arg))
        case ActionKind.ADD | ActionKind.TO:
            return in_a_line(0, joining_effects(s, arg))
        case ActionKind.FROM if not s.calling_farmer:
            return in_a_line(0, leaving_effects(s, arg))
        case ActionKind.PICK | ActionKind.FRUIT | ActionKind.TAKE | ActionKind.CROP:
            return in_a_line(0, fruit_effects(s, kind, arg))
        case ActionKind.DIG:
            return water_effect(arg)
        case ActionKind.DELIVER:
            return in_a_line(delivery_pays(s, arg), delivery_effects(s, arg))
        case ActionKind.CARD:
            news = ["a new card is turned up, which can't be undone"] if s.left else []
            return in_a_line(int(box.WORTH[arg]), news)
        case ActionKind.GOAL:
            return goal_effect(s, arg)
    return other_effect(s, kind, arg)


def other_effect(s: State, kind: int, arg: int) -> RichLine:
    me = s.seat[s.turn]
    match kind:
        case ActionKind.GOAL_TOKEN:
            return ["completes another goal in a later turn"]
        case ActionKind.HARVEST:
            return [join_words(harvest_words(s))]
        case ActionKind.BUY:
            moves = box.BUYS[arg + 1] == box.ADD and me.farmers == 0
            instead = ["moves a farmer because you have none left to add"] if moves else []
            return in_a_line(int(box.BUYS_DIRHEMS[arg + 1]), instead)
        case ActionKind.KEEP:
            lost = max(me.norias + s.noria_overflow - box.MOST_NORIAS, 0)
            return [f"{pluralize(lost, 'noria')} {'is' if lost == 1 else 'are'} lost"]
        case ActionKind.END if at_end(s, s.turn):
            sold = things(me) // 3
            return [f"you sell {things(me)} things: ", Points(sold)] if sold else ["you have too little to sell"]
        case ActionKind.END if moves_again(s, s.mule[s.turn]):
            return ["your mule is still furthest back, so you move again"]
    return []


def signs(s: State, action: int) -> tuple[str, ...]:
    """Return the names of the icons for an action's effects."""
    kind, arg = decode(action)
    if kind not in (ActionKind.ADD, ActionKind.TO):
        return ()
    lead = ("harvest",) if takes_lead(s, arg) else ()
    return (*lead, *(("goal",) if goal_words(s, with_farmer(s, arg)) else ()))


def in_a_line(dirhems: int, words: list[str]) -> RichLine:
    """Return dirhems and words as a line. Dirhems of 0 are left out."""
    if not dirhems:
        return ["; ".join(words)] if words else []
    return [Points(dirhems), *([f"; {'; '.join(words)}"] if words else [])]


# --- the track ------------------------------------------------------------------------------------------


def place_effects(s: State, position: int) -> list[str]:
    """Return words on a place: its actions, the stops passed and another turn, or else `nothing more` [3.1, 3.6]."""
    place = s.track[position]
    offered = join_words(owed_words([int(n) for n in box.PLACE_OWES[place]], box.SHIELD[place]))
    words = [offered] if offered else []
    passed = passed_words(s, position)
    words += [f"passes {passed}"] if passed else []
    return words + ([AGAIN] if moves_again(s, position) else []) or ["nothing more"]


def warning(s: State, action: int) -> str:
    """Return a sentence on a jump over more than one market, which is where fruit is sold [3.6, 8.1]."""
    kind, arg = decode(action)
    if kind != ActionKind.GO or dict(passed_by(s, arg)).get("market", 0) < 2:
        return ""
    return f"This passes {passed_words(s, arg)}."


def passed_words(s: State, position: int) -> str:
    return join_words(f"a {name}" if count == 1 else f"{count} {name}s" for name, count in passed_by(s, position))


def passed_by(s: State, position: int) -> Iterator[tuple[str, int]]:
    """Yield the name and number of the markets, and of the harvests, between the mule and a place, if any."""
    here, there = box.PLACE_SEGMENT[s.track[s.mule[s.turn]]], box.PLACE_SEGMENT[s.track[position]]
    between = [s.track[p] for p in range(s.mule[s.turn] + 1, position)]
    for kind, name in PASSED.items():
        segments = {box.PLACE_SEGMENT[place] for place in between if box.PLACE_KIND[place] == kind}
        stays = {here} if box.PLACE_KIND[s.track[s.mule[s.turn]]] == kind else set()
        stops = {there} if box.PLACE_KIND[s.track[position]] == kind else set()
        if segments - stays - stops:
            yield name, len(segments - stays - stops)


def moves_again(s: State, position: int) -> bool:
    """Return whether the mule would still be furthest back on the position, outside the end space [3.1, 3.2]."""
    others = [s.mule[mule] for mule in range(MULES) if mule != s.turn and s.mule[mule] != NOWHERE]
    return box.PLACE_KIND[s.track[position]] != box.END_SPOT and position < min(others)


# --- farmers, fruit and water ---------------------------------------------------------------------------


def joining_effects(s: State, land: int) -> list[str]:
    """Return words on the effects of a farmer that enters a farmland [4.2, 7.9, 9.1]."""
    there = [a_fruit(fruit) for fruit in range(box.LANDS) if may_pick(s, s.seat[s.turn], land, fruit)]
    words = [f"takes {join_words(there, 'or')}" if there else "no fruit to take"]
    words += ["then you have the most there"] if takes_lead(s, land) else []
    return words + goal_words(s, with_farmer(s, land))


def with_farmer(s: State, land: int, more: int = 1) -> State:
    """Return a copy of the position with `more` added to the number of the player's farmers in a farmland."""
    trial = s.copy()
    trial.seat[s.turn].farmland[land] += more
    return trial


def takes_lead(s: State, land: int) -> bool:
    """Return whether another farmer would give the player the most in the farmland [9.1]."""
    return not leads(s, land) and bool(leads(with_farmer(s, land), land))


def leaving_effects(s: State, land: int) -> list[str]:
    """Return words on what the player loses if a farmer leaves a farmland, or an empty list [8.3, 9.1]."""
    if s.seat[s.turn].farmland[land] == 1:
        return [f"then you have no farmer in the {land_name(land)}"]
    loses = leads(s, land) and not leads(with_farmer(s, land, -1), land)
    return ["then you no longer have the most there"] if loses else []


def fruit_effects(s: State, kind: int, fruit: int) -> list[str]:
    """Return words on the uses of one more fruit, or on a crop that brings the player no fruit."""
    me = s.seat[s.turn]
    if kind == ActionKind.CROP and not may_take(s, me, fruit):
        return ["a noria instead of the fruit"] if me.fruit[fruit] == box.MOST_FRUIT else ["no fruit left to take"]
    trial = s.copy()
    trial.seat[s.turn].fruit[fruit] += 1
    now = trial.seat[s.turn]
    tokens = [f"{fruits(fruit, now.fruit[fruit])} in a village"] if wanted(s, fruit, now.fruit[fruit]) else []
    cards = [card for card in s.open if card != NONE and can_pay(now, card) and not can_pay(me, card)]
    enough = join_words(tokens + [f"the card of {card_fruit(card)}" for card in cards])
    return ([f"enough for {enough}"] if enough else []) + goal_words(s, trial)


def wanted(s: State, fruit: int, number: int) -> bool:
    """Return whether the player has a farmer beside a village with a token of this fruit and number [8.3, 8.4]."""
    me = s.seat[s.turn]
    sizes = [size for size in range(box.SIZES) if box.NUMBERS[size] == number]
    return any(s.token[land, fruit, size] and me.farmland[land] for land in range(box.LANDS) for size in sizes)


def goal_words(s: State, trial: State) -> list[str]:
    """Return words on each goal that can be completed in the position `trial` but not in `s` [7.1]."""
    met = [card for card in range(box.GOAL_CARDS) if can_complete(trial, card) and not can_complete(s, card)]
    return [f'meets "{GOALS[s.goal[card]]}"' for card in met]


def water_effect(space: int) -> RichLine:
    """Return the effect of watering a channel space [5.3, 5.7]."""
    land, norias = box.LEADS_TO[space], box.ICON_NORIAS[space]
    words = [pluralize(norias, "noria")] if norias else []
    words += [f"a new crop in the {land_name(land)}"] if land != NONE else []
    return in_a_line(int(box.ICON_DIRHEMS[space]), words or ["a straight channel"])


def harvest_words(s: State) -> list[str]:
    """Return the fruits and norias of the player's harvest, in words [9.1, 9.4]."""
    led = [land for land in range(box.LANDS) if leads(s, land)]
    taken = [a_fruit(land) for land in led if may_take(s, s.seat[s.turn], land)]
    norias = len(led) - len(taken)
    return taken + ([pluralize(norias, "noria")] if norias else [])


# --- deliveries and goals -------------------------------------------------------------------------------


def delivery_pays(s: State, arg: int) -> int:
    """Return the dirhems of a delivery: token, bonus and award [8.5, 8.6, 8.8]."""
    village, fruit, _ = delivery(arg)
    paid = box.REWARD[arg % box.SIZES] + box.BONUS[place_on_market(s, fruit)]
    if s.flipped[village] < len(AWARD_SIDES):
        paid += box.AWARD_PAYS[s.award[village] * len(AWARD_SIDES) + s.flipped[village]]
    return int(paid)


def delivery_effects(s: State, arg: int) -> list[str]:
    """Return words on the effects of a delivery."""
    village, fruit, _ = delivery(arg)
    bonus = int(box.BONUS[place_on_market(s, fruit)])
    words = [f"including a bonus of {bonus} for {plural(fruit)}"] if bonus else []
    if s.flipped[village] < len(AWARD_SIDES):
        words.append(f"award: {award_words(s.award[village], s.flipped[village])}")
    trial = with_farmer(s, village, -1)
    me = trial.seat[s.turn]
    me.village[village] += 1
    me.token[fruit, arg % box.SIZES] += 1
    me.fruit[fruit] -= box.NUMBERS[arg % box.SIZES]
    return words + leaving_effects(s, village) + goal_words(s, trial)


def goal_effect(s: State, place: int) -> RichLine:
    """Return the reward of a goal space and the cost of the goal, as a line [7.3-7.5, 7.7]."""
    goal, space = s.goal[place // box.GOAL_SPACES], place % box.GOAL_SPACES
    norias = int(box.GOAL_NORIAS[goal, space])
    words = [pluralize(norias, "noria")] if norias else []
    words += ["takes a farmer from a farmland"] if s.seat[s.turn].farmers == 0 else []
    words += ["costs a goal token"] if s.owed[SPACE].todo[box.GOAL] == 0 else []
    return in_a_line(int(box.GOAL_DIRHEMS[goal, space]), words)


def things(me: State) -> int:
    """Return the number of things that the player would sell at the end [10.4]."""
    return sum(me.fruit) + int(me.norias) + int(me.goal_tokens)
