"""What a game must provide: this page is the contract, and its docstrings the documentation.

A game is a folder (or an installed package named by an entry point in the group
`almunia.games`) with these modules:

    __init__.py      META, and nothing that imports NumPy
    RULES.md         the rules in our own words, every paragraph with a mark: **2.1** or **D3**
    components.toml  the data on the components, every table with its provenance
    components.py    Components: that data as arrays, loaded once
    rules.py         Rules: the state and what may be done with it
    observe.py       Observe: what a seat may know
    text.py          Text: the position and its actions in words
    view.py          View: the position as pictures, with view.css beside it
    cover.svg        the game's cover, eight wide and five high; pages show a position where there is none
    bots.py          Bots, where the game has an evaluation of its own
    lesson.toml      the first game that teaches, where there is one (`play/tutorial.py`)
    tests/           scenes.py (words for scenarios, and laws), scenarios/, records/, test_*.py

A module that outgrows a file becomes a package of its name, with its toml or css file in it: by
place alone a reader tells rules from words from pictures, in every game alike.

`almunia new` writes a small one to start from, and `almunia check` runs the conformance suite.

**The state `s`.** Every state begins with the same header (`layout.HEADER`):

    seats    how many play
    turn     the seat to move
    phase    the question it is being asked, a number of the game's own
    over     0 while the play runs; then the game's number for how it ended
    turns    how many turns have been finished
    reveals  how often something came to light that the seat which acted did not know: a card
             drawn, a die rolled, what others had chosen in secret. What a seat shows of its own
             is no reveal
    rng      the random numbers still to come (`rng.shake` starts it from the seed)

A player may undo what was done since the last change of `turn`, `turns` or `reveals`, and
nothing before it. So a turn whose last decision would bring something to light ends with a
decision of its own to end it, and until then all of it can be undone.

**Actions.** An action is one small decision. What follows from it is carried out at once, but for
things worth telling one by one (a neutral player's moves, a scoring): those are phases of their
own with a single legal action, so that each is logged, replayed and kept apart. A code names
things (a card, a cell). Where it names a place in which another play holds another thing (a slot of
the hand, a square of the market), `action_key` says which thing it is, for searches that look at
many guesses in one tree.

**Three builds.** `rules`, `observe` and `bots` are plain functions without decorators, closures or
classes; they use whole numbers, loops, the state and the tables of `components` alone, and they run
compiled, on graphics processors, and as checked Python. `text` and `view` run as checked Python
only, and are functions too. ARCHITECTURE.md tells what compiles everywhere, and where checked and
compiled arithmetic could part: past 64 bits, and in a division by zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .options import Option

if TYPE_CHECKING:
    import numpy as np
    import svg

    from .codes import Codes

NONE = -1  # no seat, no card, no place, and an action that may not be known
SPECTATOR = -1  # the seat of somebody who only watches
TENSOR_BOUND = 100.0  # no number of an observation is larger, or smaller than its negative


@dataclass(frozen=True)
class Sequel:
    """Another play to go on with when one has ended, under other options and with a seed that nobody knows."""

    label: str  # what the page calls it
    options: dict[str, str]  # under which it is played
    dealt: str = ""  # the option that says what was dealt in the play before, if one does: `text.dealt`


@dataclass(frozen=True)
class Meta:
    """The facts on a game that a list of games shows, without loading its rules."""

    name: str  # one lower-case word, also the name of its folder
    title: str  # as people know it
    designers: tuple[str, ...]  # their full names
    year: int  # of the first edition
    seats: tuple[int, int]  # the fewest and the most
    about: str  # one sentence for somebody who does not know the game
    rules_version: int = 1  # changes whenever an old record might replay differently
    stage: str = "complete"  # or "draft"
    options: tuple[Option, ...] = ()  # what may be chosen before a play
    data: str = ""  # a sentence on data that is not certain, shown on the game's page
    sequels: tuple[Sequel, ...] = ()  # what may follow on a play
    hides: bool = True  # may a seat hold something that another must not see?
    points: tuple[int, int] = (-1_000_000, 1_000_000)  # bounds of what a seat can have at the end
    decisions: int = 100_000  # bound of what a whole play takes of them


class Components(Protocol):
    """`components.py`: what is in the box. Its arrays and numbers come from the file alone.

    An owner of the box may bring a corrected file. What it may change is described in `schema.py` beside it, in a class
    `Tables` (a `core.corrections.Corrections`); without that, it may change nothing.
    """

    DATA: dict[str, Any]  # what `component_data.read` returned
    TABLES: tuple[str, ...]  # the tables the rules depend on: their hash stands in every record


class Rules(Protocol):
    """`rules.py`: the state, and what may be done with it."""

    STATE: "np.dtype"  # made by `layout.state`
    CODES: "Codes"  # what each action code means
    ACTIONS: int  # how many there are, `CODES.total`: codes are 0 .. ACTIONS - 1
    SCORES: tuple[str, ...]  # what the columns of `scores` are called, points first

    def setup(self, s: Any, seats: int, seed: int) -> None:
        """Lay out a blank state: shake `s.rng` with the seed, set `s.seats` and the first question.

        The options are fields of the state, and have been set before.
        """

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


class Naming(Protocol):
    """What `rules.py` also has where codes name places; `kernels/naming.py` stands in with the codes themselves."""

    NUM_ACTION_KEYS: int  # how many things there are to be named

    def action_key(self, s: Any, action: int) -> int:
        """Return the key of a legal action, 0 .. NUM_ACTION_KEYS - 1: after the same keys, the same key and words."""


class Observe(Protocol):
    """`observe.py`: what a seat may know. Every bot, page and tensor starts from `mask`."""

    TENSOR_SHAPES: dict[str, tuple[int, ...]]  # the named parts of an observation, with their shapes
    VISIBILITY: dict[str, str]  # who may see each field: "nobody", "owner", "partly", "everybody"

    def mask(self, s: Any, seat: int) -> None:
        """Blank whatever `seat` (or SPECTATOR) may not know. Called on copies only."""

    def determinize(self, s: Any, seat: int, rng: Any, out: Any) -> None:
        """Fill what `mask` blanked with a guess that fits the masked state, drawn evenly from all that do.

        It may leave out what only the course of the play could tell; a game says so in a
        decision. Random numbers come from `rng`; `s.rng` is renewed from it. `out` (ACTIONS,) is scratch
        space.
        """

    def tensor(self, s: Any, seat: int, out: Any) -> None:
        """Write the observation of `seat` into `out`, a record of float32 with a field for each part of TENSOR_SHAPES.

        `s` has been masked and `out` zeroed. Numbers are scaled so that most lie within -1 and 1, and all within
        TENSOR_BOUND.
        """

    def may_see(self, s: Any, seat: int) -> bool:
        """May `seat` know the action about to be chosen by the seat to move?

        The answer is the same for the true state and for one masked for that seat.
        """


class Guessing(Protocol):
    """What `observe.py` may also say of its guesses."""

    INEXACT_FIELDS: tuple[str, ...]  # hidden fields whose guesses leave out part of what could be inferred


class Openness(Protocol):
    """What `observe.py` also has where seats hold secrets (`Meta.hides`); without secrets everybody knows."""

    def legal_is_public(self, s: Any) -> bool:
        """Does everybody, spectators too, know which actions the seat to move may choose from?

        Then a single one may be done for that seat at once: the moment it takes tells nobody anything.
        """


class ElementRef(NamedTuple):
    """A name in a line that lights up the elements of the picture with the id `target`."""

    words: str  # the name
    target: str  # the id of what it names in the picture


class SeatName(NamedTuple):
    """A seat in a line; whoever shows the line puts the player's name there."""

    seat: int  # from 0


