"""The tables of a site as tools for a language model: it plays beside people, as the guest who made its token."""

from collections.abc import Sequence
from difflib import get_close_matches
from threading import Condition, Thread
from time import monotonic
from typing import Any

from ..client import Client, Course, Legal, Position, Table
from ..core.words import count_of, listed
from ..errors import AlmuniaError, SetupError
from .mcp_server import read_rules

INSTRUCTIONS = """\
Tables of a site where you play board games with people and bots. list_games says what there is, and read_rules has the
rules. open_table, join_table or sit_down brings you to a table; my_tables lists those where you sit. All other tools
take a table's id. Choose with act, in the words of legal_actions. When it is somebody else's turn, wait says how
things stand once it is yours again."""

SECONDS, MOST_SECONDS = 60, 600  # of waiting
LOOK = 15.0  # seconds after which a table is looked at even if the stream has told nothing
RECENT = 20  # lines of the log that are told when a table is first looked at


class TableTools:
    """The tools. A method's docstring is what the model reads about it.

    A thread listens to the site, so others see the model as being at its tables.
    """

    def __init__(self, client: Client) -> None:
        self._client, self._news = client, Condition()
        self._read: dict[str, list[str]] = {}  # what has been told of each table's log
        Thread(target=self._listen, daemon=True).start()

    @property
    def tools(self) -> list[Any]:
        """All of them."""
        coming = [self.open_table, self.join_table, self.lobby, self.sit_down, self.my_tables, self.leave_table]
        playing = [self.look, self.legal_actions, self.act, self.wait, self.undo]
        return [self.list_games, self.read_rules, *coming, *playing]

    def list_games(self) -> str:
        """All games of the site: the name by which tools take one, title, number of players, and what it is about."""
        lines = []
        for one in self._client.games():
            low, high = one["seats"]
            lines.append(f"{one['game']}: {one['title']}, {low} to {high} players. {one['about']}")
        return "\n".join(lines)

    def read_rules(self, game: str) -> str:
        """The rules of a game, whole.

        Args:
            game: a name from list_games.
        """
        return read_rules(game)

    # --- coming and going -----------------------------------------------------------------------

    def open_table(self, game: str, seats: list[str], options: dict[str, str] | None = None) -> str:
        """Open a table. Answers with its id, who sits there, and the links to open seats, to be given to others.

        Args:
            game: a name from list_games.
            seats: who sits where, in their order: me once, and else open, or a bot: easy, medium, hard or expert.
            options: the game's options by name.
        """
        return seated(self._client.open(game, seats, options=options or {}))

    def join_table(self, invitation: str) -> str:
        """Sit down at a table by the link to one of its open seats.

        Args:
            invitation: the link.
        """
        return seated(self._client.join(invitation))

    def lobby(self) -> str:
        """The tables at which anybody may sit down, one a line, with the handles that sit_down takes."""
        lines = [
            f"{one.handle}: {one.title}, with {listed(one.players)}; {count_of(one.free, 'free seat')}"
            for one in self._client.open_tables()
            if not one.mine
        ]
        return "\n".join(lines) or "No table is open to everybody."

    def sit_down(self, handle: str) -> str:
        """Sit down at a table of the lobby.

        Args:
            handle: of the table, from lobby.
        """
        return seated(self._client.sit(handle))

    def my_tables(self) -> str:
        """The tables where you sit, one a line: those that wait for you first, the finished ones last."""
        lines = []
        for one in self._client.tables():
            stands = "finished" if one.finished else "your turn" if one.your_turn else "somebody else's turn"
            lines.append(f"{one.table}: {one.title}, with {listed(one.others) or 'nobody'}; {stands}")
        return "\n".join(lines) or "You have no games yet."

    def leave_table(self, table: str, bot: str = "medium") -> str:
        """Let a bot play for you from now on. While the table waits for players, your seat is free again.

        Args:
            table: its id.
            bot: how well it plays: easy, medium, hard or expert.
        """
        return seated(self._client.leave(table, bot))

    # --- playing --------------------------------------------------------------------------------

    def look(self, table: str) -> str:
        """What has happened at a table since you last looked, and what your seat sees.

        Args:
            table: its id.
        """
        text = self._client.position(table, ("text",)).text or ""
        log, before = self._client.log(table), self._read.get(table)
        self._read[table] = log
        return "\n\n".join(part for part in ("\n".join(fresh(log, before)), text) if part)

    def legal_actions(self, table: str) -> str:
        """The actions you may choose now, one a line, in the words that act takes, some with their effect.

        Args:
            table: its id.
        """
        position = self._client.position(table, ("legal",))
        lines = [one.words + (f" ({one.effect})" if one.effect else "") for one in choices(position)]
        return "\n".join(lines) or "Nothing can be chosen: the game is over, or it is somebody else's turn."

    def act(self, table: str, action: str) -> str:
        """Do an action. Answers with what happened and what you see; if others are to move, wait for them with wait.

        Args:
            table: its id.
            action: the words of a legal action, without its effect in brackets.
        """
        position = self._client.position(table, ("legal",))
        self._client.act(position, chosen(position, action))
        return self.look(table)

    def wait(self, table: str, seconds: int = SECONDS) -> str:
        """Wait until it is your turn or the game is over. Answers with what happened and what you see.

        Args:
            table: its id.
            seconds: how long to wait at most, up to 600; wait again if that was not enough.
        """
        if not 0 <= seconds <= MOST_SECONDS:
            raise SetupError(f"One waits for 0 to {MOST_SECONDS} seconds, not {seconds}.")
        until = monotonic() + seconds
        with self._news:
            while not due(self._client.table(table)) and (left := until - monotonic()) > 0:
                self._news.wait(min(left, LOOK))
        return self.look(table)

    def undo(self, table: str) -> str:
        """Undo your last action, unless it ended your turn or brought something new to light.

        Args:
            table: its id.
        """
        self._client.undo(self._client.position(table, ("legal",)))
        return self.look(table)

    def close(self) -> None:
        """Leave the site; the seats stay."""
        self._client.close()

    def _listen(self) -> None:
        """Be told of all that happens. Once no stream can be had any more, `wait` looks by the clock alone."""
        try:
            for _ in self._client.events():
                with self._news:
                    self._news.notify_all()
        except (AlmuniaError, RuntimeError):  # the latter from the library, once the client has been closed
            return


