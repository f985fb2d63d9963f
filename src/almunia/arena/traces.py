"""Traces: every decision of many plays, in a folder that is written part by part and read without loading it.

Every part holds as many plays, in two tables: its decisions, and its plays. As "arrays" a table is a folder of .npy
files, a column each, which are mapped into memory; as "parquet" it is one file. `_trace.json` says what it all is. Its
name and that of the table of plays begin so that readers of Parquet folders skip them and find the decisions alone.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np
import numpy.typing as npt

from ..batch.batch import as_array
from ..bots.fingerprint import fingerprint
from ..errors import SetupError, one_of
from ..files import write
from ..validation import checked_number, checked_seed, is_whole
from .ledger import make, parquet
from .simulate import Simulated

if TYPE_CHECKING:
    from ..library import Game

Columns = dict[str, npt.NDArray[Any]]

TERMS = "_trace.json"
FORMS = ("arrays", "parquet")
OLD_TERMS = "trace.json"  # as traces were written before, whose Parquet files had no suffix either
PER_PART = 50  # plays
DECISIONS, PLAYS = "decisions", "plays"
PARQUET = {DECISIONS: "decisions.parquet", PLAYS: "_plays.parquet"}  # files of a part
RAGGED = ("shares_from", "share_action", "share")  # the shares of all decisions in a row, and where each one's begin
NEEDED = {
    DECISIONS: {"observation", "mask", "action", "seat", "play", "number", "score", "rank", "worth"},
    PLAYS: {"seed", "bot_seed", "score_table", "ranks", "decisions", "ending"},
}  # columns of every trace
MAPPED = ("observation", "mask", "share_action", "share")  # columns as large as that; others are read at once
DRAFT = ".draft-"
ABANDONED = 600.0  # seconds after which nobody writes to a draft any more
USUAL_FILES = 256  # that a process may open, where the system does not say


class Part(NamedTuple):
    """The decisions of some plays, and the plays."""

    decisions: Columns
    plays: Columns


@dataclass(frozen=True)
class Terms:
    """What a trace is of: everything its decisions depend on, and how they are written."""

    game: str
    rules_version: int
    components: str
    bot_code: str  # a hash of how bots choose
    bots: tuple[str, ...]  # by seat
    options: dict[str, str]
    seed: int
    form: str
    actions: int  # codes: so many bits of a mask count
    tensor: dict[str, list[int]]  # the shapes of an observation's parts, in their order


def opened(
    game: "Game", folder: Path, bots: tuple[str, ...], options: dict[str, str], seed: int, form: str
) -> "Folder":
    """The folder of a trace, made if it is new; SetupError if it holds something else, or there is no such form."""
    if form not in FORMS:
        raise SetupError(f"A trace is written as {one_of(FORMS, form)}")
    if form == "parquet":
        parquet()
    shapes = {name: list(shape) for name, shape in game.observe.TENSOR_SHAPES.items()}
    facts = (game.name, game.meta.rules_version, game.components, fingerprint(game), bots, options, seed, form)
    terms = Terms(*facts, game.rules.ACTIONS, shapes)
    if terms_in(folder).is_file():
        check(folder, terms)
    elif folder.exists() and (not folder.is_dir() or any(map(is_foreign, folder.iterdir()))):
        raise SetupError(f"{str(folder)!r} is there already, and it is no trace. Name a new folder.")
    else:
        make(folder)
        write(folder / TERMS, json.dumps(asdict(terms), indent=2) + "\n")
    return Folder(folder, terms)


def terms_in(folder: Path) -> Path:
    """Return the file that says what a trace is of, also where it has its former name."""
    return next((file for name in (TERMS, OLD_TERMS) if (file := folder / name).is_file()), folder / TERMS)


def is_foreign(file: Path) -> bool:
    """Is this not what somebody left who was killed while beginning a trace?"""
    return not file.name.startswith(f".{TERMS}.")


def check(folder: Path, terms: Terms) -> None:
    """SetupError if the folder has a trace of something else."""
    found = asdict(known(folder))
    for name, value in asdict(terms).items():
        if found[name] != value:
            raise SetupError(
                f"The trace in {str(folder)!r} has {name.replace('_', ' ')} {found[name]!r}, not {value!r}: "
                "go on with the same, or name another folder."
            )


def known(folder: Path) -> Terms:
    """The terms of the trace in a folder; SetupError if there is none, or they are damaged."""
    try:
        found = json.loads(terms_in(folder).read_text("utf-8"))
        terms = Terms(**found | {"bots": tuple(found["bots"])})
    except OSError:
        raise SetupError(f"There is no trace in {str(folder)!r}.") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        terms = None
    if terms is None or terms.form not in FORMS or not is_whole(terms.actions):
        raise SetupError(
            f"{terms_in(folder)} is damaged or of another version of Almunia, so nobody knows what this trace is of."
        )
    return terms


class Folder:
    """The folder of a trace, to which parts are added, each whole or not at all."""

    def __init__(self, place: Path, terms: Terms) -> None:
        self.place, self.terms = place, terms

    def part(self, number: int) -> Path:
        """Where a part stands."""
        return self.place / f"part-{number:06}"

    def table(self, part: Path, table: str) -> Path:
        """Return where a table of a part stands, also where its file has no suffix, as files had none before."""
        place = part / (PARQUET[table] if self.terms.form == "parquet" else table)
        return part / table if (part / table).is_file() else place

    def has(self, number: int, plays: int) -> bool:
        """Is the part of this number there, with at least so many plays?"""
        return self.part(number).is_dir() and len(self.read(number, PLAYS)["seed"]) >= plays

    def read(self, number: int, table: str) -> Columns:
        """The columns of a part's table; SetupError if they cannot be read, or are not whole."""
        place = self.table(self.part(number), table)
        try:
            return whole(READERS[self.terms.form](place), table)
        except (OSError, ValueError, EOFError) as error:  # those of pyarrow are among them
            raise SetupError(
                f"{place} cannot be read ({error}). If it is damaged, remove {self.part(number)}: the command that "
                "wrote the trace plays it again."
            ) from None

    def write(self, number: int, part: Part) -> None:
        """Add a part, or put it in the place of a shorter one; its plays are counted from the first of the trace.

        SetupError if somebody has begun another trace here meanwhile.
        """
        draft, shorter = (Path(mkdtemp(dir=self.place, prefix=DRAFT)) for _ in range(2))
        try:
            decisions = part.decisions | {"play": part.decisions["play"] + np.int32(number * PER_PART)}
            for table, columns in ((DECISIONS, decisions), (PLAYS, part.plays)):
                WRITERS[self.terms.form](columns, self.table(draft, table))
            draft.chmod(0o755)
            check(self.place, self.terms)
            if not self.has(number, plays := len(part.plays["seed"])):
                self._put(draft, shorter, number, plays)
        finally:
            for folder in (draft, shorter):
                shutil.rmtree(folder, ignore_errors=True)

    def _put(self, draft: Path, shorter: Path, number: int, plays: int) -> None:
        """Let a draft take the place of what is there, if anything is; another process may do the same."""
        if self.part(number).exists():
            self.part(number).rename(shorter / "part")  # at no time is half of it there
        try:
            draft.rename(self.part(number))
        except OSError:
            if not self.has(number, plays):  # else somebody was quicker
                raise

    def numbers(self) -> list[int]:
        """Which parts are there; where a trace was interrupted, some between them may not be."""
        names = (part.name.partition("-")[2] for part in self.place.glob("part-*"))
        return sorted(int(name) for name in names if name.isdecimal())

    def tidy(self) -> None:
        """Remove the drafts of somebody who was killed while writing."""
        for draft in self.place.glob(f"{DRAFT}*"):
            if time() - draft.stat().st_mtime > ABANDONED:
                shutil.rmtree(draft, ignore_errors=True)

    def results(self, plays: int) -> Simulated:
        """What came of the first plays, of which there is at least one."""
        parts = [self.read(number, PLAYS) for number in range(-(-plays // PER_PART))]
        whole = {name: np.concatenate([part[name] for part in parts])[:plays] for name in parts[0]}
        return cast(Simulated, whole | {"scores": whole["score_table"][:, :, 0]})


# --- reading ----------------------------------------------------------------------------------------


class Rows(dict[str, npt.NDArray[Any]]):
    """Columns of several rows. A `DataLoader` that joins rows in its own way asks them for a first one."""

    def __missing__(self, name: Any) -> NoReturn:
        if name == 0:
            raise SetupError("Rows of a trace come as whole columns: give the DataLoader collate_fn=trace.tensors.")
        raise SetupError(f"A trace has no column {name!r}. There are: {one_of(self, str(name))}")


class Traces:
    """The decisions of a trace, as PyTorch's `DataLoader` takes them, and as batches of arrays without it.

    A row is a dictionary: `observation` (tensor_size,) float32, `mask` (actions,) bool, `action`, `seat`, `play`,
    `number` of the decision in its play, and how the play ended for whoever decided: `score` (points), `rank` (1 is
    first) and `worth` (float32: the reward "rank", or the points where one plays alone). Where searches played,
    `shares` (actions,) float32 are the parts of their visits, 0 throughout for decisions of other bots.

    A trace that is still being written, or was interrupted, has what was there when it was loaded.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Folder(Path(folder).resolve(), known(Path(folder)))  # parts are opened late
        self.terms = self._folder.terms
        self._numbers = self._folder.numbers()
        counts = [int(self._folder.read(number, PLAYS)["decisions"].sum()) for number in self._numbers]
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self._part = lru_cache(at_a_time(self.terms.form))(lambda number: self._folder.read(number, DECISIONS))

    def __reduce__(self) -> tuple[Any, ...]:
        """It travels as the name of its folder: the worker processes of a `DataLoader` map the same files."""
        return Traces, (self._folder.place,)

    def __len__(self) -> int:
        """How many decisions there are."""
        return int(self._starts[-1])

    def __getitem__(self, index: int) -> Columns:
        """One of them."""
        return {name: column[0] for name, column in self.rows([index]).items()}

    def __getitems__(self, indices: Sequence[int]) -> Columns:
        """Several at once, as `DataLoader` asks for them."""
        return self.rows(indices)

    def rows(self, indices: "Sequence[int] | npt.NDArray[np.int64]") -> Columns:
        """Several at once: every column with a row for each of these, in this order.

        IndexError for one too many, SetupError for what are no whole numbers.
        """
        wanted = as_array(indices)
        if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
            raise SetupError(f"Decisions of a trace are asked for by a row of whole numbers, not by {indices!r}.")
        wanted = wanted.astype(np.int64)
        wanted = np.where(wanted < 0, wanted + len(self), wanted)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= len(self)):
            raise IndexError(f"This trace has {len(self)} decisions.")
        places = np.searchsorted(self._starts, wanted, side="right") - 1
        found = Rows()
        for place in np.unique(places).tolist():
            mine = np.flatnonzero(places == place)
            for name, column in self._of_part(place, wanted[mine] - self._starts[place]).items():
                if name not in found:
                    found[name] = np.zeros((len(wanted), *column.shape[1:]), column.dtype)
                found[name][mine] = column
        return found

    def _of_part(self, place: int, rows: "npt.NDArray[np.int64]") -> Columns:
        number = self._numbers[place]
        part = self._part(number)
        found = {name: column[rows] for name, column in part.items() if name not in RAGGED}
        found["mask"] = np.unpackbits(found["mask"], axis=1, count=self.terms.actions, bitorder="little").astype(bool)
        found["play"] = found["play"] % PER_PART + number * PER_PART  # formerly each part counted its own
        if "share" in part:
            found["shares"] = np.zeros((len(rows), self.terms.actions), np.float32)
            for i, row in enumerate(rows.tolist()):
                several = slice(*part["shares_from"][row : row + 2])
                found["shares"][i, part["share_action"][several]] = part["share"][several]
        return found

    def batches(self, size: int, seed: int | None = None) -> Iterator[Columns]:
        """All decisions, so many at a time: in their order, or shuffled by a seed.

        SetupError for a size or a seed that is none.
        """
        size = checked_number("decisions at a time", size, 1)
        rng = None if seed is None else np.random.default_rng(checked_seed(seed))
        order = np.arange(len(self)) if rng is None else rng.permutation(len(self))
        for start in range(0, len(self), size):
            yield self.rows(order[start : start + size])

    @staticmethod
    def tensors(rows: Columns | Sequence[Columns]) -> dict[str, Any]:
        """Rows as PyTorch's tensors: for `DataLoader(..., collate_fn=traces.tensors)`.

        They share the memory of the rows, except `action`, which is int64, as losses and indices demand. Single rows
        are stacked: datasets that are made of others, such as `ConcatDataset`, hand on those. The `shares` of rows
        that have none are zeros, if others of the batch have some.
        """
        import torch

        if not isinstance(rows, dict):
            nothing = {name: np.zeros_like(column) for row in rows for name, column in row.items()}
            rows = {name: np.stack([row.get(name, zeros) for row in rows]) for name, zeros in nothing.items()}
        return {name: torch.from_numpy(column) for name, column in rows.items()} | {
            "action": torch.from_numpy(rows["action"].astype(np.int64))
        }


def whole(columns: Columns, table: str) -> Columns:
    """The columns of a table; ValueError if one is missing, or shorter than others."""
    if missing := NEEDED[table] - columns.keys():
        raise ValueError(f"it has no {min(missing)}")
    if len({column.shape[:1] for name, column in columns.items() if name not in RAGGED}) > 1:
        raise ValueError("its columns are not equally long")
    return columns


def load(folder: str | Path) -> Traces:
    """The trace in a folder, which `recording.trace` wrote; SetupError if there is none."""
    return Traces(folder)


# --- forms ------------------------------------------------------------------------------------------


def write_arrays(columns: Columns, place: Path) -> None:
    """Write a table as a folder of .npy files."""
    place.mkdir()
    for name, column in columns.items():
        np.save(place / f"{name}.npy", column)


def read_arrays(place: Path) -> Columns:
    """A table of .npy files, the large ones mapped into memory."""
    return {file.stem: np.load(file, "r" if file.stem in MAPPED else None) for file in sorted(place.glob("*.npy"))}


def at_a_time(form: str) -> int | None:
    """How many parts are kept at hand: with half the files that may be open, if they are mapped; otherwise all."""
    return max(1, files_at_most() // 2 // len(MAPPED)) if form == "arrays" else None


def files_at_most() -> int:
    """How many files this process may open: each one that is mapped stays open."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ModuleNotFoundError:  # on Windows
        return USUAL_FILES
    most = getrlimit(RLIMIT_NOFILE)[0]
    return USUAL_FILES if most == RLIM_INFINITY else most


def write_parquet(columns: Columns, place: Path) -> None:
    """Write a table as a Parquet file: what has a shape as fixed-shape tensors, shares as lists."""
    import pyarrow as pa

    table = {}
    for name, column in columns.items():
        if name in RAGGED[1:]:
            table[name] = pa.ListArray.from_arrays(pa.array(columns[RAGGED[0]].astype(np.int32)), pa.array(column))
        elif name != RAGGED[0]:
            shaped = column.ndim > 1
            contiguous = np.ascontiguousarray(column)
            table[name] = pa.FixedShapeTensorArray.from_numpy_ndarray(contiguous) if shaped else pa.array(contiguous)
    parquet().write_table(pa.table(table), place)


def read_parquet(place: Path) -> Columns:
    """A table of a Parquet file."""
    import pyarrow as pa

    found: Columns = {}
    for name, chunks in zip((table := parquet().read_table(place)).column_names, table.columns, strict=True):
        column = chunks.combine_chunks()
        if isinstance(column, pa.FixedShapeTensorArray):
            found[name] = column.to_numpy_ndarray()
        elif isinstance(column, pa.ListArray):
            found[name], found[RAGGED[0]] = column.flatten().to_numpy(), column.offsets.to_numpy()
        else:
            found[name] = column.to_numpy()
    return found


WRITERS = {"arrays": write_arrays, "parquet": write_parquet}
READERS = {"arrays": read_arrays, "parquet": read_parquet}
