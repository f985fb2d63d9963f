"""GameCursor: a play that an environment steps, with preallocated buffers for observations."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..core.english import pluralize
from ..core.loaded import LoadedGame
from ..engine import state_dtype
from ..play.cursor import Cursor
from ..play.play import Observation, Play
from .kernels import observe


class GameCursor(Cursor):
    """A play without undo, which `reset` deals. Action masks have `extra_actions` entries after the game's actions."""

    def __init__(self, game: LoadedGame, seats: int, options: Mapping[str, str], extra_actions: int = 0) -> None:
        super().__init__(game, state_dtype.zeros(game.rules.STATE), None, dict(options))
        self._seats, self._blank = seats, game.empty_state(options)
        self._seen = state_dtype.zeros(game.rules.STATE)
        self._numbers = np.zeros(game.tensor_size, np.float32)
        self._mask = np.zeros(game.rules.ACTIONS + extra_actions, np.int8)
        self._buffers = tuple(
            map(game.wrap, (self._seen, self._numbers.view(game.tensor_dtype), self._numbers, self._mask))
        )
        self._observe = game.kernel(observe).observe_into
        self._observed: tuple[int, int] | None = None  # seat and number of actions of the observation in the buffers
        self._views = [Observation(game, self._seen, seat, masked=True) for seat in range(seats)]

    @property
    def seats(self) -> int:
        """The number of seats, valid even before the first deal."""
        return self._seats

    @property
    def play(self) -> Play:
        """An independent play in this position, with its seed and actions."""
        play = Play(self.game, state_dtype.copy_states(self.array), self.seed, dict(self.options))
        play.actions = list(self.actions)
        return play

    def step(self, action: int) -> bool:
        """Apply an action and return True. If the action is illegal, change nothing and return False."""
        self._acquire()
        try:
            return self._advance(action)
        finally:
            self._lock.release()

    def reset(self, seed: int) -> None:
        self._acquire()
        try:
            self.array[:] = self._blank
            self._deal(self._seats, seed)
            self._observed = None
        finally:
            self._lock.release()

    def restore(self, seed: int | None, actions: list[int], state: bytes) -> None:
        """Restore the position of another cursor from its `seed`, `actions` and the bytes of its `array`.

        The seed is None if the other cursor has not been dealt.
        """
        self.array[:] = np.frombuffer(state, self.array.dtype)
        if seed is not None:
            self.refresh()
        self.seed, self.actions, self._observed = seed, actions, None

    def observation_arrays(self, seat: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Return the observation of a seat, float32 (tensor_size,), and its action mask, int8 of all actions.

        The next call overwrites both arrays.
        """
        if self._observed != (seat, len(self.actions)):
            self._acquire()
            try:
                self._observe(self._wrapped, seat, self._wrapped_codes, self._count, *self._buffers)
                self._observed = seat, len(self.actions)
            finally:
                self._lock.release()
        return self._numbers, self._mask

    def observation(self, seat: int) -> Observation:
        """Return the observation of a seat, valid until the next observation or step."""
        self.observation_arrays(seat)
        return self._views[seat]

    def __repr__(self) -> str:
        return f"<GameCursor of {self.game.name}, {pluralize(self.seats, 'seat')}>"
