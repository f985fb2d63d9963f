"""Integer codes for the actions of a game."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from math import prod

import numpy as np
import numpy.typing as npt

from ..errors import SetupError
from ..validation import as_index, is_int


class Codes:
    """Integer codes of actions: the first code of the action's kind, plus the number within the kind.

    The things that an action names count like the digits of a number, and the last thing counts fastest. With
    `LAY={"card": 3, "cell": 4}`, the fourth cell for the second card is 7.

    A constant in the game's rules with the name of a kind must be the first code of that kind. The conformance suite
    checks this.

    >>> codes = Codes(TAKE={"card": 5}, LAY={"card": 3, "cell": 4}, PASS={})
    >>> TAKE, LAY, PASS = codes.first
    >>> LAY, PASS, codes.total
    (5, 17, 18)
    >>> codes.encode("LAY", card=1, cell=3)
    12
    >>> codes.decode(12)
    ('LAY', {'card': 1, 'cell': 3})
    """

    def __init__(self, **kinds: Mapping[str, int]) -> None:
        self.kinds = kinds  # by name: the things that an action names, with their number
        sizes = [prod(names.values()) for names in kinds.values()]
        *first, self.total = accumulate(sizes, initial=0)
        self.first = tuple(first)
        self.names = tuple(kinds)

    def split(self, code: int) -> tuple[str, int]:
        """Return the kind of an action and its number within the kind. The code must be valid."""
        kind = bisect_right(self.first, code) - 1
        return self.names[kind], code - self.first[kind]

    def decode(self, code: int) -> tuple[str, dict[str, int]]:
        """Return the kind of an action, and by name the index of each thing that the action names.

        Raises:
            SetupError: no action has this code.
        """
        index = as_index(code)
        if index is None or not 0 <= index < self.total:
            raise SetupError(f"No action has the code {code!r}: codes go from 0 to {self.total - 1}.")
        kind, number = self.split(index)
        sizes = self.kinds[kind]
        return kind, dict(zip(sizes, map(int, np.unravel_index(number, tuple(sizes.values()))), strict=True))

    def encode(self, kind: str, /, **named: int) -> int:
        """Return the code of an action of this kind, from the index of each thing that the action names.

        Raises:
            SetupError: there is no such kind, the names are not those of the kind, or an index is out of range.
        """
        if kind not in self.kinds:
            raise SetupError(f"There are no actions of the kind {kind!r}, only {', '.join(self.names)}.")
        sizes = self.kinds[kind]
        if named.keys() != sizes.keys():
            raise SetupError(f"{kind} takes {', '.join(sizes) or 'nothing'}, not {', '.join(named) or 'nothing'}.")
        code = 0
        for name, size in sizes.items():
            if not (is_int(named[name]) and 0 <= named[name] < size):
                raise SetupError(f"{kind} has no {name} {named[name]!r}: they go from 0 to {size - 1}.")
            code = code * size + int(named[name])
        return self.first[self.names.index(kind)] + code

    def table(self) -> npt.NDArray[np.int8]:
        """Return the index of each code's kind in `names`, int8 (total,), for lookups in kernels."""
        sizes = np.diff([*self.first, self.total])
        return np.repeat(np.arange(len(self.names)), sizes).astype(np.int8)
