"""Every page exists and has its content; wrong addresses get a helpful page."""

import json
import re
import struct

import pytest
from markupsafe import escape

from almunia import all_games, game, replay
from almunia.library import new_from_record
from almunia.play.record import Record
from almunia.server.app import VersionedStaticFiles
from almunia.server.clock import format_ago
from almunia.server.web.templating import palette

from ..tiers import games

GAMES = [meta.name for meta in all_games()]
NO_TURNS = r'class="turns" href="[^"]+" hidden>'  # the number of waiting games in the header, if it is 0


def test_front_page_offers_every_game(visitor):
    page = visitor.get("/").text
    for meta in all_games():
        assert meta.title in page
        assert escape(meta.about) in page
        assert f'action="/games/{meta.name}/tables"' in page
        assert f"{meta.minutes} min" in page
    lightest = min(all_games(), key=lambda meta: (meta.weight, meta.minutes))
    assert f"Learn {lightest.title} in 5 minutes" in page
    assert page.index(f'href="/games/{lightest.name}"') == page.index('href="/games/'), "the lightest game comes first"


def test_the_front_page_shows_the_clock_of_the_game_that_waits(visitor, stranger):
    visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "unrated": "1"})
    assert "left on your clock" not in visitor.get("/").text
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "clock": "live-15", "watched": "1"})
    invitation = re.search(r"/join/[^\"]+", visitor.get(table).text)[0]
    stranger.post(invitation, data={"name": "Bea"})
    page = visitor.get("/").text
    assert "<h1>Your turn</h1>" in page
    assert re.search(r"<b>1[45]:\d\d</b> left on your clock", page)
    assert '<p class="live">Live, rated</p>' in page
    assert page.count('class="turncard"') == 1
    assert "Learn Orchard in" not in page


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", games())
def test_a_game_is_played_to_the_end_on_pages_alone(visitor, name):
    visitor.app.state.site.builds._ready[name] = game(name)  # the bot needs a compiled game
    table = visitor.open(name)
    visitor.finish(table)
    page = visitor.get(table).text
    assert "Play the same deal again" in page
    assert f'href="{table}/replay"' in page
    assert f"{table}/move" not in page


@pytest.mark.parametrize("name", GAMES)
def test_rules_have_an_address_for_every_paragraph(visitor, name):
    page = visitor.get(f"/games/{name}/rules").text
    marks = re.findall(r'id="([0-9]+\.[0-9]+|D[0-9]+)"', page)
    assert marks
    assert len(marks) == len(set(marks))
    assert all(f'href="#{mark}"' in page for mark in marks)


def test_pictures_and_styles(visitor):
    picture = visitor.get("/games/orchard/picture.svg?theme=dark")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert 'data-theme="dark"' in picture.text
    assert "--wall" in visitor.get("/static/palette.css").text
    assert ".orchard" in visitor.get("/games/orchard/view.css").text


def test_static_files_of_the_current_version_are_immutable(visitor):
    """This includes the scripts that other scripts import from the same folder."""
    address = re.search(r'src="([^"]+)/table\.js"', visitor.get(visitor.open()).text)[1]
    kept = visitor.get(f"{address}/site.js")
    assert "immutable" in kept.headers["cache-control"]
    for other in ("/static/v-0123456789ab", "/static"):
        found = visitor.get(f"{other}/site.js")
        assert found.headers["cache-control"] == "no-cache"
        assert found.text == kept.text
    for nothing in ("nothing.js", "", f"v-0123456789ab/{address.rpartition('/')[2]}/site.js", "../../app.py"):
        assert visitor.get(f"{address}/{nothing}").status_code == 404


def loaded_scripts(visitor, page: str) -> tuple[set[str], set[str]]:
    """Return the scripts that a page loads, with those that they import, and the scripts that it preloads."""
    answer = visitor.get(page)
    assert answer.status_code == 200, page
    text = answer.text
    preloaded = set(re.findall(r'<link rel="modulepreload" href="([^"]+)">', text))
    named = re.findall(r'<script [^>]*src="([^"]+)"', text)
    found = list(named)
    for address in found:
        imports = re.findall(r"""(?:\bfrom|\bimport)[\s(]*["'](?:\./)?([^"']+)["']""", visitor.get(address).text)
        folder = address.rpartition("/")[0]
        if "/vendor/" not in address:
            found += [f"{folder}/{name}" for name in imports if f"{folder}/{name}" not in found]
    return set(found), preloaded | set(named)


