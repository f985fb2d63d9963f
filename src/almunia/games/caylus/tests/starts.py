"""Start positions for the comparison with `naive`. Each start sets up the play and the oracle in the same way."""

from almunia.games.caylus import components as box
from almunia.games.caylus.rules.state import Phase, Stage


def usual(play, oracle, rng):
    """Leave the position after setup unchanged."""


def rich(play, oracle, rng):
    """Give every player deniers and cubes."""
    s = play.state
    for seat in range(play.seats):
        s.seat[seat].money += 30
        oracle.money[seat] += 30
        for kind, name in enumerate(box.CUBES):
            more = rng.randint(0, 15)
            s.seat[seat].cubes[kind] += more
            oracle.cubes[seat][name] += more
    begin(play, oracle)


def grown(play, oracle, rng):
    """Put buildings on the road, place bailiff and provost, and give every player deniers and cubes."""
    s = play.state
    tiles = [tile for tile in range(box.FIRST_BUILT, box.RESIDENCE) if oracle.supply.get(box.TILE_IDS[tile])]
    tiles = rng.sample(tiles, rng.randint(3, 14)) + [box.RESIDENCE] * rng.randint(0, 3)
    rng.shuffle(tiles)
    free = [space for space in range(box.ROAD) if oracle.road[space + 1].building is None]
    for space, tile in zip(free, tiles, strict=False):
        lay(play, oracle, space, tile, rng.randrange(play.seats))
    ahead = rng.randint(6, 11)
    s.bailiff = s.provost = oracle.bailiff = oracle.provost = ahead
    rich(play, oracle, rng)


def late(play, oracle, rng):
    """Set up a grown road after the scoring of Dungeon and Walls, with markers on random columns."""
    grown(play, oracle, rng)
    s = play.state
    s.bailiff = s.provost = oracle.bailiff = oracle.provost = 18
    s.section = 2
    oracle.scored.update(dungeon=True, walls=True)
    for seat in range(play.seats):
        for line, name in enumerate(oracle.favours[seat]):
            s.seat[seat].favour[line] = oracle.favours[seat][name] = rng.randint(1, 4)
    begin(play, oracle)


def at_work(play, oracle, rng):
    """Put workers on the buildings of a late position, make some residences pending, and begin the provost's stage."""
    s = play.state
    lay(play, oracle, 8, box.TILE_IDS.index("lawyer"), rng.randrange(play.seats))
    late(play, oracle, rng)
    order = list(oracle.turn_order)
    oracle.bridge = order
    for place, seat in enumerate(order):
        s.passed[place] = seat
    for space, plot in oracle.road.items():
        seat = rng.randrange(play.seats)
        if plot.building and box.EFFECT[s.road[space - 1]] and oracle.home[seat] and rng.random() < 0.8:
            s.worker[space - 1] = plot.worker = seat
            oracle.home[seat] -= 1
            other = rng.randrange(play.seats)
            if oracle.is_target(plot, other) and rng.random() < 0.3:
                s.pending[space - 1] = plot.residence_for = other
    s.stage, s.phase, s.turn, s.cursor = Stage.PROVOST, Phase.PROVOST, order[0], 0
    play.refresh()
    oracle.resume("provost")


def filled(play, oracle, rng):
    """Fill every section of the castle but one or two spaces, on a grown road."""
    s = play.state
    for section, name in enumerate(box.SECTION_IDS):
        for _ in range(box.SPACES[section] - rng.choice((1, 1, 2))):
            seat = rng.randrange(play.seats)
            s.seat[seat].houses[section] += 1
            oracle.houses[name][seat] += 1
    for seat in range(play.seats):
        for line, name in enumerate(oracle.favours[seat]):
            s.seat[seat].favour[line] = oracle.favours[seat][name] = rng.randint(0, 2)
    grown(play, oracle, rng)


def crowded(play, oracle, rng):
    """Put residences on all empty spaces of the road but the last, and give every player deniers and cubes."""
    free = [space for space in range(box.ROAD) if oracle.road[space + 1].building is None]
    for space in free[:-1]:
        lay(play, oracle, space, box.RESIDENCE, rng.randrange(play.seats))
    rich(play, oracle, rng)


def lay(play, oracle, space, tile, owner):
    """Put a tile with an owner on the road of the play and the oracle."""
    s, plot = play.state, oracle.road[space + 1]
    s.road[space], s.owner[space] = tile, owner
    plot.building, plot.owner = box.TILE_IDS[tile], owner
    if tile != box.RESIDENCE:
        oracle.supply[plot.building] -= 1


def begin(play, oracle):
    """Refresh the legal actions of the play, and begin the oracle's phase of workers again."""
    play.refresh()
    oracle.resume("workers")


STARTS = {
    "usual": usual,
    "rich": rich,
    "grown": grown,
    "late": late,
    "at work": at_work,
    "filled": filled,
    "crowded": crowded,
}
