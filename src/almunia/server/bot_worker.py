"""What `almunia think` does: lets the bots of a site think in a process that serves no pages, on any machine."""

import sys
from dataclasses import replace
from threading import Event

from ..errors import SetupError
from .addresses import MetricsAddress
from .cluster.messages import thinking
from .jobs.hint_queue import HintWorker
from .memory import set_up_process
from .monitoring import metrics
from .monitoring.logs import set_up
from .settings import IN_PROCESS, SHARED_DATABASE_ADVICE, Settings
from .site import Site

CLAIM_SECONDS = 5.0  # between two looks at whether others still know of this process


def think_on(settings: Settings, stop: Event, *, claim_seconds: float = CLAIM_SECONDS) -> None:
    """Let bots think until it is to stop; SetupError if the database is not one for several processes."""
    if not settings.is_shared:
        raise SetupError(f"Bots can think elsewhere only where others can ask for it: {SHARED_DATABASE_ADVICE}")
    set_up_process()
    site = Site(replace(settings, bots=IN_PROCESS))
    if settings.metrics:
        metrics.serve(
            MetricsAddress.read(settings.metrics),
            bots_waiting=lambda: site.bot_runner.waiting,
            artists=lambda: site.render_pool.live_count,
        )
    sys.stdout.write(f"Bots think for the tables in {settings.display_database}. Stop it with Ctrl+C.\n")
    sys.stdout.flush()
    set_up(settings.log_format, settings.log_level)
    answering = HintWorker(site.engine, site.tables, site.builds, site.broker)
    if settings.compiled:
        site.builds.warm(lambda _: None)
    site.cluster_bus.start(thinking(site.bot_runner, answering))
    site.bot_runner.wake()
    answering.start()
    try:
        while not stop.wait(claim_seconds):
            site.locks.live()  # others know of this process though the database was started again
    finally:
        answering.close()
        site.close()
