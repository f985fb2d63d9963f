"""The client: the bot in the guide, lost answers, a site that is down, and asyncio."""

import asyncio
import json
import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from random import Random
from threading import Event as Flag, Thread
from typing import Any

import httpx2
import numpy as np
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from almunia import client as package
from almunia.client import AsyncClient, Client, Lost, Position, Refused, Stale, protocol
from almunia.client.client import read_answer
from almunia.client.protocol import Answer, Ask, Event, EventListener, Pause
from almunia.errors import AlmuniaError, SetupError
from almunia.server.app import create_app
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.tables.model import MOVE

from ..programs import token_of
from ..serving import answering, free_port, settled
from ..waiting import TIMEOUT, wait_until

HOME = Path(__file__).parents[2]
GUIDE = HOME / "docs" / "api-http.md"


class Losing:
    """A site whose answers to every other act or undo are lost, although the request takes effect."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self.lost, self.acts, self.losing = app, 0, 0, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and lose the response to every other action if `losing` is set."""
        acting = scope["type"] == "http" and scope["path"].endswith(("/move", "/undo"))
        self.acts += acting

        async def deaf(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)

        if acting and self.losing and self.acts % 2:
            self.lost += 1
            await self._app(scope, receive, deaf)
            raise ConnectionAbortedError
        await self._app(scope, receive, send)


@pytest.fixture
def lossy(tmp_path: Path) -> Iterator[tuple[Losing, Site, str]]:
    """Yield the application that loses answers, its site, and its address."""
    app = create_app(Settings(data=tmp_path, compiled=False))
    app.state.site.analyses.needs_compiled = False
    losing = Losing(app)
    with answering(losing) as port:
        yield losing, app.state.site, f"http://127.0.0.1:{port}"


@pytest.fixture
def site(lossy: tuple[Losing, Site, str]) -> Site:
    return lossy[1]


@pytest.fixture
def client(lossy: tuple[Losing, Site, str]) -> Iterator[Client]:
    with Client(lossy[2], token_of(lossy[1], "ana"), timeout=TIMEOUT) as made:
        yield made


def first(position: Position) -> int:
    return position.legal[0].action


