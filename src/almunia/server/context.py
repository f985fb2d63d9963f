"""The composition root: makes all services of a site from its settings."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import get_type_hints

from limits.strategies import RateLimiter
from sqlalchemy import Engine

from ..validation import random_seed
from .accounts.access import SiteAccess
from .accounts.all import Accounts
from .accounts.belonging import Sources
from .accounts.belongings import PersonalData
from .accounts.exports import Exports
from .alerts.all import Alerts
from .api.followers import Followers
from .api.tokens import Tokens
from .limits import USUAL_LIMITS, Limits
from .networks import HiddenNetworks
from .operations import metrics
from .operations.pulse import Pulse
from .people.chat import Chat
from .people.daily import Dailies
from .people.mail import MAILS, Mailer
from .people.my_games import MyGames
from .people.open_tables import OpenTables
from .people.own_tables import OwnTables
from .people.profiles import Profiles
from .people.rates import MailRate
from .people.rematches import Rematches
from .play.bot_runner import BotDispatch, BotRunner
from .play.builds import Builds
from .play.hints import Hinter
from .play.notifier import Notifier
from .play.openings import Openings
from .play.presence import Presence
from .play.seating import Seating
from .play.tables import Tables
from .play.vacations import Vacations
from .processes.artists import Artists
from .processes.caretaker import Caretaker
from .processes.lookout import Lookout
from .processes.questions import Questions
from .processes.together import Together
from .processes.whereabouts import Whereabouts
from .secret import Invitations, table_token
from .services import Services
from .settings import ELSEWHERE, Settings
from .storage.claims import Claims
from .storage.counting import limiter
from .storage.database import connect
from .storage.keys import session_key
from .storage.store import Store, Table
from .threads import Threads
from .times import SYSTEM_CLOCK, Clock


@dataclass(frozen=True)
class Site:
    """The services of a site, put together."""

    settings: Settings
    clock: Clock
    limits: Limits
    key: str
    tables: Tables
    seating: Seating
    presence: Presence
    vacations: Vacations
    caretaker: Caretaker
    lookout: Lookout
    builds: Builds
    artists: Artists  # who draw beside this process
    notifier: Notifier
    bot_runner: BotRunner
    bot_dispatch: BotDispatch
    hinter: Hinter
    invitations: Invitations
    open_tables: OpenTables
    own: OwnTables
    rematches: Rematches
    chat: Chat
    mailer: Mailer
    mail_rate: MailRate
    accounts: Accounts
    access: SiteAccess
    personal_data: PersonalData
    exports: Exports
    alerts: Alerts
    tokens: Tokens
    followers: Followers
    profiles: Profiles
    my_games: MyGames
    dailies: Dailies
    engine: Engine
    pulse: Pulse
    leaving: Event  # this process is about to end
    claims: Claims
    limiter: RateLimiter
    questions: Questions
    together: Together
    whereabouts: Whereabouts
    threads: Threads
    networks: HiddenNetworks

    @classmethod
    def build(
        cls,
        settings: Settings,
        *,
        clock: Clock = SYSTEM_CLOCK,
        seeds: Callable[[], int] = random_seed,
        tokens: Callable[[], str] = table_token,
        limits: Limits = USUAL_LIMITS,
    ) -> "Site":
        """Build a site; SetupError if its settings, folder or database cannot be used.

        Args:
            settings: the settings of the site.
            clock: the time by which everything is dated.
            seeds: returns the seed of each new table, unless its player has chosen one.
            tokens: returns the id of each new table, and the handle of each new listing.
            limits: the intervals and limits that no setting changes.
        """
        settings.check()
        if not settings.is_shared:
            settings.prepare()
            settings.session_key()
        builds, notifier = Builds(), Notifier(max_streams=limits.max_streams)
        claims = Claims.entering(settings.url)
        try:
            engine = connect(settings.url)
            key = session_key(settings, engine)
            counting = limiter(engine, key, clock)
        except BaseException:
            claims.close()
            raise
        store = Store(engine, clock, outage_seconds=limits.outage_seconds)
        openings = Openings(
            store, counting, clock, settings.bot_tables, int(settings.tables), played_on=limits.played_on_tables
        )
        tables = Tables(
            store,
            builds,
            notifier,
            clock,
            openings,
            seeds=seeds,
            tokens=tokens,
            max_cached_entries=limits.max_cached_entries,
        )
        presence = Presence(tables.store, notifier, clock, grace_seconds=limits.grace_seconds)
        presence.tells = tables.may_play
        seating = Seating(tables, presence, clock)
        vacations = Vacations(tables.store, seating, clock)
        chat = Chat(engine, notifier, settings.chat, counting, clock)
        profiles = Profiles(engine)
        open_tables = OpenTables(
            engine,
            tables,
            seating,
            presence,
            profiles,
            clock,
            max_listed_games=limits.max_listed_games,
            max_listed_games_per_network=limits.max_listed_games_per_network,
            max_all_listed_games=limits.max_all_listed_games,
            max_lobby_games=limits.max_lobby_games,
            tokens=tokens,
        )
        caretaker = Caretaker(tables, seating, presence, vacations, chat, claims, clock, limits.caretaker_seconds)
        own = OwnTables(engine, tables.store)
        dailies = Dailies(engine, key, tables, clock)
        bot_runner = BotRunner(
            tables,
            seating,
            claims,
            settings.workers,
            dailies.bot_seed,
            watched=lambda: presence.watched,
            tick_seconds=limits.bot_tick_seconds,
            sweep_seconds=limits.bot_sweep_seconds,
            retry_seconds=limits.bot_retry_seconds,
        )
        followers, together = Followers(notifier), Together(engine, claims, tables)
        mailer = Mailer(settings.smtp, settings.mail_from)
        call_bots = together.call_bots if settings.think == ELSEWHERE else bot_runner.changed
        accounts = Accounts.build(engine, key, settings, mailer, counting, notifier, clock)
        api_tokens = Tokens(engine, clock)
        alerts = Alerts.build(
            engine,
            key,
            settings,
            mailer,
            tables.store,
            presence,
            counting,
            clock,
            interval_seconds=limits.alert_seconds,
        )
        tables.listeners = (call_bots, open_tables.changed, followers.changed, count_change)
        return cls(
            settings=settings,
            clock=clock,
            limits=limits,
            key=key,
            tables=tables,
            seating=seating,
            presence=presence,
            vacations=vacations,
            caretaker=caretaker,
            lookout=Lookout(tables, chat, interval_seconds=limits.lookout_seconds),
            builds=builds,
            artists=Artists(int(settings.artists)),
            notifier=notifier,
            bot_runner=bot_runner,
            bot_dispatch=BotDispatch(call_bots),
            hinter=Hinter(),
            invitations=Invitations(key),
            open_tables=open_tables,
            own=own,
            rematches=Rematches(open_tables.listings, tables, seating),
            chat=chat,
            mailer=mailer,
            mail_rate=MailRate(
                MAILS, "You have sent many invitations today. Please send the link yourself.", "mail", counting
            ),
            accounts=accounts,
            access=SiteAccess(settings, key, accounts.people, api_tokens),
            personal_data=PersonalData(
                Sources(tables, seating, vacations, dailies, accounts, alerts.ways, api_tokens, followers, clock)
            ),
            exports=Exports(),
            alerts=alerts,
            tokens=api_tokens,
            followers=followers,
            profiles=profiles,
            my_games=MyGames(engine, tables, own, clock),
            dailies=dailies,
            engine=engine,
            pulse=Pulse(engine, clock),
            leaving=Event(),
            claims=claims,
            limiter=counting,
            questions=Questions(engine, tables, notifier, clock),
            together=together,
            whereabouts=Whereabouts(engine, claims, presence, notifier),
            threads=Threads(limits.request_threads, limits.request_threads_per_network),
            networks=HiddenNetworks(key),
        )

    @property
    def services(self) -> Services:
        """All of it by type."""
        kinds = get_type_hints(type(self))
        services = {kind: getattr(self, name) for name, kind in kinds.items() if kind is not str}
        return Services({**services, Site: self})

    def close(self) -> None:
        """End what every process of a site has: first who acts, then what tells others of it, and the database last."""
        self.builds.close()
        self.bot_runner.close()
        self.hinter.close()
        self.exports.close()
        self.together.close()
        self.claims.close()
        self.tables.store.close()


def count_change(table: Table) -> None:
    """Count a change of a table for the metrics."""
    metrics.count_change(table.game)
