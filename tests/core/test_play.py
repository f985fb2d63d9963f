"""Play: seeds, seats, legality at the border, undo, saving."""

import json
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from random import Random
from threading import Thread

import numpy as np
import pytest

import almunia
from almunia.play.play import ClairvoyantObservation
from almunia.play.serialization import CHECKSUM_BYTES, MAGIC
from almunia.validation import MAX_SEED

ORCHARD = almunia.game("orchard", "plain")


def test_a_game_is_cached_and_an_unknown_name_is_refused():
    assert almunia.game("orchard", "plain") is ORCHARD
    assert "orchard" in {meta.name for meta in almunia.all_games()}
    with pytest.raises(almunia.SetupError, match=r"no game called 'chess'\. There are: .*orchard"):
        almunia.game("chess")


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, 1.5, "7", True])
def test_an_invalid_seed_is_refused(seed):
    with pytest.raises(almunia.SetupError, match="from 0 to 2\\*\\*63 - 1, not"):
        ORCHARD.new(seed=seed)


def test_an_invalid_number_of_seats_is_refused():
    with pytest.raises(almunia.SetupError, match="Orchard takes 1 to 6 seats, not 7"):
        ORCHARD.new(seats=7)


def test_numpy_integers_are_accepted():
    assert ORCHARD.new(seats=np.int8(2), seed=np.int64(5)).seed == 5
    with pytest.raises(almunia.SetupError, match=r"not 1\.5"):
        ORCHARD.new(seats=1.5)


@pytest.mark.parametrize("kind", [np.int16, np.int64, np.uint64])
def test_numpy_integers_are_converted_to_int(kind):
    play = ORCHARD.new(seats=2, seed=1)
    assert type(play.observe(kind(1)).seat) is int
    play.apply(kind(play.legal_actions[0]))
    assert type(play.actions[0]) is int
    assert type(almunia.replay(play.record(), kind(1), "plain").seed) is int


@pytest.mark.parametrize("array", [np.array(1), np.array([1]), np.array([0, 1])])
def test_arrays_are_refused_as_integers(array):
    play = ORCHARD.new(seats=2, seed=1)
    with pytest.raises(almunia.SetupError, match="A seed is a whole number"):
        ORCHARD.new(seed=array)
    with pytest.raises(almunia.SetupError, match="Orchard takes 1 to 6 seats"):
        ORCHARD.new(seats=array)
    with pytest.raises(almunia.SetupError, match="Option 'deal' needs 9 different numbers"):
        ORCHARD.new(deal=array)
    with pytest.raises(almunia.SetupError, match="Seats are 0 to 1 here, and -1 for a spectator, not array"):
        play.observe(array)
    with pytest.raises(almunia.SetupError, match="The number of games is a whole number"):
        almunia.simulate(ORCHARD, array)
    with pytest.raises(almunia.SetupError, match="The number of actions is a whole number"):
        almunia.replay(play.record(), array, "plain")
    if array.ndim:
        with pytest.raises(almunia.IllegalAction, match="seat 1 may not choose array"):
            play.apply(array)


