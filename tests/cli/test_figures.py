"""simulate, warm, bench, doctor."""

import csv
import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from almunia import game
from almunia.arena import export, recording
from almunia.arena.bench import batches, devices, games, openspiel, search as bench_search
from almunia.arena.simulate import simulate
from almunia.batch import cuda
from almunia.bots.search.settings import settings_of, tree_settings
from almunia.bots.search.workers import TreeWorker
from almunia.bots.spec import Budget
from almunia.catalog import packages
from almunia.cli import Exit
from almunia.cli.commands import bench, doctor, simulate as simulate_command, warm
from almunia.engine.numba import cache_root
from almunia.errors import MissingExtra

from ..tiers import rest

OPTIONS = ("simulate", "orchard", "--plays", 40, "--seats", 2, "--bot", "greedy", "--bot", "random", "--seed", 5)


def read(path):
    """The rows of a result file."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    from pyarrow import parquet

    return parquet.read_table(path).to_pylist()


@pytest.mark.parametrize("name", ["plays.csv", "plays.jsonl", "plays.parquet"])
@pytest.mark.compiled
def test_simulate_writes_what_the_library_gives(almunia, tmp_path, name) -> None:
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
def test_the_summary_counts_right(almunia) -> None:
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
    few = ("simulate", "orchard", "--plays", 6, "--seed", 9)
    for name, *words in (("one.csv", "--threads", 1), ("two.csv", "--threads", 2), ("plain.csv", "--build", "plain")):
        assert almunia(*few, *words, "--out", name).code == Exit.OK
    texts = {path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert len(texts) == 1


@pytest.mark.compiled
def test_the_bots_bring_their_seats(almunia) -> None:
    figures = json.loads(
        almunia("simulate", "orchard", "--plays", 5, "--bot", "greedy", "--bot", "random", "--json").out
    )
    assert [row["bot"] for row in figures["seats"]] == ["greedy", "random"]
    figures = json.loads(almunia("simulate", "orchard", "--plays", 5, "--seats", 3, "--bot", "greedy", "--json").out)
    assert [row["bot"] for row in figures["seats"]] == ["greedy"] * 3


@pytest.mark.compiled
def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch) -> None:
    """What was there stays when writing fails half-way."""
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
    """What writes decisions down is compiled by a first call, for no plays, before the clock runs."""
    course, record = [], recording.record

    def recorded(task):
        course.append(f"{len(task.seeds)} plays")
        return record(task)

    def clock():
        course.append("clock")
        return 60.0 * course.count("clock")

    monkeypatch.setattr(recording, "record", recorded)
    monkeypatch.setattr(simulate_command, "perf_counter", clock)
    done = almunia("simulate", "orchard", "--plays", 3, "--bot", *bots, "--seed", 1, "--trace", tmp_path / "t")
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
        observation.redeal(1)
        for bot in ("greedy", "search:4"):
            play.apply(make(bot, game, seed=1).choose(play.observe(play.turn)))
        play.score_table()
    for bot in ("random", "greedy"):
        almunia.simulate(game, 2, bots=[bot])
    for terms in ({}, {"observe": False, "offers": "bits"}, {"opponents": "random", "seat": "random"}):
        batch = game.batch(2, 2, threads=2, **terms)
        batch.step(batch.lists[:, 0])
        batch.reset()
print(*{one.data["dispatcher"].py_func.__name__ for _, one in compiled.buffer})
"""


@pytest.mark.compiles
@pytest.mark.parametrize("name", rest(packages(), "oregon"))
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
    assert set(json.loads(almunia("warm", "--json").out)) == set(packages())


# --- bench --------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_bench_loops_count_what_they_say() -> None:
    """The native loops play the same plays as plain Python would, and copies arrive."""
    one, plain = games.Bench(game("orchard"), 1), games.Bench(game("orchard", "plain"), 1)
    for each in (one, plain):
        decisions = each.random_plays(3)
        assert 3 * 1 <= decisions <= 3 * 10
    assert one.rng.tolist() == plain.rng.tolist()
    assert one.stepped(2) >= 2
    states = np.zeros(2, game("orchard").rules.STATE)
    states["drawn"] = (3, 0)
    one.loops.copies(states, 1)
    assert states["drawn"].tolist() == [3, 3]


def test_a_figure_knows_whether_it_reached_its_goal() -> None:
    assert games.Figure("x", "µs", [3.0, 1.0, 2.0], goal=2).reached
    assert not games.Figure("x", "µs", [3.0, 1.0, 2.0], goal=1.9).reached
    assert games.Figure("x", "1/s", [3.0, 1.0, 2.0], goal=2, higher_is_better=True).reached
    assert games.Figure("x", "µs", [1.0]).reached is None


