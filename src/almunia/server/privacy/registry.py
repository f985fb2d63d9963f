"""The registry of personal data, with every database table that names guests."""

from typing import Any

from sqlalchemy import Connection, delete, exists, func, or_, select, update

from ..auth.api_tokens import revoke_all_tokens
from ..daily import repository as daily
from ..puzzles import repository as puzzles
from ..ratings import repository as results
from ..storage import schema
from ..storage.database import read_connection, truncate_wal
from ..tournaments import repository as tournaments
from .personal_data import PersonalData, Sources, delete_rows, grouped, move_rows, rows_of, stored
from .tables import ANONYMIZED_NAME, GAMES, erase_reservations

M, MUTE, R, S = schema.message.c, schema.mute.c, schema.report.c, schema.chat_suspension.c
PLAN, SEAT = schema.plan.c, schema.seat.c
LINK, PASSKEY = schema.one_time_link.c, schema.passkey.c
ACTIVITY = schema.presence.c.guest, schema.hint_request.c.guest
NOTE, PROFILE = schema.user_game.c.guest, schema.profile.c.guest
PUZZLES = schema.puzzle_attempt.c.guest
FOLLOWS = schema.follow.c.guest, schema.follow.c.other
TOURNAMENTS = schema.tournament.c.host, schema.tournament_entrant.c.guest
RESULTS = schema.result.c.player, schema.rating.c.guest


# --- plans ----------------------------------------------------------------------------------------------


def merge_plans(db: Connection, old: str, new: str) -> None:
    """Move the plans of the seats that have been moved to another guest."""
    moved = exists().where(SEAT.table == PLAN.table, SEAT.seat == PLAN.seat, SEAT.player == new)
    db.execute(update(schema.plan).where(PLAN.guest == old, moved).values(guest=new))


# --- chat -----------------------------------------------------------------------------------------------


def erase_chat(db: Connection, guest: str) -> None:
    """Delete text and author of a guest's messages. The messages stay, so that replies to them make sense."""
    db.execute(update(schema.message).where(M.guest == guest).values(guest="", name=ANONYMIZED_NAME, text="(deleted)"))


def merge_mutes(db: Connection, old: str, new: str) -> None:
    """Move the mutes of a guest, and mutes against the guest, to another guest, unless these two muted each other.

    If both guests have a mute with the same person, and one of them is a block, the block stays.
    """
    theirs = schema.mute.alias().c
    for own, other in ((MUTE.guest, MUTE.other), (MUTE.other, MUTE.guest)):
        has_block = exists().where(theirs[own.key] == old, theirs[other.key] == other, theirs.blocked)
        db.execute(update(schema.mute).where(own == new, has_block).values(blocked=True))
    move_rows(MUTE.guest, MUTE.other)(db, old, new)
    db.execute(delete(schema.mute).where(MUTE.guest == new, MUTE.other == new))


def merge_follows(db: Connection, old: str, new: str) -> None:
    """Move follows of a guest and by others to another guest, unless these two followed each other.

    A block ends the blocker's follow, as `FriendRepository.block` does. The mutes must be merged before.
    """
    move_rows(*FOLLOWS)(db, old, new)
    db.execute(delete(schema.follow).where(FOLLOWS[0] == new, FOLLOWS[1] == new))
    has_block = exists().where(MUTE.guest == FOLLOWS[0], MUTE.other == FOLLOWS[1], MUTE.blocked)
    db.execute(delete(schema.follow).where(or_(FOLLOWS[0] == new, FOLLOWS[1] == new), has_block))


def erase_tournaments(db: Connection, guest: str) -> None:
    tournaments.erase(db, guest, ANONYMIZED_NAME)


def erase_reports(db: Connection, guest: str) -> None:
    """Delete the reports of a guest, and the guest's id and name in reports of others."""
    db.execute(delete(schema.report).where(R.guest == guest))
    db.execute(update(schema.report).where(R.author == guest).values(author="", name=ANONYMIZED_NAME))


def merge_silence(db: Connection, old: str, new: str) -> None:
    """Keep the longer of two silences, so that signing in does not end one."""
    longest = select(func.max(S.expires_at)).where(S.guest.in_((old, new))).scalar_subquery()
    db.execute(update(schema.chat_suspension).where(S.guest == new).values(expires_at=longest))
    move_rows(S.guest)(db, old, new)


# --- account --------------------------------------------------------------------------------------------


def merge_vacation(sources: Sources, old: str, new: str) -> None:
    """End a guest's vacation, and move the balance to another guest, unless the other guest has a balance."""
    sources.vacations.transfer(old, new)


def revoke_tokens(sources: Sources, guest: str, _new: str = "") -> None:
    """Revoke all tokens of a guest: another person may have made them in the same browser."""
    revoke_all_tokens(sources.tokens, sources.event_subscribers, guest)


def remove_channels(sources: Sources, guest: str, _new: str = "") -> None:
    """Remove the channels of a guest: another person may have used the browser before."""
    sources.channels.remove_all(guest)


