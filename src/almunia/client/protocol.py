"""The protocol of the client as generators of steps, without any network code.

A step is a request, a pause, or a choice. `client` and `async_client` carry out the steps. An action whose answer is
lost is sent again with the same `seen`. The site applies an action only once for a version of the table.
"""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from operator import index
from random import uniform
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from ..errors import AlmuniaError, Unreachable
from .models import Analysis, Opening, OpenTable, Position, Table, TableChange, TableSummary

T = TypeVar("T")

API = "/api/v1"
EVENTS = f"{API}/events"
DEFAULT_PARTS = ("data", "legal")  # of a position
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.25, 15.0  # of pauses between attempts, which double
MIN_JITTER = 0.7  # a pause is multiplied by a random factor from this to 1
OK, CONFLICT, TOO_MANY_REQUESTS = 200, 409, 429
UNCERTAIN_STATUSES = (0, 500, 502, 503, 504)  # statuses that leave open whether the request took effect
STREAM_TIMEOUT_SECONDS = 45.0  # without data, after which a stream is reopened


class Lost(Unreachable):
    """The error if the site does not answer, in spite of all safe retries. The request may have taken effect."""


class Refused(AlmuniaError):
    """A refusal by the site, with its sentence, the HTTP status, and the seconds to wait before a retry."""

    def __init__(self, sentence: str, status: int, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status, self.wait = status, wait


class Stale(Refused):
    """A refusal because the game has moved on. The request had no effect. `position` is the current position."""

    def __init__(self, sentence: str, status: int, position: Position) -> None:
        super().__init__(sentence, status)
        self.position = position


class Ask(NamedTuple):
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Any] | None = None


class Pause(NamedTuple):
    seconds: float


class Choose(NamedTuple):
    position: Position


class Answer(NamedTuple):
    """The result of a step. Status 0 means that no answer came."""

    status: int = 0
    data: Any = None
    wait: float = 0.0  # seconds to wait before a retry, as the site says
    chosen: Sequence[int] = ()  # action codes, as the result of a choice
    why: str = ""  # error of the network, if no answer came


Step = Ask | Pause | Choose
Flow = Generator[Step, Answer, T]  # its result has type T


def pauses(retry_seconds: float, draw: Callable[[float, float], float] = uniform) -> Iterator[float]:
    """Yield the seconds to wait before each retry, which grow, until they add up to about `retry_seconds`."""
    pause, total = MIN_PAUSE_SECONDS, 0.0
    while total < retry_seconds:
        yield pause * draw(MIN_JITTER, 1.0)  # spreads the retries of many clients
        total += pause
        pause = min(2 * pause, MAX_PAUSE_SECONDS)


def is_retryable(answer: Answer) -> bool:
    return answer.status in UNCERTAIN_STATUSES or answer.status == TOO_MANY_REQUESTS


def unwrap(answer: Answer) -> Any:
    """Return the data of an answer. Raise Refused or Stale for a refusal, and Lost if there is no usable answer."""
    if OK <= answer.status < OK + 100:
        return answer.data
    data = answer.data if isinstance(answer.data, dict) else {}
    if is_retryable(answer) and "error" not in data:
        why = f" ({answer.why})" if answer.why else ""
        raise Lost(
            f"The site does not answer{why}. The request may have taken effect: read the table before you repeat it."
        )
    sentence = str(data.get("error", f"The site answers with status {answer.status}."))
    if answer.status == CONFLICT and "position" in data:
        raise Stale(sentence, answer.status, Position.read(data["position"]))
    raise Refused(sentence, answer.status, answer.wait)


def send(ask: Ask, retry_seconds: float, *, idempotent: bool = True) -> Flow[Any]:
    """Send a request, with retries for `retry_seconds` seconds, and return the data of the answer.

    A request that is not idempotent is sent again only after a refusal for the rate limit. Raise the errors of
    `unwrap` for the last answer.
    """
    answer = yield ask
    for pause in pauses(retry_seconds):
        may_repeat = is_retryable(answer) if idempotent else answer.status == TOO_MANY_REQUESTS
        if not may_repeat or answer.wait > retry_seconds:
            break
        yield Pause(max(pause, answer.wait))
        answer = yield ask
    return unwrap(answer)


