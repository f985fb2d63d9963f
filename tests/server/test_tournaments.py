"""Tournaments: pairings, points and standings, and their course with bots, absent players and restarts."""

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from itertools import combinations

import pytest
from sqlalchemy import update

from almunia.server.background import PeriodicTask
from almunia.server.errors import Conflict
from almunia.server.storage import schema
from almunia.server.tables.clocks import TIME_CONTROLS
from almunia.server.tables.model import SUBSTITUTED, TableEvent
from almunia.server.tournaments import repository
from almunia.server.tournaments.pairing import (
    History,
    circle_round,
    pair_round_robin,
    pair_swiss,
    round_robin_rounds,
)
from almunia.server.tournaments.repository import FINISHED, OPEN, RUNNING, Tournament
from almunia.server.tournaments.service import ARENA_ROUND_SECONDS, KINDS, TournamentState
from almunia.server.tournaments.stages import ARENA, GROUPS, ROUND_ROBIN, SWISS, Plan, pair_stage, stages_of
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
    shared = Game(1, 1, (0, 1), "t", game_scores([1, 1], [0, 0], [False] * 2))
    assert [one.wins for one in standings(range(3), [shared, Game(1, 2, (2,), "", (bye_score(2),))])] == [0, 0, 0]
    assert [one.place for one in standings(range(3), [])] == [1, 1, 1]


# --- the course of a tournament --------------------------------------------------------------------


def make(site, kind=SWISS, seats=3, places=16, rounds=3, bot="easy", name="t", **more) -> str:
    control = str(TIME_CONTROLS["live-15"][1]._replace(on_timeout="bot"))
    facts = (name[0] * 16, "Cup", "orchard", kind, seats, places, rounds, control, bot, True, "ana", 7)
    site.tournaments.store.create(Tournament(*facts, **more))
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
    points = found.stages[0].standings(found.games)
    assert sum(one.points for one in points) == 2 * (5 * 3 + 1)
    assert [one.points for one in points] == sorted((one.points for one in points), reverse=True)
    assert set(meetings(game.players for game in found.games).values()) == {1}


def entered(site, *names: str, kind: str = SWISS, name: str = "t", **more) -> str:
    """Return a tournament for tables of two that these players have entered, which starts it."""
    cup = make(site, kind, seats=2, places=len(names), bot="", name=name, **more)
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


def test_an_entry_that_gets_another_number_meanwhile_is_given_up(site, monkeypatch):
    cup = make(site, seats=2, places=4, bot="")
    for name in ("Ana", "Bea", "Cem"):
        site.tournaments.enter(cup, name.lower(), name)
    monkeypatch.setattr(repository, "lock", lambda db, which: repository.remove_entrant(db, which, 0, 2))  # Ana leaves
    site.personal_data.erase("cem")
    assert [one.guest for one in site.tournaments.get(cup).entrants] == ["bea"]


def finish(site, game: Game) -> None:
    while not site.tables.get(game.table).table.finished:
        move(site, game.table)


def test_the_best_of_each_group_meet_in_a_final(start):
    site = start().app.state.site
    cup = make(site, GROUPS, seats=2, places=5, bot="random", groups=2, finalists=1)
    site.tournaments.start(cup, "ana")
    found = ended(site, cup)
    assert [(stage.name, stage.rounds) for stage in found.stages] == [
        ("Final", range(4, 5)),
        ("Group 1", range(1, 4)),
        ("Group 2", range(1, 2)),
    ]
    final, *groups = found.stages
    assert sorted(player for group in groups for player in group.players) == [*range(5)]
    best = [group.standings(found.games)[0].player for group in groups]
    assert final.players == tuple(sorted(best))
    for stage in found.stages:
        tables = [game.players for game in stage.games(found.games) if not game.is_bye]
        assert meetings(tables) == Counter(map(frozenset, combinations(stage.players, 2))), stage.name
    assert sum(game.is_bye for game in found.games) == 3, "in the group of three"
    assert found.tournament.round == found.tournament.rounds == 4


