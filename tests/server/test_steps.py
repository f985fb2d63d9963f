"""Steps of a game on its page: scorings, last turns, undone moves, replays, and the end."""

import re
from gc import collect
from itertools import groupby, pairwise
from random import Random
from types import SimpleNamespace
from weakref import ref

import numpy as np
import pytest

import almunia
from almunia.core.contract import ElementRef, Points, SeatName
from almunia.core.optional import Column, Scoring
from almunia.play.play import Observation
from almunia.server.tables import log, state
from almunia.server.tables.model import MOVE, OUTAGE, PERSON, PLAYER_JOINED, RETURNED, UNDO, Seat, Table, TableEvent
from almunia.server.tables.moves import replay_actions
from almunia.server.tables.score_sheets import Sheet, cells_of, score_sheet
from almunia.server.tables.state import TableState, move_seconds
from almunia.server.web.charts import spread, ticks
from almunia.server.web.game_summary import History, chart_of, describe_act, history_of, turning_points
from almunia.server.web.game_times import NO_NUMBER, times_of
from almunia.server.web.seat_cards import last_act

from .conftest import ORIGIN, Visitor
from .test_moves import HTMX


def scored(before: Observation, action: int, after: Observation) -> Scoring | None:
    """Return a scoring with two columns if an action of Orchard changes points, else None."""
    gains = (after.score_table() - before.score_table())[:, 0].tolist()
    if not any(gains):
        return None
    hand = tuple(gain // 2 for gain in gains)
    eye = tuple(gain - half for gain, half in zip(gains, hand, strict=True))
    notes = tuple(f"{gain} picked" for gain in gains)
    return Scoring("Picking", "1.1", (Column("By hand", hand, notes, ("board",)), Column("By <eye>", eye)))


def state_of(visitor, table):
    return visitor.app.state.site.tables.get(table.removeprefix("/table/"))


def test_a_scoring_is_shown_as_a_table(start, monkeypatch):
    monkeypatch.setattr(Observation, "scoring", scored)
    visitor = start()
    stranger = Visitor(visitor.app, headers={"Origin": ORIGIN})
    table = visitor.open()
    while not (sheets := state_of(visitor, table).history(0).score_sheets):
        visitor.act(table, -1)
    page = visitor.get(table).text
    assert f'data-scorings="{sheets[0].version}"' in page
    assert f'href="?scoring={sheets[0].version}"' in page
    assert "&lt;" not in page.split('<div id="log"')[1].split("</div>")[0]
    whole = visitor.get(f"{table}?scoring={sheets[0].version}").text
    part = visitor.get(f"{table}?scoring={sheets[0].version}", headers=HTMX).text
    assert "<html" in whole
    assert "<html" not in part
    for text in (whole, part):
        assert "By &lt;eye&gt;" in text
        assert "/games/orchard/rules#1.1" in text
        assert [int(was) for was in re.findall(r"was (\d+)", text)] == [row.points_before for row in sheets[0].rows]
    assert 'data-light="board"' in part
    assert "data-light" not in whole
    assert visitor.get(f"{table}?scoring=99").status_code == 404
    assert stranger.get(f"{table}?scoring=x").status_code == 404


def test_changed_elements_have_their_points():
    lines = [
        ["Ann: ", ElementRef("a house", "g4"), " ", Points(4), ", ", Points(1)],
        [ElementRef("a farmer", "g5")],
        [Points(9)],
    ]
    assert log.changed_elements(lines) == {"g4": 4, "g5": 0}


def test_an_undo_is_one_step_without_the_undone_moves():
    game = almunia.game("oregon", "plain")
    play = game.new(seats=2, seed=5)
    entries = []

    def steps():
        seats = (Seat("person", "a", "Ann"), Seat("person", "b", "Bea"))
        table = Table("t", "oregon", game.meta.rules_version, game.components_hash, play.options, 5, seats, "a", 0)
        return TableState.from_events(table, entries, game).history(mover).steps

    def act():
        entries.append(TableEvent(play.turn, MOVE, play.legal_actions[0]))
        play.apply(play.legal_actions[0])

    def undo():
        entries.append(TableEvent(mover, UNDO))
        play.undo()

    mover, known = play.turn, ()
    while not play.can_undo or len(steps()) == len(known):
        mover, known = play.turn, steps()
        act()
    undo()
    undone = [step.lines for step in steps()]
    assert undone[:-1] == [step.lines for step in known]
    assert log.plain_text(undone[-1][0]).endswith("takes a move back.")
    act()
    undo()
    assert [step.lines for step in steps()] == undone


def test_steps_of_others_stay_available_during_a_turn(visitor):
    """The steps of others stay available after the viewer has acted, although they are no longer outlined."""
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "friend", "seed": "5"})
    tables, seats = visitor.app.state.site.tables, []
    while seats[-3:] != [1, 0, 0]:
        now = state_of(visitor, table)
        tables.move(now.table.id, now.play.turn, now.play.legal_actions[0], now.for_viewer(now.play.turn).version)
        seats = [step.seat for step in state_of(visitor, table).history(0).steps]
    history = state_of(visitor, table).history(0)
    *_, theirs, own = (len([*run]) for _, run in groupby(seats))
    assert history.steps_since_own_move == ()
    assert history.recent_steps == history.steps[-theirs - own :]
    first = history.recent_steps[0].version
    assert f'href="{table}?at={first}&amp;first={first}"' in visitor.get(table).text
    assert state_of(visitor, table).history(-1).recent_steps == ()


