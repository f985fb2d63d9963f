"""The chat: readers, writers and hidden information."""

import re
from html import unescape
from itertools import count
from shutil import copyfile

import pytest
from sqlalchemy import event, insert

from almunia.cli import main
from almunia.server.broker import Broker
from almunia.server.chat.moderation import read_reports
from almunia.server.chat.service import (
    LOBBY_KEEP_SECONDS,
    LOBBY_ROOM,
    MAX_LENGTH,
    MAX_SHOWN_MESSAGES,
    PHRASES,
    Chat,
    Message,
    validate_message,
)
from almunia.server.errors import BadRequest
from almunia.server.storage import schema
from almunia.server.storage.database import open_migrated
from almunia.server.storage.rate_limits import make_limiter

from .conftest import ORIGIN, Visitor
from .test_lobby import FRIENDS, name_of
from .test_seats import invitation


@pytest.fixture
def table(visitor, stranger):
    """Return the path of a table of two: `visitor` is Ana, and `stranger` is Bea."""
    visitor.post("/preferences", data={"name": "Ana"})
    address = visitor.open(**FRIENDS)
    stranger.post(invitation(visitor, address), data={"name": "Bea"})
    return address


@pytest.fixture
def spectator(visitor):
    return Visitor(visitor.app, headers={"Origin": ORIGIN})


def said(visitor, room):
    """Return the messages that a visitor reads in a room, with their authors."""
    page = visitor.get(f"{room}/chat", headers={"HX-Request": "true"}).text
    found = re.findall(r'class="by"><bdi>([^<]*)</bdi>.*?<p dir="auto">([^<]*)</p>', page, re.DOTALL)
    return [tuple(map(unescape, line)) for line in found]


def say(visitor, room, words, **more):
    return visitor.post(f"{room}/chat", data={"words": words, **more}, follow_redirects=False)


def test_players_read_and_write_the_chat(visitor, stranger, table):
    assert say(visitor, table, " Good   luck!\n").status_code == 303
    say(stranger, table, "Thanks 👩‍🌾")
    assert said(visitor, table) == said(stranger, table) == [("Ana", "Good luck!"), ("Bea", "Thanks 👩‍🌾")]


def test_the_page_of_the_table_shows_the_chat(visitor, table):
    say(visitor, table, "Hello")
    assert '<p dir="auto">Hello</p>' in visitor.get(table).text


def test_messages_are_escaped(visitor, table):
    say(visitor, table, '<a href="https://elsewhere.example">click</a> https://elsewhere.example {{ 7 * 7 }}')
    page = visitor.get(f"{table}/chat").text
    assert "&lt;a href=" in page
    assert 'href="https://elsewhere' not in page
    assert "{{ 7 * 7 }}" in page


def test_phrases_can_be_sent_with_one_click(visitor, table):
    assert say(visitor, table, "", phrase=PHRASES.index("Good game") + 1).status_code == 303
    assert said(visitor, table) == [("Ana", "Good game")]
    for number in (0, len(PHRASES) + 1, 10**18):
        assert say(visitor, table, "", phrase=number).status_code == 400


UNSAID = "", "   ", "\u3164", "x" * (MAX_LENGTH + 1), "a\u202eb", "a\0b", "\ud7ffa\ue000", "o" + 7 * "\u0301"


@pytest.mark.parametrize("words", UNSAID)
def test_an_invalid_message_is_refused(visitor, table, words):
    answer = say(visitor, table, words)
    assert answer.status_code == 422
    assert re.search(r'id="chat-wrong" role="alert">[A-Z][^<]+[.]</p>', answer.text)
    assert said(visitor, table) == []


@pytest.mark.parametrize("words", ["ྒྲུབ་ཐོབ", "שָׁ֔לוֹם", "e\u0302\u0301", "1\ufe0f\u20e3", "ကြိုးစားပါ", "o" + 6 * "\u0301"])
def test_combining_marks_of_all_scripts_are_accepted(visitor, table, words):
    assert say(visitor, table, words).status_code == 303
    assert said(visitor, table) == [("Ana", words)]


