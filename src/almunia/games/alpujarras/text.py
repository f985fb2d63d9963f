"""Alpujarras in words: actions, questions and the board as text. The log stands in `log.py`."""

from ...core.contract import Line, Points
from ...core.plain import CheckedRecord as State
from . import components as box
from .components import AWARD_SIDES, CARD_IDS, CHANNEL_IDS, COLOURS, FRUITS
from .goals import goals_done
from .log import tell
from .market import place_on_market
from .state import (
    AWARD,
    BOUGHT,
    CARD_SALES,
    COVERED,
    DUG,
    FIRST,
    FREE,
    KIND,
    MULES,
    NONE,
    NOWHERE,
    SPACE,
    TOKEN_SALES,
    ZARA,
    Deed,
    Phase,
    score,
)
from .words import (
    GOAL_IDS,
    GOALS,
    SKIPS,
    a_fruit,
    award_words,
    back_words,
    card_fruit,
    channel_name,
    fruits,
    goal_reward,
    item_words,
    land_name,
    listed,
    many,
    offers,
    owed_words,
    plural,
    space_name,
)
from .zara import top_back

__all__ = ("ask", "board", "effect", "ending", "facts", "offer", "parts", "say", "tell", "verdict")

Words = tuple[str, str]  # as records have them, and as a page offers them

BARGAINS = {box.ADD: "add a farmer", box.MOVE: "move a farmer", box.SWAP: "exchange a fruit"}
PLAIN = {
    Deed.NORIAS: ("take norias", "Take the norias"),
    Deed.GOAL_TOKEN: ("take goal token", "Take a goal token"),
    Deed.HARVEST: ("harvest", "Harvest"),
    Deed.CLOSE: ("finish market", "Finish the market action"),
    Deed.KEEP: ("take what fits", "Take what there is room for"),
    Deed.END: ("end turn", "End the turn"),
    Deed.ROLL: ("roll Zara's die", "Roll Zara's die"),
    Deed.REMOVE: ("Zara's market", "Let Zara take a token away"),
    Deed.STRIP: ("Zara's harvest", "Let Zara harvest"),
}
SOURCES = (
    *("delivery tokens", "market bonus", "delivery cards", "awards", "goals"),
    *("the track", "channels", "spent norias", "the end spot", "the last sale"),
)


# --- actions -----------------------------------------------------------------------------------------


def say(s: State, action: int) -> str:
    """`go to 17`, `add to orange`, `deliver 4 cherry to red`, `end turn`."""
    return words_for(s, *taken_apart(action))[0]


def offer(s: State, action: int) -> Line:
    """`Space 17`, `Add a farmer to the orange farmland`, `Deliver 4 cherries to the red village`."""
    return [words_for(s, *taken_apart(action))[1]]


def taken_apart(action: int) -> tuple[int, int]:
    """The kind of an action, and which of them it is."""
    kind = int(KIND[action])
    return kind, action - int(FIRST[kind])


