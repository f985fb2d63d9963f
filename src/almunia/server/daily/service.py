"""Daily deals: the same deal for all accounts, with one ranked attempt each, secret until it is over.

A solo game has a new deal every day, any other game every week, against bots that play alike for all players. Days and
weeks begin at midnight UTC. The seed is derived from the site's key, so no player knows it before, and no record
contains it until the deal is over. While a deal runs, a player who has not finished it sees neither the results nor the
tables of others: `check_can_view` runs before every response about a table.

Anyone can become many guests, or replace an account. So guests, and accounts that are newer than a deal, play another
deal, which is not ranked and reveals nothing of the ranked one. They see the ranked results when it is over.
"""

import hmac
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from ... import bots, catalog
from ...core.contract import Meta
from ...library import Game
from ..clock import Clock
from ..errors import Conflict, Forbidden, NotFound
from ..lobby.new_table import ME, make_seats
from ..ratings.game_results import MIN_PLAYERS
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import Seat, Table
from ..tables.seats import bot_seat
from ..tables.service import TableService
from ..tokens import TOKEN_PATTERN, new_guest_id
from ..users.visitors import Visitor

FIRST_YEAR = 1970  # of deals, where Unix time begins
OPPONENT_BOT = "greedy"  # plays alike in all builds
DEAL_PATTERN = re.compile(
    r"(?P<game>[\w-]{1,64}?)-(?:(?P<day>\d{4}-\d{2}-\d{2})|(?P<year>\d{4})-W(?P<week>\d{2}))", re.ASCII
)
WEEK = timedelta(days=7)
GUEST_SEED = "guests' deal"  # derives the seed of the unranked deal
HIDDEN_MESSAGE = (
    "This is another player's attempt at a daily deal that still runs. You can look at it once you have finished the "
    "deal yourself, with an account, or when it is over."
)
RECORD_HIDDEN_MESSAGE = (
    "A record contains the seed, with which a player could find the best moves. It is available when the deal is over."
)
ONE_ATTEMPT_MESSAGE = "This deal can be played again when it is over. Until then each player has one attempt."

log = logging.getLogger(__name__)
d, t, a = schema.daily_try.c, schema.table.c, schema.account.c


class Deal(NamedTuple):
    """A deal of a game for a day or a week."""

    name: str
    game: str
    begins: datetime
    ends: datetime

    @property
    def is_weekly(self) -> bool:
        """Whether it is a weekly deal."""
        return self.ends - self.begins == WEEK

    def is_running(self, now: float) -> bool:
        """Whether players can start it at this time."""
        return self.begins.timestamp() <= now < self.ends.timestamp()

    def is_over(self, now: float) -> bool:
        """Whether its results and seed are public at this time."""
        return now >= self.ends.timestamp()

    @property
    def title(self) -> str:
        """The day or week in words."""
        return f"Week of {format_day(self.begins)}" if self.is_weekly else format_day(self.begins)

    @property
    def next_begins(self) -> str:
        """The day on which the next deal begins, in words."""
        return format_day(self.ends)

    @property
    def previous(self) -> "Deal":
        """The previous deal of the same game."""
        return deal_at(self.game, self.begins - (self.ends - self.begins), weekly=self.is_weekly)


def format_day(day: datetime) -> str:
    """Return a day as pages show it."""
    return f"{day.day} {day:%B %Y}"


class DailyScore(NamedTuple):
    """The score of a player or bot in a deal."""

    name: str
    points: int
    rank: int
    place: int  # among the scores that are shown
    table: str = ""  # id for the replay, if that is public
    handle: str = ""  # of the public profile
    bot: bool = False
    mine: bool = False


class DailyAttempt(NamedTuple):
    """A guest's attempt at a deal."""

    table: str
    finished: float | None
    points: int | None
    rank: int | None
    ranked: bool  # whether it is at the ranked deal


# --- deals -----------------------------------------------------------------------------------------


def deal_at(name: str, moment: datetime, *, weekly: bool) -> Deal:
    """Return the deal of a game that runs at a time."""
    day = moment.astimezone(UTC).date()
    if weekly:
        day -= timedelta(days=day.weekday())
        year, week, _ = day.isocalendar()
        return _deal(f"{name}-{year:04}-W{week:02}", name, day, 7)
    return _deal(f"{name}-{day.isoformat()}", name, day, 1)


