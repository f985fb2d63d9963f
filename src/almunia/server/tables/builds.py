"""The build of each game that the site plays with: the plain one, until the compiled one is ready.

In the plain build, bots that search are too slow to be useful. Until the compiled build is ready, they wait at rated
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
from .compiler import Compiler, warm_up

PLAIN_BUILD: Build = "plain"
FALLBACK_BOT = "greedy"  # plays in every build alike

log = logging.getLogger(__name__)


class GameBuilds:
    """The games of this site. Both builds of a game give the same states, so tables can switch between them."""

    def __init__(self) -> None:
        self._ready: dict[str, Game] = {}
        self._awaited: frozenset[str] = frozenset()  # whose compiled build is still to come
        self._listeners: list[Callable[[str], object]] = []
        self._compiler = Compiler()
        self._lock = Lock()

    def get(self, name: str) -> Game:
        """Return the best build of a game that can be used now.

        Raises SetupError if there is no such game; Unavailable if it cannot be used, for example because its data is
        damaged.
        """
        if name in self._ready:
            return self._ready[name]
        catalog.package_of(name)
        with self._lock:  # one thread makes the build
            if name not in self._ready:
                self._ready[name] = plain_build(name)
            return self._ready[name]

    def find(self, name: str) -> Game:
        """Return the build of the game of an address; raise NotFound if there is no game of that name."""
        try:
            return self.get(name)
        except SetupError as error:
            raise NotFound(str(error)) from None

    @property
    def compiled_games(self) -> list[str]:
        return [name for name, this in self._ready.copy().items() if this.build != PLAIN_BUILD]

    def set_awaited(self, names: Iterable[str]) -> None:
        """Mark the compiled builds of these games as still to come."""
        self._awaited = frozenset(names)

    def is_awaited(self, name: str) -> bool:
        """Return whether the compiled build of a game is still to come."""
        return name in self._awaited

    def can_play(self, spec: str, name: str) -> bool:
        """Return whether a bot plays a game at full strength, now or once the compiled build is ready."""
        return self.is_awaited(name) or is_playable(spec, self.get(name))

    def subscribe(self, listener: Callable[[str], object]) -> None:
        """Call a function with the name of a game once its compiled build is ready or has failed."""
        self._listeners.append(listener)

    def switch_to(self, compiled: Game) -> None:
        """Use a compiled build from now on, also at tables that are open already."""
        self._ready[compiled.name] = compiled
        self._finish(compiled.name)

    def _finish(self, name: str) -> None:
        self._awaited -= {name}
        for listener in self._listeners:
            listener(name)

    def compile_in_background(self, prepare: Callable[[Game], object]) -> None:
        """Prepare every game in a thread of its own, then compile and use them."""
        self.set_awaited(catalog.game_packages())
        Thread(target=self._compile_all, args=(prepare,), name="compiling", daemon=True).start()

    def _compile_all(self, prepare: Callable[[Game], object]) -> None:
        for step in (lambda name, prepare: prepare(self.get(name)), self._compile):
            for name in catalog.game_packages():
                if self._compiler.is_closed:
                    return
                try:
                    step(name, prepare)
                except Exception:  # one game that fails leaves the others as they are
                    log.exception("%s could not be made ready.", name)

    def close(self) -> None:
        self._compiler.close()

    def _compile(self, name: str, prepare: Callable[[Game], object]) -> None:
        try:
            compiled = game(name, "compiled")
            if not self._compiler.ensure_compiled(compiled):
                return
            warm_up(compiled)
        except Exception:
            self._finish(name)
            raise
        self.switch_to(compiled)
        prepare(compiled)


def plain_build(name: str) -> Game:
    """Return the plain build of a game after a trial run; raise Unavailable if it fails. Only the log says why."""
    try:
        plain = game(name, PLAIN_BUILD)
        warm_up(plain)
    except Exception as error:  # a game of another author may raise anything
        log.exception("The game %s cannot be used.", name)
        raise Unavailable("This game cannot be played here at the moment. The reason is in the site's log.") from error
    return plain


def is_playable(spec: str, this: LoadedGame) -> bool:
    """Return whether a bot can play in this build: bots that search need the compiled one."""
    return this.build != PLAIN_BUILD or bots.parse_spec(spec, this).kind in bots.KERNEL_BOTS


def effective_bot(spec: str, this: LoadedGame) -> str:
    """Return the bot that plays in this build in place of another one: that one itself, or a greedy one."""
    return spec if is_playable(spec, this) else FALLBACK_BOT
