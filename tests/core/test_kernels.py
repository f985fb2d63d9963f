"""Kernels from user modules: they run in both builds, are cached on disk, and follow every edit."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

import almunia
from almunia.engine import code_hash
from almunia.engine.numba import numba_backend
from almunia.engine.specialize import ModuleSpecializer

LOOP = '''
"""Counts legal actions."""
from typing import Any
import numpy as np
from numba import njit
import ownhelper
from almunia.engine.kernels.rng import randbelow, seed_rng
from ownhelper import TABLE, doubled

rules: Any

@njit
def added(a, b):
    return a + b

def legal_actions(states, seats, plays, rng, out, total):
    for seed in range(plays):
        states[1] = states[0]
        s = states[1]
        rules.setup(s, seats, seed)
        seed_rng(rng, seed)
        count = rules.legal(s, out)
        while count > 0:
            total[0] = added(total[0], doubled(count))
            rules.apply(s, 0 + out[randbelow(rng, count)])
            count = rules.legal(s, out)

def simple(i):
    return rules.ACTIONS + ownhelper.TABLE[doubled(i)]
'''
HELPER = """
import numpy as np
TABLE = np.array([100, 200, 300])
def doubled(n):
    return 2 * n
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path with a user's loop and its helper."""
    (tmp_path / "ownloop.py").write_text(LOOP)
    (tmp_path / "ownhelper.py").write_text(HELPER)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("own")]:
        del sys.modules[name]


def counted(game: almunia.Game, loop: ModuleType) -> int:
    """Return the number of legal actions in three random plays, counted by the loop."""
    out, rng, total = np.zeros(game.rules.ACTIONS, np.int32), np.zeros(4, np.int64), np.zeros(1, np.int64)
    lent = (game.wrap(array) for array in (np.repeat(game.empty_state({}), 2), rng, out, total))
    states, lent_rng, lent_out, lent_total = lent
    game.kernel(loop).legal_actions(states, 2, 3, lent_rng, lent_out, lent_total)
    return int(total[0])


@pytest.mark.compiled
@pytest.mark.slow
def test_a_user_kernel_runs_in_both_builds(own: Path) -> None:
    loop = importlib.import_module("ownloop")
    plain, fast = almunia.game("orchard", "plain"), almunia.game("orchard")
    found = counted(plain, loop)
    assert found > 1000
    assert counted(fast, loop) == found
    assert fast.kernel(loop) is fast.kernel(loop)
    assert not hasattr(loop, "rules")


def test_a_reload_is_followed(own: Path) -> None:
    game = almunia.game("orchard", "plain")
    loop = importlib.import_module("ownloop")
    first = game.kernel(loop).simple(1)
    assert first == game.rules.ACTIONS + 300
    assert game.kernel(loop) is game.kernel(loop)
    loop.TABLE[2] = 301  # a table that is changed in memory
    assert game.kernel(loop).simple(1) == first + 1
    (own / "ownhelper.py").write_text(HELPER.replace("2 * n", "0 * n"))
    importlib.reload(sys.modules["ownhelper"])
    importlib.reload(loop)
    assert game.kernel(loop).simple(1) == game.rules.ACTIONS + 100


PROGRAM = """
import almunia, ownloop
game = almunia.game("orchard")
simple = game.kernel(ownloop).simple
print(simple(1) - game.rules.ACTIONS, sum(simple.stats.cache_hits.values()))
"""


@pytest.mark.exhaustive  # five processes that compile; each kind of edit is seen by the digests below
def test_machine_code_of_user_kernels_is_cached_until_an_edit(own: Path, tmp_path: Path) -> None:
    def run() -> list[int]:
        environment = {**os.environ, "ALMUNIA_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["PYTHONPATH"] = os.pathsep.join([str(own), environment.get("PYTHONPATH", "")])
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, cwd=own)
        return [int(word) for word in done.stdout.split()]

    assert run() == [300, 0]
    assert run() == [300, 1]
    (own / "ownhelper.py").write_text(HELPER.replace("2 * n", "n"))
    assert run() == [200, 0]
    (own / "ownhelper.py").write_text(HELPER.replace("2 * n", "n").replace("200", "201"))
    assert run() == [201, 0]
    (own / "ownloop.py").write_text(LOOP.replace("def simple(i):\n    return ", "def simple(i):\n    return 1 + "))
    assert run() == [202, 0]


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (lambda i: i, "from a module, not from <function"),
        ("ownloop", "from a module, not from 'ownloop'"),
        (sys.modules["__main__"], "imported from a file, not '__main__'"),
        (ModuleType("cell"), "imported from a file, not 'cell'"),
        (sys, "imported from a file, not 'sys'"),
    ],
)
@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=pytest.mark.compiled)])
def test_invalid_kernels_are_refused(thing: Any, words: str, build: Any) -> None:
    with pytest.raises(almunia.SetupError, match=words):
        almunia.game("orchard", build).kernel(thing)


