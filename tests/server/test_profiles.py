"""Profiles: their owner sees everything, other visitors see the parts that the owner has made public."""

from dataclasses import replace
from html import unescape

import pytest
from sqlalchemy import func, insert, select, update

from almunia.server.auth import accounts
from almunia.server.clock import DAY
from almunia.server.ratings.ratings import NEWCOMER_GAMES, Rating
from almunia.server.ratings.repository import player_stats
from almunia.server.storage import schema
from almunia.server.tables.model import PERSON
from almunia.server.users import profiles
from almunia.server.users.profiles import LEADERBOARD_ROWS, VISIBILITY, RatingChange
from almunia.server.users.visitors import DEFAULT_PREFERENCES, Visitor as SiteVisitor
from almunia.server.web.rating_chart import BOTTOM, LEFT, RIGHT, TOP, rating_chart

from .accounts import given, sign_in
from .conftest import ORIGIN, Visitor
from .seated import ANA, BEA, CEM, opened
from .test_lobby import FRIENDS, name_of
from .test_ratings import DEAL, EASY, engine, finished, rows

ANA_SELF, BEA_SELF = (SiteVisitor(name.lower(), name, **DEFAULT_PREFERENCES) for name in ("Ana", "Bea"))


def count_in(db, guest, game="orchard"):
    """Insert a rated game after which a guest is no newcomer."""
    seat = db.execute(select(func.count()).select_from(schema.result)).scalar_one()
    table = db.execute(select(schema.game_table.c.id).limit(1)).scalar_one()
    row = {"table": table, "seat": seat, "kind": PERSON, "player": guest, "game": game, "seats": 2, "number": 1}
    never = dict.fromkeys(("counts_in_stats", "played_to_end", "gave_up_early", "is_newcomer"), False)
    db.execute(insert(schema.result), row | never | {"finished_at": 0.0, "weight": 1.0})


def rate(site, guest, mu, sigma=1.0, games=NEWCOMER_GAMES, *, counted_in=True, **shown):
    """Give a guest a rating. With `shown`, also create an account and make these parts of the profile public."""
    row = {"guest": guest, "game": "orchard", "mu": mu, "sigma": sigma, "games": games}
    with engine(site).begin() as db:
        db.execute(insert(schema.rating), row | {"ordinal": Rating(mu, sigma).ordinal})
        if counted_in:
            count_in(db, guest)
        if shown:
            accounts.create_account(db, guest, guest.capitalize(), {}, now=site.clock.now())
    if shown:
        site.profiles.set_visibility(SiteVisitor(guest, guest.capitalize(), **DEFAULT_PREFERENCES), shown)


