"""Plans: moves and answers that a player sets in advance are played once, by what the player sees, or dropped."""

import re
from dataclasses import replace
from random import Random

import pytest

from almunia.games.alhambra.rules.state import Phase
from almunia.server.errors import Conflict, Forbidden
from almunia.server.site import Site
from almunia.server.tables.clocks import CORRESPONDENCE, DAY, REALTIME, TimeControl
from almunia.server.tables.model import MOVE, PERSON, Seat
from almunia.server.tables.planning import position_after, recent_answers
from almunia.server.tables.plans import MAX_ANSWERS_AT_ONCE, RepeatedAnswer, key_of

from ..programs import Program, token_of
from ..serving import read_table
from .conftest import ORIGIN, Visitor
from .seated import ANA, BEA, CEM, opened
from .test_secrets import session_of, streamed

SLOW = TimeControl(CORRESPONDENCE, DAY)
PEOPLE = (ANA, BEA, CEM)


@pytest.fixture
def table(site: Site) -> str:
    return opened(site, *PEOPLE, game="caylus", time_control=SLOW, seed=3)


def turn(site: Site, table: str) -> int:
    return site.tables.get(table).play.turn


def waiting(site: Site, table: str) -> int:
    """Return the seat that is asked after the present one."""
    return (turn(site, table) + 1) % len(PEOPLE)


def seen(site: Site, table: str, seat: int) -> int:
    return site.tables.get(table).history(seat).version


def legal(site: Site, table: str) -> tuple[int, ...]:
    return site.tables.get(table).play.legal_actions


def act(site: Site, table: str, action: int) -> None:
    state = site.tables.get(table)
    site.tables.move(table, state.play.turn, action, state.history(state.play.turn).version)


def plan(site: Site, table: str, seat: int, *actions: int) -> None:
    site.plans.add_line(table, PEOPLE[seat].player, seen(site, table, seat), actions)


def stored(site: Site, table: str) -> dict:
    return site.tables.plans.of_table(table)


def moves(site: Site, table: str) -> list[tuple[int, int | None]]:
    return [(event.seat, event.action) for event in site.tables.get(table).events if event.kind == MOVE]


def test_a_plan_is_played_as_soon_as_it_comes_true(site, table):
    """Two branches: each expected move has its own answer, which is played with the move and only once."""
    first, owner = turn(site, table), waiting(site, table)
    one, other, mine, instead = legal(site, table)[:4]
    plan(site, table, owner, one, mine)
    plan(site, table, owner, other, instead)
    act(site, table, other)
    assert moves(site, table) == [(first, other), (owner, instead)]
    assert turn(site, table) == 3 - first - owner
    assert stored(site, table) == {}


def test_a_plan_goes_on_over_several_turns(site, table):
    first, owner = turn(site, table), waiting(site, table)
    last = 3 - first - owner
    a, b, c, d, e = legal(site, table)[:5]
    plan(site, table, owner, a, b, c, d, e)
    act(site, table, a)
    assert [step.action for step in stored(site, table)[owner].lines[0]] == [c, d, e]
    act(site, table, c)
    act(site, table, d)
    assert moves(site, table) == [(first, a), (owner, b), (last, c), (first, d), (owner, e)]
    assert stored(site, table) == {}


def test_a_plan_is_dropped_when_the_game_goes_another_way(site, table):
    owner = waiting(site, table)
    expected, mine, other, instead = legal(site, table)[:4]
    plan(site, table, owner, expected, mine)
    act(site, table, other)
    assert turn(site, table) == owner
    assert stored(site, table), "the owner is told that it has ended"
    act(site, table, instead)
    assert stored(site, table) == {}


def test_a_plan_stays_when_another_seat_changes(site, table):
    first, owner = turn(site, table), waiting(site, table)
    expected, mine = legal(site, table)[:2]
    plan(site, table, owner, expected, mine)
    before = stored(site, table)
    site.seats.step_away(table, first, PEOPLE[first].player, "easy")
    site.seats.return_to_seat(table, first, PEOPLE[first].player)
    assert stored(site, table) == before
    act(site, table, expected)
    assert moves(site, table)[-1] == (owner, mine)


