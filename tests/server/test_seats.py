"""Seats that change hands, and their players' names."""

import re
from html import unescape

import pytest

import almunia
from almunia.core.contract import SPECTATOR, Points, SeatName
from almunia.server.tables.log import LogEntry, pieces_of, plain_text
from almunia.server.tables.model import OPEN, PERSON, Seat
from almunia.server.tables.rendering import RenderedView
from almunia.server.tables.seats import distinct_name
from almunia.server.tables.viewer_history import without_moves_after
from almunia.server.web import log as log_pages
from almunia.server.web.log import chapters, groups, unread_count
from almunia.server.web.table_page import button


def invitation(visitor, table):
    """Return the path of the link to an open seat."""
    return unescape(re.search(r'readonly value="http://testserver([^"]+)"', visitor.get(table).text)[1])


def log(visitor, table):
    """Return the log of a table's page as lines of text."""
    shown = visitor.get(table).text.split('<div id="log"')[1].split("</div>")[0]
    lines = re.findall(r"<p>(.*?)</p>", shown, re.DOTALL)
    return [unescape(" ".join(re.sub(r"<[^>]+>", "", line).split())) for line in lines]


def test_points_and_ranks_are_separated_for_screen_readers(visitor):
    words = re.sub(r"<[^>]+>", "", visitor.get(visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})).text)
    assert "Points: 0, 1st" in words


def test_the_log_keeps_the_names_of_former_players(visitor, stranger):
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    stranger.post(invitation(visitor, table), data={"name": "Zoë"})
    visitor.act(table)
    stranger.act(table)
    stranger.post(f"{table}/leave", data={"seat": 1, "spec": "easy"})
    lines = log(visitor, table)
    assert lines[0] == "◆ Zoë sits down."
    assert any(re.fullmatch("◆ Zoë: Card .*", line) for line in lines)
    assert "◆ Zoë is replaced by Easy bot until they come back." in lines
    visitor.post(f"{table}/leave", data={"seat": 0, "spec": "easy"})
    assert any(line.startswith("● Ana: Card") for line in log(visitor, table))
    assert log(stranger, table)[0] == "◆ Zoë sits down."


def test_a_seat_in_the_log_is_not_taken_for_points():
    """`SeatName(1)` and `Points(1)` are equal as tuples, so a cache must not confuse them."""
    names = ("Ana", "Bea")
    assert SeatName(1) == Points(1)
    assert "Bea" in plain_text(pieces_of(["For ", SeatName(1)], names))
    assert "Bea" not in plain_text(pieces_of(["For ", Points(1)], names))


def test_an_undo_leaves_the_sitters_in_the_log():
    laid = [LogEntry(number, 0, (pieces_of([f"Card {number}"], ("Ana", "Bea")),)) for number in (1, 2)]
    sits = LogEntry(2, 1, (pieces_of([SeatName(1), " sits down."], ("Ana", "Bea")),), survives_undo=True)
    first, second = without_moves_after([*laid, sits], 1)
    assert first is laid[0]
    assert (second.action_count, second.lines) == (1, sits.lines)


def test_entries_after_the_last_action_of_the_viewer_are_new():
    told = tuple(LogEntry(number, seat, (pieces_of([str(number)], ()),)) for number, seat in enumerate((1, 0, 1, 1), 1))
    assert [unread_count(told, reader) for reader in (0, 1, 2, SPECTATOR)] == [2, 0, 4, 0]
    (chapter,) = chapters(told, 0)
    assert chapter.items.count("<li><p>") == chapter.items.count('<li class="new"><p>') == 2


def test_chapters_mark_new_entries(monkeypatch):
    monkeypatch.setattr(log_pages, "CHAPTER_SIZE", 2)
    told = tuple(
        LogEntry(number, seat, (pieces_of([str(number)], ()),)) for number, seat in enumerate((1, 1, 0, 1, 1), 1)
    )

    def new(reader, told=told):
        return [(part.items.count("<li>"), part.items.count("<li class")) for part in chapters(told, reader)]

    assert new(0) == [(2, 0), (1, 1), (0, 1)]
    assert new(1) == [(2, 0), (2, 0), (1, 0)]
    assert new(2) == [(0, 2), (0, 2), (0, 1)]
    assert new(0, without_moves_after(told, 2)) == [(0, 2)]
    assert [part.name for part in chapters(told, 0)] == ["log-0", "log-1", "log-2"]
    again = chapters(told, 0)[:2]
    assert again == chapters(told + told[:1], 0)[:2]  # a full chapter stays the same


