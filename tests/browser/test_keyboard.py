"""Meeting and playing with the keyboard: the focus after each action, and the announcements."""

import re
from concurrent.futures import Future

import pytest
from playwright.sync_api import expect

from almunia.server.app import create_app
from almunia.server.settings import Settings

from ..serving import answering, free_port
from .settling import settle
from .test_access import violations
from .test_meeting import at_lobby, opened_chat, resigned
from .test_people import pair
from .test_play import PLACES, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("close_offers")]
exhaustive = pytest.mark.exhaustive


def pressed(page, *elements):
    """Move the focus to each of these elements with Tab, and press Enter, when the page has settled."""
    for element in elements:
        settle(page)
        tab_to(page, element)
        page.keyboard.press("Enter")


def own_seat(page):
    return page.get_by_role("button", name="Your seat", exact=True)


def opened(page, name):
    """Return a button in the open menu of a seat."""
    return page.locator(".relief:popover-open").get_by_role("button", name=name)


def offered(ana, bea, address, *games):
    """Offer these games of Ana in the lobby, and wait until Bea's lobby page lists them."""
    bea.goto("/lobby")
    for game in games:
        form = {"seat-0": "me", "seat-1": "friend", "offered": "1"}
        ana.request.post(f"/games/{game}/tables", form=form, headers={"Origin": address})
    expect(bea.locator(".offer")).to_have_count(len(games))
    settle(bea)


def taken(come, address, title):
    """Let a third guest join the open game with this title."""
    cem = at_lobby(come, address, "Cem")
    cem.get_by_role("button", name=f"Sit down at {title}").click()
    expect(cem).to_have_url(re.compile("/table/"))


def after_oregon_was_taken(come, address, title):
    """Offer Oregon and Orchard, focus Bea's button of one of them, and let a third guest join Oregon.

    Return Bea's page.
    """
    ana, bea = at_lobby(come, address, "Ana"), at_lobby(come, address, "Bea")
    offered(ana, bea, address, "oregon", "orchard")
    tab_to(bea, bea.get_by_role("button", name=f"Sit down at {title}"))
    taken(come, address, "Oregon")
    expect(bea.locator(".offer")).to_have_count(1)
    return bea


@exhaustive
def test_the_focus_stays_on_its_game_when_the_lobby_changes(come, address):
    bea = after_oregon_was_taken(come, address, "Orchard")
    expect(bea.get_by_role("button", name="Sit down at Orchard")).to_be_focused()


@exhaustive
def test_the_focus_stays_in_the_lobby_when_its_game_is_taken(come, address):
    bea = after_oregon_was_taken(come, address, "Oregon")
    expect(bea.locator("#open-heading")).to_be_focused()
    tab_to(bea, bea.get_by_role("button", name="Sit down at Orchard"))


@exhaustive
def test_the_lobby_announces_changes(come, address):
    ana, bea = at_lobby(come, address, "Ana"), at_lobby(come, address, "Bea")
    offered(ana, bea, address, "oregon")
    expect(bea.locator("#open-said")).to_have_text("New open game: Oregon")
    taken(come, address, "Oregon")
    expect(bea.locator("#open-said")).to_have_text("No longer open: Oregon")
    assert violations(bea) == []


@exhaustive
def test_the_focus_stays_on_the_page_when_an_invitation_ends(come, open_table):
    ana, bea = resigned(come, open_table)
    bea.goto("/")
    other = bea.context.new_page()
    other.goto("/")
    ana.get_by_role("button", name="New game with the same players").click()
    expect(bea.locator(".invited")).to_have_count(1)
    tab_to(bea, bea.get_by_role("button", name="Decline"))
    other.get_by_role("button", name="Decline").click()
    expect(bea.locator(".invited")).to_have_count(0)
    expect(bea.locator("main")).to_be_focused()


