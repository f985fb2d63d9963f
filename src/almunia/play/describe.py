"""An observation for language models and other programs: as plain data for JSON, and as compact text.

The data and the text are made from the state of the observation alone. Seats count from 1, except in "state" of the
data, which has the numbers of the game's rules.
"""

from typing import Any

import numpy as np

from ..core.contract import SPECTATOR
from ..core.english import pluralize
from ..core.rich_text import plain_text
from .position import Position


class SeatView(Position):
    """A position as one seat, or a spectator, sees it."""

    seat: int  # or SPECTATOR

    @property
    def is_to_move(self) -> bool:
        """Whether this seat is to move."""
        return self.turn == self.seat and not self.over

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions, ascending; empty unless this seat is to move."""
        if self.turn != self.seat or self.over:
            return ()
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        return tuple(out[: self.game.loops.legal_actions(self._wrapped, self.game.wrap(out))].tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return the observation as plain data for JSON.

        Unless this seat is to move, "question" is None and "legal" is empty. Seats count from 1, except in "state",
        which has the numbers of the game's rules, from 0.
        """
        text, state, over = self.game.text, self.state, self.over
        players = [
            {"seat": seat + 1, "points": points, "rank": rank, "facts": dict(text.seat_facts(state, seat))}
            for seat, (points, rank) in enumerate(zip(self.points, self.ranks(), strict=True))
        ]
        return {
            "game": self.game.name,
            "seats": self.seats,
            "seat": None if self.seat == SPECTATOR else self.seat + 1,
            "turn": None if over else self.turn + 1,
            "over": over,
            "ending": text.end_reason(state) if over else None,
            "question": text.question(state) if self.is_to_move else None,
            "legal": self.describe_actions(),
            "players": players,
            "board": text.board(state, self.seat),
            "state": plain_state(self.array[0], self.seats),
        }

    def describe(self) -> str:
        """Return the observation as text: the turn or the result, and the board.

        If this seat is to move, the text ends with the question, and with each legal action and its effect.
        """
        text, state = self.game.text, self.state
        lines = [self._status_line(), "", text.board(state, self.seat)]
        if self.is_to_move:
            lines += ["", text.question(state)]
            for one in self.describe_actions():
                lines.append(f"- {one['words']}" + (f" ({one['effect']})" if one["effect"] else ""))
        return "\n".join(lines)

    def describe_actions(self) -> list[dict[str, Any]]:
        """Return a dictionary for each legal action: its code ("action"), "words", "effect" and named "parts"."""
        text, state = self.game.text, self.state
        return [
            {
                "action": action,
                "words": text.action_to_string(state, action),
                "effect": plain_text(text.effect_text(state, action)),
                "parts": text.parts(state, action),
            }
            for action in self.legal_actions
        ]

    def _status_line(self) -> str:
        reader = "a spectator" if self.seat == SPECTATOR else f"seat {self.seat + 1} of {self.seats}"
        head = f"{self.game.meta.title}, as {reader} sees it."
        if not self.over:
            return f"{head} It is {'your turn' if self.is_to_move else f'the turn of seat {self.turn + 1}'}."
        places = zip(self.points, self.ranks(), strict=True)
        ranks = [f"seat {n}: {pluralize(points, 'point')}, rank {rank}" for n, (points, rank) in enumerate(places, 1)]
        return f"{head} The game is over. {self.game.text.end_reason(self.state)} {', '.join(ranks)}."


def plain_state(record: np.void, seats: int) -> dict[str, Any]:
    """Return a state as a dictionary for JSON, without gaps and the random generator.

    An array `seat` of records has only the records of seats in use.
    """
    state: dict[str, Any] = plain_value(record)
    if "seat" in state and record.dtype["seat"].base.names and record["seat"].ndim:
        state["seat"] = state["seat"][:seats]
    return state


def plain_value(value: Any) -> Any:
    if value.dtype.names is None:
        return value.tolist()
    if value.ndim:
        return [plain_value(one) for one in value]
    return {name: plain_value(value[name]) for name in value.dtype.names if name != "rng" and name[:4] != "gap_"}
