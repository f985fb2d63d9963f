"""Daily deals: one ranked attempt each, the same deal for all, hidden until the attempt is finished."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from sqlalchemy import select, update

from almunia.server.daily import leagues, repository, service
from almunia.server.errors import Forbidden, NotFound
from almunia.server.settings import SECRET_FILE, write_new_file
from almunia.server.storage import schema

from ..attack.target import token_of
from .accounts import given, sign_in
from .conftest import CHEAP, ORIGIN, Visitor
from .test_ratings import engine, rows

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0
DEAL = "orchard-2026-11-25"


@pytest.fixture(autouse=True)
def known_key(tmp_path):
    """Set the site's key, so that the seeds of deals are the same in every run."""
    write_new_file(tmp_path / SECRET_FILE, "what the deals of these tests come from")


@pytest.fixture(autouse=True)
def noon(clock):
    clock.set(NOON)
    return clock


@pytest.fixture(autouse=True)
def idle(visitor, monkeypatch):
    """Let no bot play a deal, unless a test starts it."""
    monkeypatch.setattr(visitor.app.state.site.daily_deals, "_enqueue_bots", lambda *_: None)


def signed_in(visitor, name):
    """Create an account for a visitor, sign in, and return the visitor."""
    mail = f"{name}@example.org"
    given(visitor, mail, guest=name, name=name.capitalize(), made=NOON - 7 * DAY)
    assert sign_in(visitor, mail).status_code == 303
    return visitor


@pytest.fixture
def visitor(visitor, noon):
    """Return a visitor with an account, whose session begins at the time of the test."""
    return signed_in(visitor, "ana")


@pytest.fixture
def stranger(visitor):
    """Return another visitor with an account."""
    return signed_in(Visitor(visitor.app, headers={"Origin": ORIGIN}), "bea")


@pytest.fixture
def guest(visitor):
    """Return a visitor without an account."""
    return Visitor(visitor.app, headers={"Origin": ORIGIN})


