"""The parts of the site, put together, and how routes reach them."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from limits.strategies import RateLimiter
from python_multipart.multipart import parse_options_header
from sqlalchemy import Engine
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..errors import SetupError
from ..library import Game
from ..validation import random_seed
from .accounts.all import Accounts
from .accounts.exports import Exports
from .alerts.all import Alerts
from .api.followers import Followers
from .api.tokens import Tokens
from .errors import Malformed, Missing
from .guard import hidden_network
from .limits import USUAL_LIMITS, Limits
from .operations import metrics
from .operations.pulse import Pulse
from .people.chat import Chat
from .people.daily import Dailies
from .people.mail import MAILS, Mailer
from .people.my_games import MyGames
from .people.open_tables import OpenTables
from .people.own_tables import OwnTables
from .people.profiles import Profiles
from .people.rates import Rate
from .people.rematches import Rematches
from .play.bot_runner import BotRunner
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
from .settings import ELSEWHERE, Settings
from .storage.claims import Claims
from .storage.counting import limiter
from .storage.database import connect
from .storage.keys import session_key
from .storage.store import Store, Table
from .threads import Threads
from .times import SYSTEM_CLOCK, Clock

DIGITS = 9  # of a number in a form; every database keeps so many


UTF_8 = (b"utf-8", b"utf8")
NO_FORM = "This form cannot be read. Please send it again from the page."


@dataclass(frozen=True)
class Site:
    """All that routes need."""

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
    call_bots: Callable[[Table], object]  # wherever they think
    hinter: Hinter
    invitations: Invitations
    open_tables: OpenTables
    own: OwnTables
    rematches: Rematches
    chat: Chat
    mailer: Mailer
    mail_rate: Rate
    accounts: Accounts
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
        tables.listeners = (call_bots, open_tables.changed, followers.changed, metrics.changed)
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
            call_bots=call_bots,
            hinter=Hinter(),
            invitations=Invitations(key),
            open_tables=open_tables,
            own=own,
            rematches=Rematches(open_tables.listings, tables, seating),
            chat=chat,
            mailer=mailer,
            mail_rate=Rate(
                MAILS, "You have sent many invitations today. Please send the link yourself.", "mail", counting
            ),
            accounts=Accounts.build(engine, key, settings, mailer, counting, notifier, clock),
            exports=Exports(),
            alerts=Alerts.build(
                engine,
                key,
                settings,
                mailer,
                tables.store,
                presence,
                counting,
                clock,
                interval_seconds=limits.alert_seconds,
            ),
            tokens=Tokens(engine, clock),
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
        )

    def game(self, name: str) -> Game:
        """A game by its name in an address; Missing if there is none."""
        try:
            return self.builds.of(name)
        except SetupError as error:
            raise Missing(str(error)) from None

    def network_of(self, request: Request) -> str:
        """Return the network from which a request comes, as tables keep it."""
        return hidden_network(request, self.key)

    def close(self) -> None:
        """End what every process of a site has: first who acts, then what tells others of it, and the database last."""
        self.builds.close()
        self.bot_runner.close()
        self.hinter.close()
        self.exports.close()
        self.together.close()
        self.claims.close()
        self.tables.store.close()


class Form:
    """What was sent with a form: texts by name."""

    def __init__(self, data: FormData) -> None:
        self._data = data

    def has(self, name: str) -> bool:
        """Was a field of this name sent?"""
        return name in self._data

    def text(self, name: str, default: str = "") -> str:
        """A field as text."""
        value = self._data.get(name, default)
        return value if isinstance(value, str) else default

    def number(self, name: str) -> int:
        """A field as a whole number; Malformed if it is none."""
        value = self.text(name)
        if not value.isascii() or not value.isdigit() or len(value) > DIGITS:
            raise Malformed(
                f"The field {name!r} must be a whole number with up to {DIGITS} digits, not {value[:40]!r}."
            )
        return int(value)

    def named(self, prefix: str) -> dict[str, str]:
        """The fields whose name begins so, without that beginning."""
        return {
            name.removeprefix(prefix): value
            for name, value in self._data.items()
            if name.startswith(prefix) and isinstance(value, str)
        }


async def read_form(request: Request) -> Form:
    """The form of a request; Malformed if it is none, or written in anything but UTF-8.

    Other encodings can stand for what is no text at all, such as halves of characters, which no page can show.
    """
    _, facts = parse_options_header(request.headers.get("content-type"))
    if facts.get(b"charset", b"utf-8").lower() not in UTF_8:
        raise Malformed(NO_FORM)
    try:
        return Form(await request.form())
    except (HTTPException, ValueError, LookupError):  # cut short, or in letters that nobody knows
        raise Malformed(NO_FORM) from None
