"""A referee: plays one play between bots, keeps their time, and lets nobody spoil it for the others.

A bot that fails, by an error, an action that is not legal or running out of time, has lost: it
is ranked last, what went wrong stands in the row, and a random bot plays on in its seat.
"""

from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Self

from ..bots.base import Bot, close, get_ready
from ..bots.factory import make
from ..core.kernels.play import LIMIT
from ..errors import AlmuniaError
from ..library import game

if TYPE_CHECKING:
    from ..play.play import Observation, Play
    from .ledger import Key, Row


class Task(NamedTuple):
    """One play of a match, in plain words that can travel to another machine."""

    game: str
    options: dict[str, str]
    deal: int
    seed: int  # deals the cards
    bot_seed: int  # of the bots
    pairing: str
    bots: tuple[str, ...]

    @property
    def key(self) -> "Key":
        """Which play of its match this is."""
        return self.deal, self.pairing, self.bots


def play_task(task: Task) -> "Row":
    """Play once, and say what came of it."""
    play = game(task.game).start(len(task.bots), task.seed, task.options)
    with ExitStack() as stack:
        seats = [stack.enter_context(Seat(spec, play, task.bot_seed ^ seat)) for seat, spec in enumerate(task.bots)]
        while not play.over and len(play.actions) < LIMIT:
            seats[play.turn].act(play)
    faults = [seat.fault for seat in seats]
    return {
        "deal": task.deal,
        "pairing": task.pairing,
        "bots": list(task.bots),
        "seed": task.seed,
        "bot_seed": task.bot_seed,
        "scores": play.score_table()[:, 0].tolist(),
        "ranks": ranks_after(play.ranks(), faults),
        "decisions": len(play.actions),
        "ending": int(play.state.over),
        "seconds": [seat.seconds for seat in seats],
        "choices": [seat.choices for seat in seats],
        "faults": faults,
    }


def ranks_after(ranks: tuple[int, ...], faults: list[str]) -> list[int]:
    """Ranks once those who failed are last: they share what is left behind the others."""
    fair = [rank for rank, fault in zip(ranks, faults, strict=True) if not fault]
    return [
        1 + len(fair) if fault else 1 + sum(other < rank for other in fair)
        for rank, fault in zip(ranks, faults, strict=True)
    ]


def fault_of(error: Exception) -> str:
    """What went wrong with a bot, as a row of results says it."""
    return str(error) if isinstance(error, AlmuniaError) else f"{type(error).__name__}: {error}"


class Seat:
    """A bot in its seat, with the time it took and what it did wrong."""

    def __init__(self, spec: str, play: "Play", seed: int) -> None:
        self.spec, self._seats = spec, play.seats
        self.seconds, self.choices, self.fault = 0.0, 0, ""
        self._bot: Bot = make(spec, play.game, seed)
        self._substitute = make("random", play.game, seed)

    def act(self, play: "Play") -> None:
        """Choose and do an action."""
        observation = play.observe(play.turn)
        try:
            if not self.fault:
                play.apply(self._chosen(observation))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a bot, the others play on
            self.fault = fault_of(error)
        if self.fault:
            play.apply(self._substitute.choose(observation))

    def _chosen(self, observation: "Observation") -> int:
        """What the bot chooses, with its time running."""
        self.choices += len(observation.legal_actions) > 1
        start = perf_counter()
        try:
            return self._bot.choose(observation)
        finally:
            self.seconds += perf_counter() - start

    def __enter__(self) -> Self:
        """Get ready, before the time of the bot runs."""
        try:
            get_ready(self._bot, self._seats)
        except Exception as error:  # noqa: BLE001 - as above
            self.fault = fault_of(error)
        return self

    def __exit__(self, *_: object) -> None:
        """Let go what the bot holds."""
        close(self._bot)
