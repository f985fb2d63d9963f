"""The answers of a site as dataclasses, with the names of the JSON fields. Seats count from 1.

Unknown fields of later versions are ignored.
"""

import sys
from array import array
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, TypedDict


class Model:
    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the instance with the fields of a JSON object. Ignore unknown fields."""
        return cls(**{field.name: data[field.name] for field in fields(cls) if field.name in data})  # type: ignore[arg-type]


@dataclass(frozen=True)
class TableChange(Model):
    """A change at a table that your seat can see."""

    table: str  # id of the table
    seat: int | None  # your seat; None once you have left the table for good
    seen: int  # version of the table, as your seat has seen it
    your_turn: bool  # whether it is your turn and no bot plays for you
    finished: bool  # whether the game is over


@dataclass(frozen=True)
class TableSummary(Model):
    """A summary of one of your tables."""

    table: str  # id of the table
    game: str  # name of the game
    title: str  # title of the game, for people
    seats: list[int]  # your seats
    others: list[str]  # names of the other players
    your_turn: bool  # whether it is your turn and no bot plays for you
    finished: bool  # whether the game is over
    moves: int  # number of your actions that are not undone


@dataclass(frozen=True)
class Seat(Model):
    """A seat and its player."""

    seat: int  # number of the seat
    kind: str  # person, bot or open
    name: str  # name of the player
    mine: bool  # whether the seat is yours
    bot: str  # level of the bot that plays here, also for an absent person; "" for none
    invitation: str | None  # link to an open seat, to share with its player
    points: int  # points so far
    clock: int | None  # seconds left; None without clocks
    ready: bool = False  # whether the player is ready, at a table with a ready check


class Opening(TypedDict, total=False):
    """The optional settings of a new table, as `Client.open` explains. The site has defaults for missing settings."""

    options: Mapping[str, str] | None
    seed: int | None
    clock: str | None
    zero: str | None
    absence_timeout: int | None
    offered: bool | None
    rated: bool | None
    ready_check: bool | None


@dataclass(frozen=True)
class OpenTable(Model):
    """A table in the lobby with free seats."""

    handle: str  # handle of the table in the lobby
    game: str  # name of the game
    title: str  # title of the game, for people
    options: dict[str, str]  # options of the game
    players: list[str]  # names, including bots
    free: int  # number of free seats
    clock: str  # the time control, or empty
    mine: bool  # whether you sit there already
    rated: bool = False  # whether the table counts for ratings
    deal_known: bool = False  # whether a player may know the deal


@dataclass(frozen=True)
class Proposal(Model):
    """A proposal of one player that needs the consent of all."""

    what: str  # "end" the game, or go "back" to before the last choice
    seat: int  # seat of the player who proposes
    agreed: list[int]  # seats that have agreed


@dataclass(frozen=True)
class Table(Model):
    """The state of a table, its seats and its settings."""

    table: str  # id of the table
    game: str  # name of the game
    options: dict[str, str]  # options of the game
    seats: list[Seat]  # seats in order
    seat: int | None  # your seat; None if you have none
    turn: int | None  # the seat to move; None before the deal, and at the end
    your_turn: bool  # whether it is your turn and no bot plays for you
    seen: int  # version of the table, as your seat has seen it
    finished: bool  # whether the game is over
    ended: str  # the reason why the game ended early; else ""
    result: list[int] | None  # points by seat
    asked: Proposal | None = None  # the proposal that waits for consent
    hints: bool = False  # whether hints are allowed
    rated: bool = False  # whether the table counts for ratings, if the game is played to the end
    ready_check: bool = False  # whether the deal waits until all people are ready
    deal_known: bool = False  # whether a player may know the deal
    absence_timeout: int = 0  # seconds that others wait for an absent player; 0 for ever
    clock: str = ""  # the time control, or empty

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the table in a JSON object, with its seats and its proposal."""
        asked = Proposal.read(data["asked"]) if data.get("asked") else None
        return super().read({**data, "seats": [Seat.read(seat) for seat in data["seats"]], "asked": asked})

    @property
    def invitations(self) -> list[str]:
        """The links to all open seats."""
        return [seat.invitation for seat in self.seats if seat.invitation]


@dataclass(frozen=True)
class Legal(Model):
    """A legal action of your seat."""

    action: int  # code of the action
    words: str  # words in the format of records
    effect: str  # effect in words
    parts: dict[str, str]  # parts of the action, by name


@dataclass(frozen=True)
class ActionSequence(Model):
    """A sequence of actions that counts as one choice."""

    actions: list[int]  # codes of the actions, in order
    words: str  # words in the format of records
    effect: str  # effect in words


@dataclass(frozen=True)
class Analysis(Model):
    """The analysis of a finished game, or how far it has come."""

    table: str  # id of the table
    status: str  # "none", "waiting", "running", "failed" or "finished"
    done: int  # actions that have been judged
    actions: int  # all actions
    analysis: dict[str, Any] | None = None  # as `almunia analyse --json` prints it; None until it is finished


@dataclass(frozen=True)
class Position(Model):
    """A position as your seat or a spectator sees it, with the legal actions."""

    table: str  # id of the table
    game: str  # name of the game
    seat: int | None  # None for a spectator
    seen: int  # version of the table, as your seat has seen it
    turn: int | None  # the seat to move; None before the deal, and at the end
    your_turn: bool  # whether it is your turn and no bot plays for you
    can_undo: bool  # whether your last choice can be undone
    finished: bool  # whether the game is over
    legal: list[Legal]  # legal actions
    courses: list[ActionSequence]  # sequences of actions that count as one choice
    observation: dict[str, Any] | None = None  # `Observation.to_dict()`
    text: str | None = None  # the observation as text
    tensor: "array[float] | None" = None  # (tensor_size,) float32

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the position in a JSON object, with its actions and its decoded tensor."""
        nested = {
            "legal": [Legal.read(one) for one in data.get("legal") or ()],
            "courses": [ActionSequence.read(one) for one in data.get("courses") or ()],
            "tensor": decode_tensor(data["tensor"]["data"]) if data.get("tensor") else None,
        }
        return super().read({**data, **nested})


def decode_tensor(encoded: str) -> "array[float]":
    """Return the tensor that is encoded as base64 of little-endian float32."""
    values = array("f", b64decode(encoded))
    if sys.byteorder == "big":
        values.byteswap()
    return values
