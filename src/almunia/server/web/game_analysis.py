"""The analysis of a finished game on its pages: chart, accuracies, costly choices, and sentences about them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ...analysis import BLUNDER, GOOD, INACCURACY, MISTAKE, Decision, PlayAnalysis
from ...core.english import pluralize
from ...core.rich_text import plain_text
from ...luck import Balance, win_shares
from ...play.panels import RenderedPanel, preview, short_digest
from ..jobs.analysis_queue import FINISHED, RUNNING, WAITING, AnalysisQueue, AnalysisState
from ..networks import HiddenNetworks
from ..tables.rendering import isolate_bidi
from ..tables.service import TableService, check_position, require_finished
from ..tables.state import TableState
from ..tables.viewer import viewed_seat
from ..users.visitors import current_visitor
from .charts import BOTTOM, TOP, spread, ticks
from .forms import FormFields, redirect_back
from .routing import Router
from .templating import render

router = Router(prefix="/table/{table_id}/analysis")
MAX_CACHED = 64  # readings of games
LEFT, RIGHT = 40, 276  # edges of the curves in the chart, which is 340 by 200
SYMBOLS_PER_CURVE = 4
SYMBOLS = {INACCURACY: "?!", MISTAKE: "?", BLUNDER: "??"}  # of verdicts, as in chess
MARKED = (MISTAKE, BLUNDER)  # verdicts with a mark on the chart
COSTLIEST = 3  # choices that are explained
MIN_LEAD = 0.05  # of a chance over that of the leader before, for a change of the lead
MIN_TURN = 0.1  # of a chance; smaller changes are no turning points
MIN_LOST_POINTS = 0.5  # given away in all, to be mentioned
MINUS, NO_NUMBER = "\N{MINUS SIGN}", "\N{EN DASH}"
COUNTS = {1: "once", 2: "twice"}
END = "</svg>"


class Curve(NamedTuple):
    """The chance of a seat over the moves; with a single seat, the points given away so far."""

    seat: int
    path: str
    symbols: tuple[tuple[float, float], ...]  # positions of the seat's symbol on the curve
    end: float  # y of the label
    label: str  # the chance after the last move


class Mark(NamedTuple):
    """A mistake on the chart."""

    x: float
    y: float
    symbol: str
    about: str


class Chart(NamedTuple):
    """Curves over the positions of a game."""

    unit: str
    up: tuple[tuple[float, str], ...]  # the height of each grid line, and its label
    along: tuple[tuple[float, int], ...]  # positions of moves below the chart
    curves: tuple[Curve, ...]
    marks: tuple[Mark, ...]
    last: int  # the last position


class Player(NamedTuple):
    """The choices of a seat, together."""

    seat: int
    accuracy: int | None  # 0 to 100; None without choices
    counts: str  # such as: 2 mistakes, 1 blunder


class LuckRow(NamedTuple):
    """The parts of a seat's points in words, with 95% intervals."""

    seat: int
    sentence: str
    expected: str  # between greedy bots
    draws: str
    choices: str  # of all
    result: str
    chance: str  # by draws, in percentage points; empty if no seat affects another


class Choice(NamedTuple):
    """A costly choice in words."""

    number: int
    seat: int
    verdict: str
    chosen: str
    best: str
    cost: str


class Reading(NamedTuple):
    """The analysis of a game for a reader."""

    sentences: tuple[str, ...]
    chart: Chart
    players: tuple[Player, ...]
    luck: tuple[LuckRow, ...]  # empty if it was not measured
    seat: int  # whose costliest choices these are
    costliest: tuple[Choice, ...]
    more: int  # costly choices that are not explained


@router.get("")
def show(
    request: Request,
    tables: TableService,
    analyses: AnalysisQueue,
    table_id: str,
    at: int | None = None,
    seat: int | None = None,
) -> Response:
    """Render the analysis of a table alone, for a position of its replay or for the page of the table."""
    state = require_finished(tables.get(table_id))
    shown = viewed_seat(state, seat, current_visitor(request).id)
    if at is not None:
        check_position(len(state.play.actions), at)
    facts = analysis_facts(state, analyses, shown)
    return render(request, "_analysis.html", **facts, at=at, seat=shown, table=state.table)


