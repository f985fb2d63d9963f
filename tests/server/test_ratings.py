"""Ratings: which games count, that each does once and in order, and that nothing is known of them before the end."""

import re
from html import unescape

import pytest
from sqlalchemy import select, update

from almunia.cli import main
from almunia.server.errors import Conflict
from almunia.server.rating import ratings, results
from almunia.server.rating.ratings import ENOUGH, Rating
from almunia.server.storage import schema
from almunia.server.storage.store import ACT, BACK, BOT, PERSON, STAND_IN, Entry, Seat

from ..attack.target import token_of
from .test_seating import ANA, BEA, CEM, move, opened, site

__all__ = ["site"]  # a fixture
EASY = Seat(BOT, "easy", "Easy bot")


def engine(site):
    return site.tables.store._engine


def rows(site, table=schema.result):
    with engine(site).connect() as db:
        return [dict(row) for row in db.execute(select(table)).mappings()]


def finished(site, table):
    """Play the first actions to the end."""
    while not (now := site.tables.snapshot(table)).table.finished:
        seat = now.play.turn
        site.tables.act(table, seat, now.play.legal[0], now.diary(seat).seen)
    return now


def known(site):
    return {(row["guest"], row["game"]): row for row in rows(site, schema.rating)}


def test_a_game_of_two_moves_both_ratings_once(site):
    table = opened(site, ANA, BEA)
    assert not rows(site), "nothing is written before the end"
    now = finished(site, table)
    found = {row["player"]: row for row in rows(site)}
    assert [found[name]["points"] for name in ("ana", "bea")] == list(now.table.result)
    assert [found[name]["rank"] for name in ("ana", "bea")] == list(now.play.outcome.ranks)
    assert [found[name]["number"] for name in ("ana", "bea")] == [1, 1]
    moved = known(site)
    assert moved["ana", "orchard"]["games"] == moved["bea", "orchard"]["games"] == 1
    winner, loser = sorted(("ana", "bea"), key=lambda name: found[name]["rank"])
    if found[winner]["rank"] < found[loser]["rank"]:
        assert moved[winner, "orchard"]["mu"] > 25 > moved[loser, "orchard"]["mu"]
    assert moved[winner, "orchard"]["sigma"] < 25 / 3


@pytest.mark.parametrize(
    "more", [{"hints": True}, {"seed": 7}, {"rated": False}, {"lesson": True}, {"first": (), "played_on": True}]
)
def test_tables_on_which_somebody_could_have_help_are_not_rated(site, more):
    assert not site.tables.snapshot(opened(site, ANA, BEA, **more)).table.rated


def test_nobody_is_rated_alone_or_against_themselves(site):
    assert not site.tables.snapshot(opened(site, ANA)).table.rated
    assert not site.tables.snapshot(opened(site, ANA, ANA)).table.rated


def test_an_unrated_game_leaves_a_result_and_no_rating(site):
    finished(site, opened(site, ANA, BEA, rated=False))
    assert len(rows(site)) == 2
    assert not known(site)


def test_bots_are_fixed_points(site):
    table = opened(site, ANA, EASY)
    finished(site, table)
    bot = next(row for row in rows(site) if row["kind"] == BOT)
    assert Rating(bot["mu_before"], bot["sigma_before"]) == ratings.of_bot("orchard", "easy")
    assert bot["mu"] is None
    assert set(known(site)) == {("ana", "orchard")}


def test_guests_who_come_to_be_beaten_raise_nobody(site):
    for _ in range(ENOUGH):
        finished(site, opened(site, ANA, EASY))
    before = known(site)["ana", "orchard"]
    for number in range(3):
        finished(site, opened(site, Seat(PERSON, f"new {number}", "Bea"), ANA))
    after = known(site)
    assert [after["ana", "orchard"][name] for name in ("mu", "sigma")] == [before["mu"], before["sigma"]]
    assert after["new 0", "orchard"]["sigma"] < 25 / 3, "who is new is rated all the same"
    assert after["new 0", "orchard"]["games"] == 1
    assert results.recompute(engine(site)) == (ENOUGH + 3, 0)


def test_beside_somebody_new_the_others_are_rated_among_themselves():
    before, ranks = [Rating(30.0, 2.0), Rating(25.0, 8.0), Rating(28.0, 2.0)], [1, 2, 3]
    after = results.after_game(before, ranks, [False, True, False])
    assert [after[0], after[2]] == ratings.rated([before[0], before[2]], [1, 3])
    assert after[1] == ratings.rated(before, ranks)[1]
    assert results.after_game(before, ranks, [True] * 3) == ratings.rated(before, ranks)