def test_a_profile_shows_only_the_chosen_parts(visitor, stranger):
    visitor.post("/preferences", data={"name": "Ana"})
    visitor.finish(visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"}))
    own = unescape(visitor.get("/profile").text)
    assert "1500 ± 491" not in own
    assert "Easy bot" in own
    site = visitor.app.state.site
    assert rows(site, schema.profile) == []
    visitor.post("/profile", data={"page": 1})
    (row,) = rows(site, schema.profile)
    page = unescape(stranger.get(f"/players/{row['handle']}").text)
    assert "<bdi>Ana</bdi>" in page
    assert "Easy bot" not in page
    assert "Average" not in page
    visitor.post("/profile", data={"page": 1, "results": 1, "opponents": 1})
    page = unescape(stranger.get(f"/players/{row['handle']}").text)
    assert "Easy bot" in page
    assert "Average" in page
    assert row["guest"] not in page, "nobody learns the id of a guest"


def test_saving_a_profile_is_confirmed(visitor):
    saved = visitor.post("/profile", data={"boards": 1})
    assert ("Saved." in saved.text, "Saved." in visitor.get("/profile").text) == (True, False)


def test_the_address_of_a_hidden_page_is_never_valid_again(visitor, stranger):
    site = visitor.app.state.site
    visitor.post("/profile", data={"page": 1})
    old = rows(site, schema.profile)[0]["handle"]
    visitor.post("/profile", data={})
    assert stranger.get(f"/players/{old}").status_code == 404
    visitor.post("/profile", data={"page": 1})
    assert stranger.get(f"/players/{old}").status_code == 404
    assert stranger.get(f"/players/{rows(site, schema.profile)[0]['handle']}").status_code == 200


@pytest.mark.parametrize("person", ["x", "-", "ä", "x" * 300, "%00"])
def test_unknown_profiles_are_not_found(visitor, person):
    assert visitor.get(f"/players/{person}").status_code == 404


def test_the_profile_page_lists_all_public_parts(visitor):
    def listed():
        page = visitor.get("/profile").text
        shown = page[page.index('class="public"') : page.index("<form", page.index('class="public"'))]
        return [name for name, (label, _) in VISIBILITY.items() if f"<b>{label}</b>" in shown]

    assert "Others only see your name" in visitor.get("/profile").text
    visitor.post("/profile", data={"boards": 1, "results": 1})
    assert listed() == ["boards"]
    visitor.post("/profile", data={})
    assert "Others only see your name" in visitor.get("/profile").text


def test_a_profile_shows_the_current_name(visitor, stranger):
    visitor.post("/profile", data={"page": 1})
    visitor.post("/preferences", data={"name": "Zoë"})
    handle = rows(visitor.app.state.site, schema.profile)[0]["handle"]
    assert "<bdi>Zoë</bdi>" in stranger.get(f"/players/{handle}").text


def test_a_profile_shows_a_name_chosen_when_joining(visitor, stranger):
    visitor.post("/profile", data={"page": 1})
    site = visitor.app.state.site
    invitation = site.invitations.create(name_of(stranger.open(**FRIENDS)), 1)
    visitor.post(f"/join/{invitation}", data={"name": "Zoë"})
    assert "<bdi>Zoë</bdi>" in stranger.get(f"/players/{rows(site, schema.profile)[0]['handle']}").text


@pytest.mark.parametrize("chosen", [[], ["boards"]])
def test_signing_in_keeps_the_profile_settings_of_the_account(visitor, stranger, chosen):
    visitor.post("/preferences", data={"name": "Guest of yesterday"})
    visitor.post("/profile", data={"page": 1})
    site = visitor.app.state.site
    handle = rows(site, schema.profile)[0]["handle"]
    guest = given(visitor, name="Ana")
    if chosen:
        site.profiles.set_visibility(SiteVisitor(guest, "Ana", *[""] * 10), dict.fromkeys(chosen, True))
    sign_in(visitor)
    assert site.profiles.get(guest).visible_parts == chosen
    assert stranger.get(f"/players/{handle}").status_code == 404


def test_deleted_opponents_are_not_listed(visitor, stranger):
    table = visitor.open(**FRIENDS)
    invitation = visitor.app.state.site.invitations.create(name_of(table), 1)
    stranger.post(f"/join/{invitation}", data={"name": "Bea"})
    assert "No finished games yet" in visitor.get("/profile").text
    while "finale" not in visitor.get(table).text:
        visitor.act(table)
        stranger.act(table)
    assert "<bdi>Bea</bdi>" in visitor.get("/profile").text
    stranger.post("/account/delete", data={"everything": "yes"})
    page = visitor.get("/profile").text
    assert "No opponents with a public profile." in page
    assert "Bea" not in page


def test_results_are_counted_by_game_and_players(site):
    for seats in ((ANA, BEA), (ANA, BEA), (ANA, BEA, CEM), (ANA,)):
        finished(site, opened(site, *seats))
    found = site.profiles.game_stats("ana")
    assert [(one.game, one.seats, one.games) for one in found] == [
        ("orchard", n, c) for n, c in ((1, 1), (2, 2), (3, 1))
    ]
    points = [row["points"] for row in rows(site) if row["player"] == "ana" and row["seats"] == 2]
    assert (found[1].average, found[1].best) == (sum(points) / 2, max(points))
    ranks = [row["rank"] for row in rows(site) if row["player"] == "ana" and row["seats"] == 2]
    assert (found[1].won, found[1].lost) == (ranks.count(1), ranks.count(2))
    assert found[0].won == found[0].lost == 0, "nobody wins or loses alone"


def test_a_profile_draws_each_rating_as_a_curve_and_as_a_table(visitor, site, clock, monkeypatch):
    visitor.post("/preferences", data={"name": "Ana"})
    guest = site.tables.store.find(visitor.open().rpartition("/")[2]).host
    for _ in range(3):
        finished(site, opened(site, replace(ANA, player=guest), EASY))
        clock.advance(DAY)
    changes = site.profiles.rating_history(guest, "orchard")
    assert [one.finished_at for one in changes] == [clock.now() - days * DAY for days in (3, 2, 1)]
    assert changes[-1].rating == site.profiles.ratings(guest)[0].rating
    page = visitor.get("/profile").text
    assert f"from {changes[0].rating} to {changes[-1].rating}" in page
    assert all(f"<td>{one.rating}</td>" in page for one in changes)
    monkeypatch.setattr(profiles, "MAX_RATING_CHANGES", 2)
    monkeypatch.setattr("almunia.server.web.profiles.MAX_LAST_GAMES", 2)
    assert visitor.get("/profile").text.count('<li class="card') == 2
    assert site.profiles.rating_history(guest, "orchard") == changes[1:]


@pytest.mark.parametrize(("mu", "sigma", "changed"), [(25, 8, 0), (26, 8, 1), (25, 7, 1)])
def test_a_game_that_changes_no_rating_is_not_in_its_history(site, mu, sigma, changed):
    opened(site, ANA, EASY)
    with engine(site).begin() as db:
        count_in(db, "ana")
        db.execute(update(schema.result).values(mu_before=25, sigma_before=8, mu=mu, sigma=sigma))
    assert site.profiles.rating_history("ana", "orchard") == [RatingChange(Rating(mu, sigma), 0.0)] * changed
    assert site.profiles.rating_history("ana", "oregon") == []


def test_a_rating_chart_keeps_its_band_inside_the_picture():
    changes = [RatingChange(Rating(mu, sigma), 0.0) for mu, sigma in ((25, 8), (22, 6), (31, 4))]
    chart = rating_chart(changes)
    points = [[float(number) for number in point.split()] for point in chart.band.strip("MZ").split("L")]
    assert [x for x, _ in points] == [LEFT, (LEFT + RIGHT) / 2, RIGHT, RIGHT, (LEFT + RIGHT) / 2, LEFT]
    assert (min(y for _, y in points), max(y for _, y in points)) == (TOP, BOTTOM)
    curve = [float(point.split()[1]) for point in chart.curve.strip("M").split("L")]
    assert curve[2] < curve[0] < curve[1], "a higher rating is higher up"
    assert chart.end == (RIGHT, curve[2])
    assert [points for _, points in chart.up] == [1200, 1400, 1600, 1800]
    assert rating_chart(changes[:1]) is None


def test_games_with_a_known_deal_do_not_count_for_statistics(site):
    finished(site, opened(site, ANA))
    before, known = site.profiles.game_stats("ana"), player_stats(site.tables.store.engine, ["ana"], "orchard")
    finished(site, opened(site, ANA, seed=7))
    finished(site, opened(site, ANA, BEA, seed=7))
    finished(site, opened(site, ANA, options={"deal": DEAL}))
    assert site.profiles.game_stats("ana") == before
    assert player_stats(site.tables.store.engine, ["ana"], "orchard") == known
    assert known["ana"].games == 1


def test_opponents_are_named_to_others_only_if_they_have_a_page(site):
    finished(site, opened(site, ANA, BEA, EASY))
    assert {rival.name for rival in site.profiles.opponents("ana", public=False)} == {"Bea", "Easy bot"}
    assert {rival.name for rival in site.profiles.opponents("ana", public=True)} == {"Easy bot"}
    site.profiles.set_visibility(BEA_SELF, {"page": True})
    known = {rival.name: rival for rival in site.profiles.opponents("ana", public=True)}
    assert set(known) == {"Bea", "Easy bot"}
    assert known["Bea"].games == 1
    assert known["Bea"].handle


def test_a_leaderboard_ranks_players_who_opted_in_by_lower_bound(site):
    opened(site, ANA, EASY)
    rate(site, "ann", 30, 1.0, boards=True)
    rate(site, "ben", 34, 4.0, boards=True)
    rate(site, "cid", 40, 1.0)
    rate(site, "dan", 50, 1.0, counted_in=False, boards=True)
    leaders, pages = site.profiles.leaderboard("orchard", 1, "ben")
    assert [(one.place, one.name, one.mine) for one in leaders] == [(1, "Ann", False), (2, "Ben", True)]
    assert pages == 1
    assert leaders[0].handle == "", "who has no page is not linked"


def test_leaderboards_are_paginated(visitor, site):
    opened(site, ANA, EASY)
    for number in range(LEADERBOARD_ROWS + 3):
        rate(site, f"guest{number}", 25 + number / 10, boards=True)
    first, pages = site.profiles.leaderboard("orchard", 1, "")
    second, _ = site.profiles.leaderboard("orchard", 2, "")
    assert (len(first), len(second), pages) == (LEADERBOARD_ROWS, 3, 2)
    assert second[0].place == LEADERBOARD_ROWS + 1
    page = visitor.get("/games/orchard/leaderboard?start=2").text
    assert "Page 2 of 2" in page
    assert "Expert bot" in page
    assert visitor.get("/games/orchard/leaderboard?start=0").status_code == 404


def test_a_leaderboard_lists_accounts_only(site):
    opened(site, ANA, EASY)
    rate(site, "ann", 30, boards=True)
    rate(site, "ben", 34)
    site.profiles.set_visibility(SiteVisitor("ben", "Ben", **DEFAULT_PREFERENCES), {"boards": True})
    assert [one.name for one in site.profiles.leaderboard("orchard", 1, "")[0]] == ["Ann"]


def test_the_leaderboard_explains_why_the_viewer_is_not_listed(visitor):
    visitor.finish(visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"}))
    assert "Leaderboards only show players with an account" in visitor.get("/games/orchard/leaderboard").text
    (row,) = rows(visitor.app.state.site, schema.rating)
    given(visitor, guest=row["guest"])
    sign_in(visitor)
    page = visitor.get("/games/orchard/leaderboard").text
    assert "appear here. You can change that" in page
    visitor.post("/profile", data={"boards": 1})
    assert (
        "You'll appear here once you have played enough rated games." in visitor.get("/games/orchard/leaderboard").text
    )
    assert "Your rating" not in Visitor(visitor.app, headers={"Origin": ORIGIN}).get("/games/orchard/leaderboard").text


def test_profiles_are_exported_and_erased(site):
    site.profiles.set_visibility(ANA_SELF, {"boards": True})
    (found,) = site.personal_data.export("ana")["profile"]["profile"]
    assert (found["name"], found["show_boards"], found["show_page"]) == ("Ana", True, False)
    site.personal_data.erase("ana")
    assert site.profiles.get("ana").visible_parts == [], "as of somebody who has chosen nothing"
