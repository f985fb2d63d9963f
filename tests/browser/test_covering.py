"""Notices, proposals and the chat cover no choice, and the log stays readable."""

import pytest
from playwright.sync_api import expect

from tools.builtin_games import builtin_games

from .settling import STILL, resize, rest, settle
from .sharing import play_for_others, play_on
from .test_hint import COVERED, SMOKE, lies_within
from .test_play import await_version, version

pytestmark = pytest.mark.browser

WINDOWS = [(1280, 800), (768, 1024), (360, 740)]
GAMES = [
    pytest.param(meta.name, marks=[pytest.mark.exhaustive] if meta.name != SMOKE else []) for meta in builtin_games()
]
LONG = "The site cannot be reached. Your move may or may not have been played; checking…"
ASKING = {"pace": "off", "confirm": "final"}
UNDER_CHAT = """() => {
    const [log, chat] = [".pane.log", "#chat"].map((name) => document.querySelector(name).getBoundingClientRect());
    const across = Math.min(log.right, chat.right) - Math.max(log.left, chat.left);
    return Math.max(0, across) * Math.max(0, Math.min(log.bottom, chat.bottom) - Math.max(log.top, chat.top));
}"""


def sit_by_two(page, address, tables, name):
    """Open a table with an open second seat, play some actions, open its page, and return its path."""
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    play_on(tables, table, 8, choose=lambda legal: legal[len(legal) // 2])
    play_for_others(tables, table)
    page.goto(table)
    settle(page)
    return table


@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("name", GAMES)
def test_notices_are_in_the_bar_and_move_no_board(come, address, tables, name, width, height):
    page = come(width, height, **STILL)
    sit_by_two(page, address, tables, name)
    board = page.locator("#board").bounding_box()
    page.locator("#notice").evaluate("(notice, words) => { notice.textContent = words; }", LONG)
    rest(page)
    assert page.locator("#board").bounding_box() == board
    assert page.evaluate(COVERED, "#notice") == []
    assert lies_within(page, "#notice", ".dock")
    assert page.locator("#notice").evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    asked = page.locator(".question .ask").bounding_box()
    said = page.locator("#notice").bounding_box()
    assert said["y"] + said["height"] <= asked["y"] + 1, "the question is read below"


def test_a_confirmation_is_shown_while_its_choice_is_selected(come, open_game):
    page = come(**STILL, preferences=ASKING)
    open_game(page, "caylus")
    seen = version(page)
    places = page.locator("#board svg [data-action]:not(.away)")
    places.nth(0).click()
    notice = page.locator("#notice")
    expect(notice).to_contain_text("This cannot be undone.")
    assert lies_within(page, "#notice", "#question")
    assert all(lies_within(page, words, "#question") for words in (".ask", "#say")), "all three are read"
    assert page.locator(".ask").bounding_box()["y"] >= notice.bounding_box()["y"] + notice.bounding_box()["height"] - 1
    settle(page)
    places.nth(1).hover()
    expect(notice).to_be_hidden()
    places.nth(1).click()
    expect(notice).to_be_visible()
    settle(page)
    assert version(page) == seen
    places.nth(1).click()
    await_version(page, seen + 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("name", GAMES)
def test_a_proposal_covers_no_choice(come, address, tables, name, width, height):
    page, other = come(width, height, **STILL), come(**STILL)
    table = sit_by_two(page, address, tables, name)
    other.goto(page.locator(".invite input").first.input_value())
    other.get_by_role("button", name="Sit down").click()
    expect(other.locator("#table")).to_be_visible()
    form = {"seat": "1", "what": "end"}
    assert other.request.post(f"{table}/propose", form=form, headers={"Origin": address}).ok
    expect(page.locator("#proposal")).to_be_visible()
    settle(page)
    assert page.evaluate(COVERED, "#proposal") == []
    asked = page.locator("#proposal").bounding_box()
    assert asked["y"] + asked["height"] <= page.locator(".dock").bounding_box()["y"] or width >= 1280
    page.get_by_role("button", name="Decline").click()
    expect(page.locator("#proposal")).to_have_count(0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GAMES)
def test_the_chat_does_not_cover_the_log(come, address, tables, name):
    page = come(**STILL)
    sit_by_two(page, address, tables, name)
    page.locator("#chat-link").click()
    expect(page.locator("#chat")).to_be_visible()
    rest(page)
    assert page.evaluate(UNDER_CHAT) == 0
    assert page.evaluate(COVERED, "#chat") == []
    assert page.locator("#chat").evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    resize(page, 1600, 900)
    assert page.evaluate(UNDER_CHAT) == 0


# Draw a flying copy over each choice, and return the number of copies that would take a click.
FLYING = """() => {
    const lit = [...document.querySelectorAll("#table svg [data-action]:not(.away)")];
    return lit.filter((one) => one.checkVisibility()).filter((one) => {
        const sky = one.ownerSVGElement.cloneNode(false);
        sky.setAttribute("class", `flight ${sky.getAttribute("class")}`);
        for (const name of ["id", "viewBox", "style"]) sky.removeAttribute(name);
        const place = sky.appendChild(document.createElementNS(sky.namespaceURI, "g"));
        const { a, b, c, d, e, f } = one.parentNode.getScreenCTM();
        place.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
        place.append(one.cloneNode(true));
        document.body.append(sky);
        const { x, y, width, height } = one.getBoundingClientRect();
        const takes = sky.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        sky.remove();
        return takes;
    }).length;
}"""


@pytest.mark.parametrize("name", GAMES)
def test_animated_pieces_do_not_block_clicks(come, address, tables, name):
    page = come(**STILL)
    sit_by_two(page, address, tables, name)
    assert page.locator("#table svg [data-action]:not(.away)").count()
    assert page.evaluate(FLYING) == 0
