"""The client for programs that play at the tables of a site."""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar, Unpack

import httpx2

from ..errors import SetupError
from . import protocol
from .models import Analysis, Opening, OpenTable, Position, Table, TableChange, TableSummary
from .protocol import Answer, Ask, Choose, Event, Flow, Pause

T = TypeVar("T")
Chooser = Callable[[Position], Any]


class Client:
    """A client that plays at the tables of a site, as the guest who made the token.

    Close the client when you are done, or use it in a `with` statement. All methods that send requests may raise
    Refused and Lost.

    Args:
        address: the address of the site.
        token: the token of the guest.
        retry_seconds: seconds for retries. All methods retry after a refusal for the rate limit. If the site does not
            answer, methods that are safe to repeat retry, too: `act`, `undo`, `join`, `sit` and all methods that only
            read. The other methods raise Lost at once.
        timeout: seconds to wait for a connection, or for the next data of an answer. The stream of events has a
            fixed timeout of 45 seconds.

    Raises:
        SetupError: an invalid address or token.
    """

    def __init__(self, address: str, token: str, *, retry_seconds: float = 300.0, timeout: float = 30.0) -> None:
        self._retry_seconds = retry_seconds
        self._http = httpx2.Client(**http_settings(address, token, timeout))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    # --- tables -------------------------------------------------------------------------

    def games(self) -> list[dict[str, Any]]:
        """Return a dictionary for each game of the site, with its options."""
        return self._run(protocol.get(f"{protocol.API}/games", self._retry_seconds, "games"))

    def game(self, name: str) -> dict[str, Any]:
        """Return a game by name, with its options, actions and the layout of its tensor."""
        return self._run(protocol.get(protocol.resource_path("games", name), self._retry_seconds))

    def profile(self) -> dict[str, Any]:
        """Return your ratings and results."""
        return self._run(protocol.get(f"{protocol.API}/profile", self._retry_seconds))

    def leaderboard(self, game: str, page: int = 1) -> dict[str, Any]:
        """Return a page of a game's leaderboard. A leaderboard has only accounts that have opted in."""
        path = protocol.resource_path("leaderboards", game)
        return self._run(protocol.get(path, self._retry_seconds, query={"page": page}))

    def daily(self) -> dict[str, Any]:
        """Return the current daily deals, with the results that you may see."""
        return self._run(protocol.get(f"{protocol.API}/daily", self._retry_seconds))

    def puzzle(self, puzzle: str = "daily") -> dict[str, Any]:
        """Return a puzzle by its id, or the puzzle of the day: its position and the legal actions."""
        return self._run(protocol.get(protocol.resource_path("puzzles", puzzle), self._retry_seconds))

    def answer_puzzle(self, puzzle: str, action: int) -> dict[str, Any]:
        """Answer a puzzle, and return whether that is right, and the chances of the best actions."""
        path = protocol.resource_path("puzzles", puzzle, "/answer")
        return self._run(protocol.send(protocol.Ask("POST", path, {"action": action}), self._retry_seconds))

    def tables(self) -> list[TableSummary]:
        """Return your tables: tables that wait for you first, then other running tables, then finished tables."""
        return self._run(protocol.tables(self._retry_seconds))

    def open(self, game: str, seats: Sequence[str] = ("me", "medium"), **settings: Unpack[Opening]) -> Table:
        """Open a table and return it.

        Args:
            game: the name of the game, as in `games`.
            seats: for each seat: `me` (once), `open`, or the level of a bot.
            settings: any of the following arguments.
            options: the game's options, as `games` lists them.
            seed: the seed of the deal; a table with a seed does not count for ratings.
            clock: a time control such as `live-5` or `slow-24`; default: none.
            zero: the consequence when a player's time is up: `claim` (the default), `bot` or `nothing`.
            absence_timeout: seconds that others wait for an absent player; default: a day; 0: for ever.
            offered: whether the lobby lists the table's open seats.
            rated: whether the table counts for ratings.
            ready_check: whether the deal waits until all people are ready.

        Raises:
            TypeError: a setting that does not exist.
        """
        ask = protocol.open_request(game, seats, settings)
        return self._run(protocol.request_table(ask, self._retry_seconds))

    def join(self, invitation: str, name: str | None = None) -> Table:
        """Sit down at the table of an invitation link, and return the table.

        `name` is your name at this table; by default, your name when the token was made.
        """
        ask = Ask("POST", f"{protocol.API}/tables/join", {"invitation": invitation, "name": name})
        return self._run(protocol.request_table(ask, self._retry_seconds, idempotent=True))

    def table(self, table: str) -> Table:
        """Return a table and its seats."""
        ask = Ask("GET", protocol.resource_path("tables", table))
        return self._run(protocol.request_table(ask, self._retry_seconds, idempotent=True))

    def leave(self, table: str, bot: str = "medium", seat: int | None = None) -> Table:
        """Let a bot play for you until you come back, and return the table.

        If the table still waits for players, your seat becomes free. `bot` is the bot's level. `seat` is your seat, if
        you have several.
        """
        return self._run(protocol.change(table, "leave", self._retry_seconds, bot=bot, seat=seat))

    def come_back(self, table: str, seat: int | None = None) -> Table:
        """Take your seat back from the bot, and return the table. `seat` is your seat, if you have several."""
        return self._run(protocol.change(table, "return", self._retry_seconds, seat=seat))

    def resign(self, table: str, seat: int | None = None) -> Table:
        """Resign for good, and return the table. `seat` is your seat, if you have several."""
        return self._run(protocol.change(table, "resign", self._retry_seconds, seat=seat))

    def ready(self, table: str, seat: int | None = None) -> Table:
        """Say that you are ready, at a table with a ready check. `seat` is your seat, if you have several."""
        return self._run(protocol.change(table, "ready", self._retry_seconds, seat=seat))

    def abort(self, table: str, seat: int | None = None) -> Table:
        """End a game without a result, until every player has moved. `seat` is your seat, if you have several."""
        return self._run(protocol.change(table, "abort", self._retry_seconds, seat=seat))

    def open_tables(self) -> list[OpenTable]:
        """Return the tables in the lobby with free seats."""
        return self._run(protocol.open_tables(self._retry_seconds))

    def sit(self, handle: str) -> Table:
        """Sit down at an open table, and return the table."""
        ask = Ask("POST", protocol.resource_path("open-tables", handle, "/join"), {})
        return self._run(protocol.request_table(ask, self._retry_seconds, idempotent=True))

    def ask(self, table: str, what: str, seat: int | None = None) -> Table:
        """Ask the other players to `end` the game, or to go `back` to before your last choice. Return the table.

        `seat` is your seat, if you have several.
        """
        return self._run(protocol.change(table, "propose", self._retry_seconds, what=what, seat=seat))

    def answer(self, table: str, *, agree: bool, seat: int | None = None) -> Table:
        """Agree to a proposal (`table(id).asked`) or decline the proposal, and return the table.

        `seat` is your seat, if you have several.
        """
        return self._run(protocol.change(table, "answer-proposal", self._retry_seconds, agree=agree, seat=seat))

    def claim(self, table: str, seat: int, bot: str = "medium") -> Table:
        """Replace a player who has been away for too long, or is out of time, by a bot. Return the table."""
        return self._run(protocol.change(table, "claim", self._retry_seconds, seat=seat, bot=bot))

    # --- playing ------------------------------------------------------------------------

    def position(self, table: str, include: Iterable[str] = protocol.DEFAULT_PARTS, view: str = "seat") -> Position:
        """Return the position in the view of your seat, or of a `spectator`.

        `include` names parts of the position: some of `data`, `legal`, `text` and `tensor`.
        """
        return self._run(protocol.position(table, include, view, self._retry_seconds))

    def act(self, position: Position, chosen: Any) -> Position:
        """Choose an action in a position, and return the position after the action.

        If the answer is lost, the client sends the action again. The site applies the action only once.

        Args:
            position: the position in which you choose.
            chosen: a code, several codes, or one of the position's `legal` actions or `courses`.

        Raises:
            TypeError: `chosen` is something else.
            Stale: the game had moved on, and the action had no effect.
            Refused: the site does not allow the action.
            Lost: the site has not answered for `retry_seconds` seconds.
        """
        return self._run(protocol.act(position, "/move", {"actions": protocol.codes(chosen)}, self._retry_seconds))

    def undo(self, position: Position, *, turn: bool = False) -> Position:
        """Undo the last choice, or the whole turn, and return the position.

        Raise Stale, Refused or Lost, as `act` does.
        """
        return self._run(protocol.act(position, "/undo", {"turn": turn}, self._retry_seconds))

    def log(self, table: str) -> list[str]:
        """Return the lines of the log that your seat may read, without undone actions."""
        return self._run(protocol.log(table, self._retry_seconds))

    def record(self, table: str) -> str:
        """Return the record of a finished game, as text."""
        return self._run(protocol.get(protocol.resource_path("tables", table, "/record"), self._retry_seconds, "text"))

    def analysis(self, table: str, *, request: bool = True) -> Analysis:
        """Return the analysis of a finished game, or how far it has come; with `request`, ask for a missing one."""
        return self._run(protocol.analysis(table, self._retry_seconds, request=request))

    # --- events -------------------------------------------------------------------------

    def events(self) -> Iterator[TableChange]:
        """Yield the state of each of your tables, and then every change that your seats can see.

        After a reconnection all tables are reported again. While you listen, you count as present at all your tables.

        Raises:
            Refused: the token was revoked, or used for another stream.
            Lost: no stream could be opened for `retry_seconds` seconds.
        """
        for event in self._listen():
            if event.name == "position":
                yield TableChange.read(json.loads(event.data))

    def play(
        self, choose: Chooser, table: str | None = None, include: Iterable[str] = protocol.DEFAULT_PARTS
    ) -> Position:
        """Choose with `choose(position)` whenever it is your turn, at one table or at all your tables.

        Args:
            choose: returns a choice, as `act` takes it.
            table: the id of the table; by default all your tables, without end.
            include: the parts of the positions, as `position` takes them.

        Returns:
            The last position of the table: when the game is over, or you no longer have a seat there.

        Raises:
            TypeError: a choice that `act` does not take.
            Refused: the site does not allow a choice or the stream.
            Lost: the site has not answered for `retry_seconds` seconds.
        """
        for event in self._listen():
            table_to_read = protocol.table_to_read(event, table)
            if table_to_read:
                position = self._run(
                    protocol.play_turn(table_to_read, protocol.parts(include), self._retry_seconds), choose
                )
                if protocol.is_done(position, table):
                    return position
        raise AssertionError("The stream of events never ends.")

    # --- implementation -----------------------------------------------------------------

    def _listen(self) -> Iterator[Event]:
        listener = protocol.EventListener(self._retry_seconds)
        while True:
            try:
                with self._http.stream("GET", protocol.EVENTS, timeout=protocol.STREAM_TIMEOUT_SECONDS) as answer:
                    if answer.status_code != protocol.OK:
                        answer.read()
                        listener.reject(read_answer(answer))
                    for line in answer.iter_lines():
                        if event := listener.feed(line):
                            yield event
            except httpx2.TransportError:
                pass
            time.sleep(listener.pause())

    def _run(self, flow: Flow[T], choose: Chooser | None = None) -> T:
        answer, step = Answer(), next(flow)
        while True:
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, Choose):
                assert choose  # of `play`, the only caller whose flow chooses
                answer = Answer(chosen=protocol.codes(choose(step.position)))
            else:
                answer = self._ask(step)
            try:
                step = flow.send(answer)
            except StopIteration as end:
                return end.value

    def _ask(self, ask: Ask) -> Answer:
        try:
            return read_answer(self._http.request(ask.method, ask.path, json=ask.body, params=ask.query))
        except httpx2.TransportError as error:
            return Answer(why=str(error))


