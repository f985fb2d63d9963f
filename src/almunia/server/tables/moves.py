"""Moves of one request: actions chosen together, automatic answers, and the number of moves that an undo takes back."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...play.play import Play
from ..errors import ConfirmationRequired, Forbidden
from .model import MOVE, UNDO, TableEvent

# Which moves need a confirmation: none, those that cannot be undone (by waiting, or by a second click), or all.
CONFIRM_POLICIES = NEVER, WAIT, FINAL, ALWAYS = "never", "wait", "final", "always"


class MoveOptions(NamedTuple):
    """A player's preferences for confirming and skipping moves."""

    confirm_policy: str = NEVER  # NEVER, WAIT, FINAL or ALWAYS
    confirmed: bool = False  # whether the player has confirmed this move
    auto_answer: bool = False  # whether public single answers are given at once
    heeds_warnings: bool = False  # whether an action with a warning needs a confirmation, even if `confirmed`


DEFAULT_OPTIONS = MoveOptions()


def apply_actions(play: Play, actions: Sequence[int], options: MoveOptions) -> tuple[TableEvent, ...]:
    """Apply actions that were chosen together, and perhaps automatic answers; return the events.

    Raises:
        Forbidden: an action is not possible.
        ConfirmationRequired: the player must confirm the actions first; they have been applied to `play`.
    """
    seat, chosen, final, warning = play.turn, len(play.legal_actions) > 1, False, ""
    events: list[TableEvent] = []
    for action in actions:
        if options.heeds_warnings and action in play.legal_actions:
            warning = warning or play.game.text.warning(play.observe(play.turn).state, action)
        events.append(apply_action(play, action, follows=bool(events)))
        final = final or not play.can_undo
    # With WAIT and FINAL, the only answer to a question needs no confirmation, unless automatic answers make it final.
    asks = chosen and final
    if options.auto_answer:
        events += auto_answers(play, seat, through=final or options.confirm_policy in (NEVER, WAIT))
        asks = asks or not (final or play.can_undo)
        final = final or not play.can_undo
    needs_confirmation = options.confirm_policy == ALWAYS or (options.confirm_policy in (WAIT, FINAL) and asks)
    if warning or (needs_confirmation and not options.confirmed):
        message = (
            "This cannot be undone. Choose it again to play it." if final else "Choose this move again to play it."
        )
        can_wait = options.confirm_policy == WAIT and not warning
        raise ConfirmationRequired(f"{warning} {message}".strip(), can_wait=can_wait)
    return tuple(events)


def apply_action(play: Play, action: int, follows: bool) -> TableEvent:
    """Apply an action and return its event; raise Forbidden, without a change, if it is not possible."""
    if action not in play.legal_actions:
        raise Forbidden(f"Action {action} is not possible in this position. Choose one of the moves shown.", 422)
    event = TableEvent(play.turn, MOVE, action, play.action_to_string(action), follows)
    play.apply(action)
    return event


def replay_actions(play: Play, actions: Iterable[int]) -> tuple[TableEvent, ...]:
    """Apply the actions of a script or of another table; raise Forbidden if an action is not possible."""
    return tuple(apply_action(play, action, follows=False) for action in actions)


def auto_answers(play: Play, seat: int, through: bool) -> Iterator[TableEvent]:
    """Apply and yield this seat's answers while only one action is legal, as all players know.

    Without `through`, stops before an action that cannot be undone.
    """
    while play.turn == seat and len(play.legal_actions) == 1 and play.game.legal_is_public(play.state):
        if not through:
            after = play.copy()
            after.apply(play.legal_actions[0])
            if not after.can_undo:
                return
        yield apply_action(play, play.legal_actions[0], follows=True)


def effective_moves(events: Iterable[TableEvent]) -> list[TableEvent]:
    left: list[TableEvent] = []
    for event in events:
        if event.kind == MOVE:
            left.append(event)
        elif event.kind == UNDO:
            left.pop()
    return left


def undo_count(moves: Sequence[TableEvent], undoable: int, whole_turn: bool = False) -> int:
    """Return the number of effective moves that an undo takes back: at most `undoable`, each choice as a whole.

    The undo takes back the last choice, or with `whole_turn` all last choices that fit.
    """
    count = size = 0  # moves of the choices taken back, and of the choice before them
    for number in range(len(moves) - 1, -1, -1):
        size += 1
        if count + size > undoable:
            break
        if moves[number].same_choice and number:
            continue
        count, size = count + size, 0
        if not whole_turn:
            break
    return count
