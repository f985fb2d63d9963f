"""Traces: contents, resuming, damage, and PyTorch."""

import json
import os
import pickle
import re
import shutil
from pathlib import Path
from time import time

import numpy as np
import pytest

import almunia
from almunia.arena import traces
from almunia.arena.executors import ThreadExecutor
from almunia.arena.kernels.simulate import Results
from almunia.arena.trace_writer import (
    blank_decisions,
    choose_with_search,
    decision_columns,
    outcome_columns,
    reward_columns,
    trace,
)
from almunia.arena.traces import PLAYS_PER_PART
from almunia.batch.rewards import Rewards
from almunia.bots import make
from almunia.bots.search import SearchBot
from almunia.catalog import game_packages
from almunia.core.workspaces import allocate
from almunia.errors import SetupError

GAME = almunia.game("orchard")
FORCED = almunia.game("oregon")  # has forced moves
pytestmark = pytest.mark.compiled
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("form", traces.FORMS)
def test_a_trace_has_the_plays_of_simulate(tmp_path, form):
    plays = PLAYS_PER_PART + 3
    result = trace(GAME, tmp_path / "t", plays, bots=["greedy", "random"], seed=4, form=form)
    assert all((result[key] == wanted).all() for key, wanted in known(plays).items())
    found = traces.load(tmp_path / "t")
    assert len(found) == result["decisions"].sum()
    rows = found.rows(range(len(found)))
    assert (np.bincount(rows["episode_id"]) == result["decisions"]).all()
    for number in (0, PLAYS_PER_PART + 1):
        play = GAME.new(2, int(result["seed"][number]))
        for row in np.flatnonzero(rows["episode_id"] == number).tolist():
            view, one = play.observe(play.turn), found[row]
            assert (one["seat"], one["timestep"]) == (play.turn, len(play.actions))
            assert (one["observation"] == view.tensor()).all()
            assert (one["legal_actions"] == view.action_mask()).all()
            play.apply(int(one["action"]))
            assert one["score"] == result["scores"][number, view.seat]
            assert one["rank"] == result["ranks"][number, view.seat]
            assert one["return"] == {1: 1.0, 2: -1.0}[int(one["rank"])] or len(set(result["ranks"][number])) == 1
        assert play.over


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "oregon" else pytest.mark.exhaustive) for name in game_packages()]
)
def test_an_observation_is_masked_for_its_seat(tmp_path, name):
    game = almunia.game(name)
    for bots in (["greedy", "random"], ["search:1", "random"]):
        folder = tmp_path / bots[0].partition(":")[0]
        (seed,) = trace(game, folder, 1, bots=bots, seed=4)["seed"].tolist()
        play = game.new(2, seed)
        for row in traces.load(folder):
            assert (row["observation"] == play.observe(play.turn).tensor()).all()
            play.apply(int(row["action"]))
        assert play.over


def known(plays):
    """Return the results of `simulate` for the same plays."""
    return almunia.simulate(GAME, plays, bots=["greedy", "random"], seed=4)


