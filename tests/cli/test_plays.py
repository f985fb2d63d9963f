"""The commands list, play, show and replay."""

import json
import xml.etree.ElementTree as ET
from copy import deepcopy
from types import SimpleNamespace

import pytest

from almunia import Record, bots, game, replay
from almunia.cli import Exit
from almunia.cli.narration import result_lines, seat_names
from almunia.cli.terminal import Menu, Terminal


@pytest.fixture
def almunia(almunia):
    """Run `almunia` in the plain build."""
    return lambda *words, typed="": almunia(*words, *(["--build", "plain"] if words[0] != "list" else []), typed=typed)


def test_list(almunia) -> None:
    done = almunia("list")
    assert done.code == Exit.OK
    assert "orchard: Orchard, by Mark Tuck (2018); 1 to 6 seats; complete" in done.out
    facts = json.loads(almunia("list", "--json").out)
    assert {"name", "title", "seats", "year", "designers", "stage", "data"} <= set(facts[0])


# --- play ---------------------------------------------------------------------------------------


def test_a_whole_play_by_numbers(almunia, tmp_path) -> None:
    done = almunia("play", "orchard", "--seed", 7, "--save", "game.txt", typed="1\n" * 20)
    assert done.code == Exit.OK
    assert "The end" in done.out
    record = Record.parse((tmp_path / "game.txt").read_text("utf-8"))
    play = replay(record, build="plain")
    assert play.over
    again = game("orchard", "plain").new(seed=7)
    while not again.over:
        again.apply(again.legal_actions[0])
    assert play.to_state() == again.to_state()


def test_typed_words_filter_actions_and_enter_plays_the_remaining_one(almunia, tmp_path) -> None:
    play = game("orchard", "plain").new(seed=7)
    words = [play.action_to_string(action) for action in play.legal_actions]
    at = words.index("place 15 at -2,1 turned 180")
    assert at > 0
    assert [one for one in words if {"15", "-2,1", "180"} <= {*one.split()}] == [words[at]]
    done = almunia("play", "orchard", "--seed", 7, "--save", "game.json", typed="-2,1\n15 -2,1 180\n\nq\n")
    assert done.code == Exit.OK
    assert "Enter plays it" in done.out
    record = Record.from_json((tmp_path / "game.json").read_text("utf-8"))
    assert record.actions == ((0, words[at]),)


def test_the_name_of_an_action_chooses_it(almunia, tmp_path) -> None:
    play = game("orchard", "plain").new(seed=7)
    words = play.action_to_string(play.legal_actions[9])
    done = almunia("play", "orchard", "--seed", 7, "--save", "game.json", typed=f"{words[:8]}\n{words}\nq\n")
    assert done.code == Exit.OK
    record = Record.from_json((tmp_path / "game.json").read_text("utf-8"))
    assert record.actions == ((0, words),)


def test_the_terminal_refuses_invalid_input_in_a_sentence(almunia) -> None:
    typed = "999\nno such words\n?\n\n*\nu\nq\n"
    done = almunia("play", "orchard", "--seed", 7, typed=typed)
    assert done.code == Exit.OK
    for sentence in (
        "There is no action 999",
        "No action contains 'no such words'",
        "a number   chooses that action",
        "13 to 24 of",
        "Nothing has been done yet",
        "You have left the game.",
    ):
        assert sentence in done.out


def test_undo_is_refused_after_the_turn_has_passed(almunia) -> None:
    """The first of two choices reveals nothing, but passes the turn."""
    done = almunia("play", "orchard", "--seats", 2, "--seed", 1, typed="1\n\nu\nq\n")
    assert "The turn has passed to seat 2" in done.out


def test_the_log_of_an_undone_action_is_not_shown() -> None:
    """Other people on the device do not read of an action that was undone before their turn."""
    play = game("oregon", "plain").new(2, seed=1)
    terminal = Terminal(play, ["Ann", "Bo"], {}, None, seed_known=False)
    before = {}
    while not (play.can_undo and terminal.pending_log != before):
        before = deepcopy(terminal.pending_log)
        terminal.apply(play.legal_actions[0])
    assert terminal.pending_log != before
    terminal.undo()
    assert terminal.pending_log == before


def test_the_record_says_whether_the_seed_was_known(almunia, tmp_path) -> None:
    for arguments, known in ((("--seed", 7), True), ((), False)):
        assert almunia("play", "orchard", *arguments, "--save", "game.txt", typed="q\n").code == Exit.OK
        assert Record.parse((tmp_path / "game.txt").read_text("utf-8")).seed_known == known


def test_bots_do_not_repeat_their_random_numbers(almunia, tmp_path) -> None:
    """On one deal, a bot plays the same with the same seed, and differently in plays with other seeds."""

    def actions(*arguments: object) -> tuple[tuple[int, str], ...]:
        deal = "deal=1 2 3 4 5 6 7 8 9"
        words = ("play", "orchard", "--option", deal, "--bot", "1=random", "--save", "game.txt", *arguments)
        assert almunia(*words).code == Exit.OK
        return Record.parse((tmp_path / "game.txt").read_text("utf-8")).actions

    assert actions("--seed", 1) == actions("--seed", 1) != actions("--seed", 2)
    assert actions() != actions()


def test_hot_seat_draws_a_curtain_and_bots_answer(almunia) -> None:
    done = almunia("play", "orchard", "--seats", 3, "--name", "Ann", "--name", "Bo", "--bot", "3=greedy", typed="1\n")
    assert "Bo, it is your turn. Press Enter when no one else can see the screen." in done.out
    done = almunia("play", "orchard", "--seats", 2, "--bot", "greedy", typed="1\n" * 20)
    assert "Player 2 (greedy)" in done.out
    assert "Press Enter" not in done.out