# --- playing -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bot_in_the_guide_plays_to_the_end(lossy, monkeypatch, capsys):
    """The test executes the code of the guide unchanged."""
    _, site, address = lossy
    (code,) = re.findall(r"```py\n(.+?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert code.count("\n") <= 20
    monkeypatch.setenv("ALMUNIA_SITE", address)
    monkeypatch.setenv("ALMUNIA_TOKEN", token_of(site, "ana"))
    exec(compile(code, "bot.py", "exec"), {"__name__": "__main__"})  # noqa: S102 - from our documentation
    (table,) = site.tables.store.for_guest("ana")
    assert table.finished
    assert len(table.seats) == 2
    assert table.id in capsys.readouterr().out


@pytest.mark.slow
def test_the_client_recovers_from_lost_responses(lossy):
    losing, site, address = lossy
    with Client(address, token_of(site, "ana"), retry_seconds=TIMEOUT, timeout=TIMEOUT) as client:
        table = client.open("orchard", ["me"]).table
        losing.losing = True
        end = client.play(first, table)
    assert end.finished
    assert losing.lost >= 4
    acts = [entry for entry in site.tables.store.events(site.tables.store.find(table)) if entry.kind == MOVE]
    assert len(acts) == len(site.tables.get(table).play.actions)


@pytest.mark.slow
def test_a_move_whose_response_is_lost_is_played_once(lossy, client):
    losing, site, _ = lossy
    now = client.position(client.open("orchard", ["me"]).table)
    losing.losing = True
    then = client.act(now, now.legal[0])
    assert losing.lost == 1
    assert then.seen == now.seen + 1
    assert len(site.tables.get(now.table).play.actions) == 1
    assert losing.acts == 2  # sent twice; the site refuses the second request as stale


def test_a_move_in_an_old_position_is_refused(client):
    now = client.position(client.open("orchard", ["me"]).table)
    then = client.act(now, now.legal[0])
    with pytest.raises(Stale, match="moved on") as refused:
        client.act(now, now.legal[0])
    assert refused.value.position == then
    with pytest.raises(Refused, match="not possible") as refused:
        client.act(then, 10**6)
    assert refused.value.status == 422


def test_a_choice_can_be_a_code_an_action_or_a_sequence(client):
    now = client.position(client.open("orchard", ["me"]).table)
    assert protocol.codes(now.legal[1]) == [now.legal[1].action] == protocol.codes(now.legal[1].action)
    assert protocol.codes(package.ActionSequence([3, 4], "", "")) == [3, 4] == protocol.codes((3, 4))
    assert client.act(now, now.legal[1].action).seen == now.seen + 1


def test_tables_seats_logs_and_records(client, site):
    opened = client.open("oregon", ["me", "open"])
    (link,) = opened.invitations
    with Client(str(client._http.base_url), token_of(site, "bea"), timeout=TIMEOUT) as other:
        joined = other.join(link, "Robot")
        assert [seat.name for seat in joined.seats] == ["Ana", "Robot"]
        assert other.leave(opened.table, "easy").seats[1].bot == "easy"
        assert other.come_back(opened.table).seats[1].bot == ""
        assert any("Robot" in line for line in other.log(opened.table))
        with pytest.raises(Refused, match="when the game is over"):
            other.record(opened.table)
        assert other.resign(opened.table).ended == "resigned"
        assert "seed:" in other.record(opened.table)
    with pytest.raises(Refused, match="doesn't wait for you"):
        client.ready(client.open("oregon", ["me", "open"], ready_check=True).table)
    with pytest.raises(Refused, match="can't be aborted"):
        client.abort(client.tables()[0].table)
    client.resign(client.tables()[0].table)
    assert [row.finished for row in client.tables()] == [True, True]
    assert client.table(opened.table).finished
    assert {"orchard", "oregon"} <= {game["game"] for game in client.games()}
    text = client.position(opened.table, ["text", "tensor"], "spectator")
    assert "spectator" in text.text
    assert len(text.tensor) == site.builds.get("oregon").tensor_size
    assert text.observation is None


def test_programs_meet_in_the_lobby_and_ask_each_other(client, site):
    with Client(str(client._http.base_url), token_of(site, "bea"), timeout=TIMEOUT) as other:
        assert other.open_tables() == []
        table = client.open("oregon", ["me", "open"], offered=True).table
        (found,) = other.open_tables()
        assert (found.game, found.players, found.free, found.mine) == ("oregon", ["Ana"], 1, False)
        joined = other.sit(found.handle)
        assert (joined.table, joined.seat) == (table, 2)
        assert other.sit(found.handle).seat == 2  # as if the first response were lost
        assert other.open_tables() == []
        with pytest.raises(Refused, match="'s turn, or they"):
            other.claim(table, 1)
        asked = client.ask(table, "end").asked
        assert (asked.what, asked.seat, asked.agreed) == ("end", 1, [1])
        assert other.table(table).asked == asked
        assert other.answer(table, agree=False).asked is None
        client.ask(table, "end")
        ended = other.answer(table, agree=True)
        assert (ended.finished, ended.ended, ended.asked) == (True, "agreed", None)


def test_a_move_can_be_undone(client, site):
    table = client.open("alpujarras", ["me", "easy"], seed=5).table
    for mark in client.events():
        now = client.position(mark.table)
        while now.your_turn and not now.can_undo:
            now = client.act(now, now.legal[0])
        if now.can_undo:
            break
    count = len(site.tables.get(table).play.actions)
    assert client.undo(now).seen > now.seen
    assert len(site.tables.get(table).play.actions) < count


@pytest.mark.slow
def test_the_asyncio_client_plays(lossy):
    _, site, address = lossy

    async def later(position: Position) -> Any:
        await asyncio.sleep(0)
        return position.legal[0]

    async def playing() -> tuple[Position, Position]:
        async with AsyncClient(address, token_of(site, "ana"), timeout=TIMEOUT) as client:
            tables = [(await client.open("orchard", ["me"])).table for _ in range(2)]
            ends = [await client.play(chooser, table) for chooser, table in zip((first, later), tables, strict=True)]
            assert [row.finished for row in await client.tables()] == [True, True]
            assert await client.log(tables[0])
            assert "seed" in await client.record(tables[0])
            found = await client.analysis(tables[0], request=False)
            assert (found.status, found.done, found.analysis) == ("none", 0, None)
            found = await client.analysis(tables[0])
            assert (found.status, found.table) == ("waiting", tables[0])
            assert found.actions > 0
            marks = client.events()
            opened = await client.open("orchard", ["me", "open"], rated=False)
            assert (await anext(marks)).table == opened.table
            await marks.aclose()
            now = await client.act(await client.position(opened.table), first(await client.position(opened.table)))
            assert now.seen > opened.seen
            assert (await client.table(opened.table)).seat == 1
            other = (await client.open("oregon", ["me", "easy"])).table
            assert (await client.leave(other)).seats[0].bot
            await client.come_back(other)
            assert (await client.resign(other)).finished
            assert (await client.leave(opened.table)).ended == "closed"  # no other person is at the table
            assert await client.games()
            return ends[0], ends[1]

    ends = settled(playing())
    assert all(end.finished for end in ends)


def test_play_returns_if_the_program_has_no_seat(client, lossy):
    """`play` returns if the program has resigned while others play on, or never had a seat."""
    _, site, address = lossy
    opened = client.open("oregon", ["easy", "open", "me"])
    table = opened.table
    with Client(address, token_of(site, "bea"), timeout=TIMEOUT) as waiting:
        waiting.join(opened.invitations[0])
    ends: list[Position] = []
    player = Thread(target=lambda: ends.append(client.play(first, table)), daemon=True)
    player.start()
    wait_until(lambda: site.event_subscribers.has_subscribers, "the program waits for its turn")
    wait_until(lambda: site.tables.get(table).table.turn == 1, "it is Bea's turn, who does nothing")
    with Client(address, token_of(site, "ana"), timeout=TIMEOUT) as same:
        same.resign(table)
    player.join(TIMEOUT)
    assert [(end.finished, end.seat) for end in ends] == [(False, None)]
    with Client(address, token_of(site, "cem"), timeout=TIMEOUT) as other:
        assert other.play(first, table).seat is None


def test_a_refused_undo_is_not_stale(client):
    now = client.position(client.open("orchard", ["me"]).table)
    with pytest.raises(Refused) as refused:
        client.undo(now)
    assert not isinstance(refused.value, Stale)
    assert refused.value.status == 409


def test_a_request_after_another_move_is_stale(client):
    now = client.position(client.open("orchard", ["me"]).table)
    client.act(now, now.legal[0])
    with pytest.raises(Stale, match="moved on"):
        client.undo(now)


def test_a_table_has_its_settings(client):
    table = client.open(
        "oregon", ["me", "open"], clock="slow-24", zero="bot", absence_timeout=3600, offered=True, rated=False
    )
    assert (table.clock, table.absence_timeout, table.rated, table.hints) == ("slow 86400 0 bot", 3600, False, False)
    assert [(one.rated, one.deal_known) for one in client.open_tables()] == [(False, False)]
    chosen = client.open("oregon", ["me", "open"], seed=5, offered=True)
    assert chosen.deal_known
    assert sorted(one.deal_known for one in client.open_tables() if not one.rated) == [False, True]
    with pytest.raises(TypeError, match="ranked"):
        client.open("oregon", ranked=True)


def test_a_program_with_several_seats_names_one(client):
    opened = client.open("oregon", ["me", "open", "easy"])
    client.join(opened.invitations[0])
    table = opened.table
    with pytest.raises(Refused, match="Name one of them: 1, 2"):
        client.leave(table)
    assert client.leave(table, seat=2).seats[1].bot == "medium"
    assert client.come_back(table, seat=2).seats[1].bot == ""
    with pytest.raises(Refused, match="No other player is here"):
        client.ask(table, "end", seat=2)
    with pytest.raises(Refused, match="no longer open"):
        client.answer(table, agree=True, seat=2)
    assert client.resign(table, seat=2).seats[1].kind == "bot"


def test_the_client_reads_games_profiles_and_leaderboards(client):
    assert sum(map(prod, client.game("oregon")["tensor"].values())) == client.game("oregon")["tensor_size"]
    assert client.profile()["results"] == []
    assert client.leaderboard("oregon", 1)["pages"] == 1
    assert client.daily()["deals"]


def test_the_client_reads_and_answers_a_puzzle(client):
    puzzle = client.puzzle()
    assert client.puzzle(puzzle["puzzle"]) == puzzle
    action = puzzle["legal"][0]["action"]
    told = client.answer_puzzle(puzzle["puzzle"], action)
    assert told["solved"] == (action in [one["action"] for one in told["answers"] if one["solves"]])


@pytest.mark.parametrize("address", ["localhost:8000", "", "ftp://localhost", "/", "http://", "http://[::1"])
def test_an_invalid_address_is_refused(address):
    with pytest.raises(SetupError, match="address of a site"):
        Client(address, "alm_x")


@pytest.mark.parametrize("token", ["", "alm_x y", "alm_\u00e4", None])
def test_an_invalid_token_is_refused_without_showing_it(token):
    with pytest.raises(SetupError, match="no token") as told:
        AsyncClient("http://localhost:8000", token)
    assert not token or token not in str(told.value)


def test_a_token_may_have_a_line_end_and_an_address_the_path_of_the_interface(lossy):
    _, site, address = lossy
    with Client(f"{address}/api/v1/", token_of(site, "ana") + "\n", timeout=TIMEOUT) as client:
        assert client.tables() == []


# --- unreachable sites and revoked tokens ------------------------------------------------------------


@pytest.mark.slow
def test_the_client_reconnects_to_a_restarted_site(tmp_path):
    port, ends = free_port(), []
    settings = Settings(data=tmp_path, compiled=False)
    app = create_app(settings)
    with answering(app, port):
        token = token_of(app.state.site, "ana")
        client = Client(f"http://127.0.0.1:{port}", token, retry_seconds=TIMEOUT, timeout=TIMEOUT)
        table = client.open("orchard", ["me"]).table
        counted = iter(range(10**6))
        halted = Flag()

        def choose(position: Position) -> int:
            if next(counted) == 3:
                halted.set()
            return first(position)

        player = Thread(target=lambda: ends.append(client.play(choose, table)))
        player.start()
        assert halted.wait(TIMEOUT)
    with answering(create_app(settings), port):
        player.join(TIMEOUT)
        assert not player.is_alive()
        client.close()
    assert ends[0].finished


def test_a_site_that_does_not_respond_is_reported(monkeypatch):
    monkeypatch.setattr(protocol, "MIN_PAUSE_SECONDS", 0.01)
    with Client(f"http://127.0.0.1:{free_port()}", "alm_x", retry_seconds=0.05) as client:
        with pytest.raises(Lost, match="does not answer"):
            client.tables()
        with pytest.raises(Lost):
            client.open("orchard")
        with pytest.raises(Lost):
            next(client.events())


def test_a_revoked_token_is_reported(lossy):
    with Client(lossy[2], "alm_x", timeout=TIMEOUT) as client:
        with pytest.raises(Refused, match="token is not valid") as refused:
            client.tables()
        assert refused.value.status == 401
        assert isinstance(refused.value, AlmuniaError)
        with pytest.raises(Refused, match="token is not valid"):
            client.play(first)


@pytest.mark.slow
def test_a_second_stream_of_a_token_ends_the_first(lossy):
    token = token_of(lossy[1], "ana")
    with Client(lossy[2], token, timeout=TIMEOUT) as one, Client(lossy[2], token, timeout=TIMEOUT) as two:
        table = one.open("orchard", ["me"]).table
        marks = one.events()
        assert next(marks).table == table
        assert next(two.events()).table == table
        with pytest.raises(Refused, match="Another stream"):
            next(marks)


# --- no network --------------------------------------------------------------------------------------


def position(seen: int, *, your_turn: bool = True) -> dict[str, Any]:
    """Return a position as the site sends it in JSON."""
    facts = {"table": "t", "game": "orchard", "seat": 1, "turn": 1, "can_undo": False, "finished": False}
    return {**facts, "seen": seen, "your_turn": your_turn, "legal": [], "new in a later version": 1}


def steps(flow: Any, answers: list[Answer]) -> tuple[list[Any], Any]:
    """Return the steps of a flow that gets these answers, and its result or error."""
    asked, replies, step = [], iter(answers), next(flow)
    while True:
        asked.append(step)
        try:
            step = flow.send(Answer() if isinstance(step, Pause) else next(replies))
        except StopIteration as end:
            return asked, end.value
        except AlmuniaError as error:
            return asked, error


@pytest.mark.parametrize("first_answer", [Answer(), Answer(502), Answer(429, {"error": "Slower."})])
def test_a_move_without_a_response_is_sent_again(first_answer):
    """The repeated request has the same `seen`, even if the table has changed, because only the site knows the play."""
    now = Position.read(position(3))
    flow = protocol.act(now, "/move", {"actions": [7]}, 60)
    asked, end = steps(flow, [first_answer, Answer(200, position(5))])
    requests = [step for step in asked if isinstance(step, Ask)]
    assert [(request.method, request.body) for request in requests] == [
        ("POST", {"actions": [7], "seat": 1, "seen": 3})
    ] * 2
    assert end.seen == 5


def test_a_move_delayed_by_the_rate_limit_may_be_stale():
    """The first attempt had no effect, so another act has moved the game on."""
    now = Position.read(position(3))
    stale = {"error": "The game has moved on.", "status": 409, "position": position(4)}
    _, end = steps(protocol.act(now, "/move", {"actions": [7]}, 60), [Answer(429, {}), Answer(409, stale)])
    assert isinstance(end, Stale)


def test_a_conflict_without_a_position_is_a_refusal():
    """A proxy may answer like this."""
    now = Position.read(position(3))
    _, end = steps(protocol.act(now, "/move", {"actions": [7]}, 60), [Answer(), Answer(409, None)])
    assert (type(end), end.status) == (Refused, 409)


def test_a_lost_move_that_arrives_late_is_played_once():
    """The site refuses the second attempt, because the first attempt has arrived meanwhile."""
    now = Position.read(position(3))
    stale = {"error": "The game has moved on.", "status": 409, "position": position(4)}
    flow = protocol.act(now, "/move", {"actions": [7]}, 60)
    _, end = steps(flow, [Answer(), Answer(409, stale)])
    assert end.seen == 4


def test_rate_limited_requests_wait_for_the_retry_time():
    asked, end = steps(
        protocol.send(Ask("GET", "/x"), 60), [Answer(429, {"error": "Slower."}, 9.0), Answer(200, {"a": 1})]
    )
    assert asked[1] == Pause(9.0)
    assert end == {"a": 1}


def test_rate_limited_requests_are_retried_even_if_not_idempotent():
    asked, end = steps(
        protocol.send(Ask("POST", "/x"), 60, idempotent=False), [Answer(429, {}, 9.0), Answer(200, {"a": 1})]
    )
    assert (asked[1], end) == (Pause(9.0), {"a": 1})
    # The site asks the client to wait for longer than the client's limit.
    for flow in (protocol.send(Ask("POST", "/x"), 8, idempotent=False), protocol.send(Ask("GET", "/x"), 8)):
        asked, end = steps(flow, [Answer(429, {"error": "Slower."}, 9.0)])
        assert (len(asked), end.status, end.wait) == (1, 429, 9.0)
    asked, end = steps(protocol.send(Ask("POST", "/x"), 60, idempotent=False), [Answer(why="Connection refused")])
    assert len(asked) == 1
    assert isinstance(end, Lost)
    assert "Connection refused" in str(end)


def test_a_redirect_is_refused_with_its_address():
    answer = read_answer(httpx2.Response(301, headers={"location": "https://example.org/"}))
    with pytest.raises(Refused, match=r"https://example\.org"):
        protocol.unwrap(answer)


@pytest.mark.parametrize("chosen", ["play bison", None, {"action": 3}, 1.0, ["3"]])
def test_an_invalid_choice_is_refused(chosen):
    with pytest.raises(TypeError, match="A choice is a code"):
        protocol.codes(chosen)


def test_choices_may_be_numpy_integers():
    assert protocol.codes(np.int64(3)) == [3] == protocol.codes(np.array([3]))
    assert json.dumps(protocol.codes(np.int64(3)))


def test_a_single_part_needs_no_list():
    assert protocol.parts("text") == ["text"] == protocol.parts(("text",))


def test_retries_end_after_the_retry_time():
    _, end = steps(protocol.send(Ask("GET", "/x"), 1), [Answer(429, {"error": "Slower."}, 9.0)] * 9)
    assert (type(end), str(end)) == (Refused, "Slower.")
    _, end = steps(
        protocol.act(Position.read(position(3)), "/move", {}, 0.3),
        [Answer()] * 3,
    )
    assert type(end) is Lost
    assert 10 < sum(protocol.pauses(30)) < 60
    assert max(protocol.pauses(300)) <= protocol.MAX_PAUSE_SECONDS


def test_pauses_double_and_are_shortened_at_random():
    """Random pauses keep programs that lost a site together from returning together."""
    longest = list(protocol.pauses(60, lambda *bounds: bounds[1]))
    assert longest == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]
    assert list(protocol.pauses(60, lambda *bounds: bounds[0])) == [protocol.MIN_JITTER * pause for pause in longest]
    first, second = (list(protocol.pauses(60, Random(seed).uniform)) for seed in (1, 2))
    assert all(protocol.MIN_JITTER * most <= pause <= most for pause, most in zip(first, longest, strict=True))
    assert first != second
    assert list(protocol.pauses(60)) != list(protocol.pauses(60))  # by default each call has another random source


def test_events_are_read_line_by_line():
    listener = EventListener(60)
    lines = ["event: position", 'data: {"a":', "data: 1}", "", ":", "", "data: x", "", "event: ready", "data: {}", ""]
    found = [event for line in lines if (event := listener.feed(line))]
    assert found == [Event("position", '{"a":\n1}'), Event("message", "x"), Event("ready", "{}")]
