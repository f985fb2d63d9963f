"""The icons of a game on a page: defined once, used on seats' cards, and explained in a key."""

from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from ..core.contract import Icon
from ..core.game import Game


@dataclass(frozen=True)
class Signs:
    """The icons of a game, as a page shows them."""

    all: tuple[Icon, ...]
    by_fact: dict[str, Icon]  # those that stand for what is said of a seat, by its label
    symbols: Markup  # all of them, to be used by name


@cache
def signs_of(game: Game) -> Signs:
    """The icons of a game; none if its pictures need no words."""
    icons: tuple[Icon, ...] = getattr(game.view, "ICONS", ())
    drawn = (f'<symbol id="icon-{one.name}" viewBox="-12 -12 24 24">{one.picture}</symbol>' for one in icons)
    by_fact = {icon.fact: icon for icon in icons if icon.fact}
    return Signs(icons, by_fact, Markup("".join(drawn)))  # noqa: S704 - the game has drawn them
