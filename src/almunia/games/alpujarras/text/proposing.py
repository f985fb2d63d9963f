"""What is done in one go in Alpujarras: a farmer with the fruit, a field with its crop, both halves of a market."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ....core.contract import Line
from ....core.guidance import Course
from ....core.plain import CheckedRecord as State
from ....core.remembering import remembered
from ....core.words import capital
from .. import components as box
from ..bots import evaluate
from ..components import COLOURS
from ..rules.phases import apply
from ..rules.state import HARVEST, NORIAS, SPACE, Deed, Phase, score
from .actions import delivery, taken_apart
from .effects import fruit_effects, in_a_line, takes_lead
from .refusing import choices
from .words import a_fruit, card_fruit, channel_name, fruits, plural

MOST = 3  # that are worth proposing at a time
DETAILS = (Phase.PICK, Phase.TO, Phase.CROP, Phase.GIVE, Phase.TAKE)  # what is asked within an action
EXCHANGE = 1  # noria
FRUIT_DEEDS = (Deed.PICK, Deed.CROP, Deed.TAKE, Deed.FRUIT)


class Way(NamedTuple):
    """Actions one after the other, and how good the position is that they lead to."""

    actions: tuple[int, ...]
    after: State
    value: int


def courses(s: State) -> list[Course]:
    """Whole acts that the space or an award allows, the best first."""
    return [] if s.over or s.phase not in (Phase.ACT, Phase.AWARD) else found(s)


@remembered(of=lambda s: s.to_bytes())
def found(s: State) -> list[Course]:
    """The best way to each farmland, channel space or village, then the best of those."""
    ways = [*farmers(s), *best(fields(s), 1), *best(markets(s), 2), *takings(s), *best(exchanges(s), 1)]
    return [Course(way.actions, [in_words(way.actions)], gained(s, way)) for way in best(ways, MOST)]


def best(ways: Iterable[Way], most: int) -> list[Way]:
    """So many of them, the best first."""
    return sorted((way for way in ways if len(way.actions) > 1), key=lambda way: -way.value)[:most]


# --- ways -----------------------------------------------------------------------------------------------


def way(s: State, actions: tuple[int, ...]) -> Way:
    """The position that legal actions lead to, and its value to whoever does them."""
    after = s.copy()
    for action in actions:
        apply(after, action)
    values = [0] * s.seats
    evaluate(after, None, values)
    return Way(actions, after, values[s.turn] + promise(after, s.turn))


def promise(s: State, seat: int) -> int:
    """How near a player's fruit is to what can be delivered; less than a fruit is worth, it decides between fruits."""
    me, total = s.seat[seat], 0
    for card in s.open:
        if 0 <= card < box.CARDS:  # not one that is only seen by its back
            held = sum(min(me.fruit[fruit], box.ASKS[card, fruit]) for fruit in range(box.LANDS))
            total += 4 * box.WORTH[card] * held // sum(box.ASKS[card])
    for fruit in range(box.LANDS):
        total += max((token_promise(me.fruit[fruit], n) for n in range(box.SIZES) if is_left(s, fruit, n)), default=0)
    return int(total)


def is_left(s: State, fruit: int, size: int) -> bool:
    """Does a delivery token lie in any village?"""
    return any(s.token[land, fruit, size] for land in range(box.LANDS))


