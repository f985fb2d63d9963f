"""The command line prints a secret seed after the plays, and warns of a public seed."""

import json
import sys

import pytest

from almunia.cli import Exit

PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "choose":
        print(json.dumps({"action": message["actions"][0]["code"]}), flush=True)
"""


@pytest.fixture
def spec(tmp_path) -> str:
    (tmp_path / "mybot.py").write_text(PROGRAM)
    return f"external:{sys.executable} mybot.py"


def test_simulate_prints_the_secret_seed_at_the_end(almunia, spec) -> None:
    words = ["simulate", "orchard", "--build", "plain", "--games", 1, "--bot", spec]
    first, other = almunia(*words), almunia(*words)
    assert (first.code, first.err) == (Exit.OK, "")
    line = first.out.splitlines()[-1]
    assert line.startswith("The seed was ")
    assert line != other.out.splitlines()[-1]
    seed = line.removeprefix("The seed was ").rstrip(".")
    again = almunia(*words, "--seed", seed, "--json")
    assert "almunia: A program that knows the seed knows all cards" in again.err
    assert again.err.count("\n") == 1
    report = json.loads(again.out)
    assert report["seed"] == int(seed)
    assert f"{report['seats'][0]['mean']:.2f}" in first.out


def test_play_prints_the_secret_seed_at_the_end(almunia, spec) -> None:
    words = ["play", "orchard", "--build", "plain", "--bot", f"1={spec}"]
    assert almunia(*words).out.splitlines()[-1].startswith("The seed was ")
    warned = almunia(*words, "--seed", 3)
    assert "knows all cards" in warned.err
    assert "The seed was" not in warned.out


def test_the_seed_is_not_secret_without_programs(almunia) -> None:
    done = almunia("simulate", "orchard", "--build", "plain", "--games", 1)
    assert (done.err, "The seed was" in done.out) == ("", False)
    assert json.loads(almunia("simulate", "orchard", "--build", "plain", "--games", 1, "--json").out)["seed"] == 0


@pytest.mark.slow
@pytest.mark.compiled
def test_match_prints_the_secret_seed_at_the_end(almunia, spec) -> None:
    words = ["match", "orchard", "--seats", 2, "--bot", spec, "--against", "random", "--deals", 1]
    done = almunia(*words)
    assert done.code == Exit.OK, done.err
    assert done.out.splitlines()[-1].startswith("The seed was ")
    assert json.loads(almunia(*words, "--json").out)["seed"] > 0
    warned = almunia(*words, "--seed", 3)
    assert "knows all cards" in warned.err
    assert "The seed was" not in warned.out
