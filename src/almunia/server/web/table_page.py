"""The page of a table: what its viewer may know, arranged, rendered and written as HTML."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import groupby
from math import inf
from typing import Any

from markupsafe import Markup

from ...core.contract import NONE, Role, RuleRef
from ...play import panels as picture
from ..clock import format_duration
from ..hashes import short_hash
from ..rendering.table_view import TableView
from ..tables.clocks import shown
from ..tables.log import pieces_of
from ..tables.model import BOT, PERSON
from ..tables.rendering import ActionLabel, MacroLabel
from .game_icons import IconSet, icons_of
from .log import Chapter, chapters
from .seat_cards import LOW_TIME_SECONDS, ClockFace, SeatCard, seat_cards
from .table_layout import BOARD, HAND, HAND_ROLES, OTHERS, Layout, PanelShape, arrange
from .templating import asset_version, environment, log_line

MAX_CACHED_BUTTONS = 2048  # of all games


@lru_cache(MAX_CACHED_BUTTONS)
def button(choice: ActionLabel | MacroLabel) -> Markup:
    """Return a legal action, or a course of several, as a button of a form, cached."""
    module: Any = environment().get_template("_macros.html").module
    made = module.move(choice) if isinstance(choice, ActionLabel) else module.course(choice)
    return Markup(made)  # noqa: S704 - the template has escaped it


class TablePage(TableView):
    """The page of a table for one viewer."""

    @property
    def icons(self) -> IconSet:
        """The icons of the game."""
        return icons_of(self.game)

    def entity_tag(self, *preferences: str) -> str:
        """Return the entity tag of this page."""
        facts = (self.table.id, self.version, str(self.reader.held), asset_version(), *preferences)
        return f'W/"{short_hash(chr(0).join(facts).encode())}"'

    def explain_illegal(self, panel: str, x: float, y: float, chosen: Mapping[str, str]) -> Markup | None:
        """Return why the viewer cannot choose what is at a point of a panel; None without a reason."""
        if not (self.my_turn and self.explains_illegal):
            return None
        if not chosen.items() <= {part for choice in self.choices for part in choice.parts}:
            return None  # no page sends that, and a game explains only choices that it offered
        s, rules = self.observation.state, f"/games/{self.game.name}/rules"
        place = self.game.view.hit_test(s, self.reader.seat, panel, x, y)
        found = self.game.text.explain_illegal(s, place, chosen) if place else None
        if found is None:
            return None
        line = log_line(pieces_of([*found.sentence, RuleRef(found.rule)], self.diary.names, rules))
        return Markup('<p data-target="{}">{}</p>').format(found.target, line)

    @property
    def course_buttons(self) -> Markup:
        """The courses, several actions as one choice, as buttons."""
        return Markup("").join(map(button, self.diary.courses))

    def describe_choice(self, code: str) -> str:
        """Return the words for a choice: the code of an action, or codes with commas between them."""
        offered = {str(choice.action): choice.words for choice in self.choices}
        courses = {",".join(map(str, course.actions)): course.words for course in self.diary.courses}
        return (offered | courses).get(code, "")

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of actions that are chosen one after the other."""
        return [part.__dict__ for part in self.game.view.PARTS]

    def grouped_buttons(self) -> Iterator[tuple[str, Markup]]:
        """Yield the legal actions as buttons, in groups with headings."""
        labels = {part.name: part.label for part in self.game.view.PARTS}

        def heading(choice: ActionLabel) -> str:
            (name, value), *more = choice.parts
            return f"{labels[name]} {value}" if more else labels[name]

        for head, choices in groupby(self.choices, heading):
            yield head, Markup("").join(map(button, choices))

    @property
    def panel_hashes(self) -> dict[str, str]:
        """The hashes of the panels on this page, by their names."""
        marks = {chapter.name: chapter.hash for chapter in self.log}
        return {**marks, **{panel.name: panel.digest for panel in self.panels}, "icons": self.icons.hash}

    @cached_property
    def panels(self) -> list[picture.RenderedPanel]:
        """The panels, the main one first, without choices if the game ended early."""
        return picture.panels(self.diary.view) if self._ended_early else self.diary.panels

    def panel(self, name: str) -> picture.RenderedPanel:
        """Return a panel by its name."""
        return next(panel for panel in self.panels if panel.name == name)

    def boards_on_card(self, seat: int) -> list[picture.RenderedPanel]:
        """Return the panels on a seat's card."""
        return opponent_panels(self.panels, seat)

    @cached_property
    def layout(self) -> Layout:
        """The places of the panes."""
        return layout_of(self.panels, len(self.table.seats))

    @property
    def first_tab(self) -> str:
        """The tab that a narrow page opens: where choosing begins, or the board if one button is enough."""
        courses = self.diary.courses if self.my_turn else []
        if courses:
            return tab_of(self.panels, courses[0].actions[0])
        return tab_of(self.panels, NONE) if self.my_turn and len(self.diary.legal) > 1 else BOARD

    @cached_property
    def seats(self) -> list[SeatCard]:
        """The cards of the seats, the viewer's own first, then in turn order."""
        live = self.replay_step is None
        cards = seat_cards(self.table, self.observation, self.reader, self.name, self.diary.log_entries, live)
        if not live:
            return cards
        return [
            replace(
                self._with_presence(card),
                clock=self.clock_face(card.seat),
                unready=self.unready_bots.get(card.seat, ""),
            )
            for card in cards
        ]

    def clock_face(self, seat: int) -> ClockFace | None:
        """Return the display of a seat's clock; None for a bot, or without clocks."""
        if self.clocks is None or self.table.seats[seat].kind == BOT:
            return None
        left = self.clocks.left_of(seat, self._now)
        due = self.clocks.due if seat == self.clocks.running else inf
        little = LOW_TIME_SECONDS[self.clocks.control.kind]
        return ClockFace(shown(left), due if due < inf else None, left < little, little)

    def _with_presence(self, card: SeatCard) -> SeatCard:
        """Return the card of a seat with the presence of its player."""
        since = self.attendance.away.get(card.seat)
        here = self.attendance.shared and since is None and card.kind == PERSON
        away = "" if since is None else format_duration(self._now - since) or "a moment"
        resting = self.clocks is not None and self.clocks.rests(card.seat)
        return replace(card, is_present=here, away=away, is_on_vacation=resting)

    @cached_property
    def log(self) -> list[Chapter]:
        """The log, action by action; what came after the reader's last action is new."""
        return chapters(self.diary.log_entries, self.diary.reader)


