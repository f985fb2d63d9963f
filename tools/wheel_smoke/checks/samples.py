"""Run the samples of a page in order: python -m tools.wheel_smoke.checks.samples docs/pettingzoo.md

Python blocks with prompts run as doctests, others are executed. All blocks of a page share their names.
"""

import os
import re
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTestParser, DocTestRunner
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import HOME

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(page: Path) -> int:
    """Run the samples of a page, and return their number. A failure ends the process."""
    names: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text("utf-8")
    blocks = list(BLOCK.finditer(text))
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        if block[1].lstrip().startswith(">>>"):
            run_doctest(block[1], names, page.name, line)
        else:
            exec(compile("\n" * line + block[1], page.name, "exec"), names)  # noqa: S102 - a page of ours
    return len(blocks)


def run_doctest(source: str, names: dict[str, Any], page: str, line: int) -> None:
    """Run a block with prompts, and add its definitions to `names`."""
    test = DocTestParser().get_doctest(source, names, page, page, line)
    runner = DocTestRunner(optionflags=ELLIPSIS | NORMALIZE_WHITESPACE)
    failures = runner.run(test, clear_globs=False).failed
    names.update(test.globs)
    if failures:
        sys.exit(f"{failures} of the samples of {page} from line {line} on failed.")


if __name__ == "__main__":
    page = HOME / sys.argv[1]
    with TemporaryDirectory() as scratch:
        os.chdir(scratch)
        count = run_page(page)
        os.chdir(HOME)
    print(f"{page.name}: {count} samples", flush=True)
