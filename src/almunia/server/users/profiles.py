"""What somebody shows to others, and what a profile says: nothing is public that its owner has not chosen."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Select, and_, case, delete, func, insert, select, update

from ..ratings.game_results import is_counted_in
from ..ratings.ratings import Rating
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import BOT, PERSON
from ..tables.seats import bot_name
from ..tokens import TOKEN_PATTERN, new_table_id
from .visitors import Visitor

# What may be shown, by name: what the page calls it, and what follows from it.
CHOICES = {
    "page": ("My page", "your name, and your ratings, at an address of your own"),
    "results": ("My results on it", "games, wins, averages and bests, by game and number of players"),
    "opponents": ("My opponents on it", "bots, and those people who have a page themselves"),
    "boards": ("Me on leaderboards", "your name and rating, with an account and once you are no newcomer to a game"),
    "daily": ("Me in the results of daily deals", "with an account: your name, points and replay"),
    "lobby": (
        "My experience in the lobby",
        "at open tables: how often you have finished that game, your usual and best points",
    ),
}
ROWS = 50  # on a page of a leaderboard
RIVALS = 12  # that a profile names

r, p, g = schema.result.c, schema.profile.c, schema.rating.c


class Profile(NamedTuple):
    """What somebody shows."""

    guest: str = ""
    handle: str = ""
    name: str = ""
    page: bool = False
    results: bool = False
    opponents: bool = False
    boards: bool = False
    daily: bool = False
    lobby: bool = False

    @property
    def shown(self) -> list[str]:
        """The names of what others may see."""
        below = ("results", "opponents")
        return [name for name in CHOICES if getattr(self, name) and (self.page or name not in below)]


class GameStats(NamedTuple):
    """The results of somebody in a game with so many players."""

    game: str
    seats: int
    games: int
    won: int
    lost: int
    average: float | None  # points of the games that were played to their ends
    best: int | None


class Opponent(NamedTuple):
    """Against whom somebody has played, and how often either was ahead."""

    name: str
    bot: bool
    games: int
    won: int
    lost: int
    handle: str = ""  # of a page that anybody may see


class LeaderboardRow(NamedTuple):
    """A line of a leaderboard."""

    place: int
    name: str
    rating: Rating
    games: int
    handle: str = ""
    mine: bool = False


class GameRating(NamedTuple):
    """Somebody's rating in a game."""

    game: str
    rating: Rating
    games: int
    counted_in: bool  # are they no newcomer any more, whom leaderboards may list?


