"""Requirements on every command: help, exit codes, and sentences instead of tracebacks."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from almunia import __version__
from almunia.cli import Exit, all_commands, build_parser, main

from ..tiers import rest


@pytest.mark.parametrize("command", sorted(all_commands()))
def test_help_has_an_example_that_parses(almunia, command) -> None:
    done = almunia(command, "--help")
    assert done.code == Exit.OK
    for example in all_commands()[command].EXAMPLES:
        assert example in done.out
        name, *words = shlex.split(example)
        assert name == "almunia"
        assert build_parser().parse_args(words).run is all_commands()[command].run


def test_every_command_of_the_specification_is_there() -> None:
    expected = {"list", "play", "show", "replay", "simulate", "bench", "check", "new", "warm", "serve", "doctor"}
    assert expected <= set(all_commands())


@pytest.mark.parametrize("command", ["bench", "check", "doctor", "list", "replay", "simulate", "warm"])
def test_commands_with_figures_offer_json(command) -> None:
    positional = {"check": ["orchard"], "replay": ["game.txt"], "simulate": ["orchard"]}.get(command, [])
    assert build_parser().parse_args([command, *positional, "--json"]).json


def test_version(almunia) -> None:
    assert almunia("--version").out == f"almunia {__version__}\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["show", "chess"], "'chess' is neither a record file nor a game"),
        (["play", "chess"], "There is no game called 'chess'. There are: "),
        (["show", "orchard", "--seats", "7"], "Orchard takes 1 to 6 seats, not 7."),
        (["show", "orchard", "--seed", "-1"], "A seed is a whole number from 0 to 2**63 - 1, not -1."),
        (["show", "orchard", "--option", "edition=2017"], "choose one of: 2019, 2018"),
        (["show", "orchard", "--option", "colour=red"], "There is no option 'colour' here; there are: edition"),
        (["show", "orchard", "--option", "edition"], "'edition' is not of the form NAME=VALUE"),
        (["show", "orchard", "--ply", "3"], "use --ply with a record file"),
        (["show", "orchard", "--build", "plain", "--seat", "2"], "--seat: there is no seat '2', only seat 1"),
        (["show", "orchard", "--out", "a.png"], "'a.png' should end in one of: .txt, .svg."),
        (["show", "orchard", "--out", "a.txt", "--format", "svg"], "'a.txt' would hold text, not svg"),
        (["play", "orchard", "--save", "nowhere/game.txt"], "There is no folder 'nowhere'"),
        (["replay", "nothing.txt"], "There is no file 'nothing.txt'."),
        (["simulate", "orchard", "--games", "0"], "'0' is not an integer of at least 1"),
        (["simulate", "orchard", "--out", "x.xls"], "should end in one of: .csv, .jsonl, .parquet"),
        (["simulate", "orchard", "--out", "nowhere/x.csv"], "There is no folder 'nowhere'"),
        (
            ["simulate", "orchard", "--build", "plain", "--games", "1000000000000"],
            "There is not enough memory for this",
        ),
        (["simulate", "orchard", "--bot", "genius"], "There is no bot 'genius'. There are: random, greedy"),
        (["simulate", "orchard", "--seats", "3", "--bot", "random", "--bot", "random"], "2 bots cannot share 3 seats"),
        (["play", "orchard", "--build", "plain", "--bot", "3=random"], "there is no seat '3'"),
        (["play", "orchard", "--build", "plain", "--bot", "random"], "The only seat is yours"),
        (["check", "nowhere"], "'nowhere' is neither a game nor a folder"),
        (["check", "orchard", "--seats", "9"], "Orchard takes 1 to 6 seats, not 9"),
        (["bench", "chess"], "There is no game called 'chess'"),
        (["bench", "orchard", "chess"], "There is no game called 'chess'"),
        (["warm", "chess"], "There is no game called 'chess'"),
        (["serve", "--port", "70000"], "'70000' is not a port"),
        (["--components", "nowhere", "list"], "there is no folder 'nowhere'"),
        (["dance"], "There is no command 'dance'; there are analyse, backup, bench, bot-worker, "),
        (["plya", "orchard"], "Did you mean 'play'? See almunia --help."),
        (["play", "orchad"], "Did you mean 'orchard'?"),
        (
            ["play", "orchard", "--build", "plan"],
            "--build: there is no 'plan'; there are compiled, plain. Did you mean",
        ),
        (["simulate", "orchard", "--bot", "greddy"], "Did you mean 'greedy'?"),
        (["play", "orchard", "--option", "editon=2018"], "Did you mean 'edition'?"),
        (["play", "orchard", "--seats", "two"], "--seats: 'two' is not an integer. See almunia play --help."),
        (
            ["show", "orchard", "--option", "edition=2018", "--option", "edition=2019"],
            "--option is given twice for edition",
        ),
        (
            ["play", "orchard", "--build", "plain", "--seats", "2", "--bot", "greedy", "--bot", "2=random"],
            "--bot is given twice for seat 2",
        ),
        (["play", "orchard", "--build", "plain", "--name", "Ann", "--name", "Bo"], "2 names are too many for 1 seat."),
        (["--components", ".", "list"], "has no component table, such as alhambra.toml: there is nothing"),
        (["show", "orchard", "--out", "nowhere/x.svg"], "There is no folder 'nowhere'"),
        (["match", "orchard", "--bot", "greedy", "--plot", "x.png"], "'x.png' should end in .svg"),
        (
            ["simulate", "orchard", "--bot", "turn,beam_width=2.9"],
            "beam_width is a whole number from 1 to 1000, not '2.9'",
        ),
        (
            ["tune", "orchard", "--bot", "search:10,beam_width=3", "--set", "beam_width=1:8"],
            "beam_width is tuned, and the bot 'search:10,beam_width=3' sets it too",
        ),
        (
            ["tune", "orchard", "--bot", "search:10", "--set", "beam_width=1.5:8"],
            "beam_width can be tuned in whole numbers between 1",
        ),
        (
            ["tune", "orchard", "--bot", "search:10", *("--set", "beam_width=1:8") * 2],
            "--set is given twice",
        ),
        (["replay", "."], ". is a folder, not the file of a record"),
        (["replay", __file__], f"{__file__}: This is no record: line 1 is"),
    ],
)
def test_bad_input_is_reported_in_a_sentence(almunia, words, sentence) -> None:
    done = almunia(*words)
    assert done.code == Exit.BAD_INPUT
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_help_is_shown_without_a_command(almunia) -> None:
    done = almunia()
    assert done.code == Exit.OK
    assert "simulate" in done.out


def test_a_missing_package_is_reported_with_its_installation(almunia, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.box", None)
    monkeypatch.delitem(sys.modules, "almunia.cli.terminal", raising=False)
    done = almunia("play", "orchard")
    assert done.code == Exit.BAD_INPUT
    assert "pip install 'almunia[cli]'" in done.err


def test_simulate_runs_in_a_base_install(almunia, monkeypatch) -> None:
    for name in ("rich", "rich.console", "rich.progress", "svg", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert almunia("simulate", "orchard", "--build", "plain", "--games", 5, "--out", "x.csv").code == Exit.OK


def test_a_closed_output_pipe_is_no_error() -> None:
    """The case of `almunia list | head -0`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "almunia", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (Exit.OK, b"")


