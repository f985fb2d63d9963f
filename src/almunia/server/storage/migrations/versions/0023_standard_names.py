"""Give tables, columns, indexes and stored words their standard names."""

from collections.abc import Iterator, Mapping

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

TABLES = {
    "table": "game_table",
    "token": "api_token",
    "entry": "table_event",
    "former_seat": "former_player",
    "alert_way": "notification_channel",
    "alert_told": "notification_sent",
    "kept_seat": "seat_reservation",
    "silence": "chat_suspension",
    "moderated": "moderation",
    "session": "login_session",
    "link": "one_time_link",
    "rating_order": "rating_sequence",
    "game_note": "user_game",
    "daily_try": "daily_attempt",
    "daily_bot": "daily_bot_score",
    "kept_word": "site_setting",
    "question": "hint_request",
    "hits": "rate_limit",
}
COLUMNS = {  # by the old name of the table
    "table": {
        "seed_known": "seed_is_public",
        "ended": "end_reason",
        "gave_up": "resigned_seat",
        "owner": "host",
        "patience": "absence_timeout",
        "due": "flag_at",
        "played_on": "forked_at",
        "opened": "created_at",
        "changed": "changed_at",
        "advanced": "advanced_at",
    },
    "seat": {
        "asked": "visible_turn",
        "noticed": "last_visible_change",
        "stand_in": "substitute_bot",
        "here": "last_seen_at",
    },
    "token": {"called": "display_name", "made": "created_at", "used": "last_used_at"},
    "vacation": {"at": "updated_at", "since": "started_at"},
    "entry": {"words": "text", "follows": "same_choice", "time": "created_at"},
    "alert_way": {"called": "display_name", "again": "retry_at", "made": "created_at"},
    "alert_told": {"way": "channel", "noticed": "last_visible_change", "told": "sent_at"},
    "kept_seat": {"after": "previous_table"},
    "message": {"words": "text", "said": "sent_at"},
    "report": {"words": "text", "said": "sent_at", "reported": "reported_at", "resolved": "resolved_at"},
    "silence": {"until": "expires_at"},
    "moderated": {"was": "replaced_skeleton", "out": "is_banned"},
    "account": {"made": "created_at"},
    "passkey": {"signed": "sign_count", "made": "created_at", "used": "last_used_at"},
    "session": {"made": "created_at", "seen": "last_seen_at", "proved": "reauthenticated_at"},
    "link": {"facts": "payload", "made": "created_at", "expires": "expires_at", "used": "used_at"},
    "result": {
        "counts": "counts_in_stats",
        "whole": "played_to_end",
        "at": "finished_at",
        "early": "gave_up_early",
        "newcomer": "is_newcomer",
    },
    "profile": {part: f"show_{part}" for part in ("page", "results", "opponents", "boards", "daily", "lobby")},
    "game_note": {"words": "note"},
    "daily_try": {"finished": "finished_at"},
    "kept_word": {"word": "value"},
    "outage": {"since": "started_at", "until": "ended_at"},
    "question": {"seen": "history_version", "asked": "created_at"},
    "hits": {"until": "expires_at"},
}
INDEXES = {  # old name, and old names of table and columns
    "table_by_due": ("table", "due"),
    "table_by_change": ("table", "status", "changed"),
    "table_by_advance": ("table", "status", "advanced"),
    "table_by_owner": ("table", "owner", "status"),
    "seat_by_player": ("seat", "player"),
    "token_by_player": ("token", "player"),
    "former_seat_by_guest": ("former_seat", "guest"),
    "alert_way_by_guest": ("alert_way", "guest"),
    "listing_by_handle": ("listing", "handle"),
    "kept_seat_by_guest": ("kept_seat", "guest"),
    "kept_seat_by_after": ("kept_seat", "after"),
    "message_by_time": ("message", "room", "said"),
    "message_by_hidden": ("message", "room", "hidden"),
    "passkey_by_guest": ("passkey", "guest"),
    "session_by_guest": ("session", "guest"),
    "link_by_guest": ("link", "guest", "kind"),
    "link_by_end": ("link", "expires"),
    "result_by_player": ("result", "player", "game"),
    "result_by_number": ("result", "number"),
    "rating_by_game": ("rating", "game", "ordinal"),
    "profile_by_handle": ("profile", "handle"),
    "game_note_by_guest": ("game_note", "guest"),
    "daily_try_by_table": ("daily_try", "table"),
}
FOREIGN_KEYS = [("alert_told", "way")]  # of renamed tables: old names of table and column
FOREIGN_KEYS += [
    (name, "table") for name in ("entry", "former_seat", "alert_told", "kept_seat", "game_note", "daily_try")
]
EVENT_KINDS = {
    "act": "move",
    "play on": "lesson_left",
    "join": "player_joined",
    "bot": "bot_joined",
    "leave": "player_left",
    "fail": "bot_failed",
    "stand in": "substituted",
    "back": "returned",
    "remove": "player_removed",
    "expect": "seat_reserved",
    "refuse": "reservation_declined",
    "ask": "proposed",
    "agree": "accepted",
    "decline": "declined",
    "rewind": "takeback",
    "lose": "flagged",
    "end": "ended",
    "host": "host_changed",
    "vacation": "vacation_started",
    "return": "vacation_ended",
    "notice": "abandon_warning",
    "deal": "dealt",
    "personal": "redacted",
}
END_REASONS = {"time": "timed_out", "rules": "rules_changed"}


