"""Machine code that is called without determining the types of its arguments."""

import copy

import numpy as np
import pytest

from almunia import game
from almunia.core.kernels import batch_step
from almunia.core.workspaces import resolve_overload


@pytest.fixture
def orchard():
    return game("orchard")


@pytest.mark.compiled
def test_a_resolved_overload_returns_what_the_function_returns(orchard):
    refused = orchard.kernel(batch_step).first_rejected
    legal = np.array([[2, 5, 7]], np.int32)
    arrays = np.array([True]), np.array([5]), np.array([3]), legal
    code = resolve_overload(refused, batch_step.ERROR, True, *arrays)
    for action, row in ((5, batch_step.ALL_LEGAL), (6, 0)):
        arrays[1][0] = action
        assert code(batch_step.ERROR, True, *arrays) == refused(batch_step.ERROR, True, *arrays) == row


def test_a_plain_function_is_returned_unchanged():
    refused = game("orchard", "plain").kernel(batch_step).first_rejected
    assert resolve_overload(refused, batch_step.ERROR, True) is refused


@pytest.mark.compiled
def test_a_batch_has_numba_find_no_types_at_a_step(orchard, monkeypatch):
    batch = orchard.batch(2, 2, opponents="random", seed=1)
    found = []
    for name in ("step_rows", "first_rejected"):
        dispatcher = getattr(batch._kernel, name)
        monkeypatch.setattr(batch._kernel, name, lambda *given, code=dispatcher: found.append(code) or code(*given))
    before = batch.observations.copy()
    batch.step(batch.legal_actions[:, 0])
    batch.reset()
    assert not found
    assert (batch.observations != before).any()


@pytest.mark.compiled
def test_a_copy_of_a_batch_steps_its_own_games(orchard):
    batch = orchard.batch(2, 2, seed=1)
    twin = copy.deepcopy(batch)
    before = batch.observations.copy()
    twin.step(twin.legal_actions[:, 0])
    assert np.array_equal(batch.observations, before)
    batch.step(batch.legal_actions[:, 0])
    assert np.array_equal(batch.observations, twin.observations)
