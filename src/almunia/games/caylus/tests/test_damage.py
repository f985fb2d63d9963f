"""Tests of Caylus with damaged component data: a sentence refuses them, or the game can be played [D36]."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest

from almunia.core.component_data import FOLDER, Data, unlike
from almunia.games.caylus.components import DATA, TABLES, faults

Way = tuple[str | int, ...]
Damage = tuple[Way, Any]
GONE = object()
MOST = 60  # damages in a file, at most
NOTES = ("src", "conf")


def ways(value: Any, way: Way = ()) -> Iterator[Damage]:
    """Yield every table, row and value of the data, with its path."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if key not in NOTES:
            yield (*way, key), part
        if isinstance(part, dict | list):
            yield from ways(part, (*way, key))


def damages() -> Iterator[Damage]:
    """Yield the data the rules depend on with one change each: another number or word, or a part removed."""
    for way, part in ways({name: DATA[name] for name in TABLES}):
        yield way, GONE
        if isinstance(part, bool):
            yield way, not part
        elif isinstance(part, int):
            yield from ((way, value) for value in {part + 1, part - 1, 0} - {part})
        elif isinstance(part, str):
            yield way, f"{part} too"
        elif isinstance(part, list):
            yield way, [*part, part[-1]]


def changed(data: Any, way: Way, value: Any) -> Any:
    """Return a copy of the data with one place changed."""
    if not way:
        return value
    key, *rest = way
    part = GONE if not rest and value is GONE else changed(data[key], tuple(rest), value)
    if isinstance(data, list):
        return [*data[:key], *([] if part is GONE else [part]), *data[key + 1 :]]
    return {name: part if name == key else value for name, value in data.items() if name != key or part is not GONE}


def refused(data: Data, table: str) -> list[str]:
    """Return the faults of data with one table replaced; the schema checks the types of values first."""
    return list(unlike([{table: DATA[table]}], {table: data[table]}, "")) or list(faults(data))


@cache
def taken(step: int) -> list[Damage]:
    """Return every `step`-th damage that is not refused."""
    found = []
    for way, value in islice(damages(), 0, None, step):
        data = changed(DATA, way, value)
        told = refused(data, way[0]) if way[0] in data else list(unlike([DATA], data, ""))
        assert all(" must " in sentence or " lacks " in sentence or "not known" in sentence for sentence in told)
        if not told:
            found.append((way, value))
    return found


def together(damages: list[Damage], most: int) -> list[Data]:
    """Combine damages into files, at most one of the same part in each, and none that others make impossible."""
    files, left = [], damages
    while left:
        data, places, later = DATA, set[Way](), list[Damage]()
        for way, value in left:
            trial = DATA if way[:3] in places or len(places) == most else changed(data, way, value)
            if trial is DATA or refused(trial, way[0]):
                later.append((way, value))
            else:
                data, places = trial, {*places, way[:3]}
        files.append(data)
        left = later
    return files


def written(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {written(part)}' for key, part in value.items())}}}"
    return f"[{', '.join(map(written, value))}]" if isinstance(value, list) else json.dumps(value)


def play(data: Data, folder: Any) -> str:
    """Play with these data in a process of its own, and return its error."""
    (folder / "caylus.toml").write_text("\n".join(f"{json.dumps(key)} = {written(part)}" for key, part in data.items()))
    command = [sys.executable, "-m", "almunia.games.caylus.tests.played"]
    done = subprocess.run(command, env={**os.environ, FOLDER: str(folder)}, capture_output=True, text=True, check=False)
    return done.stderr


@pytest.mark.slow
def test_the_game_can_be_played_with_some_damages(tmp_path):
    """[D36]: one file has as many of the tried damages as possible."""
    (data, *_) = together(taken(29), MOST)
    assert data != DATA
    assert not play(data, tmp_path)


@pytest.mark.exhaustive
def test_the_game_can_be_played_with_all_damages(tmp_path):
    """[D36]: all damages that no sentence refuses."""
    for data in together(taken(1), MOST):
        assert not play(data, tmp_path)


@pytest.mark.exhaustive
def test_only_what_is_printed_on_tiles_or_drawn_may_be_corrected():
    """[D36]: apart from remarks and the stock, which limits nothing [1.1, D21]."""
    free = {"stock", "name", "cost", "pp", "options", "layout_rows", "tie"}
    assert not [way for way, _ in taken(1) if not free & {*way}]
    assert [way for way, _ in taken(1) if way[:1] == ("building",)]
