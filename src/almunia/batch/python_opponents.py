"""Opponents that choose outside the loop of a batch: each is asked, and the loop does what it has chosen."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..bots.base import Bot, StatefulBot
from ..core.kernels.batch_step import ANSWER, Games
from ..core.loaded import LoadedGame
from ..engine.state_dtype import copied
from ..errors import BotFailure
from ..play.play import Observation, number_of

B = TypeVar("B", bound=Bot)


class RowStepper(NamedTuple):
    """What answers in one thread. It holds no batch, and so keeps none alive."""

    game: LoadedGame
    games: Games  # where the games are
    given: Any  # (n,) int64, where answers go
    advance: Callable[..., Any]  # the loop
    part: Sequence[Any]  # what the loop is given: the same games and answers as the build wants them, and more

    def answer(self, row: int, action: int) -> None:
        """Do what an opponent has chosen in a row, and play on until somebody is asked."""
        self.given[row] = action
        self.games.slots["waiting"][row] = 0
        self.advance(ANSWER, row, row + 1, *self.part)


def blank_memories(n: int, bots: Sequence[StatefulBot | None]) -> npt.NDArray[np.int64]:
    """Room for what bots keep in so many games, int64 (n, bots, words): the deal it belongs to, and their memory."""
    return np.zeros((n, len(bots), 1 + max([0, *(len(bot.memory) for bot in bots if bot is not None)])), np.int64)


def named(game: LoadedGame, row: int, n: int) -> str:
    """Which of `n` games a message is about."""
    return f"{game.meta.title}, game {row} of the batch" if n > 1 else game.meta.title


class OpponentRunner(Generic[B]):
    """Asks opponents, in one thread: `bots` by their places after the learner's seat, None where somebody else asks."""

    def __init__(self, hand: RowStepper, bots: Sequence[B | None]) -> None:
        self._hand, self._bots, self._seats = hand, bots, len(bots) + 1
        self._turn, self._slots = hand.games.states["turn"], hand.games.slots
        self._waiting, self._own = self._slots["waiting"], self._slots["own"]

    def waits(self, row: int) -> bool:
        """Does a row wait for a bot of this one?"""
        return bool(self._waiting[row]) and self._bots[self._place(row)] is not None

    def _place(self, row: int) -> int:
        """The place of the opponent that a row waits for."""
        return (int(self._turn[row]) - int(self._own[row]) - 1) % self._seats

    def _bot(self, place: int) -> B:
        """The bot in a place that this one asks."""
        bot = self._bots[place]
        assert bot is not None
        return bot

    def ask(self, row: int) -> None:
        """Have the opponent choose that a row waits for; BotFailure if it chooses what it may not."""
        game, states, seat = self._hand.game, self._hand.games.states, int(self._turn[row])
        bot = self._bot(self._place(row))
        observation = Observation(game, copied(states[row : row + 1]), seat)
        try:
            answer = bot.choose(observation)
        except Exception as error:
            deal = f"seed {self._slots['seed'][row]}"
            error.add_note(f"It came of {bot!r} in {named(game, row, len(states))}, {deal}, seat {seat + 1}.")
            raise
        if (chosen := number_of(answer)) not in observation.legal_actions:
            where = f"{named(game, row, len(states))}: the opponent {bot!r} in seat {seat + 1}"
            raise BotFailure(f"{where} may not choose {answer!r}.")
        self._hand.answer(row, chosen)


class ThreadRunner(OpponentRunner[StatefulBot]):
    """Asks thinkers of its own, which find in `memories` what they know of a game.

    What they keep beside that, such as a search's tree, serves as long as a row is asked without a break: after one, a
    turn is over, for a learner was asked, or somebody else.
    """

    def __init__(self, hand: RowStepper, bots: Sequence[StatefulBot | None], memories: npt.NDArray[np.int64]) -> None:
        super().__init__(hand, bots)
        self._memories = memories
        self._ends = [0 if bot is None else 1 + len(bot.memory) for bot in bots]  # of their memories
        batch = *hand.part, hand.game.lend(memories)
        self._row_players = [bot and bot.row_player(*batch) for bot in bots]

    def serve(self, rows: deque[int]) -> None:
        """Ask in one row after the other, which threads share out, until each waits for a learner or somebody else."""
        while rows:
            try:
                row = rows.popleft()
            except IndexError:  # another thread was quicker
                return
            self._serve(row)

    def _serve(self, row: int) -> None:
        recalled = set[int]()
        while self.waits(row):
            place = self._place(row)
            if play := self._row_players[place]:
                play(place, row)
                continue
            self._recall(row, place, place in recalled)
            recalled.add(place)
            self.ask(row)
        for place in recalled:
            self._kept(row, place)[:] = self._bot(place).memory

    def _kept(self, row: int, place: int) -> npt.NDArray[np.int64]:
        """Where the memory of a bot is kept between its turns."""
        return self._memories[row, place, 1 : self._ends[place]]

    def _recall(self, row: int, place: int, recalled: bool) -> None:
        """Let a bot know what it kept of this game; one that has just been dealt begins with its seed."""
        dealt = self._slots["dealt"][row]
        if self._memories[row, place, 0] != dealt:
            self._memories[row, place, 0] = dealt
            self._bot(place).start(int(self._slots["bot_seed"][row]) ^ place)
        elif not recalled:
            self._bot(place).memory = self._kept(row, place)
