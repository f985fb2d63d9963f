"""Planning ahead: a player tries moves of all seats on a copy of the position, and stores a line of them.

The copy is a determinization of what the player sees. A line goes on only while all that follows is certain for the
player: other seats may have only actions that all players know, and no action may bring something new to light.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from ...core.contract import NONE
from ...core.rich_text import plain_text
from ...play.play import Observation, Play
from ..errors import Conflict
from .clocks import REALTIME, TimeControl
from .model import MOVE, Table, TableEvent
from .plans import MAX_LINES, Line, Plan, PlannedStep, RepeatedAnswer, position_of
from .rendering import RenderedView
from .service import TableService, own_seats
from .state import TableState, apply_event, start_play
from .viewer_history import ViewerHistory, cached_rendered_view

GUESSES = (1, 2)  # seeds of determinizations: what differs between them is not certain
MAX_STEPS = 24  # of a line


class PlannedView(Observation):
    """The planner's view, in which the planner chooses for every seat."""

    choices: tuple[int, ...] = ()

    @property
    def legal_actions(self) -> tuple[int, ...]:
        return self.choices


class PlannedHistory(ViewerHistory):
    """The planner's history with the planned moves. It offers no macro moves: each action is a step of the line."""

    @property
    def rendered(self) -> RenderedView:
        return cached_rendered_view(self.view, self.legal, self.names, False)


class PlannedPosition(NamedTuple):
    """The position after a line on the copy."""

    owner: int  # seat of the planner
    state: TableState  # of the copy; that before the last action if it brings something new to light
    line: Line
    is_certain: bool  # whether nothing new has come to light

    @property
    def plan(self) -> Line:
        """The line up to the planner's last answer; empty without an answer."""
        last = max((number for number, step in enumerate(self.line, 1) if step.seat == self.owner), default=0)
        return self.line[:last]


def may_plan(table: Table, held: Sequence[int], turn: int) -> bool:
    """Return whether the player of the seats `held` may plan ahead, while the seat `turn` is to move in their view.

    Not in live games, alone, on a shared device, in a lesson, or while a bot plays for the player.
    """
    if table.finished or table.lesson or turn == NONE or len(held) != 1 or turn == held[0]:
        return False
    is_live = TimeControl.parse(table.time_control).kind == REALTIME
    return not (is_live or table.seats[held[0]].bot) and len(table.human_seats) > 1


def may_repeat_answers(table: Table, held: Sequence[int]) -> bool:
    """Return whether the player of the seats `held` may have answers repeated, in a running game with others."""
    is_running = not (table.finished or table.lesson or table.awaits_deal)
    return is_running and len(held) == 1 and len(table.seats) > 1 and not table.seats[held[0]].bot


def position_after(state: TableState, seat: int, actions: Sequence[int]) -> PlannedPosition:
    """Return the position after actions on a copy of what a seat sees now; Conflict if an action is not possible."""
    history = replace(state.history(seat), clocks=None, hint=None)
    plays = [history.view.determinize(guess) for guess in GUESSES]
    line: list[PlannedStep] = []
    for number, action in enumerate(actions, 1):
        play = plays[0]
        view, reveals = play.observe(seat), play.reveals
        if number > MAX_STEPS or action not in choices(play, seat):
            raise Conflict("This move can't be part of a plan here. Choose one of the moves shown.")
        words = plain_text(play.game.text.button_label(view.state, action), history.names)
        event = TableEvent(play.turn, MOVE, action)
        line.append(PlannedStep(event.seat, action, words, position_of(view)))
        before = play.copy()
        for one in plays:
            one.apply(action)
        seen = {one.observe(seat).to_state() for one in plays}
        if play.reveals != reveals or len(seen) > 1:
            if number < len(actions):
                raise Conflict("Something new comes to light there, so no plan can go on.")
            return PlannedPosition(seat, copy_at(state, before, history, ()), tuple(line), is_certain=False)
        history = history.with_event(event, play, number)
    last = plays[0]
    legal = choices(last, seat) if len(line) < MAX_STEPS else ()
    return PlannedPosition(seat, copy_at(state, last, history, legal), tuple(line), is_certain=True)


def choices(play: Play, seat: int) -> tuple[int, ...]:
    """Return the actions that a planner may choose on the copy: also those of other seats, if all players know them."""
    is_known = play.game.legal_is_public(play.state) and play.game.may_see(play.state, seat)
    return play.legal_actions if play.turn == seat or is_known else ()


