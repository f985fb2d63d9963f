"""Bots see what their seat sees, and say what is wrong."""

import json
import sys
from collections import Counter

import pytest

import almunia
from almunia import bots
from almunia.bots import compare
from almunia.bots.external import split_command
from almunia.core.kernels import policies
from almunia.core.rich_text import own_points

ORCHARD = almunia.game("orchard", "plain")


@pytest.mark.compiled
@pytest.mark.parametrize("spec", bots.KERNEL_BOTS)
def test_bots_play_whole_games_in_either_build(spec):
    plays = [almunia.game("orchard", build).new(seats=2, seed=3) for build in ("compiled", "plain")]
    players = [bots.make(spec, play.game, seed=9) for play in plays]
    while not plays[0].over:
        choices = [bot.choose(play.observe(play.turn)) for play, bot in zip(plays, players, strict=True)]
        assert choices[0] == choices[1]
        for play in plays:
            play.apply(choices[0])
    assert plays[1].over


@pytest.mark.parametrize("spec", bots.KERNEL_BOTS)
def test_a_choice_does_not_depend_on_hidden_information(spec):
    play = ORCHARD.new(seats=2, seed=3)
    play.apply(play.legal_actions[5])
    for seed in range(10):
        other = play.observe(1).determinize(seed)
        chosen = {bots.make(spec, ORCHARD, seed=1).choose(p.observe(1)) for p in (play, other)}
        assert len(chosen) == 1


@pytest.mark.parametrize(("deal", "equals"), [(0, 1), (2, 2), (3, 4), (9, 5)])
def test_greedy_takes_the_most_points_and_breaks_ties_by_lot(deal, equals):
    play = ORCHARD.new(seed=deal)
    gains = {action: own_points(ORCHARD.text.effect_text(play.state, action)) for action in play.legal_actions}
    best = {action for action, gain in gains.items() if gain == max(gains.values())}
    assert len(best) == equals < len(gains)
    choices = Counter(bots.make("greedy", ORCHARD, seed).choose(play.observe(0)) for seed in range(100))
    assert set(choices) == best
    assert min(choices.values()) >= 100 / equals / 2  # none is preferred


def test_invalid_observations_and_budgets_are_refused():
    play = ORCHARD.new(seats=2, seed=1)
    given = r"chooses from an observation, such as play\.observe\(play\.turn\), not from <Play of orchard"
    with pytest.raises(almunia.SetupError, match=f"'search:10' {given}"):
        almunia.analyse(play, "10")
    for spec in bots.KERNEL_BOTS:
        with pytest.raises(almunia.SetupError, match=f"{spec!r} {given}"):
            bots.make(spec, ORCHARD).choose(play)
    with pytest.raises(almunia.SetupError, match=r"A budget is a text, such as '2000' .* not 10\."):
        almunia.analyse(play.observe(0), 10)


def test_playouts_of_a_comparison_determinize_for_their_bots(monkeypatch):
    oregon = almunia.game("oregon", "plain")
    play = oregon.new(seats=3, seed=1)
    view = play.observe(play.turn)
    monkeypatch.setattr(compare, "MAX_DECISIONS", 0)
    playouts = compare.Playouts(oregon, 3)
    for seed in range(3):
        playouts.final_observation(view, view.legal_actions[0], seed)
        played, seat = view.determinize(seed), view.seat
        playouts._work.states[policies.OBSERVED] = view.array[0]
        oregon.kernel(policies).choose(policies.GREEDY, seat, playouts._wrapped)
        assert playouts._work.states[policies.DETERMINIZED] != played.array[0]


def test_an_invalid_spec_is_refused():
    with pytest.raises(almunia.SetupError, match=r"A spec is a text, such as 'greedy' or 'search:1s', not 5\.$"):
        bots.make(5, ORCHARD)


