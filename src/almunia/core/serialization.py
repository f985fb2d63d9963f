"""Plays as bytes: quick to write and to read, with a checksum against damage."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RecordError
from .layout import States

if TYPE_CHECKING:
    from .game import Game
    from .play import Play

MAGIC = b"ALMU1"
CHECK = 16  # bytes of checksum
DAMAGED = "These bytes are not a saved play, or not a whole one."


def saved(play: "Play") -> bytes:
    """A play as bytes: a mark, a checksum, the facts as JSON and the state."""
    head = json.dumps({**version(play.game), "seed": play.seed, "options": play.options, "actions": play.actions})
    body = len(head).to_bytes(4, "little") + head.encode() + play.to_state()
    return MAGIC + sha256(body).digest()[:CHECK] + body


def loaded(game: "Game", data: bytes) -> tuple[States, dict[str, Any]]:
    """The state and the facts in bytes that `saved` made; RecordError if they are damaged or of another version.

    The checksum finds damage, not malice: load what you have saved yourself, and use records for
    what comes from others.
    """
    body = data[len(MAGIC) + CHECK :]
    if not data.startswith(MAGIC) or data[len(MAGIC) : len(MAGIC) + CHECK] != sha256(body).digest()[:CHECK]:
        raise RecordError(DAMAGED)
    stop = 4 + int.from_bytes(body[:4], "little")
    facts = facts_in(body[4:stop])
    array = state_of(game, body[stop:], {name: facts.get(name) for name in version(game)})
    (low, high), (seats, turn) = game.meta.seats, (int(array[name][0]) for name in ("seats", "turn"))
    if not (low <= seats <= high and 0 <= turn < seats):
        raise RecordError(DAMAGED)
    return array, facts


def facts_in(head: bytes) -> dict[str, Any]:
    """What stands before the state; RecordError if it is not what `saved` writes there."""
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


def state_of(game: "Game", saved: bytes, found: Mapping[str, Any]) -> States:
    """The state in bytes that were saved with what `version` says; RecordError if it means something else here."""
    expected = version(game)
    if found != expected:
        raise RecordError(
            "This play was saved for {game} with rules {rules} and components {components}; ".format(**found)
            + "here are {game} with rules {rules} and components {components}.".format(**expected)
        )
    if len(saved) != game.rules.STATE.itemsize:
        raise RecordError(DAMAGED)
    return np.frombuffer(saved, game.rules.STATE).copy()


def version(game: "Game") -> dict[str, Any]:
    """What must be the same for a state to mean the same."""
    return {"game": game.name, "rules": game.meta.rules_version, "components": game.components}
