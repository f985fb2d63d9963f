"""Fair queueing: records turns, so that callers can serve the key with the oldest turn next."""

from collections.abc import Hashable

MAX_REMEMBERED_KEYS = 20_000


class Turns:
    """The number of each key's last turn. Above `max_served` keys, the keys with the oldest turns are forgotten."""

    def __init__(self, *, max_served: int = MAX_REMEMBERED_KEYS) -> None:
        self._max_served = max_served
        self.served: dict[Hashable, int] = {}  # the number of each key's last turn, in ascending order
        self._count = 0

    def last(self, key: Hashable) -> int:
        """Return the number of a key's last turn; 0 if no turn is remembered."""
        return self.served.get(key, 0)

    def serve(self, *keys: Hashable) -> None:
        """Record a turn of these keys, with one number for all."""
        self._count += 1
        for key in keys:
            self.served.pop(key, None)
            self.served[key] = self._count
        while len(self.served) > self._max_served:
            del self.served[next(iter(self.served))]
