"""Optional members of a game's modules, in addition to `contract`. Each member has a default.

The protocols for `text` and `view` contain the defaults. Defaults for modules that also run compiled are in
`core/kernels/defaults.py` and `core/kernels/evaluation.py`. The last protocols are the modules with all members, the
game's own or defaults, as the rest of the library uses them. The conformance suite checks all members that a game
provides.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .contract import Observe, RichLine, Rules, Text, View

if TYPE_CHECKING:
    import svg


class OptionalRules(Protocol):
    """Optional members of `rules.py`, for games in which a code names a place that can hold different things."""

    NUM_ACTION_KEYS: int  # the number of keys. Default: ACTIONS

    def action_key(self, s: Any, action: int) -> int:
        """Return the key, 0 .. NUM_ACTION_KEYS - 1, of the thing that a legal action names. Default: its code.

        After the same decisions by key, the same key has the same words in every determinization.
        """


class OptionalObserve(Protocol):
    """Optional members of `observe.py`."""

    INEXACT_FIELDS: tuple[str, ...]  # hidden fields that `determinize` fills without full inference. Default: ()

    def legal_is_public(self, s: Any) -> bool:
        """Return whether every player and spectator knows the legal actions of the seat to move. Default: False.

        If so, a single legal action may be applied for that seat at once, since the missing delay reveals nothing. This
        function is not called for a game without hidden information (`Meta.has_hidden_information`).
        """


class Source(NamedTuple):
    """A source of points, with the points that each seat has from it so far."""

    name: str  # as a heading: "Houses"
    points: tuple[int, ...]  # by seat; negative if lost
    rule: str = ""  # the mark of the paragraph


class ActionSequence(NamedTuple):
    """Several actions that are offered as one choice, such as a whole payment."""

    actions: tuple[int, ...]  # two or more, each legal after the previous actions
    offer: RichLine  # in a player's words, beginning with a capital
    effect: RichLine  # the effect of the actions, in a few words; may be empty


class Explanation(NamedTuple):
    """The reason why a place cannot be chosen."""

    sentence: RichLine  # in the rule's words: which side, which number
    rule: str  # the mark of the paragraph
    target: str = ""  # the id of the element in the way, in the picture


class Column(NamedTuple):
    """One source of points in a scoring."""

    name: str  # as a heading: "Towers"
    points: tuple[int, ...]  # by seat; negative if lost
    notes: tuple[str, ...] = ()  # by seat, the reason for the points, in a few words: "3 towers"; may be empty
    targets: tuple[str, ...] = ()  # ids of the elements that earned them, in the picture


class Scoring(NamedTuple):
    """A scoring that is an event of its own, with the points of every seat."""

    title: str  # "Second scoring round"
    rule: str  # the mark of the paragraph
    columns: tuple[Column, ...]  # one for each source that gave points


@dataclass(frozen=True)
class Challenge:
    """A fixed deal for one seat, with points to reach."""

    name: str  # one word, unique in the game
    title: str  # for people
    options: dict[str, str]  # the options that fix the deal
    target: int  # points that count as a success
    best: int  # the highest points that players have reported


@dataclass(frozen=True)
class Campaign:
    """The standing of a player who tries the challenges in order."""

    next: str  # the name of the challenge to try now; empty when the campaign is over
    words: str  # the standing, in a sentence or two


class OptionalText(Protocol):
    """Optional members of `text.py`."""

    CAMPAIGN: str = ""  # the source of the challenges and the course of the campaign
    CHALLENGES: tuple[Challenge, ...] = ()  # fixed deals in the order of the campaign

    def campaign(self, attempts: Sequence[tuple[str, int]]) -> Campaign:
        """Return the standing after these attempts, oldest first: (name of the challenge, points). Default: empty."""
        return Campaign("", "")

    def dealt(self, s: Any) -> str:
        """Return the deal of a play that is over, as a value of the option `Sequel.dealt`. Default: empty."""
        return ""

    def rule_of_question(self, s: Any) -> str:
        """Return the mark of the paragraph behind the question to the seat to move: 4.2. Default: empty."""
        return ""

    def score_breakdown(self, s: Any) -> list[Source]:
        """Return the score so far by source: the points of a seat add up to its score. Default: an empty list.

        A game whose points have a single source does not define this function.
        """
        return []

    def scoring(self, before: Any, action: int, after: Any) -> Scoring | None:
        """Return the scoring that an action caused, between two states masked for the same reader. Default: None.

        For every seat the points of all columns add up to the change of its score. `action` is NONE if the reader may
        not know the action.
        """
        return None

    def suggestions(self, s: Any) -> list[ActionSequence]:
        """Return a few useful action sequences for the seat to move, the best first. Default: an empty list."""
        return []

    def warning(self, s: Any, action: int) -> str:
        """Return a sentence on what an action gives up, if the player probably overlooks it. Default: empty.

        A page plays an action with a warning only when the player confirms it. `s` is masked for the seat to move.
        """
        return ""

    def explain_illegal(self, s: Any, place: str, chosen: Mapping[str, str]) -> Explanation | None:
        """Return the reason why the seat to move cannot choose a place of `view.hit_test`. Default: None.

        Return None if the seat can choose the place, or if the game has no explanation.
        `chosen` are the parts chosen so far, by name, as in `parts`. `s` is masked for the seat to move.
        """
        return None


@dataclass(frozen=True)
class Icon:
    """A symbol in the pictures of a game, for seats' cards and for the legend."""

    name: str  # one word, unique among the icons
    title: str  # its name on pages
    about: str  # its meaning in this game, as a sentence
    rule: str  # the mark of the paragraph in RULES.md
    picture: "svg.Element"  # drawn around 0, 0, in a square of 24 units
    fact: str = ""  # the label of its fact in `text.seat_facts`, if it stands for a fact


