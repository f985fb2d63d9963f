"""The value of tiles and cells of Alhambra before they are chosen, as if the next scoring round followed at once."""

from typing import NamedTuple

from ....core.contract import Points, RichLine, SeatName
from ....core.memoize import memoize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.building import build, exchanges, fitting, spots, unbuild
from ..rules.state import ACTIONS, BUILD, EMPTY, bit
from .words import PLURALS, built_by_all, ground, of_kind, rivalry, wall, worth_now


class Prospect(NamedTuple):
    """The gain from a change to the Alhambra of the seat to move."""

    points: int  # change of the points in the next scoring round
    wall: int  # change of the longest wall's length; its points are included in `points`


def prospect_key(s: State, tile: int, cell: int) -> tuple[int | bytes, ...]:
    return (s.turn, *built_by_all(s), ground(s.seat[s.turn]), tile, cell)


@memoize(prospect_key)
def changed(s: State, tile: int, cell: int) -> Prospect:
    """Return the gain if a tile is put on a cell, replaces the tile there, or is removed from the cell."""
    trial = s.copy()
    me, here = trial.seat[s.turn], s.seat[s.turn].grid[cell]
    if here != EMPTY:
        unbuild(trial, me, here)
    if here != tile:
        build(trial, me, tile, cell)
    return compared(s, trial)


def compared(s: State, trial: State) -> Prospect:
    before, after = worth_now(s, s.turn), worth_now(trial, s.turn)
    return Prospect(sum(after) - sum(before), after[1] - before[1])


def cells_for(s: State, tile: int, *, exchanged: bool) -> list[int]:
    """Return the cells where a tile fits, and if `exchanged` also the cells of tiles that it may replace."""
    out, me = [0] * ACTIONS, s.seat[s.turn]
    n = spots(s, me, tile, BUILD, out)
    if exchanged:
        n = exchanges(s, me, tile, BUILD, n, out)
    return [action - BUILD for action in out[:n]]


def best(s: State, tile: int) -> Prospect | None:
    """Return the best gain from a tile on all cells where it may be put now, or None if it fits nowhere."""
    exchanged = bool(s.seat[s.turn].reserve >> tile & 1)
    found = [changed(s, tile, cell) for cell in cells_for(s, tile, exchanged=exchanged)]
    return max(found, default=None)


# --- in words --------------------------------------------------------------------------------------


def now(points: int, *, best: bool = False) -> RichLine:
    """Return points as `+8 if scored now`, with `up to` before it if `best`, or `nothing if scored now` for 0."""
    return [*(["up to "] if best else []), Points(points), " if scored now"] if points else ["nothing if scored now"]


def lengthened(s: State, more: int) -> str:
    """Return the change of the longest wall, such as `wall 1 to 4`."""
    length = wall(s.seat[s.turn])
    return f"wall {length} to {length + more}" if more else f"wall stays at {length}"


def rank(s: State, kind: int, more: int) -> RichLine:
    """Return the rank of the seat to move with `more` of a kind, such as `the most towers (3)`."""
    numbers = [number for number, _ in rivalry(s)[kind]]
    mine = numbers[s.turn] + more
    rivals = {p: number for p, number in enumerate(numbers) if p != s.turn}
    most = max(rivals.values())
    if mine > most:
        return [f"the most {PLURALS[kind]} ({mine})"]
    ahead = next(p for p, number in rivals.items() if number == most)
    if mine == most:
        return [f"{of_kind(kind, mine)}, as many as ", who(s, ahead)] if mine else [of_kind(kind, mine)]
    return [f"{of_kind(kind, mine)}, ", who(s, ahead), f" {most}"]


def who(s: State, p: int) -> str | SeatName:
    return "Dirk" if p == s.seats else SeatName(p)


def rebuilding(s: State, tile: int, cell: int) -> RichLine:
    here = s.seat[s.turn].grid[cell]
    prospect = changed(s, tile, cell)
    counts = [0] * box.KINDS
    if here != EMPTY:
        counts[box.KIND[here]] -= 1
    if here != tile:
        counts[box.KIND[tile]] += 1
    line = [*now(prospect.points), f": {lengthened(s, prospect.wall)}"]
    for kind, more in enumerate(counts):
        if more:
            line += ["; ", *rank(s, kind, more)]
    return line


def hoped_for(s: State, tile: int) -> RichLine:
    prospect = best(s, tile)
    if prospect is None:
        return ["doesn't fit anywhere now"]
    only = [] if fitting(s, s.seat[s.turn], bit(tile)) else ["; only if it replaces another tile"]
    return [*now(prospect.points, best=True), ": ", *rank(s, box.KIND[tile], 1), *only]
