"""The luck of plays: exact in Kuhn poker, and 0 on average."""

from itertools import product

import numpy as np
import pytest

import almunia
from almunia.luck import DEAL, LuckMeter
from almunia.toy_games.kuhn.rules import BET, PASS

pytestmark = pytest.mark.compiled

KUHN = almunia.game("kuhn")
SAMPLES = 2000
POINTS, CHANCE = 0, 1  # units
TO_THE_END = 9  # turns, more than any play has
HORIZONS = None, (2, 0.25)
DEALS = [(1 + first, 1 + second) for first, second in product(range(3), repeat=2) if first != second]
HISTORIES = [(PASS, PASS), (PASS, BET, PASS), (PASS, BET, BET), (BET, PASS), (BET, BET)]


def exact_value(cards, history, seat, unit=POINTS, turns=TO_THE_END):
    """Return the chips of a seat, or its chance to win, when greedy bots have played some turns, by hand.

    Before the end, a seat has won no chips, and its chance is a half.

    A greedy bot sees one action ahead, against a random other card. Its first action is a coin toss. After a pass, it
    passes with the king, bets with the jack, and tosses a coin with the queen. It calls with the king, folds the jack,
    and calls with the queen half of the time.
    """
    if history in HISTORIES:
        bets = history.count(BET)
        if bets == 1:
            winner = history.index(BET) % 2
        else:
            winner = int(cards[1] > cards[0])
        if unit == CHANCE:
            return float(winner == seat)
        return (1 if winner == seat else -1) * (2 if bets == 2 else 1)
    if turns == 0:
        return 0.5 if unit == CHANCE else 0
    own = cards[len(history) % 2]
    often = {1: 0.0, 2: 0.5, 3: 1.0}[own]
    bet = 0.5 if not history else often if BET in history else 1 - often
    after_bet, after_pass = (exact_value(cards, (*history, action), seat, unit, turns - 1) for action in (BET, PASS))
    return bet * after_bet + (1 - bet) * after_pass


def expected(cards, history, seat, unit=POINTS, turns=TO_THE_END):
    """Return the exact value by what a seat knows: its card."""
    deals = [deal for deal in DEALS if deal[seat] == cards[seat]]
    return sum(exact_value(deal, history, seat, unit, turns) for deal in deals) / len(deals)


def exact_mean(seat, unit=POINTS, turns=TO_THE_END):
    return sum(exact_value(deal, (), seat, unit, turns) for deal in DEALS) / len(DEALS)


def exact_luck(cards, history, seat, horizon, unit=POINTS):
    """Return the exact luck of the deal and of the showdown. Those of chances are not centered.

    A lead is twice the chips.
    """
    turns, weight = horizon or (TO_THE_END, 0.5)
    scale = 1 if unit == CHANCE else 2 * weight
    is_shown, after = history.count(BET) != 1, exact_value(cards, history, seat, unit)
    shown = after - expected(cards, history, seat, unit, turns) if is_shown else 0.0
    deal = expected(cards, (), seat, unit, turns) - exact_mean(seat, unit, turns)
    return scale * deal, scale * shown


def exact_choices(cards, history, seat):
    """Return the exact effect of all choices: the changes of what a seat expects, by each action before a reveal."""
    steps = [expected(cards, history[:number], seat) for number in range(len(history) + 1)]
    fold = exact_value(cards, history, seat) - steps[-1] if history.count(BET) == 1 else 0.0
    return steps[-1] - steps[0] + fold


