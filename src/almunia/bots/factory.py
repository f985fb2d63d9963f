"""Bots by their spec: what a person writes to name one."""

from ..core.loaded import LoadedGame
from ..play.play import Play
from ..validation import checked_game, checked_seed, fresh_seed
from .base import NamedBot
from .levels import LEVELS, meaning
from .spec import DEFAULT, PATIENCE, Limits, Spec, parse

SPECS = {
    "random": "takes any legal action",
    "greedy": "looks one action ahead",
}  # their whole choice is one call of a twin
KINDS = {
    **SPECS,
    "turn": "plans its whole turn",
    "search": "looks further ahead, in many guesses at what it cannot see; search:1s, search:2000",
    "external": "is a program of its own; external:./mybot.py",
    **LEVELS,
}
SLIPS: Limits = {"slips": (0.0, 1.0)}  # the share of choices made at random


def make(spec: str, game: LoadedGame, seed: int | None = None, threads: int = 1) -> NamedBot:
    """The bot that `spec` names, with a random generator of its own from `seed`; SetupError if there is none.

    Specs are `random`, `greedy`, `turn`, and `search` with a budget: `search:1s`, `search:2000` (simulations,
    and then the same seed chooses the same), `search:300ms,explore=0.2`; or a level for people:
    `easy`, `medium`, `hard`, `expert`. `threads` is for searches; see `Search`.
    """
    checked_game(game)
    asked = parsed(spec, game)
    seed = fresh_seed() if seed is None else checked_seed(seed)
    if asked.kind in SPECS:
        from .builtin import Builtin

        return Builtin(spec, asked.kind, game, seed, asked.settings.get("slips", 0.0))
    if asked.kind == "external":
        from .external import External

        return External(spec, game, asked.command, asked.budget or PATIENCE)
    from .search import Search, Turn

    if asked.kind == "turn":
        return Turn(spec, game, seed, asked.settings)
    return Search(spec, game, seed, asked.budget or DEFAULT, asked.settings, threads)


def prepare(game: LoadedGame) -> None:
    """Let every kind of bot choose once, so that all it needs has been compiled.

    Bots that look ahead are left out of the plain build, where they are too slow to be of use. A search works one
    way for one player and another way for several; whole turns are planned only where a level does so.
    """
    fewest, most = game.meta.seats
    planned = [spec for spec in LEVELS if parsed(spec, game).kind == "turn"]
    for seats in sorted({fewest, min(max(2, fewest), most)}):
        play = Play.start(game, seats, 0, {})
        while len(play.legal_actions) == 1:
            play.apply(play.legal_actions[0])
        for spec in SPECS if game.build == "plain" else (*SPECS, "search:1", *planned):
            make(spec, game, seed=0).choose(play.observe(play.turn))
    if game.build != "plain":
        from .compare import prepare as prepare_comparing

        prepare_comparing(play.observe(play.turn))


def parsed(spec: str, game: LoadedGame | None = None) -> Spec:
    """A spec taken apart, a level by what it means in a game if one is given.

    SetupError for a bot that does not exist, or a setting that it does not take.
    """
    from .search import LIMITS, TURN_LIMITS

    asked = parse(spec, KINDS, {"search": LIMITS, "turn": TURN_LIMITS, "greedy": SLIPS})
    return parsed(meaning(asked.kind, game)) if game and asked.kind in LEVELS else asked
