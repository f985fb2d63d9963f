"""A simple implementation of the hard rules of Alpujarras.

Tests compare the game's rules with this module, which does not import the rules. A farmland and its village share one
name. Hands, the supply and the fruit of a farmland are mappings from fruit to number. A position is an index into the
track.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_OF_A_FRUIT = 5
MOST_NORIAS = 5
DIRHEMS_WITH_FARMER = {5: 3, 4: 1, 3: 0}
MOVE_PRICE = 2
EXCHANGE_PRICE = 1

Fruits = Mapping[str, int]
Farmers = Mapping[str, int]
Token = tuple[str, int]
Card = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """A place for one mule. Several places form one space if their `space` is equal."""

    space: str
    kind: str


def lay_track(segments: Iterable[Mapping[str, Any]], side: str) -> list[Place]:
    track = []
    for segment in segments:
        faces = segment[side]
        for _ in range(faces.get("start_spots", 0)):
            track.append(Place(segment["id"] + " start", "start"))
        for number in range(len(faces["standard"])):
            track.append(Place(f"{segment['id']} {number}", "standard"))
        for _ in faces.get("spots", faces.get("end_dirhems", [])):
            track.append(Place(segment["id"], segment["kind"]))
    return track


def mule_to_move(mules: Mapping[str, int], players: Iterable[str], track: Sequence[Place]) -> str | None:
    """Return the mule furthest back, or None if every player's mule is in the end space."""
    if all(track[mules[player]].kind == "end" for player in players):
        return None
    return min(mules, key=lambda mule: mules[mule])


def reachable_positions(position: int, occupied: Collection[int], track: Sequence[Place]) -> set[int]:
    """Return the free positions ahead that belong to another space."""
    return {
        ahead
        for ahead in range(position + 1, len(track))
        if ahead not in occupied and track[ahead].space != track[position].space
    }


def most_farmers(player: str, farmland: str, farmers: Mapping[str, Farmers]) -> bool:
    own = farmers[player].get(farmland, 0)
    others = [farmers[other].get(farmland, 0) for other in farmers if other != player]
    if own == 0:
        return False
    if len(farmers) == 2:
        return own > max(others)
    return own >= max(others)


def harvest(
    player: str, farmers: Mapping[str, Farmers], primaries: Mapping[str, str], hand: Fruits, supply: Fruits
) -> tuple[set[str], int]:
    """Return the fruits harvested, and the number of norias taken instead of fruit."""
    fruits = set()
    norias = 0
    for farmland, fruit in primaries.items():
        if not most_farmers(player, farmland, farmers):
            continue
        if hand.get(fruit, 0) >= MOST_OF_A_FRUIT or supply.get(fruit, 0) == 0:
            norias += 1
        else:
            fruits.add(fruit)
    return fruits, norias


def open_channel_spaces(starts: Iterable[str], adjacent: Mapping[str, Iterable[str]], placed: set[str]) -> set[str]:
    """Return the empty channel spaces beside water."""
    water = set(starts) | placed
    return {space for space in adjacent if space not in placed and water & set(adjacent[space])}


def new_crop(crop: str, crop_tokens: Fruits, hand: Fruits, supply: Fruits) -> tuple[int, int, int] | None:
    """Return the fruit taken, the norias taken, and the fruit laid on the token, or None without a crop token."""
    if crop_tokens.get(crop, 0) == 0:
        return None
    left = supply.get(crop, 0)
    if hand.get(crop, 0) >= MOST_OF_A_FRUIT:
        return 0, 1, min(2, left)
    if left == 0:
        return 0, 0, 0
    return 1, 0, min(2, left - 1)


def fruit_to_take(there: Fruits, hand: Fruits) -> set[str]:
    return {fruit for fruit in there if there[fruit] > 0 and hand.get(fruit, 0) < MOST_OF_A_FRUIT}


def farmer_moves(farmers: Farmers, allowed: Collection[str]) -> set[tuple[str, str]]:
    return {(source, goal) for source in farmers if farmers[source] > 0 for goal in allowed if goal != source}


def farmer_additions(in_supply: int, farmers: Farmers, allowed: Collection[str]) -> set[tuple[str | None, str]]:
    """Return the additions of a farmer as pairs of source and destination. None as source is the supply."""
    if in_supply > 0:
        return {(None, farmland) for farmland in allowed}
    return set(farmer_moves(farmers, allowed))


def fruit_exchanges(hand: Fruits, supply: Fruits) -> set[tuple[str, str]]:
    return {
        (returned, taken)
        for returned in hand
        if hand[returned] > 0
        for taken in fruit_to_take(supply, hand)
        if taken != returned
    }


def noria_purchases(
    norias: int, in_supply: int, farmers: Farmers, farmlands: Collection[str], hand: Fruits, supply: Fruits
) -> set[int]:
    doable = set()
    if farmer_additions(in_supply, farmers, farmlands):
        doable |= set(DIRHEMS_WITH_FARMER)
    if farmer_moves(farmers, farmlands):
        doable.add(MOVE_PRICE)
    if fruit_exchanges(hand, supply):
        doable.add(EXCHANGE_PRICE)
    return {price for price in doable if price <= norias}


def window_is_open(norias: int, gained: int) -> bool:
    return norias + gained > MOST_NORIAS


def norias_after_gain(norias: int, gained: int, prices: Sequence[int] = ()) -> int | None:
    """Return the norias after purchases and a gain, or None if the purchases are impossible."""
    if prices and not window_is_open(norias, gained):
        return None
    if sum(prices) > norias:
        return None
    return min(MOST_NORIAS, norias - sum(prices) + gained)


