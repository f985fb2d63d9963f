"""Games as environments of Gymnasium: `gymnasium.make("almunia/oregon-v1")`, once this module has been imported.

Every game is registered under `almunia/NAME-vVERSION`, with the version of its rules. It needs the extra `gymnasium`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..batch.batch import Batch
from ..batch.opponents import checked_seat
from ..bots.base import Bot
from ..bots.factory import parsed
from ..catalog import all_games
from ..core.contract import TENSOR_BOUND
from ..core.loaded import Build
from ..core.options import read_options
from ..errors import IllegalAction, MissingExtra, SetupError, one_of
from ..library import Game, game
from ..play.play import Play
from ..validation import MAX_SEED, checked_flag, index_of
from .ids import id_of
from .rendering import MODES, checked_mode, rendered

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise MissingExtra.named("almunia.envs.gymnasium needs", missing.name, "gymnasium") from None

Floats = npt.NDArray[np.float32]
Bots = str | Bot | Sequence[str | Bot]


class GameEnv(gymnasium.Env[Floats, int]):
    """One seat of a game. Bots play the others, if there are any.

    It observes float32 of shape (game.tensor_size,). `info["action_mask"]` says what is legal, int8 of shape
    (actions,), as `action_space.sample` takes it, and so does `action_masks()`, as sb3-contrib does; at the end it is
    all ones, for a policy that chooses from nothing computes NaN. `info["seat"]` is the seat, from 0.

    Args:
        name: the game's.
        seats: how many play; the fewest the game allows if not given.
        opponents: a bot for all other seats, or one for each in turn from this one on: specs as `almunia.bots.make`
            takes them, or anything with a method choose(observation). `random` and `greedy` are fastest by far.
        seat: which one this is; "random" draws it for each game.
        reward: a convention of `almunia.batch.rewards`; if not given, "rank" among several seats, "points" for one.
        illegal: what an illegal action does. "error" raises IllegalAction and changes nothing, "penalty" ends the
            game, "random" does a legal action at random instead.
        penalty: the reward for a game that ended so.
        render_mode: one of `almunia.envs.rendering.MODES`.
        build: of the game's rules.
        options: the game's options by name.

    Raises:
        SetupError: anything the game, the bots or a batch do not take.
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
        read_options(self.game.meta.options, options, GameEnv)
        table = Table(self.game, seats, opponents, seat)
        self._keep(table.batch(1, autoreset=False, reward=reward, illegal=illegal, penalty=penalty, **options))
        self._action, self._running, self._closed = np.zeros(1, np.int64), False, False
        self.observation_space, self.action_space = spaces_of(self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Deal anew. A seed settles this deal, and those of all resets without one that follow."""
        check_open(self.game, self._closed)
        super().reset(seed=seed)
        self._batch.reset(seed=int(self.np_random.integers(MAX_SEED)))
        self._running = True
        return self._seen()

    def step(self, action: int) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Do an action, and let the others play until this seat is asked again.

        IllegalAction for what it may not choose, if that is an error, and where no game is going on; SetupError for
        an environment that has been closed.
        """
        if not self._running:
            check_open(self.game, self._closed)
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")
        try:
            self._action[0] = number_of(action)
        except (TypeError, OverflowError):
            most = self.game.rules.ACTIONS - 1
            raise IllegalAction(
                f"{self.game.meta.title}: an action is a number from 0 to {most}, not {action!r}."
            ) from None
        self._batch.step(self._action)
        ended = bool(self._done[0])
        self._running = not ended
        observation, info = self._seen()
        return observation, float(self._rewards[self._own[0]]), ended, False, info

    def _keep(self, batch: Batch) -> None:
        """Keep the game and its arrays at hand."""
        self._batch = batch
        self._observation, self._mask = batch.observations[0], batch.masks[0].view(np.int8)
        self._rewards, self._own, self._done = batch.rewards[0], batch.own, batch.done

    def _seen(self) -> tuple[Floats, dict[str, Any]]:
        """Return the observation, and the mask in an array of its own; TorchRL wants a dtype of the seat, too."""
        if self.render_mode == "human":
            self.render()
        return self._observation.copy(), {"action_mask": self._mask.copy(), "seat": np.int64(self._own[0])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._keep(self._batch)  # a copy has arrays of its own

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, bool of shape (actions,)."""
        return self._batch.masks[0].copy()

    def render(self) -> Any:
        """The position as this seat sees it, in the render mode; MissingExtra without its packages."""
        return rendered(self._batch.observe(0), self.render_mode)

    def close(self) -> None:
        """End the environment, and the bots that are programs of their own."""
        self._running, self._closed = False, True
        self._batch.close()

    @property
    def play(self) -> Play:
        """A play of its own in this position, with all that is hidden: for words and analysis."""
        return self._batch.play(0)


class GameVectorEnv(gymnasium.vector.VectorEnv[Floats, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games side by side in machine code; `gymnasium.make_vec` makes it, and `GameEnv` says what can be set.

    Games that end are followed by others in the same step (`AutoresetMode.SAME_STEP`): `infos["final_obs"]` has what
    was seen last of them, where `infos["_final_obs"]` is true, and `infos["final_info"]` the mask, which is all ones at
    the end. With `NEXT_STEP` what was seen last is the observation, with a mask of ones, and the next step deals,
    whatever the action. With `DISABLED` games that have ended wait for a reset with `options["reset_mask"]`.
    `infos["action_mask"]` is int8 of shape (num_envs, actions), `infos["seat"]` int64 of shape (num_envs,).

    Args:
        num_envs: how many games.
        threads: how many share them.
        copy: does each step return arrays of its own? Else the next step writes into the same ones, which is faster.
        autoreset_mode: what follows on the end of a game, one of `gymnasium.vector.AutoresetMode` or its value.
        options: what else `GameEnv` takes, and the game's options by name.
    """

    metadata = {  # noqa: RUF012 - Gymnasium's
        "render_modes": ["ansi", "svg", "rgb_array"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,  # if nothing else is said
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
        opponents: Bots = "greedy",
        seat: int | Literal["random"] = 0,
        reward: str | None = None,
        illegal: Literal["error", "penalty", "random"] = "error",
        penalty: float = -1.0,
        render_mode: str | None = None,
        build: Build = "compiled",
        **options: Any,
    ) -> None:
        self.game, self.render_mode, self.num_envs = game(name, build), checked_mode(render_mode), num_envs
        read_options(self.game.meta.options, options, GameVectorEnv)
        self._copy = checked_flag("copy", copy)
        self.autoreset_mode = checked_mode_of_reset(autoreset_mode)  # where TorchRL looks for it
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        same = self.autoreset_mode == AutoresetMode.SAME_STEP
        terms = {"threads": threads, "reward": reward, "illegal": illegal, "penalty": penalty}
        terms |= {"autoreset": same, "finals": same}
        self._batch = Table(self.game, seats, opponents, seat).batch(num_envs, **terms, **options)
        self._rows, self._begun = np.arange(num_envs), False
        self.single_observation_space, self.single_action_space = spaces_of(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Deal anew in all games, or where `options["reset_mask"]` says.

        SetupError for a seed for each game, or one for some games; IllegalAction if there is nothing yet to go on
        beside those that are dealt.
        """
        check_open(self.game, self.closed)
        if not isinstance(options, Mapping | None):
            raise SetupError(f"The options of a reset are a dictionary with 'reset_mask', not {options!r}.")
        where = (options or {}).get("reset_mask")
        if seed is not None and not isinstance(seed, int | np.integer):
            raise SetupError(f"One seed settles all games of {self.game.meta.title}; not {seed!r}.")
        if where is not None and seed is not None:
            raise SetupError("A seed begins all games anew: leave out options['reset_mask'], or the seed.")
        if where is not None:
            self._check_begun()
        super().reset(seed=seed)
        if where is None:
            self._batch.reset(seed=int(self.np_random.integers(MAX_SEED)))
        else:
            self._batch.reset(where=where)
        self._begun = True
        return self._own(self._batch.observations), self._infos()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Do an action in each game; IllegalAction says which is not legal, if that is an error."""
        check_open(self.game, self.closed)
        self._check_begun()
        batch, own = self._batch, self._batch.own.copy()  # before other games begin
        over = batch.done.copy()
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and over.any():
            batch.step(actions, where=~over)
            batch.reset(where=over)
        else:
            batch.step(actions)
        rewards = batch.rewards[self._rows, own]
        infos = self._infos()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and batch.done.any():
            infos |= self._finals(own)
        return self._own(batch.observations), rewards, self._own(batch.done), np.zeros(self.num_envs, np.bool_), infos

    def _check_begun(self) -> None:
        if not self._begun:
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")

    def _finals(self, own: npt.NDArray[np.int8]) -> dict[str, Any]:
        """What the games that have just ended left to whoever had these seats: as Gymnasium's own vectors tell it."""
        done, last = self._batch.done, np.full(self.num_envs, None, object)
        for row in done.nonzero()[0].tolist():
            last[row] = self._batch.final_observations[row].copy()
        masks = np.zeros((self.num_envs, self.game.rules.ACTIONS), np.int8)
        masks[done] = 1  # as at the end of all games
        final_info = {"action_mask": masks, "_action_mask": done.copy()}
        final_info |= {"seat": np.where(done, own, 0).astype(np.int64), "_seat": done.copy()}
        return {"final_obs": last, "_final_obs": done.copy(), "final_info": final_info, "_final_info": done.copy()}

    def _own(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.copy() if self._copy else array

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._own(self._batch.masks.view(np.int8)),
            "_action_mask": np.ones(self.num_envs, np.bool_),
            "seat": self._batch.own.astype(np.int64),
            "_seat": np.ones(self.num_envs, np.bool_),
        }

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, bool of shape (num_envs, actions)."""
        return self._batch.masks.copy()

    def render(self) -> tuple[Any, ...]:
        """Each position as its seat sees it, in the render mode; MissingExtra without its packages."""
        return tuple(rendered(self._batch.observe(row), self.render_mode) for row in range(self.num_envs))

    def close_extras(self) -> None:
        """End the threads, and the bots that are programs of their own."""
        self._batch.close()


class Table:
    """Who sits where: a learner's seat, and bots in the others."""

    def __init__(self, game: Game, seats: int | None, opponents: Any, seat: int | Literal["random"]) -> None:
        self._game, self._seats = game, game.checked_seats(seats)
        self._terms: dict[str, Any] = {"opponents": opponents, "seat": seat}
        if self._seats == 1:
            self._check_alone(opponents, seat)
            self._terms = {}

    def _check_alone(self, opponents: Any, seat: Any) -> None:
        """SetupError for others where there are none; one bot for all of no seats does no harm, if there is such."""
        each = isinstance(opponents, Sequence) and not isinstance(opponents, str)
        if each and opponents:
            raise SetupError("There is one seat only, so nobody can play against it: leave out `opponents`.")
        if isinstance(opponents, str):
            parsed(opponents, self._game)
        checked_seat(seat, 1, ())

    def batch(self, n: int, **terms: Any) -> Batch:
        """So many games."""
        return self._game.batch(n, self._seats, **self._terms, **terms)


def checked_mode_of_reset(mode: Any) -> AutoresetMode:
    """What follows on the end of a game; SetupError for what is no mode of Gymnasium."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        ways = one_of((way.value for way in AutoresetMode), str(mode))
        raise SetupError(f"There is no autoreset mode {mode!r}. There are: {ways}") from None


def number_of(action: Any) -> int:
    """The number of an action; TypeError for what is none, as True and False are none."""
    code = index_of(action)
    if code is None:
        raise TypeError(action)
    return code


def check_open(game: Game, closed: bool) -> None:
    """SetupError for an environment that has been closed."""
    if closed:
        raise SetupError(f"This environment of {game.meta.title} has been closed: make another one.")


def spaces_of(game: Game) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    """What is observed, and what is chosen from."""
    bound = np.float32(TENSOR_BOUND)
    return Box(-bound, bound, (game.tensor_size,), np.float32), Discrete(game.rules.ACTIONS)


def register() -> None:
    """Tell Gymnasium of every game, unless it knows of it."""
    for meta in all_games():
        name = id_of(meta.name)
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__name__}:GameEnv",
                vector_entry_point=f"{__name__}:GameVectorEnv",
                kwargs={"name": meta.name},
            )


register()
