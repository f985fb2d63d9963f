"""The command puzzles."""

import json
from pathlib import Path

import pytest

from almunia.cli import Exit
from almunia.puzzles import Puzzle

pytestmark = pytest.mark.compiled


def test_puzzles_are_printed_and_written(almunia) -> None:
    games = ("--bot", "greedy,epsilon=0.3", "--seed", 19, "--games", 1, "--simulations", 100)
    done = almunia("puzzles", "oregon", *games, "--count", 1, "--out", "found.jsonl")
    assert done.code == Exit.OK
    (puzzle,) = [Puzzle.from_json(line) for line in Path("found.jsonl").read_text("utf-8").splitlines()]
    line, answers = done.out.splitlines()
    assert line == f"seed 19, 2 seats, move {len(puzzle.actions) + 1} ({puzzle.theme.stage}): {puzzle.solution.words}"
    assert f"gap {puzzle.gap:.0%} ({puzzle.interval[0]:.0%} to {puzzle.interval[1]:.0%}): " in answers
    assert all(f"{answer.words} {answer.chance:.0%}" in answers for answer in puzzle.answers)
    assert puzzle.players == ("greedy,epsilon=0.3",) * 2
    (facts,) = json.loads(almunia("puzzles", "oregon", *games, "--count", 1, "--json").out)
    assert facts == json.loads(puzzle.to_json())


def test_a_record_is_searched_instead_of_games_between_bots(almunia) -> None:
    almunia("play", "oregon", "--seats", 2, "--seed", 5, "--bot", "random", "--bot", "1=random", "--save", "game.txt")
    done = almunia("puzzles", "oregon", "--record", "game.txt", "--simulations", 20)
    *found, last = done.out.splitlines()
    assert all(line.startswith("seed 5, ") for line in found[::2])
    assert last == f"Found {len(found) // 2} of 10 puzzles. Search more games with --games."


def test_a_search_that_cannot_begin_is_refused(almunia, record) -> None:
    other = almunia("puzzles", "oregon", "--record", record)
    assert other.code == Exit.BAD_INPUT
    assert "is a record of 'orchard', not of 'oregon'" in other.err
    assert "no game called 'nothing'" in almunia("puzzles", "nothing").err
    assert "'nobody'" in almunia("puzzles", "orchard", "--bot", "nobody").err
    assert "--count" in almunia("puzzles", "orchard", "--count", 0).err
