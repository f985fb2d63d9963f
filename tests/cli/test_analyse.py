"""The command analyse."""

import json

import pytest

from almunia.cli import Exit

pytestmark = pytest.mark.compiled


def test_analyse_names_the_costliest_choices_of_each_player(almunia, record) -> None:
    done = almunia("analyse", record, "--simulations", 40)
    assert done.code == Exit.OK
    first, *rest = done.out.splitlines()
    assert first.startswith("Player 1 (greedy): accuracy ")
    facts = json.loads(almunia("analyse", record, "--simulations", 40, "--json").out)
    (seat,) = facts["seats"]
    assert f"accuracy {seat['accuracy']:.0f}" in first
    costly = [one for one in facts["decisions"] if one["verdict"] != "good"]
    costly.sort(key=lambda one: -one["lost_chance"])
    *rest, luck = rest
    points = facts["luck"]["seats"][0]["points"]
    parts = points["expected"] + points["luck"] + points["choices"]
    assert parts == pytest.approx(points["result"], abs=0.001)
    assert f"{points['result']:.0f} points: {points['expected']:.1f} between greedy bots" in luck
    assert f"draws {points['luck']:+.1f} ±{points['luck_error']:.1f} points, choices of all" in luck
    assert facts["luck"]["draws"][0]["number"] == 0, "the deal"
    assert len(rest) == min(3, len(costly))
    for line, one in zip(rest, costly, strict=False):
        assert f"{one['number']}. {one['action']}: {one['verdict']}, costs {one['lost_points']:.1f} points" in line
        assert line.endswith(f"better: {one['best']}")


def test_the_chance_to_win_is_shown_if_there_are_opponents(almunia) -> None:
    almunia("play", "orchard", "--seats", 2, "--seed", 7, "--bot", "random", "--bot", "1=random", "--save", "game.txt")
    done = almunia("analyse", "game.txt", "--simulations", 40)
    assert done.out.count(": accuracy ") == 2
    groups = [lines.splitlines()[1:] for lines in done.out.split("Player ")[1:]]
    assert " to win; better: place " in done.out
    facts = json.loads(almunia("analyse", "game.txt", "--simulations", 40, "--json").out)
    assert {one["seat"] for one in facts["decisions"]} == {1, 2}
    assert all(len(one["chances"]) == 2 for one in facts["decisions"])
    assert all(abs(sum(one["chances"]) - 1) < 0.001 for one in facts["decisions"])
    assert all(0 < one["chance"] < 1 and 0 <= one["lost_chance"] < 1 for one in facts["decisions"])
    for seat in facts["seats"]:
        verdicts = [one["verdict"] for one in facts["decisions"] if one["seat"] == seat["seat"]]
        assert seat["blunder"] == verdicts.count("blunder")
        assert seat["good"] == verdicts.count("good")
        costly = len(verdicts) - seat["good"]
        assert costly > 3, "random moves"
        assert len(groups[seat["seat"] - 1]) == 5
        assert groups[seat["seat"] - 1][-2] == f"  and {costly - 3} more"


def test_a_record_that_cannot_be_analysed_is_refused(almunia, record) -> None:
    lost = almunia("analyse", "nowhere.txt")
    assert (lost.code, lost.out) == (Exit.BAD_INPUT, "")
    assert "nowhere.txt" in lost.err
    record.write_text(record.read_text("utf-8").replace("place ", "eat ", 1), "utf-8")
    assert "cannot be played" in almunia("analyse", record).err
    assert "--simulations" in almunia("analyse", record, "--simulations", 0).err
