"""Bots whose whole choice is one call of a twin: random and greedy."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.chance import below, shake
from ..core.evaluation import Trial
from . import choosing
from .base import check_turn
from .choosing import Workspace

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..core.game import Game
    from ..core.play import Observation

KINDS = {"random": choosing.RANDOM, "greedy": choosing.GREEDY}
THOUSAND = 1000


class Builtin:
    """A bot whose choice is made in the game's own build; `slips` is the share of its choices made at random."""

    def __init__(self, spec: str, kind: str, game: "Game", seed: int, slips: float = 0.0) -> None:
        self.spec, self.game = spec, game
        self._made_of = spec, kind, game, seed, slips
        self._kind, self._slips = KINDS[kind], round(THOUSAND * slips)
        self._work = blank_workspace(game)
        shake(self._work.rng, seed)
        self._lent = lent(game, self._work)
        self._choose = game.kernel(choosing).choose

    def choose(self, observation: "Observation") -> int:
        """A legal action for the seat of this observation, whose turn it is."""
        check_turn(observation, self.spec)
        self._work.states[choosing.SEEN] = observation.array[0]
        slips = self._slips and below(self._work.rng, THOUSAND) < self._slips
        return int(self._choose(choosing.RANDOM if slips else self._kind, observation.seat, self._lent))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the same random numbers to come; what a bot writes on is made anew."""
        return Builtin, self._made_of, self._work.rng

    def __setstate__(self, rng: "npt.NDArray[np.int64]") -> None:
        self._work.rng[:] = rng

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


def blank_workspace(game: "Game") -> Workspace:
    """Workspace for a bot of this game."""
    return Workspace(
        states=np.zeros(choosing.STATES, game.rules.STATE),
        rng=np.zeros(4, np.int64),
        actions=np.zeros(game.rules.ACTIONS, np.int32),
        scratch=np.zeros(game.rules.ACTIONS, np.int32),
        trial=blank_trial(game),
        foreseen=np.zeros(game.rules.ACTIONS, np.int64),
    )


def blank_trial(game: "Game") -> Trial:
    """What actions of this game are tried out on."""
    most = game.meta.seats[1]
    return Trial(
        states=np.zeros(1, game.rules.STATE),
        table=np.zeros((most, len(game.rules.SCORES)), np.int64),
        values=np.zeros(most, np.int64),
        notes=np.zeros(getattr(game.bots, "NOTES", 0), np.int64),
    )


def lent(game: "Game", work: Any) -> Any:
    """Arrays, and tuples of them, as the game's build wants them."""
    return type(work)(*map(partial(lent, game), work)) if isinstance(work, tuple) else game.lend(work)