class Profiles:
    """The profiles of a site."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # --- what is shown --------------------------------------------------------------------

    def of(self, guest: str) -> Profile:
        """What a guest shows; nothing, as long as they have not chosen."""
        return self._where(p.guest == guest) or Profile(guest)

    def called(self, handle: str) -> Profile | None:
        """Whose page this is, if it is to be seen."""
        found = self._where(p.handle == handle) if TOKEN_PATTERN.fullmatch(handle) else None
        return found if found and found.page else None

    def _where(self, condition: Any) -> Profile | None:
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.profile).where(condition)).mappings().first()
        return Profile(**row) if row else None

    def choose(self, guest: Visitor, chosen: Mapping[str, bool]) -> None:
        """Show this and that from now on, and nothing else. Whoever hides their page gets another address later."""
        facts = {name: bool(chosen.get(name)) for name in CHOICES} | {"name": guest.name}
        with self._engine.begin() as db:
            was = db.execute(select(p.page).where(p.guest == guest.id)).scalar()
            if was is None:
                db.execute(insert(schema.profile), {"guest": guest.id, "handle": new_table_id(), **facts})
                return
            fresh = {"handle": new_table_id()} if was and not facts["page"] else {}
            db.execute(update(schema.profile).where(p.guest == guest.id), facts | fresh)

    def hide(self, guest: str) -> None:
        """Show nothing of a guest, who may be somebody else than whoever has chosen what is shown."""
        with self._engine.begin() as db:
            forget(db, guest)

    def renamed(self, guest: str, name: str) -> None:
        """Call somebody by another name wherever they are shown."""
        with self._engine.begin() as db:
            db.execute(update(schema.profile).where(p.guest == guest).values(name=name))

    def experienced(self, guests: Collection[str]) -> set[str]:
        """Those among some guests who show their experience in the lobby."""
        wanted = select(p.guest).where(p.guest.in_(guests), p.lobby)
        with read_connection(self._engine) as db:
            return set(db.execute(wanted).scalars()) if guests else set()

    # --- results --------------------------------------------------------------------------

    def ratings(self, guest: str) -> list[GameRating]:
        """The ratings of a guest, by game."""
        counted_in = is_counted_in(g.guest, g.game).label("counted_in")
        wanted = select(g.game, g.mu, g.sigma, g.games, counted_in).where(g.guest == guest).order_by(g.game)
        with read_connection(self._engine) as db:
            rows = list(db.execute(wanted))
        return [GameRating(row.game, Rating(row.mu, row.sigma), row.games, bool(row.counted_in)) for row in rows]

    def records(self, guest: str) -> list[GameStats]:
        """The results of a guest, by game and number of seats."""
        whole = case((r.whole, r.points))
        won = func.sum(case((and_(r.seats > 1, r.rank == 1), 1), else_=0))
        lost = func.sum(case((and_(r.seats > 1, r.rank > 1), 1), else_=0))
        wanted = (
            select(r.game, r.seats, func.count(), won, lost, func.avg(whole), func.max(whole))
            .where(r.kind == PERSON, r.player == guest, r.counts, r.rank.is_not(None))
            .group_by(r.game, r.seats)
            .order_by(r.game, r.seats)
        )
        with read_connection(self._engine) as db:
            return [
                GameStats(game, seats, games, int(wins), int(losses), None if mean is None else float(mean), best)
                for game, seats, games, wins, losses, mean, best in db.execute(wanted)
            ]

    def rivals(self, guest: str, *, public: bool) -> list[Opponent]:
        """Against whom a guest has played, most often first; for the `public` those alone who have a page."""
        with read_connection(self._engine) as db:
            machines = [(bot_name(row.player), row) for row in db.execute(_met(guest, BOT))]
            people = list(db.execute(_met(guest, PERSON).limit(RIVALS * 10)))
            known = _pages(db, [row.player for row in people])
            names = {} if public else _names(db, guest, [row.player for row in people])
        found = [Opponent(name, True, row.games, int(row.won), int(row.lost)) for name, row in machines]
        for row in people:
            handle, name = known.get(row.player, ("", names.get(row.player, "")))
            if name:
                found.append(Opponent(name, False, row.games, int(row.won), int(row.lost), handle))
        return sorted(found, key=lambda rival: -rival.games)[:RIVALS]

    # --- leaderboards ---------------------------------------------------------------------

    def leaders(self, game: str, page: int, guest: str) -> tuple[list[LeaderboardRow], int]:
        """Return a page of a game's leaderboard, from 1, and how many pages there are.

        It lists accounts that want to be there and are no newcomers: anybody can be as many guests as they like.
        """
        on = (g.game == game) & p.boards.is_(True) & is_counted_in(g.guest, g.game)
        joined = schema.rating.join(schema.profile, p.guest == g.guest)
        joined = joined.join(schema.account, schema.account.c.guest == g.guest)
        order = (g.ordinal.desc(), p.handle)
        wanted = select(g.guest, g.mu, g.sigma, g.games, p.name, p.handle, p.page).select_from(joined).where(on)
        with read_connection(self._engine) as db:
            total = db.execute(select(func.count()).select_from(joined).where(on)).scalar_one()
            rows = db.execute(wanted.order_by(*order).limit(ROWS).offset((page - 1) * ROWS)).all()
        leaders = [
            LeaderboardRow(
                place,
                row.name,
                Rating(row.mu, row.sigma),
                row.games,
                row.handle if row.page else "",
                mine=row.guest == guest,
            )
            for place, row in enumerate(rows, (page - 1) * ROWS + 1)
        ]
        return leaders, max(1, -(-total // ROWS))

    def moved_by(self, table: str, guest: str) -> tuple[Rating, Rating] | None:
        """How the rating of a guest moved by a game that is over; None if it did not."""
        wanted = select(r.mu_before, r.sigma_before, r.mu, r.sigma)
        with read_connection(self._engine) as db:
            row = db.execute(wanted.where(r.table == table, r.player == guest, r.mu.is_not(None))).first()
        return (Rating(row.mu_before, row.sigma_before), Rating(row.mu, row.sigma)) if row else None


def _met(guest: str, kind: str) -> Select[Any]:
    """Those of a kind against whom a guest has played, with how many games, and how many won and lost against them."""
    other = schema.result.alias("other")
    o = other.c
    joined = schema.result.join(other, and_(o.table == r.table, o.seat != r.seat))
    won, lost = (func.sum(case((ahead, 1), else_=0)) for ahead in (r.rank < o.rank, r.rank > o.rank))
    return (
        select(o.player, func.count().label("games"), won.label("won"), lost.label("lost"))
        .select_from(joined)
        .where(r.kind == PERSON, r.player == guest, r.counts, r.rank.is_not(None), o.rank.is_not(None), o.kind == kind)
        .group_by(o.player)
        .order_by(func.count().desc(), o.player)
    )


def _pages(db: Connection, guests: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The handles and names of those among some guests who have a page."""
    wanted = select(p.guest, p.handle, p.name).where(p.guest.in_(guests), p.page.is_(True))
    return {row.guest: (row.handle, row.name) for row in db.execute(wanted)}


def _names(db: Connection, guest: str, others: Sequence[str]) -> dict[str, str]:
    """What others were mostly called where a guest played with them: nothing that the guest has not read there."""
    own, other = schema.seat.alias("own"), schema.seat.alias("other")
    joined = own.join(other, other.c.table == own.c.table)
    wanted = select(other.c.player, other.c.name).select_from(joined).where(own.c.player == guest)
    named: dict[str, Counter[str]] = {}
    for row in db.execute(wanted.where(other.c.player.in_(others), other.c.kind == PERSON)):
        named.setdefault(row.player, Counter())[row.name] += 1
    return {player: count.most_common(1)[0][0] for player, count in named.items()}


# --- what a guest may ask for ----------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """What a guest shows."""
    rows = db.execute(select(schema.profile).where(p.guest == guest)).mappings()
    return {"profile": [{key: value for key, value in row.items() if key != "guest"} for row in rows]}


def move(db: Connection, old: str, _new: str) -> None:
    """Show nothing of another guest for it: whoever signs in may be somebody else, and has not chosen so."""
    forget(db, old)


def forget(db: Connection, guest: str) -> None:
    """Show nothing of a guest any more."""
    db.execute(delete(schema.profile).where(p.guest == guest))
