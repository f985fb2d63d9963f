"""A game's rules as a page: its RULES.md, with an address for every numbered paragraph."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ..core import registry

MARK = re.compile(r"[0-9]+\.[0-9]+|D[0-9]+")


@cache
def rendered(name: str) -> Markup:
    """The rules of a game as HTML. Raw HTML in them is shown as text."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(files(registry.package_of(name)).joinpath("RULES.md").read_text("utf-8"))
    for token, mark in marked(tokens):
        token.attrSet("id", mark)
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704  made by the reader, HTML escaped


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
