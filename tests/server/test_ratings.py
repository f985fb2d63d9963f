"""Ratings: which games count, each once and in order, and no result before the end."""

import re
from dataclasses import replace
from html import unescape

import pytest
from sqlalchemy import select, update

from almunia.cli import main
from almunia.server.auth import accounts
from almunia.server.errors import Conflict
from almunia.server.jobs.maintenance import ABANDONED_SECONDS, BOT_GAME_ABANDONED_SECONDS, PRUNE_SECONDS, WARNED_SECONDS
from almunia.server.ratings import game_results, ratings, repository
from almunia.server.ratings.ratings import NEWCOMER_GAMES, Rating
from almunia.server.storage import schema
from almunia.server.tables.clocks import CLAIM, REALTIME, TimeControl
from almunia.server.tables.model import (
    BOT,
    MOVE,
    OPEN,
    PERSON,
    PLAYER_JOINED,
    PLAYER_LEFT,
    RESIGN,
    RETURNED,
    SUBSTITUTED,
    UNDO,
    Seat,
    TableEvent,
)
from almunia.server.tables.viewer import Viewer
from almunia.server.users.visitors import DEFAULT_PREFERENCES, Visitor
from almunia.server.web.table_page import TablePage

from ..attack.target import token_of
from ..clock import NEVER_AWAY
from .seated import ANA, BEA, CEM, move, opened

EASY = Seat(BOT, "easy", "Easy bot")
HARD = Seat(BOT, "hard", "Hard bot")
NOBODY = Seat(OPEN, "", "A friend")
DEAL = "9 12 1 14 8 13 4 11 16"


def engine(site):
    return site.tables.store._engine


def rows(site, table=schema.result):
    with engine(site).connect() as db:
        return [dict(row) for row in db.execute(select(table)).mappings()]


def finished(site, table):
    """Play the first legal actions until the game is over, and return the state."""
    while not (now := site.tables.get(table)).table.finished:
        seat = now.play.turn
        site.tables.move(table, seat, now.play.legal_actions[0], now.history(seat).version)
    return now


def view_of(site, table, seat=0):
    """Return the page of a table for the player in a seat."""
    now = site.tables.get(table)
    return TablePage(now, Viewer(seat, (seat,)), None, site.seats.presence_summary(now.table), now=site.clock.now())


def known(site):
    return {(row["guest"], row["game"]): row for row in rows(site, schema.rating)}


def test_a_game_of_two_players_changes_both_ratings_once(site):
    table = opened(site, ANA, BEA)
    assert not rows(site), "nothing is written before the end"
    now = finished(site, table)
    found = {row["player"]: row for row in rows(site)}
    assert [found[name]["points"] for name in ("ana", "bea")] == list(now.table.result)
    assert [found[name]["rank"] for name in ("ana", "bea")] == list(now.play.outcome.ranks)
    assert [found[name]["number"] for name in ("ana", "bea")] == [1, 1]
    moved = known(site)
    assert moved["ana", "orchard"]["games"] == moved["bea", "orchard"]["games"] == 1
    winner, loser = sorted(("ana", "bea"), key=lambda name: found[name]["rank"])
    if found[winner]["rank"] < found[loser]["rank"]:
        assert moved[winner, "orchard"]["mu"] > 25 > moved[loser, "orchard"]["mu"]
    assert moved[winner, "orchard"]["sigma"] < 25 / 3


@pytest.mark.parametrize(
    "more",
    [
        *({"hints": True}, {"seed": 7}, {"rated": False}, {"lesson": True}, {"first": (), "played_on": True}),
        {"options": {"deal": DEAL}},
    ],
)
def test_tables_with_possible_help_are_not_rated(site, more):
    assert not site.tables.get(opened(site, ANA, BEA, **more)).table.rated


def test_other_options_are_rated(site):
    assert site.tables.get(opened(site, ANA, BEA, options={"half": "second", "deal": ""})).table.rated


def test_games_with_one_person_and_no_bot_are_not_rated(site):
    assert not site.tables.get(opened(site, ANA)).table.rated
    assert not site.tables.get(opened(site, ANA, ANA)).table.rated


def test_an_unrated_game_leaves_a_result_and_no_rating(site):
    finished(site, opened(site, ANA, BEA, rated=False))
    assert len(rows(site)) == 2
    assert not known(site)


