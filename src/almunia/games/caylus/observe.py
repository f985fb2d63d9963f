"""Observations of Caylus. Nothing is hidden after setup, so all seats see everything [1.7]."""

from ...core.contract import NONE
from ...engine.kernels.rng import clear_rng, reseed_rng
from . import components as box
from .rules.placing import at_home
from .rules.state import LINES, SINGLES, Phase, Stage, points_of, tile_in_use

FACTS = 4 + box.KINDS_OF_CUBE + 2 * LINES + box.SECTIONS

CIRCLES = SINGLES + box.CIRCLES + 2 + 2 * box.SEATS

# The parts of an observation, with their shapes. Seats are counted from the observer's own seat.
TENSOR_SHAPES = {
    "tiles": (box.ROAD, box.TILES),  # the tile on each space of the road, one-hot
    # for each space, one-hot seats: 0 the owner of the tile, 1 the worker, 2 the owner of the pending residence
    "road": (3, box.ROAD, box.SEATS),
    # one-hot seats. Rows 0 to 3: workers on the Gate, Trading Post, Merchants' Guild and Joust Field; 4 to 6: the
    # circles of the Stables; 7 and 8: the Inn, left and right; 9 to 13: the castle; 14 to 18: markers on the bridge
    "circles": (CIRCLES, box.SEATS),
    "order": (box.SEATS, box.SEATS),  # the seat at each place of the turn order, one-hot
    "walkers": (2, box.ROAD),  # the bailiff's space and the provost's space, one-hot
    "section": (box.SECTIONS + 2,),  # the current section, one-hot; then the options: Jeweller, favours are points
    # 0 deniers / 10, 1 points / 50, 2 workers at hand / 6, 3 batches given in this turn / 4, 4 to 8 cubes by kind / 5,
    # 9 to 12 the marker's column on each line of favours / 5, 13 to 16 lines used in this stage, 17 to 19 houses in
    # each section of the castle / 14
    "players": (box.SEATS, FACTS),
    "stage": (len(Stage),),  # the stage, one-hot: income, placing, special buildings, provost, road, castle, end
    "question": (len(Phase),),  # the phase, one-hot
    "at": (box.ROAD,),  # the space whose building is being used, one-hot
    "using": (box.TILES,),  # the building being used, one-hot
    # favours still to be used / 3, cubes of any kind to give, cubes but gold to give / 4, cubes but gold to take / 2,
    # `progress` / 2
    "owed": (5,),
    "turn": (box.SEATS,),  # the seat to move, one-hot
}

# The visibility of the state's fields; a field of a seat follows a dot.
VISIBILITY = {
    "nobody": "rng",
    "everybody": (
        "seats turn phase over turns reveals jeweller favours reduced stage cursor progress bailiff provost "
        "section granted give_any give_common take order passed special stables inn castle road owner worker "
        "pending seat.money seat.cubes seat.earned seat.favour seat.used seat.houses seat.batches"
    ),
}


def mask(s, seat):
    """Clear the random number generator, which is only used during setup."""
    clear_rng(s.rng)


def determinize(s, seat, rng, out):
    """Reseed the random number generator. Nothing else is hidden."""
    reseed_rng(s.rng, rng)


def tensor(s, seat, out):
    """Write the parts of TENSOR_SHAPES for `seat`. For a spectator, write those of seat 0."""
    own = max(seat, 0)
    write_road(s, own, out)
    write_circles(s, own, out)
    for p in range(s.seats):
        write_player(s, p, (p - own) % s.seats, out)
    write_question(s, own, out)


def write_road(s, own, out):
    for space in range(box.ROAD):
        if s.road[space] != NONE:
            out.tiles[space, s.road[space]] = 1
        for who in range(3):
            seat = (s.owner[space], s.worker[space], s.pending[space])[who]
            if seat != NONE:
                out.road[who, space, (seat - own) % s.seats] = 1
    out.walkers[0, s.bailiff - 1] = 1
    out.walkers[1, s.provost - 1] = 1
    if s.section < box.SECTIONS:
        out.section[s.section] = 1
    out.section[box.SECTIONS] = s.jeweller
    out.section[box.SECTIONS + 1] = s.favours


def write_circles(s, own, out):
    first = mark_all(s, own, s.special, out.circles, 0)
    first = mark_all(s, own, s.stables, out.circles, first)
    first = mark_all(s, own, s.inn, out.circles, first)
    first = mark_all(s, own, s.castle, out.circles, first)
    mark_all(s, own, s.passed, out.circles, first)
    mark_all(s, own, s.order, out.order, 0)


def mark_all(s, own, circles, part, first):
    """Set the entry of the seat on each circle, in rows from `first` on, and return the next row."""
    for seat in circles:
        if seat != NONE:
            part[first, (seat - own) % s.seats] = 1
        first += 1
    return first


def write_player(s, p, row, out):
    me, facts = s.seat[p], out.players
    facts[row, 0] = me.money / 10
    facts[row, 1] = points_of(me) / 50
    facts[row, 2] = at_home(s, p) / box.WORKERS
    facts[row, 3] = me.batches / 4
    first = 4
    for kind in range(box.KINDS_OF_CUBE):
        facts[row, first + kind] = me.cubes[kind] / 5
    first += box.KINDS_OF_CUBE
    for line in range(LINES):
        facts[row, first + line] = me.favour[line] / box.COLUMNS
        facts[row, first + LINES + line] = me.used[line]
    first += 2 * LINES
    for section in range(box.SECTIONS):
        facts[row, first + section] = me.houses[section] / box.MOST_SPACES


def write_question(s, own, out):
    out.stage[s.stage] = 1
    out.question[s.phase] = 1
    out.turn[(s.turn - own) % s.seats] = 1
    if s.stage == Stage.ROAD and s.cursor < box.ROAD:
        out.at[s.cursor] = 1
        if tile_in_use(s) != NONE:
            out.using[tile_in_use(s)] = 1
    out.owed[0] = s.granted / 3
    out.owed[1] = s.give_any
    out.owed[2] = s.give_common / 4
    out.owed[3] = s.take / 2
    out.owed[4] = s.progress / 2


def may_see(s, seat):
    """Return True, because all actions are public [1.7]."""
    return True