class Numbered:
    """An object with `__index__`, like a tensor."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


@pytest.mark.parametrize("kind", [np.array, Numbered])
def test_actions_can_be_any_index_type(kind):
    play = ORCHARD.new(seats=2, seed=1)
    first = play.legal_actions[0]
    assert play.action_to_string(kind(first)) == play.action_to_string(first)
    assert ORCHARD.rules.CODES.decode(kind(first)) == ORCHARD.rules.CODES.decode(first)
    play.apply(kind(first))
    assert (play.actions, type(play.actions[0])) == ([first], int)
    with pytest.raises(almunia.IllegalAction, match="seat 2 may not choose"):
        play.apply(kind(10**6))
    with pytest.raises(almunia.IllegalAction, match=r"True \(bool, not int\)"):
        play.apply(True)


def test_the_repr_of_an_observation_names_its_seat():
    play = ORCHARD.new(seats=2, seed=1)
    assert repr(play.observe(1)) == "<Observation of orchard by seat 1, 2 seats, turn 0>"
    assert repr(play.observe()) == "<Observation of orchard by a spectator, 2 seats, turn 0>"
    assert (
        repr(ClairvoyantObservation(ORCHARD, play.array.copy(), 0))
        == "<ClairvoyantObservation of orchard by seat 0, 2 seats, turn 0>"
    )


def test_an_invalid_seat_of_an_observation_is_refused():
    for seat in (2, -2, 1.5, "0"):
        with pytest.raises(almunia.SetupError, match=f"Seats are 0 to 1 here, and -1 for a spectator, not {seat!r}"):
            ORCHARD.new(seats=2, seed=1).observe(seat)
    with pytest.raises(almunia.SetupError, match="A seed is"):
        ORCHARD.new(seed=1).observe(0).determinize(-1)


def test_the_parts_of_an_observation_have_names_and_shapes():
    parts = ORCHARD.new(seed=1).observe(0).parts()
    assert {name: part.shape for name, part in parts.items()} == ORCHARD.observe.TENSOR_SHAPES
    assert parts["trees"].sum() == 6
    assert parts["hand"].sum() == 2


def test_the_action_mask_marks_legal_actions_of_the_seat_to_move():
    play = ORCHARD.new(seats=2, seed=1)
    mover, other = play.observe(play.turn).action_mask(), play.observe(1 - play.turn).action_mask()
    assert mover.shape == (ORCHARD.rules.ACTIONS,)
    assert mover.dtype == bool
    assert tuple(mover.nonzero()[0]) == play.legal_actions
    assert not other.any()


def test_without_a_seed_every_play_is_new():
    assert ORCHARD.new().seed != ORCHARD.new().seed


def test_a_refusal_names_game_action_seat_and_words():
    play = ORCHARD.new(seed=1)
    with pytest.raises(
        almunia.IllegalAction, match=r"Orchard, action 1: seat 1 may not choose 5 \(place \d+ at"
    ) as told:
        play.apply(5)
    assert "legal actions, such as 'place" in str(told.value)


@pytest.mark.parametrize("action", [-1, 10**6, 10**30, 1.5, None, np.int64(-1), True, np.True_])
def test_an_invalid_action_is_refused_by_action_to_string(action):
    play, kind = ORCHARD.new(seed=1), type(action).__name__
    most = ORCHARD.rules.ACTIONS - 1
    with pytest.raises(
        almunia.IllegalAction, match=rf"Orchard, action 1: .* is an invalid action; valid ones are 0 to {most}\."
    ):
        play.action_to_string(action)
    with pytest.raises(almunia.IllegalAction) as told:
        play.apply(action)
    whole = isinstance(action, int | np.int64) and action is not True
    words = f"{action!r}" if whole else f"{action!r} ({kind}, not int)"
    assert f"may not choose {words}. It has" in str(told.value)
    assert f"{play.action_to_string(play.legal_actions[0])!r} ({play.legal_actions[0]})" in str(told.value)


def test_a_play_serves_one_thread_at_a_time(monkeypatch):
    """Two threads at once would overwrite each other's memory in machine code."""
    step, said = ORCHARD.loops.step, []

    def meddle():
        with pytest.raises(almunia.SetupError) as told:
            play.apply(play.legal_actions[0])
        said.append(str(told.value))

    def meanwhile(*given):
        thread = Thread(target=meddle)
        thread.start()
        thread.join()
        return step(*given)

    monkeypatch.setattr(ORCHARD.loops, "step", meanwhile)
    play = ORCHARD.new(seed=1)
    monkeypatch.undo()
    play.apply(play.legal_actions[0])
    sentence = "<Play of orchard, 1 seat, 0 actions, turn 0> is at work for another thread: one may use it at a time."
    assert said == [sentence]
    with pytest.raises(almunia.IllegalAction):
        play.apply(-1)
    play.apply(play.legal_actions[0])  # a refusal leaves it open


def test_a_failure_of_the_rules_changes_nothing(monkeypatch):
    def fail(states, _action, out, _count):
        states[0].turns = 9
        out[0] = 7
        raise ZeroDivisionError

    with monkeypatch.context() as other:
        other.setattr(ORCHARD.loops, "step", fail)
        play = ORCHARD.new(seed=1)
    before, legal = play.to_state(), play.legal_actions
    with pytest.raises(ZeroDivisionError):
        play.apply(legal[1])
    assert (play.to_state(), play.legal_actions, play.actions, play.undo_depth) == (before, legal, [], 0)
    with pytest.raises(almunia.IllegalAction):
        play.apply(-1)


