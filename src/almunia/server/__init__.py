"""The web site. `run` serves the site, and `app.create_app` makes the ASGI application.

A move goes from `web.middleware` and `web.routing` to `web.table`, then to `tables.service`, which checks it, to
`tables.moves`, and to `tables.repository`, which stores it. `tables.state` and `tables.viewer_history` then make a
viewer's view, which `web.table_renderer` and `web.table_page` render. `broker` wakes the streams of the table's
viewers.

The layers of packages, from the top:

- `web` (pages) and `api`
- `cluster` (other processes) and `jobs` (background work)
- `auth`, `chat`, `daily`, `lobby`, `notifications`, `privacy`, `puzzles` and `users`
- `bots`
- `tables` and `ratings`
- `storage`
- `monitoring`

`admin` serves administrators. `site` makes the services, and routes get services by type.
"""

import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from ..errors import MissingExtra, SetupError
from .limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from .auth.services import Accounts
    from .settings import Settings

SHUTDOWN_SECONDS = 3  # for requests to end when the site closes


def run(
    host: str = "127.0.0.1",
    port: int = 8000,
    data: str | Path | None = None,
    open_browser: bool = False,
    *,
    invite_only: bool = False,
    database: str = "",
    bots: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Serve the site until it is interrupted or terminated.

    Raises:
        MissingExtra: a package of the extra `web` or `postgres` is not installed.
        SetupError: the settings, the port, the data folder, the database, or a game's component tables cannot be used.
    """
    try:
        import uvicorn

        from .addresses import MetricsAddress
        from .app import create_app
        from .http_server import GracefulServer, make_protocol
        from .memory import limit_memory
        from .monitoring import metrics
        from .monitoring.logs import configure
        from .settings import Settings
        from .storage.single_instance import single_instance
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == __name__.partition(".")[0]:
            raise
        raise MissingExtra.named("The site needs", error.name, "web") from None
    check_port(host, port)
    settings = Settings.from_environment(data, database, bots, invite_only=invite_only)
    settings.check()
    check_components()
    if settings.metrics:
        MetricsAddress.read(settings.metrics).check_apart(port)
    limit_memory()
    with single_instance(settings):
        app = create_app(settings, limits=limits)
        site = app.state.site
        if settings.metrics:
            metrics.serve(MetricsAddress.read(settings.metrics))
        address = f"http://{display_host(host)}:{port}/"
        sys.stdout.write(f"Almunia is at {address} (data in {settings.display_database}). Stop it with Ctrl+C.\n")
        sys.stdout.write(first_invitation(settings, site.accounts, settings.address or address.rstrip("/")))
        sys.stdout.flush()
        if open_browser:
            open_browser_soon(address)
        configure(settings.log_format, settings.log_level)
        # psycopg takes no other loop on Windows.
        loop = "asyncio:SelectorEventLoop" if sys.platform == "win32" and settings.is_shared else "auto"
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=make_protocol(limits),
            loop=loop,
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        with suppress(KeyboardInterrupt):  # uvicorn shuts down, then raises the interrupt again
            GracefulServer(config, site.broker, site.leaving, limits.drain_seconds if settings.is_shared else 0).run()


def run_bot_worker(database: str = "", threads: int = 2) -> None:
    """Run bots for a site that other processes serve, until interrupted or terminated.

    Raises:
        MissingExtra: a package of the extra `postgres` is not installed.
        SetupError: a setting is invalid, or several processes cannot use the database.
    """
    try:
        from .bot_worker import run_bot_worker
        from .settings import Settings
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == __name__.partition(".")[0]:
            raise
        raise MissingExtra.named("Running bots for a site needs", error.name, "postgres") from None
    stop = Event()
    before = {wish: signal.signal(wish, lambda *_: stop.set()) for wish in (signal.SIGINT, signal.SIGTERM)}
    try:
        run_bot_worker(replace(Settings.from_environment(database=database), workers=threads), stop)
    finally:
        for wish, handler in before.items():
            signal.signal(wish, handler)


def first_invitation(settings: "Settings", accounts: "Accounts", address: str) -> str:
    """Create an invitation to an invite-only site without accounts, and return it as a line; empty for other sites."""
    from .auth.one_time_links import INVITE

    if not settings.invite_only or accounts.repository.has_accounts():
        return ""
    link = f"{address}/account/link/{accounts.links.create(INVITE)}"
    return f"There is no account yet. This link lets one person create one, within a week: {link}\n"


def check_components() -> None:
    """Raise SetupError if a game's corrected component tables cannot be read: all its pages would fail."""
    from .. import catalog
    from ..core.component_data import corrected_file
    from ..library import game

    for name, package in catalog.game_packages().items():
        if corrected_file(package.rpartition(".")[2]):
            game(name, "plain").components_hash  # noqa: B018 - this reads them


def check_port(host: str, port: int) -> None:
    """Raise SetupError if the site cannot listen at a port of a host."""
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        other = "host with --host" if isinstance(error, socket.gaierror) else "port with --port"
        raise SetupError(
            f"The site cannot be served at {host}, port {port}: {reason}. Choose another {other}."
        ) from None


def display_host(host: str) -> str:
    """Return the name by which a browser on this machine reaches a host."""
    from ipaddress import ip_address

    try:
        number = ip_address(host)
    except ValueError:
        return host
    if number.is_unspecified or number.is_loopback:
        return "localhost"
    return f"[{number}]" if number.version == 6 else str(number)


def open_browser_soon(address: str) -> None:
    """Open an address in the browser after one second, in another thread."""
    import webbrowser
    from threading import Timer

    timer = Timer(1.0, webbrowser.open, (address,))
    timer.daemon = True
    timer.start()
