"""A program at the tables of a site."""

import json
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx2

from ..errors import SetupError
from . import protocol as wire
from .models import Mark, Opening, OpenTable, Position, Row, Table
from .protocol import Answer, Ask, Choose, Event, Pause, Step

T = TypeVar("T")
Chooser = Callable[[Position], Any]


def nobody(position: Position) -> Any:
    """What chooses outside of `play`, where nothing is chosen."""
    raise LookupError(f"Nothing is to be chosen at the table {position.table}.")


class Client:
    """Plays at the tables of a site, as the guest who made the token.

    `patience` is for how many seconds whatever can be tried again is tried while the site does not answer. Close the
    client when it is done, or use it in a `with`.
    """

    def __init__(self, address: str, token: str, *, patience: float = 300.0, timeout: float = 30.0) -> None:
        self._patience = patience
        self._http = httpx2.Client(**wire_settings(address, token, timeout))

    def __enter__(self) -> Self:
        """The client."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    # --- tables -------------------------------------------------------------------------

    def games(self) -> list[dict[str, Any]]:
        """All games of the site, with their options."""
        return list(self._run(wire.repeated(Ask("GET", f"{wire.API}/games"), self._patience))["games"])

    def game(self, name: str) -> dict[str, Any]:
        """A game, with its options, actions and the layout of its tensor."""
        return self._facts(wire.named("games", name))

    def profile(self) -> dict[str, Any]:
        """Your ratings and results."""
        return self._facts(f"{wire.API}/profile")

    def leaderboard(self, game: str, page: int = 1) -> dict[str, Any]:
        """Accounts that want to be on the leaderboard of a game, page by page."""
        return self._facts(wire.named("leaderboards", game), {"page": page})

    def daily(self) -> dict[str, Any]:
        """The daily deals that run."""
        return self._facts(f"{wire.API}/daily")

    def tables(self) -> list[Row]:
        """Your tables: those that wait for you first, then running ones, then finished ones."""
        return self._run(wire.tables(self._patience))

    def open(self, game: str, seats: Sequence[str] = ("me", "medium"), **chosen: Unpack[Opening]) -> Table:
        """Open a table.

        Args:
            game: its name, as in `games`.
            seats: who sits where: `me` once, else `open`, or the level of a bot.
            chosen: any of what follows.
            options: under which the game is played, as `games` lists them.
            seed: a deal of your own; such a table does not count for ratings.
            clock: a time control such as `live-5` or `slow-24`; none without.
            zero: what happens when time is up: `claim` (unless you say otherwise), `bot` or `nothing`.
            patience: seconds that others wait for somebody who is away, a day unless you say otherwise; 0 for ever.
            offered: does the lobby offer its open seats to everybody?
            rated: does it count for ratings?
        """
        ask = wire.opening(game, seats, chosen)
        return self._run(wire.seated(ask, self._patience))

    def join(self, invitation: str, name: str | None = None) -> Table:
        """Sit down by an invitation."""
        body = {"invitation": invitation, "name": name}
        return self._run(wire.seated(Ask("POST", f"{wire.API}/tables/join", body), self._patience, again=True))

    def table(self, table: str) -> Table:
        """A table, and who sits there."""
        return self._run(wire.seated(Ask("GET", wire.table_path(table)), self._patience, again=True))

    def leave(self, table: str, bot: str = "medium", seat: int | None = None) -> Table:
        """Let a bot play for you until you come back. While the table waits for players, your seat is free again."""
        return self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/leave"), {"bot": bot, "seat": seat}), self._patience)
        )

    def come_back(self, table: str, seat: int | None = None) -> Table:
        """Take your seat back."""
        return self._run(wire.seated(Ask("POST", wire.table_path(table, "/back"), {"seat": seat}), self._patience))

    def resign(self, table: str, seat: int | None = None) -> Table:
        """Give up for good."""
        return self._run(wire.seated(Ask("POST", wire.table_path(table, "/resign"), {"seat": seat}), self._patience))

    def open_tables(self) -> list[OpenTable]:
        """The tables in the lobby at which anybody may sit down."""
        return self._run(wire.open_tables(self._patience))

    def sit(self, handle: str) -> Table:
        """Sit down at one of them."""
        return self._run(wire.seated(wire.sitting(handle), self._patience, again=True))

    def ask(self, table: str, what: str, seat: int | None = None) -> Table:
        """Ask the others to `end` the game, or to go `back` to before your last choice."""
        return self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/ask"), {"what": what, "seat": seat}), self._patience)
        )

    def answer(self, table: str, *, agree: bool, seat: int | None = None) -> Table:
        """Agree to what was asked (`table(id).asked`), or decline it."""
        return self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/answer"), {"agree": agree, "seat": seat}), self._patience)
        )

    def claim(self, table: str, seat: int, bot: str = "medium") -> Table:
        """Let a bot play for somebody who has been away for too long, or whose time is up."""
        return self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/claim"), {"seat": seat, "bot": bot}), self._patience)
        )

    # --- playing ------------------------------------------------------------------------

    def position(self, table: str, include: Iterable[str] = wire.PARTS, view: str = "seat") -> Position:
        """What your seat sees, or a `spectator`: `data`, `legal`, `text` and `tensor`, as far as they are included."""
        return self._run(wire.position(table, include, view, self._patience))

    def act(self, position: Position, chosen: Any) -> Position:
        """Choose an action in a position: a code, one of its legal actions or courses, or several codes.

        Returns how the game stands then. If the answer is lost, the table is looked at before anything is sent again.

        Raises:
            Stale: the game had moved on, and nothing was done.
            Refused: the site does not take it.
            Lost: the site has not answered for as long as there was patience.
        """
        return self._run(wire.deed(position, "/act", {"actions": wire.codes(chosen)}, self._patience))

    def undo(self, position: Position, *, turn: bool = False) -> Position:
        """Take the last choice back, or the whole turn. Raises what `act` raises."""
        return self._run(wire.deed(position, "/undo", {"turn": turn}, self._patience))

    def log(self, table: str) -> list[str]:
        """The log as your seat may read it, line by line; what is undone goes from it."""
        return self._run(wire.log(table, self._patience))

    def record(self, table: str) -> str:
        """The record of a game that is over, as text."""
        return str(self._run(wire.repeated(Ask("GET", wire.table_path(table, "/record")), self._patience))["text"])

    # --- events -------------------------------------------------------------------------

    def events(self) -> Iterator[Mark]:
        """How all of your tables stand, and then wherever your seat could notice something.

        After each reconnection they are all told of again. Whoever listens counts as being at all these tables.
        Refused if the token was revoked, or another stream was opened with it.
        """
        for event in self._listen():
            if event.name == "position":
                yield Mark.read(json.loads(event.data))

    def play(self, choose: Chooser, table: str | None = None, include: Iterable[str] = wire.PARTS) -> Position:
        """Answer with `choose(position)` whenever it is your turn, until a table is over, or at all tables for ever.

        Returns the last position of that table: when it is over, or you have no seat there (any more).
        """
        for event in self._listen():
            due = wire.due(event, table)
            if due:
                then = self._run(wire.answered(due, wire.parts(include), self._patience), choose)
                if wire.is_done(then, table):
                    return then
        raise wire.Lost("The stream of events has ended.")

    # --- how it is done -----------------------------------------------------------------

    def _listen(self) -> Iterator[Event]:
        """The events of a stream, which is opened anew whenever it breaks off."""
        listening = wire.Listening(self._patience)
        while True:
            try:
                with self._http.stream("GET", wire.EVENTS, timeout=wire.SILENCE) as answer:
                    if answer.status_code != wire.OK:
                        answer.read()
                        listening.refused(read(answer))
                    for line in answer.iter_lines():
                        if event := listening.heard(line):
                            yield event
            except httpx2.TransportError:
                pass
            time.sleep(listening.pause())

    def _facts(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return dict(self._run(wire.repeated(Ask("GET", path, query=query), self._patience)))

    def _run(self, flow: Generator[Step, Answer, T], choose: Chooser = nobody) -> T:
        answer, step = Answer(), next(flow)
        while True:
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, Choose):
                answer = Answer(chosen=wire.codes(choose(step.position)))
            else:
                answer = self._ask(step)
            try:
                step = flow.send(answer)
            except StopIteration as end:
                value: T = end.value
                return value

    def _ask(self, ask: Ask) -> Answer:
        try:
            return read(self._http.request(ask.method, ask.path, json=ask.body, params=ask.query))
        except httpx2.TransportError as error:
            return Answer(why=str(error))


# --- what both clients do ----------------------------------------------------------------------------


def wire_settings(address: str, token: str, timeout: float) -> dict[str, Any]:
    """What a client of HTTP is made with; SetupError where no site could be meant."""
    headers = {"Authorization": f"Bearer {checked_token(token)}", "User-Agent": "almunia.client"}
    return {"base_url": checked_address(address), "headers": headers, "timeout": timeout}


def checked_address(address: str) -> str:
    """The address of a site; SetupError if it is none."""
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise SetupError(
            f"{address!r} is not the address of a site, such as http://localhost:8000 or https://example.org."
        )
    return address.rstrip("/").removesuffix(wire.API)


def checked_token(token: str) -> str:
    """A token without the blanks around it; SetupError, which does not show it, if it can be none."""
    found = (token or "").strip()
    if not re.fullmatch(r"[\w-]+", found, re.ASCII):
        raise SetupError("This is no token: it is empty, or has letters that no token has. Copy it once more.")
    return found


def read(answer: httpx2.Response) -> Answer:
    """An answer of a site."""
    try:
        data = answer.json()
    except ValueError:
        data = None
    if answer.has_redirect_location:
        data = {"error": f"The site is elsewhere: {answer.headers['location']}. Use that address."}
    return Answer(answer.status_code, data, waiting(answer.headers))


def waiting(headers: Mapping[str, str]) -> float:
    """For how many seconds the site wants one to wait."""
    said = headers.get("retry-after", "")
    return float(said) if said.isascii() and said.isdigit() else 0.0
