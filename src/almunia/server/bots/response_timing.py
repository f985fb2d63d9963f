"""Response times of bots, which must not reveal what a bot holds.

A bot with few possibilities answers sooner. So a response to a secret question takes a multiple of a time quantum. If
only one action is legal, the response takes at least as long as a recent choice of this bot, picked at random.
"""

from collections import defaultdict, deque
from math import ceil
from secrets import choice

from ...play.play import Observation

QUANTUM_SECONDS = 0.02
MAX_RECORDED = 16  # response times of a bot


class ResponseTiming:
    def __init__(self) -> None:
        # by game and bot: the quanta of the last choices
        self._recorded: defaultdict[tuple[str, str], deque[int]] = defaultdict(lambda: deque(maxlen=MAX_RECORDED))

    def response_seconds(self, view: Observation, spec: str, seconds: float) -> float:
        """Return the response time of a bot that has taken `seconds` to choose."""
        taken, beats = self._recorded[view.game.name, spec], ceil(seconds / QUANTUM_SECONDS)
        if len(view.legal_actions) > 1:
            taken.append(beats)
        if view.game.legal_is_public(view.state):
            return seconds
        return QUANTUM_SECONDS * (beats if len(view.legal_actions) > 1 else max(beats, choice(taken or [1])))
