"""What happened, as log lines: found by comparing the position before with the one after."""

from ....core.contract import NONE, Line, Points, Ref, Who
from ....core.plain import CheckedRecord as State
from ....core.words import listed
from .. import components as box
from ..components import BUILT, LANDS, NOWHERE, Deck, Sort
from ..rules.scoring import worth
from ..rules.state import DRAW, END, EXTRA, SWAP, Over, Phase
from .position import ending, tiles_shown
from .words import BUILDINGS, CARDS, DECKS, SORTS, earned, kinds_of, knows_hand, spot, values, why


def tell(before: State, action: int, after: State) -> list[Line]:
    """What was placed and what it earned, cards drawn and exchanged, and the end."""
    p = before.turn
    lines: list[Line] = []
    if before.phase == Phase.START:
        what = f"{BUILDINGS[before.seat[p].start]} at {spot(after.last)}"
        lines.append([Who(p), " places the start tile: ", Ref(what, f"space-{after.last}"), "."])
    elif after.last != before.last:
        lines += told_placing(before, after)
    elif action == EXTRA:
        lines.append([Who(p), " uses the extra turn."])
    elif EXTRA < action < END:
        lines += told_drawing(before, action, after)
    elif spent := discarded(before, after):
        lines.append([Who(p), f" can play nothing, and discards {listed(spent)}."])
    if after.final and not before.final:
        cause = [Who(p), " has placed the last farmer."] if after.final == Over.FARMERS else [why(after)]
        lines.append([*cause, " The round is played out."])
    if after.over:
        for q in range(after.seats):
            if sum(after.seat[q].tiles):
                lines.append([Who(q), f" shows {tiles_shown(after, q)}: ", Points(earned(before, after, q)), "."])
        lines.append([ending(after)])
    return lines


def told_placing(before: State, after: State) -> list[Line]:
    """The cards played, what they placed and where, and what everybody earned."""
    p, cell = before.turn, after.last
    piece = after.space[cell]
    what = f"a {BUILDINGS[piece - BUILT]}" if piece >= BUILT else "a farmer"
    cards = discarded(before, after)
    played = listed(cards if len(cards) > 1 else [*cards, "the joker"])
    place = Ref(f"{what} at {spot(cell)}", f"space-{cell}")
    lines: list[Line] = [[Who(p), f" plays {played}: ", place, *told_gain(before, after, p, ": "), "."]]
    for i in range(1, after.seats):
        q = (p + i) % after.seats
        if gain := told_gain(before, after, q, " earns "):
            lines.append([Who(q), *gain, "."])
    return lines


def told_gain(before: State, after: State, seat: int, lead: str) -> list[str | Points]:
    """What a seat has earned by a placement, with the reasons; nothing if that is nothing."""
    points, why, more = earned(before, after, seat), reasons(before, after, seat), spoils(before, after, seat)
    if points:
        rest = [f" ({', '.join(why)})"] if why else []
        return [lead, Points(points), *rest, *([f" and {listed(more)}"] if more else [])]
    return [lead, listed(more)] if more else []


def gains(before: State, after: State, seat: int) -> Line:
    """The same without the reasons and the values of tiles; empty if there is nothing."""
    points, more = earned(before, after, seat), ", ".join(spoils(before, after, seat, shown=False))
    if not points:
        return [more] if more else []
    return [Points(points), f", {more}"] if more else [Points(points)]


def reasons(before: State, after: State, seat: int) -> list[str]:
    """Which buildings and groups have earned a seat points."""
    cell = after.last
    piece = after.space[cell]
    near = [after.space[spot] for spot in box.TOUCHING[cell] if spot != NOWHERE]
    if piece >= BUILT:
        count = near.count(seat)
        each = worth(after, piece - BUILT, cell)
        return [f"{count} farmers, {each} each"] if count > 1 else []
    spots = [spot for spot in box.TOUCHING[cell] if spot != NOWHERE and after.space[spot] >= BUILT]
    pay = [(BUILDINGS[after.space[spot] - BUILT], worth(after, after.space[spot] - BUILT, spot)) for spot in spots]
    why = [f"{name} {points}" for name, points in pay if points]
    if earned(before, after, seat) > sum(points for _, points in pay):
        why.append(f"a group {box.GROUP_POINTS}")
    return why


def spoils(before: State, after: State, seat: int, *, shown: bool = True) -> list[str]:
    """Tiles taken, with their values if they may be seen, and tokens turned to their active side."""
    found = []
    for sort, taken in tiles_taken(before, after, seat):
        new = values(after, seat, sort)
        for value in values(before, seat, sort):
            new.remove(value)
        words = f" (worth {' + '.join(map(str, new))})" if new and shown else ""
        found.append((f"{taken} {SORTS[sort]} tiles" if taken > 1 else f"a {SORTS[sort]} tile") + words)
    return found + [f"the {token} token" for token in tokens_turned(before, after, seat)]


def tiles_taken(before: State, after: State, seat: int) -> list[tuple[Sort, int]]:
    """How many coal and gold tiles a seat has taken, where it has taken any."""
    more = [(sort, int(after.seat[seat].tiles[sort] - before.seat[seat].tiles[sort])) for sort in Sort]
    return [(sort, count) for sort, count in more if count]


def tokens_turned(before: State, after: State, seat: int) -> list[str]:
    """The tokens of a seat that a placement has turned to their active side."""
    was, now = before.seat[seat], after.seat[seat]
    used = seat == before.turn and len(discarded(before, after)) == 1
    joker = ["joker"] if now.joker and (used or not was.joker) else []
    return [*joker, "extra turn"] if now.extra and not was.extra else joker


def discarded(before: State, after: State) -> list[str]:
    """The cards that have come to the discards, by name."""
    more = [after.discard[kind] - before.discard[kind] for kind in range(box.KINDS)]
    return [CARDS[kind] for kind in range(box.KINDS) for _ in range(more[kind])]


def told_drawing(before: State, action: int, after: State) -> list[Line]:
    """A card drawn or exchanged, by name if it is the reader's own, and a deck shuffled anew."""
    p = before.turn
    deck = Deck.BUILDING if action >= SWAP else Deck(action - DRAW)
    swapped = LANDS + action - SWAP if action >= SWAP else NONE
    was, now = before.seat[p].hand, after.seat[p].hand
    new = [CARDS[kind] for kind in range(box.KINDS) if now[kind] > was[kind] - (kind == swapped)]
    named = f": {new[0]}" if knows_hand(after, p) else ""
    lines: list[Line] = []
    if swapped == NONE:
        lines.append([Who(p), f" draws a {DECKS[deck]} card{named}."])
    else:
        lines.append([Who(p), f" exchanges the useless {CARDS[swapped]} card{named}."])
    if any(after.discard[kind] < before.discard[kind] for kind in kinds_of(deck)):
        lines.append([f"The discarded {DECKS[deck]} cards are shuffled: they are the deck now."])
    return lines