def export_account(sources: Sources, guest: str) -> dict[str, Any] | None:
    """Return the account without its secrets; None if the guest has no account."""
    account = sources.accounts.repository.get(guest)
    if account is None:
        return None
    sessions = sources.accounts.sessions.for_guest(guest)
    with read_connection(sources.engine) as db:
        return {
            "name": account.name,
            "mail": account.mail,
            "password": bool(account.password),
            "preferences": account.preferences,
            "created_at": account.created_at,
            "passkeys": rows_of(PASSKEY.guest, "id", "label", "created_at", "last_used_at")(db, guest),
            "sessions": [
                {"device": one.device, "created_at": one.created_at, "last_seen_at": one.last_seen_at}
                for one in sessions
            ],
            "links": rows_of(LINK.guest, "kind", "created_at", "expires_at", "used_at")(db, guest),
        }


def merge_account(sources: Sources, old: str, _new: str) -> None:
    """Delete the one-time links of the merged guest."""
    with sources.engine.begin() as db:
        delete_rows(LINK.guest)(db, old)


def erase_account(sources: Sources, guest: str) -> None:
    with sources.engine.begin() as db:
        delete_rows(LINK.guest, PASSKEY.guest, schema.login_session.c.guest, schema.account.c.guest)(db, guest)
    sources.accounts.sessions.invalidate(guest)


# --- all parts ------------------------------------------------------------------------------------------

CHANNEL_COLUMNS = ("kind", "target", "label", "live", "slow", "reminders", "confirmed", "hours")
REPORT_COLUMNS = ("room", "name", "text", "sent_at", "reported_at")
export_follows = grouped(
    following=rows_of(FOLLOWS[0], "other_name", "created_at"), followers=rows_of(FOLLOWS[1], "guest_name", "created_at")
)
export_tournaments = grouped(
    hosted=rows_of(TOURNAMENTS[0], "name", "game", "created_at"),
    entered=rows_of(TOURNAMENTS[1], "tournament", "name", "has_withdrawn", "hours"),
)
export_activity = grouped(at=rows_of(ACTIVITY[0], "place"), hints=rows_of(ACTIVITY[1], "table", "created_at"))
# Merges and erasures run in this order: vacations end before seats are left. The account is last, so that a player can
# repeat an erasure that was interrupted.
ALL_PARTS: tuple[PersonalData, ...] = (
    stored("vacation", schema.vacation.c.player, shown=("balance", "updated_at", "started_at"))._replace(
        merge=merge_vacation
    ),
    GAMES,
    stored("results", *RESULTS, export=results.export, merge=results.merge, erase=results.erase),
    # Another person, who used the browser before, may have chosen the public parts.
    stored("profile", PROFILE, export=grouped(profile=rows_of(PROFILE)), merge=delete_rows(PROFILE)),
    stored("daily", schema.daily_attempt.c.guest, export=daily.export, merge=daily.merge, erase=daily.erase),
    stored("puzzles", PUZZLES, export=grouped(puzzles=rows_of(PUZZLES)), merge=puzzles.merge, erase=puzzles.erase),
    stored("plans", PLAN.guest, shown=("table", "seat", "lines", "answers"), merge=merge_plans),
    stored("notes", NOTE, export=grouped(notes=rows_of(NOTE))),
    stored("alerts", schema.notification_channel.c.guest, shown=CHANNEL_COLUMNS)._replace(
        tables=("notification_channel", "notification_sent"), merge=remove_channels, erase=remove_channels
    ),
    stored("chat", M.guest, shown=("room", "name", "text", "sent_at"), erase=erase_chat),
    stored("muted", MUTE.guest, MUTE.other, shown=("name", "blocked"), merge=merge_mutes),
    stored("follows", *FOLLOWS, export=export_follows, merge=merge_follows),
    stored(
        "tournaments",
        *TOURNAMENTS,
        export=export_tournaments,
        merge=tournaments.merge,
        erase=erase_tournaments,
    ),
    stored("reports", R.guest, R.author, shown=REPORT_COLUMNS, erase=erase_reports),
    stored("silence", S.guest, shown=("expires_at",), merge=merge_silence),
    stored("moderation", schema.moderation.c.guest, shown=("name", "is_banned")),
    stored("programs", schema.api_token.c.player, shown=("label", "created_at", "last_used_at"))._replace(
        merge=revoke_tokens, erase=revoke_tokens
    ),
    stored("kept_seats", schema.seat_reservation.c.guest, shown=("previous_table",))._replace(erase=erase_reservations),
    # Presence, and requests for hints. Pages that are still open write their presence again.
    stored("moment", *ACTIVITY, export=export_activity, merge=delete_rows(*ACTIVITY)),
    PersonalData(
        "account",
        ("account", "passkey", "login_session", "one_time_link"),
        export_account,
        merge_account,
        erase_account,
    ),
)
IMPERSONAL_TABLES = {
    "listing",
    "rating_sequence",
    "daily_bot_score",
    "site_setting",
    "rate_limit",
    "outage",
    "tournament_game",
}  # without guests


class PersonalDataRegistry:
    """Exports, merges and erases all personal data."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def export(self, guest: str) -> dict[str, Any]:
        """Return everything about a guest that the guest may know, by the name of the part."""
        return {one.name: one.export(self._sources, guest) for one in ALL_PARTS}

    def merge(self, old: str, new: str) -> None:
        """Merge all parts of a guest into another guest, who is the same person."""
        for one in ALL_PARTS:
            one.merge(self._sources, old, new)

    def erase(self, guest: str) -> None:
        """Erase everything that identifies a guest."""
        for one in ALL_PARTS:
            one.erase(self._sources, guest)
        truncate_wal(self._sources.engine)
