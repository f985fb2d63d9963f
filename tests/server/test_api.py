"""The HTTP API: responses, access rules and hidden information."""

import json
import re
from base64 import b64decode
from hashlib import sha256
from socket import create_connection

import numpy as np
import pytest
from openapi_spec_validator import validate
from sqlalchemy import text, update
from sqlalchemy.exc import OperationalError

from almunia.server.api.app import COMMON_RESPONSES, PREFIX
from almunia.server.app import create_app
from almunia.server.auth import api_tokens
from almunia.server.limits import Limits
from almunia.server.settings import Settings
from almunia.server.storage import schema
from almunia.server.tables.model import MOVE, PERSON, Seat
from almunia.server.users.visitors import current_visitor

from ..programs import Program, token_of
from ..serving import answering
from .test_secrets import change, twin_seeds


@pytest.fixture
def program(visitor):
    """Return a program of a guest called Ana."""
    return Program(visitor.app, token_of(visitor.app.state.site, "ana"))


@pytest.fixture
def other(visitor):
    """Return a program of another guest."""
    return Program(visitor.app, token_of(visitor.app.state.site, "bea"))


def sentence(answer):
    """Check that an error is JSON with a sentence, and return the sentence."""
    said = answer.json()
    assert set(said) <= {"error", "status", "position"}
    assert said["status"] == answer.status_code
    assert re.fullmatch(r"[^<\n]+[.!?]", said["error"]), said["error"]
    return said["error"]


# --- tokens ------------------------------------------------------------------------------------------


def made(visitor, label="Robot"):
    """Return the token that the page shows after creating it."""
    page = visitor.post("/api-tokens", data={"label": label})
    assert page.headers["cache-control"] == "no-store"
    return re.search(r'value="(alm_[^"]+)"', page.text)[1]


def test_a_guest_makes_lists_and_revokes_tokens(visitor, stranger):
    visitor.post("/preferences", data={"name": "Ana"})
    token = made(visitor)
    page = visitor.get("/api-tokens").text
    assert token not in page
    assert "Robot" in page
    assert "last used: never" in page
    program = Program(visitor.app, token)
    assert program.get("/tables").status_code == 200
    assert "last used: just now" in visitor.get("/api-tokens").text
    number = token.split("_")[1]
    assert stranger.post(f"/api-tokens/{number}/revoke").status_code == 404
    assert program.get("/tables").status_code == 200
    assert visitor.post(f"/api-tokens/{number}/revoke", follow_redirects=False).status_code == 303
    refused = program.get("/tables")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert "revoked" in sentence(refused)
    assert "Robot" not in visitor.get("/api-tokens").text


def test_a_token_acts_as_its_guest(visitor):
    visitor.post("/preferences", data={"name": "Ana"})
    program = Program(visitor.app, made(visitor))
    table = program.open()
    assert "You are watching" not in visitor.get(f"/table/{table}").text
    assert program.get(f"/tables/{table}").json()["seats"][0]["name"] == "Ana"
    assert [row["table"] for row in program.get("/tables").json()["tables"]] == [table]


def test_only_a_hash_is_kept(visitor):
    token = made(visitor)
    number, secret = token.split("_", 2)[1:]
    with visitor.app.state.site.tables.store._engine.connect() as db:
        rows = [tuple(row) for row in db.execute(text("SELECT * FROM api_token"))]
    assert len(rows) == 1
    assert number in rows[0]
    assert sha256(secret.encode()).hexdigest() in rows[0]
    assert secret not in str(rows)


def test_tokens_per_guest_are_limited(visitor):
    for number in range(api_tokens.MAX_TOKENS):
        made(visitor, f"Robot {number}")
    refused = visitor.post("/api-tokens", data={"label": "One more"})
    assert refused.status_code == 409
    assert f"You have {api_tokens.MAX_TOKENS} tokens" in refused.text
    assert refused.text.count("/revoke") == api_tokens.MAX_TOKENS


@pytest.mark.parametrize("label", ["", "  ", "x" * 31, "a\u202eb"])
def test_a_token_needs_a_name_that_can_be_shown(visitor, label):
    refused = visitor.post("/api-tokens", data={"label": label})
    assert refused.status_code == 422
    assert "alm_" not in refused.text


