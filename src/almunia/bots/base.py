"""Bots by their spec: what a person writes to name one."""

from typing import TYPE_CHECKING, Protocol

from ..core.game import checked_seed, fresh_seed
from ..errors import IllegalAction, SetupError
from .spec import Spec, parse

if TYPE_CHECKING:
    from ..core.game import Game
    from ..core.play import Observation

SPECS = {
    "random": "takes any legal action",
    "greedy": "looks one action ahead",
}  # their whole choice is one call of a twin
KINDS = {
    **SPECS,
    "search": "looks further ahead, in many guesses at what it cannot see; search:1s, search:2000",
    "external": "is a program of its own; external:./mybot.py",
}


class Bot(Protocol):
    """Anything that chooses from what its seat may see."""

    spec: str

    def choose(self, observation: "Observation") -> int:
        """A legal action for the seat of this observation, whose turn it is."""


def make(spec: str, game: "Game", seed: int | None = None, threads: int = 1) -> Bot:
    """The bot that `spec` names, with luck of its own from `seed`; SetupError if there is none.

    Specs are `random`, `greedy`, and `search` with a budget: `search:1s`, `search:2000` (simulations,
    and then the same seed chooses the same), `search:300ms,explore=0.2`. `threads` is for searches.
    """
    asked = parsed(spec)
    seed = fresh_seed() if seed is None else checked_seed(seed)
    if asked.kind in SPECS:
        from .builtin import Builtin

        return Builtin(asked.kind, game, seed)
    if asked.kind == "external":
        from .external import External

        return External(spec, game, asked.command, asked.budget)
    from .search import Search

    return Search(spec, game, seed, asked.budget, asked.settings, threads)


def parsed(spec: str) -> Spec:
    """A spec taken apart; SetupError for a bot there is none of, or one that takes no such setting."""
    from .search import LIMITS

    asked = parse(spec, LIMITS)
    if asked.kind not in KINDS:
        raise SetupError(f"There is no bot {asked.kind!r}. There are: {', '.join(KINDS)}.")
    if asked.kind in SPECS and spec != asked.kind:
        raise SetupError(f"The bot {asked.kind!r} takes no settings: write {asked.kind!r}, not {spec!r}.")
    return asked


def check_turn(observation: "Observation", spec: str) -> None:
    """IllegalAction if it is not this seat's turn."""
    if observation.over or observation.turn != observation.seat:
        raise IllegalAction(f"Seat {observation.seat} is not to move, so the bot {spec!r} has nothing to choose.")
