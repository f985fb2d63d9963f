"""Positions and results of Caylus in words."""

from typing import Any

from ....core.contract import NONE
from ....core.english import capitalize, join_words, pluralize
from ....core.optional import Source
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CLASSES, Class, Special
from ..rules.building import in_supply
from ..rules.castle import houses_in
from ..rules.placing import at_home
from ..rules.state import CASTLE, EMPTY, RIGHT, points_of
from .words import (
    LINE_NAMES,
    SECTIONS,
    SPECIAL_NAMES,
    TILES,
    bonus_words,
    cost_words,
    effect_words,
    holdings_words,
    joined,
    place_name,
    worth_words,
)

SOURCE_NAMES = (
    *("guests in your buildings", "buildings", "residences", "trades", "batches", "favours"),
    *("losses", "gold", "other cubes", "deniers"),
)
SOURCE_RULES = ("2.6", "2.19", "2.21", "2.22", "2.24", "4.4", "2.29", "3.1", "3.1", "3.1")


def who(seat: int) -> str:
    return f"seat {seat + 1}" if seat != NONE else "none"


def workers_on(s: State, place: int) -> list[int]:
    """Return the seats of the workers at a place, circle by circle."""
    if place < box.ROAD:
        circles = [s.worker[place]]
    elif place == CASTLE:
        circles = list(s.castle)
    else:
        special = place - box.ROAD
        several: dict[int, Any] = {Special.STABLES: s.stables, Special.INN: s.inn}
        circles = list(several[special]) if special in several else [s.special[special]]
    return [seat for seat in circles if seat != NONE]


def income(s: State, seat: int) -> int:
    """Return a player's income in deniers [2.1]."""
    own = (s.road[space] for space in range(box.ROAD) if s.owner[space] == seat)
    return box.BASE_INCOME + sum(int(box.INCOME[tile]) for tile in own if tile != EMPTY)


def board(s: State, seat: int) -> str:
    """Return the position as text, in sections with headings."""
    sections = (
        ["Road", *(space_line(s, space) for space in range(box.ROAD) if s.road[space] != EMPTY)],
        ["Special buildings", *(special_line(s, place) for place in range(box.ROAD, CASTLE + 1))],
        ["Castle", *(section_line(s, section) for section in range(box.SECTIONS))],
        ["Players", *(player_line(s, p) for p in order_of(s))],
        ["Buildings to build", *supply(s)],
    )
    walkers = f"Bailiff on space {s.bailiff}, provost on space {s.provost}."
    return "\n\n".join([*("\n".join(lines) for lines in sections), walkers])


def order_of(s: State) -> list[int]:
    return [s.order[place] for place in range(s.seats)]


def space_line(s: State, space: int) -> str:
    owner = f"owner {who(s.owner[space])}" if s.owner[space] != NONE else ""
    worker = f"worker of {who(s.worker[space])}" if s.worker[space] != NONE else ""
    pending = f"becomes a residence of {who(s.pending[space])}" if s.pending[space] != NONE else ""
    does = joined(effect_words(s.road[space]), bonus_words(s.road[space]))
    return f"{capitalize(place_name(s, space))}: {', '.join(filter(None, [does, owner, worker, pending]))}"


def special_line(s: State, place: int) -> str:
    name = SPECIAL_NAMES[place - box.ROAD] if place < CASTLE else "Castle"
    right = " (on the right)" if name == "Inn" and s.inn[RIGHT] != NONE and len(workers_on(s, place)) == 1 else ""
    return f"{name}: {join_words(map(who, workers_on(s, place))) or 'none'}{right}"


def section_line(s: State, section: int) -> str:
    state = "scored" if section < s.section else "under construction" if section == s.section else "to come"
    houses = ", ".join(f"{who(p)} {s.seat[p].houses[section]}" for p in range(s.seats) if s.seat[p].houses[section])
    return f"{SECTIONS[section]}: {houses_in(s, section)} of {box.SPACES[section]} ({state}); {houses or 'no houses'}"


def player_line(s: State, p: int) -> str:
    me = s.seat[p]
    favours = ", ".join(f"{name} {me.favour[line]}" for line, name in enumerate(LINE_NAMES))
    passed = ", has passed" if p in list(s.passed) else ""
    workers = pluralize(at_home(s, p), "worker")
    holdings = f"{pluralize(points_of(me), 'point')}; {holdings_words(list(me.cubes), me.money)}; {workers}{passed}"
    return f"{capitalize(who(p))}: {holdings}; favours: {favours}"


def supply(s: State) -> list[str]:
    tiles = range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT)
    found = []
    for kind in (Class.WOOD, Class.STONE, Class.PRESTIGE):
        offered = [offered_words(tile, in_supply(s, tile)) for tile in tiles if box.CLASS[tile] == kind]
        found.append(f"{CLASSES[kind].capitalize()}: {'; '.join(filter(None, offered)) or 'none'}")
    return found


def offered_words(tile: int, left: int) -> str:
    """Return a tile of the supply in words, such as `mason, 4 points for 1 food and 1 wood`, or an empty string."""
    price = cost_words([int(count) for count in box.COST[tile]], int(box.COST_ANY[tile]))
    many = "" if left == 1 else f" ({left} left)"
    return f"{TILES[tile]}{many}, {worth_words(tile)} for {price}" if left else ""


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Return a player's holdings and income, as pairs of name and number."""
    me = s.seat[seat]
    cubes = ((capitalize(kind), str(me.cubes[number])) for number, kind in enumerate(box.CUBES))
    return [("Workers", str(at_home(s, seat))), ("Deniers", str(me.money)), ("Income", str(income(s, seat))), *cubes]


def score_breakdown(s: State) -> list[Source]:
    """Return each player's points by source [3.1]."""
    return [
        Source(capitalize(name), tuple(int(s.seat[p].earned[source]) for p in range(s.seats)), rule)
        for source, (name, rule) in enumerate(zip(SOURCE_NAMES, SOURCE_RULES, strict=True))
    ]


def end_reason(s: State) -> str:
    """Return why the play is over, as a sentence [3.1, D37]."""
    return "The Dungeon has been scored." if s.reduced else "The Towers have been scored."


def result_lines(s: State, seat: int) -> list[str]:
    """Return a sentence on a player's points and houses, in a list."""
    me = s.seat[seat]
    houses = pluralize(sum(me.houses), "house") if any(me.houses) else "no house"
    return [f"{pluralize(points_of(me), 'point')}, with {houses} in the castle."]
