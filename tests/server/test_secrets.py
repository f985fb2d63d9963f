"""No page, stream, preview or log contains hidden information."""

import asyncio
import json
import re
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import count
from random import Random

import pytest
from sqlalchemy import update

import almunia
from almunia.server.storage import schema
from almunia.server.tables.clocks import CORRESPONDENCE, REALTIME, TimeControl
from almunia.server.tables.model import MOVE, PERSON, Seat
from almunia.server.web.table import stream
from almunia.server.web.table_notices import NoticeServices, TableNotices

from ..clock import NEVER_AWAY
from ..waiting import wait_until
from .conftest import ORIGIN, Visitor
from .streaming import call_route

PAGES = ("", "/text", "/replay", "/try/0/0/start", "/record", "/chat")
ELSEWHERE = ("/", "/my/games", "/lobby", "/lobby/chat")


@pytest.fixture
def tokens():
    """Return a function that makes ids of new tables that cannot appear in a page by chance."""
    return map("table-{}".format, count()).__next__


def twin_seeds():
    """Return two seeds whose deals of Orchard look the same to the first seat, and differ."""
    game = almunia.game("orchard", "plain")
    known = {}
    for seed in range(2000):
        play = game.new(seats=2, seed=seed)
        view = play.observe(0).to_state()
        if view in known and known[view].to_state() != play.to_state():
            return known[view].seed, seed
        known[view] = play
    raise AssertionError("no such seeds")


def change(visitor, table, **facts):
    """Change columns of a table in the database, and clear the cache."""
    tables = visitor.app.state.site.tables
    with tables.store._engine.begin() as db:
        db.execute(
            update(schema.game_table).where(schema.game_table.c.id == table.removeprefix("/table/")).values(**facts)
        )
    tables._cache.clear()


def session_of(visitor):
    """Return the content of a visitor's cookie."""
    session = visitor.cookies.get("almunia")
    return json.loads(b64decode(session.split(".")[0] + "==")) if session else {}


def streamed(visitor, table):
    """Return the first event of a table's stream for a visitor."""
    from starlette.requests import Request

    app = visitor.app
    scope = {"type": "http", "app": app, "headers": [], "session": {}, "method": "GET", "path": table}
    scope["session"] = session_of(visitor)

    async def first():
        answer = await call_route(
            stream, app.state.services, request=Request(scope), table_id=table.removeprefix("/table/")
        )
        return await anext(answer.body_iterator)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, first()).result()


def everything(visitor, table):
    """Return the responses to requests of a visitor about a table and the lobby."""
    streamed(visitor, table)  # the visitor is present from now on
    got = []
    actions = visitor.seen(table)[2]
    for address in (*PAGES, f"/previews/{','.join(map(str, actions[:5]))}"):
        answer = visitor.get(table + address)
        got.append((address, answer.status_code, answer.headers.get("etag"), answer.content))
    got.append(visitor.get(table, headers={"HX-Request": "true"}).content)
    got += [visitor.get(address).content for address in ELSEWHERE]
    got.append(visitor.post(f"{table}/chat/mute", data={"said": 10**6}).content)
    got.append(visitor.post(f"{table}/move", data={"action": 4909, "seat": 0, "seen": 0}).content)
    return [*got, streamed(visitor, table)]


def test_the_deck_stays_hidden(visitor, stranger):
    one, other = twin_seeds()
    stranger.post("/preferences", data={"name": "Bea"})  # pages of a guest with a name listen for invitations
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": one})
    before = [everything(who, table) for who in (visitor, stranger)]
    change(visitor, table, seed=other)
    assert [everything(who, table) for who in (visitor, stranger)] == before


