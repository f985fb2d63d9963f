"""Analyses of finished games: requests, the worker, the page, and the API."""

import json
from dataclasses import replace
from threading import Event

import pytest
from alembic import command
from sqlalchemy import inspect, select, update
from sqlalchemy.exc import OperationalError

from almunia.analysis import Decision, PlayAnalysis
from almunia.server.errors import Conflict, Forbidden, TooManyRequests, Unavailable
from almunia.server.jobs import analysis_queue
from almunia.server.jobs.analysis_queue import FAILED, FINISHED, NONE, RUNNING, WAITING, AnalysisStopped, AnalysisWorker
from almunia.server.jobs.analysis_repository import (
    MAX_ATTEMPTS,
    MAX_WAIT_SECONDS,
    MAX_WAITING_PER_NETWORK,
    RETRY_SECONDS,
    to_json,
)
from almunia.server.settings import Settings
from almunia.server.storage import schema
from almunia.server.storage.database import open_migrated
from almunia.server.web import game_analysis
from almunia.server.web.game_analysis import (
    PlayKey,
    chart_of,
    lead_sentences,
    read_analysis,
    sentences_of,
    turning_sentences,
    values_of,
)

from ..analysing import cheap
from ..waiting import TIMEOUT
from .seated import ANA, BEA, CEM, move, opened
from .test_migrations import migrate
from .test_ratings import engine


@pytest.fixture
def visitor(visitor):
    """Return a visitor to a site that takes requests without compiled builds."""
    visitor.app.state.site.analyses.needs_compiled = False
    return visitor


def with_worker(site, analyse=cheap):
    """Let a site analyse games, one by one on request of the test."""
    worker = AnalysisWorker(site.engine, site.tables, site.builds, site.locks, site.clock)
    worker.analyse, worker.needs_compiled = analyse, False
    return worker


def played(site, *seats, **more):
    """Return the state of a finished table."""
    return played_out(site, opened(site, *seats, **more))


def played_out(site, table):
    """Play a table to its end, and return its state."""
    while not site.tables.get(table).play.over:
        move(site, table)
    return site.tables.get(table)


def test_a_game_is_analysed_once_on_request(site):
    state, worker = played(site, ANA, BEA), with_worker(site)
    assert site.analyses.get(state).status == NONE
    assert not worker.run_next(), "nothing is requested"
    assert site.analyses.request(state, "").status == WAITING
    assert site.analyses.request(state, "").status == WAITING
    assert worker.run_next()
    assert not worker.run_next()
    found = site.analyses.get(state)
    assert (found.status, found.result) == (FINISHED, cheap(state.play))
    assert site.analyses.request(state, "").status == FINISHED
    assert not worker.run_next()


def test_a_running_game_and_an_open_daily_deal_are_not_analysed(site, visitor):
    running = site.tables.get(opened(site, ANA, BEA))
    with pytest.raises(Forbidden, match="when it is over"):
        site.analyses.request(running, "")
    deal = visitor.post("/daily", data={"game": "orchard"}, follow_redirects=False).headers["location"]
    visitor.finish(deal)
    state = site.tables.get(deal.rpartition("/")[2])
    assert state.table.finished
    with pytest.raises(Conflict, match="still open"):
        site.analyses.request(state, "")
    assert "while its daily deal is open" in visitor.get(f"{deal}/replay").text
    assert visitor.post(f"{deal}/analysis").status_code == 409


def test_a_game_without_moves_is_not_analysed(visitor):
    table, site = visitor.open(**{"seat-0": "me", "seat-1": "here"}), visitor.app.state.site
    visitor.post(f"{table}/resign", data={"seat": 0})
    answer = visitor.post(f"{table}/analysis")
    assert (answer.status_code, "no move" in answer.text) == (409, True)
    assert "be analysed" in visitor.get(f"{table}/replay").text
    assert "Analyse this game" not in visitor.get(f"{table}/replay").text
    assert not with_worker(site).run_next()


def test_a_failed_game_is_given_up_and_can_be_requested_again(site, caplog):
    def fail(*_args, **_more):
        raise ZeroDivisionError

    state = played(site, ANA)
    site.analyses.request(state, "")
    assert with_worker(site, fail).run_next()
    assert "could not be analysed" in caplog.text
    assert site.analyses.get(state).status == FAILED
    assert not with_worker(site).run_next()
    with pytest.raises(TooManyRequests, match="Try again tomorrow"):
        site.analyses.request(state, "")
    site.clock.advance(RETRY_SECONDS)
    assert site.analyses.request(state, "").status == WAITING
    assert with_worker(site).run_next()
    assert site.analyses.get(state).status == FINISHED