@router.post("")
def analyse(
    request: Request,
    tables: TableService,
    analyses: AnalysisQueue,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Request the analysis of a finished table, and return to the page that asked for it."""
    analyses.request(tables.get(table_id), networks.hash_of(request))
    return redirect_back(form, f"/table/{table_id}/replay")


def analysis_facts(state: TableState, analyses: AnalysisQueue, seat: int) -> dict[str, Any]:
    """Return the template variables about the analysis of a finished table, for a reader with the view of a seat."""
    found = analyses.get(state)
    return {
        "analysis": found,
        "analysis_offered": analyses.may_request(state),
        "analysis_runs": found.status in (WAITING, RUNNING),
        "reading": reading_of(state, found, max(0, seat)),
        "usual": bots.DEFAULT_LEVEL,
    }


def reading_of(state: TableState, found: AnalysisState, seat: int) -> Reading | None:
    """Return the reading of a table's analysis; None until it is finished."""
    if found.status != FINISHED or found.result is None:
        return None
    names = tuple(isolate_bidi(one.name for one in state.table.seats))
    shares = final_shares(state)
    return read_analysis(found.result, PlayKey(state), names, shares, seat)


class PlayKey:
    """A state as a key of a cache: equal for the same deal and actions."""

    def __init__(self, state: TableState) -> None:
        self.state, play = state, state.play
        self._key = (play.game.name, play.game.build, play.seats, play.seed, str(play.options), tuple(play.actions))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlayKey) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def final_shares(state: TableState) -> tuple[float, ...]:
    """Return each seat's share of the win; empty if the game ended early or has a single seat."""
    ranks = () if state.table.end_reason or not state.play.outcome else state.play.outcome.ranks
    return tuple(win_shares(ranks)) if len(ranks) > 1 else ()


@lru_cache(MAX_CACHED)
def read_analysis(
    analysis: PlayAnalysis, key: PlayKey, names: tuple[str, ...], shares: tuple[float, ...], seat: int
) -> Reading:
    """Return an analysis for a reader in a seat, cached.

    `names` are isolated for sentences. `shares` are the results, empty if there are none.
    """
    state = key.state
    rows = values_of(analysis, len(state.play.actions), shares)
    costly = analysis.seats[seat].costliest(None)
    return Reading(
        sentences=tuple(sentences_of(analysis, rows, shares, names)),
        chart=chart_of(analysis, rows),
        players=tuple(
            Player(one.seat, None if one.accuracy is None else round(one.accuracy), count_verdicts(one.verdicts))
            for one in analysis.seats
        ),
        luck=luck_rows(analysis, names),
        seat=seat,
        costliest=tuple(describe(state, names, decision) for decision in costly[:COSTLIEST]),
        more=max(0, len(costly) - COSTLIEST),
    )


