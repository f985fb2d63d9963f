"""The contract: the modules and members that a game must have. The docstrings here are the documentation.

A game is a folder, or an installed package with an entry point in the group `almunia.games`. It has these modules and
files; those marked with * are optional:

    __init__.py      META, and nothing that imports NumPy
    RULES.md         the rules in our own words, every paragraph with a mark: **1.1** (the first) or **D3**
    components.toml  the data on the components, every table with its provenance
    components.py    Components: that data as arrays, loaded once
    schema.py *      the values that an owner's corrected components.toml may change (`core/corrections.py`)
    rules.py         Rules: the state, and how actions change it
    observe.py       Observe: what a seat may know
    text.py          Text: the position and its actions in words
    view.py *        View: the position as pictures, with view.css beside it
    bots.py *        how to play well (`OptionalBots`)
    cover.svg *      the game's cover, eight wide and five high; without it, pages show a position
    lesson.toml *    the first game that teaches (`play/lesson.py`)
    tests/ *         scenes.py (words for scenarios, and invariants), scenarios/, records/, test_*.py

`core/optional.py` lists the optional members of these modules. A module that outgrows a file becomes a package of the
same name, with the toml or css file inside.

`almunia new` writes a small game to start from, and `almunia check` runs the conformance suite. A game without
`view.py` is shown as the text of `text.board`. Write it with `almunia new --bare`.

**The state `s`.** Every state begins with the same header (`engine.state_dtype.HEADER`):

    seats    number of seats
    turn     seat to move
    phase    question to the seat to move, a number of the game's own
    over     0 while the play runs; then the game's number for how it ended
    turns    number of finished turns
    reveals  number of times that the seat that acted learned something new: a card drawn, a die
             rolled, the secret choices of others. Facts that the seat knew do not count
    rng      generator of the random numbers to come, which `rng.seed_rng` seeds

If a state has an array `seat` of records, it has a record for each seat, up to the most seats that the game allows.

A player can undo the actions since the last change of `turn`, `turns` or `reveals`, and no earlier actions. If the last
decision of a turn would reveal something, give the turn another decision that ends the turn: until then the player can
undo all of the turn.

**Actions.** An action is one small decision. Its consequences are carried out at once, except for events that each
deserve a line in the log (a neutral player's moves, a scoring). These events are phases of their own with a single
legal action, so that each is logged and replayed by itself. A code names things (a card, a cell). If a code names a
place where another determinization holds another thing (a slot of the hand, a square of the market), `action_key` says
which thing is meant.

**Three builds.** `rules`, `observe` and `bots` are plain functions without decorators, closures or classes. They use
integers, loops, the state and the tables of `components` only, and they run compiled, on graphics processors, and as
checked Python. `text` and `view` run as checked Python only, and are functions, too. `docs/dev/engine.md` says what
compiles everywhere, and in which cases checked and compiled arithmetic differ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .options import Option

if TYPE_CHECKING:
    import numpy as np
    import svg

    from .codes import Codes

NONE = -1  # no seat, no card, no place, and an action that the reader may not know
SPECTATOR = -1  # the seat of a viewer who does not play
TENSOR_BOUND = 100.0  # the largest absolute value in an observation


@dataclass(frozen=True)
class Sequel:
    """A play that may follow the end of another play, with other options and a secret seed."""

    label: str  # its name on the page
    options: dict[str, str]  # the options of the play
    dealt: str = ""  # the option for the deal of the play before, if there is one; its value is `text.dealt`


@dataclass(frozen=True)
class Meta:
    """Facts about a game that a program can read without loading the game's rules."""

    name: str  # one lower-case word, also the name of its folder
    title: str  # the published title
    designers: tuple[str, ...]  # their full names
    year: int  # of the first edition
    seats: tuple[int, int]  # the fewest and the most
    about: str  # one sentence for people who do not know the game
    rules_version: int = 1  # changes whenever an old record might replay differently
    stage: str = "complete"  # or "draft"
    options: tuple[Option, ...] = ()  # options that may be chosen before a play
    data: str = ""  # a sentence on data that is not certain, shown on the game's page
    sequels: tuple[Sequel, ...] = ()  # plays that may follow a play of this game
    has_hidden_information: bool = True  # whether a seat can hold something that another must not see
    points: tuple[int, int] = (-1_000_000, 1_000_000)  # bounds of a seat's points at the end
    decisions: int = 100_000  # bound of the number of decisions in a play
    minutes: int = 0  # of a usual play on the site; 0 if unknown
    weight: int = 0  # how much there is to learn and to think about, from 1 (very light) to 5; 0 if unknown


class Components(Protocol):
    """`components.py`: the contents of the box, as arrays and numbers from the component file alone.

    An owner of the box may supply a corrected file. `schema.py` in the same folder describes the values that a
    corrected file may change, in a class `Tables`, a subclass of `core.corrections.Corrections`. Without `schema.py`,
    the file may change nothing.
    """

    DATA: dict[str, Any]  # returned by `component_data.read`
    TABLES: tuple[str, ...]  # the tables that the rules depend on; their hash is in every record


