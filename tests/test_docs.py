"""The documents: what in them is made by machine is up to date. Their samples are run by conftest.py."""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction
from math import lcm
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import almunia
from almunia.arena import bench
from almunia.arena.match import Match, run
from almunia.bots.search.settings import DEFAULTS
from almunia.cli import all_commands
from benchmarks import search, site
from tools import docgen

HOME = Path(__file__).parents[1]
DOCS = HOME / "docs"
GAMES = [path.parent.name for path in (HOME / "src" / "almunia" / "games").glob("*/RULES.md")]
SCALE = re.compile(r"/ (\d+)( for each seat)?")
UNSEEN = {("alpujarras", "begun"): 5}  # norias wait for those who cannot hold them, as nobody does who plays at random
PAGES = [*HOME.glob("[A-Z]*.md"), *DOCS.glob("**/*.md")]


@pytest.mark.exhaustive  # `make docs` compares it beside the tests
def test_what_is_made_from_the_program_is_up_to_date() -> None:
    files = docgen.generate()
    assert {"commands.md", "api.md", "contract.md", "house.svg", "orchard.txt"} < set(files)
    for name in GAMES:
        assert {f"games/{name}.md", f"{name}.svg"} < set(files)
    assert list(docgen.stale_files()) == [], "run `make reference`"


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_tells_the_scale_of_every_number_of_an_observation(name) -> None:
    page = (DOCS / "games" / f"{name}.md").read_text("utf-8").partition("## Observation")[2].partition("## Rewards")[0]
    said = dict(re.findall(r"^\| `(\w+)` \| [\dx ]+ \| (.*) \|$", page, re.MULTILINE))
    assert list(said) == list(almunia.game(name).observe.TENSOR_SHAPES)
    for part, numbers in numbers_of(name, seats=2).items():
        scales = [1, *(int(by) * (2 if each else 1) for by, each in SCALE.findall(said[part]))]
        found = {Fraction(number).limit_denominator(max(scales)).denominator for number in numbers.tolist()}
        assert lcm(*found, UNSEEN.get((name, part), 1)) == lcm(*scales), f"{part}: {said[part]}"


def numbers_of(name: str, seats: int) -> dict[str, np.ndarray]:
    """The numbers that stand in each part of an observation, in some random games."""
    game, found = almunia.game(name), defaultdict(set)
    batch = game.batch(64, seats, seed=0)
    rng, running = np.random.default_rng(0), np.ones(batch.n, bool)
    while running.any():
        parts = batch.observations.view(game.tensor_parts)[:, 0]
        for part in game.observe.TENSOR_SHAPES:
            found[part].update(np.unique(parts[part][running]).tolist())
        batch.step(batch.sample(rng))
        running &= ~batch.done
    return {part: np.array(sorted(numbers)) for part, numbers in found.items()}


@pytest.mark.parametrize("name", GAMES)
def test_every_action_on_the_page_of_a_game_has_a_remark(name) -> None:
    page = (DOCS / "games" / f"{name}.md").read_text("utf-8").partition("## Actions")[2].partition("## Legal")[0]
    rows = re.findall(r"^\| \d+(?: to \d+)? \| `(\w+)` \|.*\| (.*) \|$", page, re.MULTILINE)
    assert [kind for kind, _ in rows] == list(almunia.game(name).rules.CODES.names)
    assert [kind for kind, remark in rows if not remark.strip()] == []


def test_the_reference_has_every_command() -> None:
    page = (DOCS / "commands.md").read_text("utf-8")
    for command in all_commands():
        assert f"\n## almunia {command}\n" in page