def test_who_resigns_has_lost_if_both_have_moved(site):
    table = opened(site, ANA, BEA)
    site.seating.resign(table, 0, "ana", "easy")
    assert {row["player"]: row["rank"] for row in rows(site)} == {"ana": 2, "bea": 1}
    assert not known(site), "nobody had moved"
    table = opened(site, ANA, BEA)
    move(site, table, 4)
    site.seating.resign(table, 0, "ana", "easy")
    assert known(site)["ana", "orchard"]["mu"] < 25 < known(site)["bea", "orchard"]["mu"]


def test_who_gives_up_among_three_is_last_and_rated(site):
    table = opened(site, ANA, BEA, CEM)
    move(site, table, 3)
    site.seating.resign(table, 1, "bea", "easy")
    finished(site, table)
    found = {row["player"]: row for row in rows(site)}
    assert found["bea"]["rank"] == 3
    assert not found["bea"]["whole"]
    assert {found["ana"]["rank"], found["cem"]["rank"]} <= {1, 2}
    assert set(known(site)) == {(name, "orchard") for name in ("ana", "bea", "cem")}


def test_who_let_a_bot_move_is_last_whatever_it_reached(site):
    acts = [Entry(0, STAND_IN), Entry(0, ACT, 1), Entry(0, BACK), Entry(1, STAND_IN), Entry(1, BACK), Entry(1, ACT, 1)]
    assert results.helped(acts) == {0}
    table = site.tables.snapshot(opened(site, ANA, BEA, CEM)).table
    places = results.places(table, acts, (1, 2, 3), set())
    assert [(one.rank, one.whole) for one in places] == [(3, False), (1, True), (2, True)]


def test_equals_share_and_ended_by_consent_is_neither_won_nor_lost(site):
    table = site.tables.snapshot(opened(site, ANA, BEA, CEM)).table
    assert [one.rank for one in results.places(table, [], (1, 1, 3), set())] == [1, 1, 3]
    table = opened(site, ANA, BEA)
    move(site, table, 2)
    site.seating.ask_to_end(table, 0, "ana")
    site.seating.answer(table, 1, "bea", agree=True)
    assert [(row["rank"], row["points"]) for row in rows(site)] == [(None, None)] * 2
    assert not known(site)


def test_going_back_by_consent_takes_a_game_off_the_ratings(site):
    table = opened(site, ANA, BEA)
    move(site, table, 4)
    seat = site.tables.snapshot(table).standing_acts[-1].seat
    site.seating.ask_to_go_back(table, seat, ("ana", "bea")[seat])
    site.seating.answer(table, 1 - seat, ("bea", "ana")[seat], agree=True)
    finished(site, table)
    assert len(rows(site)) == 2
    assert not known(site)


def test_a_rebuild_equals_what_was_added_up(site):
    for seats in ((ANA, BEA), (BEA, CEM, ANA), (ANA, EASY), (CEM, BEA), (ANA, CEM)):
        finished(site, opened(site, *seats))
    before, moved = known(site), rows(site)
    assert results.recompute(engine(site)) == (5, 0)
    assert (known(site), rows(site)) == (before, moved)
    with engine(site).begin() as db:
        db.execute(update(schema.rating).where(schema.rating.c.guest == "ana").values(mu=99.0))
    assert results.recompute(engine(site)) == (5, 1)
    assert known(site) == before


