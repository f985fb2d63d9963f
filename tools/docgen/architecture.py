"""The drawing of the house: the parts of the package, one above those that it imports, read off the sources."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from textwrap import wrap

import svg

PACKAGE = Path(__file__).parents[2] / "src" / "almunia"
UNSEEN = {"__pycache__", "tests", "template", "static", "templates", "vendor"}  # folders that hold no modules of a part
WIDTH, MARGIN, GAP, BETWEEN = 960, 16, 24, 44
LINE, LETTER = 17, 6.3  # the height of a line of small words, and the width of a letter
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #2b2119 } .name { font: 600 16px system-ui, sans-serif }
.says { font-style: italic } .part { fill: #f6efe4; stroke: #8a6d4b } .arrow { stroke: #8a6d4b; fill: none }
.head { fill: #8a6d4b }
@media (prefers-color-scheme: dark) {
  text { fill: #efe6da } .part { fill: #2b241d; stroke: #b6946b } .arrow { stroke: #b6946b } .head { fill: #b6946b }
}
"""


def drawing() -> str:
    """The picture, as SVG."""
    needs = imports()
    rows = storeys(needs)
    boxes, y = {}, float(MARGIN)
    for row in rows:
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        words = {part: [wrap(said, int(width / LETTER) - 3) for said in content(part)] for part in row}
        height = max(40 + LINE * (len(says) + len(names)) for says, names in words.values())
        for i, part in enumerate(row):
            boxes[part] = (MARGIN + i * (width + GAP), y, width, height, *words[part])
        y += height + BETWEEN
    found: list[svg.Element] = [svg.Style(text=STYLE)]
    found += [arrow(boxes[part], boxes[other]) for part in sorted(boxes) for other in sorted(near(part, needs))]
    found += [element for part in sorted(boxes) for element in box(part, *boxes[part])]
    title = svg.Title(text="The parts of Almunia: each imports only those that arrows lead to, and what is below them")
    return svg.SVG(viewBox=f"0 0 {WIDTH} {y - BETWEEN + MARGIN:.0f}", elements=[title, *found]).as_str() + "\n"


def imports() -> dict[str, set[str]]:
    """Each part, with the others that it imports, at once or late."""
    parts = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file())
    return {
        part: {other for path in modules(part) for other in asked(path) if other in parts} - {part} for part in parts
    }


def modules(part: str) -> list[Path]:
    """The modules of a part."""
    found = sorted((PACKAGE / part).rglob("*.py"))
    return [path for path in found if not UNSEEN & set(path.relative_to(PACKAGE).parts)]


def asked(path: Path) -> Iterator[str]:
    """The parts that a module imports."""
    place = path.relative_to(PACKAGE).parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == len(place):
            yield from [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]


def storeys(needs: dict[str, set[str]]) -> list[list[str]]:
    """The parts by rows, top down; whatever a part imports is further down."""
    floor: dict[str, int] = {}
    for part in TopologicalSorter(needs).static_order():
        floor[part] = 1 + max((floor[other] for other in needs[part]), default=-1)
    return [sorted(part for part in floor if floor[part] == n) for n in sorted(set(floor.values()), reverse=True)]


def near(part: str, needs: dict[str, set[str]]) -> set[str]:
    """What a part imports, without what it reaches by way of another one."""
    return {other for other in needs[part] if not any(other in reached(way, needs) for way in needs[part] - {other})}


def reached(part: str, needs: dict[str, set[str]]) -> set[str]:
    """All that a part needs, directly or not."""
    return needs[part] | {far for other in needs[part] for far in reached(other, needs)}


def content(part: str) -> tuple[str, str]:
    """What a part is for, and the names of what is in it."""
    says = (ast.get_docstring(ast.parse((PACKAGE / part / "__init__.py").read_text("utf-8"))) or "").split("\n")[0]
    names = {path.relative_to(PACKAGE / part).with_suffix("").parts[0] for path in modules(part)} - {"__init__"}
    return says, ", ".join(sorted(names))


def box(
    part: str, x: float, y: float, width: float, height: float, says: list[str], names: list[str]
) -> list[svg.Element]:
    """One part."""
    lines = [svg.Text(x=x + 12, y=y + 46 + LINE * i, text=words, class_=["says"]) for i, words in enumerate(says)]
    down = y + 46 + LINE * len(says)
    lines += [svg.Text(x=x + 12, y=down + LINE * i, text=words) for i, words in enumerate(names)]
    frame = svg.Rect(x=x, y=y, width=width, height=height + 6, rx=6, class_=["part"])
    return [frame, svg.Text(x=x + 12, y=y + 24, text=part, class_=["name"]), *lines]


def arrow(above: tuple[float, ...], below: tuple[float, ...]) -> svg.G:
    """From the foot of one box to the top of another."""
    start = above[0] + above[2] / 2
    end = min(max(start, below[0] + 0.2 * below[2]), below[0] + 0.8 * below[2])
    top, bottom = above[1] + above[3] + 6, below[1] - 1
    line = svg.Line(x1=round(start), y1=round(top), x2=round(end), y2=round(bottom - 6), class_=["arrow"])
    points = f"{end - 5:.0f},{bottom - 8:.0f} {end + 5:.0f},{bottom - 8:.0f} {end:.0f},{bottom:.0f}"
    return svg.G(elements=[line, svg.Polygon(points=points, class_=["head"])])  # type: ignore[arg-type]
