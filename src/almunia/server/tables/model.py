"""What a table consists of: its seats, the events of its log, and the words that are stored for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ... import catalog
from ...core.contract import NONE
from ...core.options import fixes_deal
from ..clock import DAY

RUNNING, FINISHED = "running", "finished"
PERSON, BOT, OPEN = "person", "bot", "open"
ANYBODY = "A friend"  # what an open seat is called that is meant for nobody in particular
VANISHED = "gone-"  # begins the names by which tables know players who have had everything about them deleted

# Kinds of entries: of the play,
ACT, UNDO, HINT, PLAY_ON = "act", "undo", "hint", "play on"  # the last leaves a lesson
# of who sits where,
JOIN, RELIEVE, LEAVE, FAIL, STAND_IN, BACK, RESIGN = "join", "bot", "leave", "fail", "stand in", "back", "resign"
REMOVE = "remove"  # the host frees a seat before the game has begun
# of what needs the consent of all,
ASK, AGREE, DECLINE, REWIND = "ask", "agree", "decline", "rewind"
# and of the table and its clocks.
LOSE, END, HOST, VACATION, RETURN, NOTICE = "lose", "end", "host", "vacation", "return", "notice"
DEAL = "deal"  # everybody is here, and what has been to be seen was put aside for a new deal
OUTAGE = "outage"  # no clock ran for so many seconds, for nobody could reach the site
EXPECT, REFUSE = "expect", "refuse"  # an open seat is meant for somebody, who does not want it
PERSONAL = "personal"  # something about people was changed in what stands here already: it tells nothing

# How a game may end before its play is over:
RESIGNED, TIMED_OUT, AGREED, CLOSED, OUTDATED = "resigned", "time", "agreed", "closed", "rules"


class StaleError(Exception):
    """Somebody else has written to the table since it was read."""


@dataclass(frozen=True)
class Seat:
    """Who sits somewhere."""

    kind: str
    player: str  # a guest, a bot spec, or empty
    name: str
    asked: int = 0  # the seat to move, as far as this one can know
    noticed: float = 0.0  # when this seat could last notice anything
    stand_in: str = ""  # the bot that plays for this person meanwhile
    hours: str = ""  # when this person wants to play slow games, as `clocks.Hours` reads it
    here: float = 0.0  # when this person was last known to be at the table

    @property
    def bot(self) -> str:
        """The bot that plays here, for good or while the person is away; empty if none does."""
        return self.player if self.kind == BOT else self.stand_in

    @property
    def is_gone(self) -> bool:
        """Has whoever sat here had everything about them deleted?"""
        return self.kind == PERSON and self.player.startswith(VANISHED)


@dataclass(frozen=True)
class Table:
    """A table, without its entries."""

    id: str
    game: str
    rules: int
    components: str
    options: dict[str, str]
    seed: int
    seats: tuple[Seat, ...]
    owner: str
    turn: int  # NONE as long as it is `undealt`
    challenge: str = ""
    hints: bool = False  # may its players ask for hints?
    patience: int = DAY  # seconds that others wait for somebody who is away; 0 if they wait for ever
    lesson: bool = False  # is it the first game that teaches?
    rated: bool = False  # is it to count for ratings, if it ends as games do?
    daily: str = ""  # the daily deal that is tried there
    played_on: int | None = None  # the move of another table from which it goes on, if it does
    time_control: str = ""  # how fast it is played, as `clocks.TimeControl` reads it
    due: float | None = None  # when the time of the seat to move is up
    network: str = ""  # a keyed hash of the address that opened it; empty if that is this machine, or it is finished
    seed_known: bool = False
    status: str = RUNNING
    ended: str = ""  # how the game ended, if it did before the play was over
    gave_up: int | None = None  # the seat that resigned, if that ended it
    version: int = 0
    result: tuple[int, ...] | None = None
    opened: float = 0.0
    changed: float = 0.0
    advanced: float = 0.0  # when it was opened or dealt, or its play came further than ever

    @property
    def finished(self) -> bool:
        """Is the game over?"""
        return self.status == FINISHED

    @property
    def bot_to_move(self) -> bool:
        """Is it a bot's turn?"""
        return not self.finished and not self.undealt and self.seats[self.turn].bot != ""

    @property
    def is_left(self) -> bool:
        """Whether all people who sit here let a bot play for them."""
        return bool(self.people) and all(self.seats[p].stand_in for p in self.people)

    @property
    def deal_known(self) -> bool:
        """Whether a player may know the deal: by a chosen seed or option, or from the game that goes on here."""
        return self.seed_known or self.played_on is not None or is_deal_fixed(self.game, self.options)

    @property
    def undealt(self) -> bool:
        """Is the game dealt only when everybody is here, so that nobody can move yet?"""
        return self.turn == NONE

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == PERSON)

    @property
    def open_seats(self) -> tuple[int, ...]:
        """The seats that nobody has taken."""
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == OPEN)

    @property
    def is_among_bots(self) -> bool:
        """Whether one person plays a rated game against bots alone, who claim nothing and wait for ever."""
        return self.rated and not self.open_seats and len(self.people) == 1

    @property
    def stakes_rating(self) -> bool:
        """Whether a rated game has been dealt here, and goes on."""
        return self.rated and not self.undealt and not self.finished

    @property
    def takes_consent(self) -> bool:
        """Whether the people here may agree to end the game or to go back in it.

        Bots of a rated game agree to nothing: else somebody and a second browser would throw away every bad deal.
        """
        return not self.rated or all(seat.kind != BOT for seat in self.seats)

    def held_by(self, guest: str) -> tuple[int, ...]:
        """The seats in which this guest sits."""
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == PERSON and seat.player == guest)


def is_deal_fixed(game: str, options: Mapping[str, str]) -> bool:
    """Whether an option fixes the deal of a table; no option does in a game that is not installed any more."""
    meta = catalog.try_meta(game)
    return meta is not None and fixes_deal(meta.options, options)


@dataclass(frozen=True, slots=True)
class TableEvent:
    """One line of a table's book."""

    seat: int
    kind: str
    action: int | None = None
    words: str = ""  # an act in words; the name of whoever leaves or sits down
    follows: bool = False  # was it chosen together with the entry before?
    time: float = 0.0  # when it was written


class Waiting(NamedTuple):
    """A table where it is a bot's turn."""

    table: str
    owner: str
    network: str = ""  # from which it was opened
    is_left: bool = False  # as `Table.is_left`
    is_watched: bool = False  # whether a process on the same database keeps a stream of it
