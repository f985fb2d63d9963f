"""An observation for language models and other programs: as plain data for JSON, and as compact text.

Both are made from the masked state alone. Seats count from 1. Only "state" has the numbers of the game's rules, with
seats from 0.
"""

from typing import Any

import numpy as np

from ..core.contract import SPECTATOR
from ..core.english import pluralize
from ..core.rich_text import plain_text
from .position import SeatView


def to_dict(seen: SeatView) -> dict[str, Any]:
    """Return an observation as dictionaries, lists, words and numbers."""
    text, state, over = seen.game.text, seen.state, seen.over
    return {
        "game": seen.game.name,
        "seats": seen.seats,
        "seat": None if seen.seat == SPECTATOR else seen.seat + 1,
        "turn": None if over else seen.turn + 1,
        "over": over,
        "ending": text.end_reason(state) if over else None,
        "question": text.question(state) if seen.is_to_move else None,
        "legal": legal_actions(seen, state),
        "players": players(seen, state),
        "board": text.board(state, seen.seat),
        "state": plain_state(seen.array[0], seen.seats),
    }


def to_text(seen: SeatView) -> str:
    """Return an observation in words: the board, the question, and every legal action with its effect."""
    text, state = seen.game.text, seen.state
    lines = [status_line(seen), "", text.board(state, seen.seat)]
    if seen.is_to_move:
        lines += ["", text.question(state)]
        lines += [
            f"- {one['words']}" + (f" ({one['effect']})" if one["effect"] else "") for one in legal_actions(seen, state)
        ]
    return "\n".join(lines)


def status_line(seen: SeatView) -> str:
    """Return a line with the game, the viewer and the seat to move, or the result."""
    reader = "a spectator" if seen.seat == SPECTATOR else f"seat {seen.seat + 1} of {seen.seats}"
    head = f"{seen.game.meta.title}, as {reader} sees it."
    if seen.over:
        places = zip(seen.points, seen.ranks(), strict=True)
        ranks = [f"seat {n}: {pluralize(points, 'point')}, rank {rank}" for n, (points, rank) in enumerate(places, 1)]
        return f"{head} The game is over. {seen.game.text.end_reason(seen.state)} {', '.join(ranks)}."
    return f"{head} It is {'your turn' if seen.is_to_move else f'the turn of seat {seen.turn + 1}'}."


def legal_actions(seen: SeatView, state: Any) -> list[dict[str, Any]]:
    """Return the code, words, effect and named parts of each legal action."""
    text = seen.game.text
    return [
        {
            "action": action,
            "words": text.action_to_string(state, action),
            "effect": plain_text(text.effect_text(state, action)),
            "parts": text.parts(state, action),
        }
        for action in seen.legal_actions
    ]


def players(seen: SeatView, state: Any) -> list[dict[str, Any]]:
    """Return the public facts on every seat: its points so far, its rank by them, and the game's few numbers."""
    text = seen.game.text
    return [
        {"seat": seat + 1, "points": points, "rank": rank, "facts": dict(text.seat_facts(state, seat))}
        for seat, (points, rank) in enumerate(zip(seen.points, seen.ranks(), strict=True))
    ]


def plain_state(record: np.void, seats: int) -> dict[str, Any]:
    """Return a state as a dictionary, without unused seats: those are records in an array `seat`, if it has one."""
    state: dict[str, Any] = plain_value(record)
    if "seat" in state and record.dtype["seat"].base.names and record["seat"].ndim:
        state["seat"] = state["seat"][:seats]
    return state


def plain_value(value: Any) -> Any:
    """Return a record or a field of it as plain data for JSON, without gaps and random numbers."""
    if value.dtype.names is None:
        return value.tolist()
    if value.ndim:
        return [plain_value(one) for one in value]
    return {name: plain_value(value[name]) for name in value.dtype.names if name != "rng" and name[:4] != "gap_"}