def test_secret_choices_stay_hidden(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": 5})
    link = re.search(r'readonly value="http://testserver([^"]+)"', visitor.get(table).text)[1]
    stranger.post(link, data={"name": "Bea"})
    actions = visitor.seen(table)[2]
    visitor.act(table, choose=lambda _: actions[0])
    before = everything(stranger, table)
    entry = schema.table_event
    with visitor.app.state.site.tables.store._engine.begin() as db:
        db.execute(update(entry).where(entry.c.kind == MOVE).values(action=actions[-1]))
    visitor.app.state.site.tables._cache.clear()
    assert everything(stranger, table) == before
    assert f"at {actions[0]}" not in str(before)
    assert everything(visitor, table) != before


def joined(visitor, stranger, seat=1, **fields):
    """Open a table, let `stranger` take a seat, and return the path of the table."""
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": 5, **fields})
    links = re.findall(r'readonly value="http://testserver([^"]+)"', visitor.get(table).text)
    stranger.post(links[seat - 1], data={"name": "Bea"})
    return table


def test_pages_of_spectators_do_not_reveal_chat_messages(visitor, stranger):
    """No page, header or stream for a spectator depends on the chat."""
    table = joined(visitor, stranger)
    watching = Visitor(visitor.app, headers={"Origin": ORIGIN})
    watching.post("/preferences", data={"name": "Cem"})
    before = everything(watching, table)
    for _ in range(3):
        assert visitor.post(f"{table}/chat", data={"words": "My hand is empty"}).status_code == 200
        assert stranger.post(f"{table}/chat", data={"words": "So is mine"}).status_code == 200
    visitor.post(f"{table}/chat/report", data={"said": 2})
    assert everything(watching, table) == before
    assert first_news(watching, table) == []
    assert "My hand" in str(everything(stranger, table))
    assert first_news(stranger, table) == ["event: chat\ndata: 6.0.0\n\n"]


def test_chat_and_lobby_do_not_reveal_secret_choices(visitor, stranger):
    """A secret choice changes neither the chat nor the lobby."""
    more = {"seat-2": "friend", "offered": 1, "watched": 1, "open_chat": 1}
    table = joined(visitor, stranger, 2, **more)
    visitor.post(f"{table}/chat", data={"words": "Hello"})
    addresses = ("/lobby", "/lobby/chat", f"{table}/chat")
    before = [stranger.get(address).content for address in addresses]
    mark, heard = visitor.app.state.site.lobby.current().version, first_news(stranger, table)
    visitor.act(table)
    visitor.app.state.site.lobby._read_at = 0.0
    assert [stranger.get(address).content for address in addresses] == before
    assert visitor.app.state.site.lobby.current().version == mark
    assert first_news(stranger, table) == heard == ["event: chat\ndata: 1.0.0\n\n"]


def test_the_lobby_is_notified_of_joins_and_not_of_moves(visitor, stranger, monkeypatch):
    site, told_of = visitor.app.state.site, []
    monkeypatch.setattr(site.broker, "publish", told_of.append)
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend", "offered": 1})
    stranger.get("/lobby")
    told_of.clear()
    visitor.act(table)
    assert "lobby" not in told_of
    link = re.search(r'readonly value="http://testserver([^"]+)"', visitor.get(table).text)[1]
    stranger.post(link, data={"name": "Bea"})
    assert "lobby" in told_of


def test_chatting_wakes_no_stream_of_the_game(visitor, stranger, monkeypatch):
    """A message changes neither the version of the table nor its row."""
    table = joined(visitor, stranger)
    tables, name = visitor.app.state.site.tables, table.removeprefix("/table/")
    before, told_of = tables.get(name), []
    monkeypatch.setattr(tables.broker, "publish", told_of.append)
    visitor.post(f"{table}/chat", data={"words": "Hello"})
    assert told_of == [f"chat {name}"]
    assert tables.store.find(name) == before.table
    assert tables.get(name) is before


def first_news(visitor, table):
    """Return the first events of a table's stream that are not about the play, invitations or other games."""
    services, guest = visitor.app.state.services[NoticeServices], session_of(visitor)["guest"]

    async def since():
        return await TableNotices(services, table.removeprefix("/table/"), guest).poll(finished=False)

    with ThreadPoolExecutor(1) as thread:
        events = thread.submit(asyncio.run, since()).result()
    return [event for event in events if not event.startswith(("event: invited", "event: waiting"))]


def test_records_are_refused_before_the_end(visitor):
    table = visitor.open(**{"seat-0": "me", "seed": 4711})
    for address in ("/record", "/record?form=json"):
        answer = visitor.get(table + address)
        assert answer.status_code == 403
        assert "4711" not in answer.text
    visitor.finish(table)
    assert "seed: 4711" in visitor.get(f"{table}/record").text


@pytest.mark.slow
def test_bots_get_an_observation_of_their_seat(visitor, monkeypatch):
    from almunia.play.play import Observation

    given = []

    class Watched:
        spec = "watched"

        def choose(self, observation):
            given.append(observation)
            return observation.legal_actions[0]

    visitor.app.state.site.builds.get("orchard")  # building a game tries its bots, too
    visitor.app.state.site.bot_runner.make = lambda *_: Watched()
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    visitor.finish(table)
    assert given
    assert all(type(view) is Observation and view.seat == 1 for view in given)


@pytest.mark.parametrize(("game", "shown"), [("oregon", -1), ("alpujarras", 0)])
def test_a_shared_screen_shows_no_secrets_while_another_player_moves(visitor, game, shown):
    """In a game with hidden information, the players at the screen may be passing it on."""
    table = visitor.open(game, **{"seat-0": "me", "seat-1": "here", "seat-2": "friend"})
    tables, name = visitor.app.state.site.tables, table.removeprefix("/table/")
    while (now := tables.get(name)).play.turn != 2:
        tables.move(name, now.play.turn, now.play.legal_actions[0], now.history(now.play.turn).version)
    assert visitor.seen(table)[0] == shown


@pytest.mark.parametrize("seat", [0, 1])
def test_versions_do_not_reveal_hidden_actions_of_others(visitor, seat):
    """A hidden action and its undo leave the version of the other seat unchanged."""
    from almunia.server.tables.model import UNDO, TableEvent

    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    state = visitor.app.state.site.tables.get(table.removeprefix("/table/"))
    play = state.play.copy()
    history = state.history(seat)
    action = play.legal_actions[0]
    hidden = play.copy()
    hidden.array["seat"]["choice"][0][0] = action  # chosen, but not yet revealed
    shown = history.with_event(TableEvent(0, MOVE, action), hidden, 1)
    assert (shown.version == history.version) == (seat == 1)
    assert (shown.with_event(TableEvent(0, UNDO), play, 2).version == history.version) == (seat == 1)


@cache
def second_question():
    """Return a seed of Orchard, the first actions, and an action after which the same seat is to move again."""
    game = almunia.game("orchard", "plain")
    for seed in range(200):
        play, rng = game.new(seats=2, seed=seed), Random(seed)
        while not play.over:
            before, seat = list(play.actions), play.turn
            play.apply(rng.choice(play.legal_actions))
            if play.turn == seat == 0:
                return seed, before, play.actions[-1]
    raise AssertionError("no such seed")


@NEVER_AWAY
@pytest.mark.parametrize("control", [TimeControl(REALTIME, 300, 10), TimeControl(CORRESPONDENCE, 8 * 3600)], ids=str)
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("what", ["claim", "claim-win"])
def test_clocks_and_claims_do_not_reveal_secret_answers(clock, visitor, stranger, control, late, what):
    """The opponent sees the same pages and results whether the seat has answered one of its questions or not."""
    seed, actions, secret = second_question()
    got, site = [], visitor.app.state.site
    site.bot_runner.pause()
    stranger.post("/preferences", data={"name": "Bea"})
    seats = Seat(PERSON, "ana", "Ana"), Seat(PERSON, session_of(stranger)["guest"], "Bea")
    for answers in (False, True):
        clock.set(2_000_000.0)  # long after the site started
        table = site.tables.create("orchard", seats, "ana", seed=seed, time_control=control).id
        for action in actions:
            clock.advance(1)
            before = site.tables.get(table)
            site.tables.move(table, before.play.turn, action, before.history(before.play.turn).version)
        if answers:
            clock.advance(50)
            site.tables.move(table, 0, secret, site.tables.get(table).history(0).version)
        clock.set(3_000_000.0 if late else 2_000_100.0)
        seen = [stranger.get(f"/table/{table}").content]
        wait_until(partial(site.presence.is_here, table, seats[1].player), "others' pages say that Bea is here")
        seen.append(Visitor(visitor.app).get(f"/table/{table}").content)
        answer = stranger.post(f"/table/{table}/{what}", data={"seat": 0, "spec": "easy"}, headers={"HX-Request": "1"})
        told = [*seen, answer.status_code, answer.content, stranger.get(f"/table/{table}").content]
        plain = str(told).replace(table, "TABLE").replace(site.invitations.create(table, 1), "LINK")
        plain = re.sub(r'<section class="course thinking.*?</section>', "", plain)  # public after the claimed win
        got.append(re.sub(r' data-hash="\w+"', "", plain))  # hashes depend on the address of the table
        assert (answer.status_code == 200) == late
    assert got[0] == got[1]


def test_the_offer_to_abort_does_not_reveal_secret_answers(visitor):
    """The host may close a game until the host could know that it has begun."""
    visitor.app.state.site.bot_runner.pause()
    visitor.post("/preferences", data={"name": "Bea"})
    host, site = session_of(visitor)["guest"], visitor.app.state.site
    seats = Seat(PERSON, "ana", "Ana"), Seat(PERSON, host, "Bea")
    table = site.tables.create("orchard", seats, host, rated=False).id
    now = site.tables.get(table)
    assert "Abort this game" in visitor.get(f"/table/{table}").text
    then = site.tables.move(table, 0, now.play.legal_actions[0], now.history(0).version)
    assert then.play.actions
    assert not then.history(1).log_entries
    assert "Abort this game" in visitor.get(f"/table/{table}").text
    site.tables.move(table, 1, then.play.legal_actions[0], then.history(1).version)
    assert "Abort this game" not in visitor.get(f"/table/{table}").text
    assert visitor.post(f"/table/{table}/abort", data={"seat": 1}).status_code == 409
