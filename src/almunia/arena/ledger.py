"""The ledger of a match: its terms, and a row for every play, in a folder from which it can be resumed.

Rows are kept as Parquet files, each written whole or not at all: when a play ends ten seconds or more after the last
was written, and at the end. So an interruption loses the plays that were under way, a breakdown of the machine the last
few besides, and what is there is never played again.

Where a program of somebody's own plays deals whose seed nobody gave, what is in the folder while it runs does not
tell it the cards: rows are kept without seeds, and the terms have theirs only before and after. So such a match
goes on after an interruption, but not after a breakdown.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex
from time import monotonic, time_ns
from typing import Any

from ..errors import MissingExtra, SetupError
from ..files import whole, write

TERMS = "terms.json"
PARTS = "plays-*.parquet"
OFTEN = 10.0  # seconds between two writes
MOST = 64  # rows between two writes

Row = dict[str, Any]
Key = tuple[int, str, tuple[str, ...]]  # which play of a match: its deal, its pairing, the bots by seat


@dataclass(frozen=True)
class Terms:
    """What a match is about: everything its plays depend on."""

    game: str
    rules_version: int
    components: str
    bots: str  # a hash of how bots choose
    seats: int
    options: dict[str, str]
    seed: int | None  # unknown of a match that broke down while it was secret


class Ledger:
    """The rows of a match, in memory and, if it has a folder, on disk."""

    def __init__(self, terms: Terms, folder: Path | None = None, secret: bool = False) -> None:
        self.terms, self._folder, self._secret = terms, folder, secret
        self.rows: list[Row] = []
        self._unwritten: list[Row] = []
        self._written = monotonic()
        if folder is not None:
            self._parquet = parquet()
            self._open(folder)

    def _open(self, folder: Path) -> None:
        file = folder / TERMS
        if file.is_file():
            self._check(known(file))
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SetupError(f"{str(folder)!r} is there already, and it is no match. Name a new folder.")
        else:
            make(folder)
            self._write_terms(with_seed=not self._secret)
        if self._secret:
            self._write_terms(with_seed=False)
        keys: set[Key] = set()
        for part in sorted(folder.glob(PARTS)):
            for row in self._read(part):
                if key(row) not in keys:  # twice, if two have played the same match at the same time
                    keys.add(key(row))
                    self.rows.append(row)

    def _write_terms(self, with_seed: bool) -> None:
        assert self._folder
        terms = asdict(self.terms) | ({} if with_seed else {"seed": None})
        write(self._folder / TERMS, json.dumps(terms, indent=2) + "\n")

    def _check(self, found: Mapping[str, Any]) -> None:
        if self._secret and found.get("seed", 0) is None:
            raise SetupError(
                f"The match in {str(self._folder)!r} is being played, or broke down while its seed was secret: "
                "name another folder."
            )
        for name, value in asdict(self.terms).items():
            if name == "bots" and found.get(name) != value:
                raise SetupError(
                    f"The bots have changed since the match in {str(self._folder)!r} was played: name another folder."
                )
            if found.get(name) != value:
                raise SetupError(
                    f"The match in {str(self._folder)!r} has {name} {found.get(name)!r}, not {value!r}: "
                    "go on with the same, or name another folder."
                )

    def _read(self, part: Path) -> list[Row]:
        try:
            rows: list[Row] = self._parquet.read_table(part).to_pylist()
        except (OSError, ValueError) as error:
            raise SetupError(f"{part} is damaged: {error}. Remove it, and its plays will be played again.") from None
        return rows

    def add(self, row: Row) -> None:
        """One more row, which is written before long."""
        self.rows.append(row)
        self._unwritten.append(row)
        if len(self._unwritten) >= MOST or monotonic() - self._written >= OFTEN:
            self.write()

    def write(self) -> None:
        """Write the rows that have not been written yet."""
        if self._folder is None or not self._unwritten:
            return
        import pyarrow as pa

        rows = [without_seeds(row) for row in self._unwritten] if self._secret else self._unwritten
        name = f"plays-{time_ns():020}-{token_hex(4)}.parquet"  # nobody else gives this name, and the newest comes last
        with whole(self._folder / name) as draft:
            self._parquet.write_table(pa.Table.from_pylist(rows), draft)
        self._unwritten, self._written = [], monotonic()

    def close(self) -> None:
        """Write what has not been written, and the seed, now that nobody plays any more."""
        self.write()
        if self._folder is not None and self._secret:
            self._write_terms(with_seed=True)


def without_seeds(row: Row) -> Row:
    """A row without what its cards, and with some effort those of later deals, could be found from."""
    return {name: value for name, value in row.items() if name not in ("seed", "bot_seed")}


def kept_seed(folder: Path | None) -> int | None:
    """The seed of the match in a folder, if there is one and it is known."""
    return known(folder / TERMS).get("seed") if folder and (folder / TERMS).is_file() else None


def key(row: Row) -> Key:
    """Which play of its match a row is."""
    return row["deal"], row["pairing"], tuple(row["bots"])


def known(file: Path) -> dict[str, Any]:
    """The terms in a file; SetupError if they cannot be read."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise SetupError(f"{file} is damaged, so nobody knows which match this is. Name another folder.")
    return found


def make(folder: Path) -> None:
    """Make a folder; SetupError if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None


def parquet() -> Any:
    """What reads and writes Parquet; MissingExtra if it is not installed."""
    try:
        from pyarrow import parquet as module
    except ImportError:
        raise MissingExtra.named("Parquet needs", "pyarrow", "arena") from None
    return module