def test_bots_are_fixed_points(site):
    table = opened(site, ANA, EASY)
    finished(site, table)
    bot = next(row for row in rows(site) if row["kind"] == BOT)
    assert Rating(bot["mu_before"], bot["sigma_before"]) == ratings.bot_rating("orchard", "easy")
    assert bot["mu"] is None
    assert set(known(site)) == {("ana", "orchard")}


def counted_in(site, seat):
    """Play rated games against a bot, until the player is no newcomer."""
    for _ in range(NEWCOMER_GAMES):
        finished(site, opened(site, seat, EASY))


def strength(site, guest):
    """Return a guest's rating in Orchard; None if there is none."""
    row = known(site).get((guest, "orchard"))
    return Rating(row["mu"], row["sigma"]) if row else None


def test_wins_against_newcomers_raise_no_rating(site):
    counted_in(site, ANA)
    before = strength(site, "ana")
    for number in range(3):
        finished(site, opened(site, Seat(PERSON, f"new {number}", "Bea"), ANA))
    after = known(site)
    assert strength(site, "ana") == before
    assert after["new 0", "orchard"]["sigma"] < 25 / 3, "who is new is rated all the same"
    assert after["new 0", "orchard"]["games"] == 1
    assert repository.recompute(engine(site)) == (NEWCOMER_GAMES + 3, 0)


def newcomers(site, *guests):
    with engine(site).connect() as db:
        return repository.newcomers_among(db, guests, "orchard")


def test_a_newcomer_becomes_established_by_games_against_established_players(site):
    crowd = [Seat(PERSON, f"one of {number}", "Other") for number in range(NEWCOMER_GAMES)]
    for first in range(NEWCOMER_GAMES):
        finished(site, opened(site, *crowd[first:], *crowd[:first], CEM))
    assert len(newcomers(site, *(seat.player for seat in crowd))) == NEWCOMER_GAMES, "guests do not count each other in"
    counted_in(site, ANA)
    assert newcomers(site, "ana", "cem") == {"cem"}, "bots arrange nothing"
    for _ in range(NEWCOMER_GAMES):
        finished(site, opened(site, BEA, ANA))
    assert newcomers(site, "ana", "bea") == {"bea"}, "these were one opponent"
    for _ in range(NEWCOMER_GAMES - 2):
        finished(site, opened(site, BEA, EASY))
    site.seats.resign(opened(site, BEA, EASY), 0, "bea", "easy")
    assert newcomers(site, "bea") == {"bea"}, "a game that was given up at once counts nobody in"
    finished(site, opened(site, BEA, HARD))
    assert newcomers(site, "bea") == set()
    finished(site, opened(site, CEM, *(Seat(BOT, "easy", f"Easy bot {number}") for number in range(NEWCOMER_GAMES))))
    assert newcomers(site, "cem") == {"cem"}, "one game is not five, however many play it"
    assert repository.recompute(engine(site))[1] == 0


def test_games_between_newcomers_are_dropped_when_they_become_established(site):
    for number in range(NEWCOMER_GAMES):
        finished(site, opened(site, Seat(PERSON, f"new {number}", "New"), ANA))
    among = strength(site, "ana")
    counted_in(site, BEA)
    alone, after = Rating(), []
    for _ in range(NEWCOMER_GAMES):
        finished(site, opened(site, ANA, EASY))
        own, bot = (next(row for row in rows(site)[-2:] if row["kind"] == kind) for kind in (PERSON, BOT))
        alone = ratings.rate([alone, ratings.bot_rating("orchard", "easy")], [own["rank"], bot["rank"]])[0]
        after.append(strength(site, "ana"))
    assert among != Rating()
    assert after[-1] == alone
    assert after[-2] != alone
    assert repository.recompute(engine(site)) == (3 * NEWCOMER_GAMES, 0)
    finished(site, opened(site, ANA, BEA))
    assert next(row["mu_before"] for row in rows(site)[-2:] if row["player"] == "ana") == alone.mu
    assert repository.recompute(engine(site)) == (3 * NEWCOMER_GAMES + 1, 0)


