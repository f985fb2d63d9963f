"""Whole games of Orchard in a browser: by mouse, by keyboard, by touch, and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from almunia.server.monitoring.metrics import REQUESTS

from ..serving import read_table
from . import sharing
from .conftest import AT_ONCE
from .settling import SETTLED, hold, resize, settle

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive

PLACES = "#board svg [data-action]:not(.away)"
CARDS_TO_PLACE = 8
LOOKS = 3  # cards before which the test rotates and looks around
STEPS = 80  # key presses on the way to an element


def version(page):
    return int(page.locator("#table").get_attribute("data-seen"))


def await_version(page, seen):
    """Wait until the page has settled at this version or a later one. Animations may still run."""
    page.wait_for_function("seen => Number(document.querySelector('#table').dataset.seen) >= seen", arg=seen)
    expect(page.locator(SETTLED)).to_be_visible()


def tab_to(page, element, key="Tab"):
    """Press a key until an element has the focus."""
    for _ in range(STEPS):
        page.keyboard.press(key)
        if element.evaluate_all("found => found.includes(document.activeElement)"):
            return
    raise AssertionError(f"no way by {key} to {element}")


def fits(page):
    """Whether the page is no wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def board_is_whole(page):
    """Whether the whole board is in the window."""
    box = page.locator("#board").bounding_box()
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


def play_on(page, once, acts=CARDS_TO_PLACE):
    """Call `once` this number of times, each for at least one new version. Check that the game is over then."""
    settle(page)
    for _ in range(acts):
        seen = version(page)
        once()
        await_version(page, seen + 1)
    expect(page.locator(".finale")).to_be_visible()


def fetched_files():
    """Return the number of requests for static files to the sites of this process."""
    samples = next(iter(REQUESTS.collect())).samples
    return sum(one.value for one in samples if one.labels["route"] == "/static" and one.name.endswith("_total"))


@exhaustive
def test_a_page_that_is_loaded_again_fetches_no_file_again(come, open_table):
    before = fetched_files()
    page = come(1281)  # no page was loaded at this width before
    open_table(page, seed=3, seat_1="friend")
    settle(page)
    once = fetched_files()
    assert once > before + 10
    page.reload()
    settle(page)
    page.locator(PLACES).first.click()
    await_version(page, 1)  # by now the page would have requested its files
    assert fetched_files() == once


def test_by_mouse(come):
    page = come()
    page.goto("/")
    page.get_by_role("button", name="Play Orchard").click()

    def once():
        settle(page)
        assert board_is_whole(page)
        place = page.locator(PLACES).first
        if version(page) < LOOKS:
            page.mouse.move(0, 0)
            place.hover()
            expect(page.locator("#board .ghost")).to_have_count(1)
            expect(page.locator("#play-it")).to_be_enabled()
            page.mouse.move(0, 0)
            expect(page.locator("#play-it")).to_be_disabled()
            expect(page.locator("#board .ghost")).to_have_count(0)
        place.click()

    play_on(page, once)
    expect(page.locator("#board .ghost")).to_have_count(0)
    page.get_by_role("button", name="Play the same deal again").click()
    expect(page.locator("#play-it")).to_be_visible()
    assert version(page) == 0


def test_two_clicks_on_a_slow_connection_open_one_game(come):
    page = come()
    page.goto("/")
    sent = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    held = hold(page, "**/tables")
    page.get_by_role("button", name="Play Orchard").hover()
    page.mouse.down()
    page.mouse.up()
    first = held()
    page.mouse.down()
    page.mouse.up()  # a second request would replace the first
    first.continue_()
    page.wait_for_url("**/table/**")
    assert len(sent) == 1


def test_by_keyboard(come):
    page = come()
    page.goto("/")
    tab_to(page, page.get_by_role("button", name="Play Orchard"))
    page.keyboard.press("Enter")
    expect(page.locator("#play-it")).to_be_visible()
    undo = []  # once; when the deck is empty, the last action can be undone, too

    def once():
        keys = ("2", "r", "ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp")
        for key in keys if version(page) < LOOKS else keys[-1:]:
            page.keyboard.press(key)
        expect(page.locator(".aimed")).to_have_count(1)
        if page.locator("[data-key=u]:enabled").count() and not undo:
            page.keyboard.press("u")
            undo.append(version(page))
        else:
            page.keyboard.press("Enter")

    play_on(page, once, CARDS_TO_PLACE + 2)


@exhaustive
def test_escape_clears_the_choice_and_a_question_mark_opens_the_help(come, open_table):
    page = come()
    open_table(page, seed=3)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#play-it")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.locator("#play-it")).to_be_disabled()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert version(page) == 0


