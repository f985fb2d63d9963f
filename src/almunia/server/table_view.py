"""All that a table page shows, computed from what its reader may know."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from ..core import picture
from ..core.contract import NONE, SPECTATOR, Cite, Role, Source
from ..core.play import Observation
from ..core.words import signed
from .gamelog import Chapter, LogEntry, groups, in_words
from .icons import Signs, signs_of
from .layout import AT_HAND, BOARD, HAND, OTHERS, Layout, Shape, layout
from .lessons import Standing
from .pages import environment, look_mark, mark_of
from .snapshot import CourseOffer, Diary, Hint, Offer, Snapshot, Step
from .store import BOT, Table

if TYPE_CHECKING:
    from ..core.guidance import Refusal

BUTTONS = 2048  # of choices, that are kept


@dataclass(frozen=True)
class Reader:
    """Who looks at a table: the seat whose view is shown, and the seats this guest holds."""

    seat: int
    held: tuple[int, ...]
    covered: bool = False  # several people share the screen, and the next one has not come yet


def reader_of(snapshot: Snapshot, guest: str, looking: int | None) -> Reader:
    """Whose view a guest gets; where people share a screen, the view of whoever is to move."""
    table = snapshot.table
    held = table.held_by(guest) if guest else ()
    if len(held) < 2 or table.finished:
        return Reader(held[0] if held else SPECTATOR, held)
    hides = snapshot.play.game.meta.hides
    if table.turn not in held:
        return Reader(SPECTATOR if hides else held[0], held)
    if hides and looking != table.turn:
        return Reader(SPECTATOR, held, covered=True)
    return Reader(table.turn, held)


class LastAct(NamedTuple):
    """What a seat did in its last turn."""

    words: Markup  # the lines of the log, without its name
    gain: int  # points that it brought, unless its first line says so


@dataclass(frozen=True)
class SeatCard:
    """What stands on the card of a seat."""

    seat: int
    name: str
    kind: str
    own: bool
    shown: bool  # is the table shown from this seat?
    points: int
    rank: int
    asked: str  # that the seat is to move, in a word or two; empty if it is not
    facts: list[tuple[str, str]]
    last: LastAct | None  # None if it is not known


@lru_cache(BUTTONS)
def button(choice: Offer | CourseOffer) -> Markup:
    """A legal action, or several as one choice, as a button of a form; every one is written once."""
    module: Any = environment().get_template("_macros.html").module
    made = module.move(choice) if isinstance(choice, Offer) else module.course(choice)
    return Markup(made)  # noqa: S704 - the template has escaped it


@dataclass(frozen=True)
class Following:
    """A moment of what others did, on the way to how the table stands now."""

    steps: tuple[Step, ...]  # the moments that are shown
    number: int  # of this one among them, from 1
    first: int  # where they begin, counted as `Diary.seen` does

    @property
    def step(self) -> Step:
        """The moment itself."""
        return self.steps[self.number - 1]

    @property
    def count(self) -> int:
        """How many moments are shown."""
        return len(self.steps)

    @property
    def before(self) -> int | None:
        """The one before it, if there is one."""
        return self.steps[self.number - 2].seen if self.number > 1 else None

    @property
    def after(self) -> int | None:
        """The one after it, if there is one."""
        return self.steps[self.number].seen if self.number < self.count else None


def following(diary: Diary, here: int, first: int) -> Following | None:
    """The moment at which a reader stands who follows, or the next one that is kept; None if there is none."""
    shown = tuple(step for step in diary.steps if step.seen >= first)
    at = next((number for number, step in enumerate(shown) if step.seen >= here), None)
    if at is None or not 0 <= first <= here:
        return None
    return Following(shown, at + 1, first)


class TableView:
    """A table as one reader sees it, now or at a moment that he or she has missed."""

    def __init__(self, snapshot: Snapshot, reader: Reader, at: tuple[int, int] | None = None) -> None:
        self._snapshot, self.reader = snapshot, reader
        self.table: Table = snapshot.table
        self.play = snapshot.play
        self.game = snapshot.play.game
        self.diary: Diary = snapshot.shown(reader.seat)
        self.due = not self.table.finished and reader.seat == self.diary.view.turn  # now, whatever is shown
        self.sheets = self.diary.sheets
        self.following = following(self.diary, *at) if at and not reader.covered else None
        if self.following:
            self.diary = snapshot.moment(reader.seat, self.following.step)
        self.observation: Observation = self.diary.view

    @property
    def signs(self) -> Signs:
        """The icons of the game."""
        return signs_of(self.game)

    @property
    def mark(self) -> str:
        """What the reader has seen, as one word; it changes when a page must be drawn again."""
        cover = f"cover{self.table.turn}" if self.reader.covered else ""
        moment = f"at{self.following.first}.{self.following.count}" if self.following else ""
        hint = "hint" if self.hint else ""
        return f"{self.reader.seat}.{self.diary.seen}{cover}{moment}{hint}"

    @property
    def trace(self) -> tuple[Step, ...]:
        """The moments whose places stay marked: those followed so far, or those that the reader has missed."""
        return self.following.steps[: self.following.number] if self.following else self.missed

    @property
    def missed(self) -> tuple[Step, ...]:
        """What others did since the reader's own last act."""
        return self.diary.missed

    def tag(self, *preferences: str) -> str:
        """The entity tag of this page."""
        facts = (self.table.id, self.mark, str(self.reader.held), look_mark(), *preferences)
        return f'W/"{mark_of(chr(0).join(facts).encode())}"'

    @property
    def my_turn(self) -> bool:
        """Is the reader being asked?"""
        return not (self.table.finished or self.following) and self.reader.seat == self.observation.turn

    @property
    def can_undo(self) -> bool:
        """Can the reader undo the last choice?"""
        return self.my_turn and self._snapshot.undo_count() > 0 and not self.lesson

    @property
    def lesson(self) -> Standing | None:
        """Where whoever learns stands in the lesson, if there is something to be told now."""
        found = self._snapshot.standing
        return found if found and self.my_turn and self.reader.seat == found.learner else None

    @property
    def can_restart(self) -> bool:
        """Can the reader undo more than the last choice?"""
        return self.can_undo and self._snapshot.undo_count(whole_turn=True) > self._snapshot.undo_count()

    def name(self, seat: int) -> str:
        """What a seat's player is called here."""
        return name_of(self.table, self.reader, seat)

    # --- the question -------------------------------------------------------------------

    @property
    def question(self) -> str:
        """What the seat to move is being asked."""
        return self.game.text.ask(self.observation.state)

    @property
    def cite(self) -> str:
        """The mark of the paragraph behind the question; empty where the game names none."""
        text: Any = self.game.text
        return text.cite(self.observation.state) if hasattr(text, "cite") else ""

    @property
    def hint(self) -> Hint | None:
        """The hint that the reader was given on this question, if there is one."""
        return self.diary.hint if self.my_turn else None

    @property
    def can_hint(self) -> bool:
        """May the reader ask for a hint?"""
        return self.table.hints and self.my_turn and not self.hint and not self._snapshot.standing

    @property
    def answers_why(self) -> bool:
        """Does the game say why something cannot be chosen?"""
        return hasattr(self.game.text, "refuse") and hasattr(self.game.view, "place_at")

    def refusal(self, panel: str, x: float, y: float, chosen: Mapping[str, str]) -> Markup | None:
        """Why the reader can't choose what is at a point of a panel; None if it can, or there is nothing to say."""
        if not (self.my_turn and self.answers_why):
            return None
        text: Any = self.game.text
        view: Any = self.game.view
        s, rules = self.observation.state, f"/games/{self.game.name}/rules"
        place = view.place_at(s, self.reader.seat, panel, x, y)
        found: Refusal | None = text.refuse(s, place, chosen) if place else None
        if found is None:
            return None
        line = in_words([*found.sentence, Cite(found.rule)], self.diary.names, rules)
        return Markup('<p data-target="{}">{}</p>').format(found.target, line)

    @property
    def legal(self) -> tuple[int, ...]:
        """What the reader may choose."""
        return self.diary.legal

    @property
    def choices(self) -> list[Offer]:
        """The legal actions, each in words and in parts."""
        return self.diary.offers

    @property
    def courses(self) -> Markup:
        """Several actions in a row that are offered as one choice, as buttons."""
        return Markup("").join(map(button, self.diary.courses))

    @property
    def parts(self) -> list[dict[str, Any]]:
        """What is chosen one after the other."""
        return [part.__dict__ for part in self.game.view.PARTS]

    def grouped(self) -> Iterator[tuple[str, Markup]]:
        """The legal actions as buttons under headings."""
        labels = {part.name: part.label for part in self.game.view.PARTS}

        def heading(choice: Offer) -> str:
            (name, value), *more = choice.parts
            return f"{labels[name]} {value}" if more else labels[name]

        for head, choices in groupby(self.choices, heading):
            yield head, Markup("").join(map(button, choices))

    # --- what is to be seen -------------------------------------------------------------

    @property
    def panels(self) -> list[picture.Drawn]:
        """The pictures, the main one first."""
        return self.diary.panels

    def panel(self, name: str) -> picture.Drawn:
        """One of them."""
        return next(panel for panel in self.panels if panel.name == name)

    def boards_of(self, seat: int) -> list[picture.Drawn]:
        """The panels that stand on a seat's card."""
        return rival_boards(self.panels, seat)

    @cached_property
    def layout(self) -> Layout:
        """Where the panes stand."""
        return layout_of(self.panels, len(self.table.seats))

    @property
    def tab(self) -> str:
        """What a narrow page shows first: where the reader's question begins."""
        return tab_of(self.panels) if self.my_turn else BOARD

    @cached_property
    def seats(self) -> list[SeatCard]:
        """A card for each seat, the reader's own first, then in the order of turns."""
        live = self.following is None
        return seat_cards(self.table, self.observation, self.reader, self.name, self.diary.log_entries, live)

    @cached_property
    def log(self) -> list[Chapter]:
        """The log, action by action; what came after the reader's last action is new."""
        return self.diary.log

    @property
    def sources(self) -> list[Source]:
        """Where everybody's points come from, as far as the game says so."""
        return sources_of(self.observation)

    @property
    def verdict(self) -> list[str]:
        """How the result came about, for the reader, or for a winner if the reader watches or shares the screen."""
        return self.game.text.verdict(self.observation.state, self.shown_seat)

    @cached_property
    def shown_seat(self) -> int:
        """The seat of which the end tells."""
        return self.reader.held[0] if len(self.reader.held) == 1 else self.observation.ranks().index(1)


