"""A referee: plays one play between bots, keeps their time, and lets nobody spoil it for the others.

A bot that fails, by an error, an action that is not legal or running out of time, has lost: it
is ranked last, what went wrong stands in the row, and a random bot plays on in its seat.
"""

from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Self

from ..bots.base import Bot, get_ready, let_go, make
from ..core.game import game
from ..core.loops import LIMIT
from ..errors import AlmuniaError, BotFailure

if TYPE_CHECKING:
    from ..core.play import Observation, Play
    from .ledger import Key, Row


class Task(NamedTuple):
    """One play of a match, in plain words that can travel to another machine."""

    game: str
    options: dict[str, str]
    deal: int
    seed: int  # deals the cards
    luck: int  # of the bots
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
        seats = [stack.enter_context(Seat(spec, play, task.luck ^ seat)) for seat, spec in enumerate(task.bots)]
        while not play.over and len(play.actions) < LIMIT:
            seats[play.turn].act(play)
    faults = [seat.fault for seat in seats]
    return {
        "deal": task.deal,
        "pairing": task.pairing,
        "bots": list(task.bots),
        "seed": task.seed,
        "luck": task.luck,
        "scores": play.standing()[:, 0].tolist(),
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
        if not self.fault and self._asked(play, observation):
            return
        play.apply(self._substitute.choose(observation))

    def _asked(self, play: "Play", observation: "Observation") -> bool:
        """Let the bot act; False if it failed."""
        start = perf_counter()
        try:
            play.apply(self._bot.choose(observation))
        except AlmuniaError as error:
            self.fault = str(error)
        self.seconds += perf_counter() - start
        self.choices += len(observation.legal) > 1
        return not self.fault

    def __enter__(self) -> Self:
        """Get ready, before the time of the bot runs."""
        try:
            get_ready(self._bot, self._seats)
        except BotFailure as failure:
            self.fault = str(failure)
        return self

    def __exit__(self, *_: object) -> None:
        """Let go what the bot holds."""
        let_go(self._bot)
