"""Alpujarras: goals (RULES.md, section 7)."""

from .. import components as box
from .norias import gain
from .state import FREE, FROM_GOALS, GOAL, GOAL_TOKEN, SPACE, earn


def list_goals(s, out, n):
    """List the legal goal spaces, or else the goal token if it is legal, and return the new length [7.1, 7.6, 7.7]."""
    me = s.seat[s.turn]
    owed = s.owed[SPACE].todo[box.GOAL] > 0
    if not owed and not (s.extra_goals_allowed and me.goal_tokens > 0):
        return n
    before = n
    for card in range(box.GOAL_CARDS):
        if can_complete(s, card):
            for space in range(box.GOAL_SPACES):
                if s.claimed[card, space] == FREE:
                    out[n] = GOAL + card * box.GOAL_SPACES + space
                    n += 1
    if owed and n == before and gets_token(s):
        out[n] = GOAL_TOKEN
        n += 1
    return n


def can_complete(s, card):
    """Return whether the player has not completed the goal, meets it, and a space is free [7.1, 7.2, D19, D22]."""
    free = False
    for space in range(box.GOAL_SPACES):
        if s.claimed[card, space] == s.turn:
            return False
        free = free or s.claimed[card, space] == FREE
    return free and meets(s.seat[s.turn], s.goal[card])


def meets(me, goal):
    """Return whether the player meets the demand of a goal [7.8-7.11, D21]."""
    places = 0
    for land in range(box.LANDS):
        places += goal_count(me, box.GOAL_WHERE[goal], land) >= box.GOAL_EACH[goal]
    return places >= box.GOAL_PLACES[goal]


def goal_count(me, where, land):
    """Return how many pieces a goal counts for one farmland, village or fruit [7.8-7.11, D22, D51].

    The kind of pieces `where` is IN_HAND, IN_FARMLANDS, IN_VILLAGES or OF_TOKENS.
    """
    if where == box.IN_HAND:
        return me.fruit[land]
    if where == box.IN_FARMLANDS:
        return me.farmland[land]
    if where == box.IN_VILLAGES:
        return me.village[land]
    count = 0
    for size in range(box.SIZES):
        count += me.token[land, size]
    return count


def gets_token(s):
    """Return whether a token is left and, in the end space, the player has not completed all goals [7.6, 10.2, D20]."""
    if s.goal_tokens == 0:
        return False
    if box.PLACE_KIND[s.track[s.mule[s.turn]]] != box.END_SPOT:
        return True
    return goals_done(s, s.turn) < box.GOAL_CARDS


def goals_done(s, seat):
    count = 0
    for card in range(box.GOAL_CARDS):
        for space in range(box.GOAL_SPACES):
            count += s.claimed[card, space] == seat
    return count


def apply_goal(s, place):
    """Take a goal space and its reward, and pay a goal token if no goal is owed [7.3-7.5, 7.7, D45, D52].

    If the player's supply has no farmer, the next question asks for a farmer from a farmland.
    """
    me = s.seat[s.turn]
    card, space = place // box.GOAL_SPACES, place % box.GOAL_SPACES
    if s.owed[SPACE].todo[box.GOAL] > 0:
        s.owed[SPACE].todo[box.GOAL] = 0
        s.extra_goals_allowed = 1
    else:
        me.goal_tokens -= 1
        s.goal_tokens += 1
    s.claimed[card, space] = s.turn
    if me.farmers > 0:
        me.farmers -= 1
    else:
        s.calling_farmer = 1
    earn(s, FROM_GOALS, box.GOAL_DIRHEMS[s.goal[card], space])
    gain(s, box.GOAL_NORIAS[s.goal[card], space])


def apply_goal_token(s):
    """Take a goal token instead of completing a goal [7.6, D19, D48]."""
    s.owed[SPACE].todo[box.GOAL] = 0
    s.seat[s.turn].goal_tokens += 1
    s.goal_tokens -= 1
