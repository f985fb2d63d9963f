"""The questions of Alpujarras in their order, the application of actions, and the scores."""

import numpy as np

from ....core.contract import NONE
from .. import components as box
from .farming import (
    apply_add,
    apply_from,
    apply_fruit,
    apply_harvest,
    apply_pick,
    apply_to,
    can_harvest,
    legal_call,
    legal_pick,
    legal_to,
    list_farmers,
    list_fruit,
)
from .goals import apply_goal, apply_goal_token, list_goals
from .irrigation import apply_crop, apply_dig, asks_for_crop, finish_field, legal_crop, list_channels
from .market import apply_card, apply_deliver, close, in_market, list_deliveries, maybe_close
from .norias import apply_buy, apply_give, apply_keep, apply_take, gain, legal_give, legal_take, list_purchases
from .state import (
    AWARD,
    BOUGHT,
    CLOSE,
    END,
    HARVEST,
    KEEP,
    KIND_OF_CODE,
    KIND_OFFSETS,
    NORIAS,
    SKIP,
    SOLD,
    SPACE,
    ZARA_ROLL,
    ActionKind,
    EndReason,
    Phase,
    earn,
    layer,
    owes_anything,
    score,
)
from .track import apply_go, at_end, furthest_back, list_places, next_is_zara
from .zara import apply_zara_harvest, apply_zara_market, apply_zara_roll

SOLD_FOR_ONE = 3  # number of things sold for one dirhem [10.4]


def legal(s, out):
    """Write the legal actions into `out`, ascending, and return their number."""
    if s.over:
        return 0
    match s.phase:
        case Phase.GO:
            return list_purchases(s, out, list_places(s, out))
        case Phase.ACT:
            return legal_act(s, out)
        case Phase.PICK:
            return legal_pick(s, out)
        case Phase.TO:
            return legal_to(s, out)
        case Phase.CALL:
            return legal_call(s, out)
        case Phase.BUY:
            return list_farmers(s, s.owed[BOUGHT], out, 0)
        case Phase.GIVE:
            return legal_give(s, out)
        case Phase.TAKE:
            return legal_take(s, out)
        case Phase.CROP:
            return legal_crop(s, out)
        case Phase.OVERFLOW:
            return legal_overflow(s, out)
        case Phase.AWARD:
            return legal_award(s, out)
        case Phase.MARKET:
            return legal_market(s, out)
    out[0] = ZARA_ROLL + s.phase - Phase.ZARA_ROLL  # Zara's steps have one action each
    return 1


def apply(s, action):
    """Apply a legal action, then put the next question or end the play."""
    kind = KIND_OF_CODE[action]
    if kind < ActionKind.END:
        apply_action(s, kind, action - KIND_OFFSETS[kind])
        next_phase(s)
    elif kind == ActionKind.END:
        end_turn(s)
    else:
        apply_zara(s, kind)


def apply_action(s, kind, arg):
    match kind:
        case ActionKind.GO:
            apply_go(s, arg)
        case ActionKind.ADD:
            apply_add(s, arg)
        case ActionKind.FROM:
            apply_from(s, arg)
        case ActionKind.TO:
            apply_to(s, arg)
        case ActionKind.PICK:
            apply_pick(s, arg)
        case ActionKind.FRUIT:
            apply_fruit(s, arg)
        case ActionKind.DIG:
            apply_dig(s, arg)
        case ActionKind.CROP:
            apply_crop(s, arg)
        case ActionKind.NORIAS:
            apply_norias(s)
        case ActionKind.GOAL:
            apply_goal(s, arg)
        case ActionKind.GOAL_TOKEN:
            apply_goal_token(s)
        case ActionKind.DELIVER:
            apply_deliver(s, arg)
        case ActionKind.CARD:
            apply_card(s, arg)
        case ActionKind.HARVEST:
            apply_harvest(s)
        case ActionKind.CLOSE:
            close(s)
        case ActionKind.SKIP:
            apply_skip(s, arg)
        case ActionKind.BUY:
            apply_buy(s, arg + 1)
        case ActionKind.GIVE:
            apply_give(s, arg)
        case ActionKind.TAKE:
            apply_take(s, arg)
        case ActionKind.KEEP:
            apply_keep(s)


# --- The order of questions in a turn [3] -----------------------------------------------------------------------

# The questions within a turn, in order: the first one that awaits an answer is asked [D56].
QUESTIONS = np.array(
    [
        Phase.PICK,  # the fruit of the farmland that a farmer has entered [4.2]
        Phase.TO,  # the farmland that a moving farmer enters [4.6]
        Phase.CALL,  # the farmer that goes to a goal card [7.5]
        Phase.BUY,  # the farmland of a purchase [6.5]
        Phase.GIVE,  # the fruit returned in an exchange [6.6]
        Phase.TAKE,  # the fruit taken in exchange [6.6]
        Phase.CROP,  # the crop of a new field [5.3]
        Phase.OVERFLOW,  # norias beyond five [6.3]
        Phase.AWARD,  # the actions of an award [8.9]
        Phase.MARKET,  # the other half of the market action [8.2]
        Phase.GO,  # the move of the mule [3.3]
        Phase.ACT,  # the other actions of the place [3.6]
    ]
)


def next_phase(s):
    """Finish a planted field if no norias wait, then put the first open question [3.8, 5.4, D55, D56]."""
    if s.watered_space != NONE and s.noria_overflow == 0 and not asks_for_crop(s):
        finish_field(s)
    for phase in QUESTIONS:
        if phase == Phase.MARKET:  # closes only now: the fruit of an award may pay for a card [D23]
            maybe_close(s)
        if awaits_answer(s, phase):
            s.phase = phase
            return


