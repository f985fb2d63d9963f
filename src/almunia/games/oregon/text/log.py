"""The log lines of Oregon, from a comparison of the positions before and after an action."""

from typing import NamedTuple

from ....core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ....core.english import join_words
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import BUILT, LANDS, NOWHERE, Deck, Sort
from ..rules.scoring import worth
from ..rules.state import DRAW, END, EXTRA, SWAP, EndReason, Phase
from .position import end_reason, tiles_shown
from .words import BUILDINGS, CARDS, DECKS, SORTS, earned, kinds_of, knows_hand, spot, values, why

GROUP = "a group"


class Pay(NamedTuple):
    """Points that one farmer has earned from a building or a group."""

    what: str  # the building that paid, or `a group`
    points: int
    cell: int  # the space of the building, or of the farmer that made the group


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action. `action` is NONE if the reader may not see the action."""
    p = before.turn
    lines: list[RichLine] = []
    if before.phase == Phase.START:
        what = f"a {BUILDINGS[before.seat[p].start]} at {spot(after.last)}"
        lines.append([SeatName(p), " starts with ", ElementRef(what, f"space-{after.last}"), "."])
    elif after.last != before.last:
        lines += told_placing(before, after)
    elif action == EXTRA:
        lines.append([SeatName(p), " uses the extra turn."])
    elif EXTRA < action < END:
        lines += told_drawing(before, action, after)
    elif spent := discarded(before, after):
        lines.append([SeatName(p), f" can't play any two cards and discards {join_words(spent)}.", RuleRef("D7")])
    if after.final and not before.final:
        farmers = after.final == EndReason.FARMERS
        cause = [SeatName(p), f" has placed all {box.FARMERS} farmers."] if farmers else [why(after)]
        lines.append([*cause, " The game ends after this round.", RuleRef("13.1" if farmers else "13.2")])
    if after.over:
        for q in range(after.seats):
            if sum(after.seat[q].tiles):
                lines.append(
                    [
                        SeatName(q),
                        f" reveals {tiles_shown(after, q)}: ",
                        Points(earned(before, after, q)),
                        ".",
                        RuleRef("13.4"),
                    ]
                )
        lines.append([end_reason(after), RuleRef("13.3")])
    return lines


def told_placing(before: State, after: State) -> list[RichLine]:
    p, cell = before.turn, after.last
    piece = after.space[cell]
    what = f"a {BUILDINGS[piece - BUILT]}" if piece >= BUILT else "a farmer"
    place = ElementRef(f"{what} at {spot(cell)}", f"space-{cell}")
    played = f" with {cards_played(discarded(before, after))}"
    gain = told_gain(before, after, p, ": ")
    lines: list[RichLine] = [[SeatName(p), " places ", place, played, *gain, ".", *paragraphs(before, after, p)]]
    for i in range(1, after.seats):
        q = (p + i) % after.seats
        if gain := told_gain(before, after, q, " gets "):
            lines.append([SeatName(q), *gain, ".", *paragraphs(before, after, q)])
    return lines


def told_gain(before: State, after: State, seat: int, lead: str) -> list[str | Points | ElementRef]:
    """Return a seat's gain from a placement with the reasons, or an empty list."""
    points, more = earned(before, after, seat), spoils(before, after, seat)
    if points:
        *first, last = more or [""]
        rest = "".join(f", {words}" for words in first) + (f" and {last}" if last else "")
        return [lead, Points(points), *reasons(before, after, seat), *([rest] if rest else [])]
    return [lead, join_words(more)] if more else []


def paragraphs(before: State, after: State, seat: int) -> list[RuleRef]:
    """Return references to the rules by which a seat gains from a placement, or an empty list without a gain."""
    if after.space[after.last] >= BUILT:
        return [RuleRef("10.1")] if earned(before, after, seat) or spoils(before, after, seat) else []
    names = [pay.what for pay in pays(before, after, seat)]
    beside = spoils(before, after, seat) or any(name != GROUP for name in names)
    return [*([RuleRef("8.2")] if beside else []), *([RuleRef("9.1")] if GROUP in names else [])]


def gains(before: State, after: State, seat: int) -> RichLine:
    """Return a seat's gain from a placement, without reasons and values of tiles, or an empty line."""
    points, more = earned(before, after, seat), ", ".join(spoils(before, after, seat, shown=False))
    if not points:
        return [more] if more else []
    return [Points(points), f", {more}"] if more else [Points(points)]


