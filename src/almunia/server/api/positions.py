"""Positions, logs and marks: what a reader may know of a play, in the shapes of `models`."""

from base64 import b64encode
from collections.abc import Collection

from ... import __version__
from ...core.contract import SPECTATOR
from ...play.play import Observation
from ..clock import Clock
from ..hashes import short_hash
from ..rendering.table_view import TableView
from ..tables.log import plain_text
from ..tables.service import TableService
from ..tables.state import TableState
from ..tables.viewer import Viewer, viewer_of
from .schemas import Course, Legal, Log, LogLine, Mark, Numbers, Part, Position, Tensor, ViewerKind
from .serializers import seat_number, turn_of

USUAL: tuple[Part, ...] = ("data", "legal")
APART = str.maketrans("", "", "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
LINES = 200  # of a log in one answer


def viewed(clock: Clock, tables: TableService, table_id: str, guest: str, viewer: ViewerKind = "seat") -> TableView:
    """Return a table as a guest's seat sees it, or a spectator; NotFound if there is none."""
    return seen_by(tables.get(table_id), guest, viewer, now=clock.now())


def seen_by(snapshot: TableState, guest: str, viewer: ViewerKind = "seat", *, now: float) -> TableView:
    """The same of a snapshot; whoever has several seats sees from the one to move, as a page would show it."""
    if viewer == "spectator":
        return TableView(snapshot, Viewer(SPECTATOR, ()), now=now)
    return TableView(snapshot, viewer_of(snapshot, guest, snapshot.table.turn), now=now)


def mark(view: TableView) -> Mark:
    """What an event says of a table."""
    seat = seat_number(view.reader.seat) if view.reader.seats else None
    finished = view.table.finished
    return Mark(table=view.table.id, seat=seat, seen=view.diary.version, your_turn=view.my_turn, finished=finished)


def tag(view: TableView, include: Collection[Part], numbers: Numbers) -> str:
    """The entity tag of a position: it changes with anything that its reader could notice."""
    facts = (view.table.id, view.version, view.my_turn, view.can_undo, view.table.finished, *sorted(include), numbers)
    return f'"{short_hash(repr((*facts, __version__)).encode())}"'


def position(view: TableView, include: Collection[Part] = USUAL, numbers: Numbers = "base64") -> Position:
    """What the reader sees now and may do, with those parts of it that are wanted."""
    seen = view.observation
    return Position(
        table=view.table.id,
        game=view.table.game,
        seat=seat_number(view.reader.seat),
        seen=view.diary.version,
        turn=turn_of(view),
        your_turn=view.my_turn,
        can_undo=view.can_undo,
        finished=view.table.finished,
        legal=legal(view) if "legal" in include else None,
        courses=courses(view) if "legal" in include else None,
        observation=seen.to_dict() if "data" in include else None,
        text=seen.describe() if "text" in include else None,
        tensor=tensor(seen, numbers) if "tensor" in include else None,
    )


def legal(view: TableView) -> list[Legal]:
    """What the reader may choose now, in words and in parts."""
    if not view.my_turn:
        return []
    return [Legal(**one) for one in view.observation.describe_actions() if one["action"] in view.legal_actions]


def courses(view: TableView) -> list[Course]:
    """What the reader may choose in one go."""
    if not view.my_turn:
        return []
    return [
        Course(actions=list(one.actions), words=one.words.translate(APART), effect=one.effect.translate(APART))
        for one in view.diary.macro_labels
    ]


def tensor(seen: Observation, numbers: Numbers) -> Tensor:
    """An observation as numbers."""
    found = seen.tensor()
    data = b64encode(found.astype("<f4").tobytes()).decode() if numbers == "base64" else found.tolist()
    return Tensor(dtype="float32", shape=list(found.shape), data=data)


def log(view: TableView, start: int) -> Log:
    """A stretch of the log. Which number an act has tells of acts that the reader cannot see, so it stays here."""
    entries = view.diary.log_entries
    lines = [
        LogLine(seat=one.seat + 1, lines=[plain_text(line) for line in one.lines], points=one.gain)
        for one in entries[start : start + LINES]
    ]
    return Log(seen=view.diary.version, start=start, total=len(entries), entries=lines)
