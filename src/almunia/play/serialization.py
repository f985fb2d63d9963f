"""Plays as bytes: fast to write and to read, with a checksum against damage."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from ..core.loaded import LoadedGame
from ..engine.state_dtype import States
from ..errors import RecordError
from .cursor import Cursor

MAGIC = b"ALMU1"
CHECKSUM_BYTES = 16
DAMAGED = "These bytes are not a saved play, or not a whole one."


def dump_play(play: Cursor) -> bytes:
    """Return a play as bytes: MAGIC, a checksum, a header in JSON and the state."""
    header = {**compat_key(play.game), "seed": play.seed, "options": play.options, "actions": play.actions}
    head = json.dumps(header).encode()
    body = len(head).to_bytes(4, "little") + head + play.to_state()
    return MAGIC + sha256(body).digest()[:CHECKSUM_BYTES] + body


def load_play(game: LoadedGame, data: bytes) -> tuple[States, int | None, dict[str, str], list[int]]:
    """Return the state, seed, options and actions that `dump_play` saved.

    Raise RecordError if the data is damaged, of another game or of another version.

    The checksum detects damage, but not manipulation. Load only plays that you have saved yourself, and use records for
    plays from others.
    """
    body = data[len(MAGIC) + CHECKSUM_BYTES :]
    if data[: len(MAGIC) + CHECKSUM_BYTES] != MAGIC + sha256(body).digest()[:CHECKSUM_BYTES]:
        raise RecordError(DAMAGED)
    stop = 4 + int.from_bytes(body[:4], "little")
    header = parse_header(body[4:stop])
    array = load_state(game, body[stop:], {name: header.get(name) for name in compat_key(game)})
    (low, high), (seats, turn) = game.meta.seats, (int(array[name][0]) for name in ("seats", "turn"))
    if not (low <= seats <= high and 0 <= turn < seats):
        raise RecordError(DAMAGED)
    return array, header["seed"], header["options"], header["actions"]


def parse_header(head: bytes) -> dict[str, Any]:
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


def load_state(game: LoadedGame, saved: bytes, versions: Mapping[str, Any]) -> States:
    """Return the state in saved bytes.

    Raise RecordError if `versions` differs from `compat_key`, or the number of bytes is wrong.
    """
    expected = compat_key(game)
    if versions != expected:
        raise RecordError(
            "This play was saved for {game} with rules {rules} and components {components}; ".format(**versions)
            + "here are {game} with rules {rules} and components {components}.".format(**expected)
        )
    if len(saved) != game.rules.STATE.itemsize:
        raise RecordError(DAMAGED)
    return np.frombuffer(saved, game.rules.STATE).copy()


def compat_key(game: LoadedGame) -> dict[str, Any]:
    """Return the game, the version of its rules and the hash of its tables, on which a state's meaning depends."""
    return {"game": game.name, "rules": game.meta.rules_version, "components": game.components_hash}
