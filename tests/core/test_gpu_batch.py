"""Batches on a graphics processor, as far as tests without a device can show: on the simulator, and refusals."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import almunia
from almunia.batch import cuda as gpu, cuda_batch
from almunia.batch.cuda_batch import CudaBatch
from almunia.catalog import game_packages
from almunia.core.kernels.batch_step import ThreadScratch
from almunia.core.loaded import LoadedGame

OREGON = almunia.game("oregon")
NEEDS_CUDA = pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
SIMULATED = Path(__file__).with_name("gpu_simulated.py")


@pytest.mark.exhaustive
@NEEDS_CUDA
def test_batches_on_the_simulator_equal_those_on_the_cpu() -> None:
    """The tests run in another process, since numba decides at its start whether the simulator is used."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SIMULATED)]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-500:]


@pytest.mark.parametrize("device", ["gpu", "cuda:1", None])
def test_an_unknown_device_is_refused(device: str) -> None:
    with pytest.raises(almunia.SetupError, match=r"There is no device .*\. There are: cpu, cuda\."):
        OREGON.batch(2, device=device)  # type: ignore[arg-type]  # on purpose


def test_a_missing_numba_cuda_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "has_numba_cuda", lambda: False)
    with pytest.raises(almunia.MissingExtra, match=r"pip install 'almunia\[gpu\]'"):
        OREGON.batch(2, device="cuda")


@pytest.mark.slow
@NEEDS_CUDA
def test_a_missing_device_is_reported() -> None:
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a graphics processor here")
    with pytest.raises(almunia.MissingExtra, match=r"no graphics processor here .* Leave out device='cuda'"):
        OREGON.batch(2, device="cuda")


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "oregon" else pytest.mark.exhaustive) for name in game_packages()]
)
def test_results_do_not_depend_on_uninitialized_scratch_space(name: str) -> None:
    """On a device, scratch space is not zeroed."""
    game = almunia.game(name)
    clean, dirty = (game.batch(3, 2, seed=4, opponents=["greedy"], seat="random", reward="points") for _ in range(2))
    _, _, _, _, scratch, opponents = dirty._loop_args[0]
    work, trial = opponents.work, opponents.work.evaluation
    arrays = trial.states, trial.table, trial.values, trial.notes
    for array in (*ThreadScratch(*scratch)[2:], *work[:4], *arrays, work.action_values):
        array.view(np.uint8)[...] = 0x5A
    dirty.reset(seed=4)
    for _ in range(60):
        for array in ("observations", "action_masks", "rewards", "done", "current_seats"):
            assert getattr(clean, array).tobytes() == getattr(dirty, array).tobytes(), array
        actions = clean.legal_actions[:, 0].copy()
        clean.step(actions)
        dirty.step(actions)


@pytest.mark.slow
@NEEDS_CUDA
@pytest.mark.parametrize("terms", [{}, {"opponents": "greedy"}])
def test_launched_arguments_have_the_compiled_types(monkeypatch: pytest.MonkeyPatch, terms: dict[str, str]) -> None:
    """Arrays of numba-cuda without memory are typed, sliced and viewed as on a device."""
    import numba
    from numba.cuda.cudadrv import devices
    from numba.cuda.cudadrv.devicearray import DeviceNDArray
    from numba.cuda.typing.typeof import Purpose, typeof

    class Nowhere(DeviceNDArray):
        """A device array without memory."""

        def copy_to_device(self, *_: object) -> None:
            """Copy nothing."""

    class Memory:
        """A stand-in for device memory."""

        def view(self, *_: object) -> "Memory":
            """Return the stand-in itself."""
            return self

    def made(shape: tuple[int, ...], dtype: np.dtype) -> Nowhere:
        like = np.empty(shape, dtype)
        return Nowhere(like.shape, like.strides, like.dtype, gpu_data=Memory())

    launched: list[tuple[str, tuple[object, ...]]] = []

    class NoDevice(gpu.Device):
        """A device that stores the arguments of each launch."""

        def __init__(self, game: LoadedGame) -> None:
            to_device = lambda array: made(array.shape, array.dtype)  # noqa: E731
            self.game, self.cuda = game, SimpleNamespace(to_device=to_device, device_array=made)

        def launch(self, name: str, _threads: int, *args: object) -> None:
            launched.append((name, args))

    class BatchNowhere(CudaBatch):
        device_type = NoDevice

    monkeypatch.setattr(devices._runtime, "ensure_context", nullcontext)
    monkeypatch.setattr(devices, "get_context", lambda: None)
    monkeypatch.setitem(cuda_batch.DEVICES, "cuda", BatchNowhere)
    batch = OREGON.batch(7, 4, device="cuda", final_observations=True, **terms)  # type: ignore[call-overload]  # as it is typed
    ((name, given),) = launched
    assert name == ("step_against" if terms else "step")
    for argument, compiled in zip(given, gpu.sample_arguments(OREGON, name), strict=True):
        wanted = numba.types.int64 if compiled is int else numba.typeof(compiled)
        assert typeof(argument, Purpose.argument) == wanted
    assert batch.action_masks.dtype == np.bool_
    assert batch.observations.shape == batch.final_observations.shape == (7, OREGON.tensor_size)