def opponent_panels(panels: list[picture.RenderedPanel], seat: int) -> list[picture.RenderedPanel]:
    """Return the panels on a seat's card."""
    return [panel for panel in panels if panel.role == Role.OPPONENT and panel.seat == seat]


def layout_of(panels: list[picture.RenderedPanel], seats: int) -> Layout:
    """Return the places of panels on a page."""
    shapes = tuple(PanelShape(panel.name, panel.role, *panel.size, panel.min_font_size) for panel in panels)
    return arrange(shapes, seats)


def tab_of(panels: list[picture.RenderedPanel], proposed: int = NONE) -> str:
    """Return the tab in which choosing begins: with the proposed action, most parts of actions, or most actions."""
    for mark in (f'data-action="{proposed}"', "data-part=", "data-action="):
        found = {HAND: 0, BOARD: 0, OTHERS: 0}  # the first wins a tie
        for panel in panels:
            if panel.role != Role.SECONDARY:
                found[tab_with(panel)] += panel.svg.count(mark)
        most = max(found, key=found.__getitem__)
        if found[most]:
            return most
    return BOARD


def tab_with(panel: picture.RenderedPanel) -> str:
    """Return the tab of a panel."""
    return BOARD if panel.role == Role.BOARD else HAND if panel.role in HAND_ROLES else OTHERS
