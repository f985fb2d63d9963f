"""The rules on a graphics processor, as far as tests without a device can show."""

import subprocess
import sys

import pytest

import almunia
from almunia.batch import cuda as gpu

FAST = almunia.game("orchard")
pytestmark = pytest.mark.slow  # what comes first imports numba-cuda


@pytest.mark.exhaustive
@pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
def test_a_kernel_compiles_for_a_gpu_before_any_cpu_code():
    """The test runs in another process, because earlier compilations of Numba may affect numba-cuda.

    That all kernels of a game compile is a check of the conformance suite.
    """
    program = "import almunia; from almunia.batch import cuda; print(cuda.ptx(almunia.game('oregon'), 'legal', (8, 0)))"
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=300)
    assert ".visible .entry" in done.stdout, done.stderr[-500:]
    assert ".target sm_80" in done.stdout


@pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
def test_an_unknown_kernel_is_refused():
    with pytest.raises(
        almunia.SetupError,
        match=r"no kernel 'nonsense'\. There are: legal, random_play, step, step_against\.",
    ):
        gpu.ptx(FAST, "nonsense")


def test_a_missing_numba_cuda_is_reported(monkeypatch):
    monkeypatch.setattr(gpu, "has_numba_cuda", lambda: False)
    with pytest.raises(almunia.MissingExtra, match=r"pip install 'almunia\[gpu\]'"):
        gpu.ptx(FAST, "legal")
    with pytest.raises(almunia.MissingExtra, match="numba-cuda"):
        gpu.Device(FAST)


@pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
def test_a_missing_device_is_reported():
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a graphics processor here")
    with pytest.raises(almunia.MissingExtra, match="no graphics processor"):
        gpu.Device(FAST)


@pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
def test_random_plays_on_a_device_equal_those_on_the_cpu():
    from numba import cuda

    if not cuda.is_available():
        pytest.skip("there is no graphics processor here")
    states, decisions = gpu.Device(FAST).random_plays(10, 1, 3, FAST.empty_state({}))
    play = FAST.new(seed=3)
    assert states.copy_to_host()["deck"][0, 0].tolist() == play.array["deck"][0].tolist()
    assert (decisions.copy_to_host() >= 8).all()


def added(out, factors):
    out[0] += factors[0] / 10
    out[1] += factors[1] / 4


def multiplied(out, factors):
    out[0] += factors[0] * 0.1


@pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
@pytest.mark.parametrize(("function", "times"), [(added, 0), (multiplied, 1)])
def test_inexact_instructions_are_found(function, times):
    """The compiler turns a quotient by a power of two into a product, which rounds nothing."""
    from numba import cuda, types

    with gpu.fake_device((9, 0)):
        kinds = (types.float32[::1], types.int64[::1])
        text, _ = cuda.compile(function, (*kinds,), cc=(9, 0), device=False, abi="numba", output="ptx")
    assert "fma.rn.f64" in text
    assert len(gpu.inexact_instructions(text)) == times


def test_inexact_products_that_are_added_later_are_found():
    lines = [
        "mul.f32 \t%f3, %f1, %f2;",
        "mul.f32 \t%f4, %f1, 0f3F000000;",
        "mul.lo.s64 \t%rd3, %rd1, %rd2;",
        "add.f32 \t%f5, %f4, %f1;",
        "add.s64 \t%rd4, %rd3, 1;",
        "ret;",
    ]
    assert gpu.inexact_instructions("\n".join(lines)) == []
    found = "sub.f32 \t%f6, %f1, %f3;"
    assert gpu.inexact_instructions("\n".join([*lines, found])) == [found]


@pytest.mark.skipif(not gpu.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])")
def test_the_plain_build_does_not_compile():
    with pytest.raises(almunia.SetupError, match="plain build of Orchard does not compile"):
        gpu.ptx(almunia.game("orchard", "plain"), "legal")