def test_games_that_opponents_resign_at_once_are_not_rated_games(site):
    with engine(site).begin() as db:
        accounts.create_account(db, "ana", "Ana", {}, now=site.clock.now())
    site.profiles.set_visibility(Visitor("ana", "Ana", **DEFAULT_PREFERENCES), {"boards": True})
    for number in range(NEWCOMER_GAMES):
        site.seats.resign(opened(site, ANA, Seat(PERSON, f"new {number}", "New")), 1, f"new {number}", "easy")
    assert ("ana", "orchard") not in known(site)
    assert known(site)["new 0", "orchard"]["games"] == 1
    assert repository.recompute(engine(site)) == (NEWCOMER_GAMES, 0)
    counted_in(site, ANA)
    assert [(one.name, one.games) for one in site.profiles.leaderboard("orchard", 1, "")[0]] == [
        ("Ana", NEWCOMER_GAMES)
    ]


def standings(*given):
    """Return the final results of players from their ratings, ranks and other fields."""
    return [ratings.FinalResult(rating, rank, **more) for rating, rank, more in given]


BEFORE = [Rating(30.0, 2.0), Rating(25.0, 8.0), Rating(28.0, 2.0)]


@pytest.mark.parametrize("kind", ["is_newcomer", "gave_up_early"])
def test_other_players_are_rated_without_newcomers_and_quitters(kind):
    after = ratings.ratings_after(standings((BEFORE[0], 1, {}), (BEFORE[1], 2, {kind: True}), (BEFORE[2], 3, {})))
    assert [after[0], after[2]] == ratings.rate([BEFORE[0], BEFORE[2]], [1, 3])
    assert after[1] == ratings.rate(BEFORE, [1, 2, 3])[1]
    several = standings(*((rating, rank, {kind: True}) for rank, rating in enumerate(BEFORE, 1)))
    assert (ratings.ratings_after(several) == ratings.rate(BEFORE, [1, 2, 3])) == (kind == "is_newcomer")


def test_an_early_end_compares_only_pairs_with_a_resigned_player():
    early = {"played_to_end": False}
    given = zip([*BEFORE, Rating(35.0, 2.0)], (1, 3, 1, 3), strict=True)
    after = ratings.ratings_after(standings(*((rating, rank, early) for rating, rank in given)))
    assert after[0] == ratings.rate([BEFORE[0], BEFORE[1], Rating(35.0, 2.0)], [1, 3, 3])[0]
    assert after[1] == ratings.rate(BEFORE, [1, 3, 1])[1]
    alone = ratings.ratings_after(standings((BEFORE[0], 2, early), (BEFORE[1], 2, early)))
    assert alone == BEFORE[:2], "nothing is known of two who both gave up"


@NEVER_AWAY
def test_an_abandoned_game_gains_nothing_from_strong_bots(site, clock):
    table = opened(site, ANA, BEA, HARD, HARD)
    while (now := site.tables.get(table)).play.turn != 1 or game_results.own_moves(now.events)[1] < 5:
        move(site, table)
    for seconds in (ABANDONED_SECONDS + PRUNE_SECONDS, WARNED_SECONDS + PRUNE_SECONDS):
        clock.advance(seconds)
        site.maintenance.run_once()
    assert [row["rank"] for row in rows(site)] == [1, 4, 1, 1]
    assert strength(site, "ana") == ratings.rate([Rating(), Rating()], [1, 2])[0]
    assert repository.recompute(engine(site)) == (1, 0)


def test_a_game_weighs_as_much_as_it_says():
    whole = ratings.ratings_after(standings((BEFORE[0], 1, {}), (BEFORE[1], 2, {})))
    half = ratings.ratings_after(standings((BEFORE[0], 1, {"weight": 0.5}), (BEFORE[1], 2, {})))
    assert half[1] == whole[1]
    assert half[0].mu == pytest.approx((BEFORE[0].mu + whole[0].mu) / 2)
    assert half[0].sigma ** 2 == pytest.approx((BEFORE[0].sigma ** 2 + whole[0].sigma ** 2) / 2)


def test_repeated_games_of_the_same_players_weigh_less(site, clock):
    for seats in ((ANA, BEA), (BEA, ANA), (ANA, BEA, CEM), (ANA, EASY), (CEM, BEA)):
        finished(site, opened(site, *seats))
    weights = {(row["number"], row["player"]): row["weight"] for row in rows(site) if row["kind"] == PERSON}
    assert [weights[number, "ana"] for number in (1, 2, 3, 4)] == [1, 0.5, 0.25, 1], "bots arrange nothing"
    assert [weights[number, "cem"] for number in (3, 5)] == [1, 0.5]
    assert weights[5, "bea"] == 0.5
    clock.advance(repository.REPEAT_SECONDS)
    finished(site, opened(site, ANA, BEA))
    assert {row["weight"] for row in rows(site) if row["number"] == 6} == {1}
    assert repository.recompute(engine(site)) == (6, 0)


