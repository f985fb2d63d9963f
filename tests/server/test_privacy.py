"""Personal data: all of it is exported, merged and erased."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from threading import Event

import pytest
from sqlalchemy import String, insert, select
from starlette.responses import Response

from almunia.errors import SetupError
from almunia.server.clock import DAY
from almunia.server.errors import TooManyRequests
from almunia.server.privacy import registry
from almunia.server.privacy.exports import Exports
from almunia.server.settings import Settings
from almunia.server.storage import schema
from almunia.server.storage.rate_limits import DatabaseRateLimiter
from almunia.server.tables.viewer_history import Hint

from ..attack.target import check_whole, token_of
from ..waiting import TIMEOUT, wait_until
from .accounts import given, sign_in, who
from .conftest import ORIGIN, Visitor
from .seated import ANA, BEA, move, opened
from .test_hints import ask, hint_with
from .test_lobby import FRIENDS, name_of
from .test_secrets import session_of

KNOWS = {"guest", "player", "other", "author", "host", "account"}  # names of columns that refer to people
NAME = "Annabel Sentinel"


def test_every_database_table_has_a_privacy_rule():
    """Each table of the database belongs to a part of `privacy.registry`, or has no personal data."""
    answered = [name for one in registry.ALL_PARTS for name in one.tables]
    assert len(answered) == len(set(answered))
    assert {*answered, *registry.IMPERSONAL_TABLES} == set(schema.metadata.tables)
    for name in registry.IMPERSONAL_TABLES:
        columns = {one.name for one in schema.metadata.tables[name].columns if isinstance(one.type, String)}
        assert not columns & KNOWS


@pytest.fixture
def annabel(visitor, stranger):
    """Return a visitor with an account who has left data in many tables of the database."""
    site = visitor.app.state.site
    visitor.post("/preferences", data={"name": NAME})
    stranger.post("/preferences", data={"name": "Bea"})
    guest = session_of(visitor)["guest"]
    given(visitor, "annabel@sentinel.example", guest=guest, name=NAME)
    sign_in(visitor, "annabel@sentinel.example")
    site.accounts.links.create("device", guest)
    tables = {"running": visitor.open(**FRIENDS), "over": visitor.open(**FRIENDS), "alone": visitor.open()}
    for name in ("running", "over"):
        stranger.post(f"/join/{site.invitations.create(name_of(tables[name]), 1)}", data={"name": "Bea"})
        visitor.post(f"{tables[name]}/chat", data={"words": "A sentinel says hello"})
    visitor.post("/lobby/chat", data={"words": "A sentinel in the lobby"})
    stranger.post("/lobby/chat", data={"words": "Hello"})
    visitor.post("/lobby/chat/2/mute")
    stranger.post(f"{tables['over']}/player?seat=0", data={"do": "follow"})
    visitor.post(f"{tables['over']}/player?seat=1", data={"do": "follow"})
    visitor.post("/api-tokens", data={"label": "Robot"})
    visitor.post(f"{tables['over']}/resign", data={"seat": 0})
    visitor.tables = tables
    return visitor


def dump(site) -> dict[str, str]:
    """Return all rows of the database as text, by table, except the rate limits, which have only hashes."""
    with site.accounts.repository.engine.connect() as db:
        return {
            table.name: "\n".join(str(tuple(row)) for row in db.execute(select(table)))
            for table in schema.metadata.sorted_tables
            if table is not schema.rate_limit
        }


def test_an_export_has_everything(annabel):
    file = annabel.get("/account/export")
    assert file.headers["content-disposition"] == 'attachment; filename="almunia.json"'
    assert file.headers["cache-control"] == "no-store"
    found = json.loads(file.text)
    assert found["guest"] == session_of(annabel)["guest"]
    assert set(found) == {"almunia", "guest", "browser", *(one.name for one in registry.ALL_PARTS)}
    by_id = {one["id"]: one for one in found["games"]}
    assert set(by_id) == {name_of(table) for table in annabel.tables.values()}
    assert "record" in by_id[name_of(annabel.tables["over"])]
    running = by_id[name_of(annabel.tables["running"])]
    assert "record" not in running
    assert any("Bea sits down" in line for line in running["log"])
    assert {one["text"] for one in found["chat"]} == {"A sentinel says hello", "A sentinel in the lobby"}
    assert found["programs"][0]["label"] == "Robot"


def test_an_export_has_the_records_of_finished_games_and_replays_none(visitor, monkeypatch):
    """One of the games has hints and undone moves, and another one was resigned."""
    site = visitor.app.state.site
    hint_with(visitor, lambda _, history: Hint(history.view.legal_actions[-1], "Expert: the last one."))
    played, resigned = visitor.open(**{"seat-0": "me", "hints": 1}), visitor.open(**{"seat-0": "me", "seat-1": "here"})
    for _ in range(3):
        visitor.act(played)
        seat, seen, _ = visitor.seen(played)
        visitor.post(f"{played}/undo", data={"seat": seat, "seen": seen})
        ask(visitor, played)
        visitor.act(played)
    visitor.finish(played)
    visitor.act(resigned)
    visitor.post(f"{resigned}/resign", data={"seat": 0})
    running, asked, state = visitor.open(), [], site.tables.get
    monkeypatch.setattr(site.tables, "get", lambda table: asked.append(table) or state(table))
    found = {one["id"]: one for one in visitor.get("/account/export").json()["games"]}
    assert asked == [name_of(running)]
    for table in (played, resigned):
        assert found[name_of(table)]["record"] == visitor.get(f"{table}/record").text
    assert "hints:" in found[name_of(played)]["record"]


def test_exports_per_guest_and_network_run_one_at_a_time(visitor):
    """An export replays running games. Eight exports at a time once stopped all other pages."""
    exports, begun, go = visitor.app.state.site.exports, Event(), Event()
    ana, bea = (Visitor(visitor.app, headers={"Origin": ORIGIN}, client=("203.0.113.7", 5000)) for _ in range(2))
    for guest in (ana, bea):
        guest.open()
    before = exports.submit("somebody", "", lambda: (begun.set(), go.wait(TIMEOUT)))
    assert begun.wait(TIMEOUT)
    with ThreadPoolExecutor(1) as others:
        first = others.submit(ana.get, "/account/export")
        wait_until(lambda: len(exports._waiting) == 2, "a file is asked for")
        again, near = ana.get("/account/export"), bea.get("/account/export")
        page = visitor.get("/privacy")
        go.set()
        assert first.result(TIMEOUT).status_code == 200
    assert (again.status_code, near.status_code, page.status_code) == (409, 429, 200)
    assert "already being written" in again.text
    assert "in your network" in near.text
    before.result(TIMEOUT)
    assert bea.get("/account/export").json()["games"]


def test_waiting_exports_are_limited_and_failures_free_their_place():
    exports, go = Exports(ThreadPoolExecutor(1), max_waiting=2), Event()
    first = exports.submit("ana", "a", lambda: go.wait(TIMEOUT))
    failing = exports.submit("bea", "b", lambda: 1 // 0)
    with pytest.raises(TooManyRequests, match="Too many files are being written"):
        exports.submit("cleo", "c", Response)
    go.set()
    assert first.result(TIMEOUT)
    with pytest.raises(ZeroDivisionError):
        failing.result(TIMEOUT)
    assert exports.submit("bea", "b", Response).result(TIMEOUT).status_code == 200


def test_an_export_reveals_no_secrets_of_a_running_game(start):
    """Two deals that differ only in hidden information give the same export."""
    from .test_secrets import change, twin_seeds

    visitor = start()
    table = visitor.open(**FRIENDS)
    told = []
    for seed in twin_seeds():
        change(visitor, table, seed=seed)
        told.append(visitor.get("/account/export").text)
    assert told[0] == told[1]
    assert "seed" not in told[0]


def test_a_deletion_removes_all_data_of_a_guest(annabel, stranger):
    site, guest = annabel.app.state.site, session_of(annabel)["guest"]
    before = dump(site)
    assert guest in before["seat"]
    assert NAME in before["table_event"]
    assert "sentinel" in before["message"]
    assert annabel.post("/account/delete").status_code == 422
    assert dump(site) == before
    assert "Everything about you was deleted" in annabel.post("/account/delete", data={"everything": "yes"}).text
    assert not session_of(annabel)
    for table, rows in dump(site).items():
        assert guest not in rows, table
        assert "entinel" not in rows, table
    check_whole(site)
    page = stranger.get(annabel.tables["over"]).text
    assert NAME not in page
    assert "Deleted player" in page
    assert "Deleted player" in stranger.get(f"{annabel.tables['over']}/record").text


def test_a_deletion_removes_the_data_from_database_files(annabel, tmp_path):
    guest = session_of(annabel)["guest"]
    files = list(tmp_path.rglob("almunia.sqlite3*"))
    if not files:
        pytest.skip("this database has no files here")
    assert any(guest.encode() in one.read_bytes() for one in files)
    annabel.post("/account/delete", data={"everything": "yes"})
    for word in (guest, NAME, "sentinel"):
        assert not any(word.encode() in one.read_bytes() for one in files), word


def test_running_games_of_a_deleted_guest_continue_with_a_bot(annabel, stranger):
    site = annabel.app.state.site
    annabel.post("/account/delete", data={"everything": "yes"})
    after = site.tables.get(name_of(annabel.tables["running"])).table
    assert not after.finished
    assert after.seats[0].kind == "bot"
    assert after.host == session_of(stranger)["guest"]
    assert site.tables.get(name_of(annabel.tables["alone"])).table.end_reason == "closed"
    page = stranger.get(annabel.tables["running"]).text
    assert "leaves the seat" in page


def test_running_games_with_a_clock_are_resigned_at_a_deletion(visitor, stranger):
    site = visitor.app.state.site
    table = visitor.open(**FRIENDS, clock="slow-24", zero="claim")
    stranger.post(f"/join/{site.invitations.create(name_of(table), 1)}", data={"name": "Bea"})
    visitor.post("/account/delete", data={"everything": "yes"})
    after = site.tables.get(name_of(table)).table
    assert (after.end_reason, after.resigned_seat) == ("resigned", 0)
    assert after.seats[0].name == "Deleted player"


def test_a_deletion_removes_the_name_from_resigned_seats(visitor, stranger):
    visitor.post("/preferences", data={"name": NAME})
    site = visitor.app.state.site
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "bot-easy"})
    stranger.post(f"/join/{site.invitations.create(name_of(table), 1)}", data={"name": "Bea"})
    visitor.post(f"{table}/resign", data={"seat": 0})
    assert NAME in dump(site)["table_event"]
    visitor.post("/account/delete", data={"everything": "yes"})
    for name, rows in dump(site).items():
        assert NAME not in rows, name


def test_deleting_an_account_needs_a_recent_proof_of_identity(visitor):
    given(visitor)
    sign_in(visitor)
    visitor.app.state.site.clock.advance(601)
    assert visitor.post("/account/delete", data={"everything": "yes"}).status_code == 403
    assert who(visitor) == "Ana"
    visitor.post("/account/confirm-identity", data={"password": "five small olive trees"})
    visitor.post("/account/delete", data={"everything": "yes"})
    assert visitor.app.state.site.accounts.repository.get("ana") is None
    assert who(visitor) == ""
    assert sign_in(visitor).status_code == 422


def test_tokens_of_a_deleted_guest_are_revoked(visitor):
    site = visitor.app.state.site
    visitor.post("/preferences", data={"name": "Ana"})
    headers = {"Authorization": f"Bearer {token_of(site, session_of(visitor)['guest'])}"}
    assert visitor.get("/api/v1/tables", headers=headers).status_code == 200
    visitor.post("/account/delete", data={"everything": "yes"})
    assert visitor.get("/api/v1/tables", headers=headers).status_code == 401


def test_the_privacy_page_states_periods_and_the_operator(start, tmp_path):
    page = start().get("/privacy").text
    assert "owner of this site hasn't given a name." in page
    for words in (
        "your chat messages, for 1 day",
        "90 days after your last visit",
        "at most 8 days",
        "remembers for 90 days",
    ):
        assert words in page
    named = start(operator="Ann Example, <games@example.org>").get("/privacy").text
    assert "This site is run by <b>Ann Example, &lt;games@example.org&gt;</b>." in named
    for wrong in ("x" * 301, "Ann\nExample"):
        with pytest.raises(SetupError, match="ALMUNIA_OPERATOR can have at most 300 characters on one line"):
            Settings(data=tmp_path / "none", operator=wrong).check()


def test_expired_sessions_and_links_are_deleted(visitor, clock):
    """The maintenance deletes expired sessions and links, even if no new ones are created."""
    given(visitor)
    sign_in(visitor)
    site = visitor.app.state.site
    site.accounts.links.create("invite")
    counts = {schema.login_session: 1, schema.one_time_link: 1}

    def counted():
        with site.engine.connect() as db:
            return {table: len(db.execute(select(table)).all()) for table in counts}

    assert counted() == counts
    clock.advance(8 * DAY + 1)
    site.maintenance.run_once()
    assert counted() == {schema.login_session: 1, schema.one_time_link: 0}
    clock.advance(90 * DAY)
    site.maintenance.run_once()
    assert counted() == {schema.login_session: 0, schema.one_time_link: 0}


def test_keys_of_rate_limits_are_hashed_with_the_site_key(visitor):
    """IPv4 has so few addresses that an attacker could try all hashes without the key of the site."""
    engine = visitor.app.state.site.engine
    one, other = (DatabaseRateLimiter(engine, key * 40).hash_key("LIMITER/address/192.0.2.7") for key in "ab")
    assert one != other
    assert sha256(b"LIMITER/address/192.0.2.7").hexdigest() not in (one, other)
    assert DatabaseRateLimiter(engine, "a" * 40).hash_key("LIMITER/address/192.0.2.7") == one, (
        "all processes count together"
    )


def test_exports_and_deletions_do_not_affect_other_guests(annabel, stranger):
    found = json.loads(stranger.get("/account/export").text)
    assert "entinel in the lobby" not in str(found["chat"])
    stranger.post("/account/delete", data={"everything": "yes"})
    assert NAME in annabel.get(annabel.tables["running"]).text
    assert Visitor(annabel.app, headers={"Origin": ORIGIN}).get("/account/export").status_code == 403


def test_the_order_of_an_export_does_not_reveal_moves_of_others(site, clock):
    first = opened(site, ANA, BEA)
    clock.advance(1)
    second = opened(site, ANA, BEA)
    for table in (first, second):
        clock.advance(1)
        move(site, table)
        assert [game["id"] for game in site.personal_data.export("bea")["games"]] == [second, first]


def test_a_merge_of_guests_is_invisible_to_others(visitor, stranger):
    """A merge changes no version of a page."""
    site = visitor.app.state.site
    table = visitor.open(**FRIENDS, unrated=1)
    stranger.post(f"/join/{site.invitations.create(name_of(table), 1)}", data={"name": "Bea"})
    before = stranger.get(table)
    given(visitor)
    sign_in(visitor)
    after = stranger.get(table)
    assert site.tables.get(name_of(table)).table.seats[0].player == "ana"
    assert stranger.seen(table) == stranger.seen(table)
    assert before.headers.get("etag") == after.headers.get("etag")
    assert visitor.seen(table)[0] == 0
    check_whole(site)


def test_a_merge_keeps_the_row_of_the_account(site):
    """Mutes between the two ids of the player are deleted."""
    table = opened(site, BEA, replace(BEA, player="cem"))
    mutes = [("ana", "cem"), ("anna", "cem"), ("ana", "dan"), ("ana", "anna"), ("anna", "ana"), ("cem", "ana")]
    reports = [("ana", 1, "bea"), ("anna", 1, "bea"), ("ana", 2, "bea"), ("cem", 3, "ana")]
    facts = {"name": "X", "text": "X", "sent_at": 1.0, "reported_at": 1.0}
    rows = {
        schema.mute: [
            {"guest": one, "other": other, "handle": "h", "name": "X", "blocked": False} for one, other in mutes
        ],
        schema.report: [{"guest": g, "room": "lobby", "number": n, "author": a, **facts} for g, n, a in reports],
        schema.chat_suspension: [{"guest": "ana", "expires_at": 9.0}, {"guest": "anna", "expires_at": 5.0}],
        schema.moderation: [
            {"guest": g, "replaced_skeleton": "", "name": g.upper(), "is_banned": False} for g in ("ana", "anna")
        ],
        schema.user_game: [
            {"table": table, "guest": g, "note": g, "hidden": False, "alerts_muted": False} for g in ("ana", "anna")
        ],
        schema.former_player: [{"table": table, "seat": 0, "guest": g, "name": "Ana"} for g in ("ana", "anna")],
    }
    with site.engine.begin() as db:
        for one, those in rows.items():
            db.execute(insert(one), those)
    site.personal_data.merge("ana", "anna")

    def kept(one, *names):
        with site.engine.connect() as db:
            return sorted(tuple(row) for row in db.execute(select(*(one.c[name] for name in names))))

    assert kept(schema.mute, "guest", "other") == [("anna", "cem"), ("anna", "dan"), ("cem", "anna")]
    found = kept(schema.report, "guest", "number", "author")
    assert found == [("anna", 1, "bea"), ("anna", 2, "bea"), ("cem", 3, "anna")]
    assert kept(schema.chat_suspension, "guest", "expires_at") == [("anna", 9.0)]
    assert kept(schema.moderation, "guest", "name") == [("anna", "ANNA")]
    assert kept(schema.user_game, "guest", "note") == [("anna", "anna")]
    assert kept(schema.former_player, "guest", "name") == [("anna", "Ana")]
