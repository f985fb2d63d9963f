"""The bot that plans its whole turn."""

import pytest

import almunia
from almunia import bots
from almunia.bots.search.kernels import turn_beam
from almunia.conformance.rules import evaluate
from almunia.core.kernels.scoring import margin

pytestmark = pytest.mark.slow
exhaustive = pytest.mark.exhaustive


def goes_on(play, start):
    return not play.over and (play.turn, play.turns, play.reveals) == (start.turn, start.turns, start.reveals)


def best_end(play, start):
    """Return the value of the best end of the turn, by trying every sequence of decisions."""
    if not goes_on(play, start):
        return margin(start.turn, start.seats, evaluate(play, "evaluate_leaf"))
    ends = []
    for action in play.legal_actions:
        after = play.copy()
        after.apply(action)
        ends.append(best_end(after, start))
    return max(ends)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "seed"),
    [("oregon", 1), pytest.param("oregon", 2, marks=exhaustive), pytest.param("alhambra", 4, marks=exhaustive)],
)
def test_a_wide_beam_finds_the_exhaustive_optimum(monkeypatch, name, seed):
    game = almunia.game(name)
    play = game.new(seats=2, seed=seed)
    while play.turns < 4 or len(play.legal_actions) < 2:
        play.apply(play.legal_actions[-1])
    guess = play.observe(play.turn).determinize(7)
    bot = bots.make("turn,beam_width=1000", game, 1)
    start = play.observe(play.turn)
    bot._work.states[turn_beam.OBSERVED] = start.array[0]
    bot._work.states[turn_beam.DETERMINIZED] = guess.array[0]
    planned, work = bot._wrapped
    count = game.loops.legal_actions(start._wrapped, planned.actions)
    planned.best_value[:] = -turn_beam.INF
    game.kernel(turn_beam).look_ahead(planned, work)
    assert count == len(guess.legal_actions)
    for action in guess.legal_actions:
        after = guess.copy()
        after.apply(action)
        assert planned.best_value[action] == best_end(after, guess), play.action_to_string(action)


def test_of_equals_at_the_edge_of_its_width_some_stay():
    game = almunia.game("oregon", "plain")
    play = game.new(seats=2, seed=1)
    for _ in range(30):
        bot = bots.make("turn,beam_width=1,determinizations=1", game, 1)
        chosen = bot.choose(play.observe(play.turn))
        assert bot._wrapped[0].best_value[chosen] > -turn_beam.INF, "an end of the turn was found"
        play.apply(chosen)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["oregon", *(pytest.param(name, marks=exhaustive) for name in ("orchard", "alhambra", "alpujarras"))]
)
def test_a_seed_settles_its_choices_in_every_build(name):
    plays = [almunia.game(name, build).new(seats=2, seed=3) for build in ("compiled", "plain")]
    players = [bots.make("turn,beam_width=3,determinizations=2", play.game, seed=5) for play in plays]
    players[0].prepare(2)
    for _ in range(8):
        chosen = [bot.choose(play.observe(play.turn)) for bot, play in zip(players, plays, strict=True)]
        assert chosen[0] == chosen[1]
        for play in plays:
            play.apply(chosen[0])


def test_wrong_settings_are_refused():
    with pytest.raises(almunia.SetupError, match="beam_width is a whole number from 1 to 1000, not '0'"):
        bots.make("turn,beam_width=0", almunia.game("oregon", "plain"))
    with pytest.raises(almunia.SetupError, match="takes no budget"):
        bots.make("turn:1s", almunia.game("oregon", "plain"))
