"""The documents: their generated parts are up to date. conftest.py runs their samples."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import lcm
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import almunia
from almunia.arena import bench
from almunia.arena.match import Match, run
from almunia.bots.search.settings import SEARCH_DEFAULTS
from almunia.cli import all_commands
from benchmarks import search, site
from tools import docgen

HOME = Path(__file__).parents[1]
DOCS = HOME / "docs"
GAMES = [path.parent.name for path in (HOME / "src" / "almunia" / "games").glob("*/RULES.md")]
SCALE = re.compile(r"/ (\d+)( for each seat)?")
UNSEEN = {("alpujarras", "begun"): 5}  # norias wait for those who cannot hold them, as nobody does who plays at random
PAGES = [*HOME.glob("[A-Z]*.md"), *DOCS.glob("**/*.md")]
FRAMEWORKS = re.compile(r"(?<=\| OpenSpiel \| PettingZoo \|\n\| --- \| --- \| --- \|\n)(?:\|.*\n)+")  # rows of a table
MAINTAINERS = [*(HOME / f"{name}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "GLOSSARY")), *DOCS.glob("dev/*.md")]


@pytest.mark.exhaustive  # `make docs` compares it beside the tests
def test_generated_pages_are_up_to_date() -> None:
    files = docgen.generate()
    assert {"commands.md", "api.md", "contract.md", "orchard.txt"} < set(files)
    for name in GAMES:
        assert {f"games/{name}.md", f"{name}.svg"} < set(files)
    assert list(docgen.stale_files()) == [], "run `make reference`"


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_pages_of_games_state_the_scale_of_every_part_of_a_tensor(name) -> None:
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
        parts = batch.observations.view(game.tensor_dtype)[:, 0]
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


def test_the_check_fails_if_a_file_is_out_of_date(monkeypatch) -> None:
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


def test_pages_for_maintainers_name_existing_things() -> None:
    """Every file, function, command and target of `make` in a code span exists."""
    missing = [f"{page.name}: `{span}`" for page in MAINTAINERS for span in code_spans(page) if not is_there(span)]
    assert not missing, f"{missing}: has something been renamed?"


@pytest.mark.parametrize("span", ["gone.py", "play/gone.py", "play/play.py: gone", "Play.vanished", "make gone"])
def test_missing_names_in_code_spans_are_found(span) -> None:
    assert not is_there(span)


def test_the_pages_for_maintainers_stay_short() -> None:
    """Each takes at most four minutes to read."""
    for page in (HOME / "ARCHITECTURE.md", *DOCS.glob("dev/*.md")):
        assert len(page.read_text("utf-8").split()) <= 800, f"{page.name} has more than 800 words"


def test_the_diagram_shows_the_layers_that_are_checked() -> None:
    contracts = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [{name.removeprefix("almunia.") for name in row.split(" | ")} for row in contracts[0]["layers"]]
    diagram = (HOME / "ARCHITECTURE.md").read_text("utf-8").partition("```text\n")[2].partition("```")[0]
    assert [{line.split()[0] for line in row.strip().splitlines()} for row in re.split(r"-{9,}", diagram)] == layers


def test_the_words_of_frameworks_in_the_glossary_are_theirs() -> None:
    """The first column has our words, which `code_spans` gives to another test."""
    pyspiel = pytest.importorskip("pyspiel")
    openspiel, pettingzoo = (import_module(f"almunia.envs.{name}") for name in ("openspiel", "pettingzoo"))
    env = pettingzoo.env("orchard", seats=2, render_mode="ansi", build="plain")
    env.reset(seed=1)
    theirs = (pyspiel, pyspiel.Game, pyspiel.State, openspiel.SpielGame, openspiel.SpielState)
    words = {*dir(env), *env.observe("player_0"), *env.agents, *env.metadata["render_modes"], "seed"}
    rows = [
        row.split("|")[1:4] for row in FRAMEWORKS.findall((HOME / "GLOSSARY.md").read_text("utf-8"))[0].splitlines()
    ]
    assert len(rows) >= 18
    for _, spiel, zoo in rows:
        for name in re.findall(r"`([\w.]+)`", spiel):
            assert any(has(kind, name) for kind in theirs), f"OpenSpiel has no {name}"
        for name in re.findall(r"`([\w.]+)`", zoo):
            assert name in words, f"PettingZoo has no {name}"


def has(thing: Any, name: str) -> bool:
    """Return whether a dotted name is an attribute."""
    try:
        attrgetter(name)(thing)
    except AttributeError:
        return False
    return True


def code_spans(page: Path) -> list[str]:
    """Return the inline code of a page, without the words of other libraries in the glossary."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    ours = FRAMEWORKS.sub(lambda table: re.sub(r"^(\|[^|]*\|).*", r"\1", table[0], flags=re.MULTILINE), text)
    return re.findall(r"`([^`\n]+)`", ours)


