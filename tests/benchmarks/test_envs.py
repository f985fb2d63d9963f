"""The comparison of environments with peers: counted steps, the order of measurements, and missing packages."""

import json
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from almunia.errors import MissingExtra
from benchmarks import entry as interfaces, envs, frameworks, peers

TIMES = 23


class TurnEnv:
    """An environment like PettingZoo's, with two agents, whose game ends after `length` decisions."""

    def __init__(self, ending: str, length: int = 5) -> None:
        self.ending, self.length = ending, length
        self.decisions = self.looks = self.resets = 0

    def reset(self, seed: int | None = None) -> None:
        self.resets += 1
        self.agents, self.agent_selection, self.left = ["a", "b"], "a", self.length
        self.terminations, self.truncations = {"a": False, "b": False}, {"a": False, "b": False}
        self.seen = False

    def last(self):
        self.looks, self.seen = self.looks + 1, True
        return {"action_mask": np.array([0, 1, 0, 1], np.int8)}, 0.0, False, False, {}

    def step(self, action) -> None:
        assert self.seen
        self.seen = False
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            assert action is None
            self.agents.remove(self.agent_selection)
        else:
            assert action in (1, 3)
            self.decisions += 1
            self.left -= 1
        if self.left == 0:
            getattr(self, self.ending).update(dict.fromkeys(self.agents, True))
        self.agent_selection = self.agents[-1] if self.agents else ""


@pytest.mark.parametrize("ending", ["terminations", "truncations"])
def test_in_pettingzoo_steps_of_agents_that_leave_are_not_counted(ending) -> None:
    env = TurnEnv(ending)
    frameworks.pettingzoo_loop(env)(TIMES)
    assert env.decisions == TIMES
    assert env.resets == 1 + TIMES // env.length


def test_in_openspiel_chance_is_not_counted() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    decided, looked = [], []

    class Counted:
        """Kuhn poker, in which chance deals two cards before the first decision."""

        def new_initial_state(self):
            self.state = pyspiel.load_game("kuhn_poker").new_initial_state()
            return self

        def apply_action(self, action) -> None:
            decided.append("chance" if self.state.is_chance_node() else "decision")
            self.state.apply_action(action)

        def __getattr__(self, name):
            return getattr(self.state, name)

    observer = SimpleNamespace(set_from=lambda _state, player: looked.append(player))
    frameworks.openspiel_loop(Counted(), observer, frameworks.sample_outcome)(TIMES)
    assert decided.count("decision") == len(looked) == TIMES
    assert decided[:3] == ["chance", "chance", "decision"]
    assert set(looked) == {0, 1}


@pytest.mark.parametrize(("number", "outcome"), [(0.0, 7), (0.24, 7), (0.26, 3), (0.999, 9), (1.0, 9)])
def test_chance_outcomes_have_their_probabilities(number, outcome) -> None:
    state = SimpleNamespace(chance_outcomes=lambda: [(7, 0.25), (3, 0.5), (9, 0.25)])
    assert frameworks.sample_outcome(state, number) == outcome


def test_our_deals_are_drawn_evenly() -> None:
    state = SimpleNamespace(get_game=lambda: SimpleNamespace(deals=10))
    assert [frameworks.sample_deal(state, number) for number in (0.0, 0.55, 0.99)] == [0, 5, 9]


