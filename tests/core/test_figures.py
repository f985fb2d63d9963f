"""Figures of the rules: their syntax, and the mistakes that are refused."""

import pytest

import almunia
from almunia.errors import SetupError
from almunia.figures import Figure, figures_in, render_figure, with_definitions

RULES = """# Rules

- **1.1** A place. [See here](tests/scenarios/inside.txt) how.

[It fits: both are apples,
here.](tests/scenarios/place.txt "hand card-1 card-2")

- **1.2** Another.

[The whole board.](tests/scenarios/board.txt)
"""


@pytest.fixture
def game():
    return almunia.game("oregon", "plain")


def test_a_paragraph_that_is_a_link_to_a_scenario_is_a_figure():
    assert list(figures_in(RULES)) == [
        Figure("It fits: both are apples, here.", "tests/scenarios/place.txt", "hand", ("card-1", "card-2")),
        Figure("The whole board.", "tests/scenarios/board.txt", "board", ()),
    ]


def test_a_figure_shows_the_end_of_its_scenario(game):
    (church, *_) = (
        figure for figure in figures_in(game.file("RULES.md").read_text("utf-8")) if "church" in figure.scenario
    )
    panel = render_figure(game, church)
    assert panel.role == "board"
    assert all(f'id="{name}"' in panel.svg for name in church.highlighted)


@pytest.mark.parametrize(
    ("scenario", "title", "sentence"),
    [
        ("tests/scenarios/none.txt", "", "which does not exist"),
        ("tests/scenes.py", "", "which does not exist"),
        ("tests/scenarios/church.txt", "attic", "shows no panel 'attic'; there are: board"),
        ("tests/scenarios/church.txt", "board roof", "highlights roof, which it does not show"),
    ],
)
def test_a_figure_with_an_unknown_scenario_or_panel_is_refused(game, scenario, title, sentence):
    with pytest.raises(SetupError, match=sentence):
        render_figure(game, Figure.of("A church.", scenario, title))


def test_a_figure_includes_definitions_of_other_pictures():
    start = '<svg xmlns="http://www.w3.org/2000/svg">'
    here = f'{start}<use href="#coin"/><use href="#own"/><g id="own"/></svg>'
    there = f'{start}<g id="coin"><use href="#edge"/></g><circle id="edge"/><g id="x"/></svg>'
    assert with_definitions(here, [here, there]) == here.replace(
        "<use", '<defs><g id="coin"><use href="#edge" /></g><circle id="edge" /></defs><use', 1
    )
    assert with_definitions(there, [here]) == there
