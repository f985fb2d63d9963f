"""What whoever runs the site does about what is said there, while the site is running."""

import json

import pytest
from sqlalchemy import create_engine

from almunia.cli import Exit, main
from almunia.server.pages.lobby import Looked
from almunia.server.people.chat import LOBBY_ROOM

from .test_chat import said, say, table

__all__ = ["table"]  # a fixture
HOUR = 3600


@pytest.fixture
def moderate(tmp_path, capsys):
    """Runs the command, and gives its exit code and what it wrote."""

    def running(*words):
        code = main(["moderate", *words, "--data", str(tmp_path)])
        written = capsys.readouterr()
        return code, written.out + written.err

    return running


@pytest.fixture
def reported(visitor, stranger, table):
    """The address of a message in the lobby that was reported."""
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
    assert (left["words"], left["reports"], left["hidden"], left["until"]) == ("Grr!", 1, False, None)
    assert said(visitor, "/lobby") == [("Bea", "Grr")], "resolving changes nothing for readers"


def test_a_message_that_is_hidden_is_read_by_nobody(visitor, stranger, reported, moderate):
    site = visitor.app.state.site
    looked = Looked(site, "somebody")
    looked.again(0)
    assert looked.again(0) == []
    assert "hidden" in moderate(reported, "--hide")[1]
    assert [event.partition("\n")[0] for event in looked.again(0)] == ["event: chat"], "open pages are told of it"
    for reader in (visitor, stranger):
        page = reader.get("/lobby/chat").text
        assert "Grr" not in page
        assert "Removed by whoever runs this site." in page
    assert site.chat.mark(LOBBY_ROOM, "ana") == site.chat.talk(LOBBY_ROOM, "ana").mark
    again = visitor.post("/lobby/chat/report", data={"said": 1})
    assert again.status_code == 409
    moderate(reported, "--unhide")
    assert said(visitor, "/lobby") == [("Bea", "Grr")]


def test_whoever_is_silenced_writes_nowhere_until_then(visitor, stranger, table, reported, moderate):
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
        (["lobby"], "'lobby' is no message."),
        (["../1"], "'../1' is no message."),
        (["--hide"], "Say which message this is about"),
        (["lobby/1", "--silence", "-1"], "is not a number of hours"),
        (["lobby/1", "--silence", "9" * 30], "is not a number of hours"),
        (["lobby/1", "--hide", "--unhide"], "not allowed with"),
    ],
)
def test_what_cannot_be_done_is_said(reported, moderate, words, sentence):
    code, told = moderate(*words)
    assert code == Exit.BAD_INPUT
    assert sentence in told


def test_no_database_is_made_or_changed(tmp_path, moderate):
    code, told = moderate()
    assert code == Exit.BAD_INPUT
    assert "There is no database" in told
    assert list(tmp_path.iterdir()) == []
    create_engine(f"sqlite:///{tmp_path / 'almunia.sqlite3'}").connect().exec_driver_sql("CREATE TABLE a (b)")
    code, told = moderate()
    assert code == Exit.BAD_INPUT
    assert "it has no table" in told
