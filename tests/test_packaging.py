"""The wheel: built, installed into an empty environment, and used there."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest

HOME = Path(__file__).parents[1]
PACKAGE = HOME / "src" / "almunia"

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this tree; built without the network, with the build tools that are installed."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(HOME)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def empty(wheel, tmp_path_factory) -> Path:
    """The bin folder of an environment with the wheel and nothing else but what is lent to it.

    What Almunia needs is lent from the environment of the tests by a path file, so that no network is needed;
    the editable Almunia of that environment is not.
    """
    home = tmp_path_factory.mktemp("empty")
    venv.create(home, with_pip=False)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(home)}))
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--no-deps", "--no-index"]
    done = subprocess.run([*pip, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return scripts


def almunia(empty: Path, *words: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """Run the installed command, or some Python beside it, without any other place that the tests find modules in."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(empty / "python"), "-c", code] if code else [str(empty / "almunia"), *words]
    return subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)


def is_test_of_a_game(place: str) -> bool:
    """Is it a file that only tests need? Scenarios, and the words for them, are shown in the rules."""
    _, inside, file = place.rpartition("/tests/")
    return "games/" in place and bool(inside) and not re.fullmatch(r"__init__\.py|scenes\.py|scenarios/.*", file)


def test_the_wheel_has_all_data_files(wheel) -> None:
    """The wheel contains all files of the package except the tests of games."""
    with ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    for path in PACKAGE.rglob("*"):
        place = path.relative_to(PACKAGE.parent).as_posix()
        if path.is_file() and "__pycache__" not in place:
            assert (place in packed) != is_test_of_a_game(place), place
    suffixes = {Path(name).suffix for name in packed}
    assert {".toml", ".md", ".css", ".typed", ".html", ".js"} <= suffixes
    assert any("/migrations/" in name for name in packed)
    assert any("/static/" in name for name in packed)
    assert any("/cli/template/" in name for name in packed)
    assert not any(name.startswith(("tests/", "docs/", "tools/")) or "benchmarks" in name for name in packed)


def test_the_metadata_of_the_wheel_name_licence_extras_and_command(wheel) -> None:
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = archive.read(name).decode()
        points = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert "License-Expression: MIT" in metadata
    for extra in ("cli", "web", "client", "arena", "gpu"):
        assert f"Provides-Extra: {extra}\n" in metadata
    assert "almunia = almunia.cli:main" in points
    assert distribution("almunia").version in metadata


def test_the_installed_package_is_the_wheel(empty) -> None:
    done = almunia(empty, code="import almunia; print(almunia.__file__)")
    assert str(empty.parent) in done.stdout, done.stdout + done.stderr


def test_the_command_works(empty) -> None:
    done = almunia(empty, "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "orchard: Orchard" in done.stdout
    done = almunia(empty, "simulate", "orchard", "--games", "20", "--out", "plays.csv")
    assert done.returncode == 0, done.stderr
    assert (empty / "plays.csv").read_text("utf-8").count("\n") == 21


def test_the_installed_command_writes_a_game_and_draws_a_position(empty) -> None:
    done = almunia(empty, "new", "lantern")
    assert done.returncode == 0, done.stderr
    assert (empty / "lantern/src/lantern/rules.py").is_file()
    done = almunia(empty, "show", "orchard", "--seed", "1", "--format", "svg")
    assert done.stdout.startswith("<svg"), done.stderr


def test_the_site_renders_its_first_page(empty, tmp_path) -> None:
    pytest.importorskip("starlette", reason="the extra [web] is not installed")
    code = f"""
from starlette.testclient import TestClient
from almunia.server.app import create_app
from almunia.server.settings import Settings
with TestClient(create_app(Settings.from_environment({str(tmp_path)!r}))) as client:
    page = client.get("/")
    assert page.status_code == 200, page.status_code
    assert "Orchard" in page.text
    for path in ("/static/site.css",):
        assert client.get(path).status_code == 200, path
"""
    done = almunia(empty, code=code)
    assert done.returncode == 0, done.stdout + done.stderr
