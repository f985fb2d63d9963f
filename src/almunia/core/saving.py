"""Plays as bytes: quick to write and to read, with a checksum against damage."""

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RecordError
from .play import Play

if TYPE_CHECKING:
    from .game import Game

MAGIC = b"ALMU1"
CHECK = 16  # bytes of checksum
DAMAGED = "These bytes are not a saved play, or not a whole one."


def saved(play: Play) -> bytes:
    """A play as bytes: a mark, a checksum, the facts as JSON and the state."""
    head = json.dumps({**version(play.game), "seed": play.seed, "options": play.options, "actions": play.actions})
    body = len(head).to_bytes(4, "little") + head.encode() + play.to_state()
    return MAGIC + sha256(body).digest()[:CHECK] + body


def loaded(game: "Game", data: bytes) -> Play:
    """The play in bytes that `saved` made; RecordError if they are damaged or of another version.

    The checksum finds damage, not malice: load what you have saved yourself, and use records for
    what comes from others.
    """
    body = data[len(MAGIC) + CHECK :]
    if not data.startswith(MAGIC) or data[len(MAGIC) : len(MAGIC) + CHECK] != sha256(body).digest()[:CHECK]:
        raise RecordError(DAMAGED)
    stop = 4 + int.from_bytes(body[:4], "little")
    facts = json.loads(body[4:stop])
    expected = version(game)
    found = {name: facts.get(name) for name in expected}
    if found != expected:
        raise RecordError(
            "This play was saved for {game} with rules {rules} and components {components}; ".format(**found)
            + "here are {game} with rules {rules} and components {components}.".format(**expected)
        )
    array = np.frombuffer(body[stop:], game.rules.STATE).copy()
    return Play(game, array, facts["seed"], facts["options"]).restored(facts["actions"])


def version(game: "Game") -> dict[str, Any]:
    """What must be the same for a state to mean the same."""
    return {"game": game.name, "rules": game.meta.rules_version, "components": game.components}
