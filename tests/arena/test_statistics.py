"""Statistics of games between bots: sums by hand, and the files of games."""

from statistics import mean, stdev

import pytest

import almunia
from almunia import catalog
from almunia.arena.simulate import simulate
from almunia.core.optional import Source
from almunia.errors import RecordError
from almunia.statistics import GameStatistics, Mean, SeatStatistics, Tally, load_statistics

PLAIN = almunia.game("orchard", "plain")


def test_a_tally_compares_winners_with_others_of_the_same_game():
    tally = Tally(3)
    for points, ranks, trees in (((9, 5, 1), (1, 2, 3), (6, 3, 1)), ((4, 4, 2), (1, 1, 3), (0, 2, 2))):
        tally.add(points, ranks, [Source("Trees", trees, "2.1"), Source("Nothing", (0, 0, 0))])
    tally.add((3, 3, 3), (1, 1, 1), [Source("Trees", (3, 3, 3), "2.1")])
    found = tally.statistics()
    assert [seat.games_by_points for seat in found.seats] == [
        {3: 1, 4: 1, 9: 1},
        {3: 1, 4: 1, 5: 1},
        {1: 1, 2: 1, 3: 1},
    ]
    wins = (1, 0.5, 1 / 3), (0, 0.5, 1 / 3), (0, 0, 1 / 3)
    for seat, shares in zip(found.seats, wins, strict=True):
        assert seat.wins.value == pytest.approx(mean(shares), abs=1e-4)
        assert seat.wins.error == pytest.approx(1.96 * stdev(shares) / 3**0.5, abs=1e-4)
    (trees,) = found.sources  # a source without points is left out
    assert (trees.name, trees.rule, trees.points.value) == (
        "Trees",
        "2.1",
        pytest.approx(mean((10 / 3, 4 / 3, 3)), abs=1e-4),
    )
    assert (trees.winners.value, trees.others.value, trees.difference.value) == (3.5, 2.0, 1.5)
    assert trees.difference.error == pytest.approx(1.96 * stdev((4, -1)) / 2**0.5, abs=1e-4)


def test_percentiles_are_points_that_were_reached():
    seat = SeatStatistics.of({7: 2, 3: 5, 1: 3}, 4.0, 3.5)
    assert [seat.percentile(percent) for percent in (0, 5, 30, 31, 80, 81, 100)] == [1, 1, 1, 3, 3, 7, 7]
    assert (seat.points, seat.wins) == (Mean.of(10, 32, 146), Mean.of(10, 4.0, 3.5))


@pytest.mark.parametrize("bot", ["greedy", "greedy,epsilon=0"])
def test_final_positions_of_a_simulation_are_those_of_its_results(bot):
    seen = []
    result = simulate(PLAIN, 3, 2, bot, seed=4, finished=lambda play: seen.append((play.over, play.points)))
    assert seen == [(True, tuple(scores)) for scores in result["scores"].tolist()]


def test_statistics_are_stored_as_json():
    tally = Tally(2)
    for points in ((-3, 5), (2, 2)):
        tally.add(points, (2, 1) if points[0] < points[1] else (1, 1), [Source("Fruit", points)])
    found = GameStatistics("orchard", 1, "hash", "greedy", 0, {2: tally.statistics()})
    assert GameStatistics.from_json(found.to_json()) == found
    assert not found.fits(PLAIN)
    for damaged in ("", "[]", "{}", found.to_json().replace("games_by_points", "x").replace('"-3":1', '"-3"')):
        with pytest.raises(RecordError, match="These are no statistics"):
            GameStatistics.from_json(damaged)


@pytest.mark.parametrize("name", [meta.name for meta in catalog.all_games()])
def test_games_ship_statistics_of_all_numbers_of_seats(name):
    game = almunia.game(name, "plain")
    found = load_statistics(game)
    assert found, f"measure again: almunia statistics {name} --games 5000 --out {game.file('statistics.json')}"
    low, high = game.meta.seats
    assert list(found.tables) == list(range(low, high + 1))
    for seats, table in found.tables.items():
        assert all(sum(seat.games_by_points.values()) == table.games for seat in table.seats)
        assert sum(seat.wins.value for seat in table.seats) == pytest.approx(1, abs=0.001)
        points = sum(seat.points.value for seat in table.seats) / seats
        assert sum(source.points.value for source in table.sources) == pytest.approx(points, abs=0.01)
