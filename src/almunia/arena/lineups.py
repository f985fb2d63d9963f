"""Who meets whom in a match: lineups of bots by seat.

Strength is measured one against the rest: a bot takes one seat and the same other bot takes all the
others, in every seat in turn, on the same deals. So a share of 1 in the number of seats is fair,
however many play.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

from ..errors import SetupError

PLANS = {
    "round-robin": "every bot against every other one",
    "ladder": "every bot against the next one in the list",
    "table": "all bots at one table, as many as seats",
}


@dataclass(frozen=True)
class Lineup:
    """Bots by seat, in one pairing."""

    pairing: str  # which lineups belong together: "search:1s v greedy"
    bots: tuple[str, ...]


def lineups(bots: Sequence[str], seats: int, plan: str = "round-robin", against: str | None = None) -> list[Lineup]:
    """Every lineup that a deal is played with; SetupError where these bots cannot meet so."""
    if len(set(bots)) != len(bots):
        raise SetupError("A bot is named twice; name each one once.")
    if seats == 1:
        if against is not None or plan == "table":
            raise SetupError("Bots alone meet nobody: for an opponent or a table say how many seats there are.")
        return [Lineup("alone", (bot,)) for bot in bots]
    if plan == "table" and against is None:
        return list(_table(bots, seats))
    found: list[Lineup] = []
    for one, rest in _pairs(bots, seats, plan, against):
        found += _one_against_rest(one, rest, seats)
    if not found:
        raise SetupError(
            f"A match needs two bots that differ, not {', '.join(bots)} alone: name another with --bot or --against."
        )
    return found


def _table(bots: Sequence[str], seats: int) -> Iterator[Lineup]:
    if len(bots) != seats:
        raise SetupError(f"At one table there are as many bots as seats: {seats}, not {len(bots)}.")
    for turn in range(seats):
        yield Lineup("table", (*bots[turn:], *bots[:turn]))


def _pairs(bots: Sequence[str], seats: int, plan: str, against: str | None) -> Iterator[tuple[str, str]]:
    if against is not None:
        yield from ((bot, against) for bot in bots if bot != against)
    elif plan == "ladder":
        yield from ((stronger, weaker) for weaker, stronger in pairwise(bots))
    elif plan == "round-robin":
        yield from combinations(bots, 2) if seats == 2 else permutations(bots, 2)
    else:
        raise SetupError(f"There is no plan {plan!r}. There are: {', '.join(PLANS)}.")


def _one_against_rest(one: str, rest: str, seats: int) -> Iterator[Lineup]:
    for seat in range(seats):
        yield Lineup(versus(one, rest), tuple(one if p == seat else rest for p in range(seats)))


def versus(one: str, rest: str) -> str:
    """The name of a pairing that sets one bot against another one in all other seats."""
    return f"{one} v {rest}"


def challenger(lineup: Lineup) -> str:
    """The bot that is set against the rest; empty where all share a table, or sit alone."""
    several = sorted(set(lineup.bots))
    return next((one for one in several for rest in several if lineup.pairing == versus(one, rest)), "")
