"""One play of a match, with the time that every bot takes.

A bot fails by an error, an illegal action, or an exceeded time limit. A bot that fails is ranked last, the row has the
reason, and a random bot takes over its seat.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from time import perf_counter
from typing import NamedTuple, Self

from ..bots.factory import make
from ..core.kernels.play import MAX_DECISIONS
from ..core.weights import AnyWeights
from ..engine.pool import check_stop
from ..engine.state_dtype import copy_states
from ..errors import AlmuniaError
from ..library import game
from ..play.play import ClairvoyantObservation, Observation, Play
from .agents import Agent
from .ledger import Key, Row


class Task(NamedTuple):
    """One play of a match, as plain data that can be sent to another machine."""

    game: str
    options: dict[str, str]
    deal: int
    seed: int  # of the cards
    bot_seed: int  # of the bots
    pairing: str
    bots: tuple[str, ...]  # names by seat: specs, agents as `name@hash`, or keys of `weighted`

    @property
    def key(self) -> Key:
        return self.deal, self.pairing, self.bots


def observe_decisions(play: Play, clairvoyant: bool = False) -> Iterator[Observation]:
    """Yield the observation of the seat to move at every decision, until the play ends or has MAX_DECISIONS actions.

    The caller applies an action after each observation. If `clairvoyant`, nothing is hidden in the observations.
    """
    while not play.over and len(play.actions) < MAX_DECISIONS:
        check_stop()
        yield reveal_all(play) if clairvoyant else play.observe(play.turn)


def reveal_all(play: Play) -> Observation:
    return ClairvoyantObservation(play.game, copy_states(play.array), play.turn)


def run_task(
    task: Task, agents: Mapping[str, Agent], weighted: Mapping[str, tuple[str, AnyWeights]] | None = None
) -> Row:
    """Play a task once, and return its row for the ledger.

    `agents` has the agents of the match by `name@hash`, and `weighted` the spec and the weights of other names.
    """
    play = game(task.game).start(len(task.bots), task.seed, task.options)
    players = [(weighted or {}).get(name, (name, None)) for name in task.bots]
    with ExitStack() as stack:
        seats = [
            stack.enter_context(BotSeat(agents.get(bot, bot), weights, play, task.bot_seed ^ seat))
            for seat, (bot, weights) in enumerate(players)
        ]
        for observation in observe_decisions(play):
            seats[play.turn].act(play, observation)
    faults = [seat.fault for seat in seats]
    return {
        "deal": task.deal,
        "pairing": task.pairing,
        "bots": list(task.bots),
        "seed": task.seed,
        "bot_seed": task.bot_seed,
        "scores": play.score_table()[:, 0].tolist(),
        "ranks": ranks_with_forfeits(play.ranks(), faults),
        "decisions": len(play.actions),
        "ending": int(play.state.over),
        "seconds": [seat.seconds for seat in seats],
        "choices": [seat.choices for seat in seats],
        "faults": faults,
    }


def ranks_with_forfeits(ranks: tuple[int, ...], faults: list[str]) -> list[int]:
    """Return the ranks by seat. Bots that failed share the rank after all others."""
    fair = [rank for rank, fault in zip(ranks, faults, strict=True) if not fault]
    return [
        1 + len(fair) if fault else 1 + sum(other < rank for other in fair)
        for rank, fault in zip(ranks, faults, strict=True)
    ]


def describe_fault(error: Exception) -> str:
    return str(error) if isinstance(error, AlmuniaError) else f"{type(error).__name__}: {error}"


class BotSeat:
    def __init__(self, bot: str | Agent, weights: AnyWeights | None, play: Play, seed: int) -> None:
        self._seats = play.seats
        self.seconds, self.choices, self.fault = 0.0, 0, ""
        self._bot = make(bot, play.game, seed, weights=weights) if isinstance(bot, str) else bot
        self._substitute = make("random", play.game, seed)

    def act(self, play: Play, observation: Observation) -> None:
        """Apply the bot's choice. If the bot fails or has failed, store the reason and apply a random action."""
        try:
            if not self.fault:
                play.apply(self._choose(observation))
        except Exception as error:  # noqa: BLE001 - an error of a bot must not stop the other bots
            self.fault = describe_fault(error)
        if self.fault:
            play.apply(self._substitute.choose(observation))

    def _choose(self, observation: Observation) -> int:
        """Return the bot's choice. Unless the move is forced, count the choice and its time."""
        is_choice = len(observation.legal_actions) > 1
        start = perf_counter()
        try:
            return self._bot.choose(observation)
        finally:
            self.choices += is_choice
            self.seconds += is_choice * (perf_counter() - start)

    def __enter__(self) -> Self:
        """Prepare the bot before its time is measured, store the reason if the bot fails, and return the seat."""
        try:
            self._bot.prepare(self._seats)
        except Exception as error:  # noqa: BLE001 - as above
            self.fault = describe_fault(error)
        return self

    def __exit__(self, *_: object) -> None:
        self._bot.close()
