"""Games in OpenSpiel: importing this module registers them all, as `python_almunia_oregon` and so on.

A state begins with one chance node, the deal. What is drawn later in a play follows from it and is no chance node, so
whoever searches on clones of a state knows what will be drawn. `resample_from_infostate` guesses it honestly.

It needs the extra `openspiel`.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np

from ..batch.rewards import Rewards, checked_reward
from ..catalog import all_games, meta as meta_of
from ..core.contract import NONE, SPECTATOR, Meta
from ..core.options import Option, read_options
from ..errors import IllegalAction, MissingExtra, SetupError
from ..library import game
from ..play.play import Observation, Play
from ..validation import checked_number, checked_seed, index_of

try:
    import pyspiel
except ModuleNotFoundError:
    raise MissingExtra.named("almunia.envs.openspiel needs", "open-spiel", "openspiel") from None

DEALS = 1000  # outcomes of the chance node, if not said otherwise
MOST_DEALS = 10**6
UNDEALT = "The game has not been dealt yet."


def name_of(name: str) -> str:
    """The name of a game in OpenSpiel."""
    return f"python_almunia_{name}"


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # it has no types
    """A game with OpenSpiel's parameters; each game has a class of its own, made by `register`.

    They are `players`, `reward` (a convention of `almunia.batch.rewards`, by default "rank" among several and
    "points" for one; all are paid at the end), `deals` (how many outcomes the chance node has), `seed` (of the first
    deal; the others follow it), and the game's options. SetupError for what the game does not take.
    """

    meta: Meta  # the facts on the game

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**defaults(self.meta), **(params or {})}
        self.game, self.players = game(self.meta.name), given.pop("players")
        self.game.checked_seats(self.players)
        self.reward = checked_reward(given.pop("reward") or None, self.players)
        self.deals = checked_number("deals", given.pop("deals"), 1, MOST_DEALS)
        self.seed = checked_seed(given.pop("seed"))
        self.options = read_options(self.meta.options, given)
        self.rewards = Rewards(self.game, self.players, self.reward)
        low, high = self.rewards.bounds
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.rules.ACTIONS,
            max_chance_outcomes=self.deals,
            num_players=self.players,
            min_utility=low,
            max_utility=high,
            utility_sum=utility_sum(self.reward, self.players),
            max_game_length=self.meta.decisions,
        )
        super().__init__(game_type(self.meta, self.reward, self.players), info, params or {})
        self.outcomes = [(deal, 1 / self.deals) for deal in range(self.deals)]

    def __reduce__(self) -> tuple[Any, ...]:
        """A game travels as its name and parameters."""
        return load, (self.meta.name, self.get_parameters())

    def new_initial_state(self) -> "SpielState":
        """A play that has not been dealt yet."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> "SpielObserver":
        """What looks at states as a player, or as the public."""
        return SpielObserver(self, iig_obs_type)


class SpielState(pyspiel.State):  # type: ignore[misc]  # it has no types
    """A play, before or after its deal."""

    def __init__(self, spiel_game: SpielGame) -> None:
        super().__init__(spiel_game)
        self.course: Course | None = None

    @property
    def play(self) -> Play:
        """The play; SetupError before the deal."""
        if self.course is None:
            raise SetupError(f"{UNDEALT} Apply one of its chance outcomes first.")
        return self.course.play

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's number for the deal or the end."""
        if self.course is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.play.over else self.play.turn

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions of a player, none if it is not asked."""
        return list(self.play.legal_actions) if player == self.play.turn else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals, all equally likely."""
        return self.get_game().outcomes

    def apply_action(self, action: int) -> None:
        """Deal, or do an action; OpenSpiel would take True for the action 1."""
        code = index_of(action)
        if code is None:
            raise IllegalAction(f"{self.get_game().meta.title}: an action is a whole number, not {action!r}.")
        super().apply_action(code)

    def _apply_action(self, action: int) -> None:
        """Deal, or do an action."""
        if self.course is None:
            spiel = self.get_game()
            if not 0 <= action < spiel.deals:
                raise IllegalAction(f"{spiel.meta.title}: the deal is one of 0 to {spiel.deals - 1}, not {action}.")
            self.course = Course(spiel.game.start(spiel.players, spiel.seed + action, spiel.options))
        else:
            self.course.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """An action in words."""
        if self.course is None:
            return f"deal {action}"
        return self.play.action_to_string(action)

    def is_terminal(self) -> bool:
        """Is the play over?"""
        return self.course is not None and self.play.over

    def returns(self) -> list[float]:
        """What the end is worth to each player; zeros before it."""
        spiel = self.get_game()
        return spiel.rewards.worths(self.play).tolist() if self.is_terminal() else [0.0] * spiel.players

    def information_state_tensor(self, player: int | None = None) -> NoReturn:
        """Refuse it with SetupError: OpenSpiel would return an empty list, from which algorithms learn nothing."""
        raise SetupError(
            f"{self.get_game().meta.title} has no tensor of an information state, which Deep CFR and the like learn "
            "from. Use an algorithm that learns from observation_tensor, or from rl_environment."
        )

    def __str__(self) -> str:
        return UNDEALT if self.course is None else self.play.observe(max(self.current_player(), SPECTATOR)).board()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """A state that the player could not tell from this one, its secrets and all that will be drawn guessed anew."""
        spiel = self.get_game()
        if not 0 <= player < spiel.players:
            raise SetupError(
                f"The players of this game of {spiel.meta.title} are 0 to {spiel.players - 1}, not {player}."
            )
        state = SpielState(spiel)
        if self.course is not None:
            state.course = self.course.resampled(player, int(sampler() * 2**53))
        return state