def test_pages_load_few_scripts_and_preload_their_imports(visitor):
    table, finished = visitor.open(), visitor.open()
    visitor.finish(finished)
    scripts = {}
    for page in (table, f"{finished}/replay", "/lobby", "/preferences"):
        loaded, preloaded = loaded_scripts(visitor, page)
        assert loaded == preloaded, page
        assert len(loaded) <= 8, page
        scripts[page] = {address.rpartition("/")[2] for address in loaded}
    assert scripts[table] >= {"site.js", "table.js", "move-input.js", "htmx.min.js"}
    assert scripts[f"{finished}/replay"] >= {"replay.js", "table-view.js"}


def test_every_page_shows_the_number_of_waiting_games(visitor, stranger):
    ana, bea = visitor, stranger
    for page in ("/", "/lobby", "/preferences"):
        assert "<title>●" not in ana.get(page).text
        assert re.search(NO_TURNS, ana.get(page).text)
    here, there = ana.open(), ana.open()
    for page in ("/", "/lobby", "/preferences", "/games/orchard"):
        text = ana.get(page).text
        assert "<title>● Your turn · " in text, page
        assert re.search(r'class="turns" href="/my/games/next">.*<b>2</b>', text), page
        assert "icon-turn.svg" in text, page
        assert "<title>●" not in bea.get(page).text, page
    text = ana.get(here).text
    assert text.count("● Your turn") == 1  # of this table itself
    assert re.search(rf'class="turns" href="/my/games/next\?after={here.rpartition("/")[2]}">.*<b>1</b>', text)
    tag = ana.get(here).headers["etag"]
    ana.finish(there)
    answer = ana.get(here, headers={"If-None-Match": tag})
    assert answer.status_code == 200, "the header has changed"
    assert re.search(NO_TURNS, answer.text)
    assert ana.get("/nowhere").status_code == 404


def test_the_site_can_be_installed(visitor):
    page = visitor.get("/").text
    answer = visitor.get(re.search(r'<link rel="manifest" href="([^"]+)">', page)[1])
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert {"name", "start_url", "display", "theme_color", "background_color"} <= set(manifest)
    assert all(
        f": {colour};" in palette().decode() for colour in (manifest["theme_color"], manifest["background_color"])
    )
    for icon in manifest["icons"]:
        found = visitor.get(icon["src"])
        assert found.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", found.content[16:24])
            assert icon["sizes"] == f"{width}x{height}" == "512x512"
    assert {icon["type"] for icon in manifest["icons"]} == {"image/png", "image/svg+xml"}
    for one in manifest["shortcuts"]:
        assert visitor.get(one["url"]).status_code == 200


def test_every_file_a_page_names_is_there(visitor):
    table = visitor.open()
    for page in ("/", "/my/games", "/games/orchard", "/games/orchard/rules", table):
        addresses = re.findall(r'(?:src|href)="(/(?:static|games)/[^"]+)"', visitor.get(page).text)
        assert len(addresses) >= 3, page
        for address in addresses:
            assert visitor.get(address).status_code == 200, address


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/nowhere", "This site has no page"),
        ("/table/nowhere", "There is no game at this address"),
        ("/table/nowhere/replay", "There is no game at this address"),
        ("/table/nowhere/stream", "There is no game at this address"),
        ("/table/nowhere/previews/1", "There is no game at this address"),
        ("/games/chess", "There is no game called &#39;chess&#39;"),
        ("/games/chess/rules", "There is no game called"),
        ("/join/nothing", "This invitation is not valid"),
        ("/static/nothing.css", "This site has no page"),
        ("/static/../app.py", "This site has no page"),
    ],
)
def test_unknown_addresses_are_not_found(visitor, address, words):
    answer = visitor.get(address)
    assert answer.status_code == 404
    assert words in answer.text
    assert 'href="/"' in answer.text


def test_too_long_addresses_are_not_looked_up_as_files(start, monkeypatch):
    looked = []
    monkeypatch.setattr(VersionedStaticFiles, "lookup_path", lambda _, path: looked.append(path) or ("", None))
    visitor = start()
    for address in ("/static/" + "a/" * 5000, "/static/" + "a" * 300, "/static/" + "/" * 5000 + "site.css"):
        answer = visitor.get(address)
        assert answer.status_code == 404
        assert "This site has no page" in answer.text
    assert not looked
    visitor.get("/static/vendor/nothing.js")
    assert looked


def test_a_method_that_is_not_allowed_is_refused(visitor):
    answer = visitor.post("/my/games")
    assert answer.status_code == 405
    assert "does not accept POST" in answer.text


