"""Bots that are programs of their own: they read a line of JSON for each decision, and write one.

The program is told

    {"type": "start", "game": "oregon", "seats": 3, "seat": 2, "seconds": 10.0}
    {"type": "choose", "number": 17, "phase": 2, "board": "...", "facts": [[...]], "tensor": [...],
     "actions": [{"code": 4, "words": "play bison"}, ...]}

and answers every "choose" with {"action": 4}, or {"action": "play bison"}. All it is told has been
masked for its seat. What it writes to standard error is left alone. A program that ends, answers
too late or answers something else has failed: `BotFailure` says how.
"""

import atexit
import json
import os
import shlex
import signal
import subprocess
from contextlib import suppress
from queue import Empty, SimpleQueue
from shutil import which
from threading import Lock, Thread
from time import monotonic
from typing import Any, NoReturn

from ..core.loaded import LoadedGame
from ..engine.pool import start
from ..errors import BotFailure, SetupError
from ..play.play import Observation
from .base import check_turn
from .spec import Budget

LONGEST = 1 << 16  # characters of a line
SHOWN = 80  # characters of a wrong answer that a report quotes
LOOK = 0.1  # seconds between two looks for an answer
RUNNING: "set[subprocess.Popen[str]]" = set()  # programs that have been started and not ended
STARTING = Lock()  # held from the start of a program until it is among them
UNASKED = 1000  # lines that a program may be ahead of the questions


