"""Evaluation of a position by its points, for the parts of `bots.py` that a game lacks.

`rules` and `bots` are the game's.
"""

from typing import Annotated, Any, NamedTuple

from .scoring import margin

rules: Any
bots: Any

VALUE_SCALE = 1
SEARCH: dict[str, float] = {}
SEATS_INDEPENDENT = False
LEVELS: dict[str, str] = {}
SCRATCH_SIZE = 0
WIN_CHANCE: dict[int, tuple[float, float, float, float]] = {}
WEIGHTS: dict[str, int | tuple[int, ...]] = {}
LUCK_HORIZON: tuple[int, float] | None = None


class EvalScratch(NamedTuple):
    """Scratch space for trying actions and evaluating positions, with dtypes and shapes for `workspaces.allocate`."""

    states: Annotated[Any, "state", 1]  # for trying actions
    table: Annotated[Any, "int64", "seats", "scores"]  # for `scores`
    values: Annotated[Any, "int64", "seats"]  # for evaluations
    weights: Annotated[Any, "weights"]  # () if the game has no WEIGHTS, else (array,), an array (1,) of their record
    notes: Annotated[Any, "int64", "notes"]  # (SCRATCH_SIZE,), for the game's own `action_values`


def evaluate(s, table, out):
    rules.scores(s, table)
    for p in range(s.seats):
        out[p] = table[p, 0]


def action_values(s, actions, count, scratch, out):
    seat, seats = s.turn, s.seats
    for i in range(count):
        scratch.states[0] = s
        rules.apply(scratch.states[0], actions[i])
        bots.evaluate(scratch.states[0], *scratch.weights, scratch.table, scratch.values)
        out[i] = margin(seat, seats, scratch.values)


def evaluate_leaf(s, *arguments):
    bots.evaluate(s, *arguments)
