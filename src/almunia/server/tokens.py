"""Random ids of tables and guests."""

import re
from secrets import token_urlsafe

TOKEN_PATTERN = re.compile(r"[\w-]{1,64}", re.ASCII)  # what an id is made of


def new_table_id() -> str:
    """The id of a new table."""
    return token_urlsafe(12)


def new_guest_id() -> str:
    """The id of a new guest."""
    return token_urlsafe(18)
