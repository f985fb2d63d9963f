"""Creation of bots from their specs."""

from ..core.loaded import LoadedGame
from ..core.weights import AnyWeights, complete_weights
from ..errors import SetupError
from ..play.play import Play
from ..validation import check_game, check_seed, random_seed
from .base import NamedBot
from .builtin import KERNEL_BOTS, KernelBot
from .compare import compare
from .external import ExternalBot
from .levels import LEVELS, spec_for_level
from .search import SEARCH_RANGES, TURN_RANGES, AnyEvaluator, SearchBot, TurnBot
from .spec import DEFAULT_BUDGET, PROGRAM_TIMEOUT, Range, Spec, parse

KINDS = (*KERNEL_BOTS, "turn", "search", "external", *LEVELS)
# The share of choices made at random, and the most points by which an action is overrated.
GREEDY_RANGES = {"epsilon": Range(0, 1), "noise": Range(0, 1000)}


def make(
    spec: str,
    game: LoadedGame,
    seed: int | None = None,
    threads: int = 1,
    evaluator: AnyEvaluator | None = None,
    weights: AnyWeights | None = None,
) -> NamedBot:
    """Make and return the bot that `spec` names.

    Args:
        spec: the kind of bot, with its budget and settings: `random`, `greedy,epsilon=0.1`, `greedy,noise=3`, `turn`,
            `search:1s`, `search:2000,exploration=0.2` (2000 simulations); a level: `beginner`, `easy`, `medium`,
            `hard`, `expert`; or a program: `external:./mybot.py`, `external:5s:./mybot.py`. Without a budget, a search
            has 1 s for each choice; without a time, a program has 10 s.
        game: the game that the bot plays.
        seed: the seed of the bot's random numbers; random if not given. With a budget in simulations, a search with the
            same seed and threads chooses the same.
        threads: the number of threads of a search; other bots ignore it.
        evaluator: an `Evaluator`, `PlayEvaluator` or `KernelEvaluator` that gives a search its values and priors. The
            search is then a tree search by PUCT, also for one seat.
        weights: numbers of the game's evaluation by name, or the path of a file that `almunia tune --weights` wrote.
            Names that are left out have the game's own numbers (`WEIGHTS` in its `bots.py`).

    Raises:
        SetupError: there is no such bot or program, the bot does not take these settings, an evaluator or weights, or
            another argument is invalid.
    """
    check_game(game)
    parsed = parse_spec(spec, game)
    if evaluator is not None and parsed.kind != "search":
        raise SetupError(f"The bot {spec!r} takes no evaluator: write a search, such as 'search:800'.")
    if weights is not None:
        if parsed.kind in ("random", "external"):
            raise SetupError(f"The bot {spec!r} evaluates nothing, so it takes no weights: choose another bot.")
        weights = complete_weights(game, weights)
    seed = random_seed() if seed is None else check_seed(seed)
    if parsed.kind in KERNEL_BOTS:
        return KernelBot(spec, parsed.kind, game, seed, **parsed.settings, weights=weights)
    if parsed.kind == "external":
        return ExternalBot(spec, game, parsed.command, parsed.budget or PROGRAM_TIMEOUT)
    if parsed.kind == "turn":
        return TurnBot(spec, game, seed, parsed.settings, weights)
    return SearchBot(spec, game, seed, parsed.budget or DEFAULT_BUDGET, parsed.settings, threads, evaluator, weights)


def warm_up(game: LoadedGame) -> None:
    """Let bots choose once, and compare two actions, so that the kernels of bots are compiled.

    In the plain build, only `random` and `greedy` choose, and no actions are compared. In other builds, `search` also
    chooses, and `turn` if a level of the game uses it. With one seat, a search compiles other kernels than with several
    seats.
    """
    fewest, most = game.meta.seats
    turn_levels = [spec for spec in LEVELS if parse_spec(spec, game).kind == "turn"]
    for seats in sorted({fewest, min(max(2, fewest), most)}):
        play = Play.start(game, seats, 0, {})
        while len(play.legal_actions) == 1:
            play.apply(play.legal_actions[0])
        for spec in KERNEL_BOTS if game.build == "plain" else (*KERNEL_BOTS, "search:1", *turn_levels):
            make(spec, game, seed=0).choose(play.observe(play.turn))
    if game.build != "plain":
        compare(play.observe(play.turn), play.legal_actions[0], play.legal_actions[-1], seconds=0)


def parse_spec(spec: str, game: LoadedGame | None = None) -> Spec:
    """Parse a spec and return it. If a game is given, replace a level by the level's spec in that game.

    Raise SetupError if the spec is invalid.
    """
    parsed = parse(spec, KINDS, {"search": SEARCH_RANGES, "turn": TURN_RANGES, "greedy": GREEDY_RANGES})
    return parse_spec(spec_for_level(parsed.kind, game)) if game and parsed.kind in LEVELS else parsed