def start(visitor, game="orchard"):
    answer = visitor.post("/daily", data={"game": game}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def done(visitor):
    """Play a visitor's attempt at Orchard's deal to its end, and return its path."""
    table = start(visitor)
    visitor.finish(table)
    return table


def shown(visitor):
    visitor.post("/preferences", data={"name": "Ana"})
    visitor.post("/profile", data={"daily": 1})


def test_all_accounts_get_the_same_deal_and_one_attempt(visitor, stranger):
    tables = [start(one) for one in (visitor, stranger, visitor)]
    assert tables[0] == tables[2] != tables[1]
    store = visitor.app.state.site.tables.store
    seeds = {store.find(table.rpartition("/")[2]).seed for table in tables}
    assert len(seeds) == 1
    assert visitor.get(f"{tables[0]}/text").text == stranger.get(f"{tables[1]}/text").text


# --- guests ------------------------------------------------------------------------------------------


def seed_at(visitor, table):
    return visitor.app.state.site.tables.store.find(table.rpartition("/")[2]).seed


def test_guests_share_a_deal_that_accounts_do_not_play(visitor, guest):
    other = Visitor(visitor.app, headers={"Origin": ORIGIN})
    tables = [start(one) for one in (guest, other, guest)]
    assert tables[0] == tables[2] != tables[1]
    assert seed_at(visitor, tables[0]) == seed_at(visitor, tables[1]) != seed_at(visitor, start(visitor))
    assert "As a guest you play a different deal" in unescape(guest.get("/daily").text)
    assert "As a guest" not in visitor.get("/daily").text


def test_guests_see_no_results_before_the_deal_is_over(visitor, guest, noon):
    table = done(visitor)
    done(guest)
    page = unescape(guest.get(f"/daily/{DEAL}").text)
    assert "<tr" not in page
    assert re.search(r"You scored \S+ points? in the guests. deal", page)
    assert ", not ranked" in guest.get("/daily").text
    assert guest.get(f"{table}/replay").status_code == 403
    assert visitor.get(f"/daily/{DEAL}").text.count("<tr") == 2, "the head, and the reader alone"
    noon.advance(DAY)
    page = unescape(guest.get(f"/daily/{DEAL}").text)
    assert "Only players with an account appear in the results." in page
    assert guest.get(f"{table}/replay").status_code == 200


def test_an_aborted_attempt_shows_no_results_before_the_deal_is_over(visitor, stranger, noon):
    shown(visitor)
    table = done(visitor)
    mine = start(stranger)
    assert stranger.post(f"{mine}/abort", data={"seat": 0}, follow_redirects=False).status_code == 303
    page = unescape(stranger.get(f"/daily/{DEAL}").text)
    assert "<tr" not in page
    assert "Your try ended early, so it has no result. You can see the results of others" in page
    assert stranger.get(f"{table}/replay").status_code == 403
    assert start(stranger) == mine, "and there is no second one"
    noon.advance(DAY)
    assert "<bdi>Ana</bdi>" in stranger.get(f"/daily/{DEAL}").text


def test_a_new_account_has_no_ranked_attempt_at_a_running_deal(visitor, guest, noon):
    """A player cannot repeat a ranked deal by deleting the account and creating another one."""
    visitor.post("/account/delete", data={"everything": "yes"})
    given(guest, "new@example.org", guest="new", made=NOON)
    assert sign_in(guest, "new@example.org").status_code == 303
    assert "You can play ranked deals from 26 November 2026 on." in unescape(guest.get("/daily").text)
    assert "You can play ranked deals from 26 November 2026 on." in unescape(guest.get(f"/daily/{DEAL}").text)
    done(guest)
    assert "<tr" not in guest.get(f"/daily/{DEAL}").text
    noon.advance(DAY)
    assert "You can play ranked deals" not in guest.get(f"/daily/{DEAL}").text
    start(guest)
    assert [row["ranked"] for row in rows(guest.app.state.site, schema.daily_attempt)] == [False, True]


def test_a_guest_who_signs_in_plays_the_ranked_deal_once(guest):
    before = start(guest)
    guest.finish(before)
    site = guest.app.state.site
    (row,) = rows(site, schema.daily_attempt)
    given(guest, "cem@example.org", guest=row["guest"], made=NOON - DAY)
    sign_in(guest, "cem@example.org")
    assert "Finish your own try" in guest.get(f"/daily/{DEAL}").text
    after = start(guest)
    assert after != before
    guest.finish(after)
    assert start(guest) == after
    (row,) = rows(site, schema.daily_attempt)
    assert (f"/table/{row['table']}", row["ranked"]) == (after, True)
    assert guest.get(f"/daily/{DEAL}").text.count("<tr") == 2


# --- the deal that counts ----------------------------------------------------------------------------


def test_each_site_and_each_day_has_another_deal(visitor, tmp_path, noon):
    dailies, now = visitor.app.state.site.daily_deals, noon.now
    today = service.current_deal("orchard", now())
    other = service.DailyDealService(dailies._repository, "another key", dailies._tables, noon, dailies._executor)
    assert today.name == DEAL
    assert len({dailies.seed(today), dailies.seed(today.previous), other.seed(today), dailies.seed(today, "x")}) == 4
    noon.set(datetime(2026, 11, 25, 23, 59, 59, tzinfo=UTC).timestamp())
    assert service.current_deal("orchard", now()) == today
    noon.advance(1)
    assert service.current_deal("orchard", now()).name == "orchard-2026-11-26"
    assert service.current_deal("oregon", now()).name == "oregon-2026-W48"
    assert service.current_deal("oregon", now()).begins == datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    "deal",
    [
        *("", "x", "orchard", "orchard-2026-11-26", "orchard-2026-02-30", "orchard-2026-W48", "oregon-2026-11-25"),
        *("oregon-2026-W49", "oregon-2026-W99", "orchard-0001-01-01", "nothing-2026-11-25", "../2026-11-25"),
    ],
)
def test_deals_that_do_not_exist_are_missing(deal):
    with pytest.raises(NotFound):
        service.get_deal(deal, NOON)


def pages_of(table):
    """Return all addresses of a table from which hidden information could be read."""
    parts = ("", "/replay", "/replay?at=3", "/record", "/record?form=json", "/text", "/stream", "/previews/1", "/chat")
    return [table + part for part in (*parts, "/explain?panel=board&x=1&y=1", "?scoring=0", "?at=1")]


def calls_of(table):
    """Return the addresses of a table in the API."""
    place = f"/api/v1/tables/{table.rpartition('/')[2]}"
    return [place + part for part in ("", "/position", "/position?view=spectator", "/log", "/record")]


