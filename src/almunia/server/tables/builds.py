"""Which build of a game the site plays with: the plain one, until the compiled one is ready.

In the plain build bots that look ahead are too slow to be of use. Until the compiled one is ready, they wait at rated
tables, and play as greedy at others.
"""

import logging
from collections.abc import Callable, Iterable
from threading import Lock, Thread

from ... import bots, catalog
from ...core.loaded import Build, LoadedGame
from ...errors import SetupError
from ...library import Game, game
from ..errors import NotFound, Unavailable
from .compiler import Compiler, exercise

PLAIN: Build = "plain"
GREEDY = "greedy"  # plays in every build alike

log = logging.getLogger(__name__)


class GameBuilds:
    """The games of this site. Both builds of a game give the same states, so tables never notice."""

    def __init__(self) -> None:
        self._ready: dict[str, Game] = {}
        self._awaited: frozenset[str] = frozenset()  # games whose compiled build is still to come
        self._listeners: list[Callable[[str], object]] = []
        self._compiler = Compiler()
        self._lock = Lock()

    def of(self, name: str) -> Game:
        """The best build of a game that can be used now.

        SetupError if there is no such game; Unavailable if it cannot be used, as when its data is damaged.
        """
        found = self._ready.get(name)
        if found:
            return found
        catalog.package_of(name)
        with self._lock:  # twins are made by one thread
            if name not in self._ready:
                self._ready[name] = plain_build(name)
            return self._ready[name]

    def find(self, name: str) -> Game:
        """Return `of` a name in an address; NotFound if there is no game of that name."""
        try:
            return self.of(name)
        except SetupError as error:
            raise NotFound(str(error)) from None

    @property
    def compiled(self) -> list[str]:
        """The games whose machine code is in use."""
        return [name for name, this in self._ready.copy().items() if this.build != PLAIN]

    def expect(self, names: Iterable[str]) -> None:
        """Know that the compiled builds of these games are to come."""
        self._awaited = frozenset(names)

    def is_awaited(self, name: str) -> bool:
        """Whether the compiled build of a game is still to come."""
        return name in self._awaited

    def can_play(self, spec: str, name: str) -> bool:
        """Whether a bot plays a game as what it is, now or as soon as the compiled build is ready."""
        return self.is_awaited(name) or is_playable(spec, self.of(name))

    def listen(self, listener: Callable[[str], object]) -> None:
        """Call a function with the name of a game once its compiled build is ready, or has failed."""
        self._listeners.append(listener)

    def use(self, compiled: Game) -> None:
        """Use a build that is ready from now on, at the tables that are open already, too."""
        self._ready[compiled.name] = compiled
        self._settle(compiled.name)

    def _settle(self, name: str) -> None:
        self._awaited -= {name}
        for listener in self._listeners:
            listener(name)

    def warm(self, prepare: Callable[[Game], object]) -> None:
        """In a thread of its own, prepare every game, then compile them and use what is ready."""
        self.expect(catalog.game_packages())
        Thread(target=self._warm, args=(prepare,), name="compiling", daemon=True).start()

    def _warm(self, prepare: Callable[[Game], object]) -> None:
        for step in (self._begin, self._compile):
            for name in catalog.game_packages():
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
        try:
            compiled = game(name, "compiled")
            if not self._compiler.prepare(compiled):
                return
            exercise(compiled)
        except Exception:
            self._settle(name)
            raise
        self.use(compiled)
        prepare(compiled)


def plain_build(name: str) -> Game:
    """The plain build of a game, tried; Unavailable if it cannot be used. Why, is for the log and not for visitors."""
    try:
        plain = game(name, PLAIN)
        exercise(plain)
    except Exception as error:  # a game of somebody's own may raise anything at all
        log.exception("The game %s cannot be used.", name)
        raise Unavailable("This game cannot be played here at the moment. The reason is in the site's log.") from error
    return plain


def is_playable(spec: str, this: LoadedGame) -> bool:
    """Whether a bot can play in this build: those that look ahead need the compiled one."""
    return this.build != PLAIN or bots.parse_spec(spec, this).kind in bots.KERNEL_BOTS


def playable(spec: str, this: LoadedGame) -> str:
    """Return the bot that plays for another one in this build: that one itself, or a greedy one."""
    return spec if is_playable(spec, this) else GREEDY
