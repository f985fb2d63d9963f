"""One play that is stepped from Python as fast as can be: in machine code, into buffers that are made once."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..core import layout
from ..core.kernels.play import ILLEGAL
from ..core.play import Observation, Play, Position
from ..core.using import in_use
from ..core.words import count_of
from .kernels import observe

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..core.game import Game


class Stepper:
    """A play of a game with so many seats, begun anew by `begin`, which keeps nothing to undo.

    One thread may use it at a time: `begin`, `step` and `look` raise SetupError in a second one.

    Args:
        game: what is played.
        seats: how many play.
        options: the game's, as it reads them.
        more: how many entries the mask has beyond the game's actions.
    """

    def __init__(self, game: "Game", seats: int, options: Mapping[str, str], more: int = 0) -> None:
        self.game, self.seats, self.options = game, seats, dict(options)
        self.array, self._seen = layout.blank(game.rules.STATE), layout.blank(game.rules.STATE)
        self._blank, self._turn, self._over = game.blank(options), self.array["turn"], self.array["over"]
        self._legal, self._count = np.zeros(game.rules.ACTIONS, np.int32), 0
        self._numbers = np.zeros(game.tensor_size, np.float32)
        self._mask = np.zeros(game.rules.ACTIONS + more, np.int8)
        self._lent, self._lent_legal = game.lend(self.array), game.lend(self._legal)
        self._written = tuple(
            map(game.lend, (self._seen, self._numbers.view(game.tensor_parts), self._numbers, self._mask))
        )
        self._step, self._look = game.loops.step, game.kernel(observe).look
        self._looked: int | None = None  # the seat that saw what is written, if that is still true
        self._views = [Observation.of_masked(game, self._seen, seat) for seat in range(seats)]
        self.position = Position(game, self.array)
        self.seed: int | None = None
        self.actions: list[int] = []  # all that have been done
        self._busy = False  # is a thread in machine code?

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self._turn.item()

    @property
    def over(self) -> bool:
        """Has the play ended?"""
        return self._over.item() != layout.RUNNING

    @property
    def legal(self) -> "npt.NDArray[np.int32]":
        """The legal actions of the seat to move, ascending; the array serves until the next step."""
        return self._legal[: self._count]

    @property
    def play(self) -> Play:
        """A play of its own in this position, with the seed and actions that led here."""
        play = Play(self.game, layout.copied(self.array), self.seed, dict(self.options))
        play.actions = list(self.actions)
        return play

    def begin(self, seed: int) -> None:
        """Deal anew."""
        if self._busy:
            raise in_use(self)
        self._busy = True
        try:
            self.array[:] = self._blank
            self._count = self.game.loops.begin(self._lent, self.seats, seed, self._lent_legal)
        finally:
            self._busy = False
        self.seed, self.actions, self._looked = seed, [], None

    def go_on(self, seed: int | None, actions: list[int], state: bytes) -> None:
        """Stand where another stepper stood, of which these are `seed`, `actions` and the bytes of `array`."""
        self.array[:] = np.frombuffer(state, self.array.dtype)
        self._count = self.game.loops.listing(self._lent, self._lent_legal)
        self.seed, self.actions, self._looked = seed, actions, None

    def step(self, action: int) -> bool:
        """Do an action; False if it is not legal, and then nothing has changed."""
        if self._busy:
            raise in_use(self)
        self._busy = True
        try:
            count = self._step(self._lent, action, self._lent_legal, self._count)
        finally:
            self._busy = False
        if count == ILLEGAL:
            return False
        self._count, self._looked = count, None
        self.actions.append(action)
        return True

    def look(self, seat: int) -> tuple["npt.NDArray[np.float32]", "npt.NDArray[np.int8]"]:
        """What a seat sees, float32 (tensor_size,), and its legal actions, int8 (actions,): buffers to be copied."""
        if self._looked != seat:
            if self._busy:
                raise in_use(self)
            self._busy = True
            try:
                self._look(self._lent, seat, self._lent_legal, self._count, *self._written)
            finally:
                self._busy = False
            self._looked = seat
        return self._numbers, self._mask

    def seen(self, seat: int) -> Observation:
        """What a seat sees, until the next look or step."""
        self.look(seat)
        return self._views[seat]

    def __repr__(self) -> str:
        return f"<Stepper of {self.game.name}, {count_of(self.seats, 'seat')}>"
