"""Hints: the expert's choice for a seat and the reason, from what this seat may know.

A separate thread computes hints, so that no bot waits for them. Networks take turns, because one
person can create any number of guests. A guest waits for at most one hint at a time, at any table.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

from ... import bots
from ...bots.compare import Comparison, compare
from ...bots.search import SearchBot
from ...core.english import capitalize, pluralize
from ...core.rich_text import plain_text
from ...engine import state_dtype
from ...library import Game
from ...play.play import Observation
from ...validation import random_seed
from ..errors import Conflict, TooManyRequests
from ..fair_queue import Turns
from ..tables.builds import PLAIN_BUILD
from ..tables.rendering import isolate_bidi
from ..tables.viewer_history import Hint, ViewerHistory

EXPERT = "expert"
COMPARISON_SECONDS = 0.8  # for comparing two actions, after the expert's search
MAX_WAITING = 100  # guests
MAX_WAITING_PER_NETWORK = 10  # guests; no limit for this machine, where a proxy may run
MAX_HINT_LENGTH = 200  # characters of an event's text
MIN_POINTS = 0.3  # a smaller difference is noise
NO_HINT_MESSAGE = "The expert has no hint, because something went wrong. Please choose a move yourself."
ALREADY_ASKED_MESSAGE = "The expert is already thinking about your hint. Please ask again in a moment."
NOT_COMPILED_MESSAGE = "The site is still preparing this game, so there are no hints yet. Please ask again soon."

log = logging.getLogger(__name__)


class HintRequest(NamedTuple):
    network: str
    game: Game
    history: ViewerHistory
    answer: Future[Hint]


class HintService:
    def __init__(
        self, *, max_waiting: int = MAX_WAITING, max_waiting_per_network: int = MAX_WAITING_PER_NETWORK
    ) -> None:
        self._max_waiting, self._max_waiting_per_network = max_waiting, max_waiting_per_network  # guests
        self.compute: Callable[[Game, ViewerHistory], Hint] = compute_hint
        self.needs_compiled = True  # False allows any build
        self._pool = ThreadPoolExecutor(1, "hint")
        self._lock, self._turns = Lock(), Turns()  # of networks
        self._requests: dict[str, HintRequest] = {}  # by guest, until answered, in order

    def request(self, guest: str, network: str, game: Game, history: ViewerHistory) -> Future[Hint]:
        """Queue a request for a hint for the viewer of a history, and return its future.

        The future raises Conflict if the expert fails. `close` cancels it.

        Raises:
            Conflict: the game has not been compiled yet, or the guest waits for a hint already.
            TooManyRequests: too many guests wait, in this network or in all.
        """
        if self.needs_compiled and game.build == PLAIN_BUILD:
            raise Conflict(NOT_COMPILED_MESSAGE)
        request = HintRequest(network, game, history, Future())
        with self._lock:
            if guest in self._requests:
                raise Conflict(ALREADY_ASKED_MESSAGE)
            near = sum(one.network == network for one in self._requests.values())
            check_capacity(network, near, len(self._requests), self._max_waiting_per_network, self._max_waiting)
            self._requests[guest] = request
        request.answer.add_done_callback(lambda _: self._remove(guest))  # also after a cancellation
        self._pool.submit(self._answer_next)
        return request.answer

    def _remove(self, guest: str) -> None:
        with self._lock:
            del self._requests[guest]

    def _answer_next(self) -> None:
        with self._lock:
            waiting = [one for one in self._requests.values() if not one.answer.cancelled()]
            request = min(waiting, key=lambda one: self._turns.last(one.network), default=None)
            if request is None or not request.answer.set_running_or_notify_cancel():
                return
            self._turns.serve(request.network)
        try:
            request.answer.set_result(get_hint(request.game, request.history, self.compute))
        except Conflict as error:
            request.answer.set_exception(error)

    def close(self) -> None:
        """Wait for the hint that is being computed, and cancel all waiting requests."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for request in list(self._requests.values()):
            request.answer.cancel()


