"""The models of requests and responses. Seats count from 1."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from ...bots.levels import DEFAULT_LEVEL, LEVELS
from ..clock import DAY
from ..lobby.new_table import ABSENCE_TIMEOUTS
from ..tables.clocks import CLAIM, TIME_CONTROLS, TIMEOUT_POLICIES

MAX_INTEGER = 2**53 - 1  # the largest integer that all JSON parsers read exactly
DEAL_KNOWN = "Whether a player may know the deal, from a chosen seed, a challenge, or the game that this one continues."
MAX_ACTIONS = 32  # in a course

Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
SeatNumber = Annotated[int, Field(ge=1, le=99)]
Part = Literal["data", "legal", "text", "tensor"]
Numbers = Literal["base64", "list"]
ViewerKind = Literal["seat", "spectator"]

TableId = Annotated[str, Path(description="The last part of the address `/table/ID`.")]
Handle = Annotated[str, Path(description="The `handle` of a table in the lobby.")]
PuzzleId = Annotated[str, Path(description="The last part of the address `/puzzles/ID`, or `daily`.")]
GameName = Annotated[str, Path(description="The name of a game: `game` in the list of games.")]
View = Annotated[ViewerKind, Query(description="Your seat's view, or a spectator's.")]
Page = Annotated[int, Query(ge=1, le=10**6, description="Counted from 1.")]
SeatToMove = Annotated[
    int | None, Field(description="The seat to move, if the viewer knows it; null before the deal and at the end.")
]
Bot = Annotated[str, Field(max_length=20, json_schema_extra={"enum": list(LEVELS)})]


def describe_choices(sentence: str, choices: Mapping[str, str]) -> str:
    """Return a description with all choices except an empty one."""
    return f"{sentence} {'; '.join(f'`{name}`: {words}' for name, words in choices.items() if name)}."


class RequestBody(BaseModel):
    """The base of request bodies: refuses unknown fields, and converts no types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    """An error of a request."""

    error: str = Field(description="A sentence that says what is wrong and what to do.")
    status: int = Field(description="The status of the answer.")


class OptionFacts(BaseModel):
    """An option of a game."""

    name: str
    label: str
    help: str
    default: str
    choices: list[str] | None = Field(description="The valid values; null if the option is a list of integers.")
    numbers: dict[str, int] | None = Field(
        description="The number (`count`) and range (`low` to `high`) of the integers."
    )


class GameFacts(BaseModel):
    """A game in a list of games."""

    game: str = Field(description="The name of the game in other addresses.")
    title: str
    designers: list[str]
    year: int
    seats: list[int] = Field(description="The minimum and the maximum number of seats.")
    about: str
    rules_version: int
    stage: str
    data: str = Field(description="A sentence on uncertain data, or empty.")
    hides: bool = Field(description="Whether seats have hidden information.")
    options: list[OptionFacts]


class Kind(BaseModel):
    """A kind of actions. Codes are mixed-radix numbers from `first` on; the last part in `names` varies fastest."""

    kind: str
    first: int
    names: dict[str, int] = Field(description="The parts of an action, with the number of values of each.")


class GameDetail(GameFacts):
    """A game, with its actions and observations."""

    actions: int = Field(description="The number of action codes, which start at 0.")
    kinds: list[Kind]
    scores: list[str] = Field(description="The scores that decide the game, points first.")
    tensor: dict[str, list[int]] = Field(description="The parts of the tensor of an observation, with their shapes.")
    tensor_size: int


class Games(BaseModel):
    """All games of the site."""

    games: list[GameFacts]


class TableRow(BaseModel):
    """A table in your list, with facts that your seat could notice."""

    table: str
    game: str
    title: str
    seats: list[int] = Field(description="Your seats.")
    others: list[str] = Field(description="The names of the other players.")
    your_turn: bool
    finished: bool
    moves: int = Field(description="The number of your actions, without those that were undone.")


class TableRows(BaseModel):
    """A page of your tables: those that wait for you first, then running ones, then finished ones."""

    tables: list[TableRow]
    page: int
    pages: int
    total: int


class SeatFacts(BaseModel):
    """A seat and its occupant."""

    seat: int
    kind: str = Field(description="person, bot or open.")
    name: str
    mine: bool
    bot: str = Field(description="The bot that plays here, permanently or for an absent player; or empty.")
    ready: bool = Field(description="Whether the player is ready, at a table with a ready check.")
    invitation: str | None = Field(description="The link to an open seat, for players of this table.")
    points: int
    clock: int | None = Field(description="The seconds left, at a table with clocks.")


