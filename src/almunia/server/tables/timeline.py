"""The positions of a game that a reader can step through, during the game and after it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from .log import LogEntry
from .state import TableState

MAX_CACHED_TIMELINES = 32  # readers step through the same state


@dataclass(frozen=True)
class Timeline:
    """The positions of a game that a reader can step through, numbered from 0, the deal.

    A finished game has all its positions. A running game has those that the reader saw change, or acted in: the number
    of all actions would reveal how many questions others have answered in secret.
    """

    counts: tuple[int, ...]  # of the play's actions until each position
    turns: tuple[int, ...]  # the positions at which another seat is to move, something is revealed, or the play is over

    @property
    def last(self) -> int:
        return len(self.counts) - 1

    def numbered(self, entries: Iterable[LogEntry]) -> tuple[LogEntry, ...]:
        """Return the entries of the reader's log, each with a position in place of the number of actions.

        An entry that is not about an action has the position of the entry before: its number of actions may include
        secret ones.
        """
        positions = {count: position for position, count in enumerate(self.counts)}
        found, latest = list[LogEntry](), 0
        for entry in entries:
            latest = latest if entry.survives_undo else positions[entry.action_count]
            found.append(replace(entry, action_count=latest))
        return tuple(found)


@lru_cache(MAX_CACHED_TIMELINES)  # a state never changes, and compares by identity
def timeline_of(state: TableState, seat: int) -> Timeline:
    """Return the timeline of a table for a reader who sees it from a seat, cached."""
    play, counts, turns = state.play_at(0), [0], [0]
    view = play if state.table.finished else play.observe(seat)
    turn, known = (view.turn, view.reveals), view.to_state()
    for number, action in enumerate(state.play.actions, 1):
        is_own = play.turn == seat
        play.apply(action)
        view = play if state.table.finished else play.observe(seat)
        if not (state.table.finished or is_own or view.to_state() != known):
            continue
        counts.append(number)
        if (view.turn, view.reveals) != turn or view.over:
            turns.append(len(counts) - 1)
        turn, known = (view.turn, view.reveals), view.to_state()
    return Timeline(tuple(counts), tuple(turns))
