"""Pictures of a position, and its legal actions in words: what takes longest of all that a page shows.

All of it follows from what one seat sees, and so can be worked out in any process.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ...core.rich_text import own_points, plain_text
from ...play import panels as picture
from ...play.play import Observation

APART = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"  # as the element bdi does it in what is marked up


class ActionLabel(NamedTuple):
    """A legal action in the words of a page."""

    action: int
    words: str
    effect: str
    gain: int  # points that it brings at once
    parts: tuple[tuple[str, str], ...]


class MacroLabel(NamedTuple):
    """Actions that are offered as one choice, in the words of a page."""

    actions: tuple[int, ...]
    words: str
    effect: str
    gain: int  # points that they bring at once

    @property
    def code(self) -> str:
        """The actions as a form sends them."""
        return ",".join(map(str, self.actions))


class RenderedView:
    """The pictures and words of what a reader sees and may choose, each worked out when somebody first wants it."""

    def __init__(self, view: Observation, legal: tuple[int, ...], names: tuple[str, ...], *, in_one_go: bool) -> None:
        self.view, self._legal, self._names, self._in_one_go = view, legal, names, in_one_go
        self.done = False  # is all of it there already?

    @cached_property
    def panels(self) -> list[picture.RenderedPanel]:
        """The pictures, the main one first."""
        return picture.panels(self.view, self._legal)

    @cached_property
    def offers(self) -> list[ActionLabel]:
        """What the reader may choose, in words and in parts."""
        names = apart(self._names)
        return [offer_of(self.view, action, names) for action in self._legal]

    @cached_property
    def courses(self) -> list[MacroLabel]:
        """What the reader may choose in one go, in words; nothing where the game proposes none."""
        if not (self._legal and self._in_one_go):
            return []
        found, names = self.view.game.text.suggestions(self.view.state), apart(self._names)
        return [
            MacroLabel(one.actions, plain_text(one.offer, names), plain_text(one.effect, names), own_points(one.effect))
            for one in found
        ]

    @property
    def asked(self) -> tuple[Any, ...]:
        """What `whole` must be given, beside the view, to work out the same."""
        return self._legal, self._names, self._in_one_go

    def take(self, found: dict[str, Any]) -> None:
        """Have what `whole` has worked out."""
        self.__dict__.update(found, done=True)


def whole(view: Observation, legal: tuple[int, ...], names: tuple[str, ...], in_one_go: bool) -> dict[str, Any]:
    """All of a depiction."""
    one = RenderedView(view, legal, names, in_one_go=in_one_go)
    return {"panels": one.panels, "offers": one.offers, "courses": one.courses}


def ghosts(view: Observation, actions: Sequence[int]) -> list[str]:
    """What each of some actions would add to the main picture."""
    return [picture.preview(view, action) for action in actions]


def offer_of(view: Observation, action: int, names: Sequence[str]) -> ActionLabel:
    """An action, with these names in its words."""
    text, s = view.game.text, view.state
    words, effect = text.button_label(s, action), text.effect_text(s, action)
    parts = tuple(text.parts(s, action).items())
    return ActionLabel(action, plain_text(words, names), plain_text(effect, names), own_points(effect), parts)


def apart(names: Iterable[str]) -> list[str]:
    """Names, each kept apart from the direction of the words around it."""
    return [APART.format(name) for name in names]