def test_a_takeback_that_all_agree_to_ends_plans(site, table):
    first, owner = turn(site, table), waiting(site, table)
    last = 3 - first - owner
    a, b, c, d, e = legal(site, table)[:5]
    act(site, table, a)
    act(site, table, b)
    plan(site, table, owner, c, d, e)
    site.seats.propose_takeback(table, first, PEOPLE[first].player)
    for seat in (owner, last):
        site.seats.answer_proposal(table, seat, PEOPLE[seat].player, agree=True)
    assert stored(site, table) == {}
    assert moves(site, table)[:2] == [(first, a), (owner, b)]
    assert turn(site, table) == first


def test_a_plan_of_another_guest_is_neither_shown_nor_played(site, table):
    """A seat may stay with a guest whose other data an account has taken over."""
    owner, player = waiting(site, table), PEOPLE[waiting(site, table)].player
    expected, mine = legal(site, table)[:2]
    plan(site, table, owner, expected, mine)
    site.tables.plans.save(table, owner, replace(stored(site, table)[owner], guest="account"))
    assert not site.plans.of_player(site.tables.get(table).table, player, owner)
    act(site, table, expected)
    assert len(moves(site, table)) == 1


def test_a_planned_move_that_is_no_longer_possible_is_not_played(site, table):
    """After a change of the rules, its action may be another one or none. The other player's move is played alone."""
    owner = waiting(site, table)
    expected, mine = legal(site, table)[:2]
    plan(site, table, owner, expected, mine)
    (first, answer), before = stored(site, table)[owner].lines[0], stored(site, table)[owner]
    site.tables.plans.save(table, owner, replace(before, lines=((first, answer._replace(action=10**6)),)))
    act(site, table, expected)
    assert len(moves(site, table)) == 1


@pytest.mark.parametrize("ends", ["resign", "step_away"])
def test_a_plan_ends_with_its_player(site, table, ends):
    owner = waiting(site, table)
    expected, mine = legal(site, table)[:2]
    plan(site, table, owner, expected, mine)
    getattr(site.seats, ends)(table, owner, PEOPLE[owner].player, "easy")
    assert stored(site, table) == {}
    act(site, table, expected)
    assert len(moves(site, table)) == 1


def test_plans_end_with_the_game(site, table):
    owner = waiting(site, table)
    plan(site, table, owner, *legal(site, table)[:2])
    site.seats.close_by_administrator(table)
    assert stored(site, table) == {}
    with pytest.raises(Conflict):
        plan(site, table, owner, 0, 1)


def test_what_a_plan_needs(site, table):
    first, owner = turn(site, table), waiting(site, table)
    a, b, c = legal(site, table)[:3]
    with pytest.raises(Conflict, match="needs a move of yours"):
        plan(site, table, owner, a)
    with pytest.raises(Conflict, match="can't be part of a plan"):
        plan(site, table, owner, a, a)
    with pytest.raises(Conflict, match="while another player is to move"):
        plan(site, table, first, a, b)
    with pytest.raises(Forbidden):
        site.plans.add_line(table, "stranger", seen(site, table, owner), [a, b])
    before, last = seen(site, table, 3 - first - owner), PEOPLE[3 - first - owner].player
    act(site, table, c)
    with pytest.raises(Conflict, match="moved on"):
        site.plans.add_line(table, last, before, [a, b])
    live = opened(site, *PEOPLE, game="caylus", time_control=TimeControl(REALTIME, 900, 20))
    with pytest.raises(Conflict, match="slow games"):
        plan(site, live, waiting(site, live), a, b)


def test_a_plan_ends_where_something_new_comes_to_light(site):
    """In Oregon, cards are chosen in secret and drawn; where others place their start tiles is public."""
    table = opened(site, *PEOPLE, game="oregon", time_control=SLOW)
    owner = waiting(site, table)
    state = site.tables.get(table)
    found = position_after(state, owner, ())
    assert found.state.history(owner).legal == state.play.legal_actions
    while turn(site, table) != owner or site.tables.get(table).play.phase == state.play.phase:
        act(site, table, legal(site, table)[0])
    owner = waiting(site, table)
    assert position_after(site.tables.get(table), owner, ()).state.history(owner).legal == ()


def test_a_restart_keeps_plans(site, table, start):
    first, owner = turn(site, table), waiting(site, table)
    expected, mine = legal(site, table)[:2]
    plan(site, table, owner, expected, mine)
    again = start().app.state.site
    act(again, table, expected)
    assert moves(again, table) == [(first, expected), (owner, mine)]
    assert moves(site, table) == moves(again, table)


