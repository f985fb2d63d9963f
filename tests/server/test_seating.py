"""Players who leave, return, resign and make proposals; and abandoned games."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
from sqlalchemy import update

from almunia.errors import RecordError
from almunia.server.clock import DAY
from almunia.server.errors import Conflict, Forbidden
from almunia.server.jobs.maintenance import ABANDONED_SECONDS, PRUNE_SECONDS, WARNED_SECONDS
from almunia.server.limits import Limits
from almunia.server.storage import schema
from almunia.server.tables.log import plain_text
from almunia.server.tables.model import (
    ABANDON_WARNING,
    ACCEPTED,
    BOT,
    DECLINED,
    MOVE,
    OPEN,
    PLAYER_JOINED,
    PLAYER_LEFT,
    PROPOSED,
    Seat,
    TableEvent,
)
from almunia.server.tables.presence import RESTART_GRACE_SECONDS
from almunia.server.tables.proposals import current_proposal, moves_before_last_choice
from almunia.server.tables.viewer import Viewer
from almunia.server.web.table_page import TablePage

from ..clock import NEVER_AWAY
from ..waiting import TIMEOUT
from .seated import ANA, BEA, CEM, move, opened
from .test_seats import invitation, log

# --- leaving and returning ------------------------------------------------------------------------


def test_a_substitute_bot_plays_until_the_player_returns(site):
    table = opened(site, ANA, BEA)
    now = site.seats.step_away(table, 0, "ana", "easy")
    assert now.table.is_bot_to_move
    assert site.tables.store.with_bot_to_move() == [(table, "ana", "", False, False)]
    assert now.table.seats[0].name == "Ana"
    with pytest.raises(Conflict, match="already"):
        site.seats.step_away(table, 0, "ana", "easy")
    move(site, table, 2)
    now = site.seats.return_to_seat(table, 0, "ana")
    assert not now.table.is_bot_to_move
    assert site.tables.store.with_bot_to_move() == []
    with pytest.raises(Conflict, match="The seat is yours"):
        site.seats.return_to_seat(table, 0, "ana")
    with pytest.raises(Forbidden, match="not your seat"):
        site.seats.step_away(table, 0, "bea", "easy")


def test_a_substitute_bot_finishes_the_game(visitor):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    visitor.post(f"{table}/leave", data={"seat": 0, "spec": "random"})
    site, name = visitor.app.state.site, table.rpartition("/")[2]
    visitor.finish(table)
    assert site.tables.get(name).table.finished


def test_the_page_of_an_absent_player_offers_only_the_return(visitor, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    seat, seen, actions = visitor.seen(table)
    visitor.post(f"{table}/leave", data={"seat": 0, "spec": "easy"})
    page = visitor.get(table).text
    assert "Take your seat back" in page
    assert visitor.seen(table)[2] == []
    refused = visitor.answer(table, {"action": actions[0], "seat": seat, "seen": seen + 1})
    assert refused.status_code == 409
    assert "Take your seat back, then" in refused.text
    visitor.post(f"{table}/return", data={"seat": 0})
    assert visitor.seen(table)[2] == actions
    assert log(visitor, table) == ["● Guest is replaced by Easy bot until they come back.", "● Guest is back."]


def test_a_substitute_bot_cannot_move_after_the_return(site):
    table = opened(site, ANA, BEA)
    before = site.seats.step_away(table, 0, "ana", "easy")
    seen, action = before.history(0).version, before.play.legal_actions[0]
    site.seats.return_to_seat(table, 0, "ana")
    with pytest.raises(Conflict):
        site.tables.move(table, 0, action, seen)


# --- presence -----------------------------------------------------------------------------------------


def test_opponents_can_claim_the_seat_of_an_absent_player(site, clock):
    table = opened(site, ANA, BEA, absence_timeout=3600)
    with pytest.raises(Conflict, match="not been away for long enough"):
        site.seats.claim_seat(table, 0, "bea", "easy")
    clock.advance(3601)
    with pytest.raises(Forbidden):
        site.seats.claim_seat(table, 0, "cem", "easy")
    with pytest.raises(Forbidden):
        site.seats.claim_seat(table, 0, "ana", "easy")
    with pytest.raises(Conflict, match="'s turn, or they"):
        site.seats.claim_seat(table, 1, "ana", "easy")  # it is not Ana's turn
    now = site.seats.claim_seat(table, 0, "bea", "easy")
    assert now.table.seats[0].bot == "easy"
    assert not site.seats.return_to_seat(table, 0, "ana").table.is_bot_to_move


def view_of(site, table):
    """Return the page of a table for the player in the first seat."""
    now = site.tables.get(table)
    return TablePage(now, Viewer(0, (0,)), None, site.seats.presence_summary(now.table), now=site.clock.now())


def test_the_absence_timeout_starts_with_the_turn_of_the_absent_player(site, clock, start):
    """Otherwise a player could think long, move, and claim the seat of the absent opponent at once."""
    table = opened(site, ANA, BEA, absence_timeout=3600)
    clock.advance(4000)  # Bea has been away since then
    turn = site.tables.get(table).play.turn
    while site.tables.get(table).play.turn == turn:
        move(site, table)
    with pytest.raises(Conflict, match="not been away for long enough"):
        site.seats.claim_seat(table, 1, "ana", "easy")
    view = view_of(site, table)
    early = view.version
    assert "claim" not in view.seat_actions(1)
    assert view.next_change_at == clock.now() + 3600
    clock.advance(3600)
    again = start().app.state.site  # after a restart pages first have time to reconnect
    assert "claim" not in view_of(again, table).seat_actions(1)
    with pytest.raises(Conflict, match="not been away for long enough"):
        again.seats.claim_seat(table, 1, "ana", "easy")
    assert view_of(again, table).next_change_at == clock.now() + RESTART_GRACE_SECONDS
    clock.advance(RESTART_GRACE_SECONDS)
    late = view_of(again, table)
    assert "claim" in late.seat_actions(1)
    assert late.version != early
    assert site.seats.claim_seat(table, 1, "ana", "easy").table.seats[1].bot == "easy"
    site.seats.return_to_seat(table, 1, "bea")
    with pytest.raises(Conflict, match="not been away for long enough"):
        site.seats.claim_seat(table, 1, "ana", "easy")


def test_presence_reports_since_when_each_player_is_away(visitor, site, clock):
    table = opened(site, ANA, BEA, CEM, absence_timeout=3600)
    clock.advance(RESTART_GRACE_SECONDS)

    async def look() -> None:
        with site.presence.connect(table, "bea"):
            pass

    visitor.portal.call(look)
    left = clock.now()
    clock.advance(1000)
    found = site.seats.presence_summary(site.tables.get(table).table)
    assert found.away == {0: left - RESTART_GRACE_SECONDS, 1: left, 2: left - RESTART_GRACE_SECONDS}
    assert found.next_change_at == left - RESTART_GRACE_SECONDS + 3600


def test_a_bot_for_an_absent_player_delays_no_other_replacement(visitor, site, clock):
    table = opened(site, ANA, BEA, CEM, absence_timeout=3600)
    clock.advance(RESTART_GRACE_SECONDS)

    async def look() -> None:
        with site.presence.connect(table, "bea"):
            while site.tables.get(table).play.turn != 2:
                move(site, table)
            clock.advance(3600)
            site.seats.claim_seat(table, 2, "ana", "easy")

    visitor.portal.call(look)
    left = clock.now()
    clock.advance(1000)
    found = site.seats.presence_summary(site.tables.get(table).table, (0,))
    assert found.away[1] == left
    assert set(found.away) == {1, 2}
    assert found.next_change_at == left + 3600


def test_seats_are_not_claimed_without_an_absence_timeout(site, clock):
    table = opened(site, ANA, BEA, absence_timeout=0)
    clock.advance(1000 * DAY)
    with pytest.raises(Conflict):
        site.seats.claim_seat(table, 0, "bea", "easy")


@NEVER_AWAY
@pytest.mark.parametrize(
    ("chosen", "words"), [({"clock": "live-5"}, "run out of time"), ({}, "been away for a long time")]
)
def test_the_question_offers_a_claim_after_the_timeout(visitor, stranger, clock, chosen, words):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "zero": "claim", "absence_timeout": "3600"} | chosen)
    stranger.post(invitation(visitor, table))

    def question():
        return " ".join(stranger.get(table).text.split('id="question"')[1].split('class="acts onward"')[0].split())

    assert "Let a bot play" not in question()
    clock.advance(4000)
    asked = question()
    assert f"has {words}." in asked
    assert "Waiting for" not in asked
    assert ("Claim the win" in asked) == bool(chosen)
    stranger.post(f"{table}/claim", data={"seat": 0, "spec": "medium"})
    assert log(stranger, table)[-1].endswith("is replaced by Medium bot until they come back."), "here or not"
    assert "Let a bot play" not in question()


def test_visitors_without_an_id_are_counted_by_connection(visitor):
    presence = visitor.app.state.site.presence

    async def look():
        with (
            presence.connect("lobby", ""),
            presence.connect("lobby", ""),
            presence.connect("lobby", "ana"),
            presence.connect("lobby", "ana"),
        ):
            assert presence.count("lobby") == 3, "nobody has an id before they do something"
        assert presence.count("lobby") == 0

    visitor.portal.call(look)
    assert list(presence._left) == [("lobby", "ana")], "only of whom it can be asked"


@pytest.mark.parametrize("limits", [Limits(grace_seconds=0.0)], ids=[""])
def test_only_presence_changes_of_players_wake_streams(visitor):
    """A page does not show spectators, and each stream that wakes computes its page again."""
    site = visitor.app.state.site
    table = opened(site, ANA, BEA)
    site.tables.get(table)

    async def come():
        with site.broker.subscribe(table) as changed:
            for guest in ("", "", "cem"):
                with site.presence.connect(table, guest):
                    pass
            for count in (1, 2):  # Ana connects, then counts as absent a moment after disconnecting
                with site.presence.connect(table, "ana") if count == 1 else nullcontext():
                    await asyncio.wait_for(changed.wait(), TIMEOUT)
                assert site.broker.change_count(table) == count
                changed.clear()

    visitor.portal.call(come)


def test_presence_follows_streams_and_survives_a_restart(start, clock):
    first = start()
    site = first.app.state.site
    table = opened(site, ANA, BEA, absence_timeout=3600)
    portal = first.portal

    async def look():
        with site.presence.connect(table, "ana"):
            clock.advance(500)
            assert site.seats.presence_summary(site.tables.get(table).table).away == {1: 1_000_000.0}
            site.presence.save()

    portal.call(look)
    clock.advance(10)
    assert 0 not in site.presence.away(site.tables.get(table).table)  # the page may be reloading
    clock.advance(90)
    away = {0: 1_000_500.0, 1: 1_000_000.0}
    assert site.presence.away(site.tables.get(table).table) == away
    site.presence.save()
    again = start().app.state.site
    assert again.presence.away(again.tables.get(table).table) == away


def test_pages_show_absent_players_and_their_claims(visitor, stranger, site, clock):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "absence_timeout": "300"})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    clock.advance(100)
    assert "away for 1 minute" in visitor.get(table).text
    before = re.search(r'data-mark="([^"]+)"', visitor.get(table).text)[1]
    visitor.act(table)
    clock.advance(300)
    page = visitor.get(table).text
    assert f'action="{table}/claim"' in page
    assert re.search(r'data-mark="([^"]+)"', page)[1].endswith("m1")
    assert before.endswith("a1")
    visitor.post(f"{table}/claim", data={"seat": 1, "spec": "easy"})
    assert "Bea is replaced by Easy bot until they come back." in " ".join(log(visitor, table))
    assert f'action="{table}/claim"' not in visitor.get(table).text


def test_a_guest_without_scripts_is_present_by_fetching_pages(visitor, stranger, clock):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "absence_timeout": "300"})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    visitor.act(table)
    clock.advance(200)
    stranger.get(table)
    clock.advance(299)
    assert visitor.post(f"{table}/claim", data={"seat": 1, "spec": "easy"}).status_code == 409
    clock.advance(1)
    assert visitor.post(f"{table}/claim", data={"seat": 1, "spec": "easy"}).status_code == 200


def test_fetching_a_page_notifies_streams_of_the_presence(start, clock):
    """A page is fetched before its stream is opened, and the stream then changes no presence."""
    first = start()
    site, portal = first.app.state.site, first.portal
    table = opened(site, ANA, BEA)
    clock.advance(100)

    async def look():
        with site.broker.subscribe(table) as changed:
            site.presence.touch(table, "bea")
            async with asyncio.timeout(TIMEOUT):
                await changed.wait()
            await asyncio.sleep(0)
            return site.presence.away(site.tables.get(table).table)

    assert list(portal.call(look)) == [0]


def test_presence_is_not_shown_at_tables_with_one_person(visitor, site, clock):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    clock.advance(9 * DAY)
    assert 'class="presence' not in visitor.get(table).text.split("</head>")[1]


# --- resigning ----------------------------------------------------------------------------------------


def test_a_resignation_of_two_players_ends_the_game(visitor, stranger, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    visitor.act(table)
    stranger.act(table)
    stranger.post(f"{table}/resign", data={"seat": 1})
    assert "<bdi>You</bdi> win</h2>" in visitor.get(table).text
    assert "Bea resigned." in visitor.get(table).text
    assert "You resigned." in stranger.get(table).text
    assert "Over: you resigned" in stranger.get("/my/games").text
    assert "Over: you won" in visitor.get("/my/games").text
    assert visitor.get(f"{table}/replay").status_code == 200
    assert "seed:" in visitor.get(f"{table}/record").text
    assert visitor.act(table).status_code == 409
    assert stranger.post(f"{table}/leave", data={"seat": 1, "spec": "easy"}).status_code == 409


def test_a_resignation_among_three_gives_the_seat_to_a_bot_and_the_host_to_another(site):
    table = opened(site, ANA, BEA, CEM)
    now = site.seats.resign(table, 0, "ana", "medium")
    assert (now.table.seats[0].kind, now.table.host) == (BOT, "bea")
    assert not now.table.finished
    with pytest.raises(Forbidden):
        site.seats.return_to_seat(table, 0, "ana")


def test_the_log_of_seat_changes_is_rebuilt_from_events(site, clock):
    table = opened(site, ANA, BEA, CEM, Seat(OPEN, "", "A friend"), rated=False)
    for reader in (0, 3, -1):
        site.tables.get(table).history(reader)  # caches its history
    move(site, table, 3)
    site.seats.join(table, 3, "dan", "Dan")
    site.seats.step_away(table, 1, "bea", "easy")
    site.seats.return_to_seat(table, 1, "bea")
    site.seats.transfer_host(table, 2, "ana")
    site.seats.propose_end(table, 0, "ana")
    site.seats.answer_proposal(table, 1, "bea", agree=True)
    site.seats.answer_proposal(table, 2, "cem", agree=False)
    site.seats.resign(table, 2, "cem", "easy")
    now = move(site, table)
    assert now.table.host == "ana"
    again = type(now).from_events(now.table, site.tables.store.events(now.table), now.play.game)
    for reader in (0, 3, -1):
        assert again.history(reader).names == now.history(reader).names == ("Ana", "Bea", "Easy bot", "Dan")
        lines = [one.lines for one in now.history(reader).log_entries]
        assert [one.lines for one in again.history(reader).log_entries] == lines
        told = " ".join(str(line) for one in lines for line in one)
        assert all(
            words in told for words in ("sits down", "is replaced", "is back", "host", "asks", "declines", "resigns")
        )


def test_a_player_alone_cannot_resign(site):
    with pytest.raises(Conflict, match="so you can't resign"):
        site.seats.resign(opened(site, ANA), 0, "ana", "easy")


def test_the_host_closes_a_game_that_has_not_begun(visitor, stranger, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend"})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    assert stranger.post(f"{table}/close").status_code == 403
    visitor.post(f"{table}/close")
    assert "This game was closed." in stranger.get(table).text
    assert "Ended early" in visitor.get("/my/games").text
    begun = opened(site, ANA, BEA)
    move(site, begun)
    with pytest.raises(Conflict, match="has started"):
        site.seats.close_table(begun, "ana")


def test_the_host_hands_a_table_on(site):
    table = opened(site, ANA, BEA, Seat(BOT, "easy", "Easy bot"))
    with pytest.raises(Conflict, match="Easy bot cannot be the host"):
        site.seats.transfer_host(table, 2, "ana")
    with pytest.raises(Forbidden):
        site.seats.transfer_host(table, 1, "bea")
    assert site.seats.transfer_host(table, 1, "ana").table.host == "bea"
    assert site.tables.store.find(table).host == "bea"


# --- proposals ----------------------------------------------------------------------------------------


def test_a_game_ends_when_all_players_agree(site):
    table = opened(site, ANA, BEA, CEM, Seat(BOT, "easy", "Easy bot"), rated=False)
    site.seats.propose_end(table, 1, "bea")
    with pytest.raises(Conflict, match="still open"):
        site.seats.propose_end(table, 0, "ana")
    assert not site.seats.answer_proposal(table, 0, "ana", agree=True).table.finished
    with pytest.raises(Conflict, match="no longer open"):
        site.seats.answer_proposal(table, 1, "bea", agree=True)
    over = site.seats.answer_proposal(table, 2, "cem", agree=True)
    assert (over.table.finished, over.table.end_reason, over.table.result) == (True, "agreed", (0, 0, 0, 0))


def test_the_agreement_of_a_player_who_left_is_dropped():
    asked = [
        TableEvent(0, PROPOSED, None, "to end"),
        TableEvent(1, ACCEPTED),
        TableEvent(1, PLAYER_LEFT),
        TableEvent(1, PLAYER_JOINED),
    ]
    assert current_proposal(asked).accepted_by == {0}


def test_a_proposal_ends_when_it_is_declined_or_withdrawn(site):
    table = opened(site, ANA, BEA, CEM)
    for seat, guest in ((0, "ana"), (1, "bea")):
        site.seats.propose_end(table, 1, "bea")
        assert site.seats.answer_proposal(table, seat, guest, agree=False).proposal is None


def test_a_proposal_does_not_need_absent_players(site, clock):
    table = opened(site, ANA, BEA, CEM, absence_timeout=3600, rated=False)
    clock.advance(4000)

    async def present():
        with site.presence.connect(table, "ana"), site.presence.connect(table, "bea"):
            site.seats.propose_end(table, 0, "ana")
            return site.seats.answer_proposal(table, 1, "bea", agree=True)

    with ThreadPoolExecutor(1) as thread:  # the loop of a browser's test may run in this thread
        assert thread.submit(asyncio.run, present()).result().table.end_reason == "agreed"


def test_pages_name_the_players_with_an_open_answer(site, clock):
    """Absent players are left out, except the viewer, whose page is fetched before its stream is opened."""
    table = opened(site, ANA, BEA, CEM, absence_timeout=3600, rated=False)
    clock.advance(3500)

    async def unanswered_seats() -> list[tuple[int, ...]]:
        with site.presence.connect(table, "ana"), site.presence.connect(table, "bea"):
            now = site.tables.get(table)
            return [
                TablePage(
                    now,
                    Viewer(seat, (seat,)),
                    None,
                    site.seats.presence_summary(now.table, (seat,), now.proposal),
                    now=clock.now(),
                ).unanswered_seats
                for seat in range(3)
            ]

    with ThreadPoolExecutor(1) as thread:

        def read() -> list[tuple[int, ...]]:
            return thread.submit(asyncio.run, unanswered_seats()).result()

        assert read() == [(), (), ()]
        site.seats.propose_end(table, 0, "ana")
        assert read() == [(1, 2), (1, 2), (1, 2)]
        clock.advance(1000)
        assert read() == [(1,), (1,), (1, 2)]


@pytest.mark.parametrize("asking", ["propose_end", "propose_takeback"])
def test_a_proposal_in_a_rated_game_needs_absent_players(site, clock, asking):
    table = opened(site, ANA, BEA, absence_timeout=3600)
    move(site, table)
    clock.advance(4000)  # Bea has gone away while Ana is to move
    now = getattr(site.seats, asking)(table, 0, "ana")
    assert now.proposal
    assert not now.table.finished
    assert now.play.actions
    while site.tables.get(table).play.turn == 0:
        move(site, table)
    clock.advance(4000)
    site.seats.claim_seat(table, 1, "ana", "easy")
    site.seats.answer_proposal(table, 0, "ana", agree=False)
    assert getattr(site.seats, asking)(table, 0, "ana").proposal, "a bot that stands in answers for nobody"
    assert not site.seats.answer_proposal(table, 1, "bea", agree=True).proposal, "its person can"


@pytest.mark.parametrize("asking", ["propose_end", "propose_takeback"])
def test_a_rated_game_with_bots_cannot_end_by_agreement(visitor, stranger, site, asking):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "bot-easy"})
    stranger.post(invitation(visitor, table), data={"name": "Second"})
    name = table.rpartition("/")[2]
    move(site, name, 6)
    guest = site.tables.get(name).table.seats[0].player
    assert site.tables.get(name).table.rated
    with pytest.raises(Conflict, match="You can resign"):
        getattr(site.seats, asking)(name, 0, guest)
    assert f'action="{table}/propose"' not in visitor.get(table).text


def test_a_proposal_in_a_rated_game_ends_when_a_bot_takes_a_seat(site):
    table = opened(site, ANA, BEA, CEM)
    site.seats.propose_end(table, 0, "ana")
    assert site.seats.resign(table, 2, "cem", "easy").proposal is None
    with pytest.raises(Conflict, match="no longer open"):
        site.seats.answer_proposal(table, 1, "bea", agree=True)


def test_pages_offer_possible_proposals_and_their_effect_on_ratings(visitor, stranger, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    before, back = visitor.get(table).text, "Ask to take back your last move"
    assert "Ask the others to end the game" in before
    assert back not in before, "nothing has been played yet"
    move(site, table.rpartition("/")[2])
    assert (visitor.get(table).text + stranger.get(table).text).count(back) == 1
    visitor.post(f"{table}/propose", data={"seat": 0, "what": "end"})
    assert "If everyone agrees, the game won't change any ratings." in stranger.get(table).text


def test_a_proposal_ends_when_its_player_resigns(site):
    table = opened(site, ANA, BEA, CEM, game="oregon", rated=False)
    site.seats.propose_end(table, 0, "ana")
    assert site.seats.resign(table, 0, "ana", "easy").proposal is None
    assert site.seats.propose_end(table, 1, "bea").proposal.seat == 1


def test_proposals_need_another_person(site):
    table = opened(site, ANA, Seat(BOT, "easy", "Easy bot"))
    with pytest.raises(Conflict, match="bots don't answer"):
        site.seats.propose_end(table, 0, "ana")


@pytest.mark.parametrize("game", ["orchard", "oregon"])
def test_an_agreed_takeback_goes_back_further_than_a_turn(site, game):
    table = opened(site, ANA, BEA, game=game)
    before = site.tables.get(table)
    while (now := site.tables.get(table)).play.turns < 3:
        move(site, table)
    seat = now.play.turn
    with pytest.raises(Forbidden):
        site.tables.undo(table, 1 - seat, now.history(1 - seat).version)
    asked = site.seats.propose_takeback(table, 1 - seat, ("ana", "bea")[1 - seat])
    back = site.seats.answer_proposal(table, seat, ("ana", "bea")[seat], agree=True)
    kept = back.play.actions
    assert kept == now.play.actions[: len(kept)]
    assert len(kept) < len(now.play.actions)
    assert back.play.turn == 1 - seat or game == "orchard"
    moves = sum(site.game_lists.count_moves(guest, [table])[table] for guest in ("ana", "bea"))
    assert moves == len(kept)
    again = type(back).from_events(back.table, site.tables.store.events(back.table), before.play.game)
    assert again.play.to_state() == back.play.to_state()
    for reader in (0, 1, -1):
        lines = [plain_text(line) for one in again.history(reader).log_entries for line in one.lines]
        assert any("All players agree to take the game back to before" in line for line in lines)
        assert lines == [plain_text(line) for one in back.history(reader).log_entries for line in one.lines]
    turn = back.play.turn
    with pytest.raises(Conflict):  # from an outdated page
        site.tables.move(table, turn, back.play.legal_actions[0], asked.history(turn).version)
    move(site, table)


def test_a_late_takeback_shows_how_many_moves_it_takes_back(visitor, stranger, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    move(site, table.rpartition("/")[2])
    visitor.post(f"{table}/propose", data={"seat": 0, "what": "back"})
    assert "to take back their last move" in stranger.get(table).text
    assert "The game has gone on" not in stranger.get(table).text
    move(site, table.rpartition("/")[2], 5)  # two of these moves are not visible yet
    assert "The game has gone on: 3 moves since then would be taken back too." in stranger.get(table).text
    stranger.post(f"{table}/answer-proposal", data={"seat": 1, "agree": 1})
    assert site.tables.get(table.rpartition("/")[2]).play.actions == []


def test_a_takeback_after_a_longer_undo_changes_nothing(site):
    table = opened(site, ANA, BEA, game="oregon")
    while not (now := move(site, table)).undo_count(whole_turn=True) > now.undo_count() > 0:
        pass
    seat, players = now.play.turn, ("ana", "bea")
    now = site.seats.propose_takeback(table, seat, players[seat])
    now = site.tables.undo(table, seat, now.history(seat).version, whole_turn=True)
    after = site.seats.answer_proposal(table, 1 - seat, players[1 - seat], agree=True)
    assert after.proposal is None
    assert after.play.actions == now.play.actions


def test_a_proposal_stays_open_after_moves():
    """If a secret move ended the proposal, this would reveal the move."""
    ask, secret = TableEvent(0, PROPOSED, 2, "to go back"), TableEvent(1, MOVE, 5)
    assert current_proposal([ask, secret]) == current_proposal([ask])
    assert current_proposal([ask, secret, TableEvent(1, ACCEPTED)]).accepted_by == {0, 1}
    assert current_proposal([ask, TableEvent(1, DECLINED)]) is None


def test_a_takeback_includes_all_actions_of_a_choice():
    acts = [
        TableEvent(0, MOVE, 1),
        TableEvent(1, MOVE, 2),
        TableEvent(1, MOVE, 3, same_choice=True),
        TableEvent(0, MOVE, 4),
    ]
    assert [moves_before_last_choice(acts, seat) for seat in (0, 1, 2)] == [3, 1, None]


# --- closed and expired games -------------------------------------------------------------------------


def test_an_abandoned_game_ends_after_a_warning(site, clock):
    table, other = opened(site, ANA, BEA), opened(site, ANA, Seat(OPEN, "", "A friend"))
    clock.advance(ABANDONED_SECONDS + 1)
    site.maintenance.run_once()
    told = site.tables.get(table)
    assert not told.table.finished
    assert "The game ends in 14 days unless a player moves." in str(told.history(0).log_entries[-1].lines[0])
    clock.advance(WARNED_SECONDS - 1)
    site.maintenance.run_once()
    clock.advance(PRUNE_SECONDS)
    move(site, table)
    clock.advance(2)
    site.maintenance.run_once()
    assert not site.tables.get(table).table.finished  # a move was played
    assert site.tables.get(other).table.end_reason == "closed"
    site.maintenance.run_once()
    assert site.tables.get(table).table.version == told.table.version + 1


@NEVER_AWAY
def test_a_move_after_the_search_for_abandoned_games_keeps_the_game(site, clock, monkeypatch):
    table, store = opened(site, ANA, BEA), site.tables.store
    search = store.abandoned

    def search_then_move(*given):
        found = search(*given)
        assert any(table in tables for tables in found)
        move(site, table)
        return found

    clock.advance(ABANDONED_SECONDS + 1)
    with monkeypatch.context() as patched:
        patched.setattr(store, "abandoned", search_then_move)
        site.maintenance.run_once()
    assert not site.tables.get(table).event_times(ABANDON_WARNING)
    clock.advance(ABANDONED_SECONDS + 1)
    site.maintenance.run_once()
    assert site.tables.get(table).event_times(ABANDON_WARNING)
    clock.advance(WARNED_SECONDS + PRUNE_SECONDS)
    monkeypatch.setattr(store, "abandoned", search_then_move)
    site.maintenance.run_once()
    assert not site.tables.get(table).table.finished


@NEVER_AWAY
def test_undone_moves_do_not_keep_an_abandoned_game_open(site, clock):
    table = opened(site, ANA, BEA, game="oregon")
    while not (now := move(site, table)).undo_count() or now.play.turn != 0:
        pass
    for _ in range(10):
        clock.advance(10 * DAY)
        site.maintenance.run_once()
        if not (now := site.tables.get(table)).table.finished:
            now = site.tables.undo(table, 0, now.history(0).version)
            move(site, table)
    now = site.tables.get(table)
    assert (now.table.end_reason, now.table.resigned_seat) == ("timed_out", 0)
    assert len(now.event_times(ABANDON_WARNING)) == 1, "which is not said again and again"


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("leave", {"seat": 0, "spec": "clever"}, 422),
        ("leave", {"seat": 7, "spec": "easy"}, 404),
        ("leave", {"seat": "x", "spec": "easy"}, 400),
        ("propose", {"seat": 0, "what": "money"}, 400),
        ("answer-proposal", {"seat": 0, "agree": "perhaps"}, 400),
        ("answer-proposal", {"seat": 0, "agree": 1}, 409),
        ("host", {"seat": 0}, 409),
        ("claim", {"seat": 0, "spec": "easy"}, 403),
        ("return", {"seat": 0}, 409),
        ("claim-win", {"seat": 1}, 409),
        ("claim-win", {"seat": 0}, 403),
        ("claim-win", {"seat": 2}, 404),
    ],
)
def test_refused_requests_change_nothing(visitor, site, path, fields, status):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    before = site.tables.get(table.rpartition("/")[2]).table.version
    assert visitor.post(f"{table}/{path}", data=fields).status_code == status
    assert site.tables.get(table.rpartition("/")[2]).table.version == before


def test_an_invalid_absence_timeout_is_refused(visitor):
    answer = visitor.post("/games/orchard/tables", data={"seat-0": "me", "seat-1": "friend", "absence_timeout": "7"})
    assert answer.status_code == 422
    assert "The waiting time cannot be 7 seconds" in answer.text


# --- other rules ---------------------------------------------------------------------------------------


def under_other_rules(site, table):
    """Set another rules version at a table, and clear the cache."""
    with site.tables.store._engine.begin() as db:
        db.execute(update(schema.game_table).where(schema.game_table.c.id == table).values(rules=99))
    site.tables._cache.clear()


def test_a_table_continues_under_new_rules_if_its_moves_are_unchanged(site):
    table = opened(site, ANA, BEA)
    before = move(site, table, 3).play.to_state()
    under_other_rules(site, table)
    assert site.tables.get(table).play.to_state() == before
    move(site, table)


@pytest.mark.parametrize("changed", [{"text": "place 99 at 0,0"}, {"seat": 1}, {"action": 9801}])
def test_a_table_whose_moves_differ_under_new_rules_is_refused_and_ended(site, clock, changed):
    table = opened(site, ANA, BEA)
    move(site, table, 2)
    entry = schema.table_event.c
    with site.tables.store._engine.begin() as db:
        db.execute(update(schema.table_event).where(entry.table == table, entry.number == 1).values(**changed))
    under_other_rules(site, table)
    with pytest.raises(RecordError, match="started with version 99 of the rules"):
        site.tables.get(table)
    clock.advance(ABANDONED_SECONDS + 1)
    site.maintenance.run_once()
    assert site.tables.store.find(table).end_reason == "rules_changed"


def test_the_doctor_lists_tables_that_new_rules_would_change(start, tmp_path, capsys, database, monkeypatch):
    from almunia.cli import main

    monkeypatch.setenv("ALMUNIA_DATABASE", database)
    site = start().app.state.site
    good, bad = opened(site, ANA, BEA), opened(site, ANA, BEA, game="oregon")
    for table in (good, bad):
        move(site, table, 2)
        under_other_rules(site, table)
    entry = schema.table_event.c
    with site.tables.store._engine.begin() as db:
        db.execute(update(schema.table_event).where(entry.table == bad).values(text="something else"))
    before = site.tables.store.all()
    assert main(["doctor", "--replay-all", "--data", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("1 table of 2 can be continued as they are.")
    assert f"{bad} (oregon, running): This game was started with version 99" in said
    assert site.tables.store.all() == before
    monkeypatch.delenv("ALMUNIA_DATABASE")
    assert main(["doctor", "--replay-all", "--data", str(tmp_path / "nowhere")]) != 0
    assert main(["doctor", "--data", str(tmp_path)]) != 0
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "almunia.sqlite3").write_bytes(b"no database " * 1000)
    assert main(["doctor", "--replay-all", "--data", str(tmp_path / "broken")]) == 2
    assert "cannot be read: file is not a database." in capsys.readouterr().err
