"""Client for programs that play at the tables of a site: `Client`, and `AsyncClient` for asyncio.

It needs the extra `client`, and neither the games nor the site.
"""

from ..errors import needs_extra

with needs_extra("The client needs", "client"):
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