def _deal(deal: str, name: str, day: date, days: int) -> Deal:
    begins = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return Deal(deal, name, begins, begins + timedelta(days=days))


def is_weekly(meta: Meta) -> bool:
    """Whether a game has weekly deals, and not daily ones."""
    return meta.seats[0] > 1


def current_deal(name: str, now: float) -> Deal:
    """Return the deal of a game that runs at this time."""
    return deal_at(name, datetime.fromtimestamp(now, UTC), weekly=is_weekly(catalog.meta(name)))


def get_deal(deal: str, now: float) -> Deal:
    """Return a deal by its name; NotFound if there is none, or if it begins later than `now`."""
    found = DEAL_PATTERN.fullmatch(deal)
    meta = catalog.try_meta(found["game"]) if found and found["game"] in catalog.game_packages() else None
    try:
        if found and meta and is_weekly(meta) == bool(found["week"]):
            day = date.fromisoformat(found["day"]) if found["day"] else _monday(found["year"], found["week"])
            one = deal_at(meta.name, datetime(day.year, day.month, day.day, tzinfo=UTC), weekly=is_weekly(meta))
            if day.year >= FIRST_YEAR and one.begins.timestamp() <= now:
                return one
    except (ValueError, OverflowError):
        pass
    raise NotFound(f"There is no deal {deal[:40]!r}. The page of daily deals has those of today and of days before.")


def _monday(year: str, week: str) -> date:
    return date.fromisocalendar(int(year), int(week), 1)