def test_attempts_of_others_are_hidden_until_the_own_one_is_finished(visitor, stranger, noon):
    table = done(visitor)
    site = visitor.app.state.site
    begun = start(stranger)
    guest = site.tables.store.find(begun.rpartition("/")[2]).host
    program = {"Authorization": f"Bearer {token_of(site, guest)}"}
    watcher = Visitor(visitor.app, headers={"Origin": ORIGIN})
    for address in pages_of(table):
        for one in (stranger, watcher):
            answer = one.get(address, follow_redirects=False)
            assert (answer.status_code, "still open" in unescape(answer.text)) == (403, True), address
            assert f'href="{address}"' not in answer.text, "a way back that would be refused again"
    for address in calls_of(table):
        assert watcher.get(address, headers=program).status_code == 403, address
    for path, fields in (("/rematch", {"how": "same"}), ("/fork", {"at": 0, "seat": 0}), ("/chat", {"words": "x"})):
        assert stranger.post(table + path, data=fields).status_code == 403
    stranger.finish(begun)
    assert stranger.get(f"{table}/replay").status_code == 200
    assert watcher.get(f"{table}/replay").status_code == 403
    noon.advance(DAY)
    assert watcher.get(f"{table}/replay").status_code == 200
    assert watcher.get(calls_of(table)[-1], headers=program).status_code == 200


def test_a_deal_cannot_be_replayed_or_forked_while_it_runs(visitor, noon):
    table = done(visitor)
    for path, fields in (("/rematch", {"how": "same"}), ("/fork", {"at": 0, "seat": 0})):
        refused = visitor.post(table + path, data=fields)
        assert (refused.status_code, "deal is over" in refused.text) == (409, True)
    assert visitor.get(f"{table}/try/0/0/start").status_code == 409
    assert "/try/" not in visitor.get(f"{table}/replay").text
    noon.advance(DAY)
    assert visitor.get(f"{table}/try/0/0/start").status_code == 200
    assert visitor.post(f"{table}/fork", data={"at": 0, "seat": 0}, follow_redirects=False).status_code == 303


def test_the_seed_is_hidden_before_the_attempt_is_finished(visitor):
    table = start(visitor)
    site = visitor.app.state.site
    seed = str(site.tables.store.find(table.rpartition("/")[2]).seed)
    addresses = [address for address in pages_of(table) if "stream" not in address]
    assert [address for address in (*addresses, "/daily", f"/daily/{DEAL}") if seed in visitor.get(address).text] == []


def test_the_seed_is_hidden_until_the_deal_is_over(visitor, noon):
    """A player could use the seed to find the best moves, and play them with another account."""
    table = done(visitor)
    site = visitor.app.state.site
    mine = site.tables.store.find(table.rpartition("/")[2])
    addresses = [address for address in (*pages_of(table), "/account/export") if "stream" not in address]
    assert [address for address in addresses if str(mine.seed) in visitor.get(address).text] == []
    program = {"Authorization": f"Bearer {token_of(site, mine.host)}"}
    assert visitor.get(f"{table}/record").status_code == 409
    assert f"{table}/record" not in visitor.get(table).text
    assert [one for one in calls_of(table) if str(mine.seed) in visitor.get(one, headers=program).text] == []
    noon.advance(DAY)
    assert str(mine.seed) in visitor.get(f"{table}/record").text
    assert f"{table}/record" in visitor.get(table).text
    assert "Play the same deal again" in visitor.get(table).text
    assert str(mine.seed) in visitor.get("/account/export").text


def everything(visitor, own=""):
    """Return the responses to a visitor about deals, people and leaderboards, without the path of their own table."""
    addresses = (
        "/daily",
        f"/daily/{DEAL}",
        "/daily/caylus-2026-W48/league",
        "/profile",
        "/my/games",
        "/lobby",
        "/games/orchard/leaderboard",
        "/my/games/next",
    )
    answers = [visitor.get(address, follow_redirects=False) for address in addresses]
    size = "" if own else "content-length"  # of compressed pages; an id changes the size
    return [
        (answer.status_code, answer.headers.get(size), answer.text.replace(own or "\0", "the table"))
        for answer in answers
    ]


def test_pages_before_the_end_do_not_depend_on_results_of_others(visitor, stranger, start_other):
    """At one site others have finished the deal and show their results. At the other site no player has."""
    quiet = start_other()
    shown(visitor)
    done(visitor)
    visitor.post("/profile", data={"page": 1, "results": 1, "opponents": 1, "boards": 1, "daily": 1})
    assert everything(stranger) == everything(quiet)
    assert everything(stranger, start(stranger)) == everything(quiet, start(quiet))
    handle = rows(visitor.app.state.site, schema.profile)[0]["handle"]
    public = stranger.get(f"/players/{handle}").text
    assert "No finished games yet" in public, "nor does a page that somebody shows tell of it"


