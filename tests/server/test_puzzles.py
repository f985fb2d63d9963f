"""Puzzles on the site: answers, ratings, the puzzle of the day, streaks, and that nothing hidden shows."""

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from time import sleep

import pytest

import almunia
from almunia.puzzles import FILE, Answer, Puzzle, Theme
from almunia.server.puzzles import repository, service
from almunia.server.ratings.ratings import Rating, rate
from almunia.server.storage import schema

from .conftest import ORIGIN, Visitor
from .test_daily import DAY, NOON, signed_in
from .test_ratings import rows
from .test_secrets import session_of, twin_seeds

ORCHARD, OREGON = (almunia.game(name, "plain") for name in ("orchard", "oregon"))


def made_puzzle(game, seed, seats=2, kind="CARD", solutions=1):
    """Return a puzzle in the first position of a play; its first legal actions are the answers."""
    play = game.new(seats=seats, seed=seed)
    chances = (0.7, 0.69, 0.4, 0.3)
    answers = zip(play.legal_actions, chances, strict=False)
    return Puzzle(
        game=game.name,
        rules=game.meta.rules_version,
        components=game.components_hash,
        seats=seats,
        seed=seed,
        options={},
        players=(),
        actions=(),
        answers=tuple(Answer(code, play.action_to_string(code), chance, 40 * chance) for code, chance in answers),
        solutions=solutions,
        gap=0.3,
        interval=(0.25, 0.35),
        simulations=(400, 1600),
        theme=Theme(kind, "opening"),
    )


@pytest.fixture
def puzzles(monkeypatch, tmp_path):
    """Return a function that makes these the only puzzles of all games."""

    def write(**by_game):
        folder = tmp_path / "puzzles"
        folder.mkdir(exist_ok=True)
        for meta in almunia.all_games():
            file = folder / f"{meta.name}.jsonl"
            file.write_text("".join(f"{one.to_json()}\n" for one in by_game.get(meta.name, ())), "utf-8")
            game = almunia.game(meta.name, "plain")
            find = type(game).file.__get__(game)
            monkeypatch.setattr(game, "file", lambda name, file=file, find=find: file if name == FILE else find(name))
        service.puzzles_of.cache_clear()

    yield write
    monkeypatch.undo()
    service.puzzles_of.cache_clear()


@pytest.fixture
def some(puzzles):
    """Return three puzzles of Oregon, and one of Orchard."""
    found = [made_puzzle(OREGON, seed, kind=kind) for seed, kind in ((3, "CARD"), (4, "SPACE"), (5, "CARD"))]
    puzzles(oregon=found, orchard=[made_puzzle(ORCHARD, 3, seats=1, solutions=2)])
    return found


@pytest.fixture
def guest(visitor, clock, some):
    clock.set(NOON)
    return visitor


@pytest.fixture
def ana(guest):
    """Return a visitor with an account."""
    return signed_in(Visitor(guest.app, headers={"Origin": ORIGIN}), "ana")


def send(visitor, puzzle, action, number=1):
    """Answer a puzzle with a form, and return the page that follows."""
    return unescape(visitor.post(f"/puzzles/oregon-{number}/move", data={"action": action}).text)


def wrong(puzzle):
    return puzzle.answers[2].action


# --- answers -----------------------------------------------------------------------------------------


def test_attempts_at_the_same_time_are_rated_one_after_the_other(ana, monkeypatch):
    def slow_rate(*given):
        sleep(0.05)
        return rate(*given)

    monkeypatch.setattr(repository, "rate", slow_rate)
    puzzles, account = ana.app.state.site.puzzles, session_of(ana)["guest"]
    with ThreadPoolExecutor(3) as threads:
        [*threads.map(lambda number: puzzles.answer(service.find_puzzle(f"oregon-{number}"), None, account), (1, 2, 3))]
    first, second, third = rows(ana.app.state.site, schema.puzzle_attempt)
    assert (first["mu"], second["mu"]) == (second["mu_before"], third["mu_before"])


