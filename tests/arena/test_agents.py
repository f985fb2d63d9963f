"""Agents: bots of your own in matches and traces."""

from threading import Lock
from time import sleep

import pytest

import almunia
from almunia import Agent, Match, SetupError, record_trace
from almunia.arena import report
from almunia.arena.executors import ThreadExecutor
from almunia.arena.match import run
from almunia.toy_games.kuhn.rules import BET, PASS

KUHN = almunia.game("kuhn")
pytestmark = pytest.mark.compiled


class Always:
    """A bot that always takes the same action, and notes its calls."""

    def __init__(self, action):
        self.action, self.choices, self.prepared, self.in_use = action, 0, [], Lock()

    def prepare(self, seats):
        self.prepared.append(seats)

    def choose(self, _observation):
        assert self.in_use.acquire(blocking=False), "another thread chooses"
        sleep(0.0001)  # lets other threads run
        self.choices += 1
        self.in_use.release()
        return self.action


class Elsewhere:
    """An executor that may run tasks on other machines."""

    def map_unordered(self, work, tasks):
        yield from map(work, tasks)


def agent(action=BET, name="net", hash_="1"):
    return Agent(Always(action), name, hash_)


# --- matches ------------------------------------------------------------------------------------------


def test_agents_play_matches_by_name_and_hash():
    bets, passes = agent(BET, "bets"), agent(PASS, "passes", "7")
    rows = run(Match(KUHN, [bets, passes], seats=2, deals=6))
    assert len(rows) == 12
    for row in rows:
        assert row["pairing"] == "bets@1 v passes@7"
        assert row["scores"] == [1 if name == "bets@1" else -1 for name in row["bots"]]
        assert row["faults"] == ["", ""]
    assert bets.bot.choices == sum(row["choices"][row["bots"].index("bets@1")] for row in rows)
    assert bets.bot.prepared == [2] * 12


def test_agents_are_rated_with_specs():
    match = Match(KUHN, ["greedy", "random", agent(PASS)], seats=2, deals=40, against=agent(BET, "bets"))
    summary = report.summarize(run(match))
    ratings = {bot["spec"]: bot["rating"] for bot in summary["bots"]}
    assert set(ratings) == {"greedy", "random", "net@1", "bets@1"}
    assert min(ratings, key=ratings.get) == "net@1"


def test_a_match_plays_again_with_another_hash_only(tmp_path):
    first, same, changed = agent(), agent(), agent(hash_="2")
    for one in (first, same, changed):
        rows = run(Match(KUHN, [one, "random"], seats=2, deals=3), tmp_path)
        assert {name for row in rows for name in row["bots"]} == {str(one), "random"}
    assert first.bot.choices >= 6
    assert same.bot.choices == 0
    assert changed.bot.choices == first.bot.choices


def test_an_agent_that_fails_loses_and_the_others_play_on():
    illegal = agent(7, "illegal")
    rows = run(Match(KUHN, [illegal, "random"], seats=2, deals=2))
    assert [row["ranks"][row["bots"].index("illegal@1")] for row in rows] == [2] * 4


@pytest.mark.parametrize("count", [1, 4])
def test_one_thread_at_a_time_calls_an_agent(count, tmp_path):
    match, executor = Match(KUHN, [agent(), agent(PASS, "passes")], seats=2, deals=20), ThreadExecutor(count)
    assert {fault for row in run(match, executor=executor) for fault in row["faults"]} == {""}
    results = record_trace(KUHN, tmp_path, 120, bots=[agent(), agent(PASS, "passes")], executor=executor)
    assert results["scores"].tolist() == [[1, -1]] * 120


def test_agents_play_in_this_process_only(tmp_path):
    with pytest.raises(
        SetupError, match=r"'net@1' plays in this process only\. Use a ThreadExecutor, not <.*Elsewhere"
    ):
        run(Match(KUHN, [agent(), "random"], seats=2, deals=1), executor=Elsewhere())
    with pytest.raises(SetupError, match="'net@1' plays in this process only"):
        record_trace(KUHN, tmp_path / "trace", 2, bots=[agent(), "random"], executor=Elsewhere())
    assert not (tmp_path / "trace").exists()
    assert len(run(Match(KUHN, ["greedy", "random"], seats=2, deals=1), executor=Elsewhere())) == 2