def test_a_trace_is_resumed_with_any_number_of_threads(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    trace(GAME, whole, 2 * PLAYS_PER_PART + 5, bots="random", seed=1, executor=ThreadExecutor(2))
    trace(GAME, parts, PLAYS_PER_PART + 5, bots="random", seed=1)
    shutil.rmtree(parts / "part-000000")  # as if it had not come so far
    stamp = (parts / "part-000001").stat().st_mtime_ns
    trace(GAME, parts, PLAYS_PER_PART + 5, bots="random", seed=1)
    assert (parts / "part-000001").stat().st_mtime_ns == stamp
    trace(GAME, parts, 2 * PLAYS_PER_PART + 5, bots="random", seed=1)
    one, other = traces.load(whole), traces.load(parts)
    every = range(len(one))
    assert len(one) == len(other)
    assert all((column == other.rows(every)[name]).all() for name, column in one.rows(every).items())


@pytest.mark.parametrize("form", traces.FORMS)
def test_an_interrupted_trace_can_be_read(tmp_path, form):
    """Executors finish parts in any order, so an interrupted trace can have gaps."""
    folder = tmp_path / "t"
    trace(GAME, folder, 2 * PLAYS_PER_PART + 5, bots="random", seed=1, form=form)
    whole = traces.load(folder)
    kept = [row for row in range(len(whole)) if whole[row]["episode_id"] >= PLAYS_PER_PART]
    shutil.rmtree(folder / "part-000000")
    found = traces.load(folder)
    assert len(found) == len(kept)
    wanted = whole.rows(kept) if form == "parquet" else trace_again(folder, kept)
    assert all((column == wanted[name]).all() for name, column in found.rows(range(len(found))).items())
    shutil.rmtree(folder / "part-000001")
    shutil.rmtree(folder / "part-000002")
    assert len(traces.load(folder)) == 0


@pytest.mark.parametrize("bots", ["random", ["search:5", "random"]])
def test_readers_of_parquet_folders_find_the_decisions(tmp_path, bots):
    dataset = pytest.importorskip("pyarrow.dataset")
    plays = PLAYS_PER_PART + 5 if bots == "random" else 2
    trace(GAME, tmp_path, plays, bots=bots, seed=1, form="parquet")
    table = dataset.dataset(tmp_path, format="parquet").to_table()
    found = traces.load(tmp_path)
    wanted = found.rows(range(len(found)))
    assert table.num_rows == len(found)
    for name in ("episode_id", "timestep", "seat", "action", "reward", "terminated", "return", "score", "rank"):
        assert (table[name].to_numpy() == wanted[name]).all()
    observations = table["observation"].combine_chunks().to_numpy_ndarray()
    assert (observations == wanted["observation"]).all()
    assert table["legal_actions"].to_pylist() == [np.flatnonzero(row).tolist() for row in wanted["legal_actions"]]
    for name in ("visit_policy", "search_value"):
        assert (table[name].null_count < len(table)) == (name in wanted)


def test_in_parquet_a_policy_has_a_share_for_each_legal_action(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    trace(GAME, tmp_path, 2, bots=["search:5", "random"], seed=1, form="parquet")
    wanted = traces.load(tmp_path).rows(range(len(traces.load(tmp_path))))
    table = parquet.read_table(tmp_path / "part-000000" / "decisions.parquet").to_pylist()
    for row, policy, value in zip(table, wanted["visit_policy"], wanted["search_value"], strict=True):
        if row["seat"] == 1:
            assert row["visit_policy"] is row["search_value"] is None
        else:
            assert row["visit_policy"] == policy[row["legal_actions"]].tolist()
            assert row["search_value"] == value or (row["search_value"] is None and len(row["legal_actions"]) == 1)


def test_traces_in_hive_folders_are_one_table(tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    bots = ("greedy", "random", "search:3")
    for bot in bots:
        trace(GAME, tmp_path / f"bot={bot}", 2, bots=bot, seed=1, form="parquet")
    table = dataset.dataset(tmp_path, format="parquet", partitioning="hive").to_table()
    actions = [row["action"].item() for bot in bots for row in traces.load(tmp_path / f"bot={bot}")]
    assert table["action"].to_pylist() == actions
    searched = {row["bot"] for row in table.select(["bot", "visit_policy"]).to_pylist() if row["visit_policy"]}
    assert searched == {"search:3"}
    assert set(table["bot"].to_pylist()) == set(bots)


def trace_again(folder, rows):
    """Return these rows of the trace in a folder, after a copy of the folder has been resumed."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    trace(GAME, copy, 2 * PLAYS_PER_PART + 5, bots="random", seed=1)
    return traces.load(copy).rows(rows)


def test_a_long_trace_does_not_open_more_files_than_it_may(tmp_path, monkeypatch):
    trace(GAME, tmp_path / "t", 3 * PLAYS_PER_PART, bots="random", seed=1)
    everything = traces.load(tmp_path / "t")
    wanted, order = everything.rows(range(len(everything))), np.random.default_rng(0).permutation(len(everything))
    before = open_files()
    monkeypatch.setattr(traces, "max_open_files", lambda: 8)
    found = traces.load(tmp_path / "t")
    for start in range(0, len(order), 50):
        rows = order[start : start + 50]
        assert (found.rows(rows)["observation"] == wanted["observation"][rows]).all()
        assert open_files() <= before + 4


def open_files():
    """Return the number of open files of this process; 0 if the system does not report it."""
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0


def test_drafts_of_killed_processes_are_removed_after_a_time(tmp_path):
    trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    for name, age in (("old", traces.DRAFT_MAX_AGE_SECONDS + 60), ("new", 0)):
        draft = tmp_path / "t" / f"{traces.DRAFT_PREFIX}{name}"
        (draft / "decisions").mkdir(parents=True)
        os.utime(draft, (time() - age, time() - age))
    trace(GAME, tmp_path / "t", 2, bots="random", seed=1)
    assert [path.name for path in (tmp_path / "t").glob(".*")] == [".draft-new"]


def test_an_unfinished_part_is_not_visible(tmp_path, monkeypatch):
    trace(GAME, tmp_path / "t", 3, bots="random", seed=1)
    before = traces.load(tmp_path / "t").rows(range(10))

    def fails(columns, place):
        raise OSError("the disk is full")

    monkeypatch.setitem(traces.WRITERS, "arrays", fails)
    with pytest.raises(OSError, match="full"):
        trace(GAME, tmp_path / "t", 9, bots="random", seed=1)
    assert all((column == before[name]).all() for name, column in traces.load(tmp_path / "t").rows(range(10)).items())
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["_trace.json", "part-000000"]


def test_decisions_of_searches_have_policies(tmp_path):
    for form in traces.FORMS:
        trace(GAME, tmp_path / form, 2, bots=["search:30", "random"], seed=2, form=form)
    one, other = (traces.load(tmp_path / form).rows(range(len(traces.load(tmp_path / form)))) for form in traces.FORMS)
    assert all(np.array_equal(column, other[name], equal_nan=name == "search_value") for name, column in one.items())
    searched = one["seat"] == 0
    assert one["visit_policy"][searched].sum(axis=1) == pytest.approx(1.0)
    assert not one["visit_policy"][~searched].any()
    assert not one["visit_policy"][~one["legal_actions"]].any()
    best = one["visit_policy"][np.arange(len(searched)), one["action"]]
    assert (best[searched] == one["visit_policy"][searched].max(axis=1)).all()


def test_traces_without_searches_have_no_policies(tmp_path):
    for number, spec in enumerate(("greedy", "greedy,epsilon=0.5")):
        trace(GAME, tmp_path / str(number), 1, bots=spec, seed=2)
        assert "visit_policy" not in traces.load(tmp_path / str(number))[0]


def test_a_search_plays_as_in_simulate_and_is_not_asked_about_forced_moves(tmp_path, monkeypatch):
    seen, rank_actions = [], SearchBot.rank_actions
    monkeypatch.setattr(
        SearchBot,
        "rank_actions",
        lambda bot, observation: seen.append(len(observation.legal_actions)) or rank_actions(bot, observation),
    )
    bots = ["search:8", "search:8"]
    result = trace(FORCED, tmp_path / "t", 1, bots=bots, seed=2)
    assert min(seen) > 1
    monkeypatch.undo()
    other = almunia.simulate(FORCED, 1, bots=bots, seed=2)
    assert (result["scores"].tolist(), result["decisions"]) == (other["scores"].tolist(), other["decisions"])
    rows = traces.load(tmp_path / "t").rows(range(int(result["decisions"].sum())))
    forced = rows["legal_actions"].sum(axis=1) == 1
    assert forced.any()
    assert (rows["visit_policy"][forced] == rows["legal_actions"][forced]).all()


def test_the_value_of_a_search_is_the_mean_over_all_visits():
    play = FORCED.new(2, 5)
    output = choose_with_search(make("search:50", FORCED, 3), play.observe(play.turn))
    analyses = make("search:50", FORCED, 3).rank_actions(play.observe(play.turn))
    visits = [round(analysis.share * 50) for analysis in analyses]
    sums = [analysis.value * count for analysis, count in zip(analyses, visits, strict=True)]
    assert output.value == pytest.approx(sum(sums) / sum(visits))
    assert 0 < output.value < 1


@pytest.mark.parametrize("bots", ["random", "greedy,epsilon=0.5"])
@pytest.mark.parametrize("seats", [1, 2, 3])
def test_rewards_are_those_of_the_environments(tmp_path, bots, seats):
    """In kernels and in Python."""
    result = trace(GAME, tmp_path / "t", 3, seats=seats, bots=bots, seed=8)
    found, rewards = traces.load(tmp_path / "t"), Rewards(GAME, seats)
    rows = found.rows(range(len(found)))
    for number, seed in enumerate(result["seed"].tolist()):
        play, paid, decided = GAME.new(seats, seed), [0.0] * seats, {}
        for row in np.flatnonzero(rows["episode_id"] == number).tolist():
            seat = play.turn
            if seat in decided:
                now = rewards.potential(play.observe(seat), seat)
                assert rows["reward"][decided[seat]] == now - paid[seat]
                assert not rows["terminated"][decided[seat]]
                paid[seat] = now
            decided[seat] = row
            play.apply(int(rows["action"][row]))
        for seat, row in decided.items():
            assert rows["terminated"][row]
            assert rows["reward"][row] == rewards.potential(play, seat) - paid[seat]
            own = (rows["episode_id"] == number) & (rows["seat"] == seat)
            assert rows["reward"][own].sum() == rows["return"][row] == rewards.returns(play)[seat]
    assert not rows["truncated"].any()


def test_a_reward_is_the_change_until_the_next_decision():
    """The first reward of a seat has the points that it began with."""
    seats, points, returns = np.array([0, 1, 0, 1, 0]), np.array([2, 1, 3, 1, 5]), np.array([9, 4, 9, 4, 9])
    rewards, is_last = reward_columns(seats, points, returns)
    assert rewards.tolist() == [3, 1, 2, 3, 4]
    assert is_last.tolist() == [False, False, False, True, True]
    assert [len(column) for column in reward_columns(*np.zeros((3, 0), np.int64))] == [0, 0]


def test_a_play_that_was_stopped_is_truncated():
    results = one_result(GAME)
    for ending in (0, 1):
        results.ending[0] = ending
        columns = outcome_columns(decision_columns(blank_decisions(GAME, 1)), results)
        assert (bool(columns["truncated"][0]), bool(columns["terminated"][0])) == (not ending, bool(ending))


def test_the_return_is_the_reward_by_rank(tmp_path):
    result = trace(GAME, tmp_path / "t", 30, seats=3, bots="random", seed=8)
    rows = traces.load(tmp_path / "t").rows(range(int(result["decisions"].sum())))
    rewards = Rewards(GAME, 3)
    for number, seed in enumerate(result["seed"].tolist()):
        play, mine = GAME.new(3, seed), rows["episode_id"] == number
        for action in rows["action"][mine].tolist():
            play.apply(action)
        assert (rows["return"][mine] == rewards.returns(play)[rows["seat"][mine]]).all()
    assert any(len(set(ranks)) < 3 for ranks in result["ranks"].tolist())  # there are equals among them


def test_batches_have_every_decision_once(tmp_path):
    trace(GAME, tmp_path / "t", 5, bots="random", seed=3)
    found = traces.load(tmp_path / "t")
    seen = [
        tuple(pair)
        for batch in found.batches(7, seed=1)
        for pair in zip(batch["episode_id"], batch["timestep"], strict=True)
    ]
    assert len(set(seen)) == len(seen) == len(found)
    assert seen != sorted(seen)
    assert [int(action) for batch in found.batches(7) for action in batch["action"]] == [
        int(row["action"]) for row in found
    ]


# --- PyTorch ----------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", traces.FORMS)
def test_pytorch_loads_a_trace_and_learns_from_it(tmp_path, form):
    torch = pytest.importorskip("torch")
    trace(GAME, tmp_path / "t", PLAYS_PER_PART + 5, bots="greedy", seed=3, form=form)
    found = traces.load(tmp_path / "t")
    order = torch.Generator().manual_seed(1)
    loader = torch.utils.data.DataLoader(found, 64, shuffle=True, collate_fn=found.tensors, generator=order)
    batches = list(loader)
    whole = {name: torch.cat([batch[name] for batch in batches]) for name in batches[0]}
    seen = list(zip(whole["episode_id"].tolist(), whole["timestep"].tolist(), strict=True))
    assert sorted(seen) == [(row["episode_id"], row["timestep"]) for row in found]
    assert seen != sorted(seen)
    assert whole["observation"].dtype == torch.float32
    assert whole["legal_actions"].gather(1, whole["action"][:, None]).all()

    first = batches[0]
    net = torch.nn.Linear(GAME.tensor_size, GAME.rules.ACTIONS)
    logits = net(first["observation"]).masked_fill(~first["legal_actions"], float("-inf"))
    loss = torch.nn.functional.cross_entropy(logits, first["action"])
    loss.backward()
    assert loss.isfinite()
    assert net.weight.grad.isfinite().all()

    with pytest.raises(almunia.SetupError, match=r"give the DataLoader collate_fn=trace\.tensors"):
        next(iter(torch.utils.data.DataLoader(found, 64)))
    with pytest.raises(almunia.SetupError, match=r"no column 'actions'.* Did you mean 'action'"):
        found.rows([0])["actions"]


@pytest.mark.exhaustive
def test_pytorch_loads_several_traces_as_one(tmp_path):
    torch = pytest.importorskip("torch")
    for name, bot in (("one", "random"), ("other", "greedy")):
        trace(GAME, tmp_path / name, 2, bots=bot, seed=3)
    one, other = (traces.load(tmp_path / name) for name in ("one", "other"))
    several = torch.utils.data.ConcatDataset([one, other])
    (batch,) = torch.utils.data.DataLoader(several, len(several), collate_fn=traces.Traces.tensors)
    for name, column in one.tensors(one.rows(range(len(one)))).items():
        assert (batch[name][: len(one)] == column).all()
        assert batch[name].dtype == column.dtype


@pytest.mark.exhaustive
def test_traces_with_and_without_searches_are_loaded_as_one(tmp_path):
    torch = pytest.importorskip("torch")
    for name, bot in (("one", "greedy"), ("other", "search:20")):
        trace(GAME, tmp_path / name, 1, bots=bot, seed=3)
    one, other = (traces.load(tmp_path / name) for name in ("one", "other"))
    for first, second in ((one, other), (other, one)):
        several = torch.utils.data.ConcatDataset([first, second])
        (batch,) = torch.utils.data.DataLoader(several, len(several), collate_fn=one.tensors)
        shares = batch["visit_policy"].sum(dim=1)
        searched = shares[len(first) :] if second is other else shares[: len(first)]
        assert searched.numpy() == pytest.approx(1.0)
        assert batch["search_value"].isnan().sum() >= len(one)
        assert not batch["search_value"].isnan().all()
        assert shares.sum() == pytest.approx(len(other), rel=1e-4)


def test_a_pickled_trace_contains_only_its_folder(tmp_path, monkeypatch):
    trace(GAME, tmp_path / "t", 2, bots="random", seed=3)
    monkeypatch.chdir(tmp_path)
    found = traces.load("t")
    sent = pickle.dumps(found)
    assert len(sent) < 1000
    monkeypatch.chdir(tmp_path.parent)
    assert (pickle.loads(sent)[3]["observation"] == found[3]["observation"]).all()  # noqa: S301 - our own


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seed": 5}, "has seed 4, not 5"),
        ({"bots": "greedy"}, "has bots"),
        ({"form": "parquet"}, "has form 'arrays', not 'parquet'"),
        ({"form": "hdf"}, "arrays"),
        ({"bots": "external:./bot.py"}, "is a program"),
        ({"games": 0}, "games"),
    ],
)
def test_a_trace_of_something_else_is_refused(tmp_path, change, reason):
    trace(GAME, tmp_path / "t", 1, bots="random", seed=4)
    before = sorted(path.name for path in (tmp_path / "t").iterdir())
    with pytest.raises(SetupError, match=reason):
        trace(GAME, tmp_path / "t", **({"games": 1, "bots": "random", "seed": 4} | change))
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == before


def test_folders_without_a_trace_are_refused(tmp_path):
    with pytest.raises(SetupError, match="no trace"):
        traces.load(tmp_path)
    (tmp_path / "mine.txt").write_text("dear history")
    with pytest.raises(SetupError, match="it is no trace"):
        trace(GAME, tmp_path, 1)
    (tmp_path / traces.CONFIG_FILE).write_text(json.dumps({"game": "orchard"}))
    with pytest.raises(SetupError, match="damaged"):
        traces.load(tmp_path)
    trace(GAME, tmp_path / "t", 1)
    with pytest.raises(IndexError, match="decisions"):
        traces.load(tmp_path / "t")[10**6]


def test_sizes_of_traces_in_the_guide_are_right():
    table = dict(re.findall(r"^\| (\w+) \| ([\d,]+) \|", (DOCS / "traces.md").read_text("utf-8"), re.MULTILINE))
    for meta in almunia.all_games():
        game = almunia.game(meta.name)
        trace_of_one = blank_decisions(game, 1)
        own = sum(array.nbytes for array in trace_of_one) - trace_of_one.parts.nbytes - trace_of_one.points.nbytes
        came = outcome_columns(decision_columns(trace_of_one), one_result(game))
        size = own + sum(column.nbytes for column in came.values())
        assert table.pop(meta.title).replace(",", "") == str(size)
    assert not table


def one_result(game):
    """Return the results of a play of one decision."""
    results = allocate(Results, game, plays=1, seats=2)
    results.decisions[0] = 1
    return results


@pytest.mark.parametrize("file", ["decisions/observation.npy", "decisions/action.npy", "plays/seed.npy"])
@pytest.mark.parametrize("kept", [None, 0, 150])
def test_a_part_that_is_damaged_is_named(tmp_path, file, kept):
    """The error for a truncated or missing file names the part to remove, which is then played again."""
    trace(GAME, tmp_path / "t", PLAYS_PER_PART + 3, bots="random", seed=1)
    part = tmp_path / "t" / "part-000000"
    before = traces.load(tmp_path / "t").rows(range(9))
    if kept is None:
        (part / file).unlink()
    else:
        (part / file).write_bytes((part / file).read_bytes()[:kept])
    with pytest.raises(SetupError, match=r"part-000000/\w+ cannot be read \(.+\). If it is damaged, remove .*part-0"):
        list(traces.load(tmp_path / "t").batches(64))
    if file.startswith("plays"):
        with pytest.raises(SetupError, match="part-000000/plays cannot be read"):
            trace(GAME, tmp_path / "t", PLAYS_PER_PART + 3, bots="random", seed=1)
    shutil.rmtree(part)
    trace(GAME, tmp_path / "t", PLAYS_PER_PART + 3, bots="random", seed=1)
    assert all((column == before[name]).all() for name, column in traces.load(tmp_path / "t").rows(range(9)).items())


@pytest.mark.parametrize("change", [{"form": "csv"}, {"actions": "x"}, {"newer": 2}])
def test_a_configuration_of_another_version_is_refused(tmp_path, change):
    trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    terms = tmp_path / "t" / traces.CONFIG_FILE
    terms.write_text(json.dumps(json.loads(terms.read_text("utf-8")) | change))
    with pytest.raises(SetupError, match="is damaged or of another version of Almunia"):
        traces.load(tmp_path / "t")


def test_other_folders_among_the_parts_are_ignored(tmp_path):
    trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    shutil.copytree(tmp_path / "t" / "part-000000", tmp_path / "t" / "part-000000.old")
    found = traces.load(tmp_path / "t")
    assert set(found.rows(range(len(found)))["episode_id"].tolist()) == {0}


def test_a_trace_can_start_again_after_a_killed_start(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / f".{traces.CONFIG_FILE}.x1y2").write_text("{")
    trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    assert len(traces.load(tmp_path / "t")) > 0


@pytest.mark.parametrize("rows", [[0.5], [True, False], ["1"], 3, [[0, 1]], [2**70], slice(3), None])
def test_decisions_are_indexed_by_integers_only(tmp_path, rows):
    trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    with pytest.raises(SetupError, match="Decisions of a trace are indexed by a row of integers, not by"):
        traces.load(tmp_path / "t").rows(rows)


@pytest.mark.parametrize(("size", "seed"), [(0, None), (-1, None), (2.5, None), (4, -1), (4, "x")])
def test_batches_take_a_size_and_a_seed(tmp_path, size, seed):
    trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    with pytest.raises(SetupError, match=r"The number of decisions at a time is|A seed is"):
        list(traces.load(tmp_path / "t").batches(size, seed))


def test_two_processes_can_write_the_same_trace(tmp_path, monkeypatch):
    """Another process writes a part between this process's check and its own write."""
    trace(GAME, tmp_path / "other", 3, bots="random", seed=1)
    rename = Path.rename

    def late(self, target):
        if Path(target).name == "part-000000" and not Path(target).exists():
            shutil.copytree(tmp_path / "other" / "part-000000", target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    trace(GAME, tmp_path / "t", 3, bots="random", seed=1)
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["_trace.json", "part-000000"]


def test_a_writer_stops_if_its_folder_has_another_trace(tmp_path, monkeypatch):
    """Two processes have begun at the same time, and the folder has the configuration of the other one."""
    trace(GAME, tmp_path / "other", 1, bots="random", seed=2)
    write_arrays = traces.write_arrays

    def meanwhile(columns, place):
        shutil.copy(tmp_path / "other" / traces.CONFIG_FILE, tmp_path / "t" / traces.CONFIG_FILE)
        write_arrays(columns, place)

    monkeypatch.setitem(traces.WRITERS, "arrays", meanwhile)
    with pytest.raises(SetupError, match="has seed 2, not 1"):
        trace(GAME, tmp_path / "t", 1, bots="random", seed=1)
    assert [path.name for path in (tmp_path / "t").iterdir()] == [traces.CONFIG_FILE]
