"""The icons of a game, which are the same at all its tables."""

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


@dataclass(frozen=True, eq=False)
class IconSet:
    """The icons of a game as HTML."""

    icons: tuple[Icon, ...]
    pictures: dict[str, Markup]  # by name
    terms: dict[str, Markup]  # the start of a fact on a seat's card, by its label
    hash: str  # of all icons


@cache
def icons_of(game: Game) -> IconSet:
    """Return the icons of a game, cached."""
    icons = game.view.ICONS
    pictures = {icon.name: ICON_SVG.format(game.meta.name, Markup(str(icon.picture))) for icon in icons}  # noqa: S704
    terms = {icon.fact: ICON_TERM.format(icon, pictures[icon.name]) for icon in icons if icon.fact}
    content = "".join(f"{icon.title} {icon.about} {icon.rule} {pictures[icon.name]}" for icon in icons)
    return IconSet(icons, pictures, terms, short_hash(content.encode()))