def test_a_guest_is_told_right_and_wrong_and_nothing_is_stored(guest, some, site):
    puzzle = some[0]
    asked = guest.get("/puzzles/oregon-1").text
    assert all(f'name="action" value="{action}"' in asked for action in puzzle.play(OREGON).legal_actions)
    assert "Chance to win" not in asked
    told = send(guest, puzzle, puzzle.solution.action)
    assert "Right: " in told
    assert "win about 70% of the time; with the next best one, 69%" in told
    missed = send(guest, puzzle, wrong(puzzle))
    assert "Not the best: " in missed
    assert "win about 70% of the time; with yours, 40%" in missed
    assert "Chance to win" not in missed, "the solution is still to be found"
    assert "30 percentage points (25 to 35)" in told
    last = puzzle.play(OREGON).legal_actions[-1]
    assert "win about 70% of the time." in send(guest, puzzle, last), "it was not compared"
    solution = unescape(guest.post("/puzzles/oregon-1/solution").text)
    assert "Solution: " in solution
    assert rows(site, schema.puzzle_attempt) == []


def test_each_action_of_a_solution_is_right_and_a_single_seat_counts_points(guest):
    puzzle = made_puzzle(ORCHARD, 3, seats=1, solutions=2)
    told = [
        unescape(guest.post("/puzzles/orchard-1/move", data={"action": one.action}).text) for one in puzzle.answers[:3]
    ]
    assert ["Right: " in page for page in told] == [True, True, False]
    assert "reach about 28 points; with the next best one, 16 points" in told[1]
    solution = unescape(guest.post("/puzzles/orchard-1/solution").text)
    assert re.search(r"Solution: [^<]+, or [^<]+<", solution)


def test_the_part_that_changes_comes_alone(guest, some):
    data, headers = {"action": some[0].solution.action}, {"HX-Request": "true"}
    part = guest.post("/puzzles/oregon-1/move", data=data, headers=headers).text
    assert part.lstrip().startswith('<main id="table"')
    assert "Right: " in part
    assert 'id="choices"' not in part


def test_what_does_not_exist_is_not_found(guest):
    for path in (
        "oregon-0",
        "oregon-4",
        "oregon-01",
        "oregon-x",
        "oregon",
        "caylus-1",
        "nothing-1",
        "oregon-1/previews/99999",
        "oregon-1?move=99999",
        "next?game=oregon&theme=nothing",
        "next?game=nothing",
    ):
        assert guest.get(f"/puzzles/{path}").status_code == 404, path


def test_an_action_that_is_not_possible_is_refused(guest, ana, site):
    for visitor in (guest, ana):
        answer = visitor.post("/puzzles/oregon-1/move", data={"action": 99999})
        assert answer.status_code == 400
        assert "Action 99999 is not possible in this puzzle" in unescape(answer.text)
        assert visitor.post("/puzzles/oregon-1/move", data={"action": "x"}).status_code == 400
    assert rows(site, schema.puzzle_attempt) == []


# --- ratings -----------------------------------------------------------------------------------------


def test_the_first_try_of_an_account_is_rated_like_a_game_against_the_puzzle(ana, some, site):
    repository = site.puzzles._repository
    assert "Your rating for puzzles of Oregon: 1500" in ana.get("/puzzles/oregon-1").text
    assert "Your rating for puzzles of Oregon: 1" in send(ana, some[0], some[0].solution.action)
    won, puzzle = repository.solver_rating("ana", "oregon"), repository.puzzle_ratings("oregon")[1]
    assert won.mu > Rating().mu > puzzle.mu
    assert won.mu - Rating().mu == pytest.approx(Rating().mu - puzzle.mu)
    send(ana, some[0], wrong(some[0]))
    assert repository.solver_rating("ana", "oregon") == won, "a second try changes nothing"
    send(ana, some[1], wrong(some[1]), number=2)
    lost = repository.solver_rating("ana", "oregon")
    assert lost.mu < won.mu
    assert repository.puzzle_ratings("oregon")[2].mu > Rating().mu
    assert repository.solver_rating("ana", "orchard") == Rating(), "each game has a rating"
    first, second = rows(site, schema.puzzle_attempt)
    assert (first["solved"], second["solved"]) == (True, False)
    assert (second["mu_before"], second["sigma_before"]) == won
    page = unescape(ana.get("/puzzles/oregon-1").text)
    assert f"your rating went from 1500 to {won.points}" in page
    assert "1 of 2 solved" in ana.get("/puzzles").text