def test_tokens_are_compared_in_constant_time(start, monkeypatch):
    """For an unknown token, two strings of the same length are compared."""
    compared = []

    def compare(one, two):
        compared.append((len(one), len(two)))
        return one == two

    monkeypatch.setattr(api_tokens, "compare_digest", compare)
    site = start().app.state.site
    token = token_of(site, "ana")
    assert site.tokens.authenticate(token)
    assert site.tokens.authenticate(token[:-1] + ("a" if token[-1] != "a" else "b")) is None
    assert site.tokens.authenticate(f"alm_{'0' * 16}_{token[21:]}") is None
    assert compared == [(64, 64)] * 3


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic eDp5",
        "Bearer alm_0123456789abcdef_",
        "Token alm",
        "Bearer alm_%s_%s",
    ],
)
def test_requests_without_a_valid_token_are_refused(visitor, said):
    token = token_of(visitor.app.state.site, "ana")
    filled = said % (token.split("_")[1], "a" * 43) if "%s" in said else said
    headers = {"Authorization": filled} if filled else {}
    for method, address in (("GET", "/tables"), ("POST", "/tables"), ("GET", "/events")):
        answer = visitor.request(
            method, PREFIX + address, headers=headers, **({"json": {}} if method == "POST" else {})
        )
        assert answer.status_code == 401
        sentence(answer)


def test_the_api_ignores_cookies_and_pages_ignore_tokens(visitor, stranger):
    table = visitor.open(**{"seat-0": "me"})
    assert visitor.get(f"{PREFIX}/tables").status_code == 401
    token = made(visitor)
    headers = {"Authorization": f"Bearer {token}"}
    assert "You are watching" in stranger.get(table, headers=headers).text
    seen = visitor.seen(table)
    fields = {"action": seen[2][0], "seat": 0, "seen": seen[1], "sure": 1}
    assert stranger.post(f"{table}/move", data=fields, headers=headers).status_code == 403
    assert visitor.seen(table) == seen


def test_the_api_accepts_any_origin(program):
    """The API uses no cookie, so it needs no check of the origin."""
    for origin in ("https://elsewhere.example", "null"):
        answer = program.post("/tables", {"game": "orchard", "seats": ["me"]}, headers={"Origin": origin})
        assert answer.status_code == 201
        assert "access-control-allow-origin" not in answer.headers
        assert "set-cookie" not in answer.headers


# --- limits and errors -------------------------------------------------------------------------------


def test_rates_hold_for_tokens_and_for_addresses(start):
    visitor = start(posts="3/minute")
    site = visitor.app.state.site
    token, second = token_of(site, "ana"), token_of(site, "bea")
    body = {"game": "orchard", "seats": ["me"]}
    programs = [Program(visitor.app, token, (f"10.0.0.{number}", 5)) for number in range(4)]
    answers = [program.post("/tables", body) for program in programs]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert "at most 3 requests per minute" in sentence(answers[-1])
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert programs[0].get("/tables").status_code == 200
    same = Program(visitor.app, second, ("10.0.0.9", 5))
    assert [same.post("/tables", body).status_code for _ in range(4)] == [201, 201, 201, 429]
    third = Program(visitor.app, token_of(site, "cleo"), ("10.0.0.9", 5))
    assert third.post("/tables", body).status_code == 429  # the limit counts by address, too
    page = Program(visitor.app, second)._http.post(
        "/preferences", data={"theme": "dark"}, headers={"Origin": "http://testserver"}
    )
    assert page.status_code == 200  # pages ignore tokens


def test_a_refused_form_has_a_retry_after_header(start):
    visitor = start(posts="1/minute")
    answers = [visitor.post("/preferences", data={"theme": "dark"}, follow_redirects=False) for _ in range(2)]
    assert 1 <= int(answers[1].headers["retry-after"]) <= 60


@pytest.mark.parametrize(
    "address", ["/nowhere", "", "/", "/tables/", "/tables/nowhere/x", "/docs", "/redoc", "/../tables"]
)
def test_an_unknown_address_is_reported_as_json(program, address):
    answer = program._http.get(PREFIX + address)
    assert answer.status_code == 404
    sentence(answer)


def test_an_unknown_address_below_api_is_reported_as_json(program):
    for address in ("/api/", "/api/v2/tables", "/api/v10"):
        answer = program._http.get(address)
        assert answer.status_code == 404
        sentence(answer)


@pytest.mark.parametrize(("method", "address"), [("PUT", "/tables"), ("DELETE", "/games"), ("OPTIONS", "/events")])
def test_a_method_that_is_not_allowed_is_reported_as_json(program, method, address):
    answer = program._http.request(method, PREFIX + address, headers={"Content-Length": "0"})
    assert answer.status_code == 405
    assert answer.headers["allow"] in sentence(answer)
    assert answer.headers["allow"]


