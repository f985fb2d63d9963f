"""Games as tools of the Model Context Protocol, called by its own client."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

import almunia
from almunia.bots import NamedBot
from almunia.catalog import all_games, game_packages
from almunia.cli import main
from almunia.cli.mcp_server import MAX_GAMES, Tools, make_server

pytestmark = pytest.mark.compiled
TOOLS = {"list_games", "read_rules", "start_game", "look", "legal_actions", "act", "undo", "end_game"}


def run_apart(call):
    """Run a coroutine in another thread, because this thread may have a running event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, call).result()


class Talk:
    """A client that calls tools one after the other, each in a new session."""

    def __init__(self) -> None:
        self.tools = Tools()
        self._server = make_server(self.tools.tools)

    def ask(self, tool: str, **arguments) -> tuple[str, bool]:
        """Return the answer of a tool, and whether the answer is an error."""

        async def call() -> tuple[str, bool]:
            async with Client(self._server) as client:
                result = await client.call_tool(tool, arguments)
                return result.content[0].text, result.is_error

        return run_apart(call)

    def __call__(self, tool: str, **arguments) -> str:
        text, failed = self.ask(tool, **arguments)
        assert not failed, text
        return text

    def refuses(self, tool: str, **arguments) -> str:
        text, failed = self.ask(tool, **arguments)
        assert failed, text
        return text


@pytest.fixture
def talk():
    one = Talk()
    yield one
    one.tools.close()


def test_the_tools_explain_themselves(talk):
    async def listing():
        async with Client(talk._server) as client:
            return client.instructions, (await client.list_tools()).tools

    instructions, tools = run_apart(listing)
    assert {tool.name for tool in tools} == TOOLS
    assert all(name in instructions for name in ("list_games", "start_game", "act"))
    for tool in tools:
        assert "\n        " not in tool.description  # the indentation of the source
        for argument in tool.input_schema["properties"]:
            assert argument in tool.description, f"{tool.name} does not say what {argument} is"


def test_all_bots_are_closed_even_if_one_of_them_fails(monkeypatch):
    tools, closed = Tools(), []

    def close(bot: NamedBot) -> None:
        closed.append(bot)
        raise OSError

    monkeypatch.setattr(NamedBot, "close", close)
    for _ in range(2):
        tools.start_game("orchard", 2, bots="random")
    with pytest.raises(OSError):  # noqa: PT011 - the one above
        tools.close()
    assert len(closed) == 2


def test_the_tools_list_games_and_rules(talk):
    text = talk("list_games")
    for meta in all_games():
        assert f"{meta.name}: {meta.title}" in text
        assert meta.about in text
        assert talk("read_rules", game=meta.name) == almunia.game(meta.name).file("RULES.md").read_text("utf-8")
    assert "memory" in text
    assert talk.refuses("read_rules", game="chess").startswith("There is no game called 'chess'. There are:")


@pytest.mark.parametrize("name", game_packages())
def test_a_whole_game_is_played(talk, name):
    lot, low = Random(1), max(2, almunia.game(name).meta.seats[0])
    text = talk("start_game", game=name, seats=low, seat=2, bots="random", seed=5)
    assert text.startswith(f"The game is called {name}-1.\n")
    one = f"{name}-1"
    seated = talk.tools._games[one]
    for _ in range(5):
        assert seated.play.turn == 1
        action = lot.choice(seated.play.legal_actions)
        said = seated.play.action_to_string(action)
        assert said in talk("legal_actions", name=one)
        text = talk("act", name=one, action=said.upper())
    while not seated.play.over:
        seated.act(lot.choice(seated.play.legal_actions))
    text = talk("look", name=one)
    assert seated.play.outcome.reason in text
    assert "1. " in text
    assert talk("legal_actions", name=one) == "The game is over, so nothing can be done."
    assert "the game is over" in talk.refuses("act", name=one, action=said)
    record = almunia.Record.parse(talk("end_game", name=one))
    assert almunia.replay(record).outcome == seated.play.outcome
    assert (record.seed_known, record.seed) == (True, 5)
    assert talk.refuses("look", name=one) == f"No game is called {one!r}; none has been started. start_game begins one."


