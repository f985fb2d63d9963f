"""PTX is compiled once for each state of the code and of its compiler."""

import pytest

from almunia.batch import cuda
from almunia.games.orchard import bots
from almunia.library import Game

pytestmark = [
    pytest.mark.slow,  # what comes first imports numba-cuda
    pytest.mark.skipif(not cuda.has_numba_cuda(), reason="numba-cuda is not installed (the extra [gpu])"),
]


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Replace the compiler and empty the cache. Return the list of kernels that will be compiled."""
    found = []
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))
    monkeypatch.setattr(cuda, "ptx", lambda _, name: found.append(name) or f"a kernel, {name}")
    return found


def test_a_kernel_is_compiled_once(made):
    for name in ("step", "step", "step_against", "step"):
        assert cuda.cached_ptx(Game("orchard"), name) == f"a kernel, {name}"
    assert made == ["step", "step_against"]


def test_changed_rules_are_compiled_again(made, monkeypatch):
    cuda.cached_ptx(Game("orchard"), "step")
    space = {"__name__": bots.__name__}
    exec("def evaluate(s, table, out):\n    out[0] = 1.0", space)  # noqa: S102 - the text on this line
    monkeypatch.setattr(bots, "evaluate", space["evaluate"])
    for _ in range(2):
        cuda.cached_ptx(Game("orchard"), "step")
    assert made == ["step", "step"]


@pytest.mark.parametrize(
    ("module", "name", "other"),
    [
        (cuda, "getsource", lambda _: "another program"),
        (cuda, "argument_types", lambda *_: ()),
        (cuda, "version", lambda _: "0.1"),
    ],
)
def test_a_changed_part_of_the_key_is_compiled_again(made, monkeypatch, module, name, other):
    """The program, the types of arguments and the version of the compiler are part of the key."""
    cuda.cached_ptx(Game("orchard"), "step")
    monkeypatch.setattr(module, name, other)
    cuda.cached_ptx(Game("orchard"), "step")
    assert made == ["step", "step"]


def test_failed_compilations_are_not_cached(made, monkeypatch):
    def fails(*_):
        made.append("failed")
        raise TypeError("no such function")

    monkeypatch.setattr(cuda, "ptx", fails)
    for _ in range(2):
        with pytest.raises(TypeError, match="no such function"):
            cuda.cached_ptx(Game("orchard"), "step")
    assert made == ["failed", "failed"]


def test_ptx_is_compiled_each_time_without_a_writable_cache(made, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path / "file"))
    for _ in range(2):
        cuda.cached_ptx(Game("orchard"), "step")
    assert made == ["step", "step"]