ODD = [
    "",
    "null",
    "[]",
    "{",
    '"x"',
    "1",
    "[" * 2000,
    '{"game": ' + "9" * 5000 + "}",
    "\ud83d".encode("utf-8", "surrogatepass"),
]
FIELDS = [
    {"actions": "0", "seen": 0},
    {"actions": ["0"], "seen": 0},
    {"actions": [True], "seen": 0},
    {"actions": [0.0], "seen": 0},
    {"actions": [-1], "seen": 0},
    {"actions": [], "seen": 0},
    {"actions": [0] * 33, "seen": 0},
    {"actions": [10**30], "seen": 0},
    {"actions": [0], "seen": None},
    {"actions": [0], "seen": 0, "seats": 1},
    {"actions": [0], "seen": 0, "seat": 0},
    {"actions": [0]},
    {"seen": 0},
]


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
def test_a_body_that_is_not_json_is_refused(program, body):
    table = program.open()
    answer = program._http.post(
        f"{PREFIX}/tables/{table}/move", content=body, headers={"Content-Type": "application/json"}
    )
    program.described.check("POST", f"/tables/{table}/move", answer)
    assert answer.status_code in (400, 422)
    sentence(answer)


@pytest.mark.parametrize("body", FIELDS, ids=range(len(FIELDS)))
def test_a_field_that_is_wrong_is_named(program, body):
    table = program.open()
    before = program.position(table)
    answer = program.post(f"/tables/{table}/move", body)
    assert answer.status_code == 422
    assert re.match(r"The field '(actions|seen|seats?)[.\d]*' ", sentence(answer))
    assert len(sentence(answer)) < 300
    assert program.position(table) == before


@pytest.mark.parametrize("limits", [Limits(max_listed_games=1)], ids=[""])
def test_listed_games_of_a_program_are_limited(visitor, program):
    wanted = {"game": "orchard", "seats": ["me", "open"], "offered": True}
    assert program.post("/tables", wanted).status_code == 201
    before = program.get("/tables").json()
    refused = program.post("/tables", wanted)
    assert refused.status_code == 409
    assert "which is the limit" in sentence(refused)
    assert program.get("/tables").json() == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_body_of_another_content_type_is_refused_with_the_right_one(program, kind):
    answer = program._http.post(f"{PREFIX}/tables", content="{}", headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert "Content-Type: application/json" in sentence(answer)


def test_a_body_that_is_too_large_is_refused(program):
    answer = program.post("/tables/join", {"invitation": "x" * 70_000})
    assert answer.status_code == 413
    sentence(answer)


def test_a_body_larger_than_its_content_length_is_refused(program):
    """FastAPI wraps the error from reading the body in an HTTPException."""
    from almunia.server.web.middleware.security import MAX_BODY_BYTES

    def parts():
        for _ in range(9):
            yield b"x" * (MAX_BODY_BYTES // 4)

    answer = program._http.post(
        f"{PREFIX}/tables/join", content=parts(), headers={"Content-Length": "9", "Content-Type": "application/json"}
    )
    assert answer.status_code == 413
    sentence(answer)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"game": "nonsense", "seats": ["me"]}, "nonsense"),
        ({"game": "orchard", "seats": ["easy"]}, "'me' must be there once, not 0 times"),
        ({"game": "orchard", "seats": ["me", "me"]}, "not 2 times"),
        (
            {"game": "orchard", "seats": ["me", "deep"]},
            "There is no bot 'deep'; choose one of: me, open, beginner, easy",
        ),
        ({"game": "oregon", "seats": ["me"]}, "2 to 4"),
        ({"game": "orchard", "seats": ["me"], "options": {"half": "x"}}, "half"),
        ({"game": "orchard", "seats": ["me"], "options": {"reduced": "yes"}}, "not part of the published game"),
        ({"game": "orchard", "seats": ["me"], "clock": "fast"}, "There is no clock 'fast'"),
        ({"game": "orchard", "seats": ["me"], "zero": "boom"}, "'boom' is not a rule"),
        ({"game": "orchard", "seats": ["me"], "absence_timeout": 7}, "cannot be 7 seconds"),
        ({"game": "orchard", "seats": ["me"], "seed": -1}, "The field 'seed' cannot be -1"),
    ],
)
def test_an_invalid_table_is_refused_with_the_reason(program, body, told):
    answer = program.post("/tables", body)
    assert answer.status_code in (404, 422)
    assert told in sentence(answer)
    assert program.get("/tables").json()["total"] == 0


