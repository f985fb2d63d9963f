"""A batch whose plays are stored and stepped on a GPU, with a thread for each play (`kernels/cuda.py`)."""

from typing import Any

import numpy as np

from ..core.kernels.batch_step import ALL_LEGAL, ERROR, InlineOpponents
from ..errors import SetupError
from . import cuda as gpu
from .batch import Batch
from .buffers import allocate_scratch, as_array

NO_THREADS = "A batch on a graphics processor has a thread for each game already: leave out `threads`."
ONLY_INLINE = (
    "A batch on a graphics processor asks no bots in Python: opponents are 'random', 'greedy', or bots that play "
    "within the loop, such as almunia.bots.make('greedy,epsilon=0.1', game)."
)


class CudaBatch(Batch):
    """Many plays of a game, stepped together on a GPU. `game.batch(..., device="cuda")` makes such a batch.

    Unlike in `Batch`, the arrays are numba-cuda arrays on the device. Libraries with `__cuda_array_interface__` can
    share the memory of the arrays, and `copy_to_host()` copies an array to NumPy. Actions and `where` may be on the
    device or in NumPy. A call returns before the device has finished. If illegal actions are errors, or without
    `autoreset`, a step first waits for the device to check the actions. Reading the arrays on another stream needs
    `cuda.synchronize()` first.
    """

    device_type = gpu.Device

    def _set_up(self, threads: int) -> None:
        if threads != 1:
            raise SetupError(NO_THREADS)
        if self._opponents and not self._opponents.all_inline:
            raise SetupError(ONLY_INLINE)
        self._device = self.device_type(self.game)
        try:
            self._move()
        except Exception as error:  # numba-cuda has one class for all driver errors
            if "OUT_OF_MEMORY" not in str(error):
                raise
            raise SetupError(f"{self!r} does not fit into the memory of the device: take fewer games.") from None

    def _move(self) -> None:
        cuda, parts = self._device.cuda, self._arrays.parts
        arrays = type(self._arrays)(*map(cuda.to_device, self._arrays._replace(parts=parts[:0])))
        if len(parts):
            arrays = arrays._replace(parts=arrays.observations.view(parts.dtype).reshape(len(parts)))
        self._arrays, self._actions = arrays, cuda.to_device(self._actions)
        self._rejected = cuda.to_device(np.full(1, self.n))
        scratch = allocate_scratch(self.game, self._config, self._blank)
        scratch = scratch._replace(config=cuda.to_device(scratch.config), blank=cuda.to_device(scratch.blank))
        self._scratches = gpu.per_thread_scratch(cuda.device_array, self.n, scratch)
        self._opponent_args: tuple[InlineOpponents, ...] = ()
        if self._opponents:
            kinds, epsilons, noises, work = self._opponents.kernel_args()
            work = gpu.per_thread_policy_scratch(cuda.device_array, self.n, work)
            weights = tuple(map(cuda.to_device, work.evaluation.weights))
            work = work._replace(evaluation=work.evaluation._replace(weights=weights))
            numbers = cuda.to_device(kinds), cuda.to_device(epsilons), cuda.to_device(noises)
            self._opponent_args = (InlineOpponents(*numbers, work),)

    def _copy_state(self, row: int) -> Any:
        return self._arrays.states[row : row + 1].copy_to_host()

    def sample(self, rng: np.random.Generator) -> Any:
        """Return a random legal action for each row, int32 (n,) on the device; arbitrary if no action is legal.

        The random numbers are drawn on the CPU. Raise SetupError if `rng` is no random generator of NumPy.
        """
        out = self._device.cuda.device_array(self.n, np.int32)
        uniforms = self._device.cuda.to_device(self._uniforms(rng))
        self._launch("sample_actions", uniforms, self._arrays.num_legal, self._arrays.legal_actions, out)
        return out

    # --- stepping ---------------------------------------------------------------------------------

    def _as_array(self, values: Any) -> Any:
        if getattr(values, "__cuda_ndarray__", False):  # numba's own
            return values
        return (
            self._device.cuda.as_cuda_array(values) if hasattr(values, "__cuda_array_interface__") else as_array(values)
        )

    def _on_host(self, array: Any) -> Any:
        return array.copy_to_host()

    def _stage(self, values: Any, array: Any) -> None:
        if not isinstance(values, np.ndarray):
            self._launch("stage", values, array)
        elif values.size:  # the strides of an empty array may not match
            array.copy_to_device(values.astype(array.dtype))

    def _first_rejected(self) -> int:
        illegal, autoreset = self._reject_args
        if illegal != ERROR and autoreset:
            return ALL_LEGAL
        arrays = self._arrays.selected, self._actions, self._arrays.num_legal, self._arrays.legal_actions
        self._launch("find_rejected", illegal, int(autoreset), *arrays, self._rejected)
        row = int(self._rejected.copy_to_host()[0])
        if row == self.n:
            return ALL_LEGAL
        self._rejected.copy_to_device(np.full(1, self.n))
        return row

    def _restart_episodes(self) -> None:
        self._scratches.config.copy_to_device(self._config)
        self._launch("restart_episodes", self._arrays.rows)

    def _advance(self, op: int) -> None:
        kernel = "step_against" if self._opponent_args else "step"
        self._launch(kernel, op, self._actions, self._arrays, self._scratches, *self._opponent_args)

    def _launch(self, kernel: str, *args: Any) -> None:
        self._device.launch(kernel, self.n, *args)

    # --- pickling ---------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        return self.game, self._settings, self._config, [array.copy_to_host() for array in self._saved_arrays()]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        super().__setstate__(state)
        self._scratches.config.copy_to_device(self._config)

    def _saved_arrays(self) -> tuple[Any, ...]:
        return self._arrays[:-1]

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, on a graphics processor>"


DEVICES: dict[str, type[Batch]] = {"cpu": Batch, "cuda": CudaBatch}
