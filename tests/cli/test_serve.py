"""Start and stop of the site from the command line."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from sqlite3 import connect
from urllib.request import urlopen

import pytest
from httpx2 import Client

from almunia.cli import Exit

from ..serving import await_answers, free_port
from ..waiting import TIMEOUT

pytest.importorskip("starlette", reason="the extra [web] is not installed")


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "sentence"), [("nowhere", "is no folder"), ("mine", "cannot be read")])
def test_a_site_with_invalid_component_data_does_not_start(tmp_path, folder, sentence) -> None:
    """If the site started, every page of these games would fail."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "orchard.toml").write_text("x = [")
    command = [
        sys.executable,
        "-m",
        "almunia",
        "serve",
        "--no-browser",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
    ]
    given = {**os.environ, "ALMUNIA_COMPONENTS": str(tmp_path / folder)}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    assert (done.returncode, done.stdout) == (Exit.BAD_INPUT, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.exhaustive
def test_serve_opens_answers_and_closes(tmp_path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "almunia", "serve", "--port", str(port), "--data", str(tmp_path / "data")]
    with subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as site:
        try:
            await_answers(port, site)
            with urlopen(f"http://127.0.0.1:{port}/", timeout=TIMEOUT) as page:
                assert "Orchard" in page.read().decode()
            again = subprocess.run([*command, "--no-browser"], capture_output=True, text=True, check=False)
            assert again.returncode == Exit.BAD_INPUT
            assert "Choose another port with --port" in again.stderr
            site.send_signal(signal.SIGINT)
            _, errors = site.communicate(timeout=TIMEOUT)
        finally:
            site.kill()
    assert site.returncode == Exit.OK
    assert b"Traceback" not in errors
    assert (tmp_path / "data").is_dir()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to another process")
def test_the_site_closes_while_bots_play_and_pages_are_open(tmp_path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "almunia", "serve", "--port", str(port), "--data", str(tmp_path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as site:
        try:
            await_answers(port, site)
            address = f"http://127.0.0.1:{port}"
            with Client(base_url=address, headers={"Origin": address}, timeout=TIMEOUT) as visitor:
                for _ in range(3):
                    table = visitor.post("/games/alhambra/tables", data={"quick": 1}).headers["location"]
                    visitor.post(f"{table}/bot", data={"seat": 0, "spec": "easy"})
                with visitor.stream("GET", f"{table}/stream") as stream:
                    marks = stream.iter_lines()
                    assert next(marks).startswith("data: ")
                    site.send_signal(signal.SIGINT)
                    kinds = {line.partition(": ")[0] for line in marks if line}  # to its end
                    assert kinds <= {"data", "event"}
            _, errors = site.communicate(timeout=TIMEOUT)
        finally:
            site.kill()
    with closing(connect(tmp_path / "almunia.sqlite3")) as database:
        assert database.execute("SELECT status FROM game_table").fetchall() == [("running",)] * 3
    assert site.returncode == Exit.OK
    assert errors == b""
