"""The analysis of plays: what choices cost, judged by what their seats could know."""

from dataclasses import replace
from functools import partial
from math import log

import pytest

import almunia
from almunia.analysis import VERDICTS, Analyst, Decision, PlayAnalysis, SeatAnalysis, WinChance, analyse_play
from almunia.errors import SetupError
from almunia.luck import LuckMeter

ORCHARD, OREGON = almunia.game("orchard"), almunia.game("oregon")
SIMULATIONS = 300
COMPILED = pytest.mark.compiled


def played(game, seats, actions, seed=3):
    """Return a play after some first, middle and last legal actions."""
    play = game.new(seats=seats, seed=seed)
    while len(play.actions) < actions and not play.over:
        legal = play.legal_actions
        play.apply(legal[len(play.actions) * 7 % len(legal)])
    return play


def decision(number=1, lost_chance=0.0, seat=0, lost_points=0.0):
    return Decision(number, seat, 1, 2, 0.5, 0.0, lost_chance, lost_points)


@COMPILED
@pytest.mark.parametrize(("game", "seats"), [(ORCHARD, 1), (ORCHARD, 2), (OREGON, 2)])
def test_every_choice_is_judged_and_forced_moves_are_not(game, seats, monkeypatch):
    monkeypatch.setattr("almunia.analysis.LuckMeter", partial(LuckMeter, samples=20))
    play, choices, again = played(game, seats, 14), [], game.new(seats=seats, seed=3)
    for number, action in enumerate(play.actions, 1):
        choices += [(number, again.turn, action)] if len(again.legal_actions) > 1 else []
        again.apply(action)
    done = []
    analysis = analyse_play(play, SIMULATIONS, progress=lambda *given: done.append(given))
    assert [(one.number, one.seat, one.action) for one in analysis.decisions] == choices
    assert done == [(number, len(play.actions)) for number in range(1, len(play.actions) + 1)]
    for one in analysis.decisions:
        assert 0 <= one.lost_chance <= 1
        assert one.lost_points >= 0
        assert (one.chance is None) == (seats == 1)
    assert len(analysis.chances) == (len(choices) if seats > 1 else 0)
    assert any(one.lost_chance > VERDICTS["good"] for one in analysis.decisions), "these moves are not all good"
    assert analyse_play(play, SIMULATIONS) == analysis
    assert analyse_play(play, SIMULATIONS, seed=1) != analysis


@COMPILED
@pytest.mark.parametrize(("game", "seats", "actions"), [(ORCHARD, 1, 5), (ORCHARD, 2, 5), (OREGON, 2, 10)])
def test_the_best_action_costs_nothing_and_the_worst_the_most(game, seats, actions):
    play = played(game, seats, actions)
    analyst = Analyst(game, seats, SIMULATIONS, threads=1)
    judged = [analyst.judge(play, action, 5) for action in play.legal_actions]
    best = judged[0].best
    assert {one.best for one in judged} == {best}
    (own,) = (one for one in judged if one.action == best)
    assert (own.lost_chance, own.lost_points, own.verdict, own.accuracy) == (0, 0, "good", 100)
    ranked = analyst.ranked(play.observe(play.turn), 5)
    costs = {one.action: one.lost_chance for one in judged}
    assert costs[min(ranked, key=lambda one: one.value).action] > 0


@COMPILED
def test_chance_and_lead_describe_the_best_action():
    play, analyst = played(OREGON, 2, 9), Analyst(OREGON, 2, SIMULATIONS, threads=1)
    best, *others = analyst.ranked(play.observe(play.turn), 5)
    judged, other = (analyst.judge(play, one.action, 5) for one in (best, others[-1]))
    fitted = WinChance(*OREGON.bots.WIN_CHANCE[2])
    assert judged.chance == other.chance == fitted.at(best.value, play.turns) != best.value
    assert judged.lead == other.lead == best.scores[play.turn] - best.scores[1 - play.turn]