def test_a_seat_card_shows_all_actions_of_the_last_turn():
    name = (SeatName(0), " ")
    words = [log.pieces_of([*name, said], ("Ann", "Bea")) for said in ("builds it.", "draws.", "sleeps.")]
    other = log.pieces_of([SeatName(1), " earns 1."], ("Ann", "Bea"))
    entries = (
        log.LogEntry(1, 0, (words[2],), turn=0, gain=9),
        log.LogEntry(2, 0, (words[0], other), turn=1, gain=4),
        log.LogEntry(3, 0, (words[1],), turn=1),
        log.LogEntry(4, 0, (words[1],), turn=1, gain=1),
        log.LogEntry(5, 1, (other,), turn=2, gain=1),
        log.LogEntry(5, 0, (words[2],), survives_undo=True),
    )
    found = last_act(entries, 0)
    assert found.words.striptags() == "builds it · draws \N{MULTIPLICATION SIGN}2"
    assert found.gain == 5
    assert last_act(entries[:1], 1) is None
    between = (*entries[:2], log.LogEntry(3, 1, (other,), turn=1), log.LogEntry(4, 0, (words[1],), turn=1))
    assert last_act(between, 0).words.striptags() == "draws"


def test_a_seat_card_shows_a_secret_action_after_its_reveal():
    names = ("Ann", "Bea")
    laid = [log.pieces_of([SeatName(p), ": lays a card, ", Points(2 + p), "."], names) for p in range(2)]
    chosen = log.pieces_of(["A card is chosen by ", SeatName(0), "."], names)
    revealed = log.LogEntry(2, 1, (log.pieces_of(["The cards are placed."], names), *laid), turn=0, gain=3)
    entries = log.LogEntry(1, 0, (chosen,), turn=0), revealed, log.LogEntry(3, 0, (chosen,), turn=1)
    found = [last_act(entries, p) for p in range(2)]
    assert [(one.words.striptags(), one.gain) for one in found] == [("lays a card, +2", 0), ("lays a card, +3", 0)]
    assert [revealed.line_about(p) for p in range(3)] == [*laid, revealed.lines[0]]


def test_columns_of_penalties_have_no_highest_cell():
    columns = Column("Dungeon", (0, -2, -2)), Column("Walls", (0, 4, 4)), Column("Gold", (3, 3, 3))
    most = [[cell.is_highest for cell in row] for row in cells_of(Scoring("Castle", "2.29", columns), 3)]
    assert most == [[False, False, False], [False, True, False], [False, True, False]]


