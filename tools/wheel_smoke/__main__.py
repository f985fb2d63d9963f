"""Installs the wheel of this tree into a fresh environment for each extra, and runs the framework's own tests there.

    python -m tools.wheel_smoke                         all of them, one after the other
    python -m tools.wheel_smoke pettingzoo openspiel    some
    python -m tools.wheel_smoke --newest mcp            with the newest versions, not those of constraints.txt
    python -m tools.wheel_smoke --keep FOLDER           leaves the environments there, and uses them again

What is checked stands in `tools/wheel_smoke/checks`; the samples of pages that ask for the extra run as printed.
It needs the package index that pip is configured for. With packages and machine code near at hand it takes some
minutes, otherwise about half an hour, most of it for downloads and for compiling the games.
"""

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

HOME = Path(__file__).parents[2]
FROM_THE_WHEEL = "import almunia, sys; sys.exit(0 if almunia.__file__.startswith(sys.prefix) else almunia.__file__)"
NONE = "none"  # what the command calls no extra at all
CHECKS = {  # by extra: modules of tools.wheel_smoke.checks, and pages whose samples run
    "": ("samples README.md",),
    "gymnasium": ("gymnasium", "samples docs/environments.md"),
    "pettingzoo": ("pettingzoo", "samples docs/pettingzoo.md"),
    "openspiel": ("openspiel", "samples docs/openspiel.md"),
    "mcp": ("mcp", "samples docs/mcp.md"),
    "arena": ("traces", "samples docs/research.md"),
    "learn": ("loader", "samples docs/traces.md"),
    "ray": ("ray",),
}
EVERY = ", ".join(extra or NONE for extra in CHECKS)


def main() -> None:
    """Check what was asked for; the exit status says whether all is well."""
    given = parser().parse_args()
    chosen = given.extras or list(CHECKS)
    with TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch)).absolute()
        wheel = built(folder)
        failed = [extra for extra in chosen if not passes(extra, folder, wheel, newest=given.newest)]
    if failed:
        sys.exit(f"Failed: {', '.join(extra or NONE for extra in failed)}.")


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(description="Each framework's own tests, in a fresh environment with its extra.")
    made.add_argument("extras", nargs="*", metavar="EXTRA", type=known, help=f"of {EVERY}; all, if none is given")
    made.add_argument("--newest", action="store_true", help="the newest versions, not those of constraints.txt")
    made.add_argument("--keep", type=Path, metavar="FOLDER", help="where the environments stay, to be used again")
    return made


def known(name: str) -> str:
    """An extra that has checks; "none" is the one without a name."""
    extra = "" if name == NONE else name
    if extra not in CHECKS:
        raise argparse.ArgumentTypeError(f"nothing is checked of {name!r}, only of {EVERY}")
    return extra


def built(folder: Path) -> Path:
    """The wheel of this tree."""
    for old in folder.glob("*.whl"):
        old.unlink()
    run(sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", str(folder), str(HOME))
    (wheel,) = folder.glob("*.whl")
    return wheel


def passes(extra: str, folder: Path, wheel: Path, *, newest: bool) -> bool:
    """Does all that belongs to an extra pass in an environment of its own?"""
    print(f"--- almunia[{extra}]" if extra else "--- almunia, no extra", flush=True)
    python = installed(folder / (extra or "none"), wheel, extra, newest=newest)
    results = [run(python, "-m", *f"tools.wheel_smoke.checks.{check}".split(), fatal=False) for check in CHECKS[extra]]
    return all(results)


def installed(place: Path, wheel: Path, extra: str, *, newest: bool) -> str:
    """The Python of an environment with the wheel and one extra; what is there already is used again."""
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(place, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile"]
    versions = [] if newest else ["--constraint", str(HOME / "constraints.txt")]
    run(*pip, *versions, f"{wheel}[{extra}]" if extra else str(wheel))
    run(*pip, "--no-deps", "--force-reinstall", str(wheel))  # where another of the same version was kept
    run(str(python), "-c", FROM_THE_WHEEL)
    return str(python)


def run(*command: str, fatal: bool = True) -> bool:
    """Run a command in this tree, without any other place that modules are found in; did it end well?"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=HOME, env=environment, check=False)  # noqa: S603 - ours
    if done.returncode and fatal:
        sys.exit(f"This failed: {' '.join(command)}")
    return done.returncode == 0


if __name__ == "__main__":
    main()
