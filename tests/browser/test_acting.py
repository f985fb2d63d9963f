"""Moves at the table: sequences, explanations of illegal choices, hints, and requests in progress."""

import re

import pytest
from playwright.sync_api import expect

from almunia.server.tables.viewer_history import Hint

from ..colours import contrast
from .settling import hold, settle
from .sharing import await_turn
from .test_phone import WHOLE
from .test_play import PLACES, await_version, version
from .test_turns import SPACES, click

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive

ASKING, WAITING = ({"pace": "off", "confirm": policy} for policy in ("final", "wait"))


@pytest.fixture
def oregon(open_game):
    """Return a function that opens a table of two of Oregon with hints."""
    return lambda page, seed=5: open_game(page, "oregon", seed=seed, hints=1)


@pytest.fixture
def courses(oregon, tables):
    """Return a function that opens a table of Oregon at which sequences are suggested."""

    def opening(page):
        table = oregon(page, seed=12)
        click(page, SPACES)
        await_turn(page, tables, table)
        return table

    return opening


def test_a_course_marks_its_cards_and_is_played_at_once(come, courses):
    page = come()
    courses(page)
    course = page.locator("#choose .course").first
    expect(course).to_have_class("course primary")
    course.hover()
    expect(page.locator(".hand [data-action].chosen")).not_to_have_count(0)
    expect(page.locator("#say")).to_contain_text(course.inner_text().partition("\n")[0])
    page.mouse.move(5, 5)
    expect(page.locator("[data-action].chosen")).to_have_count(0)
    settle(page)
    place = page.locator("#choose").bounding_box()
    page.locator(".hand .card[data-action]").last.hover()
    expect(page.locator(".hand .aimed")).to_have_count(1)
    settle(page)
    assert page.locator("#choose").bounding_box() == place  # the buttons did not move
    page.mouse.move(5, 5)
    seen = version(page)
    page.keyboard.press("Enter")
    await_version(page, seen + 1)
    expect(page.locator(".hand .picked")).to_have_count(2)
    page.keyboard.press("u")
    expect(page.locator(".hand .picked")).to_have_count(0)  # neither card is chosen now


DRAWN = """board => [...board.querySelectorAll("svg *")].map(({ tagName, id, attributes }) =>
  [tagName, id, ...["d", "fill", "data-action"].map((name) => attributes[name]?.value)].join())"""


def test_pictures_sent_as_differences_are_those_of_a_new_page(come, oregon, tables):
    page, parts = come(), []
    page.on("response", lambda got: parts.append(got) if "hx-request" in got.request.headers else None)
    table = oregon(page, seed=12)
    click(page, SPACES)
    await_turn(page, tables, table)
    assert any('data-from="' in part.text() for part in parts)
    shown = page.locator("#board").evaluate(DRAWN)
    page.reload()
    assert page.locator("#board").evaluate(DRAWN) == shown


@exhaustive
def test_escape_leads_out_of_a_log_of_many_links(come, courses):
    page = come()
    courses(page)
    page.locator("#log a").first.focus()
    page.keyboard.press("ArrowRight")  # scrolls
    expect(page.locator("#log a").first).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    expect(page.locator("svg .aimed")).to_be_focused()


@exhaustive
def test_a_key_that_is_held_plays_once(come, courses):
    page = come()
    courses(page)
    page.locator("#choose .course").click()
    expect(page.locator(".hand .picked")).to_have_count(2)
    settle(page)
    page.keyboard.press("ArrowRight")
    seen = version(page)
    for _ in range(3):
        page.keyboard.down("Enter")
        await_version(page, seen + 1)
    assert version(page) == seen + 1
    expect(page.locator("#choose .course")).to_contain_text("Draw")


@exhaustive
def test_a_number_key_aims_and_leaves_the_others_in_sight(come, oregon):
    page = come()
    oregon(page)
    spaces = page.locator(SPACES).count()
    page.keyboard.press("2")
    expect(page.locator(f"{SPACES}.aimed")).to_be_focused()
    expect(page.locator("#play-it")).to_be_enabled()
    expect(page.locator(SPACES)).to_have_count(spaces)
    expect(page.locator("#choose button")).to_have_count(1)  # the pictures offer all other choices


@exhaustive
def test_long_descriptions_fit_into_the_bar(come, open_game):
    page = come()
    open_game(page, "alhambra", seed=6)
    targets = page.locator("#table svg [data-action]:not(.away)")
    labels = [target.get_attribute("aria-label") for target in targets.all()]
    targets.nth(labels.index(max(labels, key=len))).hover()
    say = page.locator("#say")
    expect(say).to_contain_text(";")
    settle(page)
    assert say.evaluate("one => one.scrollHeight <= one.clientHeight + 1 && one.clientHeight > 30")  # two whole lines
    bar, words = page.locator("#question").bounding_box(), say.bounding_box()
    assert bar["height"] == 64
    assert words["y"] + words["height"] <= bar["y"] + bar["height"]


