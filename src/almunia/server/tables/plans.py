"""Plans of seats: moves and answers that a player sets in advance, which are played as soon as the seat is asked.

A plan answers a question by what its owner sees, never by what is hidden from the owner. So a planned answer reveals
nothing to its owner. Nothing about a plan is shown to other viewers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, insert, select

from ...core.contract import NONE
from ...play.play import Observation, Play
from ..hashes import short_hash
from ..storage import schema
from ..storage.database import read_connection
from .model import MOVE, TAKEBACK, Seat, Table, TableEvent
from .moves import apply_action
from .state import apply_event

MAX_LINES = 8  # of a plan
MAX_ANSWERS_AT_ONCE = 32  # planned answers after a move; then the seat to move is asked
P = schema.plan.c


class PlannedStep(NamedTuple):
    """An action of a line: an expected one of another seat, or an answer of the owner."""

    seat: int
    action: int
    words: str
    position: str  # a hash of the owner's view before it


Line = tuple[PlannedStep, ...]


class RepeatedAnswer(NamedTuple):
    """An answer that is given whenever the owner is asked a question of the same phase, if it is possible."""

    phase: int
    question: str  # when the answer was given last
    label: str  # of the answer
    action: int  # NONE for the game's first suggestion, such as the cheapest payment
    words: str  # of the action: its code may stand for another thing
    lasts: bool  # until the end of the game; if not, until the owner answers a question of another phase

    @property
    def key(self) -> str:
        """A key by which its owner chooses and removes it."""
        return short_hash(f"{self.phase} {self.action} {self.words}".encode())

    @property
    def is_suggestion(self) -> bool:
        return self.action == NONE

    def actions_in(self, view: Observation) -> tuple[int, ...]:
        """Return the actions of the answer; empty if it is not possible."""
        text, state = view.game.text, view.state
        if view.phase != self.phase:
            return ()
        if self.is_suggestion:
            return next((one.actions for one in text.suggestions(state)), ())
        is_same = self.action in view.legal_actions and text.action_to_string(state, self.action) == self.words
        return (self.action,) if is_same else ()


@dataclass(frozen=True)
class Plan:
    """The plan of a seat."""

    guest: str  # its owner
    lines: tuple[Line, ...] = ()
    answers: tuple[RepeatedAnswer, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lines or self.answers)

    def actions_in(self, view: Observation) -> tuple[int, ...]:
        """Return the actions that the plan has for a question to its owner; empty without any."""
        position = position_of(view)
        for step in (step for line in self.lines for step in line):
            if (step.seat, step.position) == (view.seat, position) and step.action in view.legal_actions:
                return (step.action,)
        return next(filter(None, (answer.actions_in(view) for answer in self.answers)), ())

    def after(self, view: Observation, action: int) -> "Plan":
        """Return the plan after its owner has answered: without the lines that have another answer, or are done."""
        position = position_of(view)
        lines = (rest_of(line, view.seat, position, action) for line in self.lines)
        answers = tuple(answer for answer in self.answers if answer.lasts or answer.phase == view.phase)
        return replace(self, lines=tuple(filter(None, lines)), answers=answers)

    def with_line(self, line: Line, position: str) -> "Plan":
        """Return the plan with another line: without lines that `position` has left, or that answer differently."""
        answers = {step.position: step.action for step in line if step.seat == line[-1].seat}

        def stays(other: Line) -> bool:
            agrees = all(answers.get(step.position, step.action) == step.action for step in other)
            return agrees and other != line and is_alive(other, position)

        return replace(self, lines=(*filter(stays, self.lines), line))

    def with_answer(self, answer: RepeatedAnswer) -> "Plan":
        """Return the plan with a repeated answer, in place of another one in the same phase."""
        return replace(self, answers=(*(one for one in self.answers if one.phase != answer.phase), answer))

    def without(self, key: str) -> "Plan":
        """Return the plan without the line or the repeated answer with this key."""
        lines = tuple(line for line in self.lines if key_of(line) != key)
        return replace(self, lines=lines, answers=tuple(one for one in self.answers if one.key != key))


def key_of(line: Line) -> str:
    """Return the key of a line, by which its owner removes it."""
    return short_hash(repr(tuple(map(tuple, line))).encode())


def is_alive(line: Line, position: str) -> bool:
    """Return whether a line goes on from a position."""
    return any(step.position == position for step in line)


def position_of(view: Observation) -> str:
    """Return a hash of a position, as its reader sees it."""
    return short_hash(view.to_state())


def rest_of(line: Line, seat: int, position: str, action: int) -> Line:
    """Return a line after an answer of its owner; empty if the line does not have the answer, or ends with it."""
    for number, step in enumerate(line, 1):
        if (step.seat, step.position, step.action) == (seat, position, action):
            return line[number:]
    return ()


def carry_out(
    before: Play, events: Sequence[TableEvent], play: Play, plans: Mapping[int, Plan], seats: Sequence[Seat]
) -> tuple[tuple[TableEvent, ...], dict[int, Plan]]:
    """Apply the planned answers after events that led from `before` to `play`; return their events and the plans left.

    Only a move is answered: after an undo, the player answers again. `play` is changed. A takeback ends all lines.
    """
    left = dict(plans)
    if any(event.kind == TAKEBACK for event in events):
        left = {seat: replace(plan, lines=()) for seat, plan in plans.items()}
    elif events[-1].seat in left:  # of others' plans, an act takes no time
        left |= {events[-1].seat: after_own(left[events[-1].seat], before, events)}
    answers: list[TableEvent] = []
    while events[-1].kind == MOVE and not play.over and len(answers) < MAX_ANSWERS_AT_ONCE:
        seat = play.turn
        plan = left.get(seat)
        if plan is None or seats[seat].player != plan.guest or seats[seat].bot:
            break
        view = play.observe(seat)
        actions = plan.actions_in(view)
        if not actions:
            break
        left[seat] = plan.after(view, actions[0])
        for action in actions:
            answers.append(apply_action(play, action, follows=(answers or events)[-1].seat == seat))
    return tuple(answers), left


def after_own(plan: Plan, before: Play, events: Sequence[TableEvent]) -> Plan:
    """Return a plan after events of its owner, which begin at the position `before`."""
    reached = before.copy()
    for event in events:
        if event.kind == MOVE and event.action is not None:
            plan = plan.after(reached.observe(event.seat), event.action)
        apply_event(reached, event)
    return plan


class PlanRepository:
    """The SQL of plans."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of_table(self, table: str) -> dict[int, Plan]:
        """Return the plans of a table, by seat."""
        with read_connection(self._engine) as db:
            rows = db.execute(select(P.seat, P.guest, P.lines, P.answers).where(P.table == table)).all()
        return {row.seat: Plan(row.guest, *parse(row.lines, row.answers)) for row in rows}

    def save(self, table: str, seat: int, plan: Plan) -> None:
        with self._engine.begin() as db:
            write(db, table, {seat: plan}, {})


