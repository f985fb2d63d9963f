"""The commands simulate, warm, bench and doctor."""

import csv
import json
import subprocess
import sys
from contextlib import nullcontext
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from almunia import game
from almunia.arena import bench, export, trace_writer
from almunia.arena.simulate import simulate
from almunia.catalog import game_packages
from almunia.cli import Exit
from almunia.cli.commands import doctor, simulate as simulate_command, warm
from almunia.engine.numba import cache_root
from almunia.errors import MissingExtra

from ..tiers import rest

OPTIONS = ("simulate", "orchard", "--games", 40, "--seats", 2, "--bot", "greedy", "--bot", "random", "--seed", 5)


def read(path):
    """Return the rows of a result file."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    from pyarrow import parquet

    return parquet.read_table(path).to_pylist()


@pytest.mark.parametrize("name", ["plays.csv", "plays.jsonl", "plays.parquet"])
@pytest.mark.compiled
def test_simulate_writes_the_results_of_the_library(almunia, tmp_path, name) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    assert almunia(*OPTIONS, "--out", name).code == Exit.OK
    result = simulate(game("orchard"), 40, 2, ["greedy", "random"], seed=5)
    rows = read(tmp_path / name)
    assert [row["play"] for row in rows] == list(range(40))
    for column, array in ((column, result[column]) for column in ("seed", "bot_seed", "decisions", "ending")):
        assert [row[column] for row in rows] == array.tolist()
    for seat in range(2):
        assert [row[f"score_{seat + 1}"] for row in rows] == result["scores"][:, seat].tolist()
        assert [row[f"rank_{seat + 1}"] for row in rows] == result["ranks"][:, seat].tolist()
        for place in range(result["score_table"].shape[2]):
            column = f"score_table_{seat + 1}_{place + 1}"
            assert [row[column] for row in rows] == result["score_table"][:, seat, place].tolist()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.compiled
def test_the_summary_of_simulate_equals_the_results(almunia) -> None:
    figures = json.loads(almunia(*OPTIONS, "--json").out)
    result = simulate(game("orchard"), 40, 2, ["greedy", "random"], seed=5)
    assert figures["plays"] == 40
    assert figures["decisions"] == result["decisions"].sum()
    for seat, row in enumerate(figures["seats"]):
        own = result["scores"][:, seat]
        assert row["mean"] == pytest.approx(own.mean(), abs=1e-3)
        assert row["sd"] == pytest.approx(own.std(ddof=1), abs=1e-3)
        assert row["percentiles"]["50"] == np.median(own)
        assert (row["least"], row["most"]) == (own.min(), own.max())
    assert sum(row["wins"] for row in figures["seats"]) == pytest.approx(40, abs=0.05)
    text = almunia(*OPTIONS).out
    assert "Orchard: 40 plays" in text
    assert "greedy" in text


@pytest.mark.compiled
def test_threads_and_builds_do_not_change_the_result(almunia, tmp_path) -> None:
    few = ("simulate", "orchard", "--games", 6, "--seed", 9)
    for name, *words in (("one.csv", "--threads", 1), ("two.csv", "--threads", 2), ("plain.csv", "--build", "plain")):
        assert almunia(*few, *words, "--out", name).code == Exit.OK
    texts = {path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert len(texts) == 1


@pytest.mark.compiled
def test_the_number_of_bots_sets_the_seats(almunia) -> None:
    figures = json.loads(
        almunia("simulate", "orchard", "--games", 5, "--bot", "greedy", "--bot", "random", "--json").out
    )
    assert [row["bot"] for row in figures["seats"]] == ["greedy", "random"]
    figures = json.loads(almunia("simulate", "orchard", "--games", 5, "--seats", 3, "--bot", "greedy", "--json").out)
    assert [row["bot"] for row in figures["seats"]] == ["greedy"] * 3


@pytest.mark.compiled
def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch) -> None:
    """If writing fails, the old file is unchanged."""
    path = tmp_path / "plays.csv"
    path.write_text("as it was", "utf-8")

    def half(table, draft) -> None:
        draft.write_text("half", "utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(export.WRITERS, ".csv", half)
    result = simulate(game("orchard"), 2, 1, ["random"])
    with pytest.raises(OSError, match="No space"):
        export.write(result, path)
    assert path.read_text("utf-8") == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_parquet_needs_an_extra(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(export, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"almunia\[arena\]"):
        export.writer_for(tmp_path / "x.parquet")


@pytest.mark.compiled
@pytest.mark.parametrize("bots", [["greedy"], ["search:2"]])
def test_the_rate_of_a_trace_leaves_compiling_out(almunia, monkeypatch, tmp_path, bots) -> None:
    """A first call without plays compiles the kernels before the clock starts."""
    course, record = [], trace_writer.record_part

    def recorded(task, agents):
        course.append(f"{len(task.seeds)} plays")
        return record(task, agents)

    def clock():
        course.append("clock")
        return 60.0 * course.count("clock")

    monkeypatch.setattr(trace_writer, "record_part", recorded)
    monkeypatch.setattr(simulate_command, "perf_counter", clock)
    done = almunia("simulate", "orchard", "--games", 3, "--bot", *bots, "--seed", 1, "--trace", tmp_path / "t")
    assert "in 60.00 s" in done.out
    assert course[course.index("0 plays") :] == ["0 plays", "clock", "0 plays", "3 plays", "clock"]


# --- warm ---------------------------------------------------------------------------------------

FIRST_USE = """
import almunia
from almunia.bots import make
from numba.core import event

