"""GameCursor: one play that environments step, and observe in buffers that are made once."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..core.english import count_of
from ..core.loaded import LoadedGame
from ..engine import state_dtype
from ..play.cursor import Cursor
from ..play.play import Observation, Play
from .kernels import observe


class GameCursor(Cursor):
    """A play of a game with so many seats, dealt by `reset`, which keeps nothing to undo.

    Args:
        game: what is played.
        seats: how many play.
        options: the game's, as it reads them.
        extra_actions: how many entries the mask has beyond the game's actions.
    """

    def __init__(self, game: LoadedGame, seats: int, options: Mapping[str, str], extra_actions: int = 0) -> None:
        super().__init__(game, state_dtype.blank(game.rules.STATE), None, dict(options))
        self._seats, self._blank = seats, game.blank(options)
        self._seen = state_dtype.blank(game.rules.STATE)
        self._numbers = np.zeros(game.tensor_size, np.float32)
        self._mask = np.zeros(game.rules.ACTIONS + extra_actions, np.int8)
        self._written = tuple(
            map(game.lend, (self._seen, self._numbers.view(game.tensor_parts), self._numbers, self._mask))
        )
        self._look = game.kernel(observe).look
        self._looked: tuple[int, int] | None = None  # who saw what is written, after how many actions
        self._views = [Observation.from_masked(game, self._seen, seat) for seat in range(seats)]

    @property
    def seats(self) -> int:
        """How many play, also before the first deal."""
        return self._seats

    @property
    def play(self) -> Play:
        """An independent play in this position, with the seed and actions that led here."""
        play = Play(self.game, state_dtype.copied(self.array), self.seed, dict(self.options))
        play.actions = list(self.actions)
        return play

    def step(self, action: int) -> bool:
        """Do an action; return False if it is not legal, and then nothing has changed."""
        return self._advance(action)

    def reset(self, seed: int) -> None:
        """Deal from a seed."""
        self._deal(self._blank, self._seats, seed)
        self._looked = None

    def restore(self, seed: int | None, actions: list[int], state: bytes) -> None:
        """Go to where another cursor was, of which these are `seed`, `actions` and the bytes of `array`."""
        self.array[:] = np.frombuffer(state, self.array.dtype)
        self.refresh()
        self.seed, self.actions, self._looked = seed, actions, None

    def observe_into(self, seat: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Write what a seat sees, float32 (tensor_size,), and its legal actions, int8 (actions,); copy them."""
        if self._looked != (seat, len(self.actions)):
            self._exclusively(self._look, seat, self._lent_codes, self._count, *self._written)
            self._looked = seat, len(self.actions)
        return self._numbers, self._mask

    def observation(self, seat: int) -> Observation:
        """Return what a seat sees, until the next look or step."""
        self.observe_into(seat)
        return self._views[seat]

    def __repr__(self) -> str:
        return f"<GameCursor of {self.game.name}, {count_of(self.seats, 'seat')}>"
