"""Run the notebooks of docs/notebooks and store their outputs: `python -m tools.notebooks [NAME ...]`.

It needs nbclient and ipykernel, which are in no extra: `pip install nbclient ipykernel`.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
TIMEOUT_SECONDS = 1800  # of a cell


def run(path: Path) -> None:
    """Run a notebook and store its outputs in it, without standard error, which differs from machine to machine."""
    nbformat: Any = import_module("nbformat")
    notebook = nbformat.read(path, 4)
    resources = {"metadata": {"path": str(path.parent)}}
    import_module("nbclient").NotebookClient(notebook, timeout=TIMEOUT_SECONDS, resources=resources).execute()
    stored = json.loads(path.read_text("utf-8"))
    for cell, executed_cell in zip(stored["cells"], json.loads(nbformat.writes(notebook))["cells"], strict=True):
        if cell["cell_type"] == "code":
            cell["outputs"] = [output for output in executed_cell["outputs"] if output.get("name") != "stderr"]
            cell["execution_count"] = executed_cell["execution_count"]
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")):
        run(NOTEBOOKS / f"{name}.ipynb")
