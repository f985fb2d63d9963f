"""Headers, origins, rate limits, cookies, and files outside the site."""

import tomllib
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.requests import HTTPConnection

import almunia.server
from almunia.server.users.visitors import current_visitor
from almunia.server.web.middleware.security import POLICY

SERVER = Path(almunia.server.__file__).parent
HERE = Path(__file__).parent
VENDORS = [SERVER / "web" / "static" / "vendor", HERE.parent / "browser" / "vendor"]


@pytest.mark.parametrize("address", ["/", "/my/games", "/nowhere", "/static/site.css", "/games/orchard"])
def test_every_answer_carries_the_policy(visitor, address):
    headers = visitor.get(address).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_the_content_security_policy_allows_nothing_by_default():
    assert POLICY.startswith("default-src 'none'")
    assert "unsafe-eval" not in POLICY
    assert "http" not in POLICY
    assert [part for part in POLICY.split("; ") if "unsafe-inline" in part] == ["style-src-attr 'unsafe-inline'"]


def test_pages_have_no_inline_scripts_or_styles(visitor):
    table = visitor.open()
    for address in ("/", "/games/orchard", table):
        page = visitor.get(address).text
        assert "<script>" not in page
        assert "<style" not in page
        assert " onclick=" not in page
        assert "http://" not in page.replace("http://www.w3.org/", "").replace("http://testserver/", "")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://testserver.elsewhere.example"},
        {"Origin": "https://testserver"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_requests_from_other_origins_are_refused(visitor, headers):
    answer = visitor.post("/games/orchard/tables", data={"quick": 1}, headers=headers, follow_redirects=False)
    assert answer.status_code == 403
    assert "did not come from a page of this site" in answer.text


def test_the_origin_is_compared_with_the_public_address(start):
    visitor = start(address="https://play.example.org")
    fields = {"data": {"quick": 1}, "follow_redirects": False}
    answer = visitor.post("/games/orchard/tables", headers={"Origin": "https://play.example.org"}, **fields)
    assert answer.status_code == 303
    assert "secure" in answer.headers["set-cookie"].lower()
    assert visitor.post("/games/orchard/tables", headers={"Origin": "http://testserver"}, **fields).status_code == 403


def test_the_cookie(visitor):
    cookie = visitor.post("/games/orchard/tables", data={"quick": 1}, follow_redirects=False).headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=lax" in cookie.lower()
    assert "set-cookie" not in visitor.get("/").headers


def test_a_forged_cookie_is_anonymous(visitor):
    table = visitor.open(**{"seat-0": "me"})
    value = visitor.cookies["almunia"]
    visitor.cookies.clear()
    visitor.cookies.set("almunia", value[:-3] + "abc")
    assert "You are watching" in visitor.get(table).text


def test_invalid_preferences_in_a_cookie_are_ignored():
    guest = current_visitor(HTTPConnection({"type": "http", "session": {"pace": "warp", "size": 3, "theme": "dark"}}))
    assert (guest.pace, guest.size, guest.theme) == ("normal", "usual", "dark")


def test_too_many_posts(start):
    visitor = start(posts="3/minute")
    answers = [visitor.post("/preferences", data={"theme": "dark"}, follow_redirects=False) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [303, 303, 303, 429, 429]
    assert "going too fast: at most 3 requests per minute" in answers[-1].text
    assert visitor.get("/").status_code == 200
    part = visitor.post("/preferences", data={"theme": "dark"}, headers={"HX-Request": "true"})
    assert part.status_code == 429
    assert part.headers["hx-retarget"] == "#notice"
    assert "<" not in part.text


def test_a_form_too_large(visitor):
    answer = visitor.post("/preferences", data={"name": "x" * 70_000})
    assert answer.status_code == 413


@pytest.mark.parametrize("folder", VENDORS, ids=lambda folder: folder.parent.name)
def test_files_of_others_are_as_published(folder):
    listed = {file["name"]: file for file in tomllib.loads((folder / "VENDOR.toml").read_text("utf-8"))["file"]}
    licences = {file["licence_file"] for file in listed.values() if "licence_file" in file}
    found = {path.name for path in folder.iterdir()} - {"VENDOR.toml", "LICENSE"}
    assert {*listed, *licences} == found
    for name, file in listed.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == file["sha256"], name
        assert file["licence"]
        assert file["version"]


@pytest.mark.parametrize("headers", [{"Origin": "http://["}, {"Origin": "http://testserver", "Host": "[::1"}])
def test_an_invalid_origin_is_refused(visitor, headers):
    assert visitor.post("/preferences", data={"name": "Ana"}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "charset", ["nonsense", "idna", "punycode", "utf-16", "hex", "utf-7", "unicode_escape", "\x00"]
)
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_in_an_unusual_charset_is_read_or_refused(visitor, charset, kind):
    body = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\xff.xn--a\\x\r\n--x--\r\n'
    headers = {"Content-Type": f"{kind}; charset={charset}"}
    answer = visitor.post("/preferences", content=body, headers=headers, follow_redirects=False)
    assert answer.status_code in (303, 400, 422)
    if answer.status_code == 400:
        assert "This form cannot be read" in answer.text


def test_a_truncated_form_is_refused(visitor):
    answer = visitor.post("/preferences", content=b"--x", headers={"Content-Type": "multipart/form-data"})
    assert answer.status_code == 400
    assert "This form cannot be read" in answer.text


def test_head_requests_are_answered_like_get_requests(visitor):
    table = visitor.open()
    parts = f"{table}/previews/{visitor.seen(table)[2][0]}", f"{table}/text"
    for address in (
        "/",
        "/my/games",
        "/games/orchard",
        "/games/orchard/picture.svg",
        "/static/site.css",
        table,
        *parts,
    ):
        fetched, asked = visitor.get(address), visitor.head(address)
        assert (asked.status_code, asked.headers["content-type"]) == (200, fetched.headers["content-type"])
        assert asked.headers.get("etag") == fetched.headers.get("etag")
    assert visitor.head(f"{table}/stream").headers["content-type"].startswith("text/event-stream")
    assert visitor.head("/nowhere").status_code == 404


def test_an_invalid_handle_is_not_looked_up(visitor, monkeypatch):
    """PostgreSQL raises an error for NUL characters."""
    visitor.post("/preferences", data={"name": "Ana"})
    site = visitor.app.state.site
    monkeypatch.setattr(site.tokens, "_engine", None)
    assert visitor.post("/api-tokens/%00/revoke").status_code == 404
    monkeypatch.setattr(site.chat, "_engine", None)
    site.friends.unblock("ana", "\0")


@pytest.mark.parametrize(
    "address", ["/table/a%00b", "/table/%ff", "/table/a b/stream", "/join/%00", f"/table/{'a' * 999}"]
)
def test_an_invalid_table_id_is_not_looked_up(visitor, address, monkeypatch):
    monkeypatch.setattr(type(visitor.app.state.site.tables.store), "_tables", None)
    assert visitor.get(address).status_code == 404


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", 303),  # a family
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", 303),  # Persian
        ("Ana\u200d", 422),
        ("\u200c Ana", 422),
        ("A\u200d\u200dna", 422),
        ("A\u202ena", 422),  # reverses the direction of the following text
        ("A\u200bna", 422),
    ],
)
def test_names_may_have_zero_width_joiners_in_scripts_that_use_them(visitor, name, status):
    assert visitor.post("/preferences", data={"name": name}, follow_redirects=False).status_code == status
