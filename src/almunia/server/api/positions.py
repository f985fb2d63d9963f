"""Positions, logs and marks of a table as a viewer may know them, as the models of `schemas`."""

from base64 import b64encode
from collections.abc import Collection

from ... import __version__
from ...core.contract import SPECTATOR
from ...play.play import Observation
from ..hashes import short_hash
from ..tables.log import plain_text
from ..tables.state import TableState
from ..tables.table_view import TableView
from ..tables.viewer import Viewer, viewer_of
from .schemas import Course, Legal, Log, LogLine, Mark, Numbers, Part, Position, Tensor, ViewerKind
from .serializers import seat_number, seat_to_move

DEFAULT_PARTS: tuple[Part, ...] = ("data", "legal")
WITHOUT_ISOLATES = str.maketrans("", "", "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
MAX_LOG_LINES = 200  # in a response


def view_of(state: TableState, guest: str, viewer: ViewerKind = "seat", *, now: float) -> TableView:
    """Return a state as a guest or a spectator sees it."""
    spectates = viewer == "spectator"
    reader = Viewer(SPECTATOR, ()) if spectates else viewer_of(state, guest, state.table.turn)
    return TableView(state, reader, now=now)


def make_mark(view: TableView) -> Mark:
    seat = seat_number(view.viewer.seat) if view.viewer.seats else None
    finished = view.table.finished
    return Mark(table=view.table.id, seat=seat, seen=view.history.version, your_turn=view.my_turn, finished=finished)


def entity_tag(view: TableView, include: Collection[Part], numbers: Numbers) -> str:
    """Return the entity tag of a position with these parts."""
    facts = (view.table.id, view.version, view.my_turn, view.can_undo, view.table.finished, *sorted(include), numbers)
    return f'"{short_hash(repr((*facts, __version__)).encode())}"'


def make_position(view: TableView, include: Collection[Part] = DEFAULT_PARTS, numbers: Numbers = "base64") -> Position:
    seen = view.observation
    return Position(
        table=view.table.id,
        game=view.table.game,
        seat=seat_number(view.viewer.seat),
        seen=view.history.version,
        turn=seat_to_move(view),
        your_turn=view.my_turn,
        can_undo=view.can_undo,
        finished=view.table.finished,
        legal=legal(view) if "legal" in include else None,
        courses=courses(view) if "legal" in include else None,
        observation=seen.to_dict() if "data" in include else None,
        text=seen.describe() if "text" in include else None,
        tensor=make_tensor(seen, numbers) if "tensor" in include else None,
    )


def legal(view: TableView) -> list[Legal]:
    """Return the legal actions in words and parts; empty if the viewer is not to move."""
    described = view.observation.describe_actions() if view.my_turn else []
    return [Legal(**one) for one in described if one["action"] in view.legal_actions]


def courses(view: TableView) -> list[Course]:
    """Return the courses that the viewer may choose; empty if the viewer is not to move."""
    return [
        Course(
            actions=list(one.actions),
            words=one.words.translate(WITHOUT_ISOLATES),
            effect=one.effect.translate(WITHOUT_ISOLATES),
        )
        for one in (view.history.macro_labels if view.my_turn else ())
    ]


def make_tensor(seen: Observation, numbers: Numbers) -> Tensor:
    found = seen.tensor()
    data = b64encode(found.astype("<f4").tobytes()).decode() if numbers == "base64" else found.tolist()
    return Tensor(dtype="float32", shape=list(found.shape), data=data)


def make_log(view: TableView, start: int) -> Log:
    """Return at most MAX_LOG_LINES entries from `start`, without event numbers, which would reveal hidden events."""
    entries = view.history.log_entries
    lines = [
        LogLine(
            seat=one.seat + 1,
            lines=[plain_text(line) for line in one.lines],
            points=one.gain,
            at=int(one.created_at),
            seconds=int(one.seconds),
        )
        for one in entries[start : start + MAX_LOG_LINES]
    ]
    return Log(seen=view.history.version, start=start, total=len(entries), entries=lines)
