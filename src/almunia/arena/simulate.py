"""Many plays between bots, on as many threads as wanted, the same for the same seed."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bots.base import blank_paper, kind_of, lent_paper
from ..core.game import checked_seed
from ..core.layout import copied
from ..core.loops import LIMIT
from ..errors import SetupError
from . import playing
from .playing import Results

if TYPE_CHECKING:
    from ..core.game import Game

CHUNK = 250  # plays between two reports of progress


def simulate(
    game: "Game",
    plays: int,
    seats: int | None = None,
    bots: Sequence[str] = ("random",),
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> dict[str, np.ndarray]:
    """Play many times between bots.

    Args:
        game: what to play.
        plays: how often.
        seats: how many play; as many as there are bots if not given.
        bots: a spec for each seat, or one for all of them.
        seed: settles every play; play number i is the same however many there are.
        threads: how many run at a time; the results do not depend on it.
        progress: is told the number of plays done, every now and then.
        options: the game's options.

    Returns:
        arrays by play: `scores` and `ranks` (plays, seats), `seed` (plays,) to start the same
        deal with `game.new`, `decisions` (plays,), and `reason` (plays,), the game's number for
        how it ended.

    Raises:
        SetupError: anything the game or the bots do not take.
    """
    if plays < 0 or threads < 1:
        raise SetupError(f"{plays} plays on {threads} threads cannot be played; both must be positive.")
    seats = game.checked_seats(seats if seats is not None else max(len(bots), game.meta.seats[0]))
    kinds = np.array([kind_of(spec) for spec in specs_by_seat(bots, seats)], np.int64)
    blank = game.blank(options)
    seeds = play_seeds(checked_seed(seed), plays)
    results = Results(
        scores=np.zeros((plays, seats, len(game.rules.SCORES)), np.int64),
        ranks=np.zeros((plays, seats), np.int8),
        endings=np.zeros(plays, np.int8),
        decisions=np.zeros(plays, np.int64),
    )

    def run(start: int) -> int:
        part = slice(start, start + CHUNK)
        play_part(game, blank, seats, seeds[part], kinds, Results(*(array[part] for array in results)))
        return len(seeds[part])

    pool = ThreadPoolExecutor(threads)
    try:
        done = 0
        for finished in as_completed([pool.submit(run, start) for start in range(0, plays, CHUNK)]):
            done += finished.result()
            if progress:
                progress(done)
    finally:  # an interruption waits for the parts that have begun, and drops the others
        pool.shutdown(cancel_futures=True)
    return {
        "scores": results.scores[:, :, 0],
        "ranks": results.ranks,
        "seed": seeds[:, playing.PLAY_SEED],
        "decisions": results.decisions,
        "reason": results.endings,
    }


def specs_by_seat(bots: Sequence[str], seats: int) -> list[str]:
    """A spec for each seat."""
    if len(bots) not in (1, seats):
        raise SetupError(f"{len(bots)} bots cannot share {seats} seats; give one for all, or one for each.")
    return list(bots) * seats if len(bots) == 1 else list(bots)


def play_seeds(seed: int, plays: int) -> np.ndarray:
    """The seeds of each play and of its bots, int64 (plays, 2)."""
    return np.random.default_rng(seed).integers(0, 2**63, (plays, 2), np.int64)


def play_part(
    game: "Game", blank: np.ndarray, seats: int, seeds: np.ndarray, kinds: np.ndarray, results: Results
) -> None:
    """Run some of the plays in the game's build, with paper of their own."""
    states = np.concatenate([copied(blank), copied(blank)])
    lend = game.lend
    game.kernel(playing).play_many(
        lend(states),
        seats,
        lend(seeds),
        lend(kinds),
        lent_paper(game, blank_paper(game)),
        LIMIT,
        Results(*(lend(array) for array in results)),
    )
