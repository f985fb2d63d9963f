"""The fonts of the site: what a page fetches, and that nothing moves when a font arrives."""

import pytest

from almunia.server.web.templating import STATIC

pytestmark = pytest.mark.browser

MAX_LATIN_BYTES = 56 * 1024
LATIN = {
    "alegreya-latin-800-normal.woff2",
    "source-sans-3-latin-400-normal.woff2",
    "source-sans-3-latin-600-normal.woff2",
}
MAX_SHIFT = 0.01  # of the window; a browser counts a page as steady below 0.1
# Shifts of the layout so far, counted as browsers do.
SHIFT = """() => new Promise((done) => {
    const sum = (list) => list.getEntries().reduce((total, entry) => total + entry.value, 0);
    const observer = new PerformanceObserver((list) => done(sum(list)));
    observer.observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum({ getEntries: () => observer.takeRecords() })), 500);
})"""
# The width of a line in each stand-in that is installed, as a share of its width in the site's font.
WIDTHS = """([family, weight, words]) => {
    const pen = document.createElement("canvas").getContext("2d");
    const width = (name) => { pen.font = `${weight} 100px ${name}`; return pen.measureText(words).width; };
    const faces = [...document.fonts].filter((face) => face.weight.startsWith(weight) && /fitted/.test(face.family));
    return Promise.allSettled(faces.map((face) => face.load())).then((all) => Object.fromEntries(faces
        .filter((face, i) => all[i].status === "fulfilled")
        .map((face) => [face.family, width(face.family) / width(family)])));
}"""
PROSE = "Pick a game and play alone, with friends or against bots. You don't need an account to sit down at a table."


def fetched_fonts(page, address, path="/"):
    """Open a page, and return the names of the fonts that it has fetched."""
    names = []
    page.on("request", lambda request: names.append(request.url.rpartition("/")[2]))
    page.goto(f"{address}{path}")
    page.evaluate("document.fonts.ready")
    return {name for name in names if name.endswith(".woff2")}


def test_a_page_fetches_latin_only(come, address):
    assert fetched_fonts(come(), address) == LATIN
    assert sum((STATIC / "vendor" / name).stat().st_size for name in LATIN) <= MAX_LATIN_BYTES


def test_names_with_other_latin_letters_fetch_their_font(come, address):
    page = come()
    page.request.post("/preferences", form={"name": "Łucja Žižková"}, headers={"Origin": address})
    fetched = fetched_fonts(page, address, "/lobby")
    assert "source-sans-3-latin-ext-400-normal.woff2" in fetched
    assert "alegreya-latin-ext-800-normal.woff2" not in fetched


@pytest.mark.parametrize("path", ["/", "/games/oregon", "/lobby"])
def test_nothing_moves_when_the_fonts_arrive(come, address, path):
    page, held = come(), []
    page.route("**/*.woff2", lambda route: held.append(route))  # noqa: PLW0108 - Playwright counts the parameters
    page.goto(f"{address}{path}", wait_until="domcontentloaded")
    page.wait_for_function("() => [...document.images].every((one) => one.complete)")
    before = page.evaluate("document.querySelector('h1').getBoundingClientRect().height")
    assert page.evaluate("document.fonts.status") == "loading"
    for route in held:
        route.continue_()
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('800 20px Alegreya')")
    assert page.evaluate("document.querySelector('h1').getBoundingClientRect().height") == pytest.approx(before, abs=1)
    assert page.evaluate(SHIFT) <= MAX_SHIFT


@pytest.mark.parametrize(
    ("family", "weight", "stand_ins"),
    [
        ("Alegreya", "800", ("Georgia", "DejaVu Serif", "Noto Serif", "Times")),
        ('"Source Sans 3"', "400", ("Arial", "Roboto", "DejaVu Sans", "Noto Sans")),
        ('"Source Sans 3"', "600", ("Arial", "Roboto", "DejaVu Sans", "Noto Sans")),
    ],
)
def test_stand_ins_are_as_wide(come, address, family, weight, stand_ins):
    page = come()
    fetched_fonts(page, address)
    page.evaluate("font => document.fonts.load(font)", f"{weight} 20px {family}")
    widths = page.evaluate(WIDTHS, [family, weight, PROSE])
    known = [f"{name} fitted" for name in stand_ins]
    found = {name.strip('"'): share for name, share in widths.items() if name.strip('"') in known}
    assert found, "none of the stand-ins is installed here"
    assert found == pytest.approx(dict.fromkeys(found, 1), abs=0.03)
