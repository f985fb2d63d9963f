"""Moves: legal ones are played and stored; others get a sentence and change nothing."""

import re
from html import unescape

import pytest

from almunia.play import panels
from almunia.server.users.visitors import PREFERENCES
from almunia.server.web import log as log_pages
from almunia.server.web.templating import log_line

from .conftest import Visitor

HTMX = {"HX-Request": "true"}
PICTURE = re.compile(r'data-hash="[^"]+"><svg')


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"action": 4909}, 422, "Action 4909 is not possible in this position"),
        ({"action": 10**8}, 422, "is not possible in this position"),
        ({"action": 10**12}, 400, "must be a whole number"),
        ({"action": "left"}, 400, "must be a whole number"),
        ({"action": "-1"}, 400, "must be a whole number"),
        ({"action": ""}, 400, "must be a whole number"),
        ({"seen": 7}, 409, "The game has moved on"),
        ({"seen": "x"}, 400, "must be a whole number"),
        ({"seat": 3}, 403, "This is not your seat"),
    ],
)
def test_invalid_moves_are_refused(visitor, fields, status, words):
    table = visitor.open(**{"seat-0": "me"})
    before = visitor.get(table).text
    answer = visitor.act(table, **fields)
    assert answer.status_code == status
    assert words in answer.text
    assert 'id="board"' in answer.text
    assert visitor.get(table).text == before


def test_a_stranger_watches_and_cannot_act(visitor, stranger):
    table = visitor.open(**{"seat-0": "me"})
    assert "You are watching" in stranger.get(table).text
    answer = stranger.act(table, seat=0, seen=0, action=visitor.seen(table)[2][0])
    assert answer.status_code == 403
    assert "You are watching this game, not playing" in answer.text
    assert visitor.seen(table)[1] == 0


def test_a_repeated_move_is_played_once(visitor):
    table = visitor.open(**{"seat-0": "me"})
    _, seen, actions = visitor.seen(table)
    fields = {"action": actions[0], "seat": 0, "seen": seen, "sure": 1}
    assert visitor.post(f"{table}/move", data=fields, follow_redirects=False).status_code == 303
    again = visitor.post(f"{table}/move", data=fields, follow_redirects=False)
    assert again.status_code == 409
    assert "This is the current position" in again.text
    assert visitor.seen(table)[1] == seen + 1


@pytest.mark.parametrize(("game", "second"), [("orchard", "friend"), ("alpujarras", "here")])
def test_a_repeated_move_is_stale_after_the_turn_has_ended(visitor, game, second):
    """The first response may have been lost, so the page must not say that the move was not played."""
    table = visitor.open(game, **{"seat-0": "me", "seat-1": second, "unrated": 1})
    tables, name = visitor.app.state.site.tables, table.removeprefix("/table/")
    first = tables.get(name).play.turn
    while tables.get(name).play.turn == first:
        seat, seen, actions = visitor.seen(table)
        done = {"action": actions[0], "seat": seat, "seen": seen, "sure": 1}
        assert visitor.post(f"{table}/move", data=done, follow_redirects=False).status_code == 303
    again = visitor.post(f"{table}/move", data=done, follow_redirects=False)
    assert again.status_code == 409
    assert "This is the current position" in again.text