def test_ranks_do_not_change_at_a_scoring_from_a_tie():
    """At the first scoring all seats had the same rank.

    Later each row shows how many ranks the seat has gained or lost.
    """

    def view(points, ranks):
        return SimpleNamespace(score_table=lambda: np.array([[each] for each in points]), ranks=lambda: ranks)

    scoring = Scoring("Picking", "1.1", (Column("By hand", (1, 3)),))
    first = score_sheet(1, scoring, view((0, 0), (1, 1)), view((1, 3), (2, 1)))
    assert [(row.seat, row.places_gained) for row in first.rows] == [(1, 0), (0, 0)]
    later = score_sheet(2, scoring, view((3, 2), (1, 2)), view((4, 5), (2, 1)))
    assert [(row.seat, row.places_gained) for row in later.rows] == [(1, 1), (0, -1)]


def test_replay_steps_mark_changed_elements(visitor):
    """Each replay step marks only the steps up to it."""
    table = visitor.open(**{"seat-0": "me"})
    for _ in range(4):
        visitor.act(table)
    steps = state_of(visitor, table).history(0).steps
    for number, step in enumerate(steps, 1):
        page = visitor.get(f"{table}?at={step.version}&first={steps[0].version}", headers=HTMX).text
        trace = page.split('<ol class="trace"')[1].split("</ol>")[0]
        assert (trace.count("data-touched"), trace.count("<li")) == (number, len(steps))


def test_the_last_replay_step_includes_the_present(visitor):
    """One response has the last step and the present, and no picture twice."""
    table = visitor.open("orchard", **{"seat-0": "me", "seat-1": "friend", "seed": "3"})
    tables = visitor.app.state.site.tables
    for _ in range(3):
        now = state_of(visitor, table)
        tables.move(now.table.id, now.play.turn, now.play.legal_actions[0], now.for_viewer(now.play.turn).version)
    stands, steps = state_of(visitor, table).history(0), state_of(visitor, table).history(0).steps
    pages = [visitor.get(f"{table}?at={step.version}&first={steps[0].version}", headers=HTMX).text for step in steps]
    *before, (moment, _, then) = [page.partition('<template id="then">') for page in pages]
    assert len(before) == 2
    assert all(then == "" for _, _, then in before)
    assert f'data-seen="{steps[-1].version}"' in moment
    assert f'data-seen="{stands.version}"' in then
    assert "data-first" in moment
    assert "data-first" not in then
    assert '<template id="then">' not in then
    drawn = [re.findall(r'data-fragment="([^"]+)" data-hash="([^"]+)"( data-kept)?', text) for text in (moment, then)]
    left_out = [one[:2] for one in drawn[1] if one[2]]
    assert left_out
    assert set(left_out) <= {one[:2] for one in drawn[0]}
    assert '<template id="then">' not in visitor.get(f"{table}?at={steps[-1].version}&first={steps[0].version}").text


def test_a_replay_step_is_rebuilt_from_a_near_position(monkeypatch):
    """The number of replayed events does not depend on the length of the game, the viewer or the order of the steps."""
    game, followed = almunia.game("alpujarras", "plain"), []
    play = game.new(seats=3, seed=1)
    seats = tuple(Seat("person", name, name) for name in "abc")
    table = Table("t", "alpujarras", game.meta.rules_version, game.components_hash, play.options, 1, seats, "a", 0)
    now = TableState.from_events(table, [], game)
    views = {}
    for reader in range(3):
        now.history(reader)
    while len(now.events) < 100:
        entry = TableEvent(play.turn, MOVE, play.legal_actions[0])
        play.apply(play.legal_actions[0])
        now = now.with_events((entry,), play.copy())
        views[len(now.events)] = [play.observe(reader).to_state() for reader in range(3)]
    follow = state.apply_event
    monkeypatch.setattr(state, "apply_event", lambda *given: followed.append(follow(*given)))
    for reader in range(3):
        steps = [step for step in now.history(reader).steps if step.event_count >= 100 - state.CHECKPOINT_INTERVAL]
        assert steps
        for step in (*steps, *reversed(steps)):
            followed.clear()
            assert now.history_at(reader, step).view.to_state() == views[step.event_count][reader]
            assert len(followed) <= state.CHECKPOINT_INTERVAL
        assert now.history_at(reader, steps[-1]) is now.history_at(reader, steps[-1]), "for all who ask"


