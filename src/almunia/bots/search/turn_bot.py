"""The planning bot: it takes the action behind which it finds the best whole turn."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame
from ...core.workspaces import direct, lent
from ...engine.kernels.rng import shake
from ...play.play import Observation, Play
from ..base import check_turn
from .kernels import batch as batch_kernel, beam, turn_beam
from .kernels.turn_beam import Plan
from .settings import TURN
from .workers import beam_workspace


class Turn:
    """A bot that plans its turn; its choices depend on nothing but its seed and what it sees."""

    def __init__(self, spec: str, game: LoadedGame, seed: int, given: Mapping[str, float] | None = None) -> None:
        self._made_of = spec, game, seed, given
        settings = TURN | dict(given or {})
        self.spec, self.game, self._guesses = spec, game, int(settings["guesses"])
        width = int(settings["width"])
        self._work = beam_workspace(game, width)
        shake(self._work.rng, seed)
        self._lent = lent(game, blank_plan(game, width)), lent(game, self._work)
        self._choose = game.kernel(turn_beam).choose

    def ready(self, seats: int) -> None:
        """Compile what it needs: else its first decision would have to wait."""
        play = Play.start(self.game, seats, 0, {})
        before = self._work.rng.copy()
        self.choose(play.observe(play.turn))
        self._work.rng[:] = before

    def start(self, seed: int) -> None:
        """Begin with the random numbers of a seed, as if just made with it."""
        shake(self._work.rng, seed)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """What it takes from one decision to the next, int64 (4,): its random numbers to come."""
        return self._work.rng

    @memory.setter
    def memory(self, kept: npt.NDArray[np.int64]) -> None:
        self._work.rng[:] = kept

    def choose(self, observation: Observation) -> int:
        """A legal action for the seat of this observation, whose turn it is."""
        check_turn(observation, self.spec)
        self._work.states[beam.SEEN] = observation.array[0]
        return int(self._choose(observation.seat, self._guesses, *self._lent))

    def in_rows(self, *batch: Any) -> Callable[[int, int], Any]:
        """Return machine code that plays for it in a place and a row of a batch; see `StatefulBot.in_rows`."""
        arguments = self._guesses, *batch, *self._lent
        play = direct(self.game.kernel(batch_kernel).play, 0, 0, *arguments)
        return lambda place, row: play(place, row, *arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the same random numbers to come; what a bot writes on is made anew."""
        return Turn, self._made_of, self.memory

    def __setstate__(self, kept: npt.NDArray[np.int64]) -> None:
        self.memory = kept

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


def blank_plan(game: LoadedGame, width: int) -> Plan:
    """Room for a plan."""
    actions = game.rules.ACTIONS
    return Plan(
        actions=np.zeros(actions, np.int32),
        best=np.zeros(actions, np.int64),
        total=np.zeros(actions, np.int64),
        first=np.zeros((beam.BEAMS, width), np.int32),
    )
