"""Puzzles: what is a puzzle, what its file says, and that a seat's view decides the solution."""

import json
from dataclasses import replace
from math import isclose

import pytest

import almunia
from almunia import puzzles
from almunia.analysis import Analyst, JudgedAction
from almunia.errors import RecordError, SetupError
from almunia.puzzles import Answer, Comparison, Puzzle, PuzzleFinder, Theme, bot_plays, find_puzzles, load_puzzles

OREGON, PLAIN = almunia.game("oregon"), almunia.game("oregon", "plain")
SIMULATIONS = 100
COMPILED = pytest.mark.compiled


def some_puzzle(**changed):
    play = PLAIN.new(seats=2, seed=3)
    answers = tuple(Answer(action, play.action_to_string(action), 0.6, 2.0) for action in play.legal_actions[:2])
    puzzle = Puzzle(
        game="oregon",
        rules=PLAIN.meta.rules_version,
        components=PLAIN.components_hash,
        seats=2,
        seed=3,
        options={},
        players=("greedy", "greedy"),
        actions=(),
        answers=answers,
        solutions=1,
        gap=0.2,
        interval=(0.15, 0.25),
        simulations=(400, 1600),
        theme=Theme("CARD", "opening"),
    )
    return replace(puzzle, **changed)


def judged(action, lost, chance=0.8):
    return JudgedAction(action, chance - lost, 10 * (chance - lost), lost)


def test_the_gap_is_that_of_the_best_wrong_action_with_its_interval():
    losses = (0.2, 0.22, 0.24, 0.26, 0.28)
    compared = Comparison([[judged(7, 0), judged(3, gap), judged(5, gap + 0.1)] for gap in losses])
    assert compared.solutions == (7,)
    assert compared.gaps == list(losses)
    low, high = compared.interval
    assert isclose((low + high) / 2, 0.24, abs_tol=1e-4)
    assert isclose(high - low, 2 * 2.776 * 0.0316228 / 5**0.5, abs_tol=2e-4), "Student's t with 4 degrees of freedom"
    assert Comparison([[judged(7, 0)]]).gaps == [0.0], "without another action there is no gap"


def test_actions_that_lose_next_to_nothing_are_one_solution():
    compared = Comparison([[judged(7, 0), judged(3, 0.01), judged(5, 0.3)], [judged(3, 0), judged(7, 0.015)]])
    assert compared.solutions == (3, 7), "the best first"
    assert compared.gaps == [0.3, 0.0]
    assert Comparison([[judged(7, 0), judged(3, 0.03)]]).solutions == (7,)


def test_answers_are_means_over_the_searches_that_judged_them():
    play = PLAIN.new(seats=2, seed=3)
    best, *others = play.legal_actions
    first = [judged(best, 0), judged(others[0], 0.3), judged(others[1], 0.2)]
    answers = Comparison([first, [judged(best, 0), judged(others[0], 0.2)]]).answers(play)
    assert [answer.action for answer in answers] == [best, others[1], others[0]]
    assert [answer.chance for answer in answers] == [0.8, 0.6, 0.55]
    assert [answer.words for answer in answers] == [play.action_to_string(answer.action) for answer in answers]


