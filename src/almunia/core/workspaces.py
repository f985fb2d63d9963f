"""What the built-in bots write on, made once and lent to their loops."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .kernels import policies
from .kernels.evaluation import Trial
from .kernels.policies import Workspace

if TYPE_CHECKING:
    from .game import Game


def blank_workspace(game: "Game") -> Workspace:
    """Workspace for a bot of this game."""
    return Workspace(
        states=np.zeros(policies.STATES, game.rules.STATE),
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
