"""Batches on numba's CUDA simulator: row for row what they are on the processor, to the byte.

`test_gpu_batch.py` runs this file in a process of its own, where NUMBA_ENABLE_CUDASIM=1. The game is the one that
`almunia new` writes: every action of it takes a thread of Python for each thread of a block.
"""

import copy
import pickle
import sys
from collections.abc import Iterator
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import cuda

import almunia
from almunia import catalog
from almunia.batch import cuda as gpu, cuda_batch
from almunia.batch.batch import Batch
from almunia.batch.cuda_batch import CudaBatch
from almunia.batch.kernels import cuda as cuda_kernels
from almunia.bots import make
from almunia.core.loaded import LoadedGame
from almunia.engine.checked import CheckedArray, checked_backend
from almunia.engine.kernels import rng as generator
from benchmarks import gpu as benchmark

TEMPLATE = Path(almunia.__file__).parent / "cli" / "template" / "src"
sys.path.insert(0, str(TEMPLATE))
catalog.register("highcard", "highcard")
GAME = almunia.game("highcard")
N = 5
BLOCK = 4  # threads, so that the rows take two blocks, and the second has threads without a row
STEPS = 40
ARRAYS = ("num_legal", "current_seats", "learner_seats", "rewards", "done", "seeds", "bot_seeds")
MASKS = {"masks": "action_masks", "bits": "packed_masks"}


class SimulatedDevice(gpu.Device):
    """numba's simulator, with a thread of Python for each thread of a block, whether it has a row or not.

    The simulator's records give numbers of few bits, which overflow. So the kernels run in the plain build, over
    checked arrays. This shows what kernels compute, thread by thread, and not that they compile.
    """

    block = BLOCK

    def launch(self, name: str, threads: int, *args: Any) -> None:
        """Run a kernel in Python."""
        blocks = -(-threads // self.block)
        simulated_kernel(self.game, name)[blocks, self.block](*map(checked, args))


class SimulatedBatch(CudaBatch):
    """A batch whose device is the simulator."""

    device_type = SimulatedDevice


@cache
def simulated_backend(game: LoadedGame) -> Any:
    """Return a backend of the plain build for a game of the compiled build."""
    return game.make_backend(partial(checked_backend, must_compile=True))


@cache
def simulated_kernel(game: LoadedGame, name: str) -> Any:
    """Return a CUDA kernel that the simulator can launch."""
    return cuda.jit(gpu.kernel_function(simulated_backend(game), name))


def checked(argument: Any) -> Any:
    """Return an array of the simulator as a CheckedArray, and a tuple with each array so wrapped."""
    if isinstance(argument, tuple):
        return type(argument)(*map(checked, argument))
    return argument if isinstance(argument, int) else CheckedArray(argument.__array__())


@pytest.fixture(autouse=True)
def batches_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cuda_batch.DEVICES, "cuda", SimulatedBatch)


