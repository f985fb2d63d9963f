"""Pictures of a position, and its legal actions in words: the most expensive parts of a page."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from ...core.rich_text import own_points, plain_text
from ...play import panels as picture
from ...play.play import Observation

BIDI_ISOLATE = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"  # as the element bdi in HTML


class ActionLabel(NamedTuple):
    action: int
    words: str
    effect: str
    gain: int  # points that it brings at once
    parts: tuple[tuple[str, str], ...]


class MacroLabel(NamedTuple):
    actions: tuple[int, ...]
    words: str
    effect: str
    gain: int  # points that they bring at once

    @property
    def code(self) -> str:
        return ",".join(map(str, self.actions))


class RenderedView:
    """The pictures and words of a view with its legal actions, each rendered on first use."""

    def __init__(self, view: Observation, legal: tuple[int, ...], names: tuple[str, ...], in_one_go: bool) -> None:
        self.view, self._legal, self._names, self._in_one_go = view, legal, names, in_one_go

    @cached_property
    def overlays(self) -> list[picture.RenderedOverlay]:
        return picture.render_overlays(self.view, self._legal)

    @cached_property
    def panels(self) -> list[picture.RenderedPanel]:
        return picture.assemble(picture.describe_panels(self.view), self.overlays)

    @cached_property
    def action_labels(self) -> list[ActionLabel]:
        names = isolate_bidi(self._names)
        return [action_label(self.view, action, names) for action in self._legal]

    @cached_property
    def macro_labels(self) -> list[MacroLabel]:
        """The macro moves in words; empty if the viewer may choose no macro move."""
        if not (self._legal and self._in_one_go):
            return []
        names = isolate_bidi(self._names)
        return [
            MacroLabel(one.actions, plain_text(one.offer, names), plain_text(one.effect, names), own_points(one.effect))
            for one in self.view.game.text.suggestions(self.view.state)
        ]


def action_label(view: Observation, action: int, names: Sequence[str]) -> ActionLabel:
    text, state = view.game.text, view.state
    label, effect = text.button_label(state, action), text.effect_text(state, action)
    parts = tuple(text.parts(state, action).items())
    return ActionLabel(action, plain_text(label, names), plain_text(effect, names), own_points(effect), parts)


def isolate_bidi(names: Iterable[str]) -> list[str]:
    return [BIDI_ISOLATE.format(name) for name in names]
