"""Programs that play at a site through the API. They check each response against the API's description."""

import re
from collections import Counter
from typing import Any

from httpx2 import Response
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from starlette.testclient import TestClient

from almunia.server.api.app import PREFIX
from almunia.server.site import Site

from .waiting import wait_until

HERE = "urn:openapi"
DESCRIPTION: list[Any] = []  # the description, once it has been made


class Described:
    """A site's API description, which checks responses and counts them."""

    def __init__(self, app: Any) -> None:
        self.document, self._registry = described(app)
        self.answers: Counter[tuple[str, str, int]] = Counter()  # by method, address and status

    @property
    def operations(self) -> set[tuple[str, str]]:
        """The methods of all addresses, with the addresses."""
        return {(method.upper(), path) for path, methods in self.document["paths"].items() for method in methods}

    def check(self, method: str, address: str, answer: Response) -> None:
        """Check that a response has a described status, and fits the schema."""
        path = self.path_of(method, address.partition("?")[0])
        known = self.document["paths"][path][method.lower()]["responses"]
        assert str(answer.status_code) in known, f"{method} {address}: {answer.status_code} is not described"
        self.answers[method, path, answer.status_code] += 1
        content = known[str(answer.status_code)].get("content", {})
        if "application/json" in content:
            schema = {"$ref": f"{HERE}#/components/schemas/{name_of(content['application/json']['schema'])}"}
            Draft202012Validator(schema, registry=self._registry).validate(answer.json())

    def path_of(self, method: str, address: str) -> str:
        """Return the address as the description has it, with parameters in braces."""
        fitting = [
            path
            for known, path in self.operations
            if known == method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), address)
        ]
        return min(fitting, key=lambda path: path.count("{"))


def name_of(schema: dict[str, Any]) -> str:
    """Return the name of a response's schema."""
    return str(schema["$ref"].rpartition("/")[2])


class Program:
    """An API client with a token and without cookies. All responses are checked."""

    def __init__(self, app: Any, token: str, client: tuple[str, int] = ("testclient", 50000)) -> None:
        self._http = TestClient(app, headers={"Authorization": f"Bearer {token}"}, client=client)
        self.described = Described(app)

    def get(self, address: str, **more: Any) -> Response:
        answer = self._http.get(PREFIX + address, **more)
        self.described.check("GET", address, answer)
        return answer

    def post(self, address: str, body: Any = None, **more: Any) -> Response:
        answer = self._http.post(PREFIX + address, json={} if body is None else body, **more)
        self.described.check("POST", address, answer)
        return answer

    def open(self, game: str = "orchard", *seats: str, **more: Any) -> str:
        """Open a table, and return its id."""
        answer = self.post("/tables", {"game": game, "seats": list(seats or ("me",)), **more})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["table"])

    def position(self, table: str, query: str = "") -> dict[str, Any]:
        """Return the position at a table."""
        answer = self.get(f"/tables/{table}/position{query}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def act(self, table: str, choose: int = 0) -> Response:
        """When it is the program's turn, play the legal action with this index."""

        def due() -> dict[str, Any] | None:
            found = self.position(table)
            return found if found["your_turn"] else None

        now = wait_until(due, "it is the program's turn")
        action = now["legal"][choose]["action"]
        return self.post(f"/tables/{table}/move", {"actions": [action], "seen": now["seen"]})


def described(app: Any) -> "tuple[dict[str, Any], Registry[Any]]":
    """Return the API description and its registry, cached, because they are the same for each site."""
    if not DESCRIPTION:
        document = app.state.api.openapi()
        DESCRIPTION.append((document, Registry().with_resource(HERE, Resource(document, DRAFT202012)).crawl()))
    return DESCRIPTION[0]


def token_of(site: Site, guest: str, name: str = "") -> str:
    """Create a token of a guest, and return it."""
    return site.tokens.create(guest, name or guest.capitalize(), "A program")
