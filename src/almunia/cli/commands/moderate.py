"""List what guests of a site have reported, and do something about it.

Without a message, all messages with open reports are listed, and all accounts that are kept out. With one, everything
that is asked for is done, and then the message is shown as it stands. A site that is running notices within a minute.

Instead of a message you can say one of:

- rename PERSON NAME: call somebody by another name, also at tables and in what they have said
- keep-out PERSON: let nobody sign in to an account, and end its sessions and programs
- let-in PERSON: let its owner in again
- end TABLE: end a game; it moves no ratings

A person is the author of a message (lobby/17), who sits in a seat (TABLE#2), the email address of an account, or an
id, as the list shows it. The browser of a guest without an account has the new name within ten minutes.
"""

import argparse
from typing import TYPE_CHECKING, Any

from ...core.words import count_of
from ...errors import MissingExtra, SetupError
from .. import Exit
from ..options import add_json, print_json

if TYPE_CHECKING:
    from ...server.accounts.moderating import Moderating
    from ...server.people.moderation import Moderation, Said

EXAMPLES = (
    "almunia moderate --data tables",
    "almunia moderate lobby/17 --hide --silence 24 --resolve --data tables",
    "almunia moderate lobby/17 --silence 0 --data tables",
    "almunia moderate rename lobby/17 'Player 17' --data tables",
    "almunia moderate keep-out ann@example.org --data tables",
)
DEEDS = {"rename": 2, "keep-out": 1, "let-in": 1, "end": 1}  # with how many words
HOUR = 3600
LONGEST = 10 * 366 * 24  # hours


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which message, and what to do."""
    where = "where it was said, as the list has it: lobby/17; or one of the above"
    parser.add_argument("words", nargs="*", metavar="MESSAGE", help=where)
    seen = parser.add_mutually_exclusive_group()
    seen.add_argument("--hide", action="store_true", help="let nobody read the message any more")
    seen.add_argument("--unhide", action="store_true", help="let all read it again")
    parser.add_argument(
        "--silence", type=_hours, metavar="HOURS", help="let its author write nothing for so long (0: anything again)"
    )
    parser.add_argument("--resolve", action="store_true", help="close the reports of the message")
    parser.add_argument("--data", metavar="FOLDER", help="the site's folder (default: as for serve)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List, or do what is asked for."""
    try:
        from ...server.accounts.moderating import Moderating
        from ...server.people.moderation import Address, Moderation
        from ...server.settings import Settings
        from ...server.storage.database import existing
        from ...server.times import Clock
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Messages need", error.name, "web") from None
    about_message = args.hide or args.unhide or args.resolve or args.silence is not None
    deed, words = (args.words[0], args.words[1:]) if args.words and args.words[0] in DEEDS else ("", args.words)
    if len(words) > (DEEDS[deed] if deed else 1) or (deed and len(words) < DEEDS[deed]):
        raise SetupError(f"This cannot be read: {' '.join(args.words)[:60]!r}. See almunia moderate --help.")
    if about_message and (deed or not words):
        raise SetupError("Say which message this is about, as the list has it: almunia moderate lobby/17 --hide.")
    address = Address.read(words[0]) if words and not deed else None
    settings, clock = Settings.from_environment(args.data), Clock()
    engine, now = existing(settings.url), clock.now()
    try:
        moderation, moderating = Moderation(engine), Moderating(engine, clock, settings)
        if deed:
            return told(moderate(moderating, deed, words), args)
        if address:
            act(moderation, moderation.message(address, now), args, now)
        found = [moderation.message(address, now)] if address else moderation.reported(now)
        out = [] if address else moderating.kept_out()
    finally:
        engine.dispose()
    if args.json:
        print_json({"messages": [facts(one) for one in found], "kept_out": [one._asdict() for one in out]})
        return Exit.OK
    if not address:
        print(f"{count_of(len(found), 'message')} with open reports.")
    for one in found:
        print(line(one))
    for person in out:
        print(f"Kept out: {person.name} ({person.guest}), {person.mail or 'without an email address'}.")
    return Exit.OK


def moderate(moderating: "Moderating", deed: str, words: list[str]) -> str:
    """Do something about a person or a table; return what was done, as a sentence."""
    if deed == "end":
        moderating.end(words[0])
        return f"The game {words[0]} is over."
    person = moderating.person(words[0])
    called = person.name or person.guest
    if deed == "rename":
        tables = moderating.rename(person, words[1])
        return f"{called} is called {words[1]} now, at {count_of(tables, 'table')} and wherever else they are known."
    moderating.keep_out(person, out=deed == "keep-out")
    ended = "Nobody can sign in to the account of {}, and its sessions and programs have ended."
    return (ended if deed == "keep-out" else "The owner of the account of {} can sign in again.").format(called)


def told(sentence: str, args: argparse.Namespace) -> int:
    """Write what was done."""
    if args.json:
        print_json({"done": sentence})
    else:
        print(sentence)
    return Exit.OK


def act(moderation: "Moderation", said: "Said", args: argparse.Namespace, now: float) -> None:
    """Do what is asked for about a message."""
    if args.hide or args.unhide:
        moderation.hide(said.address, hidden=args.hide)
    if args.silence is not None:
        moderation.silence(said.author, now + HOUR * args.silence, now)
    if args.resolve:
        moderation.resolve(said.address, now)


def line(one: "Said") -> str:
    """A message for people, with what was done about it."""
    from ...server.play.clocks import utc

    done = [f"{count_of(one.reports, 'open report')}"]
    done += ["hidden"] if one.hidden else []
    done += [f"its author may write again from {utc(one.until)}"] if one.until else []
    return f"{one.address}, {utc(one.said)}: {one.name} ({one.author}) said: {one.words} [{'; '.join(done)}]"


def facts(one: "Said") -> dict[str, Any]:
    """The same for programs."""
    from ...server.play.clocks import utc

    until = utc(one.until) if one.until else None
    return {**one._asdict(), "address": str(one.address), "said": utc(one.said), "until": until}


def _hours(text: str) -> int:
    if not text.isdecimal() or len(text) > len(str(LONGEST)) or int(text) > LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of hours from 0 to {LONGEST}")
    return int(text)