def test_repeated_log_entries_are_grouped():
    told = tuple(LogEntry(number, 0, (pieces_of([line], ()),)) for number, line in enumerate("aabaa", 1))
    assert [(group.number, group.repeats) for group in groups(told)] == [(2, 2), (3, 1), (5, 2)]
    assert next(groups(told)).text == '<p>a <b class="times">\N{MULTIPLICATION SIGN}2</b></p>'


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("   ", "A name needs at least one letter"),
        ("x" * 31, "A name can have at most 30 characters, and this one has 31"),
        ("a\u200bb", "a character that cannot be displayed"),
        ("\u3164 \u2800", "at least one letter"),
        ("yoU", "for the reader"),
        ("Z" + 7 * "\N{COMBINING ACUTE ACCENT}", "more than 6 accents on one letter"),
        ("Z" + 4 * "\N{COMBINING ACUTE ACCENT}\N{COMBINING GRAVE ACCENT}\u200d" + "a", "more than 6 accents"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER Y}ou", "for the reader"),
        ("see https://evil.example", "be a web address"),
        ("see https\N{FULLWIDTH COLON}\N{FULLWIDTH SOLIDUS}/x", "be a web address"),
        *(
            (name, "could be mistaken for a bot or for the site itself")
            for name in (
                *("Easy bot", "medium  BOT 2", "Hard-Bot", "ExpertBot", "Almunia", "a l m u n i a", "Admin", "adm1n"),
                *("\uff41\uff44\uff4d\uff49\uff4e", "\u0430dmin", "\u00c0dm\u00edn", "Administrator", "System 1"),
                *("Almunia Support", "\u041cODERA\u0422OR", "A\u200dd\u200dmin"),
            )
        ),
    ],
)
def test_a_name_is_corrected_in_its_form(visitor, stranger, name, words):
    link = invitation(visitor, visitor.open(**{"seat-0": "me", "seat-1": "friend"}))
    for answer in (stranger.post("/preferences", data={"name": name}), stranger.post(link, data={"name": name})):
        assert answer.status_code == 422
        assert words in answer.text
        assert f'value="{name}"' in answer.text
        assert 'aria-describedby="wrong-name"' in answer.text
    assert 'value="Guest"' in stranger.get("/my/games").text


@pytest.mark.parametrize(
    "name",
    ["Adminah", "Robot", "Bot", "Easy", "Systema", "Ali", "\u0645\u0631\u06cc\u0645", "7"],
)
def test_names_that_resemble_none_of_these_are_taken(visitor, name):
    assert visitor.post("/preferences", data={"name": name}).status_code == 200
    assert f'value="{name}"' in visitor.get("/my/games").text


