"""Which build of a game the site plays with: the plain one, until the compiled one is ready."""

import logging
from threading import Lock, Thread

from .. import bots
from ..core import picture, registry
from ..core.contract import SPECTATOR
from ..core.game import Game, game

log = logging.getLogger(__name__)


class Builds:
    """The games of this site. Both builds of a game give the same states, so tables never notice."""

    def __init__(self) -> None:
        self._ready: dict[str, Game] = {}
        self._lock = Lock()

    def of(self, name: str) -> Game:
        """The best build of a game that can be used now; SetupError if there is no such game."""
        found = self._ready.get(name)
        if found:
            return found
        with self._lock:  # twins are made by one thread
            if name not in self._ready:
                plain = game(name, "plain")
                exercise(plain)
                self._ready[name] = plain
            return self._ready[name]

    def warm(self) -> None:
        """Compile every game in a thread of its own, and use what is ready."""
        Thread(target=self._compile, name="compiling", daemon=True).start()

    def _compile(self) -> None:
        for name in registry.packages():
            try:
                compiled = game(name, "compiled")
                exercise(compiled)
            except Exception:  # the plain build does the same, only slower
                log.exception("The compiled build of %s cannot be used; the plain one goes on.", name)
            else:
                self._ready[name] = compiled


def exercise(this: Game) -> None:
    """Use once whatever a table needs, so that it has been made or compiled."""
    play = this.new(seed=0)
    view = play.observe(play.turn)
    play.observe(SPECTATOR)
    view.standing()
    this.text.effect(view.state, view.legal[0])
    picture.panels(view, view.legal)
    picture.ghost(view, view.legal[0])
    for spec in bots.SPECS:
        play.apply(bots.make(spec, this).choose(play.observe(play.turn)))
        if play.over:
            return
