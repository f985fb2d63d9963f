"""Specialized copies of modules, and cached machine code that follows every edit."""

import importlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree
from threading import Event, RLock, current_thread
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from almunia.core import loaded
from almunia.engine import code_hash, numba, specialize as twins
from almunia.engine.checked import CheckedArray
from almunia.engine.kernels import rng
from almunia.engine.numba import cache_folder, cache_key, enable_caching
from almunia.engine.numba_dispatcher import KernelDispatcher
from almunia.errors import SetupError
from almunia.library import Game


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


def test_a_specialized_module_wraps_functions_and_tables_without_changing_the_source(family):
    use, more, _ = family
    wrapped = []
    pair = twins.ModuleSpecializer(lambda f: wrapped.append(f.__name__) or f, CheckedArray, ("toyfamily",))
    pair.inject(lent=more)
    twin = pair.specialize(use)
    assert twin.third(2) == 13
    assert set(wrapped) == {"third", "helped", "extra"}
    assert isinstance(twin.tables.TABLE, CheckedArray)
    assert isinstance(use.tables.TABLE, np.ndarray)
    assert isinstance(twin, ModuleType)
    with pytest.raises(IndexError):
        twin.third(-1)
    assert pair.specialize(use) is twin


class Pair(NamedTuple):
    small: np.ndarray
    large: np.ndarray


def test_tables_in_tuples_are_wrapped_at_any_depth(family):
    use, _, _ = family
    use.PAIR = Pair(np.array([1]), np.array([2]))
    use.NESTED = (3, (np.array([4]), use.third))
    pair = twins.ModuleSpecializer(table=CheckedArray, roots=("toyfamily",))
    twin = pair.specialize(use)
    assert type(twin.PAIR) is Pair
    for table in (twin.PAIR.large, twin.NESTED[1][0]):
        with pytest.raises(IndexError):
            table[-1]
    assert twin.NESTED[1][1] is twin.third


def test_a_digest_covers_a_function_beside_a_table(family):
    use, _, _ = family
    use.MIXED = (np.array([4]), use.helped)
    pair = twins.ModuleSpecializer(KernelDispatcher, roots=("toyfamily",))
    pair.specialize(use)
    copied = pair.source_namespace("toyfamily.use")["MIXED"]
    assert isinstance(copied[1], KernelDispatcher)
    assert code_hash.describe(copied) == code_hash.describe(use.MIXED)


def test_a_module_with_failing_annotations_is_not_cached(family):
    use, more, _ = family
    annotations = vars(use).pop("__annotations__")
    use.__annotate__, use.__class__ = lambda _format: {}["name"], LazilyAnnotated
    pair = twins.ModuleSpecializer(roots=("toyfamily",))
    pair.inject(lent=more)
    with pytest.raises(KeyError):
        pair.specialize(use)
    use.__annotate__ = lambda _format: annotations
    assert pair.specialize(use).third(2) == 13


def test_a_digest_covers_all_reachable_modules(family):
    use, more, _ = family
    pair = twins.ModuleSpecializer(roots=("toyfamily",))
    pair.inject(lent=more)
    pair.specialize(use)
    assert code_hash.transitive_modules(pair, "toyfamily.use") == {
        "toyfamily.use",
        "toyfamily.tables",
        "toyfamily.more",
    }
    digests = [code_hash.digest(pair, "toyfamily.use")]
    for change in (
        lambda: use.tables.TABLE.__setitem__(0, 9),
        lambda: setattr(use.tables, "NUMBER", 4),
        lambda: setattr(use.tables, "PAIR", (1, 2)),
        lambda: setattr(more, "extra", lambda: 11),
    ):
        change()
        digests.append(code_hash.digest(pair, "toyfamily.use"))
    assert len(set(digests)) == 5
    use.tables.helped.__doc__ = "Words change nothing."
    assert code_hash.digest(pair, "toyfamily.use") == digests[-1]


class LazilyAnnotated(ModuleType):
    """A module of Python 3.14: its namespace has a function in place of the annotations."""

    @property
    def __annotations__(self):
        return self.__annotate__(1)


def test_open_names_are_found_if_a_module_computes_its_annotations_late(family):
    use, more, _ = family
    annotations = vars(use).pop("__annotations__")
    use.__annotate__, use.__class__ = lambda _format: annotations, LazilyAnnotated
    use.__annotate__.__module__ = "toyfamily.use"
    wrapped = []
    pair = twins.ModuleSpecializer(lambda f: wrapped.append(f.__name__) or f, roots=("toyfamily",))
    pair.inject(lent=more)
    assert "toyfamily.more" in code_hash.transitive_modules(pair, "toyfamily.use")
    assert pair.specialize(use).third(2) == 13
    assert set(wrapped) == {"third", "helped", "extra"}
    assert "toyfamily.more" in code_hash.transitive_modules(pair, "toyfamily.use", pair.source_namespace)