def test_resigning_guests_cannot_inflate_a_rating(site):
    """One guest resigns games to another one, and then loses twelve games to a third player."""
    for _ in range(NEWCOMER_GAMES):
        site.seats.resign(opened(site, BEA, CEM), 0, "bea", "easy")
    assert strength(site, "cem") is None, "nobody rises by that"
    before = strength(site, "bea")
    for _ in range(12):
        table = opened(site, CEM, BEA)
        move(site, table, 2 * game_results.EARLY_MOVES)
        site.seats.resign(table, 1, "bea", "easy")
    assert strength(site, "cem").points < ratings.bot_rating("orchard", "hard").points
    assert strength(site, "cem").ordinal < ratings.bot_rating("orchard", "easy").ordinal
    assert strength(site, "bea").mu < before.mu


def test_a_resignation_loses_and_raises_no_rating_before_the_fifth_move(site):
    site.seats.resign(opened(site, ANA, BEA), 0, "ana", "easy")
    assert {row["player"]: row["rank"] for row in rows(site)} == {"ana": 2, "bea": 1}
    assert strength(site, "ana").mu < 25
    assert strength(site, "bea") is None
    table = opened(site, CEM, Seat(PERSON, "dan", "Dan"))
    move(site, table, 2 * game_results.EARLY_MOVES)
    site.seats.resign(table, 0, "cem", "easy")
    assert strength(site, "cem").mu < 25 < strength(site, "dan").mu


def test_own_moves_exclude_undone_moves_and_moves_of_bots():
    acts = [
        TableEvent(0, MOVE, 1),
        TableEvent(0, MOVE, 2, same_choice=True),
        TableEvent(0, SUBSTITUTED),
        TableEvent(0, MOVE, 1),
        TableEvent(0, RETURNED),
    ]
    assert game_results.own_moves(acts)[0] == 1
    assert game_results.own_moves([*acts, TableEvent(0, MOVE, 1), TableEvent(0, UNDO)])[0] == 1
    assert (
        game_results.own_moves([*acts, TableEvent(0, MOVE, 1), TableEvent(0, RESIGN), TableEvent(0, MOVE, 1)])[0] == 2
    )
    assert (
        game_results.own_moves([TableEvent(0, PLAYER_LEFT), TableEvent(0, PLAYER_JOINED), TableEvent(0, MOVE, 1)])[0]
        == 1
    ), "of whoever sits there now"


# --- abandoned deals -------------------------------------------------------------------------------


def test_a_rated_game_cannot_be_closed_after_the_deal(visitor, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    for path in ("close", "abort"):
        assert visitor.post(f"{table}/{path}", data={"seat": 0}).status_code == 409
    assert "Abort this game" not in visitor.get(table).text
    unrated = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "unrated": 1})
    assert "Abort this game" in visitor.get(unrated).text
    assert visitor.post(f"{unrated}/abort", data={"seat": 0}, follow_redirects=False).status_code == 303


@pytest.mark.parametrize("bots", [(EASY,), (EASY, HARD)])
def test_a_resignation_against_bots_is_last(site, bots):
    now = site.seats.resign(opened(site, ANA, *bots), 0, "ana", "easy")
    assert (now.table.finished, now.table.resigned_seat) == (True, 0), "no bot plays on for nobody"
    assert [row["rank"] for row in rows(site)] == [len(bots) + 1, *(1 for _ in bots)]
    assert strength(site, "ana").mu < 25


def test_a_game_ends_when_its_last_person_resigns(site):
    table = opened(site, ANA, BEA, EASY, HARD)
    assert not site.seats.resign(table, 0, "ana", "easy").table.finished
    assert site.seats.resign(table, 1, "bea", "easy").table.finished
    assert {row["player"]: row["rank"] for row in rows(site)} == {"ana": 3, "bea": 3, "easy": 1, "hard": 1}


