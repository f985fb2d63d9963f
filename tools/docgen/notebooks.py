"""The notebooks as pages, with their text and code, for readers without Jupyter."""

import json
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


def pages() -> dict[str, str]:
    """Return a page for each notebook, by its path in docs/."""
    return {f"notebooks/{path.stem}.md": render_page(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


def render_page(path: Path) -> str:
    """Return a notebook in Markdown. Links between notebooks become links between pages."""
    title, *blocks = map(render_cell, json.loads(path.read_text("utf-8"))["cells"])
    heading, _, words = title.partition("\n\n")
    text = "\n\n".join([words, *blocks]).replace(".ipynb)", ".md)")
    note = f"This page shows a notebook without its output, which is in the file: [download it]({path.name})."
    return f"{heading}\n\n{note}\n\n{text}\n"


def render_cell(cell: dict[str, str]) -> str:
    """Return a cell in Markdown."""
    text = "".join(cell["source"])
    return f"```python\n{text}\n```" if cell["cell_type"] == "code" else text