def seated(table: Table) -> str:
    """A table, and who sits there."""
    lines = [f"The table's id is {table.table}."]
    for one in table.seats:
        who = "you" if one.mine else f"{one.name} ({one.kind})" if one.kind != "open" else "open"
        link = f", by the link {one.invitation}" if one.invitation else ""
        lines.append(f"Seat {one.seat}: {who}{link}")
    return "\n".join(lines)


def due(table: Table) -> bool:
    """Is there something to do at a table, or nothing ever again?"""
    return table.your_turn or table.finished


def fresh(log: Sequence[str], before: Sequence[str] | None) -> list[str]:
    """The lines of a log that have not been told, and how many of those told are not true any more."""
    if before is None:
        return list(log[-RECENT:])
    common = 0
    while common < min(len(log), len(before)) and log[common] == before[common]:
        common += 1
    gone = len(before) - common
    return [f"(The last {count_of(gone, 'line')} told before: undone.)"] * (gone > 0) + list(log[common:])


def choices(position: Position) -> list[Legal | Course]:
    """All that can be chosen: actions, and several of them at once."""
    return [*position.legal, *position.courses]


def chosen(position: Position, words: str) -> Legal | Course:
    """The choice that these words name; SetupError lists the nearest if there is none."""
    if position.finished or not position.your_turn:
        reason = "The game is over" if position.finished else "It is somebody else's turn"
        raise SetupError(f"{reason}, so nothing can be chosen here.")
    spoken = {plain(one.words): one for one in reversed(choices(position))}
    if plain(words) not in spoken:
        near = get_close_matches(plain(words), spoken, 3, 0.0)
        raise SetupError(f"{words!r} is not possible here; nearest: {'; '.join(near)}.")
    return spoken[plain(words)]


def plain(words: str) -> str:
    """Words without what does not matter in them."""
    return " ".join(words.lower().split())
