"""The same match on a Ray cluster as in threads."""

import pytest

import almunia
from almunia.arena.match import Match, run

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'almunia[ray]'")

FACTS = ("deal", "bots", "seed", "bot_seed", "scores", "ranks", "decisions", "ending")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_a_match_on_two_workers_gives_the_same_rows():
    from almunia.arena.ray_engine import Ray

    match = Match(almunia.game("orchard"), ["random", "greedy", "search:20"], seats=2, deals=3, seed=2)
    engine = Ray(num_cpus=2)
    try:
        spread = run(match, engine=engine)
    finally:
        ray.shutdown()

    def facts(rows):
        return sorted([row[name] for name in FACTS] for row in rows)

    assert facts(spread) == facts(run(match))
