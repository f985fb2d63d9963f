"""A puzzle: chosen on the pictures by mouse, answered by keyboard, on a phone as well."""

import pytest
from playwright.sync_api import expect

from almunia.server.puzzles.service import puzzles_of

from .settling import STILL, resize, rest

pytestmark = pytest.mark.browser


def test_a_puzzle_is_missed_on_the_board_and_solved_by_keyboard(come):
    one = next(one for one in puzzles_of("oregon").values() if one.puzzle.theme.kind == "SPACE")
    solution, *_, wrong = one.puzzle.answers
    page = come(**STILL)
    page.goto(f"/puzzles/{one.id}")
    page.locator(f'#board [data-action="{wrong.action}"]').click()
    expect(page.locator(".ask")).to_contain_text("Not the best: ")
    page.get_by_role("link", name="Try again").click()
    page.locator(f'#board [data-action="{solution.action}"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".ask")).to_contain_text("Right: ")
    resize(page, 360, 740)
    rest(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    box = page.locator(".answered").bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= 360
