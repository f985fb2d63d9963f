"""What is in the box, as tables."""

import numpy as np

from almunia.core import box

DATA = box.read(__file__)

TABLES = ("cards",)  # what the rules depend on: records keep a hash of it
CARDS = int(DATA["cards"]["highest"])  # numbered from 1 [1.1]
HANDS = np.array(DATA["cards"]["hands"], np.int8)  # by the option `hand` [2.1]
