"""The site, opened and closed from the command line."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from sqlite3 import connect
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from httpx2 import Client

from almunia.cli import Exit

pytest.importorskip("starlette", reason="the extra [web] is not installed")
PATIENCE = 30  # seconds


@pytest.mark.slow
def test_serve_opens_answers_and_closes(tmp_path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "almunia", "serve", "--port", str(port), "--data", str(tmp_path / "data")]
    with subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as site:
        try:
            assert "Orchard" in answer(port)
            again = subprocess.run([*command, "--no-browser"], capture_output=True, text=True, check=False)
            assert again.returncode == Exit.BAD_INPUT
            assert "Choose another port with --port" in again.stderr
            site.send_signal(signal.SIGINT)
            _, errors = site.communicate(timeout=PATIENCE)
        finally:
            site.kill()
    assert site.returncode == Exit.OK
    assert b"Traceback" not in errors
    assert (tmp_path / "data").is_dir()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to another process")
def test_the_site_closes_while_bots_play_and_pages_are_open(tmp_path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "almunia", "serve", "--port", str(port), "--data", str(tmp_path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as site:
        try:
            answer(port)
            address = f"http://127.0.0.1:{port}"
            with Client(base_url=address, headers={"Origin": address}) as visitor:
                for _ in range(3):
                    table = visitor.post("/games/alhambra/tables", data={"quick": 1}).headers["location"]
                    visitor.post(f"{table}/bot", data={"seat": 0, "spec": "easy"})
                with visitor.stream("GET", f"{table}/stream") as stream:
                    marks = stream.iter_lines()
                    assert next(marks).startswith("data: ")
                    site.send_signal(signal.SIGINT)
                    kinds = {line.partition(": ")[0] for line in marks if line}  # to its end
                    assert kinds <= {"data", "event"}
            _, errors = site.communicate(timeout=PATIENCE)
        finally:
            site.kill()
    with closing(connect(tmp_path / "almunia.sqlite3")) as database:
        assert database.execute("SELECT status FROM 'table'").fetchall() == [("running",)] * 3
    assert site.returncode == Exit.OK
    assert errors == b""


def answer(port: int) -> str:
    """The first page, as soon as there is one."""
    deadline = monotonic() + PATIENCE
    while True:
        try:
            with urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                return page.read().decode()
        except URLError:
            if monotonic() > deadline:
                raise
            sleep(0.2)
