"""Names and helpers of Orchard's text and pictures."""

from ....core.contract import NONE
from ....core.english import NUMBERS
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import DATA, Fruit
from ..rules import Edition, bears, contested, die_on, harvested

TURNS = ("", ", a quarter turn right", ", a half turn", ", a quarter turn left")
FRUITS = tuple(fruit.name.lower() for fruit in Fruit)
TOP_OF_2018 = "Pretty Pear-fect (take a bough)"


def decode(s: State, action: int) -> tuple[int, int, int]:
    """Return card number, quarter turns and cell of a placement."""
    slot, turned, cell = placement(action)
    return s.seat[s.turn].hand[slot], turned, cell


def placement(action: int) -> tuple[int, int, int]:
    """Return slot in the hand, quarter turns and cell of a placement."""
    way, cell = divmod(action, box.CELLS)
    return *divmod(way, box.QUARTERS), cell


def contested_trees(s: State) -> list[int]:
    """Return the cells of the two trees that could get the last die [D2]."""
    me = s.seat[s.turn]
    fruit = contested(me)
    number, turned, cell = decode(s, me.choice)
    found = []
    for k in range(box.TREES):
        row, column = cell // box.SIDE + box.DOWN[turned, k], cell % box.SIDE + box.RIGHT[turned, k]
        bare = bears(me, fruit, row, column) and die_on(me, fruit, row, column) == NONE
        if box.FRUIT[number, turned, k] == fruit and bare:
            found.append(row * box.SIDE + column)
    return found


def spot(cell: int) -> str:
    """Return row and column of a cell as text, counted from the start card's top left tree: `2,-1` [D7]."""
    return f"{cell // box.SIDE - box.CENTRE},{cell % box.SIDE - box.CENTRE}"


def way_to(cell: int) -> str:
    """Return a cell in words, such as `2 down and 1 left of the start`."""
    down, right = cell // box.SIDE - box.CENTRE, cell % box.SIDE - box.CENTRE
    ways = [
        f"{abs(far)} {words[far > 0]}" for far, words in ((down, ("up", "down")), (right, ("left", "right"))) if far
    ]
    return " and ".join(ways) + (" of the start" if right else " from the start" if down else "on the start")


def trees_of(me: State) -> dict[int, int]:
    """Return the visible fruit, or ROTTEN, of each cell with a tree, by cell in ascending order."""
    found = {}
    for kind in range(box.FRUITS + 1):
        for row, bits in enumerate(me.trees[kind]):
            found.update({row * box.SIDE + column: kind for column in range(bits.bit_length()) if bits >> column & 1})
    return dict(sorted(found.items()))


def points(s: State, seat: int) -> int:
    return harvested(s, s.seat[seat]) - box.TOKEN_COST * s.seat[seat].rotten


def title(s: State, score: int) -> str:
    """Return the title that a score earns [6.5, D9, D13]."""
    if s.edition == Edition.OF_2018 and score >= DATA["variant_pnp2018"]["top_tier_min"]:
        return TOP_OF_2018
    return next(tier["name"] for tier in DATA["tier"] if score <= tier.get("max", score))


def trees(count: int) -> str:
    return f"{NUMBERS[count]} tree{'' if count == 1 else 's'}"
