"""The diagram of the package: each part above the parts that it imports, read from the sources."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from textwrap import wrap

import svg

PACKAGE = Path(__file__).parents[2] / "src" / "almunia"
# Folders without modules of a part.
SKIPPED_FOLDERS = {"__pycache__", "tests", "template", "static", "templates", "vendor"}
WIDTH, MARGIN, GAP, ROW_GAP = 960, 16, 24, 44
LINE, LETTER = 17, 6.3  # height of a small line, and width of a letter, in pixels
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #2b2119 } .name { font: 600 16px system-ui, sans-serif }
.says { font-style: italic } .part { fill: #f6efe4; stroke: #8a6d4b } .arrow { stroke: #8a6d4b; fill: none }
.head { fill: #8a6d4b }
@media (prefers-color-scheme: dark) {
  text { fill: #efe6da } .part { fill: #2b241d; stroke: #b6946b } .arrow { stroke: #b6946b } .head { fill: #b6946b }
}
"""


def draw_diagram() -> str:
    """Return the diagram as SVG."""
    needs = imports()
    rows = layers(needs)
    boxes, y = {}, float(MARGIN)
    for row in rows:
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        texts_by_part = {part: [wrap(said, int(width / LETTER) - 3) for said in describe_part(part)] for part in row}
        height = max(40 + LINE * (len(says) + len(names)) for says, names in texts_by_part.values())
        for i, part in enumerate(row):
            boxes[part] = (MARGIN + i * (width + GAP), y, width, height, *texts_by_part[part])
        y += height + ROW_GAP
    elements: list[svg.Element] = [svg.Style(text=STYLE)]
    elements += [
        draw_arrow(boxes[part], boxes[other]) for part in sorted(boxes) for other in sorted(direct_imports(part, needs))
    ]
    elements += [element for part in sorted(boxes) for element in draw_box(part, *boxes[part])]
    title = svg.Title(text="The parts of Almunia: each imports only those that arrows lead to, and what is below them")
    return svg.SVG(viewBox=f"0 0 {WIDTH} {y - ROW_GAP + MARGIN:.0f}", elements=[title, *elements]).as_str() + "\n"


def imports() -> dict[str, set[str]]:
    """Return the other parts that each part imports, at the top of a module or later."""
    parts = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file())
    return {
        part: {other for path in modules(part) for other in imported_parts(path) if other in parts} - {part}
        for part in parts
    }


def modules(part: str) -> list[Path]:
    """Return the modules of a part."""
    paths = sorted((PACKAGE / part).rglob("*.py"))
    return [path for path in paths if not SKIPPED_FOLDERS & set(path.relative_to(PACKAGE).parts)]


def imported_parts(path: Path) -> Iterator[str]:
    """Yield the parts that a module imports, also through a module that belongs to no part, such as `library`."""
    parts = path.relative_to(PACKAGE).parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == len(parts):
            for name in [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]:
                module = PACKAGE / f"{name}.py"
                yield from imported_parts(module) if module.is_file() else [name]


def layers(needs: dict[str, set[str]]) -> list[list[str]]:
    """Return the parts by rows, top down. A part's imports are in lower rows."""
    level: dict[str, int] = {}
    for part in TopologicalSorter(needs).static_order():
        level[part] = 1 + max((level[other] for other in needs[part]), default=-1)
    return [sorted(part for part in level if level[part] == n) for n in sorted(set(level.values()), reverse=True)]


def direct_imports(part: str, needs: dict[str, set[str]]) -> set[str]:
    """Return what a part imports, without what other imports of it import too."""
    return {
        other
        for other in needs[part]
        if not any(other in transitive_imports(way, needs) for way in needs[part] - {other})
    }


def transitive_imports(part: str, needs: dict[str, set[str]]) -> set[str]:
    """Return all parts that a part needs, directly or not."""
    return needs[part] | {far for other in needs[part] for far in transitive_imports(other, needs)}


def describe_part(part: str) -> tuple[str, str]:
    """Return the first line of a part's docstring, and the names of its modules."""
    summary = (ast.get_docstring(ast.parse((PACKAGE / part / "__init__.py").read_text("utf-8"))) or "").split("\n")[0]
    names = {path.relative_to(PACKAGE / part).with_suffix("").parts[0] for path in modules(part)} - {"__init__"}
    return summary, ", ".join(sorted(names))


def draw_box(
    part: str, x: float, y: float, width: float, height: float, says: list[str], names: list[str]
) -> list[svg.Element]:
    """Draw a part."""
    lines = [svg.Text(x=x + 12, y=y + 46 + LINE * i, text=words, class_=["says"]) for i, words in enumerate(says)]
    down = y + 46 + LINE * len(says)
    lines += [svg.Text(x=x + 12, y=down + LINE * i, text=words) for i, words in enumerate(names)]
    frame = svg.Rect(x=x, y=y, width=width, height=height + 6, rx=6, class_=["part"])
    return [frame, svg.Text(x=x + 12, y=y + 24, text=part, class_=["name"]), *lines]


def draw_arrow(above: tuple[float, ...], below: tuple[float, ...]) -> svg.G:
    """Draw an arrow from the foot of one box to the top of another."""
    start = above[0] + above[2] / 2
    end = min(max(start, below[0] + 0.2 * below[2]), below[0] + 0.8 * below[2])
    top, bottom = above[1] + above[3] + 6, below[1] - 1
    line = svg.Line(x1=round(start), y1=round(top), x2=round(end), y2=round(bottom - 6), class_=["arrow"])
    points = f"{end - 5:.0f},{bottom - 8:.0f} {end + 5:.0f},{bottom - 8:.0f} {end:.0f},{bottom:.0f}"
    return svg.G(elements=[line, svg.Polygon(points=points, class_=["head"])])  # type: ignore[arg-type]
