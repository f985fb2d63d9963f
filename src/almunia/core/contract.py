"""What a game must provide: this page is the contract, and its docstrings the documentation.

A game is a folder (or an installed package named by an entry point in the group
`almunia.games`) with these modules:

    __init__.py      META, and nothing that imports NumPy
    RULES.md         the rules in our own words, every paragraph with a mark: **2.1** or **D3**
    components.toml  the data on the components, every table with its provenance
    components.py    that data as arrays, loaded once
    rules.py         Rules: the state and what may be done with it
    observe.py       Observe: what a seat may know
    text.py          Text: the position and its actions in words
    view.py          View: the position as pictures, with view.css beside it
    bots.py          Bots, where the game has an evaluation of its own
    challenges.py    Challenges, where the game has fixed deals to be measured by

`s` is always a state. In `rules`, `observe` and `bots` it is a NumPy record of the dtype `STATE`
when the text runs compiled, and a checked record when it runs plain: those functions use whole
numbers, loops and tables only (ARCHITECTURE.md tells what compiles everywhere). `text` and
`view` run in plain Python alone, always on a state that has been masked for the seat that reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .options import Option

if TYPE_CHECKING:
    import numpy as np
    import svg

NONE = -1  # no seat, no card, no place, and an action that may not be known
SPECTATOR = -1  # the seat of somebody who only watches


@dataclass(frozen=True)
class Sequel:
    """Another play to go on with when one has ended: the same seed under other options."""

    label: str
    options: dict[str, str]


@dataclass(frozen=True)
class Meta:
    """The facts on a game that a list of games shows, without loading its rules."""

    name: str  # one lower-case word, also the name of its folder
    title: str
    designers: tuple[str, ...]
    year: int
    seats: tuple[int, int]  # the fewest and the most
    about: str  # one sentence for somebody who does not know the game
    rules_version: int = 1  # changes whenever an old record might replay differently
    stage: str = "complete"  # or "draft"
    options: tuple[Option, ...] = ()
    data: str = ""  # a sentence on data that is not certain, shown on the game's page
    sequels: tuple[Sequel, ...] = ()
    hides: bool = True  # may a seat hold something that another must not see?


class Rules(Protocol):
    """`rules.py`: the state, and what may be done with it."""

    STATE: "np.dtype"  # made by `layout.state`
    ACTIONS: int  # action codes are 0 .. ACTIONS - 1
    SCORES: tuple[str, ...]  # what the columns of `scores` are called, points first

    def setup(self, s: Any, seats: int, seed: int) -> None:
        """Lay out a blank state. The options are fields of it, and have been set before."""

    def legal(self, s: Any, out: Any) -> int:
        """Write the legal actions of the seat to move, ascending, into `out` (ACTIONS,).

        Returns how many there are; 0 means that the play is over, and only then is `s.over` set.
        """

    def apply(self, s: Any, action: int) -> None:
        """Do a legal action, and everything that follows until the next question is asked."""

    def scores(self, s: Any, out: Any) -> None:
        """Write a row for each seat into `out` (seats, len(SCORES)): points, then tie-breaks.

        Larger is better in every column. May be asked at any time for the score so far.
        """


class Observe(Protocol):
    """`observe.py`: what a seat may know. Every bot, page and tensor starts from `mask`."""

    TENSOR: "dict[str, tuple[int, ...]]"  # the named parts of an observation, with their shapes

    def mask(self, s: Any, seat: int) -> None:
        """Blank whatever `seat` (or SPECTATOR) may not know. Called on copies only."""

    def redeal(self, s: Any, seat: int, rng: Any, out: Any) -> None:
        """Fill what `mask` blanked with a guess that fits, drawn evenly from all that fit.

        Luck comes from `rng`, never from `s.rng`, which is shaken anew too. `out` (ACTIONS,) is
        scratch paper.
        """

    def tensor(self, s: Any, seat: int, out: Any) -> None:
        """Write the observation of `seat` into `out` (float32, the sizes of TENSOR added up).

        `s` has been masked and `out` zeroed.
        """

    def may_see(self, s: Any, seat: int) -> bool:
        """May `seat` know the action about to be chosen by the seat to move?"""


class Ref(NamedTuple):
    """A name in a log line that lights up the elements of the picture with the id `target`."""

    words: str
    target: str


class Who(NamedTuple):
    """A seat in a log line; whoever shows the line puts the player's name there."""

    seat: int


