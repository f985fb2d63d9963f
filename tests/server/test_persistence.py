"""No data are lost in restarts and kills, and the cache of tables stays within its limit."""

import errno
import os
import signal
import socket
import stat

import httpx2
import pytest
from sqlalchemy import create_engine, text

from almunia.errors import SetupError
from almunia.server import check_port, display_host
from almunia.server.app import create_app
from almunia.server.limits import Limits
from almunia.server.settings import Settings, write_new_file
from almunia.server.storage import database, schema
from almunia.server.storage.database import open_migrated
from almunia.server.tables import service

from ..serving import await_answers, free_port, serve
from ..waiting import TIMEOUT


def test_sqlite_syncs_every_commit_to_the_disk(tmp_path):
    engine = open_migrated(f"sqlite:///{tmp_path / 'new.sqlite3'}")
    with engine.connect() as db:
        assert db.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert db.execute(text("PRAGMA synchronous")).scalar() == 2
    engine.dispose()


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "a later version of Almunia has written it"),
        ("ALTER TABLE table_event DROP COLUMN text", r"its table 'table_event' has no column 'text'\.$"),
    ],
    ids=["later version", "missing column"],
)
def test_a_database_with_another_schema_is_refused(tmp_path, monkeypatch, change, wrong):
    url = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    open_migrated(url).dispose()
    engine = create_engine(url)
    with engine.begin() as db:
        db.execute(text(change))
    engine.dispose()
    monkeypatch.setattr(database, "create_engine", lambda *_, **__: engine)
    with pytest.raises(SetupError, match=f"cannot be used: {wrong}"):
        open_migrated(url)
    assert engine.pool.checkedin() == 0  # no connection is left open


def test_an_invalid_database_is_refused(tmp_path):
    (tmp_path / "almunia.sqlite3").write_bytes(b"This is not a database." * 100)
    with pytest.raises(SetupError, match="cannot be used"):
        open_migrated(f"sqlite:///{tmp_path / 'almunia.sqlite3'}")
    with pytest.raises(SetupError, match="cannot be used"):
        open_migrated("nonsense://somewhere/else")
    with pytest.raises(SetupError, match="cannot be read"):
        open_migrated("nonsense")


def test_an_invalid_data_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match="choose another with --data"):
        Settings(data=tmp_path / "file" / "folder").create_data_folder()


def test_the_session_key_is_created_once_and_readable_by_its_owner_only(tmp_path):
    settings = Settings(data=tmp_path)
    key = settings.session_key()
    assert len(key) >= 48
    assert settings.session_key() == key
    assert stat.S_IMODE((tmp_path / "session.key").stat().st_mode) == 0o600


def test_a_session_key_that_could_not_be_written_is_removed(tmp_path, monkeypatch):
    """No empty key is left, with which an attacker could sign. The next start creates a whole key."""
    settings = Settings(data=tmp_path)

    def full(_file):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(SetupError, match=r"cannot be used \(No space left on device\)"):
            settings.session_key()
    assert list(tmp_path.iterdir()) == []
    assert len(settings.session_key()) >= 48
    assert [path.name for path in tmp_path.iterdir()] == ["session.key"]


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "has 0 bytes and needs 32"),
        (b"s" * 31 + b"\n", "has 31 bytes"),
        (b"\xff" * 64, "is no text"),
        (bytes(64), "has unprintable characters"),
        (b"changeme" * 8, "has 7 different characters and needs 8"),
    ],
)
def test_a_weak_session_key_is_refused(tmp_path, content, wrong):
    (tmp_path / "session.key").write_bytes(content)
    with pytest.raises(SetupError, match=f"The session key in .* {wrong}.* Remove the file"):
        create_app(Settings(data=tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_session_key_readable_by_others_is_logged(tmp_path, caplog):
    settings = Settings(data=tmp_path)
    settings.session_key()
    assert caplog.text == ""
    (tmp_path / "session.key").chmod(0o644)
    settings.session_key()
    assert "can be read by other users of this machine" in caplog.text
    assert f"chmod 600 {tmp_path / 'session.key'}" in caplog.text


def test_the_first_of_two_concurrent_session_keys_is_kept(tmp_path):
    write_new_file(tmp_path / "session.key", "first")
    write_new_file(tmp_path / "session.key", "second")
    assert (tmp_path / "session.key").read_text() == "first"


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"posts": "lots"}, "ALMUNIA_RATE_LIMIT, the rate of requests, cannot be 'lots'; write it like 240/minute"),
        (
            {"posts": "0/minute"},
            "ALMUNIA_RATE_LIMIT, the rate of requests, is '0/minute', so all requests would be refused",
        ),
        ({"chat": "0 per hour"}, "ALMUNIA_CHAT_RATE_LIMIT, the rate of messages, is '0 per hour'"),
        ({"address": "https://play.example.org:99999"}, "ALMUNIA_PUBLIC_URL cannot be"),
        ({"address": "play.example.org"}, "ALMUNIA_PUBLIC_URL cannot be 'play.example.org'; write .* like https://"),
        ({"address": "https://"}, "ALMUNIA_PUBLIC_URL cannot be"),
        ({"address": "https://play.example.org/games"}, "ALMUNIA_PUBLIC_URL cannot be"),
    ],
)
def test_settings_are_checked_before_files_are_created(tmp_path, settings, wrong):
    with pytest.raises(SetupError, match=wrong):
        create_app(Settings(data=tmp_path / "data", **settings))
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
def test_a_restart_finds_every_table(start):
    before = start()
    table = before.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    before.act(table)
    page = before.due(table)
    after = start()
    after.cookies = before.cookies
    assert after.get(table).text == page
    after.finish(table)


