"""The components of the game as tables."""

from almunia.core.component_data import read

SEATS = 2

DATA = read(__file__)
TABLES = ("cards", "chips")  # the tables that the rules depend on: records keep a hash of them

NAMES = tuple(DATA["cards"]["names"])  # from the lowest card to the highest [1.1]
CARDS = len(NAMES)  # numbered from 1
DEALS = CARDS * (CARDS - 1)  # ordered pairs of cards
ANTE = int(DATA["chips"]["ante"])  # [2.1]
BET = int(DATA["chips"]["bet"])  # [3.1]
