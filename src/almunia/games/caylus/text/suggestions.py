"""Suggestions of several actions at once in Caylus: payments in cubes, and batches for the castle."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from ....core.contract import NONE, Points, RichLine
from ....core.english import capitalize, join_words
from ....core.optional import ActionSequence
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.castle import building_site, houses_in
from ..rules.phases import apply_one, legal, only_legal
from ..rules.road import trade_row
from ..rules.stages import step
from ..rules.state import ACTIONS, BATCH, KIND_OFFSETS, ActionKind, Phase, points_of
from .actions import built_purpose, decode
from .prospects import batches_held
from .words import (
    TILES,
    batch_words,
    batches,
    cube_words,
    heap_words,
    holdings_words,
    is_for_a_cube,
    money_words,
    points_gained,
)

MOST = 4  # maximum number of suggestions
# Values of holdings, in hundredths of a point. The bots' weights are unsuitable, because they depend on each other.
UNIT, MONEY = 100, 48
CUBE = 105, 105, 125, 115, 330  # by kind
KIND, HELD = 40, 150  # for each kind held, and for each batch held


class Way(NamedTuple):
    """A sequence of actions, and the position after them."""

    actions: tuple[int, ...]
    after: State


def suggestions(s: State) -> list[ActionSequence]:
    """Return suggestions for payments in cubes, or for batches in the castle."""
    ways = batch_ways(s) if s.phase == Phase.BATCH else payments(s)
    return [ActionSequence(way.actions, offer_of(s, way), effect_of(s, way)) for way in ways]


# --- payments ------------------------------------------------------------------------------------------------


def payments(s: State) -> list[Way]:
    """Return at most MOST ways to trade, to build, or to choose the cubes owed, best first."""
    found = [*filter(None, (choices_of_cubes(s, first) for first in openings(s)))]
    share = max(1, MOST // len(found)) if found else 0
    return ranked(s, [way for ways in found for way in ranked(s, ways)[:share]])[:MOST]


def openings(s: State) -> list[int]:
    """Return the actions after which cubes are owed, or a list with NONE if cubes are owed already."""
    if s.phase in (Phase.GIVE, Phase.TAKE):
        return [NONE]
    kinds = (ActionKind.TRADE, ActionKind.BUILD)
    return [action for action in legal_actions(s) if decode(action)[0] in kinds and owes(s, action)]


def owes(s: State, action: int) -> bool:
    after = s.copy()
    apply_one(after, action)
    return bool(after.give_any + after.give_common + after.take > 0)


def choices_of_cubes(s: State, first: int) -> list[Way]:
    """Return the ways to choose cubes after the action `first`, or now if `first` is NONE.

    Each way has at least two actions, and a different result in cubes.
    """
    now = s.copy()
    if first != NONE:
        apply_one(now, first)
    found: dict[tuple[int, ...], Way] = {}
    for way in choosing(now, () if first == NONE else (first,)):
        if len(way.actions) > 1 and any(cubes_gained(s, way.after)):
            found.setdefault(tuple(way.after.seat[s.turn].cubes), way)
    return [*found.values()]


def choosing(now: State, actions: tuple[int, ...]) -> Iterator[Way]:
    """Yield every choice of the cubes owed. Actions of one kind are in ascending order."""
    to_the_next_cube(now)
    if now.phase not in (Phase.GIVE, Phase.TAKE):
        yield Way(actions, now)
        return
    for action in legal_actions(now):
        same = actions and decode(action)[0] == decode(actions[-1])[0]
        if not same or action >= actions[-1]:
            after = now.copy()
            apply_one(after, action)
            yield from choosing(after, (*actions, action))


def to_the_next_cube(now: State) -> None:
    """Take steps and apply forced choices until a cube must be chosen or no cube is owed."""
    while now.phase == Phase.NOTHING and now.give_any + now.give_common + now.take > 0:
        step(now)
        only = only_legal(now)
        if only != NONE:
            apply_one(now, only)


def legal_actions(s: State) -> list[int]:
    found = [0] * ACTIONS
    return found[: legal(s, found)]


# --- values --------------------------------------------------------------------------------------------------


def ranked(s: State, ways: Sequence[Way]) -> list[Way]:
    """Return the ways sorted by the value of the holdings after them, best first."""
    return sorted(ways, key=lambda way: -worth(way.after, s.turn))


def worth(after: State, seat: int) -> int:
    me = after.seat[seat]
    return UNIT * points_of(me) + MONEY * me.money + worth_of_cubes(list(me.cubes))


def worth_of_cubes(cubes: list[int]) -> int:
    """Return the value of cubes, with a bonus for each kind and each batch."""
    full = sum(count * CUBE[kind] for kind, count in enumerate(cubes))
    return full + KIND * sum(count > 0 for count in cubes) + HELD * batches_held(cubes)


# --- batches -------------------------------------------------------------------------------------------------


def batch_ways(s: State) -> list[Way]:
    """Return at most MOST ways to give batches, the most batches first.

    Each number of batches has one way at most, which keeps the best cubes. A way has at least two actions.
    """
    cubes = list(s.seat[s.turn].cubes)
    room = sum(int(box.SPACES[n]) - houses_in(s, n) for n in range(building_site(s), box.SECTIONS))
    most = min(batches_held(cubes), room)
    ways = (given(s, best_batches(cubes, many)) for many in range(most, 0, -1))
    return [way for way in ways if len(way.actions) > 1][:MOST]


def best_batches(cubes: list[int], many: int) -> tuple[int, ...]:
    """Return the indexes in PAIRS of `many` batches that leave cubes of the highest worth. The cubes must suffice."""
    return max(
        (pairs for pairs in combinations_with_replacement(range(len(box.PAIRS)), many) if min(rest(cubes, pairs)) >= 0),
        key=lambda pairs: worth_of_cubes(rest(cubes, pairs)),
    )


def rest(cubes: list[int], pairs: tuple[int, ...]) -> list[int]:
    """Return the cubes left after these batches, by kind. Negative numbers are missing cubes."""
    left = [cubes[0] - len(pairs), *cubes[1:]]
    for pair in pairs:
        for kind in box.PAIRS[pair]:
            left[int(kind)] -= 1
    return left


def given(s: State, pairs: tuple[int, ...]) -> Way:
    """Return the way to give these batches, followed by a stop if more are possible."""
    now, actions = s.copy(), tuple(BATCH + pair for pair in pairs)
    for action in actions:
        apply_one(now, action)
        step(now)
    return Way(actions if only_legal(now) != NONE else (*actions, int(KIND_OFFSETS[ActionKind.PASS])), now)


# --- in words ------------------------------------------------------------------------------------------------


def offer_of(s: State, way: Way) -> RichLine:
    """Return the words for a way as a line, such as `2 wood for 1 gold`."""
    kind, arg = decode(way.actions[0])
    more = cubes_gained(s, way.after)
    paid, taken = [max(-count, 0) for count in more], [max(count, 0) for count in more]
    match kind:
        case ActionKind.BATCH:
            return [capitalize(batches(len(pairs_given(way))))]
        case ActionKind.BUILD:
            return [f"{capitalize(TILES[box.FIRST_BUILT + arg])} for {cube_words(paid)}"]
        case ActionKind.GIVE | ActionKind.TAKE:
            heaps = {"give": paid, "take": taken}
            return [capitalize(", ".join(f"{verb} {cube_words(heap)}" for verb, heap in heaps.items() if any(heap)))]
    if is_for_a_cube(trade_row(s, s.phase)):
        return [cube_words(paid if any(paid) else taken)]
    money = way.after.seat[s.turn].money - s.seat[s.turn].money
    spent = [*heap_words(paid), *([money_words(-money)] if money < 0 else [])]
    earned = [*heap_words(taken), *([money_words(money)] if money > 0 else [])]
    return [f"{join_words(spent)} for {join_words(earned)}"]


def pairs_given(way: Way) -> list[int]:
    """Return the pairs of cubes of the batches, without their food."""
    return [arg for kind, arg in map(decode, way.actions) if kind == ActionKind.BATCH]


def batches_words(way: Way) -> str:
    """Return the batches of a way in words."""
    pairs = pairs_given(way)
    return "; ".join([*map(batch_words, pairs), *(["then no more"] if len(pairs) < len(way.actions) else [])])


def effect_of(s: State, way: Way) -> RichLine:
    """Return a line on the points that a way scores, and the holdings after it."""
    points, me = points_gained(s, way.after, s.turn), way.after.seat[s.turn]
    kind, arg = decode(way.actions[0])
    words = f"you'll have {holdings_words(list(me.cubes), me.money)}"
    if kind == ActionKind.BUILD:
        words = f"{built_purpose(box.FIRST_BUILT + arg, paid=True)}; {words}"
    if kind == ActionKind.BATCH:
        words = f"{batches_words(way)}; {words}"
    return [Points(points), f"; {words}"] if points else [words]


def cubes_gained(s: State, after: State) -> list[int]:
    """Return the change in the cubes of the seat to move, by kind."""
    return [int(now) - int(was) for now, was in zip(after.seat[s.turn].cubes, s.seat[s.turn].cubes, strict=True)]
