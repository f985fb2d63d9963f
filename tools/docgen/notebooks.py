"""The notebooks as pages: their words and code, for readers without Jupyter."""

import json
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


def pages() -> dict[str, str]:
    """A page for each notebook, by its place in docs/."""
    return {f"notebooks/{path.stem}.md": page(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


def page(path: Path) -> str:
    """A notebook in Markdown, its title first; links between notebooks lead from page to page."""
    title, *blocks = map(block, json.loads(path.read_text("utf-8"))["cells"])
    heading, _, words = title.partition("\n\n")
    text = "\n\n".join([words, *blocks]).replace(".ipynb)", ".md)")
    note = f"This page shows a notebook without its output, which is in the file: [download it]({path.name})."
    return f"{heading}\n\n{note}\n\n{text}\n"


def block(cell: dict[str, str]) -> str:
    """One of its cells."""
    text = "".join(cell["source"])
    return f"```python\n{text}\n```" if cell["cell_type"] == "code" else text
