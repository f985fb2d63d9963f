"""Opponents that choose outside of a batch's loop, which leaves a row that waits for such an opponent."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..bots.base import BatchBot, StatefulBot
from ..core.english import pluralize
from ..core.kernels import batch_step
from ..core.kernels.batch_step import OPPONENT_STEP, BatchArrays
from ..core.loaded import LoadedGame
from ..core.workspaces import resolve_overload
from ..engine.state_dtype import copy_states
from ..errors import BotFailure
from ..play.play import Observation, action_code
from .buffers import as_array, zeros


def allocate_memories(n: int, bots: Sequence[StatefulBot | None]) -> npt.NDArray[np.int64]:
    """Return zeroed memories of bots in n plays, int64 (n, bots, 1 + longest): an episode, then the memory."""
    return np.zeros((n, len(bots), 1 + max([0, *(len(bot.memory) for bot in bots if bot is not None)])), np.int64)


def row_label(game: LoadedGame, row: int, n: int) -> str:
    return f"{game.meta.title}, game {row} of the batch" if n > 1 else game.meta.title


class OpponentRunner:
    """A runner of opponents outside of the loop, in one thread.

    A runner holds no reference to the batch, so that the batch can be garbage-collected.
    """

    def __init__(
        self,
        game: LoadedGame,
        arrays: BatchArrays,
        actions: Any,  # (n,) int64, the actions that the loop reads
        step_rows: Callable[..., Any],  # the loop
        loop_args: Sequence[Any],  # actions and arrays wrapped for the game's build, the thread's scratch, opponents
        bots: Sequence[Any],  # by slot; None for the slots of other runners
    ) -> None:
        self._game, self._actions, self._states, self._rows = game, actions, arrays.states, arrays.rows
        self._step_rows, self._loop_args, self._bots = step_rows, loop_args, bots
        self._turn, self._learner_seat = arrays.states["turn"], arrays.rows["learner_seat"]
        self._awaits = arrays.rows["awaits_opponent"]

    def is_mine(self, row: int) -> bool:
        return bool(self._awaits[row]) and self._bots[self._slot(row)] is not None

    def _slot(self, row: int) -> int:
        return (int(self._turn[row]) - int(self._learner_seat[row]) - 1) % (len(self._bots) + 1)

    def act(self, row: int) -> None:
        """Let the opponent that a row waits for choose, and step the row.

        Raise BotFailure for an illegal action. Other errors get a note that names the bot, the game and the seat.
        """
        seat, bot, label = (
            int(self._turn[row]),
            self._bots[self._slot(row)],
            row_label(self._game, row, len(self._rows)),
        )
        observation = Observation(self._game, copy_states(self._states[row : row + 1]), seat)
        try:
            answer = bot.choose(observation)
        except Exception as error:
            error.add_note(f"Raised by {bot!r} in {label}, seed {self._rows['seed'][row]}, seat {seat + 1}.")
            raise
        if (action := action_code(answer)) not in observation.legal_actions:
            raise BotFailure(f"{label}: the opponent {bot!r} in seat {seat + 1} may not choose {answer!r}.")
        self._actions[row], self._awaits[row] = action, 0
        self._step_rows(OPPONENT_STEP, row, row + 1, *self._loop_args)


class ThreadRunner(OpponentRunner):
    """A runner for the bots of one thread, each a `StatefulBot`. `memories` stores the bots' memories of each play.

    The runner keeps the other data of a bot, such as a search tree, only until the runner leaves the row. The runner
    leaves a row that waits for none of the runner's bots.
    """

    def __init__(self, memories: npt.NDArray[np.int64], *args: Any) -> None:
        super().__init__(*args)
        self._memories = memories
        self._ends = [0 if bot is None else 1 + len(bot.memory) for bot in self._bots]  # of the memories
        batch = *self._loop_args, self._game.wrap(memories)
        self._row_players = [bot and bot.row_player(*batch) for bot in self._bots]

    def run(self, rows: deque[int]) -> None:
        """Take rows from a shared queue, and play in each row until it waits for none of this runner's bots."""
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
            self._saved_memory(row, slot)[:] = self._bots[slot].memory

    def _saved_memory(self, row: int, slot: int) -> npt.NDArray[np.int64]:
        return self._memories[row, slot, 1 : self._ends[slot]]

    def _restore_memory(self, row: int, slot: int, is_restored: bool) -> None:
        """Restore a bot's memory of this play, unless `is_restored`. For a new play, start the bot from the seed."""
        episode = self._rows["episode"][row]
        if self._memories[row, slot, 0] != episode:
            self._memories[row, slot, 0] = episode
            self._bots[slot].start(int(self._rows["bot_seed"][row]) ^ slot)
        elif not is_restored:
            self._bots[slot].memory = self._saved_memory(row, slot)


