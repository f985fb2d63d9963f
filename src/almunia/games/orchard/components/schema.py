"""Models of the values that a corrected component file of Orchard may change [1.1, D9, D12]."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator

from ....core.component_data import Data
from ....core.corrections import RISING, UNIQUE, Corrections, Name, Partial, Whole, between, repeats, rows

Points = Annotated[int, between(1, 150)]  # fifteen dice of ten [1.2]
CardNumber = Annotated[int, between(1, 18)]


def six_trees(lines: list[str]) -> list[str]:
    """Return the lines. Raise ValueError unless the lines are three rows of two trees, two of each fruit [1.1]."""
    if [len(line) for line in lines] != [2, 2, 2] or sorted("".join(lines)) != sorted("AAPPLL"):
        raise ValueError("be three rows of two trees, two of each fruit")
    return lines


def each_once(sides: list[list[int]]) -> list[list[int]]:
    """Return the sides. Raise ValueError unless each number from 1 to 18 occurs once [D9]."""
    if sorted(face for card in sides for face in card) != [*range(1, 19)]:
        raise ValueError("have each card from 1 to 18 once")
    return sides


class Dice(Partial):
    ladder: Annotated[list[Annotated[int, between(1, 20)]], rows(4), RISING]


class Rotten(Partial):
    penalty_each: Annotated[int, between(1, 10)]


class Edition2018(Partial):
    ladder: Annotated[list[Annotated[int, between(1, 6)]], rows(3), RISING]
    top_tier_min: Annotated[int, between(0, 150)]
    sides: Annotated[list[Annotated[list[CardNumber], rows(2)]], rows(9), AfterValidator(each_once)]


class Tier(Whole):
    name: Name
    min: int | None = None
    max: int | None = None


class Deal(Whole):
    game: Annotated[int, between(1, 100)]
    deal: Annotated[list[CardNumber], rows(9), UNIQUE]
    target: Points
    human_high: Points
    best_found: Any = None
    moves: Any = None


class Challenge(Partial):
    barrows_at_start: Annotated[int, between(0, 100)]
    game: Annotated[list[Deal], rows(1, 100)]


class Card(Partial):
    rows: Annotated[list[str], AfterValidator(six_trees)]


class Tables(Corrections):
    """The tables of Orchard that a corrected file may change."""

    remarks = (
        *("designer", "max_players_note", "die_colour", "faces", "deck", "sym180"),
        *("worked_example", "first_move_counts", "baseline"),
    )
    dice: Dice
    rotten: Rotten
    variant_pnp2018: Edition2018
    tier: Annotated[list[Tier], rows(2, 20)]
    solo_challenge_s4: Challenge
    card: list[Card]

    def contradictions(self, data: Data, shipped: Data) -> Iterator[str]:
        seen: dict[str, int] = {}
        for row, card in enumerate(data["card"], 1):
            trees = "".join(card["rows"])
            other = seen.setdefault(min(trees, trees[::-1]), row)
            if other != row:
                yield f"card {row}, rows is {card['rows']} and must be another face than that of card {other}"
        yield from tier_faults(data)
        table, deals = "solo_challenge_s4, game", data["solo_challenge_s4"]["game"]
        yield from repeats({table: deals}, (table, "game"))
        for row, deal in enumerate(deals, 1):
            if deal["target"] > deal["human_high"]:
                high = deal["human_high"]
                yield f"{table} {row}, target is {deal['target']} and must be at most {high}, the best score"


def tier_faults(data: Data) -> Iterator[str]:
    tiers, begin = data["tier"], None
    yield from repeats(data, ("tier", "name"))
    for row, tier in enumerate(tiers, 1):
        low, high = tier.get("min"), tier.get("max")
        if low != begin:
            yield f"tier {row}, min is {low} and must be {begin}, so that no score is left out"
        if (high is None) != (row == len(tiers)):
            yield f"tier {row}, max is {high}, and all tiers but the last one must have one"
        elif high is not None and high < (low or 0):
            yield f"tier {row}, max is {high} and must be at least {low or 0}"
        begin = None if high is None else high + 1
