"""The cards of the seats at a table: who sits there, how they stand, what they did last, and their clocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, groupby
from typing import NamedTuple

from markupsafe import Markup

from ...core.contract import NONE
from ...core.english import signed
from ...play.play import Observation
from ..tables.clocks import LIVE, SLOW
from ..tables.log import LogEntry
from ..tables.model import OPEN, Table
from ..tables.seats import bot_name
from ..tables.viewer import Viewer
from .log import groups

LOW_TIME_SECONDS = {LIVE: 30, SLOW: 6 * 3600}  # seconds on a clock that are little


class LastAct(NamedTuple):
    """What a seat did when it last moved."""

    words: Markup  # the lines of the log, without its name
    gain: int  # points that it brought, unless its first line says so


class ClockFace(NamedTuple):
    """What a clock shows."""

    left: str
    due: float | None  # when it will be up, if it is running
    is_low: bool  # is little left?
    low_seconds: int  # seconds that are little


@dataclass(frozen=True)
class SeatCard:
    """What stands on the card of a seat."""

    seat: int
    name: str
    real_name: str  # what others and the log call its player, if that is another name; else empty
    kind: str
    is_own: bool
    is_viewed: bool  # is the table shown from this seat?
    points: int
    rank: int
    tie_breaks: tuple[
        tuple[str, int], ...
    ]  # by what its place was told from that of seats with as many points, at the end
    turn_label: str  # that the seat is to move, in a word or two; empty if it is not
    unready: str  # what its bot does until it can play as what it is; empty if it can
    substitute: str  # the bot that plays meanwhile, by its name
    away: str  # for how long its person has been away, if people play from several places; empty if it is here
    is_on_vacation: bool  # is its person on vacation?
    is_present: bool  # is its person here, and do people play from several places?
    clock: ClockFace | None  # what its clock shows, if there is one
    facts: list[tuple[str, str]]
    last_act: LastAct | None  # None if it is not known


def seat_cards(
    table: Table,
    view: Observation,
    reader: Viewer,
    name: Callable[[int], str],
    entries: tuple[LogEntry, ...],
    live: bool = True,
) -> list[SeatCard]:
    """A card for each seat; bots think only where the position is `live`."""
    count = len(table.seats)
    own = max(reader.seat, 0)
    table_of_scores = view.score_table()
    places = view.ranks()
    return [
        SeatCard(
            seat=p,
            name=name(p),
            real_name="" if table.seats[p].kind == OPEN or name(p) == table.seats[p].name else table.seats[p].name,
            kind=table.seats[p].kind,
            is_own=p in reader.held,
            is_viewed=p == reader.seat,
            points=int(table_of_scores[p][0]),
            rank=places[p],
            tie_breaks=view.tie_breaks(p) if view.over else (),
            turn_label=turn_label(table, view, p, live),
            unready="",
            substitute=bot_name(table.seats[p].stand_in) if table.seats[p].stand_in else "",
            away="",
            is_on_vacation=False,
            is_present=False,
            clock=None,
            facts=view.game.text.seat_facts(view.state, p),
            last_act=last_act(entries, p),
        )
        for p in ((own + i) % count for i in range(count))
    ]


def turn_label(table: Table, view: Observation, seat: int, live: bool) -> str:
    """That a seat is to move, in a word or two; empty if it is not."""
    if table.finished or table.undealt or view.turn != seat:
        return ""
    return "thinking" if live and table.seats[seat].bot else "to move"


def last_acts(acts: Iterator[LogEntry], seat: int) -> tuple[LogEntry, ...]:
    """The last acts of a seat within one turn without an act of others between them; `acts` go backwards."""
    mine = dropwhile(lambda one: one.seat != seat, acts)
    runs = (tuple(run) for _, run in groupby(mine, lambda one: (one.seat, one.turn)))
    return next(runs, ())[::-1]


def last_act(entries: tuple[LogEntry, ...], seat: int) -> LastAct | None:
    """What a seat did when it last moved, as the log tells it: what only followed from it begins with no name.

    Where its own acts tell nothing of it, as those that are secret until all have moved, another one's act does.
    """
    plain = [one for one in reversed(entries) if one.turn != NONE and not one.scoring]
    acts = last_acts(iter(plain), seat)
    words, gain = lines_about(acts, seat), sum(one.gain for one in acts)
    if not words:
        words, gain = next((said for one in plain if (said := lines_about((one,), seat))), []), 0
    if not words:
        return None
    return LastAct(Markup(" · ").join(words), 0 if f">{signed(gain)}<" in words[0] else gain)


def lines_about(acts: tuple[LogEntry, ...], seat: int) -> list[Markup]:
    """What log entries tell of a seat."""
    return [said for group in groups(acts) for said in group.lines_about(seat)]