def reasons(before: State, after: State, seat: int) -> list[str | ElementRef]:
    """Return the reasons of a gain, such as ` (church 3, a group 5)` or ` (2 farmers, 3 each)`, or an empty list."""
    cell = after.last
    piece = after.space[cell]
    if piece >= BUILT:
        count = [after.space[spot] for spot in box.TOUCHING[cell] if spot != NOWHERE].count(seat)
        return [f" ({count} farmers, {worth(after, piece - BUILT, cell)} each)"] if count > 1 else []
    found: list[str | ElementRef] = []
    for pay in pays(before, after, seat):
        found += [", " if found else " (", ElementRef(pay.what, f"space-{pay.cell}"), f" {pay.points}"]
    return [*found, ")"] if found else []


def pays(before: State, after: State, seat: int) -> list[Pay]:
    """Return the payments to the farmer just placed, from adjacent buildings and for a group."""
    cell = after.last
    spots = [spot for spot in box.TOUCHING[cell] if spot != NOWHERE and after.space[spot] >= BUILT]
    found = [
        Pay(BUILDINGS[after.space[spot] - BUILT], worth(after, after.space[spot] - BUILT, spot), spot) for spot in spots
    ]
    if earned(before, after, seat) > sum(pay.points for pay in found):
        found.append(Pay(GROUP, box.GROUP_POINTS, cell))
    return [pay for pay in found if pay.points]


def spoils(before: State, after: State, seat: int, *, shown: bool = True) -> list[str]:
    """Return phrases on the tiles taken, with their values if visible, and on the tokens that became ready."""
    found = []
    for sort, taken in tiles_taken(before, after, seat):
        new = values(after, seat, sort)
        for value in values(before, seat, sort):
            new.remove(value)
        words = f" (worth {' + '.join(map(str, new))})" if new and shown else ""
        found.append((f"{taken} {SORTS[sort]} tiles" if taken > 1 else f"a {SORTS[sort]} tile") + words)
    return found + [f"the {token} back" for token in tokens_turned(before, after, seat)]


def tiles_taken(before: State, after: State, seat: int) -> list[tuple[Sort, int]]:
    more = [(sort, int(after.seat[seat].tiles[sort] - before.seat[seat].tiles[sort])) for sort in Sort]
    return [(sort, count) for sort, count in more if count]


def tokens_turned(before: State, after: State, seat: int) -> list[str]:
    was, now = before.seat[seat], after.seat[seat]
    used = seat == before.turn and len(discarded(before, after)) == 1
    joker = ["joker"] if now.joker and (used or not was.joker) else []
    return [*joker, "extra turn"] if now.extra and not was.extra else joker


def discarded(before: State, after: State) -> list[str]:
    more = [after.discard[kind] - before.discard[kind] for kind in range(box.KINDS)]
    return [CARDS[kind] for kind in range(box.KINDS) for _ in range(more[kind])]


def cards_played(cards: list[str]) -> str:
    """Return all cards of a placement but the building, such as `the wagon and the joker` or `two wagon cards`."""
    played = [card for card in cards if card not in BUILDINGS] + ["joker"] * (2 - len(cards))
    if len(set(played)) < len(played):
        return f"two {played[0]} cards"
    return join_words(f"the {card}" for card in played)


def told_drawing(before: State, action: int, after: State) -> list[RichLine]:
    """Return log lines on a card drawn or exchanged, named if the hand is known, and on a shuffled deck."""
    p = before.turn
    deck = Deck.BUILDING if action >= SWAP else Deck(action - DRAW)
    swapped = LANDS + action - SWAP if action >= SWAP else NONE
    was, now = before.seat[p].hand, after.seat[p].hand
    new = [CARDS[kind] for kind in range(box.KINDS) if now[kind] > was[kind] - (kind == swapped)]
    lines: list[RichLine] = []
    if swapped == NONE:
        named = f": {new[0]}" if knows_hand(after, p) else ""
        lines.append([SeatName(p), f" draws a {DECKS[deck]} card{named}."])
    else:
        named = f" for a {new[0]} card" if knows_hand(after, p) else ""
        lines.append([SeatName(p), f" exchanges a {CARDS[swapped]} card{named}.", RuleRef("12.3")])
    if any(after.discard[kind] < before.discard[kind] for kind in kinds_of(deck)):
        lines.append([f"The discarded {DECKS[deck]} cards are shuffled and become the new deck.", RuleRef("12.4")])
    return lines
