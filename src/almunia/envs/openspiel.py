"""Games in OpenSpiel. Importing this module registers all games, such as `python_almunia_oregon`.

A state begins with a single chance node, the deal, which determines all later random events. So a search on clones of a
state knows future random events. `resample_from_infostate` returns a fair determinization instead.

The module needs the extra `openspiel`.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from operator import index
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ..batch.rewards import TERMINAL_ONLY, Rewards, checked_reward
from ..bots.search import PlayEvaluator
from ..bots.search.evaluators import as_batch
from ..catalog import all_games, meta as meta_of
from ..core.contract import NONE, SPECTATOR, Meta
from ..core.options import Option, read_options
from ..errors import IllegalAction, MissingExtra, SetupError
from ..library import game
from ..play.play import Observation, Play, action_code
from ..validation import check_int, check_seed

try:
    import pyspiel
except ModuleNotFoundError:
    raise MissingExtra.named("almunia.envs.openspiel needs", "open-spiel", "openspiel") from None

DEFAULT_DEALS = 1000  # outcomes of the chance node
MAX_DEALS = 10**6
NOT_DEALT = "The game has not been dealt yet."


def spiel_name(name: str) -> str:
    return f"python_almunia_{name}"


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # it has no types
    """A game with OpenSpiel's parameters. `register` makes a subclass for each game.

    The parameters are `players`, `reward` (a convention of `almunia.batch.rewards`, paid at the end; by default "rank"
    for several players, "points" for one player), `deals` (number of outcomes of the chance node), `seed` (of the first
    deal; the other deals have the following seeds), and the game's options. Raise SetupError for invalid values.
    """

    meta: Meta  # of the game; set by the subclass

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        values = {**defaults(self.meta), **(params or {})}
        self.game, self.players = game(self.meta.name), values.pop("players")
        self.game.check_seats(self.players)
        self.reward = checked_reward(values.pop("reward") or None, self.players)
        self.deals = check_int("deals", values.pop("deals"), 1, MAX_DEALS)
        self.seed = check_seed(values.pop("seed"))
        self.options = read_options(self.meta.options, values)
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
        return load, (self.meta.name, self.get_parameters())

    def new_initial_state(self) -> "SpielState":
        """Return a state before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> "SpielObserver":
        """Return an observer for a player, or for the public. Raise the errors of `SpielObserver`."""
        return SpielObserver(self, iig_obs_type)