def test_a_deleted_guest_resigns_rated_games(site):
    now = site.seats.leave_permanently(opened(site, ANA, EASY), 0, "ana", "easy")
    assert (now.table.end_reason, now.table.resigned_seat) == ("resigned", 0)
    assert (
        site.seats.leave_permanently(opened(site, ANA, EASY, rated=False), 0, "ana", "easy").table.end_reason
        == "closed"
    )


@NEVER_AWAY
@pytest.mark.parametrize("other", [BEA, EASY], ids=["a person", "a bot"])
def test_an_abandoned_rated_game_is_lost_by_the_player_to_move(site, clock, other):
    table, unrated = opened(site, ANA, other), opened(site, ANA, other, rated=False)
    idle = ABANDONED_SECONDS if other is BEA else BOT_GAME_ABANDONED_SECONDS
    for seconds in (idle - PRUNE_SECONDS, PRUNE_SECONDS + 1, WARNED_SECONDS - PRUNE_SECONDS, PRUNE_SECONDS + 1):
        assert not site.tables.get(table).table.finished
        clock.advance(seconds)
        site.maintenance.run_once()
    now = site.tables.get(table).table
    assert (now.end_reason, now.resigned_seat) == ("timed_out", 0)
    assert [row["rank"] for row in rows(site) if row["table"] == table] == [2, 1]
    assert strength(site, "ana").mu < 25
    assert site.tables.get(unrated).table.resigned_seat is None
    assert site.tables.get(unrated).table.finished == (other is BEA)


@NEVER_AWAY
def test_an_abandoned_game_is_lost_by_a_player_with_a_substitute_bot(site, clock):
    table = opened(site, ANA, EASY)
    site.seats.step_away(table, 0, "ana", "easy")
    move(site, table)
    assert site.tables.get(table).play.turn == 1
    for seconds in (BOT_GAME_ABANDONED_SECONDS + 1, WARNED_SECONDS + 1):
        clock.advance(seconds)
        site.maintenance.run_once()
    assert site.tables.get(table).table.resigned_seat == 0


@NEVER_AWAY
@pytest.mark.parametrize("rated", [True, False])
def test_an_expired_clock_against_bots_ends_the_game(site, clock, rated):
    table = opened(site, ANA, EASY, rated=rated, time_control=TimeControl(REALTIME, 300, 10, CLAIM))
    clock.advance(299)
    site.maintenance.run_once()
    assert not site.tables.get(table).table.finished
    clock.advance(2)
    site.maintenance.run_once()
    now = site.tables.get(table).table
    assert (now.end_reason, now.resigned_seat) == (("timed_out", 0) if rated else ("", None))
    assert (strength(site, "ana") is not None) == rated


def test_a_game_without_a_deal_changes_no_rating(site):
    site.seats.resign(opened(site, ANA, NOBODY), 0, "ana", "easy")
    assert site.seats.close_table(opened(site, ANA, NOBODY, NOBODY), "ana").table.end_reason == "closed"
    assert not known(site)


def test_a_resignation_among_three_is_last_and_rated(site):
    table = opened(site, ANA, BEA, CEM)
    move(site, table, 3)
    site.seats.resign(table, 1, "bea", "easy")
    finished(site, table)
    found = {row["player"]: row for row in rows(site)}
    assert found["bea"]["rank"] == 3
    assert not found["bea"]["played_to_end"]
    assert {found["ana"]["rank"], found["cem"]["rank"]} <= {1, 2}
    assert set(known(site)) == {(name, "orchard") for name in ("ana", "bea", "cem")}


def test_a_player_whose_bot_moved_is_last(site):
    acts = [
        TableEvent(0, SUBSTITUTED),
        TableEvent(0, MOVE, 1),
        TableEvent(0, RETURNED),
        TableEvent(1, SUBSTITUTED),
        TableEvent(1, RETURNED),
        TableEvent(1, MOVE, 1),
    ]
    assert game_results.substituted_seats(acts) == {0}
    table = site.tables.get(opened(site, ANA, BEA, CEM)).table
    places = game_results.seat_results(table, acts, (1, 2, 3), set())
    assert [(one.rank, one.played_to_end) for one in places] == [(3, False), (1, True), (2, True)]


