"""Points and standings of a tournament.

A player gets a point for each opponent who is placed lower, and half a point for each who shares the place. A bye
counts as half a point for each opponent of a full table. Equal points are decided by the opponents' points, then by
wins, then by the share of the tables' scores.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

BYE_RANK = 0


class SeatScore(NamedTuple):
    """The score of one player in a game."""

    points: float
    rank: int  # 1 is best; BYE_RANK for a bye
    share: float = 0.0  # of the table's score
    is_missed: bool = False  # whether a bot played in the player's place at the end


class Game(NamedTuple):
    """A table, or a bye, of a round."""

    round: int
    number: int  # in its round, from 1
    players: tuple[int, ...]  # numbers of the entrants, by seat
    table: str = ""  # id; empty for a bye, and before the table is opened
    scores: tuple[SeatScore, ...] = ()  # by seat; empty until the game is over

    @property
    def is_bye(self) -> bool:
        return bool(self.scores) and self.scores[0].rank == BYE_RANK


class Standing(NamedTuple):
    """The results of an entrant."""

    player: int
    place: int
    points: float
    opponents: float  # sum of the points of all opponents, of each as often as they met
    wins: int
    share: float


def bye_score(seats: int) -> SeatScore:
    return SeatScore((seats - 1) / 2, BYE_RANK)


def game_scores(
    ranks: Sequence[int | None], points: Sequence[int | None], missed: Sequence[bool]
) -> tuple[SeatScore, ...]:
    """Return the scores of a finished game by seat.

    If the game has no ranks, all who stayed share the first place. If no player stayed, all get nothing.
    """
    order = [rank if rank is not None else 1 + gone for rank, gone in zip(ranks, missed, strict=True)]
    total = sum(max(0, one or 0) for one in points)
    places = [1 + sum(other < own for other in order) for own in order]
    return tuple(
        SeatScore(
            0.0 if all(missed) else sum((other > own) + (other == own) / 2 for other in order) - 0.5,
            places[seat],
            max(0, points[seat] or 0) / total if total else 0.0,
            missed[seat],
        )
        for seat, own in enumerate(order)
    )


def standings(players: Iterable[int], games: Sequence[Game]) -> list[Standing]:
    """Return the standings, best first. Entrants who are equal in all criteria share a place."""
    own: dict[int, list[SeatScore]] = {player: [] for player in players}
    met: dict[int, list[int]] = {player: [] for player in own}
    wins = dict.fromkeys(own, 0)
    for game in games:
        for player, score in zip(game.players, game.scores, strict=False):
            own[player].append(score)
            wins[player] += score.points == len(game.players) - 1  # a shared first place is no win
            met[player] += [other for other in game.players if other != player]
    points = {player: sum(score.points for score in scores) for player, scores in own.items()}
    keys = {
        player: (
            points[player],
            sum(points[other] for other in met[player]),
            wins[player],
            round(sum(score.share for score in scores), 6),
        )
        for player, scores in own.items()
    }
    return [
        Standing(player, 1 + sum(key > keys[player] for key in keys.values()), *keys[player])
        for player in sorted(own, key=lambda player: (*(-part for part in keys[player]), player))
    ]