# --- requests -------------------------------------------------------------------------------------


def resource_path(what: str, name: str, below: str = "") -> str:
    return f"{API}/{what}/{quote(name, safe='')}{below}"


def get(path: str, retry_seconds: float, key: str = "", query: Mapping[str, Any] | None = None) -> Flow[Any]:
    """Return the data at a path, or the value of `key` in the data."""
    data = yield from send(Ask("GET", path, query=query), retry_seconds)
    return data[key] if key else data


def tables(retry_seconds: float) -> Flow[list[TableSummary]]:
    summaries: list[TableSummary] = []
    page, page_count = 1, 1
    while page <= page_count:
        data = yield from get(f"{API}/tables", retry_seconds, query={"page": page})
        summaries += [TableSummary.read(one) for one in data["tables"]]
        page, page_count = page + 1, data["pages"]
    return summaries


def request_table(ask: Ask, retry_seconds: float, *, idempotent: bool = False) -> Flow[Table]:
    return Table.read((yield from send(ask, retry_seconds, idempotent=idempotent)))


def change(table: str, what: str, retry_seconds: float, /, **body: Any) -> Flow[Table]:
    return request_table(Ask("POST", resource_path("tables", table, f"/{what}"), body), retry_seconds)


def analysis(table: str, retry_seconds: float, *, request: bool) -> Flow[Analysis]:
    ask = Ask("POST" if request else "GET", resource_path("tables", table, "/analysis"))
    return Analysis.read((yield from send(ask, retry_seconds, idempotent=True)))


def open_request(game: str, seats: Iterable[str], chosen: Opening) -> Ask:
    """Return the request that opens a table, without settings that are None. Raise TypeError for an unknown name."""
    settings = Opening.__annotations__
    if unknown := next((name for name in chosen if name not in settings), None):
        raise TypeError(f"A table has no {unknown!r}; it has {', '.join(settings)}.")
    body = {name: value for name, value in chosen.items() if value is not None}
    return Ask("POST", f"{API}/tables", {"game": game, "seats": list(seats), **body})


def open_tables(retry_seconds: float) -> Flow[list[OpenTable]]:
    return [OpenTable.read(one) for one in (yield from get(f"{API}/open-tables", retry_seconds, "tables"))]


def position(table: str, include: Iterable[str], view: str, retry_seconds: float) -> Flow[Position]:
    query = {"include": parts(include), "view": view}
    return Position.read((yield from get(resource_path("tables", table, "/position"), retry_seconds, query=query)))


def act(now: Position, path: str, body: Mapping[str, Any], retry_seconds: float) -> Flow[Position]:
    """Act in a position, and return the position afterwards.

    If the site's answer is lost, this function sends the same request again. If the site then answers that the game has
    moved on, return the current position, since the lost request has probably taken effect. A request is also sent
    again after a refusal for the rate limit.

    Raises:
        Stale: the game has moved on, and no attempt can have taken effect.
        Refused: the site does not allow the action.
        Lost: the site has not answered for `retry_seconds` seconds.
    """
    ask = Ask("POST", resource_path("tables", now.table, path), {**body, "seat": now.seat, "seen": now.seen})
    answer, may_have_arrived = (yield ask), False
    for pause in pauses(retry_seconds):
        if not is_retryable(answer) or answer.wait > retry_seconds:
            break
        may_have_arrived |= answer.status in UNCERTAIN_STATUSES
        yield Pause(max(pause, answer.wait))
        answer = yield ask
    try:
        return Position.read(unwrap(answer))
    except Stale as stale:
        if progress_key(stale.position) == progress_key(now):
            raise Refused(str(stale), stale.status) from None
        if may_have_arrived:
            return stale.position
        raise


def progress_key(now: Position) -> tuple[int, bool, bool]:
    """Return the fields of a position that show whether the game has moved on."""
    return now.seen, now.your_turn, now.finished


