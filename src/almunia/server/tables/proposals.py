"""Proposals to end a game or to take moves back, which need the consent of the players.

Bots are not asked. At unrated tables without clocks, a proposal does not wait for players who have been away for the
absence timeout. Moves do not end a proposal, because that would reveal secret moves.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .model import ACCEPTED, DECLINED, ENDED, PLAYER_LEFT, PLAYER_REMOVED, PROPOSED, RESIGN, TAKEBACK, UNDO, TableEvent

END_TEXT = "to end the game now"
TAKEBACK_TEXT = "to take back {} last move"
THEIR_TAKEBACK_TEXT = TAKEBACK_TEXT.format("their")


class Proposal(NamedTuple):
    seat: int
    back_to: int | None  # number of actions to keep; None to end the game
    accepted_by: frozenset[int]  # seats, with the proposer's

    def text_for(self, asker: bool) -> str:
        return END_TEXT if self.back_to is None else TAKEBACK_TEXT.format("your" if asker else "their")


def current_proposal(events: Iterable[TableEvent]) -> Proposal | None:
    """Return the proposal that is open after these events, or None."""
    proposal = None
    for event in events:
        if event.kind == PROPOSED:
            proposal = Proposal(event.seat, event.action, frozenset({event.seat}))
        elif event.kind == ACCEPTED and proposal:
            proposal = proposal._replace(accepted_by=proposal.accepted_by | {event.seat})
        elif event.kind in (DECLINED, TAKEBACK, ENDED):
            proposal = None
        elif event.kind in (RESIGN, PLAYER_LEFT, PLAYER_REMOVED) and proposal:
            # The next player of that seat has accepted nothing.
            others = proposal.accepted_by - {event.seat}
            proposal = None if event.seat == proposal.seat else proposal._replace(accepted_by=others)
    return proposal


def moves_before_last_choice(moves: Sequence[TableEvent], seat: int) -> int | None:
    """Return the number of moves before the last choice of a seat; None if the seat has not moved."""
    last = next((number for number in range(len(moves) - 1, -1, -1) if moves[number].seat == seat), None)
    while last is not None and moves[last].same_choice and moves[last - 1].seat == seat:
        last -= 1
    return last


def takeback_events(moves: Sequence[TableEvent], proposal: Proposal, name: str) -> tuple[TableEvent, ...]:
    """Return the events of a takeback: its announcement, and one undo for each move that it takes back."""
    keeps = proposal.back_to or 0
    undone = (TableEvent(move.seat, UNDO, same_choice=True) for move in reversed(moves[keeps:]))
    return TableEvent(proposal.seat, TAKEBACK, keeps, f"to before {name}'s last move"), *undone
