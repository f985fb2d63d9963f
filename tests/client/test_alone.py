"""The client imports neither the games nor the site, and reports a missing package."""

import subprocess
import sys


def run(code: str) -> "subprocess.CompletedProcess[str]":
    """Run Python code in another process, and return the completed process."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_client_loads_nothing_of_the_site_or_the_games():
    done = run("import sys, almunia.client; print(*sys.modules)")
    assert (done.returncode, done.stderr) == (0, "")
    loaded = done.stdout.split()
    assert "almunia.client" in loaded
    others = {"almunia.server", "almunia.core", "almunia.games", "numpy", "numba", "starlette"}
    assert others.isdisjoint(loaded)


def test_a_missing_extra_of_the_client_is_reported():
    done = run("import sys; sys.modules['httpx2'] = None; import almunia.client")
    assert "MissingExtra: The client needs the package httpx2" in done.stderr
    assert "pip install 'almunia[client]'" in done.stderr
