"""The web site. `run` serves it; `app.create_app` makes it.

An action goes from `routing` and `guard` to `table_pages`, `tables` (may it be done?), `acting` (what follows on it?)
and `store` (the database, whose shape is in `schema`), and back by `snapshot` (the play), `diary` (what a reader has
seen of it), `table_view` (with `layout`, where panes stand, `seat_cards` and `icons`) and `pages` to the screen;
`notifier` tells the others. `lobby`, `new_table`, `replay`, `rulebook` and `scoring_page` are the other pages,
`ending` works out what the end shows, `lessons` gives the first games that teach, `guests` knows who asks,
`bot_runner` plays the bots (at the pace of `pacing`), `hints` asks the expert, and `builds` and `compiling` see to
machine code. `seating` (its pages are in `seat_pages`) lets people come, go and give up, `consent` is what they ask of
each other, `presence` knows who is here, `clocks` what time they have, and `caretaker` ends what nobody wants any
more. `meeting` is the lobby, with the tables that `open_tables` finds by their `listings` and what `experience` knows
of people; `chat` (its pages are in `chat_pages`) is what they say, `news` tells streams of it, `again` lets the same
people play again, `mail` sends invitations, and `rates` says how often. `programs` is the page for programs, and
`api` is what these ask.
"""

import sys
from contextlib import suppress
from pathlib import Path

from ..errors import MissingExtra, SetupError

GRACE = 3  # seconds that requests get when the site closes


def run(host: str = "127.0.0.1", port: int = 8000, data: str | Path | None = None, open_browser: bool = False) -> None:
    """Serve the site until it is interrupted.

    Raises:
        MissingExtra: a package of the extra `web` is not installed.
        SetupError: the port is taken, or the data folder or database cannot be used.
    """
    try:
        import uvicorn

        from .app import create_app
        from .connections import Server, patient
        from .log import set_up
        from .process import set_up_process
        from .settings import Settings
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == __name__.partition(".")[0]:
            raise
        raise MissingExtra.named("The site needs", error.name, "web") from None
    check_port(host, port)
    set_up_process()
    settings = Settings.from_environment(data)
    app = create_app(settings)
    address = f"http://{shown_host(host)}:{port}/"
    sys.stdout.write(f"Almunia is at {address} (data in {settings.data}). Stop it with Ctrl+C.\n")
    sys.stdout.flush()
    if open_browser:
        open_soon(address)
    set_up()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=patient(),
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=GRACE,
    )
    with suppress(KeyboardInterrupt):  # uvicorn closes everything, then raises what it caught once more
        Server(config, app.state.site.notifier).run()


def check_port(host: str, port: int) -> None:
    """SetupError if nothing can listen there."""
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        other = "host with --host" if isinstance(error, socket.gaierror) else "port with --port"
        raise SetupError(f"Nothing can be served at {host}, port {port}: {reason}. Choose another {other}.") from None


def shown_host(host: str) -> str:
    """The name by which a browser on this machine finds the site."""
    from ipaddress import ip_address

    try:
        number = ip_address(host)
    except ValueError:
        return host
    if number.is_unspecified or number.is_loopback:
        return "localhost"
    return f"[{number}]" if number.version == 6 else str(number)


def open_soon(address: str) -> None:
    """Open the browser once the site answers."""
    import webbrowser
    from threading import Timer

    timer = Timer(1.0, webbrowser.open, (address,))
    timer.daemon = True
    timer.start()
