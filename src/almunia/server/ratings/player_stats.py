"""What the site knows of how well somebody plays a game: how many they have finished, and with what result."""

from collections.abc import Collection
from statistics import median_low
from typing import NamedTuple

from sqlalchemy import Engine, select

from ...core.english import pluralize
from ..storage import schema
from ..storage.database import reading
from ..tables.model import FINISHED, PERSON, is_deal_fixed

FEW = 3  # games, before there is a usual result


class PlayerStats(NamedTuple):
    """The results of somebody in the games of one title, in points."""

    games: int = 0
    usual: int = 0
    best: int = 0

    def __str__(self) -> str:
        """In a few words."""
        if not self.games:
            return "new to this game"
        usual = f", usually {self.usual}" if self.games >= FEW else ""
        return f"{pluralize(self.games, 'game')}{usual}, best {self.best}"


def experience_of(engine: Engine, guests: Collection[str], game: str) -> dict[str, PlayerStats]:
    """The experience of guests with a game; lessons, challenges, daily deals and what ended early count for nothing.

    Nor do games whose deal was known (`Table.deal_known`), nor those in which somebody held several seats, for they
    were played on one device.
    """
    t, s = schema.table.c, schema.seat.c
    joined = schema.seat.join(schema.table, t.id == s.table)
    theirs = (s.kind == PERSON) & s.player.in_(guests)
    whole = (t.game == game) & (t.status == FINISHED) & (t.ended == "")
    whole &= (t.challenge == "") & t.lesson.is_(False) & (t.daily == "")
    whole &= t.seed_known.is_(False) & t.played_on.is_(None)
    wanted = select(t.id, s.player, s.seat, t.result, t.options).select_from(joined).where(theirs, whole)
    with reading(engine) as db:
        rows = [row for row in db.execute(wanted) if not is_deal_fixed(game, row.options)]
    held: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        held.setdefault((row.id, row.player), []).append(row.result[row.seat])
    points: dict[str, list[int]] = {guest: [] for guest in guests}
    for (_, guest), results in held.items():
        if len(results) == 1:
            points[guest] += results
    return {guest: PlayerStats(len(p), median_low(p), max(p)) if p else PlayerStats() for guest, p in points.items()}