def test_an_internal_error_is_reported_as_json(visitor, program, monkeypatch, caplog):
    monkeypatch.setattr(visitor.app.state.site.tables, "get", lambda _: 1 / 0)
    program._http._transport.raise_server_exceptions = False
    answer = program._http.get(f"{PREFIX}/tables/x%1b[31m")
    assert answer.status_code == 500
    assert "The server has failed" in sentence(answer)
    said = {record.getMessage() for record in caplog.records if "failed" in record.msg}
    assert said == {f"GET {PREFIX}/tables/{{table_id}} failed."}


def test_a_database_outage_is_reported_as_json(visitor, program, monkeypatch):
    def away(*_: object) -> None:
        raise OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(visitor.app.state.site.tables, "get", away)
    answer = program.get("/tables/x")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert "check before you repeat it" in sentence(answer)


def test_a_program_that_sends_requests_without_a_stream_is_present(clock, program, other):
    """The absence timeout counts from a program's last request, not from the opening of the table."""
    table = program.open("oregon", "me", "open", absence_timeout=300)
    link = program.get(f"/tables/{table}").json()["seats"][1]["invitation"]
    other.post("/tables/join", {"invitation": link})
    mine = program.position(table)["your_turn"]
    mover, waiting = (program, other) if mine else (other, program)
    clock.advance(400)
    mover.act(table)
    waiting.act(table)
    clock.advance(30)
    claim = {"seat": 1 if mine else 2}
    assert waiting.post(f"/tables/{table}/claim", claim).status_code == 409
    mover.position(table)
    clock.advance(299)
    assert waiting.post(f"/tables/{table}/claim", claim).status_code == 409
    mover.get(f"/tables/{table}/position?view=spectator")  # anyone who knows the id can request this view
    clock.advance(2)
    assert waiting.post(f"/tables/{table}/claim", claim).status_code == 200