def test_a_player_whose_bot_moved_does_not_win_by_a_resignation(site):
    table = opened(site, ANA, BEA)
    move(site, table, 2 * game_results.EARLY_MOVES)
    site.seats.step_away(table, 0, "ana", "hard")
    move(site, table, 2)
    site.seats.return_to_seat(table, 0, "ana")
    site.seats.resign(table, 1, "bea", "easy")
    assert [(row["player"], row["rank"]) for row in rows(site)] == [("ana", 2), ("bea", 2)], "nobody has won"
    assert view_of(site, table).winner is None
    assert site.profiles.game_stats("ana")[0].won == 0
    ended = replace(site.tables.get(table).table, seats=(ANA, BEA, CEM), resigned_seat=2)
    acts = [TableEvent(0, SUBSTITUTED), TableEvent(0, MOVE, 1)]
    assert [one.rank for one in game_results.seat_results(ended, acts, None, {2})] == [2, 1, 2]


@NEVER_AWAY
def test_a_player_with_a_substitute_bot_cannot_claim_a_win(site, clock):
    table = opened(site, ANA, BEA, time_control=TimeControl(REALTIME, 300, 10, CLAIM))
    site.seats.step_away(table, 1, "bea", "easy")
    clock.advance(301)
    assert "win" not in view_of(site, table, 1).seat_actions(0)
    with pytest.raises(Conflict, match="A bot is playing for you"):
        site.seats.claim_win_on_time(table, 0, "bea")
    site.seats.return_to_seat(table, 1, "bea")
    assert "win" in view_of(site, table, 1).seat_actions(0)
    assert site.seats.claim_win_on_time(table, 0, "bea").table.resigned_seat == 0


def test_ties_share_a_rank_and_agreed_ends_have_none(site):
    table = site.tables.get(opened(site, ANA, BEA, CEM)).table
    assert [one.rank for one in game_results.seat_results(table, [], (1, 1, 3), set())] == [1, 1, 3]
    table = opened(site, ANA, BEA)
    move(site, table, 2)
    site.seats.propose_end(table, 0, "ana")
    site.seats.answer_proposal(table, 1, "bea", agree=True)
    assert [(row["rank"], row["points"]) for row in rows(site)] == [(None, None)] * 2
    assert not known(site)


def test_an_agreed_takeback_makes_a_game_unrated(site):
    table = opened(site, ANA, BEA)
    move(site, table, 4)
    seat = site.tables.get(table).effective_moves[-1].seat
    site.seats.propose_takeback(table, seat, ("ana", "bea")[seat])
    site.seats.answer_proposal(table, 1 - seat, ("bea", "ana")[seat], agree=True)
    finished(site, table)
    assert len(rows(site)) == 2
    assert not known(site)


def test_recomputed_ratings_equal_stored_ones(site):
    for seats in ((ANA, BEA), (BEA, CEM, ANA), (ANA, EASY), (CEM, BEA), (ANA, CEM)):
        finished(site, opened(site, *seats))
    before, moved = known(site), rows(site)
    assert repository.recompute(engine(site)) == (5, 0)
    assert (known(site), rows(site)) == (before, moved)
    with engine(site).begin() as db:
        db.execute(update(schema.rating).where(schema.rating.c.guest == "ana").values(mu=99.0))
    assert repository.recompute(engine(site)) == (5, 1)
    assert known(site) == before


