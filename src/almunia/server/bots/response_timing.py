"""How long bots take to answer, where that could tell others what they hold.

A bot without a choice answers at once, and one with few possibilities soon. So where its question is secret, it answers
on the beat, and without a choice after as many beats as it may well have taken for one: never just as many as before,
for no search takes the same time twice.
"""

from collections import defaultdict, deque
from math import ceil
from secrets import choice

from ...play.play import Observation

BEAT = 0.02  # seconds
RECALLED = 16  # answers of a bot, of which it is known how long they took


class ResponseTiming:
    """Knows how long the bots of a site take."""

    def __init__(self) -> None:
        # By game and bot, the beats that its last choices took:
        self._taken: defaultdict[tuple[str, str], deque[int]] = defaultdict(lambda: deque(maxlen=RECALLED))

    def due(self, view: Observation, spec: str, seconds: float) -> float:
        """Seconds that a bot's answer is to take in all, after it has thought for so many about its question."""
        taken, beats = self._taken[view.game.name, spec], ceil(seconds / BEAT)
        if len(view.legal_actions) > 1:
            taken.append(beats)
        if view.game.legal_is_public(view.state):
            return seconds
        return BEAT * (beats if len(view.legal_actions) > 1 else max(beats, choice(taken or [1])))
