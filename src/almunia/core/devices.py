"""Where batches are stepped."""

from ..errors import SetupError, one_of
from .arguments import is_name
from .batch import Batch

DEVICES = ("cpu", "cuda")


def batches_of(device: str) -> type[Batch]:
    """The class of batches that are stepped by the processor, or by a graphics processor; SetupError for others."""
    if not is_name(device, DEVICES):
        raise SetupError(f"Games are not stepped on {device!r}. There are: {one_of(DEVICES, str(device))}")
    if device == "cpu":
        return Batch
    from .gpu_batch import GpuBatch

    return GpuBatch
