"""The words of Caylus' scenarios: changes of a position, queries, and invariants."""

from typing import Any

from ....core.contract import NONE
from .. import components as box
from ..rules.castle import houses_in
from ..rules.placing import at_home
from ..rules.stages import begin, settle
from ..rules.state import CASTLE, EMPTY, LEFT, RIGHT, Phase, Stage, find, points_of
from ..text.words import LINE_NAMES, PLACE_IDS, SECTIONS, TILES

CUBES = box.CUBES
TILE_IDS = box.TILE_IDS


# --- changes by scenarios -------------------------------------------------------------------------------


def put(s: Any, words: str) -> None:
    """Change a position by a command, such as `tile 9 mason of 0`."""
    what, _, rest = words.partition(" ")
    changes = {
        "order": lambda: fill(s.order, rest),
        "passed": lambda: fill(s.passed, rest),
        "castle": lambda: fill(s.castle, rest),
        "stables": lambda: fill(s.stables, rest),
        "neutral": lambda: put_neutral(s, rest),
        "tile": lambda: put_tile(s, rest),
        "worker": lambda: put_worker(s, rest),
        "cubes": lambda: put_cubes(s, rest),
        "favour": lambda: put_favour(s, rest),
        "points": lambda: put_points(s, rest),
        "stage": lambda: put_stage(s, rest),
    }
    changes[what]()


def fill(circles: Any, rest: str) -> None:
    """Put these seats on circles in order, and clear the other circles: `order 0 1 2`."""
    seats = [int(word) for word in rest.split()]
    for place in range(len(circles)):
        circles[place] = seats[place] if place < len(seats) else NONE


def put_neutral(s: Any, rest: str) -> None:
    """Put tiles on the first spaces of the road: `neutral farm_neutral forest ...`."""
    for space, name in enumerate(rest.split()):
        s.road[space] = TILE_IDS.index(name)


def put_tile(s: Any, rest: str) -> None:
    """Put a tile and its owner on a space: `tile 9 mason of 0`, `tile 3 residence of 1`, `tile 9 none`."""
    number, name, *owner = rest.split()
    space = int(number) - 1
    s.road[space] = EMPTY if name == "none" else TILE_IDS.index(name)
    s.owner[space] = int(owner[1]) if owner else NONE


def put_worker(s: Any, rest: str) -> None:
    """Put a worker on a space, on a special building with one circle, or at the Inn: `worker 3 of 1`."""
    name, _, seat = rest.split()
    if name in ("inn", "inn_right"):
        s.inn[LEFT if name == "inn" else RIGHT] = int(seat)
    elif name in PLACE_IDS:
        s.special[PLACE_IDS.index(name) - box.ROAD] = int(seat)
    else:
        s.worker[int(name) - 1] = int(seat)


def put_cubes(s: Any, rest: str) -> None:
    """Set all cubes of a player: `cubes 0: 2 food 1 wood`."""
    seat, _, heap = rest.partition(":")
    words = heap.split()
    for kind, name in enumerate(CUBES):
        s.seat[int(seat)].cubes[kind] = int(words[words.index(name) - 1]) if name in words else 0


def put_favour(s: Any, rest: str) -> None:
    """Set the column of a marker: `favour 0 buildings 3`."""
    seat, name, column = rest.split()
    s.seat[int(seat)].favour[LINE_NAMES.index(name)] = int(column)


def put_points(s: Any, rest: str) -> None:
    """Set the points of a player: `points 0: 5`."""
    seat, _, points = rest.partition(":")
    s.seat[int(seat)].earned[0] += int(points) - points_of(s.seat[int(seat)])


def put_stage(s: Any, rest: str) -> None:
    """Begin a stage and continue to its first question: `stage road`."""
    begin(s, Stage[rest.upper()])
    s.phase = Phase.NOTHING
    settle(s)


# --- facts for scenarios ---------------------------------------------------------------------------------


def look(s: Any, question: str) -> str:
    """Answer a query about a position, such as `order` or `cubes 0`."""
    what, _, rest = question.partition(" ")
    answers = {
        "phase": Phase(s.phase).name.lower,
        "stage": Stage(s.stage).name.lower,
        "order": lambda: listed(s.order),
        "passed": lambda: listed(s.passed),
        "castle": lambda: listed(s.castle),
        "stables": lambda: listed(s.stables),
        "inn": lambda: f"{s.inn[LEFT]} {s.inn[RIGHT]}".replace("-1", "-"),
        "road": lambda: on_space(s, int(rest) - 1),
        "worker": lambda: str(worker_at(s, rest)),
        "cubes": lambda: heap_of(s, int(rest)),
        "home": lambda: str(at_home(s, int(rest))),
        "points": lambda: str(points_of(s.seat[int(rest)])),
        "favours": lambda: " ".join(map(str, s.seat[int(rest)].favour)),
        "houses": lambda: " ".join(map(str, s.seat[int(rest)].houses)),
        "section": lambda: SECTIONS[s.section] if s.section < box.SECTIONS else "none",
    }
    return answers[what]()


def listed(circles: Any) -> str:
    """Return the seats on circles, such as `0 2 1`, or `nobody`."""
    return " ".join(str(seat) for seat in circles if seat != NONE) or "nobody"


