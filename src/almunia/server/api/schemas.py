"""What is sent and answered, as JSON. Seats count from 1."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from ...bots.levels import DEFAULT_LEVEL, LEVELS
from ..clock import DAY
from ..lobby.new_table import PATIENCE
from ..tables.clocks import CLAIM, TIME_CONTROLS, TIMEOUT_POLICIES

LARGEST = 2**53 - 1  # the largest whole number that every reader of JSON keeps
DEAL_KNOWN = "May a player know the deal, by a chosen seed or deal, or a game from which this one goes on?"
MOST_TOGETHER = 32  # actions that are chosen as one

Count = Annotated[int, Field(ge=0, le=LARGEST)]
SeatNumber = Annotated[int, Field(ge=1, le=99)]
Part = Literal["data", "legal", "text", "tensor"]
Numbers = Literal["base64", "list"]
ViewerKind = Literal["seat", "spectator"]

TableId = Annotated[str, Path(description="The last part of the address `/table/ID`.")]
Handle = Annotated[str, Path(description="What the lobby calls the table: `handle`.")]
GameName = Annotated[str, Path(description="The name of a game: `game` in the list of games.")]
View = Annotated[ViewerKind, Query(description="Whose view: that of your seat, or what all may see.")]
Page = Annotated[int, Query(ge=1, le=10**6, description="Counted from 1.")]
Bot = Annotated[str, Field(max_length=20, json_schema_extra={"enum": list(LEVELS)})]


def told(sentence: str, choices: Mapping[str, str]) -> str:
    """A description with all that may be chosen, but for what is empty."""
    return f"{sentence} {'; '.join(f'`{name}`: {words}' for name, words in choices.items() if name)}."


class RequestBody(BaseModel):
    """What a program sends: nothing but these fields, in these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


# --- what is wrong -----------------------------------------------------------------------------------


class Problem(BaseModel):
    """What is wrong with a request."""

    error: str = Field(description="A sentence: what is wrong, and what to do about it.")
    status: int = Field(description="The status of the answer.")


# --- games -------------------------------------------------------------------------------------------


class OptionFacts(BaseModel):
    """Something that may be chosen before a game starts."""

    name: str
    label: str
    help: str
    default: str
    choices: list[str] | None = Field(description="What it may be; null if it is a list of numbers.")
    numbers: dict[str, int] | None = Field(description="How many numbers (`count`) from `low` to `high` it takes.")


class GameFacts(BaseModel):
    """A game in a list of games."""

    game: str = Field(description="The name by which all other addresses take it.")
    title: str
    designers: list[str]
    year: int
    seats: list[int] = Field(description="The fewest and the most.")
    about: str
    rules_version: int
    stage: str
    data: str = Field(description="A sentence on data that is not certain, or empty.")
    hides: bool = Field(description="Can a seat hold something that another must not see?")
    options: list[OptionFacts]


class Kind(BaseModel):
    """A kind of actions: its codes go from `first` on, and count what they name like digits, the last one fastest."""

    kind: str
    first: int
    names: dict[str, int] = Field(description="What an action names, and how many there are of each.")


class GameDetail(GameFacts):
    """A game, with its actions and observations."""

    actions: int = Field(description="How many codes there are: 0 to one less.")
    kinds: list[Kind]
    scores: list[str] = Field(description="What decides, points first.")
    tensor: dict[str, list[int]] = Field(description="The parts of an observation as numbers, with their shapes.")
    tensor_size: int


class Games(BaseModel):
    """All games of the site."""

    games: list[GameFacts]


# --- tables ------------------------------------------------------------------------------------------


class TableRow(BaseModel):
    """A table in your list: nothing that your seat could not notice."""

    table: str
    game: str
    title: str
    seats: list[int] = Field(description="Yours.")
    others: list[str] = Field(description="What the others are called.")
    your_turn: bool
    finished: bool
    moves: int = Field(description="How many of your actions stand.")


class TableRows(BaseModel):
    """A page of your tables: those that wait for you first, then running ones, then finished ones."""

    tables: list[TableRow]
    page: int
    pages: int
    total: int


class SeatFacts(BaseModel):
    """Who sits in a seat."""

    seat: int
    kind: str = Field(description="person, bot or open.")
    name: str
    mine: bool
    bot: str = Field(description="The bot that plays here, for good or for a person who is away; or empty.")
    invitation: str | None = Field(description="The link to an open seat, for whoever plays here.")
    points: int
    clock: int | None = Field(description="Seconds that are left, at a table with clocks.")


