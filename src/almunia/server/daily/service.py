"""Daily deals: the same deal for all accounts, one ranked try each, and a secret until it is over.

A game that one can play alone has a new deal every day, any other one every week, against bots that play alike for
everybody. Days and weeks begin at midnight UTC. The seed comes from the site's key, so nobody knows it before, and it
stands nowhere, nor in records until the deal is over. While a deal runs, whoever has not played it to its end learns
nothing of what others have reached, nor may see their tables: `check_look` stands before every page and every answer on
a table.

Anybody can be as many guests as they like, and delete an account to make another one. So guests, and whoever had no
account yet when a deal began, play another deal, which is not ranked and tells nothing of the one that is, and see the
results of that one when it is over.
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
from ..lobby.new_table import ME, seats_of
from ..ratings.game_results import MIN_PLAYERS
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import Seat, Table
from ..tables.seats import bot_seat
from ..tables.service import TableService
from ..tokens import TOKEN_PATTERN, new_guest_id
from ..users.visitors import Visitor

FIRST_YEAR = 1970  # of deals: times of computers begin there
OPPONENT = "greedy"  # plays in every build alike
DEAL = re.compile(r"(?P<game>[\w-]{1,64}?)-(?:(?P<day>\d{4}-\d{2}-\d{2})|(?P<year>\d{4})-W(?P<week>\d{2}))", re.ASCII)
SHORT_WEEK = timedelta(days=7)
GUESTS = "guests' deal"  # that has a seed of its own
UNSEEN = (
    "This is somebody's try at a daily deal that still runs. You can look at it once you have played the deal to its "
    "end yourself, with an account, or when it is over."
)
SEALED = (
    "A record holds the seed, with which one could look for the best moves. That of this deal comes when it is over."
)
AGAIN = "This deal can be played again when it is over. Until then everybody has one try."

log = logging.getLogger(__name__)
d, t, a = schema.daily_try.c, schema.table.c, schema.account.c


class Deal(NamedTuple):
    """A deal of a game for a day or a week."""

    name: str
    game: str
    begins: datetime
    ends: datetime

    @property
    def weekly(self) -> bool:
        """Is it one for a week?"""
        return self.ends - self.begins == SHORT_WEEK

    def is_running(self, now: float) -> bool:
        """Whether it can be played at this time."""
        return self.begins.timestamp() <= now < self.ends.timestamp()

    def is_over(self, now: float) -> bool:
        """Whether everybody may know it at this time."""
        return now >= self.ends.timestamp()

    @property
    def title(self) -> str:
        """When it was, in words."""
        return f"Week of {in_words(self.begins)}" if self.weekly else in_words(self.begins)

    @property
    def next(self) -> str:
        """When the one after it begins, in words."""
        return in_words(self.ends)

    @property
    def before(self) -> "Deal":
        """The deal of the same game that ran before it."""
        return deal_at(self.game, self.begins - (self.ends - self.begins), weekly=self.weekly)


def in_words(day: datetime) -> str:
    """A day as pages write it."""
    return f"{day.day} {day:%B %Y}"


class DailyScore(NamedTuple):
    """What somebody has reached in a deal."""

    name: str
    points: int
    rank: int
    place: int  # among all that are shown
    table: str = ""  # to be replayed, if that is shown
    handle: str = ""  # of a page that anybody may see
    bot: bool = False
    mine: bool = False


class DailyAttempt(NamedTuple):
    """Somebody's try at a deal."""

    table: str
    finished: float | None
    points: int | None
    rank: int | None
    ranked: bool  # is it at the deal that counts?


# --- which deals there are -------------------------------------------------------------------------


def deal_at(name: str, moment: datetime, *, weekly: bool) -> Deal:
    """The deal of a game that runs at a moment."""
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
    """Has a game a deal for a week, and not one for a day?"""
    return meta.seats[0] > 1


def current(name: str, now: float) -> Deal:
    """Return the deal of a game that runs at this time."""
    return deal_at(name, datetime.fromtimestamp(now, UTC), weekly=is_weekly(catalog.meta(name)))


