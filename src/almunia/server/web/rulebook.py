"""A game's rules as a page: its RULES.md in sections, with an address for every paragraph, and figures drawn."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ... import catalog, figures
from ...errors import AlmuniaError
from ...figures import Figure
from ...library import Game, game
from ...play.panels import ids_of
from .templating import style_of

MARK = re.compile(r"[0-9]+\.[0-9]+|D[0-9]+")
NAMED = re.compile(r'(?<![\w-])(id="|href="#|url\(#)([\w-]+)')  # an id, or where a picture refers to one
BY_STYLE = re.compile(r"url\(#([\w-]+)\)")
LABEL = re.compile(r'aria-label="[^"]*"')
IN_SHORT = "In short"
NOTES = ("Decisions", "About these marks, and sources")  # are for developers and the curious
PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Section:
    """A part of the rules under a heading."""

    title: str
    name: str  # its place in the address of the page
    text: Markup


@dataclass(frozen=True)
class Rulebook:
    """The rules of a game in the order in which a page shows them."""

    head: Markup  # the title, and what comes before the first section
    short: Section | None  # all of it on one page
    sections: tuple[Section, ...]
    notes: tuple[Section, ...]


@cache
def source(name: str) -> str:
    """What RULES.md says."""
    return str(catalog.game_file(name, "RULES.md").read_text("utf-8"))


def is_short(name: str) -> bool:
    """Have the rules of a game been put in short?"""
    return f"\n## {IN_SHORT}\n" in source(name)


@cache
def rulebook(name: str) -> Rulebook:
    """The rules of a game. Raw HTML in them is shown as text."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(source(name))
    for token, mark in marked(tokens):
        token.attrSet("id", mark)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")  # on a phone a wide one scrolls, also by keys
    tokens = list(illustrated(tokens, Illustrator(game(name, "plain"))))

    def written(part: Sequence[Token]) -> Markup:
        return Markup(reader.renderer.render(part, reader.options, {}))  # noqa: S704 - made by the reader, HTML escaped

    head, *parts = chapters(tokens)
    sections = [Section(part[1].content, slug(part[1].content), written(part[3:])) for part in parts]
    return Rulebook(
        written(head),
        next((section for section in sections if section.title == IN_SHORT), None),
        tuple(section for section in sections if section.title not in (IN_SHORT, *NOTES)),
        tuple(section for section in sections if section.title in NOTES),
    )


def chapters(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """What comes before the first heading of a section, then each section from its heading on."""
    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"]
    return [tokens[start:end] for start, end in zip([0, *starts], [*starts, len(tokens)], strict=True)]


def slug(title: str) -> str:
    """A heading as a word in an address."""
    return "-".join(re.findall(r"\w+", title.lower()))


def marked(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """The list items and paragraphs that begin with a mark, and that mark, made a link to itself."""
    for i, token in enumerate(tokens):
        children = token.children or []
        strong = next((k for k, child in enumerate(children) if child.type == "strong_open"), None)
        if token.type != "inline" or strong is None or any(child.content for child in children[:strong]):
            continue
        mark = children[strong + 1].content
        if MARK.fullmatch(mark):
            link = Token("link_open", "a", 1, attrs={"href": f"#{mark}", "class": "mark"})
            token.children = [*children[:strong], link, *children[strong : strong + 3]]
            token.children += [Token("link_close", "a", -1), *children[strong + 3 :]]
            around = tokens[i - 2] if i > 1 and tokens[i - 2].type == "list_item_open" else tokens[i - 1]
            yield around, mark


# --- figures -----------------------------------------------------------------------------------------


class Illustrator:
    """Draws the figures of one page, on which no two elements have the same id."""

    def __init__(self, game: Game) -> None:
        self._game, self._count = game, 0
        # The style sheet refers to these by name, so each stays what it is called where it comes first:
        self._wanted = set(BY_STYLE.findall(style_of(game.name).decode()))

    def written(self, figure: Figure) -> str:
        """A figure as HTML; without its picture, and with a warning in the log, if that cannot be drawn."""
        caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
        try:
            panel = figures.render_figure(self._game, figure)
        except AlmuniaError as error:
            log.warning("A figure in the rules of %s is missing: %s", self._game.name, error)
            return f"<figure>{caption}</figure>\n"
        self._count += 1
        svg = LABEL.sub(f'aria-label="{escape(figure.caption)}"', lit(panel.svg, figure.highlighted), count=1)
        width, height = panel.size
        shape = "tall" if height > width else "wide"
        return f'<figure class="{shape}">{self._renamed(svg)}{caption}</figure>\n'

    def _renamed(self, svg: str) -> str:
        """The same picture, whose ids no other one on the page has."""
        own, first = set(ids_of(svg)), self._wanted.copy()
        self._wanted -= own

        def rename(found: re.Match[str]) -> str:
            name = found[2]
            return found[0] if name not in own or name in first else f"{found[1]}figure-{self._count}-{name}"

        return NAMED.sub(rename, svg)


def lit(svg: str, names: Sequence[str]) -> str:
    """A picture in which the elements of these ids have the class `lit`."""

    def light(found: re.Match[str]) -> str:
        tag = found[0]
        return tag.replace('class="', 'class="lit ') if "class=" in tag else tag.replace(" ", ' class="lit" ', 1)

    for name in names:
        svg = re.sub(rf'<\w+\b[^>]*(?<![\w-])id="{re.escape(name)}"[^>]*>', light, svg, count=1)
    return svg


def illustrated(tokens: Sequence[Token], draw: Illustrator) -> Iterator[Token]:
    """The same tokens, with a figure in the place of every paragraph that is nothing but a link to a scenario."""
    rest = iter(enumerate(tokens))
    for i, token in rest:
        figure = figure_of(tokens[i : i + len(PARAGRAPH)])
        if figure is None:
            yield token
            continue
        yield Token("html_block", "", 0, content=draw.written(figure))
        for _ in PARAGRAPH[1:]:
            next(rest)


def figure_of(tokens: Sequence[Token]) -> Figure | None:
    """The figure that a paragraph is, if it is one."""
    if [token.type for token in tokens] != PARAGRAPH:
        return None
    children = [child for child in tokens[1].children or [] if child.type != "softbreak"]
    if [child.type for child in (children[0], children[-1])] != ["link_open", "link_close"]:
        return None
    address = str(children[0].attrs["href"])
    if not address.startswith(figures.FOLDER) or any(child.type != "text" for child in children[1:-1]):
        return None
    caption = " ".join(child.content.strip() for child in children[1:-1])
    return Figure.of(caption, address, str(children[0].attrs.get("title", "")))