class Points(NamedTuple):
    """Points won or lost."""

    value: int  # how many; fewer than 0 are lost


class RuleRef(NamedTuple):
    """The paragraph of the rules behind what a line tells; pages put a link there, and plain text nothing."""

    mark: str  # in RULES.md: 10.1


RichLine = Sequence[str | ElementRef | SeatName | Points | RuleRef]  # words, and what stands out in them


class Text(Protocol):
    """`text.py`: the position in words.

    `s` is masked for the reader, except that `action_to_string`, `parts`, `end_reason` and `result_lines`
    may get the true state; `action_to_string` gives the same words for both.
    """

    def action_to_string(self, s: Any, action: int) -> str:
        """An action in words, unique within the position whatever the capitals. Records are made of these.

        Error messages ask for the words of actions that are not legal here, too; it may raise for them.
        """

    def button_label(self, s: Any, action: int) -> RichLine:
        """An action as a page offers it: in a player's words, beginning with a capital."""

    def parts(self, s: Any, action: int) -> dict[str, str]:
        """An action as named parts, in the order of `view.PARTS`, for choosing one by one."""

    def effect_text(self, s: Any, action: int) -> RichLine:
        """What the action would do, in a few words; empty if there is nothing to add.

        The points it would bring to whoever chooses it come before those of others.
        """

    def question(self, s: Any) -> str:
        """The question put to the seat to move, as a sentence in the second person."""

    def board(self, s: Any, seat: int) -> str:
        """The position as text, for a terminal or a screen reader."""

    def seat_facts(self, s: Any, seat: int) -> list[tuple[str, str]]:
        """The few numbers on a seat that matter in this game, each with its label."""

    def log_lines(self, before: Any, action: int, after: Any) -> list[RichLine]:
        """Log lines for what happened between two states masked for the same reader.

        `action` is NONE where the reader may not know it.
        """

    def end_reason(self, s: Any) -> str:
        """Why the play is over, as a sentence."""

    def result_lines(self, s: Any, seat: int) -> list[str]:
        """How the seat's result came about, as sentences for the end of a play."""


