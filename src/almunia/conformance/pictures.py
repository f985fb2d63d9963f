"""Pictures, and graphics processors."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from ..play.play import Observation
from .case import Case, Skipped, check, check_once, require


@check
def pictures_offer_legal_actions(case: Case) -> None:
    """Panels are well-formed, with ids of their own; they offer legal actions only, and none to onlookers.

    A legal action that no picture offers must have parts or words by which a page can offer it.
    """
    from ..play.panels import panels, standalone

    for play in case.positions(case.plain, 6, every=4):
        for seat in case.readers():
            seen = play.observe(seat)
            trees = [xml(panel.svg) for panel in panels(seen, seen.legal_actions)]
            offered = [int(e.attrib["data-action"]) for tree in trees for e in tree.iter() if "data-action" in e.attrib]
            foreign = set(offered) - set(seen.legal_actions)
            require(not foreign, f"The pictures offer {sorted(foreign)} to seat {seat}, which are not legal.")
            for action in set(seen.legal_actions) - set(offered):
                parts = play.game.text.parts(seen.state, action)
                require(
                    parts, f"Action {action} ({play.action_to_string(action)}) is offered nowhere and has no parts."
                )
            names = [e.attrib["id"] for tree in trees for e in tree.iter() if "id" in e.attrib]
            require(len(set(names)) == len(names), f"Ids are used twice: {sorted(names)}.")
            require("data-action" not in standalone(seen), "A picture to look at offers actions.")


@check
def ghosts_can_be_drawn(case: Case) -> None:
    """What an action would do can be drawn, for every action."""
    from ..play.panels import preview

    for play in case.positions(case.plain, 6, every=9):
        seen = play.observe(play.turn)
        for action in seen.legal_actions[:20]:
            xml(preview(seen, action))


@check_once
def icons_are_explained(case: Case) -> None:
    """Every icon can be drawn, has a name and a sentence, and stands for a fact and a paragraph that there are."""
    icons = getattr(case.plain.view, "ICONS", ())
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
    """A picture as a tree of elements; an error if it is not well-formed."""
    return ET.fromstring(picture)  # noqa: S314 - it was drawn a moment ago


def ids(observation: Observation) -> Iterator[str]:
    """The ids in all panels of a position."""
    from ..play.panels import panels

    for panel in panels(observation, observation.legal_actions):
        for element in xml(panel.svg).iter():
            if "id" in element.attrib:
                yield element.attrib["id"]


@check_once
def compiles_for_gpus(case: Case) -> None:
    """The kernel of batches, which has all rules, observations and greedy bots in it, compiles to PTX.

    It needs numba-cuda. Its fractions are rounded as on a processor.
    """
    from ..batch.cuda import available, contracted
    from ..batch.ptx_cache import kept_ptx

    if not available():
        raise Skipped("numba-cuda is not installed: pip install 'almunia[gpu]'.")
    text = kept_ptx(case.fast, "step_against")
    require(".entry" in text, "The kernel of batches did not compile to PTX.")
    require(".const" not in text, "There are tables in constant memory, where there is little room.")
    instead = "divide by a whole number where a fraction multiplies a term of a sum"
    require(not (found := contracted(text)), f"A graphics processor rounds otherwise in {found[:3]}: {instead}.")