class ProposalFacts(BaseModel):
    """An open proposal of a player."""

    what: Literal["end", "back"] = Field(description="The proposal: to end the game, or to take back the last move.")
    seat: int = Field(description="The seat that proposes.")
    agreed: list[int] = Field(description="The seats that have agreed, with the one that proposes.")


class TableFacts(BaseModel):
    """A table, as your seat or a spectator knows it."""

    table: str
    game: str
    options: dict[str, str]
    seats: list[SeatFacts]
    seat: int | None = Field(description="Your seat; null for a spectator.")
    turn: SeatToMove
    your_turn: bool
    seen: int = Field(description="The version of the position. Send it with a move.")
    finished: bool
    ended: str = Field(
        description="Why it ended early: resigned, timed_out, agreed, closed, aborted, rules_changed, "
        "unfinished; or empty."
    )
    result: list[int] | None = Field(description="Points by seat; null until the game is finished.")
    asked: ProposalFacts | None = Field(description="The open proposal; null if there is none.")
    hints: bool
    rated: bool = Field(description="Whether the game is rated.")
    ready_check: bool = Field(description="Whether the deal waits until all people are ready.")
    deal_known: bool = Field(description=DEAL_KNOWN)
    absence_timeout: int = Field(description="Seconds until a bot may replace an absent player; 0 for never.")
    clock: str = Field(description="The time control: kind, seconds, increment, timeout policy; or empty.")


class NewTable(RequestBody):
    """A table to open. API clients open tables without hints."""

    game: Annotated[str, Field(max_length=64)]
    seats: Annotated[
        list[Annotated[str, Field(max_length=40)]],
        Field(
            min_length=1, max_length=20, description=f"`me` once; else `open`, or a bot's level: {', '.join(LEVELS)}."
        ),
    ]
    options: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=20)] = {}
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(
        None, description="The seed of a chosen deal. `deal_known` shows the others that it was chosen."
    )
    clock: Annotated[str, Field(max_length=20)] = Field(
        "",
        description=describe_choices(
            "The time control; none if empty.", {name: words for name, (words, _) in TIME_CONTROLS.items()}
        ),
        json_schema_extra={"enum": list(TIME_CONTROLS)},
    )
    zero: Annotated[str, Field(max_length=20)] = Field(
        CLAIM,
        description=describe_choices("What happens if a player runs out of time.", TIMEOUT_POLICIES),
        json_schema_extra={"enum": list(TIMEOUT_POLICIES)},
    )
    absence_timeout: Count = Field(
        DAY,
        description="Seconds until a bot may replace an absent player; 0 for never.",
        json_schema_extra={"enum": list(ABSENCE_TIMEOUTS)},
    )
    offered: bool = Field(False, description="Whether the lobby offers the table's open seats.")
    rated: bool = Field(True, description="Whether the game is rated. Games with a seed or a challenge never are.")
    ready_check: bool = Field(False, description="Whether the deal waits until all people are ready.")


class Joining(RequestBody):
    """An invitation to a seat."""

    invitation: Annotated[str, Field(max_length=500, description="The link, or its part after the last slash.")]
    name: Annotated[str, Field(max_length=60)] | None = Field(
        None, description="Your name here; by default your name when the token was created."
    )


class Seated(RequestBody):
    """One of your seats."""

    seat: SeatNumber | None = Field(None, description="Your seat, if you have several.")


class Leaving(Seated):
    """A seat that you leave."""

    bot: Bot = Field(DEFAULT_LEVEL, description="The level of the bot that takes over.")


class OpenTable(BaseModel):
    """An open table of the lobby."""

    handle: str = Field(description="The table's handle in the lobby.")
    game: str
    title: str
    options: dict[str, str]
    players: list[str] = Field(description="The names of all players, including bots.")
    free: int = Field(description="The number of seats that any visitor may take.")
    clock: str = Field(description="The time control: kind, seconds, increment, timeout policy; or empty.")
    rated: bool = Field(description="Whether the game is rated.")
    deal_known: bool = Field(description=DEAL_KNOWN)
    mine: bool = Field(description="Whether you already have a seat there.")


class OpenTables(BaseModel):
    """The open tables of the lobby."""

    tables: list[OpenTable]


