"""A program cannot know the deals: a random seed is neither written nor printed before the plays are over."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import almunia
from almunia.arena.ledger import CONFIG_FILE, Ledger
from almunia.arena.match import Match, run
from almunia.arena.seeds import external_bots, resolve_seed
from almunia.arena.tuning import Tuning

ORCHARD = almunia.game("orchard")
PLAIN = almunia.game("orchard", "plain")

SPY = """
import json, os, sys
from pathlib import Path
log = Path({log!r})
parent = os.getppid()
for line in sys.stdin:
    message = json.loads(line)
    seen = [line, Path(f"/proc/{{parent}}/cmdline").read_text(), Path(f"/proc/{{parent}}/environ").read_text("latin-1")]
    seen += [path.read_text("latin-1") for path in sorted(Path({folder!r}).glob("*")) if path.is_file()]
    with log.open("a") as file:
        file.write(json.dumps(seen) + "\\n")
    if message["type"] == "choose":
        print(json.dumps({{"action": message["actions"][0]["code"]}}), flush=True)
"""


def spy(folder: Path) -> tuple[str, Path]:
    """Return the spec of a program that writes down all that it can read, and the path of its notes."""
    file, log = folder / "spy.py", folder / "log.txt"
    file.write_text(SPY.format(log=str(log), folder=str(folder / "match")))
    return f"external:{sys.executable} {file}", log


def test_the_seed_is_random_if_a_program_plays() -> None:
    assert external_bots(["greedy", "external:sh", object()]) == ["external:sh"]  # type: ignore[list-item]
    assert resolve_seed(None, ["greedy"]) == 0
    assert resolve_seed(7, ["external:sh"]) == 7
    assert len({resolve_seed(None, ["greedy", "external:sh"]) for _ in range(5)}) == 5
    with pytest.raises(almunia.SetupError, match="A seed is"):
        resolve_seed(-1, [])


def test_simulations_with_programs_have_different_seeds(tmp_path: Path) -> None:
    spec, log = spy(tmp_path)
    first, other = (almunia.simulate(PLAIN, 1, bots=[spec])["seed"] for _ in range(2))
    assert first != other
    assert str(int(first[0])) not in log.read_text()
    assert (almunia.simulate(PLAIN, 1, bots=[spec], seed=4)["seed"] == almunia.simulate(PLAIN, 1, seed=4)["seed"]).all()


@pytest.mark.compiled
@pytest.mark.slow
def test_files_of_a_match_do_not_reveal_the_seed_to_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("almunia.arena.ledger.MAX_UNWRITTEN_ROWS", 1)  # so that every row is written at once
    spec, log = spy(tmp_path)
    folder = tmp_path / "match"
    match = Match(ORCHARD, [spec, "random"], seats=2, deals=2)
    rows = run(match, folder)
    assert len(rows) == 4
    assert not any(row["faults"] != ["", ""] for row in rows)
    noted = log.read_text()
    for secret in (match.resolved_seed, *(row[name] for row in rows for name in ("seed", "bot_seed"))):
        assert str(secret) not in noted
        assert np.int64(secret).tobytes().decode("latin-1") not in noted
    assert json.loads((folder / CONFIG_FILE).read_text())["seed"] == match.resolved_seed  # now that it is over
    for part in folder.glob("*.parquet"):
        assert not {"seed", "bot_seed"} & set(parquet.read_table(part).column_names)

    again = Match(ORCHARD, [spec, "random"], seats=2, deals=3)  # goes on with the same deals
    assert again.resolved_seed != match.resolved_seed
    more = run(again, folder)
    assert len(more) == 6
    assert json.loads((folder / CONFIG_FILE).read_text())["seed"] == match.resolved_seed


@pytest.mark.compiled
def test_a_match_that_broke_down_can_be_summed_up_only(tmp_path: Path) -> None:
    match = Match(ORCHARD, ["external:sh", "random"], seats=2, deals=1)
    book = Ledger(match.config(), tmp_path / "match", secret=True)
    book.add({"deal": 0, "pairing": "p", "bots": ["a"], "seed": 5, "bot_seed": 6})
    book.write()
    with pytest.raises(almunia.SetupError, match="broke down while its seed was secret"):
        run(match, tmp_path / "match")
    assert run(match, tmp_path / "match", minutes=0) == []
    assert json.loads((tmp_path / "match" / CONFIG_FILE).read_text())["seed"] is None


@pytest.mark.compiled
@pytest.mark.parametrize("cause", ["part", "progress"])
def test_a_match_that_cannot_begin_keeps_its_seed(tmp_path: Path, cause: str) -> None:
    match, folder = Match(ORCHARD, ["external:sh", "random"], seats=2, deals=1), tmp_path / "match"
    book = Ledger(match.config(), folder, secret=True)
    book.add({"deal": 0, "pairing": "p", "bots": ["a"], "seed": 5, "bot_seed": 6})
    book.close()

    def fail(_done: int) -> None:
        raise OSError("The disk is full.")

    if cause == "part":
        part = next(folder.glob("*.parquet"))
        part.write_bytes(part.read_bytes()[:-8])
    with pytest.raises((almunia.SetupError, OSError), match="cannot be read" if cause == "part" else "is full"):
        run(match, folder, progress=fail)
    assert json.loads((folder / CONFIG_FILE).read_text())["seed"] == match.resolved_seed


@pytest.mark.compiled
def test_the_seed_is_stored_if_rows_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match(ORCHARD, ["external:sh", "random"], seats=2, deals=1)
    book = Ledger(match.config(), tmp_path, secret=True)

    def fail(_book: Ledger) -> None:
        raise OSError("The disk is full.")

    monkeypatch.setattr(Ledger, "write", fail)
    with pytest.raises(OSError, match="is full"):
        book.close()
    assert json.loads((tmp_path / CONFIG_FILE).read_text())["seed"] == match.resolved_seed


@pytest.mark.compiled
@pytest.mark.parametrize("exists", [False, True])
def test_summarizing_a_missing_match_writes_nothing(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "match"
    if exists:
        folder.mkdir()
    with pytest.raises(almunia.SetupError, match="There is no match in"):
        run(Match(ORCHARD, ["greedy", "random"], seats=2, deals=1), folder, minutes=0)
    assert (folder.exists(), list(tmp_path.rglob("*.json"))) == (exists, [])


@pytest.mark.compiled
def test_a_given_seed_is_stored_at_once(tmp_path: Path) -> None:
    match = Match(ORCHARD, ["external:sh", "random"], seats=2, deals=1, seed=5)
    assert not match.hides_seed
    Ledger(match.config(), tmp_path / "match", match.hides_seed)
    assert json.loads((tmp_path / "match" / CONFIG_FILE).read_text())["seed"] == 5


@pytest.mark.compiled
def test_copies_of_a_match_have_its_seed() -> None:
    match = Match(ORCHARD, ["external:sh", "random"], seats=2, deals=1)
    assert match.resolved_seed == match.config().seed
    assert str(match.resolved_seed) not in repr(match)
    assert replace(match, seed=3).resolved_seed == 3
    assert Match(ORCHARD, ["random"], seats=2, deals=1).resolved_seed == 0


def test_tuning_against_a_program_draws_a_random_seed() -> None:
    tuning = Tuning(ORCHARD, "search:5", {"exploration": (0.1, 1.0)}, 2, 3, against="external:sh")
    assert tuning.resolved_seed == tuning.resolved_seed != 0
    assert replace(tuning, against="greedy").resolved_seed == 0