def values_of(analysis: PlayAnalysis, last: int, shares: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the values of the curves in each position, 0 to `last`.

    A chance is that of the next decision, and in the last position the result. With a single seat, a value is the sum
    of the points that were given away before.
    """
    decisions = {decision.number: decision for decision in analysis.decisions}
    count, rows = len(analysis.seats), list[tuple[float, ...]]()
    if count == 1:
        rows, lost = [(0.0,)], 0.0
        for number in range(1, last + 1):
            lost += decisions[number].lost_points if number in decisions else 0.0
            rows.append((lost,))
        return rows
    chances = dict(zip(decisions, analysis.chances, strict=True))
    now = next(iter(chances.values()), (1 / count,) * count)
    for number in range(1, last + 1):
        now = chances.get(number, now)
        rows.append(now)
    return [*rows, tuple(shares) or now]


def chart_of(analysis: PlayAnalysis, rows: Sequence[tuple[float, ...]]) -> Chart:
    """Return the values of all positions as curves, with marks at mistakes."""
    last, is_alone = len(rows) - 1, len(analysis.seats) == 1
    high = max(1.0, *(row[0] for row in rows)) if is_alone else 1.0

    def x(position: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * position / max(1, last), 1)

    def y(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * value / high, 1)

    curves, ends = [], spread([y(value) for value in rows[-1]])
    for seat, end in enumerate(ends):
        line = [(x(position), y(row[seat])) for position, row in enumerate(rows)]
        stride = max(1, len(rows) // SYMBOLS_PER_CURVE)
        first = stride * (seat + 1) // (len(ends) + 1)
        path = "M" + "L".join(f"{along} {up}" for along, up in line)
        label = f"{rows[-1][seat]:.0f}" if is_alone else f"{rows[-1][seat]:.0%}"
        curves.append(Curve(seat, path, tuple(line[first::stride]), end, label))
    marks = []
    for one in analysis.decisions:
        if one.verdict in MARKED:
            at = y(rows[one.number if is_alone else one.number - 1][one.seat])
            marks.append(Mark(x(one.number), at, SYMBOLS[one.verdict], f"Move {one.number}: {one.verdict}"))
    values = ticks(0, int(high)) if is_alone else range(0, 101, 25)
    up = tuple((y(value if is_alone else value / 100), f"{value}" if is_alone else f"{value}%") for value in values)
    unit = "Points given away" if is_alone else "Chance to win"
    along = tuple((x(value), value) for value in ticks(0, last))
    return Chart(unit, up, along, tuple(curves), tuple(marks), last)


def count_verdicts(verdicts: dict[str, int]) -> str:
    plural = {INACCURACY: "inaccuracies"}
    found = [
        f"{count} {one if count == 1 else plural.get(one, f'{one}s')}"
        for one, count in verdicts.items()
        if one in SYMBOLS and count
    ]
    return ", ".join(found) or "no mistakes"


# --- words ------------------------------------------------------------------------------------------------


def describe(state: TableState, names: Sequence[str], decision: Decision) -> Choice:
    """Return a choice in the words of buttons, as its seat sees them. `names` are isolated for sentences."""
    view = state.play_at(decision.number - 1).observe(decision.seat)
    chosen, best = (
        plain_text(view.game.text.button_label(view.state, action), names)
        for action in (decision.action, decision.best)
    )
    return Choice(decision.number, decision.seat, decision.verdict, chosen, best, cost_of(decision))


def cost_of(decision: Decision) -> str:
    """Return what a choice cost, such as: 21 percentage points, from 61% to 40%."""
    if decision.chance is None:
        return in_points(decision.lost_points)
    before, after = (round(100 * chance) for chance in (decision.chance, decision.chance - decision.lost_chance))
    return f"{pluralize(before - after, 'percentage point')}, from {before}% to {after}%"


def in_points(points: float) -> str:
    return f"about {pluralize(max(1, round(points)), 'point')}"


def sentences_of(
    analysis: PlayAnalysis, rows: Sequence[tuple[float, ...]], shares: Sequence[float], names: Sequence[str]
) -> list[str]:
    """Return two or three sentences: who led when, the turning point, and the costliest choice."""
    costliest = max(analysis.decisions, key=lambda one: one.lost_chance, default=None)
    if costliest is None:
        return ["No move in this game offered a choice."]
    if len(analysis.seats) == 1:
        lost = analysis.seats[0].lost_points
        if costliest.verdict == GOOD:
            return ["Every choice was about as good as a strong bot's."]
        return [
            f"All choices together gave away {in_points(lost)}.",
            f"The costliest was move {costliest.number}, which cost {in_points(costliest.lost_points)}.",
        ]
    found = [*lead_sentences(rows, names), *turning_sentences(rows, shares, names)]
    if costliest.verdict == GOOD:
        return [*found, "No choice cost more than 2 percentage points."]
    name, number = names[costliest.seat], costliest.number
    return [*found, f"The costliest choice was move {number} by {name}, which cost {cost_of(costliest)}."]


def lead_sentences(rows: Sequence[tuple[float, ...]], names: Sequence[str]) -> list[str]:
    """Return the sentence about the leads. A seat takes the lead when its chance is clearly above all others."""
    leads: list[tuple[int, int]] = []  # the position and the seat of each lead
    for position, row in enumerate(rows):
        second, first = sorted(row)[-2:]
        seat = row.index(first)
        if first > second + MIN_LEAD and (not leads or seat != leads[-1][1]):
            leads.append((position, seat))
    if not leads:
        return ["No player was clearly ahead."]
    (since, seat), changes = leads[-1], len(leads) - 1
    begin = f"The lead changed {COUNTS.get(changes, f'{changes} times')}: " if changes else ""
    if since == len(rows) - 1:
        return [f"{begin}{'only' if begin else 'Only'} the last move decided the game for {names[seat]}."]
    is_tied = rows[-1].count(max(rows[-1])) > 1
    until = ", and the game ended in a tie" if is_tied else "" if since else " to the end"
    return [f"{begin}{names[seat]} was ahead {f'from move {since} on' if since else 'from the start'}{until}."]


def turning_sentences(rows: Sequence[tuple[float, ...]], shares: Sequence[float], names: Sequence[str]) -> list[str]:
    """Return the sentence about the move after which the winner's chance rose most.

    Empty without a large rise, and without a winner: if the game ended early.

    The last move is left out: after it, the chance is the result.
    """
    if not shares:
        return []
    winner = shares.index(max(shares))
    rises = [after[winner] - before[winner] for before, after in pairwise(rows[:-1])]
    if not rises or max(rises) < MIN_TURN:
        return []
    at = rises.index(max(rises))
    before, after = rows[at][winner], rows[at + 1][winner]
    return [
        f"The turning point was move {at + 1}: the chance of {names[winner]} rose from {before:.0%} to {after:.0%}."
    ]


def luck_rows(analysis: PlayAnalysis, names: Sequence[str]) -> tuple[LuckRow, ...]:
    """Return the luck of each seat, with the points that it gave away by costly choices.

    Points of good choices are left out: over a hundred choices, the noise of searches alone adds up to many points.
    """
    if not analysis.luck:
        return ()
    return tuple(
        LuckRow(
            seat,
            luck_sentence(names[seat], points, sum(one.lost_points for one in analysis.seats[seat].costliest(None))),
            f"{points.expected:.0f}",
            with_error(points.luck, points.luck_error),
            NO_NUMBER if points.choices is None else with_error(points.choices, points.choices_error),
            NO_NUMBER if points.result is None else f"{points.result:.0f}",
            with_error(100 * chance.luck, 100 * chance.luck_error) if chance else "",
        )
        for seat, (points, chance) in enumerate(analysis.luck.seats)
    )


def luck_sentence(name: str, points: Balance, lost: float) -> str:
    """Return a sentence such as: Ana lost 7 points to bad luck, give or take 3, and gave away about 12 points."""
    gave = f"gave away {in_points(lost)}" if lost >= MIN_LOST_POINTS else "gave away nothing"
    if abs(points.luck) <= points.luck_error or round(abs(points.luck)) == 0:
        return f"{name} was neither lucky nor unlucky with the draws, and {gave}."
    luck = "gained {} from good luck" if points.luck > 0 else "lost {} to bad luck"
    margin = f", give or take {round(points.luck_error)}" if round(points.luck_error) else ""
    return f"{name} {luck.format(pluralize(round(abs(points.luck)), 'point'))}{margin}, and {gave}."


def with_error(number: float, error: float) -> str:
    """Return a number with half of its interval, such as +7 ±3. Small errors have a decimal."""
    decimals = 0 if error >= 1 else 1
    return f"{number:+.{decimals}f} ±{error:.{decimals}f}".replace("-", MINUS)


# --- on the replay -----------------------------------------------------------------------------------------


def decision_at(found: AnalysisState, number: int) -> Decision | None:
    """Return the decision with a number; None if the action was no choice, or the analysis is not finished."""
    decisions = found.result.decisions if found.result else ()
    return next((one for one in decisions if one.number == number), None)


def costly_numbers(found: AnalysisState) -> dict[int, tuple[str, str]]:
    """Return the symbol and the verdict of each costly choice, by its number."""
    decisions = found.result.decisions if found.result else ()
    return {one.number: (SYMBOLS[one.verdict], one.verdict) for one in decisions if one.verdict in SYMBOLS}


def with_preview(panels: Sequence[RenderedPanel], view: Any, action: int) -> list[RenderedPanel]:
    """Return the pictures of a position, with the preview of an action in the main picture."""
    drawn = preview(view, action)
    return [
        panel._replace(svg=f"{panel.svg.removesuffix(END)}{drawn}{END}", digest=short_digest(panel.digest + drawn))
        if panel.role == "board"
        else panel
        for panel in panels
    ]
