"""Weights of evaluations: handed to every kind of bot, read from files, checked."""

import json
import pickle

import numpy as np
import pytest

import almunia
from almunia.bots.fingerprint import fingerprint
from almunia.conformance import rules
from almunia.conformance.case import Case
from almunia.conformance.rules import evaluate, weights_are_valid
from almunia.core.kernels import policies
from almunia.core.weights import MAX_WEIGHT, complete_weights, weights_array, weights_dict
from almunia.games.oregon import bots as oregon_bots

PLAIN, COMPILED = almunia.game("oregon", "plain"), almunia.game("oregon")
OTHERS = {"joker": 900, "tile": -300, "joker_hope": 1500, "promise": (90, -90, 90, 0)}
SPECS = ("greedy", "turn", "search:60")


def choices(game, spec, decisions=20, **given):
    """Return the choices of a bot in all seats of a play."""
    play = game.new(seats=2, seed=4)
    players = [almunia.make_bot(spec, game, seed=seat, **given) for seat in range(2)]
    while not play.over and len(play.actions) < decisions:
        play.apply(players[play.turn].choose(play.observe(play.turn)))
    return list(play.actions)


def test_a_position_is_evaluated_with_the_given_weights():
    play = PLAIN.new(seats=2, seed=4)
    play.state.seat[0].joker = 1
    play.state.seat[1].joker = 0
    before = evaluate(play)
    assert (evaluate(play, weights={"joker": PLAIN.bots.WEIGHTS["joker"] + 30}) - before).tolist() == [30, 0]
    assert (evaluate(play, "evaluate_leaf", {"joker_hope": 300}) - evaluate(play, "evaluate_leaf")).tolist() == [40, 0]


@pytest.mark.compiled
def test_both_builds_use_the_weights():
    play, fast = (game.new(seats=3, seed=4) for game in (PLAIN, COMPILED))
    for _ in range(30):
        action = play.legal_actions[-1]
        for one in (play, fast):
            one.apply(action)
        for evaluator in ("evaluate", "evaluate_leaf"):
            assert (evaluate(play, evaluator, OTHERS) == evaluate(fast, evaluator, OTHERS)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("independent", [False, True], ids=["tree", "beam"])
@pytest.mark.parametrize("spec", SPECS)
def test_every_kind_of_bot_plays_by_its_weights(spec, independent, monkeypatch):
    monkeypatch.setattr(COMPILED.bots, "SEATS_INDEPENDENT", independent)
    own = choices(COMPILED, spec)
    assert choices(COMPILED, spec, weights={}) == own
    assert choices(COMPILED, spec, weights=COMPILED.bots.WEIGHTS) == own
    assert choices(COMPILED, spec, weights=OTHERS) != own


def test_greedy_takes_the_action_with_the_highest_margin_by_its_weights():
    play = PLAIN.new(seats=2, seed=4)
    bot = almunia.make_bot("greedy", PLAIN, seed=1, weights=OTHERS)
    for _ in range(12):
        chosen, margins = bot.choose(play.observe(play.turn)), {}
        for action in play.legal_actions:
            after = play.observe(play.turn).determinize(0)
            after.apply(action)
            mine, others = evaluate(after, weights=OTHERS)[[play.turn, 1 - play.turn]]
            margins[action] = mine - others
        assert margins[chosen] == max(margins.values())
        play.apply(chosen)


def test_noise_bounds_how_much_worse_a_choice_is_than_the_best_one():
    play, losses = PLAIN.new(seats=2, seed=4), []
    bot = almunia.make_bot("greedy,noise=2", PLAIN, seed=1)
    for _ in range(40):
        margins = {}
        for action in play.legal_actions:
            after = play.observe(play.turn).determinize(0)
            after.apply(action)
            mine, others = evaluate(after)[[play.turn, 1 - play.turn]]
            margins[action] = mine - others
        chosen = [bot.choose(play.observe(play.turn)) for _ in range(10)]
        losses += [max(margins.values()) - margins[action] for action in chosen]
        play.apply(chosen[0])
    noise = 2 * PLAIN.bots.VALUE_SCALE
    assert noise / 2 < max(losses) <= noise


@pytest.mark.compiled
def test_other_numbers_compile_nothing():
    choices(COMPILED, "greedy", 2)
    kernel = COMPILED.kernel(policies).choose
    before = len(kernel.signatures)
    choices(COMPILED, "greedy", 2, weights=OTHERS)
    assert len(kernel.signatures) == before > 0


@pytest.mark.compiled
@pytest.mark.parametrize("spec", SPECS)
def test_a_pickled_bot_keeps_its_weights(spec):
    play = COMPILED.new(seats=2, seed=4)
    bot = almunia.make_bot(spec, COMPILED, seed=1, weights=OTHERS)
    bots = [bot, pickle.loads(pickle.dumps(bot))]  # noqa: S301 - made here
    while not play.over and len(play.actions) < 20:
        first, second = (one.choose(play.observe(play.turn)) for one in bots)
        assert first == second
        play.apply(first)


@pytest.mark.compiled
def test_an_opponent_of_a_batch_keeps_its_weights():
    def states(**given):
        opponent = almunia.make_bot("greedy", COMPILED, seed=1, **given)
        batch = COMPILED.batch(2, seats=2, seed=5, opponents=opponent)
        batch.reset()
        for _ in range(8):
            batch.step(batch.legal_actions[:, 0].astype(np.int64))
        return [batch.play(row).to_state() for row in range(2)]

    assert states(weights=OTHERS) != states()


def test_a_game_without_weights_has_none():
    orchard = almunia.game("orchard", "plain")
    assert weights_array(orchard) == ()
    with pytest.raises(almunia.SetupError, match="Orchard has no weights"):
        almunia.make_bot("greedy", orchard, weights={"joker": 1})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"jokers": 3}, "no weight 'jokers'.*Did you mean 'joker'"),
        ({"joker": 0.5}, "'joker' is an integer from -10000 to 10000, not 0.5"),
        ({"joker": True}, "not True"),
        ({"joker": MAX_WEIGHT + 1}, "not 10001"),
        ({"joker": [1]}, r"an integer .* not \[1\]"),
        ({"promise": 4}, "'promise' is 4 integers .* not 4"),
        ({"promise": [1, 2, 3]}, r"not \[1, 2, 3\]"),
        ({"promise": "1234"}, "not '1234'"),
        ([1, 2], "a mapping from names to integers"),
    ],
)
def test_invalid_weights_are_refused(given, why):
    with pytest.raises(almunia.SetupError, match=why):
        almunia.make_bot("greedy", PLAIN, weights=given)


