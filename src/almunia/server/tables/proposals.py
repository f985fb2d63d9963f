"""Proposals, which need the consent of all players: to end a game, or to take back more than the turn of the proposer.

The proposer has accepted. All other people are asked; bots are not. An unrated table skips players who have been away
for longer than its absence timeout. A rated one skips nobody, and allows no proposal while a bot has a seat of its own.
A proposal stays in the log until it is answered, whatever is played meanwhile: if a move removed it, that would reveal
secret moves.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .model import ACCEPTED, DECLINED, ENDED, PLAYER_LEFT, PLAYER_REMOVED, PROPOSED, RESIGN, TAKEBACK, UNDO, TableEvent

END_TEXT = "to end the game now"
TAKEBACK_TEXT = "to go back to before {} last move"
THEIR_TAKEBACK_TEXT = TAKEBACK_TEXT.format("their")


class Proposal(NamedTuple):
    """A proposal of a seat to the others."""

    seat: int
    back_to: int | None  # number of actions to keep; None to end the game
    accepted_by: frozenset[int]  # seats, with the proposer's

    def text_for(self, asker: bool) -> str:
        """Return the proposal in words, for the proposer or for the others."""
        return END_TEXT if self.back_to is None else TAKEBACK_TEXT.format("your" if asker else "their")


def current_proposal(entries: Iterable[TableEvent]) -> Proposal | None:
    """Return the proposal that is neither answered by all nor declined; None after its proposer has left."""
    found = None
    for entry in entries:
        if entry.kind == PROPOSED:
            found = Proposal(entry.seat, entry.action, frozenset({entry.seat}))
        elif entry.kind == ACCEPTED and found:
            found = found._replace(accepted_by=found.accepted_by | {entry.seat})
        elif entry.kind in (DECLINED, TAKEBACK, ENDED):
            found = None
        elif entry.kind in (RESIGN, PLAYER_LEFT, PLAYER_REMOVED) and found:
            # The next player of that seat has accepted nothing.
            found = None if entry.seat == found.seat else found._replace(accepted_by=found.accepted_by - {entry.seat})
    return found


def moves_before_last_choice(acts: Sequence[TableEvent], seat: int) -> int | None:
    """Return the number of moves before the last choice of a seat; None if it has made none."""
    last = next((number for number in range(len(acts) - 1, -1, -1) if acts[number].seat == seat), None)
    while last is not None and acts[last].same_choice and acts[last - 1].seat == seat:
        last -= 1
    return last


def takeback_events(acts: Sequence[TableEvent], proposal: Proposal, name: str) -> tuple[TableEvent, ...]:
    """Return the events of a takeback: one that announces it, and one for each move that it undoes."""
    keeps = proposal.back_to or 0
    undone = (TableEvent(act.seat, UNDO, same_choice=True) for act in reversed(acts[keeps:]))
    return TableEvent(proposal.seat, TAKEBACK, keeps, f"to before the last move of {name}"), *undone
