"""Every game's scenarios, records and laws in the plain build, which find most mistakes in rules within seconds."""

from pathlib import Path
from random import Random

import pytest

import almunia
from almunia.catalog import game_packages, toy_packages
from almunia.conformance import cases
from almunia.library import replay
from almunia.play.record import Record
from almunia.scenario import run

FOLDERS = [Path(almunia.__file__).with_name(name) for name in ("games", "toy_games")]


def brought(kind: str) -> list[object]:
    """Return the text files of a kind that the games bring with their tests."""
    found = sorted(path for folder in FOLDERS for path in folder.glob(f"*/tests/{kind}/*.txt"))
    return [pytest.param(path, id=f"{path.parts[-4]}-{path.stem}") for path in found]


@pytest.mark.parametrize("path", brought("scenarios"))
def test_a_scenario_comes_out(path: Path) -> None:
    run(path)


@pytest.mark.parametrize("path", brought("records"))
def test_a_record_comes_out_as_it_did(path: Path) -> None:
    replay(Record.parse(path.read_text("utf-8")), build="plain")


@pytest.mark.parametrize(
    "case",
    [one for name in (*game_packages(), *toy_packages()) for one in cases(name) if not one.options],
    ids=str,
)
def test_laws_hold_in_a_random_play(case) -> None:
    play, rng = case.start(case.plain, case.seats), Random(case.seats)
    while not play.over:
        assert case.scenario_words.broken(play.state) == ""
        play.apply(rng.choice(play.legal_actions))
    assert case.scenario_words.broken(play.state) == ""