class External:
    """A program that chooses."""

    def __init__(self, spec: str, game: LoadedGame, command: str, patience: Budget) -> None:
        self.spec, self.game, self._command = spec, game, words_of(spec, command)
        self._seconds = patience.seconds or 0.0
        self._process: subprocess.Popen[str] | None = None
        self._starting: Thread | None = None
        self._heard: SimpleQueue[str] = SimpleQueue()  # lines; an empty one when there will be no more
        self._said: SimpleQueue[dict[str, Any] | None] = SimpleQueue()  # messages; None ends them
        self._number, self._closed = 0, False

    def choose(self, observation: Observation) -> int:
        """A legal action for the seat of this observation; BotFailure if the program gives none in time."""
        check_turn(observation, self.spec)
        try:
            self.ready(observation.seats)
            if not self._number:
                facts = {"game": self.game.name, "seats": observation.seats, "seat": observation.seat + 1}
                self._said.put({"type": "start", **facts, "seconds": self._seconds})
            self._number += 1
            self._said.put(self._question(observation))
            return self._action(self._answer(), observation)
        except BotFailure:
            self.close()
            raise

    def ready(self, _seats: int) -> None:
        """Start the program, unless it runs; BotFailure if it cannot be started.

        It gets a session of its own, so that all it starts itself can be ended with it, and an interruption from the
        keyboard is not its affair.
        """
        if self._closed:
            raise BotFailure(f"The bot {self.spec!r} has been ended, or has failed before: make another one.")
        if self._process is not None:
            return
        outcome: SimpleQueue[Exception | None] = SimpleQueue()
        self._starting = Thread(target=self._start, args=(outcome,))
        start(self._starting)
        if error := outcome.get():
            raise BotFailure(f"The bot {self.spec!r} cannot be started: {error}.") from None
        for work in (hear, speak):  # in threads, for a program may neither write nor read
            start(Thread(target=work, args=(self._process, self._heard, self._said), daemon=True))

    def _start(self, outcome: "SimpleQueue[Exception | None]") -> None:
        """In a thread of its own, where no interruption comes between a program's start and its being known."""
        try:
            with STARTING:
                self._process = subprocess.Popen(  # noqa: S603 - to run this program is what was asked for
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                    start_new_session=True,
                )
                RUNNING.add(self._process)
        except (OSError, ValueError) as error:
            outcome.put(error)
        else:
            outcome.put(None)

    def _question(self, observation: Observation) -> dict[str, Any]:
        text, state = self.game.text, observation.state
        return {
            "type": "choose",
            "number": self._number,
            "phase": observation.phase,
            "board": text.board(state, observation.seat),
            "facts": [[list(fact) for fact in text.seat_facts(state, seat)] for seat in range(observation.seats)],
            "tensor": [round(float(number), 6) for number in observation.tensor()],
            "actions": [
                {"code": action, "words": text.action_to_string(state, action)} for action in observation.legal_actions
            ],
        }

    def _answer(self) -> str:
        line, until = None, monotonic() + self._seconds
        while line is None and (left := until - monotonic()) > 0:
            with suppress(Empty):
                line = self._heard.get(timeout=min(LOOK, left))  # no longer: nothing else is heeded meanwhile
        if line is None:
            raise BotFailure(f"The bot {self.spec!r} took longer than {self._seconds:g} s, and lost on time.")
        if not line:
            raise BotFailure(f"The bot {self.spec!r} ended instead of answering, {self._ending()}.")
        return line

    def _ending(self) -> str:
        assert self._process
        try:
            return f"with exit status {self._process.wait(1)}"
        except subprocess.TimeoutExpired:
            return "closing its output"

    def _action(self, line: str, observation: Observation) -> int:
        try:
            given = json.loads(line)["action"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise BotFailure(
                f'The bot {self.spec!r} should answer with a line like {{"action": 4}}, not {line[:SHOWN].strip()!r}.'
            ) from None
        legal = observation.legal_actions
        if type(given) is int and given in legal:
            return given
        words = {self.game.text.action_to_string(observation.state, action): action for action in legal}
        if isinstance(given, str) and given in words:
            return words[given]
        raise BotFailure(f"The bot {self.spec!r} chose {str(given)[:SHOWN]!r}, which is not legal.")

    def close(self) -> None:
        """Let the program go, and whatever it started; once, for the system may give its number to another."""
        if self._starting is not None and self._starting.is_alive():
            self._starting.join()
        if self._process is not None and not self._closed:
            self._closed = True
            self._said.put(None)
            end(self._process)
            RUNNING.discard(self._process)

    def __reduce__(self) -> NoReturn:
        raise SetupError(
            f"The bot {self.spec!r} is a program of its own, which cannot be copied or pickled: make another where it "
            "is needed, by almunia.bots.make and its spec."
        )

    def __repr__(self) -> str:
        return f"<Bot {self.spec} for {self.game.name}>"


def words_of(spec: str, command: str) -> list[str]:
    """Split a command at its blanks, as quotes allow; SetupError if there is no such program.

    A backslash is a character like any other, on every system: it separates the folders of Windows.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters, words.escape = True, "", ""
    try:
        parts = list(words)
    except ValueError as error:
        raise SetupError(f"The command in {spec!r} cannot be read: {error}.") from None
    if not which(parts[0]):
        hint = ""
        if parts[0].endswith("\\"):
            hint = " A path with blanks stands in quotes."
        elif parts[0].endswith(".py"):
            hint = f" A Python file is run by: external:python {parts[0]}"
        raise SetupError(f"There is no program {parts[0]!r} that can be run, as {spec!r} asks for.{hint}")
    return parts


@atexit.register
def end_all() -> None:
    """End all programs that nobody has closed: none outlives this process."""
    with STARTING:
        while RUNNING:
            end(RUNNING.pop())


def end(process: "subprocess.Popen[str]") -> None:
    """End a program with all that it started, as far as the system knows of that."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def hear(process: "subprocess.Popen[str]", heard: "SimpleQueue[str]", _said: "SimpleQueue[Any]") -> None:
    """Pass on what a program writes, line by line, to its end or until it writes far more than it was asked."""
    assert process.stdout
    try:
        with process.stdout as pipe:
            while heard.qsize() < UNASKED and (line := pipe.readline(LONGEST)):
                heard.put(line)
    finally:
        heard.put("")


def speak(process: "subprocess.Popen[str]", _heard: "SimpleQueue[str]", said: "SimpleQueue[Any]") -> None:
    """Write messages to a program, until there are no more or it does not listen."""
    assert process.stdin
    with suppress(OSError), process.stdin as pipe:
        while message := said.get():
            pipe.write(json.dumps(message, ensure_ascii=False) + "\n")
            pipe.flush()
