"""The rules as pages: sections, figures, the list of icons, and the printable summary."""

import re
from collections import Counter

import pytest

import almunia
from almunia.figures import Figure
from almunia.server.web import rulebook
from almunia.server.web.rulebook import Illustrator, highlight

IN_SHORT = [meta.name for meta in almunia.all_games() if rulebook.has_summary(meta.name)]


@pytest.mark.parametrize("name", [meta.name for meta in almunia.all_games()])
def test_every_paragraph_has_a_unique_id(visitor, name):
    page = visitor.get(f"/games/{name}/rules").text
    ids = Counter(re.findall(r'(?<![\w-])id="([^"]+)"', page))
    assert [one for one, count in ids.items() if count > 1] == []
    for address in re.findall(r'href="#([^"]+)"', page):
        assert address in ids, address
    source = almunia.game(name, "plain").file("RULES.md").read_text("utf-8")
    assert set(re.findall(r"\*\*(\d+\.\d+|D\d+)\*\*", source)) <= set(ids)
    assert page.count("<figure") == source.count("](tests/scenarios/")
    assert page.count("<figure>") == 0  # every figure has its picture


def test_notes_are_the_last_section(visitor):
    page = visitor.get("/games/oregon/rules").text
    order = [page.index(words) for words in ('id="in-short"', 'id="icons"', 'id="1.1"', 'id="notes"', 'id="D1"')]
    assert order == sorted(order)


def test_figures_have_highlights_and_a_description(visitor):
    page = visitor.get("/games/oregon/rules").text
    figure = next(part for part in page.split("<figure")[1:] if "The church at i3" in part).split("</figure>")[0]
    assert figure.count('class="lit') == 5
    assert 'aria-label="The church at i3 has four farmers beside it' in figure
    assert "<figcaption>The church at i3" in figure
    assert 'style="--legible:618px"' in figure  # 721 units wide, with letters of 14
    assert "data-action" not in figure


def test_a_figure_that_cannot_be_drawn_is_replaced_by_its_caption(caplog):
    written = Illustrator(almunia.game("oregon", "plain")).written(Figure.of("<Gone>", "tests/scenarios/no.txt", ""))
    assert written == "<figure><figcaption>&lt;Gone&gt;</figcaption></figure>\n"
    assert "A figure in the rules of oregon is missing" in caplog.text


def test_elements_are_highlighted_with_or_without_classes():
    drawn = '<g><rect id="a" class="land"/><path data-id="a"/><path id="b"/></g>'
    assert highlight(drawn, ["a", "b"]) == (
        '<g><rect id="a" class="lit land"/><path data-id="a"/><path class="lit" id="b"/></g>'
    )


def test_pictures_on_one_page_do_not_share_ids():
    draw = Illustrator(almunia.game("alpujarras", "plain"))
    draw._count, draw._wanted = 1, {"soil"}
    drawn = '<pattern id="soil"/><g id="a"/><use href="#a"/><i fill="url(#a)" style="fill:url(#soil)"/><a href="#b"/>'
    assert draw._renamed(drawn) == (
        '<pattern id="soil"/><g id="figure-1-a"/><use href="#figure-1-a"/>'
        '<i fill="url(#figure-1-a)" style="fill:url(#soil)"/><a href="#b"/>'
    )
    assert draw._renamed(drawn).startswith('<pattern id="figure-1-soil"/>')  # the style sheet refers to the first


@pytest.mark.parametrize("name", IN_SHORT)
def test_a_summary_has_all_icons(visitor, name):
    page = visitor.get(f"/games/{name}/summary").text
    for icon in almunia.game(name, "plain").view.ICONS:
        assert f"{icon.title}</dt>" in page
    assert f'href="/games/{name}/summary"' in visitor.get(f"/games/{name}").text


def test_rules_without_a_short_version_have_no_summary(visitor, monkeypatch):
    monkeypatch.setattr(rulebook, "SUMMARY_TITLE", "In brief")
    rulebook.render_rulebook.cache_clear()
    assert visitor.get("/games/oregon/summary").status_code == 404
    assert "/games/oregon/summary" not in visitor.get("/games/oregon").text
    rulebook.render_rulebook.cache_clear()