@pytest.fixture(autouse=True)
def memory_is_dirty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill arrays that the device allocates without content with nonsense, as on a real device."""
    clean = cuda.device_array

    def dirty(shape: Any, dtype: Any) -> Any:
        array = clean(shape, dtype)
        array.__array__().view(np.uint8)[...] = 0x5A
        return array

    monkeypatch.setattr(cuda, "device_array", dirty)


def pair(**terms: Any) -> tuple[Batch, Batch]:
    """Return the same batch on the processor and on the device."""
    return GAME.batch(N, **terms), GAME.batch(N, device="cuda", **terms)


def host(array: Any) -> np.ndarray:
    """Return an array of either batch as a NumPy array."""
    return array if isinstance(array, np.ndarray) else array.copy_to_host()


def picture(batch: Batch) -> dict[str, bytes]:
    """Return all arrays and states of a batch as bytes, without the unused ends of the lists of legal actions."""
    terms = batch._settings
    names = [*ARRAYS, *([MASKS[terms.legal_as]] if terms.legal_as != "lists" else [])]
    names += ["observations"] * terms.observe + ["final_observations"] * terms.final_observations
    shown = {name: host(getattr(batch, name)).tobytes() for name in names}
    rows = zip(host(batch.legal_actions), host(batch.num_legal), strict=True)
    shown["legal_actions"] = b"".join(row[:count].tobytes() for row, count in rows)
    shown["states"] = b"".join(batch.play(row).to_state() for row in range(N))
    return shown


def same_course(one: Batch, other: Batch, steps: int = STEPS) -> int:
    """Step both batches, require equal pictures, and return the number of games that ended."""
    rngs, wild, ended = [np.random.default_rng(4), np.random.default_rng(4)], np.random.default_rng(9), 0
    assert picture(one) == picture(other)
    for step in range(steps):
        actions = [batch.sample(rng) for batch, rng in zip((one, other), rngs, strict=True)]
        assert host(actions[1]).tolist() == actions[0].tolist()
        if one._settings.illegal != "error" and step % 3 == 0:
            actions = [wild.integers(-3, GAME.rules.ACTIONS, N)] * 2
        one.step(actions[0])
        other.step(actions[1])
        assert picture(one) == picture(other)
        ended += int(one.done.sum())
        if not one._settings.autoreset:
            one.reset(where=one.done)
            other.reset(where=other.done)
            assert picture(one) == picture(other)
    return ended


@pytest.mark.parametrize("offers", ["masks", "bits", "lists"])
@pytest.mark.parametrize("opponents", [None, "random", "greedy"])
def test_rows_equal_those_on_the_cpu(offers: Any, opponents: Any) -> None:
    terms = {"seats": 3, "seed": 11, "legal_as": offers, "opponents": opponents, "final_observations": offers == "bits"}
    if opponents:
        terms |= {"seat": "random", "reward": "points"}
    assert same_course(*pair(**terms)) > N


@pytest.mark.parametrize("illegal", ["penalty", "random"])
@pytest.mark.parametrize("autoreset", [True, False])
def test_illegal_actions_and_ends_equal_those_on_the_cpu(illegal: Any, autoreset: bool) -> None:
    bots = [make("greedy,epsilon=0.3,noise=2", GAME), "random"]
    terms: dict[str, Any] = {
        "seats": 3,
        "opponents": bots,
        "illegal": illegal,
        "penalty": -0.25,
        "autoreset": autoreset,
    }
    assert same_course(*pair(**terms, observe=illegal == "random")) > N


def test_a_reset_with_a_seed_is_reproducible() -> None:
    one, other = pair(seed=3)
    same_course(one, other, 3)
    for batch in (one, other):
        batch.reset(seed=8)
    same_course(one, other, 3)
    fresh = GAME.batch(N, seed=8, device="cuda")
    other.reset(seed=8)
    assert picture(fresh) == picture(other)


def test_an_illegal_action_is_refused_with_its_row_and_changes_nothing() -> None:
    one, other = pair(seed=2)
    before = picture(other)
    legal = host(other.legal_actions)[:, 0].copy()
    for row in (3, 1):
        wrong = legal.copy()
        wrong[[row, 4]] = 0
        said = []
        for batch in (one, other):
            with pytest.raises(almunia.IllegalAction) as refused:
                batch.step(wrong)
            said.append(str(refused.value))
        assert said[0] == said[1]
        assert f"game {row} of the batch" in said[0]
        assert picture(other) == before
    same_course(one, other, 3)


@pytest.mark.parametrize("row", [N, -1, None, 1.5, True])
def test_games_that_are_not_in_the_batch_are_refused(row: Any) -> None:
    other = GAME.batch(N, device="cuda")
    for ask in (other.play, other.observe):
        with pytest.raises(almunia.SetupError, match="on a graphics processor> has games 0 to 4, not"):
            ask(row)
    with pytest.raises(almunia.SetupError, match="Random actions take a generator such as"):
        other.sample(row)


def test_a_finished_game_waits_for_its_reset() -> None:
    other = GAME.batch(N, device="cuda", autoreset=False)
    rng = np.random.default_rng(0)
    while not host(other.done).any():
        other.step(other.sample(rng))
    with pytest.raises(almunia.IllegalAction, match=r"game \d of the batch is over: begin the next"):
        other.step(host(other.legal_actions)[:, 0])


def test_stepping_some_games_equals_the_cpu() -> None:
    one, other = pair(seed=2, opponents="random", seats=2)
    rng = np.random.default_rng(1)
    for step in range(6):
        where, actions = rng.random(N) < 0.5, one.sample(rng)
        actions[~where] = -1  # never legal
        one.step(actions, where=where)
        other.step(actions, where=cuda.to_device(where) if step % 2 else where)
        assert picture(one) == picture(other)
    same_course(one, other, 3)


def test_actions_of_either_memory_and_any_width_are_taken() -> None:
    one, other = pair(seed=2)
    rng = np.random.default_rng(1)
    for kind in (np.int8, np.int32, np.int64, np.uint16):
        actions = one.sample(rng).astype(kind)
        one.step(actions)
        other.step(cuda.to_device(actions) if kind != np.int32 else actions)
        assert picture(one) == picture(other)
    for wrong in (cuda.to_device(np.zeros(N)), cuda.to_device(np.zeros(N + 1, np.int64)), [[0] * N]):
        with pytest.raises(almunia.IllegalAction, match=r"takes 5 whole numbers, an array of shape \(5,\), not"):
            other.step(wrong)
    with pytest.raises(almunia.SetupError, match=r"`where` is an array of True and False of shape \(5,\), not int64"):
        other.reset(where=cuda.to_device(np.zeros(N, np.int64)))


def test_arrays_have_the_shapes_and_types_of_the_cpu() -> None:
    one, other = pair(seats=3, final_observations=True)
    for name in (*ARRAYS, "legal_actions", "action_masks", "observations", "final_observations"):
        assert (getattr(other, name).shape, getattr(other, name).dtype) == (
            getattr(one, name).shape,
            getattr(one, name).dtype,
        ), name
    with pytest.raises(almunia.SetupError, match="This batch writes no bits; make it with legal_as='bits'"):
        _ = other.packed_masks  # type: ignore[attr-defined]  # it is there, and refuses
    assert repr(other) == "<Batch of 5 games of highcard, 3 seats, on a graphics processor>"
    assert other.observe(2).to_state() == one.observe(2).to_state()


def test_threads_do_not_share_scratch_space() -> None:
    other: Any = GAME.batch(N, 3, device="cuda", opponents="greedy")
    kernels = simulated_backend(GAME).specialize(cuda_kernels)
    scratch, opponents = checked(other._scratches), checked(other._opponent_args[0])
    spaces = [(*kernels.scratch_of(i, scratch)[2:], *kernels.opponents_of(i, opponents)[2:]) for i in range(N)]
    arrays = [list(flat(space)) for space in spaces]
    assert len(arrays[0]) == 12
    for one, two in combinations(arrays, 2):
        assert not any(np.shares_memory(here, there) for here in one for there in two)


def flat(work: Any) -> Iterator[np.ndarray]:
    """Return the arrays in nested tuples as a flat sequence."""
    for part in work:
        if isinstance(part, tuple):
            yield from flat(part)
        else:
            yield part._array


@pytest.mark.parametrize("terms", [{}, {"legal_as": "lists"}, {"observe": False}])
def test_a_batch_travels(terms: dict[str, Any]) -> None:
    one, other = pair(seats=3, opponents="greedy", **terms)
    same_course(one, other, 4)
    for again in (copy.deepcopy(other), pickle.loads(pickle.dumps(other))):  # noqa: S301 - our own
        assert picture(again) == picture(other)
        same_course(copy.deepcopy(one), again, 4)
    other.close()


@pytest.mark.parametrize("terms", [{}, {"opponents": "greedy", "seat": "random"}, {"autoreset": False}])
def test_states_equal_those_on_the_cpu(terms: dict[str, Any]) -> None:
    one, other = pair(seats=3, reward="points", seed=4, **terms)
    same_course(one, other, 4)
    states = other.get_state()
    assert states == one.get_state()
    play = GAME.new(3, seed=5)
    for batch in (one, other):
        batch.set_state([3, 0, 1], [states[1], play, states[4]])
    assert picture(one) == picture(other)
    same_course(one, other, 4)
    clone = other.clone()
    same_course(one.clone(), clone, 4)
    again = GAME.batch(states=states, reward="points", device="cuda", **terms)
    assert again.get_state() == states


REFUSALS = [
    ({"threads": 2}, "has a thread for each game already: leave out `threads`"),
    ({"opponents": make("turn", GAME)}, "asks no bots in Python: opponents are 'random', 'greedy', or"),
    ({"legal_as": "words"}, "There is no format of legal actions 'words'"),
]


@pytest.mark.parametrize(("terms", "said"), REFUSALS)
def test_unsupported_arguments_are_refused(terms: dict[str, Any], said: str) -> None:
    with pytest.raises(almunia.SetupError, match=said):
        GAME.batch(N, device="cuda", **terms)


def test_the_plain_build_is_refused_on_a_device() -> None:
    with pytest.raises(almunia.SetupError, match="plain build of High Card does not compile; use the compiled one"):
        almunia.game("highcard", "plain").batch(N, device="cuda")


def test_the_device_benchmark_runs_on_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the benchmark on few games, since it has only ever run on the simulator."""
    for name in ("GPU_GAMES", "CORE_GAMES", "GPU_PLAYS", "CORE_PLAYS"):
        monkeypatch.setattr(benchmark, name, 3)
    monkeypatch.setattr(gpu, "Device", SimulatedDevice)
    monkeypatch.setattr(benchmark, "calibrate", lambda loop: loop(1) or 1)
    figures = list(benchmark.speeds(GAME, 1))
    assert len(figures) + 3 * len(benchmark.KERNELS) == benchmark.FIGURES_PER_GAME
    assert all(figure.value > 0 for figure in figures)
    rivals = ["on the device", "on one core"] * 4
    assert [figure.what.endswith(where) for figure, where in zip(figures, rivals, strict=True)] == [True] * 8


def test_random_plays_equal_those_on_the_cpu() -> None:
    ends, decisions = map(host, SimulatedDevice(GAME).random_plays(3, 3, 5, GAME.empty_state({})))
    out, rng, states = np.zeros(GAME.rules.ACTIONS, np.int32), np.zeros(4, np.int64), GAME.empty_state({})
    for i in range(3):
        GAME.kernel(generator).seed_rng(rng, 5 + i)
        states[0] = GAME.empty_state({})[0]
        assert GAME.loops.random_play(states, 3, 5 + i, rng, out, 1000) == decisions[i]
        assert states.tobytes() == ends[i].tobytes()


def test_legal_actions_equal_those_on_the_cpu() -> None:
    plays = [GAME.new(3, 6 + i) for i in range(2)]
    states = cuda.to_device(np.stack([play.array for play in plays]))
    lists = cuda.to_device(np.zeros((2, GAME.rules.ACTIONS), np.int32))
    SimulatedDevice(GAME).launch("legal", 2, states, lists)
    for i, play in enumerate(plays):
        assert tuple(host(lists)[i, : len(play.legal_actions)].tolist()) == play.legal_actions
