"""Two sites whose tables differ only in information that is hidden from one viewer."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from almunia.core.loaded import LoadedGame
from almunia.engine import state_dtype
from almunia.play.play import Play
from almunia.server.lobby.repository import Listing
from almunia.server.settings import SECRET_FILE
from almunia.server.tables.clocks import CORRESPONDENCE, DAY, REALTIME, UNTIMED, TimeControl
from almunia.server.tables.model import PERSON, Seat
from almunia.server.tables.moves import FINAL, MoveOptions, apply_actions
from almunia.server.tables.state import TableState
from almunia.server.tables.viewer_history import Hint

from ..clock import ManualClock
from ..waiting import wait_until
from .target import Target
from .wire import Answer, Request, ask

SEEDS = 10**15  # the first seed of the tables; no page shows a number as large
# The preferences of people who answer only real questions.
SKIPPING = MoveOptions(FINAL, confirmed=True, auto_answer=True)
TRIES = 6  # for one action that looks like another action to a viewer
PACES = (UNTIMED, TimeControl(REALTIME, 900, 20), TimeControl(CORRESPONDENCE, DAY))  # of the tables, in turn


class Case(NamedTuple):
    """A table at both sites, and the seat of its viewer."""

    viewer: int
    table: str
    targets: tuple[Target, Target]

    def states(self) -> tuple[TableState, TableState]:
        """Return the state of the table at each site."""
        first, second = (target.site.tables.get(self.table) for target in self.targets)
        return first, second

    def answers(self, request: Request) -> tuple[Answer, Answer]:
        """Return the responses of both sites to a request, without their dates."""
        first, second = (ask(target.port, request) for target in self.targets)
        for answer in (first, second):
            answer.headers.pop("date", None)
        return first, second

    def act(self, rng: Random) -> bool:
        """Play actions at both sites that look alike to the viewer.

        Return False if there are none that keep the game going.
        """
        mine, other = self.states()
        seat = mine.play.turn
        if other.play.turn != seat:
            return False
        for action in sample(rng, mine.play.legal_actions):
            alike = self.alike(mine.play, action, other.play, rng)
            if alike is not None:
                for target, now, chosen in zip(self.targets, (mine, other), (action, alike), strict=True):
                    target.site.tables.move(self.table, seat, chosen, now.history(seat).version, (), SKIPPING)
                return True
        return False

    def hint(self) -> None:
        """Give a hint to the seat to move at one of the sites, unless the viewer has that seat."""
        now = self.states()[0]
        seat = now.play.turn
        if seat != self.viewer:
            given = Hint(now.play.legal_actions[0], "Expert: the first one.")
            self.targets[0].site.tables.record_hint(self.table, seat, now.history(seat).version, given)

    def alike(self, play: Play, action: int, other: Play, rng: Random) -> int | None:
        """Return an action in `other` that looks to the viewer like `action` in `play`; None if there is none."""
        then = after(play, action)
        known = play.game.may_see(play.state, self.viewer)
        for guess in (action, *(() if known else sample(rng, other.legal_actions))):
            if guess in other.legal_actions and not then.over:
                seen = after(other, guess).observe(self.viewer).to_state()
                if seen == then.observe(self.viewer).to_state():
                    return guess
        return None


class Worlds:
    """Makes cases. It sets the position in which each play begins."""

    def __init__(self, targets: tuple[Target, Target], seeds: list[int], patch: pytest.MonkeyPatch) -> None:
        self.targets, self._seeds = targets, seeds
        self._beginnings: dict[int, Play] = {}
        self._number = 0
        start = Play.start

        def started(game: LoadedGame, seats: int, seed: int, options: dict[str, str]) -> Play:
            found = self._beginnings.get(seed)
            return (
                Play(game, state_dtype.copy_states(found.array), seed, options)
                if found
                else start(game, seats, seed, options)
            )

        patch.setattr(Play, "start", started)

    def case(self, viewer: int, plays: tuple[Play, Play]) -> Case:
        """Create a table at each site that begins with these plays."""
        self._number += 1
        for target in self.targets:
            wait_until_left(target)
        names = set()
        pace = PACES[self._number % len(PACES)]
        seats = tuple(Seat(PERSON, guest_in(seat), f"Guest {seat}") for seat in range(plays[0].seats))
        for target, play in zip(self.targets, plays, strict=True):
            seed = SEEDS + len(self._beginnings)
            self._beginnings[seed] = play
            self._seeds.append(seed)
            given = play.game.name, seats, guest_in(0), plays[0].options
            name = target.site.tables.create(*given, hints=True, time_control=pace).id
            names.add(name)
            target.site.lobby.listings.save(Listing(name, watched=True, open_chat=bool(self._number % 2)))
            for seat in range(plays[0].seats):
                target.site.chat._write(name, guest_in(seat), f"Guest {seat}", "Hello")
        (name,) = names
        return Case(viewer, name, self.targets)


def wait_until_left(target: Target) -> None:
    """Wait until no stream is open, because a stream that ends late would also count at the next table."""
    wait_until(lambda: not target.site.presence.streams, "all streams are closed")


def guest_in(seat: int) -> str:
    """Return the guest in a seat of every table. A spectator is the guest of no seat."""
    return f"guest{seat}"


def sample(rng: Random, legal: tuple[int, ...]) -> list[int]:
    return rng.sample(legal, min(TRIES, len(legal)))


def after(play: Play, action: int) -> Play:
    """Return a play after one action and its automatic answers."""
    then = play.copy()
    apply_actions(then, (action,), SKIPPING)
    return then


@contextmanager
def two_worlds(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Worlds]:
    """Serve two sites with the same key and clock, and yield an object that makes cases."""
    folders = (folder / "one", folder / "other")
    for place in folders:
        place.mkdir()
        (place / SECRET_FILE).write_text("a key that both of these sites have")
    seeds: list[int] = []  # of the next tables
    clock = ManualClock(0.0)
    one, other = (Target(place, seeds.pop, clock, tokens=map("token-{}".format, count()).__next__) for place in folders)
    clock.set(1_000_000.0)  # long after both sites started
    with one.served(), other.served():
        yield Worlds((one, other), seeds, patch)
