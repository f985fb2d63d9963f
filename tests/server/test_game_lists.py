"""Lists of a guest's tables: order, pages, and no reading of tables that are not shown."""

from dataclasses import replace

import pytest

from almunia.server.tables import lessons
from almunia.server.tables.model import BOT, OPEN, Seat
from almunia.server.tables.viewer_history import Hint
from almunia.server.users.game_lists import PAGE_ROWS

from ..programs import Program, token_of
from .seated import ANA, BEA, CEM, move, opened


def listed(site, guest, *most, **more):
    return [table.id for table in site.game_lists.list_first(guest, *(most or (100,)), **more)]


def counts(site, guest):
    """Return the numbers of a guest's tables: all, running, and waiting for the guest."""
    _, total, _ = site.game_lists.page_rows(guest, 1, site.clock.now())
    return (total, *site.game_lists.running_games(guest, 0)[1:])


def test_waiting_tables_come_before_running_and_finished_ones(site, clock):
    tables, first = {}, site.tables.get(opened(site, CEM, BEA, game="oregon", seed=3)).play.turn
    for name in ("waits", "runs", "over", "away"):
        clock.advance(10)
        seats = (BEA, ANA) if (name == "runs") == (first == 0) else (ANA, BEA)
        tables[name] = opened(site, *seats, game="oregon", seed=3)
    clock.advance(10)
    site.seats.resign(tables["over"], 1 - first, "bea", "easy")
    site.seats.step_away(tables["away"], first, "ana", "easy")
    assert listed(site, "ana") == [tables[name] for name in ("waits", "away", "runs", "over")]
    assert listed(site, "ana", running=True) == [tables[name] for name in ("waits", "away", "runs")]
    assert listed(site, "ana", 2) + listed(site, "ana", 2, 2) == listed(site, "ana")
    assert counts(site, "ana") == (4, 3, 1)
    assert counts(site, "nobody") == (0, 0, 0)
    assert site.game_lists.count_waiting("ana") == 1
    assert site.game_lists.count_waiting("ana", tables["waits"]) == 0
    assert site.game_lists.count_waiting("") == 0
    assert site.game_lists.played_games("ana") == {"oregon"}


def test_a_table_is_listed_once_for_a_guest_with_several_seats(site, clock):
    first = opened(site, ANA, replace(ANA, name="Dan"), BEA, game="oregon")
    clock.advance(10)
    shared = opened(site, ANA, replace(ANA, name="Cem"), game="oregon")
    assert listed(site, "ana") == [first, shared], "others wait at the first one"
    assert counts(site, "ana")[:2] == (2, 2)
    now = move(site, shared, 3)
    assert site.game_lists.count_moves("ana", [shared, first]) == {shared: len(now.play.actions)}


def test_only_lessons_count_as_lessons(site):
    table = opened(site, ANA, replace(ANA, name="Cem"), game="oregon")
    move(site, table, len(lessons.get_lesson("oregon").actions))
    assert site.game_lists.learned_games("ana") == set()


def test_hints_of_others_do_not_change_the_order(site, clock):
    """Ana's list does not change when Bea gets a hint, although the table has changed."""
    tables = [opened(site, BEA, ANA, hints=True) for _ in range(3)]
    before = listed(site, "ana"), listed(site, "bea")
    for table in tables[1:]:
        clock.advance(10)
        now = site.tables.get(table)
        then = site.tables.record_hint(
            table, 0, now.history(0).version, Hint(now.play.legal_actions[0], "Expert: the first one.")
        )
        assert then.table.changed_at == clock.now()
    assert (listed(site, "ana"), listed(site, "bea")) == before
    move(site, tables[1])
    assert listed(site, "ana")[0] == tables[1]


def test_bots_and_open_seats_have_no_list(site):
    opened(site, ANA, Seat(BOT, "easy", "Easy bot"), Seat(OPEN, "", "A friend"))
    for nobody in ("", "easy"):
        assert listed(site, nobody) == []
        assert counts(site, nobody) == (0, 0, 0)


@pytest.fixture
def many(visitor, site):
    """Create more tables for a guest than fit on a page, and return the guest's id."""
    visitor.post("/preferences", data={"name": "Ana"})
    ana = site.tables.store.find(visitor.open("oregon", quick=1).rpartition("/")[2]).host
    for _ in range(PAGE_ROWS + 4):
        site.tables.create("oregon", (replace(ANA, player=ana), BEA), ana)
    return ana


def test_pages_load_only_the_tables_that_they_show(visitor, site, many, monkeypatch):
    read, found = site.tables.store._tables, []
    monkeypatch.setattr(site.tables.store, "_tables", lambda asked: found.append(len(kept := read(asked))) or kept)
    page = visitor.get("/my/games").text
    assert page.count('<li class="card') == PAGE_ROWS
    assert "Page 1 of 2" in page
    assert "page=2" in page
    second = visitor.get("/my/games?page=2").text
    assert "Previous</a>" in second
    assert "Next</a>" not in second.partition('aria-label="Pages"')[2]
    visitor.get("/")
    program = Program(visitor.app, token_of(site, many))
    rows = [program.get(f"/tables?page={page}").json() for page in (1, 2, 3)]
    assert [len(one["tables"]) for one in rows] == [PAGE_ROWS, 5, 0]
    assert {(one["total"], one["pages"]) for one in rows} == {(PAGE_ROWS + 5, 2)}
    names = [row["table"] for one in rows for row in one["tables"]]
    assert len(set(names)) == PAGE_ROWS + 5
    assert max(found) == PAGE_ROWS


@pytest.mark.parametrize("number", ["0", "-1", "3", "9" * 30])
def test_a_page_number_out_of_range_is_not_found(visitor, many, number):
    answer = visitor.get(f"/my/games?page={number}")
    assert answer.status_code == 404
    assert "there is no page" in answer.text.lower()