def check_capacity(network: str, near: int, waiting: int, max_near: int, max_waiting: int) -> None:
    """Raise TooManyRequests if too many guests wait: `near` from this network, or `waiting` in all.

    An empty network stands for this machine, for which `max_near` does not count.
    """
    if network and near >= max_near:
        raise TooManyRequests("Too many people in your network are waiting for a hint. Please try again in a minute.")
    if waiting >= max_waiting:
        raise TooManyRequests("The expert bot is busy. Please try again in a minute.")


def get_hint(game: Game, history: ViewerHistory, compute: Callable[[Game, ViewerHistory], Hint]) -> Hint:
    """Return the hint for the viewer of a history; raise Conflict if the expert fails."""
    try:
        return compute(game, history)
    except Exception as error:
        log.exception("No hint could be found in %s.", game.name)
        raise Conflict(NO_HINT_MESSAGE) from error


def compute_hint(game: Game, history: ViewerHistory, seconds: float = COMPARISON_SECONDS) -> Hint:
    view = Observation(game, state_dtype.copy_states(history.view.array), history.viewer, masked=True)
    best, *others = best_actions(view)
    names = isolate_bidi(history.names)
    first, *rest = (plain_text(game.text.button_label(view.state, action), names) for action in (best, *others))
    effect = plain_text(game.text.effect_text(view.state, best), names)
    if not others:
        return Hint(best, hint_text(first, effect, "", ""))
    reason, introduction = compared_words(compare(view, best, others[0], seconds, random_seed()))
    return Hint(best, hint_text(first, effect, reason, f"{introduction}: {rest[0]}."))


def best_actions(view: Observation) -> list[int]:
    """Return the expert's choice, and the second choice if the expert ranks several actions."""
    if len(view.legal_actions) == 1:
        return [view.legal_actions[0]]
    expert = bots.make(EXPERT, view.game)
    if isinstance(expert, SearchBot):
        return [choice.action for choice in expert.rank_actions(view)[:2]]
    return [expert.choose(view)]


def hint_text(best: str, effect: str, reason: str, second: str) -> str:
    """Return a hint: the best move, its effect, a reason, and the second best move.

    If an event has no room for all of them, the hint leaves out clauses of the effect from the end, but not the first
    one, then the reason, then the first clause, then the second best move.
    """
    clauses = effect.split("; ") if effect else []
    counts = range(len(clauses), min(1, len(clauses)) - 1, -1)
    room = [*((count, reason) for count in counts), (counts[-1], ""), (0, "")]
    for count, why in room:
        seen = f"{capitalize('; '.join(clauses[:count]))}." if count else ""
        text = " ".join(filter(None, (f"Expert: {best}.", seen, why, second)))
        if len(text) <= MAX_HINT_LENGTH:
            return text
    return f"Expert: {best}."[:MAX_HINT_LENGTH]


def compared_words(found: Comparison) -> tuple[str, str]:
    """Return a sentence on the points in comparison with the second best move, and words that introduce that move.

    The sentence is empty if both are about as good, or if the playouts favour the second best move and it doesn't cost
    the best opponent more: the expert looks further ahead than they do.
    """
    if abs(found.gain) < MIN_POINTS:
        return "", "Second best, and about as good"
    if found.gain > 0:
        name, points = found.sources[0]
        mostly = f", mostly in {source_words(name)}" if name and points >= found.gain / 2 else ""
        return f"It brings about {in_points(found.gain)} more than the second best{mostly}.", "Second best"
    lost, taken = in_points(-found.gain), in_points(-found.opponent_gain)
    if found.opponent_gain < found.gain and lost != taken:
        return f"It costs you about {lost}, but the best opponent about {taken}.", "Second best"
    return "", "Second best"


def source_words(name: str) -> str:
    """Return the name of a source within a sentence, such as `wall (first scoring)` for `First scoring: wall`."""
    name = f"{name[:1].lower()}{name[1:]}"
    moment, colon, source = name.partition(": ")
    return f"{source} ({moment})" if colon else name


def in_points(points: float) -> str:
    return pluralize(round(points), "point") if points > 0.5 else "half a point"
