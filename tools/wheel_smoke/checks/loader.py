"""PyTorch's loader over traces of every game, in both forms, with worker processes, and a step of learning."""

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

import almunia
from almunia.arena import traces
from almunia.arena.recording import trace

from . import tables

BATCHES = 8


def learnt(folder: Path, game: str, form: str, workers: int) -> None:
    """A step on each of a few batches from a fresh trace; the first is understood better then."""
    if not folder.exists():
        trace(almunia.game(game), folder, plays=20, bots="greedy", seed=1, form=form)
    found = traces.load(folder)
    loader = DataLoader(found, 128, shuffle=True, collate_fn=found.tensors, num_workers=workers)
    policy = torch.nn.Linear(found[0]["observation"].size, found.terms.actions)
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
    """How far a policy is from choosing as the bot did."""
    logits = policy(batch["observation"]).masked_fill(~batch["mask"], float("-inf"))
    return cross_entropy(logits, batch["action"])


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        for game in dict(tables()):
            for form in traces.FORMS:
                for workers in (0, 2):
                    learnt(Path(scratch) / f"{game}-{form}", game, form, workers)
