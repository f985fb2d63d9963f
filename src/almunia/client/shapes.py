"""What a site answers, as values. Seats count from 1. Fields of later versions of a site are left out."""

import sys
from array import array
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self


class Shape:
    """A value that is read from JSON."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The value that this says."""
        return cls(**{field.name: data[field.name] for field in fields(cls) if field.name in data})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Mark(Shape):
    """That your seat could notice something at a table."""

    table: str
    seat: int | None  # None once you have left it for good
    seen: int
    your_turn: bool
    finished: bool


@dataclass(frozen=True)
class Row(Shape):
    """A table in your list."""

    table: str
    game: str
    title: str
    seats: list[int]  # yours
    others: list[str]  # names
    your_turn: bool
    finished: bool
    moves: int  # how many of your actions stand


@dataclass(frozen=True)
class Seat(Shape):
    """Who sits in a seat."""

    seat: int
    kind: str  # person, bot or open
    name: str
    mine: bool
    bot: str  # that plays here, for good or for a person who is away; or empty
    invitation: str | None  # the link to an open seat, for whoever plays there
    points: int
    clock: int | None  # seconds left, where there are clocks


@dataclass(frozen=True)
class Table(Shape):
    """A table, and who sits there."""

    table: str
    game: str
    options: dict[str, str]
    seats: list[Seat]
    seat: int | None  # yours
    turn: int | None
    your_turn: bool
    seen: int
    finished: bool
    ended: str  # how, if before the play was over
    result: list[int] | None  # points by seat

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The table that this says."""
        return super().read({**data, "seats": [Seat.read(seat) for seat in data["seats"]]})

    @property
    def invitations(self) -> list[str]:
        """The links to all open seats."""
        return [seat.invitation for seat in self.seats if seat.invitation]


@dataclass(frozen=True)
class Legal(Shape):
    """A legal action."""

    action: int
    words: str
    effect: str
    parts: dict[str, str]


@dataclass(frozen=True)
class Course(Shape):
    """Several actions that can be chosen as one."""

    actions: list[int]
    words: str
    effect: str


@dataclass(frozen=True)
class Position(Shape):
    """What your seat sees of a game, and may do."""

    table: str
    game: str
    seat: int | None  # None for a spectator
    seen: int
    turn: int | None
    your_turn: bool
    can_undo: bool
    finished: bool
    legal: list[Legal]
    courses: list[Course]
    observation: dict[str, Any] | None = None
    text: str | None = None
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
