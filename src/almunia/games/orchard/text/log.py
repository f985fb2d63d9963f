"""The log lines of Orchard, from a comparison of the positions before and after an action."""

from ....core.contract import NONE, ElementRef, Points, RichLine, RuleRef, SeatName
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules import NOWHERE, EndReason, Phase, bears, contested
from .position import end_reason
from .words import FRUITS, decode, points, trees


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action. `action` is NONE if the reader may not see the action."""
    lines: list[RichLine] = []
    together = after.seats > 1 and after.phase == Phase.PLACE
    if together and any(after.seat[p].laid > before.seat[p].laid for p in range(after.seats)):
        lines.append(["The cards are placed.", RuleRef("7.2")])
    elif together and action != NONE and before.phase == Phase.PLACE:
        lines.append([SeatName(before.turn), f" chooses card {decode(before, action)[0]}."])
    if after.phase == Phase.DIE and before.phase == Phase.PLACE:
        number, fruit = decode(before, action)[0], FRUITS[contested(after.seat[after.turn])]
        lines.append([f"Card {number} covers two trees for the last {fruit} die.", RuleRef("D2")])
    for p in range(after.seats):
        if after.seat[p].laid > before.seat[p].laid:
            lines.append(told_laying(before, after, p))
    if after.drawn > before.drawn:
        lines.append([f"Card {after.deck[after.drawn - 1]} is drawn."])
    if after.over:
        lines.append([end_reason(after), RuleRef("6.2" if after.over == EndReason.LAST_CARD else "6.1")])
    return lines


def told_laying(before: State, after: State, p: int) -> RichLine:
    was, now = before.seat[p], after.seat[p]
    top = now.laid - 1
    number, turned, cell = now.card[top], now.turned[top], now.cell[top]
    matched, rotted = 0, now.rotten - was.rotten
    for k in range(box.TREES):
        row, column = cell // box.SIDE + box.DOWN[turned, k], cell % box.SIDE + box.RIGHT[turned, k]
        matched += bears(was, box.FRUIT[number, turned, k], row, column)
    who: list[SeatName | str] = [SeatName(p), ": "] if after.seats > 1 else []
    gain = Points(points(after, p) - points(before, p))
    why = ", ".join(changes(before, after, p))
    marks = [RuleRef(mark) for mark, holds in (("4.3", matched), ("5.3", rotted)) if holds]
    return [
        *who,
        ElementRef(f"Card {number}", f"o{p}-card-{number}"),
        f" covers {trees(matched + rotted)}: ",
        gain,
        f" ({why})." if why else ".",
        *marks,
    ]


def changes(before: State, after: State, p: int) -> list[str]:
    """Return the changes of a seat's dice and tokens, such as `apple 3 to 6` or `rotten fruit`."""
    was, now = before.seat[p], after.seat[p]
    ladder, words = box.LADDER, []
    for die in range(box.DICE):
        fruit = FRUITS[die // box.DICE_EACH]
        old, new = (int(ladder[s.edition, me.die_step[die]]) for s, me in ((before, was), (after, now)))
        moved = was.die_cell[die] != now.die_cell[die]
        if moved and was.die_cell[die] != NOWHERE:
            words.append(f"{fruit} {old} lost")
        if moved and now.die_cell[die] != NOWHERE:
            words.append(f"{fruit} {new}")
        elif new > old:
            words.append(f"{fruit} {old} to {new}")
    return words + ["rotten fruit"] * (now.rotten - was.rotten)
