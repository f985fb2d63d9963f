"""Schemas: what component data must be, said in sentences; and damage to every part of the games' own data."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy

import pytest

import almunia
from almunia import catalog
from almunia.core import component_data, schema
from almunia.core.schema import among, different, entry, falling, name, rising, rows, total, whole

TREES = {
    "tree": [{"id": "oak", "height": 30, "rings": [1, 2]}, {"id": "elm", "height": 25, "near": "oak"}],
    "box": {"trees": 2, "tall": 55, "by_seats": {"2": 5, "3": 6}},
}


@pytest.mark.parametrize(
    ("rules", "sentences"),
    [
        ({"box.trees": 2, "tree.*.near": "oak", "tree.*.rings.*": whole(1, 2)}, []),
        ({"box.trees": 3}, ["box, trees is 2 and must be 3"]),
        ({"tree.*.id": "oak"}, ["tree 2, id is 'elm' and must be 'oak'"]),
        ({"tree.*.rings.*": whole(2, 2)}, ["tree 1, rings 1 is 1 and must be from 2 to 2"]),
        ({"box.by_seats.*": whole(1, 5)}, ["box, by_seats, 3 is 6 and must be from 1 to 5"]),
        ({"tree.*.id": among("elm", "fir")}, ["tree 1, id is 'oak' and must be one of elm, fir"]),
        ({"tree.*.near": entry("tree.*.id")}, []),
        ({"tree.*.id": entry("tree.*.near")}, ["tree 2, id is 'elm' and must be one of oak"]),
        ({"tree": rows(2), "tree.*.rings": rows(1, 2, repeats=False)}, []),
        ({"tree.*.rings": rows(3)}, ["tree 1, rings is [1, 2] and must have 3 rows"]),
        ({"tree.*.rings": rows(3, 4)}, ["tree 1, rings is [1, 2] and must have from 3 to 4 rows"]),
        ({"tree.*.rings": (rising, rows(2))}, []),
        ({"tree.*.rings": (falling, rows(1))}, ["falling from each number to the next", "must have 1 row"]),
        ({"tree.*.height": total(55)}, []),
        ({"tree.*.height": total("box.tall")}, []),
        ({"tree.*.height": total("box.by_seats.*")}, ["tree 1, height to tree 2, height add up to 55 and must add"]),
        ({"tree.*.id": name(), "tree.*.height": different("box.tall")}, []),
        ({"tree.*.id": different("tree.*.near")}, ["tree 1, id is 'oak' and must be another one than tree 2, near"]),
        ({"box.trees.*": 1, "box.nothing": 1, "nothing.*": 1}, []),
    ],
)
def test_what_breaks_a_rule_is_told_with_its_place(rules, sentences):
    found = list(schema.faults(TREES, rules))
    assert len(found) == len(sentences)
    assert all(sentence in told for sentence, told in zip(sentences, found, strict=True)), found


def test_further_checks_may_rely_on_the_rules():
    def too_near(data):
        yield f"{data['tree'][0]['near']} is too near"

    assert list(schema.faults(TREES, {"tree.*.near": "elm"}, too_near)) == ["tree 2, near is 'oak' and must be 'elm'"]
    trees = {"tree": [{"near": "oak"}]}
    assert list(schema.faults(trees, {"tree": rows(1)}, too_near, too_near)) == ["oak is too near"] * 2


@pytest.mark.parametrize("word", ["", " oak", "oak  elm", "oak\nelm", "oak\telm", "\N{ZERO WIDTH SPACE}"])
def test_a_name_is_words_on_one_line(word):
    (sentence,) = schema.faults({"tree": [{"id": word}]}, {"tree.*.id": name()})
    assert "tree 1, id is" in sentence
    assert sentence.endswith("must be words with single spaces between them")


def test_names_that_differ_in_capitals_alone_are_alike():
    (sentence,) = schema.faults({"tree": [{"id": "oak"}, {"id": "Oak"}]}, {"tree.*.id": name()})
    assert sentence == "tree 2, id is 'Oak' and must be another one than tree 1, id"


def test_rows_that_repeat_and_long_choices_are_told_in_short():
    (sentence,) = schema.faults({"tree": [1, 1]}, {"tree": rows(2, repeats=False)})
    assert sentence == "tree is [1, 1] and must have no row twice"
    (sentence,) = schema.faults({"tree": 0}, {"tree": among(*range(1, 100))})
    assert len(sentence) < 130
    assert sentence.endswith("...")


# --- every part of the games' own data, damaged -----------------------------------------------------------

PLACES = 150  # of each game's data that are damaged here
PLAYED = 4  # of the damaged data that are taken, and so must be played to the end
PLAYS = """
import random, sys
import almunia
game = almunia.game(sys.argv[1], "plain")
for seats in game.meta.seats:
    play, generator = game.new(seats=seats, seed=seats), random.Random(seats)
    for _ in range(10_000):
        if play.over:
            break
        if len(play.actions) % 50 == 0:
            seen = play.observe(play.turn)
            seen.tensor(), seen.board(), [play.say(action) for action in play.legal]
        play.apply(generator.choice(play.legal))
    assert play.outcome, f"no end with {seats} seats"
"""


def damages(value) -> list:
    """What may stand in a file instead of a value, or of a list or table."""
    match value:
        case bool():
            return [not value]
        case int() | float():
            return [0, value + 1, value - 1, 2 * value, -value - 1]
        case str():
            return ["", "x", value * 2]
        case list():
            return [value[1:], value[:1] + value, value[::-1], []]
    return [{key: part for key, part in value.items() if key != left} for left in list(value)[:2]]


def parts(value, way=()) -> Iterator[tuple]:
    """The way to every value, list and table in component data."""
    if way:
        yield way
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from parts(part, (*way, key))


def damaged(own) -> Iterator[tuple[tuple, object]]:
    """Component data with one part damaged, again and again: the way to the part, and all data."""
    data, ways = deepcopy(own), list(parts(own))
    step = max(1, len(ways) // PLACES)
    for number, (*way, last) in enumerate(ways[::step]):
        part = data
        for key in way:
            part = part[key]
        kept = part[last]
        wrong = damages(kept)
        if wrong:
            part[last] = wrong[number % len(wrong)]
            yield (*way, last), data
            part[last] = kept


def toml(value) -> str:
    """A value as a component file has it."""
    match value:
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)} = {toml(part)}" for key, part in value.items()) + "}"
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case str() | bool():
            return json.dumps(value)
    return repr(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "package",
    [pytest.param(name, marks=[] if name == "oregon" else pytest.mark.exhaustive) for name in catalog.packages()],
)
def test_damaged_data_are_refused_by_table_or_can_be_played(package, tmp_path):
    """A sentence names a table; what is taken in spite of its damage can be played to the end."""
    game = almunia.game(package, "plain")
    components = game._module("components")
    taken = []
    for way, data in damaged(components.DATA):
        found = list(component_data.unlike([components.DATA], data, "")) or list(components.faults(data))
        for sentence in found:
            assert any(re.search(rf"\b{table}\b", sentence) for table in components.DATA), sentence
        if not found and way[0] in components.TABLES and data != components.DATA:
            taken.append((way, deepcopy(data)))
    for way, data in taken[:: len(taken) // PLAYED + 1]:
        (tmp_path / f"{game.package.rpartition('.')[2]}.toml").write_text(
            "".join(f"{table} = {toml(part)}\n" for table, part in data.items()), "utf-8"
        )
        environment = {**os.environ, component_data.FOLDER: str(tmp_path)}
        command = [sys.executable, "-c", PLAYS, game.name]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (way, done.stderr)
