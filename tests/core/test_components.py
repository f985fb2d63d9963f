"""Component data of every game: what a corrected file may say, and what is refused in a sentence."""

from copy import deepcopy
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from almunia.core import registry
from almunia.core.component_data import shown

KNOWN = {
    name: (import_module(f"{package}.components"), import_module(f"{package}.tests.faults"))
    for name, package in registry.packages().items()
    if find_spec(f"{package}.tests") and find_spec(f"{package}.tests.faults")
}
assert KNOWN


def each(kind: str) -> list[Any]:
    """What the games list under a name, with the module that reads their data."""
    found = []
    for name, (box, faults) in KNOWN.items():
        for case in getattr(faults, kind):
            path, *given = [case] if isinstance(case, str) else case
            label = f"{name}-{path}-{given[0]}"[:60] if given else f"{name}-{path}"
            found.append(pytest.param(box, path, *given, id=label))
    return found


def changed(data: Any, path: str, value: object) -> Any:
    """The data with one value changed, or left out if it is None."""
    data = deepcopy(data)
    *way, last = path.split(".")
    table = data
    for key in way:
        table = table[int(key) if isinstance(table, list) else key]
    place = int(last) if isinstance(table, list) else last
    if value is None:
        del table[place]
    else:
        table[place] = value
    return data


@pytest.mark.parametrize(("box", "path", "value", "sentence"), each("FAULTS"))
def test_what_cannot_be_is_refused(box: Any, path: str, value: object, sentence: str) -> None:
    """Table, row and value are named, and what the value must be."""
    found = list(box.faults(changed(box.DATA, path, value)))
    assert any(sentence in told for told in found), found


@pytest.mark.parametrize(("box", "path"), each("DOCUMENTED"))
def test_what_is_documented_stays_as_it_is(box: Any, path: str) -> None:
    """One more, the opposite, or a part left out."""
    own = box.DATA
    for key in path.split("."):
        own = own[key]
    match own:
        case bool():
            wrong: object = not own
        case int():
            wrong = own + 1
        case dict():
            wrong = dict(list(own.items())[1:])
        case _:
            wrong = own[1:]
    found = list(box.faults(changed(box.DATA, path, wrong)))
    sentence = f"{path.replace('.', ', ')} is {shown(wrong)} and must be {shown(own)}"
    assert sentence in found, found


@pytest.mark.parametrize(("box", "path", "value"), each("CORRECTIONS"))
def test_what_an_owner_may_correct_is_taken(box: Any, path: str, value: object) -> None:
    assert not list(box.faults(changed(box.DATA, path, value)))


@pytest.mark.parametrize("name", KNOWN)
def test_the_games_own_data_have_no_faults(name: str) -> None:
    box, _ = KNOWN[name]
    assert not list(box.faults(box.DATA))