def test_the_form_states_the_maximum_length_of_messages(visitor, table):
    assert say(visitor, table, "x" * MAX_LENGTH).status_code == 303
    assert f'maxlength="{MAX_LENGTH}"' in visitor.get(table).text
    with pytest.raises(BadRequest, match="has 301"):
        validate_message("x" * 301)


# --- readers --------------------------------------------------------------------------------------


def test_spectators_cannot_read_the_chat_of_a_running_game(visitor, stranger, spectator, table):
    say(visitor, table, "I have the ace")
    answer = spectator.get(f"{table}/chat")
    assert answer.status_code == 403
    assert "when the game is over" in answer.text
    assert "I have the ace" not in spectator.get(table).text
    assert say(spectator, table, "Me too").status_code == 403
    visitor.post(f"{table}/resign", data={"seat": 0})
    assert said(spectator, table) == [("Ana", "I have the ace")]
    assert "they can also see the game file and the chat" in spectator.get("/privacy").text
    assert say(spectator, table, "Me too").status_code == 403
    assert say(stranger, table, "Good game").status_code == 303


def test_the_host_may_let_spectators_read(visitor, spectator, table):
    say(visitor, table, "Hello")
    visitor.post(f"{table}/listing", data={"open_chat": 1})
    assert said(spectator, table) == [("Ana", "Hello")]
    assert "Say something" not in spectator.get(f"{table}/chat").text


def test_a_spectator_cannot_mute_or_report_hidden_messages(visitor, spectator, table):
    """If the error depended on the number, it would reveal how many messages there are."""
    say(visitor, table, "Hello")
    for deed in ("mute", "report"):
        refused = [spectator.post(f"{table}/chat/{deed}", data={"said": number}) for number in (1, 2)]
        assert [(answer.status_code, answer.text) for answer in refused] == [(403, refused[0].text)] * 2


