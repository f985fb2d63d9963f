"""What can be set about the site: from the command line, or by environment variables."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from ..errors import SetupError

DATABASE_FILE = "almunia.sqlite3"
SECRET_FILE = "session.key"  # noqa: S105  the name of the file, not what is in it


@dataclass(frozen=True)
class Settings:
    """How a site runs."""

    data: Path  # the folder of the database and the session key
    database: str = ""  # a SQLAlchemy address; SQLite in the data folder if empty
    address: str = ""  # where people reach the site, such as https://play.example.org
    posts: str = "240/minute"  # how many requests that change something one guest or address may send
    workers: int = 2  # threads in which bots think
    compiled: bool = True  # go over to the compiled rules once they are ready

    @classmethod
    def from_environment(cls, data: str | Path | None = None) -> "Settings":
        """The settings from ALMUNIA_DATA, ALMUNIA_DATABASE, ALMUNIA_ADDRESS and ALMUNIA_POSTS."""
        folder = data or os.environ.get("ALMUNIA_DATA") or _own_folder()
        return cls(
            data=Path(folder).expanduser(),
            database=os.environ.get("ALMUNIA_DATABASE", ""),
            address=os.environ.get("ALMUNIA_ADDRESS", "").rstrip("/"),
            posts=os.environ.get("ALMUNIA_POSTS", cls.posts),
        )

    @property
    def url(self) -> str:
        """The address of the database."""
        return self.database or f"sqlite:///{self.data / DATABASE_FILE}"

    @property
    def secure(self) -> bool:
        """Do people reach the site by TLS?"""
        return self.address.startswith("https://")

    def prepare(self) -> None:
        """Make the data folder; SetupError if that cannot be."""
        try:
            self.data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SetupError(
                f"The data folder {self.data} cannot be made ({error.strerror}); "
                "choose another with --data or ALMUNIA_DATA."
            ) from None

    def session_key(self) -> str:
        """The key that signs session cookies, made once and readable by the owner alone."""
        path = self.data / SECRET_FILE
        try:
            with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(secrets.token_urlsafe(48))
        except FileExistsError:
            pass
        except OSError as error:
            raise SetupError(
                f"The data folder {self.data} cannot be written ({error.strerror}); "
                "choose another with --data or ALMUNIA_DATA."
            ) from None
        return path.read_text("utf-8").strip()


def _own_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("almunia", appauthor=False)
