"""Client for programs that play at the tables of a site: `Client`, and `AsyncClient` for asyncio.

The package needs the extra `client`, and loads neither the games nor the code of the site.
"""

from ..errors import needs_extra

with needs_extra("The client needs", "client"):
    from .async_client import AsyncClient
    from .client import Client
    from .models import (
        ActionSequence,
        Analysis,
        Legal,
        OpenTable,
        Position,
        Proposal,
        Seat,
        Table,
        TableChange,
        TableSummary,
    )
    from .protocol import Lost, Refused, Stale

__all__ = [
    "ActionSequence",
    "Analysis",
    "AsyncClient",
    "Client",
    "Legal",
    "Lost",
    "OpenTable",
    "Position",
    "Proposal",
    "Refused",
    "Seat",
    "Stale",
    "Table",
    "TableChange",
    "TableSummary",
]
