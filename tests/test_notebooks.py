"""The notebooks in docs/notebooks: their cells run in order, and have the outputs that are stored.

The runner has twenty lines. nbclient would bring some twenty packages and start a process for each notebook.
"""

import ast
import json
import sys
from io import StringIO
from pathlib import Path
from types import CodeType

import numpy as np
import pytest

import almunia
from almunia.arena.match import Match, run as play_match

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def cells(path):
    """The source of each code cell."""
    found = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def run(name):
    """Run a notebook's cells in order; gives the names it has defined, and what each cell shows."""
    names, shown = {"__name__": "__main__"}, []
    for number, source in enumerate(cells(NOTEBOOKS / name), 1):
        tree, last = ast.parse(source), None
        if isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        execute(compile(tree, f"{name}, cell {number}", "exec"), names)
        shown.append(eval(compile(last, f"{name}, cell {number}", "eval"), names) if last else None)  # noqa: S307 - ours
    return names, shown


def execute(code: CodeType, names):
    """Run some code in these names."""
    exec(code, names)  # noqa: S102 - a notebook of ours


@pytest.fixture
def beside(monkeypatch):
    """As Jupyter has it: the notebook's folder is where modules are found, and where we are."""
    pytest.importorskip("torch", reason="PyTorch is not installed (the extra [learn])")
    monkeypatch.syspath_prepend(NOTEBOOKS)
    monkeypatch.chdir(NOTEBOOKS)


def drawn(figure):
    """A figure as SVG."""
    out = StringIO()
    figure.savefig(out, format="svg")
    return out.getvalue()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_the_outputs_of_one_run(path):
    found = json.loads(path.read_text("utf-8"))
    assert found["nbformat"] == 4
    ids = [cell["id"] for cell in found["cells"]]
    assert len(set(ids)) == len(ids)
    assert found["cells"][0]["source"][0].startswith("# ")
    code = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)]
    for cell in code:
        assert {output.get("name", "stdout") for output in cell["outputs"]} <= {"stdout"}
        last = cell["source"][-1]
        form = {"figure": "image/png", "play": "image/svg+xml"}.get(last)
        if form or "print(" in last:
            assert cell["outputs"]
        if form:
            assert [output["output_type"] for output in cell["outputs"] if form in output.get("data", ())] == [
                "execute_result"
            ]


def test_a_plot_is_shown_as_a_picture():
    """Jupyter shows a figure of Matplotlib only if pyplot has been imported and the cell ends with the figure."""
    plots = [source for path in PATHS for source in cells(path) if "subplots" in source]
    assert len(plots) == 2
    for path in PATHS:
        sources = "\n".join(cells(path))
        assert ("import matplotlib.pyplot as plt" in sources) == ("subplots" in sources)
    assert all(source.endswith("plt.close(figure)  # else a notebook shows it twice\nfigure") for source in plots)


def stored(name):
    """What the cells of a notebook have printed, as it is stored."""
    found = json.loads((NOTEBOOKS / name).read_text("utf-8"))["cells"]
    outputs = [output for cell in found for output in cell.get("outputs", [])]
    return "".join(line for output in outputs for line in output.get("text", []))


@pytest.mark.slow
@pytest.mark.exhaustive
def test_first_steps(beside, capsys):
    names, shown = run("first-steps.ipynb")
    pictures = [value for value in shown if isinstance(value, almunia.Play)]
    assert len(pictures) == 3
    assert all(picture._repr_svg_().startswith("<svg") for picture in pictures)
    assert names["play"].over
    assert all(isinstance(words, str) and words for words in shown[1])
    points = names["points"]
    assert points["greedy"].mean() > points["random"].mean() + 30
    assert "<svg" in drawn(shown[-1])
    assert stored("first-steps.ipynb") == capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.exhaustive
def test_batch(beside):
    names, _ = run("batch.ipynb")
    (before, half), (after, other_half) = names["untrained"], names["trained"]
    assert abs(before) < 2 * half  # random against random
    assert after - other_half > before + half + 2
    assert names["result"]["scores"].shape == (20, 2)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_ppo_orchard(beside, monkeypatch):
    """With a small budget: not greedy's points yet, but far more than those of random play."""
    monkeypatch.setenv("DECISIONS", "24000")
    names, shown = run("ppo-orchard.ipynb")
    (learned, half), (chance, other_half) = names["compared"]["network"], names["compared"]["random"]
    assert learned - half > chance + other_half + 10
    assert names["curve"][-1]["points"] > names["curve"][0]["points"] + 3
    assert names["play"].over
    assert any("<svg" in drawn(value) for value in shown if hasattr(value, "savefig"))


# --- the learner of Orchard -----------------------------------------------------------------------


@pytest.fixture
def ppo(beside):
    """The module beside the notebook."""
    import ppo_orchard

    return ppo_orchard


def positions(ppo, seats=1, plays=6):
    """Yield positions of random plays in which a seat is to move."""
    rng = np.random.default_rng(1)
    for seed in range(plays):
        play = ppo.GAME.new(seats, seed)
        while not play.over:
            yield play
            play.apply(int(rng.choice(play.legal_actions)))


def looked(ppo, play):
    """Features of all legal actions of a position."""
    legal = np.array([play.legal_actions])
    return ppo.look(play.observe(play.turn).tensor()[None], legal, np.array([legal.size]))