def test_bots_continue_after_a_restart(start):
    before = start()
    before.app.state.site.bot_runner.pause()
    table = before.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    before.act(table)
    assert "is thinking" in before.get(table).text
    after = start()
    after.cookies = before.cookies
    after.due(table)


def test_a_table_of_another_rules_version_is_refused(start, monkeypatch):
    before = start()
    table = before.open(**{"seat-0": "me"})
    before.act(table)
    with before.app.state.site.tables.store._engine.begin() as db:
        db.execute(schema.game_table.update().values(rules=99))
        db.execute(schema.table_event.update().values(text="what it was called then"))
    after = start()
    answer = after.get(table)
    assert answer.status_code == 409
    assert "started with version 99 of the rules" in answer.text


def test_a_damaged_table_is_refused_without_affecting_others(start, caplog):
    """The legal actions are hidden information, so only the log names them."""
    before = start()
    good, bad = (before.open(**{"seat-0": "me"}) for _ in range(2))
    before.act(bad)
    with before.app.state.site.tables.store._engine.begin() as db:
        db.execute(schema.table_event.update().values(action=4909))
    after = start()
    assert after.get(bad).status_code == 409
    assert "cannot be replayed. Please tell" in after.get(bad).text
    assert "legal actions, such as" in caplog.text
    assert after.get(good).status_code == 200


@pytest.mark.slow
@pytest.mark.exhaustive
def test_moves_survive_a_killed_process(tmp_path):
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with httpx2.Client(base_url=address, headers={"Origin": address}, timeout=TIMEOUT) as client:
        first = serve(port, tmp_path)
        await_answers(port, first)
        table = client.post("/games/orchard/tables", data={"quick": 1}).headers["location"]
        for seen in range(3):
            page = client.get(table).text
            action = page.split('name="action" value="')[1].split('"')[0]
            answer = client.post(f"{table}/move", data={"action": action, "seat": 0, "seen": seen, "sure": 1})
            assert answer.status_code == 303
        page = client.get(table).text
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        second = serve(port, tmp_path)
        try:
            await_answers(port, second)
            assert client.get(table).text == page
            assert 'data-seen="3"' in page
        finally:
            second.terminate()
            second.wait(TIMEOUT)


@pytest.mark.parametrize("limits", [Limits(max_cached_entries=3 * service.BASE_CACHE_WEIGHT)], ids=[""])
def test_the_cache_of_tables_is_limited(visitor, limits):
    """The least recently used tables are dropped first, and can be loaded again."""
    kept = visitor.app.state.site.tables
    names = [visitor.open(**{"seat-0": "me"}).removeprefix("/table/") for _ in range(4)]
    assert [name for name in names if kept.get_if_cached(name)] == names[1:]
    kept.get(names[2])
    assert visitor.act(f"/table/{names[1]}").status_code == 303  # the table outgrows the free memory
    assert [name for name in names if kept.get_if_cached(name)] == [names[1], names[2]]
    for _ in range(5):
        visitor.act(f"/table/{names[1]}")
    seen = [visitor.seen(f"/table/{name}")[1] for name in names]
    assert seen == [0, 6, 0, 0]
    in_memory = [state for name in names if (state := kept.get_if_cached(name))]
    weight = sum(service.BASE_CACHE_WEIGHT + state.table.version for state in in_memory)
    assert kept._cache_weight == weight <= limits.max_cached_entries


def test_a_port_in_use_is_reported():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SetupError, match="Choose another port"):
            check_port("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(SetupError, match="port 99999"):
        check_port("127.0.0.1", 99999)


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "localhost"),
        ("0.0.0.0", "localhost"),  # noqa: S104  nothing listens there
        ("::", "localhost"),
        ("10.0.0.7", "10.0.0.7"),
        ("fd00::1", "[fd00::1]"),
        ("here", "here"),
    ],
)
def test_hosts_are_formatted_for_display(host, shown):
    assert display_host(host) == shown


def test_an_older_state_does_not_replace_a_newer_one_in_the_cache(visitor):
    """A slow reader must not replace a newer state in the cache."""
    site = visitor.app.state.site
    table = visitor.open().rpartition("/")[2]
    slow = site.tables.get(table)
    visitor.act(f"/table/{table}")
    site.tables._cache_state(slow, 0)
    assert site.tables.get_if_cached(table).table.version == site.tables.store.version(table) > slow.table.version