def zara_walk(position: int, die: int, occupied: Collection[int], track: Sequence[Place]) -> int:
    """Return Zara's position after a roll of the die."""
    here = position
    steps = die
    for ahead in sorted(reachable_positions(position, occupied, track)):
        entered = here != position and track[here].kind in ("market", "harvest")
        if steps == 0 or (entered and track[ahead].space != track[here].space) or track[here].kind == "end":
            break
        here = ahead
        steps -= 1
    return here


def zara_discard(top: Card, tokens: Mapping[str, Sequence[Token]]) -> tuple[str, str, int] | None:
    """Return the token that Zara removes as (village, fruit, number), or None."""
    kind = top["back_fruit"]
    found = [(number, village) for village in tokens for fruit, number in tokens[village] if fruit == kind]
    if not found:
        return None
    number, village = max(found) if top["back_arrow"] == "up" else min(found)
    return village, kind, number


def market_card_after_zara(card: Sequence[str], discard: tuple[str, str, int] | None) -> list[str]:
    """Return the market card after Zara has removed this token, or no token."""
    return list(card) if discard is None else market_card_after(card, discard[1])


def zara_harvest(
    deck: Sequence[Card], fruit: Mapping[str, Fruits], primaries: Mapping[str, str]
) -> tuple[str, dict[str, int], list[Card]]:
    """Return the farmland that Zara harvests, its fruit afterwards, and the deck afterwards, top card first."""
    flipped, *rest = deck
    farmland = next(farmland for farmland in primaries if primaries[farmland] == rest[0]["back_fruit"])
    left = dict(fruit[farmland])
    for shown in flipped["fruits"]:
        if left.get(shown, 0) > 0:
            left[shown] -= 1
    return farmland, left, [*rest, flipped]


def possible_deliveries(
    tokens: Mapping[str, Sequence[Token]], farmers: Farmers, hand: Fruits
) -> set[tuple[str, str, int]]:
    """Return the tokens that the player can earn, as (village, fruit, number)."""
    return {
        (village, fruit, number)
        for village in tokens
        if farmers.get(village, 0) > 0
        for fruit, number in tokens[village]
        if hand.get(fruit, 0) >= number
    }


def market_bonus(card: Sequence[str], bonus: Sequence[int], fruit: str) -> int:
    return bonus[list(card).index(fruit)]


def market_card_after(card: Sequence[str], fruit: str) -> list[str]:
    """Return the market card after a delivery of this fruit."""
    return [other for other in card if other != fruit] + [fruit]


def award_side(earlier_deliveries: int) -> str | None:
    """Return the side of the award token that the next delivery to a village earns, or None."""
    return {0: "green", 1: "red"}.get(earlier_deliveries)


def card_payable(fruits: Sequence[str], hand: Fruits) -> bool:
    return all(hand.get(fruit, 0) >= list(fruits).count(fruit) for fruit in fruits)


def goals_met(hand: Fruits, farmers: Farmers, villagers: Farmers, tokens: Sequence[Token]) -> set[str]:
    """Return the ids of the goals whose demand is met."""
    types = [fruit for fruit, _ in tokens]
    met = {
        "fruit3": sum(number >= 1 for number in hand.values()) >= 3,
        "fruit_pairs": sum(number >= 2 for number in hand.values()) >= 2,
        "farmers3": any(number >= 3 for number in farmers.values()),
        "farmers2x2": sum(number >= 2 for number in farmers.values()) >= 2,
        "tokens3": len(set(types)) >= 3,
        "tokens_same2": any(types.count(fruit) >= 2 for fruit in types),
        "villages4": sum(number >= 1 for number in villagers.values()) >= 4,
        "villages2x2": sum(number >= 2 for number in villagers.values()) >= 2,
    }
    return {goal for goal in met if met[goal]}


def open_reward_spaces(rewards: Sequence[Mapping[str, int]], occupied: Collection[int], players: int) -> set[int]:
    """Return the indices of the spaces of a goal card that a player may take."""
    return {
        space
        for space in range(len(rewards))
        if space not in occupied and not (players == 2 and rewards[space].get("dirhem", 0) % 2 == 1)
    }


def completable_goals(met: set[str], open_spaces: Mapping[str, set[int]], completed: set[str]) -> set[str]:
    return {goal for goal in open_spaces if goal in met and open_spaces[goal] and goal not in completed}


def takes_goal_token(completable: set[str], completed: set[str], in_end_space: bool, token_supply: int) -> bool:
    """Return whether a tick gives a goal token."""
    if in_end_space and len(completed) == 4:
        return False
    return not completable and token_supply > 0


def token_setup_stands(villages: Mapping[str, Sequence[Token]], fruits: Iterable[str], numbers: Sequence[int]) -> bool:
    """Return whether the villages share all tokens evenly, with three kinds of fruit or more in each."""
    laid = sorted(token for tokens in villages.values() for token in tokens)
    every = sorted((fruit, number) for fruit in fruits for number in numbers)
    return (
        laid == every
        and all(len(tokens) == len(numbers) for tokens in villages.values())
        and all(len({fruit for fruit, _ in tokens}) >= 3 for tokens in villages.values())
    )


def sale(hand: Fruits, norias: int, goal_tokens: int) -> int:
    """Return the dirhems of the last sale."""
    return (sum(hand.values()) + norias + goal_tokens) // 3


def final_dirhems(earned: int, tokens: Sequence[Token], card_values: Sequence[int]) -> int:
    return earned + sum(number + 1 for _, number in tokens) + sum(card_values)


def ranks(dirhems: Mapping[str, int], end_dirhems: Mapping[str, int]) -> dict[str, int]:
    order = sorted(dirhems, key=lambda player: (dirhems[player], end_dirhems[player]), reverse=True)
    return {player: rank for rank, player in enumerate(order, start=1)}