def named(deal: str, now: float) -> Deal:
    """Return a deal by its name; NotFound if there is none, or not yet at this time."""
    found = DEAL.fullmatch(deal)
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
    """The daily deals of a site."""

    def __init__(self, engine: Engine, key: str, tables: TableService, clock: Clock) -> None:
        self._engine, self._key, self._tables, self._clock = engine, key, tables, clock
        self._pool = ThreadPoolExecutor(1, "daily")
        self._asked: set[str] = set()  # deals that bots play or have played
        self._asking = Lock()

    def close(self) -> None:
        """Let no bot begin another deal."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def seed(self, deal: Deal, what: str = "deal") -> int:
        """The seed of a deal, or of something else about it: nobody can work it out without the site's key."""
        return self._number(f"{what} {deal.name}")

    def bot_seed(self, table: Table, seat: int, ply: int) -> int | None:
        """The seed of a bot at a try, the same for all who play alike; None at any other table."""
        return self._number(f"bot {table.daily} {seat} {ply}") if table.daily else None

    def _number(self, words: str) -> int:
        digest = hmac.digest(self._key.encode(), f"daily {words}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big") >> 1

    # --- trying ---------------------------------------------------------------------------

    def tried(self, deal: Deal, guest: str) -> DailyAttempt | None:
        """Return somebody's try at a deal, if there is one: for those who are ranked, that at the deal which counts."""
        tries = select(d.table, d.finished, d.points, d.rank, d.ranked)
        with read_connection(self._engine) as db:
            row = db.execute(tries.where(d.deal == deal.name, d.guest == guest)).first()
        return DailyAttempt(*row) if row and (row.ranked or not self.is_ranked(deal, guest)) else None

    def is_ranked(self, deal: Deal, guest: str) -> bool:
        """Whether somebody had an account when a deal began, and so plays the one that counts."""
        old = (a.guest == guest) & (a.made < deal.begins.timestamp())
        with read_connection(self._engine) as db:
            return db.execute(select(a.guest).where(old)).first() is not None

    def play(self, deal: Deal, guest: Visitor, network: str = "") -> str:
        """The table of a guest's one try at a deal that runs, opened if there is none yet."""
        found = self.tried(deal, guest.id)
        if found:
            return found.table
        if not deal.is_running(self._clock.now()):
            raise Conflict("This deal is over. Play the one that runs now.")
        try:
            return self._open(deal, guest, network)
        except IntegrityError:  # asked for twice at the same moment
            again = self.tried(deal, guest.id)
            if again is None:
                raise
            return again.table

    def _open(self, deal: Deal, guest: Visitor, network: str) -> str:
        def joining(db: Connection, *, table: Table) -> None:
            row = {"deal": deal.name, "guest": guest.id, "table": table.id, "ranked": ranked}
            if ranked:  # a try as a guest, before the account was made, was at another deal
                as_guest = d.deal == deal.name, d.guest == guest.id, d.ranked.is_(False)
                db.execute(delete(schema.daily_try).where(*as_guest))
            db.execute(insert(schema.daily_try), row)

        ranked = self.is_ranked(deal, guest.id)
        table = self._tables.create(
            deal.game,
            self._seats(deal, guest),
            guest.id,
            seed=self.seed(deal) if ranked else self.seed(deal, GUESTS),
            daily=deal.name,
            joining=joining,
            patience=0,
            network=network,
        )
        return table.id

    def _seats(self, deal: Deal, guest: Visitor) -> list[Seat]:
        seats = seats_of([ME], guest)
        for _ in range(max(MIN_PLAYERS, catalog.meta(deal.game).seats[0]) - 1 if deal.weekly else 0):
            seats.append(bot_seat(OPPONENT, seats))
        return seats

    def may_know(self, deal: Deal, guest: str) -> bool:
        """Whether somebody may know all of a deal: it is over, or they have played the one that counts to its end."""
        if deal.is_over(self._clock.now()):
            return True
        found = self.tried(deal, guest) if guest else None
        return found is not None and found.ranked and found.points is not None

    # --- who may look ---------------------------------------------------------------------

    def check_look(self, table_id: str, guest: str) -> None:
        """Forbidden if a table is a try at a deal that runs, neither the guest's own nor at one that they know."""
        table = self._tried_at(table_id)
        own = table is not None and guest != "" and table.host == guest
        if table and not own and not self.may_know(named(table.daily, self._clock.now()), guest):
            raise Forbidden(UNSEEN)

    def may_be_secret(self, table_id: str) -> bool:
        """May a table be a try, as far as is known without asking the database?"""
        kept = self._tables.get_if_cached(table_id)
        return kept is None or kept.table.daily != ""

    def is_running(self, table: Table) -> bool:
        """Is a table a try at a deal that still runs?"""
        now = self._clock.now()
        return bool(table.daily) and not named(table.daily, now).is_over(now)

    def check_over(self, table: Table) -> None:
        """Conflict if a table is a try at a deal that runs, for then nothing of it is played again."""
        if self.is_running(table):
            raise Conflict(AGAIN)

    def check_record(self, table: Table) -> None:
        """Conflict if a table is a try at a deal that runs: whoever has its seed could try it as somebody else."""
        if self.is_running(table):
            raise Conflict(SEALED)

    def _tried_at(self, table_id: str) -> Table | None:
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
        """What was reached in a deal, by those who show it, by bots, and by the guest; the best first.

        Nobody learns of it who may not know all of the deal. Tries of guests do not count.
        """
        if not self.may_know(deal, guest):
            raise Forbidden(UNSEEN)
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
        if played:  # there are deals of all days since 1970, and whoever asks for them makes no bot work
            self._let_bots_play(deal)
        ordered = sorted(found, key=lambda one: (-one.points, one.bot, one.name))
        return [one._replace(place=1 + sum(other.points > one.points for other in found)) for one in ordered]

    def streak(self, name: str, guest: str) -> int:
        """How many deals of a game in a row a guest has finished, up to the one that runs or the one before."""
        with read_connection(self._engine) as db:
            wanted = select(d.deal, d.finished).where(d.guest == guest, d.deal.startswith(f"{name}-", autoescape=True))
            done = {row.deal: row.finished for row in db.execute(wanted.where(d.points.is_not(None)))}
        deal, count = current(name, self._clock.now()), 0
        if deal.name not in done:
            deal = deal.before
        while deal.name in done and done[deal.name] < deal.ends.timestamp():
            deal, count = deal.before, count + 1
        return count

    # --- bots -----------------------------------------------------------------------------

    def _let_bots_play(self, deal: Deal) -> None:
        """Let bots play a deal beside everything else, as far as they have not yet."""
        with self._asking:
            if deal.name in self._asked:
                return
            self._asked.add(deal.name)
        try:
            self._pool.submit(self._bots_play, deal)
        except RuntimeError:  # closed meanwhile
            log.info("Nobody plays %s before the next start.", deal.name)

    def _bots_play(self, deal: Deal) -> None:
        try:
            this = self._tables.builds.get(deal.game)
            b = schema.daily_bot.c
            with read_connection(self._engine) as db:
                done = set(db.execute(select(b.bot).where(b.deal == deal.name)).scalars())
            for spec in beside(this):
                if spec not in done:
                    self._bot_plays(deal, this, spec)
        except Exception:  # a game of somebody's own may fail in any way
            log.exception("The bots could not play %s.", deal.name)

    def _bot_plays(self, deal: Deal, this: Game, spec: str) -> None:
        count = max(MIN_PLAYERS, this.meta.seats[0]) if deal.weekly else 1
        play = this.start(count, self.seed(deal), {})
        while not play.over:
            own = spec if play.turn == 0 else OPPONENT
            seed = self._number(f"bot {deal.name} {play.turn} {len(play.actions)}")
            play.apply(bots.make(own, this, seed).choose(play.observe(play.turn)))
        row = {"deal": deal.name, "bot": spec, "points": play.points[0], "rank": play.ranks()[0]}
        with suppress(IntegrityError), self._engine.begin() as db:  # another process may have been quicker
            db.execute(insert(schema.daily_bot), row)


