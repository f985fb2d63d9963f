"""The icons of a game on a page: on seats' cards, and explained in a key. They are the same at every table."""

from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from ...core.optional import Icon
from ...library import Game
from ..hashes import short_hash

ICON_SVG = Markup('<svg class="sign {}" viewBox="-12 -12 24 24" aria-hidden="true">{}</svg>')
ICON_TERM = Markup(
    '<div data-sign="{0.name}" tabindex="0" title="{0.title}: {0.about}">'
    '<dt>{1}<span class="visually-hidden">{0.fact}</span></dt>'
)


@dataclass(frozen=True)
class IconSet:
    """The icons of a game, as a page shows them."""

    icons: tuple[Icon, ...]
    pictures: dict[str, Markup]  # by their names
    terms: dict[str, Markup]  # how what is said of a seat begins, by its label
    hash: str  # changes with any of them


@cache
def icons_of(game: Game) -> IconSet:
    """The icons of a game; none if its pictures need no words."""
    icons = game.view.ICONS
    pictures = {icon.name: ICON_SVG.format(game.meta.name, Markup(str(icon.picture))) for icon in icons}  # noqa: S704
    terms = {icon.fact: ICON_TERM.format(icon, pictures[icon.name]) for icon in icons if icon.fact}
    told = "".join(f"{icon.title} {icon.about} {icon.rule} {pictures[icon.name]}" for icon in icons)
    return IconSet(icons, pictures, terms, short_hash(told.encode()))
