"""Tables of a site as tools for a language model, which plays with people as the guest who made its token."""

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile
from threading import Condition, Thread
from time import monotonic
from typing import Any

from ..client import ActionSequence, Client, Legal, Position, Table
from ..core.english import join_words, pluralize
from ..errors import AlmuniaError, SetupError
from ..play.play import fold_case
from .mcp_server import read_rules

INSTRUCTIONS = """\
Tables of a site where you play board games with people and bots. list_games lists the games, and read_rules returns the
rules of one. Sit down with open_table, join_table or sit_down; my_tables lists your tables. All other tools take a
table's id. Choose with act, in the words of legal_actions. When it is another player's turn, wait returns once it is
yours again."""

WAIT_SECONDS, MAX_WAIT_SECONDS = 60, 600  # default and limit of the tool `wait`
POLL_SECONDS = 15.0  # between two reads of a table in `wait`, in case the stream is down
RECENT_LINES = 20  # log lines that the first `look` at a table returns


class TableTools:
    """The tools for the tables of a site. The model reads the docstrings of the methods.

    A thread listens to the site's events, so that other players see the model as present at its tables.
    """

    def __init__(self, client: Client) -> None:
        self._client, self._changed = client, Condition()
        self._logs: dict[str, list[str]] = {}  # the log lines that the model has read, by table
        Thread(target=self._listen, daemon=True).start()

    @property
    def tools(self) -> list[Any]:
        seating = [self.open_table, self.join_table, self.lobby, self.sit_down, self.my_tables, self.leave_table]
        playing = [self.look, self.legal_actions, self.act, self.wait, self.undo]
        return [self.list_games, self.read_rules, *seating, *playing]

    def list_games(self) -> str:
        """List all games of the site: name (as tools take it), title, number of players and summary."""
        lines = []
        for one in self._client.games():
            low, high = one["seats"]
            lines.append(f"{one['game']}: {one['title']}, {low} to {high} players. {one['about']}")
        return "\n".join(lines)

    def read_rules(self, game: str) -> str:
        """Return the full rules of a game.

        Args:
            game: a name from list_games.
        """
        return read_rules(game)

    # --- taking and leaving seats -----------------------------------------------------------------------

    def open_table(self, game: str, seats: list[str], options: dict[str, str] | None = None) -> str:
        """Open a table. Returns the table's id, its players, and the links to open seats, which you can share.

        Args:
            game: a name from list_games.
            seats: for each seat in order: me (once), open, or a bot: beginner, easy, medium, hard or expert.
            options: the game's options by name.
        """
        return describe_table(self._client.open(game, seats, options=options or {}))

    def join_table(self, invitation: str) -> str:
        """Sit down at a table by the link to an open seat. Returns the table's id and its players.

        Args:
            invitation: the link.
        """
        return describe_table(self._client.join(invitation))

    def lobby(self) -> str:
        """List the tables with free seats, except yours, one per line, with the handles that sit_down takes."""
        lines = [
            f"{one.handle}: {one.title}, with {join_words(one.players)}; {pluralize(one.free, 'free seat')}"
            for one in self._client.open_tables()
            if not one.mine
        ]
        return "\n".join(lines) or "No table has a free seat."

    def sit_down(self, handle: str) -> str:
        """Sit down at a table of the lobby. Returns the table's id and its players.

        Args:
            handle: the table's handle, from lobby.
        """
        return describe_table(self._client.sit(handle))

    def my_tables(self) -> str:
        """List your tables, one per line: tables that wait for you first, finished tables last."""
        lines = []
        for one in self._client.tables():
            status = "finished" if one.finished else "your turn" if one.your_turn else "another player's turn"
            lines.append(f"{one.table}: {one.title}, with {join_words(one.others) or 'no one'}; {status}")
        return "\n".join(lines) or "You have no games yet."

    def leave_table(self, table: str, bot: str = "medium") -> str:
        """Let a bot play for you from now on. If the table still waits for players, your seat becomes free.

        Args:
            table: the table's id.
            bot: the level of the bot: beginner, easy, medium, hard or expert.
        """
        return describe_table(self._client.leave(table, bot))

    # --- playing --------------------------------------------------------------------------------

    def look(self, table: str) -> str:
        """Return the log of a table since you last looked, and the position as your seat sees it.

        The first time, only the last lines of the log are returned.

        Args:
            table: the table's id.
        """
        text = self._client.position(table, ("text",)).text or ""
        log, old_log = self._client.log(table), self._logs.get(table)
        self._logs[table] = log
        return "\n\n".join(part for part in ("\n".join(new_lines(log, old_log)), text) if part)

    def legal_actions(self, table: str) -> str:
        """List your legal actions, one per line, in the words that act takes, some with their effect.

        Args:
            table: the table's id.
        """
        position = self._client.position(table, ("legal",))
        lines = [one.words + (f" ({one.effect})" if one.effect else "") for one in choices(position)]
        return "\n".join(lines) or "You have no legal actions: the game is over, or it is another player's turn."

    def act(self, table: str, action: str) -> str:
        """Take an action. Returns the new log lines and the position; if another player is to move, call wait.

        Args:
            table: the table's id.
            action: the words of a legal action, without its effect in brackets.
        """
        position = self._client.position(table, ("legal",))
        self._client.act(position, find_choice(position, action))
        return self.look(table)

    def wait(self, table: str, seconds: int = WAIT_SECONDS) -> str:
        """Wait until it is your turn, the game is over, or the time is up. Returns the new log lines and the position.

        Args:
            table: the table's id.
            seconds: the maximum time to wait, up to 600; call wait again if it was too short.
        """
        if not 0 <= seconds <= MAX_WAIT_SECONDS:
            raise SetupError(f"Seconds must be from 0 to {MAX_WAIT_SECONDS}, not {seconds}.")
        deadline = monotonic() + seconds
        with self._changed:
            while not is_due(self._client.table(table)) and (remaining := deadline - monotonic()) > 0:
                self._changed.wait(min(remaining, POLL_SECONDS))
        return self.look(table)

    def undo(self, table: str) -> str:
        """Undo your last action, unless it ended your turn or revealed hidden information.

        Returns the new log lines and the position.

        Args:
            table: the table's id.
        """
        self._client.undo(self._client.position(table, ("legal",)))
        return self.look(table)

    def close(self) -> None:
        self._client.close()

    def _listen(self) -> None:
        """Wake up `wait` at every event."""
        try:
            for _ in self._client.events():
                with self._changed:
                    self._changed.notify_all()
        except (AlmuniaError, RuntimeError):  # httpx2 raises RuntimeError once the client is closed
            return


