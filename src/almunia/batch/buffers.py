"""The arrays of a batch: their allocation, and arrays that callers give."""

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.kernels.batch_step import BatchArrays, ThreadScratch
from ..core.loaded import LoadedGame
from ..engine.state_dtype import f8, i1, i8, record_dtype

ALIGNMENT = 64  # bytes; JAX copies an array with another alignment, instead of sharing its memory

CONFIG = record_dtype(  # the same for all games of a batch
    seed=i8,
    seats=i8,
    reward=i8,  # the number of a convention in `scoring`
    illegal=i8,  # ERROR: actions were checked before; PENALTY: ends the game; RANDOM: a legal action replaces it
    penalty=f8,  # the reward for an illegal action that ends its game
    autoreset=i8,  # whether the next game begins after an end
    random_seat=i8,  # whether the learner's seat is drawn for each game
    bit_masks=i8,  # whether masks are bits
)


def row_dtype(game: LoadedGame) -> np.dtype:
    max_seats = game.meta.seats[1]
    return record_dtype(
        seed=i8,  # of the deal
        bot_seed=i8,  # of the opponents
        rng=(i8, 4),  # of the opponents
        episode=i8,  # the number of games that have begun in this row
        learner_seat=i1,  # NONE if the learner has all seats
        awaits_opponent=i1,  # whether an opponent that does not choose in the loop is to move
        done=i1,  # whether the last step ended a game
        is_set=i1,  # whether the game began at a position that was set, instead of a deal
        has_acted=(i1, max_seats),  # whether the learner has acted for this seat
        last_potential=(f8, max_seats),  # the potential at the last reward
        rewards=(f8, max_seats),  # of the last step
    )


def allocate_batch(
    game: LoadedGame, n: int, seats: int, legal_as: str, observe: bool, final_observations: bool
) -> BatchArrays:
    actions = game.rules.ACTIONS
    width = {"masks": actions, "bits": -(-actions // 8), "lists": 0}[legal_as]
    observations = zeros((n * (1 + final_observations) if observe else 0, game.tensor_size), np.float32)
    return BatchArrays(
        states=zeros((n,), game.rules.STATE),
        rows=zeros((n,), row_dtype(game)),
        selected=zeros((n,), np.bool_),
        current_seats=zeros((n,), np.int8),
        done=zeros((n,), np.bool_),
        learner_seats=zeros((n,), np.int8),
        seeds=zeros((n,), np.int64),
        bot_seeds=zeros((n,), np.int64),
        rewards=zeros((n, seats), np.float32),
        num_legal=zeros((n,), np.int64),
        legal_actions=zeros((n, actions), np.int32),
        masks=zeros((n, width), np.uint8),
        observations=observations,
        parts=observations.view(game.tensor_dtype)[:, 0],
    )


def zeros(shape: tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
    """Return an array of zeros that begins at a multiple of ALIGNMENT."""
    size = prod(shape) * np.dtype(kind).itemsize
    room = np.zeros(size + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    return room[start : start + size].view(kind).reshape(shape)


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return actions, or other values of rows, as an array.

    For rows of several lengths, masked entries, or tensors that NumPy cannot read, return an array of objects, which
    the caller refuses.
    """
    if type(values) is not np.ndarray and np.ma.is_masked(values):
        return values.astype(object).filled(None)
    try:
        return np.asarray(values)
    except ValueError:
        return np.array([*values, None], object)[:-1]
    except (TypeError, RuntimeError):
        return np.array(None, object)


def allocate_scratch(game: LoadedGame, config: Any, blank: Any) -> ThreadScratch:
    seats = int(config["seats"][0])
    return ThreadScratch(
        config=config,
        blank=blank,
        masked=np.zeros(1, game.rules.STATE),
        table=np.zeros((seats, len(game.rules.SCORES)), np.int64),
        ranks=np.zeros(seats, np.int8),
    )