class Rules(Protocol):
    """`rules.py`: the state, and how actions change it."""

    STATE: "np.dtype"  # made by `engine.state_dtype.state_dtype`
    CODES: "Codes"  # the meaning of each action code
    ACTIONS: int  # the number of codes, `CODES.total`: they are 0 .. ACTIONS - 1
    SCORES: tuple[str, ...]  # the names of the columns of `scores`, points first

    def setup(self, s: Any, seats: int, seed: int) -> None:
        """Set up a zeroed state: seed `s.rng` with `seed_rng`, set `s.seats` and the first question.

        The options are fields of the state, and have been set before.
        """

    def legal(self, s: Any, out: Any) -> int:
        """Write the legal actions of the seat to move, ascending, into `out`, int32 (ACTIONS,).

        Return the number of actions, which is 0 if the play is over, that is if `s.over` is set, and only then.
        """

    def apply(self, s: Any, action: int) -> None:
        """Apply a legal action to the state, with everything that follows until the next question."""

    def scores(self, s: Any, out: Any) -> None:
        """Write a row for each seat into `out`, int64 (seats, len(SCORES)): points so far, then tie-breaks.

        Larger is better in every column.
        """


class Observe(Protocol):
    """`observe.py`: the knowledge of a seat."""

    TENSOR_SHAPES: dict[str, tuple[int, ...]]  # the named parts of an observation, with their shapes
    VISIBILITY: dict[str, str]  # fields by who may see them: "nobody", "owner", "partly", "everybody"

    def mask(self, s: Any, seat: int) -> None:
        """Blank everything in `s`, a copy of the true state, that `seat` (or SPECTATOR) may not know."""

    def determinize(self, s: Any, seat: int, rng: Any, out: Any) -> None:
        """Fill the blanked fields with a guess, drawn uniformly from all guesses that fit the masked state.

        The guess may ignore what only the history of the play tells, if a decision in the game's RULES.md says so.
        Random numbers come from `rng`, int64 (4,), and `s.rng` is seeded again from it. `out`, int32 (ACTIONS,), is
        scratch space.
        """

    def tensor(self, s: Any, seat: int, out: Any) -> None:
        """Write the observation of `seat` into `out`, a record of float32 with a field for each part of TENSOR_SHAPES.

        `s` has been masked and `out` zeroed. Scale numbers so that most lie within -1 and 1. The absolute value of a
        number is at most TENSOR_BOUND.
        """

    def may_see(self, s: Any, seat: int) -> bool:
        """Return whether `seat` may know the action that the seat to move is about to choose.

        The answer is the same for the true state and for the state masked for that seat.
        """


class ElementRef(NamedTuple):
    """A name in a line. Hovering over the name highlights the elements of the picture with the id `target`."""

    words: str  # the name
    target: str  # the id of the elements in the picture


class SeatName(NamedTuple):
    """A seat in a line. Pages show the player's name instead."""

    seat: int  # from 0


class Points(NamedTuple):
    """Points won or lost."""

    value: int  # negative if lost


class RuleRef(NamedTuple):
    """The paragraph of the rules that a line follows from: a link on pages, empty in plain text."""

    mark: str  # in RULES.md: 10.1


RichLine = Sequence[str | ElementRef | SeatName | Points | RuleRef]  # words, with what pages render specially


class Text(Protocol):
    """`text.py`: the position in words.

    Functions get a state that is masked for the reader, and must also accept the true state. `action_to_string` gives
    the same words for both states.
    """

    def action_to_string(self, s: Any, action: int) -> str:
        """Return an action in words that are unique in the position, whatever their capitals, for records.

        Error messages also need the words of illegal actions. For an illegal action, this function may raise any error.
        """

    def button_label(self, s: Any, action: int) -> RichLine:
        """Return the label of an action's button: in a player's words, beginning with a capital."""

    def parts(self, s: Any, action: int) -> dict[str, str]:
        """Return an action as named parts, in the order of `view.PARTS`, in which a player chooses the parts.

        A game without `view.py` needs one part: `{"choice": "pass"}`.
        """

    def effect_text(self, s: Any, action: int) -> RichLine:
        """Return the effect of the action in a few words; empty if the label says enough.

        The points that the action earns for the player come before those of others.
        """

    def question(self, s: Any) -> str:
        """Return the question to the seat to move, as a sentence in the second person."""

    def board(self, s: Any, seat: int) -> str:
        """Return the position as text, for a terminal or a screen reader."""

    def seat_facts(self, s: Any, seat: int) -> list[tuple[str, str]]:
        """Return the few facts about a seat that matter in this game, each as (label, value)."""

    def log_lines(self, before: Any, action: int, after: Any) -> list[RichLine]:
        """Return the log lines of an action, from two states masked for the same reader.

        `action` is NONE if the reader may not know the action.
        """

    def end_reason(self, s: Any) -> str:
        """Return the reason why the play is over, as a sentence."""

    def result_lines(self, s: Any, seat: int) -> list[str]:
        """Return sentences that explain the result of a seat at the end of a play."""


