"""Players who meet in the lobby, in a chat and in rematches: by mouse, by keyboard and by touch."""

import re

import pytest
from playwright.sync_api import expect

from .settling import await_true, hold, settle
from .test_access import violations
from .test_people import menu, pair

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("close_offers")]
exhaustive = pytest.mark.exhaustive

PLACES_IN_CHAT = 30  # more than the number of elements that can have the focus
PHONE = {"width": 360, "height": 740, "has_touch": True}
FETCH = """() => { // what the page shows is another thing than what the answer brings
    const table = document.querySelector("#table");
    table.dataset.mark = "";
    window.htmx.ajax("GET", table.dataset.table, { target: "#table", swap: "morph:outerHTML", source: "#table" });
}"""


def at_lobby(come, address, name, *size, **settings):
    """Return the lobby page of a new guest with this name."""
    page = come(*size, **settings)
    page.request.post("/preferences", form={"name": name}, headers={"Origin": address})
    page.goto("/lobby")
    return page


def opened_chat(page):
    """Open the chat of a page with its link, and return it."""
    page.locator("#chat-link[role=button]").click()
    expect(page.locator("#chat")).to_be_visible()
    return page.locator("#chat")


def test_two_players_meet_in_the_lobby(come, address):
    ana, bea = at_lobby(come, address, "Ana"), at_lobby(come, address, "Bea", **PHONE)
    ana.request.post("/profile", form={"lobby": "1"}, headers={"Origin": address})
    ana.get_by_label("Game", exact=True).select_option("oregon")
    ana.get_by_role("button", name="Play", exact=True).click()
    expect(ana).to_have_url(re.compile("/table/"))
    offer = bea.locator(".offer")
    expect(offer).to_contain_text("Oregon")  # without a reload
    expect(offer).to_contain_text("Ana new to this game")
    expect(offer).to_contain_text("15 min + 20 s")
    assert violations(bea) == []
    offer.get_by_role("button", name="Sit down at Oregon with Ana").click()
    expect(bea).to_have_url(ana.url)
    expect(ana.locator("#log")).to_contain_text("Bea sits down")


@exhaustive
def test_a_full_or_closed_table_is_removed_from_the_lobby(come, address):
    ana, bea, cem = (at_lobby(come, address, name) for name in ("Ana", "Bea", "Cem"))
    ana.get_by_role("button", name="Play", exact=True).click()
    for page in (bea, cem):
        expect(page.locator(".offer")).to_have_count(1)
    bea.get_by_role("button", name="Sit down").click()
    expect(bea).to_have_url(re.compile("/table/"))
    expect(cem.locator(".offer")).to_have_count(0)
    expect(cem.locator("#open")).to_contain_text("There are no open games")


@exhaustive
def test_an_update_of_the_lobby_keeps_message_and_focus(come, address):
    """An update of the lobby keeps the text of a message and the focus."""
    ana, bea = at_lobby(come, address, "Ana"), at_lobby(come, address, "Bea")
    words = bea.get_by_label("Message", exact=True)
    words.fill("Anybody for")
    ana.get_by_role("button", name="Play", exact=True).click()
    expect(bea.locator(".offer")).to_have_count(1)
    expect(words).to_be_focused()
    expect(words).to_have_value("Anybody for")


def test_the_lobby_talks(come, address):
    ana, bea = at_lobby(come, address, "Ana"), at_lobby(come, address, "Bea", **PHONE)
    ana.get_by_label("Message", exact=True).fill("Anybody for <b>Caylus</b>?")
    ana.keyboard.press("Enter")
    expect(ana.get_by_label("Message", exact=True)).to_have_value("")
    badge = bea.locator("#chat-link .unread")
    expect(badge).to_contain_text(re.compile("[1-9]"))
    expect(bea.locator("#chat-said")).to_contain_text("Ana: Anybody for <b>Caylus</b>?")
    chat = opened_chat(bea)
    expect(chat).to_contain_text("Anybody for <b>Caylus</b>?")
    expect(badge).to_have_count(0)
    assert violations(ana) == violations(bea) == []
    bea.reload()
    settle(bea)  # the scripts have counted the unread messages
    expect(badge).to_have_count(0)


