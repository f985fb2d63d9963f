"""Profiles and leaderboards. A part of a profile is public only if its owner has chosen so."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Float, Select, and_, case, cast, delete, func, insert, select, update

from ..ratings.ratings import Rating
from ..ratings.repository import is_counted_in
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import BOT, PERSON
from ..tables.seats import bot_name
from ..tokens import TOKEN_PATTERN, new_table_id
from .visitors import Visitor

# Parts that may be public, by name: label, and explanation.
VISIBILITY = {
    "page": ("My page", "your name and your ratings, on a public page"),
    "results": ("Results on my page", "games, wins, average and best points, by game and number of players"),
    "opponents": ("Opponents on my page", "bots, and players who show their own page"),
    "boards": ("Me on leaderboards", "your name and rating, with an account and enough rated games"),
    "daily": ("My results in daily deals and leagues", "your name, points and replay, with an account"),
    "lobby": (
        "My experience in the lobby",
        "how many games you have finished, with your usual and best points",
    ),
}
LEADERBOARD_ROWS = 50  # on a page
MAX_OPPONENTS = 12  # in a profile
MAX_RATING_CHANGES = 100  # of a game, in a profile

r, p, g = schema.result.c, schema.profile.c, schema.rating.c


class Profile(NamedTuple):
    """A guest's name and public handle, and which parts of the profile are public."""

    guest: str = ""
    handle: str = ""
    name: str = ""
    show_page: bool = False
    show_results: bool = False
    show_opponents: bool = False
    show_boards: bool = False
    show_daily: bool = False
    show_lobby: bool = False

    @property
    def visible_parts(self) -> list[str]:
        """The names of the parts that others may see."""
        below = ("results", "opponents")
        return [name for name in VISIBILITY if getattr(self, f"show_{name}") and (self.show_page or name not in below)]


class GameStats(NamedTuple):
    """The results of a player in a game with a number of seats."""

    game: str
    seats: int
    games: int
    won: int
    lost: int
    average: float | None  # points in games that were played to the end
    best: int | None


class Opponent(NamedTuple):
    """An opponent of a player, with the results of their games."""

    name: str
    bot: bool
    games: int
    won: int
    lost: int
    handle: str = ""  # of the public profile


class LeaderboardRow(NamedTuple):
    """A line of a leaderboard."""

    place: int
    name: str
    rating: Rating
    games: int
    handle: str  # of the public profile, or empty
    mine: bool


class GameRating(NamedTuple):
    """A player's rating in a game."""

    game: str
    rating: Rating
    games: int
    counted_in: bool  # whether the player has enough games for leaderboards


class RatingChange(NamedTuple):
    """A player's rating after a rated game that changed it."""

    rating: Rating
    finished_at: float


