"""The page of a table: the facts that its viewer may know, arranged, rendered and written as HTML."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import groupby
from math import inf
from typing import Any

from markupsafe import Markup

from ...core.contract import NONE, Role, RuleRef
from ...core.english import capitalize
from ...core.optional import is_default
from ...play import panels as picture
from ..clock import format_duration
from ..hashes import short_hash
from ..ratings.game_results import substituted_seats
from ..tables.clocks import TimeControl, are_default_terms, describe_timeout, format_clock
from ..tables.log import LogEntry, pieces_of
from ..tables.model import ABORTED, AGREED, BOT, CLOSED, OPEN, PERSON, RESIGNED, TIMED_OUT, UNFINISHED
from ..tables.planning import may_plan, may_repeat_answers
from ..tables.proposals import moves_before_last_choice
from ..tables.rendering import ActionLabel, MacroLabel
from ..tables.seats import TWO_PEOPLE, TWO_SEATS, ends_by_resigning, may_be_aborted
from ..tables.table_view import TableView
from ..tables.viewer_history import Step
from .fragments import ShownFragments
from .game_icons import IconSet, icons_of
from .log import Chapter, chapters
from .seat_cards import LOW_TIME_SECONDS, ClockFace, SeatCard, seat_cards
from .table_layout import BOARD, HAND, HAND_ROLES, OTHERS, Layout, PanelShape, arrange
from .templating import asset_version, environment, log_line

MAX_CACHED_BUTTONS = 2048  # of all games
TAKE_BACK_SECONDS, TAKE_BACK_SHARE = 3.0, 0.1  # at most, and at most of the time that is left on a clock
NO_TAB = ""  # of secondary panels
TAB_OF_ROLE: dict[str, str] = {
    Role.BOARD: BOARD,
    **dict.fromkeys(HAND_ROLES, HAND),
    Role.SUPPLY: NO_TAB,
    Role.SECONDARY: NO_TAB,
}  # of all others: OTHERS


@lru_cache(MAX_CACHED_BUTTONS)
def button(choice: ActionLabel | MacroLabel) -> Markup:
    """Return a legal action, or a course of several, as a button of a form, cached."""
    module: Any = environment().get_template("_macros.html").module
    made = module.move(choice) if isinstance(choice, ActionLabel) else module.course(choice)
    return Markup(made)  # noqa: S704 - the template has escaped it


class TablePage(TableView):
    """The page of a table for one viewer."""

    @property
    def marked_steps(self) -> tuple[Step, ...]:
        """The steps whose places are highlighted: the steps replayed so far, or since the viewer's own move."""
        return (
            self.replay_step.steps[: self.replay_step.number] if self.replay_step else self.history.steps_since_own_move
        )

    @property
    def own_act(self) -> Step | None:
        """The viewer's step if it is the last one; None if it is not, and during a replay."""
        steps = self.history.steps
        return steps[-1] if steps and steps[-1].seat == self.viewer.seat and not self.replay_step else None

    @property
    def can_restart(self) -> bool:
        return self.can_undo and self._state.undo_count(whole_turn=True) > self._state.undo_count()

    def seat_actions(self, seat: int) -> set[str]:
        """Return the names of the actions that the viewer may take about a seat."""
        table, sitter, held = self.table, self.table.seats[seat], self.viewer.seats
        if not held:
            return set()
        contact = {"contact"} if sitter.kind == PERSON and seat not in held and not sitter.is_deleted else set()
        if table.finished or self.replay_step:
            return contact
        hosting = table.host == table.seats[held[0]].player
        theirs, own = seat == self.history.turn and seat not in held, seat in held and len(table.seats) > 1
        asks = self.attendance.is_shared and table.allows_proposals
        asks = asks and not (self.proposal or self._state.lesson_progress)
        may_win = self.opponent_flagged and len(table.seats) == TWO_SEATS and not table.seats[held[0]].substitute_bot
        waiting = table.awaits_players
        possible = {
            "fill": sitter.kind == OPEN,
            "expect": sitter.kind == OPEN,
            "claim": theirs and (self.opponent_flagged or self.opponent_absent),
            "win": theirs and may_win,
            "back": own and sitter.substitute_bot != "",
            "leave": own and not waiting and sitter.substitute_bot == "",
            "give": own and waiting and (len(table.human_seats) > 1 or not hosting),
            "free": hosting and waiting and sitter.kind == PERSON and seat not in held,
            "answers": own and may_repeat_answers(table, held),
            "ask": own and asks,
            "rewind": own and asks and moves_before_last_choice(self._state.effective_moves, seat) is not None,
            "host": hosting and sitter.kind == PERSON and seat not in held,
            "listing": hosting and own and seat == held[0],
            "close": hosting and own and waiting,
            "abort": seat in held and may_be_aborted(self._state, held),
            "resign": own and not waiting,
        }
        return contact | {name for name, can in possible.items() if can}

    @cached_property
    def last_seat_event(self) -> LogEntry | None:
        return next((one for one in reversed(self.history.log_entries) if one.survives_undo), None)

    @property
    def moves_since_proposal(self) -> int:
        """The number of visible moves since a proposal to go back; 0 without such a proposal."""
        going_back = self.proposal is not None and self.proposal.back_to is not None
        return max(0, self.history.move_log_count - self.history.move_log_count_at_proposal) if going_back else 0

    @property
    def unanswered_seats(self) -> tuple[int, ...]:
        """The seats whose players must still answer the proposal."""
        return self.attendance.unanswered if self.proposal else ()

    @property
    def end_sentence(self) -> str:
        """A sentence on an early end of the game; empty without one, or if the rules have changed."""
        seat = self.table.resigned_seat
        who = "" if seat is None else self.name(seat)
        sentences = {
            RESIGNED: f"{who} resigned.",
            TIMED_OUT: f"{who} ran out of time.",
            AGREED: "All players agreed to end this game.",
            CLOSED: "This game was closed.",
            ABORTED: "This game was aborted before every player had moved.",
            UNFINISHED: "The game file ends before the game is over.",
        }
        return sentences.get(self.table.end_reason, "")

    @property
    def winner(self) -> int | None:
        """The seat that wins a game of two because the other player resigned or ran out of time, or None.

        A seat for which a bot has moved does not win.
        """
        if self.table.resigned_seat is None or len(self.table.seats) > TWO_SEATS:
            return None
        other = 1 - self.table.resigned_seat
        return None if other in substituted_seats(self._state.events) else other

    def resigning(self, seat: int) -> str:
        """Return sentences on the consequences if a seat resigns."""
        if len(self.table.seats) == TWO_SEATS:
            found = "You lose, and the game is over."
        elif ends_by_resigning(self.table, seat):
            found = "You come last, and the game is over."
        else:
            found = "A bot takes over your seat, and you can't come back."
        return found + (" This counts for your rating." if self.table.rated and not self.table.awaits_deal else "")

    @property
    def may_plan(self) -> bool:
        """Whether the viewer can plan ahead now: others are to move, and the viewer knows what they may do."""
        if self.replay_step or not may_plan(self.table, self.viewer.seats, self.history.turn):
            return False
        state = self.observation.state
        return self.game.legal_is_public(state) and self.game.may_see(state, self.viewer.seat)

    @property
    def may_ask_hint(self) -> bool:
        """Whether the table allows hints and the viewer is to move, outside of a lesson."""
        return self.table.hints and self.my_turn and not self._state.lesson_progress

    @property
    def explains_illegal(self) -> bool:
        return not is_default(self.game.text.explain_illegal)

    @property
    def _ended_early(self) -> bool:
        return self.table.finished and bool(self.history.legal)

    @property
    def last_visible_change(self) -> float:
        """The time of the last change that the viewer could notice; 0 for a spectator."""
        return max((self.table.seats[seat].last_visible_change for seat in self.viewer.seats), default=0.0)

    @property
    def take_back_ms(self) -> int:
        """The milliseconds in which the viewer can take a final move back: few if the viewer's clock is running out."""
        left = self.clocks.flag_at - self._now if self.clocks else inf
        return round(1000 * max(0.0, min(TAKE_BACK_SECONDS, TAKE_BACK_SHARE * left)))

    @property
    def is_substituted(self) -> bool:
        return self.viewer.seat >= 0 and self.table.seats[self.viewer.seat].substitute_bot != ""

    @cached_property
    def terms(self) -> str:
        """The timeout policy or the absence timeout as a sentence.

        Empty after the game, with fewer than two seats that are not bots, and for clocks with the policy CLAIM.
        """
        if self.table.finished or sum(seat.kind != BOT for seat in self.table.seats) < TWO_PEOPLE:
            return ""
        found = describe_timeout(self.table.time_control, self.table.absence_timeout)
        return f"{found[0].upper()}{found[1:]}." if found else ""

    @property
    def has_usual_terms(self) -> bool:
        """Whether the terms for time-outs and absence are the default ones."""
        return are_default_terms(TimeControl.parse(self.table.time_control), self.table.absence_timeout)

    @property
    def next_change_at(self) -> float | None:
        """The next time at which the page may change without an event, such as an expiry; None if there is none."""
        moments = [] if self.attendance.next_change_at is None else [self.attendance.next_change_at]
        if self.history.turn in self.attendance.replaceable and not self.opponent_absent:
            moments.append(self.history.turn_started_at + self.table.absence_timeout)
        if self.clocks and self._now < self.clocks.flag_at < inf:
            moments.append(self.clocks.flag_at)
        return min(moments, default=None)

    @cached_property
    def summary_seat(self) -> int:
        """The viewer's seat; a winner's if the viewer has no seat, or several."""
        return self.viewer.seats[0] if len(self.viewer.seats) == 1 else self.observation.ranks().index(1)

    @property
    def icons(self) -> IconSet:
        return icons_of(self.game)

    def entity_tag(self, *preferences: str) -> str:
        facts = (self.table.id, self.version, str(self.viewer.seats), asset_version(), *preferences)
        return f'W/"{short_hash(chr(0).join(facts).encode())}"'

    def explain_illegal(self, panel: str, x: float, y: float, chosen: Mapping[str, str]) -> Markup | None:
        """Return why the viewer cannot choose a point of a panel; None without a reason."""
        if not (self.my_turn and self.explains_illegal):
            return None
        if not chosen.items() <= {part for choice in self.history.action_labels for part in choice.parts}:
            return None  # no page sends that, and a game explains only choices that it offered
        s, rules = self.observation.state, f"/games/{self.game.name}/rules"
        place = self.game.view.hit_test(s, self.viewer.seat, panel, x, y)
        found = self.game.text.explain_illegal(s, place, chosen) if place else None
        if found is None:
            return None
        line = log_line(pieces_of([*found.sentence, RuleRef(found.rule)], self.history.names, rules))
        return Markup('<p data-target="{}">{}</p>').format(found.target, line)

    @property
    def course_buttons(self) -> Markup:
        return Markup("").join(map(button, self.history.macro_labels))

    def describe_choice(self, code: str) -> str:
        """Return the words for an action or a macro move by its code, such as `3,7`; empty if it is not legal."""
        words = {str(choice.action): choice.words for choice in self.history.action_labels}
        return (words | {course.code: course.words for course in self.history.macro_labels}).get(code, "")

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of actions that are chosen one after the other."""
        return [part.__dict__ for part in self.game.view.PARTS]

    def grouped_buttons(self) -> Iterator[tuple[str, Markup]]:
        """Yield the legal actions as buttons, in groups with headings."""
        labels = {part.name: part.label for part in self.game.view.PARTS}

        def heading(choice: ActionLabel) -> str:
            (name, value), *more = choice.parts
            label = labels.get(name) or capitalize(name)  # a game without pictures has no labels
            return f"{label} {value}" if more else label

        for head, choices in groupby(self.history.action_labels, heading):
            yield head, Markup("").join(map(button, choices))

    @property
    def hashes(self) -> dict[str, str]:
        """The hashes of the log's chapters, of the panels and of the icons, by name."""
        marks = {chapter.name: chapter.hash for chapter in self.log}
        return {**marks, **{panel.name: panel.digest for panel in self.panels}, "icons": self.icons.hash}

    @cached_property
    def panels(self) -> list[picture.RenderedPanel]:
        """The panels, the main one first, without choices if the game ended early."""
        return picture.panels(self.history.view) if self._ended_early else self.history.panels

    def panel(self, name: str) -> picture.RenderedPanel:
        return next(panel for panel in self.panels if panel.name == name)

    @cached_property
    def layout(self) -> Layout:
        return layout_of(self.panels, len(self.table.seats))

    @property
    def first_tab(self) -> str:
        """The tab that a narrow page opens: where choosing begins, or the board without several choices."""
        if not self.my_turn:
            return BOARD
        courses = self.history.macro_labels
        if not courses and len(self.history.legal) == 1:
            return BOARD
        return tab_of(self.panels, self.history.rendered.overlays, courses[0].actions[0] if courses else NONE)

    @cached_property
    def seats(self) -> list[SeatCard]:
        """The cards of the seats, the viewer's own first, then in turn order."""
        live = self.replay_step is None
        cards = seat_cards(self.table, self.observation, self.viewer, self.name, self.history.log_entries, live)
        return [self._with_presence(card) for card in cards] if live else cards

    def _clock_face(self, seat: int) -> ClockFace | None:
        """Return the display of a seat's clock; None for a bot, or without clocks."""
        if self.clocks is None or self.table.seats[seat].kind == BOT:
            return None
        left = self.clocks.seconds_left(seat, self._now)
        due = self.clocks.flag_at if seat == self.clocks.running else inf
        little = LOW_TIME_SECONDS[self.clocks.control.kind]
        return ClockFace(format_clock(left), due if due < inf else None, left < little, little)

    def _with_presence(self, card: SeatCard) -> SeatCard:
        since = self.attendance.away.get(card.seat)
        here = self.attendance.is_shared and since is None and card.kind == PERSON
        away = "" if since is None else format_duration(self._now - since) or "a moment"
        resting = self.clocks is not None and self.clocks.is_on_vacation(card.seat)
        clock, unready = self._clock_face(card.seat), self.unready_bots.get(card.seat, "")
        return replace(card, is_present=here, away=away, is_on_vacation=resting, clock=clock, unready=unready)

    @cached_property
    def log(self) -> list[Chapter]:
        """The log in chapters; entries after the last one with the viewer's seat are new."""
        return chapters(self.history.log_entries, self.history.viewer)

    def log_lists(self, kept: ShownFragments) -> Markup:
        """Return the chapters of the log as lists. In a template, a long log would take longer than all else."""
        lists = [chapter.as_list(kept.get(chapter.name)) for chapter in self.log]
        return Markup("\n".join(lists))  # noqa: S704 - templates have escaped it


def layout_of(panels: list[picture.RenderedPanel], seats: int) -> Layout:
    shapes = tuple(PanelShape(panel.name, panel.role, *panel.size, panel.min_font_size) for panel in panels)
    return arrange(shapes, seats)


def tab_of(
    panels: Iterable[picture.RenderedPanel], overlays: Sequence[picture.RenderedOverlay], proposed: int = NONE
) -> str:
    """Return the tab in which choosing begins, by the choices on its panels; BOARD if no tab has a choice."""
    tabs = {panel.name: TAB_OF_ROLE.get(panel.role, OTHERS) for panel in panels}
    for mark in (f' data-action="{proposed}"', " data-part=", " data-action="):
        found = {HAND: 0, BOARD: 0, OTHERS: 0, NO_TAB: 0}  # the first wins a tie
        for overlay in overlays:
            found[tabs[overlay.panel]] += overlay.attributes.count(mark) + overlay.svg.count(mark)
        del found[NO_TAB]
        most = max(found, key=found.__getitem__)
        if found[most]:
            return most
    return BOARD