WATCHED = """
import signal, sys
from contextlib import nullcontext
from almunia.cli import arguments, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever was started in the background ignores it
arguments.progress_bar = lambda *_: nullcontext(lambda *_: print("Some plays are done.", flush=True))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to another process")
@pytest.mark.parametrize("build", rest(["plain", "compiled"], "plain"))
def test_interruption(tmp_path, build) -> None:
    """Ctrl-C ends a long simulation with exit code 130, without a traceback and without a file."""
    command = [sys.executable, "-c", WATCHED, "simulate", "orchard", "--games", "1000000"]
    command += ["--build", build, "--bot", "greedy", "--out", str(tmp_path / "x.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"Some plays are done.\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == Exit.INTERRUPTED
    assert b"Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_components_are_taken_from_a_folder(tmp_path) -> None:
    """A play uses the corrected table, and the record names its hash. The process is new: tables are read once."""
    from almunia.games.orchard import components

    def start(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "almunia", *words, "play", "orchard", "--bot", "1=random"]
        command += ["--build", "plain", "--save", str(tmp_path / "game.txt")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def tables() -> str:
        return next(line for line in (tmp_path / "game.txt").read_text("utf-8").splitlines() if "components" in line)

    own = Path(components.__file__).with_name("components.toml").read_text("utf-8")
    assert "ladder = [1, 3, 6, 10]" in own
    (tmp_path / "orchard.toml").write_text(own.replace("ladder = [1, 3, 6, 10]", "ladder = [1, 3, 6, 11]"), "utf-8")
    assert start().returncode == Exit.OK
    ours = tables()
    assert start("--components", str(tmp_path)).returncode == Exit.OK
    assert tables() != ours
    (tmp_path / "orchard.toml").write_text("this is no TOML", "utf-8")
    broken = start("--components", str(tmp_path))
    assert broken.returncode == Exit.BAD_INPUT
    assert "cannot be read" in broken.stderr
    assert "Traceback" not in broken.stderr


def test_main_returns_codes_instead_of_leaving() -> None:
    assert main(["--help"]) == Exit.OK
