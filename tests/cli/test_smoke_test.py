"""The smoke test reports the first error once, with file and line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from almunia.cli import Exit

RARE = "    if in_deck(s) < s.seats:\n"  # before it comes what no play of the smoke test reaches


def checked(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `almunia check` in another process, because a process can load the modules of a game only once."""
    command = [sys.executable, "-m", "almunia", "check", "lantern", "--seats", "2", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def broken(almunia, folder: Path, old: str, new: str, module: str = "rules") -> int:
    """Write a new game with a mistake in a module, and return its line."""
    assert almunia("new", "lantern").code == Exit.OK
    path = folder / f"lantern/src/lantern/{module}.py"
    before, found, after = path.read_text("utf-8").partition(old)
    assert found
    path.write_text(before + new + after, "utf-8")
    return before.count("\n") + new.rstrip("\n").count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("me.cards -= 1", "me.crads -= 1", "this record has no field 'crads'."),
        ("me.shown = number", "me.shwon = number", "this record has no field 'shwon'."),
        ("def in_deck(s):", "def in_deck(s)", "SyntaxError: expected ':'"),
        ("SCORES = (", "SCORES = undefined + (", "NameError: name 'undefined' is not defined"),
    ],
    ids=["read", "written", "syntax", "name"],
)
def test_an_error_in_rules_is_reported_once_with_its_line(almunia, tmp_path, old, new, words) -> None:
    line = broken(almunia, tmp_path, old, new)
    done = checked(tmp_path)
    assert done.returncode == Exit.FAILED, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "FAILED  lantern  smoke test",
        f"        lantern/rules.py, line {line}: {words}",
        "lantern: nothing else was checked.",
    ]
    report = json.loads(checked(tmp_path, "--json").stdout)
    assert (report["passed"], len(report["failures"]), report["not_checked"]) == (0, 1, [])
    assert f"line {line}" in report["failures"][0]["found"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("range(s.seats))", "range(s.seets))", "this record has no field 'seets'."),
        ("len(shown) * STEP + 30", "len(shwon) * STEP + 30", "NameError: name 'shwon' is not defined"),
    ],
    ids=["described", "drawn"],
)
def test_an_error_in_a_picture_is_reported_with_its_line(almunia, tmp_path, old, new, words) -> None:
    line = broken(almunia, tmp_path, old, new, "view")
    assert f"lantern/view.py, line {line}: {words}" in checked(tmp_path).stdout


def test_a_dictionary_in_rules_is_refused_in_the_plain_build(almunia, tmp_path) -> None:
    line = broken(almunia, tmp_path, "SCORES = (", "PRICES = {0: 0}\nSCORES = (") and broken_again(tmp_path)
    done = checked(tmp_path)
    assert f"lantern/rules.py, line {line}: 'PRICES' is a dict, which does not compile" in done.stdout
    assert done.stderr == ""  # nothing had to be compiled to find it


def broken_again(folder: Path) -> int:
    """Use the dictionary in the rules, and return the line."""
    path = folder / "lantern/src/lantern/rules.py"
    before, _, after = path.read_text("utf-8").partition("me.cards -= 1")
    path.write_text(f"{before}me.cards -= 1 + PRICES[0]{after}", "utf-8")
    return before.count("\n") + 1


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("    if s.turn == 77:\n        s.seets = 1\n", "there is no 'seets' here."),
        pytest.param(
            "    if s.turn == 77:\n        draw(s, s.seat[0].crads)\n",
            "there is no 'crads' here.",
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["written", "read"],
)
def test_a_compilation_error_is_reported_with_its_line(almunia, tmp_path, new, words) -> None:
    line = broken(almunia, tmp_path, RARE, new + RARE) - 1
    assert f"lantern/rules.py, line {line}: {words}" in checked(tmp_path).stdout