def test_only_the_latest_replay_steps_are_cached():
    """All replay steps together would take much more memory than the table itself."""
    game = almunia.game("alpujarras", "plain")
    play = game.new(seats=2, seed=1)
    seats = tuple(Seat("person", name, name) for name in "ab")
    table = Table("t", "alpujarras", game.meta.rules_version, game.components_hash, play.options, 1, seats, "a", 0)
    now = TableState.from_events(table, [], game)
    now.history(0), now.history(1)
    for _ in range(20):
        entry = TableEvent(play.turn, MOVE, play.legal_actions[0])
        play.apply(play.legal_actions[0])
        now = now.with_events((entry,), play.copy())
    asked = [(reader, step) for reader in range(2) for step in now.history(reader).steps]
    moments = [ref(now.history_at(*one)) for one in asked]
    assert len(moments) > 2 * state.MAX_CACHED_HISTORIES
    collect()
    assert [moment() is not None for moment in moments[-state.MAX_CACHED_HISTORIES :]] == [
        True
    ] * state.MAX_CACHED_HISTORIES
    assert not any(moment() for moment in moments[: -state.MAX_CACHED_HISTORIES])
    assert now.history_at(*asked[-1]) is moments[-1]()
    assert now.history_at(*asked[0]).version == asked[0][1].version


def test_a_turning_point_at_a_scoring_is_named_after_it():
    """The last action of a game brings the final scoring, and may cost points itself."""
    lines = tuple(log.pieces_of([SeatName(p), " has no house."], ("Ann", "Bea")) for p in range(2))
    plain = log.LogEntry(7, 0, lines)
    assert "Bea" in describe_act(plain, 1)
    ended = log.LogEntry(7, 0, lines, scoring=Sheet(7, "The end of the game", "3.1", (), ()))
    assert describe_act(ended, 1) == "The end of the game"


def test_turning_points_are_the_largest_gains_in_order_of_play():
    gains = ((3, 0), (0, 9), (4, 0), (-9, 0), (0, 5), (6, 0), (8, 8), (2, 0))
    scores = [(0, 0)]
    for one, other in gains:
        scores.append((scores[-1][0] + one, scores[-1][1] + other))
    told = turning_points(History(tuple(range(len(scores))), tuple(scores)))
    assert [(turning.number, turning.seat, turning.gain) for turning in told] == [
        (2, 1, 9),
        (3, 0, 4),
        (5, 1, 5),
        (6, 0, 6),
    ]


def test_the_history_of_a_play():
    history = History((0, 0, 1, 2, 2), ((0, 0), (0, 0), (7, 0), (7, 2), (3, 9)))
    assert [(one.number, one.seat, one.gain) for one in turning_points(history)] == [(2, 0, 7), (4, 1, 7)]
    chart = chart_of(history)
    assert [curve.total for curve in chart.curves] == ["3", "9"]
    assert all(curve.path.count("L") == 4 for curve in chart.curves)
    assert chart_of(History((0, 1), ((0, 0), (0, 0)))) is None  # no seat has points


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 7), (-12, 130), (0, 4000)])
def test_a_grid_has_a_few_round_lines(low, high):
    found = ticks(low, high)
    assert 1 <= len(found) <= 7
    assert all(low <= value <= high for value in found)


def test_labels_of_lines_do_not_overlap():
    heights = spread([170.0, 170.0, 20.0, 171.0])
    placed = sorted(heights)
    assert all(b - a >= 16 for a, b in pairwise(placed))
    assert max(heights) <= 176
    assert heights[2] == 20, "names that nothing covers stay"


def test_the_end_page_shows_the_sources_of_points(visitor):
    table = visitor.open()
    visitor.finish(table)
    page = visitor.get(table).text
    state = state_of(visitor, table)
    (score,) = state.play.score_table()[:, 0].tolist()
    assert page.count('class="curve') == 1
    bar = page.split('<ul class="bars"')[1].split("</ul>")[0]
    lost = re.findall(r"<small>\N{MINUS SIGN}(\d+)</small>", bar)
    assert sum(map(int, re.findall(r'title="[^"]*: (\d+)"', bar))) - sum(map(int, lost)) == score
    foot = page.split("<tfoot>")[1].split("</tfoot>")[0]
    assert f"<b>{score}</b>" in foot
    moves = re.findall(r'/replay\?at=(\d+)">Move', page)
    assert 1 <= len(moves) <= 4
    for number in moves:
        assert visitor.get(f"{table}/replay?at={number}").status_code == 200
    options = tuple(state.table.options.items())
    actions = tuple(state.play.actions)
    assert history_of(state.play.game, 1, state.table.seed, options, actions).scores[-1] == (score,)


