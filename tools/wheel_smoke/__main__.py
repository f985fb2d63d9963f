"""Install the wheel of this checkout into a new environment for each extra, and run the framework's own tests there.

    python -m tools.wheel_smoke                         all extras, one after the other
    python -m tools.wheel_smoke pettingzoo openspiel    some extras
    python -m tools.wheel_smoke --newest mcp            with the newest versions, instead of those of constraints.txt
    python -m tools.wheel_smoke --keep FOLDER           keep the environments there, and reuse existing ones

The checks are in `tools/wheel_smoke/checks`. The samples of the pages that ask for an extra run as printed. It needs
the package index that pip is configured for. With packages and machine code cached it takes some minutes, otherwise
about half an hour, mostly for downloads and compiling.
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
NONE = "none"  # the command's word for no extra
CHECKS = {  # by extra: modules of tools.wheel_smoke.checks, with a page for samples
    "": ("samples README.md",),
    "gymnasium": ("gymnasium", "samples docs/environments.md"),
    "pettingzoo": ("pettingzoo", "samples docs/pettingzoo.md"),
    "openspiel": ("openspiel", "samples docs/openspiel.md"),
    "mcp": ("mcp", "samples docs/mcp.md"),
    "arena": ("traces", "samples docs/research.md"),
    "learn": ("loader", "samples docs/traces.md"),
    "minari": ("minari",),
    "ray": ("ray",),
}
EVERY = ", ".join(extra or NONE for extra in CHECKS)


def main() -> None:
    """Run the checks of the chosen extras. Exit with a message if any fails."""
    options = parser().parse_args()
    extras = options.extras or list(CHECKS)
    with TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).absolute()
        wheel = build_wheel(folder)
        failed = [extra for extra in extras if not passes(extra, folder, wheel, newest=options.newest)]
    if failed:
        sys.exit(f"Failed: {', '.join(extra or NONE for extra in failed)}.")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description="Each framework's own tests, in a fresh environment with its extra.")
    parser.add_argument("extras", nargs="*", metavar="EXTRA", type=extra_arg, help=f"out of {EVERY} (default: all)")
    parser.add_argument(
        "--newest", action="store_true", help="use the newest versions instead of those of constraints.txt"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the environments here and reuse them")
    return parser


def extra_arg(text: str) -> str:
    """Parse an extra that has checks; "none" is the wheel without extras."""
    extra = "" if text == NONE else text
    if extra not in CHECKS:
        raise argparse.ArgumentTypeError(f"there are no checks for {text!r}, only for {EVERY}")
    return extra


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout, and return its path."""
    for old_wheel in folder.glob("*.whl"):
        old_wheel.unlink()
    run(sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", str(folder), str(HOME))
    (wheel,) = folder.glob("*.whl")
    return wheel


def passes(extra: str, folder: Path, wheel: Path, *, newest: bool) -> bool:
    """Return whether all checks of an extra pass, in its own environment."""
    print(f"--- almunia[{extra}]" if extra else "--- almunia, no extra", flush=True)
    python = make_environment(folder / (extra or "none"), wheel, extra, newest=newest)
    results = [run(python, "-m", *f"tools.wheel_smoke.checks.{check}".split(), fatal=False) for check in CHECKS[extra]]
    return all(results)


def make_environment(folder: Path, wheel: Path, extra: str, *, newest: bool) -> str:
    """Return the Python of an environment with the wheel and one extra. An existing environment is reused."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile"]
    versions = [] if newest else ["--constraint", str(HOME / "constraints.txt")]
    run(*pip, *versions, f"{wheel}[{extra}]" if extra else str(wheel))
    # A reused environment may have another build of the same version.
    run(*pip, "--no-deps", "--force-reinstall", str(wheel))
    run(str(python), "-c", FROM_THE_WHEEL)
    return str(python)


def run(*command: str, fatal: bool = True) -> bool:
    """Run a command in this checkout, without PYTHONPATH. Return whether it succeeds; exit on failure if `fatal`."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(command, cwd=HOME, env=environment, check=False)  # noqa: S603 - ours
    if result.returncode and fatal:
        sys.exit(f"This failed: {' '.join(command)}")
    return result.returncode == 0


if __name__ == "__main__":
    main()
