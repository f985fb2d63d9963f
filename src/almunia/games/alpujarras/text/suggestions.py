"""Suggestions of several actions at once in Alpujarras."""

from collections import Counter
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import NamedTuple

from ....core.contract import RichLine
from ....core.english import capitalize, join_words, pluralize
from ....core.memoize import memoize
from ....core.optional import ActionSequence
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..bots import WEIGHTS, evaluate
from ..components import COLOURS
from ..rules.phases import apply
from ..rules.state import HARVEST, NORIAS, SPACE, ActionKind, Phase, score
from .actions import decode, delivery
from .effects import fruit_effects, harvest_words, in_a_line, takes_lead
from .explanations import choices
from .words import a_fruit, card_fruit, channel_name, fruits, plural

MOST = 3  # maximum number of suggestions
DETAILS = (Phase.PICK, Phase.TO, Phase.CROP, Phase.GIVE, Phase.TAKE)  # questions within an action
EXCHANGE = 1  # its price in norias
FRUIT_KINDS = (ActionKind.PICK, ActionKind.CROP, ActionKind.TAKE, ActionKind.FRUIT)


class Way(NamedTuple):
    """A sequence of actions, the position after them, and the value of that position for the player."""

    actions: tuple[int, ...]
    after: State
    value: int


def suggestions(s: State) -> list[ActionSequence]:
    """Return the suggestions, best first. Only the questions ACT and AWARD may have any."""
    return [] if s.over or s.phase not in (Phase.ACT, Phase.AWARD) else found(s)


@memoize(lambda s: s.to_bytes())
def found(s: State) -> list[ActionSequence]:
    """Compute the suggestions, best first."""
    ways = [*farmers(s), *best(fields(s), 1), *best(markets(s), 2), *best(takings(s), 1), *best(exchanges(s), 1)]
    return [ActionSequence(way.actions, [in_words(way.actions)], gained(s, way)) for way in best(ways, MOST)]


def best(ways: Iterable[Way], most: int) -> list[Way]:
    """Return up to `most` ways of at least two actions, best first."""
    return sorted((way for way in ways if len(way.actions) > 1), key=lambda way: -way.value)[:most]


# --- ways -----------------------------------------------------------------------------------------------


def way(s: State, actions: tuple[int, ...]) -> Way:
    """Return the way made of these legal actions, valued for the seat to move."""
    after = s.copy()
    for action in actions:
        apply(after, action)
    values = [0] * s.seats
    evaluate(after, [SimpleNamespace(**WEIGHTS)], None, values)
    return Way(actions, after, values[s.turn] + promise(after, s.turn))


def promise(s: State, seat: int) -> int:
    """Return a value for the player's progress towards deliveries."""
    me, total = s.seat[seat], 0
    for card in s.open:
        if 0 <= card < box.CARDS:  # the face is visible
            held = sum(min(me.fruit[fruit], box.ASKS[card, fruit]) for fruit in range(box.LANDS))
            total += 4 * box.WORTH[card] * held // sum(box.ASKS[card])
    for fruit in range(box.LANDS):
        total += max((token_promise(me.fruit[fruit], n) for n in range(box.SIZES) if is_left(s, fruit, n)), default=0)
    return int(total)


def is_left(s: State, fruit: int, size: int) -> bool:
    return any(s.token[land, fruit, size] for land in range(box.LANDS))


