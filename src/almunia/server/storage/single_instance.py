"""With SQLite, one process serves a site, because nothing would notify a second process of changes."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from ...errors import SetupError
from ..settings import SHARED_DATABASE_ADVICE, Settings

LOCK_FILE = "serving.lock"  # locked by the serving process; the system releases it when that process ends


@contextmanager
def single_instance(settings: Settings) -> Iterator[None]:
    """Lock a data folder unless the database is shared; raise SetupError if another process has locked the folder."""
    if settings.is_shared:
        yield
        return
    settings.create_data_folder()
    lock = FileLock(settings.data / LOCK_FILE)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise SetupError(
            f"Another process serves the tables in {settings.data} already. Stop it, choose another folder with "
            f"--data, or let several processes serve the same tables: {SHARED_DATABASE_ADVICE}"
        ) from None
    try:
        yield
    finally:
        lock.release()