def name_of(table: Table, reader: Reader, seat: int) -> str:
    """What a seat's player is called for a reader."""
    return "You" if reader.held == (seat,) else table.seats[seat].name


def sources_of(view: Observation) -> list[Source]:
    """Where everybody's points come from; nothing where there is but one source."""
    text: Any = view.game.text
    return text.sources(view.state) if hasattr(text, "sources") else []


def rival_boards(panels: list[picture.Drawn], seat: int) -> list[picture.Drawn]:
    """The boards that stand on a seat's card."""
    return [panel for panel in panels if panel.role == Role.RIVAL and panel.seat == seat]


def layout_of(panels: list[picture.Drawn], seats: int) -> Layout:
    """Where these panels stand on a page."""
    shapes = tuple(Shape(panel.name, panel.role, *panel.size, panel.letter) for panel in panels)
    return layout(shapes, seats)


def tab_of(panels: list[picture.Drawn]) -> str:
    """The tab in which choosing begins: where most parts of an action are shown, or else most whole ones."""
    for mark in ("data-part=", "data-action="):
        found = {HAND: 0, BOARD: 0, OTHERS: 0}  # the first of them where as much is shown in two
        for panel in panels:
            if panel.role != Role.ASIDE:
                found[tab_with(panel)] += panel.svg.count(mark)
        most = max(found, key=found.__getitem__)
        if found[most]:
            return most
    return BOARD