@COMPILED
def test_found_puzzles_are_positions_in_which_the_player_missed_the_only_good_action():
    play, players = next(bot_plays(OREGON, 2, "greedy,epsilon=0.3", 19, {})), ("ann", "ben")
    finder = PuzzleFinder(OREGON, 2, SIMULATIONS)
    found = list(finder.find(play, players))
    assert found
    assert list(find_puzzles([(play, players)], 1, SIMULATIONS)) == found[:1], "the same play has the same puzzles"
    for puzzle in found:
        number, there = len(puzzle.actions), puzzle.play(OREGON)
        assert puzzle.actions == tuple(play.actions[:number])
        assert len(there.legal_actions) >= 4
        assert not puzzle.is_solved_by(play.actions[number]), "the player missed it"
        assert puzzle.is_solved_by(puzzle.solution.action)
        assert puzzle.solution.words == there.action_to_string(puzzle.solution.action)
        assert 0.1 <= puzzle.interval[0] <= puzzle.gap <= puzzle.interval[1]
        assert puzzle.solution.chance - puzzle.answers[puzzle.solutions].chance >= 0.1
        assert puzzle.theme.kind == OREGON.rules.CODES.split(puzzle.solution.action)[0]
        assert puzzle.theme.stage == ("opening", "middle", "end")[3 * number // len(play.actions)]
        assert puzzle.simulations == (SIMULATIONS, 4 * SIMULATIONS)
        everything = Analyst(OREGON, 2, 2, threads=1).compare(there, len(there.legal_actions), 0)
        assert sorted(one.action for one in everything) == list(there.legal_actions), "also those not considered"
        world = there.observe(there.turn).determinize(9)
        assert world.to_state() != there.to_state()
        same = finder._judge(world, play.actions[number], puzzle.theme.stage, players)
        assert same is not None
        assert (same.answers, same.gap) == (puzzle.answers, puzzle.gap), "the seat cannot tell the worlds apart"


@COMPILED
def test_a_play_has_one_puzzle_of_each_theme():
    play, finder = next(bot_plays(OREGON, 2, "random", 11, {})), PuzzleFinder(OREGON, 2, SIMULATIONS)
    finder._judge = lambda _play, _action, stage, players: some_puzzle(theme=Theme("CARD", stage), players=players)
    found = list(finder.find(play, ("ann", "ben")))
    assert [puzzle.theme.stage for puzzle in found] == list(puzzles.STAGES)
    assert {puzzle.players for puzzle in found} == {("ann", "ben")}


@COMPILED
def test_an_action_that_the_searches_overlooked_spoils_a_puzzle():
    play, finder = OREGON.new(seats=2, seed=3), PuzzleFinder(OREGON, 2, SIMULATIONS)
    best, other, *rest = play.legal_actions

    def is_alone(loss):
        judged_all = [judged(best, 0), judged(other, 0.5), *(judged(action, loss) for action in rest)]
        finder._analysts[0].compare = lambda asked, others, _seed: judged_all[: others if asked is play else 0]
        return finder._is_alone(play, [best])

    assert [is_alone(loss) for loss in (0.3, 0.05)] == [True, False]


@COMPILED
def test_a_far_larger_search_confirms_a_puzzle():
    play, finder = next(bot_plays(OREGON, 2, "greedy,epsilon=0.3", 19, {})), PuzzleFinder(OREGON, 2, SIMULATIONS)
    found = list(finder.find(play))
    assert finder._last_look._bot.spec == f"search:{32 * SIMULATIONS}"
    finder._last_look.compare = lambda play, _others, _seed: [judged(action, 0.05) for action in play.legal_actions]
    assert found
    assert not list(finder.find(play))


def test_bot_plays_are_finished_reproducible_and_different():
    plays = zip(bot_plays(PLAIN, 2, "random", 5, {}), bot_plays(PLAIN, 2, "random", 5, {}), range(2), strict=False)
    (first, again, _), (second, _, _) = plays
    assert first.over
    assert first.actions == again.actions
    assert first.seed != second.seed


@COMPILED
def test_a_play_without_seed_has_no_puzzles():
    play = OREGON.new(seats=2, seed=3)
    with pytest.raises(SetupError, match="started from a seed"):
        next(PuzzleFinder(OREGON, 2, SIMULATIONS).find(play.observe(0).determinize(1)))


# --- the file ---------------------------------------------------------------------------------


def test_a_line_holds_the_whole_puzzle():
    puzzle = some_puzzle(options={"name": "value"})
    assert Puzzle.from_json(puzzle.to_json()) == puzzle
    assert puzzle.answer(puzzle.answers[1].action) == puzzle.answers[1]
    assert puzzle.answer(-5) is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no puzzle"),
        ("[1]", "its fields are not game, rules"),
        (json.dumps({"game": "oregon"}), "its fields are not game, rules"),
        (some_puzzle().to_json().replace('"theme":["CARD","opening"]', '"theme":["CARD"]'), "stage"),
    ],
)
def test_a_broken_line_is_refused(line, reason):
    with pytest.raises(RecordError, match=reason):
        Puzzle.from_json(line)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a file that is Oregon's file of puzzles."""
    monkeypatch.setattr(PLAIN, "file", lambda name: tmp_path / name)
    return tmp_path / puzzles.FILE


def test_puzzles_of_other_rules_or_components_are_left_out_and_keep_their_numbers(file):
    assert load_puzzles(PLAIN) == {}
    lines = [some_puzzle(rules=0), some_puzzle(), some_puzzle(components="0"), some_puzzle(seed=4)]
    file.write_text("".join(f"{puzzle.to_json()}\n" for puzzle in lines), "utf-8")
    assert load_puzzles(PLAIN) == {2: lines[1], 4: lines[3]}
    file.write_text(f"{lines[0].to_json()}\nnothing\n", "utf-8")
    with pytest.raises(RecordError, match=r"Line 2 of the puzzles.jsonl of Oregon: This is no puzzle"):
        load_puzzles(PLAIN)


@COMPILED
@pytest.mark.parametrize("name", [meta.name for meta in almunia.all_games()])
def test_puzzles_in_the_box_replay_and_differ(name):
    game = almunia.game(name)
    lines = game.file(puzzles.FILE).read_text("utf-8").splitlines()
    found = load_puzzles(game)
    assert len(found) == len(lines) >= 50, "all fit the rules and component tables"
    assert len({(puzzle.seed, puzzle.actions) for puzzle in found.values()}) == len(found)
    for puzzle in found.values():
        play = puzzle.play(game)
        assert all(play.action_to_string(answer.action) == answer.words for answer in puzzle.answers)
        assert 0 < puzzle.solutions < len(puzzle.answers)
        assert puzzle.interval[0] >= puzzles.MIN_GAP
        assert puzzle.theme.kind == game.rules.CODES.split(puzzle.solution.action)[0]