# --- shared with AsyncClient -------------------------------------------------------------------------


def http_settings(address: str, token: str, timeout: float) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {checked_token(token)}", "User-Agent": "almunia.client"}
    return {"base_url": checked_address(address), "headers": headers, "timeout": timeout}


def checked_address(address: str) -> str:
    """Return the address of a site without the path of its API. Raise SetupError if the address is invalid."""
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise SetupError(
            f"{address!r} is not the address of a site, such as http://localhost:8000 or https://example.org."
        )
    return address.rstrip("/").removesuffix(protocol.API)


def checked_token(token: str) -> str:
    """Return a token without surrounding blanks. Raise SetupError, without the token, if the token is invalid."""
    text = (token or "").strip()
    if not re.fullmatch(r"[\w-]+", text, re.ASCII):
        raise SetupError("This is not a token: it is empty, or has characters that no token has. Copy the token again.")
    return text


def read_answer(answer: httpx2.Response) -> Answer:
    """Return an HTTP response as an Answer. For a redirect, the data is an error with the new address."""
    try:
        data = answer.json()
    except ValueError:
        data = None
    if answer.has_redirect_location:
        data = {"error": f"The site has moved to {answer.headers['location']}. Use that address."}
    return Answer(answer.status_code, data, retry_after(answer.headers))


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds of the header `Retry-After`; 0 if the header is missing or is not a number."""
    value = headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else 0.0
