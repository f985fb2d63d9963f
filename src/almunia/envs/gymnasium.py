"""Games as environments of Gymnasium: `gymnasium.make("almunia/oregon-v1")`, after importing this module.

The import registers every game as `almunia/NAME-vVERSION`, with the version of its rules. The module needs the
extra `gymnasium`.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..batch.batch import Batch
from ..batch.opponents import NO_OPPONENTS, checked_seat
from ..bots.base import BatchBot, Bot
from ..bots.factory import parse_spec
from ..catalog import all_games
from ..core.contract import NONE, TENSOR_BOUND
from ..core.loaded import Build
from ..core.options import read_options
from ..errors import IllegalAction, MissingExtra, SetupError
from ..library import Game, game
from ..play.play import Play, action_code
from ..validation import MAX_SEED, check_flag, check_int, check_one_of
from . import env_id
from .rendering import MODES, VECTOR_MODES, checked_mode, render

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise MissingExtra.named("almunia.envs.gymnasium needs", missing.name, "gymnasium") from None

Floats = npt.NDArray[np.float32]
Bots = str | Bot | BatchBot | Sequence[str | Bot | BatchBot]


class GameEnv(gymnasium.Env[Floats, int]):
    """One seat of a game, with bots in the other seats.

    Observations are float32 (game.tensor_size,). `info["action_mask"]`, int8 (actions,), marks the legal actions for
    `action_space.sample`. `action_masks()` returns the mask for sb3-contrib. At the end of a game all actions are
    marked, because a policy computes NaN from an empty mask. `info["seat"]` is the seat, from 0.

    Args:
        name: the name of the game.
        seats: number of seats; by default the fewest that the game allows.
        opponents: a bot for all other seats, or a bot for each, in turn order after the learner's seat. A bot is a spec
            for `almunia.bots.make`, or an object with a method choose_batch(observations, masks, seats), for all games
            at once, or choose(observation). `random` and `greedy` are the fastest by far.
        seat: the seat of the learner; "random" draws it for each game.
        reward: a convention of `almunia.batch.rewards`; by default "rank" for several seats, "points" for one.
        illegal: effect of an illegal action: "error" raises IllegalAction and changes nothing, "penalty" ends the game,
            "random" replaces the action by a random legal action.
        penalty: the reward for an illegal action that ends the game.
        render_mode: one of `almunia.envs.rendering.MODES`.
        build: the build of the rules.
        options: the options of the game, by name.

    Raises:
        SetupError: arguments that the game, the bots or a batch do not accept.
        BotFailure: an opponent that is a program cannot start, or fails before the first turn of this seat.
    """

    metadata = {"render_modes": list(MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        name: str,
        seats: int | None = None,
        *,
        opponents: Bots = "greedy",
        seat: int | Literal["random"] = 0,
        reward: str | None = None,
        illegal: Literal["error", "penalty", "random"] = "error",
        penalty: float = -1.0,
        render_mode: str | None = None,
        build: Build = "compiled",
        **options: Any,
    ) -> None:
        self.game, self.render_mode = game(name, build), checked_mode(render_mode)
        options = read_options(self.game.meta.options, options, GameEnv)
        settings = {"autoreset": False, "reward": reward, "illegal": illegal, "penalty": penalty}
        self._set_batch(make_batch(self.game, 1, seats, opponents, seat, settings | options))
        self._action, self._illegal = np.zeros(1, np.int64), illegal
        self._running, self._closed = False, False
        self.observation_space, self.action_space = spaces_of(self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Deal a new game, and return observation and info. A seed also determines all later resets without a seed.

        Raise SetupError if the environment has been closed, and BotFailure if an opponent fails. Gymnasium raises an
        error of its own for a seed that is negative or no integer.
        """
        require_open(self.game, self._closed)
        super().reset(seed=seed)
        self._batch.reset(seed=int(self.np_random.integers(MAX_SEED)))
        self._running = True
        return self._observe()

    def step(self, action: int) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Apply an action, let the opponents play until this seat's next turn, and return the results.

        Raises:
            IllegalAction: the action is illegal and `illegal` is "error", or no game is running.
            SetupError: the environment has been closed.
            BotFailure: an opponent chose an illegal action, or its program failed.
        """
        if not self._running:
            require_open(self.game, self._closed)
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")
        code = action_code(action)
        if code == NONE and self._illegal == "error":
            last = self.game.rules.ACTIONS - 1
            raise IllegalAction(f"{self.game.meta.title}: an action is a number from 0 to {last}, not {action!r}.")
        self._action[0] = code
        self._batch.step(self._action)
        ended = bool(self._done[0])
        self._running = not ended
        observation, info = self._observe()
        return observation, float(self._rewards[self._seat[0]]), ended, False, info

    def _set_batch(self, batch: Batch) -> None:
        self._batch = batch
        self._observation, self._mask = batch.observations[0], batch.action_masks[0].view(np.int8)
        self._rewards, self._seat, self._done = batch.rewards[0], batch.current_seats, batch.done

    def _observe(self) -> tuple[Floats, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        return self._observation.copy(), {"action_mask": self._mask.copy(), "seat": np.int64(self._seat[0])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_batch(self._batch)  # the arrays of the copied batch

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the mask of the legal actions, bool (actions,)."""
        return self._batch.action_masks[0].copy()

    def render(self) -> Any:
        """Render the observation of this seat, with the results and errors of `rendering.render`."""
        return render(self._batch.observe(0), self.render_mode)

    def close(self) -> None:
        """Close the environment, and the opponents that were made from specs."""
        self._running, self._closed = False, True
        self._batch.close()

    @property
    def play(self) -> Play:
        """An independent play in this position, with hidden information and without a record, for analysis."""
        return self._batch.play(0)


