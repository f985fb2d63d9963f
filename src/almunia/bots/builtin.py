"""The bots `random` and `greedy`, which choose by a policy of `core.kernels.policies`."""

from typing import Any, NamedTuple

import numpy.typing as npt

from ..core.kernels import policies
from ..core.kernels.policies import PERMILLE
from ..core.loaded import LoadedGame
from ..core.weights import Weights
from ..core.workspaces import allocate_policy_scratch, wrap_all
from ..engine.kernels.rng import randbelow, seed_rng
from ..errors import SetupError
from ..play.play import Observation
from .base import NamedBot, check_turn, choose_once

KERNEL_BOTS = {"random": policies.RANDOM, "greedy": policies.GREEDY}  # the policy of each


class KernelPolicy(NamedTuple):
    """A policy of `core.kernels.policies` with a share of random choices and noise."""

    kind: int  # as in `core.kernels.policies`
    permille: int = 0  # the share of random choices, in thousandths
    noise: int = 0  # the most by which the greedy bot overrates an action, in units of `evaluate`


class KernelBot(NamedBot):
    """A bot that chooses by a policy of a kernel.

    `epsilon` is the share of random choices, from 0 to 1, rounded to thousandths. `noise` is the most by which the
    greedy bot overrates an action, in points, rounded to units of `evaluate`. Raise SetupError if a positive number is
    rounded to 0.
    """

    def __init__(
        self,
        spec: str,
        kind: str,
        game: LoadedGame,
        seed: int,
        epsilon: float = 0.0,
        noise: float = 0.0,
        weights: Weights | None = None,
    ) -> None:
        self.spec, self.game = spec, game
        self._init_args = spec, kind, game, seed, epsilon, noise, weights
        self.has_own_weights = weights is not None
        units = to_units("epsilon", epsilon, PERMILLE), to_units("noise", noise, game.bots.VALUE_SCALE)
        self.kernel_policy = KernelPolicy(KERNEL_BOTS[kind], *units)
        self._work = allocate_policy_scratch(game, weights)
        seed_rng(self._work.rng, seed)
        self._wrapped = wrap_all(game, self._work)
        self._choose = game.kernel(policies).choose

    def prepare(self, seats: int, /) -> None:
        choose_once(self, seats, self._work.rng)

    def choose(self, observation: Observation, /) -> int:
        check_turn(observation, self.spec)
        self._work.states[policies.OBSERVED] = observation.array[0]
        kind, permille, noise = self.kernel_policy
        explores = permille and randbelow(self._work.rng, PERMILLE) < permille
        return int(self._choose(policies.RANDOM if explores else kind, observation.seat, self._wrapped, noise))

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelBot, self._init_args, self._work.rng

    def __setstate__(self, rng: npt.NDArray[Any]) -> None:
        self._work.rng[:] = rng


def to_units(name: str, number: float, per_one: int) -> int:
    """Return a setting in units, of which `per_one` make 1. Raise SetupError if a positive number is rounded to 0."""
    units, unit = round(per_one * number), 1 / per_one
    if number and not units:
        raise SetupError(f"{name} is counted in units of {unit:g}: it is 0, or {unit:g} and more, not {number:g}.")
    return units
