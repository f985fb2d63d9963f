"""Optional members of a game's modules: the game's own are used, and defaults for missing ones."""

from inspect import signature
from types import ModuleType

import pytest

import almunia
from almunia.core import optional
from almunia.core.kernels import defaults, evaluation
from almunia.core.optional import is_default, members, with_defaults
from almunia.library import Game

SOURCES = {
    optional.OptionalRules: {**vars(defaults), "NUM_ACTION_KEYS": 7},
    optional.OptionalObserve: vars(defaults),
    optional.OptionalText: None,
    optional.OptionalView: None,
    optional.OptionalBots: vars(evaluation),
}


@pytest.mark.parametrize("protocol", SOURCES, ids=lambda one: one.__name__)
def test_every_optional_member_has_a_default_that_is_called_alike(protocol):
    module = with_defaults(ModuleType("empty"), protocol, SOURCES[protocol])
    assert members(protocol)
    for name in members(protocol):
        if name.islower():
            described = [one for one in signature(getattr(protocol, name)).parameters if one not in ("self", "weights")]
            given = signature(getattr(module, name))
            assert list(given.parameters) == described or given.bind(*described), name


def test_members_of_a_module_are_not_replaced_by_defaults():
    own = ModuleType("own")
    own.suggestions = lambda _: ["mine"]
    module = with_defaults(own, optional.OptionalText)
    assert module.suggestions(None) == ["mine"]
    assert not is_default(module.suggestions)
    assert is_default(module.explain_illegal)
    assert module is own, "it can be reloaded"
    assert with_defaults(module, optional.OptionalText) is module


def test_a_game_that_leaves_much_out_plays():
    """Caylus has neither keys, nor public legal actions, nor challenges, nor action values."""
    game = almunia.game("caylus", "plain")
    play = game.new(seats=2, seed=1)
    action = play.legal_actions[0]
    assert game.rules.NUM_ACTION_KEYS == game.rules.ACTIONS
    assert game.kernel(game.rules).action_key(play.state, action) == action
    assert game.legal_is_public(play.state), "no seat holds a secret"
    assert (game.text.CHALLENGES, game.text.dealt(play.state), game.bots.SCRATCH_SIZE) == ((), "", 0)


def test_a_game_without_bots_is_evaluated_by_its_points(monkeypatch):
    monkeypatch.setattr(Game, "has", lambda *_: False)
    game = Game("orchard", "plain")
    bot, play = almunia.bots.make("greedy", game, 1), game.new(seats=2, seed=3)
    while not play.over:
        play.apply(bot.choose(play.observe(play.turn)))
    assert game.bots is evaluation
    assert min(play.points) > 0


def test_legal_actions_are_secret_by_default(monkeypatch):
    game = Game("oregon", "plain")
    play = game.new(seats=2, seed=3)
    assert game.legal_is_public(play.state), "the spaces of a start tile"
    monkeypatch.delattr(game._module("observe"), "legal_is_public")
    assert not Game("oregon", "plain").legal_is_public(play.state)
