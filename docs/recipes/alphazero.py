"""AlphaZero for any game with two or more seats, in a single file.

    python alphazero.py oregon --iterations 30 --save oregon.pt

It needs NumPy and PyTorch. A search plays a batch of games against itself, with the network as its compiled evaluator.
The network learns the shares of the search's visits, and who won (Silver et al., 2018). The search draws a
determinization for each simulation, so that it also plays games with hidden cards.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

import almunia
from almunia.bots.search import SearchBot
from almunia.bots.search.kernels import mlp


@dataclass(frozen=True)
class Settings:
    """The settings of a run. On one machine, the same settings give the same network."""

    game: str
    seats: int = 2
    iterations: int = 30  # of self-play and learning
    games: int = 32  # of an iteration
    simulations: int = 50  # of a decision
    sampled: int = 30  # decisions of a game that are drawn by the visits; then the most visited action is taken
    window: int = 8  # iterations whose decisions are learned from
    epochs: int = 2
    batch_size: int = 256
    hidden: tuple[int, int] = (64, 32)  # units of both layers
    learning_rate: float = 1e-3
    seed: int = 1
    opponent: str = "greedy"  # of the test after each iteration
    tests: int = 20  # its games


class Network(nn.Module):
    """The network of the kernel `mlp`, as a module. The search and the optimizer share its parameters."""

    def __init__(self, game: almunia.Game, settings: Settings) -> None:
        super().__init__()
        (first, second), actions = settings.hidden, game.rules.ACTIONS
        layers = (game.tensor_size, first), (first, second), (second, actions), (second, settings.seats)
        self.parts = nn.ParameterList()
        for inputs, outputs in layers:
            self.parts.append(torch.randn(inputs, outputs) * (2 / (inputs + outputs)) ** 0.5)
            self.parts.append(torch.zeros(outputs))

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logarithms of the policies (n, actions), and the logits of the values (n, seats)."""
        w1, b1, w2, b2, w_policy, b_policy, w_value, b_value = self.parts
        features = torch.relu(torch.relu(observations @ w1 + b1) @ w2 + b2)
        logits = (features @ w_policy + b_policy).masked_fill(~masks, -1e9)
        return logits.log_softmax(1), features @ w_value + b_value

    def search(self, game: almunia.Game, settings: Settings) -> SearchBot:
        """Return a bot that searches with this network; training changes the network of the bot, too."""
        weights = [part.detach().numpy() for part in self.parts]
        evaluator = almunia.KernelEvaluator(mlp, weights, scratch_size=sum(settings.hidden))
        spec = f"search:{settings.simulations},result_weight=1"
        return almunia.make_bot(spec, game, settings.seed, evaluator=evaluator)


class Examples(NamedTuple):
    """Decisions with their targets, as tensors (n, ...)."""

    observations: torch.Tensor
    masks: torch.Tensor
    policies: torch.Tensor  # shares of the visits
    values: torch.Tensor  # shares of the win, first of the seat that chose, then of those after it


class SelfPlay:
    """A batch of games that a search plays against itself."""

    def __init__(self, game: almunia.Game, settings: Settings, seed: int) -> None:
        self.settings, self.rng = settings, np.random.default_rng(seed)
        self.batch = game.batch(settings.games, settings.seats, seed=seed, reward="win", autoreset=False)
        self.results = np.zeros((settings.games, settings.seats), np.float32)
        self.examples, self.origins = list[tuple[np.ndarray, ...]](), list[tuple[int, int]]()  # game and seat

    def play(self, search: SearchBot) -> Examples:
        """Play all games to their ends, and return the decisions with a choice."""
        batch, decision = self.batch, 0
        while not batch.done.all():
            going = ~batch.done
            actions = np.array([self.choose(search, row, decision) if going[row] else 0 for row in range(batch.n)])
            batch.step(actions, where=going)
            ended = going & batch.done
            self.results[ended] = batch.rewards[ended]
            decision += 1
        values = np.array([np.roll(self.results[row], -seat) for row, seat in self.origins])
        columns = (np.stack(column) for column in zip(*self.examples, strict=True))
        return Examples(*map(torch.from_numpy, columns), torch.from_numpy(values))

    def choose(self, search: SearchBot, row: int, decision: int) -> int:
        """Search in a game, note the visits, and return the action."""
        batch = self.batch
        if batch.num_legal[row] == 1:
            return int(batch.action_masks[row].argmax())
        policy = np.zeros(batch.action_masks.shape[1], np.float32)
        for analysis in search.analyse(batch.observe(row)):
            policy[analysis.action] = analysis.share
        self.examples.append((batch.observations[row].copy(), batch.action_masks[row].copy(), policy))
        self.origins.append((row, int(batch.current_seats[row])))
        if decision < self.settings.sampled:
            return int(self.rng.choice(len(policy), p=policy / policy.sum(dtype=np.float64)))
        return int(policy.argmax())


def learn(net: Network, optimizer: torch.optim.Optimizer, examples: Examples, settings: Settings) -> list[float]:
    """Fit the network to the targets, and return the last epoch's mean losses of policy and value."""
    for _ in range(settings.epochs):
        losses = []
        for rows in torch.randperm(len(examples.values)).split(settings.batch_size):
            log_policies, values = net(examples.observations[rows], examples.masks[rows])
            policy_loss = -(examples.policies[rows] * log_policies).sum(1).mean()
            value_loss = binary_cross_entropy_with_logits(values, examples.values[rows])
            optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            optimizer.step()
            losses.append((policy_loss.item(), value_loss.item()))
    return np.mean(losses, axis=0).tolist()


def train(settings: Settings) -> Iterator[tuple[Network, dict[str, float]]]:
    """Play and learn in turn. After each iteration, yield the network and figures."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    game = almunia.game(settings.game)
    net = Network(game, settings)
    optimizer, search = torch.optim.Adam(net.parameters(), lr=settings.learning_rate), net.search(game, settings)
    window = list[Examples]()
    for iteration in range(1, settings.iterations + 1):
        played = SelfPlay(game, settings, settings.seed * 2**20 + iteration).play(search)
        window = [*window, played][-settings.window :]
        examples = Examples(*(torch.cat(parts) for parts in zip(*window, strict=True)))
        policy_loss, value_loss = learn(net, optimizer, examples, settings)
        figures = {"decisions": len(examples.values), "policy_loss": policy_loss, "value_loss": value_loss}
        yield net, {"iteration": iteration, **figures, **test(game, search, settings)}


def test(game: almunia.Game, search: SearchBot, settings: Settings) -> dict[str, float]:
    """Play against the opponent, with deals that self-play does not have. Return the mean lead and share of wins."""
    bots = [search, *[settings.opponent] * (settings.seats - 1)]
    result = almunia.simulate(game, settings.tests, bots=bots, seed=2**60)
    scores, firsts = result["scores"], result["ranks"] == 1
    lead = (scores[:, 0] - scores[:, 1:].max(axis=1)).mean()
    return {"lead": float(lead), "wins": float((firsts[:, 0] / firsts.sum(axis=1)).mean())}


def main() -> None:
    """Learn, and print the figures of each iteration."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game")
    for name in ("seats", "iterations", "games", "simulations", "seed", "opponent", "tests"):
        default = getattr(Settings, name)
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--save", type=Path, help="the file for the weights")
    given = vars(parser.parse_args())
    path = given.pop("save")
    for net, figures in train(Settings(**given)):  # noqa: B007 - the net is saved below
        print("  ".join(f"{name} {value:,.3g}" for name, value in figures.items()), flush=True)
    if path:
        torch.save(net.state_dict(), path)


if __name__ == "__main__":
    main()
