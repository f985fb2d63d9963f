"""Random ids of tables and guests."""

import re
from secrets import token_urlsafe

TOKEN_PATTERN = re.compile(r"[\w-]{1,64}", re.ASCII)  # an id


def new_table_id() -> str:
    """Return the id of a new table."""
    return token_urlsafe(12)


def new_guest_id() -> str:
    """Return the id of a new guest."""
    return token_urlsafe(18)
