"""The checks of the wheel: they are complete, and a wrong sample makes them fail."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tools.wheel_smoke.__main__ import CHECKS, parser
from tools.wheel_smoke.checks import HOME, samples, tables
from tools.wheel_smoke.checks.traces import command

PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
FRAMEWORKS = {"gymnasium", "pettingzoo", "openspiel", "mcp", "arena", "learn", "minari", "ray"}


def test_every_framework_has_an_extra_and_checks() -> None:
    assert set(CHECKS) - {""} == FRAMEWORKS <= set(PROJECT["optional-dependencies"])
    for extra, checks in CHECKS.items():
        for module, *pages in map(str.split, checks):
            assert (HOME / "tools/wheel_smoke/checks" / f"{module}.py").is_file()
            for page in pages:
                assert samples.BLOCK.search((HOME / page).read_text("utf-8"))
                if extra:
                    asked = r"pip install ['\"]?\.\[" + extra + r"\]"
                    assert re.search(asked, (HOME / page).read_text("utf-8")), f"{page} does not say: install [{extra}]"


@pytest.mark.parametrize(
    ("given", "extras"), [([], []), (["mcp", "ray"], ["mcp", "ray"]), (["none"], [""]), (["--newest"], [])]
)
def test_all_checks_or_the_named_ones_are_run(given, extras) -> None:
    assert parser().parse_args(given).extras == extras


def test_extras_without_checks_are_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["pygame"])
    assert "there are no checks for 'pygame', only for none, gymnasium, " in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("module", ["gymnasium", "pettingzoo", "openspiel", "mcp", "traces", "loader", "ray"])
def test_modules_with_checks_can_be_imported(module) -> None:
    pytest.importorskip({"traces": "numpy", "loader": "torch", "openspiel": "pyspiel"}.get(module, module))
    assert import_module(f"tools.wheel_smoke.checks.{module}").__doc__


def test_every_table_is_there() -> None:
    found = list(tables())
    assert ("orchard", 1) in found
    assert ("oregon", 4) in found
    assert len(set(found)) == len(found)


def page(folder: Path, sum_of_two: int) -> Path:
    """A page whose samples build upon each other, and may be wrong."""
    path = folder / "page.md"
    path.write_text(f"```python\none = 1\n```\n\n```python\n>>> one + 1\n{sum_of_two}\n```\n```sh\nnothing\n```\n")
    return path


def test_samples_run_as_printed(tmp_path) -> None:
    assert samples.run_page(page(tmp_path, 2)) == 2
    with pytest.raises(SystemExit, match=r"1 of the samples of page\.md from line 5 on failed"):
        samples.run_page(page(tmp_path, 3))


def test_the_trace_command_exists() -> None:
    from almunia.cli import build_parser

    build_parser().parse_args(command("oregon", Path("folder"), "parquet", "--threads", "2")[1:])