@pytest.mark.parametrize("name", game_packages())
def test_the_tools_do_not_reveal_hidden_information(talk, name):
    talk("start_game", game=name, seats=almunia.game(name).meta.seats[1], bots="random")
    one, lot = f"{name}-1", Random(2)
    seated = talk.tools._games[one]
    for _ in range(4):
        true = seated.play
        asks = [("look", {}), ("look", {"as_json": True}), ("legal_actions", {})]
        told = [talk.ask(tool, name=one, **more) for tool, more in asks]
        refused = talk.ask("act", name=one, action="nothing of the kind")
        for seed in range(2):
            seated.play = true.observe(0).determinize(seed)
            seated.play.actions = list(true.actions)
            assert [talk.ask(tool, name=one, **more) for tool, more in asks] == told
            assert talk.ask("act", name=one, action="nothing of the kind") == refused
        seated.play = true
        if true.over:
            break
        talk("act", name=one, action=true.action_to_string(lot.choice(true.legal_actions)))


def test_look_returns_text_or_json(talk):
    talk("start_game", game="oregon", seats=3, seat=3, bots="easy")
    seated = talk.tools._games["oregon-1"]
    seen = seated.play.observe(2)
    assert talk("look", name="oregon-1") == seen.describe()
    assert json.loads(talk("look", name="oregon-1", as_json=True)) == seen.to_dict()
    assert len(seated.bots) == 2


def test_the_tools_report_actions_of_bots(talk):
    text = talk("start_game", game="oregon", seats=2, seat=1, bots="random", seed=1)
    assert "seat 2 (random)" in text


def test_undo_goes_back_within_a_turn(talk):
    talk("start_game", game="caylus", seats=2, bots="random", seed=1)
    seated = talk.tools._games["caylus-1"]
    assert talk.refuses("undo", name="caylus-1").endswith(".")
    for _ in range(60):
        before, count = talk("look", name="caylus-1"), len(seated.play.actions)
        talk("act", name="caylus-1", action=seated.play.action_to_string(seated.play.legal_actions[0]))
        if seated.play.can_undo and len(seated.play.actions) == count + 1:
            assert talk("undo", name="caylus-1") == before
            return
    pytest.fail("No action could be undone.")


def test_start_game_without_opponents_works(talk):
    text = talk("start_game", game="orchard", options={"edition": "2018"})
    assert "as seat 1 of 1 sees it. It is your turn." in text
    assert talk.tools._games["orchard-1"].play.options["edition"] == "2018"
    assert not almunia.Record.parse(talk("end_game", name="orchard-1")).seed_known


def test_wrong_arguments_are_refused_in_a_sentence(talk):
    for arguments, sentence in (
        ({"game": "oregan"}, "There is no game called 'oregan'. There are: "),
        ({"game": "oregon", "seats": 7}, "Oregon takes 2 to 4 seats, not 7."),
        ({"game": "oregon", "seat": 3}, "There is no seat 3 here; seats are 1 to 2."),
        ({"game": "oregon", "seed": -4}, "A seed is a whole number"),
        ({"game": "oregon", "options": {"colour": "red"}}, "There is no option 'colour' here;"),
        (
            {"game": "oregon", "bots": "external:sh"},
            "There are no bots 'external:sh' here. There are: beginner, easy, medium, hard,",
        ),
    ):
        assert talk.refuses("start_game", **arguments).startswith(sentence)
    wrong = talk.refuses("start_game", game="oregon", seats="four")
    assert wrong == (
        "start_game got wrong arguments: seats: Input should be a valid integer, unable to parse string as an integer."
    )
    assert talk.refuses("look") == "look got wrong arguments: it needs 'name'."
    assert talk.refuses("fly") == "Unknown tool: fly"
    talk("start_game", game="oregon", bots="random", seed=1)
    assert talk.refuses("look", name="oregon-2").startswith("No game is called 'oregon-2'; there are oregon-1.")
    assert "'fly' is not possible here; nearest: " in talk.refuses("act", name="oregon-1", action="fly")


def test_running_games_are_limited(talk):
    for _ in range(MAX_GAMES):
        talk.tools.start_game("oregon", bots="random")
    assert talk.refuses("start_game", game="oregon").startswith(f"{MAX_GAMES} games are running, which is the maximum.")
    talk("end_game", name="oregon-1")
    assert "oregon-51" in talk("start_game", game="oregon", bots="random")


@pytest.mark.slow
def test_the_command_speaks_through_standard_input_and_output():
    async def call() -> str:
        command = StdioServerParameters(command=sys.executable, args=["-m", "almunia", "mcp"])
        async with Client(command) as client:
            return (await client.call_tool("list_games", {})).content[0].text

    assert "oregon: Oregon" in run_apart(call)


def test_a_missing_package_is_reported(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "almunia.cli.mcp_server")
    assert main(["mcp"]) == 2
    sentence = "almunia: This needs the package mcp, which is not installed: pip install 'almunia[mcp]'.\n"
    assert capsys.readouterr().err == sentence
