"""Bots that are external programs, which exchange lines of JSON with this process.

The program reads

    {"type": "start", "game": "oregon", "seats": 3, "seat": 2, "seconds": 10.0}
    {"type": "choose", "number": 17, "seat": 2, "phase": 2, "board": "...", "facts": [[...]], "tensor": [...],
     "actions": [{"code": 4, "words": "play bison"}, ...]}

and answers every "choose" with {"action": 4}, or {"action": "play bison"}. "start" comes once, before the first
"choose". As an opponent in a batch, one program answers for all games, and perhaps for several seats. The program reads
what the observation contains, which is normally masked for the seat. The program inherits standard error. If a program
exits, or does not answer correctly in time, `BotFailure` gives the reason.
"""

import atexit
import json
import os
import shlex
import signal
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from shutil import which
from threading import RLock, Thread
from time import monotonic
from typing import Any, NoReturn

from ..core.loaded import LoadedGame
from ..engine.pool import check_stop
from ..errors import BotFailure, SetupError
from ..play.play import Observation
from .base import NamedBot, check_turn
from .spec import Budget

MAX_LINE_CHARS = 1 << 16
MAX_SHOWN_CHARS = 80  # of a wrong answer, in an error message
POLL_SECONDS = 0.1  # between checks for an interruption while waiting for an answer
MAX_UNREQUESTED_LINES = 1000  # that a program may write before they are requested
RUNNING_PROGRAMS: "set[subprocess.Popen[str]]" = set()  # started and not yet terminated
STARTING_LOCK = RLock()  # held from a program's start until it is in RUNNING_PROGRAMS; a second Ctrl-C enters again