def is_there(span: str) -> bool:
    """Return whether what a code span names exists; true for a span that names nothing of ours."""
    file, colon, name = span.partition(": ")
    if colon and file.endswith(".py"):
        return any(defines(path, name.rpartition(".")[2]) for path in files_called(file))
    if re.fullmatch(r"[\w/.-]+\.(py|js|toml|css|txt|md|svg)|(src|tests|docs|tools|benchmarks)/[\w/]+", span):
        return bool(files_called(span))
    match span.split():
        case ["make", target, *_]:
            return f"\n{target}:" in (HOME / "Makefile").read_text("utf-8")
        case ["almunia", command, *_]:
            return command in all_commands()
        case ["python", "-m", module, *_] if module.startswith(("tools", "benchmarks")):
            return bool(files_called(module.replace(".", "/")) or files_called(module.replace(".", "/") + ".py"))
    if method := re.fullmatch(r"([A-Z]\w*)\.(\w+)(?:\(.*\))?", span):
        return any(
            re.search(rf"\b{method[2]}\b *[(:=]", path.read_text("utf-8")) for path in classes().get(method[1], ())
        )
    name = re.match(r"[\w.]*", span)[0].rpartition(".")[2]
    return name in names_defined() if re.fullmatch(r"[A-Za-z_][\w.]*(\(.*\))?", span) else True


@cache
def all_paths() -> list[str]:
    """Return the files and folders of the project, each with a slash before it."""
    inside = [path for top in ("src", "tests", "docs", "tools", "benchmarks") for path in (HOME / top).rglob("*")]
    return [
        f"/{path.relative_to(HOME).as_posix()}"
        for path in (*HOME.iterdir(), *inside)
        if "__pycache__" not in path.parts
    ]


def files_called(name: str) -> list[Path]:
    """Return the files and folders whose path ends like this."""
    return [HOME / path[1:] for path in all_paths() if path.endswith(f"/{name.rstrip('/')}")]


@cache
def classes() -> dict[str, list[Path]]:
    """Return the modules of each class of the package."""
    found = defaultdict(list)
    for path in (HOME / path[1:] for path in all_paths() if path.startswith("/src/") and path.endswith(".py")):
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE):
            found[name].append(path)
    return found


def defines(path: Path, name: str) -> bool:
    """Return whether a module defines a function, class or constant of this name."""
    return bool(re.search(rf"^\s*(?:async def|def|class) {name}\b|^{name}\b.*=", path.read_text("utf-8"), re.MULTILINE))


@cache
def names_defined() -> set[str]:
    """Return the names that the package defines, roughly, and the words of the files that configure the project."""
    paths = [HOME / path[1:] for path in all_paths() if path.startswith("/src/") and path.endswith((".py", ".toml"))]
    defined = re.compile(
        r"(?:\bdef|\bclass)\s+(\w+)"  # functions and classes
        r"|^\s*(?:self\.)?\"?(\w+)\"?\s*[:=]"  # constants, fields, keys of dictionaries
        r"|[(,] ?(\w+)[:=]"  # arguments
        r"|\b(ALMUNIA_\w+)",  # variables of the environment
        re.MULTILINE,
    )
    names = {name for path in paths for found in defined.findall(path.read_text("utf-8")) for name in found}
    for file in ("Makefile", "pyproject.toml"):
        names.update(re.findall(r"\w+", (HOME / file).read_text("utf-8")))
    return names | {Path(path).stem for path in all_paths()}


@pytest.mark.slow
def test_the_site_of_the_documents_builds_strictly(tmp_path) -> None:
    """The site builds without a warning, and no page loads a file from another site."""
    shutil.copytree(DOCS, tmp_path / "docs")
    for path in (HOME / "mkdocs.yml", *HOME.glob("[A-Z]*.md")):
        shutil.copy(path, tmp_path)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site/orchard.svg").is_file()
    assert "Adding a game" in (tmp_path / "site/contributing/index.html").read_text("utf-8")
    for page in (tmp_path / "site").rglob("*.html"):
        outside = re.findall(r'(?:src|<link[^>]*href)="(https?://[^"]+)"', page.read_text("utf-8"))
        assert not outside, f"{page.name} loads {outside}"


def test_every_setting_of_a_search_is_explained_with_its_default() -> None:
    """docs/bots.md has them in a table."""
    rows = [line.split("|") for line in (DOCS / "bots.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    told = {
        name.strip(" `"): float(value)
        for _, names, values, *_ in rows
        if names.strip(" `").split("`")[0] in SEARCH_DEFAULTS
        for name, value in zip(names.split(","), values.split(","), strict=True)
    }
    assert told == SEARCH_DEFAULTS


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
        *("Speed", "Batches", "Environments", "Search", "Analysis", "Site", "Processes", "Kills"),
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
