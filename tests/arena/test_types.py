"""Code of researchers, as in the documents, passes a strict type checker."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import almunia

RESEARCH = '''
"""A policy beside the built-in bots."""

import numpy as np
import numpy.typing as npt

import almunia
from almunia.arena.simulate import simulate
from almunia.bots import Bot, make


class Last:
    """Takes the last legal action."""

    def choose(self, observation: almunia.Observation) -> int:
        return observation.legal_actions[-1]


class Other:
    """The same, with another name for what it is shown."""

    def choose(self, seen: almunia.Observation) -> int:
        return seen.legal_actions[-1]


game = almunia.game("orchard", "plain")
result = almunia.simulate(game, 3, bots=[Last(), "greedy", make("random", game)])
again = simulate(game, 3, bots=Last())
bots: list[Bot] = [Last(), Other(), make("greedy", game)]
more = almunia.simulate(game, 3, bots=bots)
scores: npt.NDArray[np.int64] = result["scores"]
ranks: npt.NDArray[np.int8] = result["ranks"]
mean: float = float(again["scores"].mean() + more["score_table"].mean())
for array in (result["decisions"], result["seed"]):
    total: np.int64 = array[0]

play = game.new(2, seed=1, edition="2019")
seen = play.observe(play.turn)
tensor: npt.NDArray[np.float32] = seen.tensor()
parts: dict[str, npt.NDArray[np.float32]] = seen.parts()
standing: npt.NDArray[np.int64] = play.score_table()
state: npt.NDArray[np.void] = play.array
play.apply(bots[play.turn].choose(seen))
spec: str = make("greedy", game).spec
outcome = play.outcome
winners: tuple[int, ...] = outcome.winners if outcome else ()
'''
WRONG = """
import almunia


class Mute:
    def speak(self) -> int:
        return 1


almunia.simulate(almunia.game("orchard"), 1, bots=[Mute()])
print(almunia.simulate(almunia.game("orchard"), 1)["points"])
"""


def complaints(path: Path) -> str:
    """Return the output of strict mypy for a file. Its cache of libraries is kept."""
    sources = Path(almunia.__file__).parents[1]
    cache = Path(__file__).parents[2] / ".mypy_cache" / "research"
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", str(path)]
    environment = os.environ | {"MYPYPATH": str(sources), "MYPY_CACHE_DIR": str(cache)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=path.parent)
    return done.stdout


@pytest.mark.exhaustive  # a type checker reads NumPy, which takes half a minute
def test_a_bot_as_documented_passes_a_strict_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    right, wrong = tmp_path / "research.py", tmp_path / "wrong.py"
    right.write_text(RESEARCH)
    wrong.write_text(WRONG)
    assert "Success" in complaints(right)
    found = complaints(wrong)
    assert "Mute" in found
    assert "points" in found
    assert "Found 2 errors" in found


def test_the_checked_code_also_runs() -> None:
    exec(compile(RESEARCH, "research.py", "exec"), {})  # noqa: S102 - the text above