class Source(NamedTuple):
    """Where points come from, with those that each seat has from it so far."""

    name: str  # as a heading: "Houses"
    points: tuple[int, ...]  # by seat; fewer than 0 are lost
    rule: str = ""  # the mark of the paragraph


class Accounts(Protocol):
    """What `text.py` also has where points come from more than one source."""

    def score_breakdown(self, s: Any) -> list[Source]:
        """The score so far by where it comes from: for every seat the points of all sources add up to its score."""


class Dealt(Protocol):
    """What `text.py` also has where a sequel has an option for what was dealt."""

    def dealt(self, s: Any) -> str:
        """What was dealt in a play that is over, as that option takes it."""


@dataclass(frozen=True)
class Part:
    """One thing to choose on the way to an action."""

    name: str  # the key in `text.parts`, in small letters
    label: str  # what it is called: "Card"
    turns: str = ""  # the label of the button that goes on to the next value, if there is one
    keys: tuple[str, ...] = ()  # keys that do the same


class Role(StrEnum):
    """What a panel is for, by which a page finds its place."""

    BOARD = "board"  # the main picture, of which there is one
    HAND = "hand"  # what the reader has to play with
    OFFER = "offer"  # what may be taken, by whoever it is
    TALLY = "tally"  # what decides: majorities, goals, who has most
    RIVAL = "rival"  # another seat's own board, shown on the card of that seat
    ASIDE = "aside"  # what is looked at now and then


@dataclass(frozen=True)
class Panel:
    """One picture of a position, with what a screen reader says of it."""

    name: str  # one word, unique among the panels
    title: str  # for people
    picture: "svg.SVG"  # drawn with `drawing.canvas`
    role: Role = Role.ASIDE  # what it is for
    seat: int = NONE  # whose things it shows, if they are one seat's alone
    min_font_size: float = 0  # of its texts, in the picture's own units; pages show it at 12 px or more


class View(Protocol):
    """`view.py`: the position as pictures.

    An element that may be clicked carries `data-` attributes: `data-action` with the code of the
    action it completes, or `data-part` and `data-value` for a part of one, with `data-of-NAME` for parts before it
    that are chosen with it, and `data-name` for what it is called, if not by its value. What no picture offers
    ("pass") a page offers as a button. Elements that log lines name have ids as `Ref.target` says.

    A page hides an element with `data-action` (class `away`) while the parts that were chosen so far lead
    to other actions, so it lies over a piece and is not the piece itself. The action that is aimed at has the
    class `aimed`, a part that is chosen has `chosen`, and the table has `chosen-NAME-VALUE`. What has the
    class `target` is hidden where scripts don't run. Colours may differ by theme with `light-dark()`. What shows
    an icon may carry its name as `data-sign`: pointed at, focused or tapped, it says what ICONS has on it.
    """

    PARTS: tuple[Part, ...]  # what is chosen on the way to an action, in order; empty if a click is enough

    def panels(self, s: Any, seat: int, legal: Sequence[int]) -> list[Panel]:
        """The position as `seat` sees it, the board first.

        `legal` are the actions that may be chosen in it; empty for a picture to look at only.
        """

    def preview(self, s: Any, seat: int, action: int) -> "svg.G":
        """What the main picture would gain by an action, to be laid over it."""