class SpielState(pyspiel.State):  # type: ignore[misc]  # it has no types
    """The state of a game before or after the deal."""

    def __init__(self, spiel_game: SpielGame) -> None:
        super().__init__(spiel_game)
        self.play_history: History | None = None  # None before the deal

    @property
    def play(self) -> Play:
        """The play in this state, which callers must not change. Raise SetupError before the deal."""
        if self.play_history is None:
            raise SetupError(f"{NOT_DEALT} Apply one of its chance outcomes first.")
        return self.play_history.play

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for chance or the end."""
        if self.play_history is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.play.over else self.play.turn

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.play.legal_actions) if player == self.play.turn else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals, all with the same probability."""
        return self.get_game().outcomes

    def apply_action(self, action: int) -> None:
        """Deal, or apply an action. Raise IllegalAction if the action is not legal.

        OpenSpiel would treat True as action 1, and this function refuses it.
        """
        code = action_code(action)
        if code < 0:  # OpenSpiel has errors of its own for these
            raise IllegalAction(f"{self.get_game().meta.title}: {action!r} is no action: take one of legal_actions().")
        super().apply_action(code)

    def _apply_action(self, action: int) -> None:
        if self.play_history is None:
            spiel = self.get_game()
            if not 0 <= action < spiel.deals:
                raise IllegalAction(f"{spiel.meta.title}: the deal is one of 0 to {spiel.deals - 1}, not {action}.")
            self.play_history = History(spiel.game.start(spiel.players, spiel.seed + action, spiel.options))
        else:
            self.play_history.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if self.play_history is None else self.play.action_to_string(action)

    def is_terminal(self) -> bool:
        """Return whether the play is over."""
        return self.play_history is not None and self.play.over

    def returns(self) -> list[float]:
        """Return the sum of each player's rewards; zeros before the end."""
        spiel = self.get_game()
        return spiel.rewards.returns(self.play).tolist() if self.is_terminal() else [0.0] * spiel.players

    def __str__(self) -> str:
        if self.play_history is None:
            return NOT_DEALT
        return self.play.observe(max(self.current_player(), SPECTATOR)).board()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a state in which the player has the same information state, and all other information is sampled.

        Raise SetupError if there is no such player.
        """
        spiel = self.get_game()
        if not 0 <= player < spiel.players:
            raise SetupError(
                f"The players of this game of {spiel.meta.title} are 0 to {spiel.players - 1}, not {player}."
            )
        state = SpielState(spiel)
        if self.play_history is not None:
            state.play_history = self.play_history.resample(player, int(sampler() * 2**53))
        return state


class InfoState(NamedTuple):
    """The information state of a player after some states of a history."""

    states: int  # number of states
    digest: str  # of all observations and seen actions, in order
    seen: bytes  # the last observation
    actions: tuple[tuple[int, int], ...]  # who acted, and the action; NONE if only its effect was seen


class History:
    """A play with all its states and actions, from which information states are computed."""

    def __init__(self, play: Play, info_states: dict[int, InfoState] | None = None) -> None:
        self.play, self._info_states = play, info_states or {}  # by player
        self._states = [play.to_state()]
        self._actions = [(SPECTATOR, 0)]  # player and action before each state

    def __deepcopy__(self, memo: dict[int, Any]) -> "History":
        copy = History(self.play.copy(), dict(self._info_states))
        copy._states, copy._actions = list(self._states), list(self._actions)
        return copy

    def apply(self, action: int) -> None:
        self._actions.append((self.play.turn, action))
        self.play.apply(action)
        self._states.append(self.play.to_state())

    def info_state(self, player: int) -> InfoState:
        """Return what a player has seen: the observations, the player's own actions, and those of others.

        Plays that the player cannot distinguish have the same information state. A hidden action of another player
        counts only if the action changes the player's observation.
        """
        start, digest, last, actions = self._info_states.get(player, InfoState(0, "", b"", ()))
        before, added = self._observe(start - 1, player) if start else None, list[tuple[int, int]]()
        for i in range(start, len(self._states)):
            actor, action = self._actions[i]
            now, code = self._observe(i, player), NONE
            if before and (actor == player or now.game.may_see(before.state, player)):
                code = action
            if code != NONE or now.to_state() != last:
                last = now.to_state()
                digest = sha256(f"{digest} {code} ".encode() + last).hexdigest()
                added += [(actor, code)] if before else []
            before = now
        self._info_states[player] = InfoState(len(self._states), digest, last, (*actions, *added))
        return self._info_states[player]

    def _observe(self, i: int, player: int) -> Observation:
        array = np.frombuffer(self._states[i], self.play.array.dtype).copy()
        return Observation(self.play.game, array, player)

    def resample(self, player: int, seed: int) -> "History":
        """Return a determinization that the player cannot distinguish from this history."""
        info_states = {player: self.info_state(player)._replace(states=1)}
        return History(self.play.observe(player).determinize(seed), info_states)


class SpielEvaluator(PlayEvaluator):
    """An evaluator of OpenSpiel (`mcts.Evaluator`), for `make_bot` and `analyse`.

    `spiel_game` is a game that this module has loaded, with the number of players of the plays. Its rewards must be
    "rank" or "win" with several players. The search scales them to 0 to 1. The search never calls the evaluator in a
    state of chance.

    Raises:
        SetupError: the rewards are others, or the evaluator lacks the methods `evaluate` and `prior`.
    """

    def __init__(self, spiel_game: SpielGame, evaluator: Any) -> None:
        if not all(callable(getattr(evaluator, name, None)) for name in ("evaluate", "prior")):
            raise SetupError(
                "An evaluator of OpenSpiel has the methods evaluate(state) and prior(state), as mcts.Evaluator, "
                f"but {evaluator!r} has not."
            )
        self.game, self.evaluator = spiel_game, evaluator
        self._low, self._high = (0.0, 1.0) if spiel_game.players == 1 else spiel_game.rewards.bounds
        if spiel_game.players > 1 and spiel_game.reward not in TERMINAL_ONLY:
            raise SetupError(
                f"A search needs values between those of a loss and a win, and the reward {spiel_game.reward!r} has "
                "others: load the game with reward=rank or reward=win."
            )

    def evaluate_plays(self, plays: Sequence[Play]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the evaluator's scaled values and its priors in the states of these plays.

        Raise SetupError for plays of another game or number of players, and for values and priors of another form.
        """
        values = np.zeros((len(plays), self.game.players))
        policies = np.zeros((len(plays), self.game.game.rules.ACTIONS))
        for row, play in enumerate(plays):
            if (play.game.name, play.seats) != (self.game.game.name, self.game.players):
                raise SetupError(
                    f"The evaluator is for {self.game.game.name} with {self.game.players} players, "
                    f"not for {play.game.name} with {play.seats}: load the game with these parameters."
                )
            state = SpielState(self.game)
            state.play_history = History(play)
            returned = as_batch("values", [self.evaluator.evaluate(state)], (1, play.seats))
            values[row] = np.roll(returned[0], -play.turn)
            for action, probability in checked_priors(self.evaluator.prior(state), play.legal_actions):
                policies[row, action] = probability
        return (values - self._low) / (self._high - self._low), policies


def checked_priors(given: Any, legal: Sequence[int]) -> list[tuple[int, float]]:
    """Return an evaluator's pairs of an action and its probability. Raise SetupError unless the actions are legal."""
    try:
        pairs = [(index(action), float(probability)) for action, probability in given]
    except (TypeError, ValueError) as error:
        raise SetupError(
            f"An evaluator's prior is a list of pairs (action, probability), but {given!r} was returned: {error}"
        ) from error
    if illegal := {action for action, _ in pairs}.difference(legal):
        raise SetupError(f"The evaluator's prior has actions that are not legal: {sorted(illegal)}.")
    return pairs