@pytest.mark.exhaustive
def test_predicted_windows_equal_the_board_after_the_action(ppo):
    """Compare the window of each action with the board after the action."""
    compared = 0
    for play in positions(ppo):
        parts = play.observe(0).parts()
        if parts["supply"].min() < 0.5:
            continue  # a die may be missing then, which the window does not know
        seen = looked(ppo, play)
        for i in range(0, len(seen.actions), 7):
            action = int(seen.actions[i])
            _, turned, row, column = np.unravel_index(action, (2, 4, 35, 35))
            after = play.copy()
            after.apply(action)
            found = after.observe(0).parts()
            wanted = np.rot90(window(found, int(turned), int(row), int(column)), turned).ravel()
            assert (seen.places[i, : ppo.WINDOW] - ppo.STARTS[: ppo.WINDOW]).tolist() == wanted.tolist()
            compared += 1
    assert compared > 50


def window(parts, turned, row, column):
    """The cells around a card as they lie: 0 nothing, then each fruit with the step of its die, and a rotten tree."""
    height, width = ((3, 2), (2, 3))[turned % 2]
    found = np.zeros((height + 4, width + 4), int)
    for i, j in np.ndindex(found.shape):
        at = row + i - 2, column + j - 2
        for kind in range(4):
            if parts["trees"][kind][at]:
                found[i, j] = 16 if kind == 3 else 1 + 5 * kind + [0, 1, 3, 6, 10].index(round(10 * parts["dice"][at]))
    return found


@pytest.mark.exhaustive
def test_features_stay_in_their_blocks_and_encode_the_hand(ppo):
    for play in positions(ppo, seats=2, plays=3):
        seen, state = looked(ppo, play), play.observe(play.turn).state
        places = seen.places - ppo.STARTS
        assert ((places >= 0) & (places < ppo.SIZES)).all()
        assert tuple(seen.actions) == play.legal_actions
        hand = state.seat[play.turn].hand
        for action, (card, kept, answer) in zip(seen.actions, places[:, -3:], strict=True):
            if action < ppo.GAME.rules.LAST_DIE:
                slot = action // 4900
                assert (card, kept, answer) == (hand[slot], hand[1 - slot], 0)
            else:
                assert answer == action - ppo.GAME.rules.LAST_DIE + 1
                assert card == hand[state.seat[play.turn].choice // 4900]


@pytest.mark.exhaustive
def test_the_sum_of_rows_has_the_gradient_of_pytorchs_own(ppo):
    import torch

    table = torch.randn(9, 4, requires_grad=True)
    places = torch.tensor([[0, 3, 3], [8, 1, 0]])
    change = torch.randn(2, 4)
    outcomes = []
    for layer in (ppo.RowSum.apply, lambda table, places: table[places].sum(1)):
        table.grad = None
        out = layer(table, places)
        out.backward(change)
        outcomes.append((out, table.grad))
    assert torch.allclose(outcomes[0][0], outcomes[1][0])
    assert torch.allclose(outcomes[0][1], outcomes[1][1])


@pytest.mark.exhaustive
def test_the_policy_sums_to_one_and_ranks_match_the_lists(ppo):
    import torch

    batch = ppo.GAME.batch(5, 1, seed=3, legal_as="lists")
    seen = ppo.look(batch.observations, batch.legal_actions, batch.num_legal)
    given = ppo.inputs(seen.row, seen.places, seen.state)
    with torch.no_grad():
        policy, value = ppo.Net(8)(given)
    assert policy.exp().sum(1).numpy() == pytest.approx(1)
    assert ((policy > -1e8).sum(1).numpy() == batch.num_legal).all()
    assert value.shape == (5,)
    assert (batch.legal_actions[seen.row, given.rank.numpy()] == seen.actions).all()


@pytest.mark.exhaustive
def test_advantages_equal_their_definition(ppo):
    """One of the two games ends during the rollout."""
    rng = np.random.default_rng(0)
    reward, value = rng.normal(size=(4, 2)).astype(np.float32), rng.normal(size=(5, 2)).astype(np.float32)
    done = np.array([[0, 0], [1, 0], [0, 0], [0, 0]], bool)
    found = ppo.advantages(ppo.Rollout([], None, None, value, reward, done), 0.9)
    for game in range(2):
        for start in range(4):
            total, weight = 0.0, 1.0
            for step in range(start, 4):
                ahead = 0.0 if done[step, game] else value[step + 1, game]
                total += weight * (reward[step, game] + ahead - value[step, game])
                weight *= 0.9
                if done[step, game]:
                    break
            assert found[start, game] == pytest.approx(total, abs=1e-5)


@pytest.mark.exhaustive
def test_a_run_can_be_repeated(ppo):
    settings = ppo.Settings(decisions=128, games=16, steps=4, parts=2, hidden=8)
    curves = []
    for _ in range(2):
        for net, reached in ppo.train(settings):  # noqa: B007 - used below
            pass
        curves.append((reached["decisions"], net.table.detach().numpy().tobytes()))
    assert curves[0] == curves[1]
    assert curves[0][0] == 128


@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_saved_network_plays_in_a_match_as_at_a_table(ppo, tmp_path):
    net = ppo.Net(8)
    ppo.save(net, tmp_path / "orchard.pt")
    again = ppo.Player(ppo.load(tmp_path / "orchard.pt"))
    for play in positions(ppo, seats=2, plays=1):
        assert again.choose(play.observe(play.turn)) == ppo.Player(net).choose(play.observe(play.turn))
    program = f"external:60s:{sys.executable} {NOTEBOOKS / 'ppo_orchard.py'} --play {tmp_path / 'orchard.pt'}"
    (row, _) = play_match(Match(ppo.GAME, [program], seats=2, deals=1, against="random"))
    assert row["faults"] == ["", ""]
    assert row["choices"][0] >= 8