def answered(site: Site, table: str, words: str) -> RepeatedAnswer:
    """Play an action by its words, and return it as an answer that its player can repeat."""
    state = site.tables.get(table)
    act(site, table, state.play.string_to_action(words))
    return recent_answers(site.tables.get(table), state.play.turn)[0]


def repeat(site: Site, table: str, seat: int, answer: RepeatedAnswer, *, lasts: bool) -> None:
    site.plans.repeat_answer(table, PEOPLE[seat].player, answer.key, lasts=lasts)


def test_an_answer_is_repeated_until_it_is_removed(site, table):
    """Passing: its question comes back in every round, with others between."""
    first = turn(site, table)
    answer = answered(site, table, "pass")
    repeat(site, table, first, answer, lasts=True)
    while moves(site, table).count((first, answer.action)) < 3:
        assert (turn(site, table), site.tables.get(table).play.phase) != (first, answer.phase)
        act(site, table, legal(site, table)[-1])
    site.plans.remove(table, PEOPLE[first].player, answer.key)
    assert stored(site, table) == {}


def test_an_answer_is_repeated_until_something_else_is_asked(site, table):
    first = turn(site, table)
    repeat(site, table, first, answered(site, table, "pass"), lasts=False)
    while turn(site, table) != first:
        act(site, table, legal(site, table)[-1])
    assert first in stored(site, table), "the other question is not answered yet"
    act(site, table, legal(site, table)[-1])
    assert stored(site, table) == {}


def test_the_first_suggestion_is_repeated_and_can_be_undone(site):
    """Alhambra suggests the cheapest payment. After an undo its player is asked again."""
    table, rng = opened(site, *PEOPLE, game="alhambra", seed=0), Random(0)
    while not (before := site.tables.get(table).play).game.text.suggestions(before.state) or before.phase != Phase.PAY:
        act(site, table, rng.choice(before.legal_actions))
    seat, suggested = before.turn, before.game.text.suggestions(before.state)[0].actions
    site.tables.move(table, seat, suggested[0], seen(site, table, seat), suggested[1:])
    answer = recent_answers(site.tables.get(table), seat)[0]
    repeat(site, table, seat, answer, lasts=True)
    assert answer.actions_in(before.observe(seat)) == suggested
    site.tables.undo(table, seat, seen(site, table, seat))
    assert site.tables.get(table).play.to_state() == before.to_state()


def test_two_players_who_repeat_answers_do_not_play_on_for_ever(site):
    """A commit gives a limited number of answers, then the seat to move is asked."""
    table = opened(site, ANA, BEA, game="caylus", seed=3)
    for words in ("pass", "provost stays"):
        for _ in range(2):
            seat = turn(site, table)
            repeat(site, table, seat, answered(site, table, words), lasts=True)
    before = len(moves(site, table))
    act(site, table, legal(site, table)[0])
    assert len(moves(site, table)) == before + 1 + MAX_ANSWERS_AT_ONCE


# --- what others notice ----------------------------------------------------------------------------


@pytest.fixture
def slow_table(visitor: Visitor, stranger: Visitor) -> tuple[str, Visitor, Visitor]:
    """Return the path of a slow game of Caylus, the visitor who is to move, and the one who waits."""
    path = visitor.open("caylus", **{"seat-0": "me", "seat-1": "friend", "seed": 3, "clock": "slow-24", "unrated": 1})
    link = re.search(r'readonly value="http://testserver([^"]+)"', visitor.get(path).text)[1]
    stranger.post(link, data={"name": "Bea"})
    asked = visitor if visitor.seen(path)[2] else stranger
    return path, asked, stranger if asked is visitor else visitor


def shown(visitor: Visitor, path: str) -> list[object]:
    """Return what a visitor gets about a table."""
    got = [visitor.get(path + part) for part in ("", "/text", "/answers", "/plan/1")]
    partial = visitor.get(path, headers={"HX-Request": "true"})
    return [(one.status_code, one.headers.get("etag"), one.content) for one in (*got, partial)]