class Points(NamedTuple):
    """Points won or lost in a log line."""

    value: int


Line = Sequence[str | Ref | Who | Points]  # a log line: words, and what stands out in them


class Text(Protocol):
    """`text.py`: the position in words."""

    def say(self, s: Any, action: int) -> str:
        """An action in words, unique within the position. Records are made of these."""

    def parts(self, s: Any, action: int) -> dict[str, str]:
        """An action as named parts, in the order of `view.PARTS`, for choosing one by one."""

    def effect(self, s: Any, action: int) -> str:
        """What the action would do, in a few words; empty if there is nothing to add."""

    def ask(self, s: Any) -> str:
        """The question put to the seat to move, as a sentence in the second person."""

    def board(self, s: Any, seat: int) -> str:
        """The position as text, for a terminal or a screen reader."""

    def facts(self, s: Any, seat: int) -> list[tuple[str, str]]:
        """The few numbers on a seat that matter in this game, each with its label."""

    def tell(self, before: Any, action: int, after: Any) -> list[Line]:
        """Log lines for what happened between two states masked for the same reader.

        `action` is NONE where the reader may not know it.
        """

    def ending(self, s: Any) -> str:
        """Why the play is over, as a sentence."""

    def verdict(self, s: Any, seat: int) -> list[str]:
        """How the seat's result came about, as sentences for the end of a play."""


@dataclass(frozen=True)
class Part:
    """One thing to choose on the way to an action."""

    name: str  # the key in `text.parts`
    label: str  # what it is called: "Card"
    turns: str = ""  # the label of the button that goes on to the next value, if there is one
    keys: tuple[str, ...] = ()  # keys that do the same


@dataclass(frozen=True)
class Panel:
    """One picture of a position, with what a screen reader says of it."""

    name: str
    title: str
    picture: "svg.SVG"
    main: bool = field(default=False)


class View(Protocol):
    """`view.py`: the position as pictures.

    An element that may be clicked carries `data-` attributes: `data-action` with the code of the
    action it completes, or `data-part` and `data-value` for a part of one. Elements that log
    lines name have ids as `Ref.target` says.
    """

    PARTS: tuple[Part, ...]

    def panels(self, s: Any, seat: int, legal: Sequence[int]) -> list[Panel]:
        """The position as `seat` sees it, the main picture first.

        `legal` are the actions that may be chosen in it; empty for a picture to look at only.
        """

    def ghost(self, s: Any, seat: int, action: int) -> "svg.G":
        """What the main picture would gain by an action, to be laid over it."""


class Bots(Protocol):
    """`bots.py`: what this game knows about playing well. Optional, and compiled."""

    def evaluate(self, s: Any, seat: int, table: Any) -> int:
        """How good the position is for `seat`; only differences matter. `table` as in `scores`."""


@dataclass(frozen=True)
class Challenge:
    """A fixed deal with something to beat, for one seat."""

    name: str
    title: str
    options: dict[str, str]
    target: int  # points that count as a success
    best: int  # the best that people have reported


@dataclass(frozen=True)
class Campaign:
    """Where somebody stands who tries the challenges one after the other."""

    next: str  # the name of the challenge to try now; empty when the campaign is over
    words: str  # how things stand, as a sentence or two


class Challenges(Protocol):
    """`challenges.py`: fixed deals. Optional."""

    ABOUT: str  # where they come from and how the campaign goes
    CHALLENGES: tuple[Challenge, ...]

    def campaign(self, attempts: Sequence[tuple[str, int]]) -> Campaign:
        """The standing after these attempts, oldest first: (name of the challenge, points)."""
