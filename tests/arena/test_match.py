"""Matches: lineups, stored rows, early stopping, and external programs."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from math import isclose
from select import select

import numpy as np
import pytest

import almunia
from almunia import bots
from almunia.arena import ledger, report, runner
from almunia.arena.executors import ThreadExecutor
from almunia.arena.ledger import Ledger
from almunia.arena.lineups import challenger, lineups
from almunia.arena.match import Match, deal_seeds, run
from almunia.arena.ratings import ratings
from almunia.arena.sprt import SprtRule, is_decided
from almunia.arena.standings import Estimate, mean_by_deal, standings, win_share
from almunia.bots import external, factory
from almunia.bots.fingerprint import fingerprint
from almunia.bots.levels import DEFAULT_SPECS
from almunia.bots.search import settings, workers
from almunia.bots.search.kernels import ismcts, turn_beam
from almunia.bots.search.settings import SEARCH_DEFAULTS, TURN_DEFAULTS
from almunia.bots.search.turn_bot import TurnBot
from almunia.bots.search.workers import BeamWorker
from almunia.bots.spec import Budget
from almunia.cli import main
from almunia.core.kernels import policies
from almunia.errors import BotFailure

ORCHARD = almunia.game("orchard")


@pytest.fixture
def match():
    """Return a match of which most tests play a part."""
    return Match(ORCHARD, ["random", "greedy"], seats=2, deals=6, seed=5)


def row(deal, bots, ranks, scores=None):
    seats = len(bots)
    return {
        "deal": deal,
        "pairing": f"{bots[0]} v {bots[1]}",
        "bots": list(bots),
        "ranks": ranks,
        "scores": scores or [10 * (seats - rank) for rank in ranks],
        "seconds": [0.5] * seats,
        "choices": [2] * seats,
        "faults": [""] * seats,
    }


def test_a_bot_takes_every_seat_against_the_rest():
    found = lineups(["a", "b"], 3)
    assert [lineup.bots for lineup in found] == [
        ("a", "b", "b"),
        ("b", "a", "b"),
        ("b", "b", "a"),
        ("b", "a", "a"),
        ("a", "b", "a"),
        ("a", "a", "b"),
    ]
    assert {challenger(lineup.pairing, lineup.bots) for lineup in found} == {"a", "b"}


def test_a_spec_may_contain_the_separator_of_pairing_names():
    spec = "external:sh -c 'a v b'"
    found = lineups([spec], 2, against="greedy")
    assert {challenger(lineup.pairing, lineup.bots) for lineup in found} == {spec}


def test_two_seats_need_each_pair_once_and_one_seat_none():
    assert [lineup.bots for lineup in lineups(["a", "b"], 2)] == [("a", "b"), ("b", "a")]
    assert [lineup.bots for lineup in lineups(["a", "b"], 1)] == [("a",), ("b",)]


def test_plans():
    assert {lineup.pairing for lineup in lineups("abc", 2, "ladder")} == {"b v a", "c v b"}
    assert [lineup.bots for lineup in lineups("abc", 3, "table")] == [tuple("abc"), tuple("bca"), tuple("cab")]
    assert {lineup.pairing for lineup in lineups("abc", 2, against="c")} == {"a v c", "b v c"}


@pytest.mark.parametrize(
    ("bots", "seats", "plan", "against", "why"),
    [
        ("aa", 2, "round-robin", None, "named twice"),
        ("a", 2, "round-robin", None, "two bots that differ"),
        ("a", 2, "round-robin", "a", "two bots that differ"),
        ("ab", 3, "table", None, "as many bots as seats: 3, not 2"),
        ("ab", 2, "swiss", None, "no plan 'swiss'"),
        ("ab", 2, "swiss", "c", "no plan 'swiss'"),
        ("ab", 2, "ladder", "c", "Every bot plays against 'c', so there is no plan 'ladder'"),
        ("ab", 2, "table", "c", "Every bot plays against 'c', so there is no plan 'table'"),
        ("ab", 1, "swiss", None, "no plan 'swiss'"),
        ("ab", 1, "round-robin", "c", "give the number of seats"),
        ("ab", 1, "table", None, "give the number of seats"),
    ],
)
def test_invalid_matches_are_refused(bots, seats, plan, against, why):
    with pytest.raises(almunia.SetupError, match=why):
        lineups(bots, seats, plan, against)


@pytest.mark.parametrize(
    ("bots", "why"),
    [("greedy", "a list of specs and agents"), ([object()], "neither a spec"), (["greedy", None], "None is")],
)
def test_the_bots_of_a_match_are_a_list_of_specs(bots, why):
    with pytest.raises(almunia.SetupError, match=why):
        Match(almunia.game("orchard"), bots, seats=2, deals=1)


@pytest.mark.compiled
def test_both_seats_play_the_same_deals_in_any_match(match):
    rows = run(match)
    assert len(rows) == match.total() == 12
    assert {row["seed"] for row in rows} == {deal_seeds(5, deal)[0] for deal in range(6)}
    more = run(replace(match, deals=8))
    kept = {(row["deal"], tuple(row["bots"])): row["scores"] for row in more}
    assert all(kept[row["deal"], tuple(row["bots"])] == row["scores"] for row in rows)


@pytest.mark.compiled
def test_rows_do_not_depend_on_the_executor(match):
    def facts(rows):
        return sorted((row["deal"], row["bots"], row["scores"], row["decisions"]) for row in rows)

    assert facts(run(match)) == facts(run(match, executor=ThreadExecutor(3)))


@pytest.mark.compiled
def test_numpy_numbers_can_be_stored(tmp_path):
    match = Match(ORCHARD, ["random", "greedy"], seats=np.int64(2), deals=np.int16(1), seed=np.int64(5))
    assert len(run(match, tmp_path)) == match.total() == 2


@pytest.mark.compiled
def test_an_interrupted_match_is_resumed_without_loss_or_repetition(tmp_path, match):
    class Stopped(ThreadExecutor):
        def map_unordered(self, work, tasks):
            for number, found in enumerate(super().map_unordered(work, tasks)):
                if number == 5:
                    raise KeyboardInterrupt
                yield found

    with pytest.raises(KeyboardInterrupt):
        run(match, tmp_path / "match", Stopped())
    assert not list((tmp_path / "match").glob(".*"))  # no draft is left
    kept = Ledger(match.config(), tmp_path / "match").rows
    assert len(kept) == 5
    rows = run(match, tmp_path / "match")
    assert len(rows) == 12
    assert rows[:5] == kept
    assert len({(row["deal"], tuple(row["bots"])) for row in rows}) == 12
    assert run(match, tmp_path / "match") == rows


@pytest.mark.compiled
def test_rows_are_written_every_few_seconds(tmp_path, monkeypatch, match):
    (row, _), clock = run(replace(match, deals=1)), iter(range(0, 10_000, 4))  # seconds, at each look
    monkeypatch.setattr(ledger, "monotonic", lambda: float(next(clock)))
    book = Ledger(match.config(), tmp_path / "match")
    for number in range(5):
        book.add({**row, "deal": number})
    assert [row["deal"] for row in Ledger(match.config(), tmp_path / "match").rows] == [0, 1, 2]
    book.write()
    assert Ledger(match.config(), tmp_path / "match").rows == book.rows


@pytest.mark.compiled
def test_two_processes_that_play_the_same_match_lose_and_repeat_no_play(tmp_path, match):
    rows = run(match)
    one, other = (Ledger(match.config(), tmp_path / "match") for _ in range(2))
    for book, mine in ((one, rows[:6]), (other, rows[4:])):
        for found in mine:
            book.add(found)
    one.write()
    other.write()
    assert sorted(map(ledger.key, Ledger(match.config(), tmp_path / "match").rows)) == sorted(map(ledger.key, rows))


@pytest.mark.compiled
def test_plans_in_one_folder_do_not_mix(tmp_path, match):
    first = run(replace(match, deals=2), tmp_path / "match")
    again = run(replace(match, deals=3, plan="ladder"), tmp_path / "match")
    assert {row["pairing"] for row in first} == {"random v greedy"}
    assert {row["pairing"] for row in again} == {"greedy v random"}
    assert (len(first), len(again)) == (4, 6)
    kept = run(replace(match, deals=1), tmp_path / "match")
    assert sorted(kept, key=ledger.key) == sorted((row for row in first if row["deal"] == 0), key=ledger.key)


@pytest.mark.compiled
def test_damaged_files_are_named(tmp_path, match):
    folder = tmp_path / "match"
    run(replace(match, deals=1), folder)
    (part,) = folder.glob("*.parquet")
    part.write_bytes(b"none")
    with pytest.raises(almunia.SetupError, match=r"cannot be read .* remove .*plays-"):
        run(match, folder)
    for text in ("{", "[]"):
        (folder / "terms.json").write_text(text)
        with pytest.raises(almunia.SetupError, match=r"damaged or of another version .* which match"):
            run(match, folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(almunia.SetupError, match="there already, and it is no match"):
        run(match, tmp_path / "file")
    with pytest.raises(almunia.SetupError, match="cannot be made"):
        run(match, tmp_path / "file" / "folder")


@pytest.mark.compiled
def test_the_fingerprint_of_bots_is_the_same_in_every_process():
    code = "import almunia, almunia.bots.fingerprint as made; print(made.fingerprint(almunia.game('orchard')))"
    environment = os.environ | {"PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert found.stdout.strip() == fingerprint(ORCHARD)


@pytest.mark.compiled
def test_changed_bots_do_not_continue_a_match(tmp_path, monkeypatch, match):
    run(replace(match, deals=1), tmp_path / "match")
    assert json.loads((tmp_path / "match" / "terms.json").read_text())["bot_code"] == fingerprint(ORCHARD)
    for change in (
        partial(monkeypatch.setitem, SEARCH_DEFAULTS, "exploration", 0.5),
        partial(monkeypatch.setitem, DEFAULT_SPECS, "expert", "random"),
        partial(monkeypatch.setattr, BeamWorker, "simulate", lambda *_: 1),
        partial(monkeypatch.setattr, workers, "MAX_NODES", 100),
        partial(monkeypatch.setitem, TURN_DEFAULTS, "beam_width", 7.0),
        partial(monkeypatch.setattr, TurnBot, "choose", lambda *_: 1),
        partial(monkeypatch.setattr, BeamWorker, "memory", property(lambda _: 1)),
        partial(monkeypatch.setattr, Budget, "parse", classmethod(lambda *_: 1)),
        partial(monkeypatch.setattr, factory, "make", lambda *_: 1),
        partial(monkeypatch.setattr, settings, "tree_settings", lambda *_: 1),
        partial(monkeypatch.setattr, policies, "PERMILLE", 100),
        partial(monkeypatch.setattr, turn_beam, "INF", 1),
        partial(monkeypatch.setattr, ismcts, "EPS", 1.0),
    ):
        change()
        with pytest.raises(almunia.SetupError, match="bots have changed"):
            run(match, tmp_path / "match")
        monkeypatch.undo()
    assert len(run(replace(match, deals=1), tmp_path / "match")) == 2


@pytest.mark.compiled
def test_another_match_or_another_folder_is_refused(tmp_path, match):
    run(replace(match, deals=1), tmp_path / "match")
    with pytest.raises(almunia.SetupError, match="has seed 5, not 6"):
        run(replace(match, seed=6), tmp_path / "match")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear")
    with pytest.raises(almunia.SetupError, match="it is no match"):
        run(match, tmp_path / "letters")


@pytest.mark.compiled
def test_wrong_terms_are_refused_at_once(match):
    for wrong, why in (
        ({"bots": ["random", "oracle"]}, "no bot 'oracle'"),
        ({"seats": 9}, "takes 1 to 6 seats"),
        ({"deals": 0}, "number of deals"),
        ({"options": {"edition": "1066"}}, "1066"),
        ({"bots": ["greedy"], "against": "external:./nobody"}, "no program './nobody'"),
        ({"bots": ["greedy", "external:'sh"]}, "cannot be read: No closing quotation"),
        ({"rule": SprtRule(0.6)}, "margin of 0.6: ask for more than 0, and 0.5 at most"),
        ({"rule": SprtRule(0.0)}, "margin of 0: ask for more than 0, and 0.5 at most"),
        ({"rule": SprtRule(float("nan"))}, "margin of nan: ask"),
        ({"rule": SprtRule(0.1), "plan": "table"}, "decided early"),
        ({"rule": SprtRule(0.1), "seats": 1}, "decided early"),
    ):
        with pytest.raises(almunia.SetupError, match=why):
            replace(match, **wrong)


def test_shared_wins_are_split_and_averaged_by_deal():
    rows = [row(0, "ab", [1, 1]), row(0, "ba", [2, 1]), row(1, "ab", [2, 1]), row(1, "ba", [1, 2])]
    assert mean_by_deal(rows, "a", win_share) == [0.75, 0.0]
    assert Estimate.of([0.75, 0.0]).value == 0.375


def test_intervals_are_students():
    found = Estimate.of([1.0, 2.0, 3.0, 4.0])
    assert isclose(found.high - found.value, 3.182446 * 1.290994 / 2, rel_tol=1e-5)
    sure = Estimate.of_shares([1.0] * 30)
    assert sure.value == sure.high == 1.0
    assert 0.8 < sure.low < 0.95


def test_ratings_put_the_stronger_first():
    rows = [row(deal, bots, [1, 2]) for deal in range(8) for bots in (("a", "b"), ("b", "c"), ("a", "c"))]
    found = ratings(rows)
    assert [rating.bot for rating in found] == ["a", "b", "c"]
    best, middle, worst = (rating.bradley_terry.value for rating in found)
    assert isclose(middle, 0, abs_tol=1e-6)  # as the evidence for both sides is the same
    assert isclose(best, -worst)
    assert found[0].bradley_terry.low < best / 2  # eight deals all won make nobody sure
    assert found[2].bradley_terry.high > worst / 2
    for rating in found:
        assert rating.bradley_terry.low <= rating.bradley_terry.value <= rating.bradley_terry.high
        assert rating.openskill.low < rating.openskill.value < rating.openskill.high
    assert isclose(sum(rating.bradley_terry.value for rating in found), 0, abs_tol=1e-6)


@pytest.mark.compiled
def test_no_deal_begins_after_the_time_limit(monkeypatch, match):
    from almunia.arena import match as matches

    clock = iter(range(0, 10_000, 20))  # seconds, at each look
    monkeypatch.setattr(matches, "monotonic", lambda: float(next(clock)))
    rows = run(match, minutes=1)
    assert [row["deal"] for row in rows] == [0, 0, 1, 1]


@pytest.mark.compiled
def test_a_pairing_stops_when_it_is_decided(match):
    assert not is_decided([1.0] * 10, 0.5, SprtRule(0.1))
    assert is_decided([1.0, 0.5] * 20, 0.5, SprtRule(0.1))
    assert is_decided([0.0, 0.5] * 20, 0.5, SprtRule(0.1))
    assert not is_decided([1.0, 0.0] * 12 + [1.0], 0.5, SprtRule(0.02))
    rows = run(replace(match, deals=60, rule=SprtRule(0.2)))
    assert 40 <= len(rows) < 60
    assert standings(rows)[0].share.value < 0.1
    side_by_side = run(replace(match, deals=60, rule=SprtRule(0.2)), executor=ThreadExecutor(3))
    assert sorted(map(ledger.key, side_by_side)) == sorted(map(ledger.key, rows))


@pytest.mark.compiled
def test_a_decided_pairing_stays_decided(tmp_path, match):
    early = run(replace(match, deals=60, rule=SprtRule(0.2)), tmp_path / "match")
    assert len(run(replace(match, deals=60), tmp_path / "match")) == 120
    again = run(replace(match, deals=60, rule=SprtRule(0.2)), tmp_path / "match")
    assert sorted(map(ledger.key, again)) == sorted(map(ledger.key, early))


PROGRAMS = {
    "good": "print(json.dumps({'action': message['actions'][0]['words']}), flush=True)",
    "illegal": "print(json.dumps({'action': -5}), flush=True)",
    "babbling": "print('hello', flush=True)",
    "crashing": "sys.exit(3)",
    "silent": "time.sleep(60)",
    "nested": "print('[' * 60000, flush=True)",
    "binary": "sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()",
    "flooding": "[print(json.dumps({'action': -5})) for _ in iter(int, 1)]",
}
REPORTS = {
    "illegal": "chose '-5', which is not legal",
    "babbling": "should answer with a line like",
    "crashing": "ended instead of answering, with exit status 3",
    "silent": "took longer than 0.2 s, and lost on time",
    "nested": "should answer with a line like",
    "binary": "should answer with a line like",
    "flooding": "chose '-5', which is not legal",
}


@pytest.fixture
def program(tmp_path):
    def write(name):
        lines = (
            "import json, sys, time",
            "for line in sys.stdin:",
            "    message = json.loads(line)",
            "    if message['type'] == 'choose':",
            f"        {PROGRAMS[name]}",
        )
        path = tmp_path / f"{name}.py"
        path.write_text("\n".join(lines))
        return f"external:{0.2 if name == 'silent' else 60}s:{sys.executable} {path}"

    return write


@pytest.mark.compiled
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_fails_loses_and_the_others_play_on(program, name, match):
    spec = program(name)
    (one, other) = run(replace(match, bots=[spec], against="random", deals=1))
    for found, seat in ((one, 0), (other, 1)):
        assert found["ending"]
        assert bool(found["faults"][seat]) == (name != "good")
        if name != "good":
            assert REPORTS[name] in found["faults"][seat]
            assert found["ranks"][seat] == 2
            assert found["ranks"][1 - seat] == 1


@pytest.mark.compiled
@pytest.mark.parametrize("where", ["choose", "prepare"])
def test_a_bot_that_raises_an_error_loses_and_the_others_play_on(monkeypatch, where):
    class Broken(bots.NamedBot):
        spec = "broken"

        def choose(self, observation):
            if where == "choose":
                raise ZeroDivisionError("nothing is left")
            return observation.legal_actions[0]

        def prepare(self, _seats):
            if where == "prepare":
                raise ZeroDivisionError("nothing is left")

    monkeypatch.setattr(
        runner, "make", lambda spec, *given, **more: Broken() if spec == "broken" else bots.make(spec, *given, **more)
    )
    found = runner.run_task(runner.Task("orchard", {}, 0, 3, 4, "broken", ("broken", "greedy")), {})
    assert found["ending"]
    assert found["faults"] == ["ZeroDivisionError: nothing is left", ""]
    assert found["ranks"] == [2, 1]


def test_a_program_is_ended_with_its_child_processes(tmp_path):
    """The program and its child process hold a pipe open until they end."""
    path, script = tmp_path / "pipe", tmp_path / "parent.sh"
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    script.write_text(f"exec 3> {path}\n(echo begun >&3; sleep 600) &\nread start\nread choose\nsleep 600\n")

    def read():
        assert select([pipe], [], [], 60)[0]
        return os.read(pipe, 99)

    plain = almunia.game("orchard", "plain")
    bot = bots.make(f"external:0.1s:sh {script}", plain)
    bot.prepare(1)
    assert read() == b"begun\n"
    with pytest.raises(BotFailure, match="lost on time"):
        bot.choose(plain.new(seed=1).observe(0))
    assert read() == b""
    os.close(pipe)


@pytest.mark.compiled
def test_a_program_is_ended_once(program, monkeypatch, match):
    ended, spec = [], program("crashing")
    monkeypatch.setattr(external, "terminate", lambda process: ended.append(process.wait()))
    (row, _) = run(replace(match, bots=[spec], against="random", deals=1))
    assert row["faults"][0]
    assert ended == [3, 3]  # in either seat


@pytest.mark.compiled
def test_simulations_close_programs(program):
    before = set(threading.enumerate())
    almunia.simulate(ORCHARD, 3, seats=1, bots=[program("good")], seed=1)
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


def test_a_program_that_is_closed_before_it_starts_does_not_start():
    plain = almunia.game("orchard", "plain")
    bot = bots.make("external:sh", plain)
    bot.close()
    with pytest.raises(BotFailure, match="has been ended"):
        bot.choose(plain.new(seed=1).observe(0))
    assert bot._process is None


@pytest.mark.compiled
def test_the_time_of_a_bot_runs_in_choices_once_it_is_prepared(monkeypatch):
    class Slow(bots.NamedBot):
        spec, now = "slow", 0.0

        def prepare(self, seats):
            Slow.now += 100 * seats

        def choose(self, observation):
            Slow.now += 1
            return observation.legal_actions[0]

    monkeypatch.setattr(runner, "make", lambda *_, **__: Slow())
    monkeypatch.setattr(runner, "perf_counter", lambda: Slow.now)
    found = runner.run_task(runner.Task("oregon", {}, 0, 3, 4, "slow v slow", ("slow", "slow")), {})
    assert Slow.now == 2 * 200 + found["decisions"]
    assert found["seconds"] == found["choices"]
    assert sum(found["choices"]) < found["decisions"]  # the others are forced moves


def test_bots_that_failed_share_the_last_place():
    assert runner.ranks_with_forfeits((1, 2, 3), ["", "", ""]) == [1, 2, 3]
    assert runner.ranks_with_forfeits((1, 2, 3), ["late", "", ""]) == [3, 1, 2]
    assert runner.ranks_with_forfeits((1, 1, 3), ["late", "", "late"]) == [2, 1, 2]


@pytest.mark.compiled
def test_a_solo_bot_that_fails_has_no_win_and_no_points(program):
    summary = report.summarize(run(Match(ORCHARD, [program("illegal")], seats=1, deals=3)))
    (bot,) = json.loads(json.dumps(summary, allow_nan=False))["bots"]
    assert bot["win_rate"] == 0.0
    assert bot["points"] == [None, None, None]
    lines = report.format_summary(summary)
    assert "? [?, ?]" in lines[1]
    assert "failed 3 times: " in lines[-1]


@pytest.mark.compiled
def test_the_summary_for_programs_and_for_people(tmp_path, match):
    summary = json.loads(json.dumps(report.summarize(run(match)), allow_nan=False))
    best, worst = summary["bots"]
    assert (best["spec"], worst["spec"]) == ("greedy", "random")
    assert best["win_rate"] == 1.0
    assert best["low"] < 1.0 == best["high"]
    assert best["rating"] > worst["rating"]
    assert "random v greedy" in "\n".join(report.format_summary(summary))
    report.plot(summary, "Orchard", tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text("utf-8")


@pytest.mark.compiled
def test_bots_of_solo_matches_are_compared_by_points():
    summary = report.summarize(run(Match(ORCHARD, ["random", "greedy"], seats=1, deals=4)))
    assert [bot["spec"] for bot in summary["bots"]] == ["greedy", "random"]
    assert summary["bots"][0]["rating"] is None
    (once,) = report.summarize(run(Match(ORCHARD, ["greedy"], seats=1, deals=1)))["bots"]
    assert once["points"][1:] == [None, None]


def test_a_match_compares_weights_with_the_games_own():
    oregon = almunia.game("oregon")
    match = Match(oregon, ["greedy"], seats=2, deals=4, against="greedy", weights={"joker": 900, "tile": -300})
    rows = run(match)
    names = "greedy (weights)", "greedy"
    assert {tuple(row["bots"]) for row in rows} == {names, names[::-1]}
    assert {row["pairing"] for row in rows} == {"greedy (weights) v greedy"}
    gained = {name: sum(row["scores"][row["bots"].index(name)] for row in rows) for name in names}
    assert gained[names[0]] < gained[names[1]], "jokers instead of tiles"
    assert match.config().bot_code != replace(match, weights={"joker": 901}).config().bot_code
    for bad, why in ({"weights": {"jokers": 1}}, "no weight 'jokers'"), ({"bots": ["random"]}, "takes no weights"):
        with pytest.raises(almunia.SetupError, match=why):
            replace(match, **bad)


def test_the_command_gives_the_weights_of_a_file_to_its_bots(tmp_path, capsys):
    file = tmp_path / "tuned.json"
    file.write_text(json.dumps({"game": "oregon", "weights": {"joker": 300}}))
    words = "match", "oregon", "--bot", "greedy", "--against", "greedy", "--deals", "1", "--weights", str(file)
    assert main([*words]) == 0
    assert "greedy (weights) v greedy" in capsys.readouterr().out