def test_an_analysis_that_takes_too_long_is_given_up(site, caplog):
    state = played(site, ANA)
    site.analyses.request(state, "")
    worker = with_worker(site, lambda _play, progress: progress(1, 2))
    worker.max_seconds = -1.0
    assert worker.run_next()
    assert "took more than" in caplog.text
    assert site.analyses.get(state).status == FAILED


def test_a_last_attempt_that_the_end_of_the_process_stops_does_not_count(site):
    def die(*_args, **_more):
        raise SystemExit

    def stop(*_args, **_more):
        assert site.analyses.get(state).status == RUNNING
        raise AnalysisStopped

    state = played(site, ANA)
    site.analyses.request(state, "")
    for _ in range(MAX_ATTEMPTS - 1):
        with pytest.raises(SystemExit):
            with_worker(site, die).run_next()
    assert with_worker(site, stop).run_next()
    assert with_worker(site).run_next()
    assert site.analyses.get(state).status == FINISHED


def test_a_game_that_ends_its_process_is_taken_again_and_not_for_ever(site):
    def die(*_args, **_more):
        raise SystemExit

    state = played(site, ANA)
    site.analyses.request(state, "")
    for attempt in range(MAX_ATTEMPTS):
        assert site.analyses.get(state).status == (RUNNING if attempt else WAITING)
        with pytest.raises(SystemExit):
            with_worker(site, die).run_next()
    assert not with_worker(site).run_next()
    assert site.analyses.get(state).status == FAILED


def test_a_request_that_no_process_can_serve_expires(site):
    states = [played(site, ANA) for _ in range(MAX_WAITING_PER_NETWORK + 1)]
    for state in states[:-1]:
        site.analyses.request(state, "crowd")
    site.clock.advance(MAX_WAIT_SECONDS - 1)
    assert site.analyses.get(states[0]).status == WAITING
    with pytest.raises(TooManyRequests):
        site.analyses.request(states[-1], "crowd")
    site.clock.advance(1)
    assert site.analyses.get(states[0]).status == NONE
    assert not with_worker(site).run_next()
    assert site.analyses.request(states[-1], "crowd").status == WAITING, "the expired requests do not count"
    assert site.analyses.request(states[0], "crowd").status == WAITING, "it can be requested again"


def test_a_request_is_tried_again_after_the_process_ends_and_expires_later(site):
    def die(*_args, **_more):
        raise SystemExit

    state = played(site, ANA)
    site.analyses.request(state, "")
    site.clock.advance(MAX_WAIT_SECONDS - 1)
    with pytest.raises(SystemExit):
        with_worker(site, die).run_next()
    site.clock.advance(MAX_WAIT_SECONDS - 1)
    assert site.analyses.get(state).status == RUNNING
    assert with_worker(site).run_next()


def test_a_site_without_compiled_builds_refuses_requests(visitor, over):
    site = visitor.app.state.site
    site.analyses.needs_compiled = True
    state = site.tables.get(over.rpartition("/")[2])
    with pytest.raises(Unavailable, match="compiled build"):
        site.analyses.request(state, "")
    assert "Analyse this game" not in visitor.get(f"{over}/replay").text
    site.builds.set_awaited(["orchard"])
    assert site.analyses.request(state, "").status == WAITING