def test_a_move_is_accepted_after_another_guest_has_joined(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    seat, seen, actions = visitor.seen(table)
    invitation = visitor.app.state.site.invitations.create(table.removeprefix("/table/"), 1)
    stranger.post(f"/join/{invitation}", data={"name": "Bea"})
    assert visitor.seen(table)[1] == seen + 1
    done = {"action": actions[0], "seat": seat, "seen": seen, "sure": 1}
    assert visitor.post(f"{table}/move", data=done, follow_redirects=False).status_code == 303
    assert visitor.post(f"{table}/move", data=done, follow_redirects=False).status_code == 409


def test_acting_out_of_turn_and_after_the_end(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    visitor.act(table)
    answer = visitor.act(table)
    assert answer.status_code == 403
    assert "s turn, not yours" in answer.text
    alone = visitor.open(**{"seat-0": "me"})
    visitor.finish(alone)
    over = visitor.act(alone)
    assert over.status_code == 409
    assert "is over" in over.text
    assert visitor.post(f"{alone}/undo", data={"seat": 0, "seen": 8}).status_code == 409


def test_undo_stops_at_a_reveal(visitor):
    table = visitor.open(**{"seat-0": "me"})
    visitor.act(table)
    refused = visitor.post(f"{table}/undo", data={"seat": 0, "seen": 1})
    assert refused.status_code == 409
    assert "brought something new to light" in refused.text
    assert 'data-key="u" disabled' in refused.text


def test_undo_takes_the_last_action_back(visitor):
    table = visitor.open(**{"seat-0": "me"})
    for _ in range(6):  # the deck is then empty, so no more cards are revealed
        visitor.act(table)
    before = visitor.get(f"{table}").text.split('id="board"')[1].split("</svg>")[0]
    visitor.act(table)
    page = visitor.get(table).text
    assert 'data-key="u">' in page
    assert 'name="turn" value="1" disabled>' in page  # undoing the turn would do the same as Undo
    seat, seen, _ = visitor.seen(table)
    assert visitor.post(f"{table}/undo", data={"seat": seat, "seen": seen, "turn": 1}).status_code == 200
    after = visitor.get(table).text.split('id="board"')[1].split("</svg>")[0]
    assert after == before
    assert visitor.seen(table)[1] == seen + 1
    visitor.finish(table)
    assert visitor.get(f"{table}/record").text.count("(seat 1, ") == 8


@pytest.mark.slow
def test_bots_play_their_seats(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "seat-2": "bot-medium"})
    visitor.finish(table)
    record = visitor.get(f"{table}/record").text
    assert "player 2: Easy bot" in record
    assert record.count("(seat 3, ") >= 8


def test_a_friend_sits_down_by_link(visitor, stranger):

    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    link = unescape(re.search(r'readonly value="([^"]+)"', visitor.get(table).text)[1]).removeprefix(
        "http://testserver"
    )
    asked = stranger.get(link).text
    assert "You are invited" in asked
    assert "No clock, others wait 1 day for absent players." in asked
    assert "The seed was chosen" not in asked
    assert "/games/orchard/cover.svg" in asked
    assert 'href="/games/orchard/rules"' in asked
    assert "/join/" not in stranger.get(table).text
    assert stranger.post(link, data={"name": "Bea"}, follow_redirects=False).headers["location"] == table
    visitor.act(table)
    assert stranger.seen(table)[2]
    waiting = visitor.get(table).text
    assert re.search(r"Waiting for <span[^>]*>[^<]*</span> <b><bdi>Bea</bdi></b>\s+since <time", waiting)
    assert "“Place a card" in waiting  # the card is not the visitor's
    assert visitor.post(link).status_code == 409


def test_an_invitation_describes_the_settings(visitor, stranger):

    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": 5, "hints": 1})
    link = unescape(re.search(r'readonly value="([^"]+)"', visitor.get(table).text)[1]).removeprefix(
        "http://testserver"
    )
    asked = stranger.get(link).text
    assert "<p>The seed was chosen, so players may know the deal.</p>" in asked
    assert "<p>Players can ask the expert bot for hints. The game file shows every hint.</p>" in asked


def test_the_host_gives_an_open_seat_to_a_bot(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    assert stranger.post(f"{table}/bot", data={"seat": 1, "spec": "easy"}).status_code == 403
    assert visitor.post(f"{table}/bot", data={"seat": 1, "spec": "clever"}).status_code == 422
    assert visitor.post(f"{table}/bot", data={"seat": 9, "spec": "easy"}).status_code == 404
    assert visitor.post(f"{table}/bot", data={"seat": 1, "spec": "easy"}).status_code == 200
    visitor.finish(table)
    assert visitor.post(f"{table}/bot", data={"seat": 0, "spec": "easy"}).status_code == 409


def test_people_at_one_screen_see_a_curtain_between_turns(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "here"})
    covered = visitor.get(table).text
    assert "show my view" in covered
    assert 'id="board"' not in covered
    assert 'id="choices"' not in covered
    assert visitor.post(f"{table}/reveal", data={"seat": 4}).status_code == 403
    visitor.post(f"{table}/reveal", data={"seat": 0})
    assert visitor.act(table).status_code == 303
    assert "I'm <bdi>Player 2</bdi>, show my view" in visitor.get(table).text
    visitor.post(f"{table}/reveal", data={"seat": 0})  # the first seat again, which is not to move
    assert "show my view" in visitor.get(table).text
    visitor.post(f"{table}/reveal", data={"seat": 1})
    assert visitor.seen(table)[0] == 1


@pytest.mark.slow
def test_the_end_for_people_at_one_screen_names_the_winner(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "here", "seed": "1"})
    for _ in range(40):
        page = visitor.get(table).text
        if "finale" in page:
            break
        asked = re.search(r'name="seat" value="(\d)"', page)[1]
        visitor.post(f"{table}/reveal", data={"seat": asked})
        visitor.act(table, choose=-1 if asked == "1" else 0)
    assert re.search(r'<h2 tabindex="-1"><bdi>(Guest|Player 2)</bdi> wins</h2>', page)


