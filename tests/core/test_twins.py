"""Twins: the same text in several builds, and machine code that follows every edit."""

import importlib
import os
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

import almunia
from almunia.core import content, twins
from almunia.core.checked import Checked
from almunia.core.compiled import cache_folder
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


def test_a_digest_covers_all_that_a_module_reaches(family):
    use, more, _ = family
    pair = twins.Twins(roots=("toyfamily",))
    pair.give(lent=more)
    pair.of(use)
    assert content.reached(pair, "toyfamily.use") == {"toyfamily.use", "toyfamily.tables", "toyfamily.more"}
    digests = {content.digest(pair, "toyfamily.use")}
    for change in (
        lambda: use.tables.TABLE.__setitem__(0, 9),
        lambda: setattr(use.tables, "NUMBER", 4),
        lambda: setattr(use.tables, "PAIR", (1, 2)),
        lambda: setattr(more, "extra", lambda: 11),
    ):
        change()
        digests.add(content.digest(pair, "toyfamily.use"))
    assert len(digests) == 5
    use.tables.helped.__doc__ = "Words change nothing."
    assert content.digest(pair, "toyfamily.use") in digests


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


EDITED = """
import sys
from pathlib import Path

import almunia

folder = Path(sys.argv[1])
folder.mkdir(exist_ok=True)
Path(folder, "orchard.toml").write_text(Path(sys.argv[2]).read_text().replace("penalty_each = 3", sys.argv[3]))
game = almunia.game("orchard")
result = game.simulate(40, bots=["random"])["scores"].sum()
print(game.components, result == almunia.game("orchard", "plain").simulate(40, bots=["random"])["scores"].sum(), result)
"""


@pytest.mark.slow
def test_corrected_data_reaches_the_machine_code(tmp_path):
    """A number changed in the data changes hash and results, with the machine code of the old ones at hand."""
    original = str(almunia.game("orchard").file("components.toml"))
    told = []
    for change in ("penalty_each = 3", "penalty_each = 9"):
        environment = {**os.environ, "ALMUNIA_COMPONENTS": str(tmp_path)}
        command = [sys.executable, "-c", EDITED, str(tmp_path), original, change]
        told.append(subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.split())
    assert [words[1] for words in told] == ["True", "True"]
    assert told[0][0] != told[1][0]
    assert told[0][2] != told[1][2]


def test_a_folder_that_cannot_be_written_is_done_without(monkeypatch, tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ALMUNIA_CACHE", str(blocked))
    assert cache_folder("toy", "one") is None
    assert "compiled anew at each start" in caplog.text


def test_other_states_get_other_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))
    assert cache_folder("toy", "one") == cache_folder("toy", "one") != cache_folder("toy", "two")
    before = cache_folder("toy", "one")
    with monkeypatch.context() as other:
        other.setattr("numba.__version__", "99")
        assert cache_folder("toy", "one") != before
    os.utime(before, (0, 0))
    assert cache_folder("toy", "three").is_dir()
    assert not before.exists()


def test_an_unknown_build_is_refused():
    from almunia.core.game import Game

    with pytest.raises(SetupError, match="'compiled' or 'plain'"):
        Game("orchard", "quick")  # type: ignore[arg-type]


def test_a_set_is_described_the_same_whatever_its_order() -> None:
    one, other = frozenset([0, 8, 16]), frozenset([16, 8, 0])  # these collide, so the first comes first
    assert repr(one) != repr(other)
    assert content.description(one) == content.description(other)