def test_an_analysis_goes_on_while_the_database_is_away(site, monkeypatch):
    monkeypatch.setattr(analysis_queue, "PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr(analysis_queue, "POLL_SECONDS", 0.0)
    state, worker, failures = played(site, ANA), with_worker(site), []

    def failing_once(method):
        def fail(*args):
            monkeypatch.setattr(worker._repository, method.__name__, method)
            failures.append(method.__name__)
            raise OperationalError("UPDATE", {}, Exception("no connection"))

        monkeypatch.setattr(worker._repository, method.__name__, fail)

    failing_once(worker._repository.record_progress)
    failing_once(worker._repository.finish)
    site.analyses.request(state, "")
    assert worker.run_next()
    assert failures == ["record_progress", "finish"]
    assert site.analyses.get(state).result == cheap(state.play)


def test_a_site_that_ends_leaves_the_request_for_the_next(start):
    site = start().app.state.site
    begun, state = Event(), played(site, ANA, BEA)

    def wait(play, progress):
        begun.set()
        for number in range(10**6):
            progress(1, 10)
            assert number < 10**6 - 1
        return cheap(play)

    site.analysis_worker.analyse, site.analysis_worker.needs_compiled, site.analyses.needs_compiled = wait, False, False
    site.analyses.request(state, "")
    site.analysis_worker.run_in_background()
    assert begun.wait(TIMEOUT)
    site.analysis_worker.close()
    site.analysis_worker.run_in_background()  # does nothing any more
    assert site.analyses.get(state).status == WAITING
    again = start().app.state.site
    assert with_worker(again).run_next()
    assert again.analyses.get(again.tables.get(state.table.id)).result == cheap(state.play)


def test_progress_is_shown_and_a_deleted_game_ends_its_analysis(site, monkeypatch):
    monkeypatch.setattr(analysis_queue, "PROGRESS_SECONDS", 0.0)
    state, steps = played(site, ANA, rated=False), []

    def watch(play, progress):
        for number in range(1, 4):
            progress(number, 10)
            steps.append(site.analyses.get(state)[:2])
        site.game_lists.delete("ana", state.table.id)
        progress(4, 10)
        steps.append("it goes on")
        return cheap(play)

    site.analyses.request(state, "")
    assert with_worker(site, watch).run_next()
    assert steps == [(RUNNING, 1), (RUNNING, 2), (RUNNING, 3)]
    assert not with_worker(site).run_next()


def test_an_analysis_is_deleted_with_its_table(site):
    state = played(site, ANA, rated=False)
    site.analyses.request(state, "")
    with_worker(site).run_next()
    site.game_lists.delete("ana", state.table.id)
    with site.engine.connect() as db:
        assert db.execute(select(schema.analysis)).all() == []


def test_networks_take_turns_and_their_requests_are_limited(site):
    order = []

    def write_down(play, progress):
        order.append(play.seed)
        return cheap(play)

    crowd = [played(site, ANA) for _ in range(MAX_WAITING_PER_NETWORK + 1)]
    other = played(site, BEA)
    for state in crowd[:-1]:
        site.analyses.request(state, "crowd")
    with pytest.raises(TooManyRequests, match="of your network"):
        site.analyses.request(crowd[-1], "crowd")
    site.analyses.request(other, "elsewhere")
    worker = with_worker(site, write_down)
    while worker.run_next():
        pass
    seeds = [state.table.seed for state in crowd[:-1]]
    assert order == [seeds[0], other.table.seed, *seeds[1:]]
    with site.engine.connect() as db:
        assert {row.network for row in db.execute(select(schema.analysis))} == {""}, "not kept longer than needed"


def test_other_rules_need_another_analysis(site, monkeypatch):
    state, worker = played(site, ANA), with_worker(site)
    site.analyses.request(state, "")
    worker.run_next()
    monkeypatch.setattr(analysis_queue, "ANALYSIS_VERSION", 99)
    assert site.analyses.get(state).status == NONE
    assert site.analyses.request(state, "").status == WAITING
    monkeypatch.undo()
    assert not worker.run_next(), "this process has other rules"
    monkeypatch.setattr(analysis_queue, "ANALYSIS_VERSION", 99)
    assert worker.run_next()
    assert site.analyses.get(state).status == FINISHED


def test_one_process_at_a_time_makes_an_analysis(postgres, tmp_path):
    from almunia.server.site import Site

    with postgres.database() as address:
        settings = Settings(data=tmp_path, database=address, compiled=False)
        first, second = (Site(settings) for _ in range(2))
        state, counts = played(first, ANA, BEA), []
        second.tables.get(state.table.id)
        first.analyses.needs_compiled = False
        first.analyses.request(state, "")

        def analyse(play, progress):
            counts.append(with_worker(second).run_next())
            return cheap(play)

        assert with_worker(first, analyse).run_next()
        assert counts == [False], "the other process leaves it alone"
        assert second.analyses.get(state).status == FINISHED
        for site in (first, second):
            site.close()


def test_the_migration_can_be_undone(tmp_path):
    engine = open_migrated(f"sqlite:///{tmp_path / 'new.sqlite3'}")
    migrate(engine, "0025", command.downgrade)
    assert "analysis" not in inspect(engine).get_table_names()
    migrate(engine, "head")
    assert "analysis" in inspect(engine).get_table_names()
    engine.dispose()


def test_an_export_has_the_analyses_of_finished_games(visitor):
    table, site = visitor.open(), visitor.app.state.site
    visitor.finish(table)
    state = site.tables.get(table.rpartition("/")[2])
    (before,) = visitor.get("/account/export").json()["games"]
    assert before["analysis"] is None
    site.analyses.request(state, "")
    with_worker(site).run_next()
    (game,) = visitor.get("/account/export").json()["games"]
    assert game["analysis"] == json.loads(json.dumps(to_json(cheap(state.play))))


# --- pages ------------------------------------------------------------------------------------------------


@pytest.fixture
def over(visitor):
    """Return the path of a finished game of two seats of the visitor."""
    table = visitor.open(**{"seat-0": "me", "seat-1": "here"})
    played_out(visitor.app.state.site, table.rpartition("/")[2])
    return table


def analysed(visitor, table):
    site = visitor.app.state.site
    assert visitor.post(f"{table}/analysis", data={"back": f"{table}/replay?at=3"}).status_code == 200
    assert with_worker(site).run_next()
    return site.tables.get(table.rpartition("/")[2])


def test_the_replay_offers_waits_for_and_shows_an_analysis(visitor, stranger, over):
    site = visitor.app.state.site
    assert "Analyse this game" in stranger.get(f"{over}/replay").text
    answer = stranger.post(f"{over}/analysis", data={"back": f"{over}/replay?at=3#analysis"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{over}/replay?at=3#analysis")
    waiting = visitor.get(f"{over}/replay?at=3&seat=1").text
    assert "waiting to be analysed" in waiting
    assert f'data-refresh="{over}/analysis?at=3&amp;seat=1"' in waiting
    before = stranger.get(f"{over}/replay").text.partition("<main")[2]
    assert waiting.partition("<main")[2].count('role="status"') == before.count('role="status"') == 1
    with_worker(site).run_next()
    found = stranger.get(f"{over}/replay?at=3&seat=1").text
    assert "data-refresh" not in found
    state = site.tables.get(over.rpartition("/")[2])
    mistake = cheap(state.play).seats[1].costliest()[0]
    assert f"Move {mistake.number}</a>, a mistake" in found
    assert f'href="{over}/replay?at={mistake.number - 1}&amp;seat=1&amp;better=1"' in found
    assert f'<input type="hidden" name="at" value="{mistake.number - 1}">' in found
    assert "15 percentage points, from 50% to 35%" in found
    assert "lost 7 points to bad luck, give or take 3, and gave away about 3 points." in found
    points, minus = state.play.points[0], "\N{MINUS SIGN}"
    choices = f"{points - 13:+d} ±3".replace("-", minus)
    assert f"<td>20</td><td>{minus}7 ±3</td><td>{choices}</td><td><b>{points}</b></td>" in found
    assert f'max="{len(state.play.actions)}" value="3"' in found
    part = stranger.get(f"{over}/analysis?at=3&seat=1").text
    assert part.lstrip().startswith("<section id=")
    assert "".join(part.split()) in "".join(found.split())
    assert f'data-refresh="{over}/analysis"' in visitor.get(over).text, "the table's page loads it by a script"


def test_the_better_move_is_drawn_and_described(visitor, over):
    state = analysed(visitor, over)
    mistake = cheap(state.play).seats[1].costliest()[0]
    at = f"{over}/replay?at={mistake.number - 1}&seat=1"
    plain, better = visitor.get(at).text, visitor.get(f"{at}&better=1").text
    assert 'class="ghost"' in better
    assert 'class="ghost"' not in plain
    assert "<b>Better: " in better
    assert f"Move {mistake.number} cost " in better
    other = visitor.get(f"{over}/replay?at={mistake.number - 1}&seat=0&better=1").text
    assert 'class="ghost"' not in other, "another seat did not choose"
    assert "? mistake" in visitor.get(f"{over}/replay?at={mistake.number}&seat=1").text


def test_analyses_of_running_games_are_refused(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "here"})
    assert visitor.get(f"{table}/analysis").status_code == 403
    assert visitor.post(f"{table}/analysis").status_code == 403
    assert visitor.get("/table/nothing/analysis").status_code == 404


def test_positions_of_an_analysis_exist(visitor, over):
    assert visitor.get(f"{over}/analysis?at=9999").status_code == 404
    assert visitor.get(f"{over}/analysis?at=0&seat=7").status_code == 404


# --- the chart and the words ------------------------------------------------------------------------------


def made(*rows, seats=2):
    """Return an analysis of decisions: number, seat, chance and lost chance."""
    found = [Decision(number, seat, 0, 1, chance, 0.0, lost, 10 * lost) for number, seat, chance, lost in rows]
    return PlayAnalysis.of("orchard", 400, 0, seats, found)


def test_the_values_are_those_of_the_next_decision_and_the_result():
    analysis = made((1, 0, 0.5, 0.0), (3, 1, 0.75, 0.0))
    assert values_of(analysis, 4, (0.0, 1.0)) == [(0.5, 0.5), (0.5, 0.5), (0.4, 0.6), (0.4, 0.6), (0.0, 1.0)]
    assert values_of(analysis, 4, ())[-1] == (0.4, 0.6)
    alone = PlayAnalysis.of("orchard", 400, 0, 1, [Decision(2, 0, 0, 1, None, 0.0, 0.1, 3.0)])
    assert values_of(alone, 3, ()) == [(0.0,), (0.0,), (3.0,), (3.0,)]


def test_the_chart_has_a_curve_for_each_seat_and_marks_at_mistakes():
    analysis = made((1, 0, 0.5, 0.15), (2, 1, 0.6, 0.01), (3, 0, 0.5, 0.3))
    chart = chart_of(analysis, values_of(analysis, 4, (1.0, 0.0)))
    assert [curve.label for curve in chart.curves] == ["100%", "0%"]
    assert [mark.symbol for mark in chart.marks] == ["?", "??"]
    assert [mark.about for mark in chart.marks] == ["Move 1: mistake", "Move 3: blunder"]
    assert chart.last == 4
    width = game_analysis.RIGHT - game_analysis.LEFT
    assert [mark.x for mark in chart.marks] == [game_analysis.LEFT + width / 4, game_analysis.LEFT + 3 * width / 4]
    assert chart.marks[0].y == (game_analysis.TOP + game_analysis.BOTTOM) / 2, "where it was chosen"
    for curve in chart.curves:
        assert curve.path.startswith(f"M{game_analysis.LEFT:.1f} ")
        assert len(curve.path.split("L")) == 5
        assert curve.symbols


def test_changes_of_the_lead_are_described():
    names = ("Ana", "Bea")
    steady = [(0.6, 0.4)] * 3 + [(1.0, 0.0)]
    assert lead_sentences(steady, names) == ["Ana was ahead from the start to the end."]
    turned = [(0.6, 0.4), (0.49, 0.51), (0.6, 0.4), (0.3, 0.7), (0.0, 1.0)]
    assert lead_sentences(turned, names) == ["The lead changed once: Bea was ahead from move 3 on."]
    late = [(0.6, 0.4), (0.6, 0.4), (0.0, 1.0)]
    assert lead_sentences(late, names) == ["The lead changed once: only the last move decided the game for Bea."]
    won = [(0.5, 0.5), (0.52, 0.48), (0.0, 1.0)]
    assert lead_sentences(won, names) == ["Only the last move decided the game for Bea."]
    behind = [(0.5, 0.5), (0.4, 0.6), (0.3, 0.7), (0.0, 1.0)]
    assert lead_sentences(behind, names) == ["Bea was ahead from move 1 on."]
    tied = [(0.6, 0.4), (0.6, 0.4), (0.5, 0.5)]
    assert lead_sentences(tied, names) == ["Ana was ahead from the start, and the game ended in a tie."]
    assert lead_sentences([(0.5, 0.5), (0.48, 0.52), (0.5, 0.5)], names) == ["No player was clearly ahead."]


def test_the_sentences_are_made_of_the_games_numbers():
    analysis = made((1, 0, 0.5, 0.0), (2, 1, 0.5, 0.01), (3, 0, 0.5, 0.3), (4, 1, 0.9, 0.0))
    rows = values_of(analysis, 4, (0.0, 1.0))
    assert sentences_of(analysis, rows, (0.0, 1.0), ("Ana", "Bea")) == [
        "Bea was ahead from move 3 on.",
        "The turning point was move 3: the chance of Bea rose from 50% to 64%.",
        "The costliest choice was move 3 by Ana, which cost 30 percentage points, from 50% to 20%.",
    ]
    good = made((1, 0, 0.5, 0.0), (2, 1, 0.5, 0.01))
    rises = [(0.5, 0.5), (0.2, 0.8), (0.2, 0.8)]
    assert turning_sentences(rises, (0.0, 1.0), ("Ana", "Bea")) != []
    assert turning_sentences(rises, (), ("Ana", "Bea")) == [], "a game that ended early has no winner"
    assert sentences_of(good, values_of(good, 2, ()), (), ("Ana", "Bea"))[-1] == (
        "No choice cost more than 2 percentage points."
    )
    alone = PlayAnalysis.of("orchard", 400, 0, 1, [Decision(2, 0, 0, 1, None, 0.0, 0.1, 3.0)])
    assert sentences_of(alone, values_of(alone, 3, ()), (), ("Ana",)) == [
        "All choices together gave away about 3 points.",
        "The costliest was move 2, which cost about 3 points.",
    ]
    assert sentences_of(made(), [(0.5, 0.5)], (), ("Ana", "Bea")) == ["No move in this game offered a choice."]


def test_a_reading_names_the_three_costliest_choices(site):
    state = played(site, ANA, BEA, CEM)
    judged = cheap(state.play)
    costly = [Decision(**{**vars(one), "lost_chance": one.number / 100}) for one in judged.decisions]
    analysis = PlayAnalysis.of("orchard", 400, 0, 3, costly)
    reading = read_analysis(analysis, PlayKey(state), ("Ana", "Bea", "Cem"), (1.0, 0.0, 0.0), 1)
    own = sorted(one.number for one in costly if one.seat == 1 and one.lost_chance > 0.02)
    assert [one.number for one in reading.costliest] == own[:-4:-1]
    assert reading.more == len(own) - 3 > 0
    assert [one.seat for one in reading.players] == [0, 1, 2]


# --- programs ---------------------------------------------------------------------------------------------


def test_a_program_reads_an_analysis(visitor, over):
    site = visitor.app.state.site
    table = over.rpartition("/")[2]
    token = site.tokens.create(site.tables.get(table).table.host, "Ana", "test")
    asked = {"headers": {"Authorization": f"Bearer {token}"}}
    address = f"/api/v1/tables/{table}/analysis"
    assert visitor.get(address, **asked).json()["status"] == NONE
    answer = visitor.post(address, json={}, **asked)
    assert (answer.status_code, answer.json()["status"]) == (202, WAITING)
    with_worker(site).run_next()
    found = visitor.get(address, **asked).json()
    state = site.tables.get(table)
    assert (found["status"], found["actions"]) == (FINISHED, len(state.play.actions))
    assert len(found["analysis"]["decisions"]) == len(cheap(state.play).decisions)
    first = found["analysis"]["decisions"][0]
    assert first["action"] == state.play_at(0).action_to_string(state.play.actions[0])
    running = visitor.open(**{"seat-0": "me", "seat-1": "here"}).rpartition("/")[2]
    assert visitor.post(f"/api/v1/tables/{running}/analysis", json={}, **asked).status_code == 403


def spotless(play, progress):
    """Judge a play as `cheap` does, but find no mistake of the second seat."""
    found = cheap(play, progress)
    decisions = [replace(one, lost_chance=0.0) if one.seat == 1 else one for one in found.decisions]
    return PlayAnalysis.of(play.game.name, 400, 0, play.seats, decisions, found.luck)


def test_a_profile_shows_the_accuracy_in_the_latest_analysed_games(visitor, site, monkeypatch):
    visitor.post("/preferences", data={"name": "Ana"})
    guest = site.tables.store.find(visitor.open().rpartition("/")[2]).host
    states = [played(site, BEA, replace(ANA, player=guest)) for _ in range(4)]
    with engine(site).begin() as db:
        db.execute(update(schema.game_table).where(schema.game_table.c.id == states[3].table.id).values(imported=True))
    analysed = (states[0], cheap), (states[1], spotless), (states[3], cheap), (played(site, BEA, CEM), cheap)
    for state, analyse in analysed:
        site.analyses.request(state, "")
        assert with_worker(site, analyse).run_next()
    first = round(cheap(states[0].play).seats[1].accuracy)
    expected = [(states[0].table.id, first), (states[1].table.id, 100)]
    assert [(one.table, one.accuracy) for one in site.analyses.accuracies(guest)] == expected
    page = visitor.get("/profile").text
    assert f"Accuracy in the last 2 games: from {first} to 100" in page
    assert page.count('/replay#analysis"><time') == 2
    monkeypatch.setattr(analysis_queue, "MAX_ACCURACIES", 1)
    assert [one.table for one in site.analyses.accuracies(guest)] == [states[1].table.id]
    monkeypatch.setattr(analysis_queue, "ANALYSIS_VERSION", "other")
    assert site.analyses.accuracies(guest) == []
