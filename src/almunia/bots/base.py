"""Bots by their spec: what a person writes to name one."""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..core.chance import shake
from ..core.game import checked_seed, fresh_seed
from ..errors import IllegalAction, SetupError
from . import choosing
from .choosing import Paper

if TYPE_CHECKING:
    from ..core.game import Game
    from ..core.play import Observation

SPECS = {
    "random": "takes any legal action",
    "greedy": "looks one action ahead",
}

KINDS = {"random": choosing.RANDOM, "greedy": choosing.GREEDY}


class Bot(Protocol):
    """Anything that chooses from what its seat may see."""

    spec: str

    def choose(self, observation: "Observation") -> int:
        """A legal action for the seat of this observation, whose turn it is."""


def make(spec: str, game: "Game", seed: int | None = None) -> Bot:
    """The bot that `spec` names, with luck of its own from `seed`; SetupError if there is none."""
    return Builtin(spec, game, fresh_seed() if seed is None else checked_seed(seed))


def kind_of(spec: str) -> int:
    """The number of a built-in bot in the loops."""
    if spec not in KINDS:
        raise SetupError(f"There is no bot {spec!r}. There are: {', '.join(SPECS)}.")
    return KINDS[spec]


def blank_paper(game: "Game") -> Paper:
    """Paper for a bot of this game."""
    most = game.meta.seats[1]
    return Paper(
        states=np.zeros(choosing.STATES, game.rules.STATE),
        rng=np.zeros(4, np.int64),
        actions=np.zeros(game.rules.ACTIONS, np.int32),
        scratch=np.zeros(game.rules.ACTIONS, np.int32),
        table=np.zeros((most, len(game.rules.SCORES)), np.int64),
        values=np.zeros(most, np.int64),
    )


def lent_paper(game: "Game", paper: Paper) -> Paper:
    """The same paper as the game's build wants it."""
    return Paper(*(game.lend(array) for array in paper))


class Builtin:
    """A bot whose choice is made in the game's own build."""

    def __init__(self, spec: str, game: "Game", seed: int) -> None:
        self.spec, self.game = spec, game
        self._kind = kind_of(spec)
        self._paper = blank_paper(game)
        shake(self._paper.rng, seed)
        self._lent = lent_paper(game, self._paper)
        self._choose = game.kernel(choosing).choose

    def choose(self, observation: "Observation") -> int:
        """A legal action for the seat of this observation, whose turn it is."""
        if observation.over or observation.turn != observation.seat:
            raise IllegalAction(
                f"Seat {observation.seat} is not to move, so the bot {self.spec!r} has nothing to choose."
            )
        self._paper.states[choosing.SEEN] = observation.array[0]
        return int(self._choose(self._kind, observation.seat, self._lent))

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"
