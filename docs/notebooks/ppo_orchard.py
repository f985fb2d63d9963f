"""Masked PPO that learns Orchard for one player, on one core, in a single file.

    python ppo_orchard.py --save orchard.pt      learn, save the network, and compare it with the built-in bots
    python ppo_orchard.py --play orchard.pt      be a program that plays, for `almunia match --bot external:...`

Orchard has 9,802 actions, of which some tens are legal at a time. The network scores those alone: each legal action is
a row of features (what the card would cover, and what lies around it), and the policy is the softmax over the rows of
one position. Nothing is computed for the other actions, and nothing illegal can be chosen.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from torch import nn

import almunia
from almunia.games.orchard import components as box

GAME = almunia.game("orchard")


@dataclass(frozen=True)
class Settings:
    """What a run depends on: with the same settings it gives the same network on the same machine."""

    decisions: int = 1_250_000  # in all: about a quarter of an hour
    seed: int = 1
    games: int = 256  # side by side
    steps: int = 8  # decisions of each game between two updates: about one game
    epochs: int = 3
    parts: int = 16  # of an epoch, for one step of Adam each
    hidden: int = 64  # units of both layers
    rate: float = 1e-3  # of Adam; it falls to 0 by the end
    clip: float = 0.2
    trace: float = 0.95  # the lambda of generalised advantage estimation; games are short, so nothing is discounted
    entropy: float = 0.01  # its weight in the loss; it falls to 0 as well


# --- what the network sees ------------------------------------------------------------------------

EMPTY, ROTTEN = 0, 1 + 5 * box.FRUITS  # what a cell holds; between them, a tree by fruit and step of its die (0 to 4)
KINDS = ROTTEN + 1
RING = 2  # cells around the card
EDGE = box.SIDE + 2 * (RING + 3)  # of a board with enough nothing around it
WINDOW = (3 + 2 * RING) * (2 + 2 * RING)
STEP = np.zeros(11, np.int64)
STEP[box.LADDER[0]] = np.arange(5)  # the step of a die, by its points
UPRIGHT = box.FRUIT[:, 0]  # the six fruits of each card


def offsets() -> np.ndarray:
    """Where the window's cells lie, from the card's first, by quarter turns; in the order of an upright card's."""
    found = np.zeros((box.QUARTERS, WINDOW), np.int64)
    for turned in range(box.QUARTERS):
        rows, columns = (np.arange(size + 2 * RING) - RING for size in (box.HEIGHT[turned], box.WIDTH[turned]))
        found[turned] = np.rot90(rows[:, None] * EDGE + columns, turned).ravel()
    return found


OFFSETS = offsets()
INNER = np.arange(WINDOW).reshape(3 + 2 * RING, -1)[RING:-RING, RING:-RING].ravel()  # the card's own six cells


def laid() -> np.ndarray:
    """What a cell holds after a fruit was laid on what it held, (KINDS, FRUITS)."""
    table = np.zeros((KINDS, box.FRUITS), np.int64)
    for below in range(KINDS):
        for fruit in range(box.FRUITS):
            grown = below + (below % 5 != 0) if below and (below - 1) // 5 == fruit else ROTTEN
            table[below, fruit] = grown if below else 1 + 5 * fruit
    return table


LAID = laid()
# The features of an action are places in one table: a row of it for each. Blocks of the table, with their sizes:
SIZES = np.array([KINDS] * WINDOW + [KINDS * box.FRUITS] * box.TREES + [box.CARDS + 1, box.CARDS + 1, 3])
STARTS = np.cumsum(SIZES) - SIZES
STATE = box.CARDS + 3 * 6 + box.DEALT + 3  # numbers about the position that all its actions share


class Seen(NamedTuple):
    """The legal actions of several positions, one after the other."""

    actions: np.ndarray  # (all,) their codes
    row: np.ndarray  # (all,) the position of each
    places: np.ndarray  # (all, len(SIZES)) int16
    state: np.ndarray  # (positions, STATE) float32