def test_the_seed_is_secret_from_programs_only():
    match = Match(KUHN, [agent(), "random"], seats=2, deals=1)
    assert (match.resolved_seed, match.hides_seed) == (0, False)
    assert Match(KUHN, [agent(), "external:sh"], seats=2, deals=1).hides_seed


# --- names and hashes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hash_", "reason"),
    [
        ("", "1", "'' cannot be the name of an agent: use letters"),
        (3, "1", "3 cannot be the name of an agent"),
        ("two\nlines", "1", "cannot be the name of an agent"),
        ("a v b", "1", "cannot be the name of an agent"),
        ("net@1", "1", "cannot be the name of an agent"),
        ("net", None, "None cannot be the hash of an agent"),
    ],
)
def test_names_and_hashes_that_are_refused(name, hash_, reason):
    with pytest.raises(SetupError, match=reason):
        Agent(Always(BET), name, hash_)


@pytest.mark.parametrize("bot", ["greedy", object(), Always])
def test_an_agent_needs_a_bot(bot):
    with pytest.raises(SetupError, match=r"a method choose\(observation\), and .* has none"):
        Agent(bot, "net", "1")


def test_a_bot_without_a_name_is_refused_with_the_way_out(tmp_path):
    for bots, against in (([Always(BET), "random"], None), (["random"], Always(BET)), ([3], None)):
        with pytest.raises(SetupError, match=r"name it: almunia.Agent\(bot, 'net', '1'\)"):
            Match(KUHN, bots, seats=2, deals=1, against=against)
    with pytest.raises(SetupError, match="name it"):
        record_trace(KUHN, tmp_path / "trace", 2, bots=Always(BET))
    with pytest.raises(SetupError, match="a list of specs and agents"):
        Match(KUHN, agent(), seats=2, deals=1)


def test_two_agents_that_differ_need_two_names(tmp_path):
    with pytest.raises(SetupError, match="Two different agents are called 'net@1'"):
        Match(KUHN, [agent(), "random"], seats=2, deals=1, against=agent())
    with pytest.raises(SetupError, match="Two different agents are called 'net@1'"):
        record_trace(KUHN, tmp_path / "trace", 2, bots=[agent(), agent()])
    one = agent()
    assert record_trace(KUHN, tmp_path / "trace", 2, bots=[one, one])["scores"].shape == (2, 2)


# --- traces -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["arrays", "parquet"])
def test_a_trace_has_the_choices_of_agents(tmp_path, form):
    record_trace(KUHN, tmp_path, 30, bots=[agent(BET, "bets"), "greedy"], seed=1, form=form)
    trace = almunia.load_trace(tmp_path)
    assert trace.config.bots == ("bets@1", "greedy")
    rows = trace.rows(range(len(trace)))
    assert len(rows["action"]) == 60
    assert set(rows["action"][rows["seat"] == 0].tolist()) == {BET}
    assert "visit_policy" not in rows


def test_a_trace_is_continued_with_the_same_hash_only(tmp_path):
    record_trace(KUHN, tmp_path, 50, bots=[agent(), "greedy"], seed=1)
    longer = agent()
    record_trace(KUHN, tmp_path, 60, bots=[longer, "greedy"], seed=1)
    assert longer.bot.choices == 10
    with pytest.raises(SetupError, match="bots"):
        record_trace(KUHN, tmp_path, 70, bots=[agent(hash_="2"), "greedy"], seed=1)


def test_a_search_of_an_agent_records_its_policy(tmp_path):
    search = Agent(almunia.make_bot("search:50", KUHN, seed=1), "searcher", "1")
    record_trace(KUHN, tmp_path, 5, bots=[search, "random"], seed=1)
    trace = almunia.load_trace(tmp_path)
    rows = trace.rows(range(len(trace)))
    sums = rows["visit_policy"].sum(axis=1)
    assert sums[rows["seat"] == 0] == pytest.approx(1)
    assert (sums[rows["seat"] == 1] == 0).all()


def test_agents_play_simulations_and_batches():
    assert almunia.simulate(KUHN, 4, bots=[agent(), agent(PASS, "passes")])["scores"].tolist() == [[1, -1]] * 4
    batch = KUHN.batch(8, opponents=agent(PASS), seat=0, reward="points")
    batch.step([BET] * 8)
    assert batch.rewards[:, 0].tolist() == [1] * 8