def test_an_internal_error_has_a_page(start, monkeypatch):
    from starlette.testclient import TestClient

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("almunia.server.web.my_games.catalog.all_games", fail)
    answer = TestClient(start().app, raise_server_exceptions=False).get("/my/games")
    assert answer.status_code == 500
    assert "This is our mistake" in answer.text
    assert "ZeroDivision" not in answer.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"seat-0": "bot-medium"}, "No player on this device has a seat"),
        ({"seat-0": "me", "seat-1": "bot-clever"}, "choose one of"),
        ({"seat-0": "me", "option-deal": "1 2 3"}, "“Fixed deal” needs 9 different numbers"),
        ({"seat-0": "me", "option-colour": "red"}, "There is no option"),
        ({"seat-0": "me", "option-reduced": "yes"}, "not part of the published game"),
        ({"seat-0": "me", "seed": "soon"}, "A seed is a whole number"),
        ({"seat-0": "me", "seed": str(2**63)}, "A seed is a whole number"),
    ],
)
def test_an_invalid_table_is_refused(visitor, fields, words):
    answer = visitor.post("/games/orchard/tables", data=fields)
    assert answer.status_code == 422
    assert words in answer.text
    assert 'role="alert"' in answer.text
    assert "Waiting for you" not in visitor.get("/my/games").text


def test_a_refused_form_keeps_its_values(visitor):
    answer = visitor.post("/games/orchard/tables", data={"seat-0": "me", "option-deal": "1 2", "seed": "77"})
    assert 'value="1 2"' in answer.text
    assert 'aria-describedby="wrong-option-deal help-deal" aria-invalid="true"' in answer.text
    assert "option-reduced" not in answer.text
    assert 'value="77"' in answer.text


def test_the_steps_of_a_replay_have_names(visitor):
    table = visitor.open(**{"seat-0": "me"})
    visitor.finish(table)
    page = visitor.get(f"{table}/replay?at=2").text
    steps = re.findall(
        r'data-key="(\w+)" title="([^"]+)".*?<small aria-hidden="true">(\w+)</small>.*?>([\w ]+)</span></a>', page
    )
    assert [key for key, *_ in steps] == ["Home", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown", "End"]
    for _, title, label, name in steps:
        assert title.startswith(f"{name} (key ")
        assert label.lower() in name.lower(), "the name contains what is visible"
    assert 'aria-valuetext="Move 2 of 8"' in page
    assert '<span class="visually-hidden">Go to move </span>2</a>' in page


def test_replay_shows_every_position(visitor):
    table = visitor.open()
    visitor.finish(table)
    last = int(re.search(r"Move \d+ of (\d+)", visitor.get(f"{table}/replay?at=1").text)[1])
    assert "The start" in visitor.get(f"{table}/replay").text
    boards = {visitor.get(f"{table}/replay?at={at}").text for at in range(last + 1)}
    assert len(boards) == last + 1
    assert "The start" in visitor.get(f"{table}/replay?at=0").text
    beyond = visitor.get(f"{table}/replay?at={last + 1}")
    assert beyond.status_code == 404
    assert f"positions 0 to {last}" in beyond.text
    assert visitor.get(f"{table}/replay?at=0&seat=5").status_code == 404


def test_the_record_replays(visitor):
    table = visitor.open(**{"seat-0": "me", "seed": "42", "option-edition": "2018"})
    visitor.finish(table)
    record = Record.parse(visitor.get(f"{table}/record").text)
    assert (record.seed, record.options["edition"]) == (42, "2018")
    assert replay(record, build="plain").outcome.scores == record.result
    assert json.loads(visitor.get(f"{table}/record?form=json").text)["seed"] == 42
    assert visitor.get(f"{table}/record?form=xml").status_code == 400


@pytest.mark.slow
def test_going_on_after_the_end(visitor):
    table = visitor.open(**{"seat-0": "me", "seed": "42"})
    assert visitor.post(f"{table}/rematch", data={"how": "same"}).status_code == 403
    visitor.finish(table)
    decks = {}
    for how in ("same", "sequel-0", "new"):
        there = visitor.post(f"{table}/rematch", data={"how": how}, follow_redirects=False).headers["location"]
        visitor.finish(there)
        record = Record.parse(visitor.get(f"{there}/record").text)
        assert (record.seed == 42) == (how == "same") == record.seed_known
        assert record.options["half"] == ("second" if how == "sequel-0" else "first")
        decks[how] = list(new_from_record(record, "plain").state.deck)
    assert decks["same"][:9] == decks["sequel-0"][:9]
    assert decks["same"][9:] != decks["sequel-0"][9:]  # the first record does not reveal these cards
    assert visitor.post(f"{table}/rematch", data={"how": "sequel-9"}).status_code == 400


def test_challenges_and_their_campaign(visitor):
    from almunia.games.orchard.text import CHALLENGES

    page = visitor.get("/games/orchard").text
    assert all(challenge.title in page for challenge in CHALLENGES)
    table = visitor.open(challenge=CHALLENGES[0].name)
    assert f"{CHALLENGES[0].target} points" in visitor.get(table).text
    visitor.finish(table)
    assert "target missed" in visitor.get(table).text
    assert "You have 4 barrows" in visitor.get("/games/orchard").text
    assert "You have 4 barrows" in visitor.get(table).text
    again = f'<button class="primary" name="challenge" value="{CHALLENGES[0].name}">Try {CHALLENGES[0].title} again'
    assert again in visitor.get(table).text
    missing = visitor.post("/games/orchard/tables", data={"challenge": "s9"})
    assert missing.status_code == 404


def test_my_games_list_waiting_games_first(visitor):
    waiting = visitor.open(**{"seat-0": "me"})
    done = visitor.open(**{"seat-0": "me"})
    visitor.finish(done)
    page = visitor.get("/my/games").text
    assert page.index(waiting) < page.index(done)
    assert "Waiting for you" in page
    assert page.count("just now") == 2
    assert "0 moves by you" in page
    assert "8 moves by you" in page


EMPTY = "/my/games", "/my/games?state=hidden", "/profile", "/friends", "/lobby", "/games/orchard/leaderboard"


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_list_has_one_button(visitor, path):
    (empty,) = re.findall(r'<div class="empty">.*?</div>', visitor.get(path).text, re.DOTALL)
    assert len(re.findall(r'<(?:a class="button|button)', empty)) == 1


def test_my_games_show_options_and_challenges(visitor):
    visitor.open(**{"seat-0": "me", "option-edition": "2018"})
    visitor.open(challenge="s4-2")
    page = visitor.get("/my/games").text
    assert "<small>Edition: 2018</small>" in page
    assert "<small>S4, deal 2</small>" in page


def test_all_pages_of_a_table_show_that_its_seed_was_chosen(visitor):
    said = "The seed was chosen, so players may know the deal."
    drawn = visitor.open(**{"seat-0": "me"})
    visitor.finish(drawn)
    assert said not in visitor.get(f"{drawn}/replay").text
    chosen = visitor.post(f"{drawn}/rematch", data={"how": "same"}, follow_redirects=False).headers["location"]
    assert said in visitor.get(chosen).text
    visitor.finish(chosen)
    assert said in visitor.get(f"{chosen}/replay").text


def test_my_games_show_that_a_challenge_has_a_chosen_seed(visitor):
    tried = visitor.open(challenge="s4-2")
    visitor.finish(tried)
    assert "chosen seed" not in visitor.get("/my/games").text
    visitor.post(f"{tried}/rematch", data={"how": "same"})
    assert "<small>S4, deal 2, chosen seed</small>" in visitor.get("/my/games").text


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (86400 * 3, "3 days ago")]
)
def test_how_long_ago(seconds, words):
    assert format_ago(seconds) == words


