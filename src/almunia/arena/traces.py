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
from math import nan
from pathlib import Path
from tempfile import mkdtemp
from time import time
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..batch.buffers import as_array
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
RAGGED = ("visits_from", "visit_action", "visit_share")  # offsets of each decision's visits, and shares of all visits
REQUIRED_COLUMNS = {
    DECISIONS: {
        *("observation", "action", "legal_actions", "reward", "terminated", "truncated"),
        *("episode_id", "timestep", "seat", "return", "score", "rank"),
    },
    PLAYS: {"seed", "bot_seed", "score_table", "ranks", "decisions", "ending"},
}
MEMORY_MAPPED = ("observation", "legal_actions", "visit_action", "visit_share")  # the large columns
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
    actions: int  # number of action codes
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
        part, read, actions = self.part(number), READERS[self.config.form], self.config.actions
        return self.read_part(lambda path: check_columns(read(path, actions), table), self.table(part, table), part)

    def write(self, number: int, part: Part) -> None:
        """Add a part, or replace a shorter part. If the trace has this part already, change nothing.

        The plays of the part get numbers in the whole trace.
        Raise SetupError if another process has begun another trace in this folder.
        """
        draft, replaced = (Path(mkdtemp(dir=self.path, prefix=DRAFT_PREFIX)) for _ in range(2))
        try:
            first = np.int32(number * PLAYS_PER_PART)
            decisions = part.decisions | {"episode_id": part.decisions["episode_id"] + first}
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

    A row is a dictionary:

    - `observation` float32 (tensor_size,), `legal_actions` bool (actions,), `action` int32, `seat` int8.
    - `episode_id` int32, the number of the play, and `timestep` int32, the number of the decision in its play.
    - `reward` float32, the seat's reward until its next decision, in the default convention of
      `almunia.batch.rewards`: "rank", or "points" if there is one seat. `return` float32 is the sum of the seat's
      rewards in the play.
    - `terminated` bool, whether the play ends before the seat decides again. `truncated` bool, whether it is stopped.
    - `score` int32 and `rank` int8 (1 is first), the seat's result.

    If searches played, a row also has `visit_policy` float32 (actions,), the shares of the visits, all 0 for other
    bots. `search_value` float32 is the mean utility over all visits, and NaN for other bots and forced moves.

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
        result["legal_actions"] = unpack(result["legal_actions"], self.config.actions)
        if "visit_share" in part:
            result["visit_policy"] = np.zeros((len(rows), self.config.actions), np.float32)
            for i, row in enumerate(rows.tolist()):
                own = slice(*part["visits_from"][row : row + 2])
                result["visit_policy"][i, part["visit_action"][own]] = part["visit_share"][own]
        return result

    def parts(self) -> Iterator[tuple[Columns, Columns]]:
        """Yield the columns of the decisions and of the plays of each part, in order.

        The columns of plays are those of `simulate`, without `scores`. Raise SetupError if a part is damaged.
        """
        for number, start, stop in zip(self._numbers, self._starts, self._starts[1:], strict=False):
            yield self.rows(range(start, stop)), self._folder.columns(number, PLAYS)

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

        Composed datasets such as `ConcatDataset` pass single rows, which are stacked. Rows without `visit_policy` and
        `search_value` get zeros and NaN if other rows have them. `action` becomes int64, as losses and indices need.
        The other tensors share the memory of their columns.
        """
        import torch

        if not isinstance(rows, dict):
            blanks = {name: np.zeros_like(column) for row in rows for name, column in row.items()}
            blanks |= {"search_value": np.array(np.nan, np.float32)} if "search_value" in blanks else {}
            rows = {name: np.stack([row.get(name, blank) for row in rows]) for name, blank in blanks.items()}
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


def read_arrays(path: Path, actions: int) -> Columns:
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


def unpack(bits: npt.NDArray[np.uint8], actions: int) -> npt.NDArray[np.bool_]:
    """Return the legal actions of decisions, bool (decisions, actions)."""
    return np.unpackbits(bits, axis=1, count=actions, bitorder="little").astype(np.bool_)


def write_parquet(columns: Columns, path: Path) -> None:
    """Write a table as a Parquet file.

    `legal_actions` are lists of codes. `visit_policy` are lists with a share for each legal action. `visit_policy` and
    `search_value` are null for bots that do not search, so that all traces of a game have the same columns. Other
    columns of several axes are fixed-shape tensors.
    """
    import pyarrow as pa

    table = {}
    is_decisions = "legal_actions" in columns
    if is_decisions and "visit_share" not in columns:
        count = len(columns["action"])
        nothing = np.zeros(count + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
        columns = columns | dict(zip(RAGGED, nothing, strict=True)) | {"search_value": np.full(count, nan, np.float32)}
    for name, column in columns.items():
        if name == "legal_actions":
            rows, codes = np.nonzero(unpack(column, 8 * column.shape[1]))
            table[name] = as_lists(rows, codes.astype(np.int32), np.ones(len(column), np.bool_))
        elif name not in RAGGED:
            contiguous = np.ascontiguousarray(column)
            is_tensor = column.ndim > 1
            table[name] = pa.FixedShapeTensorArray.from_numpy_ndarray(contiguous) if is_tensor else pa.array(contiguous)
    if is_decisions:
        table["search_value"] = pa.array(columns["search_value"], from_pandas=True)  # NaN becomes null
        table["visit_policy"] = policy_lists(columns)
    import_parquet().write_table(pa.table(table), path)


def policy_lists(columns: Columns) -> Any:
    """Return the shares of visits as lists with an entry for each legal action; null without a search."""
    is_legal = unpack(columns["legal_actions"], 8 * columns["legal_actions"].shape[1])
    shares, counts = np.zeros(is_legal.shape, np.float32), np.diff(columns["visits_from"])
    shares[np.repeat(np.arange(len(counts)), counts), columns["visit_action"]] = columns["visit_share"]
    return as_lists(np.nonzero(is_legal)[0], shares[is_legal], counts > 0)


def as_lists(rows: npt.NDArray[np.int64], values: npt.NDArray[Any], is_valid: npt.NDArray[np.bool_]) -> Any:
    """Return an array of lists. `rows`, ascending, are the list of each value. Lists that are not valid are null."""
    import pyarrow as pa

    ends = np.cumsum(np.bincount(rows, minlength=len(is_valid)))
    offsets = pa.array(np.concatenate([[0], ends]).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(values), mask=pa.array(~is_valid))


def read_parquet(path: Path, actions: int) -> Columns:
    """Return the columns of a Parquet file as `write_parquet` takes them."""
    import pyarrow as pa

    columns, is_legal = Columns(), np.zeros((0, actions), np.bool_)
    table = import_parquet().read_table(path)
    for name, chunks in zip(table.column_names, table.columns, strict=True):
        column = chunks.combine_chunks()
        if isinstance(column, pa.FixedShapeTensorArray):
            columns[name] = column.to_numpy_ndarray()
        elif name == "legal_actions":
            is_legal = np.zeros((len(column), actions), np.bool_)
            is_legal[column.value_parent_indices().to_numpy(), column.flatten().to_numpy()] = True
            columns[name] = np.packbits(is_legal, axis=1, bitorder="little")
        elif name == "visit_policy" and column.null_count == len(column):
            del columns["search_value"]  # no bot has searched
        elif name == "visit_policy":
            shares = np.zeros(is_legal.shape, np.float32)
            shares[is_legal & column.is_valid().to_numpy(zero_copy_only=False)[:, None]] = column.flatten().to_numpy()
            rows, codes = np.nonzero(shares)
            counts = np.bincount(rows, minlength=len(shares))
            visits = np.concatenate([[0], np.cumsum(counts)]), codes.astype(np.int32), shares[rows, codes]
            columns |= zip(RAGGED, visits, strict=True)
        else:
            columns[name] = column.to_numpy(zero_copy_only=False)
    return columns


WRITERS = {"arrays": write_arrays, "parquet": write_parquet}
READERS = {"arrays": read_arrays, "parquet": read_parquet}
