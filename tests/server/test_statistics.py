"""The page of a title's statistics, and the statistics of the site's games."""

from collections import Counter
from functools import partial

from sqlalchemy import delete, update

from almunia.server.storage import schema
from almunia.server.users import title_statistics
from almunia.server.users.title_statistics import MAX_AGE_SECONDS
from almunia.server.web.statistics import read_statistics, with_error
from almunia.statistics import Mean, SeatStatistics, TableStatistics

from .seated import ANA, BEA, CEM, opened
from .test_ratings import engine, finished, rows


def test_finished_games_of_the_site_are_counted_without_names(visitor, site, clock, monkeypatch):
    monkeypatch.setattr(title_statistics, "MIN_GAMES", 2)
    shared, won, left, erased = (opened(site, *seats) for seats in ((ANA, BEA), (CEM, ANA), (ANA, BEA), (ANA, BEA)))
    known = opened(site, ANA, BEA, seed=3)
    for table in (shared, won, left, erased, known, opened(site, ANA, BEA, CEM)):
        finished(site, table)
    r = schema.result.c
    with engine(site).begin() as db:
        db.execute(update(schema.result).where(r.table == left, r.seat == 1).values(played_to_end=False))
        db.execute(delete(schema.result).where(r.table == erased, r.seat == 1))
        db.execute(update(schema.result).where(r.table == shared).values(rank=1, points=7))
        db.execute(update(schema.result).where(r.table == won).values(rank=r.seat + 1))
    found = site.title_statistics.get("orchard")
    assert {seats: table.games for seats, table in found.items()} == {2: 2}
    counted = [row for row in rows(site) if row["table"] in (shared, won)]
    for number, seat in enumerate(found[2].seats):
        assert seat.games_by_points == Counter(row["points"] for row in counted if row["seat"] == number)
    assert [seat.wins.value for seat in found[2].seats] == [0.75, 0.25]  # a shared and a whole win
    page = visitor.get("/games/orchard/statistics").text
    assert "2 games that people and bots have played to the end" in page
    assert "Ana" not in page
    finished(site, opened(site, ANA, BEA))
    assert site.title_statistics.get("orchard") is found
    clock.advance(MAX_AGE_SECONDS)
    assert site.title_statistics.get("orchard")[2].games == 3


def test_the_page_has_a_part_for_each_number_of_players(visitor):
    page = visitor.get("/games/oregon/statistics?seats=3").text
    assert 'href="?seats=3" aria-current="page">3 players</a>' in page
    assert "games between greedy bots" in page
    assert "What winners score with" in page
    assert "Statistics appear here after 30 finished games for 3 players." in page
    assert page.count('<tr><th scope="row"><span class="mark') == 3
    assert visitor.get("/games/oregon/statistics?seats=9").status_code == 404
    alone = visitor.get("/games/orchard/statistics?seats=1").text
    assert "Where the points come from" in alone
    assert "Wins in %" not in alone
    assert "/games/orchard/statistics" in visitor.get("/games/orchard").text


def test_a_difference_of_nothing_is_not_negative():
    assert with_error(Mean(-0.02, 0.1), sign="+") == "+0.0 ±0.1"


def test_the_charts_stay_inside_their_pictures():
    seat = partial(SeatStatistics.of, wins=1.0, squares=1.0)
    table = TableStatistics(4, (seat({-30: 1, 0: 1, 170: 2}), seat({5: 4})))
    reading = read_statistics(table)
    bars = reading.points.bars
    assert sum(round(height, 1) == 100 for *_, height, _ in bars) == 1
    assert min(x for x, *_ in bars) == 26
    assert max(x + width for x, width, *_ in bars) <= 330
    assert all(26 <= x <= 330 for row in (*reading.points.seats, *reading.wins.seats) for x in row.x)
    assert all(list(row.x) == sorted(row.x) for row in (*reading.points.seats, *reading.wins.seats))
    assert reading.start.startswith("In these games, the first seat has no clear advantage")
    better = TableStatistics(100, (SeatStatistics.of({5: 100}, 90.0, 90.0), SeatStatistics.of({5: 100}, 10.0, 10.0)))
    assert read_statistics(better).start == (
        "The first seat wins more often than an equal share, by 40.0 ±5.9 percentage points."
    )