def copy_at(state: TableState, play: Play, history: ViewerHistory, legal: tuple[int, ...]) -> TableState:
    """Return the state of a table at a position of the copy, with the actions that the planner may choose."""
    view = PlannedView(play.game, play.observe(history.viewer).array, history.viewer, masked=True)
    view.choices = legal
    facts = {field.name: getattr(history, field.name) for field in fields(history)} | {"view": view}
    table = replace(state.table, turn=play.turn)
    return TableState(table, play, (), {history.viewer: PlannedHistory(**facts)})


def recent_answers(state: TableState, seat: int) -> list[RepeatedAnswer]:
    """Return the last answer of a seat in each phase in which it has been asked, the latest first."""
    play, found = start_play(state.table, state.play.game), dict[int, RepeatedAnswer]()
    moves = state.effective_moves
    for number, move in enumerate(moves):
        if move.seat == seat and not (move.same_choice and moves[number - 1].seat == seat):
            found.pop(play.phase, None)
            found[play.phase] = answer_of(play, [one.action or 0 for one in moves[number:]], state.history(seat).names)
        apply_event(play, move)
    return list(reversed(found.values()))


def answer_of(play: Play, actions: Sequence[int], names: Sequence[str]) -> RepeatedAnswer:
    """Return the answer with which `actions` begin; NONE if they begin with the game's first suggestion."""
    view, text, action = play.observe(play.turn), play.game.text, actions[0]
    label, words = text.button_label(view.state, action), text.action_to_string(view.state, action)
    for first in text.suggestions(view.state)[:1]:
        if tuple(actions[: len(first.actions)]) == first.actions:
            label, action, words = first.offer, NONE, ""
    question = text.question(view.state)
    return RepeatedAnswer(view.phase, question, plain_text(label, names), action, words, lasts=False)


class PlanService:
    """Stores and removes the plans of players."""

    def __init__(self, tables: TableService) -> None:
        self._tables = tables

    def of_player(self, table: Table, guest: str, seat: int) -> Plan:
        """Return the plan of a guest's seat; an empty one if there is none."""
        found = self._tables.plans.of_table(table.id).get(seat)
        return found if found and found.guest == guest else Plan(guest)

    def position(self, state: TableState, guest: str, seen: int, actions: Sequence[int]) -> PlannedPosition:
        """Return the position after planned actions; RequestError if the guest may not plan, or others have moved."""
        held = own_seats(state.table, guest)
        history = state.history(held[0])
        if not may_plan(state.table, held, history.turn):
            raise Conflict("You can plan ahead in slow games with others, while another player is to move.")
        if not history.is_current(seen):
            raise Conflict("The game has moved on since you began to plan. Look at the position, and begin again.")
        return position_after(state, held[0], actions)

    def add_line(self, table_id: str, guest: str, seen: int, actions: Sequence[int]) -> None:
        """Store a line; RequestError if it has no answer of the guest, or the guest has too many lines there."""
        with self._tables.lock(table_id):
            state = self._tables.get(table_id)
            found = self.position(state, guest, seen, actions)
            if not found.plan:
                raise Conflict("A plan needs a move of yours. Go on until you are asked, and choose your answer.")
            now = position_of(state.history(found.owner).view)
            plan = self.of_player(state.table, guest, found.owner).with_line(found.plan, now)
            if len(plan.lines) > MAX_LINES:
                raise Conflict(f"You have {MAX_LINES} plans in this game, and can't have more. Remove one first.")
            self._tables.plans.save(table_id, found.owner, plan)

    def repeat_answer(self, table_id: str, guest: str, key: str, *, lasts: bool) -> None:
        """Repeat a recent answer; RequestError if the guest has given no answer with this key."""
        with self._tables.lock(table_id):
            state = self._tables.get(table_id)
            held = own_seats(state.table, guest)
            if not may_repeat_answers(state.table, held):
                raise Conflict("Answers can be repeated in running games with others, on a device of your own.")
            answer = next((one for one in recent_answers(state, held[0]) if one.key == key), None)
            if answer is None:
                raise Conflict("You have not given this answer, or have given another one since.")
            plan = self.of_player(state.table, guest, held[0]).with_answer(answer._replace(lasts=lasts))
            self._tables.plans.save(table_id, held[0], plan)

    def remove(self, table_id: str, guest: str, key: str) -> None:
        """Remove the line or the repeated answer with a key, if the guest has it."""
        with self._tables.lock(table_id):
            table = self._tables.get(table_id).table
            for seat in own_seats(table, guest):
                self._tables.plans.save(table_id, seat, self.of_player(table, guest, seat).without(key))
