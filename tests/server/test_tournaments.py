"""Tournaments: pairings, points and standings, and their course with bots, absent players and restarts."""

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from itertools import combinations

import pytest
from sqlalchemy import update

from almunia.server.errors import Conflict
from almunia.server.storage import schema
from almunia.server.tables.clocks import TIME_CONTROLS
from almunia.server.tables.model import SUBSTITUTED, TableEvent
from almunia.server.tournaments.pairing import (
    History,
    circle_round,
    pair_round_robin,
    pair_swiss,
    round_robin_rounds,
)
from almunia.server.tournaments.repository import FINISHED, OPEN, ROUND_ROBIN, RUNNING, SWISS, Tournament
from almunia.server.tournaments.service import TournamentState
from almunia.server.tournaments.standings import Game, SeatScore, bye_score, game_scores, standings

from ..waiting import wait_until
from .seated import ANA, BEA, move, opened

# --- pairing ---------------------------------------------------------------------------------------


def play_swiss(players: int, seats: int, rounds: int, seed: str = "1") -> tuple[list, list, dict]:
    """Pair rounds in which the player with the lower number wins; return the tables, the byes and the scores."""
    tables, byes, scores = [], [], dict.fromkeys(range(players), 0.0)
    for number in range(rounds):
        pairing = pair_swiss(History(scores, tables, byes), seats, f"{seed} {number}")
        seated = [player for table in pairing.tables for player in table]
        assert sorted([*seated, *pairing.byes]) == [*range(players)]
        for table in pairing.tables:
            for place, player in enumerate(sorted(table)):
                scores[player] += seats - 1 - place
        for player in pairing.byes:
            scores[player] += (seats - 1) / 2
        tables += pairing.tables
        byes += pairing.byes
    return tables, byes, scores


def meetings(tables) -> Counter:
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


