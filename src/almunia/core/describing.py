"""An observation for language models and other programs: as plain data for JSON, and as compact text.

Both are made from the masked state alone. Seats count from 1 in them, as wherever people and programs read them; inside
"state" everything is as the game's rules number it, seats from 0.
"""

from typing import TYPE_CHECKING, Any

from .contract import SPECTATOR
from .lines import spoken

if TYPE_CHECKING:
    import numpy as np

    from .play import Observation


def as_data(observation: "Observation") -> dict[str, Any]:
    """What a seat knows, in dictionaries, lists, words and numbers."""
    over, turn = observation.over, observation.turn
    return {
        "game": observation.game.name,
        "seats": observation.seats,
        "seat": None if observation.seat == SPECTATOR else observation.seat + 1,
        "turn": None if over else turn + 1,
        "over": over,
        "ending": observation.game.text.ending(observation.state) if over else None,
        "question": observation.game.text.ask(observation.state) if asked(observation) else None,
        "legal": legal_actions(observation),
        "players": players(observation),
        "board": observation.board(),
        "state": plain_record(observation.array[0], observation.seats),
    }


def as_text(observation: "Observation") -> str:
    """What a seat knows, in words: the board, the question, and every legal action with its effect."""
    lines = [standing(observation), "", observation.board()]
    if asked(observation):
        lines += ["", observation.game.text.ask(observation.state)]
        lines += [
            f"- {one['words']}" + (f" ({one['effect']})" if one["effect"] else "") for one in legal_actions(observation)
        ]
    return "\n".join(lines)


def asked(observation: "Observation") -> bool:
    """Is it for this seat to choose?"""
    return observation.turn == observation.seat and not observation.over


def standing(observation: "Observation") -> str:
    """Who sees which game, and whose turn it is."""
    reader = "a spectator" if observation.seat == SPECTATOR else f"seat {observation.seat + 1} of {observation.seats}"
    head = f"{observation.game.meta.title}, as {reader} sees it."
    if observation.over:
        ranks = ", ".join(
            f"seat {one['seat']}: {one['points']} points, rank {one['rank']}" for one in players(observation)
        )
        return f"{head} The game is over. {observation.game.text.ending(observation.state)} {ranks}."
    return f"{head} It is {'your turn' if asked(observation) else f'the turn of seat {observation.turn + 1}'}."


def legal_actions(observation: "Observation") -> list[dict[str, Any]]:
    """The legal actions of this seat: code, words, effect in words, and what it names, part by part."""
    text, s = observation.game.text, observation.state
    return [
        {
            "action": action,
            "words": text.say(s, action),
            "effect": spoken(text.effect(s, action)),
            "parts": text.parts(s, action),
        }
        for action in observation.legal
    ]


def players(observation: "Observation") -> list[dict[str, Any]]:
    """What can be seen of every seat: its points so far, its rank by them, and the game's few facts on it."""
    points, ranks, text = observation.score_table()[:, 0], observation.ranks(), observation.game.text
    return [
        {
            "seat": seat + 1,
            "points": int(points[seat]),
            "rank": ranks[seat],
            "facts": dict(text.facts(observation.state, seat)),
        }
        for seat in range(observation.seats)
    ]


def plain_record(record: "np.void", seats: int) -> dict[str, Any]:
    """A record as a dictionary, without gaps and random numbers; of what belongs to seats, that of those in play."""
    names = [name for name in record.dtype.names or () if name != "rng" and not name.startswith("gap_")]
    return {name: plain_value(record[name][:seats] if name == "seat" else record[name], seats) for name in names}


def plain_value(value: Any, seats: int) -> Any:
    """A field of a record, as JSON can hold it."""
    if value.dtype.names is None:
        return value.tolist()
    return plain_record(value, seats) if value.ndim == 0 else [plain_value(one, seats) for one in value]