@pytest.fixture(scope="module", params=HORIZONS)
def horizon(request):
    """Measure luck in Kuhn poker with a horizon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KUHN.bots, "LUCK_HORIZON", request.param)
        yield request.param


@pytest.fixture(scope="module")
def measured(horizon):
    """Return the luck of every play of Kuhn poker, by cards and actions."""
    found = {}
    for seed, history in product(range(6), HISTORIES):
        play = KUHN.new(seed=seed)
        cards = tuple(int(play.state.seat[seat].card) for seat in (0, 1))
        meter = LuckMeter(play, SAMPLES, seed=seed)
        for action in history:
            meter.apply(play, action)
        assert play.over
        found[cards, history] = meter.result(play)
    return found


def test_luck_and_choices_are_exact_within_their_intervals(measured, horizon):
    misses = 0
    for (cards, history), luck in measured.items():
        for seat, (points, _) in enumerate(luck.seats):
            draws = sum(exact_luck(cards, history, seat, horizon))
            choices = points.result - exact_mean(seat) - draws
            if horizon is None:
                assert choices == pytest.approx(exact_choices(cards, history, seat))
            assert points.result == exact_value(cards, history, seat)
            assert points.expected + points.luck + points.choices == pytest.approx(points.result)
            assert 0 <= points.luck_error < 0.15
            misses += abs(points.luck - draws) > points.luck_error
            misses += abs(points.choices - choices) > points.choices_error
            assert points.luck == pytest.approx(draws, abs=2.5 * points.luck_error)
            assert points.choices == pytest.approx(choices, abs=2.5 * points.choices_error)
    assert misses <= 0.1 * 4 * len(measured), "95% intervals"


def test_chances_are_exact_within_their_intervals(measured, horizon):
    misses = 0
    for (cards, history), luck in measured.items():
        sums = [sum(exact_luck(cards, history, seat, horizon, CHANCE)) for seat in (0, 1)]
        for seat, (_, chance) in enumerate(luck.seats):
            draws = sums[seat] - sum(sums) / 2
            choices = exact_value(cards, history, seat, CHANCE) - exact_mean(seat, CHANCE) - draws
            assert 0 <= chance.luck_error < 0.05
            assert 0 < chance.choices_error < 0.05
            assert chance.luck_error == pytest.approx(luck.seats[1 - seat].chance.luck_error), "their luck is opposite"
            misses += abs(chance.luck - draws) > chance.luck_error
            misses += abs(chance.choices - choices) > chance.choices_error
            assert chance.luck == pytest.approx(draws, abs=2.5 * chance.luck_error)
            assert chance.choices == pytest.approx(choices, abs=2.5 * chance.choices_error)
    assert misses <= 0.1 * 4 * len(measured), "95% intervals"


def test_luck_is_zero_on_average_between_random_players(measured):
    weights = {history: 0.25 if len(history) == 2 else 0.125 for history in HISTORIES}
    for seat in (0, 1):
        mean = sum(weights[history] * luck.seats[seat].points.luck for (_, history), luck in measured.items()) / 6
        assert mean == pytest.approx(0, abs=0.03)
        chance = sum(weights[history] * luck.seats[seat].chance.luck for (_, history), luck in measured.items()) / 6
        assert chance == pytest.approx(0, abs=0.02)


def test_draws_are_the_deal_and_the_reveals(measured):
    for (_, history), luck in measured.items():
        shown = [len(history)] if history.count(BET) != 1 else []
        assert [draw.number for draw in luck.draws] == [DEAL, *shown]
        assert all(sum(draw.chances) == pytest.approx(0) for draw in luck.draws)
        for unit in (0, 1):
            sums = np.sum([draw[1 + unit] for draw in luck.draws], axis=0)
            assert [seat[unit].luck for seat in luck.seats] == pytest.approx(sums.tolist())


def test_a_play_that_goes_on_has_luck_and_no_result():
    play = KUHN.new(seed=1)
    luck = LuckMeter(play, 50).result(play)
    assert (luck.seats[0].points.result, luck.seats[0].points.choices) == (None, None)


def test_a_single_seat_has_luck_in_points_and_the_same_seed_measures_the_same():
    game = almunia.game("orchard")

    def measure(seed):
        play = game.new(seats=1, seed=3)
        meter = LuckMeter(play, 30, seed=seed)
        for _ in range(5):
            meter.apply(play, play.legal_actions[0])
        return meter.result(play)

    (seat,) = measure(1).seats
    assert seat.chance is None
    assert 30 < seat.points.expected < 50, "between greedy bots, 39.6"
    assert measure(1) == measure(1) != measure(2)


def test_a_card_that_one_seat_sees_is_luck_of_that_seat_alone():
    play = almunia.game("oregon").new(seats=2, seed=4)
    meter, drew = LuckMeter(play, 20), {}
    while set(drew.values()) != {0, 1}:
        seat, reveals = play.turn, play.reveals
        meter.apply(play, play.legal_actions[0])
        if play.reveals > reveals:
            drew[len(play.actions)] = seat
    for draw in meter.result(play).draws[1:]:
        assert draw.points[drew[draw.number]] != 0
        assert draw.points[1 - drew[draw.number]] == 0
