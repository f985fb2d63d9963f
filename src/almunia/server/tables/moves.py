"""What one click does: actions chosen together, what follows on them without a choice, and what undo takes back.

A question with a single answer is answered at once only where everybody knows that it has no other: else the moment
that the answer takes would tell what its seat holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...errors import IllegalAction
from ...play.play import Play
from ..errors import ConfirmationRequired, Forbidden
from .model import ACT, UNDO, TableEvent

NEVER, FINAL, ALWAYS = "never", "final", "always"  # when an act is to be confirmed, as in guests.CONFIRMS
STAYS = "This cannot be undone. Choose it again to play it."
CONFIRM = "Choose this move again to play it."


class MoveOptions(NamedTuple):
    """How whoever acts wants to be asked."""

    asks: str = NEVER  # before which acts
    sure: bool = False  # has this one been confirmed?
    skips: bool = False  # is a question with a single answer, as everybody knows, answered at once?


PLAIN = MoveOptions()  # every question is put, and nothing is confirmed


def carry_out(play: Play, actions: Sequence[int], manner: MoveOptions) -> tuple[TableEvent, ...]:
    """Do actions that were chosen together, and what follows on them; returns what is to be written.

    Raises:
        Forbidden: one of them is not possible.
        ConfirmationRequired: they are to be confirmed first.
    """
    seat, chosen, final = play.turn, len(play.legal_actions) > 1, False
    entries: list[TableEvent] = []
    for action in actions:
        entries.append(done(play, action, follows=bool(entries)))
        final = final or not play.can_undo
    if not manner.sure and must_confirm(manner.asks, chosen, final):
        raise ConfirmationRequired(STAYS if final else CONFIRM)
    if manner.skips:
        entries += answered(play, seat, through=final or manner.asks == NEVER)
    return tuple(entries)


def must_confirm(asks: str, chosen: bool, final: bool) -> bool:
    """Whether an act takes a second press: in every game, each that was `chosen` among others and cannot be undone.

    The only answer to a question takes one, for nothing else can be meant.
    """
    return asks == ALWAYS or (asks == FINAL and chosen and final)


def done(play: Play, action: int, follows: bool) -> TableEvent:
    """Do an action; Forbidden, and nothing has changed, if it is not possible."""
    seat, words = play.turn, play.action_to_string(action) if action in play.legal_actions else ""
    try:
        play.apply(action)
    except IllegalAction:
        sentence = f"Action {action} is not possible in this position. Choose one of the moves shown."
        raise Forbidden(sentence, 422) from None
    return TableEvent(seat, ACT, action, words, follows)


def repeated(play: Play, actions: Iterable[int]) -> tuple[TableEvent, ...]:
    """Do actions that are known beforehand, one by one: those of a script, or of another table."""
    return tuple(done(play, action, follows=False) for action in actions)


def answered(play: Play, seat: int, through: bool) -> Iterator[TableEvent]:
    """Answer this seat's questions as long as each has a single answer, as everybody knows.

    Before what cannot be undone it ends, unless it is to go `through`.
    """
    while play.turn == seat and len(play.legal_actions) == 1 and play.game.legal_is_public(play.state):
        if not through and stays(play, play.legal_actions[0]):
            return
        yield done(play, play.legal_actions[0], follows=True)


def stays(play: Play, action: int) -> bool:
    """Would a legal action be one that cannot be undone?"""
    after = play.copy()
    after.apply(action)
    return not after.can_undo


def standing_acts(entries: Iterable[TableEvent]) -> list[TableEvent]:
    """The acts that were not undone."""
    left: list[TableEvent] = []
    for entry in entries:
        if entry.kind == ACT:
            left.append(entry)
        elif entry.kind == UNDO:
            left.pop()
    return left


def undo_count(entries: Iterable[TableEvent], undoable: int, whole_turn: bool = False) -> int:
    """How many actions an undo takes back, of the last ones, of which so many can be undone.

    That is all that was done together with the last choice, or all such choices of the turn; 0 if not even the last
    one can be undone as a whole.
    """
    together: list[int] = []  # how many actions stand of each choice
    for entry in entries:
        if entry.kind == ACT and entry.follows and together:
            together[-1] += 1
        elif entry.kind == ACT:
            together.append(1)
        elif entry.kind == UNDO:
            together[-1] -= 1
            together = together if together[-1] else together[:-1]
    count = 0
    for size in reversed(together):
        if count + size > undoable:
            break
        count += size
        if not whole_turn:
            break
    return count