# --- the description ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_description_is_valid_and_needs_no_token(visitor):
    document = visitor.get(f"{PREFIX}/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    validate(document)
    assert document["servers"] == [{"url": PREFIX}]
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["description"]
            assert all(one["description"] for one in operation.get("parameters", ()))
            assert all(
                "application/json" in operation["responses"][str(status)]["content"] for status in COMMON_RESPONSES
            )
            assert "Retry-After" in operation["responses"]["429"]["headers"]
    assert "hint" not in str(list(document["paths"])), "programs get no hints"


def test_the_description_lists_the_fields_of_marks_and_the_values_of_settings(visitor, program):
    document = visitor.get(f"{PREFIX}/openapi.json").json()
    schemas = document["components"]["schemas"]
    assert schemas["Mark"]["required"] == ["table", "seat", "seen", "your_turn", "finished"]
    position = document["paths"]["/tables/{table_id}/position"]["get"]["responses"]
    assert "ETag" in position["200"]["headers"]
    wanted = schemas["NewTable"]["properties"]
    for name in ("clock", "zero", "absence_timeout"):
        assert wanted[name]["default"] in wanted[name]["enum"]
        for value in wanted[name]["enum"]:
            assert program.open("oregon", "me", "easy", **{name: value})
        assert program.post("/tables", {"game": "oregon", "seats": ["me", "easy"], name: 7}).status_code == 422


def test_an_unknown_field_is_refused(program):
    answer = program.post("/tables", {"game": "oregon", "seats": ["me", "easy"], "ranked": True})
    assert sentence(answer) == "The field 'ranked' does not exist. It may be misspelt."


def test_requests_without_a_body_are_accepted_if_no_field_is_needed(tmp_path):
    """`curl -X POST` sends neither a body nor a Content-Length header."""
    app = create_app(Settings(data=tmp_path, compiled=False))
    with answering(app) as port:
        site, token = app.state.site, token_of(app.state.site, "ana")
        seats = [Seat(PERSON, "ana", "Ana"), *(Seat(PERSON, who, who.capitalize()) for who in ("bea", "cid"))]
        table = site.tables.create("oregon", seats, "ana", {}, None).id
        for deed, status in (("leave", 200), ("return", 200), ("resign", 200), ("resign", 403), ("move", 422)):
            head = f"POST {PREFIX}/tables/{table}/{deed} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
            with create_connection(("127.0.0.1", port)) as line:
                line.sendall(head.encode())
                assert line.recv(4096).startswith(b"HTTP/1.1 %d " % status), deed


def test_every_response_matches_its_description(visitor, program, other):
    """`Program` checks each response against the OpenAPI document. Each operation is called at least once."""
    program.get("/games")
    for row in program.get("/games").json()["games"]:
        detail = program.get(f"/games/{row['game']}").json()
        assert "reduced" not in [option["name"] for option in row["options"]]
        assert sum(np.prod(shape) for shape in detail["tensor"].values()) == detail["tensor_size"]
    assert program.get("/games/nonsense").status_code == 404
    table = program.open("oregon", "me", "open")
    facts = program.get(f"/tables/{table}").json()
    link = facts["seats"][1]["invitation"]
    assert other.get(f"/tables/{table}").json()["seats"][1]["invitation"] is None
    assert other.post("/tables/join", {"invitation": "nonsense"}).status_code == 404
    assert other.post("/tables/join", {"invitation": link, "name": "Robot"}).json()["seats"][1]["name"] == "Robot"
    assert other.post("/tables/join", {"invitation": link}).status_code == 200  # the seat is the account's already
    program.get(f"/tables/{table}/position?include=data&include=legal&include=text&include=tensor")
    mover = program if program.position(table)["your_turn"] else other
    assert mover.act(table).status_code == 200
    assert program.post(f"/tables/{table}/undo", {"seen": program.position(table)["seen"]}).status_code in (
        200,
        403,
        409,
    )
    program.get(f"/tables/{table}/log")
    assert program.get(f"/tables/{table}/record").status_code == 403
    assert other.post(f"/tables/{table}/leave", {}).json()["seats"][1]["bot"] == "medium"
    assert other.post(f"/tables/{table}/return", {}).status_code == 200
    assert other.post(f"/tables/{table}/return", {}).status_code == 409
    assert other.post(f"/tables/{table}/resign", {"seat": 1}).status_code == 403
    assert other.post(f"/tables/{table}/claim", {"seat": 1}).status_code == 409
    assert other.post(f"/tables/{table}/propose", {"what": "undo"}).status_code == 422
    assert other.post(f"/tables/{table}/propose", {"what": "end"}).json()["asked"]["seat"] == 2
    assert program.post(f"/tables/{table}/answer-proposal", {"agree": False}).json()["asked"] is None
    program.open("oregon", "me", "open", offered=True)
    (offered,) = other.get("/open-tables").json()["tables"]
    assert other.post(f"/open-tables/{offered['handle']}/join").json()["seat"] == 2
    assert other.post("/open-tables/nonsense/join").status_code == 409
    ended = other.post(f"/tables/{table}/resign", {}).json()
    assert (ended["finished"], ended["ended"]) == (True, "resigned")
    assert "seed:" in program.get(f"/tables/{table}/record").json()["text"]
    assert program.get(f"/tables/{table}/analysis").json()["status"] == "none"
    assert program.post(f"/tables/{table}/analysis", {}).status_code == 503, "this site does not compile"
    assert program.post(f"/tables/{table}/abort", {}).status_code == 409
    assert program.post(f"/tables/{table}/ready", {}).status_code == 409
    assert program.get("/tables?page=0").status_code == 422
    assert program.get("/profile").json()["results"][0]["won"] == 1
    assert program.get("/leaderboards/oregon").json()["leaders"] == []
    assert program.get("/leaderboards/nonsense").status_code == 404
    deals = program.get("/daily").json()["deals"]
    assert {deal["results"] for deal in deals} == {None}
    assert program.get(f"/daily/{deals[-1]['deal']}/league").json() == {"divisions": []}
    daily = program.get("/puzzles/daily").json()
    assert program.get("/puzzles/nonsense").status_code == 404
    assert program.post("/puzzles/daily/answer", {"action": daily["legal"][0]["action"]}).json()["rating"] is None
    page = visitor.post(
        "/tournaments",
        data={
            "name": "Cup",
            "game": "orchard",
            "kind": "swiss",
            "seats": 2,
            "places": 3,
            "rounds": 1,
            "clock": "live-5",
        },
    ).url.path
    assert [one["name"] for one in program.get("/tournaments").json()["tournaments"]] == ["Cup"]
    assert [one["mine"] for one in program.post(f"{page}/enter").json()["standings"]] == [True]
    assert program.get(page).json()["games"] == []
    done = {(method, path) for one in (program, other) for method, path, _ in one.described.answers}
    assert program.described.operations - done == {("GET", "/events")}  # see test_event_stream.py for it


def test_the_page_of_programs_names_every_address(visitor, program):
    page = visitor.get("/api-tokens").text
    for method, path in program.described.operations:
        assert f"<code>{method} {PREFIX}{path}</code>" in page
    assert not re.findall(r'(?:src|href|action)="(?!/|#)[^"]*"', page)


# --- positions ---------------------------------------------------------------------------------------


def test_a_position_includes_the_requested_parts(visitor, program):
    table = program.open("oregon", "me", "easy", seed=3)
    seen = visitor.app.state.site.tables.get(table).play.observe(0)
    now = program.position(table, "?include=data&include=text&include=tensor&include=legal")
    assert now["observation"] == json.loads(json.dumps(seen.to_dict()))
    assert now["text"] == seen.describe()
    numbers = np.frombuffer(b64decode(now["tensor"]["data"]), "<f4")
    assert np.array_equal(numbers, seen.tensor())
    assert now["tensor"]["shape"] == [seen.game.tensor_size]
    listed = program.position(table, "?include=tensor&tensor=list")
    assert np.array_equal(np.array(listed["tensor"]["data"], np.float32), seen.tensor())
    assert (listed["observation"], listed["legal"], listed["text"]) == (None, None, None)
    assert [one["action"] for one in now["legal"]] == list(seen.legal_actions)
    assert now["legal"] == now["observation"]["legal"]


def test_spectators_get_the_public_observation(visitor, program, other):
    table = program.open("alhambra", "me", "easy", seed=3)
    spectator = visitor.app.state.site.tables.get(table).play.observe()
    for found in (other.position(table), program.position(table, "?view=spectator")):
        assert found["observation"] == json.loads(json.dumps(spectator.to_dict()))
        assert (found["seat"], found["your_turn"], found["legal"]) == (None, False, [])
    assert other.post(f"/tables/{table}/move", {"actions": [0], "seen": 0}).status_code == 403


def test_courses_are_offered_and_played_in_one_request(visitor, program):
    table = program.open("alhambra", "me", "easy", seed=3)
    tables, acted = visitor.app.state.site.tables, False
    for _ in range(400):
        now = program.position(table)
        if now["finished"]:
            break
        if now["courses"]:
            sent = {"actions": now["courses"][-1]["actions"], "seen": now["seen"]}
            assert program.post(f"/tables/{table}/move", sent).status_code == 200
            acted = True
            break
        turn = tables.get(table).play.turn
        if turn == 0:
            program.act(table)
    assert acted


def test_a_position_that_has_not_changed_is_not_sent_again(program):
    table = program.open(seed=4)
    first = program.get(f"/tables/{table}/position")
    tag = first.headers["etag"]
    same = program.get(f"/tables/{table}/position", headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    for query in ("?include=text", "?view=spectator", "?include=tensor&tensor=list"):
        assert program.get(f"/tables/{table}/position{query}", headers={"If-None-Match": tag}).status_code == 200
    program.act(table)
    changed = program.get(f"/tables/{table}/position", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


# --- acting ------------------------------------------------------------------------------------------


def test_a_repeated_move_request_is_refused(program):
    table = program.open(seed=4)
    now = program.position(table)
    sent = {"actions": [now["legal"][0]["action"]], "seen": now["seen"]}
    first = program.post(f"/tables/{table}/move", sent)
    assert first.status_code == 200
    second = program.post(f"/tables/{table}/move", sent)
    assert second.status_code == 409
    sentence(second)
    assert second.json()["position"] == first.json() == program.position(table)


@pytest.mark.parametrize("game", ["oregon", "orchard"])
def test_a_repeated_move_request_of_a_guest_with_several_seats_is_refused(visitor, program, other, game):
    """The repeated request is refused, whichever seat is to move next."""
    site = visitor.app.state.site
    seats = [Seat(PERSON, guest, name) for guest, name in (("ana", "Ana"), ("ana", "Ada"), ("bea", "Bea"))]
    table, met = site.tables.create(game, seats, "ana", seed=4).id, set()
    for _ in range(12):
        by = next(by for by in (program, other) if by.position(table)["your_turn"])
        now = by.position(table)
        sent = {"actions": [now["legal"][0]["action"]], "seen": now["seen"], "seat": now["seat"]}
        assert by.post(f"/tables/{table}/move", sent).status_code == 200
        met.add((now["seat"], site.tables.get(table).table.turn + 1))
        for again in (sent, {"actions": sent["actions"], "seen": sent["seen"]}):
            second = by.post(f"/tables/{table}/move", again)
            assert second.status_code == 409
            sentence(second)
            assert second.json()["position"] == by.position(table)
    assert {(1, 2), (2, 3), (3, 1)} <= met


def test_a_move_of_one_seat_is_refused_for_another_seat(visitor, program):
    """Versions are counted by seat, so the version of one seat can be that of another seat by chance."""
    site = visitor.app.state.site
    table = site.tables.create("oregon", (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "ana", "Ada")), "ana", seed=4).id
    now = program.position(table)
    sent = {"actions": [now["legal"][0]["action"]], "seen": now["seen"], "seat": 3 - now["seat"]}
    late = program.post(f"/tables/{table}/move", sent)
    assert (
        late.status_code
        == program.post(f"/tables/{table}/undo", {"seen": now["seen"], "seat": sent["seat"]}).status_code
    )
    assert (late.status_code, late.json()["position"]) == (409, now)
    assert "not seat" in sentence(late)
    assert program.post(f"/tables/{table}/move", sent | {"seat": 3}).status_code == 403
    assert program.post(f"/tables/{table}/move", sent | {"seat": now["seat"]}).status_code == 200


def test_a_move_is_refused_once_a_bot_plays_for_its_seat(visitor, program, monkeypatch):
    """The action is refused even if the program has guessed the next version."""
    site = visitor.app.state.site
    site.bot_runner.pause()
    seats = (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea"))
    table, wait_for_lock = site.tables.create("orchard", seats, "ana").id, site.tables.move

    def queued(*given, **named):
        site.seats.step_away(table, 0, "ana", "easy")
        return wait_for_lock(*given, **named)

    monkeypatch.setattr(site.tables, "move", queued)
    now = program.position(table)
    answer = program.post(f"/tables/{table}/move", {"actions": [now["legal"][0]["action"]], "seen": now["seen"] + 1})
    assert answer.status_code == 409
    assert "A bot is playing for you" in sentence(answer)
    assert site.tables.get(table).play.actions == []


def test_an_illegal_move_is_refused(program):
    table = program.open(seed=4)
    now = program.position(table)
    answer = program.post(f"/tables/{table}/move", {"actions": [10**6], "seen": now["seen"]})
    assert answer.status_code == 422
    sentence(answer)
    assert program.position(table) == now


def test_a_seat_that_is_not_to_move_cannot_move(visitor, program, other):
    site = visitor.app.state.site
    seats = (Seat(PERSON, "bea", "Bea"), Seat(PERSON, "ana", "Ana"))
    opened = (site.tables.create("oregon", seats, "ana", seed=seed) for seed in range(99))
    table = next(one.id for one in opened if one.turn == 0)
    now = program.position(table)
    assert (now["your_turn"], now["legal"], now["turn"], now["seat"]) == (False, [], 1, 2)
    assert program.post(f"/tables/{table}/move", {"actions": [0], "seen": now["seen"]}).status_code == 403
    other.post(f"/tables/{table}/leave", {"bot": "easy"})
    away = other.position(table)
    assert (away["your_turn"], away["legal"]) == (False, [])


def test_a_move_can_be_undone(program):
    table = program.open("alpujarras", "me", "easy", seed=5)
    for _ in range(60):
        now = program.position(table)
        if now["can_undo"]:
            break
        if now["your_turn"]:
            program.act(table)
    assert now["can_undo"]
    undone = program.post(f"/tables/{table}/undo", {"seen": now["seen"]})
    assert undone.status_code == 200
    assert undone.json()["your_turn"]
    assert program.post(f"/tables/{table}/undo", {"seen": now["seen"]}).status_code == 409


def test_a_program_with_several_seats_must_name_the_seat(visitor, program):
    site = visitor.app.state.site
    seats = (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "ana", "Ada"), Seat(PERSON, "bea", "Bea"))
    table = site.tables.create("oregon", seats, "ana", seed=4).id
    assert program.post(f"/tables/{table}/leave", {}).status_code == 422
    assert program.post(f"/tables/{table}/leave", {"seat": 2}).json()["seats"][1]["bot"] == "medium"
    assert program.post(f"/tables/{table}/leave", {"seat": 3}).status_code == 403
    assert program.position(table)["seat"] == 1


def test_programs_open_tables_without_hints(visitor, program):
    table = program.open()
    assert not visitor.app.state.site.tables.get(table).table.hints
    assert not program.get(f"/tables/{table}").json()["hints"]


def test_tables_are_paginated_with_waiting_tables_first(visitor, program):
    site = visitor.app.state.site
    for _ in range(51):
        site.tables.create("orchard", (Seat(PERSON, "bea", "Bea"), Seat(PERSON, "ana", "Ana")), "bea")
    waiting = program.open()
    first, second = (program.get(f"/tables?page={page}").json() for page in (1, 2))
    assert (first["pages"], first["total"], len(first["tables"]), len(second["tables"])) == (2, 52, 50, 2)
    assert first["tables"][0]["table"] == waiting
    assert [row["your_turn"] for row in first["tables"]] == [True] + [False] * 49
    assert program.get("/tables?page=3").json()["tables"] == []


def test_the_log_is_plain_text(visitor, program):
    table = program.open("oregon", "me", "easy", seed=4)
    program.act(table)
    found = program.get(f"/tables/{table}/log").json()
    assert found["entries"]
    assert set(found["entries"][0]) == {"seat", "lines", "points", "at", "seconds"}
    known = visitor.app.state.site.tables.get(table).history(0).log_entries[: found["total"]]
    facts = [(one["seat"], one["points"], one["at"], one["seconds"]) for one in found["entries"]]
    assert facts == [(one.seat + 1, one.gain, int(one.created_at), int(one.seconds)) for one in known]
    assert all(one["at"] > 0 for one in found["entries"])
    assert visitor.app.state.site.tables.get(table).move_times == ()  # hidden moves have times, too
    line = found["entries"][0]["lines"][0]
    assert line.startswith(("Ana ", "Easy bot "))
    assert not re.search(r"[<>&●◆§]|\s\s", line)
    assert program.get(f"/tables/{table}/log?start=99999").json()["entries"] == []


# --- secrets -----------------------------------------------------------------------------------------

ADDRESSES = [
    "/tables",
    "/tables/{0}",
    "/tables/{0}?view=spectator",
    "/tables/{0}/position?include=data&include=legal&include=text&include=tensor",
    "/tables/{0}/position?view=spectator&include=data&include=text&include=tensor",
    "/tables/{0}/log",
    "/tables/{0}/record",
]


def everything(program, table):
    """Return the responses to requests about a table, with their headers."""
    got = [program.get(address.format(table)) for address in ADDRESSES]
    for body in ({"actions": [0], "seen": 10**6}, {"actions": [10**6], "seen": 0}, {"actions": [1, 2], "seen": 0}):
        got.append(program.post(f"/tables/{table}/move", body))
    got.append(program.post(f"/tables/{table}/undo", {"seen": 10**6}))
    return [(answer.status_code, dict(answer.headers), answer.content) for answer in got]


@pytest.mark.usefixtures("clock")
def test_the_deck_stays_hidden(visitor, program, other):
    one, another = twin_seeds()
    seats = (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "cleo", "Cleo"))
    table = visitor.app.state.site.tables.create("orchard", seats, "ana", seed=one).id
    before = [everything(who, table) for who in (program, other)]
    change(visitor, f"/table/{table}", seed=another)
    assert [everything(who, table) for who in (program, other)] == before


@pytest.mark.usefixtures("clock")
def test_secret_choices_stay_hidden(visitor, program, other):
    """The two states differ only in the secret choice of another seat."""
    tables = visitor.app.state.site.tables
    seats = (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea"))
    table = tables.create("orchard", seats, "ana", seed=5).id
    now = tables.get(table)
    first, *_, last = now.play.legal_actions
    mine = other.position(table)["seen"]
    tables.move(table, 0, first, now.history(0).version)
    assert other.position(table)["seen"] in (mine, mine + 1)
    before = everything(other, table)
    entry = schema.table_event
    with tables.store._engine.begin() as db:
        db.execute(update(entry).where(entry.c.kind == MOVE).values(action=last))
    tables._cache.clear()
    assert everything(other, table) == before
    assert everything(program, table) != before


def test_the_api_does_not_read_the_session():
    """The API knows its caller only by the token, never by a cookie."""
    from pathlib import Path

    import almunia.server.api as package

    sources = [path.read_text("utf-8") for path in Path(package.__file__).parent.glob("*.py")]
    assert len(sources) > 5
    assert not [
        name for text in sources for name in ("request.session", current_visitor.__name__, "cookies") if name in text
    ]
