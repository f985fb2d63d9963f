"""Lineups: the bots that play together in a match, by seat.

In a pairing of two bots, one bot takes a single seat, and the other bot takes all other seats. The first bot takes
every seat in turn, on the same deals. If both bots are equally strong, the first bot wins 1 / seats of the plays on
average.
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
    pairing: str  # the same for lineups that differ in the order of seats only: "search:1s v greedy"
    bots: tuple[str, ...]


def lineups(bots: Sequence[str], seats: int, plan: str = "round-robin", against: str | None = None) -> list[Lineup]:
    """Return the lineups of a match.

    `plan` is a key of PLANS. If `against` is given, every other bot plays against that spec only. Raise SetupError for
    an unknown plan, and for arguments that do not fit together.
    """
    if plan not in PLANS:
        raise SetupError(f"There is no plan {plan!r}. There are: {', '.join(PLANS)}.")
    if against is not None and plan != "round-robin":
        raise SetupError(f"Every bot plays against {against!r}, so there is no plan {plan!r}: give only one of them.")
    if len(set(bots)) != len(bots):
        raise SetupError("A bot is named twice; name each one once.")
    if seats == 1:
        if against is not None or plan == "table":
            raise SetupError(
                "With one seat there are no opponents: give the number of seats for an opponent or a table."
            )
        return [Lineup("alone", (bot,)) for bot in bots]
    if plan == "table":
        if len(bots) != seats:
            raise SetupError(f"At one table there are as many bots as seats: {seats}, not {len(bots)}.")
        return [Lineup("table", (*bots[turn:], *bots[:turn])) for turn in range(seats)]
    result = [
        Lineup(pairing_name(one, rest), tuple(one if p == seat else rest for p in range(seats)))
        for one, rest in _pairs(bots, seats, plan, against)
        for seat in range(seats)
    ]
    if not result:
        raise SetupError(
            f"A match needs two bots that differ, not {', '.join(bots)} alone: name another with --bot or --against."
        )
    return result


def _pairs(bots: Sequence[str], seats: int, plan: str, against: str | None) -> Iterator[tuple[str, str]]:
    if against is not None:
        yield from ((bot, against) for bot in bots if bot != against)
    elif plan == "ladder":
        yield from ((stronger, weaker) for weaker, stronger in pairwise(bots))
    else:
        yield from combinations(bots, 2) if seats == 2 else permutations(bots, 2)


def pairing_name(one: str, rest: str) -> str:
    return f"{one} v {rest}"


def challenger(pairing: str, bots: Sequence[str]) -> str:
    """Return the bot that plays against the rest in this pairing; an empty string if there is no such bot."""
    names = sorted(set(bots))
    return next((one for one in names for rest in names if pairing == pairing_name(one, rest)), "")
