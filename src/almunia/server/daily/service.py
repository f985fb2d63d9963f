"""Daily deals: one deal of a game for a day or a week, with at most one ranked attempt for each account.

A game that can be played solo has a new deal every day. Any other game has a new deal every week, against bots. Days
and weeks begin at midnight UTC. The seed is derived from the site's key, so that no player can compute it. While a deal
runs, only players who have finished a ranked attempt see the results and the tables of others (`check_can_view`).

Anyone can become many guests, or replace an account. So guests, and accounts that are newer than a deal, play another
deal, which is not ranked and reveals nothing of the ranked deal.
"""

import hmac
import logging
import re
from concurrent.futures import Executor
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial
from math import inf
from threading import Lock
from typing import NamedTuple

from ... import bots, catalog
from ...core.contract import Meta
from ...library import Game
from ..clock import Clock
from ..errors import Conflict, Forbidden, NotFound
from ..lobby.new_table import ME, make_seats
from ..tables.model import Seat, Table
from ..tables.seats import bot_seat
from ..tables.service import TableService
from ..tokens import TOKEN_PATTERN
from ..users.visitors import Visitor
from .leagues import Line, play_season
from .repository import DailyAttempt, DailyDealRepository, DailyScore, DuplicateAttempt, insert_attempt

FIRST_YEAR = 1970  # of deals, where Unix time begins
OPPONENT_BOT = "greedy"  # plays alike in all builds
DEAL_PATTERN = re.compile(r"(?P<game>[\w-]{1,64}?)-(?P<day>\d{4}-(?:\d{2}-\d{2}|W\d{2}))", re.ASCII)
GUEST_SEED = "guests' deal"  # derives the seed of the unranked deal
HIDDEN_MESSAGE = (
    "This is another player's try at a daily deal that is still open. You can watch it when you have finished the "
    "deal yourself, with an account, or when it is over."
)

log = logging.getLogger(__name__)


class Deal(NamedTuple):
    """A deal of a game for a day or a week."""

    game: str
    begins: datetime  # midnight UTC
    is_weekly: bool

    @property
    def name(self) -> str:
        """The game with the day or week, as in addresses."""
        return f"{self.game}-{self.begins.strftime('%G-W%V' if self.is_weekly else '%Y-%m-%d')}"

    @property
    def length(self) -> timedelta:
        return timedelta(days=7 if self.is_weekly else 1)

    @property
    def ends(self) -> datetime:
        return self.begins + self.length

    def is_running(self, now: float) -> bool:
        """Return whether players can start the deal at this time."""
        return self.begins.timestamp() <= now < self.ends.timestamp()

    def is_over(self, now: float) -> bool:
        """Return whether the deal's results and seed are public at this time."""
        return now >= self.ends.timestamp()

    @property
    def title(self) -> str:
        return f"Week of {format_day(self.begins)}" if self.is_weekly else format_day(self.begins)

    @property
    def next_begins(self) -> str:
        return format_day(self.ends)

    @property
    def previous(self) -> "Deal":
        return self._replace(begins=self.begins - self.length)


def format_day(day: datetime) -> str:
    return f"{day.day} {day:%B %Y}"


# --- deals -----------------------------------------------------------------------------------------


def deal_at(meta: Meta, day: date) -> Deal:
    first = day - timedelta(days=day.weekday() if is_weekly(meta) else 0)
    return Deal(meta.name, datetime(first.year, first.month, first.day, tzinfo=UTC), is_weekly(meta))


def is_weekly(meta: Meta) -> bool:
    return meta.seats[0] > 1


def current_deal(name: str, now: float) -> Deal:
    return deal_at(catalog.meta(name), datetime.fromtimestamp(now, UTC))


def get_deal(deal: str, now: float) -> Deal:
    """Return a deal by its name; raise NotFound if there is no such deal, or if it begins later than `now`."""
    found = DEAL_PATTERN.fullmatch(deal)
    meta = catalog.try_meta(found["game"]) if found and found["game"] in catalog.game_packages() else None
    with suppress(ValueError, OverflowError):  # no such day
        if found and meta:
            one = deal_at(meta, date.fromisoformat(found["day"]))
            if one.name == deal and one.begins.year >= FIRST_YEAR and one.begins.timestamp() <= now:
                return one
    raise NotFound(f"There is no daily deal {deal[:40]!r}. The Daily deals page lists the current and earlier ones.")


