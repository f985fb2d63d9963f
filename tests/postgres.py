"""A PostgreSQL server for tests, with a database for each test that uses one.

The server belongs to the test process. It does not wait for the disk, so a power failure can destroy its data.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import quote

import psycopg

from almunia.server.storage.database import open_migrated

from .waiting import wait_until

MISSING = "There is no PostgreSQL on this machine. On Debian: apt-get install postgresql"
HASTE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}
UTF8 = ("--encoding", "UTF8")
USER, PASSWORD = "almunia", "open: sesame/100%"  # to be quoted in an address
TEMPLATE = "migrated"


def programs() -> Path | None:
    """Return the folder with PostgreSQL's programs; None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    return debian[-1] if debian else None


class Server:
    """A PostgreSQL server with its data and its socket in a temporary folder."""

    def __init__(self, programs: Path, **settings: str) -> None:
        self._programs, self._settings = programs, {**HASTE, **settings}
        self.folder = Path(mkdtemp(prefix="almunia-postgres-"))
        # PostgreSQL refuses to run as root.
        self._as: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self._as:
            shutil.chown(self.folder, **self._as)
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        owned = "--username", USER, "--auth", "scram-sha-256", "--pwfile", str(secret)
        self._run("initdb", "--pgdata", self._data, *owned, "--no-sync", "--no-locale", *UTF8)
        self._names = count(1)
        self.start()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), *words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, **self._as)
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        words = [f"--{name}={value}" for name, value in self._settings.items()]
        command = [str(self._programs / "postgres"), "-D", self._data, "-k", str(self.folder), "-h", "", *words]
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stderr=log, stdout=log, **self._as)
        wait_until(self._answers, "PostgreSQL answers")

    def _answers(self) -> bool:
        assert self._process.poll() is None, "PostgreSQL did not start"
        try:
            self.admin().close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        """Stop the server at once, like a crash."""
        self._run("pg_ctl", "stop", "--pgdata", self._data, "--mode", "immediate")
        self._process.wait()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop the server for the duration of the block. All data are written to disk before."""
        with self.admin() as admin:
            admin.execute("CHECKPOINT")
        self.stop()
        try:
            yield
        finally:
            self.start()

    def close(self) -> None:
        """Stop the server and delete its data."""
        self.stop()
        shutil.rmtree(self.folder)
        (self.folder.parent / f"{self.folder.name}.log").unlink()

    def admin(self, database: str = "postgres") -> "psycopg.Connection[Any]":
        """Open a connection of the superuser."""
        return psycopg.connect(host=str(self.folder), user=USER, password=PASSWORD, dbname=database, autocommit=True)

    def address(self, database: str) -> str:
        """Return the address of a database, for Almunia's settings."""
        return f"postgresql://{USER}:{quote(PASSWORD, safe='')}@/{database}?host={self.folder}"

    def make(self, *, migrated: bool = True) -> str:
        """Create a database, with the tables of this version if `migrated`, and return its name."""
        name = f"test_{next(self._names)}"
        with self.admin() as admin:
            if migrated and not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone():
                admin.execute(f"CREATE DATABASE {TEMPLATE}")
                open_migrated(self.address(TEMPLATE)).dispose()
            admin.execute(f"CREATE DATABASE {name}" + (f" TEMPLATE {TEMPLATE}" if migrated else ""))
        return name

    def drop(self, name: str) -> None:
        """Remove a database, and close all connections to it."""
        with self.admin() as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def database(self, *, migrated: bool = True) -> Iterator[str]:
        """Yield the address of a new database, and remove the database at the end."""
        name = self.make(migrated=migrated)
        yield self.address(name)
        self.drop(name)
