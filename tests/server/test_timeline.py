"""Looking back at a running game: each reader steps through what it saw, and no position shows anything else."""

import re
from functools import partial
from html import unescape
from random import Random

import pytest

import almunia
from almunia.server.tables.model import (
    HOST_CHANGED,
    MOVE,
    PERSON,
    TAKEBACK,
    UNDO,
    Seat,
    Table,
    TableEvent,
)
from almunia.server.tables.state import TableState
from almunia.server.tables.timeline import timeline_of

from .test_moves import HTMX
from .test_secrets import second_question, session_of

SPECTATOR = -1


def table_of(game, play):
    """Return a table of people at which a play has begun."""
    seats = tuple(Seat(PERSON, f"guest{seat}", f"Guest {seat}") for seat in range(play.seats))
    return Table(
        "t",
        game.meta.name,
        game.meta.rules_version,
        game.components_hash,
        play.options,
        play.seed,
        seats,
        "guest0",
        play.turn,
    )


def random_event(play, rng):
    """Apply a random move, undo, takeback or change of the host, and return its event."""
    kind = rng.choices((MOVE, UNDO, TAKEBACK, HOST_CHANGED), (70, 25, 2, 3))[0]
    if kind == UNDO and play.can_undo:
        play.undo()
        return TableEvent(play.turn, UNDO)
    if kind == TAKEBACK and play.actions:
        count = max(0, len(play.actions) - 4)
        play.rewind(count)
        return TableEvent(0, TAKEBACK, count, "far")
    if kind == HOST_CHANGED:
        return TableEvent(1, HOST_CHANGED)
    action = rng.choice(play.legal_actions)
    event = TableEvent(play.turn, MOVE, action, play.action_to_string(action))
    play.apply(action)
    return event


@pytest.mark.parametrize("name", ["oregon", "orchard"])
def test_a_reader_steps_through_the_views_that_it_had(name):
    """The test keeps the view of each reader at each event, without those that were taken back."""
    game, rng = almunia.game(name, "plain"), Random(7)
    play = game.new(seats=3, seed=3)
    state = TableState(table_of(game, play), play, (), {})
    readers = (SPECTATOR, 0, 1, 2)
    seen = {reader: [(0, play.observe(reader).to_state())] for reader in readers}
    for _ in range(50):
        play = state.play.copy()
        event = random_event(play, rng)
        state = state.with_events((event,), play)
        for reader, views in seen.items():
            view = play.observe(reader).to_state()
            while views[-1][0] > len(play.actions):
                views.pop()
            if view != views[-1][1] or (event.kind == MOVE and event.seat == reader):
                views.append((len(play.actions), view))
        if play.over:
            break
    for reader in readers:
        timeline, history = timeline_of(state, reader), state.history(reader)
        shown = [(count, state.play_at(count).observe(reader).to_state()) for count in timeline.counts]
        assert shown == seen[reader]
        assert shown[-1][1] == history.view.to_state()
        assert timeline.turns[0] == 0
        assert set(timeline.turns) <= set(range(timeline.last + 1))
        for entry, numbered in zip(history.log_entries, timeline.numbered(history.log_entries), strict=True):
            assert entry.survives_undo or timeline.counts[numbered.action_count] == entry.action_count
    assert any(len(views) <= len(state.play.actions) for views in seen.values()) == (name == "oregon")


def pages(visitor, table):
    """Return a visitor's latest positions of a table, an error, and an analysis board, without the table's id."""
    last = int(re.search(r'max="(\d+)"', visitor.get(f"{table}/replay").text)[1])
    paths = [*(f"replay?at={at}" for at in range(last - 1, last + 2)), f"try/{last}/0/start"]
    found = [visitor.get(f"{table}/{path}", headers=HTMX) for path in paths]
    words = [one.text.replace(table.rpartition("/")[2], "TABLE") for one in found]
    return [(one.status_code, re.sub(r' data-hash="\w+"', "", text)) for one, text in zip(found, words, strict=True)]


def test_secret_answers_do_not_show_in_the_past(visitor, stranger):
    """The opponent sees the same positions whether the seat has answered its question in secret, or taken that back."""
    seed, actions, secret = second_question()
    site, got = visitor.app.state.site, []
    site.bot_runner.pause()
    stranger.post("/preferences", data={"name": "Bea"})
    seats = Seat(PERSON, "ana", "Ana"), Seat(PERSON, session_of(stranger)["guest"], "Bea")
    for answers in ("none", "one", "taken back"):
        table = site.tables.create("orchard", seats, "ana", seed=seed, rated=False).id
        now = partial(site.tables.get, table)
        for action in actions:
            site.tables.move(table, now().play.turn, action, now().history(now().play.turn).version)
        if answers != "none":
            site.tables.move(table, 0, secret, now().history(0).version)
        site.tables.commit(now(), (TableEvent(1, HOST_CHANGED),))
        if answers == "taken back":
            site.tables.undo(table, 0, now().history(0).version)
        got.append([pages(reader, f"/table/{table}") for reader in (stranger, visitor)])
    assert got[0] == got[1] == got[2]
    assert [status for status, _ in got[0][0]] == [200, 200, 404, 200]


def test_only_the_own_past_is_shown_during_the_game(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": 5})
    assert "Look back" not in visitor.get(table).text
    for _ in range(3):
        now = visitor.app.state.site.tables.get(table.rpartition("/")[2])
        visitor.app.state.site.tables.move(
            now.table.id, now.play.turn, now.play.legal_actions[0], now.history(now.play.turn).version
        )
    page = visitor.get(table).text
    assert f'href="{table}/replay" title="Look back"' in page
    mine = visitor.get(f"{table}/replay").text
    for missing in (f"{table}/fork", f"{table}/record", 'id="analysis"', "seat="):
        assert missing not in mine
    assert visitor.get(f"{table}/replay?seat=0").text == mine
    for seat in (-1, 1):
        refused = visitor.get(f"{table}/replay?seat={seat}")
        assert (refused.status_code, "seen yourself" in refused.text) == (403, True)
    assert stranger.get(f"{table}/replay?seat=0").status_code == 403
    assert stranger.get(f"{table}/replay?seat=-1").text == stranger.get(f"{table}/replay").text != mine


def test_a_page_shows_the_board_and_the_log_of_its_position(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seed": 5})
    tables = visitor.app.state.site.tables
    for _ in range(6):
        now = tables.get(table.rpartition("/")[2])
        tables.move(now.table.id, now.play.turn, now.play.legal_actions[0], now.history(now.play.turn).version)
    state = tables.get(now.table.id)
    timeline = timeline_of(state, 0)
    assert timeline is timeline_of(state, 0), "it is not replayed for each request"
    numbered = timeline.numbered(state.history(0).log_entries)
    for at, count in enumerate(timeline.counts):
        page = visitor.get(f"{table}/replay?at={at}", headers=HTMX).text
        assert (
            unescape(page.split('<pre tabindex="0">')[1].split("</pre>")[0]) == state.play_at(count).observe(0).board()
        )
        entries = {one.action_count for one in numbered if one.action_count <= at}
        shown = {int(number) for number in re.findall(r'title="Go to move (\d+)"', page)}
        assert max(shown, default=0) == max(entries, default=0)


def test_there_is_no_past_before_the_deal(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    refused = visitor.get(f"{table}/replay")
    assert (refused.status_code, "hasn't started" in unescape(refused.text)) == (403, True)
