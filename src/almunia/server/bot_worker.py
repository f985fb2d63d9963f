"""The command `almunia bot-worker`: runs the bots of a site in a process without pages, on any machine."""

import asyncio
import sys
from dataclasses import replace
from threading import Event

from anyio.to_thread import run_sync

from ..errors import SetupError
from .addresses import MetricsAddress
from .background import PeriodicTask, run_tasks
from .cluster.messages import bot_worker_handlers
from .jobs.hint_queue import HintWorker
from .memory import limit_memory
from .monitoring import metrics
from .monitoring.logs import configure
from .settings import IN_PROCESS, SHARED_DATABASE_ADVICE, Settings
from .site import Site

HEARTBEAT_SECONDS = 5.0  # between two checks that this process is registered


def run_bot_worker(settings: Settings, stop: Event, *, claim_seconds: float = HEARTBEAT_SECONDS) -> None:
    """Run bots until `stop` is set; SetupError if a setting is invalid, or the database is not shared."""
    if not settings.is_shared:
        raise SetupError(f"Bots can run in other processes only with a shared database: {SHARED_DATABASE_ADVICE}")
    limit_memory()
    site = Site(replace(settings, bots=IN_PROCESS))
    if settings.metrics:
        metrics.serve(MetricsAddress.read(settings.metrics))
    sys.stdout.write(f"Bots run for the tables in {settings.display_database}. Stop them with Ctrl+C.\n")
    sys.stdout.flush()
    configure(settings.log_format, settings.log_level)
    try:
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:  # psycopg needs this loop on Windows
            runner.run(work_until(stop, site, claim_seconds))
    finally:
        site.close()


async def work_until(stop: Event, site: Site, claim_seconds: float) -> None:
    """Let bots play, compute hints and analyse games until `stop` is set."""
    answering = HintWorker(site.engine, site.tables, site.builds, site.broker)
    if site.settings.compiled:
        site.builds.compile_in_background(lambda _: None)
    # Registers the process again after a restart of the database.
    heartbeat = PeriodicTask(site.locks.heartbeat, claim_seconds, "This process cannot be registered")
    site.bot_runner.start()
    answering.task.trigger()
    async with site.cluster_bus.running(bot_worker_handlers(site.bot_runner, answering)):
        async with run_tasks(heartbeat, site.bot_runner.task, answering.task, site.analysis_worker.task):
            await run_sync(stop.wait)
        await run_sync(site.stop)
