"""PyTorch's loader over traces of every game, in both forms, with worker processes, and some training steps."""

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

import almunia
from almunia.arena import traces
from almunia.arena.trace_writer import trace

from . import tables

BATCHES = 8


def check_learning(folder: Path, game: str, form: str, workers: int) -> None:
    """Train on a few batches of a new trace. The loss of the first batch must fall."""
    if not folder.exists():
        trace(almunia.game(game), folder, games=20, bots="greedy", seed=1, form=form)
    dataset = traces.load(folder)
    loader = DataLoader(dataset, 128, shuffle=True, collate_fn=dataset.tensors, num_workers=workers)
    policy = torch.nn.Linear(dataset[0]["observation"].size, dataset.config.actions)
    optimiser = torch.optim.Adam(policy.parameters(), 0.001)
    batches = list(islice(loader, BATCHES))
    before = loss_of(policy, batches[0]).item()
    for batch in batches:
        optimiser.zero_grad()
        loss_of(policy, batch).backward()
        optimiser.step()
    after = loss_of(policy, batches[0]).item()
    assert after < before
    print(f"{game}, {form}, {workers} workers: loss {before:.2f} to {after:.2f}", flush=True)


def loss_of(policy: torch.nn.Module, batch: dict[str, Any]) -> Any:
    """Return the cross-entropy between a policy and the bot's choices."""
    logits = policy(batch["observation"]).masked_fill(~batch["legal_actions"], float("-inf"))
    return cross_entropy(logits, batch["action"])


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        for game in dict(tables()):
            for form in traces.FORMS:
                for workers in (0, 2):
                    check_learning(Path(scratch) / f"{game}-{form}", game, form, workers)
