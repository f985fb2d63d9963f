"""The conformance checks find the faults they are there for: each is built into Orchard, and found."""

from types import ModuleType

import pytest

from almunia.conformance import CHECKS, Case, outcome_of
from almunia.core.chance import shake
from almunia.core.game import Game
from almunia.games.orchard import observe, rules, text

RIGHT = {module: dict(vars(module)) for module in (observe, rules, text)}


def faulty(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, function: object, seats: int = 1) -> Case:
    """Orchard with one function replaced, in the plain build only."""
    monkeypatch.setattr(module, name, function)
    function.__module__ = module.__name__  # so that it finds its neighbours
    case = Case("orchard", seats)
    case.__dict__["plain"] = case.__dict__["fast"] = Game("orchard", "plain")
    return case


def seeing_all(s, seat):
    pass


def truthful(s, seat, rng, out):
    for i in range(s.drawn, 18):
        s.deck[i] = i + 1
    shake(s.rng, 1)


def turned_about(s, out):
    out[0], out[1] = 9, 8
    return 2


def mumble(s, action):
    return "place a card"


def test_a_mask_that_hides_nothing_is_found(monkeypatch):
    case = faulty(monkeypatch, observe, "mask", seeing_all)
    assert "random numbers" in outcome_of(CHECKS["the_rng_is_hidden"], case)
    assert "tell a redeal" in outcome_of(CHECKS["nothing_leaks"], case)


def test_a_redeal_that_never_varies_is_found(monkeypatch):
    truthful.__globals__["shake"] = shake
    case = faulty(monkeypatch, observe, "redeal", truthful)
    monkeypatch.setattr("almunia.conformance.SAMPLES", 60)
    assert "are the same" in outcome_of(CHECKS["redeals_vary"], case)
    assert "differ on average" in outcome_of(CHECKS["redeals_are_fair"], case)


def test_actions_out_of_order_are_found(monkeypatch):
    case = faulty(monkeypatch, rules, "legal_place", turned_about)
    assert "ascend" in outcome_of(CHECKS["legal_actions_ascend"], case)


def test_words_shared_by_actions_are_found(monkeypatch):
    case = faulty(monkeypatch, text, "say", mumble)
    assert "share their words" in outcome_of(CHECKS["words_name_actions"], case)
