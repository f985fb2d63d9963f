"""Requests of all kinds to all routes: each gets a response with a sentence, and a refused request changes nothing."""

import json
import logging
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest

import almunia
from almunia.server.api.app import PREFIX
from almunia.server.http_server import MESSAGES
from almunia.server.lobby import new_table
from almunia.server.mail import MAIL_DISABLED
from almunia.server.tables.model import OPEN, PERSON, Seat
from almunia.server.web.middleware.security import HEADERS, MAX_BODY_BYTES, SAFE_METHODS

from .conftest import Round
from .oddities import Attacker
from .target import SUCCESS, Target, check_whole, cookie_of
from .wire import Answer, Request, ask

REQUESTS, MOST = 800, 4000  # more only until each route has succeeded
SENTENCE = re.compile(r'class="(?:lead|notice|wrong)"[^>]*>\s*[^<\s][^<]*[.!?]\s*<')
UNREADABLE, UNAVAILABLE = 400, 503
TOO_LARGE = 431
UNREAD = b"Invalid HTTP request received."  # from the parser, before a route is known
WHITHER = re.compile("/table/([^/]+)")  # only paths of this site, without corrected addresses
ANA, BEA, NOBODY = Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea"), Seat(OPEN, "", "A friend")
TABLES = (
    ("orchard", (ANA,)),
    ("orchard", (ANA, NOBODY)),
    ("oregon", (ANA, BEA)),
    ("oregon", (ANA, ANA)),
    ("alhambra", (ANA, BEA, NOBODY)),
    *[("alpujarras", (ANA, ANA))] * 4,
)
MIDST = 4  # the last tables are in the middle of a turn
KEPT = len(TABLES) + 2  # the attack does not drop these tables


def furnished(target: Target, rng: Random) -> Attacker:
    """Return an attacker of a site with tables of several games, of which two are finished."""
    tables, guests = target.site.tables, {name: cookie_of(target.site, name).encode() for name in ("ana", "bea")}
    target.site.analyses.needs_compiled = False
    attacker = Attacker(target, rng, guests)
    attacker.tables = [tables.create(name, seats, "ana", hints=True).id for name, seats in TABLES]
    for table in attacker.tables[-MIDST:]:
        while not (now := tables.get(table)).play.can_undo:
            tables.move(table, now.play.turn, now.play.legal_actions[0], now.history(now.play.turn).version)
    for table in attacker.tables:
        target.site.lobby.list_table(table, "ana", offered=True, watched=True, open_chat=True)
        target.site.chat._write(table, "bea", "Bea", "Hello")
    challenge = new_table.list_challenges("orchard")[0]
    for name, options in (("", {}), (challenge.name, challenge.options)):
        table = tables.create("orchard", (ANA,), "ana", options, challenge=name)
        while not (now := tables.get(table.id)).table.finished:
            tables.move(table.id, 0, now.play.legal_actions[0], now.history(0).version)
        attacker.tables.append(table.id)
    return attacker


def fault_of(answer: Answer, request: Request, places: list[str]) -> str:
    """Return the error in a response; empty if there is none."""
    shown = answer.text + str(answer.headers)
    if answer.status >= SUCCESS + 100 and not is_without_mail(answer):
        return "it failed"
    if told := [place for place in (*places, "Traceback", "sqlalchemy", "sqlite3") if place in shown]:
        return f"it tells of {told}"
    if answer.status == UNREADABLE and not answer.is_page and answer.body in (UNREAD, b""):
        return ""
    if answer.status == TOO_LARGE and answer.body == (b"" if request.method == b"HEAD" else MESSAGES[TOO_LARGE]):
        return ""  # this, too, comes before a route is known
    if missing := {name.lower() for name in HEADERS} - answer.headers.keys():
        return f"it lacks {missing}"
    if request.target.startswith(PREFIX.encode()) and answer.status >= SUCCESS and request.method != b"HEAD":
        return "" if is_told(answer) else "it is no JSON with a sentence"
    silent = answer.status >= SUCCESS and answer.is_page and request.method != b"HEAD" and not has_sentence(answer)
    return "it has no sentence" if silent else ""


def is_without_mail(answer: Answer) -> bool:
    return answer.status == UNAVAILABLE and MAIL_DISABLED in answer.text


def is_told(answer: Answer) -> bool:
    """Whether an error response of the API has the right status and a sentence."""
    said = json.loads(answer.body)
    return said["status"] == answer.status and bool(re.fullmatch(r"[^\n]+[.!?]", said["error"]))


def has_sentence(answer: Answer) -> bool:
    """Whether a page has a sentence in the place of its errors, or the whole response is a sentence."""
    if "<html" in answer.text or 'id="table"' in answer.text:
        return bool(SENTENCE.search(answer.text))
    return bool(re.fullmatch(r"\s*[^<\s][^<]*[.!?]\s*", answer.text))


def learn(attacker: Attacker, answer: Answer) -> None:
    """Remember the table and the entity tag of a response."""
    if found := WHITHER.fullmatch(answer.headers.get("location", "")):
        attacker.tables = [*attacker.tables[:KEPT], *attacker.tables[KEPT:][-5:], found[1]]
    if tag := answer.headers.get("etag"):
        attacker.tags.append(tag.encode())


@pytest.mark.slow
def test_every_request_is_answered_in_words(rounds: Iterator[Round], caplog: pytest.LogCaptureFixture) -> None:
    for rng, folder in rounds:
        with Target(folder, count(rng.getrandbits(32)).__next__).served() as target:
            attacker = furnished(target, rng)
            places = [str(folder), str(Path(almunia.__file__).parent), target.site.secret_key]
            for number in range(MOST):
                if number >= REQUESTS and not target.missing():
                    break
                request, before = attacker.request(late=number >= REQUESTS), target.state()
                try:
                    answer = ask(target.port, request)
                except ConnectionError:  # the site refused the body early, and the response was lost
                    assert len(request.sent) > MAX_BODY_BYTES
                    continue
                fault = fault_of(answer, request, places)
                if target.state() != before and (
                    answer.status >= SUCCESS or request.method.decode("latin-1") in SAFE_METHODS
                ):
                    fault = "it changed something"
                assert not fault, f"{fault}: {request.sent[:1500]!r}, {answer.status}, {answer.text[:1500]}"
                learn(attacker, answer)
            assert not [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR]
            assert target.missing() == []
            check_whole(target.site)