def test_name_and_theme_are_preferences(visitor):
    visitor.post("/preferences", data={"name": "  Ada   of  Granada ", "theme": "dark", "back": "/my/games"})
    page = visitor.get("/my/games").text
    assert 'value="Ada of Granada"' in page
    assert 'data-theme="dark"' in page
    sent = {"name": "Grace", "pace": "slow", "theme": "pink"}
    assert visitor.post("/preferences", data=sent).status_code == 400
    assert "Ada of Granada" in visitor.get("/my/games").text, "nothing was kept of what was refused"


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/games/orchard/tables", {"seat-0": "me", "seed": "soon"}),
        ("/preferences", {"name": ""}),
        ("/table/nowhere/move", {}),
    ],
)
def test_the_way_back_from_an_answer_to_a_form_is_a_page(visitor, address, fields):
    answer = visitor.post(address, data=fields)
    assert answer.status_code in (404, 422)
    backs = set(re.findall(r'name="back" value="([^"]*)"', answer.text))
    assert backs
    assert {visitor.get(back).status_code for back in backs} == {404 if "nowhere" in address else 200}


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example", "x"])
def test_redirects_lead_to_pages_of_the_site_only(visitor, back):
    answer = visitor.post("/preferences", data={"theme": "dark", "back": back}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_answers_travel_compressed_and_streams_as_they_are(visitor):
    """Compression saves at least two thirds. A compressed stream would arrive late."""
    table = visitor.open()
    for address in (table, "/games/orchard", "/static/site.css", "/games/orchard/picture.svg"):
        sizes = []
        for coding in ("gzip", "identity"):
            with visitor.stream("GET", address, headers={"Accept-Encoding": coding}) as answer:
                sizes.append(sum(map(len, answer.iter_raw())))
                assert answer.headers.get("content-encoding", "identity") == coding
                assert "Accept-Encoding" in answer.headers["vary"]
        assert 3 * sizes[0] < sizes[1]
    assert "content-encoding" not in visitor.head(f"{table}/stream").headers
