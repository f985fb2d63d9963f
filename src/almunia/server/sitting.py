"""Sitting: a table's play, rebuilt from its entries, with the log as each reader may read it.

A sitting is never changed: the next entry makes another one, so a page that is being drawn from it
stays in one piece.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from ..core.contract import NONE, Line
from ..core.game import Game
from ..core.play import Observation, Play
from ..errors import AlmuniaError, RecordError
from .store import ACT, UNDO, Entry, Table


class Told(NamedTuple):
    """A log line, with the number of the action it tells of and the seat that chose it."""

    number: int
    seat: int
    line: Line


@dataclass(frozen=True)
class Diary:
    """What one reader has seen of a play.

    `seen` counts what the reader could notice. It is the version that this reader is given: the
    count of all entries would tell how many questions others have answered in secret.
    """

    reader: int
    view: Observation
    seen: int = 0
    told: tuple[Told, ...] = ()

    def after(self, entry: Entry, before: Play, after: Play) -> "Diary":
        """The diary once an entry has led from one position to the next."""
        view = after.observe(self.reader)
        if entry.kind in (ACT, UNDO) and entry.seat != self.reader and view.to_state() == self.view.to_state():
            return self
        told = tuple(line for line in self.told if line.number <= len(after.actions))
        if entry.kind == ACT:
            known = before.game.observe.may_see(before.state, self.reader)
            action = entry.action if known and entry.action is not None else NONE
            lines = before.game.text.tell(self.view.state, action, view.state)
            told += tuple(Told(len(after.actions), entry.seat, line) for line in lines)
        return replace(self, view=view, seen=self.seen + 1, told=told)


class Sitting:
    """A table at one version."""

    def __init__(self, table: Table, play: Play, entries: tuple[Entry, ...], diaries: dict[int, Diary]) -> None:
        self.table, self.play = table, play
        self._entries, self._diaries = entries, diaries

    @classmethod
    def rebuild(cls, table: Table, entries: Iterable[Entry], game: Game) -> Self:
        """The sitting that these entries lead to; RecordError if the rules have changed since."""
        check_version(table, game)
        play = game.new(len(table.seats), table.seed, **table.options)
        kept = tuple(entries)
        for entry in kept:
            try:
                follow(play, entry)
            except AlmuniaError as error:
                raise RecordError(f"This table cannot be continued, for its record does not replay: {error}") from None
        return cls(table, play, kept, {})

    def after(self, table: Table, entries: tuple[Entry, ...], play: Play) -> "Sitting":
        """The sitting after more entries, which led to `play`."""
        diaries, before = dict(self._diaries), self.play
        for entry in entries:
            following = before.copy()
            follow(following, entry)
            diaries = {reader: diary.after(entry, before, following) for reader, diary in diaries.items()}
            before = following
        return Sitting(table, play, self._entries + entries, diaries)

    def diary(self, reader: int) -> Diary:
        """The diary of a seat, or of a spectator."""
        if reader not in self._diaries:
            self._diaries[reader] = self._written(reader)
        return self._diaries[reader]

    def _written(self, reader: int) -> Diary:
        play = self.play.game.new(len(self.table.seats), self.table.seed, **self.table.options)
        diary = Diary(reader, play.observe(reader))
        for entry in self._entries:
            before = play.copy()
            follow(play, entry)
            diary = diary.after(entry, before, play)
        return diary

    def at(self, number: int) -> Play:
        """The play after its first actions."""
        play = self.play.game.new(len(self.table.seats), self.table.seed, **self.table.options)
        for action in self.play.actions[:number]:
            play.apply(action)
        return play


def follow(play: Play, entry: Entry) -> None:
    """Do what an entry says. Entries that only concern the seats change nothing in a play."""
    if entry.kind == ACT and entry.action is not None:
        play.apply(entry.action)
    elif entry.kind == UNDO:
        play.undo()


def check_version(table: Table, game: Game) -> None:
    """RecordError if a table was begun with other rules or components than these."""
    if (table.rules, table.components) != (game.meta.rules_version, game.components):
        raise RecordError(
            f"This table was begun with version {table.rules} of the rules and components {table.components}; this "
            f"site now has version {game.meta.rules_version} and {game.components}, so it cannot be continued here."
        )
