"""The legal actions of Caylus, and their application."""

from ....core.contract import NONE
from .. import components as box
from .building import apply_build, apply_convert, may_build, may_convert
from .castle import apply_batch, leave_castle, may_batch
from .favours import apply_favour, apply_joust, may_favour, may_joust
from .placing import apply_move, apply_place, may_move, may_place, pass_on
from .road import apply_give, apply_take, apply_trade, may_give, may_take, may_trade
from .stages import settle
from .state import ACTIONS, ANSWERS, KIND_OF_CODE, KIND_OFFSETS, RIGHT, ActionKind, Phase


def legal(s, out):
    """Write the legal actions into `out`, ascending, and return their number."""
    n = 0
    action = next_legal(s, 0)
    while action != NONE:
        out[n] = action
        n += 1
        action = next_legal(s, action + 1)
    return n


def apply(s, action):
    """Apply a legal action and all forced actions after it."""
    while action != NONE:
        apply_one(s, action)
        settle(s)
        action = only_legal(s)


def only_legal(s):
    """Return the only legal action, or NONE if there are none or several [D26, D34]."""
    only = next_legal(s, 0)
    return only if only != NONE and next_legal(s, only + 1) == NONE else NONE


def next_legal(s, action):
    """Return the first legal action with at least this code, or NONE."""
    while action < ACTIONS:
        kind = KIND_OF_CODE[action]
        if not ANSWERS[s.phase, kind]:
            action = KIND_OFFSETS[kind + 1]
        elif is_legal(s, kind, action - KIND_OFFSETS[kind]):
            return action
        else:
            action += 1
    return NONE


def is_legal(s, kind, arg):
    """Return whether an action is legal whose kind answers the question."""
    match kind:
        case ActionKind.PLACE:
            return may_place(s, arg)
        case ActionKind.MOVE:
            return may_move(s, arg - box.STEPS)
        case ActionKind.JOUST:
            return may_joust(s)
        case ActionKind.TAKE:
            return may_take(s, arg)
        case ActionKind.GIVE:
            return may_give(s, arg)
        case ActionKind.TRADE:
            return may_trade(s, arg)
        case ActionKind.BUILD:
            return may_build(s, box.FIRST_BUILT + arg)
        case ActionKind.CONVERT:
            return may_convert(s, arg)
        case ActionKind.BATCH:
            return may_batch(s, arg)
        case ActionKind.FAVOUR:
            return may_favour(s, arg)
    return True


def apply_one(s, action):
    """Apply one action, without the steps after it."""
    phase, kind = s.phase, KIND_OF_CODE[action]
    arg = action - KIND_OFFSETS[kind]
    s.phase = Phase.NOTHING
    match kind:
        case ActionKind.PLACE:
            apply_place(s, phase, arg)
        case ActionKind.PASS:
            pass_or_decline(s, phase)
        case ActionKind.MOVE:
            apply_move(s, arg - box.STEPS)
        case ActionKind.JOUST:
            apply_joust(s)
        case ActionKind.TAKE:
            apply_take(s, phase, arg)
        case ActionKind.GIVE:
            apply_give(s, arg)
        case ActionKind.TRADE:
            apply_trade(s, phase, arg)
        case ActionKind.BUILD:
            apply_build(s, phase, box.FIRST_BUILT + arg)
        case ActionKind.CONVERT:
            apply_convert(s, phase, arg)
        case ActionKind.BATCH:
            apply_batch(s, arg)
        case ActionKind.FAVOUR:
            apply_favour(s, arg)


def pass_or_decline(s, phase):
    """Apply PASS by its meaning in this phase [2.3, 2.8, 2.13, 2.25, D16]."""
    match phase:
        case Phase.PLACE:
            pass_on(s)
        case Phase.INN:
            s.inn[RIGHT] = NONE
        case Phase.BATCH:
            leave_castle(s)
