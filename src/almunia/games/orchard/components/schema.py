"""What Orchard's component data must be: what is printed on cards, dice and sheets, and what may be corrected."""

from collections.abc import Iterator

from ....core.component_data import Data
from ....core.schema import different, faults as schema_faults, name, rising, rows, whole

MOST_POINTS = 150  # fifteen dice of ten [1.2]

SCHEMA = {
    # --- documented: the cards, dice and tokens of the box [1.1-1.3] ---
    "game.cards_total": 18,
    "game.cards_per_game": 9,
    "game.start_cards": 1,
    "game.hand_size": 2,
    "game.placements_per_game": 8,
    "game.draw_deck_after_setup": 6,
    "game.card_columns": 2,
    "game.card_rows": 3,
    "game.trees_per_fruit_per_card": 2,
    "game.rotations_deg": [0, 90, 180, 270],
    "game.mirroring_allowed": False,
    "fruits.A.name": "apple",
    "fruits.P.name": "pear",
    "fruits.L.name": "plum",
    "fruits.*.dice": 5,
    "dice.total": 15,
    "rotten.tokens": 2,
    "rotten.both_on_one_card": True,
    "rotten.may_be_overlapped_later": False,
    # --- points ---
    "dice.ladder": (rows(4), rising),
    "dice.ladder.*": whole(1, 20),
    "rotten.penalty_each": whole(1, 10),
    "variant_pnp2018.ladder": (rows(3), rising),
    "variant_pnp2018.ladder.*": whole(1, 6),
    "variant_pnp2018.top_tier_min": whole(0, MOST_POINTS),
    "tier": rows(2, 20),
    "tier.*.name": name(),
    # --- the cards of 2018, and the fixed deals of the challenge [D9, D12] ---
    "variant_pnp2018.sides": rows(9),
    "variant_pnp2018.sides.*": rows(2),
    "variant_pnp2018.sides.*.*": (whole(1, 18), different()),
    "solo_challenge_s4.barrows_at_start": whole(0, 100),
    "solo_challenge_s4.game": rows(1, 100),
    "solo_challenge_s4.game.*.game": (whole(1, 100), different()),
    "solo_challenge_s4.game.*.deal": rows(9, repeats=False),
    "solo_challenge_s4.game.*.deal.*": whole(1, 18),
    "solo_challenge_s4.game.*.target": whole(1, MOST_POINTS),
    "solo_challenge_s4.game.*.human_high": whole(1, MOST_POINTS),
    # --- the faces of the cards ---
    "card": rows(18),
    "card.*.rows": rows(3),
}


def faults(data: Data) -> Iterator[str]:
    """What cannot be: values outside the schema, cards that are not six trees, or titles with gaps between them."""
    return schema_faults(data, SCHEMA, card_faults, tier_faults, challenge_faults)


def card_faults(data: Data) -> Iterator[str]:
    """Cards in the order of their numbers, each with two trees of each fruit, no two of them alike."""
    letters = "".join(data["fruits"])
    if letters != "APL":
        yield f"fruits lists {letters} and must list A, P and L in this order"
    seen: dict[str, int] = {}
    for row, card in enumerate(data["card"], 1):
        trees = "".join(card["rows"])
        if card["number"] != row:
            yield f"card {row}, number is {card['number']} and must be {row}"
        if sorted(trees) != sorted(2 * letters) or any(len(line) != 2 for line in card["rows"]):
            yield f"card {row}, rows is {card['rows']} and must be three rows of two trees, two of each fruit"
        other = seen.setdefault(min(trees, trees[::-1]), row)
        if other != row:
            yield f"card {row}, rows is {card['rows']} and must be another face than that of card {other}"


def tier_faults(data: Data) -> Iterator[str]:
    """Titles from the lowest score to the highest, each beginning where the one before ends."""
    tiers, begin = data["tier"], None
    for row, tier in enumerate(tiers, 1):
        low, high = tier.get("min"), tier.get("max")
        if low != begin:
            yield f"tier {row}, min is {low} and must be {begin}, so that no score is left out"
        if (high is None) != (row == len(tiers)):
            yield f"tier {row}, max is {high}, and all tiers but the last one must have one"
        elif high is not None and high < (low or 0):
            yield f"tier {row}, max is {high} and must be at least {low or 0}"
        begin = None if high is None else high + 1


def challenge_faults(data: Data) -> Iterator[str]:
    """A target that somebody has reached."""
    for row, game in enumerate(data["solo_challenge_s4"]["game"], 1):
        if game["target"] > game["human_high"]:
            yield (
                f"solo_challenge_s4, game {row}, target is {game['target']} "
                f"and must be at most {game['human_high']}, the best score"
            )
