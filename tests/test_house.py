"""Rules of the project, read off the sources: no circular imports, marks that are cited, what must not be there."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

import almunia

HOME = Path(__file__).parents[1]
PACKAGE = HOME / "src" / "almunia"
GAMES = sorted(path.parent.name for path in (PACKAGE / "games").glob("*/RULES.md"))
TEMPLATE = PACKAGE / "cli" / "template" / "src" / "highcard"
TOYS = [path.parent for path in (PACKAGE / "toy_games").glob("*/RULES.md")]
FOLDERS = {name: PACKAGE / "games" / name for name in GAMES} | {"template": TEMPLATE} | {toy.name: toy for toy in TOYS}


def tracked() -> list[Path]:
    """Every file that git tracks and that is there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HOME, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout, so there is no list of tracked files")
    return [HOME / name for name in listed.stdout.decode().split("\0") if name and (HOME / name).is_file()]


def modules() -> Iterator[Path]:
    """The package's modules, without the tests of games and the template."""
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).parts
        if "template" not in place and "tests" not in place:
            yield path


def imported(path: Path, tree: ast.AST | None = None) -> Iterator[str]:
    """The full names of what a module of the package imports of the package, also under TYPE_CHECKING."""
    package = ["almunia", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(tree or ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "almunia")
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module or "").split(".")] if node.module else base
            if module[:1] == ["almunia"]:
                yield from (".".join([*module, alias.name]) for alias in node.names)


# --- who imports whom ------------------------------------------------------------------------------


def needed(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports when it runs, at once or late."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for name in imported(path, tree):
        parts = name.split(".")[1:]
        if not PACKAGE.joinpath(*parts).is_dir() and not PACKAGE.joinpath(*parts).with_suffix(".py").is_file():
            parts.pop()  # a name in a module
        yield "/".join(parts)


def test_imports_have_no_cycles() -> None:
    needs = {}
    for path in modules():
        place = path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("__init__").rstrip("/")
        needs[place] = set(needed(path)) - {place}
    assert "core/loaded" in needs["play/play"]
    TopologicalSorter(needs).prepare()  # CycleError names the circle


def test_kernel_source_imports_kernel_source_only() -> None:
    kernels = [path for path in modules() if path.parent.name == "kernels"]
    assert PACKAGE / "engine/kernels/rng.py" in kernels
    found = {path.relative_to(PACKAGE).as_posix(): set(needed(path)) for path in kernels}
    assert {name: others for name, needs in found.items() if (others := {n for n in needs if "kernels" not in n})} == {}


def test_importing_the_package_loads_neither_numpy_nor_numba() -> None:
    code = "import sys, almunia; sys.exit(bool({'numpy', 'numba', 'rich', 'svg'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_public_name_is_there_and_its_list_is_that_of_type_checkers() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    (names,) = (ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign))
    assert almunia.__all__ == names
    assert all(getattr(almunia, name) for name in names)
    with pytest.raises(AttributeError, match="module 'almunia' has no attribute 'nonsense'"):
        _ = almunia.nonsense


def test_the_list_of_games_loads_neither_numpy_nor_numba() -> None:
    code = "import sys, almunia; almunia.all_games(); sys.exit(bool({'numpy', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- marks -------------------------------------------------------------------------------------------


MARK = r"(?:D\d+|[1-9]\d*(?:\.\d+)?(?:-[1-9]\d*\.\d+)?)"  # D3, 2.1, 2.1-2.3, or a whole section: 2


def marks_in_rules(folder: Path) -> set[str]:
    """The marks of all paragraphs of RULES.md."""
    return set(re.findall(r"\*\*([1-9]\d*\.\d+|D\d+)\*\*", (folder / "RULES.md").read_text("utf-8")))


def cited(text: str) -> set[str]:
    """The marks cited in a text: [2.10], [3.1, D4], [2.1-2.3], and `cites: 3.1 D4` of scenarios."""
    found = set()
    groups = re.findall(rf"\[({MARK}(?:,\s*{MARK})*)\]", text)
    groups += [line.removeprefix("cites:") for line in text.splitlines() if line.startswith("cites:")]
    for group in groups:
        for first, last in re.findall(r"(D\d+|\d+\.\d+)(?:-(\d+\.\d+))?", group):
            found.add(first)
            if last:
                section, start = first.split(".")
                found |= {f"{section}.{number}" for number in range(int(start), int(last.split(".")[1]) + 1)}
    return found


def texts(paths) -> str:
    """All these files in one text."""
    return "\n".join(path.read_text("utf-8") for path in paths)


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_every_paragraph_is_cited_by_code_and_by_a_test(name) -> None:
    folder = FOLDERS[name]
    marks = marks_in_rules(folder)
    code = cited(texts(path for path in folder.rglob("*.py") if "tests" not in path.relative_to(folder).parts))
    tests = cited(texts([*(folder / "tests").rglob("*.py"), *(folder / "tests").rglob("*.txt")]))
    assert marks, "RULES.md has no marks"
    assert not marks - code, f"no rule cites {sorted(marks - code)}"
    assert not marks - tests, f"no test cites {sorted(marks - tests)}"
    assert not (code | tests) - marks, f"RULES.md has no {sorted((code | tests) - marks)}"


def test_citations_of_paragraphs_are_parsed() -> None:
    assert cited("Do it [2.10, D3]. And s.seat[2] and rows[1:3].") == {"2.10", "D3"}
    assert cited("[3.3, 4, 5] and [0.45, 1.5] and [2]") == {"3.3"}
    assert cited("[2.1-2.3]") == {"2.1", "2.2", "2.3"}
    assert cited("cites: 3.1 D7\ndo place 1 at 2,3") == {"3.1", "D7"}


# --- what must not be there ---------------------------------------------------------------------------

MACHINE = re.compile(r"(?<![\w.:/~-])/(?:work|root|home|tmp|farm|Users)/[\w.]")
REGISTRY = re.compile(r"(?i)index[-_]url|python[h]osted|pypi\.org/simple|registry\.npm|deb\.debian|find-links")
UNFINISHED = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X]|NotImplemented[E]rror|HAC[K])\b|^[<>]{7} ")
TEXT = {".py", ".md", ".toml", ".txt", ".html", ".css", ".js", ".sh", ".yml", ".yaml", ".svg", ".mako", ".ini", ""}


