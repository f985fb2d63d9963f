"""Component data of every game: what a corrected file may say, and what is refused in a sentence."""

from copy import deepcopy
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from almunia import catalog
from almunia.core.component_data import shown

KNOWN = {
    name: (import_module(f"{package}.components"), import_module(f"{package}.tests.faults"))
    for name, package in catalog.packages().items()
    if find_spec(f"{package}.tests") and find_spec(f"{package}.tests.faults")
}
assert KNOWN


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


@pytest.mark.parametrize("name", KNOWN)
def test_what_cannot_be_is_refused(name: str) -> None:
    """Table, row and value are named, and what the value must be."""
    box, cases = KNOWN[name]
    for path, value, sentence in cases.FAULTS:
        found = list(box.faults(changed(box.DATA, path, value)))
        assert any(sentence in told for told in found), (path, value, found)


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_documented_stays_as_it_is(name: str) -> None:
    """One more, the opposite, or a part left out."""
    box, cases = KNOWN[name]
    for path in cases.DOCUMENTED:
        own = box.DATA
        for key in path.split("."):
            own = own[key]
        wrong = not own if isinstance(own, bool) else own + 1 if isinstance(own, int) else one_less(own)
        sentence = f"{path.replace('.', ', ')} is {shown(wrong)} and must be {shown(own)}"
        found = list(box.faults(changed(box.DATA, path, wrong)))
        assert sentence in found, (path, found)


def one_less(table: Any) -> Any:
    """A table or list without its first entry."""
    return dict(list(table.items())[1:]) if isinstance(table, dict) else table[1:]


@pytest.mark.parametrize("name", KNOWN)
def test_what_an_owner_may_correct_is_taken(name: str) -> None:
    box, cases = KNOWN[name]
    for path, value in cases.CORRECTIONS:
        assert not list(box.faults(changed(box.DATA, path, value))), (path, value)


@pytest.mark.parametrize("name", KNOWN)
def test_the_games_own_data_have_no_faults(name: str) -> None:
    box, _ = KNOWN[name]
    assert not list(box.faults(box.DATA))
