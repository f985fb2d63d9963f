"""The first game that teaches, played by clicks: one step at a time, beside what it is about."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
GAME = "oregon"
TARGET = "#table svg [data-action]:not(.away)"


def begin(page):
    """Open the lesson from the game's page."""
    page.goto(f"/games/{GAME}")
    page.get_by_role("button", name="Learn by playing").click()
    page.wait_for_selector("#lesson.shown")


HIDDEN = """() => {
    const [words, target] = ["#lesson", "TARGET"].map((name) => document.querySelector(name).getBoundingClientRect());
    const across = words.left < target.right && target.left < words.right;
    return across && words.top < target.bottom && target.top < words.bottom;
}""".replace("TARGET", TARGET)


def go_on(page):
    """Do what the step that is shown asks for, and wait for the next one."""
    step = page.locator("#lesson li:visible")
    words = step.inner_text()
    if page.locator("#lesson.telling").count():
        page.click("#lesson .on")
    else:
        page.locator(TARGET).first.click()
    expect(step).not_to_have_text(words)


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "narrow"])
def test_a_whole_lesson_by_clicks(come, size):
    page = come(*size)
    begin(page)
    for number in range(1, 21):
        assert page.locator("#lesson .place").inner_text().strip() == f"· {number} of 20"
        assert page.locator("#lesson li:visible").count() == 1
        telling = page.locator("#lesson.telling").count()
        assert page.locator(".room[inert]").count() == telling
        assert telling or not page.evaluate(HIDDEN), f"step {number} hides what it asks for"
        go_on(page)
    assert "That was the lesson." in page.locator("#lesson").inner_text()
    page.get_by_role("button", name="Play on").click()
    expect(page.locator("#lesson")).to_be_hidden()
    assert page.locator("#veil, .room[inert]").count() == 0
    page.reload()
    expect(page.locator("#lesson")).to_be_hidden()  # it has been read


def test_the_words_have_the_focus_and_can_be_read_again(come):
    page = come()
    begin(page)
    first = page.locator("#lesson li:visible").inner_text()
    assert page.locator("#lesson .on").evaluate("it => it === document.activeElement")
    page.keyboard.press("Enter")
    expect(page.locator("#lesson li:visible")).not_to_have_text(first)
    page.get_by_role("button", name="Back").click()
    expect(page.locator("#lesson li:visible")).to_have_text(first)
    assert page.locator("#table").get_attribute("data-seen") == "0"  # nothing was played


def test_whoever_leaves_plays_on(come):
    page = come()
    begin(page)
    page.get_by_role("button", name="Leave the lesson").click()
    expect(page.locator("#lesson")).to_have_count(0)
    assert page.locator("#veil, .room[inert]").count() == 0
    assert page.locator(TARGET).count() > 1


def test_without_scripts_the_words_stand_above_the_question(come):
    page = come(java_script_enabled=False)
    page.goto(f"/games/{GAME}")
    page.get_by_role("button", name="Learn by playing").click()
    words, question = page.locator("#lesson").bounding_box(), page.locator("#question").bounding_box()
    assert page.locator("#lesson li:visible").count() > 1
    assert words["y"] + words["height"] <= question["y"]
