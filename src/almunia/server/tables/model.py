"""Tables, seats and events, and the words that the database stores for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ... import catalog
from ...core.contract import NONE
from ...core.options import fixes_deal
from ..clock import DAY

RUNNING, FINISHED = "running", "finished"
PERSON, BOT, OPEN = "person", "bot", "open"
OPEN_SEAT_NAME = "A friend"  # of an open seat that is reserved for no particular player
DELETED_PREFIX = "gone-"  # of the ids that replace players who have deleted their data

# Kinds of events: moves, hints, and leaving a lesson
MOVE, UNDO, HINT, LESSON_LEFT = "move", "undo", "hint", "lesson_left"
# Seats
PLAYER_JOINED, BOT_JOINED, PLAYER_LEFT, BOT_FAILED = "player_joined", "bot_joined", "player_left", "bot_failed"
SUBSTITUTED, RETURNED = "substituted", "returned"
READY, UNREADY = "ready", "unready"  # before the deal, at a table with a ready check
RESIGN, ABORTED = "resign", "aborted"
PLAYER_REMOVED = "player_removed"  # by the host, before the game has begun
SEAT_RESERVED, RESERVATION_DECLINED = "seat_reserved", "reservation_declined"  # an open seat
# Proposals, which need the consent of all players
PROPOSED, ACCEPTED, DECLINED, TAKEBACK = "proposed", "accepted", "declined", "takeback"
# The table and its clocks
FLAGGED, ENDED, HOST_CHANGED = "flagged", "ended", "host_changed"
VACATION_STARTED, VACATION_ENDED, ABANDON_WARNING = "vacation_started", "vacation_ended", "abandon_warning"
DEALT = "dealt"  # all players are here: what was visible is replaced by a new deal
OUTAGE = "outage"  # no clock ran for `action` seconds, because the site could not be reached
REDACTED = "redacted"  # names in earlier events were changed; adds nothing to the log

# Why a game ended before its play was over
RESIGNED, TIMED_OUT, AGREED, CLOSED, RULES_CHANGED = "resigned", "timed_out", "agreed", "closed", "rules_changed"
UNFINISHED = "unfinished"  # the record of an imported game ends before the game does


class StaleError(Exception):
    """The table has changed since it was read."""


@dataclass(frozen=True)
class Seat:
    kind: str
    player: str  # a guest, a bot spec, or empty
    name: str
    visible_turn: int = 0  # the seat to move, in the view of this seat
    last_visible_change: float = 0.0  # when this seat could last notice a change
    substitute_bot: str = ""  # the bot that plays for an absent person; empty if the person plays
    is_ready: bool = False  # whether the person has said so, at a table with a ready check
    hours: str = ""  # when the person wants to play slow games, for `clocks.PlayingHours.parse`
    last_seen_at: float = 0.0  # when the person was last seen at the table

    @property
    def bot(self) -> str:
        """The spec of the bot that plays here, for good or for an absent person; empty if no bot does."""
        return self.player if self.kind == BOT else self.substitute_bot

    @property
    def is_deleted(self) -> bool:
        return self.kind == PERSON and self.player.startswith(DELETED_PREFIX)


@dataclass(frozen=True)
class Table:
    """A table without its events. Seats are numbered from 0."""

    id: str
    game: str
    rules: int
    components: str
    options: dict[str, str]
    seed: int
    seats: tuple[Seat, ...]
    host: str
    turn: int  # NONE before the deal
    challenge: str = ""
    hints: bool = False  # whether players may ask for hints
    absence_timeout: int = DAY  # seconds that others wait for an absent player; 0 is for ever
    lesson: bool = False  # whether this is a first game that teaches
    rated: bool = False  # whether the game counts for ratings if it ends regularly
    ready_check: bool = False  # whether the deal waits until all people have said that they are ready
    daily: str = ""  # the daily deal that is played here
    imported: bool = False  # whether it was imported from a record, already finished
    forked_at: int | None = None  # the number of actions taken over from another game; None if this is no fork
    time_control: str = ""  # for `clocks.TimeControl.parse`
    flag_at: float | None = None  # when the site acts on the expired clock of the seat to move
    expires_at: float | None = None  # when the clock of the seat to move expires
    network: str = ""  # a keyed hash of the address that opened it; empty for this machine, or once it is finished
    seed_is_public: bool = False
    status: str = RUNNING
    end_reason: str = ""  # why the game ended before its play was over
    resigned_seat: int | None = None  # the seat whose resignation ended the game
    version: int = 0
    result: tuple[int, ...] | None = None
    created_at: float = 0.0
    changed_at: float = 0.0
    advanced_at: float = 0.0  # when it was created or dealt, or its play went further than ever before

    @property
    def finished(self) -> bool:
        return self.status == FINISHED

    @property
    def is_bot_to_move(self) -> bool:
        return not self.finished and not self.awaits_deal and self.seats[self.turn].bot != ""

    @property
    def awaited_guest(self) -> str:
        """The guest for whose move the table waits; empty if it waits for a bot or for no move."""
        if self.finished or self.awaits_deal or self.seats[self.turn].kind != PERSON or self.is_bot_to_move:
            return ""
        return self.seats[self.turn].player

    @property
    def is_left_to_bots(self) -> bool:
        """Whether people have seats here, and a substitute bot plays for each of them."""
        return bool(self.human_seats) and all(self.seats[p].substitute_bot for p in self.human_seats)

    @property
    def is_deal_public(self) -> bool:
        """Whether a player may know the deal, because of a chosen seed, a fork, or an option that fixes it."""
        return self.seed_is_public or self.forked_at is not None or is_deal_fixed(self.game, self.options)

    @property
    def awaits_deal(self) -> bool:
        """Whether the game has not been dealt yet."""
        return self.turn == NONE

    @property
    def awaits_players(self) -> bool:
        """Whether a seat is open, or a player is not ready yet."""
        return bool(self.open_seats) or self.awaits_deal

    @property
    def may_be_dealt(self) -> bool:
        """Whether all seats are taken, and all people are ready if the table has a ready check."""
        return not (self.open_seats or (self.ready_check and self.unready_seats))

    @property
    def unready_seats(self) -> tuple[int, ...]:
        """The seats of people who have not said that they are ready."""
        return tuple(p for p in self.human_seats if not self.seats[p].is_ready)

    @property
    def human_seats(self) -> tuple[int, ...]:
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == PERSON)

    @property
    def open_seats(self) -> tuple[int, ...]:
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == OPEN)

    @property
    def is_against_bots(self) -> bool:
        """Whether one person plays a rated game against bots alone."""
        return self.rated and not self.open_seats and len(self.human_seats) == 1

    @property
    def is_rated_and_running(self) -> bool:
        return self.rated and not self.awaits_deal and not self.finished

    @property
    def allows_proposals(self) -> bool:
        """Whether players may agree to end the game or to take moves back: not in a rated game with bots.

        Else a player with a second browser could throw away every bad deal.
        """
        return not self.rated or all(seat.kind != BOT for seat in self.seats)

    def seats_of(self, guest: str) -> tuple[int, ...]:
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == PERSON and seat.player == guest)


def is_deal_fixed(game: str, options: Mapping[str, str]) -> bool:
    """Return whether an option fixes the deal of a table; False for a game that is not installed."""
    meta = catalog.try_meta(game)
    return meta is not None and fixes_deal(meta.options, options)


@dataclass(frozen=True, slots=True)
class TableEvent:
    seat: int
    kind: str
    action: int | None = None
    text: str = ""  # depends on the kind, such as a move in words, or the name of a player who leaves or joins
    same_choice: bool = False  # whether it was chosen together with the event before
    created_at: float = 0.0


class BotTurn(NamedTuple):
    table: str
    host: str
    network: str = ""  # from which the table was opened
    is_left_to_bots: bool = False  # as `Table.is_left_to_bots`
    is_watched: bool = False  # in a shared database, whether a process has a stream of the table
