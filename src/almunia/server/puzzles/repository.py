"""The SQL of puzzles: attempts of accounts, with the ratings that they changed."""

from typing import NamedTuple

from sqlalchemy import Connection, Engine, Row, Select, insert, select, update

from ..ratings.ratings import Rating, rate
from ..storage import schema
from ..storage.database import locked_transaction, read_connection
from ..tokens import new_guest_id

WON, LOST = (1, 2), (2, 1)  # ranks of solver and puzzle
p, a = schema.puzzle_attempt.c, schema.account.c


class Attempt(NamedTuple):
    """An attempt at a puzzle. Only the first one of an account is rated."""

    solved: bool
    before: Rating | None  # the solver's rating; None if the attempt is not rated
    after: Rating | None


class PuzzleRepository:
    """Stores attempts. The latest rated attempt holds the current ratings of its solver and of its puzzle."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find_attempt(self, guest: str, game: str, number: int) -> Attempt | None:
        """Return a guest's rated attempt at a puzzle; None without one."""
        wanted = rated(p.guest == guest, p.game == game, p.number == number)
        with read_connection(self._engine) as db:
            row = db.execute(wanted).first()
        return attempt_of(row) if row else None

    def has_account(self, guest: str) -> bool:
        with read_connection(self._engine) as db:
            return guest != "" and db.execute(select(a.guest).where(a.guest == guest)).first() is not None

    def tried_puzzles(self, guest: str, game: str) -> dict[int, bool]:
        """Return whether a guest solved each tried puzzle of a game at the first attempt, by number."""
        with read_connection(self._engine) as db:
            return {row.number: row.solved for row in db.execute(rated(p.guest == guest, p.game == game))}

    def solver_rating(self, guest: str, game: str) -> Rating:
        with read_connection(self._engine) as db:
            return solver_rating(db, guest, game)

    def puzzle_ratings(self, game: str) -> dict[int, Rating]:
        """Return the ratings of a game's puzzles that have been tried, by number."""
        with read_connection(self._engine) as db:
            rows = db.execute(rated(p.game == game)).all()
        return {row.number: Rating(row.puzzle_mu, row.puzzle_sigma) for row in rows}

    def solved_days(self, guest: str) -> set[str]:
        """Return the days whose daily puzzle a guest has solved on the day, at the first attempt of that day."""
        with read_connection(self._engine) as db:
            return set(db.execute(select(p.day).where(p.guest == guest, p.day != "", p.solved.is_(True))).scalars())

    def save_attempt(
        self, guest: str, game: str, number: int, *, day: str, action: int | None, solved: bool, now: float
    ) -> None:
        """Save an account's attempt, and rate the first one at a puzzle; do nothing for a guest without an account.

        `day` is the day whose daily puzzle it is, or empty. Further attempts of the same day change nothing.
        """
        facts = {"guest": guest, "game": game, "number": number, "day": day, "action": action, "solved": solved}
        with locked_transaction(self._engine, f"puzzles of {game}") as db:
            own = update(schema.account).where(a.guest == guest).values(guest=a.guest)
            if not db.execute(own).rowcount:  # it locks the account, and SQLite's database
                return
            known = select(p.day).where(p.guest == guest, p.game == game, p.number == number)
            days = set(db.execute(known).scalars())
            if days and (day == "" or day in days):
                return
            ratings = {} if days else new_ratings(db, guest, game, number, solved=solved)
            db.execute(insert(schema.puzzle_attempt), {**facts, **ratings, "created_at": now})


def rated(*conditions: object) -> Select[tuple[object, ...]]:
    """Return the query of rated attempts, in their order."""
    return select(schema.puzzle_attempt).where(p.mu.is_not(None), *conditions).order_by(p.id)  # type: ignore[arg-type]


def attempt_of(row: Row[tuple[object, ...]]) -> Attempt:
    return Attempt(row.solved, Rating(row.mu_before, row.sigma_before), Rating(row.mu, row.sigma))


def solver_rating(db: Connection, guest: str, game: str) -> Rating:
    row = db.execute(rated(p.guest == guest, p.game == game).order_by(None).order_by(p.id.desc()).limit(1)).first()
    return Rating(row.mu, row.sigma) if row else Rating()


def puzzle_rating(db: Connection, game: str, number: int) -> Rating:
    row = db.execute(rated(p.game == game, p.number == number).order_by(None).order_by(p.id.desc()).limit(1)).first()
    return Rating(row.puzzle_mu, row.puzzle_sigma) if row else Rating()


def new_ratings(db: Connection, guest: str, game: str, number: int, *, solved: bool) -> dict[str, float]:
    """Return the columns with the ratings before and after an attempt: a game between the solver and the puzzle."""
    before = solver_rating(db, guest, game)
    after, puzzle = rate([before, puzzle_rating(db, game, number)], WON if solved else LOST)
    return {
        "mu_before": before.mu,
        "sigma_before": before.sigma,
        "mu": after.mu,
        "sigma": after.sigma,
        "puzzle_mu": puzzle.mu,
        "puzzle_sigma": puzzle.sigma,
    }


# --- personal data ---------------------------------------------------------------------------------


def merge(db: Connection, old: str, new: str) -> None:
    """Move attempts to another guest, who is the same person.

    If both have tried a puzzle, the attempts of `old` at it become anonymous.
    """
    own, theirs = schema.puzzle_attempt, schema.puzzle_attempt.alias().c
    tried = select(theirs.id).where(theirs.guest == new, theirs.game == p.game, theirs.number == p.number).exists()
    both = list(db.execute(select(p.id).where(p.guest == old, tried)).scalars())
    db.execute(update(own).where(p.id.in_(both)).values(guest=new_guest_id()))
    db.execute(update(own).where(p.guest == old).values(guest=new))


def erase(db: Connection, guest: str) -> None:
    """Replace a guest in attempts by a random id. The rows stay, because ratings of puzzles depend on them."""
    db.execute(update(schema.puzzle_attempt).where(p.guest == guest).values(guest=new_guest_id()))
