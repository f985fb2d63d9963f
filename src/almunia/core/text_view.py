"""The view of a game without `view.py`: one panel with the position in words."""

from collections.abc import Sequence
from html import escape
from typing import Any

import svg

from .contract import Overlay, Panel, Part, Role, Text
from .optional import OptionalView
from .svg import canvas

FONT_SIZE, LINE_HEIGHT, CHARACTER_WIDTH = 14, 20, 9  # pixels
PADDING = 12  # pixels


class TextView(OptionalView):
    """The view of a game without pictures. Its only panel has the text of `text.board`, and offers no actions."""

    PARTS: tuple[Part, ...] = ()

    def __init__(self, text: Text) -> None:
        self._text = text

    def panels(self, s: Any, seat: int) -> list[Panel]:
        return [Panel("position", "Position", draw_text, (self._text.board(s, seat),), Role.BOARD)]

    def choices(self, s: Any, seat: int, legal: Sequence[int]) -> list[Overlay]:
        return []

    def preview(self, s: Any, seat: int, action: int) -> svg.G:
        return svg.G()


def draw_text(text: str) -> svg.SVG:
    lines = text.splitlines() or [""]
    elements: list[svg.Element] = [draw_line(line, i) for i, line in enumerate(lines)]
    width, height = CHARACTER_WIDTH * max(map(len, lines)), LINE_HEIGHT * len(lines)
    return canvas("Position", svg.ViewBoxSpec(0, 0, width + 2 * PADDING, height + 2 * PADDING), elements)


def draw_line(line: str, number: int) -> svg.Text:
    return svg.Text(
        x=PADDING,
        y=PADDING + FONT_SIZE + number * LINE_HEIGHT,
        text=escape(line, quote=False),
        font_size=FONT_SIZE,
        font_family="monospace",
        fill="var(--ink)",
        style="white-space: pre",  # columns stay aligned
    )