@exhaustive
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_the_reason_of_an_illegal_place_is_shown_at_the_place(come, oregon, width, height):
    page = come(width, height)
    oregon(page)
    settle(page)
    before = page.locator(".dock").bounding_box()["height"]
    space = page.locator("#space-64").bounding_box()  # a plain, where gold mines are not allowed
    page.mouse.click(space["x"] + space["width"] / 2, space["y"] + space["height"] / 2)
    told = page.locator("#why")
    expect(told).to_contain_text("A gold mine goes on a mountain")
    expect(told.locator("a.rule")).to_have_attribute("href", "/games/oregon/rules#3.1")
    expect(page.locator("#space-64.barred")).to_have_count(1)
    expect(page.locator("#question.refused")).to_have_count(1)
    settle(page)
    assert page.locator(".dock").bounding_box()["height"] == before
    found = told.bounding_box()
    assert found["x"] >= 0
    assert found["x"] + found["width"] <= width
    assert found["y"] + found["height"] <= height
    page.keyboard.press("Escape")
    expect(told).to_be_empty()
    expect(page.locator(".barred, .refused")).to_have_count(0)
    assert version(page) == 0


@exhaustive
@pytest.mark.parametrize("width", [768, 1280])
def test_a_question_is_measured_with_all_buttons(come, oregon, width):
    """A question that is slightly too long for two lines gets three lines."""
    page = come(width)
    oregon(page)
    line = page.locator(".ask b")
    asked = line.text_content()
    longer = line.evaluate("""one => {
        const words = document.createRange();
        words.selectNodeContents(one.parentElement);
        const low = () => words.getBoundingClientRect().height <= 40; // pixels of two lines
        for (let more = 0; more < 500 && low(); more += 1) one.textContent += " so";
        return one.textContent;
    }""")

    def put_longer(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace(f"<b>{asked}</b>", f"<b>{longer}</b>"))

    page.route("**/table/*", put_longer)
    page.reload()
    expect(line).to_have_text(longer)
    expect(page.locator(".ask.wordy")).to_have_count(1)
    assert page.locator(".ask").evaluate(WHOLE)


@exhaustive
def test_illegal_places_are_not_explained_to_others(come, oregon):
    mine, theirs = come(), come()
    oregon(mine)
    theirs.goto(mine.url)
    settle(theirs)
    asked = []
    theirs.on("request", lambda request: "/explain" in request.url and asked.append(request.url))
    theirs.locator("#board svg").click(position={"x": 300, "y": 200})
    click(mine, SPACES)
    await_version(theirs, 1)  # the page requested this after the click
    assert not asked


@exhaustive
def test_a_hint_is_shown_and_its_choice_selected(come, oregon, hint_with):
    hint_with(lambda _, history: Hint(history.view.legal_actions[-1], "Expert: the last one, for it pays."))
    page = come()
    oregon(page)
    page.keyboard.press("h")
    expect(page.locator("#hint")).to_have_text("Expert: the last one, for it pays.")
    expect(page.locator(f"{SPACES}.aimed")).to_have_count(1)
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    page.locator(SPACES).first.hover()
    expect(page.locator(f"{SPACES}.aimed")).to_have_count(1)
    page.mouse.move(5, 5)
    expect(page.locator("#hint")).to_have_text("Expert: the last one, for it pays.")
    seen = version(page)
    page.keyboard.press("Enter")
    await_version(page, seen + 1)


def test_a_move_is_sent_once_and_its_progress_is_shown(come, open_table):
    page = come(frozen=True)
    table = open_table(page, seed=3)
    settle(page)
    sent = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    held = hold(page, f"**{table}/move")
    page.locator(PLACES).first.click()
    assert page.locator("#question.sent").count() == 1
    page.locator(PLACES).first.click()
    page.keyboard.press("Enter")
    page.clock.run_for(399)
    assert page.locator("#question.slow").count() == 0
    page.clock.run_for(1)
    assert page.locator("#question.slow").count() == 1
    held().continue_()
    expect(page.locator("#table")).to_have_attribute("data-seen", "1")
    page.clock.run_for(1)
    settle(page)
    assert page.locator("#question:is(.sent, .slow)").count() == 0
    page.locator(PLACES).first.click()
    held().continue_()
    expect(page.locator("#table")).to_have_attribute("data-seen", "2")
    assert len(sent) == 2


def fetch_slowly(page, table):
    """Let the page request its table, and hold the response. Return a function that releases it."""
    held = hold(page, f"**{table}")
    page.evaluate(
        "table => { htmx.ajax('GET', table, {target: '#table', source: '#table', swap: 'morph:outerHTML'}) }", table
    )
    assert page.locator("#table.htmx-request").count() == 1
    return lambda: held().continue_()


def test_a_move_waits_for_a_running_page_request(come, open_table):
    page = come()
    table = open_table(page, seed=3)
    settle(page)
    sent = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url.rpartition("/")[2]))
    answer = fetch_slowly(page, table)
    page.locator(PLACES).first.click()
    assert page.locator("#question.sent").count() == 1
    page.locator(PLACES).nth(1).click()  # a second click while the first request waits does nothing
    answer()
    await_version(page, 1)
    expect(page.locator("#question.sent")).to_have_count(0)
    assert sent == ["move"]