@pytest.fixture
def start_other(visitor, tmp_path, noon, seeds):
    """Return a function that starts another site with the same key."""
    from almunia.server.app import create_app
    from almunia.server.settings import Settings

    def starting():
        folder = tmp_path / "other"
        folder.mkdir()
        (folder / SECRET_FILE).write_text(visitor.app.state.site.secret_key)
        app = create_app(Settings(data=folder, compiled=False, argon2_memory_kib=CHEAP), clock=noon, seeds=seeds)
        return signed_in(Visitor(app, headers={"Origin": ORIGIN}), "bea")

    return starting


def test_results_list_players_who_have_chosen_to_be_shown(visitor, stranger, noon):
    table = done(visitor)
    page = visitor.get(f"/daily/{DEAL}").text
    assert page.count("<tr") == 2, "the head, and the reader alone"
    done(stranger)
    assert stranger.get(f"/daily/{DEAL}").text.count("<tr") == 2
    shown(visitor)
    page = unescape(stranger.get(f"/daily/{DEAL}").text)
    assert page.count("<tr") == 3
    assert "<bdi>Ana</bdi>" in page
    assert f"{table}/replay" in page
    noon.advance(DAY)
    assert "Ana" in Visitor(visitor.app).get(f"/daily/{DEAL}").text


def test_results_before_the_end_are_refused_by_the_core_itself(visitor, noon):
    with pytest.raises(Forbidden):
        visitor.app.state.site.daily_deals.results(service.current_deal("orchard", noon.now()), "somebody")


def test_a_try_that_ends_too_late_does_not_count(visitor, noon):
    table = start(visitor)
    noon.advance(DAY)
    visitor.finish(table)
    page = unescape(visitor.get(f"/daily/{DEAL}").text)
    assert "finished after the deal was over" in page
    assert "<tr" not in page
    assert (
        visitor.app.state.site.daily_deals.streak(
            "orchard", rows(visitor.app.state.site, schema.daily_attempt)[0]["guest"]
        )
        == 0
    )


def test_days_in_a_row_are_counted(visitor, noon):
    site = visitor.app.state.site
    for days in range(3):
        noon.set(NOON + days * DAY)
        done(visitor)
        assert f"{days + 1} day{'s' * bool(days)} in a row" in visitor.get("/daily").text
    noon.advance(DAY)
    assert "3 days in a row" in visitor.get("/daily").text
    noon.advance(DAY)
    assert "in a row" not in visitor.get("/daily").text
    assert len(rows(site, schema.daily_attempt)) == 3


def test_a_deal_moves_no_rating_and_no_average(visitor):
    done(visitor)
    site = visitor.app.state.site
    assert rows(site, schema.rating) == []
    assert [row["counts_in_stats"] for row in rows(site)] == [False]


@pytest.mark.slow
def test_bots_of_a_weekly_deal_answer_equal_play_equally(visitor, stranger):
    boards = []
    for one in (visitor, stranger):
        table = start(one, "oregon")
        for _ in range(3):
            one.due(table)
            one.act(table)
        one.due(table)
        boards.append(one.get(f"{table}/text").text)
    assert boards[0] == boards[1]


def test_results_include_bots(visitor):
    site = visitor.app.state.site
    deal = service.current_deal("orchard", NOON)
    site.daily_deals._run_bots(deal)
    done(visitor)
    page = visitor.get(f"/daily/{DEAL}").text
    assert page.count(" bot</bdi>") == 4
    found = rows(site, schema.daily_bot_score)
    assert [row["bot"] for row in found] == ["beginner", "easy", "medium", "hard"]
    with engine(site).begin() as db:
        db.execute(schema.daily_bot_score.delete())
    site.daily_deals._run_bots(deal)
    assert rows(site, schema.daily_bot_score) == found, "they play alike whenever they do"


def test_pages_of_old_deals_start_no_bots(visitor, monkeypatch):
    asked = []
    monkeypatch.setattr(visitor.app.state.site.daily_deals, "_enqueue_bots", asked.append)
    for day in ("1970-01-02", "2026-11-24"):
        assert visitor.get(f"/daily/orchard-{day}").status_code == 200
    assert asked == []
    done(visitor)
    assert visitor.get(f"/daily/{DEAL}").status_code == 200
    assert [deal.name for deal in asked] == [DEAL]