class Asking(Seated):
    """A proposal of yours."""

    what: Literal["end", "back"] = Field(description="The proposal: to end the game, or to take back your last move.")


class Answering(Seated):
    """An answer to a proposal."""

    agree: bool


class Claiming(RequestBody):
    """A request to let a bot play for a player who is absent or has run out of time."""

    seat: SeatNumber
    bot: Bot = Field(DEFAULT_LEVEL, description="The level of the bot that takes over.")


class Legal(BaseModel):
    """A legal action."""

    action: int
    words: str
    effect: str = Field(description="The effect in words.")
    parts: dict[str, str] = Field(description="The parts of the action, by name.")


class Course(BaseModel):
    """Several actions that a request can choose together."""

    actions: list[int]
    words: str
    effect: str


class Tensor(BaseModel):
    """An observation as numbers."""

    dtype: Literal["float32"]
    shape: list[int]
    data: str | list[float] = Field(description="base64 of little-endian numbers, or the numbers.")


class Position(BaseModel):
    """The position of a game, as your seat or a spectator sees it."""

    table: str
    game: str
    seat: int | None = Field(description="The seat of the view; null for a spectator.")
    seen: int = Field(description="The version of the position. Send it with a move.")
    turn: SeatToMove
    your_turn: bool = Field(description="Whether the viewer is to move.")
    can_undo: bool
    finished: bool
    legal: list[Legal] | None = Field(None, description="The legal actions; empty if the viewer is not to move.")
    courses: list[Course] | None = Field(
        None, description="The sequences of actions that can be played in one request."
    )
    observation: dict[str, Any] | None = Field(
        None, description="The observation as `Observation.to_dict()` returns it."
    )
    text: str | None = Field(None, description="The observation in words.")
    tensor: Tensor | None = None


class Stale(Problem):
    """A refused request, with the present position: the game has moved on, or this is no longer possible."""

    position: Position


class Act(RequestBody):
    """An action, or a course of several that the game offers together."""

    actions: Annotated[list[Count], Field(min_length=1, max_length=MAX_ACTIONS)]
    seen: Count = Field(description="The `seen` of the position from which you move.")
    seat: SeatNumber | None = Field(None, description="The `seat` of that position, if you have several.")


class Undo(RequestBody):
    """The extent of an undo."""

    seen: Count = Field(description="The `seen` of the position from which you move.")
    seat: SeatNumber | None = Field(None, description="The `seat` of that position, if you have several.")
    turn: bool = Field(False, description="Whether to undo all moves of the turn, and not only the last one.")


class LogLine(BaseModel):
    """An entry of the log."""

    seat: int = Field(description="The seat that the event is about.")
    lines: list[str]
    points: int = Field(description="The points that the move earned.")
    at: int = Field(description="When it happened, in seconds since 1970.")
    seconds: int = Field(description="How long the player took, since the move before in this log; 0 without a move.")


class Log(BaseModel):
    """A part of the log, as your seat or a spectator may read it."""

    seen: int
    start: int
    total: int
    entries: list[LogLine]


class Written(BaseModel):
    """The record of a finished game."""

    table: str
    text: str = Field(description="The record as text, which `almunia replay` reads.")
    record: dict[str, Any] = Field(description="The record as JSON.")


class AnalysisFacts(BaseModel):
    """The analysis of a finished game."""

    table: str
    status: Literal["none", "waiting", "running", "failed", "finished"]
    done: int = Field(description="The number of actions that have been judged.")
    actions: int = Field(description="The number of all actions.")
    analysis: dict[str, Any] | None = Field(
        description="The analysis, as `almunia analyse --json` prints it; null until it is finished."
    )


class Mark(BaseModel):
    """The data of an event `position`: your seat could notice a change at a table."""

    table: str
    seat: int | None = Field(description="Your seat; null after you have left it permanently.")
    seen: int
    your_turn: bool
    finished: bool


class RatingFacts(BaseModel):
    """Your rating in a game."""

    game: str
    rating: int = Field(description="The rating on the Elo scale; a new player has 1500.")
    doubt: int = Field(description="The half-width of the 95% interval.")
    games: int = Field(description="The number of rated games.")


class RecordFacts(BaseModel):
    """Your results in a game with a number of seats."""

    game: str
    seats: int
    games: int
    won: int
    lost: int
    average: float | None = Field(description="The average points of games that were played to the end.")
    best: int | None


