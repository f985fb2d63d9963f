"""The command `almunia bot-worker`."""

import os
import signal
import subprocess
import sys

import pytest

from almunia.cli import Exit, main

from ..waiting import TIMEOUT, wait_until

pytest.importorskip("starlette", reason="the extra [web] is not installed")


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path) -> None:
    """Remove all settings from the environment, and set the folder of the site to a temporary folder."""
    monkeypatch.delenv("ALMUNIA_DATABASE", raising=False)
    monkeypatch.setenv("ALMUNIA_DATA", str(tmp_path))


def test_a_bot_worker_needs_postgresql(capsys):
    assert main(["bot-worker"]) == Exit.BAD_INPUT
    assert "keep the tables in PostgreSQL" in capsys.readouterr().err


def test_a_site_with_a_bot_worker_needs_postgresql(capsys):
    assert main(["serve", "--port", "0", "--bots", "worker", "--no-browser"]) == Exit.BAD_INPUT
    assert "keep the tables in PostgreSQL" in capsys.readouterr().err


@pytest.mark.parametrize("threads", ["0", "65", "two"])
def test_an_invalid_number_of_threads_is_refused(capsys, threads):
    assert main(["bot-worker", "--threads", threads]) == Exit.BAD_INPUT
    assert f"{threads!r} is not a number of threads from 1 to 64" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send to another process")
def test_a_bot_worker_runs_until_it_is_terminated(postgres):
    with postgres.database() as address:
        command = [sys.executable, "-m", "almunia", "bot-worker", "--database", address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                assert process.stdout.readline().startswith(b"Bots run for the tables in postgresql")
                with postgres.admin() as admin:
                    wanted = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                    wait_until(lambda: admin.execute(wanted).fetchone(), "it listens")
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=TIMEOUT)
            finally:
                process.kill()
        assert (process.returncode, errors) == (Exit.OK, b"")
