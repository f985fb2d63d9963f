"""The plain build refuses code in kernels that other builds cannot compile, but accepts it in words and pictures."""

import importlib
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import almunia
from almunia.engine.checked import CheckedRecord

GAME = almunia.game("orchard", "plain")
LOOP = """
from typing import Any
rules: Any
PRICES = {0: 1}
LINES = [1, 2]
COLOURS = {1, 2}
PAIR = (1, 2)

def reads(i):
    return PRICES[i]

def asks(i):
    return PRICES.get(i)

def walks():
    for line in LINES:
        return line

def holds(i):
    return i in COLOURS

def pair(i):
    return PAIR[i]

def looks_up(i):
    prices = {0: i, 1: 2}
    return prices[1]

def gathers(i):
    seen = set()
    seen.add(i)
    return len(seen)

def maps(i):
    return len({k: i for k in range(i)})

def is_one_of(i):
    return i in {1, 2}
"""


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "dictloop.py").write_text(LOOP)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("dictloop")
    del sys.modules["dictloop"]


@pytest.mark.parametrize(
    ("name", "given", "line", "kind"),
    [
        ("reads", (0,), 10, "'PRICES' is a dict"),
        ("asks", (0,), 13, "'PRICES' is a dict"),
        ("walks", (), 16, "'LINES' is a list"),
        ("holds", (1,), 20, "'COLOURS' is a set"),
        ("looks_up", (1,), 26, "looks_up makes a dict"),
        ("gathers", (1,), 30, "gathers makes a set"),
        ("maps", (3,), 35, "maps makes a dict"),
        ("is_one_of", (3,), 38, "is_one_of makes a set"),
    ],
)
def test_loops_may_not_use_it(loop: ModuleType, name: str, given: tuple[int, ...], line: int, kind: str) -> None:
    with pytest.raises(TypeError, match=rf"dictloop\.py, line {line}: {kind}, which does not compile"):
        getattr(GAME.kernel(loop), name)(*given)
    assert GAME.kernel(loop).pair(1) == 2


def test_words_and_pictures_may(loop: ModuleType) -> None:
    assert GAME.checked(loop).reads(0) == 1
    assert GAME.checked(loop).looks_up(5) == 2


def test_an_unknown_field_is_reported_with_its_line() -> None:
    state = GAME.new(seed=1).state
    for wrong in (lambda: state.scroe, lambda: setattr(state, "scroe", 1)):
        with pytest.raises(AttributeError, match=r"test_uncompiled\.py, line \d+: this record has no field 'scroe'"):
            wrong()
    assert not hasattr(state, "scroe")


def test_fields_of_a_record_are_read_as_they_are_now() -> None:
    seats = np.dtype([("money", np.int8)])
    parts = [("turn", np.int8), ("copy", np.int8), ("cards", np.int8, (2,)), ("first", seats), ("seat", seats, (2,))]
    record: Any = CheckedRecord(np.zeros((), parts))
    assert record.turn == record.first.money == 0
    record.turn, record.first.money, record.cards[1], record.seat[1].money = 1, 2, 3, 4
    other = pickle.loads(pickle.dumps(record)).copy()  # noqa: S301 - our own
    record.turn = 5
    assert [record.turn, other.turn, other.first.money, other.cards[1], other.seat[1].money] == [5, 1, 2, 3, 4]
    assert record.cards is record.cards
    assert record.first is record.first
