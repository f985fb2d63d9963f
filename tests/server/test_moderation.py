"""Moderation by the administrator while the site runs."""

import json

import pytest
from sqlalchemy import create_engine, select

from almunia.cli import Exit, main
from almunia.server import tokens
from almunia.server.auth.sessions import STREAM_CACHE_SECONDS
from almunia.server.chat.service import LOBBY_ROOM
from almunia.server.storage import schema
from almunia.server.web.lobby import LobbyStream

from ..attack.target import check_whole, token_of
from .accounts import MAIL, given, sign_in, who
from .test_chat import said, say, table
from .test_seats import log
from .test_secrets import session_of

__all__ = ["table"]  # a fixture
HOUR = 3600


def guest_name(visitor):
    """Return the name in a visitor's cookie, after a request."""
    visitor.get("/my/games")
    return session_of(visitor)["name"]


@pytest.fixture
def moderate(tmp_path, capsys):
    """Return a function that runs the command, and returns its exit code and its output."""

    def running(*words):
        code = main(["moderate", *words, "--data", str(tmp_path)])
        written = capsys.readouterr()
        return code, written.out + written.err

    return running


@pytest.fixture
def reported(visitor, stranger, table):
    """Report a message in the lobby, and return its address."""
    say(stranger, "/lobby", "Grr")
    visitor.post("/lobby/chat/report", data={"said": 1})
    return "lobby/1"


def test_open_reports_are_listed_until_they_are_resolved(visitor, stranger, table, reported, moderate):
    say(stranger, table, "Grr!")
    visitor.post(f"{table}/chat/report", data={"said": 1})
    code, shown = moderate()
    assert code == Exit.OK
    assert "2 messages with open reports." in shown
    assert "lobby/1, " in shown
    assert f"table/{table.rpartition('/')[2]}/1, " in shown
    assert "said: Grr! [1 open report]" in shown
    assert "[0 open reports]" in moderate(reported, "--resolve")[1]
    code, shown = moderate("--json")
    (left,) = json.loads(shown)["messages"]
    assert (left["text"], left["reports"], left["hidden"], left["suspended_until"]) == ("Grr!", 1, False, None)
    assert said(visitor, "/lobby") == [("Bea", "Grr")], "resolving changes nothing for readers"


def test_a_hidden_message_is_removed_from_all_pages(visitor, stranger, reported, moderate):
    site = visitor.app.state.site
    looked = LobbyStream(site.lobby, site.chat, site.rematches, "somebody")
    looked.poll(is_chat_new=True, is_invited_new=True)
    assert looked.poll(is_chat_new=True, is_invited_new=True) == []
    assert "hidden" in moderate(reported, "--hide")[1]
    (event,) = looked.poll(is_chat_new=True, is_invited_new=True)
    assert event.startswith("event: chat"), "open pages are told of it"
    for reader in (visitor, stranger):
        page = reader.get("/lobby/chat").text
        assert "Grr" not in page
        assert "Removed by the site's administrator." in page
    assert site.chat.version(LOBBY_ROOM, "ana") == site.chat.history(LOBBY_ROOM, "ana").version
    again = visitor.post("/lobby/chat/report", data={"said": 1})
    assert again.status_code == 409
    moderate(reported, "--unhide")
    assert said(visitor, "/lobby") == [("Bea", "Grr")]


def test_a_silenced_guest_cannot_write_until_the_time_is_over(visitor, stranger, table, reported, moderate):
    assert "may write again from" in moderate(reported, "--silence", "24")[1]
    for room in (table, "/lobby"):
        refused = say(stranger, room, "Grr again")
        assert refused.status_code == 403
        assert "You can write again in 23 hours." in refused.text
    assert say(visitor, "/lobby", "Hello").status_code == 303, "others are not"
    visitor.app.state.site.clock.advance(24 * HOUR)
    assert say(stranger, table, "Sorry").status_code == 303


def test_a_silence_can_be_lifted(stranger, reported, moderate):
    moderate(reported, "--silence", "24")
    assert "may write again" not in moderate(reported, "--silence", "0")[1]
    assert say(stranger, "/lobby", "Sorry").status_code == 303


def test_a_report_outlasts_its_message(clock, visitor, stranger, reported, moderate):
    chat = visitor.app.state.site.chat
    say(visitor, "/lobby", "Hello")
    clock.advance(2 * 24 * HOUR)
    chat.prune(clock.now())
    assert "said: Grr" in moderate()[1]
    code, told = moderate(reported, "--hide")
    assert code == Exit.BAD_INPUT
    assert "deleted already" in told
    moderate(reported, "--silence", "1", "--resolve")
    assert say(stranger, "/lobby", "Grr").status_code == 403


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lobby/7", "--hide"], "There is no message lobby/7."),
        (["lobby"], "'lobby' is not a message."),
        (["../1"], "'../1' is not a message."),
        (["--hide"], "Name the message as the list shows it"),
        (["lobby/1", "--silence", "-1"], "is not a number of hours"),
        (["lobby/1", "--silence", "9" * 30], "is not a number of hours"),
        (["lobby/1", "--hide", "--unhide"], "not allowed with"),
        (["lobby/1", "lobby/2"], "These arguments do not fit a command: 'lobby/1 lobby/2'."),
        (["rename", "lobby/1"], "These arguments do not fit a command: 'rename lobby/1'."),
        (["rename", "lobby/1", "Easy bot"], "could be mistaken for a bot"),
        (["rename", "nobody", "Ann"], "There is no player 'nobody' here."),
        (["rename", "nobody#2", "Ann"], "There is no game 'nobody'."),
        (["keep-out", "lobby/1"], "is a guest without an account"),
        (["keep-out", "lobby/1", "--hide"], "Name the message as the list shows it"),
        (["end", "nothing"], "There is no game 'nothing'."),
    ],
)
def test_an_invalid_command_is_refused_with_a_reason(reported, moderate, words, sentence):
    code, told = moderate(*words)
    assert code == Exit.BAD_INPUT
    assert sentence in told


