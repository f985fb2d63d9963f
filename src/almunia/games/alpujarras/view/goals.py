"""The goals of Alpujarras: their requirements, the rewards of their spaces, and the farmers there."""

from itertools import product
from textwrap import wrap

import svg

from ....core.contract import Overlay
from ....core.svg import cached_drawing, canvas, group_at, label, rect, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.goals import can_complete
from ..rules.state import COVERED, FREE, GOAL
from ..text.words import GOAL_IDS, GOALS, goal_reward
from .drawing import dirhems, farmers_figure, number_on
from .landscape import Choices, choice, target

WIDTH = 300
GOAL_Y = 45  # from one goal to the next
SPACE_X = 41  # the width of a space


Goal = tuple[int, bool, tuple[int, ...]]  # goal, whether it can be completed now, and the owners of its spaces


def goals_of(s: State) -> tuple[Goal, ...]:
    spaces = range(box.GOAL_SPACES)
    return tuple(
        (
            s.goal[card],
            bool(can_complete(s, card)) and not s.over,
            tuple(s.claimed[card, space] for space in spaces),
        )
        for card in range(box.GOAL_CARDS)
    )


def goals(*shown: Goal) -> svg.SVG:
    elements: list[svg.Element] = [goal_card(*goal, GOAL_Y * card) for card, goal in enumerate(shown)]
    frame = svg.ViewBoxSpec(0, 0, WIDTH, GOAL_Y * box.GOAL_CARDS)
    return canvas("Goals", frame, elements, "alpujarras")


def over_goals(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the goal spaces that can be chosen."""
    found: list[Overlay] = []
    for card, space in product(range(box.GOAL_CARDS), range(box.GOAL_SPACES)):
        area = rect(-SPACE_X / 2, 1 - GOAL_Y / 2, SPACE_X, GOAL_Y - 2)
        drawn = target(choice(choices, GOAL + card * box.GOAL_SPACES + space), area)
        found += [Overlay("goals", space_id(s.goal[card], space), drawing) for drawing in drawn]
    return found


def goal_card(goal: int, met: bool, owners: tuple[int, ...], y: float) -> svg.G:
    spaces = (goal_space(goal, space, owner) for space, owner in enumerate(owners))
    return group_at(0, y, goal_name(goal, met), *spaces, name=f"goal-{GOAL_IDS[goal]}")


def space_id(goal: int, space: int) -> str:
    return f"goal-{GOAL_IDS[goal]}-{space + 1}"


@cached_drawing
def goal_name(goal: int, met: bool) -> list[svg.Element]:
    lines = wrap(GOALS[goal], 18)
    first = GOAL_Y / 2 + 5 - 8.5 * (len(lines) - 1)
    found: list[svg.Element] = [label(line, 2, first + 17 * i, "goal-name") for i, line in enumerate(lines)]
    ticked = group_at(123, 9, svg.Title(text="Can be completed now"), use("icon-goal", 0, 0, 0.75))
    return [*found, ticked] if met else found


@cached_drawing
def goal_space(goal: int, space: int, owner: int) -> svg.G:
    paid, norias = int(box.GOAL_DIRHEMS[goal, space]), int(box.GOAL_NORIAS[goal, space])
    reward = dirhems(paid) if paid else number_on("icon-noria", norias)
    state = {FREE: "free", COVERED: "covered for the whole game"}.get(owner, f"player {owner + 1}")
    elements: list[svg.Element] = [
        svg.Title(text=f"{goal_reward(goal, space)}: {state}"),
        svg.Circle(class_=["goal-space", *(["shut"] if owner == COVERED else [])], r=19),
        group_at(0, 0, *reward, scale=1.2),
    ]
    if owner == COVERED:
        elements.append(shape("M-13-13L13 13M13-13L-13 13", "crossed"))
    elif owner != FREE:
        elements.append(group_at(0, 1, farmers_figure(owner, 1, 0, 0, 1.2)))
    return group_at(goal_space_x(space), GOAL_Y / 2, *elements, name=space_id(goal, space))


def goal_space_x(space: int) -> int:
    """Return the x of the middle of a goal space."""
    return WIDTH - 21 - 42 * (box.GOAL_SPACES - 1 - space)
