"""Figures in the rules: positions at the ends of scenarios, with highlighted elements.

In RULES.md a figure is a paragraph that consists of a link to a scenario of the game:

    [The harbor may stand there: it touches water at a corner.](tests/scenarios/harbor.txt "board space-33 space-47")

The title of the link names the panel (`board` or no title for the main panel), then the ids of the elements to
highlight.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from .core.loaded import LoadedGame
from .errors import AlmuniaError, SetupError, one_of
from .play.panels import RenderedPanel, ids_of, panels
from .scenario import ScenarioFailed, run

FOLDER = "tests/scenarios/"
BOARD = "board"  # stands for the main panel of every game
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
REFERENCE = re.compile(r'(?:href="#|url\(#)([\w-]+)')
PARAGRAPH = re.compile(r'(?:^|\n)\s*\n *\[([^\]]+)\]\((tests/scenarios/[\w.-]+)(?:\s+"([^"]*)")?\)\s*(?=\n|$)')


@dataclass(frozen=True)
class Figure:
    """A panel of a position, with elements to highlight."""

    caption: str  # a sentence
    scenario: str  # the file in the game's folder
    panel: str  # the name of a panel, or BOARD
    highlighted: tuple[str, ...]  # ids of elements

    @classmethod
    def of(cls, caption: str, scenario: str, title: str) -> "Figure":
        panel, *highlighted = title.split() or [BOARD]
        return cls(caption, scenario, panel, tuple(highlighted))


def figures_in(rules: str) -> Iterator[Figure]:
    for caption, scenario, title in PARAGRAPH.findall(rules):
        yield Figure.of(" ".join(caption.split()), scenario, title)


def render_figure(game: LoadedGame, figure: Figure) -> RenderedPanel:
    """Return the panel of a figure for the seat to move.

    The panel includes definitions that it uses from other panels of the page, such as the shape of a coin.

    Raises:
        SetupError: an unknown scenario, panel or element, or a scenario that fails.
        MissingExtra: svg.py is not installed.
    """
    file = game.file(figure.scenario)
    if not figure.scenario.startswith(FOLDER) or not file.is_file():
        raise SetupError(f"The figure {figure.caption!r} shows {figure.scenario}, which does not exist.")
    try:
        play = run(Path(str(file)))
    except (AlmuniaError, ScenarioFailed) as error:
        raise SetupError(f"The figure {figure.caption!r} cannot be shown: {error}") from None
    shown = panels(play.observe(play.turn))
    by_name = {BOARD: shown[0], **{panel.name: panel for panel in shown}}
    if figure.panel not in by_name:
        known = one_of(by_name, figure.panel)
        raise SetupError(f"The figure {figure.caption!r} shows no panel {figure.panel!r}; there are: {known}")
    panel = by_name[figure.panel]
    missing = set(figure.highlighted) - set(ids_of(panel.svg))
    if missing:
        names = ", ".join(sorted(missing))
        raise SetupError(f"The figure {figure.caption!r} highlights {names}, which it does not show.")
    return panel._replace(svg=with_definitions(panel.svg, [other.svg for other in shown]))


def with_definitions(picture: str, others: Iterable[str]) -> str:
    """Return a picture with the definitions that it uses from other pictures of its page, directly or indirectly."""
    missing = set(REFERENCE.findall(picture)) - set(ids_of(picture))
    if not missing:
        return picture
    trees = [ET.fromstring(other.replace(NAMESPACE, "")) for other in others]  # noqa: S314 - drawn by this package
    there = {element.attrib["id"]: element for tree in trees for element in tree.iter() if "id" in element.attrib}
    defined: dict[str, str] = {}
    while missing:
        name = missing.pop()
        if name in there:
            defined[name] = ET.tostring(there[name], "unicode")
            missing |= set(REFERENCE.findall(defined[name])) - set(defined)
    start = picture.index(">") + 1
    return f"{picture[:start]}<defs>{''.join(defined[name] for name in sorted(defined))}</defs>{picture[start:]}"
