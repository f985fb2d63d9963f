"""The arrays of a batch, made once."""

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.kernels.batch_step import BYTE, Games, Work
from ..core.loaded import LoadedGame
from ..engine.state_dtype import f8, i1, i8, struct

LINE = 64  # bytes: where arrays begin is a multiple of it, or JAX would copy them instead of sharing their memory

TERMS = struct(  # what holds for all games of a batch
    seed=i8,
    seats=i8,
    reward=i8,  # the number of a convention in `scoring`
    illegal=i8,  # ERROR, and then all have been checked; PENALTY, and its game ends; RANDOM, and a legal one is done
    penalty=f8,  # the reward for one that ends its game
    goes_on=i8,  # does the next game begin where one has ended?
    drawn=i8,  # is the learner's seat drawn for each game?
    packed=i8,  # are legal actions marked by bits?
)


def slots(game: LoadedGame) -> np.dtype:
    """What is kept of each game of a batch beside its state. Its fields by seat have room for the most there can be."""
    most = game.meta.seats[1]
    return struct(
        seed=i8,  # of the deal
        bot_seed=i8,  # of the rivals
        rng=(i8, 4),  # the random numbers of the rivals
        dealt=i8,  # how many games have begun here
        own=i1,  # the learner's seat, or NONE if it has them all
        waiting=i1,  # is a rival to be asked in Python?
        done=i1,  # did the last step end a game?
        decided=(i1, most),  # has the learner decided anything for this seat?
        paid=(f8, most),  # the worth that has been given as rewards
        rewards=(f8, most),  # those of the last step
    )


def blank_games(game: LoadedGame, n: int, seats: int, offers: str, observe: bool, finals: bool) -> Games:
    """Rows for so many games, with nothing in them yet."""
    actions = game.rules.ACTIONS
    width = {"masks": actions, "bits": -(-actions // BYTE), "lists": 0}[offers]
    observations = zeros((n * (1 + finals) if observe else 0, game.tensor_size), np.float32)
    return Games(
        states=zeros((n,), game.rules.STATE),
        slots=zeros((n,), slots(game)),
        turns=zeros((n,), np.int8),
        done=zeros((n,), np.bool_),
        rewards=zeros((n, seats), np.float32),
        counts=zeros((n,), np.int64),
        lists=zeros((n, actions), np.int32),
        marks=zeros((n, width), np.uint8),
        observations=observations,
        parts=observations.view(game.tensor_parts)[:, 0],
    )


def zeros(shape: tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
    """An array of zeros that begins at a multiple of LINE."""
    size = prod(shape) * np.dtype(kind).itemsize
    room = np.zeros(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size].view(kind).reshape(shape)


def blank_work(game: LoadedGame, terms: Any, blank: Any) -> Work:
    """What a thread writes on."""
    seats = int(terms["seats"][0])
    return Work(
        terms=terms,
        blank=blank,
        seen=np.zeros(1, game.rules.STATE),
        table=np.zeros((seats, len(game.rules.SCORES)), np.int64),
        ranks=np.zeros(seats, np.int8),
    )