def test_the_board_of_a_closed_game_offers_no_actions(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    assert "data-action=" in visitor.get(table).text
    visitor.post(f"{table}/close")
    page = visitor.get(table).text
    assert "finale" in page
    assert "data-action=" not in page


def test_the_end_page_names_a_shared_first_place(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": "1"})
    invitation = visitor.app.state.site.invitations.create(table.rpartition("/")[2], 1)
    stranger.post(f"/join/{invitation}", data={"name": "Bea"})
    while "finale" not in visitor.get(table).text:
        visitor.act(table)
        stranger.act(table)
    assert '<h2 tabindex="-1">You share first place</h2>' in visitor.get(table).text
    assert '<h2 tabindex="-1">You share first place</h2>' in stranger.get(table).text
    spectator = Visitor(visitor.app)
    assert '<h2 tabindex="-1"><bdi>Guest</bdi> and <bdi>Bea</bdi> share first place</h2>' in spectator.get(table).text


def test_a_script_gets_the_fragments_of_the_page(visitor):
    table = visitor.open(**{"seat-0": "me"})
    part = visitor.get(table, headers=HTMX)
    assert part.text.lstrip().startswith("<title>")
    assert "<html" not in part.text
    assert visitor.get(table, headers={**HTMX, "If-None-Match": part.headers["etag"]}).status_code == 304
    assert visitor.get(table, headers={"If-None-Match": part.headers["etag"]}).status_code == 200
    visitor.act(table)
    assert visitor.get(table, headers={**HTMX, "If-None-Match": part.headers["etag"]}).status_code == 200


def test_ghosts_are_served_to_the_seat_to_move(visitor, stranger):
    table = visitor.open(**{"seat-0": "me"})
    one, other, *_ = visitor.seen(table)[2]
    ghosts = visitor.get(f"{table}/previews/{one},{other}")
    assert re.findall(r'<g data-ghost="(\d+)"><g class="ghost">', ghosts.text) == [str(one), str(other)]
    again = visitor.get(f"{table}/previews/{one},{other}", headers={"If-None-Match": ghosts.headers["etag"]})
    assert again.status_code == 304
    assert visitor.get(f"{table}/previews/{other}").headers["etag"] != ghosts.headers["etag"]
    assert stranger.get(f"{table}/previews/{one}").status_code == 404
    assert visitor.get(f"{table}/previews/{one},4909").status_code == 404
    for action in (4909, one):
        overtaken = visitor.get(f"{table}/previews/{action}?mark=0.9")  # a request of a page that is out of date
        assert overtaken.status_code == 204
        assert overtaken.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("actions", ["", "many", "1,", "-1", "1;2", ",".join(["1"] * 33), "9" * 10])
def test_ghosts_of_invalid_actions_are_not_found(visitor, actions):
    table = visitor.open(**{"seat-0": "me"})
    assert visitor.get(f"{table}/previews/{actions}").status_code == 404


def test_a_page_gets_the_pictures_that_it_does_not_have(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    whole = visitor.get(table, headers=HTMX).text
    marks = dict(re.findall(r'data-fragment="([^"]+)" data-hash="([^"]+)"', whole))
    assert list(marks) == ["orchard", "hand", "seat-0", "seat-1", "orchard-1", "icons"]
    tags: set[str] = set()

    def pictures(**had):
        said = " ".join(f"{name}={mark}" for name, mark in had.items())
        answer = visitor.get(table, headers={**HTMX, "X-Fragments": said})
        assert "X-Fragments" in answer.headers["vary"]  # caches must not use it for a page with other fragments
        tags.add(answer.headers["etag"])  # tags must differ, too
        sent = dict(re.findall(r'data-fragment="([^"]+)" data-hash="([^"]+)"', answer.text))
        assert sent.items() <= marks.items()
        assert marks.keys() - sent.keys() <= {"orchard-1"}  # this fragment is a part of its seat's fragment
        return len(PICTURE.findall(answer.text)), answer.text.count("data-kept")

    assert pictures() == (3, 0)
    assert pictures(**marks) == (0, 5)
    assert pictures(**{"seat-1": marks["seat-1"]}) == (2, 1)
    assert pictures(**{"orchard-1": marks["orchard-1"]}) == (2, 1)
    assert pictures(orchard=marks["orchard"]) == (2, 1)
    assert pictures(orchard=marks["hand"]) == (3, 0)
    assert len(tags) == 6
    odd = visitor.get(table, headers={**HTMX, "X-Fragments": "== a=b=c hand"}).text
    assert len(PICTURE.findall(odd)) == 3


def test_a_move_sends_only_changed_fragments(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    seat, seen, actions = visitor.seen(table)
    marks = re.findall(r'data-fragment="([^"]+)" data-hash="([^"]+)"', visitor.get(table).text)
    said = " ".join(f"{name}={mark}" for name, mark in marks)
    fields = {"action": actions[0], "seat": seat, "seen": seen, "sure": 1}
    after = visitor.post(f"{table}/move", data=fields, headers={**HTMX, "X-Fragments": said}).text
    kept = re.findall(r'data-fragment="([^"]+)" data-hash="[^"]+"( data-kept)?', after)
    there = [("orchard-1", " data-kept"), ("icons", " data-kept")]
    assert kept == [*((name, "") for name in ("orchard", "hand", "log-0", "seat-0", "seat-1")), *there]


def test_only_new_chapters_of_the_log_are_sent(start, monkeypatch):
    monkeypatch.setattr(log_pages, "CHAPTER_SIZE", 2)
    visitor = start()
    table = visitor.open()
    sent = []
    marks: dict[str, str] = {}
    for _ in range(5):
        visitor.act(table)
        said = " ".join(f"{name}={mark}" for name, mark in marks.items())
        page = visitor.get(table, headers={**HTMX, "X-Fragments": said}).text
        log = page.split('<div id="log"')[1].split("</div>")[0]
        found = re.findall(r'<ol id="(log-\d)" data-fragment="\1" data-hash="([^"]+)"( data-kept)?>(.*?)</ol>', log)
        sent.append([(name, items.count("<li")) for name, _, kept, items in found if not kept])
        assert all(not items for *_, kept, items in found if kept)
        marks = {name: mark for name, mark, *_ in found}
    assert sent == [[("log-0", 1)], [("log-0", 2)], [("log-1", 1)], [("log-1", 2)], [("log-2", 1)]]
    told = visitor.app.state.site.tables.get(table.removeprefix("/table/")).history(0).log_entries
    lines = re.findall(r"<li title=[^>]*><p>(.*?)</p>", visitor.get(table).text)
    assert lines == [log_line(line) for one in told for line in one.lines[:1]]


def test_the_position_in_words_is_the_readers(visitor, stranger):
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "friend", "seed": 3})
    now = visitor.app.state.site.tables.get(table.removeprefix("/table/"))
    own, watched = visitor.get(f"{table}/text"), stranger.get(f"{table}/text")
    assert own.headers["content-type"].startswith("text/plain")
    assert own.text == now.play.observe(0).board()
    assert watched.text == now.play.observe().board() != own.text


def test_viewers_share_public_log_entries(visitor):
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "friend", "seed": 3})
    tables, number = visitor.app.state.site.tables, table.removeprefix("/table/")
    watching = tables.get(number).history(-1)
    assert not watching.log_entries
    visitor.act(table)
    now = tables.get(number)
    assert now.history(0).log_entries
    assert now.history(0).log_entries[0] is now.history(-1).log_entries[0]


