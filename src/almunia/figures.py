"""Figures of the rules: a position that a scenario leads to, with what it is about lit up.

In RULES.md a figure is a paragraph that is nothing but a link to a scenario of the game:

    [The harbor may stand there: it touches water at a corner.](tests/scenarios/harbor.txt "board space-33 space-47")

The title names the panel that is shown (`board`, or nothing, is the main one), then the ids of what is lit up in it.
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
BOARD = "board"  # whatever the main panel is called
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
REFERENCE = re.compile(r'(?:href="#|url\(#)([\w-]+)')
PARAGRAPH = re.compile(r'(?:^|\n)\s*\n *\[([^\]]+)\]\((tests/scenarios/[\w.-]+)(?:\s+"([^"]*)")?\)\s*(?=\n|$)')


@dataclass(frozen=True)
class Figure:
    """A position to be shown, and what of it."""

    caption: str  # a sentence
    scenario: str  # the file in the game's folder
    panel: str  # the name of one, or BOARD
    lit: tuple[str, ...]  # ids of elements

    @classmethod
    def of(cls, caption: str, scenario: str, title: str) -> "Figure":
        """The figure that a link with this title is."""
        panel, *lit = title.split() or [BOARD]
        return cls(caption, scenario, panel, tuple(lit))


def figures_in(rules: str) -> Iterator[Figure]:
    """All figures of a game's rules."""
    for caption, scenario, title in PARAGRAPH.findall(rules):
        yield Figure.of(" ".join(caption.split()), scenario, title)


def drawn(game: LoadedGame, figure: Figure) -> RenderedPanel:
    """The panel of a figure, as the seat to move sees it; SetupError if something of it is not there.

    It stands alone: what it takes from another panel of the page, such as the shape of a coin, it brings.
    """
    file = game.file(figure.scenario)
    if not figure.scenario.startswith(FOLDER) or not file.is_file():
        raise SetupError(f"The figure {figure.caption!r} shows {figure.scenario}, which is not there.")
    try:
        play = run(Path(str(file)))
    except (AlmuniaError, ScenarioFailed) as error:
        raise SetupError(f"The figure {figure.caption!r} cannot be shown: {error}") from None
    shown = panels(play.observe(play.turn))
    by_name = {BOARD: shown[0], **{panel.name: panel for panel in shown}}
    if figure.panel not in by_name:
        raise SetupError(f"The figure {figure.caption!r} shows no panel; there are: {one_of(by_name, figure.panel)}")
    panel = by_name[figure.panel]
    lost = set(figure.lit) - set(ids_of(panel.svg))
    if lost:
        raise SetupError(f"The figure {figure.caption!r} lights up {', '.join(sorted(lost))}, which it does not show.")
    return panel._replace(svg=whole(panel.svg, [other.svg for other in shown]))


def whole(picture: str, others: Iterable[str]) -> str:
    """A picture with the definitions that it, and what is defined so, takes from others of its page."""
    lost = set(REFERENCE.findall(picture)) - set(ids_of(picture))
    if not lost:
        return picture
    there = {e.attrib["id"]: e for other in others for e in elements(other) if "id" in e.attrib}
    defined: dict[str, str] = {}
    while lost:
        name = lost.pop()
        if name in there:
            defined[name] = ET.tostring(there[name], "unicode")
            lost |= set(REFERENCE.findall(defined[name])) - set(defined)
    start = picture.index(">") + 1
    return f"{picture[:start]}<defs>{''.join(defined[name] for name in sorted(defined))}</defs>{picture[start:]}"


def elements(picture: str) -> Iterator[ET.Element]:
    """The elements of a picture, whose names bear no namespace."""
    return ET.fromstring(picture.replace(NAMESPACE, "")).iter()  # noqa: S314 - it was drawn a moment ago
