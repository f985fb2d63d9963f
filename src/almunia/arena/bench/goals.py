"""How many decisions a second a game is to make, by what is measured: the table `goals.toml`."""

import tomllib
from functools import cache
from pathlib import Path

BATCH, STEPS = "batch", "steps"


@cache
def table() -> dict[str, dict[str, float]]:
    """All goals: by what is measured, and by game."""
    return tomllib.loads(Path(__file__).with_name("goals.toml").read_text("utf-8"))


def goal(what: str, name: str) -> float | None:
    """The goal of a game, if it has one."""
    return table()[what].get(name)