def test_an_interrupted_run_of_bots_is_completed(visitor):
    site, deal = visitor.app.state.site, service.current_deal("orchard", NOON)
    site.daily_deals._run_bots(deal)
    found = rows(site, schema.daily_bot_score)
    with engine(site).begin() as db:
        db.execute(schema.daily_bot_score.delete().where(schema.daily_bot_score.c.bot == "hard"))
    site.daily_deals._run_bots(deal)
    assert rows(site, schema.daily_bot_score) == found


def test_attempts_are_exported_and_deleted_with_the_guest(visitor):
    done(visitor)
    with engine(visitor.app.state.site).begin() as db:
        guest = db.execute(select(schema.daily_attempt.c.guest)).scalar_one()
        (mine,) = repository.export(db, guest)["daily_deals"]
        assert (mine["deal"], mine["rank"]) == (DEAL, 1)
        repository.erase(db, guest)
        assert repository.export(db, guest) == {"daily_deals": []}


def test_the_page_of_a_deal_shows_the_remaining_hours(visitor):
    assert re.search(r"Today, alone · 12 hours left", unescape(visitor.get("/daily").text))


# --- leagues -----------------------------------------------------------------------------------------


def names(league):
    return ["".join(line.player for line in division) for division in league]


def test_the_best_of_a_division_change_places_with_the_last_of_the_one_above():
    first = {name: 100 - at for at, name in enumerate("abcdefghijklmnopqrs")}
    week = leagues.play_season([first])
    assert names(week) == ["abcdefgh", "ijklmnop", "qrs"], "newcomers by their points"
    assert [[line.change for line in division] for division in week] == [
        [0, 0, 0, 0, 0, 0, 1, 1],
        [-1, -1, 0, 0, 0, 0, 1, 1],
        [-1, -1, 0],
    ]
    assert names(leagues.play_season([{"a": 1, "b": 2}])) == ["ba"]
    assert names(leagues.play_season([first, {}])) == ["abcdefij", "ghklmnqr", "ops"]
    second = {"h": 9, "k": 9, "j": 5, "s": 1}
    week = leagues.play_season([first, second])
    assert names(week) == ["jabcdefi", "hkglmnqr", "sop"], "without a result a player is last"
    assert [line.place for line in week[1]] == [1, 1, 3, 3, 3, 3, 3, 3]
    assert [line.change for line in week[2]] == [-1, 0, 0], "a player without a result does not go up"


def test_a_player_leaves_a_league_after_four_weeks_without_a_result():
    weeks = [{"a": 3, "b": 2, "c": 1}, *[{"a": 3, "c": 1}] * 4]
    assert names(leagues.play_season(weeks)) == ["acb"]
    assert names(leagues.play_season([*weeks, {"c": 1}])) == ["ca"]
    back = leagues.play_season([*weeks, {"b": 5}])
    assert [(line.player, line.absences) for line in back[0]] == [("b", 0), ("a", 1), ("c", 1)]


def test_a_league_shows_results_to_players_who_have_finished_the_deal(visitor, stranger, noon):
    site = visitor.app.state.site
    shown(visitor)
    stranger.post("/preferences", data={"name": "Bea"})
    stranger.post("/profile", data={"daily": 1})
    deal = service.current_deal("caylus", noon.now())
    page = f"/daily/{deal.name}/league"
    assert "The league has no players yet" in visitor.get(page).text
    table = start(visitor, "caylus").rpartition("/")[2]
    with site.engine.begin() as db:
        attempt = schema.daily_attempt
        db.execute(update(attempt).where(attempt.c.table == table).values(finished_at=noon.now(), points=50, rank=1))
    assert "<td>50</td>" in visitor.get(page).text
    assert "Ana" not in stranger.get(page).text, "a new player's result is hidden"
    noon.advance(7 * DAY)
    assert "<bdi>Ana</bdi>" in stranger.get(page).text
    later = service.current_deal("caylus", noon.now())
    running = stranger.get(f"/daily/{later.name}/league").text
    assert "<bdi>Ana</bdi>" in running
    assert "<td>" not in running
    headers = {"Authorization": f"Bearer {site.tokens.create('bea', 'Bea', 'test')}"}
    told = stranger.get(f"/api/v1{page}", headers=headers).json()
    assert told == {"divisions": [[{"name": "Ana", "mine": False, "place": 1, "points": 50, "change": 0}]]}
    visitor.post("/profile", data={})
    assert "Ana" not in stranger.get(page).text, "a player who is no longer shown has left the league"
    assert visitor.get(f"/daily/{DEAL}/league").status_code == 404
