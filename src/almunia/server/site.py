"""The composition root: makes all services of a site from its settings."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from ..validation import random_seed
from .auth.api_tokens import ApiTokens
from .auth.services import Accounts
from .auth.site_access import SiteAccess
from .background import Lane
from .bots.hints import HintService
from .bots.runner import BotDispatch, BotRunner
from .broker import Broker
from .chat.service import Chat
from .clock import SYSTEM_CLOCK, Clock
from .cluster.messages import ClusterBus
from .cluster.missed_changes import MissedChangePoll
from .cluster.presence_sync import PresenceSync
from .daily.repository import DailyDealRepository
from .daily.service import DailyDealService
from .friends.repository import FriendRepository
from .friends.service import FriendService
from .jobs.analysis_queue import AnalysisQueue, AnalysisWorker
from .jobs.hint_queue import HintQueue
from .jobs.maintenance import Maintenance
from .limits import DEFAULT_LIMITS, Limits
from .lobby.invitations import Invitations
from .lobby.rematches import Rematches
from .lobby.repository import LobbyRepository
from .lobby.service import LobbyService
from .mail import Mailer
from .monitoring import metrics
from .networks import HiddenNetworks
from .notifications.services import Notifications
from .privacy.exports import Exports
from .privacy.personal_data import Sources
from .privacy.registry import PersonalDataRegistry
from .puzzles.repository import PuzzleRepository
from .puzzles.service import PuzzleService
from .rate_limits import MailRateLimit
from .services import Services
from .settings import IN_WORKERS, Settings
from .storage.database import open_migrated
from .storage.health import DatabaseHealth
from .storage.locks import AdvisoryLocks
from .storage.rate_limits import make_limiter
from .storage.secret_key import session_key
from .streams import Streams
from .tables.builds import GameBuilds
from .tables.event_subscribers import EventSubscribers
from .tables.planning import PlanService
from .tables.presence import Presence
from .tables.repository import TableRepository
from .tables.seats import SeatService
from .tables.service import TableService
from .tables.table_limits import TableLimits
from .tables.vacation import VacationService
from .threads import OutboundThreads, Threads
from .tokens import new_table_id
from .tournaments.repository import TournamentRepository
from .tournaments.service import TournamentService
from .users.game_lists import GameLists
from .users.profiles import Profiles
from .users.title_statistics import TitleStatistics


class Site:
    """All services of a site. Routes get them by type. Scripts and tests use the attributes."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = SYSTEM_CLOCK,
        seeds: Callable[[], int] = random_seed,
        tokens: Callable[[], str] = new_table_id,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Make the services; SetupError if the settings, the folder or the database cannot be used.

        Args:
            settings: the settings of the site.
            clock: the source of all times.
            seeds: returns the seed of each new table without a chosen one.
            tokens: returns the id of each new table, and the handle of each new listing.
            limits: the intervals and limits that no setting changes.
        """
        settings.check()
        if not settings.is_shared:
            settings.create_data_folder()
            settings.session_key()
        self.settings, self.clock, self.limits = settings, clock, limits
        self.locks = claims = AdvisoryLocks.register_process(settings.url)
        try:
            self.engine = engine = open_migrated(settings.url)
            self.secret_key = key = session_key(settings, engine)
            self.rate_limiter = rates = make_limiter(engine, key, clock)
        except BaseException:
            claims.close()
            raise
        self.leaving = Event()  # set when this process begins to end
        self.health, self.networks = DatabaseHealth(engine, clock), HiddenNetworks(key)
        self.invitations = Invitations(key)
        self.threads = Threads(limits.request_threads, limits.request_threads_per_network)
        self.background = background = ThreadPoolExecutor(limits.background_threads, "background")
        self.mail_lane, self.export_lane, self.daily_lane = (Lane(background) for _ in range(3))
        self.outbound, self.exports, self.hints = OutboundThreads(background), Exports(self.export_lane), HintService()

        # Tables
        self.builds, self.broker = GameBuilds(), Broker()
        store = TableRepository(engine, clock, outage_seconds=limits.outage_seconds)
        openings = TableLimits(
            store,
            rates,
            settings.bot_tables,
            int(settings.tables),
            played_on=limits.played_on_tables,
            imported=limits.imported_tables,
        )
        self.tables = tables = TableService(
            store,
            self.builds,
            self.broker,
            clock,
            openings,
            seeds=seeds,
            tokens=tokens,
            max_cached_entries=limits.max_cached_entries,
        )
        self.presence = presence = Presence(store, self.broker, clock, grace_seconds=limits.grace_seconds)
        presence.reveals_presence = tables.may_be_seated
        self.contacts = contacts = FriendRepository(engine, clock)
        self.seats = seating = SeatService(tables, presence, clock, contacts.may_meet)
        self.plans = PlanService(tables)
        self.vacations = VacationService(store, seating, clock)

        # People
        self.chat = Chat(engine, self.broker, settings.chat, rates, clock)
        self.profiles, self.game_lists = Profiles(engine), GameLists(engine, tables, clock)
        self.title_statistics = TitleStatistics(engine, clock)
        listings = LobbyRepository(engine, tokens=tokens)
        self.lobby = LobbyService(listings, tables, seating, presence, self.profiles, contacts, clock, limits)
        self.friends = FriendService(contacts, tables, seating, self.lobby, presence, rates)
        self.rematches = Rematches(listings, tables, seating)
        self.daily_deals = DailyDealService(DailyDealRepository(engine), key, tables, clock, self.daily_lane)
        self.puzzles = PuzzleService(PuzzleRepository(engine), self.builds, clock)
        self.tournaments = TournamentService(
            TournamentRepository(engine, clock),
            tables,
            seating,
            contacts,
            claims,
            rates,
            clock,
            limits.maintenance_seconds,
        )
        self.mailer = Mailer(settings.smtp, settings.mail_from, self.mail_lane)
        self.mail_rate = MailRateLimit(rates)
        self.tokens, self.event_subscribers = ApiTokens(engine, clock), EventSubscribers(self.broker)
        self.accounts = Accounts(engine, key, settings, self.mailer, rates, self.broker, clock)
        self.site_access = SiteAccess(settings, key, self.accounts.repository, self.tokens)
        self.notifications = Notifications(
            engine,
            key,
            settings,
            self.mailer,
            store,
            presence,
            rates,
            clock,
            background,
            interval_seconds=limits.notification_seconds,
            may_meet=contacts.may_meet,
        )
        self.personal_data = PersonalDataRegistry(
            Sources(
                engine,
                tables,
                seating,
                self.vacations,
                self.daily_deals,
                self.accounts,
                self.notifications.channels,
                self.tokens,
                self.event_subscribers,
                clock,
            )
        )

        # Bots, background work, and other processes
        self.bot_runner = BotRunner(
            tables,
            seating,
            claims,
            settings.workers,
            self.daily_deals.bot_seed,
            watched=lambda: presence.watched_tables,
            limits=limits,
        )
        self.cluster_bus = ClusterBus(engine, claims, tables)
        self.bot_dispatch = BotDispatch(
            self.cluster_bus.publish_bot_turn if settings.bots == IN_WORKERS else self.bot_runner.on_table_change
        )
        self.hint_queue = HintQueue(engine, tables, self.broker, clock)
        self.analysis_worker = AnalysisWorker(engine, tables, self.builds, claims, clock)
        self.analyses = AnalysisQueue(engine, self.daily_deals, self.builds, clock, self.analysis_worker.task.trigger)
        self.presence_sync = PresenceSync(engine, claims, presence, self.broker)
        sessions = self.accounts.sessions
        interval = limits.missed_change_seconds
        self.missed_changes = MissedChangePoll(tables, self.chat, sessions, interval_seconds=interval)
        self.streams = Streams(self.broker, sessions, self.missed_changes, limits)
        self.maintenance = Maintenance(
            tables, seating, presence, self.vacations, self.chat, claims, clock, limits.maintenance_seconds
        )
        tables.on_change = (
            self.bot_dispatch.call,
            self.lobby.on_table_change,
            self.event_subscribers.publish,
            self.tournaments.on_table_change,
            lambda table: metrics.TABLE_CHANGES.labels(table.game).inc(),
        )
        metrics.BOTS_WAITING.set_function(lambda: self.bot_runner.queue_depth)

    @property
    def services(self) -> Services:
        """All services by type. A service can also be found by its base classes, such as a test's clock by `Clock`."""
        return Services({kind: one for one in (self, *vars(self).values()) for kind in type(one).__mro__})

    def stop(self) -> None:
        """Stop the workers of this process. Does not wait for other servers."""
        self.notifications.dispatcher.close()
        self.mail_lane.shutdown(wait=False, cancel_futures=True)
        self.builds.close()
        self.bot_runner.close()
        self.hints.close()
        self.analysis_worker.close()
        for lane in (self.export_lane, self.daily_lane):
            lane.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Stop the workers, and close the connections to the database."""
        self.stop()
        self.background.shutdown(wait=False, cancel_futures=True)
        self.locks.close()
        self.tables.store.close()
