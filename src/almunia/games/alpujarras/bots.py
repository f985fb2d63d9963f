"""Evaluation of Alpujarras positions, in hundredths of a dirhem."""

from ...core.contract import NONE
from . import components as box
from .rules.farming import leads
from .rules.goals import can_complete
from .rules.irrigation import can_be_dug
from .rules.market import can_pay, is_open, place_on_market
from .rules.state import FREE, LAYERS, NOWHERE, SPACE, score
from .rules.track import at_end

VALUE_SCALE = 100  # hundredths in a dirhem
SEARCH = {
    "exploration": 0.01,
    "lead_scale": 5.0,
    "rollout_decisions": 0.0,
}  # no rollouts: random ones leave too many actions undone
LEVELS = {"beginner": "greedy,noise=210", "easy": "greedy,epsilon=0.06", "hard": "search:300"}
WIN_CHANCE = {  # by seats, fitted by `python -m benchmarks.analysis`
    2: (0.091, 1.512, 2.147, 43.8),
    3: (-0.434, 1.241, 2.75, 40.8),
    4: (-0.357, 1.798, 2.095, 58.9),
}

FRUIT_A_MARKET = 7  # number of fruits that a player can deliver at one market
WEIGHTS = {
    "fruit": 102,  # a fruit, while markets are still to come
    "left_over": 33,  # a thing that is sold at the end
    "step": 67,  # one position of the track
    "farmer": 15,  # a farmer in the supply
    "first_farmer": 92,  # the first farmer in a farmland, which makes deliveries possible
    "next_farmer": 46,
    "lead": 21,  # having the most farmers, for each harvest to come
    "settler": 8,  # a farmer in a village, for goals
    "goal_token": 42,
    "take_goal_token": 42,  # the goal action, without a goal that can be completed
    "harvest": 62,  # the harvest action, for each farmland in which the player leads
    "norias": (0, 52, 166, 248, 309, 424),  # by the number held
    "items": (255, 80, 117, 0, 105, 0, 0, 0),  # by item owed, and more for some items by position
    "crop": 94,  # a new field without its crop
}


def evaluate(s, weights, table, out):
    """Write the value of the position for each seat to `out`, in hundredths of a dirhem."""
    w = weights[0]
    for p in range(s.seats):
        out[p] = holdings(s, w, p)
    out[s.turn] += in_progress(s, w)


def holdings(s, w, p):
    """Return the value of a player's holdings and position on the track."""
    me = s.seat[p]
    value = score(me) * VALUE_SCALE + me.goal_tokens * w.goal_token - s.mule[p] * w.step
    fruit = 0
    for kind in range(box.LANDS):
        fruit += me.fruit[kind]
    if at_end(s, p):
        pays = 1 if p == s.turn and s.owed[SPACE].todo[box.MARKET] > 0 else 0
        return value + (me.norias + fruit) * w.left_over + pays * fruit * (w.fruit - w.left_over) // 2
    markets, harvests = stops_ahead(s, p)
    good = min(fruit, markets * FRUIT_A_MARKET)
    value += good * w.fruit + (fruit - good) * w.left_over + me.farmers * w.farmer
    for land in range(box.LANDS):
        value += farmer_value(s, w, p, land, harvests) + me.village[land] * w.settler
    coming = s.noria_overflow if p == s.turn else 0
    return value + w.norias[min(me.norias + coming, box.MOST_NORIAS)]


def stops_ahead(s, p):
    """Return the numbers of markets and of harvests in the segments ahead of a mule's segment. The end is a market."""
    markets, harvests = 0, 0
    last = box.PLACE_SEGMENT[s.track[s.mule[p]]]
    for position in range(s.mule[p] + 1, box.POSITIONS):
        place = s.track[position]
        if place != NOWHERE and box.PLACE_SEGMENT[place] != last and box.PLACE_KIND[place] != box.STANDARD:
            last = box.PLACE_SEGMENT[place]
            if box.PLACE_KIND[place] == box.HARVEST_SPOT:
                harvests += 1
            else:
                markets += 1
    return markets, harvests


def farmer_value(s, w, p, land, harvests):
    """Return the value of a player's farmers in a farmland, with the harvests still to come if the player leads."""
    own = s.seat[p].farmland[land]
    if own == 0:
        return 0
    value = w.first_farmer + (own - 1) * w.next_farmer
    for other in range(s.seats):
        rival = s.seat[other].farmland[land]
        if other != p and (rival > own or (rival == own and s.seats == 2)):
            return value
    return value + w.lead * harvests


def in_progress(s, w):
    """Return the value of the actions that the seat to move still owes or has begun."""
    value = 0
    for owing in range(LAYERS):
        for item in range(box.ITEMS):
            value += s.owed[owing].todo[item] * w.items[item]
        value += w.norias[1] * s.owed[owing].todo[box.NORIAS]
    if s.owed[SPACE].todo[box.DIG] > 0 and not any_water(s):
        value -= w.items[box.DIG]
    value += (
        w.fruit * (s.joined_land != NONE)
        + (w.fruit + w.first_farmer) * (s.moving_from != NONE)
        + w.fruit * (s.given != NONE)
    )
    value += w.crop * (s.watered_space != NONE)
    owed = s.owed[SPACE].todo
    if owed[box.GOAL] > 0:
        value += goal_value(s, w)
    if owed[box.HARVEST] > 0:
        value += harvest_value(s, w)
    if owed[box.MARKET] > 0:
        value += market_value(s, w)
    return value


def any_water(s):
    for space in range(box.CHANNELS):
        if can_be_dug(s, space):
            return True
    return False


def goal_value(s, w):
    best = w.take_goal_token if s.goal_tokens > 0 else 0
    for card in range(box.GOAL_CARDS):
        if can_complete(s, card):
            for space in range(box.GOAL_SPACES):
                if s.claimed[card, space] == FREE:
                    best = max(best, box.GOAL_DIRHEMS[s.goal[card], space] * VALUE_SCALE - 2 * w.farmer)
    return best


def harvest_value(s, w):
    value = 0
    for land in range(box.LANDS):
        value += w.harvest * leads(s, land)
    return value


def market_value(s, w):
    """Return the value of the deliveries that the market action still allows."""
    return best_token(s, w) * (1 - s.token_taken) + best_card(s, w) * (1 - s.card_taken)


def best_token(s, w):
    """Return the value of the best delivery to a village, or 0 if none has a positive value."""
    best = 0
    me = s.seat[s.turn]
    for village in range(box.LANDS):
        if me.farmland[village] > 0:
            for fruit in range(box.LANDS):
                for size in range(box.SIZES):
                    if s.token[village, fruit, size] > 0 and me.fruit[fruit] >= box.NUMBERS[size]:
                        best = max(best, token_value(s, w, fruit, size))
    return best


def token_value(s, w, fruit, size):
    """Return the value of a token's dirhems, less the value of its fruit and farmer."""
    dirhems = box.REWARD[size] + box.BONUS[place_on_market(s, fruit)]
    return dirhems * VALUE_SCALE - box.NUMBERS[size] * w.fruit - w.first_farmer


def best_card(s, w):
    """Return the value of the best card that the player can pay for, or 0 if none has a positive value."""
    best = 0
    for card in range(box.CARDS):
        if is_open(s, card) and can_pay(s.seat[s.turn], card):
            cost = 0
            for fruit in range(box.LANDS):
                cost += box.ASKS[card, fruit] * w.fruit
            best = max(best, box.WORTH[card] * VALUE_SCALE - cost)
    return best
