"""Target speeds from `targets.toml`: decisions per second, by benchmark and by game."""

import tomllib
from functools import cache
from pathlib import Path

BATCH, STEPS = "batch", "steps"  # the benchmarks that have targets


@cache
def targets() -> dict[str, dict[str, float]]:
    """Return all targets, by benchmark and by game."""
    return tomllib.loads(Path(__file__).with_name("targets.toml").read_text("utf-8"))


def target(benchmark: str, name: str) -> float | None:
    """Return the target of a game, or None."""
    return targets()[benchmark].get(name)
