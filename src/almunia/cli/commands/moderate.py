"""List the reported messages of a site, and act on them.

Without arguments, the command lists all messages with open reports, and all accounts that are kept out. With a message,
the command does what the options say, and then shows the message. A running site notices within a minute.

Instead of a message you can give one of:

- rename PERSON NAME: rename a person, also at tables and in their messages
- keep-out PERSON: stop an account from signing in, and end its sessions and programs
- let-in PERSON: let an account sign in again
- end TABLE: end a game without changing ratings

A PERSON is the author of a message (lobby/17) or the player in a seat (TABLE#2). It can also be the email address of an
account, or an id from the list. The browser of a guest without an account shows the new name within ten minutes.
"""

import argparse
from typing import TYPE_CHECKING, Any

from ...core.english import pluralize
from ...errors import SetupError, needs_extra
from .. import Exit
from ..arguments import add_json, number_arg, print_result

if TYPE_CHECKING:
    from ...server.admin.moderation import AdminModeration, ModeratedPlayer
    from ...server.chat.moderation import ChatModeration, ReportedMessage

EXAMPLES = (
    "almunia moderate --data tables",
    "almunia moderate lobby/17 --hide --silence 24 --resolve --data tables",
    "almunia moderate lobby/17 --silence 0 --data tables",
    "almunia moderate rename lobby/17 'Player 17' --data tables",
    "almunia moderate keep-out ann@example.org --data tables",
)
WORD_COUNTS = {"": (0, 1), "rename": (2,), "keep-out": (1,), "let-in": (1,), "end": (1,)}  # allowed after each command
SECONDS_PER_HOUR = 3600
MAX_SILENCE_HOURS = 10 * 366 * 24  # ten years
HOURS = f"a number of hours from 0 to {MAX_SILENCE_HOURS}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    where = "a message as the list shows it, such as lobby/17; or one of the commands above"
    parser.add_argument("words", nargs="*", metavar="MESSAGE", help=where)
    seen = parser.add_mutually_exclusive_group()
    seen.add_argument("--hide", action="store_true", help="hide the message from everyone")
    seen.add_argument("--unhide", action="store_true", help="show the message again")
    parser.add_argument(
        "--silence",
        type=number_arg(int, lambda hours: 0 <= hours <= MAX_SILENCE_HOURS, HOURS),
        metavar="HOURS",
        help="stop its author from writing for this time (0: let the author write again)",
    )
    parser.add_argument("--resolve", action="store_true", help="close the reports of the message")
    parser.add_argument("--data", metavar="FOLDER", help="the site's folder (default: as for serve)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    with needs_extra("Messages need", "web"):
        from ...server.admin.moderation import AdminModeration
        from ...server.chat.moderation import ChatModeration, MessageRef
        from ...server.clock import Clock
        from ...server.settings import Settings
        from ...server.storage.database import open_existing
    about_message = args.hide or args.unhide or args.resolve or args.silence is not None
    command = args.words[0] if args.words and args.words[0] in WORD_COUNTS else ""
    words = args.words[1:] if command else args.words
    if len(words) not in WORD_COUNTS[command]:
        raise SetupError(
            f"These arguments do not fit a command: {' '.join(args.words)[:60]!r}. See almunia moderate --help."
        )
    if about_message and (command or not words):
        raise SetupError("Name the message as the list shows it, for example: almunia moderate lobby/17 --hide.")
    address = MessageRef.parse(words[0]) if words and not command else None
    settings, clock = Settings.from_environment(args.data), Clock()
    engine, now = open_existing(settings.url), clock.now()
    try:
        moderation, moderating = ChatModeration(engine), AdminModeration(engine, clock, settings)
        if command:
            sentence = moderate(moderating, command, words)
            print_result(args, {"done": sentence}, [sentence])
            return Exit.OK
        if address:
            moderate_message(moderation, moderation.get(address, now), args, now)
        messages = [moderation.get(address, now)] if address else moderation.with_open_reports(now)
        kept_out = [] if address else moderating.banned_players()
    finally:
        engine.dispose()
    rows = [format_message(message) for message in messages]
    lines = [] if address else [f"{pluralize(len(messages), 'message')} with open reports."]
    lines += [line for _, line in rows]
    for person in kept_out:
        lines.append(f"Kept out: {person.name} ({person.guest}), {person.mail or 'without an email address'}.")
    data = {"messages": [row for row, _ in rows], "kept_out": [format_banned(person) for person in kept_out]}
    print_result(args, data, lines)
    return Exit.OK


def moderate(moderating: "AdminModeration", command: str, words: list[str]) -> str:
    """Act on a person or a table, and return a sentence on the change."""
    if command == "end":
        moderating.end_game(words[0])
        return f"The game {words[0]} is over."
    person = moderating.find_person(words[0])
    name = person.name or person.guest
    if command == "rename":
        tables = moderating.rename(person, words[1])
        return f"{name} is now called {words[1]}, at {pluralize(tables, 'table')} and everywhere else."
    moderating.set_banned(person, out=command == "keep-out")
    sentence = "The account of {} can no longer sign in, and its sessions and programs have ended."
    return (sentence if command == "keep-out" else "The account of {} can sign in again.").format(name)


def moderate_message(
    moderation: "ChatModeration", message: "ReportedMessage", args: argparse.Namespace, now: float
) -> None:
    if args.hide or args.unhide:
        moderation.hide(message.ref, hidden=args.hide)
    if args.silence is not None:
        moderation.silence(message.author, now + SECONDS_PER_HOUR * args.silence, now)
    if args.resolve:
        moderation.resolve(message.ref, now)


def format_banned(person: "ModeratedPlayer") -> dict[str, Any]:
    row = person._asdict()
    return row | {"out": row.pop("is_banned")}


def format_message(message: "ReportedMessage") -> tuple[dict[str, Any], str]:
    from ...server.tables.clocks import format_utc

    said, until = format_utc(message.sent_at), format_utc(message.suspended_until) if message.suspended_until else None
    notes = [f"{pluralize(message.reports, 'open report')}"]
    notes += ["hidden"] if message.hidden else []
    notes += [f"its author may write again from {until}"] if until else []
    line = f"{message.ref}, {said}: {message.name} ({message.author}) said: {message.text} [{'; '.join(notes)}]"
    row = message._asdict() | {"sent_at": said, "suspended_until": until}
    return {"address": str(row.pop("ref")), **row}, line