def test_finalists_who_have_withdrawn_are_replaced_before_the_final_only():
    plan = Plan(GROUPS, 2, 6, groups=2, finalists=1)
    groups = stages_of(plan, 7, 6, [], 0, ())
    games = [
        Game(number, 1, (a, b), "t", (SeatScore(1.0, 1), SeatScore(0.0, 2)))
        for group in groups
        for number, (a, b) in enumerate(combinations(group.players, 2), 1)
    ]
    first, second = (group.players for group in groups)
    assert stages_of(plan, 7, 6, games, 2, ()) == groups, "a round of the groups has not begun"
    assert stages_of(plan, 7, 6, games, 3, ())[0].players == tuple(sorted((first[0], second[0])))
    assert stages_of(plan, 7, 6, games, 3, {first[0]})[0].players == tuple(sorted((first[1], second[0])))
    final = [*games, Game(4, 1, (first[0], second[0]))]
    assert stages_of(plan, 7, 6, final, 4, {first[0]})[0].players == tuple(sorted((first[0], second[0])))


def advanced(site, cup: str) -> TournamentState:
    """Continue the tournaments, which then wait for the next call, and return one of them."""
    site.tournaments.task = PeriodicTask(lambda: None, 3600, "")
    site.tournaments.advance()
    return site.tournaments.get(cup)


def test_an_arena_pairs_players_as_they_come_free_until_its_time_is_over(site, clock):
    cup = entered(site, "Ana", "Bea", "Cem", "Dan", kind=ARENA, minutes=10)
    one, two = begun(site, cup, 1)
    advanced(site, cup)
    clock.advance(ARENA_ROUND_SECONDS)
    finish(site, one)
    assert len(advanced(site, cup).games) == 2, "the two who are free have just met"
    finish(site, two)
    three, four = advanced(site, cup).games[2:]
    assert not {frozenset(one.players), frozenset(two.players)} & {frozenset(three.players), frozenset(four.players)}
    finish(site, three)
    finish(site, four)
    assert len(advanced(site, cup).games) == 4, "rounds lie ARENA_ROUND_SECONDS apart"
    clock.advance(ARENA_ROUND_SECONDS)
    five, six = advanced(site, cup).games[4:]
    finish(site, five)
    clock.advance(600)
    found = advanced(site, cup)
    assert (found.tournament.status, len(found.games)) == (RUNNING, 6), "a game still runs"
    finish(site, six)
    found = advanced(site, cup)
    assert (found.tournament.status, len(found.games)) == (FINISHED, 6)
    assert sum(one.points for one in found.stages[0].standings(found.games)) == 6.0


def test_players_with_the_fewest_games_are_paired_in_an_arena():
    plan = Plan(ARENA, 2, 3, minutes=10)
    won = (SeatScore(1.0, 1), SeatScore(0.0, 2))
    games = [Game(1, 1, (0, 1), "t", won), Game(2, 1, (0, 2), "t", won)]
    (stage,) = stages_of(plan, 7, 3, games, 2, ())
    for seed in range(4):
        assert {*pair_stage(stage, plan, games, (0, 1, 2), frozenset(), 3, seed).tables[0]} == {1, 2}


def test_players_enter_leave_and_come_back_to_a_running_arena(site, clock):
    cup = entered(site, "Ana", "Bea", kind=ARENA, minutes=10)
    with site.engine.begin() as db:
        db.execute(update(schema.tournament).values(places=3))
    (game,) = begun(site, cup, 1)
    advanced(site, cup)
    site.tournaments.leave(cup, "ana")
    site.tournaments.enter(cup, "cem", "Cem")
    with pytest.raises(Conflict, match="All places"):
        site.tournaments.enter(cup, "dan", "Dan")
    clock.advance(ARENA_ROUND_SECONDS)
    finish(site, game)
    second = advanced(site, cup).games[-1]
    assert {*second.players} == {1, 2}, "Ana has left"
    site.tournaments.enter(cup, "ana", "Ana")
    clock.advance(ARENA_ROUND_SECONDS)
    finish(site, second)
    third = advanced(site, cup).games[-1]
    assert 0 in third.players, "Ana has come back, and has played least"
    clock.advance(600)
    finish(site, third)
    assert advanced(site, cup).tournament.status == FINISHED
    with pytest.raises(Conflict, match="can't enter"):
        site.tournaments.enter(cup, "dan", "Dan")


