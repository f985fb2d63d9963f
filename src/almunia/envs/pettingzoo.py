"""Games as environments of PettingZoo, in turns (AEC) or in parallel: `env("oregon", seats=3)`.

Importing this module registers every game, so `pettingzoo.make("aec", "almunia/oregon-v1", seats=3)` makes the same.
It needs the extra `pettingzoo`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..batch.batch import check_ways
from ..batch.rewards import AT_THE_END, Rewards
from ..catalog import all_games
from ..core.contract import TENSOR_BOUND
from ..core.kernels.play import ILLEGAL
from ..core.loaded import Build
from ..core.options import read_options
from ..errors import IllegalAction, MissingExtra, SetupError
from ..library import game
from ..play.play import Play
from ..validation import MAX_SEED, checked_flag, checked_number, checked_seed, index_of, is_name
from .cursor import GameCursor
from .ids import id_of
from .rendering import MODES, checked_mode, rendered

try:
    import pettingzoo
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import aec_to_parallel_wrapper
except ModuleNotFoundError as missing:
    raise MissingExtra.named("almunia.envs.pettingzoo needs", missing.name, "pettingzoo") from None

Seen = dict[str, Any]  # "observation" and "action_mask"


def env(name: str, seats: int | None = None, **settings: Any) -> "GameEnv":
    """A game in turns; `GameEnv` says what can be set."""
    return GameEnv(name, seats, **settings)


def parallel_env(name: str, seats: int | None = None, **settings: Any) -> ParallelEnv[str, Seen, int]:
    """A game in which all agents act in every cycle, and all but one can only wait; see `GameEnv`."""
    if not checked_flag("waiting", settings.pop("waiting", True)):
        raise SetupError(
            "In a parallel environment all agents act in every cycle: leave out waiting=False, or use env()."
        )
    return Cycles(GameEnv(name, seats, waiting=True, **settings))


class Cycles(aec_to_parallel_wrapper):  # type: ignore[misc]  # it has no types
    """A game in cycles, each of which is done whole or not at all."""

    def step(self, actions: Mapping[str, int]) -> tuple[Any, ...]:
        """Let all agents act; IllegalAction where one is missing or unknown, or may not choose what it does."""
        self.aec_env.check_cycle(actions)
        done: tuple[Any, ...] = super().step(actions)
        return done


class GameEnv(AECEnv[str, Seen, int]):  # type: ignore[misc]  # it has no types
    """A game in turns. Its agents are "player_0", "player_1" and so on, by seat.

    An agent observes {"observation": float32 of shape (game.tensor_size,), "action_mask": int8 of shape (actions,)}.
    The mask is all zeros for an agent that is not asked, and all ones at the end. `state()` is what all of them know
    together, secrets included.
    Environments can be copied and pickled.

    Args:
        name: the game's.
        seats: how many play; the fewest the game allows if not given.
        reward: a convention of `almunia.batch.rewards`; if not given, "rank" among several seats, "points" for one.
        illegal: what an illegal action does. "error" raises IllegalAction and changes nothing, "penalty" ends the
            game for all, "random" does a legal action at random instead.
        penalty: the reward of an agent that ended the game so.
        max_cycles: the number of decisions after which the game is truncated; never if not given.
        waiting: do all agents act in every cycle? Then there is one more action, the last, to wait, which is the
            only one of all agents but the one that is asked.
        render_mode: one of `almunia.envs.rendering.MODES`.
        build: of the game's rules.
        options: the game's options by name.

    Raises:
        SetupError: anything the game does not take.
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
        waiting: bool = False,
        render_mode: str | None = None,
        build: Build = "compiled",
        **options: Any,
    ) -> None:
        super().__init__()
        check_ways("masks", illegal, penalty)
        self.game, self.render_mode = game(name, build), checked_mode(render_mode)
        self.seats = self.game.checked_seats(seats)
        self.options = read_options(self.game.meta.options, options, GameEnv)
        self.illegal, self.penalty, self.waiting = illegal, float(penalty), checked_flag("waiting", waiting)
        self.max_cycles = None if max_cycles is None else checked_number("cycles", max_cycles, 1)
        self._rewards = Rewards(self.game, self.seats, reward)
        self._pays = self._rewards.reward not in AT_THE_END  # before the end, too
        self._cursor = GameCursor(self.game, self.seats, self.options, int(self.waiting))
        self.metadata = {
            "name": f"{name}_v{self.game.meta.rules_version}",
            "render_modes": list(MODES),
            "render_fps": 2,
            "is_parallelizable": self.waiting,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.wait = self.game.rules.ACTIONS  # the action of whoever is not asked, if `waiting`
        seen = Dict(
            observation=Box(-TENSOR_BOUND, TENSOR_BOUND, (self.game.tensor_size,), np.float32),
            action_mask=Box(0, 1, (self.wait + self.waiting,), np.int8),
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {agent: Discrete(self.wait + self.waiting) for agent in self.possible_agents}
        size = self.seats * self.game.tensor_size
        self.state_space = Box(-TENSOR_BOUND, TENSOR_BOUND, (size,), np.float32)
        self._random = np.random.default_rng()
        self.agents: list[str] = []
        self._ended = True

    # --- the protocol -----------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Dict:
        """What an agent observes."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Discrete:
        """What an agent chooses from."""
        return self.action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew. A seed settles this deal, and those of all resets without one that follow."""
        if seed is not None:
            self._random = np.random.default_rng(checked_seed(seed))
        self._cursor.reset(int(self._random.integers(MAX_SEED)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._paid, self._decided = [0.0] * self.seats, [False] * self.seats
        self._chosen, self._spoilers = ILLEGAL, list[int]()
        self._ended, self._rewarded = False, False
        self.agent_selection = self.agents[0 if self.waiting else self._cursor.turn]

    def observe(self, agent: str) -> Seen:
        """What an agent may know now, in arrays of its own."""
        seat = self._seat_of[self._known(agent)]
        numbers, mask = self._begun.observe_into(seat)
        if self.waiting:
            mask[self.wait] = seat != self._cursor.turn
        return {"observation": numbers.copy(), "action_mask": np.ones_like(mask) if self._ended else mask.copy()}

    def last(self, observe: bool = True) -> tuple[Seen | None, float, bool, bool, dict[str, Any]]:
        """What the agent whose turn it is sees, what it was rewarded with since it last acted, and whether it ended.

        IllegalAction before the first deal, and once all agents have left.
        """
        _ = self._begun
        self._check_going_on()
        seen: tuple[Seen | None, float, bool, bool, dict[str, Any]] = super().last(observe)
        return seen

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """The agents in the order in which they act; IllegalAction before the first deal."""
        _ = self._begun
        agents: Iterable[str] = super().agent_iter(max_iter)
        return agents

    def state(self) -> npt.NDArray[np.float32]:
        """What all agents know together, for critics in training: their observations one after the other, by seat.

        It tells the secrets of every agent, and so is for none of them; what nobody knows, such as the order of a deck,
        is not in it. float32 of shape (seats * game.tensor_size,), in an array of its own.
        """
        known = np.empty((self.seats, self.game.tensor_size), np.float32)
        for seat in range(self.seats):
            known[seat] = self._begun.observe_into(seat)[0]
        return known.reshape(-1)

    def step(self, action: int | None) -> None:
        """Let the agent whose turn it is act; None is for one whose game has ended.

        IllegalAction for what it may not choose, if that is an error, and for a step before `reset`.
        """
        if self._ended:
            self._leave(action)
        elif self.waiting:
            self._wait(action, self._seat_of[self.agent_selection])
        else:
            self._act(action, self._cursor.turn)
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The position in the render mode, as the agent sees it whose turn it is; MissingExtra without its packages."""
        return rendered(self.play.observe(self._cursor.turn), self.render_mode)

    def close(self) -> None:
        """Nothing has to be closed."""

    @property
    def play(self) -> Play:
        """A play of its own in this position, with all that is hidden: for records, words and analysis."""
        return self._begun.play

    def _known(self, agent: str) -> str:
        """An agent, if it is one; SetupError names those there are."""
        if not is_name(agent, self._seat_of):
            agents = ", ".join(self.possible_agents)
            raise SetupError(
                f"There is no agent {agent!r} in this game of {self.game.meta.title}. There are: {agents}."
            )
        return agent

    # --- acting ---------------------------------------------------------------------------------

    @property
    def _begun(self) -> GameCursor:
        """The cursor; IllegalAction before the first deal."""
        if self._cursor.seed is None:
            raise IllegalAction(f"{self.game.meta.title}: no game has begun yet; call reset() first.")
        return self._cursor

    def _act(self, action: Any, seat: int) -> None:
        """Do the action of the seat to move, or what is done instead."""
        code = number_of(action)
        done = self._cursor.step(code)
        if not done:
            code = self._instead(action, seat)
        self._clear(seat)
        if done or (code != ILLEGAL and self._cursor.step(code)):
            self._follow(seat)
        else:
            self._end_by([seat])

    def _wait(self, action: Any, seat: int) -> None:
        """One agent's part of a cycle; at its end the action of the one that is asked is done."""
        code = number_of(action)
        if not self._may(code, seat):
            code = self._instead(action, seat)
        self._clear(seat)
        if code == ILLEGAL:
            self._spoilers.append(seat)
        elif seat == self._cursor.turn:
            self._chosen = code
        if seat < self.seats - 1:
            self.agent_selection = self.possible_agents[seat + 1]
        elif self._spoilers:
            self._end_by(self._spoilers)
        else:
            mover = self._cursor.turn
            self._cursor.step(self._chosen)
            self._follow(mover)

    def _may(self, code: int, seat: int) -> bool:
        """May a seat choose this in a cycle of all agents?"""
        return code in self._cursor.legal_codes if seat == self._cursor.turn else code == self.wait

    def check_cycle(self, actions: Mapping[str, Any]) -> None:
        """IllegalAction for what cannot be a whole cycle's actions, if `waiting`."""
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
                if not self._may(number_of(actions[agent]), seat):
                    self._refuse(actions[agent], seat)

    def _instead(self, action: Any, seat: int) -> int:
        """What is done instead of an illegal action; ILLEGAL if it ends the game, IllegalAction if it is an error."""
        if self.illegal == "random":
            return int(self._random.choice(self._cursor.legal_codes)) if seat == self._cursor.turn else self.wait
        if self.illegal == "error":
            self._refuse(action, seat)
        return ILLEGAL

    def _refuse(self, action: Any, seat: int) -> None:
        """IllegalAction says what is wrong with an action."""
        if seat == self._cursor.turn:
            code = number_of(action)  # arrays of one number are taken for it
            self.play.apply(action if code == ILLEGAL else code)
        raise IllegalAction(
            f"{self.game.meta.title}: {self.possible_agents[seat]} is not asked, and can only wait ({self.wait}), "
            f"not choose {action!r}."
        )

    def _clear(self, seat: int) -> None:
        """What has been rewarded until now is the past of this agent."""
        self._cumulative_rewards[self.possible_agents[seat]] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False

    def _follow(self, seat: int) -> None:
        """After the decision of a seat: reward, and pass the turn on, or end."""
        cursor = self._cursor
        self._decided[seat] = True
        if cursor.over:
            for other in range(self.seats):
                self._pay(other, self._rewards.worth(cursor, other))
            self._end(self.terminations)
        elif len(cursor.actions) == self.max_cycles:
            for other in range(self.seats):
                self._pay_seen(other)
            self._end(self.truncations)
        else:
            if self._pays and self._decided[cursor.turn]:
                self._pay_seen(cursor.turn)
            self.agent_selection = self.agents[0 if self.waiting else cursor.turn]
        if self._rewarded:
            self._accumulate_rewards()

    def _pay_seen(self, seat: int) -> None:
        """Reward a seat for how its own view has changed."""
        self._pay(seat, self._rewards.worth(self._cursor.observation(seat), seat))

    def _pay(self, seat: int, worth: float) -> None:
        """Reward a seat for the change of its worth."""
        self.rewards[self.possible_agents[seat]] = worth - self._paid[seat]
        self._paid[seat] = worth
        self._rewarded = True

    def _end_by(self, spoilers: list[int]) -> None:
        """End the game for all, for these seats have chosen what they may not."""
        for seat in spoilers:
            self.rewards[self.possible_agents[seat]] = self.penalty
        self._accumulate_rewards()
        self._end(self.terminations)

    def _end(self, marks: dict[str, bool]) -> None:
        """All leave, one after the other."""
        marks.update(dict.fromkeys(self.agents, True))
        self._ended, self._rewarded = True, True
        self.agent_selection = self.agents[0]

    def _leave(self, action: Any) -> None:
        """An agent leaves a game that has ended."""
        self._check_going_on()
        if action is not None:
            title = self.game.meta.title
            raise IllegalAction(f"{title}: the game has ended, so {self.agent_selection} can only step with None.")
        self._was_dead_step(None)

    def _check_going_on(self) -> None:
        if not self.agents:
            raise IllegalAction(f"{self.game.meta.title}: no game is going on; call reset() first.")

    # --- copies -------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """All but the cursor, and where that stands."""
        cursor = self._cursor
        kept = {name: value for name, value in vars(self).items() if name not in ("_cursor", "_rewards")}
        return kept | {"stands": (cursor.seed, list(cursor.actions), cursor.array.tobytes(), self._rewards.reward)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        seed, actions, array, reward = state.pop("stands")
        self.__dict__.update(state)
        self._rewards = Rewards(self.game, self.seats, reward)
        self._cursor = GameCursor(self.game, self.seats, self.options, int(self.waiting))
        self._cursor.restore(seed, actions, array)


def number_of(action: Any) -> int:
    """The number of an action; ILLEGAL for what is none, as True and False are none."""
    code = index_of(action)
    return ILLEGAL if code is None or abs(code) > MAX_SEED else code


def register() -> None:
    """Tell PettingZoo of every game, unless it knows of it."""
    for meta in all_games():
        name = id_of(meta.name)
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, env, kwargs={"name": meta.name})
            pettingzoo.register("parallel", name, parallel_env, kwargs={"name": meta.name})


register()