def is_done(then: Position, table: str | None) -> bool:
    """Return whether a position is at `table`, and the game is over or you have no seat there."""
    return then.table == table and (then.finished or then.seat is None)


def play_turn(table: str, include: Iterable[str], retry_seconds: float) -> Flow[Position]:
    """Choose and act at a table as long as it is your turn, and return the position after your turn."""
    now = yield from position(table, include, "seat", retry_seconds)
    while now.your_turn:
        chosen = (yield Choose(now)).chosen
        try:
            after = yield from act(now, "/move", {"actions": list(chosen)}, retry_seconds)
        except Stale as stale:
            after = stale.position
        has_parts = not after.your_turn or set(parts(include)) <= set(DEFAULT_PARTS)
        now = after if has_parts else (yield from position(table, include, "seat", retry_seconds))
    return now


def log(table: str, retry_seconds: float) -> Flow[list[str]]:
    lines: list[str] = []
    start, total = 0, 1
    while start < total:
        data = yield from get(resource_path("tables", table, "/log"), retry_seconds, query={"start": start})
        lines += [line for entry in data["entries"] for line in entry["lines"]]
        start, total = start + max(1, len(data["entries"])), data["total"]
    return lines


def codes(chosen: Any) -> list[int]:
    """Return the codes of a choice: a code, several codes, or one of the position's legal actions or courses.

    Raise TypeError for other choices.
    """
    if hasattr(chosen, "actions"):
        return list(chosen.actions)
    if hasattr(chosen, "action"):
        return [chosen.action]
    several = chosen if isinstance(chosen, Iterable) and not isinstance(chosen, str | Mapping) else [chosen]
    try:
        return [index(code) for code in several]
    except TypeError:
        meant = "a code, several codes, or one of the position's legal actions or courses"
        raise TypeError(f"A choice is {meant}, not {chosen!r}.") from None


def parts(include: Iterable[str]) -> list[str]:
    return [include] if isinstance(include, str) else list(include)


# --- events ------------------------------------------------------------------------------------------


class Event(NamedTuple):
    name: str
    data: str


def table_to_read(event: Event, table: str | None) -> str | None:
    """Return the table to read after an event, or None. `table` is the table being played, or None for all."""
    match event.name:
        case "position":
            change = TableChange.read(json.loads(event.data))
            ends = change.finished or (change.seat is None and table is not None)
            is_wanted = table in (None, change.table) and (change.your_turn or ends)
            return change.table if is_wanted else None
        case "ready":
            return table  # the game may have ended while the stream was closed
    return None


class EventListener:
    """A parser for a stream of events, and the pauses before the stream is reopened, `retry_seconds` seconds in all."""

    def __init__(self, retry_seconds: float) -> None:
        self._retry_seconds, self._pauses = retry_seconds, pauses(retry_seconds)
        self._min_pause = 0.0  # seconds, as the site says
        self._name, self._data = "message", list[str]()

    def reject(self, answer: Answer) -> None:
        """Store the wait time of an answer that is not a stream. Raise Refused if the answer forbids a retry."""
        if not is_retryable(answer):
            unwrap(answer)
        self._min_pause = answer.wait

    def feed(self, line: str) -> Event | None:
        """Return the event that ends with a line, or None. Raise Refused if the site has ended the stream for good.

        An event restarts the `retry_seconds` seconds.
        """
        if line:
            name, _, value = line.partition(":")
            if name == "event":
                self._name = value.removeprefix(" ")
            elif name == "data":
                self._data.append(value.removeprefix(" "))
            return None
        event = Event(self._name, "\n".join(self._data)) if self._data else None
        self._name, self._data = "message", []
        if event and event.name == "over":
            raise Refused(json.loads(event.data)["error"], CONFLICT)
        if event:
            self._pauses = pauses(self._retry_seconds)
        return event

    def pause(self) -> float:
        """Return the seconds to wait before the stream is reopened. Raise Lost after `retry_seconds` seconds."""
        min_pause, self._min_pause = self._min_pause, 0.0
        self._name, self._data = "message", []
        for pause in self._pauses:
            return max(pause, min_pause)
        raise Lost("The site does not answer.")