def test_the_end_page_shows_tie_breakers(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "here", "seed": "2"})
    play_out(visitor, table)
    places = visitor.get(table).text.split('<ol class="ranking">')[1].split("</ol>")[0]
    told = [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in places.split("</li>")[:-1]]
    assert [one.partition(" 9 ")[2] for one in told] == [
        "rotten fruit spared 0, dice 13",
        "rotten fruit spared 0, dice 11",
    ]


def play_out(visitor, table):
    """Play a table to its end at random, and save all moves in one write."""
    now, rng = state_of(visitor, table), Random(1)
    play, entries = now.play.copy(), []
    while not play.over:
        entries += replay_actions(play, [rng.choice(play.legal_actions)])
    visitor.app.state.site.tables.commit(now, tuple(entries), play)


def test_thinking_times_add_up():
    moves = [(0, 30.0), (0, 100.0), (1, 5.0), (0, 0.0), (1, 60.5), (0, 10.0), (1, 1.0)]
    times = times_of((0, 0, 1, 2, 3, 4, 5, 5), 2, moves)
    assert (times.unit, times.chart.unit) == ("minutes", "turns")
    assert [(one.total, one.longest) for one in times.seats] == [("2:20", "1:40"), ("1:06", "1:00")]
    turns = [[time.replace(NO_NUMBER, "") for time in turn] for turn in times.turns]
    assert turns == [["2:10", ""], ["", "0:05"], ["", ""], ["", "1:00"], ["0:10", ""], ["", "0:01"]]
    assert [curve.total for curve in times.chart.curves] == ["2.3", "1.1"]
    assert times_of((0, 1), 2, [(0, 0.9)]) is None
    assert times_of((0, 1, 2), 2, [(0, 3.0), (1, 0.0)]).chart.unit == "moves"


def test_thinking_times_leave_out_outages_and_undone_moves():
    seats = (Seat(PERSON, "ann", "Ann"), Seat(PERSON, "bea", "Bea"))
    table = Table("t", "orchard", 1, "hash", {}, 1, seats, "ann", 0, created_at=100.0)
    events = [
        TableEvent(1, PLAYER_JOINED, created_at=500.0),
        TableEvent(0, MOVE, 1, created_at=510.04),
        TableEvent(0, MOVE, 2, created_at=520.0),
        TableEvent(0, UNDO, created_at=525.0),
        TableEvent(1, RETURNED, created_at=526.0),
        TableEvent(0, OUTAGE, 60, created_at=600.0),
        TableEvent(0, MOVE, 3, created_at=630.0),
        TableEvent(1, MOVE, 4, created_at=630.0),
        TableEvent(1, PLAYER_JOINED, created_at=640.0),
    ]
    assert move_seconds(table, events) == (10.0, 60.0, 0.0)


def test_the_log_says_how_long_each_move_took():
    game = almunia.game("orchard", "plain")
    play, events = game.new(seats=2, seed=5), []
    for moment in (30.0, 75.0):
        events.append(TableEvent(play.turn, MOVE, play.legal_actions[0], created_at=moment))
        play.apply(play.legal_actions[0])
        events.append(TableEvent(0, RETURNED, created_at=moment + 5))
    seats = (Seat(PERSON, "ann", "Ann"), Seat(PERSON, "bea", "Bea"))
    table = Table("t", "orchard", game.meta.rules_version, game.components_hash, play.options, 5, seats, "ann", 0)
    entries = TableState.from_events(table, events, game).history(0).log_entries
    assert [(one.created_at, one.seconds) for one in entries] == [(30, 30), (35, 0), (75, 45), (80, 0)]
