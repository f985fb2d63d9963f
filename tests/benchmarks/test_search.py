"""The benchmark of the search, with peers for comparison."""

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from almunia import game
from almunia.bots.search.settings import search_settings, tree_settings
from almunia.bots.search.workers import TreeWorker
from almunia.bots.spec import Budget
from almunia.engine.numba import cache_root
from benchmarks import openspiel_search, search


@pytest.fixture
def short(monkeypatch) -> None:
    """Reduce the measurements to the minimum."""
    monkeypatch.setattr(search, "RUN_BUDGET", Budget(simulations=20))
    monkeypatch.setattr(search, "BUDGETS", {"10ms": 0.01})
    for name in ("MCTS_SIMULATIONS", "ISMCTS_SIMULATIONS"):
        monkeypatch.setattr(openspiel_search, name, 20)


@pytest.mark.usefixtures("short")
@pytest.mark.compiled
def test_the_search_is_measured_with_two_seats_and_one() -> None:
    this = search.SearchBench(game("orchard"), 2)
    assert this.seats == 2
    figures = {figure.what: figure for figure in this.speeds([])}
    assert len(figures) == 4
    assert all(figure.value > 0 for figure in figures.values())
    assert 1 <= figures["length of such a playout"].value <= 2 * 9


@pytest.mark.usefixtures("short")
@pytest.mark.compiled
def test_every_run_begins_with_a_new_tree() -> None:
    this = search.SearchBench(game("orchard"), 1)
    settings = tree_settings(search_settings(this.game, search.FULL_PLAYOUTS))
    worker = TreeWorker(this.game, settings, this.seats, 1)
    run = search.cold_search(worker, this.early_play)
    assert [run(), run()] == [20, 20]
    assert worker.tree.visits[0] == 20


@pytest.mark.compiled
def test_the_ratio_to_peers_is_of_runs_that_alternate(monkeypatch) -> None:
    peers = [openspiel_search.Peer("A", len, "position", 4, goal=10), openspiel_search.Peer("B", len, "position", 2)]
    monkeypatch.setattr(openspiel_search.Peer, "playout", lambda _, seed: seed)
    monkeypatch.setattr(search, "per_second", lambda call: 8.0 * call())
    this = search.SearchBench(game("orchard"), 2)
    monkeypatch.setattr(this, "tree_search", lambda _: lambda: 44)
    figures = {figure.what: figure for figure in this.full_playouts(peers)}
    first, second = (figures[f"ratio to {name}"] for name in "AB")
    assert (first.runs, first.reached) == ([11.0, 11.0], True)
    assert (second.runs, second.reached) == ([22.0, 22.0], None)
    assert figures["for comparison: A"].runs == [32.0, 32.0]


@pytest.mark.usefixtures("short")
@pytest.mark.compiled
def test_overshoots_are_percent_of_the_budget(monkeypatch) -> None:
    class Late:
        """A search that exceeds its time by 5%, then by 10%."""

        now, times = 0.0, [0.0105, 0.011] * 10

        def __init__(self, _spec, _game, _seed, budget):
            assert budget == Budget(seconds=0.01)

        def prepare(self, seats):
            Late.now += 100 * seats

        def analyse(self, observation):
            assert len(observation.legal_actions) > 1
            Late.now += Late.times.pop(0)
            return [SimpleNamespace(action=observation.legal_actions[0])]

    monkeypatch.setattr(search, "SearchBot", Late)
    monkeypatch.setattr(search, "perf_counter", lambda: Late.now)
    mean, worst = search.SearchBench(game("orchard"), 4).overshoots()
    assert (mean.value, worst.value) == (pytest.approx(7.5), pytest.approx(10.0))
    assert (mean.goal, worst.goal) == (5.0, 5.0)


@pytest.mark.usefixtures("short")
def test_the_peers_of_the_search_run() -> None:
    pytest.importorskip("pyspiel")
    peers = openspiel_search.peers()
    assert [peer.simulate() for peer in peers] == [20, 20]
    assert [peer.playout(1) > 0 for peer in peers] == [True, True]
    assert [peer.goal for peer in peers] == [10, None]


def test_a_warm_first_decision_reuses_the_folder_of_the_cold_one(monkeypatch) -> None:
    seen = []

    def run_python(_code: str, cache: str) -> str:
        seen.append((cache, [path.name for path in Path(cache).iterdir()]))
        Path(cache, "machine code").touch()
        return "0.5"

    monkeypatch.setattr(search, "run_python", run_python)
    assert [figure.unit for figure in search.SearchBench(game("orchard"), 1).starts()] == ["s", "s"]
    (cold, before), (warm, after) = seen
    assert cold == warm
    assert (before, after) == ([], ["machine code"])
    assert not Path(cold).exists()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.usefixtures("short")
def test_the_search_is_measured_completely(capsys, monkeypatch) -> None:
    # The cold start finds existing machine code: other tests compile.
    monkeypatch.setattr(search, "TemporaryDirectory", lambda: nullcontext(str(cache_root())))
    monkeypatch.setattr(openspiel_search, "find_spec", lambda _: None)
    assert search.main(["orchard", "--repeats", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["figures"]) == {"orchard"}
    units = {figure["unit"] for figure in report["figures"]["orchard"]}
    assert units == {"s", "simulations/s", "decisions", "beams/s", "%"}
