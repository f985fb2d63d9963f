"""Client for programs that play at the tables of a site: `Client`, and `AsyncClient` for asyncio.

It needs the extra `client`, and neither the games nor the site.
"""

from ..errors import MissingExtra

try:
    import httpx2  # noqa: F401 - a missing package is reported in one sentence
except ModuleNotFoundError as error:
    raise MissingExtra.named("The client needs", error.name, "client") from None

from .async_client import AsyncClient
from .client import Client
from .models import Asked, Course, Legal, Mark, OpenTable, Position, Row, Seat, Table
from .protocol import Lost, Refused, Stale

__all__ = [
    "Asked",
    "AsyncClient",
    "Client",
    "Course",
    "Legal",
    "Lost",
    "Mark",
    "OpenTable",
    "Position",
    "Refused",
    "Row",
    "Seat",
    "Stale",
    "Table",
]
