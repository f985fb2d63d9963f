"""Pictures as text: rounded numbers, pictures that are drawn once, and choices that are added to them."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from xml.etree import ElementTree as ET

import pytest
import svg
from hypothesis import given, strategies as st

import almunia
from almunia.core.contract import SPECTATOR, Overlay, Panel, Role
from almunia.core.svg import canvas, clickable, group_at, rect
from almunia.play.panels import (
    PictureCache,
    assemble,
    describe_panels,
    draw_picture,
    panels,
    render_overlay,
    render_overlays,
    round_numbers,
)

from ..tiers import games

SIZE = svg.ViewBoxSpec(0, 0, 8, 4)


def plainly(text: str) -> str:
    """Round numbers as `round_numbers` does, by one slow expression."""
    return re.sub(r"[0-9]+[.][0-9]{4,}", lambda found: f"{float(found[0]):.3f}".rstrip("0").rstrip("."), text)


@given(st.text("0129. -M", max_size=40))
def test_numbers_are_rounded_to_three_decimals(text):
    assert round_numbers(text) == plainly(text)


def test_numbers_in_paths_are_rounded():
    assert round_numbers("M9.99996 -0.00004L1.2345 1.234.56789 .12345") == "M10 -0L1.234 1.234.568 .12345"


# --- drawn once --------------------------------------------------------------------------------------


def dots(*radii: int) -> svg.SVG:
    """Draw a circle for each radius."""
    return canvas("Dots", SIZE, [svg.Circle(r=radius) for radius in radii], "dots")


def dotted(*radii: int) -> Panel:
    """Return a panel with circles."""
    return Panel("dots", "Dots", dots, radii, Role.BOARD)


def test_a_picture_is_drawn_once_for_its_function_and_its_key():
    cache = PictureCache()
    first = cache.get(dotted(1, 2))
    assert cache.get(Panel("others", "Other dots", dots, (1, 2))) is first
    assert cache.get(dotted(2, 1)) != first
    assert (cache.drawn_count, len(cache)) == (2, 2)
    assert first == draw_picture(dotted(1, 2))
    assert first.size == (8.0, 4.0)
    cache.clear()
    assert cache.get(dotted(1, 2)) == first
    assert cache.drawn_count == 3


def test_the_pictures_that_have_not_been_used_for_longest_are_dropped():
    size = len(draw_picture(dotted(1)).svg)
    cache = PictureCache(max_bytes=4 * size)  # a string has a header of its own
    kept = [cache.get(dotted(radius)) for radius in (1, 2)]
    assert cache.get(dotted(1)) is kept[0]
    for radius in (3, 4):
        cache.get(dotted(radius))
    assert len(cache) < 4
    drawn = cache.drawn_count
    cache.get(dotted(4))
    assert cache.drawn_count == drawn
    cache.get(dotted(2))
    assert cache.drawn_count == drawn + 1
    assert PictureCache(max_bytes=0).get(dotted(5)).svg == dots(5).as_str()


def test_threads_get_the_same_pictures():
    cache, all_ready = PictureCache(max_bytes=3000), Barrier(4)

    def draw(first: int) -> list[str]:
        all_ready.wait(30)
        return [cache.get(dotted((first + i) % 20)).svg for i in range(200)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(draw, range(4)))
    for first, texts in enumerate(found):
        assert texts == [dots((first + i) % 20).as_str() for i in range(200)]
    cache.clear()
    assert len(cache) == 0


@pytest.mark.parametrize("name", games())
def test_viewers_of_equal_panels_share_a_picture(name):
    """The board of most games is the same for all; a player who comes back draws nothing."""
    play, cache = almunia.game(name, "plain").new(seats=2, seed=2), PictureCache()
    for seat in (*range(play.seats), SPECTATOR):
        panels(play.observe(seat), cache=cache)
    drawn = cache.drawn_count
    seen = play.observe(play.turn)
    with_choices = panels(seen, seen.legal_actions, cache)
    for seat in (*range(play.seats), SPECTATOR):
        panels(play.copy().observe(seat), cache=cache)
    assert cache.drawn_count == drawn
    without = panels(seen, cache=cache)
    assert [panel.digest for panel in with_choices] != [panel.digest for panel in without]
    assert [panel._replace(svg="", digest="") for panel in with_choices] == [
        panel._replace(svg="", digest="") for panel in without
    ]


# --- choices -----------------------------------------------------------------------------------------


def nested() -> svg.SVG:
    """Draw groups in groups."""
    inner = svg.G(id="inner", class_=["piece"], elements=[svg.Circle(r=1), svg.G(elements=[svg.Circle(r=2)])])
    outer = svg.G(id="outer", elements=[inner, svg.G(id="empty"), svg.Circle(id="dot", r=3)])
    return canvas("Nested", SIZE, [outer, svg.Circle(r=4)], "toy")


def over(*overlays: Overlay) -> ET.Element:
    """Return the picture of `nested` with overlays."""
    (panel,) = assemble([Panel("nested", "Nested", nested, ())], map(render_overlay, overlays), PictureCache())
    return ET.fromstring(panel.svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def test_overlays_are_drawn_at_the_end_of_their_target_in_their_order():
    last = Overlay("nested", drawing=svg.Circle(r=9))
    picture = over(last, Overlay("nested", "inner", svg.Circle(r=7)), Overlay("nested", "inner", svg.Circle(r=8)))
    inner, outer = picture.find(".//*[@id='inner']"), picture.find(".//*[@id='outer']")
    assert [piece.get("r") for piece in inner.iter("circle")] == ["1", "2", "7", "8"]
    assert [piece.get("r") for piece in outer.iter("circle")] == ["1", "2", "7", "8", "3"]
    assert [piece.get("r") for piece in picture.iter("circle")] == ["1", "2", "7", "8", "3", "4", "9"]
    assert picture.get("role") == "group"
    assert over().get("role") == "img"


def test_overlays_add_attributes_and_classes():
    picture = over(
        Overlay.clickable("nested", "inner", 7, group_at(1, 2)),
        Overlay("nested", "outer", data={"part": "card", "value": "a > b"}, classes=("far", "away")),
        Overlay.clickable("nested", "dot", 8, is_good=True),
    )
    inner, outer, dot = (picture.find(f".//*[@id='{name}']") for name in ("inner", "outer", "dot"))
    assert (inner.get("class"), inner.get("data-action"), inner[-1].tag) == ("target piece", "7", "g")
    assert (outer.get("class"), outer.get("data-part"), outer.get("data-value")) == ("far away", "card", "a > b")
    assert (dot.get("class"), dot.get("data-action")) == ("target good", "8")


@pytest.mark.parametrize(
    ("overlay", "fault"),
    [
        (Overlay("nested", "nowhere", svg.Circle(r=1)), "element 'nowhere', which the picture lacks"),
        (Overlay("nested", "empty", svg.Circle(r=1)), "element 'empty', which is empty"),
        (Overlay("market", drawing=svg.Circle(r=1)), "panel 'market'; there are: nested"),
    ],
)
def test_an_overlay_without_a_place_is_an_error(overlay, fault):
    with pytest.raises(ValueError, match=fault):
        over(overlay)


@pytest.mark.parametrize("name", games())
def test_overlays_change_no_other_part_of_a_picture(name):
    """Without what the overlays add, the picture of a player who may choose is the picture of those who watch."""
    play = almunia.game(name, "plain").new(seats=2, seed=3)
    for _ in range(30):
        seen = play.observe(play.turn)
        added = render_overlays(seen, seen.legal_actions)
        plain = {panel.name: draw_picture(panel).svg for panel in describe_panels(seen)}
        for panel in panels(seen, seen.legal_actions):
            text = panel.svg.replace(' role="group"', ' role="img"', 1) if plain[panel.name] != panel.svg else panel.svg
            for overlay in added:
                if overlay.panel == panel.name:
                    for part in filter(None, (overlay.svg, overlay.attributes, overlay.classes)):
                        text = text.replace(part, "", 1)
            assert text == plain[panel.name]
        play.apply(play.legal_actions[-1])
        if play.over:
            break


def test_attributes_need_an_element():
    with pytest.raises(ValueError, match="whose id is missing"):
        Overlay("nested", data={"action": 7})


def test_choices_can_need_more_room():
    play = almunia.game("orchard", "plain").new(seats=1, seed=1)
    seen = play.observe(0)
    (plain, _), (chosen, _) = panels(seen), panels(seen, seen.legal_actions)
    assert plain.size < chosen.size
    *_, width, height = map(float, ET.fromstring(chosen.svg).get("viewBox").split())
    assert (width, height) == pytest.approx(chosen.size)
    assert plain.svg == panels(play.observe(SPECTATOR))[0].svg


def test_a_clickable_area_can_be_an_overlay():
    (panel,) = assemble(
        [Panel("nested", "Nested", nested, ())],
        [render_overlay(Overlay("nested", "inner", clickable(rect(0, 0, 4, 2, "frame"), 7, "Buy it")))],
        PictureCache(),
    )
    assert '<rect class="target frame" x="0" y="0" width="4" height="2" rx="8" data-action="7">' in panel.svg
