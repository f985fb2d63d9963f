"""Errors have built-in bases, so that programs can catch them without importing Almunia's classes."""

import copy
import pickle
import subprocess
import sys

import pytest

import almunia
from almunia.errors import UnknownOption

ORCHARD = almunia.game("orchard", "plain")

BASE_INSTALL = """
import pkgutil, re, sys
from importlib.metadata import packages_distributions, requires

needed, todo = set(), ["almunia"]
while todo:
    needed.add(name := todo.pop())
    lines = (line for line in requires(name) or () if "extra ==" not in line)
    todo += {re.match(r"[\\w.-]+", line)[0].lower() for line in lines} - needed
extras = {module for module, names in packages_distributions().items() if not needed & set(map(str.lower, names))}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in extras:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import almunia

print(*(module.name for module in pkgutil.walk_packages(almunia.__path__, "almunia.")))
"""


def test_all_modules_can_be_listed_in_a_base_install():
    command = [sys.executable, "-W", "error", "-c", BASE_INSTALL]
    walked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split()
    assert {"almunia.client", "almunia.envs.gymnasium", "almunia.server.app", "almunia.games.oregon.text"} <= {*walked}


@pytest.mark.parametrize(
    ("base", "action"),
    [
        (ValueError, lambda: ORCHARD.new(seats=99)),
        (ValueError, lambda: ORCHARD.new(seed=-1)),
        (ValueError, lambda: ORCHARD.new(seed=1).apply(10**6)),
        (ValueError, lambda: almunia.Record.parse("Dear history")),
        (TypeError, lambda: ORCHARD.new(weather="fine")),
        (TypeError, lambda: ORCHARD.batch(1, frameskip=1)),
    ],
)
def test_errors_have_built_in_bases(base, action):
    with pytest.raises(base) as caught:
        action()
    assert isinstance(caught.value, almunia.AlmuniaError)


def test_an_unknown_keyword_is_refused_as_python_does():
    with pytest.raises(UnknownOption, match=r"^Game\.new\(\) got an unexpected keyword argument 'seeds'\. "):
        ORCHARD.new(seeds=1)
    with pytest.raises(UnknownOption, match=r"^There is no option 'seeds' here; there are: "):
        ORCHARD.start(None, None, {"seeds": 1})


def test_a_missing_extra_names_its_package():
    error = almunia.MissingExtra.named("This needs", "httpx2", "client")
    assert isinstance(error, ImportError)
    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - ours
        assert (same.name, str(same)) == (
            "httpx2",
            "This needs the package httpx2, which is not installed: pip install 'almunia[client]'.",
        )