class ProposalFacts(BaseModel):
    """What a player has asked the others for, and not all have answered yet."""

    what: Literal["end", "back"] = Field(description="To end the game, or to go back to before the last choice.")
    seat: int = Field(description="Who asks.")
    agreed: list[int] = Field(description="The seats that have agreed, the one that asks among them.")


class TableFacts(BaseModel):
    """A table, as your seat or a spectator knows it."""

    table: str
    game: str
    options: dict[str, str]
    seats: list[SeatFacts]
    seat: int | None = Field(description="Yours; null for a spectator.")
    turn: int | None = Field(
        description="The seat to move, as far as the reader can know; null before the deal, and at the end."
    )
    your_turn: bool
    seen: int = Field(description="How much the reader has seen; acts send it along.")
    finished: bool
    ended: str = Field(description="How it ended before the play was over: resigned, time, agreed, closed, or empty.")
    result: list[int] | None = Field(description="Points by seat, once it is finished.")
    asked: ProposalFacts | None = Field(description="What waits for the consent of all; null if nothing does.")
    hints: bool
    rated: bool = Field(description="Does it count for ratings, if it ends as games do?")
    deal_known: bool = Field(description=DEAL_KNOWN)
    patience: int = Field(description="Seconds that others wait for somebody who is away; 0 for ever.")
    clock: str = Field(description="The time control: kind, seconds, seconds gained, what happens at zero; or empty.")


class NewTable(RequestBody):
    """A table to be opened. Programs open tables without hints."""

    game: Annotated[str, Field(max_length=64)]
    seats: Annotated[
        list[Annotated[str, Field(max_length=40)]],
        Field(
            min_length=1, max_length=20, description=f"`me` once; else `open`, or a bot's level: {', '.join(LEVELS)}."
        ),
    ]
    options: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=20)] = {}
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(
        None, description="A deal of your own; `deal_known` says so to the others."
    )
    clock: Annotated[str, Field(max_length=20)] = Field(
        "",
        description=told(
            "The time control; none if empty.", {name: words for name, (words, _) in TIME_CONTROLS.items()}
        ),
        json_schema_extra={"enum": list(TIME_CONTROLS)},
    )
    zero: Annotated[str, Field(max_length=20)] = Field(
        CLAIM,
        description=told("What happens when time is up.", TIMEOUT_POLICIES),
        json_schema_extra={"enum": list(TIMEOUT_POLICIES)},
    )
    patience: Count = Field(
        DAY,
        description="Seconds that others wait for somebody who is away; 0 for ever.",
        json_schema_extra={"enum": list(PATIENCE)},
    )
    offered: bool = Field(False, description="Does the lobby offer its open seats to everybody?")
    rated: bool = Field(True, description="Is it to count for ratings? One with a seed or a fixed deal never does.")


class Joining(RequestBody):
    """An invitation to a seat."""

    invitation: Annotated[str, Field(max_length=500, description="The link, or what stands behind its last slash.")]
    name: Annotated[str, Field(max_length=60)] | None = Field(
        None, description="What to be called here; else what the guest was called when the token was made."
    )


class Leaving(RequestBody):
    """A seat to leave to a bot."""

    bot: Bot = Field(DEFAULT_LEVEL, description="The level of the bot that plays on.")
    seat: SeatNumber | None = Field(None, description="Which one, if you have several.")


class Seated(RequestBody):
    """One of your seats."""

    seat: SeatNumber | None = Field(None, description="Which one, if you have several.")


# --- the others --------------------------------------------------------------------------------------


class OpenTable(BaseModel):
    """A table in the lobby at which anybody may sit down."""

    handle: str = Field(description="What the lobby calls it.")
    game: str
    title: str
    options: dict[str, str]
    players: list[str] = Field(description="Who sits there, bots among them.")
    free: int = Field(description="How many seats anybody may take.")
    clock: str = Field(description="The time control: kind, seconds, seconds gained, what happens at zero; or empty.")
    rated: bool = Field(description="Does it count for ratings?")
    deal_known: bool = Field(description=DEAL_KNOWN)
    mine: bool = Field(description="Do you sit there already?")


class OpenTables(BaseModel):
    """All tables of the lobby at which anybody may sit down."""

    tables: list[OpenTable]


class Asking(Seated):
    """What the others are asked for."""

    what: Literal["end", "back"] = Field(description="To end the game, or to go back to before your last choice.")


class Answering(Seated):
    """What is said to that."""

    agree: bool


class Claiming(RequestBody):
    """A seat of somebody who is away."""

    seat: SeatNumber
    bot: Bot = Field(DEFAULT_LEVEL, description="The level of the bot that plays on.")


# --- the play ----------------------------------------------------------------------------------------


