"""The cards of the seats at a table: player, points, last action and clock; and the menus of seats."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, groupby
from typing import NamedTuple

from markupsafe import Markup

from ...core.contract import NONE, Role
from ...core.english import signed
from ...core.memoize import memoize
from ...play.panels import RenderedPanel
from ...play.play import Observation
from ..hashes import short_hash
from ..lobby.repository import Listing
from ..tables.clocks import CORRESPONDENCE, REALTIME
from ..tables.log import LogEntry
from ..tables.model import OPEN, Table
from ..tables.seats import bot_name
from ..tables.viewer import Viewer
from .game_icons import IconSet
from .log import groups
from .templating import fragment

MAX_CACHED_VIEWS = 256  # of up to 10 KB
LOW_TIME_SECONDS = {REALTIME: 30, CORRESPONDENCE: 6 * 3600}  # remaining time that counts as low


class LastAct(NamedTuple):
    """The log's lines about the last action of a seat, and its points."""

    words: Markup  # the lines of the log, without the seat's name
    gain: int  # its points, unless the first line says them


class ClockFace(NamedTuple):
    """The display of a clock."""

    left: str
    due: float | None  # when the time is up, if the clock is running
    is_low: bool  # less than `low_seconds` are left
    low_seconds: int  # that count as low


class SeatScore(NamedTuple):
    """The points, rank and facts of a seat in a view."""

    points: int
    rank: int
    tie_breaks: tuple[tuple[str, int], ...]
    facts: tuple[tuple[str, str], ...]


@memoize(lambda view: (view.game, view.to_state()), MAX_CACHED_VIEWS)
def seat_scores(view: Observation) -> tuple[SeatScore, ...]:
    """Return the points, rank and facts of each seat in a view, cached for all viewers who see the same."""
    scores, ranks, text = view.score_table(), view.ranks(), view.game.text
    return tuple(
        SeatScore(
            int(scores[p][0]),
            ranks[p],
            tuple(view.tie_breaks(p)) if view.over else (),
            tuple(text.seat_facts(view.state, p)),
        )
        for p in range(view.seats)
    )


@dataclass(frozen=True)
class SeatCard:
    """The card of a seat."""

    seat: int
    name: str
    real_name: str  # the player's name at the table, if the card shows another name, such as You
    kind: str
    is_own: bool
    is_viewed: bool  # the table is viewed from this seat
    points: int
    rank: int
    tie_breaks: tuple[tuple[str, int], ...]  # at the end: labels and values that broke ties
    facts: tuple[tuple[str, str], ...]  # labels and values
    turn_label: str  # "to move" or "thinking"; empty if another seat is to move
    substitute: str  # the name of the substitute bot
    last_act: LastAct | None  # None before the first
    # In the present:
    unready: str = ""  # what its bot does until the game is compiled; empty if it is
    away: str = ""  # how long the player has been away, unless all share one screen
    is_on_vacation: bool = False
    is_present: bool = False  # and not all share one screen
    clock: ClockFace | None = None  # None without clocks


def seat_cards(
    table: Table,
    view: Observation,
    viewer: Viewer,
    name: Callable[[int], str],
    entries: tuple[LogEntry, ...],
    live: bool = True,
) -> list[SeatCard]:
    """Return a card for each seat, the viewer's first; a bot is "thinking" only if the position is `live`."""
    scores, first, seats = seat_scores(view), max(viewer.seat, 0), list(enumerate(table.seats))
    return [
        SeatCard(
            seat=p,
            name=name(p),
            real_name="" if seat.kind == OPEN or name(p) == seat.name else seat.name,
            kind=seat.kind,
            is_own=p in viewer.seats,
            is_viewed=p == viewer.seat,
            points=scores[p].points,
            rank=scores[p].rank,
            tie_breaks=scores[p].tie_breaks,
            facts=scores[p].facts,
            turn_label=turn_label(table, view, p, live),
            substitute=bot_name(seat.substitute_bot) if seat.substitute_bot else "",
            last_act=last_act(entries, p),
        )
        for p, seat in seats[first:] + seats[:first]
    ]


class SeatMenu(NamedTuple):
    """The actions and facts of a seat's menu, for its template."""

    seat: int
    name: str
    kind: str
    is_own: bool
    actions: frozenset[str]
    invitation: str  # the link to an open seat, or empty
    address: str  # of the table
    occupant: str  # the player's name at the table
    friends: tuple[tuple[str, str], ...]  # handles and names of friends who can be invited
    mails: bool  # whether the site sends mails
    typed: str  # an address to which an invitation could not be sent
    is_flagged: bool  # whether the time of another seat is up
    is_rated: bool
    has_open_seats: bool
    listing: Listing
    watch_link: str
    rating_warning: str  # a sentence on what a substitute bot means for a rating
    terms: str  # a sentence on the consequences of a time-out
    resigning: str  # a sentence on the consequences of resigning


class SeatFragment(NamedTuple):
    """The section of a seat on a page, with a hash by which browsers keep it."""

    name: str
    hash: str
    card: SeatCard
    card_html: Markup
    boards: list[RenderedPanel]
    menu_html: Markup  # below the boards


def seat_fragment(
    card: SeatCard, icons: IconSet, panels: Iterable[RenderedPanel], several: bool, menu_html: Markup
) -> SeatFragment:
    """Return the section of a seat, with its boards among `panels` if an opponent sits there."""
    card_html = fragment("_seat_card.html", card=card, several=several, icon_set=icons)
    boards = [panel for panel in panels if panel.role == Role.OPPONENT and panel.seat == card.seat]
    content = (card_html, menu_html, card.turn_label, str(card.is_viewed), *(panel.digest for panel in boards))
    digest = short_hash(chr(0).join(content).encode())
    return SeatFragment(f"seat-{card.seat}", digest, card, card_html, boards, menu_html)


def turn_label(table: Table, view: Observation, seat: int, live: bool) -> str:
    """Return "to move" or "thinking" for the seat to move; else an empty string."""
    if table.finished or table.awaits_deal or view.turn != seat:
        return ""
    return "thinking" if live and table.seats[seat].bot else "to move"


def last_act(entries: tuple[LogEntry, ...], seat: int) -> LastAct | None:
    """Return the log's lines about a seat's last action, and its points; None without such lines.

    The last action may have no line about the seat, for example if it is secret at first. In this case the result has
    the latest entry with a line about the seat, without points.
    """
    own = dropwhile(lambda one: one.seat != seat, latest_acts(entries))
    runs = (tuple(run) for _, run in groupby(own, lambda one: (one.seat, one.turn)))
    acts = next(runs, ())[::-1]  # the seat's last acts within one turn, up to an act of another seat
    words, gain = lines_about(acts, seat), sum(one.gain for one in acts)
    if not words:
        words, gain = next((said for one in latest_acts(entries) if (said := lines_about((one,), seat))), []), 0
    if not words:
        return None
    return LastAct(Markup(" · ").join(words), 0 if f">{signed(gain)}<" in words[0] else gain)


def latest_acts(entries: tuple[LogEntry, ...]) -> Iterator[LogEntry]:
    """Yield the entries about actions that are no scorings, the latest first."""
    return (one for one in reversed(entries) if one.turn != NONE and not one.scoring)


def lines_about(acts: tuple[LogEntry, ...], seat: int) -> list[Markup]:
    return [said for group in groups(acts) for said in group.lines_about(seat)]