@dataclass(frozen=True)
class Icon:
    """A sign in the pictures of a game, for seats' cards and for the key."""

    name: str  # one word, unique among the icons
    title: str  # what it shows
    about: str  # what that does in this game, as a sentence
    rule: str  # the mark of the paragraph in RULES.md
    picture: "svg.Element"  # drawn around 0, 0, in a square of 24 units
    fact: str = ""  # the label in `text.seat_facts` that it stands for, if there is one


class Signs(Protocol):
    """What `view.py` also has where its pictures speak in icons."""

    ICONS: tuple[Icon, ...]


class Bots(Protocol):
    """`bots.py`: what this game knows about playing well. Optional, and compiled; `kernels/evaluation.py` stands in.

    What stands in counts the points so far, which misleads bots where points must be spent before they are earned.
    """

    def evaluate(self, s: Any, table: Any, out: Any) -> None:
        """Write into `out` (seats,) how good the position is for every seat, in whole numbers.

        They are points, or a part of a point: then `VALUE_SCALE` says how many make one. It counts what has
        been begun (a choice made, a tile half paid), for bots look one decision ahead.
        `table` is scratch space for `scores`.
        """


class Foresight(Protocol):
    """What `bots.py` also has where there is a shorter way than to copy the state, apply an action and evaluate."""

    SCRATCH_SIZE: int  # how many notes `action_values` takes

    def action_values(self, s: Any, actions: Any, count: int, trial: Any, out: Any) -> None:
        """Write into `out` (count,) how far each of the first `count` actions puts the seat to move ahead.

        That is what `evaluate` would then write for it, less the most that it would write for another one; alone,
        its value. `s` is as before when it returns; `trial` (`core.kernels.evaluation.Trial`) is scratch space.
        """


class Outlook(Protocol):
    """What `bots.py` also has where it sees beyond the turn."""

    def evaluate_leaf(self, s: Any, table: Any, out: Any) -> None:
        """As `evaluate`, and in the same unit, but with what later turns are likely to bring; it may be slower.

        Bots that search look at it once in a simulation, and at `evaluate` for every action they consider.
        """


class Playing(Protocol):
    """What `bots.py` may say of how the game is played best; each by itself."""

    VALUE_SCALE: int  # how many of the numbers that `evaluate` writes make a point; 1 if it is not said
    SEARCH: dict[str, float]  # settings with which a search plays this game best
    SEATS_INDEPENDENT: bool  # can nothing that others do change what a seat can reach? Searches then use beams
    LEVELS: dict[str, str]  # the specs of levels that differ from those of most games


@dataclass(frozen=True)
class Challenge:
    """A fixed deal with something to beat, for one seat."""

    name: str  # one word, unique in the game
    title: str  # for people
    options: dict[str, str]  # that deal it
    target: int  # points that count as a success
    best: int  # the best that people have reported


@dataclass(frozen=True)
class Campaign:
    """Where somebody stands who tries the challenges one after the other."""

    next: str  # the name of the challenge to try now; empty when the campaign is over
    words: str  # how things stand, as a sentence or two


class Challenges(Protocol):
    """What `text.py` also has where the game has fixed deals to be measured by."""

    CAMPAIGN: str  # where they come from and how the campaign goes
    CHALLENGES: tuple[Challenge, ...]  # in the order of the campaign

    def campaign(self, attempts: Sequence[tuple[str, int]]) -> Campaign:
        """The standing after these attempts, oldest first: (name of the challenge, points)."""