def test_a_bot_can_be_watched(almunia, record) -> None:
    assert replay(Record.parse(record.read_text("utf-8")), build="plain").over


def test_bots_take_settings_and_are_closed(almunia, monkeypatch) -> None:
    closed = []

    def close(bot):
        closed.append(bot.spec)

    monkeypatch.setattr(bots.NamedBot, "close", close)
    done = almunia("play", "orchard", "--seats", 2, "--bot", "search:1,beam_width=2", typed="1\n" * 20)
    assert "(search:1,beam_width=2)" in done.out
    assert closed == ["search:1,beam_width=2"]


# --- show ---------------------------------------------------------------------------------------


def test_show_a_new_deal(almunia) -> None:
    assert (
        almunia("show", "orchard", "--seed", 7).out.strip()
        == game("orchard", "plain").new(seed=7).observe(0).board().strip()
    )


def test_show_a_position_of_a_record(almunia, record, tmp_path) -> None:
    done = almunia("show", record, "--ply", 3)
    replayed = replay(Record.parse(record.read_text("utf-8")), 3, build="plain")
    assert done.out == replayed.observe(0).board() + "\n"
    assert almunia("show", record, "--ply", 3, "--out", "position.svg").out == ""
    root = ET.fromstring((tmp_path / "position.svg").read_text("utf-8"))
    assert root.tag.endswith("svg")
    assert almunia("show", record, "--format", "svg").out.startswith("<svg")
    assert almunia("show", record, "--ply", 99).code == Exit.BAD_INPUT
    assert almunia("show", record, "--seed", 3).code == Exit.BAD_INPUT


def test_show_hides_secrets_from_spectators(almunia) -> None:
    """Two deals that differ only in the deck look alike."""
    deals = ("1 2 3 4 5 6 7 8 9", "1 2 3 10 11 12 13 14 15")
    boards = [almunia("show", "orchard", "--option", f"deal={deal}", "--seat", "spectator").out for deal in deals]
    assert boards[0] == boards[1]


# --- replay -------------------------------------------------------------------------------------


def test_replay_reads_a_record_quoted_in_a_mail(almunia, record) -> None:
    outcome = replay(Record.parse(record.read_text("utf-8")), build="plain").outcome
    quoted = "> Here it is:\r\n> [code]\r\n> " + record.read_text("utf-8").strip().replace("\n", " \r\n> ") + "[/code]"
    record.write_bytes(quoted.encode("utf-16"))
    assert f"{outcome.scores[0]} points" in almunia("replay", record).out


def test_replay_reports_the_outcome(almunia, record) -> None:
    outcome = replay(Record.parse(record.read_text("utf-8")), build="plain").outcome
    done = almunia("replay", record)
    assert done.code == Exit.OK
    assert outcome.reason in done.out
    assert f"{outcome.scores[0]} points" in done.out
    facts = json.loads(almunia("replay", record, "--json").out)
    assert facts["scores"] == list(outcome.scores)
    assert facts["over"]


def test_a_result_of_one_point_is_in_the_singular() -> None:
    """A result of one point says `1 point`, not `1 points`."""
    for seed in range(200):
        play = game("orchard", "plain").new(2, seed)
        while not play.over:
            play.apply(play.legal_actions[-1])
        if 1 in play.outcome.scores:
            break
    lines = result_lines(play, seat_names(2))
    assert any(": 1 point" in line for line in lines)
    assert not any(" 1 points" in line for line in lines)


def test_replay_up_to_an_action(almunia, record) -> None:
    done = almunia("replay", record, "--to", 2)
    assert "The game is not over" in done.out
    assert "  2. " in done.out
    assert "  3. " not in done.out
    assert almunia("replay", record, "--to", 99).code == Exit.BAD_INPUT


def test_replay_steps(almunia, record) -> None:
    done = almunia("replay", record, "--step", typed="\n" * 8)
    assert done.out.count("Hand") + 1 >= 7
    boards = almunia("replay", record, "--step", typed="\n").out.count("Hand")
    assert boards == almunia("replay", record, "--step", typed="").out.count("Hand") + 1  # the input has ended


def test_a_damaged_record_is_refused(almunia, record, tmp_path) -> None:
    text = record.read_text("utf-8")
    for old, new, sentence in (
        ("Almunia record", "Some other log", "line 1"),
        ("1. (seat 1) place ", "1. (seat 1) place 99", "Action 1"),
        ("rules: 1", "rules: 99", "rules 99"),
        ("result: ", "result: 1", "playing it again gives"),
        ("seed: 7", "", "does not say: seed"),
    ):
        assert old in text
        damaged = tmp_path / "damaged.txt"
        damaged.write_text(text.replace(old, new, 1), "utf-8")
        done = almunia("replay", damaged)
        assert done.code == Exit.BAD_INPUT
        assert sentence in done.err
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\xff\xfe")
    assert "is not a text file" in almunia("replay", "picture.png").err


def test_action_names_with_capitals_are_matched_as_a_whole() -> None:
    """The words of Alhambra's place 1N are part of the words of 1N 1E, so only the whole words decide."""
    play, said = game("alhambra", "plain").new(2, seed=3), ""
    bot = bots.make("random", play.game, seed=5)
    while not said:
        play.apply(bot.choose(play.observe(play.turn)))
        words = [play.action_to_string(action) for action in play.legal_actions]
        said = next((one for one in words if one != one.lower() and sum(one in other for other in words) > 1), "")
    typed = iter([said])
    console = SimpleNamespace(print=lambda _: None, input=lambda _: next(typed))
    terminal = SimpleNamespace(console=console, names=["A", "B"], play=play)
    assert play.action_to_string(Menu(terminal, play.observe(play.turn)).choose()) == said