class Profiles:
    """Reads and changes profiles; reads results and leaderboards."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # --- visibility -----------------------------------------------------------------------

    def get(self, guest: str) -> Profile:
        """Return the profile of a guest; if none is stored, a profile without public parts."""
        return self._where(p.guest == guest) or Profile(guest)

    def find_by_handle(self, handle: str) -> Profile | None:
        found = self._where(p.handle == handle) if TOKEN_PATTERN.fullmatch(handle) else None
        return found if found and found.show_page else None

    def _where(self, condition: Any) -> Profile | None:
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.profile).where(condition)).mappings().first()
        return Profile(**row) if row else None

    def set_visibility(self, guest: Visitor, chosen: Mapping[str, bool]) -> None:
        """Set the public parts of a profile. Hiding the page changes its address."""
        facts = {f"show_{part}": bool(chosen.get(part)) for part in VISIBILITY} | {"name": guest.name}
        with self._engine.begin() as db:
            was = db.execute(select(p.show_page).where(p.guest == guest.id)).scalar()
            if was is None:
                db.execute(insert(schema.profile), {"guest": guest.id, "handle": new_table_id(), **facts})
                return
            fresh = {"handle": new_table_id()} if was and not facts["show_page"] else {}
            db.execute(update(schema.profile).where(p.guest == guest.id), facts | fresh)

    def hide(self, guest: str) -> None:
        """Delete a profile, which hides all parts: another person may have chosen them in the same browser."""
        with self._engine.begin() as db:
            db.execute(delete(schema.profile).where(p.guest == guest))

    def rename(self, guest: str, name: str) -> None:
        """Set the name of a guest on the public profile, and for friends and followers."""
        with self._engine.begin() as db:
            db.execute(update(schema.profile).where(p.guest == guest).values(name=name))
            db.execute(update(schema.follow).where(schema.follow.c.guest == guest).values(guest_name=name))

    def with_visible_stats(self, guests: Collection[str]) -> set[str]:
        wanted = select(p.guest).where(p.guest.in_(guests), p.show_lobby)
        with read_connection(self._engine) as db:
            return set(db.execute(wanted).scalars()) if guests else set()

    # --- results --------------------------------------------------------------------------

    def ratings(self, guest: str) -> list[GameRating]:
        """Return the ratings of a guest, sorted by game."""
        counted_in = is_counted_in(g.guest, g.game).label("counted_in")
        wanted = select(g.game, g.mu, g.sigma, g.games, counted_in).where(g.guest == guest).order_by(g.game)
        with read_connection(self._engine) as db:
            return [
                GameRating(game, Rating(mu, sigma), games, bool(counted))
                for game, mu, sigma, games, counted in db.execute(wanted)
            ]

    def rating_history(self, guest: str, game: str) -> list[RatingChange]:
        """Return a guest's ratings after the last rated games of a title, oldest first."""
        changed = (r.mu != r.mu_before) | (r.sigma != r.sigma_before)
        ours = (r.kind == PERSON, r.player == guest, r.game == game, changed)
        wanted = select(r.mu, r.sigma, r.finished_at).where(*ours).order_by(r.number.desc()).limit(MAX_RATING_CHANGES)
        with read_connection(self._engine) as db:
            found = [RatingChange(Rating(mu, sigma), finished_at) for mu, sigma, finished_at in db.execute(wanted)]
        return found[::-1]

    def game_stats(self, guest: str) -> list[GameStats]:
        """Return the results of a guest, by game and number of seats."""
        whole, several = case((r.played_to_end, r.points)), r.seats > 1
        won, lost = func.count().filter(several, r.rank == 1), func.count().filter(several, r.rank > 1)
        wanted = (
            select(r.game, r.seats, func.count(), won, lost, cast(func.avg(whole), Float), func.max(whole))
            .where(r.kind == PERSON, r.player == guest, r.counts_in_stats, r.rank.is_not(None))
            .group_by(r.game, r.seats)
            .order_by(r.game, r.seats)
        )
        with read_connection(self._engine) as db:
            return [GameStats._make(row) for row in db.execute(wanted)]

    def opponents(self, guest: str, *, public: bool) -> list[Opponent]:
        """Return the most frequent opponents of a guest; if `public`, people only with a public profile."""
        with read_connection(self._engine) as db:
            bots = db.execute(_select_opponents(guest, BOT)).all()
            people = db.execute(_select_opponents(guest, PERSON).limit(MAX_OPPONENTS * 10)).all()
            ids = [row.player for row in people]
            known = ({} if public else _names(db, guest, ids)) | _public_pages(db, ids)
        found = [Opponent(bot_name(row.player), True, row.games, row.won, row.lost) for row in bots]
        for row in people:
            if row.player in known:
                name, handle = known[row.player]
                found.append(Opponent(name, False, row.games, row.won, row.lost, handle))
        return sorted(found, key=lambda rival: -rival.games)[:MAX_OPPONENTS]

    # --- leaderboards ---------------------------------------------------------------------

    def leaderboard(self, game: str, page: int, guest: str) -> tuple[list[LeaderboardRow], int]:
        """Return a page of a game's leaderboard, from 1, and the number of pages.

        Lists only accounts that agree and have enough games, since anyone can become many guests.
        """
        joined = schema.rating.join(schema.profile, p.guest == g.guest)
        joined = joined.join(schema.account, schema.account.c.guest == g.guest)
        listed = (g.game == game, p.show_boards.is_(True), is_counted_in(g.guest, g.game))
        handle, start = case((p.show_page, p.handle), else_="").label("public_handle"), (page - 1) * LEADERBOARD_ROWS
        wanted = select(p.name, g.mu, g.sigma, g.games, handle, g.guest).select_from(joined).where(*listed)
        ordered = wanted.order_by(g.ordinal.desc(), p.handle).limit(LEADERBOARD_ROWS).offset(start)
        with read_connection(self._engine) as db:
            total = db.execute(select(func.count()).select_from(joined).where(*listed)).scalar_one()
            leaders = [
                LeaderboardRow(place, name, Rating(mu, sigma), games, handle, player == guest)
                for place, (name, mu, sigma, games, handle, player) in enumerate(db.execute(ordered), start + 1)
            ]
        return leaders, max(1, -(-total // LEADERBOARD_ROWS))

    def rating_change(self, table: str, guest: str) -> tuple[Rating, Rating] | None:
        """Return a guest's rating before and after a finished game; None if the game was not rated for the guest."""
        wanted = select(r.mu_before, r.sigma_before, r.mu, r.sigma)
        with read_connection(self._engine) as db:
            row = db.execute(wanted.where(r.table == table, r.player == guest, r.mu.is_not(None))).first()
        return (Rating(*row[:2]), Rating(*row[2:])) if row else None


def _select_opponents(guest: str, kind: str) -> Select[Any]:
    other = schema.result.alias("other")
    o = other.c
    won, lost = func.count().filter(r.rank < o.rank).label("won"), func.count().filter(r.rank > o.rank).label("lost")
    return (
        select(o.player, func.count().label("games"), won, lost)
        .select_from(schema.result.join(other, and_(o.table == r.table, o.seat != r.seat)))
        .where(
            r.kind == PERSON,
            r.player == guest,
            r.counts_in_stats,
            r.rank.is_not(None),
            o.rank.is_not(None),
            o.kind == kind,
        )
        .group_by(o.player)
        .order_by(func.count().desc(), o.player)
    )


def _public_pages(db: Connection, guests: Sequence[str]) -> dict[str, tuple[str, str]]:
    wanted = select(p.guest, p.name, p.handle).where(p.guest.in_(guests), p.show_page.is_(True))
    return {guest: (name, handle) for guest, name, handle in db.execute(wanted)}


def _names(db: Connection, guest: str, others: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return each opponent's most frequent name at tables shared with the guest, and an empty handle."""
    own, other = schema.seat.alias("own"), schema.seat.alias("other")
    joined = own.join(other, other.c.table == own.c.table)
    wanted = select(other.c.player, other.c.name).select_from(joined).where(own.c.player == guest)
    named: dict[str, Counter[str]] = {}
    for player, name in db.execute(wanted.where(other.c.player.in_(others), other.c.kind == PERSON)):
        named.setdefault(player, Counter())[name] += 1
    return {player: (count.most_common(1)[0][0], "") for player, count in named.items()}
