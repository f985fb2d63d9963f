"""The commands check and new: a new game, and the checks that find faults in the game."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from almunia import conformance
from almunia.cli import Exit, main
from almunia.cli.commands.new import template_files


def command(*words, cwd):
    """Run `almunia` in another process, because a process can load the modules of a game only once."""
    process = [sys.executable, "-m", "almunia", *map(str, words)]
    return subprocess.run(process, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def lantern(tmp_path_factory) -> Path:
    """Return the folder of a new game."""
    folder = tmp_path_factory.mktemp("games") / "lantern"
    assert main(["new", "lantern", "--title", "The Lantern", "--folder", str(folder)]) == Exit.OK
    return folder


@pytest.mark.slow
@pytest.mark.compiled
def test_a_new_game_passes_the_check_as_written(lantern) -> None:
    done = command("check", lantern, cwd=lantern)
    assert done.returncode == Exit.OK, done.stdout + done.stderr
    assert re.search(r"^lantern: \d+ passed, 3 not checked\.$", done.stdout, re.MULTILINE)  # it has no lesson yet
    assert "FAILED" not in done.stdout


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_a_bare_game_passes_the_check_as_written(tmp_path) -> None:
    assert main(["new", "lantern", "--bare", "--folder", str(tmp_path / "lantern")]) == Exit.OK
    done = command("check", "lantern", "--seats", 2, "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["failures"]) == (Exit.OK, [])
    skipped = [one["check"] for one in report["not_checked"] if "The game has no pictures" in one["found"]]
    assert set(skipped) == {
        "equal_keys_give_equal_pictures",
        "icons_are_explained",
        "log_lines_have_targets",
        "pictures_depend_on_nothing_but_keys",
        "previews_render",
    }


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_a_new_game_passes_its_own_tests(lantern) -> None:
    registration = (
        "from pathlib import Path; from almunia.cli.commands.check import register_plugin; register_plugin(Path())"
    )
    code = f"{registration}; import pytest, sys; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=lantern, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.fullmatch(r"\d+ passed in .*", done.stdout.splitlines()[-1])


# What is wrong in a game and where, and the check that finds it.
FAULTS = {
    ("observe.py", "s.where[number] == DECK or (", "("): "nothing_leaks",
    ("rules.py", "s.seat[p].shown > s.seat[best].shown", "s.seat[p].shown < s.seat[best].shown"): "scenarios_hold",
    ("view.py", 'f"card-{number}", number)', 'f"card-{number}", 1)'): "pictures_offer_legal_actions",
}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_a_broken_game_fails_the_check(lantern, tmp_path) -> None:
    """One game has three faults, because compiling takes long. A different check finds each fault."""
    shutil.copytree(lantern, tmp_path / "lantern")
    for file, right, wrong in FAULTS:
        path = tmp_path / "lantern/src/lantern" / file
        text = path.read_text("utf-8")
        assert right in text
        path.write_text(text.replace(right, wrong), "utf-8")
    done = command("check", "lantern", "--seats", 2, "--json", cwd=tmp_path)
    assert done.returncode == Exit.FAILED, done.stdout + done.stderr
    failed = {failure["check"] for failure in json.loads(done.stdout)["failures"]}
    assert set(FAULTS.values()) <= failed


@pytest.mark.compiled
def test_a_skipped_check_is_reported_with_its_reason(almunia, monkeypatch) -> None:
    """The check is counted as not checked, neither as passed nor as failed."""

    def skip(case) -> None:
        raise conformance.Skipped("There is no paint.")

    for check in list(conformance.CHECKS):
        monkeypatch.delitem(conformance.CHECKS, check)
    monkeypatch.setitem(conformance.CHECKS, "paint_dries", skip)
    monkeypatch.setitem(conformance.CHECKS, "grass_grows", lambda _: None)
    done = almunia("check", "orchard", "--seats", 3)
    assert done.code == Exit.OK
    assert done.out.splitlines() == [
        "not checked orchard-3  paint dries",
        "        There is no paint.",
        "ok      orchard-3  grass grows",
        "orchard: 1 passed, 1 not checked.",
    ]
    report = json.loads(almunia("check", "orchard", "--seats", 3, "--json").out)
    assert report["failures"] == []
    assert report["passed"] == 1
    assert report["not_checked"] == [{"check": "paint_dries", "case": "orchard-3", "found": "There is no paint."}]


def test_new_takes_the_names_it_is_given(almunia, tmp_path) -> None:
    done = almunia("new", "lantern", "--title", "The Lantern", "--designer", "Someone", "--folder", "there")
    assert done.code == Exit.OK
    written = {path.relative_to(tmp_path / "there").as_posix() for path in (tmp_path / "there").rglob("*.*")}
    package = {"__init__", "components", "rules", "observe", "text", "view"}
    assert {f"src/lantern/{name}.py" for name in package} <= written
    assert {"pyproject.toml", "src/lantern/RULES.md", "src/lantern/components.toml", "src/lantern/view.css"} <= written
    assert "src/lantern/tests/test_lantern.py" in written
    assert len(written) == len(list(template_files()))
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "there").rglob("*.*"))
    assert "highcard" not in text.lower().replace(" ", "")
    assert 'title="The Lantern"' in text
    assert 'designers=("Someone",)' in text


def test_a_bare_game_is_written_without_pictures(almunia, tmp_path) -> None:
    written = []
    for folder, more in (("drawn", ()), ("bare", ("--bare",))):
        assert almunia("new", "lantern", "--folder", folder, *more).code == Exit.OK
        files = (path for path in (tmp_path / folder).rglob("*") if path.is_file())
        written.append({path.relative_to(tmp_path / folder).as_posix() for path in files})
    assert written[0] - written[1] == {"src/lantern/view.py", "src/lantern/view.css"}
    assert written[1] < written[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["Lantern"], "must be one lower-case word"),
        (["two words"], "must be one lower-case word"),
        (["class"], "must be one lower-case word"),
        (["orchard"], "There is already a game called 'orchard'; choose another name."),
        (["kuhn"], "There is already a game called 'kuhn'; choose another name."),
        (["random"], "is the name of an installed package"),
        (["numpy"], "is the name of an installed package"),
        (["lantern", "--folder", "no/where"], "There is no folder 'no'"),
        (["lantern", "--title", 'a"b'], "without quotation marks"),
    ],
)
def test_new_refuses_invalid_arguments(almunia, tmp_path, words, sentence) -> None:
    done = almunia("new", *words)
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert sentence in done.err
    assert list(tmp_path.iterdir()) == []


def test_new_does_not_change_an_existing_folder(almunia, tmp_path) -> None:
    (tmp_path / "lantern").mkdir()
    assert "exists already" in almunia("new", "lantern").err
    assert list((tmp_path / "lantern").iterdir()) == []


def test_a_folder_without_a_game_is_refused_with_a_reason(almunia, tmp_path) -> None:
    assert "is not a plug-in package: it has no pyproject.toml" in almunia("check", tmp_path).err
    (tmp_path / "pyproject.toml").write_text("[project")
    assert "pyproject.toml cannot be read" in almunia("check", tmp_path).err
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert "should name one game" in almunia("check", tmp_path).err
    (tmp_path / "pyproject.toml").write_text('[project.entry-points."almunia.games"]\nghost = "ghost"\n', "utf-8")
    assert "There is no package 'ghost'" in almunia("check", tmp_path).err