def upgrade() -> None:
    for index, (table, *_) in INDEXES.items():
        op.drop_index(index, table)
    for table, columns in COLUMNS.items():
        rename_columns(table, columns)
    for old, new in TABLES.items():
        op.rename_table(old, new)
    for table, old, new in constraints():
        rename_constraint(table, old, new)
    resize_kinds(16, 32)
    replace_words("table_event", "kind", EVENT_KINDS)
    replace_words("game_table", "end_reason", END_REASONS)
    for table, name, names in new_indexes():
        op.create_index(name, table, names)


def new_table(old: str) -> str:
    return TABLES.get(old, old)


def new_column(table: str, old: str) -> str:
    return COLUMNS.get(table, {}).get(old, old)


def new_indexes() -> Iterator[tuple[str, str, list[str]]]:
    for table, *columns in INDEXES.values():
        names = [new_column(table, column) for column in columns]
        yield new_table(table), "_".join(("ix", new_table(table), *names)), names


def constraints() -> Iterator[tuple[str, str, str]]:
    for old, new in TABLES.items():
        yield new, f"{old}_pkey", f"{new}_pkey"
    for table, column in FOREIGN_KEYS:
        new = new_table(table)
        yield new, f"{table}_{column}_fkey", f"{new}_{new_column(table, column)}_fkey"


def rename_columns(table: str, names: Mapping[str, str]) -> None:
    """Rename columns in place. In batch mode, Alembic would copy SQLite's tables."""
    quote = op.get_bind().dialect.identifier_preparer.quote
    for old, new in names.items():
        op.execute(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(old)} TO {quote(new)}")


def rename_constraint(table: str, old: str, new: str) -> None:
    if op.get_bind().dialect.name == "postgresql":  # SQLite's constraints have no names
        op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new}")


def resize_kinds(before: int, after: int) -> None:
    with op.batch_alter_table("table_event") as batch:
        batch.alter_column("kind", existing_type=sa.String(before), existing_nullable=False, type_=sa.String(after))


def replace_words(table: str, column: str, words: Mapping[str, str]) -> None:
    of = sa.column(column, sa.String)
    op.execute(sa.update(sa.table(table, of)).where(of.in_(words)).values({of: sa.case(words, value=of)}))


def downgrade() -> None:
    for table, name, _ in new_indexes():
        op.drop_index(name, table)
    replace_words("game_table", "end_reason", reverse(END_REASONS))
    replace_words("table_event", "kind", reverse(EVENT_KINDS))
    resize_kinds(32, 16)
    for table, old, new in constraints():
        rename_constraint(table, new, old)
    for old, new in TABLES.items():
        op.rename_table(new, old)
    for table, columns in COLUMNS.items():
        rename_columns(table, reverse(columns))
    for index, (table, *names) in INDEXES.items():
        op.create_index(index, table, names)


def reverse(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
