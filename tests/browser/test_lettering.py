"""Text in pictures has enough contrast with its ground (WCAG 2.2, AA)."""

from itertools import product
from pathlib import Path

import pytest

from tools.builtin_games import builtin_games

from ..colours import contrast
from .settling import MOVING, STILL, settle
from .sharing import play_for_others, play_on

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
LETTERS = (Path(__file__).parent / "lettering.js").read_text("utf-8")
LEAST, LEAST_LARGE = 4.5, 3
LATER = (10, 40)  # actions before the next checks; later boards have more on them
SCHEMES = ("light", "dark")
PALETTES = ("usual", "deuteranopia", "tritanopia", "contrast")


def unread(page):
    """Return the text with too little contrast on the screen, with its class and its contrast."""
    page.wait_for_function(MOVING)
    found = page.evaluate(LETTERS)
    assert found
    measured = [(words, kind, contrast(colour, ground), large) for words, kind, large, colour, ground in found]
    return {
        (words, kind, round(ratio, 2))
        for words, kind, ratio, large in measured
        if ratio < (LEAST_LARGE if large else LEAST)
    }


def test_text_in_pictures_has_enough_contrast(come, address, tables):
    page, hard = come(**STILL), {}
    for name in (meta.name for meta in builtin_games()):
        form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        settle(page)
        for scheme, colours in product(SCHEMES, PALETTES):
            page.emulate_media(color_scheme=scheme)
            page.evaluate("colours => document.documentElement.dataset.colours = colours", colours)
            hard[name, scheme, colours] = unread(page)
        for acts in LATER:
            page.goto("about:blank")  # an open page would render each action
            play_on(tables, answer.headers["location"], acts, choose=lambda legal: legal[len(legal) // 2])
            play_for_others(tables, answer.headers["location"])
            page.goto(answer.headers["location"])
            settle(page)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                hard[name, scheme, acts] = unread(page)
    assert {where: letters for where, letters in hard.items() if letters} == {}


def test_text_without_contrast_is_found(come, open_table):
    page = come(**STILL)
    open_table(page)
    settle(page)
    assert unread(page) == set()
    page.evaluate("document.querySelectorAll('#table svg text').forEach(it => (it.style.fill = 'var(--paper)'))")
    assert unread(page)