@exhaustive
def test_players_chat_while_they_play(come, open_table):
    ana, bea = pair(come, open_table)
    settle(ana)  # the page does not change by itself from now on
    ana.locator("#board svg [data-action]:not(.away)").first.hover()
    ana.wait_for_selector("#board .ghost")
    opened_chat(bea).get_by_role("button", name="Good luck").click()
    badge = ana.locator("#chat-link .unread")
    expect(badge).to_contain_text("1")
    expect(ana.locator("#chat-said")).to_have_text("Bea: Good luck")
    assert ana.locator("#board .ghost").count(), "what is being looked at stays"
    chat = opened_chat(ana)
    expect(ana.get_by_label("Message", exact=True)).to_be_focused()
    expect(badge).to_have_count(0)
    ana.keyboard.type("u1?h Thanks!")  # keys with a function at the board
    ana.keyboard.press("Enter")
    expect(bea.locator("#said")).to_contain_text("u1?h Thanks!")
    assert violations(ana) == violations(bea) == []
    ana.locator("#board svg [data-action]:not(.away)").first.click()
    expect(ana.locator(".question.yours")).to_have_count(0)
    expect(chat).to_be_visible()  # stays open during the game
    settle(bea)
    box = bea.locator("#chat").bounding_box()
    assert (box["x"], box["width"]) == (0, 360)
    assert box["y"] + box["height"] == pytest.approx(740, abs=1)
    assert bea.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_chat_by_keys(come, open_table):
    ana, bea = pair(come, open_table)
    ana.locator("#chat-link[role=button]").focus()
    ana.keyboard.press("Enter")
    expect(ana.get_by_label("Message", exact=True)).to_be_focused()
    ana.keyboard.type("Hello")
    ana.keyboard.press("Enter")
    expect(bea.locator("#said li")).to_have_count(1)
    ana.keyboard.press("Escape")
    expect(ana.locator("#chat")).to_be_hidden()
    expect(ana.locator("#chat-link")).to_be_focused()
    ana.keyboard.press(" ")
    expect(ana.locator("#chat")).to_be_visible()


def test_the_focus_does_not_move_behind_the_chat_on_a_phone(come, open_table):
    ana = come(**PHONE)
    open_table(ana, seat_1="friend")
    ana.locator("#chat-link[role=button]").focus()
    ana.keyboard.press("Enter")
    expect(ana.get_by_label("Message", exact=True)).to_be_focused()
    held = "document.querySelector('#chat').contains(document.activeElement)"
    for _ in range(PLACES_IN_CHAT):
        ana.keyboard.press("Shift+Tab")
        if not ana.evaluate(held):
            break
    expect(ana.locator("#chat")).to_be_hidden()
    assert ana.evaluate("!document.activeElement.matches('body, #chat-link')")  # the focus stays on the next element


def test_a_refused_message_shows_its_error(come, open_table, watched):
    watched.expected = ("422",)
    ana, _ = pair(come, open_table)
    chat = opened_chat(ana)
    ana.get_by_role("button", name="Send").click()
    expect(chat.locator("#chat-wrong")).to_have_text("Write something first.")
    ana.get_by_label("Message", exact=True).fill("Hello")
    ana.keyboard.press("Enter")
    expect(chat.locator("#chat-wrong")).to_have_text("")
    expect(chat.locator("#said li")).to_have_count(1)


@exhaustive
def test_muting_and_reporting(come, open_table, running):
    ana, bea = pair(come, open_table)
    opened_chat(bea)
    for words in ("Grr", "Grr!"):
        bea.get_by_label("Message", exact=True).fill(words)
        bea.keyboard.press("Enter")
        expect(bea.locator("#said")).to_contain_text(words)
    chat = opened_chat(ana)
    expect(chat.locator("#said li")).to_have_count(2)
    chat.get_by_label("Options for the message by Bea").last.click()
    assert violations(ana) == []
    chat.get_by_role("button", name="Report this").click()
    expect(chat.locator("#chat-wrong")).to_contain_text("Thank you")
    sign = chat.locator("#chat-wrong").evaluate("line => getComputedStyle(line, '::before').content")
    assert sign == "none", "nothing is wrong"
    expect(chat.locator(".about[open]")).to_have_count(0)
    with running[0].chat._engine.connect() as db:
        assert "Grr!" in [row.text for row in db.exec_driver_sql("SELECT text FROM report")]
    chat.get_by_label("Options for the message by Bea").last.click()
    chat.get_by_role("button", name="Mute Bea").last.click()
    expect(chat.locator("#said li[data-number]")).to_have_count(0)
    bea.get_by_label("Message", exact=True).fill("Still there?")
    bea.keyboard.press("Enter")
    expect(bea.locator("#said li")).to_have_count(3)
    ana.get_by_label("Message", exact=True).fill("Nobody is there")
    ana.keyboard.press("Enter")
    expect(chat.locator("#said li[data-number]")).to_have_text([re.compile("Nobody is there")])  # from Ana
    chat.get_by_text("1 person muted").click()
    chat.get_by_role("button", name="Unmute Bea").click()
    expect(chat.locator("#said li[data-number]")).to_have_count(4)


def told(page):
    """Return a list to which the names of the page's stream events are added."""
    events = []
    session = page.context.new_cdp_session(page)
    session.on("Network.eventSourceMessageReceived", lambda event: events.append(event["eventName"]))
    session.send("Network.enable")
    return events