def test_a_table_with_one_person_has_no_chat(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    assert visitor.get(f"{table}/chat").status_code == 404
    assert "chat-link" not in visitor.get(table).text


def test_messages_are_numbered_in_each_room(visitor, stranger, table):
    for _ in range(3):
        say(visitor, "/lobby", "Hello")
    say(visitor, table, "Hello")
    assert 'data-latest="1"' in visitor.get(f"{table}/chat").text


def test_only_the_latest_messages_are_sent(visitor, table):
    site = visitor.app.state.site
    for number in range(MAX_SHOWN_MESSAGES + 5):
        site.chat._write(name_of(table), "x", "X", str(number))
    lines = said(visitor, table)
    assert len(lines) == MAX_SHOWN_MESSAGES
    assert lines[-1] == ("X", str(MAX_SHOWN_MESSAGES + 4))


@pytest.mark.parametrize("room", ["table", "lobby"])
def test_streams_and_pages_have_the_same_mark(visitor, table, clock, room):
    """Streams compute the version without reading the messages."""
    chat, room = visitor.app.state.site.chat, name_of(table) if room == "table" else LOBBY_ROOM
    for number in range(MAX_SHOWN_MESSAGES + 5):
        chat._write(room, "x" if number > 2 else "y", "X", "Hello")
        if number in (0, MAX_SHOWN_MESSAGES):
            chat.mute(room, number + 1, "ana")
        for guest in ("ana", "bea"):
            assert chat.version(room, guest) == chat.history(room, guest).version
    clock.advance(LOBBY_KEEP_SECONDS + 1)
    assert chat.version(room, "ana") == chat.history(room, "ana").version


# --- muting, reporting, rates ---------------------------------------------------------------------


def test_messages_of_a_muted_guest_are_hidden_in_all_rooms(visitor, stranger, table):
    say(stranger, table, "Grr")
    say(visitor, table, "Hello")
    assert visitor.post(f"{table}/chat/mute", data={"said": 1}, follow_redirects=False).status_code == 303
    say(stranger, "/lobby", "Grr again")
    assert said(visitor, table) == [("Ana", "Hello")]
    assert said(visitor, "/lobby") == []
    assert said(stranger, table)[0] == ("Bea", "Grr"), "nobody is told"
    page = visitor.get(f"{table}/chat").text
    handle = re.search(r'name="muted" value="([^"]+)"', page)[1]
    assert all(guest not in page for guest in guests_of(visitor, table))
    stranger.post(f"{table}/chat/mute", data={"muted": handle})
    assert said(visitor, table) == [("Ana", "Hello")], "nobody else can undo it"
    visitor.post(f"{table}/chat/mute", data={"muted": handle})
    assert said(visitor, table)[0] == ("Bea", "Grr")


def guests_of(visitor, table):
    """Return the ids of a table's players, which no page shows."""
    return {seat.player for seat in visitor.app.state.site.tables.get(name_of(table)).table.seats}


def test_reports_are_kept_for_the_operator(visitor, stranger, table):
    say(stranger, table, "Grr")
    answer = visitor.post(f"{table}/chat/report", data={"said": 1})
    assert "Thank you" in answer.text
    assert visitor.post(f"{table}/chat/report", data={"said": 1}).status_code == 409
    (report,) = read_reports(visitor.app.state.site.chat._engine)
    assert (report.room, report.name, report.text) == (name_of(table), "Bea", "Grr")


def test_the_doctor_lists_reports(visitor, stranger, table, tmp_path, capsys, database, monkeypatch):
    monkeypatch.setenv("ALMUNIA_DATABASE", database)
    assert main(["doctor", "--reports", "--data", str(tmp_path)]) == 0
    assert "0 messages reported." in capsys.readouterr().out
    say(stranger, table, "Grr")
    visitor.post(f"{table}/chat/report", data={"said": 1})
    assert main(["doctor", "--reports", "--data", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "1 message reported." in shown
    assert f"at table {name_of(table)}: Bea (" in shown
    assert shown.rstrip().endswith("said: Grr")
    assert main(["doctor", "--reports", "--json", "--data", str(tmp_path)]) == 0
    assert '"text": "Grr"' in capsys.readouterr().out
    monkeypatch.delenv("ALMUNIA_DATABASE")
    assert main(["doctor", "--reports", "--data", str(tmp_path / "nowhere")]) != 0
    assert main(["doctor", "--data", str(tmp_path)]) != 0


@pytest.mark.parametrize("deed", ["mute", "report"])
def test_invalid_reports_are_refused(visitor, table, deed):
    say(visitor, table, "Hello")
    own = visitor.post(f"{table}/chat/{deed}", data={"said": 1})
    assert own.status_code == 409
    assert "your own message" in own.text
    assert visitor.post(f"{table}/chat/{deed}", data={"said": 2}).status_code == 404
    for odd in ("x", "9" * 19):
        assert visitor.post(f"{table}/chat/{deed}", data={"said": odd}).status_code == 400
    assert read_reports(visitor.app.state.site.chat._engine) == []


def test_messages_per_guest_are_limited(start):
    visitor = start(chat="3/minute")
    assert [say(visitor, "/lobby", str(number)).status_code for number in range(4)] == [303, 303, 303, 429]
    refused = say(visitor, "/lobby", "keep this")
    assert "too fast" in refused.text
    assert 'value="keep this"' in refused.text
    other = Visitor(visitor.app, headers={"Origin": ORIGIN})
    assert say(other, "/lobby", "Hello").status_code == 303


def test_messages_per_address_are_limited(start):
    visitor = start(chat="3/minute")
    codes = []
    for number in range(13):
        visitor.cookies.clear()
        codes.append(say(visitor, "/lobby", str(number)).status_code)
    assert codes == [303] * 12 + [429]


def test_the_cost_of_a_query_does_not_depend_on_the_number_of_messages(migrated, tmp_path, clock):
    """The cost is counted in instructions of SQLite's virtual machine."""
    path = copyfile(migrated, tmp_path / "said.sqlite3")
    engine, counted = open_migrated(f"sqlite:///{path}"), count()
    event.listen(engine, "checkout", lambda raw, *_: raw.set_progress_handler(lambda: next(counted) * 0, 1))
    chat = Chat(engine, Broker(), "9/minute", make_limiter(engine, "key", clock), clock)
    rooms = (LOBBY_ROOM, "a-table", "silent")

    def spent(function, *given):
        before = next(counted)
        function(*given)
        return next(counted) - before

    def say_up_to(first, last):
        with engine.begin() as db:
            rows = [
                Message(room, number, "ana", "Ana", "Hello", clock.now())._asdict()
                for room in rooms[:2]
                for number in range(first, last + 1)
            ]
            db.execute(insert(schema.message), rows)

    def look():
        return [
            spent(chat.last_numbers, rooms),
            spent(chat.version, LOBBY_ROOM, "bea"),
            spent(chat.history, LOBBY_ROOM, "bea"),
        ]

    say_up_to(1, 2 * MAX_SHOWN_MESSAGES)
    few = look()
    say_up_to(2 * MAX_SHOWN_MESSAGES + 1, 20 * MAX_SHOWN_MESSAGES)
    assert look() == few
    assert chat.last_numbers(rooms) == {
        LOBBY_ROOM: (20 * MAX_SHOWN_MESSAGES, 0),
        "a-table": (20 * MAX_SHOWN_MESSAGES, 0),
        "silent": (0, 0),
    }
    assert chat.last_numbers([]) == {}
    engine.dispose()


def test_old_messages_of_the_lobby_are_deleted(visitor, clock, table):
    for words in ("old", "older"):
        say(visitor, "/lobby", words)
    say(visitor, table, "kept")
    clock.advance(LOBBY_KEEP_SECONDS + 1)
    assert said(visitor, "/lobby") == []
    chat = visitor.app.state.site.chat
    chat.prune(clock.now())
    with chat._engine.connect() as db:
        rows = db.exec_driver_sql("SELECT room, number FROM message ORDER BY room = 'lobby'").fetchall()
    assert rows == [(name_of(table), 1), (LOBBY_ROOM, 2)]
    say(visitor, "/lobby", "new")
    assert said(visitor, "/lobby") == [("Ana", "new")]
    assert said(visitor, table) == [("Ana", "kept")]
    assert 'data-latest="3"' in visitor.get("/lobby/chat").text


def test_maintenance_deletes_old_messages(visitor, clock):
    say(visitor, "/lobby", "old")
    say(visitor, "/lobby", "last")
    clock.advance(LOBBY_KEEP_SECONDS + 1)
    site = visitor.app.state.site
    site.maintenance._pruned_at = 0.0
    site.maintenance.run_once()
    with site.chat._engine.connect() as db:
        assert db.exec_driver_sql("SELECT text FROM message").fetchall() == [("last",)]


def test_messages_from_other_origins_are_refused(visitor, table):
    refused = visitor.post(f"{table}/chat", data={"words": "Hi"}, headers={"Origin": "https://elsewhere.example"})
    assert refused.status_code == 403
    assert said(visitor, table) == []


def test_a_script_gets_the_messages_or_the_error_without_a_page(visitor, table):
    done = visitor.post(f"{table}/chat", data={"words": "Hello"}, headers={"HX-Request": "true"})
    assert done.text.lstrip().startswith('<ol id="said"')
    refused = visitor.post(f"{table}/chat", data={"words": ""}, headers={"HX-Request": "true"})
    assert (refused.status_code, refused.text) == (422, "Write something first.")
