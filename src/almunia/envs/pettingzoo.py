"""Games as environments of PettingZoo, in turns (AEC) or in parallel: `env("oregon", seats=3)`.

Importing this module registers every game, so `pettingzoo.make("aec", "almunia/oregon-v1", seats=3)` returns the same
environment. The module needs the extra `pettingzoo`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..batch.batch import check_illegal
from ..batch.rewards import TERMINAL_ONLY, Rewards
from ..catalog import all_games
from ..core.contract import NONE, TENSOR_BOUND
from ..core.loaded import Build
from ..core.options import read_options
from ..errors import IllegalAction, MissingExtra, SetupError
from ..library import game
from ..play.play import Play, action_code
from ..validation import MAX_SEED, check_flag, check_int, check_seed, is_one_of
from . import env_id
from .cursor import GameCursor
from .rendering import MODES, checked_mode, render

try:
    import pettingzoo
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import aec_to_parallel_wrapper
except ModuleNotFoundError as missing:
    raise MissingExtra.named("almunia.envs.pettingzoo needs", missing.name, "pettingzoo") from None

Seen = dict[str, Any] | npt.NDArray[np.float32]  # "observation" and "action_mask"; only the former if flattened


def env(name: str, seats: int | None = None, **settings: Any) -> "GameEnv":
    """Return an environment in turns; see `GameEnv` for the settings."""
    return GameEnv(name, seats, **settings)


def parallel_env(name: str, seats: int | None = None, **settings: Any) -> ParallelEnv[str, Seen, int]:
    """Return a parallel environment: all agents step together, and all but one must choose the no-op.

    `GameEnv` explains the settings. Raise SetupError for `all_step=False`, and for settings that `GameEnv` refuses.
    """
    if not check_flag("all_step", settings.pop("all_step", True)):
        raise SetupError(
            "In a parallel environment all agents step in every cycle: leave out all_step=False, or use env()."
        )
    return CheckedParallelEnv(GameEnv(name, seats, all_step=True, **settings))


class CheckedParallelEnv(aec_to_parallel_wrapper):  # type: ignore[misc]  # it has no types
    """A parallel environment that checks all actions of a cycle before it applies an action."""

    def step(self, actions: Mapping[str, int]) -> tuple[Any, ...]:
        """Step all agents, and return the results. Raise the errors of `GameEnv.check_cycle`."""
        self.aec_env.check_cycle(actions)
        return super().step(actions)


class GameEnv(AECEnv[str, Seen, int]):  # type: ignore[misc]  # it has no types
    """A game in turns. The agents are "player_0", "player_1" and so on, by seat.

    An agent observes {"observation": float32 (game.tensor_size,), "action_mask": int8 (actions,)}. With `flatten`, an
    agent observes only the array, and `infos[agent]["action_mask"]` has the mask. For an agent that is not to move,
    the mask marks no action, or with `all_step` only the no-op. At the end the mask marks all actions. `state()` has
    the observations of all agents. Environments can be copied and pickled. Arguments that are not listed are those of
    `almunia.envs.gymnasium.GameEnv`.

    Args:
        illegal: effect of an illegal action: "error" raises IllegalAction and changes nothing, "penalty" ends the game
            for all, "random" replaces the action by a random legal action.
        penalty: reward of an agent whose illegal action has ended the game.
        max_cycles: number of decisions after which the game is truncated; None for no limit.
        all_step: whether all agents step in every cycle. Then there is an additional last action, a no-op. The no-op is
            the only legal action of the agents that are not to move.
        flatten: whether observations are arrays of a `Box`, for libraries that take no dictionaries.

    Raises:
        SetupError: arguments that the game does not accept.
    """

    def __init__(
        self,
        name: str,
        seats: int | None = None,
        *,
        reward: str | None = None,
        illegal: Literal["error", "penalty", "random"] = "error",
        penalty: float = -1.0,
        max_cycles: int | None = None,
        all_step: bool = False,
        flatten: bool = False,
        render_mode: str | None = None,
        build: Build = "compiled",
        **options: Any,
    ) -> None:
        super().__init__()
        check_illegal(illegal, penalty)
        self.game, self.render_mode = game(name, build), checked_mode(render_mode)
        self.seats = self.game.check_seats(seats)
        self.options = read_options(self.game.meta.options, options, GameEnv)
        self.illegal, self.penalty, self.all_step = illegal, float(penalty), check_flag("all_step", all_step)
        self.flatten = check_flag("flatten", flatten)
        self.max_cycles = None if max_cycles is None else check_int("cycles", max_cycles, 1)
        self._rewards = Rewards(self.game, self.seats, reward)
        self._pays_during_play = self._rewards.reward not in TERMINAL_ONLY
        self._cursor = GameCursor(self.game, self.seats, self.options, int(self.all_step))
        self.metadata = {
            "name": f"{name}_v{self.game.meta.rules_version}",
            "render_modes": list(MODES),
            "render_fps": 2,
            "is_parallelizable": self.all_step,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.noop = self.game.rules.ACTIONS  # the action of agents that are not to move, if `all_step`
        numbers = Box(-TENSOR_BOUND, TENSOR_BOUND, (self.game.tensor_size,), np.float32)
        mask = Box(0, 1, (self.noop + self.all_step,), np.int8)
        seen = numbers if self.flatten else Dict(observation=numbers, action_mask=mask)
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {agent: Discrete(self.noop + self.all_step) for agent in self.possible_agents}
        size = self.seats * self.game.tensor_size
        self.state_space = Box(-TENSOR_BOUND, TENSOR_BOUND, (size,), np.float32)
        self._random = np.random.default_rng()
        self.agents: list[str] = []
        self._ended = True

    # --- the protocol -----------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Box | Dict:
        """Return the observation space of an agent. Raise SetupError if there is no such agent."""
        return self.observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of an agent. Raise SetupError if there is no such agent."""
        return self.action_spaces[self._check_agent(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. A seed determines this deal, and the deals of all later resets without a seed.

        Raise SetupError for an invalid seed. `options` have no effect.
        """
        if seed is not None:
            self._random = np.random.default_rng(check_seed(seed))
        self._cursor.reset(int(self._random.integers(MAX_SEED)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._paid, self._has_decided = [0.0] * self.seats, [False] * self.seats
        self._chosen, self._offenders = NONE, list[int]()
        self._ended, self._rewarded = False, False
        self.agent_selection = self.agents[0 if self.all_step else self._cursor.turn]
        self._update_infos()

    def observe(self, agent: str) -> Seen:
        """Return the observation of an agent, in new arrays, or with `flatten` in one new array.

        Raise SetupError if there is no such agent, and IllegalAction before the first reset.
        """
        seat = self._seat_of[self._check_agent(agent)]
        numbers, mask = self._require_reset().observation_arrays(seat)
        if self.flatten:
            return numbers.copy()
        return {"observation": numbers.copy(), "action_mask": self._copy_mask(seat, mask)}

    def _copy_mask(self, seat: int, mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return a copy of a seat's mask from the cursor, with the no-op; a mask of ones after the end."""
        if self.all_step:
            mask[self.noop] = seat != self._cursor.turn
        return np.ones_like(mask) if self._ended else mask.copy()

    def _update_infos(self) -> None:
        if self.flatten:
            for agent in self.agents:
                seat = self._seat_of[agent]
                mask = self._copy_mask(seat, self._cursor.observation_arrays(seat)[1])
                self.infos[agent] = {"action_mask": mask}

    def last(self, observe: bool = True) -> tuple[Seen | None, float, bool, bool, dict[str, Any]]:
        """Return the observation, the reward since the last action, the end flags and the info of the agent to move.

        Raises:
            IllegalAction: before the first reset, or after all agents have left.
        """
        self._require_reset()
        self._require_agents()
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Return the agents in the order in which they act. Raise IllegalAction before the first reset."""
        self._require_reset()
        return super().agent_iter(max_iter)

    def state(self) -> npt.NDArray[np.float32]:
        """Return the observations of all agents by seat, for centralized critics.

        The result is a new array, float32 (seats * game.tensor_size,). The array contains the secrets of every agent,
        so no policy may use it. Information that is hidden from all agents, such as the order of a deck, is missing.

        Raises:
            IllegalAction: before the first reset.
        """
        cursor, joined = self._require_reset(), np.empty((self.seats, self.game.tensor_size), np.float32)
        for seat in range(self.seats):
            joined[seat] = cursor.observation_arrays(seat)[0]
        return joined.reshape(-1)

    def step(self, action: int | None) -> None:
        """Apply the action of the agent to move. After the end of the game, the action must be None.

        Raises:
            IllegalAction: an illegal action, if `illegal` is "error"; an action other than None after the end; no
                agents are left; or the environment has not been reset.
        """
        if self._ended:
            self._require_agents()
            if action is not None:
                title = self.game.meta.title
                raise IllegalAction(f"{title}: the game has ended, so {self.agent_selection} can only step with None.")
            self._was_dead_step(None)
        elif self.all_step:
            self._step_in_cycle(action, self._seat_of[self.agent_selection])
            self._update_infos()
        else:
            self._step_in_turn(action, self._cursor.turn)
            self._update_infos()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Render the observation of the seat to move, with the results of `rendering.render`.

        Raise the errors of `rendering.render`, and IllegalAction before the first reset.
        """
        return render(self.play.observe(self._cursor.turn), self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to close. PettingZoo requires the method."""

    @property
    def play(self) -> Play:
        """An independent play in this position, with hidden information. Raise IllegalAction before the first reset."""
        return self._require_reset().play

    def _check_agent(self, agent: str) -> str:
        if not is_one_of(agent, self._seat_of):
            agents = ", ".join(self.possible_agents)
            raise SetupError(
                f"There is no agent {agent!r} in this game of {self.game.meta.title}. There are: {agents}."
            )
        return agent

    # --- acting ---------------------------------------------------------------------------------

    def _require_reset(self) -> GameCursor:
        if self._cursor.seed is None:
            raise IllegalAction(f"{self.game.meta.title}: no game has begun yet; call reset() first.")
        return self._cursor

    def _step_in_turn(self, action: Any, seat: int) -> None:
        code = action_code(action)
        is_applied = self._cursor.step(code)
        if not is_applied:
            code = self._replacement(action, seat)
        self._clear_rewards_of(seat)
        if is_applied or (code != NONE and self._cursor.step(code)):
            self._after_move(seat)
        else:
            self._terminate_offenders([seat])

    def _step_in_cycle(self, action: Any, seat: int) -> None:
        """Store the action of an agent in a cycle. At the end of the cycle, apply the action of the agent to move.

        If illegal actions of the cycle end the game, apply no action.
        """
        code = action_code(action)
        if not self._is_legal(code, seat):
            code = self._replacement(action, seat)
        self._clear_rewards_of(seat)
        if code == NONE:
            self._offenders.append(seat)
        elif seat == self._cursor.turn:
            self._chosen = code
        if seat < self.seats - 1:
            self.agent_selection = self.possible_agents[seat + 1]
        elif self._offenders:
            self._terminate_offenders(self._offenders)
        else:
            mover = self._cursor.turn
            self._cursor.step(self._chosen)
            self._after_move(mover)

    def _is_legal(self, code: int, seat: int) -> bool:
        return code in self._cursor.legal_codes if seat == self._cursor.turn else code == self.noop

    def check_cycle(self, actions: Mapping[str, Any]) -> None:
        """Raise IllegalAction if no game is running, or `actions` does not have one action for each agent.

        If `illegal` is "error", raise IllegalAction for an illegal action, too.
        """
        if self._ended:
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")
        if not isinstance(actions, Mapping) or set(actions) != set(self.agents):
            agents = ", ".join(self.agents)
            raise IllegalAction(
                f"{self.game.meta.title}: a cycle takes a dictionary with an action for each of {agents}, "
                f"not {actions!r}."
            )
        if self.illegal == "error":
            for seat, agent in enumerate(self.agents):
                if not self._is_legal(action_code(actions[agent]), seat):
                    self._raise_illegal(actions[agent], seat)

    def _replacement(self, action: Any, seat: int) -> int:
        """Return the replacement of an illegal action, or NONE to end the game. Raise IllegalAction for "error"."""
        if self.illegal == "random":
            return int(self._random.choice(self._cursor.legal_codes)) if seat == self._cursor.turn else self.noop
        if self.illegal == "error":
            self._raise_illegal(action, seat)
        return NONE

    def _raise_illegal(self, action: Any, seat: int) -> None:
        if seat == self._cursor.turn:
            code = action_code(action)  # an array with one integer counts as the integer
            self.play.apply(action if code == NONE else code)
        raise IllegalAction(
            f"{self.game.meta.title}: {self.possible_agents[seat]} is not to move, and can only choose the no-op "
            f"({self.noop}), not {action!r}."
        )

    def _clear_rewards_of(self, seat: int) -> None:
        self._cumulative_rewards[self.possible_agents[seat]] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False

    def _after_move(self, seat: int) -> None:
        cursor = self._cursor
        self._has_decided[seat] = True
        if cursor.over:
            for other in range(self.seats):
                self._reward(other, self._rewards.potential(cursor, other))
            self._end(self.terminations)
        elif len(cursor.actions) == self.max_cycles:
            for other in range(self.seats):
                self._reward_observed(other)
            self._end(self.truncations)
        else:
            if self._pays_during_play and self._has_decided[cursor.turn]:
                self._reward_observed(cursor.turn)
            self.agent_selection = self.agents[0 if self.all_step else cursor.turn]
        if self._rewarded:
            self._accumulate_rewards()

    def _reward_observed(self, seat: int) -> None:
        self._reward(seat, self._rewards.potential(self._cursor.observation(seat), seat))

    def _reward(self, seat: int, potential: float) -> None:
        self.rewards[self.possible_agents[seat]] = potential - self._paid[seat]
        self._paid[seat] = potential
        self._rewarded = True

    def _terminate_offenders(self, offenders: list[int]) -> None:
        for seat in offenders:
            self.rewards[self.possible_agents[seat]] = self.penalty
        self._accumulate_rewards()
        self._end(self.terminations)

    def _end(self, flags: dict[str, bool]) -> None:
        flags.update(dict.fromkeys(self.agents, True))
        self._ended, self._rewarded = True, True
        self.agent_selection = self.agents[0]

    def _require_agents(self) -> None:
        if not self.agents:
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")

    # --- copies -------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        cursor = self._cursor
        state = {name: value for name, value in vars(self).items() if name not in ("_cursor", "_rewards")}
        position = cursor.seed, list(cursor.actions), cursor.array.tobytes()
        return state | {"position": position, "reward": self._rewards.reward}

    def __setstate__(self, state: dict[str, Any]) -> None:
        position, reward = state.pop("position"), state.pop("reward")
        self.__dict__.update(state)
        self._rewards = Rewards(self.game, self.seats, reward)
        self._cursor = GameCursor(self.game, self.seats, self.options, int(self.all_step))
        self._cursor.restore(*position)


def register() -> None:
    for meta in all_games(toys=True):
        name = env_id(meta.name)
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, env, kwargs={"name": meta.name})
            pettingzoo.register("parallel", name, parallel_env, kwargs={"name": meta.name})


register()