def token_promise(held: int, size: int) -> int:
    """How near so much of its fruit is to a delivery token."""
    return int(4 * box.REWARD[size] * min(held, box.NUMBERS[size]) // box.NUMBERS[size])


def wholes(s: State, begun: tuple[int, ...]) -> Iterator[Way]:
    """Every way to carry through what has been begun [3.8]."""
    here = way(s, begun)
    if here.after.phase not in DETAILS or here.after.turn != s.turn:
        yield here
        return
    for action in choices(here.after):
        yield from wholes(s, (*begun, action))


def of_kind(s: State, *deeds: Deed) -> list[int]:
    """The legal actions of some kinds."""
    return [action for action in choices(s) if taken_apart(action)[0] in deeds]


def farmers(s: State) -> list[Way]:
    """For each farmland that a farmer may be added to the best fruit; and the two best moves."""
    added = [way for action in of_kind(s, Deed.ADD) for way in best(wholes(s, (action,)), 1)]
    moves = [way for action in of_kind(s, Deed.FROM) for way in wholes(s, (action,))]
    return added + best(moves, 2)


def fields(s: State) -> Iterator[Way]:
    """A channel space that leads to a field, and its crop."""
    for action in of_kind(s, Deed.DIG):
        yield from wholes(s, (action,))


def markets(s: State) -> Iterator[Way]:
    """A delivery token and a card, where no award comes between them."""
    for token in of_kind(s, Deed.DELIVER):
        here = way(s, (token,)).after
        if here.phase == Phase.MARKET:
            for card in of_kind(here, Deed.CARD):
                yield way(s, (token, card))


def takings(s: State) -> list[Way]:
    """A harvest and the norias of the same spot."""
    harvests, norias = of_kind(s, Deed.HARVEST), of_kind(s, Deed.NORIAS)
    fits = harvests and norias and NORIAS in choices(way(s, (HARVEST,)).after)
    return [way(s, (HARVEST, NORIAS))] if fits else []


def exchanges(s: State) -> Iterator[Way]:
    """At a market, a noria for a fruit that is enough for something."""
    for action in of_kind(s, Deed.BUY) if s.owed[SPACE].todo[box.MARKET] else []:
        if taken_apart(action)[1] + 1 == EXCHANGE:
            for whole in wholes(s, (action,)):
                if any(fruit_notes(s, whole.actions)):
                    yield whole


# --- words ----------------------------------------------------------------------------------------------


def in_words(actions: tuple[int, ...]) -> str:
    """`Farmer to red, pick a cherry`: short, for several stand side by side."""
    kinds = [taken_apart(action) for action in actions]
    if kinds[0][0] == Deed.BUY:
        return f"Exchange {a_fruit(kinds[1][1])} for {a_fruit(kinds[2][1])}"
    return capital(", ".join(phrase(kind, which) for kind, which in kinds).replace(", to ", " to "))


def phrase(kind: int, which: int) -> str:
    """One action of a course in a few words."""
    match kind:
        case Deed.ADD:
            return f"farmer to {COLOURS[which]}"
        case Deed.FROM:
            return f"move from {COLOURS[which]}"
        case Deed.TO:
            return f"to {COLOURS[which]}"
        case Deed.PICK:
            return f"pick {a_fruit(which)}"
        case Deed.DIG:
            return f"water {channel_name(which)}"
        case Deed.CROP:
            return f"plant {plural(which)}"
        case Deed.DELIVER:
            village, fruit, number = delivery(which)
            return f"deliver {fruits(fruit, number)} to {COLOURS[village]}"
        case Deed.CARD:
            return f"then {card_fruit(which)}"
    return "harvest" if kind == Deed.HARVEST else "take the norias"


def gained(s: State, way: Way) -> Line:
    """The dirhems that a course earns, the most farmers somewhere, and what its fruit is enough for."""
    points = score(way.after.seat[s.turn]) - score(s.seat[s.turn])
    joined = [taken_apart(action) for action in way.actions]
    leads = any(kind in (Deed.ADD, Deed.TO) and takes_lead(s, land) for kind, land in joined)
    notes = ["you then have the most there"] if leads else []
    return in_a_line(int(points), [*notes, *fruit_notes(s, way.actions)])


def fruit_notes(s: State, actions: tuple[int, ...]) -> list[str]:
    """What the fruit that comes last is enough for."""
    kind, fruit = taken_apart(actions[-1])
    return fruit_effects(way(s, actions[:-1]).after, kind, fruit) if kind in FRUIT_DEEDS else []
