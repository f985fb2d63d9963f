"""The analysis board: a copy of a position, on which a reader tries moves in all seats. Nothing is stored.

During a game, the copy is a determinization of what the reader saw, with a seed of the reader's choice. So the board
shows nothing else of the deal.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...engine.state_dtype import copy_states
from ...play.play import Observation, Play
from ..errors import Conflict, Forbidden
from .clocks import REALTIME, TimeControl
from .log import LogEntry
from .model import FINISHED, PERSON, RUNNING, Seat, Table
from .moves import replay_actions
from .state import TableState
from .timeline import Timeline
from .viewer_history import ViewerHistory

MAX_TRIED = 200  # actions on a board


def may_try_moves(table: Table) -> bool:
    """Return whether moves of a table may be tried: not during a rated game with a live clock."""
    return table.finished or not table.rated or TimeControl.parse(table.time_control).kind != REALTIME


def board_play(state: TableState, timeline: Timeline, at: int, seat: int, guess: int) -> Play:
    """Return a play that begins in a position of a timeline, for a reader who sees the table from a seat.

    After the game it is the position itself. During the game it is a guess, as its reader sees it: the same for the
    same number `guess`.

    Raises:
        Forbidden: the game is rated and has a live clock.
        Conflict: the game is over in the position.
    """
    if not may_try_moves(state.table):
        raise Forbidden("You can't try moves during a rated game with a live clock. When the game is over, you can.")
    play = state.play_at(timeline.counts[at])
    if not state.table.finished:
        play = play.observe(seat).determinize(guess)
    if play.over:
        raise Conflict("The game is over in this position. Choose an earlier position to try moves.")
    return play


def guesses_cards(view: Observation, play: Play) -> bool:
    """Return whether a determinization fills in more than the random generator of the observation `view`."""
    known = copy_states(play.array)
    known["rng"] = view.array["rng"]
    return known.tobytes() != view.to_state()


def board_state(state: TableState, play: Play, entries: Sequence[LogEntry], actions: Sequence[int]) -> TableState:
    """Return an analysis board, as a table in memory that is seen by the seat to move.

    The board begins with a play and the log of the reader until then. The tried `actions` follow. Raise RequestError
    if one of them is not possible.
    """
    after = play.copy()
    events = replay_actions(after, actions)
    seats = tuple(Seat(PERSON, "", seat.name) for seat in state.table.seats)
    status = FINISHED if after.over else RUNNING
    table = replace(
        state.table,
        seats=seats,
        turn=after.turn,
        status=status,
        end_reason="",
        resigned_seat=None,
        lesson=False,
        hints=False,
        time_control="",
    )
    names = tuple(seat.name for seat in seats)
    history = ViewerHistory(after.turn, play.observe(after.turn), names, log_entries=tuple(entries))
    return TableState(table, play, (), {after.turn: history}).with_events(events, after)