@exhaustive
def test_the_only_choice_stays_selected_after_escape(come, address):
    """The choice is on no picture, so no key could select it again."""
    page = come(preferences={**AT_ONCE, "forced": "ask"})
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = page.request.post("/games/alhambra/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    seat, seen, actions = read_table(page.request.get(table).text())
    act = {"seat": str(seat), "seen": str(seen), "action": str(actions[0]), "sure": "1"}
    page.request.post(f"{table}/move", form=act, headers={"Origin": address})
    page.goto(table)
    expect(page.locator("#choose button")).to_have_text(["End the turn Enter"])
    expect(page.locator("#play-it")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.locator("#play-it")).to_be_enabled()
    before = version(page)
    page.keyboard.press("Enter")
    await_version(page, before + 1)


@exhaustive
def test_tab_reaches_cards_and_places(come, open_table):
    page = come()
    open_table(page, seed=3)
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.dataset.part ?? Object.keys(document.activeElement.dataset)[0]")
        )
    assert {"card", "action"} <= reached


@exhaustive
def test_turning(come, open_table):
    """A card turns by button, key, wheel, a second click, and two fingers."""
    page = come(has_touch=True)
    open_table(page, seed=3)

    def turned():
        name = page.evaluate("[...document.querySelector('#table').classList].find(n => n.startsWith('chosen-turned'))")
        return int(name.removeprefix("chosen-turned-"))

    first = turned()
    seen = [first]
    page.locator("#choose").get_by_role("button", name="Turn").click()
    seen.append(turned())
    page.keyboard.press("r")
    seen.append(turned())
    page.locator(PLACES).first.hover()
    page.mouse.wheel(0, 100)
    page.wait_for_function(
        "was => !document.querySelector('#table').classList.contains(`chosen-turned-${was}`)", arg=seen[-1]
    )
    seen.append(turned())
    assert seen == [(first + more) % 360 for more in (0, 90, 180, 270)]
    page.locator("[data-part=card].chosen").click()
    assert turned() == first
    page.keyboard.press("Shift+R")
    assert turned() == seen[-1]
    twist(page)
    assert turned() == first
    # the rotations beside a card in the hand, with the card
    page.locator('.way[data-value="180"]').last.click()
    assert turned() == 180
    expect(page.locator(".held").last).to_have_attribute("aria-pressed", "true")


@exhaustive
def test_a_card_is_shown_in_the_rotation_with_most_points(come, open_table):
    page = come()
    open_table(page, seed=3)
    for card in (0, 1):
        if card:  # the first card is chosen
            page.locator(".held").nth(card).click()
        expect(page.locator(".held").nth(card)).to_have_attribute("aria-pressed", "true")
        ways = page.locator(".ways").nth(card).locator(".way")
        points = [int(words.replace("\N{MINUS SIGN}", "-")) for words in ways.all_text_contents()]
        shown = [way.get_attribute("aria-pressed") == "true" for way in ways.all()]
        assert points[shown.index(True)] == max(points)


def twist(page):
    """Turn two fingers on the board by sixty degrees."""
    page.evaluate(
        """() => {
            const board = document.querySelector('#board svg');
            const touch = (id, x, y) => new Touch({identifier: id, target: board, clientX: x, clientY: y});
            for (const [x, y] of [[500, 300], [450, 387]]) {
                const touches = [touch(1, 400, 300), touch(2, x, y)];
                board.dispatchEvent(new TouchEvent('touchmove', {touches, bubbles: true, cancelable: true}));
            }
        }"""
    )


def test_by_touch_on_a_small_phone(come):
    page = come(360, 740, has_touch=True, is_mobile=True)
    page.goto("/")
    assert fits(page)
    page.get_by_role("button", name="Play Orchard").tap()

    def once():
        settle(page)
        assert fits(page)
        bar, board = page.locator("#question .asked").bounding_box(), page.locator("#board").bounding_box()
        assert board["y"] < bar["y"]
        if version(page) < LOOKS:
            page.locator(".tabs label", has_text="Mine").tap()
            page.locator("[data-part=card]").last.tap()
            page.locator("#choose").get_by_role("button", name="Turn").tap()
        page.locator(PLACES).last.tap()
        expect(page.locator("#board .ghost")).to_have_count(1)
        expect(page.locator("#say")).to_contain_text("Tap again to play")
        page.locator(PLACES).last.tap()

    play_on(page, once)
    assert fits(page)