def test_a_setting_that_would_be_rounded_to_0_is_refused():
    assert bots.make("greedy,epsilon=0.001", ORCHARD).kernel_policy.permille == 1
    assert bots.make("greedy,epsilon=0", ORCHARD).kernel_policy.permille == 0
    with pytest.raises(almunia.SetupError, match=r"epsilon is counted in units of 0\.001: .* not 0\.0004\.$"):
        bots.make("greedy,epsilon=0.0004", ORCHARD)
    with pytest.raises(almunia.SetupError, match=r"noise is counted in units of 1: .* not 0\.4\.$"):
        bots.make("greedy,noise=0.4", ORCHARD)


class Failing:
    """A bot with a mistake."""

    def choose(self, observation):
        return 1 // len(observation.legal_actions[:0])

    def __repr__(self):
        return "<Failing>"


def test_an_error_in_a_user_bot_names_game_seat_and_seed():
    with pytest.raises(ZeroDivisionError) as caught:
        almunia.simulate(ORCHARD, 2, bots=["random", Failing()], seed=3)
    seed = almunia.simulate(ORCHARD, 2, bots=["random", "random"], seed=3)["seed"][0]
    assert caught.value.__notes__ == [f"The bot was <Failing> in Orchard, seed {seed}, seat 2, action 2."]
    batch = ORCHARD.batch(2, 2, opponents=Failing(), seat=0, seed=4)
    with pytest.raises(ZeroDivisionError) as caught:
        batch.step([int(batch.legal_actions[row, 0]) for row in range(2)])
    assert caught.value.__notes__ == [
        f"Raised by <Failing> in Orchard, game 0 of the batch, seed {batch.seeds[0]}, seat 2."
    ]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\Users\me\mybot.exe --fast", [r"C:\Users\me\mybot.exe", "--fast"]),
        (r"py bots\my.py", ["py", r"bots\my.py"]),
        (r'"C:\my bots\bot.exe" "two words" \\server\it', [r"C:\my bots\bot.exe", "two words", r"\\server\it"]),
        ("'./my bot.py' # 2", ["./my bot.py", "#", "2"]),
    ],
)
def test_a_command_keeps_the_backslashes_of_its_paths(command, words, tmp_path, monkeypatch):
    """On Unix, names of files may have backslashes too, so this runs on every system."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / words[0]).touch(mode=0o755)
    assert split_command(f"external:{command}", command) == words


LOGGING = """
import json, sys
with open({log!r}, "w") as log:
    for line in sys.stdin:
        print(line, end="", file=log, flush=True)
        if json.loads(line)["type"] == "choose":
            print(json.dumps({{"action": json.loads(line)["actions"][0]["code"]}}), flush=True)
"""


def test_a_program_gets_the_seat_for_which_it_chooses(tmp_path):
    """One program may answer for several seats, such as those of the opponents in a batch."""
    file, log = tmp_path / "program.py", tmp_path / "log.txt"
    file.write_text(LOGGING.format(log=str(log)))
    bot, play = bots.make(f"external:60s:{sys.executable} {file}", ORCHARD), ORCHARD.new(seats=2, seed=1)
    turns = []
    while len(set(turns)) < 2:
        turns.append(play.turn)
        play.apply(bot.choose(play.observe(play.turn)))
    bot.close()
    start, *questions = map(json.loads, log.read_text().splitlines())
    assert (start["type"], start["seat"]) == ("start", turns[0] + 1)
    assert [question["seat"] for question in questions] == [turn + 1 for turn in turns]


def test_an_unquoted_path_with_blanks_is_refused():
    with pytest.raises(almunia.SetupError, match=r"no program '\./my\\\\' .*\. Put a path with blanks in quotes\.$"):
        bots.make(r"external:./my\ bot.py", ORCHARD)


def test_an_unknown_bot_and_a_seat_out_of_turn_are_refused():
    with pytest.raises(almunia.SetupError, match=r"no bot 'oracle'\. There are: random, greedy"):
        bots.make("oracle", ORCHARD)
    with pytest.raises(almunia.IllegalAction, match="Seat 2 is not to move"):
        bots.make("random", ORCHARD).choose(ORCHARD.new(seats=2, seed=1).observe(1))
