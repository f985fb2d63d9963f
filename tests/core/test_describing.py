"""The contents of observations as data and as words. The conformance suite tests that they reveal nothing."""

import json

import pytest

import almunia
from almunia.catalog import game_packages
from almunia.core.english import pluralize
from almunia.engine import state_dtype
from almunia.engine.state_dtype import i1, record_dtype
from almunia.play.describe import plain_state
from almunia.play.play import Observation


def some_play(name, seats=None, actions=5):
    """Return a play after a few actions."""
    play = almunia.game(name, "plain").new(seats, seed=2)
    for _ in range(actions):
        play.apply(play.legal_actions[len(play.legal_actions) // 2])
    return play


@pytest.mark.parametrize("name", game_packages())
def test_data_are_json_with_the_legal_actions(name):
    play = some_play(name)
    seen = play.observe(play.turn)
    data = seen.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert [one["action"] for one in data["legal"]] == list(play.legal_actions)
    assert [one["words"] for one in data["legal"]] == [play.action_to_string(action) for action in play.legal_actions]
    assert data["question"] == play.game.text.question(seen.state)
    assert (data["game"], data["seats"], data["seat"], data["turn"]) == (name, play.seats, play.turn + 1, play.turn + 1)
    assert (data["over"], data["ending"]) == (False, None)
    assert [one["points"] for one in data["players"]] == seen.score_table()[:, 0].tolist()
    assert [one["seat"] for one in data["players"]] == list(range(1, play.seats + 1))
    assert data["board"] == seen.board()
    assert set(data["state"]) == {
        field for field in play.game.rules.STATE.names if field != "rng" and not field.startswith("gap_")
    }
    assert len(data["state"]["seat"]) == play.seats


@pytest.mark.parametrize("name", game_packages())
def test_words_have_the_board_the_question_and_every_action(name):
    play = some_play(name)
    seen = play.observe(play.turn)
    text = seen.describe()
    assert text.startswith(f"{play.game.meta.title}, as seat {play.turn + 1} of {play.seats} sees it. It is your turn.")
    assert seen.board() in text
    assert play.game.text.question(seen.state) in text
    for action in play.legal_actions:
        assert f"\n- {play.action_to_string(action)}" in text


def test_seats_that_are_not_to_move_get_no_actions():
    play = some_play("oregon")
    for seat in (1 - play.turn, -1):
        seen = play.observe(seat)
        data, text = seen.to_dict(), seen.describe()
        assert (data["question"], data["legal"], data["turn"]) == (None, [], play.turn + 1)
        assert f"It is the turn of seat {play.turn + 1}." in text
        assert "\n- " not in text
    assert play.observe().to_dict()["seat"] is None
    assert "as a spectator sees it" in play.observe().describe()


def test_actions_have_their_effects():
    seen = almunia.game("orchard", "plain").new(seed=7).observe(0)
    effects = [one["effect"] for one in seen.to_dict()["legal"]]
    assert any("\N{MINUS SIGN}3" in effect for effect in effects)
    assert f"({next(filter(None, effects))})" in seen.describe()


def test_only_an_array_of_records_is_cut_to_the_seats():
    """A game may also use the name `seat` for a field of another kind."""
    lap = record_dtype(seat=i1, after=i1)
    for fields, plain in (
        ({"seat": i1}, {"seat": 0}),
        ({"seat": (i1, 3)}, {"seat": [0, 0, 0]}),
        ({"seat": lap}, {"seat": {"seat": 0, "after": 0}}),
        ({"seat": (lap, 3)}, {"seat": [{"seat": 0, "after": 0}] * 2}),
        ({"lap": (lap, 3)}, {"lap": [{"seat": 0, "after": 0}] * 3}),
    ):
        state = plain_state(state_dtype.zeros(state_dtype.state_dtype(**fields))[0], 2)
        assert {name: value for name, value in state.items() if name in fields} == plain


def test_data_and_text_describe_the_end(monkeypatch):
    play = almunia.game("oregon", "plain").new(3, seed=4)
    while not play.over:
        play.apply(play.legal_actions[0])
    data, text = play.observe(1).to_dict(), play.observe(1).describe()
    assert (data["over"], data["turn"], data["question"], data["legal"]) == (True, None, None, [])
    assert data["ending"] == play.outcome.reason
    assert [one["rank"] for one in data["players"]] == list(play.outcome.ranks)
    assert play.outcome.reason in text
    assert f"seat 2: {pluralize(play.outcome.scores[1], 'point')}, rank {play.outcome.ranks[1]}" in text
    monkeypatch.setattr(Observation, "points", (1, 2, -3))
    assert "seat 1: 1 point, rank" in play.observe(1).describe()
