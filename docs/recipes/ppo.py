"""Masked PPO for any game against bots, in a single file in the manner of CleanRL.

    python ppo.py oregon --decisions 1000000 --opponents greedy --save oregon.pt

It needs NumPy and PyTorch. The learner has a random seat in each game of a batch. A fully connected network sees the
observation, and the mask of legal actions removes the others from its policy.
"""

import argparse
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import almunia


@dataclass(frozen=True)
class Settings:
    """The settings of a run. On one machine, the same settings give the same network."""

    game: str
    opponents: str = "greedy"
    seats: int = 2
    decisions: int = 1_000_000  # of the learner
    seed: int = 1
    games: int = 64  # in parallel
    steps: int = 64  # decisions of each game between two updates
    epochs: int = 4  # per update
    minibatches: int = 8  # per epoch
    hidden: int = 128  # units of both layers
    learning_rate: float = 1e-3  # falls to 0
    scale: float = 0.05  # of a reward: the change of the lead in points, or with one seat of the points
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_loss: float = 0.5


class Network(nn.Module):
    """A policy and a value. As an object with `choose_batch` and `choose`, it is an opponent and a bot."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        nn.init.normal_(self.policy.weight, std=0.01)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the policies over legal actions, and the values (n,)."""
        features = self.body(observations)
        logits = self.policy(features).masked_fill(~masks, -1e9)
        return Categorical(logits=logits, validate_args=False), self.value(features)[:, 0]

    @torch.no_grad()
    def choose_batch(self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Draw an action for each row."""
        policy, _ = self(torch.from_numpy(observations), torch.from_numpy(masks))
        return policy.sample().numpy()

    def choose(self, observation: almunia.Observation) -> int:
        """Draw an action."""
        arrays = observation.tensor()[None], observation.action_mask()[None]
        return int(self.choose_batch(*arrays, np.array([observation.seat]))[0])


class Rollout(NamedTuple):
    """Some decisions of each game, as tensors (steps, games, ...)."""

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    advantages: torch.Tensor


class Actor:
    """The games that the network learns from. `leads` has the final leads of the last 1,000 that have ended."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.game = settings, almunia.game(settings.game)
        players = {"opponents": settings.opponents, "seat": "random", "reward": "lead"} if settings.seats > 1 else {}
        self.batch = self.game.batch(settings.games, settings.seats, seed=settings.seed, **players)
        self.leads, self.running = deque[float](maxlen=1000), np.zeros(settings.games)

    @torch.no_grad()
    def collect(self, net: Network) -> Rollout:
        """Play `steps` decisions of each game."""
        batch, shape = self.batch, (self.settings.steps, self.batch.n)
        observations = torch.zeros(*shape, self.game.tensor_size)
        masks = torch.zeros(*shape, self.game.rules.ACTIONS, dtype=torch.bool)
        actions, log_probs, values = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape), torch.zeros(shape)
        rewards, dones = torch.zeros(shape), torch.zeros(shape, dtype=torch.bool)
        for step in range(len(actions)):
            observations[step], masks[step] = torch.from_numpy(batch.observations), torch.from_numpy(batch.action_masks)
            policy, values[step] = net(observations[step], masks[step])
            actions[step] = policy.sample()
            log_probs[step] = policy.log_prob(actions[step])
            rewards[step] = self.settings.scale * torch.from_numpy(self.step(actions[step].numpy()))
            dones[step] = torch.from_numpy(batch.done)
        _, last = net(torch.from_numpy(batch.observations), torch.from_numpy(batch.action_masks))
        advantages = estimate_advantages(rewards, dones, values, last, self.settings)
        return Rollout(observations, masks, actions, log_probs, values, advantages)

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Step the batch, count ends, and return the learner's rewards."""
        seats = self.batch.learner_seats.copy()  # the next game in a row can have another
        self.batch.step(actions)
        rewards = self.batch.rewards[np.arange(self.batch.n), seats]
        self.running += rewards
        self.leads.extend(self.running[self.batch.done].tolist())
        self.running[self.batch.done] = 0
        return rewards


def estimate_advantages(
    rewards: torch.Tensor, dones: torch.Tensor, values: torch.Tensor, last: torch.Tensor, settings: Settings
) -> torch.Tensor:
    """Return generalized advantage estimates (Schulman et al., 2016), (steps, games)."""
    advantages, advantage, after = torch.zeros_like(values), torch.zeros_like(last), last
    for step in reversed(range(len(values))):
        continues = (~dones[step]).float()
        error = rewards[step] + settings.gamma * continues * after - values[step]
        advantage = error + settings.gamma * settings.gae_lambda * continues * advantage
        advantages[step], after = advantage, values[step]
    return advantages


def update(net: Network, optimizer: torch.optim.Optimizer, rollout: Rollout, settings: Settings) -> dict[str, float]:
    """Improve the network by PPO (Schulman et al., 2017), and return the means of the losses."""
    flat = Rollout(*(part.flatten(0, 1) for part in rollout))
    targets, losses = flat.values + flat.advantages, []
    for _ in range(settings.epochs):
        for rows in torch.randperm(len(targets)).chunk(settings.minibatches):
            policy, values = net(flat.observations[rows], flat.masks[rows])
            ratio = (policy.log_prob(flat.actions[rows]) - flat.log_probs[rows]).exp()
            advantages = flat.advantages[rows]
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            value_loss, entropy = (values - targets[rows]).square().mean(), policy.entropy().mean()
            optimizer.zero_grad()
            (policy_loss + settings.value_loss * value_loss - settings.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()
            losses.append([policy_loss.item(), value_loss.item(), entropy.item()])
    return dict(zip(("policy_loss", "value_loss", "entropy"), np.mean(losses, axis=0).tolist(), strict=True))


def train(settings: Settings) -> Iterator[tuple[Network, dict[str, float]]]:
    """Learn. After each update, yield the network, and figures of the last 1,000 games and of the update."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    actor, start, decisions = Actor(settings), time.perf_counter(), 0
    net = Network(actor.game.tensor_size, actor.game.rules.ACTIONS, settings.hidden)
    optimizer = torch.optim.Adam(net.parameters(), lr=settings.learning_rate, eps=1e-5)
    while decisions < settings.decisions:
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - decisions / settings.decisions)
        rollout = actor.collect(net)
        losses = update(net, optimizer, rollout, settings)
        decisions += rollout.actions.numel()
        leads = np.array(actor.leads or [np.nan])
        wins = float(np.mean((leads > 0) + (leads == 0) / 2))  # equal points count half, without tie-breaks
        figures = {
            "decisions": decisions,
            "minutes": (time.perf_counter() - start) / 60,
            "lead": leads.mean(),
            "wins": wins,
        }
        yield net, figures | losses


def main() -> None:
    """Learn, and print the figures of every tenth update."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game")
    for name in ("opponents", "seats", "decisions", "seed"):
        default = getattr(Settings, name)
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--save", type=Path, help="the file for the weights")
    given = vars(parser.parse_args())
    path = given.pop("save")
    for number, (net, figures) in enumerate(train(Settings(**given))):  # noqa: B007 - the net is saved below
        if number % 10 == 0:
            print("  ".join(f"{name} {value:,.3g}" for name, value in figures.items()), flush=True)
    if path:
        torch.save(net.state_dict(), path)


if __name__ == "__main__":
    main()
