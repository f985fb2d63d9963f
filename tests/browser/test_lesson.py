"""The lesson with clicks: one step at a time, beside the place that it is about."""

import pytest
from playwright.sync_api import expect

import almunia
from almunia.server.tables import lessons

from .settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
GAME = "oregon"
TARGET = "#table svg [data-action]:not(.away)"
TAUGHT = [meta.name for meta in almunia.all_games() if lessons.has_lesson(meta.name)]


def begin(page, name=GAME):
    """Open the lesson from the page of a game."""
    page.goto(f"/games/{name}")
    page.get_by_role("button", name="Learn by playing").click()
    expect(page.locator("#lesson.shown")).to_be_visible()
    settle(page)


def go_on(page):
    """Do what the shown step asks for, and wait until the page has settled at the next step."""
    step = page.locator("#lesson li:visible")
    words = step.inner_text()
    if page.locator("#lesson.telling").count():
        page.click("#lesson .on")
    else:
        drawn = page.locator(TARGET)
        (drawn if drawn.count() else page.locator("#choose [data-choice]")).first.click()
    expect(step).not_to_have_text(words)
    settle(page)


# Return the faults of a step. Its explanation must not show a move that is not played yet. The place of its question
# must not lie under the words, the bar or the veil, and must be large enough for a finger on a phone.
WRONG = """() => {
    const [words, bar] = ["#lesson", ".dock"].map((name) => document.querySelector(name).getBoundingClientRect());
    const telling = document.querySelector("#lesson.telling") !== null;
    const seen = (name) => [...document.querySelectorAll(name)].filter((one) => one.getBoundingClientRect().width);
    if (telling) return seen("#board svg .ghost, #board svg .target").map((one) => one.getAttribute("class"));
    const across = (one, other) => Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left));
    const down = (one, other) => Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
    const over = (one, other) => across(one, other) * down(one, other) > 0.15 * other.width * other.height;
    const [target] = seen("TARGET").map((one) => one.getBoundingClientRect());
    const wrong = target ? [words, bar].filter((one) => over(one, target)).map(() => "covered") : [];
    if (target && innerWidth < 500 && Math.min(target.width, target.height) < FINGER) wrong.push("too small");
    const [ghost] = seen("#board svg .ghost").map((one) => one.getBoundingClientRect());
    if (!ghost) return wrong;
    const bottom = bar.top > ghost.top ? Math.min(ghost.bottom, bar.top) : ghost.bottom;
    const corners = [ghost.left + 9, ghost.right - 9].flatMap((x) => [ghost.top + 9, bottom - 9].map((y) => [x, y]));
    return corners.some(VEILED) ? [...wrong, "veiled"] : wrong;
}"""
VEILED = """(() => {
    const drawn = /"(.+)"/.exec(getComputedStyle(document.querySelector("#veil div")).clipPath)[1];
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    return ([x, y]) => canvas.isPointInPath(new Path2D(drawn), x, y, "evenodd");
})()"""
WRONG = WRONG.replace("TARGET", TARGET).replace("VEILED", VEILED).replace("FINGER", "43.5")  # pixels; a zoom is rounded


def check_step(page):
    """Wait until WRONG finds nothing, since the words and the veil follow moving elements."""
    page.wait_for_function(f"() => {{ window.wrong = ({WRONG})(); return !window.wrong.length }}")


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", TAUGHT)
def test_a_whole_lesson_by_clicks(come, size, name):
    page = come(*size)
    begin(page, name)
    count = len(lessons.get_lesson(name).steps)
    for number in range(1, count + 1):
        assert page.locator("#lesson .place").inner_text().strip() == f"· {number} of {count}"
        assert page.locator("#lesson li:visible").count() == 1
        telling = page.locator("#lesson.telling").count()
        assert page.locator(".room[inert]").count() == telling
        check_step(page)
        go_on(page)
    assert "The lesson is over." in page.locator("#lesson").inner_text()
    page.get_by_role("button", name="Play on").click()
    expect(page.locator("#lesson")).to_be_hidden()
    settle(page)
    assert page.locator("#veil, .room[inert]").count() == 0
    assert page.locator('.room > [name="tab"]:checked').evaluate("one => one.defaultChecked")  # of the present question
    page.reload()
    expect(page.locator("#lesson")).to_be_hidden()  # already read


def test_the_hole_in_the_veil_has_the_shape_of_the_ghost(come):
    """A square hole once showed the ground beside a card with round corners."""
    page = come()
    begin(page, "orchard")
    for _ in lessons.get_lesson("orchard").steps:
        if not page.locator("#lesson.telling").count():
            break
        go_on(page)
    expect(page.locator("#board svg .ghost")).to_have_count(1)
    check_step(page)
    veiled = page.evaluate(
        """() => {
        const { left, right, top, bottom } = document.querySelector("#board svg .ghost .edge").getBoundingClientRect();
        const middle = [(left + right) / 2, (top + bottom) / 2], beside = [left - 5, middle[1]];
        return [middle, beside, [left - 1, bottom + 1], [right + 1, bottom + 1]].map(VEILED);
    }""".replace("VEILED", VEILED)
    )
    assert veiled == [False, True, True, True]


def test_the_words_have_the_focus_and_can_be_read_again(come):
    page = come()
    begin(page)
    first = page.locator("#lesson li:visible").inner_text()
    assert page.locator("#lesson .on").evaluate("it => it === document.activeElement")
    page.keyboard.press("Enter")
    expect(page.locator("#lesson li:visible")).not_to_have_text(first)
    page.get_by_role("button", name="Back").click()
    expect(page.locator("#lesson li:visible")).to_have_text(first)
    settle(page)
    assert page.locator("#table").get_attribute("data-seen") == "0"  # no action was played


def test_leaving_the_lesson_continues_the_game(come):
    page = come()
    begin(page)
    page.get_by_role("button", name="Leave the lesson").click()
    expect(page.locator("#lesson")).to_have_count(0)
    settle(page)
    assert page.locator("#veil, .room[inert]").count() == 0
    assert page.locator(TARGET).count() > 1


def test_the_lesson_is_above_the_question_without_scripts(come):
    page = come(java_script_enabled=False)
    page.goto(f"/games/{GAME}")
    page.get_by_role("button", name="Learn by playing").click()
    page.wait_for_url("**/table/*", wait_until="load")  # style sheets are loaded, too
    words, question = page.locator("#lesson").bounding_box(), page.locator("#question").bounding_box()
    assert page.locator("#lesson li:visible").count() > 1
    assert words["y"] + words["height"] <= question["y"]