class BatchRunner:
    """A runner of opponents with a method `choose_batch`. `bots` are by slot; None for the slots of other runners."""

    def __init__(
        self, game: LoadedGame, arrays: BatchArrays, actions: npt.NDArray[np.int64], bots: Sequence[BatchBot | None]
    ) -> None:
        self._game, self._actions, self._rows = game, actions, arrays.rows
        self._turn, self._learner_seat = arrays.states["turn"], arrays.rows["learner_seat"]
        self._awaits = arrays.rows["awaits_opponent"]
        self._bots = list({id(bot): bot for bot in bots if bot is not None}.values())
        numbers = [next((k for k, own in enumerate(self._bots) if own is bot), -1) for bot in bots]
        self._numbers = np.array([*numbers, -1])  # by slot, the index in `_bots`; the last is the learner's
        n = len(self._rows)
        self._indices = np.arange(n)
        self._observations = zeros((n, game.tensor_size), np.float32)
        self._masks, self._seats = zeros((n, game.rules.ACTIONS), np.bool_), zeros((n,), np.int8)
        masked, legal = np.zeros(1, game.rules.STATE), np.zeros(game.rules.ACTIONS, np.int32)
        parts = self._observations.view(game.tensor_dtype)[:, 0]
        outputs = masked, legal, self._observations, parts, self._masks.view(np.uint8), self._seats
        self._args = tuple(map(game.wrap, (arrays.states, *outputs)))
        rows = game.wrap(np.zeros(0, np.int64))
        self._write_views = resolve_overload(game.kernel(batch_step).write_views, rows, *self._args)

    def choose(self, waiting: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Let the bots choose for their rows among `waiting`. Return these rows, which then need an OPPONENT_STEP.

        Raise BotFailure for an illegal action or a wrong shape or type. Other errors get a note that names the bot. If
        a bot fails, no row has an action.
        """
        slots = (self._turn[waiting] - self._learner_seat[waiting] - 1) % len(self._numbers)
        numbers = self._numbers[slots]
        actions = np.zeros(len(waiting), np.int64)
        for number, bot in enumerate(self._bots):
            mine = numbers == number
            if mine.any():
                actions[mine] = self._ask(bot, waiting[mine])
        chosen = numbers >= 0
        rows = waiting[chosen]
        self._actions[rows], self._awaits[rows] = actions[chosen], 0
        return rows

    def _ask(self, bot: BatchBot, rows: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        self._write_views(self._game.wrap(rows), *self._args)
        k = len(rows)
        title = self._game.meta.title
        try:
            answer = bot.choose_batch(self._observations[:k], self._masks[:k], self._seats[:k])
        except Exception as error:
            error.add_note(f"Raised by {bot!r} in {title}, for {pluralize(k, 'game')}.")
            raise
        actions = as_array(answer)
        if actions.shape != (k,) or actions.dtype.kind not in "iu":
            raise BotFailure(
                f"{title}: the opponent {bot!r} has to choose {pluralize(k, 'whole number')}, an array of shape "
                f"({k},), not {type(answer).__name__} of {actions.dtype} and shape {actions.shape}."
            )
        is_action = (actions >= 0) & (actions < self._masks.shape[1])
        is_legal = is_action & self._masks[self._indices[:k], np.where(is_action, actions, 0)]
        if not is_legal.all():
            wrong = int(is_legal.argmin())
            label, seat = row_label(self._game, int(rows[wrong]), len(self._rows)), int(self._seats[wrong])
            raise BotFailure(f"{label}: the opponent {bot!r} in seat {seat + 1} may not choose {actions[wrong]}.")
        return actions
