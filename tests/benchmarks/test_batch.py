"""The benchmark of batches measures every figure."""

import json

import pytest

from benchmarks import batch


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_batches_are_measured(capsys, monkeypatch) -> None:
    monkeypatch.setattr(batch, "calibrate", lambda loop: loop(1) or 1)
    monkeypatch.setattr(batch, "PYTHON_OPPONENTS", dict.fromkeys(batch.PYTHON_OPPONENTS, 2))
    assert batch.main(["oregon", "--repeats", "2", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]["oregon"]
    assert len(figures) == batch.FIGURES_PER_GAME
    assert {figure["unit"] for figure in figures} == {"decisions/s", "times"}
    assert all(len(figure["runs"]) == 2 and figure["value"] > 0 for figure in figures)
