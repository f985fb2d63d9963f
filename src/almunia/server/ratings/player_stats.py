"""Statistics of players in a game: the number of finished games, and their points."""

from collections.abc import Collection
from statistics import median_low
from typing import NamedTuple

from sqlalchemy import Engine, select

from ...core.english import pluralize
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import FINISHED, PERSON, is_deal_fixed

MIN_GAMES = 3  # for a median


class PlayerStats(NamedTuple):
    """A player's points in the games of one title."""

    games: int = 0
    median: int = 0
    best: int = 0

    def __str__(self) -> str:
        """Return the statistics in a few words."""
        if not self.games:
            return "new to this game"
        usual = f", usually {self.median}" if self.games >= MIN_GAMES else ""
        return f"{pluralize(self.games, 'game')}{usual}, best {self.best}"


def player_stats(engine: Engine, guests: Collection[str], game: str) -> dict[str, PlayerStats]:
    """Return guests' statistics in a game; lessons, challenges, daily deals and games that ended early do not count.

    Neither do games with a public deal (`Table.is_deal_public`), nor those in which a guest held several seats, on one
    device.
    """
    t, s = schema.table.c, schema.seat.c
    joined = schema.seat.join(schema.table, t.id == s.table)
    theirs = (s.kind == PERSON) & s.player.in_(guests)
    whole = (t.game == game) & (t.status == FINISHED) & (t.ended == "")
    whole &= (t.challenge == "") & t.lesson.is_(False) & (t.daily == "")
    whole &= t.seed_known.is_(False) & t.played_on.is_(None)
    wanted = select(t.id, s.player, s.seat, t.result, t.options).select_from(joined).where(theirs, whole)
    with read_connection(engine) as db:
        rows = [row for row in db.execute(wanted) if not is_deal_fixed(game, row.options)]
    held: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        held.setdefault((row.id, row.player), []).append(row.result[row.seat])
    points: dict[str, list[int]] = {guest: [] for guest in guests}
    for (_, guest), results in held.items():
        if len(results) == 1:
            points[guest] += results
    return {guest: PlayerStats(len(p), median_low(p), max(p)) if p else PlayerStats() for guest, p in points.items()}
