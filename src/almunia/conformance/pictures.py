"""Checks of pictures and icons."""

from collections.abc import Callable, Iterator
from enum import Enum
from itertools import chain
from typing import Any
from xml.etree import ElementTree as ET

from ..core.contract import Panel
from ..core.memoize import clear_caches
from ..core.optional import ViewModule
from ..engine.checked import checked_record
from ..engine.state_dtype import copy_states
from ..play.play import Observation
from .case import Case, check, check_once, require

PLAIN_TYPES = int, str, bytes, float, bool, Enum, type(None)  # of the values in a key


@check
def pictures_offer_legal_actions(case: Case) -> None:
    """Require that panels are XML with unique ids, and offer only legal actions of the observer.

    A legal action that no picture offers must have parts, so that a page can offer it. A standalone picture offers
    nothing.
    """
    from ..play.panels import compose_svg, panels

    for play, seen in case.observations(case.plain, 6, every=4):
        trees = [xml(panel.svg) for panel in panels(seen, seen.legal_actions)]
        offered = [int(e.attrib["data-action"]) for tree in trees for e in tree.iter() if "data-action" in e.attrib]
        foreign = set(offered) - set(seen.legal_actions)
        require(not foreign, f"The pictures offer {sorted(foreign)} to seat {seen.seat}, which are not legal.")
        for action in set(seen.legal_actions) - set(offered):
            parts = play.game.text.parts(seen.state, action)
            require(parts, f"Action {action} ({play.action_to_string(action)}) is offered nowhere and has no parts.")
        names = [name for tree in trees for name in ids_in(tree)]
        require(len(set(names)) == len(names), f"Ids are not unique: {sorted(names)}.")
        require("data-action" not in compose_svg(seen), "A standalone picture offers actions.")


@check
def equal_keys_give_equal_pictures(case: Case) -> None:
    """Require that panels with the same function and key have the same picture, and keys of plain values."""
    from ..play.panels import describe_panels

    case.require_pictures()
    pictures: dict[tuple[Callable[..., Any], tuple[Any, ...]], str] = {}
    for seed in (6, 7):
        for _, seen in case.observations(case.plain, seed, every=4):
            for panel in describe_panels(seen):
                require_plain_key(panel)
                picture = str(panel.picture)
                same = pictures.setdefault((panel.draw, panel.key), picture) == picture
                require(same, f"The panel {panel.name!r} has two pictures for the same key: {panel.key!r}.")


def require_plain_key(panel: Panel) -> None:
    """Require that a key has only values of PLAIN_TYPES, and tuples of such values."""
    values = [*panel.key]
    for value in values:
        if isinstance(value, tuple):
            values += value
        else:
            known = isinstance(value, PLAIN_TYPES)
            require(
                known, f"The key of the panel {panel.name!r} contains {value!r}, no number, string, bytes or tuple."
            )


@check
def pictures_depend_on_nothing_but_keys(case: Case) -> None:
    """Require the same panels and choices when caches are empty, and pictures that do not read the state.

    A result that is cached for too small a key differs when it is computed again before all others. A picture that
    reads the state differs when the state has become another position.
    """
    case.require_pictures()
    view = case.plain.view
    plays = chain(case.positions(case.plain, 6, every=12), case.positions(case.compiled, 7, every=24, bot="greedy"))
    seen_in_plays = (play.observe(seat) for play in plays for seat in case.observers())
    observed = [(copy_states(seen.array), seen) for seen in seen_in_plays]
    starts = {seat: case.start(case.plain, 5).observe(seat).array for seat in case.observers()}
    shown = [described(view, checked_record(states), seen) for states, seen in observed]
    for (states, seen), (panels, pictures, choices) in zip(observed, shown, strict=True):
        clear_caches()
        again, _, same_choices = described(view, checked_record(states), seen)
        require(choices == same_choices, f"The choices of seat {seen.seat} differ when caches are empty.")
        for panel, other in zip(panels, again, strict=True):
            require(
                panel.draw is other.draw, f"The panel {panel.name!r} is drawn by a function that is made each time."
            )
            require(panel == other, f"The panel {panel.name!r} differs when caches are empty: {panel} and {other}.")
        clear_caches()
        states[...] = starts[seen.seat]
        for panel, picture in zip(panels, pictures, strict=True):
            same = str(panel.picture) == picture
            require(same, f"The picture of {panel.name!r} depends on more than its key {panel.key!r}.")


def described(view: ViewModule, s: Any, seen: Observation) -> tuple[list[Panel], list[str], list[Any]]:
    from ..play.panels import render_overlay

    panels = view.panels(s, seen.seat)
    choices = view.choices(s, seen.seat, seen.legal_actions) if seen.legal_actions else []
    return panels, [str(panel.picture) for panel in panels], [render_overlay(one) for one in choices]


@check
def previews_render(case: Case) -> None:
    from ..play.panels import preview

    case.require_pictures()
    for _, seen in case.decisions(case.plain, 6, every=9):
        for action in seen.legal_actions[:20]:
            xml(preview(seen, action))


@check_once
def icons_are_explained(case: Case) -> None:
    """Require that icons can be drawn, have unique names, a title and a sentence, and cite existing marks and facts."""
    case.require_pictures()
    icons = case.plain.view.ICONS
    names = [icon.name for icon in icons]
    require(len(set(names)) == len(names), f"Icons share a name: {sorted(names)}.")
    play = case.start(case.plain, 1)
    labels = {label for label, _ in play.game.text.seat_facts(play.observe(0).state, 0)}
    rules = case.plain.file("RULES.md").read_text("utf-8")
    for icon in icons:
        xml(str(icon.picture))
        require(icon.title and icon.about.endswith("."), f"The icon {icon.name!r} has no title, or no sentence.")
        require(f"**{icon.rule}**" in rules, f"The icon {icon.name!r} cites {icon.rule!r}, no mark in RULES.md.")
        require(not icon.fact or icon.fact in labels, f"No fact has the label {icon.fact!r} of {icon.name!r}.")


def xml(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 - drawn by the game


def ids(observation: Observation) -> Iterator[str]:
    from ..play.panels import panels

    for panel in panels(observation, observation.legal_actions):
        yield from ids_in(xml(panel.svg))


def ids_in(picture: ET.Element) -> Iterator[str]:
    return (element.attrib["id"] for element in picture.iter() if "id" in element.attrib)
