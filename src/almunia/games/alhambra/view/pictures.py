"""The panels of Alhambra: the Alhambras, the hand, the market, majorities, Dirk, the points, and known money."""

from collections.abc import Sequence

from ....core.contract import Panel, Part, Role
from ....engine.checked import CheckedRecord as State
from ..rules.state import Memory
from ..text.words import ROUNDS, next_round
from .hand import LETTER as HAND_LETTER, hand
from .majorities import LETTER as TALLY_LETTER, all_hands, dirk, dirk_title, majorities, points_table
from .market import LETTER as MARKET_LETTER, market
from .palace import name_of, other_alhambra, own_alhambra

PARTS = (
    Part("take", "Take money"),
    Part("buy", "Buy"),
    Part("pay", "Pay"),
    Part("fetch", "Bring in from the reserve"),
    Part("remove", "Move to the reserve"),
    Part("pick", "Position"),
    Part("build", "Build"),
    Part("reserve", "Reserve board"),
    Part("give", "Dirk"),
    Part("on", "Go on"),
)


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """Return the panels: all Alhambras, majorities and points; hand, market and Dirk until the end; known money."""
    own = max(seat, 0)
    found = [Panel("alhambra", name_of(own), own_alhambra(s, own, legal), Role.BOARD, own)]
    if not s.over:
        found.append(Panel("hand", "Hand and reserve", hand(s, own, seat, legal), Role.HAND, own, HAND_LETTER))
        found.append(Panel("market", "Market", market(s, seat, legal), Role.OFFER, min_font_size=MARKET_LETTER))
    most = f"Who has most ({ROUNDS[next_round(s) - 1]} scoring)"
    found += [
        Panel("majorities", most, majorities(s, own, seat), Role.STANDINGS, min_font_size=TALLY_LETTER),
        *with_two(s),
    ]
    for p in ((own + i) % s.seats for i in range(1, s.seats)):
        found.append(Panel(f"alhambra-{p}", name_of(p), other_alhambra(s, p), Role.OPPONENT, p))
    found.append(Panel("points", "Points", points_table()))
    if s.memory == Memory.PERFECT:
        found.append(Panel("hands", "Money", all_hands(s)))
    return found


def with_two(s: State) -> list[Panel]:
    """Return Dirk's panel in a running game for two, in a list [12.2].

    Empty in other games, and after the end, because the result then has Dirk's points.
    """
    if s.seats != 2 or s.over:
        return []
    return [Panel("dirk", dirk_title(s), dirk(s), Role.STANDINGS)]
