"""Seats that change hands, and the names of those who sit in them."""

import re
from html import unescape

import pytest

from almunia.core.contract import Who
from almunia.server.gamelog import Told, in_words
from almunia.server.sitting import taken_back


def invitation(visitor, table):
    """The address behind the link to an open seat."""
    return unescape(re.search(r'readonly value="http://testserver([^"]+)"', visitor.get(table).text)[1])


def log(visitor, table):
    """The log as plain lines."""
    shown = visitor.get(table).text.split('<ol id="log"')[1].split("</ol>")[0]
    lines = re.findall(r"<p>(.*?)</p>", shown, re.DOTALL)
    return [unescape(" ".join(re.sub(r"<[^>]+>", "", line).split())) for line in lines]


def test_the_log_keeps_the_name_of_whoever_sat_there(visitor, stranger):
    visitor.post("/me", data={"name": "Ana"})
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    stranger.post(invitation(visitor, table), data={"name": "Zoë"})
    visitor.act(table)
    stranger.act(table)
    stranger.post(f"{table}/bot", data={"seat": 1, "spec": "easy"})
    lines = log(visitor, table)
    assert lines[0] == "◆ Zoë sits down."
    assert any(re.fullmatch("◆ Zoë: Card .*", line) for line in lines)
    left = lines.index("◆ Zoë leaves the seat.")
    assert lines[left + 1] == "◆ Easy bot sits down."
    visitor.post(f"{table}/bot", data={"seat": 0, "spec": "easy"})
    assert any(line.startswith("● Ana: Card") for line in log(visitor, table))
    assert log(stranger, table)[0] == "◆ Zoë sits down."


def test_an_undo_leaves_the_sitters_in_the_log():
    laid = [Told(number, 0, in_words([f"Card {number}"], ("Ana", "Bea"))) for number in (1, 2)]
    sits = Told(2, 1, in_words([Who(1), " sits down."], ("Ana", "Bea")), stays=True)
    assert taken_back([*laid, sits], 1) == (laid[0], sits._replace(number=1))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("   ", "A name needs at least one letter"),
        ("x" * 31, "A name has at most 30 characters, and this one has 31"),
        ("a\u200bb", "a character in it that cannot be shown"),
    ],
)
def test_a_name_is_corrected_in_its_form(visitor, stranger, name, words):
    link = invitation(visitor, visitor.open(**{"seat-0": "me", "seat-1": "friend"}))
    for answer in (stranger.post("/me", data={"name": name}), stranger.post(link, data={"name": name})):
        assert answer.status_code == 422
        assert words in answer.text
        assert f'value="{name}"' in answer.text
        assert 'aria-describedby="wrong-name"' in answer.text
    assert 'value="Guest"' in stranger.get("/tables").text


def test_people_at_one_screen_have_names(visitor):
    fields = {"seat-0": "me", "seat-1": "here", "name-1": " Zoë ", "seat-2": "here"}
    page = visitor.get(visitor.open(**fields)).text
    assert "I am Guest: show my view" in page
    table = visitor.open(**{**fields, "seat-0": "here", "name-0": "Bea"})
    assert "I am Bea: show my view" in visitor.get(table).text
    visitor.post(f"{table}/look", data={"seat": 0})
    visitor.act(table)
    assert "I am Zoë: show my view" in visitor.get(table).text
    refused = visitor.post("/games/orchard/tables", data={**fields, "name-1": "x" * 31})
    assert refused.status_code == 422
    assert "this one has 31" in refused.text