@pytest.mark.parametrize("spec", ["random", "external:./mybot.py"])
def test_bots_that_evaluate_nothing_take_no_weights(spec):
    with pytest.raises(almunia.SetupError, match="takes no weights"):
        almunia.make_bot(spec, PLAIN, weights=OTHERS)


def test_arrays_are_weights():
    given = {"joker": np.int64(7), "promise": np.arange(4)}
    assert complete_weights(PLAIN, given) == complete_weights(PLAIN, {"joker": 7, "promise": [0, 1, 2, 3]})
    assert complete_weights(PLAIN, given)["promise"] == [0, 1, 2, 3]


def test_weights_are_read_from_a_file(tmp_path):
    file = tmp_path / "tuned.json"
    (array,) = weights_array(PLAIN, complete_weights(PLAIN, OTHERS))
    file.write_text(json.dumps({"game": "oregon", "weights": weights_dict(array)}))
    assert complete_weights(PLAIN, file) == complete_weights(PLAIN, str(file)) == weights_dict(array)
    assert weights_dict(array)["promise"] == [90, -90, 90, 0]
    assert weights_dict(array)["extra"] == PLAIN.bots.WEIGHTS["extra"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read: No such file"),
        ("joker: 3", "no JSON file of weights"),
        ('{"game": "oregon"}', "has no object `weights`"),
        ("[]", "has no object `weights`"),
        ('{"game": "caylus", "weights": {}}', "weights of the game 'caylus', not of 'oregon'"),
        ('{"game": "oregon", "weights": {"joker": "3"}}', "not '3'"),
    ],
)
def test_bad_files_are_refused(content, why, tmp_path):
    file = tmp_path / "tuned.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(almunia.SetupError, match=why):
        almunia.make_bot("greedy", PLAIN, weights=file)


def test_the_fingerprint_covers_weights(monkeypatch):
    own = fingerprint(PLAIN)
    assert fingerprint(PLAIN, OTHERS) != own
    assert fingerprint(PLAIN, OTHERS) != fingerprint(PLAIN, {"joker": 901})
    monkeypatch.setattr(PLAIN.bots, "WEIGHTS", PLAIN.bots.WEIGHTS | {"joker": 201})
    assert fingerprint(PLAIN) != own


def without_weights(s, table, out):
    """Evaluate nothing."""


@pytest.mark.parametrize(
    ("name", "bad", "why"),
    [
        ("WEIGHTS", {"joker": 0.5}, "'joker' is an integer"),
        ("WEIGHTS", {"joker": MAX_WEIGHT + 1}, "not 10001"),
        ("WEIGHTS", {}, r"without WEIGHTS, write `evaluate\(s, table, out\)`"),
        ("evaluate", without_weights, r"with WEIGHTS, write `evaluate\(s, weights, table, out\)`"),
    ],
)
def test_the_checks_of_a_game_find_bad_weights(name, bad, why, monkeypatch):
    monkeypatch.setattr(oregon_bots, name, bad)
    with pytest.raises((AssertionError, almunia.AlmuniaError), match=why):
        weights_are_valid(Case("oregon", 2, sparse=True))


@pytest.mark.compiled
@pytest.mark.parametrize("sign", [1, -1])
def test_the_checks_of_a_game_evaluate_with_the_largest_weights(sign, monkeypatch):
    seen = lambda _play, _name, weights: np.array([max(0, sign * weights["joker"]) * 2**40])  # noqa: E731
    monkeypatch.setattr(rules, "evaluate", seen)
    with pytest.raises(AssertionError, match=rf"not below 2\*\*40, .* with every weight {sign * MAX_WEIGHT}"):
        weights_are_valid(Case("oregon", 2, sparse=True))
