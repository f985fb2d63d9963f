"""The build of each game that the site uses: the plain build, until the compiled build is ready.

In the plain build, search bots are too slow. At rated tables they wait while compiling goes on. At unrated tables, a
greedy bot plays for them.
"""

import logging
from collections.abc import Callable, Iterable
from threading import Lock, Thread

from ... import bots, catalog
from ...core.loaded import Build, LoadedGame
from ...errors import SetupError
from ...library import Game, game
from ..errors import NotFound, Unavailable
from ..memory import freeze_loaded_objects
from .compiler import Compiler, warm_up

PLAIN_BUILD: Build = "plain"
FALLBACK_BOT = "greedy"  # plays in every build alike

log = logging.getLogger(__name__)


class GameBuilds:
    """The build of each game in use. The plain and the compiled build give the same states, so tables can switch."""

    def __init__(self) -> None:
        self._ready: dict[str, Game] = {}
        self._awaited: frozenset[str] = frozenset()  # whose compiled build is still to come
        self._listeners: list[Callable[[str], object]] = []
        self._compiler = Compiler()
        self._lock = Lock()

    def get(self, name: str) -> Game:
        """Return the compiled build of a game if it is ready, else the plain build.

        Raises SetupError if there is no such game, and Unavailable if the plain build fails.
        """
        if name in self._ready:
            return self._ready[name]
        catalog.package_of(name, toys=False)
        with self._lock:  # one thread makes the build
            if name not in self._ready:
                self._ready[name] = plain_build(name)
            return self._ready[name]

    def find(self, name: str) -> Game:
        """Return the build of a game as `get` does, but raise NotFound if there is no such game."""
        try:
            return self.get(name)
        except SetupError as error:
            raise NotFound(str(error)) from None

    @property
    def compiled_games(self) -> list[str]:
        return [name for name, this in self._ready.copy().items() if this.build != PLAIN_BUILD]

    def set_awaited(self, names: Iterable[str]) -> None:
        self._awaited = frozenset(names)

    def is_awaited(self, name: str) -> bool:
        return name in self._awaited

    def can_play(self, spec: str, name: str) -> bool:
        """Return whether a bot can play a game now, or the game's compiled build is still to come."""
        return self.is_awaited(name) or is_playable(spec, self.get(name))

    def subscribe(self, listener: Callable[[str], object]) -> None:
        """Call `listener` with a game's name when its compiled build is ready or has failed."""
        self._listeners.append(listener)

    def switch_to(self, compiled: Game) -> None:
        self._ready[compiled.name] = compiled
        self._finish(compiled.name)

    def _finish(self, name: str) -> None:
        self._awaited -= {name}
        for listener in self._listeners:
            listener(name)

    def compile_in_background(self, prepare: Callable[[Game], object]) -> None:
        """Start a thread that prepares all games, compiles them, and then freezes what it has loaded."""
        self.set_awaited(catalog.game_packages())
        Thread(target=self._compile_all, args=(prepare,), name="compiling", daemon=True).start()

    def _compile_all(self, prepare: Callable[[Game], object]) -> None:
        for step in (lambda name, prepare: prepare(self.get(name)), self._compile):
            for name in catalog.game_packages():
                if self._compiler.is_closed:
                    return
                try:
                    step(name, prepare)
                except Exception:  # a game that fails must not stop the other games
                    log.exception("%s could not be made ready.", name)
        freeze_loaded_objects()

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
    """Return the plain build of a game after a trial run; raise Unavailable if the build or the run fails."""
    try:
        plain = game(name, PLAIN_BUILD)
        warm_up(plain)
    except Exception as error:  # a game of another author may raise anything
        log.exception("The game %s cannot be used.", name)
        raise Unavailable(
            "This game cannot be played here at the moment. Please tell the site's administrator."
        ) from error
    return plain


def is_playable(spec: str, this: LoadedGame) -> bool:
    """Return whether this build is fast enough for a bot."""
    return this.build != PLAIN_BUILD or bots.parse_spec(spec, this).kind in bots.KERNEL_BOTS


def effective_bot(spec: str, this: LoadedGame) -> str:
    """Return a bot's spec if the bot can play in this build, else FALLBACK_BOT."""
    return spec if is_playable(spec, this) else FALLBACK_BOT