def resigned(come, open_table):
    """Return the pages of two players after the second one has resigned."""
    ana, bea = pair(come, open_table)
    found = menu(bea)
    found.get_by_text("Resign", exact=True).first.click()
    found.get_by_role("button", name="Resign").click()
    for page in (ana, bea):
        expect(page.locator(".finale")).to_be_visible()
    return ana, bea


@exhaustive
def test_players_accept_a_rematch_without_a_reload(come, open_table):
    ana, bea = resigned(come, open_table)
    ana.get_by_role("button", name="New game with the same players").click()
    expect(ana.locator(".finale")).to_have_count(0)
    asked = bea.locator(".again-asked")  # without a reload
    expect(asked).to_contain_text("wants to play again with you")
    assert violations(bea) == []
    other = bea.context.new_page()
    other.goto("/")
    expect(other.locator(".invited")).to_contain_text("wants to play Orchard again with you")
    assert violations(other) == []
    asked.get_by_role("button", name="Sit down").click()
    expect(bea).to_have_url(ana.url)
    expect(ana.locator("#log")).to_contain_text("Bea sits down")


@exhaustive
def test_a_rematch_is_shown_after_an_older_response(come, open_table):
    """The response in progress is older than the event of the stream."""
    ana, bea = resigned(come, open_table)
    events = told(bea)
    asked = hold(bea, bea.url)  # "**/table/*" is also in the address of the invitations
    bea.evaluate(FETCH)
    route = asked()
    answer = route.fetch()
    ana.get_by_role("button", name="New game with the same players").click()
    expect(ana.locator(".finale")).to_have_count(0)
    await_true(bea, lambda: "again" in events, "the stream has not told of the new game")
    route.fulfill(response=answer)
    asked().continue_()
    expect(bea.locator(".again-asked")).to_contain_text("wants to play again with you")


@exhaustive
def test_an_invitation_appears_on_open_pages(come, open_table):
    ana, bea = resigned(come, open_table)
    bea.goto("/")
    expect(bea.locator("#invited")).to_be_attached()
    expect(bea.locator(".invited")).to_have_count(0)
    other = bea.context.new_page()
    other.goto("/my/games")
    ana.get_by_role("button", name="New game with the same players").click()
    for page in (bea, other):  # without a reload
        expect(page.locator(".invited")).to_contain_text("wants to play Orchard again with you")
        assert violations(page) == []
    bea.get_by_role("button", name="Decline").click()
    expect(other.locator(".invited")).to_have_count(0)


@exhaustive
def test_going_back_to_the_lobby_shows_the_whole_page(come, address):
    """The browser must not show the cached part of the page that a script has fetched."""
    ana, bea = at_lobby(come, address, "Ana"), at_lobby(come, address, "Bea")
    ana.get_by_role("button", name="Play", exact=True).click()
    expect(bea.locator(".offer")).to_have_count(1)
    bea.goto("/preferences")
    bea.go_back()
    expect(bea.get_by_role("heading", name="Lobby", exact=True)).to_be_visible()


@exhaustive
def test_the_host_sets_who_can_join_and_watch(come, open_table, address):
    ana, bea = come(), at_lobby(come, address, "Bea")
    open_table(ana, seed=3, seat_1="friend")
    ana.get_by_role("button", name="Seat options").click()
    ana.get_by_label("This seat is for").fill("Cem")
    ana.keyboard.press("Enter")
    expect(ana.locator(".invite").first).to_contain_text("Send this link to Cem")
    assert violations(ana) == []
    found = menu(ana)
    found.get_by_text("Who can join or watch").click()
    found.get_by_label("Anyone in the lobby can take the free seats").check()
    assert violations(ana) == []
    found.get_by_role("button", name="Save").click()
    link = menu(ana)
    link.get_by_text("Who can join or watch").click()
    expect(link.locator("#watch-link")).to_have_value(re.compile("/table/"))
    watcher = come()
    watcher.request.post("/lobby/play", form={"game": "oregon", "clock": "live-15"}, headers={"Origin": address})
    expect(bea.locator(".offer")).to_contain_text(["Oregon"])  # only one: the other open seat is reserved
    watcher.goto(link.locator("#watch-link").input_value())
    expect(watcher.locator("#question")).to_contain_text("You are watching")


@exhaustive
def test_the_chat_works_without_scripts(come, open_table):
    ana, bea = pair(come, open_table)
    page = come(java_script_enabled=False, storage_state=ana.context.storage_state())
    page.goto(ana.url)
    page.locator("#chat-link").click()
    page.get_by_label("Message", exact=True).fill("Hello")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#said")).to_contain_text("Hello")
    expect(bea.locator("#chat-link .unread")).to_contain_text("1")
    page.goto("/lobby")
    page.get_by_role("link", name="Chat").last.click()
    page.get_by_label("Message", exact=True).fill("Anybody?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#said")).to_contain_text("Anybody?")