def token_promise(held: int, size: int) -> int:
    """Return a value for the progress of `held` fruits towards a delivery token."""
    return int(4 * box.REWARD[size] * min(held, box.NUMBERS[size]) // box.NUMBERS[size])


def wholes(s: State, begun: tuple[int, ...]) -> Iterator[Way]:
    """Yield every way to complete the action that has begun [3.8]."""
    here = way(s, begun)
    if here.after.phase not in DETAILS or here.after.turn != s.turn:
        yield here
        return
    for action in choices(here.after):
        yield from wholes(s, (*begun, action))


def of_kind(s: State, *kinds: ActionKind) -> list[int]:
    return [action for action in choices(s) if decode(action)[0] in kinds]


def farmers(s: State) -> list[Way]:
    """Return ways to add or move a farmer, each extended by `with_takings`."""
    added = [way for action in of_kind(s, ActionKind.ADD) for way in best(wholes(s, (action,)), 1)]
    moves = [way for action in of_kind(s, ActionKind.FROM) for way in wholes(s, (action,))]
    return [with_takings(s, way) for way in added + best(moves, 2)]


def fields(s: State) -> Iterator[Way]:
    """Yield the ways to water a channel space, with its crop if any, each extended by `with_takings`."""
    for action in of_kind(s, ActionKind.DIG):
        yield from (with_takings(s, way) for way in wholes(s, (action,)))


def markets(s: State) -> Iterator[Way]:
    """Yield the ways to earn a delivery token and then a card, if no other question comes between them."""
    for token in of_kind(s, ActionKind.DELIVER):
        here = way(s, (token,)).after
        if here.phase == Phase.MARKET:
            for card in of_kind(here, ActionKind.CARD):
                yield way(s, (token, card))


def takings(s: State) -> Iterator[Way]:
    """Yield the ways to take up to two fruits, each extended by `with_takings`."""
    yield with_takings(s, way(s, ()))
    for first in of_kind(s, ActionKind.FRUIT):
        begun = way(s, (first,))
        yield with_takings(s, begun)
        more = of_kind(begun.after, ActionKind.FRUIT) if begun.after.phase == s.phase else []
        yield from (with_takings(s, way(s, (first, second))) for second in more if first <= second)


def with_takings(s: State, begun: Way) -> Way:
    """Return a way with the harvest and the norias added, each if legal and without an overflow [6.3, 9.1]."""
    for action in (HARVEST, NORIAS):
        if begun.after.phase == s.phase and action in choices(begun.after):
            longer = way(s, (*begun.actions, action))
            begun = begun if longer.after.phase == Phase.OVERFLOW else longer
    return begun


def exchanges(s: State) -> Iterator[Way]:
    """Yield exchanges, if a market action is owed, whose new fruit has words in `fruit_notes`."""
    for action in of_kind(s, ActionKind.BUY) if s.owed[SPACE].todo[box.MARKET] else []:
        if decode(action)[1] + 1 == EXCHANGE:
            for whole in wholes(s, (action,)):
                if any(fruit_notes(s, whole.actions)):
                    yield whole


# --- words ----------------------------------------------------------------------------------------------


def in_words(actions: tuple[int, ...]) -> str:
    """Return a way in a few words, such as `Farmer to red, pick a cherry`."""
    kinds = [decode(action) for action in actions]
    if kinds[0][0] == ActionKind.BUY:
        return f"Exchange {a_fruit(kinds[1][1])} for {a_fruit(kinds[2][1])}"
    fruit = [arg for kind, arg in kinds if kind == ActionKind.FRUIT]
    phrases = [phrase(kind, arg) for kind, arg in kinds if kind != ActionKind.FRUIT]
    return capitalize(", ".join([*([taken(fruit)] if fruit else []), *phrases]).replace(", to ", " to "))


def taken(fruit: list[int]) -> str:
    """Return the fruits taken in words, such as `take an apple and a cherry`."""
    return f"take {join_words(fruits(f, n) if n > 1 else a_fruit(f) for f, n in Counter(fruit).items())}"


def phrase(kind: int, arg: int) -> str:
    match kind:
        case ActionKind.ADD:
            return f"farmer to {COLOURS[arg]}"
        case ActionKind.FROM:
            return f"move from {COLOURS[arg]}"
        case ActionKind.TO:
            return f"to {COLOURS[arg]}"
        case ActionKind.PICK:
            return f"pick {a_fruit(arg)}"
        case ActionKind.DIG:
            return f"water {channel_name(arg)}"
        case ActionKind.CROP:
            return f"plant {plural(arg)}"
        case ActionKind.DELIVER:
            village, fruit, number = delivery(arg)
            return f"deliver {fruits(fruit, number)} to {COLOURS[village]}"
        case ActionKind.CARD:
            return f"then {card_fruit(arg)}"
    return "harvest" if kind == ActionKind.HARVEST else "take the norias"


def gained(s: State, way: Way) -> RichLine:
    """Return the gains of a way as a line."""
    points = score(way.after.seat[s.turn]) - score(s.seat[s.turn])
    joined = [decode(action) for action in way.actions]
    leads = any(kind in (ActionKind.ADD, ActionKind.TO) and takes_lead(s, land) for kind, land in joined)
    notes = ["then you have the most there"] if leads else []
    return in_a_line(int(points), [*notes, *harvest_notes(s, way), *fruit_notes(s, way.actions)])


def harvest_notes(s: State, way: Way) -> list[str]:
    """Return words on the harvest within a way, or else on the norias gained, or an empty list."""
    if HARVEST in way.actions:
        return [f"harvests {join_words(harvest_words(before(s, way.actions, HARVEST)))}"]
    norias = int(way.after.seat[s.turn].norias - s.seat[s.turn].norias)
    return [pluralize(norias, "noria")] if norias > 0 else []


def before(s: State, actions: tuple[int, ...], one: int) -> State:
    """Return the position before the last use of an action in a sequence."""
    return way(s, actions[: len(actions) - 1 - actions[::-1].index(one)]).after


def fruit_notes(s: State, actions: tuple[int, ...]) -> list[str]:
    """Return `fruit_effects` of the last fruit of a way, or an empty list for a way without fruit."""
    chosen = [action for action in actions if decode(action)[0] in FRUIT_KINDS]
    return fruit_effects(before(s, actions, chosen[-1]), *decode(chosen[-1])) if chosen else []
