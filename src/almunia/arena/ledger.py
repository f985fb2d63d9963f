"""The ledger of a match: its configuration and one row per play, in a folder from which the match can be resumed.

Rows are stored as Parquet files, each written in full or not at all. New rows are written when a play ends ten seconds
or more after the last write, when there are MAX_UNWRITTEN_ROWS, and at the end. So an interruption loses only the
running plays, and a crash also the unwritten rows. When a match is resumed, plays in the folder are not repeated.

If an external program plays and no seed was given, the seed is secret, so that the program cannot read the cards from
the folder. Rows are stored without seeds, and the configuration has no seed while the match is played. So such a match
can be resumed after an interruption, but not after a crash.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex
from time import monotonic, time_ns
from typing import Any

from ..errors import SetupError
from ..files import atomic_write
from .folder import ResultFolder, import_parquet

CONFIG_FILE = "terms.json"
PARTS = "plays-*.parquet"
WRITE_INTERVAL_SECONDS = 10.0
MAX_UNWRITTEN_ROWS = 64

Row = dict[str, Any]
Key = tuple[int, str, tuple[str, ...]]  # of a play in its match: deal, pairing, bots by seat


@dataclass(frozen=True)
class MatchConfig:
    """The configuration that all plays of a match share."""

    game: str
    rules_version: int
    components: str
    bot_code: str  # hash of the bots' code
    seats: int
    options: dict[str, str]
    seed: int | None  # None if the match crashed while the seed was secret


class Ledger:
    """The rows of a match, in memory and in a folder if there is one.

    If `secret`, the folder's rows have no seeds, and the folder's configuration has no seed until `close`. Raise
    SetupError if the folder cannot be used, and MissingExtra for a folder without pyarrow.
    """

    def __init__(self, config: MatchConfig, folder: Path | None = None, secret: bool = False) -> None:
        self.config, self._secret = config, secret
        self._folder = folder and match_folder(folder)
        self.rows: list[Row] = []
        self._unwritten: list[Row] = []
        self._written_at = monotonic()
        if self._folder:
            self._parquet = import_parquet()
            self._open(self._folder)

    def _open(self, folder: ResultFolder) -> None:
        stored = folder.read_config() if folder.config_file.is_file() else None
        if self._secret and stored is not None and stored.get("seed", 0) is None:
            raise SetupError(
                f"The match in {str(folder.path)!r} is being played, or broke down while its seed was secret: "
                "name another folder."
            )
        folder.open(self._config(with_seed=stored is not None or not self._secret))
        keys: set[Key] = set()
        for part in sorted(folder.path.glob(PARTS)):
            for row in folder.read_part(lambda part: self._parquet.read_table(part).to_pylist(), part, part):
                if key(row) not in keys:  # else two processes have played the match at the same time
                    keys.add(key(row))
                    self.rows.append(row)
        if self._secret:  # last, because `close` writes the seed again only if this ledger has been made
            folder.write_config(self._config(with_seed=False))

    def _config(self, with_seed: bool) -> dict[str, Any]:
        return asdict(self.config) | ({} if with_seed else {"seed": None})

    def add(self, row: Row) -> None:
        """Add a row.

        If there is a folder, write all new rows when there are MAX_UNWRITTEN_ROWS, or when the last write was
        WRITE_INTERVAL_SECONDS ago.
        """
        self.rows.append(row)
        self._unwritten.append(row)
        if len(self._unwritten) >= MAX_UNWRITTEN_ROWS or monotonic() - self._written_at >= WRITE_INTERVAL_SECONDS:
            self.write()

    def write(self) -> None:
        if not self._folder or not self._unwritten:
            return
        import pyarrow as pa

        rows = self._unwritten
        if self._secret:  # a seed reveals the cards of its play, and makes later deals predictable
            rows = [{name: row[name] for name in row if name not in ("seed", "bot_seed")} for row in rows]
        name = f"plays-{time_ns():020}-{token_hex(4)}.parquet"  # unique, and sorted by time
        with atomic_write(self._folder.path / name) as draft:
            self._parquet.write_table(pa.Table.from_pylist(rows), draft)
        self._unwritten, self._written_at = [], monotonic()

    def close(self) -> None:
        """Write the remaining rows, and the seed if it was secret, into the folder if there is one."""
        try:
            self.write()
        finally:
            if self._folder and self._secret:
                self._folder.write_config(self._config(with_seed=True))


def match_folder(path: Path) -> ResultFolder:
    return ResultFolder(path, "match", CONFIG_FILE)


def stored_seed(folder: Path | None) -> int | None:
    """Return the seed of the match in a folder; None without a folder or a match, or if its seed is secret.

    Raise SetupError if the match's configuration is damaged.
    """
    if folder is None or not match_folder(folder).config_file.is_file():
        return None
    return match_folder(folder).read_config().get("seed")


def key(row: Row) -> Key:
    return row["deal"], row["pairing"], tuple(row["bots"])
