"""Colours that distinguish things are far enough apart for all kinds of colour vision, in light and dark."""

from itertools import combinations, product

import pytest

from ..colours import ciede2000, contrast, difference
from .settling import STILL

APART = 8.5  # CIEDE2000, about four times the smallest visible difference
EYES = {
    "deuteranopia": ("deuteranopia", "protanopia", "usual"),
    "tritanopia": ("tritanopia", "usual"),
    "contrast": ("usual",),
}
SEATS = tuple(f"seat-{number}" for number in range(6))
CODED = {  # custom properties with colours that must be distinct, in groups
    "alhambra": (
        ("pavilion", "seraglio", "arcades", "chambers", "garden", "tower"),
        ("florin", "dirham", "denar", "ducat"),
    ),
    "alpujarras": (("orange", "lemon", "apple", "cherry", "grape"),),
    "caylus": (("food", "wood", "stone", "cloth", "gold"),),
    "orchard": (("apple", "pear", "plum", "rot"),),
    "oregon": (("settler", "wagon", "campfire", "bison", "eagle"), ("plain", "mountain", "rail", "water")),
}
READ = {  # custom properties: the colour of a text and of its background
    "orchard": (("on-fruit", "apple"), ("on-pear", "pear"), ("on-fruit", "plum")),
    "oregon": tuple(("on-farmer", f"farmer-{number}") for number in range(4)),
}
READ_EVERYWHERE = tuple((name, ground) for name in (*SEATS, "ink", "soft", "tile") for ground in ("paper", "wall"))

# Return the values of custom properties in a game's pictures, for a palette.
COMPUTED = """([colours, game, names]) => {
    document.documentElement.dataset.colours = colours;
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("class", game);
    document.body.append(picture);
    const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const found = names.map((name) => {
        picture.style.color = `var(--${name})`;
        pixel.fillStyle = getComputedStyle(picture).color;
        pixel.fillRect(0, 0, 1, 1);
        return [...pixel.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    });
    picture.remove();
    return found;
}"""


@pytest.mark.browser
@pytest.mark.exhaustive
def test_colours_are_distinguishable_and_text_is_legible(come, address):
    page = come(**STILL)
    found = []
    for game, groups in CODED.items():
        form = {"seat-0": "me", "seat-1": "here"}
        answer = page.request.post(f"/games/{game}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        read = (*READ_EVERYWHERE, *READ.get(game, ()))
        names = sorted({name for group in (SEATS, *groups, *read) for name in group})
        for scheme, colours in product(("light", "dark"), ("usual", *EYES)):
            page.emulate_media(color_scheme=scheme)
            values = page.evaluate(COMPUTED, [colours, game, names])
            known = {name: tuple(value / 255 for value in rgb) for name, rgb in zip(names, values, strict=True)}
            look = (game, scheme, colours)
            found += [(*look, *pair) for pair in too_near((SEATS, *groups), known, EYES.get(colours, ()))]
            found += [(*look, *pair) for pair in read if contrast(*(known[name] for name in pair)) < 4.5]
    assert found == []


def too_near(groups, known, eyes):
    """Return the pairs within a group that are too similar for a kind of colour vision."""
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    return [
        (one, other, kind)
        for one, other in pairs
        for kind in eyes
        if difference(known[one], known[other], kind) < APART
    ]


def test_the_formulas():
    """The expected CIEDE2000 differences were published by Sharma, Wu and Dalal."""
    for one, other, known in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ):
        assert ciede2000(one, other) == pytest.approx(known, abs=5e-5)
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
