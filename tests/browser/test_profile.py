"""Filled pages about players: profile, leaderboard, daily deals, and My games."""

from datetime import UTC, datetime
from functools import partial

import pytest
from playwright.sync_api import expect
from sqlalchemy import insert, select

from almunia.core.english import pluralize
from almunia.server.auth import accounts
from almunia.server.daily import service
from almunia.server.ratings.ratings import Rating
from almunia.server.storage import schema
from almunia.server.tables.model import PERSON, Seat
from almunia.server.users.visitors import DEFAULT_PREFERENCES, Visitor

from ..clock import ManualClock
from .sharing import GAME, play_on
from .test_access import violations

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive

OTHERS = ("Ann", "Benedikt Ibn al-Khatib of Granada", "Zoë")
MAIL, PASSWORD = "ana@example.org", "five small olive trees"
SIZES = ((1280, 800), (360, 740))
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)  # no daily deal ends during the test
LONG_AGO = NOON.timestamp() - 30 * 86_400  # when the accounts were created, so that their attempts are rated


@pytest.fixture(scope="module")
def new_clock():
    return partial(ManualClock, NOON.timestamp())


def play_out(site, table):
    """Play first actions until the game is over."""
    play_on(site.tables, table, GAME)
    assert site.tables.get(table).table.finished


def sign_in(site, page, address, guest):
    """Create an account for a guest, and sign in."""
    kept = site.accounts.passwords.hash(PASSWORD)
    with site.tables.store.engine.begin() as db:
        accounts.create_account(db, guest, "Guest", {}, MAIL, kept, now=LONG_AGO)
    given = {"mail": MAIL, "password": PASSWORD}
    assert page.request.post("/account/sign-in", form=given, headers={"Origin": address}).ok


NO_NEWCOMER = {
    "kind": PERSON,
    "game": "oregon",
    "seats": 2,
    "number": 1,
    "finished_at": 0.0,
    "weight": 1.0,
    **dict.fromkeys(("counts_in_stats", "played_to_end", "gave_up_early", "is_newcomer"), False),
}  # a rated game, so that leaderboards list its player


def fill(site, guest):
    """Create rated games, leaderboard entries, a note and finished attempts at a daily deal, and return the deal."""
    deal = service.current_deal("orchard", site.clock.now())
    people = [Seat(PERSON, name.lower().split()[0], name) for name in OTHERS]
    me = Seat(PERSON, guest, "Guest")
    with site.tables.store.engine.begin() as db:
        for seat in people:
            accounts.create_account(db, seat.player, seat.name, {}, now=LONG_AGO)
    for seats in ((me, people[0]), (people[1], me), (me, *people)):
        play_out(site, site.tables.create("orchard", seats, guest).id)
    played = site.tables.create("orchard", (me, people[1]), guest)
    site.game_lists.save_note(guest, played.id, "Mind the pear tree.\nAsk for a rematch.")
    engine = site.tables.store._engine
    for number, seat in enumerate(people):
        site.profiles.set_visibility(
            Visitor(seat.player, seat.name, **DEFAULT_PREFERENCES), {"page": number < 2, "boards": True, "daily": True}
        )
        rating = Rating(30.0 - number, 2.0 + number)
        row = {"guest": seat.player, "game": "oregon", "games": 8, "ordinal": rating.ordinal}
        with engine.begin() as db:
            db.execute(insert(schema.rating), {**row, "mu": rating.mu, "sigma": rating.sigma})
            db.execute(
                insert(schema.result), {"seat": 2 + number, "player": seat.player, **NO_NEWCOMER, "table": played.id}
            )
        play_out(site, site.daily_deals.start_attempt(deal, Visitor(seat.player, seat.name, **DEFAULT_PREFERENCES)))
    play_out(site, site.daily_deals.start_attempt(deal, Visitor(guest, "Guest", **DEFAULT_PREFERENCES)))
    site.daily_deals._run_bots(deal)
    return deal


@exhaustive
def test_pages_of_people_are_whole_wherever_they_are_read(come, running):
    """At each width and in each colour scheme, axe finds nothing and the page does not scroll sideways."""
    site, _ = running
    page = come()
    page.request.post("/profile", form={"page": "1", "boards": "1"}, headers={"Origin": running[1]})
    page.goto("/profile")
    handle = page.locator("a[href^='/players/']").first.get_attribute("href").rpartition("/")[2]
    with site.tables.store._engine.connect() as db:
        guest = db.execute(select(schema.profile.c.guest).where(schema.profile.c.handle == handle)).scalar_one()
    sign_in(site, page, running[1], guest)
    deal = fill(site, guest)
    places = {
        "/profile": "1500",
        f"/players/{handle}": "Ratings",
        "/games/oregon/leaderboard": "Benedikt",
        "/daily": pluralize(1, "day") + " in a row",
        f"/daily/{deal.name}": "Medium bot",
        "/my/games": "Mind the pear tree",
        "/my/games?state=over&outcome=lost": "game",
        "/": "Your turn",
    }
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            for address, words in places.items():
                page.goto(address)
                assert words in page.content(), address
                assert violations(page) == [], (address, width, scheme)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)


def test_a_note_is_written_by_keyboard_and_without_scripts(come, open_table):
    page = come(java_script_enabled=False)
    open_table(page, seat_1="friend")
    page.goto("/my/games")
    page.locator("summary", has_text="Options").first.focus()
    page.keyboard.press("Enter")
    page.locator("textarea").first.fill("A plan")
    page.locator("form", has=page.locator("textarea")).get_by_role("button", name="Save").click()
    expect(page.locator("p.note", has_text="A plan")).to_have_count(1)
