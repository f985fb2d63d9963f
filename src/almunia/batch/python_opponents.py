"""Opponents that choose in Python. The loop of a batch stops for them, and continues with the chosen action."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..bots.base import Bot, StatefulBot
from ..core.kernels.batch_step import OPPONENT_STEP, BatchArrays
from ..core.loaded import LoadedGame
from ..engine.state_dtype import copy_states
from ..errors import BotFailure
from ..play.play import Observation, action_code

B = TypeVar("B", bound=Bot)


class RowStepper(NamedTuple):
    """Steps rows for one thread. Does not reference the batch, so the batch can be garbage-collected."""

    game: LoadedGame
    arrays: BatchArrays
    actions: Any  # (n,) int64, the actions that the kernel reads
    step_rows: Callable[..., Any]
    loop_args: Sequence[Any]  # the same arrays wrapped for the game's build, the thread's scratch and opponents

    def step(self, row: int, action: int) -> None:
        """Apply an opponent's action in a row, and play on until a bot in Python or the learner must choose."""
        self.actions[row] = action
        self.arrays.rows["awaiting_python"][row] = 0
        self.step_rows(OPPONENT_STEP, row, row + 1, *self.loop_args)


def allocate_memories(n: int, bots: Sequence[StatefulBot | None]) -> npt.NDArray[np.int64]:
    """Return zeroed memories of bots in n games, int64 (n, bots, 1 + longest): an episode, then the memory."""
    return np.zeros((n, len(bots), 1 + max([0, *(len(bot.memory) for bot in bots if bot is not None)])), np.int64)


def row_label(game: LoadedGame, row: int, n: int) -> str:
    """Return the name of a row of a batch of n games for messages."""
    return f"{game.meta.title}, game {row} of the batch" if n > 1 else game.meta.title


class OpponentRunner(Generic[B]):
    """A runner that lets opponents choose in one thread. `bots` are by slot, None for the slots of other runners."""

    def __init__(self, stepper: RowStepper, bots: Sequence[B | None]) -> None:
        self._stepper, self._bots, self._seats = stepper, bots, len(bots) + 1
        self._turn, self._rows = stepper.arrays.states["turn"], stepper.arrays.rows
        self._awaiting, self._learner_seat = self._rows["awaiting_python"], self._rows["learner_seat"]

    def is_mine(self, row: int) -> bool:
        """Return whether a row waits for a bot of this runner."""
        return bool(self._awaiting[row]) and self._bots[self._slot(row)] is not None

    def _slot(self, row: int) -> int:
        """Return the slot of the opponent that a row waits for."""
        return (int(self._turn[row]) - int(self._learner_seat[row]) - 1) % self._seats

    def _bot(self, slot: int) -> B:
        bot = self._bots[slot]
        assert bot is not None  # by `is_mine`
        return bot

    def act(self, row: int) -> None:
        """Let the opponent that a row waits for choose and act. Raise BotFailure for an illegal action."""
        game, states, seat = self._stepper.game, self._stepper.arrays.states, int(self._turn[row])
        bot = self._bot(self._slot(row))
        observation = Observation(game, copy_states(states[row : row + 1]), seat)
        label = row_label(game, row, len(states))
        try:
            answer = bot.choose(observation)
        except Exception as error:
            error.add_note(f"It came of {bot!r} in {label}, seed {self._rows['seed'][row]}, seat {seat + 1}.")
            raise
        if (action := action_code(answer)) not in observation.legal_actions:
            raise BotFailure(f"{label}: the opponent {bot!r} in seat {seat + 1} may not choose {answer!r}.")
        self._stepper.step(row, action)


class ThreadRunner(OpponentRunner[StatefulBot]):
    """A runner for the bots of one thread. `memories` stores their memories of each game.

    Other data of a bot, such as a search tree, is kept only until its row waits for another opponent.
    """

    def __init__(
        self, stepper: RowStepper, bots: Sequence[StatefulBot | None], memories: npt.NDArray[np.int64]
    ) -> None:
        super().__init__(stepper, bots)
        self._memories = memories
        self._ends = [0 if bot is None else 1 + len(bot.memory) for bot in bots]  # of the memories
        batch = *stepper.loop_args, stepper.game.wrap(memories)
        self._row_players = [bot and bot.row_player(*batch) for bot in bots]

    def run(self, rows: deque[int]) -> None:
        """Take rows from a shared queue, and play in each row until it waits for the learner or another runner."""
        while rows:
            try:
                row = rows.popleft()
            except IndexError:  # another thread took the last row
                return
            self._run_row(row)

    def _run_row(self, row: int) -> None:
        restored = set[int]()
        while self.is_mine(row):
            slot = self._slot(row)
            if play := self._row_players[slot]:
                play(slot, row)
                continue
            self._restore_memory(row, slot, slot in restored)
            restored.add(slot)
            self.act(row)
        for slot in restored:
            self._saved_memory(row, slot)[:] = self._bot(slot).memory

    def _saved_memory(self, row: int, slot: int) -> npt.NDArray[np.int64]:
        """Return the memory of a bot in a row, as a view."""
        return self._memories[row, slot, 1 : self._ends[slot]]

    def _restore_memory(self, row: int, slot: int, is_restored: bool) -> None:
        """Restore a bot's memory of this game. In a new game, start the bot from the row's seed."""
        episode = self._rows["episode"][row]
        if self._memories[row, slot, 0] != episode:
            self._memories[row, slot, 0] = episode
            self._bot(slot).start(int(self._rows["bot_seed"][row]) ^ slot)
        elif not is_restored:
            self._bot(slot).memory = self._saved_memory(row, slot)
