"""The components of the game as tables."""

import numpy as np

from almunia.core.component_data import read

SEATS = 3  # maximum number of players

DATA = read(__file__)
TABLES = ("cards",)  # the tables that the rules depend on: records keep a hash of them

CARDS = int(DATA["cards"]["highest"])  # numbered from 1 [1.1]
HANDS = np.array(DATA["cards"]["hands"], np.int8)  # by the option `hand` [2.1]
