"""The scenario vocabulary of Orchard: commands that change a position, queries, and invariants."""

import re
from typing import Any

from .. import components as box
from ..rules import NO_CARD, ROTTEN, bears, die_on, in_supply, lay, visible
from ..text.words import FRUITS

PLACE = re.compile(r"(.+?) at (-?\d+),(-?\d+)(?: turned (\d+))?(?: for seat (\d+))?")


def put(s: Any, words: str) -> None:
    """Change a position by a command, such as `card 6 at 0,2 turned 90` or `die apple 3 at 0,1 for seat 1`.

    Raise ValueError for an unknown command.
    """
    if words.startswith("hand "):
        numbers = [int(word) for word in words.split()[1:]]
        for slot in range(box.HAND):
            s.seat[0].hand[slot] = numbers[slot] if slot < len(numbers) else NO_CARD
        return
    match = PLACE.fullmatch(words)
    if not match:
        raise ValueError(f"{words!r} is nothing that can be put.")
    what, *place, turned, seat = match.groups()
    me = s.seat[int(seat or 0)]
    row, column = (int(number) + box.CENTRE for number in place)
    kind, *rest = what.split()
    if kind == "card":
        put_card(me, int(rest[0]), int(turned or 0) // 90, row, column)
    elif kind == "die":
        put_die(s, me, FRUITS.index(rest[0]), int(rest[1]), row, column)
    elif kind == "rotten":
        put_rotten(me, row, column)
    else:
        raise ValueError(f"{kind!r} is nothing that can be put.")


def put_card(me: Any, number: int, turned: int, row: int, column: int) -> None:
    assert min(row, column) >= 0, "that is beyond the board"
    assert max(row + box.HEIGHT[turned], column + box.WIDTH[turned]) <= box.SIDE, "that is beyond the board"
    for k in range(box.TREES):
        for kind in range(box.FRUITS + 1):
            if bears(me, kind, row + box.DOWN[turned, k], column + box.RIGHT[turned, k]):
                me.trees[kind, row + box.DOWN[turned, k]] ^= 1 << (column + box.RIGHT[turned, k])
    lay(me, number, turned, row, column)


def put_die(s: Any, me: Any, fruit: int, value: int, row: int, column: int) -> None:
    assert bears(me, fruit, row, column), "that tree bears another fruit"
    first = fruit * box.DICE_EACH
    die = next(die for die in range(first, first + box.DICE_EACH) if me.die_cell[die] < 0)
    me.die_cell[die] = row * box.SIDE + column
    me.die_step[die] = list(box.LADDER[s.edition]).index(value)


def put_rotten(me: Any, row: int, column: int) -> None:
    me.trees[visible(me, row, column), row] ^= 1 << column
    me.trees[ROTTEN, row] |= 1 << column
    me.rotten += 1


def look(s: Any, question: str) -> str:
    """Return the answer to a query, such as `die 1,1`, `hand` or `seat 1/dice left`."""
    seat, _, rest = question.partition("/")
    me = s.seat[int(seat.split()[1])] if rest else s.seat[0]
    what, _, place = (rest or question).strip().partition(" ")
    if what in ("die", "tree"):
        row, column = (int(number) + box.CENTRE for number in place.split(","))
        kind = visible(me, row, column)
        if kind < 0 or kind == ROTTEN:
            return "none" if kind < 0 else "rotten"
        die = die_on(me, kind, row, column)
        value = f"{FRUITS[kind]} {box.LADDER[s.edition, me.die_step[die]]}" if die >= 0 else "none"
        return FRUITS[kind] if what == "tree" else value
    answers = {
        "dice": ", ".join(f"{FRUITS[fruit]} {in_supply(me, fruit)}" for fruit in range(box.FRUITS)),
        "hand": " ".join(str(number) for number in me.hand if number != NO_CARD),
        "laid": " ".join(str(me.card[i]) for i in range(me.laid)),
    }
    return answers[what]


def broken(s: Any) -> str:
    """Return a sentence on the first broken invariant, or an empty string."""
    if len({number for number in s.deck if number != NO_CARD}) != sum(number != NO_CARD for number in s.deck):
        return f"a card is twice in the deck {list(s.deck)}"
    for p in range(s.seats):
        me = s.seat[p]
        seen = list(s.deck)[s.half * box.DEALT : s.drawn]
        held = [number for number in me.hand if number != NO_CARD]
        cards = [me.card[i] for i in range(me.laid)] + held
        if not me.stuck and sorted(cards) != sorted(seen):
            return f"orchard {p} has the cards {cards}, but {seen} have been drawn"
        fault = broken_orchard(me)
        if fault:
            return f"orchard {p}: {fault}"
    return ""


def broken_orchard(me: Any) -> str:
    trees = {}
    for i in range(me.laid):
        row, column = divmod(me.cell[i], box.SIDE)
        for k in range(box.TREES):
            cell = row + box.DOWN[me.turned[i], k], column + box.RIGHT[me.turned[i], k]
            trees[cell] = box.FRUIT[me.card[i], me.turned[i], k]
    shown = {cell: visible(me, *cell) for cell in trees}
    rotten = [cell for cell, kind in shown.items() if kind == ROTTEN]
    if len(rotten) != me.rotten or me.rotten > box.TOKENS:
        return f"{me.rotten} tokens are counted, and {len(rotten)} lie there"
    if any(shown[cell] != trees[cell] for cell in trees if cell not in rotten):
        return "a tree is not that of the uppermost card"
    if sum(int(row).bit_count() for kind in me.trees for row in kind) != len(trees):
        return "there are trees where no card lies"
    lying = {}
    for die in range(box.DICE):
        if (me.die_cell[die] < 0) != (me.die_step[die] == 0):
            return f"die {die} lies at {me.die_cell[die]} with step {me.die_step[die]}"
        if me.die_cell[die] >= 0:
            lying[me.die_cell[die]] = die
            if shown[divmod(me.die_cell[die], box.SIDE)] != die // box.DICE_EACH:
                return f"die {die} does not lie on its fruit"
    return "" if len(lying) == sum(step > 0 for step in me.die_step) else "two dice lie on one tree"
