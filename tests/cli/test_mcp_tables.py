"""The tables of a site as tools of the Model Context Protocol: a model beside people and bots, by the SDK's client."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Thread

import anyio
import pytest
from mcp.client import Client as Caller

import almunia
from almunia.catalog import all_games
from almunia.cli import main
from almunia.cli.mcp_server import make_server
from almunia.cli.mcp_tables import INSTRUCTIONS, RECENT_LINES, TableTools, find_choice, new_lines
from almunia.client import ActionSequence, Client, Legal, Position
from almunia.server.app import create_app
from almunia.server.settings import Settings
from almunia.server.site import Site

from ..programs import token_of
from ..serving import answering
from ..waiting import TIMEOUT, wait_until

TOOLS = {
    *("list_games", "read_rules", "open_table", "join_table", "lobby", "sit_down", "my_tables", "leave_table"),
    *("look", "legal_actions", "act", "wait", "undo"),
}


class Model:
    """A model that calls tools one after the other."""

    def __init__(self, site: Site, address: str) -> None:
        self.offer = TableTools(Client(address, token_of(site, "mia"), retry_seconds=TIMEOUT, timeout=TIMEOUT))
        self.server = make_server(self.offer.tools, INSTRUCTIONS)

    def ask(self, tool: str, **arguments: object) -> tuple[str, bool]:
        """Return the answer of a tool, and whether the answer is an error."""

        async def call() -> tuple[str, bool]:
            async with Caller(self.server) as caller:
                result = await caller.call_tool(tool, arguments)
                return result.content[0].text, result.is_error

        with ThreadPoolExecutor(1) as apart:
            return apart.submit(anyio.run, call).result()

    def __call__(self, tool: str, **arguments: object) -> str:
        text, failed = self.ask(tool, **arguments)
        assert not failed, text
        return text

    def refused(self, tool: str, **arguments: object) -> str:
        text, failed = self.ask(tool, **arguments)
        assert failed, text
        return text


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, str]]:
    """Yield a site and its address."""
    app = create_app(Settings(data=tmp_path_factory.mktemp("site"), compiled=False, posts="1000000/minute"))
    with answering(app) as port:
        yield app.state.site, f"http://127.0.0.1:{port}"


@pytest.fixture
def model(running: tuple[Site, str]) -> Iterator[Model]:
    one = Model(*running)
    yield one
    one.offer.close()


@pytest.fixture
def person(running: tuple[Site, str]) -> Iterator[Client]:
    with Client(running[1], token_of(running[0], "pia"), timeout=TIMEOUT) as made:
        yield made


def table_of(answer: str) -> str:
    """Return the id of the table that an answer names."""
    return answer.partition("The table's id is ")[2].partition(".\n")[0]


def test_the_tools_explain_themselves(model):
    async def listing():
        async with Caller(model.server) as caller:
            return caller.instructions, (await caller.list_tools()).tools

    with ThreadPoolExecutor(1) as apart:
        instructions, tools = apart.submit(anyio.run, listing).result()
    assert {tool.name for tool in tools} == TOOLS
    assert "open_table" in instructions
    for tool in tools:
        for argument in tool.input_schema["properties"]:
            assert f"{argument}: " in tool.description, f"{tool.name} does not say what {argument} is"
    assert all(f"{meta.name}: {meta.title}, " in model("list_games") for meta in all_games())
    assert model("read_rules", game="orchard").startswith("# ")


@pytest.mark.slow
def test_a_whole_game_beside_a_person(model, person):
    answer, lot = model("open_table", game="orchard", seats=["me", "open", "easy"]), Random(1)
    table = table_of(answer)
    assert "Seat 1: you\nSeat 2: open, by the link http" in answer
    person.join(answer.partition("by the link ")[2].split("\n")[0])
    assert model("my_tables").startswith(f"{table}: Orchard, with ")
    while not person.table(table).finished:
        position = person.position(table, ("legal",))
        if position.your_turn:
            person.act(position, lot.choice(position.legal))
        text = model("wait", table=table, seconds=0 if position.your_turn else 60)  # for the bot
        legal = model("legal_actions", table=table).splitlines()
        if "It is your turn." in text:
            assert any(line.partition(" (")[0] in text for line in legal)
            shown = model("act", table=table, action=lot.choice(legal).partition(" (")[0].upper())
            assert "Orchard, as seat 1 of 3 sees it." in shown
    assert "The game is over" in model.refused("act", table=table, action="anything")
    assert model("legal_actions", table=table).startswith("You have no legal actions")
    assert f"{table}: Orchard" in model("my_tables")
    assert "finished" in model("my_tables")


def test_wait_returns_when_it_is_the_callers_turn(running, model, person):
    table = table_of(model("open_table", game="oregon", seats=["open", "me"]))
    person.join(person_link(model, table))
    if not person.table(table).your_turn:
        model("act", table=table, action=model("legal_actions", table=table).splitlines()[0])
    assert model.refused("act", table=table, action="x") == "It is another player's turn, so you have no legal actions."

    def moves() -> None:
        wait_until(lambda: running[0].event_subscribers.has_subscribers, "the model waits")
        while not model.offer._client.table(table).your_turn:
            position = person.position(table, ("legal",))
            person.act(position, position.legal[0])

    later = Thread(target=moves)
    later.start()
    text = model("wait", table=table, seconds=60)
    later.join()
    assert "It is your turn." in text
    assert "Pia" in text
    assert "Pia " not in model("look", table=table).partition("Oregon, as seat")[0]  # it has been told


def person_link(model: Model, table: str) -> str:
    """Return the link to the open seat of a table."""
    (link,) = model.offer._client.table(table).invitations
    return link


def test_several_actions_can_be_chosen_as_one():
    pay = [Legal(action, words, "", {}) for action, words in ((3, "pay 4"), (5, "pay 5"))]
    both = ActionSequence([3, 5], "pay 4 and 5", "a pavilion")
    position = Position("t", "alhambra", 1, 9, 1, True, False, False, pay, [both])
    assert find_choice(position, " Pay 4  and 5") is both
    assert find_choice(position, "pay 5") is pay[1]
    with pytest.raises(almunia.SetupError, match="'pay 6' is not possible here; nearest: pay "):
        find_choice(position, "pay 6")


def test_the_lobby_and_leaving(model, person):
    offered = person.open("orchard", ["me", "open"], offered=True)
    line = next(line for line in model("lobby").splitlines() if "Orchard" in line)
    assert "Orchard, with Pia; 1 free seat" in line
    answer = model("sit_down", handle=line.partition(":")[0])
    assert table_of(answer) == offered.table
    assert "Seat 2: you" in answer
    assert "Seat 2: you" in model("leave_table", table=offered.table, bot="easy")


def test_undone_log_lines_are_reported(model):
    assert new_lines(["a", "b", "c"], None) == ["a", "b", "c"]
    assert new_lines([str(n) for n in range(RECENT_LINES + 5)], None)[0] == "5"
    assert new_lines(["a", "b", "c"], ["a"]) == ["b", "c"]
    assert new_lines(["a", "d"], ["a", "b", "c"]) == ["(The last 2 lines you have read: undone.)", "d"]
    table = table_of(model("open_table", game="caylus", seats=["me", "easy"]))
    assert model.refused("undo", table=table).endswith(".")


def test_wrong_arguments_are_refused_in_a_sentence(model):
    for tool, arguments, sentence in (
        ("open_table", {"game": "chess", "seats": ["me"]}, "There is no game called 'chess'"),
        ("open_table", {"game": "oregon", "seats": ["me", "deep-thought"]}, "deep-thought"),
        ("open_table", {"game": "oregon"}, "open_table got wrong arguments: it needs 'seats'."),
        ("join_table", {"invitation": "http://example.org"}, "."),
        ("sit_down", {"handle": "nobody"}, "."),
        ("look", {"table": "nowhere"}, "."),
        ("wait", {"table": "nowhere", "seconds": 9999}, "Seconds must be from 0 to 600, not 9999."),
        ("read_rules", {"game": "chess"}, "There is no game called 'chess'"),
    ):
        said = model.refused(tool, **arguments)
        assert sentence in said
        assert "Traceback" not in said
    table = table_of(model("open_table", game="orchard", seats=["me"]))
    assert "'fly' is not possible here; nearest: " in model.refused("act", table=table, action="fly")


@pytest.mark.parametrize(
    ("site", "token", "sentence"),
    [
        (
            "https://play.example.org",
            "",
            "needs a token in the variable ALMUNIA_TOKEN. Make one at https://play.example.org/api-tokens.",
        ),
        (
            "play.example.org",
            "alm_x",
            "'play.example.org' is not the address of a site, such as http://localhost:8000 or ",
        ),
    ],
)
def test_the_command_needs_a_token_and_an_address(site, token, sentence, monkeypatch, capsys):
    monkeypatch.setenv("ALMUNIA_TOKEN", token)
    assert main(["mcp", "--site", site]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
