"""A batch whose games live and are stepped on a graphics processor, a thread for each (`kernels/cuda.py`)."""

from typing import Any

import numpy as np

from ..core.kernels.batch_step import ALL_LEGAL, ERROR, Games, Rivals
from ..errors import SetupError
from . import cuda as gpu
from .batch import Batch, as_array
from .buffers import blank_work

ALONE = "A batch on a graphics processor has a thread for each game already: leave out `threads`."
EACH = "A batch on a graphics processor steps all of its games: leave out `where`."
ASKS = (
    "A batch on a graphics processor asks nobody in Python: opponents are 'random', 'greedy', or bots that play "
    "within the loop, such as almunia.bots.make('greedy,epsilon=0.1', game)."
)


class CudaBatch(Batch):
    """Many plays of a game, stepped together on a device. Make one with `game.batch(..., device="cuda")`.

    All is as in a `Batch`, but that arrays are numba-cuda's and stay on the device: what knows
    `__cuda_array_interface__` shares their memory, and `copy_to_host()` copies them to NumPy. Actions and `where` may
    be on the device, too, or in NumPy. A call returns before the device has done its work, unless it has to tell
    whether an action is legal; who reads the arrays on another stream has to wait for it (`cuda.synchronize()`).
    """

    def _set_up(self, threads: int) -> None:
        if threads != 1:
            raise SetupError(ALONE)
        if self._asks:
            raise SetupError(ASKS)
        self._cuda, self._pool = gpu.device(self.game), None
        try:
            self._move()
        except Exception as error:  # numba-cuda has one class for whatever a driver says
            if "OUT_OF_MEMORY" not in str(error):
                raise
            raise SetupError(f"{self!r} does not fit into the memory of the device: take fewer games.") from None

    def _move(self) -> None:
        """Let everything live on the device."""
        cuda, given, parts = self._cuda, self._given, self._games.parts
        games = Games(*map(cuda.to_device, self._games._replace(parts=parts[:0])))
        if len(parts):
            games = games._replace(parts=games.observations.view(parts.dtype).reshape(len(parts)))
        self._games, self._given = games, cuda.to_device(given)
        self._shown = type(shown := gpu.blank_shown(self.n))(*map(cuda.to_device, shown))
        self._refused = cuda.to_device(np.full(1, self.n))
        work = blank_work(self.game, self._terms, self._blank)
        work = work._replace(terms=cuda.to_device(work.terms), blank=cuda.to_device(work.blank))
        self._work = gpu.work_for(cuda.device_array, self.n, work)
        self._rivals: tuple[Rivals, ...] = ()
        if self._opponents:
            kinds, slips, space = self._opponents.lent()
            space = gpu.per_thread(cuda.device_array, self.n, space)
            self._rivals = (Rivals(cuda.to_device(kinds), cuda.to_device(slips), space),)

    # --- what there is to see ---------------------------------------------------------------------

    @property
    def own(self) -> Any:
        """The learner's seat, int8 (n,); -1 if it has them all. Where a game has ended, it is that of the next."""
        return self._shown.own

    @property
    def seeds(self) -> Any:
        """The seeds of the deals, int64 (n,): `game.new(seats, seeds[i])` deals the same. They tell all secrets."""
        return self._shown.seeds

    @property
    def bot_seeds(self) -> Any:
        """The seeds of the opponents, int64 (n,)."""
        return self._shown.bot_seeds

    def _copied(self, row: int) -> Any:
        return self._games.states[row : row + 1].copy_to_host()

    def sample(self, rng: np.random.Generator) -> Any:
        """A legal action for each game, evenly drawn, int32 (n,) on the device, by numbers that are drawn here."""
        chosen = self._cuda.device_array(self.n, np.int32)
        lots = self._cuda.to_device(self._lots(rng))
        self._launch("pick", lots, self._games.counts, self._games.lists, chosen)
        return chosen

    # --- stepping ---------------------------------------------------------------------------------

    def _array(self, given: Any) -> Any:
        if getattr(given, "__cuda_ndarray__", False):  # numba's own
            return given
        return self._cuda.as_cuda_array(given) if hasattr(given, "__cuda_array_interface__") else as_array(given)

    def _keep(self, given: Any) -> None:
        if isinstance(given, np.ndarray):
            self._given.copy_to_device(given.astype(np.int64))
        else:
            self._launch("take", given, self._given)

    def _runs(self, where: Any) -> Any:
        raise SetupError(EACH)

    def _first_refused(self, runs: Any) -> int:
        illegal, goes_on = self._refuses
        if illegal != ERROR and goes_on:
            return ALL_LEGAL
        offers = self._games.counts, self._games.lists
        self._launch("refuse", illegal, int(goes_on), self._given, *offers, self._refused)
        row = int(self._refused.copy_to_host()[0])
        if row == self.n:
            return ALL_LEGAL
        self._refused.copy_to_device(np.full(1, self.n))
        return row

    def _start_over(self) -> None:
        self._work.terms.copy_to_device(self._terms)
        self._launch("start_over", self._games.slots)

    def _advance(self, how: int, runs: Any = None) -> None:
        kernel = "step_against" if self._rivals else "step"
        self._launch(kernel, how, self._given, self._games, self._shown, self._work, *self._rivals)

    def _launch(self, kernel: str, *given: Any) -> None:
        gpu.launch(self.game, kernel, self.n, *given)

    # --- travelling -------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        return self._made_of, self._terms, [array.copy_to_host() for array in self._held()]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._made_of, terms, arrays = state
        self._make(**self._made_of)
        self._terms[...] = terms
        self._work.terms.copy_to_device(terms)
        for own, array in zip(self._held(), arrays, strict=True):
            if array.size:  # those of nothing have strides of any kind, which may not match
                own.copy_to_device(array)

    def _held(self) -> tuple[Any, ...]:
        """The arrays that say where the games are; `parts` are observations."""
        return *self._games[:-1], *self._shown

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, on a graphics processor>"
