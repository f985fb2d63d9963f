"""A match on a Ray cluster gives the same rows as in threads."""

from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context

import pytest

import almunia
from almunia.arena.match import Match, run

FACTS = ("deal", "bots", "seed", "bot_seed", "scores", "ranks", "decisions", "ending")


def play_match(executor=None):
    """Return the results of a match, sorted."""
    match = Match(almunia.game("orchard"), ["random", "greedy", "search:20"], seats=2, deals=3, seed=2)
    rows = run(match, executor=executor)
    return sorted([row[name] for name in FACTS] for row in rows)


def played_on_ray():
    """Return the results of the match on two workers of a cluster."""
    import ray

    from almunia.arena.executors import RayExecutor

    try:
        return play_match(RayExecutor(num_cpus=2))
    finally:
        ray.shutdown()


@pytest.mark.exhaustive
def test_a_match_on_two_workers_gives_the_same_rows():
    """The cluster runs in its own process, because threads of Ray stay alive and can end their process."""
    if not find_spec("ray"):
        pytest.skip("RayExecutor is not installed: pip install 'almunia[ray]'")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        there = alone.submit(played_on_ray).result()
    assert there == play_match()
    assert there