def check_weekly(deal: Deal) -> None:
    """Raise NotFound unless a deal is for a week, and so belongs to a league."""
    if not deal.is_weekly:
        raise NotFound(f"{deal.name[:40]!r} is the deal of a day. Only games with a deal for each week have a league.")


class LeaguePlayer(NamedTuple):
    """A player in a division, as pages show it."""

    line: Line
    name: str
    handle: str  # of the public page
    mine: bool


class DailyDealService:
    def __init__(
        self, repository: DailyDealRepository, key: str, tables: TableService, clock: Clock, executor: Executor
    ) -> None:
        self._repository, self._key, self._tables, self._clock = repository, key, tables, clock
        self._executor = executor  # in which bots play
        self._bots_asked: set[str] = set()  # names of deals that bots play or have played
        self._bots_lock = Lock()

    def seed(self, deal: Deal, what: str = "deal") -> int:
        """Return the seed of a deal for a purpose, derived from the site's key."""
        return self._derive(f"{what} {deal.name}")

    def bot_seed(self, table: Table, seat: int, ply: int) -> int | None:
        """Return a bot's seed for a ply of an attempt, derived from deal, seat and ply; None at other tables."""
        return self._derive(f"bot {table.daily} {seat} {ply}") if table.daily else None

    def _derive(self, words: str) -> int:
        digest = hmac.digest(self._key.encode(), f"daily {words}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big") >> 1

    # --- attempts -------------------------------------------------------------------------

    def find_attempt(self, deal: Deal, guest: str) -> DailyAttempt | None:
        """Return a guest's attempt at a deal, or None.

        If the guest plays the ranked deal, only a ranked attempt counts.
        """
        found = self._repository.find_attempt(deal.name, guest)
        return found if found and (found.ranked or not self.is_ranked(deal, guest)) else None

    def is_ranked(self, deal: Deal, guest: str) -> bool:
        """Return whether the guest had an account when the deal began, and so plays the ranked deal."""
        return self._repository.had_account(guest, deal.begins.timestamp())

    def start_attempt(self, deal: Deal, guest: Visitor, network: str = "") -> str:
        """Return the table id of a guest's attempt at a deal; if there is no attempt, open a table.

        Raises Conflict if the deal does not run and the guest has no attempt.
        """
        if found := self.find_attempt(deal, guest.id):
            return found.table
        if not deal.is_running(self._clock.now()):
            raise Conflict("This deal is over. Play the current one.")
        ranked = self.is_ranked(deal, guest.id)
        try:
            return self._tables.create(
                deal.game,
                opening_seats(deal, guest),
                guest.id,
                seed=self.seed(deal) if ranked else self.seed(deal, GUEST_SEED),
                daily=deal.name,
                joining=partial(insert_attempt, guest=guest.id, ranked=ranked),
                absence_timeout=0,
                network=network,
            ).id
        except DuplicateAttempt:
            if again := self.find_attempt(deal, guest.id):
                return again.table
            raise

    def may_see_results(self, deal: Deal, guest: str) -> bool:
        """Return whether a guest may see the results: the deal is over, or the guest has finished a ranked attempt."""
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

    def _attempt_at(self, table_id: str) -> Table | None:
        cached = self._tables.get_if_cached(table_id)
        if cached:
            return cached.table if cached.table.daily else None
        is_attempt = TOKEN_PATTERN.fullmatch(table_id) and self._repository.is_attempt(table_id)
        return self._tables.store.find(table_id) if is_attempt else None

    def may_be_hidden(self, table_id: str) -> bool:
        """Return whether a table may be an attempt, without a query: True if it is not cached."""
        cached = self._tables.get_if_cached(table_id)
        return cached is None or cached.table.daily != ""

    def is_running(self, table: Table) -> bool:
        now = self._clock.now()
        return bool(table.daily) and not get_deal(table.daily, now).is_over(now)

    def check_over(self, table: Table) -> None:
        """Raise Conflict if a table is an attempt at a running deal, which cannot be played again yet."""
        if self.is_running(table):
            raise Conflict("You have one try at this deal. When the deal is over, you can play it again.")

    def check_record(self, table: Table) -> None:
        """Raise Conflict if a table is an attempt at a running deal: its seed would help another attempt."""
        if self.is_running(table):
            raise Conflict(
                "The game file contains the seed, which gives the deal away. You can download it when the deal is over."
            )

    # --- results --------------------------------------------------------------------------

    def results(self, deal: Deal, guest: str) -> list[DailyScore]:
        """Return the scores of a deal, best first: public scores, scores of bots, and the guest's own score.

        Raises Forbidden if the guest may not see the scores. Unranked and late attempts do not count.
        """
        if not self.may_see_results(deal, guest):
            raise Forbidden(HIDDEN_MESSAGE)
        found, played = self._repository.scores(deal.name, deal.ends.timestamp(), guest)
        if played:  # visitors can ask for deals of all days since 1970, which must not make bots work
            self._enqueue_bots(deal)
        ordered = sorted(found, key=lambda one: (-one.points, one.bot, one.name))
        return [one._replace(place=1 + sum(other.points > one.points for other in found)) for one in ordered]

    def league(self, deal: Deal, guest: str) -> list[list[LeaguePlayer]]:
        """Return the divisions of a game's league in the week of a deal, with results if the guest may see them."""
        scores = self._repository.league_scores(f"{deal.game}-")
        first = min((score.finished_at for score in scores), default=deal.begins.timestamp())
        week = deal_at(catalog.meta(deal.game), datetime.fromtimestamp(first, UTC))
        weeks: dict[str, dict[str, int]] = {}
        while week.begins <= deal.begins:
            own = [s for s in scores if s.deal == week.name and s.finished_at < week.ends.timestamp()]
            weeks[week.name] = {score.guest: score.points for score in own}
            week = week._replace(begins=week.ends)
        if not self.may_see_results(deal, guest):
            weeks[deal.name] = {}
        divisions = play_season(weeks.values())
        names = self._repository.shown_players([line.player for division in divisions for line in division])
        return [
            [LeaguePlayer(line, *names[line.player], mine=line.player == guest) for line in division]
            for division in divisions
        ]

    def streak(self, name: str, guest: str) -> int:
        """Return how many deals of a game in a row the guest has finished in time.

        The last of these deals is the running deal or the previous deal.
        """
        finished = self._repository.finish_times(f"{name}-", guest)
        deal, count = current_deal(name, self._clock.now()), 0
        if deal.name not in finished:
            deal = deal.previous
        while finished.get(deal.name, inf) < deal.ends.timestamp():
            deal, count = deal.previous, count + 1
        return count

    # --- bots -----------------------------------------------------------------------------

    def _enqueue_bots(self, deal: Deal) -> None:
        with self._bots_lock:
            if deal.name in self._bots_asked:
                return
            self._bots_asked.add(deal.name)
        try:
            self._executor.submit(self._run_bots, deal)
        except RuntimeError:  # closed meanwhile
            log.info("Bots play %s after the next start.", deal.name)

    def _run_bots(self, deal: Deal) -> None:
        try:
            game, done = self._tables.builds.get(deal.game), self._repository.bots_of(deal.name)
            for spec in reference_bots(game):
                if spec not in done:
                    self._run_bot(deal, game, spec)
        except Exception:  # a game of another author may fail in any way
            log.exception("The bots could not play %s.", deal.name)

    def _run_bot(self, deal: Deal, game: Game, spec: str) -> None:
        play = game.start(game.meta.seats[0], self.seed(deal), {})
        while not play.over:
            own = spec if play.turn == 0 else OPPONENT_BOT
            seed = self._derive(f"bot {deal.name} {play.turn} {len(play.actions)}")
            play.apply(bots.make(own, game, seed).choose(play.observe(play.turn)))
        self._repository.save_bot(deal.name, spec, play.points[0], play.ranks()[0])


def opening_seats(deal: Deal, guest: Visitor) -> list[Seat]:
    """Return the seats of an attempt: the guest's seat, and in a weekly deal seats of bots."""
    seats = make_seats([ME], guest)
    while len(seats) < catalog.meta(deal.game).seats[0]:
        seats.append(bot_seat(OPPONENT_BOT, seats))
    return seats


def reference_bots(game: Game) -> list[str]:
    """Return the bot levels that play alike in all builds of a game. Their scores are references for players."""
    return [level for level in bots.LEVELS if bots.parse_spec(level, game).kind in bots.KERNEL_BOTS]


def daily_games() -> list[Meta]:
    """Return the games with deals: games with a deal every day, then games with a deal every week."""
    return sorted((meta for meta in catalog.all_games() if meta.stage == "complete"), key=is_weekly)