def test_words_and_places_of_a_function_are_not_described():
    texts = ('def f():\n    """One."""\n    return 5', '\n\ndef f():\n    """Other."""\n\n    return 5')
    first, second, other = (described(text) for text in (*texts, texts[0].replace("5", "6")))
    assert first == second != other


def described(text):
    space = {}
    exec(text, space)  # noqa: S102 - the texts above
    return code_hash.describe(space["f"])


GAME = {
    "__init__.py": "from almunia.core.contract import Meta\n"
    'META = Meta(name="toygame", title="Toy", designers=("Us",), year=2026, seats=(1, 2), about="A toy.")\n',
    "components.toml": "[cards]\nhighest = 5\n",
    "components.py": "from almunia.core.component_data import read\nDATA = read(__file__, 'toygame.schema')\n"
    'TABLES = ("cards",)\nHIGHEST = DATA["cards"]["highest"]\n',
    "schema.py": "from almunia.core.corrections import Corrections, Partial\nclass Cards(Partial):\n    highest: int\n"
    "class Tables(Corrections):\n    cards: Cards\n",
    "choosing.py": "def least(a, b):\n    return a if a < b else b\n",
    "rules.py": "from . import components as box\nfrom .choosing import least\nACTIONS = 1\n"
    "def worth(card):\n    return least(card, box.HIGHEST)\n",
    "observe.py": "",
}
PROGRAM = """
from almunia import game
from almunia import catalog

catalog.register("toygame", "toygame")
fast, plain = game("toygame"), game("toygame", "plain")
worth = fast.kernel(fast.rules).worth
print(worth(99), plain.kernel(plain.rules).worth(99), fast.components_hash)
print(*(sum(counts.values()) for counts in (worth.stats.cache_hits, worth.stats.cache_misses)))
"""


RELOADING = """
import importlib, sys
from pathlib import Path
from almunia import game
from almunia import catalog

catalog.register("toygame", "toygame")
fast = game("toygame")
fast.kernel(fast.rules).worth(1)
if len(sys.argv) > 1:
    path = Path(fast.rules.__file__)
    path.write_text(path.read_text().replace("least(card, box.HIGHEST)", "1000 + card"))
    importlib.reload(fast.rules)
import toyloop
print(fast.kernel(toyloop).twice(7))
"""


class Start(NamedTuple):
    """The numbers that another process got from the game."""

    compiled: int
    plain: int
    components: str  # the hash of the data
    hits: int  # how often machine code was found
    misses: int  # and how often it was made


@pytest.fixture
def start(tmp_path):
    """Return a function that runs PROGRAM in another process. All runs share a cache folder."""
    package = tmp_path / "toygame"
    package.mkdir()
    for name, text in GAME.items():
        (package / name).write_text(text)
    place = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python takes an edit of the same length in the same second for none
        "ALMUNIA_CACHE": str(tmp_path / "cache"),
    }

    def starting(**environment: str) -> Start:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **place, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        compiled, plain, components, hits, misses = done.stdout.split()
        return Start(int(compiled), int(plain), components, int(hits), int(misses))

    return starting


@pytest.mark.slow
def test_machine_code_is_cached_until_an_edit(start, tmp_path):
    """An edit in another file counts, too, while the machine code of the old text is in the cache."""
    first, second = start(), start()
    assert (first.hits, first.misses) == (0, 1)
    assert (second.hits, second.misses) == (1, 0)
    assert (first.compiled, second.compiled) == (5, 5)
    path = tmp_path / "toygame" / "choosing.py"
    path.write_text(path.read_text().replace("a if a < b else b", "b if a < b else a"))
    edited = start()
    assert (edited.compiled, edited.plain) == (99, 99)
    assert (edited.hits, edited.misses) == (0, 1)


@pytest.mark.exhaustive
def test_the_cache_ignores_paths_and_comments(start, tmp_path):
    assert start().misses == 1
    package = tmp_path / "elsewhere" / "toygame"
    copytree(tmp_path / "toygame", package)
    rules = package / "rules.py"
    rules.write_text(rules.read_text() + "# That is all.\n")
    moved = start(PYTHONPATH=os.pathsep.join([str(package.parent), *sys.path]))
    assert (moved.compiled, moved.hits, moved.misses) == (5, 1, 0)


@pytest.mark.exhaustive
def test_machine_code_of_old_rules_is_not_used_after_a_reload(start, tmp_path):
    """Code compiled after a reload still calls the old rules, so it must not be cached for the new ones."""
    (tmp_path / "toyloop.py").write_text(
        "from typing import Any\nrules: Any\ndef twice(card):\n    return 2 * rules.worth(card)\n"
    )
    place = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "ALMUNIA_CACHE": str(tmp_path / "cache")}

    def run(*words: str) -> str:
        command = [sys.executable, "-B", "-c", RELOADING, *words]
        return subprocess.run(command, env=os.environ | place, capture_output=True, text=True, check=True).stdout

    assert run("reload") == "10\n"
    assert run() == "2014\n"


