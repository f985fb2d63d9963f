"""Many plays between bots, on as many threads as wanted, the same for the same seed."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bots.base import kind_of
from ..bots.choosing import STATES
from ..core import layout
from ..core.game import checked_seed
from ..core.options import read_options
from ..core.play import ranks
from ..errors import SetupError
from . import playing

if TYPE_CHECKING:
    from ..core.game import Game

LIMIT = 100_000  # decisions after which a play is stopped
CHUNK = 250  # plays between two reports of progress

Results = dict[str, np.ndarray]


def simulate(
    game: "Game",
    plays: int,
    seats: int | None = None,
    bots: Sequence[str] = ("random",),
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Results:
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
    blank = layout.blank(game.rules.STATE)
    for option, value in zip(game.meta.options, read_options(game.meta.options, options).values(), strict=True):
        blank[option.name] = option.store(value)
    seeds = play_seeds(checked_seed(seed), plays)
    columns = len(game.rules.SCORES)
    scores = np.zeros((plays, seats, columns), np.int64)
    endings, decisions = np.zeros(plays, np.int8), np.zeros(plays, np.int64)

    def run(start: int) -> int:
        part = slice(start, start + CHUNK)
        play_part(game, blank, seats, seeds[part], kinds, scores[part], endings[part], decisions[part])
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
    places = np.array([ranks(table) for table in scores], np.int8).reshape(plays, seats)
    return {
        "scores": scores[:, :, 0],
        "ranks": places,
        "seed": seeds[:, playing.PLAY_SEED],
        "decisions": decisions,
        "reason": endings,
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
    game: "Game", blank: np.ndarray, seats: int, seeds: np.ndarray, kinds: np.ndarray, *results: np.ndarray
) -> None:
    """Run some of the plays in the game's build, with scratch paper of their own."""
    states, seen = np.zeros(2, game.rules.STATE), np.zeros(STATES, game.rules.STATE)
    states[0] = blank[0]
    rng = np.zeros(4, np.int64)
    out, tries = (np.zeros(game.rules.ACTIONS, np.int32) for _ in range(2))
    table = np.zeros((game.meta.seats[1], len(game.rules.SCORES)), np.int64)
    lent = [game.lend(array) for array in (states, seen, seeds, kinds, rng, out, tries, table, *results)]
    play_many = game.kernel(playing).play_many
    play_many(*lent[:2], seats, *lent[2:8], LIMIT, *lent[8:])