class Legal(BaseModel):
    """A legal action."""

    action: int
    words: str
    effect: str = Field(description="What it does, in words.")
    parts: dict[str, str] = Field(description="What it names, part by part.")


class Course(BaseModel):
    """Several actions that can be chosen as one."""

    actions: list[int]
    words: str
    effect: str


class Tensor(BaseModel):
    """An observation as numbers."""

    dtype: Literal["float32"]
    shape: list[int]
    data: str | list[float] = Field(description="base64 of little-endian numbers, or the numbers.")


class Position(BaseModel):
    """What the reader sees of a game now, and may do."""

    table: str
    game: str
    seat: int | None = Field(description="Whose view it is; null for a spectator.")
    seen: int = Field(description="How much the reader has seen; acts send it along.")
    turn: int | None = Field(
        description="The seat to move, as far as the reader can know; null before the deal, and at the end."
    )
    your_turn: bool = Field(description="Is the reader asked, and may choose?")
    can_undo: bool
    finished: bool
    legal: list[Legal] | None = Field(None, description="What may be chosen; empty if the reader is not asked.")
    courses: list[Course] | None = Field(None, description="What may be chosen in one go.")
    observation: dict[str, Any] | None = Field(None, description="What the seat knows, as `Observation.to_dict()`.")
    text: str | None = Field(None, description="The same in words.")
    tensor: Tensor | None = None


class Stale(Problem):
    """That the game has moved on, and how it stands now."""

    position: Position


class Act(RequestBody):
    """An action, or a course of several that the game offers as one."""

    actions: Annotated[list[Count], Field(min_length=1, max_length=MOST_TOGETHER)]
    seen: Count = Field(description="The `seen` of the position in which this was chosen.")
    seat: SeatNumber | None = Field(None, description="The `seat` of that position, if you have several.")


class Undo(RequestBody):
    """What is to be undone."""

    seen: Count = Field(description="The `seen` of the position in which this was chosen.")
    seat: SeatNumber | None = Field(None, description="The `seat` of that position, if you have several.")
    turn: bool = Field(False, description="All choices of the turn that can be undone, and not the last one only?")


class LogLine(BaseModel):
    """What is told of an act, or of who sits down or leaves."""

    seat: int = Field(description="Whom it is about.")
    lines: list[str]
    points: int = Field(description="What the act brought to its seat.")


class Log(BaseModel):
    """A stretch of the log, as the reader may read it."""

    seen: int
    start: int
    total: int
    entries: list[LogLine]


class Written(BaseModel):
    """The record of a finished game."""

    table: str
    text: str = Field(description="As people read it, and as `almunia replay` takes it.")
    record: dict[str, Any] = Field(description="The same as data.")


# --- events ------------------------------------------------------------------------------------------


class Mark(BaseModel):
    """The data of an event `position`: that your seat could notice something at a table."""

    table: str
    seat: int | None = Field(description="Your seat; null once you have left it for good.")
    seen: int
    your_turn: bool
    finished: bool


# --- people ------------------------------------------------------------------------------------------


class RatingFacts(BaseModel):
    """Your rating in a game."""

    game: str
    rating: int = Field(description="On the scale of chess; somebody new has 1500.")
    doubt: int = Field(description="How much more or less it may be, in 95 of 100 cases.")
    games: int = Field(description="How many rated games it comes from: those that moved it.")


class RecordFacts(BaseModel):
    """Your results in a game with so many players."""

    game: str
    seats: int
    games: int
    won: int
    lost: int
    average: float | None = Field(description="Points, of games played to the end.")
    best: int | None


class Profile(BaseModel):
    """Your ratings and results."""

    shown: list[str] = Field(description="What others may see: page, results, opponents, boards, daily, lobby.")
    ratings: list[RatingFacts]
    results: list[RecordFacts]


class Leader(BaseModel):
    """A line of a leaderboard."""

    place: int
    name: str
    rating: int
    doubt: int
    mine: bool


class Leaders(BaseModel):
    """A page of a leaderboard."""

    leaders: list[Leader]
    bots: dict[str, int] = Field(description="The fixed ratings of bots, by level.")
    pages: int


class Reached(BaseModel):
    """What somebody has reached in a deal."""

    name: str
    place: int
    points: int
    bot: bool
    mine: bool


class DailyDeal(BaseModel):
    """A daily deal that runs."""

    deal: str
    game: str
    ends: float = Field(description="Seconds since 1970.")
    table: str | None = Field(description="Of your try; null if there is none.")
    finished: bool = Field(description="Have you finished it?")
    results: list[Reached] | None = Field(description="Null until you have played it to its end, with an account.")


class DailyDeals(BaseModel):
    """The daily deals that run."""

    deals: list[DailyDeal]
