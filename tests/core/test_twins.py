"""Twins: the same text in several builds, and machine code that follows every edit."""

import importlib
import os
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from almunia.core import sources, twins
from almunia.core.checked import Checked
from almunia.errors import SetupError


@pytest.fixture
def family(tmp_path, monkeypatch):
    """A package of two modules: one with a table and a helper, one that uses both."""
    package = tmp_path / "toyfamily"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tables.py").write_text(
        "import numpy as np\nTABLE = np.array([1, 2, 3])\ndef helped(i):\n    return i\n"
    )
    text = "from typing import Any\nfrom . import tables\nfrom .tables import helped\nlent: Any\n"
    text += "def third(i):\n    return tables.TABLE[helped(i)] + lent.extra()\n"
    (package / "use.py").write_text(text)
    (package / "more.py").write_text("def extra():\n    return 10\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("toyfamily.use"), importlib.import_module("toyfamily.more"), package
    for name in [name for name in sys.modules if name.startswith("toyfamily")]:
        del sys.modules[name]


def test_a_twin_wraps_functions_and_tables_and_leaves_the_module_alone(family):
    use, more, _ = family
    wrapped = []
    pair = twins.Twins(lambda f: wrapped.append(f.__name__) or f, Checked, ("toyfamily",))
    pair.give(lent=more)
    twin = pair.of(use)
    assert twin.third(2) == 13
    assert set(wrapped) == {"third", "helped", "extra"}
    assert isinstance(twin.tables.TABLE, Checked)
    assert isinstance(use.tables.TABLE, np.ndarray)
    assert isinstance(twin, ModuleType)
    with pytest.raises(IndexError):
        twin.third(-1)
    assert pair.of(use) is twin


def test_sources_are_all_that_a_module_imports(family):
    use, _, package = family
    found = sources.closure("toyfamily.use", {"lent": "toyfamily.more"}, {"toyfamily"})
    assert found == {"toyfamily", "toyfamily.use", "toyfamily.tables", "toyfamily.more"}
    before = sources.digest(found)
    (package / "tables.py").write_text("TABLE = [1, 2, 4]\n")
    assert sources.digest(found) != before
    assert use.__name__ in found


PROGRAM = """
import almunia, time, sys
game = almunia.game("orchard")
begin = time.perf_counter()
play = game.new(seed=1)
print(game.loops.begin.stats.cache_hits and sum(game.loops.begin.stats.cache_hits.values()))
"""


def cache_hits(cache) -> str:
    environment = {**os.environ, "ALMUNIA_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_a_second_start_finds_its_machine_code(tmp_path):
    assert cache_hits(tmp_path) in ("0", "None", "Counter()")
    assert cache_hits(tmp_path) == "1"


def test_other_components_get_other_machine_code():
    from almunia.core.compiled import cache_folder

    assert cache_folder("toy", "one") == cache_folder("toy", "one") != cache_folder("toy", "two")


def test_an_unknown_build_is_refused():
    from almunia.core.game import Game

    with pytest.raises(SetupError, match="'compiled' or 'plain'"):
        Game("orchard", "quick")  # type: ignore[arg-type]