def describe_table(table: Table) -> str:
    lines = [f"The table's id is {table.table}."]
    for one in table.seats:
        who = "you" if one.mine else f"{one.name} ({one.kind})" if one.kind != "open" else "open"
        link = f", by the link {one.invitation}" if one.invitation else ""
        lines.append(f"Seat {one.seat}: {who}{link}")
    return "\n".join(lines)


def is_due(table: Table) -> bool:
    """Return whether it is the model's turn, or the game is over."""
    return table.your_turn or table.finished


def new_lines(log: Sequence[str], old_log: Sequence[str] | None) -> list[str]:
    """Return the log lines after those of `old_log`, preceded by a note if lines of `old_log` were undone.

    Without `old_log`, return the last RECENT_LINES lines.
    """
    if old_log is None:
        return list(log[-RECENT_LINES:])
    unchanged = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(log, old_log, strict=False))))
    undone = len(old_log) - unchanged
    return [f"(The last {pluralize(undone, 'line')} you have read: undone.)"] * (undone > 0) + list(log[unchanged:])


def choices(position: Position) -> list[Legal | ActionSequence]:
    return [*position.legal, *position.courses]


def find_choice(position: Position, words: str) -> Legal | ActionSequence:
    """Return the choice with these words.

    Raise SetupError if no choice has these words, the game is over, or another seat is to move.
    """
    if position.finished or not position.your_turn:
        reason = "The game is over" if position.finished else "It is another player's turn"
        raise SetupError(f"{reason}, so you have no legal actions.")
    choices_by_words = {fold_case(one.words): one for one in reversed(choices(position))}
    if fold_case(words) not in choices_by_words:
        near = get_close_matches(fold_case(words), choices_by_words, 3, 0.0)
        raise SetupError(f"{words!r} is not possible here; nearest: {'; '.join(near)}.")
    return choices_by_words[fold_case(words)]
