"""Pickles and deep copies of all public objects, for other processes and for replay buffers."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import almunia
from almunia.arena.lineups import Lineup
from almunia.arena.match import Match
from almunia.arena.sprt import SprtRule
from almunia.arena.tuning import Tuning
from almunia.bots import make
from almunia.library import Game
from almunia.play.play import ClairvoyantObservation
from almunia.play.serialization import compat_key

ORCHARD = almunia.game("orchard", "plain")
OREGON = almunia.game("oregon", "plain")


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))  # noqa: S301 - our own bytes


WAYS = pytest.mark.parametrize("again", [pickled, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
Way = Callable[[Any], Any]


def in_turn(game: Game, seats: int = 2) -> almunia.Play:
    """Return a play in the middle of a turn, so that an action can be undone."""
    play = game.new(seats, seed=5)
    while not play.can_undo:
        play.apply(play.legal_actions[-1])
    return play


@WAYS
@pytest.mark.parametrize("build", ["plain", "compiled"])
def test_an_unpickled_game_is_the_shared_one(again: Way, build: Any) -> None:
    game = almunia.game("orchard", build)
    assert game.rules
    assert again(game) is game
    assert again([game, game]) == [game, game]


@WAYS
def test_a_private_game_is_unpickled_as_another_object(again: Way) -> None:
    own = Game("orchard", "plain")
    arrived = again(own)
    assert (arrived.name, arrived.build) == ("orchard", "plain")
    assert arrived is not ORCHARD


@WAYS
def test_a_copied_play_keeps_its_state_and_history(again: Way) -> None:
    play = in_turn(OREGON)
    other = again(play)
    assert other is not play
    assert (other.game, other.seed, other.options, other.actions) == (OREGON, play.seed, play.options, play.actions)
    assert (other.to_state(), other.legal_actions, other.can_undo) == (play.to_state(), play.legal_actions, True)
    assert other.record() == play.record()
    while play.can_undo:
        play.undo()
        other.undo()
        assert other.to_state() == play.to_state()
    with pytest.raises(almunia.UndoRefused) as first:
        play.undo()
    with pytest.raises(almunia.UndoRefused, match=str(first.value)):
        other.undo()


@WAYS
def test_copies_of_a_play_are_independent(again: Way) -> None:
    play = in_turn(OREGON)
    other = again(play)
    before = play.to_state()
    other.undo()
    other.apply(other.legal_actions[0])
    assert play.to_state() == before
    assert play.can_undo


@WAYS
def test_a_copied_observation_contains_only_the_masked_state(again: Way) -> None:
    play = in_turn(OREGON)
    seen = play.observe(play.turn)
    seen.play = play  # type: ignore[attr-defined]
    other = again(seen)
    assert (other.seat, other.game, other.to_state()) == (seen.seat, OREGON, seen.to_state())
    assert vars(other).keys() == vars(play.observe(0)).keys()
    assert other.array.base is None or other.array.base.nbytes == other.array.nbytes
    assert other.legal_actions == play.legal_actions
    assert (other.tensor() == seen.tensor()).all()
    assert other.board() == seen.board()
    other.array[:] = 0
    assert seen.to_state() == play.observe(play.turn).to_state()


@WAYS
def test_a_copied_clairvoyant_observation_stays_clairvoyant(again: Way) -> None:
    play = in_turn(OREGON)
    other = again(ClairvoyantObservation(OREGON, play.array.copy(), play.turn))
    assert type(other) is ClairvoyantObservation
    assert (other.seat, other.play().to_state()) == (play.turn, play.to_state())
    with pytest.raises(almunia.SetupError, match="nothing to determinize"):
        other.determinize(1)


def test_a_pickled_observation_does_not_contain_the_true_state() -> None:
    play = in_turn(OREGON)
    for seat in (0, 1, -1):
        seen = play.observe(seat)
        assert seen.to_state() != play.to_state()
        bytes_of_it = pickle.dumps(seen, pickle.HIGHEST_PROTOCOL)
        assert play.to_state() not in bytes_of_it
        assert seen.to_state() in bytes_of_it


def test_a_pickle_of_other_rules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    play = in_turn(OREGON)
    kept = [pickle.dumps(play), pickle.dumps(play.observe(0))]
    other = compat_key(OREGON) | {"components": "other"}
    monkeypatch.setattr("almunia.play.serialization.compat_key", lambda _game: other)
    for data in kept:
        with pytest.raises(almunia.RecordError, match="here are oregon with rules 1 and components other"):
            pickle.loads(data)  # noqa: S301 - our own bytes


@WAYS
@pytest.mark.parametrize(
    "spec",
    [
        "random",
        "greedy",
        "greedy,epsilon=0.5",
        "greedy,noise=3",
        pytest.param("turn,determinizations=2", marks=pytest.mark.slow),
    ],
)
def test_a_copied_bot_chooses_like_the_original(again: Way, spec: str) -> None:
    play, bot = ORCHARD.new(2, seed=1), make(spec, ORCHARD, seed=3)
    for _ in range(4):
        play.apply(bot.choose(play.observe(play.turn)))
    other = again(bot)
    assert repr(other) == repr(bot)
    while not play.over:
        seen = play.observe(play.turn)
        action = bot.choose(seen)
        assert other.choose(seen) == action
        play.apply(action)


@pytest.mark.slow
@WAYS
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_a_copied_search_starts_without_a_tree(again: Way, threads: int) -> None:
    play = ORCHARD.new(2, seed=1)
    while len(play.actions) < 15:  # towards the end beams are short, which the plain build is glad of
        play.apply(play.legal_actions[0])
    bot = make("search:4,candidates=2", ORCHARD, seed=3, threads=threads)
    first = bot.choose(play.observe(play.turn))
    other = again(bot)
    assert (repr(other), other.budget) == (repr(bot), bot.budget)
    assert other.choose(play.observe(play.turn)) == first


@WAYS
def test_an_external_bot_cannot_be_copied(again: Way) -> None:
    bot = make("external:python mybot.py", ORCHARD)
    with pytest.raises(almunia.SetupError, match="program of its own, which cannot be copied or pickled"):
        again(bot)


@cache
def public_things() -> list[Any]:
    """Return an instance of every other public class."""
    play = ORCHARD.new(2, seed=2)
    while len(play.actions) < 15:  # a search from the beginning takes the plain build seconds
        play.apply(play.legal_actions[0])
    seen = play.observe(play.turn)
    while not play.over:
        play.apply(play.legal_actions[0])
    fast = almunia.game("orchard")
    challenges = ORCHARD.text.CHALLENGES
    return [
        play.outcome,
        play.record(["Ann", "Bo"]),
        almunia.analyse(seen, "5")[0],
        Match(fast, ["greedy", "random"], 2, 3, rule=SprtRule(0.1)),
        Lineup("a v b", ("a", "b")),
        Tuning(fast, "search:5", {"exploration": (0.1, 1.0)}, 2, 3),
        *almunia.all_games(),
        *challenges,
        *ORCHARD.view.PARTS,
        seen.log_lines(seen.legal_actions[0], seen),
        almunia.IllegalAction("A sentence."),
    ]


@pytest.mark.compiled
@WAYS
def test_other_public_objects_can_be_copied(again: Way) -> None:
    for thing in public_things():
        other = again(thing)
        assert type(other) is type(thing)
        assert repr(other) == repr(thing)


@WAYS
def test_a_state_can_be_copied_without_its_play(again: Way) -> None:
    play = in_turn(OREGON)
    state = again(play.state)
    assert (state.turn, state.seats, state.copy().turn) == (play.turn, 2, play.turn)
    assert again(play.state.seat)[0].score == play.state.seat[0].score


def elsewhere(game: Game, play: almunia.Play, seen: almunia.Observation, bot: Any) -> tuple[Any, ...]:
    """Return the play, the choice of the bot and the tensor, in the process that runs this function."""
    assert game is play.game is seen.game is almunia.game("orchard", "plain")
    return play, bot.choose(seen), seen.tensor()


def test_another_process_continues_with_unpickled_objects() -> None:
    play, bot = ORCHARD.new(2, seed=9), make("greedy", ORCHARD, seed=4)
    seen = play.observe(play.turn)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as others:
        there, action, numbers = others.submit(elsewhere, ORCHARD, play, seen, bot).result()
    assert there.to_state() == play.to_state()
    assert action == bot.choose(seen)
    assert (numbers == seen.tensor()).all()
    assert numbers.dtype == np.float32
