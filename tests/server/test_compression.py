"""Responses are compressed in the threads that render them."""

import gzip
import threading

import pytest
from starlette.middleware.gzip import GZipResponder
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from almunia.server.web import compression

from .conftest import Visitor

ZIPPED, PLAIN = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the names of the threads that compress."""
    found, compress, later = [], gzip.compress, GZipResponder._compress_body

    def note(*given: object, **named: object) -> bytes:
        found.append(threading.current_thread().name)
        return compress(*given, **named)

    def note_later(*given: object) -> bytes:
        found.append("loop")
        return later(*given)

    monkeypatch.setattr(compression.gzip, "compress", note)
    monkeypatch.setattr(GZipResponder, "_compress_body", note_later)
    return found


def test_pages_are_compressed_in_worker_threads(visitor: Visitor, threads: list[str]) -> None:
    table = visitor.open()
    threads.clear()
    for address in (table, "/games/orchard", "/games/orchard/picture.svg"):
        assert visitor.get(address, headers=ZIPPED).headers["content-encoding"] == "gzip"
    visitor.answer(table, {})
    assert len(threads) >= 3
    assert all(name.startswith("AnyIO worker thread") for name in threads)


def test_clients_without_gzip_get_the_same_content_uncompressed(visitor: Visitor) -> None:
    zipped, plain = (visitor.get("/games/orchard", headers=headers) for headers in (ZIPPED, PLAIN))
    assert zipped.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert zipped.text == plain.text
    assert int(plain.headers["content-length"]) == len(plain.content)
    with visitor.stream("GET", "/games/orchard", headers=ZIPPED) as answer:
        raw = b"".join(answer.iter_raw())
    assert int(answer.headers["content-length"]) == len(raw)
    assert gzip.decompress(raw) == plain.content
    assert visitor.head("/games/orchard", headers=ZIPPED).headers["content-length"] == str(len(raw))


@pytest.mark.parametrize(
    ("answer", "smaller"),
    [
        (HTMLResponse("x" * compression.MIN_BYTES), True),
        (HTMLResponse("x" * (compression.MIN_BYTES - 1)), False),
        (Response(b"x" * compression.MIN_BYTES, media_type="image/png"), False),
        (Response(b"x" * compression.MIN_BYTES, headers={"Content-Encoding": "br"}, media_type="text/html"), False),
        (RedirectResponse("/"), False),
        (FileResponse(__file__), False),
    ],
)
def test_only_compressible_responses_are_compressed(answer: Response, smaller: bool) -> None:
    request = Request({"type": "http", "headers": [(b"accept-encoding", b"gzip")]})
    before = getattr(answer, "body", b"")
    assert compression.compress(request, answer) is answer
    assert (answer.headers.get("content-encoding") == "gzip") is smaller
    if not smaller:
        assert getattr(answer, "body", b"") == before
