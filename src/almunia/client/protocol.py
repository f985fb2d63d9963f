"""What is asked of a site, step by step, without a network: `sync` and `aio` carry the steps out.

A step is something to ask, a pause, or a choice to be made. Whatever is tried again is looked at first: an answer that
was lost does not mean that nothing was done.
"""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from operator import index
from random import uniform
from typing import Any, NamedTuple
from urllib.parse import quote

from ..errors import AlmuniaError
from .models import Mark, Opening, OpenTable, Position, Row, Table

API = "/api/v1"
EVENTS = f"{API}/events"
PARTS = ("data", "legal")  # of a position, unless others are asked for
FIRST, LONGEST = 0.25, 15.0  # seconds of pauses before something is tried again: they double
LEAST = 0.7  # of a pause, which is shortened at random
OK, CONFLICT, SLOWER = 200, 409, 429
NO_ANSWER = (0, 500, 502, 503, 504)  # that says whether something was done
SILENCE = 45.0  # seconds without a sign of life after which a stream is opened anew


class Lost(AlmuniaError):
    """No answer, however often it was tried. What was to be done may have been done."""


class Refused(AlmuniaError):
    """What the site refuses: its sentence, the status of its answer, and for how many seconds it wants one to wait."""

    def __init__(self, sentence: str, status: int, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status, self.wait = status, wait


class Stale(Refused):
    """The game has moved on, and nothing was done; `position` is how it stands now."""

    def __init__(self, sentence: str, status: int, position: Position) -> None:
        super().__init__(sentence, status)
        self.position = position


class Ask(NamedTuple):
    """Something to ask a site."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Any] | None = None


class Pause(NamedTuple):
    """Nothing, for so many seconds."""

    seconds: float


class Choose(NamedTuple):
    """A choice to be made."""

    position: Position


class Answer(NamedTuple):
    """What came back: status 0 if nothing did."""

    status: int = 0
    data: Any = None
    wait: float = 0.0  # seconds that the site wants one to wait
    chosen: Sequence[int] = ()  # of a choice
    why: str = ""  # nothing came back, as the network says it


Step = Ask | Pause | Choose


def pauses(patience: float, draw: Callable[[float, float], float] = uniform) -> Iterator[float]:
    """Seconds to wait before something is tried again: more and more, and so many in all."""
    pause, total = FIRST, 0.0
    while total < patience:
        yield pause * draw(LEAST, 1.0)  # so that not all come back at once
        total += pause
        pause = min(2 * pause, LONGEST)


def checked(answer: Answer) -> Any:
    """The data of an answer; Refused, or Stale, if it is a refusal."""
    if OK <= answer.status < OK + 100:
        return answer.data
    said = answer.data if isinstance(answer.data, dict) else {}
    sentence = str(said.get("error", f"The site answers with status {answer.status}."))
    if answer.status == CONFLICT and "position" in said:
        raise Stale(sentence, answer.status, Position.read(said["position"]))
    raise Refused(sentence, answer.status)


def failed(answer: Answer) -> bool:
    """Is this to be tried again, later?"""
    return answer.status in NO_ANSWER or answer.status == SLOWER


def gone(answer: Answer) -> AlmuniaError:
    """What is raised when patience is at its end."""
    if isinstance(answer.data, dict) and "error" in answer.data:
        return Refused(str(answer.data["error"]), answer.status, answer.wait)
    why = f" ({answer.why})" if answer.why else ""
    return Lost(f"The site does not answer{why}. What was to be done may have been done: look before you repeat it.")


def repeated(ask: Ask, patience: float) -> Generator[Step, Answer, Any]:
    """Ask for what changes nothing, or nothing more the second time, until there is an answer."""
    answer = yield ask
    for pause in pauses(patience):
        if not failed(answer) or answer.wait > patience:
            break
        yield Pause(max(pause, answer.wait))
        answer = yield ask
    if failed(answer):
        raise gone(answer)
    return checked(answer)


def once(ask: Ask, patience: float) -> Generator[Step, Answer, Any]:
    """Ask for what must not be done twice: again only where the site has said that it did nothing, for want of time."""
    answer = yield ask
    for pause in pauses(patience):
        if answer.status != SLOWER or answer.wait > patience:
            break
        yield Pause(max(pause, answer.wait))
        answer = yield ask
    if failed(answer):
        raise gone(answer)
    return checked(answer)


# --- what a program asks for -------------------------------------------------------------------------


def table_path(table: str, more: str = "") -> str:
    """The address of a table."""
    return f"{API}/tables/{quote(table, safe='')}{more}"


def named(what: str, name: str) -> str:
    """The address of one of several."""
    return f"{API}/{what}/{quote(name, safe='')}"


def tables(patience: float) -> Generator[Step, Answer, list[Row]]:
    """All tables of the guest, page by page."""
    rows: list[Row] = []
    page, pages = 1, 1
    while page <= pages:
        data = yield from repeated(Ask("GET", f"{API}/tables", query={"page": page}), patience)
        rows += [Row.read(row) for row in data["tables"]]
        page, pages = page + 1, data["pages"]
    return rows


def seated(ask: Ask, patience: float, *, again: bool = False) -> Generator[Step, Answer, Table]:
    """Something that is answered by a table; done `again` after a lost answer if that changes nothing more."""
    data = yield from (repeated if again else once)(ask, patience)
    return Table.read(data)


def opening(game: str, seats: Iterable[str], chosen: Opening) -> Ask:
    """To open a table; what is None is left to the site. TypeError if something is chosen that no table has."""
    known = Opening.__annotations__
    if unknown := next((name for name in chosen if name not in known), None):
        raise TypeError(f"A table has no {unknown!r}; it has {', '.join(known)}.")
    wanted = {name: value for name, value in chosen.items() if value is not None}
    return Ask("POST", f"{API}/tables", {"game": game, "seats": list(seats), **wanted})


def open_tables(patience: float) -> Generator[Step, Answer, list[OpenTable]]:
    """The tables in the lobby at which anybody may sit down."""
    data = yield from repeated(Ask("GET", f"{API}/open-tables"), patience)
    return [OpenTable.read(one) for one in data["tables"]]


def sitting(handle: str) -> Ask:
    """To sit down at one of them; sent twice it is done once."""
    return Ask("POST", f"{API}/open-tables/{quote(handle, safe='')}/sit", {})


def position(table: str, include: Iterable[str], view: str, patience: float) -> Generator[Step, Answer, Position]:
    """The position at a table."""
    query = {"include": parts(include), "view": view}
    data = yield from repeated(Ask("GET", table_path(table, "/position"), query=query), patience)
    return Position.read(data)


def deed(now: Position, path: str, body: Mapping[str, Any], patience: float) -> Generator[Step, Answer, Position]:
    """Do something in a position. After a lost answer the table is looked at, and it is sent again only if not done.

    Stale if the game has moved on before it was first sent; Refused if it stands as it did, and this cannot be done.
    """
    ask = Ask("POST", table_path(now.table, path), {**body, "seat": now.seat, "seen": now.seen})
    answer = yield ask
    for pause in pauses(patience):
        if not failed(answer) or answer.wait > patience:
            break
        yield Pause(max(pause, answer.wait))
        then = yield from position(now.table, PARTS, "seat", patience)
        if then.seen != now.seen:
            return then
        answer = yield ask
        if answer.status == CONFLICT and "position" in answer.data:
            return Position.read(answer.data["position"])  # the first one has arrived after all
    if failed(answer):
        raise gone(answer)
    try:
        return Position.read(checked(answer))
    except Stale as stale:
        if standing(stale.position) == standing(now):
            raise Refused(str(stale), stale.status) from None
        raise


def standing(now: Position) -> tuple[int, bool, bool]:
    """By what one knows whether a game has moved on."""
    return now.seen, now.your_turn, now.finished


def is_done(then: Position, table: str | None) -> bool:
    """Is this the table at which one plays, and is it over, or has one no seat there?"""
    return then.table == table and (then.finished or then.seat is None)


def answered(table: str, include: Iterable[str], patience: float) -> Generator[Step, Answer, Position]:
    """Choose and act at a table as long as it is one's turn there; returns how it stands then."""
    now = yield from position(table, include, "seat", patience)
    while now.your_turn:
        chosen = (yield Choose(now)).chosen
        try:
            after = yield from deed(now, "/act", {"actions": list(chosen)}, patience)
        except Stale as stale:
            after = stale.position
        whole = not after.your_turn or set(parts(include)) <= set(PARTS)
        now = after if whole else (yield from position(table, include, "seat", patience))
    return now


def log(table: str, patience: float) -> Generator[Step, Answer, list[str]]:
    """The log at a table, line by line."""
    lines: list[str] = []
    start, total = 0, 1
    while start < total:
        data = yield from repeated(Ask("GET", table_path(table, "/log"), query={"start": start}), patience)
        lines += [line for entry in data["entries"] for line in entry["lines"]]
        start, total = start + max(1, len(data["entries"])), data["total"]
    return lines


def codes(chosen: Any) -> list[int]:
    """The actions that were chosen: a code, several, or one of the position's legal actions or courses."""
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
    """The parts of a position that are wanted, also where only one is named."""
    return [include] if isinstance(include, str) else list(include)


# --- events ------------------------------------------------------------------------------------------


class Event(NamedTuple):
    """An event of a stream."""

    name: str
    data: str


class Parser:
    """Puts events together from the lines of a stream."""

    def __init__(self) -> None:
        self._name, self._data = "message", list[str]()

    def read(self, line: str) -> Event | None:
        """The event that ends with this line, if one does; Refused if it says that the stream is over for good."""
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._name = value
            elif name == "data":
                self._data.append(value)
            return None
        event = Event(self._name, "\n".join(self._data)) if self._data else None
        self._name, self._data = "message", []
        if event and event.name == "over":
            raise Refused(json.loads(event.data)["error"], CONFLICT)
        return event


def due(event: Event, table: str | None) -> str | None:
    """The table to look at after an event, where one plays at a table, or at all of them."""
    match event.name:
        case "position":
            mark = Mark.read(json.loads(event.data))
            ends = mark.finished or (mark.seat is None and table is not None)
            wanted = table in (None, mark.table) and (mark.your_turn or ends)
            return mark.table if wanted else None
        case "ready":
            return table  # it may have ended while nobody listened
    return None


class Listening:
    """What is heard of a stream that is opened anew whenever it breaks off, for as long as there is patience."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._waits, self._parser = pauses(patience), Parser()
        self._least = 0.0  # seconds for which the site wants one to wait

    def refused(self, answer: Answer) -> None:
        """There is an answer, and it is no stream: Refused if it is no use to ask again."""
        if not failed(answer):
            checked(answer)
        self._least = answer.wait

    def heard(self, line: str) -> Event | None:
        """The event that ends with a line, if one does."""
        event = self._parser.read(line)
        if event:
            self._waits = pauses(self._patience)
        return event

    def pause(self) -> float:
        """For how many seconds to wait before the stream is opened anew; Lost if patience is at its end."""
        wait, self._least, self._parser = self._least, 0.0, Parser()
        for pause in self._waits:
            return max(pause, wait)
        raise Lost("The site does not answer.")
