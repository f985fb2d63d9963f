"""A simple, slow implementation of rules of Alhambra, as an oracle for tests.

This module shares no code with the game's rules, so a difference means that one implementation is wrong. An Alhambra is
a dictionary {(row, column): tile number}. Rows grow to the south, columns to the east, and the fountain lies at (0, 0).
No function changes its input. Seats, squares, kinds and tiles are numbered from 0, rounds from 1.
"""

import tomllib
from pathlib import Path

COMPONENTS = tomllib.loads((Path(__file__).parents[1] / "components" / "components.toml").read_text(encoding="utf-8"))
KINDS = [kind["id"] for kind in COMPONENTS["building_type"]]
PRIZES = [
    [kind[f"round{number}"] for kind in COMPONENTS["building_type"]] for number in (1, 2, 3)
]  # PRIZES[round - 1][kind] = the points for first, second, third place
TILES = [{"kind": tile["type"], "price": tile["price"], "walls": set(tile["walls"])} for tile in COMPONENTS["tile"]]
FOUNTAIN = len(TILES)  # the number after the last tile
PIECES = [*TILES, {"kind": None, "price": None, "walls": set()}]

HOME = (0, 0)
STEP = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
# The two ends of each side, relative to the cell's north-west corner.
ENDS = {
    "N": ((0, 0), (0, 1)),
    "E": ((0, 1), (1, 1)),
    "S": ((1, 0), (1, 1)),
    "W": ((0, 0), (1, 0)),
}
SMALL_CHANGE = COMPONENTS["turn"]["take_money_several_max_sum"]


# ------------------------------------------------------------------ money


def may_take(values):
    return len(values) == 1 or (len(values) > 1 and sum(values) <= SMALL_CHANGE)


def payments(hand, price):
    """Return every selection of cards of one currency that covers the price, as a set of sorted tuples."""
    choices = {()}
    for card in hand:
        choices |= {tuple(sorted((*choice, card))) for choice in choices}
    return {choice for choice in choices if sum(choice) >= price}


def exact(hand, price):
    return {payment for payment in payments(hand, price) if sum(payment) == price}


def minimal(hand, price):
    return {payment for payment in payments(hand, price) if all(sum(payment) - card < price for card in payment)}


def start_player(hands):
    """Return the seats that could start: the seats with the least money among the seats with the fewest cards."""
    fewest = min(len(hand) for hand in hands)
    seats = [seat for seat, hand in enumerate(hands) if len(hand) == fewest]
    poorest = min(sum(hands[seat]) for seat in seats)
    return [seat for seat in seats if sum(hands[seat]) == poorest]


def leftovers(holdings, market):
    """Return, for each market square, the seat that gets its tile at the end, or None.

    holdings[seat][square] lists the values of the seat's cards in the square's currency. market[square] is a tile
    number, or None on an empty square.
    """
    owners = []
    for square, tile in enumerate(market):
        sums = [sum(holding[square]) for holding in holdings]
        most = max(sums)
        given = tile is not None and most > 0 and sums.count(most) == 1
        owners.append(sums.index(most) if given else None)
    return owners


# ------------------------------------------------------------------ building


def neighbour(cell, side):
    return cell[0] + STEP[side][0], cell[1] + STEP[side][1]


def has_wall(alhambra, cell, side):
    return side in PIECES[alhambra[cell]]["walls"]


def flood(start, may_step):
    """Return all cells that can be reached from `start` by steps that `may_step(cell, side)` allows."""
    reached, waiting = {start}, [start]
    while waiting:
        cell = waiting.pop()
        for side in STEP:
            beyond = neighbour(cell, side)
            if beyond not in reached and may_step(cell, side):
                reached.add(beyond)
                waiting.append(beyond)
    return reached


def surroundings(alhambra):
    """Return all cells of the smallest rectangle around the Alhambra with a margin of one cell."""
    rows = [row for row, _ in alhambra]
    columns = [column for _, column in alhambra]
    return {
        (row, column)
        for row in range(min(rows) - 1, max(rows) + 2)
        for column in range(min(columns) - 1, max(columns) + 2)
    }


def sides_match(alhambra):
    return all(
        has_wall(alhambra, cell, side) == has_wall(alhambra, neighbour(cell, side), OPPOSITE[side])
        for cell in alhambra
        for side in STEP
        if neighbour(cell, side) in alhambra
    )


def all_on_foot(alhambra):
    def may_step(cell, side):
        beyond = neighbour(cell, side)
        return (
            beyond in alhambra and not has_wall(alhambra, cell, side) and not has_wall(alhambra, beyond, OPPOSITE[side])
        )

    return flood(HOME, may_step) == set(alhambra)


def has_hole(alhambra):
    """Return whether an empty cell is enclosed. A diagonal gap does not open an area."""
    area = surroundings(alhambra)

    def may_step(cell, side):
        return neighbour(cell, side) in area and neighbour(cell, side) not in alhambra

    outside = flood(min(area), may_step)
    return len(outside) + len(alhambra) < len(area)


def is_legal(alhambra):
    return sides_match(alhambra) and all_on_foot(alhambra) and not has_hole(alhambra)


def may_place(alhambra, tile, cell):
    if cell in alhambra:
        return False
    joined = any(neighbour(cell, side) in alhambra for side in STEP)
    return joined and is_legal({**alhambra, cell: tile})


def placements(alhambra, tile):
    return sorted(cell for cell in surroundings(alhambra) if may_place(alhambra, tile, cell))


def may_remove(alhambra, cell):
    if cell == HOME or cell not in alhambra:
        return False
    return is_legal({spot: tile for spot, tile in alhambra.items() if spot != cell})


def may_exchange(alhambra, cell, tile):
    if cell == HOME or cell not in alhambra:
        return False
    return is_legal({**alhambra, cell: tile})


# ------------------------------------------------------------------ scoring


def outer_walls(alhambra):
    """Return the walls that face an empty cell, each as a set of its two end points."""
    walls = set()
    for row, column in alhambra:
        for side in STEP:
            outward = neighbour((row, column), side) not in alhambra
            if outward and has_wall(alhambra, (row, column), side):
                walls.add(frozenset((row + down, column + right) for down, right in ENDS[side]))
    return walls


def longest_run(point, graph, used=frozenset()):
    """Return the length of the longest path of walls that starts at a lattice point and uses no wall twice."""
    runs = [0]
    for other in graph[point]:
        wall = frozenset((point, other))
        if wall not in used:
            runs.append(1 + longest_run(other, graph, used | {wall}))
    return max(runs)


def longest_wall(alhambra):
    """Return the length of the longest connected outer wall. A closed wall counts in full."""
    graph = {}
    for one, other in outer_walls(alhambra):
        graph.setdefault(one, set()).add(other)
        graph.setdefault(other, set()).add(one)
    return max((longest_run(point, graph) for point in graph), default=0)


def majorities(counts, number):
    """Return each seat's points for having the most tiles of each kind in scoring round `number`, 1, 2 or 3.

    counts[seat][kind] is the number of tiles built. Tied seats share the prizes of their places, rounded down. A place
    beyond the prizes is worth nothing, and a seat without a tile gets nothing.
    """
    points = [0] * len(counts)
    for kind in range(len(KINDS)):
        have = [count[kind] for count in counts]
        prizes = PRIZES[number - 1][kind] + [0] * len(counts)
        for seat, mine in enumerate(have):
            better = sum(other > mine for other in have)
            level = have.count(mine)
            if mine > 0:
                points[seat] += sum(prizes[better : better + level]) // level
    return points