# --- people and tables ------------------------------------------------------------------------------


@pytest.mark.parametrize("called", ["lobby/1", "{table}#2", "{guest}"])
def test_a_renamed_guest_has_the_new_name_everywhere(visitor, stranger, table, reported, moderate, called):
    """The name in the guest's cookie changes as well, and the guest cannot choose the old name again."""
    site, name = visitor.app.state.site, table.rpartition("/")[2]
    guest = session_of(stranger)["guest"]
    stranger.post("/preferences", data={"name": "Bea"})
    code, told = moderate("rename", called.format(table=name, guest=guest), "Player 17")
    assert (code, told) == (Exit.OK, "Bea is now called Player 17, at 1 table and everywhere else.\n")
    site.clock.advance(STREAM_CACHE_SECONDS)
    for page in (visitor.get(table).text, visitor.get("/lobby").text, stranger.get("/my/games").text):
        assert "Player 17" in page
        assert "Bea" not in page
    assert [seat.name for seat in site.tables.get(name).table.seats][1] == "Player 17"
    assert "Bea" not in " ".join(log(visitor, table))
    stranger.post("/preferences", data={"name": "B\u0435a"})  # a name with letters that look alike
    assert guest_name(stranger) == "Player 17"
    stranger.post("/preferences", data={"name": "Dora"})
    assert guest_name(stranger) == "Dora", "any other name may be chosen"
    check_whole(site)


def test_a_guest_renamed_twice_cannot_take_the_first_name_back(visitor, stranger, table, reported, moderate):
    guest = session_of(stranger)["guest"]
    moderate("rename", guest, "Player 17")
    moderate("rename", guest, "Player 18")
    visitor.app.state.site.clock.advance(STREAM_CACHE_SECONDS)
    stranger.post("/preferences", data={"name": "Bea"})
    assert guest_name(stranger) == "Player 18"


def test_a_banned_account_cannot_sign_in_until_it_is_unbanned(visitor, stranger, moderate):
    given(visitor)
    sign_in(visitor)
    site = visitor.app.state.site
    headers = {"Authorization": f"Bearer {token_of(site, 'ana')}"}
    assert visitor.get("/api/v1/tables", headers=headers).status_code == 200
    code, told = moderate("keep-out", MAIL)
    assert code == Exit.OK
    assert "The account of Ana can no longer sign in" in told
    site.clock.advance(STREAM_CACHE_SECONDS)
    assert who(visitor) == ""
    assert visitor.get("/api/v1/tables", headers=headers).status_code == 401
    refused = sign_in(visitor)
    assert refused.status_code == 403
    assert "administrator has closed this account." in refused.text
    assert who(visitor) == ""
    assert "Kept out: Ana (ana), " in moderate()[1]
    assert [one["name"] for one in json.loads(moderate("--json")[1])["kept_out"]] == ["Ana"]
    assert "can sign in again" in moderate("let-in", "ana")[1]
    assert "Kept out" not in moderate()[1]
    sign_in(visitor)
    assert who(visitor) == "Ana"


def test_an_administrator_ends_a_running_game(visitor, stranger, table, moderate):
    site, name = visitor.app.state.site, table.rpartition("/")[2]
    visitor.get(table)
    assert moderate("end", name) == (Exit.OK, f"The game {name} is over.\n")
    assert "This game was closed." in visitor.get(table).text
    assert "The game ends because the site's administrator decided so." in log(visitor, table)
    ended = site.tables.get(name).table
    assert (ended.finished, ended.end_reason) == (True, "closed")
    with site.engine.connect() as db:
        assert set(db.execute(select(schema.result.c.number)).scalars()) == {None}, "no rating moves"
    assert moderate("end", name)[1] == f"almunia: The game {name} is already over.\n"


def test_other_processes_reload_renamed_tables(visitor, start, table, moderate):
    """Otherwise a cached log would still show the old name."""
    other, name = start().app.state.site, table.rpartition("/")[2]
    known = other.tables.get(name)
    assert "Bea" in str([entry.lines for entry in known.history(-1).log_entries])
    moderate("rename", f"{name}#2", "Player 17")
    assert "Bea" not in str([entry.lines for entry in other.tables.get(name).history(-1).log_entries])


def test_ids_do_not_start_with_a_hyphen(monkeypatch):
    monkeypatch.setattr(tokens, "token_urlsafe", lambda _size: "-a-b")
    assert (tokens.new_table_id(), tokens.new_guest_id()) == ("_a-b", "_a-b")


def test_commands_do_not_create_or_migrate_a_database(tmp_path, moderate):
    code, told = moderate()
    assert code == Exit.BAD_INPUT
    assert "There is no database" in told
    assert list(tmp_path.iterdir()) == []
    create_engine(f"sqlite:///{tmp_path / 'almunia.sqlite3'}").connect().exec_driver_sql("CREATE TABLE a (b)")
    code, told = moderate()
    assert code == Exit.BAD_INPUT
    assert "it has no table" in told
