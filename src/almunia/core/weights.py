"""Weights: the numbers of a game's evaluations, handed over to its compiled functions.

A set of weights is a record with a field for each entry of `WEIGHTS` in the game's `bots.py`, in an array (1,).
Functions get other numbers without another compilation.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.state_dtype import i8, record_dtype
from ..errors import SetupError, one_of
from ..files import read_text
from ..validation import is_int
from .loaded import LoadedGame

MAX_WEIGHT = 10_000  # of the absolute value, so that products of some weights stay far below 2**40

Weights = Mapping[str, int | Sequence[int]]  # by name
AnyWeights = Weights | str | Path  # or the path of a file with them


def weights_dtype(game: LoadedGame) -> np.dtype:
    """Return the dtype of a set of the game's weights: a field of int64 for each name."""
    sizes = {name: np.shape(numbers) for name, numbers in game.bots.WEIGHTS.items()}
    return record_dtype(**{name: (i8, shape) if shape else i8 for name, shape in sizes.items()})


def weights_array(game: LoadedGame, weights: Weights | None = None) -> tuple[Any, ...]:
    """Return a tuple with complete weights, an array of one record; an empty tuple if the game has no weights.

    Without `weights`, they are the game's own.
    """
    if not game.bots.WEIGHTS:
        return ()
    record = np.zeros(1, weights_dtype(game))
    for name, numbers in (game.bots.WEIGHTS if weights is None else weights).items():
        record[name] = numbers
    return (record,)


def complete_weights(game: LoadedGame, weights: AnyWeights) -> dict[str, Any]:
    """Return all weights by name: those given, or in a file, and the game's own for names that are left out.

    Raise SetupError for a file that cannot be read, unknown names and invalid numbers.
    """
    given = read_weights(Path(weights), game) if isinstance(weights, str | Path) else weights
    own = game.bots.WEIGHTS
    if not isinstance(given, Mapping):
        raise SetupError(f"Weights are a mapping from names to integers, or the path of a file, not {given!r}.")
    if not own:
        raise SetupError(f"{game.meta.title} has no weights: its `bots.py` has no `WEIGHTS`.")
    for name in given:
        if name not in own:
            raise SetupError(f"{game.meta.title} has no weight {name!r}. It has: {one_of(own, str(name))}")
    return {name: check_weight(name, given.get(name, numbers), np.shape(numbers)) for name, numbers in own.items()}


def check_weight(name: str, numbers: object, shape: tuple[int, ...]) -> Any:
    """Return the numbers of a weight. Raise SetupError unless they are as many integers as the game has."""
    several = isinstance(numbers, Sequence | np.ndarray) and not isinstance(numbers, str)
    parts: Sequence[Any] = list(numbers) if several else [numbers]  # type: ignore[call-overload]
    if (len(parts),) * several != shape or not all(is_int(part) and abs(part) <= MAX_WEIGHT for part in parts):
        what = f"{shape[0]} integers" if shape else "an integer"
        raise SetupError(f"The weight {name!r} is {what} from -{MAX_WEIGHT} to {MAX_WEIGHT}, not {numbers!r}.")
    return parts if several else parts[0]


def read_weights(path: Path, game: LoadedGame) -> Weights:
    """Return the weights in a JSON file with the game's name (`game`) and its weights by name (`weights`).

    Raise SetupError for a file that cannot be read, or has weights of another game.
    """
    try:
        content = json.loads(read_text(path))
    except OSError as error:
        raise SetupError(f"The weights in {str(path)!r} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise SetupError(f"{str(path)!r} is no JSON file of weights, as `almunia tune --weights` writes it.") from None
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise SetupError(f"{str(path)!r} has no object `weights`, as `almunia tune --weights` writes it.")
    if content.get("game") != game.name:
        raise SetupError(f"{str(path)!r} has weights of the game {content.get('game')!r}, not of {game.name!r}.")
    return dict(content["weights"])


def weights_dict(array: Any) -> dict[str, int | list[int]]:
    """Return the weights of an array of one record by name, as integers and lists."""
    return {name: array[name][0].tolist() for name in array.dtype.names}