with event.install_recorder("numba:compile") as compiled:
    game = almunia.game("orchard")
    for seats in (1, 2):
        play = game.new(seats, seed=1)
        observation = play.observe(play.turn)
        observation.tensor()
        observation.determinize(1)
        for bot in ("greedy", "search:4"):
            play.apply(make(bot, game, seed=1).choose(play.observe(play.turn)))
        play.score_table()
    for bot in ("random", "greedy"):
        almunia.simulate(game, 2, bots=[bot])
    for terms in ({}, {"observe": False, "legal_as": "bits"}, {"opponents": "random", "seat": "random"}):
        batch = game.batch(2, 2, threads=2, **terms)
        batch.step(batch.legal_actions[:, 0])
        batch.reset()
print(*{one.data["dispatcher"].py_func.__name__ for _, one in compiled.buffer})
"""


@pytest.mark.compiles
@pytest.mark.parametrize("name", rest(game_packages(), "oregon"))
def test_warm_compiles_a_game(almunia, name) -> None:
    assert set(json.loads(almunia("warm", name, "--json").out)) == {name}


@pytest.mark.slow
@pytest.mark.compiled
def test_after_warm_the_first_use_compiles_nothing(almunia) -> None:
    assert "orchard: ready after" in almunia("warm", "orchard").out
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stdout + done.stderr


def test_warm_takes_every_game(almunia, monkeypatch) -> None:
    monkeypatch.setattr(warm, "compile_steps", lambda _: [])
    assert set(json.loads(almunia("warm", "--json").out)) == set(game_packages())


# --- bench --------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_bench_loops_count_their_decisions() -> None:
    """The compiled loops play the same plays as plain Python."""
    compiled, plain = bench.RulesBench(game("orchard"), 1), bench.RulesBench(game("orchard", "plain"), 1)
    for each in (compiled, plain):
        decisions = each.random_plays(3)
        assert 3 * 1 <= decisions <= 3 * 10
    assert compiled.rng.tolist() == plain.rng.tolist()
    assert compiled.stepped(2) >= 2
    states = np.zeros(2, game("orchard").rules.STATE)
    states["drawn"] = (3, 0)
    compiled.loops.copies(states, 1)
    assert states["drawn"].tolist() == [3, 3]


def test_a_figure_compares_its_median_with_its_goal() -> None:
    assert bench.Figure("x", "µs", [3.0, 1.0, 2.0], goal=2).reached
    assert not bench.Figure("x", "µs", [3.0, 1.0, 2.0], goal=1.9).reached
    assert bench.Figure("x", "1/s", [3.0, 1.0, 2.0], goal=2, higher_is_better=True).reached
    assert bench.Figure("x", "µs", [1.0]).reached is None


def test_a_warm_start_reuses_the_folder_of_the_cold_start(monkeypatch) -> None:
    seen = []

    def run_python(_code: str, cache: str | None = None) -> str:
        if cache:
            seen.append((cache, [path.name for path in Path(cache).iterdir()]))
            Path(cache, "machine code").touch()
        return "0.5"

    monkeypatch.setattr(bench, "run_python", run_python)
    assert [figure.unit for figure in bench.starts("orchard", 1)] == ["s", "s", "s"]
    (cold, before), (warm, after) = seen
    assert cold == warm
    assert (before, after) == ([], ["machine code"])
    assert not Path(cold).exists()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_bench_measures_everything(almunia, monkeypatch) -> None:
    # The cold start finds existing machine code: other tests compile.
    monkeypatch.setattr(bench, "TemporaryDirectory", lambda: nullcontext(str(cache_root())))
    report = json.loads(almunia("bench", "orchard", "--repeats", 1, "--json").out)
    figures = {figure["what"]: figure for figure in report["figures"]["orchard"]}
    assert {"s", "µs", "ms", "decisions/s"} == {figure["unit"] for figure in figures.values()}
    assert all(figure["value"] > 0 for figure in figures.values())
    assert report["machine"]["Python"] == sys.version.split()[0]
    assert len(figures) >= 13


def test_bench_prints_figures_for_people(almunia, monkeypatch) -> None:
    figure = bench.Figure("random plays", "decisions/s", [1234.0], 2000.0, higher_is_better=True)
    monkeypatch.setattr(bench, "measure", lambda *_: [figure])
    text = almunia("bench").out
    for name in game_packages():
        assert f"\n{name}\n  random plays" in text
    assert "1,234 decisions/s" in text
    assert "at least 2,000: not met" in text


# --- doctor -------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_doctor_reports(almunia, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "game_packages", lambda: ["orchard"])
    done = almunia("doctor", "--json")
    report = json.loads(done.out)
    assert done.code == Exit.OK
    assert report["packages"][""]["numpy"] == np.__version__
    assert "starlette" in report["packages"]["web"]
    assert report["works"]["compiled rules"] == {"ok": True, "words": "orchard plays in machine code"}
    monkeypatch.setenv("ALMUNIA_DATABASE", "postgresql://a:secret@db/almunia")
    text = almunia("doctor").out
    assert "machine code:" in text
    assert "its tables are in postgresql://a:***@db/almunia" in text
    monkeypatch.setenv("ALMUNIA_RATE_LIMIT", "lots")
    assert "settings of the site: no, ALMUNIA_RATE_LIMIT" in almunia("doctor").out
    assert np.__version__ in text


@pytest.mark.compiled
def test_doctor_reports_a_missing_cuda_build(almunia, monkeypatch) -> None:
    from almunia.batch import cuda

    monkeypatch.setattr(cuda, "has_numba_cuda", lambda: False)
    tried = json.loads(almunia("doctor", "--json").out)["works"]["CUDA build"]
    assert not tried["ok"]
    assert tried["words"] == (
        "Graphics processors need the package numba-cuda, which is not installed: pip install 'almunia[gpu]'."
    )


def test_doctor_reports_every_extra_but_those_of_developers() -> None:
    extras = set(metadata.metadata("almunia").get_all("Provides-Extra", []))
    assert set(doctor.EXTRAS) == extras - {"peers", "test", "dev"} | {""}


def test_doctor_does_one_task_at_a_time(almunia) -> None:
    done = almunia("doctor", "--reports", "--ratings")
    assert done.code == Exit.BAD_INPUT
    assert "not allowed with" in done.err


def test_doctor_reports_missing_packages_and_fails_without_compiled_rules(almunia, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "probe_cuda", lambda: "orchard compiles")
    real = doctor.installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda name: None if name == "pyarrow" else real(name))
    monkeypatch.setattr(doctor, "probe_compiled", lambda: 1 / 0)
    done = almunia("doctor")
    assert done.code == Exit.FAILED
    assert "pyarrow is missing" in done.out
    assert "pip install 'almunia[arena]'" in done.out
    assert "compiled rules: no, ZeroDivisionError" in done.out