def words_for(s: State, kind: int, which: int) -> Words:
    """An action in words: the kinds that name a place, a fruit or a price."""
    match kind:
        case Deed.GO:
            return f"go to {which + 1}", capital(space_name(s, which))
        case Deed.ADD | Deed.FROM | Deed.TO:
            return land_words(s, kind, which)
        case Deed.PICK | Deed.FRUIT | Deed.CROP | Deed.GIVE | Deed.TAKE:
            return fruit_words(kind, which)
        case Deed.DIG:
            return f"irrigate {CHANNEL_IDS[which]}", f"Water {channel_name(which)}"
        case Deed.GOAL:
            goal, space = s.goal[which // box.GOAL_SPACES], which % box.GOAL_SPACES
            return f"goal {GOAL_IDS[goal]} space {space + 1}", f"Complete {GOALS[goal]}: {goal_reward(goal, space)}"
        case Deed.DELIVER:
            village, fruit, number = delivery(which)
            to = f"to the {COLOURS[village]} village"
            return f"deliver {number} {FRUITS[fruit]} to {COLOURS[village]}", f"Deliver {fruits(fruit, number)} {to}"
        case Deed.CARD:
            return f"deliver card {CARD_IDS[which]}", f"Deliver {card_fruit(which)} for a card"
        case Deed.SKIP:
            return f"skip {SKIPS[which]}", f"Skip the {SKIPS[which]}"
        case Deed.BUY:
            return f"spend {which + 1}", f"Spend {many(which + 1, 'noria')}: {bargain(which + 1)}"
    return PLAIN[Deed(kind)]


def land_words(s: State, kind: int, land: int) -> Words:
    """Farmers that come and go."""
    name = land_name(land)
    if kind == Deed.ADD:
        return f"add to {COLOURS[land]}", f"Add a farmer to the {name}"
    if kind == Deed.TO:
        return f"to {COLOURS[land]}", f"To the {name}"
    return f"from {COLOURS[land]}", f"{'Call' if s.calling else 'Move'} a farmer from the {name}"


def fruit_words(kind: int, fruit: int) -> Words:
    """Fruit that is taken, planted or returned."""
    verb, words = {
        Deed.PICK: ("pick", f"Pick {a_fruit(fruit)}"),
        Deed.FRUIT: ("take", f"Take {a_fruit(fruit)}"),
        Deed.CROP: ("plant", f"Plant {plural(fruit)}"),
        Deed.GIVE: ("return", f"Return {a_fruit(fruit)}"),
        Deed.TAKE: ("receive", f"Take {a_fruit(fruit)}"),
    }[Deed(kind)]
    return f"{verb} {FRUITS[fruit]}", words


def delivery(which: int) -> tuple[int, int, int]:
    """Village, fruit and number of a delivery token."""
    rest, size = divmod(which, box.SIZES)
    return rest // box.LANDS, rest % box.LANDS, int(box.NUMBERS[size])


def bargain(price: int) -> str:
    """What so many norias buy [6.5, 6.6]."""
    paid = int(box.BUYS_DIRHEMS[price])
    return BARGAINS[int(box.BUYS[price])] + (f", {many(paid, 'dirhem')}" if paid else "")


def capital(words: str) -> str:
    """With a capital in front."""
    return words[:1].upper() + words[1:]


def parts(s: State, action: int) -> dict[str, str]:
    """Every action is one answer: its kind, and which of them."""
    kind, which = taken_apart(action)
    return {Deed(kind).name.lower(): str(which)}


def effect(s: State, action: int) -> Line:
    """What the action would bring."""
    kind, which = taken_apart(action)
    match kind:
        case Deed.GO:
            return [listed(offers(s.track[which])) or "nothing more"]
        case Deed.ADD | Deed.TO:
            return [field_effect(s, which)]
        case Deed.DIG:
            return water_effect(which)
        case Deed.DELIVER:
            return delivery_effect(s, which)
        case Deed.CARD:
            return [Points(box.WORTH[which])]
        case Deed.BUY if box.BUYS[which + 1] == box.ADD and s.seat[s.turn].farmers == 0:
            return ["moves a farmer, for none is left to add"]
        case Deed.KEEP:
            lost = max(s.seat[s.turn].norias + s.gain - box.MOST_NORIAS, 0)
            return [f"{many(lost, 'noria')} {'is' if lost == 1 else 'are'} lost"]
        case Deed.END if box.PLACE_KIND[s.track[s.mule[s.turn]]] == box.END_SPOT:
            return [f"{many(things(s.seat[s.turn]), 'thing')} sold: ", Points(things(s.seat[s.turn]) // 3)]
    return []


def field_effect(s: State, land: int) -> str:
    """Which fruit a farmer would find there [4.2]."""
    me = s.seat[s.turn]
    there = [f for f in range(box.LANDS) if s.growing[land, f] and me.fruit[f] < box.MOST_FRUIT]
    words = listed(FRUITS[fruit] for fruit in there).replace(" and ", " or ")
    return f"and {words}" if there else "no fruit to take"


def water_effect(space: int) -> Line:
    """What a channel space brings [5.3, 5.7]."""
    land, norias, dirhems = box.LEADS_TO[space], box.ICON_NORIAS[space], box.ICON_DIRHEMS[space]
    words = [f"a new crop in the {land_name(land)}"] if land != NONE else []
    words += [many(norias, "noria")] if norias else []
    if not dirhems:
        return [listed(words) or "a straight channel"]
    return [f"{', '.join(words)} and " if words else "", Points(dirhems)]


def delivery_effect(s: State, which: int) -> Line:
    """Token, bonus and award of a delivery [8.5, 8.6, 8.8]."""
    village, fruit, _ = delivery(which)
    bonus = int(box.BONUS[place_on_market(s, fruit)])
    line: list[str | Points] = [Points(box.REWARD[which % box.SIZES])]
    line += [", bonus ", Points(bonus)] if bonus else []
    if s.flipped[village] < len(AWARD_SIDES):
        line.append(f", award: {award_words(s.award[village], s.flipped[village])}")
    return line


def things(me: State) -> int:
    """What would be sold in the end [10.4]."""
    return sum(me.fruit) + int(me.norias) + int(me.goal_tokens)


# --- questions ---------------------------------------------------------------------------------------


def ask(s: State) -> str:
    """The question put to the seat to move."""
    match s.phase:
        case Phase.GO:
            return "Your mule is furthest back: choose where it goes."
        case Phase.ACT:
            return space_question(s)
        case Phase.OVERFLOW:
            return f"{capital(many(s.gain, 'noria'))} to take and {s.seat[s.turn].norias} in hand: spend some first?"
        case Phase.AWARD:
            return f"The award: {listed(owed_words(list(s.owed[AWARD].todo)))}."
        case Phase.MARKET:
            return f"You may still deliver for {'a card' if s.delivered else 'a village'}."
        case Phase.ROLL | Phase.REMOVE | Phase.STRIP:
            return zara_question(s)
    return detail_question(s)


def detail_question(s: State) -> str:
    """What is asked within an action."""
    match s.phase:
        case Phase.PICK:
            return f"Take a fruit from the {land_name(s.joined)}."
        case Phase.TO:
            return f"Your farmer leaves the {land_name(s.lifted)}: choose where it goes."
        case Phase.CALL:
            return "Your supply is empty: choose which farmer goes to the goal card."
        case Phase.BUY:
            return f"You have paid to {what_is_bought(s)}: choose the farmland."
        case Phase.GIVE:
            return "Choose the fruit that you return."
        case Phase.TAKE:
            return "Choose the fruit that you take instead."
    return f"Choose the crop for the new field in the {land_name(box.LEADS_TO[s.sowing])}."


def space_question(s: State) -> str:
    """What the place still offers [3.6]."""
    owed = s.owed[SPACE]
    left = owed_words(list(owed.todo), owed.shield)
    if left:
        return f"On {space_name(s, s.mule[s.turn])} you may {listed(left)}."
    return "Nothing is left to be done here: end the turn."


def what_is_bought(s: State) -> str:
    """Add a farmer, or move one."""
    adds = s.owed[BOUGHT].todo[box.ADD] and s.seat[s.turn].farmers
    return item_words(box.ADD if adds else box.MOVE, 1)


def zara_question(s: State) -> str:
    """Zara's steps have nothing to choose [D53]."""
    if s.phase == Phase.ROLL:
        return "Zara's mule is furthest back: roll her die."
    if s.phase == Phase.REMOVE:
        return "Zara has come to a market: the back of the top card names the token that she takes away."
    return "Zara has come to a harvest: she flips the top card."


# --- the position ------------------------------------------------------------------------------------


def board(s: State, seat: int) -> str:
    """Track, farmlands, water, market, goals and players, a heading each."""
    own = max(seat, 0)
    players = [(own + i) % s.seats for i in range(s.seats)]
    sections = (
        ["Track", *track_lines(s)],
        ["Farmlands", *(line for land in range(box.LANDS) for line in land_lines(s, land))],
        ["Water", *water_lines(s)],
        ["Market", *market_lines(s)],
        ["Goals", *goal_lines(s)],
        ["Players", *(player_line(s, p) for p in players)],
    )
    return "\n\n".join("\n".join(lines) for lines in sections)


def who(s: State, mule: int) -> str:
    """A player, or Zara."""
    return "Zara" if mule == ZARA and box.WITH_ZARA[s.seats] else f"Player {mule + 1}"


def track_lines(s: State) -> list[str]:
    """Every place from the last mule on, with what it offers and who stands there."""
    mules = {s.mule[mule]: who(s, mule) for mule in range(MULES) if s.mule[mule] != NOWHERE}
    lines = []
    for position in range(min(mules), box.POSITIONS):
        if s.track[position] != NOWHERE:
            offered = ", ".join(offers(s.track[position])) or "nothing more"
            there = f"  <- {mules[position]}" if position in mules else ""
            lines.append(f"{capital(space_name(s, position))}: {offered}{there}")
    return lines


def land_lines(s: State, land: int) -> list[str]:
    """Fruit, farmers, and the village with its tokens and its award."""
    grown = [fruits(fruit, s.growing[land, fruit]) for fruit in range(box.LANDS) if s.growing[land, fruit]]
    farmers = [f"{who(s, p)} {s.seat[p].farmland[land]}" for p in range(s.seats) if s.seat[p].farmland[land]]
    settled = [f"{who(s, p)} {s.seat[p].village[land]}" for p in range(s.seats) if s.seat[p].village[land]]
    tokens = [
        f"{box.NUMBERS[size]} {FRUITS[fruit]}"
        for fruit in range(box.LANDS)
        for size in range(box.SIZES)
        for _ in range(s.token[land, fruit, size])
    ]
    side = s.flipped[land]
    award = f"; award: {award_words(s.award[land], side)}" if side < len(AWARD_SIDES) else ""
    name = f"{COLOURS[land].capitalize()} ({FRUITS[land]})"
    return [
        f"{name}: {', '.join(grown) or 'no fruit'}; farmers: {', '.join(farmers) or 'none'}",
        f"  village: tokens {', '.join(tokens) or 'none'}; farmers: {', '.join(settled) or 'none'}{award}",
    ]


def water_lines(s: State) -> list[str]:
    """Every channel space: what it brings, or what lies there."""
    lines = []
    for space in range(box.CHANNELS):
        crop = s.channel[space]
        if crop == NONE:
            state = water_effect(space)
        else:
            state = "dug" if crop == DUG else f"dug, {FRUITS[crop]}"
        lines.append(f"{capital(channel_name(space))}: {state}")
    return lines


def market_lines(s: State) -> list[str]:
    """The market card, the delivery cards and the supply."""
    card = ", ".join(f"{FRUITS[s.market[place]]} +{box.BONUS[place]}" for place in range(box.LANDS))
    cards = "; ".join(f"{card_fruit(card)} ({box.WORTH[card]})" for card in s.open if card != NONE)
    deck = f"{many(s.left, 'card')}, on top {back_words(top_back(s))}" if s.left else "no cards"
    supply = ", ".join(fruits(fruit, s.supply[fruit]) for fruit in range(box.LANDS))
    return [f"Market card: {card}", f"Delivery cards: {cards or 'none'}", f"Deck: {deck}", f"Supply: {supply}"]


def goal_lines(s: State) -> list[str]:
    """Every goal with its spaces."""
    lines = []
    for card in range(box.GOAL_CARDS):
        goal = s.goal[card]
        spaces = [f"{goal_reward(goal, i)} {claim(s, s.claimed[card, i])}" for i in range(box.GOAL_SPACES)]
        lines.append(f"{GOALS[goal]}: {', '.join(spaces)}")
    return lines


def claim(s: State, owner: int) -> str:
    """Whose a goal space is."""
    return {FREE: "(free)", COVERED: "(covered)"}.get(owner) or f"({who(s, owner)})"


def player_line(s: State, p: int) -> str:
    """What a player has."""
    me = s.seat[p]
    held = listed(fruits(fruit, me.fruit[fruit]) for fruit in range(box.LANDS) if me.fruit[fruit]) or "no fruit"
    numbers = f"{many(me.norias, 'noria')}, {many(me.farmers, 'farmer')}, {many(me.goal_tokens, 'goal token')}"
    return f"{who(s, p)}: {many(score(me), 'dirhem')}; {held}; {numbers}; tokens: {tokens_of(me)}"


def tokens_of(me: State) -> str:
    """The delivery tokens a player has taken: open to all [D51]."""
    counted = ((fruit, sum(me.token[fruit, size] for size in range(box.SIZES))) for fruit in range(box.LANDS))
    return ", ".join(fruits(fruit, count) for fruit, count in counted if count) or "none"


def facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Goals, deliveries and farmers left; the picture of the players shows the rest."""
    me = s.seat[seat]
    cards = sum(owner == seat for owner in s.taken)
    tokens = sum(me.token[fruit, size] for fruit in range(box.LANDS) for size in range(box.SIZES))
    return [
        ("Goals", f"{goals_done(s, seat)} of {box.GOAL_CARDS}"),
        ("Tokens", str(tokens)),
        ("Cards", str(cards)),
        ("Norias", str(me.norias)),
    ]


def ending(s: State) -> str:
    """Why the play is over [10.1]."""
    return "Every mule of a player is in the end space."


def verdict(s: State, seat: int) -> list[str]:
    """The dirhems, and where they come from [10.5]."""
    me = s.seat[seat]
    earned = {SOURCES[source]: me.earned[source] for source in range(len(SOURCES)) if me.earned[source]}
    ordered = sorted(earned.items(), key=lambda item: -item[1])
    sold = me.earned[TOKEN_SALES] + me.earned[CARD_SALES]
    return [
        f"{many(score(me), 'dirhem')}, {sold} of them for deliveries.",
        f"From {listed(f'{name} {count}' for name, count in ordered) or 'nothing'}.",
    ]
