"""The programs in `benchmarks`: their arguments, and their list in README.md."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from almunia.arena.bench import Figure
from almunia.catalog import game_packages

benchmarks = pytest.importorskip("benchmarks")
FOLDER = Path(benchmarks.__file__).parent
README = (FOLDER / "README.md").read_text("utf-8")
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if "__main__" in path.read_text("utf-8"))


def test_the_readme_lists_every_program() -> None:
    assert PROGRAMS == ["analysis", "batch", "envs", "exploitability", "gpu", "search", "site", "speed"]
    assert sorted(set(re.findall(r"python -m benchmarks\.(\w+)", README))) == PROGRAMS


def test_the_readme_names_the_peers_that_the_extra_installs() -> None:
    extras = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    requirements = [*extras["peers"], *extras["openspiel"]]
    versions = dict(re.findall(r"^([\w-]+)(?:\[classic\])?>=([\d.]+)$", "\n".join(requirements), re.MULTILINE))
    assert len(versions) == 6
    for package, oldest in versions.items():
        assert f"| `{package}` | {oldest} |" in README


@pytest.mark.parametrize("program", [name for name in PROGRAMS if name != "exploitability"])  # takes bots
def test_a_wrong_game_is_refused_before_the_work_starts(program, capsys) -> None:
    main = import_module(f"benchmarks.{program}").main
    assert main(["orchard", "chess"]) == 2
    assert f"python -m benchmarks.{program}: There is no game called 'chess'" in capsys.readouterr().err


def test_a_wrong_argument_is_named(capsys) -> None:
    for program, words, sentence in (
        ("speed", ["--repeats", "0"], "'0' is not an integer of at least 1"),
        ("site", ["--repeats", "3"], "unrecognized arguments: --repeats"),
        ("search", ["--rate", "5"], "unrecognized arguments: --rate"),
    ):
        with pytest.raises(SystemExit, match="2"):
            import_module(f"benchmarks.{program}").main(words)
        assert sentence in capsys.readouterr().err.lower()


def test_invalid_arguments_start_no_site(capsys) -> None:
    from benchmarks.site import main

    assert main(["orchard", "--bot", "genius"]) == 2
    assert "--bot takes a level, beginner, easy, medium, hard, expert, not 'genius'." in capsys.readouterr().err
    assert main(["orchard", "--processes", "2"]) == 2
    assert "With SQLite one process serves a site." in capsys.readouterr().err


def test_figures_are_printed_for_people_and_for_programs(monkeypatch, capsys) -> None:
    from benchmarks import search

    asked = []

    def measure(name, repeats):
        asked.append((name, repeats))
        return [Figure("beams", "beams/s", [1234.0], 2000.0, higher_is_better=True)]

    monkeypatch.setattr(search, "measure", measure)
    assert search.main(["orchard"]) == 0
    assert re.search(r"\norchard\n  beams +1,234 beams/s +at least 2,000: not met\n", capsys.readouterr().out)
    assert search.main(["--json", "--repeats", "2"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["machine"]["NumPy"] == version("numpy")
    assert report["figures"].keys() == set(game_packages())
    assert asked == [("orchard", 5), *((name, 2) for name in sorted(game_packages()))]


def test_a_program_starts_as_a_module() -> None:
    command = [sys.executable, "-m", "benchmarks.site", "--help"]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=True)
    assert "--streams N" in done.stdout


def test_catanatron_is_measured_after_the_game(monkeypatch) -> None:
    from benchmarks import speed

    monkeypatch.setattr(speed.bench, "measure", lambda *_: iter(["ours"]))
    monkeypatch.setattr(speed, "catanatron", lambda _: "theirs")
    for installed, figures in ((True, ["ours", "theirs"]), (False, ["ours"])):
        monkeypatch.setattr(speed, "find_spec", lambda _, found=installed: found)
        assert [*speed.measure("orchard")] == figures


@pytest.mark.exhaustive
def test_catanatron_makes_decisions(monkeypatch) -> None:
    from benchmarks import speed

    pytest.importorskip("catanatron")
    monkeypatch.setattr(speed, "MATCHES", 1)
    assert speed.catanatron(1).value > 0