def test_the_solution_is_given_only_once_nothing_is_at_stake(ana, some, site):
    for query in ("solution=1", f"move={some[0].solution.action}"):
        page = ana.get(f"/puzzles/oregon-1?{query}").text
        assert "Find the best move" in page
        assert "Solution: " not in page
    assert rows(site, schema.puzzle_attempt) == []
    assert "Solution: " in ana.post("/puzzles/oregon-1/solution").text
    (attempt,) = rows(site, schema.puzzle_attempt)
    assert (attempt["solved"], attempt["action"]) == (False, None)
    assert attempt["mu"] < attempt["mu_before"]


def test_the_next_puzzle_is_one_that_was_not_tried_with_a_rating_near_the_solvers(ana, guest, some, site):
    def next_of(visitor, query="after=1"):
        answer = visitor.get(f"/puzzles/next?game=oregon&{query}", follow_redirects=False)
        assert answer.status_code == 303
        return answer.headers["location"].removeprefix("/puzzles/oregon-")

    assert [next_of(guest), next_of(guest, "after=3"), next_of(guest, "theme=card&after=1")] == ["2", "1", "3"]
    assert "theme=card" in guest.post("/puzzles/oregon-1/solution").text, "the links stay in the theme"
    assert "theme=card" not in guest.post("/puzzles/oregon-2/solution").text
    other = signed_in(Visitor(guest.app, headers={"Origin": ORIGIN}), "bea")
    send(other, some[1], some[1].solution.action, number=2)
    assert next_of(ana) == "1", "puzzle 2 is rated lower than a new solver"
    send(ana, some[0], wrong(some[0]))
    assert next_of(ana) == "2", "now it is nearer"
    send(ana, some[1], some[1].solution.action, number=2)
    assert next_of(ana) == "3"
    send(ana, some[2], some[2].solution.action, number=3)
    assert next_of(ana) == "2", "all have been tried"


# --- the puzzle of the day ------------------------------------------------------------------------------


def test_each_day_has_a_puzzle_of_another_game_and_all_come_in_turn(guest, some, puzzles, clock, site):
    puzzles(oregon=some[:2], orchard=[made_puzzle(ORCHARD, seed) for seed in (3, 4)])
    found = []
    for day in range(4):
        clock.set(NOON + day * DAY)
        found.append(site.puzzles.daily().id)
        assert f'href="/puzzles/{found[-1]}">Solve' in guest.get("/puzzles").text
    assert sorted(found) == ["orchard-1", "orchard-2", "oregon-1", "oregon-2"]
    assert found[0].partition("-")[0] == found[2].partition("-")[0] != found[1].partition("-")[0]
    clock.set(NOON + 4 * DAY - 12 * 3600 - 1)
    assert site.puzzles.daily().id == found[3], "the day ends at midnight UTC"
    clock.set(NOON + 4 * DAY - 12 * 3600)
    assert site.puzzles.daily().id == found[0], "they come again"


def test_a_streak_counts_the_days_in_a_row_whose_puzzle_was_solved(ana, puzzles, clock, site):
    puzzle = made_puzzle(OREGON, 3)
    puzzles(oregon=[puzzle])  # the same one each day, of which the first try is rated

    def streak_after(day, *actions):
        clock.set(NOON + day * DAY)
        for action in actions:
            send(ana, puzzle, action)
        return site.puzzles.streak("ana")

    right = puzzle.solution.action
    assert [streak_after(0), streak_after(0, right), streak_after(1), streak_after(1, right)] == [0, 1, 1, 2]
    assert "2 days in a row" in ana.get("/puzzles").text
    assert streak_after(2, wrong(puzzle), right) == 2, "only the first try of a day counts"
    assert streak_after(3) == 0
    assert streak_after(3, right) == 1
    assert [row["mu"] is None for row in rows(site, schema.puzzle_attempt)] == [False, True, True, True]