@dataclass(frozen=True)
class Part:
    """A part of an action, such as a card or a cell, which a player chooses on the way to the action."""

    name: str  # the key in `text.parts`, in small letters
    label: str  # shown to players: "Card"
    turns: str = ""  # the label of the button that goes on to the next value, if there is one
    keys: tuple[str, ...] = ()  # keys that do the same


class Role(StrEnum):
    """The purpose of a panel, by which a page places it."""

    BOARD = "board"  # the main picture; there is one
    HAND = "hand"  # the things that the reader can play with
    OFFER = "offer"  # the things that any player can take
    STANDINGS = "tally"  # the decisive facts of the game: majorities, goals, ranks
    OPPONENT = "rival"  # another seat's own board, shown on the card of that seat
    SUPPLY = "supply"  # things that can be built or bought later; beside the board if a wide window has room
    SECONDARY = "aside"  # things that players need seldom


@dataclass(frozen=True)
class Panel:
    """A picture of a position. A page draws the picture when it shows the panel.

    The picture is `draw(*key)`. Pictures are cached by the function and the key, for all seats and spectators, in all
    positions and plays. So `draw` must be a function of a module that reads only its arguments and the tables of
    `components`. `key` must have everything of the position that the picture shows, as numbers, strings, bytes, and
    tuples of these. The fewer numbers a key has, the more positions share the picture.
    """

    name: str  # one word, unique among the panels
    title: str  # for people
    draw: Callable[..., "svg.SVG"]  # draws the picture with `core.svg.canvas`
    key: tuple[Any, ...]  # the arguments of `draw`, from the masked state
    role: Role = Role.SECONDARY  # its purpose
    seat: int = NONE  # the seat that owns the things shown, if a single seat does
    min_font_size: float = 0  # of its texts, in the picture's own units, or 0; pages show it at 12 px or more

    @property
    def picture(self) -> "svg.SVG":
        """The picture, which each access draws again."""
        return self.draw(*self.key)


@dataclass(frozen=True)
class Overlay:
    """An addition to a panel for the legal actions: a drawing, attributes of an element, or a larger view box."""

    panel: str  # the name of the panel
    target: str = ""  # the id of an element in the picture, which is not empty; without an id, the picture itself
    drawing: "svg.Element | None" = None  # drawn at the end of the target
    data: dict[str, Any] = field(default_factory=dict)  # `data-` attributes of the target: {"action": 7}
    classes: tuple[str, ...] = ()  # of the target
    view_box: "svg.ViewBoxSpec | None" = None  # of the picture, if choices need more room than the position

    def __post_init__(self) -> None:
        if not self.target and (self.data or self.classes):
            raise ValueError(f"Attributes belong to an element of the panel {self.panel!r}, whose id is missing.")

    @classmethod
    def clickable(
        cls, panel: str, target: str, action: int, drawing: "svg.Element | None" = None, is_good: bool = False
    ) -> "Overlay":
        """Return an overlay that makes an element clickable for an action, as `core.svg.clickable` does."""
        return cls(panel, target, drawing, {"action": action}, ("target", "good") if is_good else ("target",))


class View(Protocol):
    """`view.py`: the position as pictures.

    `panels` describes the pictures of the position, and `choices` adds the actions that the seat to move can choose.
    An element that can be clicked carries `data-` attributes. `data-action` has the code of the action that the click
    completes. Without it, `data-part` and `data-value` name a part of an action. `data-of-NAME` names an earlier part
    that is chosen with this part. `data-name` has the words of the part if they differ from its value. An action that
    no picture offers ("pass") becomes a button. Elements that log lines name have ids, as in `ElementRef.target`.

    A page hides an element with `data-action` (class `away`) while the parts chosen so far lead to other actions. So
    draw the element over a piece and not as the piece itself. The hovered action has the class `aimed`, a chosen part
    has `chosen`, and the table has `chosen-NAME-VALUE`. Elements with the class `target` are hidden without scripts.

    Choices have two strengths. A shape with the class `possible`, which is an element with `data-action` or its child,
    is a thin frame. It is filled while the action is aimed at, and if the action is among the best (class `good`). If
    more than a third of a board can be chosen (`core.svg.are_many`), draw a `core.svg.veil` over the rest, and frames
    with the class `open`, which are invisible until they are filled.

    Colours may differ by theme with `light-dark()`. An element that shows an icon may carry the icon's name as
    `data-sign`. Hovering, focusing or tapping such an element shows the words of the icon in `ICONS`.
    """

    PARTS: tuple[Part, ...]  # the parts of an action, in the order of choosing; empty if a click is enough

    def panels(self, s: Any, seat: int) -> list[Panel]:
        """Return the panels of the position as `seat` sees it, the board first, without choices.

        The panels are described and not drawn, so that a page draws only the pictures that are new.
        """

    def choices(self, s: Any, seat: int, legal: Sequence[int]) -> list[Overlay]:
        """Return the overlays for the actions in `legal`, among which `seat` chooses."""

    def preview(self, s: Any, seat: int, action: int) -> "svg.G":
        """Return the elements that an action would add to the main picture, to be drawn over it."""
