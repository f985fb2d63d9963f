"""Services by type: what routes ask for, they get."""

from dataclasses import dataclass
from inspect import getclosurevars

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from almunia.server.api.tables import TableAnswers
from almunia.server.daily.service import DailyDealService
from almunia.server.services import Services, service_of
from almunia.server.threads import Threads
from almunia.server.web.routing import Router
from almunia.server.web.table_renderer import TableRenderer

from ..attack.target import routes_in


class Bell:
    sound = "ding"


class Missing:
    pass


@dataclass(frozen=True)
class Door:
    bell: Bell


@pytest.fixture
def services():
    found = Services({Bell: Bell(), Threads: Threads(), DailyDealService: None})
    found.make((Door,))
    return found


@pytest.fixture
def client(services):
    router = Router()

    @router.get("/ring/{times}")
    def ring(request: Request, door: Door, times: int, how: str = "loudly") -> Response:
        assert service_of(request, Bell) is door.bell
        return PlainTextResponse(f"{door.bell.sound * times} {how}")

    @router.get("/missing")
    def missing(service: Missing) -> Response:
        return PlainTextResponse(str(service))

    app = Starlette(routes=router.all)
    app.state.services = services
    return TestClient(app)


def test_a_function_gets_the_services_of_its_annotations(client):
    assert client.get("/ring/2").text == "dingding loudly"
    assert client.get("/ring/1?how=softly").text == "ding softly"


def test_a_service_that_is_not_there_is_no_empty_value(client):
    with pytest.raises(KeyError):
        client.get("/missing")


def test_the_site_has_all_services_that_routes_ask_for(visitor):
    services = visitor.app.state.services
    wanted = {
        kind
        for route in visitor.app.routes
        if isinstance(route, Route)
        for kind in getattr(route.endpoint, "services", ())
    }
    wanted |= {
        getclosurevars(dependency.call).nonlocals["kind"]
        for route in routes_in(visitor.app.state.api.routes)
        for dependency in getattr(getattr(route, "dependant", None), "dependencies", ())
        if dependency.call.__name__ == "provided"
    }
    assert {TableAnswers, TableRenderer} <= wanted
    assert len(wanted) > 20
    for kind in wanted:
        assert isinstance(services[kind], kind)
