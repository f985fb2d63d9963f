"""Traces: every decision of many plays, in a folder that is written in parts and need not be loaded completely.

In a complete trace, every part but the last has PLAYS_PER_PART plays. Each part has two tables: decisions and plays. In
the form "arrays", a table is a folder of .npy files, one for each column. In the form "parquet", a table is one file.
`_trace.json` has the configuration. `_trace.json` and `_plays.parquet` begin with an underscore, so that readers of
Parquet folders skip them and see only the decisions.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from time import time
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..batch.batch import as_array
from ..bots.fingerprint import fingerprint
from ..errors import SetupError, one_of
from ..library import Game
from ..validation import check_int, check_seed, is_int
from .folder import ResultFolder, import_parquet
from .simulate import Columns, Simulated, with_scores

CONFIG_FILE = "_trace.json"
FORMS = ("arrays", "parquet")
PLAYS_PER_PART = 50
DECISIONS, PLAYS = "decisions", "plays"
PARQUET_FILES = {DECISIONS: "decisions.parquet", PLAYS: "_plays.parquet"}
RAGGED = ("shares_from", "share_action", "share")  # offsets of each decision's shares, and the shares of all decisions
REQUIRED_COLUMNS = {
    DECISIONS: {"observation", "mask", "action", "seat", "play", "number", "score", "rank", "worth"},
    PLAYS: {"seed", "bot_seed", "score_table", "ranks", "decisions", "ending"},
}
MEMORY_MAPPED = ("observation", "mask", "share_action", "share")  # large columns; other columns are loaded
DRAFT_PREFIX = ".draft-"
DRAFT_MAX_AGE_SECONDS = 600.0  # without writes; older drafts are from killed processes
DEFAULT_MAX_OPEN_FILES = 256  # if the system has no limit


class Part(NamedTuple):
    decisions: Columns
    plays: Columns


@dataclass(frozen=True)
class TraceConfig:
    """The configuration that determines the decisions of a trace and their format."""

    game: str
    rules_version: int
    components: str
    bot_code: str  # hash of the bots' code
    bots: tuple[str, ...]  # by seat
    options: dict[str, str]
    seed: int
    form: str
    actions: int  # number of action codes: bits of a mask
    tensor: dict[str, list[int]]  # shapes of the parts of an observation, in order


class TraceFolder(ResultFolder):
    """The folder of a trace. Each part is added in full or not at all.

    A part that grows is missing for a moment, because its old folder is moved away before the new folder is moved in.
    If the process is killed in between, the next run plays the part again.
    """

    config: TraceConfig

    def __init__(self, path: Path, config: TraceConfig | None = None) -> None:
        """Open the folder of a trace. With a configuration, create the folder if it does not exist.

        Raise SetupError if there is no trace, or the folder has other contents or is damaged.
        """
        super().__init__(path, "trace", CONFIG_FILE)
        if config:
            self.open(asdict(config))
        stored = self.read_config()
        try:
            self.config = TraceConfig(**stored | {"bots": tuple(stored["bots"])})
        except (TypeError, KeyError):
            raise self.damaged() from None
        if self.config.form not in FORMS or not is_int(self.config.actions):
            raise self.damaged()

    def part(self, number: int) -> Path:
        return self.path / f"part-{number:06}"

    def table(self, part: Path, table: str) -> Path:
        return part / (PARQUET_FILES[table] if self.config.form == "parquet" else table)

    def has(self, number: int, plays: int) -> bool:
        """Return whether this part exists with at least this number of plays."""
        return self.part(number).is_dir() and len(self.columns(number, PLAYS)["seed"]) >= plays

    def columns(self, number: int, table: str) -> Columns:
        """Return the columns of a part's table. Raise SetupError if the table is damaged or incomplete."""
        part, read = self.part(number), READERS[self.config.form]
        return self.read_part(lambda path: check_columns(read(path), table), self.table(part, table), part)

    def write(self, number: int, part: Part) -> None:
        """Add a part, or replace a shorter part. If the trace has this part already, change nothing.

        The plays of the part get numbers in the whole trace.
        Raise SetupError if another process has begun another trace in this folder.
        """
        draft, replaced = (Path(mkdtemp(dir=self.path, prefix=DRAFT_PREFIX)) for _ in range(2))
        try:
            decisions = part.decisions | {"play": part.decisions["play"] + np.int32(number * PLAYS_PER_PART)}
            for table, columns in ((DECISIONS, decisions), (PLAYS, part.plays)):
                WRITERS[self.config.form](columns, self.table(draft, table))
            draft.chmod(0o755)
            self.check(asdict(self.config))
            if not self.has(number, plays := len(part.plays["seed"])):
                self._replace(draft, replaced, number, plays)
        finally:
            for folder in (draft, replaced):
                shutil.rmtree(folder, ignore_errors=True)

    def _replace(self, draft: Path, replaced: Path, number: int, plays: int) -> None:
        """Move a draft to the place of its part. Another process may move a draft there at the same time."""
        if self.part(number).exists():
            self.part(number).rename(replaced / "part")  # atomic, so that no reader sees an incomplete part
        try:
            draft.rename(self.part(number))
        except OSError:
            if not self.has(number, plays):  # else another process has written the part
                raise

    def numbers(self) -> list[int]:
        """Return the numbers of the existing parts, which may have gaps if a trace was interrupted."""
        names = (part.name.partition("-")[2] for part in self.path.glob("part-*"))
        return sorted(int(name) for name in names if name.isdecimal())

    def remove_old_drafts(self) -> None:
        for draft in self.path.glob(f"{DRAFT_PREFIX}*"):
            if time() - draft.stat().st_mtime > DRAFT_MAX_AGE_SECONDS:
                shutil.rmtree(draft, ignore_errors=True)

    def results(self, plays: int) -> Simulated:
        """Return the results of the first `plays` plays, at least one."""
        parts = [self.columns(number, PLAYS) for number in range(-(-plays // PLAYS_PER_PART))]
        joined = {name: np.concatenate([part[name] for part in parts])[:plays] for name in parts[0]}
        return with_scores(joined)


def open_folder(
    game: Game, path: Path, bots: tuple[str, ...], options: dict[str, str], seed: int, form: str
) -> TraceFolder:
    """Return the folder of a trace. Create the folder if it does not exist.

    Raise SetupError if the folder has other contents, or there is no such form, and MissingExtra without pyarrow for
    "parquet".
    """
    if form not in FORMS:
        raise SetupError(f"A trace is written as {one_of(FORMS, form)}")
    if form == "parquet":
        import_parquet()
    config = TraceConfig(
        game=game.name,
        rules_version=game.meta.rules_version,
        components=game.components_hash,
        bot_code=fingerprint(game),
        bots=bots,
        options=options,
        seed=seed,
        form=form,
        actions=game.rules.ACTIONS,
        tensor={name: list(shape) for name, shape in game.observe.TENSOR_SHAPES.items()},
    )
    return TraceFolder(path, config)


# --- reading ----------------------------------------------------------------------------------------


class Rows(dict[str, npt.NDArray[Any]]):
    """Columns of several rows. The error for key 0, which a `DataLoader` reads by default, says what to do."""

    def __missing__(self, name: Any) -> NoReturn:
        if name == 0:
            raise SetupError("Rows of a trace come as whole columns: give the DataLoader collate_fn=trace.tensors.")
        raise SetupError(f"A trace has no column {name!r}. There are: {one_of(self, str(name))}")


class Traces:
    """The decisions of a trace, as a dataset for PyTorch's `DataLoader` or as batches of arrays.

    A row is a dictionary: `observation` (tensor_size,) float32, `mask` (actions,) bool, `action` int32, `seat` int8,
    `play` int32, `number` int32 of the decision in its play, and the result of the play for the seat that decides:
    `score` int32 (points), `rank` int8 (1 is first) and `worth` float32 (the reward "rank", or the points if there is
    one seat). If searches played, `shares` (actions,) float32 are their shares of visits, all 0 for decisions of other
    bots.

    A trace that is still being written, or was interrupted, has the decisions that existed when it was loaded. Raise
    SetupError if the folder has no trace, or the trace is damaged.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = TraceFolder(Path(folder).resolve())  # absolute, since parts are opened later
        self.config = self._folder.config
        self._numbers = self._folder.numbers()
        counts = [int(self._folder.columns(number, PLAYS)["decisions"].sum()) for number in self._numbers]
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        # A part of arrays keeps its mapped files open. Parts may use half of the files that the process may open.
        max_parts = max(1, max_open_files() // 2 // len(MEMORY_MAPPED)) if self.config.form == "arrays" else None
        self._part = lru_cache(max_parts)(lambda number: self._folder.columns(number, DECISIONS))

    def __reduce__(self) -> tuple[Any, ...]:
        return Traces, (self._folder.path,)

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, index: int) -> Columns:
        """Return one decision. Raise IndexError if the index is out of range."""
        return {name: column[0] for name, column in self.rows([index]).items()}

    def __getitems__(self, indices: Sequence[int]) -> Columns:
        """Return several decisions, for `DataLoader`."""
        return self.rows(indices)

    def rows(self, indices: Sequence[int] | npt.NDArray[np.int64]) -> Columns:
        """Return several decisions as columns, with a row for each index in this order. No indices give no columns.

        Raises:
            IndexError: an index is out of range.
            SetupError: the indices are not a row of integers, or a part is damaged.
        """
        wanted = as_array(indices)
        if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
            raise SetupError(f"Decisions of a trace are indexed by a row of integers, not by {indices!r}.")
        wanted = wanted.astype(np.int64)
        wanted = np.where(wanted < 0, wanted + len(self), wanted)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= len(self)):
            raise IndexError(f"This trace has {len(self)} decisions.")
        parts = np.searchsorted(self._starts, wanted, side="right") - 1
        result = Rows()
        for part in np.unique(parts).tolist():
            own = np.flatnonzero(parts == part)
            for name, column in self._rows_of_part(part, wanted[own] - self._starts[part]).items():
                if name not in result:
                    result[name] = np.zeros((len(wanted), *column.shape[1:]), column.dtype)
                result[name][own] = column
        return result

    def _rows_of_part(self, index: int, rows: npt.NDArray[np.int64]) -> Columns:
        part = self._part(self._numbers[index])
        result = {name: column[rows] for name, column in part.items() if name not in RAGGED}
        masks = np.unpackbits(result["mask"], axis=1, count=self.config.actions, bitorder="little")
        result["mask"] = masks.astype(bool)
        if "share" in part:
            result["shares"] = np.zeros((len(rows), self.config.actions), np.float32)
            for i, row in enumerate(rows.tolist()):
                own = slice(*part["shares_from"][row : row + 2])
                result["shares"][i, part["share_action"][own]] = part["share"][own]
        return result

    def batches(self, size: int, seed: int | None = None) -> Iterator[Columns]:
        """Yield the columns of all decisions, at most `size` at a time, in order or shuffled by a seed.

        Raises:
            SetupError: an invalid size or seed, or a damaged part, when the next batch is requested.
        """
        size = check_int("decisions at a time", size, 1)
        rng = None if seed is None else np.random.default_rng(check_seed(seed))
        order = np.arange(len(self)) if rng is None else rng.permutation(len(self))
        for start in range(0, len(self), size):
            yield self.rows(order[start : start + size])

    @staticmethod
    def tensors(rows: Columns | Sequence[Columns]) -> dict[str, Any]:
        """Return rows as PyTorch tensors, for `DataLoader(..., collate_fn=traces.tensors)`.

        Composed datasets such as `ConcatDataset` pass single rows, which are stacked. Rows without `shares` get zeros
        if other rows have `shares`. `action` becomes int64, as losses and indices need. The other tensors share the
        memory of their columns.
        """
        import torch

        if not isinstance(rows, dict):
            zeros = {name: np.zeros_like(column) for row in rows for name, column in row.items()}
            rows = {name: np.stack([row.get(name, zero) for row in rows]) for name, zero in zeros.items()}
        return {name: torch.from_numpy(column) for name, column in rows.items()} | {
            "action": torch.from_numpy(rows["action"].astype(np.int64))
        }


def check_columns(columns: Columns, table: str) -> Columns:
    """Return the columns of a table.

    Raise ValueError if a column is missing, or if columns not in RAGGED differ in length.
    """
    if missing := REQUIRED_COLUMNS[table] - columns.keys():
        raise ValueError(f"it has no {min(missing)}")
    if len({column.shape[:1] for name, column in columns.items() if name not in RAGGED}) > 1:
        raise ValueError("its columns have different lengths")
    return columns


def load(folder: str | Path) -> Traces:
    """Return the trace in a folder that `almunia.record_trace` wrote.

    Raise SetupError if the folder has no trace, or the trace is damaged.
    """
    return Traces(folder)


# --- forms ------------------------------------------------------------------------------------------


def write_arrays(columns: Columns, path: Path) -> None:
    path.mkdir()
    for name, column in columns.items():
        np.save(path / f"{name}.npy", column)


def read_arrays(path: Path) -> Columns:
    files = sorted(path.glob("*.npy"))
    return {file.stem: np.load(file, "r" if file.stem in MEMORY_MAPPED else None) for file in files}


def max_open_files() -> int:
    """Return the maximum number of open files of this process; a default if the maximum is unknown or infinite."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ModuleNotFoundError:  # on Windows
        return DEFAULT_MAX_OPEN_FILES
    limit = getrlimit(RLIMIT_NOFILE)[0]
    return DEFAULT_MAX_OPEN_FILES if limit == RLIM_INFINITY else limit


def write_parquet(columns: Columns, path: Path) -> None:
    """Write a table as a Parquet file: shares as lists, other columns of several axes as fixed-shape tensors."""
    import pyarrow as pa

    table = {}
    for name, column in columns.items():
        if name in RAGGED[1:]:
            table[name] = pa.ListArray.from_arrays(pa.array(columns[RAGGED[0]].astype(np.int32)), pa.array(column))
        elif name != RAGGED[0]:
            contiguous = np.ascontiguousarray(column)
            is_tensor = column.ndim > 1
            table[name] = pa.FixedShapeTensorArray.from_numpy_ndarray(contiguous) if is_tensor else pa.array(contiguous)
    import_parquet().write_table(pa.table(table), path)


def read_parquet(path: Path) -> Columns:
    import pyarrow as pa

    columns: Columns = {}
    table = import_parquet().read_table(path)
    for name, chunks in zip(table.column_names, table.columns, strict=True):
        column = chunks.combine_chunks()
        if isinstance(column, pa.FixedShapeTensorArray):
            columns[name] = column.to_numpy_ndarray()
        elif isinstance(column, pa.ListArray):
            columns[name], columns[RAGGED[0]] = column.flatten().to_numpy(), column.offsets.to_numpy()
        else:
            columns[name] = column.to_numpy()
    return columns


WRITERS = {"arrays": write_arrays, "parquet": write_parquet}
READERS = {"arrays": read_arrays, "parquet": read_parquet}
