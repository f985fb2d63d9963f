"""Which build of a game the site plays with: the plain one, until the compiled one is ready."""

import logging
from collections.abc import Callable
from threading import Lock, Thread

from ... import bots
from ...core import registry
from ...core.game import Build, Game, game
from ..errors import Broken
from .compiling import Compiler, exercise

PLAIN: Build = "plain"

log = logging.getLogger(__name__)


class Builds:
    """The games of this site. Both builds of a game give the same states, so tables never notice."""

    def __init__(self) -> None:
        self._ready: dict[str, Game] = {}
        self._compiler = Compiler()
        self._lock = Lock()

    def of(self, name: str) -> Game:
        """The best build of a game that can be used now.

        SetupError if there is no such game; Broken if it cannot be used, as when its data is damaged.
        """
        found = self._ready.get(name)
        if found:
            return found
        registry.package_of(name)
        with self._lock:  # twins are made by one thread
            if name not in self._ready:
                self._ready[name] = plain_build(name)
            return self._ready[name]

    @property
    def compiled(self) -> list[str]:
        """The games whose machine code is in use."""
        return [name for name, this in self._ready.copy().items() if this.build != PLAIN]

    def warm(self, prepare: Callable[[Game], object]) -> None:
        """In a thread of its own, prepare every game, then compile them and use what is ready."""
        Thread(target=self._warm, args=(prepare,), name="compiling", daemon=True).start()

    def _warm(self, prepare: Callable[[Game], object]) -> None:
        for step in (self._begin, self._compile):
            for name in registry.packages():
                if self._compiler.closed:
                    return
                try:
                    step(name, prepare)
                except Exception:  # one game that fails leaves the others as they are
                    log.exception("%s could not be made ready.", name)

    def close(self) -> None:
        """Compile no further game."""
        self._compiler.close()

    def _begin(self, name: str, prepare: Callable[[Game], object]) -> None:
        prepare(self.of(name))

    def _compile(self, name: str, prepare: Callable[[Game], object]) -> None:
        compiled = game(name, "compiled")
        if self._compiler.prepare(compiled):
            exercise(compiled)
            self._ready[name] = compiled
            prepare(compiled)


def plain_build(name: str) -> Game:
    """The plain build of a game, tried; Broken if it cannot be used. Why, is for the log and not for visitors."""
    try:
        plain = game(name, PLAIN)
        exercise(plain)
    except Exception as error:  # a game of somebody's own may raise anything at all
        log.exception("The game %s cannot be used.", name)
        raise Broken("This game cannot be played here at the moment. The reason is in the site's log.") from error
    return plain


def playable(spec: str, this: Game) -> str:
    """The bot that can play in this build: until the compiled one is ready, one that looks ahead is only greedy."""
    return spec if this.build != PLAIN or bots.parsed(spec, this).kind in bots.SPECS else "greedy"
