"""The ASGI application: routes, error handlers and middleware."""

import logging
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter, run_sync
from markupsafe import escape
from sqlalchemy.exc import OperationalError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from ..errors import AlmuniaError, RecordError
from ..validation import random_seed
from .api import app as api
from .background import run_tasks
from .clock import SYSTEM_CLOCK, Clock
from .cluster.messages import PageHandlers
from .errors import RequestError, TooManyRequests
from .limits import DEFAULT_LIMITS, Limits
from .monitoring.metrics import MetricsMiddleware, route_of
from .settings import IN_PROCESS, Settings
from .site import Site
from .storage.database import is_full
from .tokens import new_table_id
from .users.visitors import COOKIE_NAME, COOKIE_SECONDS
from .web import (
    account,
    analysis_board,
    api_tokens,
    chat as chat_pages,
    daily as daily_pages,
    friends as friend_pages,
    game_analysis,
    games,
    health,
    home,
    join,
    lobby,
    my_games as my_game_pages,
    notifications as alert_pages,
    one_time_links,
    passkeys,
    plans as plan_pages,
    privacy,
    profiles as profile_pages,
    puzzles as puzzle_pages,
    records as record_pages,
    rematch,
    replay,
    seat_actions as seat_pages,
    sharing,
    sign_in as account_pages,
    static_files,
    statistics as statistics_pages,
    table as table_pages,
    tournaments as tournament_pages,
)
from .web.compression import COMPRESSION_LEVEL, MIN_BYTES
from .web.fragments import SentPictures
from .web.middleware import authentication, site_access
from .web.middleware.security import SecurityMiddleware, is_api
from .web.middleware.session_cookie import SessionSigner, SignedSessions
from .web.routing import NOT_FOUND_MESSAGE
from .web.sign_in import Login
from .web.static_files import CACHE_YEAR
from .web.table_notices import NoticeServices
from .web.table_renderer import TableRenderer
from .web.templating import STATIC, is_partial, render, static_version

log = logging.getLogger(__name__)
HEADINGS = {
    400: "Invalid request",
    401: "Please sign in",
    403: "Not allowed",
    404: "Page not found",
    405: "Method not allowed",
    408: "Timed out",
    409: "Not possible now",
    413: "Too large",
    422: "Invalid request",
    429: "Too many requests",
    500: "Something went wrong",
    503: "Unavailable",
}
PAGES = (
    *(
        health,
        static_files,
        sharing,
        replay,
        game_analysis,
        analysis_board,
        table_pages,
        seat_pages,
        plan_pages,
        rematch,
        chat_pages,
        lobby,
        home,
        games,
        join,
        api_tokens,
    ),
    *(
        friend_pages,
        tournament_pages,
        my_game_pages,
        record_pages,
        profile_pages,
        statistics_pages,
        daily_pages,
        puzzle_pages,
        alert_pages,
        account_pages,
        account,
        passkeys,
        one_time_links,
    ),
    privacy,
)
NOT_FOUND, METHOD_NOT_ALLOWED = 404, 405
DISK_FULL_MESSAGE = (
    "This site's disk is full, so nothing can be saved now. Your last move may not have been saved. Check before you "
    "repeat it, and tell the site's administrator."
)
VERSION_FOLDER = re.compile("v-[0-9a-f]{12}")  # the folder of static files, of this version or another
MAX_PATH_LENGTH = 200  # of a file's address, in characters


def create_app(
    settings: Settings,
    *,
    clock: Clock = SYSTEM_CLOCK,
    seeds: Callable[[], int] = random_seed,
    tokens: Callable[[], str] = new_table_id,
    limits: Limits = DEFAULT_LIMITS,
) -> Starlette:
    """Return the site as an ASGI application; SetupError if settings, folder or database cannot be used.

    The keyword arguments are the same as for `Site`.
    """
    site = Site(settings, clock=clock, seeds=seeds, tokens=tokens, limits=limits)
    services = site.services
    services.make((Login, SentPictures, TableRenderer, NoticeServices))
    interface = api.create_api(services)
    routes = [route for page in PAGES for route in page.router.all]
    routes += [Mount("/static", VersionedStaticFiles(directory=STATIC)), Mount(api.PREFIX, interface)]
    faults = {
        AlmuniaError: handle_request_error,
        HTTPException: handle_http_error,
        ClientDisconnect: handle_disconnect,
        OperationalError: handle_database_error,
        Exception: handle_server_error,
    }
    app = Starlette(routes=routes, middleware=make_middleware(site), exception_handlers=faults, lifespan=lifespan)
    app.state.site, app.state.services, app.state.api = site, services, interface
    return app


