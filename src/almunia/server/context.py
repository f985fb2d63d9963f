"""The parts of the site, put together, and how routes reach them."""

from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..core.game import Game
from ..errors import SetupError
from .api.followers import Followers
from .api.tokens import Tokens
from .bot_runner import BotRunner
from .builds import Builds
from .caretaker import Caretaker
from .chat import Chat
from .database import connect
from .errors import Malformed, Missing
from .hints import Hinter
from .mail import MAILS, Mailer
from .notifier import Notifier
from .open_tables import OpenTables
from .presence import Presence
from .rates import Rate
from .seating import Seating
from .secret import Invitations
from .settings import Settings
from .store import Store
from .tables import Tables
from .vacations import Vacations

DIGITS = 9  # of a number in a form; every database keeps so many


@dataclass(frozen=True)
class Site:
    """All that routes need."""

    settings: Settings
    key: str
    tables: Tables
    seating: Seating
    presence: Presence
    vacations: Vacations
    caretaker: Caretaker
    builds: Builds
    notifier: Notifier
    bot_runner: BotRunner
    hinter: Hinter
    invitations: Invitations
    open_tables: OpenTables
    chat: Chat
    mailer: Mailer
    mail_rate: Rate
    tokens: Tokens
    followers: Followers

    @classmethod
    def build(cls, settings: Settings) -> "Site":
        """Put a site together; SetupError if its settings, folder or database cannot be used."""
        settings.check()
        settings.prepare()
        key = settings.session_key()
        builds, notifier = Builds(), Notifier()
        engine = connect(settings.url)
        tables = Tables(Store(engine), builds, notifier)
        presence = Presence(tables.store, notifier)
        seating = Seating(tables, presence)
        vacations = Vacations(tables.store, seating)
        chat = Chat(engine, notifier, settings.chat)
        open_tables = OpenTables(engine, tables, seating, presence)
        caretaker = Caretaker(tables.store, seating, presence, vacations, chat)
        bot_runner = BotRunner(tables, seating, settings.workers)
        followers = Followers(notifier)
        tables.listeners = (bot_runner.changed, open_tables.changed, followers.changed)
        return cls(
            settings=settings,
            key=key,
            tables=tables,
            seating=seating,
            presence=presence,
            vacations=vacations,
            caretaker=caretaker,
            builds=builds,
            notifier=notifier,
            bot_runner=bot_runner,
            hinter=Hinter(),
            invitations=Invitations(key),
            open_tables=open_tables,
            chat=chat,
            mailer=Mailer(settings.smtp, settings.mail_from),
            mail_rate=Rate(MAILS, "You have sent many invitations today. Please send the link yourself."),
            tokens=Tokens(engine),
            followers=followers,
        )

    def game(self, name: str) -> Game:
        """A game by its name in an address; Missing if there is none."""
        try:
            return self.builds.of(name)
        except SetupError as error:
            raise Missing(str(error)) from None


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
    """The form of a request; Malformed if it is none."""
    try:
        return Form(await request.form())
    except (HTTPException, ValueError, LookupError):  # cut short, or in letters that nobody knows
        raise Malformed("This form cannot be read. Please send it again from the page.") from None
