"""A position of Alpujarras in words, and its result."""

from ....core.contract import NONE
from ....core.english import capitalize, join_words, pluralize
from ....core.optional import Source
from ....core.rich_text import plain_text
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import AWARD_SIDES, COLOURS, FRUITS
from ..rules.goals import goals_done
from ..rules.state import CARD_SALES, COVERED, DUG, FREE, MULES, NOWHERE, TOKEN_SALES, ZARA, score
from ..rules.zara import top_card_back
from .effects import water_effect
from .words import (
    GOALS,
    award_words,
    back_words,
    card_fruit,
    channel_name,
    fruits,
    goal_reward,
    offers,
    plural,
    space_name,
)

SOURCES = {  # in the order of the sources in the state, with the paragraphs behind them
    "delivery tokens": "8.5",
    "market bonus": "8.6",
    "delivery cards": "8.7",
    "awards": "8.8",
    "goals": "7.4",
    "the track": "3.7",
    "channels": "5.7",
    "spent norias": "6.5",
    "the end spot": "10.2",
    "the last sale": "10.4",
}


def board(s: State, seat: int) -> str:
    """Return the position in words, in sections with headings."""
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
    return "Zara" if mule == ZARA and box.WITH_ZARA[s.seats] else f"Player {mule + 1}"


def track_lines(s: State) -> list[str]:
    mules = {s.mule[mule]: who(s, mule) for mule in range(MULES) if s.mule[mule] != NOWHERE}
    lines = []
    for position in range(min(mules), box.POSITIONS):
        if s.track[position] != NOWHERE:
            offered = ", ".join(offers(s.track[position])) or "nothing more"
            there = f"  <- {mules[position]}" if position in mules else ""
            lines.append(f"{capitalize(space_name(s, position))}: {offered}{there}")
    return lines


def land_lines(s: State, land: int) -> list[str]:
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
    lines = []
    for space in range(box.CHANNELS):
        crop = s.channel[space]
        if crop == NONE:
            state = plain_text(water_effect(space))
        else:
            state = "dug" if crop == DUG else f"dug, {FRUITS[crop]}"
        lines.append(f"{capitalize(channel_name(space))}: {state}")
    return lines


def market_lines(s: State) -> list[str]:
    card = ", ".join(f"{FRUITS[s.market[place]]} +{box.BONUS[place]}" for place in range(box.LANDS))
    cards = "; ".join(f"{card_fruit(card)} ({box.WORTH[card]})" for card in s.open if card != NONE)
    deck = f"{pluralize(s.left, 'card')}, on top {back_words(top_card_back(s))}" if s.left else "no cards"
    supply = ", ".join(fruits(fruit, s.supply[fruit]) for fruit in range(box.LANDS))
    return [f"Market card: {card}", f"Delivery cards: {cards or 'none'}", f"Deck: {deck}", f"Supply: {supply}"]


def goal_lines(s: State) -> list[str]:
    lines = []
    for card in range(box.GOAL_CARDS):
        goal = s.goal[card]
        spaces = [f"{goal_reward(goal, i)} {claim(s, s.claimed[card, i])}" for i in range(box.GOAL_SPACES)]
        lines.append(f"{GOALS[goal]}: {', '.join(spaces)}")
    return lines


def claim(s: State, owner: int) -> str:
    return {FREE: "(free)", COVERED: "(covered)"}.get(owner) or f"({who(s, owner)})"


def player_line(s: State, p: int) -> str:
    me = s.seat[p]
    held = join_words(fruits(fruit, me.fruit[fruit]) for fruit in range(box.LANDS) if me.fruit[fruit]) or "no fruit"
    things = {"noria": me.norias, "farmer": me.farmers, "goal token": me.goal_tokens}
    numbers = ", ".join(pluralize(count, thing) for thing, count in things.items())
    return f"{who(s, p)}: {pluralize(score(me), 'dirhem')}; {held}; {numbers}; tokens: {tokens_of(me)}"


def tokens_of(me: State) -> str:
    """Return the numbers of delivery tokens that a player has taken, by fruit, in words [D51]."""
    counted = ((fruit, sum(me.token[fruit, size] for size in range(box.SIZES))) for fruit in range(box.LANDS))
    return ", ".join(fruits(fruit, count) for fruit, count in counted if count) or "none"


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Return a player's holdings, as pairs of name and number."""
    me = s.seat[seat]
    numbers = {capitalize(plural(fruit)): me.fruit[fruit] for fruit in range(box.LANDS)} | {
        "Norias": me.norias,
        "Farmers": me.farmers,
        "Goals": goals_done(s, seat),
        "Tokens": sum(me.token[fruit, size] for fruit in range(box.LANDS) for size in range(box.SIZES)),
        "Cards": sum(owner == seat for owner in s.taken),
        "Goal tokens": me.goal_tokens,
    }
    return [(name, str(count)) for name, count in numbers.items()]


def score_breakdown(s: State) -> list[Source]:
    """Return the dirhems by source [10.5, 10.6]."""
    return [
        Source(capitalize(name), tuple(int(s.seat[p].earned[source]) for p in range(s.seats)), rule)
        for source, (name, rule) in enumerate(SOURCES.items())
    ]


def end_reason(s: State) -> str:
    """Return the reason why the play is over [10.1]."""
    return "All players' mules are in the end space."


def result_lines(s: State, seat: int) -> list[str]:
    """Return a sentence on a player's dirhems, in a list [10.5]."""
    me = s.seat[seat]
    sold = me.earned[TOKEN_SALES] + me.earned[CARD_SALES]
    return [f"{pluralize(score(me), 'dirhem')}, {sold} of them for deliveries."]
