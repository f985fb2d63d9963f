"""Statistics of a title over many games: points and wins by seat, and what winners score with.

All intervals are 95%. A game counts once in each mean, so equal seats of a game do not narrow an interval. A win that
several seats share counts for each of them in part.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any, NamedTuple, Self

from .core.loaded import LoadedGame
from .core.optional import Source
from .errors import RecordError
from .files import read_text

FILE = "statistics.json"
Z = 1.96  # half-width of a 95% interval, in standard errors
DECIMALS = 4


class Mean(NamedTuple):
    """A mean with the half-width of its interval."""

    value: float
    error: float

    @classmethod
    def of(cls, count: float, total: float, squares: float) -> Self:
        """Return the mean of values from their number (at least 2), their sum and the sum of their squares."""
        mean = total / count
        variance = max(0.0, squares - total * mean) / (count - 1)
        return cls(round(mean, DECIMALS), round(Z * sqrt(variance / count), DECIMALS))


class SeatStatistics(NamedTuple):
    """The results of a seat."""

    games_by_points: dict[int, int]  # number of games by points, ascending
    points: Mean
    wins: Mean  # share of the games, 0 to 1

    @classmethod
    def of(cls, games_by_points: Mapping[int, int], wins: float, squares: float) -> Self:
        """Return the statistics of at least two games. `wins` are shares of wins, as a sum and a sum of squares."""
        found = dict(sorted(games_by_points.items()))
        count = sum(found.values())
        total, square = (sum(points**power * games for points, games in found.items()) for power in (1, 2))
        return cls(found, Mean.of(count, total, square), Mean.of(count, wins, squares))

    def percentile(self, percent: float) -> int:
        """Return the lowest points that at least this part of the games do not exceed."""
        needed, reached = percent / 100 * sum(self.games_by_points.values()), 0
        for points, games in self.games_by_points.items():
            reached += games
            if reached >= needed:
                return points
        raise ValueError(f"{percent}% is more than all games.")


class SourceStatistics(NamedTuple):
    """The mean points of a seat from a source. With a single seat there are no winners."""

    name: str
    rule: str  # the mark of its paragraph
    points: Mean  # of all seats
    winners: Mean | None
    others: Mean | None
    difference: Mean | None  # of winners and others in the same game


@dataclass(frozen=True)
class TableStatistics:
    """The statistics of games with a number of seats."""

    games: int
    seats: tuple[SeatStatistics, ...]
    sources: tuple[SourceStatistics, ...] = ()  # empty if unknown


@dataclass(frozen=True)
class GameStatistics:
    """The statistics of a title, over games between bots."""

    game: str  # its name
    rules: int  # the version of the game's rules
    components: str  # the hash of its component tables
    bot: str  # that played in all seats
    seed: int  # of the games
    tables: dict[int, TableStatistics]  # by number of seats

    def fits(self, game: LoadedGame) -> bool:
        """Return whether the installed rules and component tables are those of the games."""
        return (self.rules, self.components) == (game.meta.rules_version, game.components_hash)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the statistics in a JSON text. Raise RecordError if the text is none."""
        try:
            data = json.loads(text)
            data["tables"] = {int(seats): _table(**table) for seats, table in data["tables"].items()}
            return cls(**data)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RecordError(f"These are no statistics: {error}.") from None


def _table(games: int, seats: Iterable[Any], sources: Iterable[Any]) -> TableStatistics:
    """Return the statistics of a number of seats from their JSON."""
    return TableStatistics(
        games,
        tuple(
            SeatStatistics({int(points): count for points, count in by_points.items()}, Mean(*points), Mean(*wins))
            for by_points, points, wins in seats
        ),
        tuple(
            SourceStatistics(name, rule, *(mean and Mean(*mean) for mean in means)) for name, rule, *means in sources
        ),
    )


def load_statistics(game: LoadedGame) -> GameStatistics | None:
    """Return the statistics that a game ships; None without any, or if other rules or components are installed.

    Raise RecordError if the file is damaged.
    """
    file = game.file(FILE)
    if not file.is_file():
        return None
    found = GameStatistics.from_json(read_text(file))
    return found if found.fits(game) else None


class Sample:
    """Values, of which only their number, sum and sum of squares are kept."""

    def __init__(self) -> None:
        self.count, self.total, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.count, self.total, self.squares = self.count + 1, self.total + value, self.squares + value * value

    @property
    def mean(self) -> Mean | None:
        """The mean; None with fewer than two values."""
        return Mean.of(self.count, self.total, self.squares) if self.count > 1 else None


@dataclass
class SourceSamples:
    """The points of a seat from a source, with a value for each game."""

    rule: str
    points: Sample = field(default_factory=Sample)
    winners: Sample = field(default_factory=Sample)
    others: Sample = field(default_factory=Sample)
    difference: Sample = field(default_factory=Sample)


class Tally:
    """Collects the results of games with a number of seats."""

    def __init__(self, seats: int) -> None:
        self._games_by_points: list[Counter[int]] = [Counter() for _ in range(seats)]
        self._wins = [Sample() for _ in range(seats)]
        self._sources: dict[str, SourceSamples] = {}
        self._games = 0

    def add(self, points: Sequence[int], ranks: Sequence[int], sources: Iterable[Source]) -> None:
        """Add a game. `points` and `ranks` are by seat."""
        self._games += 1
        winners = [seat for seat, rank in enumerate(ranks) if rank == 1]
        for seat, value in enumerate(points):
            self._games_by_points[seat][value] += 1
            self._wins[seat].add(1 / len(winners) if seat in winners else 0.0)
        others = [seat for seat in range(len(ranks)) if seat not in winners]
        for source in sources:
            samples = self._sources.setdefault(source.name, SourceSamples(source.rule))
            samples.points.add(sum(source.points) / len(ranks))
            if others:  # else all seats share the win, or there is a single seat
                won, lost = (sum(source.points[seat] for seat in part) / len(part) for part in (winners, others))
                samples.winners.add(won)
                samples.others.add(lost)
                samples.difference.add(won - lost)

    def statistics(self) -> TableStatistics:
        """Return the statistics of the games, of which there must be at least two."""
        seats = (
            SeatStatistics.of(by_points, wins.total, wins.squares)
            for by_points, wins in zip(self._games_by_points, self._wins, strict=True)
        )
        sources = (
            SourceStatistics(name, one.rule, mean, one.winners.mean, one.others.mean, one.difference.mean)
            for name, one in self._sources.items()
            if (mean := one.points.mean) and (mean.value or mean.error)
        )
        return TableStatistics(self._games, tuple(seats), tuple(sources))
