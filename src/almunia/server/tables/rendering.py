"""Pictures of a position, and its legal actions in words: the most expensive parts of a page.

All of it follows from one seat's view, so any process can render it. Pictures are cached by their content, so a view
draws only those that no view of any table has shown before.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ...core.contract import Panel
from ...core.rich_text import own_points, plain_text
from ...play import panels as picture
from ...play.play import Observation

BIDI_ISOLATE = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"  # as the element bdi in HTML


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
        return ",".join(map(str, self.actions))


class RenderedView:
    """The pictures and words of a view with its legal actions, each rendered on first use."""

    def __init__(
        self,
        view: Observation,
        legal: tuple[int, ...],
        names: tuple[str, ...],
        in_one_go: bool,
        cache: picture.PictureCache = picture.PICTURES,
    ) -> None:
        self.view, self._legal, self._names, self._in_one_go = view, legal, names, in_one_go
        self._cache = cache

    @cached_property
    def _described(self) -> list[Panel]:
        """The panels, which are not drawn."""
        return picture.describe_panels(self.view)

    @cached_property
    def overlays(self) -> list[picture.RenderedOverlay]:
        """What the legal actions add to the panels."""
        return picture.render_overlays(self.view, self._legal)

    @cached_property
    def panels(self) -> list[picture.RenderedPanel]:
        """The panels, the main one first."""
        return picture.assemble(self._described, self.overlays, self._cache)

    @property
    def missing(self) -> list[str]:
        """The names of the panels that have to be drawn."""
        return [panel.name for panel in self._described if self._cache.find(panel) is None]

    @property
    def is_cheap(self) -> bool:
        """Whether nothing is left to draw and to describe: all is cached, or the viewer has no choice."""
        return "action_labels" in self.__dict__ or not (self._legal or self.missing)

    @cached_property
    def action_labels(self) -> list[ActionLabel]:
        """The legal actions, in words and in parts."""
        names = isolate_bidi(self._names)
        return [action_label(self.view, action, names) for action in self._legal]

    @cached_property
    def macro_labels(self) -> list[MacroLabel]:
        """The macro moves in words; empty if the game offers none."""
        if not (self._legal and self._in_one_go):
            return []
        names = isolate_bidi(self._names)
        return [
            MacroLabel(one.actions, plain_text(one.offer, names), plain_text(one.effect, names), own_points(one.effect))
            for one in self.view.game.text.suggestions(self.view.state)
        ]

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments of `render_all` after the view."""
        return self._legal, self._names, self._in_one_go, tuple(self.missing)

    def fill(self, parts: dict[str, Any]) -> None:
        """Store the result of `render_all`."""
        pictures = parts.pop("pictures")
        for panel in self._described:
            if panel.name in pictures:
                self._cache.add(panel, pictures[panel.name])
        self.__dict__.update(parts)


def render_all(
    view: Observation, legal: tuple[int, ...], names: tuple[str, ...], in_one_go: bool, missing: Collection[str]
) -> dict[str, Any]:
    """Return the parts of a rendered view, with the pictures of the panels that are missing, by name."""
    one = RenderedView(view, legal, names, in_one_go)
    wanted = (panel for panel in picture.describe_panels(view) if panel.name in missing)
    pictures = {panel.name: picture.draw_picture(panel) for panel in wanted}  # which the site caches
    labels = {"action_labels": one.action_labels, "macro_labels": one.macro_labels}
    return {"pictures": pictures, "overlays": one.overlays, **labels}


def move_previews(view: Observation, actions: Sequence[int]) -> list[str]:
    """Return what each of some actions would add to the main picture."""
    return [picture.preview(view, action) for action in actions]


def action_label(view: Observation, action: int, names: Sequence[str]) -> ActionLabel:
    """Return the label of an action, with these names in its words."""
    text, state = view.game.text, view.state
    label, effect = text.button_label(state, action), text.effect_text(state, action)
    parts = tuple(text.parts(state, action).items())
    return ActionLabel(action, plain_text(label, names), plain_text(effect, names), own_points(effect), parts)


def isolate_bidi(names: Iterable[str]) -> list[str]:
    """Return names isolated from the direction of the text around them."""
    return [BIDI_ISOLATE.format(name) for name in names]
