"""Moves of one request: actions chosen together, automatic answers, and the number of moves that an undo takes back."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...errors import IllegalAction
from ...play.play import Play
from ..errors import ConfirmationRequired, Forbidden
from .model import MOVE, UNDO, TableEvent

NEVER, FINAL, ALWAYS = "never", "final", "always"  # which moves need a confirmation
IRREVERSIBLE_MESSAGE = "This cannot be undone. Choose it again to play it."
CONFIRM_MESSAGE = "Choose this move again to play it."


class MoveOptions(NamedTuple):
    """A player's preferences for confirming and skipping moves."""

    confirm_policy: str = NEVER  # NEVER, FINAL or ALWAYS
    confirmed: bool = False  # whether the player has confirmed this move
    auto_answer: bool = False  # whether public single answers are given at once


DEFAULT_OPTIONS = MoveOptions()


def apply_actions(play: Play, actions: Sequence[int], options: MoveOptions) -> tuple[TableEvent, ...]:
    """Apply actions that were chosen together, then automatic answers; return the events.

    Raises:
        Forbidden: an action is not possible.
        ConfirmationRequired: the player must confirm the actions first.
    """
    seat, chosen, final = play.turn, len(play.legal_actions) > 1, False
    entries: list[TableEvent] = []
    for action in actions:
        entries.append(apply_action(play, action, follows=bool(entries)))
        final = final or not play.can_undo
    if not options.confirmed and needs_confirmation(options.confirm_policy, chosen, final):
        raise ConfirmationRequired(IRREVERSIBLE_MESSAGE if final else CONFIRM_MESSAGE)
    if options.auto_answer:
        entries += auto_answers(play, seat, through=final or options.confirm_policy == NEVER)
    return tuple(entries)


def needs_confirmation(asks: str, chosen: bool, final: bool) -> bool:
    """Return whether a move takes a second press: every one, or one that was `chosen` and is irreversible (`final`).

    The only answer to a question takes none, since the player can mean nothing else.
    """
    return asks == ALWAYS or (asks == FINAL and chosen and final)


def apply_action(play: Play, action: int, follows: bool) -> TableEvent:
    """Apply an action and return its event; raise Forbidden, without a change, if it is not possible."""
    seat, words = play.turn, play.action_to_string(action) if action in play.legal_actions else ""
    try:
        play.apply(action)
    except IllegalAction:
        sentence = f"Action {action} is not possible in this position. Choose one of the moves shown."
        raise Forbidden(sentence, 422) from None
    return TableEvent(seat, MOVE, action, words, follows)


def replay_actions(play: Play, actions: Iterable[int]) -> tuple[TableEvent, ...]:
    """Apply known actions: those of a script, or of another table."""
    return tuple(apply_action(play, action, follows=False) for action in actions)


def auto_answers(play: Play, seat: int, through: bool) -> Iterator[TableEvent]:
    """Answer this seat's questions while each has a single answer, as all players know.

    Stops before an irreversible action, unless it may go `through`.
    """
    while play.turn == seat and len(play.legal_actions) == 1 and play.game.legal_is_public(play.state):
        if not through and is_irreversible(play, play.legal_actions[0]):
            return
        yield apply_action(play, play.legal_actions[0], follows=True)


def is_irreversible(play: Play, action: int) -> bool:
    """Return whether a legal action could not be undone."""
    after = play.copy()
    after.apply(action)
    return not after.can_undo


def effective_moves(entries: Iterable[TableEvent]) -> list[TableEvent]:
    """Return the moves that have not been undone."""
    left: list[TableEvent] = []
    for entry in entries:
        if entry.kind == MOVE:
            left.append(entry)
        elif entry.kind == UNDO:
            left.pop()
    return left


def undo_count(entries: Iterable[TableEvent], undoable: int, whole_turn: bool = False) -> int:
    """Return the number of actions that an undo takes back, of which at most `undoable` can be undone.

    Those are the actions of the last choice, or of all choices of the turn; 0 if not even the last choice can be undone
    as a whole.
    """
    together: list[int] = []  # number of effective actions of each choice
    for entry in entries:
        if entry.kind == MOVE and entry.same_choice and together:
            together[-1] += 1
        elif entry.kind == MOVE:
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
