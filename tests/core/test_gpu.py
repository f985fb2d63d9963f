"""The rules on a graphics processor, as far as that can be seen without one."""

import pytest

import almunia
from almunia.core import gpu

FAST = almunia.game("orchard")


@pytest.mark.skipif(not gpu.available(), reason="numba-cuda is not installed (the extra [gpu])")
@pytest.mark.parametrize("name", ["setup", "legal", "apply", "random_play"])
def test_kernels_compile_to_ptx(name):
    text = gpu.ptx(FAST, name)
    assert ".target sm_90" in text
    assert ".visible .entry" in text


def test_without_numba_cuda_a_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: False)
    with pytest.raises(almunia.MissingExtra, match=r"pip install 'almunia\[gpu\]'"):
        gpu.ptx(FAST, "legal")
    with pytest.raises(almunia.MissingExtra, match="numba-cuda"):
        gpu.random_plays(FAST, 1, 10)
