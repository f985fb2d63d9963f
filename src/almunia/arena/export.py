"""Files of simulation results: CSV, Parquet or JSON lines, with one row per play."""

import csv
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import numpy as np

from ..errors import MissingExtra, SetupError
from ..files import atomic_write
from .simulate import Columns, Simulated


def write(result: Simulated, path: Path) -> None:
    """Write the result of `simulate` to a file, in full or not at all. The suffix of `path` sets the format.

    Raises:
        SetupError: an unknown suffix, a folder that does not exist, or a path that cannot be written.
        MissingExtra: Parquet without pyarrow.
    """
    writer = writer_for(path)
    with atomic_write(path) as draft:
        writer(columns(result), draft)


def writer_for(path: Path) -> Callable[[Columns, Path], None]:
    """Return the writer for a suffix. Raise SetupError for an unknown suffix.

    Raise MissingExtra for Parquet without pyarrow.
    """
    if path.suffix not in WRITERS:
        raise SetupError(f"{path.name!r} should end in one of: {', '.join(WRITERS)}.")
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise MissingExtra.named("Parquet needs", "pyarrow", "arena")
    return WRITERS[path.suffix]


def columns(result: Simulated) -> Columns:
    """Return the arrays of a result as columns, each (plays,).

    The first column, play, counts from 0. `scores` of three seats become score_1, score_2, score_3.
    `score_table` becomes a column for each seat and each of the game's `SCORES`: score_table_1_1, score_table_1_2 and
    so on.
    """
    table: Columns = {"play": np.arange(len(result["seed"]))}
    for name, array in cast(Columns, result).items():
        stem = name.removesuffix("s")
        for index in np.ndindex(array.shape[1:]):
            table["_".join([stem if index else name, *(str(number + 1) for number in index)])] = array[:, *index]
    return table


def _write_csv(table: Columns, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(table)
        out.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


def _write_json_lines(table: Columns, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*(column.tolist() for column in table.values()), strict=True):
            file.write(json.dumps(dict(zip(table, row, strict=True)), ensure_ascii=False) + "\n")


def _write_parquet(table: Columns, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({name: pa.array(column.tolist()) for name, column in table.items()}), path)


WRITERS = {".csv": _write_csv, ".jsonl": _write_json_lines, ".parquet": _write_parquet}