def test_a_name_of_a_bot_in_an_old_cookie_is_ignored(visitor, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("almunia.server.users.visitors.is_reserved", lambda _name: False)
        visitor.post("/preferences", data={"name": "Easy bot"})
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    seats = visitor.app.state.site.tables.get(table.rpartition("/")[2]).table.seats
    assert [seat.name for seat in seats] == ["Guest", "Easy bot"]


@pytest.mark.parametrize("charset", ["utf-7", "unicode_escape", "latin-1", "x"])
def test_a_form_is_written_in_utf_8(visitor, charset):
    """Other encodings can produce characters that no page can show."""
    form = b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n+2AA-\\ud800\r\n--b--\r\n'
    for path in ("/preferences", "/notifications/webhook", "/games/orchard/tables"):
        headers = {"Content-Type": f"multipart/form-data; boundary=b; charset={charset}"}
        answer = visitor.post(path, content=form, headers=headers)
        assert (answer.status_code, "This form cannot be read" in answer.text) == (400, True)
    headers = {"Content-Type": "multipart/form-data; boundary=b; charset=UTF-8"}
    assert visitor.post("/preferences", content=form, headers=headers).status_code == 200


def test_players_at_one_screen_have_names(visitor):
    fields = {"seat-0": "me", "seat-1": "here", "name-1": " Zoë ", "seat-2": "here"}
    page = visitor.get(visitor.open(**fields)).text
    assert "I'm <bdi>Guest</bdi>, show my view" in page
    table = visitor.open(**{**fields, "seat-0": "here", "name-0": "Bea"})
    assert "I'm <bdi>Bea</bdi>, show my view" in visitor.get(table).text
    visitor.post(f"{table}/reveal", data={"seat": 0})
    visitor.act(table)
    assert "I'm <bdi>Zoë</bdi>, show my view" in visitor.get(table).text
    refused = visitor.post("/games/orchard/tables", data={**fields, "name-1": "x" * 31})
    assert refused.status_code == 422
    assert "this one has 31" in refused.text


def test_effects_of_actions_isolate_names_and_have_a_gain(start, monkeypatch):
    said = [[]]
    monkeypatch.setattr(almunia.game("oregon", "plain").text, "effect_text", lambda *_: said[-1])
    visitor = start()
    fields = {"seat-0": "here", "name-0": "علی", "seat-1": "here", "name-1": "مریم"}
    table = visitor.open("oregon", **fields)
    state = visitor.app.state.site.tables.get(table.removeprefix("/table/"))
    for effect, words, gain in (
        ([Points(2), "; ", SeatName(1), " gets ", Points(3)], "+2; \u2068مریم\u2069 gets +3", 2),
        (["nothing yet; ", SeatName(1), " gets ", Points(3)], "nothing yet; \u2068مریم\u2069 gets +3", 0),
        ([Points(-1)], "\N{MINUS SIGN}1", -1),
    ):
        said.append(effect)
        seat = state.play.turn
        history = state.history(seat)
        (offer,) = RenderedView(history.view, state.play.legal_actions[:1], history.names, in_one_go=True).action_labels
        assert (offer.effect, offer.gain) == (words, gain)
        assert (f'data-gain="{gain}"' in button(offer)) == bool(gain)


def test_players_with_equal_names_are_numbered(visitor, stranger):
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open(
        **{"seat-0": "me", "seat-1": "here", "name-1": "Ana", "seat-2": "friend", "seat-3": "bot-easy"}
    )
    stranger.post(invitation(visitor, table), data={"name": "Ana"})
    assert names(visitor, table) == ["Ana", "Ana 2", "Ana 3", "Easy bot"]
    assert log(stranger, table) == ["▲ Ana 3 sits down."]


def test_a_player_keeps_the_name_of_a_reserved_seat(visitor):
    seats = [Seat(PERSON, "me", "Ana"), Seat(OPEN, "", "Bea"), Seat(OPEN, "", "Zoë")]
    tables = visitor.app.state.site.tables
    table = tables.create("orchard", seats, "me")
    visitor.app.state.site.seats.join(table.id, 1, "her", "Bea")
    assert names(visitor, f"/table/{table.id}") == ["Ana", "Bea", "Zoë"]


def names(visitor, table):
    state = visitor.app.state.site.tables.get(table.removeprefix("/table/"))
    return [seat.name for seat in state.table.seats]


@pytest.mark.parametrize(
    "name",
    [
        "Alice",
        "Al\u200dice",
        "Alice\u034f",
        "Alice\ufe0f",
        "Alice\u115f",
        "\uff21lice",
        "\u0410l\u0456\u0441\u0435",
        "AIice",
    ],
)
def test_a_name_that_looks_like_another_one_is_numbered(name):
    assert distinct_name(name, [Seat(PERSON, "ana", "Alice"), Seat(PERSON, "bea", "Bea")]) == f"{name} 2"


@pytest.mark.parametrize(
    "name",
    ["Alicia", "Ali\u0107e", "\u0410\u043b\u0438\u0441\u0430", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
)
def test_distinct_names_are_unchanged(name):
    assert distinct_name(name, [Seat(PERSON, "ana", "Alice")]) == name
