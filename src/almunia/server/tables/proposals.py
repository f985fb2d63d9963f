"""What needs the consent of all: to end a game, and to go back further than one's own turn.

Whoever asks has agreed. All other people are asked; bots are not. An unrated table passes over those who have been away
longer than it waits for anybody. A rated one passes over nobody, and lets nobody ask while a bot has a seat of its own.
What is asked stands in the log and stays until it is answered, whatever is played meanwhile: were it gone after a move,
it would tell of moves that are secret.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .model import AGREE, ASK, DECLINE, END, LEAVE, REMOVE, RESIGN, REWIND, UNDO, TableEvent

TO_END = "to end the game now"
BACK = "to go back to before {} last move"
TO_GO_BACK = BACK.format("their")


class Proposal(NamedTuple):
    """What a seat has asked the others for."""

    seat: int
    back_to: int | None  # how many actions are to be kept; None if the game is to end
    agreed: frozenset[int]  # seats, the one that asks among them

    def words_to(self, asker: bool) -> str:
        """What is asked, for the one who asks or for somebody else."""
        return TO_END if self.back_to is None else BACK.format("your" if asker else "their")


def proposed(entries: Iterable[TableEvent]) -> Proposal | None:
    """What has been asked, and neither been declined nor done; nothing of somebody who has given up since."""
    found = None
    for entry in entries:
        if entry.kind == ASK:
            found = Proposal(entry.seat, entry.action, frozenset({entry.seat}))
        elif entry.kind == AGREE and found:
            found = found._replace(agreed=found.agreed | {entry.seat})
        elif entry.kind in (DECLINE, REWIND, END):
            found = None
        elif entry.kind in (RESIGN, LEAVE, REMOVE) and found:
            # Whoever sits down in that seat later has agreed to nothing.
            found = None if entry.seat == found.seat else found._replace(agreed=found.agreed - {entry.seat})
    return found


def before_last_choice(acts: Sequence[TableEvent], seat: int) -> int | None:
    """How many acts there were before the last choice of a seat; None if it has made none."""
    last = next((number for number in range(len(acts) - 1, -1, -1) if acts[number].seat == seat), None)
    while last is not None and acts[last].follows and acts[last - 1].seat == seat:
        last -= 1
    return last


def going_back(acts: Sequence[TableEvent], proposal: Proposal, name: str) -> tuple[TableEvent, ...]:
    """The entries with which a table goes back: one that says so, and one for each act that is undone by it."""
    keeps = proposal.back_to or 0
    undone = (TableEvent(act.seat, UNDO, follows=True) for act in reversed(acts[keeps:]))
    return TableEvent(proposal.seat, REWIND, keeps, f"to before the last move of {name}"), *undone