class Profile(BaseModel):
    """Your ratings and results."""

    shown: list[str] = Field(description="Public parts: page, results, opponents, boards, daily, lobby.")
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
    """A score in a daily deal."""

    name: str
    place: int
    points: int
    bot: bool
    mine: bool


class DailyDeal(BaseModel):
    """A running daily deal."""

    deal: str
    game: str
    ends: float = Field(description="Seconds since 1970.")
    table: str | None = Field(description="The table of your try; null without one.")
    finished: bool = Field(description="Whether you have finished the deal.")
    results: list[Reached] | None = Field(description="Null until you have finished the deal with an account.")


class DailyDeals(BaseModel):
    """The running daily deals."""

    deals: list[DailyDeal]


class LeaguePlace(BaseModel):
    """A player in a division of a league."""

    name: str
    mine: bool
    place: int = Field(description="In the division.")
    points: int | None = Field(description="In the deal of the week; null without a result.")
    change: int = Field(description="-1 if the player goes up after the week, 1 if the player goes down; else 0.")


class League(BaseModel):
    """The divisions of a league in one week, the highest first."""

    divisions: list[list[LeaguePlace]]


class PuzzleFacts(BaseModel):
    """A puzzle, as its seat sees the position."""

    puzzle: str
    game: str
    seat: SeatNumber
    tried: bool = Field(description="Whether you have tried it with an account, so that another answer is not rated.")
    legal: list[Legal]
    observation: dict[str, Any]
    text: str


class PuzzleAnswer(RequestBody):
    """An answer to a puzzle."""

    action: Count = Field(description="The code of a legal action.")


class PuzzleChance(BaseModel):
    """The worth of an action of a puzzle."""

    action: int
    words: str
    chance: float | None = Field(description="To win, 0 to 1; null with a single seat.")
    points: float = Field(description="The lead over the best other seat; with a single seat, its points.")
    solves: bool = Field(description="Whether the action is right.")


class PuzzleVerdict(BaseModel):
    """The verdict on an answer to a puzzle."""

    puzzle: str
    solved: bool
    answers: list[PuzzleChance] = Field(description="The best actions, the best one first.")
    gap: float = Field(description="The chance that the best wrong action loses, 0 to 1.")
    interval: list[float] = Field(description="The 95% interval of the gap.")
    themes: list[str]
    rating: int | None = Field(description="Your rating for puzzles of this game; null without an account.")
    doubt: int | None = Field(description="The half-width of the rating's 95% interval.")
    streak: int = Field(description="The days in a row on which you have solved the puzzle of the day.")


class TournamentFacts(BaseModel):
    """A tournament in a list of tournaments."""

    id: str
    name: str
    game: str
    kind: str = Field(description="`swiss`, `round-robin`, `groups` or `arena`.")
    seats: int = Field(description="The number of players at a table.")
    places: int
    rounds: int = Field(description="0 for an arena, which ends by time, and for other kinds that depend on entries.")
    minutes: int = Field(description="The length of an arena; else 0.")
    groups: int = Field(description="The number of groups; 0 without groups.")
    finalists: int = Field(description="The number of players of each group in the final.")
    ends_at: float = Field(description="When the last game of an arena may begin, in seconds since 1970; else 0.")
    round: int = Field(description="The current round; 0 before the start.")
    status: str = Field(description="`open` to enter, `running`, `finished` or `cancelled`.")


class Tournaments(BaseModel):
    """Tournaments."""

    tournaments: list[TournamentFacts]


class TournamentPlace(BaseModel):
    """A line of the standings of a stage of a tournament."""

    stage: str = Field(description="`Final` or `Group 1`; empty if there is one stage.")
    number: int = Field(description="The number of the player in the tournament.")
    name: str
    mine: bool
    place: int
    points: float = Field(
        description="A point for each opponent placed lower, half a point for each who shares the place."
    )
    opponents: float = Field(description="The sum of the points of all opponents, which decides equal points first.")
    wins: int
    share: float = Field(description="The sum of the player's shares of the tables' scores.")


class TournamentGame(BaseModel):
    """A table or a bye of a round."""

    round: int
    table: str | None = Field(description="The id of the table; null for a bye.")
    players: list[int] = Field(description="The numbers of the players, by seat.")
    points: list[float] | None = Field(description="The points of the players; null until the game is over.")


class TournamentDetail(TournamentFacts):
    """A tournament with the standings of its stages, the final and the best player first, and its games."""

    standings: list[TournamentPlace]
    games: list[TournamentGame]
