"""Hints: what the expert would do in a seat's place, and why, as far as that seat may know.

They are worked out in a thread of their own, so that no bot's turn waits for them. Networks take turns, for a guest
costs nothing; the questions of a network are answered in the order in which they were asked. A guest waits for one at
a time, wherever that is: so nobody keeps all others waiting, and nobody is told that another one waits.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

from ... import bots
from ...bots.compare import Comparison, compare
from ...bots.search import SearchBot
from ...core.english import MINUS
from ...core.rich_text import plain_text
from ...engine import state_dtype
from ...library import Game
from ...play.play import Observation
from ...validation import random_seed
from ..errors import Conflict, TooManyRequests
from ..fair_queue import Turns
from ..tables.builds import PLAIN
from ..tables.rendering import apart
from ..tables.viewer_history import Hint, ViewerHistory

EXPERT = "expert"
COMPARING = 0.8  # seconds to play both actions on, besides those that the expert thinks
MAX_WAITING = 100  # guests who may wait for the thread
MAX_WAITING_PER_NETWORK = 10  # of them, unless they come from this machine, where a proxy may stand
LONGEST = 200  # characters that an entry of a table takes
LEAST = 0.3  # points that are worth a word: less is within the noise
MOST = 4  # sources that are named
NO_HINT = "The expert has no hint here. Something went wrong; please play on."
THINKING = "The expert is thinking for you already. Please ask again in a moment."
FULL = "The expert is asked too much at the moment. Please try again in a minute."
CROWDED = "Too many people in your network wait for a hint at the moment. Please try again in a minute."
SOON = "Hints are ready in a moment: this game is still being prepared. Please ask again soon."

log = logging.getLogger(__name__)


class HintRequest(NamedTuple):
    """The question of a guest who waits for a hint."""

    network: str
    game: Game
    diary: ViewerHistory
    answer: Future[Hint]


class HintService:
    """Finds hints, one after the other."""

    def __init__(
        self, *, max_waiting: int = MAX_WAITING, max_waiting_per_network: int = MAX_WAITING_PER_NETWORK
    ) -> None:
        self._max_waiting, self._max_waiting_per_network = max_waiting, max_waiting_per_network  # guests
        self.hint: Callable[[Game, ViewerHistory], Hint] = hint_on  # of a game and the diary of whoever asks
        self.needs_compiled = True  # else it is asked in any build
        self._pool = ThreadPoolExecutor(1, "hint")
        self._lock, self._turns = Lock(), Turns()  # of networks
        self._waiting: dict[str, HintRequest] = {}  # by guest, until there is an answer
        self._queue: dict[str, HintRequest] = {}  # those of which nobody thinks yet, in the order they came

    def ask(self, guest: str, network: str, game: Game, diary: ViewerHistory) -> Future[Hint]:
        """The hint on the question of a guest's seat, when it has been found.

        Raises:
            Conflict: the game has not been compiled yet, or the guest waits for a hint already.
            TooManyRequests: too many wait, in this network or in all.
        """
        if self.needs_compiled and game.build == PLAIN:
            raise Conflict(SOON)
        question = HintRequest(network, game, diary, Future())
        with self._lock:
            if guest in self._waiting:
                raise Conflict(THINKING)
            near = sum(one.network == network for one in self._waiting.values())
            check_room(network, near, len(self._waiting), self._max_waiting_per_network, self._max_waiting)
            self._waiting[guest] = self._queue[guest] = question
        question.answer.add_done_callback(lambda _: self._forget(guest))  # also if nobody wants it any more
        self._pool.submit(self._answer_next)
        return question.answer

    def _forget(self, guest: str) -> None:
        with self._lock:
            del self._waiting[guest]
            self._queue.pop(guest, None)

    def _answer_next(self) -> None:
        """Answer the next question, that of the network whose turn it is; none if those that came are withdrawn."""
        with self._lock:
            if not self._queue:
                return
            guest = min(self._queue, key=lambda one: self._turns.last(self._queue[one].network))
            question = self._queue.pop(guest)
            self._turns.serve(question.network)
        if question.answer.set_running_or_notify_cancel():
            try:
                question.answer.set_result(found_hint(question.game, question.diary, self.hint))
            except Conflict as error:
                question.answer.set_exception(error)

    def close(self) -> None:
        """Find no more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for question in list(self._waiting.values()):
            question.answer.cancel()


def check_room(network: str, near: int, all_told: int, max_near: int, max_waiting: int) -> None:
    """TooManyRequests unless one more may wait; `near` wait from the same network, which is empty on this machine."""
    if network and near >= max_near:
        raise TooManyRequests(CROWDED)
    if all_told >= max_waiting:
        raise TooManyRequests(FULL)


def found_hint(game: Game, diary: ViewerHistory, hint: Callable[[Game, ViewerHistory], Hint]) -> Hint:
    """The hint on the question of a diary's reader; Conflict if the expert fails: the table goes on without."""
    try:
        return hint(game, diary)
    except Exception as error:
        log.exception("No hint could be found in %s.", game.name)
        raise Conflict(NO_HINT) from error


def hint_on(game: Game, diary: ViewerHistory, seconds: float = COMPARING) -> Hint:
    """What the expert would do in the place of a diary's reader, and why."""
    view = Observation(game, state_dtype.copy_states(diary.view.array), diary.reader, masked=True)
    best, *others = ranked(view)
    names = apart(diary.names)
    first, *rest = (plain_text(game.text.button_label(view.state, action), names) for action in (best, *others))
    if not others:
        return Hint(best, f"Expert: {first}."[:LONGEST])
    return Hint(best, in_words(first, rest[0], compare(view, best, others[0], seconds, random_seed())))


def ranked(view: Observation) -> list[int]:
    """The expert's choice, and the next best if it considered another."""
    if len(view.legal_actions) == 1:
        return [view.legal_actions[0]]
    expert = bots.make(EXPERT, view.game)
    if isinstance(expert, SearchBot):
        return [choice.action for choice in expert.rank_actions(view)[:2]]
    return [expert.choose(view)]


def in_words(best: str, other: str, found: Comparison) -> str:
    """The hint to choose the best, and what it brings more than the other: as much of that as an entry has room for."""
    reason, sources = reasons(other, found)
    for count in range(len(sources), -1, -1):
        where = ": " + ", ".join(sources[:count]) if count else ""
        words = f"Expert: {best}. {reason}{where}."
        if len(words) <= LONGEST:
            return words
    return f"Expert: {best}."[:LONGEST]


def reasons(other: str, found: Comparison) -> tuple[str, list[str]]:
    """What is gained if good players play on, and the sources it comes from."""
    if abs(found.gain) < LEAST:
        return f"The next best, {other}, is about as good", []
    if found.gain > 0:
        sources = [f"{tenths(value, '+')} {name}" for name, value in found.sources if name and abs(value) >= LEAST]
        points = points_of(tenths(found.gain))
        return f"Played on by good players it brings about {points} more than the next best, {other}", sources[:MOST]
    if found.gain > found.opponent_gain:
        lost, taken = points_of(tenths(-found.gain)), tenths(-found.opponent_gain)
        return (
            f"Against the next best, {other}, it costs you about {lost}, and the best opponent {taken}",
            [],
        )
    return f"Quick play from here favours the next best, {other}; the expert looks further ahead", []


def points_of(number: str) -> str:
    """`1.0 point`, `1.4 points`."""
    return f"{number} {'point' if number == '1.0' else 'points'}"


def tenths(points: float, sign: str = "-") -> str:
    """Points with one digit behind the point."""
    return f"{points:{sign}.1f}".replace("-", MINUS)