@pytest.fixture
def at_hand(monkeypatch) -> None:
    """Let what starts cold find the machine code that there is: that it compiles is seen everywhere."""
    for module in (games, bench_search):
        monkeypatch.setattr(module, "TemporaryDirectory", lambda: nullcontext(str(cache_root())))


def test_a_cold_start_finds_an_empty_folder_and_a_warm_one_the_same(monkeypatch) -> None:
    seen = []

    def fresh(_code: str, cache: str | None = None) -> str:
        if cache:
            seen.append((cache, [path.name for path in Path(cache).iterdir()]))
            Path(cache, "machine code").touch()
        return "0.5"

    monkeypatch.setattr(games, "fresh", fresh)
    monkeypatch.setattr(bench_search, "fresh", fresh)
    for starts in (games.starts("orchard", 1), bench_search.SearchBench(game("orchard"), 1).starts()):
        assert [figure.unit for figure in starts][-2:] == ["s", "s"]
        (cold, before), (warm, after) = seen
        assert cold == warm
        assert (before, after) == ([], ["machine code"])
        assert not Path(cold).exists()
        seen.clear()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.usefixtures("at_hand")
def test_bench_measures_everything(almunia) -> None:
    report = json.loads(almunia("bench", "orchard", "--repeats", 1, "--json").out)
    figures = {figure["what"]: figure for figure in report["figures"]["orchard"]}
    assert {"s", "µs", "ms", "decisions/s"} == {figure["unit"] for figure in figures.values()}
    assert all(figure["value"] > 0 for figure in figures.values())
    assert report["machine"]["Python"] == sys.version.split()[0]
    assert len(figures) >= 13


# --- bench batch --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_batches_are_measured(almunia, monkeypatch) -> None:
    monkeypatch.setattr(batches, "enough", lambda loop: loop(1) or 1)
    monkeypatch.setattr(batches, "THINKERS", dict.fromkeys(batches.THINKERS, 2))
    figures = json.loads(almunia("bench", "batch", "oregon", "--repeats", 2, "--json").out)["figures"]["oregon"]
    assert len(figures) == bench.BATCH_FIGURES
    assert {figure["unit"] for figure in figures} == {"decisions/s"}
    assert all(len(figure["runs"]) == 2 and figure["value"] > 0 for figure in figures)


# --- bench gpu ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.skipif(not cuda.available(), reason="numba-cuda is not installed (the extra [gpu])")
def test_without_a_device_what_kernels_take_is_told(almunia, monkeypatch) -> None:
    monkeypatch.setattr(devices, "KERNELS", {"legal": "a list"})
    monkeypatch.setattr(devices, "is_there", lambda: False)
    report = json.loads(almunia("bench", "gpu", "orchard", "--json").out)
    figures = {figure["what"]: figure["value"] for figure in report["figures"]["orchard"]}
    assert report["machine"]["graphics processor"].startswith("There is no graphics processor here")
    assert list(figures) == [
        f"the kernel of a list: {what}" for what in ("registers", "bytes of stack", "bytes spilled")
    ]
    assert figures["the kernel of a list: registers"] > 8


def test_spills_and_stacks_are_read_from_what_the_assembler_tells(monkeypatch) -> None:
    told = """
    ptxas         .     64 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
    ptxas info    : Used 40 registers, used 1 barriers, 64 bytes cumulative stack size
    ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 255 registers, used 0 barriers
    """
    monkeypatch.setattr(devices.cuda, "ptx", lambda *_: "")
    monkeypatch.setattr(devices, "assembled", lambda *_: told)
    assert devices.resources(game("orchard"), "step") == {"registers": 255, "bytes of stack": 64, "bytes spilled": 12}


# --- bench search -------------------------------------------------------------------------------


@pytest.fixture
def brief(monkeypatch) -> None:
    """Measure no longer than it takes to see that it works."""
    monkeypatch.setattr(bench_search, "RUN", Budget(simulations=20))
    monkeypatch.setattr(bench_search, "BUDGETS", {"10ms": 0.01})
    for name in ("SLOW", "QUICK"):
        monkeypatch.setattr(openspiel, name, 20)


@pytest.mark.usefixtures("brief")
@pytest.mark.compiled
def test_the_search_is_measured_by_two_and_alone() -> None:
    this = bench_search.SearchBench(game("orchard"), 2)
    assert this.seats == 2
    figures = {figure.what: figure for figure in this.speeds([])}
    assert len(figures) == 4
    assert all(figure.value > 0 for figure in figures.values())
    assert 1 <= figures["length of such a playout"].value <= 2 * 9


