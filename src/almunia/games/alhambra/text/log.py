"""The log lines of Alhambra, from a comparison of the positions before and after an action."""

from collections.abc import Iterator

from ....core.contract import ElementRef, Points, RichLine, RuleRef, SeatName
from ....core.english import join_words
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.scoring import longest_wall, points_for_kind
from ..rules.state import EMPTY, PASS, EndReason, Phase
from .words import (
    PLURALS,
    ROUNDS,
    amount,
    card_name,
    cell_ref,
    members,
    money_of,
    on_display,
    scoring_rule,
    spot,
    tile_ref,
)

Piece = str | ElementRef | SeatName | Points | RuleRef


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action, from the positions before and after the action."""
    lines: list[RichLine] = [*deeds(before, action, after)]
    if before.phase == Phase.SCORE:
        lines += scoring(before, after)
    lines += supplies(before, after)
    lines += end(before, after)
    return lines


# --- moves of a player -----------------------------------------------------------------------------


def deeds(before: State, action: int, after: State) -> Iterator[RichLine]:
    p = before.turn
    was, now = before.seat[p], after.seat[p]
    if action == PASS:
        yield [SeatName(p), " passes.", RuleRef("D4")]
    if before.phase in (Phase.ACT, Phase.TAKE) and now.cards > was.cards:
        taken = next(card for card in range(box.CARDS) if copies(before, card) > copies(after, card))
        yield [SeatName(p), f" {'also ' if before.phase == Phase.TAKE else ''}takes {money_of(taken)}."]
    if after.phase == Phase.PAY and before.phase == Phase.ACT:
        tile = after.market[after.square]
        yield [SeatName(p), " buys ", tile_ref(tile), f" for {amount(box.PRICE[tile], after.square)}."]
    if before.phase == Phase.PAY:
        yield payment(before, after)
    yield from building(before, after, p)


def copies(s: State, card: int) -> int:
    return sum(shown == card for shown in s.display)


def payment(before: State, after: State) -> RichLine:
    paid = next(card for card in range(box.CARDS) if after.discard[card] > before.discard[card])
    over = paid % box.VALUES + 1 - before.owing
    deed: list[Piece] = [SeatName(before.turn), f" pays {money_of(paid)}"]
    if after.phase == Phase.PAY:
        return [*deed, "."]
    if over:
        return [*deed, f" and wastes {over}.", RuleRef("5.2")]
    return [*deed, ". That is exact, so ", SeatName(before.turn), " has another action.", RuleRef("5.3")]


def building(before: State, after: State, p: int) -> Iterator[RichLine]:
    was, now = before.seat[p], after.seat[p]
    added, gone = now.built & ~was.built, was.built & ~now.built
    for tile in members(added):
        cell = after.cell[tile]
        if gone:
            (old,) = members(gone)
            yield [SeatName(p), " exchanges ", tile_ref(old), " for ", tile_ref(tile), " at ", cell_ref(p, cell), "."]
        else:
            where = " from the reserve" if was.reserve & ~now.reserve else ""
            yield [SeatName(p), " builds ", tile_ref(tile), f"{where} at ", cell_ref(p, cell), "."]
    if gone and not added:
        (old,) = members(gone)
        yield [SeatName(p), " moves ", tile_ref(old), f" from {spot(before.cell[old])} to the reserve board."]
    if not gone:
        for tile in members(now.reserve & ~was.reserve):
            yield [SeatName(p), " puts ", tile_ref(tile), " on the reserve board."]
    if before.phase == Phase.POSITION:
        for tile in members(after.dirk & ~before.dirk):
            yield [SeatName(p), " gives ", tile_ref(tile), " to Dirk."]


# --- new cards and tiles ---------------------------------------------------------------------------


def supplies(before: State, after: State) -> Iterator[RichLine]:
    if sum(after.discard) < sum(before.discard):
        yield ["The paid money is shuffled and becomes the new deck.", RuleRef("9.2")]
    fresh = list(on_display(after))
    for card in on_display(before):
        if card in fresh:
            fresh.remove(card)
    if fresh and before.phase == Phase.END:
        yield [f"New money: {join_words([card_name(card) for card in fresh])}."]
    for square, tile in enumerate(after.market):
        if tile not in (EMPTY, before.market[square]):
            yield ["New in the market for ", f"{box.CURRENCY_NAMES[square]}s: ", tile_ref(tile), "."]
    if after.scoring_cards > before.scoring_cards:
        yield [f"The {'first' if after.scoring_cards == 1 else 'second'} scoring card has come up.", RuleRef("9.3")]
    if after.final and not before.final:
        yield ["The market can't be filled, so the game ends.", RuleRef("11.1")]
    yield from leftovers(before, after)


def leftovers(before: State, after: State) -> Iterator[RichLine]:
    lay = {tile: square for square, tile in enumerate(before.market) if tile != EMPTY}
    for p in range(after.seats):
        for tile in members(after.seat[p].leftover & ~before.seat[p].leftover):
            money = f"{box.CURRENCY_NAMES[lay[tile]]}s" if tile in lay else "money of the right currency"
            yield [SeatName(p), f" has the most {money} and gets ", tile_ref(tile), ".", RuleRef("11.2")]
    if given_out(before, after):
        for square, tile in enumerate(after.market):
            if tile != EMPTY:
                money = f"{box.CURRENCY_NAMES[square]}s"
                yield [
                    f"No single player has the most {money}, so no player gets ",
                    tile_ref(tile),
                    ".",
                    RuleRef("11.3"),
                ]


def given_out(before: State, after: State) -> bool:
    """Return whether the left-over tiles have just been given out. A due scoring round comes first [D10]."""
    waited = before.final and 0 < before.due < box.ROUNDS
    return after.final and after.due in (0, box.ROUNDS) and (waited or not before.final)


# --- scoring rounds and the end --------------------------------------------------------------------


def scoring(before: State, after: State) -> Iterator[RichLine]:
    held = before.due
    yield [f"The {ROUNDS[held - 1]} scoring round.", RuleRef(scoring_rule(held))]
    for p in range(after.seats):
        earned = after.seat[p].earned[held - 1, 0] + after.seat[p].earned[held - 1, 1]
        reasons = points_by_kind(before, p, held)
        wall = longest_wall(before.seat[p])
        if wall:
            reasons.append(f"wall {wall}")
        yield [SeatName(p), ": ", Points(earned), f" ({', '.join(reasons)})." if reasons else "."]
    if after.seats == 2:
        reasons = points_by_kind(before, 2, held)
        yield ["Dirk: ", Points(after.dirk_earned[held - 1]), f" ({', '.join(reasons)})." if reasons else "."]
        drawn: list[Piece] = []
        for tile in members(after.dirk & ~before.dirk):
            drawn += [", " if drawn else "Dirk draws ", tile_ref(tile)]
        if drawn:
            yield [*drawn, ".", RuleRef("12.4" if held == 1 else "12.5")]


def points_by_kind(s: State, p: int, held: int) -> list[str]:
    """Return a text such as `towers 8` for each kind that gave a seat, or Dirk, points."""
    found = []
    for kind in range(box.KINDS):
        gain = points_for_kind(s, p, kind, held)
        if gain:
            found.append(f"{PLURALS[kind]} {gain}")
    return found


def end(before: State, after: State) -> Iterator[RichLine]:
    if after.over and not before.over:
        limit = after.over == EndReason.TURN_LIMIT
        yield (
            ["The turn limit is reached, so that was the last round.", RuleRef("D5")]
            if limit
            else ["The game is over."]
        )
