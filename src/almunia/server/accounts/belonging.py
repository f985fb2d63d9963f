"""What one part of the site keeps of people, and how that is exported, moved and forgotten."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..context import Site

SOMEBODY = "Somebody"  # what people are called who have had everything about them deleted


class Belonging(NamedTuple):
    """One kind of things that the site keeps of a guest."""

    name: str  # under which it stands in an export
    tables: tuple[str, ...]  # of the database, for which it answers
    export: Callable[["Site", str], Any]  # all of it that the guest may know, as JSON
    move: Callable[["Site", str, str], None]  # from a guest to another one, who is the same person
    forget: Callable[["Site", str], None]  # until nothing tells of the guest