def look(observations: np.ndarray, lists: np.ndarray, counts: np.ndarray) -> Seen:
    """Features of all legal actions, from observations (n, tensor size) and lists of codes as batches give them."""
    parts, n = observations.view(GAME.tensor_dtype)[:, 0], len(observations)
    trees = parts["trees"].astype(np.int8)
    steps = STEP[np.rint(parts["dice"] * 10).astype(np.int64)]
    board = np.zeros((n, EDGE, EDGE), np.int16)
    middle = slice(RING + 3, RING + 3 + box.SIDE)
    board[:, middle, middle] = trees[:, 0] + 6 * trees[:, 1] + 11 * trees[:, 2] + ROTTEN * trees[:, 3] + steps

    most = counts.max()
    legal = np.arange(most) < counts[:, None]
    actions, row = lists[:, :most][legal].astype(np.int64), np.repeat(np.arange(n), counts)
    asked = actions >= GAME.rules.LAST_DIE  # for these the card is chosen already
    code = np.where(asked, chosen(parts)[row], actions)
    way, cell = np.divmod(code, box.CELLS)
    slot, turned = np.divmod(way, box.QUARTERS)
    hand = np.concatenate([parts["hand"].any(2, keepdims=True) == 0, parts["hand"]], axis=2).argmax(axis=2)
    card, kept = hand[row, slot], hand[row, 1 - slot]

    at = row * EDGE**2 + (cell // box.SIDE + RING + 3) * EDGE + cell % box.SIDE + RING + 3
    window = board.reshape(-1)[at[:, None] + OFFSETS[turned]]
    below = window[:, INNER].astype(np.int64)
    window[:, INNER] = LAID[below, UPRIGHT[card]]
    events = below * box.FRUITS + UPRIGHT[card]
    answer = np.where(asked, actions - GAME.rules.LAST_DIE + 1, 0)
    places = np.concatenate([window, events, card[:, None], kept[:, None], answer[:, None]], axis=1) + STARTS
    return Seen(actions, row, places.astype(np.int16), shared(parts))


def chosen(parts: np.ndarray) -> np.ndarray:
    """The placement that each position has chosen already, as a code; 0 if it has none."""
    way = parts["choice"].reshape(len(parts), -1).argmax(axis=1)
    where = parts["choice_at"].argmax(axis=2)
    return way * box.CELLS + where[:, 0] * box.SIDE + where[:, 1]


def shared(parts: np.ndarray) -> np.ndarray:
    """What all actions of a position have in common: cards to come, dice left, cards to place, tokens used."""
    dice = np.eye(6, dtype=np.float32)[np.rint(parts["supply"] * 5).astype(np.int64)].reshape(len(parts), -1)
    cards = np.eye(box.DEALT, dtype=np.float32)[np.rint(parts["to_place"][:, 0] * 8).astype(np.int64)]
    tokens = np.eye(3, dtype=np.float32)[np.rint(parts["players"][:, 0, 1] * 2).astype(np.int64)]
    return np.concatenate([parts["unseen"], dice, cards, tokens], axis=1)


# --- the network ----------------------------------------------------------------------------------


class Inputs(NamedTuple):
    """`Seen`, as the network takes it."""

    row: torch.Tensor
    rank: torch.Tensor  # of each action among those of its position
    places: torch.Tensor
    state: torch.Tensor


def inputs(row: np.ndarray, places: np.ndarray, state: np.ndarray) -> Inputs:
    """The same memory as tensors."""
    counts = np.bincount(row, minlength=len(state))
    rank = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    return Inputs(*(torch.from_numpy(array) for array in (row, rank, places, state)))


@numba.njit(nogil=True, fastmath=True)
def add_rows(places, table, out):
    """Add to each row of `out` those rows of the table that its places name."""
    for i in range(len(places)):
        for place in places[i]:
            for j in range(table.shape[1]):
                out[i, j] += table[place, j]


@numba.njit(nogil=True, fastmath=True)
def add_back(places, change, table):
    """The other way round: add each row of `change` to those rows of the table that its places name."""
    for i in range(len(places)):
        for place in places[i]:
            for j in range(table.shape[1]):
                table[place, j] += change[i, j]


class RowSum(torch.autograd.Function):
    """The sum of the table's rows at some places, as `nn.EmbeddingBag` has it, whose gradient is slow on a CPU."""

    @staticmethod
    def forward(ctx: Any, table: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """From (rows, hidden) and (all, places) to (all, hidden)."""
        ctx.save_for_backward(places)
        ctx.rows = len(table)
        out = torch.zeros(len(places), table.shape[1])
        add_rows(places.numpy(), table.detach().numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, change: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient of the table; places have none."""
        table = torch.zeros(ctx.rows, change.shape[1])
        add_back(ctx.saved_tensors[0].numpy(), change.contiguous().numpy(), table.numpy())
        return table, None


class Net(nn.Module):
    """Gives every action a logit, and the points that it hopes for from there on, divided by ten."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(int(SIZES.sum()), hidden) * 0.1)
        self.state = nn.Linear(STATE, hidden)
        self.inner = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 2)
        nn.init.normal_(self.out.weight, std=0.01)

    def forward(self, seen: Inputs) -> tuple[torch.Tensor, torch.Tensor]:
        """The logarithms of the policy, padded to (positions, most), and what each position is worth (positions,).

        A position is worth what its actions hope for, weighed by the policy: so one network is actor and critic.
        """
        first = RowSum.apply(self.table, seen.places) + self.state(seen.state)[seen.row]
        logit, hope = self.out(torch.relu(self.inner(torch.relu(first)))).unbind(1)
        shape, where = (len(seen.state), int(seen.rank.max()) + 1), (seen.row, seen.rank)
        policy = torch.full(shape, -1e9).index_put(where, logit).log_softmax(1)
        return policy, (policy.detach().exp() * torch.zeros(shape).index_put(where, hope)).sum(1)


class Player:
    """A trained network at a table: whatever has `choose(observation)` is a bot."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def choose(self, observation: almunia.Observation) -> int:
        """The legal action with the largest logit."""
        return self.best(observation.tensor(), observation.legal_actions)

    @torch.no_grad()
    def best(self, tensor: Any, legal: Any) -> int:
        """The same from the observation as numbers, and the codes of the legal actions."""
        seen = look(np.array([tensor], np.float32), np.array([legal]), np.array([len(legal)]))
        policy, _ = self.net(inputs(seen.row, seen.places, seen.state))
        return int(legal[int(policy[0].argmax())])


def save(net: Net, path: Path) -> None:
    """Write a network to a file."""
    torch.save({"hidden": net.inner.in_features, "net": net.state_dict()}, path)


def load(path: Path) -> Net:
    """The network of a file."""
    found = torch.load(path, weights_only=True)
    net = Net(found["hidden"])
    net.load_state_dict(found["net"])
    return net


# --- learning -------------------------------------------------------------------------------------


class Rollout(NamedTuple):
    """Some decisions of every game; arrays are (steps, games)."""

    seen: list[Seen]  # by step
    rank: np.ndarray  # of the action taken, among the legal ones
    log: np.ndarray  # the logarithm of its probability then
    value: np.ndarray  # (steps + 1, games), what positions were worth
    reward: np.ndarray  # points / 10
    done: np.ndarray


class Course:
    """The games that a network learns from, and the points of those that have ended."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.batch = GAME.batch(settings.games, 1, seed=settings.seed, legal_as="lists", reward="points")
        self.points, self.running = [], np.zeros(settings.games, np.float32)

    @torch.no_grad()
    def roll(self, net: Net) -> Rollout:
        """Play on by the policy."""
        batch, shape = self.batch, (self.settings.steps, self.settings.games)
        rank, done = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        log, reward, value = (np.zeros((shape[0] + more, shape[1]), np.float32) for more in (0, 0, 1))
        kept = []
        for step in range(shape[0]):
            seen = look(batch.observations, batch.legal_actions, batch.num_legal)
            policy, value[step] = net(inputs(seen.row, seen.places, seen.state))
            drawn = torch.multinomial(policy.exp(), 1)
            kept.append(seen)
            rank[step], log[step] = drawn[:, 0], policy.gather(1, drawn)[:, 0]
            batch.step(batch.legal_actions[np.arange(batch.n), rank[step]])
            reward[step], done[step] = batch.rewards[:, 0] / 10, batch.done
            self.count()
        seen = look(batch.observations, batch.legal_actions, batch.num_legal)
        _, value[-1] = net(inputs(seen.row, seen.places, seen.state))
        return Rollout(kept, rank, log, value, reward, done)

    def count(self) -> None:
        """Add up the points of every game."""
        self.running += self.batch.rewards[:, 0]
        self.points.extend(self.running[self.batch.done].tolist())
        self.running[self.batch.done] = 0


def advantages(found: Rollout, trace: float) -> np.ndarray:
    """Generalised advantage estimates (Schulman et al., 2016), (steps, games)."""
    gained, last = np.zeros_like(found.reward), np.zeros(found.reward.shape[1], np.float32)
    for step in reversed(range(len(gained))):
        goes_on = ~found.done[step]
        error = found.reward[step] + goes_on * found.value[step + 1] - found.value[step]
        last = error + trace * goes_on * last
        gained[step] = last
    return gained


def train(settings: Settings) -> Iterator[tuple[Net, dict[str, float]]]:
    """Learn; after each update there is the network, and what the last 2,000 games brought."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    net, course, rng = Net(settings.hidden), Course(settings), np.random.default_rng(settings.seed)
    adam = torch.optim.Adam(net.parameters(), lr=settings.rate, eps=1e-5)
    decisions, wall, cpu = 0, time.perf_counter(), time.process_time()
    while decisions < settings.decisions:
        left = 1 - decisions / settings.decisions
        adam.param_groups[0]["lr"] = settings.rate * left
        found = course.roll(net)
        improve(net, adam, found, settings, left, rng)
        decisions += found.rank.size
        yield (
            net,
            {
                "decisions": decisions,
                "minutes": (time.perf_counter() - wall) / 60,
                "cpu_minutes": (time.process_time() - cpu) / 60,
                "points": float(np.mean(course.points[-2000:])) if course.points else float("nan"),
            },
        )


def improve(net: Net, adam: Any, found: Rollout, settings: Settings, left: float, rng: np.random.Generator) -> None:
    """Some epochs of PPO (Schulman et al., 2017) over a rollout."""
    gained = advantages(found, settings.trace)
    aims = torch.from_numpy((gained + found.value[:-1]).ravel())
    plus, rank, log = (torch.from_numpy(array.ravel()) for array in (gained, found.rank, found.log))
    places, state = (np.concatenate([getattr(seen, name) for seen in found.seen]) for name in ("places", "state"))
    counts = np.concatenate([np.bincount(seen.row) for seen in found.seen])
    starts = np.cumsum(counts) - counts
    for _ in range(settings.epochs):
        for part in np.array_split(rng.permutation(len(state)), settings.parts):
            row = np.repeat(np.arange(len(part)), counts[part])
            every = np.arange(len(row)) + (starts[part] - np.cumsum(counts[part]) + counts[part])[row]
            policy, value = net(inputs(row, places[every], state[part]))
            ratio = (policy.gather(1, rank[part, None])[:, 0] - log[part]).exp()
            better = (plus[part] - plus[part].mean()) / (plus[part].std() + 1e-8)
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            won = torch.minimum(ratio * better, clipped * better).mean()
            spread = -(policy.exp() * policy.clamp(min=-50)).sum(1).mean()
            loss = (value - aims[part]).square().mean() / 2 - won - settings.entropy * left * spread
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            adam.step()


# --- the command ----------------------------------------------------------------------------------


def compare(net: Net, plays: int, seed: int = 1_000_000) -> dict[str, tuple[float, float]]:
    """Mean points of the network, the bots, and the network's lead over greedy; with half of the 95% interval.

    All play the same deals, and none of those that the network learned from: their seeds are drawn from 2**63.
    """
    bots = {"network": Player(net), "greedy": "greedy", "random": "random"}
    points = {
        name: almunia.simulate(GAME, plays, bots=[bot], seed=seed)["scores"][:, 0].astype(float)
        for name, bot in bots.items()
    }
    points["network - greedy"] = points["network"] - points["greedy"]
    return {name: (float(row.mean()), float(1.96 * row.std(ddof=1) / plays**0.5)) for name, row in points.items()}


def play(net: Net) -> None:
    """Answer on standard output what is asked on standard input, as docs/bots.md says of programs."""
    player = Player(net)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "choose":
            action = player.best(message["tensor"], [action["code"] for action in message["actions"]])
            print(json.dumps({"action": action}), flush=True)


def main() -> None:
    """Learn and compare, or play."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for setting in fields(Settings):
        parser.add_argument(f"--{setting.name}", type=type(setting.default), default=setting.default)
    parser.add_argument("--plays", type=int, default=5000, help="for the comparison at the end")
    parser.add_argument("--save", type=Path, help="write the network to this file")
    parser.add_argument("--report", type=Path, help="write settings, curve and comparison to this file, as JSON")
    parser.add_argument("--play", type=Path, help="play with the network of this file")
    given = parser.parse_args()
    if given.play:
        play(load(given.play))
        return
    learn(Settings(**{setting.name: getattr(given, setting.name) for setting in fields(Settings)}), given)


def learn(settings: Settings, given: argparse.Namespace) -> None:
    """Learn, say how it goes, and compare."""
    curve = []
    for net, reached in train(settings):  # noqa: B007 - the same network every time, and used below
        curve.append(reached)
        if len(curve) % 10 == 0:
            print("  ".join(f"{name} {value:,.1f}" for name, value in reached.items()), flush=True)
    if given.save:
        save(net, given.save)
    compared = compare(net, given.plays)
    for name, (mean, half) in compared.items():
        print(f"{name}: {mean:.2f} ±{half:.2f} points ({given.plays} plays)")
    if given.report:
        found = {"settings": asdict(settings), "plays": given.plays, "curve": curve, "compared": compared}
        given.report.write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
