"""What a view of a table has to draw: only what no view has shown before."""

import pytest

from almunia.core.contract import SPECTATOR
from almunia.library import game
from almunia.play.panels import PictureCache
from almunia.server.tables.rendering import RenderedView, render_all

from ..tiers import games

NAMES = "Ana", "Bea", "Cem"


@pytest.mark.parametrize("name", games("caylus"))
def test_whoever_watches_draws_nothing_that_a_player_has_drawn(name):
    play, cache = game(name, "plain").new(seats=3, seed=4), PictureCache()
    for seat in range(3):
        view = play.observe(seat)
        rendered = RenderedView(view, view.legal_actions, NAMES, in_one_go=True, cache=cache)
        assert rendered.panels
        assert rendered.missing == []
    watched = RenderedView(play.observe(0), (), NAMES, in_one_go=True, cache=cache)
    assert watched.is_cheap
    drawn = cache.drawn_count
    assert watched.panels
    assert cache.drawn_count == drawn


def test_a_player_with_choices_is_cheap_once_they_are_described():
    view = game("caylus", "plain").new(seats=3, seed=4)
    seen = view.observe(view.turn)
    rendered = RenderedView(seen, seen.legal_actions, NAMES, in_one_go=True, cache=PictureCache())
    assert not rendered.is_cheap
    assert rendered.panels
    assert not rendered.is_cheap
    assert rendered.action_labels
    assert rendered.is_cheap


@pytest.mark.parametrize("name", games("caylus"))
def test_what_another_process_has_rendered_is_not_rendered_again(name):
    play, cache = game(name, "plain").new(seats=3, seed=4), PictureCache()
    for seat in (play.turn, SPECTATOR):
        view = play.observe(seat)
        here = RenderedView(view, view.legal_actions, NAMES, in_one_go=True, cache=PictureCache())
        beside = RenderedView(view, view.legal_actions, NAMES, in_one_go=True, cache=cache)
        beside.fill(render_all(view, *beside.args))
        assert beside.missing == []
        assert beside.is_cheap
        assert (beside.panels, beside.action_labels, beside.macro_labels) == (
            here.panels,
            here.action_labels,
            here.macro_labels,
        )
    assert cache.drawn_count == 0
