"""What a site answers, as values. Seats count from 1. Fields of later versions of a site are left out."""

import sys
from array import array
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, TypedDict


class Shape:
    """A value that is read from JSON."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The value that this says."""
        return cls(**{field.name: data[field.name] for field in fields(cls) if field.name in data})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Mark(Shape):
    """That your seat could notice something at a table."""

    table: str  # its id
    seat: int | None  # None once you have left it for good
    seen: int  # how much your seat has seen
    your_turn: bool  # is it your turn, and no bot in your place?
    finished: bool  # is the game over?


@dataclass(frozen=True)
class Row(Shape):
    """A table in your list."""

    table: str  # its id
    game: str  # its name
    title: str  # as people know it
    seats: list[int]  # yours
    others: list[str]  # names
    your_turn: bool  # is it your turn, and no bot in your place?
    finished: bool  # is the game over?
    moves: int  # how many of your actions stand


@dataclass(frozen=True)
class Seat(Shape):
    """Who sits in a seat."""

    seat: int  # its number
    kind: str  # person, bot or open
    name: str  # what the player is called
    mine: bool  # is it yours?
    bot: str  # that plays here, for good or for a person who is away; or empty
    invitation: str | None  # the link to an open seat, for whoever plays there
    points: int  # so far
    clock: int | None  # seconds left, where there are clocks


class Opening(TypedDict, total=False):
    """What may be chosen of a new table, as `Client.open` says; of the rest the site decides."""

    options: Mapping[str, str] | None
    seed: int | None
    clock: str | None
    zero: str | None
    patience: int | None
    offered: bool | None
    rated: bool | None


@dataclass(frozen=True)
class OpenTable(Shape):
    """A table in the lobby at which anybody may sit down."""

    handle: str  # what the lobby calls it
    game: str  # its name
    title: str  # as people know it
    options: dict[str, str]  # under which it is played
    players: list[str]  # who sits there, bots among them
    free: int  # how many seats anybody may take
    clock: str  # the time control, or empty
    mine: bool  # do you sit there already?
    rated: bool = False  # does it count for ratings?
    deal_known: bool = False  # may a player know the deal?


@dataclass(frozen=True)
class Asked(Shape):
    """What a player has asked the others for."""

    what: str  # "end", or "back" to before the last choice
    seat: int  # who asks
    agreed: list[int]  # seats


@dataclass(frozen=True)
class Table(Shape):
    """A table, and who sits there."""

    table: str  # its id
    game: str  # its name
    options: dict[str, str]  # under which it is played
    seats: list[Seat]  # in their order
    seat: int | None  # yours
    turn: int | None  # the seat to move; None before the deal, and at the end
    your_turn: bool  # is it your turn, and no bot in your place?
    seen: int  # how much your seat has seen
    finished: bool  # is the game over?
    ended: str  # how, if before the play was over
    result: list[int] | None  # points by seat
    asked: Asked | None = None  # what waits for the consent of all
    hints: bool = False  # are there any?
    rated: bool = False  # does it count for ratings, if it ends as games do?
    deal_known: bool = False  # may a player know the deal?
    patience: int = 0  # seconds that others wait for somebody who is away; 0 for ever
    clock: str = ""  # the time control, or empty

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The table that this says."""
        made = {
            "seats": [Seat.read(seat) for seat in data["seats"]],
            "asked": Asked.read(data["asked"]) if data.get("asked") else None,
        }
        return super().read({**data, **made})

    @property
    def invitations(self) -> list[str]:
        """The links to all open seats."""
        return [seat.invitation for seat in self.seats if seat.invitation]


@dataclass(frozen=True)
class Legal(Shape):
    """A legal action."""

    action: int  # its code
    words: str  # as the record has it
    effect: str  # what it does, in words
    parts: dict[str, str]  # what it names, part by part


@dataclass(frozen=True)
class Course(Shape):
    """Several actions that can be chosen as one."""

    actions: list[int]  # their codes, in their order
    words: str  # as the record has it
    effect: str  # what it does, in words


@dataclass(frozen=True)
class Position(Shape):
    """What your seat sees of a game, and may do."""

    table: str  # its id
    game: str  # its name
    seat: int | None  # None for a spectator
    seen: int  # how much your seat has seen
    turn: int | None  # the seat to move; None before the deal, and at the end
    your_turn: bool  # is it your turn, and no bot in your place?
    can_undo: bool  # can your last choice be undone?
    finished: bool  # is the game over?
    legal: list[Legal]  # what may be chosen
    courses: list[Course]  # what may be chosen in one go
    observation: dict[str, Any] | None = None  # as `Observation.to_dict()`
    text: str | None = None  # the same in words
    tensor: "array[float] | None" = None  # float32

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The position that this says."""
        made = {
            "legal": [Legal.read(one) for one in data.get("legal") or ()],
            "courses": [Course.read(one) for one in data.get("courses") or ()],
            "tensor": numbers(data["tensor"]["data"]) if data.get("tensor") else None,
        }
        return super().read({**data, **made})


def numbers(encoded: str) -> "array[float]":
    """An observation as numbers."""
    found = array("f", b64decode(encoded))
    if sys.byteorder == "big":
        found.byteswap()
    return found
