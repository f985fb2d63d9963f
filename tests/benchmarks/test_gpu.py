"""The figures of a GPU. tests/core/gpu_simulated.py runs the benchmark on a simulator."""

import json

import pytest

from almunia import game
from almunia.batch import cuda
from benchmarks import gpu


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.skipif(not cuda.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
def test_without_a_gpu_the_resources_of_kernels_are_measured(capsys, monkeypatch) -> None:
    monkeypatch.setattr(gpu, "KERNELS", {"legal": "a list"})
    monkeypatch.setattr(gpu, "has_device", lambda: False)
    assert gpu.main(["orchard", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    figures = {figure["what"]: figure["value"] for figure in report["figures"]["orchard"]}
    assert report["machine"]["graphics processor"].startswith("There is no graphics processor here")
    assert list(figures) == [
        f"the kernel of a list: {what}" for what in ("registers", "bytes of stack", "bytes spilled")
    ]
    assert figures["the kernel of a list: registers"] > 8


def test_spills_and_stacks_are_parsed_from_the_log_of_the_assembler(monkeypatch) -> None:
    log = """
    ptxas         .     64 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
    ptxas info    : Used 40 registers, used 1 barriers, 64 bytes cumulative stack size
    ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 255 registers, used 0 barriers
    """
    monkeypatch.setattr(gpu.cuda, "ptx", lambda *_: "")
    monkeypatch.setattr(gpu, "assembler_log", lambda *_: log)
    assert gpu.resources(game("orchard"), "step") == {"registers": 255, "bytes of stack": 64, "bytes spilled": 12}
