"""Two browsers, a program and a bot play a whole game at one table, while the site restarts."""

import re
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import httpx2
import pytest

from almunia.client import Client, Position
from almunia.server.app import create_app
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.tables.state import TableState

from ..programs import token_of
from ..serving import answering, free_port, read_table
from ..tiers import games
from ..waiting import TIMEOUT, wait_until

ACTS = 12  # of people before the site restarts
UNLIMITED = "1000000/minute"

pytestmark = pytest.mark.slow


class Browser(httpx2.Client):
    """A guest with cookies, who reads pages and sends forms."""

    def __init__(self, port: int, name: str, rng: Random) -> None:
        address = f"http://127.0.0.1:{port}"
        super().__init__(base_url=address, headers={"Origin": address}, timeout=TIMEOUT)
        self.name, self.rng, self.acts = name, rng, 0

    def act(self, table: str) -> None:
        """Choose a random action, if the page offers any."""
        seat, seen, actions = read_table(self.get(table).text)
        if actions:
            action = self.rng.choice(actions)
            form = {"action": action, "seat": seat, "seen": seen, "sure": action}
            assert self.post(f"{table}/move", data=form).status_code == 303
            self.acts += 1


class Running:
    """A site that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.port, self._stack = free_port(), ExitStack()
        self._settings = Settings(data=folder, compiled=False, posts=UNLIMITED)

    def start(self) -> Site:
        """Start the site, and return it."""
        app = create_app(self._settings)
        self._stack.enter_context(answering(app, self.port))
        site: Site = app.state.site
        return site

    def close(self) -> None:
        """Stop the site."""
        self._stack.close()


def chooser(rng: Random, made: list[int]) -> Callable[[Position], Any]:
    """Return a bot that chooses actions or sequences at random, and adds the `seen` of each choice to `made`."""

    def choose(position: Position) -> Any:
        made.append(position.seen)
        return rng.choice([*position.legal, *position.courses])

    return choose


@pytest.mark.parametrize("game", games())
def test_two_browsers_a_program_and_a_bot_play_a_whole_game(game, tmp_path):
    rng, made, ends = Random(7), [], []
    with ExitStack() as stack:
        running = stack.enter_context(closing(Running(tmp_path)))
        site = running.start()
        ana, bea = (stack.enter_context(Browser(running.port, name, rng)) for name in ("Ana", "Bea"))
        token, patience = token_of(site, "robot"), {"retry_seconds": TIMEOUT, "timeout": TIMEOUT}
        program = stack.enter_context(Client(f"http://127.0.0.1:{running.port}", token, **patience))
        ana.post("/preferences", data={"name": "Ana"})
        seats = {"seat-0": "me", "seat-1": "friend", "seat-2": "friend", "seat-3": "bot-easy"}
        table = ana.post(f"/games/{game}/tables", data=seats).headers["location"]
        links = re.findall(r'readonly value="([^"]+)"', ana.get(table).text)
        assert bea.post(links[0], data={"name": "Bea"}).status_code == 303
        name = program.join(links[1], "Robot").table
        player = Thread(target=lambda: ends.append(program.play(chooser(rng, made), name)), daemon=True)
        player.start()

        def due() -> TableState | None:
            now = site.tables.get(name)
            assert now.table.finished or player.is_alive(), "the program has given up"
            return now if now.table.finished or now.play.turn < 2 else None

        restarted = False
        while not (now := wait_until(due, "the program and the bot have moved")).table.finished:
            (ana, bea)[now.play.turn].act(table)  # the page of the seat to move; rendering takes most of the time
            if not restarted and ana.acts + bea.acts >= ACTS and made:
                running.close()
                site, restarted = running.start(), True
        assert all("finale" in browser.get(table).text for browser in (ana, bea))
        player.join(TIMEOUT)
        assert restarted
        assert not player.is_alive()
        assert ends[0].finished
        found = site.tables.get(name)
        assert [seat.name for seat in found.table.seats] == ["Ana", "Bea", "Robot", "Easy bot"]
        assert {entry.seat for entry in found.effective_moves} == {0, 1, 2, 3}
        assert len([entry for entry in found.effective_moves if entry.seat == 2 and not entry.same_choice]) == len(made)
        assert program.record(name).splitlines()[0] in ana.get(f"{table}/record").text
