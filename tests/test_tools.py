"""The tools that measure: the pages that they write about their results."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from math import inf

import pytest
import yaml

import almunia
from almunia.bots.search.settings import TURN_DEFAULTS
from almunia.cli.commands.bench import machine_facts
from tools import bill, bot_ratings, dataset, ladder, rated_games, results, results_page as page, train_baseline
from tools.builtin_games import builtin_games

FOUND = {
    "plays": 2, "win_rate": 0.5, "low": 0.1, "high": 0.9, "fair": 0.5, "seconds": 0.25,
    "points": [41.0, 40.0, 42.0], "ahead": [3.0, -1.0, 7.0],
}  # fmt: skip


def test_the_page_of_results_is_rewritten_part_by_part(tmp_path, monkeypatch):
    before = page.read()
    assert {"Speed", "Search", "Play"} <= before.keys() <= set(page.PARTS)
    assert results.SECTIONS.keys() <= set(page.PARTS), "else it is measured, and written nowhere"
    copy = tmp_path / "results.md"
    copy.write_text(page.PAGE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    page.write("Play", "as good as new", " in use")
    after = page.read()
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == ["Play"]
    assert machine_facts()["processor"] in after["Play"]
    assert after["Play"].endswith("as good as new\n")


def test_results_of_environments_list_peers_and_missing_packages(monkeypatch):
    ours = {"what": "Almunia's oregon", "value": 2e5, "unit": "decisions/s", "runs": [1e5, 2e5, 3e5]}
    theirs = {"what": "PettingZoo's chess_v6", "value": 1e3, "unit": "decisions/s", "runs": [1e3]}
    goal, none = {"goal": 1e5, "higher_is_better": True, "reached": True}, {"goal": None}
    report = {
        "packages": {"pettingzoo": "1.27.0"},
        "missing": ["RLCard needs it."],
        "figures": {"In turns": [ours | goal, theirs | none]},
    }
    monkeypatch.setattr(results, "benchmark", lambda *_: report)
    text = "\n".join(results.environments())
    assert "- **Peers:** pettingzoo 1.27.0\n" in text
    assert "`python -m benchmarks.envs --repeats 5 --json`" in text
    assert "- **Left out:** RLCard needs it.\n" in text
    assert (
        "### In turns\n\n| what | measured | goal |\n| --- | --- | --- |\n"
        "| Almunia's oregon | 200,000 decisions/s (100,000 to 300,000) | at least 100,000: met |\n"
        "| PettingZoo's chess_v6 | 1,000 decisions/s |  |\n"
    ) in text


def test_results_of_kills_have_their_command(monkeypatch):
    def tests(command, **_):
        told = f"..\n3 kills in 9 s: 5 acts of a crowd in {command[-1]}.\n1 passed"
        return subprocess.CompletedProcess(command, failed, told)

    monkeypatch.setattr(results.subprocess, "run", tests)
    failed = 0
    text = "\n".join(results.kills())
    assert "`python -m pytest -n 0 -s tests/attack/test_kills_under_load.py --attack-kills 20" in text
    assert "-k sqlite`\n\n3 kills in 9 s: 5 acts of a crowd in sqlite.\n" in text
    assert "-k postgres`\n\n3 kills in 9 s: 5 acts of a crowd in postgres.\n" in text
    failed = 1
    with pytest.raises(SystemExit, match="1 passed"):
        list(results.kills())


def test_results_of_test_runs_have_times_and_the_slowest_tests(monkeypatch):
    def make(command, **_):
        told = "=== slowest 10 durations ===\n45.98s call     tests/cli/test_figures.py::test_warm[oregon]\n"
        return subprocess.CompletedProcess(command, failed, f"{told}=== 3 passed, 1 skipped in 65.0s (0:01:05) ===\n")

    monkeypatch.setattr(results.subprocess, "run", make)
    monkeypatch.setattr(results, "monotonic", iter((0.0, 65.0, 65.0, 130.0, 130.0, 3730.0)).__next__)
    failed = 0
    text = "\n".join(results.tests())
    assert "### `make quick`\n\n1:05 minutes: 3 passed, 1 skipped.\n" in text
    assert "### `make test-all`\n\n60:00 minutes: 3 passed, 1 skipped.\n" in text
    assert "| `tests/cli/test_figures.py::test_warm[oregon]` | 46.0 |\n" in text
    failed = 1
    monkeypatch.setattr(results, "monotonic", lambda: 0.0)
    with pytest.raises(SystemExit, match="make quick: no result"):
        list(results.tests())


def test_a_pairing_is_a_row_with_the_command_that_plays_it(monkeypatch):
    asked = []

    def almunia(*words):
        asked.append(words)
        return {"pairings": [FOUND]}

    monkeypatch.setattr(ladder, "almunia", almunia)
    monkeypatch.setattr(ladder, "fingerprint", lambda name: f"made-of-{name}")
    two, four = (ladder.Pairing("oregon", seats, "hard", "medium", plays) for seats, plays in ((2, 200), (4, 120)))
    row = ladder.play_row(two, 5)
    assert row.startswith("| `almunia match oregon --seats 2 --bot hard --against medium --deals 100` |")
    assert "| 2 | 50.0% | 10.0% to 90.0% | 50.0% | +3.0 (-1.0 to +7.0) | 0.250 |" in row
    assert "--minutes 5" in " ".join(asked[0])
    assert "--deals 30`" in ladder.play_row(four, inf)
    assert "--minutes" not in asked[1]
    row = ladder.play_row(ladder.Pairing("orchard", 1, "search:1s", "", 225), 5)
    assert row == "| `almunia match orchard --seats 1 --bot search:1s --deals 225` | 2 | 41.00 | 40.00 to 42.00 |"
    assert "--against" not in asked[2]


def test_a_row_of_one_deal_has_no_interval(monkeypatch):
    once = FOUND | {"points": [41.0, None, None], "ahead": [3.0, None, None]}
    monkeypatch.setattr(ladder, "almunia", lambda *_: {"pairings": [once]})
    monkeypatch.setattr(ladder, "fingerprint", lambda name: f"made-of-{name}")
    assert "+3.0 (? to ?)" in ladder.play_row(ladder.Pairing("oregon", 2, "hard", "medium", 200), 5)
    assert "| 41.00 | ? to ? |" in ladder.play_row(ladder.Pairing("orchard", 1, "search:1s", "", 225), 5)


def test_a_row_of_a_clairvoyant_bot_has_an_interval(monkeypatch):
    monkeypatch.setattr(ladder, "almunia", lambda *_: {"seats": [{"mean": 48.3, "sd": 4.0}]})
    row = ladder.play_row(ladder.Pairing("orchard", 1, "search:1s", "", 100, clairvoyant=True), 5)
    assert (
        row == "| `almunia simulate orchard --bot search:1s --clairvoyant --games 100` | 100 | 48.30 | 47.52 to 49.08 |"
    )


def test_rows_stay_on_the_page_until_they_are_played_again_or_the_bots_change(tmp_path, monkeypatch):
    copy = tmp_path / "results.md"
    copy.write_text("# Benchmarks\n\n## Speed\n\nFast.\n", "utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    monkeypatch.setattr(ladder, "fingerprint", lambda name: f"made-of-{name}")
    first, second, alone = (
        ladder.Pairing("orchard", 2, "greedy", "random", 1000),
        ladder.Pairing("orchard", 2, "hard", "medium", 200),
        ladder.Pairing("orchard", 1, "search:1s", "", 225),
    )
    for wins in ("new", "newer"):
        monkeypatch.setattr(ladder, "play_row", lambda pairing, _minutes, wins=wins: f"| {pairing.command} | {wins} |")
        ladder.run_ladder([first, alone] if wins == "new" else [second, alone], inf)
    rows = [line for line in page.read()["Ladder: orchard"].splitlines() if line.startswith("| `")]
    assert rows == [f"| {first.command} | new |", f"| {second.command} | newer |", f"| {alone.command} | newer |"]
    assert "Fast." in page.read()["Speed"]
    monkeypatch.setattr(ladder, "fingerprint", lambda _: "other")
    assert ladder.kept_rows("orchard") == {}


def test_every_pairing_has_its_own_row():
    for meta in builtin_games():
        commands = [pairing.command for part in ladder.sections(meta.name).values() for pairing in part]
        assert len(commands) == len(set(commands)) >= 8


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_the_fingerprint_of_bots_depends_on_their_choices(monkeypatch):
    before = ladder.fingerprint("orchard")
    ladder.fingerprint.cache_clear()
    assert ladder.fingerprint("orchard") == before
    monkeypatch.setitem(TURN_DEFAULTS, "beam_width", 1.0)
    ladder.fingerprint.cache_clear()
    assert ladder.fingerprint("orchard") != before


# --- the learned player ---------------------------------------------------------------------------

REPORT = {
    "settings": {"decisions": 40_000}, "plays": 2000, "load": 1.25,
    "curve": [
        {"decisions": 2048 * i, "minutes": i / 5, "cpu_minutes": i / 10, "points": 5.0 + i} for i in range(1, 21)
    ],
    "compared": {"network": (41.25, 0.5), "greedy": (39.5, 0.4), "random": (5.0, 0.3), "network - greedy": (1.75, 0.4)},
}  # fmt: skip


def test_results_of_training_have_time_load_and_curve():
    text = "\n".join(train_baseline.render_lines(REPORT))
    assert "ppo_orchard.py --decisions 40000`" in text
    assert "made 40,960 decisions in\n4.0 minutes, 2.0 of them processor time" in text
    assert "load average 1.2 over" in text
    assert "| network | 41.25 ±0.50 |" in text
    assert "| network - greedy | 1.75 ±0.40 |" in text
    rows = [line for line in text.splitlines() if line.startswith("| ") and "," in line]
    assert rows[0] == "| 4,096 | 0.4 | 0.2 | 7.0 |"
    assert rows[-1] == "| 40,960 | 4.0 | 2.0 | 25.0 |"
    assert len(rows) == train_baseline.TABLE_ROWS
    assert len(train_baseline.sample_curve(REPORT["curve"][:3])) == 3


def test_the_curve_is_the_same_picture_for_the_same_run():
    picture = train_baseline.draw_curve(REPORT)
    assert picture == train_baseline.draw_curve(REPORT)
    for words in ("decisions, in thousands", "minutes of processor time", "greedy"):
        assert f">{words}<" in picture


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_training_section_has_the_report_of_the_program(monkeypatch, tmp_path):
    """The program runs for a moment, and its report has all that the section needs."""
    pytest.importorskip("torch", reason="PyTorch is not installed (the extra [learn])")
    monkeypatch.setattr(train_baseline, "CURVE", tmp_path / "learning.svg")
    words = ("--decisions", "512", "--games", "64", "--hidden", "8", "--plays", "20")
    monkeypatch.setattr(train_baseline, "train", lambda run=train_baseline.train: run(*words))
    text = "\n".join(train_baseline.training_section())
    assert "--decisions 512`" in text
    assert "over 20 deals" in text.lower()
    assert "<svg" in (tmp_path / "learning.svg").read_text("utf-8")


def test_the_ratings_of_bots_are_those_of_the_ladder():
    assert bot_ratings.FILE.read_text("utf-8") == bot_ratings.render(), "run python -m tools.bot_ratings"


def test_levels_are_as_far_apart_as_their_wins_say():
    row = "| `almunia match x --seats 2 --bot {} --against {} --deals 9` | 100 | {}% | {}% to {}% |\n"
    text = row.format("medium", "easy", 75.0, 65.0, 85.0) + row.format("hard", "medium", 100.0, 95.0, 100.0)
    found = bot_ratings.levels(text, "x")
    assert found["medium"][0] == 25.0
    assert found["easy"][0] == pytest.approx(25 - bot_ratings.SCALE * 1.0986, abs=0.01)
    assert found["hard"][0] == pytest.approx(25 + bot_ratings.SCALE * 5.2933, abs=0.01)
    assert "expert" not in found, "nothing leads there"


@pytest.mark.compiled
def test_a_few_rated_games_rank_the_strongest_above_the_weakest():
    known, counted = rated_games.tournament("orchard", 24, 1, ["random", "hard"])
    assert known["hard"].mu > 25 > known["random"].mu
    assert counted == {"random": 24, "hard": 24}


# --- the bill of materials --------------------------------------------------------------------------


def test_the_bill_names_all_that_a_site_needs_here(tmp_path, capsys):
    pytest.importorskip("starlette", reason="the extra [web] is not installed")
    assert bill.main(["--extra", "web", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / bill.BILL).read_text("utf-8"))
    parts = {one["name"]: one for one in found["components"]}
    assert parts["starlette"]["version"] == version("starlette")
    assert {"numpy", "numba", "llvmlite", "uvicorn", "htmx.org"} <= set(parts)  # also what others need, and files
    assert bill.PROJECT not in parts
    refs = {one["bom-ref"] for one in parts.values()}
    assert {ref for one in found["dependencies"] for ref in one["dependsOn"]} == refs
    assert f"{len(parts)} parts are in" in capsys.readouterr().out
    notice = (tmp_path / bill.NOTICE).read_text("utf-8")
    assert all(f"{name} {one['version']}: " in notice for name, one in parts.items())
    assert notice.count("Apache License\n") >= 1
    assert len(parts["@fontsource/source-sans-3"]["hashes"]) > 1  # of its files
    assert notice.count("SIL OPEN FONT LICENSE Version 1.1") == 2  # one text for each family, whose heads differ
    bill.main(["--extra", "web", "--out", str(tmp_path / "again")])
    assert (tmp_path / "again" / bill.BILL).read_text("utf-8") == (tmp_path / bill.BILL).read_text("utf-8")


def test_the_bill_reports_missing_packages(monkeypatch, capsys):
    monkeypatch.setattr(bill, "PROJECT", "no-such-package")
    assert bill.main([]) == 2
    assert "no-such-package is not installed here" in capsys.readouterr().err


@pytest.mark.compiled
def test_a_data_set_has_enough_decisions_and_a_card_that_describes_them(tmp_path, monkeypatch):
    folder = tmp_path / "set"
    arguments = [str(folder), "--games", "orchard", "--bot", "search:2"]
    dataset.main([*arguments, "--decisions", "100"])
    stamp = (folder / "game=orchard" / "part-000000").stat().st_mtime_ns
    dataset.main([*arguments, "--decisions", "120"])
    trace = almunia.load_trace(folder / "game=orchard")
    assert (folder / "game=orchard" / "part-000000").stat().st_mtime_ns == stamp
    assert 120 <= len(trace) < 200
    dataset.main([*arguments, "--decisions", str(len(trace) + 1)])
    before, trace = trace, almunia.load_trace(folder / "game=orchard")
    assert len(trace) > len(before)
    _, head, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    facts = yaml.safe_load(head)
    assert facts["license"] == "mit"
    assert [config["config_name"] for config in facts["configs"]] == ["orchard"]
    files = [path for config in facts["configs"] for path in folder.glob(config["data_files"])]
    assert files == [folder / "game=orchard" / "part-000000" / "decisions.parquet"]
    plays = trace[-1]["episode_id"] + 1
    size = sum(path.stat().st_size for path in (folder / "game=orchard").rglob("*") if path.is_file()) / 1e6
    assert f"| Orchard | `search:2` | 2 | {plays} | {len(trace)} | 9,802 | 6,290 | {size:.1f} |" in text
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(dataset.COLUMNS)

    (sample,) = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    monkeypatch.chdir(folder)
    exec(sample, names := {})  # noqa: S102 - ours
    assert set(names["table"].column_names) == set(dataset.COLUMNS)
    assert len(names["table"]) == len(trace)

    sums = folder / dataset.CHECKSUMS
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", sums.name], cwd=folder, check=True)
    listed = {line.split("  ")[1] for line in sums.read_text("utf-8").splitlines()}
    assert listed == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {sums.name}
    dataset.main([str(tmp_path / "alone"), *arguments[1:], "--decisions", str(len(before) + 1)])
    assert (tmp_path / "alone" / sums.name).read_text("utf-8") == sums.read_text("utf-8")

    (command,) = re.findall(r"^almunia (simulate .*)", text, re.MULTILINE)
    (tmp_path / "again").mkdir()
    subprocess.run([sys.executable, "-m", "almunia", *command.split()], cwd=tmp_path / "again", check=True)
    again = almunia.load_trace(tmp_path / "again" / "game=orchard")
    assert (again.rows(range(len(again)))["action"] == trace.rows(range(len(trace)))["action"]).all()


@pytest.mark.compiled
def test_a_data_set_replaces_no_other_files(tmp_path):
    (tmp_path / "game=orchard").mkdir()
    (tmp_path / "game=orchard" / "mine.txt").write_text("dear history")
    with pytest.raises(almunia.SetupError, match="it is no trace"):
        dataset.main([str(tmp_path), "--games", "orchard", "--bot", "random"])
