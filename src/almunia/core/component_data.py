"""Component data of a game, from the shipped file or from an owner's corrected file."""

import os
import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from ..errors import MissingExtra, SetupError
from ..files import read_text

ENV_VAR = "ALMUNIA_COMPONENTS"
MAX_BYTES = 256 * 1024  # of a component file
MAX_FAULTS = 5  # in an error message
MAX_SHOWN = 40  # characters of a value in an error message

Data = dict[str, Any]


def read(components: str, schema: str = "") -> Data:
    """Return the component tables of a game: of a corrected file if there is one, else of `components.toml`.

    `components` is the `__file__` of the game's module `components`, which has `components.toml` in the same folder. An
    owner of the box may supply a corrected file. The environment variable ALMUNIA_COMPONENTS names the folder of
    corrected files, and the file is called after the game's folder: `orchard.toml`. `schema` is the name of the module
    that describes the values which a corrected file may change; by default the file may change no value. Only a
    corrected file makes this function import the schema, which needs pydantic.

    Raises:
        SetupError: ALMUNIA_COMPONENTS names no folder, a file cannot be read, or the corrected file has faults.
        MissingExtra: the schema of a corrected file needs pydantic, which is not installed.
    """
    path = Path(components).with_name("components.toml")
    folder = path.parent.parent if path.parent.name == "components" else path.parent  # of the game
    shipped, corrected = parse_file(path), corrected_file(folder.name)
    if corrected is None:
        return shipped
    data, faults = parse_file(corrected), differences
    if schema:
        try:
            faults = import_module(schema).Tables.faults
        except ModuleNotFoundError as error:
            if error.name != "pydantic":
                raise
            raise MissingExtra.named("Corrected component tables need", "pydantic", "components") from None
    if found := list(islice(faults(data, shipped), MAX_FAULTS)):
        raise SetupError(f"The component file {corrected} cannot be used: {'; '.join(found)}.")
    return data


def corrected_file(game: str) -> Path | None:
    """Return the owner's corrected file for the game in the folder `game`, or None if there is no such file.

    Raise SetupError if the environment variable ENV_VAR names something that is not a folder.
    """
    folder = os.environ.get(ENV_VAR)
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise SetupError(f"{ENV_VAR} names {folder}, which is no folder.")
    file = Path(folder, f"{game}.toml")
    return file if file.is_file() else None


def parse_file(path: Path) -> Data:
    """Return the tables of a component file. Raise SetupError if the file is too large, unreadable or not TOML."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise SetupError(f"The component file {path} has {size} bytes, and such a file has at most {MAX_BYTES}.")
        return tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"The component file {path} cannot be read: {error}.") from None
    except RecursionError:
        raise SetupError(f"The component file {path} cannot be read: it is nested too deeply.") from None


def differences(
    given: Any, shipped: Any, place: str = "", model: Any = None, remarks: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield a sentence on each difference between the given data and the shipped data.

    Skip values for which `model` has a field, unless the field describes only some keys of a table. Skip keys that
    begin with one of `remarks`. `place` is the location of the data in the file, for the sentences.
    """
    if isinstance(shipped, dict) and isinstance(given, dict):
        name, prefix = place or "the file", f"{place}, " if place else ""
        keys = [key for key in {**shipped, **given} if not (remarks and key.startswith(remarks))]
        for key in keys:
            field = model.model_fields.get(key) if model else None
            part = partial_model(field.annotation) if field else None
            if key not in given:
                yield f"{name} lacks {key!r}"
            elif key not in shipped:
                yield f"{name} has {shorten(key)}, which is not known here"
            elif part or not field:
                yield from differences(given[key], shipped[key], f"{prefix}{key}", part, remarks)
    elif isinstance(given, list) and isinstance(shipped, list) and any(isinstance(row, dict) for row in shipped):
        if len(given) != len(shipped):
            yield f"{place} has {len(given)} rows and must have {len(shipped)}"
        else:
            for number, (row, other) in enumerate(zip(given, shipped, strict=True), 1):
                yield from differences(row, other, f"{place} {number}", model, remarks)
    elif not model and repr(shipped) != repr(given):  # not ==, for True equals 1
        yield f"{place} is {shorten(given)} and must be {shorten(shipped)}"


def partial_model(annotation: Any) -> Any:
    if hasattr(annotation, "model_fields"):
        return annotation if annotation.model_config.get("extra") == "ignore" else None
    return next((found for part in get_args(annotation) if (found := partial_model(part))), None)


def shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