def test_no_tracked_file_names_a_machine_a_registry_or_unfinished_work() -> None:
    found = []
    for path in tracked():
        if path.suffix in TEXT and "vendor" not in path.parts and path != Path(__file__):
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                for pattern in (MACHINE, REGISTRY, UNFINISHED):
                    if pattern.search(line):
                        found.append(f"{path.relative_to(HOME)}:{number}: {line.strip()[:80]}")
    assert not found


def test_vendored_files_are_listed_with_their_licence_and_hash() -> None:
    vendored = [path for path in tracked() if "vendor" in path.parts]
    folders = {next(parent for parent in path.parents if parent.name == "vendor") for path in vendored}
    assert folders
    for folder in folders:
        listed = tomllib.loads((folder / "VENDOR.toml").read_text("utf-8"))
        entries = [entry for group in listed.values() for entry in (group if isinstance(group, list) else [group])]
        hashes = {entry.get("sha256") for entry in entries}
        for path in folder.rglob("*"):
            if path.suffix in {".js", ".css", ".mjs", ".woff2"}:
                assert sha256(path.read_bytes()).hexdigest() in hashes, f"{path.name} is not listed in VENDOR.toml"
        assert all(entry.get("licence") or entry.get("license") for entry in entries)


# --- the house's own files -----------------------------------------------------------------------------


def test_constraints_name_versions_only() -> None:
    lines = (HOME / "constraints.txt").read_text("utf-8").splitlines()
    assert all(line.startswith("#") or re.fullmatch(r"[\w.-]+==[\w.!+]+", line) for line in lines)
    names = {line.partition("==")[0].lower().replace("_", "-").replace(".", "-") for line in lines}
    project = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {
        *project["dependencies"],
        *(word for extra in project["optional-dependencies"].values() for word in extra),
    }
    for requirement in wanted:
        name = re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-").replace(".", "-")
        assert name in names | {"almunia"}, f"constraints.txt lacks {name}"


def test_the_citation_has_the_facts_of_the_package() -> None:
    cited = yaml.safe_load((HOME / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
    assert (cited["version"], cited["license"]) == (almunia.__version__, project["license"])
    assert cited["abstract"] == project["description"]
    assert cited["keywords"] == project["keywords"]


COMPILES = """
import almunia

def test_plain():
    almunia.game("orchard", "plain").new()

def test_compiled():
    almunia.game("orchard", "compiled").new()
"""


def test_without_a_compiler_a_test_that_compiles_fails(tmp_path):
    (tmp_path / "test_both.py").write_text(COMPILES)
    options = ["-c", str(HOME / "pyproject.toml"), "-p", "conftest", "--no-compiler", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path / "test_both.py")]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "This compiles orchard, which --no-compiler forbids: mark the test `compiled`." in done.stdout
