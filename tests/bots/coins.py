"""A game of coins, so small that its search tree can be written down by hand, for the tests of the search.

Seats take turns of `steps` decisions, until `stop` turns are finished. A decision picks one of the seat's coins, which
remains, and scores the coin's value. The decision with the number `single` is forced. Coins are hidden from other
seats. Picks are hidden from all other seats except the seats of `watchers`. The meaning of a code depends on the hidden
`shift`.

This module is `rules`, `observe` and `bots` in one. `COINS` stands for the `Game` of a search.
"""

import sys
from types import SimpleNamespace

import numpy as np

from almunia.core.kernels import evaluation
from almunia.core.optional import OptionalBots, with_defaults
from almunia.engine import state_dtype
from almunia.engine.checked import CheckedArray, checked_backend, checked_record
from almunia.engine.kernels.rng import randbelow
from almunia.play.play import Play

ACTIONS = NUM_ACTION_KEYS = 4
SEATS = 3
SCORES = ("points",)
STATE = state_dtype.state_dtype(
    coins=(state_dtype.i1, (SEATS,)),  # a bit for each coin that a seat may pick, by its value
    shift=(state_dtype.i1, (SEATS,)),  # a code is the value less this, modulo 4
    points=(state_dtype.i1, (SEATS,)),
    watchers=state_dtype.i1,  # a bit for each seat that sees what others pick
    steps=state_dtype.i1,
    single=state_dtype.i1,
    stop=state_dtype.i1,
)
TENSOR_SHAPES = {"coins": (ACTIONS,), "points": (SEATS,)}
GUESSES = np.array([0b0011, 0b1110])  # the coins that a seat may have, as far as others can tell


def legal(s, out):
    count = 0
    for action in range(ACTIONS):
        if not s.over and s.coins[s.turn] >> action_key(s, action) & 1:
            out[count] = action
            count += 1
    return min(count, 1) if s.single and s.phase == s.single else count


def apply(s, action):
    s.points[s.turn] += action_key(s, action)
    s.phase += 1
    if s.phase == s.steps:
        s.phase = 0
        s.turns += 1
        s.turn = s.turns % s.seats
        s.over = 1 if s.turns >= s.stop else 0


def scores(s, table):
    for p in range(s.seats):
        table[p, 0] = s.points[p]


def mask(s, seat):
    for p in range(s.seats):
        if p != seat:
            s.coins[p] = 0
            s.shift[p] = 0


def tensor(s, seat, out):
    for value in range(ACTIONS):
        out.coins[value] = 1.0 * (s.coins[seat] >> value & 1)
    for p in range(s.seats):
        out.points[p] = 1.0 * s.points[p]


def may_see(s, seat):
    return seat == s.turn or s.watchers >> seat & 1


def determinize(s, seat, rng, scratch):
    for p in range(s.seats):
        if p != seat:
            s.coins[p] = GUESSES[randbelow(rng, len(GUESSES))]
            s.shift[p] = randbelow(rng, NUM_ACTION_KEYS)


def action_key(s, action):
    return (action + s.shift[s.turn]) % NUM_ACTION_KEYS


def action_values(s, actions, count, scratch, out):
    for i in range(count):
        out[i] = action_key(s, actions[i])


def evaluate(s, table, values):
    for p in range(s.seats):
        values[p] = s.points[p]


def evaluate_leaf(s, table, values):
    evaluate(s, table, values)


class OneModuleGame:
    """A game whose rules, observations and evaluations are one module, in the plain build."""

    def __init__(self, module):
        self.rules = self.observe = module
        self.bots = with_defaults(module, OptionalBots, vars(evaluation))
        self.meta = SimpleNamespace(seats=(1, module.SEATS))
        self.tensor_dtype = np.dtype([(name, np.float32, shape) for name, shape in module.TENSOR_SHAPES.items()])
        self.tensor_size = self.tensor_dtype.itemsize // 4
        self.backend = checked_backend(must_compile=True)
        self.backend.inject(rules=module, observe=module, bots=module)
        self.kernel, self.wrap = self.backend.specialize, CheckedArray


def play_coins(monkeypatch):
    """Let `Play.start` return views of coins, which have the part of a play's interface that searches use."""
    monkeypatch.setattr(Play, "start", lambda _game, seats, _seed, _options: viewed(seats=seats))


def position(coins=(0b1111, 0b0011, 0b0011), seats=2, **fields):
    """Return a position before any decision, as an array of shape (1,)."""
    states = state_dtype.zeros(STATE)
    states["seats"], states["steps"], states["stop"], states["coins"] = seats, 1, 4, coins
    for name, value in fields.items():
        states[name] = value
    return states


class View:
    """A seat's view of a position, and a play from there. Nothing is masked: no search reads hidden fields."""

    def __init__(self, array, seat):
        self.array, self.seat = array, seat

    def __getattr__(self, name):
        return int(self.array[name][0])

    @property
    def legal_actions(self):
        out = np.zeros(ACTIONS, np.int32)
        return tuple(out[: legal(checked_record(self.array), out)].tolist())

    def apply(self, action):
        apply(checked_record(self.array), action)

    def to_state(self):
        return self.array.tobytes()

    def observe(self, seat):
        return View(self.array.copy(), seat)

    def determinize(self, seed):
        return self.observe(self.seat)


def viewed(seat=0, **fields):
    """Return a seat's view of a position."""
    return View(position(**fields), seat)


COINS = OneModuleGame(sys.modules[__name__])
