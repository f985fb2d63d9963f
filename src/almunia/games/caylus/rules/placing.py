"""Caylus: placing workers, the bridge, and moving the provost (RULES.md, 2.2 to 2.15)."""

from ....core.contract import NONE
from .. import components as box
from ..components import Effect, Special
from .state import CASTLE, EMPTY, FROM_GUESTS, LEFT, RIGHT, SINGLES, Phase, Stage, earn, find


def at_home(s, seat):
    """Return the number of workers that a player has at hand [1.6]."""
    away = (find(s.stables, seat) != NONE) + (find(s.castle, seat) != NONE)
    away += (s.inn[LEFT] == seat) + (s.inn[RIGHT] == seat)
    for place in range(SINGLES):
        away += s.special[place] == seat
    for space in range(box.ROAD):
        away += s.worker[space] == seat
    return box.WORKERS - away


def price(s, seat, place):
    """Return a worker's price: 1 on an own building or with the Inn's privilege, else the usual price [2.4, D2]."""
    if s.inn[RIGHT] == seat:
        return box.INN_PRICE
    if place < box.ROAD and s.owner[place] == seat:
        return box.OWN_PRICE
    return usual_price(s)


def usual_price(s):
    """Return the usual price: the lowest free number of the bridge, or 3 for two players after a pass [2.4, 5.2]."""
    passed = find(s.passed, NONE)
    return box.PRICE_OF_TWO if s.seats == 2 and passed == 1 else 1 + passed


def is_free(s, seat, place):
    """Return whether a place has room for a worker of this player [2.5, 2.7, 5.1]."""
    if place < box.ROAD:
        tile = s.road[place]
        return tile != EMPTY and box.EFFECT[tile] != Effect.IDLE and s.worker[place] == NONE
    if place == CASTLE:
        return find(s.castle, seat) == NONE
    special = place - box.ROAD
    if special == Special.STABLES:
        return s.seats >= box.STABLES_FROM and find(s.stables, NONE) != NONE and find(s.stables, seat) == NONE
    if special == Special.INN:
        return s.inn[LEFT] == NONE
    return s.special[special] == NONE


def may_place(s, place):
    """Return whether the place is free and the player can pay. The Gate's worker moves for free [2.3, 2.4, 2.8]."""
    if not is_free(s, s.turn, place):
        return False
    return s.phase == Phase.GATE or s.seat[s.turn].money >= price(s, s.turn, place)


def apply_place(s, phase, place):
    """Place a worker. In the phase PLACE, pay for it and advance to the next player [2.2, 2.4]."""
    if phase == Phase.PLACE:
        s.seat[s.turn].money -= price(s, s.turn, place)
        s.cursor = (s.cursor + 1) % s.seats
    enter(s, s.turn, place)


def enter(s, seat, place):
    """Put a worker on a place. Another player who owns the building there gets a point [2.6, 2.7, D3]."""
    if place < box.ROAD:
        s.worker[place] = seat
        owner = s.owner[place]
        if owner != NONE and owner != seat:
            earn(s.seat[owner], FROM_GUESTS, box.GUEST_POINTS)
    elif place == CASTLE:
        s.castle[find(s.castle, NONE)] = seat
    else:
        special = place - box.ROAD
        if special == Special.STABLES:
            s.stables[find(s.stables, NONE)] = seat
        elif special == Special.INN:
            s.inn[LEFT] = seat
        else:
            s.special[special] = seat


def pass_on(s):
    """Pass for the player at the cursor. The first player to pass gets a denier [2.3, D23, D26]."""
    number, seat = find(s.passed, NONE), s.order[s.cursor]
    s.passed[number] = seat
    if number == 0:
        s.seat[seat].money += box.FIRST_PASSER
    s.cursor = (s.cursor + 1) % s.seats


def settle_order(s):
    """Put the players in the Stables first in the turn order, and send their workers home [2.12, 2.14, D32]."""
    for circle in range(box.CIRCLES - 1, -1, -1):
        seat = s.stables[circle]
        if seat != NONE:
            for place in range(find(s.order, seat), 0, -1):
                s.order[place] = s.order[place - 1]
            s.order[0] = seat
            s.stables[circle] = NONE


def may_move(s, steps):
    """Return whether the provost can move so far and the player can pay. The Guild's move is free [2.10, 2.15, D1]."""
    if not 1 <= s.provost + steps <= box.ROAD:
        return False
    return s.phase == Phase.GUILD or s.seat[s.turn].money >= box.STEP_PRICE * abs(steps)


def apply_move(s, steps):
    """Move the provost, and pay for each step unless the Guild moves it [2.10, 2.15]."""
    s.provost += steps
    if s.stage == Stage.PROVOST:
        s.seat[s.turn].money -= box.STEP_PRICE * abs(steps)
        s.cursor += 1