@pytest.mark.usefixtures("brief")
@pytest.mark.compiled
def test_every_run_begins_a_fresh_tree() -> None:
    this = bench_search.SearchBench(game("orchard"), 1)
    settings = tree_settings(settings_of(this.game, bench_search.FULL_PLAYOUTS))
    worker = TreeWorker(this.game, settings, this.seats, 1)
    run = bench_search.from_scratch(worker, this.midway)
    assert [run(), run()] == [20, 20]
    assert worker.tree.visits[0] == 20


@pytest.mark.compiled
def test_peers_are_measured_in_turn_with_ours_for_the_ratio(monkeypatch) -> None:
    peers = [openspiel.Peer("A", len, "position", 4, goal=10), openspiel.Peer("B", len, "position", 2)]
    monkeypatch.setattr(openspiel.Peer, "playout", lambda _, seed: seed)
    monkeypatch.setattr(bench_search, "per_second", lambda call: 8.0 * call())
    this = bench_search.SearchBench(game("orchard"), 2)
    monkeypatch.setattr(this, "tree", lambda _: lambda: 44)
    figures = {figure.what: figure for figure in this.full_playouts(peers)}
    first, second = (figures[f"ratio to {name}"] for name in "AB")
    assert (first.runs, first.reached) == ([11.0, 11.0], True)
    assert (second.runs, second.reached) == ([22.0, 22.0], None)
    assert figures["for comparison: A"].runs == [32.0, 32.0]


@pytest.mark.usefixtures("brief")
@pytest.mark.compiled
def test_overshoots_are_told_in_percent_of_the_budget(monkeypatch) -> None:
    class Late:
        """A search that takes a twentieth more time than it has, then a tenth."""

        now, times = 0.0, [0.0105, 0.011] * 10

        def __init__(self, _spec, _game, _seed, budget):
            assert budget == Budget(seconds=0.01)

        def ready(self, seats):
            Late.now += 100 * seats

        def analyse(self, observation):
            assert len(observation.legal) > 1
            Late.now += Late.times.pop(0)
            return [SimpleNamespace(action=observation.legal[0])]

    monkeypatch.setattr(bench_search, "Search", Late)
    monkeypatch.setattr(bench_search, "perf_counter", lambda: Late.now)
    mean, worst = bench_search.SearchBench(game("orchard"), 4).times()
    assert (mean.value, worst.value) == (pytest.approx(7.5), pytest.approx(10.0))
    assert (mean.goal, worst.goal) == (5.0, 5.0)


@pytest.mark.usefixtures("brief")
def test_the_peers_of_the_search_run() -> None:
    pytest.importorskip("pyspiel")
    peers = openspiel.peers()
    assert [peer.simulate() for peer in peers] == [20, 20]
    assert [peer.playout(1) > 0 for peer in peers] == [True, True]
    assert [peer.goal for peer in peers] == [10, None]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.usefixtures("at_hand", "brief")
def test_bench_search_measures_everything(almunia, monkeypatch) -> None:
    monkeypatch.setattr(openspiel, "find_spec", lambda _: None)
    report = json.loads(almunia("bench", "search", "orchard", "--repeats", 1, "--json").out)
    assert set(report["figures"]) == {"orchard"}
    units = {figure["unit"] for figure in report["figures"]["orchard"]}
    assert units == {"s", "simulations/s", "decisions", "beams/s", "%"}


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
    monkeypatch.setenv("ALMUNIA_POSTS", "lots")
    assert "settings of the site: no, ALMUNIA_POSTS" in almunia("doctor").out
    assert np.__version__ in text


@pytest.mark.compiled
def test_doctor_says_honestly_that_there_is_no_cuda_build(almunia, monkeypatch) -> None:
    from almunia.batch import cuda

    monkeypatch.setattr(cuda, "available", lambda: False)
    tried = json.loads(almunia("doctor", "--json").out)["works"]["CUDA build"]
    assert not tried["ok"]
    assert tried["words"] == (
        "Graphics processors need the package numba-cuda, which is not installed: pip install 'almunia[gpu]'."
    )


def test_doctor_names_what_is_missing_and_fails_without_a_base(almunia, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "probe_cuda", lambda: "orchard compiles")
    real = doctor.installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda name: None if name == "pyarrow" else real(name))
    monkeypatch.setattr(doctor, "probe_compiled", lambda: 1 / 0)
    done = almunia("doctor")
    assert done.code == Exit.FAILED
    assert "pyarrow is missing" in done.out
    assert "pip install 'almunia[arena]'" in done.out
    assert "compiled rules: no, ZeroDivisionError" in done.out