def test_bots_fill_the_tables_of_an_arena_and_do_not_play_alone(site, clock):
    cup = make(site, ARENA, seats=3, places=8, minutes=10)
    for name in ("Ana", "Bea", "Cem", "Dan"):
        site.tournaments.enter(cup, name.lower(), name)
    site.tournaments.start(cup, "ana")
    games = begun(site, cup, 1)
    assert sorted(player for game in games for player in game.players) == [*range(6)], "two of four bots"
    for guest in ("ana", "bea", "cem", "dan"):
        site.tournaments.leave(cup, guest)
    for game in games:
        finish(site, game)
    clock.advance(ARENA_ROUND_SECONDS)
    assert len(advanced(site, cup).games) == 2


def test_people_do_not_wait_for_bots_in_an_arena_and_may_enter_beside_them(site, clock):
    cup = make(site, ARENA, seats=3, places=5, minutes=10)
    for name in ("Ana", "Bea", "Cem", "Dan"):
        site.tournaments.enter(cup, name.lower(), name)
    site.tournaments.start(cup, "ana")
    (game,) = begun(site, cup, 1)
    advanced(site, cup)
    clock.advance(ARENA_ROUND_SECONDS)
    finish(site, game)
    game, (bot, eva) = advanced(site, cup).games[1], (4, 5)
    assert bot not in game.players, "it cannot fill a second table"
    site.tournaments.enter(cup, "eva", "Eva")
    with pytest.raises(Conflict, match="All places"):
        site.tournaments.enter(cup, "fay", "Fay")
    clock.advance(ARENA_ROUND_SECONDS)
    assert {*advanced(site, cup).games[-1].players} == {*range(4), bot, eva} - {*game.players}


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
    assert "1 of 4 places is taken." in stranger.get(page).text
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
        ({"kind": "cup"}, "'cup' is not a kind of tournament; choose one of: swiss, round-robin, groups, arena."),
        ({"kind": ARENA, "minutes": 9}, "There can be 10 to 180 minutes, not 9."),
        ({"kind": ARENA, "minutes": 60, "clock": "slow-24"}, "An arena lasts minutes, so it needs a live clock."),
        ({"kind": GROUPS, "groups": 9, "finalists": 1}, "There can be 2 to 8 groups, not 9."),
        ({"kind": GROUPS, "groups": 3, "finalists": 1}, "Each of the 3 groups needs 2 players or more"),
        ({"kind": GROUPS, "seats": 3, "places": 6, "groups": 2, "finalists": 1}, "The final would have 2 players"),
        ({"kind": GROUPS, "places": 24, "groups": 2, "finalists": 4}, "would take 18 rounds, and 15 is the limit."),
        ({"bot": "expert"}, "'expert' is not a bot for a tournament; choose one of: easy, medium."),
        ({"clock": ""}, "A tournament needs a clock, so that it ends."),
        ({"kind": ROUND_ROBIN, "places": 17}, "would take 17 rounds, and 15 is the limit."),
    ],
)
def test_a_refused_tournament_shows_why_and_keeps_the_choices(visitor, fields, wrong):
    answer = visitor.post("/tournaments", data={**FORM, "bot": "easy", **fields})
    assert answer.status_code == 422
    assert wrong in unescape(answer.text)
    assert 'value="Cup"' in answer.text


def test_a_form_makes_groups_and_arenas(visitor, site):
    for fields, plan in (
        ({"kind": ARENA, "minutes": 60}, Plan(ARENA, 2, 4, minutes=60)),
        ({"kind": GROUPS, "groups": 2, "finalists": 1}, Plan(GROUPS, 2, 4, groups=2, finalists=1)),
    ):
        page = created(visitor, **fields)
        assert site.tournaments.get(page.rpartition("/")[2]).tournament.plan == plan
        assert KINDS[plan.kind] in visitor.get(page).text


def test_the_page_shows_whose_turn_it_is(visitor, stranger, site):
    page = created(visitor, places=2)
    for one in (visitor, stranger):
        one.post(page, data={"do": "enter"})
    (game,) = begun(site, page.rpartition("/")[2], 1)
    turn = site.tables.get(game.table).play.turn
    first, second = (visitor, stranger) if game.players[turn] == 0 else (stranger, visitor)
    assert "<span>Your turn with" in first.get(page).text
    assert "<span>Your game with" in second.get(page).text
    assert "<html" not in first.get(page, headers={"HX-Request": "true"}).text


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
