"""My games: search, counts, pages, notes, hiding, deleting, and the next game that waits."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from sqlalchemy import insert, update

from almunia.server.errors import BadRequest, Conflict, Forbidden, NotFound
from almunia.server.notifications.channels import PendingTurn
from almunia.server.storage import schema
from almunia.server.tables.model import BOT, OPEN, Seat
from almunia.server.tables.repository import record_former_player
from almunia.server.users import game_lists
from almunia.server.users.game_lists import GameFilter
from almunia.server.web.my_games import time_left

from .seated import ANA, BEA, CEM, move, opened
from .test_missed_changes import statements
from .test_ratings import EASY, engine, finished, rows

NOBODY = Seat(OPEN, "", "A friend")
EASY_BOT = Seat(BOT, "easy", "Easy bot")


def ids(site, guest="ana", **wanted):
    return [one.table.id for one in site.game_lists.find_page(guest, GameFilter(**wanted).validate()).games]


def test_waiting_games_come_before_running_and_finished_ones(site, clock):
    tables = []
    for seats in ((ANA, BEA), (BEA, ANA), (ANA, BEA)):
        clock.advance(100)
        tables.append(opened(site, *seats))
    mine, theirs, over = tables
    site.seats.resign(over, 0, "ana", "easy")
    assert ids(site) == [mine, theirs, over]
    assert ids(site, state="waiting") == [mine]
    assert ids(site, state="running") == [mine, theirs]
    assert ids(site, state="over") == [over]
    assert ids(site, guest="cem") == []


def test_games_are_found_by_title_company_and_result(site):
    people, bots, alone = (opened(site, *seats) for seats in ((ANA, BEA), (ANA, EASY), (ANA,)))
    move(site, people, 4)
    site.seats.resign(people, 1, "bea", "easy")
    finished(site, bots)
    assert ids(site, company="people") == [people]
    assert ids(site, company="bots") == [bots]
    assert ids(site, company="alone") == [alone]
    assert ids(site, outcome="won", company="people") == [people]
    assert ids(site, guest="bea", outcome="lost") == [people]
    assert ids(site, outcome="lost", company="people") == []
    assert ids(site, game="oregon") == []
    assert len(ids(site, game="orchard")) == 3


@pytest.mark.parametrize("odd", [{"state": "x"}, {"company": "x"}, {"outcome": "x"}, {"game": "x"}, {"page": 0}])
def test_invalid_filters_are_not_found(visitor, odd):
    with pytest.raises(NotFound):
        GameFilter(**odd).validate()
    assert visitor.get("/my/games", params=odd).status_code == 404


def test_a_finished_game_is_listed_with_points_and_rank(site):
    table = opened(site, ANA, BEA)
    now = finished(site, table)
    (own,) = site.game_lists.find_page("ana", GameFilter()).games
    seen = game_lists.outcome_of(own.table, "ana", own.ranks)
    assert (seen["points"], seen["rank"]) == (now.table.result[0], now.play.outcome.ranks[0])
    firsts = now.play.outcome.ranks.count(1)
    assert seen["outcome"] == ("lost" if seen["rank"] > 1 else "won" if firsts == 1 else "level")


def test_a_card_shows_the_last_position_and_the_clock_of_the_person_to_move(visitor, site, clock):
    visitor.post("/preferences", data={"name": "Ana"})
    alone = visitor.open(**{"seat-0": "me"})
    me = replace(ANA, player=site.tables.store.find(alone.rpartition("/")[2]).host)
    timed = {"time_control": game_lists.TimeControl.parse("live 900 20 claim")}
    mine, theirs, unready = (opened(site, *seats, **timed) for seats in ((me, BEA), (BEA, me), (me, NOBODY)))
    clock.advance(61)
    page = visitor.get("/my/games").text
    card = {
        table: page.partition(f'href="/table/{table}">')[2].partition("</a>")[0] for table in (mine, theirs, unready)
    }
    assert "<b>13:59</b> left</span>" in card[mine]
    assert "<b>13:59</b> left for <bdi>Bea</bdi></span>" in card[theirs]
    assert "left" not in card[unready], "no clock runs while a seat is open"
    assert "</b> left" not in page.partition(f'href="{alone}">')[2].partition("</a>")[0]
    assert f'src="/table/{mine}/picture.svg' in card[mine]
    assert 'src="/games/orchard/cover.svg' in card[unready]
    assert page.index("<h2>Your turn") < page.index(mine) < page.index("<h2>Waiting for others") < page.index(theirs)


def test_a_card_shows_the_clock_in_the_view_of_an_own_seat(site, monkeypatch):
    """The seat to move if it is one of the guest's, and else the guest's first seat."""
    seats, also_ana = [], replace(ANA, name="Cem")
    monkeypatch.setattr(site.game_lists, "seconds_left", lambda _table, seat: seats.append(seat) or 60.0)
    for sitting in ((ANA, BEA, CEM), (BEA, CEM, ANA), (BEA, ANA, CEM), (ANA, BEA, also_ana), (ANA, also_ana, BEA)):
        table = move(site, opened(site, *sitting, time_control=game_lists.TimeControl.parse("live 900 20 claim"))).table
        assert table.turn == 1
        assert time_left(site.game_lists, table, "ana")
    assert seats == [0, 2, 1, 0, 1]


def test_a_game_that_is_not_installed_any_more_is_listed_without_a_clock(visitor, site):
    alone = visitor.open(**{"seat-0": "me"})
    me = replace(ANA, player=site.tables.store.find(alone.rpartition("/")[2]).host)
    table = opened(site, me, BEA, time_control=game_lists.TimeControl.parse("live 900 20 claim"))
    with engine(site).begin() as db:
        db.execute(update(schema.game_table).where(schema.game_table.c.id == table).values(game="gone"))
    site.tables._drop_cached(table)
    for address in ("/", "/my/games"):
        page = visitor.get(address)
        assert page.status_code == 200
        assert f'href="/table/{table}"' in page.text
        assert "</b> left" not in page.text


def test_the_queries_of_a_page_do_not_depend_on_the_number_of_games(site):
    """Each statement counts rows, has a LIMIT, or names its rows.

    The statements are the same for 200 and for 2,000 games.
    """
    table = opened(site, ANA, BEA)
    move(site, table, 3)
    with engine(site).begin() as db:
        row = dict(db.execute(schema.game_table.select()).mappings().one())
        seats = [dict(one) for one in db.execute(schema.seat.select()).mappings()]
    asked = []
    for numbers in (range(200), range(200, 2000)):
        names = {f"copy{number}": number for number in numbers}
        kinds = ("running", "finished")
        copies = [row | {"id": name, "status": kinds[i % 2], "changed_at": float(i)} for name, i in names.items()]
        with engine(site).begin() as db:
            db.execute(insert(schema.game_table), copies)
            db.execute(insert(schema.seat), [seat | {"table": name} for name in names for seat in seats])
        with statements(engine(site)) as those:
            found = site.game_lists.find_page("ana", GameFilter(page=3))
            rest = site.game_lists.running_games("ana", 4), site.game_lists.next_table("ana", "longest")
        asked.append(those)
    assert asked[0] == asked[1] != []
    assert all(re.search(r"\bcount\(|\bLIMIT\b|\bIN \(", statement) for statement in asked[1])
    assert (len(found.games), found.total, found.pages) == (game_lists.PAGE_ROWS, 2001, 41)
    assert rest[0][1] == 1001


def test_the_next_game_follows_the_chosen_order(site, clock):
    control = {"time_control": game_lists.TimeControl.parse("live 300 5 claim")}
    tables = []
    for more in ({}, control, {}):
        clock.advance(100)
        tables.append(opened(site, ANA, BEA, **more))
    first, clocked, last = tables
    assert site.game_lists.waiting_tables("ana", "longest") == [clocked, first, last]
    assert site.game_lists.waiting_tables("ana", "latest") == [clocked, last, first]
    assert site.game_lists.waiting_tables("ana", "clock") == [clocked, first, last]
    assert site.game_lists.next_table("ana", "longest", after=clocked) == first
    assert site.game_lists.next_table("cem", "longest") is None
    with pytest.raises(BadRequest):
        site.game_lists.waiting_tables("ana", "x")


@pytest.mark.parametrize("step", [1, -1])
def test_live_games_come_before_slow_ones_then_people_bots_and_lessons(site, clock, step):
    """The order does not depend on the times at which the tables were opened."""
    kinds = [
        ((ANA, BEA), {"time_control": game_lists.TimeControl.parse("live 3000 0 claim")}),
        ((ANA, BEA), {"time_control": game_lists.TimeControl.parse("slow 3000 0 claim")}),
        ((ANA, BEA), {}),
        ((ANA, EASY_BOT), {}),
        ((ANA, EASY_BOT), {"lesson": True}),
    ]
    tables = []
    for seats, more in kinds[::step]:
        clock.advance(100)
        tables.append(opened(site, *seats, **more))
    tables = tables[::step]
    for order in ("longest", "latest"):
        assert site.game_lists.waiting_tables("ana", order) == tables
    assert ids(site) == tables
    assert [one.table.id for one in site.game_lists.running_games("ana", 9)[0]] == tables
    assert [table.id for table in site.game_lists.list_first("ana", 9)] == tables


def test_next_leads_to_another_waiting_game(visitor, site):
    assert visitor.get("/my/games/next", follow_redirects=False).headers["location"] == "/my/games?idle=1"
    assert "your turn in any game" in visitor.get("/my/games?idle=1").text
    assert "your turn in any game" not in visitor.get("/my/games").text
    first, second = (visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1}) for _ in range(2))
    assert visitor.get("/my/games/next", follow_redirects=False).headers["location"] == first
    after = visitor.get(f"/my/games/next?after={first.rpartition('/')[2]}", follow_redirects=False)
    assert after.headers["location"] == second
    visitor.post("/preferences", data={"next": "latest"})
    assert visitor.get("/my/games/next", follow_redirects=False).headers["location"] == second
    page = visitor.get("/").text
    assert page.index(second) < page.index(first), "the front page begins with it"
    visitor.act(first)
    assert visitor.seen(first)[2] == [], "it is the other's turn"
    assert "/my/games/next?after=" in visitor.get(first).text


def test_a_note_is_visible_to_its_writer_only(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    visitor.post(f"{table}/note", data={"words": " <b>Mind</b> the\r\nroad "})
    page = visitor.get("/my/games").text
    assert "&lt;b&gt;Mind&lt;/b&gt; the\nroad" in page
    assert "Mind" not in stranger.get(table).text
    refused = stranger.post(f"{table}/note", data={"words": "x"})
    assert refused.status_code == 403
    assert "not in your list" in refused.text
    assert "at most 500" in unescape(visitor.post(f"{table}/note", data={"words": "x" * 501}).text)
    assert visitor.post(f"{table}/note", data={"words": "a\0b"}).status_code == 422
    visitor.post(f"{table}/note", data={"words": ""})
    assert "Mind" not in visitor.get("/my/games").text


def test_hidden_games_are_listed_apart(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    visitor.post(f"{table}/hide", data={"hidden": 1})
    assert table not in visitor.get("/my/games").text
    assert table in visitor.get("/my/games?state=hidden").text
    visitor.post(f"{table}/hide", data={"hidden": 0})
    assert table in visitor.get("/my/games").text


def test_forms_return_to_the_filtered_list(visitor):
    visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    narrowed = {"game": "orchard", "state": "running", "company": "bots"}
    forms = re.findall(r'name="back" value="(/my/games[^"]*)"', visitor.get("/my/games", params=narrowed).text)
    lists = [unescape(back) for back in forms if "?" in back]
    assert len(lists) >= 2
    for back in lists:
        assert dict(parse_qsl(urlsplit(back).query)) == narrowed
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    answer = visitor.post(f"{table}/hide", data={"hidden": 1, "back": lists[0]}, follow_redirects=False)
    assert answer.headers["location"] == lists[0]
    assert "?" not in re.search(r'name="back" value="(/my/games[^"]*)"', visitor.get("/my/games").text)[1]


def test_only_unrated_games_without_other_people_can_be_deleted(site):
    people, unrated, bots = (opened(site, *seats, **more) for seats, more in (
        ((ANA, BEA), {}), ((ANA, EASY), {"rated": False}), ((ANA, EASY), {}),
    ))  # fmt: skip
    move(site, unrated, 1)
    site.game_lists.save_note("ana", unrated, "away with it")
    for table in (people, bots):
        with pytest.raises(Conflict, match="You can't delete this game"):
            site.game_lists.delete("ana", table)
    with pytest.raises(Forbidden):
        site.game_lists.delete("bea", unrated)
    site.game_lists.delete("ana", unrated)
    with pytest.raises(NotFound):
        site.tables.get(unrated)
    for part in (schema.game_table, schema.seat, schema.table_event, schema.user_game):
        assert unrated not in [row.get("table", row.get("id")) for row in rows(site, part)]
    finished(site, bots)
    with pytest.raises(Conflict, match="You can't delete this game"):
        site.game_lists.delete("ana", bots)


def test_deleting_takes_a_tick(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "unrated": 1})
    assert visitor.post(f"{table}/delete", data={}).status_code == 400
    rated = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    stays = visitor.post(f"{rated}/delete", data={"delete": "yes"})
    assert stays.status_code == 409
    assert "moved on" not in stays.text
    assert visitor.get(table).status_code == 200
    assert visitor.post(f"{table}/delete", data={"delete": "yes"}, follow_redirects=False).status_code == 303
    assert visitor.get(table).status_code == 404


def test_a_game_that_another_player_resigned_cannot_be_deleted(site):
    table = opened(site, ANA, BEA, EASY)
    site.seats.resign(table, 1, "bea", "easy")
    with engine(site).begin() as db:
        db.execute(update(schema.game_table).values(rated=False))
    with pytest.raises(Conflict, match="You can't delete this game"):
        site.game_lists.delete("ana", table)


@pytest.mark.parametrize("guest", ["ana", "bea"])
def test_a_game_with_a_former_player_cannot_be_deleted(site, guest):
    """A game with another former player is kept. A game of which only an alert was sent can be deleted."""
    table = opened(site, ANA, EASY, rated=False)
    site.notifications.channels.add("ana", "Ana", "webhook", "https://x.example", {}, "x")
    (channel,) = site.notifications.channels.for_guest("ana")
    assert site.notifications.channels.claim(channel, PendingTurn(table, "orchard", 0, 0.0))
    with engine(site).begin() as db:
        record_former_player(table, 0, guest, "X", db)
    if guest == "bea":
        with pytest.raises(Conflict, match="You can't delete this game"):
            site.game_lists.delete("ana", table)
    else:
        site.game_lists.delete("ana", table)
        assert (
            rows(site, schema.game_table)
            == rows(site, schema.notification_sent)
            == rows(site, schema.former_player)
            == []
        )


def test_notes_are_exported_and_erased(site):
    table = opened(site, ANA, BEA)
    site.game_lists.save_note("ana", table, "a plan")
    row = {"table": table, "note": "a plan", "hidden": False, "alerts_muted": False}
    assert site.personal_data.export("ana")["notes"] == {"notes": [row]}
    site.personal_data.erase("ana")
    assert rows(site, schema.user_game) == []
