"""What may be done in each phase of Caylus, and doing it: each kind of action is looked up where its rule is."""

from ....core.contract import NONE
from .. import components as box
from .building import apply_build, apply_convert, may_build, may_convert
from .castle import apply_batch, leave_castle, may_batch
from .favours import apply_favour, apply_joust, may_favour, may_joust
from .placing import apply_move, apply_place, may_move, may_place, pass_on
from .road import apply_give, apply_take, apply_trade, may_give, may_take, may_trade
from .stages import settle
from .state import ACTIONS, ANSWERS, FIRST, KIND, RIGHT, Deed, Phase


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
        kind = KIND[action]
        if not ANSWERS[s.phase, kind]:
            action = FIRST[kind + 1] + 0
        elif may(s, kind, action - FIRST[kind]):
            return action
        else:
            action += 1
    return NONE


def may(s, kind, which):
    """Is this answer to the question possible?"""
    match kind:
        case Deed.PLACE:
            return may_place(s, which)
        case Deed.MOVE:
            return may_move(s, which - box.STEPS)
        case Deed.JOUST:
            return may_joust(s)
        case Deed.TAKE:
            return may_take(s, which)
        case Deed.GIVE:
            return may_give(s, which)
        case Deed.TRADE:
            return may_trade(s, which)
        case Deed.BUILD:
            return may_build(s, box.FIRST_BUILT + which)
        case Deed.CONVERT:
            return may_convert(s, which)
        case Deed.BATCH:
            return may_batch(s, which)
        case Deed.FAVOUR:
            return may_favour(s, which)
    return True


def do(s, action):
    """One action, and nothing of what follows."""
    phase, kind = s.phase + 0, KIND[action]
    which = action - FIRST[kind]
    s.phase = Phase.NOTHING
    match kind:
        case Deed.PLACE:
            apply_place(s, phase, which)
        case Deed.PASS:
            decline(s, phase)
        case Deed.MOVE:
            apply_move(s, which - box.STEPS)
        case Deed.JOUST:
            apply_joust(s)
        case Deed.TAKE:
            apply_take(s, phase, which)
        case Deed.GIVE:
            apply_give(s, which)
        case Deed.TRADE:
            apply_trade(s, phase, which)
        case Deed.BUILD:
            apply_build(s, phase, box.FIRST_BUILT + which)
        case Deed.CONVERT:
            apply_convert(s, phase, which)
        case Deed.BATCH:
            apply_batch(s, which)
        case Deed.FAVOUR:
            apply_favour(s, which)


def decline(s, phase):
    """Pass in placing; a worker goes home, no more batches, or what is offered is left [2.3, 2.8, 2.13, 2.25, D16]."""
    match phase:
        case Phase.PLACE:
            pass_on(s)
        case Phase.INN:
            s.inn[RIGHT] = NONE
        case Phase.BATCH:
            leave_castle(s)
