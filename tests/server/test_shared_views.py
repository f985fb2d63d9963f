"""Test that log lines of moves, points and facts on cards are computed once for viewers who see the same."""

from random import Random

import pytest

import almunia
from almunia.catalog import game_packages
from almunia.core.contract import SPECTATOR
from almunia.core.memoize import memoize
from almunia.server.tables.viewer_history import log_lines, log_lines_key
from almunia.server.web.seat_cards import seat_scores

MOVES = 40
OPEN_GAMES = ("alpujarras", "caylus")  # without hidden information between the seats


@pytest.mark.parametrize("name", game_packages())
def test_cached_lines_and_scores_are_those_of_each_viewer(name):
    rng, play = Random(1), almunia.game(name, "plain").new(seats=2, seed=1)
    shared = 0
    for _ in range(MOVES):
        before = {viewer: play.observe(viewer) for viewer in (SPECTATOR, 0, 1)}
        action = rng.choice(play.legal_actions)
        play.apply(action)
        after = {viewer: play.observe(viewer) for viewer in before}
        lines = {viewer: log_lines(before[viewer], action, after[viewer]) for viewer in before}
        shared += lines[0] is lines[1]
        for viewer, view in before.items():
            then = after[viewer]
            assert lines[viewer] == view.log_lines(action, then)
            assert seat_scores(then) == seat_scores.__wrapped__(then)
            key = log_lines_key(view, action, then)
            others = log_lines_key(then, action, then), log_lines_key(view, action, view)
            assert (key in others) is (view.to_state() == then.to_state())
            is_seen = play.game.may_see(view.state, viewer)
            assert (key == log_lines_key(view, action + 1, then)) is not is_seen  # the key has what the viewer sees
        if play.over:
            break
    assert name not in OPEN_GAMES or shared > MOVES / 2


def test_the_limit_of_a_cache_can_be_set():
    computed = []

    @memoize(lambda x: x, 2)
    def same(x):
        computed.append(x)
        return x

    assert [same(x) for x in (1, 2, 1, 3, 1)] == [1, 2, 1, 3, 1]
    assert computed == [1, 2, 3, 1]