def awaits_answer(s, phase):
    """Return whether a question of a turn is open. The last question, ACT, always is."""
    match phase:
        case Phase.PICK:
            return s.joined_land != NONE
        case Phase.TO:
            return s.moving_from != NONE
        case Phase.CALL:
            return s.calling_farmer > 0
        case Phase.BUY:
            return owes_anything(s.owed[BOUGHT])
        case Phase.GIVE:
            return s.exchanging > 0 and s.given == NONE
        case Phase.TAKE:
            return s.exchanging > 0 and s.given != NONE
        case Phase.CROP:
            return asks_for_crop(s)
        case Phase.OVERFLOW:
            return s.noria_overflow > 0
        case Phase.AWARD:
            return owes_anything(s.owed[AWARD])
        case Phase.MARKET:
            return in_market(s)
        case Phase.GO:
            return s.moved == 0
    return True


def legal_act(s, out):
    """List the actions of the place, further goals, skips and purchases, and return their number [3.6-3.9, D6, D16].

    If nothing is owed, list the end of the turn, too.
    """
    n = list_items(s, s.owed[SPACE], out)
    n = list_goals(s, out, n)
    n = list_deliveries(s, out, n)
    if can_harvest(s):
        out[n] = HARVEST
        n += 1
    n = list_skips(s.owed[SPACE], out, n)
    n = list_purchases(s, out, n)
    if not owes_anything(s.owed[SPACE]):
        out[n] = END
        n += 1
    return n


def list_items(s, owed, out):
    """List the actions for farmers, fruit, channels and norias that are owed, and return their number [3.7]."""
    n = list_farmers(s, owed, out, 0)
    n = list_fruit(s, owed, out, n)
    n = list_channels(s, owed, out, n)
    if owed.todo[box.NORIAS] > 0:
        out[n] = NORIAS
        n += 1
    return n


def list_skips(owed, out, n):
    """List a SKIP action for each kind of item that is owed, and return the new length [3.7, D6]."""
    for item in range(box.ITEMS):
        if owed.todo[item] > 0:
            out[n] = SKIP + item
            n += 1
    return n


def apply_skip(s, item):
    """Skip one action owed, but all norias together [3.7, D6, D43, D47]."""
    owed = s.owed[layer(s)]
    owed.todo[item] -= 1
    if item == box.NORIAS:
        owed.todo[item] = 0


def apply_norias(s):
    """Take all norias of a space or an award at once [6.1, D43]."""
    owed = s.owed[layer(s)]
    norias = owed.todo[box.NORIAS]
    owed.todo[box.NORIAS] = 0
    gain(s, norias)


def legal_overflow(s, out):
    """List the purchases, and taking the norias that there is room for, and return their number [6.3, D15]."""
    n = list_purchases(s, out, 0)
    out[n] = KEEP
    return n + 1


def legal_award(s, out):
    """List the actions of the award and their skips, and return their number [8.9]."""
    return list_skips(s.owed[AWARD], out, list_items(s, s.owed[AWARD], out))


def legal_market(s, out):
    """List the other half of the market action, and its end, and return their number [8.1, 8.2]."""
    n = list_deliveries(s, out, 0)
    out[n] = CLOSE
    return n + 1


def end_turn(s):
    """Sell what is left if the mule is in the end space, then begin the next turn or end the play [3.9, 10.4, D41]."""
    if at_end(s, s.turn):
        sell(s, s.seat[s.turn])
    s.moved = s.extra_goals_allowed = s.token_taken = s.card_taken = 0
    s.turns += 1
    next_turn(s)


def sell(s, me):
    """Sell fruit, norias and goal tokens together, three for a dirhem [10.4, D28]."""
    things = me.norias + me.goal_tokens
    for fruit in range(box.LANDS):
        things += me.fruit[fruit]
        s.supply[fruit] += me.fruit[fruit]
        me.fruit[fruit] = 0
    s.goal_tokens += me.goal_tokens
    me.norias = me.goal_tokens = 0
    earn(s, SOLD, things // SOLD_FOR_ONE)


def next_turn(s):
    """Begin the turn of the mule furthest back, or end the play [3.1, 3.2, 10.1, 11.3, D50, D53]."""
    s.turn = furthest_back(s, s.seats)
    if at_end(s, s.turn):
        s.over = EndReason.ALL_HOME
    else:
        s.phase = Phase.ZARA_ROLL if next_is_zara(s) else Phase.GO


def apply_zara(s, kind):
    """Apply a step of Zara's turn, and end her turn after its last step [11.3-11.9]."""
    match kind:
        case ActionKind.ZARA_ROLL:
            apply_zara_roll(s)
        case ActionKind.ZARA_MARKET:
            apply_zara_market(s)
        case ActionKind.ZARA_HARVEST:
            apply_zara_harvest(s)
    if kind != ActionKind.ZARA_ROLL or s.phase == Phase.ZARA_ROLL:
        s.turns += 1
        next_turn(s)


# --- Scoring [10] -----------------------------------------------------------------------------------


def scores(s, out):
    """Write each seat's dirhems, then the value of its end spot, which breaks ties [10.5-10.7, D30, D31]."""
    for p in range(s.seats):
        out[p, 0] = score(s.seat[p])
        out[p, 1] = box.PLACE_WORTH[s.track[s.mule[p]]]
