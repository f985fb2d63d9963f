"""Bots whose whole choice is one call of a twin: random and greedy."""

from typing import Any

import numpy.typing as npt

from ..core.kernels import policies
from ..core.kernels.policies import THOUSAND
from ..core.loaded import LoadedGame
from ..core.workspaces import blank_workspace, lent
from ..engine.kernels.rng import below, shake
from ..play.play import Observation
from .base import check_turn

KINDS = {"random": policies.RANDOM, "greedy": policies.GREEDY}


class Builtin:
    """A bot whose choice is made in the game's own build; `slips` is the share of its choices made at random."""

    def __init__(self, spec: str, kind: str, game: LoadedGame, seed: int, slips: float = 0.0) -> None:
        self.spec, self.game = spec, game
        self._made_of = spec, kind, game, seed, slips
        self._kind, self._slips = KINDS[kind], round(THOUSAND * slips)
        self._work = blank_workspace(game)
        shake(self._work.rng, seed)
        self._lent = lent(game, self._work)
        self._choose = game.kernel(policies).choose

    def choose(self, observation: Observation) -> int:
        """A legal action for the seat of this observation, whose turn it is."""
        check_turn(observation, self.spec)
        self._work.states[policies.SEEN] = observation.array[0]
        slips = self._slips and below(self._work.rng, THOUSAND) < self._slips
        return int(self._choose(policies.RANDOM if slips else self._kind, observation.seat, self._lent))

    @property
    def native(self) -> tuple[int, int]:
        """How it chooses within the loop of a batch, with random numbers of the batch: its kind, and its slips."""
        return self._kind, self._slips

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the same random numbers to come; what a bot writes on is made anew."""
        return Builtin, self._made_of, self._work.rng

    def __setstate__(self, rng: npt.NDArray[Any]) -> None:
        self._work.rng[:] = rng

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"