@exhaustive
def test_no_page_scrolls_sideways(come, open_table):
    page = come()
    table = open_table(page, seed=3, seat_1="bot-easy", seat_2="friend")
    for there in (table, "/", "/my/games", "/games/orchard", "/games/orchard/rules"):
        page.goto(there)
        for width in (360, 768, 1920):
            resize(page, width, 800)
            assert fits(page), (there, width)


def test_without_scripts(come):
    page = come(java_script_enabled=False)
    page.goto("/")
    page.get_by_role("button", name="Play Orchard").click()
    for _ in range(CARDS_TO_PLACE):
        expect(page.locator(".ask")).to_be_visible()
        expect(page.locator("#board .target:visible")).to_have_count(0)
        with page.expect_navigation():
            page.locator(".moves button").first.click()
    expect(page.locator(".finale")).to_be_visible()
    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_text("The start", exact=True)).to_be_visible()
    page.get_by_role("link", name="Next move").click()
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_text("The start", exact=True)).to_be_visible()


@exhaustive
def test_bots_answer_while_the_page_is_open(come, open_table):
    page = come()
    open_table(page, seed=3, seat_1="bot-easy", seat_2="bot-medium")
    page.locator(PLACES).first.click()
    expect(page.locator("#log")).to_contain_text("The cards are placed")
    expect(page.locator("#play-it")).to_be_visible()
    settle(page)  # no other seat is to move
    expect(page).to_have_title(re.compile("^●"))
    page.locator("#log [data-ref]").first.hover()
    expect(page.locator("#board .lit")).to_have_count(1)


@exhaustive
def test_bots_answer_without_scripts(come, open_table):
    page = come(java_script_enabled=False)
    open_table(page, seed=3, seat_1="bot-easy")
    with page.expect_navigation():
        page.locator(".moves button").first.click()
    expect(page.locator("#log")).to_contain_text("The cards are placed")  # the page reloads itself
    expect(page.locator(".moves button").first).to_be_visible()


def test_a_friend_at_another_browser(come, open_table):
    mine, theirs = come(), come()
    open_table(mine, seed=3, seat_1="friend")
    theirs.goto(mine.locator(".invite input").input_value())
    theirs.get_by_label("Your name").fill("Bea")
    theirs.get_by_role("button", name="Sit down").click()
    expect(mine.locator(".seat h2").nth(1)).to_contain_text("Bea")
    mine.locator(PLACES).first.click()
    await_version(theirs, 1)
    theirs.locator(PLACES).first.click()
    await_version(mine, 2)
    expect(mine.locator("#play-it")).to_be_visible()


@exhaustive
def test_two_windows_of_one_guest_show_the_same_position(come, open_table):
    page = come()
    table = open_table(page, seed=3)
    other = page.context.new_page()
    other.goto(table)
    page.locator(PLACES).first.click()
    await_version(other, 1)


def test_a_stale_choice_is_refused_on_the_page(come, watched, open_table):
    watched.expected = ("409",)
    page = come()
    open_table(page, seed=3)
    page.locator("#table").evaluate("table => { table.dataset.seen = 7; }")
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_contain_text("The game has moved on since you looked")
    settle(page)
    assert version(page) == 0
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(page.locator("#notice")).to_be_empty()


@exhaustive
def test_a_table_survives_the_browser(come, open_table):
    page = come()
    table = open_table(page, seed=3)
    page.locator(PLACES).first.click()
    await_version(page, 1)
    state = page.context.storage_state()
    page.context.close()
    again = come(storage_state=state)
    again.goto("/my/games")
    again.get_by_text("Waiting for you").click()
    expect(again).to_have_url(re.compile(f"{table}$"))
    assert version(again) == 1


@exhaustive
def test_replay_by_keyboard_and_scrubber(come, open_table, tables):
    page = come()
    table = open_table(page, seed=3)
    sharing.play_on(tables, table, CARDS_TO_PLACE)
    page.goto(f"{table}/replay?at=0")
    asked = page.locator(".ask")
    for key, words in (
        ("ArrowRight", "Move 1 of 8"),
        ("ArrowDown", "Move 2 of 8"),
        ("End", "Move 8 of 8"),
        ("ArrowLeft", "Move 7 of 8"),
        ("ArrowUp", "Move 6 of 8"),
        ("Home", "The start"),
    ):
        page.keyboard.press(key)
        expect(asked).to_have_text(words)
    page.locator("#scrubber").fill("5")
    expect(asked).to_have_text("Move 5 of 8")
    page.wait_for_url("**at=5*")
    page.reload()
    expect(asked).to_have_text("Move 5 of 8")