def test_others_notice_no_plan(site, visitor, slow_table):
    """All that others get of a table, its games list and the export is the same with a plan and without."""
    path, asked, owner = slow_table
    watcher = Visitor(visitor.app, headers={"Origin": ORIGIN})
    table, others = path.removeprefix("/table/"), (asked, watcher)
    version = owner.seen(path)[1]
    site.seats.presence_summary(site.tables.get(table).table)
    before, changed = [shown(one, path) for one in others], site.tables.get(table).table
    page = owner.get(f"{path}/plan/{version}").text
    seat, _, actions = read_table(page)
    assert actions == asked.seen(path)[2], "the planner chooses for the seat to move"
    line = f"{version}-{actions[0]}"
    assert "Save" not in owner.get(f"{path}/plan/{line}").text
    answer = owner.post(f"{path}/plan/{line}/move", data={"action": actions[1]}, headers={"HX-Request": "true"})
    assert answer.headers["HX-Replace-Url"] == f"{path}/plan/{line}-{actions[1]}"
    assert owner.post(f"{path}/plan/{line}-{actions[1]}/save").text.count("Your plans") == 1
    assert [shown(one, path) for one in others] == before
    assert site.tables.get(table).table == changed
    assert "Remove this plan" in owner.get(path).text
    assert (
        asked.post(f"{path}/plans/remove", data={"key": key_of(stored(site, table)[seat].lines[0])}).status_code == 200
    )
    assert [len(one.lines) for one in stored(site, table).values()] == [1], "others remove nothing"


def test_a_plan_that_does_not_come_true_changes_nothing_for_others(clock, site, visitor, stranger, monkeypatch):
    """Versions, times, notifications, streams and API answers are the same at a table without the plan."""
    stranger.post("/preferences", data={"name": "Bea"})
    guest, worlds = session_of(stranger)["guest"], []
    program, watcher = Program(visitor.app, token_of(site, guest)), Visitor(visitor.app, headers={"Origin": ORIGIN})
    watcher.post("/preferences", data={"name": "Cem"})
    seats = Seat(PERSON, guest, "Bea"), ANA
    for is_planned in (False, True):
        table = opened(site, *seats, game="caylus", time_control=SLOW, seed=3, rated=False)
        expected, mine, other = legal(site, table)[:3]
        published: list[object] = []
        with monkeypatch.context() as patch:
            patch.setattr(site.broker, "publish", published.append)
            if is_planned:
                site.plans.add_line(table, ANA.player, seen(site, table, 1), [expected, mine])
            act(site, table, other)
        assert bool(stored(site, table)) == is_planned
        got: list[object] = [published, replace(site.tables.get(table).table, network="")]
        got += [streamed(one, f"/table/{table}") for one in (stranger, watcher)]
        got += [one.get(f"/table/{table}{part}").text for one in (stranger, watcher) for part in ("", "/replay")]
        got += [program.get(f"/tables/{table}{part}").text for part in ("", "/position", "/log")]
        worlds.append(re.sub(r' data-hash="\w+"', "", str(got).replace(table, "TABLE")))  # of the table's address, too
    assert worlds[0] == worlds[1]


def test_the_owner_reads_that_a_plan_has_ended_and_removes_plans(site, slow_table):
    path, asked, owner = slow_table
    version, actions = owner.seen(path)[1], asked.seen(path)[2]
    for answer in actions[1:3]:
        owner.post(f"{path}/plan/{version}-{actions[0]}-{answer}/save")
    assert owner.get(path).text.count("Remove this plan") == 1, "another answer to the same move replaces it"
    owner.post(f"{path}/plan/{version}-{actions[1]}-{actions[0]}/save")
    key = re.search(r'name="key" value="(\w+)"', owner.get(path).text)[1]
    assert owner.post(f"{path}/plans/remove", data={"key": key}).text.count("Remove this plan") == 1
    asked.act(path, 3)
    page = owner.get(path).text
    assert "Your plan has ended" in page
    assert "Remove this plan" not in page
    assert "Your plan" not in asked.get(path).text


def test_an_account_keeps_and_erases_the_plans_of_its_guest(site, table):
    owner = waiting(site, table)
    plan(site, table, owner, *legal(site, table)[:2])
    assert [row["seat"] for row in site.personal_data.export(PEOPLE[owner].player)["plans"]] == [owner]
    other = waiting(site, table) - 1 or 2
    assert site.personal_data.export(PEOPLE[other].player)["plans"] == []
    site.personal_data.merge(PEOPLE[owner].player, "account")
    assert stored(site, table)[owner].guest == "account"
    site.personal_data.erase("account")
    assert stored(site, table) == {}