def test_a_module_that_python_does_not_know_is_refused(own: Path) -> None:
    loop = importlib.import_module("ownloop")
    del sys.modules["ownloop"]
    with pytest.raises(almunia.SetupError, match=r"'ownloop' is not in sys\.modules"):
        almunia.game("orchard", "plain").kernel(loop)


def test_a_failed_specialization_can_be_repeated(own: Path) -> None:
    loop = importlib.import_module("ownloop")
    failing = [True]

    def function(plain: Any) -> Any:
        if plain.__name__ == "doubled" and failing:
            raise KeyboardInterrupt
        return plain

    family = ModuleSpecializer(function)
    family.inject(rules=almunia.game("orchard", "plain").rules)
    with pytest.raises(KeyboardInterrupt):
        family.specialize(loop)
    failing.clear()
    twin = family.specialize(loop)
    assert twin.simple(0) == twin.rules.ACTIONS + 100
    assert twin.ownhelper.doubled is twin.doubled


# --- what digests see -----------------------------------------------------------------------------

BEFORE = """
import math
from collections import namedtuple
from enum import Enum
from functools import wraps
from typing import NamedTuple
import numpy as np

class Kind(Enum):
    A = 1

class Pair(NamedTuple):
    a: int
    b: int = 1

def made(k):
    def inner(x):
        return x + k
    return inner

KIND = Kind.A
SMALL = np.int32
LONG = (np.zeros(5000, np.int64), 1)
add = made(1)
__limit = 3
SIZE = namedtuple("Size", "w h")(3, 4)
def area(x, *, most=5):
    return math.pi * x
def worded():
    "a"
    return len("a")
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A = 1", "A = 2"),
        ("    a: int\n    b: int = 1", "    b: int\n    a: int = 1"),
        ("b: int = 1", "b: int = 2"),
        ("np.int32", "np.int64"),
        ("np.zeros(5000, np.int64)", "np.concatenate([np.zeros(2000, int), [1], np.zeros(2999, int)])"),
        ("made(1)", "made(2)"),
        ("x + k", "x - k"),
        ("most=5", "most=6"),
        ("math.pi", "math.e"),
        ("__limit = 3", "__limit = 4"),
        ('"w h"', '"h w"'),
        ('    "a"\n    return len("a")', '    "abc"\n    return len("abc")'),
    ],
)
def test_a_digest_sees_every_edit(own: Path, old: str, new: str) -> None:
    digests = set()
    for text in (BEFORE, BEFORE, BEFORE.replace(old, new)):
        (own / "ownedited.py").write_text(text)
        sys.modules.pop("ownedited", None)
        importlib.invalidate_caches()
        importlib.import_module("ownedited")
        digests.add(code_hash.digest(ModuleSpecializer(), "ownedited"))
    assert len(digests) == 2


def test_a_digest_sees_constants_of_libraries(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own / "ownedited.py").write_text(BEFORE)
    importlib.import_module("ownedited")
    before = code_hash.digest(ModuleSpecializer(), "ownedited")
    monkeypatch.setattr("math.pi", 3)
    assert code_hash.digest(ModuleSpecializer(), "ownedited") != before


def test_functions_in_tuples_are_needed_too(own: Path) -> None:
    (own / "ownparts.py").write_text("K = 5\ndef more(x):\n    return x + K\nALL = (1, (more,))\n")
    (own / "ownuser.py").write_text("from ownparts import ALL\ndef use(x):\n    return ALL[1][0](x)\n")
    importlib.import_module("ownuser")
    assert code_hash.transitive_modules(ModuleSpecializer(), "ownuser") == {"ownuser", "ownparts"}


def test_digests_describe_modules_as_they_were_compiled(own: Path) -> None:
    loop = importlib.import_module("ownloop")
    family = numba_backend("orchard")
    family.inject(rules=almunia.game("orchard").rules)
    twin = family.specialize(loop)
    before = code_hash.digest(family, "ownloop", family.source_namespace)
    loop.TABLE[2] += 7
    assert twin.TABLE[2] == loop.TABLE[2] - 7
    with pytest.raises(ValueError, match="read-only"):
        twin.TABLE[2] = 0
    (own / "ownhelper.py").write_text(HELPER.replace("2 * n", "0 * n"))
    importlib.reload(sys.modules["ownhelper"])
    assert code_hash.digest(family, "ownloop", family.source_namespace) == before != code_hash.digest(family, "ownloop")


def test_callers_of_foreign_machine_code_are_not_cached(own: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No hash covers the source of foreign machine code, so its callers are compiled at each start."""
    (own / "ownsealed.py").write_text("from numba import vectorize\n@vectorize\ndef up(x):\n    return x + 1\n")
    (own / "ownopen.py").write_text("from numba import njit, prange\n@njit\ndef up(x):\n    return x + 1\n")
    family = numba_backend("orchard")
    for name, expected in (("ownsealed", True), ("ownopen", False)):
        module = importlib.import_module(name)
        family.specialize(module)
        assert code_hash.reaches_foreign_jit(family, name) is expected
    assert isinstance(family.specialize(sys.modules["ownopen"]).up, numba.core.registry.CPUDispatcher)
