"""The icons of a game on a page: on seats' cards, and explained in a key."""

from dataclasses import dataclass
from functools import cache

from ..core.contract import Icon
from ..core.game import Game


@dataclass(frozen=True)
class Signs:
    """The icons of a game, as a page shows them."""

    all: tuple[Icon, ...]
    by_fact: dict[str, Icon]  # those that stand for what is said of a seat, by its label


@cache
def signs_of(game: Game) -> Signs:
    """The icons of a game; none if its pictures need no words."""
    icons: tuple[Icon, ...] = getattr(game.view, "ICONS", ())
    return Signs(icons, {icon.fact: icon for icon in icons if icon.fact})