def test_a_replay_step_offers_no_actions(visitor):
    """A replay step shows the position as the viewer saw it then, without legal actions."""
    table = visitor.open(**{"seat-0": "me", "seat-1": "here", "seed": "1"})
    tables, name, seen_then = visitor.app.state.site.tables, table.removeprefix("/table/"), {}
    for _ in range(4):
        curtain = re.search(r'/reveal".*?name="seat" value="(\d)"', visitor.get(table).text, re.DOTALL)
        if curtain:
            visitor.post(f"{table}/reveal", data={"seat": curtain[1]})
        visitor.act(table)
        history = tables.get(name).history(0)
        seen_then[history.version] = history.view.to_state()
    shown = tables.get(name)
    assert len(history.steps) > 1
    for step in (*history.steps, *reversed(history.steps)):
        then = shown.history_at(0, step)
        assert not then.legal
        assert then.view.to_state() == seen_then[step.version]
        assert (then.version, len(then.log_entries)) == (step.version, step.log_length)
    assert [step.seat for step in shown.history(1).steps_since_own_move] == []
    assert [step.seat for step in history.steps_since_own_move] == [1]
    assert history.recent_steps == history.steps_since_own_move


def test_unknown_replay_steps_show_the_present(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    visitor.act(table)
    now = visitor.get(table).text
    for query in ("?at=99", "?at=1&first=5", "?at=-3", "?at=1&first=-1"):
        assert visitor.get(table + query).text == now
    assert "data-first" in visitor.get(f"{table}?at=1&first=1").text
    assert visitor.get(f"{table}?at=soon").status_code == 404


def test_the_etag_of_the_last_replay_step_changes_with_the_next_step(visitor):
    """The page of the last replay step changes when a next step exists."""
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "here", "seed": 3})
    tables, name = visitor.app.state.site.tables, table.removeprefix("/table/")

    def act():
        now = tables.get(name)
        tables.move(name, now.play.turn, now.play.legal_actions[0], now.history(now.play.turn).version)
        visitor.post(f"{table}/reveal", data={"seat": tables.get(name).play.turn})

    def steps(so_many):
        while len(found := tables.get(name).history(0).steps) < so_many or tables.get(name).play.turn:
            act()
        return found

    first = steps(1)[-1].version
    address = f"{table}?at={first}&first={first}"
    last = visitor.get(address)
    assert "data-first" in last.text
    assert last.headers["etag"] != visitor.get(table).headers["etag"]
    steps(len(steps(1)) + 1)
    assert visitor.get(address, headers={"If-None-Match": last.headers["etag"]}).status_code == 200


@pytest.mark.parametrize("preference", [{name: values[-1]} for name, values in PREFERENCES.items()])
def test_the_etag_of_a_page_changes_with_preferences(visitor, preference):
    table = visitor.open(**{"seat-0": "me", "hints": "1"})
    before = visitor.get(table).headers["etag"]
    assert visitor.get(table, headers={"If-None-Match": before}).status_code == 304
    visitor.post("/preferences", data=preference)
    assert visitor.get(table, headers={"If-None-Match": before}).status_code == 200


def test_a_replay_step_is_drawn_once(start, monkeypatch):
    draw, drawn = panels.assemble, []
    monkeypatch.setattr(panels, "assemble", lambda *given: drawn.append(given) or draw(*given))
    visitor = start()
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    visitor.act(table)
    drawn.clear()
    assert "data-first" in visitor.get(f"{table}?at=1&first=1").text
    assert len(drawn) == 1
