"""The page of a game's rules: its RULES.md in sections, with addresses of numbered paragraphs, and rendered figures."""

import logging
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ... import catalog, figures
from ...errors import AlmuniaError
from ...figures import Figure
from ...library import Game, game
from ...play.panels import ids_of
from .table_layout import MIN_FONT_SIZE
from .templating import read_game_file

PARAGRAPH_MARK = re.compile(r"[0-9]+\.[0-9]+|D[0-9]+")
ID_REFERENCE = re.compile(r'(?<![\w-])(id="|href="#|url\(#)([\w-]+)')  # an id, or a reference to one
STYLE_REFERENCE = re.compile(r"url\(#([\w-]+)\)")
WORD = re.compile(r"\w+")
ARIA_LABEL = re.compile(r'aria-label="[^"]*"')
SUMMARY_TITLE = "In short"
NOTE_TITLES = ("Decisions", "About these marks, and sources")  # of sections for developers and curious readers
PARAGRAPH_TOKENS = ["paragraph_open", "inline", "paragraph_close"]

log = logging.getLogger(__name__)


class Section(NamedTuple):
    """A section of the rules."""

    title: str
    name: str  # its fragment in the page's address
    text: Markup


@cache
def read_rules(name: str) -> str:
    return str(catalog.game_file(name, "RULES.md").read_text("utf-8"))


def has_summary(name: str) -> bool:
    return f"\n## {SUMMARY_TITLE}\n" in read_rules(name)


@cache
def render_rulebook(name: str) -> dict[str, Any]:
    """Return the rules of a game as HTML: the introduction, the summary if there is one, the sections, and notes."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(read_rules(name))
    for token, mark in link_marks(tokens):
        token.attrSet("id", mark)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")  # wide tables scroll on phones, also by keys
    tokens = list(insert_figures(tokens, Illustrator(game(name, "plain"))))

    def written(part: Sequence[Token]) -> Markup:
        return Markup(parser.renderer.render(part, parser.options, {}))  # noqa: S704 - the parser escapes HTML

    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"]
    head, *parts = (tokens[start:end] for start, end in pairwise([0, *starts, len(tokens)]))
    rules: dict[str, Any] = {"head": written(head), "short": None, "sections": [], "notes": []}
    for part in parts:
        title = part[1].content
        section = Section(title, "-".join(WORD.findall(title.lower())), written(part[3:]))
        if title == SUMMARY_TITLE:
            rules["short"] = section
        else:
            rules["notes" if title in NOTE_TITLES else "sections"].append(section)
    return rules


def link_marks(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Make the mark of each paragraph a link to itself. Yield the token that gets the mark as its id, and the mark."""
    for i, token in enumerate(tokens):
        children = token.children or []
        strong = next((k for k, child in enumerate(children) if child.type == "strong_open"), None)
        if token.type != "inline" or strong is None or any(child.content for child in children[:strong]):
            continue
        mark = children[strong + 1].content
        if PARAGRAPH_MARK.fullmatch(mark):
            link = Token("link_open", "a", 1, attrs={"href": f"#{mark}", "class": "mark"})
            token.children = [*children[:strong], link, *children[strong : strong + 3]]
            token.children += [Token("link_close", "a", -1), *children[strong + 3 :]]
            around = tokens[i - 2] if i > 1 and tokens[i - 2].type == "list_item_open" else tokens[i - 1]
            yield around, mark


class Illustrator:
    """Renders the figures of one page, with ids that are unique on the page."""

    def __init__(self, game: Game) -> None:
        self._game, self._count = game, 0
        # The style sheet refers to these ids, so the first element with each keeps it:
        self._wanted = set(STYLE_REFERENCE.findall(read_game_file(game.name, "view.css").decode()))

    def written(self, figure: Figure) -> str:
        """Return a figure as HTML; without its picture, and with a warning in the log, if rendering fails."""
        caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
        try:
            panel = figures.render_figure(self._game, figure)
        except AlmuniaError as error:
            log.warning("A figure in the rules of %s is missing: %s", self._game.name, error)
            return f"<figure>{caption}</figure>\n"
        self._count += 1
        label = f'aria-label="{escape(figure.caption)}"'
        svg = ARIA_LABEL.sub(label, highlight(panel.svg, figure.highlighted), count=1)
        shape = "tall" if panel.size[1] > panel.size[0] else "wide"
        width = panel.size[0] * MIN_FONT_SIZE / panel.min_font_size if panel.min_font_size else 0  # to be legible
        picture = f'<div class="scroll" tabindex="0" style="--legible:{width:.0f}px">{self._renamed(svg)}</div>'
        return f'<figure class="{shape}">{picture}{caption}</figure>\n'

    def _renamed(self, svg: str) -> str:
        own, first = set(ids_of(svg)), self._wanted.copy()
        self._wanted -= own

        def rename(found: re.Match[str]) -> str:
            name = found[2]
            return found[0] if name not in own or name in first else f"{found[1]}figure-{self._count}-{name}"

        return ID_REFERENCE.sub(rename, svg)


def highlight(svg: str, names: Sequence[str]) -> str:
    """Return a picture whose elements with these ids have the class `lit`."""

    def light(found: re.Match[str]) -> str:
        tag = found[0]
        return tag.replace('class="', 'class="lit ') if "class=" in tag else tag.replace(" ", ' class="lit" ', 1)

    for name in names:
        svg = re.sub(rf'<\w+\b[^>]*(?<![\w-])id="{re.escape(name)}"[^>]*>', light, svg, count=1)
    return svg


def insert_figures(tokens: Sequence[Token], draw: Illustrator) -> Iterator[Token]:
    """Yield the tokens, with a figure for each paragraph that is only a link to a scenario."""
    rest = iter(enumerate(tokens))
    for i, token in rest:
        figure = figure_of(tokens[i : i + len(PARAGRAPH_TOKENS)])
        if figure is None:
            yield token
            continue
        yield Token("html_block", "", 0, content=draw.written(figure))
        for _ in PARAGRAPH_TOKENS[1:]:
            next(rest)


def figure_of(tokens: Sequence[Token]) -> Figure | None:
    """Return the figure of a paragraph; None if the paragraph is not only a link to a scenario."""
    if [token.type for token in tokens] != PARAGRAPH_TOKENS:
        return None
    children = [child for child in tokens[1].children or [] if child.type != "softbreak"]
    if [child.type for child in (children[0], children[-1])] != ["link_open", "link_close"]:
        return None
    address = str(children[0].attrs["href"])
    if not address.startswith(figures.FOLDER) or any(child.type != "text" for child in children[1:-1]):
        return None
    caption = " ".join(child.content.strip() for child in children[1:-1])
    return Figure.of(caption, address, str(children[0].attrs.get("title", "")))