class PrecededLock:
    """A lock that lets another thread apply an action before its first acquisition or after its first release."""

    def __init__(self, lock, action, when):
        self.lock, self.action, self.when = lock, action, when

    def meet(self, now):
        action = self.action if now == self.when else None
        if action:
            self.action = None
            thread = Thread(target=action)
            thread.start()
            thread.join()

    def acquire(self, blocking):
        self.meet("before")
        return self.lock.acquire(blocking)

    def release(self):
        self.lock.release()
        self.meet("after")


@pytest.mark.parametrize("when", ["before", "after"])
def test_concurrent_actions_are_applied_in_sequence(when):
    play, expected = ORCHARD.new(seed=1), ORCHARD.new(seed=1)
    first = play.legal_actions[-1]
    expected.apply(first)
    second, undone = expected.legal_actions[-1], expected.to_state()
    expected.apply(second)
    mine, other = (second, first) if when == "before" else (first, second)
    play._lock = PrecededLock(play._lock, lambda: play.apply(other), when)
    play.apply(mine)
    assert (play.actions, play.legal_actions) == (expected.actions, expected.legal_actions)
    assert play.to_state() == expected.to_state()
    assert play.undo_depth == expected.undo_depth
    if play.can_undo:
        play.undo()
        assert play.to_state() == undone


def test_a_play_without_a_seed_cannot_rewind():
    with pytest.raises(almunia.UndoRefused, match="not started from a seed, so it cannot go back"):
        ORCHARD.new(seed=1).observe(0).determinize(1).rewind(0)
    with pytest.raises(almunia.UndoRefused, match="cannot go back to its action 1: 0 are known"):
        ORCHARD.new(seed=1).rewind(1)


@pytest.mark.parametrize("words", [None, 5, b"place"])
def test_an_action_name_that_is_not_a_string_is_refused(words):
    with pytest.raises(almunia.IllegalAction, match="Orchard, action 1: an action is named by words, not by"):
        ORCHARD.new(seed=1).string_to_action(words)


def test_an_unknown_action_name_gets_suggestions():
    with pytest.raises(almunia.IllegalAction, match="'place 99 at 0,0' is not possible here; nearest: place"):
        ORCHARD.new(seed=1).string_to_action("place 99 at 0,0")


def test_the_last_placements_can_be_taken_back_but_no_draw():
    play = ORCHARD.new(seed=1)
    play.apply(play.legal_actions[0])
    with pytest.raises(almunia.UndoRefused, match="something new to light"):
        play.undo()
    while play.state.drawn < 9:
        play.apply(play.legal_actions[0])
    before, actions = play.to_state(), list(play.actions)
    play.apply(play.legal_actions[0])
    play.apply(play.legal_actions[0])
    assert play.over
    play.undo()
    play.undo()
    assert (play.to_state(), play.actions) == (before, actions)
    assert not play.can_undo


def test_a_choice_of_another_seat_is_not_taken_back():
    play = ORCHARD.new(seats=2, seed=1)
    with pytest.raises(almunia.UndoRefused, match="Nothing has been done"):
        play.undo()
    play.apply(play.legal_actions[0])
    with pytest.raises(almunia.UndoRefused, match="passed to seat 2"):
        play.undo()


def test_saved_bytes_are_restored_and_invalid_ones_refused():
    play = ORCHARD.new(seats=2, seed=1, half="second")
    play.apply(play.legal_actions[3])
    saved = play.to_bytes()
    again = ORCHARD.from_bytes(saved)
    assert (again.to_state(), again.actions, again.options) == (play.to_state(), play.actions, play.options)
    assert str(again.record()) == str(play.record())
    for broken in (b"", b"hello", saved[:-1], saved + b"x", saved[:40], saved[:-9] + bytes(9)[1:] + b"x"):
        with pytest.raises(almunia.RecordError, match="not a saved play"):
            ORCHARD.from_bytes(broken)
    with pytest.raises(almunia.UndoRefused, match="the actions before that cannot be undone"):
        again.undo()


def rewritten(saved, head=None, state=None, **facts):
    """Return saved bytes with other contents and the checksum of those contents."""
    body = saved[len(MAGIC) + CHECKSUM_BYTES :]
    stop = 4 + int.from_bytes(body[:4], "little")
    head = json.dumps(json.loads(body[4:stop]) | facts).encode() if head is None else head
    body = len(head).to_bytes(4, "little") + head + (body[stop:] if state is None else state)
    return MAGIC + sha256(body).digest()[:CHECKSUM_BYTES] + body