class DailyDealService:
    """Opens attempts at daily deals, and reads their results."""

    def __init__(self, engine: Engine, key: str, tables: TableService, clock: Clock) -> None:
        self._engine, self._key, self._tables, self._clock = engine, key, tables, clock
        self._pool = ThreadPoolExecutor(1, "daily")
        self._bots_asked: set[str] = set()  # names of deals that bots play or have played
        self._bots_lock = Lock()

    def close(self) -> None:
        """Stop the thread of the bots after the current deal."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def seed(self, deal: Deal, what: str = "deal") -> int:
        """Return the seed of a deal, or another one for `what`. It cannot be computed without the site's key."""
        return self._derive(f"{what} {deal.name}")

    def bot_seed(self, table: Table, seat: int, ply: int) -> int | None:
        """Return the seed of a bot in an attempt, equal for all players with equal moves; None at other tables."""
        return self._derive(f"bot {table.daily} {seat} {ply}") if table.daily else None

    def _derive(self, words: str) -> int:
        digest = hmac.digest(self._key.encode(), f"daily {words}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big") >> 1

    # --- attempts -------------------------------------------------------------------------

    def find_attempt(self, deal: Deal, guest: str) -> DailyAttempt | None:
        """Return a guest's attempt at a deal, or None. For a ranked guest, only a ranked attempt counts."""
        tries = select(d.table, d.finished, d.points, d.rank, d.ranked)
        with read_connection(self._engine) as db:
            row = db.execute(tries.where(d.deal == deal.name, d.guest == guest)).first()
        return DailyAttempt(*row) if row and (row.ranked or not self.is_ranked(deal, guest)) else None

    def is_ranked(self, deal: Deal, guest: str) -> bool:
        """Whether the guest had an account when the deal began, and so plays the ranked deal."""
        old = (a.guest == guest) & (a.made < deal.begins.timestamp())
        with read_connection(self._engine) as db:
            return db.execute(select(a.guest).where(old)).first() is not None

    def start_attempt(self, deal: Deal, guest: Visitor, network: str = "") -> str:
        """Return the table id of a guest's only attempt at a running deal; opens the table if necessary."""
        found = self.find_attempt(deal, guest.id)
        if found:
            return found.table
        if not deal.is_running(self._clock.now()):
            raise Conflict("This deal is over. Play the one that runs now.")
        try:
            return self._create(deal, guest, network)
        except IntegrityError:  # two requests at the same time
            again = self.find_attempt(deal, guest.id)
            if again is None:
                raise
            return again.table

    def _create(self, deal: Deal, guest: Visitor, network: str) -> str:
        def joining(db: Connection, *, table: Table) -> None:
            row = {"deal": deal.name, "guest": guest.id, "table": table.id, "ranked": ranked}
            if ranked:  # an attempt as a guest was at the unranked deal
                as_guest = d.deal == deal.name, d.guest == guest.id, d.ranked.is_(False)
                db.execute(delete(schema.daily_try).where(*as_guest))
            db.execute(insert(schema.daily_try), row)

        ranked = self.is_ranked(deal, guest.id)
        table = self._tables.create(
            deal.game,
            self._seats(deal, guest),
            guest.id,
            seed=self.seed(deal) if ranked else self.seed(deal, GUEST_SEED),
            daily=deal.name,
            joining=joining,
            patience=0,
            network=network,
        )
        return table.id

    def _seats(self, deal: Deal, guest: Visitor) -> list[Seat]:
        seats = make_seats([ME], guest)
        for _ in range(max(MIN_PLAYERS, catalog.meta(deal.game).seats[0]) - 1 if deal.is_weekly else 0):
            seats.append(bot_seat(OPPONENT_BOT, seats))
        return seats

    def may_see_results(self, deal: Deal, guest: str) -> bool:
        """Whether a guest may see the results of a deal: it is over, or the guest has finished the ranked attempt."""
        if deal.is_over(self._clock.now()):
            return True
        found = self.find_attempt(deal, guest) if guest else None
        return found is not None and found.ranked and found.points is not None

    # --- access ---------------------------------------------------------------------------

    def check_can_view(self, table_id: str, guest: str) -> None:
        """Raise Forbidden if a table is another guest's attempt at a deal whose results this guest may not see."""
        table = self._attempt_at(table_id)
        own = table is not None and guest != "" and table.host == guest
        if table and not own and not self.may_see_results(get_deal(table.daily, self._clock.now()), guest):
            raise Forbidden(HIDDEN_MESSAGE)

    def may_be_hidden(self, table_id: str) -> bool:
        """Whether a table may be an attempt, without a query: True if it is not cached."""
        kept = self._tables.get_if_cached(table_id)
        return kept is None or kept.table.daily != ""

    def is_running(self, table: Table) -> bool:
        """Whether a table is an attempt at a running deal."""
        now = self._clock.now()
        return bool(table.daily) and not get_deal(table.daily, now).is_over(now)

    def check_over(self, table: Table) -> None:
        """Raise Conflict if a table is an attempt at a running deal, which cannot be played again yet."""
        if self.is_running(table):
            raise Conflict(ONE_ATTEMPT_MESSAGE)

    def check_record(self, table: Table) -> None:
        """Raise Conflict if a table is an attempt at a running deal: its seed would help another attempt."""
        if self.is_running(table):
            raise Conflict(RECORD_HIDDEN_MESSAGE)

    def _attempt_at(self, table_id: str) -> Table | None:
        kept = self._tables.get_if_cached(table_id)
        if kept:
            return kept.table if kept.table.daily else None
        if not TOKEN_PATTERN.fullmatch(table_id):
            return None
        with read_connection(self._engine) as db:
            daily = db.execute(select(t.daily).where(t.id == table_id)).scalar()
        return self._tables.store.find(table_id) if daily else None

    # --- results --------------------------------------------------------------------------

    def results(self, deal: Deal, guest: str) -> list[DailyScore]:
        """Return the scores of a deal, best first: public ones, those of bots, and the guest's own.

        Raises Forbidden if the guest may not see them. Unranked attempts do not count.
        """
        if not self.may_see_results(deal, guest):
            raise Forbidden(HIDDEN_MESSAGE)
        p = schema.profile.c
        joined = schema.daily_try.outerjoin(schema.profile, p.guest == d.guest)
        ended = (d.deal == deal.name) & d.points.is_not(None) & (d.finished < deal.ends.timestamp())
        ended &= d.ranked.is_(True)
        shown = (p.daily.is_(True)) | (d.guest == guest)
        wanted = select(d.guest, d.table, d.points, d.rank, p.name, p.handle, p.page, p.daily).select_from(joined)
        with read_connection(self._engine) as db:
            people = [
                DailyScore(
                    "You" if row.guest == guest else row.name,
                    row.points,
                    row.rank,
                    0,
                    row.table,
                    row.handle if row.page and row.guest != guest else "",
                    mine=row.guest == guest,
                )
                for row in db.execute(wanted.where(ended, shown))
            ]
            b = schema.daily_bot.c
            machines = db.execute(select(b.bot, b.points, b.rank).where(b.deal == deal.name)).all()
            played = db.execute(select(d.deal).where(ended).limit(1)).first() is not None
        found = [
            *people,
            *(DailyScore(f"{row.bot.capitalize()} bot", row.points, row.rank, 0, bot=True) for row in machines),
        ]
        if played:  # visitors can ask for deals of all days since 1970, which must not make bots work
            self._enqueue_bots(deal)
        ordered = sorted(found, key=lambda one: (-one.points, one.bot, one.name))
        return [one._replace(place=1 + sum(other.points > one.points for other in found)) for one in ordered]

    def streak(self, name: str, guest: str) -> int:
        """Return how many deals of a game in a row the guest has finished, up to the running or the previous one."""
        with read_connection(self._engine) as db:
            wanted = select(d.deal, d.finished).where(d.guest == guest, d.deal.startswith(f"{name}-", autoescape=True))
            done = {row.deal: row.finished for row in db.execute(wanted.where(d.points.is_not(None)))}
        deal, count = current_deal(name, self._clock.now()), 0
        if deal.name not in done:
            deal = deal.previous
        while deal.name in done and done[deal.name] < deal.ends.timestamp():
            deal, count = deal.previous, count + 1
        return count

    # --- bots -----------------------------------------------------------------------------

    def _enqueue_bots(self, deal: Deal) -> None:
        """Queue a deal for the reference bots, unless they have played it."""
        with self._bots_lock:
            if deal.name in self._bots_asked:
                return
            self._bots_asked.add(deal.name)
        try:
            self._pool.submit(self._run_bots, deal)
        except RuntimeError:  # closed meanwhile
            log.info("Bots play %s after the next start.", deal.name)

    def _run_bots(self, deal: Deal) -> None:
        try:
            this = self._tables.builds.get(deal.game)
            b = schema.daily_bot.c
            with read_connection(self._engine) as db:
                done = set(db.execute(select(b.bot).where(b.deal == deal.name)).scalars())
            for spec in reference_bots(this):
                if spec not in done:
                    self._run_bot(deal, this, spec)
        except Exception:  # a game of another author may fail in any way
            log.exception("The bots could not play %s.", deal.name)

    def _run_bot(self, deal: Deal, this: Game, spec: str) -> None:
        count = max(MIN_PLAYERS, this.meta.seats[0]) if deal.is_weekly else 1
        play = this.start(count, self.seed(deal), {})
        while not play.over:
            own = spec if play.turn == 0 else OPPONENT_BOT
            seed = self._derive(f"bot {deal.name} {play.turn} {len(play.actions)}")
            play.apply(bots.make(own, this, seed).choose(play.observe(play.turn)))
        row = {"deal": deal.name, "bot": spec, "points": play.points[0], "rank": play.ranks()[0]}
        with suppress(IntegrityError), self._engine.begin() as db:  # if another process was faster
            db.execute(insert(schema.daily_bot), row)