def tab_with(panel: picture.Drawn) -> str:
    """The tab under which a panel is found."""
    return BOARD if panel.role == Role.BOARD else HAND if panel.role in AT_HAND else OTHERS


def seat_cards(
    table: Table,
    view: Observation,
    reader: Reader,
    name: Callable[[int], str],
    entries: tuple[LogEntry, ...],
    live: bool = True,
) -> list[SeatCard]:
    """A card for each seat; bots think only where the position is `live`."""
    count = len(table.seats)
    own = max(reader.seat, 0)
    table_of_scores = view.score_table()
    places = view.ranks()
    return [
        SeatCard(
            seat=p,
            name=name(p),
            kind=table.seats[p].kind,
            own=p in reader.held,
            shown=p == reader.seat,
            points=int(table_of_scores[p][0]),
            rank=places[p],
            asked=asked_words(table, view, p, live),
            facts=view.game.text.facts(view.state, p),
            last=last_act(entries, p),
        )
        for p in ((own + i) % count for i in range(count))
    ]


def asked_words(table: Table, view: Observation, seat: int, live: bool) -> str:
    """That a seat is to move, in a word or two; empty if it is not."""
    if table.finished or view.turn != seat:
        return ""
    return "thinking" if live and table.seats[seat].kind == BOT else "to move"


def last_act(entries: tuple[LogEntry, ...], seat: int) -> LastAct | None:
    """What a seat did in its last turn, as the log tells it: what only followed from it begins with no name."""
    acts = [one for one in entries if one.seat == seat and one.turn != NONE and not one.scoring]
    turn = tuple(one for one in acts if one.turn == acts[-1].turn)
    words = [said for group in groups(turn) for said in group.said_of(seat)]
    if not words:
        return None
    gain = sum(one.gain for one in turn)
    return LastAct(Markup(" · ").join(words), 0 if f">{signed(gain)}<" in words[0] else gain)