@COMPILED
def test_a_choice_is_judged_by_the_observation_of_its_seat():
    play, analyst = played(OREGON, 2, 9), Analyst(OREGON, 2, SIMULATIONS, threads=1)
    action, worlds = play.legal_actions[-1], [play.observe(play.turn).determinize(seed) for seed in range(3)]
    assert len({world.observe(1 - play.turn).to_state() for world in worlds}) > 1, "the other hand differs"
    found = [analyst.judge(world, action, 1) for world in worlds]
    assert found[0] == found[1] == found[2]


@COMPILED
def test_a_play_without_seed_cannot_be_replayed():
    play = played(OREGON, 2, 2)
    with pytest.raises(SetupError, match="started from a seed"):
        analyse_play(play.observe(play.turn).determinize(1))
    with pytest.raises(SetupError, match=r"such as replay\(record\), not <Observation"):
        analyse_play(play.observe(0))
    with pytest.raises(SetupError, match="simulations"):
        analyse_play(play, 0)


@pytest.mark.parametrize(
    ("lost", "verdict"),
    [
        (0, "good"),
        (0.02, "good"),
        (0.03, "fair"),
        (0.1, "inaccuracy"),
        (0.11, "mistake"),
        (0.3, "blunder"),
        (1, "blunder"),
    ],
)
def test_the_verdict_depends_on_the_lost_chance(lost, verdict):
    assert decision(lost_chance=lost).verdict == verdict


def test_a_seat_has_an_accuracy_counts_and_its_costliest_choices():
    lost = [0.0, 0.15, 0.01, 0.5, 0.15]
    seat = SeatAnalysis(0, tuple(decision(number, cost, lost_points=2.0) for number, cost in enumerate(lost)))
    assert seat.verdicts == {"good": 2, "fair": 0, "inaccuracy": 0, "mistake": 2, "blunder": 1}
    assert [one.number for one in seat.costliest(2)] == [3, 1]
    assert [one.number for one in seat.costliest(9)] == [one.number for one in seat.costliest(None)] == [3, 1, 4]
    assert seat.accuracy == pytest.approx(sum(one.accuracy for one in seat.decisions) / 5)
    assert decision(lost_chance=0.1).accuracy == pytest.approx(64.7, abs=0.1)
    assert seat.lost_points == 10
    assert SeatAnalysis(1, ()).accuracy is None


def test_the_chances_of_all_seats_are_those_of_their_latest_decisions():
    chances = [(0, 0.5), (2, 0.3), (0, 0.6), (1, 0.2)]
    made = [replace(decision(number, seat=seat), chance=chance) for number, (seat, chance) in enumerate(chances, 1)]
    analysis = PlayAnalysis.of("orchard", 400, 0, 3, made)
    assert analysis.decisions == tuple(made)
    assert [one.seat for one in analysis.seats] == [0, 1, 2]
    third = 1 / 3
    for found, own in zip(
        analysis.chances, [(0.5, third, third), (0.5, third, 0.3), (0.6, third, 0.3), (0.6, 0.2, 0.3)], strict=True
    ):
        assert found == pytest.approx([chance / sum(own) for chance in own])
    assert PlayAnalysis.of("orchard", 400, 0, 1, [replace(decision(), chance=None)]).chances == ()


def test_a_chance_is_the_utility_or_fitted_to_results():
    assert WinChance().at(0.3, turns=7) == pytest.approx(0.3)
    fitted = WinChance(intercept=-0.5, first_slope=1.0, last_slope=3.0, turns=20)
    for turns, slope in ((0, 1), (10, 2), (20, 3), (30, 3)):
        chance = fitted.at(0.3, turns)
        assert log(chance / (1 - chance)) == pytest.approx(-0.5 + slope * log(0.3 / 0.7))
    assert 0 < fitted.at(0.0, 9) < fitted.at(0.5, 9) < fitted.at(1.0, 9) < 1


@pytest.mark.parametrize("game", almunia.all_games())
def test_every_game_has_chances_for_each_number_of_seats(game):
    meta, fitted = game, almunia.game(game.name, "plain").bots.WIN_CHANCE
    assert set(fitted) == {seats for seats in range(meta.seats[0], meta.seats[1] + 1) if seats > 1}
    assert all(min(numbers[1:]) >= 0 for numbers in fitted.values()), "slopes and turns"