def beside(this: Game) -> list[str]:
    """The levels that play in every build alike in a game: their results stand beside those of people."""
    return [level for level in bots.LEVELS if bots.parse_spec(level, this).kind in bots.KERNEL_BOTS]


def daily_games() -> list[Meta]:
    """The games that have deals: first those of a day."""
    return sorted((meta for meta in catalog.all_games() if meta.stage == "complete"), key=is_weekly)


# --- what a guest may ask for ----------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """All tries of a guest."""
    rows = db.execute(select(schema.daily_try).where(d.guest == guest).order_by(d.deal)).mappings()
    return {"daily_deals": [{key: value for key, value in row.items() if key != "guest"} for row in rows]}


def move(db: Connection, old: str, new: str) -> None:
    """Let tries be those of another guest, who is the same person. Of two at a deal the other's counts."""
    tried = select(d.deal).where(d.guest == new)
    both = list(db.execute(select(d.deal).where(d.guest == old, d.deal.in_(tried))).scalars())
    db.execute(update(schema.daily_try).where(d.guest == old, d.deal.in_(both)).values(guest=new_guest_id()))
    db.execute(update(schema.daily_try).where(d.guest == old).values(guest=new))


def forget(db: Connection, guest: str) -> None:
    """Forget whose tries these are."""
    db.execute(update(schema.daily_try).where(d.guest == guest).values(guest=new_guest_id()))
