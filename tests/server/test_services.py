"""Routes get services by the types of their parameters."""

from dataclasses import dataclass
from inspect import getclosurevars

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from almunia.server.daily.service import DailyDealService
from almunia.server.errors import BadRequest, RequestError
from almunia.server.lobby.service import LobbyService
from almunia.server.services import Services, service_of
from almunia.server.threads import Threads
from almunia.server.web.forms import FormFields
from almunia.server.web.routing import FormPage, Router, shows_errors
from almunia.server.web.table_renderer import TableRenderer

from ..attack.target import routes_in


class Bell:
    sound = "ding"


class Missing:
    pass


@dataclass(frozen=True)
class Door:
    bell: Bell


@dataclass(frozen=True)
class Page(FormPage):
    request: Request
    door: Door
    form: FormFields

    def render_error(self, where: str, error: RequestError) -> Response:
        return PlainTextResponse(f"{where}: {error}", error.status)


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

    @router.get("/page")
    @router.post("/page")
    @shows_errors("field")
    def page(page: Page) -> Response:
        if page.form.text("wrong"):
            raise BadRequest(page.form.text("wrong"))
        return PlainTextResponse(f"{page.door.bell.sound} {page.form.has('right')}")

    @router.get("/missing")
    def missing(service: Missing) -> Response:
        return PlainTextResponse(str(service))

    app = Starlette(routes=router.all)
    app.state.services = services
    return TestClient(app)


def test_a_function_gets_the_services_of_its_annotations(client):
    assert client.get("/ring/2").text == "dingding loudly"
    assert client.get("/ring/1?how=softly").text == "ding softly"


def test_request_objects_get_services_and_form_fields(client):
    assert client.get("/page").text == "ding False"
    assert client.post("/page", data={"right": 1}).text == "ding True"


def test_a_page_with_a_form_shows_the_errors_of_its_routes(client):
    answer = client.post("/page", data={"wrong": "No."})
    assert (answer.status_code, answer.text) == (400, "field: No.")


def test_the_body_of_a_get_request_is_not_read(client):
    """The body of a GET request has no size limit."""
    form = {"content": b"right=1", "headers": {"Content-Type": "application/x-www-form-urlencoded"}}
    assert client.request("GET", "/page", **form).text == "ding False"
    assert client.post("/page", **form).text == "ding True"


def test_a_missing_service_raises_an_error(client):
    with pytest.raises(KeyError):
        client.get("/missing")


def test_the_site_has_all_services_of_its_routes(visitor):
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
    assert {LobbyService, TableRenderer} <= wanted
    assert len(wanted) > 20
    for kind in wanted:
        assert isinstance(services[kind], kind)
