"""Output for screen readers: names, focus and live regions, each said once."""

from random import Random

import pytest
from playwright.sync_api import expect

from .conftest import PICKING
from .settling import MOVING, settle, settle_at
from .sharing import play_on, uncover

pytestmark = pytest.mark.browser
PLACES = "#board svg [data-action]:not(.away)"
FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName"
SURE = {"pace": "off", "confirm": "always"}  # each move needs a confirmation


@pytest.fixture
def told(come, open_table):
    """Return a function that opens a table of two at which the opponent is to move, and returns its page and path."""

    def telling():
        page = come(preferences={"pace": "step", "confirm": "never"})
        table = open_table(page, seed=3, seat_1="friend")
        page.locator(PLACES).first.click()
        settle_at(page, 1)
        return page, table

    return telling


def spoken(page, name):
    """Whether the bar says the same as the name of the focused element, apart from a dash."""
    return name.replace(": ", " — ", 1) == page.locator("#say").inner_text()


def test_a_place_is_announced_once(come, open_table):
    """A place is announced by its name on focus. The bar says the same, so its live region is off then."""
    page = come()
    open_table(page, seed=3)
    settle(page)
    say = page.locator("#say")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        assert spoken(page, page.evaluate(FOCUSED))
        expect(say).to_have_attribute("aria-live", "off")
    page.keyboard.press("Escape")
    expect(say).to_contain_text("places for it")
    expect(say).to_have_attribute("aria-live", "polite")


def test_a_choice_to_confirm_keeps_the_focus(come, open_table):
    page = come(preferences=SURE)
    open_table(page, seed=3)
    settle(page)
    page.keyboard.press("ArrowRight")
    meant = page.evaluate(FOCUSED)
    page.evaluate("document.querySelector('#table').dataset.confirm = 'final'")  # the site asks, not the page
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).not_to_be_empty()
    settle(page)
    assert page.evaluate(FOCUSED) == meant


@pytest.mark.exhaustive
def test_a_button_to_confirm_keeps_the_focus(come, address):
    page = come(preferences={"pace": "off", "confirm": "final"})
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = page.request.post("/games/caylus/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    button = page.get_by_role("button", name="Pass")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).not_to_be_empty()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_be_hidden()


def test_a_move_of_others_is_announced_as_a_whole(told, tables):
    """Between two moves the page replaces only the words that differ, so the region must be atomic."""
    page, table = told()
    asked = page.locator(".question .asked")
    play_on(tables, table, 1)
    expect(page.locator(".follow .asked")).to_have_attribute("aria-atomic", "true")
    expect(page.locator(".follow .asked")).to_contain_text("A friend:")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#play-it")).to_be_visible()
    settle(page)
    assert asked.get_attribute("aria-atomic") is None  # a choice is read without the question
    expect(asked.locator(".ask")).to_have_attribute("aria-atomic", "true")


@pytest.mark.exhaustive
def test_another_choice_needs_another_confirmation(come, open_table):
    page = come(preferences=SURE)
    open_table(page, seed=3)
    settle(page)
    notice = page.locator("#notice")
    for key in ("ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
        expect(notice).to_be_empty()
        page.evaluate("document.querySelector('#table').dataset.confirm = 'final'")
        page.keyboard.press("Enter")
        expect(notice).not_to_be_empty()
    page.keyboard.press("Enter")
    settle_at(page, 1)


def test_moves_of_others_do_not_move_the_focus(told, tables):
    """The focus does not move during the replay, and returns to the board after it."""
    page, table = told()
    page.keyboard.press("Tab")
    page.locator("#board svg").focus()
    page.evaluate("document.addEventListener('focusin', () => { window.moved = true; })")
    play_on(tables, table, 1)
    expect(page.locator(".follow .asked")).to_contain_text("A friend:")
    assert not page.evaluate("window.moved")
    page.keyboard.press("Escape")
    expect(page.locator("#play-it")).to_be_visible()
    settle(page)
    assert page.evaluate("document.activeElement.matches('#board svg')")


@pytest.mark.exhaustive
def test_escape_leaves_the_focus_at_the_table(come, open_table):
    page = come()
    open_table(page, seed=3)
    settle(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    page.keyboard.press("Escape")
    assert page.evaluate("document.querySelector('#table').contains(document.activeElement)")


@pytest.mark.exhaustive
def test_seats_are_announced_with_their_player_number(come, open_table):
    """The text of pictures refers to players by number."""
    page = come()
    open_table(page, seed=3, seat_1="friend")
    settle(page)
    state = page.locator(".seats").aria_snapshot()
    assert "You Guest (player 1) to move" in state
    assert "A friend (player 2)" in state


@pytest.mark.exhaustive
def test_a_scoring_is_a_dialog_without_a_banner(come, open_table, guide_orchard):
    guide_orchard(scoring=lambda *_: PICKING)
    page = come(preferences={"pace": "slow", "confirm": "never"})
    open_table(page, seed=3)
    page.locator(PLACES).first.click()
    sheet = page.locator("#scoring")
    expect(sheet).to_be_visible()
    page.wait_for_function(MOVING)
    state = sheet.aria_snapshot()
    assert state.startswith('- dialog "')
    assert "banner" not in state


def test_pieces_are_announced_by_name(come, address):
    """Bare numbers on the pieces are not announced."""
    page = come()
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    for game, pane, said in (("alpujarras", "Market", "Delivery card:"), ("oregon", "Tiles left", "4 tiles left")):
        answer = page.request.post(f"/games/{game}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        settle(page)
        heard = page.locator(f".pane[aria-label^='{pane}']").aria_snapshot()
        assert said in heard
        assert "- text:" not in heard


@pytest.mark.exhaustive
def test_equal_cards_are_numbered_for_screen_readers(come, open_table):
    page = come()
    open_table(page, seed=3)
    found = "performance.getEntriesByType('resource').find(({ name }) => name.includes('/table-view'))"
    said = page.evaluate(f"async () => (await import({found}.name)).numberDuplicates(['fire', 'bison', 'fire'])")
    assert said == ["fire, first of two", "bison", "fire, second of two"]


@pytest.mark.exhaustive
def test_the_only_button_of_the_bar_gets_the_focus(come, address):
    page = come(preferences={"pace": "off", "confirm": "final"})
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = page.request.post("/games/alhambra/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    settle(page)
    page.locator("svg [aria-label^='Take']").first.focus()
    page.keyboard.press("Enter")
    end = page.get_by_role("button", name="End the turn")
    expect(end).to_be_focused()


@pytest.mark.exhaustive
def test_labels_of_places_name_players_who_gain(come, address, tables):
    """In Caylus the builder of a building gains by each worker of others there."""
    page = come()
    form = {"seat-0": "me", "seat-1": "here", "seed": "7"}
    answer = page.request.post("/games/caylus/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table, rng = answer.headers["location"], Random(1)
    for _ in range(60):
        uncover(page, tables, address, table)
        if " gets +" in page.request.get(table).text():
            break
        play_on(tables, table, 5, choose=rng.choice)
    page.goto(table)
    settle(page)
    found = page.locator("svg [data-action]:not(.away)[aria-label*=' gets +']").all()
    assert found, "no place brings anything to others"
    for place in found:
        assert "seat " not in place.get_attribute("aria-label")
        assert place.locator("title").text_content() in place.get_attribute("aria-label")
