"""The services of a site by type. A route's function gets the services in its annotations."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_type_hints

from starlette.requests import HTTPConnection

T = TypeVar("T")


class Services:
    """One instance of each service, by type."""

    def __init__(self, services: Mapping[type, object]) -> None:
        self._by_type: dict[Any, Any] = dict(services)

    def __getitem__(self, kind: type[T]) -> T:
        found: T = self._by_type[kind]
        return found

    def make(self, kinds: Iterable[type]) -> None:
        """Add services that are dataclasses of other services: each field gets the service of its type."""
        for kind in kinds:
            hints = get_type_hints(kind)
            self._by_type[kind] = kind(**{name: self._by_type[hint] for name, hint in hints.items()})


def service_of(connection: HTTPConnection, kind: type[T]) -> T:
    services: Services = connection.app.state.services
    return services[kind]