def reference_bots(this: Game) -> list[str]:
    """Return the bot levels that play alike in all builds of a game. Their scores are references for players."""
    return [level for level in bots.LEVELS if bots.parse_spec(level, this).kind in bots.KERNEL_BOTS]


def daily_games() -> list[Meta]:
    """Return the games with deals, those with daily ones first."""
    return sorted((meta for meta in catalog.all_games() if meta.stage == "complete"), key=is_weekly)


# --- personal data ---------------------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """Return all attempts of a guest."""
    rows = db.execute(select(schema.daily_try).where(d.guest == guest).order_by(d.deal)).mappings()
    return {"daily_deals": [{key: value for key, value in row.items() if key != "guest"} for row in rows]}


def merge(db: Connection, old: str, new: str) -> None:
    """Move attempts to another guest, who is the same person. Of two at a deal, the other guest's counts."""
    tried = select(d.deal).where(d.guest == new)
    both = list(db.execute(select(d.deal).where(d.guest == old, d.deal.in_(tried))).scalars())
    db.execute(update(schema.daily_try).where(d.guest == old, d.deal.in_(both)).values(guest=new_guest_id()))
    db.execute(update(schema.daily_try).where(d.guest == old).values(guest=new))


def erase(db: Connection, guest: str) -> None:
    """Replace the guest of all attempts by a random id."""
    db.execute(update(schema.daily_try).where(d.guest == guest).values(guest=new_guest_id()))
