"""Plays as bytes: quick to write and to read, with a checksum against damage."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from ..core.loaded import LoadedGame
from ..engine.state_dtype import States
from ..errors import RecordError

MAGIC = b"ALMU1"
CHECK = 16  # bytes of checksum
DAMAGED = "These bytes are not a saved play, or not a whole one."


class PlayData(NamedTuple):
    """The parts of a play that are saved."""

    seed: int | None  # None if it was not started from a seed
    options: dict[str, str]
    actions: list[int]
    states: States  # (1,), the present state


def dump_play(game: LoadedGame, play: PlayData) -> bytes:
    """Return a play as bytes: a mark, a checksum, a header in JSON and the state."""
    head = json.dumps({**compat_key(game), "seed": play.seed, "options": play.options, "actions": play.actions})
    body = len(head).to_bytes(4, "little") + head.encode() + play.states.tobytes()
    return MAGIC + sha256(body).digest()[:CHECK] + body


def load_play(game: LoadedGame, data: bytes) -> PlayData:
    """Read what `dump_play` wrote; RecordError if it is damaged or of another version.

    The checksum finds damage, not malice: load what you have saved yourself, and use records for
    what comes from others.
    """
    body = data[len(MAGIC) + CHECK :]
    if not data.startswith(MAGIC) or data[len(MAGIC) : len(MAGIC) + CHECK] != sha256(body).digest()[:CHECK]:
        raise RecordError(DAMAGED)
    stop = 4 + int.from_bytes(body[:4], "little")
    header = parse_header(body[4:stop])
    array = load_state(game, body[stop:], {name: header.get(name) for name in compat_key(game)})
    (low, high), (seats, turn) = game.meta.seats, (int(array[name][0]) for name in ("seats", "turn"))
    if not (low <= seats <= high and 0 <= turn < seats):
        raise RecordError(DAMAGED)
    return PlayData(header["seed"], header["options"], header["actions"], array)


def parse_header(head: bytes) -> dict[str, Any]:
    """Return what stands before the state; RecordError if it is not what `dump_play` writes there."""
    try:
        facts = json.loads(head)
        seed, options, actions = (facts[name] for name in ("seed", "options", "actions"))
        whole = all(type(number) is int for number in (*actions, 0 if seed is None else seed))
        worded = all(isinstance(value, str) for value in options.values())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise RecordError(DAMAGED) from None
    if not (whole and worded and isinstance(actions, list)):
        raise RecordError(DAMAGED)
    return dict(facts)


def load_state(game: LoadedGame, saved: bytes, found: Mapping[str, Any]) -> States:
    """Return the state in saved bytes; RecordError if their `compat_key`, which is `found`, is another one here."""
    expected = compat_key(game)
    if found != expected:
        raise RecordError(
            "This play was saved for {game} with rules {rules} and components {components}; ".format(**found)
            + "here are {game} with rules {rules} and components {components}.".format(**expected)
        )
    if len(saved) != game.rules.STATE.itemsize:
        raise RecordError(DAMAGED)
    return np.frombuffer(saved, game.rules.STATE).copy()


def compat_key(game: LoadedGame) -> dict[str, Any]:
    """Return what must be the same for a state to mean the same."""
    return {"game": game.name, "rules": game.meta.rules_version, "components": game.components}
