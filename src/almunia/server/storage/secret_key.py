"""The key that signs sessions: in the data folder with SQLite, and in the database with PostgreSQL."""

from secrets import token_urlsafe

from sqlalchemy import Engine, select
from sqlalchemy.dialects.postgresql import insert

from ...errors import SetupError
from ..settings import SECRET_FILE, Settings, key_weakness
from . import schema
from .database import is_shared, read_connection

KEY_NAME = "session key"
SETTING = schema.site_setting.c


def session_key(settings: Settings, engine: Engine) -> str:
    """Return the site's key, made on first use; raise SetupError if the key in the database is weak.

    PostgreSQL has no key at first, and then gets the key of the data folder, if there is one.
    """
    if not is_shared(engine):
        return settings.session_key()
    fresh = settings.session_key() if (settings.data / SECRET_FILE).exists() else token_urlsafe(48)
    with engine.begin() as db:
        db.execute(insert(schema.site_setting).values(name=KEY_NAME, value=fresh).on_conflict_do_nothing())
    with read_connection(engine) as db:
        key: str = db.execute(select(SETTING.value).where(SETTING.name == KEY_NAME)).scalar_one()
    if wrong := key_weakness(key):
        raise SetupError(
            f"The session key in the database {wrong}. Remove the row "
            f"'{KEY_NAME}' of the table site_setting, and the site creates a new key. Then guests lose their seats."
        )
    return key
