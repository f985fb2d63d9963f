"""The SQL of daily deals: attempts of players, and scores of bots."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import Table
from ..tokens import new_guest_id

d, b, t, a, p = (
    schema.daily_attempt.c,
    schema.daily_bot_score.c,
    schema.game_table.c,
    schema.account.c,
    schema.profile.c,
)


class DuplicateAttempt(Exception):
    """A guest has an attempt at this deal already."""


class DailyAttempt(NamedTuple):
    table: str
    finished_at: float | None
    points: int | None
    ranked: bool  # whether it is at the ranked deal


class DailyScore(NamedTuple):
    name: str
    points: int
    rank: int
    place: int = 0  # among the scores that are shown
    table: str = ""  # id for the replay, if that is public
    handle: str = ""  # of the public profile
    bot: bool = False
    mine: bool = False


class LeagueScore(NamedTuple):
    """A ranked score of a player who is shown, in one of the deals of a game."""

    deal: str
    finished_at: float
    guest: str
    points: int


class DailyDealRepository:
    """Stores attempts at daily deals, and scores of bots. Deals are given by their names."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find_attempt(self, deal: str, guest: str) -> DailyAttempt | None:
        wanted = select(d.table, d.finished_at, d.points, d.ranked).where(d.deal == deal, d.guest == guest)
        with read_connection(self._engine) as db:
            row = db.execute(wanted).first()
        return DailyAttempt(*row) if row else None

    def had_account(self, guest: str, time: float) -> bool:
        """Return whether a guest has an account that is older than a time."""
        with read_connection(self._engine) as db:
            return db.execute(select(a.guest).where(a.guest == guest, a.created_at < time)).first() is not None

    def is_attempt(self, table: str) -> bool:
        with read_connection(self._engine) as db:
            return bool(db.execute(select(t.daily).where(t.id == table)).scalar())

    def scores(self, deal: str, ends: float, guest: str) -> tuple[list[DailyScore], bool]:
        """Return scores in a deal, without places: public scores, scores of bots, and the guest's own score.

        The second value is whether any player has a score. Unranked and late attempts do not count.
        """
        ended = (d.deal == deal) & d.points.is_not(None) & (d.finished_at < ends) & d.ranked.is_(True)
        wanted = (
            select(d.guest, d.table, d.points, d.rank, p.name, p.handle, p.show_page)
            .outerjoin(schema.profile, p.guest == d.guest)
            .where(ended, p.show_daily.is_(True) | (d.guest == guest))
        )
        with read_connection(self._engine) as db:
            people = db.execute(wanted).all()
            bots = db.execute(select(b.bot, b.points, b.rank).where(b.deal == deal)).all()
            played = db.execute(select(d.deal).where(ended).limit(1)).first() is not None
        found = [DailyScore(f"{row.bot.capitalize()} bot", row.points, row.rank, bot=True) for row in bots]
        for row in people:
            mine = row.guest == guest
            name, handle = ("You", "") if mine else (row.name, row.handle if row.show_page else "")
            found.append(DailyScore(name, row.points, row.rank, table=row.table, handle=handle, mine=mine))
        return found, played

    def league_scores(self, prefix: str) -> list[LeagueScore]:
        """Return the public ranked scores in deals whose names begin with a prefix, ordered by deal."""
        shown = d.deal.startswith(prefix, autoescape=True) & d.points.is_not(None) & d.ranked & p.show_daily
        wanted = select(d.deal, d.finished_at, d.guest, d.points).join(schema.profile, p.guest == d.guest)
        with read_connection(self._engine) as db:
            return [LeagueScore(*row) for row in db.execute(wanted.where(shown).order_by(d.deal))]

    def shown_players(self, guests: Collection[str]) -> dict[str, tuple[str, str]]:
        """Return the names of guests, and the handles of their public pages or empty strings."""
        wanted = select(p.guest, p.name, p.handle, p.show_page).where(p.guest.in_(guests))
        with read_connection(self._engine) as db:
            return {guest: (name, handle if is_shown else "") for guest, name, handle, is_shown in db.execute(wanted)}

    def finish_times(self, prefix: str, guest: str) -> dict[str, float]:
        """Return when a guest has finished deals, by the names of the deals, which begin with a prefix."""
        own = (d.guest == guest) & d.deal.startswith(prefix, autoescape=True) & d.points.is_not(None)
        with read_connection(self._engine) as db:
            return {row.deal: row.finished_at for row in db.execute(select(d.deal, d.finished_at).where(own))}

    def bots_of(self, deal: str) -> set[str]:
        with read_connection(self._engine) as db:
            return set(db.execute(select(b.bot).where(b.deal == deal)).scalars())

    def save_bot(self, deal: str, bot: str, points: int, rank: int) -> None:
        """Save the score of a bot, unless another process was faster."""
        with suppress(IntegrityError), self._engine.begin() as db:
            db.execute(insert(schema.daily_bot_score), {"deal": deal, "bot": bot, "points": points, "rank": rank})


def insert_attempt(db: Connection, *, table: Table, guest: str, ranked: bool) -> None:
    """Write an attempt in the transaction that creates its table; raise DuplicateAttempt if the guest has one.

    A ranked attempt replaces an unranked attempt.
    """
    if ranked:  # an attempt as a guest was at the unranked deal
        as_guest = d.deal == table.daily, d.guest == guest, d.ranked.is_(False)
        db.execute(delete(schema.daily_attempt).where(*as_guest))
    row = {"deal": table.daily, "guest": guest, "table": table.id, "ranked": ranked}
    try:
        db.execute(insert(schema.daily_attempt), row)
    except IntegrityError:  # two requests at the same time
        raise DuplicateAttempt from None


# --- personal data ---------------------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    rows = db.execute(select(schema.daily_attempt).where(d.guest == guest).order_by(d.deal)).mappings()
    return {"daily_deals": [{key: value for key, value in row.items() if key != "guest"} for row in rows]}


def merge(db: Connection, old: str, new: str) -> None:
    """Move attempts to another guest, who is the same person.

    If both have attempted a deal, the attempt of `old` becomes anonymous.
    """
    tried = select(d.deal).where(d.guest == new)
    both = list(db.execute(select(d.deal).where(d.guest == old, d.deal.in_(tried))).scalars())
    db.execute(update(schema.daily_attempt).where(d.guest == old, d.deal.in_(both)).values(guest=new_guest_id()))
    db.execute(update(schema.daily_attempt).where(d.guest == old).values(guest=new))


def erase(db: Connection, guest: str) -> None:
    """Replace a guest in all attempts by a random id."""
    db.execute(update(schema.daily_attempt).where(d.guest == guest).values(guest=new_guest_id()))
