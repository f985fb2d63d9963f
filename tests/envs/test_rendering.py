"""Positions as text, pictures and pixels, and the styles that only browsers support."""

import re
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import almunia
from almunia.catalog import game_packages
from almunia.core.loaded import LoadedGame
from almunia.envs import rendering
from almunia.envs.rendering import HEIGHT, MODES, WIDTH, render
from almunia.envs.svg_css import SVG, inline_styles


def drawn(styles: str, body: str) -> ET.Element:
    """Return the element with the id `it` in a small picture whose styles were inlined."""
    text = f'<svg xmlns="{SVG[1:-1]}" viewBox="0 0 9 9"><style>{styles}</style>{body}</svg>'
    return next(element for element in ET.fromstring(inline_styles(text, 90, 90)).iter() if element.get("id") == "it")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("var(--own)", "#123456"),
        ("var(--nothing, red)", "red"),
        ("var(--nothing, var(--own))", "#123456"),
        ("light-dark(var(--own), black)", "#123456"),
        ("color-mix(in srgb, black, white)", "rgba(128, 128, 128, 1.000)"),
        ("color-mix(in srgb, white 25%, black)", "rgba(64, 64, 64, 1.000)"),
        ("color-mix(in srgb, white, black 25%)", "rgba(191, 191, 191, 1.000)"),
        ("color-mix(in srgb, red 40%, transparent)", "rgba(255, 0, 0, 0.400)"),
        ("color-mix(in srgb, currentColor 50%, white)", "rgba(128, 255, 128, 1.000)"),
        ("url(#pattern)", "url(#pattern)"),
    ],
)
def test_colours_are_computed_as_in_a_browser(value, expected):
    sheet = f":root {{ --own: #123456; color: lime; }} rect {{ fill: {value}; }}"
    assert drawn(sheet, '<rect id="it" fill="blue"/>').get("fill") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("translate(var(--x), 4px) rotate(30deg)", "translate(3, 4) rotate(30)"),
        ("translate(calc(10px - 2 * var(--x)), calc(-1 * (1px + 2px)))", "translate(4, -3)"),
        ("scale(calc(1 / 4))", "scale(0.25)"),
        ("translate(calc(1px + 6px / 2 * 2 - 3px), 0)", "translate(4, 0)"),
    ],
)
def test_lengths_are_computed(value, expected):
    found = drawn(f"g {{ transform: {value}; }}", '<g id="it" style="--x: 3px"/>')
    assert found.get("transform") == expected


def test_precedence_of_rules_without_those_for_dark_or_narrow_pages():
    sheet = """
        .a.b { fill: red; } .a { fill: blue; stroke: var(--unknown); }
        .a:hover { fill: black; } .a::first-letter { fill: black; } .a:unheard-of { fill: black; }
        @media (prefers-color-scheme: dark) { .a.b { fill: black; } }
        @media (max-width: 40rem) { .a.b { fill: black; } }
        @media (min-width: 60rem) { .a { stroke-width: 2px; } }
    """
    found = drawn(sheet, '<g class="a b" id="it" stroke="green"/>')
    assert (found.get("fill"), found.get("stroke"), found.get("stroke-width")) == ("red", "green", "2px")


def test_the_font_shorthand_is_expanded():
    found = drawn(":root { --f: 'Some Serif', serif; } text { font: 600 13px var(--f); }", '<text id="it">x</text>')
    assert [found.get(f"font-{part}") for part in ("weight", "size", "family")] == [
        "600",
        "13px",
        '"Some Serif", serif',
    ]


def test_used_elements_inherit_from_the_place_of_use():
    body = """
        <defs><g id="coin"><circle class="face" r="2"/></g></defs>
        <g id="it"><use class="gold" href="#coin" x="3" y="4"/><use class="tin" href="#coin" transform="scale(2)"/></g>
    """
    sheet = ".face { fill: var(--coin); } .gold { --coin: gold; } .tin { --coin: silver; }"
    gold, tin = drawn(sheet, body)
    assert (gold.get("transform"), tin.get("transform")) == ("translate(3 4)", "scale(2) translate(0 0)")
    assert [one.get("fill") for use in (gold, tin) for one in use.iter(f"{SVG}circle")] == ["gold", "silver"]
    assert gold.tag == f"{SVG}g"
    assert not [one for use in (gold, tin) for one in use.iter() if one.get("id")]


@pytest.mark.slow
@pytest.mark.parametrize("name", game_packages())
def test_every_game_is_shown_in_every_mode(name, capsys):
    game = almunia.game(name, "plain")
    observation = game.new(seed=2).observe(0)
    assert render(observation, "ansi") == observation.board()
    assert render(observation, "svg") == observation.svg()
    assert render(observation, "human") is None
    assert capsys.readouterr().out == observation.board() + "\n"
    assert not re.search(r"\b(?:var|calc|color-mix|light-dark)\(", inline_styles(observation.svg(), 900, 600))
    frame = render(observation, "rgb_array")
    assert (frame.shape, frame.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 100


def test_pixels_have_words():
    """A renderer without a suitable font leaves out all words silently."""
    with_words = rendering.pixels(rendering.PROBE.format("sans-serif"))
    assert (with_words < 128).any()
    assert (rendering.pixels(rendering.PROBE.format("sans-serif").replace("M", "")) == 255).all()


def test_a_missing_font_is_logged(caplog):
    assert rendering.first_installed_font(("Nonsuch Sans",)) == "Nonsuch Sans"
    assert caplog.messages == ["None of the fonts Nonsuch Sans is installed, so pictures have no words."]


def test_errors_are_explained(monkeypatch):
    observation = almunia.game("oregon", "plain").new(seed=2).observe(0)
    with pytest.raises(almunia.SetupError, match=r"no render mode 'rgb'\. There are: human, ansi, svg, rgb_array\."):
        render(observation, "rgb")
    with pytest.raises(almunia.SetupError, match=r"made without a render mode\. Make it with render_mode='human' or"):
        render(observation, None)
    assert set(MODES) == {"human", "ansi", "svg", "rgb_array"}
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(almunia.MissingExtra, match=r"the package resvg-py, .* pip install 'almunia\[images\]'"):
        rendering.require_resvg()
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(almunia.MissingExtra, match=r"the package PIL, .* pip install 'almunia\[images\]'"):
        rendering.pixels("<svg/>")


def test_a_missing_package_of_pictures_is_named(monkeypatch):
    def view(_):
        raise ModuleNotFoundError(name="svg")

    observation = almunia.game("oregon", "plain").new(seed=2).observe(0)
    monkeypatch.setitem(sys.modules, "svg", None)
    monkeypatch.setattr(LoadedGame, "view", property(view))
    with pytest.raises(almunia.MissingExtra, match=r"the package svg.py, .* pip install 'almunia\[cli\]'"):
        observation.svg()
