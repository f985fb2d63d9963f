"""`almunia simulate --trace` in both forms, killed half way and resumed, gives the same as an uninterrupted run."""

import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import numpy as np

from almunia.arena import traces

GAMES = ("oregon", "orchard")  # the smallest observations, and the longest masks
PLAYS, PARTS_BEFORE_KILL = 300, 2  # plays, in parts of fifty; parts that are written before the kill
ALMUNIA = str(Path(sys.executable).with_name("almunia"))


def command(game: str, folder: Path, form: str, *more: str) -> list[str]:
    """Return the command that writes a trace."""
    place = ("--games", str(PLAYS), "--seed", "5", "--trace", str(folder), "--trace-form", form)
    return [ALMUNIA, "simulate", game, "--bot", "greedy", *place, *more]


def finish(game: str, folder: Path, form: str, *more: str) -> None:
    """Run the command to its end."""
    result = subprocess.run(command(game, folder, form, *more), capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert result.returncode == 0, result.stderr


def kill_half_way(game: str, folder: Path, form: str, *more: str) -> int:
    """Start the command, kill it when some parts are written, and return their number."""
    process = subprocess.Popen(command(game, folder, form, *more), stdout=subprocess.DEVNULL)  # noqa: S603 - ours
    while len(list(folder.glob("part-*"))) < PARTS_BEFORE_KILL and process.poll() is None:
        sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return len(list(folder.glob("part-*")))


def equal(one: Path, other: Path) -> bool:
    """Return whether two traces hold the same decisions."""
    first, second = traces.load(one), traces.load(other)
    pairs = zip(first.batches(500), second.batches(500), strict=True)
    return len(first) == len(second) and all(
        row.keys() == other_row.keys() and all(np.array_equal(column, other_row[name]) for name, column in row.items())
        for row, other_row in pairs
    )


def check_resuming(game: str, form: str) -> None:
    """Kill the command, load the partial trace, and resume."""
    with TemporaryDirectory() as scratch:
        whole, broken = Path(scratch) / "whole", Path(scratch) / "broken"
        finish(game, whole, form, "--threads", "1")
        parts = kill_half_way(game, broken, form, "--threads", "2")
        kept = len(traces.load(broken))
        finish(game, broken, form, "--threads", "2")
        assert equal(whole, broken)
        print(
            f"{game}, {form}: killed after {parts} parts, {kept:,} of {len(traces.load(whole)):,} decisions",
            flush=True,
        )


if __name__ == "__main__":
    for game in GAMES:
        for form in traces.FORMS:
            check_resuming(game, form)