def test_the_doctor_computes_ratings_again(site, tmp_path, capsys, monkeypatch):
    finished(site, opened(site, ANA, BEA))
    with engine(site).begin() as db:
        db.execute(update(schema.rating).values(games=7))
    assert main(["doctor", "--ratings", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 rated game, 2 ratings changed.\n"
    assert main(["doctor", "--ratings", "--json", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.replace(" ", "").replace("\n", "") == '{"games":1,"changed":0}'
    monkeypatch.delenv("ALMUNIA_DATABASE", raising=False)
    assert main(["doctor", "--ratings", "--data", str(tmp_path / "nowhere")]) != 0
    assert "There is no database" in capsys.readouterr().err


def test_ratings_go_in_the_order_of_the_ends(site):
    first, second = opened(site, ANA, BEA), opened(site, ANA, BEA)
    finished(site, second)
    finished(site, first)
    numbers = {row["table"]: row["number"] for row in rows(site)}
    assert (numbers[second], numbers[first]) == (1, 2)
    mine = {row["table"]: row for row in rows(site) if row["player"] == "ana"}
    assert mine[first]["mu_before"] == mine[second]["mu"]


def test_a_game_that_could_not_be_written_moves_nothing(site, monkeypatch):
    table = opened(site, ANA, BEA)
    move(site, table, 4)

    def failing(*_):
        raise Conflict("no")

    monkeypatch.setattr(results, "_rate", failing)
    with pytest.raises(Conflict):
        site.seating.resign(table, 0, "ana", "easy")
    assert not rows(site)
    assert site.tables.store.find(table).status == "running"


def test_forgetting_somebody_leaves_the_ratings_of_others(site):
    finished(site, opened(site, ANA, BEA))
    before = known(site)["bea", "orchard"]
    with engine(site).begin() as db:
        assert len(results.export(db, "ana")["results"]) == 1
        results.forget(db, "ana")
        assert results.export(db, "ana") == {"results": [], "ratings": []}
    assert results.recompute(engine(site)) == (1, 0)
    assert known(site)["bea", "orchard"] == before


def move_over(site, old, new):
    with engine(site).begin() as db:
        results.move(db, old, new)


def test_ratings_go_along_where_the_other_guest_has_none(site):
    finished(site, opened(site, ANA, BEA))
    before = known(site)["ana", "orchard"]
    move_over(site, "ana", "account")
    assert {**before, "guest": "account"} == known(site)["account", "orchard"]
    assert {row["player"] for row in rows(site)} == {"account", "bea"}
    assert results.recompute(engine(site)) == (1, 0)


def test_two_ratings_in_a_game_do_not_become_one(site):
    for seats in ((ANA, BEA), (CEM, BEA)):
        finished(site, opened(site, *seats))
    finished(site, opened(site, ANA, BEA, rated=False))
    before = known(site)
    move_over(site, "cem", "ana")
    assert known(site)["ana", "orchard"] == before["ana", "orchard"]
    assert known(site)["bea", "orchard"] == before["bea", "orchard"]
    assert ("cem", "orchard") not in known(site)
    assert results.recompute(engine(site)) == (2, 0), "what was rated stays so"


def test_the_table_says_whether_it_is_rated_and_the_end_what_it_moved(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    assert ">Rated</p>" in visitor.get(table).text
    assert "Your rating" not in visitor.get(table).text
    visitor.finish(table)
    page = unescape(visitor.get(table).text)
    assert re.search(r"Your rating: 1500 ± 491 before, <b>\d+ ± \d+</b> now", page)
    assert "Your rating" not in stranger.get(table).text
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "unrated": 1})
    assert ">Unrated</p>" in visitor.get(table).text


def test_points_are_those_of_chess():
    stronger = Rating(25 + 5.893 * 2.302585, 1.0)
    assert stronger.points == 1900
    assert Rating().ordinal == 0
    assert str(Rating()) == "1500 ± 491"
    assert list(ratings.of_bots("orchard")) == ["expert", "hard", "medium", "easy"]
    assert ratings.of_bot("orchard", "search:7") is None


def test_programs_read_what_pages_show(visitor):
    site = visitor.app.state.site
    visitor.finish(visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"}))
    (guest,) = {row["guest"] for row in rows(site, schema.rating)}
    header = {"Authorization": f"Bearer {token_of(site, guest)}"}
    profile = visitor.get("/api/v1/profile", headers=header).json()
    assert [(one["game"], one["games"]) for one in profile["ratings"]] == [("orchard", 1)]
    assert [(one["seats"], one["games"]) for one in profile["results"]] == [(2, 1)]
    assert profile["shown"] == []
    board = visitor.get("/api/v1/leaderboards/orchard", headers=header).json()
    assert (board["leaders"], board["pages"]) == ([], 1)
    assert list(board["bots"]) == ["expert", "hard", "medium", "easy"]
    (deal,) = (one for one in visitor.get("/api/v1/daily", headers=header).json()["deals"] if one["game"] == "orchard")
    assert (deal["table"], deal["finished"], deal["results"]) == (None, False, None)
    body = {"game": "orchard", "seats": ["me", "easy"], "rated": False}
    assert visitor.post("/api/v1/tables", json=body, headers=header).json()["rated"] is False
    assert visitor.get("/api/v1/profile").status_code == 401