def test_seat_options_return_the_focus(come, open_table):
    """Each action loads the page again, but the focus stays."""
    ana = come()
    open_table(ana, seed=3, seat_1="friend")
    menu = ana.get_by_role("button", name="Seat options")
    pressed(ana, menu)
    tab_to(ana, ana.get_by_label("This seat is for"))
    ana.keyboard.type("Bea")
    ana.keyboard.press("Enter")
    expect(ana.locator(".invite")).to_contain_text("Send this link to Bea")
    expect(menu).to_be_focused()
    tab_to(ana, ana.get_by_role("button", name="Copy the link"), "Shift+Tab")
    pressed(ana, menu, opened(ana, "Easy bot"))
    expect(ana.locator("#log")).to_contain_text("Easy bot")
    expect(ana.locator("body")).not_to_be_focused()


@exhaustive
def test_seat_options_on_a_phone_return_the_focus(come, open_table):
    """On a phone the seats are behind a tab, which the page opens for the focus."""
    _, bea = pair(come, open_table)
    bea.locator("#tab-others").focus()
    bea.keyboard.press(" ")
    pressed(bea, own_seat(bea), opened(bea, "Easy bot"))
    expect(bea.locator("#log")).to_contain_text("is replaced by")
    expect(own_seat(bea)).to_be_focused()


@exhaustive
def test_proposals_keep_the_focus(come, open_table):
    ana, bea = pair(come, open_table)
    pressed(ana, own_seat(ana), opened(ana, "Ask the others to end the game"))
    expect(ana.locator("#proposal")).to_be_focused()
    expect(bea.locator("#people-said")).to_have_text(re.compile("asks to end the game now"))
    pressed(bea, bea.get_by_role("button", name="Decline"))
    expect(bea.locator("#proposal")).to_have_count(0)
    expect(bea.locator("body")).not_to_be_focused()
    expect(ana.locator("#people-said")).to_have_text(re.compile("Bea declines"))
    expect(ana.locator("body")).not_to_be_focused()
    pressed(ana, own_seat(ana), ana.locator(".relief summary", has_text="Resign"), opened(ana, "Resign"))
    expect(ana.locator(".finale h2")).to_be_focused()


@exhaustive
def test_a_mouse_click_moves_no_focus(come, open_table):
    """After a click no element is focused, and no focus ring is shown."""
    ana = come()
    open_table(ana, seed=3, seat_1="bot-easy")
    ana.get_by_role("button", name="Your seat").click()
    opened(ana, "Easy bot").click()
    expect(ana.locator("#log")).to_contain_text("is replaced by")
    expect(ana.locator("body")).to_be_focused()


@exhaustive
def test_a_menu_that_changes_keeps_the_focus(come, open_table):
    """The focused button disappears. The focus stays in the menu, and Escape closes the menu."""
    ana, bea = pair(come, open_table)
    pressed(ana, own_seat(ana))
    tab_to(ana, opened(ana, "Ask the others to end the game"))
    bea.locator("#tab-others").focus()
    bea.keyboard.press(" ")
    pressed(bea, own_seat(bea), opened(bea, "Ask the others to end the game"))
    expect(ana.locator("#proposal")).to_contain_text("Bea asks")
    expect(opened(ana, "Beginner bot")).to_be_focused()
    ana.keyboard.press("Escape")
    expect(own_seat(ana)).to_be_focused()


@exhaustive
def test_a_takeback_is_described_for_both_players(come, open_table):
    ana, bea = pair(come, open_table)
    ana.locator(PLACES).first.click()
    expect(bea).to_have_title(re.compile("Your turn"))
    pressed(ana, own_seat(ana), opened(ana, "Ask to take back"))
    expect(ana.locator("#proposal p")).to_contain_text("You ask to take back your last move. Waiting")
    expect(bea.locator("#proposal p")).to_contain_text("Guest asks to take back their last move.")


