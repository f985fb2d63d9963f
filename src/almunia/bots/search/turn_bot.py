"""The bot `turn`, which plans its turn by a beam search."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame
from ...core.weights import Weights
from ...core.workspaces import allocate, resolve_overload, wrap_all
from ...engine.kernels.rng import seed_rng
from ...play.play import Observation
from ..base import RowPlayer, StatefulBot, check_turn, choose_once
from .kernels import beam, turn_beam
from .settings import TURN_DEFAULTS


class TurnBot(StatefulBot):
    """A bot that plans its whole turn. Its seed and observations determine its choices."""

    def __init__(
        self,
        spec: str,
        game: LoadedGame,
        seed: int,
        settings: Mapping[str, float] | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.spec, self.game = spec, game
        self._init_args = spec, game, seed, settings, weights
        values = TURN_DEFAULTS | dict(settings or {})
        self._determinizations, width = int(values["determinizations"]), int(values["beam_width"])
        self._work = allocate(beam.Workspace, game, weights, width=width)
        seed_rng(self._work.rng, seed)
        self._wrapped = wrap_all(game, allocate(turn_beam.Plan, game, width=width)), wrap_all(game, self._work)
        self._search = game.kernel(turn_beam)

    def prepare(self, seats: int, /) -> None:
        choose_once(self, seats, self._work.rng)

    def start(self, seed: int) -> None:
        seed_rng(self._work.rng, seed)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The random number generator, int64 (4,)."""
        return self._work.rng.copy()

    @memory.setter
    def memory(self, saved: npt.NDArray[np.int64]) -> None:
        self._work.rng[:] = saved

    def choose(self, observation: Observation, /) -> int:
        check_turn(observation, self.spec)
        self._work.states[beam.OBSERVED] = observation.array[0]
        return int(self._search.choose(observation.seat, self._determinizations, *self._wrapped))

    def row_player(self, *batch: Any) -> RowPlayer:
        arguments = self._determinizations, *batch, *self._wrapped
        play_row = resolve_overload(self._search.play_row, 0, 0, *arguments)
        return lambda slot, row: play_row(slot, row, *arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return TurnBot, self._init_args, self.memory

    def __setstate__(self, memory: npt.NDArray[np.int64]) -> None:
        self.memory = memory