@pytest.mark.exhaustive
def test_corrected_data_reaches_the_machine_code(start, tmp_path):
    """A changed number changes hash and results, while the machine code for the old number is in the cache."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "toygame.toml").write_text(GAME["components.toml"].replace("5", "7"))
    own, corrected, again = start(), start(ALMUNIA_COMPONENTS=str(mine)), start()
    assert (own.compiled, own.plain) == (5, 5)
    assert (corrected.compiled, corrected.plain) == (7, 7)
    assert (corrected.hits, corrected.misses) == (0, 1)
    assert corrected.components != own.components
    assert again == own._replace(hits=1, misses=0)


def test_a_submodule_that_no_function_reads_changes_no_hash(tmp_path, monkeypatch):
    files = {
        "__init__.py": "from . import used\ndef worth():\n    return used.inner.HIGHEST\n",
        "used/__init__.py": "from . import inner\n",
        "used/inner.py": "HIGHEST = 5\n",
        "schema.py": "LOWEST = 1\n",
    }
    for name, text in files.items():
        path = tmp_path / "toybox" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    backend = twins.ModuleSpecializer(roots=("toybox",))
    importlib.import_module("toybox")
    before = code_hash.digest(backend, "toybox")
    importlib.import_module("toybox.schema")  # which Python makes an attribute of the package
    assert code_hash.digest(backend, "toybox") == before
    monkeypatch.setattr(sys.modules["toybox.used.inner"], "HIGHEST", 6)
    assert code_hash.digest(backend, "toybox") != before


def test_an_unwritable_cache_folder_is_not_used(monkeypatch, tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ALMUNIA_CACHE", str(blocked))
    assert cache_folder("toy", "one") is None
    assert "compiled again at each start" in caplog.text


def test_other_states_get_other_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))
    before = cache_folder("toy", "one")
    assert before.is_dir()
    assert cache_folder("toy", "one") == before != cache_folder("toy", "two")
    with monkeypatch.context() as other:
        other.setattr("numba.__version__", "99")
        assert cache_folder("toy", "one") != before
    os.utime(before, (0, 0))
    assert cache_folder("toy", "three").is_dir()
    assert not before.exists()


def test_a_folder_created_concurrently_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))

    def make(parent):
        (parent / cache_key("one")).mkdir(parents=True)

    monkeypatch.setattr(numba, "delete_unused_folders", make)
    assert cache_folder("toy", "one") == tmp_path / "toy" / cache_key("one")


def test_a_folder_deleted_concurrently_raises_no_error(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))
    gone = tmp_path / "toy" / "gone"
    monkeypatch.setattr(Path, "glob", lambda _path, _pattern: iter([gone]))
    assert cache_folder("toy", "one").is_dir()
    assert not caplog.text


def test_a_folder_that_can_only_be_read_is_used(monkeypatch, tmp_path, caplog):
    def refuse(*_args, **_named):
        raise PermissionError("read-only")

    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))
    folder = cache_folder("toy", "one")
    monkeypatch.setattr("os.utime", refuse)
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)  # Numba's test of whether a folder can be written
    assert cache_folder("toy", "one") == folder
    kernel = KernelDispatcher(rng.randbelow)
    enable_caching(kernel, folder)
    assert Path(kernel.stats.cache_path).parent == folder
    assert not caplog.text


def test_an_unknown_build_is_refused():
    from almunia.library import Game

    with pytest.raises(SetupError, match="'compiled' or 'plain'"):
        Game("orchard", "quick")  # type: ignore[arg-type]


def test_the_description_of_a_set_does_not_depend_on_order() -> None:
    one, other = frozenset([0, 8, 16]), frozenset([16, 8, 0])  # these collide, so the first comes first
    assert repr(one) != repr(other)
    assert code_hash.describe(one) == code_hash.describe(other)


def test_concurrent_threads_specialize_once(monkeypatch):
    """The first thread goes on only when all others have reached the lock."""
    made, make, arrived, all_there, lock = [], loaded.checked_backend, set(), Event(), RLock()

    def arrive():
        arrived.add(current_thread())
        if len(arrived) == 4:
            all_there.set()

    class Watched:
        def __enter__(self):
            arrive()
            lock.acquire()

        def __exit__(self, *_):
            lock.release()

    def slowly(*given, **named):
        made.append(1)
        arrive()
        came = all_there.wait(60)
        all_there.set()  # nobody waits again, if not all have come
        assert came
        return make(*given, **named)

    monkeypatch.setattr(loaded, "checked_backend", slowly)
    monkeypatch.setattr(loaded, "_SPECIALIZE_LOCK", Watched())
    game = Game("orchard", "plain")
    with ThreadPoolExecutor(4) as threads:
        found = {id(twins) for twins in threads.map(lambda _: game.backend, range(4))}
    assert len(found) == len(made) == 1