def make_middleware(site: Site) -> list[Middleware]:
    """Return the middleware of a site, outermost first."""
    settings, accounts, is_secure = site.settings, site.accounts, site.settings.is_secure
    signer = SessionSigner(site.secret_key, site.clock)
    layers = [
        Middleware(MetricsMiddleware),
        Middleware(GZipMiddleware, minimum_size=MIN_BYTES, compresslevel=COMPRESSION_LEVEL),
        Middleware(SignedSessions, signer, session_cookie=COOKIE_NAME, max_age=COOKIE_SECONDS, secure=is_secure),
        Middleware(authentication.AuthenticationMiddleware, accounts.repository, accounts.sessions),
        Middleware(
            SecurityMiddleware,
            settings.address,
            settings.posts,
            site.rate_limiter,
            handle_request_error,
            form_timeout_seconds=site.limits.form_timeout_seconds,
        ),
    ]
    if settings.is_private:
        access = site.site_access, site.invitations, site.tables
        layers.append(Middleware(site_access.SiteAccessMiddleware, *access, handle_request_error))
    return layers


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Start the services and background work of the site, and close them at its end."""
    site: Site = app.state.site
    # Requests, streams and periodic tasks share these threads; requests leave one thread to streams and tasks.
    current_default_thread_limiter().total_tokens = site.limits.request_threads + 1
    site.broker.start()
    if site.settings.compiled:
        site.builds.compile_in_background(static_files.cover_position)
    await run_sync(site.maintenance.record_start)
    pages = PageHandlers(site.tables, site.lobby, site.event_subscribers, site.presence_sync, site.accounts.sessions)
    tasks = [site.maintenance.task, site.notifications.dispatcher.task, site.tournaments.task]
    site.tournaments.task.trigger()  # a round may have been interrupted
    if site.settings.is_shared:
        site.presence_sync.start()
        tasks.append(site.presence_sync.task)
    if site.settings.bots == IN_PROCESS:
        site.bot_runner.start()
        tasks += [site.bot_runner.task, site.analysis_worker.task]
    async with site.cluster_bus.running(pages.handlers, pages.on_reconnect):
        async with run_tasks(*tasks):
            yield
        await run_sync(site.maintenance.close)
        if site.settings.is_shared:
            await run_sync(site.presence_sync.close)
        await run_sync(site.stop)
    await run_sync(site.close)


class VersionedStaticFiles(StaticFiles):
    """Static files. Files below the current version's folder are cached for a year."""

    def get_path(self, scope: Scope) -> str:
        """Return the path of the file; raise HTTPException with status 404 if the address is too long."""
        if len(scope["path"]) > MAX_PATH_LENGTH:
            raise HTTPException(404)
        return super().get_path(scope)

    async def get_response(self, path: str, scope: Scope) -> Response:
        version, _, rest = path.partition(os.sep)
        response = await super().get_response(rest if VERSION_FOLDER.fullmatch(version) else path, scope)
        stays = version == static_version() and response.status_code < 400
        response.headers["Cache-Control"] = CACHE_YEAR if stays else "no-cache"
        return response


async def handle_request_error(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, RequestError) else 409 if isinstance(error, RecordError) else 400
    answer = render_error(request, status, str(error))
    if isinstance(error, TooManyRequests):
        answer.headers["Retry-After"] = str(error.wait)
    return answer


async def handle_http_error(request: Request, error: Exception) -> Response:
    """Answer 405 to a wrong method, and 404 to any other HTTP error."""
    if isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED:
        return render_error(request, METHOD_NOT_ALLOWED, f"This page does not accept {request.method}.")
    return render_error(request, 404, NOT_FOUND_MESSAGE)


async def handle_disconnect(_request: Request, _error: Exception) -> Response:
    return Response(status_code=400)


async def handle_database_error(request: Request, error: Exception) -> Response:
    """Log a database error, and answer with status 503."""
    if is_full(getattr(error, "orig", None)):
        log.error("%s %s needs room in the database: its disk is full.", request.method, route_of(request.scope))
        return render_error(request, 503, DISK_FULL_MESSAGE)
    log.error(
        "%s %s needs the database, which does not answer.", request.method, route_of(request.scope), exc_info=error
    )
    sentence = (
        "The database isn't responding at the moment. Your last move may or may not have been saved, so check first."
    )
    answer = render_error(request, 503, sentence)
    answer.headers["Retry-After"] = "5"
    return answer


async def handle_server_error(request: Request, error: Exception) -> Response:
    """Log an unexpected error, and answer with status 500."""
    log.error("%s %s failed.", request.method, route_of(request.scope), exc_info=error)
    sentence = "This is our mistake. Your last move may or may not have been saved, so check before you repeat it."
    return render_error(request, 500, sentence)


def render_error(request: Request, status: int, sentence: str) -> Response:
    """Render an error as a page, as JSON for the API, or as a sentence for htmx."""
    if is_api(request):
        return api.problem(status, sentence)
    if is_partial(request):
        return HTMLResponse(str(escape(sentence)), status, {"HX-Retarget": "#notice", "HX-Reswap": "innerHTML"})
    facts = {"heading": HEADINGS.get(status, HEADINGS[400]), "sentence": sentence, "missing": status == NOT_FOUND}
    facts["waiting"] = 0  # the database may not respond
    facts["failed"] = request.url.path if request.method == "GET" else ""  # a link back there would fail again
    return render(request, "error.html", status, None, **facts)