def write(db: Connection, table: str, plans: Mapping[int, Plan], before: Mapping[int, Plan]) -> None:
    """Write the plans of a table that differ from those `before`, and delete empty ones."""
    for seat, plan in plans.items():
        if plan == before.get(seat):
            continue
        ours = P.table == table, P.seat == seat
        db.execute(delete(schema.plan).where(*ours))
        if plan:
            values = {"guest": plan.guest, "lines": plan.lines, "answers": plan.answers}
            db.execute(insert(schema.plan), {"table": table, "seat": seat, **values})


def drop_ended(db: Connection, before: Table, after: Table) -> None:
    """Delete the plans of seats whose player has changed; all plans of a game that is over."""
    if after.finished:
        db.execute(delete(schema.plan).where(P.table == after.id))
        return
    for number, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
        if (old.kind, old.player, old.bot) != (new.kind, new.player, new.bot):
            db.execute(delete(schema.plan).where(P.table == after.id, P.seat == number))


def parse(
    lines: Iterable[Iterable[Iterable[Any]]], answers: Iterable[Iterable[Any]]
) -> tuple[tuple[Line, ...], tuple[RepeatedAnswer, ...]]:
    """Return lines and repeated answers from what the database stores."""
    read = tuple(tuple(PlannedStep(*step) for step in line) for line in lines)
    return read, tuple(RepeatedAnswer(*answer) for answer in answers)
