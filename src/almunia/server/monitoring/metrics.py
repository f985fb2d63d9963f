"""Prometheus metrics of a process, such as requests, streams, bots and emails.

No label names a guest or a table.
"""

import logging
from time import perf_counter
from wsgiref.simple_server import WSGIServer

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics, start_http_server
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import SetupError
from ..addresses import MetricsAddress

log = logging.getLogger(__name__)
disable_created_metrics()  # type: ignore[no-untyped-call]
REQUESTS = Counter("almunia_requests", "Requests that were answered.", ["method", "route", "status"])
RESPONSE_SECONDS = Histogram(
    "almunia_request_seconds",
    "Seconds until an answer began.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)
STREAMS = Gauge("almunia_streams", "Event streams that are open.")
TABLE_CHANGES = Counter(
    "almunia_table_changes", "Changes of tables: moves, undos, players who join or leave.", ["game"]
)
BOT_SECONDS = Histogram(
    "almunia_bot_seconds",
    "Seconds that a bot took for a move, including its pauses.",
    ["game"],
    buckets=Histogram.DEFAULT_BUCKETS,
)
BOTS_WAITING = Gauge("almunia_bots_waiting", "Tables at which a bot is thinking or waits for a thread.")
MAILS = Counter("almunia_mails", "Mails that the mail server has accepted or refused.", ["sent"])
LOG_LINES = Counter("almunia_log_lines", "Lines of the log, including those that were only counted.", ["level"])
METHODS = ("GET", "HEAD", "POST")
NO_ROUTE = "none"  # the label of addresses without a route


def serve(place: MetricsAddress) -> WSGIServer:
    """Serve the metrics at a separate address; raise SetupError if the address cannot be opened."""
    try:
        server, _ = start_http_server(place.port, place.host)
    except OSError as error:
        raise SetupError(
            f"The metrics cannot be served at {place.host}, port {place.port}: {error.strerror}. "
            "Choose another address with ALMUNIA_METRICS, such as 127.0.0.1:9100."
        ) from None
    return server


class LogLineCounter(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        LOG_LINES.labels(record.levelname.lower()).inc()


class MetricsMiddleware:
    """ASGI middleware that counts requests and streams, and logs each request at level info."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, streaming = perf_counter(), False

        async def send_measured(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                record_response(scope, message["status"], perf_counter() - start)
                streaming = is_stream(message)
                STREAMS.inc(streaming)
            await send(message)

        try:
            await self._app(scope, receive, send_measured)
        finally:
            STREAMS.dec(streaming)


def record_response(scope: Scope, status: int, seconds: float) -> None:
    method, route = scope["method"] if scope["method"] in METHODS else "other", route_of(scope)
    REQUESTS.labels(method, route, status).inc()
    RESPONSE_SECONDS.labels(route).observe(seconds)
    said = {"method": method, "route": route, "status": status, "milliseconds": round(1000 * seconds, 1)}
    log.info("%s %s %d in %.1f ms", *said.values(), extra=said)


def route_of(scope: Scope) -> str:
    """Return the path of a request's route, with placeholders instead of values; NO_ROUTE without a route."""
    route = scope.get("route")
    mounted: str = scope.get("root_path", "")
    if isinstance(route, Mount):
        return mounted
    path: str = getattr(route, "path", "")
    return mounted + path if path else NO_ROUTE


def is_stream(message: Message) -> bool:
    return any(name == b"content-type" and b"event-stream" in value for name, value in message["headers"])
