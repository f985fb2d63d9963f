"""An observation for language models and other programs: as plain data for JSON, and as compact text.

Both are made from the masked state alone. Seats count from 1. Only "state" has the numbers of the game's rules, with
seats from 0.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.contract import SPECTATOR
from ..core.english import pluralize
from ..core.loaded import LoadedGame
from ..core.rich_text import plain_text
from ..engine.state_dtype import NOT_OVER


class Description(NamedTuple):
    """The view that a seat has of a position."""

    game: LoadedGame
    state: Any  # masked for `seat`, to be read as `state.field`
    record: np.void  # the same state as a NumPy record
    seat: int  # or SPECTATOR
    legal: Sequence[int]  # empty unless `seat` is to move
    scores: Sequence[int]  # by seat
    ranks: Sequence[int]  # by seat

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.ranks)

    @property
    def turn(self) -> int:
        """The seat to move."""
        return int(self.record["turn"])

    @property
    def over(self) -> bool:
        """Whether the play has ended."""
        return bool(self.record["over"] != NOT_OVER)

    @property
    def is_to_move(self) -> bool:
        """Whether this seat is to move."""
        return self.turn == self.seat and not self.over


def to_dict(seen: Description) -> dict[str, Any]:
    """Return an observation as dictionaries, lists, words and numbers."""
    over, turn = seen.over, seen.turn
    return {
        "game": seen.game.name,
        "seats": seen.seats,
        "seat": None if seen.seat == SPECTATOR else seen.seat + 1,
        "turn": None if over else turn + 1,
        "over": over,
        "ending": seen.game.text.end_reason(seen.state) if over else None,
        "question": seen.game.text.question(seen.state) if seen.is_to_move else None,
        "legal": legal_actions(seen.game, seen.state, seen.legal),
        "players": players(seen),
        "board": seen.game.text.board(seen.state, seen.seat),
        "state": plain_state(seen.record, seen.seats),
    }


def to_text(seen: Description) -> str:
    """Return an observation in words: the board, the question, and every legal action with its effect."""
    lines = [status_line(seen), "", seen.game.text.board(seen.state, seen.seat)]
    if seen.is_to_move:
        lines += ["", seen.game.text.question(seen.state)]
        lines += [
            f"- {one['words']}" + (f" ({one['effect']})" if one["effect"] else "")
            for one in legal_actions(seen.game, seen.state, seen.legal)
        ]
    return "\n".join(lines)


def status_line(seen: Description) -> str:
    """Return a line with the game, the viewer and the seat to move, or the result."""
    reader = "a spectator" if seen.seat == SPECTATOR else f"seat {seen.seat + 1} of {seen.seats}"
    head = f"{seen.game.meta.title}, as {reader} sees it."
    if seen.over:
        ranks = ", ".join(
            f"seat {one['seat']}: {pluralize(one['points'], 'point')}, rank {one['rank']}" for one in players(seen)
        )
        return f"{head} The game is over. {seen.game.text.end_reason(seen.state)} {ranks}."
    return f"{head} It is {'your turn' if seen.is_to_move else f'the turn of seat {seen.turn + 1}'}."


def legal_actions(game: LoadedGame, state: Any, legal: Sequence[int]) -> list[dict[str, Any]]:
    """Return the code, words, effect and named parts of each of these legal actions."""
    text = game.text
    return [
        {
            "action": action,
            "words": text.action_to_string(state, action),
            "effect": plain_text(text.effect_text(state, action)),
            "parts": text.parts(state, action),
        }
        for action in legal
    ]


def players(seen: Description) -> list[dict[str, Any]]:
    """Return the public facts on every seat: its points so far, its rank by them, and the game's few numbers."""
    return [
        {
            "seat": seat + 1,
            "points": seen.scores[seat],
            "rank": seen.ranks[seat],
            "facts": dict(seen.game.text.seat_facts(seen.state, seat)),
        }
        for seat in range(seen.seats)
    ]


def plain_state(record: np.void, seats: int) -> dict[str, Any]:
    """Return a state as a dictionary, without unused seats: those are records in an array `seat`, if it has one."""
    state = plain_record(record)
    if "seat" in state and record.dtype["seat"].base.names and record["seat"].ndim:
        state["seat"] = state["seat"][:seats]
    return state


def plain_record(record: np.void) -> dict[str, Any]:
    """Return a record as a dictionary, without gaps and random numbers."""
    names = [name for name in record.dtype.names or () if name != "rng" and not name.startswith("gap_")]
    return {name: plain_value(record[name]) for name in names}


def plain_value(value: Any) -> Any:
    """Return a field of a record as plain data for JSON."""
    if value.dtype.names is None:
        return value.tolist()
    return plain_record(value) if value.ndim == 0 else [plain_value(one) for one in value]