@exhaustive
def test_muting_is_announced(come, open_table):
    ana, bea = pair(come, open_table)
    opened_chat(bea).get_by_role("button", name="Good luck").click()
    pressed(ana, ana.locator("#chat-link[role=button]"))
    expect(ana.locator("#said li[data-number]")).to_have_count(1)
    tab_to(ana, ana.get_by_label("Options for the message by Bea"), "Shift+Tab")
    ana.keyboard.press("Enter")
    pressed(ana, ana.get_by_role("button", name="Mute Bea"))
    expect(ana.locator("#chat-said")).to_have_text("1 person muted")
    expect(ana.get_by_label("Message", exact=True)).to_be_focused()
    tab_to(ana, ana.locator(".muted summary"), "Shift+Tab")
    ana.keyboard.press("Enter")
    pressed(ana, ana.get_by_role("button", name="Unmute Bea"))
    expect(ana.locator("#chat-said")).to_have_text("No players are muted")


@exhaustive
def test_a_copied_link_is_announced(come, open_table):
    ana = come()
    ana.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_table(ana, seed=3, seat_1="friend")
    copy = ana.get_by_role("button", name="Copy the link")
    pressed(ana, copy)
    expect(ana.locator("#copied")).to_have_text("Copied")
    assert ana.evaluate("navigator.clipboard.readText()") == ana.locator(".invite input").input_value()


@exhaustive
def test_a_sent_invitation_is_announced_and_the_notice_stays(come, watched, tmp_path):
    """The stream that opens after the page has loaded must not remove the notice."""
    port, sent = free_port(), Future()
    sent.set_result(None)
    watched.address = address = f"http://127.0.0.1:{port}"
    mail = {"smtp": "smtp://mail.example.org", "mail_from": "games@play.example.org", "address": address}
    app = create_app(Settings(data=tmp_path, compiled=False, **mail))
    app.state.site.mailer.send = lambda *_: sent
    with answering(app, port):
        ana = come(base_url=address)
        invite_by_mail(ana, address)
        ana.close()  # before its site stops, which the page would report as an error


def invite_by_mail(ana, address):
    """Send the link to a seat by mail with the keyboard, and check the notice."""
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = ana.request.post("/games/orchard/tables", form=form, headers={"Origin": address}, max_redirects=0)
    ana.goto(answer.headers["location"])
    pressed(ana, ana.get_by_role("button", name="Seat options"))
    tab_to(ana, ana.get_by_label("Email the link to"))
    ana.keyboard.type("bea@example.org")
    with ana.expect_navigation():
        ana.keyboard.press("Enter")
    settle(ana)  # the stream is open, and has sent an event
    expect(ana.locator("#notice")).to_have_text("The invitation to bea@example.org has been sent.")
    expect(ana.get_by_role("button", name="Seat options")).to_be_focused()


@exhaustive
def test_an_enlarged_board_is_closed_by_keys(come, open_table):
    ana, _ = pair(come, open_table)
    larger = ana.get_by_role("button", name="Enlarge the board of Bea")
    for key in ("Enter", "Escape"):
        pressed(ana, larger)
        expect(ana.locator("#closer button")).to_be_focused()
        ana.keyboard.press(key)
        expect(ana.locator("#closer")).to_be_hidden()
        expect(larger).to_be_focused()
        ana.keyboard.press("Shift+Tab")


@exhaustive
def test_escape_leaves_a_sheet_from_within(come, open_table):
    page = come()
    open_table(page, seed=3)
    icons = page.get_by_role("button", name="Icons")
    pressed(page, icons)
    tab_to(page, page.locator("#aside-icons button"))
    page.keyboard.press("Escape")
    expect(page.locator("#aside-icons")).to_be_hidden()
    expect(icons).to_be_focused()


@exhaustive
def test_the_focus_moves_to_the_tokens_after_revoking_one(come):
    page = come()
    page.goto("/api-tokens")
    for name in ("Robot", "Second"):
        tab_to(page, page.get_by_label("Name of the program"))
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(page.locator("#made")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Revoke Robot"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your tokens")).to_be_focused()
    expect(page.get_by_role("button", name="Revoke Robot")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Revoke Second")).to_be_focused()