# --- secrets ------------------------------------------------------------------------------------------


def test_worlds_that_the_seat_cannot_tell_apart_give_the_same_pages(guest, puzzles, site):
    seen = []
    for seed in twin_seeds():
        puzzle = made_puzzle(ORCHARD, seed)
        puzzles(orchard=[puzzle])
        site.puzzles._cached_state.cache_clear()
        first = puzzle.solution.action
        paths = ("", "/text", f"/previews/{first}", f"?move={first}", "?solution=1")
        pages = [guest.get(f"/puzzles/orchard-1{path}") for path in paths]
        assert {page.status_code for page in pages} == {200}
        pages.append(guest.post("/puzzles/orchard-1/move", data={"action": first}, headers={"HX-Request": "true"}))
        assert all(str(seed) not in page.text for page in pages if seed > 100)
        seen.append([page.text for page in pages])
    assert seen[0] == seen[1]


def test_a_point_that_cannot_be_chosen_is_explained(guest):
    at = "panel=board&x=1&y=1&seen=0"
    assert guest.get(f"/puzzles/oregon-1/explain?{at}").status_code in (200, 204)
    assert guest.get("/puzzles/oregon-1/explain?panel=nothing&x=1&y=1&seen=0").status_code == 404


# --- personal data --------------------------------------------------------------------------------------


def test_attempts_are_exported_merged_and_made_anonymous(ana, some, site):
    bea = signed_in(Visitor(ana.app, headers={"Origin": ORIGIN}), "bea")
    for visitor, number in ((ana, 1), (bea, 1), (ana, 2)):
        send(visitor, some[number - 1], some[number - 1].solution.action, number)
    assert [one["number"] for one in site.personal_data.export("ana")["puzzles"]["puzzles"]] == [1, 2]
    rating = site.puzzles._repository.puzzle_ratings("oregon")
    site.personal_data.merge("ana", "bea")
    assert sorted((row["guest"] == "bea", row["number"]) for row in rows(site, schema.puzzle_attempt)) == [
        (False, 1),
        (True, 1),
        (True, 2),
    ]
    site.personal_data.erase("bea")
    assert not {"ana", "bea"} & {row["guest"] for row in rows(site, schema.puzzle_attempt)}
    assert site.puzzles._repository.puzzle_ratings("oregon") == rating


# --- programs ------------------------------------------------------------------------------------------


def test_a_program_reads_and_answers_the_puzzle_of_the_day(ana, some, site):
    from ..attack.target import token_of

    headers = {"Authorization": f"Bearer {token_of(site, 'ana')}"}
    daily = site.puzzles.daily()
    read = ana.get("/api/v1/puzzles/daily", headers=headers).json()
    assert (read["puzzle"], read["game"], read["seat"], read["tried"]) == (daily.id, daily.puzzle.game, 1, False)
    play = daily.puzzle.play(almunia.game(daily.puzzle.game, "plain"))
    assert [one["action"] for one in read["legal"]] == list(play.legal_actions)
    assert read["text"] == play.observe(0).describe()
    assert ana.get("/api/v1/puzzles/oregon-9", headers=headers).status_code == 404
    refused = ana.post("/api/v1/puzzles/daily/answer", headers=headers, json={"action": 99999})
    assert refused.status_code == 400
    answer = {"action": daily.puzzle.solution.action}
    told = ana.post("/api/v1/puzzles/daily/answer", headers=headers, json=answer).json()
    assert (told["solved"], told["streak"], told["gap"]) == (True, 1, 0.3)
    assert [one["solves"] for one in told["answers"]][: daily.puzzle.solutions + 1][-1] is False
    assert told["rating"] > 1500
    assert ana.get("/api/v1/puzzles/daily", headers=headers).json()["tried"] is True
