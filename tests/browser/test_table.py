"""The layout of the table page, and its focus."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from almunia.core.optional import ActionSequence

from .settling import first_of, hold, resize, settle, settle_at
from .sharing import await_turn, play_on as act_on, uncover
from .test_play import PLACES, await_version, board_is_whole, play_on, version

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive

# Return the elements that are in view and cannot be clicked.
COVERED = """selector => [...document.querySelectorAll(selector)].filter(element => {
    element.scrollIntoView({block: "center"});
    const box = element.getBoundingClientRect();
    const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return !found || !element.contains(found);
}).length"""


def test_the_board_covers_no_element(come, open_table):
    page = come()
    open_table(page, seed=3, seat_1="bot-easy", seat_2="friend")
    settle(page)
    page.locator(".moves summary").click()
    assert page.locator(".moves button").count() > 10
    for width in (360, 768, 1280, 1920):
        resize(page, width, 800)
        assert page.locator(".top nav").evaluate("links => links.scrollWidth <= links.clientWidth"), width
        for selector in (".moves button", ".moves summary", ".others .drawn", ".words summary"):
            assert page.evaluate(COVERED, selector) == 0, (width, selector)


@exhaustive
@pytest.mark.parametrize("width", [360, 1280])
def test_the_focused_element_is_not_covered(come, open_table, width):
    page = come(width, 740)
    open_table(page, seed=3, seat_1="friend")
    settle(page)
    page.locator(".moves summary").click()
    page.locator(".words summary").focus()
    hidden = """() => {
        const element = document.activeElement, box = element.getBoundingClientRect();
        const found = document.elementFromPoint(box.x + box.width / 2, box.y + 4);
        return box.height > 0 && !element.contains(found) && !found?.contains(element) ? element.outerHTML : "";
    }"""
    for _ in range(20):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(hidden) == ""


@exhaustive
def test_a_wide_window_shows_board_hand_and_newest_lines(come, open_table, tables):
    page = come(1280, 800)
    table = open_table(page, seed=3)
    settle(page)
    act_on(tables, table, 6)
    settle_at(page, 6)
    assert board_is_whole(page)
    card = page.locator(".held .face").first.bounding_box()
    assert max(card["width"], card["height"]) > 105
    log, line = (page.locator(where).last.bounding_box() for where in ("#log", "#log li"))
    assert log["y"] + log["height"] <= 800
    assert line["y"] + line["height"] <= log["y"] + log["height"] + 1


@exhaustive
@pytest.mark.parametrize("width", [360, 1280])
def test_the_board_keeps_its_place_during_a_game(come, open_table, width):
    page = come(width, 800)
    open_table(page, seed=3)
    places = set()
    for seen in range(1, 9):
        for key in ("ArrowDown", "Enter"):
            settle(page)
            box = page.locator("#board").bounding_box()
            places.add((page.locator(".overview").count(), box["y"], box["height"]))
            page.keyboard.press(key)
        await_version(page, seen)
    assert len(places) == len({overview for overview, *_ in places}), "what is large is shown in part from then on"


@exhaustive
def test_the_focus_moves_to_the_next_question_or_the_result(come, open_table):
    page = come()
    open_table(page, seed=3)
    page.locator(PLACES).first.focus()

    def once():
        seen = version(page)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        await_version(page, seen + 1)
        inside = page.locator((".finale h2", "#board")[first_of(page.locator(".finale"), page.locator("#board svg"))])
        page.wait_for_function("place => place.contains(document.activeElement)", arg=inside.element_handle())

    play_on(page, once)


@exhaustive
def test_targets_selected_by_arrow_keys_scroll_into_view(come, open_table):
    page = come(1280, 600)
    open_table(page, seed=3)
    settle(page)
    page.locator(".words summary").focus()
    page.wait_for_function("() => scrollY > 0")
    page.keyboard.press("ArrowDown")
    expect(page.locator("svg .aimed")).to_be_focused()
    expect(page.locator("svg .aimed")).to_be_in_viewport(ratio=1)


@pytest.fixture
def proposing(guide_orchard):
    """Let Orchard suggest four long sequences, and return their words."""
    words = [f"Trade {fruits} for food, wood and 2 cloth" for fruits in ("gold", "stone", "cloth", "2 wood")]
    courses = [ActionSequence((action, action), [offer], []) for action, offer in enumerate(words)]
    guide_orchard(suggestions=lambda _: courses)
    return words


@exhaustive
@pytest.mark.parametrize(("width", "height", "bar"), [(1280, 800, 64), (768, 1024, 74), (360, 740, 144)])
def test_every_proposal_is_read_within_the_bar(come, open_table, proposing, width, height, bar):
    page = come(width, height)
    open_table(page, seed=3)
    settle(page)
    read = []
    if page.locator("#choose .unfold:visible").count():
        page.locator("#choose .unfold").click()
    for _ in range(2):
        settle(page)
        assert page.locator(".ask").bounding_box()["width"] > 140
        dock = page.locator(".dock" if width < 1280 else ".dock .question").bounding_box()
        assert dock["height"] <= bar
        for course in page.locator("#choose .course").all():
            course.scroll_into_view_if_needed()
            place = course.bounding_box()
            assert place["y"] >= dock["y"]
            assert place["y"] + place["height"] <= dock["y"] + dock["height"]
            assert course.evaluate("one => one.scrollWidth <= one.clientWidth")
            read.append(course.text_content().removesuffix(" Enter"))
        page.get_by_role("button", name="More").click()
    assert read == proposing


@exhaustive
def test_no_button_covers_a_proposal_on_a_phone(come, open_table, proposing):
    page = come(360, 740, has_touch=True)
    open_table(page, seed=3)
    settle(page)
    page.locator("#board [data-action]:not(.away)").first.tap()
    expect(page.locator("#say")).to_contain_text("Tap again to play")
    settle(page)
    places = [button.bounding_box() for button in page.locator("#choose button:visible").all()]
    spans = sorted((place["x"], place["x"] + place["width"]) for place in places)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert page.locator(".dock").bounding_box()["height"] <= 144


@exhaustive
def test_the_focus_at_the_curtain_and_in_the_list(come, open_table):
    page = come()
    open_table(page, seed=3, seat_1="here")
    page.get_by_role("button", name="show my view").click()
    expect(page.locator("#play-it")).to_be_visible()
    settle(page)
    page.locator(".moves summary").click()
    page.locator(".moves button").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="I'm Player 2")).to_be_focused()


@exhaustive
def test_the_wheel_scrolls_the_page_outside_of_targets(come, open_table):
    page = come()
    open_table(page, seed=3, seat_1="bot-easy")
    page.locator("#board").hover(position={"x": 5, "y": 5})
    page.mouse.wheel(0, 200)
    page.wait_for_function("() => window.scrollY > 0")


@exhaustive
def test_a_link_is_copied(come, open_table, address):
    page = come()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    open_table(page, seed=3, seat_1="friend")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator(".invite input").input_value()


@exhaustive
def test_small_targets_are_chosen_on_an_enlarged_part_of_the_board(come, open_game, tables):
    """An overview of the board shows the enlarged part, and moves it."""
    page = come(360, 740, has_touch=True)
    table = open_game(page, "oregon", seed=77)
    page.locator(".tabs label", has_text="Board").tap()
    settle(page)
    places = page.locator("#board svg .target:not(.away)")
    assert min(min(box["width"], box["height"]) for box in boxes(places)) >= 43.9
    frame, whole = page.locator(".overview .frame"), page.locator(".overview .small").bounding_box()
    seen = set()
    for share in (0.1, 0.9):
        page.touchscreen.tap(whole["x"] + share * whole["width"], whole["y"] + whole["height"] / 2)
        seen.add(frame.bounding_box()["x"])
        assert any(
            inside(box, page.locator("#board").bounding_box()) for box in boxes(page.locator("#board svg [id^=space-]"))
        )
    assert len(seen) == 2
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    place = places.nth(places.count() // 2)
    seen = version(page)
    place.scroll_into_view_if_needed()
    place.tap()
    expect(page.locator("#say")).to_contain_text("Tap again to play")
    place.tap()
    await_version(page, seen + 1)
    await_turn(page, tables, table)
    expect(page.locator(".hand .card[data-action]")).not_to_have_count(0)  # the board offers no choice
    page.locator(".tabs label", has_text="Board").tap()
    expect(page.locator("#board.near")).to_have_count(1)  # the board stays enlarged
    page.set_viewport_size({"width": 1024, "height": 740})
    expect(page.locator("#board.near")).to_have_count(0)  # a wider window shows the whole board


def boxes(elements):
    """Return the bounding boxes of elements."""
    return [element.bounding_box() for element in elements.all()]


def inside(box, frame):
    """Whether a box lies in another one, except at the bottom."""
    across, down = (frame["x"] <= box["x"], frame["y"] <= box["y"])
    return across and down and box["x"] + box["width"] <= frame["x"] + frame["width"]


@exhaustive
def test_a_partly_visible_board_is_opened_by_a_tap(come, open_table):
    page = come(360, 740, has_touch=True)
    open_table(page, seed=3, seat_1="bot-easy")
    page.locator(".tabs label", has_text="Mine").tap()
    settle(page)
    small = page.locator("#board").bounding_box()
    page.locator("#board").tap()
    settle(page)
    assert page.locator("#tab-board").is_checked()
    assert page.locator("#board").bounding_box()["height"] > 2 * small["height"]
    assert page.locator("#board .ghost").count() == 0


@exhaustive
def test_a_choice_made_of_a_card_and_a_place_shows_both_on_a_phone(come, open_table):
    page = come(360, 740, has_touch=True)
    open_table(page, seed=5, seat_1="bot-easy")
    settle(page)
    assert page.locator("#tab-board").is_checked()
    board, hand = (page.locator(name).bounding_box() for name in ("#board", ".pane.hand"))
    assert board["height"] > 3 * hand["height"]
    card = page.locator(".hand [data-part=card]").last
    card.tap()
    expect(card).to_have_attribute("aria-pressed", "true")


@exhaustive
def test_a_swipe_goes_to_the_neighbouring_tab(come, open_table):
    page = come(360, 740, has_touch=True)
    open_table(page, seed=3, seat_1="bot-easy")
    swipe = """([from, to]) => {
        const target = document.querySelector("#table .panes");
        const touch = (x) => new Touch({ identifier: 1, target, clientX: x, clientY: 300 });
        const send = (kind, x, touches) => target.dispatchEvent(
            new TouchEvent(kind, { touches, changedTouches: [touch(x)], bubbles: true }));
        send("touchstart", from, [touch(from)]);
        send("touchend", to, []);
        return document.querySelector('[name="tab"]:checked').value;
    }"""
    assert page.evaluate(swipe, [300, 200]) == "hand"
    assert page.evaluate(swipe, [300, 290]) == "hand"
    assert page.evaluate(swipe, [200, 300]) == "board"
    assert page.evaluate(swipe, [200, 300]) == "board"


@exhaustive
def test_a_swipe_never_leaves_the_page(come, open_table):
    page = come(360, 740, has_touch=True, is_mobile=True)
    page.goto("/")
    open_table(page, seed=3, seat_1="friend")
    settle(page)
    fingers = page.context.new_cdp_session(page)
    for kind, places in [("touchStart", [60]), *(("touchMove", [x]) for x in range(100, 320, 40)), ("touchEnd", [])]:
        points = [{"x": x, "y": 300} for x in places]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.locator(".tabs label", has_text="Board").tap()
    page.locator(PLACES).first.tap()
    page.locator("#play-it").tap()
    await_version(page, 1)  # by now the browser would have left the page
    assert "/table/" in page.url


def test_the_position_in_words_follows_the_board(come, open_table):
    page, asked = come(), []
    open_table(page, seed=3)
    page.on("request", lambda request: request.url.endswith("/text") and asked.append(request))
    page.locator(".words summary").click()
    words = page.locator(".words pre")
    expect(words).to_contain_text("0 points")
    before = words.text_content()
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(words).not_to_have_text(before)
    expect(words).to_contain_text("Hand")
    for number in range(2, 5):
        before = words.text_content()
        page.locator(PLACES).first.click()
        await_version(page, number)
        expect(words).not_to_have_text(before)
    settle(page)
    assert len(asked) == 5, "once when it is opened, and once for each move"
    page.locator(".words summary").click()
    page.locator(PLACES).first.click()
    await_version(page, 5)
    settle(page)
    assert not page.locator("details.words").evaluate("details => details.open")
    assert len(asked) == 5


def test_the_position_in_words_is_requested_once_at_a_time(come, open_table):
    page, asked = come(), []
    open_table(page, seed=3)
    page.on("request", lambda request: request.url.endswith("/text") and asked.append(request))
    next_held = hold(page, "**/text")
    page.locator(".words summary").click()
    first = next_held()
    for number in range(1, 4):
        page.locator(PLACES).first.click()
        await_version(page, number)
    settle(page)
    assert len(asked) == 1
    first.continue_()
    next_held().continue_()
    expect(page.locator(".words pre")).to_contain_text("Hand")
    settle(page)
    assert len(asked) == 2


def test_unchanged_pictures_are_kept(come, open_table):
    """The response leaves an unchanged picture out, and the page keeps its element."""
    page = come()
    open_table(page, seed=3, seat_1="friend")
    settle(page)
    page.evaluate("document.querySelector('#panel-orchard-1').dataset.seen = 'before'")
    with page.expect_response("**/move") as answer:
        page.locator(PLACES).first.click()
    kept = re.findall(r'data-fragment="([\w-]+)" data-hash="\w+" data-kept', answer.value.text())
    assert kept == ["orchard-1", "icons"]
    await_version(page, 1)
    assert page.locator("#panel-orchard-1[data-seen=before] svg").count() == 1
    assert page.locator("#board svg .pending").count() == 1
    assert page.locator("[data-kept]").count() == 0


@exhaustive
def test_a_missing_picture_is_fetched(come, open_table):
    page = come()
    open_table(page, seed=3, seat_1="friend")
    page.evaluate("window.Idiomorph.defaults.callbacks.beforeNodeMorphed = () => true")
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(page.locator("#panel-orchard-1 svg")).to_have_count(1)
    assert page.locator("[data-kept]").count() == 0


@exhaustive
def test_a_kept_picture_with_another_hash_is_fetched(come, open_table):
    """Another response may have replaced the picture after the request."""
    page = come()
    open_table(page, seed=3, seat_1="friend")
    page.evaluate("""document.addEventListener("htmx:beforeSwap", () => {
        const panel = document.querySelector("#panel-orchard-1");
        panel.dataset.hash = "another";
        panel.replaceChildren();
    }, { once: true })""")
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(page.locator("#panel-orchard-1 svg")).to_have_count(1)
    assert page.locator("[data-kept]").count() == 0


@exhaustive
def test_every_display_preference_has_an_effect(come, address, tables):
    """The test covers large boards, reduced motion and other colours."""
    form = {"seat-0": "me", "seat-1": "here", "seed": "3"}
    page, usually = come(), {"size": "usual", "motion": "auto", "colours": "usual"}

    def looks(name, width, **preferences):
        page.set_viewport_size({"width": width, "height": 800})
        page.request.post("/preferences", form={**usually, **preferences}, headers={"Origin": address})
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        uncover(page, tables, address, answer.headers["location"])
        page.goto(answer.headers["location"])
        settle(page)
        page.locator(".tabs label").first.dispatch_event("click")
        return page.evaluate("""() => {
            const matrix = document.querySelector("#board svg").getScreenCTM();
            const moving = [...document.querySelectorAll("*")].map((one) => getComputedStyle(one));
            return {
                scale: Math.hypot(matrix.a, matrix.b),
                moves: moving.filter((one) => one.transitionDuration !== "0s" || one.animationName !== "none").length,
                seat: getComputedStyle(document.querySelector(".mark.seat-1")).color,
                sideways: document.documentElement.scrollWidth > innerWidth,
            };
        }""")

    for name in ("alhambra", "alpujarras", "caylus", "orchard", "oregon"):
        usual, large = looks(name, 1280), looks(name, 1280, size="large")
        assert large["scale"] / usual["scale"] >= 4 / 3, name
        assert not large["sideways"], name
    assert looks("orchard", 800, size="large")["scale"] / looks("orchard", 800)["scale"] >= 1.35
    assert usual["moves"]
    assert not looks("oregon", 1280, motion="less")["moves"]
    colours = {looks("oregon", 1280, colours=kind)["seat"] for kind in ("deuteranopia", "tritanopia", "contrast")}
    assert len({usual["seat"], *colours}) == 4


@exhaustive
def test_descriptions_of_choices_stay_within_the_bar(come, open_game):
    """A question of two lines and the words of a choice can both be long."""
    page = come()
    open_game(page, "alhambra", seed=6)
    page.evaluate("document.querySelector('.ask b').textContent = 'Take money, or buy. '.repeat(9)")
    bar = page.locator("#question").bounding_box()
    targets = page.locator("svg [data-action]:not(.away)")
    said = set()
    for number in range(targets.count()):
        targets.nth(number).hover(force=True)
        asked = page.locator("#question .asked")
        for box in boxes(asked.locator("> p")):
            assert bar["y"] <= box["y"]
            assert box["y"] + box["height"] <= bar["y"] + bar["height"]
        said.add(asked.evaluate("asked => asked.classList.contains('long')"))
    assert said == {True, False}
