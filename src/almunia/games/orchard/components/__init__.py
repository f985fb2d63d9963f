"""The components of Orchard as tables. Cards are numbered from 1, so a table by card number begins with a blank."""

from enum import IntEnum

import numpy as np

from ....core.component_data import read


class Fruit(IntEnum):
    APPLE = 0
    PEAR = 1
    PLUM = 2


LONG, SHORT = 3, 2  # the sides of a card, in trees
HEIGHT = np.array([LONG, SHORT, LONG, SHORT], np.int8)  # of a card, by its quarter turns
WIDTH = np.array([SHORT, LONG, SHORT, LONG], np.int8)

DATA = read(__file__, f"{__name__}.schema")
TABLES = ("game", "fruits", "dice", "rotten", "variant_pnp2018", "card")  # tables that the rules depend on
LETTERS = "APL"  # of the table `fruits`, in the order of Fruit

FRUITS = len(Fruit)
CARDS = DATA["game"]["cards_total"]
DEALT = DATA["game"]["cards_per_game"]
GAME_CARDS = np.array([DEALT, 4], np.int8)  # that make a game, by the option `reduced`
HAND = DATA["game"]["hand_size"]
TREES = FRUITS * DATA["game"]["trees_per_fruit_per_card"]  # on a card
DICE_EACH = DATA["fruits"]["A"]["dice"]  # of each fruit
DICE = FRUITS * DICE_EACH
TOKENS = DATA["rotten"]["tokens"]
TOKEN_COST = DATA["rotten"]["penalty_each"]
QUARTERS = 4  # ways to turn a card

SIDE = 35  # rows and columns that always suffice [D7]
CELLS = SIDE * SIDE
CENTRE = 16  # row and column of the start card's top left tree

# The cell of each tree of a turned card, in reading order, relative to the card's top left cell.
DOWN = np.array([[k // width for k in range(TREES)] for width in WIDTH], np.int8)
RIGHT = np.array([[k % width for k in range(TREES)] for width in WIDTH], np.int8)

OFFSET = (DOWN * np.int16(SIDE) + RIGHT).astype(np.int16)  # the same offsets as numbers of cells

# The points of each step of a die, for the editions of 2019 and 2018. Step 0 is no die. The edition of 2018 has one
# step fewer, so the last value is repeated.
LADDER = np.array([[0, *DATA["dice"]["ladder"]], [0, *DATA["variant_pnp2018"]["ladder"], 6]], np.int8)
TOP = np.array([4, 3], np.int8)  # the last step in each edition

SIDES = np.array(DATA["variant_pnp2018"]["sides"], np.int8)  # the two faces of each card of 2018


def _faces() -> np.ndarray:
    """Return the fruit of each tree: by card, quarter turns clockwise, and place in reading order [1.1]."""
    table = np.zeros((CARDS + 1, QUARTERS, TREES), np.int8)
    for card in DATA["card"]:
        upright = np.array([[LETTERS.index(letter) for letter in row] for row in card["rows"]])
        for turned in range(QUARTERS):
            table[card["number"], turned] = np.rot90(upright, -turned).ravel()
    return table


FRUIT = _faces()

# For speed, FRUIT packed into one integer for each turned card: FACE_BITS for each tree, the first tree lowest.
FACE_BITS = 2
FACE_MASK = (1 << FACE_BITS) - 1
FACE = (FRUIT.astype(np.int64) << (FACE_BITS * np.arange(TREES))).sum(axis=2)

# Whether a tree is the second tree of its fruit on the card, in reading order.
SECOND = np.zeros_like(FRUIT)
for _k in range(TREES):
    SECOND[:, :, _k] = (FRUIT[:, :, :_k] == FRUIT[:, :, _k : _k + 1]).any(axis=2)

# The index of the only set bit of a number, by the number's remainder modulo BIT_MODULUS. Bits 0 to 35 have different
# remainders, since 2 is a primitive root of 37. Numba does not compile `int.bit_length`.
BIT_MODULUS = 37
BIT_OF = np.zeros(BIT_MODULUS, np.int8)
for _bit in range(SIDE):
    BIT_OF[2**_bit % BIT_MODULUS] = _bit
