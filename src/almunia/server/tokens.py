"""Random ids of tables and guests."""

import re
from secrets import token_urlsafe

TOKEN_PATTERN = re.compile(r"[\w-]{1,64}", re.ASCII)  # an id


def new_table_id() -> str:
    return _random_id(12)


def new_guest_id() -> str:
    return _random_id(18)


def _random_id(size: int) -> str:
    """Return an id of `size` random bytes, without a first hyphen, which a command would take for an option."""
    return re.sub("^-", "_", token_urlsafe(size))
