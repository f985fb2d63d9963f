"""`almunia mcp`, driven by the client of the official MCP SDK: a full game of each title."""

import sys
from pathlib import Path
from random import Random

import anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from almunia.catalog import all_games

COMMAND = StdioServerParameters(command=str(Path(sys.executable).with_name("almunia")), args=["mcp"])
LIMIT = 2000  # decisions of a game


class Talk:
    """A client that calls tools and fails on their errors."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        text = result.content[0].text
        assert not result.is_error, f"{tool}: {text}"
        return text


async def play(talk: Talk, game: str, seats: int) -> int:
    """Play a game at random to its end, by words alone. Return the number of decisions."""
    random, answer = Random(1), await talk("start_game", game=game, seats=seats, bots="easy", seed=3)
    name = answer.removeprefix("The game is called ").partition(".\n")[0]
    for decisions in range(LIMIT):
        legal = (await talk("legal_actions", name=name)).splitlines()
        if legal == ["The game is over, so nothing can be done."]:
            record = await talk("end_game", name=name)
            assert record.startswith("Almunia record"), record
            return decisions
        await talk("act", name=name, action=await choose(talk, name, random))
    raise AssertionError(f"{game} has not ended")


async def choose(talk: Talk, name: str, random: Random) -> str:
    """Return the words of a random legal action, from the JSON of the position."""
    import json

    legal = json.loads(await talk("look", name=name, as_json=True))["legal"]
    return str(random.choice(legal)["words"])


async def main() -> None:
    """Play every game with the fewest players, and with two."""
    async with Client(stdio_client(COMMAND)) as client:
        talk = Talk(client)
        assert len((await client.list_tools()).tools) > 5
        await talk("list_games")
        for meta in all_games():
            await talk("read_rules", game=meta.name)
            for seats in sorted({meta.seats[0], 2}):
                print(f"{meta.name}, {seats}: {await play(talk, meta.name, seats)} decisions", flush=True)


if __name__ == "__main__":
    anyio.run(main)
