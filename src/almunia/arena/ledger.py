"""The ledger of a match: its terms, and a row for every play, in a folder that can be gone on with.

Rows are added as Parquet files, each written whole or not at all, so an interruption loses at most
the plays that were under way, and what is there is never played again.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import MissingExtra, SetupError
from ..files import whole

TERMS = "terms.json"
Row = dict[str, Any]


@dataclass(frozen=True)
class Terms:
    """What a match is about: everything its plays depend on."""

    game: str
    rules_version: int
    components: str
    seats: int
    options: dict[str, str]
    seed: int


class Ledger:
    """The rows of a match, in memory and, if it has a folder, on disk."""

    def __init__(self, terms: Terms, folder: Path | None = None) -> None:
        self.terms, self._folder = terms, folder
        self.rows: list[Row] = []
        if folder is not None:
            self._open(folder)

    def _open(self, folder: Path) -> None:
        self._parquet = parquet()
        file = folder / TERMS
        if file.is_file():
            self._check(json.loads(file.read_text("utf-8")))
        elif folder.is_dir() and any(folder.iterdir()):
            raise SetupError(f"The folder {str(folder)!r} holds something else than a match. Name a new one.")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            with whole(file) as draft:
                draft.write_text(json.dumps(asdict(self.terms), indent=2) + "\n", "utf-8")
        for part in sorted(folder.glob("plays-*.parquet")):
            self.rows += self._parquet.read_table(part).to_pylist()

    def _check(self, found: Mapping[str, Any]) -> None:
        for name, value in asdict(self.terms).items():
            if found.get(name) != value:
                raise SetupError(
                    f"The match in {str(self._folder)!r} has {name} {found.get(name)!r}, not {value!r}: "
                    "go on with the same, or name another folder."
                )

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows, on disk first."""
        rows = list(rows)
        if self._folder is not None and rows:
            import pyarrow as pa

            number = len(list(self._folder.glob("plays-*.parquet")))
            with whole(self._folder / f"plays-{number:05}.parquet") as draft:
                self._parquet.write_table(pa.Table.from_pylist(rows), draft)
        self.rows += rows


def parquet() -> Any:
    """What reads and writes Parquet; MissingExtra if it is not installed."""
    try:
        from pyarrow import parquet as module
    except ImportError:
        raise MissingExtra("A match on disk needs the package pyarrow: pip install 'almunia[arena]'.") from None
    return module