@exhaustive
def test_a_button_waits_for_a_running_page_request(come, oregon, tables):
    page = come()
    table = oregon(page)
    click(page, SPACES)
    await_turn(page, tables, table)
    click(page, ".hand .card[data-action]")
    expect(page.locator(".hand .picked")).to_have_count(1)
    answer = fetch_slowly(page, page.locator("#table").get_attribute("data-table"))
    page.keyboard.press("u")
    assert page.locator("#question.sent").count() == 1
    answer()
    expect(page.locator(".hand .picked")).to_have_count(0)


def test_a_second_click_on_undo_does_nothing(come, oregon, tables):
    page = come()
    table = oregon(page)
    click(page, SPACES)
    await_turn(page, tables, table)
    for _ in range(2):
        click(page, ".hand .card[data-action]")
    expect(page.locator(".hand .picked")).to_have_count(2)
    seen = version(page)
    sent = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url.rpartition("/")[2]))
    page.evaluate("document.querySelector('[data-key=u]').click(); document.querySelector('[data-key=u]').click()")
    await_version(page, seen + 1)
    expect(page.locator(".hand .picked")).to_have_count(1)
    click(page, ".hand .card[data-action]")  # earlier requests are finished now
    expect(page.locator(".hand .picked")).to_have_count(2)
    assert sent == ["undo", "move"]


def test_a_final_move_is_held_until_it_is_taken_back_or_confirmed(come, open_table):
    page = come(preferences=WAITING)
    open_table(page, seed=3)
    place, back = page.locator(PLACES).first, page.locator("#take-back")
    for key in ("Escape", "u", "click"):
        place.click()
        expect(page.locator("#notice")).to_contain_text("Your move is played in a moment.")
        expect(page.locator("main[data-settled]")).to_have_count(0)  # the page is not done
        back.click() if key == "click" else page.keyboard.press(key)
        expect(back).to_have_count(0)
        expect(page.locator("#notice")).to_be_empty()
        expect(page.locator("#play-it")).to_be_visible()  # the question is as before
    assert page.evaluate("document.querySelector('#table').dataset.seen") == "0"
    place.click()
    expect(back).to_be_visible()
    page.keyboard.press("Enter")
    await_version(page, 1)
    page.locator(PLACES).first.click()
    expect(back).to_be_visible()
    page.goto("about:blank")  # a page that is left has the move played
    page.go_back()
    await_version(page, 2)


def test_a_held_move_outlasts_a_lost_connection(come, watched, open_table):
    watched.expected = ("ERR_INTERNET_DISCONNECTED", "htmx:")
    page = come(preferences=WAITING)
    open_table(page, seed=3)
    page.locator(PLACES).first.click()
    expect(page.locator("#take-back")).to_be_visible()
    page.context.set_offline(True)
    expect(page.locator("#notice")).to_contain_text("cannot be reached")  # once it has waited
    page.context.set_offline(False)
    await_version(page, 1)


@exhaustive
@pytest.mark.parametrize("again", [".moves button >> nth=0", "#play-it"])
def test_the_list_of_moves_confirms_irreversible_moves(come, open_table, again):
    page = come(preferences=ASKING)
    open_table(page, seed=3)
    page.locator(".moves summary").click()
    page.locator(".moves button").first.click()
    expect(page.locator("#notice")).to_contain_text("This cannot be undone.")
    settle(page)
    assert version(page) == 0
    page.locator(again).click()
    await_version(page, 1)


@exhaustive
def test_a_choice_to_confirm_stays_selected(come, open_table):
    page = come(preferences=ASKING)
    open_table(page, seed=3)
    page.locator("#choose").get_by_role("button", name="Turn").click()
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_contain_text("This cannot be undone.")
    expect(page.locator(f"{PLACES}.aimed")).to_have_count(1)
    page.keyboard.press("Enter")
    await_version(page, 1)


@exhaustive
def test_a_course_to_confirm_is_legible(come, courses, address):
    page = come(color_scheme="light")
    courses(page)
    for what in (".hand .card[data-action]", ".hand .card[data-action]", SPACES):
        click(page, what)
    page.mouse.move(5, 5)
    page.request.post("/preferences", form=ASKING, headers={"Origin": address})
    draw = page.locator("#choose .course").first
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("This cannot be undone.")
    expect(draw).to_have_attribute("aria-pressed", "true")
    settle(page)
    paper, ink = draw.evaluate("one => ['backgroundColor', 'color'].map((name) => getComputedStyle(one)[name])")
    assert contrast(colour(paper), colour(ink)) >= 4.5


def colour(words):
    """Return red, green and blue from 0 to 1 for a computed CSS colour."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", words)]
    return tuple(number if words.startswith("color(") else number / 255 for number in numbers[:3])


@exhaustive
def test_irreversible_moves_are_confirmed_without_scripts(come, open_table):
    page = come(preferences=ASKING, java_script_enabled=False)
    open_table(page, seed=3)
    page.locator(".moves button").first.click()
    expect(page.locator("#notice")).to_contain_text("This cannot be undone.")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator("#table")).to_have_attribute("data-seen", "1")
