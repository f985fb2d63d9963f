"""The chance to win by the utility of a search, fitted to results."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.loaded import LoadedGame

MAX_UTILITY = 0.999  # nearer to 0 or 1 a search is not sure of a result
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WinChance:
    """The chance to win by the utility of a search, for a game with a number of seats.

    The log-odds of the chance are linear in the log-odds of the utility. The slope changes as the game goes on.
    """

    intercept: float = 0.0
    first_slope: float = 1.0  # before the first turn
    last_slope: float = 1.0  # after `turns` turns
    turns: float = 1.0  # of a game on average

    @classmethod
    def of(cls, game: LoadedGame, seats: int) -> "WinChance":
        """Return the fitted chance from the game's `bots.py`; without one, the utility itself is the chance."""
        return cls(*game.bots.WIN_CHANCE.get(seats, ()))

    def at(self, utility: float, turns: int) -> float:
        """Return the chance at a utility, both from 0 to 1, after a number of turns."""
        return float(self.at_all(np.array(utility), np.array(turns)))

    def at_all(self, utilities: Floats, turns: npt.NDArray[np.int64]) -> Floats:
        """Return the chances at utilities. The arrays have the same shape, or are broadcast."""
        inner = np.clip(utilities, 1 - MAX_UTILITY, MAX_UTILITY)
        slope = self.first_slope + (self.last_slope - self.first_slope) * np.minimum(1.0, turns / self.turns)
        return np.asarray(1 / (1 + np.exp(-self.intercept - slope * np.log(inner / (1 - inner)))))
