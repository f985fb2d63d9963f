"""The folder of a match or a trace: a configuration file, and parts. Each file is written in full or not at all."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..errors import MissingExtra, SetupError
from ..files import write

T = TypeVar("T")


class ResultFolder:
    """A folder with the results of one configuration, which can be resumed with the same configuration only."""

    def __init__(self, path: Path, kind: str, config_name: str) -> None:
        self.path, self.config_file = path, path / config_name  # `open` creates both
        self.kind = kind  # "match" or "trace", for error messages

    def open(self, config: Mapping[str, Any]) -> None:
        """Create the folder, or check that it has this configuration.

        Raise SetupError if the folder has another configuration or other files, is damaged, or cannot be created.
        """
        if self.config_file.is_file():
            self.check(config)
        elif self.path.exists() and not (self.path.is_dir() and all(map(self._is_draft, self.path.iterdir()))):
            raise SetupError(f"{str(self.path)!r} is there already, and it is no {self.kind}. Name a new folder.")
        else:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise SetupError(f"The folder {str(self.path)!r} cannot be made: {error.strerror}.") from None
            self.write_config(config)

    def _is_draft(self, file: Path) -> bool:
        """Return whether a file's name is that of a draft of the configuration, which a killed process may leave."""
        return file.name.startswith(f".{self.config_file.name}.")

    def check(self, config: Mapping[str, Any]) -> None:
        """Raise SetupError unless the folder has this configuration."""
        stored = self.read_config()
        for name, value in json.loads(json.dumps(config)).items():
            if stored.get(name) != value and name == "bot_code":
                raise SetupError(
                    f"The bots have changed since the {self.kind} in {str(self.path)!r} was played: "
                    "name another folder."
                )
            if stored.get(name) != value:
                raise SetupError(
                    f"The {self.kind} in {str(self.path)!r} has {name.replace('_', ' ')} {stored.get(name)!r}, "
                    f"not {value!r}: resume it with the same, or name another folder."
                )

    def read_config(self) -> dict[str, Any]:
        """Return the configuration. Raise SetupError if its file is missing or damaged."""
        try:
            config = json.loads(self.config_file.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise SetupError(f"There is no {self.kind} in {str(self.path)!r}.") from None
        except (OSError, ValueError, RecursionError):
            config = None
        if not isinstance(config, dict):
            raise self.damaged()
        return config

    def damaged(self) -> SetupError:
        return SetupError(
            f"{self.config_file} is damaged or of another version of Almunia, so it does not say which {self.kind} "
            "this is. Name another folder."
        )

    def write_config(self, config: Mapping[str, Any]) -> None:
        write(self.config_file, json.dumps(config, indent=2) + "\n")

    def read_part(self, read: Callable[[Path], T], file: Path, part: Path) -> T:
        """Return the contents of a file of a part. If reading fails, raise SetupError with the part to remove."""
        try:
            return read(file)
        except (OSError, ValueError, EOFError) as error:  # including the errors of pyarrow
            raise SetupError(
                f"{file} cannot be read ({error}). If it is damaged, remove {part}: the same command plays it again."
            ) from None


def import_parquet() -> Any:
    """Return the module that reads and writes Parquet. Raise MissingExtra if pyarrow is not installed."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.named("Parquet needs", "pyarrow", "arena") from None
    return parquet