def on_space(s: Any, space: int) -> str:
    """Return the content of a space, such as `mason of 0` or `empty`."""
    if s.road[space] == EMPTY:
        return "empty"
    owner = f" of {s.owner[space]}" if s.owner[space] != NONE else ""
    return f"{TILE_IDS[s.road[space]]}{owner}{f', soon of {s.pending[space]}' if s.pending[space] != NONE else ''}"


def worker_at(s: Any, name: str) -> str:
    """Return the seat of the worker on a space or a special building with one circle, or `nobody`."""
    special = name in PLACE_IDS and PLACE_IDS.index(name) < CASTLE
    seat = s.special[PLACE_IDS.index(name) - box.ROAD] if special else s.worker[int(name) - 1]
    return "nobody" if seat == NONE else str(seat)


def heap_of(s: Any, seat: int) -> str:
    """Return a player's cubes, such as `2 food 1 wood`, or `none`."""
    return " ".join(f"{count} {CUBES[kind]}" for kind, count in enumerate(s.seat[seat].cubes) if count) or "none"


# --- invariants ---------------------------------------------------------------------------------------------


def broken(s: Any) -> str:
    """Return a sentence on the first broken invariant, or an empty string."""
    for law in (broken_workers, broken_holdings, broken_tiles, broken_castle, broken_course, broken_points):
        fault = law(s)
        if fault:
            return fault
    return ""


def broken_workers(s: Any) -> str:
    """Return a sentence on wrong numbers or places of workers, or an empty string [1.6, 2.5, 2.7]."""
    for p in range(s.seats):
        if not 0 <= at_home(s, p) <= box.WORKERS:
            return f"seat {p} has {at_home(s, p)} workers at home"
    for space in range(box.ROAD):
        tile = s.road[space]
        if s.worker[space] != NONE and (tile == EMPTY or box.EFFECT[tile] == box.Effect.IDLE):
            return f"a worker stands on space {space + 1}"
    if s.seats == 2 and listed(s.stables) != "nobody":
        return "the Stables are used by two players"
    return ""


def broken_holdings(s: Any) -> str:
    """Return a sentence on negative holdings or markers on closed columns, or an empty string [1.1, 2.29, 4.1]."""
    for p in range(s.seats):
        me = s.seat[p]
        if me.money < 0 or min(me.cubes) < 0 or points_of(me) < 0:
            return f"seat {p} has {me.money} deniers, cubes {list(me.cubes)}, {points_of(me)} points"
        if max(me.favour) > box.OPEN[s.section]:
            return f"seat {p} has come to the columns {list(me.favour)}"
    return ""


def broken_tiles(s: Any) -> str:
    """Return a sentence on wrong numbers, spaces, owners or residences of tiles, or an empty string [1.4]."""
    for tile in range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT):
        if list(s.road).count(tile) > box.COUNT[tile] * (s.jeweller or not box.OPTIONAL[tile]):
            return f"there are too many of {TILES[tile]}"
    first = find(s.road, EMPTY)
    for space in range(box.ROAD):
        tile = s.road[space]
        if tile != EMPTY and first != NONE and space > first and tile != box.FIXED[space]:
            return f"space {space + 1} is built on before space {first + 1}"
        if (s.owner[space] != NONE) != (tile != EMPTY and box.CLASS[tile] > box.Class.FIXED):
            return f"space {space + 1} has the owner {s.owner[space]}"
        if s.pending[space] != NONE and s.worker[space] == NONE:
            return f"space {space + 1} waits for no worker"
    return ""


def broken_castle(s: Any) -> str:
    """Return a sentence on a section with more houses than spaces, or an empty string [2.23]."""
    for section in range(box.SECTIONS):
        if houses_in(s, section) > box.SPACES[section]:
            return f"the {SECTIONS[section]} has {houses_in(s, section)} houses"
    return ""


def broken_course(s: Any) -> str:
    """Return a sentence on a wrong bailiff, provost, turn order or end of the game, or an empty string [3.3]."""
    if not (1 <= s.provost <= box.ROAD and s.bailiff >= box.START_SPACE + s.turns and s.bailiff <= 25):
        return f"in turn {s.turns + 1} the bailiff is on {s.bailiff} and the provost on {s.provost}"
    if s.stage <= Stage.PLACING and s.provost != s.bailiff:
        return f"the bailiff is on {s.bailiff} and the provost on {s.provost}"
    if sorted(s.order)[-s.seats :] != list(range(s.seats)):
        return f"the turn order is {list(s.order)}"
    if s.turns >= 18 or (s.over and s.section < box.GAME_SECTIONS[s.reduced]):
        return f"the game is in turn {s.turns + 1}, with {s.section} sections scored"
    return ""


def broken_points(s: Any) -> str:
    """Return a sentence on points for batches that do not fit the houses, or an empty string [2.24]."""
    for p in range(s.seats):
        me = s.seat[p]
        batches = sum(int(box.BATCH_POINTS[i]) * me.houses[i] for i in range(box.SECTIONS))
        if me.earned[4] != batches:
            return f"seat {p} has {me.earned[4]} points for houses {list(me.houses)}"
    return ""