class SpielObserver:
    """An observer for OpenSpiel. `tensor` is flat, and `dict` has its parts by the names of `observe.TENSOR_SHAPES`.

    With perfect recall, a part `history` comes first, float32 (max_game_length, 2): a row for each action that the
    player has noticed, in order, then zeros. A row has who acted, as `(seats after the player + 1) / players`, and
    `(action + 1) / num_distinct_actions`, or 0 for an action of which only the effect was seen. The string is a digest
    of the information state.

    Without perfect recall, the string is the observation as text. Without private information, the string is that of a
    spectator, and there is no tensor. `kind` is an `IIGObservationType` of OpenSpiel; by default the observation of one
    player without perfect recall.

    Raises:
        SetupError: `kind` asks for the private information of all players.
    """

    def __init__(self, spiel_game: SpielGame, kind: Any = None) -> None:
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise SetupError("No player sees what is private to all: observe for one player, or for the public.")
        self._recalls = kind.perfect_recall
        self._public = kind.private_info == pyspiel.PrivateInfoType.NONE
        self.tensor, self.dict = None, {}
        if not self._public:
            rows, game = spiel_game.max_game_length() if self._recalls else 0, spiel_game.game
            self.tensor = np.zeros(2 * rows + game.tensor_size, np.float32)
            self._history, self._numbers = self.tensor[: 2 * rows].reshape(rows, 2), self.tensor[2 * rows :]
            record = self._numbers.view(game.tensor_dtype)
            self.dict = {"history": self._history} if self._recalls else {}
            self.dict |= {name: record[name][0] for name in game.observe.TENSOR_SHAPES}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player has seen into `tensor`, if there is one; zeros before the deal."""
        if self.tensor is None:
            return
        self.tensor[:] = 0
        if state.play_history is not None:
            self._numbers[:] = state.play.observe(player).tensor()
            if self._recalls:
                self._write_history(state.play_history.info_state(player), player, state.get_game())

    def _write_history(self, info_state: InfoState, player: int, spiel_game: SpielGame) -> None:
        actions = np.array(info_state.actions, np.int64).reshape(-1, 2)
        rows = self._history[: len(actions)]
        rows[:, 0] = ((actions[:, 0] - player) % spiel_game.players + 1) / spiel_game.players
        rows[:, 1] = (actions[:, 1] + 1) / spiel_game.game.rules.ACTIONS

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the observer's string for a player, or for a spectator without private information.

        Before the deal, return NOT_DEALT.
        """
        if state.play_history is None:
            return NOT_DEALT
        viewer = SPECTATOR if self._public else player
        if self._recalls:
            return f"player {viewer} {state.play_history.info_state(viewer).digest}"
        return state.play.observe(viewer).board()


# --- registration -----------------------------------------------------------------------------------


def defaults(meta: Meta) -> dict[str, Any]:
    """Return OpenSpiel's parameters of a game with their defaults. The default of `players` is the fewest possible."""
    own: dict[str, Any] = {"players": meta.seats[0], "deals": DEFAULT_DEALS, "seed": 0, "reward": ""}
    return own | {option.name: value_of(option) for option in meta.options}


def value_of(option: Option) -> str | int:
    """Return the default of an option, as an integer if all its values are integers, as OpenSpiel parses them."""
    values = (option.default, *option.examples)
    return int(option.default) if all(map(str.isdecimal, values)) else option.default


def utility_sum(reward: str, players: int) -> float | None:
    """Return the constant sum of the returns of all players; None if the sum is not constant."""
    sums = {"rank": 0.0, "win": 1.0} | ({"lead": 0.0} if players == 2 else {})
    return sums.get(reward)


def game_type(meta: Meta, reward: str, players: int) -> Any:
    """Return OpenSpiel's type of a game under a reward convention.

    Information is imperfect even if no player has secrets, since the deal determines future random events.
    """
    kind = pyspiel.GameType
    utilities = {0.0: kind.Utility.ZERO_SUM, 1.0: kind.Utility.CONSTANT_SUM, None: kind.Utility.GENERAL_SUM}
    return kind(
        short_name=spiel_name(meta.name),
        long_name=meta.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utilities[utility_sum(reward, players)],
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=meta.seats[1],
        min_num_players=meta.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults(meta),
    )


def register(name: str) -> str:
    """Register a game with OpenSpiel, and return its name there. Raise SetupError if there is no such game."""
    meta = meta_of(name)
    if spiel_name(name) not in pyspiel.registered_names():
        title = f"{SpielGame.__name__}_{name}"
        kind = type(title, (SpielGame,), {"meta": meta})  # OpenSpiel crashes at exit unless it is a class
        pyspiel.register_game(game_type(meta, checked_reward(None, meta.seats[0]), meta.seats[0]), kind)
    return spiel_name(name)


def load(name: str, parameters: dict[str, Any] | None = None) -> SpielGame:
    """Register a game if necessary, and return the game with these parameters.

    Raise SetupError if there is no such game, and the errors of `SpielGame` and of OpenSpiel for parameters.
    """
    return cast(SpielGame, pyspiel.load_game(register(name), parameters or {}))


for _meta in all_games(toys=True):
    register(_meta.name)
