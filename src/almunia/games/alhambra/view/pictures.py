"""The panels of Alhambra, and the choices in them."""

from collections.abc import Sequence

from ....core.contract import Overlay, Panel, Part, Role
from ....engine.checked import CheckedRecord as State
from ..rules.state import Memory
from ..text.words import ROUNDS, members, next_round, tiles_waiting
from .hand import LETTER as HAND_LETTER, hand, hand_choices, held_by, in_order
from .majorities import (
    LETTER as TALLY_LETTER,
    all_hands,
    comparison_of,
    dirk,
    dirk_title,
    majorities,
    points_table,
)
from .market import LETTER as MARKET_LETTER, market, market_choices, market_of
from .palace import built_by, name_of, other_alhambra, own_alhambra, targets

PARTS = (
    Part("take", "Take money"),
    Part("buy", "Buy"),
    Part("pay", "Pay"),
    Part("fetch", "Bring in from the reserve"),
    Part("remove", "Move to the reserve"),
    Part("pick", "Place"),
    Part("build", "Build"),
    Part("reserve", "Reserve board"),
    Part("give", "Dirk"),
    Part("on", "Go on"),
)


def panels(s: State, seat: int) -> list[Panel]:
    """Return the panels of a reader. A spectator (-1) gets the panels of seat 0, without hidden money."""
    own = max(seat, 0)
    found = [Panel("alhambra", name_of(own), own_alhambra, built_by(s, own), Role.BOARD, own)]
    if not s.over:
        found.append(Panel("hand", "Hand and reserve", hand, held_by(s, own, seat), Role.HAND, own, HAND_LETTER))
        found.append(Panel("market", "Market", market, market_of(s, seat), Role.OFFER, min_font_size=MARKET_LETTER))
    most, compared = f"Who leads ({ROUNDS[next_round(s) - 1]} scoring)", (comparison_of(s), own, seat)
    found += [
        Panel("majorities", most, majorities, compared, Role.STANDINGS, min_font_size=TALLY_LETTER),
        *with_two(s),
    ]
    for p in ((own + i) % s.seats for i in range(1, s.seats)):
        shown = (*built_by(s, p), tuple(tiles_waiting(s, p)), tuple(members(s.seat[p].reserve)))
        found.append(Panel(f"alhambra-{p}", name_of(p), other_alhambra, shown, Role.OPPONENT, p))
    found.append(Panel("points", "Points", points_table, ()))
    if s.memory == Memory.PERFECT:
        found.append(Panel("hands", "Money", all_hands, tuple(tuple(in_order(s, p)) for p in range(s.seats))))
    return found


def with_two(s: State) -> list[Panel]:
    """Return a list with Dirk's panel, or an empty list after the end and with more than two players [12.2]."""
    if s.seats != 2 or s.over:
        return []
    return [Panel("dirk", dirk_title(s), dirk, tuple(members(s.dirk)), Role.STANDINGS)]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays of the reader's Alhambra, the hand and the market."""
    by_panel = {
        "alhambra": targets(s, legal),
        "hand": hand_choices(s, max(seat, 0), seat, legal),
        "market": market_choices(s, legal),
    }
    return [Overlay(panel, drawing=drawing) for panel, drawings in by_panel.items() for drawing in drawings]
