"""Cursor, a position that is stepped in place; plays and environments use it."""

from threading import Lock

import numpy as np
import numpy.typing as npt

from ..core.kernels.play import ILLEGAL
from ..core.loaded import LoadedGame
from ..engine.state_dtype import States
from ..errors import busy
from .position import Position


class Cursor(Position):
    """A position with its legal actions, and the seed, options and actions that led to the position.

    A position that was not dealt from a seed, such as a determinization, has the seed None, and only the actions
    applied since. Step a cursor in one thread at a time: a second thread gets a SetupError.
    """

    def __init__(
        self, game: LoadedGame, array: States, seed: int | None = None, options: dict[str, str] | None = None
    ) -> None:
        super().__init__(game, array)
        self.seed, self.options = seed, options or {}
        self.actions: list[int] = []
        self._codes = np.zeros(game.rules.ACTIONS, np.int32)  # (ACTIONS,) int32, the legal actions first
        self._wrapped_codes = game.wrap(self._codes)
        self._count = 0  # of legal actions in `_codes`
        self._step = game.loops.step
        self._lock = Lock()

    @property
    def legal_codes(self) -> npt.NDArray[np.int32]:
        """The legal actions of the seat to move, ascending, int32 (count,); a view that the next step overwrites."""
        return self._codes[: self._count]

    def refresh(self) -> None:
        """Compute the legal actions again, after a direct change of the state."""
        self._count = self.game.loops.legal_actions(self._wrapped, self._wrapped_codes)

    def _deal(self, seats: int, seed: int) -> None:
        """Deal from a seed into the state, which is empty but for its options.

        Call `_acquire` first, if other threads have this cursor.
        """
        self._count = self.game.loops.reset(self._wrapped, seats, seed, self._wrapped_codes)
        self.seed, self.actions = seed, []

    def _advance(self, action: int) -> bool:
        """Apply an action and return True. If the action is not legal, change nothing and return False.

        Call `_acquire` first.
        """
        if not 0 <= action < len(self._codes):
            return False
        count = self._step(self._wrapped, action, self._wrapped_codes, self._count)
        if count == ILLEGAL:
            return False
        self._count = count
        self.actions.append(action)
        return True

    def _acquire(self) -> None:
        """Reserve the cursor for a change. Raise SetupError if another thread has reserved the cursor.

        Release `_lock` afterwards. The check is needed because kernels release Python's global lock. Acquire before
        reading what the change depends on, such as the number of legal actions.
        """
        if not self._lock.acquire(False):
            raise busy(self)
