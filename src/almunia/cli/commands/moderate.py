"""List what guests of a site have reported, and do something about it.

Without a message, all messages with open reports are listed. With one, everything that is asked for is done, and then
the message is shown as it stands. A site that is running notices within a minute.
"""

import argparse
from typing import TYPE_CHECKING, Any

from ...core.words import count_of
from ...errors import MissingExtra, SetupError
from .. import Exit
from ..shared import add_json, print_json

if TYPE_CHECKING:
    from ...server.people.moderation import Moderation, Said

EXAMPLES = (
    "almunia moderate --data tables",
    "almunia moderate lobby/17 --hide --silence 24 --resolve --data tables",
    "almunia moderate lobby/17 --silence 0 --data tables",
)
HOUR = 3600
LONGEST = 10 * 366 * 24  # hours


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which message, and what to do."""
    parser.add_argument("message", nargs="?", metavar="MESSAGE", help="where it was said, as the list has it: lobby/17")
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
        from ...server.people.moderation import Address, Moderation
        from ...server.settings import Settings
        from ...server.storage.database import existing
        from ...server.times import Clock
    except ModuleNotFoundError as error:
        raise MissingExtra.named("Messages need", error.name, "web") from None
    if args.message is None and (args.hide or args.unhide or args.resolve or args.silence is not None):
        raise SetupError("Say which message this is about, as the list has it: almunia moderate lobby/17 --hide.")
    address = Address.read(args.message) if args.message else None
    engine, now = existing(Settings.from_environment(args.data).url), Clock().now()
    try:
        moderation = Moderation(engine)
        if address:
            act(moderation, moderation.message(address, now), args, now)
        found = [moderation.message(address, now)] if address else moderation.reported(now)
    finally:
        engine.dispose()
    if args.json:
        print_json({"messages": [facts(one) for one in found]})
        return Exit.OK
    if not address:
        print(f"{count_of(len(found), 'message')} with open reports.")
    for one in found:
        print(line(one))
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
