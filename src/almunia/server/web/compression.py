"""Answers made smaller in the threads that worked them out, while the event loop hears everybody else.

What is answered without a thread, files above all, Starlette's middleware makes smaller on its way out.
"""

import gzip

from starlette.requests import Request
from starlette.responses import Response

MIN_BYTES = 1000  # bytes that are not worth it
COMPRESSION_LEVEL = (
    3  # how hard zlib tries: one step more takes it half as long again, and leaves out one byte in twenty
)
COMPRESSIBLE_TYPES = ("text/", "image/svg+xml", "application/json")  # how the types begin of what becomes smaller


def compress(request: Request, response: Response) -> Response:
    """An answer, smaller if it is long and whoever asks for it can read that."""
    body, headers = getattr(response, "body", b""), response.headers  # streams and files have none
    if (
        len(body) < MIN_BYTES
        or "content-encoding" in headers
        or not headers.get("content-type", "").startswith(COMPRESSIBLE_TYPES)
    ):
        return response
    headers.add_vary_header("Accept-Encoding")
    if "gzip" in request.headers.get("accept-encoding", ""):
        response.body = gzip.compress(body, COMPRESSION_LEVEL, mtime=0)
        headers["Content-Encoding"], headers["Content-Length"] = "gzip", str(len(response.body))
    return response