def test_saved_bytes_with_a_right_checksum_and_wrong_contents_are_refused():
    play = ORCHARD.new(seats=2, seed=1)
    saved, size = play.to_bytes(), ORCHARD.rules.STATE.itemsize
    assert ORCHARD.from_bytes(rewritten(saved)).to_state() == play.to_state()
    for head in (b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b"{}"):
        with pytest.raises(almunia.RecordError, match="not a saved play"):
            ORCHARD.from_bytes(rewritten(saved, head))
    wrong = {"seed": ["1", 1.5, True], "options": [None, [], {"half": 1}], "actions": [None, 3, "ab", [1, "2"]]}
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(almunia.RecordError, match="not a saved play"):
                ORCHARD.from_bytes(rewritten(saved, **{name: value}))
    for state in (b"", bytes(size - 1), bytes(2 * size), bytes(size), b"\xff" * size):
        with pytest.raises(almunia.RecordError, match="not a saved play"):
            ORCHARD.from_bytes(rewritten(saved, state=state))


def test_saved_bytes_of_other_rules_are_refused(monkeypatch):
    saved = ORCHARD.new(seed=1).to_bytes()
    monkeypatch.setattr(ORCHARD, "meta", replace(ORCHARD.meta, rules_version=9))
    with pytest.raises(almunia.RecordError, match=r"saved for orchard with rules 1 .* rules 9"):
        ORCHARD.from_bytes(saved)


def test_an_observation_offers_actions_to_its_own_seat_only():
    play = ORCHARD.new(seats=2, seed=1)
    assert play.observe(0).legal_actions == play.legal_actions
    assert play.observe(1).legal_actions == ()
    assert play.observe().legal_actions == ()
    assert play.observe(0).tensor().dtype == np.float32


def test_notebooks_show_text_without_the_svg_library(monkeypatch):
    def missing(*_):
        raise ModuleNotFoundError("No module named 'svg'", name="svg")

    play = ORCHARD.new(seed=1)
    monkeypatch.setattr("almunia.library.Game.view", property(missing))
    assert play._repr_svg_() is None
    with pytest.raises(almunia.MissingExtra, match=r"pip install 'almunia\[cli\]'"):
        play.observe(0).svg()


def test_pictures_are_drawn_for_notebooks():
    play = ORCHARD.new(seed=1)
    assert play._repr_svg_().startswith("<svg")
    assert "data-action" not in play._repr_svg_()
    assert "data-action" in play.observe(0).svg(choose=True)
    assert repr(play) == "<Play of orchard, 1 seat, 0 actions, turn 0>"


@pytest.mark.parametrize("name", ["orchard", "oregon", "alpujarras"])
def test_tie_breaks_explain_the_ranks_of_seats_with_equal_points(name):
    game, found = almunia.game(name, "plain"), set()
    for seed in range(12):
        play, rng = game.new(4, seed=seed), Random(1)
        while not play.over:
            play.apply(rng.choice(play.legal_actions))
        points, ranks, breaks = play.points, play.ranks(), [play.tie_breaks(seat) for seat in range(4)]
        for one, other in combinations(range(4), 2):
            if points[one] != points[other]:
                continue
            known = [*zip(breaks[one], breaks[other], strict=False)]
            assert all(mine[0] == theirs[0] for mine, theirs in known)
            mine, theirs = ([value for (_, value) in side] for side in zip(*known, strict=True))
            assert (mine > theirs) == (ranks[one] < ranks[other])
            assert (mine == theirs) == (ranks[one] == ranks[other])
            found.add(mine == theirs)
        alone = [seat for seat in range(4) if points.count(points[seat]) == 1]
        assert not any(breaks[seat] for seat in alone)
    assert False in found


def test_tie_breaks_have_only_the_deciding_columns():
    play = almunia.game("orchard", "plain").new(3, seed=1)
    table = np.array([[9, 1, 5], [9, 0, 7], [8, 2, 2]])
    play.score_table = lambda: table
    assert [play.tie_breaks(seat) for seat in range(3)] == [
        (("rotten fruit spared", 1),),
        (("rotten fruit spared", 0),),
        (),
    ]
    table[0, 1] = 0
    assert play.tie_breaks(0) == (("rotten fruit spared", 0), ("dice", 5))
