"""The benchmark of the analysis: the fit of chances to results, and their comparison."""

import numpy as np
import pytest

from almunia import game
from almunia.bots.search.win_chance import WinChance
from benchmarks import analysis


def samples_of(chance: WinChance, plays: int = 400) -> analysis.Samples:
    """Return decisions of plays that are won exactly as often as `chance` says."""
    rng = np.random.default_rng(1)
    play = np.repeat(np.arange(plays), 10)
    turns, utility = rng.integers(0, 40, len(play)), rng.uniform(0.02, 0.98, len(play))
    stated = np.array([chance.at(*one) for one in zip(utility, turns, strict=True)])
    return analysis.Samples(
        play, turns, utility, (rng.random(len(play)) < stated).astype(float), np.full(len(play), 40)
    )


def test_the_fit_finds_the_chances_that_made_the_results() -> None:
    true = WinChance(-0.4, 0.7, 1.9, 40.0)
    fitted = analysis.fit(samples_of(true))
    assert fitted.turns == 40
    assert vars(fitted) == pytest.approx(vars(true), abs=0.25)


def test_reliability_compares_the_stated_chances_with_wins() -> None:
    true = WinChance(-0.4, 0.7, 1.9, 40.0)
    rows = list(analysis.reliability(samples_of(true), true))
    assert len(rows) == analysis.BINS
    assert sum(count for _, count, _ in rows) == 4000
    for stated, _, won in rows:
        low, _, high = analysis.mean_interval(won)
        assert low - 0.02 <= stated <= high + 0.02
    (wrong, *_) = analysis.reliability(samples_of(true), WinChance(-3.0, 0.7, 1.9, 40.0))
    assert wrong[0] < analysis.mean_interval(wrong[2])[0], "who is too modest wins more often"


def test_luck_explains_a_part_of_the_results_of_each_seat() -> None:
    rng = np.random.default_rng(1)
    exact, other, error = (rng.normal(size=(4000, 3)) for _ in range(3))
    results = 3 * exact + 4 * other + np.array([10, 20, 30])
    slope, share = analysis.explained(exact + np.array([2, 1, 0]), results, np.zeros((4000, 3)))
    assert (slope, share) == pytest.approx((3, 9 / 25), rel=0.1)
    slope, share = analysis.explained(exact + error, results, np.full((4000, 3), 1.96))
    assert (slope, share) == pytest.approx((3, 9 / 50), rel=0.1)


def test_winners_share_a_win() -> None:
    assert analysis.win_shares((1, 2, 1)) == [0.5, 0.0, 0.5]
    assert analysis.win_shares((2, 1)) == [0.0, 1.0]


@pytest.mark.compiled
def test_plays_between_bots_are_sampled(monkeypatch) -> None:
    monkeypatch.setattr(analysis, "DEFAULT_SIMULATIONS", 5)
    found = analysis.sample(game("orchard"), 2, 8, 1)
    assert set(found.play.tolist()) <= set(range(8))
    assert ((found.utility >= 0) & (found.utility <= 1)).all()
    assert (found.turns < found.length).all()
    assert set(found.won.tolist()) <= {0.0, 0.5, 1.0}