def test_a_file_that_is_out_of_date_is_found_and_written_again(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(docgen, "generate", lambda: {"orchard.svg": "<svg/>", "orchard.txt": "seed: 90", "api.md": ""})
    docgen.update(tmp_path)
    assert docgen.stale_files(tmp_path) == {}
    (tmp_path / "orchard.svg").unlink()
    other = (tmp_path / "orchard.txt").read_text("utf-8").replace("seed: 90", "seed: 91")
    (tmp_path / "orchard.txt").write_text(other, "utf-8")
    assert set(docgen.stale_files(tmp_path)) == {"orchard.txt", "orchard.svg"}
    docgen.update(tmp_path)


def test_the_check_fails_where_a_file_is_out_of_date(monkeypatch) -> None:
    monkeypatch.setattr(docgen, "stale_files", dict)
    docgen.check()
    monkeypatch.setattr(docgen, "stale_files", lambda: {"commands.md": "text"})
    with pytest.raises(SystemExit, match=r"Out of date: docs/commands\.md\."):
        docgen.check()


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert "://" in target or (page.parent / target).exists(), (
                f"{page.name} links to {target}, which is not there"
            )


@pytest.mark.slow
def test_the_site_of_the_documents_builds_strictly(tmp_path) -> None:
    """It builds without a warning, and no page loads anything from elsewhere."""
    shutil.copytree(DOCS, tmp_path / "docs")
    for path in (HOME / "mkdocs.yml", *HOME.glob("[A-Z]*.md")):
        shutil.copy(path, tmp_path)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site/orchard.svg").is_file()
    assert "step by step" in (tmp_path / "site/adding/index.html").read_text("utf-8")
    for page in (tmp_path / "site").rglob("*.html"):
        outside = re.findall(r'(?:src|<link[^>]*href)="(https?://[^"]+)"', page.read_text("utf-8"))
        assert not outside, f"{page.name} loads {outside}"


def test_every_setting_of_a_search_is_explained_with_its_default() -> None:
    """docs/bots.md has them in a table."""
    rows = [line.split("|") for line in (DOCS / "bots.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    told = {
        name.strip(" `"): float(value)
        for _, names, values, *_ in rows
        if names.strip(" `").split("`")[0] in DEFAULTS
        for name, value in zip(names.split(","), values.split(","), strict=True)
    }
    assert told == DEFAULTS


@pytest.mark.compiled
def test_the_program_in_the_guide_to_bots_plays(tmp_path) -> None:
    (text,) = re.findall(r"```py\n(.+?)```", (DOCS / "bots.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "mybot.py").write_text(text)
    spec = f"external:{sys.executable} {tmp_path / 'mybot.py'}"
    (row, _) = run(Match(almunia.game("oregon"), [spec], seats=2, deals=1, against="random"))
    assert row["faults"] == ["", ""]
    assert row["choices"][0] > 10


def test_every_figure_measured_is_in_the_results() -> None:
    """results.md has a row for each figure that a benchmark gives, and each part says when and on what."""
    page = (DOCS / "results.md").read_text("utf-8")
    for benchmark, figures in ((bench, 14), (search, 5), (site, 8)):
        names = figure_names(benchmark)
        assert len(names) >= figures
        for name in names:
            assert f"| {name} |" in page, f"results.md lacks {name!r}"
    parts = page.split("\n## ")[1:]
    titles = [part.partition("\n")[0] for part in parts]
    known = [
        *("Speed", "Batches", "Environments", "Search", "Site", "Processes", "Kills"),
        *("Table", "Play", "Styles", "Observations", "Learning", "Ratings"),
    ]
    assert titles[: len(known)] == known
    assert all(title.startswith("Ladder: ") for title in titles[len(known) :])
    for part in parts:
        assert re.search(r"Date:\*\* \d{4}-\d\d-\d\d\n- \*\*Machine:\*\* .+", part)
        assert re.search(r"`(almunia|python -m (benchmarks|tools|pytest)|tools/)", part), part[:40]


def figure_names(benchmark: ModuleType) -> set[str]:
    """What a benchmark measures, read off its source: running it takes minutes."""
    source = Path(benchmark.__file__).read_text("utf-8")
    return set(re.findall(r'(?:Figure|rate|native|per_call|length)\(\s*"([^"]+)"', source))