def test_the_doctor_computes_ratings_again(site, tmp_path, capsys, monkeypatch):
    finished(site, opened(site, ANA, BEA))
    with engine(site).begin() as db:
        db.execute(update(schema.rating).values(games=7))
    assert main(["doctor", "--ratings", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 rated game, 2 ratings changed.\n"
    assert main(["doctor", "--ratings", "--json", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.replace(" ", "").replace("\n", "") == '{"games":1,"changed":0}'
    monkeypatch.delenv("ALMUNIA_DATABASE", raising=False)
    assert main(["doctor", "--ratings", "--data", str(tmp_path / "nowhere")]) != 0
    assert "There is no database" in capsys.readouterr().err


def test_ratings_are_updated_in_the_order_in_which_games_end(site):
    first, second = opened(site, ANA, BEA), opened(site, ANA, BEA)
    finished(site, second)
    finished(site, first)
    numbers = {row["table"]: row["number"] for row in rows(site)}
    assert (numbers[second], numbers[first]) == (1, 2)
    mine = {row["table"]: row for row in rows(site) if row["player"] == "ana"}
    assert mine[first]["mu_before"] == mine[second]["mu"]


def test_a_failed_write_changes_no_rating(site, monkeypatch):
    table = opened(site, ANA, BEA)
    move(site, table, 4)

    def failing(*_):
        raise Conflict("no")

    monkeypatch.setattr(repository, "_rate", failing)
    with pytest.raises(Conflict):
        site.seats.resign(table, 0, "ana", "easy")
    assert not rows(site)
    assert site.tables.store.find(table).status == "running"


def test_erasing_a_guest_keeps_the_ratings_of_others(site):
    finished(site, opened(site, ANA, BEA))
    before = known(site)["bea", "orchard"]
    with engine(site).begin() as db:
        assert len(repository.export(db, "ana")["results"]) == 1
        repository.erase(db, "ana")
        assert repository.export(db, "ana") == {"results": [], "ratings": []}
    assert repository.recompute(engine(site)) == (1, 0)
    assert known(site)["bea", "orchard"] == before


def move_over(site, old, new):
    with engine(site).begin() as db:
        repository.merge(db, old, new)


def test_a_merge_moves_ratings_to_an_account_without_ratings(site):
    finished(site, opened(site, ANA, BEA))
    before = known(site)["ana", "orchard"]
    move_over(site, "ana", "account")
    assert {**before, "guest": "account"} == known(site)["account", "orchard"]
    assert {row["player"] for row in rows(site)} == {"account", "bea"}
    assert repository.recompute(engine(site)) == (1, 0)


def test_a_merge_does_not_combine_two_ratings(site):
    for seats in ((ANA, BEA), (CEM, BEA)):
        finished(site, opened(site, *seats))
    finished(site, opened(site, ANA, BEA, rated=False))
    before = known(site)
    move_over(site, "cem", "ana")
    assert known(site)["ana", "orchard"] == before["ana", "orchard"]
    assert known(site)["bea", "orchard"] == before["bea", "orchard"]
    assert ("cem", "orchard") not in known(site)
    assert repository.recompute(engine(site)) == (2, 0), "what was rated stays so"


def test_pages_show_whether_a_game_is_rated_and_the_change_of_the_rating(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    assert ">Rated</p>" in visitor.get(table).text
    assert "Your rating" not in visitor.get(table).text
    visitor.finish(table)
    page = unescape(visitor.get(table).text)
    assert re.search(r"Your rating: 1500 ± 491 before, <b>\d+ ± \d+</b> now", page)
    assert "Your rating" not in stranger.get(table).text
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "unrated": 1})
    assert ">Unrated</p>" in visitor.get(table).text


def test_ratings_are_shown_on_the_scale_of_chess():
    stronger = Rating(25 + 5.893 * 2.302585, 1.0)
    assert stronger.points == 1900
    assert Rating().ordinal == 0
    assert str(Rating()) == "1500 ± 491"
    assert list(ratings.bot_ratings("orchard")) == ["expert", "hard", "medium", "easy"]
    assert ratings.bot_rating("orchard", "search:7") is None


def test_programs_read_ratings_and_leaderboards(visitor):
    site = visitor.app.state.site
    visitor.finish(visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"}))
    (guest,) = {row["guest"] for row in rows(site, schema.rating)}
    header = {"Authorization": f"Bearer {token_of(site, guest)}"}
    profile = visitor.get("/api/v1/profile", headers=header).json()
    assert [(one["game"], one["games"]) for one in profile["ratings"]] == [("orchard", 1)]
    assert [(one["seats"], one["games"]) for one in profile["results"]] == [(2, 1)]
    assert profile["shown"] == []
    board = visitor.get("/api/v1/leaderboards/orchard", headers=header).json()
    assert (board["leaders"], board["pages"]) == ([], 1)
    assert list(board["bots"]) == ["expert", "hard", "medium", "easy"]
    (deal,) = (one for one in visitor.get("/api/v1/daily", headers=header).json()["deals"] if one["game"] == "orchard")
    assert (deal["table"], deal["finished"], deal["results"]) == (None, False, None)
    body = {"game": "orchard", "seats": ["me", "easy"], "rated": False}
    assert visitor.post("/api/v1/tables", json=body, headers=header).json()["rated"] is False
    assert visitor.get("/api/v1/profile").status_code == 401
