"""Checks of pictures and icons."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from ..play.play import Observation
from .case import Case, check, check_once, require


@check
def pictures_offer_legal_actions(case: Case) -> None:
    """Require well-formed panels with unique ids, which offer only legal actions, and no actions to other observers.

    A legal action that no picture offers must have parts, so that a page can offer it.
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
def previews_render(case: Case) -> None:
    """Require that the previews of actions can be drawn."""
    from ..play.panels import preview

    for _, seen in case.decisions(case.plain, 6, every=9):
        for action in seen.legal_actions[:20]:
            xml(preview(seen, action))


@check_once
def icons_are_explained(case: Case) -> None:
    """Require that icons can be drawn, have a name and a sentence, and refer to a fact and to a rule."""
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
    """Return a picture as a tree. Raise ParseError for other texts than XML."""
    return ET.fromstring(picture)  # noqa: S314 - drawn by the game


def ids(observation: Observation) -> Iterator[str]:
    """Yield the ids in all panels of a position."""
    from ..play.panels import panels

    for panel in panels(observation, observation.legal_actions):
        yield from ids_in(xml(panel.svg))


def ids_in(picture: ET.Element) -> Iterator[str]:
    """Return the ids of the elements in a picture."""
    return (element.attrib["id"] for element in picture.iter() if "id" in element.attrib)