@pytest.mark.parametrize(("players", "seats", "rounds"), [(16, 3, 5), (16, 2, 5), (21, 4, 4)])
def test_swiss_rounds_repeat_no_meeting_and_no_bye(players, seats, rounds):
    tables, byes, scores = play_swiss(players, seats, rounds)
    assert set(meetings(tables).values()) == {1}
    assert set(Counter(byes).values()) <= {1}
    assert max(scores, key=scores.get) == 0
    had = Counter((player, seat) for table in tables for seat, player in enumerate(table))
    assert max(had.values()) <= -(-rounds // seats) + 1, "seats are balanced"


def test_swiss_rounds_bring_equal_scores_together():
    scores = {player: float(player // 3) for player in range(12)}
    tables = pair_swiss(History(scores), 3, "1").tables
    assert sorted(sorted(table) for table in tables) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    for seed in "12345678":
        nearest = pair_swiss(History({0: 9.0, 1: 8.0, 2: 8.0, 3: 7.0}, [(0, 1)]), 2, seed).tables
        assert sorted(sorted(table) for table in nearest) == [[0, 2], [1, 3]], "0 and 1 have met"
    lowest = pair_swiss(History({0: 2.0, 1: 1.0, 2: 0.0}), 2, "1")
    assert lowest.byes == (2,)
    assert pair_swiss(History({0: 2.0, 1: 1.0, 2: 0.0}, byes=[2]), 2, "1").byes == (1,)


def test_pairings_depend_on_the_seed_alone():
    assert play_swiss(16, 3, 4) == play_swiss(16, 3, 4)
    assert play_swiss(16, 3, 4)[0] != play_swiss(16, 3, 4, "2")[0]


def test_blocked_players_are_not_paired():
    apart = frozenset({frozenset((0, 1))})
    scores = {0: 5.0, 1: 5.0, 2: 0.0, 3: 0.0}
    assert frozenset((0, 1)) not in meetings(pair_swiss(History(scores, apart=apart), 2, "1").tables)


@pytest.mark.parametrize(("players", "seats"), [(7, 2), (8, 2), (9, 3)])
def test_in_a_round_robin_everyone_meets_everyone_once(players, seats):
    tables, byes = [], []
    for number in range(1, round_robin_rounds(players, seats) + 1):
        history = History(dict.fromkeys(range(players), 0.0), tables, byes)
        pairing = pair_round_robin(history, seats, f"1 {number}", players, number)
        tables += pairing.tables
        byes += pairing.byes
    assert len(meetings(tables)) == players * (players - 1) // 2
    assert set(meetings(tables).values()) == {1}
    assert set(Counter(byes).values()) <= {1}


def test_opponents_of_withdrawn_players_have_a_bye_in_a_round_robin():
    (pair,) = [pair for pair in circle_round(4, 1) if 3 in pair]
    pairing = pair_round_robin(History(dict.fromkeys((0, 1, 2), 0.0)), 2, "1", 4, 1)
    assert pairing.byes == (min(pair),)
    assert len(pairing.tables) == 1


# --- points and standings --------------------------------------------------------------------------


def test_points_count_the_opponents_who_are_placed_lower():
    scores = game_scores([1, 2, 2, 4], [30, 20, 20, 10], [False] * 4)
    assert [one.points for one in scores] == [3.0, 1.5, 1.5, 0.0]
    assert [one.share for one in scores] == [0.375, 0.25, 0.25, 0.125]
    undecided = game_scores([None] * 3, [None] * 3, [False, True, False])
    assert [(one.points, one.rank) for one in undecided] == [(1.5, 1), (0.0, 3), (1.5, 1)]
    assert [one.points for one in game_scores([None] * 2, [None] * 2, [True] * 2)] == [0.0, 0.0]


def test_equal_points_are_decided_by_opponents_then_wins_then_share():
    def won(number: int, winner: int, loser: int, share: float = 0.6) -> Game:
        return Game(number, 1, (winner, loser), "t", (SeatScore(1.0, 1, share), SeatScore(0.0, 2, 1 - share)))

    games = [won(1, 0, 2), won(1, 1, 3), won(2, 2, 3), Game(2, 2, (0,), "", (bye_score(2),))]
    found = standings(range(4), [*games, Game(2, 3, (1,), "", (bye_score(2),))])
    assert [(one.player, one.place, one.points, one.opponents) for one in found] == [
        (0, 1, 1.5, 1.0),
        (1, 2, 1.5, 0.0),
        (2, 3, 1.0, 1.5),
        (3, 4, 0.0, 2.5),
    ]
    closer = standings(range(4), [won(1, 0, 2, 0.6), won(1, 1, 3, 0.7)])
    assert [(one.player, one.place) for one in closer] == [(1, 1), (0, 2), (2, 3), (3, 4)]
    assert [one.place for one in standings(range(3), [])] == [1, 1, 1]


# --- the course of a tournament --------------------------------------------------------------------


def make(site, kind=SWISS, seats=3, places=16, rounds=3, bot="easy", clock="live-15", host="ana", name="t") -> str:
    control = str(TIME_CONTROLS[clock][1]._replace(on_timeout="bot"))
    facts = (name[0] * 16, "Cup", "orchard", kind, seats, places, rounds, control, bot, True, host, 7)
    site.tournaments.store.create(Tournament(*facts))
    return facts[0]


def test_a_swiss_tournament_of_bots_ends_across_a_restart(start, clock):
    site = start().app.state.site
    cup = make(site, bot="random", rounds=2)
    site.tournaments.start(cup, "ana")
    assert len(begun(site, cup, 1)) == 6, "five tables and a bye"
    wait_until(lambda: any(len(game.scores) > 1 for game in site.tournaments.get(cup).games), "a game is over")
    site.bot_runner.pause()
    site.stop()
    clock.advance(60)
    found = ended(start().app.state.site, cup)
    assert Counter(game.round for game in found.games) == {1: 6, 2: 6}
    assert len({game.table for game in found.games if not game.is_bye}) == 10
    assert sum(one.points for one in found.standings) == 2 * (5 * 3 + 1)
    assert [one.points for one in found.standings] == sorted((one.points for one in found.standings), reverse=True)
    assert set(meetings(game.players for game in found.games).values()) == {1}


def entered(site, *names: str, kind: str = SWISS, name: str = "t") -> str:
    """Return a tournament for tables of two that these players have entered, which starts it."""
    cup = make(site, kind, seats=2, places=len(names), bot="", name=name)
    for one in names:
        site.tournaments.enter(cup, one.lower(), one)
    assert site.tournaments.get(cup).tournament.status == RUNNING, "all places are taken"
    return cup


def begun(site, cup: str, number: int) -> list[Game]:
    """Wait until a round has begun, and return its games."""

    def games() -> list[Game]:
        found = [game for game in site.tournaments.get(cup).games if game.round == number]
        return found if all(game.table or game.is_bye for game in found) else []

    return wait_until(games, f"round {number} has begun")


def ended(site, cup: str) -> TournamentState:
    """Wait until a tournament is over, and return it."""
    wait_until(lambda: site.tournaments.get(cup).tournament.status == FINISHED, "the tournament is over")
    return site.tournaments.get(cup)


def substitute(site, table_id: str, guest: str) -> None:
    """Let a bot play for a player, as when the player's time is up."""
    state = site.tables.get(table_id)
    (seat,) = state.table.seats_of(guest)
    seats = [replace(one, substitute_bot="easy") if p == seat else one for p, one in enumerate(state.table.seats)]
    site.tables.commit(state, (TableEvent(seat, SUBSTITUTED, text="Easy bot"),), seats=tuple(seats))


def test_players_without_time_are_last_and_leave_after_two_games(site, clock):
    cup = entered(site, "Ana", "Bea", "Cem", "Dan", kind=ROUND_ROBIN)
    for number in (1, 2, 3):
        for game in begun(site, cup, number):
            if 3 in game.players and not game.is_bye:
                substitute(site, game.table, "dan")
            while game.table and not site.tables.get(game.table).table.finished:
                move(site, game.table)
    found = ended(site, cup)
    assert found.tournament.rounds == 3
    assert [one.has_withdrawn for one in found.entrants] == [False, False, False, True]
    missed = [game.scores[game.players.index(3)] for game in found.games if 3 in game.players]
    assert [(one.points, one.rank, one.is_missed) for one in missed] == [(0.0, 2, True)] * 2
    assert [game.round for game in found.games if game.is_bye] == [3], "for the opponent of the player who is out"


def test_the_limit_on_running_games_does_not_stop_a_round(start, clock):
    site = start(tables="1").app.state.site
    opened(site, ANA, BEA)
    assert len(begun(site, entered(site, "Ana", "Bea", "Cem", "Dan"), 1)) == 2


def test_a_round_that_was_interrupted_is_opened_once(site, clock):
    cup = entered(site, "Ana", "Bea", "Cem", "Dan")
    before = begun(site, cup, 1)
    with site.engine.begin() as db:  # as if the process had ended before it opened the second table
        db.execute(update(schema.tournament_game).where(schema.tournament_game.c.number == 2).values(table=""))
    site.tournaments.task.trigger()
    after = begun(site, cup, 1)
    assert after[0] == before[0]
    assert after[1].table not in ("", before[1].table)


def test_a_table_without_people_is_ended(site, clock):
    cup = entered(site, "Ana", "Bea")
    (game,) = begun(site, cup, 1)
    for guest in ("ana", "bea"):
        substitute(site, game.table, guest)
    site.tournaments.task.trigger()
    wait_until(lambda: site.tables.get(game.table).table.finished, "the table is closed")
    wait_until(lambda: site.tournaments.get(cup).games[0].scores, "the game is recorded")
    assert [one.points for one in site.tournaments.get(cup).games[0].scores] == [0.0, 0.0]


def test_a_game_of_a_tournament_is_not_aborted(site, clock):
    (game,) = begun(site, entered(site, "Ana", "Bea"), 1)
    with pytest.raises(Conflict, match="can't be aborted"):
        site.seats.abort(game.table, 0, site.tables.get(game.table).table.seats[0].player)


def test_a_merged_or_erased_guest_gives_up_entries(site, clock):
    free = make(site, seats=2, places=4, bot="")
    for name in ("Ana", "Bea", "Cem"):
        site.tournaments.enter(free, name.lower(), name)
    site.personal_data.merge("ana", "bea")
    site.personal_data.erase("cem")
    assert [(one.number, one.guest) for one in site.tournaments.get(free).entrants] == [(0, "bea")]
    site.tournaments.cancel(free, "bea")  # who hosts it now
    cup = entered(site, "Ana", "Bea", "Cem", "Dan", name="second")
    begun(site, cup, 1)
    site.personal_data.merge("ana", "bea")
    site.personal_data.erase("dan")
    left = [(one.guest, one.name, one.has_withdrawn) for one in site.tournaments.get(cup).entrants]
    assert left == [("", "Ana", True), ("bea", "Bea", False), ("cem", "Cem", False), ("", "Deleted player", True)]


# --- pages and the API -----------------------------------------------------------------------------

FORM = {"name": "Cup", "game": "orchard", "kind": SWISS, "seats": 2, "places": 4, "rounds": 2, "clock": "live-15"}


def created(visitor, **fields) -> str:
    answer = visitor.post("/tournaments", data={**FORM, "bot": "easy", **fields}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_a_tournament_is_opened_entered_and_started_by_forms(visitor, stranger, site):
    page = created(visitor)
    assert page in stranger.get("/tournaments").text
    assert created(visitor, private=1) not in stranger.get("/tournaments").text
    for one in (visitor, stranger, stranger):
        assert one.post(page, data={"do": "enter"}).status_code == 200
    assert "2 of 4 places are taken." in stranger.get(page).text
    assert stranger.post(page, data={"do": "start"}).status_code == 403
    stranger.post(page, data={"do": "leave"})
    stranger.post(page, data={"do": "enter"})
    visitor.post(page, data={"do": "start"})
    begun(site, page.rpartition("/")[2], 1)
    text = visitor.get(page).text
    assert "Round 1 of 2" in text
    assert text.count("Easy bot") >= 2
    assert len({*re.findall(r'href="(/table/[^"]+)"', text)}) == 2
    assert visitor.post(page, data={"do": "cancel"}).status_code == 409
    assert visitor.post(page, data={"do": "win"}).status_code == 400
    assert visitor.get("/tournaments/nonsense").status_code == 404
    assert visitor.post("/tournaments/%00", data={"do": "enter"}).status_code == 404


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"seats": 7}, "There can be 2 to 6 players at a table of Orchard, not 7."),
        ({"places": 65}, "There can be 2 to 64 places, not 65."),
        ({"rounds": 0}, "There can be 1 to 15 rounds, not 0."),
        ({"kind": "cup"}, "'cup' is no kind of tournament; choose one of: swiss, round-robin."),
        ({"bot": "expert"}, "'expert' is no bot for a tournament; choose one of: easy, medium."),
        ({"clock": ""}, "A tournament needs a clock, so that it ends."),
        ({"kind": ROUND_ROBIN, "places": 17}, "would take 17 rounds, and 15 is the limit."),
    ],
)
def test_a_refused_tournament_shows_why_and_keeps_the_choices(visitor, fields, wrong):
    answer = visitor.post("/tournaments", data={**FORM, "bot": "easy", **fields})
    assert answer.status_code == 422
    assert wrong in unescape(answer.text)
    assert 'value="Cup"' in answer.text


def test_a_host_has_three_unfinished_tournaments(visitor):
    pages = [created(visitor) for _ in range(3)]
    assert visitor.post("/tournaments", data={**FORM, "bot": "easy"}).status_code == 409
    visitor.post(pages[0], data={"do": "cancel"})
    created(visitor)


def test_a_program_lists_enters_and_reads_tournaments(visitor, stranger, site):
    page = created(visitor, places=2)
    headers = {"Authorization": f"Bearer {site.tokens.create('bea', 'Bea', 'test')}"}
    (listed,) = stranger.get("/api/v1/tournaments", headers=headers).json()["tournaments"]
    assert (listed["name"], listed["status"], page) == ("Cup", OPEN, f"/tournaments/{listed['id']}")
    entered = stranger.post(f"/api/v1{page}/enter", headers=headers).json()
    assert [(one["place"], one["mine"], one["points"]) for one in entered["standings"]] == [(1, True, 0.0)]
    assert stranger.get(f"/api/v1{page}", headers=headers).json() == entered
