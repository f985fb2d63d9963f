"""Compression in the threads that render, while the event loop serves other requests.

Starlette's middleware handles the responses that are not compressed here.
"""

import gzip

from starlette.requests import Request
from starlette.responses import Response

MIN_BYTES = 1000  # smaller responses are not compressed
COMPRESSION_LEVEL = 3  # of zlib; level 4 takes 50% longer and saves 5%
COMPRESSIBLE_TYPES = ("text/", "image/svg+xml", "application/json")  # prefixes of content types


def compress(request: Request, response: Response) -> Response:
    """Compress a long response of a textual type if the client accepts gzip."""
    body, headers = getattr(response, "body", b""), response.headers  # streams and files have no body
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
