"""Processes that draw beside the one that serves: pictures and words take half of the time of a busy site.

Python lets one thread of a process work at a time, so what is drawn elsewhere leaves room for everything else. An
artist gets what one seat sees, and gives back what its page shows. Where none is free for long, the site draws itself.
"""

import logging
import pickle
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any

from ...core.play import Observation
from ...core.serialization import version
from ..play import depicting
from ..play.compiling import GROUP
from ..play.diary import Diary, depiction_of
from .artist import READY, Done, Task
from .rounds import Rounds

COMMAND = (sys.executable, "-P", "-c", f"from {__package__} import artist; artist.run()")
WAIT = 0.5  # seconds to wait for an artist who is free
PATIENCE = 20.0  # seconds for what an artist is asked
BEGINNING = 120.0  # seconds for one to begin
PAUSE = 30.0  # seconds between two looks at whether all are there

log = logging.getLogger(__name__)


class Lost(Exception):
    """An artist is gone, or does not answer."""


class Artist:
    """One process that draws; whoever asks it has it alone."""

    def __init__(self) -> None:
        # None of the site's group, so that Ctrl+C is for the site alone; it ends when the site does.
        self._process = subprocess.Popen(  # noqa: S603 - a module of ours
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, creationflags=GROUP
        )
        assert self._process.stdin
        assert self._process.stdout
        self._tasks, self._answers = self._process.stdin, self._process.stdout

    def begin(self) -> None:
        """Wait until it is there; Lost if it does not come."""
        if self._answer(BEGINNING) != READY:
            raise Lost

    def ask(self, task: bytes) -> Done:
        """What comes of a task, which is a pickle; Lost if it does not answer."""
        try:
            self._tasks.write(task)
            self._tasks.flush()
        except Exception as error:  # whatever it is, the site draws by itself
            raise Lost from error
        found = self._answer(PATIENCE)
        if not isinstance(found, Done):
            raise Lost
        return found

    def _answer(self, patience: float) -> Any:
        try:
            if readable(self._answers.fileno(), patience):
                return pickle.load(self._answers)  # noqa: S301 - from a process that this one has started
        except Exception as error:  # of another version, it may name what is not here
            raise Lost from error
        raise Lost

    def end(self) -> None:
        """Let it go."""
        self._process.kill()
        self._process.wait()
        for line in (self._tasks, self._answers):
            with suppress(OSError):  # what it was still to be told reaches nobody
                line.close()


class Artists:
    """All of them."""

    def __init__(self, count: int) -> None:
        self._count, self._lock, self._closed = count, Lock(), False
        self._there: set[Artist] = set()
        self._free: SimpleQueue[Artist] = SimpleQueue()
        self._rounds = Rounds("artists", self.fill, PAUSE, "Processes that draw cannot be begun")

    @property
    def there(self) -> int:
        """How many are at work or could be."""
        return len(self._there)

    def start(self) -> None:
        """Let all of them come, without waiting for them."""
        if self._count:
            self._rounds.start()
            self._rounds.ring()

    def close(self) -> None:
        """Let all of them go, without waiting for one that is still to come."""
        self._rounds.close(0)
        with self._lock:
            self._closed, gone = True, self._there
            self._there = set()
        for artist in gone:
            artist.end()

    def prepare(self, diary: Diary) -> None:
        """See to it that what a page shows of a diary is there, if an artist can do that."""
        depiction = depiction_of(diary)
        if not depiction.done and (found := self._ask(depicting.whole, diary.view, *depiction.asked)):
            depiction.take(found)

    def ghosts(self, view: Observation, actions: Sequence[int]) -> list[str]:
        """What each of some actions would add to the main picture."""
        found: list[str] | None = self._ask(depicting.ghosts, view, actions)
        return depicting.ghosts(view, actions) if found is None else found

    def _ask(self, work: Callable[..., Any], view: Observation, *given: Any) -> Any:
        """What comes of some work; None if no artist has done it."""
        if not self._there:
            return None
        this = view.game
        task = Task(work, this.name, version(this), view.to_state(), view.seat, given)
        written = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        try:
            artist = self._free.get(timeout=WAIT)
        except Empty:
            return None
        try:
            answer = artist.ask(written)
        except Lost:
            self._replace(artist)
            return None
        self._free.put(artist)
        if answer.wrong:
            log.warning("%s could not be drawn beside the site: %s", this.meta.title, answer.wrong)
        return answer.found

    def fill(self) -> None:
        """Let as many come as are missing, for whatever reason, or none for now if one does not."""
        while self.there < self._count and not self._rounds.stopping:
            artist = begun()
            if artist is None:
                log.warning("A process that draws has not begun, so the site draws more by itself.")
                return
            self._take_in(artist)

    def _take_in(self, artist: Artist) -> None:
        with self._lock:
            late = self._closed
            if not late:
                self._there.add(artist)
        if late:
            artist.end()
        else:
            self._free.put(artist)

    def _replace(self, artist: Artist) -> None:
        """Let one go that is lost; another one comes at the next look."""
        with self._lock:
            known = artist in self._there
            self._there.discard(artist)
        if known:
            log.warning("A process that draws has ended; another one takes its place soon.")
            artist.end()


def begun() -> Artist | None:
    """An artist who is there; None if it does not come, or the system has no room for it."""
    try:
        artist = Artist()
    except OSError:
        return None
    try:
        artist.begin()
    except Lost:
        artist.end()
        return None
    return artist


def readable(line: int, patience: float) -> bool:
    """Does anything come from there soon? Where that cannot be asked, it is waited for."""
    if not hasattr(select, "poll"):
        return True
    looking = select.poll()
    looking.register(line, select.POLLIN)
    return bool(looking.poll(1000 * patience))