class OptionalView(Protocol):
    """Optional members of `view.py`."""

    ICONS: tuple[Icon, ...] = ()  # the icons in its pictures

    def hit_test(self, s: Any, seat: int, panel: str, x: float, y: float) -> str:
        """Return the place of a panel at a point, in the picture's own units, or an empty string. Default: empty.

        The place is a word that the game chooses ("space-h4", "market-2"), and only `text.explain_illegal` must
        understand the word. An element that `view.css` moves carries `data-frame`: the place of its origin in these
        units ("12 40").
        """
        return ""


class OptionalBots(Protocol):
    """Members of `bots.py`, all optional, that help bots to play this game well. The functions run compiled.

    The default evaluation counts the points so far, which misleads bots if points must be spent to earn more.
    """

    VALUE_SCALE: int  # the number of units of `evaluate` in a point. Default: 1
    SEARCH: dict[str, float]  # the best settings of a search for this game. Default: {}
    SEATS_INDEPENDENT: bool  # whether no seat affects the options of another: searches use beams. Default: False
    LEVELS: dict[str, str]  # specs of levels that differ from the usual specs. Default: {}
    SCRATCH_SIZE: int  # the size of `scratch.notes` in `action_values`. Default: 0
    # By number of seats: the numbers of a `WinChance`, as `python -m benchmarks.analysis` fits them.
    # Default: {}, and the utility of a search counts as the chance to win.
    WIN_CHANCE: dict[int, tuple[float, float, float, float]]
    # The numbers of the evaluations by name, integers from -10,000 to 10,000 or tuples of them. Default: {}
    WEIGHTS: dict[str, int | tuple[int, ...]]
    # How luck is measured: the turns that greedy bots play before `evaluate_leaf`, and the share of a lead that is left
    # at the end, as `python -m benchmarks.analysis` fits it. Default: None, and the bots play to the end.
    LUCK_HORIZON: tuple[int, float] | None

    def evaluate(self, s: Any, weights: Any, table: Any, out: Any) -> None:
        """Write the value of the position for every seat into `out`, int64 (seats,). Default: the points.

        The unit is the fraction 1 / VALUE_SCALE of a point. Value incomplete steps (a choice made, a tile half paid),
        since bots look one decision ahead. `table`, int64 (seats, len(SCORES)), is scratch space for `scores`.
        `weights[0]` has the numbers of WEIGHTS as attributes. Every number allowed there must work. A game without
        WEIGHTS leaves this parameter out.
        """

    def action_values(self, s: Any, actions: Any, count: int, scratch: Any, out: Any) -> None:
        """Write into `out[:count]`, int64, the margin of the seat to move after each of the first `count` actions.

        The margin is the seat's value by `evaluate` less the highest value of another seat, if there is one.
        The default applies each action to a copy and evaluates the copy. Define this function if there is a faster way.
        Do not change `s`. `scratch` is a `core.kernels.evaluation.EvalScratch`; with WEIGHTS, `scratch.weights[0]` is
        the argument `weights` of `evaluate`.
        """

    def evaluate_leaf(self, s: Any, weights: Any, table: Any, out: Any) -> None:
        """Write an evaluation that also counts the likely gains of later turns into `out`. Default: `evaluate`.

        The evaluation has the unit of `evaluate`. The function may be slower than `evaluate`, because a search calls
        `evaluate` more often.
        """


class RulesModule(Rules, OptionalRules, Protocol):
    """`rules.py`, with defaults."""


class ObserveModule(Observe, OptionalObserve, Protocol):
    """`observe.py`, with defaults."""


class TextModule(Text, OptionalText, Protocol):
    """`text.py`, with defaults."""


class ViewModule(View, OptionalView, Protocol):
    """`view.py`, with defaults."""


def members(protocol: type) -> list[str]:
    """Return the names of the constants and functions that a protocol describes, constants first."""
    return [name for name in {**protocol.__annotations__, **vars(protocol)} if not name.startswith("_")]


def with_defaults(module: ModuleType, protocol: type, defaults: Mapping[str, Any] | None = None) -> Any:
    """Add the members of a protocol that a module lacks, from `defaults` or the protocol itself; return the module.

    The module itself is changed, and not a copy, because `importlib.reload` does not accept a copy.
    """
    if defaults is None:
        own = {name: getattr(protocol, name) for name in members(protocol)}
        defaults = {name: MethodType(value, module) if callable(value) else value for name, value in own.items()}
    for name in members(protocol):
        vars(module).setdefault(name, defaults[name])
    return module


def is_default(function: Callable[..., Any]) -> bool:
    """Return whether a function of a game's `text` or `view` is the default."""
    return function.__module__ == __name__
