"""A scoring round of Alhambra as a table."""

from ....core.english import capitalize, pluralize
from ....core.optional import Column, Scoring
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Kind
from ..rules.scoring import competitors, count, points_for_kind
from ..rules.state import Phase
from .words import PLURALS, ROUNDS, members, of_kind, scoring_rule, wall


def scoring(before: State, action: int, after: State) -> Scoring | None:
    """Return the table of the scoring round that an action has held, or None."""
    if before.phase != Phase.SCORE:
        return None
    held = before.due
    kinds = [kind for kind in Kind if any(points_for_kind(before, p, kind, held) for p in range(competitors(before)))]
    title = f"{capitalize(ROUNDS[held - 1])} scoring round"
    if before.seats == 2:
        title += f": Dirk gets {after.dirk_earned[held - 1]}"
    return Scoring(title, scoring_rule(held), (*(column(before, kind, held) for kind in kinds), walls(before)))


def column(s: State, kind: int, held: int) -> Column:
    """Return the column of points for a kind. With two players, Dirk competes [12.3]."""
    earned = [points_for_kind(s, p, kind, held) for p in range(competitors(s))]
    counts = [count(s, p, kind) for p in range(competitors(s))]
    dirk = f", Dirk {counts[s.seats]}" if counts[s.seats :] > [0] else ""
    notes = tuple(f"{of_kind(kind, number)}{dirk}" for number in counts[: s.seats])
    tiles = [s.seat[p].built for p in range(s.seats) if earned[p]]
    targets = tuple(f"tile-{tile}" for owned in tiles for tile in members(owned & box.OF_KIND[kind]))
    return Column(capitalize(PLURALS[kind]), tuple(earned[: s.seats]), notes, targets)


def walls(s: State) -> Column:
    """Return the column of points for the longest wall [10.8]."""
    lengths = [wall(s.seat[p]) for p in range(s.seats)]
    notes = tuple(pluralize(length, "side") if length else "no wall" for length in lengths)
    targets = tuple(f"wall-{p}" for p, length in enumerate(lengths) if length)
    return Column("Walls", tuple(lengths), notes, targets)