class Known(NamedTuple):
    """What a player knows of the way to a state."""

    states: int  # how many have been looked at
    digest: str  # of all it has seen and done, in its order
    seen: bytes  # what it saw last


class Course:
    """A play with all that can be seen on the way to it."""

    def __init__(self, play: Play, known: dict[int, Known] | None = None) -> None:
        self.play, self._known = play, known or {}
        self._states = [play.to_state()]
        self._actions = [(SPECTATOR, 0)]  # who did what that led to each state

    def __deepcopy__(self, memo: dict[int, Any]) -> "Course":
        twin = Course(self.play.copy(), dict(self._known))
        twin._states, twin._actions = list(self._states), list(self._actions)
        return twin

    def apply(self, action: int) -> None:
        """Do an action."""
        self._actions.append((self.play.turn, action))
        self.play.apply(action)
        self._states.append(self.play.to_state())

    def known(self, player: int) -> str:
        """A digest of all that a player has seen and done: the same for all plays that it cannot tell apart.

        What another did counts only where the player sees a difference.
        """
        start, digest, last = self._known.get(player, Known(0, "", b""))
        for state, (actor, action) in zip(self._states[start:], self._actions[start:], strict=True):
            array = np.frombuffer(state, self.play.array.dtype).copy()
            seen = Observation(self.play.game, array, player).to_state()
            if actor == player or seen != last:
                own = action if actor == player else NONE
                digest, last = sha256(f"{digest} {own} ".encode() + seen).hexdigest(), seen
        self._known[player] = Known(len(self._states), digest, last)
        return digest

    def resampled(self, player: int, seed: int) -> "Course":
        """Another course that the player could not tell from this one."""
        self.known(player)
        return Course(self.play.observe(player).determinize(seed), {player: self._known[player]._replace(states=1)})


class SpielObserver:
    """Looks at states for OpenSpiel: `tensor` in a row, `dict` the same memory by the names of `observe.TENSOR_SHAPES`.

    With perfect recall its words are a digest of all that was seen; without private information they are what a
    spectator sees, and there is no tensor.
    """

    def __init__(self, spiel_game: SpielGame, kind: Any = None) -> None:
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise SetupError("Nobody sees what is private to all players: observe for a single player, or for none.")
        self._recalls = kind.perfect_recall
        self._public = kind.private_info == pyspiel.PrivateInfoType.NONE
        self.tensor, self.dict = None, {}
        if not self._public and not self._recalls:
            self.tensor = np.zeros(spiel_game.game.tensor_size, np.float32)
            record = self.tensor.view(spiel_game.game.tensor_parts)
            self.dict = {name: record[name][0] for name in spiel_game.game.observe.TENSOR_SHAPES}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees; zeros before the deal."""
        if self.tensor is not None:
            self.tensor[:] = 0 if state.course is None else state.play.observe(player).tensor()

    def string_from(self, state: SpielState, player: int) -> str:
        """What the player sees, as text."""
        if state.course is None:
            return UNDEALT
        if self._recalls:
            return f"player {player} {state.course.known(player)}"
        return state.play.observe(SPECTATOR if self._public else player).board()


# --- registration -----------------------------------------------------------------------------------


def defaults(meta: Meta) -> dict[str, Any]:
    """OpenSpiel's parameters of a game with their defaults; the number of players is the fewest it allows."""
    own: dict[str, Any] = {"players": meta.seats[0], "deals": DEALS, "seed": 0, "reward": ""}
    return own | {option.name: value_of(option) for option in meta.options}


def value_of(option: Option) -> str | int:
    """The default of an option: as a number if all its values are, for so OpenSpiel reads them."""
    values = (option.default, *option.examples)
    return int(option.default) if all(map(str.isdecimal, values)) else option.default


def utility_sum(reward: str, players: int) -> float | None:
    """Return what the returns of all players add up to, None if that differs from play to play."""
    sums = {"rank": 0.0, "win": 1.0} | ({"lead": 0.0} if players == 2 else {})
    return sums.get(reward)


def game_type(meta: Meta, reward: str, players: int) -> Any:
    """OpenSpiel's description of a game under a reward convention.

    Nobody sees the deal, and with it what will be drawn, so information is imperfect even where no player has secrets.
    """
    kind = pyspiel.GameType
    utilities = {0.0: kind.Utility.ZERO_SUM, 1.0: kind.Utility.CONSTANT_SUM, None: kind.Utility.GENERAL_SUM}
    return kind(
        short_name=name_of(meta.name),
        long_name=meta.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utilities[utility_sum(reward, players)],
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=meta.seats[1],
        min_num_players=meta.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults(meta),
    )


def register(name: str) -> str:
    """Make a game known to OpenSpiel, if it is not; returns its name there. SetupError if there is no such game."""
    meta = meta_of(name)
    if name_of(name) not in pyspiel.registered_names():
        title = f"{SpielGame.__name__}_{name}"
        kind = type(title, (SpielGame,), {"meta": meta})  # OpenSpiel crashes at exit if it is no class
        pyspiel.register_game(game_type(meta, checked_reward(None, meta.seats[0]), meta.seats[0]), kind)
    return name_of(name)


def load(name: str, parameters: dict[str, Any] | None = None) -> SpielGame:
    """A game with these parameters, registered if it was not."""
    return cast(SpielGame, pyspiel.load_game(register(name), parameters or {}))


for _meta in all_games():
    register(_meta.name)