class ExternalBot(NamedBot):
    """A bot that asks an external program. `timeout` limits the time for each answer."""

    def __init__(self, spec: str, game: LoadedGame, command: str, timeout: Budget) -> None:
        self.spec, self.game, self._command = spec, game, split_command(spec, command)
        self._seconds = timeout.seconds or 0.0
        self._process: subprocess.Popen[str] | None = None
        self._starting: Future[None] | None = None
        self._lines: SimpleQueue[str] = SimpleQueue()  # lines that the program wrote; an empty string ends them
        self._messages: SimpleQueue[dict[str, Any] | None] = SimpleQueue()  # for the program; None ends them
        self._number, self._closed = 0, False

    def choose(self, observation: Observation, /) -> int:
        """Return the action that the program chooses. Terminate the program before raising BotFailure."""
        check_turn(observation, self.spec)
        try:
            self.prepare(observation.seats)
            if not self._number:
                game = {"game": self.game.name, "seats": observation.seats, "seat": observation.seat + 1}
                self._messages.put({"type": "start", **game, "seconds": self._seconds})
            self._number += 1
            self._messages.put(self._question(observation))
            return self._action(self._answer(), observation)
        except BotFailure:
            self.close()
            raise

    def prepare(self, _seats: int, /) -> None:
        """Start the program, unless it has been started before.

        On POSIX, the program runs in its own session, so that Ctrl-C does not reach the program, and `close` can
        also terminate its child processes. Raise BotFailure if the program cannot start, or if the bot has been closed.
        """
        if self._closed:
            raise BotFailure(f"The bot {self.spec!r} has been ended, or has failed before: make another one.")
        if self._process is not None:
            return
        self._starting = ThreadPoolExecutor(1).submit(self._start)
        try:
            self._starting.result()
        except (OSError, ValueError) as error:
            raise BotFailure(f"The bot {self.spec!r} cannot be started: {error}.") from None
        # In threads, because pipes block if the program does not read or write.
        Thread(target=read_loop, args=(self._process, self._lines), daemon=True).start()
        Thread(target=write_loop, args=(self._process, self._messages), daemon=True).start()

    def _start(self) -> None:
        """Start and register the program, in a thread, so that Ctrl-C cannot come between these two steps."""
        with STARTING_LOCK:
            self._process = subprocess.Popen(  # noqa: S603 - the user asked for this program
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
            RUNNING_PROGRAMS.add(self._process)

    def _question(self, observation: Observation) -> dict[str, Any]:
        text, state = self.game.text, observation.state
        return {
            "type": "choose",
            "number": self._number,
            "seat": observation.seat + 1,
            "phase": observation.phase,
            "board": text.board(state, observation.seat),
            "facts": [[list(fact) for fact in text.seat_facts(state, seat)] for seat in range(observation.seats)],
            "tensor": [round(float(number), 6) for number in observation.tensor()],
            "actions": [
                {"code": action, "words": text.action_to_string(state, action)} for action in observation.legal_actions
            ],
        }

    def _answer(self) -> str:
        line, deadline = None, monotonic() + self._seconds
        while line is None and (left := deadline - monotonic()) > 0:
            check_stop()
            with suppress(Empty):
                line = self._lines.get(timeout=min(POLL_SECONDS, left))  # short, because Ctrl-C waits for it
        if line is None:
            raise BotFailure(f"The bot {self.spec!r} took longer than {self._seconds:g} s, and lost on time.")
        if not line:
            raise BotFailure(f"The bot {self.spec!r} ended instead of answering, {self._exit_reason()}.")
        return line

    def _exit_reason(self) -> str:
        assert self._process
        try:
            return f"with exit status {self._process.wait(1)}"
        except subprocess.TimeoutExpired:
            return "closing its output"

    def _action(self, line: str, observation: Observation) -> int:
        try:
            answer = json.loads(line)["action"]
        except (ValueError, TypeError, KeyError, RecursionError):
            shown = line[:MAX_SHOWN_CHARS].strip()
            raise BotFailure(
                f'The bot {self.spec!r} should answer with a line like {{"action": 4}}, not {shown!r}.'
            ) from None
        legal = observation.legal_actions
        if type(answer) is int and answer in legal:
            return answer
        by_words = {self.game.text.action_to_string(observation.state, action): action for action in legal}
        if isinstance(answer, str) and answer in by_words:
            return by_words[answer]
        raise BotFailure(f"The bot {self.spec!r} chose {str(answer)[:MAX_SHOWN_CHARS]!r}, which is not legal.")

    def close(self) -> None:
        """Terminate the program as `terminate` does, at most once, because its process id may be reused."""
        if self._starting is not None:
            wait([self._starting])
        was_closed, self._closed = self._closed, True
        if self._process is not None and not was_closed:
            self._messages.put(None)
            terminate(self._process)
            RUNNING_PROGRAMS.discard(self._process)

    def __reduce__(self) -> NoReturn:
        raise SetupError(
            f"The bot {self.spec!r} is a program of its own, which cannot be copied or pickled: make another where it "
            "is needed, by almunia.bots.make and its spec."
        )


def split_command(spec: str, command: str) -> list[str]:
    """Return the parts of a command, which are separated by spaces outside quotes.

    A backslash is an ordinary character on every system, because Windows uses it in paths. Raise SetupError for an
    unclosed quote, or if the program does not exist.
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
            hint = " Put a path with blanks in quotes."
        elif parts[0].endswith(".py"):
            hint = f" Run a Python file by external:python {parts[0]}"
        raise SetupError(f"There is no program {parts[0]!r} that can be run, as {spec!r} asks for.{hint}")
    return parts


@atexit.register
def terminate_all() -> None:
    with STARTING_LOCK:
        while RUNNING_PROGRAMS:
            terminate(RUNNING_PROGRAMS.pop())


def terminate(process: "subprocess.Popen[str]") -> None:
    """Kill a program, with its process group if the system has groups, and wait for its end."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def read_loop(process: "subprocess.Popen[str]", lines: "SimpleQueue[str]") -> None:
    """Queue the lines of a program until its output ends or MAX_UNREQUESTED_LINES wait; then an empty string."""
    assert process.stdout
    try:
        with process.stdout as pipe:
            while lines.qsize() < MAX_UNREQUESTED_LINES and (line := pipe.readline(MAX_LINE_CHARS)):
                lines.put(line)
    finally:
        lines.put("")


def write_loop(process: "subprocess.Popen[str]", messages: "SimpleQueue[dict[str, Any] | None]") -> None:
    """Write messages to a program as lines of JSON, until None comes or the program stops reading."""
    assert process.stdin
    with suppress(OSError), process.stdin as pipe:
        while message := messages.get():
            pipe.write(json.dumps(message, ensure_ascii=False) + "\n")
            pipe.flush()
