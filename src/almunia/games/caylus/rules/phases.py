"""What may be done in each phase of Caylus, and doing it: each kind of action is looked up where its rule is."""

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
    """Write the legal actions into `out`, ascending, and return how many there are."""
    n = 0
    action = next_legal(s, 0)
    while action != NONE:
        out[n] = action
        n += 1
        action = next_legal(s, action + 1)
    return n


def apply(s, action):
    """Carry out a legal action and what is forced after it. Whoever calls has checked that it is legal."""
    while action != NONE:
        do(s, action)
        settle(s)
        action = forced(s)


def forced(s):
    """The only answer to the question, which is then not asked; or NONE if there are several [D26, D34]."""
    only = next_legal(s, 0)
    return only if only != NONE and next_legal(s, only + 1) == NONE else NONE


def next_legal(s, action):
    """The first legal action from a code on, or NONE."""
    while action < ACTIONS:
        kind = KIND_OF_CODE[action]
        if not ANSWERS[s.phase, kind]:
            action = KIND_OFFSETS[kind + 1] + 0
        elif may(s, kind, action - KIND_OFFSETS[kind]):
            return action
        else:
            action += 1
    return NONE


def may(s, kind, arg):
    """Is this answer to the question possible?"""
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


def do(s, action):
    """One action, and nothing of what follows."""
    phase, kind = s.phase + 0, KIND_OF_CODE[action]
    arg = action - KIND_OFFSETS[kind]
    s.phase = Phase.NOTHING
    match kind:
        case ActionKind.PLACE:
            apply_place(s, phase, arg)
        case ActionKind.PASS:
            decline(s, phase)
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


def decline(s, phase):
    """Pass in placing; a worker goes home, no more batches, or what is offered is left [2.3, 2.8, 2.13, 2.25, D16]."""
    match phase:
        case Phase.PLACE:
            pass_on(s)
        case Phase.INN:
            s.inn[RIGHT] = NONE
        case Phase.BATCH:
            leave_castle(s)