def test_in_rlcard_each_decision_is_legal_and_a_game_follows_the_last() -> None:
    class Env:
        decisions, resets = 0, 0

        def reset(self):
            self.resets += 1
            return {"legal_actions": {4: None, 9: None}}, 0

        def step(self, action):
            assert action in (4, 9)
            self.decisions += 1
            return {"legal_actions": {4: None, 9: None}}, 1

        def is_over(self):
            return self.decisions % 5 == 0

    env = Env()
    peers.rlcard_loop(env)(TIMES)
    assert (env.decisions, env.resets) == (TIMES, 1 + TIMES // 5)


@pytest.mark.exhaustive
def test_in_catanatron_each_tick_is_a_decision_and_a_match_follows_the_last(monkeypatch) -> None:
    catanatron = pytest.importorskip("catanatron")
    ticks = []
    tick = catanatron.Game.play_tick
    monkeypatch.setattr(catanatron.Game, "play_tick", lambda match: ticks.append(match) or tick(match))
    monkeypatch.setattr(sys.modules["catanatron.game"], "TURNS_LIMIT", 2)
    peers.in_catanatron()(TIMES)
    assert len(ticks) == TIMES
    assert 1 < len({match.seed for match in ticks}) < TIMES
    assert all(match.state.num_turns <= 2 for match in ticks)


def test_in_pgx_a_step_is_a_decision_in_each_game(monkeypatch) -> None:
    """Stub modules replace JAX and Pgx, which take minutes to install and to compile."""
    steps, waited = [], []

    def step(state, actions, keys):
        assert actions == f"chosen from {state.legal_action_mask}"
        assert len(keys) == interfaces.GAMES
        steps.append(state)
        return SimpleNamespace(legal_action_mask=f"mask {len(steps)}")

    random = SimpleNamespace(PRNGKey=lambda seed: f"key {seed}", split=lambda key, n: [key] * n)
    jax = SimpleNamespace(
        config=SimpleNamespace(update=lambda *words: waited.append(words)),
        jit=lambda function: function,
        vmap=lambda function: function,
        random=random,
        block_until_ready=waited.append,
    )
    begun = SimpleNamespace(legal_action_mask="mask 0")
    pgx = SimpleNamespace(make=lambda _: SimpleNamespace(init=lambda _keys: begun, step=step))
    experimental = SimpleNamespace(
        act_randomly=lambda _key, mask: f"chosen from {mask}", auto_reset=lambda step, _init: step
    )
    for name, module in {"jax": jax, "pgx": pgx, "pgx.experimental": experimental}.items():
        monkeypatch.setitem(sys.modules, name, module)
    peers.in_pgx("chess")(TIMES)
    assert len(steps) == TIMES
    assert waited == [("jax_platforms", "cpu"), SimpleNamespace(legal_action_mask=f"mask {TIMES}")]
    assert {entry.games for entry in peers.entries() if entry.owner == "Pgx"} == {interfaces.GAMES}


# --- measuring in turn --------------------------------------------------------------------------------


def entry(what: str, make, **more) -> interfaces.Entry:
    """Return an entry that belongs to no library."""
    return interfaces.Entry("somehow", what, make, **more)


@pytest.fixture
def once(monkeypatch) -> None:
    """Reduce the measurements to the minimum."""
    monkeypatch.setattr(envs, "calibrate", lambda loop, **_: loop(1) or 2)


@pytest.mark.usefixtures("once")
def test_repeats_alternate_and_count_every_game_of_a_step(monkeypatch) -> None:
    now, order, progress = [0.0], [], []

    def made(name: str, seconds: float):
        def loop(times: int) -> None:
            order.append(name)
            now[0] += seconds * times

        return lambda: loop

    monkeypatch.setattr(envs, "process_time", lambda: now[0])
    entries = [entry("one", made("one", 0.5), goal=2.0), entry("many", made("many", 0.25), games=8)]
    report = envs.measure(entries, 3, lambda *words: progress.append(words))
    assert order == ["one", "many"] + ["one", "many"] * 3
    one, many = report.figures["somehow"]
    assert (one.what, one.runs, one.goal, one.reached) == ("one", [2.0] * 3, 2.0, True)
    assert (many.what, many.runs, many.reached) == ("many", [32.0] * 3, None)
    assert [done for done, _ in progress] == [0, 1, 2, 4, 6]
    assert report.missing == []
    assert report.packages["gymnasium"]


@pytest.mark.usefixtures("once")
def test_missing_packages_are_named_once_and_failing_entries_left_out() -> None:
    def lacks():
        raise ModuleNotFoundError("No module named 'chess'", name="chess")

    def breaks():
        raise TypeError("the wrong NumPy")

    def refuses():
        raise MissingExtra.named("It needs", "gymnasium", "gymnasium")

    entries = [
        *(entry(what, lacks, owner="PettingZoo") for what in ("chess", "go")),
        entry("uno", breaks, owner="RLCard"),
        entry("ours", refuses),
        entry("works", lambda: lambda _: sum(range(1000))),
    ]
    report = envs.measure(entries, 1, lambda *_: None)
    assert [figure.what for figure in report.figures["somehow"]] == ["works"]
    assert report.missing == [
        "Measuring PettingZoo needs the package chess, which is not installed: pip install 'almunia[peers]'.",
        "RLCard, uno, does not run here: TypeError: the wrong NumPy",
        "It needs the package gymnasium, which is not installed: pip install 'almunia[gymnasium]'.",
    ]


def test_an_error_of_an_own_entry_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        envs.measure([entry("ours", lambda: 1 // 0)], 1, lambda *_: None)


@pytest.mark.usefixtures("once")
def test_measurements_use_one_core_and_restore_the_affinity(monkeypatch) -> None:
    heard = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: heard.append(cores), raising=False)
    envs.measure([entry("it", lambda: heard.append)], 1, lambda *_: None)
    assert heard == [{3}, 1, 2, {3, 5, 7}]
    heard.clear()
    with pytest.raises(ZeroDivisionError):
        envs.measure([entry("ours", lambda: 1 // 0)], 1, lambda *_: None)
    assert heard == [{3}, {3, 5, 7}]


@pytest.mark.usefixtures("once")
def test_all_cores_are_used_without_cpu_affinity(monkeypatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    report = envs.measure([entry("it", lambda: lambda _: sum(range(1000)))], 1, lambda *_: None)
    assert len(report.figures["somehow"]) == 1


# --- the program --------------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch) -> None:
    """Pretend that the large packages are not installed."""
    for name in ("pygame", "chess", "rlcard", "jax"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.usefixtures("once", "without")
def test_the_program_compares_installed_packages_and_names_the_others(capsys) -> None:
    for package in ("gymnasium", "pettingzoo", "pyspiel", "catanatron"):
        pytest.importorskip(package)
    assert envs.main(["oregon", "--repeats", "2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    figures = report["figures"]
    assert [*figures] == [
        interfaces.GYMNASIUM, interfaces.PETTINGZOO, interfaces.OPENSPIEL, interfaces.LIBRARY, interfaces.MANY,
    ]  # fmt: skip
    assert all(figure["value"] > 0 and len(figure["runs"]) == 2 for rows in figures.values() for figure in rows)
    named = {interface: [figure["what"] for figure in rows] for interface, rows in figures.items()}
    assert named[interfaces.GYMNASIUM] == [
        "Almunia's oregon, against random", "Almunia's oregon, against random, unwrapped",
    ]  # fmt: skip
    assert {"Almunia's oregon", "OpenSpiel's hearts (C++)"} < set(named[interfaces.OPENSPIEL])
    assert "Catanatron's Catan for two, legal actions alone" in named[interfaces.LIBRARY]
    goals = {interface: [figure["goal"] for figure in rows] for interface, rows in figures.items()}
    assert goals[interfaces.GYMNASIUM] == [1e5, None]
    assert goals[interfaces.PETTINGZOO][0] == 1e5  # those of PettingZoo itself follow, if they are installed
    assert {"gymnasium", "pettingzoo", "open-spiel"} <= report["packages"].keys()
    assert report["machine"]["Python"] == sys.version.split()[0]
    for owner, package in (("PettingZoo's own games", "pygame"), ("RLCard", "rlcard"), ("Pgx", "jax")):
        sentence = (
            f"Measuring {owner} needs the package {package}, which is not installed: pip install 'almunia[peers]'."
        )
        assert report["missing"].count(sentence) == 1


def test_the_report_is_printed_as_text(capsys, monkeypatch) -> None:
    figure = envs.Figure("A peer's chess", "decisions/s", [1234.0], 2000.0, higher_is_better=True)
    report = envs.Report({"In turns": [figure]}, ["RLCard needs it."], {"pgx": "9.9"})
    monkeypatch.setattr(envs, "measure", lambda *_: report)
    assert envs.main(["oregon"]) == 0
    text = capsys.readouterr().out
    assert "\nIn turns\n  A peer's chess" in text
    assert "1,234 decisions/s" in text
    assert "at least 2,000: not met" in text
    assert text.endswith("\nwith pgx 9.9\nleft out: RLCard needs it.\n")


def test_every_game_is_measured_if_none_is_named(monkeypatch) -> None:
    from almunia.catalog import game_packages

    asked = []
    monkeypatch.setattr(envs, "measure", lambda entries, repeats, _: asked.append((entries, repeats)) or envs.Report())
    envs.main([])
    ((entries, repeats),) = asked
    assert repeats == 5
    names = {entry.what.split("'s ")[1].split(",")[0] for entry in entries if not entry.owner}
    assert names == set(game_packages())