class GameVectorEnv(gymnasium.vector.VectorEnv[Floats, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games that are stepped together in machine code. `gymnasium.make_vec` makes such an environment.

    By default a game that ends is replaced in the same step (`AutoresetMode.SAME_STEP`). Then rows with
    `infos["_final_obs"]` have the last observation in `infos["final_obs"]`, and its mask and seat in
    `infos["final_info"]`. With `NEXT_STEP` the last observation is returned, with a mask of ones, and the next step
    deals and ignores the action. With `DISABLED`, games that have ended wait for a reset with `options["reset_mask"]`.
    `infos["action_mask"]` is int8 (num_envs, actions), `infos["seat"]` int64 (num_envs,).

    Args:
        num_envs: number of games.
        threads: number of threads.
        copy: whether each step returns new arrays. If not, the next step overwrites the arrays, which is faster.
        autoreset_mode: one of `gymnasium.vector.AutoresetMode` or its value.
        max_episode_steps: number of this seat's decisions after which a game is truncated; None for no limit.
            `gymnasium.make_vec` gives the limit of the spec, which no game reaches.
        render_mode: one of `almunia.envs.rendering.VECTOR_MODES`.
        options: other arguments of `GameEnv`, and the game's options by name.
    """

    metadata = {  # noqa: RUF012 - Gymnasium's
        "render_modes": list(VECTOR_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,  # the default
    }

    def __init__(
        self,
        name: str,
        seats: int | None = None,
        *,
        num_envs: int = 1,
        threads: int = 1,
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        opponents: Bots = "greedy",
        seat: int | Literal["random"] = 0,
        reward: str | None = None,
        illegal: Literal["error", "penalty", "random"] = "error",
        penalty: float = -1.0,
        render_mode: str | None = None,
        build: Build = "compiled",
        **options: Any,
    ) -> None:
        self.game, self.num_envs = game(name, build), num_envs
        self.render_mode = checked_mode(render_mode, VECTOR_MODES)
        options = read_options(self.game.meta.options, options, GameVectorEnv)
        self._copy = check_flag("copy", copy)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        check_one_of("autoreset mode", mode, [known.value for known in AutoresetMode])
        self.autoreset_mode = AutoresetMode(mode)  # TorchRL reads this attribute
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        same = self.autoreset_mode == AutoresetMode.SAME_STEP
        settings = {"threads": threads, "reward": reward, "illegal": illegal, "penalty": penalty}
        settings |= {"autoreset": same, "final_observations": same}
        self._batch = make_batch(self.game, num_envs, seats, opponents, seat, settings | options)
        self._rows, self._is_reset = np.arange(num_envs), False
        limit = max_episode_steps
        self._max_steps = inf if limit is None else check_int("steps in an episode", limit, 1)
        self._clock, self._next_check = 0, self._max_steps  # steps of all games; no game is truncated before
        self._starts = np.zeros(num_envs, np.int64)  # the clock at the start of each game
        self._truncated = np.zeros(num_envs, np.bool_)  # games that wait for a reset
        self.single_observation_space, self.single_action_space = spaces_of(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Deal all games, or the games of `options["reset_mask"]`, and return observations and infos.

        Gymnasium raises an error of its own for a negative seed.

        Raises:
            SetupError: a seed that is no integer, a seed together with a mask, a mask of a wrong shape or type, options
                that are no dictionary, or the environment has been closed.
            IllegalAction: a mask before the first reset of all games.
            BotFailure: an opponent failed before the first turn of the learner.
        """
        require_open(self.game, self.closed)
        if not isinstance(options, Mapping | None):
            raise SetupError(f"The options of a reset are a dictionary with 'reset_mask', not {options!r}.")
        where = (options or {}).get("reset_mask")
        if seed is not None and not isinstance(seed, int | np.integer):
            raise SetupError(f"All games of {self.game.meta.title} take one seed, an integer, not {seed!r}.")
        if where is not None and seed is not None:
            raise SetupError("A seed deals all games again: leave out options['reset_mask'], or the seed.")
        if where is not None:
            self._require_reset()
        super().reset(seed=seed)
        if where is None:
            self._batch.reset(seed=int(self.np_random.integers(MAX_SEED)))
        else:
            self._batch.reset(where=where)
        restarted = slice(None) if where is None else where
        self._starts[restarted], self._truncated[restarted] = self._clock, False
        self._is_reset = True
        return self._maybe_copy(self._batch.observations), self._infos()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Step all games, and return the results.

        Raise the errors of `GameEnv.step`, and IllegalAction for a wrong shape or type.
        """
        require_open(self.game, self.closed)
        self._require_reset()
        batch, seats = self._batch, self._batch.current_seats.copy()  # the learner's, before new games begin
        mode = self.autoreset_mode
        if mode == AutoresetMode.NEXT_STEP and (over := batch.done | self._truncated).any():
            batch.step(actions, where=~over)
            batch.reset(where=over)
            self._starts[over] = self._clock + 1
        else:
            self._require_none_truncated()
            batch.step(actions)
        self._clock += 1
        rewards = batch.rewards[self._rows, seats]
        truncated = self._find_truncated()
        final_infos = {}
        if mode != AutoresetMode.SAME_STEP:
            self._truncated = truncated.copy()
        elif batch.done.any() or truncated.any():
            final_infos = self._final_infos(seats, truncated)
            self._starts[batch.done | truncated] = self._clock
            if truncated.any():
                batch.reset(where=truncated)
        done, observations = self._maybe_copy(batch.done), self._maybe_copy(batch.observations)
        return observations, rewards, done, truncated, self._infos() | final_infos

    def _find_truncated(self) -> npt.NDArray[np.bool_]:
        """Return the games that have not ended, but reached the limit of steps, bool (num_envs,), in a new array."""
        if self._clock < self._next_check:  # saves a tenth of a step
            return np.zeros(self.num_envs, np.bool_)
        self._next_check = max(self._clock + 1, self._starts.min() + self._max_steps)
        return (self._clock - self._starts >= self._max_steps) & ~self._batch.done

    def _require_reset(self) -> None:
        if not self._is_reset:
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")

    def _require_none_truncated(self) -> None:
        if self.autoreset_mode == AutoresetMode.DISABLED and self._truncated.any():
            row = int(self._truncated.argmax())
            raise IllegalAction(
                f"{self.game.meta.title}, game {row} has been truncated: begin the next with "
                "reset(options={'reset_mask': truncated})."
            )

    def _final_infos(self, seats: npt.NDArray[np.int8], truncated: npt.NDArray[np.bool_]) -> dict[str, Any]:
        batch, last = self._batch, np.full(self.num_envs, None, object)
        over = batch.done | truncated
        for row in over.nonzero()[0].tolist():
            last[row] = (batch.observations if truncated[row] else batch.final_observations)[row].copy()
        masks = np.zeros((self.num_envs, self.game.rules.ACTIONS), np.int8)
        masks[batch.done] = 1  # as `GameEnv` does
        masks[truncated] = batch.action_masks[truncated]
        final_info = {"action_mask": masks, "_action_mask": over.copy()}
        final_info |= {"seat": np.where(over, seats, 0).astype(np.int64), "_seat": over.copy()}
        return {"final_obs": last, "_final_obs": over.copy(), "final_info": final_info, "_final_info": over.copy()}

    def _maybe_copy(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.copy() if self._copy else array

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._maybe_copy(self._batch.action_masks.view(np.int8)),
            "_action_mask": np.ones(self.num_envs, np.bool_),
            "seat": self._batch.current_seats.astype(np.int64),
            "_seat": np.ones(self.num_envs, np.bool_),
        }

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the masks of the legal actions, bool (num_envs, actions)."""
        return self._batch.action_masks.copy()

    def render(self) -> tuple[Any, ...]:
        """Return the rendered observation of each game. Raise the errors of `rendering.render`."""
        return tuple(render(self._batch.observe(row), self.render_mode) for row in range(self.num_envs))

    def close_extras(self) -> None:
        """Stop the threads, and close the opponents that were made from specs."""
        self._batch.close()


def make_batch(
    game: Game, n: int, seats: int | None, opponents: Any, seat: int | Literal["random"], settings: Mapping[str, Any]
) -> Batch:
    """Return a batch of `n` games with bots in all seats but the learner's; without bots in games of one seat.

    Raise SetupError for arguments that the game, the bots or a batch do not accept.
    """
    count = game.check_seats(seats)
    if count > 1:
        return game.batch(n, count, opponents=opponents, seat=seat, **settings)
    if isinstance(opponents, str):
        parse_spec(opponents, game)
    elif isinstance(opponents, Sequence) and opponents:
        raise SetupError(NO_OPPONENTS)
    checked_seat(seat, 1, has_opponents=True)  # the seat that other seat counts would take
    return game.batch(n, count, **settings)


def require_open(game: Game, closed: bool) -> None:
    if closed:
        raise SetupError(f"This environment of {game.meta.title} has been closed: make another one.")


def spaces_of(game: Game) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    bound = np.float32(TENSOR_BOUND)
    return Box(-bound, bound, (game.tensor_size,), np.float32), Discrete(game.rules.ACTIONS)


def register() -> None:
    for meta in all_games(toys=True):
        name = env_id(meta.name)
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__name__}:GameEnv",
                vector_entry_point=f"{__name__}:GameVectorEnv",
                max_episode_steps=meta.decisions,
                kwargs={"name": meta.name},
            )


register()
