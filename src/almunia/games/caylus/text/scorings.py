"""The scorings of Caylus as tables: a section of the castle, and the end of the game."""

from collections import defaultdict

from ....core.contract import NONE
from ....core.english import capitalize, join_words, pluralize
from ....core.optional import Column, Scoring
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CUBES, Cube
from ..rules.state import FROM_CUBES, FROM_GOLD, FROM_MONEY, SOURCES, Stage, held
from .log import steps
from .position import SOURCE_NAMES
from .words import SECTIONS, money_words

LAST = (FROM_GOLD, FROM_CUBES, FROM_MONEY)  # sources of points at the end
Gained = dict[str, list[int]]  # points by seat, by heading of the column


def scoring(before: State, action: int, after: State) -> Scoring | None:
    """Return the scoring of sections or of the end that an action begins, or None."""
    if action == NONE or (after.stage != Stage.END and after.section == before.section):
        return None
    gained: Gained = defaultdict(lambda: [0] * before.seats)
    begun: list[int] = []
    looked_at: set[tuple[int, int]] = set()
    for was, code, now in steps(before, action):
        section = section_scored(was, code, now)
        if section != NONE:
            looked_at.add((section, now.turn))
            begun += [section] if was.cursor == 0 else []
        add(was, now, gained, "" if section == NONE else SECTIONS[section])
    if not begun and not after.over:
        return None
    shown = [n for n in range(box.SECTIONS) if n in begun or SECTIONS[n] in gained]
    columns = [section_column(before, n, gained, looked_at) for n in shown]
    columns += last_columns(after, gained) if after.over else []
    columns += [Column(name, tuple(points)) for name, points in gained.items()]
    return Scoring(title_of(begun, bool(after.over)), "3.1" if after.over else "2.29", tuple(columns))


def section_scored(was: State, code: int, now: State) -> int:
    """Return the section whose houses this step scores for a seat, or NONE."""
    looked = code == NONE and was.stage == Stage.END and not now.over and now.cursor > was.cursor
    return int(was.section) if looked else NONE


def add(was: State, now: State, gained: Gained, name: str) -> None:
    """Add the points of a step to `gained`, under `name`, or under their sources if `name` is empty."""
    for p in range(was.seats):
        for source in range(SOURCES):
            points = now.seat[p].earned[source] - was.seat[p].earned[source]
            if points:
                gained[name or capitalize(SOURCE_NAMES[source])][p] += points


def title_of(sections: list[int], over: bool) -> str:
    """Return the title of a scoring, such as `Scoring of the Dungeon`."""
    names = join_words(SECTIONS[section] for section in sections)
    if not over:
        return f"Scoring of the {names}"
    return f"Scoring of the {names}, and the end of the game" if names else "The end of the game"


# --- columns -------------------------------------------------------------------------------------------------


def section_column(s: State, section: int, gained: Gained, looked_at: set[tuple[int, int]]) -> Column:
    """Remove the points of a section from `gained`, and return the section's column [2.29]."""
    points = gained.pop(SECTIONS[section], [0] * s.seats)
    notes = [due_words(s, section, p, points[p] if (section, p) in looked_at else None) for p in range(s.seats)]
    return Column(SECTIONS[section], tuple(points), tuple(notes), (f"section-{section}",))


def due_words(s: State, section: int, p: int, points: int | None) -> str:
    """Return words on a player's houses and their favours or loss, such as `2 houses, 1 favour`."""
    houses = s.seat[p].houses[section]
    favours, loss = int(box.DUE_FAVOURS[section, houses]), -int(box.DUE_POINTS[section, houses])
    words = pluralize(houses, "house") if houses else "no house"
    if favours:
        return f"{words}, {pluralize(favours, 'favour')}"
    if points is None and loss:
        return f"{words}, loses {pluralize(loss, 'point')}"
    return f"{words}, no points to lose" if loss and not points else words


def last_columns(s: State, gained: Gained) -> list[Column]:
    """Remove the points for gold, other cubes and deniers from `gained`, and return their columns [3.1]."""
    notes = {
        FROM_GOLD: [f"{s.seat[p].cubes[Cube.GOLD]} {CUBES[Cube.GOLD]}" for p in range(s.seats)],
        FROM_CUBES: [pluralize(held(s.seat[p], box.COMMON), "cube") for p in range(s.seats)],
        FROM_MONEY: [money_words(s.seat[p].money) for p in range(s.seats)],
    }
    names = {source: capitalize(SOURCE_NAMES[source]) for source in LAST}
    none = [0] * s.seats
    return [Column(names[source], tuple(gained.pop(names[source], none)), tuple(notes[source])) for source in LAST]
